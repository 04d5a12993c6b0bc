/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulated CPU: declarations that its parts share, see bts-cpu.c
 */
#ifndef BTS_CPU_H
#define BTS_CPU_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bts-log.h"
#include "qemu-api.h"

#define BIT(n)			(1ULL << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define fallthrough		__attribute__((fallthrough))

#define MAX_CPUS		64
#define RAM_MAX			0xc0000000ULL	/* above, the memory is not contiguous */
#define PAGE			4096ULL

#define MSR_PERFCTR0		0x0c1
#define MSR_EVENTSEL0		0x186
#define MSR_MISC_ENABLE		0x1a0
#define MSR_LBR_SELECT		0x1c8
#define MSR_LBR_TOS		0x1c9
#define MSR_DEBUGCTL		0x1d9
#define MSR_FIXED_CTR0		0x309
#define MSR_PERF_CAPABILITIES	0x345
#define MSR_FIXED_CTRL		0x38d
#define MSR_GLOBAL_STATUS	0x38e
#define MSR_GLOBAL_CTRL		0x38f
#define MSR_GLOBAL_OVF_CTRL	0x390
#define MSR_DS_AREA		0x600
#define MSR_LBR_FROM		0x680
#define MSR_LBR_TO		0x6c0
#define MSR_LBR_INFO		0xdc0

#define COUNTERS		4
#define FIXED_COUNTERS		3
#define COUNTER_MASK		(BIT(48) - 1)

#define EVENTSEL_USR		BIT(16)
#define EVENTSEL_OS		BIT(17)
#define EVENTSEL_INT		BIT(20)
#define EVENTSEL_EN		BIT(22)
/* The bits of a fixed counter, in its four bits of IA32_FIXED_CTR_CTRL */
#define FIXED_OS		BIT(0)
#define FIXED_USR		BIT(1)
#define FIXED_INT		BIT(3)
#define FIXED_STATUS		32	/* bit of the first fixed counter in the global MSRs */

/* Fast strings, performance monitoring, no PEBS; BTS_UNAVAIL is clear */
#define MISC_ENABLE		(BIT(0) | BIT(7) | BIT(12))

#define DEBUGCTL_LBR		BIT(0)
#define DEBUGCTL_BTF		BIT(1)
#define DEBUGCTL_TR		BIT(6)
#define DEBUGCTL_BTS		BIT(7)
#define DEBUGCTL_BTINT		BIT(8)
#define DEBUGCTL_OFF_OS		BIT(9)
#define DEBUGCTL_OFF_USR	BIT(10)
#define DEBUGCTL_FREEZE_LBRS	BIT(11)
#define DEBUGCTL_ON		(DEBUGCTL_TR | DEBUGCTL_BTS)

#define LBR_RECORDS		32
#define LBR_FORMAT_INFO		5	/* of IA32_PERF_CAPABILITIES */

/* Bits of MSR_LBR_SELECT: each bit filters out the branches of a privilege level */
#define LBR_CPL_EQ_0		BIT(0)
#define LBR_CPL_NEQ_0		BIT(1)
#define LBR_SELECT_MASK		(BIT(10) - 1)

#define APIC_ICR		0xfee00300
#define APIC_ICR_SELF		0x40000
#define APIC_LVTPC		0xfee00340
#define APIC_LVT_MASKED		0x10000
#define APIC_MODE_VECTOR	0x7ff

#define CPUID_1_PDCM		BIT(15)	/* ECX */
#define CPUID_7_HYBRID		BIT(15)	/* EDX */

#define RECORD_SIZE		24
#define RECORD_PREDICTED	BIT(4)
#define CRYSTAL			1000000000

/* Values that translated code stores and tests inline, one struct for each CPU */
struct bts_hot {
	uint64_t on;		/* IA32_DEBUGCTL has TR and BTS, LBR, or BTF */
	uint64_t own;		/* in an NMI */
	uint64_t last;		/* the branch instruction that began, or 0 */
	uint64_t cr3;		/* CR3 was written: translations are void */
	uint64_t undo;		/* the delivered debug exception has to be undone */
	uint64_t left[2];	/* instructions of user space and the kernel left
				 * until a counter may overflow; negative after that
				 */
};

/* bts_hot.last */
#define LAST_BRANCH		BIT(0)
#define LAST_ALWAYS		BIT(1)	/* not conditional */
#define LAST_SELF		BIT(2)	/* the branch leads to itself */
#define LAST_CALL		BIT(3)	/* a near call */
#define LAST_RET		BIT(4)	/* a near return */
#define LAST_LEN_SHIFT		8
#define LAST_LEN_MASK		0xff
#define LAST_OFFSET_SHIFT	16		/* from the block's beginning */

#define RETURNS			16	/* calls whose returns are predicted */

#define PAGES			64		/* cached translations, by page number */

struct bts_page {
	uint64_t page;			/* linear */
	uint8_t *host;
};

