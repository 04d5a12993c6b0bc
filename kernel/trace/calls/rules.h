/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines about calls of a trace instance, and the functions that they apply to
 */
#ifndef _TRACE_GRAPH_RULES_H
#define _TRACE_GRAPH_RULES_H

#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/mutex_types.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "../args/args.h"
#include "../args/capture.h"
#include "../args/func_map.h"

struct graph_cond;
struct graph_cond_error;
struct graph_prog;

/**
 * struct graph_rule - the programs of a function
 * @lines: the expressions of the programs, for the capture of a call
 * @list: entry in the rules of the filter
 * @args: whether a program needs arguments at the entry
 * @strings: whether a program needs strings of parameters at the entry
 * @task: whether a program counts by values of the task
 * @record: whether a program needs a record at the entry, see struct graph_prog
 * @entry: whether a program decides or counts at the entry
 * @at_return: whether a program counts at the return
 * @keep: number of programs that count at the return by values that are known at the entry
 * @only: whether a line of keys has a condition
 * @nr_regs: the number of argument registers that the programs need; 0 if the programs
 *	need other places
 * @nr: the number of programs
 * @simple: whether there is one program, which has no expressions
 * @wide: whether no error is shorter than 32 bits
 * @plain: whether there is one program, which is decided at the entry by numbers in argument
 *	registers
 * @progs: the programs
 */
struct graph_rule {
	struct call_lines	lines;
	struct list_head	list;
	bool			args;
	bool			strings;
	bool			task;
	bool			record;
	bool			entry;
	bool			at_return;
	unsigned int		keep;
	bool			only;
	unsigned int		nr_regs;
	unsigned int		nr;
	bool			simple;
	bool			wide;
	bool			plain;
	struct graph_prog	*progs[] __counted_by(nr);
};

/* A capture finds a rule as its lines */
static_assert(!offsetof(struct graph_rule, lines));

/**
 * struct graph_filter - the lines of a file of a trace instance
 * @retired: used after the lines were replaced while calls may use them
 * @conds: the lines
 * @nr: the number of lines
 * @rules: the rules
 * @table: the functions; the functions of a module are added when it is loaded
 * @at_entry: whether a line compares what is known at the entry
 * @at_return: whether a line decides or counts at the return
 * @duration: whether a line needs the duration
 * @wants_errors: whether only calls that failed can meet a line
 */
struct graph_filter {
	struct arg_sig_retired		retired;
	struct list_head		conds;
	unsigned int			nr;
	struct list_head		rules;
	struct func_map __rcu		*table;
	bool				at_entry;
	bool				at_return;
	bool				duration;
	bool				wants_errors;
};

/* Find the rule of a function, NULL if no line covers it. Called in a callback of a tracer */
static inline struct graph_rule *graph_rule_find(const struct graph_filter *filter,
						 unsigned long ip)
{
	return func_map_find(rcu_dereference_raw(filter->table), ip);
}

extern struct mutex graph_lines_mutex;

int graph_filter_build(struct graph_filter *filter,
		       struct graph_cond_error *err, struct graph_cond **bad);
void graph_filter_free(struct graph_filter *filter);
void graph_filter_retire(struct graph_filter *filter);
void graph_filter_wait(void);
int graph_filter_number(const struct graph_filter *filter);

#endif /* _TRACE_GRAPH_RULES_H */
