// SPDX-License-Identifier: GPL-2.0
/*
 * Which events of the recording ftrace wrote, by the branches
 *
 * Both lists of a batch have the same order.  Events may be missing from the recording
 * where it says that events were lost.  Branches may be missing where there is a gap, and
 * the events that were written there are not known by the branches.  Everywhere else each
 * event belongs to the next one of the other list.
 *
 * So all possible ways to join the lists are looked for.  An event is joined only if it is
 * the same in all of them.  A short run that occurs several times is not joined to any,
 * unless the events before and behind the run leave one place for it.
 */
#include <stdlib.h>
#include <string.h>

#include "join.h"

/* Maximum pairs of events that are compared */
#define MAX_PAIRS	0x8000000ULL

/* Maximum changes of places in a batch */
#define MAX_TRIES	100000

/* Events that are compared before a gap: those that the last branches can have written */
#define MAX_BEFORE	16384

/**
 * struct match - the lists of a batch
 * @written: events by the branches
 * @nr: how many there are
 * @events: the events of the recording that are not from NMIs
 * @nr_events: how many there are
 * @lost_behind: events may be missing behind the last one
 * @gap_behind: branches may be missing behind the last one
 * @from_begin: for each pair: a way leads here from the begin
 * @from_end: for each pair: a way leads from here to the end
 */
struct match {
	struct written		**written;
	unsigned int		nr;
	struct graph_event	**events;
	unsigned int		nr_events;
	bool			lost_behind;
	bool			gap_behind;
	u8			*from_begin;
	u8			*from_end;
};

static bool fits(const struct written *written, const struct graph_event *event)
{
	const struct visited *call;

	/* If the visit has not ended, more events may follow */
	if (!event->is_exit)
		return written->kind == WRITTEN_LATE ||
		       (written->kind == WRITTEN_EXIT && written->visit) ||
		       (written->kind == WRITTEN_ENTRY &&
			(written->visit || !written->call || written->call->func == event->func));
	if (written->kind != WRITTEN_EXIT)
		return false;
	for (call = written->call; call; call = call->tail ? call->parent : NULL)
		if (call->func == event->func)
			return true;
	return !written->call;
}

/* Whether events at the same place fit; the last one may have been written behind the drain */
static bool fits_at(const struct match *match, unsigned int i)
{
	return i < match->nr_events ? fits(match->written[i], match->events[i]) :
				      !match->written[i]->committed;
}

/* Whether there is only one way to join lists that are equally long */
static bool is_forced(const struct match *match)
{
	bool gap = match->gap_behind, lost = match->lost_behind;
	unsigned int i;

	for (i = 0; i < match->nr_events; i++)
		gap |= match->events[i]->apart;
	for (i = 1; i < match->nr; i++)
		gap |= match->written[i]->gap;
	for (i = 1; i < match->nr_events; i++)
		lost |= match->events[i]->missing;
	if (lost)
		return false;
	/* What is missing of one list at its begin may be missing of the other one later */
	return !gap || ((!match->nr_events || !match->events[0]->missing) &&
			(!match->nr || match->written[match->nr - 1]->committed));
}

/*
 * Nothing is missing: each event belongs to the one at the same place, from @i on.  But the
 * events of an interrupt may be before the one that was being reserved.  Such events change
 * places then.
 */
static bool order_from(struct match *match, unsigned int i, unsigned int *tries)
{
	struct written **written = match->written, *outer;
	unsigned int inner, last;

	for (; i < match->nr && !written[i]->inner; i++)
		if (!fits_at(match, i))
			return false;
	if (i == match->nr)
		return true;
	outer = written[i];
	inner = min(outer->inner, match->nr - i - 1);
	for (last = i; ; last++) {
		if (fits_at(match, last) && order_from(match, last + 1, tries))
			return true;
		if (last == i + inner || !*tries)
			break;
		--*tries;
		written[last] = written[last + 1];
		written[last + 1] = outer;
		if (!fits_at(match, last)) {
			last++;
			break;
		}
	}
	/* None of these */
	memmove(&written[i + 1], &written[i], (last - i) * sizeof(*written));
	written[i] = outer;
	return false;
}

/* Nothing is missing: each event belongs to the one at the same place */
static bool match_all(struct match *match)
{
	unsigned int tries = MAX_TRIES, i;

	if (match->nr < match->nr_events || !is_forced(match) || !order_from(match, 0, &tries))
		return false;
	for (i = 0; i < match->nr_events; i++)
		match->written[i]->event = match->events[i];
	return true;
}

static u8 *at(const struct match *match, u8 *way, unsigned int i, unsigned int j)
{
	return &way[(u64)i * (match->nr_events + 1) + j];
}

/* Whether the event @j of the recording may be missing by the branches, before @i */
static bool may_skip_event(const struct match *match, unsigned int i, unsigned int j)
{
	if (match->events[j]->apart)
		return true;
	return i < match->nr ? match->written[i]->gap : match->gap_behind;
}

