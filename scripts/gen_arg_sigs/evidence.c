// SPDX-License-Identifier: GPL-2.0
/*
 * The meaning of a parameter's DWARF location for the function's entry, and the registers and
 * the words of the stack that the function's code reads
 */
#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/*
 * Whether a function saves a register. A function saves the register before it uses the
 * register itself. Returns true if the function saves the register, or if the code is not
 * known.
 */
bool func_saves(struct sigs *sigs, const struct func *func, unsigned int reg)
{
	const unsigned char *code = code_at(sigs->obj, func->low, func->high);

	return !code || !machine->saves || machine->saves(code, func->high - func->low, reg);
}

/* x86-64: RDI and RSI, which a function of ms_abi saves as well */
#define MS_SAVED_REGS	0x00c0

/* Whether an instruction may only save a register in the frame */
static bool may_save(const struct effects *effects)
{
	return effects->memory && !effects->writes &&
	       (effects->base == machine->sp || effects->base == machine->fp);
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
	return reads_but(sigs, proto, machine->saved);
}

/*
 * Whether a function reads RDI or RSI before it writes them. Both registers belong to the
 * caller of a function of ms_abi. Such a function can only save them.
 */
bool proto_reads_usual(struct sigs *sigs, const struct prototype *proto)
{
	return reads_but(sigs, proto, machine->saved | MS_SAVED_REGS) & MS_SAVED_REGS;
}

/*
 * Whether no instruction of a function writes an argument register. Returns false if an
 * instruction writes the register, or if some code is not known, or if @reg is 0.
 */
static bool proto_keeps(struct sigs *sigs, const struct prototype *proto, __u32 reg)
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
	bool open;		/* a path leads to code that is not known */
	__u32 reads;
};

static void walk_to(struct walk *walk, size_t offset, __u32 written)
{
	if (offset >= walk->size) {
		walk->open = true;
		return;
	}
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
	if (!len) {
		walk->open = true;
		return;
	}
	walk->reads |= effects.reads & ~written;
	written |= effects.writes;
	offset += len;
	if (effects.flow == FLOW_CALL)
		written |= machine->call_writes;
	/* @disp is 0 if a relocation leads the branch to another function */
	if (effects.branches && effects.disp)
		walk_to(walk, offset + effects.disp, written);
	walk->open |= effects.branches && !effects.disp;
	if (effects.flow != FLOW_JUMP && effects.flow != FLOW_RETURN)
		walk_to(walk, offset, written);
}

/* Walk over the code of a function, on all paths. Frees everything but the results. */
static void walk_func(struct sigs *sigs, const struct prototype *proto, struct walk *walk)
{
	*walk = (struct walk){ .size = proto->func->high - proto->begin };
	walk->code = code_at(sigs->obj, proto->begin, proto->func->high);
	if (!walk->code) {
		walk->open = true;
		return;
	}
	walk->written = xcalloc(walk->size, sizeof(*walk->written));
	walk->seen = xcalloc(walk->size, sizeof(*walk->seen));
	walk_to(walk, 0, 0);
	while (walk->nr_todo)
		walk_insn(walk, walk->todo[--walk->nr_todo]);
	free(walk->todo);
	free(walk->written);
	free(walk->seen);
}

/*
 * The argument registers that a function reads before it writes them. Returns a bit for each
 * register, by its number in the instruction set. An argument is passed in each of them.
 * proto_args_read() follows all paths through the code, but unknown instructions may read
 * further registers.
 */
__u32 proto_args_read(struct sigs *sigs, const struct prototype *proto)
{
	struct walk walk;
	__u32 args = 0;
	unsigned int i;

	walk_func(sigs, proto, &walk);
	for (i = 0; i < machine->nr_arg_regs; i++)
		args |= 1u << machine->arg_regs[i];
	return walk.reads & args;
}

