/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts of calls by arguments and returns in the function_graph tracer
 *
 * set_graph_hist has lines "GLOB: KEYS" and "GLOB: KEYS if CONDITION".  Each line has a
 * tracing_map, which counts the calls with the same function and the same values of the keys.
 * The tracer writes no events for an instance with such lines.
 *
 * A line whose keys and condition are all known at the entry counts a call at its entry, so
 * the return of the call need not be traced.  Any other line counts the call at its return.
 * If such a line has keys or comparisons that are known at the entry, the call is kept until
 * its return, see calls/keep.h.
 */
#ifndef _TRACE_GRAPH_HIST_H
#define _TRACE_GRAPH_HIST_H

#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../args/table.h"
#include "../args/text.h"
#include "../trace_graph_args.h"
#include "keep.h"
#include "lines.h"
#include "../tracing_map.h"

#ifdef CONFIG_FUNCTION_ARG_SIGS

/**
 * struct graph_hist_key - the key of a row of a table
 * @func: the lower half of the address that ftrace knows the function by. The lower half
 *	determines the address, because all functions are near _text
 * @set: the number of the function's set of signatures. Another module may get the address
 *	after the function is gone, but no other set gets the number. ARG_SIGS_IMAGE for a
 *	function of the image, or if the function's module has no set
 * @vals: the values of the line's keys. The line determines the number of bytes of each
 *	value. The value of a .log2 key is 0 for 0, n + 1 for more than 2^(n - 1) up to
 *	2^n, or GRAPH_HIST_NEGATIVE. The value of "error" is 0 or the negative error
 *
 * The key of a table ends with the last value of its line.
 */
struct graph_hist_key {
	u32	func;
	u32	set;
	u8	vals[GRAPH_COND_KEYS * GRAPH_KEY_TEXT_SIZE];
};

#define GRAPH_HIST_NEGATIVE	66

int graph_hist_make_map(struct graph_cond *cond);
int graph_hist_compare(const struct graph_cond *cond, const struct graph_hist_key *a,
		       const struct graph_hist_key *b);
int graph_hist_show(struct seq_file *m, void *v);
void graph_hist_clear(void *data);
bool graph_hist_read_any(unsigned long *longs, unsigned long func,
			 struct ftrace_regs *fregs);
void graph_hist_count(const struct graph_prog *prog,
		      struct graph_hist_key *row);
void graph_hist_entry_many(struct trace_array *tr,
			   const struct graph_rule *rule,
			   const struct ftrace_graph_ent *trace, u64 calltime,
			   u64 sleeptime, unsigned long *longs, bool known,
			   struct ftrace_regs *fregs);
void graph_hist_return_many(struct trace_array *tr, struct kept_call *call,
			    const struct ftrace_graph_ret *trace, u64 duration);

/* Take the value of a key from the long @val */
static inline u64 graph_hist_value(const struct graph_key *key, u64 val)
{
	val <<= key->left;
	val = key->sign ? (s64)val >> key->right : val >> key->right;
	if (key->swap)
		val = arg_swap_bytes(val, sizeof(val) - key->right / BITS_PER_BYTE);
	if (key->form != GRAPH_KEY_LOG2)
		return val;
	if (key->sign && (s64)val < 0)
		return GRAPH_HIST_NEGATIVE;
	return val ? fls64(val - 1) + 1 : 0;
}

/* Write the value of a key into a row's key; the value is in the long @val */
static __always_inline void graph_hist_put(struct graph_hist_key *row,
					   const struct graph_key *key, u64 val)
{
	if (unlikely(!key->copy)) {
		val = graph_hist_value(key, val);
		if (key->pad)
			memset(row->vals + key->to, 0, GRAPH_KEY_TEXT_SIZE);
	}
	if (key->size == sizeof(u32))
		put_unaligned((u32)val, (u32 *)(row->vals + key->to));
	else
		put_unaligned(val, (u64 *)(row->vals + key->to));
}

