// SPDX-License-Identifier: GPL-2.0
/*
 * Find out what ftrace did, from the branches
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
 * The tree of bts/tree.h has the calls, without the calls of a visit.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "join.h"

/* Maximum branches of a visit. If a visit has more, its end was missed. */
#define MAX_LENGTH	1000000

#define KNOWN_BITS	10

/**
 * enum role - the role of an address for ftrace
 * @ROLE_UNSET: not known yet
 * @ROLE_NONE: nothing
 * @ROLE_TRAMPOLINE: begin of a visit at an entry
 * @ROLE_HANDLER: in return_to_handler()
 * @ROLE_HANDLER_BEGIN: begin of a visit at a return
 * @ROLE_RESERVE: ring_buffer_lock_reserve()
 * @ROLE_COMMIT: ring_buffer_unlock_commit()
 * @ROLE_SCHEDULE: ftrace calls the scheduler when it enables preemption again
 * @ROLE_SWITCH: in __switch_to()
 * @ROLE_SWITCH_BEGIN: the stack of the next task is in use from here on
 * @ROLE_FORK: start of a task
 * @ROLE_SCHEDULER: the tracer is called here when a task switches to another task
 * @ROLE_SCHEDULER_BEGIN: the first instruction of ROLE_SCHEDULER's function
 * @ROLE_IRET: the return from an interrupt, which has a symbol of its own
 */
enum role {
	ROLE_UNSET,
	ROLE_NONE,
	ROLE_TRAMPOLINE,
	ROLE_HANDLER,
	ROLE_HANDLER_BEGIN,
	ROLE_RESERVE,
	ROLE_COMMIT,
	ROLE_SCHEDULE,
	ROLE_SWITCH,
	ROLE_SWITCH_BEGIN,
	ROLE_FORK,
	ROLE_SCHEDULER,
	ROLE_SCHEDULER_BEGIN,
	ROLE_IRET,
};

static const struct {
	const char	*name;
	enum role	role;
	bool		inside;	/* also after the symbol's first instruction */
} roles[] = {
	{ "ftrace_caller", ROLE_TRAMPOLINE },
	{ "ftrace_regs_caller", ROLE_TRAMPOLINE },
	{ "ftrace_trampoline", ROLE_TRAMPOLINE },
	{ "return_to_handler", ROLE_HANDLER, true },
	{ "ring_buffer_lock_reserve", ROLE_RESERVE },
	{ "ring_buffer_unlock_commit", ROLE_COMMIT },
	{ "preempt_schedule_notrace", ROLE_SCHEDULE },
	{ "__switch_to", ROLE_SWITCH, true },
	{ "ret_from_fork_asm", ROLE_FORK },
	{ "__schedule", ROLE_SCHEDULER, true },
	{ "__traceiter_sched_switch", ROLE_SCHEDULER, true },
	{ "native_irq_return_iret", ROLE_IRET },
};

/* Hash of the functions that have events. 0 is an empty slot. */
static u64 *known;
static unsigned int known_bits, nr_known;

static enum role find_role(const struct place *place)
{
	unsigned int i;

