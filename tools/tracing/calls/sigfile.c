// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of a vmlinux or a module, for a file of signatures
 *
 * Strategy: run the generator, scripts/gen_arg_sigs, in a child, and read its list of
 * functions.  The child frees all memory of the generator, and DWARF that the generator
 * cannot read does not end this program.  The symbol table has all names of a function, and
 * the section headers tell where the kernel places a module's code.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <gelf.h>

#include "arrays.h"
#include "calls.h"
#include "images.h"
#include "sigfile.h"

#define KNOWN_BITS	10

/* The traced address follows an ENDBR64 of 4 bytes, or a BTI and a NOP of arm64 */
#define MAX_OFFSET	8

/**
 * struct known - a signature in the text
 * @node: the element of the hash
 * @at: its place in the text
 */
struct known {
	struct hash_node	node;
	size_t			at;
};

/**
 * struct name - a symbol of code
 * @shndx: the section of a module's symbol, 0 in a vmlinux
 * @value: the place in the section, the address in a vmlinux
 * @text: the name
 */
struct name {
	size_t		shndx;
	u64		value;
	const char	*text;
};

/**
 * struct found - a function that the generator has found
 * @at: bytes from _text, or from the start of the module's code
 * @shndx: its section, see struct name
 * @value: its place, see struct name
 * @sig: the place of the signature in the text
 */
struct found {
	u64	at;
	size_t	shndx;
	u64	value;
	size_t	sig;
};

/**
 * struct source - an ELF file whose signatures are read
 * @path: the file's name
 * @elf: the file
 * @is_module: the file is a module
 * @text: the address of _text in a vmlinux
 * @starts: the places of the sections in the module's code; IMAGE_FREED for others
 * @nr_sections: number of sections
 * @names: the symbols, by their place
 * @nr_names: number of symbols
 * @found: the functions
 * @nr_found: number of functions
 */
struct source {
	const char	*path;
	Elf		*elf;
	bool		is_module;
	u64		text;
	u64		*starts;
	size_t		nr_sections;
	struct name	*names;
	unsigned int	nr_names;
	struct found	*found;
	unsigned int	nr_found;
};

static void text_add(struct sig_text *text, const char *s, size_t len)
{
	text->buf = array_grow(text->buf, &text->room, text->len + len, 1);
	memcpy(text->buf + text->len, s, len);
	text->len += len;
}

/* Add a text and the "~" after it */
static void text_add_item(struct sig_text *text, const char *s)
{
	text_add(text, s, strlen(s));
	text_add(text, "~", 1);
}

/* Add a number in the digits of Documentation/trace/arg-sigs-format.rst */
static void text_add_varint(struct sig_text *text, u64 val)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (; val >= 32; val >>= 5)
		text_add(text, &digits[val % 32 + 32], 1);
	text_add(text, &digits[val], 1);
}

static bool is_at(const struct sig_text *text, size_t at, const char *sig)
{
	size_t len = strlen(sig);

	return text->len - at > len && !memcmp(text->buf + at, sig, len) &&
	       text->buf[at + len] == '~';
}

/* Find the place of a signature in the text, or add it */
static size_t find_sig(struct sig_text *text, const char *sig)
{
	u64 key = hash_text(HASH_TEXT, sig);
	struct hash_node *node;
	struct known *known;

	for (node = *hash_slot(&text->known, key); node; node = node->next) {
		known = container_of(node, struct known, node);
		if (node->key == key && is_at(text, known->at, sig))
			return known->at;
	}
	known = xcalloc(1, sizeof(*known));
	known->at = text->len;
	hash_add(&text->known, &known->node, key);
	text_add_item(text, sig);
	return known->at;
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->shndx != y->shndx)
		return x->shndx < y->shndx ? -1 : 1;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return strcmp(x->text, y->text);
}

static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static bool is_code(const GElf_Shdr *shdr)
{
	return shdr->sh_flags & SHF_ALLOC && shdr->sh_flags & SHF_EXECINSTR;
}

static void add_name(struct source *source, size_t shndx, u64 value, const char *text)
{
	struct name *name = array_add(&source->names, &source->nr_names, sizeof(*name));

	*name = (struct name){
		.shndx	= source->is_module ? shndx : 0,
		.value	= value,
		.text	= text,
	};
}

/* Read the names of code, and find _text */
static void read_names(struct source *source, Elf_Scn *scn, const GElf_Shdr *table)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr shdr;
	GElf_Sym sym;
	const char *name;
	Elf_Scn *code;
	int i;

	for (i = 1; data && gelf_getsym(data, i, &sym); i++) {
		int type = GELF_ST_TYPE(sym.st_info);

		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE ||
		    (type != STT_FUNC && type != STT_NOTYPE))
			continue;
		code = elf_getscn(source->elf, sym.st_shndx);
		name = elf_strptr(source->elf, table->sh_link, sym.st_name);
		if (!code || !gelf_getshdr(code, &shdr) || !is_code(&shdr) || !name || !*name)
			continue;
		if (!source->is_module && !strcmp(name, "_text"))
			source->text = sym.st_value;
		add_name(source, sym.st_shndx, sym.st_value, name);
	}
	if (source->nr_names)
		qsort(source->names, source->nr_names, sizeof(*source->names), compare_names);
}

