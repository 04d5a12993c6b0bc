/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and typed return values in the function_graph tracer
 *
 * A graph entry that was recorded with arguments has behind its fields
 *
 *   unsigned long args[]   the longs that the function's signature asks for
 *   u32 set                for a function of a module: the number of the
 *                          module's set of signatures
 *
 * and is packed, so that neither is aligned.  As longs have 8 bytes, the rest
 * of the size by 8 tells whether there is a set.
 */
#ifndef _TRACE_GRAPH_ARGS_H
#define _TRACE_GRAPH_ARGS_H

#include <linux/ftrace.h>
#include <linux/unaligned.h>

#include "trace.h"
#include "trace_arg_sigs.h"

#ifdef CONFIG_FUNCTION_ARG_SIGS
#define GRAPH_ENT_MAX_TAIL	(ARG_SIGS_MAX_LONGS * sizeof(long) + sizeof(u32))
#else
#define GRAPH_ENT_MAX_TAIL	0
#endif

/**
 * struct graph_ent_copy - a graph entry with what follows its fields
 * @size: its bytes
 * @ent: the entry
 * @data: the same as bytes
 */
struct graph_ent_copy {
	unsigned int	size;
	union {
		struct ftrace_graph_ent_entry	ent;
		u8	data[sizeof(struct ftrace_graph_ent_entry) +
			     GRAPH_ENT_MAX_TAIL];
	};
};

/**
 * graph_ent_copy - copy a graph entry before its event is consumed
 * @copy: where to
 * @ent: the entry in the ring buffer
 * @size: the event's bytes
 */
static inline void graph_ent_copy(struct graph_ent_copy *copy,
				  const struct ftrace_graph_ent_entry *ent,
				  unsigned int size)
{
	copy->size = clamp_t(unsigned int, size, sizeof(*ent),
			     sizeof(copy->data));
	memcpy(copy->data, ent, copy->size);
}

#ifdef CONFIG_FUNCTION_ARG_SIGS

int trace_graph_record_slots(struct trace_array *tr,
			     struct ftrace_graph_ent *trace,
			     unsigned int trace_ctx, struct ftrace_regs *fregs);

static __always_inline void put_arg(unsigned long *args, unsigned int n,
				    struct ftrace_regs *fregs)
{
	put_unaligned(ftrace_regs_get_argument(fregs, n), args + n);
}

/* The argument registers in their order, the first @nr of them */
static __always_inline void
capture_registers(unsigned long *args, unsigned int nr,
		  struct ftrace_regs *fregs)
{
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
}

/* With @nr arguments, all in registers, and the number of a set if there is one */
static __always_inline int
graph_record_registers(struct trace_array *tr, struct ftrace_graph_ent *trace,
		       unsigned int trace_ctx, struct ftrace_regs *fregs,
		       unsigned int nr, const u32 *set)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	struct ring_buffer_event *event;

	event = trace_buffer_lock_reserve(buffer, TRACE_GRAPH_ENT,
					  sizeof(*entry) + nr * sizeof(long) +
					  (set ? sizeof(*set) : 0), trace_ctx);
	if (!event)
		return 0;
	entry = ring_buffer_event_data(event);
	entry->graph_ent = *trace;
	if (set)
		put_unaligned(*set, (u32 *)(entry->args + nr));
	capture_registers(entry->args, nr, fregs);
	trace_buffer_unlock_commit_nostack(buffer, event);

	return 1;
}

/**
 * trace_graph_record_args - record a graph entry with its arguments
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * Nearly all functions have their arguments in registers, in the order of the
 * ABI. Those are done here, without a call of our own.
 *
 * Any context, NMI too, with preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
static __always_inline int
trace_graph_record_args(struct trace_array *tr, struct ftrace_graph_ent *trace,
			unsigned int trace_ctx, struct ftrace_regs *fregs)
{
	const struct arg_sig_module_slot *slot;
	u32 ref;

	if (unlikely(!fregs))
		goto slots;

	if (likely(arg_sig_in_image(trace->func))) {
		ref = arg_sig_find_image(trace->func);
		if (unlikely(ref & ARG_SIG_REF_SLOTS))
			goto slots;
		return graph_record_registers(tr, trace, trace_ctx, fregs,
					      ref & ARG_SIG_REF_LONGS, NULL);
	}

	slot = arg_sig_find_module(trace->func);
	if (unlikely(!slot || slot->ref & ARG_SIG_REF_SLOTS))
		goto slots;
	return graph_record_registers(tr, trace, trace_ctx, fregs,
				      slot->ref & ARG_SIG_REF_LONGS, &slot->id);
slots:
	return trace_graph_record_slots(tr, trace, trace_ctx, fregs);
}

u32 graph_ent_set(const struct graph_ent_copy *copy);
void print_graph_args_nested(struct trace_iterator *iter,
			     const struct graph_ent_copy *call, u32 flags);
void print_graph_args_leaf(struct trace_iterator *iter,
			   const struct graph_ent_copy *call,
			   const struct ftrace_graph_ret *ret, u32 flags);
void print_graph_args_close(struct trace_iterator *iter, u32 set,
			    const struct ftrace_graph_ret *ret, bool lost,
			    u32 flags);

#else

static inline int trace_graph_record_args(struct trace_array *tr,
					  struct ftrace_graph_ent *trace,
					  unsigned int trace_ctx,
					  struct ftrace_regs *fregs)
{
	return 0;
}

static inline u32 graph_ent_set(const struct graph_ent_copy *copy)
{
	return 0;
}

static inline void print_graph_args_nested(struct trace_iterator *iter,
					   const struct graph_ent_copy *call,
					   u32 flags)
{
}

static inline void print_graph_args_leaf(struct trace_iterator *iter,
					 const struct graph_ent_copy *call,
					 const struct ftrace_graph_ret *ret,
					 u32 flags)
{
}

static inline void print_graph_args_close(struct trace_iterator *iter, u32 set,
					  const struct ftrace_graph_ret *ret,
					  bool lost, u32 flags)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_GRAPH_ARGS_H */
