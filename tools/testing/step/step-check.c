// SPDX-License-Identifier: GPL-2.0
/*
 * step-check branch|instruction LOG PART <TRACE
 *
 * Compares the trace of the step tracer (the output of bts-raw for one CPU) with QEMU's log
 * of the same instructions (steps.c). Prints the first difference, and the number of equal
 * instructions.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_LENGTH	3	/* length of the instruction that begins the log */

#define IP(entry)	((entry) & ((1ULL << 48) - 1))
#define LENGTH(entry)	((entry) >> 48 & 0xf)
#define AGAIN(entry)	((entry) >> 52 & 1)
#define KERNEL(addr)	((addr) >> 63)

static uint64_t *entries;
static size_t nr, pos;
static unsigned long long line, records, crossings;
static uint64_t from, to;
static bool switched;		/* the record belongs to another task than the last record */

static void fail(const char *why)
{
	size_t i;

	printf("not equal: %s: line %llu of the trace, %llx -> %llx, instruction %zu\n",
	       why, line, (unsigned long long)from, (unsigned long long)to, pos);
	for (i = pos > 5 ? pos - 5 : 0; i < nr && i < pos + 5; i++)
		printf("%c %llx+%llu%s\n", i == pos ? '>' : ' ',
		       (unsigned long long)IP(entries[i]),
		       (unsigned long long)LENGTH(entries[i]),
		       AGAIN(entries[i]) ? " again" : "");
	exit(1);
}

static void read_log(const char *path, unsigned long part)
{
	FILE *file = fopen(path, "rb");
	size_t room = 0;

	if (!file) {
		perror(path);
		exit(2);
	}
	do {
		room += 1 << 20;
		entries = realloc(entries, room * sizeof(*entries));
		if (!entries) {
			perror("step-check");
			exit(2);
		}
		nr += fread(entries + nr, sizeof(*entries), room - nr, file);
	} while (nr == room);
	fclose(file);
	while (pos < nr && (entries[pos] || part--))
		pos++;
	pos++;
	if (pos < nr)
		memmove(entries, entries + pos, (nr - pos) * sizeof(*entries));
	nr = pos < nr ? nr - pos : 0;
	for (pos = 0; pos < nr && entries[pos]; pos++)
		;
	nr = pos;
	pos = 0;
	if (!nr)
		fail("the log has nothing");
}

/* Read the next record. Returns false at the end of the trace. */
static bool next_record(void)
{
	unsigned long long a, b;
	char text[256];

	switched = false;
	while (fgets(text, sizeof(text), stdin)) {
		line++;
		if (strstr(text, "lost") || strstr(text, "gap"))
			fail(text);
		switched |= !!strstr(text, " pid ");
		if (sscanf(text, "%*u %llx %llx", &a, &b) != 2)
			continue;
		from = a;
		to = b;
		return true;
	}
	return false;
}

/*
 * Whether the same instruction follows: after a fault, in all turns of REP except the last,
 * and also for INT3 and for a jump to itself
 */
static bool is_again(void)
{
	bool done = from == to || KERNEL(to);

	return pos < nr && AGAIN(entries[pos]) && !(done && from == IP(entries[pos]));
}

static void skip_again(void)
{
	while (is_again())
		pos++;
}

/*
 * The log continues at another place, so the next record has to be a return to user space
 */
static bool elsewhere;

/* Handle an executed instruction */
static void executed(void)
{
	pos++;
	records++;
	elsewhere = !KERNEL(to) && pos < nr && IP(entries[pos]) != to;
}

static uint64_t returned;	/* the target of the return in the last record, or 0 */

static void check_instruction(void)
{
	if (KERNEL(from)) {
		crossings++;
		/* The task may be interrupted again before its first instruction */
		returned = to;
		elsewhere = false;
		return;
	}
	if (elsewhere)
		fail("the record before led elsewhere");
	if (returned && from != returned)
		fail("not the instruction to which the kernel has returned");
	returned = 0;
	skip_again();
	if (pos == nr)
		fail("the log has ended");
	if (IP(entries[pos]) != from)
		fail("from");
	executed();
}

/*
 * Go to the instruction at @addr, if each instruction on the way leads to the next. With
 * @ret, the record is a return from the kernel to @addr. Returns NULL, or the error.
 */
static const char *walk_to(uint64_t addr, bool ret)
{
	for (;;) {
		/* The kernel may return to an instruction that enters the kernel at once */
		if (is_again() && !(ret && IP(entries[pos]) == addr)) {
			pos++;
			continue;
		}
		if (pos == nr)
			return "the log has ended";
		if (IP(entries[pos]) == addr)
			return NULL;
		if (pos + 1 == nr)
			return "the log ends";
		/* A system call that continues the task at another address */
		if (IP(entries[pos + 1]) != IP(entries[pos]) + LENGTH(entries[pos]) &&
		    !AGAIN(entries[pos + 1]) &&
		    !(ret && IP(entries[pos + 1]) == addr))
			return "not the next branch of the log";
		pos++;
	}
}

/*
 * Two tasks have returned to @addr one after the other, because they are the two sides of a
 * fork. Skip the instructions of the first task. This task has taken no branch, because
 * there is no record.
 */
static void skip_side(uint64_t addr)
{
	size_t end = pos;

	while (end + 1 < nr && (AGAIN(entries[end]) ||
				IP(entries[end + 1]) == IP(entries[end]) + LENGTH(entries[end])))
		end++;
	if (end + 1 < nr && IP(entries[end + 1]) == addr)
		pos = end + 1;
}

static void check_branch(void)
{
	const char *wrong = NULL;
	size_t begin = pos;

	if (returned)
		wrong = walk_to(returned, true);
	if (KERNEL(from)) {
		crossings++;
		/* The task was interrupted before its first instruction */
		if (wrong)
			pos = begin;
		else if (returned == to && switched)
			skip_side(to);
		returned = to;
		elsewhere = false;
		return;
	}
	if (wrong)
		fail(wrong);
	if (elsewhere)
		fail("the record before led elsewhere");
	returned = 0;
	wrong = walk_to(from, false);
	if (wrong)
		fail(wrong);
	executed();
}

int main(int argc, char **argv)
{
	bool branch = argc == 4 && !strcmp(argv[1], "branch");
	bool begun = false;

	if (argc != 4 || (!branch && strcmp(argv[1], "instruction"))) {
		fputs("usage: step-check branch|instruction LOG PART <TRACE\n", stderr);
		return 2;
	}
	read_log(argv[2], strtoul(argv[3], NULL, 10));
	while (next_record()) {
		/* The first record of the task has to lead to the mark */
		if (!begun && !branch)
			begun = from == IP(entries[0]) - MARK_LENGTH;
		else if (!begun)
			begun = to == IP(entries[0]) - MARK_LENGTH;
		else if (branch)
			check_branch();
		else
			check_instruction();
	}
	from = 0;
	to = 0;
	skip_again();
	/* The last instructions end the task, and no branch follows */
	while (branch && pos + 1 < nr &&
	       IP(entries[pos + 1]) == IP(entries[pos]) + LENGTH(entries[pos]))
		pos++;
	if (branch && pos + 1 == nr)
		pos++;
	if (pos != nr)
		fail("the trace has ended");
	printf("equal: %zu instructions, %llu records, %llu returns to user space\n",
	       nr, records, crossings);
	return 0;
}
