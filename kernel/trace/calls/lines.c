// SPDX-License-Identifier: GPL-2.0
/*
 * The files with lines about calls: set_graph_filter, set_graph_hist and func_args_expr
 *
 * Either all lines of one write take effect together, or none of the lines takes effect.
 */
#include <linux/cleanup.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../trace.h"
#include "../args/capture.h"
#include "conds.h"
#include "exprs_btf.h"
#include "lines.h"
#include "rules.h"

/* Maximum lines of a file */
#define GRAPH_LINES_MAX		1024

/* Maximum bytes of one write */
#define GRAPH_LINES_MAX_WRITE	SZ_1M

/**
 * struct lines_change - the change that a write makes to an instance's lines
 * @tr: the trace instance
 * @kind: the file
 * @filter: the new lines, NULL for none; after the change, the old lines
 */
struct lines_change {
	struct trace_array		*tr;
	const struct graph_lines_kind	*kind;
	struct graph_filter		*filter;
};

static struct graph_filter **lines_at(struct trace_array *tr, size_t offset)
{
	return (void *)tr + offset;
}

static struct graph_filter **lines_of(struct trace_array *tr,
				      const struct graph_lines_kind *kind)
{
	return lines_at(tr, kind->offset);
}

/* Make a filter with copies of another filter's lines */
static struct graph_filter *copy_lines(const struct graph_lines_kind *kind,
				       const struct graph_filter *old)
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
		struct graph_cond_error err;
		struct graph_cond *copy = kind->parse(cond->line, &err);

		if (IS_ERR(copy)) {
			graph_filter_free(filter);
			return NULL;
		}
		list_add_tail(&copy->list, &filter->conds);
		filter->nr++;
	}
	return filter;
}

static int log_error(const struct lines_change *change, const char *line,
		     int ret, unsigned int nr, unsigned int pos)
{
	tracing_log_err(change->tr, change->kind->name, line, graph_cond_errors,
			nr, pos);
	return ret;
}

/* Find a line by its text, in the form that is shown: one blank follows the colon */
static struct graph_cond *find_line(struct graph_filter *filter,
				    const char *line)
{
	struct graph_cond *cond;

	list_for_each_entry(cond, &filter->conds, list)
		if (!strcmp(cond->line, line))
			return cond;
	return NULL;
}

static int apply_line(const struct lines_change *change,
		      struct graph_filter *filter, char *line)
{
	struct graph_cond_error err;
	struct graph_cond *cond;

	if (*line == '!') {
		cond = find_line(filter, skip_spaces(line + 1));
		if (!cond)
			return log_error(change, line, -EINVAL,
					 GRAPH_COND_ERR_NOT_SET, 0);
		list_del(&cond->list);
		filter->nr--;
		graph_cond_free(cond);
		return 0;
	}
	if (find_line(filter, line))
		return 0;
	if (strlen(line) >= PAGE_SIZE) {
		line[PAGE_SIZE - 1] = '\0';
		return log_error(change, line, -ENOSPC, GRAPH_COND_ERR_TOO_LONG,
				 PAGE_SIZE - 1);
	}
	cond = change->kind->parse(line, &err);
	if (IS_ERR(cond)) {
		int ret = PTR_ERR(cond);

		if (err.nr == GRAPH_COND_ERR_TOO_MANY)
			ret = -ENOSPC;
		return log_error(change, line, ret, err.nr, err.pos);
	}
	if (filter->nr == GRAPH_LINES_MAX) {
		graph_cond_free(cond);
		return log_error(change, line, -ENOSPC,
				 GRAPH_COND_ERR_TOO_MANY, 0);
	}
	list_add_tail(&cond->list, &filter->conds);
	filter->nr++;
	return 0;
}

/* Pass the counts and the table of an old line to the new line with the same text */
static void take_counts(struct graph_filter *filter, struct graph_filter *old)
{
	struct graph_cond *cond, *was;

	list_for_each_entry(cond, &filter->conds, list) {
		was = find_line(old, cond->line);
		if (!was)
			continue;
		swap(cond->counts, was->counts);
		swap(cond->map, was->map);
	}
}

/* Set the new lines; @change gets the old lines */
static void change_lines(void *data)
{
	struct lines_change *change = data;
	struct graph_filter **lines = lines_of(change->tr, change->kind);

	if (change->filter && *lines)
		take_counts(change->filter, *lines);
	swap(*lines, change->filter);
}

/**
 * graph_lines_change_stopped - change what a tracer uses while the tracer is stopped
 * @tr: the trace instance
 * @change: makes the change
 * @data: for @change
 *
 * The caller holds trace_types_lock. A tracer that does not use lines is not stopped.
 *
 * Return: 0, or the error of the tracer's start.
 */
