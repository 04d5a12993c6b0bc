// SPDX-License-Identifier: GPL-2.0
/*
 * The ELF side of gen_arg_sigs
 *
 * Strategy: the object is mapped privately.  Its allocated sections are given
 * addresses of our own, one after the other, and the relocations of the debug
 * sections that are read are applied to the mapping, so that libdw sees an
 * object that looks linked.  What is written is a new file: a copy of the
 * sections as they are on disk, with ours behind them, that replaces the object
 * only when it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen_arg_sigs.h"

#ifndef SHT_LLVM_ADDRSIG
#define SHT_LLVM_ADDRSIG	0x6fff4c03
#endif
#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif
#ifndef SHT_LLVM_CALL_GRAPH_PROFILE
#define SHT_LLVM_CALL_GRAPH_PROFILE	0x6fff4c09
#endif

/* Sections that we add: ours, and the relocations of the first */
#define NR_NEW_SECTIONS	4

/* Space for alignment: sections that want more are not from a compiler */
#define MAX_PADDING	(16 * 1024 * 1024)

/* The symbol that calls to the tracer are made to */
#define FENTRY		"__fentry__"

/* Symbol of a function */
struct func_sym {
	__u64 value;
	__u64 size;
	const char *name;
	__u32 shndx;
};

static bool is_relocatable(const struct object *obj)
{
	return obj->ehdr.e_type == ET_REL;
}

static Elf64_Shdr *section_header(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);

	return scn ? elf64_getshdr(scn) : NULL;
}

static const char *section_name(const struct object *obj, const Elf64_Shdr *shdr)
{
	return elf_strptr(obj->elf, obj->shstrndx, shdr->sh_name) ?: "";
}

/* All of a section in one piece, or NULL */
static Elf_Data *section_data(Elf *elf, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, index);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && (data->d_buf || !data->d_size) ? data : NULL;
}

static size_t section_find(const struct object *obj, const char *name)
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
static const Elf64_Rela *section_relas(const struct object *obj, size_t index,
				       size_t *nr)
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

static int compare_syms(const void *a, const void *b)
{
	const struct func_sym *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	/* The last of one address is found: a name that is not a clone's */
	return !strchr(x->name, '.') - !strchr(y->name, '.');
}

static const char *read_symbols(struct object *obj)
{
	Elf64_Shdr *shdr;
	Elf_Data *data;
	size_t i;

	for (i = 1; i < obj->nr_sections; i++) {
		shdr = section_header(obj->elf, i);
		if (!shdr)
			return "malformed section header";
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
		return "malformed symbol table";
	obj->syms = data->d_buf;
	obj->nr_syms = data->d_size / sizeof(Elf64_Sym);
	if (!shdr->sh_info || shdr->sh_info > obj->nr_syms)
		return "malformed symbol table";

	obj->funcs = xcalloc(obj->nr_syms, sizeof(*obj->funcs));
	for (i = 1; i < obj->nr_syms; i++) {
		const Elf64_Sym *sym = &obj->syms[i];
		struct func_sym *func = &obj->funcs[obj->nr_funcs];

		if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC ||
		    sym->st_shndx == SHN_UNDEF)
			continue;
		func->name = elf_strptr(obj->elf, shdr->sh_link, sym->st_name);
		if (!func->name)
			return "malformed symbol table";
		func->shndx = is_relocatable(obj) ? sym->st_shndx : 0;
		func->value = sym->st_value;
		func->size = sym->st_size;
		obj->nr_funcs++;
	}
	qsort(obj->funcs, obj->nr_funcs, sizeof(*obj->funcs), compare_syms);
	return NULL;
}

/* Addresses of our own, none of them 0 and none next to another's end */
static void place_sections(struct object *obj)
{
	__u64 addr = 0x100000;
	size_t i;

	obj->base = xcalloc(obj->nr_sections, sizeof(*obj->base));
	if (!is_relocatable(obj))
		return;
	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (!(shdr->sh_flags & SHF_ALLOC))
			continue;
		obj->base[i] = addr;
		addr += (shdr->sh_size & ((1ull << 40) - 1)) + 0x1000;
		addr &= ~0xfffull;
	}
}

/* Tables of 8-byte words, that are read where they are in the file */
static bool is_table(const Elf64_Shdr *shdr)
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

		if (!shdr || (is_table(shdr) && shdr->sh_offset % sizeof(__u64)))
			return false;
	}
	return true;
}

