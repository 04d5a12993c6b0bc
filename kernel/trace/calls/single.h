/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event for a call in the function_graph tracer
 *
 * With funcgraph-single the entry of a call keeps the call, and the return writes a
 * funcgraph_call event.  The event has struct ftrace_graph_call_entry, then 8 bytes with
 * the second register of the return if %GRAPH_CALL_SECOND is set, then the arguments, see
 * args/capture.h.  If %GRAPH_CALL_RESULTS is set, the results of the call follow:
 * the values, one or more zeros up to a multiple of 8 bytes, and 8 bytes with the size of
 * the results including these 8 bytes.  If the shadow stack has no room, a call has
 * the usual two events.
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

#ifdef CONFIG_FUNCTION_ARG_SIGS

/**
 * struct graph_single - the parts of a funcgraph_call event
 * @ent: the event
 * @nr_regs: number of return registers in @regs, 1 or 2
 * @regs: the return registers
 * @tail: the recorded data of the arguments
 * @size: bytes of @tail
 * @results: what the call returned besides the registers
 */
struct graph_single {
	const struct ftrace_graph_call_entry	*ent;
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
	call->written = KEPT_WRITTEN;
	call->number = number;
	kept_begin(call);
	return true;
}

/**
 * trace_graph_single_find - find the kept call of a function that returns
 * @tr: the trace instance
 *
 * An interrupt that drains the task's calls finds the call and the callers of the call,
 * but does not write the call. The caller of this function writes the call unless it has
 * been written before.
 *
 * Return: the call. NULL if the call is not kept, because its entry was recorded as an
 * event.
 */
static __always_inline struct kept_call *trace_graph_single_find(struct trace_array *tr)
{
	struct kept_call *call = kept_find(tr);

	if (likely(call)) {
		WRITE_ONCE(call->returning, true);
		/* An interrupt before this has written the call, and changed its state */
		barrier();
	}
	return call;
}

/**
 * trace_graph_single_write - write the event of a kept call
 * @tr: the trace instance
 * @call: the call
 * @retval: the function's return value
 * @rettime: when the function returned, or the call's begin plus its duration
 * @flags: GRAPH_CALL_OPEN or 0
 * @fregs: the registers at the return if the second register is wanted, or NULL
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @task: the task that made the call, NULL for the current task
 * @results: the call's results, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 */
static __always_inline void
trace_graph_single_write(struct trace_array *tr, const struct kept_call *call,
			 unsigned long retval, u64 rettime,
			 unsigned int flags, struct ftrace_regs *fregs,
			 unsigned int trace_ctx, const struct task_struct *task,
			 const struct graph_single_results *results)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int i, nr = call->size / sizeof(long);
	struct ftrace_graph_call_entry *entry;
	unsigned long *tail;
	u64 second = 0;

	if (results)
		flags |= GRAPH_CALL_RESULTS;
	if (fregs && trace_graph_returns_two(call->ent.func)) {
		second = trace_args_second_return(fregs);
		flags |= GRAPH_CALL_SECOND;
	}
	entry = graph_reserve(buffer, TRACE_GRAPH_CALL, sizeof(*entry) +
			      (flags & GRAPH_CALL_SECOND ? sizeof(second) : 0) +
			      call->size + (results ? results->size : 0), trace_ctx);
	if (!entry)
		return;
	if (task)
		entry->ent.pid = task->pid;
	entry->func = call->ent.func;
	entry->retval = retval;
	entry->calltime = call->calltime;
	entry->rettime = rettime;
	entry->depth = call->ent.depth;
	entry->flags = flags;
	graph_put_number(entry, call->number);
	tail = (unsigned long *)(entry + 1);
	if (flags & GRAPH_CALL_SECOND)
		put_unaligned(second, tail++);
	for (i = 0; i < nr; i++)
		put_unaligned(call->args[i], tail + i);
	if (call->size % sizeof(long))
		put_unaligned(*(const u32 *)(call->args + nr), (u32 *)(tail + nr));
	if (results)
		memcpy((u8 *)tail + call->size, results->data, results->size);
	graph_commit(buffer);
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
struct kept_call *trace_graph_single_find(struct trace_array *tr);
void trace_graph_single_write(struct trace_array *tr, const struct kept_call *call,
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
				      unsigned long retval, u64 rettime,
				      struct ftrace_regs *fregs,
				      unsigned int trace_ctx,
				      const struct call_results *results);

#endif /* _TRACE_GRAPH_SINGLE_H */
