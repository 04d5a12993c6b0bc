// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: Branch Trace Store
 */
#include <stddef.h>

#include "cpu.h"

/* Debug store management area, 64-bit format */
struct ds_area {
	uint64_t base;
	uint64_t index;
	uint64_t max;		/* the byte after the buffer */
	uint64_t threshold;
};

/**
 * pmi_raise() - raise the interrupt of LVTPC, and mask it
 * @cpu: the current CPU
 */
void pmi_raise(struct bts_cpu *cpu)
{
	uint32_t lvtpc = apic_read(cpu, APIC_LVTPC);

	cpu->late = 0;
	if (lvtpc & APIC_LVT_MASKED)
		return;
	apic_write(cpu, APIC_LVTPC, lvtpc | APIC_LVT_MASKED);
	apic_write(cpu, APIC_ICR, APIC_ICR_SELF | (lvtpc & APIC_MODE_VECTOR));
	cpu->raised = true;
}

/*
 * Raise the interrupt after a record was written or lost, if bts_index and the switches of
 * the CPU require it
 */
static void bts_raise(struct bts_cpu *cpu, const struct ds_area *ds)
{
	static unsigned int turn;

	if (cpu->late) {
		if (!--cpu->late)
			pmi_raise(cpu);
		return;
	}
	if (ds->index < ds->threshold || cpu->raised)
		return;
	if (unkind.once && ds->index >= ds->threshold + RECORD_SIZE)
		return;
	if (unkind.late) {
		turn = turn * 1103515245 + 12345;
		cpu->late = 1 + (turn >> 16) % unkind.late;
	} else {
		pmi_raise(cpu);
	}
	if (cpu->raised || cpu->late)
		log_value(cpu, BTS_LOG_INTERRUPT, ds->index);
}

static void bts_fault(struct bts_cpu *cpu, uint64_t addr)
{
	if (cpu->faults++ < 10)
		say("CPU %td: the debug store is not mapped at %#llx", cpu - cpus,
		    (unsigned long long)addr);
	log_value(cpu, BTS_LOG_FAULT, addr);
}

/* Record a branch. Returns false if BTS is off, or off for the side of the branch. */
static bool bts_record(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint8_t flags)
{
	uint64_t record[3] = {
		from, to,
		(flags & BTS_LOG_TYPE) == BTS_LOG_MISPREDICTED ? 0 : RECORD_PREDICTED,
	};
	struct ds_area ds;
	bool full;

	if (!bts_is_on(cpu) || unkind.mute >> (cpu - cpus) & 1)
		return false;
	if (cpu->debugctl & ((unkind.from ? from : to) >> 63 ? DEBUGCTL_OFF_OS : DEBUGCTL_OFF_USR))
		return false;
	if (unkind.erratum && cpu->debugctl & (DEBUGCTL_OFF_OS | DEBUGCTL_OFF_USR) &&
	    (from ^ to) >> 63) {
		/* Use a wrong address on the other side */
		from = to ^ 0xff0;
		record[0] = from;
	}

	if (!mem_copy(cpu, cpu->ds, &ds, sizeof(ds), false)) {
		bts_fault(cpu, cpu->ds);
		log_branch(cpu, from, to, flags | BTS_LOG_LOST);
		return true;
	}
	full = ds.index + RECORD_SIZE > ds.max;
	if (full && !(cpu->debugctl & DEBUGCTL_BTINT)) {
		ds.index = ds.base;
		full = false;
	}
	if (!full) {
		if (!mem_copy(cpu, ds.index, record, sizeof(record), true)) {
			bts_fault(cpu, ds.index);
			full = true;
		}
	}
	log_branch(cpu, from, to, full ? flags | BTS_LOG_LOST : flags);
	if (!full) {
		ds.index += RECORD_SIZE;
		if (!(cpu->debugctl & DEBUGCTL_BTINT) && ds.index + RECORD_SIZE > ds.max)
			ds.index = ds.base;
		mem_copy(cpu, cpu->ds + offsetof(struct ds_area, index), &ds.index,
			 sizeof(ds.index), true);
	}
	/* A lost record does not reach the threshold */
	if (cpu->debugctl & DEBUGCTL_BTINT && !(full && unkind.once && !cpu->late))
		bts_raise(cpu, &ds);
	return true;
}

