// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to the text of signatures
 *
 * Strategy: index the functions of the object by the ranges of their code, look
 * each site up in it, and write the function's signature by the grammar in
 * include/linux/arg_sigs.h.  Only the types that signatures need are followed,
 * and the text of each is kept by the offset of its DIE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

#define MAX_PARAMS	255

/* Text of one type */
#define MAX_TYPE	(16 * 1024)

/* How much of a type is written */
enum mode {
	BY_VALUE,	/* all that rendering needs */
	BEHIND_TYPEDEF,	/* the same without what is for people only */
	BEHIND_POINTER,	/* names only */
	NR_MODES,
};

struct memo {
	__u64 key;
	const char *text;
};

/* Code of one function */
struct func {
	Dwarf_Addr low;
	Dwarf_Addr high;
	Dwarf_Die die;
};

struct param {
	Dwarf_Die die;		/* with its name and type */
	Dwarf_Die concrete;	/* with its location */
	bool has_concrete;
};

struct prototype {
	struct param *params;
	size_t nr_params;
	bool varargs;
};

static void type_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		      enum mode mode, unsigned int depth);

static struct memo *memo_find(struct sigs *sigs, __u64 key)
{
	size_t i = (key * 0x9e3779b97f4a7c15ull >> 20) & (sigs->size_memo - 1);

	while (sigs->memo[i].text && sigs->memo[i].key != key)
		i = (i + 1) & (sigs->size_memo - 1);
	return &sigs->memo[i];
}

static void memo_grow(struct sigs *sigs)
{
	size_t nr = sigs->size_memo;
	struct memo *old = sigs->memo;
	size_t i;

	sigs->size_memo = nr ? 2 * nr : 1024;
	sigs->memo = xcalloc(sigs->size_memo, sizeof(*sigs->memo));
	for (i = 0; i < nr; i++)
		if (old[i].text)
			*memo_find(sigs, old[i].key) = old[i];
}

/* The letter of a basic type, or 0 */
static char basic_letter(Dwarf_Die *die)
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
		/* Signed or not, char is a type of its own */
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

/* 48 bits of a text in 8 characters: FNV-1a of 64 bits, folded */
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

/* Keep a description, and refer to it in @out */
static void add_description(struct sigs *sigs, struct text *out,
			    struct text *description)
{
	struct text whole = {};

	if (description->failed) {
		sigs->malformed = true;
		return;
	}
	add_id(&whole, description->buf);
	text_add(out, whole.buf);
	text_add(&whole, description->buf);
	pool_add(&sigs->types, whole.buf);
	free(whole.buf);
}

/* An enumerator's value; forms without a sign are of unsigned constants */
static bool enumerator_value(Dwarf_Die *die, __s64 *value)
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

/* The type that an enum is stored as */
static char enum_letter(Dwarf_Die *die, bool negative)
{
	static const char unsigneds[] = { [1] = 'h', [2] = 't', [4] = 'j', [8] = 'm' };
	static const char signeds[] = { [1] = 'a', [2] = 's', [4] = 'i', [8] = 'l' };
	Dwarf_Word size;
	Dwarf_Die type;
	char c = 0;

	if (die_type(die, &type) == 1 && die_peel(&type) == 1)
		c = basic_letter(&type);
	if (c)
		return c;
	if (!die_udata(die, DW_AT_byte_size, &size) ||
	    size >= sizeof(signeds) || !signeds[size])
		size = 4;
	return negative ? signeds[size] : unsigneds[size];
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
	for (ret = dwarf_child(die, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_enumerator)
			continue;
		if (!enumerator_value(&child, &value)) {
			ret = -1;
			break;
		}

		/* text_add_name() ends it with the ';' that comes last */
		text_add_name(&list, dwarf_diename(&child));
		if (value != next) {
			list.buf[--list.len] = '\0';
			text_addf(&list, "=%s%llx;", value < 0 ? "-" : "",
				  value < 0 ? -(unsigned long long)value :
					      (unsigned long long)value);
		}
		next = (__s64)((__u64)value + 1);

		zero |= !value;
		above |= value > 2;
		negative |= value < 0;
		bits &= value >= 0 && !(value & (value - 1));
	}
	if (ret < 0)
		sigs->malformed = true;

	letter[0] = enum_letter(die, negative);
	text_add(&description, list.len && bits && (!zero || above) ? "b" : "e");
	text_add(&description, letter);
	text_add_name(&description, dwarf_diename(die));
	text_add(&description, list.buf);
	description.failed |= list.failed;

	text_add(out, "E");
	text_add(out, letter);
	add_description(sigs, out, &description);
	free(list.buf);
	free(description.buf);
}

