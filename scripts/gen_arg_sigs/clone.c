// SPDX-License-Identifier: GPL-2.0
/*
 * Where the parameters of a function are whose interface the compiler changed
 *
 * Strategy: gcc says so in the function's name, and lists the parameters that
 * are left before all else, with the place that each comes in as the first of
 * its locations.  What it removed comes behind the local variables, without a
 * location of its own.  clang says nothing, but a parameter that it removed has
 * no location at entry.  Whatever is shown has to fit: no place for two, the
 * order of the ABI, and without IPA-SRA, which passes parts of parameters, the
 * very places that the ABI gives to those that are left.
 */
#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/*
 * The first clang whose direct callers of a static function leave just anything in
 * what it does not use even if its address is taken
 */
#define CLANG_DEAD_LOCALS	15

/* The first clang that does not copy a record when it passes parts of it instead */
#define CLANG_NO_COPIES		15

/* What a parameter's location at entry says */
enum evidence_kind {
	EVIDENCE_MISSING,	/* nothing */
	EVIDENCE_ELSEWHERE,	/* no place that a parameter comes in */
	EVIDENCE_FOREIGN,	/* one of another calling convention */
	EVIDENCE_PLACE,
	EVIDENCE_REMOVED,	/* a value that is not passed: a constant, or assigned */
};

struct evidence {
	enum evidence_kind kind;
	char slots[2];		/* of its eightbytes, '-' where there is none */
	char told[2];		/* the slot that each is said to come from */
	bool nowhere;		/* it has no location in any part of the function */
	int word;		/* of the stack, or -1 */
};

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

/* A record at an address that was passed; RBP, RSP and R10 have those of the stack */
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

/**
 * op_constant - read an operation that is a constant
 * @op: the operation
 * @value: the constant
 *
 * Return: false if it is another one.
 */
bool op_constant(const Dwarf_Op *op, __s64 *value)
{
	switch (op->atom) {
	case DW_OP_lit0 ... DW_OP_lit31:
		*value = op->atom - DW_OP_lit0;
		return true;
	case DW_OP_const1u:
	case DW_OP_const2u:
	case DW_OP_const4u:
	case DW_OP_const8u:
	case DW_OP_constu:
	case DW_OP_const1s:
	case DW_OP_const2s:
	case DW_OP_const4s:
	case DW_OP_const8s:
	case DW_OP_consts:
		*value = op->number;
		return true;
	}
	return false;
}

/* The memory of a function that is not optimized is not where a value comes in */
#define TOLD_MEMORY	'*'

/* The slot that a value is made of, or 0 */
static char told_by(const Dwarf_Op *ops, size_t nr_ops)
{
	unsigned int reg;
	char told = 0;
	size_t i;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].atom == DW_OP_fbreg)
			return TOLD_MEMORY;
		if (ops[i].atom >= DW_OP_breg0 && ops[i].atom <= DW_OP_breg31)
			reg = ops[i].atom - DW_OP_breg0;
		else if (!op_reg(&ops[i], &reg))
			continue;
		told = 'a' + abi_arg_reg(reg);
	}
	return told;
}

/* Parts that are in different places, or nowhere */
static void read_pieces(struct evidence *ev, const Dwarf_Op *ops, size_t nr_ops,
			unsigned int size)
{
	size_t i, begin = 0;
	Dwarf_Word pos = 0;
	unsigned int reg;

	for (i = 0; i < nr_ops; i++) {
		if (ops[i].atom != DW_OP_piece)
			continue;
		if (ops[i].number > 16 || pos > 16)
			break;
		if (i > begin && pos < 16)
			ev->told[pos / 8] = told_by(ops + begin, i - begin);
		/* A smaller one is only a part of what a register has */
		if (i == begin + 1 && op_reg(&ops[begin], &reg) && !(pos % 8) &&
		    (ops[i].number == 8 || pos + ops[i].number >= size))
			set_slot(ev, pos / 8, reg);
		pos += ops[i].number;
		begin = i + 1;
	}
}

