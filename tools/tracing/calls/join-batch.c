// SPDX-License-Identifier: GPL-2.0
/*
 * Walk the branches of a batch, and join its events with the branches
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "join.h"

static struct walker **walkers;
static unsigned int nr_walkers;
static size_t walkers_room;
static struct bts_decoder decoder;

static bool is_bts(const struct place *place)
{
	return place && place->name && !strncmp(place->name, "bts_", 4);
}

/* Whether the last branch of a task leads to code where the task leaves the CPU */
static bool has_left_cpu(const struct walker *walker)
{
	return walker->at && (is_bts(walker->at) || walk_leaving(walker->at));
}

static struct walker *add_walker(struct task *task, int cpu)
{
	struct walker *walker;

	walker = array_add_new(&walkers, &nr_walkers, &walkers_room, sizeof(*walker));
	if (!walker)
		return NULL;
	walker->task = task;
	walker->cpu = cpu;
	if (task->data)
		walker->next = walkers[task->data - 1];
	task->data = nr_walkers;
	return walker;
}

/*
 * Find the calls of a task on a CPU.  A CPU that the task has left may be drained later
 * than the next CPU.  So a task may have other calls on each CPU until the branches of the
 * CPU show that the task has left.
 */
static struct walker *find_walker(struct task *task, int cpu, u64 from)
{
	struct walker *walker = task->data ? walkers[task->data - 1] : NULL;
	struct walker *own = NULL, *left = NULL;

	for (; walker; walker = walker->next) {
		if (walker->cpu == cpu)
			own = walker;
		else if (has_left_cpu(walker) && (!left || walker->used > left->used))
			left = walker;
	}
	if (own && (!has_left_cpu(own) || !left || left->used < own->used ||
		    !is_bts(place_find(from))))
		return own;
	if (!left || !is_bts(place_find(from)))
		return add_walker(task, cpu);
	/* The calls move to this CPU. The task's earlier calls on this CPU have ended. */
	if (own) {
		walk_reset(own);
		own->cpu = left->cpu;
		own->at = NULL;
	}
	left->cpu = cpu;
	return left;
}

static void __printf(2, 3) add_note(struct batch *batch, const char *format, ...)
{
	struct taken *taken;
	char *text;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	taken = len < 0 ? NULL : array_add(&batch->taken, &batch->nr_taken, &batch->taken_room,
					   sizeof(*taken));
	if (!taken) {
		join.failed = true;
		return;
	}
	*taken = (struct taken){ .note = text };
}

/*
 * Forget the calls on a CPU whose branches are missing, because its tasks may have begun
 * and ended any calls
 */
static void lose_branches(struct join_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < nr_walkers; i++)
		if (walkers[i]->cpu == cpu->cpu)
			walk_reset(walkers[i]);
	cpu->state.foreign = false;
	cpu->state.starting = false;
	cpu->state.switching = false;
}

/* Whether other tasks ran before a branch, and the tracer was called at both switches */
static bool was_switched(const struct walker *walker, u64 from)
{
	return is_bts(place_find(from)) && has_left_cpu(walker);
}

/*
 * Whether a task still has the calls of the end of its last batch.  The CPUs' buffers are
 * drained at different times, so batches may be in another order.
 */
static bool is_continuous(const struct batch *batch, const struct task *task)
{
	const struct graph_event *event;
	u64 last = 0;
	unsigned int i;

	for (i = 0; i < batch->nr_events; i++) {
		event = batch->events[i];
		if (event->pid != task->pid)
			continue;
		if (event->serial != (last ?: join_task_of(event)->done) + 1)
			return false;
		last = event->serial;
	}
	return true;
}

