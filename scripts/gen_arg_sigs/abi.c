// SPDX-License-Identifier: GPL-2.0
/*
 * Where the x86-64 System V ABI passes a parameter
 *
 * Strategy: classify each eightbyte of a type as the psABI says in 3.2.3, then the type as a
 * whole.  Where gcc and clang differ, follow the compiler of the function.  Count the
 * registers and the stack words that the preceding parameters use.  A type is ABI_UNKNOWN if
 * its DWARF is not sufficient. This makes the places of all parameters after it unknown.
 */
#include <string.h>

#include "gen_arg_sigs.h"

/* How a value is passed according to the psABI, 3.2.3 */
enum abi_class {
	ABI_NO_CLASS,
	ABI_INTEGER,
	ABI_SSE,
	ABI_SSEUP,
	ABI_X87,
	ABI_X87UP,
	ABI_MEMORY,
	ABI_MAYBE_INTEGER,	/* if the DWARF leaves a part of the type open */
	ABI_MAYBE_MEMORY,
	ABI_UNKNOWN,
};

/* Maximum elements of an array that matter: more elements do not fit into 16 bytes */
#define MAX_ELEMENTS	16

/* The alignment of a scalar of @size bytes */
static Dwarf_Word scalar_align(Dwarf_Die *die, Dwarf_Word size)
{
	return size > 8 && die_is_bit_int(die) ? 8 : size;
}

static bool is_x87(enum abi_class class)
{
	return class == ABI_X87 || class == ABI_X87UP;
}

static enum abi_class merge(enum abi_class a, enum abi_class b)
{
	if (a == b || b == ABI_NO_CLASS)
		return a;
	if (a == ABI_NO_CLASS)
		return b;
	if (a == ABI_MEMORY || b == ABI_MEMORY)
		return ABI_MEMORY;
	if (a == ABI_MAYBE_MEMORY || b == ABI_MAYBE_MEMORY)
		return ABI_MAYBE_MEMORY;
	if (a == ABI_INTEGER || b == ABI_INTEGER)
		return ABI_INTEGER;
	if (a == ABI_MAYBE_INTEGER || b == ABI_MAYBE_INTEGER)
		return ABI_MAYBE_INTEGER;
	if (is_x87(a) || is_x87(b))
		return ABI_MEMORY;
	return ABI_SSE;
}

/*
 * The functions classify...() add the classes of a type at an offset. They return false if
 * the type is malformed, or if its DWARF is not sufficient.
 */
static bool classify(Dwarf_Die *die, Dwarf_Word offset, enum abi_class class[2],
		     unsigned int depth);

/* Classify a scalar of @size bytes that is aligned to @align */
static bool classify_scalar(enum abi_class c, Dwarf_Word offset, Dwarf_Word size,
			    Dwarf_Word align, enum abi_class class[2])
{
	Dwarf_Word i;

	if (!size || offset + size > 16)
		return false;
	/*
	 * A scalar that is not aligned is in memory, and the type that contains it, too
	 */
	if (offset % align)
		c = ABI_MEMORY;
	for (i = offset / 8; i <= (offset + size - 1) / 8; i++)
		class[i] = merge(class[i], c);
	return true;
}

/* Classify a scalar of 16 bytes whose halves have different classes */
static bool classify_pair(enum abi_class low, enum abi_class high,
			  Dwarf_Word offset, enum abi_class class[2])
{
	if (offset) {
		class[0] = ABI_MEMORY;
		return true;
	}
	class[0] = merge(class[0], low);
	class[1] = merge(class[1], high);
	return true;
}

