/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls branches --calls: the branches of each call of the function_graph tracer
 *
 *   join.c		the events and the blocks of each CPU, in batches
 *   join-batch.c	walks the branches of a batch, and joins its events
 *   join-walk.c	what ftrace did according to the branches: the calls that ftrace saw, and
 *			the events that ftrace wrote
 *   join-match.c	finds these events in the recording
 *   join-late.c	entry events that ftrace wrote when the calls returned
 *   join-show.c	the text
 *
 * The branches include ftrace's code.  At a function's entry there is a branch to ftrace's
 * trampoline, and at its return a branch to return_to_handler().  A run of ftrace's code
 * is called a visit.  A visit that writes an event into a ring buffer calls
 * ring_buffer_lock_reserve() and ring_buffer_unlock_commit().  So the branches alone show
 * the events that each CPU wrote, in their order.  These events are called written events.
 * The events in the recording are called recorded events, and have the same order.  An
 * entry event that ftrace wrote at the return of its call is called a late entry.
 *
 * A CPU's buffer of branches is drained as a whole, and ftrace writes no event during a
 * drain. So the recorded events between two drains belong to the branches between the same
 * drains. A batch has these events and branches.
 */
#ifndef _TRACE_CALLS_JOIN_H
#define _TRACE_CALLS_JOIN_H

#include "../../../kernel/trace/bts/codec.h"
#include "../traceevent/bts_event.h"
#include "branches.h"
#include "calls.h"

/* Maximum nested visits, including the interrupts between them */
#define MAX_VISITS	64

/**
 * struct graph_event - an event of the function_graph tracer
 * @record: the event's record; its data is @data
 * @task: the task in the buffer of the graph
 * @pid: the task's number
 * @serial: number of the event in its task, from 1 on
 * @lost: number of the CPU's events that were lost before this event, -1 if unknown
 * @missing: events may be missing before this event, after the last event that is not from
 *	an NMI
 * @apart: the event's task has no branches in the batch
 * @is_exit: an exit event, else an entry event
 * @nmi: the event is from an NMI, whose branches are not recorded
 * @func: the function
 * @depth: depth of the call
 * @call: the event's call in the branches, NULL if unknown
 * @at: index of the branch before which the event is shown, -1 if unknown
 * @late: a late entry, which is shown where the call begins
 * @put: the event was shown
 * @outer: the caller's entry event if it is shown with this event, or NULL
 * @data: the event's data
 */
struct graph_event {
	struct tep_record	record;
	struct task		*task;
	int			pid;
	u64			serial;
	long long		lost;
	bool			missing;
	bool			apart;
	bool			is_exit;
	bool			nmi;
	u64			func;
	int			depth;
	struct visited		*call;
	int			at;
	bool			late;
	bool			put;
	struct graph_event	*outer;
	char			data[];
};

/**
 * struct late - a call with a late entry
 * @cpu: the CPU of the call's first branch
 * @nr: the number of that branch
 * @callees: number of callees that have events
 * @event: the late entry
 */
struct late {
	int			cpu;
	u64			nr;
	unsigned int		callees;
	struct graph_event	*event;
};

/**
 * struct visited - a call that ftrace has seen
 * @parent: the next outer call, NULL if there is none
 * @refs: number of references
 * @func: the function's traced address
 * @cpu: the CPU of the call's first branch
 * @nr: the number of that branch
 * @depth: depth of the call in the graph
 * @outside: an interrupt or an exception is between @parent and this call
 * @tail: the call may end together with @parent
 * @left: the call has returned to ftrace
 * @called: the call has an event
 * @begun: the entry event of the call was written
 * @unknown: it is not known whether the call has an event
 * @late: the late entry of the call, or NULL
 * @late_nr: number of the late entry in the first pass
 * @callees: number of callees that have an event and have begun
 * @set: the set of signatures of its entry event
 */
struct visited {
	struct visited	*parent;
	unsigned int	refs;
	u64		func;
	int		cpu;
	u64		nr;
	int		depth;
	bool		outside;
	bool		tail;
	bool		left;
	bool		called;
	bool		begun;
	bool		unknown;
	struct late	*late;
	unsigned int	late_nr;
	unsigned int	callees;
	u32		set;
};

