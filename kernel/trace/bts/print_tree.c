// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: blocks of branches as a tree of calls, for the option bts-tree
 *
 * Each file that is being read has the open calls of each CPU. The lines of the next
 * branches depend on the open calls, so a block is printed from its begin. A line that
 * did not fit is printed again unchanged.
 */
#include <linux/percpu.h>
#include <linux/slab.h>

#include <asm/bts.h>

#include "../trace.h"
#include "bts.h"
#include "print.h"
#include "../trace_output.h"

/**
 * bts_alloc_printer - allocate the data that is needed to print a tree of calls
 *
 * Return: the printer, NULL if there is no memory.
 */
struct bts_printer *bts_alloc_printer(void)
{
	struct bts_printer *printer = kvzalloc(sizeof(*printer), GFP_KERNEL);

	if (!printer)
		return NULL;
	printer->calls = alloc_percpu(struct bts_calls);
	if (!printer->calls) {
		kvfree(printer);
		return NULL;
	}
	bts_reset_printer(printer);
	return printer;
}

/**
 * bts_free_printer - free a printer
 * @printer: the printer, from bts_alloc_printer(), or NULL
 */
void bts_free_printer(struct bts_printer *printer)
{
	if (!printer)
		return;
	free_percpu(printer->calls);
	kvfree(printer);
}

/**
 * bts_reset_printer - forget the open calls
 * @printer: the printer
 */
void bts_reset_printer(struct bts_printer *printer)
{
	struct bts_calls *calls;
	int cpu;

	for_each_possible_cpu(cpu) {
		calls = per_cpu_ptr(printer->calls, cpu);
		calls->pid = -1;
		bts_tree_reset(&calls->tree);
	}
}

static void bts_find_name(const struct bts_names *names, u64 addr,
			  struct bts_symbol *sym)
{
	struct trace_iterator *iter = names->data;
	struct bts_reader *reader = iter->private;

	bts_lookup_symbol(iter, addr, &reader->printer->name, sym);
}

static void bts_print_number(const struct bts_names *names, struct trace_seq *s,
			     u64 addr)
{
	bts_print_address(names->data, addr, 0);
}

static struct bts_names bts_iter_names(struct trace_iterator *iter)
{
	return (struct bts_names){
		.find	= bts_find_name,
		.number	= bts_print_number,
		.data	= iter,
	};
}

static void bts_put_branch(struct trace_iterator *iter, struct bts_reader *reader)
{
	struct bts_branch b = { .from = reader->dec.from, .to = reader->dec.to };
	struct bts_names names = bts_iter_names(iter);
	struct bts_printer *printer = reader->printer;
	struct bts_move move;
	unsigned long ip;

	bts_branch_find(&b, &names);
	/* The text of an earlier boot may be different */
	if (!trace_array_last_boot(iter->tr) && bts_find_text(iter, b.from, &ip))
		bts_read_insn(&b, ip);
	bts_tree_next(&per_cpu_ptr(printer->calls, iter->cpu)->tree, &b, &move);
	bts_lines_put(&printer->lines, &b, &move, iter->ts);
}

/* Take the next line of the block; returns false if there is none */
static bool bts_take_line(struct trace_iterator *iter, struct bts_reader *reader,
			  struct bts_line *line)
{
	struct bts_printer *printer = reader->printer;
	int ret;

	while (!bts_lines_take(&printer->lines, line)) {
		if (printer->ended) {
			if (!printer->malformed)
				return false;
			printer->malformed = false;
			line->type = BTS_LINE_NOTE;
			line->depth = 0;
			line->note = "NOT A BLOCK OF BRANCHES";
			return true;
		}
		ret = bts_decode(&reader->dec);
		if (ret == 1) {
			bts_put_branch(iter, reader);
			continue;
		}
		printer->ended = true;
		printer->malformed = ret < 0;
		/*
		 * A loop ends with its block, because the line of the loop has the time
		 * of the block
		 */
		bts_lines_flush(&printer->lines);
	}
	return true;
}

/*
 * Find the notes before the block, and forget the open calls if they are not valid any
 * more
 */
