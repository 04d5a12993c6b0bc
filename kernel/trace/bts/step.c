// SPDX-License-Identifier: GPL-2.0
/*
 * Trace chosen tasks in user space, step by step
 *
 * The CPU raises a debug exception after each instruction of these tasks (see
 * arch/x86/kernel/step_tracer.c), and the tracer records the address that the instruction
 * led to. The records of a task are written as blocks of branches, in the format of the
 * bts tracer, when the task is switched out or when there is no room for more records.
 *
 * Several instances may trace at once. Each instance gets the steps that its options
 * select.
 */
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/step_trace.h>
#include <linux/trace.h>

#include <asm/bts.h>
#include <asm/step_tracer.h>

#include "../trace.h"
#include "bts.h"
#include "blocks.h"

/* Options, exactly one of which is set */
#define STEP_OPT_BRANCH		BIT(0)
#define STEP_OPT_INSTRUCTION	BIT(1)
#define STEP_OPT_COUNT		BIT(2)

/* What an instance wants that only counts. Together with BTS_RING_* and BTS_BRANCHES */
#define STEP_COUNT		BIT(4)

#define STEP_NR_RECORDS		256
/* Maximum records of a step: the return to user space, a MOV SS, and the next instruction */
#define STEP_RECORDS_MAX	3

/**
 * struct step_tracer_cpu - the tracer's data of a CPU
 * @chosen: whether an instance has chosen the running task
 * @pid: PID of the running task
 * @instructions: number of instructions that are not written in a line of counts yet
 * @branches: number of branches among @instructions
 * @draining: whether the steps are being written. A function command that runs meanwhile
 *	must not write them.
 * @writer: the writer that encodes blocks
 * @rec: the records of steps that have not been written yet
 *
 * Only the CPU itself uses the data, with interrupts off.
 */
struct step_tracer_cpu {
	bool			chosen;
	pid_t			pid;
	unsigned long		instructions;
	unsigned long		branches;
	bool			draining;
	struct bts_writer	writer;
	struct bts_record	rec[STEP_NR_RECORDS];
};

/* NULL while no instance has the tracer. Readers have interrupts off */
static struct step_tracer_cpu __percpu *step_tracer_cpus;

static struct step_blocks __percpu *step_tracer_blocks;

static struct tracer_opt step_opts[] = {
	/* Record only branches */
	{ .name = "step-branch", .bit = STEP_OPT_BRANCH },
	/* Record all instructions */
	{ .name = "step-instruction", .bit = STEP_OPT_INSTRUCTION },
	/* Write only the number of instructions and branches */
	{ .name = "step-count", .bit = STEP_OPT_COUNT },
	{ }
};

static struct tracer_flags step_flags = {
	.val = STEP_OPT_BRANCH,
	.opts = step_opts,
};

/* Which steps the option selects */
static unsigned int step_rings(u32 option)
{
	/* The same as in the bts tracer with only bts-user set */
	if (option == STEP_OPT_BRANCH)
		return BTS_RING_USER | BTS_BRANCHES;
	if (option == STEP_OPT_COUNT)
		return STEP_COUNT;
	/* Record instructions that enter the kernel as well */
	return BTS_RING_USER | BTS_RING_KERNEL;
}

static const struct bts_ops step_ops;

/*
 * Whether the user has chosen @task for @inst. If the user names no task, no task is
 * chosen
 */
static bool step_chosen(const struct bts_instance *inst, struct task_struct *task)
{
	struct trace_pid_list *pids, *no_pids;
	const struct bts_commands *cmds = READ_ONCE(inst->commands);

	pids = rcu_dereference_sched(inst->tr->function_pids);
	no_pids = rcu_dereference_sched(inst->tr->function_no_pids);
	if (!pids && !(cmds && READ_ONCE(cmds->nr_on)))
		return false;
	return !trace_ignore_this_task(pids, no_pids, task);
}

/* Find the instances that have chosen @task. Returns whether there is one */
static bool step_choose(struct task_struct *task)
{
	struct bts_instance *inst;
	bool chosen, any = false;

	bts_for_each(inst, &step_ops) {
		chosen = !(task->flags & PF_KTHREAD) && step_chosen(inst, task);
		this_cpu_ptr(inst->pcpu)->chosen = chosen;
		any |= chosen;
	}
	return any;
}

static void step_count(struct step_tracer_cpu *cpu, const struct step_cpu *step)
{
	const struct bts_record *rec;

	for (rec = step->rec; rec < step->rec + step->nr; rec++) {
		/* A return to user space does not count */
		if ((s64)rec->from < 0)
			continue;
		cpu->instructions++;
		if ((s64)rec->to >= 0 && !(rec->flags & BTS_RECORD_PLAIN))
			cpu->branches++;
	}
}

