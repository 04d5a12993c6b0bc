// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the bts tracer, and the symbols of their addresses
 *
 * A recording has the symbols of the modules that were loaded at its end.  So the caller
 * sets the address where symbols end.
 */
#include <fnmatch.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "../../../kernel/trace/bts/codec.h"
#include "bts_event.h"

/*
 * The image is in the 512 MB that start at its link address. With KASLR the image is
 * somewhere in the first GB. Modules have higher addresses.
 */
#define IMAGE_LINKED	0xffffffff81000000ULL
#define IMAGE_FIRST	0xffffffff80000000ULL
#define IMAGE_END	0xffffffffa0000000ULL
#define IMAGE_KASLR_END	0xffffffffc0000000ULL
#define IMAGE_ALIGN	0x200000ULL

/* The size of ENDBR64, which a direct call may skip */
#define ENDBR_SIZE		4

#define PLACES_BITS		12

/**
 * struct bts_gate - symbols of code that enters the kernel
 * @names: the symbols, a pattern for fnmatch()
 * @kind: the kind of the entry
 * @inside: whether an entry may be after the symbol's first instruction, because the
 *	symbol has a stub for each vector
 */
struct bts_gate {
	const char	*names;
	enum bts_kind	kind;
	bool		inside;
};

static const struct bts_gate gates[] = {
	{ "asm_sysvec_*", BTS_KIND_INTERRUPT },
	{ "irq_entries_start", BTS_KIND_INTERRUPT, true },
	{ "spurious_entries_start", BTS_KIND_INTERRUPT, true },
	{ "asm_exc_*", BTS_KIND_EXCEPTION },
	{ "entry_SYSCALL_64", BTS_KIND_SYSCALL },
	{ "entry_SYSCALL_compat", BTS_KIND_SYSCALL },
	{ "entry_SYSENTER_compat", BTS_KIND_SYSCALL },
	{ "entry_INT80_compat", BTS_KIND_SYSCALL },
	{ "asm_int80_emulation", BTS_KIND_SYSCALL },
};

/**
 * bts_read_number - read a field that is a number
 * @record: the event
 * @event: its format
 * @name: the field
 * @val: set to the number
 *
 * Return: false if the record has no such field.
 */
bool bts_read_number(struct tep_record *record, struct tep_event *event, const char *name,
		     u64 *val)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	if (!field || field->offset < 0 || field->size < 0 ||
	    (u64)field->offset + field->size > record->size)
		return false;
	*val = tep_read_number(event->tep, record->data + field->offset,
			       field->size);
	return true;
}

/**
 * bts_read_block - read the fields of an event
 * @record: the event
 * @event: its format
 * @block: set to the fields; points into @record
 *
 * Return: false if the event has no such fields, or has a later version of the format.
 */
bool bts_read_block(struct tep_record *record, struct tep_event *event,
		    struct bts_block *block)
{
	const struct tep_format_field *data = tep_find_field(event, "data");

	*block = (struct bts_block){ };
	if (!data || data->offset < 0 || record->size < data->offset ||
	    !bts_read_number(record, event, "first", &block->first) ||
	    !bts_read_number(record, event, "nr", &block->nr) ||
	    !bts_read_number(record, event, "marks", &block->marks))
		return false;
	/* Old recordings do not have these fields */
	bts_read_number(record, event, "version", &block->version);
	bts_read_number(record, event, "number", &block->number);
	bts_read_number(record, event, "since", &block->since);
	bts_read_number(record, event, "missed", &block->missed);
	if (block->version > BTS_BLOCK_VERSION)
		return false;
	block->data = record->data + data->offset;
	block->size = record->size - data->offset;
	return true;
}

/**
 * bts_block_start - begin to read the branches of a block
 * @block: the block, which bts_read_block() has read
 * @dec: set to the position before its first branch
 */
