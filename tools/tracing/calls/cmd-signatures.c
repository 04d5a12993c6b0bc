// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls signatures: write the signatures of a kernel to a file, for recordings of a
 * kernel that does not have signatures
 *
 * Documentation/trace/arg-sigs-format.rst has the format.
 */
#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <elfutils/libdwelf.h>
#ifdef HAVE_DEBUGINFOD
#include <elfutils/debuginfod.h>
#endif

#include "arrays.h"
#include "calls.h"
#include "sigfile.h"

/* Places of the running kernel's vmlinux and of its modules; %s is the release */
static const char * const images[] = {
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/usr/lib/modules/%s/vmlinux",
	"/lib/modules/%s/build/vmlinux",
	"/boot/vmlinux-%s",
};

static const char * const modules[] = {
	"/usr/lib/debug/lib/modules/%s",
	"/usr/lib/debug/usr/lib/modules/%s",
	"/lib/modules/%s",
};

/* The largest window of zlib, with gzip's header and end */
#define GZIP_WINDOW	(MAX_WBITS + 16)

/* Size of a build ID as hexadecimal digits */
#define ID_SIZE		sizeof(((struct sig_maker *)NULL)->build_id)

static bool running;

/* The build IDs of --debuginfod */
static const char **ids;
static unsigned int nr_ids;

static const struct choice choices[] = {
	{ 'r', "running", NULL, "the running kernel's; its debug package has to be installed",
	  &running },
	{ 'd', "debuginfod", "BUILD-ID", "those of the vmlinux or module that a server of\n"
	  "DEBUGINFOD_URLS has; may be given several times" },
	{ }
};

static bool signatures_set_option(int option, const char *value)
{
	const char **id = array_add(&ids, &nr_ids, sizeof(*ids));

	*id = value;
	return strspn(value, "0123456789abcdef") == strlen(value) && *value;
}

static struct options options = {
	.usage = "signatures [OPTIONS] VMLINUX|MODULE|FOLDER...\n"
		 "       trace-calls signatures --running [OPTIONS]\n"
		 "       trace-calls signatures --debuginfod BUILD-ID [OPTIONS]\n\n"
		 "Write the signatures of a kernel's functions: their parameters with names, types\n"
		 "and places. A vmlinux and modules with debug info have them, and so have the\n"
		 "files of a kernel with CONFIG_FUNCTION_ARG_SIGS. Modules may be compressed. In a\n"
		 "folder, the files named vmlinux, vmlinux-*, *.ko and *.ko.debug are read.\n",
	.choices = choices,
	.unfiltered = "signatures",
	.writes_sigs = true,
	.examples = "trace-calls signatures -o ~/.local/share/ftrace-args/7.3.0 \\\n"
		    "\t/usr/lib/debug/boot/vmlinux-7.3.0 /usr/lib/debug/lib/modules/7.3.0\n",
	.set = signatures_set_option,
};

/**
 * struct sig_makers - the signatures of all files
 * @sets: the signatures of each file, by their names when they are written
 * @nr: number of files
 * @failed: a file could not be read
 */
struct sig_makers {
	struct sig_maker	**sets;
	unsigned int		nr;
	bool			failed;
};

/* Read a file; a file without signatures has no set */
static void read_one(struct sig_makers *makers, const char *path, bool named)
{
	struct sig_maker *maker;

	if (out_is(path)) {
		makers->failed = true;
		return;
	}
	maker = array_add_new(&makers->sets, &makers->nr, sizeof(*maker));
	if (sigfile_read(maker, path) && maker->nr)
		return;
	if (named || !maker->name[0])
		makers->failed = true;
	if (named && !maker->nr && maker->name[0])
		complain("%s: neither debug info nor signatures of functions", path);
	sigfile_free(maker);
	free(maker);
	makers->nr--;
}

/* Whether a file of a folder is a vmlinux or a module, by the names of distributions */
static bool is_kernel_file(const char *name)
{
	static const char * const names[] = {
		"vmlinux", "vmlinux.debug", "vmlinux-*",
		"?*.ko", "?*.ko.debug", "?*.ko.gz", "?*.ko.xz", "?*.ko.zst",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!fnmatch(names[i], name, 0))
			return true;
	return false;
}