/* gcc refers to the value that a caller would have passed */
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

	ev->kind = nr_ops ? EVIDENCE_ELSEWHERE : EVIDENCE_MISSING;
	if (nr_ops > 1 && ops[nr_ops - 1].atom == DW_OP_piece) {
		read_pieces(ev, ops, nr_ops, size);
		return;
	}
	ev->told[0] = told_by(ops, nr_ops);
	ev->told[1] = ev->told[0];

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
		/* That may be the address of an object or a function */
		if (op_constant(&ops[0], &constant) || ops[0].atom == DW_OP_addr)
			ev->kind = EVIDENCE_REMOVED;
	} else if (nr_ops == 3 && ops[0].atom == DW_OP_addr &&
		   ops[1].atom == DW_OP_plus_uconst &&
		   ops[2].atom == DW_OP_stack_value) {
		ev->kind = EVIDENCE_REMOVED;
	}
}

/**
 * attr_is_list - whether a location is a list
 * @attr: the location
 */
bool attr_is_list(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return false;
	}
	return true;
}

/*
 * gcc numbers what is true at one address.  Number 0 is the entry itself: a
 * later one may be what the function has assigned to the parameter since.
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

/* Whether a function saves one of R12 to R15, as it does before it uses that itself */
static bool is_saved(struct sigs *sigs, const struct func *func, unsigned int reg)
{
	const unsigned char push[] = { 0x41, 0x50 + reg - 8 };
	const unsigned char *code = code_at(sigs->obj, func->low, func->high);

	return !code || memmem(code, func->high - func->low, push, sizeof(push));
}

/* A value comes in a register that no argument does, as the function does not save it */
static bool comes_elsewhere(struct sigs *sigs, const struct func *func,
			    const Dwarf_Op *ops, size_t nr_ops)
{
	unsigned int reg;
	size_t i;

	for (i = 0; i < nr_ops; i++)
		if (op_reg(&ops[i], &reg) && reg >= 12 && reg < NR_GP_REGS &&
		    !is_saved(sigs, func, reg))
			return true;
	return false;
}

/*
 * gcc has one location for all of a function where it does not track variables, as
 * it does with none that is in two registers: the one that it moves the parameter
 * to.  The words above the return address are no place for that, though.
 */
