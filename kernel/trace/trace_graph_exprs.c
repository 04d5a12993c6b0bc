// SPDX-License-Identifier: GPL-2.0
/*
 * Lines "GLOB: EXPRESSION, ..." of func_args_expr, and expressions in conditions
 *
 * The expressions are those of fprobe events.  A line is parsed once.  The parser knows no
 * function: a program of the line is made for each type of function that the line covers.
 * The places of parameters come from the functions' signatures.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_args_fields.h"
#include "trace_args_table.h"
#include "trace_args_text.h"
#include "trace_graph_conds.h"
#include "trace_graph_progs.h"

/* Expressions of a line, and steps and characters of an expression */
#define GRAPH_EXPRS_MAX		16
#define GRAPH_EXPR_STEPS	16
#define GRAPH_EXPR_LEN		255

/* Bits of call_expr::user */
static_assert(ARG_DIGEST_OFFSETS <= BITS_PER_BYTE);

/**
 * struct expr_type - a type that the value of an expression may have
 * @name: its name
 * @type: the type in a description, see Documentation/trace/arg-sigs-format.rst
 * @size: its bytes, 0 for text
 * @user: the text is in user space
 */
struct expr_type {
	const char	*name;
	const char	*type;
	u8		size;
	bool		user;
};

/* "D" stands for a number that is written decimal */
static const struct expr_type expr_types[] = {
	{ "x64", "m", 8 }, { "x32", "j", 4 }, { "x16", "t", 2 }, { "x8", "h", 1 },
	{ "u64", "Du64;m", 8 }, { "u32", "Du32;j", 4 }, { "u16", "Du16;t", 2 },
	{ "u8", "Du8;h", 1 }, { "s64", "Ds64;l", 8 }, { "s32", "Ds32;i", 4 },
	{ "s16", "Ds16;s", 2 }, { "s8", "Ds8;a", 1 }, { "char", "c", 1 },
	{ "symbol", "PFv_", 8 }, { "string", "Pc", 0 }, { "ustring", "Pc", 0, true },
};

/* The type of an expression without one, as fprobe events have it */
static const struct expr_type *const default_type = &expr_types[0];

/**
 * struct expr_step - a pointer on the way to the value of an expression
 * @text: the place in the line
 * @offset: from where the pointer points
 * @user: this is in user space
 * @member: a member of a structure is named instead of the offset
 */
struct expr_step {
	const char	*text;
	s32		offset;
	bool		user;
	bool		member;
};

/**
 * struct graph_expr - an expression
 * @name: its name as it is shown
 * @name_len: characters of @name
 * @base: the name of the parameter, or "$argN"
 * @base_len: characters of @base
 * @arg: the number of the parameter if @base is "$argN", else 0
 * @nr: number of @steps
 * @steps: the pointers on the way, beginning with the parameter
 * @type: the type of the value, NULL if there is none
 * @fetch_end: where the expression ends in the line, before the type
 * @type_text: the place of the type, or of the expression, in the line
 * @width: bits of a bit-field, 0 for others
 * @bit: the lowest bit of a bit-field
 */
struct graph_expr {
	const char		*name;
	unsigned int		name_len;
	const char		*base;
	unsigned int		base_len;
	unsigned int		arg;
	unsigned int		nr;
	struct expr_step	steps[GRAPH_EXPR_STEPS];
	const struct expr_type	*type;
	const char		*fetch_end;
	const char		*type_text;
	u8			width;
	u8			bit;
};

static unsigned int word_len(const char *p)
{
	unsigned int len = 0;

	while (graph_cond_is_name_char(p[len]))
		len++;
	return len;
}

/* Parse a number, which ends where letters and digits end, up to @max */
static bool parse_num(const char **p, unsigned int *num, unsigned int max)
{
	unsigned int len = word_len(*p);
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

/* Parse "->member", ".member" and so on */
static int parse_members(struct cond_parser *parser, struct graph_expr *expr)
{
	int ret;

	while (strstarts(parser->pos, "->") || *parser->pos == '.') {
		struct expr_step step = { .member = true };

		parser->pos += *parser->pos == '.' ? 1 : 2;
		step.text = parser->pos;
		parser->pos += word_len(step.text);
		if (parser->pos == step.text || isdigit(*step.text))
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, step.text);
		ret = add_step(parser, expr, &step);
		if (ret)
			return ret;
	}
	return 0;
}

