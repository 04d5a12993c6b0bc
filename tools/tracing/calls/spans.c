// SPDX-License-Identifier: GPL-2.0
/*
 * Combine events to calls
 *
 * Events come in the order of their time.  Calls are combined for each task, because a task
 * that sleeps in a call may continue on another CPU.  The depths show which exit belongs to
 * which entry.
 *
 * A call begins at the calltime of its exit.  The time of the entry event is another time: if
 * a condition was decided at the return, the entry was written at the return.  So a call
 * gets its place among the task's calls at its exit.  The calls of each depth that wait for
 * their caller are the levels of a task.  It makes no difference whether a call has two
 * events or one event, which funcgraph-single writes at the return.
 *
 * If events of a CPU were lost, the open calls on the CPU may have ended, and other calls
 * may have begun.  A task may have been on this CPU and have come back, so the open calls of each
 * task become unsure if the CPU lost events since the task's last event.  After a loss, an exit
 * belongs to an open call if the entry was not written before the calltime of the exit.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "tree.h"

/* Initial size of the hash of tasks, as a power of two */
#define TASK_BITS	8

/* Initial size of the hash of a task's ended calls, as a power of two */
#define ENDED_BITS	4

/* Maximum ended calls of a kind in an outermost call, which are kept apart */
#define MAX_ENDED	0x400

/*
 * Maximum ended calls that wait for the time of their caller, the latest of which may have nodes.
 * Calls of the earlier half are joined.
 */
#define MAX_CALLEES	(2 * TREE_MAX)

/* Minimum nanoseconds between calls of a task, because readers round times */
#define GAP		2

/*
 * Find a task. Each CPU has an idle task, which never leaves the CPU. All idle tasks have
 * the number 0.
 */
static struct task *find_task(struct calls *calls, struct buffer *buffer, int pid,
			      int cpu)
{
	u64 key = (u64)(u32)pid << 32 | (u32)(pid ? 0 : cpu + 1);
	struct hash_node *node;
	struct task *task;

	key += (buffer - calls->buffers) * 0x100000001b3ULL;
	for (node = *hash_slot(&calls->tasks, key); node; node = node->next) {
		task = container_of(node, struct task, node);
		if (task->pid == pid && task->buffer == buffer &&
		    (pid || task->cpu == cpu))
			return task;
	}
	task = xcalloc(1, sizeof(*task));
	task->buffer = buffer;
	task->pid = pid;
	task->cpu = cpu;
	hash_add(&calls->tasks, &task->node, key);
	task->id = calls->tasks.nr;
	return task;
}

/* Find the shown time of a task's event, at least GAP after the task's previous event */
static u64 task_shown(struct task *task, u64 time)
{
	task->shown = max(time, task->shown + GAP);
	return task->shown;
}

/* Find the error of a call: a signed integer shown with " (-EIO)", or an error pointer */
static int find_error(struct span *span)
{
	const struct values *ret = span_ret(span);
	const struct arg_value *value;

	if (!ret || ret->nr != 1 || ret->items[0].kind != ITEM_VALUE)
		return 0;
	value = &ret->items[0].value;
	if (value->kind != ARG_SIGNED && value->kind != ARG_POINTER)
		return 0;
	if (value->val < -4095ULL ||
	    (value->kind == ARG_SIGNED && !errname((int)value->val)))
		return 0;
	return (int)value->val;
}

/*
 * Whether a return value can be an error: a number or a pointer from -4095 to -1. This is a fast
 * check without a walk over the value.
 */
static bool may_fail(const struct span *span)
{
	unsigned int size = span->func->ret_size, unused;

	if (!span->has_ret || !size || size > sizeof(u64))
		return false;
	unused = 64 - 8 * size;
	return (u64)((s64)(span->call.regs[0] << unused) >> unused) >= -4095ULL;
}

/* Combine the calls that are deeper than @depth, and whose caller has not ended */
static struct level find_callees(const struct task *task, int depth)
{
	struct level callees = { };
	const struct level *level;
	unsigned int i;

