/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the files of plugin_graph_args.so, beside graph_args.h */
#ifndef _TRACEEVENT_PLUGIN_GRAPH_ARGS_H
#define _TRACEEVENT_PLUGIN_GRAPH_ARGS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "graph_args.h"
#include "input.h"

struct buffer;

/* Calls that are deeper are not looked for, as in the kernel */
#define OPEN_CALLS	50

/* Maximum callers of the function tracer; no stack has more */
#define MAX_CALLERS	256

/**
 * struct evidence - whether arguments were recorded
 * @without_args: there was a call of a function with parameters, without arguments
 * @with_args: there was a call with arguments
 */
struct evidence {
	bool	without_args;
	bool	with_args;
};

/**
 * struct cpu_calls - the calls of a CPU
 * @walked: @rows and the evidence are complete
 * @rows: the exits and functions that have a struct origin other than none
 * @pages: the first record of each page, and its time
 * @any: @pages do not tell which records were walked over
 * @graph: the evidence of the graph tracer's entries
 * @function: the evidence of the function tracer's events
 * @func: the calls that have begun, by their depth; 0 if there is none
 * @set: their sets of signatures
 * @callers: the function tracer's latest functions, each called by the one
 *	before it, up to a NULL
 */
struct cpu_calls {
	bool		walked;
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
 * @set: the set of signatures that the call began with (exit)
 * @lost: the begin is not known, so the end has to show the name (exit)
 * @indent: how many callers there are (function tracer)
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
 * @next: another one
 * @tep: the handle that knows its events
 * @lock: protects the members that follow
 * @ready: the members that follow are set
 * @opts: the options
 * @sigs: its signatures, NULL if it has none
 * @formats: the places of fields in its events
 * @buffers: its buffers
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
	char			*line;
	size_t			line_size;
};

/* Whether a call has a place among those that have begun, see struct cpu_calls */
static inline bool call_is_open(const struct call *call)
{
	return call->depth >= 0 && call->depth < OPEN_CALLS;
}

/* origin.c */
void origin_follow_entry(struct recording *rec, struct cpu_calls *calls,
			 const struct call *call, struct origin *origin);
void origin_follow_exit(struct recording *rec, struct cpu_calls *calls,
			const struct call *call, struct origin *origin);
void origin_follow_single(struct recording *rec, struct cpu_calls *calls,
			  const struct call *call, struct origin *origin);
void origin_follow_function(struct recording *rec, struct cpu_calls *calls,
			    const struct call *call, struct origin *origin);
struct cpu_calls *origin_calls(struct recording *rec, struct tracecmd_input *in,
			       const struct tep_record *record);
void origin_find(const struct cpu_calls *calls, const struct tep_record *record,
		 struct origin *origin);
void origin_free(struct recording *rec);

extern struct tep_plugin_option graph_args_options[];

#endif /* _TRACEEVENT_PLUGIN_GRAPH_ARGS_H */