/* Whether a function certainly does not read a register before it writes it */
bool proto_ignores(struct sigs *sigs, const struct prototype *proto, __u32 reg)
{
	struct walk walk;

	walk_func(sigs, proto, &walk);
	return !walk.open && !(walk.reads & reg);
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

/* The distance of the CFA from the stack pointer or frame pointer, in some range of code */
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
	       ops[0].atom == DW_OP_bregx && (ops[0].number == machine->dwarf_fp ||
					       ops[0].number == machine->dwarf_sp);
	if (good) {
		cfa->base = ops[0].number == machine->dwarf_fp ? machine->fp : machine->sp;
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
static bool func_frame(struct sigs *sigs, const struct func *func, unsigned int base,
		       __s64 *distance)
{
	Dwarf_CFI *cfi = find_cfi(sigs);
	bool found = false, done = false, fp = base == DW_OP_reg0 + machine->dwarf_fp;
	struct cfa cfa = {};
	Dwarf_Addr pc;

	for (pc = func->low; cfi && pc < func->high; pc = cfa.end) {
		if (!find_cfa(cfi, pc, &cfa) || cfa.end <= pc)
			return false;
		if (fp && cfa.base == machine->fp) {
			*distance = cfa.offset;
			return true;
		}
		if (fp || cfa.base != machine->sp)
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
static char proto_slot_stored(struct sigs *sigs, const struct prototype *proto, __s64 offset)
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
			for (i = 0; i < machine->nr_arg_regs; i++)
				if (effects.reads & ~written & 1u << machine->arg_regs[i])
					return 'a' + i;
			return 0;
		}
		written |= effects.writes;
	}
	return 0;
}

static void set_slot(struct evidence *ev, unsigned int nr, unsigned int reg)
{
	int arg = arg_reg_of_dwarf(reg);

	if (reg < machine->nr_dwarf_regs && arg < 0) {
		ev->kind = EVIDENCE_FOREIGN;
	} else if (nr < ARRAY_SIZE(ev->slots) && arg >= 0 && ev->kind != EVIDENCE_FOREIGN) {
		ev->slots[nr] = 'a' + arg;
		ev->kind = EVIDENCE_PLACE;
	}
}

/*
 * Whether a record is at a passed address, which the ABI does not do. x86-64's RBP, RSP and
 * R10 have addresses of the stack.
 */
static bool is_reference(const Dwarf_Op *ops, size_t nr_ops)
{
	if (machine->references)
		return false;
	if (nr_ops == 2)
		return ops[0].atom == DW_OP_fbreg && ops[1].atom == DW_OP_deref;
	return nr_ops == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg15 &&
	       ops[0].atom != DW_OP_breg6 && ops[0].atom != DW_OP_breg7 &&
	       ops[0].atom != DW_OP_breg10;
}

static bool op_reg(const Dwarf_Op *op, unsigned int *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*reg = op->number;
	else
		return false;
	return true;
}

/* The slot that a value is computed from, or 0 */
static char named_by(const Dwarf_Op *ops, size_t nr_ops)
{
	unsigned int reg;
	char slot = 0;
	size_t i;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31)
			reg = ops[i].atom - DW_OP_breg0;
		else if (!op_reg(&ops[i], &reg))
			continue;
		slot = arg_reg_of_dwarf(reg) < 0 ? 0 : 'a' + arg_reg_of_dwarf(reg);
	}
	return slot;
}

static bool is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

/*
 * Read the pieces of a value. A piece may have no place. Positions and sizes are in bits.
 */
static void read_pieces(struct evidence *ev, const Dwarf_Op *ops, size_t nr_ops,
			unsigned int size)
{
	Dwarf_Word pos = 0, bits;
	size_t i, begin = 0;
	unsigned int reg;

	for (i = 0; i < nr_ops; i++) {
		if (!is_piece(&ops[i]))
			continue;
		bits = ops[i].number;
		if (bits > 16 * 8 || pos > 16 * 8)
			break;
		if (ops[i].atom == DW_OP_piece)
			bits *= 8;
		if (i > begin && pos < 16 * 8)
			ev->names[pos / 64] = named_by(ops + begin, i - begin);
		/* A smaller piece is only a part of a register */
		if (i == begin + 1 && op_reg(&ops[begin], &reg) && !(pos % 64) &&
		    (bits == 64 || pos + bits >= size * 8))
			set_slot(ev, pos / 64, reg);
		pos += bits;
		begin = i + 1;
	}
}

