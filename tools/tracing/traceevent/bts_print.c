// SPDX-License-Identifier: GPL-2.0
/*
 * Print the branches of blocks as a tree of calls, see bts_lines.h
 *
 * A recording has no code, so the addresses of a branch determine its kind.  Each line
 * has the task, the CPU and the time.
 */
#include <linux/kernel.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "bts_event.h"
#include "bts_print.h"

static void find_name(const struct bts_output *out, u64 addr, struct bts_symbol *sym)
{
	const struct bts_printer *printer = container_of(out, struct bts_printer, out);

	*sym = (struct bts_symbol){ };
	sym->name = bts_find_symbol(printer->tep, addr, printer->image_end,
				    &sym->start);
	if (!sym->name)
		sym->start = 0;
}

/**
 * bts_print_begin - begin a line, with the task, the CPU and the time
 * @printer: the printer
 * @s: the output
 * @record: the block
 * @pid: the task's PID
 */
void bts_print_begin(struct bts_printer *printer, struct trace_seq *s,
		     struct tep_record *record, int pid)
{
	trace_seq_printf(s, "\n%16s-%-7d [%03d] ",
			 tep_data_comm_from_pid(printer->tep, pid), pid, record->cpu);
	tep_print_event(printer->tep, s, record, "%6.1000d", TEP_PRINT_TIME);
	trace_seq_puts(s, ": ");
}

/**
 * bts_begin_block - find the calls that are open before a block
 * @printer: the printer
 * @calls: the calls of the record's CPU
 * @s: gets a line if another task ran before the block
 * @record: the block
 * @block: the block's fields
 */
void bts_begin_block(struct bts_printer *printer, struct bts_calls *calls,
		     struct trace_seq *s, struct tep_record *record,
		     const struct bts_block *block)
{
	struct tep_handle *tep = printer->tep;
	int pid = tep_data_pid(tep, record);
	bool next = calls->has_block && calls->next == block->first;

	if (next && calls->pid != pid) {
		bts_print_begin(printer, s, record, calls->pid);
		trace_seq_printf(s, "[SWITCH %s-%d => ",
				 tep_data_comm_from_pid(tep, calls->pid), calls->pid);
		trace_seq_printf(s, "%s-%d]", tep_data_comm_from_pid(tep, pid), pid);
	}
	if (!next || calls->pid != pid ||
	    block->marks & (BTS_MARK_GAP | BTS_MARK_DROPPED))
		bts_tree_reset(&calls->tree);
	calls->has_block = true;
	calls->pid = pid;
	calls->next = block->first + block->nr;
}

static struct trace_seq *begin_line(struct bts_output *out, u64 time)
{
	struct bts_printer *printer = container_of(out, struct bts_printer, out);

	bts_print_begin(printer, printer->s, printer->record,
			tep_data_pid(printer->tep, printer->record));
	return printer->s;
}

/**
 * bts_print_tree - print a block
 * @printer: the printer
 * @calls: the calls of the record's CPU
 * @s: the output
 * @record: the block
 * @block: the block's fields
 *
 * Return: 0, or -1 if the block is malformed.
 */
int bts_print_tree(struct bts_printer *printer, struct bts_calls *calls,
		   struct trace_seq *s, struct tep_record *record,
		   const struct bts_block *block)
{
	struct bts_decoder *dec = &printer->dec;
	struct bts_move move;
	int ret;

	printer->out = (struct bts_output){ .find = find_name, .begin = begin_line };
	printer->s = s;
	printer->record = record;
	bts_lines_start(&printer->lines, calls->tree.nr, &printer->out);
	bts_decode_start(dec, block->data, block->size, block->nr);
	while ((ret = bts_decode(dec)) == 1) {
		struct bts_branch b = { .from = dec->from, .to = dec->to };

		bts_branch_find(&b, &printer->out);
		bts_tree_next(&calls->tree, &b, &move);
		bts_lines_put(&printer->lines, &b, &move, record->ts);
	}
	/* Print all lines now, because the next block may be printed much later */
	bts_lines_flush(&printer->lines);
	return ret;
}
