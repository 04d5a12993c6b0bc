// SPDX-License-Identifier: GPL-2.0
/*
 * ELF objects: their sections and symbols, and the relocations of their DWARF
 *
 * Strategy: map the object privately, and give its allocated sections addresses, one
 * after the other.  When object_relocate_dwarf() has relocated the debug sections, the object
 * looks to libdw like a linked file.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen_arg_sigs.h"

/* Symbol of a function */
struct func_sym {
	__u64 value;
	__u64 size;
	const char *name;
	__u32 shndx;
};

/* Whether an object has not been linked yet */
bool object_is_relocatable(const struct object *obj)
{
	return obj->ehdr.e_type == ET_REL;
}

/* The header of a section. @index: number of the section, which has to exist. */
Elf64_Shdr *section_header(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);

	return scn ? elf64_getshdr(scn) : NULL;
}

/* The name of a section, "" if it has none */
const char *section_name(const struct object *obj, const Elf64_Shdr *shdr)
{
	return elf_strptr(obj->elf, obj->shstrndx, shdr->sh_name) ?: "";
}

/* The content of a section, NULL if the section has no content */
Elf_Data *section_data(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && (data->d_buf || !data->d_size) ? data : NULL;
}

/* The number of the section with a name, 0 if there is none */
size_t section_find(const struct object *obj, const char *name)
{
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (shdr && !strcmp(section_name(obj, shdr), name))
			return i;
	}
	return 0;
}

/* The relocations of a section, NULL if there are none */
const Elf64_Rela *section_relas(const struct object *obj, size_t index, size_t *nr)
{
	Elf64_Shdr *shdr = section_header(obj->elf, index);
	Elf_Data *data;

	*nr = 0;
	if (!shdr || shdr->sh_type != SHT_RELA || shdr->sh_link != obj->symtab)
		return NULL;
	data = section_data(obj->elf, index);
	if (!data || !data->d_buf)
		return NULL;
	*nr = data->d_size / sizeof(Elf64_Rela);
	return data->d_buf;
}

static int compare_places(const void *a, const void *b)
{
	const struct func_sym *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/*
 * object_symbol() finds the last symbol of an address, so a name that is not a clone's goes last
 */
static int compare_syms(const void *a, const void *b)
{
	const struct func_sym *x = a, *y = b;

	return compare_places(x, y) ?: !strchr(x->name, '.') - !strchr(y->name, '.');
}

/* The index of the first symbol at an address or after it */
static size_t find_sym(const struct object *obj, __u32 shndx, __u64 value)
{
	const struct func_sym key = { .value = value, .shndx = shndx };

	return lower_bound(&key, obj->funcs, obj->nr_funcs, sizeof(key), compare_places);
}

static const char *read_symbols(struct object *obj)
{
	Elf64_Shdr *shdr;
	Elf_Data *data;
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		shdr = section_header(obj->elf, i);
		if (!shdr)
			return ERROR("malformed section header");
		if (shdr->sh_type == SHT_SYMTAB && !obj->symtab)
			obj->symtab = i;
		if (shdr->sh_type == SHT_SYMTAB_SHNDX)
			return "too many sections";
	}
	if (!obj->symtab)
		return NULL;

	shdr = section_header(obj->elf, obj->symtab);
	data = section_data(obj->elf, obj->symtab);
	if (!data || !data->d_buf)
		return ERROR("malformed symbol table");
	obj->syms = data->d_buf;
	obj->nr_syms = data->d_size / sizeof(Elf64_Sym);
	if (!shdr->sh_info || shdr->sh_info > obj->nr_syms)
		return ERROR("malformed symbol table");

	obj->funcs = xcalloc(obj->nr_syms, sizeof(*obj->funcs));
	for (i = 1; i < obj->nr_syms; i++) {
		const Elf64_Sym *sym = &obj->syms[i];
		struct func_sym *func = &obj->funcs[obj->nr_funcs];

		if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC ||
		    sym->st_shndx == SHN_UNDEF)
			continue;
		func->name = elf_strptr(obj->elf, shdr->sh_link, sym->st_name);
		if (!func->name)
			return ERROR("malformed symbol table");
		func->shndx = object_is_relocatable(obj) ? sym->st_shndx : 0;
		func->value = sym->st_value;
		func->size = sym->st_size;
		obj->nr_funcs++;
	}
	qsort(obj->funcs, obj->nr_funcs, sizeof(*obj->funcs), compare_syms);
	return NULL;
}

