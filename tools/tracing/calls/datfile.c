// SPDX-License-Identifier: GPL-2.0
/*
 * Files of trace-cmd: the head of a file of version 6, and the pages of the ring buffer
 *
 * See trace-cmd.dat.v6(5).  The head ends with the table of the first buffer: the place
 * of each CPU's pages.  An option has the place of an instance's table.
 *
 * libtracecmd 1.3 writes no file, and kbuffer of libtraceevent trusts the lengths in a
 * page.  So this file has both.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"
#include "unfold.h"

/* Options of the head */
#define OPTION_BUFFER		3
#define OPTION_TRACECLOCK	4
#define OPTION_CPUCOUNT		8

/* What is before a table */
#define TABLE_BEGIN		"flyrecord"
#define TABLE_BEGIN_SIZE	10

/* The head of a page: the time, and the bytes of events with the mark of lost events */
#define PAGE_COMMIT		8
#define PAGE_MISSED		0x80000000U
#define PAGE_MISSED_STORED	0x40000000U
#define PAGE_SIZE_MASK		0x07ffffffU
#define PAGE_MAX_SIZE		0x100000

/* The first word of an event: a type or a length, and nanoseconds since the last event */
#define TYPE_LENGTH_BEHIND	0
#define TYPE_MAX_WORDS		28
#define TYPE_PADDING		29
#define TYPE_TIME_EXTEND	30
#define TYPE_TIME		31
#define TYPE_BITS		5
#define TIME_BITS		27

/* Nanoseconds that the first word and a time extend have room for */
#define MAX_DELTA		((1ULL << (32 + TIME_BITS)) - 1)

/* No text of header_page is longer, only that of a damaged file */
#define TEXT_MAX_SIZE		0x10000

static bool fail_at(const struct dat_in *in, u64 at, const char *why)
{
	complain("%s: %s: at offset %llu", in->name, why, (unsigned long long)at);
	return false;
}

static bool read_at(const struct dat_in *in, void *bytes, u64 size, u64 at)
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
			return fail_at(in, at, nr ? strerror(errno) : "cut");
		bytes += nr;
		size -= nr;
		at += nr;
	}
	return true;
}

static bool take(struct dat_in *in, void *bytes, u64 size)
{
	if (!read_at(in, bytes, size, in->pos))
		return false;
	in->pos += size;
	return true;
}

static bool skip(struct dat_in *in, u64 size)
{
	if (size > in->size - in->pos)
		return fail_at(in, in->pos, "a length is longer than the file");
	in->pos += size;
	return true;
}

/* Skip a number of 4 or 8 bytes, and as many bytes as the number says */
static bool skip_sized(struct dat_in *in, unsigned int width)
{
	u64 size = 0;

	return take(in, &size, width) && skip(in, size);
}

static bool take_string(struct dat_in *in, char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++) {
		if (!take(in, text + i, 1))
			return false;
		if (!text[i])
			return true;
	}
	return fail_at(in, in->pos, "a name does not end");
}

/* The offset and the size of a field of header_page; false if there is none */
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
		return fail_at(in, in->pos, "no pages of x86-64 by header_page");
	in->page_size = data + size;
	in->page_head = data;
	return true;
}

static bool read_page_layout(struct dat_in *in)
{
	char name[16], *text;
	u64 size;
	bool ok;

	if (!take_string(in, name, sizeof(name)) || !take(in, &size, sizeof(size)))
		return false;
	if (strcmp(name, "header_page") || size > TEXT_MAX_SIZE)
		return fail_at(in, in->pos, "no header_page");
	text = calloc(1, size + 1);
	if (!text)
		return fail_at(in, in->pos, strerror(errno));
	ok = take(in, text, size) && parse_page(in, text);
	free(text);
	return ok;
}

