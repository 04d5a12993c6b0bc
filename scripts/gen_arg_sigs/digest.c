// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to the digests of objects
 *
 * The file "digests" lists the parts that distinguish the objects of a type.  Each part is
 * an expression on the object.  An object file gets a description with the offsets of the
 * parts if the object file has a function with a pointer to the type, and all types that
 * the expressions need.  See Documentation/trace/arg-sigs-format.rst.  In another object
 * file with a function of this kind, the type may be incomplete.  The final link keeps one
 * copy of equal descriptions.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/**
 * struct digest - a line of the list
 * @type: "struct TAG"
 * @parts: the parts, with commas
 */
struct digest {
	const char *type;
	const char *parts;
};

static const struct digest digests[] = {
#define DIGEST(type, ...) { #type, #__VA_ARGS__ },
#include "digests"
#undef DIGEST
};

/* The letters of digests in the reads of a signature, in the order of the list */
static const char codes[] =
	"efghijklmnopqrstuvwxyzEFGHIJKLMNOPQRSTUVWXYZ0123456789+,-./:<=>?@[]^_`{|}'()";

_Static_assert(ARRAY_SIZE(digests) < sizeof(codes), "digests: too many types");

/* The result of an expression */
enum resolved {
	RESOLVED,
	NO_MEMBER,	/* the part is left out */
	NO_TYPE,	/* this object file does not have all of the types */
};

/**
 * struct place - the current place in an object while an expression is followed
 * @type: the type there
 * @offset: bytes from the target of the last pointer
 * @first: the lowest bit of a bit-field, counted from @offset 0
 * @bits: width of the bit-field; 0 if the place is not a bit-field
 */
struct place {
	Dwarf_Die type;
	Dwarf_Word offset;
	Dwarf_Word first;
	Dwarf_Word bits;
};

static const char *tag_of(const struct digest *digest)
{
	return digest->type + strlen("struct ");
}

/*
 * Find out whether the target of a pointer has a digest. Returns the letter of the digest, 0
 * if the target has none.
 */
char sigs_read_digest(struct sigs *sigs, const Dwarf_Die *pointer)
{
	Dwarf_Die die = *pointer;
	const char *name;
	size_t i;

	/*
	 * A typedef has no digest, because the signature does not have the tag of its
	 * struct
	 */
	if (!die_skip_qualifiers(&die) || dwarf_tag(&die) != DW_TAG_pointer_type ||
	    die_type(&die, &die) != 1 || !die_skip_qualifiers(&die))
		return 0;
	name = dwarf_tag(&die) == DW_TAG_structure_type ? dwarf_diename(&die) : NULL;
	for (i = 0; name && i < ARRAY_SIZE(digests); i++)
		if (!strcmp(tag_of(&digests[i]), name))
			break;
	if (!name || i == ARRAY_SIZE(digests))
		return 0;
	if (!sigs->digests)
		sigs->digests = xcalloc(ARRAY_SIZE(digests), sizeof(*sigs->digests));
	if (!dwarf_hasattr(&die, DW_AT_declaration))
		sigs->digests[i] = die;
	return codes[i];
}

/* Go to a member of the record at @place, or of the nameless records in this record */
static bool find_member(struct place *place, const char *name, size_t len, unsigned int depth)
{
	struct place next;
	Dwarf_Die member;
	const char *found;
	int ret;

	if (depth > MAX_DEPTH)
		return false;
	for (ret = die_child(&place->type, DW_TAG_member, &member); !ret;
	     ret = die_next(&member, DW_TAG_member)) {
		Dwarf_Word location = 0;

		if (dwarf_hasattr(&member, DW_AT_data_member_location) &&
		    !die_udata(&member, DW_AT_data_member_location, &location))
			return false;
		next = (struct place){ .offset = place->offset + location };
		if (die_type(&member, &next.type) != 1)
			return false;
		found = dwarf_diename(&member);
		if (!found) {
			if (die_peel(&next.type) == 1 && die_is_record(&next.type) &&
			    find_member(&next, name, len, depth + 1)) {
				*place = next;
				return true;
			}
		} else if (!strncmp(found, name, len) && !found[len]) {
			if (dwarf_hasattr(&member, DW_AT_bit_size)) {
				if (!die_bits(&member, location, &next.first, &next.bits))
					return false;
				next.first += 8 * place->offset;
			}
			*place = next;
			return true;
		}
	}
	return false;
}

