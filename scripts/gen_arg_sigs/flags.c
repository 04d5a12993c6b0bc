// SPDX-License-Identifier: GPL-2.0
/*
 * Names for the values of parameters whose type is a plain number
 *
 * DWARF has no macros.  The file "macros" lists the parameters, and the macros of their
 * values.  Such a parameter gets the description of an enum without a tag, as a typedef whose
 * name is the parameter's type in C.  So the readers of signatures need no code for it.
 *
 * The macros of some typedefs differ among kernels, but an enum numbers their bits.  These
 * names and values come from the enum in DWARF.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/**
 * struct flag - a macro
 * @name: the name
 * @value: the value
 * @elf: the machine that has the macro, EM_NONE for all machines
 */
struct flag {
	const char *name;
	__s64 value;
	unsigned int elf;
};

/**
 * struct flag_set - macros for the values of a parameter
 * @kind: "b" if values are joined, "e" if not
 * @flags: the macros, the last one without a name
 */
struct flag_set {
	const char *kind;
	const struct flag *flags;
};

#define CALL(...)
#define PARAM(...)
#define MEMBER(...)
#define BITS(...)

/* The sets of the list, and their macros */
enum flag_set_nr {
#define SET(name, ...)		SET_##name,
#include "macros"
#undef SET
};

static const struct flag_set flag_sets[] = {
#define F(name, value)		{ #name, value, EM_NONE },
#define X86(name, value)	{ #name, value, EM_X86_64 },
#define ARM64(name, value)	{ #name, value, EM_AARCH64 },
#define SET(name, kind, macros)						\
	[SET_##name] = { kind, (const struct flag[]){ macros {} } },
#include "macros"
#undef SET
};

#undef BITS
#undef MEMBER
#undef PARAM
#undef CALL

/* What has a value of a set */
enum flag_place { FLAG_CALL, FLAG_PARAM, FLAG_MEMBER };

/**
 * struct flag_user - parameters or members of a name whose values have a set
 * @place: what they are
 * @set: the set
 * @name: the name
 * @owners: their functions, system calls, or structures, with spaces; "*" for all functions
 */
struct flag_user {
	enum flag_place place;
	enum flag_set_nr set;
	const char *name;
	const char *owners;
};

static const struct flag_user flag_users[] = {
#define SET(...)
#define BITS(...)
#define CALL(set, name, calls)		{ FLAG_CALL, SET_##set, name, calls },
#define PARAM(set, name, funcs)		{ FLAG_PARAM, SET_##set, name, funcs },
#define MEMBER(set, name, structs)	{ FLAG_MEMBER, SET_##set, name, structs },
#include "macros"
#undef MEMBER
#undef PARAM
#undef CALL
#undef BITS
};

/**
 * struct flag_bits - a typedef whose bits an enum numbers
 * @type: the typedef
 * @bits: tag of the enum
 * @prefix: what each enumerator has before the name of its macro
 * @values: tag of the enum of the values in the bits below, "" for none
 */
struct flag_bits {
	const char *type;
	const char *bits;
	const char *prefix;
	const char *values;
};

static const struct flag_bits flag_bits[] = {
#define CALL(...)
#define PARAM(...)
#define MEMBER(...)
#define BITS(type, bits, prefix, values)	{ type, bits, prefix, values },
#include "macros"
};

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = words; len && (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && strchr(" ", at[len]))
			return true;
	return false;
}

static const struct flag_set *find_set(enum flag_place place, const char *owner, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flag_users); i++) {
		const struct flag_user *user = &flag_users[i];

		if (user->place == place && !strcmp(user->name, name) &&
		    (!strcmp(user->owners, "*") || has_word(user->owners, owner)))
			return &flag_sets[user->set];
	}
	return NULL;
}

/* Find the set of the values of a member of a struct, or return NULL */
const struct flag_set *flags_find_member(Dwarf_Die *type, const char *name)
{
	const char *tag = dwarf_diename(type);

	return tag ? find_set(FLAG_MEMBER, tag, name) : NULL;
}

/*
 * Find the set of a parameter's values, or return NULL. @func: the function. @param: DIE of
 * the parameter.
 */
const struct flag_set *flags_find(Dwarf_Die *func, Dwarf_Die *param)
{
	static const char *const prefixes[] = { DO_SYS, DO_COMPAT_SYS };
	const char *name = dwarf_diename(func), *own = dwarf_diename(param);
	const struct flag_set *set = NULL;
	Dwarf_Attribute attr;
	unsigned int i;

	if (!name || !own)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(prefixes) && !set; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			set = find_set(FLAG_CALL, name + strlen(prefixes[i]), own);
	if (set)
		return set;
	/* No function is called "", so a static function has the sets of all functions only */
	return find_set(FLAG_PARAM, dwarf_attr_integrate(func, DW_AT_external, &attr) ? name : "",
			own);
}

