// SPDX-License-Identifier: GPL-2.0
/*
 * Target of libFuzzer: run gen_arg_sigs on malformed objects
 *
 * Each input is dumped, gets its signatures, and is dumped again. main() of gen_arg_sigs
 * does this with a file in memory.  With any input, the sanitizers must find no error,
 * and time and memory must be bounded.  A refused object must not change.  A written
 * object must be readable again.
 *
 * The program frees little of its memory. run.sh renames its allocation functions to the
 * functions of this file, which free the rest after each input.
 */
#include <elf.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

/*
 * The header of each block that the program has allocated.  The block after it is at an odd
 * multiple of 8, so fuzz_free() can tell it from a block that a library has allocated.
 */
struct block {
	struct block *next;
	struct block *prev;
	void *unused;
};

_Static_assert(sizeof(struct block) % 16 == 8, "blocks are like those of malloc()");

static struct block blocks = { &blocks, &blocks, NULL };
static char file[4096];	/* the name of the object, in a folder of this process */

static void *link_block(struct block *block)
{
	if (!block)
		return NULL;
	block->next = blocks.next;
	block->prev = &blocks;
	blocks.next->prev = block;
	blocks.next = block;
	return block + 1;
}

static struct block *unlink_block(void *p)
{
	struct block *block = (struct block *)p - 1;

	block->next->prev = block->prev;
	block->prev->next = block->next;
	return block;
}

void *fuzz_calloc(size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(struct block), &bytes))
		return NULL;
	return link_block(calloc(1, bytes));
}

void *fuzz_reallocarray(void *p, size_t nr, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(nr, size, &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(struct block), &bytes))
		return NULL;
	return link_block(realloc(p ? unlink_block(p) : NULL, bytes));
}

char *fuzz_strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *p = fuzz_calloc(size, 1);

	return p ? memcpy(p, s, size) : NULL;
}

void fuzz_free(void *p)
{
	free((uintptr_t)p % 16 ? unlink_block(p) : p);
}

static void free_blocks(void)
{
	while (blocks.next != &blocks)
		fuzz_free(blocks.next + 1);
}

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

static void write_file(const uint8_t *data, size_t size)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "cannot write the input");
	close(fd);
}

static bool same_file(const uint8_t *data, size_t size)
{
	uint8_t *now = malloc(size + 1);
	int fd = open(file, O_RDONLY);
	bool same = fd >= 0 && read(fd, now, size + 1) == (ssize_t)size &&
		    !memcmp(now, data, size);

	close(fd);
	free(now);
	return same;
}

static int run(bool dump)
{
	int argc = 0, status;
	char *argv[6];

	argv[argc++] = "gen_arg_sigs";
	if (dump) {
		argv[argc++] = "--dump";
		argv[argc++] = "--addresses";
		argv[argc++] = "--stats";
	} else {
		argv[argc++] = "--debug";
	}
	argv[argc++] = file;
	argv[argc] = NULL;

	optind = 0;
	status = gen_arg_sigs_main(argc, argv);
	free_blocks();
	return status;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *dir = getenv("FUZZ_DIR") ?: "/tmp";
	int len;

	(void)argc;
	(void)argv;
	len = snprintf(file, sizeof(file) - 2, "%s/gen_arg_sigs.XXXXXX", dir);
	must(len < (int)sizeof(file) - 2 && mkdtemp(file), "cannot make a folder");
	snprintf(file + len, sizeof(file) - len, "/o");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int status;

	write_file(data, size);
	run(true);
	must(same_file(data, size), "--dump has written");

	status = run(false);
	if (same_file(data, size))
		return 0;
	must(!status, "refused, and changed");
	must(!run(true), "written, and not to be read");
	return 0;
}

/*
 * Copy a word, because references between DIEs are words. The copy may be another
 * reference, or a cycle.
 */
static void copy_word(uint8_t *data, size_t size)
{
	if (size >= sizeof(uint32_t))
		memmove(data + rand() % (size - 3), data + rand() % (size - 3),
			sizeof(uint32_t));
}

/* Half of the mutations change one section in place, so the ELF file stays valid */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	Elf64_Shdr shdr;
	Elf64_Ehdr ehdr;
	size_t left;

	if (seed % 2 || size < sizeof(ehdr))
		return LLVMFuzzerMutate(data, size, max_size);
	memcpy(&ehdr, data, sizeof(ehdr));
	if (!ehdr.e_shnum || ehdr.e_shoff > size)
		return LLVMFuzzerMutate(data, size, max_size);
	left = size - ehdr.e_shoff;
	if (left / sizeof(shdr) < ehdr.e_shnum)
		return LLVMFuzzerMutate(data, size, max_size);
	memcpy(&shdr, data + ehdr.e_shoff + seed / 2 % ehdr.e_shnum * sizeof(shdr),
	       sizeof(shdr));
	if (!shdr.sh_size || shdr.sh_offset > size || shdr.sh_size > size - shdr.sh_offset)
		return LLVMFuzzerMutate(data, size, max_size);

	srand(seed);
	if (rand() % 4)
		LLVMFuzzerMutate(data + shdr.sh_offset, shdr.sh_size, shdr.sh_size);
	else
		copy_word(data + shdr.sh_offset, shdr.sh_size);
	return size;
}
