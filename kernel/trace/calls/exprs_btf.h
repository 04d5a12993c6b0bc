/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layouts of structures, for the names of members in expressions
 *
 * A function that can fail returns the number of the error, see graph_cond_errors[].
 */
#ifndef _TRACE_GRAPH_EXPRS_BTF_H
#define _TRACE_GRAPH_EXPRS_BTF_H

#include <linux/types.h>

#include "conds.h"

struct btf;

/* Maximum number of other modules whose BTF the expressions of a function may use */
#define EXPR_LAYOUTS_OTHERS	4

/**
 * struct expr_layouts - the layouts that a function's expressions refer to
 * @btf: the BTF of the image, or of the function's module; NULL if there is none
 * @others: the BTF of other modules
 * @nr: the number of @others
 */
struct expr_layouts {
	struct btf	*btf;
	struct btf	*others[EXPR_LAYOUTS_OTHERS];
	unsigned int	nr;
};

/**
 * struct expr_ctype - a type in BTF
 * @btf: the BTF, NULL if the type is not known
 * @id: the type, without typedefs and qualifiers
 * @several: whether the type was found by one of several structures that are alike
 */
struct expr_ctype {
	struct btf	*btf;
	u32		id;
	bool		several;
};

/**
 * struct expr_member - a member of a structure
 * @type: the member's type
 * @bit: where the member begins, in bits from the structure's begin
 * @width: number of bits of a bit-field, 0 for other members
 */
struct expr_member {
	struct expr_ctype	type;
	u32			bit;
	u32			width;
};

/* The class of a type, for expressions without a type */
enum expr_class {
	EXPR_CLASS_OTHER,
	EXPR_CLASS_SIGNED,
	EXPR_CLASS_UNSIGNED,
	EXPR_CLASS_POINTER,
	EXPR_CLASS_TEXT,
};

/* Where the text of a type is */
enum expr_text {
	EXPR_TEXT_NONE,
	EXPR_TEXT_HERE,
	EXPR_TEXT_BEHIND,
};

/* The functions exist with CONFIG_PROBE_EVENTS_BTF_ARGS */
void expr_layouts_prepare(const char *lines);
bool expr_layouts_get(struct expr_layouts *layouts, unsigned long ip);
void expr_layouts_put(struct expr_layouts *layouts);
unsigned int expr_find_record(struct expr_layouts *layouts, const char *tag,
			      unsigned int len, struct expr_ctype *record);
unsigned int expr_param_record(const struct expr_layouts *layouts, const char *type,
			       struct expr_ctype *record);
unsigned int expr_pointed_record(const struct expr_ctype *type, struct expr_ctype *record);
bool expr_is_record(const struct expr_ctype *type);
unsigned int expr_find_member(const struct expr_ctype *record, const char *name,
			      unsigned int len, struct expr_member *member);
enum expr_class expr_class_of(const struct expr_ctype *type, unsigned int *size);
enum expr_text expr_text_of(const struct expr_ctype *type);

#endif /* _TRACE_GRAPH_EXPRS_BTF_H */
