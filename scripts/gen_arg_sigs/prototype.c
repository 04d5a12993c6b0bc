// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that an object's DWARF describes, and their prototypes
 *
 * Strategy: walk over the units once, and sort the functions by the ranges of their code.
 * Functions that are looked up by name have lists of their own.  For a prototype, read the
 * declared parameters, then the parameters of the compiled code, and then the names and
 * attributes that show how the code was compiled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

static int compare_funcs(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void add_codeless(struct funcs *funcs, Dwarf_Die *die)
{
	size_t nr = funcs->nr_codeless++;

	funcs->codeless = xgrow(funcs->codeless, nr, sizeof(*funcs->codeless));
	funcs->codeless[nr] = *die;
}

static void add_call_die(struct funcs *funcs, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	size_t nr = funcs->nr_calls;

	if (!name || (strncmp(name, DO_SYS, strlen(DO_SYS)) &&
		      strncmp(name, DO_COMPAT_SYS, strlen(DO_COMPAT_SYS))))
		return;
	funcs->calls = xgrow(funcs->calls, nr, sizeof(*funcs->calls));
	funcs->calls[nr] = *die;
	funcs->nr_calls++;
}

/*
 * Why no function of a unit has a signature.  Other languages than C pass parameters in
 * other ways.  With -g1 a unit has functions, but no type.
 */
static enum reason unit_reason(Dwarf_Die *unit)
{
	bool prototyped = false;
	Dwarf_Die die;
	int ret;

	switch (dwarf_srclang(unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c:	/* DW_LANG_C17 */
	case 0x3e:	/* DW_LANG_C23 */
	case -1:
		break;
	default:
		return REASON_LANGUAGE;
	}
	for (ret = dwarf_child(unit, &die); !ret; ret = dwarf_siblingof(&die, &die)) {
		prototyped |= dwarf_hasattr(&die, DW_AT_prototyped);
		if (prototyped || dwarf_tag(&die) == DW_TAG_base_type)
			return REASON_NONE;
	}
	return REASON_NO_TYPES;
}

static bool add_func(struct funcs *funcs, const struct object *obj, Dwarf_Die *die,
		     enum reason reason)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t offset = 0;
	bool entry = true;

	add_call_die(funcs, die);

	if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges)) {
		if (!dwarf_hasattr(die, DW_AT_declaration))
			add_codeless(funcs, die);
		return true;
	}

	while ((offset = dwarf_ranges(die, offset, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (funcs->nr == funcs->size) {
			funcs->size = 2 * funcs->size + 256;
			funcs->funcs = xrealloc(funcs->funcs, funcs->size,
						sizeof(*funcs->funcs));
		}
		funcs->funcs[funcs->nr++] = (struct func){
			.low = entry ? machine->entry(obj, low) : low,
			.high = high,
			.die = *die,
			.entry = entry,
			.reason = reason,
		};
		entry = false;
	}
	return !offset;
}

/*
 * Find the functions of an object in its DWARF. @funcs: set to the functions; empty before
 * the call. Units of the assembler are left out, because they have no types. Returns false if
 * part of the DWARF is malformed. @funcs then has the functions that could be read.
 */
bool funcs_read(struct funcs *funcs, const struct object *obj, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	bool good = true;
	int ret;

	for (;;) {
		Dwarf_Die cu_die, die;
		enum reason reason;
		__u8 type;

		ret = dwarf_get_units(dwarf, cu, &cu, NULL, &type, &cu_die, NULL);
		if (ret)
			break;
		funcs->split |= type == DW_UT_skeleton ||
				dwarf_hasattr(&cu_die, DW_AT_GNU_dwo_name);
		if (type != DW_UT_compile || dwarf_tag(&cu_die) != DW_TAG_compile_unit)
			continue;
		/* The assembler describes functions, but not their types */
		if (dwarf_srclang(&cu_die) == DW_LANG_Mips_Assembler)
			continue;
		funcs->nr_units++;
		reason = unit_reason(&cu_die);
		for (ret = die_child(&cu_die, DW_TAG_subprogram, &die); !ret;
		     ret = die_next(&die, DW_TAG_subprogram))
			good &= add_func(funcs, obj, &die, reason);
		good &= ret >= 0;
	}
	if (funcs->nr)
		qsort(funcs->funcs, funcs->nr, sizeof(*funcs->funcs), compare_funcs);
	return good && ret >= 0;
}

/* The range of a function's code that contains an address, or NULL */
struct func *funcs_find(struct funcs *funcs, Dwarf_Addr addr)
{
	const struct func key = { .low = addr + 1 };
	size_t nr = lower_bound(&key, funcs->funcs, funcs->nr, sizeof(key), compare_funcs);

	return nr && addr < funcs->funcs[nr - 1].high ? &funcs->funcs[nr - 1] : NULL;
}

static void read_names(struct funcs *funcs)
{
	Dwarf_Attribute attr;
	size_t i;

	if (funcs->names)
		return;
	funcs->names = xcalloc(funcs->nr_codeless, sizeof(*funcs->names));
	for (i = 0; i < funcs->nr_codeless; i++)
		funcs->names[i] = dwarf_attr(&funcs->codeless[i], DW_AT_linkage_name, &attr) ?
				  dwarf_formstring(&attr) : dwarf_diename(&funcs->codeless[i]);
}

/*
 * Find a function by the name of a symbol that has the address of another function's code. The
 * function has no code of its own, but the function of a clone may have code. Returns false if
 * there is no such function.
 */
bool funcs_find_twin(struct funcs *funcs, const struct func *func, const char *symbol,
		     Dwarf_Die *die)
{
	const char *name;
	size_t i;

	read_names(funcs);
	for (i = 0; i < funcs->nr_codeless; i++) {
		*die = funcs->codeless[i];
		name = funcs->names[i];
		if (name && die->cu == func->die.cu && symbol_is_of(symbol, name))
			return true;
	}
	for (i = 0; strchr(symbol, '.') && i < funcs->nr; i++) {
		*die = funcs->funcs[i].die;
		if (die->cu != func->die.cu)
			continue;
		name = dwarf_diename(die);
		if (name && symbol_is_of(symbol, name))
			return die_origin(die, die);
	}
	return false;
}

/* Whether the unit of a DIE has code at an address */
static bool unit_has(Dwarf_Die *die, Dwarf_Addr addr)
{
	Dwarf_Die cu;

	return dwarf_diecu(die, &cu, NULL, NULL) && dwarf_haspc(&cu, addr) > 0;
}

/*
 * Find the function of a site if its DWARF has no code. If two functions are equal, gcc may
 * replace one function by a jump to the other function. gcc's DWARF then describes the
 * replaced function without code. The replaced function still has the interface of its
 * declaration. In one unit a name belongs to one function. In a linked file, the ranges of
 * the units show the unit of the function. In an object the ranges may not include the jump.
 * Returns false if there is no such function, or more than one.
 */
bool funcs_find_codeless(const struct object *obj, struct funcs *funcs, struct site *site,
			 Dwarf_Addr addr, struct func *func)
{
	const char *name;
	bool found = false;
	size_t nr, i;

	if (!site->symbol)
		return false;
	read_names(funcs);

	for (nr = 0; (name = object_site_name(obj, site, nr)); nr++) {
		for (i = 0; i < funcs->nr_codeless; i++) {
			if (!funcs->names[i] || strcmp(funcs->names[i], name) ||
			    (funcs->nr_units > 1 && !unit_has(&funcs->codeless[i], addr)))
				continue;
			if (found)
				return false;
			found = true;
			*func = (struct func){
				.low	= addr - site->symbol_offset,
				.die	= funcs->codeless[i],
				.entry	= true,
			};
		}
	}
	return found;
}

/* Free the lists of an object's functions */
void funcs_free(struct funcs *funcs)
{
	free(funcs->funcs);
	free(funcs->codeless);
	free(funcs->names);
	free(funcs->calls);
	free(funcs->twins);
}

/*
 * Find the function that takes a system call's parameters. Returns its DIE, or NULL if there
 * is none.
 */
Dwarf_Die *funcs_find_call(struct funcs *funcs, Dwarf_Die *func, const char *prefix,
			   const char *name)
{
	size_t len = strlen(prefix), i;

	for (i = 0; i < funcs->nr_calls; i++) {
		Dwarf_Die *die = &funcs->calls[i];
		const char *call = dwarf_diename(die);

		if (die->cu == func->cu && call && !strncmp(call, prefix, len) &&
		    !strcmp(call + len, name))
			return die;
	}
	return NULL;
}

/* Read the declared parameters */
static bool read_declared_params(struct prototype *proto, Dwarf_Die *declared)
{
	Dwarf_Attribute attr;
	Dwarf_Die child;
	Dwarf_Word size;
	int ret;

	proto->nr_params = 0;
	proto->varargs = !dwarf_attr_integrate(declared, DW_AT_prototyped, &attr);
	for (ret = dwarf_child(declared, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		struct param *param = &proto->params[proto->nr_params];

		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (proto->nr_params == MAX_PARAMS)
				return false;
			memset(param, 0, sizeof(*param));
			param->die = child;
			if (die_type(&child, &param->type) != 1)
				return false;
			if (die_size(&param->type, &size) && size < UINT32_MAX)
				param->size = size;
			proto->nr_params++;
			break;
		case DW_TAG_unspecified_parameters:
			proto->varargs = true;
			break;
		}
	}
	return ret >= 0;
}

/*
 * Read the parameters of the compiled code. The remaining parameters come first, in the
 * order of the declaration. The parameters that gcc has removed follow. gcc 16 lists a
 * remaining parameter once more, with its constant, if all callers pass the same constant.
 */
static bool read_concrete(struct prototype *proto, Dwarf_Die *func)
{
	bool behind = false;
	Dwarf_Die child;
	size_t i, last = 0;
	int ret;

	for (ret = dwarf_child(func, &child); !ret;
	     ret = dwarf_siblingof(&child, &child)) {
		Dwarf_Die origin;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter) {
			behind = true;
			continue;
		}
		if (!die_origin(&child, &origin))
			return false;
		for (i = 0; i < proto->nr_params; i++) {
			struct param *param = &proto->params[i];

			if (dwarf_dieoffset(&param->die) != dwarf_dieoffset(&origin))
				continue;
			if (param->has_concrete) {
				behind = true;
				break;
			}
			behind |= i < last;
			last = i;
			param->concrete = child;
			param->has_concrete = true;
			param->behind = behind;
			break;
		}
	}
	return ret >= 0;
}

