// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: the branches that each CPU records
 *
 * A CPU's buffer has records of several tasks, and the instances may want different
 * branches of each task. A segment describes records that follow each other in the
 * buffer: the index of the first record, and the task. Each instance has the branches that it
 * wants of each segment. A drain walks the segments, encodes the branches as bts/codec.h
 * describes, and writes them as blocks into the instances' ring buffers. With the option
 * bts-hold, the drain holds the records instead (bts/held.h), until somebody asks for the branches.
 */
#include <linux/bts_trace.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/timer.h>
#include <linux/trace_clock.h>
#include <linux/workqueue.h>

#include <asm/bts.h>

#include "../trace.h"
#include "bts.h"
#include "blocks.h"
#include "held.h"

/* The index of @last, after the segments, in the data of an instance */
#define BTS_LAST_SEGMENT	BTS_NR_SEGMENTS

/* The time for which the budget counts */
#define BTS_PERIOD_MSECS	100
#define BTS_PERIOD_NSECS	(BTS_PERIOD_MSECS * NSEC_PER_MSEC)

/* No branch waits longer than this for a reader that has trace_pipe or trace_pipe_raw open */
#define BTS_READER_MSECS	100

/**
 * struct bts_tracer_cpu - the tracer's data of a CPU
 * @state: number of @segments in use, and a generation in the upper half
 * @last: the segment of the records before the first of @segments
 * @segments: a segment for each task switch since the last drain
 * @pid: PID of the task that runs, or that runs next according to sched_switch
 * @chosen: whether the PID filters of any instance select this task
 * @rings: the sides that the CPU records, BTS_RING_*
 * @changing: whether @rings and @segments are being changed. A function command that runs
 *	meanwhile must not change them.
 * @up: whether the CPU is online and has a BTS that the tracer may use
 * @paused: whether the CPU records nothing until the end of the period, because drains have
 *	used up the budget
 * @marks: why BTS is off, for the marks of the next segment
 * @period: the local clock when the period began
 * @spent: nanoseconds that drains have taken in the period
 * @pause: pauses recording after an NMI has used up the budget
 * @resume: resumes recording at the end of the period
 * @held: the records that the CPU holds, or NULL if no instance has had the option
 * @writer: the writer that encodes blocks
 *
 * Only the CPU itself writes the data, with interrupts off or in an NMI. An NMI may come
 * at any time, drain the buffer, and remove the segments. bts_segment() notices that by
 * the generation.
 */
struct bts_tracer_cpu {
	u64			state;
	struct bts_segment	last;
	struct bts_segment	segments[BTS_NR_SEGMENTS];
	pid_t			pid;
	bool			chosen;
	unsigned int		rings;
	bool			changing;
	bool			up;
	bool			paused;
	u8			marks;
	u64			period;
	u64			spent;
	struct irq_work		pause;
	struct timer_list	resume;
	struct bts_held		*held;
	struct bts_writer	writer;
};

/* NULL while no instance has the tracer. Readers have interrupts off */
static struct bts_tracer_cpu __percpu *bts_tracer_cpus;

/* The CPUs that have BTS but do not record */
static struct cpumask bts_mute_cpus;

/*
 * How often a task may have run without being recorded although an instance traces it. If a
 * task's next segment has the same value, nothing of the task is missing.
 */
static atomic_t bts_missed = ATOMIC_INIT(1);

/* Maximum time that a CPU spends in drains, in percent */
unsigned int bts_budget = BTS_BUDGET_ALL;

/* Number of records that a CPU holds. Takes effect when the first instance gets the option */
unsigned int bts_hold_records = BTS_HOLD_DEFAULT;

static bool bts_rebooting;	/* no CPU records from now on */
static enum cpuhp_state bts_hotplug;

/*
 * Find the data of the CPUs. NULL if no instance has the tracer. The compiler drops the code
 * that needs the data if the kernel does not support Intel's CPUs
 */
static __always_inline struct bts_tracer_cpu __percpu *bts_all_cpus(void)
{
	return IS_ENABLED(CONFIG_CPU_SUP_INTEL) ? READ_ONCE(bts_tracer_cpus) : NULL;
}

