// SPDX-License-Identifier: GPL-2.0
/*
 * Where the x86-64 System V ABI passes a parameter
 *
 * Strategy: classify each eightbyte of a type as the psABI says in 3.2.3, and
 * count the registers that the parameters before it have used up.  A type that
 * cannot be classified makes the places of all parameters after it unknown.
 */
#include <string.h>

#include "gen_arg_sigs.h"

#define NR_INTS		6
#define NR_SSES		8

/* Elements of an array that are looked at: more do not fit into 16 bytes */
#define MAX_ELEMENTS	16

/**
 * die_type - follow DW_AT_type
 * @die: a DIE, may be a concrete one whose type is with its origin
 * @type: the type
 *
 * Return: 1 if there is a type, 0 if there is none (void), -1 if malformed.
 */
int die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	return dwarf_formref_die(&attr, type) ? 1 : -1;
}

/**
 * die_peel - replace a type by what it stands for
 * @die: the type, followed through typedefs and qualifiers
 *
 * Return: 1 if there is a type, 0 if it is void, -1 if malformed.
 */
int die_peel(Dwarf_Die *die)
{
	unsigned int depth;
	int ret;

	for (depth = 0; depth < MAX_DEPTH; depth++) {
		Dwarf_Die next;

		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			ret = die_type(die, &next);
			if (ret != 1)
				return ret;
			*die = next;
			break;
		case DW_TAG_invalid:
			return -1;
		default:
			return 1;
		}
	}
	return -1;
}

/**
 * die_udata - read an attribute that is an unsigned number
 * @die: the DIE
 * @name: the attribute
 * @value: the number
 *
 * Return: false if it is missing or no number.
 */
bool die_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) &&
	       !dwarf_formudata(&attr, value);
}

static bool die_size(Dwarf_Die *die, Dwarf_Word *size)
{
	Dwarf_Die type = *die;

	return !dwarf_aggregate_size(&type, size);
}

static enum abi_class merge(enum abi_class a, enum abi_class b)
{
	if (a == b || b == ABI_NO_CLASS)
		return a;
	if (a == ABI_NO_CLASS)
		return b;
	if (a == ABI_UNKNOWN || b == ABI_UNKNOWN)
		return ABI_UNKNOWN;
	if (a == ABI_MEMORY || b == ABI_MEMORY)
		return ABI_MEMORY;
	return ABI_INTEGER;
}

static void classify(Dwarf_Die *die, Dwarf_Word offset, enum abi_class class[2],
		     unsigned int depth);

/* A scalar in @size bytes that is aligned to @align */
static void classify_scalar(enum abi_class c, Dwarf_Word offset, Dwarf_Word size,
			    Dwarf_Word align, enum abi_class class[2])
{
	Dwarf_Word i;

	if (!size || offset + size > 16) {
		class[0] = ABI_UNKNOWN;
		return;
	}
	/* What is not aligned is in memory, and so is all that it is part of */
	if (offset % align)
		c = ABI_MEMORY;
	for (i = offset / 8; i <= (offset + size - 1) / 8; i++)
		class[i] = merge(class[i], c);
}

static void classify_base(Dwarf_Die *die, Dwarf_Word offset,
			  enum abi_class class[2])
{
	const char *name = dwarf_diename(die);
	Dwarf_Word encoding, size;

	if (!die_udata(die, DW_AT_encoding, &encoding) ||
	    !die_udata(die, DW_AT_byte_size, &size)) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	switch (encoding) {
	case DW_ATE_float:
		/* The two of 16 bytes: of the x87, passed in memory, or not */
		if (size > 8 && name && !strcmp(name, "long double"))
			classify_scalar(ABI_MEMORY, offset, size, size, class);
		else
			classify_scalar(ABI_SSE, offset, size, size, class);
		break;
	case DW_ATE_complex_float:
		if (size > 16)
			class[0] = ABI_MEMORY;
		else
			classify_scalar(ABI_SSE, offset, size, size / 2 ?: 1, class);
		break;
	case DW_ATE_decimal_float:
		classify_scalar(ABI_SSE, offset, size, size, class);
		break;
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		if (size & (size - 1))
			class[0] = ABI_UNKNOWN;
		else
			classify_scalar(ABI_INTEGER, offset, size, size, class);
		break;
	default:
		class[0] = ABI_UNKNOWN;
	}
}

