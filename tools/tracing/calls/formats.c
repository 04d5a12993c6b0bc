// SPDX-License-Identifier: GPL-2.0
/*
 * Open a recording with libtracecmd for its formats of events, symbols and names of tasks
 *
 * dat_open() has checked the lengths in the file's head before.  The events are not read with
 * libtracecmd, see dat.c.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

/* Maximum bytes of a format that are checked, and maximum depth of brackets */
#define FORMAT_SIZE	0x10000
#define MAX_DEPTH	64

static int output = -1;
static char message[256];

/* A format was refused */
static bool refused;

/*
 * Whether a line of a format describes a field, with pairs of brackets in its name, and with at
 * least a byte for each element of an array
 */
static bool is_field(const char *line)
{
	unsigned int offset, size, nr = 0;
	bool open = false;
	int end = 0;

	if (strncmp(line, "\tfield", 6))
		return false;
	for (line += 6; *line && *line != ';' && *line != '\n'; line++) {
		if (*line == (open ? '[' : ']'))
			return false;
		if (*line == '[' || *line == ']')
			open = !open;
		if (*line == '[')
			nr = strtoul(line + 1, NULL, 0);
	}
	return !open && sscanf(line, ";\toffset:%u;\tsize:%u;%n", &offset, &size, &end) == 2 &&
	       end && size >= nr;
}

/* Whether brackets are pairs in the print format, and divisors are not 0, outside of strings */
static bool check_print(const char *text)
{
	static const char opening[] = "([{", closing[] = ")]}";
	char stack[MAX_DEPTH];
	unsigned int depth = 0;
	const char *bracket, *number;
	bool quoted = false;

	for (; *text; text++) {
		bracket = quoted ? NULL : strchr(opening, *text);
		if (*text == '\\' && text[1]) {
			text++;
		} else if (*text == '"') {
			quoted = !quoted;
		} else if (bracket) {
			if (depth == MAX_DEPTH)
				return false;
			stack[depth++] = closing[bracket - opening];
		} else if (!quoted && strchr(closing, *text)) {
			if (!depth || stack[--depth] != *text)
				return false;
		} else if (!quoted && strchr("/%", *text)) {
			/* libtraceevent takes an unknown name as 0 */
			number = text + 1 + strspn(text + 1, " (");
			if (strncmp(number, "sizeof", 6) && strncmp(number, "REC->", 5) &&
			    !strtoull(number, NULL, 0))
				return false;
		}
	}
	return !quoted && !depth;
}

/* Check a format, of which the end is missing if @cut is true */
static bool check_format(const char *text, bool cut)
{
	unsigned int id;
	const char *line;
	int head = 0;

	if (sscanf(text, "name: %*[^\n] ID: %u format:%n", &id, &head) != 1 || !head)
		return false;
	for (line = strchr(text + head, '\n'); line; line = strchr(line, '\n')) {
		line++;
		if (!strncmp(line, "print fmt:", 10))
			return cut || check_print(line);
		if (*line != '\n' && !is_field(line))
			return false;
	}
	return false;
}

/**
 * tep_parse_event - check the fields of an event's format, and let libtraceevent parse it
 * @tep: the handle that gets the event
 * @buf: the format
 * @size: its bytes
 * @sys: the system of the event
 *
 * libtracecmd calls this function instead of libtraceevent's function of the same name, which
 * dereferences NULL at some formats whose brackets are not pairs, and divides by 0.
 *
 * Return: 0, or the error of libtraceevent.
 */
enum tep_errno tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size,
			       const char *sys)
{
	typeof(tep_parse_event) *parse = dlsym(RTLD_NEXT, "tep_parse_event");
	char *text = strndup(buf, min_t(unsigned long, size, FORMAT_SIZE));
	bool good = parse && text && check_format(text, size > FORMAT_SIZE);

	free(text);
	refused |= !good;
	return good ? parse(tep, buf, size, sys) : TEP_ERRNO__READ_FORMAT_FAILED;
}

/**
 * tep_vprint - store the first message of libtracecmd and libtraceevent
 * @name: the library
 * @level: the level of the message
 * @print_err: the error in errno belongs to the message
 * @fmt: the message, as for vprintf()
 * @ap: the values in the message
 *
 * This function replaces the weak function of libtraceevent, which prints messages.
 *
 * Return: 0.
 */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err,
	       const char *fmt, va_list ap)
{
	if (!message[0])
		vsnprintf(message, sizeof(message), fmt, ap);
	return 0;
}

/* libtracecmd 1.3 writes some of its messages to the standard output */
static void hide_output(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	output = dup(STDOUT_FILENO);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		close(null);
	}
}

static void show_output(void)
{
	fflush(stdout);
	if (output >= 0) {
		dup2(output, STDOUT_FILENO);
		close(output);
	}
}

/*
 * Copy the head of a file of version 7 that is cut.  libtracecmd refuses options that lead
 * after the end, so the copy ends with them.  Returns -1 on failure.
 */
static int copy_head(const struct dat_in *in)
{
	static const u64 none;
	char buf[1 << 16];
	int fd = memfd_create("head", MFD_CLOEXEC);
	u64 at, nr;

	for (at = 0; fd >= 0 && at < in->head; at += nr) {
		nr = min_t(u64, sizeof(buf), in->head - at);
		if (!dat_read(in, buf, nr, at) || write(fd, buf, nr) != nr)
			break;
	}
	if (fd >= 0 && at == in->head &&
	    pwrite(fd, &none, sizeof(none), in->head - sizeof(none)) == sizeof(none))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Open a recording. Returns NULL after a message if it cannot be read, and sets @damaged after a
 * message if the format of an event is damaged.
 */
struct tracecmd_input *formats_open(const struct dat_in *in, bool *damaged)
{
	struct tracecmd_input *input;
	bool copy = in->cut && in->version >= 7;
	int fd = copy ? copy_head(in) : in->fd;
	char path[32];

	message[0] = '\0';
	refused = false;
	hide_output();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	input = tracecmd_open_head(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	show_output();
	message[strcspn(message, "\n")] = '\0';
	if (!input)
		complain("%s: cannot be read: %s", in->name, *message ? message : "it is damaged");
	if (input && refused) {
		complain("%s: the format of an event is damaged", in->name);
		*damaged = true;
	}
	if (copy && fd >= 0)
		close(fd);
	return input;
}
