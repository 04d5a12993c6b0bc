// SPDX-License-Identifier: GPL-2.0
/*
 * A libtraceevent plugin that prints the events of the bts tracer. An event is a block
 * of branches, and each branch is a line:
 *
 *	bts:   3 branches
 *	  FROM -> TO
 *	  ...
 *
 * "(mispredicted)" follows a branch that the CPU had not predicted.
 *
 * Addresses of the kernel's image are shown as symbol and offset, and addresses of user
 * space as numbers.  A recording does not have the module that was at an address when a
 * branch was taken.  So addresses of modules are numbers as well, unless the user sets
 * the option bts:modules, because no module was unloaded.  The plugin shows the kernel's
 * lines about a block before its branches: a gap, branches that the CPU dropped, and the
 * number of lost branches.  The number needs the previous block, see input.c.
 *
 * With the option bts:tree the plugin shows the branches as a tree of calls, see
 * bts_lines.h.  A recording has no code, so the addresses of a branch determine its kind.
 * Each line has the task, the CPU and the time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "../../../kernel/trace/bts/codec.h"
#include "bts_event.h"
#include "bts_lines.h"
#include "input.h"

#define PUBLIC	__attribute__((__visibility__("default")))

enum { OPTION_MODULES, OPTION_TREE };

static struct tep_plugin_option options[] = {
	[OPTION_MODULES] = {
		.name = "modules",
		.plugin_alias = "bts",
		.description = "Take symbols of modules for branches, too",
	},
	[OPTION_TREE] = {
		.name = "tree",
		.plugin_alias = "bts",
		.description = "Show branches as a tree of calls",
	}, {
		.name = NULL,
	}
};

/**
 * struct bts_cpu - a CPU of a recording
 * @next: the next CPU
 * @event: the event of blocks
 * @in: the buffer's input, NULL if it is not known
 * @cpu: the CPU
 * @walked: @gaps are complete
 * @gaps: the blocks that do not continue the previous block, with the expected number
 *	of the first branch
 * @first: the expected number of the next branch
 * @has_tree: a block was printed as a tree
 * @pid: PID of that block's task
 * @next_first: number of the branch after that block
 * @tree: the open calls after that block
 */
struct bts_cpu {
	struct bts_cpu		*next;
	struct tep_event	*event;
	struct tracecmd_input	*in;
	int			cpu;
	bool			walked;
	struct rows		gaps;
	u64			first;
	bool			has_tree;
	int			pid;
	u64			next_first;
	struct bts_tree		tree;
};

/**
 * struct bts_recording - a recording whose events are printed
 * @next: the next recording
 * @tep: the handle that knows the recording's events
 * @lock: protects the following members
 * @image_end: the end of the addresses of the image, 0 if it is not known yet
 * @places: the addresses
 * @cpus: the recording's CPUs
 * @s: the text of the block that is printed
 * @record: the block
 * @dec: the position in the block
 * @lines: branches that are not printed yet
 * @out: prints a line
 */
struct bts_recording {
	struct bts_recording	*next;
	struct tep_handle	*tep;
	pthread_mutex_t		lock;
	u64			image_end;
	struct places		places;
	struct bts_cpu		*cpus;
	struct trace_seq	*s;
	struct tep_record	*record;
	struct bts_decoder	dec;
	struct bts_lines	lines;
	struct bts_output	out;
};

static struct bts_recording *recordings;
static pthread_mutex_t recordings_lock = PTHREAD_MUTEX_INITIALIZER;

/* Set the first address without a symbol, which the user can change */
static void set_symbols_end(struct bts_recording *rec)
{
	u64 end;

	if (!rec->image_end)
		rec->image_end = bts_image_end(rec->tep);
	end = options[OPTION_MODULES].set ? ~0ULL : rec->image_end;
	if (rec->places.end != end)
		places_free(&rec->places);
	rec->places.end = end;
}

static void visit_block(struct tep_record *record, void *data)
{
	struct bts_cpu *cpu = data;
	struct bts_block block;

	if (!record_fits(cpu->event->tep, record) ||
	    tep_data_type(cpu->event->tep, record) != cpu->event->id ||
	    !bts_read_block(record, cpu->event, &block))
		return;
	if (block.first != cpu->first)
		rows_add(&cpu->gaps, record->offset, cpu->first);
	cpu->first = block.first + block.nr;
}

