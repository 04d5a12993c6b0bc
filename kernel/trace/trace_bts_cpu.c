// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: what each CPU records
 *
 * A CPU's buffer has records of several tasks, and of moments when instances
 * wanted different branches. Segments say from which record on what is so. A drain
 * goes over the segments, encodes the branches as trace_bts_codec.h has it, and
 * writes them as blocks into the ring buffers of the instances that want them.
 */
#include <linux/bts_trace.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include <asm/bts.h>

#include <trace/events/sched.h>

#include "trace.h"
#include "trace_bts.h"
#include "trace_bts_codec.h"

/*
 * The bytes of a block. Three of them fit a sub-buffer of one page, with the
 * headers; one that is larger would more often not fit what is left of it.
 */
#define BTS_BLOCK_SIZE		1328

#define BTS_NR_SEGMENTS		128

/**
 * struct bts_segment - what the records of a CPU are from some index on
 * @index: of the first one in the CPU's buffer
 * @pid: the task
 * @kernel: the instances that want its branches to the kernel
 * @user: and those to user space
 * @gap: BTS was off before
 */
struct bts_segment {
	unsigned int		index;
	pid_t			pid;
	u32			kernel;
	u32			user;
	bool			gap;
};

/**
 * struct bts_tracer_cpu - the tracer's part of a CPU
 * @state: how many of @segments are in use, and a generation in the upper half
 * @last: what the records in front of @segments are
 * @segments: one for each switch of task since the buffer was drained
 * @pid: the task that runs, or that sched_switch has said to come next
 * @tasks: instances whose PIDs have it
 * @rings: what is being recorded
 * @changing: that is being changed, which a function command may come across
 * @up: the CPU is online, and the tracer may use it
 * @exp: for encoding a block
 * @block: where it is encoded
 *
 * Written by its CPU only, with interrupts off or in an NMI. An NMI may come at
 * any time and drain the buffer: it takes the segments then, which bts_segment()
 * sees by the generation.
 */
struct bts_tracer_cpu {
	u64			state;
	struct bts_segment	last;
	struct bts_segment	segments[BTS_NR_SEGMENTS];
	pid_t			pid;
	u32			tasks;
	unsigned int		rings;
	bool			changing;
	bool			up;
	struct bts_expected	exp;
	u8			block[BTS_BLOCK_SIZE + BTS_BRANCH_SLACK];
};

/* NULL while no instance has the tracer. Read with interrupts off */
static struct bts_tracer_cpu __percpu *bts_tracer_cpus;

/* The CPUs that have BTS and do not record */
static struct cpumask bts_mute_cpus;

static bool bts_rebooting;	/* nothing is recorded any more */
static enum cpuhp_state bts_hotplug;

/* NULL while no instance has the tracer, and where the CPU is not to be used */
static struct bts_tracer_cpu *bts_this_cpu(void)
{
	struct bts_tracer_cpu __percpu *cpus = READ_ONCE(bts_tracer_cpus);
	struct bts_tracer_cpu *cpu;

	if (!cpus)
		return NULL;
	cpu = this_cpu_ptr(cpus);
	return cpu->up ? cpu : NULL;
}

/*
 * What a CPU records: changed by that CPU only, with interrupts off
 */

/* From here on, the records are what @seg says; its index is set here */
static void bts_segment(struct bts_tracer_cpu *cpu, struct bts_segment seg)
{
	u64 state;

	/* An NMI that drains the buffer meanwhile takes the segments, too */
	do {
		state = READ_ONCE(cpu->state);
		seg.index = bts_tracer_pending();
		cpu->segments[(u32)state] = seg;
	} while (cmpxchg_local(&cpu->state, state, state + 1) != state);
}

/* Is @seg what is recorded already? */
static bool bts_same_segment(const struct bts_tracer_cpu *cpu,
			     const struct bts_segment *seg)
{
	unsigned int nr = (u32)READ_ONCE(cpu->state);
	const struct bts_segment *now;

	now = nr ? &cpu->segments[nr - 1] : &cpu->last;
	return now->pid == seg->pid && now->kernel == seg->kernel &&
	       now->user == seg->user;
}

/* The names of tasks are kept by who writes events while the task runs */
static void bts_save_name(struct task_struct *task)
{
	__this_cpu_write(trace_taskinfo_save, true);
	tracing_record_cmdline(task);
}

static void bts_stop_cpu(struct bts_tracer_cpu *cpu)
{
	bool changing = cpu->changing, ok;
	unsigned int rings = cpu->rings;

	cpu->changing = true;
	barrier();
	ok = bts_tracer_disable();
	cpu->rings = 0;
	bts_tracer_drain(!ok);
	if (rings && !in_nmi())
		bts_save_name(current);
	barrier();
	cpu->changing = changing;
}