static void read_symbols(struct source *source)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(source->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB) {
			read_names(source, scn, &shdr);
			return;
		}
}

/* Find the contents of a section; NULL if the file has no such section */
static Elf_Data *find_section(const struct source *source, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t strs;

	if (elf_getshdrstrndx(source->elf, &strs))
		return NULL;
	while ((scn = elf_nextscn(source->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_PROGBITS &&
		    !strcmp(elf_strptr(source->elf, strs, shdr.sh_name) ?: "", name))
			return elf_rawdata(scn, NULL);
	return NULL;
}

/* Find the release in the text of linux_banner, if the file has the text */
static void read_release(struct source *source, struct sig_maker *maker)
{
	static const char banner[] = "Linux version ";
	Elf_Data *data = find_section(source, ".rodata");
	const char *found;

	found = data ? memmem(data->d_buf, data->d_size, banner, strlen(banner)) : NULL;
	if (!found)
		return;
	found += strlen(banner);
	snprintf(maker->release, sizeof(maker->release), "%.*s", (int)strcspn(found, " ;~"), found);
}

static void read_build_id(struct source *source, struct sig_maker *maker)
{
	const void *bits;
	ssize_t nr = dwelf_elf_gnu_build_id(source->elf, &bits), i;

	for (i = 0; i < nr && i < sizeof(maker->build_id) / 2; i++)
		sprintf(maker->build_id + 2 * i, "%02x", ((const u8 *)bits)[i]);
}

/* Find the name of a module in what modpost writes about it, NULL if it is not there */
static const char *find_name(const struct source *source)
{
	static const char name[] = "name=";
	Elf_Data *data = find_section(source, ".modinfo");
	const char *p;
	size_t pos;

	if (!data || !data->d_size || ((char *)data->d_buf)[data->d_size - 1])
		return NULL;
	for (pos = 0; pos < data->d_size; pos += strlen(p) + 1) {
		p = data->d_buf + pos;
		if (!strncmp(p, name, strlen(name)))
			return strpbrk(p, "~;\"\\%") ? NULL : p + strlen(name);
	}
	return NULL;
}

/* A module that does not have its name has the name of its file, up to the first dot */
static void read_name(const struct source *source, struct sig_maker *maker)
{
	const char *base = strrchr(source->path, '/'), *found = NULL;
	char *p;

	base = base ? base + 1 : source->path;
	if (source->is_module)
		found = find_name(source);
	snprintf(maker->name, sizeof(maker->name), "%.*s", (int)strcspn(found ?: base, "."),
		 !source->is_module ? "vmlinux" : found ?: base);
	for (p = maker->name; *p; p++)
		if (*p == '-')
			*p = '_';
}

/*
 * Parse a line of the generator: ADDRESS, SYMBOL+OFFSET and SIGNATURE, with tabs between
 * them.  The address of a module has the number of its section and ':' before it.
 */
static void read_function(struct source *source, struct sig_maker *maker, char *line)
{
	char *address = strsep(&line, "\t"), *symbol = strsep(&line, "\t"), *plus, *end;
	struct found *found;
	u64 offset, value;
	size_t shndx = 0;

	plus = symbol ? strrchr(symbol, '+') : NULL;
	if (!plus || !line)
		return;
	value = strtoull(address, &end, 0);
	if (*end == ':') {
		shndx = value;
		value = strtoull(end + 1, &end, 0);
	}
	offset = strtoull(plus + 1, NULL, 0);
	if (*end || offset > MAX_OFFSET || offset % 4 || !shndx == source->is_module ||
	    shndx >= source->nr_sections || strpbrk(line, "~\"\\%"))
		return;
	value -= offset;
	if (source->is_module ? source->starts[shndx] == IMAGE_FREED : value < source->text)
		return;
	found = array_add(&source->found, &source->nr_found, sizeof(*found));
	*found = (struct found){
		.at	= value + (source->is_module ? source->starts[shndx] : -source->text),
		.shndx	= shndx,
		.value	= value,
		.sig	= find_sig(&maker->sigs, line),
	};
}

static void read_lines(struct source *source, struct sig_maker *maker, FILE *in)
{
	static const char type[] = "type\t";
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, in)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (!strncmp(line, type, strlen(type)))
			text_add_item(&maker->types, line + strlen(type));
		else
			read_function(source, maker, line);
	}
	free(line);
}

