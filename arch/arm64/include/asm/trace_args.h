/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places of arguments at a function's entry, see asm/trace_args.h of x86
 */
#ifndef _ASM_ARM64_TRACE_ARGS_H
#define _ASM_ARM64_TRACE_ARGS_H

#include <linux/ftrace.h>

#include <asm/insn.h>
#include <asm/ptrace.h>
#include <asm/sections.h>

/* Number of argument registers, "a" to "h" */
#define TRACE_ARGS_REGISTERS	8

/* A record of more than 16 bytes is passed by its address (AAPCS64, 6.8.2, B.4) */
#define TRACE_ARGS_REFERENCES	1

/*
 * Maximum bytes from a function's symbol to the address that ftrace knows the function by: a
 * BTI and a NOP come before the call
 */
#define TRACE_ARGS_MAX_OFFSET	(2 * AARCH64_INSN_SIZE)

/* The place of a register: a word of struct __arch_ftrace_regs, counted from 1 */
#define TRACE_ARGS_REG(nr)	(offsetof(struct __arch_ftrace_regs, regs[nr]) / sizeof(long) + 1)

/* AAPCS64, 6.8.2 */
#define TRACE_ARGS_PLACE_A	TRACE_ARGS_REG(0)
#define TRACE_ARGS_PLACE_B	TRACE_ARGS_REG(1)
#define TRACE_ARGS_PLACE_C	TRACE_ARGS_REG(2)
#define TRACE_ARGS_PLACE_D	TRACE_ARGS_REG(3)
#define TRACE_ARGS_PLACE_E	TRACE_ARGS_REG(4)
#define TRACE_ARGS_PLACE_F	TRACE_ARGS_REG(5)
#define TRACE_ARGS_PLACE_G	TRACE_ARGS_REG(6)
#define TRACE_ARGS_PLACE_H	TRACE_ARGS_REG(7)

/**
 * trace_args_in_image - whether a called function is in the image
 * @ip: the address that ftrace knows the function by
 *
 * Modules may lie on both sides of the image.  The tests that are modules do not have the
 * image's symbols, and call no function of a module.
 *
 * Return: true if so, false otherwise.
 */
static __always_inline bool trace_args_in_image(unsigned long ip)
{
#ifdef MODULE
	return true;
#else
	return ip - (unsigned long)_text < (unsigned long)(_end - _text);
#endif
}

/**
 * trace_args_stack - find the stack at a function's entry
 * @fregs: the registers at the function's entry
 *
 * Return: a pointer to the word before the first argument on the stack.
 */
static __always_inline const unsigned long *
trace_args_stack(struct ftrace_regs *fregs)
{
	return (const unsigned long *)ftrace_regs_get_stack_pointer(fregs) - 1;
}

/**
 * trace_args_registers - find the registers of a function's entry
 * @fregs: the registers at the function's entry
 *
 * Return: where the registers are; 8 bytes follow the last argument register.
 */
static __always_inline const void *trace_args_registers(struct ftrace_regs *fregs)
{
	return arch_ftrace_regs(fregs);
}

/**
 * trace_args_second_return - read the second register that a function returned
 * @fregs: the registers at the function's return
 *
 * ftrace_regs_get_return_value() returns the first register.
 *
 * Return: the register.
 */
static __always_inline unsigned long
trace_args_second_return(struct ftrace_regs *fregs)
{
	return arch_ftrace_regs(fregs)->regs[1];
}

#include <asm-generic/trace_args.h>

#endif /* _ASM_ARM64_TRACE_ARGS_H */
