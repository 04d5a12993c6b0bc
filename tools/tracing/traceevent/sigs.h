/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The signatures of functions in a recording. The print format of the event
 * ftrace:arg_sigs has the signatures as text, see
 * Documentation/trace/arg-sigs-format.rst.
 */
#ifndef _TRACEEVENT_SIGS_H
#define _TRACEEVENT_SIGS_H

#include <linux/types.h>

#include "../../../kernel/trace/args/args.h"
#include "hash.h"

struct tep_handle;

/* The event does not have the number of its function's set of signatures */
#define SIGS_NO_SET	UINT32_MAX

/**
 * struct sig_func - the function of an event
 * @node: the element of the cache
 * @ip: the traced address
 * @start: the address of the function's symbol, 0 if it has none
 * @set: number of the function's set of signatures, or SIGS_NO_SET
 * @name: the function's name, NULL if it is not known
 * @module: the module's name, NULL if the function is in the image
 * @sig: the function's signature, NULL if it is not known
 * @types: the descriptions that @sig refers to
 * @nr_longs: number of longs that @sig lists
 * @ret_size: bytes of the returned number or pointer; 0 for other values, or if @sig is not known
 * @is_void: @sig says that the function returns nothing
 * @registers: the events of this function have the argument registers, and not the longs
 *	of @sig
 */
struct sig_func {
	struct hash_node	node;
	u64			ip;
	u64			start;
	u32			set;
	const char		*name;
	const char		*module;
	const char		*sig;
	const struct arg_types	*types;
	unsigned int		nr_longs;
	unsigned int		ret_size;
	bool			is_void;
	bool			registers;
};

/**
 * struct sigs_out - the output of text, and the source of symbols
 * @out: passed to the functions of kernel/trace/args/text.h
 * @sigs: the recording's signatures
 */
struct sigs_out {
	struct arg_out	out;
	struct sigs	*sigs;
};

/* sigs.c */
struct sigs *sigs_read(struct tep_handle *tep, const char *text);
void sigs_free(struct sigs *sigs);
void sigs_trim(struct sigs *sigs);
const struct sig_func *sigs_find(struct sigs *sigs, u64 ip, u32 set);
const char *sigs_find_caller(struct sigs *sigs, u64 addr, u64 *start);

/* sigs_file.c */
struct sigs *sigs_find_file(struct tep_handle *tep, bool registers);

/* render.c */
bool sigs_gfp_named(const struct sigs *sigs, const char *name, unsigned int len, u64 *val);
void sigs_put_func(struct arg_out *out, const struct sig_func *func);
void sigs_put_ret_dec(struct arg_out *out, const struct sig_func *func, u64 val);

#endif /* _TRACEEVENT_SIGS_H */
