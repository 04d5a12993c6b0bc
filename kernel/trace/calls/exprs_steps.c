// SPDX-License-Identifier: GPL-2.0
/*
 * The steps of an expression, from its parameter to its value
 *
 * The offsets of members come from the layouts of structures: from BTF in the kernel, see
 * calls/exprs_btf.c, and from DWARF in trace-calls, which is built with this file.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "exprs_steps.h"

/* The default type of an expression, which is the default type of fprobe events */
static const struct expr_type *default_type(void)
{
	return expr_type_named("x64", strlen("x64"));
}

/**
 * expr_fail - note an error in an expression
 * @builder: the expression
 * @nr: the number of the error
 * @pos: the place of the error in the line
 *
 * Return: -ENOMEM or -EINVAL.
 */
int expr_fail(struct expr_builder *builder, unsigned int nr, const char *pos)
{
	builder->err->nr = nr;
	builder->err->pos = pos - builder->line;
	return nr == GRAPH_COND_ERR_NO_MEM ? -ENOMEM : -EINVAL;
}

/* Add an offset. The type of the value at the offset is not known */
static int build_offset(struct expr_builder *builder, s64 offset, bool user,
			const char *text)
{
	if (builder->nr == ARG_DIGEST_OFFSETS)
		return expr_fail(builder, GRAPH_COND_ERR_TOO_DEEP, text);
	if (offset != (s32)offset)
		return expr_fail(builder, GRAPH_COND_ERR_BAD_OFFSET, text);
	if (user)
		builder->user |= BIT(builder->nr);
	builder->offsets[builder->nr++] = offset;
	builder->param = NULL;
	builder->to = NULL;
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
		return expr_fail(builder, GRAPH_COND_ERR_NOT_RECORD, text - 1);
	err = expr_find_member(record, text, expr_word_len(text), member);
	if (err)
		return expr_fail(builder, err, text);
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
		return expr_fail(builder, err, tag);
	within = *record;
	for (;;) {
		text += expr_word_len(text);
		if (*text++ == ')')
			break;
		ret = build_member(builder, &within, text, &member, bit);
		if (ret)
			return ret;
		if (member.width)
			return expr_fail(builder, GRAPH_COND_ERR_BAD_BITS, text);
		within = member.type;
	}
	*bit = -*bit;
	return 0;
}

/* Whether the value is a member, whose type is known */
static bool is_member(const struct expr_builder *builder)
{
	return EXPR_HAS_LAYOUTS && builder->last;
}

/* Find the structure that the value points to */
static int build_pointed(struct expr_builder *builder, const char *arrow,
			 struct expr_ctype *record)
{
	unsigned int err = GRAPH_COND_ERR_NO_POINTER;

	if (is_member(builder))
		err = expr_pointed_record(&builder->ctype, record);
	else if (builder->param)
		err = expr_param_record(builder->layouts, builder->param, record);
	return err ? expr_fail(builder, err, arrow) : 0;
}

/* Go to the numbers at @step that a parameter points to */
static int build_param_index(struct expr_builder *builder, const struct expr_step *step)
{
	const struct expr_type *to = builder->to;
	int ret;

	if (!builder->param || !to)
		return expr_fail(builder, GRAPH_COND_ERR_NO_ELEMENT, step->text);
	ret = build_offset(builder, (s64)step->offset * to->size, false, step->text);
	builder->to = to;
	return ret;
}

/*
 * Go to the elements at @step of an array, or of the numbers that a pointer points to. @type is set
 * to the elements' type. @bit is the bit offset of the array, then of the first element
 */
static int build_index(struct expr_builder *builder, const struct expr_step *step,
		       struct expr_ctype *type, s64 *bit)
{
	const struct graph_expr *expr = builder->expr;
	bool last = step + 1 == expr->steps + expr->nr;
	unsigned int nr, size;
	int ret;

	if (expr_class_of(type, &size) == EXPR_CLASS_POINTER) {
		ret = build_offset(builder, *bit / BITS_PER_BYTE, false, step->text);
		if (ret)
			return ret;
		*bit = 0;
	}
	nr = expr_find_element(type, &size);
	if (step->offset >= nr || (last && expr->slice && expr->elements > nr - step->offset))
		return expr_fail(builder, GRAPH_COND_ERR_NO_ELEMENT, step->text);
	*bit += (s64)step->offset * size * BITS_PER_BYTE;
	return 0;
}

/*
 * Make an offset of "->member[N].member", which may follow a cast. Sets @step to the next
 * step.
 */
