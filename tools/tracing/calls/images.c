// SPDX-License-Identifier: GPL-2.0
/*
 * Find the recorded code in vmlinux and modules
 *
 * The format of the event ftrace:bts has the build ID of the kernel.  A vmlinux with
 * another build ID is refused.  Recordings of earlier kernels have no build ID, and no
 * recording has the build IDs of modules.  In these cases, the symbols in the recording
 * are compared with the symbols of the file.  Each function of the file has to be in the
 * recording.  The comparison also finds the address of a module.  There, each recorded symbol
 * has to be in the file, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../traceevent/bts_event.h"
#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/* The addresses of modules */
#define MODULES_FIRST	0xffffffffa0000000ULL
#define MODULES_LAST	0xffffffffff000000ULL
#define PAGE_SIZE	4096

#define MAX_SECTIONS	65536

#define PAIRS_BITS	12

/*
 * The text before the build ID in the format of ftrace:bts, and maximum characters of the
 * build ID
 */
#define BUILD_ID	"build-id:"
#define BUILD_ID_CHARS	40

/* The places of vmlinux in distributions and builds */
static const char * const patterns[] = {
	"vmlinux",
	"/usr/lib/debug/boot/vmlinux-*",
	"/usr/lib/debug/lib/modules/*/vmlinux",
	"/lib/modules/*/build/vmlinux",
	"/lib/modules/*/vmlinux",
	"/boot/vmlinux-*",
};

static struct image *images;

/* The files that the user has named */
static const char **named;
static unsigned int nr_named;

/* libdwfl's own functions, for files that are not mapped at their addresses */
const Dwfl_Callbacks image_callbacks = {
	.find_elf		= dwfl_build_id_find_elf,
	.find_debuginfo		= dwfl_standard_find_debuginfo,
	.section_address	= dwfl_offline_section_address,
};

/* Find a pair, or add it */
struct pair *pair_find(struct hash *hash, u64 first, u64 last)
{
	u64 key = first ^ (last << 32 | last >> 32);
	struct hash_node *node;
	struct pair *pair;

	if (!hash->slots && !hash_init(hash, PAIRS_BITS))
		out_of_memory();
	for (node = *hash_slot(hash, key); node; node = node->next) {
		pair = container_of(node, struct pair, node);
		if (pair->first == first && pair->last == last)
			return pair;
	}
	pair = xcalloc(1, sizeof(*pair));
	pair->first = first;
	pair->last = last;
	hash_add(hash, &pair->node, key);
	return pair;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *one = a, *other = b;

	if (one->first != other->first)
		return one->first < other->first ? -1 : 1;
	return one->last < other->last ? -1 : one->last > other->last;
}

/* Find the pairs of a hash in the order of their addresses. The caller frees them. */
struct pairs pairs_sort(const struct hash *hash)
{
	struct pair *pairs = xcalloc(hash->nr, sizeof(*pairs));
	struct hash_node *node;
	unsigned int i;
	u32 nr = 0;

	for (i = 0; nr < hash->nr; i++)
		for (node = hash->slots[i]; node; node = node->next)
			pairs[nr++] = *container_of(node, struct pair, node);
	qsort(pairs, nr, sizeof(*pairs), compare_pairs);
	return (struct pairs){ pairs, nr };
}

void image_close(struct image *image)
{
	hash_free(&image->ranges, NULL);
	hash_free(&image->taken, NULL);
	dwfl_end(image->dwfl);
	free(image->codes);
	free(image->root);
	free(image->sites);
	free(image);
}

/*
 * Find the build ID of a file, "" if it has none. The ID is cut to the digits in a
 * recording.
 */
static void find_id(const struct image *image, char id[BUILD_ID_CHARS + 1])
{
	const unsigned char *bits;
	GElf_Addr addr;
	int nr, i;

	id[0] = '\0';
	dwfl_module_getelf(image->mod, &addr);
	nr = dwfl_module_build_id(image->mod, &bits, &addr);
	for (i = 0; i < min(nr, BUILD_ID_CHARS / 2); i++)
		sprintf(id + 2 * i, "%02x", bits[i]);
}

