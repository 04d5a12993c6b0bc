// SPDX-License-Identifier: GPL-2.0
/*
 * A module that crashes when one of its parameters is written. "bug" only calls BUG().
 * The other parameters first damage what the function graph tracer has of the current
 * task, as a wild write would: "word" the unused words of the shadow stack and the
 * tracers' variables behind them, "frames" the frames of the open calls, and "pointer"
 * the pointer to the shadow stack.
 */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#define WILD	0x00f0000000000000UL

static void damage_words(int from, int to)
{
	int i;

	for (i = from; i < to; i++)
		current->ret_stack[i] |= WILD;
}

static void damage(const char *how)
{
	if (!current->ret_stack)
		return;
	if (!strcmp(how, "word"))
		damage_words(current->curr_ret_stack,
			     ksize(current->ret_stack) / sizeof(long));
	else if (!strcmp(how, "frames"))
		damage_words(0, current->curr_ret_stack);
	else if (!strcmp(how, "pointer"))
		current->ret_stack = (unsigned long *)WILD;
}

static int set_crash(const char *val, const struct kernel_param *kp)
{
	pr_emerg("arg_crash: crash now, after damage of %d words\n",
		 current->ret_stack ? current->curr_ret_stack : 0);
	damage(kp->arg);
	BUG();
	return 0;
}

static const struct kernel_param_ops crash_ops = { .set = set_crash };
module_param_cb(bug, &crash_ops, "bug", 0200);
module_param_cb(word, &crash_ops, "word", 0200);
module_param_cb(frames, &crash_ops, "frames", 0200);
module_param_cb(pointer, &crash_ops, "pointer", 0200);

MODULE_DESCRIPTION("Crashes with a damaged shadow stack");
MODULE_LICENSE("GPL");
