// SPDX-License-Identifier: GPL-2.0
/*
 * run FILE [-f CONDITION | -g GLOB]
 *
 * The command run of trace-calls, which reads a recording instead of a new instance.  It writes
 * the calls as with conditions that the kernel decides, and with -f or -g as on a kernel that does
 * not know conditions.
 */
#define cmd_run cmd_run_live
#include "cmd-run.c"
#undef cmd_run

#define MAX_CPUS	64

int cmd_run(int argc, char **argv)
{
	struct run run = { .pending = xcalloc(MAX_CPUS, sizeof(*run.pending)) };
	int status;

	out_open(NULL);
	choice.selects = true;
	if (argc > 3 && (!run_set_option(argv[2][1], argv[3]) || !set_filter(choice.lines[0].text)))
		return out_close(STATUS_USAGE);
	stats_init(&run.stats, NULL);
	calls_read(&run.live.calls, argv[1], choice.filters, &ops, &run);
	status = run.live.calls.failed ? STATUS_FAILED : STATUS_GOOD;
	calls_free(&run.live.calls);
	stats_free(&run.stats);
	free(run.pending);
	return out_close(status);
}
