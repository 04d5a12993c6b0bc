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
 * the function on the left.  So the line has all addresses of the branch.  "mispredicted" comes
 * before the kind of a branch that the CPU had not predicted.  So the turns of a loop are in
 * several lines if the CPU has predicted its branches differently.
 *
 * The reader of a trace passes each branch to bts_tree_next(), see bts_tree.h, and then to
 * bts_lines_put(), which writes the lines that are complete.
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
 * @begin: the branch, with the function that it is shown in
 * @end: the return of the call, with no places if the item is a jump
 * @time: the time of the branch
 */
struct bts_item {
	struct branch	begin;
	struct branch	end;
	u64		time;
};

/**
 * struct bts_output - how lines are written
 * @calls: write only the calls and their ends
 * @insns: write the number of instructions of each branch
 * @source: finds the line of source of an address, NULL if there is none; may be NULL
 * @begin: begins a line with the time of its first branch, and returns where the text of
 *	the line goes
 * @end: ends a line; may be NULL
 */
struct bts_output {
	bool			calls;
	bool			insns;
	const char		*(*source)(struct place *place);
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

/* Bytes of the longest text of a kind */
#define BTS_KIND_SIZE	16

const char *bts_kind_text(const struct bts_move *move, char text[BTS_KIND_SIZE]);
void bts_write_places(struct trace_seq *s, const struct branch *b, u64 from, u64 to);
void bts_write_branch(struct trace_seq *s, const struct branch *b, const struct bts_output *out);

void bts_lines_start(struct bts_lines *lines, unsigned int depth, struct bts_output *out);
void bts_lines_put(struct bts_lines *lines, const struct branch *b, u64 time);
void bts_lines_flush(struct bts_lines *lines);
void bts_lines_leave(struct bts_lines *lines, unsigned int nr, u64 time);

#endif /* _TRACEEVENT_BTS_LINES_H */
