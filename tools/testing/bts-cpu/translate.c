// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: the functions that its translated code calls, and the values that
 * it stores
 */
#include <stddef.h>
#include <string.h>

#include "cpu.h"

enum insn_kind {
	INSN_OTHER,
	INSN_JUMP_IF,		/* may lead to the next instruction */
	INSN_JUMP,
	INSN_CALL,		/* near */
	INSN_RET,		/* near */
	INSN_IRET,
	INSN_CPUID,
	INSN_RDMSR,
	INSN_WRMSR,
	INSN_RDPMC,
	INSN_CR3,
};

/*
 * The kind of an instruction; *self is set for a direct jump to itself. QEMU treats INT,
 * INT3 and INTO as exceptions.
 */
static enum insn_kind insn_kind(const uint8_t *p, size_t len, bool *self)
{
	const uint8_t *end = p + len;
	int32_t rel;

	*self = false;
	for (; p < end; p++) {
		switch (*p) {
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64 ... 0x67:
		case 0xf0: case 0xf2: case 0xf3: case 0x40 ... 0x4f:
			continue;
		}
		break;
	}
	if (p == end)
		return INSN_OTHER;

	switch (*p++) {
	case 0x70 ... 0x7f:			/* Jcc rel8 */
	case 0xe0 ... 0xe3:			/* LOOPcc, JrCXZ */
		*self = p < end && (size_t)-(int8_t)*p == len;
		return INSN_JUMP_IF;
	case 0xeb:				/* JMP rel8 */
		*self = p < end && (size_t)-(int8_t)*p == len;
		return INSN_JUMP;
	case 0xe8: case 0xe9:			/* CALL, JMP rel32 */
		if (end - p == 4) {
			memcpy(&rel, p, 4);
			*self = (size_t)-rel == len;
		}
		return p[-1] == 0xe8 ? INSN_CALL : INSN_JUMP;
	case 0xc2: case 0xc3:			/* RET */
		return INSN_RET;
	case 0xca: case 0xcb:			/* RET far */
	case 0x9a: case 0xea:			/* CALL, JMP far */
		return INSN_JUMP;
	case 0xcf:
		return INSN_IRET;
	case 0xff:				/* CALL, JMP, near and far */
		if (p == end || (*p >> 3 & 7) < 2 || (*p >> 3 & 7) > 5)
			return INSN_OTHER;
		return (*p >> 3 & 7) == 2 ? INSN_CALL : INSN_JUMP;
	case 0x0f:
		break;
	default:
		return INSN_OTHER;
	}

	if (p == end)
		return INSN_OTHER;
	switch (*p++) {
	case 0x80 ... 0x8f:			/* Jcc rel32 */
		if (end - p == 4) {
			memcpy(&rel, p, 4);
			*self = (size_t)-rel == len;
		}
		return INSN_JUMP_IF;
	case 0x05: case 0x07:			/* SYSCALL, SYSRET */
	case 0x34: case 0x35:			/* SYSENTER, SYSEXIT */
		return INSN_JUMP;
	case 0x22:				/* MOV to CRn */
		return p < end && (*p >> 3 & 7) == 3 ? INSN_CR3 : INSN_OTHER;
	case 0x30:
		return INSN_WRMSR;
	case 0x32:
		return INSN_RDMSR;
	case 0x33:
		return INSN_RDPMC;
	case 0xa2:
		return INSN_CPUID;
	}
	return INSN_OTHER;
}

static void store_inline(struct qemu_plugin_insn *insn, struct qemu_plugin_u64 where,
			 uint64_t value)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
							    where, value);
}

/*
 * Subtract the block's instructions from the instructions left until a counter may
 * overflow
 */
static void count_inline(struct qemu_plugin_tb *tb, uint64_t start, size_t n)
{
	const struct qemu_plugin_u64 left = {
		hot, offsetof(struct bts_hot, left) + (start >> 63) * sizeof(uint64_t)
	};

	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							  left, -(uint64_t)n);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, counters_due, QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_GE, left, BIT(63), NULL);
}

