// SPDX-License-Identifier: GPL-2.0
/*
 * The meaning of a parameter's DWARF location for the function's entry
 */
#include <string.h>

#include "clone.h"

static void set_slot(struct evidence *ev, unsigned int nr, unsigned int reg)
{
	int arg = abi_arg_reg(reg);

	if (reg < NR_GP_REGS && arg < 0) {
		ev->kind = EVIDENCE_FOREIGN;
	} else if (nr < ARRAY_SIZE(ev->slots) && arg >= 0 && ev->kind != EVIDENCE_FOREIGN) {
		ev->slots[nr] = 'a' + arg;
		ev->kind = EVIDENCE_PLACE;
	}
}

/*
 * Whether a record is at a passed address. RBP, RSP and R10 have addresses of the stack.
 */
static bool is_reference(const Dwarf_Op *ops, size_t nr_ops)
{
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
		slot = abi_arg_reg(reg) < 0 ? 0 : 'a' + abi_arg_reg(reg);
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
		return true;
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
		if (op_reg(&ops[i], &reg) && reg >= 12 && reg < NR_GP_REGS &&
		    !func_saves(sigs, func, reg))
			return true;
	return false;
}

/*
 * gcc writes a list for a parameter that it tracks.  The five bytes of the call of the
 * tracer stand between the function's first address and its first instruction that may
 * assign a parameter.  So an entry of a list that begins at the first address has the
 * place at the entry, even without views of the same address.
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
		if (first && start == proto->func->low && is_first_view(sigs, &param->concrete))
			read_expression(ev, ops, nr_ops, param->size, cfa);
		first = false;
		removed |= has_parameter_ref(ops, nr_ops);
	}
	if (removed && ev->kind == EVIDENCE_ELSEWHERE)
		ev->kind = EVIDENCE_VALUE;
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
	    ((base != DW_OP_reg6 && base != DW_OP_reg7) ||
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
	    (ops[0].atom == DW_OP_breg6 && base == DW_OP_reg6) ||
	    (ops[0].atom == DW_OP_breg7 && base == DW_OP_reg7))
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
