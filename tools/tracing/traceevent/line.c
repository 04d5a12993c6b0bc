// SPDX-License-Identifier: GPL-2.0
/*
 * Write lines of the graph tracer with signatures, as the kernel does
 */
#include "graph_args.h"

/* The kernel's marks of long calls */
#define MARKS	"$@*#!+"

/**
 * line_put_args - write a call's arguments
 * @out: the output
 * @func: the function
 * @entry: the call's entry, or the function tracer's event
 */
void line_put_args(struct arg_out *out, const struct sig_func *func,
		   const struct call *entry)
{
	u64 placed[ARG_SIGS_MAX_LONGS];
	struct arg_longs longs;

	if (!func->sig) {
		arg_out_puts(out, "(?)");
		return;
	}
	longs = decode_placed(entry, func, placed);
	arg_sig_put_args(out, func->sig, func->types, &longs);
}

/* Write the name, and the arguments if they are shown */
static void line_put_call(struct arg_out *out, const struct graph_line *line)
{
	sigs_put_func(out, line->func);
	if (line->args)
		line_put_args(out, line->func, line->entry);
	else
		arg_out_puts(out, "()");
}

/* The function that returned. If only funcgraph-retval was set, only the exit has the set */
static const struct sig_func *returned_func(const struct graph_line *line)
{
	u32 set = decode_set(line->exit);

	if (set == SIGS_NO_SET || set == line->func->set)
		return line->func;
	return sigs_find(line->sigs, line->exit->func, set) ?: line->func;
}

static bool shows_ret(const struct graph_line *line, const struct sig_func *func)
{
	return line->exit->nr_regs && !line->opts[OPT_RETVAL_SKIP] && !func->is_void;
}

/* Write the value that a call returned, without "ret=" */
static void put_retval(struct arg_out *out, const struct graph_line *line,
		       const struct sig_func *func)
{
	const struct call *exit = line->exit;

	if (line->opts[OPT_RETVAL_DEC])
		sigs_put_ret_dec(out, func, exit->regs[0]);
	else
		arg_sig_put_retval(out, func->sig, func->types, exit->regs,
				   exit->nr_regs, line->opts[OPT_RETVAL_HEX]);
}

/*
 * Write @before, then @label and the return value unless the function is void, then the
 * other results of the call. Returns false if there is nothing to write, or if the
 * option retval-skip is set.
 */
static bool line_put_ret(struct arg_out *out, const struct graph_line *line,
			 const char *before, const char *label)
{
	const struct arg_longs *results = &line->exit->results;
	const struct sig_func *func = returned_func(line);
	bool value = shows_ret(line, func);
	bool more = results->size && func->sig && !line->opts[OPT_RETVAL_SKIP];

	if (!value && !more)
		return false;
	arg_out_puts(out, before);
	if (!line->entry) {
		sigs_put_func(out, func);
		arg_out_puts(out, " ");
	}
	if (value) {
		arg_out_puts(out, label);
		put_retval(out, line, func);
	} else if (!*label) {
		arg_out_puts(out, "void");
	}
	if (more)
		arg_sig_put_results(out, func->sig, func->types, results,
				    value || !*label ? " " : "");
	return true;
}

/**
 * line_put_caller - write the caller of a call
 * @out: the output
 * @sigs: the recording's signatures
 * @parent: the address in the caller
 * @offset: also write the address's offset in the function
 */
void line_put_caller(struct arg_out *out, struct sigs *sigs, u64 parent, bool offset)
{
	const char *name;
	u64 start;

	name = sigs_find_caller(sigs, parent, &start);
	if (!name) {
		stock_printf(out, "0x%llx", (unsigned long long)parent);
		return;
	}
	arg_out_puts(out, name);
	if (offset)
		stock_printf(out, "+0x%llx", (unsigned long long)(parent - start));
}

/**
 * line_put_graph - write a line of the graph
 * @out: the output
 * @line: the contents of the line
 *
 * From the duration on, the text is the same as the kernel's.
 */
void line_put_graph(struct arg_out *out, const struct graph_line *line)
{
	const struct call *call = line->entry ?: line->exit;
	bool comment = false;

	stock_put_columns(out, line->exit, MARKS, call->depth);

	if (line->entry) {
		line_put_call(out, line);
		arg_out_puts(out, line->exit ? ";" : " {");
		if (line->entry->parent) {
			arg_out_puts(out, " /* <-");
			line_put_caller(out, line->sigs, line->entry->parent, true);
			comment = true;
		}
	} else {
		arg_out_puts(out, "}");
	}
	if (line->exit && line_put_ret(out, line, comment ? " " : " /* ", "ret=")) {
		comment = true;
	} else if (!line->entry && (line->lost || line->opts[OPT_TAIL])) {
		arg_out_puts(out, " /* ");
		sigs_put_func(out, line->func);
		comment = true;
	}
	if (comment)
		arg_out_puts(out, " */");
	stock_put_depth(line->opts, out, call->depth);
}

/**
 * line_put_single - write the line of a whole call
 * @out: the output
 * @line: the contents of the line; @entry and @exit are the same call
 *
 * From the duration on, the text is the same as the kernel's.
 */
void line_put_single(struct arg_out *out, const struct graph_line *line)
{
	const struct call *call = line->entry;

	stock_put_columns(out, call->open ? NULL : call, MARKS, call->depth);
	line_put_call(out, line);
	if (call->open)
		arg_out_puts(out, " ...");
	else if (!line_put_ret(out, line, " = ", ""))
		arg_out_puts(out, ";");
	stock_put_depth(line->opts, out, call->depth);
}
