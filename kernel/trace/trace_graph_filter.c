// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions on arguments and returns in the function_graph tracer
 *
 * A task's word for the tracer has, above the bits of trace.h and below what
 * belongs to the store of kept calls, the depth of the call that met a condition
 * at its entry: from there on every call is written.
 *
 * Calls that are decided at their return are kept meanwhile.  Each call that is
 * made while one of them is under way is kept as well, since it may be one of
 * the calls that a failure is in.  These are written with the first call that is
 * written within them, each of them once, and their ends are written when they
 * return.
 *
 * An interrupt is not called by what it interrupts: calls of one context only
 * belong together.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/stat.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include <trace/events/sched.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_args_kept.h"
#include "trace_graph_args.h"
#include "trace_graph_conds.h"
#include "trace_graph_filter.h"

/* Where the depth, plus 1, is of the call from which on all is written */
#define REGION_SHIFT		16
#define REGION_MASK		0xffffUL

/* Lines of an instance */
#define GRAPH_FILTER_LINES	1024

/* Bytes of one write */
#define GRAPH_FILTER_MAX_WRITE	SZ_1M

/* Records of strings: as deep as one call's capture can interrupt another's */
#define RECORD_NESTING		4

static DEFINE_PER_CPU(struct graph_record[RECORD_NESTING], graph_records);
static DEFINE_PER_CPU(unsigned int, graph_record_nesting);

/**
 * struct graph_rule - the programs of a function
 * @list: in the rules of the filter
 * @args: a program needs arguments at the entry
 * @strings: a program needs strings at the entry
 * @entry: a program decides something at the entry
 * @nr: how many programs there are
 * @progs: the programs
 */
struct graph_rule {
	struct list_head	list;
	bool			args;
	bool			strings;
	bool			entry;
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
 * @bits: it has two to the power of this slots
 * @nr: functions
 * @slots: open addressing, linear probing; less than three quarters are used
 */
struct graph_rules {
	unsigned int		bits;
	unsigned int		nr;
	struct graph_rule_slot	slots[];
};

/**
 * struct graph_filter - the conditions of a trace instance
 * @conds: the lines
 * @nr: how many lines there are
 * @rules: the rules
 * @table: the functions; replaced when a module comes
 * @at_return: a line is decided at the return
 * @store: the calls that are kept while the tracer runs
 */
struct graph_filter {
	struct list_head		conds;
	unsigned int			nr;
	struct list_head		rules;
	struct graph_rules __rcu	*table;
	bool				at_return;
	struct kept_store		*store;
};

static struct graph_rule *find_rule(const struct graph_filter *filter,
				    unsigned long ip)
{
	const struct graph_rules *table = rcu_dereference_raw(filter->table);
	unsigned long mask = BIT(table->bits) - 1, i;

	for (i = hash_long(ip, table->bits);; i = (i + 1) & mask) {
		const struct graph_rule_slot *slot = &table->slots[i];

		if (slot->ip == ip || !slot->ip)
			return slot->rule;
	}
}

static __always_inline void count_seen(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->seen);
}

static __always_inline void count_matched(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->matched);
}

static __always_inline void count_missed(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->missed);
}

/**
 * struct entry_state - what is known at a call's entry
 * @record: what the programs decide by: its longs at least
 * @data: what was captured; NULL if nothing could be
 * @size: bytes of @data
 * @nr_longs: longs of @data
 * @bits: what the programs have found out that decide at the return
 * @matched: a condition that is decided here is met
 */
struct entry_state {
	struct graph_record	*record;
	const void		*data;
	unsigned int		size;
	unsigned int		nr_longs;
	u32			bits;
	bool			matched;
};

static void decide_entry(const struct graph_prog *prog,
			 struct entry_state *state, unsigned int shift)
{
	unsigned int i;

	if (!prog->nr_entry)
		return;
	if (!prog->ret)
		count_seen(prog);
	if (prog->args && !state->data) {
		if (!prog->ret)
			count_missed(prog);
		return;
	}
	if (prog->strings)
		graph_record_strings(state->record, prog, state->data,
				     state->size, state->nr_longs);
	for (i = 0; i < prog->nr_entry; i++) {
		if (!prog->entry[i] ||
		    !filter_match_preds(prog->entry[i], state->record))
			continue;
		if (prog->ret) {
			state->bits |= BIT(shift + i);
		} else {
			count_matched(prog);
			state->matched = true;
		}
	}
}

static void decide_rule_entry(const struct graph_rule *rule,
			      struct entry_state *state)
{
	unsigned int i, shift = 0;

