// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls flame: write folded stacks, "task;caller;function NUMBER"
 *
 * A call whose entry or exit was lost has no self time, because not all of its callees may be
 * known.
 */
#include <stdlib.h>

#include "arrays.h"
#include "stacks.h"
#include "tree.h"

static struct stacks stacks;
static bool by_calls;

static const struct choice choices[] = {
	{ 'c', "calls", NULL, "write the number of calls instead of nanoseconds", &by_calls },
	{ }
};

static struct options options = {
	.usage = "flame [OPTIONS] [FILE]\n\n"
		 "Write folded stacks with nanoseconds of self time, for flamegraph.pl and\n"
		 "speedscope\n",
	.choices = choices,
};

/**
 * struct flame_call - a call that waits for the end of its caller
 * @node: its place
 * @func: the function
 * @set: the number of the function's set of signatures
 * @counted: the call adds a number to its stack
 * @self: nanoseconds of the call without its callees
 */
struct flame_call {
	struct tree_node	node;
	u64			func;
	u32			set;
	bool			counted;
	u64			self;
};

/* Find the stack of a task. Tasks with the same name share a stack. */
static u32 task_stack(const struct calls *calls, const struct task *task)
{
	const char *comm = task_comm(calls, task), *instance = task->buffer->name ?: "";
	u32 stack;
	char *name;

	if (asprintf(&name, "%s%s%s", comm, *instance ? " in " : "", instance) < 0)
		out_of_memory();
	stack = stack_find(&stacks, 0, hash_text(HASH_TEXT, name), 0, name);
	free(name);
	return stack;
}

static void add_stacks(u32 caller, const struct tree_node *node)
{
	const struct flame_call *call = container_of(node, struct flame_call, node);
	u32 stack = stack_find(&stacks, caller, call->func, call->set, NULL);

	for (node = node->callees; node; node = node->next)
		add_stacks(stack, node);
	if (stack && call->counted)
		stacks.all[stack]->nr += by_calls ? 1 : call->self;
}

/* Add the calls of a task that have ended, whose callers are the task's open calls */
static void add_tree(struct calls *calls, struct task *task, const struct open *ending)
{
	const struct tree_node *node;
	unsigned int i, j, nr;
	u32 caller;

	for (i = 0; i < task->nr_callees; i++) {
		node = task->callees[i].node;
		if (!node)
			continue;
		caller = task_stack(calls, task);
		nr = tree_callers(task, ending, node);
		for (j = 0; j < nr; j++)
			caller = stack_find(&stacks, caller, task->open[j].func,
					    task->open[j].set, NULL);
		add_stacks(caller, node);
	}
	tree_clear(task);
}

static void flame_end_task(struct calls *calls, struct task *task)
{
	add_tree(calls, task, NULL);
}

static void flame_end_call(struct calls *calls, struct span *span, struct open *open)
{
	struct flame_call *call = tree_node_new(sizeof(*call), span);

	call->func = span->call.func;
	call->set = span->set;
	call->counted = span->passes && (by_calls || !span->lost);
	call->self = span->self;
	tree_add(span, &call->node);
	if (!span->depth || span->task->nr_nodes >= TREE_MAX)
		add_tree(calls, span->task, open);
}

static void flame_put_name(struct calls *calls, const struct stack *stack)
{
	const struct sig_func *func;

	if (!stack->parent) {
		stack_put_name(stack->name);
		return;
	}
	func = sigs_find(calls->sigs, stack->func, stack->set);
	if (!func)
		return;
	stack_put_name(func_name(func));
	if (func->module) {
		out_puts(" [");
		stack_put_name(func->module);
		out_puts("]");
	}
}

static const struct calls_ops ops = {
	.all	= true,
	.end	= flame_end_call,
};

int cmd_flame(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	trees_end(&calls, calls.failed ? NULL : flame_end_task);
	if (!calls.failed)
		stacks_put(&stacks, &calls, flame_put_name);
	if (calls.nr_lost)
		complain("%s: events were lost %llu times: stacks begin anew there",
			 calls.file, (unsigned long long)calls.nr_lost);
	status = finish(&calls, &options);
	stacks_free(&stacks);
	return status;
}
