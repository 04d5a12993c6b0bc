// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: lines of set_graph_filter that are decided by the values in a recording
 *
 * The kernel's parser parses a filter, see filter-parse.c.  A filter may leave out "GLOB:" or
 * the condition.  These names are only in a recording: "args.NAME", elements of arrays, "error"
 * with an operator, "pid", "comm", "cpu", "depth", "function", "module" and "instance".
 *
 * The results are the kernel's.  A line does not apply to a function that lacks one of its
 * values.  The comparison of a text that could not be read is false.  A comparison with a value
 * that is not known is neither true nor false, with or without a "!" before it.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>

#include "../../../kernel/trace/args/text.h"
#include "../traceevent/sigs.h"
#include "arrays.h"
#include "calls.h"
#include "filter.h"

/* Results of a comparison: the value is not known; the line does not apply to the function */
#define UNKNOWN		(-1)
#define LEFT_OUT	(-2)

/* The condition of a filter without one */
#define ALWAYS		" CPU >= 0"

/**
 * struct comparison - a comparison of a filter
 * @name: the name of the value; the name of an expression has no type
 * @seen: a call had the value
 * @compared: a value could be compared
 */
struct comparison {
	char	*name;
	bool	seen;
	bool	compared;
};

/**
 * struct filter - a filter
 * @next: the next filter
 * @cond: the line
 * @seen: one of the functions was called
 * @passed: a call passed the filter
 * @comparisons: the line's comparisons
 */
struct filter {
	struct filter		*next;
	struct graph_cond	cond;
	bool			seen;
	bool			passed;
	struct comparison	comparisons[GRAPH_COND_PREDS];
};

/* Whether a filter begins with functions, as in "vfs_*:". Other filters are for all functions. */
bool filter_has_glob(const char *text)
{
	const char *end = text;

	while (isalnum(*end) || (*end && strchr("_.*?[]-^, \t", *end)))
		end++;
	return end > text && *skip_spaces(end) == ':';
}

void filters_free(struct filter *filters)
{
	struct filter *next;
	unsigned int i;

	for (; filters; filters = next) {
		next = filters->next;
		for (i = 0; i < GRAPH_COND_PREDS; i++)
			free(filters->comparisons[i].name);
		line_free(&filters->cond);
		free(filters);
	}
}

/* Add a filter. Returns all filters, NULL after a message if the new filter cannot be parsed. */
struct filter *filter_add(struct filter *filters, const char *text)
{
	struct filter *filter = xcalloc(1, sizeof(*filter));
	struct graph_cond *cond = &filter->cond;
	struct graph_cond_error err;
	unsigned int i, len;

	text = skip_spaces(text);
	len = strlen(text);
	while (len && isspace(text[len - 1]))
		len--;
	if (asprintf(&cond->line, "%s%.*s%s", filter_has_glob(text) ? "" : EVERY, (int)len, text,
		     len && text[len - 1] == ':' ? ALWAYS : "") < 0)
		out_of_memory();
	if (line_parse(cond, GRAPH_LINES_FILTER, &err)) {
		/* The parser has got more characters before and after the text */
		line_complain(&err, text, filter_has_glob(text) ? 0 : strlen(EVERY));
		filters_free(filter);
		return NULL;
	}
	for (i = 0; i < cond->nr_preds; i++) {
		const struct graph_pred *pred = &cond->preds[i];
		const char *end = pred->name + pred->name_len;

		if (pred->what == GRAPH_PRED_EXPR)
			end = cond->exprs[pred->expr].fetch_end;
		filter->comparisons[i].name = xstrndup(pred->name, end - pred->name);
	}
	filter->next = filters;
	return filter;
}

static int compare_numbers(const struct graph_pred *pred, __int128 val, __int128 with)
{
	switch (pred->op) {
	case GRAPH_OP_NE:
		return val != with;
	case GRAPH_OP_EQ:
		return val == with;
	case GRAPH_OP_LE:
		return val <= with;
	case GRAPH_OP_LT:
		return val < with;
	case GRAPH_OP_GE:
		return val >= with;
	case GRAPH_OP_GT:
		return val > with;
	case GRAPH_OP_AND:
		return !!(val & with);
	default:
		return UNKNOWN;
	}
}

