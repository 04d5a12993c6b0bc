// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to the text of types
 *
 * Strategy: follow a type's DIEs with the grammar of
 * Documentation/trace/arg-sigs-format.rst.  Follow only types that signatures need,
 * and keep the text of each type by the offset of its DIE.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* Maximum length of the text of one type */
#define MAX_TYPE	(16 * 1024)

/* The part of a type that is written to a signature */
enum mode {
	BY_VALUE,	/* everything that rendering needs */
	BEHIND_TYPEDEF,	/* BY_VALUE without the names that only readers need */
	IN_RECORD,	/* BEHIND_TYPEDEF with the typedefs that rendering needs */
	BEHIND_POINTER,	/* names only */
	NR_MODES,
};

/*
 * Maximum members of a record, including nested members. Compilers do not emit more.
 */
#define MAX_MEMBERS	10000

static void type_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		      enum mode mode, unsigned int depth);

/* The text of a type that has been written, by the offset of its DIE and the mode */
struct memo {
	__u64 key;
	const char *text;
};

static int compare_memos(const void *a, const void *b)
{
	const struct memo *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Find the letter of a basic type. Returns 0 if the grammar has no letter for it. */
char basic_type_letter(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die) ?: "";
	Dwarf_Word encoding, size;
	bool is_signed = false;

	if (!die_udata(die, DW_AT_encoding, &encoding) ||
	    !die_udata(die, DW_AT_byte_size, &size) ||
	    strstr(name, "BitInt") || strstr(name, "ExtInt"))
		return 0;

	switch (encoding) {
	case DW_ATE_boolean:
		return size == 1 ? 'b' : 0;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		if (size != 1)
			return 0;
		/* char differs from signed char and unsigned char */
		if (!strcmp(name, "char"))
			return 'c';
		return encoding == DW_ATE_signed_char ? 'a' : 'h';
	case DW_ATE_signed:
		is_signed = true;
		fallthrough;
	case DW_ATE_unsigned:
		switch (size) {
		case 1:
			return is_signed ? 'a' : 'h';
		case 2:
			return is_signed ? 's' : 't';
		case 4:
			return is_signed ? 'i' : 'j';
		case 8:
			if (strstr(name, "long long"))
				return is_signed ? 'x' : 'y';
			return is_signed ? 'l' : 'm';
		case 16:
			return is_signed ? 'n' : 'o';
		}
		return 0;
	case DW_ATE_float:
		if (!strcmp(name, "float"))
			return 'f';
		if (!strcmp(name, "double"))
			return 'd';
		return strcmp(name, "long double") ? 0 : 'e';
	}
	return 0;
}

/* Add a hash of a text, 48 bits in 8 characters: FNV-1a of 64 bits, folded */
static void add_id(struct text *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	__u64 hash = 0xcbf29ce484222325ull;
	char id[ARG_SIGS_ID_LEN + 1] = "";
	unsigned int i;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	hash = (hash >> 48) ^ (hash & 0xffffffffffffull);
	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		id[i] = digits[hash >> (6 * i) & 63];
	text_add(out, id);
}

/*
 * Store a description, and add a reference by its id. @sigs: stores the description; its
 * @malformed is set if there is no memory for the text.
 */
void sigs_add_description(struct sigs *sigs, struct text *out,
			  const struct text *description)
{
	struct text whole = {};

	if (description->failed) {
		SET_MALFORMED(sigs);
		return;
	}
	add_id(&whole, description->buf);
	text_add(out, whole.buf);
	text_add(&whole, description->buf);
	pool_add(&sigs->types, whole.buf);
	free(whole.buf);
}

/* The letter of the type that stores an enum */
static char enum_letter(Dwarf_Die *die, bool negative)
{
	static const char unsigneds[] = { [1] = 'h', [2] = 't', [4] = 'j', [8] = 'm' };
	static const char signeds[] = { [1] = 'a', [2] = 's', [4] = 'i', [8] = 'l' };
	Dwarf_Word size;
	Dwarf_Die type;
	char c = 0;

	if (die_type(die, &type) == 1 && die_peel(&type) == 1)
		c = basic_type_letter(&type);
	if (c)
		return c;
	if (!die_udata(die, DW_AT_byte_size, &size) ||
	    size >= sizeof(signeds) || !signeds[size])
		size = 4;
	return negative ? signeds[size] : unsigneds[size];
}

