// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls run: trace a command, or a process
 *
 * The command makes its own instance and removes the instance at the end. Other tracing
 * is not affected.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "arrays.h"
#include "live.h"
#include "stats.h"

/* The name of an instance is this prefix and the process's number */
#define PREFIX		"trace-calls-"

/* Default of --buffer-size */
#define BUFFER_SIZE	"8192"

/* Nanoseconds between two looks at the buffers */
#define ROUND		50000000L

/*
 * A call that has not returned after this time in nanoseconds is shown without its exit
 */
#define PATIENCE	200000000ULL

static struct {
	struct line {
		const char	*file;
		char		*text;
	} *lines;			/* The lines of set_graph_filter and other files */
	unsigned int	nr;
	const char	*size;
	const char	*string_size;
	const char	*save;
	const char	*save_as;	/* The name until the recording is complete */
	bool		stock;		/* The kernel has no signatures of its own */
	bool		selects;	/* There is a condition */
	struct filter	*filters;	/* The conditions, if the kernel cannot decide them */
	bool		callers;
	bool		deref;
	bool		errors;
	bool		json;
	int		pid;
	int		fd;	/* pidfd of the process */
} choice = {
	.size	= BUFFER_SIZE,
};

/**
 * struct run - a run of a command
 * @live: the instance
 * @stats: the counts
 * @pending: for each CPU, the call whose entry was the last event of the CPU and of the task, or
 *	none
 */
struct run {
	struct live	live;
	struct stats	stats;
	struct pending {
		struct task	*task;
		int		depth;
		u64		begin;
	} *pending;
};

/* The last signal that asked to end the run, and the number of such signals */
static volatile sig_atomic_t stopped, nr_stopped;

static void stop(int nr)
{
	stopped = nr;
	nr_stopped++;
}

/* Add a line that is written to a file of the instance */
static bool run_add_line(const char *file, const char *glob, const char *text)
{
	struct line *line = array_add(&choice.lines, &choice.nr, sizeof(*line));

	line->file = file;
	/* Without the end of the line, set_ftrace_notrace does not refuse a function */
	if (asprintf(&line->text, "%s%s%s\n", glob, *glob ? ": " : "", text) < 0)
		out_of_memory();
	return *text;
}

/* Add a line of set_graph_filter. A condition without a glob applies to all functions. */
static bool run_add_condition(const char *glob, const char *condition)
{
	choice.selects = true;
	return run_add_line("set_graph_filter", glob, condition);
}

static bool is_number(const char *value)
{
	return *value && !value[strspn(value, "0123456789")];
}

static bool run_set_option(int option, const char *value)
{
	char *end;

	switch (option) {
	case 'f':
		return run_add_condition(filter_has_glob(value) ? "" : "*", value);
	case 'g':
		/* This condition is decided at the entry, and is always true */
		return *value && run_add_condition(value, "CPU >= 0");
	case 'e':
		choice.errors = true;
		return run_add_condition("*", "error");
	case 'p':
		choice.pid = strtol(value, &end, 10);
		return choice.pid > 0 && !*end;
	case 'n':
		return run_add_line("set_ftrace_notrace", "", value);
	case 'x':
		return run_add_line("func_args_expr", "", value);
	case 'b':
		choice.size = value;
		return is_number(value);
	case 'l':
		choice.string_size = value;
		return is_number(value);
	case 's':
		choice.save = value;
		return *value;
	}
	return false;
}

static const struct choice choices[] = {
	{ 'b', "buffer-size", "KB", "KB of the buffer of each CPU, 8192 by default" },
	{ 'c', "callers", NULL, "with -f and -g, trace the callers of these calls, too",
	  &choice.callers },
	{ 'd', "deref", NULL, "record the numbers and objects that pointers point to",
	  &choice.deref },
	{ 'e', "errors", NULL, "trace calls that fail, and the callers of these calls" },
	{ 'g', "graph", "GLOB", "trace calls of these functions, and their callees" },
	{ 'j', "json", NULL, "write a line of JSON for each call, as in json", &choice.json },
	{ 'l', "string-size", "N",
	  "record at most N bytes of a string, see func_args_string_size" },
	{ 'n', "notrace", "GLOB", "do not trace these functions" },
	{ 'p', "pid", "PID", "trace a running process until it ends or until Ctrl-C" },
	{ 's', "save", "FILE", "write a recording for other commands instead of the calls" },
	{ 'x', "expr", "'GLOB: EXPRESSION'", "show expressions, see func_args_expr" },
	{ }
};

