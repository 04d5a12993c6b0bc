// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that the lines of a trace instance apply to
 *
 * A function's rule has the programs of all lines that apply to the function. Functions
 * with the same programs share a rule. A hash by address has the rules of the functions.
 */
#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../args/table.h"
#include "lines.h"

/*
 * Taken by whoever changes the lines or a table of any instance, before trace_types_lock.
 * The functions of new lines are found under this mutex only, because that takes long.
 * trace_types_lock is taken to make the new lines active.
 */
DEFINE_MUTEX(graph_lines_mutex);

/**
 * graph_lines_of - find the lines of an instance
 * @tr: the trace instance
 * @lines: the kind of the lines
 *
 * Return: the place of the lines.
 */
struct graph_filter **graph_lines_of(struct trace_array *tr, enum graph_lines lines)
{
	if (lines == GRAPH_LINES_FILTER)
		return &tr->graph_filter;
	return lines == GRAPH_LINES_HIST ? &tr->graph_hist : &tr->graph_exprs;
}

/**
 * graph_filter_free - free the lines of a file
 * @filter: the lines, which no tracer uses; NULL for none
 */
void graph_filter_free(struct graph_filter *filter)
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

static bool free_retired_filter(struct arg_sig_retired *old)
{
	graph_filter_free(container_of(old, struct graph_filter, retired));
	return true;
}

/**
 * graph_filter_retire - free the lines of a file after the last call has used them
 * @filter: the lines, which no new call uses; NULL for none
 */
void graph_filter_retire(struct graph_filter *filter)
{
	if (filter)
		arg_sig_retire(&filter->retired, free_retired_filter);
}

/**
 * struct rule_ips - functions that can be traced
 * @ips: the addresses that ftrace knows them by
 * @nr: number of @ips
 */
struct rule_ips {
	unsigned long	*ips;
	size_t		nr;
};

/**
 * struct rule_builder - functions and their rules
 * @filter: the filter
 * @progs: room for the programs of a function
 * @funcs: the functions that have a rule
 * @nr: number of @funcs
 * @errors: for each line, the reason why it does not apply to functions that its glob
 *	matches
 * @bad: the line for which this fails
 * @nr_left_out: the number of functions of a module that have too many lines or comparisons
 */
struct rule_builder {
	struct graph_filter	*filter;
	struct graph_prog	**progs;
	struct rule_func {
		unsigned long		ip;
		struct graph_rule	*rule;
	} *funcs;
	size_t			nr;
	struct graph_cond_error	*errors;
	struct graph_cond	*bad;
	unsigned int		nr_left_out;
};

/* Elements of an array that grows, until the array is full for the first time */
#define FIRST_ROOM	1024UL