/**
 * object_open - open an ELF file
 * @obj: the file
 * @name: its name
 *
 * Return: NULL, or what is wrong.
 */
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
	    obj->ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    obj->ehdr.e_machine != EM_X86_64)
		return "not an x86-64 ELF file";
	if (elf_getshdrnum(obj->elf, &obj->nr_sections) ||
	    elf_getshdrstrndx(obj->elf, &obj->shstrndx) || obj->nr_sections < 2)
		return "malformed section headers";
	if (obj->nr_sections + NR_NEW_SECTIONS >= SHN_LORESERVE)
		return "too many sections";
	if (!check_alignment(obj))
		return "malformed section headers";

	error = read_symbols(obj);
	if (error)
		return error;
	place_sections(obj);

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		const char *section = section_name(obj, shdr);

		/* The names of all three begin with that of the first */
		obj->has_sigs |= !strncmp(section, ARG_SIGS_SITES_SECTION,
					  strlen(ARG_SIGS_SITES_SECTION));
		obj->has_dwarf |= !strcmp(section, ".debug_info");
		/* Of other types, libelf makes something else of what is in there */
		if (!strncmp(section, ".debug_", strlen(".debug_")) &&
		    shdr->sh_type != SHT_PROGBITS && shdr->sh_type != SHT_NOBITS)
			return "malformed section headers";
	}
	return NULL;
}

/**
 * object_close - be done with an ELF file
 * @obj: the file
 */
void object_close(struct object *obj)
{
	elf_end(obj->elf);
	if (obj->fd >= 0)
		close(obj->fd);
}

/**
 * object_symbol - the function that an address is in
 * @obj: the file
 * @shndx: the section; 0 in a linked file
 * @offset: offset in the section; the address in a linked file
 * @symbol_offset: where the offset from the symbol goes
 *
 * Return: the symbol's name, or NULL.
 */
const char *object_symbol(const struct object *obj, __u32 shndx,
			  __u64 offset, __u64 *symbol_offset)
{
	size_t low = 0, high = obj->nr_funcs;
	const struct func_sym *sym;

	while (low < high) {
		size_t mid = (low + high) / 2;

		sym = &obj->funcs[mid];
		if (sym->shndx < shndx || (sym->shndx == shndx && sym->value <= offset))
			low = mid + 1;
		else
			high = mid;
	}

	/* The nearest one may have ended before: that is an outer symbol's */
	sym = low ? &obj->funcs[low - 1] : NULL;
	if (!sym || sym->shndx != shndx ||
	    (sym->size && offset >= sym->value + sym->size))
		return NULL;
	*symbol_offset = offset - sym->value;
	return sym->name;
}

/* Whether there is code: at an offset of a section, or in a linked file at an address */
static bool is_code(const struct object *obj, __u32 shndx, __u64 offset)
{
	size_t first = is_relocatable(obj) ? shndx : 1;
	size_t last = is_relocatable(obj) ? shndx : obj->nr_sections - 1;
	size_t i;

	for (i = first; i <= last; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		__u64 begin = is_relocatable(obj) ? 0 : shdr ? shdr->sh_addr : 0;

		if (shdr && shdr->sh_flags & SHF_EXECINSTR && offset >= begin &&
		    offset - begin < shdr->sh_size)
			return true;
	}
	return false;
}

static void add_site(struct object *obj, __u32 shndx, __u64 offset)
{
	struct site *site;

	if (!is_code(obj, shndx, offset))
		return;
	if (!(obj->nr_sites & (obj->nr_sites - 1)))
		obj->sites = xrealloc(obj->sites, 2 * obj->nr_sites + 1,
				      sizeof(*obj->sites));
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

/* The value of a symbol that is defined once, or 0 */
static __u64 symbol_value(const struct object *obj, const char *name)
{
	size_t i;

	for (i = 1; i < obj->nr_syms; i++) {
		const char *s;

		if (obj->syms[i].st_shndx == SHN_UNDEF)
			continue;
		s = elf_strptr(obj->elf, section_header(obj->elf, obj->symtab)->sh_link,
			       obj->syms[i].st_name);
		if (s && !strcmp(s, name))
			return obj->syms[i].st_value;
	}
	return 0;
}

/* Calls of the tracer in one section of code */
static void find_calls(struct object *obj, size_t index, __u32 text, size_t fentry)
{
	const Elf64_Rela *relas;
	size_t nr, i;

	relas = section_relas(obj, index, &nr);
	for (i = 0; i < nr; i++) {
		if (ELF64_R_SYM(relas[i].r_info) != fentry)
			continue;
		switch (ELF64_R_TYPE(relas[i].r_info)) {
		case R_X86_64_PC32:
		case R_X86_64_PLT32:
			/* The call's opcode is before its operand */
			add_site(obj, text, relas[i].r_offset - 1);
			break;
		}
	}
}

/* Addresses that the compiler or objtool has recorded */
static void find_records(struct object *obj, size_t index)
{
	const Elf64_Rela *relas;
	size_t nr, i;

	relas = section_relas(obj, index, &nr);
	for (i = 0; i < nr; i++) {
		size_t sym = ELF64_R_SYM(relas[i].r_info);

		if (ELF64_R_TYPE(relas[i].r_info) != R_X86_64_64 ||
		    sym >= obj->nr_syms || obj->syms[sym].st_shndx == SHN_UNDEF)
			continue;
		add_site(obj, obj->syms[sym].st_shndx,
			 obj->syms[sym].st_value + relas[i].r_addend);
	}
}

/* Addresses that the linker has gathered, where the file has their bytes */
static void find_linked_records(struct object *obj)
{
	__u64 start = symbol_value(obj, "__start_mcount_loc");
	__u64 stop = symbol_value(obj, "__stop_mcount_loc");
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
			add_site(obj, 0, addr);
		}
		return;
	}
}

