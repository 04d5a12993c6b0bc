// SPDX-License-Identifier: GPL-2.0
/*
 * Trace every branch that the CPU takes, with Intel's Branch Trace Store
 *
 * The CPU writes a record of each branch into a buffer of its own (see
 * arch/x86/events/intel/bts_tracer.c). When that is drained, its branches are
 * encoded, as trace_bts_codec.h has it, and written into the ring buffers of the
 * instances that want them, many in one event.
 *
 * Several instances may trace at once. The CPU records what any of them wants of
 * the task that runs; each gets what it has asked for.
 */
#include <linux/bts_trace.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/reboot.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include <asm/bts.h>
#include <asm/sections.h>

#include <trace/events/sched.h>

#include "trace.h"
#include "trace_bts_codec.h"
#include "trace_output.h"

/* Options: what branches are recorded, by the side they go to */
#define BTS_OPT_KERNEL	BTS_RING_KERNEL
#define BTS_OPT_USER	BTS_RING_USER

/* What comes before a block's first branch */
#define BTS_MARK_GAP		BIT(0)	/* nothing was recorded for a while */
#define BTS_MARK_TASK		BIT(1)	/* the block before is another task's */
#define BTS_MARK_DROPPED	BIT(2)	/* the CPU may have dropped records */

/*
 * The bytes of a block. Three of them fit a sub-buffer of one page, with the
 * headers; one that is larger would more often not fit what is left of it.
 */
#define BTS_BLOCK_SIZE		1328

/* How long other CPUs have for writing their branches, where that cannot wait */
#define BTS_OTHERS_USECS	(20 * USEC_PER_MSEC)

#define BTS_NR_INSTANCES	32
#define BTS_NR_SEGMENTS		128

/**
 * struct bts_instance_cpu - what an instance has of a CPU
 * @count: how many branches it was given, written or not
 * @pid: whose the last block was
 * @marks: what is to be said in the next block
 */
struct bts_instance_cpu {
	u64			count;
	pid_t			pid;
	u16			marks;
};

/**
 * struct bts_commands - the function commands of a trace instance
 * @list: entry in bts_commands
 * @tr: the instance
 * @active: this is its tracer
 * @ref: how many struct bts_probe use this
 * @nr_on: functions with bts_on; if there are any, tasks begin disarmed
 * @nr_off: functions with bts_off
 * @toggled: the tasks, by PID, that are not as they began
 */
struct bts_commands {
	struct list_head	list;
	struct trace_array	*tr;
	bool			active;
	unsigned int		ref;
	unsigned int		nr_on;
	unsigned int		nr_off;
	unsigned long		*toggled;
};

/**
 * struct bts_instance - a trace instance whose tracer this is
 * @tr: the instance
 * @rings: what its options say
 * @off: its recording is off
 * @commands: the function commands that arm and disarm tasks, if it has any
 * @cpus: the CPUs that it traces
 * @pcpu: what it has of each CPU
 */
struct bts_instance {
	struct trace_array	*tr;
	unsigned int		rings;
	bool			off;
	struct bts_commands	*commands;
	cpumask_var_t		cpus;
	struct bts_instance_cpu __percpu *pcpu;
};

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

/*
 * Changed under trace_types_lock. An instance that is taken out is not in the
 * mask of any CPU any more once bts_update_all() has returned.
 */
static struct bts_instance *bts_instances[BTS_NR_INSTANCES];
static int bts_nr_instances;	/* none is behind that */
static bool bts_rebooting;	/* nothing is recorded any more */
static enum cpuhp_state bts_hotplug;

static struct tracer bts_tracer;

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

/* The first instance from *@i on, and its number in *@i; NULL if there is none */
static struct bts_instance *bts_next_instance(int *i)
{
	struct bts_instance *inst;

	for (; *i < READ_ONCE(bts_nr_instances); (*i)++) {
		inst = READ_ONCE(bts_instances[*i]);
		if (inst)
			return inst;
	}
	return NULL;
}

/*
 * Modules
 *
 * A trace has addresses of modules that may be gone when it is read, and others
 * in their place. A block has the number of modules that had been loaded when it
 * was written; of a module that came later it cannot have branches.
 *
 * While no instance has the tracer, modules are only counted: a block that is
 * left from then may name modules if none has come since.
 */

static u32 bts_modules_nr;	/* how many have been loaded */
static u32 bts_modules_base;	/* when those that are not in the list had been */

#ifdef CONFIG_MODULES

/**
 * struct bts_module - a module that was loaded
 * @list: entry in bts_modules
 * @mod: the module
 * @nr: how many had been loaded, with it
 * @rcu: to free it
 */
struct bts_module {
	struct list_head	list;
	struct module		*mod;
	u32			nr;
	struct rcu_head		rcu;
};

/* Read under RCU, changed under the mutex */
static LIST_HEAD(bts_modules);
static DEFINE_MUTEX(bts_modules_mutex);
static bool bts_modules_listed;

static struct bts_module *bts_find_module(struct module *mod)
{
	struct bts_module *m;

