// SPDX-License-Identifier: GPL-2.0
/*
 * Trace every branch that the CPU takes, with Intel's Branch Trace Store
 *
 * The CPU writes a record of each branch into its buffer (see
 * arch/x86/events/intel/bts_tracer.c). A drain of this buffer encodes the branches as
 * bts/codec.h describes, and writes blocks of branches into the ring buffers of the
 * instances. A block is one event.
 *
 * Several instances may trace at once. The CPU records the branches of the running task
 * that any instance wants. Each instance gets the branches that its options select.
 */
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

#include <trace/events/sched.h>

#include "trace.h"
#include "trace_graph_args.h"
#include "bts/bts.h"
#include "bts/range.h"

enum {
	BTS_ERR_NODEV, BTS_ERR_MUTE, BTS_ERR_BUSY, BTS_ERR_NOMEM, BTS_ERR_EXPOSED,
	BTS_NR_ERRS
};

/* The errors for tracing_log_err(), by BTS_ERR_* */
static const char *bts_errs[BTS_NR_ERRS] = {
	"This machine has no BTS, see the tracer step and the option funcgraph-lbr: the CPU is not Intel's, or its firmware or the hypervisor keep it off",
	"This CPU says that it has BTS and records no branch, see the tracer step and the option funcgraph-lbr: a hypervisor or the firmware keeps it off",
	"The CPU's debug store is in use: perf records with BTS, LBR or PT, or another driver has the PMU",
	"There is no memory for the CPUs' buffers",
	"Any user could read the kernel's addresses by Meltdown: set the parameter expose_kernel of trace_bts to allow this",
};

/* Whether to record the kernel's branches although any user could read their addresses */
static bool expose_kernel;
module_param(expose_kernel, bool, 0644);

/* Neither of the parameters may be 0 */
static int bts_set_limit(const char *val, const struct kernel_param *kp)
{
	unsigned int max = kp->arg == &bts_budget ? BTS_BUDGET_ALL : BTS_HOLD_MAX;

	return param_set_uint_minmax(val, kp, 1, max);
}

static const struct kernel_param_ops bts_limit_ops = {
	.set	= bts_set_limit,
	.get	= param_get_uint,
};

module_param_cb(budget, &bts_limit_ops, &bts_budget, 0644);
module_param_cb(hold, &bts_limit_ops, &bts_hold_records, 0644);

static struct tracer_opt bts_opts[] = {
	/* Branches to the kernel */
	{ .name = "bts-kernel", .bit = BTS_OPT_KERNEL },
	/* Branches to user space */
	{ .name = "bts-user", .bit = BTS_OPT_USER },
	/* Hold the last branches until somebody asks for them */
	{ .name = "bts-hold", .bit = BTS_OPT_HOLD },
	{ }
};

static struct tracer_flags bts_flags = {
	.val = BTS_OPT_KERNEL,
	.opts = bts_opts,
};

/**
 * bts_graph_numbered - tell whether events of the function_graph tracer have numbers
 *
 * The caller holds trace_types_lock.
 *
 * Return: true if so, false otherwise.
 */
bool bts_graph_numbered(void)
{
	return IS_ENABLED(CONFIG_FUNCTION_ARG_SIGS) && bts_used(&bts_cpu_ops);
}

/* Write to error_log why a tracer cannot be set. @mute: see acquire() of struct bts_ops */
static void bts_log_err(struct trace_array *tr, const char *tracer, int err, int mute)
{
	u8 type = err == -ENODEV ? BTS_ERR_NODEV :
		  err == -EBUSY ? BTS_ERR_BUSY :
		  err == -EPERM ? BTS_ERR_EXPOSED : BTS_ERR_NOMEM;
	char cmd[32];

	scnprintf(cmd, sizeof(cmd), "%s", tracer);
	if (err == -ENODEV && mute < nr_cpu_ids) {
		scnprintf(cmd, sizeof(cmd), "%s on CPU %d", tracer, mute);
		type = BTS_ERR_MUTE;
	}
	tracing_log_err(tr, tracer, cmd, bts_errs, type, 0);
}

