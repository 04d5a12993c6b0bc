// SPDX-License-Identifier: GPL-2.0
/*
 * Parse lines about calls: "GLOB: CONDITION" of set_graph_filter, and "GLOB: KEYS" of
 * set_graph_hist.  trace_graph_exprs.c parses expressions, which are part of a condition
 * or a line of func_args_expr.
 *
 * A line is parsed once.  The parser does not look at functions.  trace_graph_progs.c
 * makes a program of the line for each type of function that the line covers.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/trace_events.h>

#include <kunit/visibility.h>

#include "trace.h"
#include "trace_graph_conds.h"
#include "trace_graph_progs.h"
#include "tracing_map.h"

const char *graph_cond_errors[] = {
	[GRAPH_COND_ERR_NONE]		= "No error",
	[GRAPH_COND_ERR_NO_COLON]	= "Missing ':' behind the functions",
	[GRAPH_COND_ERR_NO_GLOB]	= "Missing functions before ':'",
	[GRAPH_COND_ERR_NO_FUNC]	= "No function has such a name",
	[GRAPH_COND_ERR_TOO_LONG]	= "Line is too long",
	[GRAPH_COND_ERR_TOO_MANY]	= "Too many lines or comparisons",
	[GRAPH_COND_ERR_NOT_SET]	= "No such line is set",
	[GRAPH_COND_ERR_NO_PRED]	= "Comparison is missing",
	[GRAPH_COND_ERR_BAD_OP]		= "Invalid operator",
	[GRAPH_COND_ERR_BAD_VALUE]	= "Invalid value (did you forget quotes?)",
	[GRAPH_COND_ERR_NO_QUOTE]	= "Missing matching quote",
	[GRAPH_COND_ERR_PAREN]		= "Parentheses do not match",
	[GRAPH_COND_ERR_EXPECT_AND]	= "Expected '&&' or '||'",
	[GRAPH_COND_ERR_NO_KEY]		= "Key is missing",
	[GRAPH_COND_ERR_EXPECT_COMMA]	= "Expected ',' or 'size='",
	[GRAPH_COND_ERR_BAD_FORM]	= "Modifier does not suit the key",
	[GRAPH_COND_ERR_BAD_SIZE]	= "Invalid size",
	[GRAPH_COND_ERR_OTHER_LINES]	= "set_graph_filter and set_graph_hist exclude each other",
	[GRAPH_COND_ERR_NO_EXPR]	= "Expression is missing",
	[GRAPH_COND_ERR_BAD_EXPR]	= "Invalid expression",
	[GRAPH_COND_ERR_BAD_LABEL]	= "Invalid or used name",
	[GRAPH_COND_ERR_BAD_OFFSET]	= "Invalid offset",
	[GRAPH_COND_ERR_NO_OPEN]	= "Expected '(' behind the offset",
	[GRAPH_COND_ERR_NO_CLOSE]	= "Missing matching ')'",
	[GRAPH_COND_ERR_NO_ARROW]	= "Expected '->' behind the cast",
	[GRAPH_COND_ERR_NO_TYPE]	= "Unknown type",
	[GRAPH_COND_ERR_BAD_BITS]	= "Invalid bit-field",
	[GRAPH_COND_ERR_NO_SIG]		= "Functions have no signature",
	[GRAPH_COND_ERR_NO_RET]		= "No function returns a number or a pointer",
	[GRAPH_COND_ERR_NO_ERROR]	= "No function returns an error",
	[GRAPH_COND_ERR_NO_FIELD]	= "No function has such a parameter",
	[GRAPH_COND_ERR_NO_VALUE]	= "Parameter is not recorded or not comparable",
	[GRAPH_COND_ERR_BAD_TYPE]	= "Illegal comparison for the parameter's type",
	[GRAPH_COND_ERR_BAD_KEY]	= "Strings, COMM and CPU cannot be keys",
	[GRAPH_COND_ERR_RANGE]		= "Value does not fit the parameter's type",
	[GRAPH_COND_ERR_NO_NAME]	= "No such enumerator",
	[GRAPH_COND_ERR_NO_BASE]	= "Parameter is not recorded, or no number and no pointer",
	[GRAPH_COND_ERR_NO_LAYOUT]	= "Layouts of structures are not known: write +OFFSET(...)",
	[GRAPH_COND_ERR_NO_POINTER]	= "No pointer to a structure: write (STRUCT) before it",
	[GRAPH_COND_ERR_NO_RECORD]	= "No such structure",
	[GRAPH_COND_ERR_SEVERAL]	= "Structures of this name differ: write +OFFSET(...)",
	[GRAPH_COND_ERR_NO_MEMBER]	= "Structure has no such member",
	[GRAPH_COND_ERR_NOT_RECORD]	= "This is no structure in memory",
	[GRAPH_COND_ERR_NO_NUMBER]	= "Member is no number, pointer or text: write a type",
	[GRAPH_COND_ERR_NO_TEXT]	= "Text has to be in memory: write +OFFSET(...)",
	[GRAPH_COND_ERR_NOT_TEXT]	= "Member is no array of char and no pointer to char",
	[GRAPH_COND_ERR_TOO_DEEP]	= "Too many steps to the value",
	[GRAPH_COND_ERR_NO_MEM]		= "Out of memory",
};

/* A longer operator comes before a shorter operator that it begins with */
static const char * const pred_ops[] = {
	"~", "!=", "==", "<=", "<", ">=", ">", "&",
};