	list_for_each_entry_rcu(m, &bts_modules, list,
				lockdep_is_held(&bts_modules_mutex)) {
		if (m->mod == mod)
			return m;
	}
	return NULL;
}

/* Is @addr of a module, and of one that was loaded when @modules had been? */
static bool bts_module_valid(unsigned long addr, u32 modules)
{
	struct bts_module *m;
	struct module *mod;

	guard(rcu)();
	guard(preempt)();
	mod = __module_text_address(addr);
	if (!mod)
		return false;
	m = bts_find_module(mod);
	return (s32)(modules - (m ? m->nr : READ_ONCE(bts_modules_base))) >= 0;
}

static void bts_module_coming(struct module *mod)
{
	struct bts_module *m = NULL;

	guard(mutex)(&bts_modules_mutex);
	if (bts_modules_listed)
		m = kmalloc(sizeof(*m), GFP_KERNEL);
	if (m) {
		m->mod = mod;
		m->nr = bts_modules_nr + 1;
		list_add_rcu(&m->list, &bts_modules);
	} else {
		/* Earlier blocks have addresses, not names */
		WRITE_ONCE(bts_modules_base, bts_modules_nr + 1);
	}
	WRITE_ONCE(bts_modules_nr, bts_modules_nr + 1);
}

static void bts_module_going(struct module *mod)
{
	struct bts_module *m;

	guard(mutex)(&bts_modules_mutex);
	m = bts_find_module(mod);
	if (m) {
		list_del_rcu(&m->list);
		kfree_rcu(m, rcu);
	}
}

/* List modules that come from now on, or have none in the list */
static void bts_list_modules(bool list)
{
	struct bts_module *m, *next;

	guard(mutex)(&bts_modules_mutex);
	WRITE_ONCE(bts_modules_base, bts_modules_nr);
	bts_modules_listed = list;
	if (list)
		return;
	list_for_each_entry_safe(m, next, &bts_modules, list) {
		list_del_rcu(&m->list);
		kfree_rcu(m, rcu);
	}
}

#else

static void bts_list_modules(bool list)
{
}

static bool bts_module_valid(unsigned long addr, u32 modules)
{
	return false;
}

#endif /* CONFIG_MODULES */

