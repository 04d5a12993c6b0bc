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

/* The size of ENDBR64, which a direct call may skip */
#define ENDBR_SIZE	4

/**
 * struct bts_gate - symbols of code that enters the kernel
 * @name: the symbol, or the begin of symbols if @prefix is set
 * @kind: the kind of the entry
 * @prefix: whether @name is the begin of the names of several symbols
 * @inside: whether an entry may be after the symbol's first instruction, because the
 *	symbol has a stub for each vector
 */
struct bts_gate {
	const char	*name;
	enum bts_kind	kind;
	bool		prefix;
	bool		inside;
};

static const struct bts_gate bts_gates[] = {
	{ "asm_sysvec_", BTS_KIND_INTERRUPT, true },
	{ "irq_entries_start", BTS_KIND_INTERRUPT, .inside = true },
	{ "spurious_entries_start", BTS_KIND_INTERRUPT, .inside = true },
	{ "asm_exc_", BTS_KIND_EXCEPTION, true },
	{ "entry_SYSCALL_64", BTS_KIND_SYSCALL },
	{ "entry_SYSCALL_compat", BTS_KIND_SYSCALL },
	{ "entry_SYSENTER_compat", BTS_KIND_SYSCALL },
	{ "entry_INT80_compat", BTS_KIND_SYSCALL },
	{ "asm_int80_emulation", BTS_KIND_SYSCALL },
};

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
 * bts_symbol_gate - find the kind of kernel entry at a place
 * @name: the place's symbol
 * @offset: the offset from the symbol
 *
 * Return: BTS_KIND_INTERRUPT, BTS_KIND_EXCEPTION, BTS_KIND_SYSCALL, or BTS_KIND_NONE.
 */
enum bts_kind bts_symbol_gate(const char *name, u64 offset)
{
	const struct bts_gate *gate;

	for (gate = bts_gates; gate < bts_gates + ARRAY_SIZE(bts_gates); gate++) {
		if (gate->prefix ? strncmp(name, gate->name, strlen(gate->name)) :
				   strcmp(name, gate->name))
			continue;
		if (!offset || gate->inside)
			return gate->kind;
	}
	return BTS_KIND_NONE;
}

/**
 * bts_symbol_entry - whether a place is where a function is called
 * @name: the place's symbol
 * @offset: the offset from the symbol
 *
 * Return: true if so, false otherwise.
 */
bool bts_symbol_entry(const char *name, u64 offset)
{
	size_t len = strlen(name);

	if (offset && offset != ENDBR_SIZE)
		return false;
	/* The unlikely part of a function is reached only by jumps */
	return len < 5 || strcmp(name + len - 5, ".cold");
}

/**
 * bts_branch_find - find the symbols of a branch
 * @b: the branch, with its addresses; the members for symbols are set
 * @out: finds symbols
 */
void bts_branch_find(struct bts_branch *b, const struct bts_output *out)
{
	struct bts_symbol sym;

	out->find(out, b->from, &sym);
	b->from_func = sym.start;
	out->find(out, b->to, &sym);
	b->to_func = sym.start;
	b->entry = sym.name && bts_symbol_entry(sym.name, b->to - sym.start);
	b->gate = BTS_KIND_NONE;
	if (sym.name)
		b->gate = bts_symbol_gate(sym.name, b->to - sym.start);
}

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

/* Whether a branch ends a call whose begin is not known */
static bool bts_ends_unknown(const struct bts_branch *b,
			     const struct bts_move *move)
{
	if (move->depth || move->enter)
		return false;
	if (move->kind != BTS_KIND_RETURN && move->kind != BTS_KIND_IRET &&
	    move->kind != BTS_KIND_SYSRET)
		return false;
	return !b->to_func || b->from_func != b->to_func;
}

static void bts_write_number(struct trace_seq *s, u64 addr)
{
	trace_seq_printf(s, "0x%llx", (unsigned long long)addr);
}

/* Write a place, only its offset if the place is in @func; returns the place's function */
static u64 bts_write_place(struct trace_seq *s, const struct bts_output *out,
			   u64 addr, u64 func)
{
	struct bts_symbol sym;

	out->find(out, addr, &sym);
	if (!sym.name) {
		bts_write_number(s, addr);
		return 0;
	}
	if (sym.start != func)
		trace_seq_puts(s, sym.name);
	trace_seq_printf(s, "+0x%llx", (unsigned long long)(addr - sym.start));
	return sym.start;
}

/* Write the function that a call begins */
static void bts_write_function(struct trace_seq *s, const struct bts_output *out,
			       u64 addr)
{
	struct bts_symbol sym;

	out->find(out, addr, &sym);
	if (!sym.name) {
		bts_write_number(s, addr);
	} else {
		trace_seq_puts(s, sym.name);
		if (addr != sym.start)
			trace_seq_printf(s, "+0x%llx",
					 (unsigned long long)(addr - sym.start));
	}
	trace_seq_puts(s, "()");
}