static void record_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
			enum mode mode)
{
	bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	struct text description = {};
	Dwarf_Attribute attr;
	Dwarf_Word size;

	if (mode == BEHIND_POINTER) {
		text_add(out, is_union ? "U" : "S");
		text_add_name(out, dwarf_diename(die));
		return;
	}

	if (dwarf_attr(die, DW_AT_declaration, &attr) ||
	    !die_udata(die, DW_AT_byte_size, &size)) {
		/* Only its tag is known */
		text_add(out, is_union ? "Xunion " : "Xstruct ");
		text_add_name(out, dwarf_diename(die));
		text_add(out, "1;");
		return;
	}

	text_addf(&description, "%s%llu;", is_union ? "u" : "s",
		  (unsigned long long)size);
	text_add_name(&description, dwarf_diename(die));
	text_add(out, "R");
	add_description(sigs, out, &description);
	text_addf(out, "%u;", abi_longs(die));
	free(description.buf);
}

static void array_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
		       unsigned int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die child, type;
	unsigned int nr = 0;
	int ret;

	if (dwarf_attr(die, DW_AT_GNU_vector, &attr)) {
		text_addf(out, "Xvector;%u;", abi_longs(die));
		return;
	}

	for (ret = dwarf_child(die, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		Dwarf_Word count;

		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		nr++;
		if (die_udata(&child, DW_AT_count, &count))
			text_addf(out, "A%llu_", (unsigned long long)count);
		else if (die_udata(&child, DW_AT_upper_bound, &count))
			text_addf(out, "A%llu_", (unsigned long long)count + 1);
		else
			text_add(out, "A_");
	}
	if (!nr)
		text_add(out, "A_");

	ret = die_type(die, &type);
	if (ret < 0)
		sigs->malformed = true;
	type_text(sigs, out, ret == 1 ? &type : NULL, BEHIND_POINTER, depth + 1);
}

static void function_text(struct sigs *sigs, struct text *out, Dwarf_Die *die,
			  enum mode mode, unsigned int depth)
{
	Dwarf_Attribute attr;
	bool varargs = false;
	Dwarf_Die child, type;
	int ret;

	if (mode == BEHIND_TYPEDEF) {
		text_add(out, "Fv_");
		return;
	}

	text_add(out, "F");
	ret = die_type(die, &type);
	if (ret < 0)
		sigs->malformed = true;
	type_text(sigs, out, ret == 1 ? &type : NULL, BEHIND_POINTER, depth + 1);

	for (ret = dwarf_child(die, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (die_type(&child, &type) != 1)
				sigs->malformed = true;
			else
				type_text(sigs, out, &type, BEHIND_POINTER, depth + 1);
			break;
		case DW_TAG_unspecified_parameters:
			varargs = true;
			break;
		}
	}
	if (ret < 0)
		sigs->malformed = true;
	text_add(out, varargs || !dwarf_attr(die, DW_AT_prototyped, &attr) ? "z_" : "_");
}

/* Behind a typedef, text and code are the only pointers that differ */
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
			if (basic_letter(&die) == 'c') {
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
		sigs->malformed = true;
		return;
	}
	if (name && !strcmp(name, "bool") && ret == 1 &&
	    dwarf_tag(&peeled) == DW_TAG_base_type && basic_letter(&peeled) == 'b') {
		text_add(out, "b");
		return;
	}
	if (mode == BEHIND_POINTER) {
		text_add(out, "N");
		text_add_name(out, name);
		return;
	}

	/* The first name of the chain that says how it is written */
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

	if (mode == BY_VALUE) {
		text_add(out, letter ?: "T");
		text_add_name(out, name);
	}
	type_text(sigs, out, ret == 1 ? &peeled : NULL, BEHIND_TYPEDEF, depth + 1);
}

