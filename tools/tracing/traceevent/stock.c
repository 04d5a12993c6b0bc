// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of a line of the graph tracer, and the function tracer's lines without arguments
 *
 * Lines of the function tracer are the same as in libtraceevent's plugin_function.c.  The plugin
 * cannot pass such an event to the handler of plugin_function.c, because libtraceevent calls only
 * the handler that was registered last, and does not return the previous handler.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "graph_args.h"

/**
 * stock_printf - write at most 63 characters
 * @out: the output
 * @format: the text, as for printf()
 */
void stock_printf(struct arg_out *out, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	arg_out_puts(out, text);
}

/*
 * Write the duration of a call as trace-cmd does, with at most 7 digits and a point.
 * @marks are the marks of durations above 1 s, 100 ms, 10 ms, 1 ms, 100 us, 10 us.
 */
static void put_duration(struct arg_out *out, u64 duration, const char *marks)
{
	unsigned long long usecs = duration / 1000;
	u64 limit = 1000000000ULL;
	char text[64];
	int len;

	for (; *marks && duration <= limit; marks++)
		limit /= 10;
	len = snprintf(text, sizeof(text), "%llu", usecs);
	if (len < 7)
		snprintf(text + len, 9 - len, ".%03u",
			 (unsigned int)(duration % 1000));
	len = strlen(text);
	stock_printf(out, "%c %s us %*s|  ", *marks ?: ' ', text, max(0, 7 - len), "");
}

/**
 * stock_put_columns - write the columns before a call, and indent the call
 * @out: the output
 * @exit: the exit of the call, which has the duration; NULL leaves the column empty
 * @marks: the marks of durations above 1 s, 100 ms, 10 ms, 1 ms, 100 us, 10 us
 * @depth: the depth of the call
 */
void stock_put_columns(struct arg_out *out, const struct call *exit,
		       const char *marks, int depth)
{
	int i;

	if (exit)
		put_duration(out, exit->duration, marks);
	else
		arg_out_puts(out, "             |  ");
	for (i = 0; i < min(depth, MAX_INDENT); i++)
		arg_out_puts(out, "  ");
}

/**
 * stock_put_depth - write the depth of a call, if the option is set
 * @opts: the options
 * @out: the output
 * @depth: the depth
 */
void stock_put_depth(const bool *opts, struct arg_out *out, int depth)
{
	if (opts[OPT_DEPTH])
		stock_printf(out, " (%d)", depth);
}

static void stock_put_address(struct tep_handle *tep, const bool *opts,
			      struct arg_out *out, u64 addr)
{
	const char *name = tep_find_function(tep, addr);

	if (!name) {
		stock_printf(out, "0x%llx", (unsigned long long)addr);
		return;
	}
	arg_out_puts(out, name);
	if (opts[OPT_OFFSET])
		stock_printf(out, "+0x%x ",
			     (int)(addr - tep_find_function_address(tep, addr)));
}

/**
 * stock_put_function - write the function tracer's event
 * @tep: the handle that knows the functions
 * @opts: the options
 * @out: the output
 * @call: the event
 */
void stock_put_function(struct tep_handle *tep, const bool *opts,
			struct arg_out *out, const struct call *call)
{
	stock_put_address(tep, opts, out, call->func);
	if (!opts[OPT_PARENT])
		return;
	arg_out_puts(out, " <-- ");
	stock_put_address(tep, opts, out, call->parent);
}
