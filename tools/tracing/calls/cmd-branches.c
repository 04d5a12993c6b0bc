// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls branches: the branches of a recording, as a tree of calls and in other forms
 *
 * A block has the branches of one task on one CPU.  Each CPU is a flow of branches with
 * its open calls.  When a CPU goes on with another task, the calls of the task before are
 * kept with that task.  A CPU's buffer is drained some time after a task has left the
 * CPU.  So a block of the next CPU may come first.  The calls of the task are not known
 * there, and begin anew.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "../../../kernel/trace/trace_bts_codec.h"
#include "../traceevent/bts_event.h"
#include "arrays.h"
#include "branches.h"
#include "calls.h"

/* Maximum files of --vmlinux */
#define MAX_FILES	64

/**
 * struct kept - the calls of a task
 * @flow: the flow that goes on with them, NULL if they are here
 * @nr: number of frames
 * @room: how many there is room for
 * @frames: the frames
 */
struct kept {
	struct flow		*flow;
	unsigned int		nr;
	size_t			room;
	struct bts_frame	*frames;
};

static const struct view * const views[] = {
	&tree_view, &folded_view, &lcov_view, &autofdo_view, &profgen_view,
};

static const struct view *view = &tree_view;

static const char *files[MAX_FILES];
static unsigned int nr_files;
static bool modules;

static struct tep_event *event;
static struct flow **flows;
static unsigned int nr_flows;
static size_t flows_room;
static struct kept **all_kept;
static unsigned int nr_kept;
static size_t kept_room;
static struct bts_decoder decoder;
static u64 nr_branches;
static bool failed;

static const struct option longs[] = {
	{ "format", required_argument, NULL, 'F' },
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "modules", no_argument, NULL, 'm' },
	{ NULL }
};

static bool set_option(int option, const char *value)
{
	unsigned int i;

	switch (option) {
	case 'F':
		for (i = 0; i < ARRAY_SIZE(views); i++) {
			if (!strcmp(value, views[i]->name)) {
				view = views[i];
				return true;
			}
		}
		return false;
	case 'k':
		if (nr_files == MAX_FILES)
			return false;
		files[nr_files++] = value;
		return true;
	case 'm':
		modules = true;
		return true;
	}
	complain("branches are not filtered: \"%s\"", value);
	return false;
}

static struct options options = {
	.usage = "branches [OPTIONS] FILE\n\n"
		 "The branches of the bts tracer as a tree of calls\n\n"
		 "  -F, --format FORMAT  tree (default); folded: stacks with numbers of branches;\n"
		 "                       lcov: lines and branches that were run; autofdo: the text\n"
		 "                       profile of create_llvm_prof; profgen: that of llvm-profgen\n"
		 "  -k, --vmlinux FILE   the recorded kernel's vmlinux, or a module of it; may be\n"
		 "                       given several times\n"
		 "  -m, --modules        take the symbols of modules that are in the recording",
	.filters_help = "",
	.examples = "Without -k, a vmlinux with the recording's build ID is looked for where\n"
		    "distributions and builds of a kernel have it.\n",
	.shorts = "F:k:m",
	.longs = longs,
	.set = set_option,
};

static bool open_branches(struct calls *calls)
{
	event = tep_find_event_by_name(calls->tep, "ftrace", "bts");
	if (!event) {
		complain("%s: the format of the bts tracer's events is missing",
			 calls->file);
		return false;
	}
	if (!images_open(calls->tep, calls->file, files, nr_files))
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

	if (task->data)
		return all_kept[task->data - 1];
	more = array_grow(all_kept, &kept_room, nr_kept + 1, sizeof(*all_kept));
	if (!more)
		return NULL;
	all_kept = more;
	all_kept[nr_kept] = calloc(1, sizeof(**all_kept));
	if (!all_kept[nr_kept])
		return NULL;
	task->data = ++nr_kept;
	return all_kept[nr_kept - 1];
}

/* Keep the calls of the task that the flow was of */
static void keep(struct flow *flow)
{
	struct kept *kept = find_kept(flow->task);
	struct bts_frame *more;

	if (!kept) {
		failed = true;
		return;
	}
	/* Another CPU has gone on with the task */
	if (kept->flow != flow)
		return;
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
		if (view->note)
			view->note(calls, flow, text);
		keep(flow);
	}
	flow->task = task;
	bts_tree_reset(&flow->tree);
	kept = find_kept(task);
	if (!kept) {
		failed = true;
		return;
	}
	if (!kept->flow && kept->nr) {
		flow->tree.nr = kept->nr;
		memcpy(flow->tree.frames, kept->frames, kept->nr * sizeof(*kept->frames));
	}
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

static void put_branch(struct calls *calls, struct flow *flow, u64 from, u64 to)
{
	struct branch branch = {
		.from	= place_find(from),
		.to	= place_find(to),
		.known	= { .from = from, .to = to },
	};
	struct bts_branch *known = &branch.known;

	if (!branch.from || !branch.to) {
		failed = true;
		return;
	}
	place_decode(branch.from);
	known->insn = branch.from->insn;
	known->next = branch.from->after;
	known->target = branch.from->target;
	known->gate = branch.to->gate;
	known->from_func = branch.from->func;
	known->to_func = branch.to->func;
	known->entry = branch.to->entry;
	if (view->stack)
		view->stack(calls, flow, branch.from);
	bts_tree_next(&flow->tree, known, &branch.move);
	if (view->branch)
		view->branch(calls, flow, &branch);
	flow->last = to;
	nr_branches++;
}

static void put_event(struct calls *calls, struct task *task,
		      struct tep_record *record, u64 shown)
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

static const struct calls_ops ops = {
	.open	= open_branches,
	.event	= put_event,
};

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
	places_free();
	images_close();
}

/**
 * cmd_branches - run trace-calls branches
 * @argc: the number of words
 * @argv: the words
 *
 * Return: the program's status.
 */
int cmd_branches(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], NULL, &ops, NULL);
	view->end(&calls);
	if (failed) {
		complain("out of memory");
		calls.failed = true;
	}
	if (!calls.failed && !nr_branches) {
		complain("%s: no branches: record them with trace-cmd record -p bts",
			 calls.file);
		calls.failed = true;
	}
	status = finish(&calls, &options);
	free_all();
	calls_free(&calls);
	return status;
}
