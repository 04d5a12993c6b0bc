/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of summary and diff, see stats.c */
#ifndef _TRACE_CALLS_STATS_H
#define _TRACE_CALLS_STATS_H

#include "calls.h"

/* Buckets of each power of two, for a precision of 3 % */
#define BUCKETS		32

/**
 * struct histogram - the number of occurrences of each number
 * @zeros: the number of occurrences of 0
 * @buckets: the buckets of each power of two, NULL if there are none
 */
struct histogram {
	u32	zeros;
	u32	*buckets[64];
};

/**
 * struct errors - the number of occurrences of an error
 * @next: the next error
 * @error: the negative error number
 * @nr: number of occurrences
 */
struct errors {
	struct errors	*next;
	int		error;
	u64		nr;
};

/**
 * struct count - the counts of a function, or of one value of its argument
 * @node: the element of the hash
 * @name: the function, with its module
 * @value: the argument's value as text, NULL if there is none
 * @nr: number of calls
 * @nr_timed: number of calls that have an exit
 * @nr_errors: number of calls that returned an error
 * @sum: nanoseconds of all calls
 * @total: nanoseconds in the function; a call in another call of the function adds nothing
 * @self: nanoseconds of all calls without their callees
 * @most: the longest call
 * @times: the durations of all calls
 * @errors: the errors
 * @numbers: the argument's values if they are numbers; else NULL
 */
struct count {
	struct hash_node	node;
	char			*name;
	char			*value;
	u64			nr;
	u64			nr_timed;
	u64			nr_errors;
	u64			sum;
	u64			total;
	u64			self;
	u64			most;
	struct histogram	times;
	struct errors		*errors;
	struct numbers		*numbers;
};

/**
 * struct numbers - the values of an argument that is a number
 * @negative: the numbers below 0, without their sign
 * @positive: the other numbers
 */
struct numbers {
	struct histogram	negative;
	struct histogram	positive;
};

/**
 * struct stats - the counts of a recording
 * @by: the argument whose values are counted separately, or NULL
 * @counts: the counts
 */
struct stats {
	const char	*by;
	struct hash	counts;
};

/* What is known about a count: a number, or its name */
enum column {
	COL_CALLS,
	COL_ERRORS,
	COL_TOTAL,
	COL_SELF,
	COL_MEAN,
	COL_P50,
	COL_P99,
	COL_MAX,
	COL_NAME,
	NR_COLUMNS
};

extern const char * const columns[NR_COLUMNS];

/**
 * struct stats_options - the options of all commands with statistics
 * @keys: the bits of the columns that --sort may have
 * @sort_by: the column of --sort
 * @by: the argument of --by, or NULL
 * @limit: maximum number of lines
 */
struct stats_options {
	unsigned int	keys;
	enum column	sort_by;
	const char	*by;
	unsigned long	limit;
};

extern const struct calls_ops stats_ops;

bool stats_set_option(struct stats_options *options, int option, const char *value);
void stats_init(struct stats *stats, const char *by);
void stats_free(struct stats *stats);
void stats_add(struct stats *stats, struct span *span);
struct count **stats_list(const struct stats *stats);
struct count *stats_find(const struct stats *stats, const char *name, const char *value);
int count_compare_names(const struct count *one, const struct count *other);
u64 count_column(const struct count *count, enum column which);
void summary_put(const struct stats *stats, bool errors);
void put_name(const struct stats *stats, const struct count *count);
void put_time(char *buf, size_t size, u64 time);

#endif /* _TRACE_CALLS_STATS_H */
