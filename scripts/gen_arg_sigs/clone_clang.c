// SPDX-License-Identifier: GPL-2.0
/*
 * The places of the parameters of a function that clang may have changed
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

/*
 * The first clang that takes an __int128 as one value, and passes all of it or nothing
 */
#define CLANG_ONE_INT128	22

/*
 * The first clang whose direct callers of a static function leave an unused parameter
 * unset even if the address of the function is taken
 */
#define CLANG_DEAD_LOCALS	15

/* A caller in the same object need not set a parameter that the function does not read */
static const char not_read[] = "the code does not read it";

/* Whether clang's location has a record in memory that the ABI passes in a register */
static bool told_otherwise(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; proto->compiler.optimized && i < proto->nr_params; i++)
		if (proto->params[i].place.wide && !proto->params[i].place.memory &&
		    evs[i].told[0] == TOLD_MEMORY)
			return true;
	return false;
}

/* Choose the kind of clang's wide members that fits the locations of parameters */
static bool place_wide(struct prototype *proto, const struct evidence *evs)
{
	bool members, bits;

	proto->cc.wide = WIDE_MEMBERS;
	members = place_left(proto, evs);
	proto->cc.wide = WIDE_BITS;
	bits = place_left(proto, evs) && !told_otherwise(proto, evs);
	if (members == bits)
		proto->cc.wide = WIDE_UNKNOWN;
	else if (members)
		proto->cc.wide = WIDE_MEMBERS;
	return place_left(proto, evs);
}

/*
 * clang has no location for a parameter that it removed. A parameter is removed if the
 * registers of the parameters with a location leave no room for it.
 */
static void find_removed_clang(struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		bool lone;
		char low;

		if (evs[i].kind != EVIDENCE_MISSING || param->place.memory || !param->place.ints ||
		    free_registers(proto, i, &low, &lone))
			continue;
		param->removed = true;
		param->place.why = "the other parameters leave no register for it";
	}
}

/* Whether clang's location has part of a parameter at the ABI's place */
static bool is_told_of(const struct param *param, const struct evidence *ev,
		       unsigned int nr)
{
	char slot = param->place.slots[nr];

	return slot == '-' || ev->told[nr] == slot || ev->told[nr] == TOLD_MEMORY ||
	       (nr && slot >= 'A' && slot <= 'Z');
}

static bool is_told(const struct param *param, const struct evidence *ev)
{
	if (param->place.memory)
		return ev->told[0] == TOLD_MEMORY;
	return is_told_of(param, ev, 0) && is_told_of(param, ev, 1);
}

/* Whether clang has no location for a parameter anywhere in the function */
static bool is_untold(const struct evidence *ev)
{
	return ev->kind == EVIDENCE_MISSING && !ev->told[0] && !ev->told[1];
}

/**
 * clang_is_extended - whether clang's location is the location of the extended parameter
 * @param: the parameter
 *
 * This is so for a _BitInt(N).
 */
bool clang_is_extended(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) == 1 && die_is_bit_int(&type);
}

/**
 * clang_is_dead - whether clang does not pass a parameter
 * @param: the parameter, with its place according to the ABI
 * @ev: the meaning of its location
 *
 * clang has a location for each scalar that is used and passed in a register, and a
 * location for each record that is used.  A scalar in a register, or a record, is not
 * passed if it has no location.  An __int128, a _BitInt(), and a scalar on the stack may
 * lack a location although the function uses them.
 */
bool clang_is_dead(const struct param *param, const struct evidence *ev)
{
	if (clang_is_extended(param) || (!param->place.aggregate && param->size > 8))
		return false;
	if (!ev->unread && !param->place.aggregate && !slot_register(param->place.slots[0]))
		return false;
	return ev->nowhere || (is_untold(ev) && !param->place.aggregate &&
			       param->place.ints == 1);
}

/**
 * clang_is_one - whether clang passes two eightbytes together, or none of them
 * @proto: the function
 * @param: its parameter, with its place according to the ABI
 *
 * clang passes a _BitInt() as two values.
 */
bool clang_is_one(const struct prototype *proto, const struct param *param)
{
	return proto->compiler.clang >= CLANG_ONE_INT128 && !param->place.aggregate &&
	       param->place.ints == 2 && !clang_is_extended(param);
}

/* The bit of the stack word that a slot stands for, or 0 */
static __u32 slot_word(char slot)
{
	return slot >= 'A' && slot < 'A' + NR_WORDS ? 1u << (slot - 'A') : 0;
}

