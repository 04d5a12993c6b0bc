// SPDX-License-Identifier: GPL-2.0
/*
 * Filters by the values of a call
 *
 *   filter     = [function ":"] [or]     function: a glob, all if there is none
 *   or         = and *("||" and)
 *   and        = not *("&&" not)
 *   not        = ["!"] ("(" or ")" / field [op operand])
 *   op         = "==" / "!=" / "<" / "<=" / ">" / ">=" / "&" / "~"
 *
 * This is the syntax of the kernel's event filters.  A field is an argument, the return
 * value ("ret"), or "error", "duration", "pid", "comm", "cpu", "depth", "function",
 * "module" or "instance".  A field without an operand is true if it is neither 0 nor
 * false.
 *
 * A comparison with a value that is not known is neither true nor false: such a call
 * does not pass, whether there is a "!" before the comparison or not.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/* Maximum depth of parentheses */
#define MAX_DEPTH	64

enum node_kind {
	NODE_OR,
	NODE_AND,
	NODE_NOT,
	NODE_TEST,
};

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
 * @kind: its kind
 * @left: its first operand
 * @right: its second operand
 * @op: how a test compares
 * @field: what it compares
 * @is_number: it compares with @number, not with @text
 * @number: a number of 64 bits, with a sign or without
 * @text: the operand as it was written
 * @seen: a call had the field
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
};

/**
 * struct filter - a filter
 * @next: another one
 * @function: the glob of the functions that it is for, NULL: all
 * @expression: the expression that their calls have to meet, NULL: none
 * @seen: there was a call of such a function
 */
struct filter {
	struct filter	*next;
	char		*function;
	struct node	*expression;
	bool		seen;
};

/**
 * struct parser - a filter while it is read
 * @text: the filter
 * @pos: the next character
 * @error: the error, NULL if there is none
 * @depth: how many parentheses are open
 */
struct parser {
	const char	*text;
	const char	*pos;
	const char	*error;
	unsigned int	depth;
};

/* The result of a test of a value that is not known */
#define UNKNOWN	(-1)

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

static bool take(struct parser *in, const char *token)
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
	struct node *node = calloc(1, sizeof(*node));

	if (!node) {
		free_node(left);
		free_node(right);
		return NULL;
	}
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
		if (take(in, ops[i].text)) {
			*op = ops[i].op;
			return true;
		}
	}
	/* '&' is an operator if it is not the begin of "&&" */
	if (*in->pos == '&' && in->pos[1] != '&') {
		in->pos++;
		*op = OP_AND;
		return true;
	}
	return false;
}

/* "EIO": the number of an error, 0 if it is none */
static int error_number(const char *name)
{
	int i;

	for (i = 1; name[0] == 'E' && i < 4096; i++)
		if (errname(-i) && !strcmp(errname(-i) + 1, name))
			return i;
	return 0;
}

/* 5ms: how many nanoseconds, 0 if it is no unit */
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

