// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of a function, and its possible callers: whether its address is taken, whether it
 * has a global name, and whether the object itself calls it
 *
 * DWARF has the calls of each function, and the return address of each call.  A compiler that
 * changes the interface of a function changes the callers as well, so the calls show the new
 * interface.  If all references to a static function are calls, clang may change the function
 * together with its callers. A caller in the same object need not set an unused parameter.
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/*
 * Whether a section is a table with the address of every function. Such a table does
 * not mean that code takes the address.
 */
static bool is_table(const char *name)
{
	return !strcmp(name, "__mcount_loc") || !strcmp(name, ".eh_frame") ||
	       !strcmp(name, "__patchable_function_entries");
}

static int compare_addresses(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Add an address to a set. @set: the set; it has to be sorted before lookups. */
void address_add(struct addresses *set, __u64 addr)
{
	size_t nr = set->nr++;

	set->addrs = xgrow(set->addrs, nr, sizeof(*set->addrs));
	set->addrs[nr] = addr;
}

/* Sort a set */
void address_sort(struct addresses *set)
{
	if (set->nr)
		qsort(set->addrs, set->nr, sizeof(*set->addrs), compare_addresses);
}

/* Whether an address is in a set */
bool address_in(const struct addresses *set, __u64 addr)
{
	return set->nr && bsearch(&addr, set->addrs, set->nr, sizeof(addr),
				  compare_addresses);
}

/*
 * Find the next address of a set. Returns the first address in the set that is larger, -1 if
 * there is none.
 */
static __u64 address_behind(const struct addresses *set, __u64 addr)
{
	__u64 next = addr + 1;
	size_t nr = lower_bound(&next, set->addrs, set->nr, sizeof(next), compare_addresses);

	return nr < set->nr ? set->addrs[nr] : -1ull;
}

static void add_jump(struct sigs *sigs, __u64 target, __u64 next, bool near)
{
	struct refs *refs = &sigs->refs;
	size_t nr = refs->nr_jumps++;

	refs->jumps = xgrow(refs->jumps, nr, sizeof(*refs->jumps));
	refs->jumps[nr] = (struct jump){ .target = target, .next = next, .near = near };
}

static void find_in_section(struct sigs *sigs, struct object *obj, size_t index, __u64 code)
{
	const Elf64_Rela *relas;
	size_t nr_relas, i;

	relas = section_relas(obj, index, &nr_relas);
	for (i = 0; i < nr_relas; i++) {
		size_t nr = ELF64_R_SYM(relas[i].r_info);
		const Elf64_Sym *sym;
		unsigned int size;
		__u64 addr;

		if (nr >= obj->nr_syms)
			continue;
		sym = &obj->syms[nr];
		if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= obj->nr_sections)
			continue;
		addr = obj->base[sym->st_shndx] + sym->st_value + relas[i].r_addend;

		switch (machine->reloc(ELF64_R_TYPE(relas[i].r_info), &size)) {
		case RELOC_ADDRESS:
		case RELOC_PART:
			address_add(&sigs->refs.taken, addr);
			break;
		case RELOC_RELATIVE:
		case RELOC_CALL:
			if (code)
				add_jump(sigs, addr + machine->call_bias,
					 code + relas[i].r_offset + 4, false);
			break;
		case RELOC_OTHER:
			break;
		}
	}
}

/*
 * A call of a static function within a section has no relocation.  Bytes that only
 * look like a call count as well.  At worst, a function counts as called although no
 * code calls it, or a call counts that the DWARF does not have.
 */
static void find_in_code(struct sigs *sigs, size_t index, __u64 base)
{
	Elf_Data *data = section_data(sigs->obj->elf, index);
	const unsigned char *code;
	unsigned int len;
	__u64 target;
	size_t i;

	if (!data || !data->d_buf)
		return;
	code = data->d_buf;
	for (i = 0; i < data->d_size; i += machine->code_align) {
		len = machine->jump_target(code + i, data->d_size - i, base + i, &target);
		if (len && address_in(&sigs->refs.entries, target))
			add_jump(sigs, target, base + i + len, true);
	}
}

static int compare_jumps(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;

	return x->target < y->target ? -1 : x->target > y->target;
}

/* The first call of an address, or jump to it, in the object, or NULL */
static const struct jump *jump_first(struct sigs *sigs, __u64 target)
{
	const struct jump key = { .target = target };
	struct object *obj = sigs->obj;
	struct refs *refs = &sigs->refs;
	size_t i;

	for (i = 1; !refs->complete && i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (shdr && shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR)
			find_in_code(sigs, i, section_address(obj, i));
	}
	if (!refs->complete && refs->nr_jumps)
		qsort(refs->jumps, refs->nr_jumps, sizeof(*refs->jumps), compare_jumps);
	refs->complete = true;
	i = lower_bound(&key, refs->jumps, refs->nr_jumps, sizeof(key), compare_jumps);
	return i < refs->nr_jumps && refs->jumps[i].target == target ? &refs->jumps[i] : NULL;
}

/* The next call of the same address, or jump to it, or NULL */
static const struct jump *jump_next(struct sigs *sigs, const struct jump *jump)
{
	if (jump + 1 == sigs->refs.jumps + sigs->refs.nr_jumps ||
	    jump[1].target != jump->target)
		return NULL;
	return jump + 1;
}

/* Whether the object itself calls a function that other code may call */
bool sigs_is_called(struct sigs *sigs, __u64 addr, bool external)
{
	const struct jump *jump;

	/* A linked file no longer has relocations */
	if (sigs->obj->ehdr.e_type != ET_REL)
		return true;
	for (jump = jump_first(sigs, addr); jump; jump = jump_next(sigs, jump))
		if (!external || !jump->near)
			return true;
	return false;
}

