// SPDX-License-Identifier: GPL-2.0
/*
 * The object with signatures
 *
 * Strategy: write a new file, which has a copy of the sections as they are on disk,
 * followed by the new sections.  The new file replaces the object only when it is
 * complete.
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
#ifndef SHT_LLVM_CALL_GRAPH_PROFILE
#define SHT_LLVM_CALL_GRAPH_PROFILE	0x6fff4c09
#endif

/* Maximum space for alignment. Compilers do not emit sections that need more. */
#define MAX_PADDING	(16 * 1024 * 1024)

/* The parts of the new file */
struct output {
	struct object *obj;
	Elf *in;
	Elf *out;
	bool add;		/* the new file has signatures */
	__u32 *sections;	/* new index of each old section, 0 if the section is left out */
	size_t nr_sections;	/* number of kept sections, plus the null section */
	__u32 *section_syms;	/* new symbol of each old section, or 0 */
	__u32 *symbols;		/* new index of each old symbol, 0 if the symbol is left out */
	Elf64_Sym *syms;	/* the new symbol table */
	size_t nr_syms;
	size_t nr_locals;	/* number of local symbols in @syms */
	__u32 str_sym;		/* symbol of the section of signatures */
	Elf64_Rela *relas;
	struct arg_sig_site *sites;
	size_t nr_sites;
	char *names;		/* section names, followed by the new names */
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

/* Whether objcopy --strip-debug would leave a section out, except for groups */
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

/* Whether a group loses all of its members, and is left out */
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

/*
 * Map an old index below @nr to the new index; 0 stays 0. Returns false if there is
 * none.
 */
static bool map_index(const __u32 *map, size_t nr, __u32 *index)
{
	if (!*index)
		return true;
	if (*index >= nr)
		return false;
	*index = map[*index];
	return *index;
}

static bool map_section(const struct output *out, __u32 *index)
{
	return map_index(out->sections, out->obj->nr_sections, index);
}

static __u32 add_section_symbol(struct output *out, __u32 shndx)
{
	Elf64_Sym *sym = &out->syms[out->nr_syms];

	memset(sym, 0, sizeof(*sym));
	sym->st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
	sym->st_shndx = shndx;
	return out->nr_syms++;
}

/* Copy symbols, except for the symbols of sections that are left out */
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

/*
 * Make the symbol table. The new symbol goes between the local and the global symbols.
 */
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
					      machine->rel32);
		rela[0].r_addend = site->offset;
		rela[1].r_offset = n * sizeof(*out->sites) +
				   offsetof(struct arg_sig_site, sig);
		rela[1].r_info = ELF64_R_INFO((__u64)out->str_sym, machine->rel32);
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

static bool map_symbol(const struct output *out, __u32 *sym)
{
	return map_index(out->symbols, out->obj->nr_syms, sym);
}

/* Give relocations the new indices of their symbols */
static bool map_relocations(struct output *out, Elf_Data *data)
{
	/* Elf64_Rel is the first part of Elf64_Rela */
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

/* Give a group the new indices of the members that are kept */
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
	copy->d_align = section_is_table(shdr) ? sizeof(__u64) : shdr->sh_addralign ?: 1;
	return elf_flagshdr(scn, ELF_C_SET, ELF_F_DIRTY);
}

/* Map the symbol indices in a section */
static bool map_symbols(struct output *out, size_t index, Elf64_Shdr *shdr, Elf_Data *data)
{
	switch (shdr->sh_type) {
	case SHT_RELA:
	case SHT_REL:
		return !data->d_size || map_relocations(out, data);
	case SHT_GROUP:
		return map_symbol(out, &shdr->sh_info) && map_group(out, index, data);
	case SHT_LLVM_ADDRSIG:
		/* Linkers then ignore the section, as they do after objcopy */
		shdr->sh_link = 0;
		return true;
	case SHT_LLVM_CALL_GRAPH_PROFILE:
		/* The section has only weights. Its relocations have the symbols. */
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

/*
 * A name in the same directory, for mkstemp(): two runs on one file do not write to one
 * output. "make clean" removes such files as well.
 */
static char *temporary_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t dir = slash ? slash - name + 1 : 0;
	char *temp = xcalloc(strlen(name) + 32, 1);

	sprintf(temp, "%.*s.tmp_arg_sigs_%s.XXXXXX", (int)dir, name, name + dir);
	return temp;
}

/*
 * Add the signatures to an object. The object is replaced by a complete new object, or left
 * as it is. Returns NULL, or the error.
 */
const char *object_write(struct object *obj, const struct sigs *sigs, bool strip)
{
	struct output out = { .obj = obj, .add = sigs->nr.sites[REASON_NONE] };
	const char *error = NULL;
	char *temp;
	int fd;

	if (obj->ehdr.e_phnum)
		return "has program headers";

	/* Read the file again, because the relocated mapping differs from the file */
	out.in = elf_begin(obj->fd, ELF_C_READ_MMAP, NULL);
	if (!out.in)
		return "cannot be read again";

	temp = temporary_name(obj->name);
	fd = mkstemp(temp);
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