static void classify_array(Dwarf_Die *die, Dwarf_Word offset,
			   enum abi_class class[2], unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Word size, each;
	Dwarf_Die type;
	unsigned int i;
	bool vector;

	if (die_type(die, &type) != 1) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	vector = dwarf_attr(die, DW_AT_GNU_vector, &attr);
	if (!die_size(die, &size)) {
		/* A flexible array member has no size and no class */
		if (vector)
			class[0] = ABI_UNKNOWN;
		return;
	}
	if (!size)
		return;
	if (vector) {
		if (size > 16)
			class[0] = ABI_MEMORY;
		else
			classify_scalar(ABI_SSE, offset, size, size, class);
		return;
	}

	/* Of more dimensions than one: walk over the innermost elements */
	if (!die_size(&type, &each)) {
		class[0] = ABI_UNKNOWN;
		return;
	}
	if (!each)
		return;
	for (i = 0; i < MAX_ELEMENTS && i * each < size; i++)
		classify(&type, offset + i * each, class, depth);
}

static void classify_bits(Dwarf_Die *member, Dwarf_Word offset,
			  Dwarf_Word location, enum abi_class class[2])
{
	Dwarf_Word bits, first, unit, i;
	Dwarf_Die type;

	if (!die_udata(member, DW_AT_bit_size, &bits) || bits > 128)
		goto unknown;
	if (!bits)
		return;

	if (die_udata(member, DW_AT_data_bit_offset, &first)) {
		first += 8 * offset;
	} else if (die_udata(member, DW_AT_bit_offset, &first)) {
		/* Up to DWARF 3 bits are counted from the other end */
		if (!die_udata(member, DW_AT_byte_size, &unit) &&
		    (die_type(member, &type) != 1 || !die_size(&type, &unit)))
			goto unknown;
		first = 8 * (offset + location + unit) - first - bits;
	} else {
		first = 8 * (offset + location);
	}
	if (first >= 128 || first + bits > 128)
		goto unknown;

	for (i = first / 64; i <= (first + bits - 1) / 64; i++)
		class[i] = merge(class[i], ABI_INTEGER);
	return;
unknown:
	class[0] = ABI_UNKNOWN;
}

static void classify_members(Dwarf_Die *die, Dwarf_Word offset,
			     enum abi_class class[2], unsigned int depth)
{
	Dwarf_Die member;
	Dwarf_Word size;
	int ret;

	/* gcc describes a typedef of a transparent union without its members */
	if (dwarf_tag(die) == DW_TAG_union_type && dwarf_child(die, &member) == 1 &&
	    die_size(die, &size) && size == 8) {
		classify_scalar(ABI_INTEGER, offset, size, size, class);
		return;
	}

	for (ret = dwarf_child(die, &member); !ret;
	     ret = dwarf_siblingof(&member, &member)) {
		Dwarf_Word location = 0;
		Dwarf_Attribute attr;
		Dwarf_Die type;

		if (dwarf_tag(&member) != DW_TAG_member)
			continue;

		if (dwarf_attr(&member, DW_AT_data_member_location, &attr) &&
		    dwarf_formudata(&attr, &location)) {
			class[0] = ABI_UNKNOWN;
			return;
		}
		if (dwarf_attr(&member, DW_AT_bit_size, &attr)) {
			classify_bits(&member, offset, location, class);
			continue;
		}
		if (die_type(&member, &type) != 1) {
			class[0] = ABI_UNKNOWN;
			return;
		}
		classify(&type, offset + location, class, depth);
	}
	if (ret < 0)
		class[0] = ABI_UNKNOWN;
}

static void classify(Dwarf_Die *die, Dwarf_Word offset, enum abi_class class[2],
		     unsigned int depth)
{
	Dwarf_Die type = *die;
	Dwarf_Attribute attr;
	Dwarf_Word size;

	if (class[0] == ABI_UNKNOWN)
		return;
	if (depth > MAX_DEPTH || die_peel(&type) != 1) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		classify_base(&type, offset, class);
		break;
	case DW_TAG_pointer_type:
		classify_scalar(ABI_INTEGER, offset, 8, 8, class);
		break;
	case DW_TAG_enumeration_type:
		if (!die_size(&type, &size) || !size || size > 8)
			class[0] = ABI_UNKNOWN;
		else
			classify_scalar(ABI_INTEGER, offset, size, size, class);
		break;
	case DW_TAG_array_type:
		classify_array(&type, offset, class, depth + 1);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (dwarf_attr(&type, DW_AT_declaration, &attr))
			class[0] = ABI_UNKNOWN;
		else
			classify_members(&type, offset, class, depth + 1);
		break;
	default:
		class[0] = ABI_UNKNOWN;
	}
}

/* Classes of a whole value; in memory or unknown as class[0] */
static void classify_value(Dwarf_Die *die, Dwarf_Word *size, bool *aggregate,
			   enum abi_class class[2])
{
	Dwarf_Die type = *die;
	Dwarf_Attribute attr;
	int tag;

	class[0] = ABI_NO_CLASS;
	class[1] = ABI_NO_CLASS;
	*aggregate = false;
	*size = 0;

