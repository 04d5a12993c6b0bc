// SPDX-License-Identifier: GPL-2.0
/*
 * bts-log [-brwdls] [-c CPU] [-m FIRST:LAST] [-t SIDE] FILE
 *
 * Prints the log of the emulated CPU's branches, one line each:
 *
 *	CPU FROM TO [mispredicted] [lbr] [norecord] [event] [own] [lost]
 *	CPU debugctl VALUE
 *	CPU interrupt INDEX
 *	CPU mark NUMBER
 *	CPU fault ADDRESS
 *	CPU reset VALUE
 *
 * CPU and NUMBER are decimal, other numbers are hexadecimal. The lines of a CPU are
 * together, in the order of time. "lbr" is a branch that passed MSR_LBR_SELECT. "norecord"
 * is a branch that BTS did not record.
 *
 *   -c CPU		only this CPU
 *   -m FIRST:LAST	only lines between these marks of a CPU, which it has once
 *   -b			only branches
 *   -r			only branches that are in a record, not "own", and recorded
 *			with IA32_DEBUGCTL.BTINT: without BTINT, the tracer tries a CPU
 *   -t SIDE		only branches to SIDE: kernel, user or both
 *   -w			branches without the words but mispredicted, as bts-raw prints them
 *   -d			only the number of these branches before each time when the CPU
 *			dropped some of them
 *   -l			only the branches that are in the last branch records each time when
 *			IA32_DEBUGCTL.LBR is cleared, and the line of the change
 *   -s			only the number of branches, for each CPU
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bts-log.h"

#define MAX_CPUS	64
#define DEBUGCTL_LBR	0x1
#define DEBUGCTL_BTINT	0x100
#define LBR_RECORDS	32

static struct {
	long cpu;
	bool marks;
	unsigned long first;
	unsigned long last;
	bool branches;
	bool records;
	const char *side;
	bool no_words;
	bool drops;
	bool last_ones;
	bool count;
} opt = { .cpu = -1 };

struct counts {
	bool dropping;
	unsigned long branches, own, lost, events, interrupts, faults, debugctl, marks;
};

/* The last branches of a CPU; @nr counts all of its branches */
struct last {
	unsigned long nr;
	struct {
		uint64_t from, to;
	} ring[LBR_RECORDS];
};

static const char *path;

static void die(const char *why)
{
	fprintf(stderr, "bts-log: %s: %s\n", path, why);
	exit(1);
}

static uint64_t get_unsigned(const uint8_t **p, const uint8_t *end)
{
	uint64_t value = 0;
	unsigned int shift;

	for (shift = 0; *p < end && shift < 64; shift += 7) {
		value |= (uint64_t)(**p & 0x7f) << shift;
		if (!(*(*p)++ & 0x80))
			return value;
	}
	die("an entry is cut off");
	return 0;
}

static int64_t get_signed(const uint8_t **p, const uint8_t *end)
{
	uint64_t value = get_unsigned(p, end);

	return value >> 1 ^ -(value & 1);
}

static char *put_text(char *s, const char *text)
{
	while (*text)
		*s++ = *text++;
	return s;
}

static void print_branch(unsigned int cpu, uint64_t from, uint64_t to, uint8_t tag)
{
	char line[112], *s = line;

	if (cpu >= 10)
		*s++ = '0' + cpu / 10;
	*s++ = '0' + cpu % 10;
	*s++ = ' ';
	s = put_hex(s, from);
	*s++ = ' ';
	s = put_hex(s, to);
	if ((tag & BTS_LOG_TYPE) == BTS_LOG_MISPREDICTED)
		s = put_text(s, " mispredicted");
	if (tag & BTS_LOG_LBR)
		s = put_text(s, " lbr");
	if (tag & BTS_LOG_NO_RECORD)
		s = put_text(s, " norecord");
	if (tag & BTS_LOG_EVENT)
		s = put_text(s, " event");
	if (tag & BTS_LOG_OWN)
		s = put_text(s, " own");
	if (tag & BTS_LOG_LOST)
		s = put_text(s, " lost");
	*s++ = '\n';
	fwrite(line, 1, s - line, stdout);
}

