/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines about calls: conditions of set_graph_filter, keys of set_graph_hist that calls
 * are counted by, and expressions of func_args_expr that calls are shown with
 *
 *   calls/parse.c		parses a line
 *   calls/exprs_btf.c		finds the layouts of structures, for expressions
 *   calls/exprs_steps.c	follows the steps of an expression to its value
 *   calls/exprs_build.c	compiles the expressions of a line for a type of function
 *   calls/progs.c		makes and runs the program of a line for a type of function
 *   calls/rules.c		finds the functions that the lines of an instance apply to
 *   calls/hist_files.c		makes and shows the tables of lines of keys
 *   calls/lines.c		the files with lines, and the files with their counts
 *
 * The words of this room:
 *
 *   line	what a user writes into a file: globs, and a condition, keys or expressions
 *   condition	what a call has to meet; struct graph_cond has any parsed line
 *   comparison	a part of a condition between && and ||; in the code, pred
 *   key	a value that calls are counted by
 *   row	the counts of the calls that have the same keys
 *   expression	the way from a parameter to a value, as a list of steps
 *   program	a line that is compiled for functions whose signatures are similar
 *   rule	the programs of the functions to which the same lines apply
 *   filter	the lines of one file of an instance, with the rules of their functions
 *   cover	a line covers a function if its globs match the name
 *   meet	a call meets a condition
 *   keep	to hold the data of a call from its entry until its return
 */
#ifndef _TRACE_GRAPH_LINES_H
#define _TRACE_GRAPH_LINES_H

#include <linux/build_bug.h>
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/mutex_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#include "../args/args.h"
#include "../args/capture.h"
#include "../args/func_map.h"
#include "../args/text.h"
#include "exprs_steps.h"
#include "parse.h"

struct arg_sig_hold;
struct dentry;
struct seq_file;
struct trace_array;

struct graph_cond *graph_line_parse(enum graph_lines kind, const char *line,
				    struct graph_cond_error *err);
void graph_cond_free(struct graph_cond *cond);

int graph_exprs_compile(struct call_exprs *exprs, const struct expr_type **types,
			const struct graph_cond *cond, unsigned long ip,
			const struct arg_sig_hold *hold, struct graph_cond_error *err);

/*
 * The values of the task and of expressions in an array of longs: these values follow the
 * longs that are captured of a call
 */
enum graph_task_long {
	GRAPH_LONG_CPU = ARG_SIGS_MAX_LONGS,
	GRAPH_LONG_PID,
	GRAPH_LONG_TGID,
	GRAPH_LONG_COMM,
	/* The values of a line's keys that are expressions or texts */
	GRAPH_LONG_KEYS = GRAPH_LONG_COMM + GRAPH_KEY_COMM_SIZE / sizeof(long),
	GRAPH_LONGS = GRAPH_LONG_KEYS + GRAPH_COND_KEYS * (GRAPH_KEY_TEXT_SIZE / sizeof(long)),
};

/**
 * struct graph_field - the captured value of a comparison or a key, with the number to
 *	compare with
 * @val: the number to compare with, extended to 64 bits
 * @mask: the bits that are compared
 * @flip: the bits to flip, so that signed numbers are in the order of unsigned numbers
 * @low: the lowest number of the range that decides the comparison
 * @span: the highest number of the range, less @low
 * @strings: the longs that point to strings; for "any", the longs that are compared
 * @type: the type of an expression, see struct arg_field
 * @how: how the value is written
 * @offset: the place of the value, in bytes from the first long
 * @place: for a plain value in an argument register, its place after trace_args_registers()
 * @index: the first long of the value's parameter
 * @size: the size of the value in bytes
 * @sign: whether the value is signed
 * @string: whether the value is compared with a string, or is a key that is a text
 * @object: whether the string is in the digest of the object that the parameter points to,
 *	for a comparison or for a key
 * @outside: whether a number outside of the range meets the comparison
 * @plain: whether the value is a number in the captured longs
 * @next: see struct graph_pred
 */
struct graph_field {
	u64		val;
	u64		mask;
	u64		flip;
	u64		low;
	u64		span;
	u64		strings;
	const char	*type;
	char		how;
	u16		offset;
	u16		place;
	u8		index;
	u8		size;
	bool		sign;
	bool		string;
	bool		object;
	bool		outside;
	bool		plain;
	u8		next[2];
};

