// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of a function
 *
 * DWARF has the calls of each function, and the return address of each call.  A
 * compiler that changes the interface of a function changes the callers as well, so
 * the calls show the new interface.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* Maximum instructions that are decoded after a call */
#define MAX_INSNS	16

static void add_call_site(struct sigs *sigs, Dwarf_Die *die, const struct func *caller,
			  bool returns)
{
	struct calls *calls = &sigs->calls;
	struct call_site *site;
	size_t nr = calls->nr;
	Dwarf_Attribute attr;
	Dwarf_Off offset = 0;
	Dwarf_Addr pc;
	Dwarf_Die callee;

	/* For a tail call, clang's DWARF has the address of the jump itself */
	if (!dwarf_attr(die, DW_AT_call_return_pc, &attr) &&
	    !dwarf_attr(die, DW_AT_call_pc, &attr) &&
	    !dwarf_attr(die, DW_AT_low_pc, &attr))
		return;
	/* A jump, or a call that does not return, may be the last instruction */
	if (dwarf_formaddr(&attr, &pc) || pc <= caller->low || pc > caller->high)
		return;
	if ((dwarf_attr(die, DW_AT_call_origin, &attr) ||
	     dwarf_attr(die, DW_AT_abstract_origin, &attr)) &&
	    dwarf_formref_die(&attr, &callee))
		offset = dwarf_dieoffset(&callee);

	if (!(nr & (nr - 1)))
		calls->sites = xrealloc(calls->sites, 2 * nr + 1, sizeof(*calls->sites));
	site = &calls->sites[calls->nr++];
	site->callee = offset;
	site->return_pc = pc;
	site->die = *die;
	site->caller = *caller;
	site->returns = returns;
	address_add(&calls->returns, pc);
}

/*
 * Find calls, also in the blocks of a function and in functions that are inlined there
 */
static void find_calls(struct sigs *sigs, Dwarf_Die *parent, const struct func *caller,
		       bool returns, unsigned int depth)
{
	Dwarf_Die die;
	int ret;

	for (ret = depth < MAX_DEPTH ? dwarf_child(parent, &die) : 1; !ret;
	     ret = dwarf_siblingof(&die, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			add_call_site(sigs, &die, caller, returns);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			find_calls(sigs, &die, caller, returns, depth + 1);
			break;
		}
	}
}

/* The name of the function at an address of the DWARF, or NULL */
const char *symbol_at(const struct object *obj, Dwarf_Addr addr)
{
	size_t index = 0;
	__u64 offset;

	if (obj->ehdr.e_type == ET_REL) {
		index = object_section(obj, addr);
		addr -= obj->base[index];
	}
	return object_symbol(obj, index, addr, &offset);
}

/*
 * Whether a function returns a value in RAX that the compiler kept: gcc marks the names of
 * clones.  An empty record is in no register, and a floating-point value is in another one.
 * The address of a large record in RAX is not the result of a call.
 */
static bool has_result(struct sigs *sigs, Dwarf_Die *die, Dwarf_Addr addr)
{
	struct abi_state state;
	Dwarf_Attribute attr;
	enum abi_return ret;
	const char *name;
	Dwarf_Die type;

	if (die_type(die, &type) != 1)
		return false;
	ret = abi_begin(&state, &type, clang_version(die));
	if (ret != ABI_RETURN_RAX && ret != ABI_RETURN_RAX_RDX)
		return false;
	if (dwarf_attr_integrate(die, DW_AT_external, &attr) ||
	    address_in(&sigs->refs.taken, addr))
		return true;
	if (clang_version(die))
		return false;
	name = symbol_at(sigs->obj, addr);
	return name && !strchr(name, '.');
}

