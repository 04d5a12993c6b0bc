/* SPDX-License-Identifier: GPL-2.0 */
/* Filters on the values of a call: filter-parse.c parses a filter, filter.c evaluates it */
#ifndef _TRACE_CALLS_FILTER_H
#define _TRACE_CALLS_FILTER_H

#include <stdbool.h>

/**
 * enum node_kind - the kind of a part of an expression
 * @NODE_OR: true if one of the operands is true
 * @NODE_AND: true if both operands are true
 * @NODE_NOT: true if the first operand is false
 * @NODE_TEST: a test of a field
 */
enum node_kind {
	NODE_OR,
	NODE_AND,
	NODE_NOT,
	NODE_TEST,
};

/**
 * enum op - the operator of a test
 * @OP_TRUE: no operator: the field is neither 0 nor false
 * @OP_EQ: ==
 * @OP_NE: !=
 * @OP_LT: <
 * @OP_LE: <=
 * @OP_GT: >
 * @OP_GE: >=
 * @OP_AND: &
 * @OP_GLOB: ~
 */
enum op {
	OP_TRUE,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_AND,
	OP_GLOB,
};

/**
 * struct node - a part of an expression
 * @kind: the kind
 * @left: the first operand
 * @right: the second operand
 * @op: the operator of a test
 * @field: the field that a test compares
 * @is_number: the test compares with @number, not with @text
 * @number: a number of 64 bits, with a sign or without
 * @text: the operand as in the filter
 * @seen: a call had the field
 * @compared: a value of the field could be compared
 */
struct node {
	enum node_kind	kind;
	struct node	*left;
	struct node	*right;
	enum op		op;
	char		*field;
	bool		is_number;
	__int128	number;
	char		*text;
	bool		seen;
	bool		compared;
};

/**
 * struct filter - a filter
 * @next: the next filter
 * @function: the glob of the functions; NULL for all functions
 * @expression: the expression for calls of these functions; NULL passes all calls
 * @seen: one of these functions was called
 * @passed: a call passed the filter
 */
struct filter {
	struct filter	*next;
	char		*function;
	struct node	*expression;
	bool		seen;
	bool		passed;
};

#endif /* _TRACE_CALLS_FILTER_H */