static void other_text(struct text *out, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Word encoding, size;

	/* clang calls each of them complex */
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
	int ret;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		letter[0] = basic_letter(die);
		if (letter[0])
			text_add(out, letter);
		else
			other_text(out, die);
		break;
	case DW_TAG_pointer_type:
		ret = die_type(die, &type);
		if (ret < 0) {
			sigs->malformed = true;
		} else if (mode == BEHIND_TYPEDEF) {
			hidden_pointer_text(out, ret ? &type : die, !ret);
		} else {
			text_add(out, "P");
			type_text(sigs, out, ret ? &type : NULL, BEHIND_POINTER,
				  depth + 1);
		}
		break;
	case DW_TAG_enumeration_type:
		enum_text(sigs, out, die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		record_text(sigs, out, die, mode);
		break;
	case DW_TAG_array_type:
		array_text(sigs, out, die, depth);
		break;
	case DW_TAG_subroutine_type:
		function_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_typedef:
		typedef_text(sigs, out, die, mode, depth);
		break;
	case DW_TAG_invalid:
		sigs->malformed = true;
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
	struct memo *memo;
	__u64 key;
	int ret = 1;

	if (!die) {
		text_add(out, "v");
		return;
	}
	if (depth > MAX_DEPTH || sigs->malformed) {
		sigs->malformed = true;
		return;
	}

	key = dwarf_dieoffset(die) * NR_MODES + mode;
	if (2 * sigs->nr_memo >= sigs->size_memo)
		memo_grow(sigs);
	memo = memo_find(sigs, key);
	if (memo->text) {
		text_add(out, memo->text);
		return;
	}

	/* Qualifiers in one order, whatever that of the declaration was */
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
		sigs->malformed = true;

	if (text.failed || text.len > MAX_TYPE)
		sigs->malformed = true;
	if (sigs->malformed) {
		free(text.buf);
		return;
	}

	text_add(out, text.buf);

	/* The table may have grown */
	memo = memo_find(sigs, key);
	if (!memo->text) {
		memo->key = key;
		memo->text = text.buf;
		sigs->nr_memo++;
	}
}

/* Follow DW_AT_abstract_origin to the DIE as it was declared */
static bool die_origin(Dwarf_Die *die, Dwarf_Die *origin)
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

/* Parameters in the order of the declaration, with those of the code */
static bool read_prototype(struct prototype *proto, Dwarf_Die *func,
			   Dwarf_Die *declared)
{
	bool has_origin = dwarf_dieoffset(func) != dwarf_dieoffset(declared);
	Dwarf_Attribute attr;
	Dwarf_Die child;
	size_t i;
	int ret;

	proto->nr_params = 0;
	proto->varargs = !dwarf_attr_integrate(declared, DW_AT_prototyped, &attr);
	for (ret = dwarf_child(declared, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		struct param *param = &proto->params[proto->nr_params];

		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (proto->nr_params == MAX_PARAMS)
				return false;
			param->die = child;
			param->concrete = child;
			param->has_concrete = !has_origin;
			proto->nr_params++;
			break;
		case DW_TAG_unspecified_parameters:
			proto->varargs = true;
			break;
		}
	}
	if (ret < 0)
		return false;
	if (!has_origin)
		return true;

	for (ret = dwarf_child(func, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		Dwarf_Die origin;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (!die_origin(&child, &origin))
			return false;
		for (i = 0; i < proto->nr_params; i++) {
			struct param *param = &proto->params[i];

			if (dwarf_dieoffset(&param->die) != dwarf_dieoffset(&origin))
				continue;
			param->concrete = child;
			param->has_concrete = true;
			break;
		}
	}
	return ret >= 0;
}

/*
 * DWARF's number of the register that has the parameter at @entry, or -1.
 *
 * gcc gives a parameter one location for the whole function where it does not
 * track variables: the register that it is moved to once the function runs.
 */
static int location_reg(Dwarf_Attribute *attr, Dwarf_Addr entry, bool clang)
{
	size_t nr_ops;
	Dwarf_Op *ops;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		if (!clang)
			return -1;
	}

	if (dwarf_getlocation_addr(attr, entry, &ops, &nr_ops, 1) != 1 || nr_ops != 1)
		return -1;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return ops[0].atom - DW_OP_reg0;
	if (ops[0].atom == DW_OP_regx)
		return ops[0].number;
	return -1;
}

static bool is_int_reg(int reg)
{
	return reg >= 0 && reg < 16;
}

/*
 * Whether what the DWARF says of a parameter fits its place by the ABI.  clang
 * drops parameters of static functions and says so only by giving them no
 * location, gcc makes a clone with a name of its own.
 */
static bool location_fits(struct param *param, const struct abi_place *place,
			  Dwarf_Addr entry, bool clang, bool must_have)
{
	Dwarf_Attribute attr;
	int reg;

	if (!param->has_concrete ||
	    !dwarf_attr_integrate(&param->concrete, DW_AT_location, &attr))
		return !must_have;

	reg = location_reg(&attr, entry, clang);
	if (!is_int_reg(reg))
		return true;
	return place->ints && reg == abi_dwarf_reg(place->first);
}

/*
 * Compilers mark the name of a function whose parameters they have changed.
 * Any suffix counts but those that are known to keep the interface.
 */
static bool is_clone_name(const char *name)
{
	static const char * const same[] = { ".llvm.", ".lto_priv.", ".localalias" };
	const char *dot = name ? strchr(name, '.') : NULL;
	size_t i;

	if (!dot || dot == name)
		return false;
	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (!strncmp(dot, same[i], strlen(same[i])) &&
		    !strpbrk(dot + strlen(same[i]), "."))
			return false;
	return true;
}

static bool is_clang(Dwarf_Die *func)
{
	const char *producer;
	Dwarf_Attribute attr;
	Dwarf_Die cu;

	if (!dwarf_diecu(func, &cu, NULL, NULL) ||
	    !dwarf_attr(&cu, DW_AT_producer, &attr))
		return false;
	producer = dwarf_formstring(&attr);
	return producer && strstr(producer, "clang");
}

static bool is_clone(struct site *site, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Word cc;

	if (is_clone_name(site->symbol))
		return true;
	if (dwarf_attr_integrate(func, DW_AT_linkage_name, &attr) &&
	    is_clone_name(dwarf_formstring(&attr)))
		return true;
	return dwarf_attr_integrate(func, DW_AT_calling_convention, &attr) &&
	       (dwarf_formudata(&attr, &cc) ||
		(cc != DW_CC_normal && cc != DW_CC_program));
}

static void add_slots(struct text *out, const char *slots)
{
	size_t i;

	for (i = 0; slots[i]; i++)
		if (slots[i] != (char)('a' + i))
			break;
	if (slots[i])
		text_addf(out, "(%s)", slots);
	else
		text_addf(out, "%zu", i);
}

/* Write the signature of a site's function, or say why not */
static enum reason function_signature(struct sigs *sigs, struct site *site,
				      struct func *func, struct prototype *proto)
{
	struct abi_place places[MAX_PARAMS];
	char slots[ARG_SIGS_MAX_LONGS + 1];
	struct text types = {}, sig = {};
	enum reason whole = REASON_NONE;
	Dwarf_Die declared, ret_type;
	unsigned int nr_slots = 0;
	struct abi_state state;
	Dwarf_Attribute attr;
	bool clang, must_have;
	int has_ret;
	size_t i;

	sigs->malformed = false;
	if (!die_origin(&func->die, &declared) ||
	    !read_prototype(proto, &func->die, &declared))
		return REASON_MALFORMED;

	has_ret = die_type(&declared, &ret_type);
	if (has_ret < 0)
		return REASON_MALFORMED;

	text_reset(&types);
	type_text(sigs, &types, has_ret ? &ret_type : NULL, BY_VALUE, 0);

	if (is_clone(site, &func->die))
		whole = REASON_CLONE;
	clang = is_clang(&func->die);
	must_have = clang && !dwarf_attr_integrate(&func->die, DW_AT_external, &attr);

	abi_begin(&state, has_ret ? &ret_type : NULL, clang);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		Dwarf_Die type;

		if (die_type(&param->die, &type) != 1) {
			sigs->malformed = true;
			break;
		}
		type_text(sigs, &types, &type, BY_VALUE, 0);
		text_add_name(&types, dwarf_attr_integrate(&param->die, DW_AT_name, &attr) ?
					      dwarf_formstring(&attr) : NULL);
		abi_next(&state, &type, &places[i]);
		if (!whole && !state.lost &&
		    !location_fits(param, &places[i], func->low, clang, must_have))
			whole = REASON_LOCATION;
	}
	if (proto->varargs)
		text_add(&types, "z");
	if (sigs->malformed || types.failed) {
		free(types.buf);
		return REASON_MALFORMED;
	}

	for (i = 0; i < proto->nr_params; i++) {
		enum reason reason = whole ?: places[i].reason;
		unsigned int j;

		sigs->params[reason]++;
		for (j = 0; j < places[i].longs && nr_slots < ARG_SIGS_MAX_LONGS; j++)
			slots[nr_slots++] = reason || j >= places[i].ints ?
					    '-' : 'a' + places[i].first + j;
	}
	slots[nr_slots] = '\0';

	add_slots(&sig, slots);
	if (whole)
		text_add(&sig, "?");
	text_add(&sig, types.buf);
	site->sig = pool_add(&sigs->strs, sig.buf);
	free(types.buf);
	free(sig.buf);
	return REASON_NONE;
}