/* Is @addr the same now as when @modules had been loaded? */
static bool bts_address_valid(unsigned long addr, u32 modules)
{
	/* is_kernel_text() takes the vsyscall page for the kernel's, too */
	return __is_kernel_text(addr) || bts_module_valid(addr, modules);
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

static bool bts_commands_armed(const struct bts_commands *cmds, pid_t pid)
{
	return test_bit(pid, cmds->toggled) == !!READ_ONCE(cmds->nr_on);
}

static bool bts_armed(const struct bts_instance *inst, pid_t pid)
{
	const struct bts_commands *cmds = READ_ONCE(inst->commands);

	return !cmds || bts_commands_armed(cmds, pid);
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

static void bts_update_all(void)
{
	on_each_cpu(bts_update_cpu, NULL, 1);
}

/* What CPUs hold back is written. They go on, without a gap */
static void bts_drain_all(void)
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

/* Of the records from @rec to @end those that @inst wants, for it is in @seg */
static void bts_write(struct bts_instance *inst, struct bts_tracer_cpu *cpu,
		      const struct bts_segment *seg, u32 bit,
		      const struct bts_record *rec,
		      const struct bts_record *end)
{
	/* The side is the sign of the address that a branch goes to */
	u64 side = seg->kernel & bit ? ~0ULL : 0;
	u64 sign = seg->kernel & seg->user & bit ? 0 : BIT_ULL(63);
	const u8 *limit = cpu->block + BTS_BLOCK_SIZE - BTS_BRANCH_MAX;
	/* The first of a block, or as many behind it as are left out */
	const struct bts_record *first = rec;
	struct bts_encoder enc;

	bts_encode_start(&enc, cpu->block, &cpu->exp);
	for (; rec < end; rec++) {
		/* What is expected is of a side that is wanted */
		if (bts_encode_run(&enc, rec->from, rec->to))
			continue;
		if ((s64)((rec->to ^ side) & sign) < 0) {
			first++;
			continue;
		}
		bts_encode(&enc, rec->from, rec->to);
		if (unlikely(enc.pos > limit)) {
			bts_write_block(inst, cpu->block, enc.pos - cpu->block,
					rec + 1 - first, seg->pid);
			bts_encode_start(&enc, cpu->block, &cpu->exp);
			first = rec + 1;
		}
	}
	if (rec > first)
		bts_write_block(inst, cpu->block, enc.pos - cpu->block,
				rec - first, seg->pid);
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
 * The tracer
 */

enum {
	BTS_ERR_NODEV, BTS_ERR_MUTE, BTS_ERR_BUSY, BTS_ERR_NOSPC, BTS_ERR_NOMEM,
	BTS_NR_ERRS
};

/* tracing_log_err() wants them so */
static const char *bts_errs[BTS_NR_ERRS] = {
	"This machine has no BTS: the CPU is not Intel's, or its firmware or the hypervisor keep it off",
	"This CPU says that it has BTS and records no branch: a hypervisor or the firmware keeps it off",
	"The CPU's debug store is in use: perf records with BTS, LBR or PT, or another driver has the PMU",
	"As many instances as there can be have the tracer",
	"There is no memory for the CPUs' buffers",
};

static struct tracer_opt bts_opts[] = {
	/* Branches to the kernel */
	{ .name = "bts-kernel", .bit = BTS_OPT_KERNEL },
	/* Branches to user space */
	{ .name = "bts-user", .bit = BTS_OPT_USER },
	{ }
};

static struct tracer_flags bts_flags = {
	.val = BTS_OPT_KERNEL,
	.opts = bts_opts,
};

/* The instance of @tr, or where there is room for it, -ENOSPC if there is not */
static int bts_find_instance(struct trace_array *tr)
{
	int i, slot = -ENOSPC;

	for (i = 0; i < BTS_NR_INSTANCES; i++) {
		struct bts_instance *inst = READ_ONCE(bts_instances[i]);

		if (inst && inst->tr == tr)
			return i;
		if (!inst && slot < 0)
			slot = i;
	}
	return slot;
}

static struct bts_instance *bts_instance(struct trace_array *tr)
{
	int i = bts_find_instance(tr);

	return i < 0 ? NULL : READ_ONCE(bts_instances[i]);
}

static bool bts_used(void)
{
	int i = 0;

	return bts_next_instance(&i);
}

/*
 * Function commands: FUNC:bts_on and FUNC:bts_off arm and disarm the task that
 * calls FUNC while the tracer records
 */

/**
 * struct bts_probe - the functions of an instance with one of the commands
 * @cmds: the instance's
 * @counts: for each function, how often it still works; -1: always
 */
struct bts_probe {
	struct bts_commands		*cmds;
	struct ftrace_func_mapper	*counts;
};

/*
 * The mutex is for the list, for what is in it, and for bts_instance::commands.
 * sched_process_fork's probe goes over the list under RCU.
 */
static LIST_HEAD(bts_commands);
static DEFINE_MUTEX(bts_commands_mutex);

static struct bts_commands *bts_find_commands(struct trace_array *tr)
{
	struct bts_commands *cmds;

	lockdep_assert_held(&bts_commands_mutex);
	list_for_each_entry(cmds, &bts_commands, list) {
		if (cmds->tr == tr)
			return cmds;
	}
	return NULL;
}

/* A PID that is used again is another task's */
static void bts_sched_fork(void *ignore, struct task_struct *parent,
			   struct task_struct *child)
{
	struct bts_commands *cmds;

	/* Newer kernels call it under SRCU of their own */
	guard(rcu)();
	list_for_each_entry_rcu(cmds, &bts_commands, list)
		clear_bit(child->pid, cmds->toggled);
}

/* A thread that is not the leader of its process has the leader's PID after exec */
static void bts_sched_exec(void *ignore, struct task_struct *task,
			   struct linux_binprm *bprm)
{
	struct bts_commands *cmds;

	guard(rcu)();
	list_for_each_entry_rcu(cmds, &bts_commands, list) {
		if (test_bit(task->pid, cmds->toggled))
			set_bit(task->tgid, cmds->toggled);
		else
			clear_bit(task->tgid, cmds->toggled);
	}
}

static int bts_register_commands(void)
{
	int ret;

	ret = register_trace_sched_process_fork(bts_sched_fork, NULL);
	if (ret)
		return ret;
	ret = register_trace_sched_prepare_exec(bts_sched_exec, NULL);
	if (ret)
		unregister_trace_sched_process_fork(bts_sched_fork, NULL);
	return ret;
}

static void bts_unregister_commands(void)
{
	unregister_trace_sched_prepare_exec(bts_sched_exec, NULL);
	unregister_trace_sched_process_fork(bts_sched_fork, NULL);
}

static struct bts_commands *bts_alloc_commands(struct trace_array *tr)
{
	struct bts_commands *cmds;

	cmds = kzalloc(sizeof(*cmds), GFP_KERNEL);
	if (!cmds)
		return NULL;
	cmds->tr = tr;
	cmds->toggled = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (!cmds->toggled ||
	    (list_empty(&bts_commands) && bts_register_commands())) {
		vfree(cmds->toggled);
		kfree(cmds);
		return NULL;
	}
	list_add_rcu(&cmds->list, &bts_commands);
	return cmds;
}

static void bts_put_commands(struct bts_commands *cmds)
{
	lockdep_assert_held(&bts_commands_mutex);
	if (--cmds->ref)
		return;
	list_del_rcu(&cmds->list);
	if (list_empty(&bts_commands))
		bts_unregister_commands();
	if (bts_instance(cmds->tr))
		WRITE_ONCE(bts_instance(cmds->tr)->commands, NULL);
	/* Which every CPU takes note of, with interrupts off */
	bts_update_all();
	synchronize_rcu();
	vfree(cmds->toggled);
	kfree(cmds);
}

static struct bts_probe *bts_alloc_probe(struct trace_array *tr)
{
	struct bts_commands *cmds;
	struct bts_probe *probe;

	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return NULL;
	probe->counts = allocate_ftrace_func_mapper();
	if (!probe->counts) {
		kfree(probe);
		return NULL;
	}
	guard(mutex)(&bts_commands_mutex);
	cmds = bts_find_commands(tr);
	if (!cmds)
		cmds = bts_alloc_commands(tr);
	if (!cmds) {
		free_ftrace_func_mapper(probe->counts, NULL);
		kfree(probe);
		return NULL;
	}
	cmds->ref++;
	probe->cmds = cmds;
	if (bts_instance(tr)) {
		WRITE_ONCE(bts_instance(tr)->commands, cmds);
		WRITE_ONCE(cmds->active, true);
	}
	return probe;
}

static void bts_free_probe(struct bts_probe *probe)
{
	guard(mutex)(&bts_commands_mutex);
	bts_put_commands(probe->cmds);
	free_ftrace_func_mapper(probe->counts, NULL);
	kfree(probe);
}

static struct ftrace_probe_ops bts_on_ops, bts_off_ops;

/* One function more or less */
static void bts_count_commands(struct bts_commands *cmds,
			       struct ftrace_probe_ops *ops, int more)
{
	bool any_on;

	guard(mutex)(&bts_commands_mutex);
	any_on = cmds->nr_on;
	if (ops == &bts_on_ops)
		WRITE_ONCE(cmds->nr_on, cmds->nr_on + more);
	else
		cmds->nr_off += more;
	/* All begin anew where how they begin changes, or nothing changes it */
	if (any_on != !!cmds->nr_on || !(cmds->nr_on + cmds->nr_off)) {
		bitmap_zero(cmds->toggled, PID_MAX_LIMIT);
		bts_update_all();
	}
}

static int bts_probe_init(struct ftrace_probe_ops *ops, struct trace_array *tr,
			  unsigned long ip, void *init_data, void **data)
{
	struct bts_probe *probe = *data;
	int ret;

	if (!probe)
		probe = bts_alloc_probe(tr);
	if (!probe)
		return -ENOMEM;
	ret = ftrace_func_mapper_add_ip(probe->counts, ip, init_data);
	if (ret < 0) {
		if (!*data)
			bts_free_probe(probe);
		return ret;
	}
	*data = probe;
	bts_count_commands(probe->cmds, ops, 1);
	return 0;
}

static void bts_probe_free(struct ftrace_probe_ops *ops, struct trace_array *tr,
			   unsigned long ip, void *data)
{
	struct bts_probe *probe = data;

	if (!probe)
		return;
	if (!ip) {
		bts_free_probe(probe);
		return;
	}
	ftrace_func_mapper_remove_ip(probe->counts, ip);
	bts_count_commands(probe->cmds, ops, -1);
}

/* False if the function has done that often enough */
static bool bts_probe_count(struct bts_probe *probe, unsigned long ip)
{
	long *count, old;

	count = (long *)ftrace_func_mapper_find_ip(probe->counts, ip);
	if (!count)
		return false;
	old = READ_ONCE(*count);
	do {
		if (old < 0)
			return true;
		if (!old)
			return false;
	} while (!try_cmpxchg(count, &old, old - 1));
	return true;
}

static void bts_probe_func(unsigned long ip, unsigned long parent_ip,
			   struct trace_array *tr, struct ftrace_probe_ops *ops,
			   void *data)
{
	struct bts_probe *probe = data;
	bool on = ops == &bts_on_ops;
	struct bts_tracer_cpu *cpu;
	struct bts_commands *cmds;
	unsigned long flags;

	/* NULL where a further function could not be added */
	if (!probe)
		return;
	cmds = probe->cmds;
	if (!READ_ONCE(cmds->active) || !tracer_tracing_is_on(tr) ||
	    bts_commands_armed(cmds, current->pid) == on ||
	    !bts_probe_count(probe, ip))
		return;
	/* An interrupt may have done the same meanwhile */
	if (on == !!READ_ONCE(cmds->nr_on))
		set_bit(current->pid, cmds->toggled);
	else
		clear_bit(current->pid, cmds->toggled);
	local_irq_save(flags);
	cpu = bts_this_cpu();
	/* Otherwise, the task's next switch does that */
	if (cpu && !cpu->changing && !in_nmi() &&
	    cpu->pid == current->pid) {
		bts_save_name(current);
		bts_follow(cpu);
	}
	local_irq_restore(flags);
}

static int bts_probe_print(struct seq_file *m, unsigned long ip,
			   struct ftrace_probe_ops *ops, void *data)
{
	struct bts_probe *probe = data;
	long *count = NULL;

	if (probe)
		count = (long *)ftrace_func_mapper_find_ip(probe->counts, ip);
	seq_printf(m, "%ps:%s", (void *)ip, ops == &bts_on_ops ? "bts_on" : "bts_off");
	if (count && *count >= 0)
		seq_printf(m, ":count=%ld\n", *count);
	else
		seq_puts(m, ":unlimited\n");
	return 0;
}

static struct ftrace_probe_ops bts_on_ops = {
	.func	= bts_probe_func,
	.init	= bts_probe_init,
	.free	= bts_probe_free,
	.print	= bts_probe_print,
};

static struct ftrace_probe_ops bts_off_ops = {
	.func	= bts_probe_func,
	.init	= bts_probe_init,
	.free	= bts_probe_free,
	.print	= bts_probe_print,
};

static int bts_command(struct trace_array *tr, struct ftrace_hash *hash,
		       char *glob, char *cmd, char *param, int enable)
{
	struct ftrace_probe_ops *ops;
	unsigned long count = -1;
	int ret;

	if (!tr)
		return -ENODEV;
	/* In set_ftrace_filter only */
	if (!enable)
		return -EINVAL;
	ops = strcmp(cmd, "bts_on") ? &bts_off_ops : &bts_on_ops;
	if (glob[0] == '!')
		return unregister_ftrace_function_probe_func(glob + 1, tr, ops);
	if (param && *param) {
		ret = kstrtoul(param, 0, &count);
		if (ret)
			return ret;
		if ((long)count < 0)
			return -EINVAL;
	}
	ret = register_ftrace_function_probe(glob, tr, ops, (void *)count);
	return ret < 0 ? ret : 0;
}

static struct ftrace_func_command bts_on_command = {
	.name	= "bts_on",
	.func	= bts_command,
};

static struct ftrace_func_command bts_off_command = {
	.name	= "bts_off",
	.func	= bts_command,
};

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
}

/*
 * Takes BTS for the first instance. Where that is -ENODEV, *@mute is the first
 * CPU that has BTS and does not record, if there is one.
 */
static int bts_acquire(int *mute)
{
	int ret;

	*mute = nr_cpu_ids;
	bts_tracer_cpus = alloc_percpu(struct bts_tracer_cpu);
	if (!bts_tracer_cpus)
		return -ENOMEM;
	ret = bts_tracer_get(bts_drain);
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

static void bts_release(void)
{
	unregister_trace_sched_switch(bts_sched_switch, NULL);
	tracepoint_synchronize_unregister();
	cpuhp_remove_state(bts_hotplug);
	bts_tracer_put();
	bts_free_cpus();
	bts_list_modules(false);
}

static void bts_free_instance(struct bts_instance *inst)
{
	free_percpu(inst->pcpu);
	free_cpumask_var(inst->cpus);
	kfree(inst);
}

static struct bts_instance *bts_alloc_instance(struct trace_array *tr)
{
	struct bts_instance *inst;

	inst = kzalloc(sizeof(*inst), GFP_KERNEL);
	if (!inst)
		return NULL;
	inst->pcpu = alloc_percpu(struct bts_instance_cpu);
	if (!inst->pcpu || !alloc_cpumask_var(&inst->cpus, GFP_KERNEL)) {
		free_percpu(inst->pcpu);
		kfree(inst);
		return NULL;
	}
	inst->tr = tr;
	inst->rings = tr->current_trace_flags->val;
	cpumask_copy(inst->cpus, tr->tracing_cpumask);
	return inst;
}

static void bts_log_err(struct trace_array *tr, int err, int mute)
{
	u8 type = err == -ENODEV ? BTS_ERR_NODEV :
		  err == -EBUSY ? BTS_ERR_BUSY :
		  err == -ENOSPC ? BTS_ERR_NOSPC : BTS_ERR_NOMEM;
	char cmd[32];

	scnprintf(cmd, sizeof(cmd), "%s", bts_tracer.name);
	if (err == -ENODEV && mute < nr_cpu_ids) {
		scnprintf(cmd, sizeof(cmd), "%s on CPU %d", bts_tracer.name, mute);
		type = BTS_ERR_MUTE;
	}
	tracing_log_err(tr, "bts", cmd, bts_errs, type, 0);
}

static int bts_init(struct trace_array *tr)
{
	struct bts_instance *inst;
	int slot, ret, mute = nr_cpu_ids;

	slot = bts_find_instance(tr);
	inst = slot < 0 ? NULL : bts_alloc_instance(tr);
	if (!inst) {
		ret = slot < 0 ? slot : -ENOMEM;
		goto err;
	}
	ret = bts_used() ? 0 : bts_acquire(&mute);
	if (ret)
		goto free;
	tracing_start_cmdline_record();
	scoped_guard(mutex, &bts_commands_mutex) {
		inst->commands = bts_find_commands(tr);
		if (inst->commands) {
			bitmap_zero(inst->commands->toggled, PID_MAX_LIMIT);
			WRITE_ONCE(inst->commands->active, true);
		}
		WRITE_ONCE(bts_instances[slot], inst);
		bts_nr_instances = max(bts_nr_instances, slot + 1);
	}
	bts_update_all();
	return 0;

free:
	bts_free_instance(inst);
err:
	bts_log_err(tr, ret, mute);
	return ret;
}

static void bts_reset(struct trace_array *tr)
{
	int slot = bts_find_instance(tr);
	struct bts_instance *inst;

	if (slot < 0 || !bts_instances[slot])
		return;
	inst = bts_instances[slot];
	WRITE_ONCE(inst->off, true);
	bts_update_all();
	bts_drain_all();
	/* No CPU has it in a mask now, but one may be going over the instances */
	scoped_guard(mutex, &bts_commands_mutex) {
		if (inst->commands)
			WRITE_ONCE(inst->commands->active, false);
		WRITE_ONCE(bts_instances[slot], NULL);
	}
	bts_update_all();
	if (!bts_used())
		bts_release();
	tracing_stop_cmdline_record();
	bts_free_instance(inst);
}

/* ->start, once recording has been switched on */
static void bts_start(struct trace_array *tr)
{
	bts_update_all();
}

/* ->recording, see struct tracer */
static void bts_recording(struct trace_array *tr, bool on)
{
	struct bts_tracer_cpu *cpu;
	struct bts_instance *inst;
	unsigned long flags;

	/* The instance may be on its way out, which waits for this CPU */
	local_irq_save(flags);
	inst = bts_instance(tr);
	cpu = bts_this_cpu();
	if (inst)
		WRITE_ONCE(inst->off, !on);
	/* An NMI has drained the buffer, and the task's next switch does the rest */
	if (inst && cpu && !cpu->changing && !in_nmi())
		bts_follow(cpu);
	if (inst && !on)
		bts_tracer_drain_cpus(!in_nmi(), BTS_OTHERS_USECS);
	local_irq_restore(flags);
}

/* ->flush, see struct tracer */
static void bts_flush(struct trace_array *tr, bool stop)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!inst)
		return;
	if (stop) {
		WRITE_ONCE(inst->off, true);
		bts_update_all();
	}
	bts_drain_all();
}

/* ->filter, see struct tracer */
static void bts_filter(struct trace_array *tr, const struct cpumask *cpus)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!inst)
		return;
	if (cpus)
		cpumask_copy(inst->cpus, cpus);
	bts_update_all();
	if (cpus)
		bts_drain_all();
}

