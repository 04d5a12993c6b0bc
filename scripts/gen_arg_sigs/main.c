// SPDX-License-Identifier: GPL-2.0
/*
 * Add the signatures of an object's functions to it
 *
 * Strategy: find each address that ftrace may patch (a relocation against __fentry__, or
 * an entry of __mcount_loc or __patchable_function_entries), find the function in the DWARF
 * that has code at the address, and write the function's signature for the address.  The
 * key is never a name, because static functions may share a name.  The ABI determines the
 * places of parameters by their types, and DWARF's locations check the places.  The object
 * is replaced by an object with the sections that
 * Documentation/trace/arg-sigs-format.rst describes.
 *
 * An object that cannot be read stays as it is, byte for byte. Only its debug sections
 * are removed if they are to be stripped.
 *
 *   object.c     ELF objects: their sections, symbols, and the relocations of the DWARF
 *   sites.c      addresses that ftrace may patch
 *   write.c      the object with signatures
 *   dump.c       the signatures of an object as text, and what decided them
 *   signature.c  DWARF to signatures
 *   prototype.c  DWARF to functions and their prototypes
 *   types.c      DWARF to the text of types
 *   digest.c     DWARF to the digests of objects in the file "digests"
 *   flags.c      names for the values of parameters, by the list in the file "macros"
 *   die.c        properties of a DIE of DWARF, and of its locations
 *   twins.c      functions with the same code, which the compiler merged
 *   clone.c      places of parameters, also if the compiler changed the interface
 *   evidence.c   what locations and the code say about a function's entry
 *   calls.c      the calls of a function, and its possible callers
 *   machine.c    the machine of the object, whose table the other files use
 *   x86.c        x86-64: the table, with abi.c and insn.c
 *   abi.c        x86-64: classes of types, registers and stack words of the psABI
 *   insn.c       x86-64: the registers that an instruction reads and writes
 *   arm64.c      arm64: the table, with abi_arm64.c
 *   abi_arm64.c  arm64: registers and stack words of AAPCS64
 *   align.c      the alignment of types
 *   util.c       errors, memory, searches, text and string pools
 *   main.c       the command line, and the report of an object
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gen_arg_sigs.h"

/* The options and arguments of the command line */
struct request {
	const char *file;
	bool dump;
	bool addresses;
	bool stats;
	bool debug;
	bool strip;
	bool unpromoted;
	bool werror;
};

static void usage(FILE *to)
{
	fputs("Usage: gen_arg_sigs [--strip-debug] [--unpromoted] [--werror] [--debug] FILE.o\n"
	      "       gen_arg_sigs --dump [--addresses] [--stats] [--unpromoted] [--debug] FILE\n"
	      "\n"
	      "Adds the signatures of an object's traceable functions to the object. Prints\n"
	      "the counts in one line, '#ARGSIGS sites=N sigs=N [REASON=N]...': REASON counts\n"
	      "sites without a signature, and unknown-REASON parameters without a known\n"
	      "place. Then prints '#ARGSIGS_NONE SYMBOL REASON' for each site without a\n"
	      "signature. An object that has signatures already is left alone.\n"
	      "\n"
	      "  -g, --strip-debug\n"
	      "                   leave out the debug sections, as objcopy --strip-debug does,\n"
	      "                   even if the object gets no signatures\n"
	      "  -u, --unpromoted the optimization level is not -O3, so clang did not run\n"
	      "                   ArgumentPromotion, which passes members instead of pointers\n"
	      "  -W, --werror     fail instead of printing a warning\n"
	      "  -d, --dump       print 'SYMBOL+OFFSET<TAB>SIGNATURE' for each site, then\n"
	      "                   'type<TAB>DESCRIPTION' for each type. If FILE (an object, a\n"
	      "                   module or a vmlinux) has signatures, print these. Otherwise\n"
	      "                   print the signature of every function that its DWARF\n"
	      "                   describes, traceable or not. Nothing is written.\n"
	      "  -a, --addresses  print 'ADDRESS<TAB>' before each site; for an object the\n"
	      "                   address is the section's number, ':' and the offset\n"
	      "  -s, --stats      also print the counts, and the time and the peak memory of\n"
	      "                   the run: '#ARGSIGS_COST ms=N kb=N'\n"
	      "  -D, --debug      print what decided the place of each parameter to stderr:\n"
	      "                   'FUNC PARAM: abi=SLOTS location=LOCATION -> PLACE (REASON)'.\n"
	      "                   With --dump, read the DWARF even if FILE has signatures.\n"
	      "  -h, --help       print this text\n"
	      "\n"
	      "Exit status: 0, or 1 if the object could not be read or written; the object is\n"
	      "not changed then. If only the DWARF cannot be read, the object gets no\n"
	      "signatures and the reason is printed as a warning; with --dump or --werror this\n"
	      "is a failure.\n", to);
}

static void say(const struct request *request, const char *error)
{
	fprintf(stderr, "gen_arg_sigs: %s: %s\n", request->file, error);
}

