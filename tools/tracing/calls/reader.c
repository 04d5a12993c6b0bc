// SPDX-License-Identifier: GPL-2.0
/*
 * Read the events of a recording in the order of their time
 *
 * Each CPU of each buffer has a sorted stream of events.  The streams are merged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"

/* The first bytes of a recording's file */
static const char magic[] = "\x17\x08\x44tracing";

/* Whether the next event of a CPU is before that of another CPU */
static bool is_before(const struct stream *one, const struct stream *other)
{
	if (one->record->ts != other->record->ts)
		return one->record->ts < other->record->ts;
	return one < other;
}

/* Read the next event of a CPU. A damaged event is left out, as if it was lost. */
void stream_read(struct calls *calls, struct stream *stream)
{
	struct dat_stream *dat = &stream->dat;
	u64 begin = dat->pos;
	int found;

	do {
		found = dat_next(dat);
		calls->damaged |= found < 0;
	} while (found < 0);
	calls->done += dat->pos - begin;
	stream_next(stream, found ? &dat->record : NULL);
}

/* Move a CPU of the heap down to its place */
static void move_down(struct calls *calls, unsigned int i)
{
	struct stream **heap = calls->heap, *stream = heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < calls->nr_heap) {
		if (child + 1 < calls->nr_heap && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], stream))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = stream;
}

static void read_events(struct calls *calls)
{
	struct stream *stream;

	while (calls->nr_heap && !calls->enough && !out_failed()) {
		stream = calls->heap[0];
		spans_event(calls, stream);
		/* sigs_trim() invalidates functions that were found before */
		sigs_trim(calls->sigs);
		progress(calls);
		stream_read(calls, stream);
		if (!stream->record)
			calls->heap[0] = calls->heap[--calls->nr_heap];
		if (calls->nr_heap)
			move_down(calls, 0);
	}
}

/* Read the events of all CPUs from their begin, also again */
void streams_begin(struct calls *calls)
{
	struct stream *stream, *end = calls->streams + calls->nr_streams;

	calls->done = 0;
	for (stream = calls->streams; stream < end; stream++) {
		dat_end(&stream->dat);
		dat_begin(&stream->dat, &calls->dat, stream->pages);
	}
	for (stream = calls->streams; stream < end; stream++)
		stream_read(calls, stream);
}

static void find_buffers(struct calls *calls)
{
	struct buffer *buffer;
	struct stream *stream;
	unsigned int i, cpu;

	calls->nr_buffers = calls->dat.nr_buffers;
	calls->buffers = xcalloc(calls->nr_buffers, sizeof(*calls->buffers));
	for (i = 0; i < calls->nr_buffers; i++) {
		const struct dat_buffer *from = &calls->dat.buffers[i];

		buffer = &calls->buffers[i];
		buffer->name = *from->name ? from->name : NULL;
		for (cpu = 0; cpu < from->nr_cpus; cpu++) {
			stream = array_add(&calls->streams, &calls->nr_streams, sizeof(*stream));
			*stream = (struct stream){ .buffer = buffer, .pages = &from->cpus[cpu] };
		}
	}
	streams_begin(calls);
	calls->heap = xcalloc(calls->nr_streams, sizeof(*calls->heap));
	for (stream = calls->streams; stream < calls->streams + calls->nr_streams; stream++)
		if (stream->record)
			calls->heap[calls->nr_heap++] = stream;
	for (i = calls->nr_heap / 2; i-- > 0;)
		move_down(calls, i);
}

/* Find out why a file is not a recording. Returns NULL if the file begins as a recording. */
static const char *file_foreign(int fd)
{
	static const char perf[] = "PERFILE2";
	char head[64] = "";
	struct stat st;
	ssize_t nr;

	if (fd < 0 || fstat(fd, &st) < 0)
		return strerror(errno);
	if (S_ISDIR(st.st_mode))
		return "a directory";
	if (!S_ISREG(st.st_mode))
		return "not a regular file, and parts of it have to be read again";
	nr = pread(fd, head, sizeof(head) - 1, 0);
	if (nr <= 0)
		return "empty";
	if (!memcmp(head, perf, strlen(perf)))
		return "a recording of perf, not of trace-cmd";
	if (memcmp(head, magic, min_t(size_t, nr, strlen(magic))))
		return "not a recording of trace-cmd";
	return nr < sizeof(head) - 1 ? "cut within its head" : NULL;
}

static bool open_file(struct calls *calls, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	const char *why = file_foreign(fd);

	if (why) {
		complain("%s: %s", file, why);
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!dat_open(&calls->dat, file, fd))
		return false;
	calls->damaged = calls->dat.cut;
	calls->size = calls->dat.size;
	/* All lengths of the head were checked */
	calls->in = formats_open(&calls->dat, &calls->damaged);
	return calls->in;
}

