// SPDX-License-Identifier: GPL-2.0
/*
 * The counts of summary and diff
 *
 * Times are kept in histograms whose buckets are a 32nd of a power of two wide, so the
 * memory does not depend on the number of calls.
 */
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define FIRST_BITS	10

/* Maximum values of arguments that are told apart; all further values are one */
#define MAX_STATS	0x10000
#define OTHER		"(other values)"

static unsigned int power(u64 val)
{
	return val ? fls64(val) - 1 : 0;
}

static unsigned int bucket(u64 val)
{
	unsigned int shift = power(val);

	return (shift > 5 ? val >> (shift - 5) : val << (5 - shift)) % BUCKETS;
}

static bool histogram_add(struct histogram *histogram, u64 val)
{
	u32 **buckets = &histogram->buckets[power(val)];

	if (!*buckets)
		*buckets = calloc(BUCKETS, sizeof(**buckets));
	if (!*buckets)
		return false;
	(*buckets)[bucket(val)]++;
	return true;
}

/* The highest number of a bucket */
static u64 bucket_end(unsigned int shift, unsigned int i)
{
	if (shift <= 5)
		return (BUCKETS + i) >> (5 - shift);
	return ((u64)(BUCKETS + i + 1) << (shift - 5)) - 1;
}

/**
 * histogram_quantile - the number that a share of all numbers does not exceed
 * @histogram: the numbers
 * @nr: how many there are
 * @permille: the share, in thousandths
 *
 * Return: the number; it is at most 3 % too high.
 */
u64 histogram_quantile(const struct histogram *histogram, u64 nr, unsigned int permille)
{
	u64 rank = (nr * permille + 999) / 1000, seen = 0;
	unsigned int shift, i;

	for (shift = 0; shift < 64; shift++) {
		for (i = 0; histogram->buckets[shift] && i < BUCKETS; i++) {
			seen += histogram->buckets[shift][i];
			if (seen >= rank && seen)
				return !shift && !i ? 0 : bucket_end(shift, i);
		}
	}
	return 0;
}

/**
 * histogram_free - free the memory of a histogram
 * @histogram: the numbers
 */
void histogram_free(struct histogram *histogram)
{
	unsigned int shift;

	for (shift = 0; shift < 64; shift++)
		free(histogram->buckets[shift]);
}

static u32 hash_text(const char *text)
{
	u32 hash = 2166136261u;

	while (text && *text)
		hash = (hash ^ (u8)*text++) * 16777619u;
	return hash;
}

static struct count **find_slot(const struct stats *stats, const char *name,
				const char *value)
{
	u32 hash = hash_text(name) * 31 + hash_text(value);

	return &stats->slots[(hash * 0x9e3779b1u) >> (32 - stats->bits)];
}

/**
 * stats_find - find the counts of a function
 * @stats: where
 * @name: the function
 * @value: the argument's value, NULL if there is none
 *
 * Return: NULL if there was no such call.
 */
struct count *stats_find(const struct stats *stats, const char *name, const char *value)
{
	struct count *count;

	for (count = *find_slot(stats, name, value); count; count = count->next)
		if (!strcmp(count->name, name) && !count->value == !value &&
		    (!value || !strcmp(count->value, value)))
			return count;
	return NULL;
}

static void grow(struct stats *stats)
{
	struct count **old = stats->slots, **slot, *count;
	u32 nr = 1 << stats->bits, i;

	stats->slots = calloc(2 * nr, sizeof(*old));
	if (!stats->slots) {
		stats->slots = old;
		return;
	}
	stats->bits++;
	for (i = 0; i < nr; i++) {
		while ((count = old[i])) {
			old[i] = count->next;
			slot = find_slot(stats, count->name, count->value);
			count->next = *slot;
			*slot = count;
		}
	}
	free(old);
}

static struct count *get_count(struct stats *stats, const char *name, const char *value)
{
	struct count *count = stats_find(stats, name, value), **slot;

	if (count)
		return count;
	if (value && stats->nr >= MAX_STATS && strcmp(value, OTHER))
		return get_count(stats, name, OTHER);
	count = calloc(1, sizeof(*count));
	if (!count)
		return NULL;
	count->name = strdup(name);
	count->value = value ? strdup(value) : NULL;
	if (!count->name || (value && !count->value)) {
		free(count->name);
		free(count);
		return NULL;
	}
	if (stats->nr >= 1U << stats->bits)
		grow(stats);
	slot = find_slot(stats, name, value);
	count->next = *slot;
	*slot = count;
	stats->nr++;
	return count;
}

/**
 * stats_init - begin to count
 * @stats: where
 * @by: the argument that calls are told apart by, NULL: none
 *
 * Return: false without memory.
 */
bool stats_init(struct stats *stats, const char *by)
{
	*stats = (struct stats){ .by = by, .bits = FIRST_BITS };
	stats->slots = calloc(1 << FIRST_BITS, sizeof(*stats->slots));
	return stats->slots;
}

/**
 * stats_free - free what was counted
 * @stats: where
 */
void stats_free(struct stats *stats)
{
	struct errors *error;
	struct count *count;
	u32 i;

	for (i = 0; stats->slots && i < 1U << stats->bits; i++) {
		while ((count = stats->slots[i])) {
			stats->slots[i] = count->next;
			while ((error = count->errors)) {
				count->errors = error->next;
				free(error);
			}
			histogram_free(&count->times);
			if (count->numbers) {
				histogram_free(&count->numbers->negative);
				histogram_free(&count->numbers->positive);
			}
			free(count->numbers);
			free(count->name);
			free(count->value);
			free(count);
		}
	}
	free(stats->slots);
}

