// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: relocations, sites and registers
 *
 * abi.c has the calling convention, and insn.c the instructions.
 */
#define _GNU_SOURCE	/* memmem() */
#include <string.h>

#include "gen_arg_sigs.h"

/* Length of the call of the tracer in bytes */
#define CALL_SIZE	5

static enum reloc x86_reloc(unsigned int type, unsigned int *size)
{
	*size = 4;
	switch (type) {
	case R_X86_64_64:
		*size = 8;
		return RELOC_ADDRESS;
	case R_X86_64_32:
	case R_X86_64_32S:
		return RELOC_ADDRESS;
	case R_X86_64_PC32:
		return RELOC_RELATIVE;
	case R_X86_64_PLT32:
		return RELOC_CALL;
	default:
		return RELOC_OTHER;
	}
}

/*
 * Find the target if the bytes at @p are a call or a jump.  An operand of 0 has a
 * relocation and is not a target.  It would lead to the next instruction, which is in
 * the next function if a tail call is the last instruction.
 */
static unsigned int x86_jump_target(const unsigned char *p, size_t left, __u64 addr,
				    __u64 *target)
{
	unsigned int len = 0;
	__s32 disp = 0;

	if (left >= 5 && (*p == 0xe8 || *p == 0xe9)) {
		len = 5;
		memcpy(&disp, p + 1, sizeof(disp));
	} else if (left >= 6 && *p == 0x0f && (p[1] & 0xf0) == 0x80) {
		len = 6;
		memcpy(&disp, p + 2, sizeof(disp));
	} else if (left >= 2 && (*p == 0xeb || (*p & 0xf0) == 0x70)) {
		len = 2;
		disp = (signed char)p[1];
	}
	*target = addr + len + disp;
	return disp ? len : 0;
}

/* Whether code pushes one of R12 to R15 */
static bool x86_saves(const unsigned char *code, size_t size, unsigned int reg)
{
	const unsigned char push[] = { 0x41, 0x50 + reg - 8 };

	return memmem(code, size, push, sizeof(push));
}

/* Whether code ends with a push of R10 */
static bool x86_pushes_chain(const unsigned char *code, size_t size)
{
	return size >= 2 && code[size - 2] == 0x41 && code[size - 1] == 0x52;
}

static __u64 x86_site(const struct object *obj, __u32 shndx, __u64 offset)
{
	return offset;
}

static __u64 x86_entry(const struct object *obj, __u64 low)
{
	return low;
}

/* The instruction after the call of the tracer, or after the nop in its place */
static __u64 x86_begin(const struct object *obj, __u64 addr)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const unsigned char *code = code_at(obj, addr, addr + sizeof(endbr64) + CALL_SIZE);

	if (!code)
		return addr + CALL_SIZE;
	if (!memcmp(code, endbr64, sizeof(endbr64))) {
		addr += sizeof(endbr64);
		code += sizeof(endbr64);
	}
	return *code == 0xe8 || *code == 0x0f ? addr + CALL_SIZE : addr;
}

static const struct stub x86_stubs[] = {
	{ "__x64_sys_",		DO_SYS,		"onmhji" },
	{ "__x64_compat_sys_",	DO_COMPAT_SYS,	"onmhji" },
	{ "__ia32_sys_",	DO_SYS,		"FLMNOE" },
	{ "__ia32_compat_sys_",	DO_COMPAT_SYS,	"FLMNOE" },
	{ }
};

const struct machine machine_x86 = {
	.elf		= EM_X86_64,
	.rel32		= R_X86_64_PC32,
	.reloc		= x86_reloc,
	.call_bias	= 4,
	.code_align	= 1,
	.jump_target	= x86_jump_target,
	.effects	= effects_x86,
	.saves		= x86_saves,
	.fentry		= "__fentry__",
	.site		= x86_site,
	.begin		= x86_begin,
	.pushes_chain	= x86_pushes_chain,
	.entry		= x86_entry,
	/* RDI, RSI, RDX, RCX, R8, R9 */
	.nr_arg_regs	= 6,
	.arg_regs	= { 7, 6, 2, 1, 8, 9 },
	.dwarf_arg_regs	= { 5, 4, 1, 2, 8, 9 },
	.nr_dwarf_regs	= 16,
	.dwarf_sp	= 7,
	.dwarf_fp	= 6,
	.sp		= 4,
	.fp		= 5,
	/* RAX, RSP, RBP, R10 and R11 */
	.scratch	= 0x0c31,
	/* RBX and R12 to R15 */
	.saved		= 0xf008,
	.saved_args	= 0xf000,
	/* RAX, RCX, RDX, RSI, RDI and R8 to R11 */
	.call_writes	= 0x0fc7,
	.abi_return	= abi_return_x86,
	.abi_next	= abi_next_x86,
	.ms_abi		= true,
	.gcc_none	= 15,
	.stubs		= x86_stubs,
};
