/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that make a function's signature from its DWARF
 */
#ifndef _SIGNATURE_H
#define _SIGNATURE_H

#include "gen_arg_sigs.h"

/* Maximum parameters of a function: DWARF with more is taken for malformed */
#define MAX_PARAMS	255

/* Names of a system call's own function begin so, with the second for 32-bit programs */
#define DO_SYS		"__do_sys_"
#define DO_COMPAT_SYS	"__do_compat_sys_"

/* Functions of an object: by their code, and definitions that have none */
struct funcs {
	struct func *funcs;
	size_t nr;
	size_t size;
	Dwarf_Die *codeless;
	const char **names;	/* of @codeless, once they are asked for */
	size_t nr_codeless;
	size_t nr_units;	/* of C: more than one in a linked file */
	Dwarf_Die *calls;	/* that take a system call's parameters */
	size_t nr_calls;
};

/* funcs.c */
bool funcs_read(struct funcs *funcs, Dwarf *dwarf);
void funcs_free(struct funcs *funcs);
struct func *funcs_find(struct funcs *funcs, Dwarf_Addr addr);
bool funcs_find_codeless(struct funcs *funcs, struct site *site, Dwarf_Addr addr,
			 struct func *func);
Dwarf_Die *funcs_find_call(struct funcs *funcs, Dwarf_Die *func, const char *prefix,
			   const char *name);

/* prototype.c */
bool proto_read(struct sigs *sigs, struct prototype *proto,
		struct site *site, Dwarf_Addr addr, struct func *func);

#endif /* _SIGNATURE_H */
