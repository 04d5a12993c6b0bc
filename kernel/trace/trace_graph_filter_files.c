// SPDX-License-Identifier: GPL-2.0
/*
 * The files set_graph_filter and graph_filter_counts
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "trace.h"
#include "trace_graph_conds.h"
#include "trace_graph_filter.h"
#include "trace_graph_rules.h"

/* Lines of an instance */
#define GRAPH_FILTER_LINES	1024

/* Bytes of one write */
#define GRAPH_FILTER_MAX_WRITE	SZ_1M

/**
 * struct filter_change - the change that a write makes to an instance's lines
 * @tr: the trace instance
 * @filter: the new conditions, NULL for none; then the old ones
 */
struct filter_change {
	struct trace_array	*tr;
	struct graph_filter	*filter;
};

static struct graph_cond *copy_cond(const struct graph_cond *cond)
{
	struct graph_cond_error err;

	return graph_cond_parse(cond->line, &err);
}

/* A filter with the lines of another one */
static struct graph_filter *copy_filter(const struct graph_filter *old)
{
	struct graph_filter *filter;
	struct graph_cond *cond;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return NULL;
	INIT_LIST_HEAD(&filter->conds);
	INIT_LIST_HEAD(&filter->rules);
	if (!old)
		return filter;
	list_for_each_entry(cond, &old->conds, list) {
		struct graph_cond *copy = copy_cond(cond);

		if (IS_ERR(copy)) {
			graph_filter_free(filter);
			return NULL;
		}
		copy->old = true;
		list_add_tail(&copy->list, &filter->conds);
		filter->nr++;
	}
	return filter;
}

static int log_error(struct trace_array *tr, const char *line, int ret,
		     unsigned int nr, unsigned int pos)
{
	tracing_log_err(tr, "set_graph_filter", line, graph_cond_errors, nr,
			pos);
	return ret;
}

/* Find a line by its text, as it is shown: with one blank behind the colon */
static struct graph_cond *find_line(struct graph_filter *filter,
				    const char *line)
{
	struct graph_cond *cond;

	list_for_each_entry(cond, &filter->conds, list)
		if (!strcmp(cond->line, line))
			return cond;
	return NULL;
}

static int apply_line(struct trace_array *tr, struct graph_filter *filter,
		      const char *line)
{
	struct graph_cond_error err;
	struct graph_cond *cond;

	if (*line == '!') {
		cond = find_line(filter, skip_spaces(line + 1));
		if (!cond)
			return log_error(tr, line, -EINVAL,
					 GRAPH_COND_ERR_NOT_SET, 0);
		list_del(&cond->list);
		filter->nr--;
		graph_cond_free(cond);
		return 0;
	}
	if (find_line(filter, line))
		return 0;
	if (strlen(line) >= PAGE_SIZE)
		return log_error(tr, "(a line)", -ENOSPC,
				 GRAPH_COND_ERR_TOO_LONG, 0);
	cond = graph_cond_parse(line, &err);
	if (IS_ERR(cond)) {
		int ret = PTR_ERR(cond);

		if (err.nr == GRAPH_COND_ERR_TOO_MANY)
			ret = -ENOSPC;
		return log_error(tr, line, ret, err.nr, err.pos);
	}
	if (filter->nr == GRAPH_FILTER_LINES) {
		graph_cond_free(cond);
		return log_error(tr, line, -ENOSPC, GRAPH_COND_ERR_TOO_MANY, 0);
	}
	list_add_tail(&cond->list, &filter->conds);
	filter->nr++;
	return 0;
}

/* A line that stays keeps its counts */
static void take_counts(struct graph_filter *filter, struct graph_filter *old)
{
	struct graph_cond *cond, *was;

	list_for_each_entry(cond, &filter->conds, list) {
		was = find_line(old, cond->line);
		if (was)
			swap(cond->counts, was->counts);
	}
}

/* Set the new conditions; @change gets the old ones */
static void change_filter(struct filter_change *change)
{
	if (change->filter && change->tr->graph_filter)
		take_counts(change->filter, change->tr->graph_filter);
	swap(change->tr->graph_filter, change->filter);
}

/* Stop a tracer that uses the filter during the change; nothing changes if this fails */
static int change_stopped(struct filter_change *change)
{
	struct trace_array *tr = change->tr;
	struct tracer *tracer = tr->current_trace;
	int ret;

	if (!tracer->graph_filter) {
		change_filter(change);
		return 0;
	}
	tracer->reset(tr);
	change_filter(change);
	ret = tracer->init(tr);
	if (ret) {
		change_filter(change);
		WARN_ON_ONCE(tracer->init(tr));
	}
	return ret;
}

