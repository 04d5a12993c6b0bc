// SPDX-License-Identifier: GPL-2.0
/*
 * The branches of a CPU as lines of a tree of calls, see bts_lines.h
 *
 * A branch that begins no call is not written at once, because the branch may be the
 * begin of a loop.  The branches at the end of the queue are compared with the branches
 * before them.  A call is not written at once either: if the next branch is the return of
 * the call, the call and the return are one item of the queue.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "bts_lines.h"

static const char * const bts_kind_names[BTS_KIND_NR] = {
	[BTS_KIND_NONE]		= "branch",
	[BTS_KIND_JUMP]		= "jump",
	[BTS_KIND_CONDITIONAL]	= "conditional",
	[BTS_KIND_CALL]		= "call",
	[BTS_KIND_RETURN]	= "return",
	[BTS_KIND_INTERRUPT]	= "interrupt",
	[BTS_KIND_EXCEPTION]	= "exception",
	[BTS_KIND_SYSCALL]	= "syscall",
	[BTS_KIND_SYSRET]	= "sysret",
	[BTS_KIND_IRET]		= "iret",
};

/**
 * bts_lines_start - begin the lines of a CPU
 * @lines: the lines; the previous lines were flushed
 * @depth: number of open calls
 * @out: writes the lines
 */
void bts_lines_start(struct bts_lines *lines, unsigned int depth, struct bts_output *out)
{
	memset(lines, 0, sizeof(*lines));
	lines->depth = depth;
	lines->out = out;
}

/* Write an address. The name of the function @func is left out. */
static void bts_write_place(struct trace_seq *s, const struct place *place, u64 func)
{
	if (!place->name) {
		trace_seq_printf(s, "0x%llx", (unsigned long long)place->addr);
		return;
	}
	if (place->func != func)
		trace_seq_puts(s, place->name);
	trace_seq_printf(s, "+0x%llx", (unsigned long long)(place->addr - place->func));
}

/**
 * bts_kind_text - write the kind of a branch as text
 * @move: the branch
 * @text: set to the kind, and a "?" if only the shape of the branch determines it
 *
 * Return: @text.
 */
const char *bts_kind_text(const struct bts_move *move, char text[BTS_KIND_SIZE])
{
	snprintf(text, BTS_KIND_SIZE, "%s%s", bts_kind_names[move->kind], move->sure ? "" : "?");
	return text;
}

/* Write the kind of a branch after @before, and whether the CPU had predicted the branch */
static void bts_write_kind(struct trace_seq *s, const char *before, const struct branch *b,
			   const struct bts_output *out)
{
	char kind[BTS_KIND_SIZE];

	trace_seq_puts(s, before);
	if (b->mispredicted)
		trace_seq_puts(s, "mispredicted ");
	trace_seq_puts(s, bts_kind_text(&b->move, kind));
	if (out->insns && b->insns == INSNS_UNKNOWN)
		trace_seq_puts(s, "[?]");
	else if (out->insns)
		trace_seq_printf(s, "[%u]", b->insns);
}

/**
 * bts_write_places - write both places of a branch
 * @s: the output
 * @b: the branch
 * @from: the function whose name is left out of the first place, or 0
 * @to: the function whose name is left out of the second place, or 0
 */
void bts_write_places(struct trace_seq *s, const struct branch *b, u64 from, u64 to)
{
	bts_write_place(s, b->from, from);
	trace_seq_puts(s, " -> ");
	bts_write_place(s, b->to, to);
}

static void bts_write_source(struct trace_seq *s, const struct branch *b,
			     const struct bts_output *out)
{
	const char *source = out->source ? out->source(b->from) : NULL;

	if (source)
		trace_seq_printf(s, " %s", source);
}

/*
 * Write a call: the function, @between, the kind of the branch, and the place in the
 * caller
 */
static void bts_write_call(struct trace_seq *s, const struct branch *b,
			   const struct bts_output *out, const char *between)
{
	if (b->to->name && b->to->addr == b->to->func)
		trace_seq_puts(s, b->to->name);
	else
		bts_write_place(s, b->to, 0);
	bts_write_kind(s, between, b, out);
	trace_seq_putc(s, ' ');
	bts_write_place(s, b->from, b->move.func);
	bts_write_source(s, b, out);
}

