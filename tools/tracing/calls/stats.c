// SPDX-License-Identifier: GPL-2.0
/*
 * Count calls for summary and diff
 *
 * Times are stored in histograms, so the memory does not depend on the number of calls.
 * The width of a bucket is a 32nd of a power of two.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "stats.h"

#define STATS_BITS	10

/*
 * Maximum values of arguments that are counted separately. All further values are
 * counted together.
 */
#define MAX_STATS	0x10000
#define OTHER		"(other values)"

const char * const columns[] = {
	"calls", "errors", "total", "self", "mean", "p50", "p99", "max", "name",
};

static unsigned int bucket(u64 val, unsigned int shift)
{
	return (shift > 5 ? val >> (shift - 5) : val << (5 - shift)) % BUCKETS;
}

static void histogram_add(struct histogram *histogram, u64 val)
{
	unsigned int shift = fls64(val) - 1;
	u32 **buckets;

	if (!val) {
		histogram->zeros++;
		return;
	}
	buckets = &histogram->buckets[shift];
	if (!*buckets)
		*buckets = xcalloc(BUCKETS, sizeof(**buckets));
	(*buckets)[bucket(val, shift)]++;
}

/* The highest number of a bucket */
static u64 bucket_end(unsigned int shift, unsigned int i)
{
	if (shift <= 5)
		return (BUCKETS + i) >> (5 - shift);
	return ((u64)(BUCKETS + i + 1) << (shift - 5)) - 1;
}

/*
 * Find the number that a share of @nr numbers does not exceed, in thousandths.  It is at most 3 %
 * too high.
 */
static u64 histogram_quantile(const struct histogram *histogram, u64 nr, unsigned int permille)
{
	u64 rank = (nr * permille + 999) / 1000, seen = histogram->zeros;
	unsigned int shift, i;

	if (seen >= rank)
		return 0;
	for (shift = 0; shift < 64; shift++) {
		for (i = 0; histogram->buckets[shift] && i < BUCKETS; i++) {
			seen += histogram->buckets[shift][i];
			if (seen >= rank)
				return bucket_end(shift, i);
		}
	}
	return 0;
}

static void histogram_free(struct histogram *histogram)
{
	unsigned int shift;

	for (shift = 0; shift < 64; shift++)
		free(histogram->buckets[shift]);
}

/* Distinguishes an empty value from a missing value, and a name from a value */
static u64 count_key(const char *name, const char *value)
{
	u64 key = hash_text(HASH_TEXT, name);

	return value ? hash_text(key * 31, value) : key;
}

/*
 * Find the count of a function, or of a value of its argument. Returns NULL if there was no such
 * call.
 */
struct count *stats_find(const struct stats *stats, const char *name, const char *value)
{
	struct hash_node *node = *hash_slot(&stats->counts, count_key(name, value));
	struct count *count;

	for (; node; node = node->next) {
		count = container_of(node, struct count, node);
		if (!strcmp(count->name, name) && !count->value == !value &&
		    (!value || !strcmp(count->value, value)))
			return count;
	}
	return NULL;
}

static struct count *get_count(struct stats *stats, const char *name, const char *value)
{
	struct count *count = stats_find(stats, name, value);

	if (count)
		return count;
	if (value && stats->counts.nr >= MAX_STATS && strcmp(value, OTHER))
		return get_count(stats, name, OTHER);
	count = xcalloc(1, sizeof(*count));
	count->name = xstrdup(name);
	count->value = value ? xstrdup(value) : NULL;
	hash_add(&stats->counts, &count->node, count_key(name, value));
	return count;
}

/* Prepare to count calls; @by is the argument whose values are counted separately, or NULL */
void stats_init(struct stats *stats, const char *by)
{
	*stats = (struct stats){ .by = by };
	if (!hash_init(&stats->counts, STATS_BITS))
		out_of_memory();
}