/* Compare a number without a type in C */
static int compare_plain(const struct graph_pred *pred, __int128 val)
{
	if (pred->value != GRAPH_VALUE_NUMBER)
		return LEFT_OUT;
	return compare_numbers(pred, val, pred->negative ? -(__int128)pred->number : pred->number);
}

/*
 * Compare a text with a string, or with a word. As in the kernel, the comparison of a text that
 * was cut is false, unless the begin of the text decides it.
 */
static int compare_text(const struct graph_pred *pred, const char *text, size_t len, bool cut)
{
	bool quoted = pred->value == GRAPH_VALUE_STRING;
	const char *with = quoted ? pred->string : pred->text;
	size_t size = quoted ? strlen(with) : pred->text_len;
	char *copy;
	int ret;

	if (pred->value == GRAPH_VALUE_NUMBER)
		return LEFT_OUT;
	if (pred->op > GRAPH_OP_EQ)
		return LEFT_OUT;
	if (cut && !graph_pred_decides(pred, len))
		return false;
	if (pred->op == GRAPH_OP_GLOB) {
		copy = xstrndup(text, len);
		ret = !fnmatch(with, copy, 0);
		free(copy);
		return ret;
	}
	return (len == size && !memcmp(text, with, len)) == (pred->op == GRAPH_OP_EQ);
}

/**
 * struct named_type - a type whose numbers have names
 * @span: a call
 * @found: the type
 */
struct named_type {
	const struct span	*span;
	const struct arg_field	*found;
};

static bool find_name(void *data, const char *name, unsigned int len, u64 *val)
{
	const struct named_type *named = data;
	const struct span *span = named->span;

	return arg_type_enumerator(span->func->types, named->found->type, name, len, val) ||
	       (named->found->how == 'G' &&
		sigs_gfp_named(span->calls->sigs, name, len, val));
}

static bool is_value(const struct arg_value *value)
{
	return value->kind != ARG_UNKNOWN && value->kind != ARG_REMOVED;
}

/* Compare a number or a pointer; as in the kernel, a condition on a pointer tests the address */
static int compare_number(const struct graph_pred *pred, const struct span *span,
			  const struct arg_value *value, const struct arg_field *found)
{
	struct named_type named = { span, found };
	u64 val = value->addr ?: value->val, with;

	if (!found->size || found->size > sizeof(u64) ||
	    graph_pred_number(&with, pred, found, find_name, &named))
		return LEFT_OUT;
	if (!is_value(value))
		return UNKNOWN;
	if (!found->sign)
		return compare_numbers(pred, val, with);
	return compare_numbers(pred, sign_extend64(val, found->size * 8 - 1), (s64)with);
}

/* Compare a value with a string, as text */
static int compare_string(const struct graph_pred *pred, const struct arg_value *value)
{
	/* The comparison of a text that cannot be read is false */
	if (!is_value(value) || value->addr)
		return false;
	if (value->kind == ARG_STRING)
		return compare_text(pred, value->data, value->size, value->cut);
	/* A character */
	if (*pred->text == '\'' && strlen(pred->string) == 1 && value_is_number(value))
		return compare_numbers(pred, value->val, *pred->string);
	return value->text && compare_text(pred, value->text, value->len, false);
}

/* Whether an item is a part of the object that an argument points to; the parts follow it */
static bool is_part(const struct item *item)
{
	return item->len && memmem(item->name, item->len, "->", 2);
}

/* Find the first text of the object that an argument points to, NULL if it has none */
static const struct arg_value *object_text(const struct values *values, const struct item *item)
{
	const struct item *part;

	for (part = item + 1; part < values->items + values->nr; part++) {
		if (part->len < item->len + 2 || memcmp(part->name, item->name, item->len) ||
		    memcmp(part->name + item->len, "->", 2))
			return NULL;
		if (part->kind == ITEM_VALUE &&
		    (part->value.kind == ARG_STRING || !is_value(&part->value)))
			return &part->value;
	}
	return NULL;
}

