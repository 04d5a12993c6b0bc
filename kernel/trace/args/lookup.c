// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of the signature and the name of any function, for readers
 */
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "table.h"
#include "text.h"

/**
 * arg_sig_hold - find a function's signature, for a reader that may sleep
 * @hold: set to the signature and its descriptions
 * @ip: the address that ftrace knows the function by
 * @set: the number of the set that an event was recorded with.  If it is ARG_SIGS_IMAGE, a
 *	function of a module has no signature, because another module may have the address
 *	now.  ARG_SIGS_CURRENT_SET finds the signature of the function that is at the
 *	address now
 *
 * The signature stays valid until arg_sig_release(), which the caller always has to call.
 *
 * Any context.
 */
void arg_sig_hold(struct arg_sig_hold *hold, unsigned long ip, u32 set)
{
	const struct arg_sigs_image *image = READ_ONCE(arg_sigs_image);
	u32 ref;

	*hold = (struct arg_sig_hold){ };
	if (!arg_sig_in_image(ip)) {
		arg_sig_hold_module(hold, ip, set);
		return;
	}
	ref = arg_sig_ref(image, ip - (unsigned long)_text);
	if (ref) {
		hold->sig = arg_sig_ref_text(__start_arg_sigs_str, ref);
		hold->types = &image->types;
	}
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_hold);

/**
 * arg_sig_release - end the use of a signature
 * @hold: from arg_sig_hold()
 *
 * Any context.
 */
void arg_sig_release(const struct arg_sig_hold *hold)
{
	arg_sig_release_set(hold->set);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_release);

/**
 * arg_sig_put_func - write a function's name, "name" or "name [module]"
 * @out: the output
 * @ip: the address that ftrace knows the function by
 * @set: the number of the set that an event was recorded with.  If it is ARG_SIGS_IMAGE or
 *	ARG_SIGS_CURRENT_SET, the function is the one that is at the address now
 *
 * Writes the address if @set is not known any more.  Any context.
 */
void arg_sig_put_func(struct arg_out *out, unsigned long ip, u32 set)
{
	if (arg_sig_in_image(ip) || set == ARG_SIGS_IMAGE || set == ARG_SIGS_CURRENT_SET)
		arg_out_symbol_at(out, ip);
	else if (!arg_sig_put_module_func(out, ip, set))
		arg_out_hex(out, ip);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_func);

/**
 * arg_sig_returns_two - whether a function returns two registers
 * @ip: the address that ftrace knows the function by
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: true if so, false otherwise.
 */
bool arg_sig_returns_two(unsigned long ip)
{
	const struct arg_sig_module_slot *slot;

	return arg_sig_find_called(ip, &slot) & ARG_SIG_REF_TWO_REGS;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_returns_two);

/**
 * arg_out_seq_begin - write to a seq_file
 * @out: set to the room of the seq_file
 * @m: the seq_file
 */
void arg_out_seq_begin(struct arg_out *out, struct seq_file *m)
{
	char *buf;
	size_t left = seq_get_buf(m, &buf);

	*out = (struct arg_out){ .pos = buf, .end = buf + left };
}

/**
 * arg_out_seq_end - end what arg_out_seq_begin() began
 * @out: the output
 * @m: the seq_file
 */
void arg_out_seq_end(const struct arg_out *out, struct seq_file *m)
{
	bool full = seq_has_overflowed(m) || out->pos > out->end;

	seq_commit(m, full ? -1 : out->pos - (m->buf + m->count));
}

/**
 * arg_sigs_seq_show - show a function's prototype, which follows the function's name
 * @m: the seq_file
 * @ip: the address that ftrace knows the function by
 *
 * Writes a tab and the prototype as C. Writes "?" if the function has no signature.
 */
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip)
{
	char name[KSYM_NAME_LEN];
	struct arg_sig_hold hold;
	struct arg_out out;

	seq_putc(m, '\t');
	arg_sig_hold(&hold, ip, ARG_SIGS_CURRENT_SET);
	arg_out_seq_begin(&out, m);
	if (!hold.sig || lookup_symbol_name(ip, name))
		arg_out_puts(&out, "?");
	else
		arg_sig_put_proto(&out, hold.sig, hold.types, name);
	arg_out_seq_end(&out, m);
	arg_sig_release(&hold);
}