/* Whether gcc refers to the value that a caller would have passed */
static bool has_parameter_ref(const Dwarf_Op *ops, size_t nr_ops)
{
	size_t i;

	for (i = 0; i < nr_ops; i++)
		if (ops[i].atom == DW_OP_GNU_parameter_ref)
			return true;
	return false;
}

static void read_expression(struct evidence *ev, const Dwarf_Op *ops,
			    size_t nr_ops, unsigned int size, bool frame_is_cfa)
{
	unsigned int reg;
	__s64 constant;

	ev->kind = nr_ops ? EVIDENCE_ELSEWHERE : EVIDENCE_LATER;
	if (nr_ops > 1 && is_piece(&ops[nr_ops - 1])) {
		read_pieces(ev, ops, nr_ops, size);
		return;
	}
	ev->names[0] = named_by(ops, nr_ops);
	ev->names[1] = ev->names[0];

	if (nr_ops == 1 && op_reg(&ops[0], &reg)) {
		set_slot(ev, 0, reg);
	} else if (frame_is_cfa && is_reference(ops, nr_ops)) {
		ev->kind = EVIDENCE_FOREIGN;
	} else if (nr_ops == 1 && ops[0].atom == DW_OP_fbreg && frame_is_cfa) {
		Dwarf_Sword offset = ops[0].number;

		if (offset < 0 || offset % 8 || offset / 8 >= NR_WORDS)
			return;
		ev->kind = EVIDENCE_PLACE;
		ev->word = offset / 8;
	} else if (nr_ops == 2 && ops[1].atom == DW_OP_stack_value) {
		/* The constant may be the address of an object or a function */
		if (op_constant(&ops[0], &constant) || ops[0].atom == DW_OP_addr)
			ev->kind = EVIDENCE_VALUE;
	} else if (nr_ops == 3 && ops[0].atom == DW_OP_addr &&
		   ops[1].atom == DW_OP_plus_uconst &&
		   ops[2].atom == DW_OP_stack_value) {
		ev->kind = EVIDENCE_VALUE;
	}
}

/*
 * gcc numbers the views at one address.  View 0 is the entry itself.  A later view may
 * have a value that the function has already assigned to the parameter.
 */
