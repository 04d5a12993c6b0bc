// SPDX-License-Identifier: GPL-2.0
/*
 * Parse lines about calls: "GLOB, GLOB: CONDITION" of set_graph_filter, "GLOB: KEYS" and
 * "GLOB: KEYS if CONDITION" of set_graph_hist, and "GLOB: EXPRESSION, ..." of func_args_expr
 *
 * A line is parsed once.  The parser does not look at functions.  calls/progs.c
 * makes a program of the line for each type of function that the line covers.
 *
 * The expressions have the syntax of fprobe events.
 *
 * trace-calls is built with this file, for its filters and its expressions.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/time64.h>

#include <kunit/visibility.h>

#include "parse.h"

#undef C
#define C(name, text)	text

const char *graph_cond_errors[] = { GRAPH_COND_ERRORS };

/**
 * struct cond_parser - a line that is being parsed
 * @cond: the line
 * @err: the error
 * @pos: the text that is parsed next
 */
struct cond_parser {
	struct graph_cond		*cond;
	struct graph_cond_error		*err;
	const char			*pos;
};

/* "D" stands for a number that is written in decimal */
static const struct expr_type expr_types[] = {
	{ "x64", "m", 8 }, { "x32", "j", 4 }, { "x16", "t", 2 }, { "x8", "h", 1 },
	{ "u64", "Du64;m", 8 }, { "u32", "Du32;j", 4 }, { "u16", "Du16;t", 2 },
	{ "u8", "Du8;h", 1 }, { "s64", "Ds64;l", 8 }, { "s32", "Ds32;i", 4 },
	{ "s16", "Ds16;s", 2 }, { "s8", "Ds8;a", 1 }, { "char", "c", 1 },
	{ "symbol", "PFv_", 8 }, { "string", "Pc", 0 }, { "ustring", "Pc", 0, true },
};

/**
 * expr_type_named - find a type by its name
 * @name: the name
 * @len: characters of @name
 *
 * Return: the type, NULL if no type has the name. Bit-fields have no name.
 */
const struct expr_type *expr_type_named(const char *name, unsigned int len)
{
	const struct expr_type *type;

	for (type = expr_types; type < expr_types + ARRAY_SIZE(expr_types); type++)
		if (graph_cond_is_word(name, len, type->name))
			return type;
	return NULL;
}

/**
 * expr_type_number - find the type of a number in memory
 * @sign: whether the number is signed
 * @size: the size of the number in bytes
 *
 * Return: the type, NULL if there is none.
 */
const struct expr_type *expr_type_number(bool sign, unsigned int size)
{
	const struct expr_type *type;

	for (type = expr_types; type < expr_types + ARRAY_SIZE(expr_types); type++)
		if (type->name[0] == (sign ? 's' : 'u') && isdigit(type->name[1]) &&
		    type->size == size)
			return type;
	return NULL;
}

/* Note an error in a line. Returns -EINVAL */
static int fail(struct cond_parser *parser, unsigned int nr, const char *pos)
{
	parser->err->nr = nr;
	parser->err->pos = pos - parser->cond->line;
	return -EINVAL;
}

/*
 * A longer operator comes before a shorter operator that it begins with.  The order is that
 * of enum graph_pred_op.
 */
static const char * const pred_ops[] = {
	"~", "!=", "==", "<=", "<", ">=", ">", "&",
};

/* The modifiers of keys, see enum graph_key_form */
static const char * const key_forms[] = { "", ".hex", ".log2" };

/* Find the modifier that begins at @p. Only keys have modifiers */
static enum graph_key_form key_form_at(const struct cond_parser *parser, const char *p)
{
	enum graph_key_form form;

	for (form = GRAPH_KEY_HEX; parser->cond->map_bits && form <= GRAPH_KEY_LOG2; form++)
		if (strstarts(p, key_forms[form]) &&
		    !graph_cond_is_name_char(p[strlen(key_forms[form])]))
			return form;
	return GRAPH_KEY_PLAIN;
}

