// SPDX-License-Identifier: GPL-2.0
/*
 * Read the events of a recording in the order of their time
 *
 * Each CPU of each buffer has a sorted stream of events.  The streams are merged.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"

/* Bytes of events between two checks of the heap, and bytes that the heap may grow by */
#define RENEW_EVENTS	(4 << 20)
#define RENEW_HEAP	(24 << 20)

/* Bytes of a mapped file that are released at once, and the size of the largest map */
#define PAGE_OUT_SIZE	0x100000
#define MAP_SIZE	0x4000000

/* The first bytes of a recording's file */
static const char magic[] = "\x17\x08\x44tracing";

static bool stream_before(const void *a, const void *b)
{
	const struct stream *one = a, *other = b;

	if (one->record->ts != other->record->ts)
		return one->record->ts < other->record->ts;
	return one->buffer != other->buffer ? one->buffer < other->buffer :
					      one->index < other->index;
}

static void read_next(struct stream *stream)
{
	stream_next(stream, guard_read(stream->buffer->in, stream->index));
}

static void fail_read(struct calls *calls, const struct stream *stream,
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
 * libtracecmd keeps all pages mapped that it has read.  The pages before the record are
 * not needed again, so the kernel may reclaim their memory.  If such a page is read
 * again, the kernel reads it from the file.
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

/*
 * Read the next events from another input. Returns false if the input does not have the
 * events.
 */
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

/* Use the events of the new or of the old input, and free the other events */
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
 * libtracecmd 1.3 keeps all uncompressed data until the input is closed.  So renew()
 * opens the file again, and closes the old input.  The first input stays open, because
 * it has the formats of the events.
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
		ok = spans_event(calls, stream);
		/* sigs_trim() invalidates functions that were found before */
		sigs_trim(calls->sigs);
		calls->done += record->record_size;
		progress(calls);
		renew(calls);
		record = stream->record;
		read_next(stream);
		if (!stream->record && guard_failed(&why)) {
			fail_read(calls, stream, record, why);
			return true;
		}
		if (stream->record && stream->record->ts < record->ts &&
		    !calls->failed)
			fail_read(calls, stream, record, "time goes backwards");
		page_out(stream, record);
		guard_free(record);
		if (!stream->record)
			calls->heap[0] = calls->heap[--calls->nr_heap];
		if (calls->nr_heap)
			heap_down((void **)calls->heap, calls->nr_heap, 0, stream_before);
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

		/* Later versions of the file count the first buffer as an instance */
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
				fail_read(calls, stream, NULL, why);
		}
	}
	heap_build((void **)calls->heap, calls->nr_heap, stream_before);
	return true;
}

/*
 * libtracecmd refuses a file that lacks pages of its buffers.  So open a copy with a
 * larger size, in which the missing pages are zeros.
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

/**
 * file_foreign - find out why libtracecmd cannot read a file
 * @file: the name of the file
 * @size: set to the size of the file
 * @version: set to the version of the file's layout
 *
 * Return: the reason, NULL if libtracecmd may read the file.
 */
const char *file_foreign(const char *file, u64 *size, int *version)
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
		return "not a regular file, and parts of it have to be read again";
	if (nr <= 0)
		return "empty";
	if (!memcmp(head, perf, strlen(perf)))
		return "a recording of perf, not of trace-cmd";
	if (memcmp(head, magic, min_t(size_t, nr, strlen(magic))))
		return "not a recording of trace-cmd";
	*version = atoi(head + strlen(magic));
	if (*version < 7)
		return nr < sizeof(head) - 1 ? "cut within its head" : NULL;
	/* Skip version, byte order, size of a long, size of a page, kind of compression */
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
		 "cut after %llu bytes: the places of its buffers are at offset %llu",
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
	const char *why = file_foreign(file, &calls->size, &version), *said;

	if (why) {
		complain("%s: %s", file, why);
		return false;
	}
	calls->in = guard_open(file);
	if (calls->in && (version >= 7 || has_instances(calls->in)))
		return true;
	guard_failed(&why);
	said = guard_message();
	/* Later versions have the places of the buffers at the end of the file */
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
	complain("%s: cut after %llu bytes: the rest is read", file,
		 (unsigned long long)calls->size);
	calls->failed = true;
	return true;
}

/**
 * calls_read - read a recording
 * @calls: the state of the recording, for calls_free()
 * @file: the file's name
 * @filters: filters of the calls; NULL passes all calls
 * @ops: the command's functions for events
 * @data: the command's own data
 *
 * Return: 0, or 1 if a part could not be read; a message tells which part.
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
		/* Without signatures, names of functions come from symbols */
		calls->sigs = sigs_read(calls->tep, "arg_sigs 1;0;0;0;.");
	if (calls->formats.damaged) {
		complain("%s: a format has fields where no event has any", file);
		calls->failed = true;
	} else if (ops->end && !decode_has_graph(&calls->formats)) {
		complain("%s: the formats of the function_graph tracer's events are missing",
			 file);
		calls->failed = true;
	}
	ok = calls->sigs && spans_init(calls);
	if (ok && ops->open && !ops->open(calls)) {
		guard_end();
		calls->failed = true;
		return 1;
	}
	ok = ok && find_buffers(calls) && read_events(calls);
	if (ok)
		spans_end(calls);
	progress_end();
	guard_end();
	if (!ok || calls->args.failed || calls->ret.failed ||
	    calls->changed.failed) {
		complain("%s: out of memory", file);
		calls->failed = true;
	}
	return calls->failed;
}

/**
 * calls_free - free the memory that calls_read() has allocated
 * @calls: the state of the recording
 */
void calls_free(struct calls *calls)
{
	int i;

	spans_free(calls);
	sigs_free(calls->sigs);
	for (i = 0; i < calls->nr_buffers; i++)
		free(calls->buffers[i].streams);
	close_inputs(calls->inputs, calls->nr_buffers);
	close_inputs(calls->first, calls->nr_buffers);
	free(calls->buffers);
	free(calls->heap);
}
