// SPDX-License-Identifier: GPL-2.0
/*
 * The facts that a line takes from earlier records: the call that an exit ends, the
 * callers of a function, and whether arguments were recorded at all
 *
 * A walk over the records of the CPU finds them, see input.c.  The walk goes on when a later
 * record is printed.  If there is no file to walk over, the facts come from the printed
 * records, in their order.
 *
 * The caller holds the recording's lock.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "plugin_graph_args.h"

/* Minimum records that a walk visits before it ends for now */
#define WALK_MIN	1024

/* No machine has more CPUs, except in a damaged file */
#define MAX_CPUS	65536

/**
 * struct buffer - the records of one buffer
 * @next: the next buffer
 * @in: the input of the buffer, NULL if it is not known
 * @nr: number of elements of @cpus
 * @cpus: the calls of each CPU, NULL for a CPU without records so far
 */
struct buffer {
	struct buffer		*next;
	struct tracecmd_input	*in;
	int			nr;
	struct cpu_calls	**cpus;
};

static struct evidence *evidence_of(struct cpu_calls *calls, enum call_kind kind)
{
	return kind == CALL_FUNCTION ? &calls->function : &calls->graph;
}

/*
 * Note whether an event has arguments, because the recording does not have the option
 */
static void look_for_args(struct recording *rec, struct evidence *seen,
			  const struct call *call)
{
	const struct sig_func *func;

	if (seen->with_args)
		return;
	if (call->tail_size) {
		seen->with_args = true;
	} else if (!seen->without_args) {
		func = sigs_find(rec->sigs, call->func, SIGS_NO_SET);
		seen->without_args = func && func->nr_longs;
	}
}

static void follow_entry(struct cpu_calls *calls, const struct call *call)
{
	if (!call_is_open(call))
		return;
	calls->func[call->depth] = call->func;
	calls->set[call->depth] = decode_set(call);
}

static void follow_exit(struct cpu_calls *calls, const struct call *call, struct origin *origin)
{
	if (!call_is_open(call))
		return;
	if (calls->func[call->depth] == call->func)
		origin->set = calls->set[call->depth];
	else
		origin->lost = true;
	calls->func[call->depth] = 0;
}

/* As in libtraceevent's own plugin, a caller is a function that was called before */
static void follow_function(struct recording *rec, struct cpu_calls *calls,
			    const struct call *call, struct origin *origin)
{
	const struct sig_func *func;
	const char *name, *caller;
	u64 start;
	int i;

	if (!rec->opts[OPT_INDENT])
		return;
	if (calls->function.with_args) {
		func = sigs_find(rec->sigs, call->func, decode_set(call));
		name = func ? func->name : NULL;
		caller = sigs_find_caller(rec->sigs, call->parent, &start);
	} else {
		name = tep_find_function(rec->tep, call->func);
		caller = tep_find_function(rec->tep, call->parent);
	}
	if (!caller)
		return;
	for (i = 0; i < MAX_CALLERS - 1 && calls->callers[i]; i++)
		if (!strcmp(calls->callers[i], caller))
			break;
	if (i == MAX_CALLERS - 1 || !calls->callers[i]) {
		i = 0;
		calls->callers[0] = caller;
	}
	if (name)
		calls->callers[i + 1] = name;
	origin->indent = i;
}

/**
 * origin_follow - follow an event of a CPU
 * @rec: the recording
 * @calls: the calls of the CPU
 * @kind: the kind of the event
 * @call: the event
 * @origin: gets the facts that the event's line takes from earlier events: the set of
 *	signatures of the entry, or that the entry is lost (exit), the number of callers
 *	(function tracer)
 *
 * The caller holds the recording's lock, and follows events in their order.
 */
void origin_follow(struct recording *rec, struct cpu_calls *calls, enum call_kind kind,
		   const struct call *call, struct origin *origin)
{
	if (kind == CALL_EXIT) {
		follow_exit(calls, call, origin);
		return;
	}
	look_for_args(rec, evidence_of(calls, kind), call);
	if (kind == CALL_ENTRY)
		follow_entry(calls, call);
	else if (kind == CALL_FUNCTION)
		follow_function(rec, calls, call, origin);
}

static u64 pack_origin(const struct origin *origin)
{
	return (u64)origin->indent << 40 | (u64)origin->lost << 32 | origin->set;
}

static void unpack_origin(struct origin *origin, u64 val)
{
	origin->set = (u32)val;
	origin->lost = val >> 32 & 1;
	origin->indent = val >> 40;
}

/**
 * struct walk - a walk over the records of a CPU
 * @rec: the recording
 * @calls: the calls that the walk finds
 * @record: the record whose facts are wanted
 * @seen: the evidence that is wanted
 * @enough: number of records of the CPU that are visited at least
 */
struct walk {
	struct recording	*rec;
	struct cpu_calls	*calls;
	const struct tep_record	*record;
	const struct evidence	*seen;
	u64			enough;
};

/*
 * Follow an exit that directly follows its entry: both are in one line, and no call
 * stays open
 */
static bool follow_leaf(struct cpu_calls *calls, const struct tep_record *record,
			const struct call *exit, struct origin *origin)
{
	const struct call *entry = &calls->entry;

	if (!calls->is_entry || record->missed_events ||
	    entry->pid != exit->pid || entry->func != exit->func)
		return false;
	if (call_is_open(entry)) {
		origin->set = calls->set[entry->depth];
		calls->func[entry->depth] = 0;
	}
	return true;
}