/* Find what a name stands for, GRAPH_PRED_PARAM for most names */
static enum graph_pred_what word_of(const char *name, unsigned int len)
{
	static const struct {
		const char		*name;
		enum graph_pred_what	what;
	} words[] = {
		{ "ret", GRAPH_PRED_RET }, { "duration", GRAPH_PRED_DURATION },
		{ "error", GRAPH_PRED_ERROR }, { "COMM", GRAPH_PRED_COMM },
		{ "CPU", GRAPH_PRED_CPU }, { "PID", GRAPH_PRED_PID },
		{ "TGID", GRAPH_PRED_TGID }, { "any", GRAPH_PRED_ANY },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (graph_cond_is_word(name, len, words[i].name))
			return words[i].what;
	return GRAPH_PRED_PARAM;
}

/* Parse the digits of a number; the base is 10 if @base is 0 and the number has no prefix */
static bool parse_digits(const char *text, unsigned int len, unsigned int base, u64 *num)
{
	char digits[24];

	if (len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return !kstrtou64(digits, base, num);
}

/* Parse a number up to @max, which must not be followed by letters or digits */
static bool parse_num(const char **p, unsigned int *num, unsigned int max)
{
	const char *digits = *p;
	unsigned int len = expr_word_len(digits);
	u64 val;

	if (!isdigit(*digits) || len >= 16)
		return false;
	*p += len;
	if (!parse_digits(digits, len, 0, &val) || val > max)
		return false;
	*num = val;
	return true;
}

static int add_step(struct cond_parser *parser, struct graph_expr *expr,
		    const struct expr_step *step)
{
	if (expr->nr == GRAPH_EXPR_STEPS)
		return fail(parser, GRAPH_COND_ERR_TOO_DEEP, step->text);
	if (expr->slice)
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, step->text);
	expr->steps[expr->nr++] = *step;
	return 0;
}

/* Skip a name; returns false if there is no name */
static bool skip_word(struct cond_parser *parser)
{
	unsigned int len = isdigit(*parser->pos) ? 0 : expr_word_len(parser->pos);

	parser->pos += len;
	return len;
}

/* Parse "[N]" or "[A..B]" if one of them follows */
static int parse_index(struct cond_parser *parser, struct graph_expr *expr)
{
	struct expr_step step = { .kind = EXPR_STEP_INDEX, .text = parser->pos };
	const char *p = parser->pos + 1;
	unsigned int first, last;
	int ret;

	if (*parser->pos != '[')
		return 0;
	if (!parse_num(&p, &first, INT_MAX))
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, p);
	step.offset = first;
	ret = add_step(parser, expr, &step);
	if (ret)
		return ret;
	if (strstarts(p, "..")) {
		p += strlen("..");
		if (!parse_num(&p, &last, INT_MAX))
			return fail(parser, GRAPH_COND_ERR_BAD_EXPR, p);
		if (last < first || last - first >= ARG_ARRAY_SIZE)
			return fail(parser, GRAPH_COND_ERR_BAD_ARRAY, step.text);
		expr->elements = last - first + 1;
		expr->slice = true;
	}
	if (*p != ']')
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, p);
	parser->pos = p + 1;
	return 0;
}

static int parse_member_name(struct cond_parser *parser, struct graph_expr *expr,
			     enum expr_step_kind kind)
{
	struct expr_step step = { .kind = kind, .text = parser->pos };

	if (!skip_word(parser))
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, step.text);
	return add_step(parser, expr, &step) ?: parse_index(parser, expr);
}

/* Whether ".member" follows, not the modifier of a key */
static bool begins_member(const struct cond_parser *parser)
{
	return *parser->pos == '.' && !key_form_at(parser, parser->pos);
}

/* Parse "->member[N].member" and so on */
static int parse_members(struct cond_parser *parser, struct graph_expr *expr)
{
	int ret;

	while (strstarts(parser->pos, "->")) {
		parser->pos += strlen("->");
		ret = parse_member_name(parser, expr, EXPR_STEP_ARROW);
		while (!ret && begins_member(parser)) {
			parser->pos++;
			ret = parse_member_name(parser, expr, EXPR_STEP_DOT);
		}
		if (ret)
			return ret;
	}
	if (begins_member(parser))
		return fail(parser, GRAPH_COND_ERR_NOT_RECORD, parser->pos);
	return 0;
}

/* Parse "name" or "$argN"; the name may be a value of the task, such as "COMM" */
static int parse_param(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos;

	expr->base = p;
	if (strstarts(p, "$arg")) {
		p += strlen("$arg");
		if (!parse_num(&p, &expr->arg, GRAPH_EXPR_ARGS) || !expr->arg)
			return fail(parser, GRAPH_COND_ERR_BAD_EXPR, expr->base);
		parser->pos = p;
	} else if (!skip_word(parser)) {
		return fail(parser, *p && *p != ',' ? GRAPH_COND_ERR_BAD_EXPR :
								 GRAPH_COND_ERR_NO_EXPR, p);
	}
	expr->base_len = parser->pos - expr->base;
	expr->task = word_of(expr->base, expr->base_len);
	if (expr->task < GRAPH_PRED_COMM || expr->task > GRAPH_PRED_TGID)
		expr->task = GRAPH_PRED_PARAM;
	return 0;
}

static int parse_fetch(struct cond_parser *parser, struct graph_expr *expr,
		       unsigned int depth);

/* Parse "(STRUCT)FETCH->member" or "(STRUCT,MEMBER)FETCH->member" */
static int parse_cast(struct cond_parser *parser, struct graph_expr *expr,
		      unsigned int depth)
{
	struct expr_step step = { .kind = EXPR_STEP_CAST, .text = ++parser->pos };
	int ret;

	if (!skip_word(parser))
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, step.text);
	if (*parser->pos == ',') {
		do {
			parser->pos++;
			if (!skip_word(parser))
				return fail(parser, GRAPH_COND_ERR_BAD_EXPR,
						       parser->pos);
		} while (*parser->pos == '.');
	}
	if (*parser->pos != ')')
		return fail(parser, GRAPH_COND_ERR_NO_CLOSE, parser->pos);
	parser->pos++;
	/* The cast applies to the parameter, and members follow both */
	if (*parser->pos == '+' || *parser->pos == '-')
		ret = parse_fetch(parser, expr, depth);
	else
		ret = parse_param(parser, expr);
	ret = ret ?: add_step(parser, expr, &step);
	if (ret)
		return ret;
	if (!strstarts(parser->pos, "->"))
		return fail(parser, GRAPH_COND_ERR_NO_ARROW, parser->pos);
	return parse_members(parser, expr);
}

