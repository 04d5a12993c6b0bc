// SPDX-License-Identifier: GPL-2.0
/*
 * Branch Trace Store (BTS) for a tracer
 *
 * The PMU driver owns the debug store, so a tracer takes BTS from this file of the
 * driver. The PMU is reserved for the tracer. The tracer and perf's own users of BTS and
 * LBR exclude each other. The CPU writes the records to the buffer in the CPU entry area.
 * Under page-table isolation, user space's page tables map this buffer as well.
 *
 * Each NMI drains the buffer. The CPU raises an NMI when the buffer has reached its
 * threshold, and other CPUs send an NMI when they want the records. BTS is off while an
 * NMI is handled, from bts_tracer_nmi_enter() to bts_tracer_nmi_exit(), so no handler
 * fills the buffer. The CPU masks LVTPC when it raises the PMU's interrupt, and the PMU
 * driver unmasks LVTPC at some point of its handler. So LVTPC is unmasked whenever BTS is
 * on, except between the interrupt and bts_tracer_nmi_enter(). If the buffer reaches its
 * threshold in that time, the CPU does not report the threshold, but the NMI on its way
 * drains the buffer.
 *
 * The branches of NMIs are not shown. The records from the branch into the NMI up to the
 * point where BTS is switched off are cut from the end of the buffer. The records from
 * the point where BTS is switched on up to the NMI's IRET are cut from the begin of the
 * next buffer.
 *
 * An NMI handler restores DEBUGCTL, because the interrupted code may be between reading
 * and writing DEBUGCTL (__switch_to_xtra()).
 *
 * Each record has a number: the number of records that the CPU had taken before, plus 1.
 * Records of all tasks count, and records that are cut count as well. The numbers of a CPU
 * only grow. The function_graph tracer writes them into its events, and a reader of the
 * trace puts each branch into its call.
 */
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/apic.h>
#include <asm/bts.h>
#include <asm/cpu_device_id.h>
#include <asm/cpu_entry_area.h>
#include <asm/debugreg.h>
#include <asm/idtentry.h>
#include <asm/mach_traps.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <asm/x86_init.h>

#include "../perf_event.h"

#define DEBUGCTL_BTS_BITS	(DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS |	\
				 DEBUGCTLMSR_BTINT |			\
				 DEBUGCTLMSR_BTS_OFF_OS |		\
				 DEBUGCTLMSR_BTS_OFF_USR)

/*
 * Number of records after the threshold. They are room for the branches from the CPU's
 * interrupt to the point where BTS is switched off. Debugging and tracing add branches on
 * this way. There are fewer branches from the point where BTS is switched on to the NMI's
 * IRET.
 */
#define BTS_ROOM		512

/* Number of branches before the entry of an NMI that are searched for another NMI's entry */
#define BTS_NESTED		128

/*
 * The number of seconds after which an NMI that was sent has come, even if another NMI has
 * answered for it before. Later, the two NMIs have come as one. The sender may be interrupted
 * before it sends the NMI.
 */
#define BTS_NMI_SECONDS		1

/* The threshold that the PMU driver sets */
#define BTS_DEFAULT_ROOM	(BTS_BUFFER_SIZE / sizeof(struct bts_record) / 16)

/**
 * struct bts_cpu - BTS on this CPU
 * @bits: the DEBUGCTL_BTS_BITS of DEBUGCTL; 0 if BTS is off
 * @changing: whether DEBUGCTL is about to get @bits
 * @draining: whether the buffer is being read, while BTS is off
 * @number: the number of the next record, while @draining is set
 * @again: whether an NMI has asked for the records, also those that the tracer holds, while
 *	@draining was set
 * @held: whether the tracer holds records
 * @stays: whether the last drain has left the records in the buffer
 * @cut: number of records that were cut when the records before them stayed in the buffer
 * @resume: whether the NMI handler has to enable BTS again before it returns
 * @hiding: whether the next records belong to the return of an NMI
 * @hide_ip: the address that the NMI returns to
 * @hide_user: whether the NMI returns to user space
 * @nmi_pmi: whether the CPU had masked LVTPC when this NMI came
 * @nmi_crossed: whether the buffer had reached its threshold when this NMI came, by records that
 *	no NMI has seen before
 * @asked: how often CPUs have asked for a drain of this CPU's buffer
 * @answered: the value of @asked at the begin of the last NMI that drained the buffer
 * @answered_at: jiffies when @answered got a new value
 * @expected: number of NMIs that ask for a drain and have still to come. NMIs that have come
 *	as one count until BTS_NMI_SECONDS are over.
 *
 * Any CPU increments @asked and @expected. Only the CPU itself writes the other members, with
 * interrupts off or in an NMI.
 */