/*
 * Find out how the times of a trace clock relate to the times of calls, which are those of the
 * clock "local". The name "" is the default.
 */
static enum clock find_clock(const char *name)
{
	static const char * const same[] = { "", "local" };
	/* "global" and "perf" are at an offset from "local" even if the TSC is stable */
	static const char * const others[] = {
		"global", "perf", "mono", "mono_raw", "boot", "tai"
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (!strcmp(name, same[i]))
			return CLOCK_CALLS;
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(name, others[i]))
			return CLOCK_OTHER;
	return CLOCK_COUNTS;
}

/*
 * Say which registers a kernel without signatures does not record. Returns whether it records any.
 */
bool complain_of_registers(const struct formats *formats, const char *name)
{
	if (!formats->entry.args)
		complain("%s: no arguments: kernels with FUNCTION_TRACE_ARGS record them", name);
	if (!formats->exit.retval)
		complain("%s: no returned values: kernels with FUNCTION_GRAPH_RETVAL record them",
			 name);
	return formats->entry.args || formats->exit.retval;
}

/* Say what is needed to show more of a kernel without signatures; @unknown: there is no file */
static void complain_of_kernel(const struct calls *calls, const char *file, bool unknown)
{
	const struct formats *formats = &calls->formats;
	bool any;

	if (!formats->registers && !unknown)
		return;
	any = complain_of_registers(formats, file);
	/* A file that was named and is not used has its own message */
	if (unknown && any && !getenv("FTRACE_ARG_SIGS") &&
	    !tep_find_event_by_name(calls->tep, "ftrace", "arg_sigs"))
		complain("%s: no signatures: \"trace-calls signatures\" makes a file of them",
			 file);
}

/**
 * calls_read - read a recording
 * @calls: the state of the recording, for calls_free()
 * @file: the file's name
 * @filters: filters of the calls; NULL passes all calls
 * @ops: the command's functions for events
 * @data: the command's own data
 *
 * Sets @calls->damaged or @calls->failed after a message if not all was read.
 *
 * Return: false if nothing could be read.
 */
bool calls_read(struct calls *calls, const char *file, struct filter *filters,
		const struct calls_ops *ops, void *data)
{
	bool unknown;

	memset(calls, 0, sizeof(*calls));
	calls->file = file;
	calls->filters = filters;
	calls->ops = ops;
	calls->data = data;
	if (!open_file(calls, file)) {
		calls->failed = true;
		return false;
	}
	calls->tep = tracecmd_get_tep(calls->in);
	calls->clock = find_clock(calls->dat.mult ? "perf" : calls->dat.clock);
	if (calls->clock == CLOCK_COUNTS && ops->slices) {
		complain("%s: the trace clock has no nanoseconds: %s", file, calls->dat.clock);
		calls->failed = true;
		return false;
	}
	/* CPUs are merged by their times, which are those of ticks */
	if (!strcmp(calls->dat.clock, "uptime") && ops->end)
		complain("%s: the clock uptime does not order the events of a task on two CPUs",
			 file);
	calls->sigs = decode_formats(&calls->formats, calls->tep);
	if (tep_find_event_by_name(calls->tep, "ftrace", "arg_sigs") &&
	    (tep_get_long_size(calls->tep) != sizeof(long) ||
	     tep_is_file_bigendian(calls->tep) != tep_is_local_bigendian(calls->tep))) {
		complain("%s: another byte order or word size, values are not known",
			 file);
		calls->damaged = true;
	}
	unknown = !calls->sigs;
	if (unknown)
		/* Without signatures, names of functions come from symbols */
		calls->sigs = sigs_read(calls->tep, "arg_sigs 1;0;0;0;.");
	if (calls->formats.damaged) {
		complain("%s: a format has fields where no event has any", file);
		calls->damaged = true;
	} else if (ops->end && !decode_has_graph(&calls->formats)) {
		complain("%s: the formats of the function_graph tracer's events are missing",
			 file);
		calls->failed = true;
	} else if (ops->end) {
		complain_of_kernel(calls, file, unknown);
	}
	allocated(calls->sigs);
	spans_init(calls);
	if (ops->open && !ops->open(calls)) {
		calls->failed = true;
		return false;
	}
	find_buffers(calls);
	if (ops->run) {
		ops->run(calls);
	} else {
		read_events(calls);
		spans_end(calls);
	}
	progress_end();
	return !calls->failed;
}

void calls_free(struct calls *calls)
{
	unsigned int i;

	spans_free(calls);
	sigs_free(calls->sigs);
	for (i = 0; i < calls->nr_streams; i++)
		dat_end(&calls->streams[i].dat);
	free(calls->streams);
	if (calls->in)
		tracecmd_close(calls->in);
	if (calls->dat.name)
		close(calls->dat.fd);
	dat_close(&calls->dat);
	free(calls->buffers);
	free(calls->heap);
}