static bool skip_formats(struct dat_in *in)
{
	char name[256];
	u32 systems, nr;

	if (!take_string(in, name, sizeof(name)) || !skip_sized(in, 8) ||
	    !take(in, &nr, sizeof(nr)))
		return false;
	while (nr--)
		if (!skip_sized(in, 8))
			return false;
	if (!take(in, &systems, sizeof(systems)))
		return false;
	while (systems--) {
		if (!take_string(in, name, sizeof(name)) || !take(in, &nr, sizeof(nr)))
			return false;
		while (nr--)
			if (!skip_sized(in, 8))
				return false;
	}
	/* Symbols, formats of trace_printk(), names of tasks */
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
	struct dat_buffer *buffers;
	char text[256] = "";
	u64 begin = in->pos;

	if (!skip(in, size) ||
	    !read_at(in, text, min_t(u32, size, sizeof(text) - 1), begin))
		return false;
	if (id == OPTION_CPUCOUNT && size >= sizeof(in->nr_cpus))
		memcpy(&in->nr_cpus, text, sizeof(in->nr_cpus));
	if (id == OPTION_TRACECLOCK)
		parse_clock(in, text);
	if (id != OPTION_BUFFER)
		return true;
	if (size < sizeof(u64))
		return fail_at(in, begin, "no place of an instance's table");
	buffers = array_grow(in->buffers, &in->buffers_room, in->nr_buffers + 1,
			     sizeof(*buffers));
	if (!buffers)
		return fail_at(in, begin, strerror(errno));
	in->buffers = buffers;
	buffers[in->nr_buffers++] = (struct dat_buffer){ .option = begin };
	return true;
}

static bool read_options(struct dat_in *in)
{
	u32 size;
	u16 id;

	while (take(in, &id, sizeof(id))) {
		if (!id)
			return true;
		if (!take(in, &size, sizeof(size)) || !read_option(in, id, size))
			return false;
	}
	return false;
}

/* Read the table at @in->pos; its begin was read */
static bool read_table(struct dat_in *in, struct dat_buffer *buffer)
{
	u64 size = (u64)in->nr_cpus * sizeof(*buffer->cpus), begin = in->pos;
	const struct dat_cpu *cpu;

	if (!skip(in, size))
		return false;
	buffer->cpus = malloc(size + 1);
	buffer->written = calloc(1, size + 1);
	if (!buffer->cpus || !buffer->written)
		return fail_at(in, begin, strerror(errno));
	if (!read_at(in, buffer->cpus, size, begin))
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
			if (!read_at(in, &table, sizeof(table), in->buffers[i].option))
				return false;
			in->pos = min(table, in->size);
			if (!take(in, begin, sizeof(begin)))
				return false;
			if (memcmp(begin, TABLE_BEGIN, sizeof(begin)))
				return fail_at(in, table, "no table of an instance");
		}
		if (!read_table(in, &in->buffers[i]))
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

	if (!take(in, magic, sizeof(magic)) ||
	    !take_string(in, version, sizeof(version)) ||
	    !take(in, &order, sizeof(order)) || !take(in, &long_size, sizeof(long_size)) ||
	    !take(in, &page_size, sizeof(page_size)))
		return false;
	if (order || long_size != sizeof(long))
		return fail_at(in, in->pos, "another byte order or word size");
	if (!read_page_layout(in) || !skip_formats(in) ||
	    !take(in, &in->nr_cpus, sizeof(in->nr_cpus)) || !take(in, kind, sizeof(kind)))
		return false;
	if (!strncmp(kind, "options", 7) &&
	    (!read_options(in) || !take(in, kind, sizeof(kind))))
		return false;
	if (!strncmp(kind, "latency", 7))
		return fail_at(in, in->pos, "a latency tracer's text, no events");
	if (memcmp(kind, TABLE_BEGIN, sizeof(kind)))
		return fail_at(in, in->pos, "no table of the CPUs' pages");
	return read_tables(in);
}

