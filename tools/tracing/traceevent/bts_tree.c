// SPDX-License-Identifier: GPL-2.0
/*
 * The effect of a branch on the tree of calls, see bts_tree.h
 */
#include <linux/string.h>

#include "bts_tree.h"

static bool bts_frame_returns(const struct bts_frame *frame, u64 to)
{
	if (frame->ret)
		return frame->ret == to;
	return frame->kind == BTS_KIND_CALL && to > frame->from &&
	       to - frame->from <= BTS_CALL_MAX;
}

/**
 * bts_tree_find_return - find the call that returns to an address
 * @tree: the open calls
 * @to: the address
 *
 * Return: number of calls that end with the innermost call that returns to @to, 0 if there is
 * none.
 */
unsigned int bts_tree_find_return(const struct bts_tree *tree, u64 to)
{
	unsigned int i;

	for (i = tree->nr; i && !bts_frame_is_gate(&tree->frames[i - 1]); i--)
		if (bts_frame_returns(&tree->frames[i - 1], to))
			return tree->nr - i + 1;
	return 0;
}

/* Number of tail calls to leave to get back to @func; -1 if @func is not below them */
static int bts_tree_find_tail(const struct bts_tree *tree, u64 func)
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

/* Number of open calls of the kernel, which are above the calls of user space */
static unsigned int bts_tree_kernel(const struct bts_tree *tree)
{
	unsigned int nr = 0;

	while (nr < tree->nr && !tree->frames[tree->nr - nr - 1].user)
		nr++;
	return nr;
}

/*
 * The kind by the instruction, BTS_KIND_NONE if the instruction cannot have made the
 * branch
 */
static enum bts_kind bts_kind_by_insn(const struct branch *b)
{
	switch (b->from->insn) {
	case BTS_KIND_JUMP:
	case BTS_KIND_CONDITIONAL:
	case BTS_KIND_CALL:
		if (b->from->target ? b->from->target != b->to->addr : b->to->gate != BTS_KIND_NONE)
			return BTS_KIND_NONE;
		break;
	case BTS_KIND_RETURN:
	case BTS_KIND_IRET:
		if (b->to->gate != BTS_KIND_NONE)
			return BTS_KIND_NONE;
		break;
	case BTS_KIND_SYSRET:
		if (bts_is_kernel(b->to->addr))
			return BTS_KIND_NONE;
		return b->from->insn;
	case BTS_KIND_SYSCALL:
		return b->to->gate == BTS_KIND_SYSCALL ? b->from->insn : BTS_KIND_NONE;
	default:
		return BTS_KIND_NONE;
	}
	/* Of these instructions only IRET changes the side, and only to user space */
	if (bts_is_kernel(b->from->addr) != bts_is_kernel(b->to->addr) &&
	    (b->from->insn != BTS_KIND_IRET || bts_is_kernel(b->to->addr)))
		return BTS_KIND_NONE;
	return b->from->insn;
}

static enum bts_kind bts_kind_by_shape(const struct bts_tree *tree, const struct branch *b)
{
	const struct bts_frame *top, *first;

	if (b->to->gate != BTS_KIND_NONE)
		return b->to->gate;
	if (!bts_is_kernel(b->from->addr))
		return bts_is_kernel(b->to->addr) ? BTS_KIND_EXCEPTION : BTS_KIND_JUMP;
	/* SYSCALL has two bytes */
	if (!bts_is_kernel(b->to->addr)) {
		first = &tree->frames[tree->nr - bts_tree_kernel(tree)];
		return bts_tree_kernel(tree) && first->kind == BTS_KIND_SYSCALL &&
		       b->to->addr == first->from + 2 ? BTS_KIND_SYSRET : BTS_KIND_IRET;
	}
	if (bts_tree_find_return(tree, b->to->addr))
		return BTS_KIND_RETURN;
	top = tree->nr ? &tree->frames[tree->nr - 1] : NULL;
	if (top && bts_frame_is_gate(top) && b->to->addr == top->from)
		return BTS_KIND_IRET;
	if (b->to->entry && b->from->func != b->to->func)
		return BTS_KIND_CALL;
	return BTS_KIND_JUMP;
}

/* Handle a jump, which may be a tail call or the end of tail calls */
static void bts_tree_jump(struct bts_tree *tree, struct branch *b)
{
	int tails;

	if (!b->to->func || b->from->func == b->to->func)
		return;
	tails = bts_tree_find_tail(tree, b->to->func);
	if (tails >= 0)
		b->move.leave = tails;
	else
		b->move.enter = b->to->entry && (b->move.sure || bts_is_kernel(b->from->addr));
}

