/* SPDX-License-Identifier: GPL-2.0 */
/* Expressions of func_args_expr, and debug info, see exprs.c */
#ifndef _CALLS_EXPRS_H
#define _CALLS_EXPRS_H

#include <stdbool.h>

#include <elfutils/libdw.h>

char *exprs_translate(struct Dwarf *dwarf, const char *func, const char *text);

long die_number(Dwarf_Die *die, unsigned int name, long without);
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
bool die_member(Dwarf_Die *record, const char *name, unsigned int len, int depth,
		Dwarf_Die *member, long *bit);

#endif /* _CALLS_EXPRS_H */
