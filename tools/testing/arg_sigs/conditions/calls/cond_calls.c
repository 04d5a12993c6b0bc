// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that fail, in all contexts and at the maximum depth
 *
 * Writing a name to the module's parameter "run" makes one of the calls. ../contexts.sh
 * has the expected text of the graph tracer with conditions.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/smp.h>
#include <linux/string.h>

#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#define DEPTH		50

/* At this depth the shadow stack has no room for the calls' arguments any more */
#define DEEPER		80

/* Each of these tasks keeps its calls */
#define CROWD		100

/* The level of the last call */
static int depth = DEPTH;

/* The number of the crowd's tasks in their last call, and the signal to return */
static atomic_t waiting;
static DECLARE_COMPLETION(leave);

noinline __noclone int cond_deep(const char *text, int level, bool wait)
{
	char next[65];
	int ret;

	if (level == depth) {
		if (wait) {
			atomic_inc(&waiting);
			wait_for_completion(&leave);
			atomic_dec(&waiting);
		}
		return -EIO;
	}
	/* 64 bytes is the default maximum of recorded bytes */
	snprintf(next, sizeof(next), "%-62s%2d",
		 "of fifty calls within each other none may be lost: call", level + 1);
	ret = cond_deep(next, level + 1, wait);
	barrier_data(next);
	return ret < 0 ? 0 : ret;
}

noinline __noclone int cond_target(long a)
{
	barrier();
	return a > 1 ? -EINVAL : 0;
}

/* The function's last call is a jump */
noinline __noclone int cond_tail(long a)
{
	barrier();
	return cond_target(a + 1);
}

static bool arrived;

noinline __noclone int cond_irq(const char *text)
{
	barrier();
	WRITE_ONCE(arrived, true);
	return -EBUSY;
}

static void irq_func(struct irq_work *work)
{
	cond_irq("interrupt");
}

static struct irq_work work = IRQ_WORK_INIT_HARD(irq_func);

noinline __noclone int cond_nmi(const char *text)
{
	barrier();
	WRITE_ONCE(arrived, true);
	return -EAGAIN;
}

#ifdef CONFIG_X86_64
static bool armed;

static int nmi_func(unsigned int cmd, struct pt_regs *regs)
{
	if (!READ_ONCE(armed))
		return NMI_DONE;
	WRITE_ONCE(armed, false);
	cond_nmi("NMI");
	return NMI_HANDLED;
}

static void raise_nmi(void)
{
	preempt_disable();
	WRITE_ONCE(armed, true);
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	preempt_enable();
}

static int hook_nmi(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_func, 0, "cond_calls");
}

static void unhook_nmi(void)
{
	unregister_nmi_handler(NMI_LOCAL, "cond_calls");
}
#else
/* The board has no NMI, so that an interrupt makes the call */
static void nmi_func(struct irq_work *work)
{
	cond_nmi("NMI");
}

static struct irq_work nmi_work = IRQ_WORK_INIT_HARD(nmi_func);

static void raise_nmi(void)
{
	irq_work_queue(&nmi_work);
}

static int hook_nmi(void)
{
	return 0;
}

static void unhook_nmi(void)
{
	irq_work_sync(&nmi_work);
}
#endif

static int wait_arrived(void)
{
	int i;

	for (i = 0; i < 10000000 && !READ_ONCE(arrived); i++)
		cpu_relax();
	return READ_ONCE(arrived) ? 0 : -ETIMEDOUT;
}

/* This call is interrupted, and does not fail */
noinline __noclone int cond_around(const char *text)
{
	WRITE_ONCE(arrived, false);
	if (!strcmp(text, "irq"))
		irq_work_queue(&work);
	else
		raise_nmi();
	return wait_arrived();
}

/* The function's entry is not recorded, but its return could be recorded */
noinline __noclone int cond_late(const char *text)
{
	tracing_on();
	return -EPERM;
}

/* Recording is off in the middle of this call */
noinline __noclone int cond_pause(const char *text)
{
	tracing_off();
	cond_target(2);
	tracing_on();
	return -ENXIO;
}

