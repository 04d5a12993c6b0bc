/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of the bts and step tracers
 *
 * A file calls the files below it:
 *
 * bts/step.c		the step tracer
 * trace_bts.c		the bts tracer and its options; begin and end of an instance
 * bts/range.c		the file bts_range: the code whose branches an instance records
 * bts/commands.c	FUNC:bts_on and FUNC:bts_off
 * bts/cpu.c		the branches that each CPU records by BTS
 * bts/held.c		the records that a CPU holds until somebody asks for them
 * bts/blocks.c		writing blocks of branches
 * bts/print.c		blocks as text
 * bts/modules.c	the modules that were loaded when a block was written
 * bts/instance.c	the instances of both tracers
 *
 * The words of this room:
 *
 * record	a branch or a step as the CPU gives it: two addresses and flags
 * number	how many records the CPU's debug store had taken before a record, in its life
 * side		what a branch leads to: the kernel or user space; in the code, rings
 * segment	records of a CPU that follow each other, of one task and for the same instances
 * drain	to take the records of a CPU from its buffer, and to write or hold them
 * piece	the records of a segment that one drain takes
 * hold		to keep a copy of records, with the option bts-hold, until somebody asks for them
 * lap		held records that are forgotten together
 * run		records that are encoded together
 * block	the encoded branches of one event of the ring buffer
 * mark		what a block says about the branches before it, such as a gap
 * armed	whether FUNC:bts_on and FUNC:bts_off allow that a task is recorded
 */
#ifndef _TRACE_BTS_H
#define _TRACE_BTS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/time64.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include <asm/bts.h>

#include "../trace.h"

struct seq_file;

/* Options: which branches to record, by the side of their targets */
#define BTS_OPT_KERNEL		BTS_RING_KERNEL
#define BTS_OPT_USER		BTS_RING_USER
/* Option: hold the branches until somebody asks for them. BTS_BRANCHES is BIT(2) */
#define BTS_OPT_HOLD		BIT(3)

/* Marks of a block, about the branches before its first branch */
#define BTS_MARK_GAP		BIT(0)	/* branches were not recorded before */
#define BTS_MARK_TASK		BIT(1)	/* the previous block is another task's */
#define BTS_MARK_DROPPED	BIT(2)	/* the CPU may have dropped records */
#define BTS_MARK_PAUSED		BIT(3)	/* the CPU paused, because drains took too long */

/* The budget that does not limit drains, in percent of a CPU */
#define BTS_BUDGET_ALL		100

/* Number of records that a CPU holds */
#define BTS_HOLD_DEFAULT	8192
#define BTS_HOLD_MAX		65536

/* Maximum time that a dying kernel gives other CPUs to write their branches */
#define BTS_OTHERS_USECS	(20 * USEC_PER_MSEC)

/* The instance gets the marks before the records */
#define BTS_GETS_MARKS		BIT(7)

/* Number of task switches that a CPU remembers until a drain */
#define BTS_NR_SEGMENTS		128

/* The notes of the image, from the linker */
extern const char __start_notes[];
extern const char __stop_notes[];

/**
 * struct bts_instance_cpu - an instance's data of a CPU
 * @count: number of the instance's branches so far, including branches that were not
 *	written
 * @until: the number of the CPU's next record when the instance's last ring buffer was
 *	closed, or became the snapshot; see bts_close_buffer()
 * @stop: the number of the CPU's next record when recording went off, for the first time since the
 *	CPU has set @stops
 * @stops: the instance's @stops when the CPU last found that recording is on
 * @pid: PID of the last block's task
 * @marks: marks for the next block
 * @chosen: whether the instance's filters select the running task
 * @wants: the branches of the running task that the instance wants, BTS_RING_* and BTS_BRANCHES
 * @gets: of the records that are being written, the branches that the instance gets, and
 *	BTS_GETS_MARKS
 * @ranges: the code whose branches it gets, or NULL for all code
 * @segments: for each segment of the CPU, the branches that the instance wants; the last value
 *	is for the records before the first segment
 * @held: for each piece that the CPU may hold, the value of @gets; NULL if the instance never had
 *	the option bts-hold
 *
 * Only the CPU itself writes the data, except @until, @stop and @held.
 */
struct bts_instance_cpu {
	u64				count;
	u64				until;
	u64				stop;
	int				stops;
	pid_t				pid;
	u8				marks;
	bool				chosen;
	u8				wants;
	u8				gets;
	const struct bts_ranges		*ranges;
	u8				segments[BTS_NR_SEGMENTS + 1];
	u8				*held;
};

/**
 * struct bts_commands - the function commands of a trace instance
 * @list: entry in bts_commands
 * @tr: the instance
 * @active: whether the instance's tracer is bts
 * @ref: number of commands, bts_on or bts_off, that functions have
 * @nr_on: number of functions with bts_on; if there are any, tasks begin disarmed
 * @nr_off: number of functions with bts_off
 * @functions: for bts_off and bts_on: the &struct bts_command of each function
 * @toggled: bit n: the task with PID n is armed and began disarmed, or the reverse
 */
struct bts_commands {
	struct list_head	list;
	struct trace_array	*tr;
	bool			active;
	unsigned int		ref;
	unsigned int		nr_on;
	unsigned int		nr_off;
	struct ftrace_func_mapper *functions[2];
	unsigned long		*toggled;
};

struct bts_instance;
struct bts_ranges;

