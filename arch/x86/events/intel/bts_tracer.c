// SPDX-License-Identifier: GPL-2.0
/*
 * Branch Trace Store (BTS) for a tracer
 *
 * The PMU driver owns the debug store, so a tracer takes BTS here: the PMU is
 * reserved for it, perf's own users of BTS and LBR are kept out (and keep it
 * out), and the records go to the buffer in the CPU entry area, which user
 * space's page tables have under page-table isolation as well.
 *
 * The buffer is drained on demand and, when it reaches the threshold, by an
 * interrupt (an NMI). That interrupt is not shown: the records from the branch
 * into it up to where BTS goes off are cut from the end of the buffer, and those
 * from where BTS goes on up to its IRET from the beginning of the next. Two
 * handlers do this around perf's, which unmasks the interrupt and which does not
 * have the time of a drain on its account that way.
 *
 * An interrupt leaves DEBUGCTL as it has found it: what it has interrupted may
 * be between reading and writing it (__switch_to_xtra()).
 */
#include <linux/cpuhotplug.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <asm/bts.h>
#include <asm/debugreg.h>
#include <asm/idtentry.h>
#include <asm/nmi.h>
#include <asm/ptrace.h>
#include <asm/sections.h>

#include "../perf_event.h"

#define INSN_IRETQ	0xcf48	/* REX.W IRET, little endian */

/**
 * struct bts_cpu - BTS on this CPU
 * @config: what it is enabled with, as of perf's event select; 0: it is off
 * @draining: the buffer is being read, BTS is off
 * @stray: the records of an interrupt that is to come have been drained already
 * @resume: the interrupt has to enable BTS again before it returns
 * @hiding: the next records are those of an interrupt that returns
 * @hide_ip: where it returns to
 * @hide_user: it returns to user space
 *
 * Written by its CPU only, with interrupts off or in an NMI.
 */
struct bts_cpu {
	u64		config;
	bool		draining;
	bool		stray;
	bool		resume;
	bool		hiding;
	bool		hide_user;
	unsigned long	hide_ip;
};

static DEFINE_PER_CPU(struct bts_cpu, bts_cpu);

/* The tracer's; set while there is one, which the caller of get and put is */
static bts_drain_t bts_drain_fn;

static bool bts_is_user(u64 addr)
{
	return (s64)addr >= 0;
}

/* Does this IRETQ end an NMI that has interrupted the kernel? */
static bool bts_is_nmi_iret(u64 from)
{
	if (from < (unsigned long)asm_exc_nmi ||
	    from >= (unsigned long)__entry_text_end - 1)
		return false;
	return *(u16 *)(unsigned long)from == INSN_IRETQ;
}

/*
 * The end of what is to be shown: where the NMI was entered that is running
 * now. There is no such record if the buffer was full, or records no branches of
 * the kernel; then the search ends with what it comes across of an earlier NMI.
 */
static unsigned int bts_find_entry(const struct bts_record *rec,
				   unsigned int begin, unsigned int end)
{
	unsigned int i;

	for (i = end; i > begin; i--) {
		if (rec[i - 1].to == (unsigned long)asm_exc_nmi)
			return i - 1;
		if (bts_is_user(rec[i - 1].to) ||
		    bts_is_nmi_iret(rec[i - 1].from))
			break;
	}
	return end;
}

/*
 * The begin of what is to be shown: behind the return of the interrupt that
 * enabled BTS. Where only the kernel is recorded, the return to user space is
 * not; what comes next then is from user space.
 */
static unsigned int bts_find_return(struct bts_cpu *bts,
				    const struct bts_record *rec,
				    unsigned int end)
{
	unsigned int i;

	for (i = 0; i < end; i++) {
		if (bts->hide_user && bts_is_user(rec[i].from))
			return i;
		if (rec[i].to != bts->hide_ip)
			continue;
		if (bts->hide_user || bts_is_nmi_iret(rec[i].from))
			return i + 1;
	}
	return 0;
}

/* BTS is off */
static void bts_drain_buffer(struct bts_cpu *bts, struct debug_store *ds,
			     bool nmi)
{
	const struct bts_record *rec = (void *)(unsigned long)ds->bts_buffer_base;
	bool full = ds->bts_index >= ds->bts_absolute_maximum;
	unsigned int begin = 0, end, nr = bts_tracer_pending();

	if (bts->hiding)
		begin = bts_find_return(bts, rec, nr);
	bts->hiding = false;
	end = nmi ? bts_find_entry(rec, begin, nr) : nr;
	/* That of BTS's own is behind the threshold, another NMI filled the rest */
	if (full && (unsigned long)(rec + end) < ds->bts_interrupt_threshold)
		end = nr;
	/* What was dropped behind the entry is the interrupt's */
	bts_drain_fn(rec, begin, end, full && end == nr);
	ds->bts_index = ds->bts_buffer_base;
}

/* Before perf's handler: take the records, BTS stays off */
static int bts_nmi_begin(unsigned int cmd, struct pt_regs *regs)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	bool enabled;

	if (!ds)
		return NMI_DONE;
	if (!bts->stray && (bts->draining || bts->resume ||
			    ds->bts_index < ds->bts_interrupt_threshold))
		return NMI_DONE;
	bts->stray = false;
	if (bts->draining || bts->resume)
		return NMI_HANDLED;
	enabled = get_debugctlmsr() & DEBUGCTLMSR_BTS;
	if (enabled)
		intel_pmu_disable_bts();
	bts->draining = true;
	barrier();
	bts_drain_buffer(bts, ds, enabled);
	barrier();
	bts->draining = false;
	bts->resume = enabled && bts->config;
	return NMI_HANDLED;
}

