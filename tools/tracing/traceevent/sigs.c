// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of functions in a recording
 *
 * sigs_parse.c parses a copy of the text once.  Names and signatures point into this
 * copy.  The text comes from a file, so a signature is checked before it is used.
 *
 * The name and the signature of a function are looked up at the first event of the
 * function, and cached.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "../../../kernel/trace/args/text.h"
#include "sigs_sets.h"

/* The cache: initial number of slots, and maximum number of functions */
#define CACHE_BITS	10
#define CACHE_MAX	0x40000

/* The minimum alignment of an image: SEGMENT_ALIGN of arm64, x86-64 has 2 MB */
#define IMAGE_ALIGN	0x10000ULL
#define IMAGE_SAMPLES	64

/* The end of the addresses of an image of x86-64 */
#define IMAGE_LAST	0xffffffffc0000000ULL

/* Maximum bytes of the image after its last function with a signature */
#define IMAGE_BEHIND	0x1000000ULL

#define PAGE_SIZE	4096

/*
 * Maximum bytes from a function's symbol to the traced address: an ENDBR64 of 4 bytes, or BTI
 * and a NOP of arm64
 */
#define MAX_OFFSET	8

/* Whether a function is traced at an address. All instructions before it have 4 bytes. */
static bool is_traced_at(u64 start, u64 addr)
{
	return start && addr - start <= MAX_OFFSET && !((addr - start) % 4);
}

static bool is_function(const struct sigs *sigs, u64 addr)
{
	return is_traced_at(tep_find_function_address(sigs->tep, addr), addr);
}

/* Count the sample functions that would have a symbol if the image were at @base */
static unsigned int count_samples(const struct sigs *sigs, u64 base)
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

/**
 * sigs_last_symbol - find the last symbol of a recording
 * @tep: the handle that knows the recording's symbols
 * @addr: an address that belongs to a symbol
 *
 * All addresses from the first symbol to the last belong to one.
 *
 * Return: the start of the last symbol, 0 if @addr belongs to no symbol.
 */
u64 sigs_last_symbol(struct tep_handle *tep, u64 addr)
{
	u64 step = 1;

	if (!tep_find_function_address(tep, addr))
		return 0;
	while (addr + step > addr && tep_find_function_address(tep, addr + step))
		step *= 2;
	for (; step; step /= 2)
		if (addr + step > addr && tep_find_function_address(tep, addr + step))
			addr += step;
	return addr;
}

/*
 * Find the address of the image, which KASLR moves.  libtraceevent has no list of symbols, and
 * does not find _text by its name.  So go down from the last symbol, which @addr, any
 * function's address, leads to.  With the right address of the image, each function has a
 * symbol.
 */
static void find_image_base(struct sigs *sigs, u64 addr)
{
	unsigned int found, most = min_t(u32, sigs->image.nr, IMAGE_SAMPLES) / 2;

	if (sigs->placed)
		return;
	addr = sigs_last_symbol(sigs->tep, addr);
	sigs->placed = addr;
	for (; addr; addr--) {
		addr = tep_find_function_address(sigs->tep, addr);
		if (!addr)
			break;
		if (addr % IMAGE_ALIGN)
			continue;
		found = count_samples(sigs, addr);
		if (found > most) {
			most = found;
			sigs->base = addr;
		}
	}
}

/**
 * sigs_alloc - allocate signatures that are not parsed yet
 * @tep: the handle that knows the recording's symbols
 * @text: the text, which is freed with the signatures; NULL if there is no memory
 *
 * Return: the signatures, NULL if there is no memory.
 */
struct sigs *sigs_alloc(struct tep_handle *tep, char *text)
{
	struct sigs *sigs = text ? calloc(1, sizeof(*sigs)) : NULL;

	if (!sigs) {
		free(text);
		return NULL;
	}
	sigs->tep = tep;
	sigs->copy = text;
	if (!hash_init(&sigs->cache, CACHE_BITS)) {
		sigs_free(sigs);
		return NULL;
	}
	return sigs;
}

/**
 * sigs_read - read the signatures of a recording
 * @tep: the handle that knows the recording's symbols
 * @text: the signatures as text, see Documentation/trace/arg-sigs-format.rst
 *
 * Return: the signatures, NULL if the text is malformed or if there is no memory.
 */
struct sigs *sigs_read(struct tep_handle *tep, const char *text)
{
	struct sigs *sigs = sigs_alloc(tep, strdup(text));

	if (!sigs)
		return NULL;
	if (!sigs_parse(sigs) || sigs->from_file) {
		sigs_free(sigs);
		return NULL;
	}
	return sigs;
}

static void free_set(struct sig_set *set)
{
	free(set->types.index);
	free(set->entries);
}

/**
 * sigs_trim - empty the cache if it has too many functions
 * @sigs: the signatures
 *
 * The caller must not use functions that sigs_find() returned before.
 */
void sigs_trim(struct sigs *sigs)
{
	if (sigs->cache.nr >= CACHE_MAX)
		hash_empty(&sigs->cache, NULL);
}

/**
 * sigs_free - free the signatures that sigs_read() returned
 * @sigs: the signatures, or NULL
 */
