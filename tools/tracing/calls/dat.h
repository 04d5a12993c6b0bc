/* SPDX-License-Identifier: GPL-2.0 */
/* The pages and the events of trace-cmd's files, see dat.c */
#ifndef _TRACE_CALLS_DAT_H
#define _TRACE_CALLS_DAT_H

#include <stdbool.h>

#include <linux/types.h>
#include <traceevent/event-parse.h>

/* Bytes that all events have: type, flags, preemption count and process */
#define COMMON_SIZE	8

/* The text before a table */
#define TABLE_BEGIN		"flyrecord"

/* Options of the head */
#define OPTION_DATE		1
#define OPTION_BUFFER		3
#define OPTION_TRACECLOCK	4
#define OPTION_UNAME		5
#define OPTION_CPUCOUNT		8
#define OPTION_PROCMAPS		10
#define OPTION_TSC2NSEC		14

/* The marks of lost events before a page, in the size of its events */
#define PAGE_MISSED		0x80000000U
#define PAGE_MISSED_STORED	0x40000000U

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
 * struct dat_buffer - a buffer of a file: trace-cmd's own buffer, or an instance's
 * @name: the instance's name, "" for trace-cmd's own buffer
 * @option: place of the table's offset in the head of version 6, 0 for the first buffer
 * @cpus: the table, with an entry for each CPU
 * @nr_cpus: number of elements of @cpus
 */
struct dat_buffer {
	char			name[256];
	u64			option;
	struct dat_cpu		*cpus;
	unsigned int		nr_cpus;
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
 * @cut: pages or the clock are missing, and a message was printed
 * @pos: place of the next byte of the head
 * @head: size of the head: up to the table of the first buffer in version 6, up to the
 *	options before the first buffer in version 7
 * @page_size: bytes of a page of the ring buffer
 * @page_head: bytes before the events of a page
 * @nr_cpus: entries of a table
 * @clock: the name of the trace clock, "" if the file does not have it
 * @clock_later: the text with the clock follows the table of the first buffer
 * @host: the name of the recorded machine, "" if the file does not have it
 * @date: nanoseconds from the clock's zero to 1970, with the sign changed; 0 if not known
 * @release: the release of the recorded kernel, "" if the file does not have it
 * @machine: the architecture of the recorded kernel, if @release is known
 * @mult: nanoseconds of 2 to the power of @shift counts of the clock, 0 if not known
 * @shift: see @mult
 * @zero: nanoseconds at count 0
 * @maps: the texts with the maps of tasks, see maps.c
 * @nr_maps: number of elements of @maps
 * @buffers: the buffers
 * @nr_buffers: number of elements of @buffers
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
	bool			clock_later;
	char			host[65];
	s64			date;
	char			release[64];
	char			machine[32];
	u32			mult;
	u32			shift;
	u64			zero;
	char			**maps;
	unsigned int		nr_maps;
	struct dat_buffer	*buffers;
	unsigned int		nr_buffers;
};

/**
 * struct dat_stream - the events of an input CPU
 * @in: the file
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
 * @record: the event; its @missed_events is -1 if the number is unknown
 * @skipped: the rest of the last page was damaged
 */
struct dat_stream {
	const struct dat_in	*in;
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
	struct tep_record	record;
	bool			skipped;
};

bool dat_open(struct dat_in *in, const char *name, int fd);
void dat_close(struct dat_in *in);
bool dat_read(const struct dat_in *in, void *bytes, u64 size, u64 at);
void dat_begin(struct dat_stream *stream, const struct dat_in *in,
	       const struct dat_cpu *pages);
int dat_next(struct dat_stream *stream);
void dat_end(struct dat_stream *stream);

#endif /* _TRACE_CALLS_DAT_H */
