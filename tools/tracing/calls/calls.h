/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace-calls: turns the calls of a recording into data
 *
 *   trace-calls.c   the options that all commands have, and the list of commands
 *   cmd-*.c         a command each
 *   reader.c        a recording's events in the order of their time
 *   spans.c         the calls that events belong to
 *   live.c          an instance's events while they are recorded
 *   guard.c         protection from libtracecmd's failures on damaged files
 *   values.c        a call's arguments and its return value, as values
 *   filter.c        filters by these values
 *   stats.c         the counts of summary and diff
 *   datfile.c       the files that unfold reads and writes
 *   sort.c          the order of events in the file that unfold writes
 *   temp.c          the files that unfold needs meanwhile
 *   arrays.h        arrays that grow, and heaps
 *   branches.h      the branches of the bts tracer
 *   out.c           text, JSON's strings, progress
 *
 * Events are decoded by the plugin's files in ../traceevent, and values come from
 * the walk that writes the kernel's text, kernel/trace/trace_args_text.h.
 */
#ifndef _TRACE_CALLS_H
#define _TRACE_CALLS_H

#include <stdbool.h>
#include <stdio.h>

#include <linux/bitops.h>
#include <linux/errname.h>
#include <linux/kernel.h>
#include <trace-cmd.h>

#include "../traceevent/graph_args.h"

/**
 * enum item_kind - the kind of an item of a list of values
 * @ITEM_VALUE: a value
 * @ITEM_RECORD: a record begins, its members follow up to ITEM_END
 * @ITEM_ARRAY: an array begins, its elements follow up to ITEM_END
 * @ITEM_END: the end of a record or an array
 */
enum item_kind {
	ITEM_VALUE,
	ITEM_RECORD,
	ITEM_ARRAY,
	ITEM_END,
};

/**
 * struct item - a value, or where a record or an array begins or ends
 * @kind: which of these
 * @name: the name, in the signature; an item without a name has its number instead
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
 * @sink: told by the walk
 * @items: the values
 * @nr: how many items there are
 * @room: how many there is room for
 * @name: the name of the next value
 * @len: characters of @name
 * @depth: records and arrays that have begun
 * @text: the text of all of them, then their names
 * @names: where the next name goes
 * @failed: there was no memory
 */
struct values {
	struct arg_sink	sink;
	struct item	*items;
	unsigned int	nr;
	size_t		room;
	const char	*name;
	unsigned int	len;
	unsigned int	depth;
	char		*text;
	char		*names;
	bool		failed;
};

/**
 * struct level - the last calls of one depth that had an event each, at their return
 * @begin: when the first of them began, as it is shown; 0 if there is none
 * @end: when the last of them ended, as it is shown
 * @sum: how long they took
 *
 * The next call that is less deep is their caller.
 */
struct level {
	u64	begin;
	u64	end;
	u64	sum;
};

/**
 * struct task - a task in one buffer of a recording
 * @next: in the same slot of the hash
 * @buffer: the buffer
 * @pid: its number
 * @cpu: the CPU of its last event
 * @id: a number of its own, from 1 on
 * @nr_lost: the buffer's @nr_lost at the task's last event
 * @open: the calls that have begun, the outermost first
 * @nr: how many there are
 * @room: how many there is room for
 * @bytes: the words and strings of the open calls, one behind the other
 * @size: bytes of @bytes
 * @bytes_room: how many there is room for
 * @levels: the calls that had an event each, by depth
 * @nr_levels: how many depths there are
 * @levels_room: how many there is room for
 * @shown: the time of its last event, see struct span
 * @floor: the lowest @shown of events that follow a loss
 * @first: the first of @shown behind @floor, 0 if there is none
 * @alone: the begin, as it is shown, of the last call behind @floor whose begin was
 *	lost, 0 if there is none
 * @data: the command's own
 * @branches: a number for its branches, see branches.c
 */
struct task {
	struct task	*next;
	struct buffer	*buffer;
	int		pid;
	int		cpu;
	u32		id;
	u64		nr_lost;
	struct open	*open;
	unsigned int	nr;
	size_t		room;
	char		*bytes;
	size_t		size;
	size_t		bytes_room;
	struct level	*levels;
	unsigned int	nr_levels;
	size_t		levels_room;
	u64		shown;
	u64		floor;
	u64		first;
	u64		alone;
	u64		data;
	u32		branches;
};

/**
 * struct open - a call that has begun
 * @func: the function
 * @set: the number of its set of signatures
 * @depth: how deep it is
 * @cpu: where it began
 * @begin: when it began
 * @shown: the same, see struct span
 * @children: nanoseconds of the calls in it
 * @caller: where it was called from, 0 if that is not recorded
 * @tail: where in the task's @bytes its words and strings are
 * @tail_size: how many bytes these are
 * @nr_lost: the buffer's @nr_lost when it began
 * @data: the command's own
 */
