// SPDX-License-Identifier: GPL-2.0
/*
 * Where the arm64 procedure call standard (AAPCS64) passes a parameter
 *
 * Strategy: find out how a type is passed (6.8.2, stages B and C): in general registers, in
 * vector registers, by reference, or not at all.  Count the registers and the stack words
 * that the preceding parameters use.  A value is in registers as a whole or not at all.  A
 * value that is aligned to 16 bytes begins in a register with an even number.  A type is
 * VALUE_UNKNOWN if its DWARF is not sufficient. This makes the places of all parameters after
 * it unknown.
 */
#include <string.h>

#include "gen_arg_sigs.h"

#define NR_INTS		8
#define NR_VECTORS	8

/* Maximum elements of an aggregate in vector registers */
#define MAX_ELEMENTS	4

enum value_kind {
	VALUE_NONE,		/* not passed */
	VALUE_INTS,
	VALUE_VECTORS,
	VALUE_REFERENCE,	/* a register has the address of the value */
	VALUE_UNKNOWN,
};

/* How a value is passed */
struct value {
	enum value_kind kind;
	Dwarf_Word size;
	bool aggregate;
	unsigned int vectors;
	Dwarf_Word align;	/* 8 or 16 */
	bool sure;		/* of the alignment */
};

/* The elements of a type, if all are of one floating-point or vector type */
struct elements {
	Dwarf_Word nr;
	Dwarf_Word size;	/* of each element */
	bool vector;
	bool mixed;		/* the type has other elements as well */
	bool wide_bits;		/* a _BitInt() with an alignment that depends on the compiler */
	bool hidden;		/* a bit-field without a name may be among the elements */
	bool unknown;
};

static void find_elements(Dwarf_Die *die, struct elements *all, unsigned int depth);

static void add_elements(struct elements *all, Dwarf_Word nr, Dwarf_Word size, bool vector)
{
	if (all->nr && (all->size != size || all->vector != vector))
		all->mixed = true;
	all->nr += nr;
	all->size = size;
	all->vector = vector;
}

static void find_base_elements(Dwarf_Die *die, struct elements *all)
{
	Dwarf_Word encoding, size;

	if (!die_udata(die, DW_AT_encoding, &encoding) || !die_size(die, &size)) {
		all->unknown = true;
		return;
	}
	switch (encoding) {
	case DW_ATE_float:
		add_elements(all, 1, size, false);
		break;
	case DW_ATE_complex_float:
		add_elements(all, 2, size / 2, false);
		break;
	case DW_ATE_decimal_float:
		all->unknown = true;
		break;
	default:
		all->mixed = true;
		all->wide_bits |= size > 8 && die_is_bit_int(die);
	}
}

/* Whether clang passes a value as integers because its type is _Atomic */
static bool is_atomic_of_clang(Dwarf_Die *die)
{
	return clang_version(die) && die_is_atomic(die);
}

static void find_array_elements(Dwarf_Die *die, struct elements *all, unsigned int depth)
{
	struct elements each = {};
	Dwarf_Word size, one;
	Dwarf_Die type;

	/* A record with a flexible array is in no vector registers */
	if (!die_size(die, &size)) {
		all->mixed = true;
		return;
	}
	/* Nor does clang pass a record with an array of length 0 there */
	if (!size && clang_version(die))
		all->mixed = true;
	if (dwarf_hasattr(die, DW_AT_GNU_vector)) {
		all->unknown |= size != 8 && size != 16;
		add_elements(all, 1, size, true);
		return;
	}
	if (die_type(die, &type) != 1) {
		all->unknown = true;
		return;
	}
	all->mixed |= is_atomic_of_clang(&type);
	if (die_peel(&type) != 1 || !die_size(&type, &one)) {
		all->unknown = true;
		return;
	}
	find_elements(&type, &each, depth);
	all->mixed |= each.mixed;
	all->hidden |= each.hidden;
	all->wide_bits |= each.wide_bits;
	all->unknown |= each.unknown;
	if (each.nr && one)
		add_elements(all, size / one * each.nr, each.size, each.vector);
}

/*
 * Whether a record has no member with a value. clang does not pass such a record, even if it
 * has a size because of bit-fields without a name.
 */
