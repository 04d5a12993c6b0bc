// SPDX-License-Identifier: GPL-2.0
/*
 * The text of an event that has a call's arguments or its return value
 *
 * The function_graph tracer and the function tracer print a name, the arguments and a
 * return value by this file.  The signature of the function determines how each value is
 * written.
 */
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/seq_buf.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>

#include <asm/sections.h>

#include "../trace.h"
#include "print.h"
#include "table.h"
#include "../trace_output.h"

/*
 * With this option the ring buffer pads events to 8 bytes, which hides the size of the
 * data from trace_args_set()
 */
static_assert(!IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS));

/*
 * Get a function's signature. Events of an earlier boot get none: the image may be
 * another
 */
static void hold_sig(struct arg_sig_hold *hold, struct trace_iterator *iter,
		     unsigned long func, u32 set)
{
	if (trace_array_last_boot(iter->tr))
		*hold = (struct arg_sig_hold){ };
	else
		arg_sig_hold(hold, func, set);
}

/* Get the free space of a line. put_out() commits the text that is written there */
static void get_out(struct trace_seq *s, struct arg_out *out)
{
	char *buf = NULL;
	size_t left;

	/* The name may be the first text of a reader whose trace_seq is still zero */
	if (!s->seq.size)
		trace_seq_init(s);
	left = s->full ? 0 : seq_buf_get_buf(&s->seq, &buf);
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

/*
 * Print the name of a function of the image of an earlier boot.  Print the recorded address of
 * other functions: another module may be at the address now.  The buffer does not list all
 * modules of that boot, and does not say which build of a module was loaded.
 */
static void print_last_boot_func(struct trace_iterator *iter, unsigned long func, int sym_flags)
{
	unsigned long now = trace_adjust_address(iter->tr, func);

	if (!__is_kernel(now))
		trace_seq_printf(&iter->seq, "0x%lx", func);
	else if (sym_flags)
		seq_print_ip_sym(&iter->seq, now, sym_flags);
	else
		trace_seq_printf(&iter->seq, "%ps", (void *)now);
}

/**
 * trace_args_print_func - print the name that a function had when it was recorded
 * @iter: the reader
 * @func: the function
 * @set: the set of signatures, from trace_args_set()
 *
 * Any context, because ftrace_dump() calls this function.
 */
void trace_args_print_func(struct trace_iterator *iter, unsigned long func,
			   u32 set)
{
	struct trace_seq *s = &iter->seq;
	struct arg_out out;

	if (trace_array_last_boot(iter->tr)) {
		print_last_boot_func(iter, func, 0);
		return;
	}
	get_out(s, &out);
	arg_sig_put_func(&out, func, set);
	put_out(s, &out);
}

/**
 * trace_args_print_args - print the arguments of a call
 * @iter: the reader
 * @func: the function
 * @set: the set of signatures, from trace_args_set()
 * @tail: the bytes that follow the fields of the call's event
 * @size: the number of bytes at @tail
 *
 * Any context.
 */
void trace_args_print_args(struct trace_iterator *iter, unsigned long func,
			   u32 set, const void *tail, unsigned int size)
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

/**
 * trace_args_print_ret - print the return value of a call, and the call's other results
 * @iter: the reader
 * @ret: the return
 * @before: text to print before it
 * @name: whether to print the function's name after @before
 * @label: text to print before the value, "ret="; if @label is empty, "void" replaces the
 *	missing value before results
 *
 * Any context.
 *
 * Return: true if anything was printed, false for void without results.
 */
bool trace_args_print_ret(struct trace_iterator *iter,
			  const struct trace_args_ret *ret, const char *before,
			  bool name, const char *label)
{
	struct trace_seq *s = &iter->seq;
	struct arg_sig_hold hold;
	bool value, results;
	struct arg_out out;

	hold_sig(&hold, iter, ret->func, ret->set);
	value = !hold.sig || !arg_sig_is_void(hold.sig);
	results = hold.sig && ret->results.size;
	if (value || results) {
		trace_seq_puts(s, before);
		if (name) {
			trace_args_print_func(iter, ret->func, ret->set);
			trace_seq_putc(s, ' ');
		}
		if (value)
			trace_seq_puts(s, label);
		else if (!*label)
			trace_seq_puts(s, "void");
		get_out(s, &out);
		if (value)
			arg_sig_put_retval(&out, hold.sig, hold.types, ret->regs,
					   ret->nr_regs, ret->hex);
		if (results)
			arg_sig_put_results(&out, hold.sig, hold.types,
					    &ret->results,
					    value || !*label ? " " : "");
		put_out(s, &out);
	}
	arg_sig_release(&hold);
	return value || results;
}

/*
 * Print a name with its offset and its address, if the flags ask for these. A function of a
 * module that is gone has no offset, because only the name is kept.
 */
static void print_func_sym(struct trace_iterator *iter, unsigned long func, u32 set, int sym_flags)
{
	/* A module's memory is freed after an RCU grace period, so nothing else gets the address */
	guard(preempt_notrace)();
	/* An event that was recorded without func-args has no set */
	if (set == ARG_SIGS_IMAGE || arg_sig_called_set(func) == set) {
		seq_print_ip_sym(&iter->seq, func, sym_flags);
		return;
	}
	trace_args_print_func(iter, func, set);
	if (sym_flags & TRACE_ITER(SYM_ADDR))
		trace_seq_printf(&iter->seq, " <%016lx>", func);
}

/**
 * print_fn_args - print the name and the arguments of a function's event
 * @iter: the reader
 * @field: the event, of @iter->ent_size bytes
 * @sym_flags: flags of seq_print_ip_sym() for the name; 0 prints only the name
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
	set = trace_args_set(field + 1, size);
	if (sym_flags && trace_array_last_boot(iter->tr))
		print_last_boot_func(iter, func, sym_flags);
	else if (sym_flags)
		print_func_sym(iter, func, set, sym_flags);
	else
		trace_args_print_func(iter, func, set);
	trace_args_print_args(iter, func, set, field + 1, size);
}
