/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files with lines about calls: set_graph_filter, set_graph_hist and func_args_expr
 */
#ifndef _TRACE_GRAPH_LINES_H
#define _TRACE_GRAPH_LINES_H

#include <linux/types.h>

struct file;
struct graph_cond;
struct graph_cond_error;
struct graph_filter;
struct inode;
struct seq_file;
struct trace_array;

/**
 * struct graph_lines_kind - the kind of a file with lines
 * @name: the name of the file
 * @empty: the text that the file shows if there are no lines
 * @offset: the offset of the file's lines in struct trace_array
 * @parse: parses a line
 * @prepare: makes the data that a new line needs besides its programs, or NULL
 * @set: makes the new lines active while a tracer runs, whose calls may use the previous
 *	lines until graph_filter_retire() frees them. NULL if the tracer is stopped for the
 *	change
 * @other: the offset in struct trace_array of the lines that exclude these lines, or 0
 */
struct graph_lines_kind {
	const char			*name;
	const char			*empty;
	size_t				offset;
	struct graph_cond		*(*parse)(const char *line,
						  struct graph_cond_error *err);
	int				(*prepare)(struct graph_cond *cond);
	int				(*set)(struct trace_array *tr,
					       struct graph_filter *filter);
	size_t				other;
};

int graph_lines_change_stopped(struct trace_array *tr, void (*change)(void *data),
			       void *data);
int graph_single_open(struct inode *inode, struct file *filp,
		      int (*show)(struct seq_file *m, void *v));
int graph_single_release(struct inode *inode, struct file *filp);
int graph_lines_show(struct seq_file *m, const struct graph_lines_kind *kind);
int graph_lines_open(struct inode *inode, struct file *filp,
		     const struct graph_lines_kind *kind,
		     int (*show)(struct seq_file *m, void *v));
ssize_t graph_lines_write(struct file *filp, const char __user *ubuf,
			  size_t cnt, loff_t *ppos);
int graph_lines_release(struct inode *inode, struct file *filp);
void graph_lines_boot(const struct graph_lines_kind *kind, char *lines);

/*
 * Define the operations of a file, @name##_lines_fops; the kind of the file is
 * @name##_lines
 */
#define DEFINE_GRAPH_LINES(name)						\
static int name##_lines_show(struct seq_file *m, void *v)			\
{										\
	return graph_lines_show(m, &name##_lines);				\
}										\
										\
static int name##_lines_open(struct inode *inode, struct file *filp)		\
{										\
	return graph_lines_open(inode, filp, &name##_lines, name##_lines_show);	\
}										\
										\
static const struct file_operations name##_lines_fops = {			\
	.open		= name##_lines_open,					\
	.read		= seq_read,						\
	.write		= graph_lines_write,					\
	.llseek		= tracing_lseek,					\
	.release	= graph_lines_release,					\
}

#endif /* _TRACE_GRAPH_LINES_H */
