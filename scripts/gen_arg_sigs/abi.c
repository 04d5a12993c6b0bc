// SPDX-License-Identifier: GPL-2.0
/*
 * Where the x86-64 System V ABI passes a parameter
 *
 * Strategy: take the classes of a parameter's type from abi_class.c, and count the
 * registers and the stack words that the preceding parameters use.  A type that
 * cannot be classified makes the places of all parameters after it unknown.
 */
#include <string.h>

#include "gen_arg_sigs.h"

#define NR_SSES		8

/* The first clang that keeps an __int128 in one piece, and aligns it */
#define CLANG_WHOLE_INT128	18

/*
 * The first clang that leaves the last register to another parameter if an __int128
 * does not fit
 */
#define CLANG_LAST_REGISTER	20

static unsigned int size_longs(Dwarf_Word size)
{
	if (size > 8 * 65535)
		return 65535;
	return size ? (size + 7) / 8 : 1;
}

/* How many longs a value of a type has */
unsigned int abi_longs(Dwarf_Die *type)
{
	Dwarf_Word size;

	return die_size(type, &size) ? size_longs(size) : 1;
}

/* Whether a record has room between its members; a packed record has none */
static bool has_padding(Dwarf_Die *die)
{
	Dwarf_Word location, size, end = 0;
	Dwarf_Die member, type;
	int ret;

	for (ret = dwarf_child(die, &member); !ret;
	     ret = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		location = 0;
		if (dwarf_hasattr(&member, DW_AT_bit_size) ||
		    dwarf_hasattr(&member, DW_AT_alignment) ||
		    (dwarf_hasattr(&member, DW_AT_data_member_location) &&
		     !die_udata(&member, DW_AT_data_member_location, &location)) ||
		    die_type(&member, &type) != 1 || !die_size(&type, &size))
			return false;
		if (location > end)
			return true;
		if (location + size > end)
			end = location + size;
	}
	return die_size(die, &size) && size > end;
}

/* How a parameter's type is aligned, as far as DWARF tells */
struct alignment {
	bool clang;
	bool sure;
};

static Dwarf_Word type_align(Dwarf_Die *die, struct alignment *how, unsigned int depth);

/* The alignment of a member, 0 if it cannot be known */
static Dwarf_Word member_align(Dwarf_Die *record, Dwarf_Die *member,
			       struct alignment *how, unsigned int depth)
{
	Dwarf_Word align = 8, own = 0, location = 0;
	Dwarf_Die type;

	/*
	 * gcc's attribute always holds. clang's attribute may repeat the attribute
	 * of the type.
	 */
	if (die_udata(member, DW_AT_alignment, &own) && !how->clang)
		return own;
	if (die_type(member, &type) == 1)
		align = type_align(&type, how, depth + 1);
	if (!align)
		return 0;
	if (own > align)
		align = own;
	if (align > 8 && !has_padding(record))
		how->sure = false;
	/* The record is packed */
	if (die_udata(member, DW_AT_data_member_location, &location) && location % align)
		return 8;
	return align;
}