/**
 * object_sort_sites - bring the sites in order, each one once, and name them
 * @obj: the file
 */
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

/**
 * object_find_sites - find every address that ftrace may patch
 * @obj: the object
 *
 * Return: NULL, or what is wrong.
 */
const char *object_find_sites(struct object *obj)
{
	size_t fentry = 0, i;

	if (!is_relocatable(obj)) {
		if (!obj->all_funcs)
			return "not a relocatable object";
		find_linked_records(obj);
		object_sort_sites(obj);
		return NULL;
	}

	if (obj->symtab) {
		Elf64_Shdr *shdr = section_header(obj->elf, obj->symtab);

		for (i = 1; i < obj->nr_syms && !fentry; i++) {
			const char *name;

			if (obj->syms[i].st_shndx != SHN_UNDEF)
				continue;
			name = elf_strptr(obj->elf, shdr->sh_link,
					  obj->syms[i].st_name);
			if (name && !strcmp(name, FENTRY))
				fentry = i;
		}
	}

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);
		Elf64_Shdr *target;

		if (shdr->sh_type != SHT_RELA)
			continue;
		target = section_header(obj->elf, shdr->sh_info);
		if (!target)
			return "malformed relocation section";
		if (fentry && target->sh_flags & SHF_EXECINSTR)
			find_calls(obj, i, shdr->sh_info, fentry);
		else if (!strcmp(section_name(obj, target), "__mcount_loc"))
			find_records(obj, i);
	}

	/* gcc's objects have both kinds for each function */
	object_sort_sites(obj);
	return NULL;
}

/* Where an address of the DWARF is */
static bool find_address(const struct object *obj, __u64 addr, __u32 *shndx,
			 __u64 *offset)
{
	size_t i;

	*shndx = 0;
	*offset = addr;
	if (!is_relocatable(obj))
		return true;
	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (!shdr || !obj->base[i] || addr < obj->base[i] ||
		    addr - obj->base[i] >= shdr->sh_size)
			continue;
		*shndx = i;
		*offset = addr - obj->base[i];
		return true;
	}
	return false;
}

/**
 * object_add_site - make a function a site if it has none
 * @obj: the file, with the sites that ftrace knows in order
 * @low: where the function begins
 * @high: where it ends
 *
 * To be followed by object_sort_sites().
 */
void object_add_site(struct object *obj, __u64 low, __u64 high)
{
	size_t begin = 0, end = obj->nr_sorted;
	struct site site = {};

	if (!find_address(obj, low, &site.shndx, &site.offset))
		return;
	while (begin < end) {
		size_t mid = (begin + end) / 2;

		if (compare_sites(&obj->sites[mid], &site) < 0)
			begin = mid + 1;
		else
			end = mid;
	}
	if (begin == obj->nr_sorted || obj->sites[begin].shndx != site.shndx ||
	    obj->sites[begin].offset - site.offset >= high - low)
		add_site(obj, site.shndx, site.offset);
}

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
		default:
			/* Thread-local variables and the like: not looked at */
			continue;
		}

		if (sym >= obj->nr_syms || data->d_size < size ||
		    relas[i].r_offset > data->d_size - size)
			return "malformed relocation";
		value += obj->syms[sym].st_value;
		if (obj->syms[sym].st_shndx < obj->nr_sections)
			value += obj->base[obj->syms[sym].st_shndx];
		put_le((unsigned char *)data->d_buf + relas[i].r_offset, value, size);
	}
	return NULL;
}

/* Decompress a section in the mapping; elfutils before 0.189 know nothing of zstd */
static const char *inflate_section(Elf_Scn *scn)
{
	Elf64_Chdr *chdr = elf64_getchdr(scn);

	if (elf_compress(scn, 0, 0) >= 0)
		return NULL;
	return chdr && chdr->ch_type == ELFCOMPRESS_ZSTD ?
	       "DWARF is compressed by zstd, which this libelf cannot decompress" :
	       "malformed compressed section";
}

/**
 * object_relocate_dwarf - apply the relocations of the DWARF that is read
 * @obj: the object; only its mapping changes
 *
 * Return: NULL, or what is wrong.
 */
