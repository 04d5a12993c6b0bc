// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of functions that a recording carries
 *
 * Documentation/trace/arg-sigs-format.rst has the grammar. The text is parsed once, in a
 * copy that names and signatures point into.  The text comes from a file, so no length in
 * it is trusted, and a signature is checked before it is used.
 *
 * The name and the signature of a function are looked up when an event of the function is
 * first seen, and kept.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "sigs.h"

/* The cache: initial number of slots, and maximum number of functions */
#define CACHE_BITS	10
#define CACHE_MAX	0x40000

/* The addresses of an image of x86-64, and its minimum alignment */
#define IMAGE_FIRST	0xffffffff80000000ULL
#define IMAGE_LAST	0xffffffffc0000000ULL
#define IMAGE_ALIGN	0x200000ULL
#define IMAGE_SAMPLES	64

/* Maximum bytes of the image behind its last function that has a signature */
#define IMAGE_BEHIND	0x1000000ULL

#define PAGE_SIZE	4096

/* A module was loaded at the end, was so where another one had been, or was gone */
#define MODULE_STATES	"mrg"

/* With IBT the traced address is behind an ENDBR64, 4 bytes past the symbol */
#define ENDBR_SIZE	4

/**
 * struct sig_entry - a function that has a signature
 * @addr: its traced address; in the image, from _text
 * @sig: its signature, from the set's text
 * @name: its name, NULL if the symbols have to tell
 */
struct sig_entry {
	u64		addr;
	u32		sig;
	const char	*name;
};

/**
 * struct sig_set - the signatures of the image or of one module
 * @id: its number
 * @state: whether its module was there, one of MODULE_STATES
 * @module: the module's name, NULL for the image
 * @text: the signatures
 * @size: bytes of @text
 * @types: the descriptions
 * @entries: the functions, by address
 * @nr: how many there are
 */
struct sig_set {
	u32			id;
	char			state;
	const char		*module;
	const char		*text;
	u32			size;
	struct arg_types	types;
	struct sig_entry	*entries;
	u32			nr;
};

/**
 * struct gfp_flag - a flag of gfp_t, or several
 * @name: what they are called
 * @val: the bits
 */
struct gfp_flag {
	const char	*name;
	u64		val;
};

/**
 * struct sigs - the signatures of a recording
 * @tep: the handle that knows its symbols
 * @copy: the text
 * @gfp: the flags of gfp_t
 * @nr_gfp: how many there are
 * @base: where the image was, 0 if that is not known
 * @image: the set of the image
 * @digests: what tells the objects of a type apart
 * @exprs: the descriptions of expressions
 * @nr_exprs: how many there are
 * @modules: the sets of modules
 * @nr_modules: how many there are
 * @cache: functions by address and set
 * @cache_bits: the hash has two to this power slots
 * @nr_cached: how many functions it has
 */
struct sigs {
	struct tep_handle	*tep;
	char			*copy;
	struct gfp_flag		*gfp;
	u32			nr_gfp;
	u64			base;
	struct sig_set		image;
	struct arg_digests	digests;
	const char		**exprs;
	u32			nr_exprs;
	struct sig_set		*modules;
	u32			nr_modules;
	struct sig_func		**cache;
	unsigned int		cache_bits;
	u32			nr_cached;
};

/**
 * struct cursor - the reading position in the text
 * @pos: the next character
 * @end: the text's NUL
 */
struct cursor {
	char	*pos;
	char	*end;
};

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

/* Read a decimal number with its ';' */
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

/* Read a name up to the character @end, which becomes the name's NUL */
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

/* Read digits of 5 bits, the lowest first; 32 says that another digit follows */
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

/* Read the text of descriptions or signatures; each of them ends with NUL */
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

static int compare_entries(const void *a, const void *b)
{
	const struct sig_entry *one = a, *other = b;

	return one->addr < other->addr ? -1 : one->addr > other->addr;
}