static void read_gcc(struct sigs *sigs, struct prototype *proto, struct param *param,
		     Dwarf_Attribute *attr, struct evidence *ev)
{
	bool cfa = frame_is_cfa(&proto->func->die);
	Dwarf_Addr base, start, end;
	bool removed = false, first = true;
	ptrdiff_t offset = 0;
	size_t nr_ops;
	Dwarf_Op *ops;

	ev->kind = EVIDENCE_ELSEWHERE;
	if (!attr_is_list(attr)) {
		if (dwarf_getlocation(attr, &ops, &nr_ops))
			return;
		if (has_parameter_ref(ops, nr_ops)) {
			ev->kind = EVIDENCE_REMOVED;
			return;
		}
		if (is_reference(ops, nr_ops)) {
			ev->kind = EVIDENCE_FOREIGN;
			return;
		}
		read_expression(ev, ops, nr_ops, param->size, cfa);
		if (ev->kind != EVIDENCE_ELSEWHERE && ev->word < 0 &&
		    (!proto->tracked || nr_ops > 1)) {
			forget(ev);
			ev->kind = comes_elsewhere(sigs, proto->func, ops, nr_ops) ?
				   EVIDENCE_FOREIGN : EVIDENCE_ELSEWHERE;
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
		ev->kind = EVIDENCE_REMOVED;
}

/*
 * clang's frame base may be a register that the function has not set up yet: no
 * place on the stack is to be trusted.
 */
static void read_clang(struct prototype *proto, struct param *param,
		       Dwarf_Attribute *attr, struct evidence *ev)
{
	size_t nr_ops;
	Dwarf_Op *ops;

	/* Nothing changes before the call of the tracer returns */
	if (dwarf_getlocation_addr(attr, proto->begin, &ops, &nr_ops, 1) == 1)
		read_expression(ev, ops, nr_ops, param->size, false);
}

static void read_evidence(struct sigs *sigs, struct prototype *proto, size_t nr,
			  struct evidence *ev)
{
	struct param *param = &proto->params[nr];
	Dwarf_Attribute attr;

	forget(ev);
	if (!param->has_concrete)
		return;
	ev->nowhere = !dwarf_hasattr_integrate(&param->concrete, DW_AT_location);
	if (dwarf_hasattr(&param->concrete, DW_AT_const_value))
		ev->kind = EVIDENCE_REMOVED;
	else if (!dwarf_attr_integrate(&param->concrete, DW_AT_location, &attr))
		return;
	else if (proto->clang)
		read_clang(proto, param, &attr, ev);
	else
		read_gcc(sigs, proto, param, &attr, ev);

	/* clang's function may have assigned it */
	if (ev->kind == EVIDENCE_REMOVED && proto->clang) {
		forget(ev);
		ev->nowhere = dwarf_hasattr(&param->concrete, DW_AT_const_value);
	}
}

/* Whether a place is the one that the location says */
static bool fits(const struct abi_place *place, const struct evidence *ev)
{
	unsigned int i;

	if (ev->kind == EVIDENCE_FOREIGN)
		return false;
	if (ev->kind != EVIDENCE_PLACE)
		return true;
	/* An empty record is nowhere, whatever address it has */
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

/* The ABI's places of those parameters that are left */
static bool place_left(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state state;
	bool good = true;
	size_t i;

	proto->ret = abi_begin(&state, proto->has_ret ? &proto->ret_type : NULL,
			       proto->clang, proto->wide);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (param->removed)
			continue;
		abi_next(&state, &param->type, evs[i].word, &param->place);
		/* Where one cannot be placed there is nothing to hold against */
		if (!state.lost && !fits(&param->place, &evs[i]))
			good = false;
	}
	proto->has_wide = state.has_wide;
	return good;
}

/* Whether clang has a record in memory that has to come in a register */
static bool told_otherwise(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; proto->optimized && i < proto->nr_params; i++)
		if (proto->params[i].place.wide && !proto->params[i].place.memory &&
		    evs[i].told[0] == TOLD_MEMORY)
			return true;
	return false;
}

/* What clang's bit-fields are is what fits where clang says that parameters are */
static bool place_wide(struct prototype *proto, const struct evidence *evs)
{
	bool members, bits;

	proto->wide = WIDE_MEMBERS;
	members = place_left(proto, evs);
	proto->wide = WIDE_BITS;
	bits = place_left(proto, evs) && !told_otherwise(proto, evs);
	if (members == bits)
		proto->wide = WIDE_UNKNOWN;
	else if (members)
		proto->wide = WIDE_MEMBERS;
	return place_left(proto, evs);
}

/* Only what the location says of a parameter */
static void place_alone(struct param *param, const struct evidence *ev,
			enum reason reason)
{
	struct abi_place *place = &param->place;
	unsigned int i;

	place->memory = ev->word >= 0;
	place->word = ev->word >= 0 ? ev->word : NR_WORDS;
	memcpy(place->slots, ev->slots, sizeof(place->slots));
	place->reason = ev->kind == EVIDENCE_PLACE ? REASON_NONE : reason;
	for (i = 0; i < place->longs; i++)
		if (abi_slot(place, i) == '-')
			place->reason = reason;
}

/* The place is not known after all */
static void displace(struct abi_place *place, enum reason reason)
{
	place->memory = false;
	memset(place->slots, '-', sizeof(place->slots));
	place->reason = reason;
}

static void displace_all(struct prototype *proto, enum reason reason)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		displace(&proto->params[i].place, reason);
}

/* Whether two parameters are not one behind the other, as they are declared */
static bool out_of_order(const struct abi_place *first, const struct abi_place *second)
{
	const char *a = first->slots, *b = second->slots;

	if (first->memory || second->memory)
		return first->memory && second->memory &&
		       second->word < first->word + first->longs;
	if ((a[0] == '-' && a[1] == '-') || (b[0] == '-' && b[1] == '-'))
		return false;
	return a[a[1] != '-'] >= b[b[0] == '-'];
}

/* Of two that are out of order one is not where it seems to be */
static void displace_unordered(struct prototype *proto, enum reason reason)
{
	bool *unordered = xcalloc(proto->nr_params, sizeof(*unordered));
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++)
		for (j = i + 1; j < proto->nr_params; j++) {
			if (proto->params[i].removed || proto->params[j].removed ||
			    !out_of_order(&proto->params[i].place, &proto->params[j].place))
				continue;
			unordered[i] = true;
			unordered[j] = true;
		}
	for (i = 0; i < proto->nr_params; i++)
		if (unordered[i])
			displace(&proto->params[i].place, reason);
	free(unordered);
}