/* Compare a value of the call; @found is what the signature says of it */
static int compare_item(const struct graph_pred *pred, const struct span *span,
			const struct values *values, const struct item *item,
			const struct arg_field *found)
{
	const struct arg_value *value = &item->value, *text;

	if (item->kind != ITEM_VALUE)
		return LEFT_OUT;
	if (pred->value != GRAPH_VALUE_STRING)
		return value->type ? compare_number(pred, span, value, found) : UNKNOWN;
	if (value->kind == ARG_POINTER) {
		text = item->len ? object_text(values, item) : NULL;
		/* A string that is not known, or an object without a text */
		if (!text)
			return found->string ? false : LEFT_OUT;
		value = text;
	}
	return compare_string(pred, value);
}

/* What a signature says of a value of the recording */
static struct arg_field field_of(const struct item *item)
{
	struct arg_field found = { .type = "v" };

	if (item->kind == ITEM_VALUE && item->value.type) {
		found.type = arg_type_resolve(item->value.type, &found.how);
		found.size = arg_scalar_size(found.type);
		found.sign = arg_type_is_signed(found.type);
	}
	return found;
}

/* The type of an expression, NULL for the type that the value was recorded with */
static const struct expr_type *type_of(const struct graph_expr *expr)
{
	return expr->type || expr->nr ? expr->type : expr_type_named("x64", strlen("x64"));
}

/* Compare a number by an expression's type, and by the bits of its bit-field */
static int compare_bits(const struct graph_pred *pred, const struct span *span,
			const struct graph_expr *expr, bool bits, u64 val)
{
	const struct expr_type *type = type_of(expr);
	struct arg_field found = { .size = type->size };
	unsigned int unused = 64 - type->size * BITS_PER_BYTE;
	struct named_type named = { span, &found };
	u64 with;

	found.type = arg_type_resolve(type->type, &found.how);
	found.sign = arg_type_is_signed(found.type);
	if (graph_pred_number(&with, pred, &found, find_name, &named))
		return LEFT_OUT;
	if (bits)
		val = val >> expr->bit & ~0ULL >> (64 - expr->width);
	val <<= unused;
	if (found.sign)
		return compare_numbers(pred, (s64)val >> unused, (s64)with);
	return compare_numbers(pred, val >> unused, with);
}

/* Whether a parameter points to bytes, which an expression may read as a text */
static bool points_to_bytes(const struct arg_value *value)
{
	const char *type = value->type;
	char how;

	/* The type is that of the number that a pointer points to, if it was recorded */
	if (type && !value->addr) {
		type = arg_type_resolve(type, &how);
		type = *type == 'P' ? type + 1 : NULL;
	}
	if (!type)
		return false;
	type = arg_type_resolve(type, &how);
	return *type != 'P' && arg_scalar_size(type) == 1;
}

/* Compare an expression of the type "string" */
static int compare_expr_text(const struct graph_pred *pred, const struct graph_expr *expr,
			     const struct arg_value *value)
{
	if (value->kind == ARG_STRING || !is_value(value))
		return compare_string(pred, value);
	if (!expr->nr && !points_to_bytes(value))
		return LEFT_OUT;
	/* No text is at NULL */
	return value->kind == ARG_POINTER && !value->val ? false : UNKNOWN;
}

/*
 * Compare a number in memory, which was recorded with @size bytes. A recording does not tell
 * whether the number is the whole number or a bit-field of it.
 */
static int compare_memory(const struct graph_pred *pred, const struct span *span,
			  const struct graph_expr *expr, unsigned int size, u64 val)
{
	int ret = compare_bits(pred, span, expr, expr->width, val);

	if (ret == LEFT_OUT)
		return ret;
	if (size < expr->type->size)
		return UNKNOWN;
	if (expr->width && !(val & ~(~0ULL >> (64 - expr->width))) &&
	    compare_bits(pred, span, expr, false, val) != ret)
		return UNKNOWN;
	return ret;
}

