// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as a tree of calls
 *
 * bts_lines.c makes the lines, for the plugin as well.  A line begins with the task, the
 * CPU and the time, or with the text of its flow.  The source line of a branch's origin
 * follows the branch.  A loop may continue in the next block of the CPU.  If one of N branches is
 * shown, each branch has a line without its neighbours.  If only the branches of some code are
 * shown, the text also has the calls around these branches.
 */
#include <string.h>

#include <linux/trace_seq.h>

#include "../traceevent/bts_lines.h"
#include "arrays.h"
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

static struct bts_output tree_out = {
	.source	= place_source,
	.begin	= tree_begin_line,
	.end	= tree_end_line,
};

static struct bts_output *set_out(void)
{
	tree_out.calls = branches_choice.calls;
	tree_out.insns = branches_choice.insns;
	return &tree_out;
}

static void set_flow(struct calls *calls, struct flow *flow, unsigned int open)
{
	recording = calls;
	if (current == flow)
		return;
	if (current)
		bts_lines_flush(&lines);
	current = flow;
	bts_lines_start(&lines, open, set_out());
}

static void tree_put_note(struct calls *calls, struct flow *flow, const char *text)
{
	set_flow(calls, NULL, 0);
	trace_seq_printf(begin_line(flow, flow->time), "[%s]", text);
	tree_end_line(&tree_out);
}

/* Remember the branch that begins a call. If there are too many calls, the tree forgets some. */
static void note_begin(struct branch_stack *stack, const struct branch *branch)
{
	const unsigned int half = BTS_TREE_DEPTH / 2;
	unsigned int top = stack->tree.nr - 1;

	if (!stack->begins)
		stack->begins = xcalloc(BTS_TREE_DEPTH, sizeof(*stack->begins));
	if (top < branch->move.depth - branch->move.leave) {
		memcpy(stack->begins, stack->begins + half, half * sizeof(*stack->begins));
		stack->shown -= min(stack->shown, half);
	}
	stack->begins[top] = *branch;
}

/* Write a branch in the calls that the text has, of which it ends @leave */
static void put_in_text(struct calls *calls, struct flow *flow, struct branch branch,
			unsigned int leave)
{
	struct bts_move *move = &branch.move;

	move->leave = leave;
	move->depth = flow->stack->shown;
	/* The branch that has led to another function may be left out */
	if (move->func != move->begin)
		move->func = 0;
	set_flow(calls, flow, move->depth);
	bts_lines_put(&lines, &branch, flow->time);
}

/* Write a branch and the calls around it, or the ends of calls if the branch is left out */
static void put_part(struct calls *calls, struct flow *flow, const struct branch *branch,
		     bool shown)
{
	const struct bts_move *move = &branch->move;
	struct branch_stack *stack = flow->stack;
	unsigned int left = move->depth - move->leave, ends;

	/* The tree may have begun anew */
	stack->shown = min(stack->shown, move->depth);
	if (move->lost) {
		if (shown) {
			set_flow(calls, flow, 0);
			bts_lines_put(&lines, branch, flow->time);
		} else if (stack->shown) {
			tree_put_note(calls, flow, "OTHER CALLS THAN BEFORE");
		}
		stack->shown = 0;
		return;
	}
	/* A branch that also begins a call comes after the calls that it ends */
	while (shown && stack->shown < (move->enter ? left : move->depth)) {
		put_in_text(calls, flow, stack->begins[stack->shown], 0);
		stack->shown++;
	}
	ends = stack->shown - min(stack->shown, left);
	if (shown || (ends && !move->enter)) {
		put_in_text(calls, flow, *branch, ends);
	} else if (ends) {
		set_flow(calls, flow, stack->shown);
		bts_lines_leave(&lines, ends, flow->time);
	}
	stack->shown = stack->shown - ends + (shown && move->enter);
	if (move->enter)
		note_begin(stack, branch);
}

static void tree_skip_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	if (!branches_choice.alone)
		put_part(calls, flow, branch, false);
}

static void tree_put_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	if (branches_choice.alone) {
		if (branches_choice.calls && !branch->move.enter && !branch->move.leave)
			return;
		recording = calls;
		bts_write_branch(begin_line(flow, flow->time), branch, set_out());
		tree_end_line(&tree_out);
		return;
	}
	if (branches_choice.part) {
		put_part(calls, flow, branch, true);
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
	.skip		= tree_skip_branch,
	.end		= end_tree,
};
