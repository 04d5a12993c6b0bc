// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with their callees, in the order of begins
 *
 * Calls end after their callees. The event of a call with one event, and an entry that was
 * written late, come after the callees, too. So a call that has ended waits for the end of its
 * caller, which takes the deeper calls since its begin as its callees. The tree is complete
 * when a call without a caller has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "tree.h"

/**
 * tree_of - find the tree of a task
 * @task: the task, whose @data belongs to the tree
 *
 * Return: the tree, NULL if there is no memory.
 */
struct tree *tree_of(struct task *task)
{
	if (!task->data)
		task->data = (uintptr_t)calloc(1, sizeof(struct tree));
	return (struct tree *)(uintptr_t)task->data;
}

/**
 * tree_node_new - allocate a node
 * @size: bytes of the command's struct, which begins with a struct tree_node
 * @span: the call
 *
 * Return: the node, NULL if there is no memory.
 */
void *tree_node_new(size_t size, const struct span *span)
{
	struct tree_node *node = calloc(1, size);

	if (node) {
		node->begin = span->calls->clock == CLOCK_CALLS ? span->begin : span->from;
		node->from = span->from;
		node->to = span->to;
		node->depth = span->depth;
	}
	return node;
}

static void add_callee(struct tree_node *caller, struct tree_node *callee)
{
	if (caller->last)
		caller->last->next = callee;
	else
		caller->callees = callee;
	caller->last = callee;
}

/**
 * tree_add - add a call that has ended
 * @tree: the tree, which owns the node from now on
 * @node: the call
 *
 * Return: false if there is no memory.
 */
bool tree_add(struct tree *tree, struct tree_node *node)
{
	struct tree_node **calls = array_grow(tree->calls, &tree->room, tree->nr + 1,
					      sizeof(*calls));
	unsigned int first = tree->nr, end, i;

	if (!calls) {
		free(node);
		return false;
	}
	tree->calls = calls;
	/* A call without an exit may have ended at a loss, before other calls */
	while (first && calls[first - 1]->from >= node->to)
		first--;
	for (end = first; first && calls[first - 1]->depth > node->depth &&
	     calls[first - 1]->begin >= node->begin; first--)
		;
	for (i = first; i < end; i++)
		add_callee(node, calls[i]);
	memmove(calls + first + 1, calls + end, (tree->nr - end) * sizeof(*calls));
	calls[first] = node;
	tree->nr -= end - first;
	tree->nr++;
	tree->size++;
	return true;
}

/**
 * tree_callers - find the open calls around a call whose caller has not ended
 * @task: the task
 * @ending: the open call that ends now, NULL if there is none
 * @node: the call
 *
 * Return: number of the task's open calls that contain the call.
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

/**
 * tree_keep - remove the callees of a call, except for one callee
 * @caller: the call
 * @callee: the callee that is kept, NULL to keep none
 */
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

/**
 * tree_drop - remove a call and its callees
 * @tree: the tree
 * @node: a call that waits for the end of its caller
 */
void tree_drop(struct tree *tree, struct tree_node *node)
{
	unsigned int i = tree->nr;

	while (i-- > 0 && tree->calls[i] != node)
		;
	memmove(tree->calls + i, tree->calls + i + 1, (tree->nr - i - 1) * sizeof(*tree->calls));
	tree->nr--;
	free_nodes(node);
}

/**
 * tree_clear - remove the calls
 * @tree: the tree
 */
void tree_clear(struct tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr; i++)
		free_nodes(tree->calls[i]);
	tree->nr = 0;
	tree->size = 0;
}

/**
 * trees_end - handle the calls that still wait at the end of the recording
 * @calls: the recording
 * @end: handles a task's tree before it is freed; NULL only frees the trees
 */
void trees_end(struct calls *calls, void (*end)(struct calls *calls, struct task *task))
{
	struct hash_node *node;
	struct tree *tree;
	struct task *task;
	unsigned int i;

	for (i = 0; i < hash_size(&calls->tasks); i++) {
		for (node = calls->tasks.slots[i]; node; node = node->next) {
			task = container_of(node, struct task, node);
			tree = (struct tree *)(uintptr_t)task->data;
			if (!tree)
				continue;
			if (end)
				end(calls, task);
			tree_clear(tree);
			free(tree->calls);
			free(tree);
			task->data = 0;
		}
	}
}