/* Whether @i may be missing in the recording, before the event @j */
static bool may_skip_written(const struct match *match, unsigned int i, unsigned int j)
{
	/* It may be written behind the drain, or not at all */
	if (!match->written[i]->committed)
		return true;
	return j < match->nr_events ? match->events[j]->missing : match->lost_behind;
}

static void find_from_begin(struct match *match)
{
	unsigned int i, j;
	u8 *way = match->from_begin;

	*at(match, way, 0, 0) = 1;
	for (i = 0; i <= match->nr; i++) {
		for (j = 0; j <= match->nr_events; j++) {
			if (!*at(match, way, i, j))
				continue;
			if (j < match->nr_events && may_skip_event(match, i, j))
				*at(match, way, i, j + 1) = 1;
			if (i == match->nr)
				continue;
			if (may_skip_written(match, i, j))
				*at(match, way, i + 1, j) = 1;
			if (j < match->nr_events &&
			    fits(match->written[i], match->events[j]))
				*at(match, way, i + 1, j + 1) = 1;
		}
	}
}

static void find_from_end(struct match *match)
{
	unsigned int i, j;
	u8 *way = match->from_end, *here;

	for (i = match->nr + 1; i--;) {
		for (j = match->nr_events + 1; j--;) {
			here = at(match, way, i, j);
			*here = i == match->nr && j == match->nr_events;
			if (j < match->nr_events && may_skip_event(match, i, j))
				*here |= *at(match, way, i, j + 1);
			if (i == match->nr)
				continue;
			if (may_skip_written(match, i, j))
				*here |= *at(match, way, i + 1, j);
			if (j < match->nr_events &&
			    fits(match->written[i], match->events[j]))
				*here |= *at(match, way, i + 1, j + 1);
		}
	}
}

/* Join what is the same in all ways */
static void join_certain(struct match *match, unsigned int i)
{
	struct graph_event *event = NULL;
	unsigned int nr = 0, skips = 0, j;

	for (j = 0; j <= match->nr_events; j++) {
		if (!*at(match, match->from_begin, i, j))
			continue;
		if (may_skip_written(match, i, j) && *at(match, match->from_end, i + 1, j))
			skips++;
		if (j < match->nr_events && fits(match->written[i], match->events[j]) &&
		    *at(match, match->from_end, i + 1, j + 1)) {
			event = match->events[j];
			nr++;
		}
	}
	if (nr == 1 && !skips)
		match->written[i]->event = event;
	else
		match->written[i]->unknown = nr;
}

static bool match_ways(struct match *match)
{
	u64 pairs = (u64)(match->nr + 1) * (match->nr_events + 1);
	bool ok = false;
	unsigned int i;

	if (pairs <= MAX_PAIRS) {
		match->from_begin = calloc(pairs, 1);
		match->from_end = calloc(pairs, 1);
	}
	if (match->from_begin && match->from_end) {
		find_from_begin(match);
		find_from_end(match);
		ok = *match->from_end;
	}
	for (i = 0; i < match->nr; i++) {
		if (ok)
			join_certain(match, i);
		else
			match->written[i]->unknown = true;
	}
	free(match->from_begin);
	free(match->from_end);
	return ok;
}

/**
 * match_batch - find the events of a batch that ftrace wrote, by the branches
 * @batch: the batch; sets event and unknown of its @written
 *
 * Return: false if the lists do not fit together, or without memory.
 */
bool match_batch(struct batch *batch)
{
	struct match match = {
		.lost_behind	= batch->lost_behind,
		.gap_behind	= batch->gap_behind,
	};
	struct written *written;
	bool gap = false, ok;
	unsigned int i;

	match.events = calloc(batch->nr_events + 1, sizeof(*match.events));
	match.written = calloc(batch->nr_written + 1, sizeof(*match.written));
	if (!match.events || !match.written) {
		free(match.events);
		free(match.written);
		return false;
	}
	for (i = 0; i < batch->nr_events; i++)
		if (!batch->events[i]->nmi)
			match.events[match.nr_events++] = batch->events[i];
	/* What was not committed is no event, unless its visit has not ended */
	for (i = 0; i < batch->nr_written; i++) {
		written = batch->written[i];
		written->gap |= gap;
		gap = written->gap;
		if (!written->committed && !written->visit)
			continue;
		match.written[match.nr++] = written;
		gap = false;
	}
	match.gap_behind |= gap;
	ok = match_all(&match);
	if (!ok) {
		struct graph_event **all = match.events;

		if (match.nr && match.written[0]->gap && !match.gap_behind &&
		    match.nr_events > match.nr + MAX_BEFORE) {
			match.events += match.nr_events - match.nr - MAX_BEFORE;
			match.nr_events = match.nr + MAX_BEFORE;
		}
		ok = match_ways(&match);
		match.events = all;
	}
	free(match.events);
	free(match.written);
	return ok;
}
