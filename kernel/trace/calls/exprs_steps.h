/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The steps of an expression, see exprs_steps.c, and the layouts of structures that the
 * steps need.  The kernel has the layouts from BTF, trace-calls has them from DWARF.
 */
#ifndef _TRACE_GRAPH_EXPRS_STEPS_H
#define _TRACE_GRAPH_EXPRS_STEPS_H

#include <linux/types.h>

#include "../args/args.h"
#include "parse.h"

/* trace-calls defines these types in its layouts.h */
#ifdef __KERNEL__

struct btf;

#define EXPR_HAS_LAYOUTS	IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS)

/* Maximum number of other modules whose BTF the expressions of a function may use */
#define EXPR_LAYOUTS_OTHERS	4

/**
 * struct expr_layouts - the layouts that a function's expressions refer to
 * @btf: the BTF of the image, or of the function's module; NULL if there is none
 * @others: the BTF of other modules
 * @nr: the number of @others
 * @ip: the function
 */
struct expr_layouts {
	struct btf	*btf;
	struct btf	*others[EXPR_LAYOUTS_OTHERS];
	unsigned int	nr;
	unsigned long	ip;
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
 * struct expr_cursor - a place among the members of a structure; zero before the first member
 * @next: the number of the next member
 */
struct expr_cursor {
	unsigned int	next;
};

/* The functions exist if EXPR_HAS_LAYOUTS */
void expr_layouts_prepare(const char *lines);
void expr_layouts_put(struct expr_layouts *layouts);

#endif /* __KERNEL__ */

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

/* Bytes of the names of a structure's members, and characters of the names on the way to one */
#define EXPR_NAMES_SIZE		1024
#define EXPR_NAMES_PATH		128

/**
 * struct expr_names - the names of the members of a structure
 * @text: the names, each with a NUL: "len", "cb.next"
 * @len: bytes of @text
 * @nr: number of names
 * @max: maximum number of names
 * @cut: whether a member is missing
 * @path: the names on the way to a structure in the structure, each with a '.'
 * @path_len: characters of @path
 */
struct expr_names {
	char		text[EXPR_NAMES_SIZE];
	unsigned int	len;
	unsigned int	nr;
	unsigned int	max;
	bool		cut;
	char		path[EXPR_NAMES_PATH];
	unsigned int	path_len;
};

/* These functions exist if EXPR_HAS_LAYOUTS */
bool expr_layouts_get(struct expr_layouts *layouts);
unsigned int expr_find_record(struct expr_layouts *layouts, const char *tag,
			      unsigned int len, struct expr_ctype *record);
unsigned int expr_param_record(const struct expr_layouts *layouts, const void *param,
			       struct expr_ctype *record);
unsigned int expr_pointed_record(const struct expr_ctype *type, struct expr_ctype *record);
bool expr_is_record(const struct expr_ctype *type);
unsigned int expr_find_member(const struct expr_ctype *record, const char *name,
			      unsigned int len, struct expr_member *member);
unsigned int expr_find_element(struct expr_ctype *type, unsigned int *size);
bool expr_next_member(const struct expr_ctype *record, struct expr_cursor *cursor,
		      struct expr_member *member, const char **name);
enum expr_class expr_class_of(const struct expr_ctype *type, unsigned int *size);
enum expr_text expr_text_of(const struct expr_ctype *type);

/**
 * struct expr_builder - an expression whose steps are followed
 * @expr: the expression
 * @layouts: the layouts of structures, which are loaded when they are first needed
 * @param: the type of the parameter, while the value is the parameter: for BTF the type in
 *	the signature
 * @to: the type of the numbers or pointers that the parameter points to, NULL if it points to
 *	none; then, while the value is one of them, their type
 * @ctype: the type of the value, while the value is a member
 * @last: the name of the member, while the value is a member
 * @type: the type of the value in the description
 * @width: number of bits of a bit-field, 0 for other values
 * @bit: the lowest bit of a bit-field
 * @user: bit n is set if offset n leads to an address of user space
 * @offsets: the offset of each pointer, from the address that the previous pointer points
 *	to
 * @nr: the number of @offsets
 * @err: the error
 * @line: the line
 */
struct expr_builder {
	const struct graph_expr	*expr;
	struct expr_layouts	*layouts;
	const void		*param;
	const struct expr_type	*to;
	struct expr_ctype	ctype;
	const char		*last;
	const struct expr_type	*type;
	u8			width;
	u8			bit;
	u8			user;
	s32			offsets[ARG_DIGEST_OFFSETS];
	unsigned int		nr;
	struct graph_cond_error	*err;
	const char		*line;
};

int expr_fail(struct expr_builder *builder, unsigned int nr, const char *pos);
int expr_follow(struct expr_builder *builder);
int expr_whole(struct expr_builder *builder, struct expr_names *names);
bool expr_of_member(struct graph_expr *expr, const struct graph_expr *whole, const char *name);

#endif /* _TRACE_GRAPH_EXPRS_STEPS_H */
