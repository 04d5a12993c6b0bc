// SPDX-License-Identifier: GPL-2.0
/*
 * A module for tests of the bts tracer. The parameter "what" selects the test
 *
 * off: writes to the kernel's log how long tracing_off() took with interrupts off, and then
 *	fails to load.
 * delay: calls __const_udelay() once, and then fails to load.
 * nomem: while the module is loaded, there is no memory for a CPU's BTS buffer.
 * peek: writes the number of records left in each CPU's BTS buffer to the kernel's log,
 *	without the tracer's help, and then fails to load. BTS has to be in use, because
 *	IA32_DS_AREA keeps its value when the buffers are freed.
 * nmi: while the module is loaded, it handles the NMIs of CPU 1 that are no interrupts of BTS,
 *	as another driver would. When the module is unloaded, CPU 1 gets an NMI that nobody
 *	handles.
 * serr: the same, but the NMI that CPU 1 gets at the end is one of a PCI system error.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/apic.h>
#include <asm/intel_ds.h>
#include <asm/mach_traps.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/x86_init.h>

#define BTS_EDGES_RECORD	(3 * sizeof(u64))
#define BTS_EDGES_ROUNDS	101

static char *what;
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "off, delay, nomem, peek, nmi or serr");

static int bts_edges_no_memory(struct kretprobe_instance *instance,
			       struct pt_regs *regs)
{
	/* The caller releases the buffers that were allocated */
	regs_set_return_value(regs, -ENOMEM);
	return 0;
}

static struct kretprobe bts_edges_probe = {
	.kp.symbol_name	= "alloc_bts_buffer",
	.handler	= bts_edges_no_memory,
};

static void bts_edges_peek(void *ignore)
{
	struct debug_store *ds = (void *)native_read_msr(MSR_IA32_DS_AREA);
	unsigned int i, left = 0;
	const char *record;

	if (!ds)
		return;
	record = (void *)ds->bts_buffer_base;
	for (i = 0; i < BTS_BUFFER_SIZE / BTS_EDGES_RECORD; i++) {
		if (memchr_inv(record, 0, BTS_EDGES_RECORD))
			left++;
		record += BTS_EDGES_RECORD;
	}
	pr_info("bts_edges: CPU %d has %u records left\n", smp_processor_id(), left);
}

static atomic_t bts_edges_nmis;

static unsigned char (*bts_edges_reason)(void);

/* What the port with the reason of an NMI would say on CPU 1 */
static unsigned char bts_edges_serr(void)
{
	return smp_processor_id() == 1 ? NMI_REASON_SERR : bts_edges_reason();
}

/* Set the function that reads the port. The kernel's own pointer is read-only */
static void bts_edges_set_reason(unsigned char (*reason)(void))
{
	unsigned char (**pointer)(void) = &x86_platform.get_nmi_reason;
	struct page *page = pfn_to_page(__pa_symbol(pointer) >> PAGE_SHIFT);
	void *writable = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!writable)
		return;
	*(typeof(pointer))(writable + offset_in_page(pointer)) = reason;
	vunmap(writable);
}

static int bts_edges_nmi(unsigned int type, struct pt_regs *regs)
{
	/* The interrupt of BTS masks LVTPC. The emulated CPU has no x2APIC */
	if (smp_processor_id() != 1 ||
	    native_apic_mem_read(APIC_LVTPC) & APIC_LVT_MASKED)
		return NMI_DONE;
	atomic_inc(&bts_edges_nmis);
	return NMI_HANDLED;
}

static int bts_edges_compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Close the top instance's buffer again and again, while other CPUs record */
static void bts_edges_off(void)
{
	static u64 ns[BTS_EDGES_ROUNDS];
	unsigned long flags;
	u64 begin;
	int i;

	for (i = 0; i < BTS_EDGES_ROUNDS; i++) {
		tracing_on();
		msleep(20);
		local_irq_save(flags);
		begin = local_clock();
		tracing_off();
		ns[i] = local_clock() - begin;
		local_irq_restore(flags);
	}
	sort(ns, BTS_EDGES_ROUNDS, sizeof(u64), bts_edges_compare, NULL);
	pr_info("bts_edges: tracing_off: median %llu us, maximum %llu us\n",
		ns[BTS_EDGES_ROUNDS / 2] / 1000, ns[BTS_EDGES_ROUNDS - 1] / 1000);
}

static int __init bts_edges_init(void)
{
	if (what && !strcmp(what, "off"))
		bts_edges_off();
	if (what && !strcmp(what, "delay"))
		udelay(1);
	if (what && (!strcmp(what, "nmi") || !strcmp(what, "serr")))
		return register_nmi_handler(NMI_LOCAL, bts_edges_nmi, NMI_FLAG_FIRST,
					    "bts_edges");
	if (what && !strcmp(what, "nomem"))
		return register_kretprobe(&bts_edges_probe);
	if (what && !strcmp(what, "peek"))
		on_each_cpu(bts_edges_peek, NULL, 1);
	return -EINVAL;
}
module_init(bts_edges_init);

static void __exit bts_edges_exit(void)
{
	if (strcmp(what, "nmi") && strcmp(what, "serr")) {
		unregister_kretprobe(&bts_edges_probe);
		return;
	}
	unregister_nmi_handler(NMI_LOCAL, "bts_edges");
	pr_info("bts_edges: %d NMIs handled\n", atomic_read(&bts_edges_nmis));
	bts_edges_reason = x86_platform.get_nmi_reason;
	if (!strcmp(what, "serr"))
		bts_edges_set_reason(bts_edges_serr);
	apic->send_IPI_mask(cpumask_of(1), NMI_VECTOR);
	mdelay(100);
	bts_edges_set_reason(bts_edges_reason);
}
module_exit(bts_edges_exit);

MODULE_DESCRIPTION("What tests of the bts tracer need of the kernel");
MODULE_LICENSE("GPL");
