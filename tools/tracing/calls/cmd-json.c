// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls json: write an object for each call, one object a line
 *
 * A call is written at its exit, so its callees come before it.
 */
#include <getopt.h>
#include <string.h>

#include "calls.h"

static bool json_set_option(int option, const char *value)
{
	if (strcmp(value, "string"))
		return false;
	out_big_strings();
	return true;
}

static const struct option longs[] = {
	{ "big", required_argument, NULL, 'B' },
	{ NULL }
};

static struct options options = {
	.usage = "json [OPTIONS] [FILE]\n\n"
		 "Write a JSON object for each call, one object a line, in the order of exits\n\n"
		 "  -B, --big string     write integers beyond 2^53 as strings, for readers that\n"
		 "                       have only doubles",
	.shorts = "B:",
	.longs = longs,
	.set = json_set_option,
};

static bool was_cut(const struct arg_value *value)
{
	return value->cut;
}

static bool has_bytes(const struct arg_value *value)
{
	return !is_utf8(value->data, value->size);
}

/* Write the names of the strings for which @test is true */
static void put_names(const char *before, const struct values *values,
		      bool (*test)(const struct arg_value *value))
{
	unsigned int i, nr = 0;

	for (i = 0; values && i < values->nr; i++) {
		const struct item *item = &values->items[i];

		if (item->kind != ITEM_VALUE || item->value.kind != ARG_STRING ||
		    !test(&item->value))
			continue;
		out_puts(nr++ ? "," : before);
		out_json_string(item->name, item->len);
	}
	if (nr)
		out_puts("]");
}

static void put_caller(struct span *span)
{
	const char *name;
	char buf[32];
	u64 start;

	if (!span->caller)
		return;
	name = sigs_find_caller(span->calls->sigs, span->caller, &start);
	if (!name) {
		snprintf(buf, sizeof(buf), "0x%llx", (unsigned long long)span->caller);
		name = buf;
	}
	out_json_text(",\"caller\":", name);
}

static void json_put_call(struct calls *calls, struct span *span, struct open *open)
{
	const struct values *args = span_args(span);
	char buf[32];

	out_json_number("{\"time\":", span->begin);
	out_json_number(",\"cpu\":", span->cpu);
	out_json_number(",\"pid\":", span->task->pid);
	out_json_text(",\"comm\":", task_comm(calls, span->task));
	if (span->task->buffer->name)
		out_json_text(",\"instance\":", span->task->buffer->name);
	out_json_text(",\"function\":", func_name(span->func, buf, sizeof(buf)));
	if (span->func->module)
		out_json_text(",\"module\":", span->func->module);
	out_json_number(",\"depth\":", span->depth);
	put_caller(span);
	if (args) {
		out_puts(",\"args\":{");
		out_json_members(args);
		out_puts("}");
		put_names(",\"cut\":[", args, was_cut);
		put_names(",\"escaped\":[", args, has_bytes);
	}
	out_json_results(",\"ret\":", span);
	put_names(",\"escaped_changed\":[", span_changed(span), has_bytes);
	if (span->lost != SPAN_NO_END)
		out_json_number(",\"duration\":", span->duration);
	if (span->lost)
		out_json_text(",\"lost\":", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
	out_write("}\n", 2);
}

static void json_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			  long long nr)
{
	out_json_number("{\"time\":", time);
	out_json_number(",\"cpu\":", cpu);
	if (buffer->name)
		out_json_text(",\"instance\":", buffer->name);
	out_puts(",\"lost\":\"events\"");
	if (nr > 0)
		out_json_number(",\"lost_events\":", nr);
	out_write("}\n", 2);
}

/* Functions that write calls and losses */
const struct calls_ops json_ops = {
	.end	= json_put_call,
	.lost	= json_put_lost,
};

/**
 * cmd_json - run trace-calls json
 * @argc: the number of words
 * @argv: the words
 *
 * Return: the program's status.
 */
int cmd_json(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], options.filters, &json_ops, NULL);
	status = finish(&calls, &options);
	calls_free(&calls);
	return status;
}
