/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls branches: the branches of a recording
 *
 *   cmd-branches.c    the command
 *   branches.c        the blocks of branches, also for trace-calls perfetto
 *   branches-tree.c   branches as a tree of calls
 *   branches-folded.c branches as folded stacks
 *   branches-counts.c branches as a profile for AutoFDO
 *   coverage.c        the lines and branches that were run, for lcov
 *   places.c          what is known of an address: symbol, instruction
 *   images.c          vmlinux and modules: their text
 *   sources.c         the lines of source in vmlinux and modules
 *   join.h            branches under the calls of the function_graph tracer
 *
 * Blocks are decoded by kernel/trace/trace_bts_codec.h.  kernel/trace/trace_bts_tree.h
 * tells which calls begin and end with a branch, and kernel/trace/trace_bts_lines.c makes
 * lines of the branches.
 */
#ifndef _TRACE_CALLS_BRANCHES_H
#define _TRACE_CALLS_BRANCHES_H

#include <stdbool.h>

#include <linux/types.h>

#include "../../../kernel/trace/trace_bts_lines.h"

struct buffer;
struct calls;
struct image;
struct task;
struct tep_handle;
struct tep_record;

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
 * @role: what it is for ftrace, see join-walk.c
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
	u8		role;
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
 * @stack: the number of the task's stack of calls; from 1
 * @next: the number of the branch that is expected next
 * @last: the target of the last branch, 0 if branches may be missing behind it
 * @time: when the last block was drained
 * @tree: the calls that are open
 * @begin: the text before each line; NULL: the task, the CPU and the time
 */
struct flow {
	struct buffer	*buffer;
	int		cpu;
	struct task	*task;
	u32		stack;
	u64		next;
	u64		last;
	u64		time;
	struct bts_tree	tree;
	const char	*begin;
};

/**
 * struct branch - a branch and what it does
 * @from: its origin
 * @to: its target
 * @known: what is known about it
 * @move: what it does to the calls of its flow
 */
struct branch {
	struct place		*from;
	struct place		*to;
	struct bts_branch	known;
	struct bts_move		move;
};

/**
 * struct view - a form in which branches are written
 * @name: what it is called
 * @text: it needs vmlinux or a module
 * @note: something that comes before the next branch; may be NULL
 * @stack: the next branch has this origin, and the flow's tree has the calls that are
 *	open there; may be NULL
 * @branch: a branch, with the flow's tree behind it; may be NULL
 * @end: there are no more branches
 */
struct view {
	const char	*name;
	bool		text;
	void		(*note)(struct calls *calls, struct flow *flow, const char *text);
	void		(*stack)(struct calls *calls, struct flow *flow,
				 const struct place *from);
	void		(*branch)(struct calls *calls, struct flow *flow,
				  const struct branch *branch);
	void		(*end)(struct calls *calls);
};

extern const struct view tree_view;
extern const struct view folded_view;
extern const struct view autofdo_view;
extern const struct view profgen_view;
extern const struct view lcov_view;

/**
 * struct pair - two addresses that were counted
 * @first: the begin of a range, or the origin of a branch
 * @last: the last instruction of the range, or the target of the branch
 * @nr: how often
 */
struct pair {
	u64	first;
	u64	last;
	u64	nr;
};

/**
 * struct pairs - pairs in the order of their first address
 * @pairs: the pairs
 * @nr: how many there are
 */
struct pairs {
	const struct pair	*pairs;
	u32			nr;
};

/* branches.c */
bool branch_find(struct branch *branch, u64 from, u64 to);
bool branches_open(struct calls *calls, const struct view *to, const char *const *files,
		   unsigned int nr, bool modules);
void branches_put(struct calls *calls, struct task *task, struct tep_record *record);
u64 branches_end(struct calls *calls);
void branches_free(void);

/* places.c */
bool places_init(struct tep_handle *tep, bool modules);
void places_free(void);
struct place *place_find(u64 addr);
void place_decode(struct place *place);
const char *place_source(struct place *place);
void place_text(const struct place *place, bool func, char *text, size_t size);
unsigned int text_decode(u64 addr, enum bts_kind *kind, u64 *target);

/* images.c */
bool images_open(struct tep_handle *tep, const char *recording,
		 const char *const *files, unsigned int nr);
void images_close(void);
bool images_any(void);
unsigned int images_text(u64 addr, const u8 **text, bool *relocated);
struct image *image_find(u64 addr, u64 *inside);
bool image_linked(u64 addr, u64 *linked);
bool images_functions(bool (*func)(struct image *image, const char *name, u64 addr,
				   u64 inside, u64 size, void *data), void *data);

/* sources.c */
void source_texts(const char *dir);
char *source_find(struct image *image, u64 inside);
char *source_line(struct image *image, u64 inside, int *line);

/* coverage.c */
int coverage_put(const struct pairs *ranges, const struct pairs *taken);

#endif /* _TRACE_CALLS_BRANCHES_H */
