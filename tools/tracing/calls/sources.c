// SPDX-License-Identifier: GPL-2.0
/*
 * The lines of source in vmlinux and modules, by elfutils' libdwfl
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "branches.h"
#include "calls.h"
#include "images.h"

/* The file of a kernel's source that is found in its root */
#define ROOT_FILE	"/init/main.c"

/* The folder of the kernel's source, NULL if the lines themselves are not shown */
static const char *texts_dir;

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

/* The path of a file of a unit, to be freed; names may begin in the unit's folder */
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
 * Find the folder of a kernel's source.  The names in a module of another folder begin
 * with the folder of its first file.
 */
static void find_root(struct image *image)
{
	Dwarf_Die *unit = NULL;
	char *path, *end;
	Dwarf_Addr bias;

	image->root = strdup("");
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

static void add_line(struct image *image, FILE *text, Dwarf_Die *unit,
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
	if (asprintf(&inside, "%s/%s", texts_dir, path) >= 0) {
		file = fopen(inside, "re");
		free(inside);
	}
	return file;
}

/* The line itself, if its file is here */
static void add_text(struct image *image, FILE *out, Dwarf_Die *unit, const char *name,
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
		/* It is shown in a comment */
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

/* The functions that are inlined, the innermost first, and where they are called */
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
		/* What contains it by address, not by the source */
		nr = dwarf_getscopes_die(&scopes[i], &chain);
		for (i = 0; i < nr; i++) {
			if (dwarf_tag(&chain[i]) != DW_TAG_inlined_subroutine)
				continue;
			name = dwarf_diename(&chain[i]);
			fprintf(text, "%s %s() < ", texts_dir ? " in" : "", name ?: "?");
			name = NULL;
			if (unsigned_attr(&chain[i], DW_AT_call_file, &file))
				name = dwarf_filesrc(files, file, NULL, NULL);
			if (!unsigned_attr(&chain[i], DW_AT_call_line, &line))
				line = 0;
			add_line(image, text, unit, name, line);
		}
	}
	free(scopes);
	free(chain);
}

/* The file and the line of an address, and the unit that it is in; NULL if not known */
static const char *find_line(struct image *image, u64 inside, Dwarf_Die **unit,
			     Dwarf_Addr *bias, int *number)
{
	Dwfl_Line *line;

	*unit = dwfl_module_addrdie(image->mod, inside, bias);
	/* libdwfl takes the last unit for code without debug info behind it */
	if (!*unit || dwarf_haspc(*unit, inside - *bias) <= 0)
		return NULL;
	line = dwfl_module_getsrc(image->mod, inside);
	return line ? dwfl_lineinfo(line, NULL, number, NULL, NULL, NULL) : NULL;
}

/**
 * source_texts - show the lines of source themselves, too
 * @dir: the folder of the kernel's source
 */
void source_texts(const char *dir)
{
	texts_dir = dir;
}

/**
 * source_line - the file and the line of an address
 * @image: the image that the address is in
 * @inside: the address by libdwfl
 * @number: set to the line
 *
 * Return: the file's path, which is to be freed; NULL if that is not known.
 */
char *source_line(struct image *image, u64 inside, int *number)
{
	Dwarf_Die *unit;
	Dwarf_Addr bias;
	const char *file = find_line(image, inside, &unit, &bias, number);

	return file && *number > 0 ? full_path(unit, file) : NULL;
}

/**
 * source_find - the line of source of an address
 * @image: the image that the address is in
 * @inside: the address by libdwfl
 *
 * Return: "FILE:LINE", and "FILE:LINE function() < FILE:LINE" for an inlined function;
 * with source_texts(), "FILE:LINE: TEXT" and "FILE:LINE: TEXT in function() < FILE:LINE".
 * NULL if that is not known.  The text is to be freed.
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
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	add_line(image, out, unit, file, number);
	if (texts_dir)
		add_text(image, out, unit, file, number);
	add_inlined(image, out, unit, inside - bias);
	fclose(out);
	return text;
}
