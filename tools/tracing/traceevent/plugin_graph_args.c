// SPDX-License-Identifier: GPL-2.0
/*
 * A libtraceevent plugin: the graph tracer's calls with their arguments and
 * return values, and the function tracer's with their arguments, as the kernel
 * shows them in "trace".
 *
 * Everything that it needs is in the recording, see sigs.c. Where there is
 * nothing of it, the program that loaded the plugin does what it would have done
 * without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "bts.h"
#include "host.h"
#include "sigs.h"

#define PUBLIC	__attribute__((__visibility__("default")))

/* Calls that are deeper are not looked for, as in the kernel */
#define OPEN_CALLS	50

/* Deeper than any stack is; only a damaged file has more */
#define MAX_INDENT	1024

/* Where no event has fields, only the format of a damaged file */
#define FIELDS_MAX_SIZE	4096

#define LINE_SIZE	4096
#define MAX_LINE_SIZE	0x100000

/* What a function of the function tracer is indented by for each caller */
#define CALLER_INDENT	3

static struct tep_plugin_option options[] = {
	{
		.name = "tailprint",
		.plugin_alias = "fgraph",
		.description = "Print function name at function exit in function graph",
	}, {
		.name = "depth",
		.plugin_alias = "fgraph",
		.description = "Show the depth of each entry",
	}, {
		.name = "retval-skip",
		.plugin_alias = "fgraph",
		.description = "Skip printing function retval in function graph",
	}, {
		.name = "retval-dec",
		.plugin_alias = "fgraph",
		.description = "Print function retval in decimal in function graph",
	}, {
		.name = "retval-hex",
		.plugin_alias = "fgraph",
		.description = "Print function retval in hex in function graph",
	}, {
		.name = "args-skip",
		.plugin_alias = "fgraph",
		.description = "Skip printing function arguments in function graph",
	}, {
		.name = "parent",
		.plugin_alias = "ftrace",
		.description = "Print parent of functions for function events",
	}, {
		.name = "indent",
		.plugin_alias = "ftrace",
		.description = "Try to show function call indents, based on parents",
		.set = 1,
	}, {
		.name = "offset",
		.plugin_alias = "ftrace",
		.description = "Show function names as well as their offsets",
	}, {
		.name = NULL,
	}
};

/* As trace-cmd and its plugin for functions have them, and one of our own */
static const struct tep_plugin_option *opt_tail = &options[0];
static const struct tep_plugin_option *opt_depth = &options[1];
static const struct tep_plugin_option *opt_retval_skip = &options[2];
static const struct tep_plugin_option *opt_retval_dec = &options[3];
static const struct tep_plugin_option *opt_retval_hex = &options[4];
static const struct tep_plugin_option *opt_args_skip = &options[5];
static const struct tep_plugin_option *opt_parent = &options[6];
static const struct tep_plugin_option *opt_indent = &options[7];
static const struct tep_plugin_option *opt_offset = &options[8];

/**
 * struct layout - where an event has what is needed
 * @id: the event's number
 * @func: the function
 * @parent: where it was called from (function tracer, funcgraph-retaddr)
 * @depth: how deep the call is
 * @calltime: when it began (exit)
 * @rettime: when it ended (exit)
 * @retval: what it returned (exit), NULL if that is not recorded
 * @end: bytes of all fields; what else was captured is behind them
 * @without_args: there was a call that has arguments, but none were recorded
 * @with_args: there was one that had arguments recorded
 */
struct layout {
	int				id;
	const struct tep_format_field	*func;
	const struct tep_format_field	*parent;
	const struct tep_format_field	*depth;
	const struct tep_format_field	*calltime;
	const struct tep_format_field	*rettime;
	const struct tep_format_field	*retval;
	int				end;
	bool				without_args;
	bool				with_args;
};

/**
 * struct call - an entry or an exit, or the function tracer's event
 * @func: the function
 * @parent: where it was called from, 0 if that is not recorded
 * @depth: how deep it is
 * @pid: whose call it is
 * @duration: how long it took (exit)
 * @regs: what it returned (exit), RAX and RDX
 * @nr_regs: how many of them are known (exit)
 * @tail: what is behind the fields
 * @tail_size: bytes of @tail
 */
struct call {
	u64		func;
	u64		parent;
	int		depth;
	int		pid;
	u64		duration;
	u64		regs[2];
	unsigned int	nr_regs;
	const void	*tail;
	unsigned int	tail_size;
};