/* Write a line with the counts for each instance that only counts */
static void step_write_counts(struct step_tracer_cpu *cpu)
{
	struct bts_instance *inst;
	char line[64];
	int len;

	if (!cpu->instructions)
		return;
	len = scnprintf(line, sizeof(line), "%lu instructions, %lu branches\n",
			cpu->instructions, cpu->branches);
	bts_for_each(inst, &step_ops) {
		if (this_cpu_ptr(inst->pcpu)->gets == STEP_COUNT)
			__trace_array_puts(inst->tr, _THIS_IP_, line, len);
	}
	cpu->instructions = 0;
	cpu->branches = 0;
}

static void step_write(struct step_tracer_cpu *cpu, struct step_cpu *step)
{
	struct bts_run run = {
		.pid	= cpu->pid,
		.rec	= step->rec,
		.end	= step->rec + step->nr,
	};

	bts_save_name(current);
	bts_write(&step_ops, &cpu->writer, BTS_RING_USER | BTS_BRANCHES, &run);
	bts_write(&step_ops, &cpu->writer, BTS_RING_USER | BTS_RING_KERNEL, &run);
	step_count(cpu, step);
	step->nr = 0;
}

/*
 * Write the steps that this CPU has recorded. If @counts is set, write the counts as
 * well. The caller has interrupts off, and is not in an NMI
 */
static void step_drain(struct step_tracer_cpu *cpu, bool counts)
{
	struct step_cpu *step = this_cpu_ptr(&step_cpu);

	if (cpu->draining)
		return;
	cpu->draining = true;
	barrier();
	if (step->nr)
		step_write(cpu, step);
	if (counts)
		step_write_counts(cpu);
	barrier();
	cpu->draining = false;
}

static struct step_tracer_cpu *step_this_cpu(void)
{
	struct step_tracer_cpu __percpu *cpus = READ_ONCE(step_tracer_cpus);

	return cpus ? this_cpu_ptr(cpus) : NULL;
}

/*
 * Find what the instances want of the running task now, and set step_cpu.branches if they all want
 * only branches. Returns whether this is what they get of the recorded steps
 */
static bool step_find_wanted(const struct step_tracer_cpu *cpu)
{
	bool same = true, branches = true;
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;

	bts_for_each(inst, &step_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		pcpu->wants = 0;
		if (pcpu->chosen && bts_wants(inst, cpu->pid))
			pcpu->wants = READ_ONCE(inst->rings);
		same &= pcpu->wants == pcpu->gets;
		branches &= !pcpu->wants || pcpu->wants & BTS_BRANCHES;
	}
	this_cpu_write(step_cpu.branches, branches);
	return same;
}

/*
 * The instances get of the next steps what they want now. They have lost steps if @missed is set,
 * or if they have chosen the task and want no step of it. Returns whether an instance wants steps
 */
static bool step_get_wanted(bool missed)
{
	struct bts_instance_cpu *pcpu;
	struct bts_instance *inst;
	bool any = false;

	bts_for_each(inst, &step_ops) {
		pcpu = this_cpu_ptr(inst->pcpu);
		pcpu->gets = pcpu->wants;
		any |= pcpu->wants;
		if (pcpu->chosen && (missed || !pcpu->wants))
			pcpu->marks |= BTS_MARK_GAP;
	}
	return any;
}

/**
 * step_wanted - tell whether the running task's next step in user space is to be recorded
 *
 * If the step is to be recorded, there is room for its records.
 *
 * Return: true if an instance wants the step.
 */
bool step_wanted(void)
{
	struct step_cpu *step = this_cpu_ptr(&step_cpu);
	struct step_tracer_cpu *cpu = step_this_cpu();
	bool same, missed = step->missed;

	if (!cpu || !cpu->chosen)
		return false;
	same = step_find_wanted(cpu);
	if (!same || missed || step->nr > STEP_NR_RECORDS - STEP_RECORDS_MAX)
		step_drain(cpu, !same);
	step->missed = false;
	return step_get_wanted(missed);
}

/* The instances that have chosen the running task have lost steps of it */
static void step_mark_missed(struct step_cpu *step)
{
	struct bts_instance *inst;

	bts_for_each(inst, &step_ops) {
		if (this_cpu_ptr(inst->pcpu)->chosen)
			this_cpu_ptr(inst->pcpu)->marks |= BTS_MARK_GAP;
	}
	step->missed = false;
}

