/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Branches as a tree of calls
 *
 * The reader of a trace gives the branches of a CPU to bts_tree_next(), in the order in
 * which the CPU took them, with what the reader knows about each branch: the instruction
 * at its origin, and the symbols of both addresses.  bts_tree_next() tells the kind of
 * the branch, and how many calls end and whether one begins with it.
 *
 * The instruction decides the kind.  But the text that a reader has is not always the
 * text that was run: the kernel patches calls, jumps and returns.  And an interrupt has
 * the address of an instruction that was not run.  So an instruction counts only if the
 * branch could be its branch: a direct one has to lead to its target.  Otherwise, and
 * without text, the shape of the branch decides:
 *
 * - A branch to the entry of an interrupt, an exception or a system call is one of these.
 * - A branch to the place behind an open call is the return from it.
 * - A branch to the first instruction of another function is a call.
 * - Any other branch is a jump.
 *
 * A call is open until its return address is reached.  A jump to the first instruction
 * of another function is a tail call: it ends with the call that it was made in.  If a
 * function is reached again by jumps alone, the tail calls since then have ended.  A
 * call to the middle of its own function is none: it reads the instruction pointer, or
 * fills the CPU's return stack.
 *
 * This file is for the kernel and for user space, which includes it as it is.
 */
#ifndef _TRACE_BTS_TREE_H
#define _TRACE_BTS_TREE_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

/**
 * enum bts_kind - the kind of a branch
 * @BTS_KIND_NONE: no branch, or not known
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
 * struct bts_branch - a branch, and what the reader knows about it
 * @from: its origin
 * @to: its target
 * @insn: the kind of the instruction at @from, BTS_KIND_NONE if there is no text, or no
 *	branch in the text
 * @next: the address behind that instruction, 0 if there is no text
 * @target: where that instruction leads to, 0 if that is not in the instruction
 * @gate: what enters the kernel at @to: BTS_KIND_INTERRUPT, BTS_KIND_EXCEPTION,
 *	BTS_KIND_SYSCALL, or BTS_KIND_NONE
 * @from_func: the function that @from is in, 0 if that is not known
 * @to_func: the function that @to is in, 0 if that is not known
 * @entry: @to is the first instruction of @to_func
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

/**
 * struct bts_frame - a call that is open
 * @func: the function that runs in it now
 * @from: the origin of the branch that began it
 * @ret: where it returns to, 0 if that is not known
 * @kind: the kind of that branch
 * @sure: the instruction tells the kind
 * @missed: a return led neither out of it nor into a function
 */
struct bts_frame {
	__u64		func;
	__u64		from;
	__u64		ret;
	enum bts_kind	kind;
	bool		sure;
	bool		missed;
};

/*
 * Maximum open calls.  The outermost half is forgotten if there are more.  The kernel has
 * the calls of each CPU for each file that is being read.
 */
#ifdef __KERNEL__
#define BTS_TREE_DEPTH		128
#else
#define BTS_TREE_DEPTH		512
#endif

/* Maximum bytes of an instruction, and of a call */
#define BTS_INSN_MAX		15
#define BTS_CALL_MAX		8

/**
 * struct bts_tree - the calls of a CPU, or of a task, that are open
 * @nr: number of frames
 * @frames: the calls, the outermost first
 */
struct bts_tree {
	unsigned int		nr;
	struct bts_frame	frames[BTS_TREE_DEPTH];
};

/**
 * struct bts_move - what a branch does to the tree
 * @kind: its kind
 * @sure: the instruction or the entry into the kernel tells the kind, not the shape
 * @leave: number of calls that end
 * @enter: a call begins, after the others have ended
 * @lost: the calls that were open are not those of the branches; @leave is 0 then
 * @depth: number of calls that were open before
 * @func: the function that ran in the innermost of them, 0 if there is none
 */
struct bts_move {
	enum bts_kind	kind;
	bool		sure;
	unsigned int	leave;
	bool		enter;
	bool		lost;
	unsigned int	depth;
	__u64		func;
};

static inline void bts_tree_reset(struct bts_tree *tree)
{
	tree->nr = 0;
}

static inline bool bts_is_kernel(__u64 addr)
{
	return (__s64)addr < 0;
}

/* Whether a frame is an interrupt's, an exception's or a system call's */
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

