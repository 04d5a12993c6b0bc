// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a recording in the order of their time, and the calls they are of
 *
 * Each CPU of each buffer is a stream of events in order.  The streams are merged,
 * and a call is put together for each task: a task that sleeps in a call may go on
 * elsewhere.  Depths tell which end belongs to which begin.
 *
 * Where events of a CPU were lost, the calls that had begun on it may have ended
 * and others begun: none of them gets an end.  A task may have gone to another CPU
 * meanwhile, so whether a stream goes on with a loss is looked at when a task leaves
 * the CPU.  An end whose duration does not lead to the begin is of another call.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"

/* Slots of the hash of tasks at first */
#define TASK_BITS	8

/* Nanoseconds that calls of a task are apart at least: readers round in their ways */
#define GAP		2

/* Nanoseconds between the time of a call's event and that of its begin, at most */
#define SLACK		20000

/* A loss makes room for the begins of so many calls that are not known */
#define FLOOR_CALLS	64

/* Bytes of events between two looks at the heap, and how much that may grow */
#define RENEW_EVENTS	(4 << 20)
#define RENEW_HEAP	(24 << 20)

/* How much of a mapped file is given back at once, and no map is larger */
#define PAGE_OUT_SIZE	0x100000
#define MAP_SIZE	0x4000000

/* What the file of a recording begins with */
static const char magic[] = "\x17\x08\x44tracing";

/**
 * struct stream - a CPU of a buffer
 * @buffer: the buffer
 * @index: the CPU's index in it
 * @record: its next event
 * @again: the same of another input, see renew()
 * @lost: the events before @record that were lost, -1 if their number is not known
 * @begun: whose call began with the event before, NULL if none did
 * @kept: the first page of a mapped file that was not given back
 */
struct stream {
	struct buffer		*buffer;
	int			index;
	struct tep_record	*record;
	struct tep_record	*again;
	long long		lost;
	const struct task	*begun;
	unsigned long		kept;
};

static bool before(const struct stream *a, const struct stream *b)
{
	if (a->record->ts != b->record->ts)
		return a->record->ts < b->record->ts;
	return a->buffer != b->buffer ? a->buffer < b->buffer : a->index < b->index;
}

/* The stream at @i is put where it belongs, below */
static void sift_down(struct calls *calls, int i)
{
	struct stream *stream = calls->heap[i];
	int child;

	while ((child = 2 * i + 1) < calls->nr_heap) {
		if (child + 1 < calls->nr_heap &&
		    before(calls->heap[child + 1], calls->heap[child]))
			child++;
		if (!before(calls->heap[child], stream))
			break;
		calls->heap[i] = calls->heap[child];
		i = child;
	}
	calls->heap[i] = stream;
}

static void read_next(struct stream *stream)
{
	stream->record = guard_read(stream->buffer->in, stream->index);
	stream->lost = stream->record ? stream->record->missed_events : 0;
	if (stream->lost)
		stream->buffer->nr_lossy++;
}

static unsigned int task_slot(const struct calls *calls,
			      const struct buffer *buffer, int pid, int cpu)
{
	u64 key = (u64)(u32)pid << 32 | (u32)(pid ? 0 : cpu + 1);

	key += (buffer - calls->buffers) * 0x100000001b3ULL;
	return key * 0x9e3779b97f4a7c15ULL >> (64 - calls->task_bits);
}

static bool grow_tasks(struct calls *calls)
{
	unsigned int old = calls->tasks ? 1 << calls->task_bits : 0, i;
	struct task **tasks = calls->tasks, **slot, *task;

	calls->task_bits = old ? calls->task_bits + 1 : TASK_BITS;
	calls->tasks = calloc(1 << calls->task_bits, sizeof(*tasks));
	if (!calls->tasks) {
		calls->tasks = tasks;
		calls->task_bits--;
		return tasks;
	}
	for (i = 0; i < old; i++) {
		while ((task = tasks[i])) {
			tasks[i] = task->next;
			slot = &calls->tasks[task_slot(calls, task->buffer,
						       task->pid, task->cpu)];
			task->next = *slot;
			*slot = task;
		}
	}
	free(tasks);
	return true;
}