/* Parse the source of a value: a parameter and its members, or "+OFFSET(...)" */
static int parse_fetch(struct cond_parser *parser, struct graph_expr *expr,
		       unsigned int depth)
{
	struct expr_step step = { .kind = EXPR_STEP_OFFSET, .text = parser->pos };
	bool negative = *parser->pos == '-';
	const char *p = parser->pos;
	unsigned int offset;
	int ret;

	if (*p == '(')
		return parse_cast(parser, expr, depth);
	if (*p != '+' && *p != '-')
		return parse_param(parser, expr) ?: parse_index(parser, expr) ?:
		       parse_members(parser, expr);
	if (depth == GRAPH_EXPR_STEPS)
		return fail(parser, GRAPH_COND_ERR_TOO_DEEP, p);
	p++;
	step.user = *p == 'u';
	p += step.user;
	if (!parse_num(&p, &offset, INT_MAX))
		return fail(parser, GRAPH_COND_ERR_BAD_OFFSET, p);
	step.offset = negative ? -(s32)offset : (s32)offset;
	if (*p != '(')
		return fail(parser, GRAPH_COND_ERR_NO_OPEN, p);
	parser->pos = p + 1;
	ret = parse_fetch(parser, expr, depth + 1);
	if (ret)
		return ret;
	if (*parser->pos != ')')
		return fail(parser, GRAPH_COND_ERR_NO_CLOSE, parser->pos);
	parser->pos++;
	return add_step(parser, expr, &step);
}

/* Parse "b<width>@<offset>/<bits of the number that contains the bit-field>" */
static int parse_bits(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos + 1;
	unsigned int width, bit, size;

	if (!parse_num(&p, &width, 64) || *p++ != '@' ||
	    !parse_num(&p, &bit, 63) || *p++ != '/' ||
	    !parse_num(&p, &size, 64) || !width || width + bit > size)
		return fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
	if (size % BITS_PER_BYTE == 0)
		expr->type = expr_type_number(false, size / BITS_PER_BYTE);
	if (!expr->type)
		return fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
	expr->width = width;
	expr->bit = bit;
	parser->pos = p;
	return 0;
}

static int parse_type(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos;
	unsigned int len = expr_word_len(p);

	expr->type_text = p;
	if (*p == 'b' && isdigit(p[1]))
		return parse_bits(parser, expr);
	expr->type = expr_type_named(p, len);
	if (!expr->type)
		return fail(parser, GRAPH_COND_ERR_NO_TYPE, p);
	parser->pos += len;
	return 0;
}

/* Whether another expression of the line has the same name */
static bool is_used(const struct graph_cond *cond, const struct graph_expr *expr)
{
	const struct graph_expr *other;

	for (other = cond->exprs; other < expr; other++)
		if (other->name_len == expr->name_len &&
		    !memcmp(other->name, expr->name, expr->name_len))
			return true;
	return false;
}

/* Add an expression that begins at the parser's position to the line */
static int add_expr(struct cond_parser *parser, struct graph_expr **expr)
{
	struct graph_cond *cond = parser->cond;

	if (cond->nr_exprs == GRAPH_EXPRS_MAX)
		return fail(parser, GRAPH_COND_ERR_TOO_MANY, parser->pos);
	*expr = &cond->exprs[cond->nr_exprs++];
	return 0;
}

/* Parse "FETCH[:TYPE]" */
static int parse_expr_value(struct cond_parser *parser, struct graph_expr *expr)
{
	int ret;

	expr->type_text = parser->pos;
	ret = parse_fetch(parser, expr, 0);
	if (ret)
		return ret;
	expr->fetch_end = parser->pos;
	if (*parser->pos != ':')
		return 0;
	parser->pos++;
	return parse_type(parser, expr);
}

/* Parse an expression of a condition or a key, which becomes the line's last expression */
static int parse_expr(struct cond_parser *parser)
{
	struct graph_expr *expr;
	int ret;

	ret = add_expr(parser, &expr) ?: parse_expr_value(parser, expr);
	if (!ret && expr->slice)
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, expr->fetch_end - 1);
	return ret;
}

/* Parse the rest of "FETCH:TYPE[N]" after the type */
static int parse_elements(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos + 1;
	unsigned int nr;

	if (*parser->pos != '[' || !expr->type)
		return 0;
	if (!parse_num(&p, &nr, ARG_ARRAY_SIZE) || *p != ']' || !nr || expr->width ||
	    expr->slice || !expr->type->size || nr * expr->type->size > ARG_ARRAY_SIZE)
		return fail(parser, GRAPH_COND_ERR_BAD_ARRAY, parser->pos);
	expr->elements = nr;
	parser->pos = p + 1;
	return 0;
}

/* Parse the rest of "*FETCH", which ends the line */
static int parse_whole(struct cond_parser *parser, struct graph_expr *expr)
{
	int ret;

	expr->whole = true;
	expr->name = ++parser->pos;
	expr->type_text = parser->pos;
	ret = parse_fetch(parser, expr, 0);
	if (ret)
		return ret;
	expr->name_len = parser->pos - expr->name;
	if (expr->slice)
		return fail(parser, GRAPH_COND_ERR_BAD_EXPR, parser->pos - 1);
	if (expr->name_len > GRAPH_EXPR_LEN)
		return fail(parser, GRAPH_COND_ERR_TOO_LONG, expr->name);
	parser->pos = skip_spaces(parser->pos);
	return *parser->pos ? fail(parser, GRAPH_COND_ERR_NOT_LAST, parser->pos) : 0;
}

