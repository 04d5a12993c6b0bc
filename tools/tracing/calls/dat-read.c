// SPDX-License-Identifier: GPL-2.0
/*
 * Read files of trace-cmd: the head of a file of version 6, and the pages of the ring buffer
 *
 * kbuffer of libtraceevent trusts the lengths in a page.  So this file reads pages itself.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"
#include "dat.h"

/* Options of the head */
#define OPTION_BUFFER		3
#define OPTION_TRACECLOCK	4
#define OPTION_CPUCOUNT		8

/* No text of header_page is longer, except in a damaged file */
#define TEXT_MAX_SIZE		0x10000

/**
 * dat_fail - complain about the contents of a file
 * @in: the file
 * @at: the place in the file
 * @why: the reason
 *
 * Return: false.
 */
bool dat_fail(const struct dat_in *in, u64 at, const char *why)
{
	complain("%s: %s: at offset %llu", in->name, why, (unsigned long long)at);
	return false;
}

/**
 * dat_read - read bytes of a file
 * @in: the file
 * @bytes: set to the bytes
 * @size: number of bytes
 * @at: their place in the file
 *
 * Return: false if they cannot be read; a message was printed.
 */
bool dat_read(const struct dat_in *in, void *bytes, u64 size, u64 at)
{
	ssize_t nr;

	if (at > in->size || size > in->size - at) {
		complain("%s: cut after %llu bytes", in->name,
			 (unsigned long long)in->size);
		return false;
	}
	while (size) {
		nr = pread(in->fd, bytes, size, at);
		if (nr <= 0)
			return dat_fail(in, at, nr ? strerror(errno) : "cut");
		bytes += nr;
		size -= nr;
		at += nr;
	}
	return true;
}

static bool dat_take(struct dat_in *in, void *bytes, u64 size)
{
	if (!dat_read(in, bytes, size, in->pos))
		return false;
	in->pos += size;
	return true;
}

static bool skip(struct dat_in *in, u64 size)
{
	if (size > in->size - in->pos)
		return dat_fail(in, in->pos, "a length is longer than the file");
	in->pos += size;
	return true;
}

/* Skip a number of 4 or 8 bytes, then skip this number of bytes */
static bool skip_sized(struct dat_in *in, unsigned int width)
{
	u64 size = 0;

	return dat_take(in, &size, width) && skip(in, size);
}

static bool take_string(struct dat_in *in, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (!dat_take(in, text + i, 1))
			return false;
		if (!text[i])
			return true;
	}
	return dat_fail(in, in->pos, "a name does not end");
}

/*
 * Find the offset and the size of a field of header_page. Returns false if there is no
 * such field.
 */
static bool page_field(const char *text, const char *name, unsigned int *offset,
		       unsigned int *size)
{
	const char *pos = strstr(text, name);

	return pos && sscanf(pos + strlen(name), "; offset:%u; size:%u", offset, size) == 2;
}

/* Find the layout of pages in the text of header_page */
static bool parse_page(struct dat_in *in, const char *text)
{
	unsigned int time, time_size, commit, commit_size, data, size;

	if (!page_field(text, " timestamp", &time, &time_size) ||
	    !page_field(text, " commit", &commit, &commit_size) ||
	    !page_field(text, " data", &data, &size) ||
	    time || time_size != sizeof(u64) ||
	    commit != PAGE_COMMIT || commit_size != sizeof(u64) ||
	    data < PAGE_COMMIT + sizeof(u64) || data % 4 || size % 4 ||
	    data > PAGE_MAX_SIZE || size > PAGE_MAX_SIZE || size < 512 ||
	    (data + size) & (data + size - 1))
		return dat_fail(in, in->pos, "no pages of x86-64 by header_page");
	in->page_size = data + size;
	in->page_head = data;
	return true;
}

