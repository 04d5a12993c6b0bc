// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls json: write an object for each call, one object a line; see trace-calls.schema.json
 *
 * A call is written at its exit, so its callees come before it.  An object has the number of the
 * caller.  The caller gets its number at its entry.  If the entry comes after the callees, as in
 * the event of a whole call, the callees wait for the caller as text.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "tree.h"

/* The version of the schema */
#define VERSION		1

/**
 * struct json_call - a call that waits for the number of its caller
 * @node: its place
 * @size: bytes of @text
 * @text: the object up to the number
 */
struct json_call {
	struct tree_node	node;
	size_t			size;
	char			text[];
};

/* The number of the last call */
static u64 last_id;

/* Whether each object has the host, the boot ID or NULL, and the members about both */
static bool with_host;
static const char *boot_id;
static char *host;

static bool json_set_option(int option, const char *value)
{
	if (option == 'i') {
		boot_id = value;
		return with_host = true;
	}
	if (strcmp(value, "string"))
		return false;
	out_big_strings();
	return true;
}

static const struct choice choices[] = {
	{ 'B', "big", "string", "write integers beyond 2^53 as strings, for readers that\n"
	  "have only doubles" },
	{ 'H', "host", NULL, "give each object the name of the machine, the release of\n"
	  "the kernel, and the time of day if the recording has it", &with_host },
	{ 'i', "boot-id", "ID", "as -H, and give each object this boot ID" },
	{ }
};

static struct options options = {
	.usage = "json [OPTIONS] [FILE]\n\n"
		 "Write a JSON object for each call, one object a line, in the order of exits\n",
	.choices = choices,
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
	u64 start;

	if (!span->caller)
		return;
	name = sigs_find_caller(span->calls->sigs, span->caller, &start);
	if (name)
		out_json_text(",\"caller\":", name);
	else
		out_printf(",\"caller\":\"0x%llx\"", (unsigned long long)span->caller);
}

/* Write the machine, if it is wanted, and the time of day of a time if it is known */
static void put_host(const struct calls *calls, u64 time)
{
	if (!host)
		return;
	out_puts(host);
	if (calls->dat.date && calls->clock != CLOCK_COUNTS)
		out_json_number(",\"wall\":", time + calls->dat.date);
}

/* Make the members of all objects about the machine. Returns false after a message. */
static bool make_host(const struct calls *calls)
{
	const char *text;
	size_t size;

	if (!*calls->dat.host) {
		complain("%s: the name of the machine is missing", calls->file);
		return false;
	}
	out_capture();
	out_json_text(",\"host\":", calls->dat.host);
	if (boot_id)
		out_json_text(",\"boot_id\":", boot_id);
	out_json_text(",\"release\":", calls->dat.release);
	text = out_captured(&size);
	host = xstrndup(text, size);
	return true;
}

