// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: single-stepping on branches (IA32_DEBUGCTL.BTF)
 *
 * See the Intel SDM vol. 3B, "Single-Stepping on Branches". With EFLAGS.TF and BTF, the CPU
 * raises a debug exception only after an instruction that has taken a branch. A debug
 * exception clears BTF.
 *
 * QEMU supports only TF. So it delivers a debug exception after each instruction of user
 * space. If BTF would not have raised the exception, the plugin skips the first block of
 * the exception's handler: it restores the registers that the exception has stored, and the
 * CPU continues. DR6.BS stays set, in contrast to a real CPU.
 *
 * QEMU does not report which exception it delivers. The guest reports the address of the
 * handler of debug exceptions, see bts-mark.c.
 */
#include "cpu.h"

#define SELECTOR_MASK	0xffff
/* Flags that QEMU keeps in another place. The exception does not change these. */
#define FLAGS_LAZY	0xcd5

uint64_t debug_entry;

/**
 * btf_exception() - handle the delivery of an exception
 * @cpu: the current CPU
 * @from: the instruction that was not executed
 * @debug: it is a debug exception
 */
void btf_exception(struct bts_cpu *cpu, uint64_t from, bool debug)
{
	bool branched = cpu->branched;

	cpu->branched = false;
	if (!btf_is_on(cpu) || !debug)
		return;
	if (branched || from >> 63)
		debugctl_set(cpu, cpu->debugctl & ~DEBUGCTL_BTF);
	else
		cpu->hot->undo = 1;
}

/**
 * btf_undo() - undo an exception that BTF forbids, at the first block of the handler
 * @vcpu: the CPU
 * @udata: not used
 */
void btf_undo(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint64_t frame[5];

	cpu->hot->undo = 0;
	if (!mem_copy(cpu, reg_read(cpu, regs.rsp), frame, sizeof(frame), false))
		die("the frame of a debug exception is not mapped");
	reg_write_32(cpu, regs.cs, frame[1] & SELECTOR_MASK);
	reg_write_32(cpu, regs.eflags, frame[2] & ~FLAGS_LAZY);
	reg_write(cpu, regs.rsp, frame[3]);
	reg_write_32(cpu, regs.ss, frame[4] & SELECTOR_MASK);
	qemu_plugin_set_pc(frame[0]);
}