/*
 * exec has given the leader's PID to a thread that is not the leader. The next task switch may
 * be long after that
 */
static void bts_sched_exec(void *data, struct task_struct *task, pid_t old_pid,
			   struct linux_binprm *bprm)
{
	const struct bts_ops *ops = data;

	if (task->pid == old_pid)
		return;
	guard(irqsave)();
	bts_commands_exec(ops, task, old_pid);
	ops->update_cpu(NULL);
}

/* Begin to use the CPUs, for the first instance. @mute: see struct bts_ops */
static int bts_acquire(const struct bts_ops *ops, int *mute)
{
	int ret = ops->acquire(mute);

	if (ret)
		return ret;
	ret = register_trace_sched_switch(ops->sched_switch, NULL);
	if (ret)
		goto release;
	ret = register_trace_sched_process_exec(bts_sched_exec, (void *)ops);
	if (!ret)
		return 0;
	unregister_trace_sched_switch(ops->sched_switch, NULL);
	tracepoint_synchronize_unregister();
release:
	ops->release();
	return ret;
}

/* End to use the CPUs, after the last instance */
static void bts_release(const struct bts_ops *ops)
{
	unregister_trace_sched_process_exec(bts_sched_exec, (void *)ops);
	unregister_trace_sched_switch(ops->sched_switch, NULL);
	tracepoint_synchronize_unregister();
	ops->release();
}

/**
 * bts_begin - give an instance a tracer, and begin to record
 * @tr: the instance
 * @ops: the tracer
 * @rings: the branches to record: BTS_RING_*, BTS_BRANCHES
 *
 * Return: 0, or an error that is in error_log.
 */
int bts_begin(struct trace_array *tr, const struct bts_ops *ops, unsigned int rings)
{
	struct bts_instance *inst = bts_alloc_instance(tr, ops);
	int ret = -ENOMEM, mute = nr_cpu_ids;

	if (!inst)
		goto err;
	ret = bts_find_ranges(tr, &inst->ranges) ?: bts_alloc_dump();
	if (ret)
		goto free;
	ret = bts_used(ops) ? 0 : bts_acquire(ops, &mute);
	if (ret)
		goto free;
	if (rings & BTS_OPT_HOLD)
		ret = bts_prepare_hold(inst);
	if (ret)
		goto release;
	inst->rings = rings;
	/* The kernel has survived */
	bts_write_last();
	if (bts_tracer_present())
		bts_tracer_halt(false);
	WRITE_ONCE(bts_dead, false);
	tracing_start_cmdline_record();
	scoped_guard(mutex, &bts_commands_mutex) {
		inst->commands = bts_begin_commands(tr);
		list_add_rcu(&inst->list, ops->instances);
	}
	graph_update_numbered();
	bts_change();
	return 0;

release:
	if (!bts_used(ops))
		bts_release(ops);
free:
	bts_free_instance(inst);
err:
	bts_log_err(tr, ops->name, ret, mute);
	return ret;
}

/**
 * bts_reset - write the recorded branches of an instance, which gets another tracer
 * @tr: the instance
 *
 * The callback reset() of struct tracer.
 */
void bts_reset(struct trace_array *tr)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!inst)
		return;
	bts_flush(tr, true);
	/* The instance wants no branches now, but a CPU may still walk all instances */
	scoped_guard(mutex, &bts_commands_mutex) {
		bts_end_commands(inst->commands);
		list_del_rcu(&inst->list);
	}
	bts_update_all();
	graph_update_numbered();
	tracing_stop_cmdline_record();
	if (!bts_used(inst->ops))
		bts_release(inst->ops);
	bts_free_instance(inst);
}

/**
 * bts_start - begin to record again, because recording has been switched on
 * @tr: the instance
 *
 * The callback start() of struct tracer.
 */
