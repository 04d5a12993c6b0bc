// SPDX-License-Identifier: GPL-2.0
/*
 * Pass the branches of a recording to a view
 *
 * A block has the branches of one task on one CPU.  Each CPU is a flow of branches.  A task
 * has a stack of open calls, which a flow uses while the CPU runs the task.  A CPU's buffer
 * is drained some time after a task has left the CPU.  So a block of the task's next CPU may
 * come first.  The next CPU then starts with an empty stack of calls for the task.  Until the
 * first CPU switches to another task as well, the task has two stacks of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"

static const struct view *view;
static struct tep_event *event;
static struct flow **flows;
static unsigned int nr_flows;
static struct branch_stack **stacks;
static unsigned int nr_stacks;
/* Stacks of tasks that have left a CPU, and go on with another stack */
static struct branch_stack *unused;
static u32 last_stack;
static u64 nr_branches, nr_in_range;
static u64 nr_insns, nr_unknown;

/* Prepare to pass branches to a view. Returns false after a message on failure. */
bool branches_open(struct calls *calls, const struct view *to)
{
	view = to;
	event = tep_find_event_by_name(calls->tep, "ftrace", "bts");
	if (!event) {
		complain("%s: the format of the bts tracer's events is missing",
			 calls->file);
		return false;
	}
	if (!images_open(calls->tep, calls->file))
		return false;
	if (!places_init(calls->tep, branches_choice.modules)) {
		complain("%s: out of memory", calls->file);
		return false;
	}
	maps_open(calls);
	if ((view->text || branches_choice.insns) && !images_all()) {
		complain("%s: --%s%s needs the vmlinux, or files of maps: see --vmlinux, --sysroot",
			 calls->file, branches_choice.insns ? "instructions" : "format ",
			 branches_choice.insns ? "" : view->name);
		return false;
	}
	return true;
}

/* Whether an event is a block of branches */
bool branches_is_block(const struct calls *calls, struct tep_record *record)
{
	return tep_data_type(calls->tep, record) == event->id;
}

static struct flow *find_flow(struct buffer *buffer, int cpu)
{
	struct flow *flow;
	unsigned int i;

	for (i = 0; i < nr_flows; i++)
		if (flows[i]->buffer == buffer && flows[i]->cpu == cpu)
			return flows[i];
	flow = array_add_new(&flows, &nr_flows, sizeof(*flow));
	flow->buffer = buffer;
	flow->cpu = cpu;
	return flow;
}

/* Begin another stack of calls of a task */
static struct branch_stack *new_stack(struct task *task)
{
	struct branch_stack *stack = unused;

	if (stack)
		unused = stack->next;
	else
		stack = array_add_new(&stacks, &nr_stacks, sizeof(*stack));
	stack->nr = ++last_stack;
	task->branches = stack;
	return stack;
}

static void switch_task(struct calls *calls, struct flow *flow, struct task *task)
{
	struct task *old = flow->task;
	struct branch_stack *stack = flow->stack;
	char text[128];

	if (old == task)
		return;
	if (old) {
		snprintf(text, sizeof(text), "SWITCH %s-%d => %s-%d", task_comm(calls, old),
			 old->pid, task_comm(calls, task), task->pid);
		stack->flow = NULL;
		/* Another CPU already runs the task */
		if (old->branches != stack) {
			bts_tree_reset(&stack->tree);
			stack->next = unused;
			unused = stack;
		}
		if (view->note)
			view->note(calls, flow, text);
	}
	flow->task = task;
	stack = task->branches;
	if (!stack || stack->flow)
		stack = new_stack(task);
	flow->stack = stack;
	stack->flow = flow;
}

/* Forget the calls, because branches are missing before the next branch */
static void forget_calls(struct calls *calls, struct flow *flow, const char *text)
{
	bts_tree_reset(&flow->stack->tree);
	flow->last = NULL;
	if (view->note)
		view->note(calls, flow, text);
}

/*
 * Begin to read a block, whose event has to stay in memory. Returns false after a message if the
 * event is malformed, and sets @calls to damaged.
 */
bool flow_read(struct calls *calls, struct flow *flow, struct tep_record *record)
{
	if (!bts_read_block(record, event, &flow->block)) {
		complain("%s: no block of branches of version %u or earlier, at offset %llu",
			 calls->file, BTS_BLOCK_VERSION, (unsigned long long)record->offset);
		calls->damaged = true;
		return false;
	}
	flow->pid = tep_data_pid(calls->tep, record);
	flow->time = record->ts;
	flow->offset = record->offset;
	flow->number = flow->block.first - 1;
	bts_block_start(&flow->block, &flow->dec);
	return true;
}

/*
 * Tell @note what is missing before a block, and expect the block after it. Returns true if
 * branches are lost that were in the ring buffer.
 */