struct open {
	u64		func;
	u32		set;
	int		depth;
	int		cpu;
	u64		begin;
	u64		shown;
	u64		children;
	u64		caller;
	size_t		tail;
	unsigned int	tail_size;
	u64		nr_lost;
	u64		data;
};

/**
 * enum span_lost - the part of a call that is not in the recording
 * @SPAN_WHOLE: no part
 * @SPAN_NO_BEGIN: its begin, so its arguments are not known
 * @SPAN_NO_END: its end, so neither its duration nor its return value is known
 */
enum span_lost {
	SPAN_WHOLE,
	SPAN_NO_BEGIN,
	SPAN_NO_END,
};

/**
 * struct span - a call from its begin to its end
 * @calls: the reader
 * @task: whose call it is
 * @func: the function
 * @lost: the part that is not known
 * @cpu: where it began, where it ended if the begin is not known
 * @depth: how deep it is
 * @begin: when it began
 * @duration: nanoseconds, 0 if the end is not known
 * @self: the same without the calls in it
 * @from: when it began, so that the calls of a task are within each other or apart
 * @to: when it ended, or could have, in the same way
 * @caller: where it was called from, 0 if that is not recorded
 * @call: the fields of its end, and the words of its begin
 * @has_args: its arguments were recorded
 * @has_ret: it returns a value, and the value was recorded
 * @has_changed: what it gave back by pointers was recorded
 * @error: the negative number of the error that it returned, else 0
 * @args: its arguments, once span_args() was called
 * @ret: its return value, once span_ret() was called
 * @changed: these values, once span_changed() was called
 */
