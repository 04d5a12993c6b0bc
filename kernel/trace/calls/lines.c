// SPDX-License-Identifier: GPL-2.0
/*
 * The files with lines about calls: set_graph_filter, set_graph_hist and func_args_expr, and
 * the files with the counts of these lines: graph_filter_counts and graph_hist
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
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/setup.h>

#include "../trace.h"
#include "../args/capture.h"
#include "hist.h"
#include "lines.h"

/* Maximum lines of a file */
#define GRAPH_LINES_MAX		1024

/* Maximum bytes of one write */
#define GRAPH_LINES_MAX_WRITE	SZ_1M

/**
 * struct graph_file - a file with lines, or with the counts of lines
 * @fops: its operations, by which an open file is found here
 * @name: the name of the file
 * @mode: the mode of the file
 * @lines: the kind of the lines
 * @show: shows the file
 * @clear: clears the counts when the file is opened with O_TRUNC, or NULL
 * @empty: the text that a file with lines shows if there are no lines; NULL for a file with
 *	counts
 */
struct graph_file {
	const struct file_operations	fops;
	const char			*name;
	umode_t				mode;
	enum graph_lines		lines;
	int				(*show)(struct seq_file *m, void *v);
	void				(*clear)(void *filter);
	const char			*empty;
};

static const struct graph_file *file_of(const struct file *filp)
{
	return container_of_const(filp->f_op, struct graph_file, fops);
}

/**
 * struct lines_change - the change that a write makes to an instance's lines
 * @tr: the trace instance
 * @file: the file
 * @new: the new lines, NULL for none
 * @filter: the new lines; after the change, the old lines
 */
struct lines_change {
	struct trace_array		*tr;
	const struct graph_file		*file;
	struct graph_filter		*new;
	struct graph_filter		*filter;
};

static int log_error(const struct lines_change *change, const char *line,
		     int ret, unsigned int nr, unsigned int pos)
{
	tracing_log_err(change->tr, change->file->name, line, graph_cond_errors,
			nr, pos);
	return ret;
}

/* Find a line by its text, as it was written */
static struct graph_cond *find_line(struct graph_filter *filter,
				    const char *line)
{
	struct graph_cond *cond;

	list_for_each_entry(cond, &filter->conds, list)
		if (!strcmp(cond->line, line))
			return cond;
	return NULL;
}

static int add_line(const struct lines_change *change, const char *line,
		    struct graph_cond_error *err)
{
	struct graph_filter *filter = change->new;
	struct graph_cond *cond;

	cond = graph_line_parse(change->file->lines, line, err);
	if (IS_ERR(cond))
		return err->nr == GRAPH_COND_ERR_TOO_MANY ? -ENOSPC : PTR_ERR(cond);
	if (filter->nr == GRAPH_LINES_MAX) {
		graph_cond_free(cond);
		*err = (struct graph_cond_error){ GRAPH_COND_ERR_TOO_MANY };
		return -ENOSPC;
	}
	list_add_tail(&cond->list, &filter->conds);
	filter->nr++;
	return 0;
}

/* Begin a change with copies of the old lines, or with no lines if @old is NULL */
static int copy_lines(struct lines_change *change, const struct graph_filter *old)
{
	struct graph_cond_error err;
	struct graph_cond *cond;
	int ret = 0;

	change->new = kzalloc(sizeof(*change->new), GFP_KERNEL);
	if (!change->new)
		return -ENOMEM;
	INIT_LIST_HEAD(&change->new->conds);
	INIT_LIST_HEAD(&change->new->rules);
	if (!old)
		return 0;
	list_for_each_entry(cond, &old->conds, list)
		ret = ret ?: add_line(change, cond->line, &err);
	return ret ? -ENOMEM : 0;
}

static int apply_line(const struct lines_change *change, char *line)
{
	struct graph_filter *filter = change->new;
	struct graph_cond_error err;
	struct graph_cond *cond;
	int ret;

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
	ret = add_line(change, line, &err);
	return ret ? log_error(change, line, ret, err.nr, err.pos) : 0;
}

/* Set the new lines, or set the old lines again. A line that was set before keeps its counts */
static void change_lines(void *data)
{
	struct lines_change *change = data;
	struct graph_cond *cond;

	swap(*graph_lines_of(change->tr, change->file->lines), change->filter);
	if (!change->new)
		return;
	list_for_each_entry(cond, &change->new->conds, list) {
		if (cond->old) {
			swap(cond->counts, cond->old->counts);
			swap(cond->map, cond->old->map);
			swap(cond->late_funcs, cond->old->late_funcs);
		}
	}
}

/*
 * Change what a tracer uses while the tracer is stopped. A tracer that does not use lines is not
 * stopped. Returns the error of the tracer's start
 */
static int change_stopped(struct trace_array *tr, void (*change)(void *data), void *data)
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

/*
 * Set expressions without stopping the tracer, whose calls may use the old lines until
 * graph_filter_retire() frees them
 */
