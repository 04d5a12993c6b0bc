/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layouts of structures from DWARF, see layouts.c, and the kernel's steps of expressions,
 * which use the layouts
 */
#ifndef _TRACE_CALLS_LAYOUTS_H
#define _TRACE_CALLS_LAYOUTS_H

#include <stdbool.h>

#include <elfutils/libdw.h>

#include "filter.h"

/* Maximum nested structures without a name */
#define LAYOUT_DEPTH	16

#define EXPR_HAS_LAYOUTS	true

/**
 * struct expr_layouts - the layouts that a function's expressions refer to
 * @dwarf: the debug info of the kernel or a module
 */
struct expr_layouts {
	Dwarf	*dwarf;
};

/**
 * struct expr_ctype - a type in DWARF
 * @die: the type, without typedefs and qualifiers
 */
struct expr_ctype {
	Dwarf_Die	die;
};

/**
 * struct expr_cursor - a place among the members of a structure; zero before the first member
 * @die: the member
 * @begun: whether @die is set
 */
struct expr_cursor {
	Dwarf_Die	die;
	bool		begun;
};

#include "../../../kernel/trace/calls/exprs_steps.h"

long die_number(Dwarf_Die *die, unsigned int name, long without);
bool die_type(Dwarf_Die *die, Dwarf_Die *type);
bool die_is_named(Dwarf_Die *die, const char *name, unsigned int len);
bool die_member(Dwarf_Die *record, const char *name, unsigned int len, int depth,
		Dwarf_Die *member, long *bit);

#endif /* _TRACE_CALLS_LAYOUTS_H */
