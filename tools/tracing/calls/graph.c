// SPDX-License-Identifier: GPL-2.0
/*
 * The calls and events that graph and tui show
 */
#include <stdlib.h>
#include <string.h>

#include <traceevent/trace-seq.h>

#include "arrays.h"
#include "graph.h"

/* Keep a call that has ended, and add it to the tree */
struct graph_call *graph_call_new(struct span *span)
{
	bool counts = span->calls->clock == CLOCK_COUNTS;
	const struct call *from = &span->call;
	struct graph_call *call = tree_node_new(sizeof(*call) + from->tail_size +
						from->results.size, span);

	call->set = span->set;
	call->cpu = span->cpu;
	call->end_cpu = span->task->cpu;
	call->lost = span->lost;
	call->has_args = span->has_args;
	call->begin = counts ? span->begin : call->node.begin;
	call->end = counts ? span->end : call->node.to;
	call->error = span->error;
	call->self = span->self;
	call->number = span->number;
	call->call = *from;
	call->call.parent = span->caller ?: from->parent;
	call->call.tail = memcpy(call->data, from->tail ?: "", from->tail_size);
	call->call.results.data = memcpy(call->data + from->tail_size, from->results.data ?: "",
					 from->results.size);
	tree_add(span, &call->node);
	return call;
}

/* Keep an event that is no call, for tree_add_event() */
struct graph_call *graph_event_new(const struct calls *calls, struct tep_record *record,
				   u64 shown)
{
	struct graph_call *event;
	struct trace_seq seq;
	size_t size;

	trace_seq_init(&seq);
	tep_print_event(calls->tep, &seq, record, "%s: %s", TEP_PRINT_NAME, TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	size = strlen(seq.buffer) + 1;
	event = xcalloc(1, sizeof(*event) + size);
	memcpy(event->data, seq.buffer, size);
	event->node.begin = calls->clock == CLOCK_CALLS ? record->ts : shown;
	event->node.to = shown;
	event->begin = calls->clock == CLOCK_COUNTS ? record->ts : event->node.begin;
	event->node.depth = TREE_EVENT;
	event->cpu = record->cpu;
	trace_seq_destroy(&seq);
	return event;
}

/* Whether an event is one of the bts tracer, which branches shows */
bool graph_is_branches(const struct tep_event *event)
{
	return !strcmp(event->system, "ftrace") && !strcmp(event->name, "bts");
}

/*
 * The unit of times in the text: nanoseconds of a second, or 1 if the clock counts something else
 */
u64 graph_unit(const struct calls *calls)
{
	return calls->clock == CLOCK_COUNTS ? 1 : 1000000000;
}

/*
 * Read a time such as 31.649051, by the unit of graph_unit(). Sets @time to nanoseconds or counts
 * if there is a number, and returns the text after the time.
 */
const char *graph_time(const char *text, u64 unit, u64 *time)
{
	const char *begin = text;
	u64 val = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		val = val > (-1ULL - 9) / 10 ? -1ULL : val * 10 + (*text - '0');
	/* A fraction has room after it */
	val = unit == 1 ? val : min(val, -1ULL / unit - 1) * unit;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++) {
			unit /= 10;
			val += (*text - '0') * unit;
		}
	if (text > begin)
		*time = val;
	return text;
}
