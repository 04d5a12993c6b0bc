// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of branches, which the bts and step tracers write
 */
#include <linux/percpu.h>
#include <linux/trace_clock.h>

#include <asm/bts.h>

#include "../trace.h"
#include "blocks.h"
#include "range.h"

static_assert(BTS_RECORD_PREDICTED == BTS_PREDICTED);

/*
 * Reserve an event of @size bytes at the time @ts, and set @buffer to its ring buffer. If the
 * first record of the drain was taken before inst->closed was closed, or became the snapshot, all
 * records of the drain belong to inst->closed. The buffer is closed or swapped after
 * bts_close_buffer(), so a CPU that sees this also sees the number in @until.
 */
static struct ring_buffer_event *bts_reserve(struct bts_instance *inst,
					     const struct bts_run *run, unsigned int size,
					     u64 ts, struct trace_buffer **buffer)
{
	struct bts_instance_cpu *pcpu = this_cpu_ptr(inst->pcpu);
	struct ring_buffer_event *event;

	*buffer = READ_ONCE(inst->tr->array_buffer.buffer);
	smp_rmb(); /* Read @until after the buffer. Pairs with bts_close_buffer() */
	if (run->drained >= READ_ONCE(pcpu->until)) {
		event = ring_buffer_reserve_at(*buffer, size, ts);
		if (unlikely(!event))
			event = ring_buffer_lock_reserve(*buffer, size);
		smp_rmb(); /* The buffer may have been closed meanwhile */
		if (event || run->drained >= READ_ONCE(pcpu->until))
			return event;
	}
	smp_rmb(); /* Read inst->closed after @until. Pairs with bts_close_buffer() */
	*buffer = READ_ONCE(inst->closed);
	return ring_buffer_reserve_closed(*buffer, size);
}

/* Write a block of @nr branches, the first of which has @number, at the time @ts */
static void bts_copy_block(struct bts_instance *inst, const struct bts_run *run,
			   const u8 *data, unsigned int size, unsigned int nr, u64 number,
			   u64 ts)
{
	struct bts_instance_cpu *pcpu = this_cpu_ptr(inst->pcpu);
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	struct bts_entry *entry;

	event = bts_reserve(inst, run, sizeof(*entry) + size, ts, &buffer);
	if (event) {
		entry = ring_buffer_event_data(event);
		tracing_generic_entry_update(&entry->ent, TRACE_BTS, 0);
		entry->ent.pid = run->pid;
		entry->first = pcpu->count;
		entry->number = number;
		/* The first of the clocks is the local clock */
		entry->since = inst->tr->clock_id ? 0 : run->since;
		entry->modules = READ_ONCE(bts_modules_nr);
		entry->missed = run->missed;
		entry->nr = nr;
		entry->marks = pcpu->marks;
		entry->version = BTS_BLOCK_VERSION;
		if (run->pid != pcpu->pid)
			entry->marks |= BTS_MARK_TASK;
		/* The first block has no gap before it */
		if (!pcpu->count)
			entry->marks &= BTS_MARK_DROPPED;
		memcpy(entry->data, data, size);
		trace_buffer_unlock_commit_nostack(buffer, event);
		pcpu->marks = 0;
		pcpu->pid = run->pid;
	}
	pcpu->count += nr;
}

/*
 * Write @nr branches from @begin as a block to @one, or if it is NULL, to each instance of @ops
 * that gets @rings of all code
 */
static void bts_write_block(const struct bts_ops *ops, struct bts_instance *one,
			    unsigned int rings, const struct bts_writer *writer, const u8 *pos,
			    const struct bts_run *run, const struct bts_record *begin,
			    unsigned int nr)
{
	u64 number = run->number ? run->number + (begin - run->rec) : 0;
	unsigned int size = pos - writer->block;
	u64 ts = trace_clock_local();
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;

	if (one) {
		bts_copy_block(one, run, writer->block, size, nr, number, ts);
		return;
	}
	bts_for_each(inst, ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		if (pcpu->gets == rings && !pcpu->ranges)
			bts_copy_block(inst, run, writer->block, size, nr, number, ts);
	}
}

/* Whether an instance that wants @rings of @ranges does not want a record */
static __always_inline bool bts_unwanted(const struct bts_record *rec,
					 unsigned int rings,
					 const struct bts_ranges *ranges)
{
	if (ranges && !bts_in_ranges(ranges, rec->from) && !bts_in_ranges(ranges, rec->to))
		return true;
	/* The sign of a branch's target tells the side that the branch leads to */
	if ((s64)rec->to < 0)
		return !(rings & BTS_RING_KERNEL);
	/*
	 * The step tracer marks records that are no branches. All records of a CPU are
	 * branches
	 */
	return !(rings & BTS_RING_USER) ||
	       (rings & BTS_BRANCHES && rec->flags & BTS_RECORD_PLAIN);
}

