// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with the same code, which gcc merges (-fipa-icf)
 *
 * gcc keeps the code of one of the functions, and its DWARF describes the code only for this
 * function.  Calls of the other functions arrive there as well, so a type is shown only if all
 * of the functions agree.  gcc replaces another function in three ways:
 *
 *  - An alias has a symbol with the address of the code.
 *  - A wrapper has code of its own, which jumps to the kept function, or into which the kept
 *    function has been inlined.  Direct calls of the wrapper go to the kept function as well.
 *    Nothing in the DWARF tells which function has been kept.
 *    If gcc inlines the jump, the wrapper has no code.
 *  - If all calls of an alias go to a clone of the kept function, the alias has no symbol.
 *
 * gcc merges only functions whose parameters and results have types of the same kind.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

static void add_twin(struct funcs *funcs, const struct twin *twin)
{
	size_t nr = funcs->nr_twins++;

	funcs->twins = xgrow(funcs->twins, nr, sizeof(*funcs->twins));
	funcs->twins[nr] = *twin;
}

/* Find the aliases of a site's function */
static void find_aliases(const struct object *obj, struct funcs *funcs, const struct site *site,
			 struct func *func)
{
	const char *own = dwarf_diename(&func->die), *name;
	size_t nr;

	for (nr = 0; (name = object_site_name(obj, site, nr)); nr++) {
		Dwarf_Die die, origin;

		if (own && symbol_is_of(name, own))
			continue;
		if (funcs_find_twin(funcs, func, name, &die) && die_origin(&func->die, &origin))
			add_twin(funcs, &(struct twin){
				.kind	= TWIN_ALIAS,
				.clone	= strchr(name, '.'),
				.die	= die,
				.kept	= dwarf_dieoffset(&origin),
				.site	= site,
			});
	}
}

/*
 * What gcc distinguishes besides the size of a type: signed and unsigned integers, and pointers
 * to functions.  @type: the type without typedefs and qualifiers
 */
static Dwarf_Word kind_of_type(Dwarf_Die *type)
{
	Dwarf_Word encoding = 0;
	Dwarf_Die target;

	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return die_type(type, &target) == 1 && die_peel(&target) == 1 &&
		       dwarf_tag(&target) == DW_TAG_subroutine_type ?
		       DW_TAG_subroutine_type : DW_TAG_pointer_type;
	/* An enumeration has an encoding as well */
	if (!die_udata(type, DW_AT_encoding, &encoding))
		return dwarf_tag(type);
	if (encoding == DW_ATE_signed_char)
		return DW_ATE_signed;
	return encoding == DW_ATE_unsigned_char ? DW_ATE_unsigned : encoding;
}

/* Whether the values of two types are the same to gcc */
static bool is_alike(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Word size_a = 0, size_b = 0;

	if (die_peel(a) != 1 || die_peel(b) != 1)
		return false;
	die_size(a, &size_a);
	die_size(b, &size_b);
	return size_a == size_b && kind_of_type(a) == kind_of_type(b);
}

/* Whether gcc could merge two functions, as far as their types tell */
static bool may_merge(Dwarf_Die *func_a, Dwarf_Die *func_b)
{
	Dwarf_Die a, b, type_a, type_b;
	int ret_a, ret_b;

	ret_a = die_type(func_a, &type_a);
	ret_b = die_type(func_b, &type_b);
	if (ret_a != ret_b || (ret_a == 1 && !is_alike(&type_a, &type_b)))
		return false;
	ret_a = die_child(func_a, DW_TAG_formal_parameter, &a);
	ret_b = die_child(func_b, DW_TAG_formal_parameter, &b);
	while (!ret_a && !ret_b) {
		if (die_type(&a, &type_a) != 1 || die_type(&b, &type_b) != 1 ||
		    !is_alike(&type_a, &type_b))
			return false;
		ret_a = die_next(&a, DW_TAG_formal_parameter);
		ret_b = die_next(&b, DW_TAG_formal_parameter);
	}
	return ret_a && ret_b;
}