struct bts_cpu {
	u64		bits;
	bool		changing;
	bool		draining;
	bool		again;
	bool		held;
	bool		stays;
	u64		number;
	unsigned int	cut;
	bool		resume;
	bool		hiding;
	bool		hide_user;
	unsigned long	hide_ip;
	bool		nmi_pmi;
	bool		nmi_crossed;
	atomic_t	asked;
	unsigned int	answered;
	unsigned long	answered_at;
	atomic_t	expected;
};

static DEFINE_PER_CPU(struct bts_cpu, bts_cpu);

/*
 * The number of the record at the begin of the buffer. The value grows when the index is
 * reset, and is never reset itself. 0 is no number.
 */
static DEFINE_PER_CPU(u64, bts_base) = 1;

/* Enabled while there is a tracer */
DEFINE_STATIC_KEY_FALSE(bts_tracer_key);

/* Whether BTS is only switched off, because the kernel dies */
static bool bts_halted;

/* The tracer's function, valid from bts_tracer_get() to bts_tracer_put() */
static bts_drain_t bts_drain_fn;

/*
 * Whether the CPU has to record both sides, and the caller filters the records. If
 * BTS_OFF_OS or BTS_OFF_USR is set, some CPUs record a wrong "From" for a branch that
 * changes the side (errata AR62, W125).
 */
static bool bts_records_both;

static bool bts_is_user(u64 addr)
{
	return (s64)addr >= 0;
}

/* Change DEBUGCTL in one write, so that there is no gap in the records */
static void bts_set_bits(struct bts_cpu *bts, u64 bits)
{
	bts->changing = true;
	barrier();
	bts->bits = bits;
	update_debugctlmsr((get_debugctlmsr() & ~DEBUGCTL_BTS_BITS) | bits);
	barrier();
	bts->changing = false;
}

/*
 * Find the end of the records to be shown, which is the entry of the current NMI. There
 * is no record of the entry if the buffer was full, or if the buffer has no branches to
 * the kernel. The buffer has no entry of an earlier NMI, because each NMI has drained the
 * buffer. But a nested NMI may have come between the entry and the point where BTS was
 * switched off, and may only have told the current NMI of itself, because
 * CONFIG_DEBUG_ENTRY unmasks NMIs as soon as they enter. So the first of several entries
 * counts.
 *
 * A CPU that does not record user space may leave out the entry of an NMI that
 * interrupted user space. The last record to be shown is then the return to user space,
 * unless the buffer was full.
 */
static unsigned int bts_find_entry(const struct bts_record *rec,
				   unsigned int begin, unsigned int end,
				   bool user)
{
	unsigned int i, stop = begin, found = end;

	for (i = end; i > stop; i--) {
		if (bts_is_user(rec[i - 1].to))
			return user && found == end ? i : found;
		if (rec[i - 1].to != (unsigned long)asm_exc_nmi)
			continue;
		found = i - 1;
		stop = max_t(int, begin, i - BTS_NESTED);
	}
	return found;
}

/*
 * Find the begin of the records to be shown, which is after the IRET of the NMI that
 * enabled BTS. The IRET is in the entry code. If the IRET to user space is missing, the
 * first record from user space is the begin. No record is shown if the NMI has not
 * returned, because another NMI came meanwhile.
 */
static unsigned int bts_find_return(const struct bts_cpu *bts,
				    const struct bts_record *rec,
				    unsigned int end)
{
	unsigned int i;

	for (i = 0; i < end && i < BTS_ROOM; i++) {
		if (rec[i].to == bts->hide_ip &&
		    rec[i].from >= (unsigned long)__entry_text_start &&
		    rec[i].from < (unsigned long)__entry_text_end)
			return i + 1;
		if (bts->hide_user && bts_is_user(rec[i].from))
			return i;
	}
	return i < BTS_ROOM ? end : 0;
}