static Dwarf_Word members_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align = 8, each;
	Dwarf_Die member;
	int ret;

	for (ret = dwarf_child(die, &member); !ret;
	     ret = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
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
 * The alignment of a type, 8 or more.  A packed record is aligned less than its
 * members, and DWARF does not say that a record is packed: @how->sure is false if
 * the record may be packed.  Returns 0 if a type contains itself, which ends the
 * recursion.
 */
static Dwarf_Word type_align(Dwarf_Die *die, struct alignment *how, unsigned int depth)
{
	Dwarf_Word align, size;
	Dwarf_Die type = *die;

	for (; depth < MAX_DEPTH; depth++) {
		if (dwarf_tag(&type) == DW_TAG_structure_type ||
		    dwarf_tag(&type) == DW_TAG_union_type)
			return record_align(&type, how, depth);
		if (die_udata(&type, DW_AT_alignment, &align))
			return align > 8 ? align : 8;
		switch (dwarf_tag(&type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_array_type:
			/* A vector is aligned to its size */
			if (dwarf_hasattr(&type, DW_AT_GNU_vector))
				return die_size(&type, &size) && size > 8 ? size : 8;
			if (die_type(&type, &type) != 1)
				return 8;
			continue;
		case DW_TAG_base_type:
			return die_size(&type, &size) && size > 8 &&
			       !die_is_bit_int(&type) ? 16 : 8;
		default:
			return 8;
		}
	}
	return 0;
}

/* Take words of the stack for a parameter; @word: the word in the DWARF, or -1 */
static void take_stack(struct abi_state *state, Dwarf_Die *die, int word,
		       struct abi_place *place)
{
	Dwarf_Die type = *die;
	struct alignment how = { .clang = state->clang, .sure = true };
	unsigned int words;
	Dwarf_Word align;

	place->memory = true;
	/* Neither compiler looks at the alignment of a typedef here */
	if (die_peel(&type) != 1)
		state->stack_lost = true;
	align = type_align(&type, &how, 0);
	if (state->clang && !place->aggregate && place->ints == 2 &&
	    state->clang < CLANG_WHOLE_INT128)
		align = 8;
	if (!align || align & (align - 1) || align > 4096) {
		state->stack_lost = true;
		align = 8;
	}

	words = (state->words + align / 8 - 1) & -(align / 8);
	if (word >= 0) {
		state->stack_lost = (unsigned int)word < state->words;
		words = word;
	} else if (!how.sure && words != state->words) {
		state->stack_lost = true;
	}
	place->ints = 0;
	place->word = words;
	state->words = words + place->longs;
	if (state->stack_lost || place->word + place->longs > NR_WORDS)
		place->reason = REASON_STACK;
	if (state->stack_lost)
		place->word = NR_WORDS;
}

/* Take one word of the stack for one eightbyte */
static void take_word(struct abi_state *state, struct abi_place *place, unsigned int nr)
{
	if (state->stack_lost || state->words >= NR_WORDS)
		place->reason = REASON_STACK;
	else
		place->slots[nr] = 'A' + state->words;
	state->words++;
}

/*
 * Start placing a function's parameters. @clang: version of the clang that compiled the
 * function, 0 for gcc. @ret: type that the function returns, NULL for void. @state: set to
 * the registers that are used. If a value is returned in memory, the first register has its
 * address. Returns how the value is returned.
 */
enum abi_return abi_begin(struct abi_state *state, Dwarf_Die *ret,
			  unsigned int clang)
{
	enum abi_class class[2];
	bool aggregate;
	Dwarf_Word size;
	Dwarf_Die type;

	memset(state, 0, sizeof(*state));
	state->clang = clang;
	if (!ret)
		return ABI_RETURN_RAX;

	type = *ret;
	if (!die_peel(&type))
		return ABI_RETURN_RAX;
	abi_classify(clang, &type, &size, &aggregate, class);
	switch (class[0]) {
	case ABI_UNKNOWN:
		state->lost = true;
		return ABI_RETURN_UNKNOWN;
	case ABI_MEMORY:
		state->ints = 1;
		return ABI_RETURN_MEMORY;
	case ABI_INTEGER:
		if (size <= 8)
			return ABI_RETURN_RAX;
		if (class[1] == ABI_INTEGER)
			return ABI_RETURN_RAX_RDX;
		return ABI_RETURN_UNKNOWN;
	default:
		return ABI_RETURN_UNKNOWN;
	}
}

/* Find the place of the next parameter */
void abi_next(struct abi_state *state, Dwarf_Die *type, int word,
	      struct abi_place *place)
{
	unsigned int sses = 0, i;
	enum abi_class class[2];
	Dwarf_Word size;

	memset(place, 0, sizeof(*place));
	memset(place->slots, '-', sizeof(place->slots));
	abi_classify(state->clang, type, &size, &place->aggregate, class);
	place->longs = size_longs(size);

	if (state->lost || class[0] == ABI_UNKNOWN) {
		state->lost = true;
		place->reason = REASON_TYPE;
		return;
	}
	if (class[0] == ABI_MEMORY || class[0] == ABI_X87) {
		take_stack(state, type, word, place);
		return;
	}

	for (i = 0; i < 2; i++) {
		place->ints += class[i] == ABI_INTEGER;
		sses += class[i] == ABI_SSE;
	}

	/*
	 * A value is in registers as a whole or not at all. clang splits __int128 or
	 * loses a register.
	 */
	if (state->clang && state->clang < CLANG_LAST_REGISTER && place->ints == 2 &&
	    !place->aggregate && state->ints == NR_ARG_REGS - 1) {
		state->split = true;
		state->ints++;
		if (state->clang >= CLANG_WHOLE_INT128) {
			take_stack(state, type, word, place);
			return;
		}
		place->slots[0] = 'a' + NR_ARG_REGS - 1;
		take_word(state, place, 1);
		return;
	}
	/*
	 * The __int128 has taken the register that clang's front end gives to
	 * another parameter
	 */
	if (state->split && place->ints == 1 && !place->aggregate)
		state->split = false;
	if (state->split && place->aggregate && place->ints == 1 &&
	    state->sses + sses <= NR_SSES) {
		state->split = false;
		take_word(state, place, class[0] != ABI_INTEGER);
		state->sses += sses;
		if (sses)
			place->reason = REASON_FLOAT;
		return;
	}
	if (state->ints + place->ints > NR_ARG_REGS || state->sses + sses > NR_SSES) {
		take_stack(state, type, word, place);
		return;
	}
	for (i = 0; i < 2; i++)
		if (class[i] == ABI_INTEGER)
			place->slots[i] = 'a' + state->ints++;
	state->sses += sses;
	if (sses)
		place->reason = REASON_FLOAT;
}

/* The letter of the slot of one of a parameter's longs, '-' if the long has no slot */
char abi_slot(const struct abi_place *place, unsigned int nr)
{
	if (!place->memory)
		return nr < ARRAY_SIZE(place->slots) ? place->slots[nr] : '-';
	return place->word + nr < NR_WORDS ? 'A' + place->word + nr : '-';
}

/* Convert DWARF's number to an argument register. Returns 0 to 5, or -1 for other registers. */
int abi_arg_reg(unsigned int reg)
{
	static const unsigned int regs[NR_ARG_REGS] = { 5, 4, 1, 2, 8, 9 };
	int i;

	for (i = 0; i < NR_ARG_REGS; i++)
		if (regs[i] == reg)
			return i;
	return -1;
}