/* Parse "[NAME=]FETCH[:TYPE]", "[NAME=]FETCH:TYPE[N]" or "*FETCH" */
static int parse_line_expr(struct cond_parser *parser)
{
	struct graph_expr *expr;
	const char *begin = parser->pos;
	unsigned int len = expr_word_len(begin);
	bool label = begin[len] == '=';
	int ret;

	ret = add_expr(parser, &expr);
	if (ret)
		return ret;
	if (*begin == '*')
		return parse_whole(parser, expr);
	if (label) {
		if (!len || isdigit(*begin))
			return fail(parser, GRAPH_COND_ERR_BAD_LABEL, begin);
		parser->pos += len + 1;
	}
	ret = parse_expr_value(parser, expr) ?: parse_elements(parser, expr);
	if (ret)
		return ret;
	expr->name = begin;
	expr->name_len = label ? len : expr->fetch_end - begin;
	if (expr->name_len > GRAPH_EXPR_LEN)
		return fail(parser, GRAPH_COND_ERR_TOO_LONG, begin);
	if (label && is_used(parser->cond, expr))
		return fail(parser, GRAPH_COND_ERR_BAD_LABEL, begin);
	return 0;
}

/* Parse "EXPRESSION, EXPRESSION" */
static int parse_exprs(struct cond_parser *parser)
{
	int ret;

	for (;;) {
		parser->pos = skip_spaces(parser->pos);
		ret = parse_line_expr(parser);
		if (ret)
			return ret;
		parser->pos = skip_spaces(parser->pos);
		if (!*parser->pos)
			return 0;
		if (*parser->pos != ',')
			return fail(parser, GRAPH_COND_ERR_BAD_EXPR, parser->pos);
		parser->pos++;
	}
}

static u64 errno_of(const char *name, unsigned int len)
{
	int i;

	if (*name != 'E')
		return 0;
	for (i = 1; i < MAX_ERRNO; i++) {
		const char *known = errname(-i);

		/* The name of a negative number begins with the sign */
		if (known && graph_cond_is_word(name, len, known + 1))
			return i;
	}
	return 0;
}

static u64 parse_unit(const char *unit, unsigned int len)
{
	if (!len || graph_cond_is_word(unit, len, "ns"))
		return 1;
	if (graph_cond_is_word(unit, len, "us"))
		return NSEC_PER_USEC;
	if (graph_cond_is_word(unit, len, "ms"))
		return NSEC_PER_MSEC;
	if (graph_cond_is_word(unit, len, "s"))
		return NSEC_PER_SEC;
	return 0;
}

/* Count the characters of a number; a unit may follow the number */
static unsigned int number_len(const char *text, unsigned int len)
{
	unsigned int i = 0;

	if (len > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
		for (i = 2; i < len && isxdigit(text[i]); i++)
			;
		return i;
	}
	while (i < len && isdigit(text[i]))
		i++;
	return i;
}

/* Parse the decimal digits after the '.' of a duration; @scale is 10 to their number */
static bool parse_fraction(const char **text, unsigned int *len, u64 *fraction, u64 *scale)
{
	unsigned int digits;

	*fraction = 0;
	*scale = 1;
	if (!*len || **text != '.')
		return true;
	for (digits = 1; digits < *len && isdigit((*text)[digits]); digits++) {
		/* With its unit, the fraction has to fit 64 bits as well */
		if (*scale >= NSEC_PER_SEC)
			return false;
		*fraction = *fraction * 10 + (*text)[digits] - '0';
		*scale *= 10;
	}
	*text += digits;
	*len -= digits;
	return digits > 1;
}

/* Add the unit, with or without a fraction before it, to the number of a duration */
static bool parse_duration_rest(struct graph_pred *pred, const char *text, unsigned int len)
{
	u64 fraction, scale, unit;

	if (!parse_fraction(&text, &len, &fraction, &scale))
		return false;
	unit = parse_unit(text, len);
	fraction *= unit;
	/* A part of a nanosecond cannot be compared */
	if (!unit || fraction % scale || check_mul_overflow(pred->number, unit, &pred->number))
		return false;
	return !check_add_overflow(pred->number, fraction / scale, &pred->number);
}

/* Parse the minor of a device after its major; dev_t has 12 bits of major and 20 of minor */
static bool parse_minor(struct graph_pred *pred, const char *text, unsigned int len)
{
	u64 minor;

	if ((pred->what != GRAPH_PRED_PARAM && pred->what != GRAPH_PRED_RET) ||
	    pred->negative || pred->number >= BIT(12) ||
	    len >= 8 || !parse_digits(text, len, 10, &minor) || minor >= BIT(20))
		return false;
	pred->how = 'M';
	pred->number = pred->number << 20 | minor;
	return true;
}

/* Parse the address of an IPv4 host, "10.0.2.2" */
static bool parse_address(struct graph_pred *pred, const char *text, unsigned int len)
{
	unsigned int i, digits;
	u64 val;

	if ((pred->what != GRAPH_PRED_PARAM && pred->what != GRAPH_PRED_RET &&
	     pred->what != GRAPH_PRED_EXPR) || pred->negative)
		return false;
	pred->number = 0;
	for (i = 0; i < 4; i++) {
		if (i && (!len-- || *text++ != '.'))
			return false;
		digits = number_len(text, len);
		if (!digits || digits > 3 || !parse_digits(text, digits, 10, &val) ||
		    val > 255)
			return false;
		pred->number = pred->number << 8 | val;
		text += digits;
		len -= digits;
	}
	pred->how = 'B';
	return !len;
}

