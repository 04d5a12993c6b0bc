// SPDX-License-Identifier: GPL-2.0
/*
 * The addresses of an object that ftrace may patch
 */
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* Whether an offset of a section, or an address of a linked file, is code */
static bool is_code(const struct object *obj, __u32 shndx, __u64 offset)
{
	size_t index = object_is_relocatable(obj) ? shndx : object_section(obj, offset);
	Elf64_Shdr *shdr = index ? section_header(obj->elf, index) : NULL;

	if (!shdr || !(shdr->sh_flags & SHF_EXECINSTR))
		return false;
	return offset - (object_is_relocatable(obj) ? 0 : shdr->sh_addr) < shdr->sh_size;
}

static void add_site(struct object *obj, __u32 shndx, __u64 offset)
{
	struct site *site;

	if (!is_code(obj, shndx, offset))
		return;
	obj->sites = xgrow(obj->sites, obj->nr_sites, sizeof(*obj->sites));
	site = &obj->sites[obj->nr_sites++];
	memset(site, 0, sizeof(*site));
	site->shndx = shndx;
	site->offset = offset;
}

static int compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Calls of the tracer in one section of code */
static void find_fentry_calls(struct object *obj, size_t index, __u32 text, size_t fentry)
{
	const Elf64_Rela *relas;
	unsigned int size;
	size_t nr, i;

	relas = section_relas(obj, index, &nr);
	for (i = 0; i < nr; i++) {
		if (ELF64_R_SYM(relas[i].r_info) != fentry)
			continue;
		switch (machine->reloc(ELF64_R_TYPE(relas[i].r_info), &size)) {
		case RELOC_RELATIVE:
		case RELOC_CALL:
			/* The call's opcode is before its operand */
			add_site(obj, text, relas[i].r_offset - 1);
			break;
		default:
			break;
		}
	}
}

/* Whether a section has the addresses that the compiler or objtool has recorded */
static bool is_record(const char *name)
{
	return !strcmp(name, "__mcount_loc") ||
	       (machine->patchable && !strcmp(name, "__patchable_function_entries"));
}

/* Addresses that the compiler or objtool has recorded */
static void find_records(struct object *obj, size_t index)
{
	const Elf64_Rela *relas;
	unsigned int size;
	size_t nr, i;

	relas = section_relas(obj, index, &nr);
	for (i = 0; i < nr; i++) {
		size_t sym = ELF64_R_SYM(relas[i].r_info);

		if (machine->reloc(ELF64_R_TYPE(relas[i].r_info), &size) != RELOC_ADDRESS ||
		    size != sizeof(__u64) || sym >= obj->nr_syms ||
		    obj->syms[sym].st_shndx == SHN_UNDEF)
			continue;
		add_site(obj, obj->syms[sym].st_shndx,
			 machine->site(obj, obj->syms[sym].st_shndx,
				       obj->syms[sym].st_value + relas[i].r_addend));
	}
}

/*
 * Addresses that the linker has collected, if the file has the bytes of the table
 */
static void find_linked_records(struct object *obj)
{
	__u64 start = object_symbol_value(obj, "__start_mcount_loc");
	__u64 stop = object_symbol_value(obj, "__stop_mcount_loc");
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		Elf_Data *data;
		__u64 addr;

		if (!shdr || !(shdr->sh_flags & SHF_ALLOC) || start < shdr->sh_addr ||
		    stop < start || stop - shdr->sh_addr > shdr->sh_size)
			continue;
		data = section_data(obj->elf, i);
		if (!data || !data->d_buf || data->d_size < stop - shdr->sh_addr)
			continue;
		for (; stop - start >= sizeof(addr); start += sizeof(addr)) {
			memcpy(&addr, (char *)data->d_buf + (start - shdr->sh_addr),
			       sizeof(addr));
			add_site(obj, 0, machine->site(obj, 0, addr));
		}
		return;
	}
}

/* Sort the sites, remove duplicates, and name the sites */
void object_sort_sites(struct object *obj)
{
	size_t i, n;

	if (!obj->nr_sites)
		return;
	qsort(obj->sites, obj->nr_sites, sizeof(*obj->sites), compare_sites);
	for (i = 1, n = 1; i < obj->nr_sites; i++)
		if (compare_sites(&obj->sites[n - 1], &obj->sites[i]))
			obj->sites[n++] = obj->sites[i];
	obj->nr_sites = n;
	obj->nr_sorted = n;

	for (i = 0; i < n; i++) {
		struct site *site = &obj->sites[i];

		site->symbol = object_symbol(obj, site->shndx, site->offset,
					     &site->symbol_offset);
	}
}

/* Find every address that ftrace may patch. Returns NULL, or the error. */
const char *object_find_sites(struct object *obj)
{
	size_t fentry, i;

	if (!object_is_relocatable(obj)) {
		if (!obj->all_funcs)
			return "not a relocatable object";
		find_linked_records(obj);
		object_sort_sites(obj);
		return NULL;
	}

	fentry = machine->fentry ? object_find_symbol(obj, machine->fentry, false) : 0;
	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		Elf64_Shdr *target;

		if (shdr->sh_type != SHT_RELA)
			continue;
		target = section_header(obj->elf, shdr->sh_info);
		if (!target)
			return ERROR("malformed relocation section");
		if (fentry && target->sh_flags & SHF_EXECINSTR)
			find_fentry_calls(obj, i, shdr->sh_info, fentry);
		else if (is_record(section_name(obj, target)))
			find_records(obj, i);
	}

	/* gcc's objects have both kinds for each function */
	object_sort_sites(obj);
	return NULL;
}

/* Find the section and the offset of an address of the DWARF */
static bool find_address(const struct object *obj, __u64 addr, __u32 *shndx,
			 __u64 *offset)
{
	*shndx = 0;
	*offset = addr;
	if (!object_is_relocatable(obj))
		return true;
	*shndx = object_section(obj, addr);
	*offset = addr - obj->base[*shndx];
	return *shndx;
}

/*
 * Add a site for a function that has no site. The caller has to call object_sort_sites()
 * afterwards.
 */
void object_add_site(struct object *obj, __u64 low, __u64 high)
{
	struct site site = {};
	size_t nr;

	if (!find_address(obj, low, &site.shndx, &site.offset))
		return;
	nr = lower_bound(&site, obj->sites, obj->nr_sorted, sizeof(site), compare_sites);
	if (nr == obj->nr_sorted || obj->sites[nr].shndx != site.shndx ||
	    obj->sites[nr].offset - site.offset >= high - low)
		add_site(obj, site.shndx, site.offset);
}
