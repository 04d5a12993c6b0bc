// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the fuzz target without a fuzzer: prints its output for each named file, then
 * runs the target on the file truncated at 512 places.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

int main(int argc, char **argv)
{
	static unsigned char data[1 << 21];
	size_t size, cut;
	FILE *file;
	int i;

	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "r");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(data, 1, sizeof(data), file);
		fclose(file);

		setenv("FUZZ_PRINT", "1", 1);
		fuzz_one(data, size);
		fflush(stdout);
		unsetenv("FUZZ_PRINT");
		for (cut = 0; cut < size; cut += 1 + size / 512)
			fuzz_one(data, cut);
	}
	return 0;
}
