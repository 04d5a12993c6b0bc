// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzz target for clang's libFuzzer: the plugins read a damaged recording.
 *
 * The input begins with a byte of flags, see FLAG_*, and a byte with the number of moved
 * fields.  Each moved field has a byte with its number, and four bytes for its offset.
 * With FLAG_FORMAT, characters of formats are replaced instead: a byte for the format,
 * three bytes for the place, and the character.  The text of the signatures follows, up
 * to the end of a line, then the events.  Each event has a byte for its kind and its CPU,
 * two bytes for its size, and its data.  Each event has separate memory, so that the
 * sanitizer finds a read after its end.
 *
 * With FUZZ_PRINT in the environment, the lines are printed. With
 * FUZZ_OFFSET=FIELD=OFFSET, formats have the field at this offset.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "../../tracing/traceevent/graph_args.h"
#include "fuzz.h"
/*
 * From seeds.pl: the formats by the kind of the event, the page's header, the format with the
 * signatures.  The number of an event is its kind plus 10.
 */
#include "formats.h"

#define FLAG_STREAM	0x01	/* events come from a pipe */
#define FLAG_NO_SIGS	0x02	/* the recording has no signatures */
#define FLAG_UP		0x04	/* the last row is shown first */
#define FLAG_RANDOM	0x08	/* rows are shown in any order, some twice */
#define FLAG_OPTIONS	0x10	/* all options are set */
#define FLAG_LONG_4	0x20	/* the recorded machine has 32 bits */
#define FLAG_NO_INPUT	0x40	/* the program has no libtracecmd */
#define FLAG_FORMAT	0x80	/* damage formats instead of moving fields */

#define KIND		0x07
#define MISSED_EVENTS	0x08
#define CPU_SHIFT	4
#define FILE_CPUS		4

#define MAX_RECORDS	4096

/* Records of files start on the second page */
#define PAGE		4096
#define FIRST_OFFSET	4112

static const char * const fields[] = {
	"func", "depth", "retval", "calltime", "rettime", "length", "ip", "parent_ip",
	"retaddr", "args[]", "first", "nr", "marks", "data[]", "flags",
};

/* Records of a file, as in libtracecmd. It returns copies of the records. */
struct tracecmd_input {
	struct tep_handle	*tep;
	struct tep_record	*records[MAX_RECORDS];
	int			nr;
	int			behind[FILE_CPUS];
	struct tep_record	*next[FILE_CPUS];
	int			copies;
};

__thread struct tracecmd_input *tracecmd_curr_thread_handle;
static struct tracecmd_input input;
static struct tep_handle *tep;

struct tep_handle *tracecmd_get_tep(struct tracecmd_input *in)
{
	return in->tep;
}

static void free_record(struct tep_record *record)
{
	if (record)
		free(record->data);
	free(record);
}

void tracecmd_free_record(struct tep_record *record)
{
	if (record)
		input.copies--;
	free_record(record);
}

static void forget_next(struct tracecmd_input *in, int cpu)
{
	tracecmd_free_record(in->next[cpu]);
	in->next[cpu] = NULL;
}

struct tep_record *tracecmd_peek_data(struct tracecmd_input *in, int cpu)
{
	struct tep_record *copy;
	int i;

	tracecmd_curr_thread_handle = in;
	if (in->next[cpu])
		return in->next[cpu];
	for (i = in->behind[cpu]; i < in->nr && in->records[i]->cpu != cpu; i++)
		;
	if (i == in->nr)
		return NULL;
	copy = malloc(sizeof(*copy));
	*copy = *in->records[i];
	copy->data = malloc(copy->size);
	memcpy(copy->data, in->records[i]->data, copy->size);
	copy->locked = 1;
	in->next[cpu] = copy;
	in->behind[cpu] = i + 1;
	in->copies++;
	return copy;
}

struct tep_record *tracecmd_read_data(struct tracecmd_input *in, int cpu)
{
	struct tep_record *record = tracecmd_peek_data(in, cpu);

