// SPDX-License-Identifier: GPL-2.0
/*
 * The user's expressions on the arguments of calls, as far as the capture needs them
 *
 * An instance with lines in func_args_expr has a number.  func_args_string_size passes
 * the number to the capture of a call.  The lines' table of functions has the compiled
 * expressions.  call_args_capture() is called for the references of the table's
 * functions.  The calls of other functions are captured as if there were no expressions.
 */
#include <linux/cleanup.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_graph_progs.h"
#include "trace_graph_rules.h"

/*
 * call_exprs_lines has the lines of instances, by the numbers of the instances, which
 * begin with 1. trace_types_lock protects changes. A call that is being captured may
 * still use lines that were replaced, so wait_for_calls() comes before they are freed.
 */
static struct graph_filter *call_exprs_lines[FUNC_ARGS_EXPRS_INSTANCES];

/**
 * call_exprs_of - find the lines of an instance
 * @what: func_args_string_size of the instance
 *
 * Any context, within the capture of a call.
 *
 * Return: the lines, NULL if the instance has none.
 */
const struct graph_filter *call_exprs_of(u32 what)
{
	return READ_ONCE(call_exprs_lines[what >> FUNC_ARGS_EXPRS_SHIFT]);
}

static unsigned int number_of(const struct trace_array *tr)
{
	return tr->func_args_string_size >> FUNC_ARGS_EXPRS_SHIFT;
}

static bool any_lines(void)
{
	unsigned int i;

	for (i = 1; i < FUNC_ARGS_EXPRS_INSTANCES; i++)
		if (call_exprs_lines[i])
			return true;
	return false;
}

/* Mark or unmark the references of the functions that lines apply to */
static void set_captured(const struct graph_filter *filter, bool captured)
{
	const struct graph_rules *table;
	unsigned long i;

	table = rcu_dereference_protected(filter->table,
					  lockdep_is_held(&trace_types_lock));
	for (i = 0; table && i <= table->mask; i++)
		if (table->slots[i].ip && table->slots[i].rule)
			arg_sig_set_captured(table->slots[i].ip, captured);
}

/**
 * call_exprs_update - mark the references of functions with expressions again
 *
 * Called after references were made again, or functions were added. The caller holds
 * trace_types_lock.
 */
void call_exprs_update(void)
{
	unsigned int i;

	for (i = 1; i < FUNC_ARGS_EXPRS_INSTANCES; i++)
		if (call_exprs_lines[i])
			set_captured(call_exprs_lines[i], true);
}

/* Wait until no call is being captured by lines or references that were replaced */
static void wait_for_calls(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu_tasks_rude();
}

/* Set the bits of an instance: @any tells whether any instance has expressions */
static void set_bits(struct trace_array *tr, bool any)
{
	u32 what = tr->func_args_string_size, deref = what & FUNC_ARGS_ANY_DEREF;

	what &= ~(FUNC_ARGS_ANY_DEREF | FUNC_ARGS_EXPRS);
	if (any)
		what |= FUNC_ARGS_EXPRS | (deref ? FUNC_ARGS_EXPRS_DEREF : 0);
	else
		what |= deref ? FUNC_ARGS_DEREF : 0;
	WRITE_ONCE(tr->func_args_string_size, what);
}

/**
 * call_exprs_number - give numbers to the descriptions of expressions
 * @filter: the lines
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0; -ENOSPC if there are too many descriptions, or -ENOMEM.
 */
int call_exprs_number(const struct graph_filter *filter)
{
	struct graph_cond *cond;
	struct graph_prog *prog;
	int nr;

	list_for_each_entry(cond, &filter->conds, list) {
		list_for_each_entry(prog, &cond->progs, list) {
			if (prog->exprs->id != CALL_EXPRS_NONE)
				continue;
			nr = arg_exprs_add(prog->exprs->text);
			if (nr < 0)
				return nr;
			WRITE_ONCE(prog->exprs->id, nr);
		}
	}
	return 0;
}

/**
 * call_exprs_set - set the lines of an instance
 * @tr: the trace instance
 * @filter: the lines, whose descriptions have numbers; NULL for no lines
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0 on success, and the previous lines are not used any more. -ENOSPC if too many
 * instances have lines.
 */
int call_exprs_set(struct trace_array *tr, struct graph_filter *filter)
{
	struct trace_array *each;
	unsigned int nr = number_of(tr), i;

	if (!nr && !filter)
		return 0;
	if (nr) {
		set_captured(call_exprs_lines[nr], false);
		/* Other instances may have lines for the same functions */
		for (i = 1; i < FUNC_ARGS_EXPRS_INSTANCES; i++)
			if (i != nr && call_exprs_lines[i])
				set_captured(call_exprs_lines[i], true);
		wait_for_calls();
	} else {
		for (nr = 1; call_exprs_lines[nr]; nr++)
			if (nr == FUNC_ARGS_EXPRS_INSTANCES - 1)
				return -ENOSPC;
	}
	WRITE_ONCE(call_exprs_lines[nr], filter);
	if (!filter)
		nr = 0;
	WRITE_ONCE(tr->func_args_string_size,
		   (tr->func_args_string_size & (BIT(FUNC_ARGS_EXPRS_SHIFT) - 1)) |
		   nr << FUNC_ARGS_EXPRS_SHIFT);
	list_for_each_entry(each, &ftrace_trace_arrays, list)
		set_bits(each, any_lines());
	wait_for_calls();
	call_exprs_update();
	return 0;
}
