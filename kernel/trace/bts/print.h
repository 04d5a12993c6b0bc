/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of the bts tracer that print the trace
 *
 * bts/print.c:	   blocks as text, a line for each branch
 * bts/print_tree.c: blocks as a tree of calls
 * bts/lines.c:	   the lines of that tree, for user space as well
 */
#ifndef _TRACE_BTS_PRINT_H
#define _TRACE_BTS_PRINT_H

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include "codec.h"
#include "lines.h"

/**
 * struct bts_calls - the open calls of a CPU
 * @pid: PID of the last block's task, -1 before the first block
 * @tree: the calls
 */
struct bts_calls {
	pid_t			pid;
	struct bts_tree		tree;
};

/**
 * struct bts_before - the notes before a block
 * @switched: whether another task ran before
 * @pid: PID of the other task
 * @all: whether there was no previous block; then @lost is the number of all earlier
 *	branches
 * @lost: number of branches that are missing
 * @marks: BTS_MARK_* of the block
 */
struct bts_before {
	bool			switched;
	pid_t			pid;
	bool			all;
	u64			lost;
	u16			marks;
};

/**
 * struct bts_name - room for the names of a symbol
 * @symbol: the name of the symbol
 * @module: the name of the symbol's module
 */
struct bts_name {
	char	symbol[KSYM_NAME_LEN];
	char	module[MODULE_NAME_LEN];
};

/**
 * struct bts_printer - a block that is being printed as a tree of calls
 * @calls: the calls of each CPU
 * @lines: branches of the block that are not printed yet
 * @line: the line that is printed, and the next line
 * @at: the index in @line of the line that is printed
 * @nr: the number of that line in the block
 * @more: whether there is a next line
 * @ended: whether all branches were read
 * @malformed: whether the block ends with bytes that are no branch
 * @before: the notes before the block
 * @name: the name of the symbol that was found last
 */
struct bts_printer {
	struct bts_calls __percpu *calls;
	struct bts_lines	lines;
	struct bts_line		line[2];
	unsigned int		at;
	unsigned int		nr;
	bool			more;
	bool			ended;
	bool			malformed;
	struct bts_before	before;
	struct bts_name		name;
};

/**
 * struct bts_reader - the state of a file of the trace that is being read
 * @dec: the position after the branch that was read last
 * @cpu: the CPU of the branch that was read last
 * @lines: number of branches of the block that have been read
 * @first: the number of the block's first branch
 * @next: for each CPU, the number of the expected next branch
 * @printer: prints a tree of calls; NULL if the option bts-tree was not set
 * @tree: whether bts-tree was set when the file was opened
 * @printing: whether @dec is the position of @printer, not the position of a branch's
 *	line
 */
struct bts_reader {
	struct bts_decoder	dec;
	int			cpu;
	unsigned int		lines;
	u64			first;
	u64 __percpu		*next;
	struct bts_printer	*printer;
	bool			tree;
	bool			printing;
};

/* bts/print.c */

void bts_find_before(struct trace_iterator *iter, struct bts_reader *reader,
		     struct bts_before *before);
void bts_print_before(struct trace_iterator *iter, const struct bts_before *before,
		      void (*begin)(struct trace_iterator *iter));
void bts_print_context(struct trace_iterator *iter, pid_t pid);
void bts_print_address(struct trace_iterator *iter, u64 addr, unsigned long flags);
bool bts_find_text(struct trace_iterator *iter, u64 addr, unsigned long *ip);
void bts_lookup_symbol(struct trace_iterator *iter, u64 addr, struct bts_name *name,
		       struct bts_symbol *sym);

/* bts/print_tree.c */

struct bts_printer *bts_alloc_printer(void);
void bts_free_printer(struct bts_printer *printer);
void bts_reset_printer(struct bts_printer *printer);
enum print_line_t bts_print_tree(struct trace_iterator *iter,
				 struct bts_reader *reader);

#endif /* _TRACE_BTS_PRINT_H */
