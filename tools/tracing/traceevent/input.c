// SPDX-License-Identifier: GPL-2.0
/*
 * Access to the input of a record
 *
 * libtraceevent passes one record to a plugin.  The kernel shows two things that are
 * not in this record:
 *
 * - A call without callees takes one line. The reader has to look at the following
 *   record, and take this record, so that it is not shown again.
 * - The line of a call's exit depends on whether the entry is in the trace.
 *
 * libtraceevent has no interface for these two things.  So the plugin uses libtracecmd,
 * as trace-cmd's own handlers do. trace-cmd and KernelShark read files with
 * libtracecmd. libtraceevent-proposal.txt describes an interface that would replace
 * this file.
 *
 * All symbols are looked up at run time.  A program without libtracecmd shows the text
 * of each record alone.  Four of the names are exported, but no public header declares
 * them: tracecmd_curr_thread_handle, tracecmd_peek_data, tracecmd_get_cpu_file_size and
 * tracecmd_ftrace_overrides.  Public functions take an input, and only the variable has the
 * current input.  Only tracecmd_peek_data() leaves the record in the input.  Only the size
 * distinguishes a file from a pipe, which cannot be read again.  Only the last function registers
 * trace-cmd's own handlers, which the plugin has replaced before the recording was known.
 *
 * The variable alone is not reliable, because it keeps its value when the input is
 * closed.  libtracecmd unloads the plugin before it frees the input, and input_forget()
 * then clears the variable of the closing thread.  One case is not covered: a thread
 * that prints old records of another recording after a different thread has closed the
 * input.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "input.h"

/* Bytes of a time extension between two records */
#define TIME_EXTEND	8

/* Bytes that all events have: type, flags, preemption count and process */
#define COMMON_SIZE	8

/* Sub-buffers are whole pages, at most 512 KiB */
#define PAGE_SIZE	4096
#define SUB_BUFFER_MAX	0x80000

/*
 * How often to call a function that registers handlers.  It applies the user's options as well, and
 * an option without a value is inverted.
 */
#define TWICE		2

static struct {
	struct tep_handle *(*get_tep)(struct tracecmd_input *in);
	struct tep_record *(*peek)(struct tracecmd_input *in, int index);
	struct tep_record *(*read)(struct tracecmd_input *in, int index);
	struct tep_record *(*read_at)(struct tracecmd_input *in,
				      unsigned long long offset, int *index);
	struct tep_record *(*read_first)(struct tracecmd_input *in, int index);
	unsigned long long (*size)(struct tracecmd_input *in, int index);
	void (*free)(struct tep_record *record);
	int (*overrides)(struct tracecmd_input *in, void *room);
} lib;

/**
 * input_init - look up the symbols of libtracecmd
 *
 * The caller holds a lock.
 */
void input_init(void)
{
	lib.get_tep = dlsym(RTLD_DEFAULT, "tracecmd_get_tep");
	lib.peek = dlsym(RTLD_DEFAULT, "tracecmd_peek_data");
	lib.read = dlsym(RTLD_DEFAULT, "tracecmd_read_data");
	lib.read_at = dlsym(RTLD_DEFAULT, "tracecmd_read_at");
	lib.read_first = dlsym(RTLD_DEFAULT, "tracecmd_read_cpu_first");
	lib.size = dlsym(RTLD_DEFAULT, "tracecmd_get_cpu_file_size");
	lib.free = dlsym(RTLD_DEFAULT, "tracecmd_free_record");
	lib.overrides = dlsym(RTLD_DEFAULT, "tracecmd_ftrace_overrides");
}

/* The last input of this thread. Each thread has its own variable. */
static struct tracecmd_input **current_input(void)
{
	static __thread struct tracecmd_input **current;
	static __thread bool known;

	if (!known)
		current = dlsym(RTLD_DEFAULT, "tracecmd_curr_thread_handle");
	known = true;
	return current;
}

/**
 * input_find - find the last input of this thread
 * @tep: the handle that prints a record of the input
 *
 * Return: the input, NULL if there is none or if it has another handle than @tep.
 */
struct tracecmd_input *input_find(struct tep_handle *tep)
{
	struct tracecmd_input **current = current_input();

	if (!current || !*current || !lib.get_tep || !lib.peek || !lib.read ||
	    !lib.read_at || !lib.read_first || !lib.free)
		return NULL;
	return lib.get_tep(*current) == tep ? *current : NULL;
}

/**
 * input_forget - forget an input that is about to be closed
 * @tep: the handle of the input
 */
void input_forget(struct tep_handle *tep)
{
	if (input_find(tep))
		*current_input() = NULL;
}

/*
 * Whether @next follows @record on its CPU. It follows @record directly, or it is the
 * first record of the next sub-buffer.
 */
