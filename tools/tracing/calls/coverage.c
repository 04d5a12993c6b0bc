// SPDX-License-Identifier: GPL-2.0
/*
 * The lines and branches that were run, in the format of lcov (geninfo(1), "FILES")
 *
 * For each function that was run at all, its instructions are decoded one after the
 * other.  The count of a line is that of its instruction that was run most often; where
 * the line is in several functions, because it is inlined, these counts are added.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/**
 * struct run - an instruction of a line
 * @file: the index of its file
 * @line: its line
 * @func: the address of its function
 * @nr: how often the instruction was run
 */
struct run {
	u32	file;
	int	line;
	u64	func;
	u64	nr;
};

/**
 * struct jump - a conditional jump
 * @file: the index of its file
 * @line: its line
 * @addr: its address
 * @nr: how often it was run
 * @taken: how often it was taken
 */
struct jump {
	u32	file;
	int	line;
	u64	addr;
	u64	nr;
	u64	taken;
};

/**
 * struct entry - a function
 * @file: the index of the file where it begins
 * @line: the line
 * @name: its name
 * @nr: how often its first instruction was run
 */
struct entry {
	u32		file;
	int		line;
	const char	*name;
	u64		nr;
};

/**
 * struct list - an array that grows
 * @items: its items
 * @size: bytes of an item
 * @nr: how many there are
 * @room: how many there is room for
 */
struct list {
	void	*items;
	size_t	size;
	size_t	nr;
	size_t	room;
};

static struct list runs = { .size = sizeof(struct run) };
static struct list jumps = { .size = sizeof(struct jump) };
static struct list entries = { .size = sizeof(struct entry) };
static struct list paths = { .size = sizeof(char *) };

static const struct pairs *all_ranges, *all_taken;

/* A new item of a list, NULL without memory */
static void *add(struct list *list)
{
	void *items = array_grow(list->items, &list->room, list->nr + 1, list->size);

	if (!items)
		return NULL;
	list->items = items;
	return items + list->size * list->nr++;
}

/* The index of a path, which is taken over; -1 without memory */
static int find_path(char *path)
{
	char **known = paths.items, **new;
	static size_t last;
	size_t i;

	/* Lines of a file follow each other */
	for (i = paths.nr ? last : 0; i < paths.nr + last; i++) {
		if (!strcmp(known[i % paths.nr], path)) {
			free(path);
			last = i % paths.nr;
			return last;
		}
	}
	new = add(&paths);
	if (!new)
		return -1;
	*new = path;
	last = paths.nr - 1;
	return last;
}