/**
 * graph_cond_fail - note an error in a line
 * @parser: the line
 * @nr: the number of the error
 * @pos: the place of the error
 *
 * Return: -EINVAL.
 */
int graph_cond_fail(struct cond_parser *parser, unsigned int nr, const char *pos)
{
	parser->err->nr = nr;
	parser->err->pos = pos - parser->cond->line;
	return -EINVAL;
}

static u64 errno_of(const char *name, unsigned int len)
{
	int i;

	if (*name != 'E')
		return 0;
	for (i = 1; i < MAX_ERRNO; i++) {
		const char *known = errname(i);

		if (known && graph_cond_is_word(name, len, known))
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

/* Parse a number with its sign, or the name of an error with its sign */
static bool parse_number_value(struct graph_pred *pred)
{
	const char *text = pred->text;
	unsigned int len = pred->text_len, digits;
	char number[24];
	u64 unit = 1;

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
	if (!digits || digits >= sizeof(number))
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (kstrtou64(number, 0, &pred->number))
		return false;
	if (pred->what == GRAPH_PRED_DURATION)
		unit = parse_unit(text + digits, len - digits);
	else if (digits != len)
		return false;
	if (!unit || (pred->negative && pred->number > BIT_ULL(63)))
		return false;
	return !check_mul_overflow(pred->number, unit, &pred->number);
}

static int parse_pred_value(struct cond_parser *parser, struct graph_pred *pred)
{
	const char *begin = parser->pos, *p = begin;

	pred->text = begin;
	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);

		if (!end)
			return graph_cond_fail(parser, GRAPH_COND_ERR_NO_QUOTE, p);
		pred->value = GRAPH_VALUE_STRING;
		pred->text_len = end + 1 - begin;
		parser->pos = end + 1;
		if (pred->text_len >= MAX_FILTER_STR_VAL)
			return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_LONG, p);
		if (strcmp(pred->op, "~") && strcmp(pred->op, "==") &&
		    strcmp(pred->op, "!="))
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OP, p);
		if (pred->what == GRAPH_PRED_PARAM ||
		    pred->what == GRAPH_PRED_EXPR ||
		    pred->what == GRAPH_PRED_COMM)
			return 0;
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_TYPE, p);
	}
	if (*p == '-')
		p++;
	while (graph_cond_is_name_char(*p))
		p++;
	pred->text_len = p - begin;
	parser->pos = p;
	if (!strcmp(pred->op, "~"))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
	if (pred->what == GRAPH_PRED_COMM)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_TYPE, begin);
	if (isalpha(*begin) && !errno_of(begin, pred->text_len)) {
		pred->value = GRAPH_VALUE_NAME;
		if (graph_cond_is_word(begin, pred->text_len, "CPUS") ||
		    (pred->what != GRAPH_PRED_PARAM &&
		     pred->what != GRAPH_PRED_EXPR &&
		     pred->what != GRAPH_PRED_RET))
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
		return 0;
	}
	pred->value = GRAPH_VALUE_NUMBER;
	if (!parse_number_value(pred) ||
	    (pred->what == GRAPH_PRED_DURATION && pred->negative))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
	return 0;
}

