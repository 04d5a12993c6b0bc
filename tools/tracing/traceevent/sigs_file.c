// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of a recording whose kernel does not have signatures, from a file
 *
 * "trace-calls signatures" makes such a file, see Documentation/trace/arg-sigs-format.rst.
 * The file has the functions of the image and of modules with their names, and with their
 * places in the image or in the module's code.  The recording has the symbols.  A set of
 * functions is used only if there is one address for the set where each function of the set
 * has its symbol.  So signatures of another build are not used.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "sigs_sets.h"

/* The last symbol of a recording has not been looked for; no symbol begins there */
#define LAST_UNKNOWN	(~0ULL)

/*
 * The addresses of an image of x86-64; an image of arm64 is below. The symbols of an image and of
 * its modules take more than a step.
 */
#define IMAGE_FIRST	0xffffffff80000000ULL
#define IMAGE_STEP	0x200000ULL
#define KERNEL_FIRST	0xffff800000000000ULL
#define KERNEL_STEP	0x400000ULL

/* A text that is larger is not one of signatures */
#define TEXT_MAX	0x40000000

/* The hash at the end of a file, with its newline */
#define HASH_SIZE	17

/* Maximum addresses of a name that are tried */
#define MAX_BASES	16

/**
 * struct mark - a function that finds the address of its set
 * @set: the set
 * @entry: the function, NULL if the set has no suitable function
 * @bases: the possible addresses of the set
 * @nr: number of addresses
 */
struct mark {
	struct sig_set		*set;
	const struct sig_entry	*entry;
	u64			bases[MAX_BASES];
	unsigned int		nr;
};

static int compare_marks(const void *a, const void *b)
{
	const struct mark *one = a, *other = b;

	return strcmp(one->entry ? one->entry->name : "",
		      other->entry ? other->entry->name : "");
}

/* Whether a name is one of the names of a function, "one" or "one,other" */
static bool has_name(const struct sig_entry *entry, const char *name)
{
	size_t len = strlen(name);
	const char *p = entry->name;

	while (p && *p) {
		if (!strncmp(p, name, len) && (!p[len] || p[len] == ','))
			return true;
		p = strchr(p, ',');
		p += !!p;
	}
	return false;
}

/* Take the longest name, because few other functions have it */
static void choose_mark(struct mark *mark)
{
	size_t best = 0, len;
	u32 i;

	for (i = 0; i < mark->set->nr; i++) {
		const struct sig_entry *entry = &mark->set->entries[i];

		len = entry->name && !strchr(entry->name, ',') ? strlen(entry->name) : 0;
		if (len > best) {
			best = len;
			mark->entry = entry;
		}
	}
}

static void add_symbol(struct mark *marks, u32 nr, const char *name, u64 addr)
{
	const struct sig_entry entry = { .name = name };
	const struct mark key = { .entry = &entry };
	struct mark *mark;

	mark = bsearch(&key, marks, nr, sizeof(*marks), compare_marks);
	if (!mark)
		return;
	/* Several sets may have a function of this name */
	while (mark > marks && !compare_marks(mark - 1, &key))
		mark--;
	for (; mark < marks + nr && !compare_marks(mark, &key); mark++)
		if (mark->nr < MAX_BASES)
			mark->bases[mark->nr++] = addr - mark->entry->addr;
}

/* libtraceevent has no list of symbols, so go down from @addr, the last one */
static void find_bases(struct tep_handle *tep, u64 addr, struct mark *marks, u32 nr)
{
	while (addr) {
		u64 start = tep_find_function_address(tep, addr);
		const char *name = start ? sigs_symbol(tep, start) : NULL;

		if (!name)
			break;
		add_symbol(marks, nr, name, start);
		addr = start - 1;
	}
}

/**
 * struct fit - how well a set fits at an address
 * @good: number of functions with their symbols
 * @bad: the first function without its symbol, NULL if there is none
 */
struct fit {
	u32			good;
	const struct sig_entry	*bad;
};

static struct fit try_base(struct tep_handle *tep, const struct sig_set *set, u64 base)
{
	struct fit fit = { };
	u32 i;

	for (i = 0; i < set->nr; i++) {
		const struct sig_entry *entry = &set->entries[i];
		const char *name;

		if (!entry->name)
			continue;
		name = sigs_symbol(tep, base + entry->addr);
		if (name && has_name(entry, name))
			fit.good++;
		else if (!fit.bad)
			fit.bad = entry;
	}
	return fit;
}

static void say_misfit(struct tep_handle *tep, const char *path, const struct sig_set *set,
		       u64 base, const struct fit *fit)
{
	u64 addr = base + fit->bad->addr;
	const char *name = sigs_symbol(tep, addr);

	fprintf(stderr, "graph_args: %s: not the recorded %s: its %s would be at 0x%llx, ",
		path, set->module ?: "kernel", fit->bad->name, (unsigned long long)addr);
	fprintf(stderr, "where the recording has %s\n", name ?: "no function");
}