/*
 * Add an enumerator to a description. @next: the value that the enumerator has without an
 * own value; set to the value for the next enumerator.
 */
void text_add_enumerator(struct text *out, const char *name, __s64 value, __s64 *next)
{
	text_add_name(out, name);
	/* The ';' of text_add_name() ends an enumerator, and belongs after the value */
	if (value != *next && !out->failed) {
		out->buf[--out->len] = '\0';
		text_addf(out, "=%s%llx;", value < 0 ? "-" : "",
			  value < 0 ? -(unsigned long long)value :
				      (unsigned long long)value);
	}
	*next = (__s64)((__u64)value + 1);
}

static void enum_text(struct sigs *sigs, struct text *out, Dwarf_Die *die)
{
	bool bits = true, zero = false, above = false, negative = false;
	struct text list = {}, description = {};
	__s64 value, next = 0;
	char letter[2] = "";
	Dwarf_Die child;
	int ret;

	text_reset(&list);
	for (ret = die_child(die, DW_TAG_enumerator, &child); !ret;
	     ret = die_next(&child, DW_TAG_enumerator)) {
		if (!die_constant(&child, &value)) {
			ret = -1;
			break;
		}

		text_add_enumerator(&list, dwarf_diename(&child), value, &next);
		zero |= !value;
		above |= (__u64)value > 2;
		negative |= value < 0;
		bits &= !((__u64)value & ((__u64)value - 1));
	}
	if (ret < 0)
		SET_MALFORMED(sigs);

	letter[0] = enum_letter(die, negative);
	/* The highest bit of an unsigned type is not a sign */
	bits &= !negative || strchr("htjmoy", letter[0]);
	text_add(&description, list.len && bits && (!zero || above) ? "b" : "e");
	text_add(&description, letter);
	text_add_name(&description, dwarf_diename(die));
	text_add(&description, list.buf);
	description.failed |= list.failed;

	text_add(out, "E");
	text_add(out, letter);
	sigs_add_description(sigs, out, &description);
	free(list.buf);
	free(description.buf);
}

/*
 * A record while its text is written. A record without a name is part of the outer
 * record.
 */
struct record {
	struct text *out;
	unsigned int nr;	/* members so far */
};

static void members_text(struct sigs *sigs, struct record *record, Dwarf_Die *die,
			 Dwarf_Word base, unsigned int depth);

/* Write a member that has a name */
static bool named_text(struct sigs *sigs, struct record *record, Dwarf_Die *die,
		       Dwarf_Die *member, Dwarf_Word base, Dwarf_Word location,
		       unsigned int depth)
{
	Dwarf_Word first, bits, size;
	struct text *out = record->out;
	Dwarf_Die type, peeled;

	if (die_type(member, &type) != 1)
		return false;
	peeled = type;
	if (die_peel(&peeled) != 1)
		return false;

	if (dwarf_hasattr(member, DW_AT_bit_size)) {
		if (!die_bits(member, location, &first, &bits))
			return false;
		text_addf(out, "%llu:%llu", (unsigned long long)(8 * base + first),
			  (unsigned long long)bits);
	} else {
		/* A flexible array member has no value */
		if (dwarf_tag(&peeled) == DW_TAG_array_type &&
		    (!die_size(&peeled, &size) || !size))
			return true;
		text_addf(out, "%llu", (unsigned long long)(base + location));
	}

	if (die_is_placed(die, member))
		type_text(sigs, out, &type, IN_RECORD, depth + 1);
	else
		text_add(out, "X;1;");
	text_add_name(out, dwarf_diename(member));
	return true;
}

