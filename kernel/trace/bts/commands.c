// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer's function commands
 *
 * FUNC:bts_on arms the task that calls FUNC while the tracer records. FUNC:bts_off
 * disarms the task. FUNC:bts_on:N does so for N calls only, and FUNC:bts_on:N:COMM or
 * FUNC:bts_on::COMM only for tasks that have a name which the glob COMM matches.
 */
#include <linux/ftrace.h>
#include <linux/glob.h>
#include <linux/rculist.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <trace/events/sched.h>

#include "../trace.h"
#include "bts.h"

/**
 * struct bts_command - a command of a function
 * @left: number of calls that the command still has to work for, or -1 if the number is not
 *	limited
 * @comm: glob of the names of the tasks; empty for all tasks
 */
struct bts_command {
	long	left;
	char	comm[TASK_COMM_LEN];
};

/* bts_sched_new() and bts_commands_exec() walk the list under RCU */
static LIST_HEAD(bts_commands);

/* Protects the list, its entries, and bts_instance::commands */
DEFINE_MUTEX(bts_commands_mutex);

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

/* Clear the bits one by one, because the bitmap has many longs but only few set bits */
static void bts_forget_toggled(struct bts_commands *cmds)
{
	unsigned int pid;

	for_each_set_bit(pid, cmds->toggled, PID_MAX_LIMIT)
		clear_bit(pid, cmds->toggled);
}

/**
 * bts_begin_commands - activate the commands of an instance that gets the tracer
 * @tr: the instance
 *
 * The tasks of the instance get their initial state, armed or disarmed.
 *
 * Return: the commands of @tr, or NULL if it has none.
 */
struct bts_commands *bts_begin_commands(struct trace_array *tr)
{
	struct bts_commands *cmds = bts_find_commands(tr);

	if (cmds) {
		bts_forget_toggled(cmds);
		WRITE_ONCE(cmds->active, true);
	}
	return cmds;
}

/**
 * bts_end_commands - deactivate the commands of an instance that gets another tracer
 * @cmds: the instance's commands, or NULL if it has none
 */
void bts_end_commands(struct bts_commands *cmds)
{
	lockdep_assert_held(&bts_commands_mutex);
	if (cmds)
		WRITE_ONCE(cmds->active, false);
}

/*
 * Give a new task the initial state, because its PID may have been used before. Not every
 * new task is seen by sched_process_fork: io_uring and vhost create tasks without a fork
 */
static void bts_sched_new(void *ignore, struct task_struct *task)
{
	struct bts_commands *cmds;

	/*
	 * Newer kernels call the probes of tracepoints under SRCU, so take the lock of
	 * RCU here
	 */
	guard(rcu)();
	list_for_each_entry_rcu(cmds, &bts_commands, list)
		clear_bit(task->pid, cmds->toggled);
}

/**
 * bts_commands_exec - move the state of a thread that has got the leader's PID by exec
 * @ops: only in the instances that record in this way
 * @task: the thread
 * @old_pid: its PID before
 *
 * Before exec is certain to succeed, the PID still belongs to the leader. The state of an instance
 * is moved once, because a command may set the state of the new PID afterwards. Called with
 * interrupts off.
 */
void bts_commands_exec(const struct bts_ops *ops, const struct task_struct *task, pid_t old_pid)
{
	const struct bts_instance *inst;
	struct bts_commands *cmds;

	guard(rcu)();
	list_for_each_entry_rcu(cmds, &bts_commands, list) {
		inst = bts_instance(cmds->tr);
		if (!inst || inst->ops != ops)
			continue;
		if (test_bit(old_pid, cmds->toggled))
			set_bit(task->pid, cmds->toggled);
		else
			clear_bit(task->pid, cmds->toggled);
	}
}

static void bts_free_commands(struct bts_commands *cmds)
{
	if (cmds->functions[0])
		free_ftrace_func_mapper(cmds->functions[0], NULL);
	if (cmds->functions[1])
		free_ftrace_func_mapper(cmds->functions[1], NULL);
	vfree(cmds->toggled);
	kfree(cmds);
}

static struct bts_commands *bts_alloc_commands(struct trace_array *tr)
{
	struct bts_commands *cmds;

