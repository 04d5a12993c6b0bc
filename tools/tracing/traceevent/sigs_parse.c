// SPDX-License-Identifier: GPL-2.0
/*
 * Parse the signatures of a recording
 *
 * Documentation/trace/arg-sigs-format.rst has the grammar.  The text comes from a file, so
 * each length in it is checked.  sigs.c checks a signature before it is used.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/ctype.h>
#include <linux/kernel.h>

#include "sigs_sets.h"

/**
 * struct cursor - the reading position in the text
 * @pos: the next character
 * @end: the text's NUL
 */
struct cursor {
	char	*pos;
	char	*end;
};

/* The start of a file of signatures */
#define FILE_VERSION	"arg_sigs_file 1;"

static size_t left(const struct cursor *in)
{
	return in->end - in->pos;
}

static bool read_char(struct cursor *in, char c)
{
	if (*in->pos != c)
		return false;
	in->pos++;
	return true;
}

/* Read a decimal number and the ';' after it */
static bool read_number(struct cursor *in, u32 *val)
{
	unsigned long num = 0;

	if (!isdigit(*in->pos))
		return false;
	for (; isdigit(*in->pos); in->pos++) {
		num = num * 10 + *in->pos - '0';
		if (num > UINT32_MAX)
			return false;
	}
	*val = num;
	return read_char(in, ';');
}

/* Read a name up to the character @end. This character becomes the name's NUL. */
static const char *read_name(struct cursor *in, char end)
{
	char *name = in->pos;
	char *p = memchr(name, end, left(in));

	if (!p)
		return NULL;
	*p = '\0';
	in->pos = p + 1;
	return name;
}

static int digit_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Read digits of 5 bits, the lowest digit first. 32 means that another digit follows. */
static bool read_varint(struct cursor *in, u64 *val)
{
	unsigned int shift = 0;
	int digit;

	*val = 0;
	do {
		digit = digit_value(*in->pos);
		if (digit < 0 || shift >= 64)
			return false;
		in->pos++;
		*val |= (u64)(digit & 31) << shift;
		shift += 5;
	} while (digit & 32);
	return true;
}

/* Read the text of descriptions or signatures. Each of them ends with a NUL. */
static bool read_text(struct cursor *in, const char **text, u32 *size)
{
	char *p, *end;

	if (!read_number(in, size) || *size > left(in))
		return false;
	*text = in->pos;
	end = in->pos + *size;
	if (*size && end[-1] != '~')
		return false;
	for (p = in->pos; (p = memchr(p, '~', end - p)); )
		*p++ = '\0';
	in->pos = end;
	return true;
}

static bool index_types(struct arg_types *types)
{
	int nr = arg_types_count(types->text, types->size);
	u32 slots;

	if (nr < 0)
		return false;
	slots = arg_types_slots(nr);
	types->index = calloc(slots, sizeof(*types->index));
	if (!types->index)
		return false;
	types->mask = slots - 1;
	arg_types_index(types);
	return true;
}

/**
 * sigs_compare_entries - compare functions by their addresses, for qsort() and bsearch()
 * @a: a struct sig_entry
 * @b: another struct sig_entry
 *
 * Return: below 0, 0 or above, as memcmp().
 */
int sigs_compare_entries(const void *a, const void *b)
{
	const struct sig_entry *one = a, *other = b;

	return one->addr < other->addr ? -1 : one->addr > other->addr;
}

/*
 * Read a function.  In a file, a signature is a whole text: strip_set() in sigs_file.c changes it
 * to what the recording has.  The linker of a recorded kernel may let texts share an end.
 */
static bool read_function(struct cursor *in, struct sig_set *set, u64 *addr, bool from_file)
{
	struct sig_entry *entry = &set->entries[set->nr];
	u64 delta, sig;

	if (!read_varint(in, &delta) || !read_varint(in, &sig) ||
	    sig >= set->size || (from_file && sig && set->text[sig - 1]))
		return false;
	*addr += delta & 1 ? ~(delta >> 1) : delta >> 1;
	entry->addr = *addr;
	entry->sig = sig;
	if (set->module) {
		entry->name = read_name(in, ';');
		if (!entry->name)
			return false;
		if (!*entry->name)
			entry->name = NULL;
	}
	set->nr++;
	return true;
}

static bool read_set(struct cursor *in, struct sig_set *set, bool from_file)
{
	u64 addr = 0;
	u32 nr;

	if (!read_text(in, &set->types.text, &set->types.size) ||
	    !index_types(&set->types) ||
	    !read_text(in, &set->text, &set->size) ||
	    !read_number(in, &nr) || nr > left(in) / 2)
		return false;
	set->entries = calloc(nr + 1, sizeof(*set->entries));
	if (!set->entries)
		return false;
	while (set->nr < nr)
		if (!read_function(in, set, &addr, from_file))
			return false;
	qsort(set->entries, nr, sizeof(*set->entries), sigs_compare_entries);
	return true;
}