static void add_names(struct source *source, struct sig_text *out, const struct found *func)
{
	const struct name key = { .shndx = func->shndx, .value = func->value, .text = "" };
	unsigned int low = 0, high = source->nr_names, first;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (compare_names(&source->names[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (first = low; low < source->nr_names; low++) {
		const struct name *name = &source->names[low];

		if (name->shndx != func->shndx || name->value != func->value)
			break;
		if (low > first)
			text_add(out, ",", 1);
		text_add(out, name->text, strlen(name->text));
	}
	text_add(out, ";", 1);
}

/* Write the functions by their place.  Functions of one place would have two signatures. */
static void add_functions(struct source *source, struct sig_maker *maker)
{
	u64 before = 0;
	unsigned int i;

	if (source->nr_found)
		qsort(source->found, source->nr_found, sizeof(*source->found), compare_found);
	for (i = 0; i < source->nr_found; i++) {
		const struct found *func = &source->found[i];

		if ((i && func[-1].at == func->at) ||
		    (i + 1 < source->nr_found && func[1].at == func->at))
			continue;
		text_add_varint(&maker->funcs, (func->at - before) << 1);
		text_add_varint(&maker->funcs, func->sig);
		add_names(source, &maker->funcs, func);
		before = func->at;
		maker->nr++;
	}
}

/* exit() would remove the output of this program */
static void run_child(const char *path, int out)
{
	char *argv[5] = { "gen_arg_sigs", "--dump", "--addresses", (char *)path };

	dup2(out, STDOUT_FILENO);
	optind = 0;
	_exit(gen_arg_sigs_main(ARRAY_SIZE(argv) - 1, argv) || fflush(stdout));
}

static bool run_generator(struct source *source, struct sig_maker *maker, const char *path)
{
	int ends[2], status = -1;
	FILE *in;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_child(path, ends[1]);
	close(ends[1]);
	in = allocated(fdopen(ends[0], "r"));
	if (pid > 0)
		read_lines(source, maker, in);
	fclose(in);
	if (pid < 0)
		return false;
	waitpid(pid, &status, 0);
	if (status) {
		complain("%s: the generator could not read it", source->path);
		return false;
	}
	add_functions(source, maker);
	return true;
}

/*
 * A compressed module is decompressed into memory.  Returns the name of a file that is not
 * compressed, NULL if there is no memory.
 */
static const char *plain_path(struct source *source, int fd, char *buf, size_t size)
{
	static const char magic[] = ELFMAG;
	char head[SELFMAG] = "";
	size_t len, done;
	const char *raw;
	ssize_t nr;
	int copy;

	if (pread(fd, head, sizeof(head), 0) == sizeof(head) && !memcmp(head, magic, SELFMAG))
		return source->path;
	raw = elf_rawfile(source->elf, &len);
	copy = raw ? memfd_create("module", 0) : -1;
	if (copy < 0)
		return NULL;
	for (done = 0; done < len; done += nr) {
		nr = write(copy, raw + done, len - done);
		if (nr <= 0)
			return NULL;
	}
	snprintf(buf, size, "/proc/self/fd/%d", copy);
	return buf;
}

static bool read_source(struct source *source, struct sig_maker *maker, int fd)
{
	const char *path, *error = NULL;
	GElf_Ehdr ehdr;
	char buf[32];
	bool good;

	elf_version(EV_CURRENT);
	source->elf = dwelf_elf_begin(fd);
	if (!source->elf || elf_kind(source->elf) != ELF_K_ELF ||
	    !gelf_getehdr(source->elf, &ehdr))
		error = "not a vmlinux and not a module";
	else if (ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64)
		error = "not for x86-64 or arm64";
	if (error) {
		complain("%s: %s", source->path, error);
		return false;
	}
	source->is_module = ehdr.e_type == ET_REL;
	read_name(source, maker);
	read_build_id(source, maker);
	if (!source->is_module)
		read_release(source, maker);
	if (!hash_init(&maker->sigs.known, KNOWN_BITS))
		out_of_memory();
	source->starts = image_places(source->elf, true, &source->nr_sections);
	if (!source->starts) {
		complain("%s: malformed", source->path);
		return false;
	}
	read_symbols(source);
	if (!source->is_module && !source->text) {
		complain("%s: a vmlinux without symbols", source->path);
		return false;
	}
	path = plain_path(source, fd, buf, sizeof(buf));
	good = path && run_generator(source, maker, path);
	if (path == buf)
		close(atoi(strrchr(buf, '/') + 1));
	return good;
}

/*
 * Read the signatures of a vmlinux or a module, for sigfile_free(). Returns false after a message
 * if the file could not be read.
 */
bool sigfile_read(struct sig_maker *maker, const char *path)
{
	struct source source = { .path = path };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good;

	memset(maker, 0, sizeof(*maker));
	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return false;
	}
	good = read_source(&source, maker, fd);
	elf_end(source.elf);
	free(source.starts);
	free(source.names);
	free(source.found);
	close(fd);
	return good;
}

void sigfile_free(struct sig_maker *maker)
{
	hash_free(&maker->sigs.known, NULL);
	free(maker->types.buf);
	free(maker->sigs.buf);
	free(maker->funcs.buf);
}
