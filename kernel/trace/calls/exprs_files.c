// SPDX-License-Identifier: GPL-2.0
/*
 * The file func_args_expr
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "../trace.h"
#include "../args/capture.h"
#include "conds.h"
#include "exprs.h"
#include "lines.h"
#include "rules.h"

static int set_lines(struct trace_array *tr, struct graph_filter *filter)
{
	int ret = filter ? graph_filter_number(filter) : 0;

	if (!ret)
		call_args_set_exprs(tr, filter ? &filter->table : NULL);
	return ret;
}

static const struct graph_lines_kind exprs_lines = {
	.name	= "func_args_expr",
	.empty	= "no expressions",
	.offset	= offsetof(struct trace_array, graph_exprs),
	.parse	= graph_exprs_parse,
	.set	= set_lines,
};

DEFINE_GRAPH_LINES(exprs);

/**
 * trace_graph_exprs_init_tracefs - create the file of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 */
void trace_graph_exprs_init_tracefs(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("func_args_expr", TRACE_MODE_WRITE, parent, tr,
			  &exprs_lines_fops);
}

/**
 * trace_graph_exprs_remove - free the lines of a trace instance that is removed
 * @tr: the trace instance; no tracer runs in it
 *
 * The caller holds trace_types_lock.
 */
void trace_graph_exprs_remove(struct trace_array *tr)
{
	call_args_set_exprs(tr, NULL);
	graph_filter_retire(tr->graph_exprs);
	tr->graph_exprs = NULL;
}
