// SPDX-License-Identifier: GPL-2.0
/*
 * Find the instructions of vmlinux and modules that the kernel replaces by alternatives
 *
 * When text is loaded, the kernel chooses for each site in .altinstructions the original
 * instructions or one of the replacements.  It then makes one NOP of the single-byte NOPs that
 * follow each other.
 *
 * A recording does not have the choice.  So the number of instructions at a site is known if
 * it is the same for all choices.  A choice that begins with a branch that is always taken does
 * not count: the site was left by the branch then.
 */
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/* Maximum bytes of a NOP that the kernel makes */
#define NOP_MAX		8

/**
 * struct element - an element of .altinstructions, which differs from kernel to kernel
 * @size: bytes of an element, which begins with the distances to the site and to the replacement
 * @len: offset of the byte with the length of the site
 * @new_len: offset of the byte with the length of the replacement
 */
struct element {
	unsigned int	size;
	unsigned int	len;
	unsigned int	new_len;
};

static const struct element elements[] = { { 14, 12, 13 }, { 12, 10, 11 }, { 13, 10, 11 } };

#define MIN_SIZE	12

#define CODE_FLAGS	(SHF_ALLOC | SHF_EXECINSTR)

/**
 * struct choice_of - a replacement
 * @site: the address of the site in the file
 * @len: bytes of the site
 * @text: the replacement
 * @new_len: bytes of @text
 */
struct choice_of {
	u64		site;
	unsigned int	len;
	const u8	*text;
	unsigned int	new_len;
};

/*
 * Find bytes of the file by their address. Returns NULL if they are not in a section with the
 * flags.
 */
static const u8 *bytes_at(Elf *elf, u64 addr, u64 size, u64 flags)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    (shdr.sh_flags & flags) != flags || addr < shdr.sh_addr)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && addr - shdr.sh_addr < data->d_size &&
		    size <= data->d_size - (addr - shdr.sh_addr))
			return (const u8 *)data->d_buf + (addr - shdr.sh_addr);
	}
	return NULL;
}

/*
 * Write the distances of a relocation section into the bytes of the section @of, as when a
 * module is loaded. Returns false if that is not possible.
 */
static bool relocate(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, const GElf_Shdr *of, u8 *bytes)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	Elf_Scn *names = elf_getscn(elf, shdr->sh_link), *target;
	Elf_Data *symbols = names ? elf_rawdata(names, NULL) : NULL;
	GElf_Shdr there;
	GElf_Rela rela;
	GElf_Sym sym;
	s32 distance;
	int i;

	if (!data || !symbols || !shdr->sh_entsize)
		return false;
	for (i = 0; i < shdr->sh_size / shdr->sh_entsize; i++) {
		if (!gelf_getrela(data, i, &rela) || GELF_R_TYPE(rela.r_info) != R_X86_64_PC32 ||
		    !gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym) ||
		    rela.r_offset + sizeof(distance) > of->sh_size)
			return false;
		target = elf_getscn(elf, sym.st_shndx);
		if (!sym.st_shndx || !target || !gelf_getshdr(target, &there))
			return false;
		distance = there.sh_addr + sym.st_value + rela.r_addend -
			   (of->sh_addr + rela.r_offset);
		memcpy(bytes + rela.r_offset, &distance, sizeof(distance));
	}
	return true;
}

/*
 * Copy the section .altinstructions, and relocate the copy. @bytes is set to NULL if there is
 * no such section. Returns false if the section cannot be read.
 */
static bool read_section(Elf *elf, GElf_Shdr *found, u8 **bytes)
{
	size_t names, index = 0;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;
	const char *name;

	*bytes = NULL;
	if (elf_getshdrstrndx(elf, &names))
		return false;
	while (!index && (scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, found) ? elf_strptr(elf, names, found->sh_name) : NULL;
		if (name && !strcmp(name, ".altinstructions"))
			index = elf_ndxscn(scn);
	}
	if (!index)
		return true;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size != found->sh_size)
		return false;
	*bytes = memcpy(xmalloc(data->d_size), data->d_buf, data->d_size);
	for (scn = NULL; (scn = elf_nextscn(elf, scn));)
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA &&
		    shdr.sh_info == index && !relocate(elf, scn, &shdr, found, *bytes))
			return false;
	return true;
}

static u64 distant(const u8 *field, u64 addr)
{
	s32 distance;

	memcpy(&distance, field, sizeof(distance));
	return addr + distance;
}

/*
 * Read an element of .altinstructions at an address. Returns false if it does not have
 * the form.
 */
static bool read_choice(Elf *elf, const u8 *element, u64 addr, const struct element *form,
			struct choice_of *choice)
{
	choice->site = distant(element, addr);
	choice->len = element[form->len];
	choice->new_len = element[form->new_len];
	choice->text = element;
	if (choice->new_len)
		choice->text = bytes_at(elf, distant(element + 4, addr + 4), choice->new_len,
					SHF_ALLOC);
	return choice->len && choice->new_len <= choice->len && choice->text &&
	       bytes_at(elf, choice->site, choice->len, CODE_FLAGS);
}