const char *object_relocate_dwarf(struct object *obj)
{
	static const char * const names[] = {
		".debug_info", ".debug_addr", ".debug_str_offsets",
		".debug_rnglists", ".debug_loclists", ".debug_ranges",
		".debug_loc",
	};
	size_t i, j, nr;

	/* The linker has applied them */
	if (!is_relocatable(obj))
		return NULL;

	for (i = 1; i < obj->nr_sections; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i), *target;
		const char *name, *error;
		const Elf64_Rela *relas;
		Elf_Data *data;
		Elf_Scn *scn;

		if (shdr->sh_type != SHT_RELA)
			continue;
		scn = elf_getscn(obj->elf, shdr->sh_info);
		target = scn ? elf64_getshdr(scn) : NULL;
		if (!target)
			return "malformed relocation section";
		name = section_name(obj, target);
		for (j = 0; j < ARRAY_SIZE(names); j++)
			if (!strcmp(name, names[j]))
				break;
		if (j == ARRAY_SIZE(names))
			continue;

		error = target->sh_flags & SHF_COMPRESSED ? inflate_section(scn) : NULL;
		if (error)
			return error;
		data = elf_getdata(scn, NULL);
		relas = section_relas(obj, i, &nr);
		if (!data || !data->d_buf || !relas)
			return "malformed debug section";
		if (relocate(obj, data, relas, nr))
			return "malformed relocation";
	}
	return NULL;
}

/* Everything that becomes part of the new file */
struct output {
	struct object *obj;
	Elf *in;
	Elf *out;
	bool add;		/* the new file has signatures */
	__u32 *sections;	/* new index of each old section, 0 if it is left out */
	size_t nr_sections;	/* that are kept, and the null section */
	__u32 *section_syms;	/* new symbol of each old section, or 0 */
	__u32 *symbols;		/* new index of each old symbol, 0 if it is left out */
	Elf64_Sym *syms;	/* the new symbol table */
	size_t nr_syms;
	size_t nr_locals;	/* of these */
	__u32 str_sym;		/* symbol of the section of our strings */
	Elf64_Rela *relas;
	struct arg_sig_site *sites;
	size_t nr_sites;
	char *names;		/* section names, ours appended */
	size_t names_size;
	__u32 name[NR_NEW_SECTIONS];
};

/* The members of a group: a word of flags, then the sections' indices */
static const __u32 *group_members(Elf *elf, size_t index, size_t *nr)
{
	Elf_Data *data = section_data(elf, index);

	if (!data || data->d_size < sizeof(__u32))
		return NULL;
	*nr = data->d_size / sizeof(__u32) - 1;
	return data->d_buf;
}

/* Whether objcopy --strip-debug would leave a section out; groups aside */
static bool is_debug(const struct output *out, size_t index)
{
	const struct object *obj = out->obj;
	Elf64_Shdr *shdr = section_header(out->in, index);
	const char *name;

	if (shdr && (shdr->sh_type == SHT_RELA || shdr->sh_type == SHT_REL))
		shdr = section_header(out->in, shdr->sh_info);
	if (!shdr || shdr->sh_flags & SHF_ALLOC)
		return false;
	name = section_name(obj, shdr);
	return !strncmp(name, ".debug", strlen(".debug")) ||
	       !strncmp(name, ".zdebug", strlen(".zdebug"));
}

/* A group is kept as long as it has a member */
static bool is_empty_group(const struct output *out, size_t index)
{
	Elf64_Shdr *shdr = section_header(out->in, index);
	const __u32 *members;
	size_t nr = 0, i;

	if (!shdr || shdr->sh_type != SHT_GROUP)
		return false;
	members = group_members(out->in, index, &nr);
	for (i = 1; members && i <= nr; i++)
		if (members[i] >= out->obj->nr_sections || !is_debug(out, members[i]))
			return false;
	return members;
}

static void map_sections(struct output *out, bool strip)
{
	size_t i;

	out->sections = xcalloc(out->obj->nr_sections, sizeof(*out->sections));
	out->nr_sections = 1;
	for (i = 1; i < out->obj->nr_sections; i++)
		if (!strip || (!is_debug(out, i) && !is_empty_group(out, i)))
			out->sections[i] = out->nr_sections++;
}

/* The new index of a section, false if it is left out or not one */
static bool map_section(const struct output *out, __u32 *index)
{
	if (!*index)
		return true;
	if (*index >= out->obj->nr_sections)
		return false;
	*index = out->sections[*index];
	return *index;
}

static __u32 add_section_symbol(struct output *out, __u32 shndx)
{
	Elf64_Sym *sym = &out->syms[out->nr_syms];

	memset(sym, 0, sizeof(*sym));
	sym->st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
	sym->st_shndx = shndx;
	return out->nr_syms++;
}

