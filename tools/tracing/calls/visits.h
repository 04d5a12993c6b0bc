/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The calls of a task according to its branches, without the branches of ftrace
 *
 *	caller -> function		a call
 *	function -> trampoline		a visit at the entry, from the function's first
 *	...				instruction, or from the instruction after ENDBR64
 *	trampoline -> function+5
 *	...				the function's branches
 *	function -> return_to_handler	a visit at the return
 *	...
 *	return_to_handler -> caller
 *
 * The branches of a visit are ftrace's. The tree has a visit as one call.  Interrupts come in a
 * visit, and ftrace calls the scheduler: their calls are in the tree, above the visit.
 */
#ifndef _TRACE_CALLS_VISITS_H
#define _TRACE_CALLS_VISITS_H

#include "branches.h"

/* Maximum open calls with an event */
#define WALKER_CALLS	256

/* Maximum visits of ftrace that a task is in: interrupts come in ftrace, too */
#define WALKER_VISITS	64

/**
 * enum taken_kind - the code that took a branch
 * @TAKEN_CODE: code outside of ftrace
 * @TAKEN_LEAVE: code outside of ftrace, which returns to ftrace
 * @TAKEN_FTRACE: ftrace
 * @TAKEN_RETURN: ftrace, at the end of a visit at a return; the function's return is the
 *	walker's @end
 * @TAKEN_INTERRUPT: an interrupt or an exception, in the innermost call with an event
 */
enum taken_kind {
	TAKEN_CODE,
	TAKEN_LEAVE,
	TAKEN_FTRACE,
	TAKEN_RETURN,
	TAKEN_INTERRUPT,
};

/**
 * struct visit - a visit of ftrace, which runs code without the tree of calls
 * @index: its call in the tree; @from of the call is 0 if the branch to ftrace is missing
 * @is_exit: the visit is at a function's return, else at a function's entry
 * @ended: for a visit at a return, the @base of the outermost call that has an exit event,
 *	0 if there is none
 */
struct visit {
	unsigned int	index;
	bool		is_exit;
	unsigned int	ended;
};

/**
 * struct open_call - an open call with an event
 * @depth: the depth of the call in the graph
 * @base: number of open calls in the tree, with this call
 * @late: the condition of the call is decided at its return
 * @left: number of callees with events that have not begun
 * @opened: the tree below the call has an open callee without an event
 */
struct open_call {
	int		depth;
	unsigned int	base;
	bool		late;
	unsigned int	left;
	bool		opened;
};

/**
 * struct walker - a task
 * @node: the element of the hash
 * @pid: the task's number
 * @cpu: the CPU of its last event or branch
 * @missed: how often tasks had not been recorded before its last block, 0 if it is not known
 * @sets: for each depth, the set of signatures of the last entry event
 * @callees: for each depth, the number of callees of the last late entry; NULL if the last
 *	entry was not late, or stays in its place
 * @tree: the open calls according to the branches; a visit is a call
 * @visits: the visits in @tree. The last one runs if no call in @tree is above its call.
 * @nr_visits: number of elements of @visits
 * @calls: the open calls with events, the innermost call last
 * @nr_calls: number of elements of @calls
 * @held: the call that began with @branch is not shown yet
 * @branch: the branch
 * @end: the return of a function to its caller, after TAKEN_RETURN; it ends the calls that
 *	have no exit event
 */
struct walker {
	struct hash_node	node;
	int			pid;
	int			cpu;
	u64			missed;
	u32			sets[WALKER_CALLS];
	unsigned int		*callees[WALKER_CALLS];
	struct bts_tree		tree;
	struct visit		visits[WALKER_VISITS];
	unsigned int		nr_visits;
	struct open_call	calls[WALKER_CALLS];
	unsigned int		nr_calls;
	bool			held;
	struct branch		branch;
	struct branch		end;
};

/* The innermost open call that has an event, NULL if there is none */
static inline struct open_call *walker_call(struct walker *walker)
{
	return walker->nr_calls ? &walker->calls[walker->nr_calls - 1] : NULL;
}

struct walker *walker_find(int pid, int cpu);
void walker_open(struct walker *walker, int depth, unsigned int base, bool late,
		 unsigned int callees);
struct visit *walker_visit(struct walker *walker, bool is_exit);
void walker_trim(struct walker *walker, int depth);
enum taken_kind walker_take(struct walker *walker, struct branch *branch);
void walker_run(struct walker *walker, int cpu);
void walker_lose(struct walker *walker);
void walker_resume(struct walker *walker, const struct branch *branch);
void walkers_lose(int cpu, bool events);
void walkers_free(void);
bool visits_switched(const struct branch *branch);

#endif /* _TRACE_CALLS_VISITS_H */
