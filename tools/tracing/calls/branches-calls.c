// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls branches --calls: the branches of each call under the call's line
 *
 * While a CPU records branches, each event of the function_graph tracer has the number of
 * the CPU's next branch, and each block of branches has the number of its first branch.  So
 * the events and the branches of a CPU are merged by their numbers.
 *
 * The events of a CPU mostly are in the order of their numbers.  An event is not if another
 * event interrupted its writing, or if an entry was written when its call returned.  The
 * first pass over the events finds these events.  The second pass shows them at their
 * numbers.  The CPUs take turns in the order of times: a block has the time when the CPU
 * switched to the task, so a task's branches on one CPU are shown before the branches on the
 * task's next CPU.
 *
 * The code of user space that maps.c knows has a tree of its own between the calls of the kernel.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/bts_trace.h>

#include "../traceevent/bts_lines.h"
#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "visits.h"

#define NUMBER_MASK	((1ULL << BTS_NUMBER_BITS) - 1)

/* The bit of common_flags for an NMI */
#define FLAG_NMI	0x40

/* The text before a branch, with the columns of a call's line left empty */
#define FLOW_BEGIN	"                  |  "

/**
 * struct graph_event - an event of the function_graph tracer
 * @call: the event's call; its pointers are to @data
 * @walker: its task
 * @time: the event's time
 * @number: the number of the CPU's next branch
 * @order: number of the event in the recording
 * @moved: the CPU whose branches are around the event if the event is out of order, else NULL
 * @lost: number of events that were lost before this event, -1 if unknown
 * @is_exit: an exit event, else an entry event
 * @late: an entry event that was written later than its call began
 * @callees: then the number of callees with events
 * @inside: ftrace's branches are around the event, so the event is not from an NMI
 * @data: the event's data
 */
struct graph_event {
	struct call	call;
	struct walker	*walker;
	u64		time;
	u64		number;
	u64		order;
	struct merged_cpu *moved;
	long long	lost;
	bool		is_exit;
	bool		late;
	unsigned int	callees;
	bool		inside;
	char		data[];
};

/**
 * struct merged_cpu - a CPU
 * @cpu: the CPU
 * @graph: its events; NULL if there are none
 * @blocks: its blocks of branches; NULL if there are none
 * @last: the greatest number of its events so far
 * @event: the next event, NULL if there is none
 * @moved: its events that are out of order, NULL if they were shown
 * @nr_moved: number of elements of @moved
 * @shown_moved: number of events of @moved that were shown
 * @begun: a branch of the block is shown
 * @left: the block has a branch that is not shown yet, which @flow has
 * @flow: the branches, for the tree
 * @running: the task whose stack is in use
 * @to_run: the task that the CPU switches to, NULL if there is none
 * @foreign: the stack belongs to a task that is not recorded
 * @back: at the next switch, a task comes back whose way out of the CPU was not recorded
 * @shown: the task of the last line, -1 before the first line
 * @entry: an entry event that is not in the output yet
 */
struct merged_cpu {
	int			cpu;
	struct stream		*graph;
	struct stream		*blocks;
	u64			last;
	struct graph_event	*event;
	struct graph_event	**moved;
	unsigned int		nr_moved;
	unsigned int		shown_moved;
	bool			begun;
	bool			left;
	struct flow		flow;
	struct walker		*running;
	struct walker		*to_run;
	bool			foreign;
	bool			back;
	int			shown;
	struct graph_event	*entry;
};

static bool has_single, has_others, has_numbers;
static u64 nr_events;

static struct merged_cpu **cpus;
static unsigned int nr_cpus;
static struct merged_cpu *last_cpu;
/* The depth of the next branch if it continues the tree of branches */
static unsigned int tree_depth;

static struct merged_cpu *find_cpu(int nr)
{
	struct merged_cpu *cpu;
	unsigned int i;

