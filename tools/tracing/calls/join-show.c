// SPDX-License-Identifier: GPL-2.0
/*
 * Write the text of the join: the lines of calls, with the branches under them
 *
 * A batch is shown when its events are joined.  A call without an event is shown as in the
 * tree of branches.  The call is written at its first branch, because only then it is known
 * whether the call has an event.
 */
#include <stdlib.h>
#include <string.h>

#include "join.h"

static struct join_cpu *last_cpu;
/* The depth of the next branch if it continues the tree of branches */
static unsigned int tree_depth;

static void put_head(const struct join_cpu *cpu)
{
	char text[16];

	snprintf(text, sizeof(text), "%3d) ", cpu->cpu);
	out_puts(text);
}

static void join_put_line(struct calls *calls, struct join_cpu *cpu,
			  const struct graph_event *entry, const struct graph_event *exit)
{
	const struct graph_event *event = entry ?: exit;
	const struct formats *formats = &calls->formats;
	struct tep_record begin = { }, end = { };
	struct call entry_call, exit_call;
	struct graph_line line = { };
	u32 set;

	set = event->call ? event->call->set : join_task_of(event)->sets[event->depth];
	if (entry) {
		begin = entry->record;
		if (!decode_call(formats, &begin,
				 decode_entry_layout(formats, tep_data_type(calls->tep, &begin)),
				 &entry_call))
			return;
		line.entry = &entry_call;
		set = decode_set(&entry_call);
	}
	if (exit) {
		end = exit->record;
		if (!decode_exit(formats, &end, &exit_call))
			return;
		line.exit = &exit_call;
	}
	line.func = sigs_find(calls->sigs, event->func, set);
	if (!line.func)
		return;
	put_head(cpu);
	out_graph_line(calls->sigs, &line);
}

/**
 * show_entry - write the held entry event of a CPU as a line that opens a call
 * @calls: the recording
 * @cpu: the CPU, which may have an entry event
 */
void show_entry(struct calls *calls, struct join_cpu *cpu)
{
	struct graph_event *entry = cpu->entry;

	cpu->entry = NULL;
	if (!entry)
		return;
	join_put_line(calls, cpu, entry, NULL);
}

static void join_put_note(struct calls *calls, struct join_cpu *cpu, const char *text)
{
	tree_view.end(calls);
	if (last_cpu)
		show_entry(calls, last_cpu);
	show_entry(calls, cpu);
	last_cpu = cpu;
	put_head(cpu);
	out_puts("[");
	out_puts(text);
	out_puts("]\n");
}

/* Write the CPU and the task of the next lines, unless the last line had the same */
static void show_task(struct calls *calls, struct join_cpu *cpu, int pid)
{
	const char *comm = tep_data_comm_from_pid(calls->tep, pid) ?: "<...>", *last;
	char text[128];

	if (last_cpu == cpu && cpu->shown == pid)
		return;
	if (last_cpu && last_cpu != cpu) {
		tree_view.end(calls);
		show_entry(calls, last_cpu);
	}
	snprintf(text, sizeof(text), "TASK %s-%d", comm, pid);
	if (cpu->shown >= 0 && cpu->shown != pid) {
		last = tep_data_comm_from_pid(calls->tep, cpu->shown) ?: "<...>";
		snprintf(text, sizeof(text), "SWITCH %s-%d => %s-%d", last, cpu->shown, comm,
			 pid);
	}
	last_cpu = cpu;
	cpu->shown = pid;
	join_put_note(calls, cpu, text);
}

static u32 entry_set(struct calls *calls, const struct graph_event *event)
{
	struct tep_record record = event->record;
	struct call call;

	if (!decode_call(&calls->formats, &record,
			 decode_entry_layout(&calls->formats,
					     tep_data_type(calls->tep, &record)), &call))
		return SIGS_NO_SET;
	return decode_set(&call);
}