NOKPROBE_SYMBOL(bts_nmi_begin);

/* Behind perf's handler */
static int bts_nmi_end(unsigned int cmd, struct pt_regs *regs)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!bts->resume)
		return NMI_DONE;
	bts->resume = false;
	bts->hide_user = user_mode(regs);
	bts->hide_ip = regs->ip;
	/* Of what it returns to, or through, is anything recorded? */
	bts->hiding = bts->config & ARCH_PERFMON_EVENTSEL_OS || bts->hide_user;
	intel_pmu_enable_bts(bts->config);
	return NMI_DONE;
}

NOKPROBE_SYMBOL(bts_nmi_end);

/**
 * bts_tracer_pending - how many records this CPU's buffer has
 *
 * Interrupts are off, or this is an NMI.
 *
 * Return: the number of records, those of BTS's own interrupt included.
 */
unsigned int bts_tracer_pending(void)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;

	if (!ds)
		return 0;
	return (READ_ONCE(ds->bts_index) - ds->bts_buffer_base) /
	       sizeof(struct bts_record);
}

/**
 * bts_tracer_enable - record this CPU's branches
 * @rings: BTS_RING_*, not 0: what is wanted. The caller still has to look at
 *	each record, for a CPU without DS_CPL records all of them.
 *
 * Interrupts are off, and BTS is.
 */
void bts_tracer_enable(unsigned int rings)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	u64 config = ARCH_PERFMON_EVENTSEL_INT;

	if (!this_cpu_ptr(&cpu_hw_events)->ds)
		return;
	if (!boot_cpu_has(X86_FEATURE_DSCPL))
		rings = BTS_RING_KERNEL | BTS_RING_USER;
	if (rings & BTS_RING_KERNEL)
		config |= ARCH_PERFMON_EVENTSEL_OS;
	if (rings & BTS_RING_USER)
		config |= ARCH_PERFMON_EVENTSEL_USR;
	WRITE_ONCE(bts->config, config);
	intel_pmu_enable_bts(config);
}

/**
 * bts_tracer_disable - stop recording this CPU's branches
 *
 * Interrupts are off, or this is an NMI. What is in the buffer stays there.
 */
void bts_tracer_disable(void)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	WRITE_ONCE(bts->config, 0);
	bts->resume = false;
	intel_pmu_disable_bts();
}

/**
 * bts_tracer_drain - hand over what is in this CPU's buffer
 *
 * BTS is off and interrupts are, or this is an NMI. Nothing is done if it is the
 * drain itself that asks, for it has crashed.
 */
void bts_tracer_drain(void)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!ds || bts->draining)
		return;
	bts->draining = true;
	barrier();
	if (ds->bts_index >= ds->bts_interrupt_threshold)
		bts->stray = true;
	bts_drain_buffer(bts, ds, false);
	barrier();
	bts->draining = false;
}

static int bts_register_nmi(void)
{
	int err;

	err = register_nmi_handler(NMI_LOCAL, bts_nmi_begin, NMI_FLAG_FIRST,
				   "bts_begin");
	if (err)
		return err;
	err = register_nmi_handler(NMI_LOCAL, bts_nmi_end, 0, "bts_end");
	if (err)
		unregister_nmi_handler(NMI_LOCAL, "bts_begin");
	return err;
}

static void bts_reset_cpu(int cpu)
{
	struct debug_store *ds = per_cpu(cpu_hw_events, cpu).ds;

	memset(per_cpu_ptr(&bts_cpu, cpu), 0, sizeof(struct bts_cpu));
	if (ds)
		ds->bts_index = ds->bts_buffer_base;
}

/**
 * bts_tracer_present - whether this machine has BTS
 */
bool bts_tracer_present(void)
{
	return x86_pmu.bts && boot_cpu_has(X86_FEATURE_DTES64);
}

/**
 * bts_tracer_get - take BTS for a tracer
 * @drain: gets the records
 *
 * There is one tracer at a time; the caller sees to that.
 *
 * Return: 0, -ENODEV if this CPU has no BTS, -EBUSY if perf uses BTS or LBR, or
 * the PMU is in other hands, or -ENOMEM if there is no buffer.
 */
int bts_tracer_get(bts_drain_t drain)
{
	int cpu, err;

	if (!bts_tracer_present())
		return -ENODEV;
	if (x86_add_exclusive(x86_lbr_exclusive_bts_tracer))
		return -EBUSY;
	err = x86_reserve_hardware();
	if (err)
		goto exclusive;
	err = -ENOMEM;
	if (!x86_pmu.bts_active)
		goto hardware;
	for_each_possible_cpu(cpu)
		bts_reset_cpu(cpu);
	bts_drain_fn = drain;
	err = bts_register_nmi();
	if (err)
		goto hardware;
	return 0;

hardware:
	x86_release_hardware();
exclusive:
	x86_del_exclusive(x86_lbr_exclusive_bts_tracer);
	return err;
}

/**
 * bts_tracer_put - give BTS back
 *
 * It has been disabled on every CPU.
 */
void bts_tracer_put(void)
{
	unregister_nmi_handler(NMI_LOCAL, "bts_end");
	unregister_nmi_handler(NMI_LOCAL, "bts_begin");
	x86_release_hardware();
	x86_del_exclusive(x86_lbr_exclusive_bts_tracer);
}