noinline __noclone int cond_none(void)
{
	/* The compiler leaves out a call without an effect */
	barrier();
	return -ENOTTY;
}

noinline __noclone int cond_sleep(const char *text)
{
	msleep(1000);
	return -EINTR;
}

/* This call never returns, because the task ends in the call */
noinline __noclone int cond_never(const char *text)
{
	cond_target(3);
	kthread_exit(0);
	return -ENODEV;
}

static int never_thread(void *data)
{
	return cond_never("the end");
}

static int crowd_thread(void *data)
{
	return cond_deep("of a crowd", 1, true);
}

/* Make one more call, while the calls of the crowd are kept */
static int call_in_crowd(void)
{
	int i, started = 0, ret = -ETIMEDOUT;

	reinit_completion(&leave);
	for (i = 0; i < CROWD; i++)
		started += !IS_ERR(kthread_run(crowd_thread, NULL, "cond_crowd"));
	for (i = 0; i < 500 && atomic_read(&waiting) < started; i++)
		msleep(20);
	if (started == CROWD && atomic_read(&waiting) == started) {
		cond_deep("the first", 1, false);
		ret = 0;
	}
	complete_all(&leave);
	while (atomic_read(&waiting))
		msleep(20);
	/* Wait, because the tasks return to code of this module */
	msleep(100);
	return ret;
}

/* Let a function of the image fail, because there is no such interrupt. @nr tells the context */
static void fail_in_image(unsigned int nr)
{
	irq_set_irq_wake(UINT_MAX, nr);
}

static void flags_irq(struct irq_work *work)
{
	fail_in_image(5);
}

static void flags_softirq(struct tasklet_struct *tasklet)
{
	fail_in_image(6);
}

static struct irq_work flags_work = IRQ_WORK_INIT_HARD(flags_irq);
static DECLARE_TASKLET(flags_tasklet, flags_softirq);

/* Make a call in each context that the flags of an event tell */
static void call_in_contexts(void)
{
	unsigned long flags;

	fail_in_image(0);
	preempt_disable();
	fail_in_image(1);
	preempt_enable();
	local_irq_save(flags);
	fail_in_image(2);
	local_irq_restore(flags);
	local_bh_disable();
	fail_in_image(3);
	local_bh_enable();
	migrate_disable();
	fail_in_image(4);
	migrate_enable();
	irq_work_queue(&flags_work);
	irq_work_sync(&flags_work);
	tasklet_schedule(&flags_tasklet);
	tasklet_kill(&flags_tasklet);
}

static int run_set(const char *val, const struct kernel_param *param)
{
	char name[16];

	strscpy(name, val, sizeof(name));
	strim(name);
	if (!strcmp(name, "deep")) {
		cond_deep("the first", 1, false);
	} else if (!strcmp(name, "deeper")) {
		depth = DEEPER;
		cond_deep("the first", 1, false);
		depth = DEPTH;
	} else if (!strcmp(name, "crowd")) {
		return call_in_crowd();
	} else if (!strcmp(name, "tail")) {
		cond_tail(1);
	} else if (!strcmp(name, "irq") || !strcmp(name, "nmi")) {
		return cond_around(name);
	} else if (!strcmp(name, "flags")) {
		call_in_contexts();
	} else if (!strcmp(name, "late")) {
		tracing_off();
		cond_late("off at the entry");
	} else if (!strcmp(name, "pause")) {
		cond_pause("off in between");
	} else if (!strcmp(name, "sleep")) {
		cond_sleep("a second");
	} else if (!strcmp(name, "none")) {
		cond_none();
	} else if (!strcmp(name, "never")) {
		struct task_struct *task = kthread_run(never_thread, NULL, "cond_never");

		return PTR_ERR_OR_ZERO(task);
	} else {
		return -EINVAL;
	}
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};

module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "the call to make");

static int __init cond_calls_init(void)
{
	return hook_nmi();
}
module_init(cond_calls_init);

static void __exit cond_calls_exit(void)
{
	irq_work_sync(&work);
	unhook_nmi();
}
module_exit(cond_calls_exit);

MODULE_DESCRIPTION("Calls that fail, for conditions");
MODULE_LICENSE("GPL");
