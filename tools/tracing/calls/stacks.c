// SPDX-License-Identifier: GPL-2.0
/*
 * Folded stacks, "task;caller;function NUMBER", for flamegraph.pl and speedscope
 *
 * The stacks are a tree.  They are written in the order in which they were added.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "stacks.h"

/* Limit of the number of stacks; further stacks are counted for their caller */
#define MAX_STACKS	0x100000
#define FIRST_BITS	12

/**
 * stack_find - find the stack of a function below the stack of its caller
 * @stacks: the stacks
 * @parent: the stack of the caller, 0 for a task
 * @func: a number that distinguishes functions
 * @set: another number that distinguishes functions
 * @name: the name, if functions with the same numbers may have different names; or NULL
 *
 * Return: the stack, which is added if it is new; @parent if there are too many stacks.
 */
u32 stack_find(struct stacks *stacks, u32 parent, u64 func, u32 set, const char *name)
{
	u64 key = func ^ (u64)set << 32 ^ (u64)parent * 0x100000001b3ULL;
	struct hash_node *node;
	struct stack *stack;

	if (!stacks->nr) {
		array_add_new(&stacks->all, &stacks->nr, sizeof(*stack));
		if (!hash_init(&stacks->hash, FIRST_BITS))
			out_of_memory();
	}
	for (node = *hash_slot(&stacks->hash, key); node; node = node->next) {
		stack = container_of(node, struct stack, node);
		if (stack->parent == parent && stack->func == func && stack->set == set &&
		    (!name || !strcmp(stack->name, name)))
			return stack->index;
	}
	if (stacks->nr == MAX_STACKS)
		return parent;
	stack = array_add_new(&stacks->all, &stacks->nr, sizeof(*stack));
	stack->index = stacks->nr - 1;
	stack->parent = parent;
	stack->func = func;
	stack->set = set;
	stack->name = name ? xstrdup(name) : NULL;
	hash_add(&stacks->hash, &stack->node, key);
	return stack->index;
}

/* Write a name without ';' and the end of a line, which separate names */
void stack_put_name(const char *name)
{
	size_t len;

	while (*name) {
		len = strcspn(name, ";\n");
		out_write(name, len);
		name += len;
		if (*name) {
			out_puts(":");
			name++;
		}
	}
}

static void put_stack(const struct stacks *stacks, struct calls *calls,
		      const struct stack *stack,
		      void (*put)(struct calls *calls, const struct stack *stack))
{
	if (stack->parent) {
		put_stack(stacks, calls, stacks->all[stack->parent], put);
		out_puts(";");
	}
	put(calls, stack);
}

/* Write the stacks; @put writes the name of a stack's function or task */
void stacks_put(const struct stacks *stacks, struct calls *calls,
		void (*put)(struct calls *calls, const struct stack *stack))
{
	const struct stack *stack;
	u32 i;

	for (i = 1; i < stacks->nr; i++) {
		stack = stacks->all[i];
		if (!stack->nr)
			continue;
		put_stack(stacks, calls, stack, put);
		out_printf(" %llu\n", (unsigned long long)stack->nr);
	}
	if (stacks->nr == MAX_STACKS)
		complain("%s: more than %d stacks, others are counted as their callers'",
			 calls->file, MAX_STACKS);
}

void stacks_free(struct stacks *stacks)
{
	u32 i;

	for (i = 0; i < stacks->nr; i++) {
		free(stacks->all[i]->name);
		free(stacks->all[i]);
	}
	free(stacks->all);
	free(stacks->hash.slots);
}