/* Parse a number with its sign, or the name of an error with its sign */
static bool parse_number_value(struct graph_pred *pred)
{
	const char *text = pred->text;
	unsigned int len = pred->text_len, digits;

	if (*text == '-') {
		pred->negative = true;
		text++;
		len--;
	}
	pred->number = errno_of(text, len);
	pred->errno_name = pred->number;
	if (pred->errno_name)
		return pred->what != GRAPH_PRED_DURATION;
	digits = number_len(text, len);
	if (!digits || !parse_digits(text, digits, 0, &pred->number))
		return false;
	/* A fraction is decimal, so the number before it cannot be hexadecimal or octal */
	if (pred->what == GRAPH_PRED_DURATION && digits < len && text[digits] == '.' &&
	    digits > 1 && *text == '0')
		return false;
	if (pred->what == GRAPH_PRED_DURATION)
		return parse_duration_rest(pred, text + digits, len - digits);
	if (digits < len && text[digits] == ':')
		return parse_minor(pred, text + digits + 1, len - digits - 1);
	if (digits < len && text[digits] == '.')
		return parse_address(pred, text, len);
	return digits == len && (!pred->negative || pred->number <= BIT_ULL(63));
}

static int parse_pred_value(struct cond_parser *parser, struct graph_pred *pred)
{
	const char *begin = parser->pos, *p = begin;

	pred->text = begin;
	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);

		if (!end)
			return fail(parser, GRAPH_COND_ERR_NO_QUOTE, p);
		pred->value = GRAPH_VALUE_STRING;
		pred->text_len = end + 1 - begin;
		parser->pos = end + 1;
		pred->string = parser->cond->strings + (begin + 1 - parser->cond->line);
		parser->cond->strings[end - parser->cond->line] = '\0';
		if (pred->text_len > GRAPH_COND_STRING)
			return fail(parser, GRAPH_COND_ERR_TOO_LONG, p);
		if (pred->op > GRAPH_OP_EQ)
			return fail(parser, GRAPH_COND_ERR_BAD_OP, p);
		if (pred->what == GRAPH_PRED_PARAM)
			pred->expr = parser->cond->nr_texts++;
		if (pred->what == GRAPH_PRED_PARAM || pred->what == GRAPH_PRED_EXPR ||
		    pred->what == GRAPH_PRED_COMM || pred->what == GRAPH_PRED_RET)
			return 0;
		return fail(parser, GRAPH_COND_ERR_BAD_TYPE, p);
	}
	if (*p == '-')
		p++;
	/* Names of bits are joined as in a trace: "__GFP_ZERO|__GFP_HIGH" */
	while (graph_cond_is_name_char(*p) ||
	       (*p == '.' && (pred->what == GRAPH_PRED_DURATION || isdigit(*begin))) ||
	       (*p == ':' && isdigit(*begin) && isdigit(p[1])) ||
	       (*p == '|' && p > begin && graph_cond_is_name_char(p[1])))
		p++;
	pred->text_len = p - begin;
	parser->pos = p;
	if (pred->op == GRAPH_OP_GLOB)
		return fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
	if (pred->what == GRAPH_PRED_COMM)
		return fail(parser, GRAPH_COND_ERR_BAD_TYPE, begin);
	if (isalpha(*begin) || *begin == '_') {
		pred->value = GRAPH_VALUE_NAME;
		pred->number = errno_of(begin, pred->text_len);
		pred->errno_name = pred->number;
		if (graph_cond_is_word(begin, pred->text_len, "CPUS") ||
		    (pred->what != GRAPH_PRED_PARAM &&
		     pred->what != GRAPH_PRED_EXPR &&
		     pred->what != GRAPH_PRED_RET))
			return fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
		return 0;
	}
	pred->value = GRAPH_VALUE_NUMBER;
	if (!parse_number_value(pred) ||
	    (pred->what == GRAPH_PRED_DURATION && pred->negative))
		return fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
	return 0;
}

/*
 * Whether a '(' begins a cast, "(STRUCT)param->member": the parentheses have no blank,
 * and a parameter or an offset follows
 */
static bool begins_cast(const char *p)
{
	if (*p++ != '(')
		return false;
	while (graph_cond_is_name_char(*p) || *p == ',' || *p == '.')
		p++;
	return *p == ')' && (graph_cond_is_name_char(p[1]) || (p[1] && strchr("$+-", p[1])));
}

/* Whether a comparison begins with an expression instead of a name */
static bool begins_expr(const char *p)
{
	if (*p == '+' || *p == '-' || *p == '$' || *p == '(')
		return true;
	while (graph_cond_is_name_char(*p) || *p == '.')
		p++;
	return *p == ':' || strstarts(p, "->") || (*p == '[' && !GRAPH_NAMES_ELEMENTS);
}

