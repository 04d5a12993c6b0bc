// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls summary: write calls, errors and times of each function
 */
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* Length of a histogram's longest bar in characters */
#define BAR	40

static struct stats_options choice = {
	.keys		= -1U,
	.sort_by	= COL_TOTAL,
	.limit		= -1UL,
};

/* The form of the output: text, comma-separated values, or a JSON object for each function */
static enum { FORM_TEXT, FORM_CSV, FORM_JSON } form;

static const struct choice choices[] = {
	{ 'b', "by", "ARGUMENT", "count calls by the value of an argument, or by ret or\n"
	  "comm; numbers have a histogram as well" },
	{ 's', "sort", "COLUMN", "calls, errors, total (default), self, mean, p50, p99, max\n"
	  "or name" },
	{ 'n', "number", "N", "print at most N lines" },
	{ 'c', "csv", NULL, "write comma-separated values, times in nanoseconds" },
	{ 'j', "json", NULL, "write a JSON object for each function, one object a line" },
	{ }
};

static bool summary_set_option(int option, const char *value)
{
	if (option != 'c' && option != 'j')
		return stats_set_option(&choice, option, value);
	form = option == 'c' ? FORM_CSV : FORM_JSON;
	return true;
}

static struct options options = {
	.usage = "summary [OPTIONS] [FILE]\n\n"
		 "Write calls, errors and times of each function\n",
	.choices = choices,
	.set = summary_set_option,
};

/* Sort the largest number first, but names from a to z */
static int summary_compare(const void *a, const void *b)
{
	const struct count *one = *(const struct count **)a;
	const struct count *other = *(const struct count **)b;
	u64 x = count_column(one, choice.sort_by), y = count_column(other, choice.sort_by);

	if (x != y)
		return x < y ? 1 : -1;
	return count_compare_names(one, other);
}

static void put_count(const struct stats *stats, const struct count *count)
{
	char text[32];
	enum column i;

	out_printf("%10llu %8llu", (unsigned long long)count->nr,
		   (unsigned long long)count->nr_errors);
	for (i = COL_TOTAL; i <= COL_MAX; i++) {
		put_time(text, sizeof(text), count_column(count, i));
		out_printf(" %11s", count->nr_timed ? text : "-");
	}
	put_name(stats, count);
}

/* Write a field of comma-separated values, see RFC 4180 */
static void put_csv_text(const char *text)
{
	size_t len;

	out_puts("\"");
	for (;; text += len) {
		len = strcspn(text, "\"");
		out_write(text, len);
		if (!text[len++])
			break;
		out_puts("\"\"");
	}
	out_puts("\"");
}

static void put_csv(const struct count *count)
{
	enum column i;

	put_csv_text(count->name);
	if (choice.by) {
		out_puts(",");
		put_csv_text(count->value ?: "");
	}
	for (i = COL_CALLS; i <= COL_MAX; i++) {
		out_puts(",");
		if (i < COL_TOTAL || count->nr_timed)
			out_udec(count_column(count, i));
	}
	out_puts("\n");
}

static void put_csv_head(void)
{
	enum column i;

	out_puts("function");
	if (choice.by) {
		out_puts(",");
		put_csv_text(choice.by);
	}
	for (i = COL_CALLS; i <= COL_MAX; i++)
		out_printf(",%s", columns[i]);
	out_puts("\n");
}

static void put_json(const struct count *count)
{
	const char *module = strstr(count->name, " [");
	const struct errors *each;
	char number[16];
	enum column i;

	out_puts("{\"type\":\"function\",\"function\":");
	out_json_string(count->name, module ? module - count->name : strlen(count->name));
	if (module) {
		out_puts(",\"module\":");
		out_json_string(module + 2, strlen(module) - 3);
	}
	if (count->value) {
		out_json_text(",\"by\":", choice.by);
		out_json_text(",\"value\":", count->value);
	}
	for (i = COL_CALLS; i <= (count->nr_timed ? COL_MAX : COL_ERRORS); i++) {
		out_printf(",\"%s", columns[i]);
		out_json_number("\":", count_column(count, i));
	}
	out_puts(",\"errnos\":{");
	for (each = count->errors; each; each = each->next) {
		snprintf(number, sizeof(number), "-E%d", -each->error);
		out_json_text(each == count->errors ? "" : ",",
			      (errname(each->error) ?: number) + 1);
		out_json_number(":", each->nr);
	}
	out_puts("}}\n");
}