/* The instances whose PIDs have @task */
static u32 bts_tasks_mask(struct task_struct *task)
{
	struct trace_pid_list *pids, *no_pids;
	struct bts_instance *inst;
	u32 mask = 0;
	int i;

	for (i = 0; (inst = bts_next_instance(&i)); i++) {
		pids = rcu_dereference_sched(inst->tr->function_pids);
		no_pids = rcu_dereference_sched(inst->tr->function_no_pids);
		if (!trace_ignore_this_task(pids, no_pids, task))
			mask |= BIT(i);
	}
	return mask;
}

/* What is wanted now of the task that runs; returns the rings */
static unsigned int bts_wanted(struct bts_tracer_cpu *cpu,
			       struct bts_segment *seg)
{
	struct bts_instance *inst;
	unsigned int rings;
	int i;

	*seg = (struct bts_segment){ .pid = cpu->pid };
	if (READ_ONCE(bts_rebooting))
		return 0;
	for (i = 0; (inst = bts_next_instance(&i)); i++) {
		if (!(cpu->tasks & BIT(i)) || READ_ONCE(inst->off) ||
		    !tracer_tracing_is_on(inst->tr) ||
		    !cpumask_test_cpu(smp_processor_id(), inst->cpus) ||
		    !bts_armed(inst, cpu->pid))
			continue;
		rings = READ_ONCE(inst->rings);
		if (rings & BTS_RING_KERNEL)
			seg->kernel |= BIT(i);
		if (rings & BTS_RING_USER)
			seg->user |= BIT(i);
	}
	return (seg->kernel ? BTS_RING_KERNEL : 0) |
	       (seg->user ? BTS_RING_USER : 0);
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

/* Record what is wanted of the task now */
static void bts_follow(struct bts_tracer_cpu *cpu)
{
	struct bts_segment seg;
	unsigned int rings;

	rings = bts_wanted(cpu, &seg);
	if (!rings && !cpu->rings)
		return;
	cpu->changing = true;
	barrier();
	if ((u32)cpu->state == BTS_NR_SEGMENTS || bts_tracer_stuck())
		bts_stop_cpu(cpu);
	seg.gap = !cpu->rings;
	/* What this does itself belongs to who has the kernel recorded */
	if (!(rings & BTS_RING_KERNEL))
		bts_set_rings(cpu, rings);
	if (seg.gap || !bts_same_segment(cpu, &seg))
		bts_segment(cpu, seg);
	bts_set_rings(cpu, rings);
	barrier();
	cpu->changing = false;
}

/**
 * bts_follow_current - the branches that instances want of this task have changed
 *
 * Any context.
 */
void bts_follow_current(void)
{
	struct bts_tracer_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = bts_this_cpu();
	/* Otherwise, the task's next switch does that */
	if (cpu && !cpu->changing && !in_nmi() && cpu->pid == current->pid) {
		bts_save_name(current);
		bts_follow(cpu);
	}
	local_irq_restore(flags);
}

/**
 * bts_recording_here - an instance has begun or ended to record
 *
 * This CPU takes note of it. Interrupts are off, or this is an NMI.
 */
void bts_recording_here(void)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	/* An NMI has drained the buffer, and the task's next switch does the rest */
	if (cpu && !cpu->changing && !in_nmi())
		bts_follow(cpu);
}

static void bts_sched_switch(void *ignore, bool preempt,
			     struct task_struct *prev, struct task_struct *next,
			     unsigned int prev_state)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (!cpu)
		return;
	bts_tracer_settle();
	if (cpu->rings)
		bts_save_name(prev);
	cpu->pid = next->pid;
	cpu->tasks = bts_tasks_mask(next);
	bts_follow(cpu);
}

/* Look at what is wanted of this CPU now */
static void bts_update_cpu(void *ignore)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (!cpu)
		return;
	if (cpu->rings)
		bts_save_name(current);
	cpu->pid = current->pid;
	cpu->tasks = bts_tasks_mask(current);
	bts_follow(cpu);
}

/**
 * bts_update_all - have each CPU look at what the instances want of it
 */
void bts_update_all(void)
{
	on_each_cpu(bts_update_cpu, NULL, 1);
}

/**
 * bts_drain_all - write what the CPUs' buffers hold
 *
 * The CPUs go on to record, without a gap.
 */
void bts_drain_all(void)
{
	bts_tracer_drain_cpus(true, USEC_PER_SEC);
}

static int bts_cpu_online(unsigned int nr)
{
	struct bts_tracer_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(bts_tracer_cpus);
	cpu->state = 0;
	memset(&cpu->last, 0, sizeof(cpu->last));
	cpu->rings = 0;
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
	bts_stop_cpu(cpu);
	cpu->up = false;
	cpumask_clear_cpu(nr, &bts_mute_cpus);
	local_irq_restore(flags);
	return 0;
}

