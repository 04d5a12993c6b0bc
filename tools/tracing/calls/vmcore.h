/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The recording in a crash dump
 *
 *   dump.c            the memory of the dump
 *   vmcore-pages.c    the ring buffers of the instances
 *   vmcore-formats.c  the formats of events, the symbols and the names of tasks
 *   vmcore-sigs.c     the signatures of a kernel with CONFIG_FUNCTION_ARG_SIGS
 *   vmcore-stacks.c   the calls under way, with their arguments
 *   cmd-vmcore.c      the file, and the command
 */
#ifndef _TRACE_CALLS_VMCORE_H
#define _TRACE_CALLS_VMCORE_H

#include "../traceevent/graph_args.h"
#include "dump.h"

/* Events were lost, and their number is not known.  The kernel has -1 in lost_events. */
#define VMCORE_LOST_UNKNOWN	(~0ULL)

/**
 * struct vmcore_page - a page of a ring buffer with events
 * @addr: the address of its struct buffer_data_page
 * @time: the time before the first event, if @from is not 0
 * @from: the first byte of the events
 * @to: the end of the events
 * @lost: number of events that were lost before the page, or VMCORE_LOST_UNKNOWN
 */
struct vmcore_page {
	u64	addr;
	u64	time;
	u32	from;
	u32	to;
	u64	lost;
};

/**
 * struct vmcore_cpu - the events of a CPU
 * @pages: the pages, the oldest first
 * @nr: number of elements of @pages
 */
struct vmcore_cpu {
	struct vmcore_page	*pages;
	unsigned int		nr;
};

/**
 * struct vmcore_buffer - the ring buffer of an instance
 * @name: the name of the instance, "" for the top instance
 * @array: the address of its struct trace_array
 * @last_boot: the events are those of an earlier boot
 * @cpus: the CPUs
 */
struct vmcore_buffer {
	char			*name;
	u64			array;
	bool			last_boot;
	struct vmcore_cpu	*cpus;
};

/**
 * struct vmcore_event - an event
 * @system: its system
 * @text: its format
 * @size: characters of @text
 */
struct vmcore_event {
	char	*system;
	char	*text;
	size_t	size;
};

/**
 * struct vmcore - a dump while it is read
 * @dump: the dump
 * @damaged: a part could not be read, and a message was printed
 * @nr_cpus: number of CPUs that the kernel may have
 * @page_size: bytes of a page of the ring buffers
 * @time: the place of the time in a page
 * @commit: the place of the size in a page
 * @data: the place of the events in a page
 * @commit_size: bytes of the size
 * @buffers: the buffers, that of the top instance first
 * @nr_buffers: number of elements of @buffers
 * @events: the events
 * @nr_events: number of elements of @events
 * @modules: the names of modules
 * @nr_modules: number of elements of @modules
 * @tep: knows the events and symbols, for @sigs
 * @formats: the places of fields in events
 * @sigs: the signatures, NULL if no arguments are shown
 */
struct vmcore {
	struct dump		dump;
	bool			damaged;
	u32			nr_cpus;
	u32			page_size;
	u64			time;
	u64			commit;
	u64			data;
	u64			commit_size;
	struct vmcore_buffer	*buffers;
	unsigned int		nr_buffers;
	struct vmcore_event	*events;
	unsigned int		nr_events;
	char			**modules;
	unsigned int		nr_modules;
	struct tep_handle	*tep;
	struct formats		formats;
	struct sigs		*sigs;
};

/* cmd-vmcore.c */
void vmcore_damaged(struct vmcore *core, const char *format, ...) __printf(2, 3);

/* vmcore-pages.c */
bool vmcore_buffers(struct vmcore *core);
void vmcore_drop_last_boot(struct vmcore *core);
void vmcore_put_page(struct vmcore *core, const struct vmcore_page *page);
void vmcore_free_buffers(struct vmcore *core);

/* vmcore-formats.c */
bool vmcore_symbols(struct vmcore *core);
void vmcore_events(struct vmcore *core);
void vmcore_put_symbols(struct vmcore *core, FILE *to);
void vmcore_put_comms(struct vmcore *core, FILE *to);
void vmcore_put_printk(struct vmcore *core, FILE *to);
void vmcore_put_clock(struct vmcore *core, FILE *to);
void vmcore_put_uname(struct vmcore *core, FILE *to);
void vmcore_free_events(struct vmcore *core);

/* vmcore-sigs.c */
bool vmcore_put_sigs(struct vmcore *core, FILE *to);

/* vmcore-stacks.c */
void vmcore_under_way(struct vmcore *core);

#endif /* _TRACE_CALLS_VMCORE_H */
