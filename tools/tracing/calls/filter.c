// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluate filters on the values of a call
 *
 * A field is an argument, the return value ("ret"), or "error", "duration", "pid", "comm",
 * "cpu", "depth", "function", "module" or "instance".  A field without an operand is true
 * if it is neither 0 nor false.
 *
 * A comparison with an unknown value is neither true nor false. The call does not pass,
 * with or without a "!" before the comparison.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "filter.h"

/* The result of a test with an unknown value */
#define UNKNOWN	(-1)

/*
 * Find a text of the call that is not an argument. Returns false if there is no such
 * field.
 */
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

/*
 * Find a number of the call that is not an argument. Returns UNKNOWN if the number is
 * unknown.
 */
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
		/* The returned value has no name */
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

/*
 * Whether a name is one of the names in a text like "FAULT_FLAG_WRITE|FAULT_FLAG_USER"
 */
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
		copy = xstrndup(text, len);
		ret = !fnmatch(node->text, copy, 0);
		free(copy);
		return ret;
	default:
		return UNKNOWN;
	}
}

/*
 * The number of a value. An error pointer is negative, as the error. Other addresses
 * are unsigned.
 */
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
	/* As in the kernel, a condition on a pointer tests the address */
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

	/*
	 * An argument takes precedence over a field of the same name, except for error
	 * and duration
	 */
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
		/* "error == ENOENT" means "error == -ENOENT" */
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
		left = test(node, span);
		node->compared |= left != UNKNOWN;
		return left;
	}
}

static bool passes(struct filter *filter, struct span *span)
{
	char buf[32];

	if (filter->function &&
	    fnmatch(filter->function, func_name(span->func, buf, sizeof(buf)), 0))
		return false;
	filter->seen = true;
	if (filter->expression && evaluate(filter->expression, span) != 1)
		return false;
	filter->passed = true;
	return true;
}

/**
 * filters_pass - whether a call passes one of the filters
 * @filters: the filters, NULL if there are none
 * @span: the call
 *
 * Return: true if so, false otherwise.
 */
bool filters_pass(struct filter *filters, struct span *span)
{
	struct filter *filter;
	bool pass = !filters;

	/* Test all filters, because filters_check() needs @seen of each filter */
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
	/*
	 * Check only the left side, because the right side is not tested if the left
	 * side decides
	 */
	return find_unseen(node->left);
}

/* Find a test that could compare no value of its field */
static const struct node *find_uncompared(const struct node *node)
{
	if (!node)
		return NULL;
	if (node->kind == NODE_TEST)
		return node->seen && !node->compared ? node : NULL;
	return find_uncompared(node->left) ?: find_uncompared(node->right);
}

/**
 * filters_check - print a message about filters that may have a wrong name or operand
 * @filters: the filters
 * @file: the recording
 *
 * Return: false if there was such a filter.
 */
bool filters_check(const struct filter *filters, const char *file)
{
	const struct node *node, *wrong;
	bool ok = true;

	for (; filters; filters = filters->next) {
		node = find_unseen(filters->expression);
		wrong = filters->passed ? NULL : find_uncompared(filters->expression);
		if (!filters->seen && filters->function)
			complain("%s: no call of %s", file, filters->function);
		else if (filters->seen && node)
			complain("%s: no call%s%s has a value %s", file,
				 filters->function ? " of " : "",
				 filters->function ?: "", node->field);
		else if (wrong)
			complain("%s: no value of %s can be compared with %s", file, wrong->field,
				 wrong->text ?: "0");
		else
			continue;
		ok = false;
	}
	return ok;
}