/**
 * enum written_kind - the kind of a written event
 * @WRITTEN_ENTRY: the entry event of the visited call
 * @WRITTEN_EXIT: the exit event of the visited call
 * @WRITTEN_LATE: a late entry of the visited call or of one of its callers
 */
enum written_kind {
	WRITTEN_ENTRY,
	WRITTEN_EXIT,
	WRITTEN_LATE,
};

/**
 * struct written - an event that ftrace wrote according to the branches
 * @kind: the kind of the event
 * @call: the call, NULL if the branches do not have its first branch
 * @visit: the visit, NULL if the visit has ended
 * @at: the branch that reserved the event
 * @interrupted: an interrupt came during the reservation, and has not ended
 * @inside: the batch began in the interrupt, and the reservation ended after the interrupt
 * @later: the recorded event is in the next batch
 * @committed: the event was committed
 * @maybe: the recorded event may be in an earlier batch, where it was lost or was not
 *	joined
 * @gap: branches before the event are missing
 * @unknown: several recorded events may be this event
 * @skipped: the lists can be joined without this event
 * @behind: number of compared events up to this event
 * @event: the recorded event, NULL if there is none
 */
struct written {
	enum written_kind	kind;
	struct visited		*call;
	struct visit		*visit;
	int			at;
	bool			interrupted;
	bool			inside;
	bool			later;
	bool			committed;
	bool			maybe;
	bool			gap;
	bool			unknown;
	bool			skipped;
	unsigned int		behind;
	struct graph_event	*event;
};

/**
 * struct place_behind - a possible place of an event whose reservation was interrupted
 * @written: the event
 * @last: the last event that was reserved before the interrupt ended; @written may follow
 *	@last
 */
struct place_behind {
	struct written	*written;
	struct written	*last;
};

/**
 * enum visit_kind - the code that a task is in
 * @VISIT_ENTRY: in ftrace, at a function's entry
 * @VISIT_EXIT: in ftrace, at a function's return
 * @VISIT_GATE: in an interrupt or an exception, or in the scheduler
 */
enum visit_kind {
	VISIT_ENTRY,
	VISIT_EXIT,
	VISIT_GATE,
};

/**
 * struct visit - a run of ftrace's code, or an interrupt, in a task
 * @kind: the kind
 * @from: the origin of the branch to ftrace
 * @func: the function that has @from
 * @depth: number of calls that were open
 * @length: number of branches in the visit
 * @reserving: ring_buffer_lock_reserve() has not returned
 * @reserver: the caller of ring_buffer_lock_reserve()
 * @call: the visited call
 * @last: the last reserved event, NULL if there is none
 * @batch: at a return, the batch of the branch to ftrace; NULL if the branch is not shown
 * @at: the branch's index in @batch
 */
struct visit {
	enum visit_kind	kind;
	u64		from;
	u64		func;
	unsigned int	depth;
	unsigned int	length;
	bool		reserving;
	u64		reserver;
	struct visited	*call;
	struct written	*last;
	struct batch	*batch;
	unsigned int	at;
};

/**
 * struct shown_frame - a call as it is shown
 * @held: the call's first branch is not shown yet
 * @shown: the call is shown as a call without an event
 * @folded: the branches in the call are not shown
 * @visited: the call, if ftrace has seen it
 * @branch: the call's first branch
 */
struct shown_frame {
	bool		held;
	bool		shown;
	bool		folded;
	struct visited	*visited;
	struct branch	branch;
};

/**
 * struct walker - the open calls of a task according to its branches
 * @next: other calls of the task, on another CPU
 * @task: the task in the buffer of branches
 * @cpu: the CPU of its last branch
 * @used: time of the last branch, as the number of branches before it
 * @at: the target of its last branch
 * @is_back: the task came back, possibly with other calls
 * @back: number of calls below the scheduler when the task came back
 * @is_lost: the branches belong to other calls, so the open calls were forgotten
 * @tree: the open calls
 * @calls: for each call in @tree, the call that ftrace has seen
 * @apart: for each call in @tree, whether it is the scheduler, called by ftrace
 * @visits: the visits that the task is in, the innermost visit last
 * @nr_visits: number of elements of @visits
 * @frames: the calls in the output
 */
