// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of func_args_expr and of conditions, compiled for a type of function
 *
 * The places of parameters come from the functions' signatures, and the offsets of members
 * from BTF, see calls/exprs_steps.c.  A program has only offsets.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/overflow.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace.h"
#include "../args/capture.h"
#include "../args/table.h"
#include "../args/text.h"
#include "lines.h"

/* Bits of call_expr::user */
static_assert(ARG_DIGEST_OFFSETS <= BITS_PER_BYTE);

/* Find a value of the task. A number is like the value of a parameter */
static void build_task(struct expr_builder *builder, struct call_expr *to)
{
	static const u8 begins[] = {
		[GRAPH_PRED_COMM] = CALL_EXPR_TASK,
		[GRAPH_PRED_CPU] = CALL_EXPR_CPU,
		[GRAPH_PRED_PID] = CALL_EXPR_PID,
		[GRAPH_PRED_TGID] = CALL_EXPR_TGID,
	};

	to->index = begins[builder->expr->task];
	if (to->index == CALL_EXPR_TASK)
		builder->offsets[builder->nr++] = offsetof(struct task_struct, comm);
}

/* Find the type of the numbers or pointers that a parameter points to, NULL if there are none */
static const struct expr_type *type_pointed_to(const char *type)
{
	char how;

	type = arg_type_resolve(type, &how);
	if (*type != 'P')
		return NULL;
	type = arg_type_resolve(type + 1, &how);
	if (*type == 'P')
		return expr_type_named("x64", strlen("x64"));
	return is_basic(*type) ? expr_type_number(arg_type_is_signed(type),
						  arg_scalar_size(type)) : NULL;
}

/* Find the parameter that an expression begins with */
static int build_base(struct expr_builder *builder, struct call_expr *to,
		      const struct arg_sig_hold *hold)
{
	const struct graph_expr *expr = builder->expr;
	const char *name = expr->base, *type;
	unsigned int len = expr->base_len;
	struct arg_field field;
	int ret = -ENOENT;

	if (expr->task) {
		build_task(builder, to);
		return 0;
	}
	if (expr->arg)
		name = arg_sig_param_name(hold->sig, expr->arg, &len);
	if (name)
		ret = arg_sig_find(&field, hold->sig, hold->types, name, len);
	if (ret == -ENOENT)
		return expr_fail(builder, GRAPH_COND_ERR_NO_FIELD, expr->base);
	if (ret || field.size > sizeof(long) || field.offset % sizeof(long))
		return expr_fail(builder, GRAPH_COND_ERR_NO_BASE, expr->base);
	to->index = field.offset / sizeof(long);
	to->unused = BITS_PER_LONG - field.size * BITS_PER_BYTE;
	to->sign = field.sign;
	type = arg_sig_param_type(hold->sig, name, len);
	builder->param = type;
	builder->to = type ? type_pointed_to(type) : NULL;
	return 0;
}