static int bts_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	struct bts_instance *inst = bts_instance(tr);
	u32 rings = set ? old_flags | bit : old_flags & ~bit;

	if (!rings)
		return -EINVAL;
	if (!inst)
		return 0;
	WRITE_ONCE(inst->rings, rings);
	bts_update_all();
	return 0;
}

/*
 * Printing
 */

/**
 * struct bts_reader - a file of the trace while it is being read
 * @dec: behind the branch that was read last
 * @cpu: the CPU that it is of
 * @lines: how many branches of its block have been read
 * @first: the block's first branch
 * @next: for each CPU, the branch that is expected to come next
 */
struct bts_reader {
	struct bts_decoder	dec;
	int			cpu;
	unsigned int		lines;
	u64			first;
	u64 __percpu		*next;
};

/**
 * struct bts_found - a branch that is to be printed
 * @from: its instruction
 * @to: where it led
 * @left: how many branches come behind it in its block
 */
struct bts_found {
	u64			from;
	u64			to;
	unsigned int		left;
};

/* ftrace_dump() cannot allocate any, and there is one of it at a time */
static DEFINE_PER_CPU(u64, bts_dump_next);
static struct bts_reader bts_dump_reader = { .next = &bts_dump_next };

static void bts_open(struct trace_iterator *iter)
{
	struct bts_reader *reader;
	int cpu;

	if (irqs_disabled()) {
		for_each_possible_cpu(cpu)
			per_cpu(bts_dump_next, cpu) = 0;
		bts_dump_reader.first = -1;
		iter->private = &bts_dump_reader;
		return;
	}
	bts_flush(iter->tr, false);
	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (reader)
		reader->next = alloc_percpu(u64);
	if (reader && !reader->next) {
		kfree(reader);
		reader = NULL;
	}
	if (reader)
		reader->first = -1;
	iter->private = reader;
}

