// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of calls by arguments and returns in the function_graph tracer
 *
 * calls/hist.h has the code that each counted call needs. This file has the other
 * code.
 */
#include <linux/ftrace.h>
#include <linux/percpu.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "hist.h"

/**
 * graph_hist_read_any - read the longs of a call that are in any place
 * @longs: room for ARG_SIGS_MAX_LONGS longs
 * @func: the address that ftrace knows the function by
 * @fregs: the registers at the function's entry, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the longs could be read.
 */
bool graph_hist_read_any(unsigned long *longs, unsigned long func,
			 struct ftrace_regs *fregs)
{
	const struct arg_sig_module_slot *slot;
	u32 ref = arg_sig_find_called(func, &slot);

	return call_longs_get(longs, ref, slot, fregs);
}

/**
 * graph_hist_count - count a call in the table of a line
 * @prog: the line's program for the function
 * @row: the key of the call's row
 *
 * Any context, including NMI.
 */
void graph_hist_count(const struct graph_prog *prog, struct graph_hist_key *row)
{
	graph_hist_add(prog, row);
}
EXPORT_SYMBOL_IF_KUNIT(graph_hist_count);

/* The results of the comparisons at the entry, which follow the key of a row of a kept call */
static u32 *kept_bits(const struct graph_prog *prog, struct graph_hist_key *row)
{
	return (void *)row + prog->cond->map->key_size;
}

/**
 * graph_hist_entry_many - count a call of any number of lines at its entry, or keep it
 * @tr: the trace instance
 * @rule: the lines' programs for the function
 * @trace: the call
 * @calltime: when the call began, if a line needs the duration
 * @sleeptime: how long the task had slept when the call began
 * @longs: the captured longs and the values of the task; the values of expressions are added
 * @known: whether the longs of the arguments could be read
 * @fregs: the registers at the function's entry, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 */
void graph_hist_entry_many(struct trace_array *tr,
			   const struct graph_rule *rule,
			   const struct ftrace_graph_ent *trace, u64 calltime,
			   u64 sleeptime, unsigned long *longs, bool known,
			   struct ftrace_regs *fregs)
{
	struct graph_entry entry = { };
	struct kept_call *call = NULL;
	struct graph_hist_key *next;
	unsigned int i, size = 0;

	for (i = 0; i < rule->nr; i++)
		size += graph_hist_kept_size(rule->progs[i]);
	if (known && size)
		call = graph_hist_keep(tr, rule, calltime, sleeptime, size);
	next = call ? (struct graph_hist_key *)call->args : NULL;
	if (rule->only)
		graph_entry_capture(&entry, rule->args, rule->strings, trace->func, fregs);
	for (i = 0; i < rule->nr; i++) {
		const struct graph_prog *prog = rule->progs[i], *only = prog->only;
		struct graph_hist_key row __uninitialized;
		bool have = known || !prog->args;

		if (only)
			have &= (entry.data || !only->args) && (entry.record || !only->record);
		if (have && only && !prog->cond->at_return && !graph_prog_is_met(only, &entry))
			continue;
		if (have && prog->exprs)
			have = graph_prog_read_keys(prog, longs);
		if (prog->cond->at_return) {
			size = graph_hist_kept_size(prog);
			if (!size || !next)
				continue;
			/* No function has the address 0 */
			next->func = 0;
			if (have)
				graph_hist_put_args(next, prog, trace->func, longs);
			if (have && only)
				put_unaligned(graph_prog_compare(only, &entry),
					      kept_bits(prog, next));
			next = (void *)next + size;
		} else if (have) {
			graph_hist_put_args(&row, prog, trace->func, longs);
			graph_hist_count(prog, &row);
		} else {
			graph_prog_count_missed(prog);
		}
	}
	if (rule->only)
		call_args_release();
}

/**
 * graph_hist_return_many - count a call of any number of lines at its return
 * @tr: the trace instance
 * @call: the kept call, or NULL
 * @trace: the call
 * @duration: the call's duration in ns, if a line needs it
 *
 * Any context, including NMI, with preemption disabled.
 */
void graph_hist_return_many(struct trace_array *tr, struct kept_call *call,
			    const struct ftrace_graph_ret *trace, u64 duration)
{
	struct graph_hist_key *next = NULL;
	const struct graph_rule *rule;
	unsigned int i, size;

	if (call) {
		rule = call->owner;
		next = (struct graph_hist_key *)call->args;
	} else {
		rule = graph_rule_find(tr->graph_hist, trace->func);
	}
	for (i = 0; rule && i < rule->nr; i++) {
		const struct graph_prog *prog = rule->progs[i];
		struct graph_hist_key key __uninitialized, *row = &key;
		u32 bits = 0;

		if (!prog->cond->at_return)
			continue;
		size = graph_hist_kept_size(prog);
		if (!size) {
			graph_hist_put_args(row, prog, trace->func, NULL);
		} else {
			row = next;
			next = next ? (void *)next + size : NULL;
			if (!row || !row->func) {
				graph_prog_count_missed(prog);
				continue;
			}
			if (prog->only)
				bits = get_unaligned(kept_bits(prog, row));
		}
		if (prog->only && !graph_prog_is_met_at_return(prog->only, graph_retval(trace),
							       duration, bits))
			continue;
		graph_hist_put_ret(row, prog, graph_retval(trace), duration);
		graph_hist_count(prog, row);
	}
}