static void bts_tree_return(struct bts_tree *tree, struct branch *b)
{
	b->move.leave = bts_tree_find_return(tree, b->to->addr);
	if (b->move.leave || (b->to->func && b->from->func == b->to->func))
		return;
	/*
	 * The call of this return was not seen. A return to a function's entry is an
	 * indirect call.
	 */
	if (b->to->entry)
		b->move.enter = true;
	else if (bts_tree_is_tail(tree))
		b->move.leave = tree->nr;
	/*
	 * ftrace and kprobes make one such return in a function. A second one is of
	 * another stack
	 */
	else if (tree->frames[tree->nr - 1].missed)
		b->move.lost = true;
	else
		tree->frames[tree->nr - 1].missed = true;
}

static void bts_tree_iret(struct bts_tree *tree, struct branch *b)
{
	if (!bts_is_kernel(b->to->addr))
		b->move.leave = bts_tree_kernel(tree);
	/* An IRET to one of the next instructions ends no call; it serializes the CPU */
	else if (b->from->func != b->to->func || b->to->addr <= b->from->addr ||
		 b->to->addr > b->from->addr + BTS_INSN_MAX)
		b->move.leave = bts_tree_find_gate(tree);
}

static void bts_tree_push(struct bts_tree *tree, const struct branch *b)
{
	if (tree->nr == BTS_TREE_DEPTH) {
		tree->nr = BTS_TREE_DEPTH / 2;
		memmove(tree->frames, tree->frames + BTS_TREE_DEPTH / 2,
			sizeof(tree->frames) / 2);
	}
	tree->frames[tree->nr++] = (struct bts_frame){
		.func	= b->to->func,
		.begin	= b->to->func,
		.from	= b->from->addr,
		.ret	= b->move.kind == BTS_KIND_CALL && b->move.sure ? b->from->after : 0,
		.kind	= b->move.kind,
		.sure	= b->move.sure,
		.user	= !bts_is_kernel(b->from->addr) && !bts_is_kernel(b->to->addr),
	};
}

/**
 * bts_tree_next - handle the next branch
 * @tree: the open calls
 * @b: the branch; its move is set to the effect on the tree
 *
 * If branches are missing before @b, the caller calls bts_tree_reset() first.
 */
void bts_tree_next(struct bts_tree *tree, struct branch *b)
{
	struct bts_move *move = &b->move;

	*move = (struct bts_move){
		.kind	= bts_kind_by_insn(b),
		.depth	= tree->nr,
		.func	= tree->nr ? tree->frames[tree->nr - 1].func : 0,
		.begin	= tree->nr ? tree->frames[tree->nr - 1].begin : 0,
	};
	move->sure = move->kind != BTS_KIND_NONE;
	if (!move->sure) {
		move->kind = bts_kind_by_shape(tree, b);
		move->sure = b->to->gate != BTS_KIND_NONE;
	}
	switch (move->kind) {
	case BTS_KIND_CALL:
		move->enter = b->to->entry || !b->to->func ||
			      b->from->func != b->to->func;
		break;
	case BTS_KIND_RETURN:
		bts_tree_return(tree, b);
		break;
	case BTS_KIND_INTERRUPT:
	case BTS_KIND_EXCEPTION:
	case BTS_KIND_SYSCALL:
		/* In user space no call of the kernel is open */
		if (!bts_is_kernel(b->from->addr))
			move->leave = bts_tree_kernel(tree);
		move->enter = true;
		break;
	case BTS_KIND_SYSRET:
		move->leave = bts_tree_kernel(tree);
		break;
	case BTS_KIND_IRET:
		bts_tree_iret(tree, b);
		break;
	default:
		/* Code such as ftrace's may end a call by an indirect jump */
		if (!b->from->target && b->from->func != b->to->func)
			move->leave = bts_tree_find_return(tree, b->to->addr);
		if (!move->leave)
			bts_tree_jump(tree, b);
	}
	tree->nr -= move->leave;
	if (move->lost)
		bts_tree_reset(tree);
	if (move->enter)
		bts_tree_push(tree, b);
	else if (tree->nr && b->to->func && !move->leave)
		tree->frames[tree->nr - 1].func = b->to->func;
}
