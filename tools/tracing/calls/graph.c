// SPDX-License-Identifier: GPL-2.0
/*
 * The calls and events that graph and tui show
 */
#include <stdlib.h>
#include <string.h>

#include <traceevent/trace-seq.h>

#include "arrays.h"
#include "graph.h"

/**
 * graph_call_new - keep a call that has ended, and add it to the tree
 * @span: the call
 *
 * Return: the call.
 */
struct graph_call *graph_call_new(struct span *span)
{
	const struct call *from = &span->call;
	struct graph_call *call = tree_node_new(sizeof(*call) + from->tail_size +
						from->results.size, span);

	call->set = span->set;
	call->cpu = span->cpu;
	call->end_cpu = span->task->cpu;
	call->lost = span->lost;
	call->has_args = span->has_args;
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

/**
 * graph_event_new - keep an event that is no call
 * @calls: the recording
 * @record: the event
 * @shown: the shown time of the event
 *
 * Return: the event, for tree_add_event().
 */
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
	event->node.depth = TREE_EVENT;
	event->cpu = record->cpu;
	trace_seq_destroy(&seq);
	return event;
}

/**
 * graph_is_branches - whether an event is one of the bts tracer, which branches shows
 * @event: the event
 *
 * Return: true if so, false otherwise.
 */
bool graph_is_branches(const struct tep_event *event)
{
	return !strcmp(event->system, "ftrace") && !strcmp(event->name, "bts");
}

/**
 * graph_seconds - read seconds such as 31.649051 as nanoseconds
 * @text: the seconds
 * @time: set to the nanoseconds, unless there are no seconds
 *
 * Return: the text after the seconds.
 */
const char *graph_seconds(const char *text, u64 *time)
{
	u64 val = 0, unit = 1000000000;
	const char *begin = text;

	for (; *text >= '0' && *text <= '9'; text++)
		val = val * 10 + *text - '0';
	val *= unit;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++) {
			unit /= 10;
			val += (*text - '0') * unit;
		}
	if (text > begin)
		*time = val;
	return text;
}