static struct bts_cpu *find_bts_cpu(struct bts_recording *rec,
				    struct tep_record *record,
				    struct tep_event *event)
{
	struct tracecmd_input *in = input_find(rec->tep);
	struct input_place place = { };
	struct bts_cpu *cpu;
	u64 first;

	for (cpu = rec->cpus; cpu; cpu = cpu->next)
		if (cpu->cpu == record->cpu && cpu->in == in)
			break;
	if (!cpu) {
		cpu = calloc(1, sizeof(*cpu));
		if (!cpu)
			return NULL;
		cpu->event = event;
		cpu->cpu = record->cpu;
		cpu->in = in;
		cpu->next = rec->cpus;
		rec->cpus = cpu;
	}
	if (cpu->walked || !in)
		return cpu;
	first = cpu->first;
	cpu->first = 0;
	cpu->walked = input_walk(in, record, &place, visit_block, cpu) && !cpu->gaps.failed;
	if (!cpu->walked) {
		rows_free(&cpu->gaps);
		cpu->first = first;
	}
	return cpu;
}

/* The expected number of the first branch of @block */
static u64 find_expected(struct bts_cpu *cpu, struct tep_record *record,
			 const struct bts_block *block)
{
	u64 expected = block->first;

	if (!cpu)
		return expected;
	if (cpu->walked) {
		rows_find(&cpu->gaps, record->offset, &expected);
	} else {
		expected = cpu->first;
		cpu->first = block->first + block->nr;
	}
	return expected;
}

/* If no events were lost, the user of trace-cmd has left out the branches in the gap */
static const char *gap_format(u64 expected, const struct tep_record *record)
{
	if (!expected)
		return "[%llu BRANCHES BEFORE THIS]";
	if (record->missed_events)
		return "[LOST %llu BRANCHES]";
	return "[%llu BRANCHES NOT SHOWN]";
}

/* Begin a line of the tree, with the task, the CPU and the time */
static void begin_line(struct bts_recording *rec, int pid)
{
	trace_seq_printf(rec->s, "\n%16s-%-7d [%03d] ", tep_data_comm_from_pid(rec->tep, pid),
			 pid, rec->record->cpu);
	tep_print_event(rec->tep, rec->s, rec->record, "%6.1000d", TEP_PRINT_TIME);
	trace_seq_puts(rec->s, ": ");
}

static struct trace_seq *begin_tree_line(struct bts_output *out, u64 time)
{
	struct bts_recording *rec = container_of(out, struct bts_recording, out);

	begin_line(rec, tep_data_pid(rec->tep, rec->record));
	return rec->s;
}

/* Find the calls that are open before a block */
static void begin_tree(struct bts_recording *rec, struct bts_cpu *cpu,
		       const struct bts_block *block)
{
	int pid = tep_data_pid(rec->tep, rec->record);
	bool next = cpu->has_tree && cpu->next_first == block->first;

	if (next && cpu->pid != pid) {
		begin_line(rec, cpu->pid);
		trace_seq_printf(rec->s, "[SWITCH %s-%d => ",
				 tep_data_comm_from_pid(rec->tep, cpu->pid), cpu->pid);
		trace_seq_printf(rec->s, "%s-%d]", tep_data_comm_from_pid(rec->tep, pid), pid);
	}
	if (!next || cpu->pid != pid || block->marks & (BTS_MARK_GAP | BTS_MARK_DROPPED))
		bts_tree_reset(&cpu->tree);
	cpu->has_tree = true;
	cpu->pid = pid;
	cpu->next_first = block->first + block->nr;
	bts_lines_start(&rec->lines, cpu->tree.nr, &rec->out);
}

static void begin_note(struct bts_recording *rec, bool tree)
{
	if (tree)
		begin_line(rec, tep_data_pid(rec->tep, rec->record));
	else
		trace_seq_puts(rec->s, "\n  ");
}

static bool print_branch(struct bts_recording *rec, struct bts_cpu *cpu, bool tree)
{
	struct branch branch = {
		.from	= places_find(&rec->places, rec->dec.from),
		.to	= places_find(&rec->places, rec->dec.to),
		.mispredicted = !rec->dec.predicted,
	};

	if (!branch.from || !branch.to)
		return false;
	if (tree) {
		bts_tree_next(&cpu->tree, &branch);
		bts_lines_put(&rec->lines, &branch, rec->record->ts);
	} else {
		trace_seq_puts(rec->s, "\n  ");
		bts_write_places(rec->s, &branch, 0, 0);
		if (branch.mispredicted)
			trace_seq_puts(rec->s, " (mispredicted)");
	}
	return true;
}

