// SPDX-License-Identifier: GPL-2.0
/*
 * Files that do not outlive the program
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

/**
 * temp_init - let signals that end the program remove the file of temp_open()
 */
void temp_init(void)
{
	signal(SIGINT, remove_unfinished);
	signal(SIGTERM, remove_unfinished);
	signal(SIGHUP, remove_unfinished);
}

/* Open a file in the folder of @name with a name of its own, which is left in @temp */
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

/**
 * temp_open - open a file that ends with the program
 * @name: the file is beside this one
 * @temp: set to its name, for temp_end()
 *
 * A signal that ends the program removes the file, so there is one such file at a time.
 *
 * Return: the file, to be written; -1 after a message.
 */
int temp_open(const char *name, char **temp)
{
	int fd = open_beside(name, temp);

	if (fd >= 0)
		unfinished = *temp;
	return fd;
}

/**
 * temp_end - a file of temp_open() is finished
 * @temp: its name
 * @gone: remove it
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
 * @name: the file is in the folder of this one
 *
 * Return: the file, to be written and read; NULL after a message.
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

/* Have trace-cmd write a file of version 6 */
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
 * @beside: the file is in the folder of this one while trace-cmd writes it
 *
 * Return: the file, to be read; -1 after a message.
 */
int temp_converted(const char *from, const char *beside)
{
	char *temp;
	int fd = temp_open(beside, &temp);

	if (fd < 0)
		return -1;
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
