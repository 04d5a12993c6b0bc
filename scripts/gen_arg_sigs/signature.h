/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that find the functions of an object
 */
#ifndef _SIGNATURE_H
#define _SIGNATURE_H

#include "gen_arg_sigs.h"

/*
 * funcs.c
 */

/* Prefixes of the function that takes a system call's parameters, native and 32-bit */
#define DO_SYS		"__do_sys_"
#define DO_COMPAT_SYS	"__do_compat_sys_"

/* Functions of an object: functions by their code, and definitions without code */
struct funcs {
	struct func *funcs;
	size_t nr;
	size_t size;
	Dwarf_Die *codeless;
	const char **names;	/* of @codeless, read at the first lookup */
	size_t nr_codeless;
	size_t nr_units;	/* number of C units, more than one in a linked file */
	bool split;		/* some unit is in another file */
	Dwarf_Die *calls;	/* functions that take a system call's parameters */
	size_t nr_calls;
};

bool funcs_read(struct funcs *funcs, Dwarf *dwarf);
void funcs_free(struct funcs *funcs);
struct func *funcs_find(struct funcs *funcs, Dwarf_Addr addr);
bool funcs_find_codeless(struct funcs *funcs, struct site *site, Dwarf_Addr addr,
			 struct func *func);
Dwarf_Die *funcs_find_twin(struct funcs *funcs, const struct func *func, const char *symbol);
Dwarf_Die *funcs_find_call(struct funcs *funcs, Dwarf_Die *func, const char *prefix,
			   const char *name);

#endif /* _SIGNATURE_H */
