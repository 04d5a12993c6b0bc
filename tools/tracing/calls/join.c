// SPDX-License-Identifier: GPL-2.0
/*
 * Show the branches of each call of the function_graph tracer under the call's line
 *
 * The recording is kept in memory, and is joined in two passes.  If a condition is decided
 * at the return, ftrace writes the entry event at the return.  The first pass finds these
 * late entries.  The second pass writes the output, and shows the late entries where the
 * calls began.  The first pass may find out to which batch an event belongs that was being
 * written at a drain.  Then the first pass is repeated, because it can join more events.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "join.h"

/* Marks of blocks: branches are missing before a block with one of these marks */
#define GAPS		(BTS_MARK_GAP | BTS_MARK_DROPPED)

/* Maximum number of repetitions of the first pass */
#define MAX_REPEATS	2

/* The bit of common_flags for an NMI */
#define FLAG_NMI	0x40

/* The text before a branch, with the columns of a call's line left empty */
#define FLOW_BEGIN	"                  |  "

struct join join;

static bool (*open_branches)(struct calls *calls);
static struct tep_event *bts_event;
static struct buffer *graph_buffer, *bts_buffer;
static bool has_single, has_others;

static struct join_cpu **cpus;
static unsigned int nr_cpus;
static size_t cpus_room;
static struct join_task **tasks;
static unsigned int nr_tasks;
static size_t tasks_room;

static struct join_cpu *find_cpu(int nr)
{
	struct join_cpu *cpu;
	unsigned int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i]->cpu == nr)
			return cpus[i];
	cpu = array_add_new(&cpus, &nr_cpus, &cpus_room, sizeof(*cpu));
	if (!cpu)
		return NULL;
	cpu->cpu = nr;
	cpu->shown = -1;
	cpu->missing = true;
	return cpu;
}

static struct join_task *find_join_task(struct task *task)
{
	struct join_task *join_task;

	if (task->data)
		return tasks[task->data - 1];
	join_task = array_add_new(&tasks, &nr_tasks, &tasks_room, sizeof(*join_task));
	if (join_task)
		task->data = nr_tasks;
	return join_task;
}

/**
 * join_task_of - find the state of an event's task
 * @event: the event
 *
 * Return: the state.
 */
struct join_task *join_task_of(const struct graph_event *event)
{
	return tasks[event->task->data - 1];
}

/* Whether branches are missing between a batch and the next block */
static bool is_behind(const struct batch *batch, const struct bts_block *block)
{
	const struct bts_block *last;

	if (!batch->nr_blocks)
		return true;
	last = &batch->blocks[batch->nr_blocks - 1]->block;
	return last->first + last->nr != block->first;
}

/* The last batch, or a new batch if @behind. Returns NULL if there is no memory. */
static struct batch *last_batch(struct join_cpu *cpu, bool behind)
{
	struct batch *batch;

	if (cpu->nr && !behind)
		return &cpu->batches[cpu->nr - 1];
	batch = array_add(&cpu->batches, &cpu->nr, &cpu->room, sizeof(*batch));
	if (batch)
		*batch = (struct batch){ };
	return batch;
}

static void add_graph_event(struct calls *calls, struct task *task,
			    struct tep_record *record, const struct call *call, bool is_exit)
{
	struct join_cpu *cpu = find_cpu(record->cpu);
	struct join_task *join_task = find_join_task(task);
	struct graph_event *event = malloc(sizeof(*event) + record->size);
	bool nmi = tep_data_flags(calls->tep, record) & FLAG_NMI;
	struct graph_event **slot = NULL;
	struct batch *batch = NULL;

	if (cpu && join_task && event)
		/*
		 * An event that follows a block follows the drain, except for an NMI's
		 * event
		 */
		batch = last_batch(cpu, cpu->nr && !nmi &&
				   cpu->batches[cpu->nr - 1].nr_blocks);
	if (batch)
		slot = array_add(&batch->events, &batch->nr_events, &batch->events_room,
				 sizeof(*slot));
	if (!slot) {
		free(event);
		join.failed = true;
		return;
	}
	*slot = event;
	*event = (struct graph_event){
		.record		= *record,
		.task		= task,
		.pid		= task->pid,
		.serial		= ++join_task->serial,
		.lost		= cpu->lost,
		.is_exit	= is_exit,
		.nmi		= nmi,
		.func		= call->func,
		.depth		= call->depth,
	};
	memcpy(event->data, record->data, record->size);
	event->record.data = event->data;
	/* Events before the first event may have been overwritten */
	cpu->missing |= cpu->lost;
	cpu->lost = 0;
	if (!nmi) {
		event->missing = cpu->missing;
		cpu->missing = false;
	}
	walk_known(event->func);
	join.events++;
}