static void join_put_event(struct calls *calls, struct join_cpu *cpu, struct graph_event *event)
{
	struct graph_event *entry;

	tree_view.end(calls);
	show_task(calls, cpu, event->pid);
	event->put = true;
	entry = cpu->entry;
	if (!event->is_exit) {
		u32 set = entry_set(calls, event);

		join_task_of(event)->sets[event->depth] = set;
		if (event->call)
			event->call->set = set;
		show_entry(calls, cpu);
		cpu->entry = event;
	} else if (entry && entry->func == event->func && entry->depth == event->depth) {
		join_put_line(calls, cpu, entry, event);
		cpu->entry = NULL;
	} else {
		show_entry(calls, cpu);
		join_put_line(calls, cpu, NULL, event);
	}
}

static void put_place(const struct place *place)
{
	char text[512];

	if (place->name)
		snprintf(text, sizeof(text), "%s+0x%llx", place->name,
			 (unsigned long long)(place->addr - place->func));
	else
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)place->addr);
	out_puts(text);
}

/* Write a branch in a line of its own, for code of any kind */
static void put_plain(struct calls *calls, struct join_cpu *cpu,
		      const struct taken *taken, const struct visited *call)
{
	const char *source = place_source(taken->branch.from);
	static const char * const kinds[] = {
		[TAKEN_FTRACE]		= "ftrace",
		[TAKEN_INTERRUPT]	= "interrupt",
	};
	int i;

	show_task(calls, cpu, taken->walker->task->pid);
	show_entry(calls, cpu);
	out_puts(cpu->state.flow.begin);
	for (i = call ? call->depth + 1 : 0; i > 0; i--)
		out_puts("  ");
	put_place(taken->branch.from);
	out_puts(" -> ");
	put_place(taken->branch.to);
	out_puts(" /* ");
	out_puts(taken->kind != TAKEN_CODE ? kinds[taken->kind] : call ? "call" : "no call");
	if (source) {
		out_puts(" ");
		out_puts(source);
	}
	out_puts(" */\n");
}

static void frame_clear(struct shown_frame *frame)
{
	visited_put(frame->visited);
	*frame = (struct shown_frame){ };
}

/*
 * The number of calls that are shown without an event, inside the innermost call with an
 * event
 */
static unsigned int nested(const struct walker *walker, unsigned int depth, bool *folded)
{
	const struct shown_frame *frame;
	unsigned int nr = 0;

	*folded = false;
	while (depth--) {
		frame = &walker->frames[depth];
		if (frame->visited && frame->visited->called)
			break;
		nr += frame->shown;
		*folded |= frame->folded;
	}
	return nr;
}

static void show_branch(struct calls *calls, struct join_cpu *cpu, struct walker *walker,
			const struct visited *call, const struct branch *branch,
			unsigned int leave, bool enter, unsigned int level)
{
	struct branch shown = *branch;
	const struct shown_frame *frame;

	show_task(calls, cpu, walker->task->pid);
	show_entry(calls, cpu);
	/* The function's name is omitted only below the function's own line */
	frame = branch->move.depth ? &walker->frames[branch->move.depth - 1] : NULL;
	if (!frame || !(frame->shown || (frame->visited && frame->visited->called)))
		shown.move.func = 0;
	shown.move.depth = call->depth + 1 + level;
	shown.move.leave = leave;
	shown.move.enter = enter;
	shown.move.lost = false;
	/* A call may have ended without a line */
	if (tree_depth != shown.move.depth)
		tree_view.end(calls);
	tree_depth = shown.move.depth - leave + enter;
	tree_view.branch(calls, &cpu->state.flow, &shown);
}

/*
 * Show a held call at the first branch in the call. At this point it is known whether the
 * call has an event.
 */
static void show_held(struct calls *calls, struct join_cpu *cpu, struct walker *walker,
		      unsigned int depth, const struct visited *call)
{
	struct shown_frame *frame = &walker->frames[depth - 1];
	unsigned int level;
	bool folded;

	if (!frame->held)
		return;
	frame->held = false;
	if (!call || (frame->visited && frame->visited->called))
		return;
	level = nested(walker, depth - 1, &folded);
	if (folded)
		return;
	frame->shown = true;
	frame->folded = call->late;
	show_branch(calls, cpu, walker, call, &frame->branch, 0, true, level);
}