/* Whether code begins with the same instructions as a function */
static bool is_same_code(const struct object *obj, Dwarf_Addr begin, const struct func *func)
{
	Dwarf_Addr low = machine->begin(obj, func->low);
	size_t size = low < func->high ? func->high - low : 0, i = 0;
	const unsigned char *a = code_at(obj, begin, begin + size);
	const unsigned char *b = code_at(obj, low, func->high);

	if (!size || !a || !b)
		return false;
	while (size - i >= machine->code_align) {
		__u64 target, own;
		unsigned int len = machine->jump_target(a + i, size - i, begin + i, &target);

		/* The distances of the same target differ */
		if (!len || machine->jump_target(b + i, size - i, low + i, &own) != len ||
		    own != target) {
			len = machine->code_align;
			if (memcmp(a + i, b + i, len))
				return false;
		}
		i += len;
	}
	return true;
}

/* Maximum code of a wrapper before its jump, in bytes: a frame, and what instruments the entry */
#define MAX_WRAPPER	48

/*
 * Find the functions that gcc may have kept for a wrapper: functions whose code is there, or that
 * the wrapper jumps to.  The first does not exclude the second, because in an object jumps to
 * different functions may have the same bytes.
 */
static void find_kept(struct sigs *sigs, struct funcs *funcs, struct twin *wrapper)
{
	bool found = false;
	size_t i;

	for (i = 0; i < funcs->nr; i++) {
		struct func *func = &funcs->funcs[i];
		Dwarf_Die origin;

		if (!func->entry || func->die.cu != wrapper->die.cu ||
		    !(is_same_code(sigs->obj, wrapper->begin, func) ||
		      sigs_is_called_from(sigs, func->low, wrapper->begin,
					  wrapper->begin + MAX_WRAPPER)) ||
		    !die_origin(&func->die, &origin) ||
		    !may_merge(&wrapper->die, &origin))
			continue;
		wrapper->kept = dwarf_dieoffset(&origin);
		add_twin(funcs, wrapper);
		found = true;
	}
	if (!found)
		add_twin(funcs, wrapper);
}

/*
 * Find the functions that gcc has replaced by other functions.  A function without code that
 * has been inlined is usually not replaced.
 */
void twins_find(struct sigs *sigs, struct funcs *funcs)
{
	struct object *obj = sigs->obj;
	size_t i;

	for (i = 0; i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];
		__u64 addr = obj->base[site->shndx] + site->offset;
		struct func *func = funcs_find(funcs, addr), wrapper;

		if (func && site->symbol)
			find_aliases(obj, funcs, site, func);
		else if (!func && funcs_find_codeless(obj, funcs, site, addr, &wrapper))
			find_kept(sigs, funcs, &(struct twin){
				.kind	= TWIN_WRAPPER,
				.die	= wrapper.die,
				.begin	= machine->begin(obj, addr),
			});
	}
	for (i = 0; i < funcs->nr_codeless; i++) {
		struct twin twin = { .kind = TWIN_LOST, .die = funcs->codeless[i] };

		if (!dwarf_hasattr(&twin.die, DW_AT_inline))
			add_twin(funcs, &twin);
	}
}

/* Whether two types, or the types of two functions' results, have the same text */
static bool is_same_type(struct sigs *sigs, Dwarf_Die *a, Dwarf_Die *b)
{
	struct text text[2] = {};
	bool same;

	text_reset(&text[0]);
	text_reset(&text[1]);
	sigs_add_type(sigs, &text[0], a);
	sigs_add_type(sigs, &text[1], b);
	same = !strcmp(text[0].buf, text[1].buf);
	free(text[0].buf);
	free(text[1].buf);
	return same;
}

/*
 * Compare a function with another function whose calls may arrive there.  Nothing tells which of
 * them is called, so a parameter that they declare in different ways is shown by its width.
 */