/* Copy symbols that are not of sections that are left out */
static void copy_symbols(struct output *out, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++) {
		Elf64_Sym *sym = &out->syms[out->nr_syms];
		__u32 shndx;

		*sym = out->obj->syms[i];
		shndx = sym->st_shndx;
		if (shndx < out->obj->nr_sections) {
			if (!map_section(out, &shndx))
				continue;
			sym->st_shndx = shndx;
		}
		out->symbols[i] = out->nr_syms++;
	}
}

/* The old symbols with ours between the local and the global ones */
static void make_symbols(struct output *out)
{
	struct object *obj = out->obj;
	size_t i, first_global;

	if (!obj->symtab)
		return;
	first_global = section_header(obj->elf, obj->symtab)->sh_info;
	out->symbols = xcalloc(obj->nr_syms, sizeof(*out->symbols));
	out->syms = xcalloc(obj->nr_syms + obj->nr_sections + 1, sizeof(*out->syms));
	copy_symbols(out, 0, first_global);

	out->section_syms = xcalloc(obj->nr_sections, sizeof(*out->section_syms));
	for (i = 1; i < first_global; i++) {
		const Elf64_Sym *sym = &obj->syms[i];

		if (ELF64_ST_TYPE(sym->st_info) == STT_SECTION &&
		    sym->st_shndx < obj->nr_sections && !sym->st_value)
			out->section_syms[sym->st_shndx] = out->symbols[i];
	}

	if (out->add)
		out->str_sym = add_section_symbol(out, out->nr_sections + 1);
	for (i = 0; out->add && i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];

		if (!site->reason && !out->section_syms[site->shndx])
			out->section_syms[site->shndx] =
				add_section_symbol(out, out->sections[site->shndx]);
	}
	out->nr_locals = out->nr_syms;
	copy_symbols(out, first_global, obj->nr_syms);
}

static void make_sites(struct output *out)
{
	struct object *obj = out->obj;
	size_t i, n = 0;

	out->sites = xcalloc(obj->nr_sites, sizeof(*out->sites));
	out->relas = xcalloc(obj->nr_sites, 2 * sizeof(*out->relas));
	for (i = 0; i < obj->nr_sites; i++) {
		struct site *site = &obj->sites[i];
		Elf64_Rela *rela = &out->relas[2 * n];

		if (site->reason)
			continue;
		rela[0].r_offset = n * sizeof(*out->sites) +
				   offsetof(struct arg_sig_site, func);
		rela[0].r_info = ELF64_R_INFO((__u64)out->section_syms[site->shndx],
					      R_X86_64_PC32);
		rela[0].r_addend = site->offset;
		rela[1].r_offset = n * sizeof(*out->sites) +
				   offsetof(struct arg_sig_site, sig);
		rela[1].r_info = ELF64_R_INFO((__u64)out->str_sym, R_X86_64_PC32);
		rela[1].r_addend = site->sig;
		n++;
	}
	out->nr_sites = n;
}

static bool make_names(struct output *out)
{
	static const char names[] = ARG_SIGS_SITES_SECTION "\0"
				    ARG_SIGS_STR_SECTION "\0"
				    ARG_SIGS_TYPES_SECTION "\0"
				    ".rela" ARG_SIGS_SITES_SECTION;
	Elf_Data *data = section_data(out->in, out->obj->shstrndx);
	size_t i, pos;

	if (!data || !data->d_size)
		return false;
	out->names_size = data->d_size + sizeof(names);
	out->names = xcalloc(out->names_size, 1);
	memcpy(out->names, data->d_buf, data->d_size);
	memcpy(out->names + data->d_size, names, sizeof(names));
	for (i = 0, pos = data->d_size; i < NR_NEW_SECTIONS; i++) {
		out->name[i] = pos;
		pos += strlen(out->names + pos) + 1;
	}
	return true;
}

/* The new index of a symbol, false if it is left out */
static bool map_symbol(const struct output *out, __u32 *sym)
{
	if (!*sym)
		return true;
	if (*sym >= out->obj->nr_syms)
		return false;
	*sym = out->symbols[*sym];
	return *sym;
}

/* Relocations with the new indices of their symbols */
static bool map_relocations(struct output *out, Elf_Data *data)
{
	/* They begin alike */
	size_t size = data->d_type == ELF_T_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
	size_t nr = data->d_size / size, i;
	char *relocs;

	if (data->d_type != ELF_T_RELA && data->d_type != ELF_T_REL)
		return false;
	relocs = xcalloc(nr, size);
	memcpy(relocs, data->d_buf, nr * size);
	for (i = 0; i < nr; i++) {
		Elf64_Rel *rel = (Elf64_Rel *)(relocs + i * size);
		__u32 sym = ELF64_R_SYM(rel->r_info);

		if (!map_symbol(out, &sym))
			return false;
		rel->r_info = ELF64_R_INFO((__u64)sym, ELF64_R_TYPE(rel->r_info));
	}
	data->d_buf = relocs;
	return true;
}