static struct options options = {
	.usage = "run [OPTIONS] -- COMMAND [ARGUMENT...]\n"
		 "       trace-calls run [OPTIONS] -p PID\n\n"
		 "Trace the calls of a command and of its children, with their arguments and\n"
		 "return values. At the end, print the calls and errors of each function. Without\n"
		 "-e, -f, -g, -j and -s, print only these. Without -o, the output of the command\n"
		 "goes to the standard error.\n",
	.choices = choices,
	.filters_help =
		"  -f, --filter FILTER  trace calls that meet a condition, 'GLOB: CONDITION',\n"
		"                       see set_graph_filter. With several of -e, -f and -g, a\n"
		"                       call is traced if one of them selects it.\n",
	.examples =
		"  trace-calls run -e -- cat /no/such/file                  failing calls\n"
		"  trace-calls run -f 'vfs_write: count > 4096' -- cp a b   large writes\n"
		"  trace-calls run -f '*: duration > 1ms' -p 1234           long calls\n",
	.set = run_set_option,
};

static bool put(struct tracefs_instance *instance, const char *file, const char *text)
{
	if (tracefs_instance_file_write(instance, file, text) >= 0)
		return true;
	complain("%s: \"%s\" cannot be written: %s", file, text, strerror(errno));
	return false;
}

/* Print the kernel's message about a refused line */
static void complain_of(struct tracefs_instance *instance, const char *file, const char *line)
{
	int error = errno;
	char *log = tracefs_instance_file_read(instance, "error_log", NULL);
	char *last = log, *next;

	/* Each message begins with the time and "error: " */
	while (last && (next = strstr(last, "error: ")))
		last = next + strlen("error: ");
	if (last && last != log)
		complain("%s", last);
	else
		complain("%s: \"%.*s\": %s", file, (int)strcspn(line, "\n"), line,
			 strerror(error));
	free(log);
}

/* Have this command decide a condition that the kernel does not know */
static bool set_filter(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	choice.filters = filter_add(choice.filters, line);
	return choice.filters;
}

static bool set_lines(struct tracefs_instance *instance)
{
	struct line *line;

	for (line = choice.lines; line < choice.lines + choice.nr; line++) {
		if (choice.stock && !strcmp(line->file, "set_graph_filter")) {
			if (!set_filter(line->text))
				return false;
		} else if (tracefs_instance_file_append(instance, line->file, line->text) < 0) {
			complain_of(instance, line->file, line->text);
			return false;
		}
	}
	return true;
}

/* Add the process's threads. function-fork adds later threads. */
static bool set_threads(struct tracefs_instance *instance, int pid)
{
	struct dirent *entry;
	bool ok = false;
	char name[32];
	DIR *dir;

	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	dir = opendir(name);
	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.' &&
		    tracefs_instance_file_append(instance, "set_ftrace_pid", entry->d_name) > 0)
			ok = true;
	if (!ok)
		complain("process %d cannot be traced: %s", pid, strerror(errno));
	if (dir)
		closedir(dir);
	return ok;
}

/* A new instance begins with the options of the top instance */
static const struct {
	const char	*file;
	const char	*value;
	bool		needed;
} run_options[] = {
	{ "options/function-fork", "1", true },
	{ "options/funcgraph-args", "1" },
	{ "options/funcgraph-retval", "1" },
	{ "options/funcgraph-irqs", "1", true },
	{ "options/sleep-time", "1", true },
	{ "options/funcgraph-callers", "0" },
	{ "options/funcgraph-deref", "0" },
	{ "options/funcgraph-single", "0" },
	{ "options/funcgraph-lbr", "0" },
	{ "options/funcgraph-retaddr", "0" },
};

