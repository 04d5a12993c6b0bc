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
 * @names: finds symbols
 */
void bts_branch_find(struct bts_branch *b, const struct bts_names *names)
{
	struct bts_symbol sym;

	names->find(names, b->from, &sym);
	b->from_func = sym.start;
	names->find(names, b->to, &sym);
	b->to_func = sym.start;
	b->entry = sym.name && bts_symbol_entry(sym.name, b->to - sym.start);
	b->gate = BTS_KIND_NONE;
	if (sym.name)
		b->gate = bts_symbol_gate(sym.name, b->to - sym.start);
}

/**
 * bts_lines_start - begin the lines of a CPU
 * @lines: the lines; all previous lines were taken
 * @depth: number of open calls
 */
void bts_lines_start(struct bts_lines *lines, unsigned int depth)
{
	memset(lines, 0, sizeof(*lines));
	lines->depth = depth;
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

/**
 * bts_lines_put - add the next branch
 * @lines: the lines; all complete lines were taken
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

	lines->time = time;
	if (move->lost) {
		lines->all_out = true;
		lines->lost = true;
		item.func = 0;
	}
	if (lines->has_begun && move->leave == 1 && !move->enter) {
		lines->begun.leaf = true;
		lines->begun.end_from = b->from;
		lines->begun.end_to = b->to;
		lines->begun.end_kind = move->kind;
		lines->begun.end_sure = move->sure;
		lines->has_begun = false;
		lines->item = lines->begun;
		lines->has_item = true;
		return;
	}
	if (move->leave || bts_ends_unknown(b, move)) {
		lines->all_out = true;
		lines->braces = move->leave;
		/* A branch that also begins a call is shown where the call begins */
		if (!move->enter) {
			lines->end = item;
			lines->has_end = true;
			if (lines->braces)
				lines->braces--;
			return;
		}
		item.func = 0;
	}
	if (lines->has_begun)
		lines->all_out = true;
	lines->item = item;
	lines->has_item = true;
	lines->enters = move->enter;
}

/**
 * bts_lines_flush - complete all lines
 * @lines: the lines; all complete lines were taken
 *
 * The next branch does not continue a loop.
 */
