/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of functions, as scripts/gen_arg_sigs writes them into each object and
 * as the tracers read them.  Documentation/trace/arg-sigs-format.rst has the format.
 */
#ifndef _LINUX_ARG_SIGS_H
#define _LINUX_ARG_SIGS_H

#include <linux/types.h>

/* The names of the other sections begin with the name of the first one */
#define ARG_SIGS_SITES_SECTION	"__arg_sigs"
#define ARG_SIGS_STR_SECTION	"__arg_sigs_str"
#define ARG_SIGS_TYPES_SECTION	"__arg_sigs_types"

/* Characters of a type's id */
#define ARG_SIGS_ID_LEN		8

/* Maximum longs that are captured of one call; further ones are unknown */
#define ARG_SIGS_MAX_LONGS	32

/**
 * struct arg_sig_site - the signature of one traceable function
 * @func: the address that ftrace knows the function by, from this field
 * @sig: the signature's text, from this field
 */
struct arg_sig_site {
	__s32	func;
	__s32	sig;
};

#endif /* _LINUX_ARG_SIGS_H */
