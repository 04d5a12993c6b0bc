/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The language of lines about calls, see parse.c.  trace-calls uses the same parser for
 * its filters and its expressions.
 */
#ifndef _TRACE_GRAPH_PARSE_H
#define _TRACE_GRAPH_PARSE_H

#include <linux/ctype.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/types.h>

#include "../args/text.h"

struct tracing_map;

/* Maximum comparisons of a condition */
#define GRAPH_COND_PREDS	32
/* Maximum characters of a condition: comparisons, operators and parentheses */
#define GRAPH_COND_SHAPE	256
/* What follows a comparison that decides the condition, see struct graph_pred */
#define GRAPH_COND_MET		GRAPH_COND_PREDS
#define GRAPH_COND_NOT_MET	(GRAPH_COND_PREDS + 1)
/* Maximum characters of a string, with its quotes */
#define GRAPH_COND_STRING	255
/* Maximum globs of a line */
#define GRAPH_COND_GLOBS	16
/* Maximum keys of a line of keys */
#define GRAPH_COND_KEYS		3
/* The table of a line of keys has room for 2^n rows */
#define GRAPH_MAP_BITS		11
#define GRAPH_MAP_BITS_MIN	7
#define GRAPH_MAP_BITS_MAX	17

/* Bytes of a key in a table: COMM, and a text, whose last byte is a &enum graph_key_text */
#define GRAPH_KEY_COMM_SIZE	16
#define GRAPH_KEY_TEXT_SIZE	48

/* The left side of a comparison, or a key */
enum graph_pred_what {
	GRAPH_PRED_PARAM,
	/* The values of the task */
	GRAPH_PRED_COMM,
	GRAPH_PRED_CPU,
	GRAPH_PRED_PID,
	GRAPH_PRED_TGID,
	GRAPH_PRED_EXPR,
	/* Any parameter of 64 bits */
	GRAPH_PRED_ANY,
	/* The values that follow are known at the return */
	GRAPH_PRED_RET,
	GRAPH_PRED_DURATION,
	GRAPH_PRED_ERROR,
};

/* The operator of a comparison, in the order of pred_ops[] */
enum graph_pred_op {
	GRAPH_OP_GLOB,
	GRAPH_OP_NE,
	GRAPH_OP_EQ,
	GRAPH_OP_LE,
	GRAPH_OP_LT,
	GRAPH_OP_GE,
	GRAPH_OP_GT,
	GRAPH_OP_AND,
};

/* The right side of a comparison */
enum graph_pred_value {
	GRAPH_VALUE_NUMBER,
	GRAPH_VALUE_NAME,
	GRAPH_VALUE_STRING,
	/* For a key, which has no right side */
	GRAPH_VALUE_NONE,
};

/* How a key is counted and shown */
enum graph_key_form {
	GRAPH_KEY_PLAIN,
	GRAPH_KEY_HEX,
	GRAPH_KEY_LOG2,
};

/**
 * enum graph_key_text - the last byte of a key in a table that has room for a text
 * @GRAPH_KEY_NUMBER: the key is a number
 * @GRAPH_KEY_WHOLE: the key is a text
 * @GRAPH_KEY_CUT: the key is the begin of a text
 */
enum graph_key_text {
	GRAPH_KEY_NUMBER,
	GRAPH_KEY_WHOLE,
	GRAPH_KEY_CUT,
};

/**
 * struct graph_pred - one comparison of a condition, or one key
 * @what: the left side
 * @value: the right side
 * @name: the parameter's name with the names of members, or the expression
 * @name_len: characters of @name
 * @op: the operator
 * @text: the text of the value; a string has its quotes
 * @text_len: characters of @text
 * @string: the characters between the quotes, with a NUL at their end
 * @number: the value of GRAPH_VALUE_NUMBER; of GRAPH_VALUE_NAME, if it is the name of an error
 * @negative: whether the number is below zero
 * @errno_name: whether the value is the name of an error
 * @how: how the value is written, as that of struct arg_field: 'M' a dev_t, "MAJOR:MINOR"; 'B' an
 *	address, "10.0.2.2"; 0 a number
 * @form: the modifier of a key
 * @expr: for GRAPH_PRED_EXPR the number of the expression in the line, for a parameter that is
 *	compared with a string or is a key the number of its text
 * @next: the number of the comparison that follows if this one is false, and if it is true;
 *	GRAPH_COND_MET or GRAPH_COND_NOT_MET if the condition is decided
 */
