// SPDX-License-Identifier: GPL-2.0
/*
 * reads FILE MAX
 *
 * Prints the first line of a recording, and fails if MAX records or more are read for it.  The
 * program has a function of libtracecmd, which the plugins then call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <trace-cmd/trace-cmd.h>

static int nr;

struct tep_record *tracecmd_read_data(struct tracecmd_input *in, int cpu)
{
	typeof(tracecmd_read_data) *next = dlsym(RTLD_NEXT, "tracecmd_read_data");

	nr++;
	return next(in, cpu);
}

int main(int argc, char **argv)
{
	struct tracecmd_input *in = argc == 3 ? tracecmd_open(argv[1], 0) : NULL;
	struct tep_record *record = in ? tracecmd_read_data(in, 0) : NULL;
	struct trace_seq s;

	if (!record)
		return 1;
	trace_seq_init(&s);
	tep_print_event(tracecmd_get_tep(in), &s, record, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&s);
	printf("%s: %d records are read\n", s.buffer, nr);
	trace_seq_destroy(&s);
	tracecmd_free_record(record);
	tracecmd_close(in);
	return nr >= atoi(argv[2]);
}