/* Write the object of a call up to the number of the caller */
static void json_put_call(struct calls *calls, struct span *span, u64 id)
{
	const struct values *args = span_args(span);

	out_puts("{\"type\":\"call\"");
	put_host(calls, span->begin);
	out_json_number(",\"id\":", id);
	out_json_number(",\"begin\":", span->begin);
	out_json_number(",\"cpu\":", span->cpu);
	out_json_number(",\"pid\":", span->task->pid);
	out_json_text(",\"comm\":", task_comm(calls, span->task));
	if (span->task->buffer->name)
		out_json_text(",\"instance\":", span->task->buffer->name);
	out_json_text(",\"function\":", func_name(span->func));
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
	out_json_results(",\"ret\":", ",\"changed\":", ",\"errno\":", span);
	put_names(",\"escaped_changed\":[", span_changed(span), has_bytes);
	if (span->lost != SPAN_NO_END) {
		out_json_number(",\"duration\":", span->duration);
		out_json_number(",\"self\":", span->self);
		if (calls->clock != CLOCK_COUNTS)
			out_json_number(",\"end\":", span->end);
	}
	if (span->lost)
		out_json_text(",\"lost\":", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
}

/* Write the number of the caller: none for an outermost call, null if it is not known */
static void end_object(int depth, u64 parent)
{
	if (parent)
		out_json_number(",\"parent\":", parent);
	else if (depth)
		out_puts(",\"parent\":null");
	out_write("}\n", 2);
}

/* Write calls that have waited for their caller */
static void json_put_waiting(struct tree_node *node, u64 parent)
{
	struct json_call *call;
	struct tree_node *next;

	for (; node; node = next) {
		next = node->next;
		call = container_of(node, struct json_call, node);
		out_write(call->text, call->size);
		end_object(node->depth, parent);
		free(call);
	}
}

/* Write the calls of a task whose caller is not known */
static void json_end_task(struct calls *calls, struct task *task)
{
	unsigned int i;

	for (i = 0; i < task->nr_callees; i++) {
		json_put_waiting(task->callees[i].node, 0);
		task->callees[i].node = NULL;
	}
}

/* Let a call wait for its caller */
static void add_waiting(struct calls *calls, struct span *span, u64 id)
{
	struct json_call *call;
	const char *text;
	size_t size;

	out_capture();
	json_put_call(calls, span, id);
	text = out_captured(&size);
	call = tree_node_new(sizeof(*call) + size, span);
	call->size = size;
	memcpy(call->text, text, size);
	tree_add(span, &call->node);
}

/* Number of the open calls of a task up to the caller of a call at @depth, 0 if it is not known */
static unsigned int callers_of(const struct task *task, unsigned int nr, int depth)
{
	return nr > task->unsure && task->open[nr - 1].depth == depth - 1 ? nr : 0;
}

/* The data of an open call is its number times 2, plus 1 if the next open call is the caller */
static void json_begin_call(struct calls *calls, struct task *task, struct open *open)
{
	open->data = ++last_id << 1 | !!callers_of(task, task->nr - 1, open->depth);
}

static void json_end_call(struct calls *calls, struct span *span, struct open *open)
{
	u64 id = open ? open->data >> 1 : ++last_id;
	struct task *task = span->task;
	unsigned int nr = task->nr - !!open;

	if (!open)
		nr = callers_of(task, nr, span->depth);
	else if (!(open->data & 1))
		nr = 0;
	json_put_waiting(span->callees, id);
	if (span->passes && span->depth && !nr) {
		add_waiting(calls, span, id);
	} else if (span->passes) {
		json_put_call(calls, span, id);
		end_object(span->depth, nr ? task->open[nr - 1].data >> 1 : 0);
	}
	if (!span->depth || !(task->nr_callees % TREE_MAX))
		json_end_task(calls, task);
}

static void json_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			  long long nr)
{
	out_puts("{\"type\":\"lost\"");
	put_host(calls, time);
	out_json_number(",\"time\":", time);
	out_json_number(",\"cpu\":", cpu);
	if (buffer->name)
		out_json_text(",\"instance\":", buffer->name);
	if (nr > 0)
		out_json_number(",\"events\":", nr);
	out_write("}\n", 2);
}

static bool json_open(struct calls *calls)
{
	if (with_host && !make_host(calls))
		return false;
	out_data();
	out_json_number("{\"type\":\"recording\",\"version\":", VERSION);
	if (*calls->dat.clock)
		out_json_text(",\"clock\":", calls->dat.clock);
	if (host)
		out_puts(host);
	else if (*calls->dat.release)
		out_json_text(",\"release\":", calls->dat.release);
	out_write("}\n", 2);
	return true;
}

/* Write the calls that still wait for their callers */
void json_end(struct calls *calls)
{
	trees_end(calls, json_end_task);
	free(host);
	host = NULL;
}

/* Functions that write calls and losses */
const struct calls_ops json_ops = {
	.all	= true,
	.open	= json_open,
	.begin	= json_begin_call,
	.end	= json_end_call,
	.lost	= json_put_lost,
};

int cmd_json(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1);
	struct calls calls;

	if (first < 0)
		return ~first;
	calls_read(&calls, argv[first], options.filters, &json_ops, NULL);
	json_end(&calls);
	return finish(&calls, &options);
}