/*
 * The values of the options before the run, '\0' for an option that the run has not set.  Before
 * Linux 6.19, an option of the tracer is the same in all instances.
 */
static char old_values[ARRAY_SIZE(run_options)];

/* Return the digit in the file of an option, '\0' if there is none */
static char read_option(struct tracefs_instance *instance, const char *file)
{
	char *text = tracefs_instance_file_read(instance, file, NULL);
	char value = text ? *text : '\0';

	free(text);
	return value;
}

/* Set each option that the output depends on. Some kernels do not have all options. */
static bool set_options(struct tracefs_instance *instance)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(run_options); i++) {
		if (!run_options[i].needed &&
		    !tracefs_file_exists(instance, run_options[i].file))
			continue;
		old_values[i] = read_option(instance, run_options[i].file);
		if (!put(instance, run_options[i].file, run_options[i].value))
			return false;
	}
	return (!choice.callers || put(instance, "options/funcgraph-callers", "1")) &&
	       (!choice.deref || put(instance, "options/funcgraph-deref", "1")) &&
	       (!choice.string_size ||
		put(instance, "func_args_string_size", choice.string_size));
}

/* Write the old values of the options that have changed */
static void restore_options(struct tracefs_instance *instance)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(run_options); i++) {
		char value[] = { old_values[i], '\0' };

		if (*value && *value != read_option(instance, run_options[i].file))
			put(instance, run_options[i].file, value);
		old_values[i] = '\0';
	}
}

static bool set_up(struct tracefs_instance *instance, int pid)
{
	choice.stock = !tracefs_file_exists(instance, "set_graph_filter");
	return put(instance, "tracing_on", "0") &&
	       put(instance, "buffer_size_kb", choice.size) &&
	       set_options(instance) && set_threads(instance, pid) && set_lines(instance) &&
	       put(instance, "current_tracer", "function_graph");
}

/* The instance of this run, NULL if there is none */
static struct tracefs_instance *own_instance;

static void remove_instance(struct tracefs_instance *instance)
{
	tracefs_instance_file_write(instance, "current_tracer", "nop");
	restore_options(instance);
	/* trace-cmd extract has removed the instance */
	if (tracefs_instance_destroy(instance) && errno != ENOENT)
		complain("instance %s: cannot be removed: %s",
			 tracefs_instance_get_name(instance), strerror(errno));
	tracefs_instance_free(instance);
}

/* Remove the instance at the end of the program, also if there is no memory */
static void remove_own(void)
{
	if (own_instance)
		remove_instance(own_instance);
}

/* Remove the instances of earlier runs that were killed */
static void remove_left(void)
{
	char *path = tracefs_get_tracing_file("instances");
	DIR *dir = path ? opendir(path) : NULL;
	struct tracefs_instance *instance;
	struct dirent *entry;
	int pid;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		pid = atoi(entry->d_name + strlen(PREFIX));
		if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		instance = tracefs_instance_create(entry->d_name);
		if (instance)
			remove_instance(instance);
	}
	if (dir)
		closedir(dir);
	tracefs_put_tracing_file(path);
}

/* Write a line of a call: its entry, its exit, or both */
static void run_put_line(struct run *run, const struct task *task, int cpu,
			 struct graph_line *line)
{
	line->args = true;
	out_task(&run->live.calls, task, cpu);
	out_line(run->live.calls.sigs, line);
}

static bool is_pending(const struct pending *pending, const struct open *open)
{
	return pending->depth == open->depth && pending->begin == open->begin;
}

/* Find the pending call, which may have callees by now. Returns NULL if it has ended. */
static const struct open *find_open(const struct task *task, const struct pending *pending)
{
	const struct open *open;

	for (open = task->open + task->nr; open-- > task->open;)
		if (is_pending(pending, open))
			return open;
	return NULL;
}