/**
 * dat_open - read the head of a file of version 6
 * @in: gets what the head says, for dat_close()
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
		return fail_at(in, 0, strerror(errno));
	in->nr_buffers = 1;
	in->buffers_room = 1;
	return read_head(in);
}

/**
 * dat_close - free what dat_open() has allocated
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
 * @stream: the events, whose @page is to be freed
 * @in: the file
 * @pages: where the CPU's pages are
 * @cpu: the CPU
 *
 * Return: false without memory; a message was printed.
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
	return stream->page || fail_at(in, pages->offset, strerror(errno));
}

static u32 whole_words(u32 size)
{
	return (size + sizeof(u32) - 1) & -sizeof(u32);
}

static u32 word_at(const void *pos)
{
	u32 word;

	memcpy(&word, pos, sizeof(word));
	return word;
}

/* Events were lost before the page; their number may be behind the events */
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
		return fail_at(in, stream->pos, "a page is cut");
	if (!read_at(in, stream->page, in->page_size, stream->pos))
		return false;
	memcpy(&time, stream->page, sizeof(time));
	commit = word_at(stream->page + PAGE_COMMIT);
	stream->size = commit & PAGE_SIZE_MASK;
	if (stream->size > in->page_size - in->page_head)
		return fail_at(in, stream->pos, "a page has more events than room");
	if (time < stream->time)
		return fail_at(in, stream->pos, "time goes backwards");
	stream->time = time;
	stream->next = 0;
	if (commit & PAGE_MISSED)
		note_lost(stream, commit);
	stream->at = stream->pos + in->page_head;
	stream->pos += in->page_size;
	return true;
}

/* Move behind an event of @words words and @len bytes, and let @delta pass */
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
 * Read the next word of the page, and what belongs to it. Return 1 for an event, 0 if
 * only time passes or bytes are free, and -1 if the page is damaged
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
		/* The highest bits are those of the time before */
		time |= stream->time & ~MAX_DELTA;
		return pass(stream, 2, 0, time - stream->time) ? 0 : -1;
	}
	/* The length is also of the word that has the length */
	if (behind < sizeof(behind) ||
	    !pass(stream, 2, behind - sizeof(behind), delta))
		return -1;
	return type == TYPE_LENGTH_BEHIND;
}

/**
 * dat_next - read the next event of a CPU
 * @stream: the CPU's events
 *
 * Return: 1, 0 if there are no more, and -1 if none can be read; a message was printed
 * then.
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
			fail_at(stream->in, stream->at, "a damaged event");
			return -1;
		}
	}
}

static void put_bytes(struct dat_out *out, const void *bytes, size_t size)
{
	out_write(bytes, size);
	out->pos += size;
}

/**
 * dat_create - begin a file with the head of another one
 * @out: the file, whose @page is to be freed; written by out_write()
 * @in: the file with the head
 *
 * Return: false if the head cannot be copied; a message was printed.
 */
bool dat_create(struct dat_out *out, const struct dat_in *in)
{
	char buf[1 << 16];
	u64 at, nr;

	*out = (struct dat_out){
		.page		= malloc(in->page_size),
		.page_size	= in->page_size,
		.page_head	= in->page_head,
	};
	if (!out->page)
		return fail_at(in, 0, strerror(errno));
	for (at = 0; at < in->head; at += nr) {
		nr = min_t(u64, sizeof(buf), in->head - at);
		if (!read_at(in, buf, nr, at))
			return false;
		put_bytes(out, buf, nr);
	}
	return true;
}

/* Bytes of events that the page has room for; the number of lost events is behind them */
static u32 page_room(const struct dat_out *out)
{
	return out->page_size - out->page_head - (out->lost > 0 ? sizeof(out->lost) : 0);
}

/* Write the page if it has events */
static void end_page(struct dat_out *out)
{
	u8 *events = out->page + out->page_head;
	u64 commit = out->used;

	if (!out->used)
		return;
	memset(events + out->used, 0, out->page_size - out->page_head - out->used);
	if (out->lost)
		commit |= PAGE_MISSED;
	if (out->lost > 0) {
		commit |= PAGE_MISSED_STORED;
		memcpy(events + out->used, &out->lost, sizeof(out->lost));
	}
	memset(out->page, 0, out->page_head);
	memcpy(out->page, &out->begin, sizeof(out->begin));
	memcpy(out->page + PAGE_COMMIT, &commit, sizeof(commit));
	put_bytes(out, out->page, out->page_size);
	out->used = 0;
	out->lost = 0;
}

/**
 * dat_begin_buffer - begin to write the events of a buffer
 * @out: the file
 * @in: the file with the head
 * @buffer: the buffer
 *
 * The table of the first buffer is in the head. The table of another buffer is before
 * the buffer's pages.
 */
void dat_begin_buffer(struct dat_out *out, const struct dat_in *in,
		      struct dat_buffer *buffer)
{
	size_t size = in->nr_cpus * sizeof(*buffer->written);

