/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls: convert the calls in a recording to data
 *
 *   trace-calls.c   the list of commands
 *   options.c       the options that all commands have
 *   cmd-*.c         one command each
 *   reader.c        a recording's events in the order of their time
 *   spans.c         the calls of events
 *   live.c          an instance's events while they are recorded
 *   formats.c       the formats of events and the symbols, which libtracecmd reads
 *   values.c        the arguments and the return value of a call, as values, and its names
 *   filter.c        filters on these values
 *   filter-parse.c  parses the filters
 *   stats.c         the counts of summary and diff
 *   stacks.c        folded stacks
 *   graph.c         the calls and events that graph and tui show
 *   tree.c          calls with their callees, in the order of begins
 *   dat.c           the pages and the events of trace-cmd's files
 *   arrays.h        memory and growing arrays
 *   branches.h      the branches of the bts tracer
 *   out.c           text, JSON's strings, progress
 *   memory.c        the end of a program that has no memory
 *
 * Events are decoded by the plugin's files in ../traceevent, and values come from the
 * same walk that writes the kernel's text, see kernel/trace/args/text.h.
 */
#ifndef _TRACE_CALLS_H
#define _TRACE_CALLS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/bitops.h>
#include <linux/errname.h>
#include <linux/kernel.h>
#include <trace-cmd.h>

#include "../traceevent/graph_args.h"
#include "../traceevent/hash.h"
#include "dat.h"

/**
 * enum item_kind - the kind of an item of a list of values
 * @ITEM_VALUE: a value
 * @ITEM_RECORD: the start of a record; its members follow up to ITEM_END
 * @ITEM_ARRAY: the start of an array; its elements follow up to ITEM_END
 * @ITEM_END: the end of a record or an array
 */
enum item_kind {
	ITEM_VALUE,
	ITEM_RECORD,
	ITEM_ARRAY,
	ITEM_END,
};

/**
 * struct item - a value, or the start or the end of a record or an array
 * @kind: the kind
 * @name: the name in the signature, or the number of an item without a name
 * @len: characters of @name
 * @value: the value of ITEM_VALUE
 */
struct item {
	enum item_kind		kind;
	const char		*name;
	unsigned int		len;
	struct arg_value	value;
};

/**
 * struct values - the arguments of a call, or its return value
 * @sink: gets the values from the walk
 * @items: the values
 * @nr: number of items
 * @room: capacity of @items, in elements
 * @name: the name of the next value
 * @len: characters of @name
 * @text: the text of all values, followed by their names
 * @names: the place of the next name
 */
struct values {
	struct arg_sink	sink;
	struct item	*items;
	unsigned int	nr;
	size_t		room;
	const char	*name;
	unsigned int	len;
	char		*text;
	char		*names;
};

/**
 * struct level - the calls of one depth whose caller has not ended
 * @begin: the time when the first call began
 * @from: the shown time when the first call began, see struct span; 0 if there is no call
 * @to: the shown time when the last call ended
 * @nr_gaps: the number of the task's gaps when the first call ended, see spans.c
 */
struct level {
	u64	begin;
	u64	from;
	u64	to;
	u64	nr_gaps;
};

struct tree_node;

/**
 * struct callee - a call that has ended, whose caller has not ended, or an event in this caller
 * @begin: the time when the call began, or @from if the clock does not have this time
 * @from: the shown time of the begin, see struct span
 * @duration: nanoseconds, 0 if the exit is not known; with those of an interrupt before the exit
 * @depth: the depth of the call
 * @node: the command's struct for the call, see tree.c; NULL if there is none
 */
struct callee {
	u64			begin;
	u64			from;
	u64			duration;
	int			depth;
	struct tree_node	*node;
};

/**
 * struct ended - the ended calls of a kind, see span_nested()
 * @node: the element of the task's hash
 * @calls: the calls without those in other calls of the kind, in their order
 * @nr: number of elements of @calls
 * @room: capacity of @calls, in elements
 */
struct ended {
	struct hash_node	node;
	struct ended_call	*calls;
	unsigned int		nr;
	size_t			room;
};