static int compare_funcs(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* Functions of an object: by their code, and definitions that have none */
struct funcs {
	struct func *funcs;
	size_t nr;
	size_t size;
	Dwarf_Die *codeless;
	const char **names;	/* of @codeless, once they are asked for */
	size_t nr_codeless;
};

static void add_codeless(struct funcs *funcs, Dwarf_Die *die)
{
	size_t nr = funcs->nr_codeless++;

	if (!(nr & (nr - 1)))
		funcs->codeless = xrealloc(funcs->codeless, 2 * nr + 1,
					   sizeof(*funcs->codeless));
	funcs->codeless[nr] = *die;
}

static bool add_func(struct funcs *funcs, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges)) {
		if (!dwarf_hasattr(die, DW_AT_declaration))
			add_codeless(funcs, die);
		return true;
	}

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (funcs->nr == funcs->size) {
			funcs->size = 2 * funcs->size + 256;
			funcs->funcs = xrealloc(funcs->funcs, funcs->size,
						sizeof(*funcs->funcs));
		}
		funcs->funcs[funcs->nr].low = low;
		funcs->funcs[funcs->nr].high = high;
		funcs->funcs[funcs->nr].die = *die;
		funcs->nr++;
	}
	return !offset;
}

/* Every function with code of its own, by address */
static bool find_funcs(struct funcs *funcs, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	bool good = true;
	int ret;

	for (;;) {
		Dwarf_Die cu_die, die;
		__u8 type;

		ret = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &cu_die, NULL);
		if (ret)
			break;
		if (type != DW_UT_compile || dwarf_tag(&cu_die) != DW_TAG_compile_unit)
			continue;
		/* The assembler describes functions too, but knows no types */
		if (dwarf_srclang(&cu_die) == DW_LANG_Mips_Assembler)
			continue;
		for (ret = dwarf_child(&cu_die, &die); !ret;
		     ret = dwarf_siblingof(&die, &die))
			if (dwarf_tag(&die) == DW_TAG_subprogram)
				good &= add_func(funcs, &die);
		good &= ret >= 0;
	}
	if (funcs->nr)
		qsort(funcs->funcs, funcs->nr, sizeof(*funcs->funcs), compare_funcs);
	return good && ret >= 0;
}

