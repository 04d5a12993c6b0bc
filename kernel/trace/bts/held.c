// SPDX-License-Identifier: GPL-2.0
/*
 * The records that a CPU holds until somebody asks for them
 */
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "held.h"

/**
 * bts_alloc_held - allocate the memory for the records that a CPU holds
 * @cpu: the CPU
 * @records: number of records. If tasks are switched often, fewer records are held.
 *
 * May sleep.
 *
 * Return: the memory, which kvfree() frees, or NULL.
 */
struct bts_held *bts_alloc_held(int cpu, unsigned int records)
{
	/* The lap that is being written has fewer records */
	unsigned int nr = DIV_ROUND_UP(records, BTS_LAP_RECORDS) + 1;
	struct bts_held *held;

	held = kvzalloc_node(struct_size(held, laps, nr), GFP_KERNEL, cpu_to_node(cpu));
	if (held)
		held->nr_laps = nr;
	return held;
}

/**
 * bts_hold_for - let an instance remember what it gets of the records that a CPU holds
 * @inst: the instance
 * @cpu: the CPU
 * @held: the CPU's memory
 *
 * May sleep. bts_free_instance() frees the memory.
 *
 * Return: 0 or -ENOMEM.
 */
int bts_hold_for(struct bts_instance *inst, int cpu, const struct bts_held *held)
{
	struct bts_instance_cpu *pcpu = per_cpu_ptr(inst->pcpu, cpu);
	u8 *gets;

	if (pcpu->held)
		return 0;
	gets = kcalloc(held->nr_laps, BTS_LAP_PIECES, GFP_KERNEL);
	if (!gets)
		return -ENOMEM;
	/* Ordered after the writes of the allocation. The CPU's drains read it */
	smp_store_release(&pcpu->held, gets);
	return 0;
}

/* Find the lap for the next piece, which has records or not */
static struct bts_lap *bts_next_lap(struct bts_held *held, bool records)
{
	struct bts_lap *lap = &held->laps[held->now];

	if (lap->nr_pieces < BTS_LAP_PIECES && (!records || lap->nr < BTS_LAP_RECORDS))
		return lap;
	held->now = (held->now + 1) % held->nr_laps;
	lap = &held->laps[held->now];
	held->lost |= lap->nr_pieces;
	lap->nr = 0;
	lap->nr_pieces = 0;
	return lap;
}

/*
 * Remember what the instances get of the piece that was added last. If a piece is cut into several,
 * only the first has marks before it
 */
static void bts_hold_gets(const struct bts_held *held, const struct bts_ops *ops)
{
	const struct bts_lap *lap = &held->laps[held->now];
	unsigned int i = held->now * BTS_LAP_PIECES + lap->nr_pieces - 1;
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	u8 *gets;

	bts_for_each(inst, ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		gets = READ_ONCE(pcpu->held);
		if (gets)
			gets[i] = pcpu->gets;
		pcpu->gets &= ~BTS_GETS_MARKS;
	}
}

/**
 * bts_hold - copy the records of a piece
 * @held: the records that the CPU holds
 * @piece: the piece
 * @ops: the tracer, whose instances have in their CPU data what they get of the piece
 *
 * The caller runs on the CPU, with interrupts off or in an NMI.
 */
void bts_hold(struct bts_held *held, struct bts_piece piece, const struct bts_ops *ops)
{
	struct bts_lap *lap;
	unsigned int nr;

	if (!piece.nr && !piece.marks)
		return;
	held->any = true;
	do {
		lap = bts_next_lap(held, piece.nr);
		nr = min(piece.nr, BTS_LAP_RECORDS - lap->nr);
		memcpy(lap->records + lap->nr, piece.rec, nr * sizeof(*piece.rec));
		lap->pieces[lap->nr_pieces] = piece;
		lap->pieces[lap->nr_pieces].rec = lap->records + lap->nr;
		lap->pieces[lap->nr_pieces++].nr = nr;
		bts_hold_gets(held, ops);
		lap->nr += nr;
		piece.rec += nr;
		piece.number += nr;
		piece.nr -= nr;
		piece.marks = 0;
	} while (piece.nr);
}

/**
 * bts_find_held - find what the instances get of a piece that was held
 * @lap: the index of the piece's lap
 * @piece: the index of the piece in the lap
 * @ops: the tracer, whose instances have it in their CPU data afterwards
 *
 * The caller runs on the CPU, with interrupts off or in an NMI.
 */
void bts_find_held(unsigned int lap, unsigned int piece, const struct bts_ops *ops)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	const u8 *gets;

	bts_for_each(inst, ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		gets = READ_ONCE(pcpu->held);
		pcpu->gets = gets ? gets[lap * BTS_LAP_PIECES + piece] : 0;
	}
}