/**
 * struct open_calls - the calls that have begun on a CPU, by their depth
 * @next: another CPU's, or another buffer's
 * @input: the buffer
 * @cpu: the CPU
 * @func: the function, 0 if there is none
 * @set: its set of signatures
 * @callers: the function tracer's latest functions, each called by the one
 *	before it, up to a NULL
 */
struct open_calls {
	struct open_calls	*next;
	const void		*input;
	int			cpu;
	u64			func[OPEN_CALLS];
	u32			set[OPEN_CALLS];
	const char		*callers[OPEN_CALLS];
};

/**
 * struct recording - one that events are printed of
 * @next: another one
 * @tep: who knows its events
 * @ready: it was looked at
 * @damaged: a format has fields where no event has any
 * @sigs: its signatures, NULL if it has none
 * @entry: the event of a call's begin
 * @retaddr_entry: the same, with funcgraph-retaddr; not of all kernels
 * @exit: the event of a call's end
 * @function: the event of the function tracer
 * @calls: what is open
 * @line: room for a line
 * @line_size: bytes of @line
 * @room: for the program's own handlers
 * @looked_for_function: whether the next is known
 * @print_function: whoever had the function tracer's event before
 * @print_function_context: what that is given
 */
struct recording {
	struct recording	*next;
	struct tep_handle	*tep;
	bool			ready;
	bool			damaged;
	struct sigs		*sigs;
	struct layout		entry;
	struct layout		retaddr_entry;
	struct layout		exit;
	struct layout		function;
	struct open_calls	*calls;
	char			*line;
	size_t			line_size;
	char			room[HOST_ROOM];
	bool			looked_for_function;
	tep_event_handler_func	print_function;
	void			*print_function_context;
};

static struct recording *recordings;

static void take_over(struct recording *rec);

/**
 * struct line - what a line of the output shows
 * @put: writes it
 * @entry: a call's begin, NULL if the line is its end
 * @exit: a call's end, NULL if the line is its begin alone
 * @func: the function
 * @indent: how far it is moved to the right (function tracer)
 * @lost: the begin is not known, so the end has to show the name
 */
struct line {
	void			(*put)(struct recording *rec,
				       struct arg_out *out,
				       const struct line *line);
	const struct call	*entry;
	const struct call	*exit;
	const struct sig_func	*func;
	int			indent;
	bool			lost;
};

/* A field that is one number; NULL if there is none of that name */
static const struct tep_format_field *find_number(struct tep_event *event,
						  const char *name)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	return field && !(field->flags & TEP_FIELD_IS_ARRAY) ? field : NULL;
}

static bool find_layout(struct recording *rec, struct layout *layout,
			const char *name)
{
	const struct tep_format_field *field;
	struct tep_event *event;
	int end;

	event = tep_find_event_by_name(rec->tep, "ftrace", name);
	if (!event)
		return false;
	for (field = event->format.fields; field; field = field->next) {
		if (field->offset < 0 || field->offset > FIELDS_MAX_SIZE ||
		    field->size < 0 || field->size > FIELDS_MAX_SIZE) {
			rec->damaged = true;
			return false;
		}
		if (field->flags & TEP_FIELD_IS_ARRAY)
			continue;
		end = field->offset + field->size;
		layout->end = max(layout->end, end);
	}
	layout->id = event->id;
	layout->func = find_number(event, "func") ?: find_number(event, "ip");
	layout->parent = find_number(event, "parent_ip") ?:
			 find_number(event, "retaddr");
	layout->depth = find_number(event, "depth");
	layout->calltime = find_number(event, "calltime");
	layout->rettime = find_number(event, "rettime");
	layout->retval = find_number(event, "retval");
	return layout->func;
}

/* Values are read as the machine has them that was recorded: x86-64 */
static bool same_values(struct tep_handle *tep)
{
	return tep_is_file_bigendian(tep) == tep_is_local_bigendian(tep) &&
	       tep_get_long_size(tep) == sizeof(u64) &&
	       sizeof(long) == sizeof(u64);
}

