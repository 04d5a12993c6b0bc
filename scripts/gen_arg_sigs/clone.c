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

#include "gen_arg_sigs.h"

/*
 * Give the ABI's places to the remaining parameters. Returns whether all places fit the
 * locations.
 */
static bool place_left(struct prototype *proto, const struct evidence *evs)
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
		machine->abi_next(&state, &param->type, evs[i].word, &param->place);
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

	/* The location is the value's */
	place->reference = false;
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
static void displace(struct abi_place *place, enum reason reason, const char *why)
{
	place->memory = false;
	memset(place->slots, '-', sizeof(place->slots));
	place->reason = reason;
	place->why = why;
}

/* Mark all parameters of a function as remaining at unknown places */
static void displace_all(struct prototype *proto, enum reason reason, const char *why)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		proto->params[i].removed = false;
		displace(&proto->params[i].place, reason, why);
	}
}

/* How many words of the stack a parameter in memory has */
static unsigned int place_words(const struct abi_place *place)
{
	return place->reference ? 1 : place->longs;
}

/* Whether the places of two parameters are not in the order of the declaration */
static bool out_of_order(const struct abi_place *first, const struct abi_place *second)
{
	const char *a = first->slots, *b = second->slots;

	if (first->memory || second->memory)
		return first->memory && second->memory &&
		       second->word < first->word + place_words(first);
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
static void place_by_location(struct prototype *proto, const struct evidence *evs,
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
static int free_registers(struct prototype *proto, size_t nr, char *low, bool *lone)
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

/* A bit for each argument register of a parameter */
static __u32 place_registers(const struct abi_place *place)
{
	return slot_register(place->slots[0]) | slot_register(place->slots[1]);
}

/* Whether the ABI could not place a parameter, nor any parameter after it */
static bool proto_is_lost(const struct prototype *proto)
{
	return proto->nr_params &&
	       proto->params[proto->nr_params - 1].place.reason == REASON_TYPE;
}

/*
 * Whether a function reads a register that no parameter is in. A function that reads such a
 * register has another calling convention. gcc's DWARF does not show the convention. Scratch
 * registers have other uses. A function that saves a register may read a local variable there
 * that it has not set.
 */
static bool proto_reads_foreign(struct sigs *sigs, const struct prototype *proto)
{
	__u32 own = proto->ret.place == ABI_RETURN_MEMORY ? 1u << machine->arg_regs[0] : 0;
	unsigned int reg;
	size_t i;

	if (proto->varargs || proto_is_lost(proto))
		return false;
	own |= machine->scratch;
	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed)
			own |= place_registers(&proto->params[i].place);
	for (reg = 0; reg < 32; reg++)
		if (machine->saved_args & 1u << reg && func_saves(sigs, proto->func, reg))
			own |= 1u << reg;
	return proto_reads(sigs, proto) & ~own;
}

/*
 * Whether the DWARF of some call has the value that the call would have passed for a
 * parameter
 */
static bool is_dropped(struct sigs *sigs, const struct prototype *proto,
		       const struct param *param)
{
	struct call_site *site;
	Dwarf_Die die;

	for (site = call_first(sigs, proto); site; site = call_next(sigs, site))
		if (call_param(site, param, &die))
			return true;
	return false;
}

/*
 * Find the parameters that gcc has removed from a clone.  gcc makes a removed parameter a
 * variable of the clone, so its DWARF follows the remaining parameters.  So if a parameter has
 * a place, all parameters before it remain as well, whatever their locations say.  A removed
 * parameter has a location if the function assigns it.  Variable tracking begins with the
 * register of each parameter, so a parameter without a location at the end of the list
 * has been removed.  It may remain if it has two registers, of which gcc may use one, or if
 * gcc does not track the variables.
 */
static void find_removed(struct sigs *sigs, struct prototype *proto,
			 const struct evidence *evs)
{
	size_t i, nr_left = 0, nr_doubtful = 0;
	bool dropped = false;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (!param->has_concrete)
			continue;
		dropped |= !param->behind && is_dropped(sigs, proto, param);
		/* gcc 12 writes the value of some remaining parameters as well */
		param->removed = param->behind || (dropped && evs[i].kind != EVIDENCE_PLACE);
		if (param->removed)
			param->place.why = param->behind ?
					   "the DWARF has it after the remaining parameters" :
					   "a call's DWARF has the value that is not passed";
		if (!param->removed && !dropped && evs[i].kind == EVIDENCE_PLACE)
			nr_left = i + 1;
		if (!param->removed && evs[i].kind != EVIDENCE_VALUE &&
		    (evs[i].kind > EVIDENCE_LATER || param->size > 8 || !proto->compiler.tracked))
			nr_doubtful = i + 1;
	}
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		param->sure = !param->removed && i < nr_left;
		if (!param->removed && param->has_concrete && i >= nr_left && i >= nr_doubtful) {
			param->removed = true;
			param->place.why = "neither it nor a later parameter has a place";
		}
		param->has_constant = param->removed &&
				      proto_constant(sigs, proto, param, &param->constant);
		if (param->has_constant)
			param->place.why = "all calls have this value";
	}
}

