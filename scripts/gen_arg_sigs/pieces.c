// SPDX-License-Identifier: GPL-2.0
/*
 * The parts that callers pass to gcc's .isra clones instead of a pointer
 *
 * gcc's DWARF does not describe the parts that IPA-SRA passes.  But for each call, the
 * DWARF has the value that the pointer would have had.  If a caller loads an argument
 * register from this pointer plus an offset, the caller passes the member at the offset.
 *
 * Strategy: follow the values of registers through the caller, symbolically.  Each value
 * is the value of some register at some point plus a constant, or is loaded from this
 * address.  A register has a piece only if a value is passed in the register, if no
 * remaining parameter is in it, if it can belong to only one pointer, if all calls with
 * a known value agree, and if the struct has exactly one member of this size at the
 * offset.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* A value: @root + @disp, or the bytes that are loaded from this address */
struct value {
	unsigned int root;	/* the register on which the value is based */
	unsigned int version;	/* counts the values that the register has had */
	__s64 disp;
	unsigned int loaded;	/* number of loaded bytes; 0: the value is the address itself */
};

struct machine {
	struct value regs[NR_GP_REGS];
	unsigned int versions[NR_GP_REGS];
};

static void forget_registers(struct machine *m, unsigned int regs)
{
	unsigned int i;

	for (i = 0; i < NR_GP_REGS; i++) {
		if (!(regs & 1u << i))
			continue;
		m->regs[i] = (struct value){ .root = i, .version = ++m->versions[i] };
	}
}

static void step(struct machine *m, const struct effects *effects)
{
	struct value value = {};
	bool known = false;

	if (effects->move && effects->source != -1u) {
		value = m->regs[effects->source];
		/*
		 * The move has all of the register, or the low half of a value that is
		 * no wider
		 */
		known = effects->size == 8 || (value.loaded && value.loaded <= effects->size);
	} else if (effects->move && !effects->indexed) {
		value = m->regs[effects->base];
		known = !value.loaded;
		value.disp += effects->disp;
		value.loaded = effects->size;
	} else if (effects->address) {
		value = m->regs[effects->base];
		known = !value.loaded;
		value.disp += effects->disp;
	}

	forget_registers(m, effects->writes);
	if (known)
		m->regs[effects->dest] = value;
	switch (effects->flow) {
	case FLOW_CALL:
		forget_registers(m, CALL_WRITES);
		break;
	case FLOW_JUMP:
	case FLOW_RETURN:
		/* The next instruction is reached only by jumps from elsewhere */
		forget_registers(m, -1u);
		break;
	default:
		break;
	}
}

/* Follow the caller's values up to a call */
static bool run_to_call(struct sigs *sigs, const struct call_site *site,
			struct machine *m)
{
	const struct func *func = &site->caller;
	Dwarf_Addr call = site->return_pc - 5, pc = func->low;
	const unsigned char *code = code_at(sigs->obj, func->low, func->high);
	struct effects effects;
	unsigned int i, len;

	if (!code || site->return_pc < func->low + 5 || code[call - func->low] != 0xe8)
		return false;

	for (i = 0; i < NR_GP_REGS; i++) {
		m->versions[i] = 0;
		m->regs[i] = (struct value){ .root = i };
	}
	while (pc < call) {
		len = effects_read(&effects, code + (pc - func->low), code + (call - func->low));
		if (!len) {
			forget_registers(m, -1u);
			pc = call_behind(sigs, pc);
			continue;
		}
		/* The call of the tracer preserves all registers */
		if (pc != func->low || effects.flow != FLOW_CALL)
			step(m, &effects);
		pc += len;
	}
	return pc == call;
}

/* Read a register's value at function entry from the expression that wraps it */
static bool entry_register(Dwarf_Attribute *attr, const Dwarf_Op *op, struct value *value)
{
	Dwarf_Attribute inner;
	size_t nr_ops;
	Dwarf_Op *ops;
	int reg = -1;

	if (dwarf_getlocation_attr(attr, op, &inner) ||
	    dwarf_getlocation(&inner, &ops, &nr_ops) || nr_ops != 1)
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg15)
		reg = insn_reg_of_dwarf(ops[0].atom - DW_OP_reg0);
	if (reg < 0)
		return false;
	*value = (struct value){ .root = reg };
	return true;
}

