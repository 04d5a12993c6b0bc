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

#include "../../../kernel/trace/args/text.h"
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

static void put_spaces(struct arg_out *out, int nr)
{
	if (nr <= 0)
		return;
	if (out->pos < out->end)
		memset(out->pos, ' ', min((long)nr, (long)(out->end - out->pos)));
	out->pos += nr;
	out->last = ' ';
}

/*
 * Write the duration of a call as trace-cmd does, with at most 7 digits and a point.
 * @marks are the marks of durations above 1 s, 100 ms, 10 ms, 1 ms, 100 us, 10 us.
 */
static void put_duration(struct arg_out *out, u64 duration, const char *marks)
{
	unsigned int nsecs = duration % 1000, unit;
	u64 limit = 1000000000ULL;
	const char *begin;

	for (; *marks && duration <= limit; marks++)
		limit /= 10;
	put_char(out, *marks ?: ' ');
	put_char(out, ' ');
	begin = out->pos;
	arg_out_udec(out, duration / 1000);
	if (out->pos - begin < 7) {
		put_char(out, '.');
		for (unit = 100; unit && out->pos - begin < 8; unit /= 10)
			put_char(out, '0' + nsecs / unit % 10);
	}
	arg_out_puts(out, " us ");
	put_spaces(out, 11 - (out->pos - begin));
	arg_out_puts(out, "|  ");
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
	if (exit)
		put_duration(out, exit->duration, marks);
	else
		arg_out_puts(out, "             |  ");
	put_spaces(out, 2 * min(depth, MAX_INDENT));
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