static bool is_empty(Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die member, type;
	Dwarf_Word size;
	int ret;

	if (!die_is_record(die) || depth > MAX_DEPTH)
		return false;
	for (ret = dwarf_child(die, &member); !ret; ret = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		if (die_type(&member, &type) != 1 || die_peel(&type) != 1)
			return false;
		while (dwarf_tag(&type) == DW_TAG_array_type) {
			/* An array without a length is a member, and one of length 0 is none */
			if (!die_size(&type, &size))
				return false;
			if (!size)
				break;
			if (die_type(&type, &type) != 1 || die_peel(&type) != 1)
				return false;
		}
		if (dwarf_tag(&type) != DW_TAG_array_type && !is_empty(&type, depth + 1))
			return false;
	}
	return true;
}

static void find_member_elements(Dwarf_Die *die, struct elements *all, unsigned int depth)
{
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	unsigned int clang = clang_version(die);
	Dwarf_Word before = all->nr, most = 0;
	Dwarf_Die member, type;
	int ret;

	for (ret = dwarf_child(die, &member); !ret; ret = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		if (die_type(&member, &type) != 1) {
			all->unknown = true;
			return;
		}
		all->mixed |= is_atomic_of_clang(&type);
		if (die_peel(&type) != 1) {
			all->unknown = true;
			return;
		}
		if (clang && is_empty(&type, depth))
			continue;
		find_elements(&type, all, depth);
		if (!is_union)
			continue;
		/* The members of a union share its registers */
		most = all->nr - before > most ? all->nr - before : most;
		all->nr = before + most;
	}
	/* The DWARF does not have the bit-field of union { float f; int : 8; } */
	all->hidden |= is_union && most;
	all->unknown |= ret < 0;
}

static void find_elements(Dwarf_Die *die, struct elements *all, unsigned int depth)
{
	if (depth > MAX_DEPTH) {
		all->unknown = true;
		return;
	}
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		find_base_elements(die, all);
		break;
	case DW_TAG_array_type:
		find_array_elements(die, all, depth + 1);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		all->unknown |= dwarf_hasattr(die, DW_AT_declaration);
		find_member_elements(die, all, depth + 1);
		break;
	default:
		all->mixed = true;
	}
}

static void classify_record(unsigned int clang, Dwarf_Die *type, const struct elements *all,
			    struct value *value)
{
	struct alignment how = { .clang = clang, .sure = true };

	if (!value->size || (clang && is_empty(type, 0))) {
		value->kind = VALUE_NONE;
	} else if (value->size > 16) {
		value->kind = VALUE_REFERENCE;
	} else {
		value->kind = VALUE_INTS;
		/* The attribute of the record itself does not count (6.8.2, B.6) */
		value->align = members_align(type, &how, 0);
		value->sure = how.sure && !all->wide_bits;
		if (!value->align)
			value->kind = VALUE_UNKNOWN;
	}
}

static void classify_value(unsigned int clang, Dwarf_Die *die, struct value *value)
{
	struct elements all = {};
	Dwarf_Die type = *die;
	Dwarf_Word align = 0;

	memset(value, 0, sizeof(*value));
	value->kind = VALUE_UNKNOWN;
	value->align = 8;
	value->sure = true;
	if (die_peel(&type) != 1)
		return;
	if (dwarf_tag(&type) == DW_TAG_pointer_type) {
		value->kind = VALUE_INTS;
		value->size = 8;
		return;
	}
	if (!die_size(&type, &value->size))
		return;
	value->aggregate = die_is_record(&type) || (value->size > 8 && die_is_bit_int(&type));

	find_elements(&type, &all, 0);
	if (all.unknown)
		return;
	/* Of the scalars, only a complex number has two elements */
	if (is_atomic_of_clang(die) && (value->aggregate || all.nr > 1)) {
		all.mixed = true;
		align = value->size > 8 ? 16 : 8;
	}
	if (all.nr && !all.mixed && all.nr <= MAX_ELEMENTS && all.nr * all.size == value->size) {
		if (all.hidden)
			return;
		value->kind = VALUE_VECTORS;
		value->vectors = all.nr;
		value->align = all.size > 8 ? 16 : 8;
		return;
	}

	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		classify_record(clang, &type, &all, value);
		break;
	case DW_TAG_base_type:
		value->kind = value->aggregate && value->size > 16 ? VALUE_REFERENCE :
			      value->size && !(value->size & (value->size - 1)) &&
			      value->size <= 16 ? VALUE_INTS : VALUE_UNKNOWN;
		value->align = value->size > 8 ? 16 : 8;
		break;
	case DW_TAG_enumeration_type:
		if (value->size && value->size <= 8)
			value->kind = VALUE_INTS;
		break;
	}
	/* The alignment of an _Atomic type itself counts for clang */
	if (value->align < align)
		value->align = align;
	if (value->align > 16)
		value->align = 16;
}

