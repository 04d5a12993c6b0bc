// SPDX-License-Identifier: GPL-2.0
/*
 * The layouts of structures from DWARF, for the names of members in expressions
 *
 * The rules are the rules of calls/exprs_btf.c.  Only DWARF tells which of several structures with
 * one tag a parameter points to, because the kernel has the tag from the signature.
 */
#include <string.h>

#include <dwarf.h>

#include "layouts.h"

/* Maximum nesting of types that are compared */
#define ALIKE_DEPTH	12

bool die_is_named(Dwarf_Die *die, const char *name, unsigned int len)
{
	const char *own = dwarf_diename(die);

	return own && strlen(own) == len && !memcmp(own, name, len);
}

/*
 * Find the type of a variable, a member, a pointer or an array, without typedefs and qualifiers.
 * Returns false for void.
 */
bool die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) &&
	       !dwarf_peel_type(type, type);
}

/*
 * Read a number of an entry, @without if the entry does not have it. dwarf_formsdata() is not
 * used, because it reads one byte of 0x80 or above as negative.
 */
long die_number(Dwarf_Die *die, unsigned int name, long without)
{
	Dwarf_Attribute attr;
	Dwarf_Word val;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &val))
		return without;
	return val;
}

static bool is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Find the first bit of a member. DW_AT_bit_offset counts from the highest bit. */
static long member_bit(Dwarf_Die *member)
{
	long bit = 8 * die_number(member, DW_AT_data_member_location, 0);
	long width = die_number(member, DW_AT_bit_size, 0);
	Dwarf_Die type;
	long size;

	if (dwarf_hasattr(member, DW_AT_data_bit_offset))
		return die_number(member, DW_AT_data_bit_offset, 0);
	if (!dwarf_hasattr(member, DW_AT_bit_offset))
		return bit;
	size = die_number(member, DW_AT_byte_size, 0);
	if (!size && die_type(member, &type))
		size = dwarf_bytesize(&type);
	return bit + 8 * size - die_number(member, DW_AT_bit_offset, 0) - width;
}

/*
 * Find a member, also in at most @depth nested structures without a name. The member's offset in
 * bits is added to @bit. Returns false if there is no such member.
 */