/* Compare an expression that has a type */
static int compare_expr(const struct graph_pred *pred, const struct span *span,
			const struct graph_expr *expr, const struct item *item)
{
	const struct arg_value *value = &item->value;
	bool text = pred->value == GRAPH_VALUE_STRING;
	struct arg_field from = field_of(item);
	u64 val;

	if (text != !type_of(expr)->size)
		return LEFT_OUT;
	if (item->kind != ITEM_VALUE || from.size > sizeof(val))
		return expr->nr ? UNKNOWN : LEFT_OUT;
	if (text)
		return compare_expr_text(pred, expr, value);
	val = value->addr ?: value->val;
	if (value->addr)
		from = (struct arg_field){ .size = sizeof(val) };
	/* The kernel compares the bytes as they are in memory */
	if (from.how == 'B')
		val = arg_swap_bytes(val, from.size);
	if (!is_value(value) || !from.size || (expr->nr && value->kind == ARG_STRING))
		return compare_bits(pred, span, expr, false, 0) == LEFT_OUT ? LEFT_OUT : UNKNOWN;
	if (expr->nr)
		return compare_memory(pred, span, expr, from.size, val);
	/* A parameter is extended to a register */
	if (from.sign)
		val = sign_extend64(val, from.size * BITS_PER_BYTE - 1);
	return compare_bits(pred, span, expr, expr->width, val);
}

/* Find an argument, or a member of the returned value */
static const struct item *find_item(struct span *span, const char *name,
				    const struct values **values)
{
	if (!strncmp(name, "ret.", 4)) {
		*values = span_ret(span);
		/* The returned value has no name */
		return *values && (*values)->nr && (*values)->items[0].kind == ITEM_RECORD ?
		       values_find(&(struct values){
				.items = (*values)->items + 1,
				.nr = (*values)->nr - 1,
		       }, name + 4) : NULL;
	}
	if (!strncmp(name, "args.", 5))
		name += 5;
	*values = span_args(span);
	return *values ? values_find(*values, name) : NULL;
}

/* Find an argument by its number, from 1 on */
static const struct item *find_arg(struct span *span, unsigned int nr,
				   const struct values **values)
{
	unsigned int i = 0;

	*values = span_args(span);
	while (*values && i < (*values)->nr) {
		const struct item *item = &(*values)->items[i];

		i = values_skip(*values, i);
		if (!is_part(item) && !--nr)
			return item;
	}
	return NULL;
}

/* Find a text of the call that is no argument. Returns NULL if there is none. */
static const char *call_text(const struct span *span, const char *name)
{
	if (!strcmp(name, "comm") || !strcmp(name, "COMM"))
		return task_comm(span->calls, span->task);
	if (!strcmp(name, "function"))
		return func_name(span->func);
	if (!strcmp(name, "module"))
		return span->func->module ?: "";
	if (!strcmp(name, "instance"))
		return span->task->buffer->name ?: "";
	return NULL;
}

/*
 * Find a number of the call that is no argument. Returns false if there is none, and UNKNOWN
 * if it is not known.
 */
static int call_number(struct span *span, const char *name, __int128 *number)
{
	if (!strcmp(name, "duration"))
		*number = span->duration;
	else if (!strcmp(name, "error"))
		*number = span->error;
	else if (!strcmp(name, "pid") || !strcmp(name, "PID"))
		*number = span->task->pid;
	else if (!strcmp(name, "cpu") || !strcmp(name, "CPU"))
		*number = span->cpu;
	else if (!strcmp(name, "depth"))
		*number = span->depth;
	else
		return false;
	if (!strcmp(name, "duration") && span->lost == SPAN_NO_END)
		return UNKNOWN;
	/* A void function returns no error */
	if (!strcmp(name, "error") && !span->has_ret &&
	    (span->lost == SPAN_NO_END || !span->func->sig || !span->func->is_void))
		return UNKNOWN;
	return true;
}

/* Compare a value of the call that is no argument; @expr may be NULL */
static int compare_call(const struct graph_pred *pred, struct comparison *comparison,
			struct span *span, const struct graph_expr *expr)
{
	const char *text = call_text(span, comparison->name);
	const struct expr_type *type = expr ? expr->type : NULL;
	__int128 number;
	int ret;

	if (text) {
		comparison->seen = true;
		if (type && (type->size || pred->value != GRAPH_VALUE_STRING))
			return LEFT_OUT;
		return compare_text(pred, text, strlen(text), false);
	}
	ret = call_number(span, comparison->name, &number);
	if (!ret)
		return LEFT_OUT;
	comparison->seen = true;
	if (ret == UNKNOWN)
		return UNKNOWN;
	if (type && (!type->size || pred->value == GRAPH_VALUE_STRING))
		return LEFT_OUT;
	if (type)
		return compare_bits(pred, span, expr, expr->width, number);
	/* "error == ENOENT" means "error == -ENOENT" */
	if (pred->errno_name && !pred->negative && !strcmp(comparison->name, "error"))
		return compare_numbers(pred, number, -(__int128)pred->number);
	return compare_plain(pred, number);
}