/* Find the data of this CPU. NULL if no instance has the tracer, or if @up is not set */
static __always_inline struct bts_tracer_cpu *bts_this_cpu(void)
{
	struct bts_tracer_cpu __percpu *cpus = bts_all_cpus();
	struct bts_tracer_cpu *cpu;

	if (!cpus)
		return NULL;
	cpu = this_cpu_ptr(cpus);
	return cpu->up ? cpu : NULL;
}

/*
 * Changes of the branches that a CPU records. Only the CPU itself makes them, with
 * interrupts off
 */

/*
 * Set the index of @seg to the next record, and add @seg with what the instances want to the
 * segments
 */
static void bts_segment(struct bts_tracer_cpu *cpu, struct bts_segment seg)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	u64 state;

	seg.since = trace_clock_local();
	seg.missed = atomic_read(&bts_missed);
	/*
	 * Try again if an NMI has drained the buffer meanwhile, because it removes the
	 * segments
	 */
	do {
		state = READ_ONCE(cpu->state);
		seg.index = bts_tracer_pending();
		cpu->segments[(u32)state] = seg;
		bts_for_each(inst, &bts_cpu_ops) {
			pcpu = this_cpu_ptr(inst->pcpu);
			pcpu->segments[(u32)state] = pcpu->wants;
		}
	} while (cmpxchg_local(&cpu->state, state, state + 1) != state);
}

/*
 * Compare what the instances want of the task @pid with the segment that the records belong to.
 * Sets *@misses if an instance has recorded the task, and records it no more. Returns whether the
 * segment is the same
 */
static bool bts_same_segment(const struct bts_tracer_cpu *cpu, pid_t pid, bool *misses)
{
	unsigned int nr = (u32)READ_ONCE(cpu->state);
	unsigned int now = nr ? nr - 1 : BTS_LAST_SEGMENT;
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	bool same = true;

	*misses = false;
	if ((nr ? cpu->segments[now].pid : cpu->last.pid) != pid)
		return false;
	bts_for_each(inst, &bts_cpu_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		same &= pcpu->segments[now] == pcpu->wants;
		*misses |= pcpu->segments[now] & ~pcpu->wants;
	}
	return same;
}

/**
 * bts_save_name - save a task's name, because blocks are written later
 * @task: the task
 */
void bts_save_name(struct task_struct *task)
{
	__this_cpu_write(trace_taskinfo_save, true);
	tracing_record_cmdline(task);
}

/* Stop recording on this CPU, and drain its buffer. @asked: whether no record may be held */
static void bts_stop_cpu(struct bts_tracer_cpu *cpu, bool asked)
{
	bool changing = cpu->changing, ok;
	unsigned int rings = cpu->rings;

	atomic_inc(&bts_missed);
	cpu->changing = true;
	barrier();
	ok = bts_tracer_disable();
	cpu->rings = 0;
	bts_tracer_drain(!ok, asked);
	if (rings && !in_nmi())
		bts_save_name(current);
	barrier();
	cpu->changing = changing;
}

/* Find the instances whose PID filters select @task. Returns whether there is one */
static bool bts_choose(struct task_struct *task)
{
	struct trace_pid_list *pids, *no_pids;
	struct bts_instance *inst;
	bool chosen, any = false;

	bts_for_each(inst, &bts_cpu_ops) {
		pids = rcu_dereference_sched(inst->tr->function_pids);
		no_pids = rcu_dereference_sched(inst->tr->function_no_pids);
		chosen = !trace_ignore_this_task(pids, no_pids, task);
		this_cpu_ptr(inst->pcpu)->chosen = chosen;
		any |= chosen;
	}
	return any;
}

/*
 * If recording has gone off on another CPU, forget that the instance wants the segments that have
 * begun since then. @begin: index of the first record to be shown. Returns the instance's @stops
 */