/**
 * struct graph_key - the place of a key's value
 * @what: see enum graph_pred_what
 * @form: see enum graph_key_form
 * @index: the long that holds a value that is known at the entry, see also enum
 *	graph_task_long
 * @left: number of bits above the value in the long
 * @right: number of bits by which the value is shorter than 64 bits
 * @sign: whether the value is signed
 * @pred: the number of the key in the line
 * @to: the place of the value in a row's key, in bytes after the function
 * @size: the bytes of the value in a row's key, 4 or 8
 * @longs: the longs of the value; a value with several longs has a key for each of them
 * @nth: the number of the long
 * @pad: whether the row's key has room for a text
 * @swap: whether the bytes of the value are reversed
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
	u8	longs;
	u8	nth;
	bool	pad;
	bool	swap;
	bool	copy;
};

/**
 * struct graph_prog - decides or counts the calls of a line for similar functions
 * @list: entry in the line's programs
 * @cond: the line
 * @fields: the field of each comparison or key
 * @keys: the keys of a line of keys, keys that are known at the entry first
 * @args_end: the end of the keys that are known at the entry
 * @keys_end: the end of the keys
 * @nr_regs: the number of argument registers that the keys or the comparisons need; 0 if
 *	they need other places
 * @args: whether arguments are needed at the entry
 * @strings: whether strings of parameters are needed at the entry
 * @task: whether values of the task are needed at the entry
 * @record: whether strings or the values of expressions are needed
 * @nr_entry: one more than the number of the last comparison that is known at the entry
 * @ret_size: bytes of the return value; 0 if the return value is not needed
 * @ret_sign: whether the return value is signed
 * @last_error: the highest error that the function can return, 0 if it returns no errors
 * @exprs: the expressions of the line, and the texts of objects; NULL if there are none
 * @only: the program of the condition of a line of keys, NULL if there is no condition
 */
struct graph_prog {
	struct list_head	list;
	struct graph_cond	*cond;
	struct graph_field	fields[GRAPH_COND_PREDS];
	struct graph_key	keys[GRAPH_COND_KEYS * (GRAPH_KEY_TEXT_SIZE / sizeof(long))];
	struct graph_key	*args_end;
	struct graph_key	*keys_end;
	unsigned int		nr_regs;
	bool			args;
	bool			strings;
	bool			task;
	bool			record;
	unsigned int		nr_entry;
	u8			ret_size;
	bool			ret_sign;
	s8			last_error;
	struct call_exprs	*exprs;
	struct graph_prog	*only;
};

/**
 * struct graph_entry - what decides a condition at a call's entry
 * @record: the input of the programs; at least its longs are valid. Has room for a text if a
 *	program needs a record
 * @data: the captured data, see struct arg_longs; NULL if nothing could be captured
 * @size: bytes of @data
 * @nr_longs: longs of @data
 */
struct graph_entry {
	struct call_record	*record;
	const void		*data;
	unsigned int		size;
	unsigned int		nr_longs;
};

/* Compare a number, of which the bytes of the field's value are valid */
static __always_inline bool graph_compare_number(const struct graph_field *field, u64 val)
{
	unsigned int unused = 64 - field->size * BITS_PER_BYTE;

	val <<= unused;
	val = field->sign ? (s64)val >> unused : val >> unused;
	if (unlikely(field->how == 'B'))
		val = arg_swap_bytes(val, field->size);
	return ((((val & field->mask) ^ field->flip) - field->low) <= field->span) !=
	       field->outside;
}

unsigned int graph_key_size(const struct graph_key *key);
void graph_prog_place_keys(struct graph_prog *prog);
struct graph_prog *graph_cond_prog(struct graph_cond *cond, unsigned long ip,
				   const struct arg_sig_hold *hold,
				   struct graph_cond_error *err);
void graph_prog_free(struct graph_prog *prog);
void graph_entry_capture(struct graph_entry *entry, bool args, bool strings,
			 unsigned long ip, struct ftrace_regs *fregs);
bool graph_prog_read_keys(const struct graph_prog *prog, unsigned long *longs);
u32 graph_prog_compare(const struct graph_prog *prog, const struct graph_entry *entry);
bool graph_prog_is_met(const struct graph_prog *prog, const struct graph_entry *entry);
bool graph_prog_decide(const struct graph_prog *prog, u64 ret, bool error, u64 duration,
		       u32 bits);
bool graph_ret_is_error(const struct graph_prog *prog, u64 ret);

/* Whether a line that counts a call at its return needs values of the call's entry */
static inline bool graph_prog_is_kept(const struct graph_prog *prog)
{
	return prog->cond->at_return &&
	       (prog->args_end > prog->keys || (prog->only && prog->only->nr_entry));
}

/*
 * Count a call whose values are not known, so that the line cannot be decided or counted, or so
 * that the call is shown without them
 */
static __always_inline void graph_prog_count_missed(const struct graph_prog *prog)
{
	this_cpu_inc(prog->cond->counts->missed);
}

/**
 * graph_prog_is_met_at_return - whether a call meets a condition that is decided at the return
 * @prog: the program
 * @ret: the return register
 * @duration: the call's duration in ns
 * @bits: the results of graph_prog_compare(); higher bits belong to other programs
 *
 * Any context, including NMI.
 *
 * Return: whether the condition is met.
 */
