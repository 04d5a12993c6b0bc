// SPDX-License-Identifier: GPL-2.0
/*
 * bts-exec PROGRAM [ARGUMENT]...
 *
 * Calls umask() in a thread that is not the leader of its process, and executes
 * PROGRAM from this thread. PROGRAM then has the leader's PID.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void *thread(void *argv)
{
	umask(022);
	execv(((char **)argv)[0], argv);
	perror("bts-exec");
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc < 2 || pthread_create(&id, NULL, thread, argv + 1))
		return 1;
	pthread_join(id, NULL);
	return 1;
}
