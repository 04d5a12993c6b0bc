// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: registers in addition to QEMU's registers, and CPUID
 */
#include <stddef.h>
#include <string.h>

#include "cpu.h"

static uint64_t *msr_stored(struct bts_cpu *cpu, uint32_t msr)
{
	switch (msr) {
	case MSR_PERFCTR0 ... MSR_PERFCTR0 + COUNTERS - 1:
		return &cpu->counter[msr - MSR_PERFCTR0];
	case MSR_EVENTSEL0 ... MSR_EVENTSEL0 + COUNTERS - 1:
		return &cpu->eventsel[msr - MSR_EVENTSEL0];
	case MSR_FIXED_CTR0 ... MSR_FIXED_CTR0 + FIXED_COUNTERS - 1:
		return &cpu->fixed[msr - MSR_FIXED_CTR0];
	case MSR_FIXED_CTRL:
		return &cpu->fixed_ctrl;
	case MSR_GLOBAL_CTRL:
		return &cpu->global_ctrl;
	case MSR_DEBUGCTL:
		return &cpu->debugctl;
	case MSR_DS_AREA:
		return &cpu->ds;
	}
	return lbr_msr(cpu, msr);
}

static bool msr_read(struct bts_cpu *cpu, uint32_t msr, uint64_t *value)
{
	uint64_t *stored = msr_stored(cpu, msr);

	if (unkind.counters && msr != MSR_DEBUGCTL)
		counters_due(cpu - cpus, NULL);
	if (stored)
		*value = *stored;
	else if (msr == MSR_GLOBAL_STATUS)
		*value = cpu->global_status;
	else if (msr == MSR_GLOBAL_OVF_CTRL)
		*value = 0;
	else if (msr == MSR_MISC_ENABLE)
		*value = MISC_ENABLE;
	else if (msr == MSR_PERF_CAPABILITIES && unkind.lbr)
		*value = LBR_FORMAT_INFO;
	else
		return false;
	return true;
}

/**
 * debugctl_set() - change IA32_DEBUGCTL
 * @cpu: the current CPU
 * @value: the new value
 */
void debugctl_set(struct bts_cpu *cpu, uint64_t value)
{
	cpu->debugctl = value;
	cpu->hot->on = bts_is_on(cpu) || lbr_is_on(cpu) || btf_is_on(cpu);
	log_value(cpu, BTS_LOG_DEBUGCTL, cpu->debugctl);
}

static void debugctl_write(struct bts_cpu *cpu, uint64_t value)
{
	pages_forget(cpu);
	cpu->hot->last = 0;
	debugctl_set(cpu, value);
	/* No later record will raise the interrupt */
	if (!bts_is_on(cpu) && cpu->late)
		pmi_raise(cpu);
}

/* QEMU ignores writes to unknown MSRs, so QEMU may execute the WRMSR as well */
/**
 * insn_wrmsr() - handle a WRMSR, before it is executed
 * @vcpu: the CPU
 * @udata: not used
 */
void insn_wrmsr(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint32_t msr = reg_read(cpu, regs.rcx);
	uint64_t *stored, value;

	if (!(cpu->start >> 63))
		return;
	value = (uint32_t)reg_read(cpu, regs.rax) | reg_read(cpu, regs.rdx) << 32;
	stored = msr_stored(cpu, msr);
	if (stored == &cpu->debugctl) {
		debugctl_write(cpu, value);
	} else if (stored == &cpu->ds) {
		cpu->ds = value;
		pages_forget(cpu);
	} else if (lbr_write(cpu, msr, value)) {
		return;
	} else if (stored) {
		if (unkind.counters)
			counters_sync(cpu);
		/* The general counters take 32 bits and a sign */
		if (stored >= cpu->counter && stored < cpu->counter + COUNTERS)
			value = (int32_t)value;
		*stored = stored < cpu->eventsel || stored >= cpu->eventsel + COUNTERS ?
			  value & COUNTER_MASK : value;
		if (unkind.counters)
			counters_arm(cpu);
	} else if (msr == MSR_GLOBAL_OVF_CTRL) {
		if (unkind.counters)
			counters_due(vcpu, NULL);
		cpu->global_status &= ~value;
	}
}

/*
 * The results of an instruction are written after the instruction, over the values that
 * QEMU has left in the registers. An instruction that QEMU does not know, or that is the
 * last instruction of its block, is skipped with qemu_plugin_set_pc(). Skipping loses
 * the flags that the block has not stored, so it is not used in other places of a block.
 */

/* Skip an instruction that the plugin has executed */
static void insn_done(struct bts_cpu *cpu, void *udata)
{
	uintptr_t where = (uintptr_t)udata;

	cpu->hot->last = 0;
	qemu_plugin_set_pc(cpu->start + (where >> 8) + (where & 0xff));
}

static bool rdmsr_answer(struct bts_cpu *cpu)
{
	uint64_t value;

	/* Ignore real mode, because its addresses are not linear */
	if (!(cpu->start >> 63) || !msr_read(cpu, reg_read(cpu, regs.rcx), &value))
		return false;
	reg_write(cpu, regs.rax, (uint32_t)value);
	reg_write(cpu, regs.rdx, value >> 32);
	return true;
}