static bool follows(struct tracecmd_input *in, const struct tep_record *next,
		    const struct tep_record *record)
{
	struct tep_handle *tep = lib.get_tep(in);
	u64 end = record->offset + record->record_size, after;
	int header = tep_get_header_timestamp_size(tep) +
		     tep_get_header_page_size(tep);

	if (next->cpu != record->cpu || next->ts < record->ts ||
	    next->offset < end)
		return false;
	after = next->offset - end;
	return after <= TIME_EXTEND ||
	       (after < SUB_BUFFER_MAX &&
		next->offset % PAGE_SIZE - header <= TIME_EXTEND);
}

/**
 * record_fits - whether a record is in its page, and has the fields that all events have
 * @tep: the handle that knows the size of pages
 * @record: the record
 *
 * libtracecmd takes the size of a record from the file, and does not compare the size with
 * the page.  Pages begin at multiples of their size.
 *
 * Return: true if so, false otherwise.
 */
bool record_fits(struct tep_handle *tep, const struct tep_record *record)
{
	u32 page = tep_get_sub_buffer_size(tep);

	if (record->size < COMMON_SIZE || record->size > SUB_BUFFER_MAX)
		return false;
	/* A handle without a recording has no pages */
	return !page || record->offset % page + record->size <= page;
}

/**
 * input_peek - look at the record that follows a record on its CPU
 * @in: the input
 * @record: the record that was read last
 * @index: set to the CPU's index, for input_skip()
 *
 * Return: the next record, NULL if there is none or if @record was not read last. The
 * caller must not free the next record.
 */
struct tep_record *input_peek(struct tracecmd_input *in,
			      const struct tep_record *record, int *index)
{
	struct tep_record *next;

	/* Files have no place for a CPU without records */
	for (*index = record->cpu; *index >= 0; --*index) {
		next = lib.peek(in, *index);
		if (next && next->cpu == record->cpu)
			return follows(in, next, record) ? next : NULL;
	}
	return NULL;
}

/**
 * input_skip - take the record that input_peek() returned, so that it is not shown again
 * @in: the input
 * @index: the CPU's index
 */
void input_skip(struct tracecmd_input *in, int index)
{
	lib.free(lib.read(in, index));
}

static int find_function_plugin(struct dl_phdr_info *info, size_t size, void *name)
{
	const char *file = strrchr(info->dlpi_name, '/');

	if (!file || strcmp(file, "/plugin_function.so"))
		return 0;
	*(const char **)name = info->dlpi_name;
	return 1;
}

/*
 * Let libtraceevent's own plugin print the function tracer's events again.  Its loader registers
 * the handler.  The loader also lists the plugin's options, and applies the user's options, so the
 * unloader is called as often as the loader, with a handle that has no events.
 */
static void restore_function(struct tep_handle *tep)
{
	int (*load)(struct tep_handle *tep), (*unload)(struct tep_handle *tep);
	struct tep_handle *none = tep_alloc();
	const char *name = NULL;
	void *plugin;
	int i;

	dl_iterate_phdr(find_function_plugin, &name);
	plugin = name ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	load = plugin ? dlsym(plugin, "tep_plugin_loader") : NULL;
	unload = plugin ? dlsym(plugin, "tep_plugin_unloader") : NULL;
	for (i = 0; none && load && unload && i < TWICE; i++)
		load(tep);
	while (i--)
		unload(none);
	if (plugin)
		dlclose(plugin);
	if (none)
		tep_free(none);
}

/**
 * input_restore - let the handlers of trace-cmd and of libtraceevent's own plugin print the graph
 *	tracer's and the function tracer's events again
 * @tep: the handle of the recording, without this plugin's handlers
 * @in: the last input of this thread, NULL if there is none
 * @room: memory for the handlers, INPUT_ROOM zeros, as long as the recording is open
 *
 * Return: false if the handlers need an input, and there is none.
 */
bool input_restore(struct tep_handle *tep, struct tracecmd_input *in, u64 *room)
{
	int i;

	if (!in && lib.overrides)
		return false;
	for (i = 0; in && lib.overrides && i < TWICE; i++)
		lib.overrides(in, room);
	restore_function(tep);
	return true;
}

/*
 * Whether the records after a record cannot be read again, as in a pipe, which has no
 * size
 */
static bool is_stream(struct tracecmd_input *in)
{
	return !lib.size || lib.size(in, 0) == -1ULL;
}

/*
 * Set the position after a record. Returns false if the input has another record there.
 */