	cmds = kzalloc(sizeof(*cmds), GFP_KERNEL);
	if (!cmds)
		return NULL;
	cmds->tr = tr;
	cmds->functions[0] = allocate_ftrace_func_mapper();
	cmds->functions[1] = allocate_ftrace_func_mapper();
	cmds->toggled = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (!cmds->functions[0] || !cmds->functions[1] || !cmds->toggled ||
	    (list_empty(&bts_commands) &&
	     register_trace_sched_wakeup_new(bts_sched_new, NULL))) {
		bts_free_commands(cmds);
		return NULL;
	}
	list_add_rcu(&cmds->list, &bts_commands);
	return cmds;
}

static struct bts_commands *bts_get_commands(struct trace_array *tr)
{
	struct bts_commands *cmds;

	guard(mutex)(&bts_commands_mutex);
	cmds = bts_find_commands(tr) ?: bts_alloc_commands(tr);
	if (!cmds)
		return NULL;
	cmds->ref++;
	if (bts_instance(tr)) {
		WRITE_ONCE(bts_instance(tr)->commands, cmds);
		WRITE_ONCE(cmds->active, true);
	}
	return cmds;
}

static void bts_put_commands(struct bts_commands *cmds)
{
	guard(mutex)(&bts_commands_mutex);
	if (--cmds->ref)
		return;
	list_del_rcu(&cmds->list);
	if (list_empty(&bts_commands))
		unregister_trace_sched_wakeup_new(bts_sched_new, NULL);
	if (bts_instance(cmds->tr))
		WRITE_ONCE(bts_instance(cmds->tr)->commands, NULL);
	/*
	 * CPUs use the commands with interrupts off, so no CPU uses them after
	 * bts_update_all()
	 */
	bts_update_all();
	synchronize_rcu();
	bts_free_commands(cmds);
}

/* The operations of bts_off and bts_on; the index is whether the command is bts_on */
static struct ftrace_probe_ops bts_probe_ops[2];

static bool bts_is_on(const struct ftrace_probe_ops *ops)
{
	return ops == &bts_probe_ops[true];
}

/* Count the functions that have a command; @more is 1 or -1 */
static void bts_count_commands(struct bts_commands *cmds, bool on, int more)
{
	bool any_on;

	guard(mutex)(&bts_commands_mutex);
	any_on = cmds->nr_on;
	if (on)
		WRITE_ONCE(cmds->nr_on, cmds->nr_on + more);
	else
		cmds->nr_off += more;
	/*
	 * All tasks get the initial state if that state changes, or if no function is
	 * left
	 */
	if (any_on != !!cmds->nr_on || !(cmds->nr_on + cmds->nr_off)) {
		bts_forget_toggled(cmds);
		bts_update_all();
	}
}

static int bts_probe_init(struct ftrace_probe_ops *ops, struct trace_array *tr,
			  unsigned long ip, void *init_data, void **data)
{
	struct bts_commands *cmds = *data ?: bts_get_commands(tr);
	struct bts_command *cmd;
	int ret = -ENOMEM;

	if (!cmds)
		return -ENOMEM;
	cmd = kmemdup(init_data, sizeof(*cmd), GFP_KERNEL);
	if (cmd)
		ret = ftrace_func_mapper_add_ip(cmds->functions[bts_is_on(ops)], ip, cmd);
	if (ret < 0) {
		kfree(cmd);
		if (!*data)
			bts_put_commands(cmds);
		return ret;
	}
	*data = cmds;
	bts_count_commands(cmds, bts_is_on(ops), 1);
	return 0;
}

static void bts_probe_free(struct ftrace_probe_ops *ops, struct trace_array *tr,
			   unsigned long ip, void *data)
{
	struct bts_commands *cmds = data;

	if (!cmds)
		return;
	if (!ip) {
		bts_put_commands(cmds);
		return;
	}
	/* Ftrace has waited for the calls of the function */
	kfree(ftrace_func_mapper_remove_ip(cmds->functions[bts_is_on(ops)], ip));
	bts_count_commands(cmds, bts_is_on(ops), -1);
}

