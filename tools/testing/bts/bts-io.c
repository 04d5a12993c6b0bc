// SPDX-License-Identifier: GPL-2.0
/*
 * bts-io: let the kernel create a task of this process for io_uring, which then polls for
 * 0.2 seconds. The kernel creates this task without a fork.
 */
#include <linux/io_uring.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 1000 };

	if (syscall(SYS_io_uring_setup, 8, &params) < 0) {
		perror("bts-io");
		return 1;
	}
	usleep(200000);
	return 0;
}
