// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: last branch records (LBR)
 *
 * The CPU has the records of Skylake, see the Intel SDM vol. 3B, "Last Branch,
 * Interrupt, and Exception Recording": IA32_DEBUGCTL.LBR and FREEZE_LBRS_ON_PMI,
 * MSR_LBR_SELECT, MSR_LBR_TOS, and 32 records of three registers each. The guest may
 * write all of these registers.
 *
 * MSR_LBR_SELECT filters by the privilege level of a branch, which is the level of its
 * target. FREEZE_LBRS_ON_PMI clears LBR when a counter requests its interrupt. The
 * interrupt of BTS does not clear LBR.
 *
 * MSR_LBR_INFO is 0 in each record: no branch is mispredicted, and no branch took a
 * cycle. Not emulated: the filters by the kind of a branch, because perf applies them to
 * the records, too; EN_CALLSTACK, which has no effect; a #DB, which should clear LBR;
 * MSR_LASTINT_FROM_IP and MSR_LASTINT_TO_IP.
 */
#include "cpu.h"

/**
 * lbr_record() - write a record of a taken branch
 * @cpu: the current CPU
 * @from: the instruction
 * @to: the target
 *
 * LBR has to be on.
 *
 * Return: BTS_LOG_LBR, or 0 if MSR_LBR_SELECT filters the branch.
 */
uint8_t lbr_record(struct bts_cpu *cpu, uint64_t from, uint64_t to)
{
	if (cpu->lbr_select & (to >> 63 ? LBR_CPL_EQ_0 : LBR_CPL_NEQ_0))
		return 0;
	cpu->lbr_tos = (cpu->lbr_tos + 1) % LBR_RECORDS;
	cpu->lbr_from[cpu->lbr_tos] = from;
	cpu->lbr_to[cpu->lbr_tos] = to;
	cpu->lbr_info[cpu->lbr_tos] = 0;
	return BTS_LOG_LBR;
}

/**
 * lbr_freeze() - clear LBR at the interrupt of a counter, if the guest has enabled this
 * @cpu: the current CPU
 */
void lbr_freeze(struct bts_cpu *cpu)
{
	if (lbr_is_on(cpu) && cpu->debugctl & DEBUGCTL_FREEZE_LBRS)
		debugctl_set(cpu, cpu->debugctl & ~DEBUGCTL_LBR);
}

/**
 * lbr_msr() - find a register of LBR
 * @cpu: the CPU
 * @msr: the register's number
 *
 * Return: the register, or NULL if it is not a register of LBR.
 */
uint64_t *lbr_msr(struct bts_cpu *cpu, uint32_t msr)
{
	if (!unkind.lbr)
		return NULL;
	switch (msr) {
	case MSR_LBR_SELECT:
		return &cpu->lbr_select;
	case MSR_LBR_TOS:
		return &cpu->lbr_tos;
	case MSR_LBR_FROM ... MSR_LBR_FROM + LBR_RECORDS - 1:
		return &cpu->lbr_from[msr - MSR_LBR_FROM];
	case MSR_LBR_TO ... MSR_LBR_TO + LBR_RECORDS - 1:
		return &cpu->lbr_to[msr - MSR_LBR_TO];
	case MSR_LBR_INFO ... MSR_LBR_INFO + LBR_RECORDS - 1:
		return &cpu->lbr_info[msr - MSR_LBR_INFO];
	}
	return NULL;
}

/**
 * lbr_write() - write a register of LBR
 * @cpu: the CPU
 * @msr: the register's number
 * @value: the value
 *
 * Return: false if the register is not a register of LBR.
 */
bool lbr_write(struct bts_cpu *cpu, uint32_t msr, uint64_t value)
{
	uint64_t *stored = lbr_msr(cpu, msr);

	if (!stored)
		return false;
	if (msr == MSR_LBR_SELECT)
		value &= LBR_SELECT_MASK;
	else if (msr == MSR_LBR_TOS)
		value %= LBR_RECORDS;
	*stored = value;
	if (msr == MSR_LBR_FROM)
		log_value(cpu, BTS_LOG_RESET, value);
	return true;
}