/* The value that the caller would have passed, from the state of the machine */
static bool pointer_value(Dwarf_Die *die, const struct machine *m, struct value *value)
{
	Dwarf_Attribute attr;
	size_t nr_ops;
	Dwarf_Op *ops;
	int reg;

	if (!call_value(die, &attr, &ops, &nr_ops))
		return false;

	if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg15) {
		reg = insn_reg_of_dwarf(ops[0].atom - DW_OP_breg0);
		*value = m->regs[reg];
		value->disp += (Dwarf_Sword)ops[0].number;
	} else if (ops[0].atom != DW_OP_entry_value && ops[0].atom != DW_OP_GNU_entry_value) {
		return false;
	} else if (!entry_register(&attr, &ops[0], value)) {
		return false;
	}
	if (value->loaded)
		return false;
	if (nr_ops == 2 && ops[1].atom == DW_OP_plus_uconst)
		value->disp += ops[1].number;
	else if (nr_ops != 1)
		return false;
	return true;
}

/* Whether a call has the value that the parameter would have had */
static bool read_pointer(const struct call_site *site, const struct param *param,
			 const struct machine *m, struct value *pointer)
{
	Dwarf_Die die;

	return call_param(site, param, &die) && pointer_value(&die, m, pointer);
}

/* The number of registers that a call passes arguments in, as far as its DWARF says */
static unsigned int count_args(struct call_site *site)
{
	unsigned int nr_args = 0;
	Dwarf_Attribute attr;
	Dwarf_Die child;
	size_t nr_ops;
	Dwarf_Op *ops;
	int ret, arg;

	for (ret = dwarf_child(&site->die, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		if (!dwarf_attr(&child, DW_AT_location, &attr) ||
		    dwarf_getlocation(&attr, &ops, &nr_ops) || nr_ops != 1 ||
		    ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg15)
			continue;
		arg = abi_arg_reg(ops[0].atom - DW_OP_reg0);
		if (arg >= (int)nr_args)
			nr_args = arg + 1;
	}
	return nr_args;
}

/* The search for a member: its place, and the path to it */
struct member {
	Dwarf_Word offset;
	Dwarf_Word size;
	unsigned int nr;	/* number of members that fit */
	struct text name;
	Dwarf_Die type;
};

static void member_at(struct member *found, Dwarf_Die *die, Dwarf_Word base,
		      struct text *path, unsigned int depth);

static void find_in_record(struct member *found, Dwarf_Die *die, Dwarf_Word base,
			   struct text *path, unsigned int depth)
{
	size_t len = path->len;
	Dwarf_Die member, type;
	int ret;

	for (ret = dwarf_child(die, &member); !ret;
	     ret = dwarf_siblingof(&member, &member)) {
		const char *name = dwarf_diename(&member);
		Dwarf_Word location = 0;

		if (dwarf_tag(&member) != DW_TAG_member ||
		    dwarf_hasattr(&member, DW_AT_bit_size) ||
		    (dwarf_hasattr(&member, DW_AT_data_member_location) &&
		     !die_udata(&member, DW_AT_data_member_location, &location)) ||
		    die_type(&member, &type) != 1)
			continue;
		if (name && len)
			text_add(path, ".");
		text_add(path, name ?: "");
		member_at(found, &type, base + location, path, depth + 1);
		path->len = len;
		path->buf[len] = '\0';
	}
}

/* Name element @nr of an array, counted over all of its dimensions */
static bool add_indices(struct text *path, Dwarf_Die *array, Dwarf_Word nr)
{
	Dwarf_Word counts[MAX_DEPTH], each = 1;
	unsigned int i, dims = 0;
	Dwarf_Die child;
	int ret;

	for (ret = dwarf_child(array, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (dims == MAX_DEPTH)
			return false;
		/* The outermost dimension comes first, and may have no count */
		if (!die_count(&child, &counts[dims]) && dims)
			return false;
		dims++;
	}
	for (i = 1; i < dims; i++)
		if (!counts[i] || __builtin_mul_overflow(each, counts[i], &each))
			return false;
	for (i = 0; i < dims; i++) {
		text_addf(path, "[%llu]", (unsigned long long)(nr / each));
		nr %= each;
		if (i + 1 < dims)
			each /= counts[i + 1];
	}
	return dims;
}

static void find_in_array(struct member *found, Dwarf_Die *die, Dwarf_Word base,
			  Dwarf_Word size, struct text *path, unsigned int depth)
{
	size_t len = path->len;
	Dwarf_Word each, nr;
	Dwarf_Die type;

	if (die_type(die, &type) != 1 || !die_size(&type, &each) || !each ||
	    dwarf_hasattr(die, DW_AT_GNU_vector) || found->offset >= base + size)
		return;
	nr = (found->offset - base) / each;
	if (add_indices(path, die, nr))
		member_at(found, &type, base + nr * each, path, depth + 1);
	path->len = len;
	path->buf[len] = '\0';
}

static void member_at(struct member *found, Dwarf_Die *die, Dwarf_Word base,
		      struct text *path, unsigned int depth)
{
	Dwarf_Die type = *die;
	Dwarf_Word size;

	if (depth > MAX_DEPTH || found->nr > 1 || base > found->offset ||
	    die_peel(&type) != 1 || !die_size(&type, &size) || base + size <= found->offset)
		return;
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		find_in_record(found, &type, base, path, depth);
		break;
	case DW_TAG_array_type:
		find_in_array(found, &type, base, size, path, depth);
		break;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_pointer_type:
		if (base != found->offset || size != found->size)
			break;
		found->nr++;
		found->type = *die;
		text_reset(&found->name);
		text_add(&found->name, path->buf);
		break;
	}
}

/* Find the name of a piece, a member of a parameter's struct */
static bool name_piece(const struct param *param, struct piece *piece, __s64 offset,
		       unsigned int size)
{
	struct member found = { .offset = offset, .size = size };
	Dwarf_Die type = param->type, pointee;
	Dwarf_Die die = param->die;
	const char *name = dwarf_diename(&die);
	struct text path = {}, whole = {};

	if (!name || offset < 0 || die_peel(&type) != 1 || die_type(&type, &pointee) != 1)
		return false;
	text_reset(&path);
	member_at(&found, &pointee, 0, &path, 0);
	free(path.buf);
	if (found.nr != 1 || found.name.failed)
		return false;

	if (!found.name.len)
		text_add(&whole, "*");
	text_add(&whole, name);
	if (found.name.len)
		text_add(&whole, found.name.buf[0] == '[' ? "[0]" : "->");
	text_add(&whole, found.name.buf);
	free(found.name.buf);
	piece->type = found.type;
	piece->name = whole.buf;
	return true;
}

static bool is_pointer(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) == 1 && dwarf_tag(&type) == DW_TAG_pointer_type;
}