	in->next[cpu] = NULL;
	if (record)
		record->locked = 0;
	return record;
}

struct tep_record *tracecmd_read_at(struct tracecmd_input *in,
				    unsigned long long offset, int *cpu)
{
	int i;

	for (i = 0; i < in->nr && in->records[i]->offset != offset; i++)
		;
	if (offset < FIRST_OFFSET || i == in->nr)
		return NULL;
	if (cpu)
		*cpu = in->records[i]->cpu;
	forget_next(in, in->records[i]->cpu);
	in->behind[in->records[i]->cpu] = i;
	return tracecmd_read_data(in, in->records[i]->cpu);
}

struct tep_record *tracecmd_read_cpu_first(struct tracecmd_input *in, int cpu)
{
	forget_next(in, cpu);
	in->behind[cpu] = 0;
	return tracecmd_read_data(in, cpu);
}

/* Only a pipe has no size */
unsigned long long tracecmd_get_cpu_file_size(struct tracecmd_input *in, int cpu)
{
	return in->nr;
}

/*
 * Return a format with a moved field, if it has the field. The caller frees the format.
 */
static char *move_field(char *format, const char *name, int len, int offset)
{
	char field[32], *at, *end, *other;

	snprintf(field, sizeof(field), " %.*s;\toffset:", len, name);
	at = strstr(format, field);
	if (!at)
		return format;
	at += strlen(field);
	end = strchr(at, ';');
	if (asprintf(&other, "%.*s%d%s", (int)(at - format), format, offset, end) < 0)
		abort();
	free(format);
	return other;
}

/*
 * Replace a character of a format. The character is not NUL, because libtraceevent gets
 * the length, and not an operator that divides, because libtraceevent divides by 0.
 */
static void damage_format(char *text, size_t format, const unsigned char *change)
{
	size_t place = change[1] | change[2] << 8 | change[3] << 16;

	if (change[0] % ARRAY_SIZE(formats) == format && !strchr("/%", change[4]))
		text[place % strlen(text)] = change[4];
}

/* Exclude arrays without an end, because libtraceevent then reads from NULL */
static bool arrays_end(const char *text)
{
	const char *last = strrchr(text, '[');

	return !last || strchr(last, ']');
}

static void parse(const char *format, const unsigned char *moves, int nr, int flags)
{
	char *damage = getenv("FUZZ_OFFSET"), *text = strdup(format);
	int offset, i;

	for (i = 0; i < nr && flags & FLAG_FORMAT; i++)
		damage_format(text, atoi(strstr(format, "ID: ") + 4) - 10, moves + i * 5);
	for (i = 0; i < nr && !(flags & FLAG_FORMAT); i++, moves += 5) {
		const char *name = fields[*moves % ARRAY_SIZE(fields)];

		memcpy(&offset, moves + 1, sizeof(offset));
		text = move_field(text, name, strlen(name), offset);
	}
	if (damage && strchr(damage, '='))
		text = move_field(text, damage, strcspn(damage, "="),
				  atoi(strchr(damage, '=') + 1));
	/* An event with an unreadable format does not exist */
	if (arrays_end(text) &&
	    tep_parse_event(tep, text, strlen(text), "ftrace") && !(flags & FLAG_FORMAT))
		abort();
	free(text);
}

/*
 * Make the text of the signatures. libtraceevent passes it as a string, and parsing the
 * format is not our target.
 */
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

static void make_handle(int flags, const unsigned char *moves, int nr)
{
	size_t i;

	tep = tep_alloc();
	tep_set_long_size(tep, flags & FLAG_LONG_4 ? 4 : 8);
	if (tep_parse_header_page(tep, (char *)header_page, strlen(header_page), 8))
		abort();
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		parse(formats[i], moves, nr, flags);
	if (!(flags & FLAG_NO_SIGS))
		parse(carrier_format, NULL, 0, 0);
	tep_register_function(tep, "_text", 0xffffffff81000000ULL, NULL);
	tep_register_function(tep, "one", 0xffffffff81000010ULL, NULL);
	tep_register_function(tep, "other", 0xffffffff81000020ULL, NULL);
	tep_register_function(tep, "of_module", 0xffffffffc0000010ULL, "module");
	tep_register_function(tep, "last", 0xffffffffc0000020ULL, "module");
}