static void read_path(struct sig_makers *makers, char *path)
{
	char *paths[2] = { path };
	struct stat st;
	FTSENT *entry;
	FTS *fts;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		read_one(makers, path, true);
		return;
	}
	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (fts && (entry = fts_read(fts))) {
		/* In a build's folder, the program that unpacks the kernel is a vmlinux, too */
		if (entry->fts_info == FTS_D && !strcmp(entry->fts_name, "compressed"))
			fts_set(fts, entry, FTS_SKIP);
		if (entry->fts_info == FTS_F && is_kernel_file(entry->fts_name))
			read_one(makers, entry->fts_path, false);
	}
	if (fts)
		fts_close(fts);
	if (!fts) {
		complain("%s: %s", path, strerror(errno));
		makers->failed = true;
	}
}

/* Read the build ID of the running kernel from its notes; "" if it is not there */
static void running_id(char *hex)
{
	FILE *in = fopen("/sys/kernel/notes", "re");
	char notes[4096];
	size_t nr = in ? fread(notes, 1, sizeof(notes), in) : 0, pos = 0, name, desc, i;
	Elf_Data data = { .d_buf = notes, .d_size = nr, .d_type = ELF_T_NHDR };
	GElf_Nhdr note;

	if (in)
		fclose(in);
	*hex = '\0';
	while (nr && (pos = gelf_getnote(&data, pos, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(notes + name, "GNU", sizeof("GNU")))
			continue;
		for (i = 0; i < note.n_descsz && i < ID_SIZE / 2; i++)
			sprintf(hex + 2 * i, "%02x", (u8)notes[desc + i]);
	}
}

/* Find the first of some places that exists, with the release of the running kernel */
static bool find_place(char *path, size_t size, const char * const *places, unsigned int nr)
{
	struct utsname name;
	unsigned int i;

	if (uname(&name))
		return false;
	for (i = 0; i < nr; i++) {
		snprintf(path, size, places[i], name.release);
		if (!access(path, R_OK))
			return true;
	}
	complain("%s: no debug info, the last place tried is %s", name.release, path);
	return false;
}

static bool read_running(struct sig_makers *makers)
{
	char path[4096], id[ID_SIZE];

	running_id(id);
	if (!find_place(path, sizeof(path), images, ARRAY_SIZE(images))) {
		if (*id)
			complain("a server may have it: --debuginfod %s", id);
		return false;
	}
	read_one(makers, path, true);
	if (!makers->nr)
		return false;
	if (!*id || strcmp(makers->sets[0]->build_id, id)) {
		complain("%s: not the running kernel, which has another build ID", path);
		return false;
	}
	if (find_place(path, sizeof(path), modules, ARRAY_SIZE(modules)))
		read_path(makers, path);
	return true;
}

#ifdef HAVE_DEBUGINFOD
/* Fetch a file by its build ID, and read it.  libdebuginfod keeps the file in its cache. */
static bool read_fetched(struct sig_makers *makers, debuginfod_client *client, const char *id)
{
	unsigned int before = makers->nr;
	char *path = NULL;
	int fd = debuginfod_find_debuginfo(client, (const unsigned char *)id, 0, &path);
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (fd < 0) {
		complain("%s: %s", id, urls && *urls ? strerror(-fd) :
			 "DEBUGINFOD_URLS names no server");
		return false;
	}
	read_one(makers, path, true);
	close(fd);
	free(path);
	if (makers->nr == before)
		return false;
	if (strcmp(makers->sets[before]->build_id, id)) {
		complain("%s: the server has sent a file with another build ID", id);
		return false;
	}
	return true;
}

static bool read_debuginfod(struct sig_makers *makers)
{
	debuginfod_client *client;
	unsigned int i = 0;

	/* The library shows the progress of a download */
	if (nr_ids && isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
	client = nr_ids ? debuginfod_begin() : NULL;
	if (nr_ids && !client)
		complain("libdebuginfod: %s", strerror(errno));
	for (; client && i < nr_ids; i++)
		if (!read_fetched(makers, client, ids[i]))
			break;
	if (client)
		debuginfod_end(client);
	return i == nr_ids;
}
#else
static bool read_debuginfod(struct sig_makers *makers)
{
	if (nr_ids)
		complain("built without libdebuginfod");
	return !nr_ids;
}
#endif

static int compare_makers(const void *a, const void *b)
{
	const struct sig_maker *x = *(struct sig_maker *const *)a;
	const struct sig_maker *y = *(struct sig_maker *const *)b;
	bool one = !strcmp(x->name, "vmlinux"), other = !strcmp(y->name, "vmlinux");

	return one != other ? other - one : strcmp(x->name, y->name);
}

static void put_maker(const struct sig_maker *maker, FILE *to)
{
	fprintf(to, "s%s;%s;%zu;", maker->name, maker->build_id, maker->types.len);
	fwrite(maker->types.buf, 1, maker->types.len, to);
	fprintf(to, "%zu;", maker->sigs.len);
	fwrite(maker->sigs.buf, 1, maker->sigs.len, to);
	fprintf(to, "%u;", maker->nr);
	fwrite(maker->funcs.buf, 1, maker->funcs.len, to);
}

/* Write a text as gzip does */
static void put_packed(char *text, size_t size)
{
	z_stream gzip = { .next_in = (Bytef *)text, .avail_in = size };
	char *packed;

	if (deflateInit2(&gzip, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	gzip.avail_out = deflateBound(&gzip, size);
	packed = xmalloc(gzip.avail_out);
	gzip.next_out = (Bytef *)packed;
	deflate(&gzip, Z_FINISH);
	out_data();
	out_write(packed, gzip.total_out);
	deflateEnd(&gzip);
	free(packed);
}

/* Write the file.  Two files of one name would be two kernels. */
static bool put_makers(struct sig_makers *makers)
{
	const struct sig_maker *before = NULL;
	bool good = true;
	char *text = NULL;
	size_t size = 0;
	unsigned int i;
	FILE *to;

	if (makers->nr)
		qsort(makers->sets, makers->nr, sizeof(*makers->sets), compare_makers);
	to = allocated(open_memstream(&text, &size));
	fprintf(to, "arg_sigs_file 1;%s;", makers->nr ? makers->sets[0]->release : "");
	for (i = 0; good && i < makers->nr; i++) {
		const struct sig_maker *maker = makers->sets[i];

		if (!before || strcmp(before->name, maker->name)) {
			put_maker(maker, to);
			before = maker;
		} else if (strcmp(before->build_id, maker->build_id)) {
			complain("%s: two files with different build IDs", maker->name);
			good = false;
		}
	}
	fputc('.', to);
	fflush(to);
	fprintf(to, "%016llx\n", (unsigned long long)hash_bytes(HASH_TEXT, text, size));
	if (fclose(to))
		out_of_memory();
	if (good)
		put_packed(text, size);
	free(text);
	return good;
}

int cmd_signatures(int argc, char **argv)
{
	struct sig_makers makers = { };
	int i = options_parse(&options, argc, argv, -1);
	bool good;

	if (i < 0)
		return ~i;
	if (running ? i < argc || nr_ids : i == argc && !nr_ids) {
		complain("--running, --debuginfod, a vmlinux, a module or a folder is wanted");
		return out_close(STATUS_USAGE);
	}
	if (running)
		makers.failed = !read_running(&makers);
	else
		makers.failed = !read_debuginfod(&makers);
	for (; i < argc; i++)
		read_path(&makers, argv[i]);
	good = makers.nr && !makers.failed;
	if (!makers.nr && !makers.failed)
		complain("no signatures found");
	good = good && put_makers(&makers);
	while (makers.nr) {
		sigfile_free(makers.sets[--makers.nr]);
		free(makers.sets[makers.nr]);
	}
	free(makers.sets);
	free(ids);
	return out_close(good ? STATUS_GOOD : STATUS_FAILED);
}
