// SPDX-License-Identifier: GPL-2.0
/*
 * Find source lines in vmlinux and modules with elfutils' libdwfl
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/* A file that shows the root of a kernel's source */
#define ROOT_FILE	"/init/main.c"

struct branches_choice branches_choice = { .sysroot = "" };

/* Remove "./" and "NAME/.." from a path */
static void clean_path(char *path)
{
	char *from = path, *to = path, *last;

	while (*from) {
		if (!strncmp(from, "/./", 3)) {
			from += 2;
		} else if (!strncmp(from, "/../", 4) && to > path) {
			*to = '\0';
			last = strrchr(path, '/');
			if (!last)
				break;
			to = last;
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	memmove(to, from, strlen(from) + 1);
}

/*
 * Find the path of a unit's file, which the caller frees. Names may be relative to the
 * unit's folder.
 */
static char *full_path(Dwarf_Die *unit, const char *name)
{
	const char *dir = NULL;
	Dwarf_Attribute attr;
	char *path;

	if (name && *name != '/')
		dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	if (!name || asprintf(&path, "%s%s%s", dir ?: "", dir ? "/" : "", name) < 0)
		return NULL;
	clean_path(path);
	return path;
}

/*
 * Find the folder of a kernel's source.  The names in a module from another folder begin
 * with the folder of the module's first file.
 */
static void find_root(struct image *image)
{
	Dwarf_Die *unit = NULL;
	char *path, *end;
	Dwarf_Addr bias;

	image->root = xstrdup("");
	while ((unit = dwfl_module_nextcu(image->mod, unit, &bias))) {
		path = full_path(unit, dwarf_diename(unit));
		end = path ? strrchr(path, '/') : NULL;
		if (!end) {
			free(path);
			continue;
		}
		if (image->is_module) {
			end[1] = '\0';
		} else if (end - path >= 5 && !strcmp(end - 5, ROOT_FILE)) {
			end[-4] = '\0';
		} else {
			free(path);
			continue;
		}
		free(image->root);
		image->root = path;
		return;
	}
}

static void source_add_line(struct image *image, FILE *text, Dwarf_Die *unit,
			    const char *file, int line)
{
	size_t root = strlen(image->root ?: "");
	char *path = full_path(unit, file);

	if (path && root && !strncmp(path, image->root, root))
		fprintf(text, "%s:%d", path + root, line);
	else
		fprintf(text, "%s:%d", path ?: "?", line);
	free(path);
}

static FILE *open_source(struct image *image, const char *path)
{
	size_t root = strlen(image->root ?: "");
	FILE *file = NULL;
	char *inside;

	if (!strncmp(path, image->root ?: "", root))
		path += root;
	if (asprintf(&inside, "%s/%s", branches_choice.source, path) >= 0) {
		file = fopen(inside, "re");
		free(inside);
	}
	return file;
}

/* Add the text of the line if its file is found */
static void source_add_text(struct image *image, FILE *out, Dwarf_Die *unit, const char *name,
			    int number)
{
	char *path = full_path(unit, name), *line = NULL, *begin, *end;
	FILE *file = path ? open_source(image, path) : NULL;
	size_t room = 0;
	ssize_t len = -1;

	while (file && number-- > 0 && (len = getline(&line, &room, file)) >= 0)
		;
	if (file && len > 0) {
		begin = line + strspn(line, " \t");
		/* The text is shown in a comment, so cut it at a comment */
		end = strstr(begin, "/*") ?: begin + strlen(begin);
		while (end > begin && strchr(" \t\r\n", end[-1]))
			end--;
		*end = '\0';
		if (*begin && !strstr(begin, "*/"))
			fprintf(out, ": %s", begin);
	}
	if (file)
		fclose(file);
	free(line);
	free(path);
}

static bool unsigned_attr(Dwarf_Die *die, unsigned int name, Dwarf_Word *val)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, val);
}

/* Add the inlined functions, the innermost first, and the lines of their calls */
static void add_inlined(struct image *image, FILE *text, Dwarf_Die *unit, u64 addr)
{
	Dwarf_Die *scopes = NULL, *chain = NULL;
	int nr = dwarf_getscopes(unit, addr, &scopes), i;
	Dwarf_Files *files;
	Dwarf_Word file, line;
	const char *name;

	for (i = 0; i < nr; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine ||
		    dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
	if (i < nr && dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
	    !dwarf_getsrcfiles(unit, &files, NULL)) {
		/*
		 * Use the scopes that contain the address, not the scopes in the source
		 */
		nr = dwarf_getscopes_die(&scopes[i], &chain);
		for (i = 0; i < nr; i++) {
			if (dwarf_tag(&chain[i]) != DW_TAG_inlined_subroutine)
				continue;
			name = dwarf_diename(&chain[i]);
			fprintf(text, "%s %s() < ", branches_choice.source ? " in" : "",
				name ?: "?");
			name = NULL;
			if (unsigned_attr(&chain[i], DW_AT_call_file, &file))
				name = dwarf_filesrc(files, file, NULL, NULL);
			if (!unsigned_attr(&chain[i], DW_AT_call_line, &line))
				line = 0;
			source_add_line(image, text, unit, name, line);
		}
	}
	free(scopes);
	free(chain);
}

/*
 * Find the file, the line and the unit of an address. Returns NULL if they are not known.
 */
static const char *find_line(struct image *image, u64 inside, Dwarf_Die **unit,
			     Dwarf_Addr *bias, int *number)
{
	Dwfl_Line *line;

	*unit = dwfl_module_addrdie(image->mod, inside, bias);
	/* For code without debug info, libdwfl returns the unit before the code */
	if (!*unit || dwarf_haspc(*unit, inside - *bias) <= 0)
		return NULL;
	line = dwfl_module_getsrc(image->mod, inside);
	return line ? dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL) : NULL;
}

/*
 * Find the file and the line of an address of libdwfl. The caller frees the file's path, which is
 * NULL if it is not known.
 */
char *source_line(struct image *image, u64 inside, int *number)
{
	Dwarf_Die *unit;
	Dwarf_Addr bias;
	const char *file = find_line(image, inside, &unit, &bias, number);

	return file && *number > 0 ? full_path(unit, file) : NULL;
}

/*
 * Find the source line of an address of libdwfl: "FILE:LINE", and "FILE:LINE function() <
 * FILE:LINE" for an inlined function; with --source, "FILE:LINE: TEXT" and "FILE:LINE: TEXT in
 * function() < FILE:LINE". The caller frees the text, which is NULL if the line is not known.
 */
char *source_find(struct image *image, u64 inside)
{
	Dwarf_Die *unit;
	Dwarf_Addr bias;
	int number;
	const char *file = find_line(image, inside, &unit, &bias, &number);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!file)
		return NULL;
	if (!image->root)
		find_root(image);
	out = allocated(open_memstream(&text, &size));
	source_add_line(image, out, unit, file, number);
	if (branches_choice.source)
		source_add_text(image, out, unit, file, number);
	add_inlined(image, out, unit, inside - bias);
	fclose(out);
	return text;
}