static void bts_close(struct trace_iterator *iter)
{
	struct bts_reader *reader = iter->private;

	iter->private = NULL;
	if (!reader || reader == &bts_dump_reader)
		return;
	free_percpu(reader->next);
	kfree(reader);
}

/* NULL where there is none, or where another tracer prints what is left of this */
static struct bts_reader *bts_get_reader(struct trace_iterator *iter)
{
	return iter->trace == &bts_tracer ? iter->private : NULL;
}

/*
 * Finds the branch that is line iter->line of the entry. Leaves in @found its
 * addresses and how many are left; false if the block is none.
 */
static bool bts_find_branch(struct trace_iterator *iter,
			    struct bts_found *found)
{
	struct bts_reader *reader = bts_get_reader(iter);
	unsigned int lines = 0, size;
	struct bts_decoder *dec;
	struct bts_entry *entry;
	int ret = 1;

	*found = (struct bts_found){ };
	dec = reader ? &reader->dec : kmalloc(sizeof(*dec), GFP_NOWAIT);
	if (!dec)
		return false;
	trace_assign_type(entry, iter->ent);
	size = iter->ent_size - sizeof(*entry);
	/* From where the reader was, if that was this block */
	if (reader && iter->line && reader->first == entry->first &&
	    reader->cpu == iter->cpu && reader->lines <= iter->line + 1 &&
	    reader->dec.end == entry->data + size)
		lines = reader->lines;
	else
		bts_decode_start(dec, entry->data, size, entry->nr);
	for (; ret == 1 && lines <= iter->line; lines++)
		ret = bts_decode(dec);
	if (reader) {
		reader->cpu = iter->cpu;
		reader->lines = ret == 1 ? lines : UINT_MAX;
		reader->first = entry->first;
	}
	found->from = dec->from;
	found->to = dec->to;
	found->left = ret == 1 ? dec->left : 0;
	if (!reader)
		kfree(dec);
	return ret == 1;
}