/* A group with the new indices of the members that are kept */
static bool map_group(struct output *out, size_t index, Elf_Data *data)
{
	size_t nr, i, n = 1;
	const __u32 *from = group_members(out->in, index, &nr);
	__u32 *to;

	if (!from)
		return false;
	to = xcalloc(nr + 1, sizeof(*to));
	to[0] = from[0];
	for (i = 1; i <= nr; i++) {
		if (from[i] >= out->obj->nr_sections)
			return false;
		if (out->sections[from[i]])
			to[n++] = out->sections[from[i]];
	}
	data->d_buf = to;
	data->d_size = n * sizeof(*to);
	return true;
}

static bool put_section(struct output *out, const Elf64_Shdr *shdr,
			const Elf_Data *data)
{
	Elf_Scn *scn = elf_newscn(out->out);
	Elf64_Shdr *to = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *copy = scn ? elf_newdata(scn) : NULL;

	if (!to || !copy)
		return false;
	*to = *shdr;
	*copy = *data;
	copy->d_off = 0;
	copy->d_version = EV_CURRENT;
	copy->d_align = is_table(shdr) ? sizeof(__u64) : shdr->sh_addralign ?: 1;
	return elf_flagshdr(scn, ELF_C_SET, ELF_F_DIRTY);
}

/* What refers to symbols by their indices */
static bool map_symbols(struct output *out, size_t index, Elf64_Shdr *shdr, Elf_Data *data)
{
	switch (shdr->sh_type) {
	case SHT_RELA:
	case SHT_REL:
		return !data->d_size || map_relocations(out, data);
	case SHT_GROUP:
		return map_symbol(out, &shdr->sh_info) && map_group(out, index, data);
	case SHT_LLVM_ADDRSIG:
		/* Linkers ignore the section then, as after objcopy */
		shdr->sh_link = 0;
		return true;
	case SHT_LLVM_CALL_GRAPH_PROFILE:
		/* Weights only: the symbols are in the section's relocations */
		return shdr->sh_entsize == sizeof(__u64);
	default:
		return false;
	}
}

static bool copy_section(struct output *out, size_t index)
{
	struct object *obj = out->obj;
	Elf_Scn *scn = elf_getscn(out->in, index);
	Elf64_Shdr *from = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *data, copy;
	Elf64_Shdr shdr;

	if (!from)
		return false;

	shdr = *from;
	if (index == obj->symtab || shdr.sh_type == SHT_RELA || shdr.sh_type == SHT_REL)
		data = elf_getdata(scn, NULL);
	else
		data = elf_rawdata(scn, NULL);
	if (!data || (!data->d_buf && data->d_size && shdr.sh_type != SHT_NOBITS))
		return false;
	if (data->d_size != shdr.sh_size)
		return false;
	copy = *data;

	if (index == obj->symtab) {
		copy.d_buf = out->syms;
		copy.d_size = out->nr_syms * sizeof(Elf64_Sym);
		copy.d_type = ELF_T_SYM;
		shdr.sh_info = out->nr_locals;
	} else if (index == obj->shstrndx) {
		copy.d_buf = out->names;
		copy.d_size = out->names_size;
	} else if (obj->symtab && shdr.sh_link == obj->symtab) {
		if (!map_symbols(out, index, &shdr, &copy))
			return false;
	}

	if (!map_section(out, &shdr.sh_link))
		return false;
	if ((shdr.sh_type == SHT_RELA || shdr.sh_type == SHT_REL ||
	     shdr.sh_flags & SHF_INFO_LINK) && !map_section(out, &shdr.sh_info))
		return false;
	return put_section(out, &shdr, &copy);
}

static bool add_section(struct output *out, unsigned int nr, const void *buf,
			size_t size, const Elf64_Shdr *like)
{
	Elf64_Shdr shdr = *like;
	Elf_Data data = {
		.d_buf = (void *)buf,
		.d_size = size,
		.d_type = shdr.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_BYTE,
	};

	shdr.sh_name = out->name[nr];
	return put_section(out, &shdr, &data);
}

static bool add_signatures(struct output *out, const struct sigs *sigs)
{
	return add_section(out, 0, out->sites, out->nr_sites * sizeof(*out->sites),
			   &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC,
					  .sh_addralign = 4 }) &&
	       add_section(out, 1, sigs->strs.text.buf, sigs->strs.text.len,
			   &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | SHF_MERGE | SHF_STRINGS,
					  .sh_addralign = 1,
					  .sh_entsize = 1 }) &&
	       add_section(out, 2, sigs->types.text.buf ?: "", sigs->types.text.len,
			   &(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | SHF_MERGE | SHF_STRINGS,
					  .sh_addralign = 1,
					  .sh_entsize = 1 }) &&
	       add_section(out, 3, out->relas, 2 * out->nr_sites * sizeof(*out->relas),
			   &(Elf64_Shdr){ .sh_type = SHT_RELA,
					  .sh_flags = SHF_INFO_LINK,
					  .sh_link = out->sections[out->obj->symtab],
					  .sh_info = out->nr_sections,
					  .sh_addralign = 8,
					  .sh_entsize = sizeof(Elf64_Rela) });
}