/* Write @text to the file: all of it takes effect, or nothing */
static int write_lines(struct trace_array *tr, char *text, bool replace)
{
	struct filter_change change = { .tr = tr };
	struct graph_cond_error err = { };
	struct graph_cond *bad = NULL;
	struct graph_filter *filter;
	char *line;
	int ret;

	guard(mutex)(&trace_types_lock);
	filter = copy_filter(replace ? NULL : tr->graph_filter);
	if (!filter)
		return -ENOMEM;
	while ((line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line || *line == '#')
			continue;
		ret = apply_line(tr, filter, line);
		if (ret)
			goto free;
	}
	if (filter->nr) {
		ret = graph_filter_build(filter, &err, &bad);
		if (ret) {
			if (bad)
				log_error(tr, bad->line, 0, err.nr, err.pos);
			goto free;
		}
		change.filter = filter;
	} else {
		graph_filter_free(filter);
		filter = NULL;
	}
	if (!filter && !tr->graph_filter)
		return 0;
	ret = change_stopped(&change);
	graph_filter_free(change.filter);
	return ret;
free:
	graph_filter_free(filter);
	return ret;
}

/**
 * struct filter_file - the file set_graph_filter while it is open
 * @tr: the trace instance
 * @replace: the next write replaces the lines
 * @failed: a write was refused
 */
struct filter_file {
	struct trace_array	*tr;
	bool			replace;
	bool			failed;
};

static int show_lines(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;

	guard(mutex)(&trace_types_lock);
	if (!tr->graph_filter) {
		seq_puts(m, "#### all calls ####\n");
		return 0;
	}
	list_for_each_entry(cond, &tr->graph_filter->conds, list)
		seq_printf(m, "%s\n", cond->line);
	return 0;
}

static int filter_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *file;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	if (!(filp->f_mode & FMODE_WRITE)) {
		ret = single_open(filp, show_lines, tr);
	} else if (filp->f_mode & FMODE_READ) {
		/* private_data can only hold the state of a reader or of a writer */
		ret = -EINVAL;
	} else {
		file = kzalloc(sizeof(*file), GFP_KERNEL);
		ret = file ? 0 : -ENOMEM;
		if (file) {
			file->tr = tr;
			file->replace = filp->f_flags & O_TRUNC;
			filp->private_data = file;
		}
	}
	if (ret)
		trace_array_put(tr);
	return ret;
}

static ssize_t filter_write(struct file *filp, const char __user *ubuf,
			    size_t cnt, loff_t *ppos)
{
	struct filter_file *file = filp->private_data;
	char *text;
	int ret;

	if (cnt > GRAPH_FILTER_MAX_WRITE)
		return -ENOSPC;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = write_lines(file->tr, text, file->replace);
	kfree(text);
	if (ret) {
		file->failed = true;
		return ret;
	}
	file->replace = false;
	*ppos += cnt;
	return cnt;
}

static int filter_release(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *file = filp->private_data;
	char nothing[] = "";

	if (filp->f_mode & FMODE_READ) {
		single_release(inode, filp);
	} else {
		if (file->replace && !file->failed)
			write_lines(tr, nothing, true);
		kfree(file);
	}
	trace_array_put(tr);
	return 0;
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= tracing_lseek,
	.release	= filter_release,
};

static int show_counts(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;
	int cpu;

	guard(mutex)(&trace_types_lock);
	seq_puts(m, "# functions       seen    matched     missed  line\n");
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
		seq_printf(m, "%11u %10llu %10llu %10llu  %s\n", cond->nr_funcs,
			   sum.seen, sum.matched, sum.missed, cond->line);
	}
	return 0;
}

static int counts_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	ret = single_open(filp, show_counts, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int counts_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return single_release(inode, filp);
}

static const struct file_operations counts_fops = {
	.open		= counts_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= counts_release,
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
			  &filter_fops);
	trace_create_file("graph_filter_counts", TRACE_MODE_READ, parent, tr,
			  &counts_fops);
}

/**
 * trace_graph_filter_remove - a trace instance goes
 * @tr: the trace instance; no tracer runs in it
 */
void trace_graph_filter_remove(struct trace_array *tr)
{
	graph_filter_free(tr->graph_filter);
	tr->graph_filter = NULL;
}