static int bts_forget_off(const struct bts_tracer_cpu *cpu, struct bts_instance *inst,
			  unsigned int begin)
{
	/* Read before inst->off and @stop. Pairs with bts_note_stop() */
	int stops = atomic_read_acquire(&inst->stops);
	struct bts_instance_cpu *pcpu = this_cpu_ptr(inst->pcpu);
	unsigned int i, nr = (u32)READ_ONCE(cpu->state);
	u64 first, stop;

	if (stops == pcpu->stops)
		return stops;
	stop = READ_ONCE(pcpu->stop);
	first = bts_tracer_first();
	/* If a segment has begun before, an NMI is about to drain the buffer, or does it now */
	if (first + begin >= stop)
		pcpu->segments[BTS_LAST_SEGMENT] = 0;
	for (i = 0; i < nr; i++) {
		if (first + max(cpu->segments[i].index, begin) >= stop)
			pcpu->segments[i] = 0;
	}
	return stops;
}

/*
 * Find the branches of the running task that each instance wants. Returns the branches that any
 * instance wants, as BTS_RING_*
 */
static unsigned int bts_find_wanted(struct bts_tracer_cpu *cpu)
{
	bool off = READ_ONCE(bts_rebooting) || cpu->paused;
	bool missed = cpu->paused && cpu->chosen;
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	unsigned int rings = 0;
	int stops;

	bts_for_each(inst, &bts_cpu_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		pcpu->wants = 0;
		if (off || !pcpu->chosen)
			continue;
		stops = bts_forget_off(cpu, inst, 0);
		if (!bts_wants(inst, cpu->pid)) {
			missed = true;
			continue;
		}
		missed |= stops != pcpu->stops;
		barrier(); /* An NMI forgets the segments, too, until @stops changes */
		WRITE_ONCE(pcpu->stops, stops);
		pcpu->wants = READ_ONCE(inst->rings) & (BTS_RING_KERNEL | BTS_RING_USER);
		rings |= pcpu->wants;
	}
	if (missed)
		atomic_inc(&bts_missed);
	return rings;
}

static void bts_set_rings(struct bts_tracer_cpu *cpu, unsigned int rings)
{
	if (cpu->rings == rings)
		return;
	if (rings)
		bts_tracer_enable(rings);
	else
		bts_tracer_disable();
	cpu->rings = rings;
}

/* Record the branches that the instances want of the running task */
static void bts_follow(struct bts_tracer_cpu *cpu)
{
	struct bts_segment seg = { .pid = cpu->pid };
	unsigned int rings;
	bool misses, same;

	if (READ_ONCE(bts_dead)) {
		atomic_inc(&bts_missed);
		bts_set_rings(cpu, 0);
		return;
	}
	cpu->changing = true;
	barrier();
	rings = bts_find_wanted(cpu);
	if (!rings && !cpu->rings)
		goto out;
	same = bts_same_segment(cpu, cpu->pid, &misses);
	if (misses)
		atomic_inc(&bts_missed);
	if ((u32)cpu->state == BTS_NR_SEGMENTS || bts_tracer_stuck())
		bts_stop_cpu(cpu, false);
	/* The kernel has died meanwhile, so the records and their segments stay */
	if ((u32)cpu->state == BTS_NR_SEGMENTS)
		goto out;
	if (!cpu->rings) {
		seg.marks = BTS_MARK_GAP | cpu->marks;
		cpu->marks = 0;
	}
	/*
	 * Stop first if no instance records the kernel, so that this code's branches are
	 * left out
	 */
	if (!(rings & BTS_RING_KERNEL))
		bts_set_rings(cpu, rings);
	if (seg.marks || !same)
		bts_segment(cpu, seg);
	bts_set_rings(cpu, rings);
out:
	barrier();
	cpu->changing = false;
}

/* Pause recording on this CPU until the end of the period */
static void bts_pause(struct irq_work *work)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (!cpu || cpu->paused)
		return;
	cpu->paused = true;
	cpu->marks = BTS_MARK_PAUSED;
	bts_follow(cpu);
	mod_timer(&cpu->resume, jiffies + msecs_to_jiffies(BTS_PERIOD_MSECS));
}