	for (i = depth + 1; i < task->nr_levels; i++) {
		level = &task->levels[i];
		if (!level->from)
			continue;
		if (!callees.from || level->from < callees.from) {
			callees.begin = level->begin;
			callees.from = level->from;
			callees.nr_gaps = level->nr_gaps;
		}
		callees.to = level->to;
	}
	return callees;
}

/* A number that changes when events of the task may be missing */
static u64 nr_gaps(const struct task *task)
{
	return task->buffer->nr_lost + task->nr_endless;
}

/*
 * Whether a call began before its callees, although its begin may be later.  Without sleep-time,
 * the kernel adds the time of the sleep to the calltime.  If events are missing after the callees,
 * the callees may be those of another call.
 */
static bool begins_first(const struct task *task, const struct span *span,
			 const struct level *callees)
{
	return span->lost == SPAN_NO_END ||
	       (span->lost == SPAN_NO_BEGIN && !task->buffer->nr_lossy &&
		callees->nr_gaps == nr_gaps(task));
}

/*
 * Place a call after the earlier calls and around its callees.  Each caller that has not
 * ended has a place before the call.  Times of events are not exactly the times of calls,
 * and several events may have the same time.
 */
static void place_span(struct task *task, struct span *span, u64 end,
		       const struct level *callees)
{
	u64 after = task->floor + (span->depth + 1) * GAP;
	unsigned int i;

	for (i = min_t(u32, task->nr_levels, span->depth + 1); i-- > 0; ) {
		if (!task->levels[i].from)
			continue;
		after = max(after, task->levels[i].to + (span->depth - i + 1) * GAP);
		break;
	}
	if (callees->from && begins_first(task, span, callees))
		span->begin = min(span->begin, callees->begin);
	span->to = task_shown(task, max(end ?: span->begin + GAP, after + GAP));
	span->from = min(max(span->begin, after), (callees->from ?: span->to) - GAP);
}

/* Add calls that ended to a level, and forget their callees */
static void end_level(struct task *task, unsigned int depth, const struct level *calls)
{
	struct level *level;

	task->levels = array_grow(task->levels, &task->levels_room, depth + 1, sizeof(*level));
	while (task->nr_levels <= depth)
		task->levels[task->nr_levels++] = (struct level){ };
	task->nr_levels = depth + 1;
	level = &task->levels[depth];
	if (!level->from)
		*level = *calls;
	level->to = calls->to;
}

static void end_placed(struct task *task, const struct span *span)
{
	const struct level call = {
		.begin	= span->begin,
		.from	= span->from,
		.to	= span->to,
		.nr_gaps = nr_gaps(task),
	};

	end_level(task, span->depth, &call);
}

/* Append the node of a callee to the callees of a call */
static void add_callee(struct span *span, struct tree_node *callee)
{
	if (!callee)
		return;
	if (span->last)
		span->last->next = callee;
	else
		span->callees = callee;
	span->last = callee;
}

/* Whether the command needs the first half of the calls that wait */
static bool has_nodes(const struct task *task)
{
	unsigned int i;

	for (i = 0; i < task->nr_callees / 2; i++)
		if (task->callees[i].node)
			return true;
	return false;
}

/*
 * The begin by which a call is compared with others. If the clock does not show when calls began,
 * it is the shown time.
 */
static u64 compared_begin(const struct span *span)
{
	return span->calls->clock == CLOCK_CALLS ? span->begin : span->from;
}

/*
 * Whether a call began after another call had ended, though its events come before the exit.  An
 * interrupt may come after the time of the end was taken, and before the exit is written.
 */
static bool began_after(const struct span *span, u64 begin)
{
	return span->calls->clock == CLOCK_CALLS && span->lost != SPAN_NO_END && begin >= span->end;
}