/* Write one member, or the members of a member without a name */
static bool member_text(struct sigs *sigs, struct record *record, Dwarf_Die *die,
			Dwarf_Die *member, Dwarf_Word base, unsigned int depth)
{
	Dwarf_Word location = 0;
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (++record->nr > MAX_MEMBERS)
		return false;
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) &&
	    (dwarf_formudata(&attr, &location) || location > UINT32_MAX))
		return false;
	if (dwarf_diename(member))
		return named_text(sigs, record, die, member, base, location, depth);

	if (die_type(member, &type) != 1 || die_peel(&type) != 1)
		return false;
	/* A member without a name that is not a record is padding */
	if (die_is_record(&type))
		members_text(sigs, record, &type, base + location, depth + 1);
	return true;
}

static void members_text(struct sigs *sigs, struct record *record, Dwarf_Die *die,
			 Dwarf_Word base, unsigned int depth)
{
	Dwarf_Die member;
	int ret;

	if (depth > MAX_DEPTH || sigs->malformed) {
		SET_MALFORMED(sigs);
		return;
	}
	for (ret = die_child(die, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member)) {
		if (!member_text(sigs, record, die, &member, base, depth)) {
			ret = -1;
			break;
		}
	}
	if (ret < 0)
		SET_MALFORMED(sigs);
}

static void record_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
			enum mode mode, unsigned int depth)
{
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	struct text description = {};
	struct record record = { .out = &description };
	Dwarf_Word size;

	if (mode == BEHIND_POINTER) {
		text_add(out, is_union ? "U" : "S");
		text_add_name(out, dwarf_diename(die));
		return;
	}

	if (dwarf_hasattr(die, DW_AT_declaration) ||
	    !die_udata(die, DW_AT_byte_size, &size)) {
		/* Only the tag is known */
		text_add(out, is_union ? "Xunion " : "Xstruct ");
		text_add_name(out, dwarf_diename(die));
		text_add(out, "1;");
		return;
	}

	text_addf(&description, "%s%llu;", is_union ? "u" : "s",
		  (unsigned long long)size);
	text_add_name(&description, dwarf_diename(die));
	members_text(sigs, &record, die, 0, depth);
	text_add(out, "R");
	sigs_add_description(sigs, out, &description);
	text_addf(out, "%u;", abi_longs(die));
	free(description.buf);
}

static void array_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		       enum mode mode, unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die child, type;
	unsigned int nr = 0;
	int ret;

	if (dwarf_attr(die, DW_AT_GNU_vector, &attr)) {
		text_addf(out, "Xvector;%u;", abi_longs(die));
		return;
	}

	for (ret = die_child(die, DW_TAG_subrange_type, &child); !ret;
	     ret = die_next(&child, DW_TAG_subrange_type)) {
		Dwarf_Word count;

		nr++;
		if (die_count(&child, &count))
			text_addf(out, "A%llu_", (unsigned long long)count);
		else
			text_add(out, "A_");
	}
	if (!nr)
		text_add(out, "A_");

	ret = die_type(die, &type);
	if (ret < 0)
		SET_MALFORMED(sigs);
	type_text(sigs, out, ret == 1 ? &type : NULL,
		  mode == IN_RECORD ? mode : BEHIND_POINTER, depth + 1);
}

static void function_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
			  enum mode mode, unsigned int depth)
{
	Dwarf_Attribute attr;
	bool varargs = false;
	Dwarf_Die child, type;
	int ret;

	if (mode == BEHIND_TYPEDEF || mode == IN_RECORD) {
		text_add(out, "Fv_");
		return;
	}

	text_add(out, "F");
	ret = die_type(die, &type);
	if (ret < 0)
		SET_MALFORMED(sigs);
	type_text(sigs, out, ret == 1 ? &type : NULL, BEHIND_POINTER, depth + 1);

	for (ret = dwarf_child(die, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (die_type(&child, &type) != 1)
				SET_MALFORMED(sigs);
			else
				type_text(sigs, out, &type, BEHIND_POINTER, depth + 1);
			break;
		case DW_TAG_unspecified_parameters:
			varargs = true;
			break;
		}
	}
	if (ret < 0)
		SET_MALFORMED(sigs);
	text_add(out, varargs || !dwarf_attr(die, DW_AT_prototyped, &attr) ? "z_" : "_");
}

