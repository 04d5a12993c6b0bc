// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls unfold: write two events for each call that has one event
 *
 * The entry has the time when the call began, and the exit has the time of the call's
 * event.  Both are on the CPU of the call's event.  The events of a buffer are read in the
 * order of their time, sorted by their new times, and written CPU by CPU.  All other events
 * are copied.
 *
 * Events with the same time need an order in which calls are nested.  The place of an event
 * is its number in the order of the recording.  An entry goes before the place of the first
 * event in its call, and callers go before their callees.  All other events stay at their
 * places.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../traceevent/hash.h"
#include "arrays.h"
#include "calls.h"
#include "unfold.h"

#define PATHS_BITS	12

/* Maximum bytes of an event: the fields that a format may have, and a page */
#define EVENT_SIZE	(0x100000 + 0x4000)

/* Maximum bytes after the fields of an exit */
#define TAIL_SIZE	1024

/* The time and the place if there is no call */
#define NEVER		(~0ULL)

/**
 * struct callees - the calls of one depth whose caller has no event yet
 * @begin: the time when the first call began
 * @end: the time when the last call ended
 * @first: the place of the first event in these calls
 */
struct callees {
	u64	begin;
	u64	end;
	u64	first;
};

/**
 * struct path - the calls of a task whose callers have no event yet
 * @node: the element of the hash
 * @pid: the task's number
 * @stream: the CPU of the task's last event
 * @nr_lost: number of losses of this CPU's events at the task's last event
 * @callees: the calls, by their depth
 * @nr: number of depths
 * @room: capacity of @callees, in elements
 * @open: the last event was a call that had not returned
 */
struct path {
	struct hash_node	node;
	int			pid;
	const struct dat_stream	*stream;
	u64			nr_lost;
	struct callees		*callees;
	unsigned int		nr;
	size_t			room;
	bool			open;
};

/**
 * struct unfold - the state of the conversion
 * @calls: the name and the formats of the recording
 * @in: the file that is read
 * @out: the file that is written
 * @base: the events have the same clock as the times of calls
 * @sorter: the events in their new order
 * @paths: the tasks of a buffer
 * @place: events of the buffer that were read
 * @event: memory for an event
 */
struct unfold {
	struct calls	calls;
	struct dat_in	in;
	struct dat_out	out;
	bool		base;
	struct sorter	*sorter;
	struct hash	paths;
	u64		place;
	u8		event[EVENT_SIZE];
};

static bool fail_stream(const struct unfold *unfold, const struct dat_stream *stream,
			const char *why)
{
	complain("%s: %s: CPU %u, at offset %llu", unfold->in.name, why, stream->cpu,
		 (unsigned long long)stream->at);
	return false;
}

static bool fail_memory(const struct unfold *unfold)
{
	complain("%s: %s", unfold->in.name, strerror(errno));
	return false;
}

/*
 * Find a task. Each CPU has an idle task, which never leaves the CPU. All idle tasks have
 * the number 0.
 */
static struct path *find_path(struct unfold *unfold, int pid,
			      const struct dat_stream *stream)
{
	u64 key = pid ?: stream->cpu;
	struct hash_node *node;
	struct path *path;

	for (node = *hash_slot(&unfold->paths, key); node; node = node->next) {
		path = container_of(node, struct path, node);
		if (path->pid == pid && (pid || path->stream == stream))
			break;
	}
	if (!node) {
		path = calloc(1, sizeof(*path));
		if (!path)
			return NULL;
		path->pid = pid;
		path->stream = stream;
		hash_add(&unfold->paths, &path->node, key);
	}
	/* After a loss, the events of the callers may be missing */
	if (path->nr_lost != path->stream->nr_lost)
		path->nr = 0;
	path->stream = stream;
	path->nr_lost = stream->nr_lost;
	return path;
}

static void free_path(struct hash_node *node)
{
	struct path *path = container_of(node, struct path, node);

	free(path->callees);
	free(path);
}

/* Combine the calls that are deeper than @depth. @first is NEVER if there are none. */
static struct callees deeper(const struct path *path, unsigned int depth)
{
	struct callees all = { .begin = NEVER, .first = NEVER };
	unsigned int i;