/*
 * A call's DWARF has the value of a parameter, as if it was not passed, and the parameter has
 * a location.  It may be removed and assigned, or it may remain.  Only the calling convention
 * can tell (doubt_last()), so without it nothing does.
 */
static void displace_dropped(struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed && !proto->params[i].sure)
			displace(&proto->params[i].place, REASON_CLONE,
				 "the location and a call's DWARF disagree");
}

/*
 * The last parameters of a clone may remain, or they may be removed and assigned.  The clone
 * passes original parameters only, each in the register that the ABI gives to it, and no
 * parameter follows a removed one.  So if the code reads the register of one of the last
 * parameters, which nothing has set before, this parameter remains, and all parameters
 * before it.  gcc initializes all variables that the code may read before it sets them
 * (pass_initialize_regs), so the code reads no register that nobody has set.
 */
static void doubt_last(struct sigs *sigs, struct prototype *proto)
{
	size_t i, nr_left = 0;
	__u32 reads;

	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed && !proto->params[i].sure)
			break;
	if (i == proto->nr_params)
		return;

	reads = proto_reads(sigs, proto);
	for (i = 0; i < proto->nr_params; i++)
		if (!proto->params[i].removed &&
		    reads & place_registers(&proto->params[i].place))
			nr_left = i + 1;
	for (i = nr_left; i < proto->nr_params; i++)
		if (!proto->params[i].removed && !proto->params[i].sure)
			displace(&proto->params[i].place, REASON_CLONE,
				 "the code does not read it");
}

/*
 * Give the free registers to a remaining parameter.  A remaining parameter keeps its type, so
 * it has as many registers as the ABI gives to the type.  These registers are between those of
 * the parameters before and after it, because registers follow the order of the parameters,
 * also if IPA-SRA has put parts into the place of a parameter.  If just as many registers are
 * free there, none is left for such parts, or for another parameter.
 */
static void fill_gaps(struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;
		unsigned int j;
		bool lone;
		char low;

		if (!proto->params[i].sure || !place->ints || place->longs != place->ints ||
		    place->memory || place->slots[0] != '-' || place->slots[1] != '-' ||
		    free_registers(proto, i, &low, &lone) != (int)place->ints || !lone)
			continue;
		for (j = 0; j < place->ints; j++)
			place->slots[j] = low + j;
		place->reason = REASON_NONE;
		place->why = "the free registers between the other parameters";
	}
}

/*
 * If gcc does not track the variables of a function, it has no location for a parameter that
 * it has split. Then it is not known whether the parameter remains.  Only a tracked variable
 * has a list of locations.
 */
static bool is_split(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; !proto->compiler.tracked && i < proto->nr_params; i++)
		if (evs[i].kind <= EVIDENCE_LATER && proto->params[i].size > 8)
			return true;
	return false;
}

/*
 * Whether a parameter that the ABI passes in a register is on the stack for all of the
 * function.  Another calling convention reserves words on the stack, which the function
 * fills.
 */
static bool has_homes(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (evs[i].word >= 0 && place_registers(&proto->params[i].place))
			return true;
	return false;
}

/*
 * Whether the usual calling convention passes a parameter in its place, and ms_abi does
 * not.  ms_abi assigns a register or a stack word to each parameter by its number.
 */