static void add_block(struct calls *calls, struct task *task, struct tep_record *record)
{
	struct join_cpu *cpu = find_cpu(record->cpu);
	struct held_block **slot = NULL, *held;
	struct batch *batch = NULL;
	struct bts_block block;

	if (!bts_read_block(record, bts_event, &block)) {
		complain("%s: an event has no block of branches, at offset %llu",
			 calls->file, (unsigned long long)record->offset);
		calls->damaged = true;
		return;
	}
	held = malloc(sizeof(*held) + block.size);
	if (cpu && held)
		batch = last_batch(cpu, false);
	if (batch) {
		if (cpu->nr > 1 && !batch->nr_blocks)
			batch[-1].gap_behind = block.marks & GAPS ||
					       is_behind(&batch[-1], &block);
		slot = array_add(&batch->blocks, &batch->nr_blocks, &batch->blocks_room,
				 sizeof(*slot));
	}
	if (!slot) {
		free(held);
		join.failed = true;
		return;
	}
	*slot = held;
	*held = (struct held_block){ .task = task, .time = record->ts, .block = block };
	memcpy(held->data, block.data, block.size);
}

/*
 * Whether a batch begins with a run of @task on the CPU, and has no other run of @task
 */
static bool begins_with_only_run(const struct batch *batch, const struct task *task)
{
	unsigned int i;

	if (!batch->nr_blocks || batch->blocks[0]->task != task)
		return false;
	for (i = 1; i < batch->nr_blocks; i++)
		if (batch->blocks[i]->task == task &&
		    (batch->blocks[i]->block.marks & GAPS || batch->blocks[i - 1]->task != task))
			return false;
	return true;
}

/*
 * Whether all earlier events of a batch's tasks were joined, and all earlier branches of
 * its first task
 */
static bool is_ready(const struct join_cpu *cpu, const struct batch *batch)
{
	int before = batch_follows(batch, cpu->cpu);
	const struct join_cpu *other;
	const struct graph_event *event;
	struct join_task *task;
	unsigned int i;

	for (i = 0; before >= 0 && i < nr_cpus; i++) {
		other = cpus[i];
		if (other->cpu == before && other->first < other->nr &&
		    begins_with_only_run(&other->batches[other->first], batch->blocks[0]->task))
			return false;
	}
	for (i = 0; i < batch->nr_events; i++) {
		event = batch->events[i];
		task = join_task_of(event);
		task->seen = 0;
	}
	for (i = 0; i < batch->nr_events; i++) {
		event = batch->events[i];
		task = join_task_of(event);
		if (!task->seen && event->serial > task->done + 1)
			return false;
		task->seen = 1;
	}
	return true;
}

static u64 time_of(const struct batch *batch)
{
	u64 time = ~0ULL;

	if (batch->nr_events)
		time = batch->events[0]->record.ts;
	if (batch->nr_blocks)
		time = min(time, batch->blocks[0]->time);
	return time;
}

/*
 * Join the batches.  A CPU that a task has left may be drained much later than the next CPU
 * of the task.  So the batches of the CPUs are joined in the order of the tasks' events.
 * If the events do not determine the order, the times of the batches do.
 */
static void run_batches(struct calls *calls, bool first)
{
	struct join_cpu *cpu, *best;
	struct batch *batch;
	bool ready, best_ready;
	unsigned int i;

	join.first = first;
	join.branches = 0;
	for (i = 0; i < nr_tasks; i++)
		tasks[i]->done = 0;
	for (i = 0; i < nr_cpus; i++) {
		cpus[i]->first = 0;
		cpus[i]->state = (struct join_state){ .flow.begin = FLOW_BEGIN };
	}
	for (;;) {
		best = NULL;
		best_ready = false;
		for (i = 0; i < nr_cpus; i++) {
			cpu = cpus[i];
			if (cpu->first == cpu->nr)
				continue;
			batch = &cpu->batches[cpu->first];
			ready = is_ready(cpu, batch);
			if (best && ready < best_ready)
				continue;
			if (best && ready == best_ready &&
			    time_of(batch) >= time_of(&best->batches[best->first]))
				continue;
			best = cpu;
			best_ready = ready;
		}
		if (!best || join.failed)
			break;
		batch = &best->batches[best->first++];
		/* Branches end here, but ftrace may have written more events */
		if (best->first == best->nr || !batch[1].nr_blocks)
			batch->gap_behind = true;
		batch_run(calls, best, batch, best->first < best->nr ? batch + 1 : NULL);
	}
	batch_free_walkers();
}