	for (i = depth + 1; i < path->nr; i++) {
		all.begin = min(all.begin, path->callees[i].begin);
		all.end = max(all.end, path->callees[i].end);
		all.first = min(all.first, path->callees[i].first);
	}
	return all;
}

/* Add a call after the events of its callees. Returns false if there is no memory. */
static bool add_callee(struct path *path, unsigned int depth, const struct callees *call)
{
	static const struct callees none = { .begin = NEVER, .first = NEVER };
	struct callees *callees;

	callees = array_grow(path->callees, &path->room, depth + 1, sizeof(*callees));
	if (!callees)
		return false;
	path->callees = callees;
	while (path->nr <= depth)
		path->callees[path->nr++] = none;
	path->nr = depth + 1;
	callees = &path->callees[depth];
	callees->begin = min(callees->begin, call->begin);
	callees->end = max(callees->end, call->end);
	callees->first = min(callees->first, call->first);
	return true;
}

static bool add_event(struct unfold *unfold, const struct sorted *event, const void *data)
{
	return sorter_add(unfold->sorter, event, data) || fail_memory(unfold);
}

/* Add the event without a change */
static bool copy_event(struct unfold *unfold, const struct dat_stream *stream)
{
	const struct sorted event = {
		.time	= stream->time,
		.order	= 2 * unfold->place + 1,
		.cpu	= stream->cpu,
		.size	= stream->len,
	};

	return add_event(unfold, &event, stream->data);
}

static void put_field(void *event, const struct tep_format_field *field, u64 val)
{
	if (field)
		memcpy(event + field->offset, &val, min_t(int, field->size, sizeof(val)));
}

/*
 * Begin an event in @unfold->event with the fields that all events have. @tail follows the
 * event's own fields.
 */
static bool begin_event(struct unfold *unfold, const struct dat_stream *stream,
			const struct layout *layout, const void *tail, u32 size)
{
	const struct tep_format_field *field;
	struct tep_event *format;

	if (layout->end + size > EVENT_SIZE)
		return fail_stream(unfold, stream, "an event is too long");
	memset(unfold->event, 0, layout->end);
	memcpy(unfold->event + layout->end, tail, size);
	format = tep_find_event(unfold->calls.tep, layout->id);
	for (field = format->format.common_fields; field; field = field->next) {
		if (field->offset < 0 || field->size < 0 || field->offset > layout->end ||
		    field->size > layout->end - field->offset ||
		    field->offset + field->size > stream->len)
			return fail_stream(unfold, stream,
					   "a format has fields where no event has any");
		memcpy(unfold->event + field->offset, stream->data + field->offset,
		       field->size);
	}
	put_field(unfold->event, tep_find_common_field(format, "common_type"), layout->id);
	return true;
}

static bool add_entry(struct unfold *unfold, const struct dat_stream *stream,
		      const struct call *call, const struct callees *range)
{
	const struct layout *layout = &unfold->calls.formats.entry;
	const struct sorted event = {
		.time	= range->begin,
		.order	= 2 * range->first,
		.cpu	= stream->cpu,
		.depth	= call->depth,
		.size	= layout->end + call->tail_size,
	};

	if (!begin_event(unfold, stream, layout, call->tail, call->tail_size))
		return false;
	put_field(unfold->event, layout->func, call->func);
	put_field(unfold->event, layout->depth, call->depth);
	return add_event(unfold, &event, unfold->event);
}

/*
 * Write the tail of an exit. Without results, the tail is the second register if there is
 * one. With results, the tail is the second register, the results, zeros up to an odd
 * number of longs in all, and the second register again. Returns the number of bytes.
 */
static u32 exit_tail(u8 tail[TAIL_SIZE], const struct call *call)
{
	u64 second = call->nr_regs > 1 ? call->regs[1] : 0;
	const struct arg_longs *results = &call->results;
	u32 size;

	memset(tail, 0, TAIL_SIZE);
	memcpy(tail, &second, sizeof(second));
	if (!results->size || results->size > TAIL_SIZE - 4 * sizeof(second))
		return call->nr_regs > 1 ? sizeof(second) : 0;
	memcpy(tail + sizeof(second), results->data, results->size);
	/* A zero ends the results */
	size = (sizeof(second) + results->size + 1 + 15) / 16 * 16 + sizeof(second);
	memcpy(tail + size - sizeof(second), &second, sizeof(second));
	return size;
}