static void bts_write_item(struct trace_seq *s, const struct bts_item *item,
			   const struct bts_output *out)
{
	const struct branch *b = &item->begin;

	if (item->end.from) {
		bts_write_call(s, b, out, "(); /* ");
		bts_write_kind(s, ", ", &item->end, out);
		trace_seq_putc(s, ' ');
		bts_write_places(s, &item->end, b->to->func, b->from->func);
	} else {
		bts_write_places(s, b, b->move.func, b->from->func);
		bts_write_kind(s, " /* ", b, out);
		bts_write_source(s, b, out);
	}
	trace_seq_puts(s, " */");
}

/**
 * bts_write_branch - write a branch whose neighbours are not written
 * @s: the output
 * @b: the branch, which is indented by the calls that are open
 * @out: has the line of source
 */
void bts_write_branch(struct trace_seq *s, const struct branch *b, const struct bts_output *out)
{
	/* If a branch ends calls and begins another one, the calls had ended before */
	unsigned int depth = b->move.depth - (b->move.enter ? b->move.leave : 0);

	trace_seq_printf(s, "%*s", 2 * depth, "");
	bts_write_places(s, b, 0, 0);
	bts_write_kind(s, " /* ", b, out);
	bts_write_source(s, b, out);
	trace_seq_puts(s, " */");
}

/* Begin a line. Returns the text that the line is added to. */
static struct trace_seq *bts_begin_line(struct bts_lines *lines, u64 time)
{
	struct trace_seq *s = lines->out->begin(lines->out, time);

	trace_seq_printf(s, "%*s", 2 * lines->depth, "");
	return s;
}

static void bts_end_line(struct bts_lines *lines)
{
	if (lines->out->end)
		lines->out->end(lines->out);
}

/* Write the first items of the queue, and remove them */
static void bts_put_queued(struct bts_lines *lines, unsigned int nr)
{
	const struct bts_item *item;

	for (item = lines->queue; item < lines->queue + nr; item++) {
		bts_write_item(bts_begin_line(lines, item->time), item, lines->out);
		bts_end_line(lines);
	}
	lines->nr_queued -= nr;
	memmove(lines->queue, item, lines->nr_queued * sizeof(*item));
}

/* Write the loop. The begin of another turn stays in the queue. */
static void bts_put_loop(struct bts_lines *lines)
{
	struct trace_seq *s = bts_begin_line(lines, lines->queue->time);
	unsigned int i;

	trace_seq_printf(s, "%llu x ", (unsigned long long)lines->turns);
	if (lines->period > 1)
		trace_seq_puts(s, "[ ");
	for (i = 0; i < lines->period; i++) {
		if (i)
			trace_seq_puts(s, ", ");
		bts_write_item(s, &lines->queue[i], lines->out);
	}
	if (lines->period > 1)
		trace_seq_puts(s, " ]");
	bts_end_line(lines);
	lines->nr_queued = lines->in_turn;
	lines->period = 0;
	lines->in_turn = 0;
}

/**
 * bts_lines_flush - write all lines
 * @lines: the lines
 *
 * The next branch does not continue a loop.
 */
void bts_lines_flush(struct bts_lines *lines)
{
	struct trace_seq *s;

	if (lines->period)
		bts_put_loop(lines);
	bts_put_queued(lines, lines->nr_queued);
	if (!lines->has_begun)
		return;
	s = bts_begin_line(lines, lines->begun.time);
	bts_write_call(s, &lines->begun.begin, lines->out, "() { /* ");
	trace_seq_puts(s, " */");
	bts_end_line(lines);
	lines->has_begun = false;
	lines->depth++;
}

static bool bts_same_branch(const struct branch *a, const struct branch *b)
{
	return a->from == b->from && a->to == b->to && a->move.kind == b->move.kind &&
	       a->move.sure == b->move.sure && a->move.func == b->move.func &&
	       a->insns == b->insns && a->mispredicted == b->mispredicted;
}

static bool bts_same_item(const struct bts_item *a, const struct bts_item *b)
{
	return bts_same_branch(&a->begin, &b->begin) && bts_same_branch(&a->end, &b->end);
}

