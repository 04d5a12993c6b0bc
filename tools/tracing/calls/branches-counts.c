// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as counts: a profile for AutoFDO, and coverage
 *
 * Between the target of a branch and the origin of the next branch of the CPU, each
 * instruction ran once.  So the branches of a recording are counted, and the ranges between
 * branches.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

#define FIRST_BITS	12

/**
 * struct counts - a hash of pairs of addresses
 * @slots: indices of pairs plus 1; a slot with 0 is free
 * @bits: the hash has 2 to the power of @bits slots
 * @pairs: the pairs
 * @nr: number of elements of @pairs
 */
struct counts {
	u32		*slots;
	unsigned int	bits;
	struct pair	*pairs;
	u32		nr;
};

/*
 * Ranges from the target of a branch to the last instruction, which may be a taken branch
 */
static struct counts ranges;

/* Branches of instructions */
static struct counts taken;

static u32 *counts_slot(const struct counts *counts, u64 first, u64 last)
{
	u64 key = (first ^ (last << 32 | last >> 32)) * 0x9e3779b97f4a7c15ULL;
	u32 mask = (1 << counts->bits) - 1, i = key >> (64 - counts->bits);
	const struct pair *pair;

	for (;; i = (i + 1) & mask) {
		pair = &counts->pairs[counts->slots[i] - 1];
		if (!counts->slots[i] || (pair->first == first && pair->last == last))
			return &counts->slots[i];
	}
}

/* Half of the slots stay free */
static void counts_grow(struct counts *counts)
{
	unsigned int bits = counts->bits ? counts->bits + 1 : FIRST_BITS;
	struct pair *pairs;
	u32 i;

	if (counts->bits && counts->nr < 1U << (counts->bits - 1))
		return;
	pairs = allocated(realloc(counts->pairs, sizeof(*pairs) << (bits - 1)));
	free(counts->slots);
	counts->pairs = pairs;
	counts->slots = xcalloc(1 << bits, sizeof(*counts->slots));
	counts->bits = bits;
	for (i = 0; i < counts->nr; i++)
		*counts_slot(counts, pairs[i].first, pairs[i].last) = i + 1;
}

static void count(struct counts *counts, u64 first, u64 last)
{
	u32 *slot;

	counts_grow(counts);
	slot = counts_slot(counts, first, last);
	if (!*slot) {
		counts->pairs[counts->nr] = (struct pair){ .first = first, .last = last };
		*slot = ++counts->nr;
	}
	counts->pairs[*slot - 1].nr++;
}

static void count_branch(struct calls *calls, struct flow *flow,
			 const struct branch *branch)
{
	/*
	 * An interrupt comes between two instructions, so it is not a branch of the
	 * instruction at its origin
	 */
	bool event = branch->move.kind == BTS_KIND_INTERRUPT ||
		     branch->move.kind == BTS_KIND_EXCEPTION;
	u64 from = branch->from->addr, inside, first;
	struct image *image = image_find(from, &inside);
	bool known;

	/*
	 * If only branches of the kernel or of user space are recorded, the CPU may have
	 * been on the other side
	 */
	known = image && flow->last && flow->last <= from &&
		image_find(flow->last, &first) == image &&
		inside - first == from - flow->last;
	if (known && !event)
		count(&ranges, flow->last, from);
	else if (known && from != flow->last)
		count(&ranges, flow->last, from - 1);
	if (image && !event)
		count(&taken, from, branch->to->addr);
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->last < other->last ? -1 : one->last > other->last;
}

static void sort_pairs(struct counts *counts)
{
	if (counts->nr)
		qsort(counts->pairs, counts->nr, sizeof(*counts->pairs), compare_pairs);
}

static void free_counts(struct counts *counts)
{
	free(counts->slots);
	free(counts->pairs);
}

/* Write the pairs that are in vmlinux, with the addresses in the file */
static void put_pairs(const struct counts *counts, const char *between)
{
	u32 i, nr = 0;
	u64 first, last;

	for (i = 0; i < counts->nr; i++)
		nr += image_linked(counts->pairs[i].first, &first) &&
		      image_linked(counts->pairs[i].last, &last);
	out_udec(nr);
	out_puts("\n");
	for (i = 0; i < counts->nr; i++) {
		char text[64];

		if (!image_linked(counts->pairs[i].first, &first) ||
		    !image_linked(counts->pairs[i].last, &last))
			continue;
		snprintf(text, sizeof(text), "%llx%s%llx:", (unsigned long long)first,
			 between, (unsigned long long)last);
		out_puts(text);
		out_udec(counts->pairs[i].nr);
		out_puts("\n");
	}
}

static void put_profile(bool addresses)
{
	sort_pairs(&ranges);
	sort_pairs(&taken);
	put_pairs(&ranges, "-");
	if (addresses)
		out_puts("0\n");
	put_pairs(&taken, "->");
	free_counts(&ranges);
	free_counts(&taken);
}

/*
 * The text format of create_llvm_prof has samples of addresses in the middle. Write no
 * samples.
 */
static void end_autofdo(struct calls *calls)
{
	put_profile(true);
}

static void end_profgen(struct calls *calls)
{
	put_profile(false);
}

static void end_lcov(struct calls *calls)
{
	struct pairs all[2];
	bool found;

	sort_pairs(&ranges);
	sort_pairs(&taken);
	all[0] = (struct pairs){ ranges.pairs, ranges.nr };
	all[1] = (struct pairs){ taken.pairs, taken.nr };
	found = coverage_put(&all[0], &all[1]);
	if (!found && ranges.nr)
		complain("%s: no lines of source are known: the files lack debug info",
			 calls->file);
	calls->failed |= !found;
	free_counts(&ranges);
	free_counts(&taken);
}

const struct view autofdo_view = {
	.name	= "autofdo",
	.text	= true,
	.branch	= count_branch,
	.end	= end_autofdo,
};

const struct view profgen_view = {
	.name	= "profgen",
	.text	= true,
	.branch	= count_branch,
	.end	= end_profgen,
};

const struct view lcov_view = {
	.name	= "lcov",
	.text	= true,
	.branch	= count_branch,
	.end	= end_lcov,
};
