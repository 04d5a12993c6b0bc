// SPDX-License-Identifier: GPL-2.0
/*
 * Write the lines and branches that ran, in the format of lcov (geninfo(1), "FILES")
 *
 * The instructions of each function that ran are decoded one after the other.  The count of
 * a line is the highest count of its instructions.  If a line is in several functions,
 * because it is inlined, the counts of the functions are added.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/**
 * struct covered - an instruction of a line, a conditional jump, or the first line of a function
 * @file: the index of the line's file
 * @line: the number of the line
 * @image: the number of the image
 * @addr: the address of the instruction's function, or of the jump; 0 for a function
 * @name: the function's name, "" for an instruction and for a jump
 * @nr: the count of the instruction, the jump or the function's first instruction
 * @taken: the count of the jump when it was taken
 */
struct covered {
	u32		file;
	int		line;
	u32		image;
	u64		addr;
	const char	*name;
	u64		nr;
	u64		taken;
};

/**
 * struct list - a growing array of items
 * @items: the items
 * @nr: number of items
 */
struct list {
	struct covered	*items;
	u32		nr;
};

static struct list runs, jumps, entries;
static char **paths;
static u32 nr_paths;

/* The image that is covered, and its pairs */
static u32 nr_images;
static struct pairs all_ranges, all_taken;

static void add_covered(struct list *list, struct covered item)
{
	*(struct covered *)array_add(&list->items, &list->nr, sizeof(item)) = item;
}

/* Find the index of a path, and take ownership of the path */
static u32 find_path_index(char *path)
{
	static size_t last;
	size_t i;

	/* Start with the last file, because lines of a file follow each other */
	for (i = nr_paths ? last : 0; i < nr_paths + last; i++) {
		if (!strcmp(paths[i % nr_paths], path)) {
			free(path);
			last = i % nr_paths;
			return last;
		}
	}
	*(char **)array_add(&paths, &nr_paths, sizeof(path)) = path;
	last = nr_paths - 1;
	return last;
}

/* Find the first pair whose first address is not below @addr */
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

	for (i = find_pair(&all_taken, addr);
	     i < all_taken.nr && all_taken.pairs[i].first == addr; i++)
		nr += all_taken.pairs[i].nr;
	return nr;
}

static void put_insn(u64 func, u64 addr, u32 file, int line, u64 nr, enum bts_kind kind)
{
	struct covered item = { file, line, nr_images, func, "", nr };

	add_covered(&runs, item);
	if (kind != BTS_KIND_CONDITIONAL)
		return;
	item.addr = addr;
	item.taken = count_taken(addr);
	add_covered(&jumps, item);
}

/*
 * Compute the count of each byte of a function from the ranges that begin in the function.
 * The caller frees the counts.
 */
static u64 *count_bytes(u64 addr, u64 size)
{
	u32 i = find_pair(&all_ranges, addr);
	const struct pair *range;
	u64 *counts, at;

	counts = xcalloc(size + 1, sizeof(*counts));
	for (; i < all_ranges.nr; i++) {
		range = &all_ranges.pairs[i];
		if (range->first - addr >= size)
			break;
		counts[range->first - addr] += range->nr;
		counts[min(range->last - addr, size - 1) + 1] -= range->nr;
	}
	for (at = 1; at < size; at++)
		counts[at] += counts[at - 1];
	return counts;
}

static void cover_function(struct image *image, const char *name, u64 addr, u64 size)
{
	u32 i = find_pair(&all_ranges, addr), file;
	struct covered entry;
	enum bts_kind kind;
	u64 *counts, at, target;
	unsigned int len;
	char *path;
	int line;

	if (i == all_ranges.nr || all_ranges.pairs[i].first - addr >= size)
		return;
	counts = count_bytes(addr, size);
	for (at = 0; at < size; at += len) {
		len = image_decode(image, addr + at, &kind, &target);
		if (!len)
			break;
		path = source_line(image, addr + at, &line);
		if (!path)
			continue;
		file = find_path_index(path);
		put_insn(addr, addr + at, file, line, counts[at], kind);
		entry = (struct covered){ file, line, nr_images, 0, name, counts[0] };
		if (!at)
			add_covered(&entries, entry);
	}
	free(counts);
}

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_covered(const void *a, const void *b)
{
	const struct covered *one = a, *other = b;

	return compare_u64(one->file, other->file) ?: compare_u64(one->line, other->line) ?:
	       compare_u64(one->image, other->image) ?: compare_u64(one->addr, other->addr) ?:
	       strcmp(one->name, other->name);
}

