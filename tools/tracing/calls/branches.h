/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls branches: the branches of a recording
 *
 *   cmd-branches.c    the command
 *   branches.c        the blocks of branches, also for trace-calls perfetto
 *   branches-tree.c   branches as a tree of calls
 *   branches-folded.c branches as folded stacks
 *   branches-counts.c branches as a profile of vmlinux or a program
 *   branches-mispredicted.c  mispredicted branches by line of source
 *   branches-range.c  the code whose branches are shown
 *   insns.c           the number of instructions between branches
 *   alternatives.c    the instructions that the kernel replaces
 *   coverage.c        the lines and branches that ran, for lcov
 *   places.c          the symbol and the instruction of an address
 *   maps.c            the code of user space, by the maps in a recording
 *   images.c          the code of vmlinux and modules
 *   sources.c         the lines of source in vmlinux and modules
 *   branches-calls.c  branches under the calls of the function_graph tracer
 *   visits.h          the calls of a task, without ftrace's branches
 *
 * Blocks are decoded by kernel/trace/bts/codec.h.  ../traceevent/bts_tree.h finds the
 * calls that begin and end with a branch, and ../traceevent/bts_lines.c makes lines of
 * the branches.
 */
#ifndef _TRACE_CALLS_BRANCHES_H
#define _TRACE_CALLS_BRANCHES_H

#include <stdbool.h>

#include <linux/types.h>

#include "../../../kernel/trace/bts/codec.h"
#include "../traceevent/bts_event.h"

struct buffer;
struct calls;
struct image;
struct task;
struct tep_handle;
struct tep_record;

/**
 * struct branch_stack - a stack of calls of a task
 * @nr: its number, from 1 on
 * @flow: the flow that the task's branches are in now, NULL if the task does not run
 * @next: the next unused stack
 * @tree: the open calls
 * @begins: the branches that began the calls of @tree, NULL if the branches of all code are shown
 * @shown: number of these calls, from the outermost on, that the text has
 */
struct branch_stack {
	u32			nr;
	struct flow		*flow;
	struct branch_stack	*next;
	struct bts_tree		tree;
	struct branch		*begins;
	unsigned int		shown;
};

/**
 * struct flow - the branches of a CPU in one buffer
 * @buffer: the buffer
 * @cpu: the CPU
 * @task: the task that took the last branch, NULL before the first
 * @pid: the task that took the branches of @block
 * @stack: the task's stack of calls
 * @next: the expected number of the next branch
 * @number: the number of the branch in @dec
 * @next_record: the expected number of the next branch among all records of the CPU
 * @unwanted: a block had records that the instance did not want
 * @last: the target of the last branch, NULL if branches may be missing after it
 * @block: the block that is read
 * @dec: the position in the block
 * @time: the time of the block's drain
 * @offset: the offset of the block in the file
 * @begin: the text before each line; if NULL, the task, the CPU and the time
 */
struct flow {
	struct buffer		*buffer;
	int			cpu;
	struct task		*task;
	int			pid;
	struct branch_stack	*stack;
	u64			next;
	u64			number;
	u64			next_record;
	bool			unwanted;
	const struct place	*last;
	struct bts_block	block;
	struct bts_decoder	dec;
	u64			time;
	u64			offset;
	const char		*begin;
};

/**
 * struct view - an output format of branches
 * @name: the name of the format
 * @text: the format needs code: vmlinux, a module, or a file of user space
 * @samples: the format has a use for a part of the branches
 * @note: handles a note before the next branch; may be NULL
 * @stack: called with the origin of the next branch, while the flow's tree has the calls
 *	that are open at the origin; may be NULL
 * @branch: handles a branch, after the flow's tree has followed the branch; may be NULL
 * @skip: handles a branch that --range leaves out, like @branch; may be NULL
 * @end: called after the last branch
 */
struct view {
	const char	*name;
	bool		text;
	bool		samples;
	void		(*note)(struct calls *calls, struct flow *flow, const char *text);
	void		(*stack)(struct calls *calls, struct flow *flow,
				 const struct place *from);
	void		(*branch)(struct calls *calls, struct flow *flow,
				  const struct branch *branch);
	void		(*skip)(struct calls *calls, struct flow *flow,
				const struct branch *branch);
	void		(*end)(struct calls *calls);
};

extern const struct view tree_view;
extern const struct view folded_view;
extern const struct view autofdo_view;
extern const struct view profgen_view;
extern const struct view lcov_view;
extern const struct view mispredicted_view;

