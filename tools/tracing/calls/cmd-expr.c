// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls expr: translate expressions of func_args_expr with names of members to expressions
 * with offsets, by DWARF
 *
 * The kernel's parser parses the expressions, see filter-parse.c, and the kernel's code follows
 * their steps, see exprs-steps.c.
 */
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "arrays.h"
#include "calls.h"
#include "images.h"
#include "layouts.h"

static struct options options = {
	.usage = "expr [OPTIONS] VMLINUX FUNCTION EXPRESSIONS\n\n"
		 "Write a line of func_args_expr with offsets instead of names of members, for a\n"
		 "kernel without BTF. VMLINUX is the kernel's vmlinux, or the module with the\n"
		 "function. The file needs debug info.\n",
	.unfiltered = "expressions",
	.examples = "trace-calls expr vmlinux vfs_read 'file->f_inode->i_ino, file->f_pos' \\\n"
		    "\t> /sys/kernel/tracing/func_args_expr\n",
};

/**
 * struct translation - a line of expressions that is being translated
 * @cond: the line
 * @text: the expressions
 * @layouts: the layouts of structures
 * @func: the function
 * @labels: the names of expressions that get a name
 */
struct translation {
	struct graph_cond	cond;
	const char		*text;
	struct expr_layouts	layouts;
	Dwarf_Die		func;
	char			*labels[GRAPH_EXPRS_MAX];
};

/* Find a parameter by its name or its number */
static bool find_param(Dwarf_Die *func, const char *name, unsigned int len, unsigned int nr,
		       Dwarf_Die *param)
{
	if (dwarf_child(func, param))
		return false;
	do {
		if (dwarf_tag(param) != DW_TAG_formal_parameter)
			continue;
		if (nr ? !--nr : die_is_named(param, name, len))
			return true;
	} while (!dwarf_siblingof(param, param));
	return false;
}

/* Whether a parameter is a number or a pointer */
static bool is_scalar(const struct expr_ctype *type)
{
	enum expr_class class;
	unsigned int size;

	class = expr_class_of(type, &size);
	return class == EXPR_CLASS_POINTER ||
	       (class != EXPR_CLASS_OTHER && expr_type_number(false, size));
}

/* Find the type of the numbers or pointers that a parameter points to, NULL if there are none */
static const struct expr_type *type_pointed_to(const struct expr_ctype *pointer)
{
	struct expr_ctype type = *pointer, to;
	enum expr_class class;
	unsigned int size;

	if (dwarf_tag(&type.die) != DW_TAG_pointer_type || !die_type(&type.die, &to.die))
		return NULL;
	if (dwarf_tag(&to.die) == DW_TAG_pointer_type)
		return expr_type_named("x64", strlen("x64"));
	class = expr_class_of(&to, &size);
	return dwarf_tag(&to.die) == DW_TAG_base_type && class != EXPR_CLASS_OTHER ?
	       expr_type_number(class == EXPR_CLASS_SIGNED, size) : NULL;
}

/* Find the parameter that an expression begins with */
static int find_base(struct expr_builder *builder, Dwarf_Die *func, struct expr_ctype *type)
{
	const struct graph_expr *expr = builder->expr;
	Dwarf_Die param;

	if (expr->task) {
		/* Only the kernel has the place of the value in the task */
		builder->nr = expr->task == GRAPH_PRED_COMM;
		return 0;
	}
	if (!find_param(func, expr->base, expr->base_len, expr->arg, &param))
		return expr_fail(builder, GRAPH_COND_ERR_NO_FIELD, expr->base);
	if (!die_type(&param, &type->die) || !is_scalar(type))
		return expr_fail(builder, GRAPH_COND_ERR_NO_BASE, expr->base);
	builder->param = type;
	builder->to = type_pointed_to(type);
	return 0;
}

/* Write an expression with its offsets and its type */
static void put_expr(const struct expr_builder *builder, FILE *to)
{
	const struct graph_expr *expr = builder->expr;
	unsigned int nr = expr->task ? 0 : builder->nr, i;

	for (i = nr; i-- > 0;) {
		long offset = builder->offsets[i];

		fprintf(to, "%c%s%#lx(", offset < 0 ? '-' : '+',
			builder->user & BIT(i) ? "u" : "", labs(offset));
	}
	fprintf(to, "%.*s", (int)expr->base_len, expr->base);
	for (i = 0; i < nr; i++)
		fputc(')', to);
	if (expr->type)
		fprintf(to, ":%.*s", (int)strcspn(expr->type_text, ", \t\n\v\f\r"),
			expr->type_text);
	else if (builder->width)
		fprintf(to, ":b%u@%u/%u", builder->width, builder->bit,
			builder->type->size * BITS_PER_BYTE);
	else if (builder->last || (nr && builder->to))
		fprintf(to, ":%s", builder->type->name);
	if (expr->slice)
		fprintf(to, "[%u]", expr->elements);
}

