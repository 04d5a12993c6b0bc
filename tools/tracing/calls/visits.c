// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of a task according to its branches, without the branches of ftrace
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "arrays.h"
#include "calls.h"
#include "visits.h"

#define WALKER_BITS	8
#define PAGE_BITS	12

/**
 * enum role - the role of an address for ftrace
 * @ROLE_UNSET: not known yet
 * @ROLE_NONE: nothing
 * @ROLE_TRAMPOLINE: in a trampoline, which a visit at an entry begins and ends with
 * @ROLE_HANDLER: in return_to_handler(), which a visit at a return begins and ends with
 * @ROLE_ENTRY: in another function that runs only in a visit at an entry
 * @ROLE_EXIT: in another function that runs only in a visit at a return
 * @ROLE_SCHEDULE: ftrace calls the scheduler when it enables preemption again
 * @ROLE_SWITCH: in __switch_to(), which returns with the stack of the next task
 * @ROLE_FORK: start of a task
 * @ROLE_IRET: the return from an interrupt, which has a symbol of its own
 */
enum role {
	ROLE_UNSET,
	ROLE_NONE,
	ROLE_TRAMPOLINE,
	ROLE_HANDLER,
	ROLE_ENTRY,
	ROLE_EXIT,
	ROLE_SCHEDULE,
	ROLE_SWITCH,
	ROLE_FORK,
	ROLE_IRET,
};

static const struct {
	const char	*names;		/* a pattern for fnmatch() */
	enum role	role;
	bool		inside;		/* the whole symbol */
} roles[] = {
	{ "ftrace_caller*", ROLE_TRAMPOLINE, true },
	{ "ftrace_regs_caller*", ROLE_TRAMPOLINE, true },
	{ "ftrace_trampoline", ROLE_TRAMPOLINE, true },
	{ "return_to_handler", ROLE_HANDLER, true },
	{ "ftrace_graph_func", ROLE_ENTRY, true },
	{ "function_graph_enter*", ROLE_ENTRY, true },
	{ "trace_graph_entry*", ROLE_ENTRY, true },
	{ "ftrace_return_to_handler", ROLE_EXIT, true },
	{ "trace_graph_return*", ROLE_EXIT, true },
	{ "preempt_schedule_notrace", ROLE_SCHEDULE },
	{ "__switch_to", ROLE_SWITCH, true },
	{ "ret_from_fork_asm", ROLE_FORK },
	{ "native_irq_return_iret", ROLE_IRET },
};

static struct hash walkers;

static enum role find_role(const struct place *place)
{
	unsigned int i;

	if (!place->name)
		return bts_is_kernel(place->addr) && !image_find(place->addr, NULL) ?
			ROLE_TRAMPOLINE : ROLE_NONE;
	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if ((roles[i].inside || place->entry) && !fnmatch(roles[i].names, place->name, 0))
			return roles[i].role;
	}
	return ROLE_NONE;
}

static enum role role_of(struct place *place)
{
	if (place->role == ROLE_UNSET)
		place->role = find_role(place);
	return place->role;
}

/* Whether a branch is a function's call of ftrace, which the kernel has patched in */
static bool enters_ftrace(struct place *from, struct place *to)
{
	if (role_of(to) != ROLE_TRAMPOLINE || (to->name && !to->entry) ||
	    !bts_is_kernel(from->addr))
		return false;
	/* Exclude a return to the trampoline from an interrupt, or by a return thunk */
	if (role_of(from) == ROLE_IRET ||
	    (from->insn != BTS_KIND_NONE && from->insn != BTS_KIND_CALL))
		return false;
	return from->entry || (!from->name && from->called);
}

/*
 * Whether a branch is the first branch of the next task. __switch_to() also calls functions for
 * the previous task.
 */
bool visits_switched(const struct branch *branch)
{
	enum role to = role_of(branch->to);

	return role_of(branch->from) == ROLE_SWITCH && to != ROLE_SWITCH &&
	       (!branch->to->entry || to == ROLE_FORK);
}

/* Find a task. Each CPU has an idle task of its own. */
struct walker *walker_find(int pid, int cpu)
{
	u64 key = (u64)(u32)pid << 32 | (u32)(pid ? 0 : cpu + 1);
	struct hash_node *node;
	struct walker *walker;

	if (!walkers.slots && !hash_init(&walkers, WALKER_BITS))
		out_of_memory();
	node = hash_find(&walkers, key);
	if (node)
		return container_of(node, struct walker, node);
	walker = xcalloc(1, sizeof(*walker));
	walker->pid = pid;
	hash_add(&walkers, &walker->node, key);
	return walker;
}

/* End calls that have events, from @depth in the graph on */
void walker_trim(struct walker *walker, int depth)
{
	while (walker->nr_calls && walker->calls[walker->nr_calls - 1].depth >= depth)
		walker->nr_calls--;
}