static __always_inline u64 bts_count(const struct debug_store *ds)
{
	return (READ_ONCE(ds->bts_index) - ds->bts_buffer_base) / sizeof(struct bts_record);
}

/* Empty a CPU's buffer after the records were taken, or if no tracer wants them */
static void bts_empty_buffer(int cpu, struct debug_store *ds)
{
	/* User space's page tables map the buffer, too */
	if (boot_cpu_has(X86_FEATURE_PTI))
		memset((void *)(unsigned long)ds->bts_buffer_base, 0,
		       ds->bts_index - ds->bts_buffer_base);
	per_cpu(bts_base, cpu) += bts_count(ds);
	per_cpu(bts_cpu, cpu).cut = 0;
	ds->bts_index = ds->bts_buffer_base;
}

/* From here on, no NMI takes the records */
static void bts_begin_drain(struct bts_cpu *bts)
{
	bts->number = bts_tracer_number();
	barrier();
	bts->draining = true;
	barrier();
}

/*
 * Drain the buffer while BTS is off. @regs are the interrupted registers if BTS was on
 * when this NMI came, else NULL. @lost tells whether other code has switched BTS off, and @asked
 * whether the tracer must not hold records
 */
static void bts_drain_buffer(struct bts_cpu *bts, struct debug_store *ds,
			     struct pt_regs *regs, bool lost, bool asked)
{
	struct bts_record *rec = (void *)(unsigned long)ds->bts_buffer_base;
	unsigned int begin = 0, end, nr;
	bool full, hiding = bts->hiding;
	enum bts_drained drained;

	bts_begin_drain(bts);
	full = ds->bts_index >= ds->bts_absolute_maximum;
	nr = bts_tracer_pending();
	if (bts->hiding && nr)
		begin = bts_find_return(bts, rec, nr);
	bts->hiding = false;
	end = nr;
	if (regs)
		end = bts_find_entry(rec, begin, nr, user_mode(regs) && !full);
	/*
	 * Records that were dropped after the NMI's entry belong to the NMI, so they do
	 * not count
	 */
	drained = bts_drain_fn(rec, begin, end, bts_tracer_first(), lost || (full && end == nr),
			       asked);
	bts->stays = drained == BTS_STAYS;
	if (!bts->stays) {
		bts->held = drained == BTS_HELD;
		bts_empty_buffer(smp_processor_id(), ds);
	} else {
		/* The last drain takes the same records, with the same numbers */
		bts->hiding = hiding;
		bts->cut += nr - end;
		__this_cpu_add(bts_base, nr - end);
		ds->bts_index = (unsigned long)(rec + end);
	}
	/* Ordered after the writes of the drain. Pairs with bts_has_answered() */
	smp_store_release(&bts->draining, false);
}

/**
 * __bts_tracer_nmi_enter - switch BTS off until the NMI returns, and take the records
 * @regs: the registers that the NMI has interrupted
 */
void notrace __bts_tracer_nmi_enter(struct pt_regs *regs)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	u64 debugctl = get_debugctlmsr();
	unsigned int asked = atomic_read(&bts->asked);
	bool on = debugctl & DEBUGCTLMSR_BTS;
	bool lost;

	if (!ds)
		return;
	if (on)
		update_debugctlmsr(debugctl & ~DEBUGCTL_BTS_BITS);
	/* For example, a machine check leaves DEBUGCTL without BTS */
	lost = !on && bts->bits && !bts->changing;
	bts->resume = (on || lost) && bts->bits && !READ_ONCE(bts_halted);
	bts->nmi_pmi = apic_read(APIC_LVTPC) & APIC_LVT_MASKED;
	bts->nmi_crossed = !bts->stays && ds->bts_index >= ds->bts_interrupt_threshold;
	/* Otherwise the code that this NMI has interrupted drains the buffer */
	if (!bts->draining)
		bts_drain_buffer(bts, ds, on ? regs : NULL, lost, bts->answered != asked);
	else if (bts->answered != asked)
		bts->again = true;
	if (bts->answered != asked)
		bts->answered_at = jiffies;
	/* Ordered after the writes of the drain, or after the read of bts->draining */
	smp_store_release(&bts->answered, asked);
}

