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

static u32 *stack_slot(const struct stacks *stacks, u32 parent, u64 func, u32 set)
{
	u64 key = func ^ (u64)set << 32 ^ (u64)parent * 0x100000001b3ULL;

	return &stacks->slots[(key * 0x9e3779b97f4a7c15ULL >> 32) & (stacks->room - 1)];
}

/* Make room for a stack */
static void stacks_grow(struct stacks *stacks)
{
	u32 more = stacks->room ? 2 * stacks->room : 1 << FIRST_BITS, *slot, i;
	struct stack *all;

	if (stacks->nr < stacks->room)
		return;
	all = allocated(reallocarray(stacks->all, more, sizeof(*all)));
	stacks->all = all;
	free(stacks->slots);
	stacks->slots = xcalloc(more, sizeof(*stacks->slots));
	stacks->room = more;
	stacks->nr = stacks->nr ?: 1;
	for (i = 1; i < stacks->nr; i++) {
		slot = stack_slot(stacks, all[i].parent, all[i].func, all[i].set);
		all[i].next = *slot;
		*slot = i;
	}
}

/**
 * stack_find - find the stack of a function below the stack of its caller
 * @stacks: the stacks
 * @parent: the stack of the caller, 0 for a task
 * @func: a number that distinguishes functions
 * @set: another number that distinguishes functions
 * @name: the name, if functions with the same numbers may have different names; or NULL.
 *	The name is not copied.
 *
 * Return: the stack, which is added if it is new; @parent if there are too many stacks.
 */
u32 stack_find(struct stacks *stacks, u32 parent, u64 func, u32 set, const char *name)
{
	const struct stack *stack;
	u32 i, *slot;

	stacks_grow(stacks);
	slot = stack_slot(stacks, parent, func, set);
	for (i = *slot; i; i = stack->next) {
		stack = &stacks->all[i];
		if (stack->parent == parent && stack->func == func && stack->set == set &&
		    (!name || !strcmp(stack->name, name)))
			return i;
	}
	if (stacks->nr == MAX_STACKS)
		return parent;
	stacks->all[stacks->nr] = (struct stack){
		.next	= *slot,
		.parent	= parent,
		.func	= func,
		.set	= set,
		.name	= name,
	};
	*slot = stacks->nr;
	return stacks->nr++;
}

/**
 * stack_put_name - write a name without ';' and the end of a line, which separate names
 * @name: the name
 */
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
		put_stack(stacks, calls, &stacks->all[stack->parent], put);
		out_puts(";");
	}
	put(calls, stack);
}

/**
 * stacks_put - write the stacks
 * @stacks: the stacks
 * @calls: the recording
 * @put: writes the name of a stack's function or task
 */
void stacks_put(const struct stacks *stacks, struct calls *calls,
		void (*put)(struct calls *calls, const struct stack *stack))
{
	const struct stack *stack;
	u32 i;

	for (i = 1; i < stacks->nr; i++) {
		stack = &stacks->all[i];
		if (!stack->nr)
			continue;
		put_stack(stacks, calls, stack, put);
		out_puts(" ");
		out_udec(stack->nr);
		out_puts("\n");
	}
	if (stacks->nr == MAX_STACKS)
		complain("%s: more than %d stacks, others are counted as their callers'",
			 calls->file, MAX_STACKS);
}

/**
 * stacks_free - free the stacks, but not their names
 * @stacks: the stacks
 */
void stacks_free(struct stacks *stacks)
{
	free(stacks->all);
	free(stacks->slots);
}
