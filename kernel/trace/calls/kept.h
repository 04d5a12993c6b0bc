/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that the function_graph tracer keeps from their entry until their return
 *
 * Calls are kept for conditions that are decided at the return, for funcgraph-single, and
 * for counts by values of the return.  args/kept.h has the memory of kept calls.
 */
#ifndef _TRACE_GRAPH_KEPT_H
#define _TRACE_GRAPH_KEPT_H

#include <linux/ftrace.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../args/kept.h"

#ifdef CONFIG_FUNCTION_ARG_SIGS

int trace_graph_kept_start(struct trace_array *tr, kept_lost_fn lost);
void trace_graph_kept_ready(struct trace_array *tr);
void trace_graph_kept_pause(struct trace_array *tr);
void trace_graph_kept_stop(struct trace_array *tr);

/*
 * Whether a task's variable can be used outside of the tracer's callbacks. If the caller
 * has preemption disabled, the answer is valid until preemption is enabled.
 */
static inline bool trace_graph_kept_is_ready(struct trace_array *tr)
{
	/* Pairs with smp_store_release() in trace_graph_kept_ready() */
	return smp_load_acquire(&tr->kept_ready);
}

/**
 * trace_graph_keep - keep a call with its arguments
 * @tr: the trace instance, which has a store
 * @trace: the call
 * @word: the task's variable for the tracer
 * @fregs: the registers at the function's entry, or NULL; then no arguments are kept
 * @results: the same as in call_args_get()
 *
 * The arguments are kept if funcgraph-args is set.  The caller sets the members that
 * @trace and the arguments do not determine, and then calls kept_publish().  Any context,
 * including NMI, with preemption disabled.
 *
 * Return: the call, NULL if the store is full.
 */
static __always_inline struct kept_call *
trace_graph_keep(struct trace_array *tr, const struct ftrace_graph_ent *trace,
		 unsigned long *word, struct ftrace_regs *fregs,
		 struct call_results *results)
{
	struct call_args args __uninitialized;
	struct kept_call *call;
	bool with_args;

	with_args = tr->current_trace_flags->val & TRACE_GRAPH_ARGS;
	if (with_args)
		call_args_get(&args, tr, trace->func, fregs, results);
	else
		args.size = 0;
	call = kept_push(tr->kept, word, trace->depth, args.size,
			 interrupt_context_level());
	if (likely(call)) {
		call->ent = *trace;
		call->size = args.size;
		if (with_args)
			call_args_put(&args, call->args, fregs);
	}
	if (with_args)
		call_args_done(&args);
	return call;
}

#else

static inline int trace_graph_kept_start(struct trace_array *tr, kept_lost_fn lost)
{
	return 0;
}

static inline void trace_graph_kept_ready(struct trace_array *tr)
{
}

static inline void trace_graph_kept_pause(struct trace_array *tr)
{
}

static inline void trace_graph_kept_stop(struct trace_array *tr)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_GRAPH_KEPT_H */