static bool is_usual(const struct prototype *proto, size_t nr, const struct evidence *ev)
{
	static const char registers[] = { 'd', 'c', 'e', 'f' };
	size_t place = proto->ret.place == ABI_RETURN_MEMORY, i;

	for (i = 0; i < nr; i++)
		place += !proto->params[i].removed;
	if (ev->kind != EVIDENCE_PLACE || !evidence_fits(&proto->params[nr].place, ev))
		return false;
	if (!machine->ms_abi)
		return ev->slots[0] != '-';
	if (ev->word >= 0)
		return (size_t)ev->word != place;
	return ev->slots[0] != '-' &&
	       (place >= ARRAY_SIZE(registers) || ev->slots[0] != registers[place]);
}

/*
 * A function of another calling convention may return a record, or a value larger than a
 * register, in memory.  gcc's DWARF does not show this.  ms_abi returns a record of 1, 2, 4
 * or 8 bytes in RAX.  The usual convention does so as well, unless the record is packed.
 * clang's DWARF does not show how a record with an _Atomic member is returned, if its version
 * of DWARF has no mark for _Atomic.
 */
static bool may_return_elsewhere(const struct prototype *proto)
{
	Dwarf_Die type = proto->ret.type;
	Dwarf_Word size;

	if (!proto->ret.exists || die_peel(&type) != 1)
		return false;
	return !die_size(&type, &size) || size > 8 || size & (size - 1) ||
	       proto->ret.place == ABI_RETURN_MEMORY ||
	       (proto->compiler.clang && die_is_record(&type));
}

static void doubt_return(struct prototype *proto)
{
	if (may_return_elsewhere(proto))
		proto->ret.place = ABI_RETURN_UNKNOWN;
}

/*
 * Whether something proves that a function has the usual calling convention. gcc's DWARF does
 * not show the convention, and has no location for some parameters. The place of one
 * parameter proves the convention, and so the places of the others. Code that reads RDI or
 * RSI proves it as well, because these registers belong to the caller of a function of
 * ms_abi. preserve_none of gcc 15 and later passes the fifth and the sixth parameter there. A
 * function without a parameter in a register or on the stack needs no proof, unless ms_abi
 * passes the address of its return value in RCX.  No function needs a proof if gcc has no
 * other convention.
 */
static bool is_usual_gcc(struct sigs *sigs, const struct prototype *proto,
			 const struct evidence *evs)
{
	unsigned int nr_registers = 0;
	bool placed = false;
	size_t i;

	if (!machine->ms_abi && !proto->compiler.none)
		return true;
	for (i = 0; i < proto->nr_params; i++) {
		const struct abi_place *place = &proto->params[i].place;

		if (proto->params[i].removed)
			continue;
		if (is_usual(proto, i, &evs[i]))
			return true;
		nr_registers += place->ints;
		placed |= place->memory || place->ints;
	}
	if (!placed && (!machine->ms_abi || !may_return_elsewhere(proto) ||
			proto_ignores(sigs, proto, slot_register('d'))))
		return true;
	return proto->func->usual ||
	       ((nr_registers <= 4 || !proto->compiler.none) && proto_reads_usual(sigs, proto));
}

/* Whether a location shows that the function has another calling convention */
static bool is_foreign(const struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (evs[i].kind == EVIDENCE_FOREIGN)
			return true;
	return false;
}

/* The evidence that a function does not have the usual calling convention, or NULL */
static const char *find_doubt(struct sigs *sigs, struct prototype *proto,
			      const struct evidence *evs)
{
	if (!place_left(proto, evs))
		return "a location contradicts the ABI";
	if (proto_reads_foreign(sigs, proto))
		return "the code reads a register that no parameter is in";
	if (!is_usual_gcc(sigs, proto, evs))
		return "nothing shows the usual calling convention";
	return NULL;
}

/*
 * gcc keeps all parameters of a clone that calls va_start(), and lists the parameters that the
 * clone does not use as it lists removed parameters.  Whether a clone calls va_start() is
 * not known.
 */
static void place_varargs(struct prototype *proto, const struct evidence *evs)
{
	static const char why[] = "a clone with variable arguments may pass unused ones";
	size_t i;

	place_by_location(proto, evs, REASON_CLONE, why);
	displace_dropped(proto);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (!param->removed || param->has_constant)
			continue;
		param->removed = false;
		displace(&param->place, REASON_CLONE, why);
	}
}

