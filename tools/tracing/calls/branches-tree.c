// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as a tree of calls
 *
 * bts_lines.c makes the lines, for the plugin as well.  A line begins with the task, the
 * CPU and the time, or with the text of its flow.  The source line of a branch's origin
 * follows the branch.  A loop may continue in the next block of the CPU.
 */
#include <linux/trace_seq.h>

#include "branches.h"
#include "calls.h"

/* The flow of the branches in @lines */
static struct flow *current;
static struct bts_lines lines;

static void tree_find_symbol(const struct bts_names *names, u64 addr, struct bts_symbol *sym)
{
	struct place *place = place_find(addr);

	*sym = (struct bts_symbol){ };
	if (place) {
		sym->name = place->name;
		sym->start = place->func;
	}
}

static void write_source(const struct bts_names *names, struct trace_seq *s, u64 addr)
{
	struct place *place = place_find(addr);
	const char *source = place ? place_source(place) : NULL;

	if (source)
		trace_seq_printf(s, " %s", source);
}

static const struct bts_names names = {
	.find	= tree_find_symbol,
	.source	= write_source,
};

static void tree_put_line(struct calls *calls, const struct flow *flow, const struct bts_line *line)
{
	u64 usecs = (line->time + 500) / 1000;
	struct trace_seq s;

	trace_seq_init(&s);
	if (flow->begin) {
		trace_seq_puts(&s, flow->begin);
	} else {
		if (flow->buffer->name)
			trace_seq_printf(&s, "%s: ", flow->buffer->name);
		trace_seq_printf(&s, "%16s-%-7d [%03d] %5llu.%06llu: ",
				 task_comm(calls, flow->task), flow->task->pid, flow->cpu,
				 (unsigned long long)(usecs / 1000000),
				 (unsigned long long)(usecs % 1000000));
	}
	bts_line_write(&s, line, &names);
	trace_seq_putc(&s, '\n');
	trace_seq_terminate(&s);
	out_puts(s.buffer);
	trace_seq_destroy(&s);
}

static void tree_put_lines(struct calls *calls)
{
	struct bts_line line;

	while (bts_lines_take(&lines, &line))
		tree_put_line(calls, current, &line);
}

static void set_flow(struct calls *calls, struct flow *flow, unsigned int open)
{
	if (current == flow)
		return;
	if (current) {
		bts_lines_flush(&lines);
		tree_put_lines(calls);
	}
	current = flow;
	bts_lines_start(&lines, open);
}

static void tree_put_note(struct calls *calls, struct flow *flow, const char *text)
{
	struct bts_line line = {
		.type	= BTS_LINE_NOTE,
		.time	= flow->time,
		.note	= text,
	};

	set_flow(calls, NULL, 0);
	tree_put_line(calls, flow, &line);
}

static void tree_put_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	set_flow(calls, flow, branch->move.depth);
	bts_lines_put(&lines, &branch->known, &branch->move, flow->time);
	tree_put_lines(calls);
}

static void end_tree(struct calls *calls)
{
	set_flow(calls, NULL, 0);
}

const struct view tree_view = {
	.name	= "tree",
	.note	= tree_put_note,
	.branch	= tree_put_branch,
	.end	= end_tree,
};
