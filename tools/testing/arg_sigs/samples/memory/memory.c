// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers of user space in all kinds of memory
 *
 *   memory TRACING_ON RESOURCE ADDRESS
 *
 * Writes the buffers to /dev/null, which does not read them, while the tracer's file
 * TRACING_ON has 1.  The comment after a call is the text that the tracer has to show.
 * RESOURCE is the first resource of an e1000 without a driver, ADDRESS is its physical
 * address.  The test needs swap.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret	447
#endif

#define ICR	0xc0	/* causes of interrupts, cleared by reading it */
#define ICS	0xc8	/* sets the causes */
#define IMC	0xd8	/* masks all causes */

#define RACES	3000

/* The first address that is not in user space */
#ifdef __x86_64__
#define USER_END	0x7ffffffff000
#else
#define USER_END	(1UL << 48)
/* The CPU ignores the top byte of an address of user space */
#define TAGGED(addr)	((void *)((uintptr_t)(addr) | 0xb4UL << 56))
#endif

static long page_size;
static int null;

/* This lets the other emulated CPU run */
static inline void pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	asm volatile("yield");
#endif
}

static bool is_swapped(const void *page)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (fd < 0 || pread(fd, &entry, sizeof(entry), (uintptr_t)page / page_size * sizeof(entry)) != sizeof(entry))
		err(1, "/proc/self/pagemap");
	close(fd);
	return entry >> 62 & 1;
}

static void show(const void *buf, size_t size)
{
	if (write(null, buf, size) != (ssize_t)size)
		err(1, "/dev/null");
}

