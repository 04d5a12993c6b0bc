// SPDX-License-Identifier: GPL-2.0
/*
 * The relocations of an object's DWARF, applied to the private mapping
 */
#include <string.h>

#include "object.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

static void put_le(unsigned char *p, __u64 value, unsigned int size)
{
	while (size--) {
		*p++ = value;
		value >>= 8;
	}
}

static const char *relocate(struct object *obj, Elf_Data *data,
			    const Elf64_Rela *relas, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		size_t sym = ELF64_R_SYM(relas[i].r_info);
		__u64 value = relas[i].r_addend;
		unsigned int size;

		switch (ELF64_R_TYPE(relas[i].r_info)) {
		case R_X86_64_64:
			size = 8;
			break;
		case R_X86_64_32:
		case R_X86_64_32S:
			size = 4;
			break;
		case R_X86_64_PC32:
			/* In .eh_frame; libdw takes the section's address for 0 */
			value -= relas[i].r_offset;
			size = 4;
			break;
		default:
			/* Relocations of thread-local variables and so on are not needed */
			continue;
		}

		if (sym >= obj->nr_syms || data->d_size < size ||
		    relas[i].r_offset > data->d_size - size)
			return ERROR("malformed relocation");
		value += obj->syms[sym].st_value;
		if (obj->syms[sym].st_shndx < obj->nr_sections)
			value += obj->base[obj->syms[sym].st_shndx];
		put_le((unsigned char *)data->d_buf + relas[i].r_offset, value, size);
	}
	return NULL;
}

/* Decompress a section in the mapping. elfutils before 0.189 do not support zstd. */
static const char *inflate_section(Elf_Scn *scn)
{
	Elf64_Chdr *chdr = elf64_getchdr(scn);

	if (elf_compress(scn, 0, 0) >= 0)
		return NULL;
	if (chdr && chdr->ch_type == ELFCOMPRESS_ZSTD)
		return "DWARF is compressed by zstd, which this libelf cannot decompress";
	return ERROR("malformed compressed section");
}

/* The reason why libdw cannot read the DWARF from the object alone, or NULL */
static const char *object_check_dwarf(const struct object *obj)
{
	bool found = false;
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		const char *name = section_name(obj, section_header(obj->elf, i));

		if (!strcmp(name, ".debug_types") || (found && !strcmp(name, ".debug_info")))
			return "the DWARF has sections for types (-fdebug-types-section)";
		found |= !strcmp(name, ".debug_info");
	}
	return NULL;
}

/* Apply the relocations of the DWARF that is read. Returns NULL, or the error. */
const char *object_relocate_dwarf(struct object *obj)
{
	static const char * const names[] = {
		".debug_info", ".debug_addr", ".debug_str_offsets",
		".debug_rnglists", ".debug_loclists", ".debug_ranges",
		".debug_loc", ".debug_frame", ".eh_frame",
	};
	const char *error;
	size_t i, j, nr;

	/* The linker has applied them */
	if (!object_is_relocatable(obj))
		return NULL;
	error = object_check_dwarf(obj);
	if (error)
		return error;

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i), *target;
		const char *name;
		const Elf64_Rela *relas;
		Elf_Data *data;
		Elf_Scn *scn;

		if (shdr->sh_type != SHT_RELA)
			continue;
		scn = elf_getscn(obj->elf, shdr->sh_info);
		target = scn ? elf64_getshdr(scn) : NULL;
		if (!target)
			return ERROR("malformed relocation section");
		name = section_name(obj, target);
		for (j = 0; j < ARRAY_SIZE(names); j++)
			if (!strcmp(name, names[j]))
				break;
		/* A file with only debug info has an .eh_frame without contents */
		if (j == ARRAY_SIZE(names) || target->sh_type == SHT_NOBITS)
			continue;

		error = target->sh_flags & SHF_COMPRESSED ? inflate_section(scn) : NULL;
		if (error)
			return error;
		data = elf_getdata(scn, NULL);
		relas = section_relas(obj, i, &nr);
		if (!data || !data->d_buf || !relas)
			return ERROR("malformed debug section");
		error = relocate(obj, data, relas, nr);
		if (error)
			return error;
	}
	return NULL;
}
