/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of functions, which scripts/gen_arg_sigs writes into each object and the
 * tracers read.  Documentation/trace/arg-sigs-format.rst has the format.
 */
#ifndef _LINUX_ARG_SIGS_H
#define _LINUX_ARG_SIGS_H

#include <linux/types.h>

/* The names of the other sections begin with the name of the first section */
#define ARG_SIGS_SITES_SECTION	"__arg_sigs"
#define ARG_SIGS_STR_SECTION	"__arg_sigs_str"
#define ARG_SIGS_TYPES_SECTION	"__arg_sigs_types"

/* Characters of a type's id */
#define ARG_SIGS_ID_LEN		8

/* Maximum longs that are captured of one call; further longs are unknown */
#define ARG_SIGS_MAX_LONGS	32

/**
 * struct arg_sig_site - the signature of one traceable function
 * @func: the address that ftrace knows the function by, relative to this field
 * @sig: the address of the signature's text, relative to this field
 */
struct arg_sig_site {
	__s32	func;
	__s32	sig;
};

#endif /* _LINUX_ARG_SIGS_H */