static void begin_block(struct join_cpu *cpu, struct batch *batch,
			const struct held_block *held, u64 from)
{
	struct walker *walker = find_walker(held->task, cpu->cpu, from);
	const struct bts_block *block = &held->block;
	struct flow *flow = &cpu->state.flow;
	bool lost = false, gap = block->marks & BTS_MARK_GAP;

	if (!walker) {
		join.failed = true;
		return;
	}
	if (block->first != flow->next) {
		add_note(batch, flow->next ? "LOST %llu BRANCHES" : "%llu BRANCHES BEFORE THIS",
			 (unsigned long long)(block->first - flow->next));
		lost = true;
	}
	if (block->marks & BTS_MARK_DROPPED) {
		add_note(batch, "BRANCHES DROPPED BY THE CPU");
		lost = true;
	}
	if (!flow->next)
		batch->gap = true;
	flow->next = block->first + block->nr;
	if (lost || gap)
		batch->gap = true;
	if (lost)
		lose_branches(cpu);
	if (gap && !lost) {
		add_note(batch, "GAP");
		if (!was_switched(walker, from)) {
			walk_reset(walker);
			lost = true;
		}
	}
	if (!walker->at && walker->next)
		add_note(batch, "JOIN LOST: THE TASK WAS ON ANOTHER CPU");
	if ((gap || cpu->state.running != walker) && (walker->tree.nr || walker->nr_visits) &&
	    !is_continuous(batch, held->task)) {
		add_note(batch, "JOIN LOST: THE TASK WAS ON ANOTHER CPU");
		walk_reset(walker);
		batch->gap = true;
	}
	if (!cpu->state.running || gap || lost) {
		cpu->state.running = walker;
		cpu->state.next = NULL;
		cpu->state.foreign = false;
		walker->is_back = false;
		cpu->state.starting = is_bts(place_find(from));
	} else if (cpu->state.running != walker) {
		/* The walk has missed a switch */
		if (cpu->state.next && cpu->state.next != walker)
			cpu->state.running = cpu->state.next;
		cpu->state.next = walker;
	} else {
		cpu->state.next = NULL;
	}
}

static void add_branch(struct join_cpu *cpu, struct batch *batch, u64 nr, u64 from, u64 to)
{
	bool foreign = cpu->state.foreign || cpu->state.starting;
	struct branch branch;
	struct taken *taken;

	if (!branch_find(&branch, from, to)) {
		join.failed = true;
		return;
	}
	join.branches++;
	if (cpu->state.switching && walk_switched(branch.from, branch.to)) {
		cpu->state.switching = false;
		/*
		 * If another task's branches are missing, this task may have been on
		 * another CPU
		 */
		if (cpu->state.foreign)
			walk_back(cpu->state.running);
		cpu->state.foreign = false;
		if (cpu->state.next)
			cpu->state.running = cpu->state.next;
		cpu->state.next = NULL;
	}
	if (cpu->state.starting && !is_bts(branch.to) && !walk_in_ftrace(cpu->state.running)) {
		/* The tracer has started recording, in the scheduler or elsewhere */
		cpu->state.starting = false;
		cpu->state.foreign = walk_scheduling(branch.to);
	}
	taken = walk_branch(cpu->state.running, batch, cpu->cpu, nr, &branch);
	if (!taken) {
		join.failed = true;
		return;
	}
	if (foreign || cpu->state.foreign) {
		visited_put(taken->call);
		taken->call = NULL;
	}
	if (cpu->state.running->is_lost) {
		cpu->state.running->is_lost = false;
		add_note(batch, "JOIN LOST: OTHER CALLS THAN BEFORE");
		batch->gap = true;
		/* add_note() may have moved the array */
		taken = NULL;
	}
	if (taken && !join.first && taken->entered)
		taken->entered->late = late_find(cpu->cpu, nr);
	cpu->state.switching |= walk_switching(branch.to);
}

static void walk_blocks(struct calls *calls, struct join_cpu *cpu, struct batch *batch)
{
	struct held_block *held;
	unsigned int i;
	bool begun;
	int ret;
	u64 nr;

	for (i = 0; i < batch->nr_blocks; i++) {
		held = batch->blocks[i];
		bts_decode_start(&decoder, held->data, held->block.size, held->block.nr);
		nr = held->block.first;
		for (begun = false; (ret = bts_decode(&decoder)) == 1; begun = true) {
			if (!begun)
				begin_block(cpu, batch, held, decoder.from);
			if (join.failed)
				return;
			add_branch(cpu, batch, nr++, decoder.from, decoder.to);
		}
		if (!ret)
			continue;
		if (!calls->damaged)
			complain("%s: not a block of branches: CPU %d, %llu ns", calls->file,
				 cpu->cpu, (unsigned long long)held->time);
		calls->damaged = true;
		add_note(batch, "NOT A BLOCK OF BRANCHES");
		batch->gap = true;
		lose_branches(cpu);
	}
}

/* Find the call of a late entry */
static struct visited *find_late_call(struct visited *call, const struct graph_event *event)
{
	for (; call; call = call->outside ? NULL : call->parent)
		if (!call->begun && call->func == event->func)
			return call;
	return NULL;
}

static struct visited *find_ended(struct visited *call, const struct graph_event *event)
{
	for (; call; call = call->tail ? call->parent : NULL)
		if (call->func == event->func)
			return call;
	return NULL;
}

