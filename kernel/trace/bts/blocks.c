// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks of branches, which the bts and step tracers write
 */
#include <linux/percpu.h>

#include <asm/bts.h>

#include "../trace.h"
#include "blocks.h"

static void bts_copy_block(struct bts_instance *inst, const u8 *block,
			   unsigned int size, unsigned int nr, pid_t pid)
{
	struct bts_instance_cpu *pcpu = this_cpu_ptr(inst->pcpu);
	struct trace_buffer *buffer = inst->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct bts_entry *entry;

	event = trace_buffer_lock_reserve(buffer, TRACE_BTS,
					  sizeof(*entry) + size, 0);
	if (event) {
		entry = ring_buffer_event_data(event);
		entry->ent.pid = pid;
		entry->first = pcpu->count;
		entry->modules = READ_ONCE(bts_modules_nr);
		entry->nr = nr;
		entry->marks = pcpu->marks;
		if (pid != pcpu->pid)
			entry->marks |= BTS_MARK_TASK;
		/* The first block has no gap before it */
		if (!pcpu->count)
			entry->marks &= BTS_MARK_DROPPED;
		memcpy(entry->data, block, size);
		trace_buffer_unlock_commit_nostack(buffer, event);
		pcpu->marks = 0;
		pcpu->pid = pid;
	}
	pcpu->count += nr;
}

/* Write a block to each instance of @mask */
static void bts_write_block(struct bts_instance **insts, u32 mask, const u8 *block,
			    unsigned int size, unsigned int nr, pid_t pid)
{
	struct bts_instance *inst;

	for (; mask; mask &= mask - 1) {
		inst = READ_ONCE(insts[__ffs(mask)]);
		if (inst)
			bts_copy_block(inst, block, size, nr, pid);
	}
}

/* Whether an instance that wants @rings does not want a record */
static __always_inline bool bts_unwanted(const struct bts_record *rec,
					 unsigned int rings)
{
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
 * Write the branches from @rec to @end that lead to one of the sides @rings. @rings is a
 * compile-time constant, because a drain spends most of its time in this function.
 */
static __always_inline void bts_write_rings(struct bts_instance **insts, u32 mask,
					    struct bts_writer *writer,
					    pid_t pid, unsigned int rings,
					    const struct bts_record *rec,
					    const struct bts_record *end)
{
	const u8 *limit = writer->block + BTS_BLOCK_SIZE - BTS_BRANCH_MAX - 1;
	/*
	 * The first record of the block, plus the number of records that were left out
	 * after it
	 */
	const struct bts_record *first = rec;
	struct bts_encoder enc;

	bts_encode_start(&enc, writer->block, &writer->exp);
	for (; rec < end; rec++) {
		/* The table of expected branches has only wanted branches */
		if (bts_encode_run(&enc, rec->from, rec->to))
			continue;
		if (bts_unwanted(rec, rings)) {
			first++;
			continue;
		}
		bts_encode(&enc, rec->from, rec->to);
		if (unlikely(enc.pos > limit)) {
			bts_encode_end(&enc);
			bts_write_block(insts, mask, writer->block,
					enc.pos - writer->block,
					rec + 1 - first, pid);
			bts_encode_start(&enc, writer->block, &writer->exp);
			first = rec + 1;
		}
	}
	bts_encode_end(&enc);
	if (rec > first)
		bts_write_block(insts, mask, writer->block,
				enc.pos - writer->block, rec - first, pid);
}

/**
 * bts_write - write branches of a task as blocks, which are encoded once for all instances
 * @insts: the instances; NULL for an instance that is gone
 * @mask: the instances of @insts that get the branches
 * @writer: the writer of this CPU
 * @pid: PID of the task
 * @rings: the branches that these instances want, BTS_RING_*, BTS_BRANCHES
 * @rec: the first branch
 * @end: the end of the branches
 */
void bts_write(struct bts_instance **insts, u32 mask, struct bts_writer *writer,
	       pid_t pid, unsigned int rings, const struct bts_record *rec,
	       const struct bts_record *end)
{
	if (!mask)
		return;
	switch (rings) {
	case BTS_RING_KERNEL:
		bts_write_rings(insts, mask, writer, pid, BTS_RING_KERNEL,
				rec, end);
		break;
	case BTS_RING_USER:
		bts_write_rings(insts, mask, writer, pid, BTS_RING_USER,
				rec, end);
		break;
	case BTS_RING_USER | BTS_BRANCHES:
		bts_write_rings(insts, mask, writer, pid,
				BTS_RING_USER | BTS_BRANCHES, rec, end);
		break;
	default:
		bts_write_rings(insts, mask, writer, pid,
				BTS_RING_KERNEL | BTS_RING_USER, rec, end);
	}
}