struct bts_cpu {
	struct bts_hot *hot;
	struct gbytearray *reg;		/* one register's value */
	struct gbytearray *mem;		/* one word of memory */
	uint64_t start;			/* the current block */
	uint64_t debugctl;
	uint64_t ds;
	uint64_t global_ctrl;
	uint64_t fixed_ctrl;
	uint64_t eventsel[COUNTERS];
	uint64_t counter[COUNTERS];
	uint64_t fixed[FIXED_COUNTERS];
	uint64_t lbr_select;
	uint64_t lbr_tos;		/* number of the last record */
	uint64_t lbr_from[LBR_RECORDS];
	uint64_t lbr_to[LBR_RECORDS];
	uint64_t lbr_info[LBR_RECORDS];
	uint64_t global_status;
	uint64_t armed[2];		/* first value of hot->left */
	unsigned int faults;
	unsigned int late;		/* records left until the interrupt comes */
	uint32_t leaf, index;		/* CPUID's operands */
	uint64_t rdx;			/* RDX before CPUID */
	bool exception;			/* raised, and not delivered yet */
	bool raised;			/* the interrupt is pending */
	bool branched;			/* the last instruction of user space took a branch */
	bool returns;			/* the instruction in ->last ends the NMI */
	uint64_t own_rip;		/* the return address of the NMI */
	uint64_t own_rsp;
	struct bts_page pages[PAGES];
	uint64_t *targets;		/* predict.c: where branches led */
	uint64_t returns_to[RETURNS];	/* the return addresses of the last calls */
	unsigned int nr_returns;
	uint64_t prev;			/* log: the last branch's target */
	unsigned int used;
	uint8_t log[1 << 16];
};

extern struct bts_cpu cpus[MAX_CPUS];
extern struct qemu_plugin_scoreboard *hot;	/* of struct bts_hot */

/* The registers by QEMU's names */
struct bts_regs {
	struct qemu_plugin_register *rip, *rax, *rbx, *rcx, *rdx, *rsp, *cs, *ss, *eflags;
};

extern struct bts_regs regs;

/* The switches */
struct bts_switches {
	unsigned int once, late, counters, from, erratum, mute, hybrid, mispredict, lbr, btf;
};

extern struct bts_switches unkind;

extern uint64_t nmi_entry;		/* entry of NMIs to the kernel, when known */
extern uint64_t debug_entry;		/* entry of debug exceptions, when known */
extern uint8_t *ram;			/* the guest's memory */
extern uint64_t ram_size;
extern uint32_t tsc_ratio[2];		/* of the crystal and the TSC */

#define say(fmt, ...)	fprintf(stderr, "bts-cpu: " fmt "\n", ##__VA_ARGS__)

void die(const char *why);

/* log.c */
bool log_open(const char *name);
void log_flush(struct bts_cpu *cpu);
void log_value(struct bts_cpu *cpu, uint8_t type, uint64_t value);
void log_branch(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint8_t flags);

/* memory.c */
uint64_t reg_read(struct bts_cpu *cpu, struct qemu_plugin_register *reg);
void reg_write(struct bts_cpu *cpu, struct qemu_plugin_register *reg, uint64_t value);
void reg_write_32(struct bts_cpu *cpu, struct qemu_plugin_register *reg, uint32_t value);
uint32_t apic_read(struct bts_cpu *cpu, uint64_t addr);
void apic_write(struct bts_cpu *cpu, uint64_t addr, uint32_t value);
void pages_forget(struct bts_cpu *cpu);
bool mem_copy(struct bts_cpu *cpu, uint64_t addr, void *data, size_t len, bool store);
uint64_t mem_word(struct bts_cpu *cpu, uint64_t addr);

/* store.c */
static inline bool bts_is_on(const struct bts_cpu *cpu)
{
	return (cpu->debugctl & DEBUGCTL_ON) == DEBUGCTL_ON;
}

void pmi_raise(struct bts_cpu *cpu);
void block_begins(unsigned int vcpu, void *udata);
void discontinuity(unsigned int vcpu, enum qemu_plugin_discon_type type,
		   uint64_t from, uint64_t to, void *udata);
void insn_iret(unsigned int vcpu, void *udata);

/* predict.c */
bool predict(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint64_t next, uint64_t last);

/* counters.c */
void counters_sync(struct bts_cpu *cpu);
void counters_arm(struct bts_cpu *cpu);
void counters_due(unsigned int vcpu, void *udata);

/* lbr.c */
static inline bool lbr_is_on(const struct bts_cpu *cpu)
{
	return unkind.lbr && cpu->debugctl & DEBUGCTL_LBR;
}

uint8_t lbr_record(struct bts_cpu *cpu, uint64_t from, uint64_t to);
void lbr_freeze(struct bts_cpu *cpu);
uint64_t *lbr_msr(struct bts_cpu *cpu, uint32_t msr);
bool lbr_write(struct bts_cpu *cpu, uint32_t msr, uint64_t value);

/* btf.c */
static inline bool btf_is_on(const struct bts_cpu *cpu)
{
	return unkind.btf && cpu->debugctl & DEBUGCTL_BTF;
}

void btf_exception(struct bts_cpu *cpu, uint64_t from, bool debug);
void btf_undo(unsigned int vcpu, void *udata);

/* msrs.c */
void debugctl_set(struct bts_cpu *cpu, uint64_t value);

/* The instruction, LEN bytes at OFFSET of its block, for the callbacks below */
#define UDATA(offset, len)	((void *)(uintptr_t)((offset) << 8 | (len)))

void insn_wrmsr(unsigned int vcpu, void *udata);
void insn_rdmsr_last(unsigned int vcpu, void *udata);
void insn_behind_rdmsr(unsigned int vcpu, void *udata);
void insn_rdpmc(unsigned int vcpu, void *udata);
void insn_cpuid(unsigned int vcpu, void *udata);
void insn_cpuid_last(unsigned int vcpu, void *udata);
void insn_behind_cpuid(unsigned int vcpu, void *udata);
void cpu_reset(unsigned int vcpu, void *udata);

/* translate.c */
void translated(struct qemu_plugin_tb *tb, void *udata);

#endif /* BTS_CPU_H */