/* What comes before a block */
static void bts_print_marks(struct trace_iterator *iter)
{
	struct bts_reader *reader = bts_get_reader(iter);
	struct trace_seq *s = &iter->seq;
	struct bts_entry *entry;
	u64 *next, lost = 0;

	trace_assign_type(entry, iter->ent);
	if (reader) {
		next = per_cpu_ptr(reader->next, iter->cpu);
		if (entry->first > *next)
			lost = entry->first - *next;
		if (lost && !*next)
			trace_seq_printf(s, "CPU:%d [%llu BRANCHES BEFORE THIS]\n",
					 iter->cpu, lost);
		else if (lost)
			trace_seq_printf(s, "CPU:%d [LOST %llu BRANCHES]\n",
					 iter->cpu, lost);
	}
	if (entry->marks & BTS_MARK_DROPPED)
		trace_seq_printf(s, "CPU:%d [BRANCHES DROPPED BY THE CPU]\n",
				 iter->cpu);
	if (entry->marks & BTS_MARK_GAP)
		trace_seq_printf(s, "CPU:%d [GAP]\n", iter->cpu);
}

static void bts_print_context(struct trace_iterator *iter)
{
	struct trace_entry *entry = iter->ent;
	struct trace_seq *s = &iter->seq;
	char comm[TASK_COMM_LEN];

	/* No flags: those of the time when it was drained say nothing */
	trace_find_cmdline(entry->pid, comm);
	trace_seq_printf(s, "%16s-%-7d ", comm, entry->pid);
	trace_seq_printf(s, "[%03d] ", iter->cpu);
	if (iter->iter_flags & TRACE_FILE_TIME_IN_NS) {
		u64 usecs = ns2usecs(iter->ts);
		u32 rem = do_div(usecs, USEC_PER_SEC);

		trace_seq_printf(s, "%5llu.%06u: ", usecs, rem);
	} else {
		trace_seq_printf(s, "%12llu: ", iter->ts);
	}
}