static void bts_resume(struct timer_list *timer)
{
	struct bts_tracer_cpu *cpu;

	guard(irqsave)();
	cpu = bts_this_cpu();
	if (!cpu)
		return;
	cpu->paused = false;
	bts_follow(cpu);
}

/*
 * Account a drain that began at @begin, and pause recording if drains have used up the budget. An
 * NMI must not change what the CPU records, so an interrupt does this after the NMI
 */
static void bts_spend(struct bts_tracer_cpu *cpu, u64 begin)
{
	u64 now = trace_clock_local();

	if (now - cpu->period >= BTS_PERIOD_NSECS) {
		cpu->period = begin;
		cpu->spent = 0;
	}
	cpu->spent += now - begin;
	if (cpu->spent * 100 > READ_ONCE(bts_budget) * BTS_PERIOD_NSECS)
		irq_work_queue(&cpu->pause);
}

/**
 * bts_follow_current - update which branches of the current task are recorded
 *
 * Any context.
 */
void bts_follow_current(void)
{
	struct bts_tracer_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = bts_this_cpu();
	/* Otherwise the next task switch updates the CPU */
	if (cpu && !cpu->changing && !in_nmi() && cpu->pid == current->pid) {
		bts_save_name(current);
		bts_follow(cpu);
	}
	local_irq_restore(flags);
}

/* Whether the records have to be held, because all instances have the option */
static bool bts_holds(void)
{
	struct bts_instance *inst;

	bts_for_each(inst, &bts_cpu_ops) {
		if (!(READ_ONCE(inst->rings) & BTS_OPT_HOLD))
			return false;
	}
	return true;
}

static void bts_ask_all(struct irq_work *ignore)
{
	bts_tracer_ask_cpus(true);
}

static struct irq_work bts_ask_work = IRQ_WORK_INIT_HARD(bts_ask_all);

/*
 * Let the CPUs write the records that they have now, to the ring buffer that the instance has
 * now. The caller is about to close this buffer, or to make it the snapshot. The caller does not
 * wait: each CPU gets an NMI, and bts_reserve() finds the buffer by the number of the records.
 */
static void bts_close_buffer(struct bts_instance *inst)
{
	int cpu;

	if (!bts_all_cpus())
		return;
	WRITE_ONCE(inst->closed, inst->tr->array_buffer.buffer);
	for_each_online_cpu(cpu)
		/* Ordered after inst->closed. Pairs with bts_reserve() */
		smp_store_release(&per_cpu_ptr(inst->pcpu, cpu)->until,
				  bts_tracer_number_of(cpu));
	/* This CPU may be sending an IPI, which an NMI must not disturb by another one */
	if (in_nmi())
		irq_work_queue(&bts_ask_work);
	else
		bts_tracer_ask_cpus(true);
}

/*
 * Note where recording goes off on each CPU.  The CPUs find out by bts_forget_off().  A CPU that
 * has not found since an earlier stop that recording was on again keeps that stop.
 */
static void bts_note_stop(struct bts_instance *inst)
{
	int stops = atomic_read(&inst->stops);
	struct bts_instance_cpu *pcpu;
	int cpu;

	if (!bts_all_cpus())
		return;
	/* After inst->off: the segment of a CPU that sets @stops later begins after the stop */
	smp_mb();
	for_each_online_cpu(cpu) {
		pcpu = per_cpu_ptr(inst->pcpu, cpu);
		if (READ_ONCE(pcpu->stops) == stops)
			WRITE_ONCE(pcpu->stop, bts_tracer_number_of(cpu));
	}
	/* Ordered after inst->off and @stop. Pairs with bts_forget_off() */
	atomic_fetch_inc_release(&inst->stops);
}

static void bts_recording_cpus(struct bts_instance *inst, bool on)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	WRITE_ONCE(inst->off, !on);
	/*
	 * Otherwise the next task switch updates the CPU. An NMI has already drained the
	 * buffer
	 */
	if (cpu && !cpu->changing && !in_nmi())
		bts_follow(cpu);
	if (on)
		return;
	bts_note_stop(inst);
	bts_close_buffer(inst);
}