static int build_members(struct expr_builder *builder, const struct expr_step **step)
{
	const struct expr_step *end = builder->expr->steps + builder->expr->nr, *first;
	struct expr_member member = { };
	struct expr_ctype record;
	s64 bit = 0;
	int ret;

	if (!EXPR_HAS_LAYOUTS || !expr_layouts_get(builder->layouts))
		return expr_fail(builder, GRAPH_COND_ERR_NO_LAYOUT, (*step)->text);
	if ((*step)->kind == EXPR_STEP_CAST)
		ret = build_cast(builder, (*step)++->text, &record, &bit);
	else
		ret = build_pointed(builder, (*step)->text - strlen("->"), &record);
	first = *step;
	while (!ret) {
		ret = build_member(builder, &record, (*step)->text, &member, &bit);
		(*step)++;
		if (!ret && *step != end && (*step)->kind == EXPR_STEP_INDEX)
			ret = build_index(builder, (*step)++, &member.type, &bit);
		record = member.type;
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
		} else if (step->kind == EXPR_STEP_INDEX) {
			ret = build_param_index(builder, step++);
		} else {
			ret = build_members(builder, &step);
		}
	}
	return ret;
}

static const struct expr_type *text_type(void)
{
	return expr_type_named("string", strlen("string"));
}

/* The type of an expression without a type is the type of the member */
static const struct expr_type *member_type(const struct expr_builder *builder)
{
	unsigned int size;

	if (!is_member(builder))
		return builder->to;
	if (builder->width) {
		size = roundup_pow_of_two(max(builder->bit + builder->width, BITS_PER_BYTE));
		return expr_type_number(false, size / BITS_PER_BYTE);
	}
	switch (expr_class_of(&builder->ctype, &size)) {
	case EXPR_CLASS_SIGNED:
		return expr_type_number(true, size);
	case EXPR_CLASS_UNSIGNED:
		return expr_type_number(false, size);
	case EXPR_CLASS_POINTER:
		return default_type();
	case EXPR_CLASS_TEXT:
		return text_type();
	default:
		return NULL;
	}
}

/* Find the type of the elements of "[A..B]". The type in the line may only change the notation */
static int build_slice(struct expr_builder *builder)
{
	const struct expr_type *type = member_type(builder), *want = builder->expr->type;
	const struct expr_step *last = &builder->expr->steps[builder->expr->nr - 1];

	if (!type || !type->size)
		return expr_fail(builder, GRAPH_COND_ERR_NO_NUMBER, last->text);
	if (want && (want->size != type->size || builder->expr->width))
		return expr_fail(builder, GRAPH_COND_ERR_NO_ELEMENT, builder->expr->type_text);
	if (type->size * builder->expr->elements > ARG_ARRAY_SIZE)
		return expr_fail(builder, GRAPH_COND_ERR_BAD_ARRAY, last->text);
	/* Bytes are hexadecimal */
	if (type == expr_type_number(false, 1))
		type = expr_type_named("x8", strlen("x8"));
	builder->type = want ?: type;
	return 0;
}

/* Set the place of a text: the text of a pointer to char is where the pointer points */
static int build_text(struct expr_builder *builder)
{
	const char *text = builder->expr->type_text;
	enum expr_text where = EXPR_TEXT_HERE;

	if (is_member(builder))
		where = expr_text_of(&builder->ctype);
	else if (builder->param && builder->to && builder->to->size == 1)
		where = EXPR_TEXT_BEHIND;
	if (where == EXPR_TEXT_NONE)
		return expr_fail(builder, GRAPH_COND_ERR_NOT_TEXT, text);
	if (where == EXPR_TEXT_BEHIND)
		return build_offset(builder, 0, false, text);
	return builder->nr ? 0 : expr_fail(builder, GRAPH_COND_ERR_NO_TEXT, text);
}

static int build_type(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;

	builder->type = expr->type;
	if (expr->slice)
		return build_slice(builder);
	if (expr->type || !is_member(builder)) {
		builder->width = expr->width;
		builder->bit = expr->bit;
		if (!expr->type && expr->task)
			builder->type = expr->task == GRAPH_PRED_COMM ?
				text_type() : expr_type_number(true, sizeof(s32));
		else if (!expr->type)
			builder->type = builder->nr && builder->to ? builder->to : default_type();
	} else {
		builder->type = member_type(builder);
		if (!builder->type)
			return expr_fail(builder, GRAPH_COND_ERR_NO_NUMBER, builder->last);
	}
	/* What follows the name in the task is not the task's name */
	if ((expr->elements && !builder->nr) ||
	    (expr->task && expr->elements * builder->type->size > GRAPH_KEY_COMM_SIZE))
		return expr_fail(builder, GRAPH_COND_ERR_BAD_ARRAY, expr->type_text);
	return builder->type->size ? 0 : build_text(builder);
}