static enum graph_pred_what pred_what(const struct graph_pred *pred)
{
	if (graph_cond_is_word(pred->name, pred->name_len, "ret"))
		return GRAPH_PRED_RET;
	if (graph_cond_is_word(pred->name, pred->name_len, "duration"))
		return GRAPH_PRED_DURATION;
	if (graph_cond_is_word(pred->name, pred->name_len, "COMM"))
		return GRAPH_PRED_COMM;
	if (graph_cond_is_word(pred->name, pred->name_len, "CPU"))
		return GRAPH_PRED_CPU;
	return GRAPH_PRED_PARAM;
}

/* Parse the name of a comparison or of a key */
static int parse_pred_name(struct cond_parser *parser, struct graph_pred *pred,
			   unsigned int missing)
{
	const char *p = parser->pos;

	pred->name = p;
	while (graph_cond_is_name_char(*p) || (*p == '.' && p != pred->name))
		p++;
	pred->name_len = p - pred->name;
	parser->pos = p;
	if (!pred->name_len || isdigit(*pred->name))
		return graph_cond_fail(parser, missing, pred->name);
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
	return *p == ':' || strstarts(p, "->");
}

static int parse_pred_expr(struct cond_parser *parser, struct graph_pred *pred)
{
	int ret;

	pred->what = GRAPH_PRED_EXPR;
	pred->name = parser->pos;
	pred->expr = parser->cond->nr_exprs;
	ret = graph_expr_parse(parser);
	pred->name_len = parser->pos - pred->name;
	return ret;
}

static int parse_pred(struct cond_parser *parser, struct graph_pred *pred)
{
	bool expr = begins_expr(parser->pos);
	const char *p;
	int i, ret;

	ret = expr ? parse_pred_expr(parser, pred) :
		     parse_pred_name(parser, pred, GRAPH_COND_ERR_NO_PRED);
	if (ret)
		return ret;
	p = skip_spaces(parser->pos);
	for (i = 0; i < ARRAY_SIZE(pred_ops); i++)
		if (strstarts(p, pred_ops[i]))
			break;
	if (i == ARRAY_SIZE(pred_ops) || strstarts(p, "&&")) {
		/* Without an operator and a value, only the word "error" is a predicate */
		parser->pos = p;
		if (expr || !graph_cond_is_word(pred->name, pred->name_len, "error"))
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OP, p);
		pred->what = GRAPH_PRED_ERROR;
		return 0;
	}
	if (!expr)
		pred->what = pred_what(pred);
	pred->op = pred_ops[i];
	parser->pos = skip_spaces(p + strlen(pred->op));
	return parse_pred_value(parser, pred);
}

