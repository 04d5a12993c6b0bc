// SPDX-License-Identifier: GPL-2.0
/*
 * Opens no file, by a long path, while interrupts come
 *
 * The kernel's walk ends at the first name of the path, so the capture of the path takes much of
 * the time, and many of the interrupts come within a capture.
 */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#define TICKS 2000

static volatile sig_atomic_t ticks;

static void tick(int sig)
{
	ticks++;
}

int main(void)
{
	struct itimerval every = { { 0, 100 }, { 0, 100 } };
	char path[500] = "/none/";
	struct stat st;

	memset(path + strlen(path), 'x', sizeof(path) - 1 - strlen(path));
	signal(SIGALRM, tick);
	if (setitimer(ITIMER_REAL, &every, NULL))
		return 1;
	while (ticks < TICKS)
		stat(path, &st);
	return 0;
}
