// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptions of enums and records, found by their ids
 */
#include <linux/errno.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "text.h"

/* Set in a slot of an index if the id has two descriptions */
#define ARG_TYPE_AMBIGUOUS	BIT(31)

/*
 * Maximum number of slots that are probed for a description.  At least half of an index
 * is empty, so more probes are needed only if ids were made to collide.
 */
#define ARG_TYPE_PROBES		64

static bool same_id(const char *a, const char *b)
{
	BUILD_BUG_ON(sizeof(u64) != ARG_SIGS_ID_LEN);
	return get_unaligned((const u64 *)a) == get_unaligned((const u64 *)b);
}

static u32 id_hash(const char *id)
{
	u32 hash = 0;
	int i;

	/* The id is a hash itself, so a simple hash of it is enough */
	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		hash = hash * 31 + (u8)id[i];
	return hash;
}

static bool enumerators_valid(const char *p)
{
	u64 val;

	while (p && *p)
		p = arg_enumerator_value(p, &val);
	return p;
}

static bool members_valid(const char *p)
{
	while (p && *p) {
		if (!isdigit(*p))
			return false;
		p = skip_digits(p);
		if (*p == ':') {
			if (!isdigit(p[1]))
				return false;
			p = skip_digits(p + 1);
		}
		p = arg_type_end(p, ARG_TYPE_DEPTH);
		if (p)
			p = skip_whole_name(p);
	}
	return p;
}

static bool description_valid(const char *desc)
{
	const char *p = desc + ARG_SIGS_ID_LEN;
	struct arg_part part;

	if (!whole_id(desc))
		return false;
	switch (*p) {
	case 'e':
	case 'b':
		return is_basic(p[1]) &&
			enumerators_valid(skip_whole_name(p + 2));
	case 's':
	case 'u':
		p = skip_digits(p + 1);
		if (*p != ';' || !isdigit(p[-1]))
			return false;
		p = skip_whole_name(p + 1);
		return p && members_valid(p);
	case 'd':
		if (!arg_read_is_digest(p[1]))
			return false;
		p = skip_whole_name(p + 2);
		while (p && *p)
			p = arg_digest_part(&part, p);
		return p;
	default:
		return false;
	}
}

/**
 * arg_types_count - count the descriptions in a section
 * @text: the section
 * @size: the size of the section in bytes
 *
 * Return: the number of descriptions; -EINVAL if the last description has no end, or if a
 * description is malformed.
 */
int arg_types_count(const char *text, u32 size)
{
	const char *end = text + size;
	int nr = 0;

	if (size && end[-1])
		return -EINVAL;
	while (text < end) {
		/* The linker may pad the section with NULs */
		if (*text) {
			if (!description_valid(text))
				return -EINVAL;
			nr++;
		}
		text += strlen(text) + 1;
	}
	return nr;
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_count);

/**
 * arg_types_slots - the number of slots of an index of descriptions
 * @nr: the number of descriptions
 *
 * Return: a power of two, at least twice @nr.
 */
u32 arg_types_slots(u32 nr)
{
	return roundup_pow_of_two(max(2 * nr, 2U));
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_slots);

static const char *indexed(const struct arg_types *types, u32 slot)
{
	return types->text + (types->index[slot] & ~ARG_TYPE_AMBIGUOUS) - 1;
}

/*
 * Find the slot of an id in an index, or the empty slot that the id would get.  Returns
 * NULL if there is no slot for the id.
 */
static u32 *find_slot(const struct arg_types *types, const char *id)
{
	u32 hash = id_hash(id), i;

	for (i = 0; i < ARG_TYPE_PROBES; i++) {
		u32 slot = (hash + i) & types->mask;

		if (!types->index[slot] || same_id(indexed(types, slot), id))
			return &types->index[slot];
	}
	return NULL;
}

/**
 * arg_types_index - fill an index of descriptions
 * @types: the descriptions, with an empty index of arg_types_slots() slots
 *
 * If two descriptions of one id differ, their types cannot be told apart. Lookups then
 * find neither description.
 *
 * Return: the number of descriptions that were dropped because they are ambiguous or have
 * no slot.
 */
