// SPDX-License-Identifier: GPL-2.0
/*
 * lbr-loop NAME
 *
 * Prints NAME and the nanoseconds of a system call that fails, and of one that succeeds.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS		1000
#define NO_TASK		99999

static long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

/* The least time of some runs, because interrupts come in others */
static long measure(long nr, long arg)
{
	long begin, time, least = 0;
	int i, run;

	for (run = 0; run < 10; run++) {
		begin = now();
		for (i = 0; i < CALLS; i++)
			syscall(nr, arg, 0);
		time = now() - begin;
		if (!run || time < least)
			least = time;
	}
	return least / CALLS;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: lbr-loop NAME\n", stderr);
		return 2;
	}
	printf("%s %ld %ld\n", argv[1], measure(SYS_kill, NO_TASK), measure(SYS_getpgid, 0));
	return 0;
}