struct walker {
	struct walker		*next;
	struct task		*task;
	int			cpu;
	u64			used;
	struct place		*at;
	bool			is_back;
	unsigned int		back;
	bool			is_lost;
	struct bts_tree		tree;
	struct visited		*calls[BTS_TREE_DEPTH];
	bool			apart[BTS_TREE_DEPTH];
	struct visit		visits[MAX_VISITS];
	unsigned int		nr_visits;
	struct shown_frame	frames[BTS_TREE_DEPTH];
};

/**
 * enum taken_kind - the code that took a branch
 * @TAKEN_CODE: code of a call
 * @TAKEN_FTRACE: ftrace
 * @TAKEN_INTERRUPT: an interrupt or an exception, outside of calls with events in it
 */
enum taken_kind {
	TAKEN_CODE,
	TAKEN_FTRACE,
	TAKEN_INTERRUPT,
};

/**
 * struct taken - a branch, or a line between branches
 * @note: the line, to be freed; NULL for a branch
 * @kind: the code that took the branch
 * @walker: the task of the branch
 * @branch: the branch
 * @call: the innermost call around the branch that ftrace has seen; may be NULL
 * @entered: the call that begins with the branch, if ftrace has seen the call; may be NULL
 * @fresh: the call around the branch was not known before
 * @returns: the branch returns from a call to ftrace
 * @ends: number of calls that end with this return, 0 if unknown
 */
struct taken {
	char		*note;
	enum taken_kind	kind;
	struct walker	*walker;
	struct branch	branch;
	struct visited	*call;
	struct visited	*entered;
	bool		fresh;
	bool		returns;
	unsigned int	ends;
};

/**
 * struct late_ends - the number of calls that end with a return to ftrace, found in a
 * later batch
 * @at: the branch's index in its batch
 * @ends: number of calls
 */
struct late_ends {
	unsigned int	at;
	unsigned int	ends;
};

/**
 * struct held_block - a block of branches until its batch is complete
 * @task: the task that took the branches
 * @time: the time of the drain
 * @block: the block's fields; the data is @data
 * @data: the branches
 */
struct held_block {
	struct task		*task;
	u64			time;
	struct bts_block	block;
	u8			data[];
};

/**
 * enum open_event - the batch of an event that was being written at a drain
 * @OPEN_UNKNOWN: not known
 * @OPEN_BEFORE: the batch before the drain
 * @OPEN_BEHIND: the batch after the drain
 */
enum open_event {
	OPEN_UNKNOWN,
	OPEN_BEFORE,
	OPEN_BEHIND,
};

/**
 * struct batch - the recorded events and blocks of a CPU between two drains
 * @events: the recorded events of the graph
 * @nr_events: number of elements of @events
 * @events_room: capacity of @events, in elements
 * @blocks: the blocks of branches, in the order of the recording
 * @nr_blocks: number of elements of @blocks
 * @blocks_room: capacity of @blocks, in elements
 * @taken: the branches
 * @nr_taken: number of elements of @taken
 * @taken_room: capacity of @taken, in elements
 * @ends: returns of this batch whose number of ended calls was found in later batches
 * @nr_ends: number of elements of @ends
 * @ends_room: capacity of @ends, in elements
 * @written: the written events
 * @nr_written: number of elements of @written
 * @written_room: capacity of @written, in elements
 * @places: the possible places of events whose reservation was interrupted
 * @nr_places: number of elements of @places
 * @places_room: capacity of @places, in elements
 * @has_open: the first of @written is the only event that was being written at the drain
 *	before the batch
 * @open: the batch of the event that was being written at the drain after the batch
 * @gap: branches are missing before the next written event
 * @gap_behind: branches may be missing after the last block
 * @lost_behind: recorded events may be missing after the last recorded event
 * @misfit: the recorded events do not fit the written events
 * @unknown: some recorded events fit several written events
 * @lost: recorded events may be missing
 */
struct batch {
	struct graph_event	**events;
	unsigned int		nr_events;
	size_t			events_room;
	struct held_block	**blocks;
	unsigned int		nr_blocks;
	size_t			blocks_room;
	struct taken		*taken;
	unsigned int		nr_taken;
	size_t			taken_room;
	struct late_ends	*ends;
	unsigned int		nr_ends;
	size_t			ends_room;
	struct written		**written;
	unsigned int		nr_written;
	size_t			written_room;
	struct place_behind	*places;
	unsigned int		nr_places;
	size_t			places_room;
	bool			has_open;
	enum open_event		open;
	bool			gap;
	bool			gap_behind;
	bool			lost_behind;
	bool			misfit;
	bool			unknown;
	bool			lost;
};

