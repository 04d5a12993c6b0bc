/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sets of signatures: sigs_parse.c reads the sets, sigs.c finds functions in them
 */
#ifndef _TRACEEVENT_SIGS_SETS_H
#define _TRACEEVENT_SIGS_SETS_H

#include "sigs.h"

/*
 * When recording ended, a module was loaded, was loaded where another module had
 * been, or was unloaded
 */
#define MODULE_STATES	"mrg"

/**
 * struct sig_entry - a function that has a signature
 * @addr: the traced address; in the image, the offset from _text
 * @sig: the signature, as an offset in the set's text
 * @name: the function's name, NULL if a symbol has the name
 */
struct sig_entry {
	u64		addr;
	u32		sig;
	const char	*name;
};

/**
 * struct sig_set - the signatures of the image or of one module
 * @id: number of the set
 * @state: state of the module, one of MODULE_STATES
 * @module: the module's name, NULL for the image
 * @text: the signatures
 * @size: bytes of @text
 * @types: the descriptions
 * @entries: the functions, by address
 * @nr: number of functions
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
 * struct gfp_flag - a name of one or several flags of gfp_t
 * @name: the name
 * @val: the bits
 */
struct gfp_flag {
	const char	*name;
	u64		val;
};

/**
 * struct sigs - the signatures of a recording
 * @tep: the handle that knows the recording's symbols
 * @copy: the text
 * @from_file: the signatures are from a file, and not from the recording
 * @registers: events have the argument registers, because the kernel has no signatures
 * @gfp: the flags of gfp_t
 * @nr_gfp: number of flags in @gfp
 * @placed: whether @base has been looked for
 * @base: the address of the image, 0 if it is not known
 * @image: the set of the image
 * @digests: the digests, which distinguish the objects of a type
 * @exprs: the descriptions of expressions
 * @nr_exprs: number of descriptions in @exprs
 * @modules: the sets of modules
 * @nr_modules: number of sets in @modules
 * @cache: functions by address and set
 */
struct sigs {
	struct tep_handle	*tep;
	char			*copy;
	bool			from_file;
	bool			registers;
	struct gfp_flag		*gfp;
	u32			nr_gfp;
	bool			placed;
	u64			base;
	struct sig_set		image;
	struct arg_digests	digests;
	const char		**exprs;
	u32			nr_exprs;
	struct sig_set		*modules;
	u32			nr_modules;
	struct hash		cache;
};

/* sigs.c */
struct sigs *sigs_alloc(struct tep_handle *tep, char *text);
const char *sigs_symbol(struct tep_handle *tep, u64 start);
u64 sigs_last_symbol(struct tep_handle *tep, u64 addr);

/* sigs_file.c */
struct sigs *sigs_open(const char *path);

/* sigs_parse.c */
bool sigs_parse(struct sigs *sigs);
int sigs_compare_entries(const void *a, const void *b);

#endif /* _TRACEEVENT_SIGS_SETS_H */
