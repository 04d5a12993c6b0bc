// SPDX-License-Identifier: GPL-2.0
/*
 * Write files of trace-cmd: the head of another file of version 6, and the pages of the ring
 * buffer
 *
 * libtracecmd 1.3 cannot write files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "dat.h"

static void put_bytes(struct dat_out *out, const void *bytes, size_t size)
{
	out_write(bytes, size);
	out->pos += size;
}

/**
 * dat_create - begin a file with the head of another file
 * @out: the file, written by out_write(); the caller frees its @page
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
		return dat_fail(in, 0, strerror(errno));
	for (at = 0; at < in->head; at += nr) {
		nr = min_t(u64, sizeof(buf), in->head - at);
		if (!dat_read(in, buf, nr, at))
			return false;
		put_bytes(out, buf, nr);
	}
	return true;
}

/* Maximum bytes of events in the page. The number of lost events follows the events. */
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
 * @cpu: the CPU, not below the last CPU
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

/**
 * dat_finish - write the tables, now that the places of the pages are known
 * @in: the file with the head, whose buffers were written
 *
 * Return: false if the file cannot be written; a message was printed.
 */
bool dat_finish(const struct dat_in *in)
{
	size_t size = in->nr_cpus * sizeof(*in->buffers->written);
	const struct dat_buffer *buffer;
	unsigned int i;
	u64 begin;

	for (i = 0; i < in->nr_buffers; i++) {
		buffer = &in->buffers[i];
		begin = buffer->table - TABLE_BEGIN_SIZE;
		if (out_write_at(buffer->written, size, buffer->table) &&
		    (!buffer->option || out_write_at(&begin, sizeof(begin), buffer->option)))
			continue;
		complain("cannot write: %s", strerror(errno));
		return false;
	}
	return true;
}

/**
 * dat_lost - note that events were lost before the next event
 * @out: the file
 * @nr: their number, -1 if unknown
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
 * @time: the time, not before the last event
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
