// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls diff: compare the summaries of two recordings
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "stats.h"

static struct stats_options choice = {
	.keys		= BIT(COL_TOTAL) | BIT(COL_MEAN) | BIT(COL_CALLS) | BIT(COL_ERRORS) |
			  BIT(COL_NAME),
	.sort_by	= COL_TOTAL,
	.limit		= -1UL,
};

static bool diff_set_option(int option, const char *value)
{
	return stats_set_option(&choice, option, value);
}

static const struct choice choices[] = {
	{ 'b', "by", "ARGUMENT", "count calls by the value of an argument, or by ret or\n"
	  "comm" },
	{ 's', "sort", "KEY", "total (default), mean, calls, errors or name" },
	{ 'n', "number", "N", "print at most N lines" },
	{ }
};

static struct options options = {
	.usage = "diff [OPTIONS] FILE FILE\n\n"
		 "Compare the summaries of two recordings, with the largest difference first\n",
	.choices = choices,
	.set = diff_set_option,
};

/**
 * struct pair - a function in both recordings
 * @counts: the function's counts, NULL for a recording without a call of the
 *	function
 */
struct pair {
	const struct count	*counts[2];
};

static u64 key_of(const struct count *count)
{
	return count ? count_column(count, choice.sort_by) : 0;
}

static u64 change(const struct pair *pair)
{
	u64 one = key_of(pair->counts[0]), other = key_of(pair->counts[1]);

	return one < other ? other - one : one - other;
}

static const struct count *any(const struct pair *pair)
{
	return pair->counts[0] ?: pair->counts[1];
}

static int diff_compare(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;
	u64 x = change(one), y = change(other);

	if (x != y)
		return x < y ? 1 : -1;
	return count_compare_names(any(one), any(other));
}

static void put_times(u64 one, u64 other)
{
	char a[32], b[32], percent[32] = "-";

	put_time(a, sizeof(a), one);
	put_time(b, sizeof(b), other);
	if (one && other)
		snprintf(percent, sizeof(percent), "%+.1f %%",
			 ((double)other - one) * 100 / one);
	out_printf(" %11s %11s %10s", one ? a : "-", other ? b : "-", percent);
}

static void put_pair(const struct stats *stats, const struct pair *pair)
{
	static const struct count none;
	const struct count *one = pair->counts[0] ?: &none, *other = pair->counts[1] ?: &none;

	out_printf("%10llu %10llu %7llu %7llu", (unsigned long long)one->nr,
		   (unsigned long long)other->nr, (unsigned long long)one->nr_errors,
		   (unsigned long long)other->nr_errors);
	put_times(one->total, other->total);
	put_times(count_column(one, COL_MEAN), count_column(other, COL_MEAN));
	put_name(stats, any(pair));
}

static void put_diff(const struct stats *stats)
{
	struct count **one = stats_list(&stats[0]), **other = stats_list(&stats[1]);
	struct pair *pairs = xcalloc(stats[0].counts.nr + stats[1].counts.nr, sizeof(*pairs));
	u32 nr = 0, i;

	for (i = 0; i < stats[0].counts.nr; i++) {
		if (!one[i]->nr)
			continue;
		pairs[nr].counts[0] = one[i];
		pairs[nr++].counts[1] = stats_find(&stats[1], one[i]->name,
						   one[i]->value);
	}
	for (i = 0; i < stats[1].counts.nr; i++)
		if (other[i]->nr &&
		    !stats_find(&stats[0], other[i]->name, other[i]->value))
			pairs[nr++].counts[1] = other[i];
	qsort(pairs, nr, sizeof(*pairs), diff_compare);
	out_puts("         calls            errors                   total");
	out_puts("                              mean\n");
	out_puts("         a          b       a       b           a           b     change");
	out_puts("           a           b     change  function\n");
	for (i = 0; i < nr && i < choice.limit; i++)
		put_pair(stats, &pairs[i]);
	free(one);
	free(other);
	free(pairs);
}

int cmd_diff(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 2), status, i;
	struct calls calls[2] = { };
	struct stats stats[2] = { };

	if (first < 0)
		return ~first;
	for (i = 0; i < 2; i++) {
		stats_init(&stats[i], choice.by);
		calls_read(&calls[i], argv[first + i], options.filters, &stats_ops,
			   &stats[i]);
		if (calls[i].nr_lost)
			complain("%s: events were lost %llu times, calls are missing",
				 calls[i].file, (unsigned long long)calls[i].nr_lost);
	}
	calls[0].damaged |= calls[1].damaged;
	calls[0].failed |= calls[1].failed;
	calls[0].nr_spans += calls[1].nr_spans;
	if (!calls[0].failed)
		put_diff(stats);
	status = finish(&calls[0], &options);
	calls_free(&calls[1]);
	for (i = 0; i < 2; i++)
		stats_free(&stats[i]);
	return status;
}