/* Parse the left side of a comparison, or a key without its modifier */
static int parse_access(struct cond_parser *parser, struct graph_pred *pred,
			unsigned int missing)
{
	const char *p = parser->pos;
	int ret;

	pred->name = p;
	if (begins_expr(p)) {
		pred->what = GRAPH_PRED_EXPR;
		pred->expr = parser->cond->nr_exprs;
		ret = parse_expr(parser);
		pred->name_len = parser->pos - pred->name;
		return ret;
	}
	/* Only a recording has the elements of arrays, "a[1]" */
	while (graph_cond_is_name_char(*p) ||
	       (p != pred->name && (*p == '[' || *p == ']' ||
				    (*p == '.' && !key_form_at(parser, p)))))
		p++;
	pred->name_len = p - pred->name;
	parser->pos = p;
	if (!pred->name_len || isdigit(*pred->name))
		return fail(parser, missing, pred->name);
	pred->what = word_of(pred->name, pred->name_len);
	parser->cond->duration |= pred->what == GRAPH_PRED_DURATION;
	return 0;
}

static int parse_pred(struct cond_parser *parser, struct graph_pred *pred)
{
	const char *p;
	int i, ret;

	ret = parse_access(parser, pred, GRAPH_COND_ERR_NO_PRED);
	if (ret)
		return ret;
	p = skip_spaces(parser->pos);
	for (i = 0; i < ARRAY_SIZE(pred_ops); i++)
		if (strstarts(p, pred_ops[i]))
			break;
	if (i == ARRAY_SIZE(pred_ops) || strstarts(p, "&&")) {
		/* A number alone is true if it is not 0 */
		parser->pos = p;
		pred->op = GRAPH_OP_NE;
		pred->text = p;
		if ((*p && *p != ')' && !strstarts(p, "&&") && !strstarts(p, "||")) ||
		    pred->what == GRAPH_PRED_COMM || pred->what == GRAPH_PRED_ANY)
			return fail(parser, GRAPH_COND_ERR_BAD_OP, p);
		return 0;
	}
	if (pred->what == GRAPH_PRED_ERROR)
		pred->what = GRAPH_PRED_PARAM;
	if (pred->what == GRAPH_PRED_ANY && i != GRAPH_OP_EQ)
		return fail(parser, GRAPH_COND_ERR_BAD_OP, p);
	pred->op = i;
	parser->pos = skip_spaces(p + strlen(pred_ops[i]));
	return parse_pred_value(parser, pred);
}

/* How strongly an operator binds; ')' and the end of the line end all operators after a '(' */
static unsigned int op_rank(char op)
{
	static const char ops[] = "(|&!";
	const char *p = op ? strchr(ops, op) : NULL;

	return p ? 2 * (p - ops) : 1;
}

/*
 * Let each comparison of a condition tell which comparison follows. @shape is the condition in
 * postfix notation: 'p' for each comparison, and the operators '!', '&' and '|'.
 *
 * Read from its end, @shape has an operator, then its right operand, then the left one. What
 * follows the left operand is the first comparison of the right one, which was read last.
 */
static void link_preds(struct graph_cond *cond, const char *shape, unsigned int len)
{
	/* What follows each operand that was not read yet; the operator '!' has swapped it */
	u8 next[GRAPH_COND_PREDS][2] = { { GRAPH_COND_NOT_MET, GRAPH_COND_MET } };
	static const u8 right = GRAPH_COND_NOT_MET + 1;
	unsigned int nr = cond->nr_preds, depth = 0, i;

	while (len--) {
		u8 *to = next[depth], each;

		for (i = 0; i < 2; i++)
			if (to[i] == right)
				to[i] = nr;
		switch (shape[len]) {
		case 'p':
			memcpy(cond->preds[--nr].next, to, 2);
			depth--;
			break;
		case '!':
			each = to[0];
			to[0] = to[1];
			to[1] = each;
			break;
		default:
			memcpy(next[++depth], to, 2);
			to[shape[len] == '&'] = right;
			break;
		}
	}
}

/* Whether only a call that failed can meet a condition, whatever else is true */
static bool cond_wants_error(const struct graph_cond *cond)
{
	/* The comparisons that can follow, for a call without an error */
	u64 reached = 1;
	unsigned int i;

	for (i = 0; i < cond->nr_preds; i++) {
		const struct graph_pred *pred = &cond->preds[i];

		if (!(reached & BIT_ULL(i)))
			continue;
		reached |= BIT_ULL(pred->next[false]);
		if (pred->what != GRAPH_PRED_ERROR)
			reached |= BIT_ULL(pred->next[true]);
	}
	return !(reached & BIT_ULL(GRAPH_COND_MET));
}

/* Parse a condition, and put each operator after its operands */
static int parse_cond(struct cond_parser *parser)
{
	struct graph_cond *cond = parser->cond;
	char shape[GRAPH_COND_SHAPE], ops[GRAPH_COND_SHAPE];
	unsigned int nr = 0, nr_ops = 0;
	bool operand = false;
	int ret;

	for (;;) {
		const char *p = skip_spaces(parser->pos);

		parser->pos = p + 1;
		if (nr + nr_ops == GRAPH_COND_SHAPE - 1)
			return fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
		if (!operand && (*p == '!' || (*p == '(' && !begins_cast(p)))) {
			ops[nr_ops++] = *p;
			continue;
		}
		if (!operand) {
			struct graph_pred *pred = &cond->preds[cond->nr_preds];

			if (cond->nr_preds == GRAPH_COND_PREDS)
				return fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
			parser->pos = p;
			ret = parse_pred(parser, pred);
			if (ret)
				return ret;
			cond->at_entry |= pred->what < GRAPH_PRED_RET;
			cond->at_return |= pred->what >= GRAPH_PRED_RET;
			cond->nr_preds++;
			shape[nr++] = 'p';
			operand = true;
			continue;
		}
		while (nr_ops && op_rank(ops[nr_ops - 1]) >= op_rank(*p))
			shape[nr++] = ops[--nr_ops];
		if (!*p || *p == ')') {
			if (!*p && !nr_ops) {
				link_preds(cond, shape, nr);
				cond->wants_error = cond_wants_error(cond);
				return 0;
			}
			if (!*p || !nr_ops)
				return fail(parser, GRAPH_COND_ERR_PAREN, p);
			nr_ops--;
		} else if (strstarts(p, "&&") || strstarts(p, "||")) {
			parser->pos++;
			ops[nr_ops++] = *p;
			operand = false;
		} else {
			return fail(parser, GRAPH_COND_ERR_EXPECT_AND, p);
		}
	}
}