static void bts_print_kernel(struct trace_iterator *iter, unsigned long addr,
			     u32 modules, unsigned long flags)
{
	unsigned long ip = trace_adjust_address(iter->tr, addr);
	struct trace_seq *s = &iter->seq;
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];
	const char *sym = NULL;
	char *modname;
	bool valid;

	/* When an earlier boot had which modules is not known */
	if (trace_array_last_boot(iter->tr))
		valid = __is_kernel_text(ip);
	else
		valid = bts_address_valid(ip, modules);
	if (valid)
		sym = kallsyms_lookup(ip, &size, &offset, &modname, name);
	if (!sym) {
		trace_seq_printf(s, "0x%lx", addr);
		return;
	}
	trace_seq_printf(s, "%s+0x%lx", sym, offset);
	if (modname)
		trace_seq_printf(s, " [%s]", modname);
	if (flags & TRACE_ITER(SYM_ADDR))
		trace_seq_printf(s, " <%lx>", addr);
}

static struct mm_struct *bts_get_mm(struct trace_iterator *iter)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	if (!(iter->tr->trace_flags & TRACE_ITER(SYM_USEROBJ)))
		return NULL;
	rcu_read_lock();
	task = find_task_by_pid_ns(iter->ent->pid, &init_pid_ns);
	if (task)
		mm = get_task_mm(task);
	rcu_read_unlock();
	return mm;
}

/* As seq_print_user_ip() does, but only if the address is in the mapping */
static bool bts_print_file(struct trace_seq *s, struct mm_struct *mm,
			   unsigned long addr)
{
	struct vm_area_struct *vma;
	bool found = false;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file) {
		trace_seq_path(s, file_user_path(vma->vm_file));
		trace_seq_printf(s, "[+0x%lx]", addr - vma->vm_start);
		found = true;
	}
	mmap_read_unlock(mm);
	return found;
}

static void bts_print_user(struct trace_iterator *iter, unsigned long addr,
			   unsigned long flags)
{
	struct mm_struct *mm = bts_get_mm(iter);
	bool found = false;

	if (mm) {
		found = bts_print_file(&iter->seq, mm, addr);
		mmput(mm);
	}
	if (!found)
		trace_seq_printf(&iter->seq, "0x%lx", addr);
	else if (flags & TRACE_ITER(SYM_ADDR))
		trace_seq_printf(&iter->seq, " <%lx>", addr);
}