/* Go to an element of the array at @place */
static bool find_element(struct place *place, unsigned long index)
{
	Dwarf_Word size;

	if (die_peel(&place->type) != 1 || dwarf_tag(&place->type) != DW_TAG_array_type ||
	    die_type(&place->type, &place->type) != 1 || !die_size(&place->type, &size))
		return false;
	place->offset += index * size;
	return true;
}

/* Go to the target of the pointer at @place, and write the pointer's offset */
static bool follow(struct place *place, struct text *path)
{
	if (place->bits || die_peel(&place->type) != 1 ||
	    dwarf_tag(&place->type) != DW_TAG_pointer_type ||
	    die_type(&place->type, &place->type) != 1)
		return false;
	text_addf(path, "%llu>", (unsigned long long)place->offset);
	place->offset = 0;
	return true;
}

static enum resolved check_record(struct place *place)
{
	if (place->bits || die_peel(&place->type) != 1 || !die_is_record(&place->type))
		return NO_MEMBER;
	return dwarf_hasattr(&place->type, DW_AT_declaration) ? NO_TYPE : RESOLVED;
}

/* Follow an expression from the object at @place, and write the offsets of its pointers */
static enum resolved follow_members(struct place *place, struct text *path, const char *p)
{
	enum resolved result;
	size_t len;

	while (!(result = check_record(place))) {
		for (len = 0; isalnum(p[len]) || p[len] == '_'; len++)
			;
		if (!len || !find_member(place, p, len, 0))
			return NO_MEMBER;
		p += len;
		while (*p == '[') {
			char *end;

			if (!find_element(place, strtoul(p + 1, &end, 10)))
				return NO_MEMBER;
			p = end + strlen("]");
		}
		if (!*p)
			return RESOLVED;
		if (!strncmp(p, "->", 2)) {
			if (!follow(place, path))
				return NO_MEMBER;
			p += 2;
		} else {
			p++;
		}
	}
	return result;
}

static bool is_char(Dwarf_Die *die)
{
	char letter = die_peel(die) == 1 && dwarf_tag(die) == DW_TAG_base_type ?
		basic_type_letter(die) : 0;

	return letter == 'c' || letter == 'a' || letter == 'h';
}

/*
 * Write the type of a part: text, the address of a function, or a number.  @flags: names of
 * the number's values, or NULL.
 */
static enum resolved part_type(struct sigs *sigs, struct text *out, const struct place *place,
			       const struct flag_set *flags)
{
	Dwarf_Die type = place->type, target;
	Dwarf_Word size;
	int ret;

	ret = die_peel(&type);
	if (ret != 1)
		return NO_MEMBER;
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		if (!die_udata(&type, DW_AT_byte_size, &size) ||
		    (size != 1 && size != 2 && size != 4 && size != 8))
			return NO_MEMBER;
		target = place->type;
		/* Files without the enum of a typedef's bits have the same digest as the others */
		if (flags)
			sigs_add_named_type(sigs, out, flags, &target);
		else
			sigs_add_type(sigs, out, &target);
		return RESOLVED;
	case DW_TAG_array_type:
		if (!die_size(&type, &size) || size < 2 || size > UINT16_MAX ||
		    die_type(&type, &target) != 1 || !is_char(&target))
			return NO_MEMBER;
		text_addf(out, "A%llu_c", (unsigned long long)size);
		return RESOLVED;
	case DW_TAG_pointer_type:
		if (die_type(&type, &target) != 1)
			return NO_MEMBER;
		type = target;
		if (is_char(&type)) {
			text_add(out, "Pc");
			return RESOLVED;
		}
		if (dwarf_tag(&type) != DW_TAG_subroutine_type)
			return NO_MEMBER;
		text_add(out, "PFv_");
		return RESOLVED;
	default:
		return NO_MEMBER;
	}
}