NOKPROBE_SYMBOL(__bts_tracer_nmi_enter);

/**
 * __bts_tracer_nmi_handled - find out whether this NMI was for BTS
 * @handled: number of reasons for the NMI that the handlers have found
 *
 * The CPU masks LVTPC when it raises the PMU's interrupt. If LVTPC is masked and no
 * counter has overflowed, the interrupt is an interrupt of BTS, even if the buffer was
 * drained before the NMI came. But the PMU driver unmasks LVTPC outside of NMIs as well,
 * whenever perf schedules an event. If the NMI is on its way at that time, the records
 * after the threshold show that the NMI is an interrupt of BTS. The NMI that another CPU
 * sent may come after a different NMI has drained the buffer, but then it comes soon. If this
 * NMI had another reason, the NMI of BTS may be the next NMI. An NMI for which the port of reasons
 * has a reason is left to the kernel. (A handler of NMI_UNKNOWN would be too late: the kernel
 * calls all such handlers, and some watchdogs panic in theirs.)
 *
 * Return: the number of reasons for the NMI, including BTS.
 */
int notrace __bts_tracer_nmi_handled(int handled)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (handled)
		return handled + bts->nmi_crossed;
	if (bts->nmi_pmi || bts->nmi_crossed)
		return 1;
	if (!time_before(jiffies, bts->answered_at + BTS_NMI_SECONDS * HZ))
		atomic_set(&bts->expected, 0);
	if (atomic_read(&bts->expected) && x86_platform.get_nmi_reason() & NMI_REASON_MASK)
		return 0;
	return atomic_dec_if_positive(&bts->expected) >= 0;
}

NOKPROBE_SYMBOL(__bts_tracer_nmi_handled);

/**
 * __bts_tracer_nmi_exit - enable BTS again if it was on when the NMI came
 * @regs: the registers that the NMI returns to
 */
void notrace __bts_tracer_nmi_exit(struct pt_regs *regs)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	bts->nmi_pmi = false;
	bts->nmi_crossed = false;
	if (!bts->resume)
		return;
	bts->resume = false;
	bts->hide_user = user_mode(regs);
	bts->hide_ip = regs->ip;
	/*
	 * Hide the NMI's return if the branches of the NMI, or of the code that the NMI
	 * returns to, are recorded. With FRED, an NMI enters and returns at other
	 * addresses.
	 */
	bts->hiding = (!(bts->bits & DEBUGCTLMSR_BTS_OFF_OS) || bts->hide_user) &&
		      !cpu_feature_enabled(X86_FEATURE_FRED);
	update_debugctlmsr((get_debugctlmsr() & ~DEBUGCTL_BTS_BITS) | bts->bits);
}

NOKPROBE_SYMBOL(__bts_tracer_nmi_exit);

/**
 * bts_tracer_pending - count the records in this CPU's buffer
 *
 * The caller has interrupts off, or is in an NMI.
 *
 * Return: the number of records, including records of an NMI that has returned.
 */
unsigned int bts_tracer_pending(void)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;

	return ds ? bts_count(ds) : 0;
}

/**
 * bts_tracer_first - find the number of the first record in this CPU's buffer
 *
 * The caller has interrupts off, or is in an NMI.
 *
 * Return: the number, which is at least 1.
 */
u64 bts_tracer_first(void)
{
	return this_cpu_read(bts_base) - this_cpu_read(bts_cpu.cut);
}

static __always_inline u64 bts_read_number(const struct debug_store *ds,
					   const struct bts_cpu *bts, const u64 *base)
{
	u64 begin, number;

	do {
		begin = READ_ONCE(*base);
		/* A drain changes the base and the index */
		if (READ_ONCE(bts->draining))
			return READ_ONCE(bts->number);
		number = begin + (ds ? bts_count(ds) : 0);
		/* Otherwise the CPU has drained its buffer meanwhile */
	} while (begin != READ_ONCE(*base));
	return number;
}

/**
 * bts_tracer_number - find the number of this CPU's next record
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: the number, which is at least 1.
 */
