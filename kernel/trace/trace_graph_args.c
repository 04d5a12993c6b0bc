// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and typed return values in the function_graph tracer
 */
#include <linux/ftrace.h>
#include <linux/seq_buf.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "trace.h"
#include "trace_args_table.h"
#include "trace_args_capture.h"
#include "trace_graph_args.h"
#include "trace_output.h"

/**
 * trace_graph_record_captured - record a graph entry of any size
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry; without them, no arguments
 * @ref: the reference to the function's signature, 0 if it has none
 * @slot: the function's slot if it is in a module
 *
 * For calls that can_capture_direct() refuses. Any context, NMI too, with
 * preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
int trace_graph_record_captured(struct trace_array *tr,
				struct ftrace_graph_ent *trace,
				unsigned int trace_ctx,
				struct ftrace_regs *fregs, u32 ref,
				const struct arg_sig_module_slot *slot)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	struct call_args args __uninitialized;

	call_args_capture(&args, READ_ONCE(tr->func_args_string_size), ref, slot,
			  fregs);
	entry = graph_reserve(buffer, TRACE_GRAPH_ENT,
			      sizeof(*entry) + args.size, trace_ctx);
	if (entry) {
		entry->graph_ent = *trace;
		call_args_copy(entry->args, &args);
		graph_commit(buffer);
	}
	call_args_release();

	return !!entry;
}

/* Read the number of the set from @tail, the bytes behind an event's fields */
static u32 tail_set(const void *tail, unsigned int size)
{
	/* With it, the ring buffer pads to 8 bytes, which hides the size */
	BUILD_BUG_ON(IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS));
	if (size % sizeof(long) != sizeof(u32))
		return ARG_SIGS_UNKNOWN_SET;
	return get_unaligned((const u32 *)(tail + size - sizeof(u32)));
}

/**
 * graph_call_set - find the set of signatures that an entry was recorded with
 * @call: the entry
 *
 * Return: the set's number, ARG_SIGS_UNKNOWN_SET if the entry has none.
 */
u32 graph_call_set(const struct graph_call *call)
{
	return tail_set(call->tail, call->size);
}

/* Events of another boot get no signature: they may be of another image */
static void hold_sig(struct arg_sig_hold *hold, struct trace_iterator *iter,
		     unsigned long func, u32 set)
{
	if (trace_array_last_boot(iter->tr))
		*hold = (struct arg_sig_hold){ };
	else
		arg_sig_hold(hold, func, set);
}

/* Get the free space of a line; put_out() commits the text written there */
static void get_out(struct trace_seq *s, struct arg_out *out)
{
	char *buf = NULL;
	size_t left = s->full ? 0 : seq_buf_get_buf(&s->seq, &buf);

	*out = (struct arg_out){ .pos = buf, .end = buf + left };
}

static void put_out(struct trace_seq *s, const struct arg_out *out)
{
	char *buf;

	if (s->full)
		return;
	seq_buf_get_buf(&s->seq, &buf);
	if (out->pos <= out->end)
		seq_buf_commit(&s->seq, out->pos - buf);
	else
		s->full = 1;
}

/* Print the name that the function had when the event was recorded */
static void print_func(struct trace_iterator *iter, unsigned long func, u32 set)
{
	struct trace_seq *s = &iter->seq;
	struct arg_out out;

	if (trace_array_last_boot(iter->tr)) {
		func = trace_adjust_address(iter->tr, func);
		trace_seq_printf(s, "%ps", (void *)func);
		return;
	}
	get_out(s, &out);
	arg_sig_put_func(&out, func, set);
	put_out(s, &out);
}

/* Print a call's arguments: the @size bytes behind the fields of its event */
static void print_args(struct trace_iterator *iter, unsigned long func, u32 set,
		       const void *tail, unsigned int size)
{
	struct arg_longs longs = {
		.data = tail,
		.size = round_down(size, sizeof(long)),
	};
	struct arg_sig_hold hold;
	struct arg_out out;

	hold_sig(&hold, iter, func, set);
	get_out(&iter->seq, &out);
	if (hold.sig)
		arg_sig_put_args(&out, hold.sig, hold.types, &longs);
	else
		arg_out_puts(&out, "(?)");
	put_out(&iter->seq, &out);
	arg_sig_release(&hold);
}

