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
 * A comment has the kind of the branch, and the place in the caller.  An offset alone
 * belongs to the innermost function; behind "->" it belongs to the function on the left.
 * So each branch can be told from its line.
 *
 * The reader of a trace gives each branch to bts_tree_next(), see trace_bts_tree.h, and
 * what the branch does to bts_lines_put().  Then the reader takes the lines that are
 * complete by bts_lines_take(), until there is none.  A line has all that is needed to
 * write it again.  Nothing is allocated.
 *
 * The kernel, the plugin of libtraceevent and trace-calls are built of the same file,
 * trace_bts_lines.c.
 */
#ifndef _TRACE_BTS_LINES_H
#define _TRACE_BTS_LINES_H

#include <linux/types.h>

#include "trace_bts_tree.h"

struct trace_seq;

/* Maximum branches in a turn of a loop; calls without other branches count as one */
#define BTS_LOOP_MAX	8

/**
 * struct bts_item - a jump, or a call with its return
 * @from: where it came from
 * @to: where it led to
 * @end_from: where the return came from
 * @end_to: where the return led to
 * @func: the function that it is shown in, 0 if that is not known
 * @time: its time
 * @kind: its kind
 * @end_kind: the kind of the return
 * @sure: the instruction tells the kind
 * @end_sure: the instruction tells the kind of the return
 * @leaf: it is a call with its return
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
 * enum bts_line_type - what a line is
 * @BTS_LINE_ITEM: a jump, or a call with its return
 * @BTS_LINE_LOOP: several turns of such items
 * @BTS_LINE_BEGIN: the begin of a call
 * @BTS_LINE_END: the branch that ends a call
 * @BTS_LINE_BRACE: the end of a call by the branch of another line
 * @BTS_LINE_NOTE: something about the branches
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
 * @type: what it is
 * @depth: how often it is indented
 * @nr: number of @items
 * @turns: number of turns of a loop
 * @time: the time of its first branch
 * @note: the text of a note
 * @items: the branches; nothing for a brace and a note
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
 * @depth: number of calls that are open in the text
 * @queue: what may be the begin of a loop
 * @nr_queued: number of items in @queue
 * @period: the first @period items of @queue are a turn of a loop; 0 if there is none
 * @in_turn: number of items behind the last complete turn
 * @turns: number of complete turns
 * @begun: a call of which nothing but its begin is known yet
 * @has_begun: there is such a call
 * @time: the time of the branch that was put last
 * @nr_out: number of items of @queue that come next
 * @loop_out: the loop comes next
 * @all_out: all of @queue, and @begun, come next
 * @lost: a note about calls that are not known comes behind that
 * @has_end: @end comes behind that
 * @braces: number of braces behind that
 * @end: the branch that ends a call
 * @has_item: @item goes to the queue behind that
 * @enters: @item begins a call
 * @item: the branch that was put last
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
 * @name: its name, NULL if there is none
 * @module: its module, or NULL
 * @start: its address, 0 if there is none
 */
struct bts_symbol {
	const char	*name;
	const char	*module;
	u64		start;
};

/**
 * struct bts_names - how addresses are written
 * @find: finds the symbol of an address; the text of the symbol before need not remain
 * @number: writes an address that has no symbol; NULL: as a number
 * @source: writes the line of source of an address; may be NULL
 * @data: for these functions
 */
struct bts_names {
	void	(*find)(const struct bts_names *names, u64 addr, struct bts_symbol *sym);
	void	(*number)(const struct bts_names *names, struct trace_seq *s, u64 addr);
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

#endif /* _TRACE_BTS_LINES_H */