/* Add the values of the task to the captured longs */
static __always_inline void graph_hist_read_task(unsigned long *longs)
{
	longs[GRAPH_LONG_CPU] = raw_smp_processor_id();
	longs[GRAPH_LONG_PID] = current->pid;
	longs[GRAPH_LONG_TGID] = current->tgid;
	memcpy(&longs[GRAPH_LONG_COMM], current->comm, TASK_COMM_LEN);
}

/**
 * graph_hist_put_args - write the begin of a row's key: what is known at the entry
 * @row: the row's key
 * @prog: the program of a line of keys
 * @func: the address that ftrace knows the function by
 * @longs: the captured longs and the values of the task; not used if there are no such keys
 *
 * Any context, including NMI.
 */
static __always_inline void
graph_hist_put_args(struct graph_hist_key *row, const struct graph_prog *prog,
		    unsigned long func, const unsigned long *longs)
{
	const struct graph_key *key;

	row->func = func;
	row->set = arg_sig_called_set(func);
	for (key = prog->keys; key < prog->args_end; key++)
		graph_hist_put(row, key, longs[key->index]);
}

/**
 * graph_hist_put_ret - complete a row's key: the values that are known at the return
 * @row: the row's key, from graph_hist_put_args()
 * @prog: the program of a line of keys
 * @ret: the function's return value
 * @duration: the call's duration in ns
 *
 * Any context, including NMI.
 */
static __always_inline void
graph_hist_put_ret(struct graph_hist_key *row, const struct graph_prog *prog,
		   u64 ret, u64 duration)
{
	const struct graph_key *key;

	for (key = prog->args_end; key < prog->keys_end; key++) {
		u64 val = ret;

		if (unlikely(key->what != GRAPH_PRED_RET)) {
			if (key->what == GRAPH_PRED_DURATION)
				val = duration;
			else if (!graph_ret_is_error(prog, ret))
				val = 0;
		}
		graph_hist_put(row, key, val);
	}
}

/* Read the longs that a rule needs; returns false if they cannot be read */
static __always_inline bool
graph_hist_read(unsigned long *longs, const struct graph_rule *rule,
		unsigned long func, struct ftrace_regs *fregs)
{
	if (likely(rule->nr_regs)) {
		capture_regs(longs, rule->nr_regs, fregs);
		return true;
	}
	return !rule->args || graph_hist_read_any(longs, func, fregs);
}

/*
 * The bytes that a kept call has for a line: the key of a row, and the results of the condition's
 * comparisons
 */
static inline unsigned int graph_hist_kept_size(const struct graph_prog *prog)
{
	if (!graph_prog_is_kept(prog))
		return 0;
	return prog->cond->map->key_size + (prog->only ? sizeof(u32) : 0);
}

/* Keep a call until its return, with @size bytes for its lines; returns NULL without room */
static __always_inline struct kept_call *
graph_hist_keep(struct trace_array *tr, const struct graph_rule *rule,
		u64 calltime, u64 sleeptime, unsigned int size)
{
	struct kept_call *call;

	call = kept_reserve(tr->gops, DIV_ROUND_UP(size, sizeof(long)));
	if (likely(call)) {
		call->calltime = calltime;
		call->sleeptime = sleeptime;
		call->owner = rule;
	}
	return call;
}

/* Count a call in the table of a line */
static __always_inline void graph_hist_add(const struct graph_prog *prog,
					   struct graph_hist_key *row)
{
	struct tracing_map_elt *elt;

	elt = tracing_map_insert(prog->cond->map, row);
	if (likely(elt))
		tracing_map_update_sum(elt, 0, 1);
}

/* Count a call of one line at its entry, or keep it */
static __always_inline void
graph_hist_entry_one(struct trace_array *tr, const struct graph_rule *rule,
		     const struct ftrace_graph_ent *trace, u64 calltime,
		     u64 sleeptime, const unsigned long *longs)
{
	const struct graph_prog *prog = rule->progs[0];
	struct graph_hist_key row __uninitialized;
	struct kept_call *call;

	if (!rule->at_return) {
		graph_hist_put_args(&row, prog, trace->func, longs);
		graph_hist_add(prog, &row);
		return;
	}
	if (!rule->keep)
		return;
	call = graph_hist_keep(tr, rule, calltime, sleeptime, prog->cond->map->key_size);
	if (likely(call))
		graph_hist_put_args((struct graph_hist_key *)call->args, prog,
				    trace->func, longs);
}

