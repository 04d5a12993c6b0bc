// SPDX-License-Identifier: GPL-2.0
/*
 * The branches of a recording, told to a view
 *
 * A block has the branches of one task on one CPU.  Each CPU is a flow of branches with
 * its open calls.  When a CPU goes on with another task, the calls of the task before are
 * kept with that task.  A CPU's buffer is drained some time after a task has left the
 * CPU.  So a block of the next CPU may come first.  The calls of the task are not known
 * there, and begin anew.  Until the first CPU goes on with another task as well, there are
 * two stacks of calls of one task.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/trace/trace_bts_codec.h"
#include "../traceevent/bts_event.h"
#include "arrays.h"
#include "branches.h"
#include "calls.h"

/**
 * struct kept - the calls of a task
 * @flow: the flow that goes on with them, NULL if they are here
 * @stack: the number of their stack, 0 if there is none yet
 * @nr: number of frames
 * @room: how many there is room for
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
 * branches_open - begin with the branches of a recording
 * @calls: the recording
 * @to: the view that is told the branches
 * @files: vmlinux and modules
 * @nr: number of @files; if it is 0, vmlinux is looked for
 * @modules: take the symbols of modules that are in the recording
 *
 * Return: false if that cannot be, after a message.
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
	struct flow **more;
	unsigned int i;

	for (i = 0; i < nr_flows; i++)
		if (flows[i]->buffer == buffer && flows[i]->cpu == cpu)
			return flows[i];
	more = array_grow(flows, &flows_room, nr_flows + 1, sizeof(*flows));
	if (!more)
		return NULL;
	flows = more;
	flows[nr_flows] = calloc(1, sizeof(**flows));
	if (!flows[nr_flows])
		return NULL;
	flows[nr_flows]->buffer = buffer;
	flows[nr_flows]->cpu = cpu;
	return flows[nr_flows++];
}

static struct kept *find_kept(struct task *task)
{
	struct kept **more;

	if (task->branches)
		return all_kept[task->branches - 1];
	more = array_grow(all_kept, &kept_room, nr_kept + 1, sizeof(*all_kept));
	if (!more)
		return NULL;
	all_kept = more;
	all_kept[nr_kept] = calloc(1, sizeof(**all_kept));
	if (!all_kept[nr_kept])
		return NULL;
	task->branches = ++nr_kept;
	return all_kept[nr_kept - 1];
}

/* Keep the calls of the task that the flow was of, or end them */
static void keep(struct flow *flow)
{
	struct kept *kept = find_kept(flow->task);
	struct bts_frame *more;

	if (!kept) {
		failed = true;
		return;
	}
	/* Another CPU has gone on with the task */
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
	kept = find_kept(task);
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

/* The branches before are not those that the CPU took before */
static void lose(struct calls *calls, struct flow *flow, const char *text)
{
	bts_tree_reset(&flow->tree);
	flow->last = 0;
	if (view->note)
		view->note(calls, flow, text);
}

static void note_marks(struct calls *calls, struct flow *flow,
		       const struct bts_block *block)
{
	char text[64];

	if (block->first != flow->next) {
		snprintf(text, sizeof(text), flow->next ? "LOST %llu BRANCHES" :
			 "%llu BRANCHES BEFORE THIS",
			 (unsigned long long)(block->first - flow->next));
		lose(calls, flow, text);
	}
	if (block->marks & BTS_MARK_DROPPED)
		lose(calls, flow, "BRANCHES DROPPED BY THE CPU");
	if (block->marks & BTS_MARK_GAP)
		lose(calls, flow, "GAP");
	flow->next = block->first + block->nr;
}

/**
 * branch_find - find what is known about a branch
 * @branch: set to that; what it does is not known yet
 * @from: its origin
 * @to: its target
 *
 * Return: false without memory.
 */
bool branch_find(struct branch *branch, u64 from, u64 to)
{
	struct place *origin = place_find(from), *target = place_find(to);

	if (!origin || !target)
		return false;
	place_decode(origin);
	*branch = (struct branch){
		.from	= origin,
		.to	= target,
		.known	= {
			.from		= from,
			.to		= to,
			.insn		= origin->insn,
			.next		= origin->after,
			.target		= origin->target,
			.gate		= target->gate,
			.from_func	= origin->func,
			.to_func	= target->func,
			.entry		= target->entry,
		},
	};
	return true;
}

static void put_branch(struct calls *calls, struct flow *flow, u64 from, u64 to)
{
	struct branch branch;

	if (!branch_find(&branch, from, to)) {
		failed = true;
		return;
	}
	if (view->stack)
		view->stack(calls, flow, branch.from);
	bts_tree_next(&flow->tree, &branch.known, &branch.move);
	if (view->branch)
		view->branch(calls, flow, &branch);
	flow->last = to;
	nr_branches++;
}

/**
 * branches_put - go on with an event
 * @calls: the recording
 * @task: the event's task
 * @record: the event, which need not be a block of branches
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
		calls->failed = true;
		return;
	}
	flow->time = record->ts;
	switch_task(calls, flow, task);
	note_marks(calls, flow, &block);
	bts_decode_start(&decoder, block.data, block.size, block.nr);
	while ((ret = bts_decode(&decoder)) == 1)
		put_branch(calls, flow, decoder.from, decoder.to);
	if (!ret)
		return;
	if (!calls->failed)
		complain("%s: not a block of branches, at offset %llu", calls->file,
			 (unsigned long long)record->offset);
	calls->failed = true;
	lose(calls, flow, "NOT A BLOCK OF BRANCHES");
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
 * @calls: the recording; it has failed if memory was missing
 *
 * Call branches_free() when the view needs nothing any more.
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
 * branches_free - free what is known of branches
 */
void branches_free(void)
{
	free_all();
	places_free();
	images_close();
}