/* Whether the last @length items of the queue are equal to the @length items before them */
static bool bts_is_loop(const struct bts_lines *lines, unsigned int length)
{
	unsigned int i;

	if (lines->nr_queued < 2 * length)
		return false;
	for (i = lines->nr_queued - length; i < lines->nr_queued; i++)
		if (!bts_same_item(&lines->queue[i], &lines->queue[i - length]))
			return false;
	return true;
}

static void bts_queue_item(struct bts_lines *lines, const struct bts_item *item)
{
	unsigned int length;

	if (lines->period) {
		if (bts_same_item(item, &lines->queue[lines->in_turn])) {
			if (++lines->in_turn == lines->period) {
				lines->in_turn = 0;
				lines->turns++;
			}
			return;
		}
		bts_put_loop(lines);
	}
	if (lines->nr_queued == ARRAY_SIZE(lines->queue))
		bts_put_queued(lines, 1);
	lines->queue[lines->nr_queued++] = *item;
	for (length = 1; length <= BTS_LOOP_MAX; length++) {
		if (!bts_is_loop(lines, length))
			continue;
		bts_put_queued(lines, lines->nr_queued - 2 * length);
		lines->period = length;
		lines->turns = 2;
		return;
	}
}

/* Write the ends of calls. @end is the branch, NULL if it is in another line. */
static void bts_put_ends(struct bts_lines *lines, unsigned int nr, const struct branch *end,
			 u64 time)
{
	struct trace_seq *s;

	do {
		if (lines->depth)
			lines->depth--;
		s = bts_begin_line(lines, time);
		trace_seq_putc(s, '}');
		if (end) {
			bts_write_kind(s, " /* ", end, lines->out);
			trace_seq_putc(s, ' ');
			bts_write_places(s, end, 0, 0);
			bts_write_source(s, end, lines->out);
			trace_seq_puts(s, " */");
		}
		bts_end_line(lines);
		end = NULL;
	} while (nr && --nr);
}

/**
 * bts_lines_leave - write the ends of calls that a branch without a line of its own ends
 * @lines: the lines
 * @nr: number of calls
 * @time: the time of the branch
 */
void bts_lines_leave(struct bts_lines *lines, unsigned int nr, u64 time)
{
	bts_lines_flush(lines);
	bts_put_ends(lines, nr, NULL, time);
}

/* Whether a branch ends a call whose begin is not known */
static bool bts_ends_unknown(const struct branch *b)
{
	const struct bts_move *move = &b->move;

	if (move->depth || move->enter)
		return false;
	if (move->kind != BTS_KIND_RETURN && move->kind != BTS_KIND_IRET &&
	    move->kind != BTS_KIND_SYSRET)
		return false;
	return !b->to->func || b->from->func != b->to->func;
}

/**
 * bts_lines_put - add the next branch
 * @lines: the lines
 * @b: the branch, after bts_tree_next()
 * @time: the time of the branch
 */
void bts_lines_put(struct bts_lines *lines, const struct branch *b, u64 time)
{
	struct bts_item item = { .begin = *b, .time = time };
	const struct bts_move *move = &b->move;
	bool calls = lines->out->calls;
	bool ends = move->leave || (!calls && bts_ends_unknown(b));

	if (calls) {
		if (!ends && !move->lost && !move->enter)
			return;
		/* The jump to another function has no line, so the function needs its name */
		if (move->func != move->begin)
			item.begin.move.func = 0;
	}

	if (lines->has_begun && move->leave == 1 && !move->enter) {
		lines->begun.end = *b;
		lines->has_begun = false;
		bts_queue_item(lines, &lines->begun);
		return;
	}
	if (move->lost || ends || lines->has_begun)
		bts_lines_flush(lines);
	if (move->lost) {
		lines->depth = 0;
		trace_seq_puts(bts_begin_line(lines, time), "[OTHER CALLS THAN BEFORE]");
		bts_end_line(lines);
	}
	if (ends)
		bts_put_ends(lines, move->leave, move->enter ? NULL : b, time);
	if (ends && !move->enter)
		return;
	/* A branch that also ends a call is shown where it begins another call */
	if (ends || move->lost)
		item.begin.move.func = 0;
	if (move->enter) {
		lines->begun = item;
		lines->has_begun = true;
	} else if (!calls) {
		bts_queue_item(lines, &item);
	}
}