/*
 * Compilers mark the name of a function whose parameters they have changed. Every
 * suffix counts, except for suffixes that are known to keep the interface.
 */
static unsigned int clone_of_name(const char *name)
{
	static const struct {
		const char *suffix;
		unsigned int clone;
	} suffixes[] = {
		{ "llvm",	0 },
		{ "lto_priv",	0 },
		{ "localalias",	0 },
		{ "constprop",	CLONE_CONSTPROP },
		{ "part",	CLONE_PART },
	};
	unsigned int clone = 0;
	const char *dot;
	size_t i;

	if (!name || !*name)
		return 0;
	/* A SIMD clone has its parameters and its result in vector registers */
	if (!strncmp(name, "_ZGV", 4))
		return CLONE_OTHER | CLONE_CONVENTION;
	for (dot = strchr(name + 1, '.'); dot; dot = strchr(dot + 1, '.')) {
		size_t len = strcspn(dot + 1, ".");

		/* The number after a suffix */
		if (strspn(dot + 1, "0123456789") == len)
			continue;
		for (i = 0; i < ARRAY_SIZE(suffixes); i++)
			if (len == strlen(suffixes[i].suffix) &&
			    !strncmp(dot + 1, suffixes[i].suffix, len))
				break;
		clone |= i < ARRAY_SIZE(suffixes) ? suffixes[i].clone : CLONE_OTHER;
	}
	return clone;
}