static bool read_choices(Elf *elf, const GElf_Shdr *shdr, const u8 *bytes,
			 const struct element *form, struct choice_of *choices)
{
	u64 at;

	if (shdr->sh_size % form->size)
		return false;
	for (at = 0; at < shdr->sh_size; at += form->size)
		if (!read_choice(elf, bytes + at, shdr->sh_addr + at, form,
				 &choices[at / form->size]))
			return false;
	return true;
}

static bool is_long_nop(const u8 *text, unsigned int len)
{
	unsigned int i;

	for (i = 0; i + 1 < len && i < 4; i++)
		if (text[i] == 0x0f && text[i + 1] == 0x1f)
			return true;
	return len > 1 && text[len - 1] == NOP && text[0] == 0x66;
}

/*
 * Count the instructions of a choice, which is filled up with NOPs. Returns 0 if the number is
 * not known, and -1 if the choice begins with a branch that is always taken.
 */
static int count_choice(const u8 *text, unsigned int len, unsigned int size)
{
	u8 bytes[256 + BTS_INSN_MAX];
	unsigned int at, run;
	enum bts_kind kind;
	u64 target;
	int nr = 0;

	memset(bytes, NOP, sizeof(bytes));
	memcpy(bytes, text, len);
	for (at = 0; at < size; at += run, nr++) {
		for (run = 0; at + run < size && bytes[at + run] == NOP; run++)
			;
		if (run > NOP_MAX)
			return 0;
		if (run)
			continue;
		run = code_decode(bytes + at, size - at, at, &kind, &target);
		if (kind != BTS_KIND_NONE)
			return at || kind == BTS_KIND_CONDITIONAL ? 0 : -1;
		/* The kernel may join this NOP with others */
		if (!run || (run < size && is_long_nop(bytes + at, run)))
			return 0;
	}
	return nr;
}

/* Add the site of the first choices, and return their number */
static u64 add_site(struct image *image, Elf *elf, const struct choice_of *choices, u64 nr)
{
	struct alternative *site = &image->sites[image->nr_sites++];
	int insns, all = -1;
	u64 same, i;

	*site = (struct alternative){ .inside = choices->site + image->bias };
	for (same = 0; same < nr && choices[same].site == choices->site; same++)
		site->size = max(site->size, choices[same].len);
	for (i = 0; i <= same; i++) {
		if (i < same)
			insns = count_choice(choices[i].text, choices[i].new_len, site->size);
		else
			insns = count_choice(bytes_at(elf, choices->site, choices->len, CODE_FLAGS),
					     choices->len, site->size);
		if (insns >= 0 && all >= 0 && insns != all)
			insns = 0;
		if (insns >= 0)
			all = insns;
		if (!all)
			break;
	}
	site->insns = max(all, 0);
	return same;
}

static int compare_choices(const void *a, const void *b)
{
	const struct choice_of *one = a, *other = b;

	return one->site < other->site ? -1 : one->site > other->site;
}

static bool add_sites(struct image *image, Elf *elf, const GElf_Shdr *shdr, const u8 *bytes)
{
	struct choice_of *choices = xcalloc(shdr->sh_size / MIN_SIZE + 1, sizeof(*choices));
	u64 nr, at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(elements); i++)
		if (read_choices(elf, shdr, bytes, &elements[i], choices))
			break;
	if (i < ARRAY_SIZE(elements)) {
		nr = shdr->sh_size / elements[i].size;
		qsort(choices, nr, sizeof(*choices), compare_choices);
		image->sites = xcalloc(nr, sizeof(*image->sites));
		for (at = 0; at < nr; at += add_site(image, elf, choices + at, nr - at))
			;
	}
	free(choices);
	return i < ARRAY_SIZE(elements);
}

/* Returns false if the sites are not known */
static bool read_sites(struct image *image)
{
	Elf *elf = dwfl_module_getelf(image->mod, &image->bias);
	u8 *bytes = NULL;
	GElf_Shdr shdr;
	bool known;

	known = elf && read_section(elf, &shdr, &bytes);
	if (known && bytes)
		known = add_sites(image, elf, &shdr, bytes);
	free(bytes);
	return known;
}

/* Whether it is known where an image has alternatives */
bool alternatives_known(struct image *image)
{
	if (!image->read_sites) {
		image->read_sites = true;
		image->known_sites = read_sites(image);
	}
	return image->known_sites;
}

/*
 * Find the site of alternatives that contains an address, NULL if there is none.
 * alternatives_known() comes before.
 */
const struct alternative *alternative_find(const struct image *image, u64 inside)
{
	u32 low = 0, high = image->nr_sites, middle;
	const struct alternative *site;

	while (low < high) {
		middle = low + (high - low) / 2;
		site = &image->sites[middle];
		if (inside >= site->inside + site->size)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == image->nr_sites || inside < image->sites[low].inside)
		return NULL;
	return &image->sites[low];
}