/**
 * struct task - a task in one buffer of a recording
 * @node: the element of the hash
 * @buffer: the buffer
 * @pid: the task's number
 * @cpu: the CPU of the task's last event
 * @id: a unique number, from 1 on
 * @nr_lost: the buffer's @nr_lost at the task's last event
 * @open: the open calls, the outermost call first
 * @nr: number of elements of @open
 * @unsure: number of these calls that may have ended, because events were lost
 * @nr_endless: number of calls whose exit is missing
 * @room: capacity of @open, in elements
 * @bytes: the words and strings of the open calls, one after the other
 * @size: bytes of @bytes
 * @bytes_room: capacity of @bytes
 * @levels: the calls whose callers have not ended, by depth
 * @nr_levels: number of depths
 * @levels_room: capacity of @levels, in elements
 * @stored: the levels at the last loss
 * @nr_stored: number of elements of @stored
 * @stored_room: capacity of @stored, in elements
 * @callees: the ended calls whose callers have not ended, without the callees of these calls,
 *	in the order of their begins
 * @nr_callees: number of elements of @callees
 * @callees_room: capacity of @callees, in elements
 * @nr_nodes: number of calls and events with a struct of the command
 * @ended: the ended calls in the outermost call, see span_nested()
 * @shown: the shown time of the task's last event, see struct span
 * @floor: the shown time of the last loss
 * @data: private data of the command
 * @branches: the task's stack of calls in branches, see branches.c
 */
struct task {
	struct hash_node node;
	struct buffer	*buffer;
	int		pid;
	int		cpu;
	u32		id;
	u64		nr_lost;
	struct open	*open;
	unsigned int	nr;
	unsigned int	unsure;
	u64		nr_endless;
	size_t		room;
	char		*bytes;
	size_t		size;
	size_t		bytes_room;
	struct level	*levels;
	unsigned int	nr_levels;
	size_t		levels_room;
	struct level	*stored;
	unsigned int	nr_stored;
	size_t		stored_room;
	struct callee	*callees;
	unsigned int	nr_callees;
	size_t		callees_room;
	unsigned int	nr_nodes;
	struct hash	ended;
	u64		shown;
	u64		floor;
	u64		data;
	struct branch_stack *branches;
};

/**
 * struct open - an open call
 * @func: the function
 * @set: the number of the function's set of signatures
 * @depth: the depth of the call
 * @cpu: the CPU of the entry
 * @begin: the time of the entry, which may have been written late
 * @from: if the call is unsure, the shown time of the entry
 * @to: if the call is unsure, the shown time of the loss
 * @earlier: deeper calls before the entry, which are callees if the entry was written late
 * @before: the level of the call without these calls
 * @caller: the address of the caller, 0 if it is not recorded
 * @tail: the place of the call's words and strings in the task's @bytes
 * @tail_size: number of these bytes
 * @nr_lost: the buffer's @nr_lost at the entry
 * @unsure: number of callers that were unsure at the entry
 * @number: the number of the CPU's next branch at the entry, see struct call
 * @data: private data of the command
 */
struct open {
	u64		func;
	u32		set;
	int		depth;
	int		cpu;
	u64		begin;
	u64		from;
	u64		to;
	struct level	earlier;
	struct level	before;
	u64		caller;
	size_t		tail;
	unsigned int	tail_size;
	u64		nr_lost;
	unsigned int	unsure;
	u64		number;
	u64		data;
};

/**
 * enum span_lost - the part of a call that is not in the recording
 * @SPAN_WHOLE: nothing is missing
 * @SPAN_NO_BEGIN: the entry is missing, so the arguments are not known
 * @SPAN_NO_END: the exit is missing, so neither the duration nor the return value is
 *	known
 */
enum span_lost {
	SPAN_WHOLE,
	SPAN_NO_BEGIN,
	SPAN_NO_END,
};

