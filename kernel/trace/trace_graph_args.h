/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and typed return values in the function_graph tracer
 *
 * The arguments of a graph entry follow its fields, see args/capture.h.  Up to
 * v6.15 the entry is packed, and the arguments are not aligned.
 *
 * If funcgraph-args or funcgraph-retval is set, the fields of an exit are followed by
 *
 *   u64 second		if the function returns two registers, or if results follow: the
 *			second register
 *   results		with funcgraph-deref, what the call returned besides the
 *			registers, see ARG_READ_TEXT, with zeros up to a multiple of 8 bytes
 *   u32 set		for a function of a module: the number of the module's set of
 *			signatures
 *
 * So the size modulo 8 tells whether the number of a set is present, as in an entry.
 */
#ifndef _TRACE_GRAPH_ARGS_H
#define _TRACE_GRAPH_ARGS_H

#include <linux/ftrace.h>
#include <linux/trace_clock.h>
#include <linux/unaligned.h>

#include "trace.h"
#include "args/args.h"
#include "args/capture.h"
#include "args/print.h"

/**
 * struct graph_call - a graph entry with the words that follow its fields
 * @ent: the entry; it may have further fields after the fields of struct
 *	ftrace_graph_ent_entry
 * @tail: the words that follow the entry's fields
 * @size: bytes of @tail
 */
struct graph_call {
	const struct ftrace_graph_ent_entry	*ent;
	const void				*tail;
	unsigned int				size;
};

/**
 * struct graph_ent_copy - room for a graph entry with the words that follow its fields
 * @size: bytes of the entry
 * @ent: the entry
 * @data: the entry as bytes
 */
struct graph_ent_copy {
	unsigned int	size;
	union {
		struct ftrace_graph_ent_entry	ent;
		u8	data[FGRAPH_ENT_SIZE_MAX + FUNC_ARGS_MAX_TAIL];
	};
};

/**
 * struct graph_ret_end - what follows the fields of a graph exit without results
 * @second: the registers at the return if the second register follows, else NULL
 * @set: the number of the set, ARG_SIGS_IMAGE if none follows
 */
struct graph_ret_end {
	struct ftrace_regs	*second;
	u32			set;
};

/* Maximum bytes of results in an exit */
#define GRAPH_RESULTS_SIZE	ALIGN(CALL_RESULTS_SIZE, sizeof(u64))

/**
 * struct graph_ret_tail - the data that follows the fields of a graph exit with results
 * @size: bytes of @data
 * @data: the second register, the results and the number of the set
 */
struct graph_ret_tail {
	unsigned int	size;
	u8		data[sizeof(u64) + GRAPH_RESULTS_SIZE + sizeof(u32)] __aligned(8);
};

/**
 * struct graph_ret_copy - a graph exit with the data that follows its fields
 * @two_regs: whether @second is valid
 * @set: the number of the set, ARG_SIGS_IMAGE if the exit has none
 * @ent: the exit
 * @second: the second register that the function returned
 * @size: bytes of @results
 * @results: what the call returned besides the registers, see ARG_READ_TEXT
 */
struct graph_ret_copy {
	bool				two_regs;
	u32				set;
	struct ftrace_graph_ret_entry	ent;
	u64				second;
	unsigned int			size;
	u8				results[GRAPH_RESULTS_SIZE];
};

/**
 * graph_ent_copy - copy a graph entry before its event is consumed
 * @copy: the copy
 * @ent: the entry in the ring buffer
 * @size: the size of the event in bytes
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
 * graph_call_saved - get the call of a copied entry
 * @call: the call
 * @copy: the copy
 * @fields: bytes of the entry's fields
 */
static inline void graph_call_saved(struct graph_call *call,
				    const struct graph_ent_copy *copy,
				    unsigned int fields)
{
	call->ent = &copy->ent;
	call->tail = copy->data + fields;
	call->size = max(copy->size, fields) - fields;
}

/**
 * graph_ret_copy - copy an event before it is consumed if it is a graph exit
 * @copy: the copy
 * @entry: the event
 * @size: the size of the event in bytes
 *
 * If the event is no graph exit, only its type is copied.
 */