/* Print the counts of an object, as comments for its .cmd file */
static void report(const struct object *obj, const struct sigs *sigs)
{
	unsigned long nr_params = 0;
	size_t i;

	for (i = 0; i < NR_REASONS; i++)
		nr_params += sigs->nr.params[i];
	printf("#ARGSIGS sites=%zu sigs=%lu", obj->nr_sites, sigs->nr.sites[REASON_NONE]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->nr.sites[i])
			printf(" %s=%lu", reason_names[i], sigs->nr.sites[i]);
	for (i = 1; i < NR_REASONS; i++)
		if (sigs->nr.params[i])
			printf(" unknown-%s=%lu", reason_names[i], sigs->nr.params[i]);
	if (nr_params)
		printf(" params=%lu", nr_params);
	if (sigs->nr.removed)
		printf(" removed=%lu", sigs->nr.removed);
	if (sigs->nr.constants)
		printf(" constants=%lu", sigs->nr.constants);
	if (sigs->nr.returns)
		printf(" unknown-returns=%lu", sigs->nr.returns);
	printf("\n");

	for (i = 0; i < obj->nr_sites; i++)
		if (obj->sites[i].reason)
			printf("#ARGSIGS_NONE %s %s\n", obj->sites[i].symbol ?: "?",
			       reason_names[obj->sites[i].reason]);
}

/* Print the time and memory used, for files that are as large as an image */
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

/* Count the sites. The sites are known even if the DWARF cannot be read. */
static void give_up(struct object *obj, struct sigs *sigs)
{
	size_t i;

	for (i = 0; i < obj->nr_sites; i++)
		obj->sites[i].reason = REASON_MALFORMED;
	sigs->nr.sites[REASON_MALFORMED] = obj->nr_sites;
}

/* Read the signatures of an object; returns 1 if its DWARF cannot be read */
static int read_sigs(struct object *obj, struct sigs *sigs, const struct request *request)
{
	const char *error = NULL;

	if (obj->has_dwarf && (obj->nr_sites || obj->all_funcs))
		error = object_relocate_dwarf(obj);
	if (!error) {
		sigs_read(sigs, obj);
		return 0;
	}
	give_up(obj, sigs);
	say(request, error);
	return request->dump || request->werror;
}

static int process(struct object *obj, const struct request *request)
{
	struct sigs sigs = { .debug = request->debug, .unpromoted = request->unpromoted };
	const char *error;
	int status = 0;

	/* Only DWARF tells what decided the places */
	if (request->dump && request->debug && obj->has_dwarf)
		obj->has_sigs = false;
	if (obj->has_sigs && request->dump) {
		error = object_dump(obj, request->addresses);
		goto out;
	}

	if (!obj->has_sigs) {
		obj->all_funcs = request->dump;
		error = object_find_sites(obj);
		if (error)
			goto out;
		status = read_sigs(obj, &sigs, request);
	}

	error = NULL;
	if (request->dump)
		dump(obj, &sigs, request->addresses);
	else if (sigs.nr.sites[REASON_NONE] || (request->strip && obj->has_dwarf))
		error = object_write(obj, &sigs, request->strip);
	/*
	 * The report includes an error of reading. After an error of writing there is
	 * no report.
	 */
	if (error)
		goto out;
	if (obj->has_sigs)
		printf("#ARGSIGS already\n");
	else if (!request->dump || request->stats)
		report(obj, &sigs);
	if (request->stats)
		report_cost();
out:
	if (!error)
		return status;
	say(request, error);
	return 1;
}

/* Find the machine of the object. Returns NULL, or the error. */
static const char *find_machine(const struct object *obj)
{
	static const struct machine * const machines[] = { &machine_x86, &machine_arm64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i]->elf == obj->ehdr.e_machine)
			machine = machines[i];
	return machine ? NULL : "not an ELF file of x86-64 or arm64";
}

static int run(const struct request *request)
{
	struct object obj;
	const char *error;
	int status = 1;

	error = object_open(&obj, request->file) ?: find_machine(&obj);
	if (error)
		say(request, error);
	else
		status = process(&obj, request);
	object_close(&obj);
	return status;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dump", no_argument, NULL, 'd' },
		{ "addresses", no_argument, NULL, 'a' },
		{ "stats", no_argument, NULL, 's' },
		{ "debug", no_argument, NULL, 'D' },
		{ "strip-debug", no_argument, NULL, 'g' },
		{ "unpromoted", no_argument, NULL, 'u' },
		{ "werror", no_argument, NULL, 'W' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct request request = {};
	int c;

	while ((c = getopt_long(argc, argv, "dasDguWh", options, NULL)) != -1) {
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
		case 'D':
			request.debug = true;
			break;
		case 'g':
			request.strip = true;
			break;
		case 'u':
			request.unpromoted = true;
			break;
		case 'W':
			request.werror = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 1;
		}
	}
	if (argc - optind != 1 || (request.dump && request.strip)) {
		usage(stderr);
		return 1;
	}

	request.file = argv[optind];
	return run(&request);
}