static bool add_exit(struct unfold *unfold, const struct dat_stream *stream,
		     const struct call *call, const struct callees *range,
		     u64 calltime, u64 rettime)
{
	const struct layout *layout = &unfold->calls.formats.exit;
	u8 tail[TAIL_SIZE];
	u32 size = layout->retval ? exit_tail(tail, call) : 0;
	const struct sorted event = {
		.time	= range->end,
		.order	= 2 * unfold->place + 1,
		.cpu	= stream->cpu,
		.size	= layout->end + size,
	};

	if (!begin_event(unfold, stream, layout, tail, size))
		return false;
	put_field(unfold->event, layout->func, call->func);
	put_field(unfold->event, layout->depth, call->depth);
	put_field(unfold->event, layout->retval, call->regs[0]);
	put_field(unfold->event, layout->calltime, calltime);
	put_field(unfold->event, layout->rettime, rettime);
	return add_event(unfold, &event, unfold->event);
}

static u64 read_time(const struct unfold *unfold, const struct dat_stream *stream,
		     const struct tep_format_field *field)
{
	return tep_read_number(unfold->calls.tep, stream->data + field->offset, field->size);
}

/*
 * Put the entry of a call before its callees.  The events of deeper calls came before the
 * call's event.  If the last deeper call ended after the call began, the deeper calls are
 * its callees.  With another clock and without sleep-time, the computed begin of the call
 * is too late by the time that the task has slept, and may be after the callees.
 */
static void include_callees(const struct unfold *unfold, struct callees *call,
			    const struct callees *callees)
{
	if (callees->first > call->first || callees->end < call->begin)
		return;
	/* A callee may be on another CPU, where the order does not matter */
	if (!unfold->base && callees->begin < call->begin)
		call->begin = callees->begin - 1;
	call->first = callees->first;
}

static bool unfold_call(struct unfold *unfold, const struct dat_stream *stream,
			struct path *path, const struct call *call)
{
	const struct layout *layout = &unfold->calls.formats.single;
	u64 calltime = read_time(unfold, stream, layout->calltime);
	u64 rettime = read_time(unfold, stream, layout->rettime);
	struct callees range = {
		/* The events may have another clock that also counts nanoseconds */
		.begin	= unfold->base ? calltime : stream->time - (rettime - calltime),
		.end	= stream->time,
		.first	= unfold->place,
	}, callees;

	/* Recording was turned on again, so the open calls have no event */
	if (path->open && !call->open)
		path->nr = 0;
	path->open = call->open;
	callees = deeper(path, call->depth);
	include_callees(unfold, &range, &callees);
	range.begin = min(range.begin, range.end);
	if (!add_entry(unfold, stream, call, &range))
		return false;
	if (call->open)
		return true;
	if (!add_callee(path, call->depth, &range))
		return fail_memory(unfold);
	return add_exit(unfold, stream, call, &range, calltime, rettime);
}

/* Note a call with two events, because its caller may have one event */
static bool note_call(struct unfold *unfold, const struct dat_stream *stream,
		      struct path *path, const struct call *call)
{
	const struct callees range = {
		.begin	= stream->time,
		.end	= stream->time,
		.first	= unfold->place,
	};

	return add_callee(path, call->depth, &range) || fail_memory(unfold);
}

static bool unfold_event(struct unfold *unfold, const struct dat_stream *stream)
{
	const struct formats *formats = &unfold->calls.formats;
	struct tep_record record = {
		.data	= (void *)stream->data,
		.size	= stream->len,
	};
	const struct layout *entry;
	struct path *path;
	struct call call;
	bool single, two;
	int type;

	if (stream->len < sizeof(u64) || !decode_has_graph(formats))
		return copy_event(unfold, stream);
	type = tep_data_type(formats->tep, &record);
	single = decode_is_single(formats, type);
	entry = decode_entry_layout(formats, type);
	two = entry || type == formats->exit.id;
	if (!single && !two)
		return copy_event(unfold, stream);
	if (!(single ? decode_single(formats, &record, &call) :
	      entry ? decode_call(formats, &record, entry, &call) :
		      decode_exit(formats, &record, &call)))
		return fail_stream(unfold, stream, "an event is shorter than its fields");
	if (call.depth < 0 || call.depth > MAX_INDENT) {
		if (two)
			return copy_event(unfold, stream);
		return fail_stream(unfold, stream, "a call is deeper than any stack");
	}
	path = find_path(unfold, call.pid, stream);
	if (!path)
		return fail_memory(unfold);
	if (single)
		return unfold_call(unfold, stream, path, &call);
	return note_call(unfold, stream, path, &call) && copy_event(unfold, stream);
}

