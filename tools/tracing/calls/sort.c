// SPDX-License-Identifier: GPL-2.0
/*
 * Sort events with bounded memory
 *
 * Up to RUN_SIZE bytes of events are collected, sorted, and written to a temporary file
 * as a run.  At the end the runs are merged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"
#include "unfold.h"

#define RUN_SIZE	(64 << 20)

/* Bytes of a run that the merge reads at once */
#define READ_SIZE	(64 << 10)

#define ALIGNMENT	8

/**
 * struct run - sorted events in the temporary file
 * @pos: the place of the next bytes to read
 * @end: the end of the run
 * @bytes: a buffer for bytes of the run
 * @room: capacity of @bytes
 * @from: the place of the next event in @bytes
 * @to: the end of the read bytes in @bytes
 * @number: number of the run
 */
struct run {
	u64		pos;
	u64		end;
	char		*bytes;
	size_t		room;
	size_t		from;
	size_t		to;
	unsigned int	number;
};

/**
 * struct sorter - a sort
 * @file: the temporary file
 * @pos: the end of the file
 * @bytes: the events of the next run, one after the other
 * @size: bytes of @bytes
 * @room: capacity of @bytes
 * @events: the place of each event in @bytes
 * @nr: how many events there are
 * @events_room: capacity of @events, in elements
 * @runs: the runs in the file
 * @nr_runs: number of elements of @runs
 * @runs_room: capacity of @runs, in elements
 */
struct sorter {
	FILE		*file;
	u64		pos;
	char		*bytes;
	size_t		size;
	size_t		room;
	u32		*events;
	size_t		nr;
	size_t		events_room;
	struct run	*runs;
	unsigned int	nr_runs;
	size_t		runs_room;
};

static size_t stored_size(const struct sorted *event)
{
	return (sizeof(*event) + event->size + ALIGNMENT - 1) & -ALIGNMENT;
}

static int compare_sorted(const struct sorted *a, const struct sorted *b)
{
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	return 0;
}

static int compare_events(const void *a, const void *b, void *bytes)
{
	return compare_sorted(bytes + *(const u32 *)a, bytes + *(const u32 *)b);
}

static const struct sorted *run_event(const struct run *run)
{
	return (const struct sorted *)(run->bytes + run->from);
}

static bool run_before(const void *a, const void *b)
{
	const struct run *one = a, *other = b;
	int order = compare_sorted(run_event(one), run_event(other));

	return order ? order < 0 : one->number < other->number;
}

/**
 * sorter_new - begin a sort
 * @file: an empty temporary file, which sorter_free() closes
 *
 * Return: the sort, NULL if there is no memory.
 */
struct sorter *sorter_new(FILE *file)
{
	struct sorter *sorter = calloc(1, sizeof(*sorter));

	if (sorter)
		sorter->file = file;
	return sorter;
}

/* Write the events as a run */
static bool end_run(struct sorter *sorter)
{
	const struct sorted *event;
	struct run *runs;
	size_t i;

	runs = array_grow(sorter->runs, &sorter->runs_room, sorter->nr_runs + 1,
			  sizeof(*runs));
	if (!runs)
		return false;
	sorter->runs = runs;
	qsort_r(sorter->events, sorter->nr, sizeof(*sorter->events), compare_events,
		sorter->bytes);
	for (i = 0; i < sorter->nr; i++) {
		event = (void *)(sorter->bytes + sorter->events[i]);
		if (!fwrite_unlocked(event, stored_size(event), 1, sorter->file))
			return false;
	}
	runs[sorter->nr_runs] = (struct run){
		.pos	= sorter->pos,
		.end	= sorter->pos + sorter->size,
		.number	= sorter->nr_runs,
	};
	sorter->nr_runs++;
	sorter->pos += sorter->size;
	sorter->size = 0;
	sorter->nr = 0;
	return true;
}

/**
 * sorter_add - add an event to a sort
 * @sorter: the sort
 * @event: the event
 * @data: its data
 *
 * Return: false with errno set if there is no memory, or no space in the temporary file.
 */
