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

/* Write the branches from @begin to @end as a block to each instance of @mask */
static void bts_write_block(struct bts_instance **insts, u32 mask,
			    const struct bts_writer *writer, const u8 *pos,
			    const struct bts_run *run, const struct bts_record *begin,
			    unsigned int nr)
{
	u64 number = run->number ? run->number + (begin - run->rec) : 0;
	u64 ts = trace_clock_local();
	struct bts_instance *inst;

	for (; mask; mask &= mask - 1) {
		inst = READ_ONCE(insts[__ffs(mask)]);
		if (inst)
			bts_copy_block(inst, run, writer->block, pos - writer->block, nr,
				       number, ts);
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
static __always_inline void bts_write_rings(struct bts_instance **insts, u32 mask,
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
			bts_write_block(insts, mask, writer, enc.pos, run, begin,
					rec + 1 - first);
			bts_encode_start(&enc, writer->block, &writer->exp);
			first = rec + 1;
			begin = first;
		}
	}
	bts_encode_end(&enc);
	if (rec > first)
		bts_write_block(insts, mask, writer, enc.pos, run, begin, rec - first);
}

static noinline void bts_write_ranges(struct bts_instance **insts, u32 mask,
				      struct bts_writer *writer, unsigned int rings,
				      const struct bts_ranges *ranges, const struct bts_run *run)
{
	bts_write_rings(insts, mask, writer, rings, ranges, run);
}

/**
 * bts_write - write branches of a task as blocks
 * @insts: the instances; NULL for an instance that is gone
 * @mask: the instances of @insts that get the branches
 * @writer: the writer of this CPU
 * @rings: the branches that these instances want, BTS_RING_*, BTS_BRANCHES
 * @run: the branches, at most 65535
 *
 * The branches are encoded once for all instances that record all code, and once for each
 * instance with lines in bts_range.
 */
void bts_write(struct bts_instance **insts, u32 mask, struct bts_writer *writer,
	       unsigned int rings, const struct bts_run *run)
{
	const struct bts_ranges *ranges;
	struct bts_instance *inst;
	u32 left, ranged = 0;

	for (left = mask; left; left &= left - 1) {
		inst = READ_ONCE(insts[__ffs(left)]);
		ranges = inst ? READ_ONCE(inst->ranges) : NULL;
		if (ranges) {
			ranged |= left & -left;
			bts_write_ranges(insts, left & -left, writer, rings, ranges, run);
		}
	}
	mask &= ~ranged;
	if (!mask)
		return;
	switch (rings) {
	case BTS_RING_KERNEL:
		bts_write_rings(insts, mask, writer, BTS_RING_KERNEL, NULL, run);
		break;
	case BTS_RING_USER:
		bts_write_rings(insts, mask, writer, BTS_RING_USER, NULL, run);
		break;
	case BTS_RING_USER | BTS_BRANCHES:
		bts_write_rings(insts, mask, writer, BTS_RING_USER | BTS_BRANCHES, NULL, run);
		break;
	default:
		bts_write_rings(insts, mask, writer, BTS_RING_KERNEL | BTS_RING_USER, NULL,
				run);
	}
}
