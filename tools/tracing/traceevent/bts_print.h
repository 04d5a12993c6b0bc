/* SPDX-License-Identifier: GPL-2.0 */
/* The branches of blocks as a tree of calls, for plugin_bts.so */
#ifndef _TRACEEVENT_BTS_PRINT_H
#define _TRACEEVENT_BTS_PRINT_H

#include <stdbool.h>

#include <linux/types.h>

#include "../../../kernel/trace/bts/codec.h"
#include "bts_lines.h"

struct bts_block;
struct tep_handle;
struct tep_record;
struct trace_seq;

/**
 * struct bts_calls - the open calls of a CPU
 * @has_block: a block was printed
 * @pid: PID of the block's task
 * @next: number of the branch after the block
 * @tree: the calls
 */
struct bts_calls {
	bool		has_block;
	int		pid;
	u64		next;
	struct bts_tree	tree;
};

/**
 * struct bts_printer - prints blocks
 * @tep: the handle that knows the symbols and the tasks
 * @image_end: the first address without symbol
 * @out: writes lines
 * @s: the output
 * @record: the block that is printed
 * @dec: the place in the block
 * @lines: branches that are not printed yet
 */
struct bts_printer {
	struct tep_handle	*tep;
	u64			image_end;
	struct bts_output	out;
	struct trace_seq	*s;
	struct tep_record	*record;
	struct bts_decoder	dec;
	struct bts_lines	lines;
};

void bts_print_begin(struct bts_printer *printer, struct trace_seq *s,
		     struct tep_record *record, int pid);
void bts_begin_block(struct bts_printer *printer, struct bts_calls *calls,
		     struct trace_seq *s, struct tep_record *record,
		     const struct bts_block *block);
int bts_print_tree(struct bts_printer *printer, struct bts_calls *calls,
		   struct trace_seq *s, struct tep_record *record,
		   const struct bts_block *block);

#endif /* _TRACEEVENT_BTS_PRINT_H */
