/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks of branches, for the tracers that write blocks
 */
#ifndef _TRACE_BTS_BLOCKS_H
#define _TRACE_BTS_BLOCKS_H

#include "bts.h"
#include "codec.h"

struct bts_record;

/*
 * The size of a block in bytes. Three blocks with their headers fit into a sub-buffer of
 * one page. A larger block would more often not fit into the rest of a sub-buffer.
 */
#define BTS_BLOCK_SIZE		1328

/**
 * struct bts_writer - the data that is needed to encode a block
 * @exp: the table of expected branches
 * @block: the block that is being encoded
 */
struct bts_writer {
	struct bts_expected	exp;
	u8			block[BTS_BLOCK_SIZE + BTS_BRANCH_SLACK];
};

void bts_write(struct bts_instance **insts, u32 mask, struct bts_writer *writer,
	       pid_t pid, unsigned int rings, const struct bts_record *rec,
	       const struct bts_record *end);

#endif /* _TRACE_BTS_BLOCKS_H */
