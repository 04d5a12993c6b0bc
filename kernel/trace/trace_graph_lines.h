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
 * struct graph_lines_kind - one of the files
 * @name: its name
 * @empty: what it shows if there are no lines
 * @offset: where struct trace_array has its lines
 * @begin: gets ready what the lines of a write may need, before any lock is taken; NULL if
 *	nothing
 * @parse: parses a line
 * @prepare: makes what a new line needs beside its programs; NULL if nothing
 * @set: puts the lines into use while a tracer may run, after which nothing uses those of
 *	before; NULL if the tracer is stopped for it
 * @other: where it has the lines that exclude these; 0 if there are none
 */
struct graph_lines_kind {
	const char			*name;
	const char			*empty;
	size_t				offset;
	void				(*begin)(const char *lines);
	struct graph_cond		*(*parse)(const char *line,
						  struct graph_cond_error *err);
	int				(*prepare)(struct graph_cond *cond);
	int				(*set)(struct trace_array *tr,
					       struct graph_filter *filter);
	size_t				other;
};

int graph_lines_show(struct seq_file *m, const struct graph_lines_kind *kind);
int graph_lines_open(struct inode *inode, struct file *filp,
		     const struct graph_lines_kind *kind,
		     int (*show)(struct seq_file *m, void *v));
ssize_t graph_lines_write(struct file *filp, const char __user *ubuf,
			  size_t cnt, loff_t *ppos);
int graph_lines_release(struct inode *inode, struct file *filp);

/* The operations of a file, @name##_lines_fops; its kind is @name##_lines */
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
