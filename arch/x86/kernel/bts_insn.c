// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: the instruction that a branch came from
 *
 * The instruction is read from the kernel's text while the trace is read. The text may
 * have been patched after the branch was taken. So the instruction is used only if it
 * could have made the branch, see kernel/trace/bts/tree.h.
 */
#include <linux/bts_trace.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include <asm/bts.h>
#include <asm/insn.h>

/* The kind of a branch with an opcode of one byte */
static enum bts_kind bts_opcode_kind(const struct insn *insn)
{
	switch (insn->opcode.bytes[0]) {
	case 0x70 ... 0x7f:	/* Jcc */
	case 0xe0 ... 0xe3:	/* LOOP, JCXZ */
		return BTS_KIND_CONDITIONAL;
	case 0xe9:
	case 0xea:		/* far JMP */
	case 0xeb:		/* JMP */
		return BTS_KIND_JUMP;
	case 0x9a:		/* far CALL */
	case 0xe8:		/* CALL */
		return BTS_KIND_CALL;
	case 0xc2:
	case 0xc3:		/* RET */
	case 0xca:
	case 0xcb:		/* far RET */
		return BTS_KIND_RETURN;
	case 0xcf:		/* IRET */
		return BTS_KIND_IRET;
	case 0xff:
		switch (X86_MODRM_REG(insn->modrm.value)) {
		case 2:
		case 3:
			return BTS_KIND_CALL;
		case 4:
		case 5:
			return BTS_KIND_JUMP;
		}
	}
	return BTS_KIND_NONE;
}

/* The kind of a branch with an opcode of two bytes, 0x0f first */
static enum bts_kind bts_opcode2_kind(const struct insn *insn)
{
	switch (insn->opcode.bytes[1]) {
	case 0x80 ... 0x8f:	/* Jcc */
		return BTS_KIND_CONDITIONAL;
	case 0x05:		/* SYSCALL */
	case 0x34:		/* SYSENTER */
		return BTS_KIND_SYSCALL;
	case 0x07:		/* SYSRET */
	case 0x35:		/* SYSEXIT */
		return BTS_KIND_SYSRET;
	}
	return BTS_KIND_NONE;
}

/**
 * bts_insn_kind - find the kind of branch that an instruction is
 * @insn: the instruction
 *
 * Return: the kind, or BTS_KIND_NONE if the instruction is no branch.
 */
enum bts_kind bts_insn_kind(const struct insn *insn)
{
	/* VEX instructions have other opcodes, and none is a branch */
	if (insn->vex_prefix.nbytes)
		return BTS_KIND_NONE;
	return insn->opcode.bytes[0] == 0x0f ? bts_opcode2_kind(insn) :
					       bts_opcode_kind(insn);
}

/* Whether the instruction has the distance to the target */
static bool bts_is_direct(const struct insn *insn)
{
	u8 opcode = insn->opcode.bytes[0];

	return opcode == 0x0f || (opcode >= 0x70 && opcode <= 0x7f) ||
	       (opcode >= 0xe0 && opcode <= 0xe3) ||
	       opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb;
}

/*
 * Read an instruction, or the part of it that is on its first page; returns the number of
 * bytes
 */
static unsigned int bts_read_text(unsigned long ip, u8 *text)
{
	unsigned int left = PAGE_SIZE - offset_in_page(ip);

	if (!copy_from_kernel_nofault(text, (void *)ip, MAX_INSN_SIZE))
		return MAX_INSN_SIZE;
	if (left < MAX_INSN_SIZE && !copy_from_kernel_nofault(text, (void *)ip, left))
		return left;
	return 0;
}

/**
 * bts_read_insn - read the instruction at a branch's origin
 * @b: the branch; @b->from is valid, and the members of its instruction are set
 * @ip: the address of the instruction, which is in the text of the kernel or a module
 */
void bts_read_insn(struct bts_branch *b, unsigned long ip)
{
	u8 text[MAX_INSN_SIZE];
	unsigned int size;
	struct insn insn;

	size = bts_read_text(ip, text);
	if (!size || insn_decode(&insn, text, size, INSN_MODE_KERN))
		return;
	b->next = b->from + insn.length;
	b->insn = bts_insn_kind(&insn);
	if ((b->insn == BTS_KIND_JUMP || b->insn == BTS_KIND_CONDITIONAL ||
	     b->insn == BTS_KIND_CALL) && bts_is_direct(&insn))
		b->target = b->next + insn.immediate.value;
}
