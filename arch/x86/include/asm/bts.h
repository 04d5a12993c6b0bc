/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel's Branch Trace Store (BTS) for a tracer, see
 * arch/x86/events/intel/bts_tracer.c
 */
#ifndef _ASM_X86_BTS_H
#define _ASM_X86_BTS_H

#include <linux/jump_label.h>
#include <linux/types.h>

/* The record that the CPU writes for a branch (Intel SDM volume 3B, 64-bit DS area) */
struct bts_record {
	u64	from;	/* the branch instruction, or the interrupted instruction */
	u64	to;	/* the target */
	u64	flags;	/* BTS_RECORD_*; the CPU defines no other flags */
};

/* The CPU had predicted the branch. bts_encode_run() compares the lower 32 flags */
#define BTS_RECORD_PREDICTED	BIT(4)

/*
 * The step tracer's record of no branch: the instruction at @from led to the next one, at
 * @to
 */
#define BTS_RECORD_PLAIN	BIT_ULL(32)

/* The privilege levels whose branches are recorded */
#define BTS_RING_KERNEL		BIT(0)
#define BTS_RING_USER		BIT(1)
/* Leave out records that are no branches */
#define BTS_BRANCHES		BIT(2)

/**
 * enum bts_drained - what a drain has done with the records
 * @BTS_WRITTEN: the records are written, and so are all records that the CPU has held
 * @BTS_HELD: the CPU holds copies of the records, until another CPU or the tracer asks for them
 * @BTS_STAYS: the records have to stay in the buffer, because the kernel dies and the ring buffers
 *	are closed
 */
enum bts_drained {
	BTS_WRITTEN,
	BTS_HELD,
	BTS_STAYS,
};

/**
 * typedef bts_drain_t - a function that takes the records of a CPU
 * @rec: the CPU's buffer
 * @begin: the first record to be shown
 * @end: the end of the records to be shown
 * @number: the number of @rec[0], see bts_tracer_number()
 * @dropped: whether the CPU may have dropped records after these records, because the
 *	buffer was full, or because other code has switched BTS off
 * @asked: whether the records must not be held
 *
 * Called on the CPU of the buffer, with BTS off, with interrupts off or from an NMI.
 *
 * Return: what was done with the records.
 */
typedef enum bts_drained (*bts_drain_t)(const struct bts_record *rec, unsigned int begin,
					unsigned int end, u64 number, bool dropped, bool asked);

bool __bts_tracer_present(void);
bool bts_tracer_exposed(unsigned int rings);
int bts_tracer_get(bts_drain_t drain);
void bts_tracer_put(void);
bool bts_tracer_try(void);
void bts_tracer_enable(unsigned int rings);
bool bts_tracer_disable(void);
void bts_tracer_halt(bool halt);
void bts_tracer_drain(bool lost, bool asked);
void bts_tracer_ask_cpus(bool self);
void bts_tracer_drain_others(unsigned int usecs);
void bts_tracer_sync(void);
bool bts_tracer_partial(void);
bool bts_tracer_stuck(void);
unsigned int bts_tracer_pending(void);
u64 bts_tracer_first(void);
u64 bts_tracer_number(void);
u64 bts_tracer_number_of(int cpu);
bool bts_tracer_records(void);

/**
 * bts_tracer_present - tell whether this machine has BTS
 *
 * Without support for Intel's CPUs, the compiler drops the code that calls the functions
 * above, which do not exist then.
 *
 * Return: true if so, false otherwise.
 */
static inline bool bts_tracer_present(void)
{
	return IS_ENABLED(CONFIG_CPU_SUP_INTEL) && __bts_tracer_present();
}

struct pt_regs;

DECLARE_STATIC_KEY_FALSE(bts_tracer_key);
void __bts_tracer_nmi_enter(struct pt_regs *regs);
int __bts_tracer_nmi_handled(int handled);
void __bts_tracer_nmi_exit(struct pt_regs *regs);

/* Whether a tracer has BTS */
static __always_inline bool bts_tracer_used(void)
{
	return IS_ENABLED(CONFIG_BTS_TRACER) && IS_ENABLED(CONFIG_CPU_SUP_INTEL) &&
	       static_branch_unlikely(&bts_tracer_key);
}

/* Switch BTS off until bts_tracer_nmi_exit() */
static __always_inline void bts_tracer_nmi_enter(struct pt_regs *regs)
{
	if (bts_tracer_used())
		__bts_tracer_nmi_enter(regs);
}

/* The number of reasons for the NMI; the handlers have found @handled reasons */
static __always_inline int bts_tracer_nmi_handled(int handled)
{
	return bts_tracer_used() ? __bts_tracer_nmi_handled(handled) : handled;
}

/* Switch BTS on again if it was on at bts_tracer_nmi_enter() */
static __always_inline void bts_tracer_nmi_exit(struct pt_regs *regs)
{
	if (bts_tracer_used())
		__bts_tracer_nmi_exit(regs);
}

/* Switch BTS off, because the crash kernel has no debug store */
static __always_inline void bts_tracer_crash(void)
{
	if (bts_tracer_used())
		bts_tracer_disable();
}

#endif /* _ASM_X86_BTS_H */