/* Whether two calls have the same caller, which has not ended */
static bool same_caller(const struct task *task, const struct callee *one,
			const struct callee *later)
{
	const struct open *open = &task->open[task->nr];

	/* After a loss, callers may have ended */
	while (open > task->open + task->unsure && open[-1].begin > later->begin)
		open--;
	return open-- > task->open + task->unsure && open->begin <= one->begin &&
	       open->depth == one->depth - 1 && one->depth == later->depth;
}

/*
 * Join the calls of the earlier half that have the same caller.  If too few are joined, because
 * their callers are not known, forget this half.  Its time is in the callers' own time then.
 */
static void join_callees(struct task *task)
{
	unsigned int half = task->nr_callees / 2, nr = 1, i;
	struct callee *callees = task->callees;

	for (i = 1; i < half; i++) {
		if (same_caller(task, &callees[nr - 1], &callees[i]))
			callees[nr - 1].duration += callees[i].duration;
		else
			callees[nr++] = callees[i];
	}
	if (nr > half / 2)
		nr = 0;
	task->nr_callees -= half - nr;
	memmove(callees + nr, callees + half, (task->nr_callees - nr) * sizeof(*callees));
}

/*
 * Find the callees of a call, and let the call wait for the end of its own caller.  The callees are
 * the deeper calls that wait and began later than the call: they ended before, and the event of a
 * whole call and an entry that was written late come after them, too.
 */
static void end_callees(struct task *task, struct span *span)
{
	u64 begin = compared_begin(span), sum = 0, after = 0;
	struct callee *callees;
	unsigned int first, end, i;

	if (task->nr_callees && !(task->nr_callees % MAX_CALLEES) && !has_nodes(task))
		join_callees(task);
	callees = array_grow(task->callees, &task->callees_room, task->nr_callees + 1,
			     sizeof(*callees));
	task->callees = callees;
	/* A call without an exit may have ended at a loss, before other calls */
	for (first = task->nr_callees; first && callees[first - 1].from >= span->to; first--)
		;
	for (end = first; first && callees[first - 1].depth > span->depth &&
	     callees[first - 1].begin >= begin; first--)
		;
	for (i = first; i < end; i++) {
		*(began_after(span, callees[i].begin) ? &after : &sum) += callees[i].duration;
		add_callee(span, callees[i].node);
	}
	span->self = span->duration - min(sum, span->duration);
	memmove(callees + first + 1, callees + end, (task->nr_callees - end) * sizeof(*callees));
	task->nr_callees -= end - first - 1;
	span->place = first;
	callees[first] = (struct callee){
		.begin = begin,
		.from = span->from,
		.duration = span->duration + after,
		.depth = span->depth,
	};
}

/**
 * struct ended_call - a call that has ended, or calls of one depth
 * @begin: the time when the first call began
 * @duration: nanoseconds of the calls
 * @depth: the depth of the calls
 */
struct ended_call {
	u64	begin;
	u64	duration;
	int	depth;
};

/* Whether an open call began after an ended call, and before or with a later one */
static bool is_apart(const struct task *task, const struct ended_call *one,
		     const struct ended_call *later)
{
	unsigned int i;

	for (i = 0; i < task->nr; i++)
		if (task->open[i].begin > one->begin && task->open[i].begin <= later->begin)
			return true;
	return false;
}

/*
 * Join ended calls that are in the same open calls.  If a caller of @span is not known, calls of
 * one depth most often are in the same caller.  If there are few of these, forget the earlier half
 * of the calls.
 */
static void join_ended(const struct span *span, struct ended *ended)
{
	struct ended_call *to = ended->calls, *each, *end = to + ended->nr;
	const struct task *task = span->task;
	bool known = task->nr >= span->depth;

	for (each = to + 1; each < end; each++) {
		if ((known || each->depth == to->depth) && !is_apart(task, to, each))
			to->duration += each->duration;
		else
			*++to = *each;
	}
	ended->nr = to + 1 - ended->calls;
	if (ended->nr <= MAX_ENDED / 2)
		return;
	ended->nr /= 2;
	memmove(ended->calls, to + 1 - ended->nr, ended->nr * sizeof(*to));
}

