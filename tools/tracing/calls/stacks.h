/* SPDX-License-Identifier: GPL-2.0 */
/* Folded stacks, "task;caller;function NUMBER", see stacks.c */
#ifndef _TRACE_CALLS_STACKS_H
#define _TRACE_CALLS_STACKS_H

#include "calls.h"

/**
 * struct stack - a function that was called from a stack, or a task
 * @node: the element of the hash
 * @index: the number of the stack
 * @parent: the stack of the caller, 0 for a task
 * @func: a number that distinguishes functions
 * @set: another number that distinguishes functions
 * @name: the name, NULL if it is not needed
 * @nr: number of calls or branches, or nanoseconds
 */
struct stack {
	struct hash_node	node;
	u32			index;
	u32			parent;
	u64			func;
	u32			set;
	char			*name;
	u64			nr;
};

/**
 * struct stacks - the stacks of a recording
 * @all: the stacks by their numbers, from 1 on
 * @nr: number of elements of @all; the first element is not used
 * @hash: the stacks by their callers and functions
 */
struct stacks {
	struct stack	**all;
	u32		nr;
	struct hash	hash;
};

u32 stack_find(struct stacks *stacks, u32 parent, u64 func, u32 set, const char *name);
void stack_put_name(const char *name);
void stacks_put(const struct stacks *stacks, struct calls *calls,
		void (*put)(struct calls *calls, const struct stack *stack));
void stacks_free(struct stacks *stacks);

#endif /* _TRACE_CALLS_STACKS_H */