/* The signatures, and where the events have what is shown */
static void read_recording(struct recording *rec)
{
	struct tep_handle *tep = rec->tep;
	struct tep_event *event;
	const char *text;

	rec->ready = true;
	event = tep_find_event_by_name(tep, "ftrace", "arg_sigs");
	text = event ? event->print_fmt.format : NULL;
	if (!text || !same_values(tep) ||
	    !find_layout(rec, &rec->entry, "funcgraph_entry") ||
	    !find_layout(rec, &rec->exit, "funcgraph_exit") ||
	    !find_layout(rec, &rec->function, "function") ||
	    !rec->entry.depth || !rec->exit.depth || !rec->exit.calltime ||
	    !rec->exit.rettime || !rec->function.parent)
		return;
	find_layout(rec, &rec->retaddr_entry, "fgraph_retaddr_entry");
	rec->sigs = sigs_read(tep, text);
	if (!rec->sigs)
		fprintf(stderr, "plugin_graph_args: malformed signatures, none is used\n");
}

static u64 read_field(struct tep_handle *tep, const struct tep_record *record,
		      const struct tep_format_field *field)
{
	return tep_read_number(tep, record->data + field->offset, field->size);
}

static bool read_call(const struct recording *rec, struct tep_record *record,
		      const struct layout *layout, struct call *call)
{
	struct tep_handle *tep = rec->tep;

	if (record->size < layout->end)
		return false;
	memset(call, 0, sizeof(*call));
	call->func = read_field(tep, record, layout->func);
	if (layout->parent)
		call->parent = read_field(tep, record, layout->parent);
	if (layout->depth)
		call->depth = read_field(tep, record, layout->depth);
	call->pid = tep_data_pid(tep, record);
	call->tail = record->data + layout->end;
	call->tail_size = record->size - layout->end;
	return true;
}

static bool read_exit(const struct recording *rec, struct tep_record *record,
		      struct call *call)
{
	const struct layout *layout = &rec->exit;

	if (!read_call(rec, record, layout, call))
		return false;
	call->duration = read_field(rec->tep, record, layout->rettime) -
			 read_field(rec->tep, record, layout->calltime);
	if (!layout->retval)
		return true;
	call->regs[call->nr_regs++] = read_field(rec->tep, record,
						 layout->retval);
	/* 6.12 may have 16 bytes behind the fields that nobody fills in */
	if (call->tail_size % 16 == sizeof(u64))
		call->regs[call->nr_regs++] =
			get_unaligned((u64 *)(call->tail + call->tail_size) - 1);
	return true;
}

/* A module's call ends with its set's number, longs and strings have 8 bytes */
static u32 call_set(const struct call *call)
{
	if (call->tail_size % sizeof(u64) != sizeof(u32))
		return SIGS_NO_SET;
	return get_unaligned((u32 *)(call->tail + call->tail_size -
				     sizeof(u32)));
}

static struct open_calls *find_calls(struct recording *rec, int cpu)
{
	const void *input = host_input();
	struct open_calls **link, *calls;

	for (link = &rec->calls; (calls = *link); link = &calls->next)
		if (calls->cpu == cpu && calls->input == input)
			break;
	if (calls) {
		/* The next one is likely to be there as well */
		*link = calls->next;
	} else {
		calls = calloc(1, sizeof(*calls));
		if (!calls)
			return NULL;
		calls->cpu = cpu;
		calls->input = input;
	}
	calls->next = rec->calls;
	rec->calls = calls;
	return calls;
}

static void open_call(struct recording *rec, int cpu, const struct call *call,
		      u64 func)
{
	struct open_calls *calls = find_calls(rec, cpu);

	if (!calls || call->depth < 0 || call->depth >= OPEN_CALLS)
		return;
	calls->func[call->depth] = func;
	calls->set[call->depth] = call_set(call);
}

/* The set that a call was recorded with; @lost if its begin is not known */
static u32 close_call(struct recording *rec, int cpu, const struct call *call,
		      bool *lost)
{
	struct open_calls *calls = find_calls(rec, cpu);
	u32 set = SIGS_NO_SET;

	*lost = false;
	if (!calls || call->depth < 0 || call->depth >= OPEN_CALLS)
		return set;
	if (calls->func[call->depth] == call->func)
		set = calls->set[call->depth];
	else
		*lost = true;
	calls->func[call->depth] = 0;
	return set;
}

/* Does an event have arguments? There is nothing else to tell it by */
static bool shows_args(struct layout *layout, const struct sig_func *func,
		       const struct call *entry)
{
	if (opt_args_skip->set)
		return false;
	if (entry->tail_size)
		layout->with_args = true;
	else if (func->sig && arg_sig_longs(func->sig) && !layout->with_args)
		layout->without_args = true;
	return layout->with_args || !layout->without_args;
}

