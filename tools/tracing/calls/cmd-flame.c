// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls flame: folded stacks, "task;caller;function NUMBER"
 *
 * The stacks are a tree.  A call whose begin was lost is directly below its task, and
 * has no self time, because its callees are not known.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/* Maximum nodes of the tree; calls of further nodes are counted as their caller's */
#define MAX_NODES	0x100000
#define FIRST_BITS	12

/**
 * struct node - a function that was called from a stack, or a task
 * @next: in the same slot of the hash, 0 if there is none
 * @parent: the node of the caller, 0 if it is a task
 * @func: the function
 * @set: the number of its set of signatures
 * @nr: calls, or nanoseconds
 * @comm: the task's name
 */
struct node {
	u32		next;
	u32		parent;
	u64		func;
	u32		set;
	u64		nr;
	char		*comm;
};

/* Node 0 is not used */
static struct node *nodes;
static u32 *slots;
static u32 nr_nodes = 1, nodes_room;
static unsigned int bits;
static bool failed, by_calls;

/* Calls with one event */
static unsigned long long nr_single;

static const struct option longs[] = {
	{ "calls", no_argument, NULL, 'c' },
	{ NULL }
};

static bool set_option(int option, const char *value)
{
	by_calls = true;
	return true;
}

static struct options options = {
	.usage = "flame [OPTIONS] FILE\n\n"
		 "Folded stacks with nanoseconds of self time, for flamegraph.pl and speedscope\n\n"
		 "  -c, --calls          with the number of calls instead",
	.shorts = "c",
	.longs = longs,
	.set = set_option,
};

static u32 slot_of(u32 parent, u64 func, u32 set)
{
	u64 key = func ^ (u64)set << 32 ^ (u64)parent * 0x100000001b3ULL;

	return key * 0x9e3779b97f4a7c15ULL >> (64 - bits);
}

static bool grow(void)
{
	struct node *more;
	u32 *again, i;

	if (nr_nodes < nodes_room)
		return true;
	more = realloc(nodes, 2 * max(nodes_room, 1U << FIRST_BITS) * sizeof(*nodes));
	if (!more)
		return false;
	nodes = more;
	again = realloc(slots, 2 * max(nodes_room, 1U << FIRST_BITS) * sizeof(*slots));
	if (!again)
		return false;
	slots = again;
	nodes_room = 2 * max(nodes_room, 1U << FIRST_BITS);
	bits = fls64(nodes_room) - 1;
	memset(slots, 0, nodes_room * sizeof(*slots));
	for (i = 1; i < nr_nodes; i++) {
		u32 *slot = &slots[slot_of(nodes[i].parent, nodes[i].func, nodes[i].set)];

		nodes[i].next = *slot;
		*slot = i;
	}
	return true;
}

static u32 find_node(u32 parent, u64 func, u32 set)
{
	u32 i, *slot;

	if (!grow()) {
		failed = true;
		return parent;
	}
	slot = &slots[slot_of(parent, func, set)];
	for (i = *slot; i; i = nodes[i].next)
		if (nodes[i].parent == parent && nodes[i].func == func &&
		    nodes[i].set == set)
			return i;
	if (nr_nodes == MAX_NODES)
		return parent;
	nodes[nr_nodes] = (struct node){
		.next = *slot,
		.parent = parent,
		.func = func,
		.set = set,
	};
	*slot = nr_nodes;
	return nr_nodes++;
}

/* Find or make the node of a task; tasks with the same name share a node */
static u32 task_node(const struct calls *calls, struct task *task)
{
	const char *comm = task_comm(calls, task), *instance = task->buffer->name;
	u64 hash = 14695981039346656037ULL;
	const char *p;
	u32 node;

	if (task->data)
		return task->data;
	for (p = comm; *p; p++)
		hash = (hash ^ (u8)*p) * 1099511628211ULL;
	for (p = instance ?: ""; *p; p++)
		hash = (hash ^ (u8)*p) * 1099511628211ULL;
	node = find_node(0, hash, 0);
	if (node && !nodes[node].comm &&
	    asprintf(&nodes[node].comm, "%s%s%s", comm, instance ? " in " : "",
		     instance ?: "") < 0)
		failed = true;
	task->data = node;
	return node;
}

static void begin_call(struct calls *calls, struct task *task, struct open *open)
{
	u32 parent = task->nr > 1 ? task->open[task->nr - 2].data :
				    task_node(calls, task);

	open->data = find_node(parent, open->func, open->set);
}

static void end_call(struct calls *calls, struct span *span, struct open *open)
{
	u32 node = open ? open->data :
		   find_node(task_node(calls, span->task), span->call.func,
			     SIGS_NO_SET);

	/* Its caller is not known before the caller's own event */
	if (!open && span->lost != SPAN_NO_BEGIN)
		nr_single++;
	if (!node)
		return;
	if (by_calls)
		nodes[node].nr++;
	else if (!span->lost)
		nodes[node].nr += span->self;
}

/* Write a name without ';', which separates the names */
static void put_name(const char *name)
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

static void put_stack(struct calls *calls, u32 node)
{
	const struct sig_func *func;
	char buf[32];

	if (!nodes[node].parent) {
		put_name(nodes[node].comm ?: "<...>");
		return;
	}
	put_stack(calls, nodes[node].parent);
	out_puts(";");
	func = sigs_find(calls->sigs, nodes[node].func, nodes[node].set);
	if (!func)
		return;
	put_name(func_name(func, buf, sizeof(buf)));
	if (func->module) {
		out_puts(" [");
		put_name(func->module);
		out_puts("]");
	}
}

static void put_stacks(struct calls *calls)
{
	u32 i;

	for (i = 1; i < nr_nodes; i++) {
		if (nodes[i].nr) {
			put_stack(calls, i);
			out_puts(" ");
			out_udec(nodes[i].nr);
			out_puts("\n");
		}
	}
	for (i = 1; i < nr_nodes; i++)
		free(nodes[i].comm);
}

static const struct calls_ops ops = {
	.begin	= begin_call,
	.end	= end_call,
};

/**
 * cmd_flame - run trace-calls flame
 * @argc: the number of words
 * @argv: the words
 *
 * Return: the program's status.
 */
int cmd_flame(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	put_stacks(&calls);
	if (failed) {
		complain("out of memory");
		calls.failed = true;
	}
	if (nr_nodes == MAX_NODES)
		complain("%s: more than %d stacks, others are counted as their callers'",
			 calls.file, MAX_NODES);
	if (nr_single) {
		complain("%s: %llu calls of funcgraph-single: use \"%s unfold\" first",
			 calls.file, nr_single, program);
		calls.failed = true;
	}
	if (calls.nr_lost)
		complain("%s: events were lost %llu times: stacks begin anew there",
			 calls.file, (unsigned long long)calls.nr_lost);
	status = finish(&calls, &options);
	calls_free(&calls);
	free(nodes);
	free(slots);
	return status;
}