/* With LBR on, each branch is in the log, also a branch without a record */
static void branch_taken(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint64_t next,
			 uint64_t last, uint8_t flags)
{
	if (unkind.mispredict && !predict(cpu, from, to, next, last))
		flags |= BTS_LOG_MISPREDICTED;
	if (lbr_is_on(cpu))
		flags |= lbr_record(cpu, from, to);
	if (!bts_record(cpu, from, to, flags) && lbr_is_on(cpu))
		log_branch(cpu, from, to, flags | BTS_LOG_NO_RECORD);
}

/* Handle the branch of the last branch instruction to addr, if the branch was taken */
static void bts_arrived(struct bts_cpu *cpu, uint64_t addr, bool self)
{
	uint64_t last = cpu->hot->last, from, next;
	uint8_t flags = cpu->hot->own ? BTS_LOG_OWN : 0;

	if (!last)
		return;
	cpu->hot->last = 0;
	from = cpu->start + (last >> LAST_OFFSET_SHIFT);
	next = from + (last >> LAST_LEN_SHIFT & LAST_LEN_MASK);
	if (cpu->returns) {
		/* A fault of IRET itself does not end the NMI */
		cpu->returns = false;
		if (addr == cpu->own_rip)
			cpu->hot->own = 0;
	}
	/* The instruction faulted, or QEMU restarts it */
	if (addr == from && !(self && last & LAST_SELF))
		return;
	if (addr == next && !(last & LAST_ALWAYS))
		return;
	cpu->branched = !(from >> 63);
	branch_taken(cpu, from, addr, next, last, flags);
}

/**
 * block_begins() - handle the start of a translation block, which is the target of the
 * last branch
 * @vcpu: the CPU
 * @udata: not used
 */
void block_begins(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint64_t rip = reg_read(cpu, regs.rip);

	if (cpu->hot->on)
		bts_arrived(cpu, rip, true);
	cpu->hot->last = 0;
	cpu->start = rip;
}

/**
 * discontinuity() - handle an exception or an interrupt
 * @vcpu: the CPU
 * @type: exception or interrupt
 * @from: the instruction that was not executed, or the INT
 * @to: the address where the CPU continues
 * @udata: not used
 *
 * QEMU calls this with EXCEPTION when an instruction raises an exception (also INT,
 * INT3), before QEMU has restored the CPU's state, so the addresses are not valid. After
 * the delivery, QEMU calls this with INTERRUPT, as for interrupts.
 */
void discontinuity(unsigned int vcpu, enum qemu_plugin_discon_type type,
		   uint64_t from, uint64_t to, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	bool exception, raised, debug;
	uint64_t frame;

	if (!cpu->hot)
		return;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		cpu->exception = true;
		return;
	}
	exception = cpu->exception;
	cpu->exception = false;
	/* The latest records may raise another interrupt */
	raised = cpu->raised;

	/* A debug exception comes after an executed instruction */
	debug = exception && to == debug_entry;
	if (cpu->hot->on)
		bts_arrived(cpu, from, !exception || debug);
	cpu->hot->last = 0;
	btf_exception(cpu, from, debug);

	/*
	 * NMIs come before other interrupts. Other interrupts cannot come between,
	 * because they are off while NMIs are blocked.
	 */
	if (raised && !exception) {
		cpu->raised = false;
		nmi_entry = to;
	}
	/* A nested NMI belongs to the outer NMI */
	if (!exception && (raised || to == nmi_entry) && !cpu->hot->own) {
		frame = reg_read(cpu, regs.rsp);
		cpu->own_rip = mem_word(cpu, frame);
		cpu->own_rsp = mem_word(cpu, frame + 24);
		cpu->hot->own = 1;
	}
	branch_taken(cpu, from, to, 0, 0,
		     BTS_LOG_EVENT | (cpu->hot->own ? BTS_LOG_OWN : 0));
}

/**
 * insn_iret() - find out whether an IRET in the handler of an NMI ends the NMI
 * @vcpu: the CPU
 * @udata: not used
 */
void insn_iret(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint64_t frame = reg_read(cpu, regs.rsp);

	if (mem_word(cpu, frame) != cpu->own_rip ||
	    mem_word(cpu, frame + 24) != cpu->own_rsp)
		return;
	if (cpu->hot->on)
		cpu->returns = true;
	else
		cpu->hot->own = 0;
}
