// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of an address: its symbol, its instruction
 *
 * Branches have the same addresses again and again, so what is known of an address is
 * kept.  Capstone decodes the instruction.  The kernel's own decoder is not used,
 * because trace-calls is also built outside of a kernel tree.
 */
#include <stdlib.h>
#include <string.h>

#include <capstone/capstone.h>

#include "../traceevent/bts_event.h"
#include "branches.h"
#include "calls.h"

#define FIRST_BITS	12

static struct place **places;
static unsigned int bits, nr_places;
static struct tep_handle *symbols;
static u64 image_end;
static csh decoder;
static bool has_decoder;

/**
 * places_init - begin to look up addresses
 * @tep: the handle that knows the symbols
 * @modules: take symbols of modules, too
 *
 * Return: false without memory.
 */
bool places_init(struct tep_handle *tep, bool modules)
{
	symbols = tep;
	image_end = modules ? ~0ULL : bts_image_end(tep);
	bits = FIRST_BITS;
	places = calloc(1 << bits, sizeof(*places));
	if (!places)
		return false;
	if (!images_any())
		return true;
	has_decoder = cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) == CS_ERR_OK &&
		      cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
	return has_decoder;
}

/**
 * places_free - free what is known of all addresses
 */
void places_free(void)
{
	struct place *place;
	unsigned int i;

	for (i = 0; places && i < 1U << bits; i++) {
		while ((place = places[i])) {
			places[i] = place->next;
			free(place->source);
			free(place);
		}
	}
	free(places);
	places = NULL;
	nr_places = 0;
	if (has_decoder)
		cs_close(&decoder);
	has_decoder = false;
}

static struct place **slot_of(u64 addr)
{
	return &places[addr * 0x9e3779b97f4a7c15ULL >> (64 - bits)];
}

static void grow(void)
{
	struct place **old = places, **slot, *place;
	unsigned int slots = 1 << bits, i;

	places = calloc(2 * slots, sizeof(*places));
	if (!places) {
		places = old;
		return;
	}
	bits++;
	for (i = 0; i < slots; i++) {
		while ((place = old[i])) {
			old[i] = place->next;
			slot = slot_of(place->addr);
			place->next = *slot;
			*slot = place;
		}
	}
	free(old);
}

static void find_symbol(struct place *place)
{
	u64 end = images_text(place->addr, NULL, NULL) ? ~0ULL : image_end;

	place->name = bts_find_symbol(symbols, place->addr, end, &place->func);
	if (!place->name) {
		place->func = 0;
		return;
	}
	place->entry = bts_symbol_entry(place->name, place->addr - place->func);
	place->gate = bts_symbol_gate(place->name, place->addr - place->func);
}

/**
 * place_find - find an address
 * @addr: the address
 *
 * Return: what is known of it, NULL without memory.
 */
struct place *place_find(u64 addr)
{
	struct place *place, **slot = slot_of(addr);

	for (place = *slot; place; place = place->next)
		if (place->addr == addr)
			return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->addr = addr;
	find_symbol(place);
	if (nr_places++ >= 1U << bits)
		grow();
	slot = slot_of(addr);
	place->next = *slot;
	*slot = place;
	return place;
}

static enum bts_kind insn_kind(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
		return BTS_KIND_JUMP;
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
		return BTS_KIND_SYSCALL;
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
		return BTS_KIND_SYSRET;
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return BTS_KIND_IRET;
	}
	if (cs_insn_group(decoder, insn, CS_GRP_CALL))
		return BTS_KIND_CALL;
	if (cs_insn_group(decoder, insn, CS_GRP_RET))
		return BTS_KIND_RETURN;
	if (cs_insn_group(decoder, insn, CS_GRP_JUMP))
		return BTS_KIND_CONDITIONAL;
	return BTS_KIND_NONE;
}

/**
 * text_decode - decode the instruction at an address
 * @addr: the address
 * @kind: set to its kind, BTS_KIND_NONE if it is no branch
 * @target: set to where it leads to, 0 if the instruction does not tell
 *
 * Return: bytes of the instruction, 0 without text.
 */
unsigned int text_decode(u64 addr, enum bts_kind *kind, u64 *target)
{
	unsigned int size, len;
	const cs_x86_op *op;
	bool relocated;
	const u8 *text;
	cs_insn *insn;

	*kind = BTS_KIND_NONE;
	*target = 0;
	size = has_decoder ? images_text(addr, &text, &relocated) : 0;
	size = min_t(unsigned int, size, BTS_INSN_MAX);
	if (!size || !cs_disasm(decoder, text, size, addr, 1, &insn))
		return 0;
	len = insn->size;
	op = &insn->detail->x86.operands[0];
	*kind = insn_kind(insn);
	if (*kind != BTS_KIND_NONE && *kind != BTS_KIND_RETURN &&
	    insn->detail->x86.op_count == 1 && op->type == X86_OP_IMM)
		*target = op->imm;
	/* A module's distance that is set when the module is loaded is 0 in the file */
	if (!relocated && *target == addr + len)
		*target = 0;
	cs_free(insn, 1);
	return len;
}

/**
 * place_decode - find the instruction at an address
 * @place: the address
 */
void place_decode(struct place *place)
{
	unsigned int len;

	if (place->decoded)
		return;
	place->decoded = true;
	len = text_decode(place->addr, &place->insn, &place->target);
	if (len)
		place->after = place->addr + len;
}

/**
 * place_source - find the line of source of an address
 * @place: the address
 *
 * Return: the text of source_find(), NULL if the line is not known.
 */
const char *place_source(struct place *place)
{
	struct image *image;
	u64 inside;

	if (!place->sourced) {
		place->sourced = true;
		image = image_find(place->addr, &inside);
		if (image)
			place->source = source_find(image, inside);
	}
	return place->source;
}

/**
 * place_text - write an address as text
 * @place: the address
 * @func: as a function: without an offset of 0
 * @text: set to the text, which is cut if it is too long
 * @size: bytes that @text has room for
 */
void place_text(const struct place *place, bool func, char *text, size_t size)
{
	if (!place->name)
		snprintf(text, size, "0x%llx", (unsigned long long)place->addr);
	else if (func && place->addr == place->func)
		snprintf(text, size, "%s", place->name);
	else
		snprintf(text, size, "%s+0x%llx", place->name,
			 (unsigned long long)(place->addr - place->func));
}
