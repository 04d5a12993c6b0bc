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
 * The branches of a visit are ftrace's. The tree of calls has the function's return to its
 * caller instead of the visit at the return.
 */
#ifndef _TRACE_CALLS_VISITS_H
#define _TRACE_CALLS_VISITS_H

#include "branches.h"

/* Maximum nested visits, and maximum open calls with an event */
#define WALKER_VISITS	64
#define WALKER_CALLS	256

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
 * enum visit_kind - the code that a task is in
 * @VISIT_ENTRY: in ftrace, at a function's entry
 * @VISIT_EXIT: in ftrace, at a function's return
 * @VISIT_GATE: in an interrupt or in the scheduler, which came in ftrace
 */
enum visit_kind {
	VISIT_ENTRY,
	VISIT_EXIT,
	VISIT_GATE,
};

/**
 * struct visit - a run of ftrace's code, or an interrupt in it
 * @kind: the kind
 * @depth: number of open calls in the tree
 * @from: the origin of the branch to ftrace, or the function if this branch is missing
 * @ended: at a return, the @base of the outermost call that has an exit event; 0 if there
 *	is none
 * @end: at a return, the branch to ftrace; its @from is NULL if it is missing
 */
struct visit {
	enum visit_kind	kind;
	unsigned int	depth;
	struct place	*from;
	unsigned int	ended;
	struct branch	end;
};

/**
 * struct open_call - an open call with an event
 * @depth: the depth of the call in the graph
 * @base: number of open calls in the tree, with this call
 * @late: the condition of the call is decided at its return
 * @left: number of callees with events that have not begun
 */
struct open_call {
	int		depth;
	unsigned int	base;
	bool		late;
	unsigned int	left;
};

/**
 * struct walker - a task
 * @node: the element of the hash
 * @pid: the task's number
 * @cpu: the CPU of its last event or branch
 * @sets: for each depth, the set of signatures of the last entry event
 * @callees: for each depth, the number of callees of the last late entry; NULL if the last
 *	entry was not late
 * @tree: the open calls according to the branches
 * @visits: the visits that the task is in, the innermost visit last
 * @nr_visits: number of elements of @visits
 * @calls: the open calls with events, the innermost call last
 * @nr_calls: number of elements of @calls
 * @held: the call that began with @branch is not shown yet
 * @branch: the branch
 * @ended: @ended of the last visit at a return
 * @end: the return of a function to its caller, after TAKEN_RETURN
 */
struct walker {
	struct hash_node	node;
	int			pid;
	int			cpu;
	u32			sets[WALKER_CALLS];
	unsigned int		*callees[WALKER_CALLS];
	struct bts_tree		tree;
	struct visit		visits[WALKER_VISITS];
	unsigned int		nr_visits;
	struct open_call	calls[WALKER_CALLS];
	unsigned int		nr_calls;
	bool			held;
	struct branch		branch;
	unsigned int		ended;
	struct branch		end;
};

struct walker *walker_find(int pid, int cpu);
void walker_open(struct walker *walker, int depth, bool late, unsigned int callees);
struct visit *walker_visit(struct walker *walker, u64 func, bool is_exit);
void walker_trim(struct walker *walker, int depth);
struct open_call *walker_call(struct walker *walker);
enum taken_kind walker_take(struct walker *walker, struct branch *branch);
void walker_lose(struct walker *walker);
void walkers_lose(int cpu, bool events);
void walkers_free(void);
bool visits_known(u64 func);
bool visits_switching(const struct branch *branch);
bool visits_switched(const struct branch *branch);

#endif /* _TRACE_CALLS_VISITS_H */