/* The address of a section, in an object after place_sections() */
__u64 section_address(const struct object *obj, size_t index)
{
	return object_is_relocatable(obj) ? obj->base[index] :
					    section_header(obj->elf, index)->sh_addr;
}

static int compare_sections(const void *a, const void *b, void *obj)
{
	__u64 x = section_address(obj, *(const __u32 *)a);
	__u64 y = section_address(obj, *(const __u32 *)b);

	return x < y ? -1 : x > y;
}

/* Give the sections addresses. No address is 0 or the end of another section. */
static void place_sections(struct object *obj)
{
	__u64 addr = 0x100000;
	size_t i;

	obj->base = xcalloc(obj->nr_sections, sizeof(*obj->base));
	obj->by_addr = xcalloc(obj->nr_sections, sizeof(*obj->by_addr));
	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (!(shdr->sh_flags & SHF_ALLOC))
			continue;
		obj->by_addr[obj->nr_by_addr++] = i;
		if (!object_is_relocatable(obj))
			continue;
		obj->base[i] = addr;
		addr += (shdr->sh_size & ((1ull << 40) - 1)) + 0x1000;
		addr &= ~0xfffull;
	}
	qsort_r(obj->by_addr, obj->nr_by_addr, sizeof(*obj->by_addr), compare_sections, obj);
}

/*
 * Find the section of an address of the DWARF. @addr: the address, which may be the end of
 * the section. Returns the section's number, 0 if there is none.
 */
size_t object_section(const struct object *obj, __u64 addr)
{
	size_t low = 0, high = obj->nr_by_addr, index;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (section_address(obj, obj->by_addr[mid]) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Thread-local sections, and empty sections, share an address with another section */
	while (low) {
		index = obj->by_addr[--low];
		if (addr - section_address(obj, index) <= section_header(obj->elf, index)->sh_size)
			return index;
		if (section_header(obj->elf, index)->sh_size)
			break;
	}
	return 0;
}

/* Whether a section has words of 8 bytes that gen_arg_sigs reads */
bool section_is_table(const Elf64_Shdr *shdr)
{
	return shdr->sh_type == SHT_SYMTAB || shdr->sh_type == SHT_RELA;
}

static bool check_alignment(const struct object *obj)
{
	size_t i;

	if (obj->ehdr.e_shoff % sizeof(__u64))
		return false;
	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (!shdr || (section_is_table(shdr) && shdr->sh_offset % sizeof(__u64)))
			return false;
	}
	return true;
}

/* Open an ELF file. Returns NULL, or the error. */
const char *object_open(struct object *obj, const char *name)
{
	const char *error;
	size_t i;

	memset(obj, 0, sizeof(*obj));
	obj->name = name;
	obj->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (obj->fd < 0 || fstat(obj->fd, &obj->st))
		return strerror(errno);
	if (elf_version(EV_CURRENT) == EV_NONE)
		return "libelf is too old";

	obj->elf = elf_begin(obj->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!obj->elf || elf_kind(obj->elf) != ELF_K_ELF ||
	    !gelf_getehdr(obj->elf, &obj->ehdr))
		return "not an ELF file";
	if (obj->ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    obj->ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not an ELF file with 64 bits and the low byte first";
	if (elf_getshdrnum(obj->elf, &obj->nr_sections) ||
	    elf_getshdrstrndx(obj->elf, &obj->shstrndx) || obj->nr_sections < 2)
		return ERROR("malformed section headers");
	if (obj->nr_sections + NR_NEW_SECTIONS >= SHN_LORESERVE)
		return "too many sections";
	if (!check_alignment(obj))
		return ERROR("malformed section headers");

	error = read_symbols(obj);
	if (error)
		return error;
	place_sections(obj);

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		const char *section = section_name(obj, shdr);

		/*
		 * The names of all three sections begin with the name of the first
		 * section
		 */
		obj->has_sigs |= !strncmp(section, ARG_SIGS_SITES_SECTION,
					  strlen(ARG_SIGS_SITES_SECTION));
		obj->has_dwarf |= !strcmp(section, ".debug_info");
		/* libelf converts the content of sections of other types */
		if (!strncmp(section, ".debug_", strlen(".debug_")) &&
		    shdr->sh_type != SHT_PROGBITS && shdr->sh_type != SHT_NOBITS)
			return ERROR("malformed section headers");
	}
	return NULL;
}

