// SPDX-License-Identifier: GPL-2.0
/*
 * Parse filters on the values of a call
 *
 *   filter     = [function ":"] [or]     function: a glob, all functions if there is none
 *   or         = and *("||" and)
 *   and        = not *("&&" not)
 *   not        = ["!"] ("(" or ")" / field [op operand])
 *   op         = "==" / "!=" / "<" / "<=" / ">" / ">=" / "&" / "~"
 *
 * This is the syntax of the kernel's event filters.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "filter.h"

/* Maximum depth of parentheses */
#define MAX_DEPTH	64

/**
 * struct parser - the state of parsing a filter
 * @text: the filter
 * @pos: the next character
 * @error: the error, NULL if there is none
 * @depth: number of open parentheses
 */
struct parser {
	const char	*text;
	const char	*pos;
	const char	*error;
	unsigned int	depth;
};

static void free_node(struct node *node)
{
	if (!node)
		return;
	free_node(node->left);
	free_node(node->right);
	free(node->field);
	free(node->text);
	free(node);
}

static void skip_space(struct parser *in)
{
	while (isspace((u8)*in->pos))
		in->pos++;
}

static bool take_token(struct parser *in, const char *token)
{
	skip_space(in);
	if (strncmp(in->pos, token, strlen(token)))
		return false;
	in->pos += strlen(token);
	return true;
}

static struct node *new_node(enum node_kind kind, struct node *left,
			     struct node *right)
{
	struct node *node = xcalloc(1, sizeof(*node));

	node->kind = kind;
	node->left = left;
	node->right = right;
	return node;
}

static struct node *parse_error(struct parser *in, const char *error,
				struct node *node)
{
	if (!in->error)
		in->error = error;
	free_node(node);
	return NULL;
}

/* "count", "attr.mode", "p->pos", "a[1]" */
static size_t field_length(const char *p)
{
	const char *begin = p;

	if (!isalpha((u8)*p) && *p != '_')
		return 0;
	for (;; p++) {
		if (isalnum((u8)*p) || *p == '_' || *p == '[' || *p == ']')
			continue;
		if (*p == '.' && (isalpha((u8)p[1]) || p[1] == '_'))
			continue;
		if (p[0] == '-' && p[1] == '>') {
			p++;
			continue;
		}
		return p - begin;
	}
}

static bool parse_op(struct parser *in, enum op *op)
{
	static const struct {
		const char	*text;
		enum op		op;
	} ops[] = {
		{ "==", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE }, { ">=", OP_GE },
		{ "<", OP_LT }, { ">", OP_GT }, { "~", OP_GLOB },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (take_token(in, ops[i].text)) {
			*op = ops[i].op;
			return true;
		}
	}
	/* '&' is an operator unless it begins "&&" */
	if (*in->pos == '&' && in->pos[1] != '&') {
		in->pos++;
		*op = OP_AND;
		return true;
	}
	return false;
}

/* Find the number of an error's name, "EIO"; 0 if the name is not an error */
static int error_number(const char *name)
{
	int i;

	for (i = 1; name[0] == 'E' && i < 4096; i++)
		if (errname(-i) && !strcmp(errname(-i) + 1, name))
			return i;
	return 0;
}

/* Find the nanoseconds of a unit, as in 5ms; 0 if the name is not a unit */
static unsigned int unit(const char *name)
{
	static const struct {
		const char	*name;
		unsigned int	nanoseconds;
	} units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(name, units[i].name))
			return units[i].nanoseconds;
	return 0;
}

/*
 * Parse what follows the digits of a number: a unit, with or without a fraction before it, as
 * in 0.5ms. A part of a nanosecond is refused, as in set_graph_filter.
 */
static bool parse_unit(const char *text, unsigned long long val, __int128 *number)
{
	unsigned long long fraction = 0, scale = 1;
	const char *digits = text + 1;

	if (*text == '.') {
		for (text = digits; isdigit((u8)*text) && scale < 1000000000; text++) {
			fraction = fraction * 10 + *text - '0';
			scale *= 10;
		}
		if (text == digits)
			return false;
	}
	fraction *= unit(text);
	*number = (__int128)val * unit(text) + fraction / scale;
	return unit(text) && !(fraction % scale);
}

/* Parse a number as in C, an error's name, NULL, true or false */
static bool parse_constant(const char *text, __int128 *number)
{
	bool negative = *text == '-';
	unsigned long long val;
	char *end;

	if (negative || *text == '+')
		text++;
	if (isdigit((u8)*text)) {
		errno = 0;
		val = strtoull(text, &end, 0);
		if (errno || !parse_unit(end, val, number))
			return false;
	} else if (error_number(text)) {
		*number = error_number(text);
	} else if (!strcmp(text, "true")) {
		*number = 1;
	} else if (!strcmp(text, "false") || !strcmp(text, "NULL")) {
		*number = 0;
	} else {
		return false;
	}
	if (negative)
		*number = -*number;
	return true;
}

