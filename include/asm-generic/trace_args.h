/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places of a signature's slots, by the places of an architecture's registers
 *
 * asm/trace_args.h ends with this header. Documentation/trace/arg-sigs-format.rst has the
 * letters.
 */
#ifndef _ASM_GENERIC_TRACE_ARGS_H
#define _ASM_GENERIC_TRACE_ARGS_H

/* Maximum words of the stack, "A" to "Z", that a signature can list */
#define TRACE_ARGS_STACK_WORDS	26

/*
 * The place of a slot: a word after trace_args_registers(), counted from 1, or a word of
 * trace_args_stack(). Word 0 of the stack is no argument. The place is 0 if the slot has no
 * place.
 */
#define TRACE_ARGS_STACK(word)	((word) + S8_MIN)

static const s8 trace_args_places[256] = {
	['a'] = TRACE_ARGS_PLACE_A, TRACE_ARGS_PLACE_B, TRACE_ARGS_PLACE_C,
	['d'] = TRACE_ARGS_PLACE_D, TRACE_ARGS_PLACE_E, TRACE_ARGS_PLACE_F,
#if TRACE_ARGS_REGISTERS > 6
	['g'] = TRACE_ARGS_PLACE_G, TRACE_ARGS_PLACE_H,
#endif
	['A'] = TRACE_ARGS_STACK(1), TRACE_ARGS_STACK(2), TRACE_ARGS_STACK(3),
	['D'] = TRACE_ARGS_STACK(4), TRACE_ARGS_STACK(5), TRACE_ARGS_STACK(6),
	['G'] = TRACE_ARGS_STACK(7), TRACE_ARGS_STACK(8), TRACE_ARGS_STACK(9),
	['J'] = TRACE_ARGS_STACK(10), TRACE_ARGS_STACK(11), TRACE_ARGS_STACK(12),
	['M'] = TRACE_ARGS_STACK(13), TRACE_ARGS_STACK(14), TRACE_ARGS_STACK(15),
	['P'] = TRACE_ARGS_STACK(16), TRACE_ARGS_STACK(17), TRACE_ARGS_STACK(18),
	['S'] = TRACE_ARGS_STACK(19), TRACE_ARGS_STACK(20), TRACE_ARGS_STACK(21),
	['V'] = TRACE_ARGS_STACK(22), TRACE_ARGS_STACK(23), TRACE_ARGS_STACK(24),
	['Y'] = TRACE_ARGS_STACK(25), TRACE_ARGS_STACK(26),
};

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
	return (trace_args_places['a' + nr] - 1) * sizeof(long);
}

/**
 * trace_args_value - read an argument register
 * @nr: the number of the register
 * @fregs: the registers at the function's entry
 *
 * Any context.
 *
 * Return: the register.
 */
static __always_inline unsigned long trace_args_value(unsigned int nr, struct ftrace_regs *fregs)
{
	long place = trace_args_places['a' + nr];

	return ((const unsigned long *)trace_args_registers(fregs))[place - 1];
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
	const unsigned long *regs = trace_args_registers(fregs);
	long place = trace_args_places[slot];

	if (likely(place > 0))
		return regs[place - 1];
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

#endif /* _ASM_GENERIC_TRACE_ARGS_H */