static void bts_print_address(struct trace_iterator *iter, u64 addr,
			      unsigned long flags)
{
	struct bts_entry *entry;

	trace_assign_type(entry, iter->ent);
	if ((s64)addr < 0)
		bts_print_kernel(iter, addr, entry->modules, flags);
	else
		bts_print_user(iter, addr, flags);
}

static enum print_line_t bts_print_end(struct trace_iterator *iter,
				       const struct bts_found *found)
{
	struct bts_reader *reader = bts_get_reader(iter);
	struct bts_entry *entry;

	trace_assign_type(entry, iter->ent);
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	if (found->left)
		return TRACE_TYPE_MORE_LINES;
	if (reader)
		*per_cpu_ptr(reader->next, iter->cpu) = entry->first + entry->nr;
	return TRACE_TYPE_HANDLED;
}

/* One branch, as print_fmt and the tracer have it */
static enum print_line_t bts_print_branch(struct trace_iterator *iter,
					  unsigned long flags)
{
	struct trace_seq *s = &iter->seq;
	struct bts_found found;

	if (!bts_find_branch(iter, &found)) {
		trace_seq_puts(s, "[not a block of branches]\n");
		return bts_print_end(iter, &found);
	}
	bts_print_address(iter, found.from, flags);
	trace_seq_puts(s, " -> ");
	bts_print_address(iter, found.to, flags);
	trace_seq_putc(s, '\n');
	return bts_print_end(iter, &found);
}

static enum print_line_t bts_print_line(struct trace_iterator *iter)
{
	unsigned long flags = iter->tr->trace_flags;

	if (iter->ent->type != TRACE_BTS)
		return TRACE_TYPE_UNHANDLED;
	if (flags & (TRACE_ITER(BIN) | TRACE_ITER(HEX) | TRACE_ITER(RAW) |
		     TRACE_ITER(FIELDS)))
		return TRACE_TYPE_UNHANDLED;
	if (!iter->line)
		bts_print_marks(iter);
	if (flags & TRACE_ITER(CONTEXT_INFO))
		bts_print_context(iter);
	return bts_print_branch(iter, flags & TRACE_ITER_SYM_MASK);
}

static void bts_print_header(struct seq_file *m)
{
	seq_puts(m, "# The time is when the block was drained that a branch is in\n#\n");
	seq_puts(m, "#           TASK-PID     CPU#    TIMESTAMP  FROM -> TO\n");
	seq_puts(m, "#              | |         |         |         |\n");
}

static enum print_line_t bts_event_trace(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	return bts_print_branch(iter, flags);
}

static enum print_line_t bts_event_raw(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	struct bts_found found;

	if (bts_find_branch(iter, &found))
		trace_seq_printf(&iter->seq, "%llx %llx\n", found.from, found.to);
	return bts_print_end(iter, &found);
}

static struct trace_event_functions bts_event_funcs = {
	.trace		= bts_event_trace,
	.raw		= bts_event_raw,
};

static struct trace_event bts_event = {
	.type		= TRACE_BTS,
	.funcs		= &bts_event_funcs,
};

static struct tracer bts_tracer __read_mostly = {
	.name		= "bts",
	.init		= bts_init,
	.reset		= bts_reset,
	.start		= bts_start,
	.present	= bts_tracer_present,
	.recording	= bts_recording,
	.flush		= bts_flush,
	.filter		= bts_filter,
	.open		= bts_open,
	.pipe_open	= bts_open,
	.close		= bts_close,
	.pipe_close	= bts_close,
	.set_flag	= bts_set_flag,
	.print_header	= bts_print_header,
	.print_line	= bts_print_line,
	.default_flags	= &bts_flags,
	.allow_instances = true,
};

#ifdef CONFIG_MODULES

static int bts_module_notify(struct notifier_block *nb, unsigned long state,
			     void *data)
{
	switch (state) {
	case MODULE_STATE_COMING:
		bts_module_coming(data);
		break;
	case MODULE_STATE_LIVE:
		/* Its init code goes */
		if (bts_used())
			bts_drain_all();
		break;
	case MODULE_STATE_GOING:
		if (bts_used())
			bts_drain_all();
		bts_module_going(data);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block bts_module_nb = {
	.notifier_call = bts_module_notify,
};

static void __init bts_watch_modules(void)
{
	register_module_notifier(&bts_module_nb);
}

#else

static void __init bts_watch_modules(void)
{
}

#endif /* CONFIG_MODULES */

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

static __init int bts_tracer_init(void)
{
	if (!register_trace_event(&bts_event))
		return -EINVAL;
	bts_watch_modules();
	register_reboot_notifier(&bts_reboot_nb);
	register_ftrace_command(&bts_on_command);
	register_ftrace_command(&bts_off_command);
	return register_tracer(&bts_tracer);
}
core_initcall(bts_tracer_init);
