// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls json: an object for each call, a line each
 *
 * A call is written when it ends, so its callees come before it.
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static struct options options = {
	.usage = "json [OPTIONS] FILE\n\n"
		 "A JSON object for each call, a line each, in the order in which they end\n",
};

static void put_member(const char *name, u64 val)
{
	out_puts(name);
	out_udec(val);
}

static void put_text(const char *name, const char *text)
{
	out_puts(name);
	out_json_string(text, strlen(text));
}

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
	put_text(",\"caller\":", name);
}

static void put_call(struct calls *calls, struct span *span, struct open *open)
{
	const struct values *args = span_args(span), *ret = span_ret(span);
	const struct values *changed = span_changed(span);
	char buf[32];

	put_member("{\"time\":", span->begin);
	put_member(",\"cpu\":", span->cpu);
	put_member(",\"pid\":", span->task->pid);
	put_text(",\"comm\":", task_comm(calls, span->task));
	if (span->task->buffer->name)
		put_text(",\"instance\":", span->task->buffer->name);
	put_text(",\"function\":", func_name(span->func, buf, sizeof(buf)));
	if (span->func->module)
		put_text(",\"module\":", span->func->module);
	put_member(",\"depth\":", span->depth);
	put_caller(span);
	if (args) {
		out_puts(",\"args\":{");
		out_json_members(args);
		out_puts("}");
		put_cut(args);
	}
	if (ret) {
		out_puts(",\"ret\":");
		out_json_ret(ret);
	}
	if (changed) {
		out_puts(",\"changed\":{");
		out_json_members(changed);
		out_puts("}");
	}
	if (span->error && errname(span->error))
		put_text(",\"errno\":", errname(span->error) + 1);
	if (span->lost != SPAN_NO_END)
		put_member(",\"duration\":", span->duration);
	if (span->lost)
		put_text(",\"lost\":", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
	out_write("}\n", 2);
}

static void put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
		     long long nr)
{
	put_member("{\"time\":", time);
	put_member(",\"cpu\":", cpu);
	if (buffer->name)
		put_text(",\"instance\":", buffer->name);
	out_puts(",\"lost\":\"events\"");
	if (nr > 0)
		put_member(",\"lost_events\":", nr);
	out_write("}\n", 2);
}

/* How a call and a loss are written */
const struct calls_ops json_ops = {
	.end	= put_call,
	.lost	= put_lost,
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
