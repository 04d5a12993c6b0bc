// SPDX-License-Identifier: GPL-2.0
/*
 * Parse lines about calls: "GLOB: CONDITION" of set_graph_filter, and "GLOB: KEYS" and
 * "GLOB: KEYS if CONDITION" of set_graph_hist.  calls/exprs.c parses expressions, which are
 * part of a condition or a line of func_args_expr.
 *
 * A line is parsed once.  The parser does not look at functions.  calls/progs.c
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

#include "../trace.h"
#include "conds.h"
#include "progs.h"
#include "../tracing_map.h"

const char *graph_cond_errors[] = {
	[GRAPH_COND_ERR_NONE]		= "No error",
	[GRAPH_COND_ERR_NUL]		= "Line has a NUL byte",
	[GRAPH_COND_ERR_NO_COLON]	= "Missing ':' after the functions",
	[GRAPH_COND_ERR_NO_GLOB]	= "Missing functions before ':'",
	[GRAPH_COND_ERR_GLOBS]		= "Expected ':' after the glob, a line has one glob",
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
	[GRAPH_COND_ERR_EXPECT_COMMA]	= "Expected ',', 'size=' or 'if'",
	[GRAPH_COND_ERR_BAD_FORM]	= "Modifier does not suit the key",
	[GRAPH_COND_ERR_BAD_SIZE]	= "Size is no power of two from 128 to 131072",
	[GRAPH_COND_ERR_OTHER_LINES]	= "set_graph_filter and set_graph_hist exclude each other",
	[GRAPH_COND_ERR_NO_EXPR]	= "Expression is missing",
	[GRAPH_COND_ERR_BAD_EXPR]	= "Invalid expression",
	[GRAPH_COND_ERR_BAD_LABEL]	= "Invalid or used name",
	[GRAPH_COND_ERR_BAD_OFFSET]	= "Invalid offset",
	[GRAPH_COND_ERR_NO_OPEN]	= "Expected '(' after the offset",
	[GRAPH_COND_ERR_NO_CLOSE]	= "Missing matching ')'",
	[GRAPH_COND_ERR_NO_ARROW]	= "Expected '->' after the cast",
	[GRAPH_COND_ERR_NO_TYPE]	= "Unknown type",
	[GRAPH_COND_ERR_BAD_BITS]	= "Invalid bit-field",
	[GRAPH_COND_ERR_NO_SIG]		= "Functions have no signature",
	[GRAPH_COND_ERR_NO_RET]		= "No function returns a number or a pointer",
	[GRAPH_COND_ERR_NO_ERROR]	= "No function returns an error",
	[GRAPH_COND_ERR_NO_FIELD]	= "No function has such a parameter",
	[GRAPH_COND_ERR_TASK]		= "No such parameter: the task has COMM, PID, TGID and CPU",
	[GRAPH_COND_ERR_NO_VALUE]	= "Parameter is not recorded or not comparable",
	[GRAPH_COND_ERR_BAD_TYPE]	= "Illegal comparison for the parameter's type",
	[GRAPH_COND_ERR_BAD_KEY]	= "A string is no key: write +0(PARAMETER):string",
	[GRAPH_COND_ERR_RANGE]		= "Value does not fit the parameter's type",
	[GRAPH_COND_ERR_NO_NAME]	= "No such enumerator",
	[GRAPH_COND_ERR_NO_SIGN]	= "Missing '-' before the name of an error",
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

/*
 * A longer operator comes before a shorter operator that it begins with.  The order is that
 * of enum graph_pred_op.
 */
static const char * const pred_ops[] = {
	"~", "!=", "==", "<=", "<", ">=", ">", "&",
};

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

