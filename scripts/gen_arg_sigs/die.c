// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of a DWARF DIE and of its locations
 *
 * Each function reads one property of a DIE: its type, its size, its bits.  It reads
 * all forms in which compilers and versions of DWARF write the property.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/*
 * Follow DW_AT_type. Returns 1 if there is a type, 0 if there is none (void), -1 if
 * malformed.
 */
int die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	return dwarf_formref_die(&attr, type) ? 1 : -1;
}

/*
 * Find the next DIE with a tag among the siblings of a DIE. Returns 0, 1 if there is none, -1
 * if the DWARF is malformed.
 */
int die_next(Dwarf_Die *die, int tag)
{
	int ret;

	do
		ret = dwarf_siblingof(die, die);
	while (!ret && dwarf_tag(die) != tag);
	return ret;
}

/* Find the first child of a DIE that has a tag. Returns what die_next() returns. */
int die_child(Dwarf_Die *die, int tag, Dwarf_Die *child)
{
	int ret = dwarf_child(die, child);

	return ret || dwarf_tag(child) == tag ? ret : die_next(child, tag);
}

/* Follow DW_AT_abstract_origin to the DIE of the declaration */
bool die_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	unsigned int depth;

	*origin = *die;
	for (depth = 0; depth < MAX_DEPTH; depth++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;

		if (!dwarf_attr(origin, DW_AT_abstract_origin, &attr))
			return true;
		if (!dwarf_formref_die(&attr, &next))
			return false;
		*origin = next;
	}
	return false;
}

/* Find the complete type with a name, of the DWARF tag @tag, in the unit of another DIE */
bool die_find_type(const Dwarf_Die *other, int tag, const char *name, Dwarf_Die *type)
{
	Dwarf_Die copy = *other, unit;
	const char *each;
	int ret;

	if (!dwarf_diecu(&copy, &unit, NULL, NULL))
		return false;
	for (ret = die_child(&unit, tag, type); !ret; ret = die_next(type, tag)) {
		each = dwarf_diename(type);
		if (each && !strcmp(each, name) && !dwarf_hasattr(type, DW_AT_declaration))
			return true;
	}
	return false;
}

/*
 * Replace a type by the type that it qualifies or, with @typedefs, names. Returns what
 * die_type() returns, 2 if the type is no such type.
 */
static int die_unwrap(Dwarf_Die *die, bool typedefs)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_typedef:
		if (!typedefs)
			return 2;
		fallthrough;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return die_type(die, die);
	case DW_TAG_invalid:
		return -1;
	default:
		return 2;
	}
}

/*
 * Replace a type by the type without its typedefs and qualifiers. Returns 1 if there is a
 * type, 0 for void, -1 if the DWARF is malformed.
 */
int die_peel(Dwarf_Die *die)
{
	unsigned int depth;
	int ret = 1;

	for (depth = 0; ret == 1 && depth < MAX_DEPTH; depth++)
		ret = die_unwrap(die, true);
	return ret == 2 ? 1 : ret == 1 ? -1 : ret;
}

/*
 * Replace a type by the type without its qualifiers. Returns false if the type is void or
 * malformed.
 */
bool die_skip_qualifiers(Dwarf_Die *die)
{
	unsigned int depth;
	int ret = 1;

	for (depth = 0; ret == 1 && depth < MAX_DEPTH; depth++)
		ret = die_unwrap(die, false);
	return ret == 2;
}

/* Whether a type has a tag, by itself or behind typedefs and qualifiers; @name: its name */
static bool die_is(const Dwarf_Die *type, int tag, const char *name)
{
	Dwarf_Die die = *type;
	unsigned int depth;

	for (depth = 0; depth < MAX_DEPTH; depth++) {
		if (dwarf_tag(&die) == tag &&
		    (!name || !strcmp(dwarf_diename(&die) ?: "", name)))
			return true;
		if (die_unwrap(&die, true) != 1)
			return false;
	}
	return false;
}

/* Whether a type is const, by itself or through a typedef */
bool die_is_const(const Dwarf_Die *type)
{
	return die_is(type, DW_TAG_const_type, NULL);
}

/* Whether a type is _Atomic, by itself or through a typedef */
bool die_is_atomic(const Dwarf_Die *type)
{
	return die_is(type, DW_TAG_atomic_type, NULL);
}

/* Whether a base type is a complex number. gcc's complex integers are DW_ATE_lo_user */
bool die_is_complex(Dwarf_Die *type)
{
	Dwarf_Word encoding;

	return die_udata(type, DW_AT_encoding, &encoding) &&
	       (encoding == DW_ATE_complex_float || encoding == DW_ATE_lo_user);
}

/* Whether a type is a typedef with a name, or a typedef of that */
bool die_is_typedef(const Dwarf_Die *type, const char *name)
{
	return die_is(type, DW_TAG_typedef, name);
}

/* Whether a type is a struct or a union */
bool die_is_record(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_structure_type ||
	       dwarf_tag(die) == DW_TAG_union_type;
}

/* Read an attribute that is an unsigned number. Returns false if it is missing or no number. */
bool die_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) &&
	       !dwarf_formudata(&attr, value);
}

/*
 * Read DW_AT_const_value. A form without a sign has an unsigned constant. Returns false if
 * there is no constant, or if the constant is not an integer.
 */