static bool read_page_layout(struct dat_in *in)
{
	char name[16], *text;
	u64 size;
	bool ok;

	if (!take_string(in, name, sizeof(name)) || !dat_take(in, &size, sizeof(size)))
		return false;
	if (strcmp(name, "header_page") || size > TEXT_MAX_SIZE)
		return dat_fail(in, in->pos, "no header_page");
	text = calloc(1, size + 1);
	if (!text)
		return dat_fail(in, in->pos, strerror(errno));
	ok = dat_take(in, text, size) && parse_page(in, text);
	free(text);
	return ok;
}

static bool skip_formats(struct dat_in *in)
{
	char name[256];
	u32 systems, nr;

	if (!take_string(in, name, sizeof(name)) || !skip_sized(in, 8) ||
	    !dat_take(in, &nr, sizeof(nr)))
		return false;
	while (nr--)
		if (!skip_sized(in, 8))
			return false;
	if (!dat_take(in, &systems, sizeof(systems)))
		return false;
	while (systems--) {
		if (!take_string(in, name, sizeof(name)) || !dat_take(in, &nr, sizeof(nr)))
			return false;
		while (nr--)
			if (!skip_sized(in, 8))
				return false;
	}
	/* Skip symbols, formats of trace_printk(), and names of tasks */
	return skip_sized(in, 4) && skip_sized(in, 4) && skip_sized(in, 8);
}

/* Find the name of the clock in brackets, or the name alone */
static void parse_clock(struct dat_in *in, const char *text)
{
	const char *name = strchr(text, '[');

	name = name ? name + 1 : text;
	snprintf(in->clock, sizeof(in->clock), "%.*s", (int)strcspn(name, "]\n "), name);
}

static bool read_option(struct dat_in *in, u16 id, u32 size)
{
	struct dat_buffer *buffer;
	char text[256] = "";
	u64 begin = in->pos;

	if (!skip(in, size) ||
	    !dat_read(in, text, min_t(u32, size, sizeof(text) - 1), begin))
		return false;
	if (id == OPTION_CPUCOUNT && size >= sizeof(in->nr_cpus))
		memcpy(&in->nr_cpus, text, sizeof(in->nr_cpus));
	if (id == OPTION_TRACECLOCK)
		parse_clock(in, text);
	if (id != OPTION_BUFFER)
		return true;
	if (size < sizeof(u64))
		return dat_fail(in, begin, "no place of an instance's table");
	buffer = array_add(&in->buffers, &in->nr_buffers, &in->buffers_room, sizeof(*buffer));
	if (!buffer)
		return dat_fail(in, begin, strerror(errno));
	*buffer = (struct dat_buffer){ .option = begin };
	return true;
}

static bool read_options(struct dat_in *in)
{
	u32 size;
	u16 id;

	while (dat_take(in, &id, sizeof(id))) {
		if (!id)
			return true;
		if (!dat_take(in, &size, sizeof(size)) || !read_option(in, id, size))
			return false;
	}
	return false;
}

/* Read the table at @in->pos, after the text before it */
static bool read_cpu_table(struct dat_in *in, struct dat_buffer *buffer)
{
	u64 size = (u64)in->nr_cpus * sizeof(*buffer->cpus), begin = in->pos;
	const struct dat_cpu *cpu;

	if (!skip(in, size))
		return false;
	buffer->cpus = malloc(size + 1);
	buffer->written = calloc(1, size + 1);
	if (!buffer->cpus || !buffer->written)
		return dat_fail(in, begin, strerror(errno));
	if (!dat_read(in, buffer->cpus, size, begin))
		return false;
	for (cpu = buffer->cpus; cpu < buffer->cpus + in->nr_cpus; cpu++) {
		if (cpu->size && (cpu->offset > in->size ||
				  cpu->size > in->size - cpu->offset)) {
			complain("%s: cut after %llu bytes: the pages of CPU %d end at %llu",
				 in->name, (unsigned long long)in->size,
				 (int)(cpu - buffer->cpus),
				 (unsigned long long)(cpu->offset + cpu->size));
			return false;
		}
	}
	return true;
}

