// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls COMMAND [OPTIONS] FILE...
 *
 * Convert the calls in a recording of trace-cmd, or of a running command, to data. See
 * the man page, trace-calls.1.
 */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

const char *program = "trace-calls";

static const struct command commands[] = {
	{ "run", "trace a command or a process, and show its calls", cmd_run },
	{ "json", "a JSON object for each call, one object a line", cmd_json },
	{ "perfetto", "slices with typed arguments, for ui.perfetto.dev", cmd_perfetto },
	{ "chrome", "slices as JSON, for speedscope and chrome://tracing", cmd_chrome },
	{ "summary", "calls, errors and times of each function", cmd_summary },
	{ "flame", "folded stacks, for flamegraph.pl and speedscope", cmd_flame },
	{ "diff", "two recordings' summaries side by side", cmd_diff },
	{ "unfold", "a recording with two events for each call with one event", cmd_unfold },
	{ "branches", "the bts tracer's branches as a tree of calls", cmd_branches },
	{ "expr", "expressions of func_args_expr, with offsets for names", cmd_expr },
};

static void print_usage(FILE *to)
{
	int i;

	fprintf(to, "usage: %s COMMAND [OPTIONS] FILE...\n\n", program);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-10s%s\n", commands[i].name, commands[i].title);
	fprintf(to, "\n\"%s COMMAND --help\" shows a command's options.\n", program);
}

static const char filters_help[] =
	"  -f, --filter FILTER  use only calls that pass, 'FUNCTION: EXPRESSION'; with several\n"
	"                       filters, a call has to pass one of them\n";

static const char examples[] =
	"A filter has the syntax of the kernel's event filters:\n"
	"  'vfs_write: count > 4096 && ret < 0'    by arguments, and by return value\n"
	"  'do_sys_open*: filename ~ \"/etc/*\"'     globs\n"
	"  'error == -ENOENT || duration > 5ms'    of any function\n";

static void print_options(const struct options *options, FILE *to)
{
	fprintf(to, "usage: %s %s\n", program, options->usage);
	fputs(options->filters_help ?: filters_help, to);
	fputs("  -o, --output FILE    write to FILE instead of the standard output\n"
	      "  -h, --help           print this text\n\n", to);
	fputs(options->examples ?: examples, to);
}

/**
 * options_parse - parse a command's options, and open its output
 * @options: the possible options; gets the values from the command line
 * @argc: the number of words
 * @argv: the words, the command first
 * @nr_files: number of files of the command, -1 for a command with its own options
 *
 * Return: the index of the files in @argv. If the program has to end, the bitwise
 * complement of its status, after a message: 0 after the help, 2 for wrong options and
 * 1 for a file that cannot be written.
 */
int options_parse(struct options *options, int argc, char **argv, int nr_files)
{
	static const struct option common[] = {
		{ "filter", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
	};
	struct option longs[16] = { };
	char shorts[64];
	int nr, option;

	for (nr = 0; options->longs && options->longs[nr].name; nr++)
		longs[nr] = options->longs[nr];
	memcpy(&longs[nr], common, sizeof(common));
	snprintf(shorts, sizeof(shorts), "%sf:o:h%s", nr_files < 0 ? "+" : "",
		 options->shorts ?: "");
	optind = 1;
	while ((option = getopt_long(argc, argv, shorts, longs, NULL)) >= 0) {
		switch (option) {
		case 'h':
			print_options(options, stdout);
			return ~0;
		case 'f':
			if (options->filters_help) {
				if (!options->set(option, optarg))
					return ~2;
				break;
			}
			options->filters = filter_add(options->filters, optarg);
			if (!options->filters)
				return ~2;
			break;
		case 'o':
			options->output = optarg;
			break;
		case '?':
			fprintf(stderr, "\"%s %s --help\" tells the options\n", program,
				argv[0]);
			return ~2;
		default:
			if (!options->set(option, optarg)) {
				complain("not a value for this option: %s", optarg);
				return ~2;
			}
		}
	}
	if (nr_files >= 0 && argc - optind != nr_files) {
		print_options(options, stderr);
		return ~2;
	}
	return out_open(options->output) ? optind : ~1;
}

/**
 * finish - end a command
 * @calls: the recording that was read
 * @options: the command's options
 *
 * Return: the program's status.
 */
int finish(const struct calls *calls, const struct options *options)
{
	int status = calls->failed;

	if (!calls->failed && !filters_check(options->filters, calls->file))
		status = 1;
	status |= out_close();
	filters_free(options->filters);
	return status;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	int i;

	signal(SIGPIPE, SIG_IGN);
	tracecmd_set_loglevel(TEP_LOG_WARNING);
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		print_usage(stdout);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (*name)
		complain("no such command: %s", name);
	print_usage(stderr);
	return 2;
}
