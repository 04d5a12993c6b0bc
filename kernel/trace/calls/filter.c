// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions on arguments and returns in the function_graph tracer
 *
 * A task's word for the tracer has the depth of the call that met a condition at its
 * entry.  Every deeper call is written.  In the word, the depth is above the bits of
 * trace.h.
 *
 * Calls that are decided at their return are kept until then.  If any condition is
 * decided at the return, or with funcgraph-callers, all other calls are kept as well, because
 * they may be callers of a call that meets a condition.  When a call is written, its kept
 * callers that are not written yet are written first.  The returns of these callers are
 * written as well.
 *
 * Only calls of the same context are written together, because the interrupted code is no
 * caller of an interrupt.
 */
#include <linux/ftrace.h>
#include <linux/trace_clock.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../trace_graph_args.h"
#include "filter.h"
#include "keep.h"
#include "lbr.h"
#include "lines.h"

static __always_inline void count_matched(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->matched);
}

/**
 * struct entry_state - the state of the decision at a call's entry
 * @entry: what was captured of the call
 * @calltime: when the call began
 * @sleeptime: how long the task had slept when the call began
 * @bits: the entry's results of the programs that decide at the return
 * @matched: whether a condition that is decided at the entry is met
 * @is_kept: set to true if the call is kept, may be NULL
 */
struct entry_state {
	struct graph_entry	entry;
	u64			calltime;
	u64			sleeptime;
	u32			bits;
	bool			matched;
	bool			*is_kept;
};

static void decide_entry(const struct graph_prog *prog,
			 struct entry_state *state, unsigned int shift)
{
	bool at_return = prog->cond->at_return;

	if (!prog->nr_entry)
		return;
	if (!at_return)
		graph_count_seen(prog);
	if ((prog->args && !state->entry.data) || (prog->record && !state->entry.record)) {
		if (!at_return)
			graph_prog_count_missed(prog);
		return;
	}
	if (at_return) {
		state->bits |= graph_prog_compare(prog, &state->entry) << shift;
	} else if (graph_prog_is_met(prog, &state->entry)) {
		count_matched(prog);
		state->matched = true;
	}
}

static void decide_rule_entry(const struct graph_rule *rule,
			      struct entry_state *state)
{
	unsigned int i, shift = 0;

	for (i = 0; i < rule->nr; i++) {
		decide_entry(rule->progs[i], state, shift);
		if (rule->progs[i]->cond->at_return)
			shift += rule->progs[i]->nr_entry;
	}
}

/* Programs without strings and expressions need only the longs of a record */
static noinline void decide_direct(const struct graph_rule *rule,
				   struct entry_state *state, unsigned long ip,
				   struct ftrace_regs *fregs)
{
	/* The last value may be a byte, and a comparison loads eight bytes */
	unsigned long longs[ARG_SIGS_MAX_LONGS + 1] __uninitialized;
	const struct arg_sig_module_slot *slot;
	u32 ref;

	BUILD_BUG_ON(offsetof(struct call_record, longs));

	if (likely(rule->nr_regs && fregs)) {
		capture_regs(longs, rule->nr_regs, fregs);
		state->entry.data = longs;
	} else if (rule->args) {
		ref = arg_sig_find_called(ip, &slot);
		if (call_longs_get(longs, ref, slot, fregs))
			state->entry.data = longs;
	}
	state->entry.record = (struct call_record *)longs;
	decide_rule_entry(rule, state);
}

static void decide_at_entry(const struct graph_rule *rule,
			    struct entry_state *state, unsigned long ip,
			    struct ftrace_regs *fregs)
{
	if (likely(!rule->strings && !rule->record)) {
		decide_direct(rule, state, ip, fregs);
		return;
	}
	graph_entry_capture(&state->entry, rule->args, rule->strings, ip, fregs);
	decide_rule_entry(rule, state);
	call_args_release();
}