static struct ended *get_ended(struct task *task, u64 kind)
{
	struct hash_node *node;
	struct ended *ended;

	if (!task->ended.slots && !hash_init(&task->ended, ENDED_BITS))
		out_of_memory();
	node = hash_find(&task->ended, kind);
	if (node)
		return container_of(node, struct ended, node);
	ended = xcalloc(1, sizeof(*ended));
	hash_add(&task->ended, &ended->node, kind);
	return ended;
}

/*
 * Find the nanoseconds of a call with an exit that were spent in other calls of its kind. @kind is
 * a number that calls of the kind have in common, such as the address of their count. Each call of
 * the kind is passed once, at its end. Calls are kept until their outermost call has ended, or
 * another call of the kind around them.
 */
u64 span_nested(const struct span *span, u64 kind)
{
	u64 begin = compared_begin(span);
	struct task *task = span->task;
	const struct ended_call *call;
	struct ended *ended;
	u64 sum = 0, after = 0;

	if (!span->depth && !task->ended.nr)
		return 0;
	ended = get_ended(task, kind);
	while (ended->nr && ended->calls[ended->nr - 1].begin >= begin) {
		call = &ended->calls[--ended->nr];
		*(began_after(span, call->begin) ? &after : &sum) += call->duration;
	}
	if (ended->nr == MAX_ENDED)
		join_ended(span, ended);
	ended->calls = array_grow(ended->calls, &ended->room, ended->nr + 1,
				  sizeof(*ended->calls));
	ended->calls[ended->nr++] = (struct ended_call){
		.begin = begin,
		.duration = span->duration + after,
		.depth = span->depth,
	};
	return sum;
}

static void free_ended(struct hash_node *node)
{
	struct ended *ended = container_of(node, struct ended, node);

	free(ended->calls);
	free(ended);
}

static void end_span(struct calls *calls, struct span *span, struct open *open,
		     u32 set)
{
	span->set = set;
	span->func = sigs_find(calls->sigs, span->call.func, set);
	if (!span->func)
		return;
	span->has_args = span->lost != SPAN_NO_BEGIN && span->func->sig &&
			 (decode_longs(&span->call).size || !span->func->nr_longs);
	span->has_ret = span->lost != SPAN_NO_END && span->call.nr_regs &&
			span->func->sig && !span->func->is_void;
	span->has_changed = span->lost != SPAN_NO_END && span->call.results.size &&
			    span->func->sig;
	if (may_fail(span))
		span->error = find_error(span);
	span->passes = filters_pass(calls->filters, span);
	calls->nr_spans += span->passes;
	if (span->passes || calls->ops->all)
		calls->ops->end(calls, span, open);
	if (!span->depth)
		span->task->nr_callees = 0;
	/* After a call without an exit, the entry of a call around the ended calls may come */
	if (!span->depth && span->lost != SPAN_NO_END)
		hash_free(&span->task->ended, free_ended);
}

static struct span open_span(struct calls *calls, struct task *task, const struct open *open)
{
	return (struct span){
		.calls = calls,
		.task = task,
		.lost = SPAN_NO_END,
		.cpu = open->cpu,
		.depth = open->depth,
		.begin = open->begin,
		.caller = open->caller,
		.number = open->number,
	};
}

/*
 * Find the time when the call of an exit began.  Clocks other than the clock of calltime do
 * not show this time exactly, or not at all.
 */
static u64 exit_begin(const struct calls *calls, const struct call *exit, u64 time)
{
	if (calls->clock == CLOCK_CALLS)
		return exit->calltime;
	return calls->clock == CLOCK_OTHER ? time - min(exit->duration, time) : time;
}

/*
 * Find the time when the call of an exit ended.  Without sleep-time, the kernel has added the time
 * of the sleep to the calltime, so this is not the begin of the call plus its duration.
 */
static u64 exit_end(const struct calls *calls, const struct call *exit, u64 time)
{
	return calls->clock == CLOCK_CALLS ? exit->calltime + exit->duration : time;
}

