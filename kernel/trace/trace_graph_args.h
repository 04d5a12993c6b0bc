/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and typed return values in the function_graph tracer
 *
 * A graph entry that was recorded with arguments has them behind its fields, see
 * trace_args_capture.h.  It is packed, so they are not aligned.
 *
 * The exit of a function that returns two registers has the second one behind
 * its fields, 8 bytes, if funcgraph-retval was set at the function's entry.
 */
#ifndef _TRACE_GRAPH_ARGS_H
#define _TRACE_GRAPH_ARGS_H

#include <linux/ftrace.h>
#include <linux/unaligned.h>

#include "trace.h"
#include "trace_arg_sigs.h"
#include "trace_args_capture.h"

/**
 * struct graph_call - a graph entry with what follows its fields
 * @ent: the entry
 * @size: its bytes
 */
struct graph_call {
	const struct ftrace_graph_ent_entry	*ent;
	unsigned int				size;
};

/**
 * struct graph_ent_copy - room for a graph entry with what follows its fields
 * @size: its bytes
 * @ent: the entry
 * @data: the same as bytes
 */
struct graph_ent_copy {
	unsigned int	size;
	union {
		struct ftrace_graph_ent_entry	ent;
		u8	data[sizeof(struct ftrace_graph_ent_entry) +
			     FUNC_ARGS_MAX_TAIL];
	};
};

/**
 * struct graph_ret_copy - a graph exit with what follows its fields
 * @two_regs: whether there is @second
 * @ent: the exit
 * @second: the second register that the function returned
 */
