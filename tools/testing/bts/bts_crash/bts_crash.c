// SPDX-License-Identifier: GPL-2.0
/*
 * A module that crashes when it is loaded. The parameter "what" selects the crash: null
 * writes to a NULL pointer, bug calls BUG(), and warn calls WARN(). nmi does the same as null,
 * and an NMI comes between the oops and the dump. lockup calls panic() while another CPU hangs
 * in bts_crash_hang() and takes no further branch.
 */
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/apic.h>
#include <asm/irq_vectors.h>

static char *what;
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "null, bug, warn, nmi or lockup");

static noinline void bts_crash_null(int *p)
{
	WRITE_ONCE(*p, 1);
}

static noinline void bts_crash_bug(void)
{
	BUG();
}

static noinline void bts_crash_warn(int nr)
{
	WARN(nr, "crash %d\n", nr);
}

static int bts_crash_oops(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == DIE_OOPS)
		__apic_send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
	return NOTIFY_DONE;
}

/* Before the notifier of ftrace_dump() */
static struct notifier_block bts_crash_nb = {
	.notifier_call	= bts_crash_oops,
	.priority	= INT_MAX,
};

static noinline void bts_crash_hang(void *hangs)
{
	WRITE_ONCE(*(bool *)hangs, true);
	for (;;)
		asm volatile("hlt");
}

static noinline void bts_crash_lockup(void)
{
	bool hangs = false;
	int cpu;

	preempt_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	smp_call_function_single(cpu, bts_crash_hang, &hangs, 0);
	while (!READ_ONCE(hangs))
		cpu_relax();
	panic("CPU %d hangs", cpu);
}

static int __init bts_crash_init(void)
{
	int *nothing = NULL;

	if (!what)
		return -EINVAL;
	OPTIMIZER_HIDE_VAR(nothing);
	if (!strcmp(what, "nmi"))
		register_die_notifier(&bts_crash_nb);
	if (!strcmp(what, "null") || !strcmp(what, "nmi"))
		bts_crash_null(nothing);
	else if (!strcmp(what, "bug"))
		bts_crash_bug();
	else if (!strcmp(what, "warn"))
		bts_crash_warn(1);
	else if (!strcmp(what, "lockup"))
		bts_crash_lockup();
	return -EINVAL;
}
module_init(bts_crash_init);

MODULE_DESCRIPTION("A module that crashes when it is loaded");
MODULE_LICENSE("GPL");