/**
 * bts_trace_crash - write what led to a crash
 *
 * Drains the buffer of this CPU, which records no more branches until it
 * switches to another task, and those of the others, as far as they answer to an
 * NMI. Any context.
 */
void bts_trace_crash(void)
{
	struct bts_tracer_cpu *cpu;
	unsigned long flags;

	raw_local_irq_save(flags);
	cpu = bts_this_cpu();
	if (cpu)
		bts_stop_cpu(cpu);
	if (READ_ONCE(bts_tracer_cpus))
		bts_tracer_drain_cpus(false, BTS_OTHERS_USECS);
	raw_local_irq_restore(flags);
}

/**
 * bts_trace_suspend - stop recording on this CPU, it is about to lose DEBUGCTL
 *
 * It is the only one that is online, and interrupts are off.
 */
void bts_trace_suspend(void)
{
	struct bts_tracer_cpu *cpu = bts_this_cpu();

	if (cpu)
		bts_stop_cpu(cpu);
}

/**
 * bts_trace_resume - go on where bts_trace_suspend() has stopped
 *
 * Interrupts are off.
 */
void bts_trace_resume(void)
{
	bts_update_cpu(NULL);
}

/*
 * Writing blocks
 */

static void bts_write_block(struct bts_instance *inst, const u8 *block,
			    unsigned int size, unsigned int nr, pid_t pid)
{
	struct bts_instance_cpu *pcpu = this_cpu_ptr(inst->pcpu);
	struct trace_buffer *buffer = inst->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct bts_entry *entry;

	event = trace_buffer_lock_reserve(buffer, TRACE_BTS,
					  sizeof(*entry) + size, 0);
	if (event) {
		entry = ring_buffer_event_data(event);
		entry->ent.pid = pid;
		entry->first = pcpu->count;
		entry->modules = READ_ONCE(bts_modules_nr);
		entry->nr = nr;
		entry->marks = pcpu->marks;
		if (pid != pcpu->pid)
			entry->marks |= BTS_MARK_TASK;
		/* What comes before all is no gap */
		if (!pcpu->count)
			entry->marks &= BTS_MARK_DROPPED;
		memcpy(entry->data, block, size);
		trace_buffer_unlock_commit_nostack(buffer, event);
		pcpu->marks = 0;
		pcpu->pid = pid;
	}
	pcpu->count += nr;
}

/*
 * Of the records from @rec to @end those of the sides @rings, which @inst wants.
 * The side is the sign of the address that a branch goes to. @rings is constant: most
 * of the time of a drain is spent here.
 */
static __always_inline void bts_write_rings(struct bts_instance *inst,
					    struct bts_tracer_cpu *cpu,
					    pid_t pid, unsigned int rings,
					    const struct bts_record *rec,
					    const struct bts_record *end)
{
	const u8 *limit = cpu->block + BTS_BLOCK_SIZE - BTS_BRANCH_MAX - 1;
	/* The first of a block, or as many behind it as are left out */
	const struct bts_record *first = rec;
	struct bts_encoder enc;

	bts_encode_start(&enc, cpu->block, &cpu->exp);
	for (; rec < end; rec++) {
		/* What is expected is of a side that is wanted */
		if (bts_encode_run(&enc, rec->from, rec->to))
			continue;
		if (((s64)rec->to < 0 && !(rings & BTS_RING_KERNEL)) ||
		    ((s64)rec->to >= 0 && !(rings & BTS_RING_USER))) {
			first++;
			continue;
		}
		bts_encode(&enc, rec->from, rec->to);
		if (unlikely(enc.pos > limit)) {
			bts_encode_end(&enc);
			bts_write_block(inst, cpu->block, enc.pos - cpu->block,
					rec + 1 - first, pid);
			bts_encode_start(&enc, cpu->block, &cpu->exp);
			first = rec + 1;
		}
	}
	bts_encode_end(&enc);
	if (rec > first)
		bts_write_block(inst, cpu->block, enc.pos - cpu->block,
				rec - first, pid);
}

/* Of the records from @rec to @end those that @inst wants, for it is in @seg */
static void bts_write(struct bts_instance *inst, struct bts_tracer_cpu *cpu,
		      const struct bts_segment *seg, u32 bit,
		      const struct bts_record *rec,
		      const struct bts_record *end)
{
	if (!(seg->user & bit))
		bts_write_rings(inst, cpu, seg->pid, BTS_RING_KERNEL, rec, end);
	else if (!(seg->kernel & bit))
		bts_write_rings(inst, cpu, seg->pid, BTS_RING_USER, rec, end);
	else
		bts_write_rings(inst, cpu, seg->pid,
				BTS_RING_KERNEL | BTS_RING_USER, rec, end);
}