/**
 * expr_follow - follow the steps of an expression to its value
 * @builder: the expression, with its parameter, or with the offset of a value of the task
 *
 * Sets the offsets, the type, and the bits of a bit-field.
 *
 * Return: 0 or an error.
 */
int expr_follow(struct expr_builder *builder)
{
	const struct graph_expr *expr = builder->expr;

	if (expr->task && expr->nr)
		return expr_fail(builder, GRAPH_COND_ERR_NO_BASE, expr->base);
	return build_steps(builder) ?: build_type(builder);
}

/* Maximum nesting of structures in a structure */
#define WHOLE_DEPTH	8

/* Add the name of a member */
static void add_name(struct expr_names *names, const char *name)
{
	size_t len = strlen(name) + 1;
	char *to = names->text + names->len;

	/* The text ends with an empty name */
	if (names->nr == names->max ||
	    names->len + names->path_len + len >= sizeof(names->text)) {
		names->cut = true;
		return;
	}
	memcpy(to, names->path, names->path_len);
	memcpy(to + names->path_len, name, len);
	names->len += names->path_len + len;
	names->nr++;
}

/* Go to member @name, a structure, which may have no name. Returns false if there is no room */
static bool enter_member(struct expr_names *names, const char *name)
{
	unsigned int len = strlen(name), path_len = names->path_len;

	if (!len)
		return true;
	if (path_len + len >= sizeof(names->path))
		return false;
	memcpy(names->path + path_len, name, len);
	names->path[path_len + len] = '.';
	names->path_len = path_len + len + 1;
	return true;
}

/* List the members of a structure that are numbers, pointers or text */
static void list_members(const struct expr_ctype *record, struct expr_names *names,
			 unsigned int depth)
{
	unsigned int size, path_len = names->path_len;
	struct expr_cursor cursor = { };
	struct expr_member member;
	const char *name;

	while (expr_next_member(record, &cursor, &member, &name)) {
		if (expr_is_record(&member.type)) {
			if (!depth || !enter_member(names, name)) {
				names->cut = true;
				continue;
			}
			list_members(&member.type, names, depth - 1);
			names->path_len = path_len;
		} else if (member.width ||
			   expr_class_of(&member.type, &size) != EXPR_CLASS_OTHER) {
			if (*name)
				add_name(names, name);
		} else {
			names->cut = true;
		}
	}
}

/**
 * expr_whole - find the members of the structure that an expression "*FETCH" points to
 * @builder: the expression, with its parameter
 * @names: set to the names of the members that are numbers, pointers or text; its @max is set
 *
 * Return: 0 or an error.
 */
int expr_whole(struct expr_builder *builder, struct expr_names *names)
{
	const char *text = builder->expr->name;
	struct expr_ctype record;
	int ret;

	if (!EXPR_HAS_LAYOUTS || !expr_layouts_get(builder->layouts))
		return expr_fail(builder, GRAPH_COND_ERR_NO_LAYOUT, text);
	ret = build_steps(builder) ?: build_pointed(builder, text, &record);
	if (ret)
		return ret;
	list_members(&record, names, WHOLE_DEPTH);
	return names->nr ? 0 : expr_fail(builder, GRAPH_COND_ERR_NO_MEMBER, text);
}

/**
 * expr_of_member - make the expression of a member of a structure
 * @expr: set to the expression, which refers to @name
 * @whole: the expression of the structure
 * @name: the member: "len", "cb.next"
 *
 * Return: false if the expression would have too many steps.
 */
bool expr_of_member(struct graph_expr *expr, const struct graph_expr *whole, const char *name)
{
	struct expr_step step = { .kind = EXPR_STEP_ARROW };

	*expr = *whole;
	expr->whole = false;
	for (;;) {
		if (expr->nr == GRAPH_EXPR_STEPS)
			return false;
		step.text = name;
		expr->steps[expr->nr++] = step;
		name += expr_word_len(name);
		if (*name++ != '.')
			return true;
		step.kind = EXPR_STEP_DOT;
	}
}
