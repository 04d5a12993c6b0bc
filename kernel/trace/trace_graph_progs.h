/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that decide conditions on a call, and the records they look at
 */
#ifndef _TRACE_GRAPH_PROGS_H
#define _TRACE_GRAPH_PROGS_H

#include <linux/list.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#include "trace_args.h"
#include "trace_args_capture.h"
#include "trace_graph_conds.h"

struct arg_field;

/**
 * struct graph_field - the captured value of a comparison, with its number, or of a key
 * @val: the number
 * @strings: the longs that point to strings
 * @offset: where the value is, in bytes from the first long
 * @index: the long that its parameter begins with
 * @size: its bytes
 * @sign: it is signed
 * @string: it is compared with a string
 * @used: the comparison has such a value
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
 * struct graph_key - how the value of a key is found
 * @what: see enum graph_pred_what
 * @form: see enum graph_key_form
 * @index: the long that holds a parameter
 * @left: number of bits above the value in the long
 * @right: number of bits that the value does not have
 * @sign: the value is signed
 * @pred: its number in the line
 * @to: where it goes in a row's key, in bytes behind the function
 * @size: its bytes there, 4 or 8
 * @copy: the lower bytes of the long are the value
 */
struct graph_key {
	u8	what;
	u8	form;
	u8	index;
	u8	left;
	u8	right;
	bool	sign;
	u8	pred;
	u8	to;
	u8	size;
	bool	copy;
};

/**
 * struct graph_prog - decides or counts the calls of a line for functions that are alike
 * @list: in the line's programs
 * @cond: the line
 * @fields: the field of each comparison or key
 * @keys: the keys of a line of keys, parameters first
 * @args_end: the end of those that are parameters
 * @keys_end: the end of the keys
 * @nr_regs: the keys need only so many of the first argument registers; 0 if they need
 *	other places
 * @args: arguments are needed at the entry
 * @strings: strings of parameters are needed at the entry
 * @record: strings or values of expressions are needed at the entry
 * @nr_entry: number of filters in @entry; in a condition that is decided at the
 *	return, the result of each becomes a bit of struct graph_ret_record
 * @entry: the filters that are decided at the entry
 * @ret: the filter that is decided at the return; NULL if there is none
 * @ret_size: bytes of the return value; 0 if it is not needed
 * @ret_sign: the return value is signed
 * @ret_fails: the return value can be an error
 * @exprs: the expressions of the line; NULL if it has none
 */
struct graph_prog {
	struct list_head	list;
	struct graph_cond	*cond;
	struct graph_field	fields[GRAPH_COND_PREDS];
	struct graph_key	keys[GRAPH_COND_KEYS];
	struct graph_key	*args_end;
	struct graph_key	*keys_end;
	unsigned int		nr_regs;
	bool			args;
	bool			strings;
	bool			record;
	unsigned int		nr_entry;
	struct event_filter	*entry[GRAPH_COND_PREDS];
	struct event_filter	*ret;
	u8			ret_size;
	bool			ret_sign;
	bool			ret_fails;
	struct call_exprs	*exprs;
};

/**
 * struct graph_ret_record - the data that decides a condition at the return
 * @ret: the register; a field of the type's size is compared
 * @duration: nanoseconds
 * @error: 1 if the call failed
 * @bits: the results of the entry
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
 * struct graph_record - the data that decides a condition at the entry
 * @longs: the captured longs
 * @values: the value of the expression of comparison n, if it is a number
 * @have: bit n: the string or the expression of comparison n is known well enough
 * @used: bytes of @text that are used
 * @locs: where the string of comparison n is, in the form of __data_loc
 * @text: strings
 */
struct graph_record {
	unsigned long	longs[ARG_SIGS_MAX_LONGS];
	u64		values[GRAPH_COND_PREDS];
	u32		have;
	u32		used;
	u32		locs[GRAPH_COND_PREDS];
	char		text[GRAPH_RECORD_TEXT];
};

unsigned int graph_key_size(const struct graph_key *key);
void graph_prog_place_keys(struct graph_prog *prog);
struct graph_prog *graph_cond_prog(struct graph_cond *cond, unsigned long ip,
				   const struct arg_sig_hold *hold,
				   struct graph_cond_error *err);
void graph_prog_free(struct graph_prog *prog);
int graph_expr_compile(struct call_expr *to, struct arg_field *field,
		       const struct graph_cond *cond, unsigned int nr, unsigned long ip,
		       const struct arg_sig_hold *hold, struct graph_cond_error *err);
void graph_record_fill(struct graph_record *record, const struct graph_prog *prog,
		       const void *data, unsigned int size, unsigned int nr_longs);
bool graph_ret_is_error(const struct graph_prog *prog, u64 ret);

/**
 * graph_ret_is_met - whether a call meets a condition that is decided at the return
 * @prog: the program
 * @record: the record; this function sets its member error
 *
 * Any context, NMI too.
 *
 * Return: whether the condition is met.
 */
static inline bool graph_ret_is_met(const struct graph_prog *prog,
				    struct graph_ret_record *record)
{
	bool error = graph_ret_is_error(prog, record->ret);

	/* Most calls that "*: error" looks at end here */
	if (!error && prog->cond->wants_error)
		return false;
	record->error = error;
	return filter_match_preds(prog->ret, record);
}

#endif /* _TRACE_GRAPH_PROGS_H */