/**
 * walker_open - begin a call that has an event
 * @walker: the task
 * @depth: the depth of the call in the graph, below WALKER_CALLS
 * @base: number of open calls in the tree, with this call
 * @late: the condition of the call is decided at its return
 * @callees: then the number of callees with events
 */
void walker_open(struct walker *walker, int depth, unsigned int base, bool late,
		 unsigned int callees)
{
	struct open_call *caller;

	walker_trim(walker, depth);
	caller = walker_call(walker);
	if (caller && caller->depth == depth - 1 && caller->left)
		caller->left--;
	walker->calls[walker->nr_calls++] = (struct open_call){
		.depth	= depth,
		.base	= base,
		.late	= late,
		.left	= callees,
	};
}

/* The visit that runs, NULL if other code runs */
static struct visit *walker_visiting(struct walker *walker)
{
	struct visit *visit = &walker->visits[walker->nr_visits - 1];

	return walker->nr_visits && visit->index == walker->tree.nr - 1 ? visit : NULL;
}

/* Forget the calls without events, because branches are missing */
void walker_lose(struct walker *walker)
{
	unsigned int i;

	bts_tree_reset(&walker->tree);
	walker->nr_visits = 0;
	walker->held = false;
	for (i = 0; i < walker->nr_calls; i++)
		walker->calls[i].base = 0;
}

/* Forget the calls of all tasks on a CPU, because events or else branches are missing */
void walkers_lose(int cpu, bool events)
{
	struct hash_node *node;
	struct walker *walker;
	unsigned int i;

	for (i = 0; i < hash_size(&walkers); i++) {
		for (node = walkers.slots[i]; node; node = node->next) {
			walker = container_of(node, struct walker, node);
			if (walker->cpu != cpu)
				continue;
			if (events)
				walker->nr_calls = 0;
			else
				walker_lose(walker);
		}
	}
}

/*
 * Let a task run on a CPU. ftrace disables preemption. So branches are missing if a task in ftrace
 * changes the CPU.
 */
void walker_run(struct walker *walker, int cpu)
{
	if (walker->cpu != cpu && walker_visiting(walker))
		walker_lose(walker);
	walker->cpu = cpu;
}

static void push(struct walker *walker, u64 from, u64 to, enum bts_kind kind)
{
	walker->tree.frames[walker->tree.nr++] = (struct bts_frame){
		.func	= to,
		.from	= from,
		.kind	= kind,
	};
}

/* Begin a visit. @from is 0 if the branch to ftrace is missing. */
static struct visit *begin_visit(struct walker *walker, u64 from, u64 to, bool is_exit)
{
	struct visit *visit;

	if (walker->nr_visits == WALKER_VISITS || walker->tree.nr == BTS_TREE_DEPTH)
		walker_lose(walker);
	visit = &walker->visits[walker->nr_visits++];
	*visit = (struct visit){ .index = walker->tree.nr, .is_exit = is_exit };
	push(walker, from, to, is_exit ? BTS_KIND_RETURN : BTS_KIND_CALL);
	return visit;
}

/*
 * Find the visit of ftrace in which ftrace writes an event. The branch to ftrace may be missing.
 * Then ftrace made the calls since the last interrupt.
 */
struct visit *walker_visit(struct walker *walker, bool is_exit)
{
	struct visit *visit = walker_visiting(walker);
	struct bts_tree *tree = &walker->tree;
	unsigned int least;

	if (visit)
		return visit;
	least = walker->nr_visits ? walker->visits[walker->nr_visits - 1].index + 2 : 0;
	while (tree->nr > least && !bts_frame_is_gate(&tree->frames[tree->nr - 1]))
		tree->nr--;
	return begin_visit(walker, 0, 0, is_exit);
}

/* Forget the visits whose calls have ended in the tree */
static void end_visits(struct walker *walker)
{
	while (walker->nr_visits && walker->visits[walker->nr_visits - 1].index >= walker->tree.nr)
		walker->nr_visits--;
}

static void follow(struct walker *walker, struct branch *branch)
{
	bts_tree_next(&walker->tree, branch);
	end_visits(walker);
}

/*
 * Let a task be back whose way out of the CPU was not recorded. The branch from __switch_to()
 * returns to the function that the task has left the CPU in.
 */
void walker_resume(struct walker *walker, const struct branch *branch)
{
	struct bts_tree *tree = &walker->tree;
	unsigned int i = tree->nr;

	while (i && (!branch->to->func || tree->frames[i - 1].func != branch->to->func))
		i--;
	if (!i || i == BTS_TREE_DEPTH) {
		walker_lose(walker);
		return;
	}
	tree->nr = i;
	end_visits(walker);
	push(walker, 0, branch->from->func, BTS_KIND_CALL);
	tree->frames[i].ret = branch->to->addr;
}

/* Add the call if its branches are missing, or if it was a jump in the function */
static void enter_function(struct walker *walker, const struct place *from)
{
	const struct bts_tree *tree = &walker->tree;

	if (!tree->nr || bts_frame_is_gate(&tree->frames[tree->nr - 1]) ||
	    (from->func && tree->frames[tree->nr - 1].func != from->func))
		push(walker, 0, from->func ?: from->addr, BTS_KIND_JUMP);
}

