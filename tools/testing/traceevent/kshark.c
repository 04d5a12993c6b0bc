// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what KernelShark has in its Info column for each event of a recording,
 * the last event first: it shows those that are on the screen, in any order.
 */
#include <stdio.h>
#include <stdlib.h>

#include <kernelshark/libkshark.h>

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	struct kshark_entry **entries = NULL;
	ssize_t nr;
	int stream;

	if (argc != 2 || !kshark_instance(&context))
		return 1;
	stream = kshark_open(context, argv[1]);
	if (stream < 0)
		return 1;
	nr = kshark_load_entries(context, stream, &entries);
	if (nr <= 0)
		return 1;
	while (nr--) {
		char *info = kshark_get_info(entries[nr]);

		puts(info);
		free(info);
		free(entries[nr]);
	}
	free(entries);
	kshark_close(context, stream);
	kshark_free(context);
	return 0;
}