/*
 * Write the branches of @run that lead to one of the sides @rings, and that begin or end in
 * @ranges, if it is not NULL. For all code, @rings and @ranges are compile-time constants,
 * because a drain spends most of its time in this function.
 */
static __always_inline void bts_write_rings(const struct bts_ops *ops, struct bts_instance *one,
					    struct bts_writer *writer, unsigned int rings,
					    const struct bts_ranges *ranges,
					    const struct bts_run *run)
{
	const u8 *limit = writer->block + BTS_BLOCK_SIZE - BTS_BRANCH_MAX - 1 - BTS_LEFT_OUT_MAX;
	const struct bts_record *rec = run->rec, *end = run->end;
	/* The first branch of the block */
	const struct bts_record *begin = rec;
	/* @begin, plus the number of records that were left out after it */
	const struct bts_record *first = rec;
	const struct bts_record *left;
	struct bts_encoder enc;
	bool full;

	bts_encode_start(&enc, writer->block, &writer->exp);
	for (; rec < end; rec++) {
		/* The table of expected branches has only wanted branches */
		if (bts_encode_run(&enc, rec->from, rec->to, rec->flags))
			continue;
		if (bts_unwanted(rec, rings, ranges)) {
			for (left = rec; rec + 1 < end && bts_unwanted(rec + 1, rings, ranges);)
				rec++;
			full = enc.pos > limit;
			/* A block begins and ends with a branch */
			if (left == first)
				begin = rec + 1;
			else if (!full && rec + 1 < end)
				bts_encode_left_out(&enc, rec + 1 - left);
			first += rec + 1 - left;
		} else {
			bts_encode(&enc, rec->from, rec->to, rec->flags);
			full = enc.pos > limit;
		}
		if (unlikely(full)) {
			bts_encode_end(&enc);
			bts_write_block(ops, one, rings, writer, enc.pos, run, begin,
					rec + 1 - first);
			bts_encode_start(&enc, writer->block, &writer->exp);
			first = rec + 1;
			begin = first;
		}
	}
	bts_encode_end(&enc);
	if (rec > first)
		bts_write_block(ops, one, rings, writer, enc.pos, run, begin, rec - first);
}

/**
 * bts_write_one - write branches of a task as blocks to one instance
 * @inst: the instance
 * @writer: the writer of this CPU
 * @rings: the branches that the instance gets, BTS_RING_*, BTS_BRANCHES. The instance's CPU data
 *	has the ranges.
 * @run: the branches, at most 65535
 *
 * The caller has interrupts off, or is in an NMI.
 */
noinline void bts_write_one(struct bts_instance *inst, struct bts_writer *writer,
			    unsigned int rings, const struct bts_run *run)
{
	bts_write_rings(NULL, inst, writer, rings, this_cpu_ptr(inst->pcpu)->ranges, run);
}

/**
 * bts_write - write branches of a task as blocks
 * @ops: the tracer
 * @writer: the writer of this CPU
 * @rings: BTS_RING_*, BTS_BRANCHES. Each instance whose CPU data has this value in @gets gets the
 *	branches
 * @run: the branches, at most 65535
 *
 * The branches are encoded once for all instances that record all code, and once for each
 * instance with lines in bts_range.  The caller has interrupts off, or is in an NMI.
 */
void bts_write(const struct bts_ops *ops, struct bts_writer *writer, unsigned int rings,
	       const struct bts_run *run)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	bool all = false;

	bts_for_each(inst, ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		if (pcpu->gets != rings)
			continue;
		pcpu->ranges = READ_ONCE(inst->ranges);
		if (pcpu->ranges)
			bts_write_one(inst, writer, rings, run);
		else
			all = true;
	}
	if (!all)
		return;
	switch (rings) {
	case BTS_RING_KERNEL:
		bts_write_rings(ops, NULL, writer, BTS_RING_KERNEL, NULL, run);
		break;
	case BTS_RING_USER:
		bts_write_rings(ops, NULL, writer, BTS_RING_USER, NULL, run);
		break;
	case BTS_RING_USER | BTS_BRANCHES:
		bts_write_rings(ops, NULL, writer, BTS_RING_USER | BTS_BRANCHES, NULL, run);
		break;
	default:
		bts_write_rings(ops, NULL, writer, BTS_RING_KERNEL | BTS_RING_USER, NULL, run);
	}
}