static bool dat_stream_before(const void *a, const void *b)
{
	const struct dat_stream *one = a, *other = b;

	return one->time != other->time ? one->time < other->time : one->cpu < other->cpu;
}

/* Read the next event of a CPU, and add a mark if events were lost before it */
static int next_event(struct unfold *unfold, struct dat_stream *stream)
{
	struct sorted mark = {
		.time	= stream->time,
		.order	= 2 * unfold->place + 1,
		.cpu	= stream->cpu,
		.depth	= 1,
		.lost	= 1,
		.size	= sizeof(stream->lost),
	};
	int found = dat_next(stream);

	unfold->calls.done += stream->len;
	if (found <= 0 || !stream->lost)
		return found;
	return add_event(unfold, &mark, &stream->lost) ? 1 : -1;
}

static bool read_streams(struct unfold *unfold, struct dat_stream *streams,
			 struct dat_stream **heap)
{
	unsigned int nr = 0, i;
	int found;

	unfold->place = 0;
	for (i = 0; i < unfold->in.nr_cpus; i++) {
		found = next_event(unfold, &streams[i]);
		if (found < 0)
			return false;
		if (found)
			heap[nr++] = &streams[i];
	}
	heap_build((void **)heap, nr, dat_stream_before);
	while (nr) {
		unfold->place++;
		if (!unfold_event(unfold, heap[0]))
			return false;
		progress(&unfold->calls);
		found = next_event(unfold, heap[0]);
		if (found < 0)
			return false;
		if (!found)
			heap[0] = heap[--nr];
		if (nr)
			heap_down((void **)heap, nr, 0, dat_stream_before);
	}
	return true;
}

/* Read the events of a buffer */
static bool read_buffer(struct unfold *unfold, const struct dat_buffer *buffer)
{
	unsigned int nr = unfold->in.nr_cpus, i;
	struct dat_stream *streams, **heap;
	bool ok;

	streams = calloc(nr + 1, sizeof(*streams));
	heap = calloc(nr + 1, sizeof(*heap));
	ok = streams && heap && hash_init(&unfold->paths, PATHS_BITS);
	if (!ok)
		fail_memory(unfold);
	for (i = 0; ok && i < nr; i++)
		ok = dat_begin(&streams[i], &unfold->in, &buffer->cpus[i]);
	ok = ok && read_streams(unfold, streams, heap);
	for (i = 0; streams && i < nr; i++)
		dat_end(&streams[i]);
	free(streams);
	free(heap);
	hash_free(&unfold->paths, free_path);
	return ok;
}

static bool write_event(const struct sorted *event, const void *data, void *context)
{
	struct unfold *unfold = context;
	s64 lost;

	dat_begin_cpu(&unfold->out, event->cpu);
	if (event->lost) {
		memcpy(&lost, data, sizeof(lost));
		dat_lost(&unfold->out, lost);
		return true;
	}
	if (dat_event(&unfold->out, event->time, data, event->size))
		return true;
	complain("%s: no page has room for an event of CPU %u at time %llu",
		 unfold->in.name, event->cpu, (unsigned long long)event->time);
	errno = 0;
	return false;
}

static bool unfold_buffer(struct unfold *unfold, struct dat_buffer *buffer)
{
	if (!read_buffer(unfold, buffer))
		return false;
	dat_begin_buffer(&unfold->out, &unfold->in, buffer);
	errno = 0;
	if (!sorter_merge(unfold->sorter, write_event, unfold)) {
		if (errno)
			fail_memory(unfold);
		return false;
	}
	dat_end_buffer(&unfold->out);
	return true;
}

