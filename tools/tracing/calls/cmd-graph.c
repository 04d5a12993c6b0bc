// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls graph: write the calls as the graph of the kernel's text
 *
 * The calls of a task are shown together when the outermost call has ended, in the order of
 * their begins: also calls with one event, calls whose entry was written late, and calls that
 * end on another CPU.  Conditions select calls, and options add the callees and the callers of
 * the selected calls.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* Colours on a terminal: calls that return an error, other events, and the normal colour */
#define COLOUR_ERROR	"\033[31m"
#define COLOUR_EVENT	"\033[36m"
#define COLOUR_NORMAL	"\033[m"

static struct {
	bool		callees;	/* Show the callees of selected calls */
	bool		callers;	/* Show the callers of selected calls */
	bool		chains;		/* Select the errors that reach the outermost call */
	bool		errors;		/* Select all calls that return an error */
	bool		times;		/* Show when each call began */
	unsigned long	depth;		/* Levels that are shown, 0 for all levels */
	int		cpu;		/* The selected CPU, -1 for all CPUs */
	const char	*task;		/* Glob of names, or a number; NULL for all tasks */
	const char	*around;	/* Glob of events whose callers are selected, or NULL */
	const char	*time;		/* Text of the selected times, or NULL */
	u64		from;		/* The first and the last selected time */
	u64		to;
} choice = {
	.cpu	= -1,
	.to	= -1ULL,
};

/* Whether only some calls are shown, and number of lines */
static bool selects, coloured;
static unsigned long nr_lines;

static bool set_times(u64 unit)
{
	const char *text = graph_time(choice.time, unit, &choice.from);

	return *text == ',' && !*graph_time(text + 1, unit, &choice.to) &&
	       choice.from <= choice.to;
}

static bool graph_set_option(int option, const char *value)
{
	char *end;

	switch (option) {
	case 'e':
		choice.chains = !value;
		choice.errors = true;
		selects = true;
		return !value || !strcmp(value, "all");
	case 'd':
		choice.depth = strtoul(value, &end, 10);
		return choice.depth && !*end;
	case 'a':
		choice.around = value;
		selects = true;
		return *value;
	case 'T':
		choice.task = value;
		selects = true;
		return *value;
	case 'p':
		choice.cpu = strtol(value, &end, 10);
		selects = true;
		return choice.cpu >= 0 && *value && !*end;
	case 't':
		choice.time = value;
		selects = true;
		return set_times(1000000000);
	}
	return false;
}

static const struct choice choices[] = {
	{ 'a', "around", "EVENT", "select events by a glob of their names, and their callers" },
	{ 'c', "callees", NULL, "also show the callees of the selected calls", &choice.callees },
	{ 'C', "callers", NULL, "also show the callers of the selected calls", &choice.callers },
	{ 'd', "depth", "N", "show at most N levels of calls" },
	{ 'e', "errors", "[=all]", "select the calls through which an error has reached the\n"
	  "outermost call; with all, each call that returned an error" },
	{ 'p', "cpu", "CPU", "select calls that began on this CPU" },
	{ 's', "stamps", NULL, "show the time when each call began, and when it ended",
	  &choice.times },
	{ 't', "time", "FROM,TO", "select calls that began between these times in seconds" },
	{ 'T', "task", "TASK", "select the tasks of this name (a glob) or number" },
	{ }
};

static struct options options = {
	.usage = "graph [OPTIONS] [FILE]\n\n"
		 "Write the calls of each task as a graph, with their arguments and return values.\n"
		 "-f, -e, -a, -T, -p and -t select calls. With several of these options, a call has\n"
		 "to meet all of them.\n",
	.choices = choices,
	.set = graph_set_option,
};

/* Lines of an instance begin with its name, as those of trace-cmd report */
static void put_instance(const struct buffer *buffer)
{
	if (buffer->name)
		out_printf("%s: ", buffer->name);
}

/* Write the start of a line: the CPU and the task, and the time if it is wanted */
static void put_head(const struct calls *calls, const struct task *task, int cpu, u64 time)
{
	unsigned long long usecs = time / 1000;

	nr_lines++;
	put_instance(task->buffer);
	if (choice.times && calls->clock == CLOCK_COUNTS)
		out_printf("%13llu |", (unsigned long long)time);
	else if (choice.times)
		out_printf("%6llu.%06llu |", usecs / 1000000, usecs % 1000000);
	out_task(calls, task, cpu);
}