static inline bool bts_frame_returns(const struct bts_frame *frame, __u64 to)
{
	if (frame->ret)
		return frame->ret == to;
	return frame->kind == BTS_KIND_CALL && to > frame->from &&
	       to - frame->from <= BTS_CALL_MAX;
}

/* Number of calls that end if the innermost of those that return to @to ends, or 0 */
static inline unsigned int bts_tree_find_return(const struct bts_tree *tree,
						__u64 to)
{
	unsigned int i;

	for (i = tree->nr; i && !bts_frame_is_gate(&tree->frames[i - 1]); i--)
		if (bts_frame_returns(&tree->frames[i - 1], to))
			return tree->nr - i + 1;
	return 0;
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

/* Number of tail calls to leave, so that @func runs; -1 if it is not below them */
static inline int bts_tree_find_tail(const struct bts_tree *tree, __u64 func)
{
	unsigned int i;

	for (i = tree->nr; i; i--) {
		if (tree->frames[i - 1].func == func)
			return tree->nr - i;
		if (!bts_frame_is_tail(&tree->frames[i - 1]))
			break;
	}
	return -1;
}

/* Whether all open calls may be tail calls of a function whose call was not seen */
static inline bool bts_tree_is_tail(const struct bts_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr; i++)
		if (!bts_frame_is_tail(&tree->frames[i]))
			return false;
	return true;
}

/* The kind by the instruction, BTS_KIND_NONE if the branch is not that instruction's */
static inline enum bts_kind bts_kind_by_insn(const struct bts_branch *b)
{
	bool direct = b->target;

	switch (b->insn) {
	case BTS_KIND_JUMP:
	case BTS_KIND_CONDITIONAL:
	case BTS_KIND_CALL:
		if (direct ? b->target != b->to : b->gate != BTS_KIND_NONE)
			return BTS_KIND_NONE;
		break;
	case BTS_KIND_RETURN:
	case BTS_KIND_IRET:
		if (b->gate != BTS_KIND_NONE)
			return BTS_KIND_NONE;
		break;
	case BTS_KIND_SYSRET:
		if (bts_is_kernel(b->to))
			return BTS_KIND_NONE;
		return b->insn;
	case BTS_KIND_SYSCALL:
		return b->gate == BTS_KIND_SYSCALL ? b->insn : BTS_KIND_NONE;
	default:
		return BTS_KIND_NONE;
	}
	/* Only IRET crosses from one side to the other, and only to user space */
	if (bts_is_kernel(b->from) != bts_is_kernel(b->to) &&
	    (b->insn != BTS_KIND_IRET || bts_is_kernel(b->to)))
		return BTS_KIND_NONE;
	return b->insn;
}

static inline enum bts_kind bts_kind_to_user(const struct bts_tree *tree,
					     const struct bts_branch *b)
{
	const struct bts_frame *frame = &tree->frames[0];

	/* SYSCALL has two bytes */
	if (tree->nr && frame->kind == BTS_KIND_SYSCALL &&
	    b->to == frame->from + 2)
		return BTS_KIND_SYSRET;
	return BTS_KIND_IRET;
}

static inline enum bts_kind bts_kind_by_shape(const struct bts_tree *tree,
					      const struct bts_branch *b)
{
	const struct bts_frame *top;

	if (b->gate != BTS_KIND_NONE)
		return b->gate;
	if (!bts_is_kernel(b->from))
		return bts_is_kernel(b->to) ? BTS_KIND_EXCEPTION : BTS_KIND_JUMP;
	if (!bts_is_kernel(b->to))
		return bts_kind_to_user(tree, b);
	if (bts_tree_find_return(tree, b->to))
		return BTS_KIND_RETURN;
	top = tree->nr ? &tree->frames[tree->nr - 1] : NULL;
	if (top && bts_frame_is_gate(top) && b->to == top->from)
		return BTS_KIND_IRET;
	if (b->entry && b->from_func != b->to_func)
		return BTS_KIND_CALL;
	return BTS_KIND_JUMP;
}

/* A jump, which may be a tail call */
static inline void bts_tree_jump(struct bts_tree *tree,
				 const struct bts_branch *b,
				 struct bts_move *move)
{
	int tails;

