// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and typed return values in the function_graph tracer
 */
#include <linux/ftrace.h>
#include <linux/trace_seq.h>

#include "trace.h"
#include "args/capture.h"
#include "args/numbers.h"
#include "args/print.h"
#include "trace_graph_args.h"

/* Record a graph entry of any size, and set @results unless it is NULL */
static noinline int
record_any(struct trace_array *tr, struct ftrace_graph_ent *trace,
	   unsigned int trace_ctx, struct ftrace_regs *fregs, u32 ref,
	   const struct arg_sig_module_slot *slot, struct call_results *results,
	   u64 number, u64 ts)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct ftrace_graph_ent_entry *entry;
	struct call_args args __uninitialized;

	args.ip = trace->func;
	call_args_capture(&args, &tr->func_args, ref, slot, fregs, results);
	entry = graph_reserve_at(buffer, TRACE_GRAPH_ENT,
				 sizeof(*entry) + args.size, trace_ctx, ts);
	if (entry) {
		entry->graph_ent = *trace;
		graph_put_number(entry, number);
		call_args_copy(entry->args, &args);
		graph_commit(buffer);
	}
	call_args_release();

	return !!entry;
}

/*
 * Record the entry of a call whose longs are in registers and are followed by a string, if
 * @string is set, or by the values that the longs point to. What follows the longs is
 * captured on the stack, so this is not for NMIs, whose stack is small.
 */
static __always_inline int
record_tail(struct trace_array *tr, struct ftrace_graph_ent *trace, unsigned int trace_ctx,
	    struct ftrace_regs *fregs, u32 ref, const struct arg_sig_module_slot *slot,
	    struct call_results *results, u64 number, u64 ts, const bool string)
{
	unsigned int i, size, nr = string ? arg_sig_ref_text_longs(ref) : ref & ARG_SIG_REF_NR;
	unsigned long tail[DIV_ROUND_UP(CAPTURE_TAIL_SIZE, sizeof(long))] __uninitialized;
	unsigned long longs[TRACE_ARGS_REGISTERS] __uninitialized;
	const char *text = slot ? slot->text : __start_arg_sigs_str;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	unsigned int max = READ_ONCE(tr->func_args.string_size);
	struct ftrace_graph_ent_entry *entry;
	u8 *end = (u8 *)tail;

	if (results)
		capture_regs(longs, nr, fregs);
	if (string)
		end = capture_text_of_regs(end, trace_args_value(arg_sig_ref_text_arg(ref), fregs),
					   max);
	else
		end = capture_values_of_regs(end, longs, nr, arg_sig_ref_text(text, ref), max,
					     !results, fregs, results);
	put_unaligned(0UL, (unsigned long *)end);
	size = DIV_ROUND_UP(end - (u8 *)tail, sizeof(long));
	entry = graph_reserve_at(buffer, TRACE_GRAPH_ENT,
				 sizeof(*entry) + (nr + size) * sizeof(long) +
				 (slot ? sizeof(slot->id) : 0), trace_ctx, ts);
	if (!entry)
		return 0;
	entry->graph_ent = *trace;
	graph_put_number(entry, number);
	capture_regs(entry->args, nr, fregs);
	for (i = 0; i < size; i++)
		put_unaligned(tail[i], entry->args + nr + i);
	if (slot)
		put_unaligned(slot->id, (u32 *)(entry->args + nr + size));
	graph_commit(buffer);

	return 1;
}

/* The bits of a reference that say how record_tail() records a call; 0 if it cannot */
static __always_inline u32 tail_kind(struct trace_array *tr, unsigned int trace_ctx,
				     struct ftrace_regs *fregs, u32 ref)
{
	if (unlikely(!fregs || trace_ctx & TRACE_FLAG_NMI << 16))
		return 0;
	/* With lines of expressions, there are further bits */
	return ref & READ_ONCE(tr->func_args.not_regs);
}