/* Update what this CPU records, because @next runs now, after @prev */
static void bts_run_task(struct bts_tracer_cpu *cpu, struct task_struct *prev,
			 struct task_struct *next, bool chosen)
{
	if (cpu->rings)
		bts_save_name(prev);
	cpu->pid = next->pid;
	cpu->chosen = chosen;
	bts_follow(cpu);
}

static void bts_sched_switch(void *ignore, bool preempt,
			     struct task_struct *prev, struct task_struct *next,
			     unsigned int prev_state)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();
	bool chosen = bts_choose(next);

	if (cpu)
		bts_run_task(cpu, prev, next, chosen);
	else if (chosen)
		atomic_inc(&bts_missed);
}

/* Update what this CPU records for the instances */
static void bts_update_cpu(void *ignore)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (cpu)
		bts_run_task(cpu, current, current, bts_choose(current));
}

/**
 * bts_change - update what each CPU records, because an instance wants other branches now
 *
 * Branches that no instance wanted before may be wanted now.
 */
void bts_change(void)
{
	atomic_inc(&bts_missed);
	bts_update_all();
}

static void bts_drain_cpus(void)
{
	if (bts_all_cpus() && bts_used(&bts_cpu_ops))
		bts_tracer_sync();
}

/* Whether somebody reads an instance while it records. Held records wait for a question */
static bool bts_has_reader(void)
{
	struct bts_instance *inst;

	/* bts_reset() waits for this CPU before it frees an instance */
	guard(irqsave)();
	if (bts_holds())
		return false;
	bts_for_each(inst, &bts_cpu_ops) {
		if (READ_ONCE(inst->tr->trace_ref))
			return true;
	}
	return false;
}

static void bts_drain_for_reader(struct work_struct *work)
{
	if (bts_has_reader()) {
		guard(preempt)();
		bts_tracer_ask_cpus(true);
	}
	schedule_delayed_work(to_delayed_work(work), msecs_to_jiffies(BTS_READER_MSECS));
}

static DECLARE_DELAYED_WORK(bts_reader_work, bts_drain_for_reader);

static int bts_cpu_online(unsigned int nr)
{
	struct bts_tracer_cpu *cpu;
	struct bts_instance *inst;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(bts_tracer_cpus);
	cpu->state = 0;
	memset(&cpu->last, 0, sizeof(cpu->last));
	bts_for_each(inst, &bts_cpu_ops)
		this_cpu_ptr(inst->pcpu)->segments[BTS_LAST_SEGMENT] = 0;
	cpu->rings = 0;
	cpu->paused = false;
	cpu->marks = 0;
	cpu->pause = IRQ_WORK_INIT_HARD(bts_pause);
	timer_setup(&cpu->resume, bts_resume, TIMER_PINNED);
	cpu->up = bts_tracer_try();
	if (!cpu->up)
		cpumask_set_cpu(nr, &bts_mute_cpus);
	bts_update_cpu(NULL);
	local_irq_restore(flags);
	return 0;
}

static int bts_cpu_offline(unsigned int nr)
{
	struct bts_tracer_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(bts_tracer_cpus);
	bts_stop_cpu(cpu, true);
	cpu->up = false;
	cpumask_clear_cpu(nr, &bts_mute_cpus);
	local_irq_restore(flags);
	irq_work_sync(&cpu->pause);
	timer_delete_sync(&cpu->resume);
	return 0;
}

/**
 * bts_dying - stop recording on this CPU, because the kernel is about to print why it dies
 *
 * Nothing is written, because the first line about a crash comes before the branches:
 * bts_write_last() writes the branches. Any context.
 */
void bts_dying(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	WRITE_ONCE(bts_dead, true);
	if (bts_this_cpu())
		bts_tracer_halt(true);
	raw_local_irq_restore(flags);
}

/*
 * Write the branches that the CPUs have recorded up to bts_dying(): of this CPU, and of the other
 * CPUs that answer to an NMI
 */