/**
 * struct span - a call from its entry to its exit
 * @calls: the reader
 * @task: the task of the call
 * @func: the function
 * @set: the number of the function's set of signatures
 * @lost: the part of the call that is not known
 * @passes: the call passes the filters
 * @cpu: the CPU of the entry, or of the exit if the entry is not known
 * @depth: the depth of the call
 * @begin: the time when the call began; the time of the entry if the exit is not known
 * @end: the time when the call ended, 0 if the exit is not known
 * @duration: nanoseconds without sleep if sleep-time is off, 0 if the exit is not known
 * @self: @duration without the callees
 * @place: the place of the call in the task's @callees
 * @callees: the nodes of the callees, in the order of their begins
 * @last: the last of these nodes
 * @from: the shown time of the begin; shown times of a task's calls are nested or apart
 * @to: the shown time of the exit, or a possible time of the exit
 * @caller: the address of the caller, 0 if it is not recorded
 * @call: the fields of the exit, and the words of the entry
 * @number: the number of the CPU's next branch at the entry, 0 if it is not known
 * @has_args: the arguments were recorded
 * @has_ret: the call returns a value, and the value was recorded
 * @has_changed: the results through pointers were recorded
 * @error: the negative number of the returned error, else 0
 * @args: the arguments, after span_args() was called
 * @ret: the return value, after span_ret() was called
 * @changed: the results through pointers, after span_changed() was called
 */
struct span {
	struct calls		*calls;
	struct task		*task;
	const struct sig_func	*func;
	u32			set;
	enum span_lost		lost;
	bool			passes;
	int			cpu;
	int			depth;
	u64			begin;
	u64			end;
	u64			duration;
	u64			self;
	unsigned int		place;
	struct tree_node	*callees;
	struct tree_node	*last;
	u64			from;
	u64			to;
	u64			caller;
	struct call		call;
	u64			number;
	bool			has_args;
	bool			has_ret;
	bool			has_changed;
	int			error;
	const struct values	*args;
	const struct values	*ret;
	const struct values	*changed;
};

/**
 * struct stream - a CPU of a buffer
 * @buffer: the buffer
 * @pages: the place of the CPU's pages in a file
 * @dat: the CPU's events in a file
 * @record: the CPU's next event
 * @lost: number of events that were lost before @record, -1 if unknown
 * @begun: the task of the last event if this event was an entry, else NULL
 */
struct stream {
	struct buffer		*buffer;
	const struct dat_cpu	*pages;
	struct dat_stream	dat;
	struct tep_record	*record;
	long long		lost;
	const struct task	*begun;
};

/**
 * struct buffer - a buffer of a recording: trace-cmd's own buffer, or an instance's
 * @name: the instance's name, NULL for the first buffer
 * @nr_lost: number of losses of events
 * @nr_lossy: number of CPUs whose next event follows lost events
 */
struct buffer {
	const char		*name;
	u64			nr_lost;
	int			nr_lossy;
};

/**
 * struct calls_ops - a command's functions for events
 * @open: called when the recording was opened, before the first event; returns false
 *	after a message to stop reading. May be NULL
 * @begin: handles the entry of a call; may be NULL
 * @end: handles the exit of a call, after the exits of its callees. If NULL, events of
 *	calls go to @event
 * @event: handles any other event; may be NULL
 * @run: reads the streams of the CPUs itself, instead of @begin, @end, @event and @lost
 * @all: @end also gets the calls that do not pass the filters
 * @slices: the times of events have to be nanoseconds
 * @lost: handles a loss of events of a CPU, -1 if their number is unknown; may be NULL
 */
struct calls_ops {
	bool	(*open)(struct calls *calls);
	void	(*begin)(struct calls *calls, struct task *task, struct open *open);
	void	(*end)(struct calls *calls, struct span *span, struct open *open);
	void	(*event)(struct calls *calls, struct task *task,
			 struct tep_record *record, u64 shown);
	void	(*run)(struct calls *calls);
	void	(*lost)(struct calls *calls, struct buffer *buffer, int cpu,
			u64 time, long long nr);
	bool	all;
	bool	slices;
};

/**
 * enum clock - how the times of events relate to the times of calls
 * @CLOCK_CALLS: they are the same clock
 * @CLOCK_OTHER: they are another clock of nanoseconds
 * @CLOCK_COUNTS: they are no nanoseconds
 */
enum clock {
	CLOCK_CALLS,
	CLOCK_OTHER,
	CLOCK_COUNTS,
};

