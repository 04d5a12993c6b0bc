// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls chrome: JSON of Chrome's trace events, which speedscope opens, and
 * which Perfetto's UI and chrome://tracing open as well
 *
 * Writes a slice for each call, with its arguments and its return value, on a track for
 * each task.  Times are microseconds.  Begins and ends at the same time are written some
 * nanoseconds apart, see struct span, because readers compute in doubles or truncate.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static struct options options = {
	.usage = "chrome [OPTIONS] FILE\n\n"
		 "A slice for each call, as JSON for speedscope and chrome://tracing\n",
};

static bool any;

static void put_text(const char *name, const char *text)
{
	out_puts(name);
	out_json_string(text, strlen(text));
}

static void put_number(const char *name, u64 val)
{
	out_puts(name);
	out_udec(val);
}

static void put_time(const char *name, u64 time)
{
	char buf[40];

	snprintf(buf, sizeof(buf), "%s%llu.%03u", name,
		 (unsigned long long)(time / 1000), (unsigned int)(time % 1000));
	out_puts(buf);
}

static void begin_event(const char *phase)
{
	out_puts(any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	out_puts(phase);
	any = true;
}

static unsigned int process(const struct calls *calls, const struct buffer *buffer)
{
	return buffer - calls->buffers + 1;
}

static void put_process(const struct calls *calls, const struct buffer *buffer)
{
	begin_event("M\",\"name\":\"process_name");
	put_number("\",\"pid\":", process(calls, buffer));
	put_text(",\"args\":{\"name\":", buffer->name ?: calls->file);
	out_puts("}}");
}

static void put_task(const struct calls *calls, struct task *task)
{
	char name[64];

	if (task->data)
		return;
	task->data = 1;
	if (task->pid)
		snprintf(name, sizeof(name), "%.40s-%d", task_comm(calls, task),
			 task->pid);
	else
		snprintf(name, sizeof(name), "%.40s on CPU %d",
			 task_comm(calls, task), task->cpu);
	begin_event("M\",\"name\":\"thread_name");
	put_number("\",\"pid\":", process(calls, task->buffer));
	put_number(",\"tid\":", task->id);
	put_text(",\"args\":{\"name\":", name);
	out_puts("}}");
}

static void put_args(struct span *span)
{
	const struct values *args = span_args(span), *ret = span_ret(span);
	const struct values *changed = span_changed(span);

	out_puts(",\"args\":{");
	if (args && args->nr) {
		out_json_members(args);
		out_puts(",");
	}
	/* No argument can have this name */
	put_number("\"on CPU\":", span->cpu);
	if (ret) {
		out_puts(",\"return\":");
		out_json_ret(ret);
	}
	if (changed) {
		out_puts(",\"changed\":{");
		out_json_members(changed);
		out_puts("}");
	}
	if (span->error && errname(span->error))
		put_text(",\"errno\":", errname(span->error) + 1);
	if (span->lost)
		put_text(",\"lost\":", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
	out_puts("}");
}

static void put_call(struct calls *calls, struct span *span, struct open *open)
{
	char buf[32];

	put_task(calls, span->task);
	begin_event("X");
	put_text("\",\"cat\":\"function\",\"name\":",
		 func_name(span->func, buf, sizeof(buf)));
	put_number(",\"pid\":", process(calls, span->task->buffer));
	put_number(",\"tid\":", span->task->id);
	put_time(",\"ts\":", span->from);
	put_time(",\"dur\":", span->to - span->from);
	put_args(span);
	out_puts("}");
}

static void put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
		     long long nr)
{
	begin_event("i");
	put_number("\",\"name\":\"lost events\",\"s\":\"p\",\"pid\":",
		   process(calls, buffer));
	put_number(",\"tid\":0,\"args\":{\"cpu\":", cpu);
	if (nr > 0)
		put_number(",\"events\":", nr);
	put_time("},\"ts\":", time);
	out_puts("}");
}

static const struct calls_ops ops = {
	.end	= put_call,
	.lost	= put_lost,
};

/**
 * cmd_chrome - run trace-calls chrome
 * @argc: the number of words
 * @argv: the words
 *
 * Return: the program's status.
 */
int cmd_chrome(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status, i;
	struct calls calls;

	if (first < 0)
		return ~first;
	/* No displayTimeUnit: Perfetto once took it for the unit of all times */
	out_puts("{\"traceEvents\":[");
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	for (i = 0; i < calls.nr_buffers; i++)
		put_process(&calls, &calls.buffers[i]);
	out_puts("\n]}\n");
	status = finish(&calls, &options);
	calls_free(&calls);
	return status;
}
