/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The signatures of functions that a recording carries: as text in the print
 * format of the event ftrace:arg_sigs, see
 * Documentation/trace/arg-sigs-format.rst
 */
#ifndef _TRACEEVENT_SIGS_H
#define _TRACEEVENT_SIGS_H

#include <linux/types.h>

#include "../../../kernel/trace/trace_args.h"

struct tep_handle;

/* The event does not say which set of signatures its function is of */
#define SIGS_NO_SET	UINT32_MAX

/**
 * struct sig_func - a function that an event is about
 * @next: in the same slot of the cache
 * @ip: the address that ftrace knows it by
 * @start: the address of its symbol, 0 if it has none
 * @set: number of its set of signatures, or SIGS_NO_SET
 * @name: its name, NULL if it is not known
 * @module: its module's name, NULL if it is of the image
 * @sig: its signature, NULL if it is not known
 * @types: the descriptions that @sig refers to
 */
struct sig_func {
	struct sig_func		*next;
	u64			ip;
	u64			start;
	u32			set;
	const char		*name;
	const char		*module;
	const char		*sig;
	const struct arg_types	*types;
};

/**
 * struct sigs_out - where text is written to, and where symbols are looked up
 * @out: passed to the functions of kernel/trace/trace_args_text.h
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
const char *sigs_exprs(const struct sigs *sigs, u32 nr);
const char *sigs_gfp_flag(const struct sigs *sigs, unsigned int n, u64 *flag);

/* render.c */
void sigs_put_hex(struct arg_out *out, u64 val);
void sigs_put_func(struct arg_out *out, const struct sig_func *func);
void sigs_put_ret_dec(struct arg_out *out, const struct sig_func *func, u64 val);

#endif /* _TRACEEVENT_SIGS_H */