static void bts_write_segment(struct bts_tracer_cpu *cpu,
			      const struct bts_segment *seg,
			      const struct bts_record *rec,
			      const struct bts_record *end)
{
	u32 mask = seg->kernel | seg->user;
	struct bts_instance *inst;
	int i;

	for (i = 0; (inst = bts_next_instance(&i)); i++) {
		if (mask & BIT(i))
			bts_write(inst, cpu, seg, BIT(i), rec, end);
	}
}

/* Of what an instance has from @seg on, something is missing, or before that */
static void bts_mark_gaps(const struct bts_segment *last,
			  const struct bts_segment *seg)
{
	u32 changed = (last->kernel ^ seg->kernel) | (last->user ^ seg->user);
	struct bts_instance *inst;
	int i;

	for (i = 0; (inst = bts_next_instance(&i)); i++) {
		if (seg->gap || changed & BIT(i))
			this_cpu_ptr(inst->pcpu)->marks |= BTS_MARK_GAP;
	}
}

static void bts_mark_dropped(void)
{
	struct bts_instance *inst;
	int i;

	for (i = 0; (inst = bts_next_instance(&i)); i++)
		this_cpu_ptr(inst->pcpu)->marks |= BTS_MARK_DROPPED;
}

/* The records from @begin to @end, by the segments that they are in */
static void bts_drain(const struct bts_record *rec, unsigned int begin,
		      unsigned int end, bool dropped)
{
	struct bts_tracer_cpu *cpu = this_cpu_ptr(bts_tracer_cpus);
	unsigned int nr = (u32)cpu->state;
	unsigned int i, next;

	for (i = 0; i <= nr; i++) {
		next = i < nr ? clamp(cpu->segments[i].index, begin, end) : end;
		if (begin < next)
			bts_write_segment(cpu, &cpu->last, rec + begin, rec + next);
		begin = next;
		if (i < nr) {
			bts_mark_gaps(&cpu->last, &cpu->segments[i]);
			cpu->last = cpu->segments[i];
		}
	}
	if (dropped)
		bts_mark_dropped();
	/* Another generation, without segments */
	WRITE_ONCE(cpu->state, (cpu->state & ~(u64)U32_MAX) + BIT_ULL(32));
}

/*
 * BTS while an instance has the tracer
 */

/* May the tracer be used? Of a hybrid, a CPU that records is enough */
static bool bts_cpus_record(void)
{
	if (bts_tracer_partial())
		return !cpumask_subset(cpu_online_mask, &bts_mute_cpus);
	return cpumask_empty(&bts_mute_cpus);
}

static void bts_free_cpus(void)
{
	struct bts_tracer_cpu __percpu *cpus = bts_tracer_cpus;

	WRITE_ONCE(bts_tracer_cpus, NULL);
	synchronize_rcu();
	free_percpu(cpus);
	bts_free_dump();
}

/**
 * bts_acquire - take BTS for the first instance
 * @mute: gets the first CPU that has BTS and records no branch, for -ENODEV, or
 *	nr_cpu_ids
 *
 * Return: 0, -ENODEV, -EBUSY or -ENOMEM.
 */
int bts_acquire(int *mute)
{
	int ret;

	*mute = nr_cpu_ids;
	ret = bts_alloc_dump();
	if (ret)
		return ret;
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
	ret = register_trace_sched_switch(bts_sched_switch, NULL);
	if (ret)
		goto hotplug;
	bts_list_modules(true);
	return 0;

hotplug:
	cpuhp_remove_state(bts_hotplug);
put:
	bts_tracer_put();
free:
	bts_free_cpus();
	return ret;
}

/**
 * bts_release - give BTS back, for the last instance is gone
 */
void bts_release(void)
{
	unregister_trace_sched_switch(bts_sched_switch, NULL);
	tracepoint_synchronize_unregister();
	cpuhp_remove_state(bts_hotplug);
	bts_tracer_put();
	bts_free_cpus();
	bts_list_modules(false);
}

/* What is booted by kexec has no debug store where the CPUs write to */
static int bts_reboot(struct notifier_block *nb, unsigned long event,
		      void *data)
{
	WRITE_ONCE(bts_rebooting, true);
	bts_update_all();
	return NOTIFY_DONE;
}

/* The last one, as perf's */
static struct notifier_block bts_reboot_nb = {
	.notifier_call	= bts_reboot,
	.priority	= INT_MIN,
};

/**
 * bts_watch_reboot - have the CPUs stop recording before a reboot or kexec
 */
void __init bts_watch_reboot(void)
{
	register_reboot_notifier(&bts_reboot_nb);
}