/* Do what trace_graph_keep() does, for a call of any function */
struct kept_call *trace_graph_keep_any(struct trace_array *tr,
				       const struct ftrace_graph_ent *trace,
				       struct ftrace_regs *fregs,
				       struct call_results *results)
{
	bool args_wanted = tr->current_trace_flags->val & TRACE_GRAPH_ARGS;
	struct call_args args __uninitialized;
	struct kept_call *call;
	bool with_args;

	/* Without arguments, a function of a module still has the number of its set */
	with_args = args_wanted || !arg_sig_called_in_image(trace->func);
	if (with_args)
		call_args_get(&args, tr, trace->func, args_wanted ? fregs : NULL, results);
	else
		args.size = 0;
	call = kept_reserve(tr->gops, DIV_ROUND_UP(args.size, sizeof(long)));
	if (likely(call)) {
		kept_set(call, trace, results);
		call->size = args.size;
		if (with_args)
			call_args_put(&args, call->args, fregs);
	}
	if (with_args)
		call_args_done(&args);
	return call;
}

/* Write the entry of a kept call; if a call is one event, have it written at its return */
static bool write_kept(struct trace_array *tr, struct kept_call *call)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;

	if (tr->graph_single) {
		call->state.written = KEPT_WRITTEN;
		return true;
	}
	entry = graph_reserve(buffer, TRACE_GRAPH_ENT,
			      sizeof(*entry) + call->size, call->trace_ctx);
	if (!entry)
		return false;
	entry->graph_ent = call->ent;
	graph_put_late_number(entry, call->number);
	memcpy((void *)entry + sizeof(*entry), call->args, call->size);
	graph_commit(buffer);
	call->state.written = true;
	return true;
}

/*
 * Write the current task's last kept call, after those of its callers that are not written
 * yet. At a return, this is the call that returns, if it is kept.
 */
static bool write_last(struct trace_array *tr)
{
	int pos = current->curr_ret_stack;
	struct kept_call *last = kept_prev(tr, current, &pos), *call = last, *below;

	if (!last || last->state.level != interrupt_context_level() || last->state.written)
		return true;
	while ((below = kept_prev(tr, current, &pos)) &&
	       below->state.level == last->state.level && !below->state.written) {
		below->above = call;
		call = below;
	}
	for (;; call = call->above) {
		if (!write_kept(tr, call))
			return false;
		if (call == last)
			return true;
	}
}

/* Keep a call; return false if there is no room */
static __always_inline bool
keep_call(struct trace_array *tr, const struct ftrace_graph_ent *trace,
	  unsigned int trace_ctx, struct ftrace_regs *fregs,
	  const struct graph_rule *rule, const struct entry_state *state,
	  bool written, struct call_results *results, u64 number)
{
	struct kept_call *call = trace_graph_keep(tr, trace, fregs, results);

	if (unlikely(!call))
		return false;
	call->calltime = state->calltime;
	call->sleeptime = state->sleeptime;
	call->state = (struct kept_state){
		.level = interrupt_context_level(), .written = written,
		.known = !rule || !rule->args || state->entry.data, .bits = state->bits,
	};
	call->trace_ctx = trace_ctx;
	call->number = number;
	call->owner = rule;
	if (state->is_kept)
		*state->is_kept = true;
	return true;
}

/* Write or keep an entry as the tracer does without conditions */
static noinline int
write_entry(struct trace_array *tr, struct ftrace_graph_ent *trace,
	    const struct entry_state *state, unsigned int trace_ctx,
	    struct ftrace_regs *fregs, struct call_results *results, u64 number)
{
	bool args = tr->current_trace_flags->val & TRACE_GRAPH_ARGS;
	u64 ts;

	if (tr->graph_single && keep_call(tr, trace, trace_ctx, fregs, NULL, state,
					  true, results, number))
		return 1;
	/* Without funcgraph-single, not every kernel has read the clock yet */
	ts = state->calltime ?: trace_clock_local();
	if (results)
		return trace_graph_record_results(tr, trace, trace_ctx, fregs,
						  results, number, ts);
	if (args || number)
		return trace_graph_record_args(tr, trace, trace_ctx, args ? fregs : NULL,
					       number, ts);
	return __trace_graph_entry(tr, trace, trace_ctx);
}