static int set_exprs(struct lines_change *change)
{
	struct graph_filter *filter = change->new;
	int ret = filter ? graph_filter_number(filter) : 0;

	if (ret == -ENOSPC)
		log_error(change, "(a line)", ret, GRAPH_COND_ERR_TOO_MANY, 0);
	if (ret)
		return ret;
	call_args_set_exprs(change->tr, filter ? &filter->table : NULL);
	change_lines(change);
	return 0;
}

/* Make the change. If this fails, nothing changes */
static int make_change(struct lines_change *change)
{
	int ret;

	guard(mutex)(&trace_types_lock);

	ret = call_scratch_alloc();
	if (ret)
		return ret;
	change->filter = change->new;
	if (change->file->lines == GRAPH_LINES_EXPRS)
		return set_exprs(change);
	ret = change_stopped(change->tr, change_lines, change);
	if (ret) {
		change_lines(change);
		WARN_ON_ONCE(change->tr->current_trace->init(change->tr));
	}
	return ret;
}

/*
 * Prepare a line that was not set before.  Whether it may read memory by means of parameters is
 * checked at each write, because the file may have been opened before the kernel was locked
 * down.  Kprobe events are refused for the same reason.
 */
static int prepare_line(struct graph_cond *cond)
{
	int ret = cond->reads ? security_locked_down(LOCKDOWN_KPROBES) : 0;

	if (!ret && cond->map_bits)
		ret = graph_hist_make_map(cond);
	return ret;
}

/* Make the rules of the functions that the lines apply to, and prepare the lines */
static int build_lines(struct lines_change *change)
{
	struct graph_filter *old = *graph_lines_of(change->tr, change->file->lines);
	struct graph_cond_error err = { };
	struct graph_cond *cond, *bad = NULL;
	int ret;

	/* Calls are either counted or written */
	if ((change->file->lines == GRAPH_LINES_FILTER && change->tr->graph_hist) ||
	    (change->file->lines == GRAPH_LINES_HIST && change->tr->graph_filter))
		return log_error(change, "(a line)", -EBUSY,
				 GRAPH_COND_ERR_OTHER_LINES, 0);
	list_for_each_entry(cond, &change->new->conds, list) {
		cond->old = old ? find_line(old, cond->line) : NULL;
		/* The rows of its table have a fixed number of bytes for each key */
		if (cond->old)
			memcpy(cond->key_sizes, cond->old->key_sizes, sizeof(cond->key_sizes));
	}
	ret = graph_filter_build(change->new, &err, &bad);
	if (ret && bad)
		log_error(change, bad->line, 0, err.nr, err.pos);
	list_for_each_entry(cond, &change->new->conds, list)
		if (!ret && !cond->old)
			ret = prepare_line(cond);
	return ret;
}

/* Write @text to the file; either all of @text takes effect, or nothing */
static int write_lines(struct lines_change *change, char *text, bool replace)
{
	struct graph_filter **lines = graph_lines_of(change->tr, change->file->lines);
	char *line;
	int ret;

	guard(mutex)(&graph_lines_mutex);
	ret = copy_lines(change, replace ? NULL : *lines);
	while (!ret && (line = strsep(&text, "\n"))) {
		line = strim(line);
		if (*line && *line != '#')
			ret = apply_line(change, line);
	}
	if (!ret && change->new->nr) {
		ret = build_lines(change);
	} else if (!ret) {
		graph_filter_free(change->new);
		change->new = NULL;
	}
	if (!ret && (change->new || *lines))
		ret = make_change(change);
	if (ret)
		graph_filter_free(change->new);
	else
		graph_filter_retire(change->filter);
	return ret;
}

static int show_lines(struct seq_file *m, void *v)
{
	const struct graph_file *file = file_of(m->file);
	struct graph_filter *filter;
	struct graph_cond *cond;

	guard(mutex)(&trace_types_lock);
	filter = *graph_lines_of(m->private, file->lines);
	if (!filter) {
		seq_printf(m, "#### %s ####\n", file->empty);
		return 0;
	}
	list_for_each_entry(cond, &filter->conds, list) {
		/* The other kinds have files with counts. A write of a comment has no effect */
		if (file->lines == GRAPH_LINES_EXPRS && cond->nr_left_out)
			seq_printf(m, "# %u functions, %u left out\n", cond->nr_funcs,
				   cond->nr_left_out);
		seq_printf(m, "%s\n", cond->line);
	}
	return 0;
}

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

/* The state of a file with lines that is open for writing: what the next write does */
enum lines_write {
	/* It adds lines */
	LINES_ADD,
	/* It replaces the lines, which are removed if there is no write */
	LINES_REPLACE,
	/* It replaces the lines; the last write was refused */
	LINES_REFUSED,
};

static int clear_counts(const struct graph_file *file, struct trace_array *tr)
{
	struct graph_filter *filter;

	guard(mutex)(&trace_types_lock);
	filter = *graph_lines_of(tr, file->lines);
	return filter ? change_stopped(tr, file->clear, filter) : 0;
}

