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
 * passes the branch and its move to bts_lines_put().  Then the reader takes the complete
 * lines by bts_lines_take(), until there is none.  A line has all data that is needed to
 * write the line again.  No memory is allocated.
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
 * enum bts_line_type - the type of a line
 * @BTS_LINE_ITEM: a jump, or a call with its return
 * @BTS_LINE_LOOP: a loop: several turns of items
 * @BTS_LINE_BEGIN: the begin of a call
 * @BTS_LINE_END: the branch that ends a call
 * @BTS_LINE_BRACE: the end of a call whose last branch is in another line
 * @BTS_LINE_NOTE: a note about the branches
 */
enum bts_line_type {
	BTS_LINE_ITEM,
	BTS_LINE_LOOP,
	BTS_LINE_BEGIN,
	BTS_LINE_END,
	BTS_LINE_BRACE,
	BTS_LINE_NOTE,
};

/**
 * struct bts_line - a line
 * @type: the type of the line
 * @depth: the depth of indentation
 * @nr: number of @items
 * @turns: number of turns of a loop
 * @time: the time of the line's first branch
 * @note: the text of a note
 * @items: the branches; a brace and a note have none
 */
struct bts_line {
	enum bts_line_type	type;
	unsigned int		depth;
	unsigned int		nr;
	u64			turns;
	u64			time;
	const char		*note;
	struct bts_item		items[BTS_LOOP_MAX];
};

/**
 * struct bts_lines - branches that are not written yet
 * @depth: number of open calls in the text
 * @queue: the items that may begin a loop
 * @nr_queued: number of items in @queue
 * @period: the first @period items of @queue are a turn of a loop; 0 if there is no loop
 * @in_turn: number of items after the last complete turn
 * @turns: number of complete turns
 * @begun: a call without branches so far
 * @has_begun: whether there is a call in @begun
 * @time: the time of the last branch
 * @nr_out: number of items of @queue that are the next lines
 * @loop_out: whether the loop is the next line
 * @all_out: whether all of @queue and then @begun are the next lines
 * @lost: whether a note about unknown calls follows
 * @has_end: whether @end follows
 * @braces: number of braces that follow
 * @end: the branch that ends a call
 * @has_item: whether @item goes to the queue, or to @begun, after these lines
 * @enters: whether @item begins a call
 * @item: the last branch
 */
struct bts_lines {
	unsigned int		depth;
	struct bts_item		queue[2 * BTS_LOOP_MAX];
	unsigned int		nr_queued;
	unsigned int		period;
	unsigned int		in_turn;
	u64			turns;
	struct bts_item		begun;
	bool			has_begun;

	u64			time;
	unsigned int		nr_out;
	bool			loop_out;
	bool			all_out;
	bool			lost;
	bool			has_end;
	unsigned int		braces;
	struct bts_item		end;
	bool			has_item;
	bool			enters;
	struct bts_item		item;
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
 * struct bts_names - how addresses are written
 * @find: finds the symbol of an address; the text of the previous symbol may be
 *	overwritten
 * @source: writes the line of source of an address; may be NULL
 * @data: data for the functions
 */
struct bts_names {
	void	(*find)(const struct bts_names *names, u64 addr, struct bts_symbol *sym);
	void	(*source)(const struct bts_names *names, struct trace_seq *s, u64 addr);
	void	*data;
};

enum bts_kind bts_symbol_gate(const char *name, u64 offset);
bool bts_symbol_entry(const char *name, u64 offset);
void bts_branch_find(struct bts_branch *b, const struct bts_names *names);

void bts_lines_start(struct bts_lines *lines, unsigned int depth);
void bts_lines_put(struct bts_lines *lines, const struct bts_branch *b,
		   const struct bts_move *move, u64 time);
void bts_lines_flush(struct bts_lines *lines);
bool bts_lines_take(struct bts_lines *lines, struct bts_line *line);
void bts_line_write(struct trace_seq *s, const struct bts_line *line,
		    const struct bts_names *names);

#endif /* _TRACEEVENT_BTS_LINES_H */
