// SPDX-License-Identifier: GPL-2.0
/*
 * A libtraceevent plugin that prints the graph tracer's calls with their
 * arguments and return values, and the function tracer's calls with their
 * arguments, as the kernel shows them in "trace".
 *
 * The recording has the signatures, or a file of this machine has them, see sigs.c.  Without
 * signatures the plugin leaves the events to stock code: the handlers of trace-cmd and of
 * libtraceevent's own plugin, or the events' print formats.
 *
 * A line depends only on the recording, not on the lines that were printed before.  A
 * line needs facts of earlier records.  One walk over all records of the CPU finds
 * these facts, see origin.c.  If there is no file to walk over, the facts come from the
 * lines that were printed, in their order.
 *
 * Threads may print at the same time.  Each recording has a lock, and the list of
 * recordings has another lock.  No thread holds both locks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "plugin_graph_args.h"

#define LINE_SIZE	4096
#define MAX_LINE_SIZE	0x100000

/*
 * trace-cmd and libtraceevent's plugin for functions list most of these options, too.
 * This plugin does not list an option again, so that "trace-cmd list -O" shows each
 * option once.
 */
struct tep_plugin_option graph_args_options[] = {
	[OPT_TAIL]	  = { .plugin_alias = "fgraph", .name = "tailprint" },
	[OPT_DEPTH]	  = { .plugin_alias = "fgraph", .name = "depth" },
	[OPT_RETVAL_SKIP] = { .plugin_alias = "fgraph", .name = "retval-skip" },
	[OPT_RETVAL_DEC]  = { .plugin_alias = "fgraph", .name = "retval-dec" },
	[OPT_RETVAL_HEX]  = { .plugin_alias = "fgraph", .name = "retval-hex" },
	[OPT_ARGS_SKIP]	  = { .plugin_alias = "fgraph", .name = "args-skip" },
	[OPT_PARENT]	  = { .plugin_alias = "ftrace", .name = "parent" },
	[OPT_INDENT]	  = { .plugin_alias = "ftrace", .name = "indent", .set = 1 },
	[OPT_OFFSET]	  = { .plugin_alias = "ftrace", .name = "offset" },
	[NR_OPTS]	  = { .name = NULL }
};

/*
 * Options to list: an option of this plugin, and the options that trace-cmd 3.3 added
 */
static struct tep_plugin_option own_options[] = {
	{
		.name = "args-skip",
		.plugin_alias = "fgraph",
		.description = "Skip printing function arguments in function graph",
	}, {
		.name = NULL,
	}
};

static struct tep_plugin_option newer_options[] = {
	{
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
		.name = NULL,
	}
};

static bool newer_listed;

static struct recording *recordings;
static pthread_mutex_t recordings_lock = PTHREAD_MUTEX_INITIALIZER;

/**
 * struct line - the data of a line of the output
 * @kind: the kind of the event
 * @calls: the calls of the CPU, NULL if there is no memory
 * @graph: the contents of the line; the exit of a whole call is equal to its entry
 * @origin: the facts of earlier records
 */
struct line {
	enum call_kind		kind;
	struct cpu_calls	*calls;
	struct graph_line	graph;
	struct origin		origin;
};

static bool shows_args(const struct recording *rec, const struct evidence *seen)
{
	return !rec->opts[OPT_ARGS_SKIP] &&
	       (seen->with_args || !seen->without_args);
}

static void put_function_line(struct recording *rec, struct arg_out *out,
			      const struct line *line)
{
	const struct evidence *seen = &line->calls->function;
	const struct sig_func *func = line->graph.func;
	int i;

	/* The function tracer's lines are indented by this text for each caller */
	for (i = 0; i < line->origin.indent; i++)
		arg_out_puts(out, "   ");
	if (!func || !shows_args(rec, seen) || !(func->sig || seen->with_args)) {
		stock_put_function(rec->tep, rec->opts, out, line->graph.entry);
		return;
	}
	sigs_put_func(out, func);
	if (func->start && rec->opts[OPT_OFFSET])
		stock_printf(out, "+0x%llx", (unsigned long long)(func->ip - func->start));
	line_put_args(out, func, line->graph.entry);
	if (!rec->opts[OPT_PARENT])
		return;
	arg_out_puts(out, " <-- ");
	line_put_caller(out, rec->sigs, line->graph.entry->parent, rec->opts[OPT_OFFSET]);
}