static void bts_drain_last(void)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (cpu)
		bts_stop_cpu(cpu, true);
	if (bts_all_cpus())
		bts_tracer_drain_others(BTS_OTHERS_USECS);
}

/**
 * bts_trace_suspend - stop recording on this CPU, which is about to lose DEBUGCTL
 *
 * The caller runs on the only CPU that is online, with interrupts off.
 */
void bts_trace_suspend(void)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (cpu)
		bts_stop_cpu(cpu, true);
}

/**
 * bts_trace_resume - resume recording after bts_trace_suspend()
 *
 * Interrupts are off.
 */
void bts_trace_resume(void)
{
	bts_update_cpu(NULL);
}

/**
 * bts_graph_number - get the number for an event of the function_graph tracer
 *
 * Any context, including NMI, with preemption disabled. An instance has the tracer.
 *
 * Return: the number, see BTS_NUMBER_BITS.
 */
u64 bts_graph_number(void)
{
	u64 number;

	if (!IS_ENABLED(CONFIG_CPU_SUP_INTEL))
		return 0;
	number = bts_tracer_number() & (BIT_ULL(BTS_NUMBER_BITS) - 1);
	return number | (u64)smp_processor_id() << BTS_NUMBER_BITS |
	       (bts_tracer_records() ? 0 : BTS_NUMBER_IDLE);
}

/*
 * Writing blocks
 */

/* Write the marks and the records of a piece to the instances that get them */
static void bts_write_piece(struct bts_tracer_cpu *cpu, const struct bts_piece *piece,
			    u64 drained)
{
	const struct bts_segment *seg = &piece->seg;
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	unsigned int rings, all = 0;
	struct bts_run run = {
		.pid	= seg->pid,
		.drained = drained,
		.since	= seg->since,
		.missed	= seg->missed,
		.number	= piece->number,
		.rec	= piece->rec,
		.end	= piece->rec + piece->nr,
	};

	bts_for_each(inst, &bts_cpu_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		if (pcpu->gets & BTS_GETS_MARKS)
			pcpu->marks |= piece->marks;
		pcpu->gets &= ~BTS_GETS_MARKS;
		all |= BIT(pcpu->gets);
	}
	if (!piece->nr)
		return;
	for (rings = 1; rings <= (BTS_RING_KERNEL | BTS_RING_USER); rings++) {
		if (all & BIT(rings))
			bts_write(&bts_cpu_ops, &cpu->writer, rings, &run);
	}
}

/*
 * Write the records that the CPU holds. Returns the number of the first of them. If older records
 * were overwritten, sets *@missed to a new value for the records and for those that follow
 */
static u64 bts_write_held(struct bts_tracer_cpu *cpu, u32 *missed)
{
	struct bts_held *held = cpu->held;
	unsigned int i, lap_nr, piece_nr;
	struct bts_instance *inst;
	struct bts_piece *piece;
	struct bts_lap *lap;
	u64 drained = 0;

	if (held->lost) {
		bts_for_each(inst, &bts_cpu_ops)
			this_cpu_ptr(inst->pcpu)->marks |= BTS_MARK_GAP;
		*missed = atomic_inc_return(&bts_missed);
	}
	for (i = 1; i <= held->nr_laps; i++) {
		lap_nr = (held->now + i) % held->nr_laps;
		lap = &held->laps[lap_nr];
		for (piece_nr = 0; piece_nr < lap->nr_pieces; piece_nr++) {
			piece = &lap->pieces[piece_nr];
			drained = drained ?: piece->number;
			piece->seg.missed = *missed ?: piece->seg.missed;
			bts_find_held(lap_nr, piece_nr, &bts_cpu_ops);
			bts_write_piece(cpu, piece, drained);
		}
		lap->nr = 0;
		lap->nr_pieces = 0;
	}
	held->any = false;
	held->lost = false;
	return drained;
}

/*
 * Whether the records may be written although the kernel dies: a buffer is open, and no buffer is
 * closed that bts_write_last() has still to open
 */
