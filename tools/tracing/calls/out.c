// SPDX-License-Identifier: GPL-2.0
/*
 * Write text, JSON and progress
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "arrays.h"
#include "calls.h"

/* Size of the output buffer */
#define OUT_SIZE	0x40000

/* Events between two looks at the output and at the clock, and nanoseconds between two lines */
#define PROGRESS_EVENTS	0x1000
#define PROGRESS_TIME	500000000ULL
#define PROGRESS_BEGIN	2000000000ULL

/* Characters of the columns of the task's name and of its number */
#define TASK_WIDTH	16
#define PID_WIDTH	7

/* The default of $PAGER */
#define PAGER		"if command -v less >/dev/null; then less; else cat; fi"

/*
 * The shell's commands for a pager.  The shell waits for a pager that handles Ctrl-C, and shows
 * the text without a pager if the pager cannot be started.
 */
#define PAGER_SCRIPT	"trap : INT\n%s\ncase $? in 126 | 127) exec cat ;; esac"

/* Maximum bytes of a line of the graph */
#define LINE_SIZE	16384

/* The largest integer up to which a double has all integers */
#define MAX_EXACT	BIT_ULL(53)

static FILE *out;
static bool shown, big_strings;

/* The output that gets data, which is written as it is; NULL if there is none */
static FILE *data_out;

/*
 * The text that @out does not have yet, the part of it that clean() has seen, and where
 * out_capture() began
 */
static char *pending;
static size_t nr_pending, nr_clean, pending_room, captured;
static bool capturing;

/* The first error of a write, 0 if there was none; and whether the output is an input, too */
static int write_error;
static bool refused;

/* The process that shows the output on a terminal, 0 if there is none */
static pid_t pager;

/**
 * struct new_file - a file that is written
 * @st: the file's state before, zero if the file is new
 * @name: the file's name, NULL if the file is not replaced
 * @temp: the name that the file has until it is complete. The program removes a file of this name
 *	when it ends before.
 */
struct new_file {
	struct stat	st;
	char		*name;
	char		*temp;
};

/* The output, and the recording of out_save() */
static struct new_file target, saved;

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

/*
 * Replace what a terminal may not show as text: control characters, and bytes that are not UTF-8.
 * The names in a recording could change the terminal otherwise.
 */
static void clean(char *text, size_t len)
{
	unsigned int nr;
	size_t i;

	for (i = 0; i < len; i += nr ?: 1) {
		nr = utf8_length((const u8 *)text + i, len - i);
		/* U+0080 to U+009f are control characters, too */
		if (!nr || text[i] == 0x7f ||
		    (text[i] < ' ' && text[i] != '\t' && text[i] != '\n') ||
		    (text[i] == 0xc2 && text[i + 1] < 0xa0))
			memset(text + i, '?', nr ?: 1);
	}
}

static void clean_pending(void)
{
	if (out != data_out)
		clean(pending + nr_clean, nr_pending - nr_clean);
	nr_clean = nr_pending;
}

/* Write the pending text */
static void drain(void)
{
	if (capturing || !nr_pending)
		return;
	clean_pending();
	if (fwrite_unlocked(pending, 1, nr_pending, out) != nr_pending && !write_error)
		write_error = errno;
	nr_pending = 0;
	nr_clean = 0;
}

/* Write a part of a message to the standard error */
static void __printf(1, 0) vsay(const char *format, va_list ap)
{
	char *text;
	int len = vasprintf(&text, format, ap);

	if (len < 0)
		out_of_memory();
	clean(text, len);
	fputs(text, stderr);
	free(text);
}

static void __printf(1, 2) say(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsay(format, ap);
	va_end(ap);
}