static void put_line(struct recording *rec, struct arg_out *out, const struct line *line)
{
	if (line->kind == CALL_FUNCTION)
		put_function_line(rec, out, line);
	else if (line->kind == CALL_SINGLE)
		line_put_single(out, &line->graph);
	else
		line_put_graph(out, &line->graph);
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
			put_line(rec, &out.out, line);
		if (out.out.pos < out.out.end || size > MAX_LINE_SIZE)
			break;
		/* The line did not fit, so try a larger buffer */
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

/* Whether a record is the exit of the call whose entry is the previous record */
static bool is_exit_of(const struct recording *rec, struct tep_record *record,
		       const struct call *entry, struct call *exit)
{
	/* The lost events may include another call of the same function */
	return record && !record->missed_events && record_fits(rec->tep, record) &&
	       decode_event(&rec->formats, record, exit) == CALL_EXIT &&
	       exit->pid == entry->pid && exit->func == entry->func;
}

/*
 * Print the mark of a damaged event. 0 tells libtraceevent that the event was printed.
 */
static int print_damaged(struct trace_seq *s)
{
	trace_seq_putc(s, '!');
	return 0;
}

/* Set the facts of earlier records and the function, which all lines need */
static bool prepare_line(struct recording *rec, struct tracecmd_input *in,
			 struct tep_record *record, struct line *line)
{
	const struct call *call = line->graph.entry ?: line->graph.exit;
	u32 set;

	line->origin = no_origin;
	line->calls = origin_calls(rec, in, record, line->kind);
	if (!line->calls)
		return false;
	if (line->calls->walked)
		origin_find(line->calls, record, &line->origin);
	else
		origin_follow(rec, line->calls, line->kind, call, &line->origin);
	set = decode_set(call);
	/* Up to version 1 of the signatures, an exit has the set of its entry */
	if (line->graph.exit && set == SIGS_NO_SET)
		set = line->origin.set;
	line->graph.opts = rec->opts;
	line->graph.sigs = rec->sigs;
	line->graph.args = shows_args(rec, &line->calls->graph);
	line->graph.lost = line->origin.lost;
	line->graph.func = sigs_find(rec->sigs, call->func, set);
	return line->graph.func;
}

/* If only funcgraph-retval was set, only the exit has the set of the function */
static void take_set(struct line *line)
{
	u32 set = decode_set(line->graph.exit);
	const struct sig_func *func;

	if (line->graph.func->set != SIGS_NO_SET || set == SIGS_NO_SET)
		return;
	func = sigs_find(line->graph.sigs, line->graph.func->ip, set);
	if (func)
		line->graph.func = func;
}

/* Print an entry, together with the exit if it is the next record */
static int print_entry(struct recording *rec, struct trace_seq *s, struct tep_record *record,
		       struct tracecmd_input *in, struct line *line)
{
	const struct call *entry = line->graph.entry;
	struct tep_record *next = NULL;
	struct call exit;
	int index;

	if (in && !record->locked)
		next = input_peek(in, record, &index);
	if (is_exit_of(rec, next, entry, &exit)) {
		line->graph.exit = &exit;
		take_set(line);
		if (!line->calls->walked && call_is_open(entry))
			line->calls->func[entry->depth] = 0;
	}
	print_line(rec, s, line);
	if (line->graph.exit)
		input_skip(in, index);
	return 0;
}

/*
 * Print a record by its own type, because libtraceevent may pass the wrong event if
 * several threads print events of one handle, see tep->last_event.
 */
static int print_record(struct recording *rec, struct trace_seq *s,
			struct tep_record *record)
{
	struct tracecmd_input *in;
	struct line line = { };
	struct call call;

	if (rec->formats.damaged || !record_fits(rec->tep, record))
		return print_damaged(s);
	line.kind = decode_event(&rec->formats, record, &call);
	if (line.kind == CALL_OTHER)
		return 1;
	line.graph.entry = line.kind == CALL_EXIT ? NULL : &call;
	line.graph.exit = line.kind == CALL_EXIT || line.kind == CALL_SINGLE ? &call : NULL;
	in = input_find(rec->tep);
	if (line.kind == CALL_DAMAGED || !prepare_line(rec, in, record, &line))
		return print_damaged(s);
	if (line.kind == CALL_ENTRY)
		return print_entry(rec, s, record, in, &line);
	print_line(rec, s, &line);
	return 0;
}

static const char * const events[] = {
	"funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit", "funcgraph_call",
	"function",
};

static int print_event(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context);

/* libtraceevent calls only the handler that was registered last */
static void take_over(struct recording *rec)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		tep_register_event_handler(rec->tep, -1, "ftrace", events[i],
					   print_event, rec);
}

static void give_back(struct recording *rec)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		tep_unregister_event_handler(rec->tep, -1, "ftrace", events[i],
					     print_event, rec);
}

/*
 * Leave the events to stock code.  The plugin is loaded before the recording's formats are known,
 * so it has replaced the handlers of all recordings.
 */
static void leave_events(struct recording *rec)
{
	give_back(rec);
	rec->left = input_restore(rec->tep, input_find(rec->tep), rec->stock);
	if (!rec->left)
		take_over(rec);
}