static void merge_twin(struct sigs *sigs, struct prototype *proto, Dwarf_Die *twin)
{
	Dwarf_Die child, type;
	size_t i = 0;
	int ret;

	if (proto->ret.exists && (die_type(twin, &type) != 1 ||
				  !is_same_type(sigs, &type, &proto->ret.type)))
		proto->ret.raw = true;
	for (ret = die_child(twin, DW_TAG_formal_parameter, &child); !ret && i < proto->nr_params;
	     ret = die_next(&child, DW_TAG_formal_parameter)) {
		struct param *param = &proto->params[i];
		const char *name = dwarf_diename(&child), *own = dwarf_diename(&param->die);

		param->raw |= die_type(&child, &type) != 1 || strcmp(name ?: "", own ?: "") ||
			      !is_same_type(sigs, &type, &param->type);
		if (flags_find(twin, &child) != param->flags)
			param->flags = NULL;
		i++;
	}
	for (; i < proto->nr_params; i++)
		proto->params[i].raw = true;
}

/*
 * Only a function itself calls a part of it.  A call in the body of another function shows that
 * gcc has merged the parts.
 */
static bool is_merged_part(struct sigs *sigs, struct prototype *proto)
{
	struct call_site *call;

	if (proto->cc.clone & CLONE_PART)
		for (call = call_first(sigs, proto); call; call = call_next(sigs, call))
			if (dwarf_dieoffset(&call->scope) != dwarf_dieoffset(&proto->declared))
				return true;
	return false;
}

/*
 * Whether calls of an alias may arrive at a function of the same DIE as the code.  If the alias is
 * of a clone, they arrive at this clone, and at the clones that gcc has made of it.
 */
static bool is_aliased(const struct object *obj, const struct twin *twin,
		       const struct site *site)
{
	const char *name;
	size_t nr;

	if (!twin->clone)
		return true;
	for (nr = 0; site->symbol && (name = object_site_name(obj, twin->site, nr)); nr++)
		if (symbol_is_of(site->symbol, name))
			return true;
	return false;
}

/*
 * Whether calls of a replaced function may arrive at a function. Direct calls of a wrapper do,
 * and they are in the same object.
 */
static bool is_replaced_by(struct sigs *sigs, struct twin *twin, const struct site *site,
			   struct prototype *proto)
{
	Dwarf_Off declared;
	const char *name;

	if (twin->clone && !proto->cc.clone)
		return false;
	declared = dwarf_dieoffset(&proto->declared);
	if (twin->kept)
		return twin->kept == declared &&
		       (twin->kind == TWIN_ALIAS ? is_aliased(sigs->obj, twin, site) :
						   sigs_is_called(sigs, proto->func->low, false));
	/* The code of a clone, or of a function that is also inlined, has another DIE */
	if (proto->compiler.clang || twin->die.cu != proto->func->die.cu ||
	    (twin->kind != TWIN_LOST && declared == dwarf_dieoffset(&proto->func->die)) ||
	    !may_merge(&twin->die, &proto->declared))
		return false;
	if (twin->kind == TWIN_WRAPPER)
		return sigs_is_called(sigs, proto->func->low, false);
	/* Only the calls of a wrapper that has been inlined arrive at the function itself */
	if (!proto->cc.clone && !(die_is_inlined_wrapper(sigs, &twin->die) &&
				  sigs_is_called(sigs, proto->func->low, false)))
		return false;
	name = dwarf_diename(&twin->die);
	return name && !object_has_function(sigs->obj, name);
}

/* Show a function's parameters and its result as all functions with the same code allow */
void twins_merge(struct sigs *sigs, const struct funcs *funcs, const struct site *site,
		 struct prototype *proto)
{
	bool raw = is_merged_part(sigs, proto);
	size_t i;

	proto->merged = raw;
	for (i = 0; i < funcs->nr_twins; i++) {
		struct twin *twin = &funcs->twins[i];

		if (!is_replaced_by(sigs, twin, site, proto))
			continue;
		merge_twin(sigs, proto, &twin->die);
		/* Clones with the same code need not pass the same ones of their parameters */
		raw |= twin->clone || (twin->kind == TWIN_LOST && proto->cc.clone & CLONE_PART);
		proto->merged = true;
	}
	for (i = 0; raw && i < proto->nr_params; i++)
		proto->params[i].raw = true;
	if (raw)
		proto->ret.raw |= proto->ret.exists;
}
