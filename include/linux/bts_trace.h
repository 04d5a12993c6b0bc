/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bts tracer: branches as the readers of a trace know them, and the calls from the
 * rest of the kernel to the tracer
 *
 * User space includes this file, too.
 */
#ifndef _LINUX_BTS_TRACE_H
#define _LINUX_BTS_TRACE_H

#include <linux/types.h>

#ifndef __KERNEL__
#include <stdbool.h>
#endif

/**
 * enum bts_kind - the kind of a branch
 * @BTS_KIND_NONE: no branch, or an unknown branch
 * @BTS_KIND_JUMP: a jump without a condition
 * @BTS_KIND_CONDITIONAL: a conditional jump that was taken
 * @BTS_KIND_CALL: a call
 * @BTS_KIND_RETURN: a return from a call
 * @BTS_KIND_INTERRUPT: an interrupt
 * @BTS_KIND_EXCEPTION: an exception
 * @BTS_KIND_SYSCALL: a system call
 * @BTS_KIND_SYSRET: a return from a system call
 * @BTS_KIND_IRET: a return from an interrupt, an exception or a system call
 * @BTS_KIND_NR: number of kinds
 */
enum bts_kind {
	BTS_KIND_NONE,
	BTS_KIND_JUMP,
	BTS_KIND_CONDITIONAL,
	BTS_KIND_CALL,
	BTS_KIND_RETURN,
	BTS_KIND_INTERRUPT,
	BTS_KIND_EXCEPTION,
	BTS_KIND_SYSCALL,
	BTS_KIND_SYSRET,
	BTS_KIND_IRET,
	BTS_KIND_NR,
};

/*
 * The number in an event of the function_graph tracer: the number of the next branch among
 * all records of a CPU, the CPU, whether the entry was written after events of its callees may
 * have been written, and whether the CPU did not record branches at that time
 */
#define BTS_NUMBER_BITS		48
#define BTS_NUMBER_LATE		0x4000000000000000ULL
#define BTS_NUMBER_IDLE		0x8000000000000000ULL

/**
 * struct bts_branch - a branch, with the data that the reader knows about it
 * @from: the branch's origin
 * @to: the branch's target
 * @insn: the kind of the instruction at @from, BTS_KIND_NONE if there is no text, or if
 *	the instruction is no branch
 * @next: the address after the instruction at @from, 0 if there is no text
 * @target: the target of the instruction at @from, 0 if the instruction does not contain
 *	it
 * @gate: the kind of kernel entry at @to: BTS_KIND_INTERRUPT, BTS_KIND_EXCEPTION,
 *	BTS_KIND_SYSCALL, or BTS_KIND_NONE
 * @from_func: the function that @from is in, 0 if it is not known
 * @to_func: the function that @to is in, 0 if it is not known
 * @entry: whether @to is the first instruction of @to_func
 */
struct bts_branch {
	__u64		from;
	__u64		to;
	enum bts_kind	insn;
	__u64		next;
	__u64		target;
	enum bts_kind	gate;
	__u64		from_func;
	__u64		to_func;
	bool		entry;
};

#ifdef __KERNEL__
#ifdef CONFIG_BTS_TRACER
void bts_trace_suspend(void);
void bts_trace_resume(void);
#else
static inline void bts_trace_suspend(void)
{
}

static inline void bts_trace_resume(void)
{
}
#endif
#endif /* __KERNEL__ */

#endif /* _LINUX_BTS_TRACE_H */