/* Parse the decimal digits after the '.' of a duration; @scale is 10 to their number */
static bool parse_fraction(const char **text, unsigned int *len, u64 *fraction, u64 *scale)
{
	unsigned int digits;

	*fraction = 0;
	*scale = 1;
	if (!*len || **text != '.')
		return true;
	for (digits = 1; digits < *len && isdigit((*text)[digits]); digits++) {
		*fraction = *fraction * 10 + (*text)[digits] - '0';
		*scale *= 10;
	}
	*text += digits;
	*len -= digits;
	/* With its unit, the fraction has to fit 64 bits as well */
	return digits > 1 && *scale <= NSEC_PER_SEC;
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
	char number[8];
	u32 minor;

	if ((pred->what != GRAPH_PRED_PARAM && pred->what != GRAPH_PRED_RET) ||
	    pred->negative || pred->number >= BIT(12) || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (kstrtou32(number, 10, &minor) || minor >= BIT(20))
		return false;
	pred->device = true;
	pred->number = pred->number << 20 | minor;
	return true;
}

/* Parse a number with its sign, or the name of an error with its sign */
static bool parse_number_value(struct graph_pred *pred)
{
	const char *text = pred->text;
	unsigned int len = pred->text_len, digits;
	char number[24];

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
		return parse_duration_rest(pred, text + digits, len - digits);
	if (digits < len && text[digits] == ':')
		return parse_minor(pred, text + digits + 1, len - digits - 1);
	return digits == len && (!pred->negative || pred->number <= BIT_ULL(63));
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
		pred->string = parser->cond->strings + (begin + 1 - parser->cond->line);
		parser->cond->strings[end - parser->cond->line] = '\0';
		if (pred->text_len >= MAX_FILTER_STR_VAL)
			return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_LONG, p);
		if (pred->op > GRAPH_OP_EQ)
			return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OP, p);
		if (pred->what == GRAPH_PRED_PARAM)
			pred->expr = parser->cond->nr_texts++;
		if (pred->what == GRAPH_PRED_PARAM ||
		    pred->what == GRAPH_PRED_EXPR ||
		    pred->what == GRAPH_PRED_COMM)
			return 0;
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_TYPE, p);
	}
	if (*p == '-')
		p++;
	/* Names of bits are joined as in a trace: "__GFP_ZERO|__GFP_HIGH" */
	while (graph_cond_is_name_char(*p) ||
	       (*p == '.' && pred->what == GRAPH_PRED_DURATION) ||
	       (*p == ':' && isdigit(*begin) && isdigit(p[1])) ||
	       (*p == '|' && p > begin && graph_cond_is_name_char(p[1])))
		p++;
	pred->text_len = p - begin;
	parser->pos = p;
	if (pred->op == GRAPH_OP_GLOB)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_VALUE, begin);
	if (pred->what == GRAPH_PRED_COMM)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_TYPE, begin);
	if (isalpha(*begin) || *begin == '_') {
		pred->value = GRAPH_VALUE_NAME;
		pred->errno_name = errno_of(begin, pred->text_len);
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
		ret = graph_expr_parse(parser);
		pred->name_len = parser->pos - pred->name;
		return ret;
	}
	while (graph_cond_is_name_char(*p) ||
	       (*p == '.' && p != pred->name && !graph_key_form_at(parser, p)))
		p++;
	pred->name_len = p - pred->name;
	parser->pos = p;
	if (!pred->name_len || isdigit(*pred->name))
		return graph_cond_fail(parser, missing, pred->name);
	pred->what = graph_cond_word(pred->name, pred->name_len);
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
		/* Without an operator and a value, only the word "error" is a predicate */
		parser->pos = p;
		return pred->what == GRAPH_PRED_ERROR ? 0 :
			graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OP, p);
	}
	if (pred->what == GRAPH_PRED_ERROR)
		pred->what = GRAPH_PRED_PARAM;
	if (pred->what == GRAPH_PRED_ANY && i != GRAPH_OP_EQ)
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_OP, p);
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
	static const u8 right = U8_MAX;
	unsigned int nr = cond->nr_preds, depth = 0, i;

	while (len--) {
		u8 *to = next[depth];

		for (i = 0; i < 2; i++)
			if (to[i] == right)
				to[i] = nr;
		switch (shape[len]) {
		case 'p':
			memcpy(cond->preds[--nr].next, to, 2);
			depth--;
			break;
		case '!':
			swap(to[0], to[1]);
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
			return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
		if (!operand && (*p == '!' || (*p == '(' && !begins_cast(p)))) {
			ops[nr_ops++] = *p;
			continue;
		}
		if (!operand) {
			struct graph_pred *pred = &cond->preds[cond->nr_preds];

			if (cond->nr_preds == GRAPH_COND_PREDS)
				return graph_cond_fail(parser, GRAPH_COND_ERR_TOO_MANY, p);
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
				return graph_cond_fail(parser, GRAPH_COND_ERR_PAREN, p);
			nr_ops--;
		} else if (strstarts(p, "&&") || strstarts(p, "||")) {
			parser->pos++;
			ops[nr_ops++] = *p;
			operand = false;
		} else {
			return graph_cond_fail(parser, GRAPH_COND_ERR_EXPECT_AND, p);
		}
	}
}

