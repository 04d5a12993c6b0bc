/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines about calls of a trace instance, and the functions that they apply to
 */
#ifndef _TRACE_GRAPH_RULES_H
#define _TRACE_GRAPH_RULES_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct graph_cond;
struct graph_cond_error;
struct graph_prog;

/**
 * struct graph_rule - the programs of a function
 * @list: in the rules of the filter
 * @args: a program needs arguments at the entry
 * @strings: a program needs strings of parameters at the entry
 * @record: a program needs strings or values of expressions at the entry
 * @entry: a program decides or counts at the entry
 * @at_return: a program counts at the return
 * @keep: how many of these programs need arguments
 * @nr_regs: the programs need only so many of the first argument registers; 0 if they
 *	need other places
 * @nr: how many programs there are
 * @progs: the programs
 */
struct graph_rule {
	struct list_head	list;
	bool			args;
	bool			strings;
	bool			record;
	bool			entry;
	bool			at_return;
	unsigned int		keep;
	unsigned int		nr_regs;
	unsigned int		nr;
	struct graph_prog	*progs[] __counted_by(nr);
};

/**
 * struct graph_rule_slot - a function that a condition covers
 * @ip: the address that ftrace knows the function by; 0 where the slot is empty
 * @rule: its programs
 */
struct graph_rule_slot {
	unsigned long		ip;
	struct graph_rule	*rule;
};

/**
 * struct graph_rules - the hash of the functions that conditions cover
 * @mask: how many slots it has, a power of two, minus one
 * @shift: bits that a hash is shifted by to become a slot's number
 * @nr: functions
 * @slots: open addressing, linear probing; at most half of them are used
 */
struct graph_rules {
	unsigned int		mask;
	unsigned int		shift;
	unsigned int		nr;
	struct graph_rule_slot	slots[];
};

/* hash_long() with a precomputed shift */
static inline unsigned long graph_rule_hash(const struct graph_rules *table,
					    unsigned long ip)
{
	return ip * GOLDEN_RATIO_PRIME >> table->shift;
}

/**
 * struct graph_filter - the lines of a file of a trace instance
 * @conds: the lines
 * @nr: how many lines there are
 * @rules: the rules
 * @table: the functions; replaced when a module comes
 * @at_return: a line is decided, or counts, at the return
 * @duration: a line counts by the duration
 * @wants_errors: a call that did not fail meets no line
 */
struct graph_filter {
	struct list_head		conds;
	unsigned int			nr;
	struct list_head		rules;
	struct graph_rules __rcu	*table;
	bool				at_return;
	bool				duration;
	bool				wants_errors;
};

/* The programs of a function, NULL if no condition covers it; in a callback of a tracer */
static inline struct graph_rule *graph_rule_find(const struct graph_filter *filter,
						 unsigned long ip)
{
	const struct graph_rules *table = rcu_dereference_raw(filter->table);
	unsigned long i;

	for (i = graph_rule_hash(table, ip);; i = (i + 1) & table->mask) {
		const struct graph_rule_slot *slot = &table->slots[i];

		if (slot->ip == ip || !slot->ip)
			return slot->rule;
	}
}

int graph_filter_build(struct graph_filter *filter,
		       struct graph_cond_error *err, struct graph_cond **bad);
void graph_filter_free(struct graph_filter *filter);
void graph_filter_wait(void);

#endif /* _TRACE_GRAPH_RULES_H */