static void set_region(unsigned long *word, unsigned long region)
{
	*word = (*word & ~(GRAPH_REGION_MASK << GRAPH_REGION_SHIFT)) |
		region << GRAPH_REGION_SHIFT;
}

/* Do what trace_graph_filter_entry() does, whatever the lines compare */
int trace_graph_filter_decide(struct trace_array *tr,
			      struct ftrace_graph_ent *trace,
			      unsigned long *word, unsigned int trace_ctx,
			      struct ftrace_regs *fregs,
			      struct call_results *results,
			      u64 calltime, u64 sleeptime, u64 number, bool *is_kept)
{
	const struct graph_filter *filter = tr->graph_filter;
	unsigned int region = graph_region(*word);
	struct entry_state state __uninitialized;
	bool inside = region && trace->depth >= region;
	const struct graph_rule *rule;

	/* The call that met a condition has never returned */
	if (region && !inside)
		set_region(word, 0);
	/* decide_at_entry() sets the other members if arguments are captured */
	state.entry.record = NULL;
	state.entry.data = NULL;
	state.calltime = calltime;
	state.sleeptime = sleeptime;
	state.bits = 0;
	state.matched = false;
	state.is_kept = is_kept;
	rule = graph_rule_find(filter, trace->func);
	if (rule && rule->entry)
		decide_at_entry(rule, &state, trace->func, fregs);
	/* Conditions count a call in a call that met a condition, and do not change it */
	if (inside)
		return write_entry(tr, trace, &state, trace_ctx, fregs, results, number);
	if (unlikely(state.matched)) {
		if (filter->keeps && !write_last(tr))
			return 0;
		if (!write_entry(tr, trace, &state, trace_ctx, fregs, results, number))
			return 0;
		set_region(word, trace->depth + 1);
		return 1;
	}
	if (filter->keeps) {
		keep_call(tr, trace, trace_ctx, fregs, rule, &state, false,
			  results, number);
		return 1;
	}
	/* set_graph_function needs the return of the call */
	return !!(*word & TRACE_GRAPH_FL);
}

/**
 * struct return_state - the state of the decision at a call's return
 * @ret: the return register
 * @duration: the call's duration in ns
 * @bits: the results of the comparisons at the entry, of the next program first
 * @known: whether the bits are known
 * @inside: whether the call is in a call that met a condition at its entry. Then the bits have
 *	not been kept
 * @matched: whether a condition is met
 */
struct return_state {
	u64	ret;
	u64	duration;
	u32	bits;
	bool	known;
	bool	inside;
	bool	matched;
};

static void decide_return(const struct graph_prog *prog,
			  struct return_state *state)
{
	graph_count_seen(prog);
	if (prog->nr_entry && !state->known) {
		graph_prog_count_missed(prog);
		return;
	}
	if (!graph_prog_is_met_at_return(prog, state->ret, state->duration, state->bits))
		return;
	count_matched(prog);
	/* The call is shown without its arguments */
	if (!state->known && !state->inside)
		graph_prog_count_missed(prog);
	state->matched = true;
}

static bool decide_at_return(const struct graph_rule *rule,
			     const struct kept_call *call, bool inside,
			     const struct ftrace_graph_ret *trace, u64 duration)
{
	struct return_state state __uninitialized;
	unsigned int i;

	state.ret = graph_retval(trace);
	state.duration = duration;
	state.bits = call ? call->state.bits : 0;
	state.known = call && call->state.known;
	state.inside = inside;
	state.matched = false;
	for (i = 0; i < rule->nr; i++) {
		if (!rule->progs[i]->cond->at_return)
			continue;
		decide_return(rule->progs[i], &state);
		/* Shift as u64, because a program may have all 32 bits */
		state.bits = (u64)state.bits >> rule->progs[i]->nr_entry;
	}
	return state.matched;
}

