// SPDX-License-Identifier: GPL-2.0
/*
 * The files set_graph_filter and graph_filter_counts
 */
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "../trace.h"
#include "conds.h"
#include "filter.h"
#include "lines.h"
#include "rules.h"

static const struct graph_lines_kind filter_lines = {
	.name	= "set_graph_filter",
	.empty	= "all calls",
	.offset	= offsetof(struct trace_array, graph_filter),
	.parse	= graph_cond_parse,
	.other	= offsetof(struct trace_array, graph_hist),
};

DEFINE_GRAPH_LINES(filter);

static char boot_lines[COMMAND_LINE_SIZE] __initdata;

/* The kernel's parameter ftrace_graph_filter has the functions of set_graph_function */
static int __init keep_boot_lines(char *lines)
{
	strscpy(boot_lines, lines);
	return 1;
}
__setup("ftrace_graph_condition=", keep_boot_lines);

/* Set after the signatures, and before a tracer of the command line begins */
static int __init set_boot_lines(void)
{
	if (*boot_lines)
		graph_lines_boot(&filter_lines, boot_lines);
	return 0;
}
early_initcall(set_boot_lines);

static int show_counts(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;
	int cpu;

	guard(mutex)(&trace_types_lock);
	seq_puts(m, "# functions       seen    matched     missed   left out  line\n");
	if (!tr->graph_filter)
		return 0;
	list_for_each_entry(cond, &tr->graph_filter->conds, list) {
		struct graph_cond_counts sum = { };

		for_each_possible_cpu(cpu) {
			const struct graph_cond_counts *counts;

			counts = per_cpu_ptr(cond->counts, cpu);
			sum.seen += counts->seen;
			sum.matched += counts->matched;
			sum.missed += counts->missed;
		}
		seq_printf(m, "%11u %10llu %10llu %10llu %10u  %s\n", cond->nr_funcs,
			   sum.seen, sum.matched, sum.missed, cond->nr_left_out,
			   cond->line);
	}
	return 0;
}

static int counts_open(struct inode *inode, struct file *filp)
{
	return graph_single_open(inode, filp, show_counts);
}

static const struct file_operations counts_fops = {
	.open		= counts_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= graph_single_release,
};

/**
 * trace_graph_filter_init_tracefs - create the files of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 */
void trace_graph_filter_init_tracefs(struct trace_array *tr,
				     struct dentry *parent)
{
	trace_create_file("set_graph_filter", TRACE_MODE_WRITE, parent, tr,
			  &filter_lines_fops);
	trace_create_file("graph_filter_counts", TRACE_MODE_READ, parent, tr,
			  &counts_fops);
}

/**
 * trace_graph_filter_remove - free the conditions of a trace instance that is removed
 * @tr: the trace instance; no tracer runs in it
 */
void trace_graph_filter_remove(struct trace_array *tr)
{
	graph_filter_free(tr->graph_filter);
	tr->graph_filter = NULL;
}
