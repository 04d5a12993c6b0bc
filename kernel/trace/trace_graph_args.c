// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and typed return values in the function_graph tracer
 */
#include <linux/ftrace.h>
#include <linux/rcupdate.h>
#include <linux/seq_buf.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>

#include "trace.h"
#include "trace_arg_sigs.h"
#include "trace_graph_args.h"

/* What a signature's list of slots says; see include/linux/arg_sigs.h */
static void capture_slots(unsigned long *args, const char *slots,
			  unsigned int nr, struct ftrace_regs *fregs)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		unsigned long val = 0;

		if (slots[i] != '-')
			val = ftrace_regs_get_argument(fregs, slots[i] - 'a');
		put_unaligned(val, args + i);
	}
}

/**
 * trace_graph_record_slots - record a graph entry whose longs are anywhere
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * For functions that have longs elsewhere than in the argument registers in
 * their order, functions without a signature, and calls without registers.
 *
 * Any context, NMI too, with preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
int trace_graph_record_slots(struct trace_array *tr,
			     struct ftrace_graph_ent *trace,
			     unsigned int trace_ctx, struct ftrace_regs *fregs)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	const struct arg_sig_module_slot *slot = NULL;
	const char *text = __start_arg_sigs_str;
	struct ftrace_graph_ent_entry *entry;
	struct ring_buffer_event *event;
	unsigned int nr;
	u32 ref = 0;
	size_t size;

	if (arg_sig_in_image(trace->func)) {
		ref = arg_sig_find_image(trace->func);
	} else {
		slot = arg_sig_find_module(trace->func);
		if (slot) {
			ref = slot->ref;
			text = slot->text;
		}
	}

	nr = fregs ? ref & ARG_SIG_REF_LONGS : 0;
	size = sizeof(*entry) + nr * sizeof(long);
	if (slot)
		size += sizeof(slot->id);

	event = trace_buffer_lock_reserve(buffer, TRACE_GRAPH_ENT, size,
					  trace_ctx);
	if (!event)
		return 0;
	entry = ring_buffer_event_data(event);
	entry->graph_ent = *trace;
	if (nr && ref & ARG_SIG_REF_SLOTS)
		capture_slots(entry->args, text + (ref >> ARG_SIG_REF_SHIFT) + 1,
			      nr, fregs);
	else
		capture_registers(entry->args, nr, fregs);
	if (slot)
		put_unaligned(slot->id, (u32 *)(entry->args + nr));
	trace_buffer_unlock_commit_nostack(buffer, event);

	return 1;
}

/**
 * graph_ent_set - the set of signatures that an entry was recorded with
 * @copy: the entry
 *
 * Return: its number, ARG_SIGS_UNKNOWN_SET if the entry carries none.
 */
u32 graph_ent_set(const struct graph_ent_copy *copy)
{
	size_t tail = copy->size - sizeof(copy->ent);

	if (tail % sizeof(long) != sizeof(u32))
		return ARG_SIGS_UNKNOWN_SET;
	return get_unaligned((u32 *)(copy->data + copy->size - sizeof(u32)));
}

/* Events of another boot have another image's functions */
static const char *find_text(struct trace_iterator *iter, unsigned long func,
			     u32 set, const struct arg_types **types)
{
	if (iter->tr->text_delta)
		return NULL;
	return arg_sig_text(func, set, types);
}

/* The room that a line has left; put_out() takes what was written there */
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

/* A call's name and, if they are asked for, its arguments */
static void print_call(struct trace_iterator *iter,
		       const struct graph_ent_copy *call, u32 flags)
{
	unsigned long func = call->ent.graph_ent.func;
	struct arg_longs longs = {
		.data = call->ent.args,
		.nr = (call->size - sizeof(call->ent)) / sizeof(long),
	};
	struct trace_seq *s = &iter->seq;
	const struct arg_types *types;
	struct arg_out out;
	const char *sig;

	trace_seq_printf(s, "%ps", (void *)func + iter->tr->text_delta);
	if (!(flags & TRACE_GRAPH_ARGS)) {
		trace_seq_puts(s, "()");
		return;
	}

	guard(rcu)();
	sig = find_text(iter, func, graph_ent_set(call), &types);
	if (!sig) {
		trace_seq_puts(s, "(?)");
		return;
	}
	get_out(s, &out);
	arg_sig_put_args(&out, sig, types, &longs);
	put_out(s, &out);
}

/* What a call returned; false if that is not asked for, or if it is void */
static bool print_ret(struct trace_iterator *iter, u32 set,
		      const struct ftrace_graph_ret *ret, bool name, u32 flags)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	struct trace_seq *s = &iter->seq;
	const struct arg_types *types;
	struct arg_out out;
	const char *sig;

	if (!(flags & TRACE_GRAPH_PRINT_RETVAL))
		return false;

	guard(rcu)();
	sig = find_text(iter, ret->func, set, &types);
	if (sig && arg_sig_is_void(sig))
		return false;
	trace_seq_puts(s, " /* ");
	if (name)
		trace_seq_printf(s, "%ps ",
				 (void *)ret->func + iter->tr->text_delta);
	get_out(s, &out);
	arg_sig_put_ret(&out, sig, types, ret->retval,
			flags & TRACE_GRAPH_PRINT_RETVAL_HEX);
	put_out(s, &out);
	trace_seq_puts(s, " */");
	return true;
#else
	return false;
#endif
}

/**
 * print_graph_args_nested - print the line of a call that has others in it
 * @iter: the reader
 * @call: the entry
 * @flags: the tracer's options
 *
 * Any context: ftrace_dump() comes here too.
 */
void print_graph_args_nested(struct trace_iterator *iter,
			     const struct graph_ent_copy *call, u32 flags)
{
	print_call(iter, call, flags);
	trace_seq_puts(&iter->seq, " {\n");
}

/**
 * print_graph_args_leaf - print the line of a call that has no others in it
 * @iter: the reader
 * @call: the entry
 * @ret: the exit
 * @flags: the tracer's options
 *
 * Any context.
 */
void print_graph_args_leaf(struct trace_iterator *iter,
			   const struct graph_ent_copy *call,
			   const struct ftrace_graph_ret *ret, u32 flags)
{
	print_call(iter, call, flags);
	trace_seq_putc(&iter->seq, ';');
	print_ret(iter, graph_ent_set(call), ret, false, flags);
	trace_seq_putc(&iter->seq, '\n');
}

/**
 * print_graph_args_close - print the line of a call's end
 * @iter: the reader
 * @set: the set that its entry was recorded with, or ARG_SIGS_UNKNOWN_SET
 * @ret: the exit
 * @lost: the entry is not in the trace, so the name has to be printed
 * @flags: the tracer's options
 *
 * Any context.
 */
void print_graph_args_close(struct trace_iterator *iter, u32 set,
			    const struct ftrace_graph_ret *ret, bool lost,
			    u32 flags)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '}');
	if (!print_ret(iter, set, ret, true, flags) &&
	    (lost || flags & TRACE_GRAPH_PRINT_TAIL))
		trace_seq_printf(s, " /* %ps */",
				 (void *)ret->func + iter->tr->text_delta);
	trace_seq_putc(s, '\n');
}