/* The first of the pairs whose first address is @addr or behind */
static u32 find_pair(const struct pairs *pairs, u64 addr)
{
	u32 low = 0, high = pairs->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (pairs->pairs[middle].first < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static u64 count_taken(u64 addr)
{
	u64 nr = 0;
	u32 i;

	for (i = find_pair(all_taken, addr);
	     i < all_taken->nr && all_taken->pairs[i].first == addr; i++)
		nr += all_taken->pairs[i].nr;
	return nr;
}

static bool put_insn(u64 func, u64 addr, u32 file, int line, u64 nr, enum bts_kind kind)
{
	struct run *run = add(&runs);
	struct jump *jump;

	if (!run)
		return false;
	*run = (struct run){ file, line, func, nr };
	if (kind != BTS_KIND_CONDITIONAL)
		return true;
	jump = add(&jumps);
	if (!jump)
		return false;
	*jump = (struct jump){ file, line, addr, nr, count_taken(addr) };
	return true;
}

/* How often each byte of a function was run, by the ranges that begin in it; to be freed */
static u64 *count_bytes(u64 addr, u64 size)
{
	u32 i = find_pair(all_ranges, addr);
	const struct pair *range;
	u64 *counts, at;

	counts = calloc(size + 1, sizeof(*counts));
	for (; counts && i < all_ranges->nr; i++) {
		range = &all_ranges->pairs[i];
		if (range->first - addr >= size)
			break;
		counts[range->first - addr] += range->nr;
		counts[min(range->last - addr, size - 1) + 1] -= range->nr;
	}
	for (at = 1; counts && at < size; at++)
		counts[at] += counts[at - 1];
	return counts;
}

static bool put_function(struct image *image, const char *name, u64 addr, u64 inside,
			 u64 size, void *data)
{
	u32 i = find_pair(all_ranges, addr);
	struct entry *entry;
	enum bts_kind kind;
	u64 *counts, at, target;
	unsigned int len;
	bool ok = true;
	int file, line;
	char *path;

	if (i == all_ranges->nr || all_ranges->pairs[i].first - addr >= size)
		return true;
	counts = count_bytes(addr, size);
	if (!counts)
		return false;
	for (at = 0; ok && at < size; at += len) {
		len = text_decode(addr + at, &kind, &target);
		if (!len)
			break;
		path = source_line(image, inside + at, &line);
		if (!path)
			continue;
		file = find_path(path);
		ok = file >= 0 && put_insn(addr, addr + at, file, line, counts[at], kind);
		if (ok && !at) {
			entry = add(&entries);
			ok = entry;
			if (entry)
				*entry = (struct entry){ file, line, name, counts[0] };
		}
	}
	free(counts);
	return ok;
}

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_runs(const void *a, const void *b)
{
	const struct run *one = a, *other = b;

	return compare(one->file, other->file) ?: compare(one->line, other->line) ?:
	       compare(one->func, other->func);
}

static int compare_jumps(const void *a, const void *b)
{
	const struct jump *one = a, *other = b;

	return compare(one->file, other->file) ?: compare(one->line, other->line) ?:
	       compare(one->addr, other->addr);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return compare(one->file, other->file) ?: compare(one->line, other->line) ?:
	       strcmp(one->name, other->name);
}

static void sort(struct list *list, int (*by)(const void *a, const void *b))
{
	if (list->nr)
		qsort(list->items, list->nr, list->size, by);
}

static void put_number(const char *before, u64 nr, const char *behind)
{
	out_puts(before);
	out_udec(nr);
	out_puts(behind);
}

static void put_entries(u32 file, size_t *next)
{
	const struct entry *all = entries.items;
	size_t first = *next, i;
	u64 hit = 0;

	for (; *next < entries.nr && all[*next].file == file; (*next)++) {
		put_number("FN:", all[*next].line, ",");
		out_puts(all[*next].name);
		out_puts("\n");
	}
	for (i = first; i < *next; i++) {
		put_number("FNDA:", all[i].nr, ",");
		out_puts(all[i].name);
		out_puts("\n");
		hit += !!all[i].nr;
	}
	put_number("FNF:", *next - first, "\n");
	put_number("FNH:", hit, "\n");
}

static void put_jumps(u32 file, size_t *next)
{
	const struct jump *all = jumps.items, *jump;
	u64 found = 0, hit = 0, block = 0, taken;
	int i;

	for (; *next < jumps.nr && all[*next].file == file; (*next)++) {
		jump = &all[*next];
		/* The function has several names */
		if (found && jump->addr == jump[-1].addr && jump->file == jump[-1].file)
			continue;
		block = found && jump->line == jump[-1].line ? block + 1 : 0;
		for (i = 0; i < 2; i++) {
			/* Interrupts may come between the jump and its target */
			taken = i ? jump->nr - min(jump->taken, jump->nr) : jump->taken;
			put_number("BRDA:", jump->line, ",");
			put_number("", block, i ? ",1," : ",0,");
			if (jump->nr || jump->taken)
				put_number("", taken, "\n");
			else
				out_puts("-\n");
			found++;
			hit += !!taken;
		}
	}
	put_number("BRF:", found, "\n");
	put_number("BRH:", hit, "\n");
}

static void put_lines(u32 file, size_t *next)
{
	const struct run *all = runs.items, *run;
	u64 found = 0, hit = 0, sum = 0, most = 0;
	bool last;

	for (; *next < runs.nr && all[*next].file == file; (*next)++) {
		run = &all[*next];
		most = max(most, run->nr);
		last = *next + 1 == runs.nr || run[1].file != file || run[1].line != run->line;
		if (!last && run[1].func == run->func)
			continue;
		sum += most;
		most = 0;
		if (!last)
			continue;
		put_number("DA:", run->line, ",");
		put_number("", sum, "\n");
		found++;
		hit += !!sum;
		sum = 0;
	}
	put_number("LF:", found, "\n");
	put_number("LH:", hit, "\n");
}

/**
 * coverage_put - write the lines and branches that were run
 * @ranges: how often ranges of instructions were run
 * @taken: how often branches were taken
 *
 * Return: 1, 0 if no line is known, -1 without memory.
 */
int coverage_put(const struct pairs *ranges, const struct pairs *taken)
{
	int found;
	size_t entry = 0, jump = 0, run = 0;
	char **path;
	bool ok;
	u32 i;

	all_ranges = ranges;
	all_taken = taken;
	ok = images_functions(put_function, NULL);
	found = !ok ? -1 : !!paths.nr;
	sort(&runs, compare_runs);
	sort(&jumps, compare_jumps);
	sort(&entries, compare_entries);
	for (i = 0; i < paths.nr; i++) {
		path = (char **)paths.items + i;
		out_puts("TN:\nSF:");
		out_puts(*path);
		out_puts("\n");
		put_entries(i, &entry);
		put_jumps(i, &jump);
		put_lines(i, &run);
		out_puts("end_of_record\n");
		free(*path);
	}
	free(paths.items);
	free(entries.items);
	free(jumps.items);
	free(runs.items);
	return found;
}
