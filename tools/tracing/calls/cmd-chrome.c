// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls chrome: write JSON of Chrome's trace events. speedscope, Perfetto's UI and
 * chrome://tracing open it.
 *
 * Writes a slice for each call, with its arguments and its return value, on a track for
 * each task.  Times are microseconds.  Entries and exits with the same time are written
 * some nanoseconds apart, see struct span, because readers compute in doubles or
 * truncate.
 */
#include "calls.h"

static struct options options = {
	.usage = "chrome [OPTIONS] [FILE]\n\n"
		 "Write a slice for each call, as JSON for speedscope and chrome://tracing\n",
};

static bool any;

static void chrome_put_time(const char *name, u64 time)
{
	out_printf("%s%llu.%03u", name, (unsigned long long)(time / 1000),
		   (unsigned int)(time % 1000));
}

static void chrome_begin_event(const char *phase)
{
	out_printf("%s\n{\"ph\":\"%s", any ? "," : "", phase);
	any = true;
}

static unsigned int process(const struct calls *calls, const struct buffer *buffer)
{
	return buffer - calls->buffers + 1;
}

static void put_process(const struct calls *calls, const struct buffer *buffer)
{
	chrome_begin_event("M\",\"name\":\"process_name");
	out_json_number("\",\"pid\":", process(calls, buffer));
	out_json_text(",\"args\":{\"name\":", buffer->name ?: calls->file);
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
	chrome_begin_event("M\",\"name\":\"thread_name");
	out_json_number("\",\"pid\":", process(calls, task->buffer));
	out_json_number(",\"tid\":", task->id);
	out_json_text(",\"args\":{\"name\":", name);
	out_puts("}}");
}

static void chrome_put_args(struct span *span)
{
	const struct values *args = span_args(span);

	out_puts(",\"args\":{");
	if (args && args->nr) {
		out_json_members(args);
		out_puts(",");
	}
	/* Because of the space, no argument can have one of these names */
	out_json_number("\"on CPU\":", span->cpu);
	out_json_results(",\"return value\":", ",\"changed values\":", ",\"returned error\":",
			 span);
	if (span->lost)
		out_json_text(",\"lost part\":", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
	out_puts("}");
}

static void chrome_put_call(struct calls *calls, struct span *span, struct open *open)
{
	put_task(calls, span->task);
	chrome_begin_event("X");
	out_json_text("\",\"cat\":\"function\",\"name\":", func_name(span->func));
	out_json_number(",\"pid\":", process(calls, span->task->buffer));
	out_json_number(",\"tid\":", span->task->id);
	chrome_put_time(",\"ts\":", span->from);
	chrome_put_time(",\"dur\":", span->to - span->from);
	chrome_put_args(span);
	out_puts("}");
}

static void chrome_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			    long long nr)
{
	chrome_begin_event("i");
	out_json_number("\",\"name\":\"lost events\",\"s\":\"p\",\"pid\":",
			process(calls, buffer));
	out_json_number(",\"tid\":0,\"args\":{\"cpu\":", cpu);
	if (nr > 0)
		out_json_number(",\"events\":", nr);
	chrome_put_time("},\"ts\":", time);
	out_puts("}");
}

/*
 * Do not write displayTimeUnit, because Perfetto once used it as the unit of all times
 */
static bool chrome_open(struct calls *calls)
{
	out_data();
	out_puts("{\"traceEvents\":[");
	return true;
}

static const struct calls_ops ops = {
	.slices	= true,
	.open	= chrome_open,
	.end	= chrome_put_call,
	.lost	= chrome_put_lost,
};

int cmd_chrome(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), i;
	struct calls calls;

	if (first < 0)
		return ~first;
	if (calls_read(&calls, argv[first], options.filters, &ops, NULL)) {
		for (i = 0; i < calls.nr_buffers; i++)
			put_process(&calls, &calls.buffers[i]);
		out_puts("\n]}\n");
	}
	return finish(&calls, &options);
}
