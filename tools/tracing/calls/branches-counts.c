// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as counts: a profile for AutoFDO, and coverage
 *
 * Between the target of a branch and the origin of the next branch of the CPU, each
 * instruction ran once.  So the branches of a recording are counted, and the ranges between
 * branches.
 */
#include <stdlib.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

#define FIRST_BITS	12

/**
 * struct count - an element of a hash of pairs
 * @node: the element of the hash
 * @pair: the pair
 */
struct count {
	struct hash_node	node;
	struct pair		pair;
};

/*
 * Ranges from the target of a branch to the last instruction, which may be a taken branch
 */
static struct hash ranges;

/* Branches of instructions */
static struct hash taken;

static void count(struct hash *hash, u64 first, u64 last)
{
	u64 key = first ^ (last << 32 | last >> 32);
	struct hash_node *node;
	struct count *count;

	if (!hash->slots && !hash_init(hash, FIRST_BITS))
		out_of_memory();
	for (node = *hash_slot(hash, key); node; node = node->next) {
		count = container_of(node, struct count, node);
		if (count->pair.first == first && count->pair.last == last) {
			count->pair.nr++;
			return;
		}
	}
	count = xmalloc(sizeof(*count));
	count->pair = (struct pair){ .first = first, .last = last, .nr = 1 };
	hash_add(hash, &count->node, key);
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

static void free_count(struct hash_node *node)
{
	free(container_of(node, struct count, node));
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->last < other->last ? -1 : one->last > other->last;
}

/* Move the pairs of a hash to an array, in the order of their addresses */
static struct pairs sort_pairs(struct hash *hash)
{
	struct pair *pairs = xcalloc(hash->nr, sizeof(*pairs));
	struct hash_node *node;
	unsigned int i;
	u32 nr = 0;

	for (i = 0; i < hash_size(hash); i++)
		for (node = hash->slots[i]; node; node = node->next)
			pairs[nr++] = container_of(node, struct count, node)->pair;
	hash_free(hash, free_count);
	qsort(pairs, nr, sizeof(*pairs), compare_pairs);
	return (struct pairs){ pairs, nr };
}

/* Write the pairs that are in vmlinux, with the addresses in the file */
static void put_pairs(struct hash *hash, const char *between)
{
	const struct pairs all = sort_pairs(hash);
	char text[64];
	u32 i, nr = 0;
	u64 first, last;

	for (i = 0; i < all.nr; i++)
		nr += image_linked(all.pairs[i].first, &first) &&
		      image_linked(all.pairs[i].last, &last);
	out_udec(nr);
	out_puts("\n");
	for (i = 0; i < all.nr; i++) {
		if (!image_linked(all.pairs[i].first, &first) ||
		    !image_linked(all.pairs[i].last, &last))
			continue;
		snprintf(text, sizeof(text), "%llx%s%llx:", (unsigned long long)first,
			 between, (unsigned long long)last);
		out_puts(text);
		out_udec(all.pairs[i].nr);
		out_puts("\n");
	}
	free(all.pairs);
}

static void end_profgen(struct calls *calls)
{
	put_pairs(&ranges, "-");
	put_pairs(&taken, "->");
}

/*
 * The text format of create_llvm_prof has samples of addresses in the middle. Write no
 * samples.
 */
static void end_autofdo(struct calls *calls)
{
	put_pairs(&ranges, "-");
	out_puts("0\n");
	put_pairs(&taken, "->");
}

static void end_lcov(struct calls *calls)
{
	const struct pairs all[] = { sort_pairs(&ranges), sort_pairs(&taken) };
	bool found = coverage_put(&all[0], &all[1]);

	if (!found && all[0].nr)
		complain("%s: no lines of source are known: the files lack debug info",
			 calls->file);
	calls->failed |= !found;
	free(all[0].pairs);
	free(all[1].pairs);
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