static inline void graph_ret_copy(struct graph_ret_copy *copy,
				  const struct trace_entry *entry,
				  unsigned int size)
{
	const struct ftrace_graph_ret_entry *ent = (const void *)entry;
	const u8 *tail = (const u8 *)(ent + 1);

	copy->ent.ent.type = entry->type;
	if (entry->type != TRACE_GRAPH_RET)
		return;
	copy->ent = *ent;
	/* A damaged event may be shorter than its fields */
	size = max_t(unsigned int, size, sizeof(*ent)) - sizeof(*ent);
	copy->set = trace_args_set(tail, size);
	copy->two_regs = size >= sizeof(copy->second);
	copy->second = copy->two_regs ? get_unaligned((const u64 *)tail) : 0;
	copy->size = 0;
	if (size < 2 * sizeof(copy->second))
		return;
	copy->size = min_t(unsigned int, round_down(size, 8) - sizeof(copy->second),
			   sizeof(copy->results));
	memcpy(copy->results, tail + sizeof(copy->second), copy->size);
}

#ifdef CONFIG_BTS_TRACER
#include <linux/bts_trace.h>
#else
static inline bool bts_graph_numbered(void)
{
	return false;
}

static inline u64 bts_graph_number(void)
{
	return 0;
}
#endif

/*
 * The number of the next branch of a CPU, for a reader that puts branches into calls. An
 * entry event and an exit event have the number at the begin of the tracer's callback.
 * A call's event that is written at the return has the number of the entry. 0 is no number.
 * An entry event of a kept call is late: events of its callees may be before it.
 */
#if defined(CONFIG_BTS_TRACER) && defined(FGRAPH_NUMBER)
static inline u64 graph_late_number(u64 number)
{
	return number ? number | BTS_NUMBER_LATE : 0;
}

#define graph_number(val)			(val)
#define graph_put_number(entry, val)		((entry)->number = (val))
#define graph_put_late_number(entry, val)	graph_put_number(entry, graph_late_number(val))
#else
#define graph_number(val)			((void)(val), 0)
#define graph_put_number(entry, val)		((void)(entry), (void)(val))
#define graph_put_late_number(entry, val)	graph_put_number(entry, val)
#endif

/* The return value of a function, 0 without CONFIG_FUNCTION_GRAPH_RETVAL */
static inline unsigned long graph_retval(const struct ftrace_graph_ret *trace)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	return trace->retval;
#else
	return 0;
#endif
}

/**
 * graph_event_entry - find the data of an event, and set what all events have
 * @event: the event, from ring_buffer_lock_reserve()
 * @type: the event's type
 * @trace_ctx: context flags, from tracing_gen_ctx()
 *
 * Return: the entry.
 */