static bool classify_base(Dwarf_Die *die, Dwarf_Word offset, enum abi_class class[2])
{
	const char *name = dwarf_diename(die);
	Dwarf_Word encoding, size;

	if (!die_udata(die, DW_AT_encoding, &encoding) ||
	    !die_udata(die, DW_AT_byte_size, &size))
		return false;

	switch (encoding) {
	case DW_ATE_float:
	case DW_ATE_decimal_float:
		/*
		 * Two types have 16 bytes: one is in the x87, one is in a vector
		 * register
		 */
		if (size <= 8)
			return classify_scalar(ABI_SSE, offset, size, size, class);
		if (size == 16 && name && !strcmp(name, "long double"))
			return classify_pair(ABI_X87, ABI_X87UP, offset, class);
		return size == 16 && classify_pair(ABI_SSE, ABI_SSEUP, offset, class);
	case DW_ATE_complex_float:
		if (size <= 16)
			return classify_scalar(ABI_SSE, offset, size, size / 2 ?: 1, class);
		class[0] = ABI_MEMORY;
		return true;
	case DW_ATE_address:
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		/* gcc passes some packed records with a _BitInt() in registers, others in memory */
		if (size & (size - 1) ||
		    (die_is_bit_int(die) && offset % scalar_align(die, size)))
			return false;
		return classify_scalar(ABI_INTEGER, offset, size, scalar_align(die, size), class);
	default:
		return false;
	}
}

static bool classify_array(Dwarf_Die *die, Dwarf_Word offset,
			   enum abi_class class[2], unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Word size, each;
	Dwarf_Die type;
	unsigned int i;
	bool vector;

	if (die_type(die, &type) != 1)
		return false;

	vector = dwarf_attr(die, DW_AT_GNU_vector, &attr);
	/* A flexible array member has no size and no class */
	if (!die_size(die, &size))
		return !vector;
	if (!size)
		return true;
	/* A vector's place depends on the compiler and on its options, as -mno-sse and -mavx */
	if (vector)
		return false;

	/* If the array has more than one dimension, walk over the innermost elements */
	if (!die_size(&type, &each))
		return false;
	for (i = 0; each && i < MAX_ELEMENTS && i * each < size; i++)
		if (!classify(&type, offset + i * each, class, depth))
			return false;
	return true;
}

static bool classify_bits(Dwarf_Die *member, Dwarf_Word offset,
			  Dwarf_Word location, enum abi_class class[2])
{
	Dwarf_Word bits, first, i;

	if (!die_bits(member, location, &first, &bits))
		return false;
	first += 8 * offset;
	if (bits && (first >= 128 || first + bits > 128))
		return false;
	for (i = first / 64; bits && i <= (first + bits - 1) / 64; i++)
		class[i] = merge(class[i], ABI_INTEGER);
	return true;
}

/*
 * The alignment of a type if no record is packed, 1 if the alignment is not known, 0 if a record
 * is a member of itself
 */
static Dwarf_Word natural_align(Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Word align = 1, each, size;
	Dwarf_Die type = *die, member, inner;
	int ret;

	if (depth > MAX_DEPTH)
		return 0;
	if (die_peel(&type) != 1)
		return 1;
	switch (dwarf_tag(&type)) {
	case DW_TAG_array_type:
		return die_type(&type, &inner) == 1 ? natural_align(&inner, depth + 1) : 1;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		if (die_udata(&type, DW_AT_alignment, &align) && !align)
			return 1;
		for (ret = die_child(&type, DW_TAG_member, &member); !ret;
		     ret = die_next(&member, DW_TAG_member)) {
			each = die_type(&member, &inner) == 1 ?
			       natural_align(&inner, depth + 1) : 1;
			if (!each)
				return 0;
			if (each > align)
				align = each;
		}
		return align;
	default:
		return die_size(&type, &size) && size && size <= 16 ?
		       scalar_align(&type, size) : 1;
	}
}

/*
 * Add what clang's DWARF leaves open about a member at byte @location of the value.  Returns
 * whether the type of the member does not decide its class.
 *
 * clang passes a record in memory if a member is not aligned, unless the member is a
 * bit-field.  A bit-field that is not marked is in registers.  A record as a member is
 * aligned as its members are, or not at all if it is packed, which the DWARF does not say.
 * The scalars in it are looked at as well.  Before clang 19, a typedef's own alignment may
 * count.  If a bit-field that is not marked may reach into the next eightbyte, this is an
 * integer.
 */
