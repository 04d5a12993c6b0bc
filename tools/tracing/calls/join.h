/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls branches --calls: the branches of each call of the function_graph tracer
 *
 *   join.c		the events and the blocks of each CPU, in batches
 *   join-batch.c	a batch: its branches are walked, and its events are joined
 *   join-walk.c	what ftrace did, by the branches: the calls that it saw, and the
 *			events that it wrote
 *   join-match.c	which of these events are which of the recording
 *   join-late.c	begins of calls that were written when the calls ended
 *   join-show.c	the text
 *
 * ftrace's code is in the branches, too: at a function's entry the branch to ftrace's
 * trampoline, and at its return the branch to return_to_handler().  What ftrace does there
 * is a visit.  A visit that writes an event into a ring buffer calls
 * ring_buffer_lock_reserve() and ring_buffer_unlock_commit().  So the events that each CPU
 * wrote are known by the branches alone, in their order.  The events in the recording have
 * the same order.
 *
 * A CPU's buffer of branches is drained as a whole, and ftrace writes no event meanwhile.
 * So the events between two drains are those of the branches between the same drains.
 * A batch has both.
 */
#ifndef _TRACE_CALLS_JOIN_H
#define _TRACE_CALLS_JOIN_H

#include "../../../kernel/trace/trace_bts_codec.h"
#include "../traceevent/bts_event.h"
#include "branches.h"
#include "calls.h"

/* Visits that are within each other, with the interrupts between them */
#define MAX_VISITS	64

/**
 * struct graph_event - an event of the function_graph tracer
 * @record: the event; its data is @data
 * @task: the task in the buffer of the graph
 * @pid: the task's number
 * @serial: the number of the task's event, from 1 on
 * @lost: events of the CPU were lost before it, -1 if it is not known how many
 * @missing: events between it and the one before it that is not from an NMI may be missing
 * @apart: its task has no branches in the batch
 * @is_exit: a call's end, else a call's begin
 * @nmi: it is from an NMI, whose branches are not recorded
 * @func: the function
 * @depth: how deep the call is
 * @call: its call by the branches, NULL if that is not known
 * @at: the branch before which it is shown, -1 if that is not known
 * @late: it was written at the call's end, and is shown at the call's begin
 * @put: it was shown
 * @outer: the begin of its caller, if that is shown with it; NULL if there is none
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
 * struct late - a call whose begin was written at its end
 * @cpu: the CPU of its first branch
 * @nr: the number of that branch
 * @callees: the calls in it that have events
 * @event: its begin
 */
struct late {
	int			cpu;
	u64			nr;
	unsigned int		callees;
	struct graph_event	*event;
};

/**
 * struct visited - a call that ftrace has seen
 * @parent: the next outer one, NULL if there is none
 * @refs: how many refer to it
 * @func: the address by which ftrace knows the function
 * @cpu: the CPU of its first branch
 * @nr: the number of that branch
 * @depth: how deep it is in the graph
 * @outside: there is an interrupt or an exception between @parent and this one
 * @tail: it may end together with @parent
 * @left: it has returned to ftrace
 * @called: it has an event
 * @begun: its begin was written
 * @unknown: it is not known whether it has one
 * @late: its begin, if that was written at its end
 * @late_nr: the number of the same while the recording is joined for the first time
 * @callees: calls in it that have an event and have begun
 * @set: the set of signatures of its begin
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
 * enum written_kind - what an event is
 * @WRITTEN_ENTRY: the begin of the call that was visited
 * @WRITTEN_EXIT: its end
 * @WRITTEN_LATE: the begin of the call or of one of its callers
 */
enum written_kind {
	WRITTEN_ENTRY,
	WRITTEN_EXIT,
	WRITTEN_LATE,
};

/**
 * struct written - an event that ftrace wrote, by the branches
 * @kind: what it is
 * @call: the call, NULL if its begin is not known
 * @visit: the visit, NULL if that has ended
 * @at: the branch that reserved the event
 * @interrupted: an interrupt has come while it was being reserved, and has not ended
 * @inside: the same at the batch's begin: it was not reserved before the interrupt ended
 * @committed: it was committed
 * @maybe: its event may be one of an earlier batch, which was lost or was not joined
 * @gap: branches before it are missing
 * @unknown: it is not known which event it is
 * @skipped: there is a way to join the lists without it
 * @behind: the events up to here, of those that are compared
 * @event: the event, NULL if there is none
 */
struct written {
	enum written_kind	kind;
	struct visited		*call;
	struct visit		*visit;
	int			at;
	bool			interrupted;
	bool			inside;
	bool			committed;
	bool			maybe;
	bool			gap;
	bool			unknown;
	bool			skipped;
	unsigned int		behind;
	struct graph_event	*event;
};

/**
 * struct place_behind - where an event may be that was being reserved
 * @written: the event
 * @last: the last one that was reserved before the interrupt ended: @written may be behind
 */
struct place_behind {
	struct written	*written;
	struct written	*last;
};

