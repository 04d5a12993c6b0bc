/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's Branch Trace Store (BTS) for a tracer, see
 * arch/x86/events/intel/bts_tracer.c
 */
#ifndef _ASM_X86_BTS_H
#define _ASM_X86_BTS_H

#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/types.h>

/* The record that the CPU writes for a branch (Intel SDM volume 3B, 64-bit DS area) */
struct bts_record {
	u64	from;	/* the branch instruction, or the interrupted instruction */
	u64	to;	/* the target */
	u64	flags;	/* bit 4: the branch was predicted; bit 0 is the step tracer's */
};

/*
 * The step tracer's record of no branch: the instruction at @from led to the next one, at
 * @to
 */
#define BTS_RECORD_PLAIN	BIT(0)

/* The privilege levels whose branches are recorded */
#define BTS_RING_KERNEL		BIT(0)
#define BTS_RING_USER		BIT(1)
/* Leave out records that are no branches */
#define BTS_BRANCHES		BIT(2)

/**
 * typedef bts_drain_t - a function that takes the records of a CPU
 * @rec: the CPU's buffer
 * @begin: the first record to be shown
 * @end: the end of the records to be shown
 * @number: the number of @rec[0], see bts_tracer_number()
 * @dropped: whether the CPU may have dropped records after these records, because the
 *	buffer was full, or because other code has switched BTS off
 *
 * Called on the CPU of the buffer, with BTS off, with interrupts off or from an NMI.
 *
 * Return: false if the records have to stay in the buffer, because the kernel dies and the
 * ring buffers are closed.
 */
typedef bool (*bts_drain_t)(const struct bts_record *rec, unsigned int begin,
			    unsigned int end, u64 number, bool dropped);

#ifdef CONFIG_CPU_SUP_INTEL
bool bts_tracer_present(void);
bool bts_tracer_exposed(unsigned int rings);
int bts_tracer_get(bts_drain_t drain);
void bts_tracer_put(void);
bool bts_tracer_try(void);
void bts_tracer_enable(unsigned int rings);
bool bts_tracer_disable(void);
void bts_tracer_halt(void);
void bts_tracer_continue(void);
void bts_tracer_drain(bool lost);
void bts_tracer_drain_cpus(bool self, unsigned int usecs);
void bts_tracer_sync(void);
bool bts_tracer_partial(void);
bool bts_tracer_stuck(void);
unsigned int bts_tracer_pending(void);
u64 bts_tracer_number(void);
bool bts_tracer_records(void);
#else
static inline bool bts_tracer_present(void)
{
	return false;
}

static inline bool bts_tracer_exposed(unsigned int rings)
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

static inline bool bts_tracer_try(void)
{
	return false;
}

static inline void bts_tracer_enable(unsigned int rings)
{
}

static inline bool bts_tracer_disable(void)
{
	return true;
}

static inline void bts_tracer_halt(void)
{
}

static inline void bts_tracer_continue(void)
{
}

static inline void bts_tracer_drain(bool lost)
{
}

static inline void bts_tracer_drain_cpus(bool self, unsigned int usecs)
{
}

static inline void bts_tracer_sync(void)
{
}

static inline bool bts_tracer_partial(void)
{
	return false;
}

static inline bool bts_tracer_stuck(void)
{
	return false;
}

static inline unsigned int bts_tracer_pending(void)
{
	return 0;
}

static inline u64 bts_tracer_number(void)
{
	return 0;
}

static inline bool bts_tracer_records(void)
{
	return false;
}
#endif /* CONFIG_CPU_SUP_INTEL */

struct pt_regs;

#if defined(CONFIG_BTS_TRACER) && defined(CONFIG_CPU_SUP_INTEL)
DECLARE_STATIC_KEY_FALSE(bts_tracer_key);
void __bts_tracer_nmi_enter(struct pt_regs *regs);
int __bts_tracer_nmi_handled(int handled);
void __bts_tracer_nmi_exit(struct pt_regs *regs);

/* Switch BTS off until bts_tracer_nmi_exit() */
static __always_inline void bts_tracer_nmi_enter(struct pt_regs *regs)
{
	if (static_branch_unlikely(&bts_tracer_key))
		__bts_tracer_nmi_enter(regs);
}

/* The number of reasons for the NMI; the handlers have found @handled reasons */
static __always_inline int bts_tracer_nmi_handled(int handled)
{
	if (static_branch_unlikely(&bts_tracer_key))
		return __bts_tracer_nmi_handled(handled);
	return handled;
}

/* Switch BTS on again if it was on at bts_tracer_nmi_enter() */
static __always_inline void bts_tracer_nmi_exit(struct pt_regs *regs)
{
	if (static_branch_unlikely(&bts_tracer_key))
		__bts_tracer_nmi_exit(regs);
}

/* Switch BTS off, because the crash kernel has no debug store */
static __always_inline void bts_tracer_crash(void)
{
	if (static_branch_unlikely(&bts_tracer_key))
		bts_tracer_disable();
}
#else
static __always_inline void bts_tracer_nmi_enter(struct pt_regs *regs)
{
}

static __always_inline int bts_tracer_nmi_handled(int handled)
{
	return handled;
}

static __always_inline void bts_tracer_nmi_exit(struct pt_regs *regs)
{
}

static __always_inline void bts_tracer_crash(void)
{
}
#endif

#endif /* _ASM_X86_BTS_H */
