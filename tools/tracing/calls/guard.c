// SPDX-License-Identifier: GPL-2.0
/*
 * Protection from libtracecmd's failures on damaged files
 *
 * libtracecmd trusts the lengths in a file.  On a damaged file its functions may access
 * memory that does not exist, or never return.  But the calls that were read before have
 * to be written.  So a signal handler can leave each call of libtracecmd with
 * siglongjmp(): SIGSEGV and SIGBUS, and SIGPROF if a call takes more CPU time than any
 * valid record.  After that, nothing more is read.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "calls.h"

#define PAGE_SIZE	4096

/*
 * Maximum seconds of CPU time for one record, and for everything before the first record
 */
#define SECONDS_RECORD	10
#define SECONDS_OPEN	60

static sigjmp_buf env;
static volatile sig_atomic_t inside, ticks, limit;
static const char *reason;
static int output = -1;
static char message[256];

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

static void leave(int sig)
{
	if (!inside) {
		/*
		 * The file did not cause the signal, so let the signal end the program
		 */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	reason = "libtracecmd crashes";
	siglongjmp(env, 1);
}

static void tick(int sig)
{
	if (!inside || ++ticks < limit)
		return;
	reason = "libtracecmd does not return";
	siglongjmp(env, 1);
}

/**
 * guard_begin - install the signal handlers
 */
void guard_begin(void)
{
	struct itimerval second = { .it_interval.tv_sec = 1, .it_value.tv_sec = 1 };
	static char stack[1 << 16];
	stack_t alternative = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = leave };

	/* After an endless recursion, the signal needs a stack of its own */
	sigaltstack(&alternative, NULL);
	action.sa_flags = SA_NODEFER | SA_ONSTACK;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	action.sa_handler = tick;
	action.sa_flags = SA_NODEFER | SA_RESTART;
	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &second, NULL);
}

/**
 * guard_end - undo guard_begin()
 */
void guard_end(void)
{
	struct itimerval never = { };

	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
}

/**
 * guard_message - take the stored message of libtracecmd
 *
 * Return: a line, NULL if there was no message.
 */
const char *guard_message(void)
{
	static char last[sizeof(message)];

	if (!message[0])
		return NULL;
	memcpy(last, message, sizeof(last));
	last[strcspn(last, "\n")] = '\0';
	message[0] = '\0';
	return last;
}

/**
 * guard_failed - whether a signal had to leave a function
 * @why: set to the reason
 */
bool guard_failed(const char **why)
{
	*why = reason;
	return reason;
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
 * Touch all pages of a record, because a damaged length may lead past the end of the
 * file
 */
static void touch(const struct tep_record *record)
{
	const volatile u8 *data = record ? record->data : NULL;
	int i;

	if (!data || record->size <= 0)
		return;
	for (i = 0; i < record->size; i += PAGE_SIZE)
		(void)data[i];
	(void)data[record->size - 1];
}

static void enter(int seconds)
{
	ticks = 0;
	limit = seconds;
	inside = 1;
}

/**
 * guard_open - open a recording
 * @file: its name
 *
 * Return: the input, NULL if it cannot be read.
 */
struct tracecmd_input *guard_open(const char *file)
{
	struct tracecmd_input *in;

	reason = NULL;
	message[0] = '\0';
	hide_output();
	if (sigsetjmp(env, 0)) {
		inside = 0;
		show_output();
		return NULL;
	}
	enter(SECONDS_OPEN);
	in = tracecmd_open(file, TRACECMD_FL_LOAD_NO_PLUGINS);
	inside = 0;
	show_output();
	return in;
}

/**
 * guard_instance - open an instance of a recording
 * @in: the recording
 * @nr: the number of the instance
 *
 * Return: the input, NULL if it cannot be read.
 */
struct tracecmd_input *guard_instance(struct tracecmd_input *in, int nr)
{
	struct tracecmd_input *instance;

	if (reason)
		return NULL;
	hide_output();
	if (sigsetjmp(env, 0)) {
		inside = 0;
		show_output();
		/* The other instances may not be damaged */
		reason = NULL;
		return NULL;
	}
	enter(SECONDS_OPEN);
	instance = tracecmd_buffer_instance_handle(in, nr);
	inside = 0;
	show_output();
	return instance;
}

/**
 * guard_close - close an input
 * @in: the input
 */
void guard_close(struct tracecmd_input *in)
{
	if (!reason && !sigsetjmp(env, 0)) {
		enter(SECONDS_OPEN);
		tracecmd_close(in);
	}
	inside = 0;
}

/**
 * guard_read - read the next record of a CPU
 * @in: the input
 * @index: the CPU's index
 *
 * Return: the record, NULL if there are no more records or if the next record cannot be
 * read.
 */
struct tep_record *guard_read(struct tracecmd_input *in, int index)
{
	struct tep_record *record;

	if (reason || sigsetjmp(env, 0)) {
		inside = 0;
		return NULL;
	}
	enter(SECONDS_RECORD);
	record = tracecmd_read_data(in, index);
	touch(record);
	inside = 0;
	return record;
}

/**
 * guard_read_at - read a record that was read before
 * @in: the input
 * @offset: the record's place
 * @index: set to the CPU's index
 *
 * Return: the record, NULL if it cannot be read. guard_read() then reads the next
 * record.
 */
struct tep_record *guard_read_at(struct tracecmd_input *in, u64 offset, int *index)
{
	struct tep_record *record;

	if (reason || sigsetjmp(env, 0)) {
		inside = 0;
		return NULL;
	}
	enter(SECONDS_RECORD);
	record = tracecmd_read_at(in, offset, index);
	touch(record);
	inside = 0;
	return record;
}

/**
 * guard_free - free a record
 * @record: the record, from guard_read()
 */
void guard_free(struct tep_record *record)
{
	/* The record's page may be damaged */
	if (!reason && !sigsetjmp(env, 0)) {
		enter(SECONDS_RECORD);
		tracecmd_free_record(record);
	}
	inside = 0;
}