/*
 * Store the levels at a loss.  The levels of the calls that have become unsure at an earlier
 * loss are stored already.
 */
static void store_levels(struct task *task)
{
	unsigned int i = task->unsure ? task->open[task->unsure - 1].depth + 1 : 0;
	struct level *levels;

	levels = array_grow(task->stored, &task->stored_room, max(i, task->nr_levels) + 1,
			    sizeof(*levels));
	task->stored = levels;
	while (task->nr_stored < i)
		levels[task->nr_stored++] = (struct level){ };
	for (; i < task->nr_levels; i++)
		levels[i] = task->levels[i];
	task->nr_stored = i;
}

/*
 * The innermost call had not ended at the loss.  Its callers had not ended either, unless they were
 * unsure when it began.
 */
static void restore_levels(struct task *task)
{
	const struct open *open = &task->open[task->nr - 1];
	int i, first = open->unsure ? task->open[open->unsure - 1].depth + 1 : 0;
	static const struct level none;

	end_level(task, open->depth, &none);
	for (i = 0; i <= open->depth; i++)
		task->levels[i] = i >= first && i < task->nr_stored ? task->stored[i] : none;
	task->unsure = open->unsure;
}

/* End the innermost call. @exit is NULL if the exit is not in the recording. */
static void end_open(struct calls *calls, struct task *task, const struct call *exit, u64 time)
{
	struct open *open = &task->open[task->nr - 1];
	struct span span = open_span(calls, task, open);
	struct level callees = find_callees(task, open->depth);
	bool unsure = task->nr <= task->unsure;
	u32 set = open->set;

	if (exit) {
		/* If only funcgraph-retval was set, only the exit has the set */
		if (set == SIGS_NO_SET)
			set = decode_set(exit);
		span.lost = SPAN_WHOLE;
		span.call = *exit;
		span.duration = exit->duration;
		span.begin = min(span.begin, exit_begin(calls, exit, time));
		span.end = exit_end(calls, exit, time);
		if (unsure)
			restore_levels(task);
	}
	if (exit && open->earlier.from && open->earlier.begin >= span.begin) {
		callees.begin = open->earlier.begin;
		callees.from = open->earlier.from;
		task->levels[open->depth] = open->before;
	}
	if (exit || !unsure)
		place_span(task, &span, time, &callees);
	/* A call that has begun before a loss has a place there */
	if (open->from)
		span.from = min(open->from, (callees.from ?: span.to) - GAP);
	if (!exit && unsure)
		span.to = open->to;
	else
		end_placed(task, &span);
	end_callees(task, &span);
	span.call.func = open->func;
	span.call.tail = task->bytes + open->tail;
	span.call.tail_size = open->tail_size;
	end_span(calls, &span, open, set);
	task->size = open->tail;
	task->nr--;
	task->nr_endless += !exit;
	task->unsure = min(task->unsure, task->nr);
}

/* End calls at @depth or deeper, whose exits are not in the recording */
static void end_deeper(struct calls *calls, struct task *task, int depth, u64 time)
{
	while (task->nr && task->open[task->nr - 1].depth >= depth)
		end_open(calls, task, NULL, time);
}

/*
 * Events of the task were lost, so the open calls may have ended. Give them places before the
 * loss, which they have if their exits do not follow.
 */
static void lose_task(struct calls *calls, struct task *task)
{
	struct level callees;
	struct open *open;
	struct span span;
	unsigned int i;

	store_levels(task);
	for (i = task->nr; i-- > 0; ) {
		open = &task->open[i];
		callees = find_callees(task, open->depth);
		open->earlier.from = 0;
		if (i < task->unsure)
			break;
		span = open_span(calls, task, open);
		place_span(task, &span, 0, &callees);
		if (open->from)
			span.from = min(open->from, (callees.from ?: span.to) - GAP);
		open->from = span.from;
		open->to = span.to;
		end_placed(task, &span);
	}
	task->unsure = task->nr;
	task->floor = task->shown;
	task->nr_levels = 0;
}