static bool doubt_member(Dwarf_Die *record, Dwarf_Die *member, Dwarf_Die *type,
			 Dwarf_Word location, enum abi_class class[2])
{
	Dwarf_Word align = natural_align(type, 0) ?: 1, own = 1, size;
	unsigned int clang = clang_version(member);
	bool aligned;

	if (!clang)
		return false;
	die_udata(member, DW_AT_alignment, &own);
	aligned = !(location % align) && own && !(location % own);
	if (!aligned)
		class[0] = merge(class[0], ABI_MAYBE_MEMORY);
	if (die_size(type, &size) && location + size == 8 && !die_is_placed(record, member))
		class[1] = merge(class[1], ABI_MAYBE_INTEGER);
	return !aligned && (die_may_be_bits(member) || (own > 1 && clang < CLANG_MARKS_WIDE));
}

static bool classify_members(Dwarf_Die *die, Dwarf_Word offset,
			     enum abi_class class[2], unsigned int depth)
{
	Dwarf_Die member;
	Dwarf_Word size;
	int ret;

	/* gcc describes a typedef of a transparent union without its members */
	if (dwarf_tag(die) == DW_TAG_union_type && dwarf_child(die, &member) == 1 &&
	    die_size(die, &size) && size == 8)
		return classify_scalar(ABI_INTEGER, offset, size, size, class);

	for (ret = die_child(die, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member)) {
		Dwarf_Word location = 0;
		Dwarf_Attribute attr;
		Dwarf_Die type;

		if (dwarf_attr(&member, DW_AT_data_member_location, &attr) &&
		    dwarf_formudata(&attr, &location))
			return false;
		/* clang describes an _Atomic member that is larger than its type as a bit-field */
		if (die_type(&member, &type) == 1 && clang_version(&member) && die_is_atomic(&type))
			return false;
		if (dwarf_attr(&member, DW_AT_bit_size, &attr)) {
			if (!classify_bits(&member, offset, location, class))
				return false;
			continue;
		}
		if (die_type(&member, &type) != 1)
			return false;
		if (!doubt_member(die, &member, &type, offset + location, class) &&
		    !classify(&type, offset + location, class, depth))
			return false;
	}
	return ret > 0;
}

static bool classify(Dwarf_Die *die, Dwarf_Word offset, enum abi_class class[2],
		     unsigned int depth)
{
	Dwarf_Die type = *die;
	Dwarf_Attribute attr;
	Dwarf_Word size;

	if (depth > MAX_DEPTH || die_peel(&type) != 1)
		return false;
	/* clang passes a record with an _Atomic member or element in memory */
	if (depth && die_is_atomic(die) && clang_version(die))
		return false;

	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		return classify_base(&type, offset, class);
	case DW_TAG_pointer_type:
		return classify_scalar(ABI_INTEGER, offset, 8, 8, class);
	case DW_TAG_enumeration_type:
		return die_size(&type, &size) && size <= 8 &&
		       classify_scalar(ABI_INTEGER, offset, size, size, class);
	case DW_TAG_array_type:
		return classify_array(&type, offset, class, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return !dwarf_attr(&type, DW_AT_declaration, &attr) &&
		       classify_members(&type, offset, class, depth + 1);
	default:
		return false;
	}
}

/*
 * Whether a record has an array without a length, or a member with such a record. clang
 * looks for RecordDecl::hasFlexibleArrayMember() in the record and in the records of its
 * members at any place, also in a union or an array.
 */
static bool is_flexible(Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die member, type;
	Dwarf_Word size;
	int ret;

	if (depth > MAX_DEPTH)
		return false;
	if (dwarf_tag(die) == DW_TAG_array_type)
		return !die_size(die, &size) ||
		       (die_type(die, &type) == 1 && die_peel(&type) == 1 &&
			is_flexible(&type, depth + 1));
	if (!die_is_record(die))
		return false;

	for (ret = die_child(die, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member))
		if (die_type(&member, &type) == 1 && die_peel(&type) == 1 &&
		    is_flexible(&type, depth + 1))
			return true;
	return false;
}

