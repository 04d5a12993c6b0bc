// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: the prediction of branches
 *
 * The CPU keeps the targets of branches and the return addresses of calls. A return is predicted
 * to lead to the last of these addresses, and any other branch to lead to where it led last. A
 * branch that the CPU does not know is mispredicted.
 */
#include <stdlib.h>

#include "cpu.h"

#define TARGETS		4096

/**
 * predict() - predict a branch, and keep where it leads
 * @cpu: the current CPU
 * @from: the instruction
 * @to: the target
 * @next: the next instruction, 0 for an interrupt or an exception
 * @last: the flags of the instruction, LAST_*
 *
 * Return: true if the CPU has predicted the target.
 */
bool predict(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint64_t next, uint64_t last)
{
	uint64_t *slot, expected;

	if (!cpu->targets) {
		cpu->targets = calloc(TARGETS, sizeof(*cpu->targets));
		if (!cpu->targets)
			die("no memory for the targets of branches");
	}
	if (last & LAST_RET)
		return cpu->returns_to[--cpu->nr_returns % RETURNS] == to;
	if (last & LAST_CALL)
		cpu->returns_to[cpu->nr_returns++ % RETURNS] = next;
	slot = &cpu->targets[(from ^ from >> 12) % TARGETS];
	expected = *slot;
	*slot = to;
	return expected == to;
}