/**
 * struct range - the code from the target of a branch to the origin of the next branch
 * @image: the image of the origin, NULL if its code is not known
 * @first: the target according to libdwfl
 * @last: the origin according to libdwfl
 * @known: the CPU ran the instructions from @first to @last, one after the other
 */
struct range {
	struct image	*image;
	u64		first;
	u64		last;
	bool		known;
};

/**
 * struct pair - two addresses according to libdwfl, with a number
 * @node: the element of the hash
 * @first: the start of a range, or the origin of a branch
 * @last: the last instruction of the range, or the target of the branch
 * @nr: the count, 0 at first
 */
struct pair {
	struct hash_node	node;
	u64			first;
	u64			last;
	u64			nr;
};

/**
 * struct pairs - pairs in the order of their addresses
 * @pairs: the pairs
 * @nr: number of elements of @pairs
 */
struct pairs {
	struct pair	*pairs;
	u32		nr;
};

/**
 * struct branches_choice - the options that several files need
 * @binary: the path of the program or library that the profile is of, on the recorded machine;
 *	NULL for vmlinux
 * @source: the folder of the kernel's source, NULL if the text of lines is not shown
 * @sysroot: the folder in which the files of user space are, "" for the root
 * @modules: the symbols of modules in the recording are used
 * @every: the branches are shown whose number is a multiple of this, 0 to show all. The number of
 *	a branch is the number of branches that the buffer got from the CPU before.
 * @all: with --calls, each branch is in a line of its own, also branches of ftrace
 * @calls: the tree has only the calls and their ends
 * @insns: the tree has the number of instructions of each branch
 * @alone: the tree has each branch in a line of its own, without braces and loops
 * @part: only the branches of some code are shown, with the calls around them
 */
struct branches_choice {
	const char	*binary;
	const char	*source;
	const char	*sysroot;
	bool		modules;
	u64		every;
	bool		all;
	bool		calls;
	bool		insns;
	bool		alone;
	bool		part;
};

extern struct branches_choice branches_choice;

/* branches.c */
bool flow_read(struct calls *calls, struct flow *flow, struct tep_record *record);
bool flow_begin_block(struct calls *calls, struct flow *flow,
		      void (*note)(struct calls *calls, struct flow *flow, const char *text));
int flow_next(struct calls *calls, struct flow *flow);
void flow_find(const struct flow *flow, struct branch *branch);
void branch_find(struct branch *branch, u64 from, u64 to);
bool branches_is_block(const struct calls *calls, struct tep_record *record);
bool branches_open(struct calls *calls, const struct view *to);
void branches_put(struct calls *calls, struct task *task, struct tep_record *record, u64 shown);
u64 branches_end(struct calls *calls);
void branches_free(void);

/* branches-calls.c */
void branches_merge(struct calls *calls);

/* branches-range.c */
bool range_add(const char *text);
bool range_has_place(struct place *place);
bool range_has(const struct branch *branch);
bool range_check(const char *file);
void range_free(void);

/* places.c */
bool places_init(struct tep_handle *tep, bool modules);
void places_close(void);
void places_use(struct places *user);
struct place *place_find(u64 addr);
void place_decode(struct place *place);
const char *place_source(struct place *place);
const char *place_text(const struct place *place, bool func, char *text, size_t size);
struct image *place_image(const struct place *place, u64 *inside);
struct range range_find(const struct place *first, const struct place *last);
unsigned int code_decode(const u8 *text, unsigned int size, u64 addr, enum bts_kind *kind,
			 u64 *target);
unsigned int image_decode(const struct image *image, u64 inside, enum bts_kind *kind,
			  u64 *target);

/* maps.c */
void maps_open(struct calls *calls);
void maps_use(const struct flow *flow);
struct image *maps_image(const char *path);
void maps_close(void);

/* insns.c */
u32 insns_count(const struct place *first, const struct branch *branch);

/* images.c */
void images_name(const char *file);
bool images_open(struct tep_handle *tep, const char *recording);
void images_close(void);
struct image *images_all(void);
struct image *image_find(u64 addr, u64 *inside);
struct pair *pair_find(struct hash *hash, u64 first, u64 last);
struct pairs pairs_sort(const struct hash *hash);

/* sources.c */
char *source_find(struct image *image, u64 inside);
char *source_line(struct image *image, u64 inside, int *line);

/* coverage.c */
bool coverage_put(void);

#endif /* _TRACE_CALLS_BRANCHES_H */