static void find_all_calls(struct sigs *sigs)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die cu_die, die;

	while (!dwarf_get_units(sigs->dwarf, cu, &cu, NULL, NULL, &cu_die, NULL)) {
		int ret;

		for (ret = dwarf_child(&cu_die, &die); !ret;
		     ret = dwarf_siblingof(&die, &die)) {
			struct func caller = { .die = die };
			Dwarf_Addr base;
			ptrdiff_t offset = 0;
			bool returns;

			if (dwarf_tag(&die) != DW_TAG_subprogram ||
			    (!dwarf_hasattr(&die, DW_AT_low_pc) &&
			     !dwarf_hasattr(&die, DW_AT_ranges)))
				continue;
			while ((offset = dwarf_ranges(&die, offset, &base, &caller.low,
						      &caller.high)) > 0) {
				returns = has_result(sigs, &die, caller.low);
				find_calls(sigs, &die, &caller, returns, 0);
			}
		}
	}
}

static int compare_calls(const void *a, const void *b)
{
	const struct call_site *x = a, *y = b;

	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return x->return_pc < y->return_pc ? -1 : x->return_pc > y->return_pc;
}

static void need_calls(struct sigs *sigs)
{
	struct calls *calls = &sigs->calls;

	if (calls->complete)
		return;
	calls->complete = true;
	find_all_calls(sigs);
	address_sort(&calls->returns);
	if (calls->nr)
		qsort(calls->sites, calls->nr, sizeof(*calls->sites), compare_calls);
}

/*
 * Find the return address of the next call. An instruction certainly begins at a return
 * address. Returns an address larger than @pc, -1 if there is none.
 */
Dwarf_Addr call_behind(struct sigs *sigs, Dwarf_Addr pc)
{
	need_calls(sigs);
	return address_behind(&sigs->calls.returns, pc);
}

/* The first call of a function in the object, or NULL */
struct call_site *call_first(struct sigs *sigs, const struct prototype *proto)
{
	Dwarf_Off callee = dwarf_dieoffset(&proto->func->die);
	size_t low = 0, high;

	need_calls(sigs);
	for (high = sigs->calls.nr; low < high;) {
		size_t mid = (low + high) / 2;

		if (sigs->calls.sites[mid].callee < callee)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == sigs->calls.nr || sigs->calls.sites[low].callee != callee)
		return NULL;
	return &sigs->calls.sites[low];
}

/* The next call of the same function, or NULL */
struct call_site *call_next(struct sigs *sigs, struct call_site *site)
{
	if (site + 1 == sigs->calls.sites + sigs->calls.nr || site[1].callee != site->callee)
		return NULL;
	return site + 1;
}

/*
 * Find what a call's DWARF says about a parameter that the call no longer passes. Returns
 * false if the DWARF says nothing.
 */
bool call_param(const struct call_site *site, const struct param *param, Dwarf_Die *die)
{
	Dwarf_Die call = site->die, declared = param->die, ref;
	Dwarf_Attribute attr;
	int ret;

	for (ret = dwarf_child(&call, die); !ret; ret = dwarf_siblingof(die, die))
		if ((dwarf_attr(die, DW_AT_call_parameter, &attr) ||
		     dwarf_attr(die, DW_AT_abstract_origin, &attr)) &&
		    dwarf_formref_die(&attr, &ref) &&
		    dwarf_dieoffset(&ref) == dwarf_dieoffset(&declared))
			return true;
	return false;
}

/* The value of an argument at a call. Returns false if the value is not known. */
bool call_value(Dwarf_Die *die, Dwarf_Attribute *attr, Dwarf_Op **ops, size_t *nr_ops)
{
	return (dwarf_attr(die, DW_AT_call_value, attr) ||
		dwarf_attr(die, DW_AT_GNU_call_site_value, attr)) &&
	       !dwarf_getlocation(attr, ops, nr_ops) && *nr_ops;
}

