// SPDX-License-Identifier: GPL-2.0
/*
 * Add the signatures of an object's functions to it
 *
 * Strategy: find each address that ftrace may patch (a relocation against
 * __fentry__, or an entry of __mcount_loc), find the function in the DWARF whose
 * code it is in, and write the function's signature for it; by address and never
 * by name, for static functions may share one.  Where parameters are is what the
 * ABI says of their types; DWARF's locations are the check.  The object is
 * replaced by one with the sections that include/linux/arg_sigs.h describes.
 *
 * An object that cannot be read stays as it is, byte for byte.
 *
 *   object.c     ELF: sites, relocations of the DWARF, the new object
 *   signature.c  DWARF to signatures
 *   types.c      DWARF to the text of types
 *   clone.c      places of parameters, where the compiler changed them as well
 *   calls.c      what callers do with a function
 *   pieces.c     parts that are passed instead of pointers
 *   insn.c       what an instruction does with registers
 *   refs.c       functions that are not only called
 *   abi.c        classes and registers of the x86-64 psABI
 *   util.c       text and string pools
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gen_arg_sigs.h"

/* What the command line asks for */
struct request {
	const char *file;
	bool dump;
	bool addresses;
	bool stats;
};

static void usage(FILE *to)
{
	fputs("Usage: gen_arg_sigs FILE.o\n"
	      "       gen_arg_sigs --dump [--addresses] [--stats] FILE\n"
	      "\n"
	      "Adds the signatures of its traceable functions to an object, in place, and\n"
	      "prints what was found: one line '#ARGSIGS sites=N sigs=N [REASON=N]...', with\n"
	      "the sites that have no signature by reason and, as unknown-REASON, parameters\n"
	      "whose place is not known; then '#ARGSIGS_NONE SYMBOL REASON' for each site\n"
	      "that has none. An object that has signatures already is left alone.\n"
	      "\n"
	      "  -d, --dump       print 'SYMBOL+OFFSET<TAB>SIGNATURE' for each site, then\n"
	      "                   'type<TAB>DESCRIPTION' for each type. Of an object, a module\n"
	      "                   or a vmlinux with signatures those that are in it; otherwise\n"
	      "                   those of every function that its DWARF describes, traceable\n"
	      "                   or not. Nothing is written.\n"
	      "  -a, --addresses  print 'ADDRESS<TAB>' before each site, in an object its\n"
	      "                   section's number, ':' and the offset\n"
	      "  -s, --stats      print what was found as well, then the time it took and the\n"
	      "                   peak memory: '#ARGSIGS_COST ms=N kb=N'\n"
	      "  -h, --help       this text\n"
	      "\n"
	      "Exit status: 0, or 1 if the object could not be read or written (it is as it\n"
	      "was then).\n", to);
}

static int fail(const char *name, const char *error)
{
	fprintf(stderr, "gen_arg_sigs: %s: %s\n", name, error);
	return 1;
}

/* What there is to say of an object, as comments in its .cmd file */
static void report(const struct object *obj, const struct sigs *sigs)
{
	unsigned long nr_params = 0;
	size_t i;

	for (i = 0; i < NR_REASONS; i++)
		nr_params += sigs->params[i];
	printf("#ARGSIGS sites=%zu sigs=%lu", obj->nr_sites, sigs->sites[REASON_NONE]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->sites[i])
			printf(" %s=%lu", reason_names[i], sigs->sites[i]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->params[i])
			printf(" unknown-%s=%lu", reason_names[i], sigs->params[i]);
	if (nr_params)
		printf(" params=%lu", nr_params);
	if (sigs->removed)
		printf(" removed=%lu", sigs->removed);
	if (sigs->constants)
		printf(" constants=%lu", sigs->constants);
	if (sigs->pieces)
		printf(" pieces=%lu", sigs->pieces);
	if (sigs->returns)
		printf(" unknown-returns=%lu", sigs->returns);
	printf("\n");

	for (i = 0; i < obj->nr_sites; i++)
		if (obj->sites[i].reason)
			printf("#ARGSIGS_NONE %s %s\n", obj->sites[i].symbol ?: "?",
			       reason_names[obj->sites[i].reason]);
}

/* What it took, for files that are as large as an image */
static void report_cost(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("#ARGSIGS_COST ms=%ld kb=%ld\n",
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000,
	       usage.ru_maxrss);
}

static void dump(const struct object *obj, const struct sigs *sigs, bool addresses)
{
	size_t i, pos;

	for (i = 0; i < obj->nr_sites; i++) {
		const struct site *site = &obj->sites[i];

		if (!site->reason)
			object_dump_site(obj, site->shndx, site->offset,
					 sigs->strs.text.buf + site->sig, addresses);
	}
	for (pos = 0; pos < sigs->types.text.len;
	     pos += strlen(sigs->types.text.buf + pos) + 1)
		printf("type\t%s\n", sigs->types.text.buf + pos);
}

/* Sites are known even where the DWARF cannot be read */
static void give_up(struct object *obj, struct sigs *sigs)
{
	size_t i;

	for (i = 0; i < obj->nr_sites; i++)
		obj->sites[i].reason = REASON_MALFORMED;
	sigs->sites[REASON_MALFORMED] = obj->nr_sites;
}

static const char *process(struct object *obj, const struct request *request)
{
	struct sigs sigs = {};
	const char *error;

	if (obj->has_sigs && request->dump)
		return object_dump(obj, request->addresses);
	if (obj->has_sigs) {
		printf("#ARGSIGS already\n");
		return NULL;
	}

	obj->all_funcs = request->dump;
	error = object_find_sites(obj);
	if (error)
		return error;

	if (obj->has_dwarf && (obj->nr_sites || obj->all_funcs))
		error = object_relocate_dwarf(obj);
	if (error)
		give_up(obj, &sigs);
	else
		sigs_read(&sigs, obj);

	if (request->dump)
		dump(obj, &sigs, request->addresses);
	else if (sigs.sites[REASON_NONE])
		error = object_write(obj, &sigs);
	/* What could not be read is reported, what could not be written is not there */
	if (error && sigs.sites[REASON_NONE])
		return error;
	if (!request->dump || request->stats)
		report(obj, &sigs);
	if (request->stats)
		report_cost();
	return error;
}

static int run(const struct request *request)
{
	struct object obj;
	const char *error;

	error = object_open(&obj, request->file);
	if (!error)
		error = process(&obj, request);
	object_close(&obj);
	return error ? fail(request->file, error) : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dump", no_argument, NULL, 'd' },
		{ "addresses", no_argument, NULL, 'a' },
		{ "stats", no_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct request request = {};
	int c;

	while ((c = getopt_long(argc, argv, "dash", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			request.dump = true;
			break;
		case 'a':
			request.addresses = true;
			break;
		case 's':
			request.stats = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 1;
		}
	}
	if (argc - optind != 1) {
		usage(stderr);
		return 1;
	}

	request.file = argv[optind];
	return run(&request);
}
