// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls branches: write the branches of a recording, as a tree of calls and in other
 * formats
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "branches.h"
#include "calls.h"

static const struct view * const views[] = {
	&tree_view, &folded_view, &lcov_view, &mispredicted_view, &autofdo_view, &profgen_view,
};

static const struct view *view = &tree_view;

static bool with_calls;

static const struct choice choices[] = {
	{ 'b', "binary", "FILE", "with autofdo and profgen, the path of a program or library of\n"
	  "the recorded machine, instead of vmlinux", .text = &branches_choice.binary },
	{ 'c', "calls", NULL, "put the branches of each call under its line of the\n"
	  "function_graph tracer, which has to be recorded as well", &with_calls },
	{ 'a', "all", NULL, "with -c, show each branch in a line of its own, also\n"
	  "branches of ftrace and of interrupts", &branches_choice.all },
	{ 'C', "calls-only", NULL, "show only the calls in the tree, without jumps",
	  &branches_choice.calls },
	{ 'e', "every", "N", "show one of N branches, each in a line of its own; with\n"
	  "folded, count them" },
	{ 'i', "instructions", NULL, "count the instructions since the last branch; needs\n"
	  "vmlinux or files of the maps", &branches_choice.insns },
	{ 'F', "format", "FORMAT", "tree (default); folded: stacks with numbers of branches;\n"
	  "lcov: lines and branches that ran; mispredicted: lines with\n"
	  "numbers of mispredicted branches; autofdo: the text\n"
	  "profile of create_llvm_prof; profgen: the profile of\n"
	  "llvm-profgen" },
	{ 'k', "vmlinux", "FILE", "the recorded kernel's vmlinux, or a module of it; may be\n"
	  "given several times" },
	{ 'm', "modules", NULL, "use the symbols of modules in the recording",
	  &branches_choice.modules },
	{ 'R', "range", "LINE", "show only branches that begin or end in this code: a line of\n"
	  "bts_range, or FILE:SYMBOL; may be given several times" },
	{ 'r', "sysroot", "DIR", "look in DIR for the files that the recorded tasks ran; needs\n"
	  "the maps of trace-cmd record --proc-map", .text = &branches_choice.sysroot },
	{ 's', "source", "DIR", "show the text of source lines; DIR is the folder of the\n"
	  "source from which the kernel was built", .text = &branches_choice.source },
	{ }
};

static bool branches_set_option(int option, const char *value)
{
	unsigned int i;

	switch (option) {
	case 'e':
		errno = 0;
		branches_choice.every = strtoull(value, NULL, 10);
		return branches_choice.every && !errno && !value[strspn(value, "0123456789")];
	case 'F':
		for (i = 0; i < ARRAY_SIZE(views); i++) {
			if (!strcmp(value, views[i]->name)) {
				view = views[i];
				return true;
			}
		}
		return false;
	case 'k':
		images_name(value);
		return true;
	case 'R':
		branches_choice.part = true;
		return range_add(value);
	}
	return false;
}

static struct options options = {
	.usage = "branches [OPTIONS] [FILE]\n\n"
		 "Write the branches of the bts tracer as a tree of calls\n",
	.choices = choices,
	.unfiltered = "branches",
	.examples = "Without -k, trace-calls searches for a vmlinux with the recording's build ID\n"
		    "in the folders of distributions and kernel builds.\n",
	.set = branches_set_option,
};

static bool open_branches(struct calls *calls)
{
	return branches_open(calls, view);
}

static const struct calls_ops ops = {
	.open	= open_branches,
	.event	= branches_put,
};

static const struct calls_ops merge_ops = {
	.open	= open_branches,
	.run	= branches_merge,
};

/* Whether the options go together; complains if not */
static bool are_valid(void)
{
	const struct branches_choice *choice = &branches_choice;
	bool tree = view == &tree_view && !with_calls;

	if (with_calls ? view != &tree_view : choice->all)
		complain("--calls makes a tree, and --all belongs to --calls");
	else if (choice->calls && !tree)
		complain("--calls-only is for --format tree without --calls");
	else if (choice->every && with_calls)
		complain("--every is for the tree without --calls");
	else if (choice->every && !view->samples)
		complain("--every leaves branches out, and --format %s counts all of them",
			 view->name);
	else if (choice->binary && view != &autofdo_view && view != &profgen_view)
		complain("--binary is for --format autofdo and profgen");
	else if (choice->insns && (!tree || choice->calls))
		complain("--instructions is for --format tree without --calls and --calls-only");
	else
		return true;
	return false;
}

int cmd_branches(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;
	u64 nr;

	if (first < 0)
		return ~first;
	if (!are_valid()) {
		out_close(STATUS_FAILED);
		return STATUS_USAGE;
	}
	/* With --calls, the calls around the branches are the lines of the function_graph tracer */
	branches_choice.alone = branches_choice.every || (with_calls && branches_choice.part);
	calls_read(&calls, argv[first], NULL, with_calls ? &merge_ops : &ops, NULL);
	nr = branches_end(&calls);
	if (!calls.failed && !calls.damaged && !nr) {
		complain("%s: no branches: record them with trace-cmd record -p bts",
			 calls.file);
		calls.failed = true;
	}
	status = finish(&calls, &options);
	branches_free();
	return status;
}
