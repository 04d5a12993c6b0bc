/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines about calls: conditions of set_graph_filter, keys of set_graph_hist that calls
 * are counted by, and expressions of func_args_expr that calls are shown with
 */
#ifndef _TRACE_GRAPH_CONDS_H
#define _TRACE_GRAPH_CONDS_H

#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>

struct arg_sig_hold;
struct graph_cond;
struct graph_cond_error;
struct graph_expr;
struct graph_prog;
struct tracing_map;

/* Maximum comparisons of a condition */
#define GRAPH_COND_PREDS	32
/* Maximum characters of a condition: comparisons, operators and parentheses */
#define GRAPH_COND_SHAPE	256
/* What follows a comparison that decides the condition, see struct graph_pred */
#define GRAPH_COND_MET		GRAPH_COND_PREDS
#define GRAPH_COND_NOT_MET	(GRAPH_COND_PREDS + 1)
/* Maximum keys of a line of keys */
#define GRAPH_COND_KEYS		3

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
 * @number: the value of GRAPH_VALUE_NUMBER
 * @negative: whether the number is below zero
 * @errno_name: whether the value is the name of an error
 * @device: whether the value is a dev_t, "MAJOR:MINOR"
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
	bool			device;
	enum graph_key_form	form;
	unsigned int		expr;
	u8			next[2];
};

/**
 * struct graph_cond_counts - counts of the calls that a line covers
 * @seen: calls that the condition was evaluated for
 * @matched: calls that met the condition
 * @missed: calls for which the condition could not be evaluated, because arguments could
 *	not be read or kept
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
 * @strings: a copy of the line with a NUL at the end of each string
 * @glob: the glob that selects functions
 * @module: the glob that selects modules, NULL if the line has no ":mod:"
 * @nr_preds: the number of comparisons or keys
 * @preds: the comparisons or keys
 * @at_entry: whether a value that is known at the entry is compared or is a key
 * @at_return: whether the condition is decided, or the call is counted, at the return
 * @wants_error: whether only a call that failed can meet the condition
 * @duration: whether the duration is compared or is a key
 * @progs: the programs for functions of different types, see struct graph_prog
 * @old: whether the line was set before, so that its functions may be gone with their
 *	module
 * @nr_funcs: the number of functions that the line covers
 * @nr_left_out: the number of functions that the globs match and the line does not apply to,
 *	of those that were there when the lines were written
 * @counts: see struct graph_cond_counts
 * @map_bits: n if the table of a line of keys has room for 2^n rows; 0 for a condition
 * @key_sizes: bytes of each key in the table, 4, 8, GRAPH_KEY_COMM_SIZE or
 *	GRAPH_KEY_TEXT_SIZE, the maximum while there is no table
 * @map: the table of a line of keys, see calls/hist.h
 * @nr_exprs: the number of expressions
 * @exprs: the expressions, see calls/exprs.c
 * @nr_texts: the number of comparisons of a parameter with a string, or of keys that may be
 *	the text of an object
 * @reads: whether the line reads memory by means of a parameter
 * @only: the condition of a line of keys, NULL if each call is counted
 */
