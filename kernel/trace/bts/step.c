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

#include <trace/events/sched.h>

#include "../trace.h"
#include "bts.h"
#include "blocks.h"

/* Options, exactly one of which is set */
#define STEP_OPT_BRANCH		BIT(0)
#define STEP_OPT_INSTRUCTION	BIT(1)
#define STEP_OPT_COUNT		BIT(2)

#define STEP_NR_RECORDS		256
/* Maximum records of a step: the return to user space, a MOV SS, and the next instruction */
#define STEP_RECORDS_MAX	3

/**
 * struct step_tracer_cpu - the tracer's data of a CPU
 * @tasks: mask of the instances that have chosen the running task
 * @wanted: mask of the instances that want the recorded steps
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
	u32			tasks;
	u32			wanted;
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
		return 0;
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

/* Find the instances that have chosen @task */
static u32 step_tasks_mask(struct task_struct *task)
{
	struct bts_instance *inst;
	u32 mask = 0;
	int i;

	if (task->flags & PF_KTHREAD)
		return 0;
	for (i = 0; (inst = bts_next(&i, &step_ops)); i++) {
		if (step_chosen(inst, task))
			mask |= BIT(i);
	}
	return mask;
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
	int i, len;

	if (!cpu->instructions)
		return;
	len = scnprintf(line, sizeof(line), "%lu instructions, %lu branches\n",
			cpu->instructions, cpu->branches);
	for (i = 0; (inst = bts_next(&i, &step_ops)); i++) {
		if (cpu->wanted & BIT(i) && !READ_ONCE(inst->rings))
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
	u32 branches = 0, all = 0;
	struct bts_instance *inst;
	unsigned int rings;
	int i;

	bts_save_name(current);
	for (i = 0; (inst = bts_next(&i, &step_ops)); i++) {
		rings = READ_ONCE(inst->rings);
		if (!(cpu->wanted & BIT(i)) || !rings)
			continue;
		if (rings & BTS_BRANCHES)
			branches |= BIT(i);
		else
			all |= BIT(i);
	}
	bts_write(bts_instances, branches, &cpu->writer,
		  BTS_RING_USER | BTS_BRANCHES, &run);
	bts_write(bts_instances, all, &cpu->writer,
		  BTS_RING_USER | BTS_RING_KERNEL, &run);
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
 * Find the instances that want the steps of the running task now, and set
 * step_cpu.branches if they all want only branches
 */
static u32 step_wanted_mask(const struct step_tracer_cpu *cpu)
{
	u32 left = cpu->tasks, mask = 0;
	struct bts_instance *inst;
	bool branches = true;
	int i;

	for (; left; left &= left - 1) {
		i = __ffs(left);
		inst = READ_ONCE(bts_instances[i]);
		if (!inst || !bts_wants(inst, cpu->pid))
			continue;
		mask |= BIT(i);
		branches &= !!(READ_ONCE(inst->rings) & BTS_BRANCHES);
	}
	this_cpu_write(step_cpu.branches, branches);
	return mask;
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
	u32 mask;

	if (!cpu || !cpu->tasks)
		return false;
	mask = step_wanted_mask(cpu);
	if (mask != cpu->wanted || step->missed ||
	    step->nr > STEP_NR_RECORDS - STEP_RECORDS_MAX)
		step_drain(cpu, mask != cpu->wanted);
	cpu->wanted = mask;
	if (step->missed)
		bts_mark(&step_ops, mask, BTS_MARK_GAP);
	step->missed = false;
	if (cpu->tasks & ~mask)
		bts_mark(&step_ops, cpu->tasks & ~mask, BTS_MARK_GAP);
	return mask;
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
		bts_mark(&step_ops, cpu->tasks, BTS_MARK_GAP);
	step->missed = false;
	cpu->pid = next->pid;
	cpu->tasks = step_tasks_mask(next);
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
	cpu->tasks = step_tasks_mask(current);
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
	ret = register_trace_sched_switch(step_sched_switch, NULL);
	if (ret)
		goto free;
	ret = step_tracer_get();
	if (!ret)
		return 0;
	unregister_trace_sched_switch(step_sched_switch, NULL);
	tracepoint_synchronize_unregister();
free:
	free_percpu(step_tracer_blocks);
	free_percpu(step_tracer_cpus);
	step_tracer_cpus = NULL;
	return ret;
}

static void step_release(void)
{
	struct step_tracer_cpu __percpu *cpus = step_tracer_cpus;

	step_tracer_put();
	unregister_trace_sched_switch(step_sched_switch, NULL);
	tracepoint_synchronize_unregister();
	WRITE_ONCE(step_tracer_cpus, NULL);
	synchronize_rcu();
	free_percpu(step_tracer_blocks);
	free_percpu(cpus);
}

static const struct bts_ops step_ops = {
	.name		= "step",
	.acquire	= step_acquire,
	.release	= step_release,
	.recording	= step_recording,
	.update		= step_update_all,
	.drain		= step_update_all,
	.snapshot	= step_snapshot,
	.drain_last	= step_drain_this,
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
