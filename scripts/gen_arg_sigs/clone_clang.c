// SPDX-License-Identifier: GPL-2.0
/*
 * The places of the parameters of a function that clang may have changed
 */
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
 * Whether clang's location is the location of the extended parameter. This is so for a
 * _BitInt(N).
 */
bool clang_is_extended(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) == 1 && die_is_bit_int(&type);
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
 * that the function loads through a pointer (ArgumentPromotion)
 */
static bool may_have_pieces(const struct param *param)
{
	Dwarf_Die type = param->type;

	return die_peel(&type) != 1 || die_is_record(&type) ||
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

	for (i = place->word; i < place->word + place->longs && i < NR_WORDS; i++)
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
	if (proto->ret.exists && proto->ret.place != ABI_RETURN_RAX)
		proto->ret.place = ABI_RETURN_UNKNOWN;
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

		if (place->memory && place->aggregate && !is_read(place, words))
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
	return place->memory && place->aggregate && (place->longs > 1 || last < 'f');
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
		if (place->reason || (place->memory && place->longs > 1))
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
void place_clang(struct sigs *sigs, struct prototype *proto,
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
