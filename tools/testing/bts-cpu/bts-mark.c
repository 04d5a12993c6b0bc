// SPDX-License-Identifier: GPL-2.0
/*
 * bts-mark [NUMBER]
 *
 * Sets a mark in the log of the emulated CPU that it runs on, which tells a test
 * where in the log its own part begins and ends. Status 1: this is another CPU.
 */

#include <cpuid.h>
#include <stdlib.h>

#include "bts-log.h"

int main(int argc, char **argv)
{
	unsigned int eax = BTS_MARK_LEAF, ebx = 0, edx = 0;
	unsigned int ecx = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;

	__cpuid_count(BTS_MARK_LEAF, ecx, eax, ebx, ecx, edx);
	return ebx != BTS_MARK_LEAF;
}