static bool bts_may_write(void)
{
	struct bts_instance *inst;
	bool any = false;

	bts_for_each(inst, &bts_cpu_ops) {
		if (tracer_tracing_is_on(inst->tr))
			any = true;
		else if (!READ_ONCE(inst->off))
			return false;
	}
	return any;
}

static void bts_take_piece(struct bts_tracer_cpu *cpu, const struct bts_piece *piece, bool hold,
			   u64 drained)
{
	if (hold)
		bts_hold(cpu->held, *piece, &bts_cpu_ops);
	else
		bts_write_piece(cpu, piece, drained);
}

/*
 * Set what the instances get of the records of a segment. They get the marks before it if @marks is
 * set, or if what they want has changed since the segment @before. Returns whether any instance
 * gets marks
 */
static bool bts_set_gets(unsigned int segment, unsigned int before, bool marks)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	bool any = false;

	bts_for_each(inst, &bts_cpu_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		pcpu->gets = pcpu->segments[segment];
		if (marks || pcpu->gets != pcpu->segments[before]) {
			pcpu->gets |= BTS_GETS_MARKS;
			any = true;
		}
	}
	return any;
}

/*
 * The segment @seg at index @last becomes the segment of the records before the first of the
 * segments
 */
static void bts_end_segments(struct bts_tracer_cpu *cpu, const struct bts_segment *seg,
			     unsigned int last)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;

	cpu->last = *seg;
	bts_for_each(inst, &bts_cpu_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		pcpu->segments[BTS_LAST_SEGMENT] = pcpu->segments[last];
	}
	/* Begin a new generation, without segments */
	WRITE_ONCE(cpu->state, (cpu->state & ~(u64)U32_MAX) + BIT_ULL(32));
}

/* Write or hold the branches from @begin to @end, segment by segment */
static enum bts_drained bts_drain(const struct bts_record *rec, unsigned int begin,
				  unsigned int end, u64 number, bool dropped, bool asked)
{
	struct bts_tracer_cpu *cpu = this_cpu_ptr(bts_tracer_cpus);
	bool limited = READ_ONCE(bts_budget) < BTS_BUDGET_ALL;
	u64 started = limited ? trace_clock_local() : 0;
	struct bts_held *held = READ_ONCE(cpu->held);
	struct bts_piece piece = { .seg = cpu->last };
	unsigned int i, next, last = BTS_LAST_SEGMENT;
	unsigned int nr = (u32)cpu->state;
	u64 drained = number + begin;
	struct bts_instance *inst;
	u32 missed = 0;
	bool hold;

	if (READ_ONCE(bts_dead) && !bts_may_write())
		return BTS_STAYS;
	hold = held && !asked && !READ_ONCE(bts_dead) && bts_holds();
	if (held && held->any && !hold)
		drained = bts_write_held(cpu, &missed);
	bts_for_each(inst, &bts_cpu_ops)
		bts_forget_off(cpu, inst, begin);
	bts_set_gets(last, last, false);
	for (i = 0; ; i++) {
		next = i < nr ? clamp(cpu->segments[i].index, begin, end) : end;
		piece.rec = rec + begin;
		piece.number = number + begin;
		piece.nr = next > begin ? next - begin : 0;
		piece.seg.missed = missed ?: piece.seg.missed;
		bts_take_piece(cpu, &piece, hold, drained);
		if (i == nr)
			break;
		begin = next;
		piece.seg = cpu->segments[i];
		/* The instances lost branches at the begin of the segment */
		piece.marks = 0;
		if (bts_set_gets(i, last, piece.seg.marks))
			piece.marks = piece.seg.marks | BTS_MARK_GAP;
		last = i;
	}
	if (dropped) {
		bts_set_gets(last, last, true);
		piece.marks = BTS_MARK_DROPPED;
		piece.nr = 0;
		bts_take_piece(cpu, &piece, hold, drained);
	}
	bts_end_segments(cpu, &piece.seg, last);
	if (limited)
		bts_spend(cpu, started);
	return hold ? BTS_HELD : BTS_WRITTEN;
}

/*
 * Taking BTS for the first instance, and giving it back after the last instance
 */