static void visit_record(struct tep_record *record, void *data)
{
	struct walk *walk = data;
	struct origin origin = no_origin;
	struct recording *rec = walk->rec;
	struct cpu_calls *calls = walk->calls;
	enum call_kind kind = CALL_OTHER;
	struct call call;

	pages_add(&calls->pages, record);
	if (record_fits(rec->tep, record))
		kind = decode_event(&rec->formats, record, &call);
	if (kind != CALL_OTHER && kind != CALL_DAMAGED &&
	    !(kind == CALL_EXIT && follow_leaf(calls, record, &call, &origin)))
		origin_follow(rec, calls, kind, &call, &origin);
	calls->is_entry = kind == CALL_ENTRY;
	if (calls->is_entry)
		calls->entry = call;
	if (pack_origin(&origin) != pack_origin(&no_origin))
		rows_add(&calls->rows, record->offset, pack_origin(&origin));
	calls->place.paused = calls->place.nr >= walk->enough && walk->seen->with_args &&
			      record->offset >= walk->record->offset;
}

static struct buffer *find_buffer(struct recording *rec,
				  struct tracecmd_input *in)
{
	struct buffer **link, *buffer;

	for (link = &rec->buffers; (buffer = *link); link = &buffer->next)
		if (buffer->in == in)
			break;
	if (buffer) {
		/*
		 * Put the buffer first, because the next record is likely to be in the
		 * same buffer
		 */
		*link = buffer->next;
	} else {
		buffer = calloc(1, sizeof(*buffer));
		if (!buffer)
			return NULL;
		buffer->in = in;
	}
	buffer->next = rec->buffers;
	rec->buffers = buffer;
	return buffer;
}

static struct cpu_calls **find_cpu_calls(struct buffer *buffer, int cpu)
{
	struct cpu_calls **more;

	if (cpu < 0 || cpu >= MAX_CPUS)
		return NULL;
	if (cpu >= buffer->nr) {
		more = realloc(buffer->cpus, (cpu + 1) * sizeof(*more));
		if (!more)
			return NULL;
		memset(more + buffer->nr, 0,
		       (cpu + 1 - buffer->nr) * sizeof(*more));
		buffer->cpus = more;
		buffer->nr = cpu + 1;
	}
	return &buffer->cpus[cpu];
}

static void free_calls(struct cpu_calls *calls)
{
	if (!calls)
		return;
	rows_free(&calls->rows);
	rows_free(&calls->pages);
	free(calls);
}

/* Whether the walk can have visited a record */
static bool may_have(const struct cpu_calls *calls, const struct tep_record *record)
{
	return calls->any || calls->pages.failed || pages_have(&calls->pages, record);
}

/* Walk until the facts of a record are known. Returns false if this is not possible. */
static bool walk_to(struct recording *rec, struct tracecmd_input *in, struct cpu_calls *calls,
		    const struct tep_record *record, enum call_kind kind)
{
	struct walk walk = {
		.rec	= rec,
		.calls	= calls,
		.record	= record,
		.seen	= evidence_of(calls, kind),
		/* Each walk doubles the number, because the begin of a walk costs more */
		.enough	= max_t(u64, 2 * calls->place.nr, WALK_MIN),
	};
	bool visited = calls->place.ended ||
		       (calls->place.begun && record->offset <= calls->place.offset);

	if (visited && !may_have(calls, record))
		return false;
	if (visited && (calls->place.ended || walk.seen->with_args))
		return true;
	if (!input_walk(in, record, &calls->place, visit_record, &walk) || calls->rows.failed)
		return false;
	/* Walk over a damaged file only once. Its times may be out of order. */
	calls->any |= !pages_have(&calls->pages, record);
	return true;
}

/**
 * origin_calls - find the calls of a record's CPU
 * @rec: the recording
 * @in: the input of the record, NULL if it is not known
 * @record: the record
 * @kind: the kind of the record
 *
 * Walks over the CPU's records up to @record, and up to the first arguments. The caller holds
 * the recording's lock.
 *
 * Return: the calls, valid until the next call of this function; NULL if there is no
 * memory, or if the CPU's number is too large. If there was no walk, the caller
 * follows the records that it prints.
 */
struct cpu_calls *origin_calls(struct recording *rec, struct tracecmd_input *in,
			       const struct tep_record *record, enum call_kind kind)
{
	struct buffer *buffer = find_buffer(rec, in);
	struct cpu_calls **slot = buffer ? find_cpu_calls(buffer, record->cpu) : NULL;
	struct cpu_calls *calls, *walked;

	if (!slot)
		return NULL;
	if (!*slot)
		*slot = calloc(1, sizeof(**slot));
	calls = *slot;
	if (!calls || !in || (calls->walked && walk_to(rec, in, calls, record, kind)))
		return calls;
	walked = calloc(1, sizeof(*walked));
	if (!walked)
		return calls;
	walked->walked = walk_to(rec, in, walked, record, kind);
	if (!walked->walked) {
		free_calls(walked);
		return calls;
	}
	free_calls(calls);
	*slot = walked;
	return walked;
}

/**
 * origin_find - find the facts that the line of a record takes from earlier records
 * @calls: the calls of the record's CPU, found by a walk
 * @record: the record
 * @origin: the facts; not changed if there are none
 *
 * The caller holds the recording's lock.
 */
void origin_find(const struct cpu_calls *calls, const struct tep_record *record,
		 struct origin *origin)
{
	u64 val;

	if (rows_find(&calls->rows, record->offset, &val))
		unpack_origin(origin, val);
}

/**
 * origin_free - free the calls of all CPUs of a recording
 * @rec: the recording, which no thread uses anymore
 */
void origin_free(struct recording *rec)
{
	struct buffer *buffer;
	int i;

	while ((buffer = rec->buffers)) {
		for (i = 0; i < buffer->nr; i++)
			free_calls(buffer->cpus[i]);
		rec->buffers = buffer->next;
		free(buffer->cpus);
		free(buffer);
	}
}
