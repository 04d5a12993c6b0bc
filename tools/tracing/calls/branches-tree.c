// SPDX-License-Identifier: GPL-2.0
/*
 * Branches as a tree of calls
 *
 *	function() {			a call, or another way into a function
 *	  function();			a call without any branch but its return
 *	  +0x5e -> +0x80		a jump
 *	  17 x +0x9c -> +0x80		a loop
 *	  4 x [ +0x10 -> +0x40, function(); ]
 *	}
 *
 * Each line has the task, the CPU and the time before it, and the kind of the branch, its
 * origin, and the line of source of the origin behind it.  An offset alone belongs to the
 * innermost function; behind "->" it belongs to the function on the left.  So each
 * branch can be told from its line.
 *
 * A branch that begins no call is not written at once: it may be the begin of a loop.
 * The branches at the end of the queue are compared with those before them.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "calls.h"

/* Maximum branches in a turn of a loop; calls without other branches count as one */
#define MAX_PERIOD	8

/**
 * struct shown - a jump, or a call with its return
 * @from: where it came from
 * @to: where it led to
 * @kind: its kind
 * @sure: the instruction tells the kind
 * @leaf: it is a call with its return
 * @end_from: where the return came from
 * @end_to: where the return led to
 * @end_kind: the kind of the return
 * @end_sure: the instruction tells that
 * @func: the function that it is shown in, 0 if that is not known
 * @time: its time
 */
struct shown {
	struct place	*from;
	struct place	*to;
	enum bts_kind	kind;
	bool		sure;
	bool		leaf;
	struct place	*end_from;
	struct place	*end_to;
	enum bts_kind	end_kind;
	bool		end_sure;
	u64		func;
	u64		time;
};

/* The flow whose branches are in the queue, or that is being written */
static struct flow *current;

/* Items that are not written, of the calls that are @depth deep */
static struct shown queue[2 * MAX_PERIOD];
static unsigned int nr_queued, depth;

/* A loop: the first @period items of the queue are one turn */
static unsigned int period;
static u64 turns;
static unsigned int in_turn;

/* A call of which nothing but its begin is known yet */
static struct shown begun;
static bool has_begun;

static const char * const names[BTS_KIND_NR] = {
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

static void __printf(1, 2) put(const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	out_puts(text);
}

/* What is before each line */
static void put_begin(struct calls *calls, const struct flow *flow, u64 time,
		      unsigned int indent)
{
	u64 usecs = (time + 500) / 1000;

	if (flow->buffer->name)
		put("%s: ", flow->buffer->name);
	put("%16s-%-7d [%03d] %5llu.%06llu: %*s", task_comm(calls, flow->task),
	    flow->task->pid, flow->cpu, (unsigned long long)(usecs / 1000000),
	    (unsigned long long)(usecs % 1000000), 2 * indent, "");
}

static void put_place(const struct place *place, u64 func)
{
	if (!place->name)
		put("0x%llx", (unsigned long long)place->addr);
	else if (place->func == func)
		put("+0x%llx", (unsigned long long)(place->addr - place->func));
	else
		put("%s+0x%llx", place->name,
		    (unsigned long long)(place->addr - place->func));
}

static void put_function(const struct place *place)
{
	if (!place->name)
		put("0x%llx()", (unsigned long long)place->addr);
	else if (place->addr == place->func)
		put("%s()", place->name);
	else
		put("%s+0x%llx()", place->name,
		    (unsigned long long)(place->addr - place->func));
}

static void put_kind(enum bts_kind kind, bool sure)
{
	put("%s%s", names[kind], sure ? "" : "?");
}

static void put_source(struct place *place)
{
	const char *source = place_source(place);

	if (source) {
		out_puts(" ");
		out_puts(source);
	}
}

static void put_item(const struct shown *item)
{
	if (!item->leaf) {
		put_place(item->from, item->func);
		out_puts(" -> ");
		put_place(item->to, item->from->func);
		out_puts(" /* ");
		put_kind(item->kind, item->sure);
		put_source(item->from);
		out_puts(" */");
		return;
	}
	put_function(item->to);
	out_puts("; /* ");
	put_kind(item->kind, item->sure);
	out_puts(" ");
	put_place(item->from, item->func);
	put_source(item->from);
	out_puts(", ");
	put_kind(item->end_kind, item->end_sure);
	out_puts(" ");
	put_place(item->end_from, item->to->func);
	out_puts(" -> ");
	put_place(item->end_to, item->from->func);
	out_puts(" */");
}

/* Write the first @nr items as they are, and remove them */
static void put_items(struct calls *calls, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		put_begin(calls, current, queue[i].time, depth);
		put_item(&queue[i]);
		out_puts("\n");
	}
	nr_queued -= nr;
	memmove(queue, queue + nr, nr_queued * sizeof(*queue));
}

static void put_loop(struct calls *calls)
{
	unsigned int i;

	put_begin(calls, current, queue[0].time, depth);
	put("%llu x ", (unsigned long long)turns);
	if (period > 1)
		out_puts("[ ");
	for (i = 0; i < period; i++) {
		put_item(&queue[i]);
		if (i < period - 1)
			out_puts(", ");
	}
	out_puts(period > 1 ? " ]\n" : "\n");
}

