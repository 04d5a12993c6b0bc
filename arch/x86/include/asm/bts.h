/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's Branch Trace Store (BTS) for a tracer, see
 * arch/x86/events/intel/bts_tracer.c
 */
#ifndef _ASM_X86_BTS_H
#define _ASM_X86_BTS_H

#include <linux/errno.h>
#include <linux/types.h>

/* What the CPU writes for a branch (Intel SDM volume 3B, 64-bit DS area) */
struct bts_record {
	u64	from;	/* the branch instruction, or what was interrupted */
	u64	to;	/* where it led */
	u64	flags;	/* bit 4: it was predicted */
};

/* The privilege levels whose branches are recorded */
#define BTS_RING_KERNEL		BIT(0)
#define BTS_RING_USER		BIT(1)

/**
 * typedef bts_drain_t - takes the records of a CPU
 * @rec: the CPU's buffer
 * @begin: its first record to be shown
 * @end: behind the last record to be shown
 * @full: the buffer was full, so the CPU may have dropped records after these
 *
 * Called on that CPU with BTS off and interrupts off, or from an NMI.
 */
typedef void (*bts_drain_t)(const struct bts_record *rec, unsigned int begin,
			    unsigned int end, bool full);

#ifdef CONFIG_CPU_SUP_INTEL
bool bts_tracer_present(void);
int bts_tracer_get(bts_drain_t drain);
void bts_tracer_put(void);
void bts_tracer_enable(unsigned int rings);
void bts_tracer_disable(void);
void bts_tracer_drain(void);
unsigned int bts_tracer_pending(void);
#else
static inline bool bts_tracer_present(void)
{
	return false;
}

static inline int bts_tracer_get(bts_drain_t drain)
{
	return -ENODEV;
}

static inline void bts_tracer_put(void)
{
}

static inline void bts_tracer_enable(unsigned int rings)
{
}

static inline void bts_tracer_disable(void)
{
}

static inline void bts_tracer_drain(void)
{
}

static inline unsigned int bts_tracer_pending(void)
{
	return 0;
}
#endif /* CONFIG_CPU_SUP_INTEL */

#endif /* _ASM_X86_BTS_H */