/* Whether the call failed, as the kernel decides it */
static int has_failed(struct comparison *comparison, struct span *span)
{
	const struct sig_func *func = span->func;
	u64 ret = span->call.regs[0];
	struct arg_field found;
	int last;

	if (!func->sig || arg_sig_find_ret(&found, func->sig, func->types))
		return LEFT_OUT;
	last = arg_sig_last_error(func->sig, &found);
	if (!last)
		return LEFT_OUT;
	if (!span->has_ret)
		return UNKNOWN;
	comparison->seen = true;
	if (found.sign)
		ret = sign_extend64(ret, found.size * 8 - 1);
	return IS_ERR_VALUE(ret) && (s64)ret <= last;
}

/* Compare the returned value */
static int compare_ret(const struct graph_pred *pred, struct comparison *comparison,
		       struct span *span)
{
	const struct sig_func *func = span->func;
	const struct values *values = span_ret(span);
	struct arg_field found;

	if (func->sig && arg_sig_find_ret(&found, func->sig, func->types))
		return LEFT_OUT;
	if (!values || !values->nr)
		return UNKNOWN;
	comparison->seen = true;
	if (!func->sig)
		found = field_of(&values->items[0]);
	return compare_item(pred, span, values, &values->items[0], &found);
}

/* Compare an argument, or a value that only a recording has */
static int compare_param(const struct graph_pred *pred, struct comparison *comparison,
			 struct span *span, const struct graph_expr *expr)
{
	const struct sig_func *func = span->func;
	const struct values *values;
	const struct item *item;
	struct arg_field found;

	if (expr && expr->arg && !expr->nr)
		item = find_arg(span, expr->arg, &values);
	else
		item = strcmp(comparison->name, "error") ?
		       find_item(span, comparison->name, &values) : NULL;
	/* An argument takes precedence over a name of the call, except for "error" */
	if (!item)
		return compare_call(pred, comparison, span, expr);
	comparison->seen = true;
	if (expr && type_of(expr))
		return compare_expr(pred, span, expr, item);
	if (expr || !func->sig ||
	    arg_sig_find(&found, func->sig, func->types, comparison->name,
			 strlen(comparison->name)))
		found = field_of(item);
	return compare_item(pred, span, values, item, &found);
}

/* Whether one of the arguments is a number of 64 bits, or a pointer, that is equal */
static int compare_any(const struct graph_pred *pred, struct span *span)
{
	u64 number = pred->negative ? -pred->number : pred->number;
	const struct values *values = span_args(span);
	int ret = values ? LEFT_OUT : UNKNOWN;
	unsigned int i;
	char how;
	u64 val;

	for (i = 0; values && i < values->nr; i = values_skip(values, i)) {
		const struct item *item = &values->items[i];
		const struct arg_value *value = &item->value;

		if (item->kind != ITEM_VALUE || !value->type || is_part(item) ||
		    arg_scalar_size(arg_type_resolve(value->type, &how)) != sizeof(u64))
			continue;
		/* The kernel compares registers, so a big-endian number is not swapped */
		val = value->addr ?: value->val;
		if (how == 'B')
			val = arg_swap_bytes(val, sizeof(val));
		if (is_value(value) && val == number)
			return true;
		ret = is_value(value) && ret != UNKNOWN ? false : UNKNOWN;
	}
	return ret;
}

static int compare(struct filter *filter, unsigned int i, struct span *span)
{
	const struct graph_pred *pred = &filter->cond.preds[i];
	struct comparison *comparison = &filter->comparisons[i];
	int ret;

	switch (pred->what) {
	case GRAPH_PRED_PARAM:
		ret = compare_param(pred, comparison, span, NULL);
		break;
	case GRAPH_PRED_EXPR:
		ret = compare_param(pred, comparison, span, &filter->cond.exprs[pred->expr]);
		break;
	case GRAPH_PRED_RET:
		ret = compare_ret(pred, comparison, span);
		break;
	case GRAPH_PRED_ERROR:
		ret = has_failed(comparison, span);
		break;
	case GRAPH_PRED_ANY:
		comparison->seen |= !!span_args(span);
		ret = compare_any(pred, span);
		break;
	default:
		ret = compare_call(pred, comparison, span, NULL);
	}
	comparison->compared |= ret >= 0;
	return ret;
}

