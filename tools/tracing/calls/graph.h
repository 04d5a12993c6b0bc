/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls and events that graph and tui show, see graph.c
 */
#ifndef _TRACE_CALLS_GRAPH_H
#define _TRACE_CALLS_GRAPH_H

#include "tree.h"

/**
 * struct graph_call - a call that has ended, or another event
 * @node: the place
 * @set: the number of the function's set of signatures
 * @cpu: the CPU of the entry, or of the event
 * @end_cpu: the CPU of the exit
 * @lost: the part of the call that is not known
 * @has_args: the arguments were recorded
 * @begun: the line of the entry was written
 * @selected: the conditions select the call
 * @below: the conditions select a callee
 * @begin: the shown begin: @node's begin, or the count at the entry if the clock has no nanoseconds
 * @end: the shown end, as @begin
 * @error: the negative number of the returned error, else 0
 * @self: nanoseconds without the callees
 * @number: the number of the CPU's next branch at the entry, 0 if it is not known
 * @call: the entry and the exit; points to @data
 * @data: the words and strings of the call, or the text of another event
 */
struct graph_call {
	struct tree_node	node;
	u32			set;
	int			cpu;
	int			end_cpu;
	enum span_lost		lost;
	bool			has_args;
	bool			begun;
	bool			selected;
	bool			below;
	u64			begin;
	u64			end;
	int			error;
	u64			self;
	u64			number;
	struct call		call;
	char			data[];
};

static inline struct graph_call *graph_call_of(struct tree_node *node)
{
	return container_of(node, struct graph_call, node);
}

struct graph_call *graph_call_new(struct span *span);
struct graph_call *graph_event_new(const struct calls *calls, struct tep_record *record,
				   u64 shown);
bool graph_is_branches(const struct tep_event *event);
u64 graph_unit(const struct calls *calls);
const char *graph_time(const char *text, u64 unit, u64 *time);

#endif /* _TRACE_CALLS_GRAPH_H */