/* Each CPU has an idle task, which never leaves it; all of them have the number 0 */
static struct task *find_task(struct calls *calls, struct buffer *buffer, int pid,
			      int cpu)
{
	struct task *task, **slot;

	slot = &calls->tasks[task_slot(calls, buffer, pid, cpu)];
	for (task = *slot; task; task = task->next)
		if (task->pid == pid && task->buffer == buffer &&
		    (pid || task->cpu == cpu))
			return task;
	if (calls->nr_tasks >= 1U << calls->task_bits && !grow_tasks(calls))
		return NULL;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->buffer = buffer;
	task->pid = pid;
	task->cpu = cpu;
	task->id = ++calls->nr_tasks;
	slot = &calls->tasks[task_slot(calls, buffer, pid, cpu)];
	task->next = *slot;
	*slot = task;
	return task;
}

/**
 * task_shown - the time that an event of a task is shown with
 * @task: the task
 * @time: the event's own
 *
 * Return: a time that is GAP behind the task's event before it at least.
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
 * @buf: room for a number, for where the name is not known
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
 * span_args - the arguments of a call
 * @span: the call
 *
 * Return: the values, until the next call; NULL if they were not recorded.
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
 * span_ret - what a call returned
 * @span: the call
 *
 * Return: the value, until the next call; NULL if there is none or if it was not
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

/* As " (-EIO)" is shown: behind a signed integer, or in a pointer's place */
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

/* Whether it can be an error is seen without a walk: a number may have 8 bits only */
static bool may_fail(const struct span *span)
{
	u64 val = span->call.regs[0];

	return span->has_ret && ((u16)val >= (u16)-4095 || (u8)val >= 0x80);
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
	if (may_fail(span))
		span->error = find_error(span);
	if (!filters_pass(calls->filters, span))
		return;
	calls->nr_spans++;
	calls->ops->end(calls, span, open);
}

/* The innermost call ends, @exit is NULL if its end is not there */
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
	end_span(calls, &span, open, open->set);
	task->size = open->tail;
	task->nr--;
}

/* Calls that are @depth deep or deeper have ended, though that is not there */
static void end_deeper(struct calls *calls, struct task *task, int depth, u64 time)
{
	while (task->nr && task->open[task->nr - 1].depth >= depth)
		end_open(calls, task, NULL, task_shown(task, time));
}

/* What has happened since is not known */
static void lose_task(struct calls *calls, struct task *task)
{
	end_deeper(calls, task, 0, 0);
	task->floor = task->shown;
	task->shown += FLOOR_CALLS * GAP;
	task->first = 0;
}