/*
 * Find the address of a set.  Returns false if there is none, or more than one.  A set that
 * has hardly a function of the recording is a module that was not loaded.
 */
static bool find_base(struct tep_handle *tep, const char *path, struct mark *mark, u64 *base)
{
	struct fit fit, best = { };
	unsigned int i, found = 0;
	u64 best_base = 0;

	for (i = 0; i < mark->nr; i++) {
		fit = try_base(tep, mark->set, mark->bases[i]);
		if (!fit.bad) {
			found++;
			*base = mark->bases[i];
		} else if (fit.good > best.good) {
			best = fit;
			best_base = mark->bases[i];
		}
	}
	if (path && !found && best.good > 1)
		say_misfit(tep, path, mark->set, best_base, &best);
	else if (path && !found && !mark->set->module)
		fprintf(stderr, "graph_args: %s: not the recorded kernel, which has no %s\n",
			path, mark->entry ? mark->entry->name : "function of the file");
	/* One name alone does not tell a module from another module */
	return found == 1 && mark->set->nr > 1;
}

/* The names are those of the recording from now on */
static void place_set(struct tep_handle *tep, struct sig_set *set, u64 base)
{
	u32 i;

	for (i = 0; i < set->nr; i++) {
		struct sig_entry *entry = &set->entries[i];

		entry->name = sigs_symbol(tep, base + entry->addr);
		if (set->module)
			entry->addr += base;
	}
	set->state = 'm';
}

/*
 * Change a signature to what the recording of another kernel has: six registers.  Nothing
 * that a pointer points to was recorded, no word of the stack, no structure that is passed by its
 * address and no parameter of a system call.
 */
static void strip_signature(char *sig)
{
	char *from = sig, *to = sig;
	bool fields = false;

	if (*from != '(')
		return;
	for (; *from && *from != ')'; from++) {
		bool record = *from == '&' || *from == '+';

		fields |= *from == '|';
		if (*from == '*' || *from == '#')
			continue;
		from += *from == '&' && from[1];
		/* After '|', lower-case letters are words of struct pt_regs as well */
		*to++ = record || (*from >= 'A' && *from <= 'Z') ||
			(*from >= (fields ? 'a' : 'g') && *from <= 'z') ? '-' : *from;
	}
	if (!*from++)
		return;
	*to++ = ')';
	while (*from == '*' && from[1] && from[2])
		from += 3;
	while ((*from == '$' || *from == '#') && from[1])
		from += 2;
	memmove(to, from, strlen(from) + 1);
}

static void strip_set(struct sig_set *set)
{
	u32 i;

	/* The text has each signature once, and each function refers to a whole one */
	for (i = 0; i < set->size; i += strlen(set->text + i) + 1)
		if (!i || !set->text[i - 1])
			strip_signature((char *)set->text + i);
}

/* As the kernel does, take the digests from a module's signatures that the image has not */
static void check_digests(const struct sigs *sigs, struct sig_set *set)
{
	struct arg_digests fitting;
	u32 i;

	arg_digests_fitting(&fitting, &sigs->digests, &set->types);
	for (i = 0; i < set->size; i += strlen(set->text + i) + 1)
		if (arg_sig_valid(set->text + i))
			arg_sig_check_digests((char *)set->text + i, &fitting);
}

/*
 * Find the sets' addresses; @path is NULL if other files may fit better. @last: the last
 * symbol of the recording
 */
static bool place_sets(struct sigs *sigs, const char *path, u64 last)
{
	u32 nr = sigs->nr_modules + 1, i;
	struct mark *marks = calloc(nr, sizeof(*marks));
	bool good = true;
	u64 base;

	if (!marks)
		return false;
	for (i = 0; i < nr; i++) {
		marks[i].set = i ? &sigs->modules[i - 1] : &sigs->image;
		choose_mark(&marks[i]);
	}
	qsort(marks, nr, sizeof(*marks), compare_marks);
	find_bases(sigs->tep, last, marks, nr);
	for (i = 0; i < nr; i++) {
		struct sig_set *set = marks[i].set;

		if (!set->nr)
			continue;
		if (!find_base(sigs->tep, path, &marks[i], &base)) {
			good &= set != &sigs->image;
			/* Its functions keep addresses that no call has */
			set->state = 'g';
			continue;
		}
		place_set(sigs->tep, set, base);
		if (sigs->registers)
			strip_set(set);
		else if (set != &sigs->image)
			check_digests(sigs, set);
		if (set == &sigs->image)
			sigs->base = base;
	}
	free(marks);
	sigs->placed = true;
	return good;
}

/*
 * Whether the hash at the end of a file is the hash of the text before it.  A damaged
 * signature would show wrong values.
 */
