/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of an event that has a call's arguments or its return value
 */
#ifndef _TRACE_ARGS_PRINT_H
#define _TRACE_ARGS_PRINT_H

#include <linux/types.h>
#include <linux/unaligned.h>

#include "args.h"

struct ftrace_entry;
struct trace_iterator;

/**
 * struct trace_args_ret - the return of a call
 * @func: the function
 * @set: the set of signatures, from trace_args_set()
 * @regs: the registers that the function returned
 * @nr_regs: the number of registers in @regs
 * @results: what the call returned besides the registers, see arg_sig_put_results()
 * @hex: whether integers are hexadecimal
 */
struct trace_args_ret {
	unsigned long	func;
	u32		set;
	const u64	*regs;
	unsigned int	nr_regs;
	struct arg_longs results;
	bool		hex;
};

/**
 * trace_args_set - find the set of signatures that an event was recorded with
 * @tail: the bytes that follow the event's fields
 * @size: the number of bytes at @tail
 *
 * Return: the set's number, ARG_SIGS_IMAGE if the event has none.
 */
static inline u32 trace_args_set(const void *tail, unsigned int size)
{
	if (size % sizeof(u64) != sizeof(u32))
		return ARG_SIGS_IMAGE;
	return get_unaligned((const u32 *)(tail + size - sizeof(u32)));
}

void trace_args_print_func(struct trace_iterator *iter, unsigned long func,
			   u32 set);
void trace_args_print_args(struct trace_iterator *iter, unsigned long func,
			   u32 set, const void *tail, unsigned int size);
bool trace_args_print_ret(struct trace_iterator *iter,
			  const struct trace_args_ret *ret, const char *before,
			  bool name, const char *label);
void print_fn_args(struct trace_iterator *iter,
		   const struct ftrace_entry *field, int sym_flags);

#endif /* _TRACE_ARGS_PRINT_H */