/* Whether code of a range calls a function, or jumps to it */
bool sigs_is_called_from(struct sigs *sigs, __u64 addr, __u64 low, __u64 high)
{
	const struct jump *jump;

	for (jump = jump_first(sigs, addr); jump; jump = jump_next(sigs, jump))
		if (jump->next > low && jump->next <= high)
			return true;
	return false;
}

/* Find the references to functions */
void sigs_find_refs(struct sigs *sigs, struct object *obj)
{
	size_t i;

	/* A static function may have a global name in addition to its own name */
	for (i = 1; i < obj->nr_syms; i++) {
		const Elf64_Sym *sym = &obj->syms[i];

		if (ELF64_ST_BIND(sym->st_info) != STB_LOCAL &&
		    sym->st_shndx != SHN_UNDEF && sym->st_shndx < obj->nr_sections)
			address_add(&sigs->refs.taken, obj->base[sym->st_shndx] + sym->st_value);
	}

	for (i = 1; obj->ehdr.e_type == ET_REL && i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i), *target;

		if (!shdr || shdr->sh_type != SHT_RELA)
			continue;
		target = section_header(obj->elf, shdr->sh_info);
		if (target && target->sh_flags & SHF_ALLOC && !is_table(section_name(obj, target)))
			find_in_section(sigs, obj, i, target->sh_flags & SHF_EXECINSTR ?
					obj->base[shdr->sh_info] : 0);
	}
	address_sort(&sigs->refs.taken);
}

/* Maximum instructions that are decoded after a call */
#define MAX_INSNS	16

static void add_call_site(struct sigs *sigs, Dwarf_Die *die, const struct func *caller,
			  const Dwarf_Die *scope, bool returns)
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

	calls->sites = xgrow(calls->sites, nr, sizeof(*calls->sites));
	site = &calls->sites[calls->nr++];
	site->callee = offset;
	site->return_pc = pc;
	site->die = *die;
	site->caller = *caller;
	site->scope = *scope;
	site->returns = returns;
	address_add(&calls->returns, pc);
}

/*
 * Find calls, also in the blocks of a function and in functions that are inlined there
 */
static void find_calls(struct sigs *sigs, Dwarf_Die *parent, const struct func *caller,
		       const Dwarf_Die *scope, bool returns, unsigned int depth)
{
	Dwarf_Die die, inner;
	int ret;

	for (ret = depth < MAX_DEPTH ? dwarf_child(parent, &die) : 1; !ret;
	     ret = dwarf_siblingof(&die, &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			add_call_site(sigs, &die, caller, scope, returns);
			break;
		case DW_TAG_lexical_block:
			find_calls(sigs, &die, caller, scope, returns, depth + 1);
			break;
		case DW_TAG_inlined_subroutine:
			if (!die_origin(&die, &inner))
				break;
			if (!dwarf_hasattr(&inner, DW_AT_inline))
				address_add(&sigs->calls.wrappers, dwarf_dieoffset(&inner));
			find_calls(sigs, &die, caller, &inner, returns, depth + 1);
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
 * Whether a function returns a value in a register that the compiler kept: gcc marks the
 * names of clones.  An empty record is in no register, and a floating-point value is in
 * another one.  The address of a large record in RAX is not the result of a call.
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
	if (ret != ABI_RETURN_ONE && ret != ABI_RETURN_TWO)
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

		for (ret = die_child(&cu_die, DW_TAG_subprogram, &die); !ret;
		     ret = die_next(&die, DW_TAG_subprogram)) {
			struct func caller = { .die = die };
			Dwarf_Die scope;
			Dwarf_Addr base;
			ptrdiff_t offset = 0;
			bool returns;

			if (!dwarf_hasattr(&die, DW_AT_low_pc) &&
			    !dwarf_hasattr(&die, DW_AT_ranges))
				continue;
			if (!die_origin(&die, &scope))
				continue;
			while ((offset = dwarf_ranges(&die, offset, &base, &caller.low,
						      &caller.high)) > 0) {
				caller.low = machine->entry(sigs->obj, caller.low);
				returns = has_result(sigs, &die, caller.low);
				find_calls(sigs, &die, &caller, &scope, returns, 0);
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
	address_sort(&calls->wrappers);
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

/*
 * Whether a function without code is a wrapper that has been inlined. gcc inlines the wrapper's
 * only call, but does not mark the function as inlined.
 */
bool die_is_inlined_wrapper(struct sigs *sigs, Dwarf_Die *die)
{
	need_calls(sigs);
	return address_in(&sigs->calls.wrappers, dwarf_dieoffset(die));
}

/* The first call of a function in the object, or NULL */
struct call_site *call_first(struct sigs *sigs, const struct prototype *proto)
{
	const struct call_site key = { .callee = dwarf_dieoffset(&proto->func->die) };
	struct calls *calls = &sigs->calls;
	size_t i;

	need_calls(sigs);
	i = lower_bound(&key, calls->sites, calls->nr, sizeof(key), compare_calls);
	return i < calls->nr && calls->sites[i].callee == key.callee ? &calls->sites[i] : NULL;
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
static bool call_value(Dwarf_Die *die, Dwarf_Attribute *attr, Dwarf_Op **ops, size_t *nr_ops)
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
	Elf64_Shdr *shdr = index ? section_header(obj->elf, index) : NULL;
	Elf64_Addr base;
	Elf_Data *data;

	if (!shdr || !(shdr->sh_flags & SHF_EXECINSTR))
		return NULL;
	base = section_address(obj, index);
	data = section_data(obj->elf, index);
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