/**
 * struct join_state - the state of a CPU in the walk over its branches
 * @flow: the CPU's branches, for the tree
 * @running: the task whose stack is in use
 * @next: the task that the CPU switches to, NULL if there is none
 * @switching: the running task is in __switch_to()
 * @foreign: the stack belongs to a task that is not recorded
 * @starting: the tracer has begun to record branches, and has not returned yet
 */
struct join_state {
	struct flow	flow;
	struct walker	*running;
	struct walker	*next;
	bool		switching;
	bool		foreign;
	bool		starting;
};

/**
 * struct join_cpu - a CPU
 * @cpu: the CPU
 * @batches: the batches; new events and blocks go to the last batch
 * @first: the first batch that is not joined yet
 * @nr: number of elements of @batches
 * @room: capacity of @batches, in elements
 * @missing: events may be missing before the next event that is not from an NMI
 * @lost: number of events that were lost before the next event, -1 if unknown
 * @state: the state of the walk over the branches
 * @shown: the task of the last line
 * @entry: an entry event that is not in the output yet
 */
struct join_cpu {
	int			cpu;
	struct batch		*batches;
	unsigned int		first;
	unsigned int		nr;
	size_t			room;
	bool			missing;
	long long		lost;
	struct join_state	state;
	int			shown;
	struct graph_event	*entry;
};

/**
 * struct join_task - a task in the buffer of the graph
 * @serial: number of the task's last event that was read
 * @done: number of the task's last event whose batch was joined
 * @seen: the task has an event in the batch that is_ready() checks
 * @sets: the sets of signatures of the task's open calls, by depth
 */
struct join_task {
	u64			serial;
	u64			done;
	bool			seen;
	u32			sets[MAX_INDENT + 1];
};

/**
 * struct join - state that the files of the join share
 * @first: this is the first pass over the recording
 * @repeats: how often the first pass may still be repeated
 * @again: the first pass has found the side of a drain, and has to be repeated
 * @all: show each branch in a line of its own
 * @failed: there was no memory
 * @branches: the number of branches
 * @events: the number of events of the graph
 */
struct join {
	bool		first;
	unsigned int	repeats;
	bool		again;
	bool		all;
	bool		failed;
	u64		branches;
	u64		events;
};

extern struct join join;

/* join.c */
u64 join_read(struct calls *calls, const char *file, bool all,
	      bool (*open)(struct calls *calls));
struct join_task *join_task_of(const struct graph_event *event);

/* join-batch.c */
void batch_run(struct calls *calls, struct join_cpu *cpu, struct batch *batch,
	       struct batch *next);
void batch_free(struct batch *batch);
void batch_free_walkers(void);
int batch_follows(const struct batch *batch, int cpu);

/* join-late.c */
void late_add(struct visited *call, struct graph_event *event);
struct late *late_find(int cpu, u64 nr);
struct visited *visited_shown(struct visited *call);
void late_count(struct visited *call);
void late_sort(void);
void late_free(void);

/* join-show.c */
void show_batch(struct calls *calls, struct join_cpu *cpu, struct batch *batch);
void show_entry(struct calls *calls, struct join_cpu *cpu);

/* join-walk.c */
void walk_known(u64 func);
void walk_free(void);
void walk_reset(struct walker *walker);
struct taken *walk_branch(struct walker *walker, struct batch *batch, int cpu, u64 nr,
			  const struct branch *branch);
bool walk_switching(struct place *to);
bool walk_scheduling(struct place *to);
bool walk_leaving(struct place *to);
void walk_back(struct walker *walker);
bool walk_in_ftrace(const struct walker *walker);
bool walk_switched(struct place *from, struct place *to);
struct visited *visited_get(struct visited *call);
void visited_put(struct visited *call);
void written_put(struct written *written);

/* join-match.c */
bool match_batch(struct batch *batch);

#endif /* _TRACE_CALLS_JOIN_H */
