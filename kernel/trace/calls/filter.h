/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions on arguments and returns in the function_graph tracer
 *
 * set_graph_filter has lines "GLOB: CONDITION".  A condition that names only parameters
 * is decided at the entry: the call and its callees are written like calls without
 * conditions.  A condition on the return, the duration or an error is decided at the
 * return.  The call is kept until then, see calls/keep.h.
 */
#ifndef _TRACE_GRAPH_FILTER_H
#define _TRACE_GRAPH_FILTER_H

#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/types.h>

#include "../trace_graph_args.h"
#include "keep.h"
#include "lines.h"

struct call_results;
struct trace_array;

#ifdef CONFIG_FUNCTION_ARG_SIGS

/* The bits of the task's variable with the depth plus 1 of the call that met a condition */
#define GRAPH_REGION_SHIFT	16
#define GRAPH_REGION_MASK	0xffffUL

static __always_inline unsigned int graph_region(unsigned long word)
{
	return word >> GRAPH_REGION_SHIFT & GRAPH_REGION_MASK;
}

static __always_inline void graph_count_seen(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->seen);
}

/**
 * trace_graph_filter_rejects - tell whether a call meets no condition, for most calls
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @fregs: the registers at the function's entry, or NULL
 *
 * Compares numbers in argument registers, and counts the call if they decide. Any context,
 * including NMI, with preemption disabled.
 *
 * Return: true if the call is neither written nor kept, false if the caller has to call
 * trace_graph_filter_entry().
 */
static __always_inline bool
trace_graph_filter_rejects(struct trace_array *tr, const struct ftrace_graph_ent *trace,
			   const unsigned long *word, struct ftrace_regs *fregs)
{
	const struct graph_filter *filter = tr->graph_filter;
	const struct graph_field *field;
	const struct graph_prog *prog;
	const struct graph_rule *rule;
	unsigned int i = 0;
	const void *regs;

	if (filter->keeps || graph_region(*word))
		return false;
	rule = graph_rule_find(filter, trace->func);
	if (!rule)
		return true;
	if (!rule->plain || !fregs)
		return false;
	prog = rule->progs[0];
	regs = trace_args_registers(fregs);
	do {
		field = &prog->fields[i];
		i = field->next[graph_compare_number(field, get_unaligned((const u64 *)
								(regs + field->place)))];
	} while (i < GRAPH_COND_MET);
	if (i == GRAPH_COND_MET)
		return false;
	graph_count_seen(prog);
	return true;
}

/* Set the members of a kept call that its return decides, and nothing before */
static __always_inline void
kept_until_return(struct kept_call *call, const struct graph_rule *rule,
		  unsigned int trace_ctx, u8 level, u64 number)
{
	call->state = (struct kept_state){ .level = level, .known = true };
	call->trace_ctx = trace_ctx;
	call->number = number;
	call->owner = rule;
}

int trace_graph_filter_decide(struct trace_array *tr,
			      struct ftrace_graph_ent *trace,
			      unsigned long *word, unsigned int trace_ctx,
			      struct ftrace_regs *fregs,
			      struct call_results *results,
			      u64 calltime, u64 sleeptime, u64 number, bool *is_kept);

/**
 * trace_graph_filter_entry - write, keep or skip a call at its entry
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry, or NULL; then no arguments are captured
 * @results: gets the data that the call's return needs if the arguments were captured;
 *	NULL if the return needs no data
 * @calltime: when the call began
 * @sleeptime: how long the task had slept when the call began
 * @number: see graph_put_number()
 * @is_kept: set to true if the call is kept, and its times with it; may be NULL
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: 1 if trace_graph_filter_return() has to be called, else 0.
 */
static __always_inline int
trace_graph_filter_entry(struct trace_array *tr, struct ftrace_graph_ent *trace,
			 unsigned long *word, unsigned int trace_ctx,
			 struct ftrace_regs *fregs, struct call_results *results,
			 u64 calltime, u64 sleeptime, u64 number, bool *is_kept)
{
	struct kept_call *call;

	if (tr->graph_filter->at_entry)
		return trace_graph_filter_decide(tr, trace, word, trace_ctx, fregs, results,
						 calltime, sleeptime, number, is_kept);
	call = trace_graph_keep(tr, trace, fregs, results);
	if (likely(call)) {
		call->calltime = calltime;
		call->sleeptime = sleeptime;
		kept_until_return(call, graph_rule_find(tr->graph_filter, trace->func),
				  trace_ctx, kept_level(trace_ctx), number);
		if (is_kept)
			*is_kept = true;
	}
	return 1;
}

/**
 * graph_error_keep - keep a call at its entry, for lines such as "*: error"
 * @gops: the instance's callbacks; graph_filter_errors() is true for the instance's lines, and
 *	funcgraph-args is set
 * @trace: the call
 * @fregs: the registers at the function's entry
 * @simple: what tracing_ctx_is_simple() says, or false
 *
 * The lines compare nothing that is known at the entry, so the entry looks the function up once:
 * its rule tells how many registers to keep, and decides at the return. Any context, including
 * NMI, with preemption disabled.
 *
 * Return: whether the call is kept. If not, the caller has to call trace_graph_filter_entry().
 */