bool flow_begin_block(struct calls *calls, struct flow *flow,
		      void (*note)(struct calls *calls, struct flow *flow, const char *text))
{
	const struct bts_block *block = &flow->block;
	bool lost = block->first != flow->next;
	char text[64];

	if (lost) {
		snprintf(text, sizeof(text), flow->next ? "LOST %llu BRANCHES" :
			 "%llu BRANCHES BEFORE THIS",
			 (unsigned long long)(block->first - flow->next));
		note(calls, flow, text);
	}
	if (block->marks & BTS_MARK_DROPPED)
		note(calls, flow, "BRANCHES DROPPED BY THE CPU");
	if (block->marks & BTS_MARK_PAUSED)
		note(calls, flow, "PAUSED BY THE BUDGET");
	if (block->marks & BTS_MARK_GAP)
		note(calls, flow, "GAP");
	flow->next = block->first + block->nr;
	return lost;
}

/*
 * Read the next branch of a block into the flow's decoder. Returns 1, 0 at the end of the block,
 * or -1 after a message if the block is malformed.
 */
int flow_next(struct calls *calls, struct flow *flow)
{
	int ret = bts_decode(&flow->dec);

	if (ret < 0 && !calls->damaged)
		complain("%s: not a block of branches, at offset %llu", calls->file,
			 (unsigned long long)flow->offset);
	calls->damaged |= ret < 0;
	nr_branches += ret == 1;
	flow->number += ret == 1;
	return ret;
}

/* Find the places of a branch. Its @move is not set yet. */
void branch_find(struct branch *branch, u64 from, u64 to)
{
	*branch = (struct branch){ .from = place_find(from), .to = place_find(to) };
	place_decode(branch->from);
}

/* Find the places of the branch that flow_next() has read, by the maps of the task */
void flow_find(const struct flow *flow, struct branch *branch)
{
	maps_use(flow);
	branch_find(branch, flow->dec.from, flow->dec.to);
	branch->mispredicted = !flow->dec.predicted;
}

static void count_insns(const struct flow *flow, struct branch *branch, bool in_range)
{
	branch->insns = insns_count(flow->last, branch);
	if (!in_range)
		return;
	if (branch->insns == INSNS_UNKNOWN)
		nr_unknown++;
	else
		nr_insns += branch->insns;
}

static void put_insns(void)
{
	out_printf("[%llu INSTRUCTIONS", (unsigned long long)nr_insns);
	if (nr_unknown)
		out_printf(", WITHOUT THOSE BEFORE %llu OF %llu BRANCHES",
			   (unsigned long long)nr_unknown, (unsigned long long)nr_in_range);
	out_puts("]\n");
}

/*
 * Forget the target of the last branch if the instance did not want records after the branch.
 * Between two blocks, the tracer's own NMI is left out, which returns to the same code.  Without
 * user space, the next branch comes from there.  The step tracer leaves out instructions that are
 * no branches, and its blocks have no numbers.
 */
static void check_left_out(struct flow *flow)
{
	u64 record = flow->block.number + flow->dec.at;
	bool left_out = flow->block.number && record != flow->next_record;

	flow->unwanted |= left_out && flow->dec.at && flow->last &&
			  bts_is_kernel(flow->last->addr) == bts_is_kernel(flow->dec.from);
	if (left_out && flow->unwanted)
		flow->last = NULL;
	flow->next_record = record + 1;
}

static void pass_branch(struct calls *calls, struct flow *flow)
{
	u64 every = branches_choice.every;
	bool shown = !every || flow->number % every == 0, in_range;
	struct branch branch;

	check_left_out(flow);
	flow_find(flow, &branch);
	in_range = range_has(&branch);
	nr_in_range += in_range;
	shown &= in_range;
	if (view->stack && shown)
		view->stack(calls, flow, branch.from);
	bts_tree_next(&flow->stack->tree, &branch);
	if (branches_choice.insns)
		count_insns(flow, &branch, in_range);
	if (view->branch && shown)
		view->branch(calls, flow, &branch);
	else if (view->skip && !in_range)
		view->skip(calls, flow, &branch);
	flow->last = branch.to;
}

/* Handle the next event. Events other than blocks of branches are ignored. */
void branches_put(struct calls *calls, struct task *task, struct tep_record *record, u64 shown)
{
	struct flow *flow;
	int ret;

	if (!branches_is_block(calls, record))
		return;
	flow = find_flow(task->buffer, record->cpu);
	if (!flow_read(calls, flow, record))
		return;
	switch_task(calls, flow, task);
	flow_begin_block(calls, flow, forget_calls);
	while ((ret = flow_next(calls, flow)) == 1)
		pass_branch(calls, flow);
	if (ret)
		forget_calls(calls, flow, "NOT A BLOCK OF BRANCHES");
}

/*
 * End the branches of a recording, and return their number. @calls is set to failed after a
 * message if a line of --range has no branch. branches_free() comes when the view is done.
 */
u64 branches_end(struct calls *calls)
{
	/* The reader of the output may have gone before a branch of the code */
	if (nr_branches && !calls->damaged && !out_failed() && !range_check(calls->file))
		calls->failed = true;
	if (view)
		view->end(calls);
	if (branches_choice.insns && nr_branches)
		put_insns();
	return nr_branches;
}

/* Free the branches, with their places and images */
void branches_free(void)
{
	unsigned int i;

	for (i = 0; i < nr_flows; i++)
		free(flows[i]);
	free(flows);
	for (i = 0; i < nr_stacks; i++) {
		free(stacks[i]->begins);
		free(stacks[i]);
	}
	free(stacks);
	range_free();
	maps_close();
	places_close();
	images_close();
}
