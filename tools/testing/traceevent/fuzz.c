// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzz target for clang's libFuzzer: what a damaged recording can make of the
 * plugin's input.
 *
 * The input is the text of the signatures, up to a line's end, then events:
 * for each a byte that tells an entry, an exit and the function tracer's event
 * apart, another one for its size, and its bytes. Each lies in memory of its own, so that a
 * byte that is read behind it is found. With FUZZ_PRINT in the environment the
 * lines are printed; with FUZZ_OFFSET=FIELD=OFFSET formats have that field there.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "fuzz.h"

#define COMMON								\
	"format:\n"							\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define ENTRY_ID	10
#define EXIT_ID		11
#define FUNCTION_ID	13

static const char entry_format[] =
	"name: funcgraph_entry\nID: 10\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long args[];\toffset:20;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n";

static const char exit_format[] =
	"name: funcgraph_exit\nID: 11\n" COMMON
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long retval2[];\toffset:48;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d)\", (void *)REC->func, REC->depth\n";

static const char function_format[] =
	"name: function\nID: 13\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";

static const char carrier_format[] =
	"name: arg_sigs\nID: 12\n" COMMON "\nprint fmt: \".\"\n";

/*
 * The record that follows, which trace-cmd would have: the plugin looks these
 * up by their names.
 */
__thread void *tracecmd_curr_thread_handle;
static struct tep_record *next_record;

struct tep_record *tracecmd_peek_data(void *input, int cpu)
{
	return next_record;
}

struct tep_record *tracecmd_read_data(void *input, int cpu)
{
	struct tep_record *record = next_record;

	next_record = NULL;
	return record;
}

void tracecmd_free_record(struct tep_record *record)
{
	if (record)
		free(record->data);
	free(record);
}

static void parse(struct tep_handle *tep, const char *format)
{
	char *damage = getenv("FUZZ_OFFSET"), *other = NULL, *offset, *at;
	int len = damage ? strcspn(damage, "=") : 0;
	char field[32];

	snprintf(field, sizeof(field), " %.*s;\toffset:", len, damage);
	at = len ? strstr(format, field) : NULL;
	if (at) {
		offset = at + strlen(field);
		if (asprintf(&other, "%.*s%s%s", (int)(offset - format), format,
			     damage + len + 1, strchr(offset, ';')) < 0)
			abort();
		format = other;
	}
	if (tep_parse_event(tep, format, strlen(format), "ftrace"))
		abort();
	free(other);
}

/* What libtraceevent would hand over as one string: reading it is not our target */
static char *carrier_text(const unsigned char *data, size_t size)
{
	char *text = malloc(size + 1);
	size_t i;

	for (i = 0; i < size; i++) {
		text[i] = data[i];
		if (text[i] < ' ' || text[i] > '~' || strchr("\"\\%", text[i]))
			text[i] = '.';
	}
	text[size] = '\0';
	return text;
}

static struct tep_handle *make_handle(void)
{
	struct tep_handle *tep = tep_alloc();

	tep_set_long_size(tep, 8);
	parse(tep, entry_format);
	parse(tep, exit_format);
	parse(tep, function_format);
	parse(tep, carrier_format);
	tep_plugin_add_option("ftrace:parent", "1");
	tep_register_function(tep, "_text", 0xffffffff81000000ULL, NULL);
	tep_register_function(tep, "one", 0xffffffff81000010ULL, NULL);
	tep_register_function(tep, "other", 0xffffffff81000020ULL, NULL);
	tep_register_function(tep, "of_module", 0xffffffffc0000010ULL, "module");
	tep_register_function(tep, "last", 0xffffffffc0000020ULL, "module");
	return tep;
}

static struct tep_record *read_record(const unsigned char **data, size_t *left)
{
	struct tep_record *record;
	size_t size;

	if (*left < 2)
		return NULL;
	size = (*data)[1] < *left - 2 ? (*data)[1] : *left - 2;
	record = calloc(1, sizeof(*record));
	/* The ring buffer has no event that is smaller than its header */
	record->size = size < 8 ? 8 : size;
	record->data = calloc(1, record->size);
	memcpy(record->data, *data + 2, size);
	*(unsigned short *)record->data = (*data)[0] & 16 ? FUNCTION_ID :
					  (*data)[0] & 1 ? EXIT_ID : ENTRY_ID;
	record->missed_events = !!((*data)[0] & 2);
	record->cpu = (*data)[0] >> 2 & 3;
	*data += 2 + size;
	*left -= 2 + size;
	return record;
}

int fuzz_one(const unsigned char *data, size_t size)
{
	static struct tep_handle *tep;
	const unsigned char *end = memchr(data, '\n', size);
	size_t text = end ? (size_t)(end - data) : size;
	struct tep_record *record;
	struct tep_event *event;
	struct trace_seq seq;
	char *saved;

	if (!tep)
		tep = make_handle();
	tracecmd_curr_thread_handle = tep;
	TEP_PLUGIN_LOADER(tep);
	event = tep_find_event_by_name(tep, "ftrace", "arg_sigs");
	saved = event->print_fmt.format;
	event->print_fmt.format = carrier_text(data, text);

	data += text + !!end;
	size -= text + !!end;
	trace_seq_init(&seq);
	for (;;) {
		record = next_record ?: read_record(&data, &size);
		if (!record)
			break;
		next_record = read_record(&data, &size);
		trace_seq_reset(&seq);
		tep_print_event(tep, &seq, record, "%s", TEP_PRINT_INFO);
		if (getenv("FUZZ_PRINT"))
			puts(seq.buffer);
		tracecmd_free_record(record);
	}
	trace_seq_destroy(&seq);
	TEP_PLUGIN_UNLOADER(tep);
	free(event->print_fmt.format);
	event->print_fmt.format = saved;
	return 0;
}
