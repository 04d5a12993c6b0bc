// SPDX-License-Identifier: GPL-2.0
/*
 * Read the memory of a crashed kernel: variables and structures by their names
 *
 * libkdumpfile reads the file and translates addresses.  The vmlinux has the addresses of
 * variables, and its debug info has the offsets of members.  Nothing in a dump is trusted: each
 * read can fail, and the reason is kept for a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdwelf.h>

#include "arrays.h"
#include "calls.h"
#include "dump.h"
#include "layouts.h"

/* No string of the kernel that is read is longer */
#define STRING_MAX	0x10000

/* The places where a kernel may be: steps, and the size of the space for it */
#define KERNEL_ALIGN	0x200000ULL
#define KERNEL_SPACE	0x40000000ULL

/* A kernel is searched for in this part of the memory */
#define MEMORY_MAX	0x40000000000ULL

/* Keep the reason of a failure. Returns false. */
bool dump_fail(struct dump *dump, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(dump->why, sizeof(dump->why), format, args);
	va_end(args);
	return false;
}

/* Read memory. Returns false if the memory is not in the dump. */
bool dump_read(struct dump *dump, u64 addr, void *bytes, size_t size)
{
	size_t nr = size;

	if (kdump_read(dump->kdump, KDUMP_KVADDR, addr, bytes, &nr) == KDUMP_OK && nr == size)
		return true;
	return dump_fail(dump, "address 0x%llx cannot be read: %s", (unsigned long long)addr,
			 kdump_get_err(dump->kdump) ?: "cut");
}

