/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branches of interrupts and of thunks among the CPU's last branches
 *
 * The graph tracer's option funcgraph-lbr needs this header (CONFIG_BTS_TRACER).
 */
#ifndef _ASM_X86_TRACE_LBR_H
#define _ASM_X86_TRACE_LBR_H

#include <linux/kconfig.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include <asm/fred.h>
#include <asm/nospec-branch.h>
#include <asm/sections.h>
#include <asm/switch_to.h>

/* The number of branches that a return by a thunk takes at most after the function's own */
#define TRACE_LBR_THUNK_BRANCHES	3

/*
 * The CPU enters the kernel from ring 0 this number of bytes after the entry from ring 3
 * (Intel FRED specification, IA32_FRED_CONFIG).  Both entries have the same instructions,
 * so an entry is shorter.
 */
#define TRACE_LBR_FRED_BYTES		256

/**
 * trace_lbr_is_interrupt - tell branches of the code around interrupt handlers
 * @from: the branch's origin
 *
 * The end of an interrupt, IRET or FRED's ERETS, is in this code.
 *
 * Return: true if the branch is one of this code.
 */
static inline bool trace_lbr_is_interrupt(u64 from)
{
#ifdef CONFIG_X86_FRED
	if (from - (unsigned long)asm_fred_entrypoint_kernel < TRACE_LBR_FRED_BYTES)
		return true;
#endif
	return from >= (unsigned long)__entry_text_start &&
	       from < (unsigned long)__entry_text_end;
}

/**
 * trace_lbr_is_switch - tell the branch by which a CPU begins to switch tasks
 * @to: the branch's target
 *
 * perf clears the CPU's last branches at a task switch, but not for each task that has events
 * of its own.
 *
 * Return: true if so. The branch is then the last one of another task.
 */
static inline bool trace_lbr_is_switch(u64 to)
{
	/* A call may skip an ENDBR */
	return to - (unsigned long)__switch_to_asm <= 4;
}

/**
 * trace_lbr_is_thunk - tell whether code returns by a thunk
 * @to: the target of a branch by which the code returns
 *
 * Return: true if @to is the thunk that the kernel's returns jump to.
 */
static inline bool trace_lbr_is_thunk(u64 to)
{
	return IS_ENABLED(CONFIG_MITIGATION_RETHUNK) && to == (unsigned long)x86_return_thunk;
}

/**
 * trace_lbr_ends_thunk - tell whether a branch leaves a return thunk
 * @from: the branch's origin, which is in a thunk
 *
 * A thunk may call other code, and its first RET leads to the caller of the function.
 *
 * Return: true if the branch is a RET, or cannot be read.
 */
static inline bool trace_lbr_ends_thunk(u64 from)
{
	const u8 ret = 0xc3;
	u8 opcode;

	return get_kernel_nofault(opcode, (u8 *)from) || opcode == ret;
}

#endif /* _ASM_X86_TRACE_LBR_H */
