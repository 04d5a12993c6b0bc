// SPDX-License-Identifier: GPL-2.0
/*
 * Load the kernel that is booted after a panic
 *
 * bts-kdump BZIMAGE COMMAND-LINE
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3) {
		fputs("usage: bts-kdump BZIMAGE COMMAND-LINE\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (syscall(SYS_kexec_file_load, fd, -1, strlen(argv[2]) + 1, argv[2],
		    KEXEC_FILE_ON_CRASH | KEXEC_FILE_NO_INITRAMFS)) {
		perror("kexec_file_load");
		return 1;
	}
	return 0;
}
