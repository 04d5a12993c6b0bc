// SPDX-License-Identifier: GPL-2.0
/*
 * Combine events to calls
 *
 * Events come in the order of their time.  Calls are combined for each task, because a task
 * that sleeps in a call may continue on another CPU.  The depths show which exit belongs to
 * which entry.
 *
 * If events of a CPU were lost, the open calls on the CPU may have ended, and other calls
 * may have begun.  So the open calls get no exit.  A task may have moved to another CPU
 * meanwhile.  So when a task leaves a CPU, the CPU's stream is checked for a loss.  If the
 * duration of an exit does not lead to the time of the entry, the exit belongs to another
 * call.
 *
 * With funcgraph-single a call has one event, at its return.  Then the events of callees
 * come before the caller's event, so the caller's own time is known at the caller's event.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"

/* Initial size of the hash of tasks, as a power of two */
#define TASK_BITS	8

/* Minimum nanoseconds between calls of a task, because readers round times */
#define GAP		2

/* Maximum nanoseconds between the time of an entry event and the begin of its call */
#define SLACK		20000

/* Number of unknown calls whose entries get a shown time after a loss */
#define FLOOR_CALLS	64

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
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->buffer = buffer;
	task->pid = pid;
	task->cpu = cpu;
	hash_add(&calls->tasks, &task->node, key);
	task->id = calls->tasks.nr;
	return task;
}

/**
 * task_shown - find the shown time of a task's event
 * @task: the task
 * @time: the event's own time
 *
 * Return: a time that is at least GAP after the task's previous event.
 */
u64 task_shown(struct task *task, u64 time)
{
	task->shown = max(time, task->shown + GAP);
	if (!task->first)
		task->first = task->shown;
	return task->shown;
}

/**
 * task_comm - the name of a task
 * @calls: the recording
 * @task: the task
 */
const char *task_comm(const struct calls *calls, const struct task *task)
{
	const char *comm = tep_data_comm_from_pid(calls->tep, task->pid);

	return comm ?: "<...>";
}

/**
 * func_name - the name of a function, without its module
 * @func: the function
 * @buf: a buffer for a number, in case the name is not known
 * @size: bytes of @buf
 */
const char *func_name(const struct sig_func *func, char *buf, size_t size)
{
	if (func->name)
		return func->name;
	snprintf(buf, size, "0x%llx", (unsigned long long)func->ip);
	return buf;
}

/**
 * span_args - find the arguments of a call
 * @span: the call
 *
 * Return: the values, valid until the next call; NULL if they were not recorded.
 */
const struct values *span_args(struct span *span)
{
	struct calls *calls = span->calls;

	if (span->has_args && !span->args) {
		values_args(&calls->args, calls->sigs, span->func,
			    decode_longs(&span->call));
		span->args = &calls->args;
	}
	return span->args;
}

/**
 * span_ret - find the return value of a call
 * @span: the call
 *
 * Return: the value, valid until the next call; NULL if there is none or if it was not
 * recorded.
 */
const struct values *span_ret(struct span *span)
{
	struct calls *calls = span->calls;

	if (span->has_ret && !span->ret) {
		values_ret(&calls->ret, calls->sigs, span->func, span->call.regs,
			   span->call.nr_regs);
		span->ret = &calls->ret;
	}
	return span->ret;
}

/**
 * span_changed - find a call's results through pointers: numbers, a buffer, a returned
 * object
 * @span: the call
 *
 * Return: the values, valid until the next call; NULL if there are none.
 */
