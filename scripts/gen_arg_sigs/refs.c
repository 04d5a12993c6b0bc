// SPDX-License-Identifier: GPL-2.0
/*
 * The possible callers of a function: whether its address is taken, whether it has a
 * global name, and whether the object itself calls it
 *
 * If all references to a static function are calls, clang may change the function
 * together with its callers. A caller in the same object need not set an unused
 * parameter.
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

	if (!(nr & (nr - 1)))
		set->addrs = xrealloc(set->addrs, 2 * nr + 1, sizeof(*set->addrs));
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
__u64 address_behind(const struct addresses *set, __u64 addr)
{
	size_t low = 0, high = set->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (set->addrs[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < set->nr ? set->addrs[low] : -1ull;
}

static void add_jump(struct sigs *sigs, __u64 target, __u64 next, bool near)
{
	struct refs *refs = &sigs->refs;
	size_t nr = refs->nr_jumps++;

	if (!(nr & (nr - 1)))
		refs->jumps = xrealloc(refs->jumps, 2 * nr + 1, sizeof(*refs->jumps));
	refs->jumps[nr] = (struct jump){ .target = target, .next = next, .near = near };
}

static void find_in_section(struct sigs *sigs, struct object *obj, Elf_Scn *scn,
			    __u64 code)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const Elf64_Rela *relas;
	size_t i;

	if (!data || !data->d_buf)
		return;
	relas = data->d_buf;
	for (i = 0; i < data->d_size / sizeof(*relas); i++) {
		size_t nr = ELF64_R_SYM(relas[i].r_info);
		const Elf64_Sym *sym;
		__u64 addr;

		if (nr >= obj->nr_syms)
			continue;
		sym = &obj->syms[nr];
		if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= obj->nr_sections)
			continue;
		addr = obj->base[sym->st_shndx] + sym->st_value + relas[i].r_addend;

		switch (ELF64_R_TYPE(relas[i].r_info)) {
		case R_X86_64_64:
		case R_X86_64_32:
		case R_X86_64_32S:
			address_add(&sigs->refs.taken, addr);
			break;
		case R_X86_64_PC32:
		case R_X86_64_PLT32:
			/* Calls and jumps are relative to the next instruction */
			if (code)
				add_jump(sigs, addr + 4, code + relas[i].r_offset + 4, false);
			break;
		}
	}
}

/*
 * Find the target if the bytes at @p are a call or a jump.  An operand of 0 has a
 * relocation and is not a target.  It would lead to the next instruction, which is in
 * the next function if a tail call is the last instruction.
 */
static unsigned int jump_target(const unsigned char *p, size_t left, __u64 addr, __u64 *target)
{
	unsigned int len = 0;
	__s32 disp = 0;

	if (left >= 5 && (*p == 0xe8 || *p == 0xe9)) {
		len = 5;
		memcpy(&disp, p + 1, sizeof(disp));
	} else if (left >= 6 && *p == 0x0f && (p[1] & 0xf0) == 0x80) {
		len = 6;
		memcpy(&disp, p + 2, sizeof(disp));
	} else if (left >= 2 && (*p == 0xeb || (*p & 0xf0) == 0x70)) {
		len = 2;
		disp = (signed char)p[1];
	}
	*target = addr + len + disp;
	return disp ? len : 0;
}

/*
 * A call of a static function within a section has no relocation.  Bytes that only
 * look like a call count as well.  At worst, a function counts as called although no
 * code calls it, or a call counts that the DWARF does not have.
 */
static void find_in_code(struct sigs *sigs, Elf_Scn *scn, __u64 base)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const unsigned char *code;
	unsigned int len;
	__u64 target;
	size_t i;

	if (!data || !data->d_buf)
		return;
	code = data->d_buf;
	for (i = 0; i < data->d_size; i++) {
		len = jump_target(code + i, data->d_size - i, base + i, &target);
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
const struct jump *jump_first(struct sigs *sigs, __u64 target)
{
	struct object *obj = sigs->obj;
	struct refs *refs = &sigs->refs;
	size_t low = 0, high, i;

	for (i = 1; !refs->complete && i < obj->nr_sections; i++) {
		Elf_Scn *scn = elf_getscn(obj->elf, i);
		Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL;

		if (shdr && shdr->sh_type == SHT_PROGBITS && shdr->sh_flags & SHF_EXECINSTR)
			find_in_code(sigs, scn, obj->ehdr.e_type == ET_REL ? obj->base[i] :
							shdr->sh_addr);
	}
	if (!refs->complete && refs->nr_jumps)
		qsort(refs->jumps, refs->nr_jumps, sizeof(*refs->jumps), compare_jumps);
	refs->complete = true;
	for (high = refs->nr_jumps; low < high;) {
		size_t mid = (low + high) / 2;

		if (refs->jumps[mid].target < target)
			low = mid + 1;
		else
			high = mid;
	}
	return low < refs->nr_jumps && refs->jumps[low].target == target ?
	       &refs->jumps[low] : NULL;
}

/* The next call of the same address, or jump to it, or NULL */
const struct jump *jump_next(struct sigs *sigs, const struct jump *jump)
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
		Elf_Scn *scn = elf_getscn(obj->elf, i), *target_scn;
		Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL, *target;
		const char *name;

		if (!shdr || shdr->sh_type != SHT_RELA || shdr->sh_link != obj->symtab)
			continue;
		target_scn = elf_getscn(obj->elf, shdr->sh_info);
		target = target_scn ? elf64_getshdr(target_scn) : NULL;
		if (!target || !(target->sh_flags & SHF_ALLOC))
			continue;
		name = elf_strptr(obj->elf, obj->shstrndx, target->sh_name);
		if (name && !is_table(name))
			find_in_section(sigs, obj, scn, target->sh_flags & SHF_EXECINSTR ?
					obj->base[shdr->sh_info] : 0);
	}
	address_sort(&sigs->refs.taken);
}
