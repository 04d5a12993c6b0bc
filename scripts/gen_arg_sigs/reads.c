// SPDX-License-Identifier: GPL-2.0
/*
 * The registers and the words of the stack that a function reads
 */
#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

/*
 * Whether a function saves one of R12 to R15. A function saves one of these registers before
 * it uses the register itself. Returns true if the function saves the register, or if the
 * code is not known.
 */
bool func_saves(struct sigs *sigs, const struct func *func, unsigned int reg)
{
	const unsigned char push[] = { 0x41, 0x50 + reg - 8 };
	const unsigned char *code = code_at(sigs->obj, func->low, func->high);

	return !code || memmem(code, func->high - func->low, push, sizeof(push));
}

/* RBX and R12 to R15: a function saves these registers before it uses them */
#define SAVED_REGS	0xf008

/* RDI and RSI, which a function of ms_abi saves as well */
#define MS_SAVED_REGS	0x00c0

/* Whether an instruction may only save a register in the frame */
static bool may_save(const struct effects *effects)
{
	return effects->memory && !effects->writes && (effects->base == 4 || effects->base == 5);
}

/* The registers that a function reads before it writes them; @saved: it may only save these */
static __u32 reads_but(struct sigs *sigs, const struct prototype *proto, __u32 saved)
{
	const struct func *func = proto->func;
	const unsigned char *p = code_at(sigs->obj, proto->begin, func->high), *end;
	__u32 reads = 0, written = 0;
	struct effects effects;
	unsigned int len;

	if (!p)
		return 0;
	for (end = p + (func->high - proto->begin); p < end; p += len) {
		len = effects_read(&effects, p, end);
		/* A push does not count as a read, because it may only move the stack */
		if (!len || (effects.flow != FLOW_NEXT && effects.flow != FLOW_UNKNOWN))
			break;
		if (may_save(&effects))
			effects.reads &= ~saved;
		reads |= effects.reads & ~written;
		written |= effects.writes;
	}
	return reads;
}

/*
 * The registers that a function reads before it writes them. Returns a bit for each register,
 * by its number in the instruction set. The function may read more registers, because
 * proto_reads() follows only the path without taken branches.
 */
__u32 proto_reads(struct sigs *sigs, const struct prototype *proto)
{
	return reads_but(sigs, proto, SAVED_REGS);
}

/*
 * Whether a function reads RDI or RSI before it writes them. Both registers belong to the
 * caller of a function of ms_abi. Such a function can only save them.
 */
bool proto_reads_usual(struct sigs *sigs, const struct prototype *proto)
{
	return reads_but(sigs, proto, SAVED_REGS | MS_SAVED_REGS) & MS_SAVED_REGS;
}

/*
 * Whether no instruction of a function writes an argument register. Returns false if an
 * instruction writes the register, or if some code is not known, or if @reg is 0.
 */
bool proto_keeps(struct sigs *sigs, const struct prototype *proto, __u32 reg)
{
	const struct func *func = proto->func;
	const unsigned char *p = code_at(sigs->obj, proto->begin, func->high), *end;
	struct effects effects;
	unsigned int len;

	/* A function with several ranges has code elsewhere */
	if (!p || !reg || dwarf_hasattr((Dwarf_Die *)&func->die, DW_AT_ranges))
		return false;
	for (end = p + (func->high - proto->begin); p < end; p += len) {
		len = effects_read(&effects, p, end);
		if (!len || effects.flow == FLOW_CALL || effects.writes & reg)
			return false;
	}
	return true;
}

/* A walk over the code of a function */
struct walk {
	const unsigned char *code;
	size_t size;
	size_t *todo;		/* offsets where the walk continues */
	size_t nr_todo;
	__u32 *written;		/* for each offset: registers written on every path to it */
	bool *seen;
	__u32 reads;
};

