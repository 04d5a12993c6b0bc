// SPDX-License-Identifier: GPL-2.0
/*
 * The code of trace-calls branches --range, whose branches are shown
 *
 * A line is one of the kernel's file bts_range, or FILE:SYMBOL for user space.  The decision about
 * an address is kept in its place, because branches repeat the same addresses.  A function may have
 * several names.  The place has one of them, and the image of the code has all.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/**
 * struct range_line - a line of --range
 * @text: the line
 * @globs: the parts of the line
 * @file: the glob of files in @globs, NULL for the kernel
 * @module: the module in @globs, NULL for all code
 * @symbol: the glob of symbols in @globs, NULL for addresses
 * @versioned: the glob of symbols with a version
 * @begin: the first address
 * @end: the address after the last
 * @names: the images that were searched, and the begins of the functions that match, of struct pair
 * @found: a branch begins or ends in the code
 */
struct range_line {
	const char	*text;
	char		*globs;
	const char	*file;
	const char	*module;
	const char	*symbol;
	char		*versioned;
	u64		begin;
	u64		end;
	struct hash	names;
	bool		found;
};

/* What place::range says */
enum {
	RANGE_UNKNOWN, RANGE_OUTSIDE, RANGE_INSIDE,
};

static struct range_line *lines;
static unsigned int nr_lines;
/* The line whose functions are searched for */
static struct range_line *searching;

/* Read 0xBEGIN-0xEND. Returns false if the line is malformed. */
static bool read_addresses(struct range_line *line)
{
	unsigned long long begin, end;
	int len = 0;

	if (sscanf(line->text, "%llx-%llx%n", &begin, &end, &len) < 2 || line->text[len])
		return false;
	line->begin = begin;
	line->end = end;
	return begin < end;
}

/* Read GLOB, GLOB:mod:MODULE or FILE:SYMBOL. Returns false if a part is empty. */
static bool read_globs(struct range_line *line)
{
	char *colon = strchr(line->globs, ':');

	line->symbol = line->globs;
	if (colon && !strncmp(colon, ":mod:", 5)) {
		line->module = colon + 5;
		*colon = '\0';
	} else if (colon) {
		/* A path may have a colon, and a symbol has none */
		colon = strrchr(colon, ':');
		line->file = line->globs;
		line->symbol = colon + 1;
		*colon = '\0';
	}
	if (asprintf(&line->versioned, "%s@*", line->symbol) < 0)
		out_of_memory();
	return *line->globs && *line->symbol && (!line->module || *line->module);
}

/* Add a line. Returns false if the line is malformed. */
bool range_add(const char *text)
{
	struct range_line *line = array_add(&lines, &nr_lines, sizeof(*line));

	*line = (struct range_line){ .text = text, .globs = xstrdup(text) };
	return strncmp(text, "0x", 2) ? read_globs(line) : read_addresses(line);
}

static bool name_fits(const struct range_line *line, const char *name)
{
	return !fnmatch(line->symbol, name, 0) || !fnmatch(line->versioned, name, 0);
}

static void note_name(struct image *image, const char *name, u64 inside, u64 size)
{
	if (name_fits(searching, name))
		pair_find(&searching->names, inside, (uintptr_t)image)->nr = 1;
}

/* Whether one of the names of a function matches that begins at @inside in an image */
static bool begin_fits(struct range_line *line, struct image *image, u64 inside)
{
	struct pair *searched = pair_find(&line->names, ~0ULL, (uintptr_t)image);

	if (!searched->nr) {
		searched->nr = 1;
		searching = line;
		image_functions(image, note_name);
	}
	return pair_find(&line->names, inside, (uintptr_t)image)->nr;
}

/* Whether an image is a module. As in the module's name, "_" takes the place of "-". */
static bool is_module(const struct image *image, const char *module)
{
	const char *name;

	if (!image || !image->is_module)
		return false;
	name = strrchr(image->name, '/');
	for (name = name ? name + 1 : image->name; *module; name++, module++)
		if (*name != *module && (*name != '-' || *module != '_'))
			return false;
	return *name == '.';
}

/* Whether a line names a file of user space, by its path or by the last part of the path */
static bool is_file(const struct area *area, const char *glob)
{
	const char *path = area ? area_path(area) : "";

	return area && (!fnmatch(glob, path, 0) || !fnmatch(glob, strrchr(path, '/') + 1, 0));
}

static bool line_has(struct range_line *line, const struct place *place)
{
	struct image *image;
	u64 inside;

	if (!line->symbol)
		return place->addr >= line->begin && place->addr < line->end;
	if (!place->name || (line->file ? !is_file(place->area, line->file) : !!place->area))
		return false;
	image = place_image(place, &inside);
	if (line->module && !is_module(image, line->module))
		return false;
	return name_fits(line, place->name) ||
	       (image && begin_fits(line, image, inside - (place->addr - place->func)));
}

/* Whether the address of a branch is in the code that is shown */
bool range_has_place(struct place *place)
{
	struct range_line *line;

	if (!nr_lines)
		return true;
	if (place->range == RANGE_UNKNOWN) {
		place->range = RANGE_OUTSIDE;
		for (line = lines; line < lines + nr_lines; line++) {
			if (!line_has(line, place))
				continue;
			line->found = true;
			place->range = RANGE_INSIDE;
		}
	}
	return place->range == RANGE_INSIDE;
}

/* Whether a branch begins or ends in the code that is shown */
bool range_has(const struct branch *branch)
{
	bool from = range_has_place(branch->from);

	/* Each address is looked at, because range_check() needs @found of each line */
	return range_has_place(branch->to) || from;
}

/* Print a message about lines without branches. Returns false if there is such a line. */
bool range_check(const char *file)
{
	const struct range_line *line;
	bool ok = true;

	for (line = lines; line < lines + nr_lines; line++) {
		if (line->found)
			continue;
		complain("%s: no branch begins or ends in %s%s", file, line->text,
			 line->module ? ": --vmlinux has to name the module's file" : "");
		ok = false;
	}
	return ok;
}

void range_free(void)
{
	while (nr_lines) {
		free(lines[--nr_lines].globs);
		free(lines[nr_lines].versioned);
		hash_free(&lines[nr_lines].names, NULL);
	}
	free(lines);
	lines = NULL;
}
