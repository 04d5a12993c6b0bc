// SPDX-License-Identifier: GPL-2.0
/*
 * The step tracer: what an instruction of user space does
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/types.h>

#include <kunit/visibility.h>

#include <asm/insn.h>
#include <asm/irq_vectors.h>
#include <asm/step_tracer.h>
#include <asm/trapnr.h>

#include "trace_bts_insn.h"

static bool step_is_prefix(u8 byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64 ... 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

static bool step_repeats(const u8 *text)
{
	for (; step_is_prefix(*text); text++) {
		if (*text == 0xf2 || *text == 0xf3)
			return true;
	}
	return false;
}

/* INT: the vectors that a program may use */
static u16 step_kind_int(u8 vector)
{
	switch (vector) {
	case X86_TRAP_BP:
		return STEP_INT3;
	case X86_TRAP_OF:
		return STEP_INT4;
	case IA32_SYSCALL_VECTOR:
		return STEP_INT80;
	}
	return 0;
}

/* What an instruction is that is no branch */
static u16 step_kind_other(const struct insn *in, const u8 *text)
{
	if (in->vex_prefix.nbytes)
		return 0;
	switch (in->opcode.bytes[0]) {
	case 0x6c ... 0x6f: case 0xa4 ... 0xa7: case 0xaa ... 0xaf:
		return step_repeats(text) ? STEP_REPEAT : 0;
	case 0x9c:
		return STEP_PUSHF;
	case 0x9d:
		return STEP_POPF;
	case 0xcc:
		return STEP_INT3;
	case 0xcd:
		return step_kind_int(in->immediate.bytes[0]);
	case 0xf1:
		return STEP_INT1;
	}
	return 0;
}

static u16 step_kind(const struct insn *in, const u8 *text, bool long_mode)
{
	switch (bts_insn_kind(in)) {
	case BTS_KIND_JUMP:
	case BTS_KIND_CALL:
	case BTS_KIND_RETURN:
		return STEP_JUMP;
	case BTS_KIND_IRET:
		return STEP_JUMP | STEP_POPF;
	case BTS_KIND_SYSCALL:
		if (in->opcode.bytes[1] == 0x34)
			return STEP_SYSENTER;
		return long_mode ? STEP_SYSCALL : STEP_SYSCALL32;
	default:
		return step_kind_other(in, text);
	}
}

/* After MOV SS and POP SS, the CPU raises no debug exception */
static bool step_shadows(const struct insn *in, bool long_mode)
{
	u8 op = in->opcode.bytes[0];

	return !in->vex_prefix.nbytes &&
	       ((op == 0x8e && X86_MODRM_REG(in->modrm.bytes[0]) == 2) ||
		(op == 0x17 && !long_mode));
}

/**
 * step_decode - tell what an instruction does
 * @insn: gets it
 * @text: the instruction
 * @size: number of bytes that can be read at @text, 15 at most
 * @long_mode: the CPU is in 64-bit mode, otherwise in 32-bit mode
 *
 * Return: 0, or -ENODATA if the instruction has more than @size bytes.
 */
int step_decode(struct step_insn *insn, const u8 *text, unsigned int size,
		bool long_mode)
{
	enum insn_mode mode = long_mode ? INSN_MODE_64 : INSN_MODE_32;
	struct insn in;
	int ret;

	*insn = (struct step_insn){ };
	ret = insn_decode(&in, text, size, mode);
	if (!ret && step_shadows(&in, long_mode)) {
		insn->shadow = in.length;
		text += in.length;
		size -= in.length;
		ret = insn_decode(&in, text, size, mode);
	}
	if (ret == -ENODATA && size + insn->shadow < MAX_INSN_SIZE)
		return ret;
	/* The decoder need not know all instructions */
	if (ret)
		return 0;
	insn->len = in.length;
	insn->kind = step_kind(&in, text, long_mode);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(step_decode);