int arg_types_index(struct arg_types *types)
{
	const char *p = types->text;
	const char *end = p + types->size;
	int dropped = 0;

	for (; p < end; p += strlen(p) + 1) {
		u32 *slot;

		if (!*p)
			continue;
		slot = find_slot(types, p);
		if (slot && !*slot) {
			*slot = p - types->text + 1;
		} else if (!slot) {
			dropped++;
		} else if (strcmp(indexed(types, slot - types->index), p)) {
			*slot |= ARG_TYPE_AMBIGUOUS;
			dropped++;
		}
	}
	return dropped;
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_index);

/**
 * arg_types_find - find a description
 * @types: the descriptions
 * @id: ARG_SIGS_ID_LEN characters, or fewer where the text ends
 *
 * Return: the description, beginning with its id; NULL if there is none.
 */
const char *arg_types_find(const struct arg_types *types, const char *id)
{
	u32 *slot;

	if (!types->index || !whole_id(id))
		return NULL;
	slot = find_slot(types, id);
	if (!slot || !*slot || *slot & ARG_TYPE_AMBIGUOUS)
		return NULL;
	return indexed(types, slot - types->index);
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_find);

/**
 * arg_types_record - find the description of a struct or a union
 * @types: the descriptions
 * @id: the same as in arg_types_find()
 *
 * Return: the description, beginning with its size; NULL if there is none.
 */
const char *arg_types_record(const struct arg_types *types, const char *id)
{
	const char *desc = arg_types_find(types, id);

	if (!desc)
		return NULL;
	desc += ARG_SIGS_ID_LEN;
	return *desc == 's' || *desc == 'u' ? desc + 1 : NULL;
}

/**
 * arg_types_enumerators - find the enumerators of an enum
 * @types: the descriptions
 * @id: the same as in arg_types_find()
 * @kind: 'e', or 'b' for an enum of bits
 *
 * Return: the first enumerator, NULL if there is no description.
 */
const char *arg_types_enumerators(const struct arg_types *types, const char *id,
				  char *kind)
{
	const char *desc = arg_types_find(types, id);

	if (!desc)
		return NULL;
	*kind = desc[ARG_SIGS_ID_LEN];
	if (*kind != 'e' && *kind != 'b')
		return NULL;
	return skip_name(desc + ARG_SIGS_ID_LEN + 2);
}

/**
 * arg_type_enumerator - find the value of an enumerator
 * @types: the descriptions
 * @type: the type, without typedefs and qualifiers
 * @name: the enumerator
 * @len: characters of @name
 * @val: set to the enumerator's value, sign-extended if the type is signed
 *
 * Return: true if the type is an enum that has an enumerator @name.
 */
bool arg_type_enumerator(const struct arg_types *types, const char *type, const char *name,
			 unsigned int len, u64 *val)
{
	const char *p;
	u64 each = 0;
	char kind;

	if (*type != 'E')
		return false;
	p = arg_types_enumerators(types, type + 2, &kind);
	while (p && *p) {
		const char *enumerator = p;

		p = arg_enumerator_value(p, &each);
		if (arg_is_name(enumerator, name, len)) {
			*val = arg_truncate(type[1], each);
			return true;
		}
		each++;
	}
	return false;
}

/**
 * arg_digests_find - find the digests among descriptions
 * @digests: set to the digests
 * @types: the descriptions, which are valid and are not freed
 *
 * Return: the number of types that have no digest because their objects are laid out in
 * several ways.
 */
int arg_digests_find(struct arg_digests *digests, const struct arg_types *types)
{
	static const char several[] = "";
	const char *p = types->text;
	const char **tag;
	int nr = 0;

	*digests = (struct arg_digests){ .types = types };
	for (; (p = arg_digest_next(types, p)); p += strlen(p) + 1) {
		tag = arg_digest_tag(digests, p);
		if (!*tag) {
			*tag = p + ARG_DIGEST_HEADER;
		} else if (*tag != several && strcmp(*tag, p + ARG_DIGEST_HEADER)) {
			*tag = several;
			nr++;
		}
	}
	for (tag = digests->tags; tag < digests->tags + ARG_DIGESTS; tag++)
		if (*tag == several)
			*tag = NULL;
	return nr;
}
EXPORT_SYMBOL_IF_KUNIT(arg_digests_find);