/* A number, as C has it, or an error's name, NULL, true, false */
static bool parse_number(const char *text, __int128 *number)
{
	bool negative = *text == '-';
	unsigned long long val;
	char *end;

	if (negative || *text == '+')
		text++;
	if (isdigit((u8)*text)) {
		errno = 0;
		val = strtoull(text, &end, 0);
		if (errno || !unit(end))
			return false;
		*number = (__int128)val * unit(end);
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

/* '...' or "..." with backslashes before what is to be as it is */
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
	/* A character */
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
	node->text = calloc(1, strlen(in->pos) + 1);
	if (!node->text)
		return parse_error(in, "no memory", node);
	if (*in->pos == '"' || *in->pos == '\'') {
		if (!parse_quoted(in, node))
			return parse_error(in, "this string has no end", node);
	} else {
		len = strcspn(in->pos, node->op == OP_GLOB ? " \t)" : " \t)&|!<>=~\"'(");
		if (!len)
			return parse_error(in, "a number or a string is missing here", node);
		memcpy(node->text, in->pos, len);
		node->is_number = node->op != OP_GLOB &&
				  parse_number(node->text, &node->number);
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
		if (node && !take(in, ")"))
			return parse_error(in, "a parenthesis is missing here", node);
		return node;
	}
	len = field_length(in->pos);
	if (!len)
		return parse_error(in, "a name is missing here", NULL);
	node = new_node(NODE_TEST, NULL, NULL);
	if (!node)
		return parse_error(in, "no memory", NULL);
	node->field = strndup(in->pos, len);
	if (!node->field)
		return parse_error(in, "no memory", node);
	in->pos += len;
	return parse_op(in, &node->op) ? parse_operand(in, node) : node;
}

static struct node *parse_and(struct parser *in)
{
	struct node *node = parse_not(in), *right;

	while (node && take(in, "&&")) {
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

	while (node && take(in, "||")) {
		right = parse_and(in);
		if (!right)
			return parse_error(in, NULL, node);
		node = new_node(NODE_OR, node, right);
	}
	return node;
}

/* "vfs_*:", if there is one */
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
 * @filters: those that there are
 * @text: the filter
 *
 * Return: all filters; NULL if the new one cannot be read, which was said.
 */
struct filter *filter_add(struct filter *filters, const char *text)
{
	struct filter *filter = calloc(1, sizeof(*filter));
	struct parser in = { .text = text, .pos = text };
	size_t len = function_length(text);

	if (!filter) {
		complain("out of memory");
		filters_free(filters);
		return NULL;
	}
	filter->next = filters;
	if (len) {
		in.pos += len + 1;
		text += strspn(text, " \t");
		filter->function = strndup(text, strcspn(text, " \t:"));
	}
	skip_space(&in);
	if (*in.pos || !len)
		filter->expression = parse_or(&in);
	skip_space(&in);
	if (*in.pos && !in.error)
		in.error = "an operator is missing here";
	if (in.error || (len && !filter->function)) {
		fprintf(stderr, "%s: %s\n\t%s\n\t%*s^\n", program,
			in.error ?: "out of memory", in.text,
			(int)(in.pos - in.text), "");
		filters_free(filter);
		return NULL;
	}
	return filter;
}

/* Text that is not the call's argument; false if there is none of that name */
static bool call_text(const struct span *span, const char *field, const char **text)
{
	static char buf[32];

	if (!strcmp(field, "comm"))
		*text = task_comm(span->calls, span->task);
	else if (!strcmp(field, "function"))
		*text = func_name(span->func, buf, sizeof(buf));
	else if (!strcmp(field, "module"))
		*text = span->func->module ?: "";
	else if (!strcmp(field, "instance"))
		*text = span->task->buffer->name ?: "";
	else
		return false;
	return true;
}

/* The same for numbers; UNKNOWN if the call has none */
static int call_number(struct span *span, const char *field, __int128 *number)
{
	if (!strcmp(field, "duration"))
		*number = span->duration;
	else if (!strcmp(field, "error"))
		*number = span->error;
	else if (!strcmp(field, "pid"))
		*number = span->task->pid;
	else if (!strcmp(field, "cpu"))
		*number = span->cpu;
	else if (!strcmp(field, "depth"))
		*number = span->depth;
	else
		return false;
	if ((!strcmp(field, "duration") && span->lost == SPAN_NO_END) ||
	    (!strcmp(field, "error") && !span->has_ret && span->lost == SPAN_NO_END))
		return UNKNOWN;
	return true;
}

static const struct item *find_item(struct span *span, const char *field)
{
	const struct values *values;

	if (!strncmp(field, "ret", 3) && strchr(".[", field[3])) {
		values = span_ret(span);
		if (!values || !values->nr)
			return NULL;
		if (!field[3])
			return &values->items[0];
		/* What is returned has no name */
		return values->items[0].kind == ITEM_RECORD && field[3] == '.' ?
		       values_find(&(struct values){
				.items = values->items + 1,
				.nr = values->nr - 1,
		       }, field + 4) : NULL;
	}
	if (!strncmp(field, "args.", 5))
		field += 5;
	values = span_args(span);
	return values ? values_find(values, field) : NULL;
}

static int compare_numbers(enum op op, __int128 val, __int128 with)
{
	switch (op) {
	case OP_TRUE:
		return !!val;
	case OP_EQ:
		return val == with;
	case OP_NE:
		return val != with;
	case OP_LT:
		return val < with;
	case OP_LE:
		return val <= with;
	case OP_GT:
		return val > with;
	case OP_GE:
		return val >= with;
	case OP_AND:
		return !!(val & with);
	default:
		return UNKNOWN;
	}
}

/* One of the names in "FAULT_FLAG_WRITE|FAULT_FLAG_USER" */
static bool has_name(const char *text, size_t len, const char *name)
{
	const char *end = text + len, *next;

	for (; text < end; text = next + 1) {
		next = memchr(text, '|', end - text) ?: end;
		if (next - text == strlen(name) && !memcmp(text, name, next - text))
			return true;
	}
	return false;
}

static int compare_text(const struct node *node, const char *text, size_t len)
{
	char *copy;
	int ret;

	switch (node->op) {
	case OP_TRUE:
		return len > 0;
	case OP_EQ:
	case OP_NE:
		return (len == strlen(node->text) && !memcmp(text, node->text, len)) ==
			(node->op == OP_EQ);
	case OP_AND:
		return has_name(text, len, node->text);
	case OP_GLOB:
		copy = strndup(text, len);
		ret = copy ? !fnmatch(node->text, copy, 0) : UNKNOWN;
		free(copy);
		return ret;
	default:
		return UNKNOWN;
	}
}

/* An error pointer is as negative as the error; other addresses have no sign */
static __int128 value_number(const struct arg_value *value)
{
	if (value->kind == ARG_SIGNED || value->kind == ARG_NAMED ||
	    (value->kind == ARG_POINTER && value->val >= -4095ULL))
		return (s64)value->val;
	if (value->kind == ARG_WIDE)
		return (__int128)value->high << 64 | value->val;
	return value->val;
}

static int test_value(struct node *node, const struct arg_value *value)
{
	/* As in the kernel, a condition on a pointer is on the address */
	if (value->addr)
		return node->is_number || node->op == OP_TRUE ?
		       compare_numbers(node->op, value->addr, node->number) : UNKNOWN;
	if (value->kind == ARG_UNKNOWN || value->kind == ARG_REMOVED)
		return UNKNOWN;
	if (node->is_number || node->op == OP_TRUE)
		return compare_numbers(node->op, value_number(value), node->number);
	if (value->kind == ARG_STRING)
		return compare_text(node, value->data, value->size);
	return value->text ? compare_text(node, value->text, value->len) : UNKNOWN;
}

static int test(struct node *node, struct span *span)
{
	bool args = !strncmp(node->field, "args.", 5);
	const struct item *item;
	const char *text;
	__int128 number;
	int ret;

	/* Of the names that are not the call's own, an argument may have some */
	item = strcmp(node->field, "error") && strcmp(node->field, "duration") ?
	       find_item(span, node->field) : NULL;
	if (item) {
		node->seen = true;
		return item->kind == ITEM_VALUE ? test_value(node, &item->value) : UNKNOWN;
	}
	if (args)
		return UNKNOWN;
	if (call_text(span, node->field, &text)) {
		node->seen = true;
		return compare_text(node, text, strlen(text));
	}
	ret = call_number(span, node->field, &number);
	if (!ret)
		return UNKNOWN;
	node->seen = true;
	if (ret == UNKNOWN)
		return UNKNOWN;
	if (node->is_number || node->op == OP_TRUE)
		/* "error == ENOENT" says the same */
		return compare_numbers(node->op, number,
				       !strcmp(node->field, "error") &&
				       node->number > 0 ? -node->number : node->number);
	return UNKNOWN;
}

static int evaluate(struct node *node, struct span *span)
{
	int left, right;

	switch (node->kind) {
	case NODE_NOT:
		left = evaluate(node->left, span);
		return left == UNKNOWN ? UNKNOWN : !left;
	case NODE_AND:
		left = evaluate(node->left, span);
		if (!left)
			return 0;
		right = evaluate(node->right, span);
		return right && left == UNKNOWN ? UNKNOWN : right;
	case NODE_OR:
		left = evaluate(node->left, span);
		if (left == 1)
			return 1;
		right = evaluate(node->right, span);
		return !right && left == UNKNOWN ? UNKNOWN : right;
	default:
		return test(node, span);
	}
}

static bool passes(struct filter *filter, struct span *span)
{
	char buf[32];

	if (filter->function &&
	    fnmatch(filter->function, func_name(span->func, buf, sizeof(buf)), 0))
		return false;
	filter->seen = true;
	return !filter->expression || evaluate(filter->expression, span) == 1;
}

/**
 * filters_pass - whether a call passes one of the filters
 * @filters: the filters, NULL if there are none
 * @span: the call
 */
bool filters_pass(struct filter *filters, struct span *span)
{
	struct filter *filter;
	bool pass = !filters;

	/* Each of them, for filters_check() */
	for (filter = filters; filter; filter = filter->next)
		pass |= passes(filter, span);
	return pass;
}

static const struct node *find_unseen(const struct node *node)
{
	if (!node)
		return NULL;
	if (node->kind == NODE_TEST)
		return node->seen ? NULL : node;
	/* The right side is not looked at where the left one decides */
	return find_unseen(node->left);
}

/**
 * filters_check - complain of filters that may have a name that is wrong
 * @filters: the filters
 * @file: the recording
 *
 * Return: false if there was one.
 */
bool filters_check(const struct filter *filters, const char *file)
{
	const struct node *node;
	bool ok = true;

	for (; filters; filters = filters->next) {
		node = find_unseen(filters->expression);
		if (!filters->seen && filters->function)
			complain("%s: no call of %s", file, filters->function);
		else if (filters->seen && node)
			complain("%s: no call%s%s has a value %s", file,
				 filters->function ? " of " : "",
				 filters->function ?: "", node->field);
		else
			continue;
		ok = false;
	}
	return ok;
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