/* Whether -t prints a branch to @to */
static bool is_side(uint64_t to)
{
	return !opt.side || *opt.side == 'b' || (*opt.side == 'k') == to >> 63;
}

static void keep_last(struct last *last, uint64_t from, uint64_t to)
{
	unsigned int i = last->nr++ % LBR_RECORDS;

	last->ring[i].from = from;
	last->ring[i].to = to;
}

static void print_last(unsigned int cpu, const struct last *last)
{
	unsigned long i = last->nr < LBR_RECORDS ? 0 : last->nr - LBR_RECORDS;

	for (; i < last->nr; i++)
		print_branch(cpu, last->ring[i % LBR_RECORDS].from,
			     last->ring[i % LBR_RECORDS].to, BTS_LOG_LBR);
}

/* Whether -l prints a line that is not a branch. Prints the branches before the line. */
static bool is_last(unsigned int cpu, struct last *last, uint8_t tag, uint64_t before,
		    uint64_t value)
{
	/* The kernel clears all records */
	if (tag == BTS_LOG_RESET)
		last->nr = 0;
	if (tag != BTS_LOG_DEBUGCTL || !(before & ~value & DEBUGCTL_LBR))
		return false;
	print_last(cpu, last);
	return true;
}

/* Return false after the last mark */
static bool do_chunk(unsigned int cpu, const uint8_t *p, const uint8_t *end,
		     bool *inside, uint64_t *debugctl, struct last *last,
		     struct counts *counts)
{
	static const char *const names[] = {
		[BTS_LOG_DEBUGCTL] = "debugctl",
		[BTS_LOG_INTERRUPT] = "interrupt",
		[BTS_LOG_MARK] = "mark",
		[BTS_LOG_FAULT] = "fault",
		[BTS_LOG_RESET] = "reset",
	};
	unsigned long long value;
	uint64_t from, to = 0;
	uint8_t tag, type;
	bool shown;

	while (p < end) {
		tag = *p++;
		type = tag & BTS_LOG_TYPE;
		if (type == BTS_LOG_BRANCH || type == BTS_LOG_MISPREDICTED) {
			from = to + get_signed(&p, end);
			to = from + get_signed(&p, end);
			if (!*inside || (opt.records && tag & BTS_LOG_NO_RECORD))
				continue;
			if (opt.drops && !(tag & BTS_LOG_OWN)) {
				if (tag & BTS_LOG_LOST && !counts->dropping)
					printf("%lu\n", counts->branches);
				counts->dropping = tag & BTS_LOG_LOST;
			}
			if (opt.records && (tag & (BTS_LOG_OWN | BTS_LOG_LOST) ||
					    !(*debugctl & DEBUGCTL_BTINT)))
				continue;
			counts->branches++;
			counts->own += !!(tag & BTS_LOG_OWN);
			counts->lost += !!(tag & BTS_LOG_LOST);
			counts->events += !!(tag & BTS_LOG_EVENT);
			if (opt.last_ones && tag & BTS_LOG_LBR)
				keep_last(last, from, to);
			if (!opt.count && !opt.drops && !opt.last_ones && is_side(to))
				print_branch(cpu, from, to, opt.no_words ? type : tag);
			continue;
		}

		if (tag > BTS_LOG_RESET)
			die("an entry of a type that is not known");
		value = get_unsigned(&p, end);
		shown = !opt.last_ones || is_last(cpu, last, tag, *debugctl, value);
		if (tag == BTS_LOG_DEBUGCTL)
			*debugctl = value;
		if (tag == BTS_LOG_MARK && opt.marks && value == opt.last)
			return false;
		if (*inside) {
			counts->debugctl += tag == BTS_LOG_DEBUGCTL;
			counts->interrupts += tag == BTS_LOG_INTERRUPT;
			counts->marks += tag == BTS_LOG_MARK;
			counts->faults += tag == BTS_LOG_FAULT;
			if (opt.count || opt.branches || opt.records || !shown)
				;
			else if (tag == BTS_LOG_MARK)
				printf("%u %s %llu\n", cpu, names[tag], value);
			else
				printf("%u %s %llx\n", cpu, names[tag], value);
		}
		if (tag == BTS_LOG_MARK && opt.marks && value == opt.first)
			*inside = true;
	}
	return true;
}

