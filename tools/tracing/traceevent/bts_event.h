/* SPDX-License-Identifier: GPL-2.0 */
/* The events of the bts tracer, for plugin_bts.so and trace-calls */
#ifndef _TRACEEVENT_BTS_EVENT_H
#define _TRACEEVENT_BTS_EVENT_H

#include <stdbool.h>

#include <linux/types.h>

#include "bts_tree.h"

struct bts_decoder;
struct tep_event;
struct tep_handle;
struct tep_record;

/* Marks of a block, see kernel/trace/bts/bts.h */
#define BTS_MARK_GAP		1
#define BTS_MARK_DROPPED	4
#define BTS_MARK_PAUSED		8

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
 * @version: version of the format, 0 in old recordings
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
	u64		version;
};

/**
 * struct places - the addresses of branches, with their symbols
 * @hash: the places, because branches repeat the same addresses
 * @tep: the handle that knows the symbols
 * @end: the first address without a symbol, ~0ULL to use the symbols of modules, too
 * @known: tells whether an address after @end has a symbol as well; may be NULL
 * @find: finds the symbol of an address of user space; may be NULL
 */
struct places {
	struct hash		hash;
	struct tep_handle	*tep;
	u64			end;
	bool			(*known)(u64 addr);
	void			(*find)(struct places *places, struct place *place);
};

bool bts_read_number(struct tep_record *record, struct tep_event *event, const char *name,
		     u64 *val);
bool bts_read_block(struct tep_record *record, struct tep_event *event,
		    struct bts_block *block);
void bts_block_start(const struct bts_block *block, struct bts_decoder *dec);
u64 bts_image_base(struct tep_handle *tep);
u64 bts_image_end(struct tep_handle *tep);
void place_set_symbol(struct place *place, const char *name, u64 start);
struct place *places_find(struct places *places, u64 addr);
void places_free(struct places *places);

#endif /* _TRACEEVENT_BTS_EVENT_H */