static struct func *find_func(struct funcs *funcs, Dwarf_Addr addr)
{
	size_t low = 0, high = funcs->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (funcs->funcs[mid].low <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && addr < funcs->funcs[low - 1].high ? &funcs->funcs[low - 1] : NULL;
}

/*
 * When gcc finds two functions to be the same it may keep one as a mere jump to
 * the other, and describes it without any code.  It still has the interface of
 * its declaration, and in one unit a name is that of one function.
 */
static bool find_codeless(struct funcs *funcs, struct site *site, Dwarf_Addr addr,
			  struct func *func)
{
	bool found = false;
	size_t i;

	if (!site->symbol)
		return false;
	if (!funcs->names) {
		funcs->names = xcalloc(funcs->nr_codeless, sizeof(*funcs->names));
		for (i = 0; i < funcs->nr_codeless; i++)
			funcs->names[i] = dwarf_diename(&funcs->codeless[i]);
	}

	for (i = 0; i < funcs->nr_codeless; i++) {
		if (!funcs->names[i] || strcmp(funcs->names[i], site->symbol))
			continue;
		if (found)
			return false;
		found = true;
		func->die = funcs->codeless[i];
		func->low = addr - site->symbol_offset;
	}
	return found;
}

/**
 * sigs_read - read the signatures of an object's sites from its DWARF
 * @sigs: what is read
 * @obj: the object, with its sites and with its DWARF relocated
 *
 * Each site gets its signature, or the reason why it has none.
 */
void sigs_read(struct sigs *sigs, struct object *obj)
{
	enum reason missing = REASON_NO_FUNCTION;
	struct prototype proto = {};
	struct funcs funcs = {};
	Dwarf *dwarf = NULL;
	size_t i;

	if (!obj->has_dwarf) {
		missing = REASON_NO_DWARF;
	} else {
		dwarf = dwarf_begin_elf(obj->elf, DWARF_C_READ, NULL);
		if (!dwarf || !find_funcs(&funcs, dwarf))
			missing = REASON_MALFORMED;
	}

	proto.params = xcalloc(MAX_PARAMS, sizeof(*proto.params));
	for (i = 0; i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];
		__u64 addr = obj->base[site->shndx] + site->offset;
		struct func *func = find_func(&funcs, addr);
		struct func codeless;

		if (!func && find_codeless(&funcs, site, addr, &codeless))
			func = &codeless;
		site->reason = func ? function_signature(sigs, site, func, &proto) :
				      missing;
		sigs->sites[site->reason]++;
	}
	free(proto.params);
	free(funcs.funcs);
	dwarf_end(dwarf);
}
