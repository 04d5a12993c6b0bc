// SPDX-License-Identifier: GPL-2.0
/*
 * Pass the branches of a recording to a view
 *
 * A block has the branches of one task on one CPU.  Each CPU is a flow of branches with
 * its open calls.  When a CPU switches to another task, the calls of the previous task are
 * stored for the previous task.  A CPU's buffer is drained some time after a task has left
 * the CPU.  So a block of the task's next CPU may come first.  The next CPU then starts
 * with an empty stack of calls for the task.  Until the first CPU switches to another task
 * as well, the task has two stacks of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/trace/bts/codec.h"
#include "arrays.h"
#include "branches.h"
#include "calls.h"

/**
 * struct kept - the stored calls of a task
 * @flow: the flow that has the task's calls now, NULL if @frames has the calls
 * @stack: the number of the stack of calls, 0 if there is none yet
 * @nr: number of frames
 * @room: capacity of @frames, in elements
 * @frames: the frames
 */
struct kept {
	struct flow		*flow;
	u32			stack;
	unsigned int		nr;
	size_t			room;
	struct bts_frame	*frames;
};

static const struct view *view;
static struct tep_event *event;
static struct flow **flows;
static unsigned int nr_flows;
static size_t flows_room;
static struct kept **all_kept;
static unsigned int nr_kept;
static size_t kept_room;
static u32 nr_stacks;
static struct bts_decoder decoder;
static u64 nr_branches;
static bool failed;

/**
 * branches_open - prepare for the branches of a recording
 * @calls: the recording
 * @to: the view that gets the branches
 * @files: vmlinux and modules
 * @nr: number of @files; if it is 0, vmlinux is searched for
 * @modules: use the symbols of modules in the recording
 *
 * Return: false on failure, after a message.
 */
bool branches_open(struct calls *calls, const struct view *to, const char *const *files,
		   unsigned int nr, bool modules)
{
	view = to;
	event = tep_find_event_by_name(calls->tep, "ftrace", "bts");
	if (!event) {
		complain("%s: the format of the bts tracer's events is missing",
			 calls->file);
		return false;
	}
	if (!images_open(calls->tep, calls->file, files, nr))
		return false;
	if (view->text && !images_any()) {
		complain("%s: --format %s needs the vmlinux of the recording: give it by --vmlinux",
			 calls->file, view->name);
		return false;
	}
	if (!places_init(calls->tep, modules)) {
		complain("%s: out of memory", calls->file);
		return false;
	}
	return true;
}

static struct flow *find_flow(struct buffer *buffer, int cpu)
{
	struct flow *flow;
	unsigned int i;

	for (i = 0; i < nr_flows; i++)
		if (flows[i]->buffer == buffer && flows[i]->cpu == cpu)
			return flows[i];
	flow = array_add_new(&flows, &nr_flows, &flows_room, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->buffer = buffer;
	flow->cpu = cpu;
	return flow;
}

static struct kept *find_kept_calls(struct task *task)
{
	struct kept *kept;