const struct values *span_changed(struct span *span)
{
	struct calls *calls = span->calls;

	if (span->has_changed && !span->changed) {
		values_results(&calls->changed, calls->sigs, span->func,
			       &span->call.results);
		span->changed = &calls->changed;
	}
	return span->changed && span->changed->nr ? span->changed : NULL;
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
 * Whether a return value can be an error. This is a fast check without a walk over the
 * value. A number may have only 8 bits.
 */
static bool may_fail(const struct span *span)
{
	u64 val = span->call.regs[0];

	return span->has_ret && ((u16)val >= (u16)-4095 || (u8)val >= 0x80);
}

static bool grow_levels(struct task *task, unsigned int depth)
{
	struct level *level;

	while (task->nr_levels <= depth + 1) {
		level = array_add(&task->levels, &task->nr_levels, &task->levels_room,
				  sizeof(*level));
		if (!level)
			return false;
		*level = (struct level){ };
	}
	return true;
}

/* Note a call that ended, and forget its callees */
static void end_level(struct task *task, const struct span *span)
{
	struct level *level = &task->levels[span->depth];
	unsigned int i;

	if (!level->begin)
		*level = (struct level){ .begin = span->from };
	level->end = span->to;
	level->sum += span->duration;
	for (i = span->depth + 1; i < task->nr_levels && task->levels[i].begin; i++)
		task->levels[i] = (struct level){ };
}

static void end_span(struct calls *calls, struct span *span, struct open *open,
		     u32 set)
{
	span->calls = calls;
	span->func = sigs_find(calls->sigs, span->call.func, set);
	if (!span->func)
		return;
	span->has_args = span->lost != SPAN_NO_BEGIN && span->func->sig &&
			 (decode_longs(&span->call).size ||
			  !arg_sig_longs(span->func->sig));
	span->has_ret = span->lost != SPAN_NO_END && span->call.nr_regs &&
			span->func->sig && !arg_sig_is_void(span->func->sig);
	span->has_changed = span->lost != SPAN_NO_END && span->call.results.size &&
			    span->func->sig;
	if (may_fail(span))
		span->error = find_error(span);
	if (!filters_pass(calls->filters, span))
		return;
	calls->nr_spans++;
	calls->ops->end(calls, span, open);
}

/* End the innermost call. @exit is NULL if the exit is not in the recording. */
static void end_open(struct calls *calls, struct task *task,
		     const struct call *exit, u64 shown)
{
	struct open *open = &task->open[task->nr - 1];
	struct span span = {
		.task = task,
		.lost = exit ? SPAN_WHOLE : SPAN_NO_END,
		.cpu = open->cpu,
		.depth = open->depth,
		.begin = open->begin,
		.from = open->shown,
		.to = shown,
		.caller = open->caller,
	};

	if (exit) {
		span.call = *exit;
		span.duration = exit->duration;
		span.self = exit->duration -
			    min(open->children, exit->duration);
		if (task->nr > 1)
			task->open[task->nr - 2].children += exit->duration;
	}
	span.call.func = open->func;
	span.call.tail = task->bytes + open->tail;
	span.call.tail_size = open->tail_size;
	/* The caller may have one event */
	if (task->nr_levels && grow_levels(task, span.depth))
		end_level(task, &span);
	end_span(calls, &span, open, open->set);
	task->size = open->tail;
	task->nr--;
}

/* End calls at @depth or deeper, whose exits are not in the recording */
static void end_deeper(struct calls *calls, struct task *task, int depth, u64 time)
{
	while (task->nr && task->open[task->nr - 1].depth >= depth)
		end_open(calls, task, NULL, task_shown(task, time));
}

/* End the open calls without an exit, because events of the task were lost */
static void lose_task(struct calls *calls, struct task *task)
{
	end_deeper(calls, task, 0, 0);
	task->floor = task->shown;
	task->shown += FLOOR_CALLS * GAP;
	task->first = 0;
	task->alone = 0;
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

static const struct stream *find_stream(const struct buffer *buffer, int cpu)
{
	int i;

	for (i = min(cpu, buffer->nr - 1); i >= 0; i--)
		if (buffer->streams[i].record &&
		    buffer->streams[i].record->cpu == cpu)
			return &buffer->streams[i];
	return NULL;
}

/*
 * Move a task to the CPU of its event. If the task comes from another CPU, events may have
 * been lost on that CPU or on CPUs between.
 */
static void move_task(struct calls *calls, struct task *task, int cpu)
{
	const struct stream *old;

	if (task->cpu != cpu) {
		old = find_stream(task->buffer, task->cpu);
		if ((old && old->lost) || task->nr_lost != task->buffer->nr_lost)
			lose_task(calls, task);
	}
	task->cpu = cpu;
	task->nr_lost = task->buffer->nr_lost;
}

static bool push_bytes(struct task *task, struct open *open, const struct call *call)
{
	size_t size = task->size + call->tail_size;
	char *bytes;

	bytes = array_grow(task->bytes, &task->bytes_room, size, 1);
	if (!bytes)
		return false;
	task->bytes = bytes;
	open->tail = task->size;
	open->tail_size = call->tail_size;
	memcpy(task->bytes + task->size, call->tail, call->tail_size);
	task->size = size;
	return true;
}

/* Open a call, which is shown from @shown on */
static bool open_call(struct calls *calls, struct task *task, int cpu,
		      const struct call *call, u64 begin, u64 shown)
{
	struct open *open;

	open = array_grow(task->open, &task->room, task->nr + 1, sizeof(*open));
	if (!open)
		return false;
	task->open = open;
	open = &task->open[task->nr];
	*open = (struct open){
		.func = call->func,
		.set = decode_set(call),
		.depth = call->depth,
		.cpu = cpu,
		.begin = begin,
		.shown = shown,
		.caller = call->parent,
		.nr_lost = task->buffer->nr_lost,
	};
	if (!push_bytes(task, open, call))
		return false;
	task->nr++;
	if (calls->ops->begin)
		calls->ops->begin(calls, task, open);
	return true;
}

static bool begin_call(struct calls *calls, struct task *task,
		       const struct tep_record *record, const struct call *call)
{
	end_deeper(calls, task, call->depth, record->ts);
	return open_call(calls, task, record->cpu, call, record->ts,
			 task_shown(task, record->ts));
}

/*
 * Handle an exit without an entry. The entry was before all known events of the task since
 * the loss.
 */
static void end_alone(struct calls *calls, struct task *task,
		      const struct tep_record *record, const struct call *exit)
{
	u64 room = (min(exit->depth, FLOOR_CALLS - 2) + 1) * GAP;
	u64 begin = record->ts - min_t(u64, exit->duration, record->ts);
	u64 to = task_shown(task, record->ts);
	struct span span = {
		.task = task,
		.lost = SPAN_NO_BEGIN,
		.cpu = record->cpu,
		.depth = exit->depth,
		.begin = begin,
		.duration = exit->duration,
		.self = exit->duration,
		.from = min(max(begin, task->floor + room),
			    task->first - FLOOR_CALLS * GAP + room),
		.to = to,
		.call = *exit,
	};

	if (task->nr || begin > task->first) {
		/*
		 * The call does not fit between the known calls, so it gets the time of the
		 * exit
		 */
		span.from = to;
		span.to = task_shown(task, record->ts);
	} else {
		/*
		 * This call is the caller of the last call without an entry. The times may
		 * have another order, because an event is written some time after its
		 * call's end.
		 */
		if (task->alone)
			span.from = max(min(span.from, task->alone - GAP), task->floor);
		task->alone = span.from;
	}
	span.call.tail_size = 0;
	end_span(calls, &span, NULL, SIGS_NO_SET);
}

/*
 * Whether an exit belongs to an entry.  If events of any CPU were lost, the task may have
 * been on that CPU, and the same function may have been called again.
 */
static bool is_end_of(const struct stream *stream, const struct task *task,
		      const struct open *open, const struct call *exit)
{
	u64 begin = stream->record->ts - exit->duration;

	if (open->depth != exit->depth || open->func != exit->func)
		return false;
	/* The exit directly follows its entry. The kernel shows both in one line. */
	if (stream->begun == task)
		return true;
	if (!task->buffer->nr_lossy && task->buffer->nr_lost == open->nr_lost)
		return true;
	return begin + SLACK >= open->begin && begin <= open->begin + SLACK;
}

static void end_call(struct calls *calls, struct task *task,
		     const struct stream *stream, const struct call *exit)
{
	const struct tep_record *record = stream->record;
	const struct open *open;

	end_deeper(calls, task, exit->depth + 1, record->ts);
	open = task->nr ? &task->open[task->nr - 1] : NULL;
	if (open && is_end_of(stream, task, open, exit)) {
		end_open(calls, task, exit, task_shown(task, record->ts));
		return;
	}
	end_deeper(calls, task, exit->depth, record->ts);
	end_alone(calls, task, record, exit);
}

/*
 * Find the shown time when a call with one event began. This time is after the previous
 * calls, and before the callees. The times of events are not exactly the times of calls.
 */
static u64 whole_from(const struct task *task, const struct call *call, u64 begin)
{
	const struct level *level = &task->levels[call->depth], *callees = level + 1;
	u64 from = max(begin, task->floor);

	if (task->nr)
		from = max(from, task->open[task->nr - 1].shown + GAP);
	if (level->begin)
		from = max(from, level->end + GAP);
	if (callees->begin)
		from = min(from, callees->begin - GAP);
	return from;
}

/*
 * Handle a call with one event.  The events of its callees came before, except for callees
 * that have not returned, either.
 */
static bool whole_call(struct calls *calls, struct task *task,
		       const struct tep_record *record, const struct call *call)
{
	u64 begin = record->ts - min_t(u64, call->duration, record->ts), from;
	struct span span = {
		.task = task,
		.lost = SPAN_WHOLE,
		.cpu = record->cpu,
		.depth = call->depth,
		.begin = begin,
		.duration = call->duration,
		.call = *call,
	};
	struct level *level;

	end_deeper(calls, task, call->depth, record->ts);
	if (!grow_levels(task, call->depth))
		return false;
	from = whole_from(task, call, begin);
	level = &task->levels[call->depth];
	if (call->open) {
		*level = (struct level){ };
		return open_call(calls, task, record->cpu, call, begin, from);
	}
	span.from = from;
	span.to = max(task_shown(task, record->ts), from + GAP);
	task->shown = span.to;
	span.self = span.duration - min(level[1].sum, span.duration);
	if (task->nr)
		task->open[task->nr - 1].children += span.duration;
	end_level(task, &span);
	end_span(calls, &span, NULL, decode_set(call));
	return true;
}

/**
 * stream_next - set the next event of a stream
 * @stream: the stream
 * @record: the event, NULL if there is none
 */
void stream_next(struct stream *stream, struct tep_record *record)
{
	stream->record = record;
	stream->lost = record ? record->missed_events : 0;
	if (stream->lost)
		stream->buffer->nr_lossy++;
}

/**
 * spans_event - handle the next event of a stream
 * @calls: the reader
 * @stream: the stream, with the event
 *
 * Return: false if there is no memory.
 */
bool spans_event(struct calls *calls, struct stream *stream)
{
	struct tep_record *record = stream->record;
	int type = tep_data_type(calls->tep, record);
	const struct formats *formats = &calls->formats;
	const struct layout *layout = NULL;
	struct task *task;
	bool is_exit, has_calls;
	struct call call;

	if (stream->lost) {
		lose_events(calls, stream);
		stream->begun = NULL;
	}
	has_calls = calls->ops->end && decode_has_graph(formats) && !formats->damaged;
	is_exit = formats->exit.func && type == formats->exit.id;
	if (has_calls)
		layout = decode_entry_layout(formats, type);
	task = find_task(calls, stream->buffer, tep_data_pid(calls->tep, record),
			 record->cpu);
	if (!task)
		return false;
	move_task(calls, task, record->cpu);
	if (layout && layout->depth) {
		if (!decode_call(formats, record, layout, &call) ||
		    call.depth < 0 || call.depth > MAX_INDENT)
			return true;
		stream->begun = task;
		return begin_call(calls, task, record, &call);
	}
	if (is_exit && has_calls) {
		/* A truncated event may lack its times */
		if (decode_exit(formats, record, &call) && call.depth >= 0 &&
		    call.depth <= MAX_INDENT && (s64)call.duration >= 0)
			end_call(calls, task, stream, &call);
		stream->begun = NULL;
		return true;
	}
	stream->begun = NULL;
	if (has_calls && decode_is_single(formats, type)) {
		if (!decode_single(formats, record, &call) || call.depth < 0 ||
		    call.depth > MAX_INDENT || (s64)call.duration < 0)
			return true;
		return whole_call(calls, task, record, &call);
	}
	if (calls->ops->event)
		calls->ops->event(calls, task, record,
				  task_shown(task, record->ts));
	return true;
}

/**
 * spans_end - handle the end of the recording
 * @calls: the reader
 *
 * The open calls have no exit.
 */
void spans_end(struct calls *calls)
{
	struct hash_node *node;
	unsigned int i;

	for (i = 0; i < hash_size(&calls->tasks); i++)
		for (node = calls->tasks.slots[i]; node; node = node->next)
			end_deeper(calls, container_of(node, struct task, node), 0, 0);
}

/**
 * spans_init - prepare to combine events to calls
 * @calls: the reader
 *
 * Return: false if there is no memory.
 */
bool spans_init(struct calls *calls)
{
	return values_init(&calls->args) && values_init(&calls->ret) &&
	       values_init(&calls->changed) && hash_init(&calls->tasks, TASK_BITS);
}

static void free_task(struct hash_node *node)
{
	struct task *task = container_of(node, struct task, node);

	free(task->open);
	free(task->bytes);
	free(task->levels);
	free(task);
}

/**
 * spans_free - free the memory that spans_init() and spans_event() have allocated
 * @calls: the reader
 */
void spans_free(struct calls *calls)
{
	hash_free(&calls->tasks, free_task);
	values_free(&calls->args);
	values_free(&calls->ret);
	values_free(&calls->changed);
}