	for (i = 0; i < rule->nr; i++) {
		decide_entry(rule->progs[i], state, shift);
		if (rule->progs[i]->ret)
			shift += rule->progs[i]->nr_entry;
	}
}

/* Longs that call_args_capture() has read, and strings of any length */
static noinline void decide_captured(const struct graph_rule *rule,
				     struct entry_state *state, u32 ref,
				     const struct arg_sig_module_slot *slot,
				     struct ftrace_regs *fregs)
{
	unsigned int nesting = this_cpu_inc_return(graph_record_nesting) - 1;
	struct call_args args __uninitialized;

	call_args_capture(&args, rule->strings ? FUNC_ARGS_MAX_STRING_SIZE : 0,
			  ref, slot, fregs);
	state->nr_longs = arg_sig_ref_longs(ref);
	state->size = round_down(args.size, sizeof(long));
	if (nesting < RECORD_NESTING &&
	    state->size >= state->nr_longs * sizeof(long)) {
		state->record = &(*this_cpu_ptr(&graph_records))[nesting];
		state->data = args.data;
		memcpy(state->record->longs, args.data,
		       state->nr_longs * sizeof(long));
	}
	decide_rule_entry(rule, state);
	call_args_release();
	this_cpu_dec(graph_record_nesting);
}

/* The programs without strings need no more of a record than its longs */
static noinline void decide_direct(const struct graph_rule *rule,
				   struct entry_state *state, u32 ref,
				   const struct arg_sig_module_slot *slot,
				   struct ftrace_regs *fregs)
{
	unsigned long longs[ARG_SIGS_MAX_LONGS] __uninitialized;

	BUILD_BUG_ON(offsetof(struct graph_record, longs));

	if (rule->args) {
		capture_direct(longs, ref,
			       slot ? slot->text : __start_arg_sigs_str, fregs);
		state->data = longs;
	}
	state->record = (struct graph_record *)longs;
	decide_rule_entry(rule, state);
}

static void decide_at_entry(const struct graph_rule *rule,
			    struct entry_state *state, unsigned long ip,
			    struct ftrace_regs *fregs)
{
	const struct arg_sig_module_slot *slot;
	u32 ref = arg_sig_find_called(ip, &slot);

	if (rule->strings || (rule->args && !can_capture_direct(ref, fregs)))
		decide_captured(rule, state, ref, slot, fregs);
	else
		decide_direct(rule, state, ref, slot, fregs);
}

/* Write the entry of a call that is kept, as it was */
static bool write_kept(struct trace_array *tr, struct kept_call *call)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	struct ring_buffer_event *event;

	event = graph_reserve(buffer, call->size, call->trace_ctx, &entry);
	if (!event)
		return false;
	entry->graph_ent = call->ent;
	memcpy((void *)entry + sizeof(*entry), call->args, call->size);
	trace_buffer_unlock_commit_nostack(buffer, event);
	call->written = true;
	return true;
}