static bool go_behind(struct tracecmd_input *in, const struct tep_record *record,
		      int *index)
{
	struct tep_record *again = lib.read_at(in, record->offset, index);
	bool same;

	if (!again)
		return false;
	same = again->offset == record->offset && again->ts == record->ts &&
	       again->cpu == record->cpu && again->size == record->size &&
	       record_fits(lib.get_tep(in), again) &&
	       !memcmp(again->data, record->data, record->size);
	lib.free(again);
	return same;
}

/* Whether the position of the input is still after the record that was read */
static bool is_behind(struct tracecmd_input *in, const struct tep_record *record)
{
	struct tep_record *next = NULL;
	int index;

	for (index = record->cpu; index >= 0; index--) {
		next = lib.peek(in, index);
		if (next && next->cpu == record->cpu)
			break;
		next = NULL;
	}
	/* No record follows the last record of a CPU */
	return !next || follows(in, next, record);
}

/* Set the position after the last visited record. Returns false if it is not there. */
static bool go_on(struct tracecmd_input *in, const struct input_place *place)
{
	struct tep_record *again = lib.read_at(in, place->offset, NULL);
	bool same = again && again->offset == place->offset && again->ts == place->time;

	lib.free(again);
	return same;
}

/**
 * input_walk - visit the next records of a CPU
 * @in: the input
 * @record: the record of that CPU that was read last
 * @place: the place where the walk continues; zeros at first
 * @visit: called for each record, in the order of the file
 * @data: passed to @visit
 *
 * The position of the input stays after @record.
 *
 * Return: false if the walk is not possible, because another record was read last, or because the
 * input has another record at @place.
 */
bool input_walk(struct tracecmd_input *in, const struct tep_record *record,
		struct input_place *place, input_visit_func *visit, void *data)
{
	struct tep_record *each;
	int index;

	/* A record that was only peeked at belongs to the input */
	if (record->locked || is_stream(in) ||
	    !is_behind(in, record) ||
	    !go_behind(in, record, &index))
		return false;
	if (place->begun && !go_on(in, place)) {
		go_behind(in, record, &index);
		return false;
	}
	place->paused = false;
	each = place->begun ? lib.read(in, index) : lib.read_first(in, index);
	for (; each; each = place->paused ? NULL : lib.read(in, index)) {
		place->begun = true;
		place->offset = each->offset;
		place->time = each->ts;
		place->nr++;
		visit(each, data);
		lib.free(each);
	}
	place->ended = !place->paused;
	return go_behind(in, record, &index);
}

/**
 * rows_add - add the value of a record
 * @rows: the rows, which have lower offsets
 * @offset: the record's place in the file
 * @value: the value
 */
void rows_add(struct rows *rows, u64 offset, u64 value)
{
	struct row *more;

	/* If the number is a power of two, the array is full */
	if (!(rows->nr & (rows->nr - 1))) {
		more = realloc(rows->rows, max(2 * rows->nr, (size_t)1) *
					   sizeof(*more));
		if (!more) {
			rows->failed = true;
			return;
		}
		rows->rows = more;
	}
	rows->rows[rows->nr++] = (struct row){ .offset = offset, .value = value };
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/**
 * rows_find - find the value of a record
 * @rows: the rows
 * @offset: the record's place in the file
 * @value: set to the value
 *
 * Return: true if the record has a value.
 */
bool rows_find(const struct rows *rows, u64 offset, u64 *value)
{
	const struct row key = { .offset = offset }, *row;

	row = rows->nr ? bsearch(&key, rows->rows, rows->nr, sizeof(key),
				 compare_rows) : NULL;
	if (row)
		*value = row->value;
	return row;
}

/**
 * pages_add - store the place and the time of a record, if it is the first record of
 * its page
 * @pages: the pages
 * @record: the record, which follows the stored records of its CPU
 */
void pages_add(struct rows *pages, const struct tep_record *record)
{
	if (!pages->nr || pages->rows[pages->nr - 1].offset / PAGE_SIZE !=
			  record->offset / PAGE_SIZE)
		rows_add(pages, record->offset, record->ts);
}

/**
 * pages_have - whether a record can be in the pages that pages_add() has stored
 * @pages: the stored pages
 * @record: the record
 *
 * A buffer's input may be closed, and another input opened at the same address.
 * libtracecmd does not report this.  Another buffer has other records in its pages.
 *
 * Return: true if so, false otherwise.
 */
bool pages_have(const struct rows *pages, const struct tep_record *record)
{
	size_t low = 0, high = pages->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (pages->rows[middle].offset <= record->offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || pages->rows[low - 1].offset / PAGE_SIZE !=
		    record->offset / PAGE_SIZE ||
	    record->ts < pages->rows[low - 1].value)
		return false;
	return low == pages->nr || record->ts <= pages->rows[low].value;
}

/**
 * rows_free - free the memory that rows_add() has allocated
 * @rows: the records
 */
void rows_free(struct rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}