bool die_constant(Dwarf_Die *die, __s64 *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword sword;
	Dwarf_Word word;

	if (!dwarf_attr(die, DW_AT_const_value, &attr))
		return false;

	switch (dwarf_whatform(&attr)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(&attr, &sword))
			return false;
		*value = sword;
		return true;
	default:
		if (dwarf_formudata(&attr, &word))
			return false;
		*value = word;
		return true;
	}
}

/*
 * The number of elements of an array's dimension. Returns false if it has no count, as in a
 * flexible array member.
 */
bool die_count(Dwarf_Die *subrange, Dwarf_Word *count)
{
	if (die_udata(subrange, DW_AT_count, count))
		return true;
	if (!die_udata(subrange, DW_AT_upper_bound, count))
		return false;
	++*count;
	return true;
}

/* The size of a type. Returns false if the type has no size. */
bool die_size(const Dwarf_Die *die, Dwarf_Word *size)
{
	Dwarf_Die type = *die;

	return !dwarf_aggregate_size(&type, size);
}

/*
 * Whether a type is _BitInt(N). A _BitInt() of more than 64 bits is passed like a record of
 * longs.
 */
bool die_is_bit_int(Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_base_type ? dwarf_diename(die) : NULL;

	return name && (strstr(name, "_BitInt") || strstr(name, "_ExtInt"));
}

/*
 * The place of a bit-field. @location: its DW_AT_data_member_location, or 0. Returns false if
 * its DWARF makes no sense.
 */
bool die_bits(Dwarf_Die *member, Dwarf_Word location, Dwarf_Word *first,
	      Dwarf_Word *bits)
{
	Dwarf_Word unit;
	Dwarf_Die type;

	if (!die_udata(member, DW_AT_bit_size, bits) || *bits > 128 ||
	    location > UINT32_MAX)
		return false;

	if (die_udata(member, DW_AT_data_bit_offset, first))
		return *first <= 8ull * UINT32_MAX;

	if (!die_udata(member, DW_AT_bit_offset, first)) {
		*first = 8 * location;
		return true;
	}

	/*
	 * Up to DWARF 3, bits are counted from the other end of a unit. clang may
	 * put bits beyond this end, so the offset may be negative.
	 */
	if (!die_udata(member, DW_AT_byte_size, &unit) &&
	    (die_type(member, &type) != 1 || !die_size(&type, &unit)))
		return false;
	if (unit > 16)
		return false;
	*first = 8 * (location + unit) - *first - *bits;
	return *first <= 8 * (location + 2 * unit);
}

/* The compiler of a function; gcc adds its options */
const char *producer_of(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die cu;

	if (!dwarf_diecu(func, &cu, NULL, NULL) ||
	    !dwarf_attr(&cu, DW_AT_producer, &attr))
		return "";
	return dwarf_formstring(&attr) ?: "";
}

/* The version of the clang that compiled a function, 0 for another compiler */
unsigned int clang_version(Dwarf_Die *func)
{
	const char *clang = strstr(producer_of(func), "clang");

	if (!clang)
		return 0;
	if (!strncmp(clang, "clang version ", 14))
		return strtoul(clang + 14, NULL, 10) ?: 1;
	return 1;
}

/*
 * Whether a member that DWARF does not mark may be a bit-field. Before clang 19, the DWARF
 * does not mark a bit-field that is as wide as its type. It has the byte with the first bit
 * of the bit-field. A bool is never as wide as its type.
 */
bool die_may_be_bits(Dwarf_Die *member)
{
	unsigned int clang = clang_version(member);
	Dwarf_Word encoding;
	Dwarf_Die type;

	if (!clang || clang >= CLANG_MARKS_WIDE || dwarf_hasattr(member, DW_AT_bit_size) ||
	    die_type(member, &type) != 1 || die_peel(&type) != 1)
		return false;
	return dwarf_tag(&type) == DW_TAG_enumeration_type ||
	       (dwarf_tag(&type) == DW_TAG_base_type &&
		die_udata(&type, DW_AT_encoding, &encoding) &&
		encoding != DW_ATE_boolean && encoding != DW_ATE_float &&
		encoding != DW_ATE_complex_float);
}

/*
 * Whether a member certainly begins at its DW_AT_data_member_location. A bit-field that is
 * not marked begins up to 7 bits later. Members do not overlap, so there is no room for these
 * bits if the members after it follow without a gap, up to the end of the record, or to a
 * member whose place is certain. A gap may have bit-fields without a name, which are not in
 * the DWARF. A bit-field of a union begins at bit 0.
 */
bool die_is_placed(Dwarf_Die *record, Dwarf_Die *member)
{
	Dwarf_Word first, bits, location, size, end = 0;
	Dwarf_Die next = *member, type;
	unsigned int nr;

	if (dwarf_tag(record) == DW_TAG_union_type || !die_may_be_bits(member))
		return true;
	for (nr = 0; nr < MAX_DEPTH; nr++) {
		location = 0;
		die_udata(&next, DW_AT_data_member_location, &location);
		if (dwarf_hasattr(&next, DW_AT_bit_size))
			return die_bits(&next, location, &first, &bits) && first <= end;
		if (!die_may_be_bits(&next))
			return 8 * location <= end;
		if ((nr && 8 * location != end) || die_type(&next, &type) != 1 ||
		    !die_size(&type, &size))
			return false;
		end = 8 * (location + size);
		if (die_next(&next, DW_TAG_member))
			return die_size(record, &size) && 8 * size <= end;
	}
	return false;
}

/* Whether a location is a list */
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

/* Read an operation that is a constant. Returns false if the operation is not a constant. */
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