/* Whether two items are of the same function, or the same jump */
static bool same_code(const struct covered *one, const struct covered *other)
{
	return one->image == other->image && one->addr == other->addr;
}

static void sort_list(struct list *list)
{
	if (list->nr)
		qsort(list->items, list->nr, sizeof(*list->items), compare_covered);
}

/* Write the number of items of a kind, and of those that ran */
static void lcov_put_counts(const char *kind, u64 found, u64 hit)
{
	out_printf("%sF:%llu\n%sH:%llu\n", kind, (unsigned long long)found, kind,
		   (unsigned long long)hit);
}

static void lcov_put_entries(u32 file, size_t *next)
{
	const struct covered *all = entries.items;
	size_t first = *next, i;
	u64 hit = 0;

	for (; *next < entries.nr && all[*next].file == file; (*next)++)
		out_printf("FN:%d,%s\n", all[*next].line, all[*next].name);
	for (i = first; i < *next; i++) {
		out_printf("FNDA:%llu,%s\n", (unsigned long long)all[i].nr, all[i].name);
		hit += !!all[i].nr;
	}
	lcov_put_counts("FN", *next - first, hit);
}

static void lcov_put_jumps(u32 file, size_t *next)
{
	const struct covered *all = jumps.items, *jump;
	u64 found = 0, hit = 0, block = 0, taken;
	int i;

	for (; *next < jumps.nr && all[*next].file == file; (*next)++) {
		jump = &all[*next];
		/* If the function has several names, write its jumps once */
		if (found && same_code(jump, jump - 1))
			continue;
		block = found && jump->line == jump[-1].line ? block + 1 : 0;
		for (i = 0; i < 2; i++) {
			/* Interrupts may come between the jump and its target */
			taken = i ? jump->nr - min(jump->taken, jump->nr) : jump->taken;
			out_printf("BRDA:%d,%llu,%d,", jump->line, (unsigned long long)block, i);
			if (jump->nr || jump->taken)
				out_printf("%llu\n", (unsigned long long)taken);
			else
				out_puts("-\n");
			found++;
			hit += !!taken;
		}
	}
	lcov_put_counts("BR", found, hit);
}

static void lcov_put_lines(u32 file, size_t *next)
{
	const struct covered *all = runs.items, *run;
	u64 found = 0, hit = 0, sum = 0, most = 0;
	bool last;

	for (; *next < runs.nr && all[*next].file == file; (*next)++) {
		run = &all[*next];
		most = max(most, run->nr);
		last = *next + 1 == runs.nr || run[1].file != file || run[1].line != run->line;
		if (!last && same_code(run, run + 1))
			continue;
		sum += most;
		most = 0;
		if (!last)
			continue;
		out_printf("DA:%d,%llu\n", run->line, (unsigned long long)sum);
		found++;
		hit += !!sum;
		sum = 0;
	}
	lcov_put_counts("L", found, hit);
}

/* Write the lines and branches that ran. Returns false if no line is known. */
bool coverage_put(void)
{
	size_t entry = 0, jump = 0, run = 0;
	struct image *image;
	u32 i;

	for (image = images_all(); image; image = image->next, nr_images++) {
		all_ranges = pairs_sort(&image->ranges);
		all_taken = pairs_sort(&image->taken);
		image_functions(image, cover_function);
		free(all_ranges.pairs);
		free(all_taken.pairs);
	}
	sort_list(&runs);
	sort_list(&jumps);
	sort_list(&entries);
	for (i = 0; i < nr_paths; i++) {
		out_printf("TN:\nSF:%s\n", paths[i]);
		lcov_put_entries(i, &entry);
		lcov_put_jumps(i, &jump);
		lcov_put_lines(i, &run);
		out_puts("end_of_record\n");
		free(paths[i]);
	}
	free(paths);
	free(entries.items);
	free(jumps.items);
	free(runs.items);
	return nr_paths;
}
