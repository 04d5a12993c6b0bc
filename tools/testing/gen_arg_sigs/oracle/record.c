// SPDX-License-Identifier: GPL-2.0
/*
 * Print the values that callers pass, and the values that functions get
 *
 * The callers print the passed values as "call", "arg" and "member" lines. "entry" and
 * "exit" lines have the registers and the stack at a function's entry, and the two registers
 * of a result at its return. On arm64 a "memory" line before "entry" has the bytes that they
 * point to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record.h"

#define WORDS	40
#define DEPTH	64

#ifdef __aarch64__
/* The registers in the order of record_arm64.S */
struct regs {
	unsigned long x[8];
};

#define NR_ARGS		8

static unsigned long arg(const struct regs *regs, unsigned int nr)
{
	return regs->x[nr];
}

static unsigned long result(const struct regs *regs, unsigned int nr)
{
	return regs->x[nr];
}
#else
/* The registers in the order of record.S */
struct regs {
	unsigned long r11, r10, r9, r8, cx, dx, si, di, ax;
};

#define NR_ARGS		6

static unsigned long arg(const struct regs *regs, unsigned int nr)
{
	const unsigned long args[] = {
		regs->di, regs->si, regs->dx, regs->cx, regs->r8, regs->r9
	};

	return args[nr];
}

static unsigned long result(const struct regs *regs, unsigned int nr)
{
	return nr ? regs->dx : regs->ax;
}
#endif

static unsigned long returns[DEPTH], sites[DEPTH];
static unsigned int depth;
static unsigned long state = 88172645463325252;

unsigned long random_long(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	/* Extreme values find more errors than other values */
	switch (state % 8) {
	case 0:
		return 0;
	case 1:
		return ~0ul;
	case 2:
		return 1ul << (state >> 8) % 64;
	}
	return state * 2685821657736338717ul;
}

static void print_bytes(const void *p, size_t size)
{
	const unsigned char *bytes = p;

	while (size--)
		printf("%02x", *bytes++);
}

/* Mark the lowest bits of a value. The other bits of its last byte are not defined. */
void mask_bits(void *mask, unsigned int bits)
{
	memset(mask, 255, bits / 8);
	if (bits % 8)
		((unsigned char *)mask)[bits / 8] = (1 << bits % 8) - 1;
}

void expect_call(const char *name)
{
	printf("call %s\n", name);
}

void expect_value(const char *what, const void *value, const void *mask, size_t size)
{
	printf("%s %zu ", what, size);
	print_bytes(value, size);
	printf(" ");
	print_bytes(mask, size);
	printf("\n");
}

void expect_member(const char *name, unsigned long value)
{
	printf("member %s %lx\n", name, value);
}

/* The end of the printed part of the stack */
static const char *stack_end;

/*
 * The caller owns a value that is passed or returned in memory. The value is on the caller's
 * stack, or static.
 */
static void print_memory(const char *p, const char *stack)
{
	if (p >= stack && p < stack_end - 512)
		print_bytes(p, 512);
	else if (p >= __data_start && p < _end)
		print_bytes(p, _end - p < 512 ? _end - p : 512);
	else
		printf("-");
}

void record_entry(const struct regs *regs, unsigned long *stack)
{
	unsigned int i;

#ifdef __aarch64__
	/* What the registers and the words of the stack point to */
	printf("memory");
	for (i = 0; i < NR_ARGS + WORDS; i++) {
		printf(" ");
		print_memory((char *)(i < NR_ARGS ? arg(regs, i) : stack[2 + i - NR_ARGS]),
			     (char *)stack);
	}
	printf("\n");
#endif
	printf("entry %lx", stack[0]);
	for (i = 0; i < NR_ARGS; i++)
		printf(" %lx", arg(regs, i));
	for (i = 0; i < WORDS; i++)
		printf(" %lx", stack[2 + i]);
	printf("\n");
	if (depth == DEPTH)
		abort();
	sites[depth] = stack[0];
	returns[depth++] = stack[1];
	stack[1] = (unsigned long)record_return;
}

void record_exit(const struct regs *regs, unsigned long *stack)
{
	stack[0] = returns[--depth];
	printf("exit %lx %lx %lx ", sites[depth], result(regs, 0), result(regs, 1));
	print_memory((char *)result(regs, 0), (char *)stack);
	printf("\n");
}

#ifdef __aarch64__
/* Number of nops that -fpatchable-function-entry puts before a function */
#ifndef BEFORE
#define BEFORE		0
#endif

#define INSN_BTI_C	0xd503245f
#define INSN_MOV_X9_LR	0xaa1e03e9
#define INSN_BL		0x94000000

/* Patch the nops as ftrace does */
static void patch(void)
{
	unsigned int **entry, *insn;
	unsigned long page;

	for (entry = __start___patchable_function_entries;
	     entry < __stop___patchable_function_entries; entry++) {
		insn = *entry + BEFORE;
		if (BEFORE && *insn == INSN_BTI_C)
			insn++;
		page = (unsigned long)insn & ~0xffful;
		if (mprotect((void *)page, 0x2000, PROT_READ | PROT_WRITE | PROT_EXEC))
			abort();
		insn[0] = INSN_MOV_X9_LR;
		insn[1] = INSN_BL | (((char *)record_call - (char *)&insn[1]) >> 2 & 0x3ffffff);
		__builtin___clear_cache((char *)insn, (char *)(insn + 2));
	}
}
#else
static void patch(void)
{
}
#endif

int main(void)
{
	/* This room above the callers' frames is printed as part of the stack */
	char room[0x4000] = "";

	stack_end = room + sizeof(room);
	patch();
	run();
	__asm__ volatile("" : : "r" (room) : "memory");
	return 0;
}