void bts_start(struct trace_array *tr)
{
	bts_update_all();
}

/* Whether an instance has stopped, because the kernel dies or has survived an oops */
static bool bts_has_died(const struct bts_instance *inst)
{
	return READ_ONCE(bts_dead) && (!inst->ops->survives || oops_in_progress);
}

/**
 * bts_recording - recording is switched on or off
 * @tr: the instance
 * @on: whether it is switched on
 *
 * The callback recording() of struct tracer.
 */
void bts_recording(struct trace_array *tr, bool on)
{
	struct bts_instance *inst;

	/* bts_reset() waits for this CPU before it frees the instance */
	guard(irqsave)();
	inst = bts_instance(tr);
	/* The first line about a crash comes before the branches */
	if (inst && !bts_has_died(inst))
		inst->ops->recording(inst, on);
}

/**
 * bts_snapshot - let the CPUs write their branches to the buffer that becomes the snapshot
 * @tr: the instance
 *
 * The callback snapshot() of struct tracer.
 */
void bts_snapshot(struct trace_array *tr)
{
	struct bts_instance *inst;

	/* As in bts_recording() */
	guard(irqsave)();
	inst = bts_instance(tr);
	/* The branches that led to a crash are written later, by bts_write_last() */
	if (inst && !bts_has_died(inst))
		inst->ops->snapshot(inst);
}

/**
 * bts_filter - update after the PIDs or CPUs to record have changed
 * @tr: the instance
 * @cpus: the CPUs to record, or NULL if the PIDs have changed
 *
 * The callback filter() of struct tracer.
 */
void bts_filter(struct trace_array *tr, const struct cpumask *cpus)
{
	struct bts_instance *inst = bts_instance(tr);

	if (!inst)
		return;
	if (cpus)
		cpumask_copy(inst->cpus, cpus);
	bts_change();
	if (cpus)
		bts_flush(tr, false);
}

/* Refuse branches to the kernel if any user could read their addresses */
static int bts_check(struct trace_array *tr, unsigned int rings)
{
	if (READ_ONCE(expose_kernel) || !bts_tracer_present() || !bts_tracer_exposed(rings))
		return 0;
	bts_log_err(tr, bts_tracer.name, -EPERM, nr_cpu_ids);
	return -EPERM;
}

static int bts_init(struct trace_array *tr)
{
	unsigned int rings = tr->current_trace_flags->val;
	int ret = bts_check(tr, rings);

	return ret ?: bts_begin(tr, &bts_cpu_ops, rings);
}

static int bts_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, int set)
{
	struct bts_instance *inst = bts_instance(tr);
	u32 rings = set ? old_flags | bit : old_flags & ~bit;
	int ret;

	if (!(rings & (BTS_OPT_KERNEL | BTS_OPT_USER)))
		return -EINVAL;
	if (!inst || inst->ops != &bts_cpu_ops)
		return 0;
	ret = bts_check(tr, rings);
	if (!ret && rings & BTS_OPT_HOLD)
		ret = bts_prepare_hold(inst);
	if (ret)
		return ret;
	WRITE_ONCE(inst->rings, rings);
	bts_change();
	/* No record may be held any more */
	if (bit == BTS_OPT_HOLD)
		inst->ops->drain();
	return 0;
}

struct tracer bts_tracer __read_mostly = {
	.name		= "bts",
	.init		= bts_init,
	.reset		= bts_reset,
	.start		= bts_start,
	.present	= bts_tracer_present,
	.recording	= bts_recording,
	.snapshot	= bts_snapshot,
	.flush		= bts_flush,
	.filter		= bts_filter,
	.dying		= bts_dying,
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

static __init int bts_tracer_init(void)
{
	if (!bts_register_event())
		return -EINVAL;
	bts_register_ops(&bts_cpu_ops);
	return register_tracer(&bts_tracer);
}
core_initcall(bts_tracer_init);