static int parse_key(struct cond_parser *parser, struct graph_pred *key)
{
	int ret;

	ret = parse_access(parser, key, GRAPH_COND_ERR_NO_KEY);
	if (ret)
		return ret;
	key->form = key_form_at(parser, parser->pos);
	parser->pos += strlen(key_forms[key->form]);
	key->value = GRAPH_VALUE_NONE;
	key->text = key->name;
	if (key->what == GRAPH_PRED_ANY)
		key->what = GRAPH_PRED_PARAM;
	if (key->what == GRAPH_PRED_PARAM)
		key->expr = parser->cond->nr_texts++;
	if (key->form != GRAPH_KEY_PLAIN &&
	    (key->what == GRAPH_PRED_ERROR || key->what == GRAPH_PRED_COMM))
		return fail(parser, GRAPH_COND_ERR_BAD_FORM, key->name);
	parser->cond->at_return |= key->what >= GRAPH_PRED_RET;
	return 0;
}

static int parse_size(struct cond_parser *parser, const char **p)
{
	unsigned int len = strcspn(*p, " \t");
	u64 nr;

	if (len >= 12 || !parse_digits(*p, len, 0, &nr) || !is_power_of_2(nr) ||
	    nr < BIT(GRAPH_MAP_BITS_MIN) || nr > BIT(GRAPH_MAP_BITS_MAX))
		return fail(parser, GRAPH_COND_ERR_BAD_SIZE, *p);
	parser->cond->map_bits = ilog2(nr);
	*p = skip_spaces(*p + len);
	return 0;
}

/* Parse the condition of a line of keys */
static int parse_if(struct cond_parser *parser, const char *p)
{
	struct graph_cond *cond = parser->cond, *only = cond->only;
	struct cond_parser rest = { .cond = only, .err = parser->err };
	int ret;

	rest.pos = only->line + (p - cond->line);
	ret = parse_cond(&rest);
	cond->at_entry |= only->at_entry;
	cond->at_return |= only->at_return;
	cond->duration |= only->duration;
	return ret;
}

/* Parse "KEY,KEY size=N if CONDITION" */
static int parse_keys(struct cond_parser *parser)
{
	struct graph_cond *cond = parser->cond;
	const char *p;
	int ret;

	cond->map_bits = GRAPH_MAP_BITS;
	memset(cond->key_sizes, GRAPH_KEY_TEXT_SIZE, sizeof(cond->key_sizes));
	for (;;) {
		parser->pos = skip_spaces(parser->pos);
		if (cond->nr_preds == GRAPH_COND_KEYS)
			return fail(parser, GRAPH_COND_ERR_TOO_MANY, parser->pos);
		ret = parse_key(parser, &cond->preds[cond->nr_preds]);
		if (ret)
			return ret;
		cond->nr_preds++;
		p = skip_spaces(parser->pos);
		if (*p != ',')
			break;
		parser->pos = p + 1;
	}
	if (strstarts(p, "size=")) {
		p += strlen("size=");
		ret = parse_size(parser, &p);
		if (ret)
			return ret;
	}
	if (strstarts(p, "if") && !graph_cond_is_name_char(p[2]))
		return parse_if(parser, p + strlen("if"));
	return *p ? fail(parser, GRAPH_COND_ERR_EXPECT_COMMA, p) : 0;
}

/* Parse "GLOB, GLOB" before the colon */
static int parse_globs(struct cond_parser *parser, const char *colon)
{
	struct graph_cond *cond = parser->cond;
	const char *p = cond->line;
	size_t len;

	/* A digit would be an index */
	if (isdigit(*p) || *p == '!')
		return fail(parser, GRAPH_COND_ERR_NO_GLOB, p);
	for (;; p = skip_spaces(p + 1)) {
		len = strcspn(p, " \t,:");
		if (!len)
			return fail(parser, GRAPH_COND_ERR_NO_GLOB, p);
		if (cond->nr_globs == GRAPH_COND_GLOBS)
			return fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
		cond->globs[cond->nr_globs++] = cond->strings + (p - cond->line);
		cond->strings[p + len - cond->line] = '\0';
		p = skip_spaces(p + len);
		if (p == colon)
			return 0;
		if (*p != ',')
			return fail(parser, GRAPH_COND_ERR_GLOBS, p);
	}
}

