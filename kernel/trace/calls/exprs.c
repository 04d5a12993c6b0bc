// SPDX-License-Identifier: GPL-2.0
/*
 * Lines "GLOB: EXPRESSION, ..." of func_args_expr, and expressions in conditions
 *
 * The expressions have the syntax of fprobe events.  A line is parsed once.  The parser
 * does not look at functions.  calls/exprs_build.c makes a program of the line for
 * each type of function that the line covers.
 *
 * tools/tracing/calls/exprs.c evaluates the same expressions by DWARF.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "conds.h"
#include "exprs_build.h"

/* The modifiers of keys, see enum graph_key_form */
const char * const graph_key_forms[] = { "", ".hex", ".log2" };

/**
 * graph_key_form_at - find the modifier of a key
 * @parser: the line; only keys have modifiers
 * @p: the place in the line
 *
 * Return: the modifier that begins at @p, or GRAPH_KEY_PLAIN.
 */
enum graph_key_form graph_key_form_at(const struct cond_parser *parser, const char *p)
{
	enum graph_key_form form;

	for (form = GRAPH_KEY_HEX; parser->cond->map_bits && form <= GRAPH_KEY_LOG2; form++)
		if (strstarts(p, graph_key_forms[form]) &&
		    !graph_cond_is_name_char(p[strlen(graph_key_forms[form])]))
			return form;
	return GRAPH_KEY_PLAIN;
}

/**
 * graph_cond_word - find what a name stands for
 * @name: the name
 * @len: characters of @name
 *
 * Return: what the word stands for, GRAPH_PRED_PARAM for any other name.
 */
enum graph_pred_what graph_cond_word(const char *name, unsigned int len)
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

/* Parse a number up to @max, which must not be followed by letters or digits */
static bool parse_num(const char **p, unsigned int *num, unsigned int max)
{
	unsigned int len = expr_word_len(*p);
	char digits[16];

	if (!isdigit(**p) || len >= sizeof(digits))
		return false;
	memcpy(digits, *p, len);
	digits[len] = '\0';
	*p += len;
	return !kstrtouint(digits, 0, num) && *num <= max;
}

static int add_step(struct cond_parser *parser, struct graph_expr *expr,
		    const struct expr_step *step)
{
	if (expr->nr == GRAPH_EXPR_STEPS)
		return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_DEEP, step->text);
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

static int parse_member_name(struct cond_parser *parser, struct graph_expr *expr,
			     enum expr_step_kind kind)
{
	struct expr_step step = { .kind = kind, .text = parser->pos };

	if (!skip_word(parser))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, step.text);
	return add_step(parser, expr, &step);
}

/* Whether ".member" follows, not the modifier of a key */
static bool begins_member(const struct cond_parser *parser)
{
	return *parser->pos == '.' && !graph_key_form_at(parser, parser->pos);
}

/* Parse "->member.member" and so on */
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
		return graph_cond_fail(parser, GRAPH_COND_ERR_NOT_RECORD, parser->pos);
	return 0;
}

/* Parse "name" or "$argN"; the name may be a value of the task, such as "COMM" */
static int parse_param(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos;

	expr->base = p;
	if (strstarts(p, "$arg")) {
		p += strlen("$arg");
		if (!parse_num(&p, &expr->arg, U8_MAX) || !expr->arg)
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, expr->base);
		parser->pos = p;
	} else if (!skip_word(parser)) {
		return graph_cond_fail(parser, *p && *p != ',' ? GRAPH_COND_ERR_BAD_EXPR :
								 GRAPH_COND_ERR_NO_EXPR, p);
	}
	expr->base_len = parser->pos - expr->base;
	expr->task = graph_cond_word(expr->base, expr->base_len);
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
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, step.text);
	if (*parser->pos == ',') {
		do {
			parser->pos++;
			if (!skip_word(parser))
				return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR,
						       parser->pos);
		} while (*parser->pos == '.');
	}
	if (*parser->pos != ')')
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_CLOSE, parser->pos);
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
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_ARROW, parser->pos);
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
		return parse_param(parser, expr) ?: parse_members(parser, expr);
	if (depth == GRAPH_EXPR_STEPS)
		return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_DEEP, p);
	p++;
	step.user = *p == 'u';
	p += step.user;
	if (!parse_num(&p, &offset, S32_MAX))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OFFSET, p);
	step.offset = negative ? -(s32)offset : (s32)offset;
	if (*p != '(')
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_OPEN, p);
	parser->pos = p + 1;
	ret = parse_fetch(parser, expr, depth + 1);
	if (ret)
		return ret;
	if (*parser->pos != ')')
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_CLOSE, parser->pos);
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
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
	if (size % BITS_PER_BYTE == 0)
		expr->type = expr_type_number(false, size / BITS_PER_BYTE);
	if (!expr->type)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
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
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_TYPE, p);
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

	if (!cond->exprs)
		cond->exprs = kcalloc(GRAPH_EXPRS_MAX, sizeof(*cond->exprs), GFP_KERNEL);
	if (!cond->exprs)
		return -ENOMEM;
	if (cond->nr_exprs == GRAPH_EXPRS_MAX)
		return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, parser->pos);
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

/**
 * graph_expr_parse - parse an expression of a condition
 * @parser: the line
 *
 * The expression, "FETCH[:TYPE]", becomes the line's last expression.
 *
 * Return: 0, or an error.
 */
int graph_expr_parse(struct cond_parser *parser)
{
	struct graph_expr *expr;

	return add_expr(parser, &expr) ?: parse_expr_value(parser, expr);
}

/* Parse "[NAME=]FETCH[:TYPE]" */
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
	if (label) {
		if (!len || isdigit(*begin))
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_LABEL, begin);
		parser->pos += len + 1;
	}
	ret = parse_expr_value(parser, expr);
	if (ret)
		return ret;
	expr->name = begin;
	expr->name_len = label ? len : expr->fetch_end - begin;
	if (expr->name_len > GRAPH_EXPR_LEN)
		return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_LONG, begin);
	if (label && is_used(parser->cond, expr))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_LABEL, begin);
	return 0;
}

/**
 * graph_exprs_parse_all - parse "EXPRESSION, EXPRESSION"
 * @parser: the line
 *
 * Return: 0, or an error.
 */
int graph_exprs_parse_all(struct cond_parser *parser)
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
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, parser->pos);
		parser->pos++;
	}
}
