// SPDX-License-Identifier: GPL-2.0
/*
 * Write how many branches of each line of source the CPU had mispredicted
 *
 * The branches are counted by their origins.  At the end, the origins are put together that have
 * the same line and the same functions inlined around it.  An origin without a line of source is a
 * line of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"

/**
 * struct counted - the branches of a line
 * @text: the line of source, or symbol and offset
 * @taken: number of branches
 * @mispredicted: number of these branches that the CPU had not predicted
 */
struct counted {
	char	*text;
	u64	taken;
	u64	mispredicted;
};

/* Pairs of the place of an origin, and whether the CPU had mispredicted the branch */
static struct hash origins;

/* Branches of recordings without the flag */
static u64 nr_unknown;

static void count_prediction(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	if (flow->dec.changes)
		pair_find(&origins, (uintptr_t)branch->from, branch->mispredicted)->nr++;
	else
		nr_unknown++;
}

static int compare_texts(const void *a, const void *b)
{
	const struct counted *one = a, *other = b;

	return strcmp(one->text, other->text);
}

/* Lines with many mispredicted branches come first */
static int compare_counts(const void *a, const void *b)
{
	const struct counted *one = a, *other = b;

	if (one->mispredicted != other->mispredicted)
		return one->mispredicted > other->mispredicted ? -1 : 1;
	if (one->taken != other->taken)
		return one->taken > other->taken ? -1 : 1;
	return compare_texts(a, b);
}

/* Sort lines by their texts, and add those with the same text. Returns the number of lines */
static u32 unite_lines(struct counted *lines, u32 nr)
{
	struct counted *line, *last = lines;

	if (!nr)
		return 0;
	qsort(lines, nr, sizeof(*lines), compare_texts);
	for (line = lines + 1; line < lines + nr; line++) {
		if (!compare_texts(last, line)) {
			last->taken += line->taken;
			last->mispredicted += line->mispredicted;
			free(line->text);
		} else {
			*++last = *line;
		}
	}
	return last - lines + 1;
}

static void put_lines(const struct counted *lines, u32 nr)
{
	const struct counted *line;

	out_printf("%12s %12s %8s  LINE\n", "MISPREDICTED", "TAKEN", "PERCENT");
	for (line = lines; line < lines + nr; line++)
		out_printf("%12llu %12llu %8.1f  %s\n", (unsigned long long)line->mispredicted,
			   (unsigned long long)line->taken,
			   100.0 * line->mispredicted / line->taken, line->text);
}

static void end_predictions(struct calls *calls)
{
	const struct pairs all = origins.nr ? pairs_sort(&origins) : (struct pairs){ };
	struct counted *lines = xcalloc(all.nr, sizeof(*lines)), *line = lines;
	const struct pair *pair;
	struct place *place;
	char text[256];
	u32 i, nr;

	for (pair = all.pairs; pair < all.pairs + all.nr; pair++, line++) {
		place = (struct place *)(uintptr_t)pair->first;
		line->text = xstrdup(place_source(place) ?:
				     place_text(place, false, text, sizeof(text)));
		line->taken = pair->nr;
		line->mispredicted = pair->last ? pair->nr : 0;
	}
	nr = unite_lines(lines, all.nr);
	qsort(lines, nr, sizeof(*lines), compare_counts);
	if (nr)
		put_lines(lines, nr);
	for (i = 0; i < nr; i++)
		free(lines[i].text);
	free(lines);
	free(all.pairs);
	hash_free(&origins, NULL);
	if (!nr_unknown)
		return;
	complain("%s: recorded without predictions: branches: %llu: they are not counted",
		 calls->file, (unsigned long long)nr_unknown);
	calls->failed |= !nr;
}

const struct view mispredicted_view = {
	.name	= "mispredicted",
	.branch	= count_prediction,
	.end	= end_predictions,
};