static bool add_error(struct count *count, int error)
{
	struct errors *each;

	count->nr_errors++;
	for (each = count->errors; each; each = each->next)
		if (each->error == error)
			break;
	if (!each) {
		each = calloc(1, sizeof(*each));
		if (!each)
			return false;
		each->error = error;
		each->next = count->errors;
		count->errors = each;
	}
	each->nr++;
	return true;
}

static bool add_number(struct count *count, const struct arg_value *value)
{
	bool negative = value->kind == ARG_SIGNED && (s64)value->val < 0;

	if (!count->numbers)
		count->numbers = calloc(1, sizeof(*count->numbers));
	if (!count->numbers)
		return false;
	count->numbers->nr++;
	return histogram_add(negative ? &count->numbers->negative :
					&count->numbers->positive,
			     negative ? -value->val : value->val);
}

static bool add_times(struct count *count, const struct span *span)
{
	u64 time = span->duration;

	if (span->lost == SPAN_NO_END)
		return true;
	if (!count->nr_timed++ || time < count->least)
		count->least = time;
	count->most = max(count->most, time);
	count->total += time;
	count->self += span->self;
	return histogram_add(&count->times, time);
}

/* The value that calls are told apart by, as text; NULL if the call has no such value */
static char *by_value(const struct stats *stats, struct span *span,
		      const struct item **item)
{
	const struct values *values = span_args(span);

	*item = NULL;
	if (!strcmp(stats->by, "ret")) {
		values = span_ret(span);
		*item = values && values->nr ? &values->items[0] : NULL;
	} else if (values) {
		*item = values_find(values, stats->by);
	}
	if (*item && (*item)->kind != ITEM_VALUE)
		*item = NULL;
	if (*item)
		return strndup((*item)->value.text ?: "", (*item)->value.len);
	if (!strcmp(stats->by, "comm"))
		return strdup(task_comm(span->calls, span->task));
	return NULL;
}

/**
 * stats_add - count a call
 * @stats: where
 * @span: the call; with stats->by, a call without such an argument is not counted
 */
void stats_add(struct stats *stats, struct span *span)
{
	const struct item *item = NULL;
	char buf[32], name[512];
	char *value = NULL;
	struct count *count;

	if (stats->by) {
		value = by_value(stats, span, &item);
		if (!value)
			return;
	}
	snprintf(name, sizeof(name), "%s%s%s%s",
		 func_name(span->func, buf, sizeof(buf)),
		 span->func->module ? " [" : "", span->func->module ?: "",
		 span->func->module ? "]" : "");
	count = get_count(stats, name, value);
	free(value);
	if (!count) {
		stats->failed = true;
		return;
	}
	count->nr++;
	if (!add_times(count, span) ||
	    (span->error && !add_error(count, span->error)))
		stats->failed = true;
	if (!item || !value_is_number(&item->value))
		return;
	/* All calls of the function, for the histogram */
	count = get_count(stats, name, NULL);
	if (!count || !add_number(count, &item->value))
		stats->failed = true;
}

/**
 * stats_list - list all counts
 * @stats: where
 *
 * Return: an array up to a NULL, to be freed; NULL without memory.
 */
struct count **stats_list(const struct stats *stats)
{
	struct count **list = calloc(stats->nr + 1, sizeof(*list)), *count;
	u32 nr = 0, i;

	for (i = 0; list && i < 1U << stats->bits; i++)
		for (count = stats->slots[i]; count; count = count->next)
			list[nr++] = count;
	return list;
}

/**
 * put_time - write a time with its unit, four digits of it
 * @buf: where to
 * @size: bytes of @buf
 * @time: nanoseconds
 */
void put_time(char *buf, size_t size, u64 time)
{
	static const struct {
		const char	*name;
		double		nanoseconds;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	int i = 0;

	while (i < ARRAY_SIZE(units) - 1 && time >= 1000 * units[i].nanoseconds)
		i++;
	snprintf(buf, size, "%.*f %s", i ? 3 : 0, time / units[i].nanoseconds,
		 units[i].name);
}

const struct option stats_longs[] = {
	{ "by", required_argument, NULL, 'b' },
	{ "sort", required_argument, NULL, 's' },
	{ "number", required_argument, NULL, 'n' },
	{ NULL }
};

/**
 * stats_set_option - set one of the options that commands with statistics have
 * @options: the options
 * @option: the letter of the option
 * @value: its value, which has to last
 *
 * Return: false if the value is wrong.
 */
bool stats_set_option(struct stats_options *options, int option, const char *value)
{
	unsigned int i;
	char *end;

	switch (option) {
	case 'b':
		options->by = value;
		return *value;
	case 'n':
		options->limit = strtoul(value, &end, 10);
		return *value && !*end;
	default:
		for (i = 0; i < options->nr_keys; i++) {
			if (!strcmp(value, options->keys[i])) {
				options->sort_by = i;
				return true;
			}
		}
		return false;
	}
}

/**
 * count_compare_names - order counts by their names
 * @one: a function, or a value of its argument
 * @other: another one
 *
 * Return: below 0, 0 or above, as strcmp().
 */
int count_compare_names(const struct count *one, const struct count *other)
{
	int ret = strcmp(one->name, other->name);

	return ret ?: strcmp(one->value ?: "", other->value ?: "");
}

/**
 * count_mean - the mean duration of a function's calls
 * @count: the function; calls without a duration are left out
 *
 * Return: nanoseconds, 0 if no call has a duration.
 */
u64 count_mean(const struct count *count)
{
	return count->nr_timed ? count->total / count->nr_timed : 0;
}