static bool make_file(struct output *out, const struct sigs *sigs, bool strip)
{
	struct object *obj = out->obj;
	Elf64_Ehdr *ehdr = elf64_newehdr(out->out);
	size_t i;

	map_sections(out, strip);
	if (!ehdr || !make_names(out) || !out->sections[obj->shstrndx])
		return false;
	memcpy(ehdr->e_ident, obj->ehdr.e_ident, EI_NIDENT);
	ehdr->e_type = obj->ehdr.e_type;
	ehdr->e_machine = obj->ehdr.e_machine;
	ehdr->e_version = obj->ehdr.e_version;
	ehdr->e_flags = obj->ehdr.e_flags;
	ehdr->e_shstrndx = out->sections[obj->shstrndx];

	make_symbols(out);
	if (out->add)
		make_sites(out);

	for (i = 1; i < obj->nr_sections; i++)
		if (out->sections[i] && !copy_section(out, i))
			return false;
	return !out->add || add_signatures(out, sigs);
}

/* Write the new file, unless it is mostly padding */
static const char *put_file(struct output *out, const struct sigs *sigs)
{
	__u64 added = sigs->strs.text.len + sigs->types.text.len + out->names_size +
		      out->nr_syms * sizeof(Elf64_Sym) +
		      out->nr_sites * (sizeof(*out->sites) + 2 * sizeof(*out->relas));
	off_t size = elf_update(out->out, ELF_C_NULL);

	if (size < 0)
		return elf_errmsg(-1);
	if (size - out->obj->st.st_size > (off_t)(added + MAX_PADDING))
		return "has sections with too large an alignment";
	return elf_update(out->out, ELF_C_WRITE) < 0 ? elf_errmsg(-1) : NULL;
}

/* A name in the same directory, that make clean knows as well */
static char *temporary_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t dir = slash ? slash - name + 1 : 0;
	char *temp = xcalloc(strlen(name) + 32, 1);

	sprintf(temp, "%.*s.tmp_arg_sigs_%s", (int)dir, name, name + dir);
	return temp;
}

/**
 * object_write - add the signatures to an object
 * @obj: the object
 * @sigs: the signatures, none of them if the object has a table already
 * @strip: whether to leave out the debug sections
 *
 * The object is replaced by a complete new one, or left as it is.
 *
 * Return: NULL, or what is wrong.
 */
const char *object_write(struct object *obj, const struct sigs *sigs, bool strip)
{
	struct output out = { .obj = obj, .add = sigs->sites[REASON_NONE] };
	const char *error = NULL;
	char *temp;
	int fd;

	if (obj->ehdr.e_phnum)
		return "has program headers";

	/* The mapping that was relocated is no copy of the file any more */
	out.in = elf_begin(obj->fd, ELF_C_READ_MMAP, NULL);
	if (!out.in)
		return "cannot be read again";

	temp = temporary_name(obj->name);
	fd = open(temp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		error = strerror(errno);
		free(temp);
		return error;
	}

	out.out = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!out.out || !make_file(&out, sigs, strip))
		error = "has a section that cannot be copied";
	else
		error = put_file(&out, sigs);
	if (!error && fchmod(fd, obj->st.st_mode & 07777))
		error = strerror(errno);
	elf_end(out.out);
	if (close(fd) && !error)
		error = strerror(errno);
	if (!error && rename(temp, obj->name))
		error = strerror(errno);
	if (error)
		unlink(temp);
	elf_end(out.in);
	free(temp);
	return error;
}

/**
 * object_dump_site - print a site and its signature
 * @obj: the file
 * @shndx: the site's section; 0 in a linked file
 * @offset: its offset in the section; the address in a linked file
 * @sig: the signature
 * @address: whether to print where it is, too
 */
void object_dump_site(const struct object *obj, __u32 shndx, __u64 offset,
		      const char *sig, bool address)
{
	__u64 symbol_offset;
	const char *symbol;

	symbol = object_symbol(obj, shndx, offset, &symbol_offset);
	if (address && shndx)
		printf("%u:0x%llx\t", shndx, offset);
	else if (address)
		printf("0x%llx\t", offset);
	if (symbol)
		printf("%s+0x%llx\t%s\n", symbol, symbol_offset, sig);
	else
		printf("%u:0x%llx\t%s\n", shndx, offset, sig);
}