static int parse_line(struct cond_parser *parser, enum graph_lines kind)
{
	static int (* const parse_rest[])(struct cond_parser *parser) = {
		[GRAPH_LINES_FILTER]	= parse_cond,
		[GRAPH_LINES_HIST]	= parse_keys,
		[GRAPH_LINES_EXPRS]	= parse_exprs,
	};
	struct graph_cond *cond = parser->cond;
	const char *colon = strchr(cond->line, ':');
	const char *module;
	size_t len;
	int ret;

	if (!colon)
		return fail(parser, GRAPH_COND_ERR_NO_COLON,
			    cond->line + strlen(cond->line));
	ret = parse_globs(parser, colon);
	if (ret)
		return ret;
	if (strstarts(colon, ":mod:")) {
		module = colon + strlen(":mod:");
		len = strcspn(module, " \t:");
		colon = skip_spaces(module + len);
		if (!len || *colon != ':')
			return fail(parser, GRAPH_COND_ERR_NO_COLON, colon);
		cond->module = cond->strings + (module - cond->line);
		cond->strings[module + len - cond->line] = '\0';
	}
	parser->pos = colon + 1;
	return parse_rest[kind](parser);
}

/**
 * graph_parse - parse a line
 * @cond: the line; its @line, @strings and @exprs are allocated, and its @only for keys
 * @kind: the file of the line
 * @err: the error if this fails
 *
 * Return: 0 or -EINVAL.
 */
int graph_parse(struct graph_cond *cond, enum graph_lines kind, struct graph_cond_error *err)
{
	struct cond_parser parser = { .cond = cond, .err = err };

	return parse_line(&parser, kind);
}

/* Convert a number to a type; returns false if the number does not fit */
static bool fit_number(u64 *val, const struct graph_pred *pred, const struct arg_field *found)
{
	unsigned int bits = found->size * BITS_PER_BYTE;

	*val = pred->negative ? -pred->number : pred->number;
	if (found->sign) {
		if (pred->negative ? pred->number > BIT_ULL(63) : pred->number >= BIT_ULL(63))
			return false;
		return sign_extend64(*val, bits - 1) == *val;
	}
	if (pred->negative && pred->number)
		return false;
	return bits == 64 || *val < BIT_ULL(bits);
}

/*
 * Find the number that names joined by '|' stand for, as in a trace. The bits that have no
 * name follow the names as a number, "CLONE_VM|0x11".
 */
static bool join_names(u64 *val, const struct graph_pred *pred, const struct arg_field *found,
		       bool (*find)(void *data, const char *name, unsigned int len, u64 *val),
		       void *data)
{
	const char *name = pred->text, *end = name + pred->text_len;
	unsigned int bits = found->size * BITS_PER_BYTE;
	u64 each;

	for (*val = 0; name < end; name++) {
		unsigned int len = 0;

		while (name + len < end && name[len] != '|')
			len++;
		if (isdigit(*name)) {
			if (!parse_digits(name, len, 0, &each) || (bits < 64 && each >> bits))
				return false;
		} else if (found->how == 'G' && graph_cond_is_word(name, len, "none")) {
			/* A trace shows a gfp_t without flags as "none" */
			each = 0;
		} else if (!find(data, name, len, &each)) {
			return false;
		}
		*val |= each;
		name += len;
	}
	if (found->sign)
		*val = sign_extend64(*val, bits - 1);
	return true;
}

/**
 * graph_pred_number - find the number that a comparison compares with
 * @val: set to the number, sign-extended if the type is signed
 * @pred: the comparison
 * @found: the left side's type, how it is written, its size and its sign
 * @find: finds the value of one name, returns false if the type has no such name
 * @data: passed to @find
 *
 * Return: 0, or the error if the number or the name does not suit the type.
 */
unsigned int graph_pred_number(u64 *val, const struct graph_pred *pred,
			       const struct arg_field *found,
			       bool (*find)(void *data, const char *name, unsigned int len,
					    u64 *val),
			       void *data)
{
	bool pointer = *found->type == 'P';

	if (pred->how && (found->how != pred->how || found->size != sizeof(u32)))
		return GRAPH_COND_ERR_BAD_TYPE;
	if (pred->value == GRAPH_VALUE_NUMBER) {
		/* A pointer or an unsigned long can have the number of an error */
		if (pred->errno_name && pred->negative && !found->sign &&
		    found->size == sizeof(u64)) {
			*val = -pred->number;
			return 0;
		}
		return fit_number(val, pred, found) ? 0 : GRAPH_COND_ERR_RANGE;
	}
	if (graph_cond_is_word(pred->text, pred->text_len, pointer ? "NULL" : "false")) {
		*val = 0;
		return pointer || *found->type == 'b' ? 0 : GRAPH_COND_ERR_NO_NAME;
	}
	if (*found->type == 'b' && graph_cond_is_word(pred->text, pred->text_len, "true")) {
		*val = 1;
		return 0;
	}
	if (join_names(val, pred, found, find, data))
		return 0;
	return pred->errno_name ? GRAPH_COND_ERR_NO_SIGN : GRAPH_COND_ERR_NO_NAME;
}

/**
 * graph_pred_decides - whether the begin of a longer string decides a comparison
 * @pred: the comparison of a string
 * @len: the known bytes of the string
 *
 * No value in a condition is longer than GRAPH_COND_STRING.
 *
 * Return: true if so, false otherwise.
 */
bool graph_pred_decides(const struct graph_pred *pred, unsigned int len)
{
	unsigned int stop;

	if (pred->op != GRAPH_OP_GLOB)
		return len >= GRAPH_COND_STRING;
	/* "text*" needs only the bytes of "text" */
	stop = strcspn(pred->string, "*?[\\");
	return pred->string[stop] == '*' && stop && !pred->string[stop + 1] && stop <= len;
}
