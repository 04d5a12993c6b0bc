// SPDX-License-Identifier: GPL-2.0
/*
 * Temporary files, which do not outlive the program
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "unfold.h"

/* The exit status of a program that is not found */
#define NOT_FOUND	127

/* The file that a signal removes */
static const char *unfinished;

static void remove_unfinished(int sig)
{
	if (unfinished)
		unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void remove_at_exit(void)
{
	if (unfinished)
		unlink(unfinished);
}

/* Open a file with a unique name in the folder of @name. Sets @temp to the name. */
static int open_beside(const char *name, char **temp)
{
	int fd;

	if (asprintf(temp, "%s.XXXXXX", name) < 0) {
		*temp = NULL;
		complain("%s: %s", name, strerror(errno));
		return -1;
	}
	fd = mkostemp(*temp, O_CLOEXEC);
	if (fd < 0) {
		complain("%s: %s", *temp, strerror(errno));
		free(*temp);
		*temp = NULL;
	}
	return fd;
}

/* Name a file that a signal removes */
static void set_unfinished(const char *name)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	int i;

	if (!unfinished)
		atexit(remove_at_exit);
	unfinished = name;
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], remove_unfinished) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

/**
 * temp_open - open a temporary file
 * @name: the file that it replaces
 * @old: the status of this file, NULL if the file does not exist
 * @temp: set to the file's name, for temp_end()
 *
 * A signal that ends the program removes the file, so only one such file exists at a
 * time.
 *
 * Return: the file, open for writing; NULL after a message.
 */
FILE *temp_open(const char *name, const struct stat *old, char **temp)
{
	mode_t mask = umask(0);
	FILE *file;
	int fd;

	umask(mask);
	fd = open_beside(name, temp);
	if (fd < 0)
		return NULL;
	set_unfinished(*temp);
	fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask);
	file = fdopen(fd, "w");
	if (!file) {
		complain("%s: %s", *temp, strerror(errno));
		close(fd);
		temp_end(*temp, true);
		*temp = NULL;
	}
	return file;
}

/**
 * temp_end - end the use of a file of temp_open()
 * @temp: the file's name
 * @gone: remove the file
 */
void temp_end(char *temp, bool gone)
{
	if (gone)
		unlink(temp);
	unfinished = NULL;
	free(temp);
}

/**
 * temp_unnamed - open a file that has no name
 * @name: a file in the same folder
 *
 * Return: the file, open for writing and reading; NULL after a message.
 */
FILE *temp_unnamed(const char *name)
{
	char *temp;
	int fd = open_beside(name, &temp);
	FILE *file;

	if (fd < 0)
		return NULL;
	unlink(temp);
	free(temp);
	file = fdopen(fd, "w+");
	if (!file)
		close(fd);
	return file;
}

/* Convert a file to version 6 with trace-cmd */
static bool run_convert(const char *from, const char *to)
{
	int status = 0, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execlp("trace-cmd", "trace-cmd", "convert", "--file-version", "6",
		       "--compression", "none", "-i", from, "-o", to, NULL);
		_exit(errno == ENOENT ? NOT_FOUND : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		complain("%s: trace-cmd: %s", from, strerror(errno));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		complain("%s: a file of version 7: install trace-cmd, which converts the file",
			 from);
	else if (status)
		complain("%s: \"trace-cmd convert --file-version 6\" cannot read the file",
			 from);
	else
		return true;
	return false;
}

/**
 * temp_converted - open a recording as a file of version 6
 * @from: the recording
 * @beside: a file in the folder where trace-cmd writes the file
 *
 * Return: the file, open for reading; -1 after a message.
 */
int temp_converted(const char *from, const char *beside)
{
	char *temp;
	int fd = open_beside(beside, &temp);

	if (fd < 0)
		return -1;
	set_unfinished(temp);
	close(fd);
	fd = -1;
	if (run_convert(from, temp)) {
		fd = open(temp, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			complain("%s: %s", temp, strerror(errno));
	}
	temp_end(temp, true);
	return fd;
}