/* Write the entry of a call that has callees, or that has not returned */
static void put_begin(struct run *run, int cpu)
{
	struct pending *pending = &run->pending[cpu];
	struct task *task = pending->task;
	struct graph_line line = { };
	const struct open *open;
	struct call entry = { };

	pending->task = NULL;
	open = task ? find_open(task, pending) : NULL;
	if (!open)
		return;
	entry.func = open->func;
	entry.depth = open->depth;
	entry.tail = task->bytes + open->tail;
	entry.tail_size = open->tail_size;
	line.entry = &entry;
	line.func = sigs_find(run->live.calls.sigs, open->func, open->set);
	if (line.func)
		run_put_line(run, task, cpu, &line);
}

static bool is_pending_in(const struct run *run, const struct task *task, const struct open *open)
{
	const struct pending *pending = &run->pending[open->cpu];

	return pending->task == task && is_pending(pending, open);
}

/*
 * Write the entry of a task's innermost call, one of the first @nr open calls, before other lines
 * of the task.  The task may have moved to another CPU since.
 */
static void put_innermost(struct run *run, const struct task *task, unsigned int nr)
{
	if (nr && is_pending_in(run, task, &task->open[nr - 1]))
		put_begin(run, task->open[nr - 1].cpu);
}

/* Whether the calls are written as text. Without conditions there would be too many. */
static bool shows_calls(void)
{
	return choice.selects && !choice.json && !choice.save;
}

/* Whether the calls are written as they begin, because the kernel has selected them */
static bool shows_begins(void)
{
	return shows_calls() && !choice.filters;
}

static void run_begin_call(struct calls *calls, struct task *task, struct open *open)
{
	struct run *run = calls->data;

	if (choice.json) {
		json_ops.begin(calls, task, open);
		return;
	}
	if (!shows_begins())
		return;
	put_innermost(run, task, task->nr - 1);
	put_begin(run, open->cpu);
	run->pending[open->cpu] = (struct pending){ task, open->depth, open->begin };
}

static void run_end_call(struct calls *calls, struct span *span, struct open *open)
{
	struct run *run = calls->data;
	struct task *task = span->task;
	struct graph_line line = {
		.func = span->func,
		.exit = &span->call,
		.lost = span->lost == SPAN_NO_BEGIN,
	};

	if (span->passes)
		stats_add(&run->stats, span);
	/* Also a call that does not pass, whose callees wait for it */
	if (choice.json) {
		json_ops.end(calls, span, open);
		return;
	}
	if (!span->passes || !shows_calls())
		return;
	if (!shows_begins()) {
		line.entry = span->lost == SPAN_NO_BEGIN ? NULL : &span->call;
	} else {
		if (open && span->lost == SPAN_WHOLE && is_pending_in(run, task, open)) {
			run->pending[open->cpu].task = NULL;
			line.entry = &span->call;
		} else {
			put_innermost(run, task, task->nr);
		}
		put_begin(run, task->cpu);
	}
	if (span->lost == SPAN_NO_END) {
		/* The entry is a line of its own already */
		if (shows_begins())
			return;
		span->call.depth = span->depth;
		line.exit = NULL;
	}
	run_put_line(run, task, line.exit ? task->cpu : span->cpu, &line);
}

static void run_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			 long long nr)
{
	struct run *run = calls->data;

	if (choice.json) {
		json_ops.lost(calls, buffer, cpu, time, nr);
		return;
	}
	if (!shows_calls())
		return;
	put_begin(run, cpu);
	out_lost(cpu, nr);
}

static const struct calls_ops ops = {
	.all	= true,
	.begin	= run_begin_call,
	.end	= run_end_call,
	.lost	= run_put_lost,
};