/*
 * Decide a line by the results of its comparisons. An unknown comparison may not matter. As
 * in the kernel, a line does not apply to a function that does not have all its values.
 */
static bool decide(struct filter *filter, struct span *span)
{
	const struct graph_cond *cond = &filter->cond;
	/* The results from each comparison on, and the two ends */
	s8 from[GRAPH_COND_NOT_MET + 1] = { [GRAPH_COND_MET] = true };
	s8 results[GRAPH_COND_PREDS];
	bool left_out = false;
	unsigned int i;

	for (i = 0; i < cond->nr_preds; i++) {
		results[i] = compare(filter, i, span);
		left_out |= results[i] == LEFT_OUT;
	}
	if (left_out)
		return false;
	/* A comparison is followed by a later one */
	while (i--) {
		const u8 *next = cond->preds[i].next;

		if (results[i] != UNKNOWN)
			from[i] = from[next[results[i]]];
		else
			from[i] = from[next[true]] == from[next[false]] ? from[next[true]] :
									   UNKNOWN;
	}
	return from[0] > 0;
}

/* Whether a line is known to cover each function */
static bool covers_all(const struct graph_cond *cond)
{
	return !strcmp(cond->globs[0], "*");
}

static bool covers(const struct graph_cond *cond, const struct sig_func *func)
{
	unsigned int i;

	for (i = 0; i < cond->nr_globs; i++)
		if (!fnmatch(cond->globs[i], func_name(func), 0))
			return true;
	return false;
}

static bool passes(struct filter *filter, struct span *span)
{
	const struct graph_cond *cond = &filter->cond;

	if (!covers_all(cond) && !covers(cond, span->func))
		return false;
	/* As in the kernel, the functions of the image have no module that "*" could match */
	if (cond->module &&
	    (!span->func->module || fnmatch(cond->module, span->func->module, 0)))
		return false;
	filter->seen = true;
	if (!decide(filter, span))
		return false;
	filter->passed = true;
	return true;
}

/* Whether a call passes one of the filters, or there are none */
bool filters_pass(struct filter *filters, struct span *span)
{
	struct filter *filter;
	bool pass = !filters;

	/* Test all filters, because filters_check() needs @seen of each filter */
	for (filter = filters; filter; filter = filter->next)
		pass |= passes(filter, span);
	return pass;
}

/* Find a comparison whose value no call had, or none could compare. Returns -1 if there is none */
static int find_useless(const struct filter *filter, bool seen)
{
	const struct comparison *each = filter->comparisons;
	int i;

	for (i = 0; i < filter->cond.nr_preds; i++)
		if (seen ? each[i].seen && !each[i].compared : !each[i].seen)
			return i;
	return -1;
}

/*
 * Print a message about filters that may have a wrong name or operand. Returns false if there was
 * such a filter.
 */
bool filters_check(const struct filter *filters, const char *file)
{
	const struct comparison *comparisons;
	const struct graph_pred *pred;
	int unseen, uncompared, len;
	const char *globs;
	bool ok = true;

	for (; filters; filters = filters->next) {
		comparisons = filters->comparisons;
		globs = covers_all(&filters->cond) ? NULL : filters->cond.line;
		len = globs ? strcspn(globs, ":") : 0;
		unseen = find_useless(filters, false);
		uncompared = filters->passed ? -1 : find_useless(filters, true);
		pred = &filters->cond.preds[max(uncompared, 0)];
		if (!filters->seen && globs)
			complain("%s: no call of %.*s", file, len, globs);
		else if (filters->seen && unseen >= 0)
			complain("%s: no call%s%.*s has a value %s", file, globs ? " of " : "",
				 len, globs ?: "", comparisons[unseen].name);
		else if (uncompared >= 0)
			complain("%s: no value of %s can be compared with %.*s", file,
				 comparisons[uncompared].name, (int)pred->text_len ?: 1,
				 pred->text_len ? pred->text : "0");
		else
			continue;
		ok = false;
	}
	return ok;
}
