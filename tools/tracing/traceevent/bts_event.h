/* SPDX-License-Identifier: GPL-2.0 */
/* The events of the bts tracer, for plugin_bts.so and trace-calls */
#ifndef _TRACEEVENT_BTS_EVENT_H
#define _TRACEEVENT_BTS_EVENT_H

#include <stdbool.h>

#include <linux/types.h>

struct tep_event;
struct tep_handle;
struct tep_record;

/* Marks of a block, see kernel/trace/bts/bts.h */
#define BTS_MARK_GAP		1
#define BTS_MARK_DROPPED	4

/**
 * struct bts_block - the fields of an event
 * @data: the branches, see kernel/trace/bts/codec.h
 * @size: bytes of @data
 * @first: number of the first branch in the buffer
 * @number: number of the first branch among all records of the CPU, 0 if it is not known
 * @since: time when the CPU switched to the task, 0 if it is not known
 * @missed: how often tasks had not been recorded that should have been, 0 if it is not known
 * @nr: number of branches
 * @marks: marks of the branches before the block
 */
struct bts_block {
	const void	*data;
	unsigned int	size;
	u64		first;
	u64		number;
	u64		since;
	u64		missed;
	u64		nr;
	u64		marks;
};

bool bts_read_block(struct tep_record *record, struct tep_event *event,
		    struct bts_block *block);
u64 bts_image_base(struct tep_handle *tep);
u64 bts_image_end(struct tep_handle *tep);
const char *bts_find_symbol(struct tep_handle *tep, u64 addr, u64 image_end,
			    u64 *start);

#endif /* _TRACEEVENT_BTS_EVENT_H */
