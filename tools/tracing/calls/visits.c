// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of a task according to its branches, without the branches of ftrace
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "visits.h"

#define WALKER_BITS	8

/**
 * enum role - the role of an address for ftrace
 * @ROLE_UNSET: not known yet
 * @ROLE_NONE: nothing
 * @ROLE_TRAMPOLINE: begin of a visit at an entry
 * @ROLE_HANDLER: in return_to_handler(), which a visit at a return begins with
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
	ROLE_SCHEDULE,
	ROLE_SWITCH,
	ROLE_FORK,
	ROLE_IRET,
};

static const struct {
	const char	*name;
	enum role	role;
	bool		inside;	/* the whole symbol */
} roles[] = {
	{ "ftrace_caller", ROLE_TRAMPOLINE },
	{ "ftrace_regs_caller", ROLE_TRAMPOLINE },
	{ "ftrace_trampoline", ROLE_TRAMPOLINE },
	{ "return_to_handler", ROLE_HANDLER, true },
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
		return bts_is_kernel(place->addr) && !images_text(place->addr, NULL, NULL) ?
			ROLE_TRAMPOLINE : ROLE_NONE;
	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (strcmp(place->name, roles[i].name))
			continue;
		if (roles[i].inside || place->entry)
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
	if (role_of(to) != ROLE_TRAMPOLINE || !bts_is_kernel(from->addr))
		return false;
	/* Exclude a return to the trampoline from an interrupt, or by a return thunk */
	if (role_of(from) == ROLE_IRET ||
	    (from->insn != BTS_KIND_NONE && from->insn != BTS_KIND_CALL))
		return false;
	return from->entry || (!from->name && from->called);
}

/**
 * visits_switched - whether a branch is the first branch of the next task
 * @branch: the branch
 *
 * __switch_to() also calls functions for the previous task.
 *
 * Return: true if so, false otherwise.
 */
bool visits_switched(const struct branch *branch)
{
	enum role to = role_of(branch->to);

	return role_of(branch->from) == ROLE_SWITCH && to != ROLE_SWITCH &&
	       (!branch->to->entry || to == ROLE_FORK);
}

/**
 * walker_find - find a task
 * @pid: the task's number
 * @cpu: the CPU, which has an idle task of its own
 *
 * Return: the task.
 */
struct walker *walker_find(int pid, int cpu)
{
	u64 key = (u64)(u32)pid << 32 | (u32)(pid ? 0 : cpu + 1);
	struct hash_node *node;
	struct walker *walker;

	if (!walkers.slots && !hash_init(&walkers, WALKER_BITS))
		out_of_memory();
	for (node = *hash_slot(&walkers, key); node; node = node->next)
		if (node->key == key)
			return container_of(node, struct walker, node);
	walker = xcalloc(1, sizeof(*walker));
	walker->pid = pid;
	hash_add(&walkers, &walker->node, key);
	return walker;
}

/**
 * walker_trim - end calls that have events
 * @walker: the task
 * @depth: the depth of the calls in the graph; deeper calls end, too
 */
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

static enum walk_level level_of(const struct walker *walker)
{
	return walker->tree.nr ? walker->levels[walker->tree.nr - 1].level : LEVEL_CODE;
}

/**
 * walker_lose - forget the calls without events, because branches are missing
 * @walker: the task
 */
void walker_lose(struct walker *walker)
{
	unsigned int i;

	bts_tree_reset(&walker->tree);
	walker->held = false;
	for (i = 0; i < walker->nr_calls; i++)
		walker->calls[i].base = 0;
}

/**
 * walkers_lose - forget the calls of all tasks on a CPU
 * @cpu: the CPU
 * @events: events are missing, else branches are missing
 */
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

/**
 * walker_run - a task runs
 * @walker: the task
 * @cpu: the CPU
 *
 * ftrace disables preemption. So branches are missing if a task in ftrace changes the CPU.
 */
void walker_run(struct walker *walker, int cpu)
{
	if (walker->cpu != cpu && level_of(walker) >= LEVEL_FTRACE)
		walker_lose(walker);
	walker->cpu = cpu;
}

static void push(struct walker *walker, const struct bts_frame *frame, enum walk_level level)
{
	walker->levels[walker->tree.nr] = (struct walker_level){ .level = level };
	walker->tree.frames[walker->tree.nr++] = *frame;
}

/**
 * walker_visit - find the visit of ftrace that a task is in
 * @walker: the task, for which ftrace writes an event
 * @func: the function
 * @is_exit: the event is of the function's return
 *
 * The branch to ftrace may be missing.
 *
 * Return: the index of the visit in the tree.
 */
unsigned int walker_visit(struct walker *walker, u64 func, bool is_exit)
{
	const struct bts_frame frame = {
		.from	= is_exit ? 0 : func,
		.kind	= is_exit ? BTS_KIND_RETURN : BTS_KIND_CALL,
	};
	unsigned int i;

	if (walker->tree.nr == BTS_TREE_DEPTH)
		walker_lose(walker);
	if (level_of(walker) < LEVEL_FTRACE)
		push(walker, &frame, is_exit ? LEVEL_EXIT : LEVEL_ENTRY);
	for (i = walker->tree.nr - 1; walker->levels[i].level == LEVEL_FTRACE; i--)
		;
	return i;
}

/**
 * walker_resume - a task is back, and its way out of the CPU was not recorded
 * @walker: the task
 * @branch: the branch from __switch_to(), which returns to the function that the task has left
 *	the CPU in
 */