static bool is_first_view(struct sigs *sigs, Dwarf_Die *die)
{
	const Elf_Data *data;
	Dwarf_Half version;
	Dwarf_Word offset;

	if (!die_udata(die, DW_AT_GNU_locviews, &offset))
		return !machine->late;
	if (dwarf_cu_info(die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	data = version >= 5 ? sigs->loclists : sigs->loc;
	return data && offset < data->d_size && !((char *)data->d_buf)[offset];
}

static bool frame_is_cfa(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	size_t nr_ops;
	Dwarf_Op *ops;

	return dwarf_attr_integrate(func, DW_AT_frame_base, &attr) &&
	       !dwarf_getlocation(&attr, &ops, &nr_ops) && nr_ops == 1 &&
	       ops[0].atom == DW_OP_call_frame_cfa;
}

static void forget(struct evidence *ev)
{
	memset(ev, 0, sizeof(*ev));
	memset(ev->slots, '-', sizeof(ev->slots));
	ev->word = -1;
}

/*
 * Whether a value is passed in a register that passes no argument in the usual convention.
 * The function does not save such a register.
 */
static bool comes_elsewhere(struct sigs *sigs, const struct func *func,
			    const Dwarf_Op *ops, size_t nr_ops)
{
	unsigned int reg;
	size_t i;

	for (i = 0; i < nr_ops; i++)
		if (op_reg(&ops[i], &reg) && reg < 32 && machine->saved_args & 1u << reg &&
		    !func_saves(sigs, func, reg))
			return true;
	return false;
}

/*
 * gcc writes a list for a parameter that it tracks.  The bytes of the call of the tracer
 * stand between the function's first address and its first instruction that may
 * assign a parameter.  So an entry of a list that begins at the first address has the
 * place at the entry, even without views of the same address.  If the DWARF begins after
 * the call, only views tell.
 *
 * A location that is no list holds for all of the function, and so at the entry, if gcc
 * tracks the function's variables. If gcc does not track them, the location is the register
 * to which the function moves the parameter.  Such a register tells nothing about the
 * entry, unless no instruction writes it: then the parameter has always been there.  A word
 * above the return address tells its place as well, because the function never moves a
 * parameter there.  Without -O, gcc stores each parameter in memory of the function before it
 * does anything else, so the first store there has the parameter.  gcc tracks no variable in
 * two registers.
 */
static void read_gcc(struct sigs *sigs, struct prototype *proto, struct param *param,
		     Dwarf_Attribute *attr, struct evidence *ev)
{
	bool cfa = frame_is_cfa(&proto->func->die);
	Dwarf_Addr base, start, end;
	bool removed = false, first = true;
	char slot;
	ptrdiff_t offset = 0;
	size_t nr_ops;
	Dwarf_Op *ops;

	ev->kind = EVIDENCE_ELSEWHERE;
	if (!attr_is_list(attr)) {
		if (dwarf_getlocation(attr, &ops, &nr_ops))
			return;
		if (has_parameter_ref(ops, nr_ops)) {
			ev->kind = EVIDENCE_VALUE;
			return;
		}
		if (is_reference(ops, nr_ops)) {
			ev->kind = EVIDENCE_FOREIGN;
			return;
		}
		read_expression(ev, ops, nr_ops, param->size, cfa);
		if (ev->kind != EVIDENCE_ELSEWHERE && ev->word < 0 &&
		    (nr_ops > 1 || (!proto->compiler.tracked &&
				    !proto_keeps(sigs, proto, slot_register(ev->slots[0]))))) {
			forget(ev);
			ev->kind = comes_elsewhere(sigs, proto->func, ops, nr_ops) ?
				   EVIDENCE_FOREIGN : EVIDENCE_ELSEWHERE;
		}
		if (proto->compiler.stored && cfa && nr_ops == 1 &&
		    ops[0].atom == DW_OP_fbreg && ev->word < 0) {
			slot = proto_slot_stored(sigs, proto, (__s64)ops[0].number);
			ev->kind = slot ? EVIDENCE_PLACE : EVIDENCE_ELSEWHERE;
			ev->slots[0] = slot ?: '-';
		}
		return;
	}

	while ((offset = dwarf_getlocations(attr, offset, &base, &start, &end, &ops,
					    &nr_ops)) > 0) {
		if (first && machine->entry(sigs->obj, start) == proto->func->low &&
		    is_first_view(sigs, &param->concrete))
			read_expression(ev, ops, nr_ops, param->size, cfa);
		first = false;
		removed |= has_parameter_ref(ops, nr_ops);
	}
	if (removed && ev->kind == EVIDENCE_ELSEWHERE)
		ev->kind = EVIDENCE_VALUE;
}

/* The bit of a slot's argument register, by its number in the instruction set, or 0 */
__u32 slot_register(char slot)
{
	return slot >= 'a' && slot < 'a' + (int)machine->nr_arg_regs ?
	       1u << machine->arg_regs[slot - 'a'] : 0;
}

/*
 * Whether clang's location is the location of the extended parameter. This is so for a
 * _BitInt(N).
 */
bool clang_is_extended(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) == 1 && die_is_bit_int(&type);
}

/* The operation of the function's frame base, 0 unless it is a single operation */
static unsigned int frame_base(struct prototype *proto)
{
	Dwarf_Attribute attr;
	size_t nr_ops;
	Dwarf_Op *ops;

	if (!dwarf_attr_integrate(&proto->func->die, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation(&attr, &ops, &nr_ops) || nr_ops != 1)
		return 0;
	return ops[0].atom;
}

/*
 * Read clang's location of a record on the stack, or of a parameter without a register.
 * The location is at @offset from the frame base @base.
 */
static void read_word(struct sigs *sigs, struct prototype *proto, unsigned int base,
		      __s64 offset, struct evidence *ev)
{
	__s64 distance = 0;

	if (base != DW_OP_call_frame_cfa &&
	    ((base != DW_OP_reg0 + machine->dwarf_fp && base != DW_OP_reg0 + machine->dwarf_sp) ||
	     !func_frame(sigs, proto->func, base, &distance)))
		return;
	offset -= distance;
	if (offset < 0 || offset % 8 || offset / 8 >= NR_WORDS)
		return;
	ev->kind = EVIDENCE_PLACE;
	ev->word = offset / 8;
}

/*
 * clang's frame base may be a register that the function has not set up yet. So
 * read_word() computes a place on the stack from the call frame information.
 */
static void read_clang(struct sigs *sigs, struct prototype *proto, struct param *param,
		       Dwarf_Attribute *attr, struct evidence *ev)
{
	unsigned int base = frame_base(proto);
	size_t nr_ops;
	Dwarf_Op *ops;

	ev->kind = EVIDENCE_LATER;
	/*
	 * The registers have the values of the entry until the call of the tracer returns.
	 * But the location is the variable's place after all assignments that need no
	 * instruction: after "a = b", a has the register of b.
	 */
	if (dwarf_getlocation_addr(attr, proto->begin, &ops, &nr_ops, 1) != 1)
		return;
	read_expression(ev, ops, nr_ops, param->size, false);
	/* The location describes the extended value */
	if (clang_is_extended(param) && ev->kind == EVIDENCE_PLACE) {
		forget(ev);
		ev->kind = EVIDENCE_ELSEWHERE;
	}
	if (nr_ops != 1 || !proto->compiler.optimized || proto->cc.clone & CLONE_CONVENTION)
		return;
	if (ops[0].atom == DW_OP_fbreg ||
	    (ops[0].atom == DW_OP_breg0 + machine->dwarf_fp &&
	     base == DW_OP_reg0 + machine->dwarf_fp) ||
	    (ops[0].atom == DW_OP_breg0 + machine->dwarf_sp &&
	     base == DW_OP_reg0 + machine->dwarf_sp))
		read_word(sigs, proto, base, ops[0].number, ev);
}

/* Read a parameter's location at the function's entry */
void evidence_read(struct sigs *sigs, struct prototype *proto, size_t nr,
		   struct evidence *ev)
{
	struct param *param = &proto->params[nr];
	Dwarf_Attribute attr;

	forget(ev);
	if (!param->has_concrete)
		return;
	if (dwarf_hasattr(&param->concrete, DW_AT_const_value))
		ev->kind = EVIDENCE_VALUE;
	else if (!dwarf_attr_integrate(&param->concrete, DW_AT_location, &attr))
		return;
	else if (proto->compiler.clang)
		read_clang(sigs, proto, param, &attr, ev);
	else
		read_gcc(sigs, proto, param, &attr, ev);
}

/* Whether a place agrees with the location */
bool evidence_fits(const struct abi_place *place, const struct evidence *ev)
{
	unsigned int i;

	if (ev->kind == EVIDENCE_FOREIGN)
		return false;
	if (ev->kind != EVIDENCE_PLACE)
		return true;
	/* clang's location on the stack is the address's, and any other is the record's */
	if (place->reference)
		return place->memory && ev->word == (int)place->word;
	/* An empty record has no place, even if its location has an address */
	if (place->aggregate && !place->memory && !place->ints && !place->reason)
		return true;
	if (place->memory)
		return ev->word == (int)place->word;
	if (ev->word >= 0)
		return false;
	for (i = 0; i < ARRAY_SIZE(ev->slots); i++)
		if (ev->slots[i] != '-' && ev->slots[i] != place->slots[i])
			return false;
	return true;
}