int graph_lines_change_stopped(struct trace_array *tr, void (*change)(void *data),
			       void *data)
{
	struct tracer *tracer = tr->current_trace;

	lockdep_assert_held(&trace_types_lock);

	if (!tracer->graph_filter) {
		change(data);
		return 0;
	}
	tracer->reset(tr);
	change(data);
	return tracer->init(tr);
}

/* Make the change. If this fails, nothing changes */
static int make_change(struct lines_change *change)
{
	struct trace_array *tr = change->tr;
	int ret;

	guard(mutex)(&trace_types_lock);

	ret = call_scratch_alloc();
	if (ret)
		return ret;
	if (change->kind->set) {
		ret = change->kind->set(tr, change->filter);
		if (ret == -ENOSPC)
			log_error(change, "(a line)", ret, GRAPH_COND_ERR_TOO_MANY, 0);
		if (!ret)
			change_lines(change);
		return ret;
	}
	ret = graph_lines_change_stopped(tr, change_lines, change);
	if (ret) {
		change_lines(change);
		WARN_ON_ONCE(tr->current_trace->init(tr));
	}
	return ret;
}

/*
 * Mark the new lines that were set before. The programs of such a line depend on its
 * table, whose rows have a fixed number of bytes for each key.
 */
static void mark_old_lines(struct graph_filter *filter, struct graph_filter *old)
{
	struct graph_cond *cond, *was;

	list_for_each_entry(cond, &filter->conds, list) {
		was = find_line(old, cond->line);
		if (!was)
			continue;
		cond->old = true;
		memcpy(cond->key_sizes, was->key_sizes, sizeof(cond->key_sizes));
	}
}