static void join_event(struct written *written)
{
	struct graph_event *event = written->event;
	struct visited *call;

	if (event->is_exit) {
		call = find_ended(written->call, event);
	} else if (written->kind == WRITTEN_ENTRY && written->call &&
		   written->call->func == event->func) {
		call = written->call;
	} else {
		call = find_late_call(written->call, event);
		event->late = call;
	}
	event->at = written->at;
	if (!call)
		return;
	event->call = call;
	/* The event has a reference until the batch is done */
	visited_get(call);
	if (event->is_exit)
		return;
	call->begun = true;
	/* The late entry is shown where the call begins */
	if (event->late && call->late)
		return;
	call->called = true;
	call->depth = event->depth;
	if (event->late && join.first)
		late_add(call, event);
	else
		event->late = false;
}

/*
 * If the branches do not have the call of a late entry, the entry is shown where its callee
 * began. ftrace wrote both late entries together.
 */
static void join_outer(struct graph_event *event, struct graph_event *inner)
{
	if (event->is_exit || event->nmi || event->call || !inner->late ||
	    inner->pid != event->pid || inner->depth != event->depth + 1)
		return;
	inner->outer = event;
	event->late = true;
}

/*
 * As join_outer(), if the buffer of branches was drained between two of these late entries
 */
static void join_outer_before(struct batch *before, struct graph_event *inner)
{
	unsigned int i;

	for (i = before->nr_events; i--; inner = before->events[i]) {
		join_outer(before->events[i], inner);
		if (inner->outer != before->events[i])
			break;
	}
	/* The second pass joins the batch again before the batch is shown */
	while (++i < before->nr_events)
		before->events[i]->late = false;
}

/* Join the recorded events of a batch with its written events */
static void join_batch(struct batch *batch, struct batch *before)
{
	struct written *written;
	unsigned int i;

	batch->misfit = !match_batch(batch);
	/* Late entries are in the order of their depth */
	for (i = batch->nr_written; i--;) {
		written = batch->written[i];
		if (written->event)
			join_event(written);
		else if (written->unknown && written->call && written->kind == WRITTEN_ENTRY)
			written->call->unknown = true;
	}
	for (i = batch->nr_events; i-- > 1;)
		join_outer(batch->events[i - 1], batch->events[i]);
	if (join.first && before && batch->nr_events)
		join_outer_before(before, batch->events[0]);
	for (i = 0; join.first && i < batch->nr_written; i++) {
		written = batch->written[i];
		if (written->event && !written->event->is_exit && written->event->call)
			late_count(written->event->call);
	}
}

/* Whether an event is being written when the CPU's buffer is drained */
static bool is_open(const struct written *written)
{
	return written->visit && !written->committed;
}

/*
 * Tell the match on which side of the drain the recorded event is that is being written at
 * the drain.  An earlier pass has found this out in the next batch.
 */
static void set_open(struct batch *batch)
{
	struct written *written;
	unsigned int i;

	for (i = 0; i < batch->nr_written; i++) {
		written = batch->written[i];
		if (!is_open(written))
			continue;
		written->committed = batch->open == OPEN_BEFORE;
		written->later = batch->open == OPEN_BEHIND;
	}
}

/*
 * Find out on which side of the drain before a batch the recorded event is that was being
 * written at the drain.  The branches after the drain show that the event was committed.
 * So if the event is not after the drain, and no event was lost, the event is before the
 * drain.  This is done for a single event only, and only if the first pass is repeated:
 * otherwise the second pass would join late entries that the first pass has not found.
 */
static void find_open(struct batch *before, const struct batch *batch)
{
	const struct written *written;

	if (!join.first || !join.repeats)
		return;
	if (!before->unknown || before->open != OPEN_UNKNOWN || !batch->has_open ||
	    before->lost || batch->lost)
		return;
	written = batch->written[0];
	if (!written->committed || written->unknown)
		return;
	if (written->event)
		before->open = OPEN_BEHIND;
	else if (written->skipped)
		before->open = OPEN_BEFORE;
	join.again |= before->open != OPEN_UNKNOWN;
}

static bool keep_written(struct batch *batch, struct written *written)
{
	struct written **slot;

	slot = array_add(&batch->written, &batch->nr_written, &batch->written_room,
			 sizeof(*slot));
	if (!slot) {
		join.failed = true;
		return false;
	}
	written->at = 0;
	written->later = false;
	written->inside = written->interrupted;
	*slot = written;
	return true;
}

/*
 * Free the results of a joined batch, but not its recorded events and blocks.  @next is the
 * CPU's next batch, or NULL.  @next gets the events that were being written when the CPU's
 * buffer was drained.
 */
