// SPDX-License-Identifier: GPL-2.0
/*
 * Values as text: the functions that the kernel's own source calls here
 */
#include <linux/kernel.h>

#include "sigs.h"

#include "../../../kernel/trace/trace_args_signature.c"
#include "../../../kernel/trace/trace_args_types.c"
#include "../../../kernel/trace/trace_args_scalars.c"
#include "../../../kernel/trace/trace_args_records.c"
#include "../../../kernel/trace/trace_args_reads.c"
#include "../../../kernel/trace/trace_args_values.c"
#include "../../../kernel/trace/trace_args_digests.c"
#include "../../../kernel/trace/trace_args_protos.c"

void arg_out_symbol(struct arg_out *out, unsigned long addr)
{
	struct sigs *sigs = container_of(out, struct sigs_out, out)->sigs;
	const struct sig_func *func = sigs_find(sigs, addr, SIGS_NO_SET);

	if (func && func->start == addr)
		sigs_put_func(out, func);
	else
		arg_out_hex(out, addr);
}

const char *arg_exprs_text(struct arg_out *out, unsigned int nr)
{
	return sigs_exprs(container_of(out, struct sigs_out, out)->sigs, nr);
}

/* As lib/vsprintf.c does, with the names of the kernel that was recorded */
void arg_out_gfp_flags(struct arg_out *out, u32 val)
{
	struct sigs *sigs = container_of(out, struct sigs_out, out)->sigs;
	const char *name;
	unsigned int n;
	u64 flag;

	for (n = 0; val && (name = sigs_gfp_flag(sigs, n, &flag)); n++) {
		if ((val & flag) != flag)
			continue;
		arg_out_puts(out, name);
		val &= ~flag;
		if (val)
			put_char(out, '|');
	}
	if (val)
		arg_out_hex(out, val);
}

/**
 * sigs_put_hex - write a number
 * @out: where to
 * @val: the number
 */
void sigs_put_hex(struct arg_out *out, u64 val)
{
	arg_out_hex(out, val);
}

/**
 * sigs_put_func - write a function's name, "name" or "name [module]"
 * @out: where to
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
 * @out: where to
 * @func: the function; if its signature is not known, the register is written
 * @val: the register
 */
void sigs_put_ret_dec(struct arg_out *out, const struct sig_func *func, u64 val)
{
	const char *type = "x";
	char how = '?';

	if (func->sig)
		type = arg_sig_return_type(func->sig, &how);
	/* The value is not known, or is in memory and the register has its address */
	if (how == '?' || how == '&')
		type = "x";
	type = arg_type_behind(type, &how);
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
