/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branches as a tree of calls
 *
 * The reader of a trace passes the branches of a CPU to bts_tree_next(), in the order in
 * which the CPU took them.  The places of a branch have the instruction at the branch's
 * origin and the symbols of both addresses, if the reader knows them.  bts_tree_next() tells the
 * kind of the branch, the number of calls that the branch ends, and whether the branch
 * begins a call.
 *
 * The instruction determines the kind.  But the reader's text is not always the text that
 * was executed, because the kernel patches calls, jumps and returns.  And the origin of
 * an interrupt is an instruction that was not executed.  So an instruction is used only
 * if it could have made the branch: the branch of a direct jump or call has to lead to
 * the instruction's target.  Otherwise, and if there is no text, the shape of the branch
 * determines the kind:
 *
 * - A branch to the entry of interrupts, exceptions or system calls is an interrupt, an
 *   exception or a system call.
 * - A branch to the place after an open call is the return from the call.
 * - A branch to the first instruction of another function is a call.
 * - Any other branch is a jump.
 *
 * A call is open until its return address is reached.  A jump to the first instruction of
 * another function is a tail call.  It ends with the call that it was made in.  If a
 * function is reached again by a jump, the tail calls that were made since then have
 * ended.  A call instruction that leads to the middle of its own function begins no call:
 * it reads the instruction pointer, or fills the CPU's return stack.  The calls of user
 * space are known only if instructions determine the kinds there.  They stay open while the
 * kernel runs, below the system call, the interrupt or the exception.
 *
 * The plugin and trace-calls include this file.  bts_tree.c has bts_tree_next().
 */
#ifndef _TRACEEVENT_BTS_TREE_H
#define _TRACEEVENT_BTS_TREE_H

#include <stdbool.h>

#include <linux/types.h>

#include "hash.h"

struct area;

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

/**
 * struct place - an address, with its symbol and instruction
 * @node: the element of the hash
 * @addr: the address
 * @func: the address of its symbol, 0 if it has none
 * @name: the symbol, NULL if it has none
 * @gate: the kind of entry to the kernel at this address: BTS_KIND_INTERRUPT,
 *	BTS_KIND_EXCEPTION, BTS_KIND_SYSCALL, or BTS_KIND_NONE
 * @insn: the kind of the instruction, BTS_KIND_NONE if it is not a branch, or if the code
 *	is not known
 * @entry: this is the first instruction of the function
 * @decoded: trace-calls has looked for the instruction
 * @sourced: trace-calls has looked for @source
 * @called: events of trace-calls have this address of a function
 * @role: the role of the address for ftrace, see visits.c of trace-calls
 * @range: whether trace-calls shows branches of the address, see its branches-range.c; 0 if that
 *	is not known yet
 * @after: the address after the instruction, 0 if the code is not known
 * @target: the target of the instruction, 0 if the instruction does not contain it
 * @source: file:line with inlined functions, NULL if not known
 * @area: the file of user space that has the address, see maps.c of trace-calls; NULL if there
 *	is none
 */
struct place {
	struct hash_node node;
	u64		addr;
	u64		func;
	const char	*name;
	enum bts_kind	gate : 8;
	enum bts_kind	insn : 8;
	bool		entry;
	bool		decoded;
	bool		sourced;
	bool		called;
	u8		role;
	u8		range;
	u64		after;
	u64		target;
	char		*source;
	struct area	*area;
};

/**
 * struct bts_frame - an open call
 * @func: the function that runs in the call now
 * @begin: the function that the call began with
 * @from: the origin of the branch that began the call
 * @ret: the return address of the call, 0 if it is not known
 * @kind: the kind of the branch that began the call
 * @sure: whether the instruction or the kernel entry determines the kind
 * @missed: whether a return has led neither out of the call nor to a function's entry
 * @user: a call in user space, which stays open while the kernel runs
 */
struct bts_frame {
	u64		func;
	u64		begin;
	u64		from;
	u64		ret;
	enum bts_kind	kind;
	bool		sure;
	bool		missed;
	bool		user;
};

/* Maximum open calls.  If there are more, the outermost half is forgotten. */
#define BTS_TREE_DEPTH		512

/* Maximum bytes of an instruction, and of a call instruction */
#define BTS_INSN_MAX		15
#define BTS_CALL_MAX		8

/**
 * struct bts_tree - the open calls of a CPU or a task
 * @nr: number of frames
 * @frames: the calls, the outermost first
 */
struct bts_tree {
	unsigned int		nr;
	struct bts_frame	frames[BTS_TREE_DEPTH];
};

/**
 * struct bts_move - the effect of a branch on the tree
 * @kind: the kind of the branch
 * @sure: whether the instruction or the kernel entry determines the kind, not the shape
 * @leave: number of calls that the branch ends
 * @enter: whether the branch begins a call, after other calls have ended
 * @lost: whether the open calls turned out to be other calls than the CPU's; @leave is
 *	then 0
 * @depth: number of open calls before the branch
 * @func: the function that ran in the innermost open call, 0 if there is none
 * @begin: the function that the innermost open call began with, 0 if there is none
 */
struct bts_move {
	enum bts_kind	kind;
	bool		sure;
	unsigned int	leave;
	bool		enter;
	bool		lost;
	unsigned int	depth;
	u64		func;
	u64		begin;
};

/**
 * struct branch - a branch and its effect on the calls
 * @from: the origin
 * @to: the target
 * @move: the effect on the tree, from bts_tree_next()
 * @insns: number of instructions since the last branch, INSNS_UNKNOWN if it is not known
 * @mispredicted: the CPU had predicted that the branch is not taken or leads elsewhere
 */
struct branch {
	struct place	*from;
	struct place	*to;
	struct bts_move	move;
	u32		insns;
	bool		mispredicted;
};

#define INSNS_UNKNOWN	(~0U)

static inline void bts_tree_reset(struct bts_tree *tree)
{
	tree->nr = 0;
}

static inline bool bts_is_kernel(u64 addr)
{
	return (s64)addr < 0;
}

/* Whether a frame is an interrupt, an exception or a system call */
static inline bool bts_frame_is_gate(const struct bts_frame *frame)
{
	return frame->kind >= BTS_KIND_INTERRUPT;
}

/* Whether a frame may be a tail call */
static inline bool bts_frame_is_tail(const struct bts_frame *frame)
{
	return !bts_frame_is_gate(frame) &&
	       (frame->kind != BTS_KIND_CALL || !frame->sure);
}

/* Number of calls that end with the return from an interrupt to the kernel */
static inline unsigned int bts_tree_find_gate(const struct bts_tree *tree)
{
	unsigned int i;

	for (i = tree->nr; i; i--)
		if (bts_frame_is_gate(&tree->frames[i - 1]))
			return tree->nr - i + 1;
	return tree->nr;
}

unsigned int bts_tree_find_return(const struct bts_tree *tree, u64 to);
void bts_tree_next(struct bts_tree *tree, struct branch *b);

#endif /* _TRACEEVENT_BTS_TREE_H */
