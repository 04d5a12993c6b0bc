// SPDX-License-Identifier: GPL-2.0
/*
 * Write values as text: functions that the included source of the kernel calls
 */
#include <linux/kernel.h>

#include "sigs_sets.h"

#include "../../../kernel/trace/args/addresses.c"
#include "../../../kernel/trace/args/scalars.c"
#include "../../../kernel/trace/args/records.c"
#include "../../../kernel/trace/args/reads.c"
#include "../../../kernel/trace/args/values.c"
#include "../../../kernel/trace/args/digests.c"
#include "../../../kernel/trace/args/protos.c"

/**
 * arg_out_symbol - write the function at an address, or the address
 * @out: the output, a struct sigs_out
 * @addr: the address
 *
 * This is the plugin's version of the kernel's function. The symbols and modules are those
 * of the recording.
 */
void arg_out_symbol(struct arg_out *out, unsigned long addr)
{
	struct sigs *sigs = container_of(out, struct sigs_out, out)->sigs;
	const struct sig_func *func = sigs_find(sigs, addr, SIGS_NO_SET);

	if (func && func->start == addr)
		sigs_put_func(out, func);
	else
		arg_out_hex(out, addr);
}

/**
 * arg_exprs_text - find the description of expressions
 * @out: the output that the values are written to, a struct sigs_out
 * @nr: the description's number
 *
 * This is the plugin's version of the kernel's function. The recording has the
 * descriptions.
 *
 * Return: the description, NULL if there is none.
 */
const char *arg_exprs_text(struct arg_out *out, unsigned int nr)
{
	const struct sigs *sigs = container_of(out, struct sigs_out, out)->sigs;

	return nr < sigs->nr_exprs ? sigs->exprs[nr] : NULL;
}

/**
 * arg_exprs_release - end the use of a description
 * @text: the description, which the recording has
 */
void arg_exprs_release(const char *text)
{
}

/**
 * arg_out_gfp_flags - write flags of gfp_t by name
 * @out: the output, a struct sigs_out
 * @val: the flags
 *
 * This is the plugin's version of the kernel's function. The text is the same as that of
 * lib/vsprintf.c, with the names of the recorded kernel.
 */
void arg_out_gfp_flags(struct arg_out *out, u32 val)
{
	struct sigs *sigs = container_of(out, struct sigs_out, out)->sigs;
	const struct gfp_flag *flag = sigs->gfp;

	for (; val && flag < sigs->gfp + sigs->nr_gfp; flag++) {
		if ((val & flag->val) != flag->val)
			continue;
		arg_out_puts(out, flag->name);
		val &= ~flag->val;
		if (val)
			put_char(out, '|');
	}
	if (val)
		arg_out_hex(out, val);
}

/**
 * sigs_gfp_named - find the value of a name of gfp_t's flags
 * @sigs: the recording's signatures
 * @name: the name, as arg_out_gfp_flags() writes it
 * @len: characters of @name
 * @val: set to the value
 *
 * Return: whether there is such a name.
 */
bool sigs_gfp_named(const struct sigs *sigs, const char *name, unsigned int len, u64 *val)
{
	const struct gfp_flag *flag;

	for (flag = sigs->gfp; flag < sigs->gfp + sigs->nr_gfp; flag++) {
		if (strlen(flag->name) == len && !memcmp(flag->name, name, len)) {
			*val = flag->val;
			return true;
		}
	}
	return false;
}

/**
 * sigs_put_func - write a function's name, "name" or "name [module]"
 * @out: the output
 * @func: the function
 */
void sigs_put_func(struct arg_out *out, const struct sig_func *func)
{
	if (func->name)
		arg_out_puts(out, func->name);
	else
		arg_out_hex(out, func->ip);
	if (!func->module)
		return;
	arg_out_puts(out, " [");
	arg_out_puts(out, func->module);
	put_char(out, ']');
}

/**
 * sigs_put_ret_dec - write the return value of a call as a decimal number, "5"
 * @out: the output
 * @func: the function; if its signature is not known, the whole register is
 *	written
 * @val: the register
 */
void sigs_put_ret_dec(struct arg_out *out, const struct sig_func *func, u64 val)
{
	const char *type = "x";
	char how = '?';

	if (func->sig)
		type = arg_sig_return_type(func->sig, &how);
	/*
	 * The value is not known, or the value is in memory and the register
	 * has its address
	 */
	if (how == '?' || how == '&')
		type = "x";
	type = arg_type_resolve(type, &how);
	if (*type == 'E')
		type++;
	if (!is_basic(*type))
		type = "x";
	val = arg_truncate(*type, val);
	if (arg_basic_types[*type - 'a'].sign)
		arg_out_dec(out, val);
	else
		arg_out_udec(out, val);
}