/* Whether a function reads one of a parameter's stack words */
static bool is_read(const struct abi_place *place, __u32 words)
{
	unsigned int i;

	for (i = place->word; i < place->word + place->longs && i < NR_WORDS; i++)
		if (words & 1u << i)
			return true;
	return false;
}

/*
 * A parameter without a location is passed if the code reads its place.  Otherwise the
 * parameter is not known, because some callers may pass it and other callers leave it
 * unset. doubt_records() handles records in memory.
 */
static void doubt_untold(struct sigs *sigs, struct prototype *proto,
			 const struct evidence *evs, __u32 words)
{
	__u32 reads = proto_args_read(sigs, proto, NULL);
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct abi_place *place = &param->place;

		if (is_told(param, &evs[i]) ||
		    (place->memory && place->longs > 1 && may_have_pieces(param)))
			continue;
		if (place->memory && !is_read(place, words))
			displace(place, REASON_LOCATION, not_read);
		if (clang_is_one(proto, param) && reads & place_registers(place))
			continue;
		for (j = 0; j < ARRAY_SIZE(place->slots); j++) {
			if (is_told_of(param, &evs[i], j) ||
			    reads & slot_register(place->slots[j]) ||
			    words & slot_word(place->slots[j]))
				continue;
			place->slots[j] = '-';
			place->reason = REASON_LOCATION;
			place->why = not_read;
		}
	}
}

/*
 * The words of a record on the stack have a location even if the function does not
 * read them. Callers in the same object do not set such words.
 */
static void doubt_records(struct prototype *proto, __u32 words)
{
	size_t i;

	for (i = 0; proto->compiler.optimized && i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;

		if (!proto->params[i].removed && place->memory && place->aggregate &&
		    !is_read(place, words))
			displace(place, REASON_LOCATION, not_read);
	}
}

/*
 * Place the parameters of a function that clang may have changed, and that no other
 * object calls
 */
static void place_changed(struct sigs *sigs, struct prototype *proto,
			  const struct evidence *evs)
{
	size_t i;

	if (!proto->cc.clone && proto->compiler.optimized && place_fitting(sigs, proto, evs))
		return;
	place_left(proto, evs);
	place_by_location(proto, evs, REASON_CLONE, "clang may have changed the interface");
	find_removed_clang(proto, evs);
	for (i = 0; i < proto->nr_params && !proto->cc.clone && proto->compiler.optimized; i++) {
		if (!clang_is_dead(&proto->params[i], &evs[i]))
			continue;
		proto->params[i].removed = true;
		proto->params[i].place.why = "clang would have a location for it";
	}
}

/**
 * place_clang - find the places of the parameters of a function that clang compiled
 * @sigs: with the code and the calls
 * @proto: the function
 * @evs: the meaning of the locations
 *
 * clang may change every static function whose address is not taken. A removed parameter
 * has no location, and a removed return value is not marked at all. clang keeps the
 * parameters of a function that other objects can call. But callers in the same object
 * may leave unused parameters unset. Unused parameters have no location, either.
 */
void place_clang(struct sigs *sigs, struct prototype *proto,
		 const struct evidence *evs)
{
	bool kept = !proto->cc.clone && !proto->cc.changed &&
		    (proto->cc.external || proto->cc.taken);
	bool told = true, memory = false, fit = place_left(proto, evs);
	__u32 words;
	size_t i;

	if (proto->cc.has_wide)
		fit = place_wide(proto, evs);
	proto->ret.kept = kept || (!proto->cc.clone && !proto->compiler.optimized);
	if (kept && !sigs_is_called(sigs, proto->func->low, proto->cc.external))
		return;

	for (i = 0; i < proto->nr_params; i++) {
		told &= is_told(&proto->params[i], &evs[i]);
		memory |= proto->params[i].place.memory ||
			  slot_word(proto->params[i].place.slots[0]);
	}
	if (!kept && (proto->cc.clone || !told || !fit)) {
		place_changed(sigs, proto, evs);
		return;
	}
	words = memory ? proto_words_read(sigs, proto, NULL) : 0;
	if (!told && (proto->cc.external || proto->compiler.clang >= CLANG_DEAD_LOCALS))
		doubt_untold(sigs, proto, evs, words);
	if (kept)
		doubt_records(proto, words);
}