/* Whether a calling convention passes arguments and return values in the usual places */
static bool is_usual_convention(Dwarf_Word cc)
{
	switch (cc) {
	case DW_CC_normal:
	case DW_CC_program:
	case 0xc2:	/* DW_CC_LLVM_X86_64SysV */
		return true;
	default:
		return false;
	}
}

static void find_clone(struct prototype *proto, const struct site *site, Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Word cc;

	proto->cc.clone = clone_of_name(site->symbol);
	proto->cc.changed = false;
	if (dwarf_attr_integrate(func, DW_AT_linkage_name, &attr))
		proto->cc.clone |= clone_of_name(dwarf_formstring(&attr));
	/*
	 * DW_CC_nocall replaces clang's DW_CC_LLVM_X86RegCall. The name keeps its
	 * prefix.
	 */
	if (site->symbol && !strncmp(site->symbol, "__regcall", 9))
		proto->cc.clone |= CLONE_CONVENTION;
	if (!dwarf_attr_integrate(func, DW_AT_calling_convention, &attr))
		return;
	if (dwarf_formudata(&attr, &cc))
		proto->cc.clone |= CLONE_CONVENTION;
	else if (cc == DW_CC_nocall && proto->compiler.clang)
		proto->cc.changed = true;
	else if (!is_usual_convention(cc))
		proto->cc.clone |= CLONE_CONVENTION;
}