static int parse_shape(struct cond_parser *parser)
{
	struct graph_cond *cond = parser->cond;
	unsigned int nr = 0, depth = 0;
	bool operand = false;
	int ret;

	for (;;) {
		const char *p = skip_spaces(parser->pos);
		unsigned char shape = *p;

		parser->pos = p + 1;
		if (nr == GRAPH_COND_SHAPE - 1)
			return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
		if (!operand) {
			if (*p == '(' && !begins_cast(p)) {
				depth++;
			} else if (*p != '!') {
				if (cond->nr_preds == GRAPH_COND_PREDS)
					return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
				shape = GRAPH_COND_SHAPE_PRED + cond->nr_preds;
				parser->pos = p;
				ret = parse_pred(parser, &cond->preds[cond->nr_preds]);
				if (ret)
					return ret;
				if (cond->preds[cond->nr_preds].what >= GRAPH_PRED_RET)
					cond->at_return = true;
				cond->nr_preds++;
				operand = true;
			}
		} else if (!*p) {
			return depth ? graph_cond_fail(parser, GRAPH_COND_ERR_PAREN, p) : 0;
		} else if (*p == ')') {
			if (!depth)
				return graph_cond_fail(parser, GRAPH_COND_ERR_PAREN, p);
			depth--;
		} else if (strstarts(p, "&&") || strstarts(p, "||")) {
			parser->pos++;
			operand = false;
		} else {
			return graph_cond_fail(parser, GRAPH_COND_ERR_EXPECT_AND, p);
		}
		cond->shape[nr++] = shape;
	}
}

/* Remove ".log2" or ".hex" from the end of a key's name */
static void parse_form(struct graph_pred *key)
{
	static const struct {
		const char		*text;
		enum graph_key_form	form;
	} forms[] = {
		{ ".log2", GRAPH_KEY_LOG2 },
		{ ".hex", GRAPH_KEY_HEX },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		unsigned int len = strlen(forms[i].text);

		if (key->name_len > len &&
		    !memcmp(key->name + key->name_len - len, forms[i].text, len)) {
			key->name_len -= len;
			key->form = forms[i].form;
			return;
		}
	}
}

static int parse_key(struct cond_parser *parser, struct graph_pred *key)
{
	int ret;

	ret = parse_pred_name(parser, key, GRAPH_COND_ERR_NO_KEY);
	if (ret)
		return ret;
	parse_form(key);
	key->value = GRAPH_VALUE_NONE;
	key->text = key->name;
	key->what = pred_what(key);
	if (graph_cond_is_word(key->name, key->name_len, "error"))
		key->what = GRAPH_PRED_ERROR;
	if (key->what == GRAPH_PRED_COMM || key->what == GRAPH_PRED_CPU)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_KEY, key->name);
	if (key->what == GRAPH_PRED_ERROR && key->form != GRAPH_KEY_PLAIN)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_FORM, key->name);
	parser->cond->at_return |= key->what >= GRAPH_PRED_RET;
	parser->cond->duration |= key->what == GRAPH_PRED_DURATION;
	return 0;
}

static int parse_size(struct cond_parser *parser, const char *text)
{
	unsigned int nr;

	if (kstrtouint(text, 0, &nr) || !nr || nr > BIT(TRACING_MAP_BITS_MAX))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_SIZE, text);
	parser->cond->map_bits = max(order_base_2(nr), TRACING_MAP_BITS_MIN);
	return 0;
}

/* Parse "KEY,KEY size=N" */
static int parse_keys(struct cond_parser *parser)
{
	struct graph_cond *cond = parser->cond;
	const char *p;
	int ret;

	cond->map_bits = TRACING_MAP_BITS_DEFAULT;
	memset(cond->key_sizes, sizeof(u64), sizeof(cond->key_sizes));
	for (;;) {
		parser->pos = skip_spaces(parser->pos);
		if (cond->nr_preds == GRAPH_COND_KEYS)
			return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, parser->pos);
		ret = parse_key(parser, &cond->preds[cond->nr_preds]);
		if (ret)
			return ret;
		cond->nr_preds++;
		p = skip_spaces(parser->pos);
		if (*p != ',')
			break;
		parser->pos = p + 1;
	}
	if (!*p)
		return 0;
	if (strstarts(p, "size="))
		return parse_size(parser, p + strlen("size="));
	return graph_cond_fail(parser, GRAPH_COND_ERR_EXPECT_COMMA, p);
}