	if (buffer->option) {
		put_bytes(out, TABLE_BEGIN, TABLE_BEGIN_SIZE);
		put_bytes(out, buffer->written, size);
	}
	buffer->table = out->pos - size;
	memset(out->page, 0, out->page_size);
	put_bytes(out, out->page, -out->pos & (out->page_size - 1));
	out->table = buffer->written;
	out->nr_cpus = in->nr_cpus;
	out->cpu = 0;
	if (in->nr_cpus)
		out->table[0].offset = out->pos;
}

/**
 * dat_begin_cpu - begin to write the events of a CPU
 * @out: the file
 * @cpu: the CPU, not one before the last one
 */
void dat_begin_cpu(struct dat_out *out, u32 cpu)
{
	if (cpu == out->cpu)
		return;
	end_page(out);
	out->lost = 0;
	while (out->cpu < cpu) {
		out->table[out->cpu].size = out->pos - out->table[out->cpu].offset;
		if (++out->cpu < out->nr_cpus)
			out->table[out->cpu].offset = out->pos;
	}
}

/**
 * dat_end_buffer - end the events of a buffer
 * @out: the file
 */
void dat_end_buffer(struct dat_out *out)
{
	dat_begin_cpu(out, out->nr_cpus);
}

static bool write_at(int fd, const void *bytes, size_t size, u64 at)
{
	return pwrite(fd, bytes, size, at) == (ssize_t)size;
}

/**
 * dat_finish - write the tables, now that the places of the pages are known
 * @in: the file with the head, whose buffers were written
 * @name: the file
 *
 * Return: false if the file cannot be written; a message was printed.
 */
bool dat_finish(const struct dat_in *in, const char *name)
{
	size_t size = in->nr_cpus * sizeof(*in->buffers->written);
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	const struct dat_buffer *buffer;
	bool ok = fd >= 0;
	unsigned int i;
	u64 begin;

	for (i = 0; ok && i < in->nr_buffers; i++) {
		buffer = &in->buffers[i];
		begin = buffer->table - TABLE_BEGIN_SIZE;
		ok = write_at(fd, buffer->written, size, buffer->table) &&
		     (!buffer->option || write_at(fd, &begin, sizeof(begin), buffer->option));
	}
	if (!ok)
		complain("%s: %s", name, strerror(errno));
	if (fd >= 0 && close(fd) && ok) {
		complain("%s: %s", name, strerror(errno));
		ok = false;
	}
	return ok;
}

/**
 * dat_lost - note that events were lost before the next event
 * @out: the file
 * @nr: how many, -1 if that is not known
 */
void dat_lost(struct dat_out *out, s64 nr)
{
	end_page(out);
	if (nr < 0 || out->lost < 0)
		out->lost = -1;
	else
		out->lost += nr;
}

static void put_word(struct dat_out *out, u32 word)
{
	memcpy(out->page + out->page_head + out->used, &word, sizeof(word));
	out->used += sizeof(word);
}

/**
 * dat_event - write an event
 * @out: the file
 * @time: when it happened, not before the last event
 * @data: the event
 * @size: its bytes
 *
 * Return: false if no page has room for the event.
 */
bool dat_event(struct dat_out *out, u64 time, const void *data, u32 size)
{
	u32 aligned = whole_words(size), all = aligned + sizeof(u32);
	bool behind = !size || aligned > TYPE_MAX_WORDS * sizeof(u32);
	u64 delta = time - out->last;

	all += behind ? sizeof(u32) : 0;
	if (out->used && (delta > MAX_DELTA ||
			  all + 2 * sizeof(u32) > page_room(out) - out->used))
		end_page(out);
	if (all > page_room(out))
		return false;
	if (!out->used) {
		out->begin = time;
		delta = 0;
	}
	if (delta >> TIME_BITS) {
		put_word(out, TYPE_TIME_EXTEND | (u32)delta << TYPE_BITS);
		put_word(out, delta >> TIME_BITS);
		delta = 0;
	}
	put_word(out, (behind ? TYPE_LENGTH_BEHIND : aligned / 4) |
		      (u32)delta << TYPE_BITS);
	if (behind)
		put_word(out, aligned + sizeof(u32));
	memset(out->page + out->page_head + out->used, 0, aligned);
	memcpy(out->page + out->page_head + out->used, data, size);
	out->used += aligned;
	out->last = time;
	return true;
}