/*
 * Whether an interrupt came in the innermost open call that has an event, or the scheduler that
 * ftrace has called runs
 */
static bool in_interrupt(struct walker *walker)
{
	const struct open_call *call = walker_call(walker);
	unsigned int i;

	if (!call)
		return false;
	for (i = walker->nr_visits; i && walker->visits[i - 1].index >= call->base; i--)
		if (walker->visits[i - 1].index + 1 < walker->tree.nr)
			return true;
	for (i = walker->tree.nr; i > call->base; i--)
		if (bts_frame_is_gate(&walker->tree.frames[i - 1]))
			return true;
	return false;
}

/*
 * End a visit at a return: follow the function's return to its caller. The lines of exit
 * events are the ends of the innermost calls.
 */
static enum taken_kind end_return(struct walker *walker, const struct visit *visit,
				  const struct branch *branch)
{
	struct bts_tree *tree = &walker->tree;
	struct bts_move *move = &walker->end.move;
	unsigned int ended = visit->ended, closed;
	enum taken_kind kind;

	branch_find(&walker->end, tree->frames[visit->index].from ?: branch->from->addr,
		    branch->to->addr);
	tree->nr = visit->index;
	end_visits(walker);
	if (walker_visiting(walker))
		return TAKEN_FTRACE;
	kind = in_interrupt(walker) ? TAKEN_FTRACE : TAKEN_RETURN;
	follow(walker, &walker->end);
	closed = ended && move->depth >= ended ? move->depth - ended + 1 : 0;
	move->leave -= min(move->leave, closed);
	move->depth -= closed;
	return kind;
}

/* Whether an address is in a function that only visits run */
static bool in_ftrace(struct place *place)
{
	return role_of(place) >= ROLE_HANDLER && role_of(place) <= ROLE_EXIT;
}

/*
 * Whether a branch leaves a trampoline to the function that has called it. A function of a module
 * may have no name, as the trampoline.
 */
static bool leaves_trampoline(struct place *from, struct place *to)
{
	return role_of(from) == ROLE_TRAMPOLINE && !to->entry &&
	       (role_of(to) != ROLE_TRAMPOLINE || (from->addr ^ to->addr) >> PAGE_BITS);
}

/*
 * Follow the next branch of a task, and find the code that took it. @move of the branch is set if
 * this code is not ftrace's.
 */
enum taken_kind walker_take(struct walker *walker, struct branch *branch)
{
	struct place *from = branch->from, *to = branch->to;
	enum role role = role_of(from), next = role_of(to);
	bool jump = to->gate == BTS_KIND_NONE && role != ROLE_IRET;
	struct bts_tree *tree = &walker->tree;
	enum taken_kind kind;
	struct visit *visit;
	bool enters, leaves;

	/* A full tree would forget half of its calls, and enter_function() adds a call */
	if (next == ROLE_FORK || tree->nr > BTS_TREE_DEPTH - 2)
		walker_lose(walker);
	/* No visit goes on in user space */
	if (!bts_is_kernel(to->addr)) {
		follow(walker, branch);
		return TAKEN_CODE;
	}
	leaves = jump && next == ROLE_HANDLER && to->entry && role != ROLE_HANDLER;
	visit = walker_visiting(walker);
	/* A visit runs, even if the branch to it is missing */
	if (!visit && (in_ftrace(from) || (jump && in_ftrace(to) && !leaves)))
		visit = begin_visit(walker, 0, 0, role != ROLE_ENTRY && next != ROLE_ENTRY);
	kind = visit ? TAKEN_FTRACE : in_interrupt(walker) ? TAKEN_INTERRUPT : TAKEN_CODE;
	if (visit && jump && role == ROLE_HANDLER && next != ROLE_HANDLER && !to->entry)
		return end_return(walker, visit, branch);
	enters = jump && enters_ftrace(from, to);
	if (enters && !visit)
		enter_function(walker, from);
	if (enters || leaves) {
		begin_visit(walker, from->addr, to->func ?: to->addr, leaves);
		return enters ? TAKEN_FTRACE : kind == TAKEN_CODE ? TAKEN_LEAVE : kind;
	}
	if (visit && jump && next != ROLE_SCHEDULE) {
		if (!tree->frames[visit->index].from && leaves_trampoline(from, to))
			tree->nr = visit->index;
		else if (!bts_tree_find_return(tree, to->addr))
			return kind;
	}
	follow(walker, branch);
	if (kind == TAKEN_CODE && branch->move.enter && walker_call(walker) &&
	    bts_frame_is_gate(&tree->frames[tree->nr - 1]))
		kind = TAKEN_INTERRUPT;
	return kind;
}

void walkers_free(void)
{
	hash_free(&walkers, NULL);
}