/* Whether a type is a vector of more than 16 bytes, or a record with such a vector */
static bool has_wide_vector(Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die member, type = *die;
	Dwarf_Word size;
	int ret;

	if (depth > MAX_DEPTH || die_peel(&type) != 1)
		return false;
	if (dwarf_tag(&type) == DW_TAG_array_type)
		return dwarf_hasattr(&type, DW_AT_GNU_vector) ?
		       !die_size(&type, &size) || size > 16 :
		       die_type(&type, &member) == 1 && has_wide_vector(&member, depth + 1);
	if (!die_is_record(&type))
		return false;
	for (ret = die_child(&type, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member))
		if (die_type(&member, &type) == 1 && has_wide_vector(&type, depth + 1))
			return true;
	return false;
}

/*
 * The bytes that a type certainly fills without a bit-field, one bit for each byte. Any byte of
 * a union may be that of a bit-field.
 */
static unsigned int filled_bytes(Dwarf_Die *die, Dwarf_Word offset, unsigned int depth)
{
	Dwarf_Word size, location, each;
	Dwarf_Die type = *die, inner, each_type;
	unsigned int bytes = 0;
	int ret;

	if (depth > MAX_DEPTH || die_peel(&type) != 1 || !die_size(&type, &size) ||
	    !size || offset + size > 16 || dwarf_tag(&type) == DW_TAG_union_type)
		return 0;
	if (dwarf_tag(&type) == DW_TAG_array_type && !dwarf_hasattr(&type, DW_AT_GNU_vector)) {
		if (die_type(&type, &inner) != 1 || !die_size(&inner, &each) || !each)
			return 0;
		for (location = 0; location < size; location += each)
			bytes |= filled_bytes(&inner, offset + location, depth + 1);
		return bytes;
	}
	if (dwarf_tag(&type) != DW_TAG_structure_type)
		return ((1u << size) - 1) << offset;
	for (ret = die_child(&type, DW_TAG_member, &inner); !ret;
	     ret = die_next(&inner, DW_TAG_member)) {
		location = 0;
		die_udata(&inner, DW_AT_data_member_location, &location);
		if (!dwarf_hasattr(&inner, DW_AT_bit_size) && location < 16 &&
		    die_type(&inner, &each_type) == 1)
			bytes |= filled_bytes(&each_type, offset + location, depth + 1);
	}
	return bytes;
}

/*
 * An eightbyte without a class is padding, or has bit-fields without a name. Such
 * bit-fields are not in the DWARF; gcc passes these bit-fields, and clang does not.  Beside a
 * floating-point number, such a bit-field makes an integer of the eightbyte.
 */
static bool has_hidden_bits(Dwarf_Die *die, Dwarf_Word size,
			    const enum abi_class class[2])
{
	unsigned int open = ~filled_bytes(die, 0, 0) & ((1u << size) - 1);
	Dwarf_Word align;

	if ((class[0] == ABI_SSE && open & 0xff) || (class[1] == ABI_SSE && open & 0xff00))
		return true;
	/* An alignment of 16 explains the padding */
	if (die_udata(die, DW_AT_alignment, &align) && align >= 16 && size == 16 &&
	    class[0] != ABI_NO_CLASS)
		return false;
	return class[0] == ABI_NO_CLASS || (size > 8 && class[1] == ABI_NO_CLASS);
}

/* Set class[0] to the class of the whole value, from the classes of the eightbytes */
static void classify_whole(enum abi_class class[2])
{
	if (class[0] == ABI_MEMORY || class[1] == ABI_MEMORY)
		class[0] = ABI_MEMORY;
	else if (class[0] == ABI_MAYBE_MEMORY || class[1] == ABI_MAYBE_MEMORY ||
		 class[1] == ABI_MAYBE_INTEGER)
		class[0] = ABI_UNKNOWN;
	else if (class[1] == ABI_X87UP && class[0] != ABI_X87)
		class[0] = ABI_MEMORY;
	else if (class[1] == ABI_SSEUP && class[0] != ABI_SSE)
		class[1] = ABI_SSE;
}

/*
 * Whether clang passes a value in memory because its type is _Atomic. A scalar in one piece
 * stays in its register.
 */
static bool is_atomic_whole(Dwarf_Die *die, Dwarf_Die *type, bool aggregate)
{
	return die_is_atomic(die) && (aggregate || die_is_complex(type));
}

