// SPDX-License-Identifier: GPL-2.0
/*
 * One event for a call in the function_graph tracer
 *
 * A call that has not returned has no event.  When recording is switched off, or when the
 * trace is dumped, the open calls of the running tasks are written, the outermost call
 * first.  The calls of a task that does not run are only counted, because the task
 * may be about to run and to change its calls.  The calls of a task that exits are
 * written when the task is freed.
 */
#include <linux/ftrace.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>
#include <linux/unaligned.h>

#include "../trace.h"
#include "../args/print.h"
#include "single.h"

/**
 * trace_graph_single_keep - keep a call of any function
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @fregs: the registers at the function's entry, or NULL; then no arguments are kept
 * @results: the same as in trace_graph_keep()
 *
 * Does the same as trace_graph_keep(), but is not inline.
 *
 * Return: the call, NULL if the store is full.
 */
struct kept_call *trace_graph_single_keep(struct trace_array *tr,
					  const struct ftrace_graph_ent *trace,
					  unsigned long *word,
					  struct ftrace_regs *fregs,
					  struct call_results *results)
{
	return trace_graph_keep(tr, trace, word, fregs, results);
}

/* Larger than any level that interrupt_context_level() returns */
#define ALL_LEVELS	4

/* Find the results, which are at the end of the event */
static void get_results(struct graph_single *call)
{
	u64 all;

	if (call->size < sizeof(all))
		return;
	all = get_unaligned((const u64 *)(call->tail + call->size) - 1);
	if (all < sizeof(all) || all > call->size)
		return;
	call->size -= all;
	call->results.data = call->tail + call->size;
	call->results.size = all - sizeof(all);
}

/**
 * graph_single_get - parse a funcgraph_call event
 * @call: set to the parts of the event
 * @ent: the event
 * @size: the size of the event in bytes
 */
void graph_single_get(struct graph_single *call,
		      const struct ftrace_graph_call_entry *ent,
		      unsigned int size)
{
	const u64 *second = (const u64 *)(ent + 1);

	/* A damaged event may be shorter than its fields */
	size = max_t(unsigned int, size, sizeof(*ent)) - sizeof(*ent);
	call->ent = ent;
	call->nr_regs = 1;
	call->regs[0] = ent->retval;
	call->tail = second;
	if (ent->flags & GRAPH_CALL_SECOND && size >= sizeof(*second)) {
		call->nr_regs = 2;
		call->regs[1] = get_unaligned(second);
		call->tail = second + 1;
		size -= sizeof(*second);
	}
	call->size = size;
	call->results.size = 0;
	if (ent->flags & GRAPH_CALL_RESULTS)
		get_results(call);
}

/* Print " = " and the return value; returns false if the option is not set or for void */
static bool print_retval(struct trace_iterator *iter,
			 const struct graph_single *call, u32 set, u32 flags)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	struct trace_args_ret ret = {
		.func = call->ent->func,
		.set = set,
		.regs = call->regs,
		.nr_regs = call->nr_regs,
		.results = call->results,
		.hex = flags & TRACE_GRAPH_PRINT_RETVAL_HEX,
	};

	if (flags & TRACE_GRAPH_PRINT_RETVAL)
		return trace_args_print_retval(iter, &ret, " = ");
#endif
	return false;
}

/**
 * print_graph_args_single - print a call with its arguments and its return value
 * @iter: the reader
 * @call: the call
 * @flags: the tracer's options
 *
 * Any context.
 */
void print_graph_args_single(struct trace_iterator *iter,
			     const struct graph_single *call, u32 flags)
{
	u32 set = trace_args_set(call->tail, call->size);
	unsigned long func = call->ent->func;
	struct trace_seq *s = &iter->seq;

	trace_args_print_func(iter, func, set);
	if (flags & TRACE_GRAPH_ARGS)
		trace_args_print_args(iter, func, set, call->tail, call->size);
	else
		trace_seq_puts(s, "()");
	if (call->ent->flags & GRAPH_CALL_OPEN)
		trace_seq_puts(s, " ...");
	else if (!print_retval(iter, call, set, flags))
		trace_seq_putc(s, ';');
}

/**
 * trace_graph_single_write_results - write the event of a kept call with its results
 * @tr: the trace instance
 * @call: the call
 * @retval: the function's return value
 * @rettime: when the function returned, or the call's begin plus its duration
 * @fregs: the registers at the return if the second register is wanted, or NULL
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @results: the data that the entry has kept for the return, with @known set
 *
 * Called in the task and the context of the call, with preemption disabled.
 */
