// SPDX-License-Identifier: GPL-2.0
/*
 * From DWARF to a function's prototype
 *
 * Strategy: read the declared parameters, then the parameters of the compiled code, and
 * then the names and attributes that show how the code was compiled.
 */
#include <stdlib.h>
#include <string.h>

#include "clone.h"
#include "signature.h"

/* Follow DW_AT_abstract_origin to the DIE of the declaration */
static bool die_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	unsigned int depth;

	*origin = *die;
	for (depth = 0; depth < MAX_DEPTH; depth++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;

		if (!dwarf_attr(origin, DW_AT_abstract_origin, &attr))
			return true;
		if (!dwarf_formref_die(&attr, &next))
			return false;
		*origin = next;
	}
	return false;
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
 * order of the declaration. The parameters that gcc has removed follow.
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

/* The instruction after the call of the tracer, or after the nop in its place */
static Dwarf_Addr find_begin(const struct object *obj, Dwarf_Addr addr)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const unsigned char *code = code_at(obj, addr, addr + sizeof(endbr64) + CALL_SIZE);

	if (!code)
		return addr + CALL_SIZE;
	if (!memcmp(code, endbr64, sizeof(endbr64))) {
		addr += sizeof(endbr64);
		code += sizeof(endbr64);
	}
	return *code == 0xe8 || *code == 0x0f ? addr + CALL_SIZE : addr;
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

/* The compiler of a function; gcc adds its options */
static const char *producer_of(Dwarf_Die *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die cu;

	if (!dwarf_diecu(func, &cu, NULL, NULL) ||
	    !dwarf_attr(&cu, DW_AT_producer, &attr))
		return "";
	return dwarf_formstring(&attr) ?: "";
}

static bool is_optimized(const char *producer)
{
	while ((producer = strstr(producer, " -O")))
		if (*(producer += strlen(" -O")) != '0')
			return true;
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

/* The version of the clang that compiled a function, 0 for another compiler */
unsigned int clang_version(Dwarf_Die *func)
{
	const char *clang = strstr(producer_of(func), "clang");

	if (!clang)
		return 0;
	if (!strncmp(clang, "clang version ", 14))
		return strtoul(clang + 14, NULL, 10) ?: 1;
	return 1;
}

/*
 * Read a function's declaration, and how the function was compiled. proto_place() finds the
 * places of the parameters afterwards. Returns false if the DWARF is malformed.
 */
bool proto_read(struct sigs *sigs, struct prototype *proto,
		struct site *site, Dwarf_Addr addr, struct func *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die declared;
	int has_ret;
	size_t i;

	if (!die_origin(&func->die, &declared) || !read_declared_params(proto, &declared))
		goto malformed;

	proto->func = func;
	if (dwarf_dieoffset(&func->die) != dwarf_dieoffset(&declared)) {
		if (!read_concrete(proto, &func->die))
			goto malformed;
	} else {
		for (i = 0; i < proto->nr_params; i++) {
			proto->params[i].concrete = proto->params[i].die;
			proto->params[i].has_concrete = true;
		}
	}

	has_ret = die_type(&declared, &proto->ret.type);
	if (has_ret < 0)
		goto malformed;
	proto->ret.exists = has_ret;
	proto->ret.raw = false;
	proto->begin = find_begin(sigs->obj, addr);
	proto->compiler.clang = clang_version(&func->die);
	find_clone(proto, site, &func->die);
	proto->cc.external = dwarf_attr_integrate(&func->die, DW_AT_external, &attr);
	proto->cc.taken = address_in(&sigs->refs.taken, func->low);
	proto->compiler.optimized = dwarf_hasattr(&func->die, DW_AT_call_all_calls) ||
				    dwarf_hasattr(&func->die, DW_AT_GNU_all_call_sites);
	proto->compiler.stored = !is_optimized(producer_of(&func->die));
	proto->compiler.tracked = !proto->compiler.clang &&
				  is_tracked(&func->die, proto->compiler.optimized, 0);
	return true;

malformed:
	SET_MALFORMED(sigs);
	return false;
}
