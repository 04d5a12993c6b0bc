// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls json: write an object for each call, one object a line
 *
 * A call is written at its exit, so its callees come before it.
 */
#include "calls.h"

static struct options options = {
	.usage = "json [OPTIONS] FILE\n\n"
		 "Write a JSON object for each call, one object a line, in the order of exits\n",
};

/* Write the names of the strings that were cut when they were recorded */
static void put_cut(const struct values *args)
{
	unsigned int i, nr = 0;

	for (i = 0; i < args->nr; i++) {
		const struct item *item = &args->items[i];

		if (item->kind != ITEM_VALUE || item->value.kind != ARG_STRING ||
		    !item->value.cut)
			continue;
		out_puts(nr++ ? "," : ",\"cut\":[");
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
		put_cut(args);
	}
	out_json_results(",\"ret\":", span);
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
