// SPDX-License-Identifier: GPL-2.0
/*
 * Find the recorded events that belong to the written events
 *
 * A batch has a list of written events and a list of recorded events, see join.h.  Both
 * lists have the same order.  But an interrupt may come while an event is being reserved.
 * The interrupt's events are then before or after this event.  Recorded events may be
 * missing where the recording says that events were lost.  Written events may be missing
 * where branches are missing.  Everywhere else, each event belongs to the next event of the
 * other list.
 *
 * So match_batch() finds all possible ways to join the lists.  A written event is joined
 * only if all ways give it the same recorded event.  If a short run of events occurs
 * several times, it is not joined, unless the events before and after the run leave only
 * one place for it.
 *
 * A way goes from point to point.  A point is a place between written events, a place
 * between recorded events, and the set of events whose reservation has not ended.
 */
#include <stdlib.h>
#include <string.h>

#include "join.h"

/* Maximum number of points of a batch */
#define MAX_POINTS	0x8000000ULL

/*
 * Maximum recorded events that are compared before a gap, because the last branches cannot
 * have written more
 */
#define MAX_BEFORE	16384

/* Maximum nested reservations. Each reservation is in an interrupt of the previous one. */
#define MAX_DELAYED	4

/* Maximum steps from a point */
#define MAX_STEPS	6

/**
 * struct position - a place between the written events
 * @open: the indices of earlier events that may come here or later; each event was
 *	reserved in an interrupt of the previous event
 * @nr: number of elements of @open
 * @places: a bit for each event of @open that may come here
 * @row: the number of rows before this position's row for an empty set
 */
struct position {
	unsigned int	open[MAX_DELAYED];
	unsigned int	nr;
	unsigned int	places;
	u64		row;
};

/**
 * struct point - a point of a way
 * @i: number of written events before the point
 * @set: a bit for each event of the position's @open that is still to come
 * @j: number of recorded events before the point
 */
struct point {
	unsigned int	i;
	unsigned int	set;
	long long	j;
};

/**
 * struct step - a step from a point to the next point
 * @to: the next point
 * @written: the written event, NULL if there is none
 * @event: the recorded event, NULL if @written is not in the recording
 */
struct step {
	struct point		to;
	struct written		*written;
	struct graph_event	*event;
};

/**
 * struct match - the lists of a batch
 * @written: the written events
 * @nr: number of elements of @written
 * @events: the recorded events that are not from NMIs
 * @nr_events: number of elements of @events
 * @lost_behind: recorded events may be missing after the last recorded event
 * @gap_behind: branches may be missing after the last written event
 * @positions: the places between the written events
 * @rows: number of rows of points; the points of a row differ only in @j
 * @lost: recorded events may be missing
 * @may_lack: maximum number of written events that may be missing in the recording
 * @width: points in a row
 * @whole: a row has a point for each place between recorded events
 * @from_begin: for each point, whether a way leads from the begin to the point
 * @from_end: for each point, whether a way leads from the point to the end
 */
struct match {
	struct written		**written;
	unsigned int		nr;
	struct graph_event	**events;
	unsigned int		nr_events;
	bool			lost_behind;
	bool			gap_behind;
	struct position		*positions;
	u64			rows;
	bool			lost;
	unsigned int		may_lack;
	long long		width;
	bool			whole;
	u8			*from_begin;
	u8			*from_end;
};