/*
 * How many registers are free between those of the parameters before and behind
 * one, from *@low on; -1 if that is not known.  @lone: there is no other
 * parameter that they may belong to.
 */
static int free_registers(struct prototype *proto, size_t nr, char *low, bool *lone)
{
	bool known = proto->ret != ABI_RETURN_MEMORY;
	size_t i;

	*low = 'a';
	*lone = true;
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];
		const char *slots = param->place.slots;

		if (i == nr || param->removed || param->place.memory)
			continue;
		if (slots[0] == '-') {
			*lone = false;
			continue;
		}
		if (i > nr)
			return known ? slots[0] - *low : -1;
		*low = slots[slots[1] != '-'] + 1;
		*lone = true;
		known = true;
	}
	return -1;
}

/* Whether parts of a removed parameter may be passed */
static bool lost_pieces(const struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (proto->params[i].removed && may_have_pieces(&proto->params[i]))
			return true;
	return false;
}

/* As many registers are free as a parameter that is left comes in */
static void fill_gaps(struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;
		unsigned int j;
		bool lone;
		char low;

		/* clang passes parts, and those of others may be there as well */
		if (proto->clang && place->ints > 1 && lost_pieces(proto))
			continue;
		if (!proto->params[i].sure || !place->ints || place->longs != place->ints ||
		    place->memory || place->slots[0] != '-' || place->slots[1] != '-' ||
		    free_registers(proto, i, &low, &lone) != (int)place->ints || !lone)
			continue;
		for (j = 0; j < place->ints; j++)
			place->slots[j] = low + j;
		place->reason = REASON_NONE;
	}
}

/* Whether some call says what it would have passed for a parameter */
static bool is_dropped(struct sigs *sigs, const struct prototype *proto,
		       const struct param *param)
{
	struct call_site *site;
	Dwarf_Die die;

	for (site = call_first(sigs, proto); site; site = call_next(sigs, site))
		if (call_param(site, param, &die))
			return true;
	return false;
}

/*
 * Which parameters gcc has removed from a clone.  In the DWARF they are behind all
 * those that are left: where one has a place, those before it are left as well,
 * whatever their locations say.  A removed one has a location if the function
 * assigns it.
 */
static void find_removed(struct sigs *sigs, struct prototype *proto,
			 const struct evidence *evs)
{
	size_t i, nr_left = 0, nr_doubtful = 0;
	bool dropped = false;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (!param->has_concrete)
			continue;
		dropped |= !param->behind && is_dropped(sigs, proto, param);
		param->removed = param->behind || dropped;
		if (!param->removed && evs[i].kind == EVIDENCE_PLACE)
			nr_left = i + 1;
		if (!param->removed && (evs[i].kind == EVIDENCE_ELSEWHERE ||
					evs[i].kind == EVIDENCE_FOREIGN))
			nr_doubtful = i + 1;
	}
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		param->sure = !param->removed && i < nr_left;
		param->removed |= param->has_concrete && i >= nr_left && i >= nr_doubtful;
		param->has_constant = param->removed &&
				      proto_constant(sigs, proto, param, &param->constant);
	}
}

/* RBX and R12 to R15: a function saves those that it uses */
#define SAVED_REGS	0xf008

/* Whether an instruction may only save a register in the frame */
static bool may_save(const struct insn *insn)
{
	return insn->memory && !insn->writes && (insn->base == 4 || insn->base == 5);
}

/* The registers that a function reads before it writes them, as bits */
static __u32 entry_reads(struct sigs *sigs, const struct prototype *proto)
{
	const struct func *func = proto->func;
	const unsigned char *p = code_at(sigs->obj, proto->begin, func->high), *end;
	__u32 reads = 0, written = 0;
	struct insn insn;
	unsigned int len;

	if (!p)
		return 0;
	for (end = p + (func->high - proto->begin); p < end; p += len) {
		len = insn_decode(&insn, p, end);
		/* One that is pushed is not read, as that may only move the stack */
		if (!len || (insn.end != INSN_NEXT && insn.end != INSN_UNKNOWN))
			break;
		if (may_save(&insn))
			insn.reads &= ~SAVED_REGS;
		reads |= insn.reads & ~written;
		written |= insn.writes;
	}
	return reads;
}