static void bts_begin_calls(struct trace_iterator *iter, struct bts_reader *reader)
{
	struct bts_calls *calls = per_cpu_ptr(reader->printer->calls, iter->cpu);
	struct bts_before *before = &reader->printer->before;
	u64 next = *per_cpu_ptr(reader->next, iter->cpu);
	struct bts_entry *entry;

	trace_assign_type(entry, iter->ent);
	bts_find_before(iter, reader, before);
	before->switched = calls->pid >= 0 && calls->pid != iter->ent->pid;
	before->pid = calls->pid;
	if (before->switched || entry->first != next || iter->line ||
	    entry->marks & (BTS_MARK_GAP | BTS_MARK_DROPPED))
		bts_tree_reset(&calls->tree);
	calls->pid = iter->ent->pid;
	bts_lines_start(&reader->printer->lines, calls->tree.nr);
}

/* Go to the line iter->line of the entry; returns false if the entry has no such line */
static bool bts_goto_line(struct trace_iterator *iter, struct bts_reader *reader)
{
	struct bts_printer *printer = reader->printer;
	struct bts_entry *entry;
	unsigned int size;
	bool same;

	trace_assign_type(entry, iter->ent);
	size = iter->ent_size - sizeof(*entry);
	same = reader->printing && reader->first == entry->first &&
	       reader->cpu == iter->cpu && reader->dec.end == entry->data + size;
	if (same && iter->line == printer->nr)
		return true;
	if (same && iter->line == printer->nr + 1 && printer->more) {
		printer->at ^= 1;
	} else {
		reader->cpu = iter->cpu;
		reader->first = entry->first;
		reader->printing = true;
		printer->at = 0;
		printer->ended = false;
		printer->malformed = false;
		bts_decode_start(&reader->dec, entry->data, size, entry->nr);
		bts_begin_calls(iter, reader);
		if (!bts_take_line(iter, reader, &printer->line[0])) {
			reader->printing = false;
			return false;
		}
	}
	printer->nr = iter->line;
	printer->more = bts_take_line(iter, reader, &printer->line[!printer->at]);
	return true;
}

static void bts_print_note(struct trace_iterator *iter, pid_t pid)
{
	if (iter->tr->trace_flags & TRACE_ITER(CONTEXT_INFO))
		bts_print_context(iter, pid);
}

static void bts_print_own(struct trace_iterator *iter)
{
	bts_print_note(iter, iter->ent->pid);
}

static void bts_print_switch(struct trace_iterator *iter,
			     const struct bts_before *before)
{
	char old[TASK_COMM_LEN], new[TASK_COMM_LEN];
	pid_t pid = iter->ent->pid;

	if (!before->switched)
		return;
	trace_find_cmdline(before->pid, old);
	trace_find_cmdline(pid, new);
	bts_print_note(iter, before->pid);
	trace_seq_printf(&iter->seq, "[SWITCH %s-%d => %s-%d]\n", old,
			 before->pid, new, pid);
}

/**
 * bts_print_tree - print a line of a block as a tree of calls
 * @iter: the reader, which has the number of the line
 * @reader: the reader's state, which has a printer
 *
 * The notes before a block are printed with its first line.
 *
 * Return: TRACE_TYPE_MORE_LINES unless the line is the last line of the block.
 */
enum print_line_t bts_print_tree(struct trace_iterator *iter,
				 struct bts_reader *reader)
{
	struct bts_printer *printer = reader->printer;
	struct bts_names names = bts_iter_names(iter);
	struct bts_entry *entry;
	bool found;

	found = bts_goto_line(iter, reader);
	if (!iter->line) {
		bts_print_switch(iter, &printer->before);
		bts_print_before(iter, &printer->before, bts_print_own);
	}
	if (found) {
		bts_print_own(iter);
		bts_line_write(&iter->seq, &printer->line[printer->at], &names);
		trace_seq_putc(&iter->seq, '\n');
	}
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	if (found && printer->more)
		return TRACE_TYPE_MORE_LINES;
	trace_assign_type(entry, iter->ent);
	*per_cpu_ptr(reader->next, iter->cpu) = entry->first + entry->nr;
	return TRACE_TYPE_HANDLED;
}