/**
 * struct calls - a recording while it is read
 * @file: the name of the file
 * @size: the size of the file in bytes
 * @dat: the places of the recording's events
 * @in: libtracecmd's input, which has the formats of events
 * @tep: the handle that knows the recording's events
 * @formats: the places of fields in the recording's events
 * @sigs: the recording's signatures; if there are none, only the functions' names
 * @buffers: the recording's buffers
 * @nr_buffers: number of elements of @buffers
 * @streams: the CPUs of all buffers, one buffer after the other
 * @nr_streams: number of elements of @streams
 * @heap: @streams, the CPU with the earliest event first
 * @nr_heap: number of CPUs that have an event
 * @clock: how the times of events relate to the times of calls
 * @tasks: the tasks
 * @filters: the filters of the wanted calls; NULL passes all calls
 * @ops: the command's functions for events
 * @data: private data of the command
 * @args: memory for a call's arguments
 * @ret: memory for a call's return value
 * @changed: memory for a call's results through pointers
 * @done: number of bytes that were read
 * @nr_spans: number of calls that passed the filters
 * @nr_lost: number of losses of events
 * @enough: the command needs no more events
 * @damaged: a part could not be read, and a message was printed
 * @failed: nothing could be read, and a message was printed
 */
struct calls {
	const char		*file;
	u64			size;
	struct dat_in		dat;
	struct tracecmd_input	*in;
	struct tep_handle	*tep;
	struct formats		formats;
	struct sigs		*sigs;
	struct buffer		*buffers;
	int			nr_buffers;
	struct stream		*streams;
	unsigned int		nr_streams;
	struct stream		**heap;
	unsigned int		nr_heap;
	enum clock		clock;
	struct hash		tasks;
	struct filter		*filters;
	const struct calls_ops	*ops;
	void			*data;
	struct values		args;
	struct values		ret;
	struct values		changed;
	u64			done;
	u64			nr_spans;
	u64			nr_lost;
	bool			enough;
	bool			damaged;
	bool			failed;
};

/**
 * enum status - the exit status of the program
 * @STATUS_GOOD: all was read and written
 * @STATUS_FAILED: nothing is shown, and a file of --output keeps its contents
 * @STATUS_USAGE: the options are wrong
 * @STATUS_PART: a part of the recording could not be read, and the rest was written
 * @STATUS_UNTRACED: run could not trace the command, whose own status is below this number
 */
enum status {
	STATUS_GOOD,
	STATUS_FAILED,
	STATUS_USAGE,
	STATUS_PART,
	STATUS_UNTRACED = 125,
};

/**
 * struct command - a command
 * @name: its name
 * @title: a line of help
 * @run: runs the command with its options; returns the program's status
 */
struct command {
	const char	*name;
	const char	*title;
	int		(*run)(int argc, char **argv);
};

