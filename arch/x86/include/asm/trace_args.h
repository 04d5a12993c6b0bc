/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places of arguments at a function's entry
 *
 * An architecture that selects HAVE_FUNCTION_ARG_SIGS provides this header, which ends with
 * asm-generic/trace_args.h, and asm/trace_readable.h. Files of scripts/gen_arg_sigs know its
 * calling convention and its instructions (abi.c, insn.c).
 * Documentation/trace/arg-sigs-format.rst has the letters.
 */
#ifndef _ASM_X86_TRACE_ARGS_H
#define _ASM_X86_TRACE_ARGS_H

#include <linux/ftrace.h>
#include <linux/pgtable.h>

#include <asm/ptrace.h>

/* Number of argument registers, "a" to "f" */
#define TRACE_ARGS_REGISTERS	6

/* No record is passed by its address */
#define TRACE_ARGS_REFERENCES	0

/* Maximum bytes from a function's symbol to the address that ftrace knows the function by */
#define TRACE_ARGS_MAX_OFFSET	FTRACE_MCOUNT_MAX_OFFSET

/* The place of a register: a word of struct pt_regs, counted from 1 */
#define TRACE_ARGS_REG(reg)	(offsetof(struct pt_regs, reg) / sizeof(long) + 1)

/* psABI, 3.2.3 */
#define TRACE_ARGS_PLACE_A	TRACE_ARGS_REG(di)
#define TRACE_ARGS_PLACE_B	TRACE_ARGS_REG(si)
#define TRACE_ARGS_PLACE_C	TRACE_ARGS_REG(dx)
#define TRACE_ARGS_PLACE_D	TRACE_ARGS_REG(cx)
#define TRACE_ARGS_PLACE_E	TRACE_ARGS_REG(r8)
#define TRACE_ARGS_PLACE_F	TRACE_ARGS_REG(r9)

/**
 * trace_args_in_image - whether a called function is in the image
 * @ip: the address that ftrace knows the function by
 *
 * Return: true if so, false otherwise.
 */
static __always_inline bool trace_args_in_image(unsigned long ip)
{
	return ip < MODULES_VADDR;
}

/**
 * trace_args_stack - find the stack at a function's entry
 * @fregs: the registers at the function's entry
 *
 * Return: a pointer to the first word, which is the return address.
 */
static __always_inline const unsigned long *
trace_args_stack(struct ftrace_regs *fregs)
{
	return (const unsigned long *)ftrace_regs_get_stack_pointer(fregs);
}

/**
 * trace_args_registers - find the registers of a function's entry
 * @fregs: the registers at the function's entry
 *
 * Return: where the registers are; 8 bytes follow the last argument register.
 */
static __always_inline const void *trace_args_registers(struct ftrace_regs *fregs)
{
	return &arch_ftrace_regs(fregs)->regs;
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
	return arch_ftrace_regs(fregs)->regs.dx;
}

#include <asm-generic/trace_args.h>

#endif /* _ASM_X86_TRACE_ARGS_H */