/* Read a string, which the caller frees. Returns NULL if the string cannot be read. */
char *dump_string(struct dump *dump, u64 addr)
{
	size_t size = 0, room = 0, part;
	char *text = NULL;

	/* Parts do not cross a page, because the next page may be missing */
	do {
		part = 256 - (addr + size) % 256;
		text = array_grow(text, &room, size + part + 1, 1);
		if (!dump_read(dump, addr + size, text + size, part)) {
			free(text);
			return NULL;
		}
		text[size + part] = '\0';
		if (strlen(text) < size + part)
			return text;
		size += part;
	} while (size < STRING_MAX);
	dump_fail(dump, "the string at 0x%llx does not end", (unsigned long long)addr);
	free(text);
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	const struct dump_symbol *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Find the address of a variable of the kernel. Returns false if there is no such variable. */
bool dump_variable(struct dump *dump, const char *name, u64 *addr)
{
	struct dump_symbol key = { .name = (char *)name }, *found;

	found = bsearch(&key, dump->names, dump->nr_names, sizeof(key), compare_names);
	if (!found)
		return dump_fail(dump, "%s has no symbol %s", dump->image, name);
	*addr = found->addr;
	return true;
}

static struct dump_type *find_type(struct dump *dump, const char *name)
{
	unsigned int i;

	for (i = 0; i < dump->nr_types; i++)
		if (!strcmp(dump->types[i].name, name) && dump->types[i].die.addr)
			return &dump->types[i];
	dump_fail(dump, "the debug info of %s has no %s", dump->image, name);
	return NULL;
}

/* Find the place of a member */
static bool find_member(Dwarf_Die *type, const char *name, struct dump_member *member)
{
	Dwarf_Word size = 0;
	Dwarf_Die die, of;
	long bit = 0;

	if (!die_member(type, name, strlen(name), LAYOUT_DEPTH, &die, &bit))
		return false;
	if (die_type(&die, &of) && dwarf_aggregate_size(&of, &size))
		size = 0;
	*member = (struct dump_member){ .offset = bit / 8, .size = size };
	if (size)
		member->bits = die_number(&die, DW_AT_bit_size, 0);
	if (member->bits) {
		member->offset = bit / 8 / size * size;
		member->bit = bit % (8 * size);
	}
	return true;
}

/* Find the debug info of a structure, or of the structures in an array */
static bool find_struct(struct dump *dump, const char *type, Dwarf_Die *die)
{
	struct dump_type *found = find_type(dump, type);

	if (!found)
		return false;
	*die = found->die;
	if (dwarf_tag(die) == DW_TAG_variable &&
	    (!die_type(die, die) ||
	     (dwarf_tag(die) == DW_TAG_array_type && !die_type(die, die))))
		return dump_fail(dump, "the debug info of %s has no type of %s", dump->image, type);
	return true;
}

/*
 * Find the place of a member of a structure. @type is the name of the structure, or "*" and the
 * name of an array of structures. Returns false if there is no such member.
 */
bool dump_member(struct dump *dump, const char *type, const char *name,
		 struct dump_member *member)
{
	Dwarf_Die die;

	if (!find_struct(dump, type, &die))
		return false;
	return find_member(&die, name, member) ||
	       dump_fail(dump, "the debug info of %s has no %s.%s", dump->image, type, name);
}

/* Find the bytes of a structure, see dump_member(). Returns false if they are not known. */
bool dump_size(struct dump *dump, const char *type, u64 *size)
{
	Dwarf_Word word;
	Dwarf_Die die;

	if (!find_struct(dump, type, &die))
		return false;
	if (dwarf_aggregate_size(&die, &word))
		return dump_fail(dump, "the debug info of %s has no size of %s", dump->image, type);
	*size = word;
	return true;
}

/*
 * Find the bytes of a variable, whose name has "*" before it. Returns false if they are not known.
 */
bool dump_extent(struct dump *dump, const char *name, u64 *size)
{
	struct dump_type *found = find_type(dump, name);
	Dwarf_Word word;
	Dwarf_Die type;

	if (!found)
		return false;
	if (!die_type(&found->die, &type) || dwarf_aggregate_size(&type, &word))
		return dump_fail(dump, "the debug info of %s has no size of %s", dump->image, name);
	*size = word;
	return true;
}

/* Find the value of an enumerator. Returns false if there is no such enumerator. */
bool dump_constant(struct dump *dump, const char *name, u64 *val)
{
	struct dump_type *found = find_type(dump, name);

	if (!found)
		return false;
	if (!dwarf_hasattr(&found->die, DW_AT_const_value))
		return dump_fail(dump, "the debug info of %s has no value of %s", dump->image,
				 name);
	*val = die_number(&found->die, DW_AT_const_value, 0);
	return true;
}

/*
 * Read a number or a pointer from a structure. Returns false if there is no such member, or if it
 * cannot be read.
 */
bool dump_take(struct dump *dump, u64 addr, const char *type, const char *name, u64 *val)
{
	struct dump_member member;

	*val = 0;
	if (!dump_member(dump, type, name, &member))
		return false;
	if (!member.size || member.size > sizeof(*val))
		return dump_fail(dump, "%s.%s is not a number", type, name);
	if (!dump_read(dump, addr + member.offset, val, member.size))
		return false;
	if (member.bits && member.bit + member.bits <= 64)
		*val = *val >> member.bit & ~0ULL >> (64 - member.bits);
	return true;
}

/*
 * Find the address of the next element of a list, 0 at the end or if the list is damaged. The
 * caller sets @head, @offset and @back first, and all else to 0.
 */
u64 dump_next(struct dump *dump, struct dump_list *list)
{
	const char *next = list->back ? "prev" : "next", *prev = list->back ? "next" : "prev";
	u64 from = list->node ?: list->head, other;

	list->damaged = !dump_take(dump, from, "list_head", next, &list->node) ||
			!dump_take(dump, list->node, "list_head", prev, &other);
	if (list->damaged)
		return 0;
	if (other != from)
		list->damaged = !dump_fail(dump, "the list is damaged at 0x%llx",
					   (unsigned long long)from);
	else if (list->node != list->head && ++list->nr > DUMP_LIST_MAX)
		list->damaged = !dump_fail(dump, "the list at 0x%llx does not end",
					   (unsigned long long)list->head);
	return list->damaged || list->node == list->head ? 0 : list->node - list->offset;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct dump_symbol *x = a, *y = b;
	bool weak = x->letter == 'w', other = y->letter == 'w';
	size_t low, high;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	/* As scripts/kallsyms.c orders the names of an address */
	if (weak != other)
		return weak - other;
	low = strspn(x->name, "_");
	high = strspn(y->name, "_");
	if (low != high)
		return low < high ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Find the first symbol of the last address up to @addr, NULL if there is none */
const struct dump_symbol *dump_find_symbol(const struct dump *dump, u64 addr)
{
	unsigned int low = 0, high = dump->nr_symbols, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (dump->symbols[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	for (low--; low && dump->symbols[low - 1].addr == dump->symbols[low].addr; low--)
		;
	return &dump->symbols[low];
}

/* Add a symbol, whose name is copied. @module is NULL for a symbol of vmlinux. */
void dump_add_symbol(struct dump *dump, u64 addr, char letter, const char *name,
		     const char *module)
{
	struct dump_symbol *symbol = array_add(&dump->symbols, &dump->nr_symbols,
					       sizeof(*symbol));

	*symbol = (struct dump_symbol){
		.addr	= addr,
		.name	= xstrdup(name),
		.module	= module,
		.order	= dump->nr_symbols,
		.letter	= letter,
	};
}

/* Sort the symbols after all were added */
void dump_sort_symbols(struct dump *dump)
{
	if (dump->nr_symbols)
		qsort(dump->symbols, dump->nr_symbols, sizeof(*dump->symbols), compare_symbols);
}

/* The letter of a symbol in the section */
static char symbol_letter(Elf *elf, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf_getscn(elf, sym->st_shndx);
	bool local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;
	GElf_Shdr shdr;

	if (sym->st_shndx == SHN_ABS || !scn || !gelf_getshdr(scn, &shdr))
		return 0;
	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		return 'w';
	if (!(shdr.sh_flags & SHF_ALLOC))
		return 0;
	if (shdr.sh_flags & SHF_EXECINSTR)
		return local ? 't' : 'T';
	if (shdr.sh_type == SHT_NOBITS)
		return local ? 'b' : 'B';
	return shdr.sh_flags & SHF_WRITE ? local ? 'd' : 'D' : local ? 'r' : 'R';
}

static bool read_symbols(struct dump *dump)
{
	Elf_Data *data = NULL;
	GElf_Shdr shdr = { };
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Sym sym;
	char letter;
	size_t i;

	while ((scn = elf_nextscn(dump->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			break;
	if (scn)
		data = elf_getdata(scn, NULL);
	for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(dump->elf, shdr.sh_link, sym.st_name);
		letter = symbol_letter(dump->elf, &sym);
		if (!name || !*name || !letter ||
		    GELF_ST_TYPE(sym.st_info) == STT_FILE ||
		    GELF_ST_TYPE(sym.st_info) == STT_SECTION)
			continue;
		dump_add_symbol(dump, sym.st_value, letter, name, NULL);
	}
	if (!dump->nr_symbols)
		return dump_fail(dump, "%s has no symbols", dump->image);
	return true;
}

/* Sort the names of vmlinux, after its symbols have their addresses in the dump */
static void sort_names(struct dump *dump)
{
	dump->names = xcalloc(dump->nr_symbols, sizeof(*dump->names));
	memcpy(dump->names, dump->symbols, dump->nr_symbols * sizeof(*dump->names));
	dump->nr_names = dump->nr_symbols;
	qsort(dump->names, dump->nr_names, sizeof(*dump->names), compare_names);
}

/* Read the text that vmlinux has at an address */
static bool image_text(struct dump *dump, u64 addr, char *text, size_t size)
{
	Elf_Data *data;
	GElf_Shdr shdr;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(dump->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    addr < shdr.sh_addr || addr - shdr.sh_addr >= shdr.sh_size)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || data->d_size <= addr - shdr.sh_addr)
			return false;
		snprintf(text, size, "%.*s", (int)(data->d_size - (addr - shdr.sh_addr)),
			 (char *)data->d_buf + (addr - shdr.sh_addr));
		return true;
	}
	return false;
}

/* Whether memory has the text */
static bool has_text(struct dump *dump, kdump_addrspace_t space, u64 addr, const char *text)
{
	size_t size = strlen(text) + 1, nr = size;
	char found[512];

	return kdump_read(dump->kdump, space, addr, found, &nr) == KDUMP_OK && nr == size &&
	       !memcmp(found, text, size);
}

/* Tell libkdumpfile the physical address of the kernel's page tables */
static bool set_tables(struct dump *dump, u64 addr, bool five_levels, const char *banner)
{
	addrxlat_fulladdr_t root = { .addr = addr, .as = ADDRXLAT_KPHYSADDR };
	addrxlat_status status;
	unsigned int major = 0, minor = 0;
	addrxlat_opt_t opts[5];
	addrxlat_ctx_t *ctx;
	addrxlat_sys_t *sys;

	/* libkdumpfile tries to find the tables once, and has to fail before they are set */
	has_text(dump, KDUMP_KPHYSADDR, addr, banner);
	kdump_clear_err(dump->kdump);
	if (kdump_get_addrxlat(dump->kdump, &ctx, &sys) != KDUMP_OK)
		return false;
	addrxlat_opt_arch(&opts[0], KDUMP_ARCH_X86_64);
	addrxlat_opt_os_type(&opts[1], "linux");
	addrxlat_opt_rootpgt(&opts[2], &root);
	addrxlat_opt_virt_bits(&opts[3], five_levels ? 57 : 48);
	if (sscanf(banner, "Linux version %u.%u", &major, &minor) != 2)
		return false;
	addrxlat_opt_version_code(&opts[4], major << 16 | minor << 8);
	status = addrxlat_sys_os_init(sys, ctx, ARRAY_SIZE(opts), opts);
	addrxlat_sys_decref(sys);
	addrxlat_ctx_decref(ctx);
	return status == ADDRXLAT_OK;
}

/*
 * Find the virtual address of the kernel at a physical address, by the kernel's page tables.
 * Returns the bytes by which the kernel was moved in @slide.
 */
static bool find_virtual(struct dump *dump, u64 moved, u64 banner, const char *text, u64 *slide)
{
	size_t size = sizeof(u32);
	u64 tables, five;
	u32 levels = 0;

	if (!dump_variable(dump, "init_top_pgt", &tables))
		return false;
	if (dump_variable(dump, "__pgtable_l5_enabled", &five))
		kdump_read(dump->kdump, KDUMP_MACHPHYSADDR, moved + five, &levels, &size);
	if (!set_tables(dump, moved + tables, levels, text))
		return false;
	for (*slide = 0; *slide < KERNEL_SPACE; *slide += KERNEL_ALIGN)
		if (has_text(dump, KDUMP_KVADDR, banner + *slide, text))
			return true;
	return false;
}

/*
 * Find the kernel if VMCOREINFO does not tell its place: the banner at each place of physical
 * memory where a boot loader or KASLR puts kernels, then the virtual address.  Memory may also
 * have what is left of kernels of earlier boots, as a reset does not clear it.  Returns the bytes
 * by which the kernel was moved in @slide.
 */
static bool search_kernel(struct dump *dump, u64 banner, const char *text, u64 *slide)
{
	u64 start, pos, end, found = 0;
	int nr_banners = 0, nr = 0;
	kdump_num_t pages;

	if (!dump_variable(dump, "_text", &start))
		return false;
	if (kdump_get_number_attr(dump->kdump, "max_pfn", &pages) != KDUMP_OK)
		return dump_fail(dump, "the size of the memory is not known");
	end = min_t(u64, pages * 4096, MEMORY_MAX);
	for (pos = 0; pos < end; pos += KERNEL_ALIGN) {
		if (!has_text(dump, KDUMP_MACHPHYSADDR, pos + banner - start, text))
			continue;
		nr_banners++;
		if (find_virtual(dump, pos - start, banner, text, slide)) {
			found = pos;
			nr++;
		}
	}
	if (nr > 1)
		return dump_fail(dump,
				 "memory also has kernels of earlier boots, and no VMCOREINFO tells which is the last (QEMU: -device vmcoreinfo)");
	if (nr && (nr_banners == 1 || find_virtual(dump, found - start, banner, text, slide)))
		return true;
	return dump_fail(dump, nr_banners ? "the virtual address of the kernel is not found" :
					    "%s is not the kernel of the dump", dump->image);
}

/* Find the address of the kernel, and compare the banners of the dump and of vmlinux */
static bool find_slide(struct dump *dump)
{
	kdump_addr_t at;
	char text[512];
	u64 stext, banner;
	unsigned int i;

	if (!dump_variable(dump, "_stext", &stext) || !dump_variable(dump, "linux_banner", &banner))
		return false;
	if (!image_text(dump, banner, text, sizeof(text)))
		return dump_fail(dump, "%s has no banner", dump->image);
	if (kdump_vmcoreinfo_symbol(dump->kdump, "_stext", &at) == KDUMP_OK)
		dump->slide = at - stext;
	if (!has_text(dump, KDUMP_KVADDR, banner + dump->slide, text) &&
	    !search_kernel(dump, banner, text, &dump->slide))
		return false;
	/* The kernel does not move offsets in per-CPU memory */
	for (i = 0; i < dump->nr_symbols; i++)
		if (dump->symbols[i].addr >= DUMP_CODE)
			dump->symbols[i].addr += dump->slide;
	for (i = 0; i < dump->nr_names; i++)
		if (dump->names[i].addr >= DUMP_CODE)
			dump->names[i].addr += dump->slide;
	return true;
}

/* Keep an entry if it is wanted. A "*" precedes the wanted names of variables. */
static void keep_type(struct dump *dump, Dwarf_Die *die, unsigned int *left)
{
	bool variable = dwarf_tag(die) == DW_TAG_variable;
	const char *name = dwarf_diename(die), *wanted;
	Dwarf_Attribute attr;
	unsigned int i;

	if (!name || dwarf_attr(die, DW_AT_declaration, &attr))
		return;
	for (i = 0; i < dump->nr_types; i++) {
		wanted = dump->types[i].name;
		if (!dump->types[i].die.addr && variable == (*wanted == '*') &&
		    !strcmp(wanted + variable, name)) {
			dump->types[i].die = *die;
			(*left)--;
		}
	}
}

/* Find the wanted types in the units, up to the unit that has the last of them */
static void find_types(struct dump *dump, const char * const *types)
{
	Dwarf_Die unit, die, child;
	unsigned int left = 0;
	Dwarf_CU *cu = NULL;

	for (; *types; types++, left++) {
		struct dump_type *type = array_add(&dump->types, &dump->nr_types,
						   sizeof(*type));

		*type = (struct dump_type){ .name = *types };
	}
	while (left && !dwarf_get_units(dump->dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (dwarf_child(&unit, &die))
			continue;
		do {
			switch (dwarf_tag(&die)) {
			case DW_TAG_structure_type:
			case DW_TAG_variable:
				keep_type(dump, &die, &left);
				break;
			case DW_TAG_enumeration_type:
				if (dwarf_child(&die, &child))
					break;
				do {
					keep_type(dump, &child, &left);
				} while (!dwarf_siblingof(&child, &child));
				break;
			}
		} while (left && !dwarf_siblingof(&die, &die));
	}
}

static bool open_image(struct dump *dump)
{
	GElf_Ehdr ehdr;

	elf_version(EV_CURRENT);
	dump->image_fd = open(dump->image, O_RDONLY | O_CLOEXEC);
	if (dump->image_fd < 0)
		return dump_fail(dump, "%s: %s", dump->image, strerror(errno));
	dump->elf = dwelf_elf_begin(dump->image_fd);
	if (!dump->elf || elf_kind(dump->elf) != ELF_K_ELF || !gelf_getehdr(dump->elf, &ehdr) ||
	    ehdr.e_machine != EM_X86_64)
		return dump_fail(dump, "%s is not a vmlinux of x86-64", dump->image);
	dump->dwarf = dwarf_begin_elf(dump->elf, DWARF_C_READ, NULL);
	if (!dump->dwarf)
		return dump_fail(dump, "%s has no debug info", dump->image);
	return true;
}

static bool open_memory(struct dump *dump)
{
	const char *arch = "";

	dump->fd = open(dump->name, O_RDONLY | O_CLOEXEC);
	if (dump->fd < 0)
		return dump_fail(dump, "%s", strerror(errno));
	dump->kdump = allocated(kdump_new());
	if (kdump_open_fd(dump->kdump, dump->fd) != KDUMP_OK)
		return dump_fail(dump, "not a dump: %s", kdump_get_err(dump->kdump));
	/* QEMU's compressed dump does not name the architecture */
	if (kdump_get_string_attr(dump->kdump, KDUMP_ATTR_ARCH_NAME, &arch) != KDUMP_OK)
		kdump_set_string_attr(dump->kdump, KDUMP_ATTR_ARCH_NAME, KDUMP_ARCH_X86_64);
	else if (strcmp(arch, KDUMP_ARCH_X86_64))
		return dump_fail(dump, "not a dump of x86-64");
	if (kdump_set_string_attr(dump->kdump, KDUMP_ATTR_OSTYPE, "linux") != KDUMP_OK)
		return dump_fail(dump, "not a dump of Linux: %s", kdump_get_err(dump->kdump));
	return true;
}

/*
 * Open a dump and the vmlinux of its kernel. @types are the names of structures, of variables
 * after "*", and of enumerators, with NULL at the end. A name without a type in the debug info is
 * no failure, but then each use of it fails. Returns false after a message if the files cannot be
 * read, or if they are of two kernels. dump_close() frees the memory, also then.
 */
bool dump_open(struct dump *dump, const char *image, const char *name,
	       const char * const *types)
{
	*dump = (struct dump){ .name = name, .image = image, .fd = -1, .image_fd = -1 };
	if (open_image(dump) && open_memory(dump) && read_symbols(dump)) {
		sort_names(dump);
		if (find_slide(dump)) {
			find_types(dump, types);
			return true;
		}
	}
	complain("%s: %s", name, dump->why);
	return false;
}

void dump_close(struct dump *dump)
{
	unsigned int i;

	for (i = 0; i < dump->nr_symbols; i++)
		free(dump->symbols[i].name);
	free(dump->symbols);
	free(dump->names);
	free(dump->types);
	if (dump->dwarf)
		dwarf_end(dump->dwarf);
	if (dump->elf)
		elf_end(dump->elf);
	if (dump->kdump)
		kdump_free(dump->kdump);
	if (dump->fd >= 0)
		close(dump->fd);
	if (dump->image_fd >= 0)
		close(dump->image_fd);
}
