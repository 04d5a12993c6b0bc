// SPDX-License-Identifier: GPL-2.0
/*
 * The effect of a branch on the tree of calls, see bts_tree.h
 */
#include <linux/string.h>

#include "bts_tree.h"

static bool bts_frame_returns(const struct bts_frame *frame, __u64 to)
{
	if (frame->ret)
		return frame->ret == to;
	return frame->kind == BTS_KIND_CALL && to > frame->from &&
	       to - frame->from <= BTS_CALL_MAX;
}

/*
 * Number of calls that end with the innermost call that returns to @to, 0 if there is
 * none
 */
static unsigned int bts_tree_find_return(const struct bts_tree *tree,
					 __u64 to)
{
	unsigned int i;

	for (i = tree->nr; i && !bts_frame_is_gate(&tree->frames[i - 1]); i--)
		if (bts_frame_returns(&tree->frames[i - 1], to))
			return tree->nr - i + 1;
	return 0;
}

/* Number of tail calls to leave to get back to @func; -1 if @func is not below them */
static int bts_tree_find_tail(const struct bts_tree *tree, __u64 func)
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
static bool bts_tree_is_tail(const struct bts_tree *tree)
{
	unsigned int i;

	for (i = 0; i < tree->nr; i++)
		if (!bts_frame_is_tail(&tree->frames[i]))
			return false;
	return true;
}

/*
 * The kind by the instruction, BTS_KIND_NONE if the instruction cannot have made the
 * branch
 */
static enum bts_kind bts_kind_by_insn(const struct bts_branch *b)
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
	/* Of these instructions only IRET changes the side, and only to user space */
	if (bts_is_kernel(b->from) != bts_is_kernel(b->to) &&
	    (b->insn != BTS_KIND_IRET || bts_is_kernel(b->to)))
		return BTS_KIND_NONE;
	return b->insn;
}

static enum bts_kind bts_kind_to_user(const struct bts_tree *tree,
				      const struct bts_branch *b)
{
	const struct bts_frame *frame = &tree->frames[0];

	/* SYSCALL has two bytes */
	if (tree->nr && frame->kind == BTS_KIND_SYSCALL &&
	    b->to == frame->from + 2)
		return BTS_KIND_SYSRET;
	return BTS_KIND_IRET;
}

static enum bts_kind bts_kind_by_shape(const struct bts_tree *tree,
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

/* Handle a jump, which may be a tail call or the end of tail calls */
static void bts_tree_jump(struct bts_tree *tree,
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

static void bts_tree_return(struct bts_tree *tree,
			    const struct bts_branch *b,
			    struct bts_move *move)
{
	move->leave = bts_tree_find_return(tree, b->to);
	if (move->leave || (b->to_func && b->from_func == b->to_func))
		return;
	/*
	 * The call of this return was not seen. A return to a function's entry is an
	 * indirect call.
	 */
	if (b->entry)
		move->enter = true;
	else if (bts_tree_is_tail(tree))
		move->leave = tree->nr;
	/*
	 * ftrace and kprobes make one such return in a function. A second one is of
	 * another stack
	 */
	else if (tree->frames[tree->nr - 1].missed)
		move->lost = true;
	else
		tree->frames[tree->nr - 1].missed = true;
}

static void bts_tree_iret(struct bts_tree *tree,
			  const struct bts_branch *b,
			  struct bts_move *move)
{
	if (!bts_is_kernel(b->to))
		move->leave = tree->nr;
	/* An IRET to one of the next instructions ends no call; it serializes the CPU */
	else if (b->from_func != b->to_func || b->to <= b->from ||
		 b->to > b->from + BTS_INSN_MAX)
		move->leave = bts_tree_find_gate(tree);
}

static void bts_tree_push(struct bts_tree *tree,
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
 * bts_tree_next - handle the next branch
 * @tree: the open calls
 * @b: the branch
 * @move: set to the branch's effect on the tree
 *
 * If branches are missing before @b, the caller calls bts_tree_reset() first.
 */
void bts_tree_next(struct bts_tree *tree, const struct bts_branch *b,
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
		/* In user space no call of the kernel is open */
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
		/* Code such as ftrace's may end a call by an indirect jump */
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
