// SPDX-License-Identifier: GPL-2.0
/*
 * step-pushf TURNS
 *
 * Two threads on CPU 0, which the step tracer traces, save their flags in a page each.
 * Meanwhile a thread on CPU 1 takes the pages away and gives them back. Exits with 1 if a
 * thread finds TF in its flags.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIDS	"/sys/kernel/tracing/set_ftrace_pid"
#define TF	0x100

static unsigned long turns, with_tf, faults;
static char *pages;
static int running = 2;

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

/* The instruction is executed again */
static void segv(int sig)
{
	__atomic_add_fetch(&faults, 1, __ATOMIC_RELAXED);
	mprotect(pages, 8192, PROT_READ | PROT_WRITE);
}

static void choose(void)
{
	int fd = open(PIDS, O_WRONLY | O_APPEND | O_CLOEXEC);
	char pid[16];

	snprintf(pid, sizeof(pid), "%d\n", gettid());
	if (fd < 0 || write(fd, pid, strlen(pid)) < 0)
		abort();
	close(fd);
}

static void *save_flags(void *page)
{
	stack_t stack = { .ss_sp = malloc(SIGSTKSZ * 8), .ss_size = SIGSTKSZ * 8 };
	unsigned long val, i;

	on_cpu(0);
	if (sigaltstack(&stack, NULL))
		abort();
	choose();
	for (i = 0; i < turns; i++) {
		asm volatile("mov %%rsp, %%r12\n\tmov %1, %%rsp\n\t"
			     "pushfq\n\tpop %0\n\tmov %%r12, %%rsp"
			     : "=&r" (val) : "r" ((char *)page + 4096) : "r12", "memory");
		if (val & TF)
			__atomic_add_fetch(&with_tf, 1, __ATOMIC_RELAXED);
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = segv, .sa_flags = SA_ONSTACK | SA_NODEFER };
	pthread_t thread[2];
	int i;

	turns = argc == 2 ? strtoul(argv[1], NULL, 0) : 0;
	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!turns || pages == MAP_FAILED || sigaction(SIGSEGV, &act, NULL))
		return 2;
	for (i = 0; i < 2; i++) {
		if (pthread_create(&thread[i], NULL, save_flags, pages + 4096 * i))
			return 2;
	}
	on_cpu(1);
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST)) {
		mprotect(pages, 8192, PROT_NONE);
		mprotect(pages, 8192, PROT_READ | PROT_WRITE);
	}
	printf("%lu saved flags, %lu faults, %lu times with TF\n", 2 * turns, faults, with_tf);
	return with_tf != 0;
}
