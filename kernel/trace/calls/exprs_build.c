// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of func_args_expr and of conditions, compiled for a type of function
 *
 * The places of parameters come from the functions' signatures, and the offsets of members
 * from BTF, see calls/exprs_btf.c.  A program has only offsets.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../args/table.h"
#include "../args/text.h"
#include "lines.h"

/* Bits of call_expr::user */
static_assert(ARG_DIGEST_OFFSETS <= BITS_PER_BYTE);

/* The default type of an expression, which is the default type of fprobe events */
static const struct expr_type *default_type(void)
{
	return expr_type_named("x64", strlen("x64"));
}

/**
 * struct expr_builder - an expression that is being compiled for a function
 * @expr: the expression
 * @to: the compiled expression
 * @ip: the function
 * @layouts: the layouts of structures, which are loaded when they are first needed
 * @param: the type of the parameter in the signature, while the value is the parameter
 * @ctype: the type of the value, known while the value is a member
 * @last: the name of the member, while the value is a member
 * @type: the type of the value in the description
 * @width: number of bits of a bit-field, 0 for other values
 * @bit: the lowest bit of a bit-field
 * @offsets: the offset of each pointer, from the address that the previous pointer points
 *	to
 * @nr: the number of @offsets
 * @err: the error
 * @line: the line
 */
struct expr_builder {
	const struct graph_expr	*expr;
	struct call_expr	*to;
	unsigned long		ip;
	struct expr_layouts	*layouts;
	const char		*param;
	struct expr_ctype	ctype;
	const char		*last;
	const struct expr_type	*type;
	u8			width;
	u8			bit;
	s32			offsets[ARG_DIGEST_OFFSETS];
	unsigned int		nr;
	struct graph_cond_error	*err;
	const char		*line;
};

static int build_fail(struct expr_builder *builder, unsigned int nr, const char *pos)
{
	builder->err->nr = nr;
	builder->err->pos = pos - builder->line;
	return nr == GRAPH_COND_ERR_NO_MEM ? -ENOMEM : -EINVAL;
}

/* Find a value of the task. The number of the CPU is like the value of a parameter */
static int build_task(struct expr_builder *builder)
{
	static const s32 offsets[] = {
		[GRAPH_PRED_COMM] = offsetof(struct task_struct, comm),
		[GRAPH_PRED_PID] = offsetof(struct task_struct, pid),
		[GRAPH_PRED_TGID] = offsetof(struct task_struct, tgid),
	};
	const struct graph_expr *expr = builder->expr;

	if (expr->nr)
		return build_fail(builder, GRAPH_COND_ERR_NO_BASE, expr->base);
	builder->to->index = expr->task == GRAPH_PRED_CPU ? CALL_EXPR_CPU : CALL_EXPR_TASK;
	if (expr->task != GRAPH_PRED_CPU)
		builder->offsets[builder->nr++] = offsets[expr->task];
	return 0;
}

/* Find the parameter that an expression begins with */
static int build_base(struct expr_builder *builder, const struct arg_sig_hold *hold)
{
	const struct graph_expr *expr = builder->expr;
	const char *name = expr->base;
	unsigned int len = expr->base_len;
	struct arg_field field;
	int ret = -ENOENT;

	if (expr->task)
		return build_task(builder);
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
	builder->param = arg_sig_param_type(hold->sig, name, len);
	return 0;
}

/* Add an offset. The type of the value at the offset is not known */
static int build_offset(struct expr_builder *builder, s32 offset, bool user,
			const char *text)
{
	if (builder->nr == ARG_DIGEST_OFFSETS)
		return build_fail(builder, GRAPH_COND_ERR_TOO_DEEP, text);
	if (user)
		builder->to->user |= BIT(builder->nr);
	builder->offsets[builder->nr++] = offset;
	builder->param = NULL;
	builder->ctype.btf = NULL;
	builder->last = NULL;
	return 0;
}

/*
 * Find the member at @text of @record. @bit is the bit offset of @record, then of the
 * member
 */
static int build_member(struct expr_builder *builder, const struct expr_ctype *record,
			const char *text, struct expr_member *member, s64 *bit)
{
	unsigned int err;

	/* The name follows '.', ',' or "->" */
	if (!expr_is_record(record))
		return build_fail(builder, GRAPH_COND_ERR_NOT_RECORD, text - 1);
	err = expr_find_member(record, text, expr_word_len(text), member);
	if (err)
		return build_fail(builder, err, text);
	*bit += member->bit;
	return 0;
}