static int file_open(struct inode *inode, struct file *filp)
{
	const struct graph_file *file = file_of(filp);
	struct trace_array *tr = inode->i_private;
	bool truncate = filp->f_mode & FMODE_WRITE && filp->f_flags & O_TRUNC;
	bool lines = file->empty && filp->f_mode & FMODE_WRITE;
	int ret;

	/* private_data can hold only the state of a reader or the state of a writer */
	if (lines && filp->f_mode & FMODE_READ)
		return -EINVAL;
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	if (lines)
		filp->private_data = (void *)(long)(truncate ? LINES_REPLACE : LINES_ADD);
	else
		ret = single_open(filp, file->show, tr);
	if (!ret && truncate && file->clear) {
		ret = clear_counts(file, tr);
		if (ret)
			single_release(inode, filp);
	}
	if (ret)
		trace_array_put(tr);
	return ret;
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

static ssize_t file_write(struct file *filp, const char __user *ubuf,
			  size_t cnt, loff_t *ppos)
{
	struct lines_change change = {
		.tr = file_inode(filp)->i_private, .file = file_of(filp),
	};
	bool add = filp->private_data == (void *)LINES_ADD;
	char *text;
	int ret;

	/* Opening a file with counts has cleared them, as for the file trace */
	if (!change.file->empty)
		return change.file->clear ? cnt : -EINVAL;
	if (cnt > GRAPH_LINES_MAX_WRITE)
		return -ENOSPC;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = refuse_nul(&change, text, cnt);
	if (!ret) {
		if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
			expr_layouts_prepare(text);
		ret = write_lines(&change, text, !add);
	}
	kfree(text);
	if (!add)
		filp->private_data = (void *)(long)(ret ? LINES_REFUSED : LINES_ADD);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static int file_release(struct inode *inode, struct file *filp)
{
	struct lines_change change = { .tr = inode->i_private, .file = file_of(filp) };
	char nothing[] = "";

	if (!change.file->empty || filp->f_mode & FMODE_READ)
		single_release(inode, filp);
	else if (filp->private_data == (void *)LINES_REPLACE)
		write_lines(&change, nothing, true);
	trace_array_put(change.tr);
	return 0;
}

#define GRAPH_FOPS {			\
	.open		= file_open,	\
	.read		= seq_read,	\
	.write		= file_write,	\
	.llseek		= tracing_lseek, \
	.release	= file_release,	\
}

static const struct graph_file files[] = {
	{ GRAPH_FOPS, "set_graph_filter", TRACE_MODE_WRITE, GRAPH_LINES_FILTER,
	  .show = show_lines, .empty = "all calls" },
	{ GRAPH_FOPS, "graph_filter_counts", TRACE_MODE_READ, GRAPH_LINES_FILTER,
	  .show = show_counts },
	{ GRAPH_FOPS, "set_graph_hist", TRACE_MODE_WRITE, GRAPH_LINES_HIST,
	  .show = show_lines, .empty = "no calls are counted" },
	{ GRAPH_FOPS, "graph_hist", TRACE_MODE_WRITE, GRAPH_LINES_HIST,
	  .show = graph_hist_show, .clear = graph_hist_clear },
	{ GRAPH_FOPS, "func_args_expr", TRACE_MODE_WRITE, GRAPH_LINES_EXPRS,
	  .show = show_lines, .empty = "no expressions" },
};

/**
 * trace_graph_lines_init_tracefs - create the files of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 * @lines: the kind of the lines
 */
void trace_graph_lines_init_tracefs(struct trace_array *tr, struct dentry *parent,
				    enum graph_lines lines)
{
	const struct graph_file *file;

	for (file = files; file < files + ARRAY_SIZE(files); file++)
		if (file->lines == lines)
			trace_create_file(file->name, file->mode, parent, tr, &file->fops);
}

/**
 * trace_graph_lines_remove - free the lines of a trace instance that is removed
 * @tr: the trace instance; no tracer runs in it
 * @lines: the kind of the lines
 *
 * The caller holds trace_types_lock.
 */
void trace_graph_lines_remove(struct trace_array *tr, enum graph_lines lines)
{
	struct graph_filter **filter = graph_lines_of(tr, lines);

	if (lines == GRAPH_LINES_EXPRS)
		call_args_set_exprs(tr, NULL);
	graph_filter_retire(*filter);
	*filter = NULL;
}

static char boot_lines[COMMAND_LINE_SIZE] __initdata;

/* The kernel's parameter ftrace_graph_filter has the functions of set_graph_function */
static int __init keep_boot_lines(char *lines)
{
	strscpy(boot_lines, lines);
	return 1;
}
__setup("ftrace_graph_condition=", keep_boot_lines);

/*
 * Set the lines of the kernel's command line in the top instance, with a ";" between two lines:
 * after the signatures, and before a tracer of the command line begins. error_log shows the line
 * that was refused
 */
static int __init set_boot_lines(void)
{
	struct lines_change change = { .tr = top_trace_array(), .file = &files[0] };
	int ret;

	if (!*boot_lines)
		return 0;
	strreplace(boot_lines, ';', '\n');
	ret = change.tr ? write_lines(&change, boot_lines, true) : -ENODEV;
	if (ret)
		pr_err("%s: the lines of the command line are not set: %d\n",
		       change.file->name, ret);
	return 0;
}
early_initcall(set_boot_lines);