/* Only one thread at a time prints a line of a recording, under the recording's lock */
static int print_event(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	struct recording *rec = context;
	bool leave;
	int ret = 1;

	pthread_mutex_lock(&rec->lock);
	if (!rec->ready)
		rec->sigs = decode_formats(&rec->formats, rec->tep);
	rec->ready = true;
	leave = !rec->sigs && !rec->formats.damaged;
	if (!leave)
		ret = print_record(rec, s, record);
	else if (!rec->left)
		leave_events(rec);
	if (rec->sigs)
		sigs_trim(rec->sigs);
	pthread_mutex_unlock(&rec->lock);
	/* Without a handler, 1 lets libtraceevent use the print format */
	if (leave && event->handler && event->handler != print_event)
		ret = event->handler(s, record, event, event->context);
	return ret;
}

/*
 * libtraceevent sets options when they are registered.  An option gets the value that
 * the user gave.  An option without a value gets the opposite of its present value, so
 * options must have their defaults before they are registered. libtraceevent up to 1.8
 * also sets the options of TEP_PLUGIN_OPTIONS. libtraceevent 1.9 does not have
 * TEP_PLUGIN_OPTIONS.
 */
static void read_options(struct recording *rec)
{
	int i;

	tep_plugin_add_options("graph_args", graph_args_options);
	tep_plugin_remove_options(graph_args_options);
	for (i = 0; i < NR_OPTS; i++) {
		rec->opts[i] = graph_args_options[i].set;
		graph_args_options[i].set = i == OPT_INDENT;
	}
}

/* List the newer options only if trace-cmd has not registered these options */
static void list_options(void)
{
	struct trace_seq s;

	trace_seq_init(&s);
	tep_plugin_print_options(&s);
	trace_seq_terminate(&s);
	newer_listed = !strstr(s.buffer, ":\tretval-skip\n");
	trace_seq_destroy(&s);
	tep_plugin_add_options("ftrace", own_options);
	if (newer_listed)
		tep_plugin_add_options("ftrace", newer_options);
}

static void unlist_options(void)
{
	tep_plugin_remove_options(own_options);
	if (newer_listed)
		tep_plugin_remove_options(newer_options);
}

/*
 * Make libtraceevent load this plugin a second time.
 *
 * libtraceevent's plugin_function.so registers a handler for the function tracer's
 * event as well.  The handler that is registered last gets the event.  The plugins of
 * one folder are loaded in the order of readdir().  The public interface has no call
 * that returns a replaced handler.  So this plugin has to be loaded last.  Folders that
 * are added with TEP_PLUGIN_LAST come last.  The folder "last" in this plugin's folder
 * has the plugin as well.
 */
static void load_last(struct tep_handle *tep)
{
	const char *end;
	char *path;
	Dl_info info;

	if (!dladdr(load_last, &info))
		return;
	end = strrchr(info.dli_fname, '/');
	if (!end || asprintf(&path, "%.*s/last", (int)(end - info.dli_fname),
			     info.dli_fname) < 0)
		return;
	tep_add_plugin_path(tep, path, TEP_PLUGIN_LAST);
	free(path);
}

static struct recording **find_recording(struct tep_handle *tep)
{
	struct recording **link;

	for (link = &recordings; *link; link = &(*link)->next)
		if ((*link)->tep == tep)
			break;
	return link;
}

/**
 * TEP_PLUGIN_LOADER - begin to print the events of a recording
 * @tep: the handle that knows the recording's events
 *
 * libtraceevent calls this function when it loads the plugin, which is twice.
 *
 * Return: 0, or -1 if there is no memory.
 */
PUBLIC int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	struct recording *rec;
	bool again;

	pthread_mutex_lock(&recordings_lock);
	rec = *find_recording(tep);
	again = rec;
	if (!rec)
		rec = calloc(1, sizeof(*rec));
	if (rec)
		read_options(rec);
	if (rec && !again) {
		pthread_mutex_init(&rec->lock, NULL);
		rec->tep = tep;
		input_init();
		if (!recordings)
			list_options();
		rec->next = recordings;
		recordings = rec;
	}
	pthread_mutex_unlock(&recordings_lock);

	if (!rec)
		return -1;
	if (!again)
		load_last(tep);
	if (!rec->left)
		take_over(rec);
	return 0;
}

/**
 * TEP_PLUGIN_UNLOADER - end the printing of the events of a recording
 * @tep: the handle that knows the recording's events
 */
PUBLIC void TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	struct recording **link, *rec;

	pthread_mutex_lock(&recordings_lock);
	link = find_recording(tep);
	rec = *link;
	if (rec) {
		*link = rec->next;
		if (!recordings)
			unlist_options();
	}
	pthread_mutex_unlock(&recordings_lock);

	/* The plugin was loaded twice, so libtraceevent also unloads it twice */
	if (!rec)
		return;
	input_forget(tep);
	give_back(rec);
	origin_free(rec);
	sigs_free(rec->sigs);
	pthread_mutex_destroy(&rec->lock);
	free(rec->line);
	free(rec);
}