static int parse_key(struct cond_parser *parser, struct graph_pred *key)
{
	int ret;

	ret = parse_access(parser, key, GRAPH_COND_ERR_NO_KEY);
	if (ret)
		return ret;
	key->form = graph_key_form_at(parser, parser->pos);
	parser->pos += strlen(graph_key_forms[key->form]);
	key->value = GRAPH_VALUE_NONE;
	key->text = key->name;
	if (key->what == GRAPH_PRED_ANY)
		key->what = GRAPH_PRED_PARAM;
	if (key->what == GRAPH_PRED_PARAM)
		key->expr = parser->cond->nr_texts++;
	if (key->form != GRAPH_KEY_PLAIN &&
	    (key->what == GRAPH_PRED_ERROR || key->what == GRAPH_PRED_COMM))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_FORM, key->name);
	parser->cond->at_return |= key->what >= GRAPH_PRED_RET;
	return 0;
}

static int parse_size(struct cond_parser *parser, const char **p)
{
	unsigned int len = strcspn(*p, " \t"), nr;
	char number[12];

	strscpy(number, *p, min(len + 1, sizeof(number)));
	if (len >= sizeof(number) || kstrtouint(number, 0, &nr) || !is_power_of_2(nr) ||
	    nr < BIT(TRACING_MAP_BITS_MIN) || nr > BIT(TRACING_MAP_BITS_MAX))
		return graph_cond_fail(parser, GRAPH_COND_ERR_BAD_SIZE, *p);
	parser->cond->map_bits = ilog2(nr);
	*p = skip_spaces(*p + len);
	return 0;
}

static struct graph_cond *alloc_cond(const char *line)
{
	struct graph_cond *cond = kzalloc(sizeof(*cond), GFP_KERNEL);

	if (!cond)
		return NULL;
	INIT_LIST_HEAD(&cond->progs);
	INIT_LIST_HEAD(&cond->list);
	cond->line = kstrdup(line, GFP_KERNEL);
	cond->strings = kstrdup(line, GFP_KERNEL);
	cond->counts = alloc_percpu(struct graph_cond_counts);
	if (cond->line && cond->strings && cond->counts)
		return cond;
	graph_cond_free(cond);
	return NULL;
}

/* Parse the condition of a line of keys */
static int parse_if(struct cond_parser *parser, const char *p)
{
	struct graph_cond *cond = parser->cond, *only = alloc_cond(cond->line);
	struct cond_parser rest = { .cond = only, .err = parser->err };
	int ret;

	if (!only)
		return -ENOMEM;
	cond->only = only;
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

	cond->map_bits = TRACING_MAP_BITS_DEFAULT;
	memset(cond->key_sizes, GRAPH_KEY_TEXT_SIZE, sizeof(cond->key_sizes));
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
	if (strstarts(p, "size=")) {
		p += strlen("size=");
		ret = parse_size(parser, &p);
		if (ret)
			return ret;
	}
	if (strstarts(p, "if") && !graph_cond_is_name_char(p[2]))
		return parse_if(parser, p + strlen("if"));
	return *p ? graph_cond_fail(parser, GRAPH_COND_ERR_EXPECT_COMMA, p) : 0;
}

