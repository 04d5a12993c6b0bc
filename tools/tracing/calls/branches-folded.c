// SPDX-License-Identifier: GPL-2.0
/*
 * Branches as folded stacks, "task;caller;function NUMBER": the number of branches that
 * were taken there, for flamegraph.pl and speedscope
 */
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "calls.h"

/* Maximum nodes; branches of further nodes are counted as their caller's */
#define MAX_NODES	0x100000
#define FIRST_BITS	12

/**
 * struct node - a function that was called from a stack, or a task's name
 * @next: in the same slot of the hash, 0 if there is none
 * @parent: the node of the caller, 0 for a task
 * @name: the function or the task
 * @nr: branches
 */
struct node {
	u32		next;
	u32		parent;
	const char	*name;
	u64		nr;
};

/* Node 0 is not used */
static struct node *nodes;
static u32 *slots, nr_nodes = 1, room;
static bool failed;

static u32 *slot_of(u32 parent, const char *name)
{
	u64 hash = 14695981039346656037ULL ^ parent;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 1099511628211ULL;
	return &slots[(hash * 0x9e3779b97f4a7c15ULL >> 32) & (room - 1)];
}

static bool grow(void)
{
	u32 more = room ? 2 * room : 1 << FIRST_BITS, *slot, i;
	struct node *bigger;

	if (nr_nodes < room)
		return true;
	bigger = realloc(nodes, more * sizeof(*nodes));
	if (bigger)
		nodes = bigger;
	slot = bigger ? calloc(more, sizeof(*slots)) : NULL;
	if (!slot)
		return false;
	free(slots);
	slots = slot;
	room = more;
	for (i = 1; i < nr_nodes; i++) {
		slot = slot_of(nodes[i].parent, nodes[i].name);
		nodes[i].next = *slot;
		*slot = i;
	}
	return true;
}

/* The node of a function in that of its caller; the caller's own if there are too many */
static u32 find_node(u32 parent, const char *name)
{
	u32 i, *slot;

	if (!grow()) {
		failed = true;
		return parent;
	}
	slot = slot_of(parent, name);
	for (i = *slot; i; i = nodes[i].next)
		if (nodes[i].parent == parent && !strcmp(nodes[i].name, name))
			return i;
	if (nr_nodes == MAX_NODES)
		return parent;
	nodes[nr_nodes] = (struct node){ *slot, parent, name };
	*slot = nr_nodes;
	return nr_nodes++;
}

static u32 find_function(u32 parent, u64 func)
{
	const struct place *place = func ? place_find(func) : NULL;

	return find_node(parent, place && place->name ? place->name :
			 bts_is_kernel(func) || !func ? "[unknown]" : "[user]");
}

static void count_stack(struct calls *calls, struct flow *flow, const struct place *from)
{
	const struct bts_tree *tree = &flow->tree;
	u32 node = find_node(0, task_comm(calls, flow->task));
	unsigned int i;

	if (failed)
		return;
	if (!bts_is_kernel(from->addr)) {
		nodes[find_node(node, "[user]")].nr++;
		return;
	}
	for (i = 0; i < tree->nr; i++)
		node = find_function(node, tree->frames[i].func);
	if (!tree->nr || (from->func && tree->frames[tree->nr - 1].func != from->func))
		node = find_function(node, from->func);
	nodes[node].nr++;
}

static void put_name(const char *name)
{
	for (; *name; name++)
		out_write(*name == ';' || *name == '\n' ? ":" : name, 1);
}

static void put_stack(u32 node)
{
	if (nodes[node].parent) {
		put_stack(nodes[node].parent);
		out_puts(";");
	}
	put_name(nodes[node].name);
}

static void end_folded(struct calls *calls)
{
	u32 i;

	for (i = 1; i < nr_nodes; i++) {
		if (!nodes[i].nr)
			continue;
		put_stack(i);
		out_puts(" ");
		out_udec(nodes[i].nr);
		out_puts("\n");
	}
	if (nr_nodes == MAX_NODES)
		complain("%s: more than %d stacks, others are counted as their callers'",
			 calls->file, MAX_NODES);
	if (failed) {
		complain("out of memory");
		calls->failed = true;
	}
	free(nodes);
	free(slots);
}

const struct view folded_view = {
	.name	= "folded",
	.stack	= count_stack,
	.end	= end_folded,
};
