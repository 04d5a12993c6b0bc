/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event for a call in the function_graph tracer
 *
 * With funcgraph-single the entry of a call keeps the call, and the return writes a
 * funcgraph_call event:
 *
 *   struct ftrace_graph_call_entry	the call began @length ns before the event's time
 *   u64 calltime, rettime		if %GRAPH_CALL_TIMES is set: the times of the call
 *   u64 number				if %GRAPH_CALL_NUMBER is set: see graph_number()
 *   u64 second				if %GRAPH_CALL_SECOND is set: the second register of the
 *					return
 *   arguments				see args/capture.h
 *   results, zeros, u64 size		if %GRAPH_CALL_RESULTS is set: the results of the call,
 *					one or more zeros up to a multiple of 8 bytes, and the
 *					size of these three parts
 *
 * If the shadow stack has no room, a call has the usual two events.
 */
#ifndef _TRACE_GRAPH_SINGLE_H
#define _TRACE_GRAPH_SINGLE_H

#include <linux/ftrace.h>
#include <linux/unaligned.h>

#include "../trace.h"
#include "../trace_graph_args.h"
#include "keep.h"

/*
 * The call has not returned: retval is 0, and rettime is the time when the event was
 * written
 */
#define GRAPH_CALL_OPEN		1

/* The second register that the function returned follows the fields */
#define GRAPH_CALL_SECOND	2

/* The results of the call, which are no registers, are at the end of the event */
#define GRAPH_CALL_RESULTS	4

/*
 * The event's own time is not the call's end, and @length is 0: the buffer has another clock
 * than the tracer, the duration is without the time that the task has slept, the call took
 * longer than 4.2 s, or the ring buffer could not give the event this time
 */
#define GRAPH_CALL_TIMES	8

/* The number of the CPU's next branch at the entry follows */
#define GRAPH_CALL_NUMBER	16

#ifdef CONFIG_FUNCTION_ARG_SIGS

/**
 * struct graph_single - the parts of a funcgraph_call event
 * @ent: the event
 * @duration: how long the call took in ns, without the time that the task has slept if the
 *	option says so
 * @nr_regs: number of return registers in @regs, 1 or 2
 * @regs: the return registers
 * @tail: the recorded data of the arguments
 * @size: bytes of @tail
 * @results: what the call returned besides the registers
 */
struct graph_single {
	const struct ftrace_graph_call_entry	*ent;
	u64					duration;
	unsigned int				nr_regs;
	u64					regs[2];
	const void				*tail;
	unsigned int				size;
	struct arg_longs			results;
};

#define GRAPH_SINGLE_RESULTS_WORDS \
	(DIV_ROUND_UP(CALL_RESULTS_SIZE + sizeof(u8), sizeof(u64)) + 1)

/**
 * struct graph_single_results - the results in an event
 * @size: bytes of @data
 * @data: the results in the format of the event, with their size
 */
struct graph_single_results {
	unsigned int	size;
	u64		data[GRAPH_SINGLE_RESULTS_WORDS];
};

/* Let a kept call begin that is one event; @number: see graph_put_number() */
static __always_inline void graph_single_begin(struct kept_call *call, u64 number)
{
	call->state = (struct kept_state){
		.level = interrupt_context_level(), .written = KEPT_WRITTEN,
	};
	call->number = number;
	kept_begin(call);
}

/**
 * trace_graph_single_entry - keep a call at its entry
 * @tr: the trace instance
 * @trace: the call
 * @fregs: the registers at the function's entry, or NULL; then no arguments are kept
 * @results: gets the data that the call's return needs if the arguments were captured;
 *	NULL if the return needs no data
 * @number: see graph_put_number()
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the call is kept. If not, the caller records the usual two events.
 */
static __always_inline bool
trace_graph_single_entry(struct trace_array *tr,
			 const struct ftrace_graph_ent *trace,
			 struct ftrace_regs *fregs, struct call_results *results, u64 number)
{
	struct kept_call *call = trace_graph_keep(tr, trace, fregs, results);

	if (unlikely(!call))
		return false;
	graph_single_begin(call, number);
	return true;
}

/**
 * trace_graph_single_keep - keep a call at its entry if that is easy
 * @gops: the instance's callbacks; funcgraph-args is set
 * @trace: the call
 * @fregs: the registers at the function's entry
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the call is kept. If not, the caller has to call trace_graph_single_entry().
 */
static __always_inline bool
trace_graph_single_keep(struct fgraph_ops *gops, const struct ftrace_graph_ent *trace,
			struct ftrace_regs *fregs)
{
	struct kept_call *call = kept_image(gops, trace, fregs, NULL);

	if (unlikely(!call))
		return false;
	graph_single_begin(call, 0);
	return true;
}

/**
 * trace_graph_single_take - tell whether a kept call is to be written, because it returns
 * @call: the call
 *
 * An interrupt that drains the task's calls finds the call and the callers of the call,
 * but does not write the call after this. The caller of this function writes the call unless it
 * has been written before.
 *
 * Return: true if the caller has to write the call.
 */
static __always_inline bool trace_graph_single_take(struct kept_call *call)
{
	WRITE_ONCE(call->state.returning, true);
	/* An interrupt before this has written the call, and changed its state */
	barrier();
	return likely(call->state.written == KEPT_WRITTEN);
}