/* Whether the tracer can be used. On a hybrid, one CPU that records is enough */
static bool bts_cpus_record(void)
{
	if (bts_tracer_partial())
		return !cpumask_subset(cpu_online_mask, &bts_mute_cpus);
	return cpumask_empty(&bts_mute_cpus);
}

static void bts_free_cpus(void)
{
	struct bts_tracer_cpu __percpu *cpus = bts_tracer_cpus;
	int cpu;

	if (!cpus)
		return;
	WRITE_ONCE(bts_tracer_cpus, NULL);
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		kvfree(per_cpu_ptr(cpus, cpu)->held);
	free_percpu(cpus);
}

/**
 * bts_prepare_hold - let the CPUs be able to hold records
 * @inst: the instance that wants it
 *
 * The tracer is in use. The caller holds trace_types_lock.
 *
 * Return: 0 or -ENOMEM.
 */
int bts_prepare_hold(struct bts_instance *inst)
{
	struct bts_tracer_cpu __percpu *cpus = bts_all_cpus();
	struct bts_held *held;
	int cpu;

	for_each_possible_cpu(cpu) {
		held = per_cpu_ptr(cpus, cpu)->held ?: bts_alloc_held(cpu, bts_hold_records);
		if (!held)
			return -ENOMEM;
		/* Ordered after the writes of the allocation. The CPU's drains read it */
		smp_store_release(&per_cpu_ptr(cpus, cpu)->held, held);
		if (bts_hold_for(inst, cpu, held))
			return -ENOMEM;
	}
	return 0;
}

static int bts_acquire_cpus(int *mute)
{
	int ret;

	if (!bts_tracer_present())
		return -ENODEV;
	bts_tracer_cpus = alloc_percpu(struct bts_tracer_cpu);
	ret = bts_tracer_cpus ? bts_tracer_get(bts_drain) : -ENOMEM;
	if (ret)
		goto free;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "trace/bts:online",
				bts_cpu_online, bts_cpu_offline);
	if (ret < 0)
		goto put;
	bts_hotplug = ret;
	ret = -ENODEV;
	if (!bts_cpus_record()) {
		*mute = cpumask_first(&bts_mute_cpus);
		goto hotplug;
	}
	bts_list_modules(true);
	schedule_delayed_work(&bts_reader_work, msecs_to_jiffies(BTS_READER_MSECS));
	return 0;

hotplug:
	cpuhp_remove_state(bts_hotplug);
put:
	bts_tracer_put();
free:
	bts_free_cpus();
	return ret;
}

static void bts_release_cpus(void)
{
	if (!bts_all_cpus())
		return;
	cancel_delayed_work_sync(&bts_reader_work);
	irq_work_sync(&bts_ask_work);
	cpuhp_remove_state(bts_hotplug);
	bts_tracer_put();
	bts_free_cpus();
	bts_list_modules(false);
}

static LIST_HEAD(bts_cpu_instances);

const struct bts_ops bts_cpu_ops = {
	.name		= "bts",
	.instances	= &bts_cpu_instances,
	.acquire	= bts_acquire_cpus,
	.release	= bts_release_cpus,
	.recording	= bts_recording_cpus,
	.sched_switch	= bts_sched_switch,
	.update_cpu	= bts_update_cpu,
	.drain		= bts_drain_cpus,
	.snapshot	= bts_close_buffer,
	.drain_last	= bts_drain_last,
};

/*
 * Stop recording, because the memory of the CPUs' buffers belongs to the next kernel
 * after kexec
 */
static int bts_reboot(struct notifier_block *nb, unsigned long event,
		      void *data)
{
	WRITE_ONCE(bts_rebooting, true);
	bts_update_all();
	return NOTIFY_DONE;
}

/* The last notifier, like the notifier of perf */
static struct notifier_block bts_reboot_nb = {
	.notifier_call	= bts_reboot,
	.priority	= INT_MIN,
};

static __init int bts_watch_reboot(void)
{
	return register_reboot_notifier(&bts_reboot_nb);
}
core_initcall(bts_watch_reboot);