/* Prepare the new lines; lines that were set before are prepared already */
static int prepare_lines(const struct lines_change *change)
{
	struct graph_cond *cond;
	int ret;

	if (!change->kind->prepare)
		return 0;
	list_for_each_entry(cond, &change->filter->conds, list) {
		if (cond->old)
			continue;
		ret = change->kind->prepare(cond);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Whether new lines may read memory by means of parameters.  This is checked at each write,
 * because the file may have been opened before the kernel was locked down.  Kprobe events
 * are refused for the same reason.
 */
static int may_read(const struct graph_filter *filter)
{
	const struct graph_cond *cond;

	list_for_each_entry(cond, &filter->conds, list)
		if (cond->reads && !cond->old)
			return security_locked_down(LOCKDOWN_KPROBES);
	return 0;
}

/* Make the rules of the functions that the lines apply to, and prepare the lines */
static int build_lines(struct lines_change *change)
{
	struct graph_filter *old = *lines_of(change->tr, change->kind);
	struct graph_cond_error err = { };
	struct graph_cond *bad = NULL;
	int ret;

	if (change->kind->other && *lines_at(change->tr, change->kind->other))
		return log_error(change, "(a line)", -EBUSY,
				 GRAPH_COND_ERR_OTHER_LINES, 0);
	if (old)
		mark_old_lines(change->filter, old);
	ret = graph_filter_build(change->filter, &err, &bad);
	if (!ret)
		return may_read(change->filter) ?: prepare_lines(change);
	if (bad)
		log_error(change, bad->line, 0, err.nr, err.pos);
	return ret;
}

/* Write @text to the file; either all of @text takes effect, or nothing */
static int write_lines(struct lines_change *change, char *text, bool replace)
{
	struct graph_filter **lines = lines_of(change->tr, change->kind);
	char *line;
	int ret;

	guard(mutex)(&graph_lines_mutex);
	change->filter = copy_lines(change->kind, replace ? NULL : *lines);
	if (!change->filter)
		return -ENOMEM;
	while ((line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line || *line == '#')
			continue;
		ret = apply_line(change, change->filter, line);
		if (ret)
			goto free;
	}
	if (change->filter->nr) {
		ret = build_lines(change);
		if (ret)
			goto free;
	} else {
		graph_filter_free(change->filter);
		change->filter = NULL;
	}
	if (!change->filter && !*lines)
		return 0;
	ret = make_change(change);
	/* A tracer that was not stopped for the change may still use the old lines */
	if (!ret && change->kind->set) {
		graph_filter_retire(change->filter);
		return 0;
	}
free:
	graph_filter_free(change->filter);
	return ret;
}

/**
 * struct lines_file - a file of lines that is open for writing
 * @tr: the trace instance
 * @kind: the file
 * @replace: whether the next write replaces the lines
 * @failed: whether a write was refused
 */
struct lines_file {
	struct trace_array		*tr;
	const struct graph_lines_kind	*kind;
	bool				replace;
	bool				failed;
};

/**
 * graph_lines_show - show the lines of a file
 * @m: the file; its private data is the trace instance
 * @kind: the kind of the file
 *
 * Return: 0.
 */
int graph_lines_show(struct seq_file *m, const struct graph_lines_kind *kind)
{
	struct graph_filter *filter;
	struct graph_cond *cond;

	guard(mutex)(&trace_types_lock);
	filter = *lines_of(m->private, kind);
	if (!filter) {
		seq_printf(m, "#### %s ####\n", kind->empty);
		return 0;
	}
	list_for_each_entry(cond, &filter->conds, list) {
		/* The other kinds have files with counts. A write of a comment has no effect */
		if (kind->set && cond->nr_left_out)
			seq_printf(m, "# %u functions, %u left out\n", cond->nr_funcs,
				   cond->nr_left_out);
		seq_printf(m, "%s\n", cond->line);
	}
	return 0;
}

/**
 * graph_single_open - open a file of a trace instance for seq_read()
 * @inode: the file; its private data is the trace instance
 * @filp: the open file
 * @show: shows the file
 *
 * Return: 0, or an error.
 */
int graph_single_open(struct inode *inode, struct file *filp,
		      int (*show)(struct seq_file *m, void *v))
{
	struct trace_array *tr = inode->i_private;
	int ret = tracing_check_open_get_tr(tr);

	if (ret)
		return ret;
	ret = single_open(filp, show, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

/**
 * graph_single_release - close a file that graph_single_open() has opened
 * @inode: the file
 * @filp: the open file
 *
 * Return: 0.
 */
int graph_single_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return single_release(inode, filp);
}

/**
 * graph_lines_open - open a file of lines for reading or for writing
 * @inode: the file; its private data is the trace instance
 * @filp: the open file
 * @kind: the kind of the file
 * @show: calls graph_lines_show()
 *
 * Return: 0, or an error.
 */
int graph_lines_open(struct inode *inode, struct file *filp,
		     const struct graph_lines_kind *kind,
		     int (*show)(struct seq_file *m, void *v))
{
	struct trace_array *tr = inode->i_private;
	struct lines_file *file;
	int ret;

	if (!(filp->f_mode & FMODE_WRITE))
		return graph_single_open(inode, filp, show);
	/* private_data can hold only the state of a reader or the state of a writer */
	if (filp->f_mode & FMODE_READ)
		return -EINVAL;
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	file->tr = tr;
	file->kind = kind;
	file->replace = filp->f_flags & O_TRUNC;
	filp->private_data = file;
	return 0;
}

/*
 * Refuse a NUL byte in a write of @cnt bytes.  Otherwise the text would end there, and the
 * remaining lines would be lost.
 */
static int refuse_nul(const struct lines_change *change, const char *text, size_t cnt)
{
	const char *line = strrchr(text, '\n');

	if (strlen(text) == cnt)
		return 0;
	line = line ? line + 1 : text;
	return log_error(change, line, -EINVAL, GRAPH_COND_ERR_NUL, strlen(line));
}

/**
 * graph_lines_write - write lines
 * @filp: the open file
 * @ubuf: the lines
 * @cnt: bytes of the lines
 * @ppos: the position in the file
 *
 * Return: @cnt, or an error.
 */
ssize_t graph_lines_write(struct file *filp, const char __user *ubuf,
			  size_t cnt, loff_t *ppos)
{
	struct lines_file *file = filp->private_data;
	struct lines_change change = { .tr = file->tr, .kind = file->kind };
	char *text;
	int ret;

	if (cnt > GRAPH_LINES_MAX_WRITE)
		return -ENOSPC;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = refuse_nul(&change, text, cnt);
	if (!ret) {
		if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
			expr_layouts_prepare(text);
		ret = write_lines(&change, text, file->replace);
	}
	kfree(text);
	if (ret) {
		file->failed = true;
		return ret;
	}
	file->replace = false;
	*ppos += cnt;
	return cnt;
}

/**
 * graph_lines_release - close a file of lines
 * @inode: the file
 * @filp: the open file
 *
 * Return: 0.
 */
int graph_lines_release(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct lines_file *file = filp->private_data;
	char nothing[] = "";

	if (filp->f_mode & FMODE_READ)
		return graph_single_release(inode, filp);
	if (file->replace && !file->failed) {
		struct lines_change change = { .tr = tr, .kind = file->kind };

		write_lines(&change, nothing, true);
	}
	kfree(file);
	trace_array_put(tr);
	return 0;
}

/**
 * graph_lines_boot - set the lines of the kernel's command line in the top instance
 * @kind: the kind of the file that has the lines
 * @lines: the lines, with a ";" between two lines; the text is changed
 *
 * Either all lines take effect, or none of the lines takes effect. error_log shows the line
 * that was refused.
 */
void __init graph_lines_boot(const struct graph_lines_kind *kind, char *lines)
{
	struct lines_change change = { .tr = top_trace_array(), .kind = kind };
	int ret;

	strreplace(lines, ';', '\n');
	ret = change.tr ? write_lines(&change, lines, true) : -ENODEV;
	if (ret)
		pr_err("%s: the lines of the command line are not set: %d\n", kind->name, ret);
}
