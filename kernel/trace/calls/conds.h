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
/* Maximum characters of a condition's shape: comparisons, operators and parentheses */
#define GRAPH_COND_SHAPE	256
/* The byte of the first comparison in a shape; further comparisons have the next bytes */
#define GRAPH_COND_SHAPE_PRED	0x80
/* Maximum keys of a line of keys */
#define GRAPH_COND_KEYS		3

/* The left side of a comparison, or a key */
enum graph_pred_what {
	GRAPH_PRED_PARAM,
	GRAPH_PRED_COMM,
	GRAPH_PRED_CPU,
	GRAPH_PRED_EXPR,
	/* The values that follow are known at the return */
	GRAPH_PRED_RET,
	GRAPH_PRED_DURATION,
	GRAPH_PRED_ERROR,
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
 * struct graph_pred - one comparison of a condition, or one key
 * @what: the left side
 * @value: the right side
 * @name: the parameter's name with the names of members, or the expression
 * @name_len: characters of @name
 * @op: the operator
 * @text: the text of the value; a string has its quotes
 * @text_len: characters of @text
 * @number: the value of GRAPH_VALUE_NUMBER
 * @negative: whether the number is below zero
 * @errno_name: whether the number was written as the name of an error
 * @form: the modifier of a key
 * @expr: the number of the expression in the line, for GRAPH_PRED_EXPR
 */
struct graph_pred {
	enum graph_pred_what	what;
	enum graph_pred_value	value;
	const char		*name;
	unsigned int		name_len;
	const char		*op;
	const char		*text;
	unsigned int		text_len;
	u64			number;
	bool			negative;
	bool			errno_name;
	enum graph_key_form	form;
	unsigned int		expr;
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
 * struct graph_cond - a line "GLOB: CONDITION" or "GLOB: KEYS"
 * @list: for the use of the owner
 * @line: the line
 * @glob: the glob that selects functions
 * @nr_preds: the number of comparisons or keys
 * @preds: the comparisons or keys
 * @shape: the condition; each comparison is one byte, GRAPH_COND_SHAPE_PRED or above
 * @at_return: whether the condition is decided, or the call is counted, at the return
 * @wants_error: whether only a call that failed can meet the condition
 * @duration: whether the duration is a key
 * @progs: the programs for functions of different types, see struct graph_prog
 * @old: whether the line was set before, so that its functions may be gone with their
 *	module
 * @nr_funcs: the number of functions that the line covers
 * @counts: see struct graph_cond_counts
 * @map_bits: n if the table of a line of keys has room for 2^n rows; 0 for a condition
 * @key_sizes: bytes of each key in the table, 4 or 8; the maximum while there is no table
 * @map: the table of a line of keys, see trace_graph_hist.h
 * @nr_exprs: the number of expressions
 * @exprs: the expressions, see trace_graph_exprs.c
 * @make_prog: finds the program of the line for a function: graph_cond_prog(), or
 *	graph_exprs_prog() for a line of expressions
 */
struct graph_cond {
	struct list_head			list;
	char					*line;
	char					*glob;
	unsigned int				nr_preds;
	struct graph_pred			preds[GRAPH_COND_PREDS];
	unsigned char				shape[GRAPH_COND_SHAPE];
	bool					at_return;
	bool					wants_error;
	bool					duration;
	struct list_head			progs;
	bool					old;
	unsigned int				nr_funcs;
	struct graph_cond_counts __percpu	*counts;
	unsigned int				map_bits;
	u8					key_sizes[GRAPH_COND_KEYS];
	struct tracing_map			*map;
	unsigned int				nr_exprs;
	struct graph_expr			*exprs;
	struct graph_prog			*(*make_prog)(struct graph_cond *cond,
							      unsigned long ip,
							      const struct arg_sig_hold *hold,
							      struct graph_cond_error *err);
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
	GRAPH_COND_ERR_NO_COLON,
	GRAPH_COND_ERR_NO_GLOB,
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
	GRAPH_COND_ERR_NO_VALUE,
	GRAPH_COND_ERR_BAD_TYPE,
	GRAPH_COND_ERR_BAD_KEY,
	GRAPH_COND_ERR_RANGE,
	GRAPH_COND_ERR_NO_NAME,
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

int graph_cond_fail(struct cond_parser *parser, unsigned int nr, const char *pos);
struct graph_cond *graph_cond_make(const char *line, struct graph_cond_error *err,
				   int (*parse_rest)(struct cond_parser *parser));
struct graph_cond *graph_cond_parse(const char *line,
				    struct graph_cond_error *err);
struct graph_cond *graph_keys_parse(const char *line,
				    struct graph_cond_error *err);
struct graph_cond *graph_exprs_parse(const char *line,
				     struct graph_cond_error *err);
int graph_expr_parse(struct cond_parser *parser);
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