struct graph_pred {
	enum graph_pred_what	what;
	enum graph_pred_value	value;
	const char		*name;
	unsigned int		name_len;
	enum graph_pred_op	op;
	const char		*text;
	unsigned int		text_len;
	const char		*string;
	u64			number;
	bool			negative;
	bool			errno_name;
	char			how;
	enum graph_key_form	form;
	unsigned int		expr;
	u8			next[2];
};

/**
 * struct graph_cond_counts - counts of the calls that a line covers
 * @seen: calls that the condition was evaluated for
 * @matched: calls that met the condition
 * @missed: calls for which the condition could not be evaluated, because arguments could
 *	not be read or kept, and calls that met the condition but are shown without
 *	arguments, because the arguments could not be kept
 */
struct graph_cond_counts {
	u64	seen;
	u64	matched;
	u64	missed;
};

/**
 * struct graph_cond - a line "GLOB: CONDITION" or "GLOB: KEYS", or the condition of a line of keys
 * @list: for the use of the owner
 * @line: the line
 * @strings: a copy of the line with a NUL at the end of each glob and of each string
 * @nr_globs: the number of globs
 * @globs: the globs, each of which selects functions
 * @module: the glob that selects modules, NULL if the line has no ":mod:"
 * @nr_preds: the number of comparisons or keys
 * @preds: the comparisons or keys
 * @at_entry: whether a value that is known at the entry is compared or is a key
 * @at_return: whether the condition is decided, or the call is counted, at the return
 * @wants_error: whether only a call that failed can meet the condition
 * @duration: whether the duration is compared or is a key
 * @progs: the programs for functions of different types, see struct graph_prog
 * @old: the same line if it was set before, so that its functions may be gone with their
 *	module; only valid while the lines are being changed
 * @nr_funcs: the number of functions that the line covers
 * @nr_left_out: the number of functions that the globs match and the line does not apply to,
 *	of those that were there when the lines were written
 * @counts: see struct graph_cond_counts
 * @map_bits: n if the table of a line of keys has room for 2^n rows; 0 for a condition
 * @key_sizes: bytes of each key in the table, 4, 8, GRAPH_KEY_COMM_SIZE or
 *	GRAPH_KEY_TEXT_SIZE, the maximum while there is no table
 * @map: the table of a line of keys, see calls/hist.h
 * @late_funcs: whether a module without signatures was loaded with functions of the line since the
 *	table was made or cleared. Rows of another module may have the addresses of these functions
 * @nr_exprs: the number of expressions
 * @exprs: the expressions
 * @nr_texts: the number of comparisons of a parameter with a string, or of keys that may be
 *	the text of an object
 * @reads: whether the line reads memory by means of a parameter
 * @only: the condition of a line of keys, NULL if each call is counted
 */
struct graph_cond {
	struct list_head			list;
	char					*line;
	char					*strings;
	unsigned int				nr_globs;
	const char				*globs[GRAPH_COND_GLOBS];
	const char				*module;
	unsigned int				nr_preds;
	struct graph_pred			preds[GRAPH_COND_PREDS];
	bool					at_entry;
	bool					at_return;
	bool					wants_error;
	bool					duration;
	struct list_head			progs;
	struct graph_cond			*old;
	unsigned int				nr_funcs;
	unsigned int				nr_left_out;
	struct graph_cond_counts __percpu	*counts;
	unsigned int				map_bits;
	u8					key_sizes[GRAPH_COND_KEYS];
	struct tracing_map			*map;
	bool					late_funcs;
	unsigned int				nr_exprs;
	struct graph_expr			*exprs;
	unsigned int				nr_texts;
	bool					reads;
	struct graph_cond			*only;
};

/**
 * struct graph_cond_error - an error in a line
 * @nr: the number of the error in graph_cond_errors[]
 * @pos: the position of the error in the line
 */
struct graph_cond_error {
	unsigned int	nr;
	unsigned int	pos;
};

/*
 * The errors of a line. Of the errors of several functions, the last one here is reported,
 * because its function came closest to the line.
 */
