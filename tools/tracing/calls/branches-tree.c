// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as a tree of calls
 *
 * bts_lines.c makes the lines, for the plugin as well.  A line begins with the task, the
 * CPU and the time, or with the text of its flow.  The source line of a branch's origin
 * follows the branch.  A loop may continue in the next block of the CPU.  If only a part of
 * the branches is shown, each branch has a line without its neighbours.
 */
#include <linux/trace_seq.h>

#include "../traceevent/bts_lines.h"
#include "branches.h"
#include "calls.h"

/* The flow of the branches in @lines */
static struct flow *current;
static struct bts_lines lines;

static struct calls *recording;

static struct trace_seq line;

static struct trace_seq *begin_line(const struct flow *flow, u64 time)
{
	u64 usecs = (time + 500) / 1000;

	if (!line.buffer)
		trace_seq_init(&line);
	trace_seq_reset(&line);
	if (flow->begin) {
		trace_seq_puts(&line, flow->begin);
		return &line;
	}
	if (flow->buffer->name)
		trace_seq_printf(&line, "%s: ", flow->buffer->name);
	trace_seq_printf(&line, "%16s-%-7d [%03d] %5llu.%06llu: ",
			 task_comm(recording, flow->task), flow->task->pid, flow->cpu,
			 (unsigned long long)(usecs / 1000000),
			 (unsigned long long)(usecs % 1000000));
	return &line;
}

static struct trace_seq *tree_begin_line(struct bts_output *out, u64 time)
{
	return begin_line(current, time);
}

static void tree_end_line(struct bts_output *out)
{
	trace_seq_putc(&line, '\n');
	trace_seq_terminate(&line);
	out_puts(line.buffer);
}

static struct bts_output out = {
	.source	= place_source,
	.begin	= tree_begin_line,
	.end	= tree_end_line,
};

/* Each branch has a line of its own */
static bool alone;

/**
 * tree_set - choose what the tree shows
 * @calls: only the calls and their ends
 * @each: each branch in a line of its own, without braces and loops
 * @insns: the number of instructions of each branch
 */
void tree_set(bool calls, bool each, bool insns)
{
	out.calls = calls;
	out.insns = insns;
	alone = each;
}

static void set_flow(struct calls *calls, struct flow *flow, unsigned int open)
{
	recording = calls;
	if (current == flow)
		return;
	if (current)
		bts_lines_flush(&lines);
	current = flow;
	bts_lines_start(&lines, open, &out);
}

static void tree_put_note(struct calls *calls, struct flow *flow, const char *text)
{
	set_flow(calls, NULL, 0);
	trace_seq_printf(begin_line(flow, flow->time), "[%s]", text);
	tree_end_line(&out);
}

static void tree_put_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	if (alone) {
		if (out.calls && !branch->move.enter && !branch->move.leave)
			return;
		recording = calls;
		bts_write_branch(begin_line(flow, flow->time), branch, &out);
		tree_end_line(&out);
		return;
	}
	set_flow(calls, flow, branch->move.depth);
	bts_lines_put(&lines, branch, flow->time);
}

static void end_tree(struct calls *calls)
{
	set_flow(calls, NULL, 0);
}

const struct view tree_view = {
	.name		= "tree",
	.samples	= true,
	.note		= tree_put_note,
	.branch		= tree_put_branch,
	.end		= end_tree,
};
