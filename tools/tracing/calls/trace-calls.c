// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls COMMAND [OPTIONS] FILE...
 *
 * Convert the calls in a recording of trace-cmd, or of a running command, to data. See
 * the man page, trace-calls.1.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

/* The version of the options and of the output, see trace-calls.1 */
#define VERSION		"2.0"

static const struct command commands[] = {
	{ "run", "trace a command or a process, and show its calls", cmd_run },
	{ "graph", "the calls of each task as text, also as \"trace-calls FILE\"", cmd_graph },
#ifdef HAVE_NCURSES
	{ "tui", "the graph in the terminal: folded, searched and filtered", cmd_tui },
#endif
	{ "json", "a JSON object for each call, one object a line", cmd_json },
	{ "perfetto", "slices with typed arguments, for ui.perfetto.dev", cmd_perfetto },
	{ "chrome", "slices as JSON, for speedscope and chrome://tracing", cmd_chrome },
	{ "summary", "calls, errors and times of each function", cmd_summary },
	{ "flame", "folded stacks, for flamegraph.pl and speedscope", cmd_flame },
	{ "diff", "two recordings' summaries side by side", cmd_diff },
	{ "branches", "the bts tracer's branches as a tree of calls", cmd_branches },
	{ "expr", "expressions of func_args_expr, with offsets for names", cmd_expr },
	{ "signatures", "the signatures of a kernel, for its recordings", cmd_signatures },
	{ "probes", "fprobe events with typed arguments, by signatures", cmd_probes },
#ifdef HAVE_KDUMPFILE
	{ "vmcore", "the ring buffers of a crash dump as a recording", cmd_vmcore },
#endif
};

static void print_usage(FILE *to)
{
	int i;

	fprintf(to, "usage: %s COMMAND [OPTIONS] [FILE...]\n\n", program);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-12s%s\n", commands[i].name, commands[i].title);
	fprintf(to, "\nCommands with one FILE read %s if no file is named.\n"
		"\"%s help COMMAND\" shows a command's options.\n", RECORDING, program);
}

static const struct command *find_command(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static int run_command(const char *name, int argc, char **argv)
{
	const struct command *command = find_command(name);

	if (command)
		return command->run(argc, argv);
	if (*name)
		complain("no such command: %s", name);
	print_usage(stderr);
	return STATUS_USAGE;
}

/* Let no file take the place of a closed standard output.  Writing to it fails as before. */
static void reserve_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	char *help[3] = { };
	int i;

	reserve_standard_files();
	signal(SIGPIPE, SIG_IGN);
	tracecmd_set_loglevel(TEP_LOG_WARNING);
	if (!strcmp(name, "--version")) {
		printf("%s %s\n", program, VERSION);
		return STATUS_GOOD;
	}
	if ((!strcmp(name, "help") || !strcmp(name, "--options")) && argc > 2) {
		help[0] = argv[2];
		help[1] = *name == '-' ? "--options" : "--help";
		return run_command(help[0], 2, help);
	}
	/* For the shells' completion */
	if (!strcmp(name, "--options")) {
		for (i = 0; i < ARRAY_SIZE(commands); i++)
			puts(commands[i].name);
		puts("help");
		return STATUS_GOOD;
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		print_usage(stdout);
		return STATUS_GOOD;
	}
	/* "trace-calls FILE" shows the graph */
	if (argc == 2 && !find_command(name) && !access(name, R_OK)) {
		argv[0] = "graph";
		return cmd_graph(argc, argv);
	}
	return run_command(name, argc - 1, argv + 1);
}
