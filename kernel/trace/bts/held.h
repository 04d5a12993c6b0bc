/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records that a CPU holds until somebody asks for them
 *
 * With the option bts-hold, a drain copies the records of the CPU's buffer, and encodes no
 * branch. A copy takes a fraction of the time. The copies are in laps, which are used in turn: the
 * oldest lap is overwritten.
 *
 * A CPU's records belong to the CPU, as struct bts_tracer_cpu does.
 */
#ifndef _TRACE_BTS_HELD_H
#define _TRACE_BTS_HELD_H

#include <linux/types.h>

#include <asm/bts.h>

#include "bts.h"

#define BTS_LAP_RECORDS		1024
#define BTS_LAP_PIECES		64

/**
 * struct bts_segment - records of one task in a CPU's buffer
 * @index: index of the first record
 * @pid: PID of the task
 * @since: the local clock when the segment began
 * @missed: bts_missed when the segment began
 * @marks: marks before the first record: BTS_MARK_GAP if BTS was off, and why
 *
 * Each instance has the branches that it wants of the segment, see &struct bts_instance_cpu.
 */
struct bts_segment {
	unsigned int		index;
	pid_t			pid;
	u64			since;
	u32			missed;
	u8			marks;
};

/**
 * struct bts_piece - the records of a segment that one drain takes
 * @seg: the segment
 * @marks: marks before the first record, for the instances that get them
 * @nr: number of records, which may be 0
 * @number: the number of the first record, see bts_tracer_number()
 * @rec: the records
 */
struct bts_piece {
	struct bts_segment	seg;
	u8			marks;
	unsigned int		nr;
	u64			number;
	const struct bts_record	*rec;
};

/**
 * struct bts_lap - records that are forgotten together
 * @nr: number of @records in use
 * @nr_pieces: number of @pieces in use
 * @pieces: what the records belong to
 * @records: copies of the CPU's records
 */
struct bts_lap {
	unsigned int		nr;
	unsigned int		nr_pieces;
	struct bts_piece	pieces[BTS_LAP_PIECES];
	struct bts_record	records[BTS_LAP_RECORDS];
};

/**
 * struct bts_held - the records that a CPU holds
 * @any: whether there are pieces
 * @lost: whether pieces were overwritten
 * @now: index of the lap that gets the next piece. The lap after it is the oldest
 * @nr_laps: number of @laps
 * @laps: the laps
 */
struct bts_held {
	bool			any;
	bool			lost;
	unsigned int		now;
	unsigned int		nr_laps;
	struct bts_lap		laps[];
};

struct bts_held *bts_alloc_held(int cpu, unsigned int records);
int bts_hold_for(struct bts_instance *inst, int cpu, const struct bts_held *held);
void bts_hold(struct bts_held *held, struct bts_piece piece, const struct bts_ops *ops);
void bts_find_held(unsigned int lap, unsigned int piece, const struct bts_ops *ops);

#endif /* _TRACE_BTS_HELD_H */
