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

/* Maximum words of the stack, "A" to "X", that a signature can list */
#define TRACE_ARGS_STACK_WORDS	24

/*
 * Maximum bytes from a function's symbol to the address that ftrace knows the function by: a
 * BTI and a NOP come before the call
 */
#define TRACE_ARGS_MAX_OFFSET	(2 * AARCH64_INSN_SIZE)

/*
 * The place of a slot: a word of struct __arch_ftrace_regs, or a word of the stack, counted
 * from the word before the first argument. The place is 0 if the slot has no place.
 */
#define TRACE_ARGS_REG(nr)	(offsetof(struct __arch_ftrace_regs, regs[nr]) / sizeof(long) + 1)
#define TRACE_ARGS_STACK(word)	((word) + S8_MIN)

/* AAPCS64, 6.8.2: X0 to X7, then the stack */
static const s8 trace_args_places[256] = {
	['a'] = TRACE_ARGS_REG(0), TRACE_ARGS_REG(1), TRACE_ARGS_REG(2),
	['d'] = TRACE_ARGS_REG(3), TRACE_ARGS_REG(4), TRACE_ARGS_REG(5),
	['g'] = TRACE_ARGS_REG(6), TRACE_ARGS_REG(7),
	['A'] = TRACE_ARGS_STACK(1), TRACE_ARGS_STACK(2), TRACE_ARGS_STACK(3),
	['D'] = TRACE_ARGS_STACK(4), TRACE_ARGS_STACK(5), TRACE_ARGS_STACK(6),
	['G'] = TRACE_ARGS_STACK(7), TRACE_ARGS_STACK(8), TRACE_ARGS_STACK(9),
	['J'] = TRACE_ARGS_STACK(10), TRACE_ARGS_STACK(11), TRACE_ARGS_STACK(12),
	['M'] = TRACE_ARGS_STACK(13), TRACE_ARGS_STACK(14), TRACE_ARGS_STACK(15),
	['P'] = TRACE_ARGS_STACK(16), TRACE_ARGS_STACK(17), TRACE_ARGS_STACK(18),
	['S'] = TRACE_ARGS_STACK(19), TRACE_ARGS_STACK(20), TRACE_ARGS_STACK(21),
	['V'] = TRACE_ARGS_STACK(22), TRACE_ARGS_STACK(23), TRACE_ARGS_STACK(24),
};

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
 * trace_args_stack_word - find the word of the stack for a slot of a signature
 * @slot: the slot's letter
 *
 * Return: the word's number in trace_args_stack(); 0 for a register.
 */
static __always_inline unsigned int trace_args_stack_word(unsigned char slot)
{
	int place = trace_args_places[slot];

	return place < 0 ? place - S8_MIN : 0;
}

/**
 * trace_args_register - find an argument register among the registers of an entry
 * @nr: the number of the register
 *
 * Return: the place of the register after trace_args_registers(), in bytes.
 */
static inline unsigned int trace_args_register(unsigned int nr)
{
	return offsetof(struct __arch_ftrace_regs, regs[nr]);
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
 * trace_args_slot - read the value of a slot of a signature
 * @slot: the slot's letter
 * @fregs: the registers at the function's entry
 *
 * If the slot is a word of the stack, the caller makes sure that the stack has the word.
 * Any context.
 *
 * Return: the register or the word; 0 for a slot without a place.
 */
static __always_inline unsigned long trace_args_slot(unsigned char slot,
						     struct ftrace_regs *fregs)
{
	long place = trace_args_places[slot];

	if (likely(place > 0))
		return ((const unsigned long *)arch_ftrace_regs(fregs))[place - 1];
	if (!place)
		return 0;
	return READ_ONCE_NOCHECK(trace_args_stack(fregs)[place - S8_MIN]);
}

/**
 * trace_args_field - read an argument of a system call
 * @regs: the registers that user space made the system call with
 * @field: the letter of the field; for a capital letter, only the lower 32 bits are read
 *
 * Any context.
 *
 * Return: the argument.
 */
static __always_inline unsigned long
trace_args_field(const struct pt_regs *regs, unsigned char field)
{
	unsigned long val = ((const unsigned long *)regs)[(field & 0x1f) - 1];

	return field < 'a' ? (u32)val : val;
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

#endif /* _ASM_ARM64_TRACE_ARGS_H */
