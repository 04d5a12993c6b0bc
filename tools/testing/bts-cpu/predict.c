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
 * @kind: the bit of MSR_LBR_SELECT that filters branches of this kind
 *
 * Return: true if the CPU has predicted the target.
 */
bool predict(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint64_t next, unsigned int kind)
{
	uint64_t *slot, expected;

	if (!cpu->targets) {
		cpu->targets = calloc(TARGETS, sizeof(*cpu->targets));
		if (!cpu->targets)
			die("no memory for the targets of branches");
	}
	if (kind == LBR_NEAR_RET)
		return cpu->returns_to[--cpu->nr_returns % RETURNS] == to;
	if (kind == LBR_NEAR_REL_CALL || kind == LBR_NEAR_IND_CALL)
		cpu->returns_to[cpu->nr_returns++ % RETURNS] = next;
	slot = &cpu->targets[(from ^ from >> 12) % TARGETS];
	expected = *slot;
	*slot = to;
	return expected == to;
}