	if (die_peel(&type) != 1) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	tag = dwarf_tag(&type);
	if (tag == DW_TAG_pointer_type) {
		*size = 8;
		class[0] = ABI_INTEGER;
		return;
	}

	if (!die_size(&type, size) || dwarf_attr(&type, DW_AT_declaration, &attr)) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
		*aggregate = true;
		if (!*size)
			return;
		if (*size > 16) {
			class[0] = ABI_MEMORY;
			return;
		}
	} else if (tag == DW_TAG_array_type && *size > 16) {
		/* A wide vector, in a register or not: no integer register */
		class[0] = ABI_MEMORY;
		return;
	}

	classify(&type, 0, class, 0);
	if (class[0] == ABI_UNKNOWN || class[1] == ABI_UNKNOWN) {
		class[0] = ABI_UNKNOWN;
	} else if (class[0] == ABI_MEMORY || class[1] == ABI_MEMORY) {
		class[0] = ABI_MEMORY;
	} else if (class[0] == ABI_NO_CLASS ||
		   (*size > 8 && class[1] == ABI_NO_CLASS)) {
		/*
		 * Nothing but padding, or bit-fields without a name, which
		 * DWARF does not have and which compilers disagree about.
		 */
		class[0] = ABI_UNKNOWN;
	}
}

static unsigned int size_longs(Dwarf_Word size)
{
	if (size > 8 * 65535)
		return 65535;
	return size ? (size + 7) / 8 : 1;
}

/**
 * abi_longs - how many longs a value of a type has
 * @type: the type
 */
unsigned int abi_longs(Dwarf_Die *type)
{
	Dwarf_Word size;

	return die_size(type, &size) ? size_longs(size) : 1;
}

/**
 * abi_begin - begin with a function's parameters
 * @state: what is used up
 * @ret: type that the function returns, NULL for void
 * @clang: it was compiled by clang
 *
 * A value that is returned in memory takes the first register: for its address.
 */
void abi_begin(struct abi_state *state, Dwarf_Die *ret, bool clang)
{
	enum abi_class class[2];
	bool aggregate;
	Dwarf_Word size;
	Dwarf_Die type;

	memset(state, 0, sizeof(*state));
	state->clang = clang;
	if (!ret)
		return;

	type = *ret;
	if (!die_peel(&type))
		return;
	classify_value(&type, &size, &aggregate, class);
	if (class[0] == ABI_UNKNOWN)
		state->lost = true;
	else if (class[0] == ABI_MEMORY && aggregate)
		state->ints = 1;
}

/**
 * abi_next - where the next parameter is
 * @state: what is used up
 * @type: the parameter's type
 * @place: its place
 */
void abi_next(struct abi_state *state, Dwarf_Die *type, struct abi_place *place)
{
	unsigned int ints = 0, sses = 0;
	enum abi_class class[2];
	Dwarf_Word size;
	unsigned int i;

	memset(place, 0, sizeof(*place));
	classify_value(type, &size, &place->aggregate, class);
	place->longs = size_longs(size);

	if (state->lost || class[0] == ABI_UNKNOWN) {
		state->lost = true;
		place->reason = REASON_TYPE;
		return;
	}
	if (class[0] == ABI_MEMORY) {
		place->reason = place->aggregate ? REASON_STRUCT : REASON_FLOAT;
		return;
	}

	/* Two eightbytes of one vector are in one register */
	for (i = 0; i < 2; i++) {
		ints += class[i] == ABI_INTEGER;
		sses += class[i] == ABI_SSE;
	}
	if (sses == 2 && !place->aggregate) {
		Dwarf_Die peeled = *type;
		Dwarf_Word encoding;

		if (die_peel(&peeled) != 1 ||
		    !die_udata(&peeled, DW_AT_encoding, &encoding) ||
		    encoding != DW_ATE_complex_float)
			sses = 1;
	}

	/* All of it in registers, or nothing; clang up to 17 splits __int128 */
	if (state->clang && ints == 2 && !place->aggregate && state->ints == NR_INTS - 1) {
		state->lost = true;
		place->reason = REASON_TYPE;
		return;
	}
	if (state->ints + ints > NR_INTS || state->sses + sses > NR_SSES) {
		place->reason = place->aggregate ? REASON_STRUCT : REASON_STACK;
		return;
	}
	place->first = state->ints;
	place->ints = ints;
	state->ints += ints;
	state->sses += sses;

	if (place->aggregate)
		place->reason = REASON_STRUCT;
	else if (sses)
		place->reason = REASON_FLOAT;
}

/**
 * abi_dwarf_reg - DWARF's number of an argument register
 * @nr: 0 to 5
 */
int abi_dwarf_reg(unsigned int nr)
{
	static const int regs[NR_INTS] = { 5, 4, 1, 2, 8, 9 };

	return nr < NR_INTS ? regs[nr] : -1;
}
