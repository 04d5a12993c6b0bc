// SPDX-License-Identifier: GPL-2.0
/*
 * The options that all commands have, and the end of a command
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static const char filters_help[] =
	"  -f, --filter FILTER  use only calls that pass, '[GLOB:] CONDITION'; with several\n"
	"                       filters, a call has to pass one of them\n";

static const char examples[] =
	"A filter is a line of the kernel's set_graph_filter:\n"
	"  'vfs_write: count > 4096 && ret < 0'    by arguments, and by return value\n"
	"  'do_sys_open*: filename ~ \"/etc/*\"'     globs\n"
	"  'error == -ENOENT || duration > 5ms'    of any function\n";

static const char common_help[] =
	"  -S, --signatures FILE  use the signatures in FILE, from \"trace-calls signatures\",\n"
	"                       if the recorded kernel does not have signatures\n"
	"  -h, --help           print this text\n\n";

/* Write the help of an option, whose lines begin in column 23 */
static void print_choice(const struct choice *choice, FILE *to)
{
	const char *help = choice->help;
	char text[64];
	size_t len;

	snprintf(text, sizeof(text), "%s%s%s", choice->name,
		 choice->value && *choice->value != '[' ? " " : "", choice->value ?: "");
	fprintf(to, "  -%c, --%-13s  ", choice->letter, text);
	for (; (len = strcspn(help, "\n")), help[len]; help += len + 1)
		fprintf(to, "%.*s\n%23s", (int)len, help, "");
	fprintf(to, "%s\n", help);
}

static void print_options(const struct options *options, FILE *to)
{
	const struct choice *choice;

	fprintf(to, "usage: %s %s\n", program, options->usage);
	for (choice = options->choices; choice && choice->name; choice++)
		print_choice(choice, to);
	if (!options->unfiltered)
		fputs(options->filters_help ?: filters_help, to);
	if (!options->terminal)
		fputs("  -o, --output FILE    write to FILE instead of the standard output\n", to);
	fputs(common_help, to);
	fputs(options->examples ?: examples, to);
}

/* Write the names of options for the shells' completion; "=" follows a name with a value */
static void print_names(const struct options *options, const struct option *longs)
{
	for (; longs->val; longs++)
		if ((longs->val != 'f' || !options->unfiltered) &&
		    (longs->val != 'o' || !options->terminal))
			printf("--%s%s\n", longs->name,
			       longs->has_arg == required_argument ? "=" : "");
}

/**
 * options_parse - parse a command's options, and open its output
 * @options: the possible options; gets the values from the command line
 * @argc: the number of words
 * @argv: the words, the command first
 * @nr_files: number of files of the command, -1 for a command with its own options
 *
 * Return: the index of the files in @argv. If the program has to end, the bitwise
 * complement of its status, after a message: STATUS_GOOD after the help, STATUS_USAGE for
 * wrong options and STATUS_FAILED for a file that cannot be written.
 */
int options_parse(struct options *options, int argc, char **argv, int nr_files)
{
	static const struct option common[] = {
		{ "filter", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "signatures", required_argument, NULL, 'S' },
		{ "help", no_argument, NULL, 'h' },
		{ "options", no_argument, NULL, 0 },
	};
	const struct choice *choices = options->choices, *choice;
	struct option longs[20] = { };
	char shorts[64], *end;
	const char *sigs;
	int nr, option, i;

	end = shorts + sprintf(shorts, "%sf:o:S:h", nr_files < 0 ? "+" : "");
	for (nr = 0; choices && choices[nr].name; nr++) {
		bool optional = choices[nr].value && *choices[nr].value == '[';

		longs[nr] = (struct option){
			choices[nr].name, optional ? optional_argument : !!choices[nr].value, NULL,
			choices[nr].letter,
		};
		end += sprintf(end, "%c%s", choices[nr].letter,
			       optional ? "::" : choices[nr].value ? ":" : "");
	}
	memcpy(&longs[nr], common, sizeof(common));
	optind = 1;
	while ((option = getopt_long(argc, argv, shorts, longs, NULL)) >= 0) {
		switch (option) {
		case 0:
			print_names(options, longs);
			return ~STATUS_GOOD;
		case 'h':
			print_options(options, stdout);
			return ~STATUS_GOOD;
		case 'f':
			if (options->unfiltered) {
				complain("%s are not filtered: \"%s\"", options->unfiltered,
					 optarg);
				return ~STATUS_USAGE;
			}
			if (options->filters_help) {
				if (!options->set(option, optarg))
					return ~STATUS_USAGE;
				break;
			}
			options->filters = filter_add(options->filters, optarg);
			if (!options->filters)
				return ~STATUS_USAGE;
			break;
		case 'o':
			if (options->terminal) {
				complain("%s has no output that can be written to a file", argv[0]);
				return ~STATUS_USAGE;
			}
			options->output = optarg;
			break;
		case 'S':
			/* The readers of the plugin have no options of a command line */
			setenv("FTRACE_ARG_SIGS", optarg, 1);
			break;
		case '?':
			fprintf(stderr, "\"%s %s --help\" tells the options\n", program,
				argv[0]);
			return ~STATUS_USAGE;
		default:
			for (choice = choices; choice->letter != option; choice++)
				;
			if (choice->flag) {
				*choice->flag = true;
			} else if (choice->text) {
				*choice->text = optarg;
			} else if (!options->set(option, optarg)) {
				complain("not a value for this option: %s", optarg);
				return ~STATUS_USAGE;
			}
		}
	}
	/* The end of @argv has room for the name */
	if (nr_files == 1 && optind == argc)
		argv[argc++] = RECORDING;
	if (nr_files >= 0 && argc - optind != nr_files) {
		print_options(options, stderr);
		return ~STATUS_USAGE;
	}
	if (!out_open(options->output))
		return ~STATUS_FAILED;
	for (i = optind; nr_files > 0 && i < argc; i++)
		if (out_is(argv[i]))
			return ~out_close(STATUS_FAILED);
	sigs = options->writes_sigs ? NULL : getenv("FTRACE_ARG_SIGS");
	if (sigs && out_is(sigs))
		return ~out_close(STATUS_FAILED);
	return optind;
}

/* End a command: free its recording, and return the program's status */
int finish(struct calls *calls, const struct options *options)
{
	int status = calls->failed ? STATUS_FAILED : calls->damaged ? STATUS_PART : STATUS_GOOD;

	/* The reader of the output may have gone before a call passed */
	if (status == STATUS_GOOD && !out_failed() && !filters_check(options->filters, calls->file))
		status = STATUS_FAILED;
	/* A command that shows other events has something to show without calls */
	if (status == STATUS_GOOD && !out_failed() && !calls->nr_spans && !calls->ops->event &&
	    !calls->ops->run) {
		complain(options->filters ? "%s: no call passes the filter" :
			 "%s: no calls of the function_graph tracer", calls->file);
		status = STATUS_FAILED;
	}
	status = out_close(status);
	filters_free(options->filters);
	calls_free(calls);
	return status;
}
