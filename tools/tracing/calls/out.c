// SPDX-License-Identifier: GPL-2.0
/*
 * Write text, JSON and progress
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "calls.h"

/* Size of the output buffer */
#define OUT_SIZE	0x40000

/* Events between two reads of the clock, and nanoseconds between two lines */
#define PROGRESS_EVENTS	0x4000
#define PROGRESS_TIME	500000000LL
#define PROGRESS_BEGIN	2000000000LL

static FILE *out;
static bool shown;

/**
 * complain - write a message
 * @format: the message, without the program's name and the end of the line
 */
void complain(const char *format, ...)
{
	va_list ap;

	progress_end();
	fflush(out);
	fprintf(stderr, "%s: ", program);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/**
 * out_open - open the output
 * @name: a file, NULL for the standard output
 *
 * Return: false after a message if the file cannot be written.
 */
bool out_open(const char *name)
{
	out = name ? fopen(name, "w") : stdout;
	if (!out) {
		complain("%s: %s", name, strerror(errno));
		return false;
	}
	setvbuf(out, NULL, _IOFBF, OUT_SIZE);
	return true;
}

/**
 * out_flush - write the buffered text, for a reader that waits for it
 *
 * Return: false if it cannot be written.
 */
bool out_flush(void)
{
	return !fflush(out) && !ferror(out);
}

/**
 * out_switch - switch to another output
 * @to: the output
 *
 * Return: the previous output.
 */
FILE *out_switch(FILE *to)
{
	FILE *old = out;

	out = to;
	return old;
}

/**
 * out_close - write the buffered text
 *
 * Return: 0, or 1 if something could not be written; a message was printed, unless the
 * reader has closed its end.
 */
int out_close(void)
{
	bool failed = ferror(out);

	if (!fclose(out) && !failed)
		return 0;
	if (errno != EPIPE)
		complain("cannot write: %s", strerror(errno));
	return 1;
}

/**
 * out_write - write text, or bytes
 * @text: the text
 * @len: number of bytes
 */
void out_write(const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, out);
}

/**
 * out_puts - write text
 * @text: the text
 */
void out_puts(const char *text)
{
	fwrite_unlocked(text, 1, strlen(text), out);
}

/**
 * out_udec - write a number
 * @val: the number
 */
void out_udec(u64 val)
{
	char digits[20], *pos = digits + sizeof(digits);

	do {
		*--pos = '0' + val % 10;
		val /= 10;
	} while (val);
	out_write(pos, digits + sizeof(digits) - pos);
}

/**
 * out_dec - write a number that may be negative
 * @val: the number
 */
void out_dec(s64 val)
{
	if (val < 0)
		putc_unlocked('-', out);
	out_udec(val < 0 ? -(u64)val : val);
}

/*
 * Find the bytes of a UTF-8 character, 0 if the bytes are not UTF-8; see RFC 3629, 4.
 */