#define GRAPH_COND_ERRORS									\
	C(NONE,			"No error"),							\
	C(NUL,			"Line has a NUL byte"),						\
	C(NO_COLON,		"Missing ':' after the functions"),				\
	C(NO_GLOB,		"Missing functions before ':'"),				\
	C(GLOBS,		"Expected ',' or ':' after the glob"),				\
	C(NO_FUNC,		"No function has such a name"),					\
	C(TOO_LONG,		"Line is too long"),						\
	C(TOO_MANY,		"Too many lines or comparisons"),				\
	C(NOT_SET,		"No such line is set"),						\
	C(NO_PRED,		"Comparison is missing"),					\
	C(BAD_OP,		"Invalid operator"),						\
	C(BAD_VALUE,		"Invalid value (did you forget quotes?)"),			\
	C(NO_QUOTE,		"Missing matching quote"),					\
	C(PAREN,		"Parentheses do not match"),					\
	C(EXPECT_AND,		"Expected '&&' or '||'"),					\
	C(NO_KEY,		"Key is missing"),						\
	C(EXPECT_COMMA,		"Expected ',', 'size=' or 'if'"),				\
	C(BAD_FORM,		"Modifier does not suit the key"),				\
	C(BAD_SIZE,		"Size is no power of two from 128 to 131072"),			\
	C(OTHER_LINES,		"set_graph_filter and set_graph_hist exclude each other"),	\
	C(NO_EXPR,		"Expression is missing"),					\
	C(BAD_EXPR,		"Invalid expression"),						\
	C(NOT_LAST,		"A structure has to end the line, and has no type"),		\
	C(BAD_LABEL,		"Invalid or used name"),					\
	C(BAD_OFFSET,		"Invalid offset"),						\
	C(NO_OPEN,		"Expected '(' after the offset"),				\
	C(NO_CLOSE,		"Missing matching ')'"),					\
	C(NO_ARROW,		"Expected '->' after the cast"),				\
	C(NO_TYPE,		"Unknown type"),						\
	C(BAD_BITS,		"Invalid bit-field"),						\
	C(BAD_ARRAY,		"Array has to be in memory, with 1 to 64 bytes"),		\
	C(NO_SIG,		"Functions have no signature"),					\
	C(NO_RET,		"No function returns a number or a pointer"),			\
	C(NO_ERROR,		"No function returns an error"),				\
	C(NO_FIELD,		"No function has such a parameter"),				\
	C(TASK,			"No such parameter: the task has COMM, PID, TGID and CPU"),	\
	C(NO_VALUE,		"Parameter is not recorded or not comparable"),			\
	C(BAD_TYPE,		"Illegal comparison for the parameter's type"),			\
	C(BAD_KEY,		"A string is no key: write +0(PARAMETER):string"),		\
	C(RANGE,		"Value does not fit the parameter's type"),			\
	C(NO_NAME,		"No such enumerator"),						\
	C(NO_SIGN,		"Missing '-' before the name of an error"),			\
	C(NO_BASE,		"Parameter is not recorded, or no number and no pointer"),	\
	C(NO_LAYOUT,		"Layouts of structures are not known: write +OFFSET(...)"),	\
	C(NO_POINTER,		"No pointer to a structure: write (STRUCT) before it"),		\
	C(NO_RECORD,		"No such structure"),						\
	C(SEVERAL,		"Structures of this name differ: write +OFFSET(...)"),		\
	C(NO_MEMBER,		"Structure has no such member"),				\
	C(NOT_RECORD,		"This is no structure in memory"),				\
	C(NO_ELEMENT,		"Array has no such element"),					\
	C(NO_NUMBER,		"Member is no number, pointer or text: write a type"),		\
	C(NO_TEXT,		"Text has to be in memory: write +OFFSET(...)"),		\
	C(NOT_TEXT,		"Member is no array of char and no pointer to char"),		\
	C(TOO_DEEP,		"Too many steps to the value"),					\
	C(NO_MEM,		"Out of memory")

#undef C
#define C(name, text)	GRAPH_COND_ERR_##name

enum graph_cond_error_nr { GRAPH_COND_ERRORS };

extern const char *graph_cond_errors[];

/* The files with lines */
enum graph_lines {
	GRAPH_LINES_FILTER,
	GRAPH_LINES_HIST,
	GRAPH_LINES_EXPRS,
	GRAPH_LINES_NR,
};