/**
 * trace_graph_write_lost - write the entry of a call that was not kept
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 *
 * The entry has no arguments, but the set of signatures, so that each of them is shown as
 * unknown. Any context, including NMI, with preemption disabled.
 *
 * Return: whether the entry was written.
 */
bool trace_graph_write_lost(struct trace_array *tr,
			    const struct ftrace_graph_ret *trace,
			    unsigned int trace_ctx)
{
	struct ftrace_graph_ent ent = {
		.func	= trace->func,
		.depth	= trace->depth,
	};

	if (tr->current_trace_flags->val & TRACE_GRAPH_ARGS)
		return trace_graph_record_args(tr, &ent, trace_ctx, NULL, 0, trace_clock_local());
	return __trace_graph_entry(tr, &ent, trace_ctx);
}

/* Do what trace_graph_filter_return() does, whatever the lines compare */
bool trace_graph_filter_decide_return(struct trace_array *tr,
				      const struct ftrace_graph_ret *trace,
				      unsigned long *word, struct kept_call *call,
				      u64 duration, bool *lost)
{
	const struct graph_filter *filter = tr->graph_filter;
	unsigned int depth = trace->depth, region = graph_region(*word);
	const struct graph_rule *rule;
	bool written;

	if (region) {
		if (depth + 1 <= region)
			set_region(word, 0);
		if (depth + 1 >= region) {
			rule = filter->at_return ? graph_rule_find(filter, trace->func) : NULL;
			if (rule)
				decide_at_return(rule, NULL, true, trace, duration);
			return true;
		}
	}
	if (!filter->keeps)
		return false;

	rule = call ? call->owner : graph_rule_find(filter, trace->func);
	written = call && call->state.written;
	if (rule && decide_at_return(rule, call, false, trace, duration)) {
		if (!written)
			written = write_last(tr);
		if (!call)
			*lost = written;
		/* Not for a lost call, whose entry is not in the ring buffer yet */
		if (written && call)
			graph_lbr_write(tr, trace->func);
	}
	return written;
}

/**
 * trace_graph_filter_call - tell whether the function tracer shows a call
 * @tr: the trace instance
 * @ip: the address that ftrace knows the function by
 * @fregs: the registers at the function's entry
 *
 * No call meets a condition that is decided at the return, because the tracer does not
 * see returns. Any context, including NMI, with preemption disabled.
 *
 * Return: whether the call meets a condition.
 */
bool trace_graph_filter_call(struct trace_array *tr, unsigned long ip,
			     struct ftrace_regs *fregs)
{
	const struct graph_rule *rule = graph_rule_find(tr->graph_filter, ip);
	struct entry_state state = { };

	if (rule && rule->entry)
		decide_at_entry(rule, &state, ip, fregs);
	return state.matched;
}

/*
 * Numbers of kept calls. A number differs from the addresses, times and small numbers
 * that other users of fgraph keep. It changes when the tracer of an instance begins and
 * ends, so a call that was kept before is not found any more, whatever its frame's index is
 * used for.
 */
static u64 next_kept_id(void)
{
	static atomic64_t next = ATOMIC64_INIT(0xe1c0000000000000LL);

	return atomic64_inc_return(&next);
}

/**
 * trace_graph_kept_start - prepare an instance before the tracer starts
 * @tr: the trace instance
 */
void trace_graph_kept_start(struct trace_array *tr)
{
	WRITE_ONCE(tr->kept_id, next_kept_id());
}

/**
 * trace_graph_kept_stop - forget the kept calls after the tracer has stopped
 * @tr: the trace instance
 */
void trace_graph_kept_stop(struct trace_array *tr)
{
	WRITE_ONCE(tr->kept_id, next_kept_id());
	if (tr->graph_single || tr->graph_filter || tr->graph_hist)
		graph_filter_wait();
}