static void lose(struct calls *calls, struct stream *stream)
{
	int cpu = stream->record->cpu;
	struct task *task;
	unsigned int i;

	for (i = 0; i < 1U << calls->task_bits; i++)
		for (task = calls->tasks[i]; task; task = task->next)
			if (task->cpu == cpu && task->buffer == stream->buffer)
				lose_task(calls, task);
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
 * A task has an event on a CPU: if it comes from another one, it may have lost some
 * there, or on the way.
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

static void *grow(void *array, unsigned int *room, unsigned int nr, size_t size)
{
	unsigned int more = max(2 * *room, 8U);
	void *new;

	if (nr < *room)
		return array;
	new = realloc(array, more * size);
	if (new)
		*room = more;
	return new;
}

static bool push_bytes(struct task *task, struct open *open, const struct call *call)
{
	size_t size = task->size + call->tail_size;
	char *more;

	if (size > task->bytes_room) {
		more = realloc(task->bytes, max(2 * size, (size_t)256));
		if (!more)
			return false;
		task->bytes = more;
		task->bytes_room = max(2 * size, (size_t)256);
	}
	open->tail = task->size;
	open->tail_size = call->tail_size;
	memcpy(task->bytes + task->size, call->tail, call->tail_size);
	task->size = size;
	return true;
}

static bool begin_call(struct calls *calls, struct task *task,
		       const struct tep_record *record, const struct call *call)
{
	struct open *open;

	end_deeper(calls, task, call->depth, record->ts);
	open = grow(task->open, &task->room, task->nr, sizeof(*open));
	if (!open)
		return false;
	task->open = open;
	open = &task->open[task->nr];
	*open = (struct open){
		.func = call->func,
		.set = decode_set(call),
		.depth = call->depth,
		.cpu = record->cpu,
		.begin = record->ts,
		.shown = task_shown(task, record->ts),
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

/*
 * An end without its begin: the begin was before all that is known of the task
 * since events were lost.
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

	/* It can be within none of the calls that are known: it has no place then */
	if (task->nr || begin > task->first) {
		span.from = to;
		span.to = task_shown(task, record->ts);
	}
	span.call.tail_size = 0;
	end_span(calls, &span, NULL, SIGS_NO_SET);
}

/*
 * Whether an end belongs to a begin.  Where events were lost, of any CPU, the task
 * may have been there, and the same function may have begun anew.
 */
static bool is_end_of(const struct stream *stream, const struct task *task,
		      const struct open *open, const struct call *exit)
{
	u64 begin = stream->record->ts - exit->duration;

	if (open->depth != exit->depth || open->func != exit->func)
		return false;
	/* The kernel has it in one line */
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

static bool read_event(struct calls *calls, struct stream *stream)
{
	struct tep_record *record = stream->record;
	int type = tep_data_type(calls->tep, record);
	const struct formats *formats = &calls->formats;
	const struct layout *layout = NULL;
	struct task *task;
	struct call call;
	bool is_exit;

	if (stream->lost) {
		lose(calls, stream);
		stream->begun = NULL;
	}
	is_exit = formats->exit.func && type == formats->exit.id;
	if (decode_has_graph(formats) && !formats->damaged)
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
	if (is_exit && decode_has_graph(formats) && !formats->damaged) {
		/* Of an event that is cut, times may be missing */
		if (decode_exit(formats, record, &call) && call.depth >= 0 &&
		    call.depth <= MAX_INDENT && (s64)call.duration >= 0)
			end_call(calls, task, stream, &call);
		stream->begun = NULL;
		return true;
	}
	stream->begun = NULL;
	if (calls->ops->event)
		calls->ops->event(calls, task, record,
				  task_shown(task, record->ts));
	return true;
}

static void end_all(struct calls *calls)
{
	struct task *task;
	unsigned int i;

	for (i = 0; i < 1U << calls->task_bits; i++)
		for (task = calls->tasks[i]; task; task = task->next)
			end_deeper(calls, task, 0, 0);
}

static void fail(struct calls *calls, const struct stream *stream,
		 const struct tep_record *record, const char *why)
{
	const char *instance = stream->buffer->name;

	complain("%s: %s: CPU index %d%s%s%s, behind offset %llu", calls->file,
		 why, stream->index, instance ? " of instance \"" : "",
		 instance ?: "", instance ? "\"" : "",
		 record ? (unsigned long long)record->offset : 0ULL);
	calls->failed = true;
}

static size_t heap_size(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/*
 * libtracecmd leaves all that was read of a file mapped.  What is behind is not read
 * again, so the kernel may have its memory; nothing is lost if it is.
 */
static void page_out(struct stream *stream, const struct tep_record *record)
{
	unsigned long page = (unsigned long)record->data & -4096UL;
	unsigned long size = page - stream->kept;

	if (size > MAP_SIZE)
		stream->kept = page;
	else if (size >= PAGE_OUT_SIZE &&
		 (madvise((void *)stream->kept, size, MADV_PAGEOUT) || true))
		stream->kept = page;
}

static struct tracecmd_input *instance(struct tracecmd_input *in, const char *name)
{
	int nr = tracecmd_buffer_instances(in), i;

	for (i = 0; i < nr; i++)
		if (!strcmp(tracecmd_buffer_instance_name(in, i) ?: "", name))
			return guard_instance(in, i);
	return NULL;
}

/* The events that come next, from another input; false if it does not have them */
static bool read_again(struct calls *calls, struct buffer *buffer,
		       struct tracecmd_input *in)
{
	struct stream *stream;
	int i;

	for (i = 0; in && i < buffer->nr; i++) {
		stream = &buffer->streams[i];
		if (!stream->record)
			continue;
		stream->again = guard_read_at(in, stream->record->offset,
					      &stream->index);
		if (!stream->again || stream->again->ts != stream->record->ts ||
		    stream->again->cpu != stream->record->cpu)
			return false;
	}
	return in;
}

/* The event of the input that is given up is freed */
static void take_over(struct buffer *buffer, bool new)
{
	struct stream *stream;
	int i;

	for (i = 0; i < buffer->nr; i++) {
		stream = &buffer->streams[i];
		if (stream->again)
			guard_free(new ? stream->record : stream->again);
		if (new && stream->again)
			stream->record = stream->again;
		stream->again = NULL;
	}
}

static void close_inputs(struct tracecmd_input **inputs, int nr)
{
	while (inputs && nr--)
		if (inputs[nr])
			guard_close(inputs[nr]);
	free(inputs);
}

/*
 * libtracecmd 1.3 keeps all that it has uncompressed until the input is closed.
 * The first input stays, it knows the events.
 */
static void renew(struct calls *calls)
{
	struct tracecmd_input **inputs;
	struct buffer *buffer;
	bool ok;
	int i;

	if (calls->done - calls->renewed < RENEW_EVENTS)
		return;
	calls->renewed = calls->done;
	if (heap_size() < calls->heap_size + RENEW_HEAP)
		return;
	inputs = calloc(calls->nr_buffers, sizeof(*inputs));
	if (!inputs)
		return;
	inputs[0] = guard_open(calls->file);
	ok = inputs[0];
	for (i = 0; ok && i < calls->nr_buffers; i++) {
		buffer = &calls->buffers[i];
		if (buffer->name)
			inputs[i] = instance(inputs[0], buffer->name);
		ok = read_again(calls, buffer, inputs[i]);
	}
	for (i = 0; i < calls->nr_buffers; i++)
		take_over(&calls->buffers[i], ok);
	if (ok) {
		for (i = 0; i < calls->nr_buffers; i++)
			calls->buffers[i].in = inputs[i];
		close_inputs(calls->inputs, calls->nr_buffers);
		calls->inputs = inputs;
	} else {
		close_inputs(inputs, calls->nr_buffers);
	}
	calls->heap_size = heap_size();
}

static bool read_events(struct calls *calls)
{
	struct tep_record *record;
	struct stream *stream;
	const char *why;
	bool ok = true;

	calls->heap_size = heap_size();
	while (ok && calls->nr_heap) {
		stream = calls->heap[0];
		record = stream->record;
		ok = read_event(calls, stream);
		/* What trims the signatures makes each function that is kept invalid */
		sigs_trim(calls->sigs);
		calls->done += record->record_size;
		progress(calls);
		renew(calls);
		record = stream->record;
		read_next(stream);
		if (!stream->record && guard_failed(&why)) {
			fail(calls, stream, record, why);
			return true;
		}
		if (stream->record && stream->record->ts < record->ts &&
		    !calls->failed)
			fail(calls, stream, record, "time goes backwards");
		page_out(stream, record);
		guard_free(record);
		if (!stream->record)
			calls->heap[0] = calls->heap[--calls->nr_heap];
		if (calls->nr_heap)
			sift_down(calls, 0);
	}
	return ok;
}

static bool add_buffer(struct calls *calls, struct buffer *buffer,
		       struct tracecmd_input *in, const char *name)
{
	int i;

	buffer->in = in;
	calls->first[buffer - calls->buffers] = in;
	buffer->name = name;
	buffer->nr = tep_get_cpus(calls->tep);
	buffer->streams = calloc(buffer->nr + 1, sizeof(*buffer->streams));
	if (!buffer->streams)
		return false;
	for (i = 0; i < buffer->nr; i++) {
		buffer->streams[i].buffer = buffer;
		buffer->streams[i].index = i;
	}
	return true;
}

static bool find_buffers(struct calls *calls)
{
	int nr = tracecmd_buffer_instances(calls->in), streams = 0, i, cpu;
	struct stream *stream;
	const char *why;

	calls->buffers = calloc(nr + 1, sizeof(*calls->buffers));
	calls->first = calloc(nr + 1, sizeof(*calls->first));
	if (!calls->buffers || !calls->first ||
	    !add_buffer(calls, &calls->buffers[calls->nr_buffers++], calls->in, NULL))
		return false;
	for (i = 0; i < nr; i++) {
		struct tracecmd_input *in = guard_instance(calls->in, i);
		const char *name = tracecmd_buffer_instance_name(calls->in, i);

		/* In later versions the first buffer is one of them */
		if (!name || !*name) {
			if (in)
				guard_close(in);
			continue;
		}
		if (!in) {
			complain("%s: instance \"%s\" cannot be read", calls->file, name);
			calls->failed = true;
			continue;
		}
		if (!add_buffer(calls, &calls->buffers[calls->nr_buffers++], in, name))
			return false;
	}
	for (i = 0; i < calls->nr_buffers; i++)
		streams += calls->buffers[i].nr;
	calls->heap = calloc(streams + 1, sizeof(*calls->heap));
	if (!calls->heap)
		return false;
	for (i = 0; i < calls->nr_buffers; i++) {
		for (cpu = 0; cpu < calls->buffers[i].nr; cpu++) {
			stream = &calls->buffers[i].streams[cpu];
			read_next(stream);
			if (stream->record)
				calls->heap[calls->nr_heap++] = stream;
			else if (guard_failed(&why) && !calls->failed)
				fail(calls, stream, NULL, why);
		}
	}
	for (i = calls->nr_heap / 2 - 1; i >= 0; i--)
		sift_down(calls, i);
	return true;
}

/*
 * libtracecmd refuses a file whose buffers are not all there.  Their pages are
 * zeros in a longer copy, which is a hole as far as the file system can have one.
 */
static struct tracecmd_input *open_cut(const char *file)
{
	char copy[] = "/var/tmp/trace-calls-XXXXXX";
	struct tracecmd_input *in = NULL;
	int from = open(file, O_RDONLY | O_CLOEXEC), to = mkstemp(copy);
	char buf[1 << 16];
	ssize_t nr;

	while ((nr = from < 0 || to < 0 ? -1 : read(from, buf, sizeof(buf))) > 0)
		if (write(to, buf, nr) != nr)
			break;
	if (!nr && !ftruncate(to, 1LL << 42))
		in = guard_open(copy);
	if (from >= 0)
		close(from);
	if (to >= 0) {
		close(to);
		unlink(copy);
	}
	return in;
}

/*
 * Why a file is not one that libtracecmd can read; NULL if it may be.  @version: of
 * its layout
 */
static const char *foreign(const char *file, u64 *size, int *version)
{
	static const char perf[] = "PERFILE2";
	static char why[128];
	char head[64] = "", *pos;
	struct stat st;
	ssize_t nr;
	u64 options;
	int fd, i;

	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return strerror(errno);
	nr = S_ISDIR(st.st_mode) ? -1 : pread(fd, head, sizeof(head) - 1, 0);
	close(fd);
	*size = st.st_size;
	if (S_ISDIR(st.st_mode))
		return "a directory";
	if (!S_ISREG(st.st_mode))
		return "no regular file, and parts of it are to be read again";
	if (nr <= 0)
		return "empty";
	if (!memcmp(head, perf, strlen(perf)))
		return "a recording of perf, not of trace-cmd";
	if (memcmp(head, magic, min_t(size_t, nr, strlen(magic))))
		return "not a recording of trace-cmd";
	*version = atoi(head + strlen(magic));
	if (*version < 7)
		return nr < sizeof(head) - 1 ? "cut within its head" : NULL;
	/* The version, the byte order, a long's size, a page's, how it is compressed */
	pos = head + strlen(magic) + strlen(head + strlen(magic)) + 1 + 1 + 1 + 4;
	for (i = 0; i < 2 && pos < head + sizeof(head); i++)
		pos += strnlen(pos, head + sizeof(head) - pos) + 1;
	if (pos + sizeof(options) > head + nr)
		return "cut within its head";
	memcpy(&options, pos, sizeof(options));
	if (head[strlen(magic) + 2])
		options = __builtin_bswap64(options);
	if (options < *size)
		return NULL;
	snprintf(why, sizeof(why),
		 "cut after %llu bytes: where its buffers are is said at offset %llu",
		 (unsigned long long)*size, (unsigned long long)options);
	return why;
}

static bool has_instances(struct tracecmd_input *in)
{
	int nr = tracecmd_buffer_instances(in), i;
	struct tracecmd_input *instance;

	for (i = 0; i < nr; i++) {
		instance = guard_instance(in, i);
		if (!instance)
			return false;
		guard_close(instance);
	}
	return true;
}

static bool open_file(struct calls *calls, const char *file)
{
	int version = 0;
	const char *why = foreign(file, &calls->size, &version), *said;

	if (why) {
		complain("%s: %s", file, why);
		return false;
	}
	calls->in = guard_open(file);
	if (calls->in && (version >= 7 || has_instances(calls->in)))
		return true;
	guard_failed(&why);
	said = guard_message();
	/* Later versions have at the end where the buffers are */
	if (version < 7)
		calls->in = open_cut(file);
	if (calls->in && !has_instances(calls->in)) {
		complain("%s: not all instances can be read", file);
		calls->failed = true;
		return true;
	}
	if (!calls->in) {
		complain("%s: cannot be read: %s", file,
			 said ?: why ?: "it is damaged or cut");
		return false;
	}
	complain("%s: cut after %llu bytes: what is there is read", file,
		 (unsigned long long)calls->size);
	calls->failed = true;
	return true;
}

/**
 * calls_read - read a recording
 * @calls: what is known of it, for calls_free()
 * @file: its name
 * @filters: which calls are wanted, NULL: all
 * @ops: what the command wants to know
 * @data: the command's own
 *
 * Return: 0, or 1 if something could not be read; that was said.
 */
int calls_read(struct calls *calls, const char *file, struct filter *filters,
	       const struct calls_ops *ops, void *data)
{
	bool ok;

	memset(calls, 0, sizeof(*calls));
	calls->file = file;
	calls->filters = filters;
	calls->ops = ops;
	calls->data = data;
	guard_begin();
	if (!open_file(calls, file)) {
		guard_end();
		calls->failed = true;
		return 1;
	}
	calls->tep = tracecmd_get_tep(calls->in);
	calls->sigs = decode_formats(&calls->formats, calls->tep);
	if (tep_get_long_size(calls->tep) != sizeof(long) ||
	    tep_is_file_bigendian(calls->tep) != tep_is_local_bigendian(calls->tep)) {
		complain("%s: another byte order or word size, values are not known",
			 file);
		calls->failed = true;
	}
	if (!calls->sigs)
		/* Names of functions come from symbols then */
		calls->sigs = sigs_read(calls->tep, "arg_sigs 1;0;0;0;.");
	if (calls->formats.damaged) {
		complain("%s: a format has fields where no event has any", file);
		calls->failed = true;
	} else if (!decode_has_graph(&calls->formats)) {
		complain("%s: the formats of the function_graph tracer's events are missing",
			 file);
		calls->failed = true;
	}
	ok = calls->sigs && values_init(&calls->args) && values_init(&calls->ret) &&
	     grow_tasks(calls) && find_buffers(calls) && read_events(calls);
	if (ok)
		end_all(calls);
	progress_end();
	guard_end();
	if (!ok || calls->args.failed || calls->ret.failed) {
		complain("%s: out of memory", file);
		calls->failed = true;
	}
	return calls->failed;
}

static void free_task(struct task *task)
{
	free(task->open);
	free(task->bytes);
	free(task);
}

/**
 * calls_free - free what calls_read() has allocated
 * @calls: what is known of the recording
 */
void calls_free(struct calls *calls)
{
	struct task *task;
	unsigned int i;

	for (i = 0; calls->tasks && i < 1U << calls->task_bits; i++) {
		while ((task = calls->tasks[i])) {
			calls->tasks[i] = task->next;
			free_task(task);
		}
	}
	free(calls->tasks);
	values_free(&calls->args);
	values_free(&calls->ret);
	sigs_free(calls->sigs);
	for (i = 0; i < calls->nr_buffers; i++)
		free(calls->buffers[i].streams);
	close_inputs(calls->inputs, calls->nr_buffers);
	close_inputs(calls->first, calls->nr_buffers);
	free(calls->buffers);
	free(calls->heap);
}