static bool read_function(struct cursor *in, struct sig_set *set, u64 *addr)
{
	struct sig_entry *entry = &set->entries[set->nr];
	u64 delta, sig;

	if (!read_varint(in, &delta) || !read_varint(in, &sig) ||
	    sig >= set->size)
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

static bool read_table(struct cursor *in, struct sig_set *set)
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
		if (!read_function(in, set, &addr))
			return false;
	qsort(set->entries, nr, sizeof(*set->entries), compare_entries);
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

static bool read_module(struct cursor *in, struct sigs *sigs, char state)
{
	struct sig_set *sets = sigs->modules, *set;

	/* A power of two is full */
	if (!(sigs->nr_modules & (sigs->nr_modules - 1))) {
		sets = realloc(sets, sizeof(*sets) * max(2 * sigs->nr_modules, 1U));
		if (!sets)
			return false;
		sigs->modules = sets;
	}
	set = &sets[sigs->nr_modules];
	memset(set, 0, sizeof(*set));
	set->state = state;
	sigs->nr_modules++;
	if (!read_number(in, &set->id))
		return false;
	set->module = read_name(in, ';');
	return set->module && read_table(in, set);
}

/* Read the descriptions of digests; modules have those of the image */
static bool read_digests(struct cursor *in, struct sigs *sigs)
{
	struct arg_types types = { };
	u32 i;

	if (!read_text(in, &types.text, &types.size) ||
	    arg_types_count(types.text, types.size) < 0)
		return false;
	arg_digests_find(&sigs->digests, &types);
	sigs->digests.types = &sigs->image.types;
	sigs->image.types.digests = &sigs->digests;
	for (i = 0; i < sigs->nr_modules; i++)
		sigs->modules[i].types.digests = &sigs->digests;
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

static bool read_sigs(struct cursor *in, struct sigs *sigs)
{
	static const char version[] = "arg_sigs 1;";

	if (strncmp(in->pos, version, strlen(version)))
		return false;
	in->pos += strlen(version);
	if (read_char(in, 'g') && !read_gfp(in, sigs))
		return false;
	if (!read_table(in, &sigs->image))
		return false;
	while (*in->pos && strchr(MODULE_STATES, *in->pos))
		if (!read_module(in, sigs, *in->pos++))
			return false;
	return read_char(in, '.') && (!read_char(in, 'd') || read_digests(in, sigs)) &&
	       (!read_char(in, 'e') || read_exprs(in, sigs));
}

static bool is_function(const struct sigs *sigs, u64 addr)
{
	u64 start = tep_find_function_address(sigs->tep, addr);

	return start && (addr == start || addr == start + ENDBR_SIZE);
}

/* Count sample functions that have a symbol if the image is at @base */
static unsigned int count_functions(const struct sigs *sigs, u64 base)
{
	u32 nr = min_t(u32, sigs->image.nr, IMAGE_SAMPLES);
	unsigned int found = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		u32 each = (u64)i * sigs->image.nr / nr;

		found += is_function(sigs, base + sigs->image.entries[each].addr);
	}
	return found;
}

/*
 * Find the address of the image, which KASLR moves. _text cannot be looked up by its
 * name, but with the right address each function has a symbol.
 */
static u64 find_base(const struct sigs *sigs)
{
	unsigned int found, most = min_t(u32, sigs->image.nr, IMAGE_SAMPLES) / 2;
	u64 base, best = 0;

	for (base = IMAGE_FIRST; base < IMAGE_LAST; base += IMAGE_ALIGN) {
		if (tep_find_function_address(sigs->tep, base) != base)
			continue;
		found = count_functions(sigs, base);
		if (found > most) {
			most = found;
			best = base;
		}
	}
	return best;
}

/**
 * sigs_read - read the signatures of a recording
 * @tep: the handle that knows its symbols
 * @text: the signatures as text, see Documentation/trace/arg-sigs-format.rst
 *
 * Return: the signatures, NULL if the text is malformed, or without memory.
 */
struct sigs *sigs_read(struct tep_handle *tep, const char *text)
{
	struct sigs *sigs = calloc(1, sizeof(*sigs));
	struct cursor in;

	if (!sigs)
		return NULL;
	sigs->tep = tep;
	sigs->cache_bits = CACHE_BITS;
	sigs->cache = calloc(1 << CACHE_BITS, sizeof(*sigs->cache));
	sigs->copy = strdup(text);
	if (!sigs->cache || !sigs->copy)
		goto fail;
	in.pos = sigs->copy;
	in.end = sigs->copy + strlen(sigs->copy);
	if (!read_sigs(&in, sigs))
		goto fail;
	sigs->base = find_base(sigs);
	return sigs;
fail:
	sigs_free(sigs);
	return NULL;
}

static void free_set(struct sig_set *set)
{
	free(set->types.index);
	free(set->entries);
}

static void empty_cache(struct sigs *sigs)
{
	struct sig_func *func;
	u32 i;

	for (i = 0; sigs->nr_cached; i++) {
		while ((func = sigs->cache[i])) {
			sigs->cache[i] = func->next;
			sigs->nr_cached--;
			free(func);
		}
	}
}

/**
 * sigs_trim - forget functions if there are too many
 * @sigs: the signatures
 *
 * Functions that sigs_find() returned before must not be used any more.
 */
void sigs_trim(struct sigs *sigs)
{
	if (sigs->nr_cached >= CACHE_MAX)
		empty_cache(sigs);
}

/**
 * sigs_free - free what sigs_read() returned
 * @sigs: the signatures, or NULL
 */
void sigs_free(struct sigs *sigs)
{
	u32 i;

	if (!sigs)
		return;
	empty_cache(sigs);
	free(sigs->cache);
	for (i = 0; i < sigs->nr_modules; i++)
		free_set(&sigs->modules[i]);
	free(sigs->modules);
	free(sigs->exprs);
	free_set(&sigs->image);
	free(sigs->gfp);
	free(sigs->copy);
	free(sigs);
}

/**
 * sigs_exprs - the description of expressions
 * @sigs: the signatures
 * @nr: the description's number
 *
 * Return: the description, NULL if there is none.
 */
const char *sigs_exprs(const struct sigs *sigs, u32 nr)
{
	return nr < sigs->nr_exprs ? sigs->exprs[nr] : NULL;
}

/**
 * sigs_gfp_flag - the name of a flag of gfp_t
 * @sigs: the signatures
 * @n: number of the flag
 * @flag: set to its bits
 *
 * Return: its name, NULL if there are no more.
 */
const char *sigs_gfp_flag(const struct sigs *sigs, unsigned int n, u64 *flag)
{
	if (n >= sigs->nr_gfp)
		return NULL;
	*flag = sigs->gfp[n].val;
	return sigs->gfp[n].name;
}

static const struct sig_entry *find_entry(const struct sig_set *set, u64 addr)
{
	const struct sig_entry key = { .addr = addr };

	return bsearch(&key, set->entries, set->nr, sizeof(key),
		       compare_entries);
}

static const struct sig_set *find_set(const struct sigs *sigs, u32 id)
{
	u32 i;

	for (i = 0; i < sigs->nr_modules; i++)
		if (sigs->modules[i].id == id)
			return &sigs->modules[i];
	return NULL;
}

/*
 * If an address has several names, the kernel takes the first one of kallsyms.
 * libtraceevent has the names in the reverse order. It takes any of them for the address
 * itself, and the last one for addresses behind it.
 */
static void find_symbol(const struct sigs *sigs, struct sig_func *func)
{
	u64 start = tep_find_function_address(sigs->tep, func->ip);

	if (!start || (func->ip != start && func->ip != start + ENDBR_SIZE))
		return;
	func->start = start;
	if (tep_find_function_address(sigs->tep, start + 1) == start)
		start++;
	func->name = tep_find_function(sigs->tep, start);
}

static bool is_symbol(const struct sigs *sigs, const struct sig_entry *entry)
{
	struct sig_func func = { .ip = entry->addr };

	find_symbol(sigs, &func);
	return func.name && entry->name && !strcmp(func.name, entry->name);
}

/* Whether an address is between functions that a module had to the end */
static bool is_inside(const struct sigs *sigs, const struct sig_set *set,
		      u64 addr)
{
	u32 low = 0, high = set->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (set->entries[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && low < set->nr && is_symbol(sigs, &set->entries[low - 1]) &&
	       is_symbol(sigs, &set->entries[low]);
}

static void set_signature(struct sig_func *func, const struct sig_set *set,
			  const struct sig_entry *entry)
{
	if (!arg_sig_valid(set->text + entry->sig))
		return;
	func->sig = set->text + entry->sig;
	func->types = &set->types;
}

/* Take the function's name from its symbol if the event does not know the set */
static void find_by_symbol(const struct sigs *sigs, struct sig_func *func)
{
	const struct sig_set *set, *owner = NULL;
	const struct sig_entry *entry, *own = NULL;
	u32 i;

	find_symbol(sigs, func);
	if (!func->name)
		return;
	for (i = 0; i < sigs->nr_modules; i++) {
		set = &sigs->modules[i];
		if (set->state == 'g')
			continue;
		entry = find_entry(set, func->ip);
		if (entry && is_symbol(sigs, entry))
			own = entry;
		else if (entry || own || !is_inside(sigs, set, func->ip))
			continue;
		owner = set;
	}
	if (owner)
		func->module = owner->module;
	/* Another function may have been at the address before */
	if (own && owner->state == 'm')
		set_signature(func, owner, own);
}

static void find_in_set(const struct sigs *sigs, struct sig_func *func)
{
	const struct sig_set *set = find_set(sigs, func->set);
	const struct sig_entry *entry;

	entry = set ? find_entry(set, func->ip) : NULL;
	if (!entry)
		return;
	func->name = entry->name;
	func->module = set->module;
	set_signature(func, set, entry);
}

static void find_func(const struct sigs *sigs, struct sig_func *func)
{
	const struct sig_entry *entry = NULL;

	if (sigs->base && func->ip >= sigs->base)
		entry = find_entry(&sigs->image, func->ip - sigs->base);
	if (entry) {
		find_symbol(sigs, func);
		if (func->name)
			set_signature(func, &sigs->image, entry);
	} else if (func->set == SIGS_NO_SET) {
		find_by_symbol(sigs, func);
	} else {
		find_in_set(sigs, func);
	}
}

/* Symbols have no sizes: does the function at @start reach up to @addr? */
static bool is_known(const struct sigs *sigs, u64 start, u64 addr)
{
	u64 last = sigs->image.nr ?
		   sigs->image.entries[sigs->image.nr - 1].addr : 0;
	u32 i;

	if (sigs->base && addr >= sigs->base &&
	    addr < min(sigs->base + last + IMAGE_BEHIND, IMAGE_LAST))
		return true;
	/* A module keeps whole pages when its init code goes */
	if (start / PAGE_SIZE == addr / PAGE_SIZE)
		return true;
	for (i = 0; i < sigs->nr_modules; i++)
		if (sigs->modules[i].state != 'g' &&
		    is_inside(sigs, &sigs->modules[i], addr))
			return true;
	return false;
}

/**
 * sigs_find_caller - find the function that a call came from
 * @sigs: the signatures
 * @addr: the address that the call returns to
 * @start: set to the function's address
 *
 * Return: its name, NULL if it is not known.
 */
const char *sigs_find_caller(struct sigs *sigs, u64 addr, u64 *start)
{
	*start = tep_find_function_address(sigs->tep, addr);
	if (!*start || !is_known(sigs, *start, addr))
		return NULL;
	return tep_find_function(sigs->tep, addr);
}

static struct sig_func **find_slot(const struct sigs *sigs, u64 ip, u32 set)
{
	u64 hash = (ip ^ (u64)set << 32) * 0x9e3779b97f4a7c15ULL;

	return &sigs->cache[hash >> (64 - sigs->cache_bits)];
}

/* Twice the slots, so that there is about one function in each */
static void grow_cache(struct sigs *sigs)
{
	u32 slots = 1 << sigs->cache_bits, i;
	struct sig_func **old = sigs->cache, **slot, *func;

	sigs->cache = calloc(2 * slots, sizeof(*sigs->cache));
	if (!sigs->cache) {
		sigs->cache = old;
		return;
	}
	sigs->cache_bits++;
	for (i = 0; i < slots; i++) {
		while ((func = old[i])) {
			old[i] = func->next;
			slot = find_slot(sigs, func->ip, func->set);
			func->next = *slot;
			*slot = func;
		}
	}
	free(old);
}

/**
 * sigs_find - find a function
 * @sigs: the signatures
 * @ip: its address
 * @set: number of the set that the event has, SIGS_NO_SET if it has none
 *
 * Return: the function, even if little is known of it; NULL without memory. It is valid
 * until sigs_trim() or sigs_free().
 */
const struct sig_func *sigs_find(struct sigs *sigs, u64 ip, u32 set)
{
	struct sig_func *func, **slot;

	for (func = *find_slot(sigs, ip, set); func; func = func->next)
		if (func->ip == ip && func->set == set)
			return func;
	func = calloc(1, sizeof(*func));
	if (!func)
		return NULL;
	func->ip = ip;
	func->set = set;
	find_func(sigs, func);
	if (sigs->nr_cached >= 1U << sigs->cache_bits)
		grow_cache(sigs);
	slot = find_slot(sigs, ip, set);
	func->next = *slot;
	*slot = func;
	sigs->nr_cached++;
	return func;
}