	if (!place->name)
		return bts_is_kernel(place->addr) && !images_text(place->addr, NULL, NULL) ?
			ROLE_TRAMPOLINE : ROLE_NONE;
	for (i = 0; i < ARRAY_SIZE(roles); i++) {
		if (strcmp(place->name, roles[i].name))
			continue;
		if (roles[i].inside && place->addr == place->func)
			return roles[i].role + 1;
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

static bool in_handler(struct place *place)
{
	return role_of(place) == ROLE_HANDLER || role_of(place) == ROLE_HANDLER_BEGIN;
}

static u64 *known_slot(u64 func)
{
	u64 i = func * 0x9e3779b97f4a7c15ULL >> (64 - known_bits);

	while (known[i] && known[i] != func)
		i = (i + 1) & ((1 << known_bits) - 1);
	return &known[i];
}

/**
 * walk_known - note that a function has events
 * @func: the function's traced address
 */
void walk_known(u64 func)
{
	unsigned int old = known ? 1 << known_bits : 0, i;
	u64 *all = known, *slot;

	if (!func)
		return;
	if (2 * nr_known >= old) {
		known_bits = old ? known_bits + 1 : KNOWN_BITS;
		known = calloc(1 << known_bits, sizeof(*known));
		if (!known) {
			known = all;
			known_bits = old ? known_bits - 1 : 0;
			join.failed = true;
			return;
		}
		for (i = 0; i < old; i++)
			if (all[i])
				*known_slot(all[i]) = all[i];
		free(all);
	}
	slot = known_slot(func);
	nr_known += !*slot;
	*slot = func;
}

/**
 * walk_free - forget the functions that have events
 */
void walk_free(void)
{
	free(known);
}

/**
 * walk_switching - whether a task begins to switch to another task
 * @to: the target of its branch
 *
 * Return: true if so, false otherwise.
 */
bool walk_switching(struct place *to)
{
	return role_of(to) == ROLE_SWITCH_BEGIN;
}

/**
 * walk_scheduling - whether a task is in the scheduler
 * @to: the target of its branch
 *
 * Return: true if so, false otherwise.
 */
bool walk_scheduling(struct place *to)
{
	return role_of(to) == ROLE_SCHEDULER || role_of(to) == ROLE_SCHEDULER_BEGIN;
}

/**
 * walk_leaving - whether a task is about to leave the CPU
 * @to: the target of its branch
 *
 * Return: true if so, false otherwise.
 */
bool walk_leaving(struct place *to)
{
	return role_of(to) == ROLE_SWITCH || role_of(to) == ROLE_SWITCH_BEGIN;
}

/**
 * walk_back - handle the return of a task to the CPU, perhaps from another CPU
 * @walker: the task, which returns from __switch_to()
 */
void walk_back(struct walker *walker)
{
	walker->is_back = true;
	/* The calls of __switch_to_asm(), __schedule() and its caller end earlier */
	walker->back = walker->tree.nr > 3 ? walker->tree.nr - 3 : 0;
}

/**
 * walk_in_ftrace - whether a task is in ftrace
 * @walker: the task
 *
 * Return: true if so, false otherwise.
 */
bool walk_in_ftrace(const struct walker *walker)
{
	return walker->nr_visits && walker->visits[walker->nr_visits - 1].kind != VISIT_GATE;
}

/**
 * walk_switched - whether a branch is the first branch of the next task
 * @from: its origin
 * @to: its target
 *
 * __switch_to() also calls functions for the previous task.
 *
 * Return: true if so, false otherwise.
 */
bool walk_switched(struct place *from, struct place *to)
{
	return role_of(from) == ROLE_SWITCH && role_of(to) != ROLE_SWITCH &&
	       (!to->entry || role_of(to) == ROLE_FORK);
}

/**
 * visited_get - take a reference to a call
 * @call: the call, or NULL
 *
 * Return: the call.
 */
struct visited *visited_get(struct visited *call)
{
	if (call)
		call->refs++;
	return call;
}

/**
 * visited_put - give up a reference to a call
 * @call: the call, or NULL
 */
void visited_put(struct visited *call)
{
	struct visited *parent;

	while (call && !--call->refs) {
		parent = call->parent;
		free(call);
		call = parent;
	}
}

/**
 * written_put - free a written event
 * @written: the event
 */
void written_put(struct written *written)
{
	if (written->visit && written->visit->last == written)
		written->visit->last = NULL;
	visited_put(written->call);
	free(written);
}

/*
 * Handle the end of an interrupt in the reservation of an event. The event may follow the
 * interrupt.
 */
static void add_place(struct batch *batch, struct written *written)
{
	struct written *last = batch->nr_written ? batch->written[batch->nr_written - 1] : written;
	struct place_behind *place;

	written->interrupted = false;
	if (last == written) {
		written->inside = false;
		return;
	}
	place = array_add(&batch->places, &batch->nr_places, &batch->places_room,
			  sizeof(*place));
	if (!place) {
		join.failed = true;
		return;
	}
	*place = (struct place_behind){ .written = written, .last = last };
}

/* The event that a task was reserving when it was interrupted, NULL if there is none */
static struct written *interrupted_in(const struct walker *walker)
{
	const struct visit *visit;

	if (!walker->nr_visits)
		return NULL;
	visit = &walker->visits[walker->nr_visits - 1];
	return visit->kind != VISIT_GATE && visit->reserving ? visit->last : NULL;
}

/* End the innermost visit; @batch is NULL if branches are missing */
static void end_visit(struct walker *walker, struct batch *batch)
{
	struct visit *visit = &walker->visits[--walker->nr_visits];
	struct written *written = interrupted_in(walker);

	if (visit->last)
		visit->last->visit = NULL;
	if (visit->kind == VISIT_GATE && written && batch)
		add_place(batch, written);
}

/* Leave the calls deeper than @depth, and the visits in these calls */
static void leave_to(struct walker *walker, struct batch *batch, unsigned int depth,
		     unsigned int before)
{
	while (before > depth) {
		visited_put(walker->calls[--before]);
		walker->calls[before] = NULL;
	}
	while (walker->nr_visits && walker->visits[walker->nr_visits - 1].depth > depth)
		end_visit(walker, batch);
}

/**
 * walk_reset - forget the calls of a task, because branches are missing
 * @walker: the task
 */
void walk_reset(struct walker *walker)
{
	leave_to(walker, NULL, 0, walker->tree.nr);
	while (walker->nr_visits)
		end_visit(walker, NULL);
	bts_tree_reset(&walker->tree);
	walker->is_back = false;
}

static struct visit *push_visit(struct walker *walker, enum visit_kind kind)
{
	struct visit *visit;

	visit = &walker->visits[walker->nr_visits++];
	*visit = (struct visit){ .kind = kind, .depth = walker->tree.nr };
	return visit;
}

static void push_gate(struct walker *walker)
{
	struct written *written = interrupted_in(walker);

	if (written)
		written->interrupted = true;
	push_visit(walker, VISIT_GATE);
}

/*
 * Find the innermost call that ftrace has seen, in the @depth outermost calls.  Sets
 * @outside if an interrupt or the scheduler is between.
 */
static struct visited *find_call(const struct walker *walker, unsigned int depth,
				 bool *outside)
{
	*outside = false;
	while (depth--) {
		if (walker->calls[depth])
			return walker->calls[depth];
		if (walker->apart[depth] || bts_frame_is_gate(&walker->tree.frames[depth]))
			*outside = true;
	}
	return NULL;
}

static void push_frame(struct walker *walker, const struct place *from)
{
	struct bts_tree *tree = &walker->tree;

	tree->frames[tree->nr] = (struct bts_frame){
		.func	= from->func ?: from->addr,
		.kind	= BTS_KIND_JUMP,
	};
	walker->apart[tree->nr] = false;
	walker->calls[tree->nr++] = NULL;
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
	return from->entry || (!from->name && known && *known_slot(from->addr));
}

/* Whether a branch ends another visit than the known visit */
static bool leaves_ftrace(const struct visit *visit, struct place *from, struct place *to)
{
	if (to->entry || !bts_is_kernel(to->addr))
		return false;
	if (visit->kind == VISIT_ENTRY && in_handler(from))
		return !in_handler(to);
	return from->insn == BTS_KIND_NONE && role_of(from) == ROLE_TRAMPOLINE && to->name &&
	       role_of(to) != ROLE_TRAMPOLINE;
}

static bool visits_entry(struct walker *walker, struct taken *taken, int cpu, u64 nr,
			 bool nested)
{
	const struct place *from = taken->branch.from;
	struct bts_tree *tree = &walker->tree;
	struct visited *call;
	struct visit *visit;
	unsigned int top;
	bool outside;

	if (nested) {
		/* The tree does not have the calls of ftrace itself */
		visit = push_visit(walker, VISIT_ENTRY);
		visit->from = from->addr;
		visit->func = from->func;
		return true;
	}
	call = calloc(1, sizeof(*call));
	if (!call)
		return false;
	/* Add the call if its branches are missing, or if it was a jump in the function */
	if (!tree->nr || bts_frame_is_gate(&tree->frames[tree->nr - 1]) ||
	    (from->func && tree->frames[tree->nr - 1].func != from->func)) {
		push_frame(walker, from);
		taken->fresh = true;
	}
	taken->branch.move.depth = tree->nr;
	top = tree->nr - 1;
	call->refs = 1;
	call->func = from->addr;
	call->cpu = cpu;
	call->nr = nr;
	if (walker->calls[top]) {
		/* The function has called itself by a tail call */
		call->parent = walker->calls[top];
		call->tail = true;
	} else {
		call->parent = visited_get(find_call(walker, top, &outside));
		call->outside = outside;
		call->tail = bts_frame_is_tail(&tree->frames[top]);
	}
	walker->calls[top] = call;
	visit = push_visit(walker, VISIT_ENTRY);
	visit->from = from->addr;
	visit->func = from->func;
	visit->call = call;
	taken->entered = call;
	return true;
}

/* Begin a visit at a call's return. The last branch of @batch leads to ftrace. */
static void visits_exit(struct walker *walker, struct batch *batch, bool nested)
{
	struct visit *visit = push_visit(walker, VISIT_EXIT);
	struct visited *call;
	bool outside;

	if (nested)
		return;
	visit->batch = batch;
	visit->at = batch->nr_taken - 1;
	call = find_call(walker, walker->tree.nr, &outside);
	if (outside)
		call = NULL;
	while (call && call->left)
		call = call->tail ? call->parent : NULL;
	if (call)
		call->left = true;
	visit->call = call;
}

static bool reserves(struct batch *batch, struct visit *visit, u64 from)
{
	struct written *written;

	written = array_add_new(&batch->written, &batch->nr_written, &batch->written_room,
				sizeof(*written));
	if (!written)
		return false;
	/* Only the last event of a visit is the entry or exit event of the visited call */
	if (visit->last) {
		visit->last->kind = WRITTEN_LATE;
		visit->last->visit = NULL;
	}
	*written = (struct written){
		.kind	= visit->kind == VISIT_ENTRY ? WRITTEN_ENTRY : WRITTEN_EXIT,
		.call	= visited_get(visit->call),
		.visit	= visit,
		.at	= batch->nr_taken - 1,
		.gap	= batch->gap,
	};
	batch->gap = false;
	visit->last = written;
	visit->reserving = true;
	visit->reserver = from;
	return true;
}

/*
 * Store the number of calls that have ended with a return to ftrace.  The number is known
 * when the visit at the return ends.  If the return is in an earlier batch, the number is
 * stored for the second pass, because the earlier batch is already shown.
 */
static bool note_ends(const struct visit *visit, const struct batch *batch, unsigned int ends)
{
	struct batch *earlier = visit->batch;
	struct late_ends *late;

	if (earlier == batch)
		earlier->taken[visit->at].ends = ends;
	if (!earlier || earlier == batch || !join.first)
		return true;
	late = array_add(&earlier->ends, &earlier->nr_ends, &earlier->ends_room, sizeof(*late));
	if (!late)
		return false;
	*late = (struct late_ends){ .at = visit->at, .ends = ends };
	return true;
}

/* Forget the open calls, because the branches belong to other calls */
static void lose_calls(struct walker *walker, struct taken *taken)
{
	walk_reset(walker);
	visited_put(taken->call);
	taken->call = NULL;
	taken->returns = false;
	taken->branch.move = (struct bts_move){ .kind = BTS_KIND_JUMP };
	walker->is_lost = true;
}

/* Walk a branch of ftrace. Returns false if there is no memory. */
static bool walk_visit(struct walker *walker, struct taken *taken, struct batch *batch,
		       int cpu, u64 nr)
{
	const struct bts_branch *known = &taken->branch.known;
	struct visit *visit = &walker->visits[walker->nr_visits - 1];
	struct place *from = taken->branch.from, *to = taken->branch.to;
	struct bts_move *move = &taken->branch.move;
	enum role role = role_of(to);

	taken->kind = TAKEN_FTRACE;
	visit->length++;
	if (known->gate != BTS_KIND_NONE || role == ROLE_SCHEDULE) {
		unsigned int before = walker->tree.nr;

		bts_tree_next(&walker->tree, known, move);
		/* In a damaged recording, the interrupt may be from user space */
		leave_to(walker, batch, walker->tree.nr - move->enter, before);
		if (!move->enter)
			return true;
		walker->calls[walker->tree.nr - 1] = NULL;
		walker->apart[walker->tree.nr - 1] = true;
		push_gate(walker);
		return true;
	}
	move->kind = BTS_KIND_JUMP;
	switch (role) {
	case ROLE_RESERVE:
		return reserves(batch, visit, from->func);
	case ROLE_COMMIT:
		if (visit->last)
			visit->last->committed = true;
		return true;
	case ROLE_HANDLER_BEGIN:
		if (role_of(from) == ROLE_IRET)
			return true;
		if (visit->kind == VISIT_EXIT && in_handler(from)) {
			struct visit first = *visit;

			/* A call and its tail call end together */
			end_visit(walker, batch);
			visits_exit(walker, batch, walker->nr_visits &&
				    walker->visits[walker->nr_visits - 1].kind != VISIT_GATE);
			visit->batch = first.batch;
			visit->at = first.at;
		} else {
			visits_exit(walker, batch, true);
		}
		return true;
	default:
		break;
	}
	/* ring_buffer_lock_reserve() returns to its caller */
	if (visit->reserving && to->func == visit->reserver)
		visit->reserving = false;
	if (enters_ftrace(from, to) && from->addr != visit->from)
		return visits_entry(walker, taken, cpu, nr, true);
	if (visit->kind == VISIT_ENTRY && to->func == visit->func &&
	    (visit->func ? to->addr > visit->from : to->addr - visit->from < BTS_INSN_MAX)) {
		end_visit(walker, batch);
	} else if (leaves_ftrace(visit, from, to)) {
		lose_calls(walker, taken);
	} else if (visit->kind == VISIT_EXIT && in_handler(from) && !in_handler(to) &&
		   !to->entry) {
		bool nested = visit - walker->visits &&
			      visit[-1].kind != VISIT_GATE;
		unsigned int before = walker->tree.nr;

		end_visit(walker, batch);
		if (!nested) {
			bts_tree_next(&walker->tree, known, move);
			leave_to(walker, batch, walker->tree.nr - move->enter, before);
			return note_ends(visit, batch, move->leave);
		}
	} else if (visit->length > MAX_LENGTH) {
		walk_reset(walker);
	}
	return true;
}

/* Whether a task that came back has other calls than when it left the CPU */
static bool is_other(const struct walker *walker, const struct bts_move *move,
		     const struct bts_branch *known, u64 interrupted)
{
	if (move->lost)
		return true;
	if (move->kind == BTS_KIND_IRET)
		return move->leave && bts_is_kernel(known->to) && known->to != interrupted;
	return move->kind == BTS_KIND_RETURN && walker->tree.nr && !move->leave &&
	       !move->enter && known->from_func != known->to_func;
}

/* Walk a branch of code outside of ftrace */
static bool walk_code(struct walker *walker, struct taken *taken, struct batch *batch,
		      int cpu, u64 nr)
{
	const struct bts_branch *known = &taken->branch.known;
	struct bts_move *move = &taken->branch.move;
	struct place *from = taken->branch.from, *to = taken->branch.to;
	struct bts_tree *tree = &walker->tree;
	unsigned int before = tree->nr, left;
	u64 interrupted = 0;
	bool outside;

	taken->call = find_call(walker, before, &outside);
	if (outside) {
		taken->kind = TAKEN_INTERRUPT;
		taken->call = NULL;
	}
	/* Take a reference, because the branch may end the call */
	visited_get(taken->call);
	if (known->gate == BTS_KIND_NONE) {
		move->kind = BTS_KIND_JUMP;
		if (enters_ftrace(from, to)) {
			taken->kind = TAKEN_FTRACE;
			visited_put(taken->call);
			taken->call = NULL;
			return visits_entry(walker, taken, cpu, nr, false);
		}
		/*
		 * An interrupt may return to the handler's first instruction.  The handler
		 * returns to itself if a call and its tail call end.  The begin of this
		 * visit may be missing.
		 */
		if (role_of(to) == ROLE_HANDLER_BEGIN && role_of(from) != ROLE_IRET) {
			move->kind = BTS_KIND_RETURN;
			move->sure = known->insn == BTS_KIND_RETURN;
			taken->returns = true;
			visits_exit(walker, batch, false);
			return true;
		}
	}
	left = bts_tree_find_gate(tree);
	if (left && bts_frame_is_gate(&tree->frames[before - left]) &&
	    bts_is_kernel(tree->frames[before - left].from))
		interrupted = tree->frames[before - left].from;
	bts_tree_next(tree, known, move);
	left = tree->nr - move->enter;
	leave_to(walker, batch, left, before);
	if (walker->is_back && is_other(walker, move, known, interrupted)) {
		lose_calls(walker, taken);
		return true;
	}
	/*
	 * The task is back at the call of the scheduler or at the interrupted code, so its
	 * calls are the same
	 */
	if (interrupted ? move->kind == BTS_KIND_IRET && move->leave :
			  move->kind == BTS_KIND_RETURN && tree->nr <= walker->back)
		walker->is_back = false;
	if (move->enter) {
		walker->calls[left] = NULL;
		walker->apart[left] = false;
	}
	if (move->enter && bts_frame_is_gate(&tree->frames[left])) {
		if (taken->call)
			taken->kind = TAKEN_INTERRUPT;
		push_gate(walker);
	}
	return true;
}

/**
 * walk_branch - walk the next branch of a task
 * @walker: the task
 * @batch: gets the branch, and the event that ftrace writes
 * @cpu: the CPU
 * @nr: the number of the branch
 * @branch: the branch
 *
 * Return: the added branch, NULL if there is no memory.
 */
struct taken *walk_branch(struct walker *walker, struct batch *batch, int cpu, u64 nr,
			  const struct branch *branch)
{
	struct bts_tree *tree = &walker->tree;
	struct taken *taken;
	bool ok;

	taken = array_add(&batch->taken, &batch->nr_taken, &batch->taken_room, sizeof(*taken));
	if (!taken)
		return NULL;
	role_of(branch->from);
	/*
	 * A branch begins at most one call and one visit.  Reset a full tree, because the
	 * tree would forget half of its calls, but not their visits.
	 */
	if (role_of(branch->to) == ROLE_FORK || tree->nr == BTS_TREE_DEPTH ||
	    walker->nr_visits == MAX_VISITS)
		walk_reset(walker);
	*taken = (struct taken){ .walker = walker, .branch = *branch };
	taken->branch.move.depth = tree->nr;
	taken->branch.move.func = tree->nr ? tree->frames[tree->nr - 1].func : 0;
	if (walk_in_ftrace(walker))
		ok = walk_visit(walker, taken, batch, cpu, nr);
	else
		ok = walk_code(walker, taken, batch, cpu, nr);
	if (!ok)
		return NULL;
	visited_get(taken->entered);
	walker->at = branch->to;
	walker->used = join.branches;
	return taken;
}