static bool is_optimized(const char *producer)
{
	while ((producer = strstr(producer, " -O"))) {
		producer += strlen(" -O");
		if (*producer != '0')
			return true;
	}
	return false;
}

/*
 * Whether gcc certainly tracked the variables of a function.  gcc tracks all of the
 * variables or none, because of an option or because the function is too large or changes
 * the stack.  Only a tracked variable has a list of locations.  The pass that tracks
 * variables also notes the calls, without which DW_AT_call_all_calls is not written.
 */
static bool is_tracked(Dwarf_Die *parent, bool all_calls, unsigned int depth)
{
	Dwarf_Attribute attr;
	bool tracked = false;
	Dwarf_Die die;
	int ret;

	for (ret = depth < MAX_DEPTH ? dwarf_child(parent, &die) : 1; !ret && !tracked;
	     ret = dwarf_siblingof(&die, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			tracked = dwarf_attr(&die, DW_AT_location, &attr) && attr_is_list(&attr);
			break;
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			tracked = all_calls;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			tracked = is_tracked(&die, all_calls, depth + 1);
			break;
		}
	}
	return tracked;
}

/*
 * Whether a function may be optimized. clang says so from version 4 of DWARF on. Before this
 * version every function of clang counts as optimized.
 */
static bool may_be_optimized(const struct prototype *proto, Dwarf_Die *func)
{
	Dwarf_Half version;

	return dwarf_hasattr(func, DW_AT_call_all_calls) ||
	       dwarf_hasattr(func, DW_AT_GNU_all_call_sites) ||
	       (proto->compiler.clang &&
		(dwarf_cu_info(func->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) ||
		 version < 4));
}

/*
 * Read a function's declaration, and how the function was compiled. proto_place() finds the
 * places of the parameters afterwards. Returns false if the DWARF is malformed.
 */
bool proto_read(struct sigs *sigs, struct prototype *proto,
		struct site *site, Dwarf_Addr addr, struct func *func)
{
	const unsigned char *code = code_at(sigs->obj, func->low, addr);
	Dwarf_Attribute attr;
	unsigned int gcc;
	int has_ret;
	size_t i;

	if (!die_origin(&func->die, &proto->declared) ||
	    !read_declared_params(proto, &proto->declared))
		goto malformed;

	proto->func = func;
	if (dwarf_dieoffset(&func->die) != dwarf_dieoffset(&proto->declared)) {
		if (!read_concrete(proto, &func->die))
			goto malformed;
	} else {
		for (i = 0; i < proto->nr_params; i++) {
			proto->params[i].concrete = proto->params[i].die;
			proto->params[i].has_concrete = true;
		}
	}

	has_ret = die_type(&proto->declared, &proto->ret.type);
	if (has_ret < 0)
		goto malformed;
	proto->ret.exists = has_ret;
	proto->ret.raw = false;
	proto->begin = machine->begin(sigs->obj, addr);
	proto->pushed = code && machine->pushes_chain &&
			machine->pushes_chain(code, addr - func->low);
	proto->compiler.clang = clang_version(&func->die);
	find_clone(proto, site, &func->die);
	proto->cc.external = dwarf_attr_integrate(&func->die, DW_AT_external, &attr);
	proto->cc.taken = address_in(&sigs->refs.taken, func->low);
	proto->compiler.optimized = may_be_optimized(proto, &func->die);
	proto->compiler.none = sscanf(producer_of(&func->die), "GNU C%*u %u", &gcc) != 1 ||
			       gcc >= machine->gcc_none;
	proto->compiler.stored = !is_optimized(producer_of(&func->die));
	proto->compiler.tracked = !proto->compiler.clang &&
				  is_tracked(&func->die, proto->compiler.optimized, 0);
	return true;

malformed:
	SET_MALFORMED(sigs);
	return false;
}