struct span {
	struct calls		*calls;
	struct task		*task;
	const struct sig_func	*func;
	enum span_lost		lost;
	int			cpu;
	int			depth;
	u64			begin;
	u64			duration;
	u64			self;
	u64			from;
	u64			to;
	u64			caller;
	struct call		call;
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
 * @index: the CPU's index in it
 * @record: its next event
 * @again: the same event from another input, see renew()
 * @lost: the events before @record that were lost, -1 if their number is not known
 * @begun: the task whose call began with the event before, NULL if none began
 * @kept: the first page of a mapped file that was not given back
 */
struct stream {
	struct buffer		*buffer;
	int			index;
	struct tep_record	*record;
	struct tep_record	*again;
	long long		lost;
	const struct task	*begun;
	unsigned long		kept;
};

/**
 * struct buffer - a buffer of a recording: trace-cmd's own buffer, or an instance's
 * @in: where it is read from
 * @name: the instance's name, NULL for the first one
 * @streams: its CPUs
 * @nr: how many there are
 * @nr_lost: how often events were lost
 * @nr_lossy: CPUs whose next event follows lost ones
 */
struct buffer {
	struct tracecmd_input	*in;
	const char		*name;
	struct stream		*streams;
	int			nr;
	u64			nr_lost;
	int			nr_lossy;
};

/**
 * struct calls_ops - the events that a command is told
 * @open: the recording was opened, and no event was read; if this returns false, none
 *	is.  A message was printed then.  May be NULL
 * @begin: a call begins; may be NULL
 * @end: a call has ended; its callees have ended before.  NULL: events of calls are like
 *	any other event
 * @event: any other event; may be NULL
 * @lost: events of a CPU were lost, -1 if it is not known how many; may be NULL
 */
struct calls_ops {
	bool	(*open)(struct calls *calls);
	void	(*begin)(struct calls *calls, struct task *task, struct open *open);
	void	(*end)(struct calls *calls, struct span *span, struct open *open);
	void	(*event)(struct calls *calls, struct task *task,
			 struct tep_record *record, u64 shown);
	void	(*lost)(struct calls *calls, struct buffer *buffer, int cpu,
			u64 time, long long nr);
};

/**
 * struct calls - a recording while it is read
 * @file: its name
 * @size: its bytes
 * @in: where it is read from
 * @tep: the handle that knows its events
 * @formats: the places of fields in its events
 * @sigs: its signatures; if the recording has none, only the functions' names
 * @buffers: its buffers
 * @nr_buffers: how many there are
 * @heap: the CPUs of all buffers, the one with the earliest event first
 * @nr_heap: how many have one
 * @tasks: hash of tasks
 * @task_bits: the hash has two to this power slots
 * @nr_tasks: how many there are
 * @filters: which calls are wanted, NULL: all
 * @ops: the events that the command is told
 * @data: the command's own
 * @args: room for a call's arguments
 * @ret: room for its return value
 * @changed: room for what it gave back by pointers
 * @done: bytes that were read
 * @first: the inputs of the buffers that were opened first
 * @inputs: those that events are read from now, NULL if these are @first
 * @renewed: @done when new inputs were last considered
 * @heap_size: what was allocated when @inputs were opened
 * @nr_spans: calls that the filters let pass
 * @nr_lost: how often events were lost
 * @failed: something could not be read; a message was printed
 */
struct calls {
	const char		*file;
	u64			size;
	struct tracecmd_input	*in;
	struct tep_handle	*tep;
	struct formats		formats;
	struct sigs		*sigs;
	struct buffer		*buffers;
	int			nr_buffers;
	struct stream		**heap;
	unsigned int		nr_heap;
	struct task		**tasks;
	unsigned int		task_bits;
	u32			nr_tasks;
	struct filter		*filters;
	const struct calls_ops	*ops;
	void			*data;
	struct values		args;
	struct values		ret;
	struct values		changed;
	u64			done;
	struct tracecmd_input	**first;
	struct tracecmd_input	**inputs;
	u64			renewed;
	size_t			heap_size;
	u64			nr_spans;
	u64			nr_lost;
	bool			failed;
};

/**
 * struct command - a command
 * @name: its name
 * @title: what it does, a line
 * @run: runs it, with its options; returns the program's status
 */
struct command {
	const char	*name;
	const char	*title;
	int		(*run)(int argc, char **argv);
};

int cmd_json(int argc, char **argv);
int cmd_perfetto(int argc, char **argv);
int cmd_chrome(int argc, char **argv);
int cmd_summary(int argc, char **argv);
int cmd_flame(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_unfold(int argc, char **argv);
int cmd_branches(int argc, char **argv);
int cmd_expr(int argc, char **argv);

struct option;

/**
 * struct options - the options that commands have in common
 * @usage: how the command is called, and its own options
 * @filters_help: the help of --filter, whose value @set gets then; NULL for the filters
 *	of calls that are read from a file
 * @examples: the examples that belong to @filters_help
 * @shorts: its own options with one letter, for getopt_long()
 * @longs: its own options with a name, up to one without
 * @set: sets one of these; false if the value is wrong
 * @filters: the filters that were given
 * @output: the file that was given to write to
 */
struct options {
	const char		*usage;
	const char		*filters_help;
	const char		*examples;
	const char		*shorts;
	const struct option	*longs;
	bool			(*set)(int option, const char *value);
	struct filter		*filters;
	const char		*output;
};

/* trace-calls.c */
int options_parse(struct options *options, int argc, char **argv, int nr_files);
int finish(const struct calls *calls, const struct options *options);

/* reader.c */
int calls_read(struct calls *calls, const char *file, struct filter *filters,
	       const struct calls_ops *ops, void *data);
void calls_free(struct calls *calls);
const char *file_foreign(const char *file, u64 *size, int *version);

/* spans.c */
bool spans_init(struct calls *calls);
void stream_next(struct stream *stream, struct tep_record *record);
bool spans_event(struct calls *calls, struct stream *stream);
void spans_end(struct calls *calls);
void spans_free(struct calls *calls);
u64 task_shown(struct task *task, u64 time);
const char *task_comm(const struct calls *calls, const struct task *task);
const char *func_name(const struct sig_func *func, char *buf, size_t size);
const struct values *span_args(struct span *span);
const struct values *span_ret(struct span *span);
const struct values *span_changed(struct span *span);

/* guard.c */
void guard_begin(void);
void guard_end(void);
const char *guard_message(void);
struct tracecmd_input *guard_open(const char *file);
struct tracecmd_input *guard_instance(struct tracecmd_input *in, int nr);
void guard_close(struct tracecmd_input *in);
struct tep_record *guard_read(struct tracecmd_input *in, int index);
struct tep_record *guard_read_at(struct tracecmd_input *in, u64 offset, int *index);
void guard_free(struct tep_record *record);
bool guard_failed(const char **why);

/* values.c */
bool values_init(struct values *values);
void values_free(struct values *values);
void values_args(struct values *values, struct sigs *sigs,
		 const struct sig_func *func, struct arg_longs longs);
void values_results(struct values *values, struct sigs *sigs,
		    const struct sig_func *func, const struct arg_longs *results);
void values_ret(struct values *values, struct sigs *sigs,
		const struct sig_func *func, const u64 *regs, unsigned int nr);
unsigned int values_skip(const struct values *values, unsigned int i);
const struct item *values_find(const struct values *values, const char *name);
bool value_is_number(const struct arg_value *value);

/* filter.c */
struct filter *filter_add(struct filter *filters, const char *text);
bool filters_pass(struct filter *filters, struct span *span);
bool filters_check(const struct filter *filters, const char *file);
void filters_free(struct filter *filters);

/* out.c */
bool out_open(const char *name);
int out_close(void);
bool out_flush(void);
FILE *out_switch(FILE *to);
void out_write(const char *text, size_t len);
void out_puts(const char *text);
void out_udec(u64 val);
void out_dec(s64 val);
void out_json_string(const char *text, size_t len);
void out_json_value(const struct arg_value *value);
void out_json_members(const struct values *values);
void out_json_ret(const struct values *ret);
bool is_utf8(const char *text, size_t len);
void __printf(1, 2) complain(const char *format, ...);
void progress(const struct calls *calls);
void progress_end(void);

extern const char *program;
extern const struct calls_ops json_ops;

#endif /* _TRACE_CALLS_H */