static struct tep_record *read_record(const unsigned char **data, size_t *left)
{
	struct tep_record *record;
	unsigned int kind, type;
	size_t size;

	if (*left < 3)
		return NULL;
	kind = (*data)[0];
	size = (*data)[1] | (*data)[2] << 8;
	if (size > *left - 3)
		size = *left - 3;
	record = calloc(1, sizeof(*record));
	/* No event of the ring buffer is smaller than its header */
	record->size = size < 8 ? 8 : size;
	record->data = calloc(1, record->size);
	memcpy(record->data, *data + 3, size);
	type = kind & KIND;
	if (type < ARRAY_SIZE(formats))
		*(unsigned short *)record->data = 10 + type;
	record->record_size = record->size + 4;
	record->missed_events = !!(kind & MISSED_EVENTS);
	record->cpu = kind >> CPU_SHIFT & (FILE_CPUS - 1);
	*data += 3 + size;
	*left -= 3 + size;
	return record;
}

static void read_records(const unsigned char *data, size_t size, int flags)
{
	unsigned long long offset = flags & FLAG_STREAM ? 16 : FIRST_OFFSET;
	struct tep_record *record;

	while (input.nr < MAX_RECORDS && (record = read_record(&data, &size))) {
		/* A record that does not fit into the page is the first of the next page */
		if (offset % PAGE + record->record_size > PAGE && record->size < PAGE - 16)
			offset += PAGE - offset % PAGE + 16;
		if (!(flags & FLAG_STREAM))
			record->offset = offset;
		offset += record->record_size;
		record->ts = 1000 + input.nr;
		input.records[input.nr++] = record;
	}
}

static void print(struct trace_seq *seq, struct tep_record *record)
{
	if (!record)
		return;
	trace_seq_reset(seq);
	tep_print_event(tep, seq, record, "%s", TEP_PRINT_INFO);
	if (getenv("FUZZ_PRINT"))
		puts(seq->buffer);
	tracecmd_free_record(record);
}

static struct tep_record *find_record(int i, int flags)
{
	if (!(flags & FLAG_NO_INPUT))
		return tracecmd_read_at(&input, input.records[i]->offset, NULL);
	input.behind[input.records[i]->cpu] = i;
	return tracecmd_read_data(&input, input.records[i]->cpu);
}

/* Find the earliest record of all CPUs, which trace-cmd report prints next */
static struct tep_record *next_record(void)
{
	struct tep_record *record, *first = NULL;
	int cpu;

	for (cpu = 0; cpu < FILE_CPUS; cpu++) {
		record = tracecmd_peek_data(&input, cpu);
		if (record && (!first || record->ts < first->ts))
			first = record;
	}
	return first ? tracecmd_read_data(&input, first->cpu) : NULL;
}

static void print_records(struct trace_seq *seq, int flags)
{
	struct tep_record *record;
	unsigned int seed = 1;
	int i;

	if (flags & FLAG_STREAM || !(flags & (FLAG_UP | FLAG_RANDOM))) {
		while ((record = next_record()))
			print(seq, record);
		return;
	}
	for (i = 0; i < input.nr; i++) {
		/* seeds.pl has the same numbers */
		seed = seed * 1103515245 + 12345;
		print(seq, find_record(flags & FLAG_RANDOM ? (seed >> 16) % input.nr :
							     input.nr - 1 - i, flags));
	}
}

/* A sink that reads each byte of its data */
static unsigned int seen;

static void look(const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size--)
		seen += *p++;
}