/* Write a call that is kept, the task's last one, and before it what it is in */
static bool write_path(struct trace_array *tr, const struct graph_filter *filter,
		       unsigned long word, struct kept_call *last)
{
	struct kept_call *call = last, *below;
	u32 chunk = 0;

	if (last->written)
		return true;
	while ((below = kept_below(filter->store, word, call, &chunk)) &&
	       below->level == last->level && !below->written) {
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

/* Write what a call is in that is not kept itself */
static bool write_parents(struct trace_array *tr,
			  const struct graph_filter *filter,
			  unsigned long *word)
{
	struct kept_call *last = kept_top(filter->store, word, 0);

	if (!last || last->level != interrupt_context_level())
		return true;
	return write_path(tr, filter, *word, last);
}

/* As the tracer does without conditions */
static int write_entry(struct trace_array *tr, struct ftrace_graph_ent *trace,
		       unsigned int trace_ctx, struct ftrace_regs *fregs)
{
	if (tr->current_trace_flags->val & TRACE_GRAPH_ARGS)
		return trace_graph_record_args(tr, trace, trace_ctx, fregs);
	return __trace_graph_entry(tr, trace, trace_ctx);
}

static void keep(struct trace_array *tr, const struct graph_filter *filter,
		 const struct ftrace_graph_ent *trace, unsigned long *word,
		 unsigned int trace_ctx, struct ftrace_regs *fregs,
		 const struct graph_rule *rule, const struct entry_state *state)
{
	struct call_args args = { .data = NULL };
	struct kept_call *call;
	bool with_args;

	with_args = tr->current_trace_flags->val & TRACE_GRAPH_ARGS;
	if (with_args)
		call_args_get(&args, tr, trace->func, fregs);
	call = kept_push(filter->store, word, trace->depth, args.size);
	if (likely(call)) {
		call->written = false;
		call->known = !rule || !rule->args || state->data;
		call->ent = *trace;
		call->trace_ctx = trace_ctx;
		call->size = args.size;
		call->bits = state->bits;
		call->owner = rule;
		if (with_args)
			call_args_put(&args, call->args, fregs);
		kept_publish(call, trace->depth);
	}
	if (with_args)
		call_args_done(&args);
}

static unsigned int region_of(unsigned long word)
{
	return word >> REGION_SHIFT & REGION_MASK;
}

static void set_region(unsigned long *word, unsigned long region)
{
	*word = (*word & ~(REGION_MASK << REGION_SHIFT)) |
		region << REGION_SHIFT;
}

/**
 * trace_graph_filter_entry - decide what becomes of a call at its entry
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * Any context, NMI too, with preemption disabled.
 *
 * Return: 1 if trace_graph_filter_return() has to be called, else 0.
 */
int trace_graph_filter_entry(struct trace_array *tr,
			     struct ftrace_graph_ent *trace,
			     unsigned long *word, unsigned int trace_ctx,
			     struct ftrace_regs *fregs)
{
	const struct graph_filter *filter = tr->graph_filter;
	unsigned int region = region_of(*word);
	struct entry_state state = { };
	const struct graph_rule *rule;

	if (region) {
		if (trace->depth >= region)
			return write_entry(tr, trace, trace_ctx, fregs);
		/* That call has never returned */
		set_region(word, 0);
	}
	rule = find_rule(filter, trace->func);
	if (rule && rule->entry)
		decide_at_entry(rule, &state, trace->func, fregs);
	if (unlikely(state.matched)) {
		if (filter->at_return) {
			while (kept_top(filter->store, word, trace->depth))
				kept_pop(filter->store, word);
			if (!write_parents(tr, filter, word))
				return 0;
		}
		if (!write_entry(tr, trace, trace_ctx, fregs))
			return 0;
		set_region(word, trace->depth + 1);
		return 1;
	}
	if (filter->at_return) {
		keep(tr, filter, trace, word, trace_ctx, fregs, rule, &state);
		return 1;
	}
	/* set_graph_function has to be told of the return */
	return !!(*word & TRACE_GRAPH_FL);
}

/**
 * struct return_state - what is known at a call's return
 * @record: what the programs decide by
 * @bits: what they found out at the entry
 * @known: @bits are known
 * @matched: a condition is met
 */
struct return_state {
	struct graph_ret_record	record;
	u32			bits;
	bool			known;
	bool			matched;
};

static void decide_return(const struct graph_prog *prog,
			  struct return_state *state, unsigned int shift)
{
	count_seen(prog);
	if (prog->nr_entry && !state->known) {
		count_missed(prog);
		return;
	}
	state->record.error = graph_ret_is_error(prog, state->record.ret);
	state->record.bits = state->bits >> shift;
	if (!filter_match_preds(prog->ret, &state->record))
		return;
	count_matched(prog);
	if (!state->known)
		count_missed(prog);
	state->matched = true;
}

static bool decide_at_return(const struct graph_rule *rule,
			     const struct kept_call *call,
			     const struct ftrace_graph_ret *trace, u64 duration)
{
	struct return_state state = {
		.record.duration = duration,
		.bits = call ? call->bits : 0,
		.known = call && call->known,
	};
	unsigned int i, shift = 0;

#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	state.record.ret = trace->retval;
#endif
	for (i = 0; i < rule->nr; i++) {
		if (!rule->progs[i]->ret)
			continue;
		decide_return(rule->progs[i], &state, shift);
		shift += rule->progs[i]->nr_entry;
	}
	return state.matched;
}

/* A call of which nothing was kept: its arguments are not known */
static bool write_lost(struct trace_array *tr, const struct graph_filter *filter,
		       const struct ftrace_graph_ret *trace,
		       unsigned long *word, unsigned int trace_ctx)
{
	struct ftrace_graph_ent ent = {
		.func	= trace->func,
		.depth	= trace->depth,
	};

	return write_parents(tr, filter, word) &&
	       __trace_graph_entry(tr, &ent, trace_ctx);
}

/**
 * trace_graph_filter_return - decide what becomes of a call at its return
 * @tr: the trace instance
 * @trace: the call
 * @word: the task's variable for the tracer
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @calltime: when it was called
 * @rettime: when it returned
 * @fregs: the registers at the function's return
 *
 * Any context, NMI too, with preemption disabled.
 */
void trace_graph_filter_return(struct trace_array *tr,
			       struct ftrace_graph_ret *trace,
			       unsigned long *word, unsigned int trace_ctx,
			       u64 calltime, u64 rettime,
			       struct ftrace_regs *fregs)
{
	const struct graph_filter *filter = tr->graph_filter;
	unsigned int depth = trace->depth, region = region_of(*word);
	const struct graph_rule *rule;
	struct kept_call *call;
	bool written;

	if (region) {
		if (depth + 1 <= region)
			set_region(word, 0);
		if (depth + 1 >= region) {
			trace_graph_write_return(tr, trace, trace_ctx, calltime,
						 rettime, fregs);
			return;
		}
	}
	if (!filter->at_return)
		return;

	/* What is deeper than this call has never returned */
	while (unlikely(kept_top(filter->store, word, depth + 1)))
		kept_pop(filter->store, word);
	call = kept_top(filter->store, word, depth);
	if (unlikely(call && call->ent.func != trace->func)) {
		kept_pop(filter->store, word);
		call = NULL;
	}

	rule = call ? call->owner : find_rule(filter, trace->func);
	written = call && call->written;
	if (rule && decide_at_return(rule, call, trace, rettime - calltime) &&
	    !written)
		written = call ? write_path(tr, filter, *word, call) :
				 write_lost(tr, filter, trace, word, trace_ctx);
	if (call)
		kept_pop(filter->store, word);
	if (unlikely(written))
		trace_graph_write_return(tr, trace, trace_ctx, calltime,
					 rettime, fregs);
}

/**
 * trace_graph_filtered - whether an instance has conditions
 * @tr: the trace instance
 */
bool trace_graph_filtered(struct trace_array *tr)
{
	return tr->graph_filter;
}

/* A task is gone: what it has kept goes */
static void probe_process_free(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	unsigned long *word = fgraph_get_var_of(task, tr->gops);

	if (word)
		kept_drop(tr->graph_filter->store, word);
}

/**
 * trace_graph_filter_start - the tracer is about to run in an instance
 * @tr: the trace instance
 *
 * Return: 0, or an error: then the tracer does not run.
 */
int trace_graph_filter_start(struct trace_array *tr)
{
	struct graph_filter *filter = tr->graph_filter;
	int ret;

	if (!filter || !filter->at_return)
		return 0;
	/* A task that sleeps in a call has one chunk, mostly */
	filter->store = kept_store_alloc(clamp(2 * nr_threads +
					       64 * (int)num_possible_cpus(),
					       512, 16384));
	if (!filter->store)
		return -ENOMEM;
	ret = register_trace_sched_process_free(probe_process_free, tr);
	if (ret) {
		kept_store_free(filter->store);
		filter->store = NULL;
	}
	return ret;
}

/* Calls that are being traced are through: not preempted, on no CPU */
static void wait_for_callbacks(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu_tasks_rude();
}

/**
 * trace_graph_filter_pause - the tracer is about to stop in an instance
 * @tr: the trace instance
 */
void trace_graph_filter_pause(struct trace_array *tr)
{
	if (!tr->graph_filter || !tr->graph_filter->store)
		return;
	unregister_trace_sched_process_free(probe_process_free, tr);
	tracepoint_synchronize_unregister();
}

/**
 * trace_graph_filter_stop - the tracer does not run any more in an instance
 * @tr: the trace instance
 */
void trace_graph_filter_stop(struct trace_array *tr)
{
	struct graph_filter *filter = tr->graph_filter;

	if (!filter)
		return;
	wait_for_callbacks();
	kept_store_free(filter->store);
	filter->store = NULL;
}

static void free_filter(struct graph_filter *filter)
{
	struct graph_rule *rule, *tmp_rule;
	struct graph_cond *cond, *tmp;

	if (!filter)
		return;
	list_for_each_entry_safe(cond, tmp, &filter->conds, list)
		graph_cond_free(cond);
	list_for_each_entry_safe(rule, tmp_rule, &filter->rules, list)
		kfree(rule);
	kvfree(rcu_dereference_protected(filter->table, true));
	kfree(filter);
}

/**
 * struct rule_builder - functions and the programs that decide about them
 * @filter: the filter
 * @funcs: a function and a program each
 * @nr: how many there are
 * @room: for so many
 * @errors: for each line why it does not apply to functions of its names
 */
struct rule_builder {
	struct graph_filter	*filter;
	struct rule_func {
		unsigned long		ip;
		struct graph_prog	*prog;
		unsigned int		order;
	} *funcs;
	size_t			nr;
	size_t			room;
	struct graph_cond_error	*errors;
};

static int make_room(struct rule_builder *builder)
{
	size_t room = max(2 * builder->room, 1024UL);
	struct rule_func *new;

	if (builder->nr < builder->room)
		return 0;
	new = kvmalloc_array(room, sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	if (builder->nr)
		memcpy(new, builder->funcs, builder->nr * sizeof(*new));
	kvfree(builder->funcs);
	builder->funcs = new;
	builder->room = room;
	return 0;
}

/* A function has a name that a line is for */
static int add_func_to(struct rule_builder *builder, struct graph_cond *cond,
		       struct graph_cond_error *error, unsigned long ip)
{
	struct graph_cond_error err = { };
	struct graph_prog *prog;
	struct arg_sig_hold hold;
	int ret;

	ret = make_room(builder);
	if (ret)
		return ret;
	arg_sig_hold(&hold, ip, ARG_SIGS_CURRENT_SET);
	prog = graph_cond_prog(cond, hold.sig, hold.types, &err);
	arg_sig_release(&hold);
	if (IS_ERR(prog)) {
		/* Of all that does not fit the line, say what came closest */
		if (error && err.nr > error->nr)
			*error = err;
		return PTR_ERR(prog) == -EINVAL ? 0 : PTR_ERR(prog);
	}
	builder->funcs[builder->nr] = (struct rule_func){ ip, prog, builder->nr };
	builder->nr++;
	cond->nr_funcs++;
	return 0;
}

static int add_func(unsigned long ip, void *data)
{
	struct rule_builder *builder = data;
	struct graph_cond_error *error = builder->errors;
	char name[KSYM_SYMBOL_LEN];
	struct graph_cond *cond;
	bool named = false;
	char *module;
	int ret;

	list_for_each_entry(cond, &builder->filter->conds, list) {
		if (!named && strcmp(cond->glob, "*")) {
			if (!kallsyms_lookup(ip, NULL, NULL, &module, name))
				*name = '\0';
			named = true;
		}
		if (!strcmp(cond->glob, "*") || glob_match(cond->glob, name)) {
			ret = add_func_to(builder, cond, error, ip);
			if (ret)
				return ret;
		}
		if (error)
			error++;
	}
	return 0;
}

static int compare_funcs(const void *a, const void *b)
{
	const struct rule_func *left = a, *right = b;

	if (left->ip != right->ip)
		return left->ip < right->ip ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* The rule with the programs of @nr entries, which are of one function */
static struct graph_rule *get_rule(struct graph_filter *filter,
				   const struct rule_func *funcs, size_t nr)
{
	unsigned int i, bits = 0;
	struct graph_rule *rule;

	list_for_each_entry(rule, &filter->rules, list) {
		if (rule->nr != nr)
			continue;
		for (i = 0; i < nr && rule->progs[i] == funcs[i].prog; i++)
			;
		if (i == nr)
			return rule;
	}
	rule = kzalloc(struct_size(rule, progs, nr), GFP_KERNEL);
	if (!rule)
		return ERR_PTR(-ENOMEM);
	rule->nr = nr;
	for (i = 0; i < nr; i++) {
		struct graph_prog *prog = funcs[i].prog;

		rule->progs[i] = prog;
		rule->args |= prog->args;
		rule->strings |= prog->strings;
		rule->entry |= prog->nr_entry;
		if (prog->ret)
			bits += prog->nr_entry;
	}
	if (bits > BITS_PER_TYPE(u32)) {
		kfree(rule);
		return ERR_PTR(-ENOSPC);
	}
	list_add_tail(&rule->list, &filter->rules);
	return rule;
}

static void set_rule(struct graph_rules *table, unsigned long ip,
		     struct graph_rule *rule)
{
	unsigned long mask = BIT(table->bits) - 1;
	unsigned long i = hash_long(ip, table->bits);

	while (table->slots[i].ip)
		i = (i + 1) & mask;
	table->slots[i].ip = ip;
	table->slots[i].rule = rule;
	table->nr++;
}

/* The function of a module that is gone: another one has its address now */
static void forget_rule(const struct graph_rule *rule)
{
	unsigned int i;

	for (i = 0; i < rule->nr; i++)
		rule->progs[i]->cond->nr_funcs--;
}

static struct graph_rules *alloc_table(size_t funcs)
{
	unsigned int bits = max(order_base_2(funcs + funcs / 3 + 1), 4);
	struct graph_rules *table;

	table = kvzalloc(struct_size(table, slots, BIT(bits)), GFP_KERNEL);
	if (table)
		table->bits = bits;
	return table;
}

/* A table of what @builder has found, and of @old but for what is in @mod */
static struct graph_rules *make_table(struct rule_builder *builder,
				      const struct graph_rules *old,
				      const struct module *mod)
{
	struct graph_rules *table;
	size_t i, end;

	sort(builder->funcs, builder->nr, sizeof(*builder->funcs),
	     compare_funcs, NULL);
	table = alloc_table(builder->nr + (old ? old->nr : 0));
	if (!table)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < builder->nr; i = end) {
		unsigned long ip = builder->funcs[i].ip;
		struct graph_rule *rule;

		for (end = i + 1; end < builder->nr; end++)
			if (builder->funcs[end].ip != ip)
				break;
		rule = get_rule(builder->filter, builder->funcs + i, end - i);
		if (IS_ERR(rule)) {
			kvfree(table);
			return ERR_CAST(rule);
		}
		set_rule(table, ip, rule);
	}
	for (i = 0; old && i < BIT(old->bits); i++) {
		const struct graph_rule_slot *slot = &old->slots[i];

		if (!slot->ip)
			continue;
		if (within_module(slot->ip, mod))
			forget_rule(slot->rule);
		else
			set_rule(table, slot->ip, slot->rule);
	}
	return table;
}

/* Find the functions of each line, and have a table made of them */
static int build_filter(struct graph_filter *filter,
			struct graph_cond_error *err, struct graph_cond **bad)
{
	struct rule_builder builder = { .filter = filter };
	struct graph_rules *table;
	struct graph_cond *cond;
	unsigned int i = 0;
	int ret;

	*bad = list_first_entry(&filter->conds, struct graph_cond, list);
	*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_MEM };
	builder.errors = kvcalloc(filter->nr, sizeof(*builder.errors), GFP_KERNEL);
	if (!builder.errors)
		return -ENOMEM;
	ret = ftrace_walk_funcs(NULL, add_func, &builder);
	if (ret)
		goto out;
	list_for_each_entry(cond, &filter->conds, list) {
		filter->at_return |= cond->at_return;
		if (!cond->nr_funcs && !cond->old) {
			*bad = cond;
			*err = builder.errors[i];
			if (!err->nr)
				err->nr = GRAPH_COND_ERR_NO_FUNC;
			ret = -EINVAL;
			goto out;
		}
		i++;
	}
	table = make_table(&builder, NULL, NULL);
	if (IS_ERR(table)) {
		ret = PTR_ERR(table);
		if (ret == -ENOSPC)
			err->nr = GRAPH_COND_ERR_TOO_MANY;
	} else {
		rcu_assign_pointer(filter->table, table);
	}
out:
	kvfree(builder.errors);
	kvfree(builder.funcs);
	return ret;
}

/**
 * struct filter_change - what a write makes of an instance's lines
 * @tr: the trace instance
 * @filter: the new conditions, NULL for none; then the old ones
 */
struct filter_change {
	struct trace_array	*tr;
	struct graph_filter	*filter;
};

static struct graph_cond *copy_cond(const struct graph_cond *cond)
{
	struct graph_cond_error err;

	return graph_cond_parse(cond->line, &err);
}

/* A filter with the lines of another one */
static struct graph_filter *copy_filter(const struct graph_filter *old)
{
	struct graph_filter *filter;
	struct graph_cond *cond;

	filter = kzalloc(sizeof(*filter), GFP_KERNEL);
	if (!filter)
		return NULL;
	INIT_LIST_HEAD(&filter->conds);
	INIT_LIST_HEAD(&filter->rules);
	if (!old)
		return filter;
	list_for_each_entry(cond, &old->conds, list) {
		struct graph_cond *copy = copy_cond(cond);

		if (IS_ERR(copy)) {
			free_filter(filter);
			return NULL;
		}
		copy->old = true;
		list_add_tail(&copy->list, &filter->conds);
		filter->nr++;
	}
	return filter;
}

static int log_error(struct trace_array *tr, const char *line, int ret,
		     unsigned int nr, unsigned int pos)
{
	tracing_log_err(tr, "set_graph_filter", line, graph_cond_errors, nr,
			pos);
	return ret;
}

/* One line as it would be shown; the blank behind the colon is one */
static struct graph_cond *find_line(struct graph_filter *filter,
				    const char *line)
{
	struct graph_cond *cond;

	list_for_each_entry(cond, &filter->conds, list)
		if (!strcmp(cond->line, line))
			return cond;
	return NULL;
}

static int apply_line(struct trace_array *tr, struct graph_filter *filter,
		      const char *line)
{
	struct graph_cond_error err;
	struct graph_cond *cond;

	if (*line == '!') {
		cond = find_line(filter, skip_spaces(line + 1));
		if (!cond)
			return log_error(tr, line, -EINVAL,
					 GRAPH_COND_ERR_NOT_SET, 0);
		list_del(&cond->list);
		filter->nr--;
		graph_cond_free(cond);
		return 0;
	}
	if (find_line(filter, line))
		return 0;
	if (strlen(line) >= PAGE_SIZE)
		return log_error(tr, "(a line)", -ENOSPC,
				 GRAPH_COND_ERR_TOO_LONG, 0);
	cond = graph_cond_parse(line, &err);
	if (IS_ERR(cond)) {
		int ret = PTR_ERR(cond);

		if (err.nr == GRAPH_COND_ERR_TOO_MANY)
			ret = -ENOSPC;
		return log_error(tr, line, ret, err.nr, err.pos);
	}
	if (filter->nr == GRAPH_FILTER_LINES) {
		graph_cond_free(cond);
		return log_error(tr, line, -ENOSPC, GRAPH_COND_ERR_TOO_MANY, 0);
	}
	list_add_tail(&cond->list, &filter->conds);
	filter->nr++;
	return 0;
}

/* Counts go on where a line stays */
static void take_counts(struct graph_filter *filter, struct graph_filter *old)
{
	struct graph_cond *cond, *was;

	list_for_each_entry(cond, &filter->conds, list) {
		was = find_line(old, cond->line);
		if (was)
			swap(cond->counts, was->counts);
	}
}

/* The tracer does not run */
static void change_filter(void *data)
{
	struct filter_change *change = data;

	if (change->filter && change->tr->graph_filter)
		take_counts(change->filter, change->tr->graph_filter);
	swap(change->tr->graph_filter, change->filter);
}

/* Write @text to the file: all of it takes effect, or nothing */
static int write_lines(struct trace_array *tr, char *text, bool replace)
{
	struct filter_change change = { .tr = tr };
	struct graph_cond_error err = { };
	struct graph_cond *bad = NULL;
	struct graph_filter *filter;
	char *line;
	int ret;

	guard(mutex)(&trace_types_lock);
	filter = copy_filter(replace ? NULL : tr->graph_filter);
	if (!filter)
		return -ENOMEM;
	while ((line = strsep(&text, "\n"))) {
		line = strim(line);
		if (!*line || *line == '#')
			continue;
		ret = apply_line(tr, filter, line);
		if (ret)
			goto free;
	}
	if (filter->nr) {
		ret = build_filter(filter, &err, &bad);
		if (ret) {
			if (bad)
				log_error(tr, bad->line, 0, err.nr, err.pos);
			goto free;
		}
		change.filter = filter;
	} else {
		free_filter(filter);
		filter = NULL;
	}
	if (!filter && !tr->graph_filter)
		return 0;
	ret = trace_graph_restart(tr, change_filter, &change);
	free_filter(change.filter);
	return ret;
free:
	free_filter(filter);
	return ret;
}

/**
 * struct filter_file - the file set_graph_filter while it is open
 * @tr: the trace instance
 * @replace: what is written next replaces what is set
 * @failed: a write was refused
 */
struct filter_file {
	struct trace_array	*tr;
	bool			replace;
	bool			failed;
};

static int show_lines(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;

	guard(mutex)(&trace_types_lock);
	if (!tr->graph_filter) {
		seq_puts(m, "#### all calls ####\n");
		return 0;
	}
	list_for_each_entry(cond, &tr->graph_filter->conds, list)
		seq_printf(m, "%s\n", cond->line);
	return 0;
}

static int filter_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *file;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	if (!(filp->f_mode & FMODE_WRITE)) {
		ret = single_open(filp, show_lines, tr);
	} else if (filp->f_mode & FMODE_READ) {
		/* There is nowhere to keep what both need */
		ret = -EINVAL;
	} else {
		file = kzalloc(sizeof(*file), GFP_KERNEL);
		ret = file ? 0 : -ENOMEM;
		if (file) {
			file->tr = tr;
			file->replace = filp->f_flags & O_TRUNC;
			filp->private_data = file;
		}
	}
	if (ret)
		trace_array_put(tr);
	return ret;
}

static ssize_t filter_write(struct file *filp, const char __user *ubuf,
			    size_t cnt, loff_t *ppos)
{
	struct filter_file *file = filp->private_data;
	char *text;
	int ret;

	if (cnt > GRAPH_FILTER_MAX_WRITE)
		return -ENOSPC;
	text = memdup_user_nul(ubuf, cnt);
	if (IS_ERR(text))
		return PTR_ERR(text);
	ret = write_lines(file->tr, text, file->replace);
	kfree(text);
	if (ret) {
		file->failed = true;
		return ret;
	}
	file->replace = false;
	*ppos += cnt;
	return cnt;
}

static int filter_release(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *file = filp->private_data;
	char nothing[] = "";

	if (filp->f_mode & FMODE_READ) {
		single_release(inode, filp);
	} else {
		if (file->replace && !file->failed)
			write_lines(tr, nothing, true);
		kfree(file);
	}
	trace_array_put(tr);
	return 0;
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= tracing_lseek,
	.release	= filter_release,
};

static int show_counts(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;
	int cpu;

	guard(mutex)(&trace_types_lock);
	seq_puts(m, "# functions       seen    matched     missed  line\n");
	if (!tr->graph_filter)
		return 0;
	list_for_each_entry(cond, &tr->graph_filter->conds, list) {
		struct graph_cond_counts sum = { };

		for_each_possible_cpu(cpu) {
			const struct graph_cond_counts *counts;

			counts = per_cpu_ptr(cond->counts, cpu);
			sum.seen += counts->seen;
			sum.matched += counts->matched;
			sum.missed += counts->missed;
		}
		seq_printf(m, "%11u %10llu %10llu %10llu  %s\n", cond->nr_funcs,
			   sum.seen, sum.matched, sum.missed, cond->line);
	}
	return 0;
}

static int counts_open(struct inode *inode, struct file *filp)
{
	struct trace_array *tr = inode->i_private;
	int ret;

	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	ret = single_open(filp, show_counts, tr);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int counts_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return single_release(inode, filp);
}

static const struct file_operations counts_fops = {
	.open		= counts_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= counts_release,
};

/**
 * trace_graph_filter_init_tracefs - create the files of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 */
void trace_graph_filter_init_tracefs(struct trace_array *tr,
				     struct dentry *parent)
{
	trace_create_file("set_graph_filter", TRACE_MODE_WRITE, parent, tr,
			  &filter_fops);
	trace_create_file("graph_filter_counts", TRACE_MODE_READ, parent, tr,
			  &counts_fops);
}

/**
 * trace_graph_filter_remove - a trace instance goes
 * @tr: the trace instance; no tracer runs in it
 */
void trace_graph_filter_remove(struct trace_array *tr)
{
	free_filter(tr->graph_filter);
	tr->graph_filter = NULL;
}

#ifdef CONFIG_MODULES

/* A module's functions are new: lines are for them as well */
static void add_module(struct graph_filter *filter, struct module *mod)
{
	struct rule_builder builder = { .filter = filter };
	struct graph_rules *old, *table;
	int ret;

	old = rcu_dereference_protected(filter->table,
					lockdep_is_held(&trace_types_lock));
	ret = ftrace_walk_funcs(mod, add_func, &builder);
	if (ret)
		pr_warn("set_graph_filter: %s: %d\n", mod->name, ret);
	table = make_table(&builder, old, mod);
	kvfree(builder.funcs);
	if (IS_ERR(table)) {
		pr_warn("set_graph_filter: %s: %ld\n", mod->name, PTR_ERR(table));
		return;
	}
	rcu_assign_pointer(filter->table, table);
	wait_for_callbacks();
	kvfree(old);
}

static int filter_module_notify(struct notifier_block *nb, unsigned long state,
				void *data)
{
	struct trace_array *tr;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_OK;
	guard(mutex)(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list)
		if (tr->graph_filter)
			add_module(tr->graph_filter, data);
	return NOTIFY_OK;
}

/* The module's signatures are there before */
static struct notifier_block filter_module_nb = {
	.notifier_call	= filter_module_notify,
	.priority	= -1,
};

static int __init trace_graph_filter_init(void)
{
	return register_module_notifier(&filter_module_nb);
}
core_initcall(trace_graph_filter_init);

#endif /* CONFIG_MODULES */
