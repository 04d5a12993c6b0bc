// SPDX-License-Identifier: GPL-2.0
/*
 * The places of the parameters of gcc's clones
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"

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
		param->removed = param->behind || dropped;
		if (param->removed)
			param->place.why = param->behind ?
					   "the DWARF has it after the remaining parameters" :
					   "a call's DWARF has the value that is not passed";
		if (!param->removed && evs[i].kind == EVIDENCE_PLACE)
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
	size_t place = nr + (proto->ret.place == ABI_RETURN_MEMORY);

	if (ev->kind != EVIDENCE_PLACE || !evidence_fits(&proto->params[nr].place, ev))
		return false;
	if (ev->word >= 0)
		return (size_t)ev->word != place;
	return ev->slots[0] != '-' &&
	       (place >= ARRAY_SIZE(registers) || ev->slots[0] != registers[place]);
}

/*
 * Whether something proves that a function has the usual calling convention. gcc's DWARF does
 * not show the convention, and has no location for some parameters. The place of one
 * parameter proves the convention, and so the places of the others. Code that reads RDI or
 * RSI proves it as well, because these registers belong to the caller of a function of
 * ms_abi. preserve_none passes the fifth and the sixth parameter there. A function without a
 * parameter in a register or on the stack needs no proof.
 */
bool is_usual_gcc(struct sigs *sigs, const struct prototype *proto, const struct evidence *evs)
{
	unsigned int nr_registers = 0;
	bool placed = false;
	size_t i;

	for (i = 0; i < proto->nr_params; i++) {
		const struct abi_place *place = &proto->params[i].place;

		if (is_usual(proto, i, &evs[i]))
			return true;
		nr_registers += place->ints;
		placed |= place->memory || place->ints;
	}
	return !placed || proto->func->usual || (nr_registers <= 4 && proto_reads_usual(sigs, proto));
}

/*
 * A function of another calling convention may return a record, or a value larger than a
 * register, in memory.  gcc's DWARF does not show this.
 */
static void doubt_return(struct prototype *proto)
{
	Dwarf_Die type = proto->ret.type;
	Dwarf_Word size;
	int tag;

	if (!proto->ret.exists || die_peel(&type) != 1)
		return;
	tag = dwarf_tag(&type);
	if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	    !die_size(&type, &size) || size > 8)
		proto->ret.place = ABI_RETURN_UNKNOWN;
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
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];

		if (!param->removed || param->has_constant)
			continue;
		param->removed = false;
		displace(&param->place, REASON_CLONE, why);
	}
}

/* Find the places of the parameters of a function that gcc compiled */
void place_gcc(struct sigs *sigs, struct prototype *proto,
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
		return;
	}
	find_removed(sigs, proto, evs);
	if (proto->varargs) {
		place_varargs(proto, evs);
		return;
	}
	if (!(other & ~CLONE_PART) && place_left(proto, evs) &&
	    !proto_reads_foreign(sigs, proto)) {
		doubt_last(sigs, proto);
		return;
	}
	place_by_location(proto, evs, REASON_CLONE, "the clone has another interface");
	/* Free registers belong to a parameter only in the usual calling convention */
	if (!is_foreign(proto, evs))
		fill_gaps(proto);
}