static bool has_label(const struct graph_expr *expr)
{
	return expr->name[expr->name_len] == '=';
}

static bool is_used(const struct graph_cond *cond, const char *name)
{
	unsigned int i;

	for (i = 0; i < cond->nr_exprs; i++)
		if (graph_cond_is_word(cond->exprs[i].name, cond->exprs[i].name_len, name))
			return true;
	return false;
}

/* Name an expression after its last member. A name that is used gets a number. */
static void name_expr(struct graph_cond *cond, struct graph_expr *expr, char **label)
{
	const char *last = NULL;
	unsigned int i, nr;

	for (i = 0; i < expr->nr; i++)
		if (expr->steps[i].kind == EXPR_STEP_ARROW || expr->steps[i].kind == EXPR_STEP_DOT)
			last = expr->steps[i].text;
	if (!last || has_label(expr) || expr->whole)
		return;
	*label = xstrndup(last, expr_word_len(last));
	for (nr = 2; is_used(cond, *label); nr++) {
		free(*label);
		if (asprintf(label, "%.*s_%u", (int)expr_word_len(last), last, nr) < 0)
			out_of_memory();
	}
	expr->name = *label;
	expr->name_len = strlen(*label);
}

/* Find the function in the source that has the parameters of a traced function */
static char *source_name(const char *func)
{
	static const char * const wrappers[] = { "__x64_", "__ia32_", "__arm64_" };
	const char *call;
	char *name;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrappers); i++) {
		call = strstarts(func, wrappers[i]) ? func + strlen(wrappers[i]) : "";
		if (!strstarts(call, "sys_") && !strstarts(call, "compat_sys_"))
			continue;
		if (asprintf(&name, "__do_%s", call) < 0)
			out_of_memory();
		return name;
	}
	/* A clone by gcc has the name of the function and a suffix */
	return xstrndup(func, strcspn(func, "."));
}

static struct expr_builder builder_of(struct translation *line, const struct graph_expr *expr,
				      struct graph_cond_error *err)
{
	return (struct expr_builder){
		.expr	= expr,
		.layouts = &line->layouts,
		.err	= err,
		.line	= line->cond.line,
	};
}

/*
 * Translate an expression, and write @before and its label before it. Returns false after the
 * reason is set in @err
 */
static bool translate_expr(struct translation *line, const struct graph_expr *expr,
			   const char *before, struct graph_cond_error *err, FILE *to)
{
	struct expr_builder builder = builder_of(line, expr, err);
	struct expr_ctype type;

	if (find_base(&builder, &line->func, &type) || expr_follow(&builder))
		return false;
	fputs(before, to);
	if (has_label(expr))
		fprintf(to, "%.*s=", (int)expr->name_len, expr->name);
	put_expr(&builder, to);
	return true;
}

/* Translate the members of a structure, "*FETCH". A member's label is its path, with '_' */
static bool translate_whole(struct translation *line, unsigned int nr,
			    struct graph_cond_error *err, FILE *to)
{
	const struct graph_expr *whole = &line->cond.exprs[nr];
	struct expr_names names = { .max = GRAPH_EXPRS_MAX - nr };
	struct expr_builder builder = builder_of(line, whole, err);
	struct graph_cond_error ignored;
	const char *before = "", *name;
	struct expr_ctype type;
	struct graph_expr expr;
	char *label, *p;

	if (find_base(&builder, &line->func, &type) || expr_whole(&builder, &names))
		return false;
	for (name = names.text; *name; name += strlen(name) + 1) {
		if (!expr_of_member(&expr, whole, name))
			continue;
		if (asprintf(&label, "%s=", name) < 0)
			out_of_memory();
		for (p = label; (p = strchr(p, '.'));)
			*p = '_';
		expr.name = label;
		expr.name_len = strlen(name);
		if (translate_expr(line, &expr, before, &ignored, to))
			before = ", ";
		free(label);
	}
	if (names.cut)
		complain("%.*s: not all members of the structure", (int)whole->name_len,
			 whole->name);
	return true;
}

