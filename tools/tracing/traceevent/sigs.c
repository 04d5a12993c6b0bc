// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of functions that a recording carries
 *
 * The text of the signatures is parsed once, see sigs_parse.c, in a copy that names and
 * signatures point into.  The text comes from a file, so a signature is checked before it
 * is used.
 *
 * The name and the signature of a function are looked up when an event of the function is
 * first seen, and kept.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "sigs_sets.h"

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

/* With IBT the traced address is behind an ENDBR64, 4 bytes past the symbol */
#define ENDBR_SIZE	4

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

	if (!sigs)
		return NULL;
	sigs->tep = tep;
	sigs->cache_bits = CACHE_BITS;
	sigs->cache = calloc(1 << CACHE_BITS, sizeof(*sigs->cache));
	sigs->copy = strdup(text);
	if (!sigs->cache || !sigs->copy)
		goto fail;
	if (!sigs_parse(sigs))
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
		       sigs_compare_entries);
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
