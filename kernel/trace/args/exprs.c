// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of the descriptions of the user's expressions, for the capture of calls
 */
#include <linux/lockdep.h>
#include <linux/mutex.h>

#include "../trace.h"
#include "capture.h"
#include "table.h"
#include "../calls/progs.h"
#include "../calls/rules.h"

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
	bool events = arg_sigs_any_events();
	int nr;

	lockdep_assert_held(&trace_types_lock);

	list_for_each_entry(cond, &filter->conds, list) {
		list_for_each_entry(prog, &cond->progs, list) {
			if (prog->exprs->id != CALL_EXPRS_NONE)
				continue;
			nr = arg_exprs_add(prog->exprs->text, events);
			if (nr < 0)
				return nr;
			WRITE_ONCE(prog->exprs->id, nr);
		}
	}
	return 0;
}