static void put_errors(const struct count *count)
{
	const struct errors *each;

	for (each = count->errors; each; each = each->next)
		out_printf("%10s %8llu  %s\n", "", (unsigned long long)each->nr,
			   errname(each->error) ?: "(no name)");
}

static u64 count_power(const struct histogram *histogram, unsigned int shift)
{
	u64 nr = 0;
	unsigned int i;

	for (i = 0; histogram->buckets[shift] && i < BUCKETS; i++)
		nr += histogram->buckets[shift][i];
	return nr;
}

static void put_bar(const char *range, u64 nr, u64 most)
{
	int len = (nr * BAR + most - 1) / most;

	out_printf("%24s %10llu |%.*s\n", range, (unsigned long long)nr, len,
		   "########################################");
}

/* Write the powers of two, the lowest number first */
static void put_histogram(const struct count *count)
{
	const struct numbers *numbers = count->numbers;
	u64 most = numbers->positive.zeros, nr;
	char range[64];
	int shift;

	for (shift = 0; shift < 64; shift++) {
		most = max(most, count_power(&numbers->negative, shift));
		most = max(most, count_power(&numbers->positive, shift));
	}
	out_printf("\n%s  %s\n", count->name, choice.by);
	for (shift = 63; shift >= 0; shift--) {
		nr = count_power(&numbers->negative, shift);
		snprintf(range, sizeof(range), "-%llu .. -%llu",
			 (2ULL << shift) - 1, 1ULL << shift);
		if (nr)
			put_bar(range, nr, most);
	}
	if (numbers->positive.zeros)
		put_bar("0 .. 0", numbers->positive.zeros, most);
	for (shift = 0; shift < 64; shift++) {
		nr = count_power(&numbers->positive, shift);
		snprintf(range, sizeof(range), "%llu .. %llu", 1ULL << shift, (2ULL << shift) - 1);
		if (nr)
			put_bar(range, nr, most);
	}
}

/* Sort the most frequent error first */
static void sort_errors(struct count *count)
{
	struct errors *sorted = NULL, *each, **link;

	while ((each = count->errors)) {
		count->errors = each->next;
		for (link = &sorted; *link && (*link)->nr >= each->nr; link = &(*link)->next)
			;
		each->next = *link;
		*link = each;
	}
	count->errors = sorted;
}

/*
 * Write calls, errors and times of each function. With @errors, functions with the most errors
 * come first, and --sort is ignored.
 */
void summary_put(const struct stats *stats, bool errors)
{
	struct count **list = stats_list(stats);
	unsigned long shown = 0;
	u32 i;

	if (errors)
		choice.sort_by = COL_ERRORS;
	qsort(list, stats->counts.nr, sizeof(*list), summary_compare);
	if (form == FORM_CSV) {
		put_csv_head();
	} else if (form == FORM_JSON) {
		out_data();
	} else if (form == FORM_TEXT) {
		out_puts("     calls   errors       total        self        mean");
		out_puts("         p50         p99         max  function\n");
	}
	for (i = 0; i < stats->counts.nr && shown < choice.limit; i++) {
		/* A count that exists only for a histogram has no calls */
		if (!list[i]->nr)
			continue;
		shown++;
		sort_errors(list[i]);
		if (form == FORM_CSV) {
			put_csv(list[i]);
		} else if (form == FORM_JSON) {
			put_json(list[i]);
		} else {
			put_count(stats, list[i]);
			put_errors(list[i]);
		}
	}
	for (i = 0; i < stats->counts.nr && form == FORM_TEXT; i++)
		if (list[i]->numbers)
			put_histogram(list[i]);
	free(list);
}

int cmd_summary(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;
	struct stats stats;

	if (first < 0)
		return ~first;
	stats_init(&stats, choice.by);
	if (calls_read(&calls, argv[first], options.filters, &stats_ops, &stats) &&
	    form == FORM_JSON)
		json_ops.open(&calls);
	if (!calls.failed)
		summary_put(&stats, false);
	if (calls.nr_lost)
		complain("%s: events were lost %llu times, calls are missing",
			 calls.file, (unsigned long long)calls.nr_lost);
	if (choice.by && !stats.counts.nr && !calls.failed && !calls.damaged) {
		complain("%s: no call has a value %s", calls.file, choice.by);
		calls.failed = true;
	}
	status = finish(&calls, &options);
	stats_free(&stats);
	return status;
}
