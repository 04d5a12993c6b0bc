// SPDX-License-Identifier: GPL-2.0
/*
 * The branches of each call of the function_graph tracer, under the call's line
 *
 * The recording is kept in memory and joined twice.  With conditions that are decided at the
 * return, the begin of a call is written at its end.  The first time, such begins are found.
 * The second time, they are shown where the calls began, and everything is written.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "join.h"

/* Branches are missing before a block that has one of these marks */
#define GAPS		(BTS_MARK_GAP | BTS_MARK_DROPPED)

/* A bit of common_flags */
#define FLAG_NMI	0x40

/* The text before a branch: the columns of a call's line are empty */
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
	struct join_cpu **more, *cpu;
	unsigned int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i]->cpu == nr)
			return cpus[i];
	more = array_grow(cpus, &cpus_room, nr_cpus + 1, sizeof(*cpus));
	if (!more)
		return NULL;
	cpus = more;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return NULL;
	cpu->cpu = nr;
	cpu->shown = -1;
	cpu->missing = true;
	cpus[nr_cpus++] = cpu;
	return cpu;
}

static struct join_task *find_join_task(struct task *task)
{
	struct join_task **more;

	if (task->data)
		return tasks[task->data - 1];
	more = array_grow(tasks, &tasks_room, nr_tasks + 1, sizeof(*tasks));
	if (!more)
		return NULL;
	tasks = more;
	tasks[nr_tasks] = calloc(1, sizeof(**tasks));
	if (!tasks[nr_tasks])
		return NULL;
	task->data = ++nr_tasks;
	return tasks[nr_tasks - 1];
}

/**
 * join_task_of - find the state of an event's task in the buffer of the graph
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

/* The batch that comes in; a new one if @behind.  NULL without memory */
static struct batch *last_batch(struct join_cpu *cpu, bool behind)
{
	struct batch *more;

	if (cpu->nr && !behind)
		return &cpu->batches[cpu->nr - 1];
	more = array_grow(cpu->batches, &cpu->room, cpu->nr + 1, sizeof(*more));
	if (!more)
		return NULL;
	cpu->batches = more;
	more[cpu->nr] = (struct batch){ };
	return &more[cpu->nr++];
}

static void add_graph_event(struct calls *calls, struct task *task,
			    struct tep_record *record, const struct call *call, bool is_exit)
{
	struct join_cpu *cpu = find_cpu(record->cpu);
	struct join_task *join_task = find_join_task(task);
	struct graph_event *event = malloc(sizeof(*event) + record->size);
	bool nmi = tep_data_flags(calls->tep, record) & FLAG_NMI;
	struct graph_event **more = NULL;
	struct batch *batch = NULL;

	if (cpu && join_task && event)
		/* Other events than those of an NMI are behind the drain */
		batch = last_batch(cpu, cpu->nr && !nmi &&
				   cpu->batches[cpu->nr - 1].nr_blocks);
	if (batch)
		more = array_grow(batch->events, &batch->events_room, batch->nr_events + 1,
				  sizeof(*more));
	if (!more) {
		free(event);
		join.failed = true;
		return;
	}
	batch->events = more;
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
	/* Events before the first one may have been overwritten */
	cpu->missing |= cpu->lost;
	cpu->lost = 0;
	if (!nmi) {
		event->missing = cpu->missing;
		cpu->missing = false;
	}
	more[batch->nr_events++] = event;
	walk_known(event->func);
	join.events++;
}

static void add_block(struct calls *calls, struct task *task, struct tep_record *record)
{
	struct join_cpu *cpu = find_cpu(record->cpu);
	struct held_block **more = NULL, *held;
	struct batch *batch = NULL;
	struct bts_block block;

	if (!bts_read_block(record, bts_event, &block)) {
		complain("%s: an event has no block of branches, at offset %llu",
			 calls->file, (unsigned long long)record->offset);
		calls->failed = true;
		return;
	}
	held = malloc(sizeof(*held) + block.size);
	if (cpu && held)
		batch = last_batch(cpu, false);
	if (batch) {
		if (cpu->nr > 1 && !batch->nr_blocks)
			batch[-1].gap_behind = block.marks & GAPS ||
					       is_behind(&batch[-1], &block);
		more = array_grow(batch->blocks, &batch->blocks_room, batch->nr_blocks + 1,
				  sizeof(*more));
	}
	if (!more) {
		free(held);
		join.failed = true;
		return;
	}
	batch->blocks = more;
	*held = (struct held_block){ .task = task, .time = record->ts, .block = block };
	memcpy(held->data, block.data, block.size);
	more[batch->nr_blocks++] = held;
}

/* Whether a batch has what its first task did until it left the CPU, and no more of it */
static bool has_left(const struct batch *batch, const struct task *task)
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
 * Whether the tasks of a batch have had all of their events before, and its first task all
 * of its branches
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
		    has_left(&other->batches[other->first], batch->blocks[0]->task))
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
 * Join the batches.  A CPU that a task has left may be drained much later than the next
 * CPU of the task.  So the batches of the CPUs are in the order of the tasks' events, and
 * of the times where these do not tell.
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
		/* Recording has ended; ftrace may have gone on without branches */
		if (best->first == best->nr || !batch[1].nr_blocks)
			batch->gap_behind = true;
		batch_run(calls, best, batch, best->first < best->nr ? batch + 1 : NULL);
	}
	batch_free_walkers();
}

/* The events of one buffer are joined with the branches of one buffer */
static bool is_of(struct buffer **buffer, const struct task *task)
{
	if (!*buffer)
		*buffer = task->buffer;
	has_others |= *buffer != task->buffer;
	return *buffer == task->buffer;
}

static void put_record(struct calls *calls, struct task *task, struct tep_record *record,
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

static void put_lost(struct calls *calls, struct buffer *buffer, int nr, u64 time,
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
	.event	= put_record,
	.lost	= put_lost,
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
 * @calls: the recording, for calls_free()
 * @file: its file
 * @all: write all branches, a line each
 * @open: opens what is known of branches
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
	run_batches(calls, true);
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
