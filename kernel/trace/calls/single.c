// SPDX-License-Identifier: GPL-2.0
/*
 * One event for a call in the function_graph tracer
 *
 * A call that has not returned has no event.  When recording is switched off by
 * tracing_on, the open calls of all tasks are written, those of a task with the outermost
 * call first.  tracing_off() and a dump write the open calls of the current task only, because
 * other tasks cannot be held in any context.  The calls of a task that exits are written
 * when the task is freed.
 */
#include <linux/ftrace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/trace_clock.h>
#include <linux/unaligned.h>
#include <linux/wait.h>

#include <trace/events/sched.h>

#include "../trace.h"
#include "../args/print.h"
#include "single.h"

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
	const u64 *tail = (const u64 *)(ent + 1);
	unsigned int room = ((ent->flags & GRAPH_CALL_TIMES ? 2 : 0) +
			     !!(ent->flags & GRAPH_CALL_NUMBER) +
			     !!(ent->flags & GRAPH_CALL_SECOND)) * sizeof(u64);

	/* A damaged event may be shorter than its fields */
	size = max_t(unsigned int, size, sizeof(*ent)) - sizeof(*ent);
	*call = (struct graph_single){
		.ent = ent, .duration = ent->length, .nr_regs = 1, .regs = { ent->retval },
		.tail = tail, .size = size,
	};
	if (size < room)
		return;
	if (ent->flags & GRAPH_CALL_TIMES) {
		call->duration = get_unaligned(tail + 1) - get_unaligned(tail);
		tail += 2;
	}
	if (ent->flags & GRAPH_CALL_NUMBER)
		tail++;
	if (ent->flags & GRAPH_CALL_SECOND)
		call->regs[call->nr_regs++] = get_unaligned(tail++);
	call->tail = tail;
	call->size = size - room;
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
		return trace_args_print_ret(iter, &ret, " = ", false, "");
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
 * trace_graph_single_write_times - write the event of a kept call with its times
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
void trace_graph_single_write_times(struct trace_array *tr, const struct kept_call *call,
				    unsigned long retval, u64 rettime, unsigned int flags,
				    struct ftrace_regs *fregs, unsigned int trace_ctx,
				    const struct task_struct *task,
				    const struct graph_single_results *results)
{
	graph_single_write(tr, call, retval, rettime, flags, fregs, trace_ctx, task, results,
			   true);
}

/**
 * trace_graph_single_write_results - write the event of a kept call with its results
 * @tr: the trace instance
 * @call: the call
 * @retval: the function's return value
 * @rettime: when the function returned, from trace_clock_local()
 * @slept: the time that the task has slept meanwhile, if it does not count
 * @fregs: the registers at the return if the second register is wanted, or NULL
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @results: the data that the entry has kept for the return, with @known set
 *
 * Called in the task and the context of the call, with preemption disabled.
 */
void trace_graph_single_write_results(struct trace_array *tr,
				      const struct kept_call *call,
				      unsigned long retval, u64 rettime, u64 slept,
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
	trace_graph_single_write(tr, call, retval, rettime, slept, fregs, trace_ctx,
				 size ? &tail : NULL);
}

/* Write a call that has not returned. @task is NULL for the current task */
static void write_open(struct trace_array *tr, struct kept_call *call,
		       const struct task_struct *task)
{
	if (call->state.written != KEPT_WRITTEN || READ_ONCE(call->state.returning))
		return;
	trace_graph_single_write_times(tr, call, 0, trace_clock_local(), GRAPH_CALL_OPEN, NULL,
				       tracing_gen_ctx(), task, NULL);
	/* The call may return before recording is off, and must not be written again */
	call->state.written = KEPT_DRAINED;
}

/*
 * Write the open calls of the current task, or of a task that does not run meanwhile. Calls
 * of the context level @above and of higher levels are left out, because they belong to the
 * code that drains. Preemption is disabled.
 */
static void drain_task(struct trace_array *tr, struct task_struct *task, unsigned int above)
{
	int pos = READ_ONCE(task->curr_ret_stack);
	struct kept_call *call, *first = NULL;

	if (!tr->graph_single)
		return;
	while ((call = kept_prev(tr, task, &pos))) {
		call->above = first;
		first = call;
	}
	if (first && task != current)
		tracing_record_cmdline(task);
	for (call = first; call; call = call->above) {
		if (call->state.level < above)
			write_open(tr, call, task == current ? NULL : task);
	}
}

/* Write the calls of a task that is gone, because they never return */
static void probe_process_free(void *data, struct task_struct *task)
{
	preempt_disable_notrace();
	drain_task(data, task, ALL_LEVELS);
	preempt_enable_notrace();
}

/**
 * trace_graph_single_start - have a call written as one event, before the tracer starts
 * @tr: the trace instance
 *
 * Return: 0, or an error if the tracer must not run.
 */
int trace_graph_single_start(struct trace_array *tr)
{
	int ret = register_trace_sched_process_free(probe_process_free, tr);

	tr->graph_single = !ret;
	return ret;
}

/**
 * trace_graph_single_stop - end what trace_graph_single_start() began
 * @tr: the trace instance, whose tracer has stopped
 */
void trace_graph_single_stop(struct trace_array *tr)
{
	if (!tr->graph_single)
		return;
	tr->graph_single = false;
	unregister_trace_sched_process_free(probe_process_free, tr);
	tracepoint_synchronize_unregister();
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
	if (on)
		return;
	preempt_disable_notrace();
	drain_task(tr, current, ALL_LEVELS);
	preempt_enable_notrace();
}

static void drain_running(void *data)
{
	drain_task(data, current, interrupt_context_level());
}

/* Called with the task's locks, so that the task neither begins nor ends to run */
static int drain_held(struct task_struct *task, void *data)
{
	if (task_curr(task))
		return -EBUSY;
	drain_task(data, task, ALL_LEVELS);
	return 0;
}

/* Write the open calls of a task. CPUs that run no task with open calls are not interrupted */
static void drain_any(struct trace_array *tr, struct task_struct *task)
{
	int tries;

	/* A task may begin or end to run between the two steps, but not forever */
	for (tries = 0; tries < 3 && READ_ONCE(task->curr_ret_stack) > 0; tries++) {
		if (task == current)
			return;
		if (!task_call_func(task, drain_held, tr))
			return;
		smp_call_function_single(task_cpu(task), drain_running, tr, 1);
	}
}

/**
 * trace_graph_single_flush - write the open calls of all tasks
 * @tr: the trace instance
 * @stop: whether recording is being switched off
 *
 * The callback flush() of struct tracer. The current task's calls are written when
 * recording goes off. The caller holds trace_types_lock.
 */
void trace_graph_single_flush(struct trace_array *tr, bool stop)
{
	struct task_struct *leader, *task;
	int cpu;

	if (!stop || !tr->graph_single)
		return;
	guard(rcu)();
	for_each_online_cpu(cpu)
		drain_any(tr, idle_task(cpu));
	for_each_process_thread(leader, task)
		drain_any(tr, task);
}
