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
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_args_table.h"
#include "trace_graph_conds.h"
#include "trace_graph_progs.h"
#include "trace_graph_rules.h"

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

/**
 * struct rule_builder - functions, and the programs that decide or count their calls
 * @filter: the filter
 * @funcs: pairs of a function and a program
 * @nr: number of @funcs
 * @room: maximum number of @funcs
 * @errors: for each line, the reason why it does not apply to functions that its glob
 *	matches
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

/* Add a function whose name the glob of a line matches */
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
	prog = cond->make_prog(cond, ip, &hold, &err);
	arg_sig_release(&hold);
	if (IS_ERR(prog)) {
		/* Report the error of the function that came closest to the line */
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

/* Find or make the rule with the programs of @nr entries, which belong to one function */
static struct graph_rule *get_rule(struct graph_filter *filter,
				   const struct rule_func *funcs, size_t nr)
{
	unsigned int i, bits = 0;
	struct graph_rule *rule;
	bool regs = true;

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
		regs &= !prog->args || prog->nr_regs;
		rule->args |= prog->args;
		rule->strings |= prog->strings;
		rule->record |= prog->record;
		rule->entry |= prog->nr_entry || !prog->cond->at_return;
		if (prog->cond->map_bits && prog->cond->at_return) {
			rule->at_return = true;
			rule->keep += prog->args;
		}
		if (prog->args)
			rule->nr_regs = regs ? max(rule->nr_regs, prog->nr_regs) : 0;
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
	unsigned long i = graph_rule_hash(table, ip);

	while (table->slots[i].ip)
		i = (i + 1) & table->mask;
	table->slots[i].ip = ip;
	table->slots[i].rule = rule;
	table->nr++;
}

/*
 * Forget a function of a module that is gone, because another function has its address
 * now
 */
static void forget_rule(const struct graph_rule *rule)
{
	unsigned int i;

	for (i = 0; i < rule->nr; i++)
		rule->progs[i]->cond->nr_funcs--;
}

static struct graph_rules *alloc_table(size_t funcs)
{
	unsigned int bits = max(order_base_2(2 * funcs + 1), 4);
	struct graph_rules *table;

	table = kvzalloc(struct_size(table, slots, BIT(bits)), GFP_KERNEL);
	if (table) {
		table->mask = BIT(bits) - 1;
		table->shift = BITS_PER_LONG - bits;
	}
	return table;
}

/*
 * Make a table of the functions of @builder, and of the functions of @old that are not in
 * @mod
 */
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
	for (i = 0; old && i <= old->mask; i++) {
		const struct graph_rule_slot *slot = &old->slots[i];

		if (!slot->ip || !slot->rule)
			continue;
		if (within_module(slot->ip, mod))
			forget_rule(slot->rule);
		else
			set_rule(table, slot->ip, slot->rule);
	}
	return table;
}

/**
 * graph_filter_build - find the functions of each line, and make their table
 * @filter: the lines, at least one line; there is no table yet
 * @err: the error if this fails
 * @bad: set to the line with the error, or to the first line
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0, or an error. A line that was not set before has to apply to at least one
 * function.
 */
int graph_filter_build(struct graph_filter *filter,
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
	filter->wants_errors = true;
	list_for_each_entry(cond, &filter->conds, list) {
		filter->at_return |= cond->at_return;
		filter->duration |= cond->duration;
		filter->wants_errors &= cond->wants_error;
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
 * graph_filter_wait - wait until no call is being traced by an old table or filter
 *
 * A call that is being traced is on a CPU or has been preempted.
 */
void graph_filter_wait(void)
{
	synchronize_rcu_tasks();
	synchronize_rcu_tasks_rude();
}

#ifdef CONFIG_MODULES

/* Forget all functions that had the addresses of a module */
static void forget_module(struct graph_rules *table, const struct module *mod)
{
	unsigned int i;

	for (i = 0; i <= table->mask; i++)
		if (within_module(table->slots[i].ip, mod))
			WRITE_ONCE(table->slots[i].rule, NULL);
}

/* Activate the functions of a new table of lines with expressions */
static void set_exprs(const struct graph_filter *filter)
{
	int ret = call_exprs_number(filter);

	if (ret)
		pr_warn("func_args_expr: %d\n", ret);
	call_exprs_update();
}

/* Apply the lines to the functions of a new module */
static void add_module_rules(struct graph_filter *filter, struct module *mod)
{
	struct rule_builder builder = { .filter = filter };
	struct graph_rules *old, *table;
	int ret;

	old = rcu_dereference_protected(filter->table,
					lockdep_is_held(&trace_types_lock));
	ret = ftrace_walk_funcs(mod, add_func, &builder);
	if (ret)
		pr_warn("lines about calls: %s: %d\n", mod->name, ret);
	table = make_table(&builder, old, mod);
	kvfree(builder.funcs);
	if (IS_ERR(table)) {
		pr_warn("lines about calls: %s: %ld\n", mod->name, PTR_ERR(table));
		/*
		 * The old table may have functions of a module that is gone at these
		 * addresses
		 */
		forget_module(old, mod);
		return;
	}
	rcu_assign_pointer(filter->table, table);
	graph_filter_wait();
	kvfree(old);
}

static int filter_module_notify(struct notifier_block *nb, unsigned long state,
				void *data)
{
	struct trace_array *tr;

	if (state != MODULE_STATE_COMING)
		return NOTIFY_OK;
	guard(mutex)(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tr->graph_filter)
			add_module_rules(tr->graph_filter, data);
		if (tr->graph_hist)
			add_module_rules(tr->graph_hist, data);
		if (tr->graph_exprs) {
			add_module_rules(tr->graph_exprs, data);
			set_exprs(tr->graph_exprs);
		}
	}
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
