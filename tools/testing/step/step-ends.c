// SPDX-License-Identifier: GPL-2.0
/*
 * step-ends TURNS
 *
 * Ends the steps of two tasks in all ways, again and again. Checks that the tasks then run
 * as fast as without the tracer, and get no signal. One task only computes. The other task
 * makes system calls.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INSTANCE	"/sys/kernel/tracing/instances/ends"
#define NR_TASKS	2
#define NR_WAYS		4
#define NR_AGAIN	16
/*
 * A stepped task takes at least 36 times as long.  Other work of the host may make a task
 * slower at any time, but never faster.
 */
#define STEPPED		12
#define TF		0x100UL

struct task {
	unsigned long turns;
	unsigned long seen;	/* TF, if the task has seen TF */
};

static struct task *tasks;
static pid_t pids[NR_TASKS];
static double plain[NR_TASKS];		/* turns per microsecond without the tracer */
static const char *way;

static void fail(const char *what)
{
	int i;

	printf("not ok: ends: %s: %s\n", way, what);
	for (i = 0; i < NR_TASKS; i++)
		kill(pids[i], SIGKILL);
	exit(1);
}

static void put(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), INSTANCE "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(path);
		fail("a file cannot be written");
	}
	close(fd);
}

static void put_pids(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%d %d\n", pids[0], pids[1]);
	put("set_ftrace_pid", text);
}

static void spin(int i)
{
	struct task *task = &tasks[i];
	unsigned long flags;
	cpu_set_t set;

	/* The tasks do not share a CPU */
	CPU_ZERO(&set);
	CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		asm volatile("pushfq\n\tpop %0" : "=r" (flags) : : "memory");
		task->seen |= flags & TF;
		task->turns++;
		if (i)
			syscall(SYS_getppid);
	}
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

/* Measure the tasks' turns per microsecond */
static void measure(unsigned int usecs, double *turns)
{
	unsigned long before[NR_TASKS];
	double begin = now();
	int i;

	for (i = 0; i < NR_TASKS; i++)
		before[i] = tasks[i].turns;
	usleep(usecs);
	for (i = 0; i < NR_TASKS; i++)
		turns[i] = (tasks[i].turns - before[i]) / (now() - begin);
}

/*
 * Measure the most turns of each task without the tracer.  The windows are short, so that
 * other work of the host does not disturb every window.
 */
static void measure_plain(void)
{
	double turns[NR_TASKS];
	int i, n;

	for (n = 0; n < 200; n++) {
		measure(500, turns);
		for (i = 0; i < NR_TASKS; i++) {
			if (turns[i] > plain[i])
				plain[i] = turns[i];
		}
	}
}

/* Check that no task is as fast as without the tracer */
static void check_slow(unsigned int usecs)
{
	double turns[NR_TASKS];
	int i;

	measure(usecs, turns);
	for (i = 0; i < NR_TASKS; i++) {
		if (turns[i] > plain[i] / STEPPED)
			fail("a task is not stepped");
	}
}

/*
 * Check that each task is as fast at some time, because QEMU runs one CPU after the other
 */
static void check_fast(void)
{
	double turns[NR_TASKS], most[NR_TASKS] = { 0 };
	int i, fast, tries;

	for (tries = 0; tries < 500; tries++) {
		measure(2000, turns);
		fast = 0;
		for (i = 0; i < NR_TASKS; i++) {
			if (turns[i] > most[i])
				most[i] = turns[i];
			fast += most[i] > plain[i] / STEPPED;
		}
		if (fast == NR_TASKS)
			return;
	}
	fail("a task is still slow");
}

static void check_alive(void)
{
	int i, status;

	for (i = 0; i < NR_TASKS; i++) {
		if (tasks[i].seen)
			fail("a task has seen TF");
		if (waitpid(pids[i], &status, WNOHANG)) {
			printf("status %x\n", status);
			fail("a task has ended");
		}
	}
}

/* Let another process set the tracer and open its files, and kill this process */
static void killed_owner(void)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		put_pids();
		put("current_tracer", "step");
		open(INSTANCE "/trace_pipe", O_RDONLY | O_NONBLOCK);
		raise(SIGKILL);
	}
	waitpid(pid, &status, 0);
	usleep(2000);
}

static void end_nop(void)
{
	put("current_tracer", "nop");
}

static void end_pids(void)
{
	put("set_ftrace_pid", "\n");
}

static void end_off(void)
{
	put("tracing_on", "0");
}

static void begin_on(void)
{
	put("tracing_on", "1");
}

static void end_remove(void)
{
	if (rmdir(INSTANCE))
		fail("the instance cannot be removed");
}

/* @begin starts the steps again after @end, if the tracer is still set */
static const struct {
	const char *name;
	void (*end)(void);
	void (*begin)(void);
} ways[NR_WAYS] = {
	{ "the tracer ends", end_nop, NULL },
	{ "no task is chosen", end_pids, put_pids },
	{ "the instance is removed", end_remove, NULL },
	{ "tracing_on", end_off, begin_on },
};

/* Make a turn. Returns the number of times that the steps have ended. */
static int turn(unsigned int i)
{
	const typeof(ways[0]) *the = &ways[i % NR_WAYS];
	int n;

	way = the->name;
	if (mkdir(INSTANCE, 0700)) {
		perror(INSTANCE);
		fail("no instance");
	}
	put("options/step-count", "1");
	if (i / NR_WAYS % 2) {
		killed_owner();
	} else {
		put("current_tracer", "step");
		put_pids();
	}
	for (n = 0; n < (the->begin ? NR_AGAIN : 1); n++) {
		if (n)
			the->begin();
		check_slow(5000 + (i + n) * 37 % 500);
		the->end();
		check_fast();
		check_alive();
	}
	if (the->end != end_remove)
		end_remove();
	return n;
}

int main(int argc, char **argv)
{
	unsigned int i, turns = argc == 2 ? atoi(argv[1]) : 0, ends = 0;

	if (!turns) {
		fputs("usage: step-ends TURNS\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	tasks = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < NR_TASKS; i++) {
		pids[i] = fork();
		if (!pids[i])
			spin(i);
	}
	way = "before";
	usleep(20000);
	measure_plain();
	for (i = 0; i < turns; i++)
		ends += turn(i);
	for (i = 0; i < NR_TASKS; i++)
		kill(pids[i], SIGKILL);
	printf("ends: the tasks went on %u times\n", ends);
	return 0;
}