/* Write the event of a kept call. With @times, the event has the times of the call */
static __always_inline bool
graph_single_write(struct trace_array *tr, const struct kept_call *call,
		   unsigned long retval, u64 rettime, unsigned int flags,
		   struct ftrace_regs *fregs, unsigned int trace_ctx,
		   const struct task_struct *task,
		   const struct graph_single_results *results, const bool times)
{
	unsigned int i, nr = call->size / sizeof(long), size = call->size;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_call_entry *entry;
	struct ring_buffer_event *event;
	u64 length = rettime - call->calltime, *tail;

	if (times) {
		flags |= GRAPH_CALL_TIMES;
		size += 2 * sizeof(u64);
	} else if (unlikely(length > U32_MAX)) {
		return false;
	}
	if (unlikely(graph_number(call->number))) {
		flags |= GRAPH_CALL_NUMBER;
		size += sizeof(u64);
	}
	if (fregs && trace_graph_returns_two(call->ent.func)) {
		flags |= GRAPH_CALL_SECOND;
		size += sizeof(u64);
	}
	if (results) {
		flags |= GRAPH_CALL_RESULTS;
		size += results->size;
	}
	event = times ? ring_buffer_lock_reserve(buffer, sizeof(*entry) + size) :
			ring_buffer_reserve_at(buffer, sizeof(*entry) + size, rettime);
	if (!event)
		return false;
	entry = graph_event_entry(event, TRACE_GRAPH_CALL, trace_ctx);
	if (task)
		entry->ent.pid = task->pid;
	entry->func = call->ent.func;
	entry->retval = retval;
	entry->length = times ? 0 : length;
	entry->depth = call->ent.depth;
	entry->flags = flags;
	tail = (u64 *)(entry + 1);
	if (times) {
		put_unaligned(call->calltime, tail++);
		put_unaligned(rettime, tail++);
	}
	if (unlikely(flags & GRAPH_CALL_NUMBER))
		put_unaligned((u64)graph_number(call->number), tail++);
	if (unlikely(flags & GRAPH_CALL_SECOND))
		put_unaligned((u64)trace_args_second_return(fregs), tail++);
	for (i = 0; i < nr; i++)
		put_unaligned((u64)call->args[i], tail + i);
	if (call->size % sizeof(long))
		put_unaligned(*(const u32 *)(call->args + nr), (u32 *)(tail + nr));
	if (results)
		memcpy((u8 *)tail + call->size, results->data, results->size);
	graph_commit(buffer);
	return true;
}

void trace_graph_single_write_times(struct trace_array *tr, const struct kept_call *call,
				    unsigned long retval, u64 rettime, unsigned int flags,
				    struct ftrace_regs *fregs, unsigned int trace_ctx,
				    const struct task_struct *task,
				    const struct graph_single_results *results);

/**
 * trace_graph_single_write - write the event of a kept call that returns
 * @tr: the trace instance
 * @call: the call
 * @retval: the function's return value
 * @rettime: when the function returned, from trace_clock_local()
 * @slept: the time that the task has slept meanwhile, if it does not count
 * @fregs: the registers at the return if the second register is wanted, or NULL
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @results: the call's results, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 */
static __always_inline void
trace_graph_single_write(struct trace_array *tr, const struct kept_call *call,
			 unsigned long retval, u64 rettime, u64 slept,
			 struct ftrace_regs *fregs, unsigned int trace_ctx,
			 const struct graph_single_results *results)
{
	if (unlikely(slept || !graph_single_write(tr, call, retval, rettime, 0, fregs,
						  trace_ctx, NULL, results, false)))
		trace_graph_single_write_times(tr, call, retval, rettime - slept, 0, fregs,
					       trace_ctx, NULL, results);
}

int trace_graph_single_start(struct trace_array *tr);
void trace_graph_single_stop(struct trace_array *tr);
void trace_graph_single_recording(struct trace_array *tr, bool on);
void trace_graph_single_flush(struct trace_array *tr, bool stop);
void graph_single_get(struct graph_single *call,
		      const struct ftrace_graph_call_entry *ent,
		      unsigned int size);
void print_graph_args_single(struct trace_iterator *iter,
			     const struct graph_single *call, u32 flags);

#else

struct graph_single_results;

/* Not called without CONFIG_FUNCTION_ARG_SIGS */
bool trace_graph_single_entry(struct trace_array *tr, const struct ftrace_graph_ent *trace,
			      struct ftrace_regs *fregs, struct call_results *results,
			      u64 number);
bool trace_graph_single_take(struct kept_call *call);
void trace_graph_single_write(struct trace_array *tr, const struct kept_call *call,
			      unsigned long retval, u64 rettime, u64 slept,
			      struct ftrace_regs *fregs, unsigned int trace_ctx,
			      const struct graph_single_results *results);
void trace_graph_single_write_times(struct trace_array *tr, const struct kept_call *call,
				    unsigned long retval, u64 rettime, unsigned int flags,
				    struct ftrace_regs *fregs, unsigned int trace_ctx,
				    const struct task_struct *task,
				    const struct graph_single_results *results);

static inline int trace_graph_single_start(struct trace_array *tr)
{
	return 0;
}

static inline void trace_graph_single_stop(struct trace_array *tr)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */

void trace_graph_single_write_results(struct trace_array *tr,
				      const struct kept_call *call,
				      unsigned long retval, u64 rettime, u64 slept,
				      struct ftrace_regs *fregs,
				      unsigned int trace_ctx,
				      const struct call_results *results);

#endif /* _TRACE_GRAPH_SINGLE_H */
