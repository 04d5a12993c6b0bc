// SPDX-License-Identifier: GPL-2.0
/*
 * A module that crashes when one of its parameters is written. "bug" only calls BUG().
 * The next parameters first damage what tracers have of the current task, as a wild write
 * would: "word" the unused words of the shadow stack and the tracers' variables behind
 * them, "frames" the frames of the open calls, "pointer" the pointer to the shadow stack,
 * and "task" the words of the task that tracers use in every call. "list" damages the list
 * of instances at the instance "crash". "spin" never returns. After "nmi" was written, an
 * NMI on the CPU that spins crashes.
 */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/nmi.h>

#include "trace.h"

#define WILD	0x00f0000000000000UL

static int spinning = -1;

static void damage_words(int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		current->ret_stack[i] |= WILD;
}

static void damage_list(void)
{
	struct trace_array *tr = trace_array_get_by_name("crash", NULL);

	if (tr)
		tr->list.next = (struct list_head *)WILD;
	else
		pr_emerg("arg_crash: no instance\n");
}

static void damage(const char *how)
{
	if (!strcmp(how, "list"))
		damage_list();
	if (!current->ret_stack)
		return;
	if (!strcmp(how, "word"))
		damage_words(current->curr_ret_stack,
			     ksize(current->ret_stack) / sizeof(long));
	else if (!strcmp(how, "frames"))
		damage_words(0, current->curr_ret_stack);
	else if (!strcmp(how, "pointer"))
		current->ret_stack = (unsigned long *)WILD;
	else if (!strcmp(how, "task"))
		current->trace_recursion = ~0UL;
}

static void end_here(const char *how)
{
	pr_emerg("arg_crash: crash now, with %d words of open calls\n",
		 current->ret_stack ? current->curr_ret_stack : 0);
	damage(how);
	BUG();
}

static int set_crash(const char *val, const struct kernel_param *kp)
{
	end_here(kp->arg);
	return 0;
}

static int set_spin(const char *val, const struct kernel_param *kp)
{
	preempt_disable();
	WRITE_ONCE(spinning, smp_processor_id());
	while (READ_ONCE(spinning) >= 0)
		cpu_relax();
	preempt_enable();
	return 0;
}

static int crash_in_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (smp_processor_id() == READ_ONCE(spinning))
		end_here("nmi");
	return NMI_DONE;
}

static int set_nmi(const char *val, const struct kernel_param *kp)
{
	return register_nmi_handler(NMI_LOCAL, crash_in_nmi, NMI_FLAG_FIRST, "arg_crash");
}

static const struct kernel_param_ops crash_ops = { .set = set_crash };
static const struct kernel_param_ops spin_ops = { .set = set_spin };
static const struct kernel_param_ops nmi_ops = { .set = set_nmi };
module_param_cb(bug, &crash_ops, "bug", 0200);
module_param_cb(word, &crash_ops, "word", 0200);
module_param_cb(frames, &crash_ops, "frames", 0200);
module_param_cb(pointer, &crash_ops, "pointer", 0200);
module_param_cb(task, &crash_ops, "task", 0200);
module_param_cb(list, &crash_ops, "list", 0200);
module_param_cb(spin, &spin_ops, NULL, 0200);
module_param_cb(nmi, &nmi_ops, NULL, 0200);

MODULE_DESCRIPTION("Crashes, with damaged data of tracers");
MODULE_LICENSE("GPL");
