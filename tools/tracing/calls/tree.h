/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls with their callees, see tree.c
 */
#ifndef _TRACE_CALLS_TREE_H
#define _TRACE_CALLS_TREE_H

#include "calls.h"

/*
 * Maximum calls of a tree. If a tree has more calls, the command uses the calls that have
 * ended without waiting for their callers.
 */
#define TREE_MAX	0x20000

/* The depth of an event that is no call */
#define TREE_EVENT	(MAX_INDENT + 1)

/**
 * struct tree_node - a call that has ended, or another event
 * @next: the next callee of the same caller, in the order of their begins
 * @callees: the first callee
 * @last: the last callee
 * @begin: the time when the call began, or its shown time if the clock does not have this time
 * @to: the shown time of the exit
 * @depth: the depth of the call, TREE_EVENT for another event
 */
struct tree_node {
	struct tree_node	*next;
	struct tree_node	*callees;
	struct tree_node	*last;
	u64			begin;
	u64			to;
	int			depth;
};

void *tree_node_new(size_t size, const struct span *span);
void tree_add(struct span *span, struct tree_node *node);
void tree_add_event(struct task *task, struct tree_node *node);
void tree_keep(struct tree_node *caller, struct tree_node *callee);
void tree_drop(struct span *span);
unsigned int tree_callers(const struct task *task, const struct open *ending,
			  const struct tree_node *node);
void tree_clear(struct task *task);
void trees_end(struct calls *calls, void (*end)(struct calls *calls, struct task *task));

#endif /* _TRACE_CALLS_TREE_H */