/*
 * Forget calls of a task. Returns the number of these calls that are shown without an
 * event.
 */
static unsigned int forget(struct walker *walker, unsigned int depth, unsigned int nr)
{
	struct shown_frame *frame;
	unsigned int shown = 0;

	while (nr-- && depth--) {
		frame = &walker->frames[depth];
		shown += frame->shown;
		frame_clear(frame);
	}
	return shown;
}

/*
 * End the innermost call that ftrace has seen, and the callers whose tail call it is.
 * @ends is the number of calls, 0 if it is not known because branches are missing.  Returns
 * the number of these calls that are shown without an event.
 */
static unsigned int end_shown(struct walker *walker, unsigned int depth, unsigned int ends)
{
	struct shown_frame *frame;
	unsigned int shown = 0;

	while (depth--) {
		frame = &walker->frames[depth];
		if (frame->visited && frame->visited->called)
			break;
		shown += frame->shown;
		frame->shown = false;
		if (ends ? !--ends : !!frame->visited)
			break;
	}
	return shown;
}

/* Whether to show the branches at this place of a call */
static bool is_wanted(const struct visited *call)
{
	return !call->late || call->callees >= call->late->callees;
}

static void show_tree(struct calls *calls, struct join_cpu *cpu, const struct taken *taken,
		      struct visited *call)
{
	const struct bts_move *move = &taken->branch.move;
	unsigned int depth = taken->branch.move.depth, level, left;
	struct walker *walker = taken->walker;
	struct shown_frame *frame;
	bool folded;

	if (taken->kind != TAKEN_CODE || (call && !is_wanted(call)))
		call = NULL;
	if (taken->kind == TAKEN_CODE && depth)
		show_held(calls, cpu, walker, depth, call);
	level = nested(walker, depth, &folded);
	if (taken->returns)
		left = end_shown(walker, depth, taken->ends);
	else
		left = forget(walker, depth, move->leave);
	if (left && call)
		show_branch(calls, cpu, walker, call, &taken->branch, left, false, level);
	if (move->enter && depth - move->leave < BTS_TREE_DEPTH) {
		frame = &walker->frames[depth - move->leave];
		frame_clear(frame);
		frame->held = call;
		frame->branch = taken->branch;
		return;
	}
	if (call && !left && !folded && !move->leave && move->kind != BTS_KIND_RETURN)
		show_branch(calls, cpu, walker, call, &taken->branch, 0, false, level);
}

/* Show a branch. With @lost, the lines of the branch are not known. */
static void show_taken(struct calls *calls, struct join_cpu *cpu, struct taken *taken,
		       bool lost)
{
	struct visited *call = lost ? NULL : visited_shown(taken->call);
	struct walker *walker = taken->walker;
	unsigned int depth = taken->branch.move.depth;

	if (taken->fresh)
		frame_clear(&walker->frames[depth - 1]);
	if (taken->entered) {
		visited_put(walker->frames[depth - 1].visited);
		walker->frames[depth - 1].visited = visited_get(taken->entered);
	}
	if (join.all)
		put_plain(calls, cpu, taken, call);
	else
		show_tree(calls, cpu, taken, call);
}

/* Write the callers whose branches are missing, because they began before */
static void put_outer(struct calls *calls, struct join_cpu *cpu, struct graph_event *event)
{
	if (!event || event->put)
		return;
	put_outer(calls, cpu, event->outer);
	join_put_event(calls, cpu, event);
}

static void show_event(struct calls *calls, struct join_cpu *cpu, struct graph_event *event)
{
	char text[64];

	if (event->lost) {
		snprintf(text, sizeof(text), event->lost > 0 ? "LOST %lld EVENTS" :
			 "LOST EVENTS", event->lost);
		join_put_note(calls, cpu, text);
	}
	if (event->late || event->put)
		return;
	if (!event->is_exit && event->call)
		late_count(event->call);
	join_put_event(calls, cpu, event);
}