	for (i = 0; i < nr_cpus; i++)
		if (cpus[i]->cpu == nr)
			return cpus[i];
	cpu = array_add_new(&cpus, &nr_cpus, sizeof(*cpu));
	cpu->cpu = nr;
	cpu->shown = -1;
	cpu->flow.begin = FLOW_BEGIN;
	return cpu;
}

/*
 * The text
 */

static void put_line(struct calls *calls, struct merged_cpu *cpu, struct graph_event *entry,
		     struct graph_event *exit)
{
	const struct call *call = entry ? &entry->call : &exit->call;
	struct walker *walker = (entry ?: exit)->walker;
	struct graph_line line = {
		.entry	= entry ? call : NULL,
		.exit	= exit ? &exit->call : NULL,
		.args	= true,
	};

	if (entry)
		walker->sets[call->depth] = decode_set(call);
	/* If only funcgraph-retval was set, only the exit has the set */
	if (exit && walker->sets[call->depth] == SIGS_NO_SET)
		walker->sets[call->depth] = decode_set(&exit->call);
	line.func = sigs_find(calls->sigs, call->func, walker->sets[call->depth]);
	if (!line.func)
		return;
	out_printf("%3d) ", cpu->cpu);
	out_line(calls->sigs, &line);
}

/* Write the held entry event of a CPU as a line that opens a call */
static void show_entry(struct calls *calls, struct merged_cpu *cpu)
{
	struct graph_event *entry = cpu->entry;

	cpu->entry = NULL;
	if (entry)
		put_line(calls, cpu, entry, NULL);
	free(entry);
}

static void put_note(struct calls *calls, struct merged_cpu *cpu, const char *text)
{
	tree_view.end(calls);
	if (last_cpu)
		show_entry(calls, last_cpu);
	show_entry(calls, cpu);
	last_cpu = cpu;
	out_printf("%3d) [%s]\n", cpu->cpu, text);
}

/* Write the CPU and the task of the next lines, unless the last line had the same */
static void show_task(struct calls *calls, struct merged_cpu *cpu, int pid)
{
	const char *comm = tep_data_comm_from_pid(calls->tep, pid) ?: "<...>", *last;
	char text[128];

	if (last_cpu == cpu && cpu->shown == pid)
		return;
	snprintf(text, sizeof(text), "TASK %s-%d", comm, pid);
	if (cpu->shown >= 0 && cpu->shown != pid) {
		last = tep_data_comm_from_pid(calls->tep, cpu->shown) ?: "<...>";
		snprintf(text, sizeof(text), "SWITCH %s-%d => %s-%d", last, cpu->shown, comm,
			 pid);
	}
	cpu->shown = pid;
	put_note(calls, cpu, text);
}

/* Whether one side of a branch is known code of user space */
static bool is_user(const struct branch *branch)
{
	return branch->from->area || branch->to->area;
}

/* Write a branch in a line of its own, for code of any kind */
static void put_plain(struct calls *calls, struct merged_cpu *cpu, const struct branch *branch,
		      enum taken_kind kind, const struct open_call *call)
{
	static const char * const kinds[] = {
		[TAKEN_CODE]		= "no call",
		[TAKEN_LEAVE]		= "no call",
		[TAKEN_FTRACE]		= "ftrace",
		[TAKEN_RETURN]		= "ftrace",
		[TAKEN_INTERRUPT]	= "interrupt",
	};
	const char *source = place_source(branch->from);
	char text[512];
	int i;

	if (!range_has(branch))
		return;
	if (kind > TAKEN_LEAVE || is_user(branch))
		call = NULL;
	show_task(calls, cpu, cpu->running->pid);
	show_entry(calls, cpu);
	out_puts(cpu->flow.begin);
	for (i = call ? call->depth + 1 : 0; i > 0; i--)
		out_puts("  ");
	out_puts(place_text(branch->from, false, text, sizeof(text)));
	out_puts(" -> ");
	out_puts(place_text(branch->to, false, text, sizeof(text)));
	out_puts(branch->mispredicted ? " /* mispredicted " : " /* ");
	if (is_user(branch))
		out_printf("user %s", bts_kind_text(&branch->move, text));
	else
		out_puts(call ? "call" : kinds[kind]);
	if (source)
		out_printf(" %s", source);
	out_puts(" */\n");
}

