// SPDX-License-Identifier: GPL-2.0
/*
 * Find the parameters that clang has not removed, by trying all possibilities
 *
 * clang removes a parameter of a static function, or one eightbyte of a record, if the
 * function does not use it (DeadArgumentElimination).  If the function does not need the
 * address of a record or of a pointer's target, clang passes a few members instead
 * (ArgumentPromotion).  The remaining values are passed as if the function had been declared
 * with these values.  But a record that had no registers stays in memory.
 *
 * Strategy: try each way of passing each parameter. A combination of ways is possible if
 *
 * - a value is passed in each register and word that the function reads. Compiled code does
 *   not read what nobody sets.
 * - a value is passed in each register that is the location of a parameter at the entry. It
 *   may be the value of another parameter, because the location shows assignments that need
 *   no instruction. Such an assignment has no less bytes on its right side.
 * - a parameter without a location, or with a constant as its location, is passed only if
 *   the code reads its place or passes it on.  clang keeps the location of an argument that it
 *   passes, until the function assigns the parameter.  If the function assigns it before
 *   the first instruction, the DWARF has only the assigned value, or no location if clang
 *   lost this value.  The passed value is needed nevertheless, because clang would have
 *   removed it otherwise.
 * - the location of one parameter is not the place of another one that has no location.
 *   The function would have to begin with two assignments, q = p, and p = a value that
 *   clang loses.
 *
 * The place of a parameter is known if all possible combinations agree.
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

/* Maximum members that clang passes instead of one pointer or record */
#define MAX_PASSED_MEMBERS	3

/* A function with more possibilities stays unknown */
#define MAX_TRIES	200000

/* How one parameter may be passed */
enum way {
	WAY_WHOLE,
	WAY_FIRST,		/* the first eightbyte of a record */
	WAY_SECOND,
	WAY_REMOVED,		/* WAY_REMOVED + N: N members are passed */
	NR_WAYS = WAY_REMOVED + 1 + MAX_PASSED_MEMBERS,
};

/* A parameter as the function declares it */
struct fit_param {
	unsigned int ways;	/* a bit for each enum way that is possible */
	bool halves;		/* it is passed as two integers */
	bool record;		/* in memory, starting at a multiple of @align */
	unsigned int align;	/* 0 if unknown */
	unsigned int longs;
	bool nowhere;		/* it has no location in any part of the function */
	bool value;		/* the location is a constant */
	char told[2];		/* the register of the location of each eightbyte, or 0 */
	__u32 regs;		/* registers and words that the current try gives to it */
	__u32 words;
	int word;		/* the first word of the stack, or -1 */
};

/* The place of a parameter: slots of its eightbytes, or words of the stack */
struct fit_place {
	enum way way;		/* WAY_REMOVED also stands for WAY_REMOVED + N */
	bool memory;
	unsigned int word;
	char slots[2];
};

struct fit {
	struct prototype *proto;
	struct fit_param *params;
	struct fit_place *now;
	struct fit_place *found;
	bool *differ;		/* for each parameter: several places fit */
	__u32 regs;		/* argument registers that the function reads, by slot */
	__u32 words;		/* words of the stack that the function reads */
	__u32 passed_on;	/* registers that its callees may read */
	bool all_read;		/* the function reads no other words */
	bool unpromoted;	/* no member is passed instead of a parameter */
	unsigned int ret_ints;	/* registers that are passed for the return value */
	unsigned int tries;
	unsigned int nr_found;
};

/**
 * may_have_pieces - whether clang may pass parts instead of a parameter
 * @param: the parameter
 *
 * The parts are the members of a record, or the values that the function loads through a
 * pointer (ArgumentPromotion).
 *
 * Return: true if so, false otherwise.
 */
bool may_have_pieces(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) != 1 || die_is_record(&type) ||
	       dwarf_tag(&type) == DW_TAG_pointer_type;
}

static bool is_slot(char told)
{
	return told >= 'a' && told < 'a' + NR_ARG_REGS;
}

/* Take the next register, or the next word */
static char take_integer(struct abi_state *state)
{
	if (state->ints < NR_ARG_REGS)
		return 'a' + state->ints++;
	return state->words < NR_WORDS ? 'A' + state->words++ : (state->words++, '-');
}

static bool begins_at(const struct fit_place *place, unsigned int word)
{
	return place->memory ? place->word == word : place->slots[0] == (char)('A' + word);
}