static void print_block(struct bts_recording *rec, struct tep_event *event,
			const struct bts_block *block)
{
	struct bts_cpu *cpu = find_bts_cpu(rec, rec->record, event);
	u64 expected = find_expected(cpu, rec->record, block);
	bool tree = cpu && options[OPTION_TREE].set;
	struct trace_seq *s = rec->s;
	int ret;

	trace_seq_printf(s, "%llu branches", (unsigned long long)block->nr);
	set_symbols_end(rec);
	if (tree)
		begin_tree(rec, cpu, block);
	if (block->first > expected) {
		begin_note(rec, tree);
		trace_seq_printf(s, gap_format(expected, rec->record),
				 (unsigned long long)(block->first - expected));
	}
	if (block->marks & BTS_MARK_DROPPED) {
		begin_note(rec, tree);
		trace_seq_puts(s, "[BRANCHES DROPPED BY THE CPU]");
	}
	if (block->marks & BTS_MARK_PAUSED) {
		begin_note(rec, tree);
		trace_seq_puts(s, "[PAUSED BY THE BUDGET]");
	}
	if (block->marks & BTS_MARK_GAP) {
		begin_note(rec, tree);
		trace_seq_puts(s, "[GAP]");
	}
	bts_block_start(block, &rec->dec);
	do {
		ret = bts_decode(&rec->dec);
	} while (ret == 1 && print_branch(rec, cpu, tree));
	/* Print all lines now, because the next block may be printed much later */
	if (tree)
		bts_lines_flush(&rec->lines);
	if (ret) {
		begin_note(rec, tree);
		trace_seq_puts(s, ret == 1 ? "[no memory]" : "[not a block of branches]");
	}
}

static int bts_handler(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	struct bts_recording *rec = context;
	struct bts_block block = { };

	if (!record_fits(rec->tep, record) || !bts_read_block(record, event, &block)) {
		trace_seq_putc(s, '!');
		if (block.version > BTS_BLOCK_VERSION)
			trace_seq_printf(s, " [a block of the later version %llu]",
					 (unsigned long long)block.version);
		return 0;
	}
	pthread_mutex_lock(&rec->lock);
	rec->s = s;
	rec->record = record;
	print_block(rec, event, &block);
	pthread_mutex_unlock(&rec->lock);
	return 0;
}

/**
 * TEP_PLUGIN_LOADER - begin to print the events of a recording
 * @tep: the handle that knows the recording's events
 *
 * libtraceevent calls this function when it loads the plugin.
 *
 * Return: 0, or -1 if there is no memory.
 */
PUBLIC int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct bts_recording *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return -1;
	rec->tep = tep;
	rec->places.tep = tep;
	rec->out.begin = begin_tree_line;
	pthread_mutex_init(&rec->lock, NULL);
	pthread_mutex_lock(&recordings_lock);
	input_init();
	if (!recordings) {
		/* libtraceevent changes this variable for an option without a value */
		options[OPTION_MODULES].set = 0;
		options[OPTION_TREE].set = 0;
		tep_plugin_add_options("bts", options);
	}
	rec->next = recordings;
	recordings = rec;
	pthread_mutex_unlock(&recordings_lock);
	tep_register_event_handler(tep, -1, "ftrace", "bts", bts_handler, rec);
	return 0;
}

/**
 * TEP_PLUGIN_UNLOADER - end the printing of the events of a recording
 * @tep: the handle that knows the recording's events
 */
PUBLIC void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct bts_recording **link, *rec;
	struct bts_cpu *cpu;

	pthread_mutex_lock(&recordings_lock);
	for (link = &recordings; *link && (*link)->tep != tep; link = &(*link)->next)
		;
	rec = *link;
	if (rec)
		*link = rec->next;
	if (rec && !recordings)
		tep_plugin_remove_options(options);
	pthread_mutex_unlock(&recordings_lock);

	if (!rec)
		return;
	input_forget(tep);
	tep_unregister_event_handler(tep, -1, "ftrace", "bts", bts_handler, rec);
	while ((cpu = rec->cpus)) {
		rec->cpus = cpu->next;
		rows_free(&cpu->gaps);
		free(cpu);
	}
	places_free(&rec->places);
	pthread_mutex_destroy(&rec->lock);
	free(rec);
}