static int parse_line(struct cond_parser *parser,
		      int (*parse_rest)(struct cond_parser *parser))
{
	struct graph_cond *cond = parser->cond;
	const char *colon = strchr(cond->line, ':');
	const char *end, *module;
	size_t len;

	if (!colon)
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_COLON,
			    cond->line + strlen(cond->line));
	for (end = colon; end > cond->line && isspace(end[-1]); end--)
		;
	/* A digit would be an index */
	if (end == cond->line || isdigit(*cond->line) || *cond->line == '!')
		return graph_cond_fail(parser, GRAPH_COND_ERR_NO_GLOB, cond->line);
	len = strcspn(cond->line, " \t,");
	if (len < end - cond->line)
		return graph_cond_fail(parser, GRAPH_COND_ERR_GLOBS, cond->line + len);
	cond->glob = kmemdup_nul(cond->line, end - cond->line, GFP_KERNEL);
	if (!cond->glob)
		return -ENOMEM;
	if (strstarts(colon, ":mod:")) {
		module = colon + strlen(":mod:");
		len = strcspn(module, " \t:");
		colon = skip_spaces(module + len);
		if (!len || *colon != ':')
			return graph_cond_fail(parser, GRAPH_COND_ERR_NO_COLON, colon);
		cond->module = kmemdup_nul(module, len, GFP_KERNEL);
		if (!cond->module)
			return -ENOMEM;
	}
	parser->pos = colon + 1;
	return parse_rest(parser);
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
	graph_cond_free(cond->only);
	list_for_each_entry_safe(prog, tmp, &cond->progs, list)
		graph_prog_free(prog);
	if (cond->map)
		tracing_map_destroy(cond->map);
	free_percpu(cond->counts);
	kfree(cond->exprs);
	kfree(cond->module);
	kfree(cond->glob);
	kfree(cond->strings);
	kfree(cond->line);
	kfree(cond);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_free);

/* Parse a line; @parse_rest parses the text after the ':' that follows the glob */
static struct graph_cond *make_cond(const char *line, struct graph_cond_error *err,
				    int (*parse_rest)(struct cond_parser *parser))
{
	struct cond_parser parser = { .err = err };
	struct graph_cond *cond;
	int ret;

	*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_MEM };
	cond = alloc_cond(line);
	if (!cond)
		return ERR_PTR(-ENOMEM);
	parser.cond = cond;
	ret = parse_line(&parser, parse_rest);
	if (!ret)
		return cond;
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
	return make_cond(line, err, parse_cond);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_parse);

/**
 * graph_keys_parse - parse a line of set_graph_hist
 * @line: "GLOB: KEYS" or "GLOB: KEYS if CONDITION", without blanks around it
 * @err: the error if this fails
 *
 * Return: the line, without a table, or an error.
 */
struct graph_cond *graph_keys_parse(const char *line,
				    struct graph_cond_error *err)
{
	return make_cond(line, err, parse_keys);
}
EXPORT_SYMBOL_IF_KUNIT(graph_keys_parse);

/**
 * graph_exprs_parse - parse a line of func_args_expr
 * @line: "GLOB: EXPRESSION, ...", without blanks around it
 * @err: the error if this fails
 *
 * Return: the line, or an error.
 */
struct graph_cond *graph_exprs_parse(const char *line, struct graph_cond_error *err)
{
	return make_cond(line, err, graph_exprs_parse_all);
}
EXPORT_SYMBOL_IF_KUNIT(graph_exprs_parse);
