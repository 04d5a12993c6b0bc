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
 *   abi.c        classes and registers of the x86-64 psABI
 *   util.c       text and string pools
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

static void usage(FILE *to)
{
	fputs("Usage: gen_arg_sigs FILE.o\n"
	      "       gen_arg_sigs --dump FILE\n"
	      "\n"
	      "Adds the signatures of its traceable functions to an object, in place, and\n"
	      "prints what was found: one line '#ARGSIGS sites=N sigs=N [REASON=N]...', with\n"
	      "the sites that have no signature by reason and, as unknown-REASON, parameters\n"
	      "whose place is not known; then '#ARGSIGS_NONE SYMBOL REASON' for each site\n"
	      "that has none. An object that has signatures already is left alone.\n"
	      "\n"
	      "  -d, --dump  print 'SYMBOL+OFFSET<TAB>SIGNATURE' for each site, then\n"
	      "              'type<TAB>DESCRIPTION' for each type. Of an object, a module or\n"
	      "              a vmlinux with signatures those that are in it; of an object\n"
	      "              without, those that it would get. Nothing is written.\n"
	      "  -h, --help  this text\n"
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
	size_t i;

	printf("#ARGSIGS sites=%zu sigs=%lu", obj->nr_sites, sigs->sites[REASON_NONE]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->sites[i])
			printf(" %s=%lu", reason_names[i], sigs->sites[i]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->params[i])
			printf(" unknown-%s=%lu", reason_names[i], sigs->params[i]);
	printf("\n");

	for (i = 0; i < obj->nr_sites; i++)
		if (obj->sites[i].reason)
			printf("#ARGSIGS_NONE %s %s\n", obj->sites[i].symbol ?: "?",
			       reason_names[obj->sites[i].reason]);
}

static void dump(const struct object *obj, const struct sigs *sigs)
{
	size_t i, pos;

	for (i = 0; i < obj->nr_sites; i++) {
		const struct site *site = &obj->sites[i];

		if (site->reason)
			continue;
		if (site->symbol)
			printf("%s+0x%llx", site->symbol,
			       site->symbol_offset);
		else
			printf("%u:0x%llx", site->shndx,
			       site->offset);
		printf("\t%s\n", sigs->strs.text.buf + site->sig);
	}
	for (pos = 0; pos < sigs->types.text.len;
	     pos += strlen(sigs->types.text.buf + pos) + 1)
		printf("type\t%s\n", sigs->types.text.buf + pos);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dump", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct sigs sigs = {};
	const char *error;
	bool only = false;
	struct object obj;
	int c;

	while ((c = getopt_long(argc, argv, "dh", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			only = true;
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

	error = object_open(&obj, argv[optind]);
	if (error)
		return fail(argv[optind], error);

	if (obj.has_sigs) {
		if (only) {
			error = object_dump(&obj);
			return error ? fail(obj.name, error) : 0;
		}
		printf("#ARGSIGS already\n");
		return 0;
	}

	error = object_find_sites(&obj);
	if (error)
		return fail(obj.name, error);

	if (obj.nr_sites) {
		if (obj.has_dwarf)
			error = object_relocate_dwarf(&obj);
		if (error) {
			size_t i;

			/* The sites are known all the same */
			for (i = 0; i < obj.nr_sites; i++)
				obj.sites[i].reason = REASON_MALFORMED;
			sigs.sites[REASON_MALFORMED] = obj.nr_sites;
			report(&obj, &sigs);
			return fail(obj.name, error);
		}
		sigs_read(&sigs, &obj);
	}

	if (only) {
		dump(&obj, &sigs);
		return 0;
	}

	if (sigs.sites[REASON_NONE])
		error = object_write(&obj, &sigs);
	if (error)
		return fail(obj.name, error);
	report(&obj, &sigs);
	return 0;
}
