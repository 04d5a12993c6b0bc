// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as counts: a profile of vmlinux or a program, and coverage
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

/* The target of a branch that leads to another image, or to code that is not known */
#define ELSEWHERE	(~0ULL)

/* Branches within user space that are not counted */
static u64 nr_unknown;

static void count_branch(struct calls *calls, struct flow *flow,
			 const struct branch *branch)
{
	const struct range range = range_find(flow->last, branch->from);
	/*
	 * An interrupt comes between two instructions, so it is not a branch of the
	 * instruction at its origin
	 */
	bool event = branch->move.kind == BTS_KIND_INTERRUPT ||
		     branch->move.kind == BTS_KIND_EXCEPTION;
	u64 to;

	/* The instructions before the branch are those of its origin */
	if (!range_has_place(branch->from))
		return;
	if (range.known && (!event || range.first != range.last))
		pair_find(&range.image->ranges, range.first, range.last - event)->nr++;
	nr_unknown += !range.image && !bts_is_kernel(branch->from->addr) &&
		      !bts_is_kernel(branch->to->addr);
	/* The step tracer may record each instruction, which leads to the next one */
	if (!range.image || event ||
	    (!branch->move.sure && branch->to->addr == branch->from->after))
		return;
	if (place_image(branch->to, &to) != range.image)
		to = ELSEWHERE;
	pair_find(&range.image->taken, range.last, to)->nr++;
}

/* The address of code in its file, or with @offset its offset in the file */
static u64 find_in_file(const struct image *image, u64 inside, bool offset)
{
	const struct code *code = offset ? image_code(image, inside) : NULL;

	return inside - (code ? code->inside - code->offset : image->bias);
}

/* Write the pairs that are in an image, with the addresses or the offsets in the file */
static void put_pairs(const struct image *image, const struct hash *hash, const char *between,
		      bool offsets)
{
	const struct pairs all = pairs_sort(hash);
	const struct pair *pair;
	u32 nr = 0;

	for (pair = all.pairs; pair < all.pairs + all.nr; pair++)
		nr += pair->last != ELSEWHERE;
	out_printf("%u\n", nr);
	for (pair = all.pairs; pair < all.pairs + all.nr; pair++) {
		if (pair->last == ELSEWHERE)
			continue;
		out_printf("%llx%s%llx:%llu\n",
			   (unsigned long long)find_in_file(image, pair->first, offsets), between,
			   (unsigned long long)find_in_file(image, pair->last, offsets),
			   (unsigned long long)pair->nr);
	}
	free(all.pairs);
}

static void complain_of_unknown(struct calls *calls)
{
	if (nr_unknown)
		complain("%s: branches of unknown code of user space: %llu: they are not counted",
			 calls->file, (unsigned long long)nr_unknown);
}

/*
 * Write the profile of a file.  The text format of create_llvm_prof has offsets in the file, and
 * samples of addresses in the middle.  Write no samples.
 */
static void put_profile(struct calls *calls, bool autofdo)
{
	const char *binary = branches_choice.binary;
	struct image *image = binary ? maps_image(binary) : images_all();

	complain_of_unknown(calls);
	while (!binary && image && (image->is_module || !image->codes->start))
		image = image->next;
	if (!image) {
		complain("%s: the code of %s is not known: see --vmlinux, --binary and --sysroot",
			 calls->file, binary ?: "vmlinux");
		calls->failed = true;
		return;
	}
	put_pairs(image, &image->ranges, "-", autofdo);
	if (autofdo)
		out_puts("0\n");
	put_pairs(image, &image->taken, "->", autofdo);
}

static void end_profgen(struct calls *calls)
{
	put_profile(calls, false);
}

static void end_autofdo(struct calls *calls)
{
	put_profile(calls, true);
}

static void end_lcov(struct calls *calls)
{
	complain_of_unknown(calls);
	if (coverage_put() || calls->failed)
		return;
	complain("%s: no lines of source are known: the files lack debug info", calls->file);
	calls->failed = true;
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