u64 notrace bts_tracer_number(void)
{
	return bts_read_number(this_cpu_ptr(&cpu_hw_events)->ds, this_cpu_ptr(&bts_cpu),
			       this_cpu_ptr(&bts_base));
}

NOKPROBE_SYMBOL(bts_tracer_number);

/**
 * bts_tracer_number_of - find the number of a CPU's next record
 * @cpu: the CPU
 *
 * Any context. If the CPU is recording, its number may be greater on return.
 *
 * Return: the number, which is at least 1.
 */
u64 bts_tracer_number_of(int cpu)
{
	return bts_read_number(per_cpu(cpu_hw_events, cpu).ds, per_cpu_ptr(&bts_cpu, cpu),
			       per_cpu_ptr(&bts_base, cpu));
}

/**
 * bts_tracer_records - tell whether this CPU records branches
 *
 * Any context, including NMI, with preemption disabled. An NMI interrupts the recording.
 *
 * Return: true if so, false otherwise.
 */
bool notrace bts_tracer_records(void)
{
	return this_cpu_read(bts_cpu.bits);
}

NOKPROBE_SYMBOL(bts_tracer_records);

/**
 * bts_tracer_enable - record this CPU's branches
 * @rings: the wanted sides, BTS_RING_*, not 0. The caller still has to check each record,
 *	because some CPUs record both sides.
 *
 * The caller has interrupts off. BTS may be on.
 */
void bts_tracer_enable(unsigned int rings)
{
	u64 bits = DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS | DEBUGCTLMSR_BTINT;

	if (!this_cpu_ptr(&cpu_hw_events)->ds || READ_ONCE(bts_halted))
		return;
	if (bts_records_both)
		rings = BTS_RING_KERNEL | BTS_RING_USER;
	if (!(rings & BTS_RING_KERNEL))
		bits |= DEBUGCTLMSR_BTS_OFF_OS;
	if (!(rings & BTS_RING_USER))
		bits |= DEBUGCTLMSR_BTS_OFF_USR;
	bts_set_bits(this_cpu_ptr(&bts_cpu), bits);
}

/**
 * bts_tracer_disable - stop recording this CPU's branches
 *
 * The caller has interrupts off, or is in an NMI. The records in the buffer stay there.
 *
 * Return: false if BTS should have been on, but was off.
 */
bool bts_tracer_disable(void)
{
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	u64 debugctl = get_debugctlmsr();
	bool ok;

	ok = !bts->bits || bts->resume || debugctl & DEBUGCTLMSR_BTS;
	bts->bits = 0;
	bts->resume = false;
	update_debugctlmsr(debugctl & ~DEBUGCTL_BTS_BITS);
	return ok;
}

/**
 * bts_tracer_halt - stop recording this CPU's branches, because the kernel dies
 * @halt: false to let BTS be switched on again, because the kernel has survived
 *
 * From now on, BTS is only switched off. Other CPUs switch BTS off at their next NMI. Any
 * context, with interrupts off. The tracer has BTS.
 */
void bts_tracer_halt(bool halt)
{
	WRITE_ONCE(bts_halted, halt);
	/* An NMI that has interrupted BTS would switch BTS on again */
	if (halt && this_cpu_read(bts_cpu.bits))
		bts_tracer_disable();
}

/**
 * bts_tracer_drain - pass the records in this CPU's buffer to the tracer
 * @lost: whether bts_tracer_disable() has returned false
 * @asked: whether the tracer must not hold records
 *
 * BTS is off. The caller has interrupts off, or is in an NMI. If a drain has crashed and
 * calls this function, nothing is done.
 */
void bts_tracer_drain(bool lost, bool asked)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);

	if (!ds || bts->draining)
		return;
	bts_drain_buffer(bts, ds, NULL, lost, asked);
	/* An NMI has asked meanwhile. A further NMI asks for nothing that is not written now */
	if (READ_ONCE(bts->again)) {
		bts_drain_buffer(bts, ds, NULL, false, true);
		/* Ordered after the writes of the drain. Pairs with bts_has_answered() */
		smp_store_release(&bts->again, false);
	}
}

