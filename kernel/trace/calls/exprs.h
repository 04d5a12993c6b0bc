/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The user's expressions on the arguments of calls: the file func_args_expr
 */
#ifndef _TRACE_GRAPH_EXPRS_H
#define _TRACE_GRAPH_EXPRS_H

struct dentry;
struct trace_array;

#ifdef CONFIG_FUNCTION_ARG_SIGS
void trace_graph_exprs_init_tracefs(struct trace_array *tr, struct dentry *parent);
void trace_graph_exprs_remove(struct trace_array *tr);
#else
static inline void trace_graph_exprs_init_tracefs(struct trace_array *tr,
						  struct dentry *parent)
{
}

static inline void trace_graph_exprs_remove(struct trace_array *tr)
{
}
#endif /* CONFIG_FUNCTION_ARG_SIGS */

#endif /* _TRACE_GRAPH_EXPRS_H */
