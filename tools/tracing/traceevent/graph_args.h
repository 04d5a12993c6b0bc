/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations shared by the files of plugin_graph_args.so and of trace-calls */
#ifndef _TRACEEVENT_GRAPH_ARGS_H
#define _TRACEEVENT_GRAPH_ARGS_H

#include <stdbool.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>

#include "sigs.h"

#define PUBLIC	__attribute__((__visibility__("default")))

/* No stack is deeper, except in a damaged file */
#define MAX_INDENT	1024

/* The plugin's options */
enum {
	OPT_TAIL,
	OPT_DEPTH,
	OPT_RETVAL_SKIP,
	OPT_RETVAL_DEC,
	OPT_RETVAL_HEX,
	OPT_ARGS_SKIP,
	OPT_PARENT,
	OPT_INDENT,
	OPT_OFFSET,
	NR_OPTS
};

/**
 * struct layout - the places of fields in an event
 * @id: the event's number
 * @func: the function
 * @parent: the address of the caller (function tracer, funcgraph-retaddr)
 * @depth: the depth of the call
 * @calltime: the time of the entry (exit)
 * @rettime: the time of the exit (exit)
 * @length: how long before the event's time the call began (funcgraph-single)
 * @retval: the return value (exit), NULL if it is not recorded
 * @flags: whether the call has returned, and how (funcgraph-single)
 * @number: the number of the CPU's next branch, NULL if the event has no place for it
 * @args: the arguments, NULL if the event has no place for them
 * @second: the second return register, NULL if the event has no place for it
 * @end: bytes of all fields; other captured data follows the fields
 */
struct layout {
	int				id;
	const struct tep_format_field	*func;
	const struct tep_format_field	*parent;
	const struct tep_format_field	*depth;
	const struct tep_format_field	*calltime;
	const struct tep_format_field	*rettime;
	const struct tep_format_field	*length;
	const struct tep_format_field	*retval;
	const struct tep_format_field	*flags;
	const struct tep_format_field	*number;
	const struct tep_format_field	*args;
	const struct tep_format_field	*second;
	int				end;
};

/**
 * struct formats - the places of fields in a recording's events
 * @tep: the handle that knows the events
 * @native: numbers have the byte order of this machine
 * @registers: events have the argument registers, because the kernel does not have
 *	signatures
 * @damaged: a format has fields at offsets that no event has
 * @entry: the entry event
 * @retaddr_entry: the entry event with funcgraph-retaddr; not all kernels have
 *	it
 * @exit: the exit event
 * @single: the event of a whole call, with funcgraph-single; not all kernels
 *	have it
 * @function: the event of the function tracer
 */
struct formats {
	struct tep_handle	*tep;
	bool			native;
	bool			registers;
	bool			damaged;
	struct layout		entry;
	struct layout		retaddr_entry;
	struct layout		exit;
	struct layout		single;
	struct layout		function;
};

/**
 * struct call - an entry, an exit or both, or the function tracer's event
 * @func: the function
 * @parent: the address of the caller, 0 if it is not recorded
 * @depth: the depth of the call
 * @number: the number of the CPU's next branch, see BTS_NUMBER_BITS; 0 if there is none
 * @pid: the task of the call
 * @open: the call had not returned when recording ended (funcgraph-single)
 * @calltime: the time when the call began (exit)
 * @duration: the duration of the call (exit)
 * @regs: the return registers (exit), RAX and RDX
 * @nr_regs: number of known registers (exit)
 * @results: results besides the registers (exit)
 * @tail: the data after the fields
 * @tail_size: bytes of @tail
 */
struct call {
	u64		func;
	u64		parent;
	int		depth;
	u64		number;
	int		pid;
	bool		open;
	u64		calltime;
	u64		duration;
	u64		regs[2];
	unsigned int	nr_regs;
	struct arg_longs results;
	const void	*tail;
	unsigned int	tail_size;
};

/**
 * enum call_kind - what an event says about a call
 * @CALL_OTHER: the event is no event of the function_graph or function tracer
 * @CALL_ENTRY: the entry
 * @CALL_EXIT: the exit
 * @CALL_SINGLE: the whole call
 * @CALL_FUNCTION: the entry, from the function tracer
 * @CALL_DAMAGED: the event is shorter than its fields
 */
enum call_kind {
	CALL_OTHER,
	CALL_ENTRY,
	CALL_EXIT,
	CALL_SINGLE,
	CALL_FUNCTION,
	CALL_DAMAGED,
};

/**
 * struct graph_line - the contents of a line of the graph tracer
 * @opts: the plugin's options
 * @sigs: the recording's signatures
 * @func: the function
 * @entry: the call's entry, NULL if the line has only the exit
 * @exit: the call's exit, NULL if the line has only the entry
 * @args: whether to show arguments
 * @lost: the entry is not known, so the exit has to show the name
 */
struct graph_line {
	const bool		*opts;
	struct sigs		*sigs;
	const struct sig_func	*func;
	const struct call	*entry;
	const struct call	*exit;
	bool			args;
	bool			lost;
};

/* decode.c */
struct sigs *decode_formats(struct formats *formats, struct tep_handle *tep);
bool decode_has_graph(const struct formats *formats);
enum call_kind decode_event(const struct formats *formats, struct tep_record *record,
			    struct call *call);
u32 decode_set(const struct call *call);
struct arg_longs decode_longs(const struct call *call);
struct arg_longs decode_placed(const struct call *call, const struct sig_func *func,
			       u64 placed[ARG_SIGS_MAX_LONGS]);

/* line.c */
void line_put_args(struct arg_out *out, const struct sig_func *func,
		   const struct call *entry);
void line_put_caller(struct arg_out *out, struct sigs *sigs, u64 parent, bool offset);
void line_put_graph(struct arg_out *out, const struct graph_line *line);
void line_put_single(struct arg_out *out, const struct graph_line *line);

/* stock.c */
void __printf(2, 3) stock_printf(struct arg_out *out, const char *format, ...);
void stock_put_columns(struct arg_out *out, const struct call *exit,
		       const char *marks, int depth);
void stock_put_depth(const bool *opts, struct arg_out *out, int depth);
void stock_put_function(struct tep_handle *tep, const bool *opts,
			struct arg_out *out, const struct call *call);

#endif /* _TRACEEVENT_GRAPH_ARGS_H */