/**
 * translated() - choose the functions and stores of a translated block
 * @tb: the block
 * @udata: not used
 */
void translated(struct qemu_plugin_tb *tb, void *udata)
{
	const struct qemu_plugin_u64 on = { hot, offsetof(struct bts_hot, on) };
	const struct qemu_plugin_u64 own = { hot, offsetof(struct bts_hot, own) };
	const struct qemu_plugin_u64 last = { hot, offsetof(struct bts_hot, last) };
	const struct qemu_plugin_u64 cr3 = { hot, offsetof(struct bts_hot, cr3) };
	const struct qemu_plugin_u64 undo = { hot, offsetof(struct bts_hot, undo) };
	uint64_t start = qemu_plugin_tb_vaddr(tb), what;
	size_t i, n = qemu_plugin_tb_n_insns(tb), len, offset;
	qemu_plugin_vcpu_cb handler, behind = NULL;
	struct qemu_plugin_insn *insn;
	enum insn_kind kind;
	bool always = false, self;
	uint8_t data[16];

	/* There is no callback for a reset, so detect its first instruction */
	if (start == 0xfffffff0)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, cpu_reset,
						     QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (unkind.btf && start >> 63)
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, btf_undo,
							  QEMU_PLUGIN_CB_RW_REGS_PC,
							  QEMU_PLUGIN_COND_NE, undo, 0, NULL);
	if (unkind.counters)
		count_inline(tb, start, n);

	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		len = qemu_plugin_insn_size(insn);
		offset = qemu_plugin_insn_vaddr(insn) - start;
		kind = insn_kind(data, qemu_plugin_insn_data(insn, data, sizeof(data)), &self);

		if (behind)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, behind, QEMU_PLUGIN_CB_RW_REGS,
							       NULL);
		behind = NULL;
		handler = NULL;
		switch (kind) {
		case INSN_OTHER:
			break;
		case INSN_IRET:
			qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, insn_iret,
								    QEMU_PLUGIN_CB_R_REGS,
								    QEMU_PLUGIN_COND_NE,
								    own, 0, NULL);
			fallthrough;
		case INSN_JUMP_IF:
		case INSN_JUMP:
		case INSN_CALL:
		case INSN_RET:
			what = LAST_BRANCH | (kind == INSN_JUMP_IF ? 0 : LAST_ALWAYS) |
			       (self ? LAST_SELF : 0) |
			       (kind == INSN_CALL ? LAST_CALL : 0) |
			       (kind == INSN_RET ? LAST_RET : 0) |
			       len << LAST_LEN_SHIFT | offset << LAST_OFFSET_SHIFT;
			store_inline(insn, last, what);
			break;
		case INSN_CR3:
			store_inline(insn, cr3, 1);
			break;
		case INSN_CPUID:
			handler = i + 1 < n ? insn_cpuid : insn_cpuid_last;
			behind = i + 1 < n ? insn_behind_cpuid : NULL;
			break;
		case INSN_RDMSR:
			handler = i + 1 < n ? NULL : insn_rdmsr_last;
			behind = i + 1 < n ? insn_behind_rdmsr : NULL;
			break;
		case INSN_WRMSR:
			handler = insn_wrmsr;
			break;
		case INSN_RDPMC:
			handler = insn_rdpmc;
			break;
		}
		if (handler) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, handler,
							       QEMU_PLUGIN_CB_RW_REGS_PC,
							       UDATA(offset, len));
		}
		if (handler || behind)
			always = true;
	}

	/* These handlers need the address of the block */
	if (always)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins,
						     QEMU_PLUGIN_CB_R_REGS, NULL);
	else
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, block_begins,
							  QEMU_PLUGIN_CB_R_REGS,
							  QEMU_PLUGIN_COND_NE,
							  on, 0, NULL);
}