static void lose_events(struct calls *calls, struct stream *stream)
{
	int cpu = stream->record->cpu;
	struct hash_node *node;
	struct task *task;
	unsigned int i;

	for (i = 0; i < hash_size(&calls->tasks); i++) {
		for (node = calls->tasks.slots[i]; node; node = node->next) {
			task = container_of(node, struct task, node);
			if (task->cpu == cpu && task->buffer == stream->buffer)
				lose_task(calls, task);
		}
	}
	calls->nr_lost++;
	stream->buffer->nr_lost++;
	stream->buffer->nr_lossy--;
	if (calls->ops->lost)
		calls->ops->lost(calls, stream->buffer, cpu, stream->record->ts,
				 stream->lost);
	stream->lost = 0;
}

/*
 * Move a task to the CPU of its event. Between two events, a task may have been on any CPU, and its
 * open calls may have ended there. Without a move, it most often has not: calls that have ended
 * keep their levels.
 */
static void move_task(struct calls *calls, struct task *task, int cpu)
{
	bool lost = task->buffer->nr_lossy || task->nr_lost != task->buffer->nr_lost;
	bool moved = task->cpu != cpu;

	task->cpu = cpu;
	task->nr_lost = task->buffer->nr_lost;
	/* An idle task never leaves its CPU */
	if (lost && task->pid && (moved || task->nr > task->unsure))
		lose_task(calls, task);
}

static void push_bytes(struct task *task, struct open *open, const struct call *call)
{
	size_t size = task->size + call->tail_size;

	task->bytes = array_grow(task->bytes, &task->bytes_room, size, 1);
	open->tail = task->size;
	open->tail_size = call->tail_size;
	memcpy(task->bytes + task->size, call->tail, call->tail_size);
	task->size = size;
}

static void open_call(struct calls *calls, struct task *task, int cpu,
		      const struct call *call, u64 begin, bool single)
{
	struct level earlier = { }, before = { };
	struct open *open;

	end_deeper(calls, task, call->depth, begin);
	/*
	 * Deeper calls without a caller came before this call, unless its exit says that it had
	 * begun before them.  A call that had not returned has its callees before it.
	 */
	if (!single)
		earlier = find_callees(task, call->depth);
	if (earlier.from) {
		if (call->depth < task->nr_levels)
			before = task->levels[call->depth];
		end_level(task, call->depth, &earlier);
	}
	task->open = array_grow(task->open, &task->room, task->nr + 1, sizeof(*open));
	open = &task->open[task->nr++];
	*open = (struct open){
		.func = call->func,
		.set = decode_set(call),
		.depth = call->depth,
		.cpu = cpu,
		.begin = begin,
		.caller = call->parent,
		.earlier = earlier,
		.before = before,
		.nr_lost = task->buffer->nr_lost,
		.unsure = task->unsure,
		.number = call->number,
	};
	push_bytes(task, open, call);
	if (calls->ops->begin)
		calls->ops->begin(calls, task, open);
}

/* Handle a call without an open entry: an exit, or the event of a whole call */
static void end_alone(struct calls *calls, struct task *task, const struct tep_record *record,
		      const struct call *call, bool single)
{
	struct span span = {
		.calls = calls,
		.task = task,
		.lost = single ? SPAN_WHOLE : SPAN_NO_BEGIN,
		.cpu = record->cpu,
		.depth = call->depth,
		.begin = exit_begin(calls, call, record->ts),
		.end = exit_end(calls, call, record->ts),
		.duration = call->duration,
		.call = *call,
	};
	struct level callees;

	end_deeper(calls, task, call->depth, record->ts);
	callees = find_callees(task, call->depth);
	if (!single)
		span.call.tail_size = 0;
	place_span(task, &span, record->ts, &callees);
	end_placed(task, &span);
	end_callees(task, &span);
	end_span(calls, &span, NULL, decode_set(call));
}

/*
 * Whether an exit belongs to an entry.  If events of any CPU were lost, the task may have
 * been on that CPU, and the same function may have been called again.
 */