/*
 * Find the constant that all calls have for a parameter that is not passed. The DWARF of a
 * call has the value that the call would have passed. The DWARF of the function itself is not
 * used, because it may have the value that the function assigns to the parameter. gcc calls a
 * clone only within the object, but not every call is in the DWARF: a caller may have other
 * options, or variables that gcc gave up to track. So each call and jump in the code has to
 * be one of the calls in the DWARF. Returns false if the calls differ, or if the value is not
 * known for every call.
 */
bool proto_constant(struct sigs *sigs, const struct prototype *proto,
		    const struct param *param, __s64 *constant)
{
	unsigned int unused = 64 - 8 * param->size;
	struct call_site *first = call_first(sigs, proto), *site;
	Dwarf_Addr entry = proto->func->low;
	const struct jump *jump;

	if (!param->size || param->size > 8 || address_in(&sigs->refs.taken, entry))
		return false;
	for (jump = jump_first(sigs, entry); jump; jump = jump_next(sigs, jump))
		if (!address_in(&sigs->calls.returns, jump->next))
			return false;
	for (site = first; site; site = call_next(sigs, site)) {
		Dwarf_Attribute attr;
		size_t nr_ops;
		Dwarf_Die die;
		Dwarf_Op *ops;
		__s64 value;

		if (!call_param(site, param, &die) ||
		    !call_value(&die, &attr, &ops, &nr_ops) || nr_ops != 1 ||
		    !op_constant(&ops[0], &value))
			return false;
		if (site == first)
			*constant = value;
		/* Compare only the bits of the type */
		if ((__u64)(value ^ *constant) << unused)
			return false;
	}
	return first;
}

/* Code of an object, NULL if there is no such code */
const unsigned char *code_at(const struct object *obj, Dwarf_Addr from, Dwarf_Addr to)
{
	size_t index = object_section(obj, from);
	Elf_Scn *scn = index ? elf_getscn(obj->elf, index) : NULL;
	Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL;
	Elf64_Addr base;
	Elf_Data *data;

	if (!shdr || !(shdr->sh_flags & SHF_EXECINSTR))
		return NULL;
	base = obj->ehdr.e_type == ET_REL ? obj->base[index] : shdr->sh_addr;
	data = elf_getdata(scn, NULL);
	if (to < from || !data || !data->d_buf || to - base > data->d_size)
		return NULL;
	return (unsigned char *)data->d_buf + (from - base);
}

/*
 * Whether RAX is read after a call.  A call changes RAX, so compiled code reads RAX after a
 * call only if the callee has put a value into RAX.  A return reads RAX if the function
 * returns a value there.  A function that reaches its end without a value would contradict
 * this, but it does not compile with the kernel's -Werror=return-type.
 */
static bool reads_result(struct sigs *sigs, const struct call_site *site)
{
	const unsigned char *p, *end;
	unsigned int i;

	/* The instruction after a jump is not executed next */
	if (dwarf_hasattr((Dwarf_Die *)&site->die, DW_AT_call_tail_call) ||
	    dwarf_hasattr((Dwarf_Die *)&site->die, DW_AT_GNU_tail_call))
		return site->returns;
	p = code_at(sigs->obj, site->return_pc, site->caller.high);
	if (!p)
		return false;
	end = p + (site->caller.high - site->return_pc);
	for (i = 0; i < MAX_INSNS; i++) {
		struct effects effects;
		unsigned int len = effects_read(&effects, p, end);

		if (!len)
			return false;
		if (effects.flow == FLOW_RETURN)
			return site->returns;
		if (effects.flow != FLOW_NEXT)
			return false;
		if (effects.reads & 1)
			return true;
		if (effects.writes & 1)
			return false;
		p += len;
	}
	return false;
}

/*
 * Whether some caller uses a function's return value. Compilers remove return values that no
 * caller uses.
 */
bool proto_is_used(struct sigs *sigs, const struct prototype *proto)
{
	struct call_site *site;

	for (site = call_first(sigs, proto); site; site = call_next(sigs, site))
		if (reads_result(sigs, site))
			return true;
	return false;
}