/* Fork a process that waits until it is traced, and then executes the command */
static int begin_command(char **command, int *go)
{
	int fds[2], pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		close(fds[1]);
		signal(SIGPIPE, SIG_DFL);
		/* A reader of the calls does not expect the command's own output */
		if (out_is_stdout())
			dup2(STDERR_FILENO, STDOUT_FILENO);
		if (read(fds[0], &c, 1) != 1)
			_exit(127);
		execvp(*command, command);
		fprintf(stderr, "%s: %s: %s\n", program, *command, strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

/*
 * Return whether the traced process still runs. Sets @status to the command's exit
 * status.
 */
static bool goes_on(int pid, int *status)
{
	struct pollfd process = { .fd = choice.fd, .events = POLLIN };
	int ended;

	if (choice.pid)
		return !poll(&process, 1, 0);
	if (waitpid(pid, &ended, WNOHANG) != pid)
		return true;
	*status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
	return false;
}

/* Show calls that began long ago, without waiting for their returns */
static void put_waiting(struct run *run, u64 now)
{
	int cpu;

	for (cpu = 0; cpu < run->live.nr; cpu++)
		if (run->pending[cpu].task && run->pending[cpu].begin + PATIENCE < now)
			put_begin(run, cpu);
}

/*
 * The first signal is forwarded to the command, which may run until the second signal.
 * Ctrl-C is not forwarded, because the terminal sends it to the command itself.
 */
static bool is_stopped(int pid, bool *told)
{
	int nr = stopped;

	if (!nr || choice.pid)
		return nr;
	if (!*told && nr != SIGINT)
		kill(pid, nr);
	*told = true;
	return nr_stopped > 1;
}

/* Returns the command's status, -1 after a message if the command could not be traced */
static int trace(struct run *run, int pid)
{
	struct timespec round = { .tv_nsec = ROUND };
	bool on = true, told = false;
	int status = -1;
	u64 now;

	while (on) {
		on = goes_on(pid, &status) && !is_stopped(pid, &told);
		if (!on)
			tracefs_instance_file_write(run->live.instance, "tracing_on", "0");
		now = choice.save ? 1 : live_read(&run->live, !on);
		if (!now)
			return -1;
		put_waiting(run, now);
		/* The reader of the output has closed it */
		if (!out_flush())
			on = false;
		if (on)
			nanosleep(&round, NULL);
	}
	if (status < 0 && stopped && !choice.pid)
		return 128 + stopped;
	return max(status, 0);
}

/* Let trace-cmd write the recording, and count its calls. Returns false after a message. */
static bool save(struct run *run, struct tracefs_instance *instance)
{
	struct calls *calls = &run->live.calls, saved;
	int pid, ended = -1;

	/* trace-cmd removes the instance, by which other instances' options are written, too */
	restore_options(instance);
	pid = fork();
	if (!pid) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
		execlp("trace-cmd", "trace-cmd", "extract", "-B",
		       tracefs_instance_get_name(instance), "-o", choice.save_as, NULL);
		complain("trace-cmd: %s", strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &ended, 0) != pid || ended) {
		complain("%s: trace-cmd has not written the recording", choice.save);
		return false;
	}
	if (!out_saved())
		return false;
	calls_read(&saved, choice.save, choice.filters, &stats_ops, &run->stats);
	calls->nr_lost = saved.nr_lost;
	calls_free(&saved);
	return !saved.failed;
}

/* Write the summary after the calls. With JSON, write the summary to stderr. */
static void put_summary(const struct run *run)
{
	FILE *old = NULL;

	if (!run->stats.counts.nr) {
		complain(choice.selects ? "no call was selected" : "no call was traced");
		return;
	}
	if (choice.json)
		old = out_switch(stderr);
	else if (shows_calls())
		out_puts("\n");
	summary_put(&run->stats, choice.errors);
	if (old)
		out_switch(old);
}

/* Say what a kernel without signatures of its own records; for --save, the reader says more */
static void tell_stock(const struct run *run)
{
	bool registers = !choice.save &&
			 complain_of_registers(&run->live.calls.formats, "this kernel");

	complain("this kernel records all calls%s; FUNCTION_ARG_SIGS adds %s",
		 registers ? " and registers" : "",
		 "strings, the stack, and conditions that the kernel decides");
}

/* Say that the command or the process is traced from now on, and what is shown */
static void tell_armed(const struct run *run, const char *command)
{
	if (choice.pid)
		complain("process %d is traced, Ctrl-C ends the trace", choice.pid);
	else
		complain("%s is traced", command);
	if (choice.stock)
		tell_stock(run);
	if (!choice.selects && !choice.json && !choice.save)
		complain("without -e, -f and -g only a summary is shown; -g '*' shows all calls");
}

static int trace_in(struct tracefs_instance *instance, char **command)
{
	int pid = choice.pid, go = -1, status = -1;
	struct run run = { .live.instance = instance };

	run.pending = xcalloc(sysconf(_SC_NPROCESSORS_CONF), sizeof(*run.pending));
	stats_init(&run.stats, NULL);
	if (!pid)
		pid = begin_command(command, &go);
	/* The tracer cannot be changed while its buffers are open */
	if (pid > 0 && set_up(instance, pid) &&
	    (choice.save || live_open(&run.live, instance, &ops, &run)) &&
	    put(instance, "tracing_on", "1")) {
		run.live.calls.filters = choice.filters;
		tell_armed(&run, *command);
		if (choice.json)
			json_ops.open(&run.live.calls);
		if (go >= 0 && write(go, "", 1) != 1)
			complain("%s: %s", *command, strerror(errno));
		status = trace(&run, pid);
		if (choice.save && !save(&run, instance))
			status = -1;
		if (choice.json)
			json_end(&run.live.calls);
		if (run.live.calls.nr_lost)
			complain("events were lost %llu times, calls are missing",
				 (unsigned long long)run.live.calls.nr_lost);
		put_summary(&run);
	}
	/* If the command was not started, closing the pipe ends its process */
	if (go >= 0)
		close(go);
	live_close(&run.live);
	stats_free(&run.stats);
	filters_free(choice.filters);
	free(run.pending);
	return status;
}

static int run_failed(void)
{
	out_close(STATUS_FAILED);
	return STATUS_UNTRACED;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		catch_signal(signals[i], stop);
}

/* Returns the command's status, STATUS_UNTRACED if it could not be traced */
int cmd_run(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, -1), status;
	struct tracefs_instance *instance;
	char name[32];

	if (first < 0)
		return first == ~STATUS_GOOD ? STATUS_GOOD : STATUS_UNTRACED;
	if (choice.pid ? first < argc : first == argc) {
		complain(choice.pid ? "both a process and a command" :
				      "neither a command nor a process");
		return run_failed();
	}
	if (choice.save && choice.json) {
		complain("both --save and --json");
		return run_failed();
	}
	choice.save_as = choice.save ? out_save(choice.save) : NULL;
	if (choice.save && (!choice.save_as || out_is(getenv("FTRACE_ARG_SIGS") ?: "")))
		return run_failed();
	/* Open a pidfd, because another process may get the number later */
	if (choice.pid)
		choice.fd = syscall(SYS_pidfd_open, choice.pid, 0);
	if (choice.fd < 0) {
		complain("process %d: %s", choice.pid, strerror(errno));
		return run_failed();
	}
	if (!tracefs_tracing_dir()) {
		complain("tracefs is not mounted, or not for this user");
		return run_failed();
	}
	catch_signals();
	remove_left();
	snprintf(name, sizeof(name), PREFIX "%d", getpid());
	instance = tracefs_instance_create(name);
	if (!instance) {
		complain("instance %s: cannot be made: %s", name, strerror(errno));
		return run_failed();
	}
	memory_status = STATUS_UNTRACED;
	own_instance = instance;
	atexit(remove_own);
	status = trace_in(instance, argv + first);
	own_instance = NULL;
	remove_instance(instance);
	return out_close(status < 0 ? STATUS_FAILED : STATUS_GOOD) ? STATUS_UNTRACED : status;
}