/* Compile the part that is read by means of the parameter */
static int build_part(struct expr_builder *builder, struct call_expr *compiled)
{
	const struct graph_expr *expr = builder->expr;
	const struct expr_type *type = builder->type;
	struct object_part *to = &compiled->part;
	struct arg_part part = { .nr = builder->nr, .type = type->type };

	compiled->deref = builder->nr;
	compiled->user = builder->user;
	if (!type->size || expr->elements) {
		if (type->user)
			compiled->user |= BIT(builder->nr - 1);
		to->nr = builder->nr - 1;
		memcpy(to->offsets, builder->offsets, sizeof(to->offsets));
		to->last = to->offsets[to->nr];
		to->array = expr->elements;
		to->size = type->size ? type->size * expr->elements : FUNC_ARGS_MAX_STRING_SIZE;
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
		return expr_fail(builder, GRAPH_COND_ERR_BAD_BITS, expr->type_text);
	if (!builder->nr && builder->width)
		to->shift = builder->bit;
	return 0;
}

/* The bytes of the longest description of a line's expressions */
static size_t text_size(const struct graph_cond *cond)
{
	static const char longest[] = "A64_;->...;";
	size_t size = 1, each;
	unsigned int i;

	for (i = 0; i < cond->nr_exprs; i++) {
		each = sizeof(longest) + EXPR_TYPE_LEN + cond->exprs[i].name_len;
		size += each;
		if (cond->exprs[i].whole)
			size += GRAPH_EXPRS_MAX * each + EXPR_NAMES_SIZE;
	}
	return size;
}

/* Compile an expression for a function; all expressions of the line share @layouts */
static int build_expr(struct call_expr *to, const struct expr_type **type,
		      const struct graph_expr *expr, const char *line,
		      const struct arg_sig_hold *hold, struct expr_layouts *layouts,
		      struct graph_cond_error *err)
{
	struct expr_builder builder = {
		.expr	= expr,
		.layouts = layouts,
		.err	= err,
		.line	= line,
	};
	int ret;

	ret = build_base(&builder, to, hold) ?: expr_follow(&builder) ?:
	      build_part(&builder, to);
	*type = builder.type;
	return ret;
}

/**
 * struct whole - a structure whose members are compiled
 * @names: the names of the members
 * @expr: the expression of a member
 * @err: the error of a member, which is left out then
 */
struct whole {
	struct expr_names	names;
	struct graph_expr	expr;
	struct graph_cond_error	err;
};

/* Compile the members of a structure, "*FETCH", which become the last of @exprs */
static int build_whole(struct call_exprs *exprs, struct seq_buf *text,
		       const struct graph_cond *cond, const struct graph_expr *expr,
		       const struct arg_sig_hold *hold, struct expr_layouts *layouts,
		       struct graph_cond_error *err)
{
	struct whole *whole __free(kfree) = kzalloc(sizeof(*whole), GFP_KERNEL);
	struct expr_builder builder = {
		.expr	= expr,
		.layouts = layouts,
		.err	= err,
		.line	= cond->line,
	};
	unsigned int nr = cond->nr_exprs - 1;
	const struct expr_type *type;
	struct call_expr to = { };
	const char *name;
	int ret;

	if (!whole)
		return -ENOMEM;
	whole->names.max = GRAPH_EXPRS_MAX - nr;
	ret = build_base(&builder, &to, hold) ?: expr_whole(&builder, &whole->names);
	if (ret)
		return ret;
	for (name = whole->names.text; *name; name += strlen(name) + 1) {
		if (!expr_of_member(&whole->expr, expr, name) ||
		    build_expr(&exprs->exprs[nr], &type, &whole->expr, cond->line, hold,
			       layouts, &whole->err)) {
			whole->names.cut = true;
			continue;
		}
		seq_buf_printf(text, "%s%.*s->%s;", type->type, expr->name_len, expr->name,
			       name);
		nr++;
	}
	/* A value without bytes is shown as "?" */
	if (whole->names.cut)
		seq_buf_printf(text, "v%.*s->...;", expr->name_len, expr->name);
	exprs->nr = nr;
	return 0;
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
	struct expr_layouts layouts = { .ip = ip };
	/* Only a line of func_args_expr has a description */
	size_t size = cond->nr_preds ? 0 : text_size(cond);
	const struct graph_expr *expr = cond->exprs;
	struct seq_buf text = { };
	int ret = 0;
	unsigned int i;

	if (size) {
		exprs->text = kzalloc(size, GFP_KERNEL);
		if (!exprs->text)
			return -ENOMEM;
		seq_buf_init(&text, exprs->text, size);
	}
	for (i = 0; !ret && i < cond->nr_exprs; i++, expr++) {
		if (expr->whole) {
			ret = build_whole(exprs, &text, cond, expr, hold, &layouts, err);
			break;
		}
		ret = build_expr(&exprs->exprs[i], &types[i], expr, cond->line, hold, &layouts,
				 err);
		if (ret || !size)
			continue;
		if (expr->elements)
			seq_buf_printf(&text, "A%u_", expr->elements);
		seq_buf_printf(&text, "%s%.*s;", types[i]->type, expr->name_len, expr->name);
	}
	if (EXPR_HAS_LAYOUTS)
		expr_layouts_put(&layouts);
	if (!ret && size && WARN_ON_ONCE(seq_buf_has_overflowed(&text)))
		ret = -EINVAL;
	return ret;
}
