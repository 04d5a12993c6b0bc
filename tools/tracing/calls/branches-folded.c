// SPDX-License-Identifier: GPL-2.0
/*
 * Write branches as folded stacks, "task;caller;function NUMBER", for flamegraph.pl and
 * speedscope. NUMBER is the number of branches in the function, or of samples of them.
 */
#include "branches.h"
#include "stacks.h"

static struct stacks stacks;

/* Functions with the same name share a stack */
static u32 find_name(u32 parent, const char *name)
{
	return stack_find(&stacks, parent, hash_text(HASH_TEXT, name), 0, name);
}

static u32 find_function(u32 parent, u64 func)
{
	const struct place *place = func ? place_find(func) : NULL;

	return find_name(parent, place && place->name ? place->name :
			 bts_is_kernel(func) || !func ? "[unknown]" : "[user]");
}

static void count_stack(struct calls *calls, struct flow *flow, const struct place *from)
{
	const struct bts_tree *tree = &flow->stack->tree;
	u32 stack = find_name(0, task_comm(calls, flow->task));
	unsigned int i;

	if (!bts_is_kernel(from->addr) && !from->name) {
		stack = find_name(stack, "[user]");
		stacks.all[stack]->nr++;
		return;
	}
	for (i = 0; i < tree->nr; i++)
		stack = find_function(stack, tree->frames[i].func);
	if (!tree->nr || (from->func && tree->frames[tree->nr - 1].func != from->func))
		stack = find_function(stack, from->func);
	stacks.all[stack]->nr++;
}

static void folded_put_name(struct calls *calls, const struct stack *stack)
{
	stack_put_name(stack->name);
}

static void end_folded(struct calls *calls)
{
	stacks_put(&stacks, calls, folded_put_name);
	stacks_free(&stacks);
}

const struct view folded_view = {
	.name		= "folded",
	.samples	= true,
	.stack		= count_stack,
	.end		= end_folded,
};
