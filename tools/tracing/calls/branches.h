/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls branches: the branches of a recording
 *
 *   cmd-branches.c    the command, and the blocks of branches
 *   branches-tree.c   branches as a tree of calls
 *   places.c          what is known of an address: symbol, instruction
 *   images.c          vmlinux and modules: their text
 *   sources.c         the lines of source in vmlinux and modules
 *
 * Blocks are decoded by kernel/trace/trace_bts_codec.h.  kernel/trace/trace_bts_tree.h
 * tells which calls begin and end with a branch.
 */
#ifndef _TRACE_CALLS_BRANCHES_H
#define _TRACE_CALLS_BRANCHES_H

#include <stdbool.h>

#include <linux/types.h>

#include "../../../kernel/trace/trace_bts_tree.h"

struct buffer;
struct calls;
struct image;
struct task;
struct tep_handle;

/**
 * struct place - an address, and what is known of it
 * @next: in the same slot of the hash
 * @addr: the address
 * @func: the address of its symbol, 0 if it has none
 * @name: the symbol, NULL if it has none
 * @gate: what enters the kernel here, BTS_KIND_NONE if nothing does
 * @entry: it is the first instruction of its function
 * @decoded: @insn, @after and @target are set
 * @sourced: @source is set
 * @insn: the kind of the instruction, BTS_KIND_NONE if it is no branch
 * @after: the address behind the instruction, 0 without text
 * @target: where the instruction leads to, 0 if the instruction does not tell
 * @source: file:line and what is inlined there, NULL if that is not known
 */
struct place {
	struct place	*next;
	u64		addr;
	u64		func;
	const char	*name;
	enum bts_kind	gate;
	bool		entry;
	bool		decoded;
	bool		sourced;
	enum bts_kind	insn;
	u64		after;
	u64		target;
	char		*source;
};

/**
 * struct flow - the branches of a CPU in one buffer
 * @buffer: the buffer
 * @cpu: the CPU
 * @task: the task that took the last branch, NULL before the first
 * @next: the number of the branch that is expected next
 * @time: when the last block was drained
 * @tree: the calls that are open
 */
struct flow {
	struct buffer	*buffer;
	int		cpu;
	struct task	*task;
	u64		next;
	u64		time;
	struct bts_tree	tree;
};

/**
 * struct branch - a branch and what it does
 * @from: its origin
 * @to: its target
 * @move: what it does to the calls of its flow
 * @depth: number of calls that were open before
 * @func: the function of the innermost of them, 0 if there is none
 */
struct branch {
	struct place	*from;
	struct place	*to;
	struct bts_move	move;
	unsigned int	depth;
	u64		func;
};

/**
 * struct view - a form in which branches are written
 * @name: what it is called
 * @note: something that comes before the next branch; may be NULL
 * @branch: a branch, with the flow's tree behind it
 * @end: there are no more branches
 */
struct view {
	const char	*name;
	void		(*note)(struct calls *calls, struct flow *flow, const char *text);
	void		(*branch)(struct calls *calls, struct flow *flow,
				  const struct branch *branch);
	void		(*end)(struct calls *calls);
};

extern const struct view tree_view;

/* places.c */
bool places_init(struct tep_handle *tep, bool modules);
void places_free(void);
struct place *place_find(u64 addr);
void place_decode(struct place *place);
const char *place_source(struct place *place);

/* images.c */
bool images_open(struct tep_handle *tep, const char *recording,
		 const char *const *files, unsigned int nr);
void images_close(void);
bool images_any(void);
unsigned int images_text(u64 addr, const u8 **text, bool *relocated);
struct image *image_find(u64 addr, u64 *inside);

/* sources.c */
char *source_find(struct image *image, u64 inside);

#endif /* _TRACE_CALLS_BRANCHES_H */