static __always_inline void *graph_event_entry(struct ring_buffer_event *event,
					       unsigned short type, unsigned int trace_ctx)
{
	struct trace_entry *entry = (void *)event->array;

	/* Does the same as ring_buffer_event_data() for nearly all events */
	if (unlikely(event->type_len - 1U >= RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
		entry = ring_buffer_event_data(event);
	tracing_generic_entry_update(entry, type, trace_ctx);
	return entry;
}

/**
 * graph_reserve_at - reserve an event whose time the tracer has read
 * @buffer: the buffer
 * @type: the event's type
 * @size: the size of the event's entry in bytes
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @ts: the time, from trace_clock_local()
 *
 * If the event cannot have this time, its time is a later one. Any context, including NMI, with
 * preemption disabled since the time was read.
 *
 * Return: the entry, NULL if there is no room or recording is off.
 */
static __always_inline void *
graph_reserve_at(struct trace_buffer *buffer, unsigned short type,
		 unsigned int size, unsigned int trace_ctx, u64 ts)
{
	struct ring_buffer_event *event = ring_buffer_reserve_at(buffer, size, ts);

	if (unlikely(!event))
		event = ring_buffer_lock_reserve(buffer, size);
	return event ? graph_event_entry(event, type, trace_ctx) : NULL;
}

/**
 * graph_reserve - reserve an event, and find its data once
 * @buffer: the buffer
 * @type: the event's type
 * @size: the size of the event's entry in bytes
 * @trace_ctx: context flags, from tracing_gen_ctx()
 *
 * Does the same as trace_buffer_lock_reserve(). Any context, including NMI, with preemption
 * disabled.
 *
 * Return: the entry, NULL if there is no room or recording is off.
 */
static __always_inline void *
graph_reserve(struct trace_buffer *buffer, unsigned short type,
	      unsigned int size, unsigned int trace_ctx)
{
	return graph_reserve_at(buffer, type, size, trace_ctx, trace_clock_local());
}

/**
 * graph_commit - commit an event of graph_reserve()
 * @buffer: the buffer
 *
 * Does the same as trace_buffer_unlock_commit_nostack(), for an event that is not in
 * trace_buffered_event waiting for a filter. Called in the context that called
 * graph_reserve().
 */
static __always_inline void graph_commit(struct trace_buffer *buffer)
{
	__this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(buffer);
}

#if defined(CONFIG_FUNCTION_GRAPH_TRACER) && defined(FGRAPH_NUMBER)
void graph_update_numbered(void);
#else
static inline void graph_update_numbered(void)
{
}
#endif

#ifdef CONFIG_FUNCTION_ARG_SIGS

int trace_graph_record_captured(struct trace_array *tr,
				struct ftrace_graph_ent *trace,
				unsigned int trace_ctx,
				struct ftrace_regs *fregs, u32 ref,
				const struct arg_sig_module_slot *slot, u64 number, u64 ts);

/* Record the longs of capture_direct(), and the set of the module if the function has one */
static __always_inline int
graph_record_direct(struct trace_array *tr, struct ftrace_graph_ent *trace,
		    unsigned int trace_ctx, struct ftrace_regs *fregs,
		    u32 ref, const struct arg_sig_module_slot *slot, u64 number, u64 ts)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int nr = arg_sig_ref_longs(ref);
	struct ftrace_graph_ent_entry *entry;

	entry = graph_reserve_at(buffer, TRACE_GRAPH_ENT,
				 sizeof(*entry) + nr * sizeof(long) +
				 (slot ? sizeof(slot->id) : 0), trace_ctx, ts);
	if (!entry)
		return 0;
	entry->graph_ent = *trace;
	graph_put_number(entry, number);
	if (slot)
		put_unaligned(slot->id, (u32 *)(entry->args + nr));
	capture_direct(entry->args, ref, slot ? slot->text : __start_arg_sigs_str,
		       fregs);
	graph_commit(buffer);

	return 1;
}

/*
 * Do the same as graph_record_direct(), with separate code for each kind. If the kinds share
 * the code, the callback is 360 bytes shorter, but a call takes 10 instructions more.
 */
static __always_inline int
graph_record_kind(struct trace_array *tr, struct ftrace_graph_ent *trace,
		  unsigned int trace_ctx, struct ftrace_regs *fregs, u32 ref,
		  const struct arg_sig_module_slot *slot, u64 number, u64 ts)
{
	u32 rest = ref & ~ARG_SIG_REF_KIND;

	switch (ref & ARG_SIG_REF_KIND) {
	case ARG_SIG_REF_LIST:
		if (unlikely(!capture_stack_is_near(fregs)))
			break;
		return graph_record_direct(tr, trace, trace_ctx, fregs,
					   rest | ARG_SIG_REF_LIST, slot, number, ts);
	case ARG_SIG_REF_STACK:
		if (unlikely(!capture_stack_is_near(fregs)))
			break;
		return graph_record_direct(tr, trace, trace_ctx, fregs,
					   rest | ARG_SIG_REF_STACK, slot, number, ts);
	case ARG_SIG_REF_FIELDS:
		if (unlikely(!capture_fields_are_task(fregs)))
			break;
		return graph_record_direct(tr, trace, trace_ctx, fregs,
					   rest | ARG_SIG_REF_FIELDS, slot, number, ts);
	default:
		return graph_record_direct(tr, trace, trace_ctx, fregs,
					   rest | ARG_SIG_REF_REGS, slot, number, ts);
	}
	return trace_graph_record_captured(tr, trace, trace_ctx, fregs, ref, slot, number, ts);
}

/**
 * trace_graph_record_args - record a graph entry with its arguments
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry, or NULL; then no arguments are recorded
 * @number: see graph_put_number()
 * @ts: the time of the event, from trace_clock_local()
 *
 * Nearly all functions have their arguments in registers, in the order of the ABI. The
 * calls of these functions are recorded after as few checks as possible.
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
static __always_inline int
trace_graph_record_args(struct trace_array *tr, struct ftrace_graph_ent *trace,
			unsigned int trace_ctx, struct ftrace_regs *fregs, u64 number,
			u64 ts)
{
	const struct func_args_want *want = &tr->func_args;
	const struct arg_sig_module_slot *slot = NULL;
	u32 ref = 0;

	if (likely(arg_sig_called_in_image(trace->func))) {
		ref = arg_sig_find_image(trace->func);
		if (likely(fregs && !(ref & READ_ONCE(want->not_regs))))
			return graph_record_direct(tr, trace, trace_ctx, fregs,
						   ref & ARG_SIG_REF_NR, NULL, number, ts);
	} else {
		slot = arg_sig_find_module(trace->func);
		if (unlikely(!slot))
			goto record;
		ref = slot->ref;
		if (likely(fregs && !(ref & READ_ONCE(want->not_regs))))
			return graph_record_direct(tr, trace, trace_ctx, fregs,
						   ref & ARG_SIG_REF_NR, slot, number, ts);
	}
record:
	if (unlikely(!fregs || ref & READ_ONCE(want->not_direct)))
		return trace_graph_record_captured(tr, trace, trace_ctx, fregs, ref, slot,
						   number, ts);
	return graph_record_kind(tr, trace, trace_ctx, fregs, ref, slot, number, ts);
}

/**
 * trace_graph_has_results - tell whether a call's return reads more than the registers
 * @func: the address that ftrace knows the function by
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: true if so, false otherwise.
 */
static __always_inline bool trace_graph_has_results(unsigned long func)
{
	const struct arg_sig_module_slot *slot;

	return arg_sig_find_called(func, &slot) & ARG_SIG_REF_RESULTS;
}

/**
 * trace_graph_returns_two - tell whether a function returns two registers
 * @func: the address that ftrace knows the function by
 *
 * For nearly all functions one bit is the answer, because few functions return two
 * registers.
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: true if so, false otherwise.
 */
static __always_inline bool trace_graph_returns_two(unsigned long func)
{
	return unlikely(arg_sig_may_return_two(func)) && arg_sig_returns_two(func);
}

/**
 * graph_ret_end_get - find what follows the fields of an exit without results
 * @end: set to it
 * @func: the address that ftrace knows the function by
 * @fregs: the registers at the function's return, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: false if nothing follows.
 */
static __always_inline bool graph_ret_end_get(struct graph_ret_end *end, unsigned long func,
					      struct ftrace_regs *fregs)
{
	end->second = trace_graph_returns_two(func) ? fregs : NULL;
	end->set = arg_sig_called_set(func);
	return end->second || end->set != ARG_SIGS_IMAGE;
}

static __always_inline unsigned int graph_ret_end_size(const struct graph_ret_end *end)
{
	return (end->second ? sizeof(u64) : 0) +
	       (end->set != ARG_SIGS_IMAGE ? sizeof(end->set) : 0);
}

/* Write what follows the fields of an exit to @pos */
static __always_inline void graph_ret_end_put(void *pos, const struct graph_ret_end *end)
{
	if (end->second) {
		put_unaligned((u64)trace_args_second_return(end->second), (u64 *)pos);
		pos += sizeof(u64);
	}
	if (end->set != ARG_SIGS_IMAGE)
		put_unaligned(end->set, (u32 *)pos);
}

#else

/* Not called without CONFIG_FUNCTION_ARG_SIGS */
int trace_graph_record_args(struct trace_array *tr, struct ftrace_graph_ent *trace,
			    unsigned int trace_ctx, struct ftrace_regs *fregs, u64 number,
			    u64 ts);
bool trace_graph_has_results(unsigned long func);
unsigned int graph_ret_end_size(const struct graph_ret_end *end);
void graph_ret_end_put(void *pos, const struct graph_ret_end *end);

static inline bool graph_ret_end_get(struct graph_ret_end *end, unsigned long func,
				     struct ftrace_regs *fregs)
{
	return false;
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */

int trace_graph_record_results(struct trace_array *tr,
			       struct ftrace_graph_ent *trace,
			       unsigned int trace_ctx,
			       struct ftrace_regs *fregs,
			       struct call_results *results, u64 number, u64 ts);
bool graph_ret_tail_get(struct graph_ret_tail *tail, const struct ftrace_graph_ret *trace,
			const struct call_results *results, struct ftrace_regs *fregs);
void print_graph_args_call(struct trace_iterator *iter,
			   const struct graph_call *call, u32 flags);
void print_graph_args_leaf(struct trace_iterator *iter, const struct graph_call *call,
			   const struct graph_ret_copy *ret, u32 flags);
bool print_graph_args_ret(struct trace_iterator *iter, const struct graph_ret_copy *ret,
			  const char *before, u32 flags);
void print_graph_args_close(struct trace_iterator *iter,
			    const struct graph_ret_copy *ret, bool lost, u32 flags);

#endif /* _TRACE_GRAPH_ARGS_H */