/* Find the places of the parameters of a function that gcc compiled */
static void place_gcc(struct sigs *sigs, struct prototype *proto,
		      const struct evidence *evs)
{
	unsigned int other = proto->cc.clone & ~CLONE_CONSTPROP;
	const char *doubt;
	bool homes;

	if (!proto->cc.clone) {
		doubt = find_doubt(sigs, proto, evs);
		homes = has_homes(proto, evs);
		if (homes || doubt)
			doubt_return(proto);
		if (homes)
			displace_all(proto, REASON_LOCATION,
				     "a parameter of a register is on the stack");
		else if (doubt)
			place_by_location(proto, evs, REASON_LOCATION, doubt);
		else if (proto_is_lost(proto))
			place_by_location(proto, evs, REASON_LOCATION,
					  "a type has no known place in the ABI");
		return;
	}

	/* The address of a return value that is too large is passed as well */
	place_left(proto, evs);
	proto->ret.kept = !other;
	if (is_split(proto, evs)) {
		displace_all(proto, REASON_CLONE,
			     "without variable tracking, a split parameter has no location");
		doubt_return(proto);
		return;
	}
	find_removed(sigs, proto, evs);
	doubt = find_doubt(sigs, proto, evs);
	if (doubt)
		doubt_return(proto);
	if (proto->varargs) {
		place_varargs(proto, evs);
		return;
	}
	if (!doubt && !(other & ~CLONE_PART)) {
		doubt_last(sigs, proto);
		return;
	}
	place_by_location(proto, evs, REASON_CLONE, "the clone has another interface");
	displace_dropped(proto);
	/* Free registers belong to a parameter only in the usual calling convention */
	if (!is_foreign(proto, evs))
		fill_gaps(proto);
}

/*
 * The first clang that takes an __int128 as one value, and passes all of it or nothing
 */
#define CLANG_ONE_INT128	22

/*
 * The first clang whose direct callers of a static function leave an unused parameter
 * unset even if the address of the function is taken
 */
#define CLANG_DEAD_LOCALS	15

/*
 * The first clang of those tested whose DeadArgumentElimination marks each function by
 * DW_CC_nocall if it changes the function's type
 */
#define CLANG_MARKS		19

/* A caller in the same object need not set a parameter that the function does not read */
static const char not_read[] = "the code does not read it";

/*
 * Whether clang's location has an eightbyte of a parameter at the ABI's place.  A location
 * in memory does not count, because a function that stores the register there reads it.
 */
static bool is_named_of(const struct param *param, const struct evidence *ev,
			unsigned int nr)
{
	return param->place.slots[nr] == '-' || ev->names[nr] == param->place.slots[nr];
}

static bool is_named(const struct param *param, const struct evidence *ev)
{
	if (param->place.memory)
		return ev->word == (int)param->place.word;
	return is_named_of(param, ev, 0) && is_named_of(param, ev, 1);
}

/*
 * Whether clang passes two eightbytes together, or none of them.  clang passes a _BitInt() as
 * two values.
 */
static bool is_one(const struct prototype *proto, const struct param *param)
{
	return proto->compiler.clang >= CLANG_ONE_INT128 && !param->place.aggregate &&
	       param->place.ints == 2 && !clang_is_extended(param);
}

/*
 * Whether clang may pass parts instead of a parameter: the members of a record, or the values
 * that the function loads through a pointer (ArgumentPromotion). clang passes a _BitInt() of
 * more than 128 bits by a pointer as well, as it passes a record.
 */
static bool may_have_pieces(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) != 1 || die_is_record(&type) || die_is_bit_int(&type) ||
	       dwarf_tag(&type) == DW_TAG_pointer_type;
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

	for (i = place->word; i < place->word + place_words(place) && i < NR_WORDS; i++)
		if (words & 1u << i)
			return true;
	return false;
}

/*
 * Doubt the parameters of a function that keeps its interface, but that the object itself
 * calls.  The callers leave an argument unset that the function does not use
 * (DeadArgumentElimination, RemoveDeadArgumentsFromCallers).  The pass also removes the
 * argument from the DWARF.  So an argument is set if its own place is in the location of its
 * parameter.  The argument is set as well if the code reads its place, because no code reads
 * an unset argument.  A register that a later instruction only saves does not count.
 * doubt_records() handles records in memory.
 */
