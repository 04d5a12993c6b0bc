// SPDX-License-Identifier: GPL-2.0
/*
 * Print the signatures of an object as text, and what decided the place of each parameter
 *
 * Strategy of --debug: debug_evidence() notes what the ABI and the location say, before clone.c
 * decides on the place, and sets @why of the place.  debug_function() prints a line for each
 * parameter when the signature is complete. Documentation/kbuild/gen_arg_sigs.rst describes
 * the line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* Print a site and its signature. @shndx: the site's section; 0 in a linked file. */
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

/* In a relocatable object, the relocations of the table have the sites' addresses */
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
			return ERROR("malformed table");
		text = string_at(strs, obj->syms[sig].st_value + relas[i + 1].r_addend);
		if (!text)
			return ERROR("malformed table");
		object_dump_site(obj, obj->syms[func].st_shndx,
				 obj->syms[func].st_value + relas[i].r_addend, text,
				 addresses);
	}
	return NULL;
}

/*
 * The table of a linked file; @addr becomes its address, @nr the number of its entries.
 * An image has the table in init data, between two symbols.
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
		*addr = object_symbol_value(obj, "__start_arg_sigs");
		size = object_symbol_value(obj, "__stop_arg_sigs") - *addr;
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
		return ERROR("malformed table");
	for (i = 0; i < nr; i++) {
		__u64 here = addr + i * sizeof(*site);
		const char *s;

		s = string_at(text, here + offsetof(struct arg_sig_site, sig) +
				    (__s32)site[i].sig - base);
		if (!s)
			return ERROR("malformed table");
		object_dump_site(obj, 0, here + (__s32)site[i].func, s, addresses);
	}
	return NULL;
}

/* Print the signatures of an object, a module or an image. Returns NULL, or what is wrong. */
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
	if (!data || (!table && object_is_relocatable(obj)))
		return ERROR("malformed table");
	error = object_is_relocatable(obj) ? dump_relocatable(obj, table, data, addresses) :
				      dump_linked(obj, table, strs, addresses);
	if (error)
		return error;

	data = types ? section_data(obj->elf, types) : NULL;
	for (pos = 0; data && (s = string_at(data, pos)); pos += strlen(s) + 1)
		if (*s)
			printf("type\t%s\n", s);
	return NULL;
}

static void add_place(struct text *out, const struct abi_place *place)
{
	unsigned int i;

	if (place->reference && abi_slot(place, 0) != '-')
		text_add(out, "&");
	for (i = 0; i < place->longs && i < ARG_SIGS_MAX_LONGS; i++)
		text_addf(out, "%c", abi_slot(place, i));
}

static void add_location(struct text *out, const struct evidence *ev)
{
	static const char * const names[] = {
		[EVIDENCE_NOWHERE]	= "none",
		[EVIDENCE_LATER]	= "later",
		[EVIDENCE_VALUE]	= "value",
		[EVIDENCE_ELSEWHERE]	= "elsewhere",
		[EVIDENCE_FOREIGN]	= "foreign",
	};

	if (ev->kind != EVIDENCE_PLACE) {
		text_add(out, names[ev->kind]);
		return;
	}
	text_addf(out, "%c", ev->word >= 0 ? 'A' + ev->word : ev->slots[0]);
	if (ev->word < 0 && ev->slots[1] != '-')
		text_addf(out, "%c", ev->slots[1]);
}

/* Note what the ABI and the locations say about the parameters */
void debug_evidence(struct prototype *proto, const struct evidence *evs)
{
	struct abi_state state;
	struct abi_place place;
	size_t i;

	abi_begin(&state, proto->ret.exists ? &proto->ret.type : NULL, proto->compiler.clang);
	for (i = 0; i < proto->nr_params; i++) {
		struct param *param = &proto->params[i];
		struct text text = {};

		machine->abi_next(&state, &param->type, -1, &place);
		text_add(&text, "abi=");
		add_place(&text, &place);
		text_add(&text, " location=");
		add_location(&text, &evs[i]);
		param->evidence = text.buf;
	}
}

/* The decision on a parameter: its place or what replaces it, and the reason */
static void add_decision(struct text *out, const struct param *param)
{
	const struct abi_place *place = &param->place;

	if (param->removed)
		text_add(out, ".");
	else
		add_place(out, place);
	if (param->removed && param->has_constant)
		text_addf(out, "=%lld", (long long)param->constant);
	text_add(out, " (");
	if (place->reason)
		text_addf(out, "%s%s", reason_names[place->reason], place->why ? ": " : "");
	text_addf(out, "%s)", place->why ?: "");
}

/* Print what decided the places of a function's parameters */
void debug_function(const struct sigs *sigs, const struct site *site,
		    const struct prototype *proto)
{
	const char *name = site->symbol ?: "?";
	struct text line = {};
	size_t i;

	if (site->reason) {
		fprintf(stderr, "%s: no signature (%s%s%s)\n", name, reason_names[site->reason],
			sigs->malformed ? ": " : "", sigs->malformed ?: "");
		return;
	}
	for (i = 0; i < proto->nr_params; i++) {
		const struct param *param = &proto->params[i];
		Dwarf_Die die = param->die;

		text_reset(&line);
		add_decision(&line, param);
		fprintf(stderr, "%s %s: %s -> %s\n", name, dwarf_diename(&die) ?: "?",
			param->evidence, line.buf);
		free(param->evidence);
	}
	if (proto->ret.exists && !proto->ret.kept)
		fprintf(stderr, "%s return: -> ? (clone: no caller is known to use it)\n", name);
	else if (proto->ret.exists && proto->ret.place == ABI_RETURN_UNKNOWN)
		fprintf(stderr, "%s return: -> ? (the registers may not have it)\n", name);
	free(line.buf);
}