/* Pass a parameter in one way. Returns false if the location contradicts this way. */
static bool pass_one(struct fit *fit, struct abi_state *state, size_t nr, enum way way)
{
	struct fit_param *param = &fit->params[nr];
	struct fit_place *place = &fit->now[nr];
	struct abi_place scalar;
	unsigned int i;

	memset(place, 0, sizeof(*place));
	memset(place->slots, '-', sizeof(place->slots));
	place->way = way;
	if (way >= WAY_REMOVED) {
		place->way = WAY_REMOVED;
		for (i = WAY_REMOVED; i < way; i++)
			take_integer(state);
		return true;
	}
	if (param->record) {
		place->memory = true;
		place->word = (state->words + param->align - 1) & -param->align;
		if (!param->align)
			place->word = param->word;
		if (place->word < state->words ||
		    (param->word >= 0 && place->word != (unsigned int)param->word))
			return false;
		state->words = place->word + param->longs;
	} else if (param->halves) {
		for (i = 0; i < 2; i++)
			if (way == WAY_WHOLE || way == WAY_FIRST + i)
				place->slots[i] = take_integer(state);
	} else if (param->longs == 1) {
		place->slots[0] = take_integer(state);
	} else if (param->longs) {
		abi_next(state, &fit->proto->params[nr].type, -1, &scalar);
		place->memory = scalar.memory;
		place->word = scalar.word;
		memcpy(place->slots, scalar.slots, sizeof(place->slots));
		if (scalar.reason)
			return false;
	}
	if (!param->record && param->longs && param->word >= 0 && way == WAY_WHOLE &&
	    !begins_at(place, param->word))
		return false;
	return true;
}

/* The bits below @nr */
static __u32 below(unsigned int nr)
{
	return nr < 32 ? (1u << nr) - 1 : ~0u;
}

/* Pass a parameter in one way, and note its registers and words */
static bool pass(struct fit *fit, struct abi_state *state, size_t nr, enum way way)
{
	struct fit_param *param = &fit->params[nr];
	unsigned int ints = state->ints, words = state->words;

	if (!pass_one(fit, state, nr, way))
		return false;
	param->regs = below(state->ints) & ~below(ints);
	/* Words that align a record belong to no parameter */
	if (param->record && way < WAY_REMOVED)
		words = fit->now[nr].word;
	param->words = below(state->words) & ~below(words);
	return (!param->nowhere && !param->value) || way >= WAY_REMOVED || !fit->all_read ||
	       param->regs & (fit->regs | fit->passed_on) || param->words & fit->words;
}

/* Whether the value that is passed in a register can be assigned to a parameter */
static bool is_source(const struct fit *fit, size_t nr, char slot)
{
	const struct param *params = fit->proto->params;
	size_t i;

	for (i = 0; i < fit->proto->nr_params; i++)
		if (fit->params[i].regs & 1u << (slot - 'a'))
			return !fit->params[i].nowhere &&
			       (fit->now[i].way != WAY_WHOLE || fit->params[i].longs != 1 ||
				params[i].size >= params[nr].size);
	return false;
}

/*
 * Whether a value is passed in each register and word that the function reads, and in each
 * location
 */
static bool is_all_passed(const struct fit *fit)
{
	__u32 regs = fit->regs & ~below(fit->ret_ints), words = fit->words;
	size_t i, j;

	for (i = 0; i < fit->proto->nr_params; i++) {
		regs &= ~fit->params[i].regs;
		words &= ~fit->params[i].words;
	}
	for (i = 0; i < fit->proto->nr_params; i++)
		for (j = 0; j < 2; j++) {
			char told = fit->params[i].told[j];

			if (told && told != fit->now[i].slots[j] && !is_source(fit, i, told))
				return false;
		}
	return !regs && !words;
}

static bool same_place(const struct fit_place *a, const struct fit_place *b)
{
	return a->way == b->way && a->memory == b->memory && a->word == b->word &&
	       !memcmp(a->slots, b->slots, sizeof(a->slots));
}

static void try_from(struct fit *fit, const struct abi_state *before, size_t nr)
{
	struct abi_state state;
	enum way way;
	size_t i;

	if (++fit->tries > MAX_TRIES)
		return;
	if (nr == fit->proto->nr_params) {
		if (!is_all_passed(fit))
			return;
		for (i = 0; i < nr; i++) {
			if (!fit->nr_found)
				fit->found[i] = fit->now[i];
			else if (!same_place(&fit->found[i], &fit->now[i]))
				fit->differ[i] = true;
		}
		fit->nr_found++;
		return;
	}
	for (way = WAY_WHOLE; way < NR_WAYS; way++) {
		if (!(fit->params[nr].ways & 1u << way))
			continue;
		state = *before;
		if (pass(fit, &state, nr, way))
			try_from(fit, &state, nr + 1);
	}
}