static unsigned int utf8_length(const u8 *text, size_t len)
{
	unsigned int nr, i;
	u32 c = text[0];

	if (c < 0x80)
		return 1;
	nr = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4 || nr > len)
		return 0;
	c &= 0x7f >> nr;
	for (i = 1; i < nr; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if ((nr == 3 && c < 0x800) || (nr == 4 && c < 0x10000) ||
	    (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	return nr;
}

/**
 * is_utf8 - whether bytes are UTF-8
 * @text: the bytes
 * @len: number of bytes
 */
bool is_utf8(const char *text, size_t len)
{
	unsigned int nr;
	size_t i;

	for (i = 0; i < len; i += nr) {
		nr = utf8_length((const u8 *)text + i, len - i);
		if (!nr)
			return false;
	}
	return true;
}

static bool is_plain(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\')
			return false;
	return true;
}

static void put_json_escaped(const char *text, size_t len)
{
	struct json_object *string = json_object_new_string_len(text, len);
	size_t size;

	if (!string)
		return;
	out_puts(json_object_to_json_string_length(string,
						   JSON_C_TO_STRING_NOSLASHESCAPE,
						   &size));
	json_object_put(string);
}

/**
 * out_json_string - write a string of JSON
 * @text: UTF-8; bytes that are not UTF-8 are read as Latin-1
 * @len: its bytes
 */
void out_json_string(const char *text, size_t len)
{
	char *copy, *pos;
	size_t i;

	if (is_plain(text, len)) {
		putc_unlocked('"', out);
		out_write(text, len);
		putc_unlocked('"', out);
		return;
	}
	if (is_utf8(text, len)) {
		put_json_escaped(text, len);
		return;
	}
	copy = malloc(2 * len);
	if (!copy)
		return;
	for (pos = copy, i = 0; i < len; i++) {
		u8 c = text[i];

		if (c >= 0x80)
			*pos++ = 0xc0 | c >> 6;
		*pos++ = c < 0x80 ? c : 0x80 | (c & 0x3f);
	}
	put_json_escaped(copy, pos - copy);
	free(copy);
}

/**
 * out_json_text - write a text, and a string of JSON after it
 * @before: the text, such as "{\"name\":"
 * @text: the string
 */
void out_json_text(const char *before, const char *text)
{
	out_puts(before);
	out_json_string(text, strlen(text));
}

/**
 * out_json_number - write a text, and a number after it
 * @before: the text, such as "{\"name\":"
 * @val: the number
 */
void out_json_number(const char *before, u64 val)
{
	out_puts(before);
	out_udec(val);
}

/**
 * out_json_value - write a value as JSON
 * @value: the value
 *
 * A number is written as a number. A name, an address or bytes are written as a
 * string. An unknown value is written as null.
 */
void out_json_value(const struct arg_value *value)
{
	switch (value->kind) {
	case ARG_UNKNOWN:
	case ARG_REMOVED:
		out_write("null", 4);
		break;
	case ARG_SIGNED:
		out_dec(value->val);
		break;
	case ARG_UNSIGNED:
		out_udec(value->val);
		break;
	case ARG_BOOL:
		if (value->val > 1)
			out_udec(value->val);
		else
			out_puts(value->val ? "true" : "false");
		break;
	case ARG_STRING:
		/* Bytes that are not text are written with the escapes of the trace */
		if (!is_utf8(value->data, value->size) && value->text) {
			out_json_string(value->text + 1,
					value->len - 2 - (value->cut ? 3 : 0));
			break;
		}
		out_json_string(value->data, value->size);
		break;
	default:
		if (value->text)
			out_json_string(value->text, value->len);
		else
			out_write("null", 4);
	}
}

static void put_item_name(const struct item *item, unsigned int number)
{
	char buf[16];

	if (item->len) {
		out_json_string(item->name, item->len);
	} else {
		snprintf(buf, sizeof(buf), "\"arg%u\"", number);
		out_puts(buf);
	}
	out_write(":", 1);
}

static unsigned int put_items(const struct values *values, unsigned int i, bool array)
{
	unsigned int number = 0;

	while (i < values->nr && values->items[i].kind != ITEM_END) {
		const struct item *item = &values->items[i++];

		if (number)
			out_write(",", 1);
		if (!array)
			put_item_name(item, number);
		number++;
		if (item->kind == ITEM_VALUE) {
			out_json_value(&item->value);
			continue;
		}
		out_puts(item->kind == ITEM_ARRAY ? "[" : "{");
		i = put_items(values, i, item->kind == ITEM_ARRAY) + 1;
		out_puts(item->kind == ITEM_ARRAY ? "]" : "}");
	}
	return i;
}

/**
 * out_json_members - write values as members of an object of JSON
 * @values: the values
 */
void out_json_members(const struct values *values)
{
	put_items(values, 0, false);
}

/* Write a return value, which may be a record */
static void put_ret_value(const struct values *ret)
{
	struct values one = *ret;

	if (!ret->nr) {
		out_puts("null");
		return;
	}
	/* Write the value like an element of an array, which has no name */
	one.nr = values_skip(ret, 0);
	put_items(&one, 0, true);
}

/**
 * out_json_results - write a call's return value, other results and error, if it has them
 * @before: the text before the return value, such as ",\"ret\":"
 * @span: the call
 */
void out_json_results(const char *before, struct span *span)
{
	const struct values *ret = span_ret(span), *changed = span_changed(span);

	if (ret) {
		out_puts(before);
		put_ret_value(ret);
	}
	if (changed) {
		out_puts(",\"changed\":{");
		out_json_members(changed);
		out_puts("}");
	}
	if (span->error && errname(span->error))
		out_json_text(",\"errno\":", errname(span->error) + 1);
}

/**
 * out_graph_line - write a line of the graph, and the end of the line
 * @sigs: the recording's signatures
 * @line: the entry, the exit and the function of the line
 */
void out_graph_line(struct sigs *sigs, struct graph_line *line)
{
	struct sigs_out out = { .sigs = sigs };
	static const bool opts[NR_OPTS];
	char text[16384];

	line->opts = opts;
	line->sigs = sigs;
	line->args = true;
	out.out.pos = text;
	out.out.end = text + sizeof(text) - 1;
	line_put_graph(&out.out, line);
	*min(out.out.pos, out.out.end) = '\0';
	out_puts(text);
	out_puts("\n");
}

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/**
 * progress - show the progress of a long run on a terminal
 * @calls: the recording
 */
void progress(const struct calls *calls)
{
	static unsigned int events;
	static long long begin, last;
	long long time;

	if (events++ % PROGRESS_EVENTS || !isatty(STDERR_FILENO))
		return;
	time = now();
	if (!begin)
		begin = time;
	if (time - begin < PROGRESS_BEGIN || time - last < PROGRESS_TIME)
		return;
	last = time;
	fprintf(stderr, "\r%s: %s: %llu %%", program, calls->file,
		min(99ULL, calls->done * 100ULL / max_t(u64, calls->size, 1)));
	shown = true;
}

/**
 * progress_end - remove the line that progress() has written
 */
void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
