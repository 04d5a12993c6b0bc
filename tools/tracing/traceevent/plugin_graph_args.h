/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of plugin_graph_args.so, in addition to
 * graph_args.h
 */
#ifndef _TRACEEVENT_PLUGIN_GRAPH_ARGS_H
#define _TRACEEVENT_PLUGIN_GRAPH_ARGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "graph_args.h"
#include "input.h"

struct buffer;

/* As in the kernel, deeper calls are not followed */
#define OPEN_CALLS	50

/* Maximum callers of the function tracer. No stack has more. */
#define MAX_CALLERS	256

/**
 * struct evidence - whether arguments were recorded
 * @without_args: a call of a function with parameters had no arguments
 * @with_args: a call had arguments
 */
struct evidence {
	bool	without_args;
	bool	with_args;
};

/**
 * struct cpu_calls - the calls of a CPU
 * @walked: @rows and the evidence come from a walk, up to @place
 * @place: the place up to which the walk has come
 * @entry: the last visited record if it was an entry
 * @is_entry: it was an entry
 * @rows: the struct origin of exits and functions, unless it equals no_origin
 * @pages: the first record of each page, and its time
 * @any: any record may have been visited, because @pages are not reliable
 * @graph: the evidence of the graph tracer's entries
 * @function: the evidence of the function tracer's events
 * @func: the functions of open calls by depth; 0 if no call is open
 * @set: the sets of signatures of the open calls
 * @callers: the function tracer's latest functions, up to a NULL. Each function is called
 *	by the previous function.
 */
struct cpu_calls {
	bool		walked;
	struct input_place place;
	struct call	entry;
	bool		is_entry;
	struct rows	rows;
	struct rows	pages;
	bool		any;
	struct evidence	graph;
	struct evidence	function;
	u64		func[OPEN_CALLS];
	u32		set[OPEN_CALLS];
	const char	*callers[MAX_CALLERS];
};

/**
 * struct origin - the facts that a line takes from earlier records
 * @set: the set of signatures of the call's entry (exit)
 * @lost: the entry is not known, so the exit has to show the name (exit)
 * @indent: number of callers (function tracer)
 */
struct origin {
	u32	set;
	bool	lost;
	u8	indent;
};

/* The origin of a line that takes nothing from earlier records */
static const struct origin no_origin = { .set = SIGS_NO_SET };

/**
 * struct recording - a recording whose events are printed
 * @next: the next recording
 * @tep: the handle that knows the recording's events
 * @lock: protects the following members
 * @ready: the following members are set
 * @opts: the options
 * @sigs: the recording's signatures, NULL if it has none
 * @formats: the places of fields in the recording's events
 * @buffers: the recording's buffers
 * @left: stock code prints the events
 * @stock: memory for the stock code
 * @line: room for a line
 * @line_size: bytes of @line
 */
struct recording {
	struct recording	*next;
	struct tep_handle	*tep;
	pthread_mutex_t		lock;
	bool			ready;
	bool			opts[NR_OPTS];
	struct sigs		*sigs;
	struct formats		formats;
	struct buffer		*buffers;
	bool			left;
	u64			stock[INPUT_ROOM];
	char			*line;
	size_t			line_size;
};

/**
 * call_is_open - whether struct cpu_calls has a place for a call at this depth
 * @call: the call
 *
 * Return: true if so, false otherwise.
 */
static inline bool call_is_open(const struct call *call)
{
	return call->depth >= 0 && call->depth < OPEN_CALLS;
}

/* origin.c */
void origin_follow(struct recording *rec, struct cpu_calls *calls, enum call_kind kind,
		   const struct call *call, struct origin *origin);
struct cpu_calls *origin_calls(struct recording *rec, struct tracecmd_input *in,
			       const struct tep_record *record, enum call_kind kind);
void origin_find(const struct cpu_calls *calls, const struct tep_record *record,
		 struct origin *origin);
void origin_free(struct recording *rec);

extern struct tep_plugin_option graph_args_options[];

#endif /* _TRACEEVENT_PLUGIN_GRAPH_ARGS_H */