/* Make room for one more element in the array at @array, which has @nr elements */
static int make_room(void *array, size_t nr, size_t size)
{
	void **at = array, *new;

	if (nr && (nr < FIRST_ROOM || !is_power_of_2(nr)))
		return 0;
	new = kvrealloc(*at, max(2 * nr, FIRST_ROOM) * size, GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	*at = new;
	return 0;
}

/* Count functions that get or lose a rule; @more is 1 or -1 */
static void count_func(struct graph_rule *rule, int more)
{
	unsigned int i;

	for (i = 0; i < rule->nr; i++)
		rule->progs[i]->cond->nr_funcs += more;
	rule->nr_funcs += more;
}

/*
 * Add the program of a line whose glob matches a function's name to the @nr programs of the
 * function. @bits is the number of comparisons or rows that the function's calls have to keep
 * until their return.
 */
static int add_prog(struct rule_builder *builder, struct graph_cond *cond,
		    struct graph_cond_error *error, unsigned long ip,
		    unsigned int *bits, unsigned int *nr)
{
	struct graph_cond_error err = { };
	struct graph_prog *prog;
	struct arg_sig_hold hold;

	arg_sig_hold(&hold, ip, ARG_SIGS_CURRENT_SET);
	prog = graph_cond_prog(cond, ip, &hold, &err);
	arg_sig_release(&hold);
	if (IS_ERR(prog)) {
		/* Report the error of the function that came closest to the line */
		if (error && err.nr > error->nr)
			*error = err;
		if (PTR_ERR(prog) == -EINVAL) {
			/* Functions of a module that is loaded later do not count */
			cond->nr_left_out += !!error;
			return 0;
		}
		builder->bad = cond;
		return PTR_ERR(prog);
	}
	if (cond->at_return)
		*bits += cond->map_bits ? graph_prog_is_kept(prog) : prog->nr_entry;
	if (*bits > BITS_PER_TYPE(u32)) {
		builder->bad = cond;
		return -ENOSPC;
	}
	builder->progs[(*nr)++] = prog;
	return 0;
}

/* Whether a line is known to cover each function */
static bool covers_all(const struct graph_cond *cond)
{
	return !strcmp(cond->globs[0], "*") && !cond->module;
}

/* Whether the globs of a line match a function, and the function's module if it has one */
static bool covers(const struct graph_cond *cond, const char *name, const char *module)
{
	unsigned int i;

	if (cond->module && (!module || !glob_match(cond->module, module)))
		return false;
	for (i = 0; i < cond->nr_globs; i++)
		if (glob_match(cond->globs[i], name))
			return true;
	return false;
}

/**
 * struct rule_place - how graph_error_keep() keeps the calls of functions
 * @ref: see &struct graph_rule
 * @set: see &struct graph_rule
 */
struct rule_place {
	u32	ref;
	u32	set;
};

static struct rule_place place_of(const struct graph_filter *filter, unsigned long ip)
{
	const struct arg_sig_module_slot *slot;
	struct rule_place place = { };

	if (!graph_filter_errors(filter))
		return place;
	guard(preempt)();
	place.ref = arg_sig_find_called(ip, &slot);
	if (place.ref & ARG_SIG_REF_KIND)
		return (struct rule_place){ .ref = ARG_SIG_REF_KIND };
	/* For expressions, not_regs has all bits, and each signature has one of them */
	if (place.ref)
		place.ref = (place.ref & (ARG_SIG_REF_NR | ARG_SIG_REF_READS)) |
			    BIT(ARG_SIG_REF_SHIFT);
	place.set = slot ? slot->id : ARG_SIGS_IMAGE;
	return place;
}

/* Whether trace_graph_filter_rejects() can decide */
static bool is_plain(const struct graph_rule *rule)
{
	const struct graph_prog *prog;
	unsigned int i;

	if (!rule->simple || !rule->nr_regs)
		return false;
	prog = rule->progs[0];
	if (prog->cond->at_return || prog->cond->map_bits)
		return false;
	for (i = 0; i < prog->cond->nr_preds; i++)
		if (!prog->fields[i].plain)
			return false;
	return true;
}

/* The lowest 32 bits of a return register that may meet a program, see &struct graph_rule */
static u64 least_of(const struct graph_prog *prog)
{
	if (!prog->cond->wants_error || (prog->last_error && prog->ret_size < sizeof(u32)))
		return 0;
	return prog->last_error ? (u32)-MAX_ERRNO : BIT_ULL(32);
}

/* Find or make the rule of the function @ip, which has the @nr programs @progs */
static struct graph_rule *get_rule(struct graph_filter *filter, unsigned long ip,
				   struct graph_prog **progs, unsigned int nr)
{
	struct rule_place place = place_of(filter, ip);
	const struct call_exprs **exprs;
	struct graph_rule *rule;
	bool regs = true;
	unsigned int i;

	list_for_each_entry(rule, &filter->rules, list) {
		if (rule->nr != nr || rule->ref != place.ref ||
		    (rule->set != place.set && rule->nr_funcs))
			continue;
		for (i = 0; i < nr && rule->progs[i] == progs[i]; i++)
			;
		if (i < nr)
			continue;
		/* The functions of the set have gone with their module */
		rule->set = place.set;
		/* Most functions have one of a few rules */
		list_move(&rule->list, &filter->rules);
		return rule;
	}
	/* The expressions follow the programs */
	rule = kzalloc(struct_size(rule, progs, 2 * nr), GFP_KERNEL);
	if (!rule)
		return ERR_PTR(-ENOMEM);
	rule->nr = nr;
	rule->ref = place.ref;
	rule->set = place.set;
	rule->least = BIT_ULL(32);
	exprs = (void *)(rule->progs + nr);
	rule->lines.nr = nr;
	rule->lines.exprs = exprs;
	for (i = 0; i < nr; i++) {
		struct graph_prog *prog = progs[i];

		rule->progs[i] = prog;
		exprs[i] = prog->exprs;
		regs &= !prog->args || prog->nr_regs;
		rule->args |= prog->args;
		rule->strings |= prog->strings;
		rule->task |= prog->task;
		rule->record |= prog->record;
		rule->only |= !!prog->only;
		rule->least = min(rule->least, least_of(prog));
		rule->entry |= prog->nr_entry || !prog->cond->at_return;
		if (prog->cond->map_bits && prog->cond->at_return) {
			rule->at_return = true;
			rule->keep += graph_prog_is_kept(prog);
		}
		if (prog->args)
			rule->nr_regs = regs ? max(rule->nr_regs, prog->nr_regs) : 0;
	}
	rule->simple = nr == 1 && !rule->record;
	rule->plain = is_plain(rule);
	list_add(&rule->list, &filter->rules);
	return rule;
}

static int add_func(struct rule_builder *builder, unsigned long ip)
{
	bool covered = false;
	struct graph_cond_error *error = builder->errors;
	char name[KSYM_SYMBOL_LEN];
	struct graph_cond *cond;
	char *module = NULL;
	unsigned int bits = 0, nr = 0;
	struct graph_rule *rule;
	bool named = false;
	int ret;

	list_for_each_entry(cond, &builder->filter->conds, list) {
		if (!named && !covers_all(cond)) {
			if (!kallsyms_lookup(ip, NULL, NULL, &module, name))
				*name = '\0';
			named = true;
		}
		if (covers_all(cond) || covers(cond, name, module)) {
			covered = true;
			ret = add_prog(builder, cond, error, ip, &bits, &nr);
			/* The other functions of a module keep their lines */
			if (ret == -ENOSPC && !error) {
				builder->nr_left_out++;
				return 0;
			}
			if (ret)
				return ret;
		}
		if (error)
			error++;
	}
	/* The calls of a function without a program may be kept for the calls that they make */
	if (!nr && (!covered || !graph_filter_errors(builder->filter)))
		return 0;
	rule = get_rule(builder->filter, ip, builder->progs, nr);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	ret = make_room(&builder->funcs, builder->nr, sizeof(*builder->funcs));
	if (ret)
		return ret;
	builder->funcs[builder->nr++] = (struct rule_func){ ip, rule };
	count_func(rule, 1);
	return 0;
}

static int add_ip(unsigned long ip, void *data)
{
	struct rule_ips *ips = data;
	int ret;

	ret = make_room(&ips->ips, ips->nr, sizeof(*ips->ips));
	if (!ret)
		ips->ips[ips->nr++] = ip;
	return ret;
}

/*
 * Add functions. Their programs are made without ftrace_lock. A function that goes meanwhile
 * is like a function that goes later.
 */
static int add_funcs(struct rule_builder *builder, const struct rule_ips *ips)
{
	int ret = 0;
	size_t i;

	builder->progs = kvcalloc(builder->filter->nr, sizeof(*builder->progs), GFP_KERNEL);
	if (!builder->progs)
		return -ENOMEM;
	for (i = 0; !ret && i < ips->nr; i++) {
		ret = add_func(builder, ips->ips[i]);
		cond_resched();
	}
	kvfree(builder->progs);
	return ret;
}

/* Find the slot of a function, or the empty slot that the function would get */
static struct func_map_slot *slot_of(struct func_map *table, unsigned long ip)
{
	unsigned long i = func_map_hash(table, ip);

	while (table->slots[i].ip && table->slots[i].ip != ip)
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

/* Add a function to a table that calls may use, or replace the function's rule */
static void set_rule(struct func_map *table, unsigned long ip,
		     struct graph_rule *rule)
{
	struct func_map_slot *slot = slot_of(table, ip);

	if (!slot->ip) {
		WRITE_ONCE(slot->ip, ip);
		table->nr++;
	}
	/* Pairs with the address dependency in func_map_find() */
	smp_store_release(&slot->val, rule);
}

/* The smallest table has a page, so that most functions without a line find an empty slot */
static struct func_map *alloc_table(size_t funcs)
{
	unsigned int bits = max(order_base_2(2 * funcs + 1), 8);
	struct func_map *table;

	table = kvzalloc(struct_size(table, slots, BIT(bits)), GFP_KERNEL);
	if (table) {
		table->mask = BIT(bits) - 1;
		table->shift = BITS_PER_LONG - bits;
	}
	return table;
}

/* Add the functions of @builder to a table that has room for them */
static void add_rules(struct func_map *table, const struct rule_builder *builder)
{
	size_t i;

	for (i = 0; i < builder->nr; i++)
		set_rule(table, builder->funcs[i].ip, builder->funcs[i].rule);
}

/* Make a table of the functions of @builder and of those of @old that have a rule */
static struct func_map *make_table(const struct rule_builder *builder,
				   const struct func_map *old)
{
	struct func_map *table;
	size_t nr = builder->nr;
	size_t i;

	for (i = 0; old && i <= old->mask; i++)
		nr += !!old->slots[i].val;
	table = alloc_table(nr);
	if (!table)
		return NULL;
	for (i = 0; old && i <= old->mask; i++)
		if (old->slots[i].val)
			set_rule(table, old->slots[i].ip, old->slots[i].val);
	add_rules(table, builder);
	return table;
}

/*
 * Whether a function has no calls any more: it is an init function that has run, or its module
 * goes. Other functions may get its address.
 */
static bool is_over(unsigned long ip)
{
	struct module *mod;

	/* v6.12 requires that preemption is disabled */
	guard(preempt)();
	guard(rcu)();
	mod = __module_address(ip);
	return mod && (mod->state == MODULE_STATE_GOING ||
		       (mod->state == MODULE_STATE_LIVE && within_module_init(ip, mod)));
}

static int add_live_ip(unsigned long ip, void *data)
{
	return is_over(ip) ? 0 : add_ip(ip, data);
}

/**
 * graph_filter_build - find the functions of each line, and make their table
 * @filter: the lines, at least one line; there is no table yet
 * @err: the error if this fails
 * @bad: set to the line with the error, or to the first line
 *
 * The caller holds graph_lines_mutex.
 *
 * Return: 0, or an error. A line that was not set before has to apply to at least one
 * function.
 */
int graph_filter_build(struct graph_filter *filter,
		       struct graph_cond_error *err, struct graph_cond **bad)
{
	struct rule_builder builder = { .filter = filter };
	struct rule_ips ips = { };
	struct func_map *table;
	struct graph_cond *cond;
	unsigned int i = 0;
	int ret;

	*bad = list_first_entry(&filter->conds, struct graph_cond, list);
	*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_MEM };
	builder.errors = kvcalloc(filter->nr, sizeof(*builder.errors), GFP_KERNEL);
	if (!builder.errors)
		return -ENOMEM;
	filter->wants_errors = true;
	list_for_each_entry(cond, &filter->conds, list) {
		filter->at_entry |= cond->at_entry;
		filter->at_return |= cond->at_return;
		filter->duration |= cond->duration;
		filter->wants_errors &= cond->wants_error;
	}
	filter->keeps = filter->at_return;
	ret = ftrace_walk_funcs(NULL, add_live_ip, &ips);
	if (!ret)
		ret = add_funcs(&builder, &ips);
	kvfree(ips.ips);
	if (ret == -ENOSPC) {
		err->nr = GRAPH_COND_ERR_TOO_MANY;
		*bad = builder.bad ?: *bad;
	}
	if (ret)
		goto out;
	list_for_each_entry(cond, &filter->conds, list) {
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
	table = make_table(&builder, NULL);
	if (table)
		rcu_assign_pointer(filter->table, table);
	else
		ret = -ENOMEM;
out:
	kvfree(builder.errors);
	kvfree(builder.funcs);
	return ret;
}

/**
 * graph_filter_wait - wait until no call is being traced by an old table or filter
 *
 * A call that is being traced is on a CPU or has been preempted.
 */
void graph_filter_wait(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu_tasks_rude();
}

/**
 * graph_filter_number - give numbers to the descriptions of expressions
 * @filter: lines of func_args_expr
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0; -ENOSPC if there are too many descriptions, or -ENOMEM.
 */
int graph_filter_number(const struct graph_filter *filter)
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

#ifdef CONFIG_MODULES

/* Note that functions of a new module cannot be told from those that had their addresses before */
static void note_late_funcs(const struct rule_builder *builder)
{
	const struct rule_func *func;
	unsigned int i;
	u32 set;

	for (func = builder->funcs; func < builder->funcs + builder->nr; func++) {
		scoped_guard(preempt)
			set = arg_sig_called_set(func->ip);
		if (set != ARG_SIGS_IMAGE)
			continue;
		for (i = 0; i < func->rule->nr; i++)
			func->rule->progs[i]->cond->late_funcs = true;
	}
}

/*
 * Apply the lines to the functions of a new module, which no call has entered yet. If the
 * table has no room, it is replaced. The load of a module does not wait, however many
 * instances have lines.
 */
static void add_module_rules(struct graph_filter *filter, const struct module *mod,
			     const struct rule_ips *ips)
{
	struct rule_builder builder = { .filter = filter };
	struct func_map *old, *table;
	int ret;

	if (!filter)
		return;
	old = rcu_dereference_protected(filter->table,
					lockdep_is_held(&trace_types_lock));
	ret = add_funcs(&builder, ips);
	note_late_funcs(&builder);
	if (!ret && 2 * (old->nr + builder.nr) <= old->mask) {
		add_rules(old, &builder);
	} else {
		table = ret ? NULL : make_table(&builder, old);
		if (table) {
			rcu_assign_pointer(filter->table, table);
			arg_sig_retire(&old->retired, NULL);
		} else {
			ret = ret ?: -ENOMEM;
			while (builder.nr)
				count_func(builder.funcs[--builder.nr].rule, -1);
		}
	}
	kvfree(builder.funcs);
	if (ret)
		pr_warn("lines about calls: %s: %d\n", mod->name, ret);
	if (builder.nr_left_out)
		pr_warn("%s: too many lines or comparisons for %u functions\n", mod->name,
			builder.nr_left_out);
}

static void forget_func(struct graph_filter *filter, unsigned long ip)
{
	struct func_map_slot *slot;
	struct graph_rule *rule;

	if (!filter)
		return;
	slot = slot_of(rcu_dereference_protected(filter->table,
						 lockdep_is_held(&trace_types_lock)), ip);
	/* An empty slot has no rule */
	rule = slot->val;
	if (!rule)
		return;
	count_func(rule, -1);
	WRITE_ONCE(slot->val, NULL);
}

/* Forget a function of a module in the lines of all instances; for a live module, if it is over */
static int forget_ip(unsigned long ip, void *data)
{
	const struct module *mod = data;
	struct trace_array *tr;
	int lines;

	if (mod->state == MODULE_STATE_LIVE && !within_module_init(ip, mod))
		return 0;
	list_for_each_entry(tr, &ftrace_trace_arrays, list)
		for (lines = 0; lines < GRAPH_LINES_NR; lines++)
			forget_func(*graph_lines_of(tr, lines), ip);
	return 0;
}

/* Apply the lines of all instances to the functions of a new module */
static void add_module(struct module *mod)
{
	struct rule_ips ips = { };
	struct trace_array *tr;
	int ret, lines;

	ret = ftrace_walk_funcs(mod, add_ip, &ips);
	if (ret)
		pr_warn("lines about calls: %s: %d\n", mod->name, ret);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		for (lines = 0; lines < GRAPH_LINES_NR; lines++)
			add_module_rules(*graph_lines_of(tr, lines), mod, &ips);
		ret = tr->graph_exprs ? graph_filter_number(tr->graph_exprs) : 0;
		if (ret)
			pr_warn("func_args_expr: %d\n", ret);
	}
	kvfree(ips.ips);
}

static bool any_lines(void)
{
	struct trace_array *tr;

	list_for_each_entry(tr, &ftrace_trace_arrays, list)
		if (tr->graph_filter || tr->graph_hist || tr->graph_exprs)
			return true;
	return false;
}

/*
 * The functions of a module are looked up by their addresses.  A scan of all functions for each
 * instance would take longer than the load of the module.
 */
static int filter_module_notify(struct notifier_block *nb, unsigned long state,
				void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_UNFORMED)
		return NOTIFY_OK;
	guard(mutex)(&graph_lines_mutex);
	guard(mutex)(&trace_types_lock);
	if (!any_lines())
		return NOTIFY_OK;
	/* Lines that were set since ftrace knows the module apply to its functions already */
	ftrace_walk_funcs(mod, forget_ip, mod);
	if (state == MODULE_STATE_COMING)
		add_module(mod);
	return NOTIFY_OK;
}

/* Called after the notifier that adds the module's signatures */
static struct notifier_block filter_module_nb = {
	.notifier_call	= filter_module_notify,
	.priority	= -1,
};

static int __init graph_rules_init(void)
{
	return register_module_notifier(&filter_module_nb);
}
core_initcall(graph_rules_init);

#endif /* CONFIG_MODULES */