/**
 * insn_rdmsr_last() - emulate an RDMSR that is the last instruction of its block
 * @vcpu: the CPU
 * @udata: UDATA() of the instruction
 */
void insn_rdmsr_last(unsigned int vcpu, void *udata)
{
	if (rdmsr_answer(&cpus[vcpu]))
		insn_done(&cpus[vcpu], udata);
}

/**
 * insn_behind_rdmsr() - handle an RDMSR, before the next instruction
 * @vcpu: the CPU
 * @udata: not used
 */
void insn_behind_rdmsr(unsigned int vcpu, void *udata)
{
	rdmsr_answer(&cpus[vcpu]);
}

/**
 * insn_rdpmc() - emulate an RDPMC, which QEMU does not know
 * @vcpu: the CPU
 * @udata: UDATA() of the instruction
 */
void insn_rdpmc(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint32_t index = reg_read(cpu, regs.rcx);
	uint64_t value;

	if (!(cpu->start >> 63))
		return;
	if (unkind.counters)
		counters_due(vcpu, NULL);
	if (index < COUNTERS)
		value = cpu->counter[index];
	else if (index - (1U << 30) < FIXED_COUNTERS)
		value = cpu->fixed[index - (1U << 30)];
	else
		return;
	reg_write(cpu, regs.rax, (uint32_t)value);
	reg_write(cpu, regs.rdx, value >> 32 & 0xffff);
	insn_done(cpu, udata);
}

/**
 * insn_cpuid() - store the operands of a CPUID before it is executed
 * @vcpu: the CPU
 * @udata: not used
 */
void insn_cpuid(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];

	cpu->leaf = reg_read(cpu, regs.rax);
	cpu->index = reg_read(cpu, regs.rcx);
	cpu->rdx = reg_read(cpu, regs.rdx);
}

static bool cpuid_answer(struct bts_cpu *cpu)
{
	if (cpu->leaf != 0xa && cpu->leaf != 0x15 && cpu->leaf != BTS_MARK_LEAF &&
	    (cpu->leaf != 1 || !unkind.lbr) &&
	    (cpu->leaf != 7 || cpu->index || !unkind.hybrid))
		return false;
	/* The plugin handles only the kernel and 64-bit programs */
	if (!(cpu->start >> 63) && (reg_read(cpu, regs.cs) & 0xffff) != 0x33)
		return false;
	if (cpu->leaf == 0xa) {
		/* Version 2, four counters of 48 bits, seven events in EBX */
		reg_write(cpu, regs.rax, 2 | COUNTERS << 8 | 48 << 16 | 7 << 24);
		reg_write(cpu, regs.rbx, 0);
		reg_write(cpu, regs.rcx, 0);
		reg_write(cpu, regs.rdx, FIXED_COUNTERS | 48 << 5);
	} else if (cpu->leaf == 1) {
		reg_write(cpu, regs.rcx, reg_read(cpu, regs.rcx) | CPUID_1_PDCM);
	} else if (cpu->leaf == 7) {
		reg_write(cpu, regs.rdx, reg_read(cpu, regs.rdx) | CPUID_7_HYBRID);
	} else if (cpu->leaf == 0x15) {
		/*
		 * TSC = crystal * EBX / EAX; the local APIC has the frequency of the
		 * crystal
		 */
		reg_write(cpu, regs.rax, tsc_ratio[0]);
		reg_write(cpu, regs.rbx, tsc_ratio[1]);
		reg_write(cpu, regs.rcx, CRYSTAL);
		reg_write(cpu, regs.rdx, 0);
	} else {
		if (cpu->index == BTS_MARK_LOSE)
			debugctl_write(cpu, 0);
		else if (cpu->index == BTS_MARK_NMI)
			nmi_entry = cpu->rdx;
		else if (cpu->index == BTS_MARK_DEBUG)
			debug_entry = cpu->rdx;
		else
			log_value(cpu, BTS_LOG_MARK, cpu->index);
		reg_write(cpu, regs.rbx, BTS_MARK_LEAF);
	}
	return true;
}

/**
 * insn_cpuid_last() - emulate a CPUID that is the last instruction of its block
 * @vcpu: the CPU
 * @udata: UDATA() of the instruction
 */
void insn_cpuid_last(unsigned int vcpu, void *udata)
{
	insn_cpuid(vcpu, udata);
	if (cpuid_answer(&cpus[vcpu]))
		insn_done(&cpus[vcpu], udata);
}

/**
 * insn_behind_cpuid() - change the results of a CPUID, before the next instruction
 * @vcpu: the CPU
 * @udata: not used
 */
void insn_behind_cpuid(unsigned int vcpu, void *udata)
{
	cpuid_answer(&cpus[vcpu]);
}

/**
 * cpu_reset() - reset the registers of all CPUs when the machine is reset
 * @vcpu: not used
 * @udata: not used
 */
void cpu_reset(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu;

	nmi_entry = 0;
	debug_entry = 0;
	for (cpu = cpus; cpu < cpus + MAX_CPUS; cpu++) {
		if (!cpu->hot)
			continue;
		memset(cpu->hot, 0, sizeof(*cpu->hot));
		memset(&cpu->debugctl, 0, offsetof(struct bts_cpu, prev) -
					  offsetof(struct bts_cpu, debugctl));
		counters_arm(cpu);
	}
}
