// SPDX-License-Identifier: GPL-2.0
/*
 * Read files of trace-cmd: the places of the pages of the ring buffer, and their events
 *
 * libtracecmd and kbuffer of libtraceevent trust the lengths in a file.  So this file reads
 * pages itself.  Each length is checked before the bytes are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "arrays.h"
#include "calls.h"

/* The head of a page: the time, then the size of the events with the mark of lost events */
#define PAGE_COMMIT		8
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

/* Maximum nanoseconds in the first word and a time extend */
#define MAX_DELTA		((1ULL << (32 + TIME_BITS)) - 1)

/* A section of version 7: its number, flags, name and size */
#define SECTION_HEAD		16
#define SECTION_OPTIONS		0
#define SECTION_PACKED		1

/* The head of a chunk of compressed pages: its sizes in the file, and in memory */
#define CHUNK_HEAD		8
#define CHUNK_MAX		0x1000000

/* No text of header_page is longer, except in a damaged file */
#define TEXT_MAX_SIZE		0x10000

/* Round a number of bytes up to whole words of the ring buffer */
static u32 whole_words(u32 size)
{
	return (size + sizeof(u32) - 1) & -sizeof(u32);
}

/* Complain about the contents of a file at a place in it. Returns false. */
static bool dat_fail(const struct dat_in *in, u64 at, const char *why)
{
	complain("%s: %s: at offset %llu", in->name, why, (unsigned long long)at);
	return false;
}

/* Read a number of 1 to 8 bytes */
static u64 dat_number(const struct dat_in *in, const void *bytes, unsigned int size)
{
	const u8 *pos = bytes;
	u64 val = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		val |= (u64)pos[in->big_endian ? size - 1 - i : i] << 8 * i;
	return val;
}

/* Read bytes at a place of a file. Returns false after a message if they cannot be read. */
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

static bool take_number(struct dat_in *in, u64 *val, unsigned int size)
{
	u8 bytes[sizeof(*val)];

	if (!dat_take(in, bytes, size))
		return false;
	*val = dat_number(in, bytes, size);
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
	u64 size;

	return take_number(in, &size, width) && skip(in, size);
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
	    commit != PAGE_COMMIT || commit_size != in->long_size ||
	    data < PAGE_COMMIT + in->long_size || data % 4 || size % 4 ||
	    data > PAGE_MAX_SIZE || size > PAGE_MAX_SIZE || size < 512 ||
	    (data + size) & (data + size - 1))
		return dat_fail(in, in->pos, "no pages of a ring buffer by header_page");
	in->page_size = data + size;
	in->page_head = data;
	return true;
}

static bool read_page_layout(struct dat_in *in)
{
	char name[16], *text;
	u64 size;
	bool ok;

	if (!take_string(in, name, sizeof(name)) || !take_number(in, &size, sizeof(size)))
		return false;
	if (strcmp(name, "header_page") || size > TEXT_MAX_SIZE)
		return dat_fail(in, in->pos, "no header_page");
	text = xcalloc(1, size + 1);
	ok = dat_take(in, text, size) && parse_page(in, text);
	free(text);
	return ok;
}

