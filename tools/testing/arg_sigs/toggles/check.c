// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the calls of a trace with the calls of toggle_calls.c
 *
 * check strict|own CALLS TASKS <TRACE
 *
 * A line "FIRST PID COMM" of TASKS names the task that made the calls from FIRST on. With
 * "strict" each call has to be there, with all values. With "own" settings of the instance
 * have changed: calls and values may be missing, and a value may be "?". But of many
 * calls a fiftieth has to be there with a number: at least a fifth was.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX	100000

static struct {
	long first, pid;
	char comm[20];
} tasks[TASKS_MAX];

static bool strict;

/* Skip @text; NULL if something else is there */
static const char *skip(const char *pos, const char *text)
{
	size_t len = strlen(text);

	return pos && !strncmp(pos, text, len) ? pos + len : NULL;
}

static const char *skip_address(const char *pos)
{
	pos = skip(pos, "0xffff");
	return pos ? pos + strspn(pos, "0123456789abcdef") : NULL;
}

/* Skip @name and the value @text, or what may be there instead if settings have changed */
static const char *skip_value(const char *pos, const char *name, const char *text)
{
	const char *value = skip(pos, name);
	const char *end = skip(value, text);
	size_t len = 0;

	if (strict || end)
		return end;
	if (!value)
		return pos;
	if (*value == '?')
		return value + 1;
	if (skip_address(value))
		return skip_address(value);
	/* A cut string */
	if (*text != '"')
		return NULL;
	while (value[len] && value[len] == text[len])
		len++;
	return skip(value + len, "\"...");
}

/* Skip the name of a task, which is in quotes if it was cut */
static const char *skip_comm(const char *pos, const char *comm)
{
	size_t len = 0;

	if (strict || !skip(pos, "\""))
		return skip(pos, comm);
	for (pos++; pos[len] && pos[len] == comm[len]; len++)
		;
	return skip(pos + len, "\"...");
}

/* Numbers as the tracer writes unsigned numbers */
static const char *hex(char *to, const char *before, long val)
{
	sprintf(to, val < 10 ? "%s%ld" : "%s0x%lx", before, val);
	return to;
}

/* Whether @pos has the values of call @n */
static bool check_call(const char *pos, long n, long task)
{
	char text[32], unsign[32], num[32];

	sprintf(text, "\"call %ld\"", n);
	sprintf(num, "%ld", n);
	/* Without both options, the event of a module's function has no signature */
	if (!strict && skip(pos, "(?)"))
		return true;
	pos = skip_value(skip(pos, "("), "nr=", num);
	pos = skip_value(pos, ", text=", text);
	pos = skip_value(pos, ", twice=", hex(unsign, "&", n));
	if (strict || skip(pos, ", task=0x")) {
		pos = skip_address(skip(pos, ", task="));
		if (strict || skip(pos, "{")) {
			pos = skip_comm(skip(pos, "{"), tasks[task].comm);
			sprintf(unsign, ", %ld}", tasks[task].pid);
			pos = skip(pos, unsign);
		}
	} else {
		pos = skip_value(pos, ", task=", "?");
	}
	pos = skip_value(pos, ", n=", num);
	pos = skip_value(pos, ", at=", num);
	pos = skip_value(pos, ", t=", text);
	/* A line that guest.sh has added */
	if (!strict)
		pos = skip_value(pos, ", nr=", hex(unsign, "", n));
	sprintf(num, "%ld", n + 1);
	hex(unsign, "&", 2 * n);
	/* The exit may be missing, or the call may be one event */
	if (!strict && skip(pos, ") {\n"))
		return true;
	if (!strict && skip(pos, ") = ")) {
		pos = skip_value(pos, ") = ", num);
		return skip(skip_value(pos, " twice=", unsign), "\n");
	}
	pos = skip_value(skip(pos, "); /*"), " ret=", num);
	if (n)
		pos = skip_value(pos, " twice=", unsign);
	return skip(pos, " */\n");
}

/* Whether @pos has the values of an exit without an entry */
static bool check_exit(const char *pos, long n)
{
	char text[32];

	sprintf(text, "%ld", n + 1);
	pos = skip_value(pos, " ret=", text);
	return skip(skip_value(pos, " twice=", hex(text, "&", 2 * n)), " */\n");
}

static bool check_power(const char *pos, long n)
{
	char base[32];

	pos = skip_value(skip(pos, "("), "base=", hex(base, "", n));
	pos = skip_value(pos, ", exp=", "1");
	return skip(skip_value(skip(pos, "); /*"), " ret=", base), " */\n");
}

/* Find the number of a call: of the next call, or by a value. -1: no value is known */
static long number(const char *pos, long next)
{
	const char *ret;
	long n;

	if (strict)
		return next;
	if (sscanf(pos, "(nr=%ld", &n) == 1)
		return n;
	ret = strstr(pos, ") = ") ?: strstr(pos, "ret=");
	return ret && sscanf(ret + strcspn(ret, "="), "=%ld", &n) == 1 ? n - 1 : -1;
}

int main(int argc, char **argv)
{
	long n, nr_tasks = 0, task = 0, next = 0, calls = 0, powers = 0, all, unknown = 0;
	FILE *file = argc == 4 ? fopen(argv[3], "r") : NULL;
	static const char call[] = "toggle_call [toggle_calls]", power[] = "int_pow";
	char line[4096], *pos;
	int errors = 0;

	if (!file)
		return 2;
	while (nr_tasks < TASKS_MAX &&
	       fscanf(file, "%ld %ld %19s", &tasks[nr_tasks].first, &tasks[nr_tasks].pid,
		      tasks[nr_tasks].comm) == 3)
		nr_tasks++;
	strict = !strcmp(argv[1], "strict");
	all = atol(argv[2]);
	while (fgets(line, sizeof(line), stdin)) {
		bool good = true;

		pos = strstr(line, call);
		if (pos) {
			pos += sizeof(call) - 1;
			n = number(pos, next);
			while (task + 1 < nr_tasks && tasks[task + 1].first <= n)
				task++;
			good = (n < 0 || (n >= next && n < all)) &&
			       (check_call(pos, n, task) || (!strict && check_exit(pos, n)));
			if (n < 0)
				unknown++;
			else
				next = n + 1;
			calls++;
		} else {
			pos = strstr(line, power);
			if (pos && strict)
				good = check_power(pos + sizeof(power) - 1, 10 * powers);
			powers += !!pos;
		}
		if (!good && errors++ < 5)
			printf("after call %ld: %.400s", next - 1, line);
	}
	printf("%ld calls, %ld without a number\n", calls, unknown);
	if (!strict)
		return errors || (all >= 5000 && 50 * (calls - unknown) < all);
	return errors || calls != all || powers != (all + 9) / 10;
}