static bool is_whole(const char *text)
{
	static const char digits[] = "0123456789abcdef\n";
	size_t len = strlen(text);
	const char *end = text + len - HASH_SIZE;

	return len > HASH_SIZE && strspn(end, digits) == HASH_SIZE &&
	       strtoull(end, NULL, 16) == hash_bytes(HASH_TEXT, text, len - HASH_SIZE);
}

/* Read a file's text, which gzip has compressed; NULL if there is none */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), got = 0;
	size_t nr = 0, room = 1 << 20;
	char *text = NULL, *more;
	struct stat st;
	gzFile in;

	if (fd < 0)
		return NULL;
	in = fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : gzdopen(fd, "r");
	if (!in) {
		close(fd);
		return NULL;
	}
	do {
		nr += got;
		/* There is room for a NUL */
		if (!text || room - nr == 1) {
			room *= 2;
			more = room > TEXT_MAX ? NULL : realloc(text, room);
			if (!more)
				break;
			text = more;
		}
		got = gzread(in, text + nr, room - nr - 1);
	} while (got > 0);
	gzclose(in);
	if (text)
		text[got ? 0 : nr] = '\0';
	return text;
}

/* Read a file, but do not place its functions; @verbose: say why it cannot be read */
static struct sigs *parse_file(struct tep_handle *tep, const char *path, bool verbose)
{
	struct sigs *sigs;
	char *text;

	errno = 0;
	text = read_file(path);
	if (!text) {
		if (verbose)
			fprintf(stderr, "graph_args: %s: %s\n", path,
				errno ? strerror(errno) : "not a file of signatures");
		return NULL;
	}
	sigs = sigs_alloc(tep, text);
	if (!sigs)
		return NULL;
	if (is_whole(text) && sigs_parse(sigs) && sigs->from_file)
		return sigs;
	fprintf(stderr, "graph_args: %s: not a file of signatures, or damaged\n", path);
	sigs_free(sigs);
	return NULL;
}

/**
 * sigs_open - read a file of signatures without a recording
 * @path: the file
 *
 * Return: the signatures of the sets, whose functions cannot be found by addresses; NULL after a
 * message if the file cannot be read.
 */
struct sigs *sigs_open(const char *path)
{
	return parse_file(NULL, path, true);
}

/*
 * Find an address that belongs to a symbol of a recording, 0 if there is none.  KASLR moves the
 * image of x86-64 within the last gigabytes, and the image of arm64 within all addresses of the
 * kernel.
 */
static u64 any_symbol(struct tep_handle *tep)
{
	u64 addr;

	for (addr = IMAGE_FIRST; addr; addr += IMAGE_STEP)
		if (tep_find_function_address(tep, addr))
			return addr;
	for (addr = KERNEL_FIRST; addr < IMAGE_FIRST; addr += KERNEL_STEP)
		if (tep_find_function_address(tep, addr))
			return addr;
	return 0;
}

/*
 * Read a file; @last: the last symbol of the recording, LAST_UNKNOWN before the first file;
 * @verbose: say what is wrong with the file
 */
static struct sigs *open_file(struct tep_handle *tep, const char *path, u64 *last, bool registers,
			      bool verbose)
{
	struct sigs *sigs = parse_file(tep, path, verbose);

	if (!sigs)
		return NULL;
	sigs->registers = registers;
	if (*last == LAST_UNKNOWN)
		*last = sigs_last_symbol(tep, any_symbol(tep));
	if (place_sets(sigs, verbose ? path : NULL, *last))
		return sigs;
	sigs_free(sigs);
	return NULL;
}

/* Try the files of a folder. The file of another kernel does not fit. */
static struct sigs *search_folder(struct tep_handle *tep, const char *folder, u64 *last,
				  bool registers)
{
	struct sigs *sigs = NULL;
	struct dirent *entry;
	char path[4096];
	DIR *dir;

	dir = opendir(folder);
	while (dir && !sigs && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
			    sizeof(path))
			continue;
		sigs = open_file(tep, path, last, registers, false);
	}
	if (dir)
		closedir(dir);
	return sigs;
}

/**
 * sigs_find_file - find the file with the signatures of a recording
 * @tep: the handle that knows the recording's symbols
 * @registers: events have the argument registers; otherwise they have the data that the
 *	signatures list
 *
 * Return: the signatures, NULL if no file fits.
 */
struct sigs *sigs_find_file(struct tep_handle *tep, bool registers)
{
	const char *path = getenv("FTRACE_ARG_SIGS"), *home = getenv("HOME");
	struct sigs *sigs = NULL;
	char folder[4096];
	u64 last = LAST_UNKNOWN;

	if (path)
		return *path ? open_file(tep, path, &last, registers, true) : NULL;
	if (home && snprintf(folder, sizeof(folder), "%s/.local/share/ftrace-args", home) <
		    sizeof(folder))
		sigs = search_folder(tep, folder, &last, registers);
	return sigs ?: search_folder(tep, "/usr/share/ftrace-args", &last, registers);
}