static void put_args(struct arg_out *out, const struct sig_func *func,
		     const struct call *entry)
{
	struct arg_longs longs = {
		.data = entry->tail,
		.size = entry->tail_size,
	};

	if (call_set(entry) != SIGS_NO_SET)
		longs.size -= sizeof(u32);
	if (!func->sig)
		arg_out_puts(out, "(?)");
	else
		arg_sig_put_args(out, func->sig, func->types, &longs);
}

/*
 * What was returned, behind @before; false if that is not asked for, or if it
 * is void
 */
static bool put_ret(struct arg_out *out, const struct line *line,
		    const char *before)
{
	const struct sig_func *func = line->func;
	const struct call *exit = line->exit;
	char text[32];

	if (!exit->nr_regs || opt_retval_skip->set ||
	    (func->sig && arg_sig_is_void(func->sig)))
		return false;
	arg_out_puts(out, before);
	if (!line->entry) {
		sigs_put_func(out, func);
		arg_out_puts(out, " ");
	}
	if (opt_retval_dec->set) {
		snprintf(text, sizeof(text), "ret=%lld", (long long)exit->regs[0]);
		arg_out_puts(out, text);
	} else {
		arg_sig_put_ret(out, func->sig, func->types, exit->regs,
				exit->nr_regs, opt_retval_hex->set);
	}
	return true;
}

/* As the kernel marks it */
static char overhead(u64 duration)
{
	static const char marks[] = "$@*#!+";
	u64 limit = 1000000000ULL;
	const char *mark;

	for (mark = marks; *mark && duration <= limit; mark++)
		limit /= 10;
	return *mark ?: ' ';
}

/* As trace-cmd has it: 7 digits and a point at most */
static void put_duration(struct arg_out *out, u64 duration)
{
	char text[64];
	int len;

	len = snprintf(text, sizeof(text), "%llu",
		       (unsigned long long)duration / 1000);
	if (len < 7)
		snprintf(text + len, 9 - len, ".%03u",
			 (unsigned int)(duration % 1000));
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, " us %*s|  ", max(0, 7 - len), "");
	arg_out_puts(out, (char[]){ overhead(duration), ' ', '\0' });
	arg_out_puts(out, text);
}

static void put_indent(struct arg_out *out, int depth)
{
	int i;

	for (i = 0; i < min(depth, MAX_INDENT); i++)
		arg_out_puts(out, "  ");
}

static void put_offset(struct arg_out *out, u64 offset)
{
	char text[32];

	snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)offset);
	arg_out_puts(out, text);
}

/* The function that a call came from, @offset: and where in it */
static void put_caller(struct recording *rec, struct arg_out *out, u64 parent,
		       bool offset)
{
	const char *name;
	u64 start;

	name = sigs_find_caller(rec->sigs, parent, &start);
	if (!name) {
		sigs_put_hex(out, parent);
		return;
	}
	arg_out_puts(out, name);
	if (offset)
		put_offset(out, parent - start);
}

static void put_graph_line(struct recording *rec, struct arg_out *out,
			   const struct line *line)
{
	const struct call *call = line->entry ?: line->exit;
	bool comment = false;
	char depth[32];

	if (line->exit)
		put_duration(out, line->exit->duration);
	else
		arg_out_puts(out, "             |  ");
	put_indent(out, call->depth);

	if (line->entry) {
		sigs_put_func(out, line->func);
		if (shows_args(&rec->entry, line->func, line->entry))
			put_args(out, line->func, line->entry);
		else
			arg_out_puts(out, "()");
		arg_out_puts(out, line->exit ? ";" : " {");
		if (line->entry->parent) {
			arg_out_puts(out, " /* <-");
			put_caller(rec, out, line->entry->parent, true);
			comment = true;
		}
	} else {
		arg_out_puts(out, "}");
	}
	if (line->exit && put_ret(out, line, comment ? " " : " /* ")) {
		comment = true;
	} else if (!line->entry && (line->lost || opt_tail->set)) {
		arg_out_puts(out, " /* ");
		sigs_put_func(out, line->func);
		comment = true;
	}
	if (comment)
		arg_out_puts(out, " */");
	if (opt_depth->set) {
		snprintf(depth, sizeof(depth), " (%d)", call->depth);
		arg_out_puts(out, depth);
	}
}

