// SPDX-License-Identifier: GPL-2.0
/*
 * bts-raw [-n|-s] TYPE CPU FILE
 *
 * Prints the branches of FILE, one line each, as bts-log does. FILE was read from
 * per_cpu/cpuCPU/trace_pipe_raw. TYPE is the event type of blocks of branches, the ID
 * in events/ftrace/bts/format.
 *
 *	CPU FROM TO [mispredicted]
 *
 * These lines come before the first branch of a block that has marks, or that does not
 * continue the previous block:
 *
 *	# CPU pid PID
 *	# CPU paused
 *	# CPU gap
 *	# CPU dropped
 *	# CPU lost NUMBER
 *
 *   -n		print only branches, as NUMBER FROM TO [mispredicted]
 *   -s		print only the numbers of branches, blocks, bytes of data, events and pages
 *
 * The program is an independent reader. From the kernel it uses only
 * bts/codec.h, the layout of an event in its format file, and the layout of a
 * page (events/header_page and events/header_event).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bts/codec.h"
#include "../bts-cpu/bts-log.h"

#define PAGE_SIZE	4096
#define PAGE_HEADER	16		/* time stamp, length of the data */
#define PAGE_LENGTH	0xfffff		/* higher bits: flags of lost events */

/* type_len of an event */
#define TYPE_SMALL_MAX	28		/* maximum of lengths in words */
#define TYPE_PADDING	29
#define TYPE_EXTEND	30
#define TYPE_STAMP	31

#define MARK_GAP	1
#define MARK_TASK	2
#define MARK_DROPPED	4
#define MARK_PAUSED	8

struct block {
	uint16_t	type;
	uint8_t		flags;
	uint8_t		preempt;
	int32_t		pid;
	uint64_t	first;
	uint64_t	number;
	uint64_t	since;
	uint32_t	modules;
	uint32_t	missed;
	uint16_t	nr;
	uint8_t		marks;
	uint8_t		version;
	uint8_t		data[];
};

static struct {
	unsigned long long branches, blocks, data, events, pages, next;
} sum;

static unsigned int type, cpu;
static int figures, numbers;

static void die(const char *why)
{
	fprintf(stderr, "bts-raw: page %llu: %s\n", sum.pages, why);
	exit(1);
}

static void print_marks(const struct block *block)
{
	if (block->first < sum.next)
		die("a block has branches of the one before it");
	if (block->first != sum.next)
		printf("# %u lost %llu\n", cpu, block->first - sum.next);
	if (block->marks & MARK_DROPPED)
		printf("# %u dropped\n", cpu);
	if (block->marks & MARK_PAUSED)
		printf("# %u paused\n", cpu);
	if (block->marks & MARK_GAP)
		printf("# %u gap\n", cpu);
	if (block->marks & MARK_TASK || !sum.blocks)
		printf("# %u pid %d\n", cpu, block->pid);
}

static void print_branch(const struct bts_decoder *dec, unsigned long long first)
{
	char line[64], *s = line + sprintf(line, "%llu ", first);

	s = put_hex(s, dec->from);
	*s++ = ' ';
	s = put_hex(s, dec->to);
	*s = '\0';
	fputs(line, stdout);
	puts(dec->predicted ? "" : " mispredicted");
}

static void print_block(const void *data, unsigned int size)
{
	const struct block *block = data;
	struct bts_decoder dec;
	unsigned int nr = 0;

	if (size < sizeof(*block))
		die("an event is shorter than a block");
	if (!figures && !numbers)
		print_marks(block);
	bts_decode_start(&dec, block->data, size - sizeof(*block), block->nr, block->version);
	while (bts_decode(&dec) == 1) {
		nr++;
		if (!figures)
			print_branch(&dec, numbers ? block->number + dec.at : cpu);
	}
	if (nr != block->nr || dec.end - dec.pos > 3)
		die("a block does not have the branches that it says");
	sum.next = block->first + nr;
	sum.branches += nr;
	sum.blocks++;
	sum.data += dec.pos - block->data;
}

static void print_page(const uint8_t *page)
{
	uint32_t head, size;
	uint64_t length;
	unsigned int pos, end;

	memcpy(&length, page + 8, 8);
	length &= PAGE_LENGTH;
	if (length > PAGE_SIZE - PAGE_HEADER)
		die("it is longer than a page");
	end = PAGE_HEADER + length;
	sum.pages++;
	for (pos = PAGE_HEADER; pos + 4 <= end; pos += size) {
		memcpy(&head, page + pos, 4);
		pos += 4;
		size = 4;
		switch (head & 31) {
		case TYPE_EXTEND:
		case TYPE_STAMP:
			continue;
		case TYPE_PADDING:
			if (!(head >> 5))
				return;
			memcpy(&size, page + pos, 4);
			continue;
		case 0:
			memcpy(&size, page + pos, 4);
			size -= 4;
			pos += 4;
			break;
		default:
			size = (head & 31) * 4;
		}
		if (size > end - pos)
			die("an event is longer than the page");
		sum.events++;
		if (size >= 2 && (unsigned int)(page[pos] | page[pos + 1] << 8) == type)
			print_block(page + pos, size);
	}
}

int main(int argc, char **argv)
{
	static uint8_t page[PAGE_SIZE];
	FILE *file;

	if (argc == 5) {
		figures = !strcmp(argv[1], "-s");
		numbers = !strcmp(argv[1], "-n");
		argv += figures || numbers;
		argc -= figures || numbers;
	}
	if (argc != 4) {
		fputs("usage: bts-raw [-n|-s] TYPE CPU FILE\n", stderr);
		return 2;
	}
	type = strtoul(argv[1], NULL, 10);
	cpu = strtoul(argv[2], NULL, 10);
	file = fopen(argv[3], "rb");
	if (!file) {
		perror(argv[3]);
		return 1;
	}
	while (fread(page, PAGE_SIZE, 1, file) == 1)
		print_page(page);
	fclose(file);
	if (figures)
		printf("%llu branches %llu blocks %llu data %llu events %llu pages\n",
		       sum.branches, sum.blocks, sum.data, sum.events,
		       sum.pages);
	return 0;
}