/*
 * Find the structure of "(STRUCT)" or "(STRUCT,MEMBER)". @bit is set to the offset of the
 * object from the member
 */
static int build_cast(struct expr_builder *builder, const char *text,
		      struct expr_ctype *record, s64 *bit)
{
	struct expr_ctype within;
	struct expr_member member;
	const char *tag = text;
	unsigned int err;
	int ret;

	err = expr_find_record(builder->layouts, tag, expr_word_len(tag), record);
	if (err)
		return build_fail(builder, err, tag);
	within = *record;
	for (;;) {
		text += expr_word_len(text);
		if (*text++ == ')')
			break;
		ret = build_member(builder, &within, text, &member, bit);
		if (ret)
			return ret;
		if (member.width)
			return build_fail(builder, GRAPH_COND_ERR_BAD_BITS, text);
		within = member.type;
	}
	*bit = -*bit;
	return 0;
}

/* Whether the value is a member, whose type is known */
static bool is_member(const struct expr_builder *builder)
{
	return IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) && builder->ctype.btf;
}

/* Find the structure that the value points to */
static int build_pointed(struct expr_builder *builder, const char *arrow,
			 struct expr_ctype *record)
{
	unsigned int err = GRAPH_COND_ERR_NO_POINTER;

	if (builder->ctype.btf)
		err = expr_pointed_record(&builder->ctype, record);
	else if (builder->param)
		err = expr_param_record(builder->layouts, builder->param, record);
	return err ? build_fail(builder, err, arrow) : 0;
}

/*
 * Make an offset of "->member.member", which may follow a cast. Sets @step to the next
 * step.
 */
static int build_members(struct expr_builder *builder, const struct expr_step **step)
{
	const struct expr_step *end = builder->expr->steps + builder->expr->nr, *first;
	struct expr_member member;
	struct expr_ctype record;
	s64 bit = 0;
	int ret;

	if (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS) ||
	    (!builder->layouts->btf && !expr_layouts_get(builder->layouts, builder->ip)))
		return build_fail(builder, GRAPH_COND_ERR_NO_LAYOUT, (*step)->text);
	if ((*step)->kind == EXPR_STEP_CAST)
		ret = build_cast(builder, (*step)++->text, &record, &bit);
	else
		ret = build_pointed(builder, (*step)->text - strlen("->"), &record);
	first = *step;
	while (!ret) {
		ret = build_member(builder, &record, (*step)->text, &member, &bit);
		record = member.type;
		(*step)++;
		if (*step == end || (*step)->kind != EXPR_STEP_DOT)
			break;
	}
	ret = ret ?: build_offset(builder, bit >> ilog2(BITS_PER_BYTE), false, first->text);
	if (ret)
		return ret;
	builder->ctype = member.type;
	builder->last = (*step)[-1].text;
	builder->width = member.width;
	builder->bit = bit & (BITS_PER_BYTE - 1);
	return 0;
}

static int build_steps(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;
	const struct expr_step *step = expr->steps;
	int ret = 0;

	while (!ret && step < expr->steps + expr->nr) {
		if (step->kind == EXPR_STEP_OFFSET) {
			ret = build_offset(builder, step->offset, step->user, step->text);
			step++;
		} else {
			ret = build_members(builder, &step);
		}
	}
	return ret;
}

static const struct expr_type *text_type(bool user)
{
	const char *name = user ? "ustring" : "string";

	return expr_type_named(name, strlen(name));
}

/* The type of an expression without a type is the type of the member */
static const struct expr_type *member_type(const struct expr_builder *builder)
{
	unsigned int size;

	if (builder->width) {
		size = roundup_pow_of_two(DIV_ROUND_UP(builder->bit + builder->width,
						       BITS_PER_BYTE));
		return expr_type_number(false, size);
	}
	switch (expr_class_of(&builder->ctype, &size)) {
	case EXPR_CLASS_SIGNED:
		return expr_type_number(true, size);
	case EXPR_CLASS_UNSIGNED:
		return expr_type_number(false, size);
	case EXPR_CLASS_POINTER:
		return default_type();
	case EXPR_CLASS_TEXT:
		return text_type(false);
	default:
		return NULL;
	}
}

