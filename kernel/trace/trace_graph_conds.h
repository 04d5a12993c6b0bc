/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conditions on a call, and the programs that decide them
 */
#ifndef _TRACE_GRAPH_CONDS_H
#define _TRACE_GRAPH_CONDS_H

#include <linux/list.h>
#include <linux/types.h>

#include "trace_args.h"
#include "trace_args_capture.h"

struct event_filter;

/* Comparisons that a condition may have */
#define GRAPH_COND_PREDS	32
/* Characters of its structure: comparisons, operators and parentheses */
#define GRAPH_COND_SHAPE	256

/* What a comparison is about */
enum graph_pred_what {
	GRAPH_PRED_PARAM,
	GRAPH_PRED_COMM,
	GRAPH_PRED_CPU,
	/* Known at the return, from here on */
	GRAPH_PRED_RET,
	GRAPH_PRED_DURATION,
	GRAPH_PRED_ERROR,
};

/* What it is compared with */
enum graph_pred_value {
	GRAPH_VALUE_NUMBER,
	GRAPH_VALUE_NAME,
	GRAPH_VALUE_STRING,
};

/**
 * struct graph_pred - one comparison of a condition
 * @what: what is compared
 * @value: with what
 * @name: the parameter's name, and members behind it
 * @name_len: its characters
 * @op: the operator
 * @text: the value, a string with its quotes
 * @text_len: its characters
 * @number: the value of GRAPH_VALUE_NUMBER
 * @negative: the number is below zero
 * @errno_name: the number was written as a name of an error
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
};

/**
 * struct graph_cond_counts - what has become of the calls that a line covers
 * @seen: calls that were looked at
 * @matched: calls that met the condition
 * @missed: calls of which that is not known: arguments could not be read or
 *	kept
 */
struct graph_cond_counts {
	u64	seen;
	u64	matched;
	u64	missed;
};

/**
 * struct graph_cond - a line "GLOB: CONDITION"
 * @list: for the owner
 * @line: the line
 * @glob: its functions
 * @nr_preds: how many comparisons there are
 * @preds: the comparisons
 * @shape: the condition with a byte of 0x80 and above for each comparison
 * @at_return: it is decided at the return
 * @progs: the programs for functions of different types
 * @old: it was set before: its functions may have gone with their module
 * @nr_funcs: how many functions there are
 * @counts: see struct graph_cond_counts
 */
struct graph_cond {
	struct list_head			list;
	char					*line;
	char					*glob;
	unsigned int				nr_preds;
	struct graph_pred			preds[GRAPH_COND_PREDS];
	unsigned char				shape[GRAPH_COND_SHAPE];
	bool					at_return;
	struct list_head			progs;
	bool					old;
	unsigned int				nr_funcs;
	struct graph_cond_counts __percpu	*counts;
};

/**
 * struct graph_field - where what is compared is, and with which number
 * @val: the number
 * @strings: the longs that point to strings
 * @offset: where it is, in bytes from the first long
 * @index: the long that its parameter begins with
 * @size: its bytes
 * @sign: it is signed
 * @string: it is compared with a string
 * @used: this is a comparison
 */
struct graph_field {
	u64	val;
	u64	strings;
	u16	offset;
	u8	index;
	u8	size;
	bool	sign;
	bool	string;
	bool	used;
};

/**
 * struct graph_prog - decides a condition for functions that are alike
 * @list: in the condition's programs
 * @cond: the condition
 * @fields: what each comparison is about
 * @args: arguments are needed at the entry
 * @strings: strings are needed at the entry
 * @nr_entry: how many @entry there are; in a condition that is decided at the
 *	return, what these find out becomes a bit of struct graph_ret_record
 * @entry: what is decided at the entry
 * @ret: what is decided at the return; NULL if all is decided at the entry
 * @ret_size: bytes of what the function returns; 0 if that is not needed
 * @ret_sign: it is signed
 * @ret_fails: it can be an error
 */
struct graph_prog {
	struct list_head	list;
	struct graph_cond	*cond;
	struct graph_field	fields[GRAPH_COND_PREDS];
	bool			args;
	bool			strings;
	unsigned int		nr_entry;
	struct event_filter	*entry[GRAPH_COND_PREDS];
	struct event_filter	*ret;
	u8			ret_size;
	bool			ret_sign;
	bool			ret_fails;
};

/**
 * struct graph_ret_record - what a condition is decided by at the return
 * @ret: the register, of which a field of the type's size is compared
 * @duration: nanoseconds
 * @error: 1 if the call failed
 * @bits: what was decided at the entry
 */
struct graph_ret_record {
	u64	ret;
	u64	duration;
	u32	error;
	u32	bits;
};

/* A string of a record has its NUL, and need not be as long as it was */
#define GRAPH_RECORD_TEXT	(FUNC_ARGS_MAX_STRINGS + ARG_SIGS_MAX_LONGS)

/**
 * struct graph_record - what a condition is decided by at the entry
 * @longs: the captured longs
 * @have: bit n: the string of comparison n is known well enough
 * @locs: where the string of comparison n is, as __data_loc says it
 * @text: strings
 */
struct graph_record {
	unsigned long	longs[ARG_SIGS_MAX_LONGS];
	u32		have;
	u32		locs[GRAPH_COND_PREDS];
	char		text[GRAPH_RECORD_TEXT];
};

/**
 * struct graph_cond_error - what is wrong with a line
 * @nr: which of graph_cond_errors[]
 * @pos: where
 */
struct graph_cond_error {
	unsigned int	nr;
	unsigned int	pos;
};

/* What is wrong with a line, see graph_cond_errors[] */
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
	GRAPH_COND_ERR_NO_SIG,
	GRAPH_COND_ERR_NO_RET,
	GRAPH_COND_ERR_NO_ERROR,
	GRAPH_COND_ERR_NO_FIELD,
	GRAPH_COND_ERR_NO_VALUE,
	GRAPH_COND_ERR_BAD_TYPE,
	GRAPH_COND_ERR_RANGE,
	GRAPH_COND_ERR_NO_NAME,
	GRAPH_COND_ERR_NO_MEM,
};

extern const char *graph_cond_errors[];

struct graph_cond *graph_cond_parse(const char *line,
				    struct graph_cond_error *err);
void graph_cond_free(struct graph_cond *cond);
struct graph_prog *graph_cond_prog(struct graph_cond *cond, const char *sig,
				   const struct arg_types *types,
				   struct graph_cond_error *err);
void graph_record_strings(struct graph_record *record,
			  const struct graph_prog *prog, const void *data,
			  unsigned int size, unsigned int nr_longs);
bool graph_ret_is_error(const struct graph_prog *prog, u64 ret);

#endif /* _TRACE_GRAPH_CONDS_H */