/*
 * An NMI has no branches. If the NMI was not deeper than the call that begins now, the NMI
 * was before the call. The call's entry event follows the NMI in the recording, or is a
 * late entry.
 */
static void show_nmi(struct calls *calls, struct join_cpu *cpu, const struct batch *batch,
		     unsigned int *next, int depth)
{
	struct graph_event **events = batch->events;

	if (*next == batch->nr_events || events[*next]->depth > depth)
		return;
	for (; *next < batch->nr_events && events[*next]->nmi; ++*next)
		show_event(calls, cpu, events[*next]);
}

/* Write a late entry where its call begins */
static void put_late(struct calls *calls, struct join_cpu *cpu, const struct batch *batch,
		     unsigned int *next, struct visited *call)
{
	struct graph_event *event = call->late->event;
	/* An event of this batch already has the call, and a reference */
	struct visited *joined = event->call;

	call->called = true;
	call->depth = event->depth;
	late_count(call);
	put_outer(calls, cpu, event->outer);
	show_nmi(calls, cpu, batch, next, event->depth);
	event->call = call;
	join_put_event(calls, cpu, event);
	event->call = joined;
}

/* Whether an event at the start of a batch was written before the branches of the batch */
static bool is_before(const struct graph_event *event)
{
	return event->at < 0 && !event->late && !event->nmi && !event->apart;
}

/* Whether the first events of a batch may belong to its branches */
static bool begins_unknown(const struct batch *batch)
{
	unsigned int i;

	for (i = 0; i < batch->nr_written; i++)
		if (batch->written[i]->event || batch->written[i]->unknown)
			return batch->written[i]->unknown;
	return false;
}

/*
 * Write that some events may not belong to the branches. Returns the number of these
 * events.
 */
static unsigned int show_unknown(struct calls *calls, struct join_cpu *cpu,
				 const struct batch *batch, unsigned int i)
{
	unsigned int nr = 0;
	char text[64];

	while (i + nr < batch->nr_written && batch->written[i + nr]->unknown)
		nr++;
	if (!nr)
		return 1;
	snprintf(text, sizeof(text), "JOIN LOST: %u EVENTS MAY BE OF OTHER BRANCHES", nr);
	join_put_note(calls, cpu, text);
	return nr;
}

/**
 * show_batch - write the lines of a batch
 * @calls: the recording
 * @cpu: its CPU
 * @batch: the batch
 */
void show_batch(struct calls *calls, struct join_cpu *cpu, struct batch *batch)
{
	bool misfit = batch->misfit && batch->nr_written && batch->nr_events;
	unsigned int i, j = 0, w = 0, next;
	bool lost = misfit;
	struct taken *taken;

	if (misfit)
		join_put_note(calls, cpu, "JOIN LOST: THE EVENTS ARE NOT THOSE OF THE BRANCHES");
	/* Events before the first event with branches were written before the branches */
	if (batch->misfit || !begins_unknown(batch))
		while (j < batch->nr_events && is_before(batch->events[j]))
			show_event(calls, cpu, batch->events[j++]);
	for (i = 0; i < batch->nr_taken; i++) {
		taken = &batch->taken[i];
		while (w < batch->nr_written && batch->written[w]->at <= (int)i) {
			lost |= batch->written[w]->unknown;
			if (batch->written[w]->event)
				lost = misfit;
			w += batch->misfit ? 1 : show_unknown(calls, cpu, batch, w);
		}
		/* Show an event without branches before the next event with branches */
		for (next = j; next < batch->nr_events && batch->events[next]->at < 0;)
			next++;
		if (next < batch->nr_events && batch->events[next]->at <= (int)i)
			for (; j <= next; j++)
				show_event(calls, cpu, batch->events[j]);
		if (taken->note) {
			join_put_note(calls, cpu, taken->note);
			continue;
		}
		if (taken->entered && taken->entered->late)
			put_late(calls, cpu, batch, &j, taken->entered);
		show_taken(calls, cpu, taken, lost);
	}
	for (; j < batch->nr_events; j++)
		show_event(calls, cpu, batch->events[j]);
}
