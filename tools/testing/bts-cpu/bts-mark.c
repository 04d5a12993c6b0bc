// SPDX-License-Identifier: GPL-2.0
/*
 * bts-mark [NUMBER | lose | nmi ADDRESS | debug ADDRESS]
 *
 * Sets a mark in the log of the emulated CPU on which the program runs. With marks, a test
 * finds the begin and the end of its part of the log. Status 1: this CPU is not the
 * emulated CPU.
 *
 * "lose" makes the CPU lose IA32_DEBUGCTL, as in a machine check. "nmi" sets the address
 * where NMIs enter the kernel. The emulated CPUs then treat an interrupt to this address
 * as an NMI, even if they did not raise an NMI themselves. "debug" sets the address where
 * debug exceptions enter the kernel.
 */

#include <stdlib.h>
#include <string.h>

#include "bts-log.h"

int main(int argc, char **argv)
{
	unsigned long rax = BTS_MARK_LEAF, rbx = 0, rcx = 0, rdx = 0;

	if (argc > 1 && !strcmp(argv[1], "lose"))
		rcx = BTS_MARK_LOSE;
	else if (argc > 2 && !strcmp(argv[1], "nmi"))
		rcx = BTS_MARK_NMI;
	else if (argc > 2 && !strcmp(argv[1], "debug"))
		rcx = BTS_MARK_DEBUG;
	else if (argc > 1)
		rcx = strtoul(argv[1], NULL, 0);
	if (argc > 2)
		rdx = strtoul(argv[2], NULL, 16);

	asm volatile("cpuid" : "+a" (rax), "+b" (rbx), "+c" (rcx), "+d" (rdx));
	return (unsigned int)rbx != BTS_MARK_LEAF;
}