static bool read_tables(struct dat_in *in)
{
	char begin[TABLE_BEGIN_SIZE];
	unsigned int i;
	u64 table;

	for (i = 0; i < in->nr_buffers; i++) {
		if (i) {
			if (!dat_read(in, &table, sizeof(table), in->buffers[i].option))
				return false;
			in->pos = min(table, in->size);
			if (!dat_take(in, begin, sizeof(begin)))
				return false;
			if (memcmp(begin, TABLE_BEGIN, sizeof(begin)))
				return dat_fail(in, table, "no table of an instance");
		}
		if (!read_cpu_table(in, &in->buffers[i]))
			return false;
		if (!i)
			in->head = in->pos;
	}
	return true;
}

static bool read_head(struct dat_in *in)
{
	char magic[10], version[8], kind[TABLE_BEGIN_SIZE];
	u8 order, long_size;
	u32 page_size;

	if (!dat_take(in, magic, sizeof(magic)) ||
	    !take_string(in, version, sizeof(version)) ||
	    !dat_take(in, &order, sizeof(order)) || !dat_take(in, &long_size, sizeof(long_size)) ||
	    !dat_take(in, &page_size, sizeof(page_size)))
		return false;
	if (order || long_size != sizeof(long))
		return dat_fail(in, in->pos, "another byte order or word size");
	if (!read_page_layout(in) || !skip_formats(in) ||
	    !dat_take(in, &in->nr_cpus, sizeof(in->nr_cpus)) || !dat_take(in, kind, sizeof(kind)))
		return false;
	if (!strncmp(kind, "options", 7) &&
	    (!read_options(in) || !dat_take(in, kind, sizeof(kind))))
		return false;
	if (!strncmp(kind, "latency", 7))
		return dat_fail(in, in->pos, "a latency tracer's text, no events");
	if (memcmp(kind, TABLE_BEGIN, sizeof(kind)))
		return dat_fail(in, in->pos, "no table of the CPUs' pages");
	return read_tables(in);
}

/**
 * dat_open - read the head of a file of version 6
 * @in: set to the contents of the head; freed by dat_close()
 * @name: the file's name for messages
 * @fd: the file
 *
 * Return: false if the head cannot be read; a message was printed.
 */
bool dat_open(struct dat_in *in, const char *name, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	*in = (struct dat_in){ .name = name, .fd = fd, .size = max_t(off_t, size, 0) };
	in->buffers = calloc(1, sizeof(*in->buffers));
	if (!in->buffers)
		return dat_fail(in, 0, strerror(errno));
	in->nr_buffers = 1;
	in->buffers_room = 1;
	return read_head(in);
}

/**
 * dat_close - free the memory that dat_open() has allocated
 * @in: the file
 */
void dat_close(struct dat_in *in)
{
	unsigned int i;

	for (i = 0; i < in->nr_buffers; i++) {
		free(in->buffers[i].cpus);
		free(in->buffers[i].written);
	}
	free(in->buffers);
}

/**
 * dat_begin - begin to read the events of a CPU
 * @stream: the events; the caller frees its @page
 * @in: the file
 * @pages: the place of the CPU's pages
 * @cpu: the CPU
 *
 * Return: false if there is no memory; a message was printed.
 */
bool dat_begin(struct dat_stream *stream, const struct dat_in *in,
	       const struct dat_cpu *pages, u32 cpu)
{
	*stream = (struct dat_stream){
		.in	= in,
		.cpu	= cpu,
		.pos	= pages->offset,
		.end	= pages->offset + pages->size,
		.page	= malloc(in->page_size),
	};
	return stream->page || dat_fail(in, pages->offset, strerror(errno));
}

static u32 word_at(const void *pos)
{
	u32 word;

	memcpy(&word, pos, sizeof(word));
	return word;
}

/*
 * Note that events were lost before the page. Their number may follow the events of the
 * page.
 */
static void note_lost(struct dat_stream *stream, u32 commit)
{
	const struct dat_in *in = stream->in;
	s64 nr = -1;

	stream->nr_lost++;
	if (commit & PAGE_MISSED_STORED &&
	    stream->size <= in->page_size - in->page_head - sizeof(nr))
		memcpy(&nr, stream->page + in->page_head + stream->size, sizeof(nr));
	if (nr <= 0 || stream->lost < 0)
		stream->lost = -1;
	else
		stream->lost += nr;
}

