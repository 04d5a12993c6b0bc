/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is recorded of a call's arguments
 *
 * The event of a function's entry that was recorded with arguments has behind
 * its fields
 *
 *   unsigned long args[]   the longs that the function's signature lists, each
 *                          of them or none
 *   strings                for each that the signature marks as a string: 16
 *                          bits of length and flags, see ARG_STRING_CUT, and
 *                          so many bytes right behind them; there are none if
 *                          func_args_string_size is 0
 *   zeros                  up to a multiple of 8 bytes
 *   u32 set                for a function of a module: the number of the
 *                          module's set of signatures
 *
 * and none of it need be aligned.  The rest of the size by 8 tells whether
 * there is a set.
 */
#ifndef _TRACE_ARGS_CAPTURE_H
#define _TRACE_ARGS_CAPTURE_H

#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/unaligned.h>

#include "trace_arg_sigs.h"

/* Bytes of a string that are recorded: by default, at most, of all of a call */
#define FUNC_ARGS_STRING_SIZE		64
#define FUNC_ARGS_MAX_STRING_SIZE	512
#define FUNC_ARGS_MAX_STRINGS		1024

#ifdef CONFIG_FUNCTION_ARG_SIGS
#define FUNC_ARGS_MAX_TAIL	(ARG_SIGS_MAX_LONGS * sizeof(long) + \
				 FUNC_ARGS_MAX_STRINGS + sizeof(u32))
#else
#define FUNC_ARGS_MAX_TAIL	0
#endif

struct dentry;
struct trace_array;

#ifdef CONFIG_FUNCTION_ARG_SIGS

/* What a signature has if not all longs are argument registers in their order */
#define ARG_SIG_REF_UNCOMMON	(ARG_SIG_REF_SLOTS | ARG_SIG_REF_TWO_REGS)

/**
 * struct call_args - what is to be recorded of a call's arguments
 * @data: what goes behind the event's fields; NULL if it is longs in their order
 * @slot: the function's slot if it is a module's
 * @size: bytes behind the event's fields
 * @nr: how many longs if @data is NULL
 * @set: what @data points to if there is nothing but the number of the set
 */
struct call_args {
	const void	*data;
	const struct arg_sig_module_slot *slot;
	unsigned int	size;
	unsigned int	nr;
	u32		set;
};

DECLARE_PER_CPU(unsigned int, call_args_nesting);

void call_args_capture(struct call_args *args, struct trace_array *tr, u32 ref,
		       const struct arg_sig_module_slot *slot,
		       struct ftrace_regs *fregs);
void call_args_init_tracefs(struct trace_array *tr, struct dentry *parent);

static __always_inline void put_arg(unsigned long *args, unsigned int n,
				    struct ftrace_regs *fregs)
{
	put_unaligned(ftrace_regs_get_argument(fregs, n), args + n);
}

/*
 * Longs in their order, the first @nr of them: the argument registers, then the
 * words of the stack behind the return address, which can be read
 */
static __always_inline void
capture_in_order(unsigned long *args, unsigned int nr,
		 struct ftrace_regs *fregs)
{
	const unsigned long *stack;
	unsigned int i;

	if (!nr)
		return;
	put_arg(args, 0, fregs);
	if (nr == 1)
		return;
	put_arg(args, 1, fregs);
	if (nr == 2)
		return;
	put_arg(args, 2, fregs);
	if (nr == 3)
		return;
	put_arg(args, 3, fregs);
	if (nr == 4)
		return;
	put_arg(args, 4, fregs);
	if (nr == 5)
		return;
	put_arg(args, 5, fregs);
	if (likely(nr == 6))
		return;
	stack = (const unsigned long *)arch_ftrace_regs(fregs)->regs.sp;
	for (i = 6; i < nr; i++)
		put_unaligned(READ_ONCE_NOCHECK(stack[i - 5]), args + i);
}

/* Whether capture_in_order() does, and can read what is on the stack */
static __always_inline bool
can_capture_in_order(u32 ref, struct ftrace_regs *fregs)
{
	int stack_words = (int)(ref & ARG_SIG_REF_LONGS) - 6;
	unsigned long sp;

	if (!fregs || !(ref & ARG_SIG_REF_IN_ORDER))
		return false;
	/* They are on the page that the return address is on */
	sp = arch_ftrace_regs(fregs)->regs.sp;
	return (int)offset_in_page(sp) + (stack_words + 1) * (int)sizeof(long) <=
	       (int)PAGE_SIZE;
}

/**
 * call_args_copy - copy what was captured into the event
 * @tail: where to
 * @args: what was captured
 */
static __always_inline void call_args_copy(unsigned long *tail,
					   const struct call_args *args)
{
	unsigned int nr = args->size / sizeof(long);
	const unsigned long *data = args->data;
	unsigned int i;

	/* Few longs mostly: not worth a call */
	for (i = 0; i < nr; i++)
		put_unaligned(data[i], tail + i);
	if (args->size % sizeof(long))
		put_unaligned(*(const u32 *)(data + nr), (u32 *)(tail + nr));
}

/**
 * call_args_release - give back what call_args_capture() took
 *
 * On the CPU that it was called on, whatever became of the event.
 */
static __always_inline void call_args_release(void)
{
	this_cpu_dec(call_args_nesting);
}

/**
 * call_args_get - find out what is to be recorded of a call's arguments
 * @args: what is found out
 * @tr: the trace instance
 * @ip: the address that ftrace knows the function by
 * @fregs: the registers at the function's entry
 *
 * Any context, NMI too, with preemption disabled until call_args_done().
 */
static __always_inline void call_args_get(struct call_args *args,
					  struct trace_array *tr,
					  unsigned long ip,
					  struct ftrace_regs *fregs)
{
	u32 ref = 0;

	args->slot = NULL;
	if (likely(arg_sig_called_in_image(ip))) {
		ref = arg_sig_find_image(ip);
	} else {
		args->slot = arg_sig_find_module(ip);
		if (args->slot)
			ref = args->slot->ref;
	}

	if (unlikely(ref & ARG_SIG_REF_SLOTS) &&
	    !can_capture_in_order(ref, fregs)) {
		call_args_capture(args, tr, ref, args->slot, fregs);
		return;
	}
	args->data = NULL;
	args->nr = ref & ARG_SIG_REF_LONGS;
	args->size = args->nr * sizeof(long);
	if (args->slot)
		args->size += sizeof(args->slot->id);
}

/**
 * call_args_put - write what is to be recorded into the event
 * @args: from call_args_get()
 * @tail: where to
 * @fregs: the registers at the function's entry
 */
static __always_inline void call_args_put(const struct call_args *args,
					  unsigned long *tail,
					  struct ftrace_regs *fregs)
{
	if (args->data) {
		call_args_copy(tail, args);
		return;
	}
	capture_in_order(tail, args->nr, fregs);
	if (args->slot)
		put_unaligned(args->slot->id, (u32 *)(tail + args->nr));
}

/**
 * call_args_done - forget what was to be recorded
 * @args: from call_args_get()
 */
static __always_inline void call_args_done(const struct call_args *args)
{
	if (args->data)
		call_args_release();
}

#else

static inline void call_args_init_tracefs(struct trace_array *tr,
					  struct dentry *parent)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_ARGS_CAPTURE_H */