/**
 * struct bts_ops - how a tracer records branches
 * @name: the tracer's name
 * @instances: the instances with the tracer. Changes are made under trace_types_lock. After
 *	bts_update_all() has returned, no CPU uses a removed instance.
 * @acquire: begin to use the CPUs, for the first instance. On -ENODEV, sets @mute to the
 *	first CPU that has BTS but records no branch, if there is one
 * @release: end to use the CPUs, after the last instance
 * @recording: recording for an instance is switched on, or is about to be switched off. Any
 *	context, with interrupts off
 * @sched_switch: the probe of sched_switch
 * @update_cpu: update what this CPU records for the instances. With interrupts off
 * @drain: write the branches that the CPUs have recorded
 * @snapshot: the ring buffer of an instance is about to become the snapshot. Any context but
 *	NMI, with interrupts off
 * @drain_last: write the branches because the kernel dies. Any context, with interrupts off
 * @survives: recording goes on after an oops that the kernel survives
 */
struct bts_ops {
	const char	*name;
	struct list_head *instances;
	int		(*acquire)(int *mute);
	void		(*release)(void);
	void		(*recording)(struct bts_instance *inst, bool on);
	void		(*sched_switch)(void *ignore, bool preempt, struct task_struct *prev,
					struct task_struct *next, unsigned int prev_state);
	void		(*update_cpu)(void *ignore);
	void		(*drain)(void);
	void		(*snapshot)(struct bts_instance *inst);
	void		(*drain_last)(void);
	bool		survives;
};

/**
 * struct bts_instance - a trace instance that has the bts or the step tracer
 * @list: entry in the tracer's instances
 * @tr: the instance
 * @ops: how the instance's tracer records
 * @rings: the instance's options: BTS_RING_*, BTS_BRANCHES, BTS_OPT_HOLD
 * @off: whether the instance's recording is off
 * @stops: how often recording has gone off
 * @commands: the function commands that arm and disarm tasks, or NULL
 * @cpus: the CPUs that the instance traces
 * @ranges: the code whose branches are recorded, or NULL for all code. Read under RCU
 * @closed: the ring buffer that was last closed, or became the snapshot
 * @opened: the call of bts_write_last() that has opened the ring buffer, or NULL
 * @pcpu: the instance's data of each CPU
 */
struct bts_instance {
	struct list_head	list;
	struct trace_array	*tr;
	const struct bts_ops	*ops;
	unsigned int		rings;
	bool			off;
	atomic_t		stops;
	struct bts_commands	*commands;
	cpumask_var_t		cpus;
	struct bts_ranges	*ranges;
	struct trace_buffer	*closed;
	const void		*opened;
	struct bts_instance_cpu __percpu *pcpu;
};

/* All instances with a tracer. With interrupts off, or under trace_types_lock */
#define bts_for_each(inst, ops) \
	list_for_each_entry_lockless(inst, (ops)->instances, list)

/*
 * Whether the kernel dies. The instances then record no more, and write their last
 * branches when the trace is dumped or opened.
 */
extern bool bts_dead;

static inline bool bts_used(const struct bts_ops *ops)
{
	return !list_empty(ops->instances);
}

/* bts/instance.c */

void __init bts_register_ops(const struct bts_ops *ops);
void bts_update_all(void);
void bts_drain_all(void);
struct bts_instance *bts_instance(struct trace_array *tr);
struct bts_instance *bts_alloc_instance(struct trace_array *tr, const struct bts_ops *ops);
void bts_free_instance(struct bts_instance *inst);
void bts_flush(struct trace_array *tr, bool stop);
void bts_write_last(void);

/* trace_bts.c */

extern struct tracer bts_tracer;

int bts_begin(struct trace_array *tr, const struct bts_ops *ops, unsigned int rings);
void bts_reset(struct trace_array *tr);
void bts_start(struct trace_array *tr);
void bts_recording(struct trace_array *tr, bool on);
void bts_snapshot(struct trace_array *tr);
void bts_filter(struct trace_array *tr, const struct cpumask *cpus);

/* bts/cpu.c */

extern const struct bts_ops bts_cpu_ops;
extern unsigned int bts_budget;
extern unsigned int bts_hold_records;

void bts_save_name(struct task_struct *task);
void bts_follow_current(void);
void bts_change(void);
int bts_prepare_hold(struct bts_instance *inst);
void bts_dying(void);

/* bts/commands.c */

extern struct mutex bts_commands_mutex;

struct bts_commands *bts_begin_commands(struct trace_array *tr);
void bts_end_commands(struct bts_commands *cmds);
void bts_commands_exec(const struct bts_ops *ops, const struct task_struct *task, pid_t old_pid);

static inline bool bts_commands_armed(const struct bts_commands *cmds, pid_t pid)
{
	return test_bit(pid, cmds->toggled) == !!READ_ONCE(cmds->nr_on);
}

static inline bool bts_armed(const struct bts_instance *inst, pid_t pid)
{
	const struct bts_commands *cmds = READ_ONCE(inst->commands);

	return !cmds || bts_commands_armed(cmds, pid);
}

/* Whether @inst, which traces the task with @pid, records the task on this CPU now */
static __always_inline bool bts_wants(const struct bts_instance *inst, pid_t pid)
{
	return !READ_ONCE(inst->off) && tracer_tracing_is_on(inst->tr) &&
	       cpumask_test_cpu(smp_processor_id(), inst->cpus) &&
	       bts_armed(inst, pid);
}

/* bts/modules.c */

extern u32 bts_modules_nr;

bool bts_address_valid(unsigned long addr, u32 modules);
void bts_list_modules(bool list);

/* bts/print.c */

void bts_open(struct trace_iterator *iter);
void bts_close(struct trace_iterator *iter);
enum print_line_t bts_print_line(struct trace_iterator *iter);
void bts_print_header(struct seq_file *m);
int bts_alloc_dump(void);
int __init bts_register_event(void);

#endif /* _TRACE_BTS_H */