int graph_parse(struct graph_cond *cond, enum graph_lines kind, struct graph_cond_error *err);
unsigned int graph_pred_number(u64 *val, const struct graph_pred *pred,
			       const struct arg_field *found,
			       bool (*find)(void *data, const char *name, unsigned int len,
					    u64 *val),
			       void *data);
bool graph_pred_decides(const struct graph_pred *pred, unsigned int len);

/* Whether the first @len characters of a text are a word */
static inline bool graph_cond_is_word(const char *text, unsigned int len,
				      const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}

/* Whether a character can be in the name of a parameter or of a member */
static inline bool graph_cond_is_name_char(char c)
{
	return isalnum(c) || c == '_';
}

/* In the conditions of trace-calls, "a[1]" is an element of an array in a recording */
#ifdef __KERNEL__
#define GRAPH_NAMES_ELEMENTS	false
#else
#define GRAPH_NAMES_ELEMENTS	true
#endif

/* Maximum number N of "$argN" */
#define GRAPH_EXPR_ARGS		255
/* Maximum expressions of a line, and maximum steps and characters of an expression */
#define GRAPH_EXPRS_MAX		32
#define GRAPH_EXPR_STEPS	16
#define GRAPH_EXPR_LEN		255

/* Maximum characters of expr_type::type */
#define EXPR_TYPE_LEN		8

/**
 * struct expr_type - a type that the value of an expression may have
 * @name: the type's name
 * @type: the type in a description, see Documentation/trace/arg-sigs-format.rst
 * @size: the size of the type in bytes, 0 for text
 * @user: whether the text is in user space
 */
struct expr_type {
	const char	*name;
	const char	*type;
	u8		size;
	bool		user;
};

enum expr_step_kind {
	/* "+OFFSET(...)" */
	EXPR_STEP_OFFSET,
	/* "->member" */
	EXPR_STEP_ARROW,
	/* ".member" after "->member" */
	EXPR_STEP_DOT,
	/* "[N]" or "[A..B]" after a parameter or a member */
	EXPR_STEP_INDEX,
	/* "(STRUCT)" or "(STRUCT,MEMBER)", which applies to the "->member" that follows */
	EXPR_STEP_CAST,
};

/**
 * struct expr_step - a step on the way to the value of an expression
 * @kind: the kind of the step
 * @text: the place in the line of the offset, of the member's name, of '[', or of the tag
 * @offset: the offset from the address that the pointer points to, or the first element
 * @user: whether the offset leads to an address of user space
 */
struct expr_step {
	enum expr_step_kind	kind;
	const char		*text;
	s32			offset;
	bool			user;
};

/**
 * struct graph_expr - an expression
 * @name: the name that is shown
 * @name_len: characters of @name
 * @base: the name of the parameter, or "$argN"
 * @base_len: characters of @base
 * @arg: the number of the parameter if @base is "$argN", else 0
 * @task: the value of the task if @base is no parameter, else GRAPH_PRED_PARAM
 * @nr: number of @steps
 * @steps: the steps from the parameter to the value
 * @type: the type of the value, NULL if the expression has no type
 * @fetch_end: the end of the expression in the line, before the type
 * @type_text: the place of the type, or of the expression, in the line
 * @elements: number of elements of an array, 0 for other values
 * @slice: whether the elements are those of "[A..B]", which is the last step
 * @width: number of bits of a bit-field, 0 for other values
 * @bit: the lowest bit of a bit-field
 * @whole: the members of the structure that the value points to, "*FETCH"
 */
struct graph_expr {
	const char		*name;
	unsigned int		name_len;
	const char		*base;
	unsigned int		base_len;
	unsigned int		arg;
	enum graph_pred_what	task;
	unsigned int		nr;
	struct expr_step	steps[GRAPH_EXPR_STEPS];
	const struct expr_type	*type;
	const char		*fetch_end;
	const char		*type_text;
	u8			elements;
	bool			slice;
	u8			width;
	u8			bit;
	bool			whole;
};

/* Count the characters of a name, a type or a number */
static inline unsigned int expr_word_len(const char *p)
{
	unsigned int len = 0;

	while (graph_cond_is_name_char(p[len]))
		len++;
	return len;
}

const struct expr_type *expr_type_named(const char *name, unsigned int len);
const struct expr_type *expr_type_number(bool sign, unsigned int size);

#endif /* _TRACE_GRAPH_PARSE_H */
