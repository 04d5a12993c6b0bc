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
#define BTS_BLOCK_SIZE		1308

/**
 * struct bts_writer - the data that is needed to encode a block
 * @exp: the table of expected branches
 * @block: the block that is being encoded
 */
struct bts_writer {
	struct bts_expected	exp;
	u8			block[BTS_BLOCK_SIZE + BTS_BRANCH_SLACK];
};

/**
 * struct bts_run - records of a task that follow each other
 * @pid: PID of the task
 * @since: the local clock when the CPU switched to the task, or began to record the task;
 *	0 if it is not known
 * @missed: bts_missed at that time, 0 if it is not known
 * @number: the number of @rec, see bts_tracer_number(); 0 if the records have no numbers
 * @drained: the number of the first record of this drain; 0 if the records have no numbers
 * @rec: the first record
 * @end: the end of the records
 */
struct bts_run {
	pid_t				pid;
	u64				since;
	u32				missed;
	u64				number;
	u64				drained;
	const struct bts_record		*rec;
	const struct bts_record		*end;
};

void bts_write(const struct bts_ops *ops, struct bts_writer *writer, unsigned int rings,
	       const struct bts_run *run);
void bts_write_one(struct bts_instance *inst, struct bts_writer *writer, unsigned int rings,
		   const struct bts_run *run);

#endif /* _TRACE_BTS_BLOCKS_H */