bool die_member(Dwarf_Die *record, const char *name, unsigned int len, int depth,
		Dwarf_Die *member, long *bit)
{
	Dwarf_Die die, type;
	long at;

	if (!depth || dwarf_child(record, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_member)
			continue;
		at = member_bit(&die);
		if (die_is_named(&die, name, len)) {
			*member = die;
			*bit += at;
			return true;
		}
		if (dwarf_diename(&die) || !die_type(&die, &type) || !is_record(&type))
			continue;
		*bit += at;
		if (die_member(&type, name, len, depth - 1, member, bit))
			return true;
		*bit -= at;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static bool has_tag(Dwarf_Die *type)
{
	return is_record(type) && dwarf_diename(type);
}

static bool is_same_name(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *left = dwarf_diename(a), *right = dwarf_diename(b);

	return left && right ? !strcmp(left, right) : left == right;
}

static bool is_same_number(Dwarf_Die *a, Dwarf_Die *b, unsigned int name)
{
	return die_number(a, name, 0) == die_number(b, name, 0);
}

/* Find the member at @die or after it; returns false if there is no more */
static bool find_member(Dwarf_Die *die, bool more)
{
	while (more && dwarf_tag(die) != DW_TAG_member)
		more = !dwarf_siblingof(die, die);
	return more;
}

static bool is_alike(Dwarf_Die *a, Dwarf_Die *b, unsigned int depth);

static bool has_same_members(Dwarf_Die *a, Dwarf_Die *b, unsigned int depth)
{
	Dwarf_Die x, y, left, right;
	bool more, other;

	more = find_member(&x, !dwarf_child(a, &x));
	other = find_member(&y, !dwarf_child(b, &y));
	while (more && other) {
		if (!is_same_name(&x, &y) || member_bit(&x) != member_bit(&y) ||
		    !is_same_number(&x, &y, DW_AT_bit_size) ||
		    !die_type(&x, &left) || !die_type(&y, &right) ||
		    !is_alike(&left, &right, depth))
			return false;
		more = find_member(&x, !dwarf_siblingof(&x, &x));
		other = find_member(&y, !dwarf_siblingof(&y, &y));
	}
	return more == other;
}

/*
 * Whether the members of two types have the same names, places and types of values. A pointer
 * to a structure with a tag is compared by the tag, as in the kernel.
 */
static bool is_alike(Dwarf_Die *a, Dwarf_Die *b, unsigned int depth)
{
	Dwarf_Word size = 0, other = 0;
	Dwarf_Die left, right;
	int tag = dwarf_tag(a);

	if (a->addr == b->addr)
		return true;
	if (!depth-- || dwarf_tag(b) != tag || dwarf_bytesize(a) != dwarf_bytesize(b))
		return false;
	if (is_record(a))
		return has_same_members(a, b, depth);
	if (tag == DW_TAG_base_type)
		return is_same_name(a, b) && is_same_number(a, b, DW_AT_encoding);
	if (tag == DW_TAG_enumeration_type || tag == DW_TAG_subroutine_type)
		return true;
	if (!die_type(a, &left) || !die_type(b, &right))
		return !die_type(a, &left) && !die_type(b, &right);
	if (tag == DW_TAG_pointer_type && has_tag(&left) && has_tag(&right))
		return is_same_name(&left, &right);
	if (tag == DW_TAG_array_type &&
	    (dwarf_aggregate_size(a, &size) != dwarf_aggregate_size(b, &other) || size != other))
		return false;
	return is_alike(&left, &right, depth);
}

/* Find the structure with a tag, which each unit of the debug info may have */
static unsigned int find_record(Dwarf *dwarf, const char *name, unsigned int len,
				Dwarf_Die *record)
{
	unsigned int err = GRAPH_COND_ERR_NO_RECORD;
	Dwarf_Off off = 0, next;
	Dwarf_Die unit, die;
	size_t header;

	for (; !dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (!dwarf_offdie(dwarf, off + header, &unit) || dwarf_child(&unit, &die))
			continue;
		do {
			if (!is_record(&die) || !die_is_named(&die, name, len) ||
			    dwarf_hasattr(&die, DW_AT_declaration))
				continue;
			if (err)
				*record = die;
			else if (!is_alike(record, &die, ALIKE_DEPTH))
				return GRAPH_COND_ERR_SEVERAL;
			err = 0;
		} while (!dwarf_siblingof(&die, &die));
	}
	return err;
}

/*
 * The functions for exprs_steps.c, see calls/exprs_btf.c
 */

/* There is debug info */
bool expr_layouts_get(struct expr_layouts *layouts)
{
	return true;
}

unsigned int expr_find_record(struct expr_layouts *layouts, const char *tag,
			      unsigned int len, struct expr_ctype *record)
{
	return find_record(layouts->dwarf, tag, len, &record->die);
}

unsigned int expr_param_record(const struct expr_layouts *layouts, const void *param,
			       struct expr_ctype *record)
{
	return expr_pointed_record(param, record);
}

unsigned int expr_pointed_record(const struct expr_ctype *type, struct expr_ctype *record)
{
	Dwarf_Die pointer = type->die, *die = &record->die;
	const char *name;

	if (dwarf_tag(&pointer) != DW_TAG_pointer_type || !die_type(&pointer, die) ||
	    !is_record(die))
		return GRAPH_COND_ERR_NO_POINTER;
	if (!dwarf_hasattr(die, DW_AT_declaration))
		return 0;
	name = dwarf_diename(die);
	if (!name)
		return GRAPH_COND_ERR_NO_RECORD;
	return find_record(dwarf_cu_getdwarf(die->cu), name, strlen(name), die);
}

bool expr_is_record(const struct expr_ctype *type)
{
	Dwarf_Die die = type->die;

	return is_record(&die);
}

unsigned int expr_find_member(const struct expr_ctype *record, const char *name,
			      unsigned int len, struct expr_member *member)
{
	Dwarf_Die within = record->die, die;
	long bit = 0;

	if (!die_member(&within, name, len, LAYOUT_DEPTH, &die, &bit) ||
	    !die_type(&die, &member->type.die))
		return GRAPH_COND_ERR_NO_MEMBER;
	member->bit = bit;
	member->width = die_number(&die, DW_AT_bit_size, 0);
	return 0;
}

bool expr_next_member(const struct expr_ctype *record, struct expr_cursor *cursor,
		      struct expr_member *member, const char **name)
{
	Dwarf_Die within = record->die, *die = &cursor->die;

	do {
		if (!find_member(die, cursor->begun ? !dwarf_siblingof(die, die) :
						      !dwarf_child(&within, die)))
			return false;
		cursor->begun = true;
	} while (!die_type(die, &member->type.die));
	*name = dwarf_diename(die) ?: "";
	member->bit = member_bit(die);
	member->width = die_number(die, DW_AT_bit_size, 0);
	return true;
}

/* Find the type of an array's elements; returns false if the debug info is damaged */
static bool find_element(Dwarf_Die *type)
{
	while (dwarf_tag(type) == DW_TAG_array_type)
		if (!die_type(type, type))
			return false;
	return true;
}

unsigned int expr_find_element(struct expr_ctype *type, unsigned int *size)
{
	Dwarf_Die array = type->die, *element = &type->die;
	bool pointer = dwarf_tag(&array) == DW_TAG_pointer_type;
	Dwarf_Word all, each;

	if (pointer ? !die_type(&array, element) || is_record(element) :
	    dwarf_tag(&array) != DW_TAG_array_type || !find_element(element))
		return 0;
	if (dwarf_aggregate_size(element, &each) || !each)
		return 0;
	if (pointer || dwarf_aggregate_size(&array, &all))
		all = 0;
	*size = each;
	return (all ?: INT_MAX) / each;
}

enum expr_class expr_class_of(const struct expr_ctype *type, unsigned int *size)
{
	Dwarf_Die die = type->die;

	*size = dwarf_bytesize(&die);
	switch (dwarf_tag(&die)) {
	case DW_TAG_pointer_type:
		return EXPR_CLASS_POINTER;
	case DW_TAG_enumeration_type:
		return EXPR_CLASS_SIGNED;
	case DW_TAG_base_type:
		switch (die_number(&die, DW_AT_encoding, 0)) {
		case DW_ATE_float:
		case DW_ATE_complex_float:
			return EXPR_CLASS_OTHER;
		case DW_ATE_signed:
		case DW_ATE_signed_char:
			return EXPR_CLASS_SIGNED;
		default:
			return EXPR_CLASS_UNSIGNED;
		}
	case DW_TAG_array_type:
		return find_element(&die) && dwarf_tag(&die) == DW_TAG_base_type &&
		       die_is_named(&die, "char", strlen("char")) ? EXPR_CLASS_TEXT :
								    EXPR_CLASS_OTHER;
	default:
		return EXPR_CLASS_OTHER;
	}
}

enum expr_text expr_text_of(const struct expr_ctype *type)
{
	Dwarf_Die die = type->die;
	bool pointer = dwarf_tag(&die) == DW_TAG_pointer_type;

	if (!pointer && dwarf_tag(&die) != DW_TAG_array_type)
		return EXPR_TEXT_NONE;
	if (!(pointer ? die_type(&die, &die) : find_element(&die)) ||
	    dwarf_tag(&die) != DW_TAG_base_type || dwarf_bytesize(&die) != 1)
		return EXPR_TEXT_NONE;
	return pointer ? EXPR_TEXT_BEHIND : EXPR_TEXT_HERE;
}