static inline bool graph_prog_is_met_at_return(const struct graph_prog *prog, u64 ret,
					       u64 duration, u32 bits)
{
	bool error = graph_ret_is_error(prog, ret);

	/* Most calls that "*: error" covers end here */
	if (!error && prog->cond->wants_error)
		return false;
	return graph_prog_decide(prog, ret, error, duration, bits);
}

/**
 * struct graph_rule - the programs of a function
 * @lines: the expressions of the programs, for the capture of a call
 * @list: entry in the rules of the filter
 * @args: whether a program needs arguments at the entry
 * @strings: whether a program needs strings of parameters at the entry
 * @task: whether a program counts by values of the task
 * @record: whether a program needs a record at the entry, see struct graph_prog
 * @entry: whether a program decides or counts at the entry
 * @at_return: whether a program counts at the return
 * @keep: number of programs that count at the return by values that are known at the entry
 * @only: whether a line of keys has a condition
 * @nr_regs: the number of argument registers that the programs need; 0 if the programs
 *	need other places
 * @nr: the number of programs
 * @simple: whether there is one program, which has no expressions
 * @least: the lowest 32 bits of a return register that may meet a condition; lower ones meet none.
 *	More than 32 bits if no return meets a condition
 * @ref: the bits of the functions' references that tell how graph_error_keep() keeps a call: the
 *	number of registers, and a bit that stands for the signature; or %ARG_SIG_REF_KIND, and
 *	then it cannot
 * @set: the number of the functions' set of signatures that it keeps as well, %ARG_SIGS_IMAGE
 *	for functions of the image
 * @nr_funcs: the number of functions that have the rule
 * @plain: whether there is one program, which is decided at the entry by numbers in argument
 *	registers
 * @progs: the programs
 */
struct graph_rule {
	struct call_lines	lines;
	struct list_head	list;
	bool			args;
	bool			strings;
	bool			task;
	bool			record;
	bool			entry;
	bool			at_return;
	unsigned int		keep;
	bool			only;
	unsigned int		nr_regs;
	unsigned int		nr;
	bool			simple;
	u64			least;
	u32			ref;
	u32			set;
	unsigned int		nr_funcs;
	bool			plain;
	struct graph_prog	*progs[] __counted_by(nr);
};

/* A capture finds a rule as its lines */
static_assert(!offsetof(struct graph_rule, lines));

/**
 * struct graph_filter - the lines of a file of a trace instance
 * @retired: used after the lines were replaced while calls may use them
 * @conds: the lines
 * @nr: the number of lines
 * @rules: the rules
 * @table: the functions; the functions of a module are added when it is loaded
 * @at_entry: whether a line compares what is known at the entry
 * @at_return: whether a line decides or counts at the return
 * @duration: whether a line needs the duration
 * @wants_errors: whether only calls that failed can meet a line
 * @keeps: whether function_graph keeps all calls until their return: for a line that decides
 *	there, or for the callers. Changed only while no callback uses the lines
 */
struct graph_filter {
	struct arg_sig_retired		retired;
	struct list_head		conds;
	unsigned int			nr;
	struct list_head		rules;
	struct func_map __rcu		*table;
	bool				at_entry;
	bool				at_return;
	bool				duration;
	bool				wants_errors;
	bool				keeps;
};

/*
 * Whether only calls that failed can meet the lines, which compare nothing at the entry. Then
 * graph_error_keep() keeps most calls, and each function that a glob matches has a rule
 */
static inline bool graph_filter_errors(const struct graph_filter *filter)
{
	return filter->wants_errors && !filter->at_entry;
}

/* Find the rule of a function, NULL if no line covers it. Called in a callback of a tracer */
static inline struct graph_rule *graph_rule_find(const struct graph_filter *filter,
						 unsigned long ip)
{
	return func_map_find(rcu_dereference_raw(filter->table), ip);
}

extern struct mutex graph_lines_mutex;

int graph_filter_build(struct graph_filter *filter,
		       struct graph_cond_error *err, struct graph_cond **bad);
void graph_filter_free(struct graph_filter *filter);
void graph_filter_retire(struct graph_filter *filter);
void graph_filter_wait(void);
int graph_filter_number(const struct graph_filter *filter);
struct graph_filter **graph_lines_of(struct trace_array *tr, enum graph_lines lines);

#ifdef CONFIG_FUNCTION_ARG_SIGS
void trace_graph_lines_init_tracefs(struct trace_array *tr, struct dentry *parent,
				    enum graph_lines lines);
void trace_graph_lines_remove(struct trace_array *tr, enum graph_lines lines);
#else
static inline void trace_graph_lines_init_tracefs(struct trace_array *tr, struct dentry *parent,
						  enum graph_lines lines) { }
static inline void trace_graph_lines_remove(struct trace_array *tr, enum graph_lines lines) { }
#endif

#endif /* _TRACE_GRAPH_LINES_H */
