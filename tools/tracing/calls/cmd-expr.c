// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls expr: translate expressions with names of members to expressions
 * with offsets
 */
#include <stdlib.h>

#include "arrays.h"
#include "calls.h"
#include "exprs.h"
#include "images.h"

static struct options options = {
	.usage = "expr [OPTIONS] VMLINUX FUNCTION EXPRESSIONS\n\n"
		 "Write a line of func_args_expr with offsets instead of names of members, for a\n"
		 "kernel without BTF. VMLINUX is the kernel's vmlinux, or the module with the\n"
		 "function. The file needs debug info.\n",
	.unfiltered = "expressions",
	.examples = "trace-calls expr vmlinux vfs_read 'file->f_inode->i_ino, file->f_pos' \\\n"
		    "\t> /sys/kernel/tracing/func_args_expr\n",
};

static bool expr_put_line(const char *file, const char *func, const char *text)
{
	Dwfl *dwfl = allocated(dwfl_begin(&image_callbacks));
	Dwfl_Module *mod = dwfl_report_offline(dwfl, "", file, -1);
	Dwarf_Addr bias;
	Dwarf *dwarf;
	char *result;
	bool good;

	dwfl_report_end(dwfl, NULL, NULL);
	dwarf = mod ? dwfl_module_getdwarf(mod, &bias) : NULL;
	if (!dwarf) {
		complain("%s: %s", file, dwfl_errmsg(-1));
		dwfl_end(dwfl);
		return false;
	}
	result = exprs_translate(dwarf, func, text);
	good = result;
	if (good)
		out_printf("%s: %s\n", func, result);
	free(result);
	dwfl_end(dwfl);
	return good;
}

int cmd_expr(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 3);

	if (first < 0)
		return ~first;
	return out_close(expr_put_line(argv[first], argv[first + 1], argv[first + 2]) ?
			 STATUS_GOOD : STATUS_FAILED);
}
