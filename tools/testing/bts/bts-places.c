// SPDX-License-Identifier: GPL-2.0
/*
 * bts-places BRANCHES
 *
 * Checks that the numbers of branches are their places among the records of a CPU. BRANCHES has
 * lines "NUMBER FROM TO" of bts-raw -n. The input has the records, lines "CPU FROM TO" of
 * bts-log -b. Lines with "norecord" or "lost" are branches for which the CPU wrote no record.
 *
 * The place of number 0 is unknown, and a loop may be at several places. So each place counts at
 * which the first branches are, and the best of them is printed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The place is right if so many branches are there */
#define FIRST	500

struct branch {
	uint64_t	number;
	uint64_t	from;
	uint64_t	to;
};

struct branches {
	struct branch	*at;
	size_t		nr;
};

static struct branches read_branches(FILE *file)
{
	struct branches all = { NULL, 0 };
	size_t size = 0, room = 0;
	char *line = NULL, *end;

	while (getline(&line, &size, file) > 0) {
		if (strstr(line, " norecord") || strstr(line, " lost"))
			continue;
		if (all.nr == room) {
			room = 2 * room + 1024;
			all.at = realloc(all.at, room * sizeof(*all.at));
			if (!all.at)
				exit(2);
		}
		all.at[all.nr].number = strtoull(line, &end, 10);
		all.at[all.nr].from = strtoull(end, &end, 16);
		all.at[all.nr++].to = strtoull(end, &end, 16);
	}
	free(line);
	return all;
}

/* How many of the first @max branches are at their places, if the first is at @place */
static size_t right(const struct branches *records, const struct branches *branches, size_t place,
		    size_t max)
{
	const struct branch *want = branches->at, *is = records->at;
	size_t i, at;

	for (i = 0; i < max; i++) {
		at = place + want[i].number - want[0].number;
		if (at >= records->nr || is[at].from != want[i].from || is[at].to != want[i].to)
			break;
	}
	return i;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	struct branches records, branches;
	size_t place, first, n, best = 0;

	if (!file) {
		fputs("usage: bts-places BRANCHES <RECORDS\n", stderr);
		return 2;
	}
	branches = read_branches(file);
	records = read_branches(stdin);
	first = branches.nr < FIRST ? branches.nr : FIRST;
	for (place = 0; place < records.nr && best < branches.nr; place++) {
		if (right(&records, &branches, place, first) < first)
			continue;
		n = right(&records, &branches, place, branches.nr);
		best = n > best ? n : best;
	}
	printf("%zu of %zu numbers are places in the log\n", best, branches.nr);
	return !branches.nr || best != branches.nr;
}