/*
 * Write the parts of a digest that is a network address: numbers of 64 bits from the begin of the
 * object on. The typedef of the first number tells the reader which address it is. Returns false
 * if @part is no such part.
 */
static bool add_address(struct text *out, const char *part)
{
	static const struct {
		const char *part;
		const char *type;
		unsigned int nr;
	} addresses[] = {
		{ "sockaddr address",	"Tsockaddr;", 3 },
		{ "in6_addr address",	"Tin6_addr;", 2 },
	};
	unsigned int i, word;

	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		if (!strcmp(part, addresses[i].part))
			break;
	if (i == ARRAY_SIZE(addresses))
		return false;
	for (word = 0; word < addresses[i].nr; word++)
		text_addf(out, "%u%syaddress;", 8 * word, word ? "" : addresses[i].type);
	return true;
}

/* Write one part of a digest, "[LABEL=]EXPRESSION[:u]" */
static enum resolved add_part(struct sigs *sigs, struct text *out, const Dwarf_Die *type,
			      char *part)
{
	static const char decimal[] = "Du;";
	char *format = strchr(part, ':');
	const char *equals = strchr(part, '=');
	const char *expression = equals ? equals + 1 : part;
	struct place place = { .type = *type };
	Dwarf_Die owner = *type;
	struct text path = {}, value = {};
	enum resolved result;

	if (add_address(out, part))
		return RESOLVED;
	text_reset(&path);
	text_reset(&value);
	if (format) {
		*format = '\0';
		text_add(&value, decimal);
	}
	result = follow_members(&place, &path, expression);
	if (!result)
		result = part_type(sigs, &value, &place, flags_find_member(&owner, expression));
	if (!result && (place.offset > UINT16_MAX || path.failed ||
			value.failed || (place.bits && place.first > 8 * UINT16_MAX)))
		result = NO_MEMBER;
	if (!result) {
		text_add(out, path.buf);
		if (place.bits)
			text_addf(out, "%llu:%llu", (unsigned long long)place.first,
				  (unsigned long long)place.bits);
		else
			text_addf(out, "%llu", (unsigned long long)place.offset);
		text_add(out, value.buf);
		text_addf(out, "%s;", part);
	}
	free(path.buf);
	free(value.buf);
	return result;
}

/*
 * Write the description of a type's digest, unless this object file lacks the types. The
 * description of a type without the members has no parts. It tells that the type is another
 * type than that of the kernel.
 */
static void add_digest(struct sigs *sigs, const struct digest *digest, const Dwarf_Die *type)
{
	char *parts = xstrdup(digest->parts), *rest = parts, *part;
	struct text out = {}, ref = {};
	enum resolved result = RESOLVED;

	text_addf(&out, "d%c", codes[digest - digests]);
	text_add_name(&out, tag_of(digest));
	text_reset(&ref);
	while (result != NO_TYPE && (part = strsep(&rest, ",")))
		result = add_part(sigs, &out, type, part + strspn(part, " "));
	if (result != NO_TYPE)
		sigs_add_description(sigs, &ref, &out);
	free(parts);
	free(out.buf);
	free(ref.buf);
}

/* Add the descriptions of the digests that signatures refer to */
void sigs_add_digests(struct sigs *sigs)
{
	size_t i;

	for (i = 0; sigs->digests && i < ARRAY_SIZE(digests); i++)
		if (sigs->digests[i].addr)
			add_digest(sigs, &digests[i], &sigs->digests[i]);
	/* Functions that have a malformed type report it; a digest does not */
	sigs->malformed = NULL;
}