void bts_block_start(const struct bts_block *block, struct bts_decoder *dec)
{
	bts_decode_start(dec, block->data, block->size, block->nr, block->version);
}

/**
 * bts_image_base - find the address of the image
 * @tep: the handle that knows the symbols
 *
 * Return: the address of its first symbol, 0 if the address is not known.
 */
u64 bts_image_base(struct tep_handle *tep)
{
	const char *name;
	u64 base;

	for (base = IMAGE_FIRST; base < IMAGE_KASLR_END; base += IMAGE_ALIGN) {
		if (tep_find_function_address(tep, base) != base)
			continue;
		name = tep_find_function(tep, base);
		if (name && (!strcmp(name, "_text") || !strcmp(name, "_stext") ||
			     !strcmp(name, "startup_64")))
			return base;
	}
	return 0;
}

/**
 * bts_image_end - find the end of the addresses of the image
 * @tep: the handle that knows the symbols
 *
 * If the image was not moved, modules may follow its 512 MB directly.
 *
 * Return: the end.
 */
u64 bts_image_end(struct tep_handle *tep)
{
	u64 base = bts_image_base(tep);

	return base && base != IMAGE_LINKED ? IMAGE_KASLR_END : IMAGE_END;
}

/* Find the kind of kernel entry at an offset from a symbol, or BTS_KIND_NONE */
static enum bts_kind find_gate(const char *name, u64 offset)
{
	const struct bts_gate *gate;

	for (gate = gates; gate < gates + ARRAY_SIZE(gates); gate++)
		if ((!offset || gate->inside) && !fnmatch(gate->names, name, 0))
			return gate->kind;
	return BTS_KIND_NONE;
}

/* Whether a function is called at an offset from its symbol */
static bool is_entry(const char *name, u64 offset)
{
	size_t len = strlen(name);

	if (offset && offset != ENDBR_SIZE)
		return false;
	/* The unlikely part of a function is reached only by jumps */
	return len < 5 || strcmp(name + len - 5, ".cold");
}

/**
 * place_set_symbol - set the symbol of an address
 * @place: the address
 * @name: the symbol
 * @start: the address of the symbol
 */
void place_set_symbol(struct place *place, const char *name, u64 start)
{
	place->name = name;
	place->func = start;
	place->entry = is_entry(name, place->addr - start);
}

static void find_symbol(struct places *places, struct place *place)
{
	u64 addr = place->addr, start;
	const char *name;

	if (!bts_is_kernel(addr) && places->find)
		places->find(places, place);
	if (addr < IMAGE_FIRST ||
	    (addr >= places->end && !(places->known && places->known(addr))))
		return;
	start = tep_find_function_address(places->tep, addr);
	if (start < IMAGE_FIRST)
		return;
	/* Take the same name as the kernel, see find_symbol() in sigs.c */
	if (addr == start && tep_find_function_address(places->tep, start + 1) == start)
		addr++;
	name = tep_find_function(places->tep, addr);
	if (!name)
		return;
	place_set_symbol(place, name, start);
	place->gate = find_gate(place->name, place->addr - start);
}

/**
 * places_find - find the place of an address
 * @places: the places
 * @addr: the address
 *
 * Return: the place, NULL if there is no memory.
 */
struct place *places_find(struct places *places, u64 addr)
{
	struct hash_node *node;
	struct place *place;

	if (!places->hash.slots && !hash_init(&places->hash, PLACES_BITS))
		return NULL;
	node = hash_find(&places->hash, addr);
	if (node)
		return container_of(node, struct place, node);
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->addr = addr;
	find_symbol(places, place);
	hash_add(&places->hash, &place->node, addr);
	return place;
}

static void free_place(struct hash_node *node)
{
	struct place *place = container_of(node, struct place, node);

	free(place->source);
	free(place);
}

/**
 * places_free - free all places
 * @places: the places
 */
void places_free(struct places *places)
{
	hash_free(&places->hash, free_place);
}
