// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with their callees, in the order of begins
 *
 * Calls end after their callees. The event of a call with one event, and an entry that was
 * written late, come after the callees, too. So a call that has ended waits for the end of its
 * caller, which takes the deeper calls since its begin as its callees (spans.c). The tree is
 * complete when a call without a caller has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "tree.h"

/* Allocate the command's struct for a call, which begins with a struct tree_node */
void *tree_node_new(size_t size, const struct span *span)
{
	struct tree_node *node = xcalloc(1, size);

	node->begin = span->calls->clock == CLOCK_CALLS ? span->begin : span->from;
	node->to = span->to;
	node->depth = span->depth;
	return node;
}

/* Add a call that has ended, with its callees. The node belongs to the tree from now on. */
void tree_add(struct span *span, struct tree_node *node)
{
	node->callees = span->callees;
	node->last = span->last;
	span->task->callees[span->place].node = node;
	span->task->nr_nodes++;
}

/* Add an event that is no call. The node belongs to the tree from now on. */
void tree_add_event(struct task *task, struct tree_node *node)
{
	task->callees = array_grow(task->callees, &task->callees_room, task->nr_callees + 1,
				   sizeof(*task->callees));
	task->callees[task->nr_callees++] = (struct callee){
		.begin = node->begin,
		.from = node->to,
		.depth = TREE_EVENT,
		.node = node,
	};
	task->nr_nodes++;
}

/*
 * Find the number of open calls around a call whose caller has not ended. @ending is the open call
 * that ends now, NULL if there is none.
 */
unsigned int tree_callers(const struct task *task, const struct open *ending,
			  const struct tree_node *node)
{
	unsigned int nr = task->nr - !!ending;

	while (nr && (task->open[nr - 1].depth >= node->depth ||
		      task->open[nr - 1].begin > node->begin))
		nr--;
	/* After a loss, callers may have ended */
	return nr > task->unsure ? nr : 0;
}

static void free_nodes(struct tree_node *node)
{
	struct tree_node *next;

	for (; node; node = next) {
		next = node->next;
		free_nodes(node->callees);
		free(node);
	}
}

/* Remove the callees of a call, except for one callee, or all for NULL */
void tree_keep(struct tree_node *caller, struct tree_node *callee)
{
	struct tree_node *each, *next;

	for (each = caller->callees; each; each = next) {
		next = each->next;
		each->next = NULL;
		if (each != callee)
			free_nodes(each);
	}
	caller->callees = callee;
	caller->last = callee;
}

/* Remove a call that tree_add() has added, and its callees */
void tree_drop(struct span *span)
{
	struct callee *callee = &span->task->callees[span->place];

	free_nodes(callee->node);
	callee->node = NULL;
}

/* Remove the calls of a task */
void tree_clear(struct task *task)
{
	unsigned int i;

	for (i = 0; i < task->nr_callees; i++) {
		free_nodes(task->callees[i].node);
		task->callees[i].node = NULL;
	}
	task->nr_nodes = 0;
}

/*
 * Remove the calls that still wait at the end of the recording; @end handles a task's calls
 * before, or is NULL
 */
void trees_end(struct calls *calls, void (*end)(struct calls *calls, struct task *task))
{
	struct hash_node *node;
	struct task *task;
	unsigned int i;

	for (i = 0; i < hash_size(&calls->tasks); i++) {
		for (node = calls->tasks.slots[i]; node; node = node->next) {
			task = container_of(node, struct task, node);
			if (end)
				end(calls, task);
			tree_clear(task);
		}
	}
}