/* The bit of a slot that is an argument register, or 0 */
static __u32 slot_register(char slot)
{
	return slot >= 'a' && slot <= 'f' ? 1u << insn_arg_regs[slot - 'a'] : 0;
}

/* The argument registers of a parameter, as bits */
static __u32 place_registers(const struct abi_place *place)
{
	return slot_register(place->slots[0]) | slot_register(place->slots[1]);
}

/* Whether the ABI could not place one, nor those behind it */
static bool is_lost(const struct prototype *proto)
{
	return proto->nr_params &&
	       proto->params[proto->nr_params - 1].place.reason == REASON_TYPE;
}

static bool has_last_register(const struct abi_place *place)
{
	return place_registers(place) & 1u << insn_arg_regs[NR_ARG_REGS - 1];
}

/*
 * Whether a function reads what no parameter is in: it has another calling convention,
 * of which gcc's DWARF says nothing.  RAX, RSP, RBP, R10 and R11 have other uses.
 */
static bool reads_foreign(struct sigs *sigs, const struct prototype *proto)
{
	__u32 own = proto->ret == ABI_RETURN_MEMORY ? 1u << insn_arg_regs[0] : 0;
	size_t i;

	if (proto->varargs || is_lost(proto))
		return false;
	own |= 1u << 0 | 1u << 4 | 1u << 5 | 1u << 10 | 1u << 11;
	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			own |= place_registers(&proto->params[i].place);
	return entry_reads(sigs, proto) & ~own;
}

/*
 * Those that are last of a clone's parameters may be left, or removed and assigned.
 * They are left if the code reads the registers that they would be in.
 */
static void doubt_last(struct sigs *sigs, struct prototype *proto)
{
	size_t i, nr_left = 0;
	__u32 reads;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed && !proto->params[i].sure)
			break;
	if (i == proto->nr_params)
		return;

	reads = entry_reads(sigs, proto);
	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed &&
		    reads & place_registers(&proto->params[i].place))
			nr_left = i + 1;
	for (i = nr_left; i < proto->nr_params; i++)
		if (!proto->params[i].removed && !proto->params[i].sure)
			displace(&proto->params[i].place, REASON_CLONE);
}

static void place_by_location(struct prototype *proto, const struct evidence *evs,
			      enum reason reason)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			place_alone(&proto->params[i], &evs[i], reason);
	displace_unordered(proto, reason);
}

/*
 * clang says nothing of a parameter that it removed: it has done so if those
 * that it tells of are in registers that leave no room for another.
 */
static void find_removed_clang(struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		bool lone;
		char low;

		if (evs[i].kind == EVIDENCE_MISSING && !param->place.memory && param->place.ints &&
		    !free_registers(proto, i, &low, &lone))
			param->removed = true;
	}
}

/* Whether clang tells that a part of a parameter comes in where the ABI has it */
static bool is_told_of(const struct param *param, const struct evidence *ev,
		       unsigned int nr)
{
	char slot = param->place.slots[nr];

	return slot == '-' || ev->told[nr] == slot || ev->told[nr] == TOLD_MEMORY ||
	       (nr && slot >= 'A' && slot <= 'Z');
}

static bool is_told(const struct param *param, const struct evidence *ev)
{
	if (param->place.memory)
		return ev->told[0] == TOLD_MEMORY;
	return is_told_of(param, ev, 0) && is_told_of(param, ev, 1);
}

/* clang does not even tell what a parameter becomes */
static bool is_untold(const struct evidence *ev)
{
	return ev->kind == EVIDENCE_MISSING && !ev->told[0] && !ev->told[1];
}

/*
 * clang tells of a scalar that comes in a register and is used, and has some location
 * for all else that is, but for an __int128: the rest is not passed.
 */
static bool is_dead(const struct param *param, const struct evidence *ev)
{
	if (param->place.aggregate || param->size <= 8)
		return ev->nowhere || (is_untold(ev) && !param->place.aggregate &&
				       param->place.ints == 1);
	return false;
}