static bool read_gfp(struct cursor *in, struct sigs *sigs)
{
	u32 nr;

	if (!read_number(in, &nr) || nr > left(in) / 2)
		return false;
	sigs->gfp = calloc(nr + 1, sizeof(*sigs->gfp));
	if (!sigs->gfp)
		return false;
	while (sigs->nr_gfp < nr) {
		struct gfp_flag *flag = &sigs->gfp[sigs->nr_gfp];
		char *end;

		flag->name = read_name(in, '=');
		if (!flag->name)
			return false;
		flag->val = strtoull(in->pos, &end, 16);
		in->pos = end;
		if (!read_char(in, ';'))
			return false;
		sigs->nr_gfp++;
	}
	return true;
}

static struct sig_set *add_module(struct sigs *sigs)
{
	struct sig_set *sets = sigs->modules, *set;

	/* If the number is a power of two, the array is full */
	if (!(sigs->nr_modules & (sigs->nr_modules - 1))) {
		sets = realloc(sets, sizeof(*sets) * max(2 * sigs->nr_modules, 1U));
		if (!sets)
			return NULL;
		sigs->modules = sets;
	}
	set = &sets[sigs->nr_modules];
	memset(set, 0, sizeof(*set));
	sigs->nr_modules++;
	return set;
}

static bool read_module(struct cursor *in, struct sigs *sigs, char state)
{
	struct sig_set *set = add_module(sigs);

	if (!set)
		return false;
	set->state = state;
	if (!read_number(in, &set->id))
		return false;
	set->module = read_name(in, ';');
	return set->module && read_set(in, set, false);
}

/* Find the digests among descriptions. Modules use the digests of the image. */
static void find_digests(struct sigs *sigs, const struct arg_types *types)
{
	u32 i;

	arg_digests_find(&sigs->digests, types);
	sigs->digests.types = &sigs->image.types;
	sigs->image.types.digests = &sigs->digests;
	for (i = 0; i < sigs->nr_modules; i++)
		sigs->modules[i].types.digests = &sigs->digests;
}

/* Up to version 1, the digests are no part of the image's descriptions */
static bool read_digests(struct cursor *in, struct sigs *sigs)
{
	struct arg_types types = sigs->image.types;

	if (read_char(in, 'd') && (!read_text(in, &types.text, &types.size) ||
				   arg_types_count(types.text, types.size) < 0))
		return false;
	find_digests(sigs, &types);
	return true;
}

/* Read the descriptions of expressions, in the order of their numbers */
static bool read_exprs(struct cursor *in, struct sigs *sigs)
{
	const char *text, *p;
	u32 size, nr = 0;

	if (!read_text(in, &text, &size))
		return false;
	for (p = text; p < text + size; p += strlen(p) + 1)
		nr++;
	sigs->exprs = calloc(nr + 1, sizeof(*sigs->exprs));
	if (!sigs->exprs)
		return false;
	for (p = text; p < text + size; p += strlen(p) + 1)
		sigs->exprs[sigs->nr_exprs++] = p;
	return true;
}

/* Read the sets of a file of signatures. Each function of a file has a name. */
static bool read_file_sets(struct cursor *in, struct sigs *sigs)
{
	struct sig_set *set;

	sigs->from_file = true;
	in->pos += strlen(FILE_VERSION);
	if (!read_name(in, ';'))
		return false;
	while (read_char(in, 's')) {
		set = add_module(sigs);
		if (!set)
			return false;
		set->id = SIGS_NO_SET;
		set->state = 'g';
		set->module = read_name(in, ';');
		if (!set->module || !read_name(in, ';') || !read_set(in, set, true))
			return false;
		if (!strcmp(set->module, "vmlinux") && !sigs->image.entries) {
			sigs->image = *set;
			sigs->image.module = NULL;
			sigs->nr_modules--;
		}
	}
	find_digests(sigs, &sigs->image.types);
	return read_char(in, '.');
}

static bool read_sigs(struct cursor *in, struct sigs *sigs)
{
	static const char version[] = "arg_sigs ";

	if (!strncmp(in->pos, FILE_VERSION, strlen(FILE_VERSION)))
		return read_file_sets(in, sigs);
	if (strncmp(in->pos, version, strlen(version)))
		return false;
	in->pos += strlen(version);
	/* Version 2 has another format of exits, and the signatures as the kernel has them */
	if ((!read_char(in, '1') && !read_char(in, '2')) || !read_char(in, ';'))
		return false;
	if (read_char(in, 'g') && !read_gfp(in, sigs))
		return false;
	if (!read_set(in, &sigs->image, false))
		return false;
	while (*in->pos && strchr(MODULE_STATES, *in->pos))
		if (!read_module(in, sigs, *in->pos++))
			return false;
	return read_char(in, '.') && read_digests(in, sigs) &&
	       (!read_char(in, 'e') || read_exprs(in, sigs));
}

/**
 * sigs_parse - parse the signatures of a recording
 * @sigs: the signatures; the results point into @sigs->copy
 *
 * Return: false if the text is malformed or if there is no memory.
 */
bool sigs_parse(struct sigs *sigs)
{
	struct cursor in = {
		.pos = sigs->copy,
		.end = sigs->copy + strlen(sigs->copy),
	};

	return read_sigs(&in, sigs);
}