/* Whether a parameter points to char, or to any number of one byte */
static bool points_to_char(const char *type)
{
	char how;

	type = arg_type_behind(type, &how);
	if (*type != 'P')
		return false;
	type = arg_type_behind(type + 1, &how);
	return is_basic(*type) && arg_basic_types[*type - 'a'].size == 1;
}

/* Set the place of a text: the text of a pointer to char is where the pointer points */
static int build_text(struct expr_builder *builder)
{
	const char *text = builder->expr->type_text;
	enum expr_text where = EXPR_TEXT_HERE;

	if (is_member(builder))
		where = expr_text_of(&builder->ctype);
	else if (builder->param && points_to_char(builder->param))
		where = EXPR_TEXT_BEHIND;
	if (where == EXPR_TEXT_NONE)
		return build_fail(builder, GRAPH_COND_ERR_NOT_TEXT, text);
	return where == EXPR_TEXT_BEHIND ? build_offset(builder, 0, false, text) : 0;
}

static int build_type(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;

	builder->type = expr->type;
	if (expr->type || !is_member(builder)) {
		builder->width = expr->width;
		builder->bit = expr->bit;
		if (!expr->type && expr->task)
			builder->type = expr->task == GRAPH_PRED_COMM ?
					text_type(false) : expr_type_number(true, sizeof(s32));
		else if (!expr->type)
			builder->type = default_type();
	} else {
		builder->type = member_type(builder);
		if (!builder->type)
			return build_fail(builder, GRAPH_COND_ERR_NO_NUMBER, builder->last);
	}
	return builder->type->size ? 0 : build_text(builder);
}

/* Compile the part that is read by means of the parameter */
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
	/* A value in the parameter is compiled like a value that the parameter points to */
	if (!part.nr)
		part.nr = 1;
	memcpy(part.offsets, builder->offsets, sizeof(part.offsets));
	part.width = builder->width;
	part.bit = builder->bit;
	if (builder->width) {
		/* Go to the bytes that contain the bit-field */
		part.offsets[part.nr - 1] += builder->bit / BITS_PER_BYTE;
		if (!builder->nr)
			part.bit = 0;
	}
	if (!object_part_compile(to, &part))
		return build_fail(builder, GRAPH_COND_ERR_BAD_BITS, expr->type_text);
	if (!builder->nr && builder->width)
		to->shift = builder->bit;
	return 0;
}

/* Make the description of a line's expressions */
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

/*
 * Compile expression @nr of a line for a function; all expressions of the line share
 * @layouts
 */
static int build_expr(struct call_expr *to, const struct expr_type **type,
		      const struct graph_cond *cond, unsigned int nr, unsigned long ip,
		      const struct arg_sig_hold *hold, struct expr_layouts *layouts,
		      struct graph_cond_error *err)
{
	struct expr_builder builder = {
		.expr	= &cond->exprs[nr],
		.to	= to,
		.ip	= ip,
		.layouts = layouts,
		.err	= err,
		.line	= cond->line,
	};
	int ret;

	ret = build_base(&builder, hold) ?: build_steps(&builder) ?:
	      build_type(&builder) ?: build_part(&builder);
	*type = builder.type;
	return ret;
}

/**
 * graph_exprs_compile - compile the expressions of a line for a function
 * @exprs: set to the compiled expressions, and for a line of func_args_expr to their
 *	description
 * @types: set to the type of each expression
 * @cond: the line
 * @ip: the address that ftrace knows the function by
 * @hold: the function's signature
 * @err: the error if this fails
 *
 * Return: 0; -EINVAL if an expression does not fit the function, or another error.
 */
int graph_exprs_compile(struct call_exprs *exprs, const struct expr_type **types,
			const struct graph_cond *cond, unsigned long ip,
			const struct arg_sig_hold *hold, struct graph_cond_error *err)
{
	struct expr_layouts layouts = { };
	int ret = 0;
	unsigned int i;

	for (i = 0; !ret && i < cond->nr_exprs; i++)
		ret = build_expr(&exprs->exprs[i], &types[i], cond, i, ip, hold, &layouts,
				 err);
	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		expr_layouts_put(&layouts);
	if (ret || cond->nr_preds)
		return ret;
	exprs->text = make_text(cond, types);
	return exprs->text ? 0 : -ENOMEM;
}