void trace_graph_single_write_results(struct trace_array *tr,
				      const struct kept_call *call,
				      unsigned long retval, u64 rettime,
				      struct ftrace_regs *fregs,
				      unsigned int trace_ctx,
				      const struct call_results *results)
{
	struct graph_single_results tail __uninitialized;
	unsigned int size;

	size = call_results_put((u8 *)tail.data, results, retval);
	if (size) {
		tail.size = ALIGN(size + sizeof(u8), sizeof(u64)) + sizeof(u64);
		memset((u8 *)tail.data + size, 0, tail.size - sizeof(u64) - size);
		tail.data[tail.size / sizeof(u64) - 1] = tail.size;
	}
	trace_graph_single_write(tr, call, retval, rettime, 0, fregs, trace_ctx,
				 NULL, size ? &tail : NULL);
}

/**
 * trace_graph_single_lost - write a call that has not returned
 * @tr: the trace instance
 * @call: the call
 * @task: the task, which does not run any more; NULL for the current task
 *
 * Any context, with preemption disabled.
 */
void trace_graph_single_lost(struct trace_array *tr, struct kept_call *call,
			     const struct task_struct *task)
{
	if (call->written != KEPT_WRITTEN || READ_ONCE(call->returning))
		return;
	trace_graph_single_write(tr, call, 0, trace_clock_local(),
				 GRAPH_CALL_OPEN, NULL, tracing_gen_ctx(), task,
				 NULL);
	/* The call may return before recording is off, and must not be written again */
	call->written = KEPT_DRAINED;
}

/*
 * Write the calls of the current task that are under way. Calls of the context level
 * @above and of higher levels are left out, because they belong to the code that drains.
 */
static void drain_current(struct trace_array *tr, unsigned int above)
{
	unsigned long *word = fgraph_get_var_of(current, tr->gops);
	struct kept_call *call;

	call = word ? kept_first(tr->kept, word) : NULL;
	for (; call; call = call->above) {
		if (call->level < above)
			trace_graph_single_lost(tr, call, NULL);
	}
}

/* Preemption is disabled, so that trace_graph_kept_stop() waits for a CPU that drains */
static void drain_this_cpu(struct trace_array *tr, unsigned int above)
{
	preempt_disable_notrace();
	if (trace_graph_kept_is_ready(tr) && tr->graph_single)
		drain_current(tr, above);
	preempt_enable_notrace();
}

/**
 * trace_graph_single_recording - write the current task's open calls when recording stops
 * @tr: the trace instance
 * @on: whether recording is switched on; then there is nothing to do
 *
 * The callback recording() of struct tracer.
 */
void trace_graph_single_recording(struct trace_array *tr, bool on)
{
	if (!on)
		drain_this_cpu(tr, ALL_LEVELS);
}

static void drain_other_cpu(void *data)
{
	drain_this_cpu(data, interrupt_context_level());
}

/*
 * trace_printk() is not used, because its buffers exist only if other code uses
 * trace_printk()
 */
static void print_count(struct trace_array *tr, unsigned int nr)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct print_entry *entry;
	char text[80];
	int len;

	len = scnprintf(text, sizeof(text),
			"%u calls of tasks that do not run have not returned\n",
			nr);
	entry = graph_reserve(buffer, TRACE_PRINT, sizeof(*entry) + len + 1,
			      tracing_gen_ctx());
	if (!entry)
		return;
	entry->ip = _THIS_IP_;
	memcpy(entry->buf, text, len + 1);
	graph_commit(buffer);
}

/**
 * trace_graph_single_flush - write the open calls of the running tasks
 * @tr: the trace instance
 * @stop: whether recording is being switched off
 *
 * The callback flush() of struct tracer. The caller holds trace_types_lock.
 */
void trace_graph_single_flush(struct trace_array *tr, bool stop)
{
	unsigned int nr;

	if (!stop || !tr->graph_single)
		return;
	preempt_disable_notrace();
	smp_call_function(drain_other_cpu, tr, 1);
	drain_this_cpu(tr, ALL_LEVELS);
	preempt_enable_notrace();
	nr = kept_count(tr->kept);
	if (nr)
		print_count(tr, nr);
}