/* Parse '...' or "...". A backslash escapes the next character. */
static bool parse_quoted(struct parser *in, struct node *node)
{
	char quote = *in->pos++, *to = node->text;

	for (; *in->pos && *in->pos != quote; in->pos++) {
		if (*in->pos == '\\' && in->pos[1] == quote)
			in->pos++;
		*to++ = *in->pos;
	}
	*to = '\0';
	if (*in->pos++ != quote) {
		in->pos--;
		return false;
	}
	/* A single character is a number */
	if (quote == '\'' && strlen(node->text) == 1 && node->op != OP_GLOB) {
		node->is_number = true;
		node->number = (u8)node->text[0];
	}
	return true;
}

static struct node *parse_operand(struct parser *in, struct node *node)
{
	size_t len;

	skip_space(in);
	node->text = xcalloc(1, strlen(in->pos) + 1);
	if (*in->pos == '"' || *in->pos == '\'') {
		if (!parse_quoted(in, node))
			return parse_error(in, "this string has no end", node);
	} else {
		len = strcspn(in->pos, node->op == OP_GLOB ? " \t)" : " \t)&|!<>=~\"'(");
		if (!len)
			return parse_error(in, "a number or a string is missing here", node);
		memcpy(node->text, in->pos, len);
		node->is_number = node->op != OP_GLOB &&
				  parse_constant(node->text, &node->number);
		if (!node->is_number && (isdigit((u8)node->text[0]) ||
					 strchr("+-", node->text[0])))
			return parse_error(in, "this is no number", node);
		in->pos += len;
	}
	if (!node->is_number && node->op >= OP_LT && node->op <= OP_GE)
		return parse_error(in, "before this is a string, which is not less or more", node);
	return node;
}

static struct node *parse_or(struct parser *in);

static struct node *parse_not(struct parser *in)
{
	struct node *node;
	size_t len;

	skip_space(in);
	if (*in->pos == '!') {
		in->pos++;
		if (++in->depth > MAX_DEPTH)
			return parse_error(in, "too deep", NULL);
		node = parse_not(in);
		in->depth--;
		return node ? new_node(NODE_NOT, node, NULL) : NULL;
	}
	if (*in->pos == '(') {
		in->pos++;
		if (++in->depth > MAX_DEPTH)
			return parse_error(in, "too deep", NULL);
		node = parse_or(in);
		in->depth--;
		if (node && !take_token(in, ")"))
			return parse_error(in, "a parenthesis is missing here", node);
		return node;
	}
	len = field_length(in->pos);
	if (!len)
		return parse_error(in, "a name is missing here", NULL);
	node = new_node(NODE_TEST, NULL, NULL);
	node->field = xstrndup(in->pos, len);
	in->pos += len;
	return parse_op(in, &node->op) ? parse_operand(in, node) : node;
}

static struct node *parse_and(struct parser *in)
{
	struct node *node = parse_not(in), *right;

	while (node && take_token(in, "&&")) {
		right = parse_not(in);
		if (!right)
			return parse_error(in, NULL, node);
		node = new_node(NODE_AND, node, right);
	}
	return node;
}

static struct node *parse_or(struct parser *in)
{
	struct node *node = parse_and(in), *right;

	while (node && take_token(in, "||")) {
		right = parse_and(in);
		if (!right)
			return parse_error(in, NULL, node);
		node = new_node(NODE_OR, node, right);
	}
	return node;
}

/* Find the length of the function glob, as in "vfs_*:"; 0 if there is none */
static size_t function_length(const char *text)
{
	size_t len = strspn(text, " \t"), end;

	for (end = len; isalnum((u8)text[end]) || strchr("_.*?[]-^", text[end] ?: ' '); )
		end++;
	len = end + strspn(text + end, " \t");
	return end && text[len] == ':' ? len : 0;
}

/**
 * filter_add - add a filter
 * @filters: the existing filters
 * @text: the filter
 *
 * Return: all filters; NULL after a message if the new filter cannot be parsed.
 */
struct filter *filter_add(struct filter *filters, const char *text)
{
	struct filter *filter = xcalloc(1, sizeof(*filter));
	struct parser in = { .text = text, .pos = text };
	size_t len = function_length(text);

	filter->next = filters;
	if (len) {
		in.pos += len + 1;
		text += strspn(text, " \t");
		filter->function = xstrndup(text, strcspn(text, " \t:"));
	}
	skip_space(&in);
	if (*in.pos || !len)
		filter->expression = parse_or(&in);
	skip_space(&in);
	if (*in.pos && !in.error)
		in.error = "an operator is missing here";
	if (in.error) {
		fprintf(stderr, "%s: %s\n\t%s\n\t%*s^\n", program, in.error, in.text,
			(int)(in.pos - in.text), "");
		filters_free(filter);
		return NULL;
	}
	return filter;
}

/**
 * filters_free - free filters
 * @filters: the filters
 */
void filters_free(struct filter *filters)
{
	struct filter *next;

	for (; filters; filters = next) {
		next = filters->next;
		free_node(filters->expression);
		free(filters->function);
		free(filters);
	}
}