/*
 * Print @before and the return value of a call; return false if the option is
 * not set, or if the function is void
 */
static bool print_ret(struct trace_iterator *iter, u32 set,
		      const struct graph_ret_copy *copy, const char *before,
		      bool name, u32 flags)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	const struct ftrace_graph_ret *ret = &copy->ent.ret;
	u64 regs[] = { ret->retval, copy->second };
	struct trace_seq *s = &iter->seq;
	struct arg_sig_hold hold;
	struct arg_out out;
	bool shown;

	if (!(flags & TRACE_GRAPH_PRINT_RETVAL))
		return false;

	hold_sig(&hold, iter, ret->func, set);
	shown = !hold.sig || !arg_sig_is_void(hold.sig);
	if (shown) {
		trace_seq_puts(s, before);
		if (name) {
			print_func(iter, ret->func, set);
			trace_seq_putc(s, ' ');
		}
		get_out(s, &out);
		arg_sig_put_ret(&out, hold.sig, hold.types, regs,
				copy->two_regs ? 2 : 1,
				flags & TRACE_GRAPH_PRINT_RETVAL_HEX);
		put_out(s, &out);
	}
	arg_sig_release(&hold);
	return shown;
#else
	return false;
#endif
}

/**
 * print_fn_args - print the name and the arguments of a function's event
 * @iter: the reader
 * @field: the event, of @iter->ent_size bytes
 * @sym_flags: flags of seq_print_ip_sym() for the name; 0 prints the name alone
 *
 * Any context.
 */
void print_fn_args(struct trace_iterator *iter,
		   const struct ftrace_entry *field, int sym_flags)
{
	unsigned long func = field->ip;
	unsigned int size;
	u32 set;

	/* A damaged event may be shorter than its fields */
	size = max_t(int, iter->ent_size, sizeof(*field)) - sizeof(*field);
	set = tail_set(field + 1, size);
	if (sym_flags)
		seq_print_ip_sym(&iter->seq,
				 trace_adjust_address(iter->tr, func),
				 sym_flags);
	else
		print_func(iter, func, set);
	print_args(iter, func, set, field + 1, size);
}

/**
 * print_graph_args_call - print a call's name and, if the option is set, its
 *	arguments
 * @iter: the reader
 * @call: the entry
 * @flags: the tracer's options
 *
 * Any context: ftrace_dump() comes here too.
 */
void print_graph_args_call(struct trace_iterator *iter,
			   const struct graph_call *call, u32 flags)
{
	unsigned long func = call->ent->graph_ent.func;
	u32 set = graph_call_set(call);

	print_func(iter, func, set);
	if (flags & TRACE_GRAPH_ARGS)
		print_args(iter, func, set, call->tail, call->size);
	else
		trace_seq_puts(&iter->seq, "()");
}

/**
 * print_graph_args_ret - print the return value of a call without callees
 * @iter: the reader
 * @call: the entry
 * @ret: the exit
 * @before: text to print before the value
 * @flags: the tracer's options
 *
 * Any context.
 *
 * Return: true if a value was printed, false without the option or for void.
 */
bool print_graph_args_ret(struct trace_iterator *iter,
			  const struct graph_call *call,
			  const struct graph_ret_copy *ret, const char *before,
			  u32 flags)
{
	return print_ret(iter, graph_call_set(call), ret, before, false, flags);
}

/**
 * print_graph_args_close - print the end of a call
 * @iter: the reader
 * @set: the set that its entry was recorded with, or ARG_SIGS_UNKNOWN_SET
 * @ret: the exit
 * @lost: the entry is not in the trace, so the name has to be printed
 * @flags: the tracer's options
 *
 * Any context.
 */
void print_graph_args_close(struct trace_iterator *iter, u32 set,
			    const struct graph_ret_copy *ret, bool lost,
			    u32 flags)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '}');
	if (print_ret(iter, set, ret, " /* ", true, flags)) {
		trace_seq_puts(s, " */");
	} else if (lost || flags & TRACE_GRAPH_PRINT_TAIL) {
		trace_seq_puts(s, " /* ");
		print_func(iter, ret->ent.ret.func, set);
		trace_seq_puts(s, " */");
	}
}