/* Find the build ID in a recording, "" if it has none */
static void find_recorded_id(struct tep_handle *tep, char id[BUILD_ID_CHARS + 1])
{
	struct tep_event *event = tep_find_event_by_name(tep, "ftrace", "bts");
	struct tep_print_arg *arg = event ? event->print_fmt.args : NULL;
	size_t len = strlen(BUILD_ID);

	id[0] = '\0';
	for (; arg; arg = arg->next) {
		if (arg->type == TEP_PRINT_ATOM && arg->atom.atom &&
		    !strncmp(arg->atom.atom, BUILD_ID, len)) {
			snprintf(id, BUILD_ID_CHARS + 1, "%s", arg->atom.atom + len);
			id[strspn(id, "0123456789abcdef")] = '\0';
		}
	}
}

/* Compare build IDs. In the recording, zeros follow a short build ID. */
static bool same_build_id(const char *recorded, const char *id)
{
	size_t len = strlen(id);

	return len && !strncmp(recorded, id, len) &&
	       strspn(recorded + len, "0") == strlen(recorded + len);
}

/*
 * Find the places of the sections in a loaded module's code, IMAGE_FREED for other sections. The
 * kernel places all sections with code one after the other, except for the code that is freed
 * after the module's start. With CONFIG_MODULE_UNLOAD, @unload, it keeps the code for the module's
 * end. The caller frees the places. Returns NULL if the file is malformed.
 */
u64 *image_places(Elf *elf, bool unload, size_t *nr)
{
	u64 *places, pos = 0, align;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	const char *name;
	size_t strs, i;

	if (elf_getshdrnum(elf, nr) || elf_getshdrstrndx(elf, &strs) || *nr > MAX_SECTIONS)
		return NULL;
	places = xcalloc(*nr + 1, sizeof(*places));
	while ((scn = elf_nextscn(elf, scn))) {
		i = elf_ndxscn(scn);
		places[i] = IMAGE_FREED;
		if (!gelf_getshdr(scn, &shdr)) {
			free(places);
			return NULL;
		}
		name = elf_strptr(elf, strs, shdr.sh_name);
		if (!name || !(shdr.sh_flags & SHF_ALLOC) || !(shdr.sh_flags & SHF_EXECINSTR) ||
		    !strncmp(name, ".init", strlen(".init")) ||
		    (!unload && !strncmp(name, ".exit", strlen(".exit"))))
			continue;
		align = shdr.sh_addralign ?: 1;
		pos = (pos + align - 1) / align * align;
		places[i] = pos;
		pos += shdr.sh_size;
	}
	return places;
}

static bool read_codes(struct image *image)
{
	Elf *elf = dwfl_module_getelf(image->mod, &image->bias);
	GElf_Ehdr head;
	Elf_Scn *scn = NULL;
	size_t nr;

	if (!elf || !gelf_getehdr(elf, &head) || elf_getshdrnum(elf, &nr) ||
	    head.e_machine != EM_X86_64 || gelf_getclass(elf) != ELFCLASS64)
		return false;
	image->is_module = head.e_type == ET_REL;
	image->codes = xcalloc(nr + 1, sizeof(*image->codes));
	while ((scn = elf_nextscn(elf, scn))) {
		struct code *code = &image->codes[image->nr];
		Elf_Data *data;
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
		    !(shdr.sh_flags & SHF_EXECINSTR) || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf || image->nr > nr)
			continue;
		code->index = elf_ndxscn(scn);
		code->inside = shdr.sh_addr + image->bias;
		code->offset = shdr.sh_offset;
		code->size = min_t(u64, shdr.sh_size, data->d_size);
		code->text = data->d_buf;
		image->nr++;
	}
	return image->nr;
}

/*
 * Read the code of a file. The image owns @fd, or @fd is closed. Returns NULL if the file has no
 * code of x86-64.
 */
struct image *image_open(const char *name, int fd)
{
	struct image *image;

	if (out_is(name)) {
		close(fd);
		return NULL;
	}
	image = xcalloc(1, sizeof(*image));
	image->name = name;
	image->dwfl = allocated(dwfl_begin(&image_callbacks));
	image->mod = dwfl_report_offline(image->dwfl, name, name, fd);
	if (image->mod && !dwfl_report_end(image->dwfl, NULL, NULL) && read_codes(image))
		return image;
	if (!image->mod)
		close(fd);
	image_close(image);
	return NULL;
}

static struct code *find_code(const struct image *image, size_t index)
{
	unsigned int i;