void sigs_free(struct sigs *sigs)
{
	u32 i;

	if (!sigs)
		return;
	hash_free(&sigs->cache, NULL);
	for (i = 0; i < sigs->nr_modules; i++)
		free_set(&sigs->modules[i]);
	free(sigs->modules);
	free(sigs->exprs);
	free_set(&sigs->image);
	free(sigs->gfp);
	free(sigs->copy);
	free(sigs);
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

/**
 * sigs_symbol - find the symbol of a function
 * @tep: the handle that knows the recording's symbols
 * @start: the address
 *
 * If an address has several names, the kernel takes the first name of kallsyms.
 * libtraceevent has the names in the reverse order. libtraceevent takes any name for the
 * address itself, and the last name for higher addresses.
 *
 * Return: the name, NULL if no symbol has the address.
 */
const char *sigs_symbol(struct tep_handle *tep, u64 start)
{
	if (tep_find_function_address(tep, start) != start)
		return NULL;
	if (tep_find_function_address(tep, start + 1) == start)
		start++;
	return tep_find_function(tep, start);
}

static void find_symbol(const struct sigs *sigs, struct sig_func *func)
{
	u64 start = tep_find_function_address(sigs->tep, func->ip);

	if (!is_traced_at(start, func->ip))
		return;
	func->start = start;
	func->name = sigs_symbol(sigs->tep, start);
}

static bool is_symbol(const struct sigs *sigs, const struct sig_entry *entry)
{
	struct sig_func func = { .ip = entry->addr };

	find_symbol(sigs, &func);
	return func.name && entry->name && !strcmp(func.name, entry->name);
}

/*
 * Whether an address is between two functions of a module whose symbols are in the
 * recording
 */
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

static void set_signature(const struct sigs *sigs, struct sig_func *func,
			  const struct sig_set *set, const struct sig_entry *entry)
{
	struct arg_slots slots;
	const char *type;
	char how;

	if (!arg_sig_valid(set->text + entry->sig))
		return;
	func->sig = set->text + entry->sig;
	func->types = &set->types;
	arg_sig_parse_slots(func->sig, &slots);
	func->nr_longs = slots.nr;
	func->is_void = arg_sig_is_void(func->sig);
	type = arg_sig_return_type(func->sig, &how);
	/* Of a value in memory, the register has the address */
	if (how == '&')
		func->ret_size = sizeof(u64);
	else
		func->ret_size = arg_scalar_size(arg_type_resolve(type, &how));
	func->registers = sigs->registers;
}

/* Take the function's name from its symbol if the event does not have the set */
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
		entry = find_entry(set, sigs->from_file ? func->start : func->ip);
		if (entry && is_symbol(sigs, entry))
			own = entry;
		else if (entry || own || !is_inside(sigs, set, func->ip))
			continue;
		owner = set;
	}
	if (owner)
		func->module = owner->module;
	/* Another module may have had the address when the event was recorded */
	if (own && sigs->from_file)
		set_signature(sigs, func, owner, own);
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
	set_signature(sigs, func, set, entry);
}

static void find_func(const struct sigs *sigs, struct sig_func *func)
{
	const struct sig_entry *entry = NULL;

	/* A file has the addresses of symbols, because it does not know what is traced */
	if (sigs->from_file)
		find_symbol(sigs, func);
	if (sigs->base && func->ip >= sigs->base)
		entry = find_entry(&sigs->image,
				   (sigs->from_file ? func->start : func->ip) - sigs->base);
	if (entry) {
		find_symbol(sigs, func);
		if (func->name)
			set_signature(sigs, func, &sigs->image, entry);
	} else if (func->set == SIGS_NO_SET || sigs->from_file) {
		find_by_symbol(sigs, func);
	} else {
		find_in_set(sigs, func);
	}
}

/* Whether @addr is in the function at @start. Symbols have no sizes. */
static bool is_known(const struct sigs *sigs, u64 start, u64 addr)
{
	u64 last = sigs->image.nr ?
		   sigs->image.entries[sigs->image.nr - 1].addr : 0;
	u32 i;

	if (sigs->base && addr >= sigs->base &&
	    addr < min(sigs->base + last + IMAGE_BEHIND, IMAGE_LAST))
		return true;
	/* A module keeps whole pages when its init code is freed */
	if (start / PAGE_SIZE == addr / PAGE_SIZE)
		return true;
	for (i = 0; i < sigs->nr_modules; i++)
		if (sigs->modules[i].state != 'g' &&
		    is_inside(sigs, &sigs->modules[i], addr))
			return true;
	return false;
}

/**
 * sigs_find_caller - find the caller of a function
 * @sigs: the signatures
 * @addr: the call's return address
 * @start: set to the function's address
 *
 * Return: the function's name, NULL if it is not known.
 */
const char *sigs_find_caller(struct sigs *sigs, u64 addr, u64 *start)
{
	find_image_base(sigs, addr);
	*start = tep_find_function_address(sigs->tep, addr);
	if (!*start || !is_known(sigs, *start, addr))
		return NULL;
	return tep_find_function(sigs->tep, addr);
}

/**
 * sigs_find - find a function
 * @sigs: the signatures
 * @ip: the function's address
 * @set: number of the set in the event, SIGS_NO_SET if the event has none
 *
 * Return: the function, also if its name and signature are not known; NULL if there is no
 * memory. The function is valid until sigs_trim() or sigs_free().
 */
const struct sig_func *sigs_find(struct sigs *sigs, u64 ip, u32 set)
{
	u64 key = ip ^ (u64)set << 32;
	struct hash_node *node;
	struct sig_func *func;

	for (node = *hash_slot(&sigs->cache, key); node; node = node->next) {
		func = container_of(node, struct sig_func, node);
		if (func->ip == ip && func->set == set)
			return func;
	}
	func = calloc(1, sizeof(*func));
	if (!func)
		return NULL;
	func->ip = ip;
	func->set = set;
	find_image_base(sigs, ip);
	find_func(sigs, func);
	hash_add(&sigs->cache, &func->node, key);
	return func;
}