/**
 * enum visit_kind - where a task is
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
 * struct visit - ftrace's code, or an interrupt, that a task is in
 * @kind: which of them
 * @from: the branch to ftrace came from here
 * @func: the function that this is in
 * @depth: calls that were open
 * @length: branches in it
 * @reserving: ring_buffer_lock_reserve() has not returned
 * @reserver: the function that has called it
 * @call: the call that was visited
 * @last: the event that was reserved last, NULL if there is none
 * @batch: at a return: the batch of the branch to ftrace; NULL if the branch is not shown
 * @at: the branch's index there
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
 * @held: its first branch is not shown yet
 * @shown: it is shown as a call without an event
 * @folded: the branches in it are not shown
 * @visited: the call, if ftrace has seen it
 * @branch: its first branch
 */
struct shown_frame {
	bool		held;
	bool		shown;
	bool		folded;
	struct visited	*visited;
	struct branch	branch;
};

/**
 * struct walker - the open calls of a task, by its branches
 * @next: other calls of the task, on another CPU
 * @task: the task in the buffer of branches
 * @cpu: the CPU of its last branch
 * @used: when this was, as the number of branches before
 * @at: the target of its last branch
 * @is_back: it came back, and its calls may be others
 * @back: number of calls below the scheduler, when it came back
 * @is_lost: its calls were others, and were forgotten
 * @tree: its calls
 * @calls: for each of them the call that ftrace has seen
 * @apart: for each of them: it is the scheduler, which ftrace has called
 * @visits: where it is, the innermost last
 * @nr_visits: how many there are
 * @frames: the calls as they are shown
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
 * enum taken_kind - what took a branch
 * @TAKEN_CODE: code of a call
 * @TAKEN_FTRACE: ftrace
 * @TAKEN_INTERRUPT: an interrupt or an exception, outside of its calls that have events
 */
enum taken_kind {
	TAKEN_CODE,
	TAKEN_FTRACE,
	TAKEN_INTERRUPT,
};

/**
 * struct taken - a branch, or a line between branches
 * @note: the line, to be freed; NULL for a branch
 * @kind: what took it
 * @walker: its task
 * @branch: the branch
 * @call: the innermost call that took it, of those that ftrace has seen; may be NULL
 * @entered: this call begins with it, and ftrace has seen that; may be NULL
 * @fresh: the call that it is in was not known before
 * @returns: it returns from a call to ftrace
 * @ends: number of calls that end with this return, 0 if it is not known
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
 * struct late_ends - the calls that end with a return to ftrace, known in a later batch
 * @at: the branch's index in its batch
 * @ends: number of calls
 */
struct late_ends {
	unsigned int	at;
	unsigned int	ends;
};

/**
 * struct held_block - a block of branches until its batch is complete
 * @task: the task that took them
 * @time: when it was drained
 * @block: its fields; the data is @data
 * @data: the branches
 */
struct held_block {
	struct task		*task;
	u64			time;
	struct bts_block	block;
	u8			data[];
};

/**
 * struct batch - what was recorded on a CPU between two drains
 * @events: the events of the graph
 * @nr_events: how many there are
 * @events_room: how many there is room for
 * @blocks: the blocks of branches, as they are in the recording
 * @nr_blocks: how many there are
 * @blocks_room: how many there is room for
 * @taken: the branches
 * @nr_taken: how many there are
 * @taken_room: how many there is room for
 * @ends: returns of this batch of which later batches told how many calls end
 * @nr_ends: how many there are
 * @ends_room: how many there is room for
 * @written: the events by the branches
 * @nr_written: how many there are
 * @written_room: how many there is room for
 * @places: where those may be that were being reserved when interrupts came
 * @nr_places: how many there are
 * @places_room: how many there is room for
 * @gap: branches are missing before the next event by the branches
 * @gap_behind: branches may be missing behind the last block
 * @lost_behind: events may be missing behind the last one
 * @misfit: the events are not those that the branches tell
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
	bool			gap;
	bool			gap_behind;
	bool			lost_behind;
	bool			misfit;
};

/**
 * struct join_state - where the branches of a CPU are
 * @flow: its branches, for the tree
 * @running: the task whose stack is in use
 * @next: the task that is switched to, NULL if there is none
 * @switching: the running task is in __switch_to()
 * @foreign: the stack is that of a task that is not recorded
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
 * @batches: the batches that were read; the last one is what comes in
 * @first: the first one that is not joined yet
 * @nr: how many there are
 * @room: how many there is room for
 * @missing: events may be missing before the next one that is not from an NMI
 * @lost: events were lost before the next one, -1 if it is not known how many
 * @state: where its branches are
 * @shown: the task of the last line
 * @entry: a call's begin that is not written yet
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
 * @serial: the number of its last event that was read
 * @done: the number of its last event whose batch was joined
 * @seen: it has an event in the batch that is looked at
 * @sets: the sets of signatures of its open calls, by their depth
 */
struct join_task {
	u64			serial;
	u64			done;
	bool			seen;
	u32			sets[MAX_INDENT + 1];
};

/**
 * struct join - what the files of the join have in common
 * @first: the recording is joined for the first time
 * @all: each branch is shown, in a line of its own
 * @failed: there was no memory
 * @branches: the number of branches
 * @events: the number of events of the graph
 */
struct join {
	bool	first;
	bool	all;
	bool	failed;
	u64	branches;
	u64	events;
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