/* Whether a record of type @type is at the start of @target */
static bool starts_with(const Dwarf_Die *target, Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die die = *target;

	for (; depth < MAX_DEPTH && die_peel(&die) == 1 && die_is_record(&die); depth++) {
		if (dwarf_dieoffset(&die) == dwarf_dieoffset(type))
			return true;
		if (dwarf_child(&die, &die) || die_type(&die, &die) != 1)
			break;
	}
	return false;
}

/* Whether a record has a pointer that C lets assign to a pointer to @target */
static bool has_pointer_to(Dwarf_Die *record, const Dwarf_Die *target, unsigned int depth)
{
	Dwarf_Die member, type;
	int ret;

	for (ret = depth < MAX_DEPTH ? dwarf_child(record, &member) : 1; !ret;
	     ret = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member || die_type(&member, &type) != 1 ||
		    die_peel(&type) != 1)
			continue;
		while (dwarf_tag(&type) == DW_TAG_array_type)
			if (die_type(&type, &type) != 1 || die_peel(&type) != 1)
				return true;
		if (die_is_record(&type) && has_pointer_to(&type, target, depth + 1))
			return true;
		if (dwarf_tag(&type) == DW_TAG_pointer_type &&
		    (die_type(&type, &type) != 1 || die_peel(&type) != 1 ||
		     starts_with(target, &type, 0)))
			return true;
	}
	return false;
}

/*
 * Whether a pointer may have been replaced by what it points to, and have been assigned this
 * value: "p = p->next".  Without a cast, C assigns a pointer of the same type, a pointer to
 * void, and a pointer to the first member by container_of().
 */
static bool may_be_own_member(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) == 1 && dwarf_tag(&type) == DW_TAG_pointer_type &&
	       die_type(&type, &type) == 1 && die_peel(&type) == 1 && die_is_record(&type) &&
	       has_pointer_to(&type, &type, 0);
}

/* The ways in which a parameter may be passed, by its location */
static void find_ways(struct fit *fit, size_t nr, const struct evidence *ev)
{
	unsigned int members = ((1u << MAX_PASSED_MEMBERS) - 1) << (WAY_REMOVED + 1);
	const struct param *declared = &fit->proto->params[nr];
	bool first = is_slot(ev->told[0]), second = is_slot(ev->told[1]);
	struct fit_param *param = &fit->params[nr];

	/* An __int128 may lack a location although the function uses it */
	param->nowhere = ev->kind == EVIDENCE_NOWHERE &&
			 (declared->place.aggregate || param->longs < 2);
	param->value = ev->kind == EVIDENCE_VALUE;
	/* A location without pieces describes the whole value */
	if (param->longs > 1 && !param->record && first && ev->told[0] == ev->told[1]) {
		first = false;
		second = false;
	}
	param->told[0] = first ? ev->told[0] : 0;
	param->told[1] = second && param->longs > 1 && !param->record ? ev->told[1] : 0;

	if (fit->unpromoted || !may_have_pieces(declared) || (param->longs > 1 && !param->record) ||
	    (first && !param->record && !may_be_own_member(declared)))
		members = 0;
	param->ways = 1u << WAY_WHOLE | 1u << WAY_REMOVED | members;
	if (ev->told[0] == TOLD_MEMORY) {
		/* A word above the return address, or a copy of a value that is passed */
		if (param->record || ev->word >= 0)
			param->ways = 1u << WAY_WHOLE;
		/* A copy is not above the return address */
		if (param->record && fit->proto->compiler.clang < CLANG_NO_COPIES && ev->word < 0)
			param->ways |= members;
		return;
	}
	if (!param->halves || clang_is_one(fit->proto, declared))
		return;
	/* If only one eightbyte has a location, the other eightbyte is not passed */
	if (first != second)
		param->ways &= ~(1u << WAY_WHOLE);
	if (first || !second)
		param->ways |= 1u << WAY_FIRST;
	if (second || !first)
		param->ways |= 1u << WAY_SECOND;
}