static bool read_page(struct dat_stream *stream)
{
	const struct dat_in *in = stream->in;
	u64 time;
	u32 commit;

	if (stream->end - stream->pos < in->page_size)
		return dat_fail(in, stream->pos, "a page is cut");
	if (!dat_read(in, stream->page, in->page_size, stream->pos))
		return false;
	memcpy(&time, stream->page, sizeof(time));
	commit = word_at(stream->page + PAGE_COMMIT);
	stream->size = commit & PAGE_SIZE_MASK;
	if (stream->size > in->page_size - in->page_head)
		return dat_fail(in, stream->pos, "a page has more events than room");
	if (time < stream->time)
		return dat_fail(in, stream->pos, "time goes backwards");
	stream->time = time;
	stream->next = 0;
	if (commit & PAGE_MISSED)
		note_lost(stream, commit);
	stream->at = stream->pos + in->page_head;
	stream->pos += in->page_size;
	return true;
}

/* Move past an event of @words words and @len bytes, and add @delta to the time */
static bool pass(struct dat_stream *stream, u32 words, u32 len, u64 delta)
{
	const u8 *events = stream->page + stream->in->page_head;
	u32 begin = stream->next + words * sizeof(u32);

	if (begin > stream->size || len > stream->size - begin ||
	    stream->time + delta < stream->time)
		return false;
	stream->time += delta;
	stream->data = events + begin;
	stream->len = len;
	stream->next = min(begin + whole_words(len), stream->size);
	return true;
}

/*
 * Read the next word of the page and its data. Returns 1 for an event, 0 for a change of
 * the time or for free bytes, and -1 if the page is damaged.
 */
static int read_event(struct dat_stream *stream)
{
	const u8 *pos = stream->page + stream->in->page_head + stream->next;
	u32 left = stream->size - stream->next, head, type, behind;
	u64 delta, time;

	stream->at = stream->pos - stream->in->page_size + stream->in->page_head +
		     stream->next;
	if (left < sizeof(head))
		return -1;
	head = word_at(pos);
	type = head & ((1 << TYPE_BITS) - 1);
	delta = head >> TYPE_BITS;
	if (type == TYPE_PADDING && !delta) {
		stream->next = stream->size;
		return 0;
	}
	if (type != TYPE_LENGTH_BEHIND && type <= TYPE_MAX_WORDS)
		return pass(stream, 1, type * sizeof(head), delta) ? 1 : -1;
	if (left < 2 * sizeof(head))
		return -1;

	behind = word_at(pos + sizeof(head));
	time = (u64)behind << TIME_BITS | delta;
	switch (type) {
	case TYPE_TIME_EXTEND:
		return pass(stream, 2, 0, time) ? 0 : -1;
	case TYPE_TIME:
		/* The highest bits are the same as in the previous time */
		time |= stream->time & ~MAX_DELTA;
		return pass(stream, 2, 0, time - stream->time) ? 0 : -1;
	}
	/* The length includes the word with the length */
	if (behind < sizeof(behind) ||
	    !pass(stream, 2, behind - sizeof(behind), delta))
		return -1;
	return type == TYPE_LENGTH_BEHIND;
}

/**
 * dat_next - read the next event of a CPU
 * @stream: the CPU's events
 *
 * Return: 1 for an event, 0 if there are no more events, and -1 after a message if no
 * event can be read.
 */
int dat_next(struct dat_stream *stream)
{
	int found;

	stream->lost = 0;
	for (;;) {
		while (stream->next == stream->size) {
			if (stream->pos == stream->end)
				return 0;
			if (!read_page(stream))
				return -1;
		}
		found = read_event(stream);
		if (found > 0)
			return 1;
		if (found < 0) {
			dat_fail(stream->in, stream->at, "a damaged event");
			return -1;
		}
	}
}
