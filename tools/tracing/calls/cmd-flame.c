// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls flame: write folded stacks, "task;caller;function NUMBER"
 *
 * A call whose entry was lost is directly below its task.  This call has no self time,
 * because its callees are not known.
 */
#include <getopt.h>
#include <stdlib.h>

#include "stacks.h"

static struct stacks stacks;
static bool by_calls;

/* Number of calls with one event */
static unsigned long long nr_single;

static const struct option longs[] = {
	{ "calls", no_argument, NULL, 'c' },
	{ NULL }
};

static bool flame_set_option(int option, const char *value)
{
	by_calls = true;
	return true;
}

static struct options options = {
	.usage = "flame [OPTIONS] FILE\n\n"
		 "Write folded stacks with nanoseconds of self time, for flamegraph.pl and\n"
		 "speedscope\n\n"
		 "  -c, --calls          write the number of calls instead of nanoseconds",
	.shorts = "c",
	.longs = longs,
	.set = flame_set_option,
};

/* Find the stack of a task. Tasks with the same name share a stack. */
static u32 task_stack(const struct calls *calls, struct task *task)
{
	const char *comm = task_comm(calls, task), *instance = task->buffer->name ?: "";
	char *name;
	u32 stack;

	if (task->data)
		return task->data;
	stack = stack_find(&stacks, 0, hash_text(hash_text(HASH_TEXT, comm), instance), 0, NULL);
	if (stack && !stacks.all[stack].name) {
		if (asprintf(&name, "%s%s%s", comm, *instance ? " in " : "", instance) >= 0)
			stacks.all[stack].name = name;
		else
			stacks.failed = true;
	}
	task->data = stack;
	return stack;
}

static void flame_begin_call(struct calls *calls, struct task *task, struct open *open)
{
	u32 parent = task->nr > 1 ? task->open[task->nr - 2].data : task_stack(calls, task);

	open->data = stack_find(&stacks, parent, open->func, open->set, NULL);
}

static void flame_end_call(struct calls *calls, struct span *span, struct open *open)
{
	u32 stack = open ? open->data :
		    stack_find(&stacks, task_stack(calls, span->task), span->call.func,
			       SIGS_NO_SET, NULL);

	/* A call with one event has no known caller before the caller's event */
	if (!open && span->lost != SPAN_NO_BEGIN)
		nr_single++;
	if (!stack)
		return;
	if (by_calls)
		stacks.all[stack].nr++;
	else if (!span->lost)
		stacks.all[stack].nr += span->self;
}

static void flame_put_name(struct calls *calls, const struct stack *stack)
{
	const struct sig_func *func;
	char buf[32];

	if (!stack->parent) {
		stack_put_name(stack->name ?: "<...>");
		return;
	}
	func = sigs_find(calls->sigs, stack->func, stack->set);
	if (!func)
		return;
	stack_put_name(func_name(func, buf, sizeof(buf)));
	if (func->module) {
		out_puts(" [");
		stack_put_name(func->module);
		out_puts("]");
	}
}

static const struct calls_ops ops = {
	.begin	= flame_begin_call,
	.end	= flame_end_call,
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
	u32 i;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	stacks_put(&stacks, &calls, flame_put_name);
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
	/* Only tasks have names */
	for (i = 1; i < stacks.nr; i++)
		free((void *)stacks.all[i].name);
	stacks_free(&stacks);
	return status;
}
