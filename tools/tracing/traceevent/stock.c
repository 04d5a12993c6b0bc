// SPDX-License-Identifier: GPL-2.0
/*
 * Write lines as they are without the plugin
 *
 * Lines of the graph tracer are the same as in trace-cmd 3.4
 * (lib/trace-cmd/trace-ftrace.c).  Lines of the function tracer are the same as in
 * libtraceevent's plugin_function.c.  The plugin cannot pass an event to the previous
 * handler, because libtraceevent calls only the handler that was registered last, and
 * does not return the previous handler.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "graph_args.h"

/* A function of libtraceevent 1.9, NULL in older versions */
int tep_btf_print_args(struct tep_handle *tep, struct trace_seq *s, void *args,
		       int nmem, int size, const char *func);
#pragma weak tep_btf_print_args

/* trace-cmd's marks of long calls */
#define STOCK_MARKS	"$###!+"

static void stock_printf(struct arg_out *out, const char *format, ...)
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

static void stock_put_ret(const bool *opts, struct arg_out *out,
			  const struct call *exit)
{
	unsigned long long val = exit->regs[0];

	if (!exit->nr_regs || opts[OPT_RETVAL_SKIP])
		return;
	if (opts[OPT_RETVAL_DEC] ||
	    (!opts[OPT_RETVAL_HEX] && IS_ERR_VALUE((unsigned long)val)))
		stock_printf(out, " (ret=%lld)", (long long)val);
	else
		stock_printf(out, " (ret=0x%llx)", val);
}

/* Write the text in the parentheses, if there is BTF of the kernel */
static void stock_put_args(struct tep_handle *tep, struct arg_out *out,
			   const struct call *call, const char *name)
{
	int size = tep_get_long_size(tep) ?: sizeof(long);
	struct trace_seq s;

	if (!tep_btf_print_args || !call->args)
		return;
	trace_seq_init(&s);
	tep_btf_print_args(tep, &s, call->args, call->args_size / size, size,
			   name);
	trace_seq_terminate(&s);
	arg_out_puts(out, s.buffer);
	trace_seq_destroy(&s);
}

static void stock_put_call(struct tep_handle *tep, struct arg_out *out,
			   const struct call *call)
{
	const char *name = tep_find_function(tep, call->func);

	if (name) {
		arg_out_puts(out, name);
		arg_out_puts(out, "(");
		stock_put_args(tep, out, call, name);
	} else {
		stock_printf(out, "%llx(", (unsigned long long)call->func);
	}
	arg_out_puts(out, ")");
}

/**
 * stock_put_entry - write the entry of a call
 * @tep: the handle that knows the functions
 * @opts: the options
 * @out: the output
 * @entry: the entry
 * @exit: the exit, NULL unless it is in the same line
 */
void stock_put_entry(struct tep_handle *tep, const bool *opts,
		     struct arg_out *out, const struct call *entry,
		     const struct call *exit)
{
	const char *caller = NULL;

	if (entry->parent)
		caller = tep_find_function(tep, entry->parent);
	stock_put_columns(out, exit, STOCK_MARKS, entry->depth);
	stock_put_call(tep, out, entry);
	if (exit) {
		arg_out_puts(out, ";");
		stock_put_depth(opts, out, entry->depth);
	}
	if (caller) {
		arg_out_puts(out, " /* <-");
		arg_out_puts(out, caller);
		arg_out_puts(out, " */");
	}
	if (exit) {
		stock_put_ret(opts, out, exit);
	} else {
		arg_out_puts(out, " {");
		stock_put_depth(opts, out, entry->depth);
	}
}

/**
 * stock_put_exit - write the exit of a call
 * @tep: the handle that knows the functions
 * @opts: the options
 * @out: the output
 * @exit: the exit
 */
void stock_put_exit(struct tep_handle *tep, const bool *opts,
		    struct arg_out *out, const struct call *exit)
{
	const char *name = NULL;

	if (opts[OPT_TAIL])
		name = tep_find_function(tep, exit->func);
	stock_put_columns(out, exit, STOCK_MARKS, exit->depth);
	arg_out_puts(out, "}");
	if (name) {
		arg_out_puts(out, " /* ");
		arg_out_puts(out, name);
		arg_out_puts(out, " */");
	}
	stock_put_depth(opts, out, exit->depth);
	stock_put_ret(opts, out, exit);
}

/**
 * stock_put_single - write a whole call
 * @tep: the handle that knows the functions
 * @opts: the options
 * @out: the output
 * @call: the call
 *
 * trace-cmd does not know events of whole calls.  The line looks like the line of a call
 * without callees.
 */
void stock_put_single(struct tep_handle *tep, const bool *opts,
		      struct arg_out *out, const struct call *call)
{
	stock_put_columns(out, call->open ? NULL : call, STOCK_MARKS, call->depth);
	stock_put_call(tep, out, call);
	arg_out_puts(out, call->open ? " ..." : ";");
	stock_put_depth(opts, out, call->depth);
	stock_put_ret(opts, out, call);
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