/* Translate the line for a function, whose debug info is in @line */
static bool translate_line(struct translation *line, FILE *to)
{
	const struct graph_cond *cond = &line->cond;
	struct graph_cond_error err;
	unsigned int i;

	for (i = 0; i < cond->nr_exprs; i++) {
		if (i)
			fputs(", ", to);
		if (line->labels[i])
			fprintf(to, "%s=", line->labels[i]);
		if (cond->exprs[i].whole ? !translate_whole(line, i, &err, to) :
		    !translate_expr(line, &cond->exprs[i], "", &err, to)) {
			line_complain(&err, line->text, strlen(EVERY));
			return false;
		}
	}
	return true;
}

/* Translate the line for all functions of a name, which have to have the same offsets */
static char *translate_all(struct translation *line, const char *func)
{
	char *name = source_name(func), *result = NULL, *each;
	Dwarf *dwarf = line->layouts.dwarf;
	Dwarf_Off off = 0, next;
	Dwarf_Die unit, param;
	size_t header, size;
	FILE *to;
	bool good = true;

	for (; good && !dwarf_nextcu(dwarf, off, &next, &header, NULL, NULL, NULL); off = next) {
		if (!dwarf_offdie(dwarf, off + header, &unit) || dwarf_child(&unit, &line->func))
			continue;
		do {
			if (dwarf_tag(&line->func) != DW_TAG_subprogram ||
			    !die_is_named(&line->func, name, strlen(name)) ||
			    dwarf_hasattr(&line->func, DW_AT_declaration) ||
			    !find_param(&line->func, NULL, 0, 1, &param))
				continue;
			to = allocated(open_memstream(&each, &size));
			good = translate_line(line, to);
			fclose(to);
			if (good && result && strcmp(result, each)) {
				complain("%s: several functions of this name differ", func);
				good = false;
			}
			free(result);
			result = each;
		} while (good && !dwarf_siblingof(&line->func, &line->func));
	}
	if (!result)
		complain("%s: no such function with parameters", func);
	free(name);
	if (good)
		return result;
	free(result);
	return NULL;
}

/*
 * Replace names of members by offsets in a function's expressions.  Returns the expressions, which
 * the caller frees.  Returns NULL after a message if the expressions are not valid, or if functions
 * of this name differ.
 */
static char *translate(Dwarf *dwarf, const char *func, const char *text)
{
	struct translation line = { .text = text, .layouts.dwarf = dwarf };
	struct graph_cond *cond = &line.cond;
	struct graph_cond_error err;
	char *result = NULL;
	unsigned int i;

	/* The parser needs functions before the expressions */
	if (asprintf(&cond->line, EVERY "%s", text) < 0)
		out_of_memory();
	if (line_parse(cond, GRAPH_LINES_EXPRS, &err)) {
		line_complain(&err, text, strlen(EVERY));
	} else {
		for (i = 0; i < cond->nr_exprs; i++)
			name_expr(cond, &cond->exprs[i], &line.labels[i]);
		result = translate_all(&line, func);
	}
	for (i = 0; i < GRAPH_EXPRS_MAX; i++)
		free(line.labels[i]);
	line_free(cond);
	return result;
}

static bool expr_put_line(const char *file, const char *func, const char *text)
{
	Dwfl *dwfl = allocated(dwfl_begin(&image_callbacks));
	Dwfl_Module *mod = dwfl_report_offline(dwfl, "", file, -1);
	Dwarf_Addr bias;
	Dwarf *dwarf;
	char *result;
	bool good;

	dwfl_report_end(dwfl, NULL, NULL);
	dwarf = mod ? dwfl_module_getdwarf(mod, &bias) : NULL;
	if (!dwarf) {
		complain("%s: %s", file, dwfl_errmsg(-1));
		dwfl_end(dwfl);
		return false;
	}
	result = translate(dwarf, func, text);
	good = result;
	if (good)
		out_printf("%s: %s\n", func, result);
	free(result);
	dwfl_end(dwfl);
	return good;
}

int cmd_expr(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 3);

	if (first < 0)
		return ~first;
	return out_close(expr_put_line(argv[first], argv[first + 1], argv[first + 2]) ?
			 STATUS_GOOD : STATUS_FAILED);
}
