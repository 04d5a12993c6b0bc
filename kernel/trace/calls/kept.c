// SPDX-License-Identifier: GPL-2.0
/*
 * The store of the calls that a trace instance keeps for the function_graph tracer
 */
#include <linux/ftrace.h>
#include <linux/sched/stat.h>

#include <trace/events/sched.h>

#include "../trace.h"
#include "kept.h"
#include "rules.h"

/* Drop the kept calls of a task that is gone */
static void probe_process_free(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	unsigned long *word;

	if (!trace_graph_kept_is_ready(tr))
		return;
	word = fgraph_get_var_of(task, tr->gops);
	if (!word)
		return;
	preempt_disable_notrace();
	kept_drop(tr->kept, word, task);
	preempt_enable_notrace();
}

/**
 * trace_graph_kept_start - prepare an instance before the tracer starts
 * @tr: the trace instance
 * @lost: if a call is one event, the function that writes a call that never returns; else
 *	NULL
 *
 * Return: 0, or an error if the tracer must not run.
 */
int trace_graph_kept_start(struct trace_array *tr, kept_lost_fn lost)
{
	int ret;

	if (!lost && !(tr->graph_filter && tr->graph_filter->at_return) &&
	    !(tr->graph_hist && tr->graph_hist->at_return))
		return 0;
	/* Most tasks that sleep in a call have one chunk */
	tr->kept = kept_store_alloc(clamp(2 * nr_threads +
					  64 * (int)num_possible_cpus(),
					  512, 16384));
	if (!tr->kept)
		return -ENOMEM;
	tr->kept->lost = lost;
	tr->kept->tr = tr;
	ret = register_trace_sched_process_free(probe_process_free, tr);
	if (ret) {
		kept_store_free(tr->kept);
		tr->kept = NULL;
		return ret;
	}
	tr->graph_single = lost;
	return 0;
}

/**
 * trace_graph_kept_ready - let code outside of the tracer's callbacks find kept calls
 * @tr: the trace instance
 *
 * Called after the tracer is registered, so that the variables of tasks belong to the
 * tracer.
 */
void trace_graph_kept_ready(struct trace_array *tr)
{
	/* Pairs with smp_load_acquire() in trace_graph_kept_is_ready() */
	smp_store_release(&tr->kept_ready, tr->kept);
}

/**
 * trace_graph_kept_pause - prepare an instance before the tracer stops
 * @tr: the trace instance
 */
void trace_graph_kept_pause(struct trace_array *tr)
{
	WRITE_ONCE(tr->kept_ready, false);
	if (!tr->kept)
		return;
	unregister_trace_sched_process_free(probe_process_free, tr);
	tracepoint_synchronize_unregister();
}

/**
 * trace_graph_kept_stop - free the store after the tracer has stopped
 * @tr: the trace instance
 */
void trace_graph_kept_stop(struct trace_array *tr)
{
	if (!tr->kept && !tr->graph_filter && !tr->graph_hist)
		return;
	graph_filter_wait();
	tr->graph_single = false;
	kept_store_free(tr->kept);
	tr->kept = NULL;
}