struct graph_ret_copy {
	bool				two_regs;
	struct ftrace_graph_ret_entry	ent;
	u64				second;
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

/**
 * graph_call_saved - the call that an entry was copied of
 * @call: the call
 * @copy: the copy
 */
static inline void graph_call_saved(struct graph_call *call,
				    const struct graph_ent_copy *copy)
{
	call->ent = &copy->ent;
	call->size = copy->size;
}

/**
 * graph_ret_copy - copy an event before it is consumed if it is a graph exit
 * @copy: where to
 * @entry: the event
 * @size: its bytes
 *
 * Of another event only the type is copied.
 */
static inline void graph_ret_copy(struct graph_ret_copy *copy,
				  const struct trace_entry *entry,
				  unsigned int size)
{
	const struct ftrace_graph_ret_entry *ent = (const void *)entry;

	copy->ent.ent.type = entry->type;
	if (entry->type != TRACE_GRAPH_RET)
		return;
	copy->ent = *ent;
	copy->two_regs = size >= sizeof(*ent) + sizeof(copy->second);
	copy->second = copy->two_regs ? get_unaligned((const u64 *)(ent + 1)) : 0;
}

#ifdef CONFIG_FUNCTION_ARG_SIGS

/*
 * The task's variable counts its calls under way whose second register is to be
 * recorded, above the bits of trace.h: mostly there is none, and no need to look
 * for data that was reserved at the call's entry.
 */
#define GRAPH_SECOND_CALL	BIT(16)

int trace_graph_record_uncommon(struct trace_array *tr,
				struct ftrace_graph_ent *trace,
				unsigned int trace_ctx,
				struct ftrace_regs *fregs, u32 ref,
				const struct arg_sig_module_slot *slot);
void trace_graph_keep_second(struct trace_array *tr);
void trace_graph_return_second(struct trace_array *tr,
			       struct ftrace_graph_ret *trace,
			       unsigned int trace_ctx,
			       struct ftrace_regs *fregs);

/* With @nr longs in their order, and the number of a set if there is one */
static __always_inline int
graph_record_in_order(struct trace_array *tr, struct ftrace_graph_ent *trace,
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
	capture_in_order(entry->args, nr, fregs);
	trace_buffer_unlock_commit_nostack(buffer, event);

	return 1;
}

/* Whether more has to be done than to copy longs in their order */
static __always_inline bool graph_is_uncommon(u32 ref, struct ftrace_regs *fregs)
{
	if (likely(fregs && !(ref & ARG_SIG_REF_UNCOMMON)))
		return false;
	return ref & ARG_SIG_REF_TWO_REGS || !can_capture_in_order(ref, fregs);
}

/**
 * trace_graph_record_args - record a graph entry with its arguments
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * Nearly all functions have their arguments in registers and then on the stack,
 * in the order of the ABI. Those are done here, without a call of our own.
 *
 * Any context, NMI too, with preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
static __always_inline int
trace_graph_record_args(struct trace_array *tr, struct ftrace_graph_ent *trace,
			unsigned int trace_ctx, struct ftrace_regs *fregs)
{
	const struct arg_sig_module_slot *slot = NULL;
	u32 ref = 0;

	if (likely(arg_sig_called_in_image(trace->func))) {
		ref = arg_sig_find_image(trace->func);
		if (unlikely(graph_is_uncommon(ref, fregs)))
			goto uncommon;
		return graph_record_in_order(tr, trace, trace_ctx, fregs,
					     ref & ARG_SIG_REF_LONGS, NULL);
	}

	slot = arg_sig_find_module(trace->func);
	if (unlikely(!slot))
		goto uncommon;
	ref = slot->ref;
	if (unlikely(graph_is_uncommon(ref, fregs)))
		goto uncommon;
	return graph_record_in_order(tr, trace, trace_ctx, fregs,
				     ref & ARG_SIG_REF_LONGS, &slot->id);
uncommon:
	return trace_graph_record_uncommon(tr, trace, trace_ctx, fregs, ref,
					   slot);
}

/**
 * trace_graph_want_second - have a call's second register recorded
 * @tr: the trace instance
 * @func: the function that was entered, and whose entry was recorded
 *
 * Has an effect for functions only that return two registers. In the entry
 * callback.
 */
static __always_inline void trace_graph_want_second(struct trace_array *tr,
						    unsigned long func)
{
	const struct arg_sig_module_slot *slot;
	u32 ref = 0;

	if (likely(arg_sig_called_in_image(func))) {
		ref = arg_sig_find_image(func);
	} else {
		slot = arg_sig_find_module(func);
		if (slot)
			ref = slot->ref;
	}
	if (unlikely(ref & ARG_SIG_REF_TWO_REGS))
		trace_graph_keep_second(tr);
}

/**
 * trace_graph_wants_second - whether a call's second register is to be recorded
 * @gops: the tracer's ops
 * @task_var: the task's variable for it
 * @fregs: the registers at the function's return
 *
 * In the return callback.
 */
static __always_inline bool trace_graph_wants_second(struct fgraph_ops *gops,
						     unsigned long task_var,
						     struct ftrace_regs *fregs)
{
	if (likely(task_var < GRAPH_SECOND_CALL))
		return false;
	return fgraph_retrieve_data(gops->idx, NULL) && fregs;
}

u32 graph_call_set(const struct graph_call *call);
void print_graph_args_nested(struct trace_iterator *iter,
			     const struct graph_call *call, u32 flags);
void print_graph_args_leaf(struct trace_iterator *iter,
			   const struct graph_call *call,
			   const struct graph_ret_copy *ret, u32 flags);
void print_graph_args_close(struct trace_iterator *iter, u32 set,
			    const struct graph_ret_copy *ret, bool lost,
			    u32 flags);
void print_function_args(struct trace_iterator *iter, unsigned long func,
			 const void *tail, unsigned int size, int sym_flags);

#else

static inline int trace_graph_record_args(struct trace_array *tr,
					  struct ftrace_graph_ent *trace,
					  unsigned int trace_ctx,
					  struct ftrace_regs *fregs)
{
	return 0;
}

static inline void trace_graph_want_second(struct trace_array *tr,
					   unsigned long func)
{
}

static inline bool trace_graph_wants_second(struct fgraph_ops *gops,
					    unsigned long task_var,
					    struct ftrace_regs *fregs)
{
	return false;
}

static inline void trace_graph_return_second(struct trace_array *tr,
					     struct ftrace_graph_ret *trace,
					     unsigned int trace_ctx,
					     struct ftrace_regs *fregs)
{
}

static inline u32 graph_call_set(const struct graph_call *call)
{
	return 0;
}

static inline void print_graph_args_nested(struct trace_iterator *iter,
					   const struct graph_call *call,
					   u32 flags)
{
}

static inline void print_graph_args_leaf(struct trace_iterator *iter,
					 const struct graph_call *call,
					 const struct graph_ret_copy *ret,
					 u32 flags)
{
}

static inline void print_graph_args_close(struct trace_iterator *iter, u32 set,
					  const struct graph_ret_copy *ret,
					  bool lost, u32 flags)
{
}

static inline void print_function_args(struct trace_iterator *iter,
				       unsigned long func, const void *tail,
				       unsigned int size, int sym_flags)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_GRAPH_ARGS_H */