	for (i = 0; i < image->nr; i++)
		if (image->codes[i].index == index)
			return &image->codes[i];
	return NULL;
}

/*
 * Find symbol @i of an image.  Returns NULL if the symbol is not in code, or is not a function and
 * @any is not set.
 */
static const char *symbol(const struct image *image, int i, bool any, struct code **code,
			  u64 *inside, u64 *size)
{
	GElf_Word index;
	GElf_Addr addr;
	const char *name;
	GElf_Sym sym;

	name = dwfl_module_getsym_info(image->mod, i, &sym, &addr, &index, NULL, NULL);
	if (!name || !*name || (!any && GELF_ST_TYPE(sym.st_info) != STT_FUNC))
		return NULL;
	*code = find_code(image, index);
	*inside = addr;
	*size = sym.st_size;
	return *code ? name : NULL;
}

static const char *function(const struct image *image, int i, struct code **code,
			    u64 *inside, u64 *size)
{
	return symbol(image, i, false, code, inside, size);
}

static bool is_recorded(struct tep_handle *tep, u64 addr)
{
	return tep_find_function_address(tep, addr) == addr;
}

/* Count the functions that the recording has, and the functions that it lacks */
static void count_recorded(const struct image *image, struct tep_handle *tep,
			   unsigned int *found, unsigned int *missing)
{
	int nr = dwfl_module_getsymtab(image->mod), i;
	struct code *code;
	u64 inside, size;

	for (i = 0; i < nr; i++) {
		if (!function(image, i, &code, &inside, &size))
			continue;
		if (is_recorded(tep, code->start + inside - code->inside))
			(*found)++;
		else
			(*missing)++;
	}
}

/* Find the address of a symbol of vmlinux in the file, 0 if there is no such symbol */
static u64 find_first(const struct image *image, const char *first)
{
	int nr = dwfl_module_getsymtab(image->mod), i;
	const char *name;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 0; i < nr; i++) {
		name = dwfl_module_getsym_info(image->mod, i, &sym, &addr, NULL, NULL, NULL);
		if (name && !strcmp(name, first))
			return addr;
	}
	return 0;
}

/* Find the address of vmlinux, which KASLR moves. Returns false if it is not known. */
static bool place_vmlinux(struct image *image, struct tep_handle *tep)
{
	u64 base = bts_image_base(tep), first;
	unsigned int i;

	if (!base)
		return false;
	/* Each symbol that may be at the base marks the start of the image */
	first = find_first(image, "_text") ?: find_first(image, "_stext");
	if (!first)
		return false;
	for (i = 0; i < image->nr; i++)
		image->codes[i].start = image->codes[i].inside - first + base;
	return true;
}

static bool check_vmlinux(struct image *image, struct tep_handle *tep,
			  const char *recording)
{
	char id[BUILD_ID_CHARS + 1], recorded[BUILD_ID_CHARS + 1];
	unsigned int found = 0, missing = 0;

	find_id(image, id);
	find_recorded_id(tep, recorded);
	if (*recorded && !same_build_id(recorded, id)) {
		complain("%s: another kernel: its build ID is %s, that of %s is %s",
			 image->name, *id ? id : "missing", recording, recorded);
		return false;
	}
	if (!place_vmlinux(image, tep)) {
		complain("%s: where it was is not known: %s has no symbols of the image",
			 image->name, recording);
		return false;
	}
	if (*recorded)
		return true;
	count_recorded(image, tep, &found, &missing);
	if (found && !missing)
		return true;
	complain("%s: another kernel (build ID %s): %s has none, and lacks %u of %u functions",
		 image->name, *id ? id : "missing", recording, missing, found + missing);
	return false;
}

/**
 * struct name - a symbol of a module's code
 * @text: the name
 * @place: its place in the module's code
 * @is_function: the symbol is a function
 */
struct name {
	const char	*text;
	u64		place;
	bool		is_function;
};

/**
 * struct names - the symbols of a module's code
 * @names: the symbols, by their names
 * @nr: number of symbols
 * @end: the end of the code
 */
