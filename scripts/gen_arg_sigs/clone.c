// SPDX-License-Identifier: GPL-2.0
/*
 * The places of a function's parameters if the compiler changed its interface
 *
 * Strategy: gcc marks such a function by its name, and lists the remaining parameters
 * before everything else.  The first location of a remaining parameter is its place at
 * the entry.  Removed parameters follow the local variables, and have no location of
 * their own.  The places have to fit together: no place has two parameters, and the places
 * are in the order of the ABI.  Without IPA-SRA, which passes parts of parameters, the places
 * are those that the ABI gives to the remaining parameters.  clang's DWARF does not tell
 * which parameters remain, so the places are known only if all parameters do.
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

/*
 * Give the ABI's places to the remaining parameters. Returns whether all places fit the
 * locations.
 */
bool place_left(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state state;
	bool good = true;
	size_t i;

	proto->ret.place = abi_begin(&state, proto->ret.exists ? &proto->ret.type : NULL,
				     proto->compiler.clang);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (param->removed)
			continue;
		abi_next(&state, &param->type, evs[i].word, &param->place);
		/* If the ABI has no place, the location cannot be compared */
		if (state.lost)
			continue;
		if (!evidence_fits(&param->place, &evs[i])) {
			param->place.why = "the ABI, against the location";
			good = false;
		} else if (evs[i].kind == EVIDENCE_PLACE) {
			param->place.why = "the ABI and the location agree";
		} else {
			param->place.why = "the ABI, no location contradicts it";
		}
	}
	return good;
}

/* Take the place of a parameter only from its location */
static void place_alone(struct param *param, const struct evidence *ev,
			enum reason reason, const char *why)
{
	struct abi_place *place = &param->place;
	unsigned int i;

	place->memory = ev->word >= 0;
	place->word = ev->word >= 0 ? ev->word : NR_WORDS;
	memcpy(place->slots, ev->slots, sizeof(place->slots));
	place->reason = ev->kind == EVIDENCE_PLACE ? REASON_NONE : reason;
	place->why = why;
	for (i = 0; i < place->longs; i++)
		if (abi_slot(place, i) == '-')
			place->reason = reason;
}

/* Mark a place as unknown */
void displace(struct abi_place *place, enum reason reason, const char *why)
{
	place->memory = false;
	memset(place->slots, '-', sizeof(place->slots));
	place->reason = reason;
	place->why = why;
}

/* Mark all parameters of a function as remaining at unknown places */
void displace_all(struct prototype *proto, enum reason reason, const char *why)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		proto->params[i].removed = false;
		displace(&proto->params[i].place, reason, why);
	}
}

/* Whether the places of two parameters are not in the order of the declaration */
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

/* If two parameters are out of order, the place of at least one of them is wrong */
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
			displace(&proto->params[i].place, reason,
				 "the locations are not in the ABI's order");
	free(unordered);
}

/* Take the places only from the locations */
void place_by_location(struct prototype *proto, const struct evidence *evs,
		       enum reason reason, const char *why)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			place_alone(&proto->params[i], &evs[i], reason, why);
	displace_unordered(proto, reason);
}

/*
 * Count the registers that are free for a parameter. @lone: set if the registers can belong
 * to no other parameter. The free registers are between the registers of the previous and the
 * next parameter. Returns -1 if the number is not known.
 */
int free_registers(struct prototype *proto, size_t nr, char *low, bool *lone)
{
	bool known = proto->ret.place != ABI_RETURN_MEMORY;
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

/* The bit of a slot's argument register, by its number in the instruction set, or 0 */
__u32 slot_register(char slot)
{
	return slot >= 'a' && slot <= 'f' ? 1u << insn_arg_regs[slot - 'a'] : 0;
}

/* A bit for each argument register of a parameter */
__u32 place_registers(const struct abi_place *place)
{
	return slot_register(place->slots[0]) | slot_register(place->slots[1]);
}

/* Whether the ABI could not place a parameter, nor any parameter after it */
bool proto_is_lost(const struct prototype *proto)
{
	return proto->nr_params &&
	       proto->params[proto->nr_params - 1].place.reason == REASON_TYPE;
}

/*
 * Whether a function reads a register that no parameter is in. A function that reads such a
 * register has another calling convention. gcc's DWARF does not show the convention. RAX,
 * RSP, RBP, R10 and R11 have other uses. A function that saves one of R12 to R15 may read a
 * local variable there that it has not set.
 */
bool proto_reads_foreign(struct sigs *sigs, const struct prototype *proto)
{
	__u32 own = proto->ret.place == ABI_RETURN_MEMORY ? 1u << insn_arg_regs[0] : 0;
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

/*
 * Whether a function that is no clone has the usual calling convention. Returns true if this
 * is certain, false otherwise.
 */
bool proto_is_usual(struct sigs *sigs, struct prototype *proto)
{
	struct evidence *evs = xcalloc(proto->nr_params, sizeof(*evs));
	bool usual;
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		evidence_read(sigs, proto, i, &evs[i]);
	usual = place_left(proto, evs) && is_usual_gcc(sigs, proto, evs);
	free(evs);
	return usual;
}

/* Find the places of a function's parameters */
void proto_place(struct sigs *sigs, struct prototype *proto)
{
	struct evidence *evs = xcalloc(proto->nr_params, sizeof(*evs));
	size_t i;

	proto->ret.kept = true;
	for (i = 0; i < proto->nr_params; i++)
		evidence_read(sigs, proto, i, &evs[i]);
	if (sigs->debug)
		debug_evidence(proto, evs);
	if (proto->compiler.clang)
		place_clang(sigs, proto, evs);
	else
		place_gcc(sigs, proto, evs);
	free(evs);
}
