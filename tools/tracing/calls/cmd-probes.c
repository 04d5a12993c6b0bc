// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls probes: write fprobe events with the arguments of functions, by their signatures
 *
 * An event reads strings and the stack, which the function_graph tracer of a kernel without
 * signatures does not record.  In an fprobe event, $argN is the register of argument N, and
 * $stackN is word N of the stack, whatever the compiler made of the parameters.  Word 0 is the
 * return address on x86-64, and the first argument on the stack on arm64.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../traceevent/sigs_sets.h"
#include "../../../kernel/trace/args/text.h"
#include "arrays.h"
#include "calls.h"

/* MAX_ARG_NAME_LEN of kernel/trace/trace_probe.h, with the number of a part */
#define NAME_MAX_LEN	(32 - 4)

/* The word of the stack that has the first argument there */
static int first_word = 1;

static struct options options = {
	.usage = "probes [OPTIONS] GLOB...\n\n"
		 "Write an fprobe event for each function whose name matches a GLOB, for dynamic_events:\n"
		 "each parameter with its name, its type and its place. The signatures are those of -S,\n"
		 "or those of the running kernel's release in ~/.local/share/ftrace-args.\n",
	.unfiltered = "functions",
	.examples = "trace-calls probes do_sys_openat2 >> /sys/kernel/tracing/dynamic_events\n",
};

/*
 * Find where a long is at the entry.  @at: the offset from the address in the place, or -1.
 * Returns false if it is not known.
 */
static bool find_source(char *text, size_t size, char place, int at)
{
	char source[16];

	if (place >= 'a' && place <= 'h')
		snprintf(source, sizeof(source), "$arg%d", place - 'a' + 1);
	else if (place >= 'A' && place <= 'Z')
		snprintf(source, sizeof(source), "$stack%d", place - 'A' + first_word);
	else
		return false;
	if (at < 0)
		snprintf(text, size, "%s", source);
	else
		snprintf(text, size, "+%d(%s)", at, source);
	return true;
}

/* Write " NAME=", for part @part of a structure */
static void put_name(const char *name, unsigned int nr, int part)
{
	size_t len = strcspn(name, "=;");

	if (!len || len > NAME_MAX_LEN)
		out_printf(" arg%u", nr);
	else
		out_printf(" %.*s", (int)len, name);
	if (part >= 0)
		out_printf("_%d", part);
	out_puts("=");
}

/* The type of a number in an event, NULL if it has none */
static const char *number_type(const char *type)
{
	static const char * const types[2][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
	};
	static const unsigned char log[] = { [1] = 0, [2] = 1, [4] = 2, [8] = 3 };
	char how;

	type = arg_type_skip_names(type, &how);
	if (*type == 'P')
		return "x64";
	if (*type == 'E')
		type++;
	if (*type < 'a' || *type > 'z' || strchr("defno", *type) ||
	    !arg_basic_types[*type - 'a'].size)
		return NULL;
	return types[arg_basic_types[*type - 'a'].sign][log[arg_basic_types[*type - 'a'].size]];
}

/**
 * struct longs - the places of a signature's longs
 * @place: the letter of each long, see arg-sigs-format.rst; '-' if it is not known
 * @string: the long points to a string
 * @at: the long is at this offset from the address in its place; -1 if it is in its place
 * @nr: number of longs
 */
struct longs {
	char		place[ARG_SIGS_MAX_LONGS];
	bool		string[ARG_SIGS_MAX_LONGS];
	int		at[ARG_SIGS_MAX_LONGS];
	unsigned int	nr;
};

static void read_places(const char *sig, struct longs *longs)
{
	char place = '-';
	int at = -1;

	longs->nr = 0;
	if (*sig != '(') {
		for (; longs->nr < *sig - '0'; longs->nr++) {
			longs->place[longs->nr] = 'a' + longs->nr;
			longs->string[longs->nr] = false;
			longs->at[longs->nr] = -1;
		}
		return;
	}
	for (sig++; *sig && *sig != ')' && *sig != '|' && longs->nr < ARG_SIGS_MAX_LONGS; sig++) {
		longs->string[longs->nr] = *sig == '*';
		at = *sig == '+' ? at + (int)sizeof(u64) : *sig == '&' ? 0 : -1;
		if (*sig == '*' || *sig == '#' || *sig == '&')
			sig++;
		if (*sig != '+')
			place = *sig;
		longs->place[longs->nr] = place;
		longs->at[longs->nr++] = at;
	}
}

/*
 * Whether a function has an argument in the seventh or eighth register, which x86-64 does not have.
 * arm64 uses the stack only after these registers.
 */
static bool has_more_registers(const struct sig_set *set)
{
	struct longs longs;
	unsigned int i, nr;

	for (i = 0; i < set->nr; i++) {
		read_places(set->text + set->entries[i].sig, &longs);
		for (nr = 0; nr < longs.nr; nr++)
			if (longs.place[nr] == 'g' || longs.place[nr] == 'h')
				return true;
	}
	return false;
}

