// SPDX-License-Identifier: GPL-2.0
/*
 * The records that a CPU holds until somebody asks for them
 */
#include <linux/math.h>
#include <linux/mm.h>
#include <linux/overflow.h>
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

/**
 * bts_hold - copy the records of a piece
 * @held: the records that the CPU holds
 * @piece: the piece
 *
 * The caller runs on the CPU, with interrupts off or in an NMI.
 */
void bts_hold(struct bts_held *held, struct bts_piece piece)
{
	struct bts_lap *lap;
	unsigned int nr;

	if (!piece.nr && !piece.marked)
		return;
	held->any = true;
	do {
		lap = bts_next_lap(held, piece.nr);
		nr = min(piece.nr, BTS_LAP_RECORDS - lap->nr);
		memcpy(lap->records + lap->nr, piece.rec, nr * sizeof(*piece.rec));
		lap->pieces[lap->nr_pieces] = piece;
		lap->pieces[lap->nr_pieces].rec = lap->records + lap->nr;
		lap->pieces[lap->nr_pieces++].nr = nr;
		lap->nr += nr;
		piece.rec += nr;
		piece.number += nr;
		piece.nr -= nr;
		/* The marks are before the first record of the piece */
		piece.marked = 0;
	} while (piece.nr);
}