static void put_line(struct calls *calls, const struct task *task, int cpu, u64 time, int error,
		     struct graph_line *line)
{
	if (coloured && error)
		out_colour(COLOUR_ERROR);
	put_head(calls, task, cpu, time);
	out_line(calls->sigs, line);
	if (coloured && error)
		out_colour(COLOUR_NORMAL);
}

/* Write an event that is not a call as a comment, as the kernel does */
static void put_event(struct calls *calls, const struct task *task,
		      const struct graph_call *event, int depth)
{
	if (coloured)
		out_colour(COLOUR_EVENT);
	put_head(calls, task, event->cpu, event->begin);
	out_event_line(event->data, depth);
	if (coloured)
		out_colour(COLOUR_NORMAL);
}

/*
 * Write a call, and the callees that are shown.  @depth is the depth of an event, @level is the
 * number of shown callers, and @inside is true in the callees of a selected call.
 */
static void put_call(struct calls *calls, const struct task *task, struct graph_call *call,
		     int depth, unsigned int level, bool inside)
{
	bool shown = call->selected || (choice.callers && call->below) ||
		     (choice.callees && inside);
	struct graph_line line = { .args = call->has_args };
	struct tree_node *each;
	bool callees;

	if (shown && choice.depth && level >= choice.depth)
		return;
	if (call->node.depth == TREE_EVENT) {
		if (shown)
			put_event(calls, task, call, depth);
		return;
	}
	inside |= call->selected;
	level += shown;
	callees = call->node.callees && (call->below || (choice.callees && inside)) &&
		  (!choice.depth || level < choice.depth);
	depth = selects && !choice.callers ? (int)level - 1 : call->node.depth;
	call->call.depth = depth;
	line.func = sigs_find(calls->sigs, call->call.func, call->set);
	shown = shown && line.func;
	if (shown && call->lost == SPAN_WHOLE && !callees && !call->begun) {
		line.entry = &call->call;
		line.exit = &call->call;
		put_line(calls, task, call->cpu, call->begin, call->error, &line);
		return;
	}
	if (shown && call->lost != SPAN_NO_BEGIN && !call->begun) {
		line.entry = &call->call;
		put_line(calls, task, call->cpu, call->begin, call->error, &line);
	}
	for (each = callees ? call->node.callees : NULL; each; each = each->next)
		put_call(calls, task, graph_call_of(each), depth + 1, level, inside);
	if (!shown || call->lost == SPAN_NO_END)
		return;
	line.entry = NULL;
	line.exit = &call->call;
	line.lost = call->lost == SPAN_NO_BEGIN;
	put_line(calls, task, call->end_cpu, call->end, call->error, &line);
}

/* Write the entry of an open call, whose callees are shown before it ends */
static void put_open(struct calls *calls, const struct task *task, struct open *open)
{
	struct graph_line line = { .func = sigs_find(calls->sigs, open->func, open->set) };
	struct call entry = {
		.func = open->func,
		.depth = open->depth,
		.parent = open->caller,
		.tail = task->bytes + open->tail,
		.tail_size = open->tail_size,
	};

	if (open->data || !line.func)
		return;
	open->data = true;
	line.entry = &entry;
	line.args = line.func->sig && (decode_longs(&entry).size || !line.func->nr_longs);
	put_line(calls, task, open->cpu, open->begin, 0, &line);
}

/* Write the calls of a task that have ended, whose callers are the task's open calls */
static void put_tree(struct calls *calls, struct task *task, const struct open *ending)
{
	struct graph_call *call;
	unsigned long i, j, nr, shown;
	bool callers;

	for (i = 0; i < task->nr_callees; i++) {
		if (!task->callees[i].node)
			continue;
		call = graph_call_of(task->callees[i].node);
		nr = tree_callers(task, ending, &call->node);
		if (choice.chains && (!call->error || call->node.depth))
			continue;
		callers = !selects || (choice.callers && (call->selected || call->below));
		shown = choice.depth ? min(choice.depth, nr) : nr;
		for (j = 0; callers && j < shown; j++)
			put_open(calls, task, &task->open[j]);
		put_call(calls, task, call, nr ? task->open[nr - 1].depth + 1 : 0,
			 callers ? nr : 0, false);
	}
	tree_clear(task);
}

static void graph_end_task(struct calls *calls, struct task *task)
{
	put_tree(calls, task, NULL);
}

static bool is_task(const struct calls *calls, const struct task *task)
{
	unsigned long pid;
	char *end;

	if (!choice.task)
		return true;
	pid = strtoul(choice.task, &end, 10);
	return *end ? !fnmatch(choice.task, task_comm(calls, task), 0) : pid == task->pid;
}