static bool is_end_of(const struct calls *calls, const struct stream *stream,
		      const struct task *task, const struct open *open, const struct call *exit)
{
	if (open->depth != exit->depth || open->func != exit->func)
		return false;
	if (!task->buffer->nr_lossy && task->buffer->nr_lost == open->nr_lost)
		return true;
	if (calls->clock == CLOCK_CALLS)
		return open->begin >= exit->calltime;
	/* The exit directly follows its entry. The kernel shows both in one line. */
	return stream->begun == task;
}

static void end_call(struct calls *calls, struct task *task,
		     const struct stream *stream, const struct call *exit)
{
	u64 time = stream->record->ts;
	const struct open *open;

	end_deeper(calls, task, exit->depth + 1, time);
	open = task->nr ? &task->open[task->nr - 1] : NULL;
	if (open && is_end_of(calls, stream, task, open, exit))
		end_open(calls, task, exit, time);
	else
		end_alone(calls, task, stream->record, exit, false);
}

/* Set the next event of a stream, NULL if there is none */
void stream_next(struct stream *stream, struct tep_record *record)
{
	stream->record = record;
	stream->lost = record ? record->missed_events : 0;
	if (stream->lost)
		stream->buffer->nr_lossy++;
}

/* Handle the next event of a stream */
void spans_event(struct calls *calls, struct stream *stream)
{
	struct tep_record *record = stream->record;
	enum call_kind kind = CALL_OTHER;
	struct task *task;
	struct call call;
	int pid;

	if (stream->lost) {
		lose_events(calls, stream);
		stream->begun = NULL;
	}
	if (calls->ops->end && !calls->formats.damaged)
		kind = decode_event(&calls->formats, record, &call);
	pid = kind == CALL_OTHER || kind == CALL_DAMAGED ? tep_data_pid(calls->tep, record) :
							   call.pid;
	task = find_task(calls, stream->buffer, pid, record->cpu);
	move_task(calls, task, record->cpu);
	/* A truncated event may lack its times */
	if (kind != CALL_OTHER && kind != CALL_DAMAGED &&
	    (call.depth < 0 || call.depth > MAX_INDENT || (s64)call.duration < 0))
		kind = CALL_DAMAGED;
	if (kind == CALL_ENTRY)
		open_call(calls, task, record->cpu, &call, record->ts, false);
	else if (kind == CALL_EXIT)
		end_call(calls, task, stream, &call);
	else if (kind == CALL_SINGLE && call.open)
		open_call(calls, task, record->cpu, &call,
			  exit_begin(calls, &call, record->ts), true);
	else if (kind == CALL_SINGLE)
		end_alone(calls, task, record, &call, true);
	else if (kind != CALL_DAMAGED && calls->ops->event)
		calls->ops->event(calls, task, record, task_shown(task, record->ts));
	stream->begun = kind == CALL_ENTRY ? task : NULL;
}

/* Handle the end of the recording. The open calls have no exit. */
void spans_end(struct calls *calls)
{
	struct hash_node *node;
	unsigned int i;

	for (i = 0; i < hash_size(&calls->tasks); i++)
		for (node = calls->tasks.slots[i]; node; node = node->next)
			end_deeper(calls, container_of(node, struct task, node), 0, 0);
}

/* Prepare to combine events to calls */
void spans_init(struct calls *calls)
{
	values_init(&calls->args);
	values_init(&calls->ret);
	values_init(&calls->changed);
	if (!hash_init(&calls->tasks, TASK_BITS))
		out_of_memory();
}

static void free_task(struct hash_node *node)
{
	struct task *task = container_of(node, struct task, node);

	free(task->open);
	free(task->bytes);
	free(task->levels);
	free(task->stored);
	free(task->callees);
	hash_free(&task->ended, free_ended);
	free(task);
}

void spans_free(struct calls *calls)
{
	hash_free(&calls->tasks, free_task);
	values_free(&calls->args);
	values_free(&calls->ret);
	values_free(&calls->changed);
}