/* Close an ELF file */
void object_close(struct object *obj)
{
	elf_end(obj->elf);
	if (obj->fd >= 0)
		close(obj->fd);
}

/*
 * Find the function that contains an address. @symbol_offset: set to the offset from the
 * symbol. @shndx: the section; 0 in a linked file. Returns the symbol's name, or NULL.
 */
const char *object_symbol(const struct object *obj, __u32 shndx,
			  __u64 offset, __u64 *symbol_offset)
{
	size_t nr = find_sym(obj, shndx, offset + 1);
	const struct func_sym *sym = nr ? &obj->funcs[nr - 1] : NULL;

	/*
	 * If the nearest symbol ends before the address, the address belongs to an
	 * outer symbol
	 */
	if (!sym || sym->shndx != shndx ||
	    (sym->size && offset >= sym->value + sym->size))
		return NULL;
	*symbol_offset = offset - sym->value;
	return sym->name;
}

/*
 * One of the functions that begin at an address. @shndx: the section; 0 in a linked file.
 * Returns its name, NULL if there are no more.
 */
const char *object_twin(const struct object *obj, __u32 shndx, __u64 value, size_t nr)
{
	const struct func_sym *sym;

	nr += find_sym(obj, shndx, value);
	sym = nr < obj->nr_funcs ? &obj->funcs[nr] : NULL;
	return sym && sym->shndx == shndx && sym->value == value ? sym->name : NULL;
}

/* One of the names of a site's function, NULL if there are no more */
const char *object_site_name(const struct object *obj, const struct site *site, size_t nr)
{
	return object_twin(obj, site->shndx, site->offset - site->symbol_offset, nr);
}

/* Whether a symbol is a function's or that of a clone of the function, such as name.part.0 */
bool symbol_is_of(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(symbol, name, len) && strchr(".", symbol[len]);
}

/* Whether a function, or a clone of the function, has code */
bool object_has_function(const struct object *obj, const char *name)
{
	size_t i;

	for (i = 0; i < obj->nr_funcs; i++)
		if (symbol_is_of(obj->funcs[i].name, name))
			return true;
	return false;
}

/*
 * Find a symbol that is defined or, without @defined, one that another object defines. Returns
 * its index, 0 if there is no such symbol.
 */
size_t object_find_symbol(const struct object *obj, const char *name, bool defined)
{
	size_t i;

	for (i = 1; i < obj->nr_syms; i++) {
		bool here = obj->syms[i].st_shndx != SHN_UNDEF;
		const char *s;

		if (here != defined)
			continue;
		s = elf_strptr(obj->elf, section_header(obj->elf, obj->symtab)->sh_link,
			       obj->syms[i].st_name);
		if (s && !strcmp(s, name))
			return i;
	}
	return 0;
}

/* The value of a symbol that is defined once, 0 if there is no such symbol */
__u64 object_symbol_value(const struct object *obj, const char *name)
{
	size_t i = object_find_symbol(obj, name, true);

	return i ? obj->syms[i].st_value : 0;
}

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

		switch (machine->reloc(ELF64_R_TYPE(relas[i].r_info), &size)) {
		case RELOC_ADDRESS:
			break;
		case RELOC_RELATIVE:
			/* In .eh_frame; libdw takes the section's address for 0 */
			value -= relas[i].r_offset;
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

		if (shdr->sh_type != SHT_RELA)
			continue;
		target = section_header(obj->elf, shdr->sh_info);
		if (!target)
			return ERROR("malformed relocation section");
		name = section_name(obj, target);
		for (j = 0; j < ARRAY_SIZE(names); j++)
			if (!strcmp(name, names[j]))
				break;
		/* A file with only debug info has an .eh_frame without contents */
		if (j == ARRAY_SIZE(names) || target->sh_type == SHT_NOBITS)
			continue;

		error = target->sh_flags & SHF_COMPRESSED ?
			inflate_section(elf_getscn(obj->elf, shdr->sh_info)) : NULL;
		if (error)
			return error;
		data = section_data(obj->elf, shdr->sh_info);
		relas = section_relas(obj, i, &nr);
		if (!data || !data->d_buf || !relas)
			return ERROR("malformed debug section");
		error = relocate(obj, data, relas, nr);
		if (error)
			return error;
	}
	return NULL;
}