static void free_count(struct hash_node *node)
{
	struct count *count = container_of(node, struct count, node);
	struct errors *error;

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

void stats_free(struct stats *stats)
{
	hash_free(&stats->counts, free_count);
}

static void add_error(struct count *count, int error)
{
	struct errors *each;

	count->nr_errors++;
	for (each = count->errors; each; each = each->next)
		if (each->error == error)
			break;
	if (!each) {
		each = xcalloc(1, sizeof(*each));
		each->error = error;
		each->next = count->errors;
		count->errors = each;
	}
	each->nr++;
}

static void add_number(struct count *count, const struct arg_value *value)
{
	bool negative = value->kind == ARG_SIGNED && (s64)value->val < 0;

	if (!count->numbers)
		count->numbers = xcalloc(1, sizeof(*count->numbers));
	histogram_add(negative ? &count->numbers->negative : &count->numbers->positive,
		      negative ? -value->val : value->val);
}

static void add_times(struct count *count, const struct span *span)
{
	u64 time = span->duration;

	if (span->lost == SPAN_NO_END)
		return;
	count->nr_timed++;
	count->most = max(count->most, time);
	count->sum += time;
	count->total += time - min(span_nested(span, (uintptr_t)count), time);
	count->self += span->self;
	histogram_add(&count->times, time);
}

/*
 * Find the value of the argument that separates counts, as text. Returns NULL if the
 * call has no such value.
 */
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
		return xstrndup((*item)->value.text ?: "", (*item)->value.len);
	if (!strcmp(stats->by, "comm"))
		return xstrdup(task_comm(span->calls, span->task));
	return NULL;
}

/* Count a call. With stats->by, a call without this argument is not counted. */
void stats_add(struct stats *stats, struct span *span)
{
	const struct sig_func *func = span->func;
	const struct item *item = NULL;
	char text[512];
	char *value = NULL;
	const char *name;
	struct count *count;

	if (stats->by) {
		value = by_value(stats, span, &item);
		if (!value)
			return;
	}
	name = func_name(func);
	if (func->module) {
		snprintf(text, sizeof(text), "%s [%s]", name, func->module);
		name = text;
	}
	count = get_count(stats, name, value);
	free(value);
	count->nr++;
	add_times(count, span);
	if (span->error)
		add_error(count, span->error);
	/* Count all calls of the function, for the histogram */
	if (item && value_is_number(&item->value))
		add_number(get_count(stats, name, NULL), &item->value);
}

static void stats_end_call(struct calls *calls, struct span *span, struct open *open)
{
	stats_add(calls->data, span);
}

/* Functions that count calls; the data of the recording is its struct stats */
const struct calls_ops stats_ops = {
	.end	= stats_end_call,
};

/* List all counts in an array that ends with NULL, which the caller frees */
struct count **stats_list(const struct stats *stats)
{
	struct count **list = xcalloc(stats->counts.nr + 1, sizeof(*list));
	struct hash_node *node;
	u32 nr = 0, i;

	for (i = 0; i < hash_size(&stats->counts); i++)
		for (node = stats->counts.slots[i]; node; node = node->next)
			list[nr++] = container_of(node, struct count, node);
	return list;
}

/* Write the name of a count, and its value, at the end of a line */
void put_name(const struct stats *stats, const struct count *count)
{
	out_printf("  %s", count->name);
	if (count->value)
		out_printf("  %s=%s", stats->by, count->value);
	out_puts("\n");
}

/* Write four digits of a time in nanoseconds with its unit */
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

/* Set an option of the commands with statistics. Returns false if the value is wrong. */
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
		for (i = 0; i < NR_COLUMNS; i++) {
			if (options->keys & BIT(i) && !strcmp(value, columns[i])) {
				options->sort_by = i;
				return true;
			}
		}
		return false;
	}
}

/* Order functions, and the values of their argument, by their names */
int count_compare_names(const struct count *one, const struct count *other)
{
	int ret = strcmp(one->name, other->name);

	return ret ?: strcmp(one->value ?: "", other->value ?: "");
}

/* Find a number of a count, 0 for COL_NAME. Calls without a duration are left out of the times. */
u64 count_column(const struct count *count, enum column which)
{
	switch (which) {
	case COL_CALLS:
		return count->nr;
	case COL_ERRORS:
		return count->nr_errors;
	case COL_TOTAL:
		return count->total;
	case COL_SELF:
		return count->self;
	case COL_MEAN:
		return count->nr_timed ? count->sum / count->nr_timed : 0;
	case COL_P50:
		return min(count->most, histogram_quantile(&count->times, count->nr_timed, 500));
	case COL_P99:
		return min(count->most, histogram_quantile(&count->times, count->nr_timed, 990));
	case COL_MAX:
		return count->most;
	default:
		return 0;
	}
}