static const char *string_at(const Elf_Data *data, __u64 offset)
{
	const char *s = data->d_buf;

	if (offset >= data->d_size || !memchr(s + offset, '\0', data->d_size - offset))
		return NULL;
	return s + offset;
}

/* The table of a relocatable object says nothing without its relocations */
static const char *dump_relocatable(const struct object *obj, size_t table,
				    const Elf_Data *strs, bool addresses)
{
	const Elf64_Rela *relas = NULL;
	size_t nr, i;

	for (i = 1; i < obj->nr_sections && !relas; i++) {
		Elf64_Shdr *shdr = section_header(obj->elf, i);

		if (shdr->sh_type == SHT_RELA && shdr->sh_info == table)
			relas = section_relas(obj, i, &nr);
	}
	if (!relas || nr % 2)
		return "table without its relocations";

	for (i = 0; i < nr; i += 2) {
		size_t func = ELF64_R_SYM(relas[i].r_info);
		size_t sig = ELF64_R_SYM(relas[i + 1].r_info);
		const char *text;

		if (relas[i].r_offset % 8 || relas[i + 1].r_offset != relas[i].r_offset + 4 ||
		    func >= obj->nr_syms || sig >= obj->nr_syms)
			return "malformed table";
		text = string_at(strs, obj->syms[sig].st_value + relas[i + 1].r_addend);
		if (!text)
			return "malformed table";
		object_dump_site(obj, obj->syms[func].st_shndx,
				 obj->syms[func].st_value + relas[i].r_addend, text,
				 addresses);
	}
	return NULL;
}

/*
 * The table of a linked file; @addr becomes its address, @nr the number of its entries.
 * An image has it in init data, between two symbols.
 */
static const struct arg_sig_site *linked_sites(const struct object *obj, size_t table,
					       __u64 *addr, size_t *nr)
{
	__u64 size, from;
	Elf_Data *data;

	if (table) {
		*addr = section_header(obj->elf, table)->sh_addr;
		size = section_header(obj->elf, table)->sh_size;
	} else {
		*addr = symbol_value(obj, "__start_arg_sigs");
		size = symbol_value(obj, "__stop_arg_sigs") - *addr;
		for (table = 1; table < obj->nr_sections; table++) {
			Elf64_Shdr *shdr = section_header(obj->elf, table);

			if (shdr->sh_flags & SHF_ALLOC && *addr >= shdr->sh_addr &&
			    *addr - shdr->sh_addr < shdr->sh_size)
				break;
		}
		if (!*addr || table == obj->nr_sections)
			return NULL;
	}
	data = section_data(obj->elf, table);
	from = *addr - section_header(obj->elf, table)->sh_addr;
	if (!data || from > data->d_size || size > data->d_size - from)
		return NULL;
	*nr = size / sizeof(struct arg_sig_site);
	return data->d_buf + from;
}

static const char *dump_linked(const struct object *obj, size_t table, size_t strs,
			       bool addresses)
{
	__u64 base = section_header(obj->elf, strs)->sh_addr, addr;
	Elf_Data *text = section_data(obj->elf, strs);
	const struct arg_sig_site *site;
	size_t i, nr;

	site = linked_sites(obj, table, &addr, &nr);
	if (!site || !text)
		return "malformed table";
	for (i = 0; i < nr; i++) {
		__u64 here = addr + i * sizeof(*site);
		const char *s;

		s = string_at(text, here + offsetof(struct arg_sig_site, sig) +
				    (__s32)site[i].sig - base);
		if (!s)
			return "malformed table";
		object_dump_site(obj, 0, here + (__s32)site[i].func, s, addresses);
	}
	return NULL;
}

/**
 * object_dump - print the signatures that an object, a module or an image has
 * @obj: the file
 * @addresses: whether to print where sites are, too
 *
 * Return: NULL, or what is wrong.
 */
const char *object_dump(struct object *obj, bool addresses)
{
	size_t table = section_find(obj, ARG_SIGS_SITES_SECTION);
	size_t strs = section_find(obj, ARG_SIGS_STR_SECTION);
	size_t types = section_find(obj, ARG_SIGS_TYPES_SECTION);
	const char *error;
	Elf_Data *data;
	const char *s;
	size_t pos;

	data = strs ? section_data(obj->elf, strs) : NULL;
	if (!data || (!table && is_relocatable(obj)))
		return "malformed table";
	error = is_relocatable(obj) ? dump_relocatable(obj, table, data, addresses) :
				      dump_linked(obj, table, strs, addresses);
	if (error)
		return error;

	data = types ? section_data(obj->elf, types) : NULL;
	for (pos = 0; data && (s = string_at(data, pos)); pos += strlen(s) + 1)
		if (*s)
			printf("type\t%s\n", s);
	return NULL;
}