/*
 * What clang does not tell of is passed if the code reads it.  doubt_records() sees to
 * records in memory.
 */
static void doubt_untold(struct sigs *sigs, struct prototype *proto,
			 const struct evidence *evs)
{
	__u32 reads = entry_reads(sigs, proto);
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct abi_place *place = &param->place;

		if (is_told(param, &evs[i]) ||
		    (place->memory && place->longs > 1 && may_have_pieces(param)))
			continue;
		param->removed = is_dead(param, &evs[i]) && !(reads & place_registers(place));
		if (place->memory)
			displace(place, REASON_LOCATION);
		for (j = 0; j < ARRAY_SIZE(place->slots); j++) {
			if (is_told_of(param, &evs[i], j) ||
			    reads & slot_register(place->slots[j]))
				continue;
			place->slots[j] = '-';
			place->reason = REASON_LOCATION;
		}
	}
}

/*
 * Words of the stack that clang tells of.  They are known up to the first parameter on
 * the stack that clang does not tell of, because that may be passed.
 */
static void place_words(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state left, all;
	bool pieces = false, told;
	size_t i;

	if (proto->clang < CLANG_NO_COPIES)
		return;
	abi_begin(&left, proto->has_ret ? &proto->ret_type : NULL, proto->clang, proto->wide);
	abi_begin(&all, proto->has_ret ? &proto->ret_type : NULL, proto->clang, proto->wide);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct abi_place place;

		abi_next(&all, &param->type, -1, &place);
		if (param->removed) {
			if (all.lost || place.memory)
				return;
			pieces |= may_have_pieces(param);
			continue;
		}
		abi_next(&left, &param->type, -1, &place);
		told = evs[i].told[0] == TOLD_MEMORY;
		if (left.lost || place.memory != told ||
		    (pieces && left.ints == NR_ARG_REGS))
			return;
		if (!place.memory && is_untold(&evs[i]) && param->place.slots[0] == '-')
			return;
		if (place.memory)
			param->place = place;
	}
}

/* Whether clang tells that a parameter comes in a place, and not only where it is kept */
static bool is_told_there(const struct abi_place *place, const struct evidence *ev)
{
	unsigned int i;

	if (place->memory)
		return ev->told[0] == TOLD_MEMORY;
	if (place->reason == REASON_TYPE)
		return false;
	for (i = 0; i < ARRAY_SIZE(place->slots); i++)
		if (place->slots[i] != '-' && ev->told[i] != place->slots[i])
			return false;
	return true;
}

/*
 * The ABI's places of those parameters that clang tells of, if that is where it tells
 * that they are.  The words of the stack are not known if there may be others.
 */
static bool place_told(struct sigs *sigs, struct prototype *proto,
		       const struct evidence *evs)
{
	bool pieces = false, full = false, memory = false, good;
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (!is_dead(param, &evs[i]))
			continue;
		param->removed = true;
		memory |= param->place.memory;
		pieces |= may_have_pieces(param);
	}
	good = place_left(proto, evs);
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];

		good &= param->removed || is_told_there(&param->place, &evs[i]);
		full |= !param->removed && has_last_register(&param->place);
	}
	good &= proto->optimized && !memory && !(pieces && full) && !reads_foreign(sigs, proto);
	for (i = 0; i < proto->nr_params && !good; i++)
		proto->params[i].removed = false;
	return good;
}

/*
 * The words of a record on the stack have a location even if the function does not
 * read them, and callers in the same object leave anything there then.
 */
static void doubt_records(struct prototype *proto)
{
	size_t i;

	for (i = 0; proto->optimized && i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;

		if (!proto->params[i].removed && place->memory && place->aggregate)
			displace(place, REASON_LOCATION);
	}
}

/* A function that clang may have changed, which is not called from elsewhere */
static void place_changed(struct sigs *sigs, struct prototype *proto,
			  const struct evidence *evs)
{
	size_t i;

	if (!proto->clone && place_told(sigs, proto, evs))
		return;
	place_left(proto, evs);
	place_by_location(proto, evs, REASON_CLONE);
	find_removed_clang(proto, evs);
	if (proto->clone)
		return;
	for (i = 0; i < proto->nr_params && proto->optimized; i++) {
		proto->params[i].removed |= is_dead(&proto->params[i], &evs[i]);
		proto->params[i].sure = !proto->params[i].removed;
	}
	fill_gaps(proto);
	place_words(proto, evs);
}