static struct bts_command *bts_find_command(struct bts_commands *cmds, bool on,
					    unsigned long ip)
{
	void **cmd = ftrace_func_mapper_find_ip(cmds->functions[on], ip);

	return cmd ? *cmd : NULL;
}

/*
 * Count a call. Returns false if the command does not work for the task, or has used up its count
 * for this function
 */
static bool bts_probe_count(struct bts_command *cmd)
{
	long old;

	if (!cmd || (cmd->comm[0] && !glob_match(cmd->comm, current->comm)))
		return false;
	old = READ_ONCE(cmd->left);
	do {
		if (old < 0)
			return true;
		if (!old)
			return false;
	} while (!try_cmpxchg(&cmd->left, &old, old - 1));
	return true;
}

static void bts_probe_func(unsigned long ip, unsigned long parent_ip,
			   struct trace_array *tr, struct ftrace_probe_ops *ops,
			   void *data)
{
	struct bts_commands *cmds = data;
	bool on = bts_is_on(ops);

	/* @cmds is NULL if a further function could not be added */
	if (!cmds || !READ_ONCE(cmds->active) || !tracer_tracing_is_on(tr) ||
	    bts_commands_armed(cmds, current->pid) == on ||
	    !bts_probe_count(bts_find_command(cmds, on, ip)))
		return;
	/* Set the state, not toggle it: an interrupt may have changed the bit meanwhile */
	if (on == !!READ_ONCE(cmds->nr_on))
		set_bit(current->pid, cmds->toggled);
	else
		clear_bit(current->pid, cmds->toggled);
	bts_follow_current();
}

static int bts_probe_print(struct seq_file *m, unsigned long ip,
			   struct ftrace_probe_ops *ops, void *data)
{
	struct bts_commands *cmds = data;
	bool on = bts_is_on(ops);
	struct bts_command *cmd = cmds ? bts_find_command(cmds, on, ip) : NULL;

	seq_printf(m, "%ps:%s", (void *)ip, on ? "bts_on" : "bts_off");
	if (cmd && cmd->left >= 0)
		seq_printf(m, ":count=%ld", cmd->left);
	else
		seq_puts(m, ":unlimited");
	if (cmd && cmd->comm[0])
		seq_printf(m, ":comm=%s", cmd->comm);
	seq_putc(m, '\n');
	return 0;
}

static struct ftrace_probe_ops bts_probe_ops[2] = {
	[0 ... 1] = {
		.func	= bts_probe_func,
		.init	= bts_probe_init,
		.free	= bts_probe_free,
		.print	= bts_probe_print,
	},
};

/* Parse "[N][:COMM]" */
static int bts_parse_command(char *param, struct bts_command *cmd)
{
	char *count = strsep(&param, ":");
	int ret = 0;

	if (count && *count)
		ret = kstrtol(count, 0, &cmd->left);
	if (!ret && count && *count && cmd->left < 0)
		ret = -EINVAL;
	/* A longer glob could match no name */
	if (!ret && param && (!*param || strscpy(cmd->comm, param) < 0))
		ret = -EINVAL;
	return ret;
}

static int bts_set_command(struct trace_array *tr, struct ftrace_hash *hash, char *glob,
			   char *name, char *param, int enable)
{
	struct bts_command cmd = { .left = -1 };
	struct ftrace_probe_ops *ops;
	int ret;

	if (!tr)
		return -ENODEV;
	/* The commands work only in set_ftrace_filter */
	if (!enable)
		return -EINVAL;
	ops = &bts_probe_ops[!strcmp(name, "bts_on")];
	if (glob[0] == '!')
		return unregister_ftrace_function_probe_func(glob + 1, tr, ops);
	ret = bts_parse_command(param, &cmd);
	if (ret)
		return ret;
	ret = register_ftrace_function_probe(glob, tr, ops, &cmd);
	return ret < 0 ? ret : 0;
}

static struct ftrace_func_command bts_on_command = {
	.name	= "bts_on",
	.func	= bts_set_command,
};

static struct ftrace_func_command bts_off_command = {
	.name	= "bts_off",
	.func	= bts_set_command,
};

static __init int bts_register_function_commands(void)
{
	return register_ftrace_command(&bts_on_command) ?:
	       register_ftrace_command(&bts_off_command);
}
core_initcall(bts_register_function_commands);