/* Only the events of one buffer are joined with the branches of one buffer */
static bool is_of(struct buffer **buffer, const struct task *task)
{
	if (!*buffer)
		*buffer = task->buffer;
	has_others |= *buffer != task->buffer;
	return *buffer == task->buffer;
}

static void join_add_record(struct calls *calls, struct task *task, struct tep_record *record,
			    u64 shown)
{
	const struct formats *formats = &calls->formats;
	int type = tep_data_type(calls->tep, record);
	const struct layout *layout = decode_entry_layout(formats, type);
	struct call call;
	bool is_exit;

	if (join.failed)
		return;
	if (type == bts_event->id) {
		if (is_of(&bts_buffer, task))
			add_block(calls, task, record);
		return;
	}
	if (decode_is_single(formats, type)) {
		has_single = true;
		return;
	}
	is_exit = formats->exit.func && type == formats->exit.id;
	if (!is_exit && (!layout || !layout->depth))
		return;
	if (!is_of(&graph_buffer, task))
		return;
	if (!(is_exit ? decode_exit(formats, record, &call) :
			decode_call(formats, record, layout, &call)) ||
	    call.depth < 0 || call.depth > MAX_INDENT)
		return;
	add_graph_event(calls, task, record, &call, is_exit);
}

static void join_note_lost(struct calls *calls, struct buffer *buffer, int nr, u64 time,
			   long long lost)
{
	struct join_cpu *cpu = find_cpu(nr);

	if (cpu && buffer == graph_buffer)
		cpu->lost = lost ?: -1;
}

static bool open_join(struct calls *calls)
{
	if (!open_branches(calls))
		return false;
	bts_event = tep_find_event_by_name(calls->tep, "ftrace", "bts");
	if (!decode_has_graph(&calls->formats)) {
		complain("%s: the formats of the function_graph tracer's events are missing",
			 calls->file);
		return false;
	}
	return true;
}

static const struct calls_ops ops = {
	.open	= open_join,
	.event	= join_add_record,
	.lost	= join_note_lost,
};

static void free_join(void)
{
	unsigned int i, j;

	for (i = 0; i < nr_cpus; i++) {
		for (j = 0; j < cpus[i]->nr; j++)
			batch_free(&cpus[i]->batches[j]);
		free(cpus[i]->batches);
		free(cpus[i]);
	}
	for (i = 0; i < nr_tasks; i++)
		free(tasks[i]);
	free(cpus);
	free(tasks);
	late_free();
	walk_free();
}

/**
 * join_read - write the branches of each call under the call's line
 * @calls: the recording; the caller calls calls_free()
 * @file: its file
 * @all: write all branches, each in its own line
 * @open: opens the images and symbols for the branches
 *
 * Return: the number of branches.
 */
u64 join_read(struct calls *calls, const char *file, bool all,
	      bool (*open)(struct calls *calls))
{
	unsigned int i;

	join.all = all;
	open_branches = open;
	calls_read(calls, file, NULL, &ops, NULL);
	for (join.repeats = MAX_REPEATS; ; join.repeats--) {
		join.again = false;
		late_free();
		run_batches(calls, true);
		if (!join.again || join.failed)
			break;
	}
	if (!join.failed && join.branches && join.events) {
		late_sort();
		run_batches(calls, false);
		tree_view.end(calls);
		for (i = 0; i < nr_cpus; i++)
			show_entry(calls, cpus[i]);
	}
	free_join();
	if (join.failed)
		complain("out of memory");
	else if (has_single)
		complain("%s: calls have one event each: record them without funcgraph-single",
			 file);
	else if (has_others)
		complain("%s: several instances have calls or branches: the first one is shown",
			 file);
	else if (!calls->failed && join.branches && !join.events)
		complain("%s: no calls: record with -p function_graph -B branches -p bts", file);
	if (join.failed || has_single || !join.events)
		calls->failed = true;
	return join.branches;
}
