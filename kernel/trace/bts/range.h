/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code whose branches an instance records: the lines of bts_range
 */
#ifndef _TRACE_BTS_RANGE_H
#define _TRACE_BTS_RANGE_H

#include <linux/rcupdate.h>
#include <linux/types.h>

struct dentry;
struct trace_array;

/**
 * struct bts_ranges - ranges of addresses
 * @rcu: for freeing the structure, because an NMI may read it
 * @nr: number of ranges
 * @range: the ranges in ascending order; no two of them overlap
 */
struct bts_ranges {
	struct rcu_head		rcu;
	unsigned int		nr;
	struct bts_range {
		unsigned long	begin;
		unsigned long	end;
	}			range[] __counted_by(nr);
};

/**
 * bts_in_ranges - tell whether an address is in one of some ranges
 * @ranges: the ranges
 * @addr: the address
 *
 * Any context.
 *
 * Return: true if so, false otherwise.
 */
static inline bool bts_in_ranges(const struct bts_ranges *ranges, unsigned long addr)
{
	unsigned int low = 0, high = ranges->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ranges->range[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ranges->nr && ranges->range[low].begin <= addr;
}

#ifdef CONFIG_BTS_TRACER
int bts_find_ranges(struct trace_array *tr, struct bts_ranges **ranges);
void bts_range_init_tracefs(struct trace_array *tr, struct dentry *parent);
void bts_range_remove(struct trace_array *tr);
#else
static inline void bts_range_init_tracefs(struct trace_array *tr, struct dentry *parent) { }
static inline void bts_range_remove(struct trace_array *tr) { }
#endif

#endif /* _TRACE_BTS_RANGE_H */