	if (task->branches)
		return all_kept[task->branches - 1];
	kept = array_add_new(&all_kept, &nr_kept, &kept_room, sizeof(*kept));
	if (kept)
		task->branches = nr_kept;
	return kept;
}

/* Store the calls of the flow's task, or forget the calls */
static void keep(struct flow *flow)
{
	struct kept *kept = find_kept_calls(flow->task);
	struct bts_frame *more;

	if (!kept) {
		failed = true;
		return;
	}
	/* Another CPU already runs the task */
	if (kept->flow != flow) {
		bts_tree_reset(&flow->tree);
		return;
	}
	kept->flow = NULL;
	kept->nr = 0;
	more = array_grow(kept->frames, &kept->room, flow->tree.nr, sizeof(*more));
	if (!more) {
		failed = true;
		return;
	}
	kept->frames = more;
	kept->nr = flow->tree.nr;
	if (kept->nr)
		memcpy(kept->frames, flow->tree.frames, kept->nr * sizeof(*kept->frames));
}

static void switch_task(struct calls *calls, struct flow *flow, struct task *task)
{
	struct task *old = flow->task;
	struct kept *kept;
	char text[128];

	if (old == task)
		return;
	if (old) {
		snprintf(text, sizeof(text), "SWITCH %s-%d => %s-%d", task_comm(calls, old),
			 old->pid, task_comm(calls, task), task->pid);
		keep(flow);
		if (view->note)
			view->note(calls, flow, text);
	}
	flow->task = task;
	bts_tree_reset(&flow->tree);
	kept = find_kept_calls(task);
	if (!kept) {
		failed = true;
		return;
	}
	if (kept->flow || !kept->stack)
		kept->stack = ++nr_stacks;
	if (!kept->flow && kept->nr) {
		flow->tree.nr = kept->nr;
		memcpy(flow->tree.frames, kept->frames, kept->nr * sizeof(*kept->frames));
	}
	flow->stack = kept->stack;
	kept->flow = flow;
}

/* Forget the calls, because branches are missing before the next branch */
static void forget_calls(struct calls *calls, struct flow *flow, const char *text)
{
	bts_tree_reset(&flow->tree);
	flow->last = 0;
	if (view->note)
		view->note(calls, flow, text);
}

/**
 * flow_begin_block - tell what is missing before a block, and expect the block after it
 * @calls: the recording
 * @flow: the branches before the block
 * @block: the block
 * @note: called for each text
 *
 * Return: true if branches are lost that were in the ring buffer, false otherwise.
 */
bool flow_begin_block(struct calls *calls, struct flow *flow, const struct bts_block *block,
		      void (*note)(struct calls *calls, struct flow *flow, const char *text))
{
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
	if (block->marks & BTS_MARK_GAP)
		note(calls, flow, "GAP");
	flow->next = block->first + block->nr;
	return lost;
}

/**
 * branch_find - find the places of a branch
 * @branch: set to the places; its @move is not set yet
 * @from: its origin
 * @to: its target
 *
 * Return: false if there is no memory.
 */
bool branch_find(struct branch *branch, u64 from, u64 to)
{
	struct place *origin = place_find(from), *target = place_find(to);

	if (!origin || !target)
		return false;
	place_decode(origin);
	*branch = (struct branch){ .from = origin, .to = target };
	return true;
}

static void pass_branch(struct calls *calls, struct flow *flow, u64 from, u64 to)
{
	struct branch branch;

	if (!branch_find(&branch, from, to)) {
		failed = true;
		return;
	}
	if (view->stack)
		view->stack(calls, flow, branch.from);
	bts_tree_next(&flow->tree, &branch);
	if (view->branch)
		view->branch(calls, flow, &branch);
	flow->last = to;
	nr_branches++;
}

/**
 * branches_put - handle the next event
 * @calls: the recording
 * @task: the event's task
 * @record: the event; events other than blocks of branches are ignored
 */
void branches_put(struct calls *calls, struct task *task, struct tep_record *record)
{
	struct bts_block block;
	struct flow *flow;
	int ret;

	if (tep_data_type(calls->tep, record) != event->id)
		return;
	flow = find_flow(task->buffer, record->cpu);
	if (!flow) {
		failed = true;
		return;
	}
	if (!bts_read_block(record, event, &block)) {
		complain("%s: an event has no block of branches, at offset %llu",
			 calls->file, (unsigned long long)record->offset);
		calls->damaged = true;
		return;
	}
	flow->time = record->ts;
	switch_task(calls, flow, task);
	flow_begin_block(calls, flow, &block, forget_calls);
	bts_decode_start(&decoder, block.data, block.size, block.nr);
	while ((ret = bts_decode(&decoder)) == 1)
		pass_branch(calls, flow, decoder.from, decoder.to);
	if (!ret)
		return;
	if (!calls->damaged)
		complain("%s: not a block of branches, at offset %llu", calls->file,
			 (unsigned long long)record->offset);
	calls->damaged = true;
	forget_calls(calls, flow, "NOT A BLOCK OF BRANCHES");
}

static void free_all(void)
{
	unsigned int i;

	for (i = 0; i < nr_flows; i++)
		free(flows[i]);
	free(flows);
	for (i = 0; i < nr_kept; i++) {
		free(all_kept[i]->frames);
		free(all_kept[i]);
	}
	free(all_kept);
}

/**
 * branches_end - end the branches of a recording
 * @calls: the recording; set to failed if there was no memory
 *
 * The caller calls branches_free() when the view is done.
 *
 * Return: number of branches.
 */
u64 branches_end(struct calls *calls)
{
	if (view)
		view->end(calls);
	if (failed) {
		complain("out of memory");
		calls->failed = true;
	}
	return nr_branches;
}

/**
 * branches_free - free the places and images of branches
 */
void branches_free(void)
{
	free_all();
	places_close();
	images_close();
}