static __always_inline bool
graph_error_keep(struct fgraph_ops *gops, const struct ftrace_graph_ent *trace,
		 struct ftrace_regs *fregs, const bool simple)
{
	struct trace_array *tr = gops->private;
	const struct graph_rule *rule = graph_rule_find(tr->graph_filter, trace->func);
	unsigned int trace_ctx;
	struct kept_call *call;
	u32 ref, set = ARG_SIGS_IMAGE;

	/* A function that no glob matches may call a function that fails */
	if (likely(rule)) {
		ref = rule->ref;
		set = rule->set;
	} else if (arg_sig_called_in_image(trace->func)) {
		ref = arg_sig_find_image(trace->func);
	} else {
		return false;
	}
	if (unlikely(ref & READ_ONCE(tr->func_args.not_regs)))
		return false;
	call = kept_registers(gops, trace, fregs, NULL, ref & ARG_SIG_REF_NR, set);
	if (unlikely(!call))
		return false;
	trace_ctx = simple ? tracing_ctx_simple() : tracing_gen_ctx();
	kept_until_return(call, rule, trace_ctx, simple ? 0 : kept_level(trace_ctx), 0);
	kept_begin(call);
	return true;
}

/**
 * graph_error_passes - tell whether a call that returns did not fail, and is not written
 * @trace: the call
 * @call: the call, which is kept
 *
 * Counts the call if its return decides. Any context, including NMI, with preemption disabled.
 *
 * Return: true if the call is done, false if the caller has to call trace_graph_filter_return().
 */
static __always_inline bool graph_error_passes(const struct ftrace_graph_ret *trace,
					       const struct kept_call *call)
{
	const struct graph_rule *rule = call->owner;
	unsigned int i;

	if (unlikely(call->state.written))
		return false;
	if (!rule)
		return true;
	if ((u32)graph_retval(trace) >= rule->least)
		return false;
	if (likely(rule->nr == 1)) {
		graph_count_seen(rule->progs[0]);
		return true;
	}
	for (i = 0; i < rule->nr; i++)
		graph_count_seen(rule->progs[i]);
	return true;
}

bool trace_graph_filter_decide_return(struct trace_array *tr,
				      const struct ftrace_graph_ret *trace,
				      unsigned long *word, struct kept_call *call,
				      u64 duration, bool *lost);

/**
 * trace_graph_filter_return - write or drop a call at its return
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @call: the call if it is kept, else NULL
 * @duration: the call's duration in ns, if trace_graph_filter_duration() is true
 * @lost: set to true if the caller has to call trace_graph_write_lost() first
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the call's return is to be written.
 */
static __always_inline bool
trace_graph_filter_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
			  unsigned long *word, struct kept_call *call,
			  u64 duration, bool *lost)
{
	if (!tr->graph_filter->at_entry && call && graph_error_passes(trace, call))
		return false;
	return trace_graph_filter_decide_return(tr, trace, word, call, duration, lost);
}

#else

/* Not called without CONFIG_FUNCTION_ARG_SIGS */
bool trace_graph_filter_rejects(struct trace_array *tr, const struct ftrace_graph_ent *trace,
				const unsigned long *word, struct ftrace_regs *fregs);
int trace_graph_filter_entry(struct trace_array *tr, struct ftrace_graph_ent *trace,
			     unsigned long *word, unsigned int trace_ctx,
			     struct ftrace_regs *fregs, struct call_results *results,
			     u64 calltime, u64 sleeptime, u64 number, bool *is_kept);
bool trace_graph_filter_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
			       unsigned long *word, struct kept_call *call,
			       u64 duration, bool *lost);

#endif /* CONFIG_FUNCTION_ARG_SIGS */

bool trace_graph_write_lost(struct trace_array *tr,
			    const struct ftrace_graph_ret *trace,
			    unsigned int trace_ctx);
bool trace_graph_filter_call(struct trace_array *tr, unsigned long ip,
			     struct ftrace_regs *fregs);

/* Whether an instance has conditions */
static inline bool trace_graph_filtered(struct trace_array *tr)
{
	return IS_ENABLED(CONFIG_FUNCTION_ARG_SIGS) && tr->graph_filter;
}

/**
 * trace_graph_filter_start - let a tracer begin that decides conditions
 * @tr: the trace instance, which has conditions
 * @callers: whether a call that meets a condition at its entry is written with its callers
 *
 * The caller holds trace_types_lock, and no callback of the tracer runs.
 */
static inline void trace_graph_filter_start(struct trace_array *tr, bool callers)
{
	tr->graph_filter->keeps = tr->graph_filter->at_return || callers;
}

/**
 * trace_graph_filter_stop - wait until no callback uses the conditions any more
 * @tr: the trace instance, whose tracer has stopped
 */
static inline void trace_graph_filter_stop(struct trace_array *tr)
{
	if (trace_graph_filtered(tr))
		graph_filter_wait();
}

/* Whether a condition needs the duration. The instance has conditions */
static inline bool trace_graph_filter_duration(struct trace_array *tr)
{
	return tr->graph_filter->duration;
}

#endif /* _TRACE_GRAPH_FILTER_H */