/*
 * Classify a whole value of a type. @clang: version of clang, 0 for gcc. @class[0] is the
 * class of the whole value if it is ABI_MEMORY, ABI_X87 or ABI_UNKNOWN. ABI_UNKNOWN means
 * that the type is malformed, that its DWARF is not sufficient, or that compilers disagree
 * about the type.
 */
static void abi_classify(unsigned int clang, Dwarf_Die *die, Dwarf_Word *size,
			 bool *aggregate, enum abi_class class[2])
{
	Dwarf_Die type = *die;
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	bool good;
	int tag;

	class[0] = ABI_UNKNOWN;
	class[1] = ABI_NO_CLASS;
	*aggregate = false;
	*size = 0;
	if (die_peel(&type) != 1)
		return;

	tag = dwarf_tag(&type);
	if (tag == DW_TAG_pointer_type) {
		*size = 8;
		class[0] = ABI_INTEGER;
		return;
	}
	if (!die_size(&type, size) || dwarf_attr(&type, DW_AT_declaration, &attr))
		return;

	class[0] = ABI_NO_CLASS;
	*aggregate = die_is_record(&type) || (*size > 8 && die_is_bit_int(&type));
	if (*aggregate && !*size)
		return;
	if (*size > 16) {
		/* With -mavx, a wide vector is in one register, with or without a record */
		if (*aggregate && (*size > 64 || !has_wide_vector(&type, 0)))
			class[0] = ABI_MEMORY;
		else if (tag == DW_TAG_base_type && *size == 32 &&
			 die_udata(&type, DW_AT_encoding, &encoding) &&
			 encoding == DW_ATE_complex_float)
			class[0] = ABI_X87;
		else
			class[0] = ABI_UNKNOWN;
		return;
	}

	if (clang && is_atomic_whole(die, &type, *aggregate)) {
		class[0] = ABI_UNKNOWN;
		return;
	}

	/*
	 * clang passes the record in memory. gcc passes it as a record without the
	 * array.
	 */
	if (*aggregate && clang && is_flexible(&type, 0)) {
		class[0] = ABI_MEMORY;
		return;
	}

	good = classify(&type, 0, class, 0);
	classify_whole(class);
	if (!good || (class[0] != ABI_MEMORY && !clang && has_hidden_bits(&type, *size, class)))
		class[0] = ABI_UNKNOWN;
}

#define NR_INTS		6
#define NR_SSES		8

/* The first clang that keeps an __int128 in one piece, and aligns it */
#define CLANG_WHOLE_INT128	18

/*
 * The first clang that leaves the last register to another parameter if an __int128
 * does not fit
 */
#define CLANG_LAST_REGISTER	20

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
 * Find out how a value of a type is returned. If it is returned in memory, the first register
 * has its address
 */
enum abi_return abi_return_x86(struct abi_state *state, Dwarf_Die *type)
{
	enum abi_class class[2];
	bool aggregate;
	Dwarf_Word size;

	abi_classify(state->clang, type, &size, &aggregate, class);
	switch (class[0]) {
	case ABI_UNKNOWN:
		state->lost = true;
		return ABI_RETURN_UNKNOWN;
	case ABI_MEMORY:
		state->ints = 1;
		return ABI_RETURN_MEMORY;
	case ABI_INTEGER:
		if (size <= 8)
			return ABI_RETURN_ONE;
		if (class[1] == ABI_INTEGER)
			return ABI_RETURN_TWO;
		return ABI_RETURN_UNKNOWN;
	default:
		return ABI_RETURN_UNKNOWN;
	}
}

/* Find the place of the next parameter */
void abi_next_x86(struct abi_state *state, Dwarf_Die *type, int word,
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
	    !place->aggregate && state->ints == NR_INTS - 1) {
		state->split = true;
		state->ints++;
		if (state->clang >= CLANG_WHOLE_INT128) {
			take_stack(state, type, word, place);
			return;
		}
		place->slots[0] = 'a' + NR_INTS - 1;
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
	if (state->ints + place->ints > NR_INTS || state->sses + sses > NR_SSES) {
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