static void walk_to(struct walk *walk, size_t offset, __u32 written)
{
	if (offset >= walk->size)
		return;
	if (walk->seen[offset]) {
		if (!(walk->written[offset] & ~written))
			return;
		written &= walk->written[offset];
	}
	walk->seen[offset] = true;
	walk->written[offset] = written;
	walk->todo = xrealloc(walk->todo, walk->nr_todo + 1, sizeof(*walk->todo));
	walk->todo[walk->nr_todo++] = offset;
}

/* Walk over one instruction, and note its successors */
static void walk_insn(struct walk *walk, size_t offset)
{
	__u32 written = walk->written[offset];
	unsigned int len;
	struct effects effects;

	len = effects_read(&effects, walk->code + offset, walk->code + walk->size);
	if (!len)
		return;
	walk->reads |= effects.reads & ~written;
	written |= effects.writes;
	offset += len;
	if (effects.flow == FLOW_CALL)
		written |= CALL_WRITES;
	/* @disp is 0 if a relocation leads the branch to another function */
	if (effects.branches && effects.disp)
		walk_to(walk, offset + effects.disp, written);
	if (effects.flow != FLOW_JUMP && effects.flow != FLOW_RETURN)
		walk_to(walk, offset, written);
}

/*
 * The argument registers that a function reads before it writes them. Returns a bit for each
 * register, by its number in the instruction set. An argument is passed in each of them.
 * proto_args_read() follows all paths through the code, but unknown instructions may read
 * further registers.
 */
__u32 proto_args_read(struct sigs *sigs, const struct prototype *proto)
{
	struct walk walk = { .size = proto->func->high - proto->begin };
	__u32 args = 0;
	unsigned int i;

	walk.code = code_at(sigs->obj, proto->begin, proto->func->high);
	if (!walk.code)
		return 0;
	walk.written = xcalloc(walk.size, sizeof(*walk.written));
	walk.seen = xcalloc(walk.size, sizeof(*walk.seen));
	walk_to(&walk, 0, 0);
	while (walk.nr_todo)
		walk_insn(&walk, walk.todo[--walk.nr_todo]);
	free(walk.todo);
	free(walk.written);
	free(walk.seen);
	for (i = 0; i < NR_ARG_REGS; i++)
		args |= 1u << insn_arg_regs[i];
	return walk.reads & args;
}

/*
 * The call frame information of an object.  Kbuild's objects have .debug_frame, objects with
 * asynchronous unwind tables only have .eh_frame.
 */
static Dwarf_CFI *find_cfi(struct sigs *sigs)
{
	if (!sigs->cfi && sigs->dwarf)
		sigs->cfi = dwarf_getcfi(sigs->dwarf);
	if (!sigs->cfi) {
		sigs->eh_cfi = dwarf_getcfi_elf(sigs->obj->elf);
		sigs->cfi = sigs->eh_cfi;
	}
	return sigs->cfi;
}

/* The distance of the CFA from RSP or RBP, in some range of code */
struct cfa {
	Dwarf_Addr begin;
	Dwarf_Addr end;
	unsigned int base;	/* the register's number in the instruction set */
	__s64 offset;
};

static bool find_cfa(Dwarf_CFI *cfi, Dwarf_Addr pc, struct cfa *cfa)
{
	Dwarf_Frame *frame;
	bool signal, good;
	size_t nr_ops;
	Dwarf_Op *ops;

	if (pc >= cfa->begin && pc < cfa->end)
		return true;
	if (dwarf_cfi_addrframe(cfi, pc, &frame))
		return false;
	good = dwarf_frame_info(frame, &cfa->begin, &cfa->end, &signal) >= 0 &&
	       !dwarf_frame_cfa(frame, &ops, &nr_ops) && nr_ops == 1 &&
	       ops[0].atom == DW_OP_bregx && (ops[0].number == 6 || ops[0].number == 7);
	if (good) {
		cfa->base = insn_reg_of_dwarf(ops[0].number);
		cfa->offset = ops[0].number2;
	} else {
		cfa->end = 0;
	}
	free(frame);
	return good;
}