static bool is_selected(const struct span *span)
{
	return span->passes && (!choice.errors || span->error) && !choice.around &&
	       (choice.cpu < 0 || choice.cpu == span->cpu) && is_task(span->calls, span->task) &&
	       span->begin >= choice.from && span->begin <= choice.to;
}

/* Let the calls of a chain be only callees, because their error was not returned */
static void leave_chain(struct graph_call *call)
{
	struct tree_node *each;

	while (call) {
		call->selected = false;
		call->below = false;
		for (each = call->node.callees; each; each = each->next)
			if (graph_call_of(each)->selected || graph_call_of(each)->below)
				break;
		call = each ? graph_call_of(each) : NULL;
	}
}

/*
 * Keep the callee from which a call has its error: the last callee that returned this error.
 * The call went on after earlier callees, so their errors did not reach it.
 */
static void keep_chain(struct span *span, struct graph_call *call)
{
	struct tree_node *each, *keep = NULL;

	for (each = call->node.callees; each && call->error; each = each->next)
		if (graph_call_of(each)->error == call->error)
			keep = each;
	call->below = keep;
	if (!choice.callees) {
		tree_keep(&call->node, keep);
		if (!call->error)
			tree_drop(span);
		return;
	}
	for (each = call->node.callees; each; each = each->next)
		if (each != keep)
			leave_chain(graph_call_of(each));
}

static void graph_end_call(struct calls *calls, struct span *span, struct open *open)
{
	struct graph_call *call = graph_call_new(span);
	struct tree_node *each;

	call->begun = open && open->data;
	call->selected = is_selected(span);
	/* The entry is shown already */
	call->below = call->begun && selects;
	for (each = call->node.callees; each; each = each->next)
		call->below |= graph_call_of(each)->selected || graph_call_of(each)->below;
	if (choice.chains)
		keep_chain(span, call);
	if (!span->depth || (span->task->nr_nodes >= TREE_MAX && !choice.chains))
		put_tree(calls, span->task, open);
}

static bool selects_event(const struct calls *calls, const struct task *task,
			  const struct tep_record *record, const char *name)
{
	if (!selects)
		return true;
	return choice.around && !fnmatch(choice.around, name, 0) &&
	       (choice.cpu < 0 || choice.cpu == record->cpu) && is_task(calls, task) &&
	       record->ts >= choice.from && record->ts <= choice.to;
}

static void graph_put_event(struct calls *calls, struct task *task, struct tep_record *record,
			    u64 shown)
{
	struct tep_event *event = tep_find_event_by_record(calls->tep, record);
	struct graph_call *node;
	bool selected;

	if (!event || graph_is_branches(event))
		return;
	selected = selects_event(calls, task, record, event->name);
	if (!selected && !choice.callees)
		return;
	node = graph_event_new(calls, record, shown);
	node->selected = selected;
	tree_add_event(task, &node->node);
	if (task->nr_nodes >= TREE_MAX && !choice.chains)
		put_tree(calls, task, NULL);
}

static void graph_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			   long long nr)
{
	if (selects)
		return;
	put_instance(buffer);
	out_lost(cpu, nr);
}

/* The unit of the selected times is known now */
static bool graph_open(struct calls *calls)
{
	if (choice.time)
		set_times(graph_unit(calls));
	return true;
}

static const struct calls_ops ops = {
	.all	= true,
	.open	= graph_open,
	.end	= graph_end_call,
	.event	= graph_put_event,
	.lost	= graph_put_lost,
};

int cmd_graph(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1);
	struct calls calls;

	if (first < 0)
		return ~first;
	if (choice.around && (options.filters || choice.errors)) {
		complain("--around selects events, not calls: both --around and %s",
			 choice.errors ? "--errors" : "--filter");
		out_close(STATUS_FAILED);
		return STATUS_USAGE;
	}
	selects |= !!options.filters;
	/* An event, or an error that is not all of the errors, is shown with its callers */
	choice.callers |= choice.around || (choice.errors && !choice.chains);
	coloured = out_page();
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	trees_end(&calls, calls.failed ? NULL : graph_end_task);
	if (!nr_lines && !calls.failed && !calls.damaged && !out_failed()) {
		if (filters_check(options.filters, calls.file))
			complain(selects ? "%s: no call or event is selected" :
				 "%s: no calls and no events", calls.file);
		calls.failed = true;
	}
	return finish(&calls, &options);
}
