/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read and write recordings as files of trace-cmd
 *
 *   dat-read.c    reads the places of the pages of the ring buffer, and the pages
 *   dat-write.c   writes them
 *   sort.c        sorts events with bounded memory
 *   temp.c        temporary files
 */
#ifndef _TRACE_CALLS_UNFOLD_H
#define _TRACE_CALLS_UNFOLD_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/types.h>

/**
 * struct dat_cpu - the pages of a CPU
 * @cpu: the CPU
 * @offset: place of the pages in the file
 * @size: size of the pages in bytes
 */
struct dat_cpu {
	u32	cpu;
	u64	offset;
	u64	size;
};

/**
 * struct dat_place - an entry of the table of a file of version 6
 * @offset: place of the pages in the file
 * @size: size of the pages in bytes
 */
struct dat_place {
	u64	offset;
	u64	size;
};

/**
 * struct dat_buffer - a buffer of a file: trace-cmd's own buffer, or an instance's
 * @name: the instance's name, "" for trace-cmd's own buffer
 * @option: place of the table's offset in the head of version 6, 0 for the first buffer
 * @cpus: the table, with an entry for each CPU
 * @nr_cpus: number of elements of @cpus
 * @cpus_room: capacity of @cpus, in elements
 * @table: place of the table in the output file
 * @written: the table of the output file
 */
struct dat_buffer {
	char			name[256];
	u64			option;
	struct dat_cpu		*cpus;
	unsigned int		nr_cpus;
	size_t			cpus_room;
	u64			table;
	struct dat_place	*written;
};

/**
 * enum dat_packing - how pages are compressed
 * @DAT_PLAIN: they are not
 * @DAT_ZLIB: by zlib
 * @DAT_ZSTD: by zstd
 * @DAT_UNKNOWN: by something else
 */
enum dat_packing {
	DAT_PLAIN,
	DAT_ZLIB,
	DAT_ZSTD,
	DAT_UNKNOWN,
};

/**
 * struct dat_in - an input file
 * @name: the name for messages
 * @fd: the file
 * @size: size of the file in bytes
 * @version: version of the file's format
 * @big_endian: the byte order
 * @long_size: bytes of a long
 * @packing: how pages are compressed
 * @cut: pages are missing, and a message was printed
 * @pos: place of the next byte of the head
 * @head: size of the head: up to the table of the first buffer in version 6, up to the
 *	options before the first buffer in version 7
 * @page_size: bytes of a page of the ring buffer
 * @page_head: bytes before the events of a page
 * @nr_cpus: entries of a table
 * @clock: the name of the trace clock, "" if the file does not have it
 * @release: the release of the recorded kernel, "" if the file does not have it
 * @machine: the architecture of the recorded kernel, if @release is known
 * @mult: nanoseconds of 2 to the power of @shift counts of the clock, 0 if not known
 * @shift: see @mult
 * @zero: nanoseconds at count 0
 * @buffers: the buffers
 * @nr_buffers: number of elements of @buffers
 * @buffers_room: capacity of @buffers, in elements
 */
struct dat_in {
	const char		*name;
	int			fd;
	u64			size;
	int			version;
	bool			big_endian;
	unsigned int		long_size;
	enum dat_packing	packing;
	bool			cut;
	u64			pos;
	u64			head;
	u32			page_size;
	u32			page_head;
	u32			nr_cpus;
	char			clock[32];
	char			release[64];
	char			machine[32];
	u32			mult;
	u32			shift;
	u64			zero;
	struct dat_buffer	*buffers;
	unsigned int		nr_buffers;
	size_t			buffers_room;
};

/**
 * struct dat_stream - the events of an input CPU
 * @in: the file
 * @cpu: the CPU
 * @pos: place of the next page or chunk of pages in the file
 * @end: the end of the pages
 * @nr_chunks: number of chunks from @pos on, if pages are compressed
 * @chunk: the pages of a chunk
 * @chunk_size: bytes of @chunk
 * @chunk_next: place of the next page in @chunk
 * @page: the page
 * @page_at: place of the page or of its chunk in the file
 * @size: bytes of the events in the page
 * @next: place of the next event in the page's events
 * @count: the time of the event as counted by the clock
 * @time: the time of the event
 * @data: the event
 * @len: size of the event in bytes
 * @at: place of the event in the file
 * @lost: number of events that were lost before the event, -1 if unknown
 * @nr_lost: number of losses of events
 * @skipped: the rest of the last page was damaged
 */
struct dat_stream {
	const struct dat_in	*in;
	u32			cpu;
	u64			pos;
	u64			end;
	u32			nr_chunks;
	u8			*chunk;
	u64			chunk_size;
	u64			chunk_next;
	u8			*page;
	u64			page_at;
	u32			size;
	u32			next;
	u64			count;
	u64			time;
	const u8		*data;
	u32			len;
	u64			at;
	s64			lost;
	u64			nr_lost;
	bool			skipped;
};

/**
 * struct dat_out - an output file of version 6
 * @pos: number of written bytes
 * @page: the page
 * @page_size: size of the page in bytes
 * @page_head: bytes before the events of the page
 * @used: bytes of the events in the page
 * @begin: the time of the page's first event
 * @last: the time of the page's last event
 * @lost: number of events that were lost before the page, 0 if there was no loss, -1 if
 *	unknown
 * @table: the table of the output buffer
 * @nr_cpus: entries of the table
 * @cpu: the CPU of the page
 */
struct dat_out {
	u64			pos;
	u8			*page;
	u32			page_size;
	u32			page_head;
	u32			used;
	u64			begin;
	u64			last;
	s64			lost;
	struct dat_place	*table;
	u32			nr_cpus;
	u32			cpu;
};

/* dat-read.c */
bool dat_open(struct dat_in *in, const char *name, int fd);
void dat_close(struct dat_in *in);
bool dat_begin(struct dat_stream *stream, const struct dat_in *in,
	       const struct dat_cpu *pages);
int dat_next(struct dat_stream *stream);
void dat_end(struct dat_stream *stream);

/* dat-write.c */
bool dat_create(struct dat_out *out, const struct dat_in *in);
void dat_begin_buffer(struct dat_out *out, const struct dat_in *in,
		      struct dat_buffer *buffer);
void dat_begin_cpu(struct dat_out *out, u32 cpu);
bool dat_event(struct dat_out *out, u64 time, const void *data, u32 size);
void dat_lost(struct dat_out *out, s64 nr);
void dat_end_buffer(struct dat_out *out);
bool dat_finish(const struct dat_in *in);

/**
 * struct sorted - an event with its place in the order
 * @time: the time of the event
 * @order: orders the events with the same time
 * @cpu: the CPU; the events are sorted by CPU first
 * @depth: orders the events with the same time and @order
 * @lost: this is a loss of events; the data is their number, an s64
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
struct stat;

/* sort.c */
struct sorter *sorter_new(FILE *file);
bool sorter_add(struct sorter *sorter, const struct sorted *event, const void *data);
bool sorter_merge(struct sorter *sorter, sorted_func *each, void *context);
void sorter_free(struct sorter *sorter);

/* temp.c */
FILE *temp_open(const char *name, const struct stat *old, char **temp);
void temp_end(char *temp, bool gone);
FILE *temp_unnamed(const char *name);
int temp_converted(const char *from, const char *beside);

#endif /* _TRACE_CALLS_UNFOLD_H */