static noinline int record_string(struct trace_array *tr, struct ftrace_graph_ent *trace,
				  unsigned int trace_ctx, struct ftrace_regs *fregs, u32 ref,
				  const struct arg_sig_module_slot *slot, u64 number, u64 ts)
{
	return record_tail(tr, trace, trace_ctx, fregs, ref, slot, NULL, number, ts, true);
}

static noinline int record_values(struct trace_array *tr, struct ftrace_graph_ent *trace,
				  unsigned int trace_ctx, struct ftrace_regs *fregs, u32 ref,
				  const struct arg_sig_module_slot *slot, u64 number, u64 ts)
{
	return record_tail(tr, trace, trace_ctx, fregs, ref, slot, NULL, number, ts, false);
}

/**
 * trace_graph_record_captured - record a graph entry of any size
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry, or NULL; then no arguments are recorded
 * @ref: the reference to the function's signature, 0 if it has none
 * @slot: the function's slot if it is in a module
 * @number: see graph_put_number()
 * @ts: the time of the event, from trace_clock_local()
 *
 * For calls that can_capture_direct() refuses. Any context, including NMI, with
 * preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
int trace_graph_record_captured(struct trace_array *tr,
				struct ftrace_graph_ent *trace,
				unsigned int trace_ctx,
				struct ftrace_regs *fregs, u32 ref,
				const struct arg_sig_module_slot *slot, u64 number, u64 ts)
{
	u32 kind = tail_kind(tr, trace_ctx, fregs, ref);

	if (likely(kind == ARG_SIG_REF_READS))
		return record_values(tr, trace, trace_ctx, fregs, ref, slot, number, ts);
	if (likely(kind == ARG_SIG_REF_TEXT))
		return record_string(tr, trace, trace_ctx, fregs, ref, slot, number, ts);
	return record_any(tr, trace, trace_ctx, fregs, ref, slot, NULL, number, ts);
}

/**
 * trace_graph_record_results - record a graph entry, and keep the data for its return
 * @tr: the trace instance
 * @trace: the call
 * @trace_ctx: context flags, from tracing_gen_ctx()
 * @fregs: the registers at the function's entry, or NULL; then no arguments are recorded
 * @results: gets the data if the arguments are captured; the caller has cleared @known
 * @number: see graph_put_number()
 * @ts: the time of the event, from trace_clock_local()
 *
 * For calls for which trace_graph_has_results() is true. Any context, including NMI, with
 * preemption disabled.
 *
 * Return: 1 if the call was recorded, 0 if it was not.
 */
int trace_graph_record_results(struct trace_array *tr,
			       struct ftrace_graph_ent *trace,
			       unsigned int trace_ctx,
			       struct ftrace_regs *fregs,
			       struct call_results *results, u64 number, u64 ts)
{
	const struct arg_sig_module_slot *slot;
	u32 ref = arg_sig_find_called(trace->func, &slot);

	if (likely(tail_kind(tr, trace_ctx, fregs, ref) == ARG_SIG_REF_READS))
		return record_tail(tr, trace, trace_ctx, fregs, ref, slot, results, number, ts,
				   false);
	return record_any(tr, trace, trace_ctx, fregs, ref, slot, results, number, ts);
}

/**
 * graph_ret_tail_get - find the data that follows the fields of an exit
 * @tail: set to the data
 * @trace: the return
 * @results: the data that the entry has kept for the exit
 * @fregs: the registers at the function's return, or NULL
 *
 * Called in the task and the context of the call, with preemption disabled.
 *
 * Return: false if there are no results; then graph_ret_end_get() has what follows.
 */
bool graph_ret_tail_get(struct graph_ret_tail *tail, const struct ftrace_graph_ret *trace,
			const struct call_results *results, struct ftrace_regs *fregs)
{
	u64 second = fregs ? trace_args_second_return(fregs) : 0;
	u8 *pos = tail->data + sizeof(second);
	u32 set = arg_sig_called_set(trace->func);
	unsigned int size;

	size = call_results_put(pos, results, graph_retval(trace));
	if (!size)
		return false;
	memcpy(tail->data, &second, sizeof(second));
	memset(pos + size, 0, ALIGN(size, sizeof(u64)) - size);
	tail->size = sizeof(second) + ALIGN(size, sizeof(u64));
	if (set != ARG_SIGS_IMAGE) {
		memcpy(tail->data + tail->size, &set, sizeof(set));
		tail->size += sizeof(set);
	}
	return true;
}

