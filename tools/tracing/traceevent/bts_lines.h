/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branches of a CPU as lines of a tree of calls
 *
 *	function() {			a call, or another way into a function
 *	  function();			a call without any branch but its return
 *	  +0x5e -> +0x80		a jump
 *	  17 x +0x9c -> +0x80		a loop
 *	  4 x [ +0x10 -> +0x40, function(); ]
 *	}
 *
 * A comment has the kind of the branch and the place in the caller.  An offset without a
 * name belongs to the innermost function.  An offset without a name after "->" belongs to
 * the function on the left.  So the line has all addresses of the branch.
 *
 * The reader of a trace passes each branch to bts_tree_next(), see bts_tree.h, and
 * passes the branch and its move to bts_lines_put(), which writes the lines that are
 * complete.
 *
 * The plugin and trace-calls share bts_lines.c.
 */
#ifndef _TRACEEVENT_BTS_LINES_H
#define _TRACEEVENT_BTS_LINES_H

#include <stdbool.h>

#include <linux/types.h>

#include "bts_tree.h"

struct trace_seq;

/*
 * Maximum branches in a turn of a loop; a call without branches except its return counts
 * as 1
 */
#define BTS_LOOP_MAX	8

/**
 * struct bts_item - a jump, or a call with its return
 * @from: the origin of the branch
 * @to: the target of the branch
 * @end_from: the origin of the return
 * @end_to: the target of the return
 * @func: the function that the branch is shown in, 0 if the function is not known
 * @time: the time of the branch
 * @kind: the kind of the branch
 * @end_kind: the kind of the return
 * @sure: whether the instruction or the kernel entry determines the kind
 * @end_sure: whether the instruction determines the kind of the return
 * @leaf: whether the item is a call with its return
 */
struct bts_item {
	u64		from;
	u64		to;
	u64		end_from;
	u64		end_to;
	u64		func;
	u64		time;
	enum bts_kind	kind;
	enum bts_kind	end_kind;
	bool		sure;
	bool		end_sure;
	bool		leaf;
};

/**
 * struct bts_symbol - the symbol of an address
 * @name: the symbol's name, NULL if the address has no symbol
 * @start: the symbol's address, 0 if the address has no symbol
 */
struct bts_symbol {
	const char	*name;
	u64		start;
};

/**
 * struct bts_output - how lines are written
 * @find: finds the symbol of an address; the text of the previous symbol may be
 *	overwritten
 * @source: writes the line of source of an address; may be NULL
 * @begin: begins a line with the time of its first branch, and returns where the text of
 *	the line goes
 * @end: ends a line; may be NULL
 */
struct bts_output {
	void			(*find)(const struct bts_output *out, u64 addr,
					struct bts_symbol *sym);
	void			(*source)(const struct bts_output *out, struct trace_seq *s,
					  u64 addr);
	struct trace_seq	*(*begin)(struct bts_output *out, u64 time);
	void			(*end)(struct bts_output *out);
};

/**
 * struct bts_lines - branches that are not written yet
 * @out: writes lines
 * @depth: number of open calls in the text
 * @queue: the items that may begin a loop
 * @nr_queued: number of items in @queue
 * @period: the first @period items of @queue are a turn of a loop; 0 if there is no loop
 * @in_turn: number of items after the last complete turn
 * @turns: number of complete turns
 * @begun: a call without branches so far
 * @has_begun: whether there is a call in @begun
 */
struct bts_lines {
	struct bts_output	*out;
	unsigned int		depth;
	struct bts_item		queue[2 * BTS_LOOP_MAX];
	unsigned int		nr_queued;
	unsigned int		period;
	unsigned int		in_turn;
	u64			turns;
	struct bts_item		begun;
	bool			has_begun;
};

enum bts_kind bts_symbol_gate(const char *name, u64 offset);
bool bts_symbol_entry(const char *name, u64 offset);
void bts_branch_find(struct bts_branch *b, const struct bts_output *out);

void bts_lines_start(struct bts_lines *lines, unsigned int depth, struct bts_output *out);
void bts_lines_put(struct bts_lines *lines, const struct bts_branch *b,
		   const struct bts_move *move, u64 time);
void bts_lines_flush(struct bts_lines *lines);

#endif /* _TRACEEVENT_BTS_LINES_H */
