// SPDX-License-Identifier: GPL-2.0
/*
 * run FILE [-f CONDITION | -g GLOB [json]]
 * run --options DIR
 * run modules FILE
 * run signals
 *
 * The command run of trace-calls, which reads a recording instead of a new instance.  It writes
 * the calls as with conditions that the kernel decides, and with -f or -g as on a kernel that
 * does not know conditions, and then says what such a kernel records.  With --options, sets the
 * options of the instance "run" in a copy of tracefs in the folder DIR, prints them, and
 * removes the instance.  With modules, writes what run compares of /proc/modules.  With signals,
 * writes which signals end the run.
 */
#define cmd_run cmd_run_live
#include "cmd-run.c"
#undef cmd_run
#include "live.c"

#define MAX_CPUS	64

static int put_options(const char *dir)
{
	struct tracefs_instance *instance;
	unsigned int i;

	tracefs_set_tracing_dir((char *)dir);
	instance = tracefs_instance_create("run");
	if (!instance || !set_options(instance))
		return STATUS_FAILED;
	for (i = 0; i < ARRAY_SIZE(run_options); i++)
		printf("%s %c\n", run_options[i].file,
		       read_option(instance, run_options[i].file) ?: '-');
	remove_instance(instance);
	return STATUS_GOOD;
}

static int put_signals(void)
{
	struct sigaction action;
	int sig;

	catch_signals();
	for (sig = 1; sig < SIGRTMIN; sig++)
		if (!sigaction(sig, NULL, &action) && action.sa_handler == stop)
			printf("%s\n", sigabbrev_np(sig));
	return STATUS_GOOD;
}

int cmd_run(int argc, char **argv)
{
	struct run run = { .pending = xcalloc(MAX_CPUS, sizeof(*run.pending)) };
	char *modules;
	int status;

	if (!strcmp(argv[1], "--options"))
		return put_options(argv[2]);
	if (!strcmp(argv[1], "signals"))
		return put_signals();
	out_open(NULL);
	if (!strcmp(argv[1], "modules")) {
		modules = read_file(argv[2]);
		keep_places(modules);
		out_puts(modules);
		free(modules);
		free(run.pending);
		return out_close(STATUS_GOOD);
	}
	choice.selects = true;
	if (argc > 3 && (!run_set_option(argv[2][1], argv[3]) || !set_filter(choice.lines[0].text)))
		return out_close(STATUS_USAGE);
	choice.json = argc > 4;
	stats_init(&run.stats, NULL);
	calls_read(&run.live.calls, argv[1], choice.filters, &ops, &run);
	if (choice.json)
		json_end(&run.live.calls);
	if (choice.filters) {
		choice.stock = true;
		tell_armed(&run, argv[1]);
	}
	status = run.live.calls.failed ? STATUS_FAILED : STATUS_GOOD;
	calls_free(&run.live.calls);
	stats_free(&run.stats);
	filters_free(choice.filters);
	free(run.pending);
	return out_close(status);
}
