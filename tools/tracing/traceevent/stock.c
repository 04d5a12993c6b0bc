// SPDX-License-Identifier: GPL-2.0
/*
 * Lines as they are without the plugin
 *
 * Lines of the graph tracer are those of trace-cmd 3.4 (lib/trace-cmd/trace-ftrace.c).
 * Lines of the function tracer are those of libtraceevent's plugin_function.c.  An event
 * belongs to the handler that is registered last, and libtraceevent does not tell the
 * handler before it, so the plugin cannot leave a line to that handler.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <linux/err.h>
#include <linux/kernel.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "graph_args.h"

/* A function of libtraceevent 1.9, NULL before that */
int tep_btf_print_args(struct tep_handle *tep, struct trace_seq *s, void *args,
		       int nmem, int size, const char *func);
#pragma weak tep_btf_print_args

/* trace-cmd's marks of long calls */
#define STOCK_MARKS	"$###!+"

static void put_text(struct arg_out *out, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	arg_out_puts(out, text);
}

/*
 * Write how long a call took, as trace-cmd does: 7 digits and a point at most.  @marks
 * are the marks of durations above 1 s, 100 ms, 10 ms, 1 ms, 100 us, 10 us.
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
	put_text(out, "%c %s us %*s|  ", *marks ?: ' ', text, max(0, 7 - len), "");
}

/**
 * stock_put_columns - write what stands before a call, and move the call to the right
 * @out: where to
 * @exit: the end of the call, whose duration is written; NULL leaves the column empty
 * @marks: the marks of durations above 1 s, 100 ms, 10 ms, 1 ms, 100 us, 10 us
 * @depth: how deep the call is
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

static void put_depth(const bool *opts, struct arg_out *out,
		      const struct call *call)
{
	if (opts[OPT_DEPTH])
		put_text(out, " (%d)", call->depth);
}

static void put_ret(const bool *opts, struct arg_out *out,
		    const struct call *exit)
{
	unsigned long long val = exit->regs[0];

	if (!exit->nr_regs || opts[OPT_RETVAL_SKIP])
		return;
	if (opts[OPT_RETVAL_DEC] ||
	    (!opts[OPT_RETVAL_HEX] && IS_ERR_VALUE((unsigned long)val)))
		put_text(out, " (ret=%lld)", (long long)val);
	else
		put_text(out, " (ret=0x%llx)", val);
}

/* Write the text in the parentheses, by the kernel's BTF if there is any */
static void put_args(struct tep_handle *tep, struct arg_out *out,
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

static void put_call(struct tep_handle *tep, struct arg_out *out,
		     const struct call *call)
{
	const char *name = tep_find_function(tep, call->func);

	if (name) {
		arg_out_puts(out, name);
		arg_out_puts(out, "(");
		put_args(tep, out, call, name);
	} else {
		put_text(out, "%llx(", (unsigned long long)call->func);
	}
	arg_out_puts(out, ")");
}

/**
 * stock_put_entry - write the begin of a call
 * @tep: who knows the functions
 * @opts: the options
 * @out: where to
 * @entry: the begin
 * @exit: the end, NULL unless it is in the same line
 */
void stock_put_entry(struct tep_handle *tep, const bool *opts,
		     struct arg_out *out, const struct call *entry,
		     const struct call *exit)
{
	const char *caller = NULL;

	if (entry->parent)
		caller = tep_find_function(tep, entry->parent);
	stock_put_columns(out, exit, STOCK_MARKS, entry->depth);
	put_call(tep, out, entry);
	if (exit) {
		arg_out_puts(out, ";");
		put_depth(opts, out, entry);
	}
	if (caller) {
		arg_out_puts(out, " /* <-");
		arg_out_puts(out, caller);
		arg_out_puts(out, " */");
	}
	if (exit) {
		put_ret(opts, out, exit);
	} else {
		arg_out_puts(out, " {");
		put_depth(opts, out, entry);
	}
}

/**
 * stock_put_exit - write the end of a call
 * @tep: who knows the functions
 * @opts: the options
 * @out: where to
 * @exit: the end
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
	put_depth(opts, out, exit);
	put_ret(opts, out, exit);
}

/**
 * stock_put_single - write a whole call
 * @tep: who knows the functions
 * @opts: the options
 * @out: where to
 * @call: the call
 *
 * trace-cmd does not know such calls.  The line is as that of a call without callees.
 */
void stock_put_single(struct tep_handle *tep, const bool *opts,
		      struct arg_out *out, const struct call *call)
{
	stock_put_columns(out, call->open ? NULL : call, STOCK_MARKS, call->depth);
	put_call(tep, out, call);
	arg_out_puts(out, call->open ? " ..." : ";");
	put_depth(opts, out, call);
	put_ret(opts, out, call);
}

static void put_function(struct tep_handle *tep, const bool *opts,
			 struct arg_out *out, u64 addr)
{
	const char *name = tep_find_function(tep, addr);

	if (!name) {
		put_text(out, "0x%llx", (unsigned long long)addr);
		return;
	}
	arg_out_puts(out, name);
	if (opts[OPT_OFFSET])
		put_text(out, "+0x%x ",
			 (int)(addr - tep_find_function_address(tep, addr)));
}

/**
 * stock_put_function - write the function tracer's event
 * @tep: who knows the functions
 * @opts: the options
 * @out: where to
 * @call: the event
 */
void stock_put_function(struct tep_handle *tep, const bool *opts,
			struct arg_out *out, const struct call *call)
{
	put_function(tep, opts, out, call->func);
	if (!opts[OPT_PARENT])
		return;
	arg_out_puts(out, " <-- ");
	put_function(tep, opts, out, call->parent);
}
