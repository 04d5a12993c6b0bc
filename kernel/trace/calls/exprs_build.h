/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A parsed expression, which calls/exprs.c parses and calls/exprs_build.c
 * compiles
 */
#ifndef _TRACE_GRAPH_EXPRS_BUILD_H
#define _TRACE_GRAPH_EXPRS_BUILD_H

#include <linux/types.h>

#include "conds.h"

struct call_exprs;

/* Maximum expressions of a line, and maximum steps and characters of an expression */
#define GRAPH_EXPRS_MAX		16
#define GRAPH_EXPR_STEPS	16
#define GRAPH_EXPR_LEN		255

/**
 * struct expr_type - a type that the value of an expression may have
 * @name: the type's name
 * @type: the type in a description, see Documentation/trace/arg-sigs-format.rst
 * @size: the size of the type in bytes, 0 for text
 * @user: whether the text is in user space
 */
struct expr_type {
	const char	*name;
	const char	*type;
	u8		size;
	bool		user;
};

enum expr_step_kind {
	/* "+OFFSET(...)" */
	EXPR_STEP_OFFSET,
	/* "->member" */
	EXPR_STEP_ARROW,
	/* ".member" after "->member" */
	EXPR_STEP_DOT,
	/* "(STRUCT)" or "(STRUCT,MEMBER)", which applies to the "->member" that follows */
	EXPR_STEP_CAST,
};

/**
 * struct expr_step - a step on the way to the value of an expression
 * @kind: the kind of the step
 * @text: the place in the line of the offset, of the member's name, or of the tag
 * @offset: the offset from the address that the pointer points to
 * @user: whether the offset leads to an address of user space
 */
struct expr_step {
	enum expr_step_kind	kind;
	const char		*text;
	s32			offset;
	bool			user;
};

/**
 * struct graph_expr - an expression
 * @name: the name that is shown
 * @name_len: characters of @name
 * @base: the name of the parameter, or "$argN"
 * @base_len: characters of @base
 * @arg: the number of the parameter if @base is "$argN", else 0
 * @task: the value of the task if @base is no parameter, else GRAPH_PRED_PARAM
 * @nr: number of @steps
 * @steps: the steps from the parameter to the value
 * @type: the type of the value, NULL if the expression has no type
 * @fetch_end: the end of the expression in the line, before the type
 * @type_text: the place of the type, or of the expression, in the line
 * @width: number of bits of a bit-field, 0 for other values
 * @bit: the lowest bit of a bit-field
 */
struct graph_expr {
	const char		*name;
	unsigned int		name_len;
	const char		*base;
	unsigned int		base_len;
	unsigned int		arg;
	enum graph_pred_what	task;
	unsigned int		nr;
	struct expr_step	steps[GRAPH_EXPR_STEPS];
	const struct expr_type	*type;
	const char		*fetch_end;
	const char		*type_text;
	u8			width;
	u8			bit;
};

/* Count the characters of a name, a type or a number */
static inline unsigned int expr_word_len(const char *p)
{
	unsigned int len = 0;

	while (graph_cond_is_name_char(p[len]))
		len++;
	return len;
}

const struct expr_type *expr_type_named(const char *name, unsigned int len);
const struct expr_type *expr_type_number(bool sign, unsigned int size);
int graph_exprs_compile(struct call_exprs *exprs, const struct expr_type **types,
			const struct graph_cond *cond, unsigned long ip,
			const struct arg_sig_hold *hold, struct graph_cond_error *err);

#endif /* _TRACE_GRAPH_EXPRS_BUILD_H */
