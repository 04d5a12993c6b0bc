// SPDX-License-Identifier: GPL-2.0
/*
 * The alignment of types, as far as DWARF tells
 */
#include "gen_arg_sigs.h"

/* Whether a record has room between its members; a packed record has none */
static bool has_padding(Dwarf_Die *die)
{
	Dwarf_Word location, size, end = 0;
	Dwarf_Die member, type;
	int ret;

	for (ret = die_child(die, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member)) {
		location = 0;
		if (dwarf_hasattr(&member, DW_AT_bit_size) ||
		    dwarf_hasattr(&member, DW_AT_alignment) ||
		    (dwarf_hasattr(&member, DW_AT_data_member_location) &&
		     !die_udata(&member, DW_AT_data_member_location, &location)) ||
		    die_type(&member, &type) != 1 || !die_size(&type, &size))
			return false;
		if (location > end)
			return true;
		/* clang adds bytes to an _Atomic type until its size is a power of two */
		if (die_is_atomic(&type) && size & (size - 1))
			return false;
		if (location + size > end)
			end = location + size;
	}
	return die_size(die, &size) && size > end;
}

/*
 * Whether a member of a record may be aligned to 16 bytes because it is _Atomic.  Before
 * version 5, DWARF does not mark such a member.
 */
static bool may_be_atomic(Dwarf_Die *record, const Dwarf_Die *member_type)
{
	Dwarf_Die type = *member_type;
	unsigned int depth = 0;
	Dwarf_Half version;
	Dwarf_Word size;

	if (dwarf_cu_info(record->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    version >= 5 || !die_size(record, &size) || size % 16)
		return false;
	while (die_peel(&type) == 1 && dwarf_tag(&type) == DW_TAG_array_type)
		if (die_type(&type, &type) != 1 || ++depth > MAX_DEPTH)
			return false;
	return die_size(&type, &size) && size == 16;
}

/* The alignment of a member, 0 if it cannot be known */
static Dwarf_Word member_align(Dwarf_Die *record, Dwarf_Die *member,
			       struct alignment *how, unsigned int depth)
{
	Dwarf_Word align = 8, own = 0, location = 0, first, bits;
	Dwarf_Die type;
	bool known;

	/*
	 * gcc's attribute always holds. clang's attribute may repeat the attribute
	 * of the type.
	 */
	if (die_udata(member, DW_AT_alignment, &own) && !how->clang)
		return own;
	known = die_type(member, &type) == 1;
	if (known)
		align = type_align(&type, how, depth + 1);
	if (!align)
		return 0;
	if (own > align)
		align = own;
	if (align > 8 && !has_padding(record))
		how->sure = false;
	die_udata(member, DW_AT_data_member_location, &location);
	/* clang describes an _Atomic member that is larger than its type as a bit-field */
	if (known && die_is_atomic(&type) && die_bits(member, location, &first, &bits))
		location = first / 8;
	/* The record is packed */
	if (location % align)
		return 8;
	if (known && align == 8 && !(location % 16) && may_be_atomic(record, &type)) {
		how->sure = false;
		return 16;
	}
	return align;
}

/*
 * The alignment that the members give to a record, 8 or more.  Returns 0 if it cannot be
 * known.
 */
Dwarf_Word members_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align = 8, each;
	Dwarf_Die member;
	int ret;

	for (ret = die_child(die, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member)) {
		each = member_align(die, &member, how, depth);
		if (!each)
			return 0;
		if (each > align)
			align = each;
	}
	return align;
}

/* The alignment of a record; for clang only the record's attribute is known */
static Dwarf_Word record_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align, own;

	if (!die_udata(die, DW_AT_alignment, &own))
		own = 8;
	else if (!how->clang)
		return own > 8 ? own : 8;
	align = members_align(die, how, depth);
	return align && own > align ? own : align;
}

/*
 * The alignment of an _Atomic type, which is not in the DWARF: a type of 16 bytes is aligned
 * to its size.  clang makes a smaller type larger, until its size is a power of two.
 */
static Dwarf_Word atomic_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align, size;
	Dwarf_Die type;

	if (die_type(die, &type) != 1)
		return 8;
	align = type_align(&type, how, depth + 1);
	if (align != 8 || !die_size(&type, &size))
		return align;
	return size == 16 || (how->clang && size > 8 && size < 16) ? 16 : 8;
}

/* The alignment of a scalar.  A complex number is aligned as its two parts are. */
static Dwarf_Word base_align(Dwarf_Die *die)
{
	Dwarf_Word size;

	if (!die_size(die, &size))
		return 8;
	if (die_is_complex(die))
		size /= 2;
	return size > 8 && !die_is_bit_int(die) ? 16 : 8;
}

/*
 * The alignment of a type, 8 or more.  A packed record is aligned less than its
 * members, and DWARF does not say that a record is packed: @how->sure is false if
 * the record may be packed.  Returns 0 if a type contains itself, which ends the
 * recursion.
 */
Dwarf_Word type_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align, size;
	Dwarf_Die type = *die;

	for (; depth < MAX_DEPTH; depth++) {
		if (die_is_record(&type))
			return record_align(&type, how, depth);
		if (die_udata(&type, DW_AT_alignment, &align))
			return align > 8 ? align : 8;
		switch (dwarf_tag(&type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_array_type:
			/* A vector is aligned to its size */
			if (dwarf_hasattr(&type, DW_AT_GNU_vector))
				return die_size(&type, &size) && size > 8 ? size : 8;
			if (die_type(&type, &type) != 1)
				return 8;
			continue;
		case DW_TAG_atomic_type:
			return atomic_align(&type, how, depth);
		case DW_TAG_base_type:
			return base_align(&type);
		default:
			return 8;
		}
	}
	return 0;
}
