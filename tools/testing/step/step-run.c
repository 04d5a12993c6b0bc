// SPDX-License-Identifier: GPL-2.0
/*
 * step-run [-n|-e] PROGRAM ARGUMENT...
 *
 * Runs a program that the step tracer traces and that QEMU's plugin logs (steps.c),
 * starting at the end of the write to set_ftrace_pid. Exits with the program's status.
 *
 *   -n		run without the tracer and the log
 *   -e		execute the program in this process, for a debugger
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIDS	"/sys/kernel/tracing/set_ftrace_pid"

/* The log begins after the mark. The trace begins with the return to the mark. */
static long write_and_mark(int fd, const char *text, size_t len)
{
	long ret = SYS_write;

	asm volatile("syscall\n\txchg %%bx, %%bx"
		     : "+a" (ret) : "D" (fd), "S" (text), "d" (len)
		     : "rcx", "r11", "memory");
	return ret;
}

static int choose(int mark)
{
	int fd = open(PIDS, O_WRONLY | O_CLOEXEC);
	char pid[16];
	long ret = -1;

	snprintf(pid, sizeof(pid), "%d\n", getpid());
	if (fd >= 0)
		ret = mark ? write_and_mark(fd, pid, strlen(pid)) : write(fd, pid, strlen(pid));
	if (ret < 0)
		perror(PIDS);
	return ret < 0 ? -1 : 0;
}

static int run(char **argv)
{
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}

int main(int argc, char **argv)
{
	int plain = argc > 1 && !strcmp(argv[1], "-n"), status;
	int become = argc > 1 && !strcmp(argv[1], "-e");
	pid_t pid;

	if (argc < 2 + plain + become) {
		fputs("usage: step-run [-n|-e] PROGRAM ARGUMENT...\n", stderr);
		return 2;
	}
	if (become)
		return choose(0) ? 126 : run(argv + 2);
	/*
	 * The log has all other tasks, so give the shell time to wait for this process
	 */
	usleep(50000);
	/* Exclude this address space from the log */
	if (!plain)
		asm volatile("xchg %cx, %cx");
	pid = fork();
	if (!pid)
		_exit(!plain && choose(1) ? 126 : run(argv + 1 + plain));
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("step-run");
		return 1;
	}
	if (!plain)
		asm volatile("xchg %bx, %bx");
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