/**
 * may_have_pieces - whether parts of a parameter may be passed instead
 * @param: the parameter
 *
 * Only a pointer or a record has parts.
 */
bool may_have_pieces(const struct param *param)
{
	Dwarf_Die type = param->type;

	return is_pointer(param) || die_peel(&type) != 1 ||
	       dwarf_tag(&type) == DW_TAG_structure_type ||
	       dwarf_tag(&type) == DW_TAG_union_type;
}

/*
 * Find the registers that can have the pieces of only one parameter. These registers are
 * between the registers of the previous and the next remaining parameter, if no other
 * parameter with pieces is between these two.
 */
static bool own_registers(const struct prototype *proto, size_t nr, unsigned int *low,
			  unsigned int *high)
{
	bool alone = true;
	size_t i;

	*low = 0;
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];
		const char *slots = param->place.slots;

		if (i == nr || (!param->removed && param->place.memory))
			continue;
		if (param->removed) {
			alone &= !may_have_pieces(param);
			continue;
		}
		if (slots[0] == '-')
			return false;
		if (i > nr) {
			*high = slots[0] - 'a';
			return alone;
		}
		*low = slots[slots[1] != '-'] - 'a' + 1;
		alone = true;
	}
	return alone;
}

/* Find the piece in a register. All calls with a known value have to agree. */
static bool piece_of(struct sigs *sigs, struct prototype *proto,
		     struct param *param, unsigned int arg, struct piece *piece)
{
	unsigned int size = 0;
	struct call_site *site;
	struct value pointer;
	struct machine m;
	__s64 offset = 0;

	for (site = call_first(sigs, proto); site; site = call_next(sigs, site)) {
		const struct value *value = &m.regs[insn_arg_regs[arg]];

		if (!run_to_call(sigs, site, &m) ||
		    !read_pointer(site, param, &m, &pointer) || !value->loaded ||
		    value->root != pointer.root || value->version != pointer.version)
			continue;
		if (size && (size != value->loaded || offset != value->disp - pointer.disp))
			return false;
		size = value->loaded;
		offset = value->disp - pointer.disp;
	}
	return size && name_piece(param, piece, offset, size);
}

/**
 * proto_find_pieces - find the parts that are passed instead of pointers
 * @sigs: with the object
 * @proto: the function; its parameters get their pieces
 */
void proto_find_pieces(struct sigs *sigs, struct prototype *proto)
{
	unsigned int low, high, arg, nr_args = 0;
	struct call_site *site;
	size_t i;

	if (proto->compiler.clang || !(proto->cc.clone & CLONE_OTHER))
		return;
	for (site = call_first(sigs, proto); site; site = call_next(sigs, site))
		if (count_args(site) > nr_args)
			nr_args = count_args(site);

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		high = nr_args;
		if (!param->removed || !is_pointer(param) ||
		    !own_registers(proto, i, &low, &high))
			continue;
		for (arg = low; arg < high; arg++) {
			struct piece *piece = &param->pieces[param->nr_pieces];

			if (piece_of(sigs, proto, param, arg, piece)) {
				piece->slot = 'a' + arg;
				param->nr_pieces++;
			}
		}
	}
}
