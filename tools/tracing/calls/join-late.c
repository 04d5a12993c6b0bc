// SPDX-License-Identifier: GPL-2.0
/*
 * Begins of calls that were written when the calls ended
 *
 * ftrace writes such a begin where a condition is decided at the return.  The first time
 * that the recording is joined, these begins are kept, each with the branch that began its
 * call.  The second time, they are found by that branch.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "join.h"

static struct late *lates;
static unsigned int nr_lates;
static size_t lates_room;

static int compare_lates(const void *a, const void *b)
{
	const struct late *one = a, *other = b;

	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return one->nr < other->nr ? -1 : one->nr > other->nr;
}

/**
 * late_find - find a call's begin that was written at the call's end
 * @cpu: the CPU of the call's first branch
 * @nr: the number of that branch
 *
 * Return: the begin, NULL if there is none.
 */
struct late *late_find(int cpu, u64 nr)
{
	struct late key = { .cpu = cpu, .nr = nr };

	return nr_lates ? bsearch(&key, lates, nr_lates, sizeof(key), compare_lates) : NULL;
}

/**
 * late_add - keep a call's begin that was written at the call's end
 * @call: the call
 * @event: its begin
 */
void late_add(struct visited *call, struct graph_event *event)
{
	struct late *more;

	more = array_grow(lates, &lates_room, nr_lates + 1, sizeof(*lates));
	if (!more) {
		join.failed = true;
		return;
	}
	lates = more;
	lates[nr_lates] = (struct late){
		.cpu	= call->cpu,
		.nr	= call->nr,
		.event	= event,
	};
	/* The array moves; the number does not */
	call->late_nr = ++nr_lates;
}

/**
 * visited_shown - find the call that a branch is shown in
 * @call: the innermost call that took the branch, of those that ftrace has seen; may be NULL
 *
 * Return: the call, NULL if the branch is in none.
 */
struct visited *visited_shown(struct visited *call)
{
	while (call && !call->called) {
		if (call->unknown || call->outside)
			return NULL;
		call = call->parent;
	}
	return call;
}

/**
 * late_count - count a call for the call that it is shown in
 * @call: the call, which has an event
 */
void late_count(struct visited *call)
{
	struct visited *parent = call->outside ? NULL : visited_shown(call->parent);

	if (!parent)
		return;
	if (parent->late_nr)
		lates[parent->late_nr - 1].callees++;
	parent->callees++;
}

/**
 * late_sort - end to keep begins; late_find() finds them from now on
 */
void late_sort(void)
{
	if (nr_lates)
		qsort(lates, nr_lates, sizeof(*lates), compare_lates);
}

/**
 * late_free - forget the begins that were kept
 */
void late_free(void)
{
	free(lates);
}