static int parse_line(struct cond_parser *parser,
		      int (*parse_rest)(struct cond_parser *parser))
{
	struct graph_cond *cond = parser->cond;
	const char *colon = strchr(cond->line, ':');
	const char *end;

	if (!colon)
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_COLON,
			    cond->line + strlen(cond->line));
	for (end = colon; end > cond->line && isspace(end[-1]); end--)
		;
	/* A name must not have a blank, and a digit would be an index */
	if (end == cond->line || isdigit(*cond->line) || *cond->line == '!' ||
	    strcspn(cond->line, " \t") < end - cond->line)
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_GLOB, cond->line);
	cond->glob = kmemdup_nul(cond->line, end - cond->line, GFP_KERNEL);
	if (!cond->glob)
		return -ENOMEM;
	parser->pos = colon + 1;
	return parse_rest(parser);
}

/* Whether "error" is the condition, or is joined with the rest of it only by && */
static bool cond_wants_error(const struct graph_cond *cond)
{
	const unsigned char *p;
	bool error = false;

	for (p = cond->shape; *p; p++) {
		if (*p >= GRAPH_COND_SHAPE_PRED)
			error |= cond->preds[*p - GRAPH_COND_SHAPE_PRED].what ==
				 GRAPH_PRED_ERROR;
		else if (*p != '&')
			return false;
	}
	return error;
}

/**
 * graph_cond_free - free a line with its programs and its table
 * @cond: the line, NULL for none
 */
void graph_cond_free(struct graph_cond *cond)
{
	struct graph_prog *prog, *tmp;

	if (!cond)
		return;
	list_for_each_entry_safe(prog, tmp, &cond->progs, list)
		graph_prog_free(prog);
	if (cond->map)
		tracing_map_destroy(cond->map);
	free_percpu(cond->counts);
	kfree(cond->exprs);
	kfree(cond->glob);
	kfree(cond->line);
	kfree(cond);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_free);

/**
 * graph_cond_make - parse a line
 * @line: the line, without blanks around it
 * @err: the error if this fails
 * @parse_rest: parses the text after the ':' that follows the glob
 *
 * Return: the line, or an error.
 */
struct graph_cond *graph_cond_make(const char *line, struct graph_cond_error *err,
				   int (*parse_rest)(struct cond_parser *parser))
{
	struct cond_parser parser = { .err = err };
	struct graph_cond *cond;
	int ret = -ENOMEM;

	*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_MEM };
	cond = kzalloc(sizeof(*cond), GFP_KERNEL);
	if (!cond)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&cond->progs);
	INIT_LIST_HEAD(&cond->list);
	cond->line = kstrdup(line, GFP_KERNEL);
	cond->counts = alloc_percpu(struct graph_cond_counts);
	cond->make_prog = graph_cond_prog;
	parser.cond = cond;
	if (cond->line && cond->counts)
		ret = parse_line(&parser, parse_rest);
	if (!ret) {
		cond->wants_error = cond_wants_error(cond);
		return cond;
	}
	graph_cond_free(cond);
	return ERR_PTR(ret);
}

/**
 * graph_cond_parse - parse a line of set_graph_filter
 * @line: "GLOB: CONDITION", without blanks around it
 * @err: the error if this fails
 *
 * Return: the condition, or an error.
 */
struct graph_cond *graph_cond_parse(const char *line,
				    struct graph_cond_error *err)
{
	return graph_cond_make(line, err, parse_shape);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_parse);

/**
 * graph_keys_parse - parse a line of set_graph_hist
 * @line: "GLOB: KEYS", without blanks around it
 * @err: the error if this fails
 *
 * Return: the line, without a table, or an error.
 */
struct graph_cond *graph_keys_parse(const char *line,
				    struct graph_cond_error *err)
{
	return graph_cond_make(line, err, parse_keys);
}
EXPORT_SYMBOL_IF_KUNIT(graph_keys_parse);