/**
 * bts_tracer_stuck - tell whether this CPU does not record although it should
 *
 * This happens if the buffer is full and no interrupt has come, or if other code has
 * switched BTS off, for example a machine check. The caller has interrupts off.
 *
 * Return: true if so, false otherwise.
 */
bool bts_tracer_stuck(void)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;

	if (!ds || !this_cpu_read(bts_cpu.bits))
		return false;
	return READ_ONCE(ds->bts_index) >= ds->bts_absolute_maximum ||
	       !(get_debugctlmsr() & DEBUGCTLMSR_BTS);
}

/* Whether a CPU's buffer has records, or the tracer holds records of the CPU */
static bool bts_has_records(int cpu)
{
	struct debug_store *ds = per_cpu(cpu_hw_events, cpu).ds;

	return ds && (READ_ONCE(ds->bts_index) != ds->bts_buffer_base ||
		      READ_ONCE(per_cpu(bts_cpu, cpu).held));
}

/**
 * bts_tracer_ask_cpus - let the CPUs drain their buffers soon, without a gap
 * @self: whether to drain this CPU's buffer as well
 *
 * Sends an NMI to each CPU that has records, and does not wait. Any context with preemption
 * disabled. In an NMI, @self is only needed if the tracer holds records.
 */
void bts_tracer_ask_cpus(bool self)
{
	int cpu, this_cpu = smp_processor_id();
	struct bts_cpu *bts;

	/* If this CPU is draining its buffer, the NMI would find nothing to do */
	self &= !this_cpu_read(bts_cpu.draining);
	for_each_online_cpu(cpu) {
		if ((cpu == this_cpu && !self) || !bts_has_records(cpu))
			continue;
		bts = per_cpu_ptr(&bts_cpu, cpu);
		/* In this order: an NMI resets @expected if it sees no new question for long */
		atomic_inc(&bts->asked);
		atomic_inc(&bts->expected);
		/*
		 * x2apic's function for a mask has a mask of this CPU, and this CPU may be in
		 * that function: traceoff and snapshot come from anywhere
		 */
		__apic_send_IPI(cpu, NMI_VECTOR);
	}
}

/* Whether a CPU has drained its buffer since other CPUs last asked for a drain */
static bool bts_has_answered(int cpu)
{
	struct bts_cpu *bts = per_cpu_ptr(&bts_cpu, cpu);

	/* Pairs with the releases of the drain, so its writes are visible */
	return smp_load_acquire(&bts->answered) == atomic_read(&bts->asked) &&
	       /* Pairs as above */
	       !smp_load_acquire(&bts->draining) && !smp_load_acquire(&bts->again);
}

/**
 * bts_tracer_drain_others - let the other CPUs drain their buffers, without a gap
 * @usecs: maximum time to wait for the CPUs
 *
 * As bts_tracer_ask_cpus(), but waits busily, because the kernel dies.
 */
void bts_tracer_drain_others(unsigned int usecs)
{
	int cpu, this_cpu = get_cpu();

	bts_tracer_ask_cpus(false);
	for_each_online_cpu(cpu) {
		if (cpu == this_cpu)
			continue;
		for (; usecs && !bts_has_answered(cpu); usecs--)
			udelay(1);
	}
	put_cpu();
}

/**
 * bts_tracer_sync - let all CPUs drain their buffers, without a gap
 *
 * As bts_tracer_ask_cpus(), but sleeps until the CPUs have answered, at most a second.
 */
void bts_tracer_sync(void)
{
	unsigned long end = jiffies + HZ;
	int cpu;

	cpus_read_lock();
	preempt_disable();
	bts_tracer_ask_cpus(true);
	preempt_enable();
	for_each_online_cpu(cpu) {
		while (!bts_has_answered(cpu) && time_before(jiffies, end))
			usleep_range(20, 100);
	}
	cpus_read_unlock();
}

/**
 * bts_tracer_try - tell whether this CPU records branches
 *
 * Some CPUs announce BTS but do not have it, for example CPUs of a virtual machine, or
 * some CPUs of a hybrid. The caller has interrupts off, and BTS is off.
 *
 * Return: true if so, false otherwise.
 */
