// SPDX-License-Identifier: GPL-2.0
/*
 * Load the kernel that is booted after a panic
 *
 * bts-kdump BZIMAGE COMMAND-LINE [INITRAMFS]
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd, initrd = -1;

	if (argc != 3 && argc != 4) {
		fputs("usage: bts-kdump BZIMAGE COMMAND-LINE [INITRAMFS]\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (argc == 4) {
		initrd = open(argv[3], O_RDONLY | O_CLOEXEC);
		if (initrd < 0) {
			perror(argv[3]);
			return 1;
		}
	}
	if (syscall(SYS_kexec_file_load, fd, initrd, strlen(argv[2]) + 1, argv[2],
		    KEXEC_FILE_ON_CRASH | (initrd < 0 ? KEXEC_FILE_NO_INITRAMFS : 0))) {
		perror("kexec_file_load");
		return 1;
	}
	return 0;
}