void bts_lines_flush(struct bts_lines *lines)
{
	lines->all_out = true;
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

/* Add the item to the queue; returns false if a line of the queue has to be taken first */
static bool bts_queue_item(struct bts_lines *lines)
{
	unsigned int length;

	if (lines->period) {
		if (!bts_same_item(&lines->item, &lines->queue[lines->in_turn])) {
			lines->loop_out = true;
			return false;
		}
		if (++lines->in_turn == lines->period) {
			lines->in_turn = 0;
			lines->turns++;
		}
		return true;
	}
	if (lines->nr_queued == ARRAY_SIZE(lines->queue)) {
		lines->nr_out = 1;
		return false;
	}
	lines->queue[lines->nr_queued++] = lines->item;
	for (length = 1; length <= BTS_LOOP_MAX; length++) {
		if (!bts_is_loop(lines, length))
			continue;
		lines->nr_out = lines->nr_queued - 2 * length;
		lines->period = length;
		lines->turns = 2;
		break;
	}
	return true;
}

static void bts_settle_item(struct bts_lines *lines)
{
	if (lines->enters) {
		lines->begun = lines->item;
		lines->has_begun = true;
	} else if (!bts_queue_item(lines)) {
		return;
	}
	lines->has_item = false;
	lines->enters = false;
}

static void bts_set_line(struct bts_line *line, enum bts_line_type type,
			 unsigned int depth, const struct bts_item *items,
			 unsigned int nr)
{
	line->type = type;
	line->depth = depth;
	line->nr = nr;
	if (!nr)
		return;
	line->time = items->time;
	memcpy(line->items, items, nr * sizeof(*items));
}

/* Take a line of the queue, or the line of the call that has begun */
static bool bts_take_queued(struct bts_lines *lines, struct bts_line *line)
{
	if (lines->nr_out || (lines->all_out && lines->nr_queued && !lines->period)) {
		bts_set_line(line, BTS_LINE_ITEM, lines->depth, lines->queue, 1);
		lines->nr_queued--;
		memmove(lines->queue, lines->queue + 1,
			lines->nr_queued * sizeof(*lines->queue));
		if (lines->nr_out)
			lines->nr_out--;
		return true;
	}
	if (lines->period && (lines->all_out || lines->loop_out)) {
		bts_set_line(line, BTS_LINE_LOOP, lines->depth, lines->queue,
			     lines->period);
		line->turns = lines->turns;
		/* The begin of another turn stays in the queue */
		lines->nr_queued = lines->in_turn;
		lines->period = 0;
		lines->in_turn = 0;
		lines->loop_out = false;
		return true;
	}
	if (lines->all_out && lines->has_begun) {
		bts_set_line(line, BTS_LINE_BEGIN, lines->depth++, &lines->begun, 1);
		lines->has_begun = false;
		return true;
	}
	lines->all_out = false;
	return false;
}

/* Take a line that comes after the queue */
static bool bts_take_end(struct bts_lines *lines, struct bts_line *line)
{
	if (lines->lost) {
		bts_set_line(line, BTS_LINE_NOTE, 0, NULL, 0);
		line->time = lines->time;
		line->note = "OTHER CALLS THAN BEFORE";
		lines->lost = false;
		lines->depth = 0;
		return true;
	}
	if (!lines->has_end && !lines->braces)
		return false;
	if (lines->depth)
		lines->depth--;
	if (lines->has_end) {
		bts_set_line(line, BTS_LINE_END, lines->depth, &lines->end, 1);
		lines->has_end = false;
	} else {
		bts_set_line(line, BTS_LINE_BRACE, lines->depth, NULL, 0);
		line->time = lines->time;
		lines->braces--;
	}
	return true;
}

/**
 * bts_lines_take - take the next line
 * @lines: the lines
 * @line: set to the line
 *
 * Return: false if no line is complete.
 */
bool bts_lines_take(struct bts_lines *lines, struct bts_line *line)
{
	for (;;) {
		if (bts_take_queued(lines, line) || bts_take_end(lines, line))
			return true;
		if (!lines->has_item)
			return false;
		bts_settle_item(lines);
	}
}

static void bts_write_number(struct trace_seq *s, u64 addr)
{
	trace_seq_printf(s, "0x%llx", (unsigned long long)addr);
}

/* Write a place, only its offset if the place is in @func; returns the place's function */
static u64 bts_write_place(struct trace_seq *s, const struct bts_names *names,
			   u64 addr, u64 func)
{
	struct bts_symbol sym;

	names->find(names, addr, &sym);
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
static void bts_write_function(struct trace_seq *s, const struct bts_names *names,
			       u64 addr)
{
	struct bts_symbol sym;

	names->find(names, addr, &sym);
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

static u64 bts_find_func(const struct bts_names *names, u64 addr)
{
	struct bts_symbol sym;

	names->find(names, addr, &sym);
	return sym.start;
}

static void bts_write_kind(struct trace_seq *s, enum bts_kind kind, bool sure)
{
	trace_seq_puts(s, bts_kind_names[kind]);
	if (!sure)
		trace_seq_putc(s, '?');
}

static void bts_write_source(struct trace_seq *s, const struct bts_names *names,
			     u64 addr)
{
	if (names->source)
		names->source(names, s, addr);
}

/*
 * Write a call: the function, @between, the kind of the branch, and the place in the
 * caller
 */
static void bts_write_call(struct trace_seq *s, const struct bts_item *item,
			   const struct bts_names *names, const char *between)
{
	bts_write_function(s, names, item->to);
	trace_seq_puts(s, between);
	bts_write_kind(s, item->kind, item->sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, names, item->from, item->func);
	bts_write_source(s, names, item->from);
}

static void bts_write_item(struct trace_seq *s, const struct bts_item *item,
			   const struct bts_names *names)
{
	u64 func;

	if (!item->leaf) {
		func = bts_write_place(s, names, item->from, item->func);
		trace_seq_puts(s, " -> ");
		bts_write_place(s, names, item->to, func);
		trace_seq_puts(s, " /* ");
		bts_write_kind(s, item->kind, item->sure);
		bts_write_source(s, names, item->from);
		trace_seq_puts(s, " */");
		return;
	}
	bts_write_call(s, item, names, "; /* ");
	trace_seq_puts(s, ", ");
	bts_write_kind(s, item->end_kind, item->end_sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, names, item->end_from, bts_find_func(names, item->to));
	trace_seq_puts(s, " -> ");
	bts_write_place(s, names, item->end_to, bts_find_func(names, item->from));
	trace_seq_puts(s, " */");
}

static void bts_write_end(struct trace_seq *s, const struct bts_item *item,
			  const struct bts_names *names)
{
	trace_seq_puts(s, "} /* ");
	bts_write_kind(s, item->kind, item->sure);
	trace_seq_putc(s, ' ');
	bts_write_place(s, names, item->from, 0);
	trace_seq_puts(s, " -> ");
	bts_write_place(s, names, item->to, 0);
	bts_write_source(s, names, item->from);
	trace_seq_puts(s, " */");
}

static void bts_write_loop(struct trace_seq *s, const struct bts_line *line,
			   const struct bts_names *names)
{
	unsigned int i;

	trace_seq_printf(s, "%llu x ", (unsigned long long)line->turns);
	if (line->nr > 1)
		trace_seq_puts(s, "[ ");
	for (i = 0; i < line->nr; i++) {
		if (i)
			trace_seq_puts(s, ", ");
		bts_write_item(s, &line->items[i], names);
	}
	if (line->nr > 1)
		trace_seq_puts(s, " ]");
}

/**
 * bts_line_write - write a line
 * @s: the trace_seq
 * @line: the line
 * @names: how addresses are written
 *
 * The caller writes the task, the CPU and the time before the line, and then the line's
 * end.
 */
void bts_line_write(struct trace_seq *s, const struct bts_line *line,
		    const struct bts_names *names)
{
	trace_seq_printf(s, "%*s", 2 * line->depth, "");
	switch (line->type) {
	case BTS_LINE_ITEM:
		bts_write_item(s, line->items, names);
		break;
	case BTS_LINE_LOOP:
		bts_write_loop(s, line, names);
		break;
	case BTS_LINE_BEGIN:
		bts_write_call(s, line->items, names, " { /* ");
		trace_seq_puts(s, " */");
		break;
	case BTS_LINE_END:
		bts_write_end(s, line->items, names);
		break;
	case BTS_LINE_BRACE:
		trace_seq_putc(s, '}');
		break;
	case BTS_LINE_NOTE:
		trace_seq_printf(s, "[%s]", line->note);
		break;
	}
}