/* Write a message, with the program's name before it and the end of the line after it */
void complain(const char *format, ...)
{
	va_list ap;

	progress_end();
	drain();
	fprintf(stderr, "%s: ", program);
	va_start(ap, format);
	vsay(format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void remove_temps(void)
{
	if (target.temp)
		unlink(target.temp);
	if (saved.temp)
		unlink(saved.temp);
}

static void end_pager(void)
{
	if (pager > 0) {
		close(STDERR_FILENO);
		waitpid(pager, NULL, 0);
	}
	pager = 0;
}

/* The program ends without out_close() if there is no memory */
static void end_output(void)
{
	drain();
	close(STDOUT_FILENO);
	end_pager();
}

/*
 * Catch a signal that is not ignored. A signal stays ignored if it was ignored when the program
 * began, as SIGHUP by nohup, and SIGINT by a shell that starts the program in the background.
 */
void catch_signal(int sig, void (*handler)(int sig))
{
	struct sigaction action = { .sa_handler = handler }, old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(sig, &action, NULL);
}

static void end_by_signal(int sig)
{
	remove_temps();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Find the state of a file. Returns whether the file is replaced: it is new, or a regular file. */
static bool find_state(struct new_file *file, const char *name)
{
	return stat(name, &file->st) ? errno == ENOENT : S_ISREG(file->st.st_mode);
}

/* Open the file that replaces a file when it is complete. Returns -1 after a message. */
static int open_temp(struct new_file *file, const char *name)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	mode_t mask = umask(0);
	struct stat link;
	int fd = -1, i;
	char *temp;

	umask(mask);
	/* Replacing a link would not write the file that the link names */
	if (!file->st.st_mode && !lstat(name, &link)) {
		complain("%s: a link to a file that does not exist", name);
		return -1;
	}
	file->name = realpath(name, NULL) ?: xstrdup(name);
	if (asprintf(&temp, "%s.XXXXXX", file->name) >= 0)
		fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0) {
		complain("%s: %s", file->name, strerror(errno));
		return -1;
	}
	/* Only now has a new file a folder and a name to compare */
	file->temp = realpath(temp, NULL) ?: temp;
	file->name = xstrndup(file->temp, strlen(file->temp) - strlen(".XXXXXX"));
	atexit(remove_temps);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		catch_signal(signals[i], end_by_signal);
	fchmod(fd, file->st.st_mode ? file->st.st_mode & 07777 : 0666 & ~mask);
	return fd;
}

/* Let a complete file have its name. Returns false after a message if this is not possible. */
static bool use_temp(struct new_file *file)
{
	bool good = !rename(file->temp, file->name);

	if (good)
		file->temp = NULL;
	else
		complain("%s: %s", file->name, strerror(errno));
	return good;
}

/*
 * Open the output: a file, or the standard output for NULL and "-". A regular file is written
 * under another name, and gets its name in out_close(). So the file keeps its contents if the
 * command fails. Returns false after a message if the file cannot be written.
 */
bool out_open(const char *name)
{
	bool replaces = name && find_state(&target, name);
	struct stat shell = { };
	int fd;

	fstat(STDOUT_FILENO, &shell);
	if (!name || !strcmp(name, "-") ||
	    (target.st.st_dev == shell.st_dev && target.st.st_ino == shell.st_ino)) {
		/* The shell may have opened the file, as in "-o /dev/stdout >FILE" */
		target.st = shell;
		out = stdout;
	} else if (replaces) {
		fd = open_temp(&target, name);
		if (fd < 0)
			return false;
		out = fdopen(fd, "w");
	} else {
		out = fopen(name, "we");
	}
	if (!out) {
		complain("%s: %s", name, strerror(errno));
		return false;
	}
	setvbuf(out, NULL, _IONBF, 0);
	atexit(end_output);
	return true;
}

static bool is_same(const struct new_file *file, const char *input)
{
	struct stat in;

	if (!S_ISREG(file->st.st_mode) || stat(input, &in) ||
	    in.st_dev != file->st.st_dev || in.st_ino != file->st.st_ino)
		return false;
	complain("%s: the same file as %s", file->name ?: "the standard output", input);
	refused = true;
	return true;
}

/*
 * Whether the output, or the file of out_save(), is an input, too. Then a message is written, and
 * out_close() fails.
 */
bool out_is(const char *input)
{
	return is_same(&target, input) || is_same(&saved, input);
}

/*
 * Begin to write a file that another program writes. Returns the name under which the program
 * writes the file until out_saved(), NULL after a message if the file cannot be written.
 */
const char *out_save(const char *name)
{
	int fd;

	if (out_is(name))
		return NULL;
	if (!find_state(&saved, name))
		return name;
	fd = open_temp(&saved, name);
	if (fd < 0)
		return NULL;
	close(fd);
	if (target.name && !strcmp(target.name, saved.name)) {
		complain("%s: the file of --output, too", name);
		return NULL;
	}
	return saved.temp;
}

/*
 * Let the file of out_save() have its name. Returns false after a message if this is not possible.
 */
bool out_saved(void)
{
	return !saved.temp || use_temp(&saved);
}

/*
 * Show the output with a pager if it is on a terminal, as git does: with $PAGER or less. Messages
 * are shown by the pager, too. If the pager cannot be started, the text is written without a
 * pager. Returns true if the output may have colours.
 */
bool out_page(void)
{
	const char *name = getenv("PAGER");
	bool terminal = out == stdout && isatty(STDOUT_FILENO);
	bool colours = terminal && !getenv("NO_COLOR");
	char *script;
	int fds[2];

	if (!terminal || (name && (!*name || !strcmp(name, "cat"))) || pipe2(fds, O_CLOEXEC))
		return colours;
	if (asprintf(&script, PAGER_SCRIPT, name ?: PAGER) < 0)
		out_of_memory();
	pager = fork();
	if (!pager) {
		dup2(fds[0], STDIN_FILENO);
		/* A text that fits the screen stays there, and colours are shown */
		setenv("LESS", "FRX", 0);
		signal(SIGPIPE, SIG_DFL);
		execl("/bin/sh", "sh", "-c", script, NULL);
		_exit(127);
	}
	if (pager > 0) {
		dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			dup2(fds[1], STDERR_FILENO);
		signal(SIGINT, SIG_IGN);
		fstat(STDOUT_FILENO, &target.st);
	}
	free(script);
	close(fds[0]);
	close(fds[1]);
	return colours;
}

/*
 * Let the output have data, whose bytes are written as they are. Other output is text, which is
 * shown on terminals.
 */
void out_data(void)
{
	drain();
	data_out = out;
}

/* Change the colour of the text by a control sequence, which is written as it is */
void out_colour(const char *code)
{
	clean_pending();
	out_puts(code);
	nr_clean = nr_pending;
}

bool out_is_stdout(void)
{
	return out == stdout;
}

/*
 * Write the buffered text, for a reader that waits for it. Returns false if it cannot be written.
 */
bool out_flush(void)
{
	drain();
	return !write_error;
}

/* Whether text could not be written, as after the reader has gone, or must not be */
bool out_failed(void)
{
	return write_error || refused;
}

/* Switch to another output. Returns the previous one. */
FILE *out_switch(FILE *to)
{
	FILE *old = out;

	drain();
	out = to;
	return old;
}

/*
 * End the output. STATUS_FAILED keeps what the file has had. Returns @status, or STATUS_FAILED if
 * something could not be written, after a message unless the reader has closed its end.
 */
int out_close(int status)
{
	drain();
	if (fclose(out) && !write_error)
		write_error = errno;
	/* The reader may leave the pager before the end */
	if (write_error && !pager) {
		if (write_error != EPIPE)
			complain("cannot write: %s", strerror(write_error));
		status = STATUS_FAILED;
	}
	if (refused)
		status = STATUS_FAILED;
	if (target.temp && status != STATUS_FAILED && !use_temp(&target))
		status = STATUS_FAILED;
	end_pager();
	free(target.name);
	free(pending);
	return status;
}

/* Begin to keep the text that is written, for out_captured() */
void out_capture(void)
{
	/* The buffer cannot be written before out_captured(), and must not grow each time */
	if (nr_pending > OUT_SIZE / 2)
		drain();
	capturing = true;
	captured = nr_pending;
}

/* End out_capture(), and take its text, which is valid until the next text is written */
const char *out_captured(size_t *size)
{
	*size = nr_pending - captured;
	capturing = false;
	nr_pending = captured;
	return pending + captured;
}

static void make_room(size_t len)
{
	if (unlikely(len > pending_room - nr_pending)) {
		drain();
		pending = array_grow(pending, &pending_room,
				     max_t(size_t, nr_pending + len, OUT_SIZE), 1);
	}
}

void out_write(const char *text, size_t len)
{
	make_room(len);
	memcpy(pending + nr_pending, text, len);
	nr_pending += len;
}

void out_printf(const char *format, ...)
{
	size_t room, len;
	va_list ap;

	for (;;) {
		room = pending_room - nr_pending;
		va_start(ap, format);
		len = vsnprintf(pending + nr_pending, room, format, ap);
		va_end(ap);
		if (len < room)
			break;
		make_room(len + 1);
	}
	nr_pending += len;
}

void out_udec(u64 val)
{
	char digits[20], *pos = digits + sizeof(digits);

	do {
		*--pos = '0' + val % 10;
		val /= 10;
	} while (val);
	out_write(pos, digits + sizeof(digits) - pos);
}

/* Write a number that may be negative */
static void out_dec(s64 val)
{
	if (val < 0)
		out_write("-", 1);
	out_udec(val < 0 ? -(u64)val : val);
}

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
	static const bool plain[256] = {
		[' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true,
	};
	size_t i;

	for (i = 0; i < len; i++)
		if (!plain[(u8)text[i]])
			return false;
	return true;
}

static void put_json_escaped(const char *text, size_t len)
{
	struct json_object *string = allocated(json_object_new_string_len(text, len));
	size_t size;

	out_puts(json_object_to_json_string_length(string,
						   JSON_C_TO_STRING_NOSLASHESCAPE,
						   &size));
	json_object_put(string);
}

/* Write bytes of which some are not UTF-8: those as \xNN, and a backslash doubled */
static void put_bytes(const char *bytes, size_t size)
{
	char *text = xmalloc(4 * size + 1), *pos = text;
	unsigned int nr;
	size_t i;

	for (i = 0; i < size; i += nr ?: 1) {
		nr = utf8_length((const u8 *)bytes + i, size - i);
		if (!nr)
			pos += sprintf(pos, "\\x%02x", (u8)bytes[i]);
		else if (bytes[i] == '\\')
			pos = stpcpy(pos, "\\\\");
		else
			pos = mempcpy(pos, bytes + i, nr);
	}
	put_json_escaped(text, pos - text);
	free(text);
}

/* Write a string of JSON. Bytes that are not UTF-8 are written as \xNN. */
void out_json_string(const char *text, size_t len)
{
	if (is_plain(text, len)) {
		out_write("\"", 1);
		out_write(text, len);
		out_write("\"", 1);
	} else if (is_utf8(text, len)) {
		put_json_escaped(text, len);
	} else {
		put_bytes(text, len);
	}
}

/* Write integers as strings that a double does not have exactly */
void out_big_strings(void)
{
	big_strings = true;
}

/* Write an integer of JSON, which is a s64 below 0 if @negative is set */
void out_json_integer(u64 val, bool negative)
{
	bool quoted = big_strings && (negative ? -val : val) > MAX_EXACT;

	if (quoted)
		out_puts("\"");
	if (negative)
		out_dec(val);
	else
		out_udec(val);
	if (quoted)
		out_puts("\"");
}

static bool is_null(const char *text, size_t len)
{
	return text && len == 4 && !memcmp(text, "NULL", 4);
}

/*
 * Write a value as JSON.  A number is written as a number.  A name, an address or bytes are written
 * as a string.  An unknown value is written as null.  A pointer that is NULL is known, also in a
 * digest, so the text NULL keeps its quotes.
 */
static void out_json_value(const struct arg_value *value)
{
	switch (value->kind) {
	case ARG_UNKNOWN:
	case ARG_REMOVED:
		out_puts(is_null(value->text, value->len) ? "\"NULL\"" : "null");
		break;
	case ARG_SIGNED:
		out_json_integer(value->val, (s64)value->val < 0);
		break;
	case ARG_UNSIGNED:
		out_json_integer(value->val, false);
		break;
	case ARG_BOOL:
		if (value->val > 1)
			out_udec(value->val);
		else
			out_puts(value->val ? "true" : "false");
		break;
	case ARG_STRING:
		if (is_null(value->data, value->size))
			out_puts("\"\\\"NULL\\\"\"");
		else
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
	if (item->len)
		out_json_string(item->name, item->len);
	else
		out_printf("\"arg%u\"", number);
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

/* Write values as members of an object of JSON */
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

/*
 * Write a call's return value, other results and error, if it has them, and before each its name,
 * such as ",\"ret\":"
 */
void out_json_results(const char *ret_name, const char *changed_name, const char *error_name,
		      struct span *span)
{
	const struct values *ret = span_ret(span), *changed = span_changed(span);

	if (ret) {
		out_puts(ret_name);
		put_ret_value(ret);
	}
	if (changed) {
		out_puts(changed_name);
		out_puts("{");
		out_json_members(changed);
		out_puts("}");
	}
	if (span->error && errname(span->error))
		out_json_text(error_name, errname(span->error) + 1);
}

static void put_spaces(int nr)
{
	nr = max(nr, 0);
	make_room(nr);
	memset(pending + nr_pending, ' ', nr);
	nr_pending += nr;
}

/* Write the CPU and the task at the start of a line of the graph */
void out_task(const struct calls *calls, const struct task *task, int cpu)
{
	const char *comm = task_comm(calls, task);
	int len = strnlen(comm, TASK_WIDTH);
	size_t begin;

	put_spaces((cpu < 100) + (cpu < 10));
	out_dec(cpu);
	out_puts(") ");
	put_spaces(TASK_WIDTH - len);
	out_write(comm, len);
	out_write("-", 1);
	make_room(PID_WIDTH + 1);
	begin = nr_pending;
	out_dec(task->pid);
	put_spaces(PID_WIDTH - (nr_pending - begin));
	out_write(" ", 1);
}

/* Write an event that is no call into the graph, where a call would have @depth */
void out_event_line(const char *text, int depth)
{
	struct arg_out columns;
	char indent[2 * MAX_INDENT + 64];
	size_t len;

	columns.pos = indent;
	columns.end = indent + sizeof(indent) - 1;
	stock_put_columns(&columns, NULL, "", depth);
	out_write(indent, columns.pos - indent);
	out_puts("/* ");
	/* A stack has several lines */
	for (; *text; text += len + strspn(text + len, "\n")) {
		len = strcspn(text, "\n");
		out_write(text, len);
		out_puts(" ");
	}
	out_puts("*/\n");
}

/* Write a line about lost events into the graph. @nr is at most 0 if it is not known. */
void out_lost(int cpu, long long nr)
{
	out_printf(nr > 0 ? "CPU:%d [LOST %lld EVENTS]\n" : "CPU:%d [LOST EVENTS]\n", cpu, nr);
}

/* Write a line of the graph, and the end of the line */
void out_line(struct sigs *sigs, struct graph_line *line)
{
	struct sigs_out out = { .sigs = sigs };
	static const bool opts[NR_OPTS];

	line->opts = opts;
	line->sigs = sigs;
	make_room(LINE_SIZE);
	out.out.pos = pending + nr_pending;
	out.out.end = out.out.pos + LINE_SIZE - 1;
	line_put_graph(&out.out, line);
	nr_pending = min(out.out.pos, out.out.end) - pending;
	out_write("\n", 1);
}

/* Nanoseconds of a clock that is never set */
u64 time_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/*
 * Give the text to the reader of a pipe, which may need no more, and find out whether the reader
 * has gone
 */
static void look_at_reader(void)
{
	struct pollfd pipe = { .fd = fileno(out) };

	if (!S_ISFIFO(target.st.st_mode) || capturing)
		return;
	drain();
	if (!write_error && poll(&pipe, 1, 0) > 0 && pipe.revents & POLLERR)
		write_error = EPIPE;
}

/* Show the progress of a long run on a terminal, and end the run if the reader has gone */
void progress(const struct calls *calls)
{
	static unsigned int events;
	static u64 begin, last;
	u64 time;

	if (events++ % PROGRESS_EVENTS)
		return;
	look_at_reader();
	/* Do not write into the output on the same terminal */
	if (!isatty(STDERR_FILENO) || (out_is_stdout() && isatty(STDOUT_FILENO)))
		return;
	time = time_now();
	if (!begin)
		begin = time;
	if (time - begin < PROGRESS_BEGIN || time - last < PROGRESS_TIME)
		return;
	last = time;
	fputc('\r', stderr);
	say("%s: %s: %llu %%", program, calls->file,
	    min(99ULL, calls->done * 100ULL / max_t(u64, calls->size, 1)));
	shown = true;
}

/* Remove the line that progress() has written */
void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