struct graph_cond {
	struct list_head			list;
	char					*line;
	char					*strings;
	char					*glob;
	char					*module;
	unsigned int				nr_preds;
	struct graph_pred			preds[GRAPH_COND_PREDS];
	bool					at_entry;
	bool					at_return;
	bool					wants_error;
	bool					duration;
	struct list_head			progs;
	bool					old;
	unsigned int				nr_funcs;
	unsigned int				nr_left_out;
	struct graph_cond_counts __percpu	*counts;
	unsigned int				map_bits;
	u8					key_sizes[GRAPH_COND_KEYS];
	struct tracing_map			*map;
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

/* The errors of a line, see graph_cond_errors[] */
enum graph_cond_error_nr {
	GRAPH_COND_ERR_NONE,
	GRAPH_COND_ERR_NUL,
	GRAPH_COND_ERR_NO_COLON,
	GRAPH_COND_ERR_NO_GLOB,
	GRAPH_COND_ERR_GLOBS,
	GRAPH_COND_ERR_NO_FUNC,
	GRAPH_COND_ERR_TOO_LONG,
	GRAPH_COND_ERR_TOO_MANY,
	GRAPH_COND_ERR_NOT_SET,
	GRAPH_COND_ERR_NO_PRED,
	GRAPH_COND_ERR_BAD_OP,
	GRAPH_COND_ERR_BAD_VALUE,
	GRAPH_COND_ERR_NO_QUOTE,
	GRAPH_COND_ERR_PAREN,
	GRAPH_COND_ERR_EXPECT_AND,
	GRAPH_COND_ERR_NO_KEY,
	GRAPH_COND_ERR_EXPECT_COMMA,
	GRAPH_COND_ERR_BAD_FORM,
	GRAPH_COND_ERR_BAD_SIZE,
	GRAPH_COND_ERR_OTHER_LINES,
	GRAPH_COND_ERR_NO_EXPR,
	GRAPH_COND_ERR_BAD_EXPR,
	GRAPH_COND_ERR_BAD_LABEL,
	GRAPH_COND_ERR_BAD_OFFSET,
	GRAPH_COND_ERR_NO_OPEN,
	GRAPH_COND_ERR_NO_CLOSE,
	GRAPH_COND_ERR_NO_ARROW,
	GRAPH_COND_ERR_NO_TYPE,
	GRAPH_COND_ERR_BAD_BITS,
	GRAPH_COND_ERR_NO_SIG,
	GRAPH_COND_ERR_NO_RET,
	GRAPH_COND_ERR_NO_ERROR,
	GRAPH_COND_ERR_NO_FIELD,
	GRAPH_COND_ERR_TASK,
	GRAPH_COND_ERR_NO_VALUE,
	GRAPH_COND_ERR_BAD_TYPE,
	GRAPH_COND_ERR_BAD_KEY,
	GRAPH_COND_ERR_RANGE,
	GRAPH_COND_ERR_NO_NAME,
	GRAPH_COND_ERR_NO_SIGN,
	GRAPH_COND_ERR_NO_BASE,
	GRAPH_COND_ERR_NO_LAYOUT,
	GRAPH_COND_ERR_NO_POINTER,
	GRAPH_COND_ERR_NO_RECORD,
	GRAPH_COND_ERR_SEVERAL,
	GRAPH_COND_ERR_NO_MEMBER,
	GRAPH_COND_ERR_NOT_RECORD,
	GRAPH_COND_ERR_NO_NUMBER,
	GRAPH_COND_ERR_NO_TEXT,
	GRAPH_COND_ERR_NOT_TEXT,
	GRAPH_COND_ERR_TOO_DEEP,
	GRAPH_COND_ERR_NO_MEM,
};

extern const char *graph_cond_errors[];

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

/* Note an error in a line. Returns -EINVAL */
static inline int graph_cond_fail(struct cond_parser *parser, unsigned int nr, const char *pos)
{
	parser->err->nr = nr;
	parser->err->pos = pos - parser->cond->line;
	return -EINVAL;
}

extern const char * const graph_key_forms[];
enum graph_key_form graph_key_form_at(const struct cond_parser *parser, const char *p);
enum graph_pred_what graph_cond_word(const char *name, unsigned int len);
int graph_expr_parse(struct cond_parser *parser);
int graph_exprs_parse_all(struct cond_parser *parser);

struct graph_cond *graph_cond_parse(const char *line,
				    struct graph_cond_error *err);
struct graph_cond *graph_keys_parse(const char *line,
				    struct graph_cond_error *err);
struct graph_cond *graph_exprs_parse(const char *line,
				     struct graph_cond_error *err);
void graph_cond_free(struct graph_cond *cond);

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

#endif /* _TRACE_GRAPH_CONDS_H */