static bool fits(const struct written *written, const struct graph_event *event)
{
	const struct visited *call;

	/*
	 * If the visit has not ended, more events may follow, and this event may be a late
	 * entry
	 */
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

/* Whether the recorded event @j may have no written event, before the written event @i */
static bool may_skip_event(const struct match *match, unsigned int i, unsigned int j)
{
	if (match->events[j]->apart)
		return true;
	return i < match->nr ? match->written[i]->gap : match->gap_behind;
}

/*
 * Whether the recorded event of a written event may be after the drain, before the last
 * drain, or missing
 */
static bool may_lack(const struct written *written)
{
	return !written->committed || written->maybe;
}

/* Whether a written event may be missing in the recording, before the recorded event @j */
static bool may_skip_written(const struct match *match, const struct written *written,
			     unsigned int j)
{
	if (may_lack(written))
		return true;
	return j < match->nr_events ? match->events[j]->missing : match->lost_behind;
}

/*
 * Find the possible places of each event whose reservation was interrupted: its own place,
 * and after each interrupt. @last has the last possible place of each event, 0 if there is
 * none.
 */
static void find_positions(struct match *match, const struct batch *batch,
			   const unsigned int *last)
{
	const struct place_behind *place = batch->places;
	const struct place_behind *end = place + batch->nr_places;
	struct position *position = match->positions, *next;
	unsigned int i, k;

	for (i = 0; ; i++, position = next) {
		position->row = match->rows;
		match->rows += 1 << position->nr;
		for (; place < end && place->last->behind <= i; place++)
			for (k = 0; k < position->nr; k++)
				if (place->last->behind == i &&
				    match->written[position->open[k]] == place->written)
					position->places |= 1 << k;
		if (i == match->nr)
			break;
		next = position + 1;
		for (k = 0; k < position->nr && last[position->open[k]] > i; k++)
			next->open[next->nr++] = position->open[k];
		if (last[i] && next->nr < MAX_DELAYED)
			next->open[next->nr++] = i;
	}
}

/*
 * Find the maximum distance between the places in both lists, which is the width of a row
 * of points.  Returns false if the lists do not fit together.
 */
static bool find_width(struct match *match)
{
	bool gap = match->gap_behind, lost = match->lost_behind;
	long long more = (long long)match->nr_events - match->nr;
	unsigned int i;

	for (i = 0; i < match->nr; i++) {
		gap |= match->written[i]->gap;
		match->may_lack += may_lack(match->written[i]);
	}
	for (i = 0; i < match->nr_events; i++) {
		gap |= match->events[i]->apart;
		lost |= match->events[i]->missing;
	}
	if (lost)
		match->may_lack = match->nr;
	match->lost = lost;
	more += match->may_lack;
	if (more < 0)
		return false;
	match->width = match->may_lack + (gap ? more : 0) + 1;
	match->whole = match->width > match->nr_events;
	if (match->whole)
		match->width = match->nr_events + 1;
	return true;
}

/* The number of recorded events before the first point of a point's row; may be negative */
static long long row_begin(const struct match *match, const struct point *point)
{
	if (match->whole)
		return 0;
	return (long long)point->i - __builtin_popcount(point->set) - match->may_lack;
}

/* A point's byte in @ways. Returns NULL if no way leads to the point. */
static u8 *at(const struct match *match, u8 *ways, const struct point *point)
{
	long long j = point->j - row_begin(match, point);

	if (j < 0 || j >= match->width || point->j > match->nr_events)
		return NULL;
	return &ways[(match->positions[point->i].row + point->set) * match->width + j];
}

static struct step *match_add_step(struct step *step, const struct match *match,
				   const struct point *to, struct written *written, bool in_both)
{
	*step = (struct step){ .to = *to, .written = written };
	if (in_both) {
		step->event = match->events[to->j];
		step->to.j++;
	}
	return step + 1;
}

/*
 * Add the steps for a written event that comes here, or that is not in the recording. The
 * steps lead to @to.
 */
static struct step *match_add_steps(struct step *step, const struct match *match,
				    const struct point *to, struct written *written)
{
	if (to->j < match->nr_events && fits(written, match->events[to->j]))
		step = match_add_step(step, match, to, written, true);
	if (may_skip_written(match, written, to->j))
		step = match_add_step(step, match, to, written, false);
	return step;
}

/* Find the steps from a point. Returns the number of steps. */
static unsigned int find_steps(const struct match *match, const struct point *point,
			       struct step *steps)
{
	const struct position *position = &match->positions[point->i], *next;
	struct point to = *point;
	struct step *step = steps;
	struct written *written;
	unsigned int top;
	bool later;

	if (point->j < match->nr_events && may_skip_event(match, point->i, point->j)) {
		to.j++;
		step = match_add_step(step, match, &to, NULL, false);
		to.j--;
	}
	if (point->set) {
		/*
		 * The last event of the set comes first, because its interrupt ends before
		 * the other reservations
		 */
		top = 31 - __builtin_clz(point->set);
		to.set ^= 1 << top;
		if (position->places & 1 << top)
			step = match_add_steps(step, match, &to,
					       match->written[position->open[top]]);
		to.set = point->set;
	}
	if (point->i == match->nr)
		return step - steps;
	next = position + 1;
	later = next->nr && next->open[next->nr - 1] == point->i;
	/* If an event of the set cannot come later, no way leads on from here */
	if (point->set >> (next->nr - later))
		return step - steps;
	written = match->written[point->i];
	to.i++;
	if (later) {
		to.set |= 1 << (next->nr - 1);
		step = match_add_step(step, match, &to, NULL, false);
		to.set = point->set;
	}
	if (!written->inside)
		step = match_add_steps(step, match, &to, written);
	else if (may_skip_written(match, written, to.j))
		step = match_add_step(step, match, &to, written, false);
	return step - steps;
}

/* Call a function for each point, in the order of the steps or in the reverse order */
static void each_point(struct match *match, bool back,
		       void (*visit)(struct match *match, const struct point *point))
{
	unsigned int i, set, sets;
	struct point point;
	long long c;

	for (i = 0; i <= match->nr; i++) {
		point.i = back ? match->nr - i : i;
		sets = 1 << match->positions[point.i].nr;
		for (set = 0; set < sets; set++) {
			point.set = back ? set : sets - 1 - set;
			for (c = 0; c < match->width; c++) {
				point.j = row_begin(match, &point) +
					  (back ? match->width - 1 - c : c);
				if (point.j >= 0 && point.j <= match->nr_events)
					visit(match, &point);
			}
		}
	}
}

static void go_from_begin(struct match *match, const struct point *point)
{
	struct step steps[MAX_STEPS];
	unsigned int i, nr;
	u8 *to;

	if (!point->i && !point->j)
		*at(match, match->from_begin, point) = 1;
	if (!*at(match, match->from_begin, point))
		return;
	nr = find_steps(match, point, steps);
	for (i = 0; i < nr; i++) {
		to = at(match, match->from_begin, &steps[i].to);
		if (to)
			*to = 1;
	}
}

static void go_from_end(struct match *match, const struct point *point)
{
	u8 *here = at(match, match->from_end, point), *to;
	struct step steps[MAX_STEPS];
	unsigned int i, nr;

	if (!*at(match, match->from_begin, point))
		return;
	if (point->i == match->nr && !point->set && point->j == match->nr_events)
		*here = 1;
	nr = find_steps(match, point, steps);
	for (i = 0; i < nr; i++) {
		to = at(match, match->from_end, &steps[i].to);
		if (to)
			*here |= *to;
	}
}

/* Join the events that are the same in all ways */
static void join_certain(struct match *match, const struct point *point)
{
	struct step steps[MAX_STEPS];
	struct written *written;
	unsigned int i, nr;
	u8 *to;

	if (!*at(match, match->from_end, point))
		return;
	nr = find_steps(match, point, steps);
	for (i = 0; i < nr; i++) {
		to = at(match, match->from_end, &steps[i].to);
		written = steps[i].written;
		if (!to || !*to || !written)
			continue;
		if (!steps[i].event)
			written->skipped = true;
		else if (written->event && written->event != steps[i].event)
			written->unknown = true;
		else
			written->event = steps[i].event;
	}
}

static bool match_ways(struct match *match)
{
	u64 nr = match->rows * match->width;
	struct written *written;
	bool ok = false;
	unsigned int i;

	if (nr <= MAX_POINTS) {
		match->from_begin = calloc(nr, 1);
		match->from_end = calloc(nr, 1);
	}
	if (match->from_begin && match->from_end) {
		each_point(match, false, go_from_begin);
		each_point(match, true, go_from_end);
		ok = *at(match, match->from_end, &(struct point){ });
	}
	if (ok)
		each_point(match, false, join_certain);
	for (i = 0; i < match->nr; i++) {
		written = match->written[i];
		if (written->event && written->skipped)
			written->unknown = true;
		if (written->unknown)
			written->event = NULL;
	}
	free(match->from_begin);
	free(match->from_end);
	return ok;
}

/* An event that was not committed does not count, unless its visit has not ended */
static bool counts_as_event(const struct written *written)
{
	return !written->later && (written->committed || written->visit);
}

/* Make the lists of a batch */
static void fill(struct match *match, const struct batch *batch, unsigned int *last)
{
	const struct place_behind *place;
	struct written *written;
	bool gap = false;
	unsigned int i;

	for (i = 0; i < batch->nr_events; i++)
		if (!batch->events[i]->nmi)
			match->events[match->nr_events++] = batch->events[i];
	for (i = 0; i < batch->nr_written; i++) {
		written = batch->written[i];
		written->unknown = false;
		written->skipped = false;
		written->gap |= gap;
		gap = written->gap;
		if (counts_as_event(written)) {
			match->written[match->nr++] = written;
			gap = false;
		}
		written->behind = match->nr;
	}
	match->gap_behind |= gap;
	for (i = 0; i < batch->nr_places; i++) {
		place = &batch->places[i];
		if (counts_as_event(place->written) && place->last->behind > place->written->behind)
			last[place->written->behind - 1] = place->last->behind;
	}
	find_positions(match, batch, last);
}

/**
 * match_batch - find the recorded events of a batch's written events
 * @batch: the batch; gets @lost and @unknown; its @written get their event and unknown
 *
 * Return: false if the lists do not fit together or if there is no memory.
 */
bool match_batch(struct batch *batch)
{
	struct match match = {
		.lost_behind	= batch->lost_behind,
		.gap_behind	= batch->gap_behind,
	};
	struct graph_event **events;
	unsigned int *last, i;
	bool ok = false;

	events = calloc(batch->nr_events + 1, sizeof(*events));
	match.events = events;
	match.written = calloc(batch->nr_written + 1, sizeof(*match.written));
	match.positions = calloc(batch->nr_written + 1, sizeof(*match.positions));
	last = calloc(batch->nr_written + 1, sizeof(*last));
	if (events && match.written && match.positions && last) {
		fill(&match, batch, last);
		if (match.nr && match.written[0]->gap && !match.gap_behind &&
		    match.nr_events > match.nr + MAX_BEFORE) {
			match.events += match.nr_events - match.nr - MAX_BEFORE;
			match.nr_events = match.nr + MAX_BEFORE;
		}
		ok = find_width(&match) && match_ways(&match);
	}
	batch->lost = match.lost;
	batch->unknown = false;
	for (i = 0; i < match.nr; i++) {
		match.written[i]->unknown |= !ok;
		batch->unknown |= match.written[i]->unknown;
		/*
		 * If the reservation goes on in the next batch, the event may already be
		 * lost
		 */
		match.written[i]->maybe |= match.lost || match.written[i]->unknown;
	}
	free(events);
	free(match.written);
	free(match.positions);
	free(last);
	return ok;
}