/* Read the declaration of a parameter. Returns false if its place cannot be known. */
static bool read_declared(struct fit *fit, struct abi_state *declared, size_t nr,
			  const struct evidence *ev)
{
	struct fit_param *param = &fit->params[nr];
	struct prototype *proto = fit->proto;
	struct abi_state alone = { .clang = proto->compiler.clang };
	unsigned int ints = declared->ints;
	struct abi_place place;

	/* The location of a _BitInt() tells nothing about the passed value */
	if (clang_is_extended(&proto->params[nr]))
		return false;
	abi_next(declared, &proto->params[nr].type, ev->word, &place);
	if (declared->lost || declared->sses || place.reason == REASON_FLOAT)
		return false;
	param->longs = place.longs;
	/* Without a free register, clang passes a record of one eightbyte as an integer */
	if (place.memory && place.longs == 1 && ints == NR_ARG_REGS)
		return true;
	if (!place.aggregate && (place.memory || place.ints != 2))
		return place.longs <= 2;
	if (!place.memory) {
		/* An empty record is not passed */
		if (!place.ints)
			param->longs = 0;
		param->halves = place.ints == 2;
		return place.ints == param->longs;
	}
	param->record = true;
	/* The place of the record if it followed one word on the stack */
	alone.ints = NR_ARG_REGS;
	alone.words = 1;
	abi_next(&alone, &proto->params[nr].type, -1, &place);
	if (!alone.stack_lost)
		param->align = place.word;
	return place.memory && (param->align || ev->word >= 0);
}

/* The slots of argument registers */
static __u32 slots_of(__u32 regs)
{
	__u32 slots = 0;
	char slot;

	for (slot = 'a'; slot < 'a' + NR_ARG_REGS; slot++)
		if (regs & slot_register(slot))
			slots |= 1u << (slot - 'a');
	return slots;
}

/* Set the place of a parameter to the result of the search */
static void set_place(struct param *param, const struct fit_param *fit,
		      const struct fit_place *found, bool differ)
{
	struct abi_place *place = &param->place;

	param->removed = !differ && found->way == WAY_REMOVED;
	place->why = "only this fits the code and the locations";
	if (param->removed)
		return;
	if (differ) {
		displace(place, REASON_CLONE, "several places fit the code and the locations");
		return;
	}
	place->memory = found->memory;
	place->word = found->word;
	place->longs = fit->longs ?: 1;
	memcpy(place->slots, found->slots, sizeof(place->slots));
	if (found->way == WAY_FIRST)
		place->slots[1] = '.';
	if (found->way == WAY_SECOND)
		place->slots[0] = '.';
	place->reason = REASON_NONE;
	if (found->memory && found->word + place->longs > NR_WORDS)
		place->reason = REASON_STACK;
}

/* Try all ways. Returns false if they are too many, or if a parameter is not supported. */
static bool try_all(struct fit *fit, const struct evidence *evs)
{
	struct prototype *proto = fit->proto;
	struct abi_state state, declared;
	size_t i;

	abi_begin(&state, proto->ret.exists ? &proto->ret.type : NULL, proto->compiler.clang);
	declared = state;
	fit->ret_ints = state.ints;
	for (i = 0; i < proto->nr_params; i++) {
		fit->params[i].word = evs[i].word;
		if (!read_declared(fit, &declared, i, &evs[i]))
			return false;
		find_ways(fit, i, &evs[i]);
	}
	try_from(fit, &state, 0);
	return fit->tries <= MAX_TRIES;
}

/**
 * place_fitting - find the places of a function's parameters by trying all ways
 * @sigs: with the code
 * @proto: the function, which clang may have changed
 * @evs: the meaning of the locations
 *
 * Return: false if nothing fits, or if the kind of a parameter is not supported. The
 * places are not changed in that case.
 */
bool place_fitting(struct sigs *sigs, struct prototype *proto, const struct evidence *evs)
{
	size_t nr = proto->nr_params, i;
	struct fit fit = {
		.proto = proto,
		.unpromoted = sigs->unpromoted,
		.params = xcalloc(nr, sizeof(*fit.params)),
		.now = xcalloc(nr, sizeof(*fit.now)),
		.found = xcalloc(nr, sizeof(*fit.found)),
		.differ = xcalloc(nr, sizeof(*fit.differ)),
	};
	__u32 passed_on = 0;
	bool good;

	fit.regs = slots_of(proto_args_read(sigs, proto, &passed_on));
	fit.passed_on = slots_of(passed_on);
	fit.words = proto_words_read(sigs, proto, &fit.all_read);
	good = !proto->varargs && try_all(&fit, evs) && fit.nr_found;
	for (i = 0; i < nr && good; i++)
		set_place(&proto->params[i], &fit.params[i], &fit.found[i], fit.differ[i]);
	free(fit.params);
	free(fit.now);
	free(fit.found);
	free(fit.differ);
	return good;
}
