/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The programs that decide conditions on a call, and the records that the programs use
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
 * struct graph_field - the captured value of a comparison or a key, with the number to
 *	compare with
 * @val: the number to compare with
 * @strings: the longs that point to strings
 * @offset: the place of the value, in bytes from the first long
 * @index: the first long of the value's parameter
 * @size: the size of the value in bytes
 * @sign: whether the value is signed
 * @string: whether the value is compared with a string
 * @used: whether the comparison uses the field
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
 * struct graph_key - the place of a key's value
 * @what: see enum graph_pred_what
 * @form: see enum graph_key_form
 * @index: the long that holds a parameter
 * @left: number of bits above the value in the long
 * @right: number of bits by which the value is shorter than 64 bits
 * @sign: whether the value is signed
 * @pred: the number of the key in the line
 * @to: the place of the value in a row's key, in bytes after the function
 * @size: the bytes of the value in a row's key, 4 or 8
 * @copy: whether the value is just the lower bytes of the long
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
 * struct graph_prog - decides or counts the calls of a line for similar functions
 * @list: entry in the line's programs
 * @cond: the line
 * @fields: the field of each comparison or key
 * @keys: the keys of a line of keys, parameters first
 * @args_end: the end of the keys that are parameters
 * @keys_end: the end of the keys
 * @nr_regs: the number of argument registers that the keys need; 0 if the keys need other
 *	places
 * @args: whether arguments are needed at the entry
 * @strings: whether strings of parameters are needed at the entry
 * @record: whether strings or values of expressions are needed at the entry
 * @nr_entry: number of filters in @entry; if the condition is decided at the return, the
 *	result of each filter becomes a bit of struct graph_ret_record
 * @entry: the filters that are decided at the entry
 * @ret: the filter that is decided at the return; NULL if there is none
 * @ret_size: bytes of the return value; 0 if the return value is not needed
 * @ret_sign: whether the return value is signed
 * @ret_fails: whether the return value can be an error
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
 * @ret: the return register; as many bytes as the type has are compared
 * @duration: the duration in nanoseconds
 * @error: 1 if the call failed
 * @bits: the results of the filters at the entry
 */
struct graph_ret_record {
	u64	ret;
	u64	duration;
	u32	error;
	u32	bits;
};

/* Bytes for strings, each with its NUL. A record may have only the begin of a string */
#define GRAPH_RECORD_TEXT	(FUNC_ARGS_MAX_STRINGS + ARG_SIGS_MAX_LONGS)

/**
 * struct graph_record - the data that decides a condition at the entry
 * @longs: the captured longs
 * @values: the value of the expression of comparison n, if it is a number
 * @have: bit n: the string or the expression of comparison n is known, as far as it is
 *	needed
 * @used: bytes of @text that are used
 * @locs: the place of the string of comparison n, in the form of __data_loc
 * @text: the strings
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

/* Count a call whose values are not known, so that the line cannot be decided or counted */
static __always_inline void graph_prog_count_missed(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->missed);
}

/**
 * graph_ret_is_met - whether a call meets a condition that is decided at the return
 * @prog: the program
 * @record: the record; this function sets @record->error
 *
 * Any context, including NMI.
 *
 * Return: whether the condition is met.
 */
static inline bool graph_ret_is_met(const struct graph_prog *prog,
				    struct graph_ret_record *record)
{
	bool error = graph_ret_is_error(prog, record->ret);

	/* Most calls that "*: error" covers end here */
	if (!error && prog->cond->wants_error)
		return false;
	record->error = error;
	return filter_match_preds(prog->ret, record);
}

#endif /* _TRACE_GRAPH_PROGS_H */