static void see_name(struct arg_sink *sink, const char *name, unsigned int len)
{
	look(name, len);
}

static void see_begin(struct arg_sink *sink, bool array)
{
}

static void see_end(struct arg_sink *sink)
{
}

static void see_value(struct arg_sink *sink, const struct arg_value *value)
{
	look(value->text, value->text ? value->len : 0);
	look(value->data, value->size);
	look(value->type, value->type ? strlen(value->type) : 0);
}

static const struct arg_sink_ops sink_ops = {
	.name	= see_name,
	.begin	= see_begin,
	.end	= see_end,
	.value	= see_value,
};

/* Read the values of all calls, as trace-calls does */
static void walk_values(size_t room)
{
	struct arg_sink sink = { .ops = &sink_ops };
	char *text = malloc(room);
	struct formats formats;
	struct sigs_out out;
	struct sigs *sigs = decode_formats(&formats, tep);
	int i;

	for (i = 0; sigs && !formats.damaged && i < input.nr; i++) {
		struct tep_record *record = input.records[i];
		const struct sig_func *func;
		struct arg_longs longs;
		enum call_kind kind;
		struct call call;

		kind = decode_event(&formats, record, &call);
		if (kind != CALL_ENTRY && kind != CALL_EXIT && kind != CALL_SINGLE)
			continue;
		func = sigs_find(sigs, call.func, decode_set(&call));
		if (!func || !func->sig)
			continue;
		out = (struct sigs_out){ .sigs = sigs, .out.sink = &sink };
		out.out.pos = text;
		out.out.end = text + room;
		longs = decode_longs(&call);
		if (kind != CALL_EXIT)
			arg_sig_put_args(&out.out, func->sig, func->types, &longs);
		if (kind != CALL_ENTRY && call.nr_regs)
			arg_sig_put_retval(&out.out, func->sig, func->types, call.regs,
					   call.nr_regs, false);
	}
	sigs_free(sigs);
	free(text);
}

int fuzz_one(const unsigned char *data, size_t size)
{
	const unsigned char *end, *moves;
	struct tep_event *carrier;
	struct trace_seq seq;
	int flags, nr, i;
	size_t text;

	if (size < 2)
		return 0;
	flags = data[0];
	nr = data[1] % 8;
	moves = data + 2;
	if (size < 2 + nr * 5u)
		return 0;
	data = moves + nr * 5;
	size -= 2 + nr * 5;

	for (i = 0; graph_args_options[i].name; i++)
		if (flags & FLAG_OPTIONS || !strcmp(graph_args_options[i].name, "parent"))
			graph_args_options[i].set = 1;
	make_handle(flags, moves, nr);
	memset(&input, 0, sizeof(input));
	input.tep = flags & FLAG_NO_INPUT ? NULL : tep;
	TEP_PLUGIN_LOADER(tep);
	bts_loader(tep);

	end = memchr(data, '\n', size);
	text = end ? (size_t)(end - data) : size;
	carrier = tep_find_event_by_name(tep, "ftrace", "arg_sigs");
	if (carrier) {
		free(carrier->print_fmt.format);
		carrier->print_fmt.format = carrier_text(data, text);
	}
	read_records(data + text + !!end, size - text - !!end, flags);
	trace_seq_init(&seq);
	print_records(&seq, flags);
	trace_seq_destroy(&seq);
	walk_values(flags & FLAG_UP ? 16 : 0x10000);

	bts_unloader(tep);
	TEP_PLUGIN_UNLOADER(tep);
	/* trace-cmd would close the file at this point */
	if (tracecmd_curr_thread_handle && input.tep)
		abort();
	tracecmd_curr_thread_handle = NULL;
	for (i = 0; i < FILE_CPUS; i++)
		forget_next(&input, i);
	if (input.copies)
		abort();
	for (i = 0; i < input.nr; i++)
		free_record(input.records[i]);
	tep_free(tep);
	return 0;
}