static char *map(int fd, size_t pages, int flags)
{
	char *at = mmap(NULL, pages * page_size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

/* Map the page, unmap it, and make it unreadable, in turns */
static volatile int stop;
static volatile unsigned int turns;

static void *change(void *page)
{
	while (!stop) {
		mprotect(page, page_size, PROT_NONE);
		mprotect(page, page_size, PROT_READ | PROT_WRITE);
		madvise(page, page_size, MADV_DONTNEED);
		strcpy(page, "text");
		turns++;
		pause_cpu();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char *none, *secret, *file, *two, *race, *fresh, *swapped, *locked;
	volatile uint32_t *regs, *device;
	uint32_t first, second;
	pthread_t thread;
	int on, fd, empty, key, i;
	off_t offset;
	uid_t *ids;

	if (argc != 4)
		errx(1, "the tracer's file, a resource and its address are wanted");
	page_size = sysconf(_SC_PAGESIZE);
	null = open("/dev/null", O_RDWR);
	on = open(argv[1], O_WRONLY);
	fd = open(argv[2], O_RDWR | O_SYNC);
	if (null < 0 || on < 0 || fd < 0)
		err(1, "open");
	regs = (volatile uint32_t *)map(fd, 32, MAP_SHARED);
	fd = open("/dev/mem", O_RDWR | O_SYNC);
	device = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, strtoull(argv[3], NULL, 0));
	if (fd < 0 || device == MAP_FAILED)
		err(1, "/dev/mem");
	fd = syscall(SYS_memfd_secret, 0);
	if (fd < 0 || ftruncate(fd, page_size))
		err(1, "memfd_secret");
	secret = map(fd, 1, MAP_SHARED);
	strcpy(secret, "secret");
	fd = memfd_create("file", 0);
	empty = memfd_create("empty", 0);
	if (write(fd, "in a file", 10) != 10 || ftruncate(fd, page_size))
		err(1, "memfd_create");
	file = map(fd, 1, MAP_PRIVATE);
	none = map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	strcpy(none, "protected");
	mprotect(none, page_size, PROT_NONE);
	two = map(-1, 3, MAP_PRIVATE | MAP_ANONYMOUS);
	munmap(two + 2 * page_size, page_size);
	strcpy(two + page_size - 4, "across two pages");
	memcpy(two + 2 * page_size - 8, "the end!", 8);
	fresh = map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	swapped = map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	strcpy(swapped, "swapped out");
	for (i = 0; i < 100 && !is_swapped(swapped); i++)
		madvise(swapped, page_size, MADV_PAGEOUT);
	if (!is_swapped(swapped))
		errx(1, "there is no swap");
	ids = (uid_t *)map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	locked = map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	strcpy(locked, "behind a key");
	race = map(-1, 1, MAP_PRIVATE | MAP_ANONYMOUS);
	regs[IMC / 4] = ~0;
	regs[ICS / 4] = 4;

	if (write(on, "1", 1) != 1)
		err(1, "%s", argv[1]);
	show("a constant", 10);				/* buf="a constant", count=10 */
	show("first", 3);				/* buf="fir", count=3 */
	show("a\0b", 3);				/* buf="a\x00b", count=3 */
	show("nothing", 0);				/* buf="", count=0 */
	show((void *)(regs + ICR / 4), 4);		/* buf=ADDRESS, count=4 */
	if (read(empty, (void *)(regs + ICR / 4), 4))	/* buf=ADDRESS, count=4 */
		err(1, "read");
	show(secret, 7);				/* buf=ADDRESS, count=7 */
	show(none, 10);					/* buf=ADDRESS, count=10 */
	show(file, 9);					/* buf=ADDRESS, count=9 */
	(void)*(volatile char *)file;
	show(file, 9);					/* buf="in a file", count=9 */
	madvise(file, page_size, MADV_DONTNEED);
	show(file, 9);					/* buf=ADDRESS, count=9 */
	show(two + page_size - 4, 16);			/* buf="across two pages", count=16 */
	show(two + 2 * page_size - 8, 8);		/* buf="the end!", count=8 */
	show(two + 2 * page_size - 8, 20);		/* buf="the end!"..., count=20 */
	show(two + 2 * page_size, 4);			/* buf=ADDRESS, count=4 */
	if (write(null, (void *)USER_END, 4) > 0)	/* buf=ADDRESS, count=4 */
		errx(1, "written from where nothing is");
	show((void *)(device + ICR / 4), 4);		/* buf=ADDRESS, count=4 */
	if (read(empty, (void *)(device + ICR / 4), 4))	/* buf=ADDRESS, count=4 */
		err(1, "read");
	show(fresh, 3);					/* buf=ADDRESS, count=3 */
	(void)*(volatile char *)fresh;
	show(fresh, 3);					/* buf="\x00\x00\x00", count=3 */
	show(swapped, 11);				/* buf=ADDRESS, count=11 */
	(void)*(volatile char *)swapped;
	show(swapped, 11);				/* buf="swapped out", count=11 */
	key = pkey_alloc(0, 0);
	if (key >= 0 && !pkey_mprotect(locked, page_size, PROT_READ | PROT_WRITE, key)) {
		show(locked, 12);			/* keys: buf="behind a key", count=12 */
		pkey_set(key, PKEY_DISABLE_ACCESS);
		show(locked, 12);			/* keys: buf=ADDRESS, count=12 */
		pkey_set(key, PKEY_DISABLE_WRITE);
		show(locked, 12);			/* keys: buf="behind a key", count=12 */
	}
	/* A pointer to a number in user space */
	offset = 1000;
	sendfile(null, empty, &offset, 3);		/* offset=&1000, count=3 */
	sendfile(null, empty, (off_t *)none, 4);	/* offset=&?, count=4 */
#ifdef TAGGED
	if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0))
		err(1, "PR_SET_TAGGED_ADDR_CTRL");
	show(TAGGED(two + page_size - 4), 16);		/* arm64: buf="across two pages", count=16 */
	show(TAGGED(none), 10);				/* arm64: buf=ADDRESS, count=10 */
	if (write(null, TAGGED(USER_END), 4) > 0)	/* arm64: buf=ADDRESS, count=4 */
		errx(1, "written from where nothing is");
	show(TAGGED(regs + ICR / 4), 4);		/* arm64: buf=ADDRESS, count=4 */
	sendfile(null, empty, TAGGED(&offset), 5);	/* arm64: offset=&1000, count=5 */
	sendfile(null, empty, TAGGED(none), 6);		/* arm64: offset=&?, count=6 */
#endif
	/* The page of these numbers is present only at the return */
	getresuid(ids, ids + 1, ids + 2);		/* ruidp=&?, euidp=&?, suidp=&? -> ruidp=&0 euidp=&0 suidp=&0 */
	getresuid(ids + 1, ids + 1, ids);		/* ruidp=&0, euidp=&0, suidp=&0 */
	first = regs[ICR / 4];
	second = regs[ICR / 4];
	printf("register %#x, then %#x\n", first, second);

	strcpy(race, "text");
	if (pthread_create(&thread, NULL, change, race))
		err(1, "pthread_create");
	for (i = 0; i < RACES; i++) {
		unsigned int turn = turns;

		/* Let the threads take turns, independent of the emulation's turns of the CPUs */
		while (i % 8 == 0 && turns == turn)
			pause_cpu();
		pwrite(null, race, 4, 0);
	}
	stop = 1;
	pthread_join(thread, NULL);
	if (write(on, "0", 1) != 1)			/* buf="0", count=1 */
		err(1, "%s", argv[1]);
	return 0;
}