/*
 * The distance of a function's return address from its frame base. As the frame base, RSP has
 * its value after the function's prologue. Returns false if the distance is not known.
 */
bool func_frame(struct sigs *sigs, const struct func *func, unsigned int base,
		__s64 *distance)
{
	Dwarf_CFI *cfi = find_cfi(sigs);
	bool found = false, done = false;
	struct cfa cfa = {};
	Dwarf_Addr pc;

	for (pc = func->low; cfi && pc < func->high; pc = cfa.end) {
		if (!find_cfa(cfi, pc, &cfa) || cfa.end <= pc)
			return false;
		if (base == DW_OP_reg6 && cfa.base == 5) {
			*distance = cfa.offset;
			return true;
		}
		if (base == DW_OP_reg6 || cfa.base != 4)
			continue;
		/* After the prologue, only arguments of calls increase the distance */
		if (found && cfa.offset > *distance && done)
			return false;
		done |= found && cfa.offset < *distance;
		if (!found || cfa.offset > *distance)
			*distance = cfa.offset;
		found = true;
	}
	return found;
}

/*
 * Find the stack words above the return address that a function reads. Words that the
 * function also writes are left out, because the function may read its own value. Code that
 * the function jumps to may read words as well. Returns a bit for each word. An argument is
 * passed in each of them.
 */
__u32 proto_words_read(struct sigs *sigs, const struct prototype *proto)
{
	const struct func *func = proto->func;
	const unsigned char *code = code_at(sigs->obj, func->low, func->high);
	Dwarf_CFI *cfi = find_cfi(sigs);
	size_t size = func->high - func->low;
	Dwarf_Addr pc = proto->begin;
	__u32 reads = 0, writes = 0;
	struct cfa cfa = {};
	struct effects effects;
	unsigned int len;

	while (code && cfi && pc < func->high) {
		Dwarf_Addr at = pc;
		__s64 word;

		len = effects_read(&effects, code + (pc - func->low), code + size);
		pc = len ? pc + len : call_behind(sigs, pc);
		if (!len || (!effects.loads && !effects.stores) || effects.indexed ||
		    !find_cfa(cfi, at, &cfa) || effects.base != cfa.base)
			continue;
		word = effects.disp - cfa.offset;
		if (word < 0 || word / 8 >= NR_WORDS)
			continue;
		if (effects.stores)
			writes |= 1u << word / 8;
		else
			reads |= 1u << word / 8;
	}
	return reads & ~writes;
}

/*
 * The argument register that a function stores first at a place. Returns the slot of the
 * register, 0 if the function stores no argument register there, or if the code is not known.
 */
char proto_slot_stored(struct sigs *sigs, const struct prototype *proto, __s64 offset)
{
	const struct func *func = proto->func;
	const unsigned char *code = code_at(sigs->obj, proto->begin, func->high);
	Dwarf_CFI *cfi = find_cfi(sigs);
	size_t size = func->high - proto->begin, pos;
	struct effects effects;
	struct cfa cfa = {};
	__u32 written = 0;
	unsigned int len, i;

	for (pos = 0; code && cfi && pos < size; pos += len) {
		len = effects_read(&effects, code + pos, code + size);
		if (!len || (effects.flow != FLOW_NEXT && effects.flow != FLOW_UNKNOWN))
			return 0;
		if (effects.stores && !effects.indexed &&
		    find_cfa(cfi, proto->begin + pos, &cfa) && effects.base == cfa.base &&
		    effects.disp - cfa.offset == offset) {
			for (i = 0; i < NR_ARG_REGS; i++)
				if (effects.reads & ~written & 1u << insn_arg_regs[i])
					return 'a' + i;
			return 0;
		}
		written |= effects.writes;
	}
	return 0;
}
