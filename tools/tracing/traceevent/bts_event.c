// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the bts tracer, and the symbols of their addresses
 *
 * A recording has the symbols of the modules that were loaded at its end.  So the caller
 * sets the address where symbols end.
 */
#include <string.h>

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

/* Read a field that is a number. Returns false if the record has no such field. */
static bool read_event_number(struct tep_record *record, struct tep_event *event,
			      const char *name, u64 *val)
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
	u64 version = 0;

	if (!data || data->offset < 0 || record->size < data->offset ||
	    !read_event_number(record, event, "first", &block->first) ||
	    !read_event_number(record, event, "nr", &block->nr) ||
	    !read_event_number(record, event, "marks", &block->marks))
		return false;
	/* Old recordings do not have these fields */
	if (read_event_number(record, event, "version", &version) && version > BTS_BLOCK_VERSION)
		return false;
	if (!read_event_number(record, event, "number", &block->number))
		block->number = 0;
	if (!read_event_number(record, event, "since", &block->since))
		block->since = 0;
	if (!read_event_number(record, event, "missed", &block->missed))
		block->missed = 0;
	block->data = record->data + data->offset;
	block->size = record->size - data->offset;
	return true;
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

/**
 * bts_find_symbol - find the symbol of an address
 * @tep: the handle that knows the symbols
 * @addr: the address
 * @image_end: the first address without a symbol, ~0ULL to use the symbols of modules,
 *	too
 * @start: set to the symbol's address
 *
 * Return: its name, NULL if there is none.
 */
const char *bts_find_symbol(struct tep_handle *tep, u64 addr, u64 image_end,
			    u64 *start)
{
	if (addr < IMAGE_FIRST || addr >= image_end)
		return NULL;
	*start = tep_find_function_address(tep, addr);
	if (*start < IMAGE_FIRST)
		return NULL;
	/* Take the same name as the kernel, see find_symbol() in sigs.c */
	if (addr == *start && tep_find_function_address(tep, *start + 1) == *start)
		return tep_find_function(tep, *start + 1);
	return tep_find_function(tep, addr);
}
