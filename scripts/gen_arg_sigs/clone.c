// SPDX-License-Identifier: GPL-2.0
/*
 * The places of a function's parameters if the compiler changed its interface
 *
 * Strategy: gcc marks such a function by its name, and lists the parameters that
 * are left before everything else; the first location of each is its place at the
 * entry.  Removed parameters come behind the local variables, without a location
 * of their own.  clang does not mark functions, but a parameter that it removed has
 * no location at the entry.  The places have to fit together: no place has two
 * parameters, they are in the order of the ABI, and without IPA-SRA, which passes
 * parts of parameters, they are the places that the ABI gives to the parameters that
 * are left.
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

/**
 * place_left - give the ABI's places to those parameters that are left
 * @proto: the function
 * @evs: what the locations tell
 *
 * Return: whether all of them fit what the locations tell.
 */
bool place_left(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state state;
	bool good = true;
	size_t i;

	proto->ret = abi_begin(&state, proto->has_ret ? &proto->ret_type : NULL,
			       proto->clang, proto->wide);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (param->removed)
			continue;
		abi_next(&state, &param->type, evs[i].word, &param->place);
		/* If the ABI has no place, there is nothing to compare with */
		if (!state.lost && !evidence_fits(&param->place, &evs[i]))
			good = false;
	}
	proto->has_wide = state.has_wide;
	return good;
}

/* Take the place of a parameter from its location alone */
static void place_alone(struct param *param, const struct evidence *ev,
			enum reason reason)
{
	struct abi_place *place = &param->place;
	unsigned int i;

	place->memory = ev->word >= 0;
	place->word = ev->word >= 0 ? ev->word : NR_WORDS;
	memcpy(place->slots, ev->slots, sizeof(place->slots));
	place->reason = ev->kind == EVIDENCE_PLACE ? REASON_NONE : reason;
	for (i = 0; i < place->longs; i++)
		if (abi_slot(place, i) == '-')
			place->reason = reason;
}

/**
 * displace - a place is not known after all
 * @place: the place
 * @reason: why
 */
void displace(struct abi_place *place, enum reason reason)
{
	place->memory = false;
	memset(place->slots, '-', sizeof(place->slots));
	place->reason = reason;
}

/**
 * displace_all - no place of a function's parameters is known
 * @proto: the function
 * @reason: why
 */
void displace_all(struct prototype *proto, enum reason reason)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		displace(&proto->params[i].place, reason);
}

/* Whether two parameters are not one behind the other, as they are declared */
static bool out_of_order(const struct abi_place *first, const struct abi_place *second)
{
	const char *a = first->slots, *b = second->slots;

	if (first->memory || second->memory)
		return first->memory && second->memory &&
		       second->word < first->word + first->longs;
	if ((a[0] == '-' && a[1] == '-') || (b[0] == '-' && b[1] == '-'))
		return false;
	return a[a[1] != '-'] >= b[b[0] == '-'];
}

/* If two parameters are out of order, one of them is not where it seems to be */
static void displace_unordered(struct prototype *proto, enum reason reason)
{
	bool *unordered = xcalloc(proto->nr_params, sizeof(*unordered));
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++)
		for (j = i + 1; j < proto->nr_params; j++) {
			if (proto->params[i].removed || proto->params[j].removed ||
			    !out_of_order(&proto->params[i].place, &proto->params[j].place))
				continue;
			unordered[i] = true;
			unordered[j] = true;
		}
	for (i = 0; i < proto->nr_params; i++)
		if (unordered[i])
			displace(&proto->params[i].place, reason);
	free(unordered);
}

/**
 * place_by_location - take the places from the locations alone
 * @proto: the function
 * @evs: what the locations tell
 * @reason: why the others are not known
 */
void place_by_location(struct prototype *proto, const struct evidence *evs,
		       enum reason reason)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			place_alone(&proto->params[i], &evs[i], reason);
	displace_unordered(proto, reason);
}

/**
 * free_registers - how many registers are free for a parameter
 * @proto: the function
 * @nr: number of the parameter
 * @low: the first of them
 * @lone: set if they can belong to no other parameter
 *
 * The free registers are between those of the parameters before and behind.
 *
 * Return: -1 if that is not known.
 */
int free_registers(struct prototype *proto, size_t nr, char *low, bool *lone)
{
	bool known = proto->ret != ABI_RETURN_MEMORY;
	size_t i;

	*low = 'a';
	*lone = true;
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];
		const char *slots = param->place.slots;

		if (i == nr || param->removed || param->place.memory)
			continue;
		if (slots[0] == '-') {
			*lone = false;
			continue;
		}
		if (i > nr)
			return known ? slots[0] - *low : -1;
		*low = slots[slots[1] != '-'] + 1;
		*lone = true;
		known = true;
	}
	return -1;
}

/**
 * slot_register - the argument register of a slot
 * @slot: the slot
 *
 * Return: its bit, by its number in the instruction set, or 0.
 */
__u32 slot_register(char slot)
{
	return slot >= 'a' && slot <= 'f' ? 1u << insn_arg_regs[slot - 'a'] : 0;
}

/**
 * place_registers - the argument registers of a parameter
 * @place: its place
 *
 * Return: a bit for each register, by its number in the instruction set.
 */
__u32 place_registers(const struct abi_place *place)
{
	return slot_register(place->slots[0]) | slot_register(place->slots[1]);
}

/**
 * proto_is_lost - whether the ABI could not place a parameter, nor those behind it
 * @proto: the function
 */
bool proto_is_lost(const struct prototype *proto)
{
	return proto->nr_params &&
	       proto->params[proto->nr_params - 1].place.reason == REASON_TYPE;
}

/**
 * proto_reads_foreign - whether a function reads a register that no parameter is in
 * @sigs: with the code
 * @proto: the function, with the places of its parameters
 *
 * Such a function has another calling convention, of which gcc's DWARF says nothing.
 * RAX, RSP, RBP, R10 and R11 have other uses.  A function that saves one of R12 to R15
 * may read a local variable there that it has not set.
 */
bool proto_reads_foreign(struct sigs *sigs, const struct prototype *proto)
{
	__u32 own = proto->ret == ABI_RETURN_MEMORY ? 1u << insn_arg_regs[0] : 0;
	unsigned int reg;
	size_t i;

	if (proto->varargs || proto_is_lost(proto))
		return false;
	own |= 1u << 0 | 1u << 4 | 1u << 5 | 1u << 10 | 1u << 11;
	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			own |= place_registers(&proto->params[i].place);
	for (reg = 12; reg < NR_GP_REGS; reg++)
		if (func_saves(sigs, proto->func, reg))
			own |= 1u << reg;
	return proto_reads(sigs, proto) & ~own;
}

/**
 * proto_place - find the places of a function's parameters
 * @sigs: with the DWARF's locations
 * @proto: the function; the places of its parameters are filled in
 */
void proto_place(struct sigs *sigs, struct prototype *proto)
{
	struct evidence *evs = xcalloc(proto->nr_params, sizeof(*evs));
	size_t i;

	proto->ret_kept = true;
	for (i = 0; i < proto->nr_params; i++)
		evidence_read(sigs, proto, i, &evs[i]);
	if (proto->clang)
		place_clang(sigs, proto, evs);
	else
		place_gcc(sigs, proto, evs);
	free(evs);
}
