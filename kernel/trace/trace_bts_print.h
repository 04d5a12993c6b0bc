/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bts tracer: reading the trace, between its files
 *
 * trace_bts_print.c:	   blocks as text, a line for each branch
 * trace_bts_print_tree.c: blocks as a tree of calls
 * trace_bts_lines.c:	   the lines of that tree, for user space as well
 * trace_bts_insn.c:	   the instruction that a branch came from
 */
#ifndef _TRACE_BTS_PRINT_H
#define _TRACE_BTS_PRINT_H

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include "trace_bts_codec.h"
#include "trace_bts_lines.h"

/**
 * struct bts_calls - the calls of a CPU that are open
 * @pid: PID of the last block's task, -1 before the first block
 * @tree: the calls
 */
struct bts_calls {
	pid_t			pid;
	struct bts_tree		tree;
};

/**
 * struct bts_before - what is said before a block
 * @switched: another task ran before
 * @pid: PID of that task
 * @all: there was no block before; @lost are all branches before this block
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
 * @symbol: its own
 * @module: its module's
 */
struct bts_name {
	char	symbol[KSYM_NAME_LEN];
	char	module[MODULE_NAME_LEN];
};

/**
 * struct bts_printer - a block that is being printed as a tree of calls
 * @calls: the calls of each CPU
 * @lines: branches of the block that are not printed yet
 * @line: the line that is printed, and the line behind it
 * @at: the index of the line that is printed
 * @nr: the number of that line in the block
 * @more: there is a line behind it
 * @ended: all branches were read
 * @malformed: they end with something that is no branch
 * @before: what is said before the block
 * @name: the symbol that was found last
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
 * struct bts_reader - a file of the trace while it is being read
 * @dec: behind the branch that was read last
 * @cpu: the CPU of that branch
 * @lines: number of branches of its block that have been read
 * @first: the block's first branch
 * @next: for each CPU, the branch that is expected to come next
 * @printer: prints a tree of calls; NULL if nobody wants that
 * @tree: a tree is printed, as bts-tree was when the file was opened
 * @printing: @dec is where @printer is, not where the last line of a branch was
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

/* trace_bts_print.c */

void bts_find_before(struct trace_iterator *iter, struct bts_reader *reader,
		     struct bts_before *before);
void bts_print_before(struct trace_iterator *iter, const struct bts_before *before,
		      void (*begin)(struct trace_iterator *iter));
void bts_print_context(struct trace_iterator *iter, pid_t pid);
void bts_print_address(struct trace_iterator *iter, u64 addr, unsigned long flags);
bool bts_find_text(struct trace_iterator *iter, u64 addr, unsigned long *ip);
void bts_lookup_symbol(struct trace_iterator *iter, u64 addr, struct bts_name *name,
		       struct bts_symbol *sym);

/* trace_bts_print_tree.c */

struct bts_printer *bts_alloc_printer(void);
void bts_free_printer(struct bts_printer *printer);
void bts_reset_printer(struct bts_printer *printer);
enum print_line_t bts_print_tree(struct trace_iterator *iter,
				 struct bts_reader *reader);

/* trace_bts_insn.c */

void bts_read_insn(struct bts_branch *b, unsigned long ip);

#endif /* _TRACE_BTS_PRINT_H */