/* Find a number's typedef in the list of BITS(), or return NULL */
static const struct flag_bits *find_bits(const Dwarf_Die *die)
{
	Dwarf_Die type = *die;
	const char *name;
	unsigned int i;

	do {
		name = dwarf_tag(&type) == DW_TAG_typedef ? dwarf_diename(&type) : NULL;
		for (i = 0; name && i < ARRAY_SIZE(flag_bits); i++)
			if (!strcmp(name, flag_bits[i].type))
				return &flag_bits[i];
	} while (dwarf_tag(&type) != DW_TAG_base_type && die_type(&type, &type) == 1);
	return NULL;
}

/* Order macros so that those with more bits come first, as the set of a list has them */
static int compare_flags(const void *one, const void *other)
{
	const struct flag *a = one, *b = other;
	int more = __builtin_popcountll(b->value) - __builtin_popcountll(a->value);

	return more ?: (a->value > b->value) - (a->value < b->value);
}

/*
 * Add the enumerators of an enum to @flags, which has @nr of @room. @prefix: what the enumerator
 * of a bit has before the name of the macro, NULL if the enumerators are values. The last
 * enumerator is the end of the others. Returns the number of flags.
 */
static unsigned int add_enum(struct flag *flags, unsigned int nr, unsigned int room,
			     Dwarf_Die *type, const char *prefix)
{
	size_t len = prefix ? strlen(prefix) : 0;
	Dwarf_Die child, next;
	__s64 value;
	int ret;

	for (ret = die_child(type, DW_TAG_enumerator, &child); !ret && nr < room; child = next) {
		const char *name = dwarf_diename(&child);

		next = child;
		ret = die_next(&next, DW_TAG_enumerator);
		if (ret || !name || !die_constant(&child, &value) || value < 0 ||
		    (prefix && (strncmp(name, prefix, len) || value > 63)))
			continue;
		flags[nr++] = (struct flag){ name + len, prefix ? 1LL << value : value };
	}
	return nr;
}

/*
 * Find the set of a number's type by the enums in DWARF, or return NULL. Compilers leave out an
 * enum that the unit does not use. The set is valid until the next call.
 */
static const struct flag_set *set_by_enums(Dwarf_Die *die)
{
	static struct flag flags[128];
	static const struct flag_set set = { "b", flags };
	const struct flag_bits *bits = find_bits(die);
	unsigned int nr = 0, room = ARRAY_SIZE(flags) - 1;
	Dwarf_Die type;

	if (!bits)
		return NULL;
	if (die_find_type(die, DW_TAG_enumeration_type, bits->values, &type))
		nr = add_enum(flags, nr, room, &type, NULL);
	if (die_find_type(die, DW_TAG_enumeration_type, bits->bits, &type))
		nr = add_enum(flags, nr, room, &type, bits->prefix);
	qsort(flags, nr, sizeof(*flags), compare_flags);
	flags[nr] = (struct flag){};
	return nr ? &set : NULL;
}

/* The letter of a type that is a number of 32 or 64 bits, 0 for other types */
static char number_letter(const Dwarf_Die *die)
{
	Dwarf_Die type = *die;
	char letter = 0;

	if (die_peel(&type) == 1 && dwarf_tag(&type) == DW_TAG_base_type)
		letter = basic_type_letter(&type);
	return letter && strchr("ijlmxy", letter) ? letter : 0;
}

/*
 * Add the type of a parameter or member.  @set: the macros of its values, NULL for those that
 * the type has; they are for numbers of 32 and 64 bits only.  Returns whether the values have
 * names: the text of the type ends with the id of their description then.
 */
bool sigs_add_named_type(struct sigs *sigs, struct text *out, const struct flag_set *set,
			 Dwarf_Die *die)
{
	struct text description = {};
	Dwarf_Die named = *die;
	const struct flag *flag;
	char letter[2] = { number_letter(die) };
	__s64 next = 0;

	if (*letter && !set)
		set = set_by_enums(die);
	if (!*letter || !set) {
		sigs_add_type(sigs, out, die);
		return false;
	}
	/* The base type at the end has a name */
	while (!dwarf_diename(&named) && die_type(&named, &named) == 1)
		;

	text_add(&description, set->kind);
	text_add(&description, letter);
	text_add_name(&description, NULL);
	for (flag = set->flags; flag->name; flag++)
		if (!flag->elf || flag->elf == machine->elf)
			text_add_enumerator(&description, flag->name,
					    letter[0] == 'i' ? (__s32)flag->value : flag->value,
					    &next);
	if (die_is_const(die))
		text_add(out, "K");
	text_add(out, "T");
	text_add_name(out, dwarf_diename(&named));
	text_add(out, "E");
	text_add(out, letter);
	sigs_add_description(sigs, out, &description);
	free(description.buf);
	return true;
}