/* Parse "name" or "$argN", and the members behind it */
static int parse_base(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos;

	expr->base = p;
	if (strstarts(p, "$arg")) {
		p += strlen("$arg");
		if (!parse_num(&p, &expr->arg, U8_MAX) || !expr->arg)
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_EXPR, expr->base);
	} else {
		p += word_len(p);
		if (p == expr->base || isdigit(*expr->base))
			return graph_cond_fail(parser, *expr->base && *expr->base != ',' ?
					       GRAPH_COND_ERR_BAD_EXPR :
					       GRAPH_COND_ERR_NO_EXPR, expr->base);
	}
	expr->base_len = p - expr->base;
	parser->pos = p;
	return parse_members(parser, expr);
}

/* Parse what a value is fetched from: a parameter, or "+OFFSET(...)" */
static int parse_fetch(struct cond_parser *parser, struct graph_expr *expr,
		       unsigned int depth)
{
	struct expr_step step = { .text = parser->pos };
	bool negative = *parser->pos == '-';
	const char *p = parser->pos;
	unsigned int offset;
	int ret;

	if (*p != '+' && *p != '-')
		return parse_base(parser, expr);
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

/* Parse "b<width>@<offset>/<bits of the number that has it>" */
static int parse_bits(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos + 1;
	unsigned int width, bit, size;

	if (!parse_num(&p, &width, 64) || *p++ != '@' ||
	    !parse_num(&p, &bit, 63) || *p++ != '/' ||
	    !parse_num(&p, &size, 64) || !width || width + bit > size)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
	for (expr->type = expr_types; expr->type->name[0] != 's'; expr->type++)
		if (expr->type->name[0] == 'u' && expr->type->size * BITS_PER_BYTE == size)
			break;
	if (expr->type->name[0] == 's')
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_BITS, parser->pos);
	expr->width = width;
	expr->bit = bit;
	parser->pos = p;
	return 0;
}

static int parse_type(struct cond_parser *parser, struct graph_expr *expr)
{
	const char *p = parser->pos;
	unsigned int i, len = word_len(p);

	expr->type_text = p;
	if (*p == 'b' && isdigit(p[1]))
		return parse_bits(parser, expr);
	for (i = 0; i < ARRAY_SIZE(expr_types); i++) {
		if (!graph_cond_is_word(p, len, expr_types[i].name))
			continue;
		expr->type = &expr_types[i];
		parser->pos += len;
		return 0;
	}
	return graph_cond_fail(parser, GRAPH_COND_ERR_NO_TYPE, p);
}

/* Whether a name is that of another expression of the line */
static bool is_used(const struct graph_cond *cond, const struct graph_expr *expr)
{
	const struct graph_expr *other;

	for (other = cond->exprs; other < expr; other++)
		if (other->name_len == expr->name_len &&
		    !memcmp(other->name, expr->name, expr->name_len))
			return true;
	return false;
}

/* Add an expression to the line, which begins at the parser's place */
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
static int parse_value(struct cond_parser *parser, struct graph_expr *expr)
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
 * The expression is "FETCH[:TYPE]", which becomes the line's last expression.
 *
 * Return: 0, or an error.
 */
int graph_expr_parse(struct cond_parser *parser)
{
	struct graph_expr *expr;

	return add_expr(parser, &expr) ?: parse_value(parser, expr);
}