bool bts_tracer_try(void)
{
	struct debug_store *ds = this_cpu_ptr(&cpu_hw_events)->ds;
	struct bts_cpu *bts = this_cpu_ptr(&bts_cpu);
	bool ok;

	if (!ds)
		return false;
	bts_begin_drain(bts);
	bts_set_bits(bts, DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS);
	asm volatile("jmp 1f; int3; 1:");
	bts_tracer_disable();
	barrier();
	ok = ds->bts_index > ds->bts_buffer_base;
	bts_empty_buffer(smp_processor_id(), ds);
	bts->hiding = false;
	bts->stays = false;
	bts->draining = false;
	bts->again = false;
	return ok;
}

/**
 * bts_tracer_partial - tell whether some CPUs may lack BTS while other CPUs have BTS
 *
 * Return: true if so, false otherwise.
 */
bool bts_tracer_partial(void)
{
	return boot_cpu_has(X86_FEATURE_HYBRID_CPU);
}

/*
 * Empty a CPU's buffer, and set its threshold with room for @room records after the
 * threshold
 */
static void bts_reset_cpu(int cpu, unsigned int room)
{
	struct debug_store *ds = per_cpu(cpu_hw_events, cpu).ds;

	memset(per_cpu_ptr(&bts_cpu, cpu), 0, sizeof(struct bts_cpu));
	if (!ds)
		return;
	bts_empty_buffer(cpu, ds);
	ds->bts_interrupt_threshold = ds->bts_absolute_maximum -
				      room * sizeof(struct bts_record);
}

/**
 * __bts_tracer_present - bts_tracer_present() on a kernel for Intel's CPUs
 *
 * Return: true if this machine has BTS, false otherwise.
 */
bool __bts_tracer_present(void)
{
	return x86_pmu.bts && boot_cpu_has(X86_FEATURE_DTES64);
}

static const struct x86_cpu_id bts_from_wrong_ids[] = {
	X86_MATCH_VFM(INTEL_CORE_YONAH, NULL),
	X86_MATCH_VFM(INTEL_CORE2_MEROM, NULL),
	X86_MATCH_VFM(INTEL_CORE2_MEROM_L, NULL),
	X86_MATCH_VFM(INTEL_CORE2_PENRYN, NULL),
	X86_MATCH_VFM(INTEL_CORE2_DUNNINGTON, NULL),
	{ }
};

/* Whether the CPU cannot leave out the branches of one side, see bts_records_both */
static bool bts_cannot_filter(void)
{
	return !boot_cpu_has(X86_FEATURE_DSCPL) || x86_match_cpu(bts_from_wrong_ids);
}

/**
 * bts_tracer_exposed - tell whether any user could read the kernel's addresses in records
 * @rings: the wanted sides, BTS_RING_*
 *
 * Page-table isolation hides the kernel's memory on CPUs with Meltdown, but user space's
 * page tables map the buffers.
 *
 * Return: true if so, false otherwise.
 */
bool bts_tracer_exposed(unsigned int rings)
{
	return boot_cpu_has(X86_FEATURE_PTI) && boot_cpu_has_bug(X86_BUG_CPU_MELTDOWN) &&
	       (rings & BTS_RING_KERNEL || bts_cannot_filter());
}

/**
 * bts_tracer_get - take BTS for a tracer
 * @drain: the function that gets the records
 *
 * The caller ensures that there is only one tracer at a time.
 *
 * Return: 0, -ENODEV if this CPU has no BTS, -EBUSY if perf uses BTS or LBR or another
 * driver has the PMU, or -ENOMEM if there is no buffer.
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
	err = intel_pmu_reserve_bts();
	if (err)
		goto hardware;
	for_each_possible_cpu(cpu)
		bts_reset_cpu(cpu, BTS_ROOM);
	bts_drain_fn = drain;
	bts_records_both = bts_cannot_filter();
	static_branch_enable(&bts_tracer_key);
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
 * The caller has disabled BTS on every CPU.
 */
void bts_tracer_put(void)
{
	int cpu;

	static_branch_disable(&bts_tracer_key);
	/* Wait until no NMI uses the tracer's function any more */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		bts_reset_cpu(cpu, BTS_DEFAULT_ROOM);
	x86_release_hardware();
	x86_del_exclusive(x86_lbr_exclusive_bts_tracer);
}