/* Find the places of fields in the recording's events */
static bool find_formats(struct unfold *unfold)
{
	struct formats *formats = &unfold->calls.formats;
	struct tracecmd_input *in = formats_open(&unfold->in, &unfold->calls.damaged);

	if (!in)
		return false;
	unfold->calls.in = in;
	if (unfold->calls.damaged)
		return false;
	unfold->calls.tep = tracecmd_get_tep(in);
	unfold->calls.sigs = decode_formats(formats, unfold->calls.tep);
	if (formats->damaged) {
		complain("%s: a format has fields where no event has any", unfold->in.name);
		return false;
	}
	if (!formats->single.func || decode_has_graph(formats))
		return true;
	complain("%s: the formats of the function_graph tracer's events are missing",
		 unfold->in.name);
	return false;
}

/*
 * Find out whether the trace clock is the clock of calltime. Other clocks have to count
 * nanoseconds.
 */
static bool find_clock(struct unfold *unfold)
{
	enum clock clock = clock_find(unfold->in.clock);

	unfold->base = clock == CLOCK_CALLS;
	if (clock != CLOCK_COUNTS || !unfold->calls.formats.single.func)
		return true;
	complain("%s: the trace clock has no nanoseconds: %s", unfold->in.name,
		 unfold->in.clock);
	return false;
}

static bool unfold_file(struct unfold *unfold)
{
	unsigned int i;

	for (i = 0; i < unfold->in.nr_buffers; i++)
		if (!unfold_buffer(unfold, &unfold->in.buffers[i]))
			return false;
	return dat_finish(&unfold->in);
}

static bool write_file(struct unfold *unfold, const char *to)
{
	FILE *file = temp_unnamed(to);
	bool ok;

	if (!file)
		return false;
	unfold->sorter = sorter_new(file);
	if (!unfold->sorter) {
		fclose(file);
		return fail_memory(unfold);
	}
	ok = dat_create(&unfold->out, &unfold->in) && unfold_file(unfold);
	progress_end();
	sorter_free(unfold->sorter);
	free(unfold->out.page);
	return ok;
}

/* Whether parts of the output can be written last */
static bool check_output(const char *to)
{
	struct stat out;

	if (stat(to, &out) || S_ISREG(out.st_mode))
		return true;
	complain("%s: not a regular file, and parts of it have to be written last", to);
	return false;
}

static bool is_native(const struct unfold *unfold)
{
	if (!unfold->in.big_endian && unfold->in.long_size == sizeof(long))
		return true;
	complain("%s: another byte order or word size", unfold->in.name);
	return false;
}

static int run(struct unfold *unfold, const char *from, const char *to)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC), version = 0;
	const char *why = file_foreign(fd, &version);
	bool ok;

	if (why) {
		complain("%s: %s", from, why);
		return STATUS_FAILED;
	}
	if (!check_output(to))
		return STATUS_FAILED;
	if (version >= 7) {
		close(fd);
		fd = temp_converted(from, to);
		if (fd < 0)
			return STATUS_FAILED;
	}
	unfold->calls.file = from;
	ok = dat_open(&unfold->in, from, fd) && !unfold->in.cut && is_native(unfold) &&
	     find_formats(unfold) && find_clock(unfold);
	unfold->calls.size = unfold->in.size;
	if (ok && out_open(to)) {
		ok = !out_is(from) && write_file(unfold, to);
		ok = !out_close(ok ? STATUS_GOOD : STATUS_FAILED);
	} else {
		ok = false;
	}
	dat_close(&unfold->in);
	sigs_free(unfold->calls.sigs);
	if (unfold->calls.in)
		tracecmd_close(unfold->calls.in);
	close(fd);
	return ok ? STATUS_GOOD : STATUS_FAILED;
}

static void unfold_print_usage(FILE *to)
{
	fprintf(to, "usage: %s unfold IN OUT\n\n"
		"Write a recording with two events for each call that has one event\n"
		"(funcgraph-single), so that \"trace-cmd report OUT\" and KernelShark show\n"
		"the graph in the order of entries\n\n"
		"  -h, --help           print this text\n", program);
}

/**
 * cmd_unfold - run trace-calls unfold
 * @argc: the number of words
 * @argv: the words
 *
 * Return: the program's status.
 */
int cmd_unfold(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL }
	};
	static struct unfold unfold;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) >= 0) {
		unfold_print_usage(option == 'h' ? stdout : stderr);
		return option == 'h' ? 0 : 2;
	}
	if (argc - optind != 2) {
		unfold_print_usage(stderr);
		return 2;
	}
	return run(&unfold, argv[optind], argv[optind + 1]);
}