/*
 * Find out whether the target of a pointer can be recorded. @is_const: set if the target is
 * const. Numbers, bools and enums can be recorded. A char is text, which has rules of its
 * own. The target of a typedef of a pointer is not looked at. Returns the size of the target
 * in bytes, 0 if it cannot be recorded.
 */
unsigned int sigs_read_size(const Dwarf_Die *pointer, bool *is_const)
{
	Dwarf_Die die = *pointer;
	Dwarf_Word size;
	char letter;

	if (!die_skip_qualifiers(&die) || dwarf_tag(&die) != DW_TAG_pointer_type ||
	    die_type(&die, &die) != 1)
		return 0;
	*is_const = die_is_const(&die);
	if (die_peel(&die) != 1)
		return 0;
	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		letter = basic_type_letter(&die);
		if (!letter || !strchr("abhijlmstxy", letter))
			return 0;
		break;
	case DW_TAG_enumeration_type:
		if (dwarf_hasattr(&die, DW_AT_declaration))
			return 0;
		break;
	default:
		return 0;
	}
	if (!die_udata(&die, DW_AT_byte_size, &size) ||
	    (size != 1 && size != 2 && size != 4 && size != 8))
		return 0;
	return size;
}

/*
 * In a typedef or a record, only pointers to text and to code need a type of their own
 */
static void hidden_pointer_text(struct text *out, Dwarf_Die *type, bool is_void)
{
	bool is_const = false;
	Dwarf_Die die = *type;
	unsigned int depth;
	Dwarf_Die next;

	for (depth = 0; !is_void && depth < MAX_DEPTH; depth++) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_const_type:
			is_const = true;
			fallthrough;
		case DW_TAG_volatile_type:
			is_void = die_type(&die, &next) != 1;
			die = next;
			continue;
		case DW_TAG_base_type:
			if (basic_type_letter(&die) == 'c') {
				text_add(out, is_const ? "PKc" : "Pc");
				return;
			}
			break;
		}
		break;
	}
	if (!is_void && die_peel(&die) == 1 && dwarf_tag(&die) == DW_TAG_subroutine_type)
		text_add(out, "PFv_");
	else
		text_add(out, "Pv");
}

static void typedef_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
			 enum mode mode, unsigned int depth)
{
	/* The letters name types. The reader of a signature decides how to write the value. */
	static const struct {
		const char *name;
		const char *letter;
	} names[] = {
		{ "size_t",	"D" },
		{ "ssize_t",	"D" },
		{ "loff_t",	"D" },
		{ "pid_t",	"D" },
		{ "uid_t",	"D" },
		{ "gid_t",	"D" },
		{ "gfp_t",	"G" },
		{ "umode_t",	"O" },
		{ "dev_t",	"M" },
		{ "__be16",	"B" },
		{ "__be32",	"B" },
		{ "__be64",	"B" },
	};
	const char *name = dwarf_diename(die);
	const char *letter = NULL;
	Dwarf_Die type = *die;
	Dwarf_Die peeled;
	unsigned int i;
	int ret;

	peeled = *die;
	ret = die_peel(&peeled);
	if (ret < 0) {
		SET_MALFORMED(sigs);
		return;
	}
	if (name && !strcmp(name, "bool") && ret == 1 &&
	    dwarf_tag(&peeled) == DW_TAG_base_type && basic_type_letter(&peeled) == 'b') {
		text_add(out, "b");
		return;
	}
	if (mode == BEHIND_POINTER &&
	    (ret != 1 || dwarf_tag(&peeled) != DW_TAG_subroutine_type)) {
		text_add(out, "N");
		text_add_name(out, name);
		return;
	}

	/* Take the first typedef in the chain that has a letter of its own */
	while (ret == 1 && !letter && dwarf_tag(&peeled) == DW_TAG_base_type) {
		const char *inner = dwarf_diename(&type);

		if (dwarf_tag(&type) == DW_TAG_base_type)
			break;
		if (dwarf_tag(&type) == DW_TAG_typedef && inner)
			for (i = 0; i < ARRAY_SIZE(names); i++)
				if (!strcmp(names[i].name, inner))
					letter = names[i].letter;
		if (die_type(&type, &type) != 1)
			break;
	}