static void batch_done(struct batch *batch, struct batch *next)
{
	struct graph_event *event;
	struct join_task *task;
	struct written *written;
	unsigned int i, nr_open = 0;

	for (i = 0; i < batch->nr_taken; i++) {
		free(batch->taken[i].note);
		visited_put(batch->taken[i].call);
		visited_put(batch->taken[i].entered);
	}
	for (i = 0; i < batch->nr_events; i++) {
		event = batch->events[i];
		task = join_task_of(event);
		task->done = max(task->done, event->serial);
		visited_put(event->call);
		event->call = NULL;
		event->late = false;
	}
	for (i = 0; i < batch->nr_written; i++) {
		written = batch->written[i];
		nr_open += is_open(written);
		if (!next || !is_open(written) || written->event || !keep_written(next, written))
			written_put(written);
	}
	if (next)
		next->has_open = nr_open == 1 && next->nr_written == 1;
	free(batch->taken);
	batch->taken = NULL;
	batch->nr_taken = 0;
	free(batch->written);
	batch->written = NULL;
	batch->nr_written = 0;
	free(batch->places);
	batch->places = NULL;
	batch->nr_places = 0;
	batch->gap = false;
}

/**
 * batch_free - free a batch
 * @batch: the batch
 */
void batch_free(struct batch *batch)
{
	unsigned int i;

	batch_done(batch, NULL);
	for (i = 0; i < batch->nr_events; i++)
		free(batch->events[i]);
	for (i = 0; i < batch->nr_blocks; i++)
		free(batch->blocks[i]);
	free(batch->events);
	free(batch->blocks);
	free(batch->ends);
}

/*
 * Whether a task has branches in a batch. The instance of the branches may trace other
 * PIDs.
 */
static bool has_branches(const struct batch *batch, int pid)
{
	unsigned int i;

	for (i = 0; i < batch->nr_blocks; i++)
		if (batch->blocks[i]->task->pid == pid)
			return true;
	return false;
}

/**
 * batch_run - join a batch and show it
 * @calls: the recording
 * @cpu: the batch's CPU
 * @batch: the batch
 * @next: the CPU's next batch, NULL if there is none
 */
void batch_run(struct calls *calls, struct join_cpu *cpu, struct batch *batch,
	       struct batch *next)
{
	struct batch *before = batch > cpu->batches ? batch - 1 : NULL;
	unsigned int i;

	if (join.first)
		batch->nr_ends = 0;
	for (i = 0; i < batch->nr_events; i++) {
		batch->events[i]->at = -1;
		if (join.first)
			batch->events[i]->outer = NULL;
		batch->events[i]->apart = !has_branches(batch, batch->events[i]->pid);
	}
	walk_blocks(calls, cpu, batch);
	if (join.failed)
		return;
	for (i = 0; !join.first && i < batch->nr_ends; i++)
		batch->taken[batch->ends[i].at].ends = batch->ends[i].ends;
	/*
	 * Events are lost after the last event of a batch if they are missing before the
	 * next batch's first event
	 */
	for (i = 0; next && i < next->nr_events; i++) {
		if (next->events[i]->nmi)
			continue;
		batch->lost_behind = next->events[i]->missing;
		break;
	}
	if (next)
		next->gap |= batch->gap;
	set_open(batch);
	join_batch(batch, before);
	if (before)
		find_open(before, batch);
	if (!join.first)
		show_batch(calls, cpu, batch);
	batch_done(batch, next);
}

/**
 * batch_free_walkers - forget the calls of all tasks
 */
void batch_free_walkers(void)
{
	unsigned int i, j;

	for (i = 0; i < nr_walkers; i++) {
		walk_reset(walkers[i]);
		for (j = 0; j < BTS_TREE_DEPTH; j++)
			visited_put(walkers[i]->frames[j].visited);
		walkers[i]->task->data = 0;
		free(walkers[i]);
	}
	free(walkers);
	walkers = NULL;
	nr_walkers = 0;
}

/**
 * batch_follows - whether a batch has to wait for earlier branches of its first task
 * @batch: the batch
 * @cpu: its CPU
 *
 * Return: the CPU whose next batch has the earlier branches of the task, -1 if no earlier
 * branches are missing.
 */
int batch_follows(const struct batch *batch, int cpu)
{
	const struct walker *walker, *last = NULL;

	if (!batch->nr_blocks || !batch->blocks[0]->task->data)
		return -1;
	walker = walkers[batch->blocks[0]->task->data - 1];
	for (; walker; walker = walker->next)
		if (!last || walker->used > last->used)
			last = walker;
	return last->cpu == cpu || has_left_cpu(last) ? -1 : last->cpu;
}