static void doubt_unnamed(struct sigs *sigs, struct prototype *proto,
			  const struct evidence *evs, __u32 words)
{
	__u32 reads = proto_args_read(sigs, proto);
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct abi_place *place = &param->place;

		if (is_named(param, &evs[i]) ||
		    (place->memory && place->longs > 1 && may_have_pieces(param)))
			continue;
		if (place->memory && !is_read(place, words))
			displace(place, REASON_LOCATION, not_read);
		if (is_one(proto, param) && reads & place_registers(place))
			continue;
		for (j = 0; j < ARRAY_SIZE(place->slots); j++) {
			if (is_named_of(param, &evs[i], j) ||
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
 * A location that contradicts the ABI is the place of another parameter whose value the
 * function has assigned, or the ABI was not understood.  Nothing tells these cases apart, so
 * only parameters remain whose location agrees.
 */
static void doubt_all(struct prototype *proto, const struct evidence *evs)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		if (evs[i].kind != EVIDENCE_PLACE ||
		    !evidence_fits(&proto->params[i].place, &evs[i]))
			displace(&proto->params[i].place, REASON_LOCATION,
				 "a location contradicts the ABI");
	doubt_return(proto);
}

/*
 * The words of a record on the stack have a location even if the function does not
 * read them. Callers in the same object do not set such words. Nor do they set a record that
 * is passed by its address, if the function does not read it. Nothing here tells whether it
 * does.
 */
static void doubt_records(struct prototype *proto, __u32 words)
{
	size_t i;

	for (i = 0; proto->compiler.optimized && i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;

		if (place->reference ||
		    (place->memory && place->aggregate && !is_read(place, words)))
			displace(place, REASON_LOCATION, not_read);
	}
}

/*
 * Whether a changed function certainly has the usual calling convention, or no parameter.  In
 * the DWARF, the mark of a changed function replaces its convention.  ms_abi and vectorcall
 * pass nothing in RDI and RSI, and the function pushes them if it uses them.  A push is no
 * read.  preserve_none passes the first values in R12 to R15, which no usual location has at
 * the entry.  The name of a regcall function tells.  All other conventions pass integers as
 * the usual one does.
 */
static bool is_passed_usually(struct sigs *sigs, const struct prototype *proto,
			      const struct evidence *evs)
{
	__u32 first = slot_register('a') | slot_register('b');
	bool passed = proto_args_read(sigs, proto) & first || !proto->nr_params;
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++) {
		if (evs[i].kind == EVIDENCE_FOREIGN)
			return false;
		for (j = 0; j < ARRAY_SIZE(evs[i].names); j++)
			passed |= slot_register(evs[i].names[j]) & first;
	}
	return passed;
}

/*
 * Whether a parameter is a record that clang passes in memory. Without a free register, clang
 * passes a record of one eightbyte as an integer.
 */
static bool is_in_memory(const struct abi_place *place, char last)
{
	char last_register = 'a' + machine->nr_arg_regs - 1;

	return place->memory && place->aggregate && !place->reference &&
	       (place->longs > 1 || last < last_register);
}

/*
 * Whether a function certainly has all integers, although clang may have removed some.
 * DeadArgumentElimination removes parameters, or eightbytes of them.  The code generator
 * gives the next register, then the next word, to each remaining integer.  So if an integer
 * is missing, the last place of the declared integers has no value.  It has a value if the
 * code reads it, because C code has no use for an unset one.  It also has a value if it is in
 * the location of some parameter at the entry, because no instruction has set it there.
 * This need not be the location of its own parameter: after "q = p", which needs no
 * instruction, q has the place of p.  An __int128, or a record between words, may leave a
 * place free, so that the last place tells nothing.
 */
static bool is_complete(struct sigs *sigs, const struct prototype *proto,
			const struct evidence *evs)
{
	__u32 words = proto_words_read(sigs, proto), registers = proto_args_read(sigs, proto);
	bool records = false;
	char last = 0;
	size_t i, j;

	for (i = 0; i < proto->nr_params; i++) {
		const struct abi_place *place = &proto->params[i].place;

		if (evs[i].word >= 0)
			words |= 1u << evs[i].word;
		if (is_in_memory(place, last)) {
			records = true;
			continue;
		}
		/* Without a parameter before it, an even register may be another one */
		if (place->reason || place->even || (place->memory && place->longs > 1))
			return false;
		if (place->memory)
			last = 'A' + place->word;
		for (j = 0; j < ARRAY_SIZE(place->slots); j++) {
			if (place->slots[j] >= 'A' && place->slots[j] <= 'Z')
				return false;
			if (place->slots[j] != '-' && !slot_word(last))
				last = place->slots[j];
			registers |= slot_register(evs[i].names[j]);
		}
	}
	if (proto->varargs || (records && slot_word(last)))
		return false;
	return !last || slot_register(last) & registers || slot_word(last) & words;
}

/*
 * The places of a function that may have lost parameters.  A record in memory is certainly at
 * its own location, because code that assigns another record to it needs instructions.
 * ArgumentPromotion passes members of a record, and values that a pointer points to.  Returns
 * whether the integers have the ABI's places.
 */
static bool place_changed(struct sigs *sigs, struct prototype *proto,
			  const struct evidence *evs)
{
	static const char why[] = "clang may have changed the interface";
	bool complete = is_complete(sigs, proto, evs), good = !proto->cc.clone;
	char last = 0;
	size_t i;

	for (i = 0; i < proto->nr_params; i++)
		good &= sigs->unpromoted || !may_have_pieces(&proto->params[i]);
	complete &= good && (!proto->cc.changed || is_passed_usually(sigs, proto, evs));
	for (i = 0; i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;
		bool record = is_in_memory(place, last);

		if (!record && place->ints)
			last = place->slots[place->slots[1] != '-'];
		if (record && good && evs[i].word >= 0) {
			place->word = evs[i].word;
			place->reason = place->word + place->longs > NR_WORDS ? REASON_STACK :
										REASON_NONE;
			place->why = "the location of a record is its own";
		} else if (record || !complete) {
			displace(place, REASON_CLONE, why);
		}
	}
	return complete;
}

/*
 * Find the places of the parameters of a function that clang compiled. clang changes the
 * interface of a static function if it knows all calls, that is, if the address of the
 * function is not taken. Two passes do so. DeadArgumentElimination marks the DWARF from
 * CLANG_MARKS on. ArgumentPromotion does not, but runs only at -O3. A function that is not
 * optimized keeps its interface. For a kept interface the ABI has the places.
 */
static void place_clang(struct sigs *sigs, struct prototype *proto,
			const struct evidence *evs)
{
	bool known = proto->cc.external || proto->cc.taken || !proto->compiler.optimized ||
		     (proto->compiler.clang >= CLANG_MARKS && sigs->unpromoted);
	bool named = true, memory = false, fit = place_left(proto, evs);
	__u32 words;
	size_t i;

	proto->ret.kept = known && !proto->cc.clone && !proto->cc.changed;
	if ((proto->ret.kept || place_changed(sigs, proto, evs)) && !fit &&
	    proto->compiler.optimized)
		doubt_all(proto, evs);
	if (proto->ret.kept && !sigs_is_called(sigs, proto->func->low, proto->cc.external))
		return;

	for (i = 0; i < proto->nr_params; i++) {
		named &= is_named(&proto->params[i], &evs[i]);
		memory |= proto->params[i].place.memory ||
			  slot_word(proto->params[i].place.slots[0]);
	}
	words = memory ? proto_words_read(sigs, proto) : 0;
	if (!named && (proto->cc.external || proto->compiler.clang >= CLANG_DEAD_LOCALS))
		doubt_unnamed(sigs, proto, evs, words);
	doubt_records(proto, words);
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

/*
 * gcc pushes the static chain of a nested function before the call of the tracer.  Every word
 * of the stack is one word further away there.
 */
static void displace_words(struct prototype *proto)
{
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		struct abi_place *place = &proto->params[i].place;

		if (place->memory || slot_word(place->slots[0]) || slot_word(place->slots[1]))
			displace(place, REASON_STACK, "the call of the tracer follows a push");
	}
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
	if (proto->pushed)
		displace_words(proto);
	free(evs);
}