/**
 * trace_graph_hist_entry - count a call at its entry, or keep it
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @fregs: the registers at the function's entry
 * @calltime: when the call began, if a line needs the duration
 * @sleeptime: how long the task had slept when the call began
 *
 * A kept call has those values of its rows' keys that are known at the entry. A call
 * whose arguments cannot be read is not kept. Any context, including NMI, with preemption
 * disabled.
 *
 * Return: whether trace_graph_hist_return() has to be called.
 */
static __always_inline bool
trace_graph_hist_entry(struct trace_array *tr,
		       const struct ftrace_graph_ent *trace,
		       unsigned long *word, struct ftrace_regs *fregs,
		       u64 calltime, u64 sleeptime)
{
	unsigned long longs[GRAPH_LONGS] __uninitialized;
	const struct graph_rule *rule;

	rule = graph_rule_find(tr->graph_hist, trace->func);
	/* set_graph_function needs the return of the call */
	if (!rule || unlikely(tr->buffer_disabled))
		return *word & TRACE_GRAPH_FL;

	if (unlikely(rule->task))
		graph_hist_read_task(longs);
	if (unlikely(!graph_hist_read(longs, rule, trace->func, fregs)))
		graph_hist_entry_many(tr, rule, trace, calltime, sleeptime, longs, false, fregs);
	else if (likely(rule->simple))
		graph_hist_entry_one(tr, rule, trace, calltime, sleeptime, longs);
	else
		graph_hist_entry_many(tr, rule, trace, calltime, sleeptime, longs, true, fregs);
	return rule->at_return || *word & TRACE_GRAPH_FL;
}

/**
 * trace_graph_hist_return - count a call at its return
 * @tr: the trace instance
 * @trace: the call
 * @duration: the call's duration in ns, if a line needs it
 *
 * Any context, including NMI, with preemption disabled.
 */
static __always_inline void
trace_graph_hist_return(struct trace_array *tr,
			const struct ftrace_graph_ret *trace, u64 duration)
{
	const struct graph_rule *rule;
	const struct graph_prog *prog;
	struct graph_hist_key *row;
	struct kept_call *call;

	if (unlikely(!tr->graph_hist->at_return))
		return;
	/* Returns come while tracing is off, too */
	if (unlikely(tr->buffer_disabled))
		return;
	call = kept_find(tr->gops);
	if (unlikely(!call)) {
		graph_hist_return_many(tr, NULL, trace, duration);
		return;
	}
	rule = call->owner;
	if (likely(rule->simple)) {
		prog = rule->progs[0];
		row = (struct graph_hist_key *)call->args;
		graph_hist_put_ret(row, prog, graph_retval(trace), duration);
		graph_hist_add(prog, row);
	} else {
		graph_hist_return_many(tr, call, trace, duration);
	}
}

#else

/* Not called without CONFIG_FUNCTION_ARG_SIGS */
bool trace_graph_hist_entry(struct trace_array *tr, const struct ftrace_graph_ent *trace,
			    unsigned long *word, struct ftrace_regs *fregs,
			    u64 calltime, u64 sleeptime);
void trace_graph_hist_return(struct trace_array *tr, const struct ftrace_graph_ret *trace,
			     u64 duration);

#endif /* CONFIG_FUNCTION_ARG_SIGS */

/* Whether the tracer counts calls instead of writing events */
static inline bool trace_graph_counts(struct trace_array *tr)
{
	return tr->graph_hist;
}

/* Whether a line counts by the duration */
static inline bool trace_graph_hist_duration(struct trace_array *tr)
{
	return tr->graph_hist->duration;
}

#endif /* _TRACE_GRAPH_HIST_H */