/* Write a branch as a part of a tree. Its depth and its ends are those in the tree. */
static void put_branch(struct calls *calls, struct merged_cpu *cpu, struct branch *shown)
{
	if (!range_has(shown))
		return;
	show_task(calls, cpu, cpu->running->pid);
	show_entry(calls, cpu);
	shown->move.lost = false;
	if (tree_depth != shown->move.depth)
		tree_view.end(calls);
	tree_depth = shown->move.depth - shown->move.leave + shown->move.enter;
	tree_view.branch(calls, &cpu->flow, shown);
}

/*
 * Write a branch of user space as a part of the tree of the program's calls.  The events show the
 * calls of the kernel, so all code of the kernel between two branches of user space is one call.
 */
static void put_user(struct calls *calls, struct merged_cpu *cpu, const struct branch *branch)
{
	struct branch shown = *branch;
	struct bts_move *move = &shown.move;
	unsigned int leave = move->leave;

	if (bts_is_kernel(branch->from->addr))
		move->leave = min(leave, 1U);
	else if (bts_is_kernel(branch->to->addr))
		move->leave = 0;
	move->depth -= leave - move->leave;
	put_branch(calls, cpu, &shown);
}

/*
 * Write a branch of the innermost call with an event, as a part of the tree below the call.
 * If the condition of the call is decided at its return, the branches that led to the return
 * are shown: the branches after the last callee with an event, without those of callees
 * without an event.
 */
static void put_tree(struct calls *calls, struct merged_cpu *cpu, struct open_call *call,
		     const struct branch *branch)
{
	unsigned int depth = branch->move.depth, inside;
	struct branch shown = *branch;

	inside = depth > call->base ? depth - call->base : 0;
	if (call->late && (call->left || (inside && branch->move.leave < inside)))
		return;
	if (call->late && inside) {
		/* A callee that called the last callee with an event is not open in the tree */
		inside = call->opened;
		shown.move.leave = inside;
		shown.move.func = inside ? shown.move.func : 0;
	}
	call->opened = shown.move.enter;
	shown.move.depth = call->depth + 1 + inside;
	shown.move.leave = min(shown.move.leave, inside);
	put_branch(calls, cpu, &shown);
}

/* Write the call that began with the last branch, because the call has no event */
static void show_held(struct calls *calls, struct merged_cpu *cpu, struct walker *walker)
{
	struct open_call *call = walker_call(walker);

	if (walker->held && call)
		put_tree(calls, cpu, call, &walker->branch);
	walker->held = false;
}

static void show_branch(struct calls *calls, struct merged_cpu *cpu, const struct branch *branch,
			enum taken_kind kind)
{
	struct walker *walker = cpu->running;
	struct open_call *call = cpu->foreign ? NULL : walker_call(walker);
	const struct bts_move *move = &branch->move;

	if (branches_choice.all) {
		put_plain(calls, cpu, branch, kind, call);
		return;
	}
	if (is_user(branch)) {
		put_user(calls, cpu, branch);
		return;
	}
	if (kind == TAKEN_RETURN && call && walker->end.move.leave) {
		show_held(calls, cpu, walker);
		put_tree(calls, cpu, call, &walker->end);
	}
	if (kind != TAKEN_CODE || !call)
		return;
	show_held(calls, cpu, walker);
	if (move->enter) {
		walker->held = true;
		walker->branch = *branch;
	} else if (move->depth - move->leave >= call->base) {
		put_tree(calls, cpu, call, branch);
	}
}

/*
 * The events
 */