/* cmd-*.c: the functions of struct command */
int cmd_graph(int argc, char **argv);
int cmd_json(int argc, char **argv);
int cmd_perfetto(int argc, char **argv);
int cmd_chrome(int argc, char **argv);
int cmd_summary(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_tui(int argc, char **argv);
int cmd_branches(int argc, char **argv);
int cmd_expr(int argc, char **argv);
int cmd_signatures(int argc, char **argv);
int cmd_probes(int argc, char **argv);
int cmd_vmcore(int argc, char **argv);

/**
 * struct choice - an option of a command
 * @letter: the letter of the option
 * @name: its name
 * @value: the name of its value in the help, "[=VALUE]" if the value may be left out, NULL if it
 *	has none
 * @help: its help, in lines
 * @flag: set to true if the option is given
 * @text: set to the value. If neither is there, @set of struct options sets the option.
 */
struct choice {
	char		letter;
	const char	*name;
	const char	*value;
	const char	*help;
	bool		*flag;
	const char	**text;
};

/**
 * struct options - the options that commands have in common
 * @usage: the usage of the command
 * @choices: the command's own options, up to an option without a name; NULL if there are none
 * @filters_help: the help of --filter if @set handles --filter; NULL for the filters of calls
 *	in a file
 * @unfiltered: what --filter does not apply to, for a command without --filter
 * @terminal: whether the command has no output but the terminal
 * @writes_sigs: whether the command writes a file of signatures, and reads none
 * @examples: the examples for @filters_help
 * @set: sets an option of @choices by itself; returns false if the value is wrong
 * @filters: the filters of the command line
 * @output: the output file of the command line
 */
struct options {
	const char		*usage;
	const struct choice	*choices;
	const char		*filters_help;
	const char		*unfiltered;
	bool			terminal;
	bool			writes_sigs;
	const char		*examples;
	bool			(*set)(int option, const char *value);
	struct filter		*filters;
	const char		*output;
};

/* trace-calls.c */
int options_parse(struct options *options, int argc, char **argv, int nr_files);
int finish(struct calls *calls, const struct options *options);

/* reader.c */
bool complain_of_registers(const struct formats *formats, const char *name);
bool calls_read(struct calls *calls, const char *file, struct filter *filters,
		const struct calls_ops *ops, void *data);
void calls_free(struct calls *calls);
void stream_read(struct calls *calls, struct stream *stream);
void streams_begin(struct calls *calls);

/* spans.c */
u64 span_nested(const struct span *span, u64 kind);
void spans_init(struct calls *calls);
void stream_next(struct stream *stream, struct tep_record *record);
void spans_event(struct calls *calls, struct stream *stream);
void spans_end(struct calls *calls);
void spans_free(struct calls *calls);
const char *task_comm(const struct calls *calls, const struct task *task);
const char *func_name(const struct sig_func *func);
const struct values *span_args(struct span *span);
const struct values *span_ret(struct span *span);
const struct values *span_changed(struct span *span);

/* formats.c */
struct tracecmd_input *formats_open(const struct dat_in *in, bool *damaged);

/* values.c */
void values_init(struct values *values);
void values_free(struct values *values);
unsigned int values_skip(const struct values *values, unsigned int i);
const struct item *values_find(const struct values *values, const char *name);
bool value_is_number(const struct arg_value *value);

/* filter.c */
struct filter *filter_add(struct filter *filters, const char *text);
void filters_free(struct filter *filters);
bool filter_has_glob(const char *text);
bool filters_pass(struct filter *filters, struct span *span);
bool filters_check(const struct filter *filters, const char *file);

/* out.c */
bool out_open(const char *name);
void catch_signal(int sig, void (*handler)(int sig));
bool out_is(const char *input);
const char *out_save(const char *name);
bool out_saved(void);
bool out_page(void);
void out_data(void);
void out_colour(const char *code);
bool out_is_stdout(void);
int out_close(int status);
bool out_flush(void);
bool out_failed(void);
FILE *out_switch(FILE *to);
void out_capture(void);
const char *out_captured(size_t *size);
void out_write(const char *text, size_t len);
void __printf(1, 2) out_printf(const char *format, ...);
void out_udec(u64 val);
void out_json_string(const char *text, size_t len);
void out_json_integer(u64 val, bool negative);
void out_big_strings(void);
void out_json_members(const struct values *values);
void out_json_results(const char *ret_name, const char *changed_name, const char *error_name,
		      struct span *span);
void out_task(const struct calls *calls, const struct task *task, int cpu);
void out_event_line(const char *text, int depth);
void out_lost(int cpu, long long nr);
void out_line(struct sigs *sigs, struct graph_line *line);
bool is_utf8(const char *text, size_t len);
void __printf(1, 2) complain(const char *format, ...);
u64 time_now(void);
void progress(const struct calls *calls);
void progress_end(void);

/* Write text. Inline, as are its users below, so that the compiler counts constant texts */
static inline void out_puts(const char *text)
{
	out_write(text, strlen(text));
}

/* Write a text, such as ",\"name\":", and a string of JSON after it */
static inline void out_json_text(const char *before, const char *text)
{
	out_puts(before);
	out_json_string(text, strlen(text));
}

/* Write a text, such as ",\"name\":", and a number after it */
static inline void out_json_number(const char *before, u64 val)
{
	out_puts(before);
	out_json_integer(val, false);
}

/* cmd-json.c */
void json_end(struct calls *calls);

/* memory.c */
extern const char *program;
extern int memory_status;

/* The file that trace-cmd record writes, and that commands read if no file is named */
#define RECORDING	"trace.dat"
extern const struct calls_ops json_ops;

#endif /* _TRACE_CALLS_H */