static void put_param(const char *param, unsigned int nr, const struct longs *longs,
		      unsigned int first, unsigned int count)
{
	const char *name = arg_type_skip(param), *type = number_type(param);
	char source[32];
	unsigned int i;

	for (i = first; i < first + count && i < longs->nr; i++) {
		if (!find_source(source, sizeof(source), longs->place[i], longs->at[i]))
			continue;
		put_name(name, nr, count > 1 ? (int)(i - first) : -1);
		if (longs->string[i])
			out_printf("+0(%s):string", source);
		else
			out_printf("%s:%s", source, count == 1 && type ? type : "x64");
	}
}

static void put_probe(const char *name, const char *sig)
{
	unsigned int nr = 0, at = 0, count;
	struct arg_slots slots;
	struct longs longs;
	const char *p = arg_sig_parse_slots(sig, &slots);
	char event[128], how, *c;

	snprintf(event, sizeof(event), "%s", name);
	for (c = event; *c; c++)
		if (*c == '.')
			*c = '_';
	out_printf("f:calls/%s %s", event, name);
	read_places(sig, &longs);
	p = arg_type_skip(arg_return_type(p, &how));
	for (; *p && *p != 'z' && *p != '|'; p = arg_param_skip(p)) {
		count = arg_type_longs(p);
		put_param(p, ++nr, &longs, at, count);
		at += count;
	}
	out_puts("\n");
}

/**
 * struct named - a name of a function
 * @name: the name
 * @entry: the function
 * @sig: its signature; NULL if the function has another name before
 */
struct named {
	const char		*name;
	const struct sig_entry	*entry;
	const char		*sig;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Add all names of the functions of a set */
static void add_names(const struct sig_set *set, struct named **names, unsigned int *nr)
{
	const char *name;
	char *rest;
	u32 i;

	for (i = 0; i < set->nr; i++) {
		const char *sig = set->text + set->entries[i].sig;

		rest = (char *)set->entries[i].name;
		while ((name = strsep(&rest, ","))) {
			*(struct named *)array_add(names, nr, sizeof(**names)) = (struct named){
				.name = name, .entry = &set->entries[i], .sig = sig,
			};
			sig = NULL;
		}
	}
}

static bool is_selected(const char *name, char **globs)
{
	while (*globs && fnmatch(*globs, name, 0))
		globs++;
	return *globs;
}

/*
 * Write the events.  An event finds its function by a name that no other has, in the image or in
 * any module.
 */
static unsigned int put_probes(const struct named *names, unsigned int nr, char **globs)
{
	unsigned int found = 0, i, next;

	for (i = 0; i < nr; i = next) {
		const struct named *first = &names[i];
		const char *sig = NULL;
		bool several = false;

		for (next = i; next < nr && !compare_names(first, &names[next]); next++) {
			several |= names[next].entry != first->entry;
			sig = sig ?: names[next].sig;
		}
		if (!sig || !is_selected(first->name, globs))
			continue;
		found++;
		if (several)
			complain("%s: several functions have this name", first->name);
		else
			put_probe(first->name, sig);
	}
	return found;
}

/* Find the file of the running kernel.  Returns false after a message. */
static bool find_file(char *path, size_t size)
{
	const char *named = getenv("FTRACE_ARG_SIGS"), *home = getenv("HOME");
	struct utsname name;

	if (named && *named) {
		snprintf(path, size, "%s", named);
		return true;
	}
	uname(&name);
	snprintf(path, size, "%s/.local/share/ftrace-args/%s", home ?: "", name.release);
	if (!access(path, R_OK))
		return true;
	snprintf(path, size, "/usr/share/ftrace-args/%s", name.release);
	if (!access(path, R_OK))
		return true;
	complain("no signatures of %s: -S FILE, or \"trace-calls signatures --running\"",
		 name.release);
	return false;
}

int cmd_probes(int argc, char **argv)
{
	int i = options_parse(&options, argc, argv, -1);
	unsigned int found, nr = 0, set;
	struct named *names = NULL;
	struct sigs *sigs = NULL;
	char path[4096];

	if (i < 0)
		return ~i;
	if (i == argc) {
		complain("a function or a glob is wanted");
		return out_close(STATUS_USAGE);
	}
	if (find_file(path, sizeof(path)))
		sigs = sigs_open(path);
	if (!sigs)
		return out_close(STATUS_FAILED);
	first_word = !has_more_registers(&sigs->image);
	for (set = 0; first_word && set < sigs->nr_modules; set++)
		first_word = !has_more_registers(&sigs->modules[set]);
	add_names(&sigs->image, &names, &nr);
	for (set = 0; set < sigs->nr_modules; set++)
		add_names(&sigs->modules[set], &names, &nr);
	if (nr)
		qsort(names, nr, sizeof(*names), compare_names);
	found = put_probes(names, nr, &argv[i]);
	free(names);
	sigs_free(sigs);
	if (!found)
		complain("%s: no such function", path);
	return out_close(found ? STATUS_GOOD : STATUS_FAILED);
}