static void put_function_line(struct recording *rec, struct arg_out *out,
			      const struct line *line)
{
	const struct sig_func *func = line->func;
	int i;

	for (i = 0; i < line->indent; i++)
		arg_out_puts(out, " ");
	sigs_put_func(out, func);
	if (func->start && opt_offset->set)
		put_offset(out, func->ip - func->start);
	put_args(out, func, line->entry);
	if (!opt_parent->set)
		return;
	arg_out_puts(out, " <-- ");
	put_caller(rec, out, line->entry->parent, opt_offset->set);
}

static void print_line(struct recording *rec, struct trace_seq *s,
		       const struct line *line)
{
	struct sigs_out out = { .sigs = rec->sigs };
	size_t size = rec->line_size ?: LINE_SIZE / 2;

	for (;;) {
		out.out.pos = rec->line;
		out.out.end = rec->line + rec->line_size;
		if (rec->line)
			line->put(rec, &out.out, line);
		if (out.out.pos < out.out.end || size > MAX_LINE_SIZE)
			break;
		/* It did not fit */
		size *= 2;
		free(rec->line);
		rec->line = malloc(size);
		rec->line_size = rec->line ? size : 0;
		if (!rec->line)
			return;
	}
	if (out.out.pos >= out.out.end)
		out.out.pos = out.out.end - 1;
	*out.out.pos = '\0';
	trace_seq_puts(s, rec->line);
}

/* Whether a record is the end of a call that is the one before it */
static bool is_exit_of(const struct recording *rec, struct tep_record *record,
		       const struct call *entry, struct call *exit)
{
	/* There may have been more calls of it where events were lost */
	return record && !record->missed_events &&
	       record->size >= rec->exit.end &&
	       tep_data_type(rec->tep, record) == rec->exit.id &&
	       read_exit(rec, record, exit) &&
	       exit->pid == entry->pid && exit->func == entry->func;
}

/* Whoever had our events before has them again; without any, the handler is NULL */
static void take_back(struct recording *rec, struct tep_event *event)
{
	tep_event_handler_func ours = event->handler;

	host_take_back(rec->tep, rec->room);
	if (event->handler == ours)
		event->handler = NULL;
}

/* No signatures: whoever had these events before has them again */
static int print_untyped(struct recording *rec, struct trace_seq *s,
			 struct tep_record *record, struct tep_event *event)
{
	/* Nobody else looks where the fields are */
	if (rec->damaged)
		return host_damaged(s);
	take_back(rec, event);
	/* Without any it is libtraceevent that prints them, by their format */
	if (!event->handler)
		return 1;
	return event->handler(s, record, event, event->context);
}

/* No arguments: as without signatures */
static int print_function_untyped(struct recording *rec, struct trace_seq *s,
				  struct tep_record *record,
				  struct tep_event *event)
{
	if (!rec->looked_for_function) {
		take_back(rec, event);
		rec->print_function = event->handler;
		rec->print_function_context = event->context;
		rec->looked_for_function = true;
		take_over(rec);
	}
	if (!rec->print_function)
		return 1;
	return rec->print_function(s, record, event,
				   rec->print_function_context);
}

static int entry_handler(struct trace_seq *s, struct tep_record *record,
			 struct tep_event *event, void *context)
{
	struct recording *rec = context;
	const struct layout *layout = &rec->entry;
	struct tep_record *next;
	struct line line = { .put = put_graph_line };
	struct call entry, exit;
	int index;

	if (!rec->ready)
		read_recording(rec);
	if (!rec->sigs)
		return print_untyped(rec, s, record, event);
	if (rec->retaddr_entry.func && event->id == rec->retaddr_entry.id)
		layout = &rec->retaddr_entry;
	if (!read_call(rec, record, layout, &entry))
		return host_damaged(s);

	line.entry = &entry;
	line.func = sigs_find(rec->sigs, entry.func, call_set(&entry));
	if (!line.func)
		return host_damaged(s);
	next = host_peek(record, &index);
	if (is_exit_of(rec, next, &entry, &exit)) {
		line.exit = &exit;
		next = host_read(index);
	} else {
		next = NULL;
	}
	open_call(rec, record->cpu, &entry, line.exit ? 0 : entry.func);
	print_line(rec, s, &line);
	if (next)
		host_free(next);
	return 0;
}