static u64 bts_find_func(const struct bts_output *out, u64 addr)
{
	struct bts_symbol sym;

	out->find(out, addr, &sym);
	return sym.start;
}

static void bts_write_kind(struct trace_seq *s, enum bts_kind kind, bool sure)
{
	trace_seq_puts(s, bts_kind_names[kind]);
	if (!sure)
		trace_seq_putc(s, '?');
}

static void bts_write_source(struct trace_seq *s, const struct bts_output *out,
			     u64 addr)
{
	if (out->source)
		out->source(out, s, addr);
}

/*
 * Write a call: the function, @between, the kind of the branch, and the place in the
 * caller
 */
static void bts_write_call(struct trace_seq *s, const struct bts_item *item,
			   const struct bts_output *out, const char *between)
{
	bts_write_function(s, out, item->to);
	trace_seq_puts(s, between);
	bts_write_kind(s, item->kind, item->sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, out, item->from, item->func);
	bts_write_source(s, out, item->from);
}

static void bts_write_item(struct trace_seq *s, const struct bts_item *item,
			   const struct bts_output *out)
{
	u64 func;

	if (!item->leaf) {
		func = bts_write_place(s, out, item->from, item->func);
		trace_seq_puts(s, " -> ");
		bts_write_place(s, out, item->to, func);
		trace_seq_puts(s, " /* ");
		bts_write_kind(s, item->kind, item->sure);
		bts_write_source(s, out, item->from);
		trace_seq_puts(s, " */");
		return;
	}
	bts_write_call(s, item, out, "; /* ");
	trace_seq_puts(s, ", ");
	bts_write_kind(s, item->end_kind, item->end_sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, out, item->end_from, bts_find_func(out, item->to));
	trace_seq_puts(s, " -> ");
	bts_write_place(s, out, item->end_to, bts_find_func(out, item->from));
	trace_seq_puts(s, " */");
}

static void bts_write_end(struct trace_seq *s, const struct bts_item *item,
			  const struct bts_output *out)
{
	trace_seq_puts(s, " /* ");
	bts_write_kind(s, item->kind, item->sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, out, item->from, 0);
	trace_seq_puts(s, " -> ");
	bts_write_place(s, out, item->to, 0);
	bts_write_source(s, out, item->from);
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
	bts_write_call(s, &lines->begun, lines->out, " { /* ");
	trace_seq_puts(s, " */");
	bts_end_line(lines);
	lines->has_begun = false;
	lines->depth++;
}

static bool bts_same_item(const struct bts_item *a, const struct bts_item *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind &&
	       a->sure == b->sure && a->leaf == b->leaf &&
	       a->end_from == b->end_from && a->end_to == b->end_to &&
	       a->end_kind == b->end_kind && a->end_sure == b->end_sure &&
	       a->func == b->func;
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

/* Write the ends of calls. The branch that ends the calls is @end, or in another line. */
static void bts_put_ends(struct bts_lines *lines, unsigned int nr, const struct bts_item *end,
			 u64 time)
{
	struct trace_seq *s;

	do {
		if (lines->depth)
			lines->depth--;
		s = bts_begin_line(lines, time);
		trace_seq_putc(s, '}');
		if (end)
			bts_write_end(s, end, lines->out);
		bts_end_line(lines);
		end = NULL;
	} while (nr && --nr);
}

/**
 * bts_lines_put - add the next branch
 * @lines: the lines
 * @b: the branch
 * @move: the branch's effect, from bts_tree_next()
 * @time: the time of the branch
 */
void bts_lines_put(struct bts_lines *lines, const struct bts_branch *b,
		   const struct bts_move *move, u64 time)
{
	struct bts_item item = {
		.from	= b->from,
		.to	= b->to,
		.func	= move->func,
		.time	= time,
		.kind	= move->kind,
		.sure	= move->sure,
	};
	bool ends = move->leave || bts_ends_unknown(b, move);

	if (lines->has_begun && move->leave == 1 && !move->enter) {
		lines->begun.leaf = true;
		lines->begun.end_from = b->from;
		lines->begun.end_to = b->to;
		lines->begun.end_kind = move->kind;
		lines->begun.end_sure = move->sure;
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
		bts_put_ends(lines, move->leave, move->enter ? NULL : &item, time);
	if (ends && !move->enter)
		return;
	/* A branch that also ends a call is shown where it begins another call */
	if (ends || move->lost)
		item.func = 0;
	if (move->enter) {
		lines->begun = item;
		lines->has_begun = true;
	} else {
		bts_queue_item(lines, &item);
	}
}
