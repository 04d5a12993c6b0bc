/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings that are read and written as files of trace-cmd
 *
 *   datfile.c   the head of a file, and the pages of the ring buffer
 *   sort.c      events in their order, with a bound on memory
 *   temp.c      files that do not outlive the program
 */
#ifndef _TRACE_CALLS_UNFOLD_H
#define _TRACE_CALLS_UNFOLD_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

/**
 * struct dat_cpu - the pages of a CPU
 * @offset: where the pages are in the file
 * @size: their bytes
 */
struct dat_cpu {
	u64	offset;
	u64	size;
};

/**
 * struct dat_buffer - a buffer of a file: trace-cmd's own buffer, or an instance's
 * @option: where the head has the offset of the buffer's table, 0 for the first buffer
 * @cpus: the table, a line for each CPU
 * @table: where the table is in the file that is written
 * @written: the table of the file that is written
 */
struct dat_buffer {
	u64		option;
	struct dat_cpu	*cpus;
	u64		table;
	struct dat_cpu	*written;
};

/**
 * struct dat_in - a file of version 6 that is read
 * @name: the name for messages
 * @fd: the file
 * @size: its bytes
 * @pos: the next byte to read of the head
 * @head: bytes of the head, the table of the first buffer included
 * @page_size: bytes of a page of the ring buffer
 * @page_head: bytes before the events of a page
 * @nr_cpus: lines of a table
 * @clock: the name of the trace clock, "" if the file does not tell
 * @buffers: the buffers
 * @nr_buffers: how many there are
 * @buffers_room: how many there is room for
 */
struct dat_in {
	const char		*name;
	int			fd;
	u64			size;
	u64			pos;
	u64			head;
	u32			page_size;
	u32			page_head;
	u32			nr_cpus;
	char			clock[32];
	struct dat_buffer	*buffers;
	unsigned int		nr_buffers;
	size_t			buffers_room;
};

/**
 * struct dat_stream - the events of a CPU while they are read
 * @in: the file
 * @cpu: the CPU
 * @pos: the next page
 * @end: the end of the pages
 * @page: the page
 * @size: bytes of the events in the page
 * @next: where the next event is in the page's events
 * @time: when the event was written
 * @data: the event
 * @len: its bytes
 * @at: where the event is in the file
 * @lost: events that were lost before the event, -1 if their number is not known
 * @nr_lost: how often events were lost
 */
struct dat_stream {
	const struct dat_in	*in;
	u32			cpu;
	u64			pos;
	u64			end;
	u8			*page;
	u32			size;
	u32			next;
	u64			time;
	const u8		*data;
	u32			len;
	u64			at;
	s64			lost;
	u64			nr_lost;
};

/**
 * struct dat_out - a file of version 6 that is written
 * @pos: bytes that were written
 * @page: the page
 * @page_size: its bytes
 * @page_head: bytes before the events of the page
 * @used: bytes of the events in the page
 * @begin: the time of the page's first event
 * @last: the time of the page's last event
 * @lost: events that were lost before the page, 0 if none was, -1 if their number is not
 *	known
 * @table: the table of the buffer that is written
 * @nr_cpus: its lines
 * @cpu: the CPU whose pages are written
 */
struct dat_out {
	u64		pos;
	u8		*page;
	u32		page_size;
	u32		page_head;
	u32		used;
	u64		begin;
	u64		last;
	s64		lost;
	struct dat_cpu	*table;
	u32		nr_cpus;
	u32		cpu;
};

/* datfile.c */
bool dat_open(struct dat_in *in, const char *name, int fd);
void dat_close(struct dat_in *in);
bool dat_begin(struct dat_stream *stream, const struct dat_in *in,
	       const struct dat_cpu *pages, u32 cpu);
int dat_next(struct dat_stream *stream);
bool dat_create(struct dat_out *out, const struct dat_in *in);
void dat_begin_buffer(struct dat_out *out, const struct dat_in *in,
		      struct dat_buffer *buffer);
void dat_begin_cpu(struct dat_out *out, u32 cpu);
bool dat_event(struct dat_out *out, u64 time, const void *data, u32 size);
void dat_lost(struct dat_out *out, s64 nr);
void dat_end_buffer(struct dat_out *out);
bool dat_finish(const struct dat_in *in, const char *name);

/**
 * struct sorted - an event with its place in the order
 * @time: when it happened
 * @order: which of the events with the same time is the first
 * @cpu: the CPU; the events of a CPU follow those of the CPU before
 * @depth: which of the events with the same time and @order is the first
 * @lost: events were lost here; the data is their number, an s64
 * @size: bytes of the data
 */
struct sorted {
	u64	time;
	u64	order;
	u32	cpu;
	u32	depth;
	u32	lost;
	u32	size;
};

typedef bool sorted_func(const struct sorted *event, const void *data, void *context);

struct sorter;

/* sort.c */
struct sorter *sorter_new(FILE *file);
bool sorter_add(struct sorter *sorter, const struct sorted *event, const void *data);
bool sorter_merge(struct sorter *sorter, sorted_func *each, void *context);
void sorter_free(struct sorter *sorter);

/* temp.c */
void temp_init(void);
int temp_open(const char *name, char **temp);
void temp_end(char *temp, bool gone);
FILE *temp_unnamed(const char *name);
int temp_converted(const char *from, const char *beside);

#endif /* _TRACE_CALLS_UNFOLD_H */