static void do_cpu(unsigned int cpu, const uint8_t *p, const uint8_t *end)
{
	struct counts counts = {};
	struct last last = {};
	bool inside = !opt.marks, any = false;
	uint64_t debugctl = 0;
	uint32_t head[2];

	for (; p < end; p += head[1]) {
		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		if (head[0] != cpu)
			continue;
		any = true;
		if (!do_chunk(cpu, p, p + head[1], &inside, &debugctl, &last, &counts))
			break;
	}
	if (any && opt.count) {
		printf("cpu=%u branches=%lu own=%lu lost=%lu events=%lu", cpu, counts.branches,
		       counts.own, counts.lost, counts.events);
		printf(" interrupts=%lu debugctl=%lu marks=%lu faults=%lu\n", counts.interrupts,
		       counts.debugctl, counts.marks, counts.faults);
	}
}

static void print_usage(void)
{
	fputs("usage: bts-log [-brwdls] [-c CPU] [-m FIRST:LAST] [-t SIDE] FILE\n", stderr);
	exit(1);
}

int main(int argc, char **argv)
{
	const uint8_t *file, *p, *end;
	bool seen[MAX_CPUS] = {};
	unsigned int cpu;
	struct stat st;
	uint32_t head[2];
	int fd, c;

	while ((c = getopt(argc, argv, "c:m:brt:wdls")) >= 0) {
		switch (c) {
		case 'c':
			opt.cpu = strtol(optarg, NULL, 0);
			break;
		case 'm':
			if (sscanf(optarg, "%lu:%lu", &opt.first, &opt.last) != 2)
				print_usage();
			opt.marks = true;
			break;
		case 'b':
			opt.branches = true;
			break;
		case 'r':
			opt.records = true;
			break;
		case 't':
			if (strcmp(optarg, "kernel") && strcmp(optarg, "user") &&
			    strcmp(optarg, "both"))
				print_usage();
			opt.side = optarg;
			break;
		case 'w':
			opt.no_words = true;
			break;
		case 'd':
			opt.drops = true;
			opt.records = true;
			break;
		case 'l':
			opt.last_ones = true;
			break;
		case 's':
			opt.count = true;
			break;
		default:
			print_usage();
		}
	}
	if (optind != argc - 1)
		print_usage();
	path = argv[optind];
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		die(strerror(errno));
	if (st.st_size < BTS_LOG_MAGIC_SIZE)
		die("not a log");
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		die(strerror(errno));
	if (memcmp(file, BTS_LOG_MAGIC, BTS_LOG_MAGIC_SIZE))
		die("not a log");
	end = file + st.st_size;
	file += BTS_LOG_MAGIC_SIZE;

	for (p = file; p < end; p += head[1]) {
		if (end - p < sizeof(head))
			die("a chunk is cut off");
		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		if (end - p < head[1])
			die("a chunk is cut off");
		if (head[0] >= MAX_CPUS)
			die("a chunk of a CPU that cannot be");
		seen[head[0]] = true;
	}
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (seen[cpu] && (opt.cpu < 0 || opt.cpu == cpu))
			do_cpu(cpu, file, end);
	if (fflush(stdout) || ferror(stdout)) {
		path = "output";
		die(strerror(errno));
	}
	return 0;
}
