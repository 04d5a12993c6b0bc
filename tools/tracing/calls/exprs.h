/* SPDX-License-Identifier: GPL-2.0 */
/* Expressions of func_args_expr, see exprs.c */
#ifndef _CALLS_EXPRS_H
#define _CALLS_EXPRS_H

#include <elfutils/libdw.h>

char *exprs_translate(struct Dwarf *dwarf, const char *func, const char *text);

#endif /* _CALLS_EXPRS_H */
