// SPDX-License-Identifier: GPL-2.0
/*
 * cost FILE
 *
 * Measures the cost of a line of the function tracer with a recording's plugins.  The
 * cost must not depend on the number of functions in earlier lines, or on the number of
 * CPUs.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <trace-cmd/trace-cmd.h>

#define LINES		100000
#define FUNCTIONS	1000000
#define CPUS		1024
#define FIRST_FUNCTION	0xffffffff90000000ULL

static struct tep_handle *tep;

/* Measure nanoseconds for a line, with @lines lines of other functions on several CPUs */
static double cost(unsigned long long function, int lines, int cpus)
{
	struct {
		unsigned short		type;
		unsigned char		flags;
		unsigned char		preempt_count;
		int			pid;
		unsigned long long	ip;
		unsigned long long	parent_ip;
	} event = { .pid = 42, .parent_ip = FIRST_FUNCTION };
	struct tep_record record = { .data = &event, .size = sizeof(event) };
	struct timespec begin, end;
	struct trace_seq s;
	int i;

	event.type = tep_find_event_by_name(tep, "ftrace", "function")->id;
	trace_seq_init(&s);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (i = 0; i < lines; i++) {
		event.ip = FIRST_FUNCTION + (function + i) * 16;
		record.cpu = i % cpus;
		trace_seq_reset(&s);
		tep_print_event(tep, &s, &record, "%s", TEP_PRINT_INFO);
	}
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	trace_seq_destroy(&s);
	return ((end.tv_sec - begin.tv_sec) * 1e9 + end.tv_nsec - begin.tv_nsec) / lines;
}

/* Measure in a new thread, which has not read from a file */
static void *measure(void *data)
{
	double one, many, first, all;
	int *status = data;

	first = cost(0, LINES, 1);
	all = cost(LINES, FUNCTIONS, 1);
	printf("%d functions: %.0f ns a line, the first %d: %.0f ns\n",
	       FUNCTIONS, all, LINES, first);
	one = cost(FUNCTIONS, LINES, 1);
	many = cost(FUNCTIONS, LINES, CPUS);
	printf("%d CPUs: %.0f ns a line, one: %.0f ns\n", CPUS, many, one);
	*status = all > 3 * first || many > 3 * one;
	return NULL;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *in;
	pthread_t thread;
	int status = 1;

	in = argc == 2 ? tracecmd_open(argv[1], 0) : NULL;
	if (!in)
		return 1;
	tep = tracecmd_get_tep(in);
	if (!pthread_create(&thread, NULL, measure, &status))
		pthread_join(thread, NULL);
	tracecmd_close(in);
	return status;
}
