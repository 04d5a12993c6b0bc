// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a program that has no memory
 */
#include "arrays.h"
#include "calls.h"

const char *program = "trace-calls";

/* The status of this end */
int memory_status = STATUS_FAILED;

/*
 * End the program after a message. Functions of atexit() give the output, the terminal and the
 * tracer back.
 */
void out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", program);
	exit(memory_status);
}