static void step_sched_switch(void *ignore, bool preempt,
			      struct task_struct *prev, struct task_struct *next,
			      unsigned int prev_state)
{
	struct step_cpu *step = this_cpu_ptr(&step_cpu);
	struct step_tracer_cpu *cpu = step_this_cpu();

	if (!cpu)
		return;
	step_drain(cpu, true);
	step->state = STEP_KERNEL;
	if (step->missed)
		step_mark_missed(step);
	cpu->pid = next->pid;
	cpu->chosen = step_choose(next);
}

/*
 * Write the steps of this CPU, and update which steps it records. The caller has
 * interrupts off
 */
static void step_update_cpu(void *ignore)
{
	struct step_tracer_cpu *cpu = step_this_cpu();

	if (!cpu)
		return;
	step_drain(cpu, true);
	cpu->pid = current->pid;
	cpu->chosen = step_choose(current);
}

/* Write the recorded steps of all CPUs, and update which steps are recorded */
static void step_update_all(void)
{
	if (READ_ONCE(step_tracer_cpus))
		on_each_cpu(step_update_cpu, NULL, 1);
}

static void step_recording(struct bts_instance *inst, bool on)
{
	if (!on && !in_nmi())
		step_update_cpu(NULL);
	WRITE_ONCE(inst->off, !on);
}

/* Write the steps that this CPU has recorded */
static void step_drain_this(void)
{
	struct step_tracer_cpu *cpu = step_this_cpu();

	if (cpu && !in_nmi())
		step_drain(cpu, true);
}

static void step_snapshot(struct bts_instance *inst)
{
	step_drain_this();
}

/* A writer of function commands may be in bts_update_all() */
static void step_free_cpus(void)
{
	struct step_tracer_cpu __percpu *cpus = step_tracer_cpus;

	WRITE_ONCE(step_tracer_cpus, NULL);
	synchronize_rcu();
	free_percpu(step_tracer_blocks);
	free_percpu(cpus);
}

static int step_acquire(int *mute)
{
	int cpu, ret;

	step_tracer_cpus = alloc_percpu(struct step_tracer_cpu);
	step_tracer_blocks = alloc_percpu(struct step_blocks);
	ret = step_tracer_cpus && step_tracer_blocks ? 0 : -ENOMEM;
	if (ret)
		goto free;
	for_each_possible_cpu(cpu)
		per_cpu(step_cpu, cpu) = (struct step_cpu){
			.rec = per_cpu_ptr(step_tracer_cpus, cpu)->rec,
			.blocks = per_cpu_ptr(step_tracer_blocks, cpu),
		};
	ret = step_tracer_get();
	if (!ret)
		return 0;
free:
	step_free_cpus();
	return ret;
}

static void step_release(void)
{
	step_tracer_put();
	step_free_cpus();
}

static LIST_HEAD(step_instances);

static const struct bts_ops step_ops = {
	.name		= "step",
	.instances	= &step_instances,
	.acquire	= step_acquire,
	.release	= step_release,
	.recording	= step_recording,
	.sched_switch	= step_sched_switch,
	.update_cpu	= step_update_cpu,
	.drain		= step_update_all,
	.snapshot	= step_snapshot,
	.drain_last	= step_drain_this,
	.survives	= true,
};

static int step_init(struct trace_array *tr)
{
	return bts_begin(tr, &step_ops, step_rings(tr->current_trace_flags->val));
}

static struct tracer step_tracer;

/* An option is cleared only by setting another option */
static int step_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!set)
		return -EINVAL;
	trace_array_tracer_flags(tr, &step_tracer)->val = bit;
	if (!inst || inst->ops != &step_ops)
		return 0;
	/* Write the steps so far by the previous option */
	bts_flush(tr, false);
	WRITE_ONCE(inst->rings, step_rings(bit));
	return 0;
}

static struct tracer step_tracer = {
	.name		= "step",
	.init		= step_init,
	.reset		= bts_reset,
	.start		= bts_start,
	.recording	= bts_recording,
	.snapshot	= bts_snapshot,
	.flush		= bts_flush,
	.filter		= bts_filter,
	.dying		= bts_dying,
	.open		= bts_open,
	.pipe_open	= bts_open,
	.close		= bts_close,
	.pipe_close	= bts_close,
	.set_flag	= step_set_flag,
	.print_header	= bts_print_header,
	.print_line	= bts_print_line,
	.default_flags	= &step_flags,
	.allow_instances = true,
};

static __init int step_tracer_init(void)
{
	bts_register_ops(&step_ops);
	return register_tracer(&step_tracer);
}
core_initcall(step_tracer_init);
