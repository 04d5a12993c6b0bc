// SPDX-License-Identifier: GPL-2.0
/*
 * Late entries: entry events that ftrace wrote when the calls returned
 *
 * ftrace writes a late entry if a condition is decided at the return.  The first pass
 * stores each late entry with the branch that began its call.  The second pass finds a late
 * entry by this branch.
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
 * late_find - find the late entry of a call
 * @cpu: the CPU of the call's first branch
 * @nr: the number of the branch
 *
 * Return: the late entry, NULL if there is none.
 */
struct late *late_find(int cpu, u64 nr)
{
	struct late key = { .cpu = cpu, .nr = nr };

	return nr_lates ? bsearch(&key, lates, nr_lates, sizeof(key), compare_lates) : NULL;
}

/**
 * late_add - store the late entry of a call
 * @call: the call
 * @event: its late entry
 */
void late_add(struct visited *call, struct graph_event *event)
{
	struct late *late = array_add(&lates, &nr_lates, &lates_room, sizeof(*late));

	if (!late) {
		join.failed = true;
		return;
	}
	*late = (struct late){
		.cpu	= call->cpu,
		.nr	= call->nr,
		.event	= event,
	};
	/* Store the number, because the array may move */
	call->late_nr = nr_lates;
}

/**
 * visited_shown - find the call under which a branch is shown
 * @call: the innermost call around the branch that ftrace has seen; may be NULL
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
 * late_count - count a call as a callee of the call under which it is shown
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
 * late_sort - sort the late entries, so that late_find() finds them
 */
void late_sort(void)
{
	if (nr_lates)
		qsort(lates, nr_lates, sizeof(*lates), compare_lates);
}

/**
 * late_free - free the late entries
 */
void late_free(void)
{
	free(lates);
	lates = NULL;
	nr_lates = 0;
	lates_room = 0;
}
