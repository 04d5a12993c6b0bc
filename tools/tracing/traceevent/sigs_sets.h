/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sets of signatures: sigs_parse.c reads the sets, sigs.c finds functions in them
 */
#ifndef _TRACEEVENT_SIGS_SETS_H
#define _TRACEEVENT_SIGS_SETS_H

#include "sigs.h"

/* A module was loaded at the end, was so where another one had been, or was gone */
#define MODULE_STATES	"mrg"

/**
 * struct sig_entry - a function that has a signature
 * @addr: its traced address; in the image, from _text
 * @sig: its signature, from the set's text
 * @name: its name, NULL if the symbols have to tell
 */
struct sig_entry {
	u64		addr;
	u32		sig;
	const char	*name;
};

/**
 * struct sig_set - the signatures of the image or of one module
 * @id: its number
 * @state: whether its module was there, one of MODULE_STATES
 * @module: the module's name, NULL for the image
 * @text: the signatures
 * @size: bytes of @text
 * @types: the descriptions
 * @entries: the functions, by address
 * @nr: how many there are
 */
struct sig_set {
	u32			id;
	char			state;
	const char		*module;
	const char		*text;
	u32			size;
	struct arg_types	types;
	struct sig_entry	*entries;
	u32			nr;
};

/**
 * struct gfp_flag - a flag of gfp_t, or several
 * @name: what they are called
 * @val: the bits
 */
struct gfp_flag {
	const char	*name;
	u64		val;
};

/**
 * struct sigs - the signatures of a recording
 * @tep: the handle that knows its symbols
 * @copy: the text
 * @gfp: the flags of gfp_t
 * @nr_gfp: how many there are
 * @base: where the image was, 0 if that is not known
 * @image: the set of the image
 * @digests: what tells the objects of a type apart
 * @exprs: the descriptions of expressions
 * @nr_exprs: how many there are
 * @modules: the sets of modules
 * @nr_modules: how many there are
 * @cache: functions by address and set
 * @cache_bits: the hash has two to this power slots
 * @nr_cached: how many functions it has
 */
struct sigs {
	struct tep_handle	*tep;
	char			*copy;
	struct gfp_flag		*gfp;
	u32			nr_gfp;
	u64			base;
	struct sig_set		image;
	struct arg_digests	digests;
	const char		**exprs;
	u32			nr_exprs;
	struct sig_set		*modules;
	u32			nr_modules;
	struct sig_func		**cache;
	unsigned int		cache_bits;
	u32			nr_cached;
};

/* sigs_parse.c */
bool sigs_parse(struct sigs *sigs);
int sigs_compare_entries(const void *a, const void *b);

#endif /* _TRACEEVENT_SIGS_SETS_H */