/*
 * clang may change every static function whose address is not taken, and says so
 * only by telling nothing of what it removed; that it does not return a value any
 * more it does not say at all.  The parameters of a function that others can call
 * it keeps, but callers in the same object may leave just anything in those that
 * are not used: it tells nothing of these either.
 */
static void place_clang(struct sigs *sigs, struct prototype *proto,
			const struct evidence *evs)
{
	bool kept = !proto->clone && !proto->changed && (proto->external || proto->taken);
	bool told = true, fit = place_left(proto, evs);
	size_t i;

	if (proto->has_wide)
		fit = place_wide(proto, evs);
	proto->ret_kept = kept || (!proto->clone && !proto->optimized);
	if (kept && !sigs_is_called(sigs, proto->func->low))
		return;

	for (i = 0; i < proto->nr_params; i++)
		told &= is_told(&proto->params[i], &evs[i]);
	if (!kept && (proto->clone || !told || !fit))
		place_changed(sigs, proto, evs);
	else if (!told && (proto->external || proto->clang >= CLANG_DEAD_LOCALS))
		doubt_untold(sigs, proto, evs);
	if (kept)
		doubt_records(proto);
}

/*
 * gcc tells nothing of one that it has split, where it does not track variables:
 * it is not known whether that is left.
 */
static bool is_split(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; proto->untracked && i < proto->nr_params; i++)
		if (evs[i].kind == EVIDENCE_MISSING && proto->params[i].size > 8)
			return true;
	return false;
}

/*
 * Whether a parameter that the ABI has in a register is on the stack for all of the
 * function.  Another calling convention has words there that the function fills.
 */
static bool has_homes(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (evs[i].word >= 0 && place_registers(&proto->params[i].place))
			return true;
	return false;
}

/* Without views, a location at the entry may be of what the function assigns there */
static bool is_viewed(struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		Dwarf_Die *die = &proto->params[i].concrete;
		Dwarf_Attribute attr;

		if (proto->params[i].has_concrete &&
		    dwarf_attr_integrate(die, DW_AT_location, &attr) &&
		    attr_is_list(&attr) && !dwarf_hasattr(die, DW_AT_GNU_locviews))
			return false;
	}
	return true;
}

static void place_gcc(struct sigs *sigs, struct prototype *proto,
		      const struct evidence *evs)
{
	unsigned int other = proto->clone & ~CLONE_CONSTPROP;
	bool good;

	if (!proto->clone) {
		good = place_left(proto, evs) && !reads_foreign(sigs, proto);
		if (has_homes(proto, evs) || (!good && !is_viewed(proto)))
			displace_all(proto, REASON_LOCATION);
		else if (!good || is_lost(proto))
			place_by_location(proto, evs, REASON_LOCATION);
		return;
	}

	/* Where what it returns is too large, that is passed as well */
	place_left(proto, evs);
	proto->ret_kept = !other;
	if (is_split(proto, evs)) {
		displace_all(proto, REASON_CLONE);
		return;
	}
	find_removed(sigs, proto, evs);
	if (!(other & ~CLONE_PART) && place_left(proto, evs) &&
	    !reads_foreign(sigs, proto)) {
		doubt_last(sigs, proto);
		return;
	}
	place_by_location(proto, evs, REASON_CLONE);
	fill_gaps(proto);
}

/**
 * proto_place - find the places of a function's parameters
 * @sigs: with the DWARF's locations
 * @proto: the function; the places of its parameters are filled in
 */
void proto_place(struct sigs *sigs, struct prototype *proto)
{
	struct evidence *evs = xcalloc(proto->nr_params, sizeof(*evs));
	size_t i;

	proto->ret_kept = true;
	for (i = 0; i < proto->nr_params; i++)
		read_evidence(sigs, proto, i, &evs[i]);
	if (proto->clang)
		place_clang(sigs, proto, evs);
	else
		place_gcc(sigs, proto, evs);
	free(evs);
}