	if (!b->to_func || b->from_func == b->to_func)
		return;
	tails = bts_tree_find_tail(tree, b->to_func);
	if (tails >= 0)
		move->leave = tails;
	else
		move->enter = b->entry && bts_is_kernel(b->from);
}

static inline void bts_tree_return(struct bts_tree *tree,
				   const struct bts_branch *b,
				   struct bts_move *move)
{
	move->leave = bts_tree_find_return(tree, b->to);
	if (move->leave || (b->to_func && b->from_func == b->to_func))
		return;
	/* The call was not seen.  A return to a function's entry is an indirect call. */
	if (b->entry)
		move->enter = true;
	else if (bts_tree_is_tail(tree))
		move->leave = tree->nr;
	/* ftrace and kprobes have one such return in a function; two are of another stack */
	else if (tree->frames[tree->nr - 1].missed)
		move->lost = true;
	else
		tree->frames[tree->nr - 1].missed = true;
}

static inline void bts_tree_iret(struct bts_tree *tree,
				 const struct bts_branch *b,
				 struct bts_move *move)
{
	if (!bts_is_kernel(b->to))
		move->leave = tree->nr;
	/* An IRET to the next instructions serializes the CPU */
	else if (b->from_func != b->to_func || b->to <= b->from ||
		 b->to > b->from + BTS_INSN_MAX)
		move->leave = bts_tree_find_gate(tree);
}

static inline void bts_tree_push(struct bts_tree *tree,
				 const struct bts_branch *b,
				 const struct bts_move *move)
{
	struct bts_frame *frame;

	if (tree->nr == BTS_TREE_DEPTH) {
		tree->nr = BTS_TREE_DEPTH / 2;
		memmove(tree->frames, tree->frames + BTS_TREE_DEPTH / 2,
			sizeof(tree->frames) / 2);
	}
	frame = &tree->frames[tree->nr++];
	frame->func = b->to_func;
	frame->from = b->from;
	frame->ret = 0;
	if (move->kind == BTS_KIND_CALL && move->sure)
		frame->ret = b->next;
	frame->kind = move->kind;
	frame->sure = move->sure;
	frame->missed = false;
}

/**
 * bts_tree_next - go on with the next branch
 * @tree: the calls that are open
 * @b: the branch
 * @move: set to what the branch does
 *
 * After branches that are missing, call bts_tree_reset() first.
 */
static inline void bts_tree_next(struct bts_tree *tree,
				 const struct bts_branch *b,
				 struct bts_move *move)
{
	move->kind = bts_kind_by_insn(b);
	move->sure = move->kind != BTS_KIND_NONE;
	move->leave = 0;
	move->enter = false;
	move->lost = false;
	move->depth = tree->nr;
	move->func = tree->nr ? tree->frames[tree->nr - 1].func : 0;
	if (!move->sure) {
		move->kind = bts_kind_by_shape(tree, b);
		move->sure = b->gate != BTS_KIND_NONE;
	}
	switch (move->kind) {
	case BTS_KIND_CALL:
		move->enter = b->entry || !b->to_func ||
			      b->from_func != b->to_func;
		break;
	case BTS_KIND_RETURN:
		bts_tree_return(tree, b, move);
		break;
	case BTS_KIND_INTERRUPT:
	case BTS_KIND_EXCEPTION:
	case BTS_KIND_SYSCALL:
		/* User space runs on an empty stack of the kernel */
		if (!bts_is_kernel(b->from))
			move->leave = tree->nr;
		move->enter = true;
		break;
	case BTS_KIND_SYSRET:
		move->leave = tree->nr;
		break;
	case BTS_KIND_IRET:
		bts_tree_iret(tree, b, move);
		break;
	default:
		/* Code that ends a call by an indirect jump, as ftrace's does */
		if (!b->target && b->from_func != b->to_func)
			move->leave = bts_tree_find_return(tree, b->to);
		if (!move->leave)
			bts_tree_jump(tree, b, move);
	}
	tree->nr -= move->leave;
	if (move->lost)
		bts_tree_reset(tree);
	if (move->enter)
		bts_tree_push(tree, b, move);
	else if (tree->nr && b->to_func && !move->leave)
		tree->frames[tree->nr - 1].func = b->to_func;
}

#endif /* _TRACE_BTS_TREE_H */