struct names {
	struct name	*names;
	unsigned int	nr;
	u64		end;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* Read the symbols of the code that the kernel keeps.  Returns false if there is no function. */
static bool read_names(struct image *image, bool unload, struct names *names)
{
	int nr = dwfl_module_getsymtab(image->mod), i;
	bool has_functions = false;
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(image->mod, &bias);
	size_t nr_sections;
	u64 inside, size, *places = elf ? image_places(elf, unload, &nr_sections) : NULL;
	struct code *code;

	*names = (struct names){ };
	if (!places)
		return false;
	for (i = 0; i < image->nr; i++) {
		code = &image->codes[i];
		code->place = places[code->index];
		if (code->place != IMAGE_FREED)
			names->end = max(names->end, code->place + code->size);
	}
	free(places);
	names->names = xcalloc(max(nr, 1), sizeof(*names->names));
	for (i = 0; i < nr; i++) {
		struct name *name = &names->names[names->nr];

		name->is_function = function(image, i, &code, &inside, &size);
		name->text = symbol(image, i, true, &code, &inside, &size);
		if (!name->text || code->place == IMAGE_FREED)
			continue;
		name->place = code->place + (inside - code->inside);
		has_functions |= name->is_function;
		names->nr++;
	}
	qsort(names->names, names->nr, sizeof(*names->names), compare_names);
	return has_functions;
}

/* Find the first symbol with a name, NULL if there is none */
static const struct name *find_name(const struct names *names, const char *text)
{
	const struct name key = { .text = text }, *name;

	name = text ? bsearch(&key, names->names, names->nr, sizeof(key), compare_names) : NULL;
	while (name && name > names->names && !compare_names(name - 1, &key))
		name--;
	return name;
}

/* Find the symbol after @name that has the same name, NULL if there is none */
static const struct name *next_name(const struct names *names, const struct name *name)
{
	return name + 1 < names->names + names->nr && !compare_names(name, name + 1) ?
	       name + 1 : NULL;
}

static bool has_name(const struct names *names, const char *text, u64 place)
{
	const struct name *name = find_name(names, text);

	while (name && name->place != place)
		name = next_name(names, name);
	return name;
}

/*
 * Whether the code of a module was at @start: the recording has all of its functions, and has no
 * other symbols there
 */
static bool was_at(const struct names *names, struct tep_handle *tep, u64 start)
{
	unsigned int i;
	u64 addr, end;

	for (i = 0; i < names->nr; i++)
		if (names->names[i].is_function && !is_recorded(tep, start + names->names[i].place))
			return false;
	for (end = start + names->end; end > start; end = addr) {
		addr = tep_find_function_address(tep, end - 1);
		/* The last symbol has no size, so it is found only at its first byte */
		if (!addr) {
			addr = end - 1;
			continue;
		}
		if (addr < start)
			break;
		if (!has_name(names, tep_find_function(tep, addr), addr - start))
			return false;
	}
	return true;
}

/*
 * Find the address of a module's code, 0 if the recording does not have the module.  A recording
 * has the symbols of the modules that were loaded at its end.  libtraceevent has no list of
 * symbols, but finds the symbol before an address.
 */
static u64 find_start(const struct names *names, struct tep_handle *tep)
{
	const struct name *name;
	u64 addr, end;

	for (end = MODULES_LAST; end > MODULES_FIRST; end = addr) {
		addr = tep_find_function_address(tep, end - 1);
		/* The last symbol has no size, so it is found only at its first byte */
		if (!addr) {
			addr = tep_find_function_address(tep, end - PAGE_SIZE - 1) ?
			       end - 1 : end - PAGE_SIZE;
			continue;
		}
		for (name = find_name(names, tep_find_function(tep, addr)); name;
		     name = next_name(names, name))
			if (was_at(names, tep, addr - name->place))
				return addr - name->place;
	}
	return 0;
}

/* Find the address of a module.  A kernel without CONFIG_MODULE_UNLOAD keeps less code. */
static bool place_module(struct image *image, struct tep_handle *tep,
			 const char *recording)
{
	struct names names;
	bool unload = true;
	u64 start = 0;
	unsigned int i;

	do {
		if (read_names(image, unload, &names))
			start = find_start(&names, tep);
		free(names.names);
		unload = !unload;
	} while (!start && !unload);
	if (!start)
		complain("%s: not a module that %s has all symbols of", image->name,
			 recording);
	for (i = 0; start && i < image->nr; i++)
		if (image->codes[i].place != IMAGE_FREED)
			image->codes[i].start = start + image->codes[i].place;
	return start;
}

/* Add an image, which images_close() frees */
void images_add(struct image *image)
{
	struct image **at = &images;

	while (*at)
		at = &(*at)->next;
	*at = image;
}

/* Search for vmlinux by its build ID */
static void find_vmlinux(struct tep_handle *tep)
{
	char id[BUILD_ID_CHARS + 1], recorded[BUILD_ID_CHARS + 1];
	struct image *image;
	unsigned int i;
	glob_t found;
	size_t nr;
	int fd;

	find_recorded_id(tep, recorded);
	for (i = 0; *recorded && !images && i < ARRAY_SIZE(patterns); i++) {
		if (glob(patterns[i], 0, NULL, &found))
			continue;
		for (nr = 0; nr < found.gl_pathc && !images; nr++) {
			fd = open(found.gl_pathv[nr], O_RDONLY | O_CLOEXEC);
			image = fd >= 0 ? image_open(found.gl_pathv[nr], fd) : NULL;
			if (!image)
				continue;
			find_id(image, id);
			image->name = NULL;
			if (same_build_id(recorded, id) && place_vmlinux(image, tep))
				images_add(image);
			else
				image_close(image);
		}
		globfree(&found);
	}
}

/* Name a vmlinux or a module that images_open() opens */
void images_name(const char *file)
{
	*(const char **)array_add(&named, &nr_named, sizeof(file)) = file;
}

/*
 * Open the files that were named, or search for vmlinux by its build ID. Returns false after a
 * message if a file does not belong to the recorded kernel.
 */
bool images_open(struct tep_handle *tep, const char *recording)
{
	struct image *image;
	unsigned int i;
	int fd;

	for (i = 0; i < nr_named; i++) {
		if (out_is(named[i]))
			return false;
		fd = open(named[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			complain("%s: %s", named[i], strerror(errno));
			return false;
		}
		image = image_open(named[i], fd);
		if (!image) {
			complain("%s: no vmlinux or module of x86-64 with code", named[i]);
			return false;
		}
		if (image->is_module ? !place_module(image, tep, recording) :
				       !check_vmlinux(image, tep, recording)) {
			image_close(image);
			return false;
		}
		images_add(image);
	}
	if (!nr_named)
		find_vmlinux(tep);
	return true;
}

void images_close(void)
{
	struct image *image;

	while ((image = images)) {
		images = image->next;
		image_close(image);
	}
	free(named);
}

struct image *images_all(void)
{
	return images;
}

/* Find the section of code at an address of libdwfl, NULL if there is no code */
const struct code *image_code(const struct image *image, u64 inside)
{
	const struct code *code;

	for (code = image->codes; code < image->codes + image->nr; code++)
		if (inside >= code->inside && inside - code->inside < code->size)
			return code;
	return NULL;
}

/*
 * Find code at an address of libdwfl. Returns the bytes of code from the address on, 0 if there is
 * none.
 */
unsigned int image_text(const struct image *image, u64 inside, const u8 **text)
{
	const struct code *code = image_code(image, inside);

	if (!code)
		return 0;
	*text = code->text + (inside - code->inside);
	return min_t(u64, code->size - (inside - code->inside), UINT_MAX);
}

/*
 * Find the image that contains an address, NULL if none does. @inside may be NULL, or is set to
 * the address according to libdwfl.
 */
struct image *image_find(u64 addr, u64 *inside)
{
	const struct code *code;
	struct image *image;

	for (image = images; image; image = image->next) {
		for (code = image->codes; code < image->codes + image->nr; code++) {
			if (!code->start || addr < code->start || addr - code->start >= code->size)
				continue;
			if (inside)
				*inside = addr - code->start + code->inside;
			return image;
		}
	}
	return NULL;
}

/*
 * Visit all functions of an image. The visitor gets the function's name, its address according to
 * libdwfl and its size.
 */
void image_functions(struct image *image,
		     void (*func)(struct image *image, const char *name, u64 inside, u64 size))
{
	int nr = dwfl_module_getsymtab(image->mod), i;
	u64 inside, size;
	struct code *code;
	const char *name;

	for (i = 0; i < nr; i++) {
		name = function(image, i, &code, &inside, &size);
		if (!name || !size || inside < code->inside ||
		    inside - code->inside >= code->size ||
		    size > code->size - (inside - code->inside))
			continue;
		func(image, name, inside, size);
	}
}