/* The loop has ended within a turn: the begin of that turn stays in the queue */
static void end_loop(struct calls *calls)
{
	if (!period)
		return;
	put_loop(calls);
	nr_queued = in_turn;
	period = 0;
	in_turn = 0;
}

static void flush(struct calls *calls)
{
	end_loop(calls);
	put_items(calls, nr_queued);
}

static bool same(const struct shown *a, const struct shown *b)
{
	return a->from == b->from && a->to == b->to && a->kind == b->kind &&
	       a->sure == b->sure && a->leaf == b->leaf && a->end_from == b->end_from &&
	       a->end_to == b->end_to && a->end_kind == b->end_kind &&
	       a->end_sure == b->end_sure && a->func == b->func;
}

static bool is_loop(unsigned int length)
{
	const struct shown *last = queue + nr_queued - length;
	unsigned int i;

	if (nr_queued < 2 * length)
		return false;
	for (i = 0; i < length; i++)
		if (!same(&last[i], &last[(int)i - (int)length]))
			return false;
	return true;
}

static void queue_shown(struct calls *calls, const struct shown *item)
{
	unsigned int length;

	if (period) {
		if (same(item, &queue[in_turn])) {
			if (++in_turn == period) {
				in_turn = 0;
				turns++;
			}
			return;
		}
		end_loop(calls);
	}
	if (nr_queued == ARRAY_SIZE(queue))
		put_items(calls, 1);
	queue[nr_queued++] = *item;
	for (length = 1; length <= MAX_PERIOD; length++) {
		if (!is_loop(length))
			continue;
		put_items(calls, nr_queued - 2 * length);
		period = length;
		turns = 2;
		return;
	}
}

/* Write the begin of a call of which more is known now */
static void put_begun(struct calls *calls)
{
	if (!has_begun)
		return;
	has_begun = false;
	flush(calls);
	put_begin(calls, current, begun.time, depth++);
	put_function(begun.to);
	out_puts(" { /* ");
	put_kind(begun.kind, begun.sure);
	out_puts(" ");
	put_place(begun.from, begun.func);
	put_source(begun.from);
	out_puts(" */\n");
}

static void set_flow(struct calls *calls, struct flow *flow, unsigned int open)
{
	if (current == flow)
		return;
	if (current) {
		put_begun(calls);
		flush(calls);
	}
	current = flow;
	depth = open;
}

static void put_note(struct calls *calls, struct flow *flow, const char *text)
{
	set_flow(calls, NULL, 0);
	put_begin(calls, flow, flow->time, 0);
	put("[%s]\n", text);
}

static struct shown make_shown(const struct flow *flow, const struct branch *branch)
{
	return (struct shown){
		.from	= branch->from,
		.to	= branch->to,
		.kind	= branch->move.kind,
		.sure	= branch->move.sure,
		.func	= branch->func,
		.time	= flow->time,
	};
}

/* A call has ended; @branch is NULL if it is an outer one of several calls */
static void put_end(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	if (depth)
		depth--;
	put_begin(calls, flow, flow->time, depth);
	if (!branch) {
		out_puts("}\n");
		return;
	}
	out_puts("} /* ");
	put_kind(branch->move.kind, branch->move.sure);
	out_puts(" ");
	put_place(branch->from, 0);
	out_puts(" -> ");
	put_place(branch->to, 0);
	put_source(branch->from);
	out_puts(" */\n");
}

/* Whether a branch ends a call whose begin is not known */
static bool ends_unknown(const struct branch *branch)
{
	enum bts_kind kind = branch->move.kind;

	return !branch->depth && !branch->move.enter &&
	       (kind == BTS_KIND_RETURN || kind == BTS_KIND_IRET ||
		kind == BTS_KIND_SYSRET) &&
	       (!branch->to->func || branch->from->func != branch->to->func);
}

static void end_calls(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	const struct bts_move *move = &branch->move;
	unsigned int left = move->leave;

	if (has_begun && left == 1 && !move->enter) {
		begun.leaf = true;
		begun.end_from = branch->from;
		begun.end_to = branch->to;
		begun.end_kind = move->kind;
		begun.end_sure = move->sure;
		has_begun = false;
		queue_shown(calls, &begun);
		return;
	}
	put_begun(calls);
	flush(calls);
	/* A branch that also begins a call is shown where the call begins */
	put_end(calls, flow, move->enter ? NULL : branch);
	for (; left > 1; left--)
		put_end(calls, flow, NULL);
}

static void put_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	const struct bts_move *move = &branch->move;
	struct shown item = make_shown(flow, branch);

	set_flow(calls, flow, branch->depth);
	if (move->lost) {
		put_note(calls, flow, "OTHER CALLS THAN BEFORE");
		set_flow(calls, flow, 0);
		item.func = 0;
	}
	if (move->leave || ends_unknown(branch)) {
		end_calls(calls, flow, branch);
		if (!move->enter)
			return;
		item.func = 0;
	}
	put_begun(calls);
	if (move->enter) {
		begun = item;
		has_begun = true;
	} else {
		queue_shown(calls, &item);
	}
}

static void end_tree(struct calls *calls)
{
	set_flow(calls, NULL, 0);
}

const struct view tree_view = {
	.name	= "tree",
	.note	= put_note,
	.branch	= put_branch,
	.end	= end_tree,
};