void walker_resume(struct walker *walker, const struct branch *branch)
{
	const struct bts_frame frame = {
		.func	= branch->from->func,
		.ret	= branch->to->addr,
		.kind	= BTS_KIND_CALL,
	};
	struct bts_tree *tree = &walker->tree;
	unsigned int i = tree->nr;

	while (i && (!branch->to->func || tree->frames[i - 1].func != branch->to->func))
		i--;
	if (!i || i == BTS_TREE_DEPTH) {
		walker_lose(walker);
		return;
	}
	tree->nr = i;
	push(walker, &frame, LEVEL_CODE);
}

/* Add the call if its branches are missing, or if it was a jump in the function */
static void enter_function(struct walker *walker, const struct place *from)
{
	const struct bts_tree *tree = &walker->tree;
	const struct bts_frame frame = {
		.func	= from->func ?: from->addr,
		.kind	= BTS_KIND_JUMP,
	};

	if (!tree->nr || bts_frame_is_gate(&tree->frames[tree->nr - 1]) ||
	    (from->func && tree->frames[tree->nr - 1].func != from->func))
		push(walker, &frame, LEVEL_CODE);
}

/* Whether an interrupt came in the innermost open call that has an event */
static bool in_interrupt(struct walker *walker)
{
	const struct open_call *call = walker_call(walker);
	unsigned int i;

	for (i = walker->tree.nr; call && i > call->base; i--)
		if (bts_frame_is_gate(&walker->tree.frames[i - 1]) ||
		    walker->levels[i - 1].level == LEVEL_SCHEDULE)
			return true;
	return false;
}

/*
 * End a visit at a return: follow the function's return to its caller. The lines of exit
 * events are the ends of the innermost calls.
 */
static enum taken_kind end_return(struct walker *walker, const struct branch *branch)
{
	unsigned int i = walker_visit(walker, 0, true), ended = walker->levels[i].ended, closed;
	struct bts_tree *tree = &walker->tree;
	struct bts_move *move = &walker->end.move;
	enum taken_kind kind;

	tree->nr = i;
	branch_find(&walker->end, tree->frames[i].from ?: branch->from->addr,
		    branch->to->addr);
	kind = level_of(walker) >= LEVEL_FTRACE || in_interrupt(walker) ? TAKEN_FTRACE :
									 TAKEN_RETURN;
	bts_tree_next(tree, &walker->end);
	closed = ended && move->depth >= ended ? move->depth - ended + 1 : 0;
	move->leave -= min(move->leave, closed);
	move->depth -= closed;
	return kind;
}

/**
 * walker_take - follow the next branch of a task
 * @walker: the task
 * @branch: the branch; its @move is set, unless a visit at a return ends
 *
 * Return: the code that took the branch.
 */
enum taken_kind walker_take(struct walker *walker, struct branch *branch)
{
	struct place *from = branch->from, *to = branch->to;
	bool jump = to->gate == BTS_KIND_NONE && role_of(from) != ROLE_IRET;
	bool handler = role_of(from) == ROLE_HANDLER, ftrace;
	struct bts_tree *tree = &walker->tree;
	enum walk_level level = LEVEL_CODE;
	struct place trampoline;
	enum taken_kind kind;

	/* A full tree would forget half of its calls, and enter_function() adds a call */
	if (role_of(to) == ROLE_FORK || tree->nr > BTS_TREE_DEPTH - 2)
		walker_lose(walker);
	ftrace = level_of(walker) >= LEVEL_FTRACE;
	kind = ftrace ? TAKEN_FTRACE : in_interrupt(walker) ? TAKEN_INTERRUPT : TAKEN_CODE;
	if (ftrace && jump && handler && role_of(to) != ROLE_HANDLER && !to->entry)
		return end_return(walker, branch);
	if (jump && enters_ftrace(from, to)) {
		if (!ftrace)
			enter_function(walker, from);
		/* A trampoline may have no symbol */
		trampoline = *to;
		trampoline.entry = true;
		trampoline.func = to->func ?: to->addr;
		branch->to = &trampoline;
		level = LEVEL_ENTRY;
		kind = TAKEN_FTRACE;
	} else if (jump && role_of(to) == ROLE_HANDLER && to->entry && !handler) {
		level = LEVEL_EXIT;
		if (kind == TAKEN_CODE)
			kind = TAKEN_LEAVE;
	}
	bts_tree_next(tree, branch);
	branch->to = to;
	/* A visit does not end before ftrace returns */
	if (branch->move.lost && ftrace)
		tree->nr = branch->move.depth;
	if (branch->move.enter) {
		if (level == LEVEL_CODE && to->gate == BTS_KIND_NONE && tree->nr > 1 &&
		    walker->levels[tree->nr - 2].level >= LEVEL_FTRACE)
			level = role_of(to) == ROLE_SCHEDULE ? LEVEL_SCHEDULE : LEVEL_FTRACE;
		walker->levels[tree->nr - 1] = (struct walker_level){ .level = level };
	}
	if (kind == TAKEN_CODE && branch->move.enter && walker_call(walker) &&
	    bts_frame_is_gate(&tree->frames[tree->nr - 1]))
		kind = TAKEN_INTERRUPT;
	return kind;
}

static void free_walker(struct hash_node *node)
{
	free(container_of(node, struct walker, node));
}

/**
 * walkers_free - free all tasks
 */
void walkers_free(void)
{
	hash_free(&walkers, free_walker);
}
