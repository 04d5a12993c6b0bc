/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parameters and returned values of probed functions, by the functions' signatures
 *
 * trace_probe.c asks for them when a probe event is made. Functions without a signature are
 * left to BTF.
 */
#ifndef _TRACE_ARGS_PROBES_H
#define _TRACE_ARGS_PROBES_H

#include <linux/types.h>

/* Maximum characters of a name or a tag, with the NUL. A longer name is left out */
#define SIG_PARAM_NAME_LEN	64

/**
 * enum sig_param_place - where a fetch instruction finds a value
 * @SIG_PARAM_NO_SIG: the function has no signature
 * @SIG_PARAM_ARG: FETCH_OP_ARG reads the parameter at the function's entry
 * @SIG_PARAM_CONST: the parameter is a constant, because all callers pass this value
 * @SIG_PARAM_RETVAL: FETCH_OP_RETVAL reads the value at the function's return
 * @SIG_PARAM_NONE: the function has no such parameter
 * @SIG_PARAM_VOID: the function returns nothing
 * @SIG_PARAM_UNKNOWN: it is not known where the value is, or no instruction reads the place
 * @SIG_PARAM_REMOVED: the compiler does not pass the parameter
 * @SIG_PARAM_NO_NUMBER: the value is no number of up to 64 bits and no pointer
 * @SIG_PARAM_DIFFERS: several functions are probed, and the value differs among them
 *
 * The value cannot be read from SIG_PARAM_NONE on.
 */
enum sig_param_place {
	SIG_PARAM_NO_SIG,
	SIG_PARAM_ARG,
	SIG_PARAM_CONST,
	SIG_PARAM_RETVAL,
	SIG_PARAM_NONE,
	SIG_PARAM_VOID,
	SIG_PARAM_UNKNOWN,
	SIG_PARAM_REMOVED,
	SIG_PARAM_NO_NUMBER,
	SIG_PARAM_DIFFERS,
};

/**
 * struct sig_param - a parameter, or the returned value, of a probed function
 * @place: where the value is, or the reason why the value cannot be read
 * @arg: the number for FETCH_OP_ARG
 * @val: the constant
 * @type: the name of the fetch type
 * @text: whether the value points to text
 * @name: the parameter's name; empty if there is none, or if the names of several functions
 *	differ
 * @tag: the first name in the type: a typedef, or the structure that is pointed to; empty
 *	in the same cases as @name
 * @several: whether several functions are probed. Their structures may have one tag and the
 *	members at different places
 * @btf: a number for the types of the functions' modules in BTF, which has the places of
 *	members
 */
struct sig_param {
	enum sig_param_place	place;
	unsigned int		arg;
	unsigned long		val;
	const char		*type;
	bool			text;
	char			name[SIG_PARAM_NAME_LEN];
	char			tag[SIG_PARAM_NAME_LEN];
	bool			several;
	u32			btf;
};

bool sig_param_find(struct sig_param *param, const char *pattern, unsigned long addr,
		    const char *name, unsigned int nr);
u32 sig_params_hash(const char *pattern, unsigned long addr);

#endif /* _TRACE_ARGS_PROBES_H */