/*
 * Print @before and the return value of a call; returns false if the option is not set,
 * or if nothing was returned
 */
static bool print_ret(struct trace_iterator *iter, const struct graph_ret_copy *copy,
		      const char *before, bool name, u32 flags)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	u64 regs[] = { copy->ent.ret.retval, copy->second };
	struct trace_args_ret ret = {
		.func = copy->ent.ret.func,
		.set = copy->set,
		.regs = regs,
		.nr_regs = copy->two_regs ? 2 : 1,
		.results = { .data = copy->results, .size = copy->size },
		.hex = flags & TRACE_GRAPH_PRINT_RETVAL_HEX,
	};

	if (!(flags & TRACE_GRAPH_PRINT_RETVAL))
		return false;
	return trace_args_print_ret(iter, &ret, before, name, "ret=");
#else
	return false;
#endif
}

static void print_call(struct trace_iterator *iter, const struct graph_call *call, u32 set,
		       u32 flags)
{
	unsigned long func = call->ent->graph_ent.func;

	trace_args_print_func(iter, func, set);
	if (flags & TRACE_GRAPH_ARGS)
		trace_args_print_args(iter, func, set, call->tail, call->size);
	else
		trace_seq_puts(&iter->seq, "()");
}

/**
 * print_graph_args_call - print a call's name, and its arguments if the option is set
 * @iter: the reader
 * @call: the entry
 * @flags: the tracer's options
 *
 * Any context, because ftrace_dump() calls this function.
 */
void print_graph_args_call(struct trace_iterator *iter,
			   const struct graph_call *call, u32 flags)
{
	print_call(iter, call, trace_args_set(call->tail, call->size), flags);
}

/**
 * print_graph_args_leaf - print the name of a call without callees, and its arguments
 * @iter: the reader
 * @call: the entry
 * @ret: the exit
 * @flags: the tracer's options
 *
 * As print_graph_args_call(). If only funcgraph-retval was set, only the exit has the set.
 *
 * Any context.
 */
void print_graph_args_leaf(struct trace_iterator *iter, const struct graph_call *call,
			   const struct graph_ret_copy *ret, u32 flags)
{
	u32 set = trace_args_set(call->tail, call->size);

	print_call(iter, call, set == ARG_SIGS_IMAGE ? ret->set : set, flags);
}

/**
 * print_graph_args_ret - print the return value of a call without callees
 * @iter: the reader
 * @ret: the exit
 * @before: text to print before the value
 * @flags: the tracer's options
 *
 * Any context.
 *
 * Return: true if a value was printed, false if the option is not set or if the function
 * is void.
 */
bool print_graph_args_ret(struct trace_iterator *iter, const struct graph_ret_copy *ret,
			  const char *before, u32 flags)
{
	return print_ret(iter, ret, before, false, flags);
}

/**
 * print_graph_args_close - print the end of a call
 * @iter: the reader
 * @ret: the exit
 * @lost: whether the entry is missing in the trace, so that the name has to be printed
 * @flags: the tracer's options
 *
 * Any context.
 */
void print_graph_args_close(struct trace_iterator *iter,
			    const struct graph_ret_copy *ret, bool lost, u32 flags)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '}');
	if (print_ret(iter, ret, " /* ", true, flags)) {
		trace_seq_puts(s, " */");
	} else if (lost || flags & TRACE_GRAPH_PRINT_TAIL) {
		trace_seq_puts(s, " /* ");
		trace_args_print_func(iter, ret->ent.ret.func, ret->set);
		trace_seq_puts(s, " */");
	}
}