/* Write the ends of the calls without events in a call that ends now */
static void end_inner(struct calls *calls, struct merged_cpu *cpu, struct walker *walker,
		      const struct visit *visit)
{
	const struct bts_frame *frame = &walker->tree.frames[visit->index];
	unsigned int depth = visit->ended ? visit->ended - 1 : visit->index;
	struct open_call *call = walker_call(walker);
	struct branch end;

	if (branches_choice.all || !frame->from || depth <= call->base ||
	    (call->late && !call->opened))
		return;
	show_held(calls, cpu, walker);
	branch_find(&end, frame->from, frame->func);
	end.move = (struct bts_move){
		.kind	= BTS_KIND_RETURN,
		.sure	= end.from->insn == BTS_KIND_RETURN,
		.leave	= depth - call->base,
		.depth	= depth,
		.func	= end.from->func,
	};
	put_tree(calls, cpu, call, &end);
}

static void show_event(struct calls *calls, struct merged_cpu *cpu, struct graph_event *event)
{
	const struct call *own = &event->call;
	struct walker *walker = event->walker;
	const struct open_call *call;
	struct graph_event *entry;
	struct visit *visit = NULL;
	unsigned int base;
	char text[64];

	if (event->lost) {
		snprintf(text, sizeof(text), event->lost > 0 ? "LOST %lld EVENTS" :
			 "LOST EVENTS", event->lost);
		put_note(calls, cpu, text);
		walkers_lose(cpu->cpu, true);
	}
	walker_run(walker, cpu->cpu);
	base = walker->tree.nr;
	if (event->inside) {
		/* The event shows which task's stack is in use */
		cpu->running = walker;
		cpu->foreign = false;
		visit = walker_visit(walker, event->is_exit);
		base = visit->index;
	}
	if (event->is_exit) {
		walker_trim(walker, own->depth + 1);
		call = walker_call(walker);
		if (visit && visit->is_exit && call && call->depth == own->depth) {
			end_inner(calls, cpu, walker, visit);
			visit->ended = call->base;
		}
	} else if (!visit || walker->branch.move.depth - walker->branch.move.leave + 1 != base) {
		/* The event is not the event of the held call */
		show_held(calls, cpu, walker);
	}
	tree_view.end(calls);
	show_task(calls, cpu, own->pid);
	entry = cpu->entry;
	if (!event->is_exit) {
		walker->held = false;
		walker_open(walker, own->depth, base, event->late, event->callees);
		show_entry(calls, cpu);
		cpu->entry = event;
		return;
	}
	walker_trim(walker, own->depth);
	if (entry && (entry->call.func != own->func || entry->call.depth != own->depth)) {
		show_entry(calls, cpu);
		entry = NULL;
	}
	put_line(calls, cpu, entry, event);
	cpu->entry = NULL;
	free(entry);
	free(event);
}

/* Copy an event of a call; returns NULL if there is none */
static struct graph_event *copy_event(const struct calls *calls, const struct stream *stream)
{
	struct tep_record record = *stream->record;
	struct graph_event *event;
	enum call_kind kind;
	struct call call;

	kind = decode_event(&calls->formats, stream->record, &call);
	has_single |= kind == CALL_SINGLE;
	if ((kind != CALL_ENTRY && kind != CALL_EXIT) || call.depth < 0 ||
	    call.depth >= WALKER_CALLS)
		return NULL;
	has_numbers |= call.number;
	place_find(call.func)->called = true;
	event = xmalloc(sizeof(*event) + record.size);
	*event = (struct graph_event){
		.walker		= walker_find(call.pid, record.cpu),
		.time		= record.ts,
		.number		= call.number & NUMBER_MASK,
		.order		= ++nr_events,
		.lost		= stream->lost,
		.is_exit	= kind == CALL_EXIT,
		.late		= call.number & BTS_NUMBER_LATE,
		.inside		= call.number && !(call.number & BTS_NUMBER_IDLE),
	};
	record.data = memcpy(event->data, record.data, record.size);
	decode_event(&calls->formats, &record, &event->call);
	return event;
}