/*
 * Find out how a value of a type is returned.  A value that is returned in memory uses no
 * register of the parameters: X8 has its address at the entry, and no register has the address
 * at the return
 */
enum abi_return abi_return_arm64(struct abi_state *state, Dwarf_Die *type)
{
	struct value value;

	classify_value(state->clang, type, &value);
	if (value.kind != VALUE_INTS)
		return ABI_RETURN_UNKNOWN;
	return value.size <= 8 ? ABI_RETURN_ONE : ABI_RETURN_TWO;
}

/* Take words of the stack for a parameter; @word: the word in the DWARF, or -1 */
static void take_words(struct abi_state *state, const struct value *value,
		       unsigned int longs, int word, struct abi_place *place)
{
	int first = state->words;

	if (first % 2) {
		state->stack_lost |= !value->sure;
		state->words += value->align > 8;
	}
	/* The location tells where the parameter is, and so where the next one is */
	if (state->stack_lost && word >= first) {
		state->words = word;
		state->stack_lost = false;
	}
	place->word = state->words;
	state->words += longs;
	if (state->stack_lost || place->word + longs > NR_WORDS)
		place->reason = REASON_STACK;
	if (state->stack_lost)
		place->word = NR_WORDS;
}

/* Take registers or words for the integers of a parameter */
static void take_ints(struct abi_state *state, const struct value *value, int word,
		      struct abi_place *place)
{
	unsigned int i;

	place->ints = place->longs;
	if (!value->sure && state->ints % 2 && state->ints < NR_INTS) {
		state->lost = true;
		place->reason = REASON_TYPE;
		return;
	}
	if (value->align > 8) {
		state->ints += state->ints % 2;
		place->even = true;
	}
	if (state->ints + place->ints > NR_INTS) {
		state->ints = NR_INTS;
		place->ints = 0;
		place->memory = true;
		take_words(state, value, place->longs, word, place);
		return;
	}
	for (i = 0; i < place->ints; i++)
		place->slots[i] = 'a' + state->ints++;
}

/* Find the place of the next parameter */
void abi_next_arm64(struct abi_state *state, Dwarf_Die *type, int word,
		    struct abi_place *place)
{
	struct value value;

	memset(place, 0, sizeof(*place));
	memset(place->slots, '-', sizeof(place->slots));
	classify_value(state->clang, type, &value);
	place->longs = size_longs(value.size);
	place->aggregate = value.aggregate;
	if (value.kind == VALUE_UNKNOWN)
		state->lost = true;
	if (state->lost) {
		place->reason = REASON_TYPE;
		return;
	}

	switch (value.kind) {
	case VALUE_INTS:
		take_ints(state, &value, word, place);
		break;
	case VALUE_REFERENCE:
		place->reference = true;
		value.align = 8;
		if (state->ints == NR_INTS) {
			place->memory = true;
			take_words(state, &value, 1, word, place);
			break;
		}
		place->ints = 1;
		place->slots[0] = 'a' + state->ints++;
		break;
	case VALUE_VECTORS:
		if (state->sses + value.vectors <= NR_VECTORS) {
			state->sses += value.vectors;
			place->reason = REASON_FLOAT;
			break;
		}
		state->sses = NR_VECTORS;
		place->memory = true;
		take_words(state, &value, place->longs, word, place);
		break;
	default:
		break;
	}
}