bool sorter_add(struct sorter *sorter, const struct sorted *event, const void *data)
{
	size_t size = stored_size(event);
	void *new;

	if (sorter->size + size > RUN_SIZE && !end_run(sorter))
		return false;
	new = array_grow(sorter->bytes, &sorter->room, sorter->size + size, 1);
	if (!new)
		return false;
	sorter->bytes = new;
	new = array_grow(sorter->events, &sorter->events_room, sorter->nr + 1,
			 sizeof(*sorter->events));
	if (!new)
		return false;
	sorter->events = new;
	sorter->events[sorter->nr++] = sorter->size;
	new = sorter->bytes + sorter->size;
	memset(new + size - ALIGNMENT, 0, ALIGNMENT);
	memcpy(new, event, sizeof(*event));
	memcpy(new + sizeof(*event), data, event->size);
	sorter->size += size;
	return true;
}

/* Read bytes of a run until @size bytes are available */
static bool run_read(struct sorter *sorter, struct run *run, size_t size)
{
	size_t left;
	ssize_t nr;
	void *new;

	if (run->to - run->from >= size)
		return true;
	if (run->from)
		memmove(run->bytes, run->bytes + run->from, run->to - run->from);
	run->to -= run->from;
	run->from = 0;
	new = array_grow(run->bytes, &run->room, max_t(size_t, size, READ_SIZE), 1);
	if (!new)
		return false;
	run->bytes = new;
	while (run->to < size) {
		left = min_t(u64, run->room - run->to, run->end - run->pos);
		nr = pread(fileno(sorter->file), run->bytes + run->to, left, run->pos);
		if (nr <= 0) {
			errno = nr ? errno : EIO;
			return false;
		}
		run->to += nr;
		run->pos += nr;
	}
	return true;
}

/* Read the next event of a run */
static bool run_next(struct sorter *sorter, struct run *run)
{
	return run_read(sorter, run, sizeof(struct sorted)) &&
	       run_read(sorter, run, stored_size(run_event(run)));
}

static bool merge(struct sorter *sorter, struct run **heap, sorted_func *each,
		  void *context)
{
	unsigned int nr = sorter->nr_runs, i;
	const struct sorted *event;
	struct run *run;

	for (i = 0; i < nr; i++) {
		heap[i] = &sorter->runs[i];
		if (!run_next(sorter, heap[i]))
			return false;
	}
	heap_build((void **)heap, nr, run_before);
	while (nr) {
		run = heap[0];
		event = run_event(run);
		if (!each(event, event + 1, context))
			return false;
		run->from += stored_size(event);
		if (run->from == run->to && run->pos == run->end)
			heap[0] = heap[--nr];
		else if (!run_next(sorter, run))
			return false;
		if (nr)
			heap_down((void **)heap, nr, 0, run_before);
	}
	return true;
}

/**
 * sorter_merge - visit the events in their order, and reset the sort
 * @sorter: the sort
 * @each: called for each event; returns false to stop
 * @context: passed to @each
 *
 * Return: false if @each returned false, or with errno set if there is no memory or the
 * temporary file cannot be written or read.
 */
bool sorter_merge(struct sorter *sorter, sorted_func *each, void *context)
{
	struct run **heap;
	unsigned int i;
	bool ok;

	if (sorter->nr && !end_run(sorter))
		return false;
	heap = calloc(sorter->nr_runs + 1, sizeof(*heap));
	ok = heap && !fflush(sorter->file) && merge(sorter, heap, each, context);
	for (i = 0; i < sorter->nr_runs; i++)
		free(sorter->runs[i].bytes);
	sorter->nr_runs = 0;
	sorter->pos = 0;
	rewind(sorter->file);
	free(heap);
	return ok;
}

/**
 * sorter_free - free a sort
 * @sorter: the sort
 */
void sorter_free(struct sorter *sorter)
{
	fclose(sorter->file);
	free(sorter->bytes);
	free(sorter->events);
	free(sorter->runs);
	free(sorter);
}