/*
 * Read the next event of a CPU, NULL if there is none.  An event is out of order if it belongs to
 * branches before those of an earlier event, or to another CPU.  A late entry counts as out of
 * order, so that it is in memory while its callees are counted.  An event that was written while
 * the CPU did not record branches stays in its place.
 */
static struct graph_event *next_event(struct calls *calls, struct merged_cpu *cpu)
{
	struct graph_event *event = NULL;
	u64 place;
	int owner;

	for (; !event && cpu->graph && cpu->graph->record; stream_read(calls, cpu->graph)) {
		event = copy_event(calls, cpu->graph);
		if (!event)
			continue;
		place = event->call.number & ~(BTS_NUMBER_IDLE | BTS_NUMBER_LATE);
		owner = place ? place >> BTS_NUMBER_BITS : cpu->cpu;
		if (event->inside &&
		    (owner != cpu->cpu || event->number < cpu->last || event->late)) {
			/* The CPU may have no other events */
			event->moved = find_cpu(owner);
		} else {
			if (owner == cpu->cpu)
				cpu->last = max(cpu->last, event->number);
			event->number = cpu->last;
		}
		event->inside &= !(tep_data_flags(calls->tep, cpu->graph->record) & FLAG_NMI);
	}
	return event;
}

static int compare_moved(const void *a, const void *b)
{
	const struct graph_event *one = *(struct graph_event **)a;
	const struct graph_event *other = *(struct graph_event **)b;

	if (one->number != other->number)
		return one->number < other->number ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

/*
 * Count the callees of late entries, which are written before their callees' exits.  A late entry
 * that stays in its place is not kept, and its callees are not counted.
 */
static void count_callee(struct graph_event *event)
{
	unsigned int **callees = &event->walker->callees[event->call.depth];

	if (event->is_exit)
		return;
	*callees = event->late && event->moved ? &event->callees : NULL;
	if (event->call.depth && callees[-1])
		++*callees[-1];
}

/* The first pass: find the events of a CPU that are out of order */
static void find_moved(struct calls *calls, struct merged_cpu *cpu)
{
	struct graph_event *event;
	struct merged_cpu *moved;

	while ((event = next_event(calls, cpu))) {
		count_callee(event);
		moved = event->moved;
		if (moved)
			*(struct graph_event **)array_add(&moved->moved, &moved->nr_moved,
							  sizeof(event)) = event;
		else
			free(event);
	}
}

/* Read the next event that is in order */
static void read_event(struct calls *calls, struct merged_cpu *cpu)
{
	while ((cpu->event = next_event(calls, cpu)) && cpu->event->moved)
		free(cpu->event);
}

/* The next event of a CPU, with the events that were out of order */
static struct graph_event *first_event(const struct merged_cpu *cpu)
{
	struct graph_event *moved = NULL;

	if (cpu->shown_moved < cpu->nr_moved)
		moved = cpu->moved[cpu->shown_moved];
	return moved && (!cpu->event || moved->number <= cpu->event->number) ? moved : cpu->event;
}

/*
 * The branches
 */

static void put_missing(struct calls *calls, struct flow *flow, const char *text)
{
	put_note(calls, container_of(flow, struct merged_cpu, flow), text);
}

/*
 * The task that runs at the begin of a block of a task.  If recording begins while the CPU
 * switches to the task, events of the other task come first.
 */
static struct walker *first_walker(struct merged_cpu *cpu, struct walker *walker)
{
	const struct graph_event *event = first_event(cpu);
	const struct bts_block *block = &cpu->flow.block;

	return event && event->inside && event->number <= block->number + block->nr ?
	       event->walker : walker;
}

/* Whether branches of a task are missing before a block of the task, besides a whole block */
static bool is_missing(const struct merged_cpu *cpu, const struct walker *walker)
{
	const struct bts_block *block = &cpu->flow.block;

	if (block->missed)
		return walker->missed && walker->missed != block->missed;
	return block->marks & BTS_MARK_GAP && cpu->running == walker;
}

static void begin_block(struct calls *calls, struct merged_cpu *cpu, struct walker *walker)
{
	const struct bts_block *block = &cpu->flow.block;
	bool lost = flow_begin_block(calls, &cpu->flow, put_missing);
	bool gap = block->marks & BTS_MARK_GAP;

	if (lost || block->marks & BTS_MARK_DROPPED)
		walkers_lose(cpu->cpu, false);
	else if (is_missing(cpu, walker))
		walker_lose(walker);
	walker->missed = block->missed;
	/* After a gap, the last branches of another task may come first */
	gap |= !cpu->running && walker->tree.nr;
	if (lost || gap || block->marks & BTS_MARK_DROPPED || !cpu->running) {
		cpu->foreign = gap;
		cpu->back |= gap;
		cpu->running = first_walker(cpu, walker);
	}
	cpu->to_run = cpu->running == walker ? NULL : walker;
}

/* Go to the next branch of a CPU */
static void read_branch(struct calls *calls, struct merged_cpu *cpu)
{
	struct stream *stream = cpu->blocks;

	for (;;) {
		if (cpu->left) {
			cpu->left = flow_next(calls, &cpu->flow) == 1;
			if (cpu->left)
				return;
			stream_read(calls, stream);
		}
		if (!stream || !stream->record)
			return;
		cpu->begun = false;
		cpu->left = branches_is_block(calls, stream->record) &&
			    flow_read(calls, &cpu->flow, stream->record);
		if (cpu->left)
			has_numbers |= cpu->flow.block.number;
		else
			stream_read(calls, stream);
	}
}

static void take_branch(struct calls *calls, struct merged_cpu *cpu)
{
	enum taken_kind kind;
	struct walker *walker;
	struct branch branch;
	bool user;

	if (!cpu->begun) {
		cpu->begun = true;
		walker = walker_find(cpu->flow.pid, cpu->cpu);
		begin_block(calls, cpu, walker);
	}
	flow_find(&cpu->flow, &branch);
	user = !bts_is_kernel(branch.from->addr) || !bts_is_kernel(branch.to->addr);
	/* User space is that of the block's task */
	if (user || visits_switched(&branch)) {
		cpu->foreign = false;
		if (cpu->to_run)
			cpu->running = cpu->to_run;
		cpu->to_run = NULL;
		if (cpu->back && !user)
			walker_resume(cpu->running, &branch);
		cpu->back = false;
	}
	walker_run(cpu->running, cpu->cpu);
	/* The calls of a task that is not recorded are not known */
	kind = cpu->foreign ? TAKEN_CODE : walker_take(cpu->running, &branch);
	show_branch(calls, cpu, &branch, kind);
}

/*
 * The merge
 */

/* The time of the next event or branch of a CPU, ~0ULL if there is none */
static u64 time_of(const struct merged_cpu *cpu, struct graph_event **event)
{
	*event = first_event(cpu);
	if (*event && cpu->left && (*event)->number > cpu->flow.block.number + cpu->flow.dec.at)
		*event = NULL;
	if (*event)
		return *event == cpu->event ? (*event)->time : 0;
	return !cpu->left ? ~0ULL : cpu->flow.block.since ?: cpu->flow.time;
}

/* Show the next event or branch. Returns false if there is none. */
static bool merge_next(struct calls *calls)
{
	struct graph_event *event, *first = NULL;
	struct merged_cpu *cpu = NULL;
	u64 time, least = ~0ULL;
	unsigned int i;

	for (i = 0; i < nr_cpus; i++) {
		time = time_of(cpus[i], &event);
		if (time >= least)
			continue;
		least = time;
		first = event;
		cpu = cpus[i];
	}
	if (!cpu)
		return false;
	if (!first) {
		/* The rest of the block, up to the next event */
		do {
			take_branch(calls, cpu);
			read_branch(calls, cpu);
		} while (cpu->left && cpu->begun && (time_of(cpu, &event), !event));
	} else {
		if (first == cpu->event)
			read_event(calls, cpu);
		else
			cpu->moved[cpu->shown_moved++] = NULL;
		show_event(calls, cpu, first);
	}
	sigs_trim(calls->sigs);
	progress(calls);
	return !out_failed();
}

/* Whether an event is a block of branches, or an event of a call */
static bool is_merged(const struct calls *calls, struct tep_record *record)
{
	struct call call;
	enum call_kind kind = decode_event(&calls->formats, record, &call);

	return branches_is_block(calls, record) ||
	       (kind != CALL_OTHER && kind != CALL_FUNCTION);
}

/* Only the events of one buffer are merged with the branches of one buffer */
static void find_streams(struct calls *calls)
{
	struct buffer *graph = NULL, *blocks = NULL, **of;
	struct stream *stream;
	struct merged_cpu *cpu;
	unsigned int i;
	bool is_block;

	for (i = 0; i < calls->nr_streams; i++) {
		stream = &calls->streams[i];
		while (stream->record && !is_merged(calls, stream->record))
			stream_read(calls, stream);
		if (!stream->record)
			continue;
		cpu = find_cpu(stream->record->cpu);
		is_block = branches_is_block(calls, stream->record);
		of = is_block ? &blocks : &graph;
		*of = *of ?: stream->buffer;
		if (*of == stream->buffer)
			*(is_block ? &cpu->blocks : &cpu->graph) = stream;
		else
			has_others = true;
	}
}

static void free_all(void)
{
	struct merged_cpu *cpu;
	unsigned int i, j;

	for (i = 0; i < nr_cpus; i++) {
		cpu = cpus[i];
		for (j = 0; j < cpu->nr_moved; j++)
			free(cpu->moved[j]);
		free(cpu->moved);
		free(cpu->event);
		free(cpu->entry);
		free(cpu);
	}
	free(cpus);
	walkers_free();
}

static void merge(struct calls *calls)
{
	struct merged_cpu *cpu;
	unsigned int i;

	find_streams(calls);
	for (i = 0; i < nr_cpus; i++)
		find_moved(calls, cpus[i]);
	streams_begin(calls);
	find_streams(calls);
	for (i = 0; i < nr_cpus; i++) {
		cpu = cpus[i];
		if (cpu->nr_moved)
			qsort(cpu->moved, cpu->nr_moved, sizeof(*cpu->moved), compare_moved);
		cpu->last = 0;
		read_event(calls, cpu);
		read_branch(calls, cpu);
	}
	if (!has_numbers)
		return;
	while (merge_next(calls))
		;
	tree_view.end(calls);
	for (i = 0; i < nr_cpus; i++)
		show_entry(calls, cpus[i]);
}

/* Write the branches of each call under the call's line. Sets @calls to failed after a message. */
void branches_merge(struct calls *calls)
{
	const char *file = calls->file;

	calls->failed = !decode_has_graph(&calls->formats);
	if (calls->failed) {
		complain("%s: the formats of the function_graph tracer's events are missing",
			 file);
		return;
	}
	merge(calls);
	free_all();
	if (has_single)
		complain("%s: calls have one event each: record them without funcgraph-single",
			 file);
	else if (has_others)
		complain("%s: several instances have calls or branches: the first one is shown",
			 file);
	else if (!nr_events)
		complain("%s: no calls: record with -p function_graph -B branches -p bts", file);
	else if (!has_numbers)
		complain("%s: recorded without numbers: branches cannot be put into calls",
			 file);
	calls->failed = has_single || !nr_events || !has_numbers;
}