/* Parse "[NAME=]FETCH[:TYPE]" */
static int parse_expr(struct cond_parser *parser)
{
	struct graph_expr *expr;
	const char *begin = parser->pos;
	unsigned int len = word_len(begin);
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
	ret = parse_value(parser, expr);
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

/* Parse "EXPRESSION, EXPRESSION" */
static int parse_exprs(struct cond_parser *parser)
{
	int ret;

	for (;;) {
		parser->pos = skip_spaces(parser->pos);
		ret = parse_expr(parser);
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

/**
 * struct expr_builder - an expression that is compiled for a function
 * @expr: the expression
 * @to: the expression, compiled
 * @type: the type of its value
 * @offsets: the offset of each pointer, from where the pointer before points
 * @nr: how many offsets there are
 * @err: the error
 * @line: the line
 */
struct expr_builder {
	const struct graph_expr	*expr;
	struct call_expr	*to;
	const struct expr_type	*type;
	s32			offsets[ARG_DIGEST_OFFSETS];
	unsigned int		nr;
	struct graph_cond_error	*err;
	const char		*line;
};

static int build_fail(struct expr_builder *builder, unsigned int nr, const char *pos)
{
	builder->err->nr = nr;
	builder->err->pos = pos - builder->line;
	return -EINVAL;
}

/* Find the parameter that an expression begins with */
static int build_base(struct expr_builder *builder, const struct arg_sig_hold *hold)
{
	const struct graph_expr *expr = builder->expr;
	const char *name = expr->base;
	unsigned int len = expr->base_len;
	struct arg_field field;
	int ret = -ENOENT;

	if (expr->arg)
		name = arg_sig_param_name(hold->sig, expr->arg, &len);
	if (name)
		ret = arg_sig_find(&field, hold->sig, hold->types, name, len);
	if (ret == -ENOENT)
		return build_fail(builder, GRAPH_COND_ERR_NO_FIELD, expr->base);
	if (ret || field.size > sizeof(long) || field.offset % sizeof(long))
		return build_fail(builder, GRAPH_COND_ERR_NO_BASE, expr->base);
	builder->to->index = field.offset / sizeof(long);
	builder->to->unused = BITS_PER_LONG - field.size * BITS_PER_BYTE;
	builder->to->sign = field.sign;
	return 0;
}

static int build_steps(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;
	const struct expr_step *step;

	for (step = expr->steps; step < expr->steps + expr->nr; step++) {
		if (step->member)
			return build_fail(builder, GRAPH_COND_ERR_NO_LAYOUT, step->text);
		if (builder->nr == ARG_DIGEST_OFFSETS)
			return build_fail(builder, GRAPH_COND_ERR_TOO_DEEP, step->text);
		if (step->user)
			builder->to->user |= BIT(builder->nr);
		builder->offsets[builder->nr++] = step->offset;
	}
	return 0;
}

/* Make the part that is read behind the parameter */
static int build_part(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;
	const struct expr_type *type = builder->type;
	struct object_part *to = &builder->to->part;
	struct arg_part part = { .nr = builder->nr, .type = type->type };

	builder->to->deref = builder->nr;
	if (!type->size) {
		if (!builder->nr)
			return build_fail(builder, GRAPH_COND_ERR_NO_TEXT, expr->type_text);
		if (type->user)
			builder->to->user |= BIT(builder->nr - 1);
		to->nr = builder->nr - 1;
		memcpy(to->offsets, builder->offsets, sizeof(to->offsets));
		to->last = to->offsets[to->nr];
		to->size = FUNC_ARGS_MAX_STRING_SIZE;
		return 0;
	}
	/* A value in the parameter is compiled as one that the parameter points to */
	if (!part.nr)
		part.nr = 1;
	memcpy(part.offsets, builder->offsets, sizeof(part.offsets));
	part.width = expr->width;
	part.bit = expr->bit;
	if (expr->width) {
		/* The bytes that the bit-field is in */
		part.offsets[part.nr - 1] += expr->bit / BITS_PER_BYTE;
		if (!builder->nr)
			part.bit = 0;
	}
	if (!object_part_compile(to, &part))
		return build_fail(builder, GRAPH_COND_ERR_BAD_BITS, expr->type_text);
	if (!builder->nr && expr->width)
		to->shift = expr->bit;
	return 0;
}

/* The descriptions of a line's expressions */
static char *make_text(const struct graph_cond *cond,
		       const struct expr_type *const *types)
{
	size_t size = 1;
	unsigned int i;
	char *text, *p;

	for (i = 0; i < cond->nr_exprs; i++)
		size += strlen(types[i]->type) + cond->exprs[i].name_len + strlen(";");
	text = kmalloc(size, GFP_KERNEL);
	for (i = 0, p = text; text && i < cond->nr_exprs; i++)
		p += sprintf(p, "%s%.*s;", types[i]->type, cond->exprs[i].name_len,
			     cond->exprs[i].name);
	return text;
}

/* Compile expression @nr of a line for a function */
static int build_expr(struct call_expr *to, const struct expr_type **type,
		      const struct graph_cond *cond, unsigned int nr,
		      const struct arg_sig_hold *hold, struct graph_cond_error *err)
{
	struct expr_builder builder = {
		.expr	= &cond->exprs[nr],
		.to	= to,
		.type	= cond->exprs[nr].type ?: default_type,
		.err	= err,
		.line	= cond->line,
	};

	*type = builder.type;
	return build_base(&builder, hold) ?: build_steps(&builder) ?: build_part(&builder);
}

/**
 * graph_expr_compile - compile an expression of a condition for a function
 * @to: the expression, compiled
 * @field: its value: the type, the bytes, and whether it is text
 * @cond: the line
 * @nr: the number of the expression in the line
 * @hold: the function's signature
 * @err: the error if this fails
 *
 * Return: 0; -EINVAL if the expression does not suit the function.
 */
int graph_expr_compile(struct call_expr *to, struct arg_field *field,
		       const struct graph_cond *cond, unsigned int nr,
		       const struct arg_sig_hold *hold, struct graph_cond_error *err)
{
	const struct expr_type *type;
	int ret;

	ret = build_expr(to, &type, cond, nr, hold, err);
	if (ret)
		return ret;
	*field = (struct arg_field){ .size = type->size, .string = !type->size };
	field->type = arg_type_behind(type->type, &field->how);
	field->sign = arg_type_is_signed(field->type);
	return 0;
}

static int build_exprs(struct call_exprs *exprs, const struct graph_cond *cond,
		       const struct arg_sig_hold *hold, struct graph_cond_error *err)
{
	const struct expr_type *types[GRAPH_EXPRS_MAX];
	unsigned int i;
	int ret;

	for (i = 0; i < cond->nr_exprs; i++) {
		ret = build_expr(&exprs->exprs[i], &types[i], cond, i, hold, err);
		if (ret)
			return ret;
	}
	exprs->text = make_text(cond, types);
	return exprs->text ? 0 : -ENOMEM;
}

static bool same_exprs(const struct call_exprs *a, const struct call_exprs *b)
{
	return !strcmp(a->text, b->text) &&
	       !memcmp(a->exprs, b->exprs, a->nr * sizeof(a->exprs[0]));
}

/* Find the program of a line for a function; -EINVAL if the line does not apply */
static struct graph_prog *make_prog(struct graph_cond *cond, unsigned long ip,
				    const struct arg_sig_hold *hold,
				    struct graph_cond_error *err)
{
	struct graph_prog *prog, *old;
	struct call_exprs *exprs;
	int ret;

	if (!hold->sig) {
		err->nr = GRAPH_COND_ERR_NO_SIG;
		err->pos = 0;
		return ERR_PTR(-EINVAL);
	}
	exprs = kzalloc(struct_size(exprs, exprs, cond->nr_exprs), GFP_KERNEL);
	prog = kzalloc(sizeof(*prog), GFP_KERNEL);
	if (!exprs || !prog) {
		kfree(exprs);
		kfree(prog);
		return ERR_PTR(-ENOMEM);
	}
	prog->cond = cond;
	prog->exprs = exprs;
	exprs->nr = cond->nr_exprs;
	exprs->id = CALL_EXPRS_NONE;
	ret = build_exprs(exprs, cond, hold, err);
	if (ret) {
		graph_prog_free(prog);
		return ERR_PTR(ret);
	}
	list_for_each_entry(old, &cond->progs, list) {
		if (same_exprs(old->exprs, exprs)) {
			graph_prog_free(prog);
			return old;
		}
	}
	list_add_tail(&prog->list, &cond->progs);
	return prog;
}

/**
 * graph_exprs_parse - parse a line of func_args_expr
 * @line: "GLOB: EXPRESSION, ...", without blanks around it
 * @err: the error if this fails
 *
 * Return: the line, or an error.
 */
struct graph_cond *graph_exprs_parse(const char *line, struct graph_cond_error *err)
{
	struct graph_cond *cond = graph_cond_make(line, err, parse_exprs);

	if (!IS_ERR(cond))
		cond->make_prog = make_prog;
	return cond;
}
EXPORT_SYMBOL_IF_KUNIT(graph_exprs_parse);