static bool skip_formats(struct dat_in *in)
{
	char name[256];
	u64 systems, nr;

	if (!take_string(in, name, sizeof(name)) || !skip_sized(in, 8) ||
	    !take_number(in, &nr, sizeof(u32)))
		return false;
	while (nr--)
		if (!skip_sized(in, 8))
			return false;
	if (!take_number(in, &systems, sizeof(u32)))
		return false;
	while (systems--) {
		if (!take_string(in, name, sizeof(name)) || !take_number(in, &nr, sizeof(u32)))
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

static struct dat_buffer *add_buffer(struct dat_in *in)
{
	struct dat_buffer *buffer = array_add(&in->buffers, &in->nr_buffers, sizeof(*buffer));

	*buffer = (struct dat_buffer){ };
	return buffer;
}

/* Add a CPU to a table. Pages after the end of the file are missing. */
static void add_cpu(struct dat_in *in, struct dat_buffer *buffer, u32 cpu, u64 offset, u64 size)
{
	struct dat_cpu *pages = array_add(&buffer->cpus, &buffer->nr_cpus, sizeof(*pages));

	if (size && (offset > in->size || size > in->size - offset)) {
		if (!in->cut)
			complain("%s: cut after %llu bytes: the pages of CPU %u end at %llu",
				 in->name, (unsigned long long)in->size, cpu,
				 (unsigned long long)(offset + size));
		in->cut = true;
		offset = min(offset, in->size);
		size = in->size - offset;
	}
	*pages = (struct dat_cpu){ .cpu = cpu, .offset = offset, .size = size };
}

/* Read the place of a CPU's pages */
static bool read_cpu(struct dat_in *in, struct dat_buffer *buffer, u32 cpu)
{
	u64 offset, size;

	if (!take_number(in, &offset, sizeof(offset)) || !take_number(in, &size, sizeof(size)))
		return false;
	add_cpu(in, buffer, cpu, offset, size);
	return true;
}

/* Read the option of a buffer with its table, in version 7 */
static bool read_buffer_option(struct dat_in *in)
{
	struct dat_buffer *buffer = add_buffer(in);
	char clock[sizeof(in->clock)];
	u64 nr, cpu, page_size;

	if (!skip(in, sizeof(u64)) ||
	    !take_string(in, buffer->name, sizeof(buffer->name)) ||
	    !take_string(in, clock, sizeof(clock)) ||
	    !take_number(in, &page_size, sizeof(u32)) || !take_number(in, &nr, sizeof(u32)))
		return false;
	if (page_size != in->page_size)
		return dat_fail(in, in->pos, "a buffer has pages of another size");
	/*
	 * trace-cmd record writes the top instance's clock here, which may not be that of the
	 * buffer, and trace-cmd convert writes the running kernel's clock
	 */
	if (!*in->clock)
		memcpy(in->clock, clock, sizeof(clock));
	while (nr--)
		if (!take_number(in, &cpu, sizeof(u32)) || !read_cpu(in, buffer, cpu))
			return false;
	return true;
}

/* Add the text of an option with a task's maps */
static bool read_maps(struct dat_in *in, u32 size, u64 at)
{
	char *text = xcalloc(1, size + 1ULL);

	*(char **)array_add(&in->maps, &in->nr_maps, sizeof(text)) = text;
	return dat_read(in, text, size, at);
}

static bool read_option(struct dat_in *in, u16 id, u32 size)
{
	struct dat_buffer *buffer;
	char text[256] = "";
	u64 begin = in->pos;

	if (!skip(in, size) ||
	    !dat_read(in, text, min_t(u32, size, sizeof(text) - 1), begin))
		return false;
	if (id == OPTION_CPUCOUNT && size >= sizeof(u32))
		in->nr_cpus = dat_number(in, text, sizeof(u32));
	if (id == OPTION_TRACECLOCK) {
		parse_clock(in, text);
		in->clock_later = !size;
	}
	/* "Linux HOST RELEASE MACHINE" */
	if (id == OPTION_UNAME &&
	    sscanf(text, "%*s %64s %63s %31s", in->host, in->release, in->machine) != 3) {
		in->host[0] = '\0';
		in->release[0] = '\0';
	}
	/* Microseconds to add to the clock, from trace-cmd record --date */
	if (id == OPTION_DATE)
		in->date = strtoll(text, NULL, 0) * 1000;
	if (id == OPTION_TSC2NSEC && size >= 16) {
		in->mult = dat_number(in, text, sizeof(u32));
		in->shift = min_t(u64, dat_number(in, text + 4, sizeof(u32)), 63);
		in->zero = dat_number(in, text + 8, sizeof(u64));
	}
	if (id == OPTION_PROCMAPS)
		return read_maps(in, size, begin);
	if (id != OPTION_BUFFER)
		return true;
	if (size < sizeof(u64))
		return dat_fail(in, begin, "no place of an instance's table");
	if (in->version >= 7) {
		in->pos = begin;
		if (!read_buffer_option(in))
			return false;
		in->pos = begin + size;
		return true;
	}
	buffer = add_buffer(in);
	buffer->option = begin;
	snprintf(buffer->name, sizeof(buffer->name), "%s", size > 8 ? text + 8 : "");
	return true;
}

/* Read options up to the last option. In version 7 it has the place of the next options. */
static bool read_options(struct dat_in *in, u64 *next)
{
	u64 id, size;

	*next = 0;
	while (take_number(in, &id, sizeof(u16))) {
		if (!id)
			return in->version < 7 ||
			       (take_number(in, &size, sizeof(u32)) &&
				(size < sizeof(*next) || take_number(in, next, sizeof(*next))));
		if (!take_number(in, &size, sizeof(u32)) || !read_option(in, id, size))
			return false;
	}
	return false;
}

/* Read the table at @in->pos, after the text before it */
static bool read_cpu_table(struct dat_in *in, struct dat_buffer *buffer)
{
	u32 cpu;

	if ((u64)in->nr_cpus * 16 > in->size)
		return dat_fail(in, in->pos, "a table is longer than the file");
	for (cpu = 0; cpu < in->nr_cpus; cpu++)
		if (!read_cpu(in, buffer, cpu))
			return false;
	return true;
}

/* Read the clock after the first table, where trace-cmd up to 2.9 wrote it */
static void read_clock(struct dat_in *in)
{
	char text[256] = "";
	u64 size;

	if (take_number(in, &size, sizeof(size)) && size < sizeof(text) &&
	    dat_take(in, text, size)) {
		parse_clock(in, text);
		return;
	}
	dat_fail(in, in->pos, "no trace clock after the table of the CPUs' pages");
	in->cut = true;
}

static bool read_tables(struct dat_in *in)
{
	char begin[sizeof(TABLE_BEGIN)];
	unsigned int i;
	u64 table;

	for (i = 0; i < in->nr_buffers; i++) {
		if (i) {
			in->pos = in->buffers[i].option;
			if (!take_number(in, &table, sizeof(table)))
				return false;
			/* The pages of an instance that are after the end are missing */
			if (table >= in->size) {
				complain("%s: cut after %llu bytes: instance \"%s\" is missing",
					 in->name, (unsigned long long)in->size,
					 in->buffers[i].name);
				in->cut = true;
				continue;
			}
			in->pos = table;
			if (!dat_take(in, begin, sizeof(begin)))
				return false;
			if (memcmp(begin, TABLE_BEGIN, sizeof(begin)))
				return dat_fail(in, table, "no table of an instance");
		}
		if (!read_cpu_table(in, &in->buffers[i]))
			return false;
		if (!i)
			in->head = in->pos;
		if (!i && in->clock_later)
			read_clock(in);
	}
	return true;
}

static bool read_head_6(struct dat_in *in)
{
	char kind[sizeof(TABLE_BEGIN)];
	u64 nr, none;

	add_buffer(in);
	if (!read_page_layout(in) || !skip_formats(in) ||
	    !take_number(in, &nr, sizeof(u32)) || !dat_take(in, kind, sizeof(kind)))
		return false;
	in->nr_cpus = nr;
	if (!strncmp(kind, "options", 7) &&
	    (!read_options(in, &none) || !dat_take(in, kind, sizeof(kind))))
		return false;
	if (!strncmp(kind, "latency", 7))
		return dat_fail(in, in->pos, "a latency tracer's text, no events");
	if (memcmp(kind, TABLE_BEGIN, sizeof(kind)))
		return dat_fail(in, in->pos, "no table of the CPUs' pages");
	return read_tables(in);
}

static bool unpack(const struct dat_in *in, void *to, u64 to_size, const void *from,
		   u64 from_size)
{
	uLongf size = to_size;

	if (in->packing == DAT_ZSTD)
		return ZSTD_decompress(to, to_size, from, from_size) == to_size;
	return in->packing == DAT_ZLIB && uncompress(to, &size, from, from_size) == Z_OK &&
	       size == to_size;
}

/* Read compressed bytes, after their sizes in the file and in memory, at @at */
static void *read_packed(const struct dat_in *in, u64 at, u64 end, u64 *from_size, u64 *to_size)
{
	void *from = NULL, *to = NULL;
	u8 head[CHUNK_HEAD];

	if (end - at < sizeof(head) || !dat_read(in, head, sizeof(head), at))
		return NULL;
	*from_size = dat_number(in, head, sizeof(u32));
	*to_size = dat_number(in, head + sizeof(u32), sizeof(u32));
	if (*from_size <= end - at - sizeof(head) && *to_size && *to_size <= CHUNK_MAX) {
		from = xmalloc(*from_size);
		to = xmalloc(*to_size);
	}
	if (!from || !dat_read(in, from, *from_size, at + sizeof(head)) ||
	    !unpack(in, to, *to_size, from, *from_size)) {
		free(to);
		to = NULL;
	}
	free(from);
	return to;
}

/* Find the layout of pages in the section of header_page, which may be compressed */
static bool read_page_section(struct dat_in *in, u64 at)
{
	static const char name[] = "header_page";
	u64 flags, size, from_size, text_size = 0;
	char *text;
	bool ok;

	in->pos = at + 2;
	if (!take_number(in, &flags, sizeof(u16)) || !skip(in, 4) ||
	    !take_number(in, &size, sizeof(size)))
		return false;
	if (size > in->size - in->pos || size > TEXT_MAX_SIZE)
		return dat_fail(in, at, "a section is longer than the file");
	if (flags & SECTION_PACKED) {
		text = read_packed(in, in->pos, in->pos + size, &from_size, &text_size);
	} else {
		text_size = size;
		text = xmalloc(size + 1);
		if (!dat_take(in, text, size)) {
			free(text);
			return false;
		}
	}
	ok = text && text_size > sizeof(name) + sizeof(u64) && !memcmp(text, name, sizeof(name));
	if (ok) {
		size = min(dat_number(in, text + sizeof(name), sizeof(u64)),
			   text_size - sizeof(name) - sizeof(u64) - 1);
		text[sizeof(name) + sizeof(u64) + size] = '\0';
		ok = parse_page(in, text + sizeof(name) + sizeof(u64));
	} else {
		dat_fail(in, at, "no header_page");
	}
	free(text);
	return ok;
}

/* Find the end of a CPU's pages whose size is not known. Sets @in->pos to the begin. */
static u64 find_end(struct dat_in *in, u64 at)
{
	u64 nr, from_size, time, last = 0;

	in->pos = at;
	if (!in->packing) {
		for (; at + in->page_size <= in->size; at += in->page_size, last = time) {
			in->pos = at;
			if (!take_number(in, &time, sizeof(time)) || time < last)
				break;
		}
		return at;
	}
	if (!take_number(in, &nr, sizeof(u32)))
		return at;
	while (nr-- && in->pos < in->size) {
		if (in->size - in->pos < CHUNK_HEAD || !take_number(in, &from_size, sizeof(u32)))
			break;
		in->pos += sizeof(u32);
		in->pos += min(from_size, in->size - in->pos);
	}
	return in->pos;
}

/*
 * Find the pages of the buffer whose option is missing, because the file was cut within the
 * buffer. The section of the pages follows the last options. Only the order of the CPUs is
 * known.
 */
static bool find_pages(struct dat_in *in)
{
	u64 id, at, end;
	struct dat_buffer *buffer;
	u32 cpu = 0;

	if (in->size - in->pos < SECTION_HEAD)
		return true;
	at = in->pos + SECTION_HEAD;
	if (!take_number(in, &id, sizeof(u16)))
		return false;
	if (id != OPTION_BUFFER)
		return true;
	buffer = add_buffer(in);
	if (in->nr_buffers > 1)
		snprintf(buffer->name, sizeof(buffer->name), "(cut)");
	for (end = at; end < in->size; ) {
		at = end + (-end & (in->page_size - 1));
		end = find_end(in, at);
		if (end <= at)
			break;
		add_cpu(in, buffer, cpu++, at, end - at);
	}
	return true;
}

static bool read_head_7(struct dat_in *in)
{
	u64 next, id, size, at;
	char kind[16], text[16];

	if (!take_string(in, kind, sizeof(kind)) || !take_string(in, text, sizeof(text)) ||
	    !take_number(in, &next, sizeof(next)))
		return false;
	in->packing = !strcmp(kind, "zstd") ? DAT_ZSTD : !strcmp(kind, "zlib") ? DAT_ZLIB :
		      !strcmp(kind, "none") ? DAT_PLAIN : DAT_UNKNOWN;
	if (in->packing == DAT_UNKNOWN)
		return dat_fail(in, in->pos, "an unknown compression");
	/* The first section has the layout of pages */
	if (!read_page_section(in, in->pos))
		return false;
	while (next) {
		at = next;
		if (at >= in->size || in->size - at < SECTION_HEAD) {
			complain("%s: cut after %llu bytes: places of buffers are at offset %llu",
				 in->name, (unsigned long long)in->size,
				 (unsigned long long)at);
			in->cut = true;
			if (!find_pages(in))
				return false;
			break;
		}
		in->pos = at;
		if (!take_number(in, &id, sizeof(u16)) || !skip(in, 6) ||
		    !take_number(in, &size, sizeof(size)))
			return false;
		if (id != SECTION_OPTIONS || !read_options(in, &next))
			return dat_fail(in, at, "no options");
		if (next && next <= at)
			return dat_fail(in, at, "the options have no end");
		/* The formats come before the first buffer */
		if (!in->nr_buffers)
			in->head = in->pos;
	}
	return in->nr_buffers || dat_fail(in, in->pos, "no buffer");
}

static bool read_head(struct dat_in *in)
{
	char magic[10], version[8];
	u8 order, long_size;
	u64 page_size;

	if (!dat_take(in, magic, sizeof(magic)) ||
	    !take_string(in, version, sizeof(version)) ||
	    !dat_take(in, &order, sizeof(order)) || !dat_take(in, &long_size, sizeof(long_size)))
		return false;
	in->big_endian = order;
	in->long_size = long_size;
	in->version = atoi(version);
	if (long_size != sizeof(u32) && long_size != sizeof(u64))
		return dat_fail(in, in->pos, "an unknown word size");
	if (!take_number(in, &page_size, sizeof(u32)))
		return false;
	return in->version >= 7 ? read_head_7(in) : read_head_6(in);
}

/*
 * Read the head of a file. Returns false after a message if the head cannot be read. dat_close()
 * frees the memory, also then.
 */
bool dat_open(struct dat_in *in, const char *name, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	*in = (struct dat_in){ .name = name, .fd = fd, .size = max_t(off_t, size, 0) };
	return read_head(in);
}

void dat_close(struct dat_in *in)
{
	unsigned int i;

	for (i = 0; i < in->nr_buffers; i++)
		free(in->buffers[i].cpus);
	free(in->buffers);
	for (i = 0; i < in->nr_maps; i++)
		free(in->maps[i]);
	free(in->maps);
}

/* Begin to read the events of a CPU. dat_end() frees the memory. */
void dat_begin(struct dat_stream *stream, const struct dat_in *in,
	       const struct dat_cpu *pages)
{
	u8 nr[sizeof(u32)];

	*stream = (struct dat_stream){
		.in	= in,
		.pos	= pages->offset,
		.end	= pages->offset + pages->size,
		.page	= xmalloc(in->page_size),
		.record	= { .cpu = pages->cpu },
	};
	/* The number of chunks */
	if (in->packing && pages->size && dat_read(in, nr, sizeof(nr), stream->pos)) {
		stream->nr_chunks = dat_number(in, nr, sizeof(nr));
		stream->pos += sizeof(nr);
		/* The size does not count the number */
		stream->end = min(stream->end + sizeof(nr), in->size);
	}
}

void dat_end(struct dat_stream *stream)
{
	free(stream->page);
	free(stream->chunk);
}

static u32 word_at(const struct dat_stream *stream, const void *pos)
{
	return dat_number(stream->in, pos, sizeof(u32));
}

/*
 * Note that events were lost before the page. Their number may follow the events of the
 * page.
 */
static void note_lost(struct dat_stream *stream, u32 commit)
{
	const struct dat_in *in = stream->in;
	s64 nr = -1;

	if (commit & PAGE_MISSED_STORED &&
	    stream->size <= in->page_size - in->page_head - in->long_size)
		nr = dat_number(in, stream->page + in->page_head + stream->size, in->long_size);
	if (nr <= 0 || stream->record.missed_events < 0)
		stream->record.missed_events = -1;
	else
		stream->record.missed_events += nr;
}

/* Read the bytes of the next page. Returns false after a message if they are damaged. */
static bool read_page_bytes(struct dat_stream *stream)
{
	const struct dat_in *in = stream->in;
	u64 from_size, size;

	stream->record.offset = stream->pos;
	if (!in->packing) {
		size = stream->end - stream->pos;
		stream->pos += min_t(u64, size, in->page_size);
		if (size < in->page_size)
			return dat_fail(in, stream->record.offset, "a page is cut");
		return dat_read(in, stream->page, in->page_size, stream->record.offset);
	}
	if (stream->chunk_next == stream->chunk_size) {
		free(stream->chunk);
		stream->chunk_next = 0;
		stream->chunk_size = 0;
		stream->chunk = read_packed(in, stream->pos, stream->end, &from_size, &size);
		if (!stream->chunk || size % in->page_size) {
			/* The place of the next chunk is not known */
			stream->nr_chunks = 0;
			stream->pos = stream->end;
			return dat_fail(in, stream->record.offset,
					"compressed pages are damaged or cut");
		}
		stream->chunk_size = size;
		stream->pos += CHUNK_HEAD + from_size;
		stream->nr_chunks--;
	}
	memcpy(stream->page, stream->chunk + stream->chunk_next, in->page_size);
	stream->chunk_next += in->page_size;
	return true;
}

static bool at_end(const struct dat_stream *stream)
{
	if (stream->in->packing)
		return !stream->nr_chunks && stream->chunk_next == stream->chunk_size;
	return stream->pos == stream->end;
}

static u64 page_time(const struct dat_in *in, u64 time)
{
	if (!in->mult)
		return time;
	return (u64)((__uint128_t)time * in->mult >> in->shift) + in->zero;
}

static bool read_page(struct dat_stream *stream)
{
	const struct dat_in *in = stream->in;
	u64 time;
	u32 commit;

	stream->size = 0;
	stream->next = 0;
	if (!read_page_bytes(stream))
		return false;
	time = dat_number(in, stream->page, sizeof(time));
	commit = dat_number(in, stream->page + PAGE_COMMIT, in->long_size);
	if ((commit & PAGE_SIZE_MASK) > in->page_size - in->page_head)
		return dat_fail(in, stream->record.offset, "a page has more events than room");
	if (time < stream->count)
		return dat_fail(in, stream->record.offset, "time goes backwards");
	stream->size = commit & PAGE_SIZE_MASK;
	stream->count = time;
	stream->page_at = stream->record.offset;
	if (commit & PAGE_MISSED)
		note_lost(stream, commit);
	return true;
}

/* Move past an event of @words words and @len bytes, and add @delta to the time */
static bool pass(struct dat_stream *stream, u32 words, u32 len, u64 delta)
{
	u32 begin = stream->next + words * sizeof(u32);

	if (begin > stream->size || len > stream->size - begin ||
	    stream->count + delta < stream->count)
		return false;
	stream->count += delta;
	stream->record.ts = page_time(stream->in, stream->count);
	stream->record.data = stream->page + stream->in->page_head + begin;
	stream->record.size = len;
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
	u32 left = stream->size - stream->next, head, type, after;
	u64 delta, time;

	stream->record.offset = stream->page_at + stream->in->page_head + stream->next;
	if (left < sizeof(head))
		return -1;
	head = word_at(stream, pos);
	type = stream->in->big_endian ? head >> TIME_BITS : head & ((1 << TYPE_BITS) - 1);
	delta = stream->in->big_endian ? head & ((1 << TIME_BITS) - 1) : head >> TYPE_BITS;
	if (type == TYPE_PADDING && !delta) {
		stream->next = stream->size;
		return 0;
	}
	if (type != TYPE_LENGTH_BEHIND && type <= TYPE_MAX_WORDS)
		return pass(stream, 1, type * sizeof(head), delta) ? 1 : -1;
	if (left < 2 * sizeof(head))
		return -1;

	after = word_at(stream, pos + sizeof(head));
	time = (u64)after << TIME_BITS | delta;
	switch (type) {
	case TYPE_TIME_EXTEND:
		return pass(stream, 2, 0, time) ? 0 : -1;
	case TYPE_TIME:
		/* The highest bits are the same as in the previous time */
		time |= stream->count & ~MAX_DELTA;
		return pass(stream, 2, 0, time - stream->count) ? 0 : -1;
	}
	/* The length includes the word with the length */
	if (after < sizeof(after) ||
	    !pass(stream, 2, after - sizeof(after), delta))
		return -1;
	return type == TYPE_LENGTH_BEHIND;
}

/*
 * Read the next event of a CPU. Returns 1, 0 if there are no more events, and -1 after a message
 * if the events of a page are damaged. The next call then reads the next page, whose events follow
 * a loss. An event without the bytes that all events have is left out.
 */
int dat_next(struct dat_stream *stream)
{
	int found;

	if (!stream->skipped)
		stream->record.missed_events = 0;
	stream->skipped = false;
	for (;;) {
		while (stream->next == stream->size) {
			if (at_end(stream))
				return 0;
			if (!read_page(stream))
				goto skip;
		}
		found = read_event(stream);
		if (found > 0 && stream->record.size >= COMMON_SIZE)
			return 1;
		if (found > 0)
			stream->record.missed_events = 0;
		if (found < 0) {
			dat_fail(stream->in, stream->record.offset, "a damaged event");
			goto skip;
		}
	}
skip:
	stream->next = stream->size;
	stream->record.missed_events = -1;
	stream->skipped = true;
	return -1;
}