	if (mode == BY_VALUE || mode == BEHIND_POINTER ||
	    (mode == IN_RECORD && letter)) {
		text_add(out, letter ?: "T");
		text_add_name(out, name);
	}
	type_text(sigs, out, ret == 1 ? &peeled : NULL,
		  mode == IN_RECORD ? mode : BEHIND_TYPEDEF, depth + 1);
}

static void other_text(struct text *out, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Word encoding, size;

	/* clang names every complex type "complex" */
	if (die_udata(die, DW_AT_encoding, &encoding) &&
	    encoding == DW_ATE_complex_float && die_udata(die, DW_AT_byte_size, &size))
		name = size == 8 ? "_Complex float" : size == 16 ? "_Complex double" :
		       "_Complex long double";

	text_add(out, "X");
	text_add_name(out, name);
	text_addf(out, "%u;", abi_longs(die));
}

static void plain_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		       enum mode mode, unsigned int depth)
{
	char letter[2] = "";
	Dwarf_Die type;
	bool is_const;
	int ret;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		letter[0] = basic_type_letter(die);
		if (letter[0])
			text_add(out, letter);
		else
			other_text(out, die);
		break;
	case DW_TAG_pointer_type:
		ret = die_type(die, &type);
		if (ret < 0) {
			SET_MALFORMED(sigs);
		} else if (mode == BEHIND_TYPEDEF || mode == IN_RECORD) {
			hidden_pointer_text(out, ret ? &type : die, !ret);
		} else {
			text_add(out, "P");
			/* A recorded target is written like a parameter of its type */
			if (mode != BY_VALUE || !ret || !sigs_read_size(die, &is_const))
				mode = BEHIND_POINTER;
			type_text(sigs, out, ret ? &type : NULL, mode, depth + 1);
		}
		break;
	case DW_TAG_enumeration_type:
		enum_text(sigs, out, die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		record_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_array_type:
		array_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_subroutine_type:
		function_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_typedef:
		typedef_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_invalid:
		SET_MALFORMED(sigs);
		break;
	default:
		other_text(out, die);
	}
}

/* Append the text of a type, NULL for void */
static void type_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		      enum mode mode, unsigned int depth)
{
	bool is_const = false, is_volatile = false;
	Dwarf_Die type, next;
	struct text text = {};
	struct memo key, **memo;
	int ret = 1;

	if (!die) {
		text_add(out, "v");
		return;
	}
	if (depth > MAX_DEPTH || sigs->malformed) {
		SET_MALFORMED(sigs);
		return;
	}

	key.key = dwarf_dieoffset(die) * NR_MODES + mode;
	memo = tfind(&key, &sigs->memos, compare_memos);
	if (memo) {
		text_add(out, (*memo)->text);
		return;
	}

	/* Write qualifiers in a fixed order, independent of the declaration */
	type = *die;
	while (ret == 1) {
		int tag = dwarf_tag(&type);

		if (tag == DW_TAG_const_type)
			is_const = true;
		else if (tag == DW_TAG_volatile_type)
			is_volatile = true;
		else if (tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
			break;
		if (++depth > MAX_DEPTH)
			ret = -1;
		else
			ret = die_type(&type, &next);
		type = next;
	}

	text_reset(&text);
	if (is_const)
		text_add(&text, "K");
	if (is_volatile)
		text_add(&text, "V");
	if (ret == 1)
		plain_text(sigs, &text, &type, mode, depth);
	else if (!ret)
		text_add(&text, "v");
	else
		SET_MALFORMED(sigs);

	if (text.failed || text.len > MAX_TYPE)
		SET_MALFORMED(sigs);
	if (sigs->malformed) {
		free(text.buf);
		return;
	}

	text_add(out, text.buf);
	key.text = text.buf;
	tree_add(&sigs->memos, &key, sizeof(key), compare_memos);
}

/*
 * Append the text of a type by value. @die: the type, NULL for void. @sigs: descriptions are
 * added here; its @malformed is set if the type is malformed.
 */
void sigs_add_type(struct sigs *sigs, struct text *out, Dwarf_Die *die)
{
	type_text(sigs, out, die, BY_VALUE, 0);
}
