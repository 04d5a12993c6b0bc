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

#include <linux/ftrace.h>
#include <linux/types.h>

#include "rules.h"

struct call_results;
struct dentry;
struct kept_call;
struct trace_array;

#ifdef CONFIG_FUNCTION_ARG_SIGS

int trace_graph_filter_entry(struct trace_array *tr,
			     struct ftrace_graph_ent *trace,
			     unsigned long *word, unsigned int trace_ctx,
			     struct ftrace_regs *fregs,
			     struct call_results *results,
			     u64 calltime, u64 sleeptime, u64 number, bool *is_kept);
bool trace_graph_filter_return(struct trace_array *tr,
			       const struct ftrace_graph_ret *trace,
			       unsigned long *word, struct kept_call *call,
			       u64 duration, bool *lost);
bool trace_graph_write_lost(struct trace_array *tr,
			    const struct ftrace_graph_ret *trace,
			    unsigned int trace_ctx);
bool trace_graph_filter_call(struct trace_array *tr, unsigned long ip,
			     struct ftrace_regs *fregs);
bool trace_graph_filtered(struct trace_array *tr);
void trace_graph_filter_stop(struct trace_array *tr);
void trace_graph_filter_init_tracefs(struct trace_array *tr,
				     struct dentry *parent);
void trace_graph_filter_remove(struct trace_array *tr);

/* Whether a condition needs the duration. The instance has conditions */
static inline bool trace_graph_filter_duration(struct trace_array *tr)
{
	return tr->graph_filter->duration;
}

#else

static inline int trace_graph_filter_entry(struct trace_array *tr,
					   struct ftrace_graph_ent *trace,
					   unsigned long *word,
					   unsigned int trace_ctx,
					   struct ftrace_regs *fregs,
					   struct call_results *results,
					   u64 calltime, u64 sleeptime, u64 number,
					   bool *is_kept)
{
	return 0;
}

static inline bool trace_graph_filter_return(struct trace_array *tr,
					     const struct ftrace_graph_ret *trace,
					     unsigned long *word, struct kept_call *call,
					     u64 duration, bool *lost)
{
	return true;
}

static inline bool trace_graph_write_lost(struct trace_array *tr,
					  const struct ftrace_graph_ret *trace,
					  unsigned int trace_ctx)
{
	return true;
}

static inline bool trace_graph_filter_call(struct trace_array *tr,
					   unsigned long ip,
					   struct ftrace_regs *fregs)
{
	return true;
}

static inline bool trace_graph_filtered(struct trace_array *tr)
{
	return false;
}

static inline bool trace_graph_filter_duration(struct trace_array *tr)
{
	return true;
}

static inline void trace_graph_filter_stop(struct trace_array *tr)
{
}

static inline void trace_graph_filter_init_tracefs(struct trace_array *tr,
						   struct dentry *parent)
{
}

static inline void trace_graph_filter_remove(struct trace_array *tr)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_GRAPH_FILTER_H */