static int exit_handler(struct trace_seq *s, struct tep_record *record,
			struct tep_event *event, void *context)
{
	struct recording *rec = context;
	struct line line = { .put = put_graph_line };
	struct call exit;
	u32 set;

	if (!rec->ready)
		read_recording(rec);
	if (!rec->sigs)
		return print_untyped(rec, s, record, event);
	if (!read_exit(rec, record, &exit))
		return host_damaged(s);

	line.exit = &exit;
	set = close_call(rec, record->cpu, &exit, &line.lost);
	line.func = sigs_find(rec->sigs, exit.func, set);
	if (!line.func)
		return host_damaged(s);
	print_line(rec, s, &line);
	return 0;
}

/* As libtraceevent's plugin for functions does: a caller is one that was called */
static int indent_function(struct recording *rec, int cpu, const char *parent,
			   const char *name)
{
	struct open_calls *calls = find_calls(rec, cpu);
	int i;

	if (!calls || !parent || !opt_indent->set)
		return 0;
	for (i = 0; i < OPEN_CALLS - 1 && calls->callers[i]; i++)
		if (!strcmp(calls->callers[i], parent))
			break;
	if (i == OPEN_CALLS - 1 || !calls->callers[i]) {
		i = 0;
		calls->callers[0] = parent;
	}
	if (name)
		calls->callers[i + 1] = name;
	return i * CALLER_INDENT;
}

static int function_handler(struct trace_seq *s, struct tep_record *record,
			    struct tep_event *event, void *context)
{
	struct recording *rec = context;
	struct line line = { .put = put_function_line };
	struct call call;
	u64 start;

	if (!rec->ready)
		read_recording(rec);
	if (!rec->sigs)
		return print_untyped(rec, s, record, event);
	if (!read_call(rec, record, &rec->function, &call))
		return host_damaged(s);

	line.entry = &call;
	line.func = sigs_find(rec->sigs, call.func, call_set(&call));
	if (!line.func)
		return host_damaged(s);
	if (!shows_args(&rec->function, line.func, &call) ||
	    !(line.func->sig || rec->function.with_args))
		return print_function_untyped(rec, s, record, event);
	line.indent = indent_function(rec, record->cpu,
				      sigs_find_caller(rec->sigs, call.parent,
						       &start),
				      line.func->name);
	print_line(rec, s, &line);
	return 0;
}

static void take_over(struct recording *rec)
{
	tep_register_event_handler(rec->tep, -1, "ftrace", "funcgraph_entry",
				   entry_handler, rec);
	tep_register_event_handler(rec->tep, -1, "ftrace",
				   "fgraph_retaddr_entry", entry_handler, rec);
	tep_register_event_handler(rec->tep, -1, "ftrace", "funcgraph_exit",
				   exit_handler, rec);
	tep_register_event_handler(rec->tep, -1, "ftrace", "function",
				   function_handler, rec);
}

static struct recording **find_recording(struct tep_handle *tep)
{
	struct recording **link;

	for (link = &recordings; *link; link = &(*link)->next)
		if ((*link)->tep == tep)
			break;
	return link;
}

PUBLIC int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct recording *rec = *find_recording(tep);

	if (rec) {
		take_over(rec);
		return 0;
	}
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return -1;
	host_init();
	host_load_last(tep);
	rec->tep = tep;
	if (!recordings)
		tep_plugin_add_options("ftrace", options);
	rec->next = recordings;
	recordings = rec;
	take_over(rec);
	bts_load(tep);
	return 0;
}

static void free_recording(struct recording *rec)
{
	struct open_calls *calls;

	while ((calls = rec->calls)) {
		rec->calls = calls->next;
		free(calls);
	}
	sigs_free(rec->sigs);
	free(rec->line);
	free(rec);
}

PUBLIC void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct recording **link = find_recording(tep), *rec = *link;

	if (!rec)
		return;
	bts_unload(tep);
	tep_unregister_event_handler(tep, -1, "ftrace", "funcgraph_entry",
				     entry_handler, rec);
	tep_unregister_event_handler(tep, -1, "ftrace", "fgraph_retaddr_entry",
				     entry_handler, rec);
	tep_unregister_event_handler(tep, -1, "ftrace", "funcgraph_exit",
				     exit_handler, rec);
	tep_unregister_event_handler(tep, -1, "ftrace", "function",
				     function_handler, rec);
	*link = rec->next;
	free_recording(rec);
	if (!recordings)
		tep_plugin_remove_options(options);
}
