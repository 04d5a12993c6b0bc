// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: relocations, sites and registers
 *
 * abi_arm64.c has the calling convention.  There is no reader of instructions yet.  What
 * only the code can tell is unknown.
 */
#include <string.h>

#include "gen_arg_sigs.h"

#define INSN_SIZE	4

/* Instructions at the entry of a function */
#define INSN_NOP	0xd503201fu
#define INSN_BTI_C	0xd503245fu

static enum reloc arm64_reloc(unsigned int type, unsigned int *size)
{
	*size = 4;
	switch (type) {
	case R_AARCH64_ABS64:
		*size = 8;
		return RELOC_ADDRESS;
	case R_AARCH64_ABS32:
		return RELOC_ADDRESS;
	case R_AARCH64_PREL64:
		*size = 8;
		return RELOC_RELATIVE;
	case R_AARCH64_PREL32:
		return RELOC_RELATIVE;
	case R_AARCH64_ADR_PREL_LO21:
	case R_AARCH64_ADR_PREL_PG_HI21:
	case R_AARCH64_ADR_PREL_PG_HI21_NC:
	case R_AARCH64_ADD_ABS_LO12_NC:
		return RELOC_PART;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
	case R_AARCH64_CONDBR19:
	case R_AARCH64_TSTBR14:
		return RELOC_CALL;
	default:
		return RELOC_OTHER;
	}
}

/* The instruction at an address of the code, 0 if there is none */
static __u32 insn_at(const struct object *obj, __u64 addr)
{
	const unsigned char *code = code_at(obj, addr, addr + INSN_SIZE);
	__u32 insn = 0;

	if (code)
		memcpy(&insn, code, sizeof(insn));
	return insn;
}

/* A field of an instruction, with its sign */
static __s64 field(__u32 insn, unsigned int first, unsigned int bits)
{
	return (__s32)(insn << (32 - first - bits)) >> (32 - bits);
}

/*
 * Find the target if the instruction is a call or a jump.  An operand of 0 has a relocation
 * and is not a target.
 */
static unsigned int arm64_jump_target(const unsigned char *p, size_t left, __u64 addr,
				      __u64 *target)
{
	__s64 disp = 0;
	__u32 insn;

	if (left < sizeof(insn))
		return 0;
	memcpy(&insn, p, sizeof(insn));
	if ((insn & 0x7c000000) == 0x14000000)
		disp = field(insn, 0, 26);	/* b, bl */
	else if ((insn & 0xff000000) == 0x54000000 || (insn & 0x7e000000) == 0x34000000)
		disp = field(insn, 5, 19);	/* b.cond, cbz, cbnz */
	else if ((insn & 0x7e000000) == 0x36000000)
		disp = field(insn, 5, 14);	/* tbz, tbnz */
	*target = addr + disp * INSN_SIZE;
	return disp ? INSN_SIZE : 0;
}

/* Whether a function begins at an address of a section; @shndx: 0 in a linked file */
static bool begins(const struct object *obj, __u32 shndx, __u64 offset)
{
	return object_twin(obj, shndx, offset, 0);
}

/*
 * The address that ftrace patches with a call. -fpatchable-function-entry=2 has two nops at a
 * function's entry, and the record has the address of the first nop. With 4,2 two more nops are
 * before the function, and the record has the address of the first of these nops. A BTI may be
 * before the nops at the entry. ftrace patches the last nop.
 */
static __u64 arm64_site(const struct object *obj, __u32 shndx, __u64 offset)
{
	__u64 base = obj->base[shndx];

	if (!begins(obj, shndx, offset) && !begins(obj, shndx, offset - INSN_SIZE) &&
	    begins(obj, shndx, offset + 2 * INSN_SIZE)) {
		offset += 2 * INSN_SIZE;
		if (insn_at(obj, base + offset) == INSN_BTI_C)
			offset += INSN_SIZE;
	}
	return offset + INSN_SIZE;
}

/*
 * The instruction after the call of the tracer. @addr: the call, or the function's entry.
 * To skip another nop changes nothing.
 */
static __u64 arm64_begin(const struct object *obj, __u64 addr)
{
	unsigned int i;

	if (insn_at(obj, addr) == INSN_BTI_C)
		addr += INSN_SIZE;
	for (i = 0; i < 2 && insn_at(obj, addr) == INSN_NOP; i++)
		addr += INSN_SIZE;
	return addr;
}

/* In gcc's DWARF, a function begins after its BTI and the nops */
static __u64 arm64_entry(const struct object *obj, __u64 low)
{
	__u32 shndx = object_is_relocatable(obj) ? object_section(obj, low) : 0;
	__u64 base = obj->base[shndx];
	__u64 addr = low;
	__u32 insn;

	while (!begins(obj, shndx, addr - base) && low - addr < 3 * INSN_SIZE) {
		addr -= INSN_SIZE;
		insn = insn_at(obj, addr);
		if (insn != INSN_NOP && insn != INSN_BTI_C)
			return low;
	}
	return begins(obj, shndx, addr - base) ? addr : low;
}

static const struct stub arm64_stubs[] = {
	{ "__arm64_sys_",		DO_SYS,		"abcdef", true },
	{ "__arm64_compat_sys_",	DO_COMPAT_SYS,	"ABCDEF", true },
	{ }
};

const struct machine machine_arm64 = {
	.elf		= EM_AARCH64,
	.rel32		= R_AARCH64_PREL32,
	.reloc		= arm64_reloc,
	.code_align	= INSN_SIZE,
	.jump_target	= arm64_jump_target,
	.patchable	= true,
	.site		= arm64_site,
	.begin		= arm64_begin,
	.entry		= arm64_entry,
	/* X0 to X7 */
	.nr_arg_regs	= 8,
	.arg_regs	= { 0, 1, 2, 3, 4, 5, 6, 7 },
	.dwarf_arg_regs	= { 0, 1, 2, 3, 4, 5, 6, 7 },
	.nr_dwarf_regs	= 31,
	.dwarf_sp	= 31,
	.dwarf_fp	= 29,
	.sp		= 31,
	.fp		= 29,
	/* X8 to X18, X29, X30 and SP */
	.scratch	= 0xe007ff00,
	/* X19 to X28 */
	.saved		= 0x1ff80000,
	.saved_args	= 0x1ff80000,
	/* X0 to X18 and X30 */
	.call_writes	= 0x4007ffff,
	.abi_return	= abi_return_arm64,
	.abi_next	= abi_next_arm64,
	.late		= true,
	.references	= true,
	.gcc_none	= 16,
	.stubs		= arm64_stubs,
};
