// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The emulated CPU: the counters
 */
#include <string.h>

#include "cpu.h"

#define COUNTERS_ALL		(COUNTERS + FIXED_COUNTERS)

struct counter {
	uint64_t *value;
	uint64_t status;		/* the counter's bit in the global MSRs */
	bool on[2];			/* counts user space, the kernel */
	bool interrupts;
};

static struct counter counter_get(struct bts_cpu *cpu, unsigned int i)
{
	struct counter c = {};
	uint64_t sel;

	if (i < COUNTERS) {
		sel = cpu->eventsel[i];
		c.value = &cpu->counter[i];
		c.status = BIT(i);
		c.on[0] = sel & EVENTSEL_USR && sel & EVENTSEL_EN;
		c.on[1] = sel & EVENTSEL_OS && sel & EVENTSEL_EN;
		c.interrupts = sel & EVENTSEL_INT;
	} else {
		i -= COUNTERS;
		sel = cpu->fixed_ctrl >> (4 * i);
		c.value = &cpu->fixed[i];
		c.status = BIT(FIXED_STATUS + i);
		c.on[0] = sel & FIXED_USR;
		c.on[1] = sel & FIXED_OS;
		c.interrupts = sel & FIXED_INT;
	}
	if (!(cpu->global_ctrl & c.status))
		memset(c.on, 0, sizeof(c.on));
	return c;
}

/**
 * counters_sync() - update the counters
 * @cpu: the CPU
 */
void counters_sync(struct bts_cpu *cpu)
{
	uint64_t elapsed[2], more;
	bool raise = false;
	struct counter c;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		elapsed[i] = cpu->armed[i] - cpu->hot->left[i];
		cpu->armed[i] = cpu->hot->left[i];
	}
	for (i = 0; i < COUNTERS_ALL; i++) {
		c = counter_get(cpu, i);
		more = (c.on[0] ? elapsed[0] : 0) + (c.on[1] ? elapsed[1] : 0);
		if (more + *c.value > COUNTER_MASK) {
			cpu->global_status |= c.status;
			raise |= c.interrupts;
		}
		*c.value = (*c.value + more) & COUNTER_MASK;
	}
	if (raise) {
		lbr_freeze(cpu);
		pmi_raise(cpu);
	}
}

/* If a counter counts both sides, half of the rest may be on either side */
/**
 * counters_arm() - set the number of instructions until a counter may overflow
 * @cpu: the CPU
 */
void counters_arm(struct bts_cpu *cpu)
{
	uint64_t left[2] = { BIT(40), BIT(40) }, n;
	unsigned int i, side;
	struct counter c;

	for (i = 0; i < COUNTERS_ALL; i++) {
		c = counter_get(cpu, i);
		n = COUNTER_MASK - *c.value;
		if (c.on[0] && c.on[1])
			n /= 2;
		for (side = 0; side < 2; side++)
			if (c.on[side] && n < left[side])
				left[side] = n;
	}
	for (side = 0; side < 2; side++) {
		cpu->armed[side] = left[side];
		cpu->hot->left[side] = left[side];
	}
}

/**
 * counters_due() - check whether a counter has overflowed
 * @vcpu: the CPU
 * @udata: not used
 */
void counters_due(unsigned int vcpu, void *udata)
{
	counters_sync(&cpus[vcpu]);
	counters_arm(&cpus[vcpu]);
}
