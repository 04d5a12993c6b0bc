// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU's TCG that gives the emulated x86-64 CPUs Branch Trace Store
 *
 *	-plugin bts-cpu.so[,log=FILE][,tsc=KHZ][,SWITCH=VALUE]...
 *
 * The guest's Intel PMU driver finds an architectural PMU of version 2 and
 * works with it. See the Intel SDM vol. 3B, "Branch Trace Store (BTS)" and "Debug
 * Store (DS) Mechanism". The CPU has:
 *
 *   CPUID 0xA, and the MSRs of the counters, which count if a switch says so;
 *   CPUID 0x15, so that the guest need not measure its clocks, because measuring
 *	fails on a busy machine: KHZ, or the frequency of the machine's TSC; under
 *	-icount it is 1000000. QEMU's local APIC has 1 GHz;
 *   IA32_DS_AREA, of which bts_buffer_base, bts_index, bts_absolute_maximum
 *	and bts_interrupt_threshold are used, in the 64-bit format;
 *   IA32_DEBUGCTL.TR, BTS, BTINT, BTS_OFF_OS and BTS_OFF_USR;
 *   the interrupt through the local APIC's LVTPC, which it masks.
 *
 * A branch across the privilege level belongs to the side that it leads to. The
 * address determines the side. The flags of a record are 0. A conditional jump
 * to the instruction behind it is not recorded. Each record at or past the threshold
 * raises the interrupt, unless LVTPC is masked or an interrupt is on its way. The
 * interrupt is delivered one branch later.
 *
 * The SDM, the errata and the PMU driver allow a CPU to be less kind than that.
 * Each of these is a switch:
 *
 *   once=1	The interrupt is raised by the record that reaches the threshold,
 *		and by no later record. If LVTPC is masked then, it is lost.
 *   late=N	The interrupt comes up to N records after it was raised, or when
 *		BTS is switched off.
 *   counters=1	The counters count. Each event is an instruction that was
 *		executed. An overflow sets its bit in IA32_PERF_GLOBAL_STATUS and
 *		raises the interrupt of LVTPC.
 *   filter=from	BTS_OFF_OS and BTS_OFF_USR apply to a branch's source.
 *   erratum=1	With BTS_OFF_OS or BTS_OFF_USR set, From is wrong in the record of
 *		a branch across the privilege level (AR62, W125).
 *   mute=MASK	The CPUs in MASK have all of the above and record nothing.
 *   hybrid=1	CPUID says that the CPUs are those of a hybrid.
 *
 * The driver decides by the model when LVTPC is unmasked: with model=94 (Skylake) it
 * unmasks LVTPC at the end of its handler, with model=190 (Gracemont) in the middle.
 * bts-mark can make a CPU lose IA32_DEBUGCTL, as a machine check and a suspend do.
 *
 * Branches are found at the borders of translation blocks. An instruction that
 * branches is always the last of its block: when it begins, its kind is stored
 * inline (bts_hot.last). The beginning of the next block, or an interrupt or
 * exception before it, tells where the branch went. All virtual addresses of a page
 * share a block, so only offsets into the block are known when it is translated; each
 * block's address is read as it begins.
 *
 * QEMU has to have its memory from a memfd, and no more than 3 GB:
 *
 *	-object memory-backend-memfd,id=ram,size=1G -machine memory-backend=ram
 *
 * because records are written to this mapping. With more than one CPU, QEMU needs
 * -accel tcg,thread=multi, because it tells plugins the wrong CPU otherwise. There is
 * no x2APIC.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bts-log.h"
#include "qemu-api.h"

#define BIT(n)			(1ULL << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define fallthrough		__attribute__((fallthrough))

#define MAX_CPUS		64
#define RAM_MAX			0xc0000000ULL	/* from here it is not in one piece */
#define PAGE			4096ULL

#define MSR_PERFCTR0		0x0c1
#define MSR_EVENTSEL0		0x186
#define MSR_MISC_ENABLE		0x1a0
#define MSR_DEBUGCTL		0x1d9
#define MSR_FIXED_CTR0		0x309
#define MSR_FIXED_CTRL		0x38d
#define MSR_GLOBAL_STATUS	0x38e
#define MSR_GLOBAL_CTRL		0x38f
#define MSR_GLOBAL_OVF_CTRL	0x390
#define MSR_DS_AREA		0x600

#define COUNTERS		4
#define FIXED_COUNTERS		3
#define COUNTER_MASK		(BIT(48) - 1)

#define EVENTSEL_USR		BIT(16)
#define EVENTSEL_OS		BIT(17)
#define EVENTSEL_INT		BIT(20)
#define EVENTSEL_EN		BIT(22)
/* The same bits of a fixed counter, in its four bits of IA32_FIXED_CTR_CTRL */
#define FIXED_OS		BIT(0)
#define FIXED_USR		BIT(1)
#define FIXED_INT		BIT(3)
#define FIXED_STATUS		32	/* the first one's bit of the global MSRs */

/* Fast strings, performance monitoring, no PEBS; BTS_UNAVAIL is clear */
#define MISC_ENABLE		(BIT(0) | BIT(7) | BIT(12))

#define DEBUGCTL_TR		BIT(6)
#define DEBUGCTL_BTS		BIT(7)
#define DEBUGCTL_BTINT		BIT(8)
#define DEBUGCTL_OFF_OS		BIT(9)
#define DEBUGCTL_OFF_USR	BIT(10)
#define DEBUGCTL_ON		(DEBUGCTL_TR | DEBUGCTL_BTS)

#define APIC_ICR		0xfee00300
#define APIC_ICR_SELF		0x40000
#define APIC_LVTPC		0xfee00340
#define APIC_LVT_MASKED		0x10000
#define APIC_MODE_VECTOR	0x7ff

#define CPUID_7_HYBRID		BIT(15)	/* EDX */

#define RECORD_SIZE		24
#define CRYSTAL			1000000000

/* Debug store management area, 64-bit format */
struct ds_area {
	uint64_t base;
	uint64_t index;
	uint64_t max;		/* the byte behind the buffer */
	uint64_t threshold;
};

/* Values that translated code stores and tests inline, one struct for each CPU */
struct bts_hot {
	uint64_t on;		/* IA32_DEBUGCTL has TR and BTS */
	uint64_t own;		/* in an interrupt of BTS's own */
	uint64_t last;		/* the branch instruction that began, or 0 */
	uint64_t cr3;		/* CR3 was written: translations are void */
	uint64_t left[2];	/* instructions of user space and the kernel to go
				 * until a counter may overflow; negative: it may have
				 */
};

/* bts_hot.last */
#define LAST_BRANCH		BIT(0)
#define LAST_ALWAYS		BIT(1)	/* not conditional */
#define LAST_SELF		BIT(2)	/* its target is itself */
#define LAST_LEN_SHIFT		8
#define LAST_LEN_MASK		0xff
#define LAST_OFFSET_SHIFT	16		/* from the block's beginning */

#define PAGES			64		/* of translations, by page number */

struct bts_page {
	uint64_t page;			/* linear */
	uint8_t *host;
};

struct bts_cpu {
	struct bts_hot *hot;
	struct gbytearray *reg;		/* one register's value */
	struct gbytearray *mem;		/* one word of memory */
	uint64_t start;			/* the block that runs */
	uint64_t debugctl;
	uint64_t ds;
	uint64_t global_ctrl;
	uint64_t fixed_ctrl;
	uint64_t eventsel[COUNTERS];
	uint64_t counter[COUNTERS];
	uint64_t fixed[FIXED_COUNTERS];
	uint64_t global_status;
	uint64_t armed[2];		/* first value of hot->left */
	unsigned int faults;
	unsigned int late;		/* records to go until the interrupt comes */
	uint32_t leaf, index;		/* CPUID's operands */
	uint64_t rdx;			/* RDX before CPUID */
	bool exception;			/* raised, and not delivered yet */
	bool raised;			/* the interrupt is on its way */
	bool returns;			/* the instruction in ->last ends it */
	uint64_t own_rip;		/* where the interrupt returns to */
	uint64_t own_rsp;
	struct bts_page pages[PAGES];
	uint64_t prev;			/* log: the last branch's target */
	unsigned int used;
	uint8_t log[1 << 16];
};

static struct bts_cpu cpus[MAX_CPUS];
static struct qemu_plugin_scoreboard *hot;

static struct {
	struct qemu_plugin_register *rip, *rax, *rbx, *rcx, *rdx, *rsp, *cs;
} regs;

static const struct {
	const char *name;
	struct qemu_plugin_register **handle;
} reg_names[] = {
	{ "rip", &regs.rip }, { "rax", &regs.rax }, { "rbx", &regs.rbx },
	{ "rcx", &regs.rcx }, { "rdx", &regs.rdx }, { "rsp", &regs.rsp },
	{ "cs", &regs.cs },
};

/* The switches */
static struct {
	unsigned int once, late, counters, from, erratum, mute, hybrid;
} unkind;

static uint64_t nmi_entry;		/* where NMIs enter the kernel, once known */

static uint8_t *ram;
static uint64_t ram_size;
static uint32_t tsc_ratio[2];		/* the crystal's and the TSC's share */
static int log_fd = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define say(fmt, ...)	fprintf(stderr, "bts-cpu: " fmt "\n", ##__VA_ARGS__)

static void die(const char *why)
{
	say("%s", why);
	/* Not exit(), because its handlers wait for this CPU */
	_exit(1);
}

/* The log */

static void log_write(const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(log_fd, p, len);
		if (n < 0) {
			if (errno == EINTR)
				continue;
			die("the log cannot be written");
		}
		p += n;
		len -= n;
	}
}

static void log_flush(struct bts_cpu *cpu)
{
	uint32_t head[2] = { cpu - cpus, cpu->used };

	if (!cpu->used)
		return;
	pthread_mutex_lock(&log_lock);
	log_write(head, sizeof(head));
	log_write(cpu->log, cpu->used);
	pthread_mutex_unlock(&log_lock);
	cpu->used = 0;
	cpu->prev = 0;
}

/* Make room for the longest entry */
static void log_begin(struct bts_cpu *cpu, uint8_t tag)
{
	if (cpu->used + 21 > sizeof(cpu->log))
		log_flush(cpu);
	cpu->log[cpu->used++] = tag;
}

static void log_unsigned(struct bts_cpu *cpu, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		cpu->log[cpu->used++] = value | 0x80;
	cpu->log[cpu->used++] = value;
}

static void log_signed(struct bts_cpu *cpu, int64_t value)
{
	log_unsigned(cpu, (uint64_t)value << 1 ^ value >> 63);
}

static void log_value(struct bts_cpu *cpu, uint8_t type, uint64_t value)
{
	if (log_fd < 0)
		return;
	log_begin(cpu, type);
	log_unsigned(cpu, value);
}

static void log_branch(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint8_t flags)
{
	if (log_fd < 0)
		return;
	log_begin(cpu, BTS_LOG_BRANCH | flags);
	log_signed(cpu, from - cpu->prev);
	log_signed(cpu, to - from);
	cpu->prev = to;
}

/* Registers and memory of the current CPU */

static uint64_t reg_read(struct bts_cpu *cpu, struct qemu_plugin_register *reg)
{
	uint64_t value = 0;

	g_byte_array_set_size(cpu->reg, 0);
	if (!qemu_plugin_read_register(reg, cpu->reg))
		die("a register cannot be read");
	memcpy(&value, cpu->reg->data, cpu->reg->len < 8 ? cpu->reg->len : 8);
	return value;
}

static void reg_write(struct bts_cpu *cpu, struct qemu_plugin_register *reg, uint64_t value)
{
	g_byte_array_set_size(cpu->reg, 8);
	memcpy(cpu->reg->data, &value, 8);
	if (!qemu_plugin_write_register(reg, cpu->reg))
		die("a register cannot be written");
}

static uint32_t apic_read(struct bts_cpu *cpu, uint64_t addr)
{
	uint32_t value;

	g_byte_array_set_size(cpu->mem, 4);
	if (qemu_plugin_read_memory_hwaddr(addr, cpu->mem, 4))
		die("the local APIC cannot be read");
	memcpy(&value, cpu->mem->data, 4);
	return value;
}

static void apic_write(struct bts_cpu *cpu, uint64_t addr, uint32_t value)
{
	g_byte_array_set_size(cpu->mem, 4);
	memcpy(cpu->mem->data, &value, 4);
	if (qemu_plugin_write_memory_hwaddr(addr, cpu->mem))
		die("the local APIC cannot be written");
}

static void pages_forget(struct bts_cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		cpu->pages[i].host = NULL;
}

/* Return QEMU's pointer for a linear address; NULL if nothing is mapped there */
static uint8_t *host(struct bts_cpu *cpu, uint64_t addr)
{
	uint64_t page = addr / PAGE, phys;
	struct bts_page *p = &cpu->pages[page % PAGES];

	if (cpu->hot->cr3) {
		cpu->hot->cr3 = 0;
		pages_forget(cpu);
	}
	if (!p->host || p->page != page) {
		if (!qemu_plugin_translate_vaddr(page * PAGE, &phys))
			return NULL;
		phys &= ~(PAGE - 1);
		if (phys + PAGE > ram_size || phys >= RAM_MAX)
			return NULL;
		p->page = page;
		p->host = ram + phys;
	}
	return p->host + addr % PAGE;
}

static bool mem_copy(struct bts_cpu *cpu, uint64_t addr, void *data, size_t len, bool store)
{
	uint8_t *p;
	size_t n;

	for (; len; len -= n, addr += n, data += n) {
		n = PAGE - addr % PAGE;
		if (n > len)
			n = len;
		p = host(cpu, addr);
		if (!p)
			return false;
		if (store)
			memcpy(p, data, n);
		else
			memcpy(data, p, n);
	}
	return true;
}

static uint64_t mem_word(struct bts_cpu *cpu, uint64_t addr)
{
	uint64_t value = 0;

	mem_copy(cpu, addr, &value, sizeof(value), false);
	return value;
}

/* Branch Trace Store */

static void pmi_raise(struct bts_cpu *cpu)
{
	uint32_t lvtpc = apic_read(cpu, APIC_LVTPC);

	cpu->late = 0;
	if (lvtpc & APIC_LVT_MASKED)
		return;
	apic_write(cpu, APIC_LVTPC, lvtpc | APIC_LVT_MASKED);
	apic_write(cpu, APIC_ICR, APIC_ICR_SELF | (lvtpc & APIC_MODE_VECTOR));
	cpu->raised = true;
}

/* The record before bts_index was written, or lost */
static void bts_raise(struct bts_cpu *cpu, const struct ds_area *ds)
{
	static unsigned int turn;

	if (cpu->late) {
		if (!--cpu->late)
			pmi_raise(cpu);
		return;
	}
	if (ds->index < ds->threshold || cpu->raised)
		return;
	if (unkind.once && ds->index >= ds->threshold + RECORD_SIZE)
		return;
	if (unkind.late) {
		turn = turn * 1103515245 + 12345;
		cpu->late = 1 + (turn >> 16) % unkind.late;
	} else {
		pmi_raise(cpu);
	}
	if (cpu->raised || cpu->late)
		log_value(cpu, BTS_LOG_INTERRUPT, ds->index);
}

static void bts_fault(struct bts_cpu *cpu, uint64_t addr)
{
	if (cpu->faults++ < 10)
		say("CPU %td: the debug store is not mapped at %#llx", cpu - cpus,
		    (unsigned long long)addr);
	log_value(cpu, BTS_LOG_FAULT, addr);
}

static void bts_record(struct bts_cpu *cpu, uint64_t from, uint64_t to, uint8_t flags)
{
	uint64_t record[3] = { from, to, 0 };
	struct ds_area ds;
	bool full;

	if (!cpu->hot->on || unkind.mute >> (cpu - cpus) & 1)
		return;
	if (cpu->debugctl & ((unkind.from ? from : to) >> 63 ? DEBUGCTL_OFF_OS : DEBUGCTL_OFF_USR))
		return;
	if (unkind.erratum && cpu->debugctl & (DEBUGCTL_OFF_OS | DEBUGCTL_OFF_USR) &&
	    (from ^ to) >> 63) {
		/* An address of the other side */
		from = to ^ 0xff0;
		record[0] = from;
	}

	if (!mem_copy(cpu, cpu->ds, &ds, sizeof(ds), false)) {
		bts_fault(cpu, cpu->ds);
		log_branch(cpu, from, to, flags | BTS_LOG_LOST);
		return;
	}
	full = ds.index + RECORD_SIZE > ds.max;
	if (full && !(cpu->debugctl & DEBUGCTL_BTINT)) {
		ds.index = ds.base;
		full = false;
	}
	if (!full) {
		if (!mem_copy(cpu, ds.index, record, sizeof(record), true)) {
			bts_fault(cpu, ds.index);
			full = true;
		}
	}
	log_branch(cpu, from, to, full ? flags | BTS_LOG_LOST : flags);
	if (!full) {
		ds.index += RECORD_SIZE;
		if (!(cpu->debugctl & DEBUGCTL_BTINT) && ds.index + RECORD_SIZE > ds.max)
			ds.index = ds.base;
		mem_copy(cpu, cpu->ds + offsetof(struct ds_area, index), &ds.index,
			 sizeof(ds.index), true);
	}
	/* A lost record reaches no threshold */
	if (cpu->debugctl & DEBUGCTL_BTINT && !(full && unkind.once && !cpu->late))
		bts_raise(cpu, &ds);
}

/* The branch instruction that began last went to addr, if it got that far */
static void bts_arrived(struct bts_cpu *cpu, uint64_t addr, bool self)
{
	uint64_t last = cpu->hot->last, from, next;
	uint8_t flags = cpu->hot->own ? BTS_LOG_OWN : 0;

	if (!last)
		return;
	cpu->hot->last = 0;
	from = cpu->start + (last >> LAST_OFFSET_SHIFT);
	next = from + (last >> LAST_LEN_SHIFT & LAST_LEN_MASK);
	if (cpu->returns) {
		/* A fault of IRET itself does not move it */
		cpu->returns = false;
		if (addr == cpu->own_rip)
			cpu->hot->own = 0;
	}
	/* It faulted, or QEMU begins it anew */
	if (addr == from && !(self && last & LAST_SELF))
		return;
	if (addr != next || last & LAST_ALWAYS)
		bts_record(cpu, from, addr, flags);
}

static void block_begins(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint64_t rip = reg_read(cpu, regs.rip);

	if (cpu->hot->on)
		bts_arrived(cpu, rip, true);
	cpu->hot->last = 0;
	cpu->start = rip;
}

/*
 * QEMU calls this with EXCEPTION when an instruction raises an exception (also INT,
 * INT3), before QEMU has restored the CPU's state, so the addresses are of no use.
 * Then, as for interrupts, QEMU calls this with INTERRUPT after the delivery: from is
 * the instruction that has not been executed, or the INT.
 */
static void discontinuity(unsigned int vcpu, enum qemu_plugin_discon_type type,
			  uint64_t from, uint64_t to, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	bool exception, raised;
	uint64_t frame;

	if (!cpu->hot)
		return;
	if (type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		cpu->exception = true;
		return;
	}
	exception = cpu->exception;
	cpu->exception = false;
	/* The latest records may raise another interrupt */
	raised = cpu->raised;

	if (cpu->hot->on)
		bts_arrived(cpu, from, !exception);
	cpu->hot->last = 0;

	/*
	 * NMIs come before other interrupts, and other interrupts cannot come
	 * between, because they are off where NMIs are blocked
	 */
	if (raised && !exception) {
		cpu->raised = false;
		nmi_entry = to;
	}
	/* A nested NMI belongs to the outer NMI */
	if (!exception && (raised || to == nmi_entry) && !cpu->hot->own) {
		frame = reg_read(cpu, regs.rsp);
		cpu->own_rip = mem_word(cpu, frame);
		cpu->own_rsp = mem_word(cpu, frame + 24);
		cpu->hot->own = 1;
	}
	bts_record(cpu, from, to, BTS_LOG_EVENT | (cpu->hot->own ? BTS_LOG_OWN : 0));
}

/* An IRET while an NMI is handled: find out whether it ends the NMI */
static void insn_iret(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint64_t frame = reg_read(cpu, regs.rsp);

	if (mem_word(cpu, frame) != cpu->own_rip ||
	    mem_word(cpu, frame + 24) != cpu->own_rsp)
		return;
	if (cpu->hot->on)
		cpu->returns = true;
	else
		cpu->hot->own = 0;
}

/* Counters */

#define COUNTERS_ALL		(COUNTERS + FIXED_COUNTERS)

struct counter {
	uint64_t *value;
	uint64_t status;		/* its bit in the global MSRs */
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

/* Brings the counters up to date */
static void counters_sync(struct bts_cpu *cpu)
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
	if (raise)
		pmi_raise(cpu);
}

/* If a counter counts both sides, half of the rest may be on either side */
static void counters_arm(struct bts_cpu *cpu)
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

static void counters_due(unsigned int vcpu, void *udata)
{
	counters_sync(&cpus[vcpu]);
	counters_arm(&cpus[vcpu]);
}

/* Registers that the CPU has on top of QEMU's */

static uint64_t *msr_stored(struct bts_cpu *cpu, uint32_t msr)
{
	switch (msr) {
	case MSR_PERFCTR0 ... MSR_PERFCTR0 + COUNTERS - 1:
		return &cpu->counter[msr - MSR_PERFCTR0];
	case MSR_EVENTSEL0 ... MSR_EVENTSEL0 + COUNTERS - 1:
		return &cpu->eventsel[msr - MSR_EVENTSEL0];
	case MSR_FIXED_CTR0 ... MSR_FIXED_CTR0 + FIXED_COUNTERS - 1:
		return &cpu->fixed[msr - MSR_FIXED_CTR0];
	case MSR_FIXED_CTRL:
		return &cpu->fixed_ctrl;
	case MSR_GLOBAL_CTRL:
		return &cpu->global_ctrl;
	case MSR_DEBUGCTL:
		return &cpu->debugctl;
	case MSR_DS_AREA:
		return &cpu->ds;
	}
	return NULL;
}

static bool msr_read(struct bts_cpu *cpu, uint32_t msr, uint64_t *value)
{
	uint64_t *stored = msr_stored(cpu, msr);

	if (unkind.counters && msr != MSR_DEBUGCTL)
		counters_due(cpu - cpus, NULL);
	if (stored)
		*value = *stored;
	else if (msr == MSR_GLOBAL_STATUS)
		*value = cpu->global_status;
	else if (msr == MSR_GLOBAL_OVF_CTRL)
		*value = 0;
	else if (msr == MSR_MISC_ENABLE)
		*value = MISC_ENABLE;
	else
		return false;
	return true;
}

static void debugctl_write(struct bts_cpu *cpu, uint64_t value)
{
	cpu->debugctl = value;
	pages_forget(cpu);
	cpu->hot->last = 0;
	cpu->hot->on = (cpu->debugctl & DEBUGCTL_ON) == DEBUGCTL_ON;
	log_value(cpu, BTS_LOG_DEBUGCTL, cpu->debugctl);
	/* No later record will raise the interrupt */
	if (!cpu->hot->on && cpu->late)
		pmi_raise(cpu);
}

/* QEMU accepts a write to any MSR and then does nothing, so QEMU may execute this one */
static void insn_wrmsr(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint32_t msr = reg_read(cpu, regs.rcx);
	uint64_t *stored, value;

	if (!(cpu->start >> 63))
		return;
	value = (uint32_t)reg_read(cpu, regs.rax) | reg_read(cpu, regs.rdx) << 32;
	stored = msr_stored(cpu, msr);
	if (stored == &cpu->debugctl) {
		debugctl_write(cpu, value);
	} else if (stored == &cpu->ds) {
		cpu->ds = value;
		pages_forget(cpu);
	} else if (stored) {
		if (unkind.counters)
			counters_sync(cpu);
		/* The general counters take 32 bits and a sign */
		if (stored >= cpu->counter && stored < cpu->counter + COUNTERS)
			value = (int32_t)value;
		*stored = stored < cpu->eventsel || stored >= cpu->eventsel + COUNTERS ?
			  value & COUNTER_MASK : value;
		if (unkind.counters)
			counters_arm(cpu);
	} else if (msr == MSR_GLOBAL_OVF_CTRL) {
		if (unkind.counters)
			counters_due(vcpu, NULL);
		cpu->global_status &= ~value;
	}
}

/*
 * The results of an instruction are written behind it, over the values that QEMU has
 * left in the registers. An instruction that QEMU does not know, or that is the last of
 * its block, is not executed: qemu_plugin_set_pc(). This loses the flags that the block
 * has not stored, so it is not used elsewhere in a block.
 */

/* The instruction, LEN bytes at OFFSET of its block, has been done here */
#define UDATA(offset, len)	((void *)(uintptr_t)((offset) << 8 | (len)))

static void insn_done(struct bts_cpu *cpu, void *udata)
{
	uintptr_t where = (uintptr_t)udata;

	cpu->hot->last = 0;
	qemu_plugin_set_pc(cpu->start + (where >> 8) + (where & 0xff));
}

static bool rdmsr_answer(struct bts_cpu *cpu)
{
	uint64_t value;

	/* Real mode is left out, because its addresses are not linear */
	if (!(cpu->start >> 63) || !msr_read(cpu, reg_read(cpu, regs.rcx), &value))
		return false;
	reg_write(cpu, regs.rax, (uint32_t)value);
	reg_write(cpu, regs.rdx, value >> 32);
	return true;
}

static void insn_rdmsr_last(unsigned int vcpu, void *udata)
{
	if (rdmsr_answer(&cpus[vcpu]))
		insn_done(&cpus[vcpu], udata);
}

static void insn_behind_rdmsr(unsigned int vcpu, void *udata)
{
	rdmsr_answer(&cpus[vcpu]);
}

static void insn_rdpmc(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];
	uint32_t index = reg_read(cpu, regs.rcx);
	uint64_t value;

	if (!(cpu->start >> 63))
		return;
	if (unkind.counters)
		counters_due(vcpu, NULL);
	if (index < COUNTERS)
		value = cpu->counter[index];
	else if (index - (1U << 30) < FIXED_COUNTERS)
		value = cpu->fixed[index - (1U << 30)];
	else
		return;
	reg_write(cpu, regs.rax, (uint32_t)value);
	reg_write(cpu, regs.rdx, value >> 32 & 0xffff);
	insn_done(cpu, udata);
}

static void insn_cpuid(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu = &cpus[vcpu];

	cpu->leaf = reg_read(cpu, regs.rax);
	cpu->index = reg_read(cpu, regs.rcx);
	cpu->rdx = reg_read(cpu, regs.rdx);
}

static bool cpuid_answer(struct bts_cpu *cpu)
{
	if (cpu->leaf != 0xa && cpu->leaf != 0x15 && cpu->leaf != BTS_MARK_LEAF &&
	    (cpu->leaf != 7 || cpu->index || !unkind.hybrid))
		return false;
	/* The kernel, or a 64-bit program under it */
	if (!(cpu->start >> 63) && (reg_read(cpu, regs.cs) & 0xffff) != 0x33)
		return false;
	if (cpu->leaf == 0xa) {
		/* Version 2, four counters of 48 bits, seven events in EBX */
		reg_write(cpu, regs.rax, 2 | COUNTERS << 8 | 48 << 16 | 7 << 24);
		reg_write(cpu, regs.rbx, 0);
		reg_write(cpu, regs.rcx, 0);
		reg_write(cpu, regs.rdx, FIXED_COUNTERS | 48 << 5);
	} else if (cpu->leaf == 7) {
		reg_write(cpu, regs.rdx, reg_read(cpu, regs.rdx) | CPUID_7_HYBRID);
	} else if (cpu->leaf == 0x15) {
		/* TSC = crystal * EBX / EAX; the local APIC has the crystal's */
		reg_write(cpu, regs.rax, tsc_ratio[0]);
		reg_write(cpu, regs.rbx, tsc_ratio[1]);
		reg_write(cpu, regs.rcx, CRYSTAL);
		reg_write(cpu, regs.rdx, 0);
	} else {
		if (cpu->index == BTS_MARK_LOSE)
			debugctl_write(cpu, 0);
		else if (cpu->index == BTS_MARK_NMI)
			nmi_entry = cpu->rdx;
		else
			log_value(cpu, BTS_LOG_MARK, cpu->index);
		reg_write(cpu, regs.rbx, BTS_MARK_LEAF);
	}
	return true;
}

static void insn_cpuid_last(unsigned int vcpu, void *udata)
{
	insn_cpuid(vcpu, udata);
	if (cpuid_answer(&cpus[vcpu]))
		insn_done(&cpus[vcpu], udata);
}

static void insn_behind_cpuid(unsigned int vcpu, void *udata)
{
	cpuid_answer(&cpus[vcpu]);
}

static void cpu_reset(unsigned int vcpu, void *udata)
{
	struct bts_cpu *cpu;

	nmi_entry = 0;
	for (cpu = cpus; cpu < cpus + MAX_CPUS; cpu++) {
		if (!cpu->hot)
			continue;
		memset(cpu->hot, 0, sizeof(*cpu->hot));
		memset(&cpu->debugctl, 0, offsetof(struct bts_cpu, prev) -
					  offsetof(struct bts_cpu, debugctl));
		counters_arm(cpu);
	}
}

/* Translation */

enum insn_kind {
	INSN_OTHER,
	INSN_JUMP_IF,		/* goes on behind itself, or not */
	INSN_JUMP,
	INSN_IRET,
	INSN_CPUID,
	INSN_RDMSR,
	INSN_WRMSR,
	INSN_RDPMC,
	INSN_CR3,
};

/*
 * The kind of an instruction; *self is set for a direct jump to itself. INT, INT3
 * and INTO are exceptions to QEMU.
 */
static enum insn_kind insn_kind(const uint8_t *p, size_t len, bool *self)
{
	const uint8_t *end = p + len;
	int32_t rel;

	*self = false;
	for (; p < end; p++) {
		switch (*p) {
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64 ... 0x67:
		case 0xf0: case 0xf2: case 0xf3: case 0x40 ... 0x4f:
			continue;
		}
		break;
	}
	if (p == end)
		return INSN_OTHER;

	switch (*p++) {
	case 0x70 ... 0x7f:			/* Jcc rel8 */
	case 0xe0 ... 0xe3:			/* LOOPcc, JrCXZ */
		*self = p < end && (size_t)-(int8_t)*p == len;
		return INSN_JUMP_IF;
	case 0xeb:				/* JMP rel8 */
		*self = p < end && (size_t)-(int8_t)*p == len;
		return INSN_JUMP;
	case 0xe8: case 0xe9:			/* CALL, JMP rel32 */
		if (end - p == 4) {
			memcpy(&rel, p, 4);
			*self = (size_t)-rel == len;
		}
		return INSN_JUMP;
	case 0xc2: case 0xc3:			/* RET */
	case 0xca: case 0xcb:			/* RET far */
	case 0x9a: case 0xea:			/* CALL, JMP far */
		return INSN_JUMP;
	case 0xcf:
		return INSN_IRET;
	case 0xff:				/* CALL, JMP, near and far */
		if (p < end && (*p >> 3 & 7) >= 2 && (*p >> 3 & 7) <= 5)
			return INSN_JUMP;
		return INSN_OTHER;
	case 0x0f:
		break;
	default:
		return INSN_OTHER;
	}

	if (p == end)
		return INSN_OTHER;
	switch (*p++) {
	case 0x80 ... 0x8f:			/* Jcc rel32 */
		if (end - p == 4) {
			memcpy(&rel, p, 4);
			*self = (size_t)-rel == len;
		}
		return INSN_JUMP_IF;
	case 0x05: case 0x07:			/* SYSCALL, SYSRET */
	case 0x34: case 0x35:			/* SYSENTER, SYSEXIT */
		return INSN_JUMP;
	case 0x22:				/* MOV to CRn */
		return p < end && (*p >> 3 & 7) == 3 ? INSN_CR3 : INSN_OTHER;
	case 0x30:
		return INSN_WRMSR;
	case 0x32:
		return INSN_RDMSR;
	case 0x33:
		return INSN_RDPMC;
	case 0xa2:
		return INSN_CPUID;
	}
	return INSN_OTHER;
}

static void store_inline(struct qemu_plugin_insn *insn, struct qemu_plugin_u64 where,
			 uint64_t value)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_STORE_U64,
							    where, value);
}

/* Subtract the block's instructions from those left until a counter may overflow */
static void count_inline(struct qemu_plugin_tb *tb, uint64_t start, size_t n)
{
	const struct qemu_plugin_u64 left = {
		hot, offsetof(struct bts_hot, left) + (start >> 63) * sizeof(uint64_t)
	};

	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							  left, -(uint64_t)n);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, counters_due, QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_GE, left, BIT(63), NULL);
}

static void translated(struct qemu_plugin_tb *tb, void *udata)
{
	const struct qemu_plugin_u64 on = { hot, offsetof(struct bts_hot, on) };
	const struct qemu_plugin_u64 own = { hot, offsetof(struct bts_hot, own) };
	const struct qemu_plugin_u64 last = { hot, offsetof(struct bts_hot, last) };
	const struct qemu_plugin_u64 cr3 = { hot, offsetof(struct bts_hot, cr3) };
	uint64_t start = qemu_plugin_tb_vaddr(tb), what;
	size_t i, n = qemu_plugin_tb_n_insns(tb), len, offset;
	qemu_plugin_vcpu_cb handler, behind = NULL;
	struct qemu_plugin_insn *insn;
	enum insn_kind kind;
	bool always = false, self;
	uint8_t data[16];

	/* No callback tells of a reset */
	if (start == 0xfffffff0)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, cpu_reset,
						     QEMU_PLUGIN_CB_NO_REGS, NULL);
	if (unkind.counters)
		count_inline(tb, start, n);

	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		len = qemu_plugin_insn_size(insn);
		offset = qemu_plugin_insn_vaddr(insn) - start;
		kind = insn_kind(data, qemu_plugin_insn_data(insn, data, sizeof(data)), &self);

		if (behind)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, behind, QEMU_PLUGIN_CB_RW_REGS,
							       NULL);
		behind = NULL;
		handler = NULL;
		switch (kind) {
		case INSN_OTHER:
			break;
		case INSN_IRET:
			qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, insn_iret,
								    QEMU_PLUGIN_CB_R_REGS,
								    QEMU_PLUGIN_COND_NE,
								    own, 0, NULL);
			fallthrough;
		case INSN_JUMP_IF:
		case INSN_JUMP:
			what = LAST_BRANCH | (kind == INSN_JUMP_IF ? 0 : LAST_ALWAYS) |
			       (self ? LAST_SELF : 0) | len << LAST_LEN_SHIFT |
			       offset << LAST_OFFSET_SHIFT;
			store_inline(insn, last, what);
			break;
		case INSN_CR3:
			store_inline(insn, cr3, 1);
			break;
		case INSN_CPUID:
			handler = i + 1 < n ? insn_cpuid : insn_cpuid_last;
			behind = i + 1 < n ? insn_behind_cpuid : NULL;
			break;
		case INSN_RDMSR:
			handler = i + 1 < n ? NULL : insn_rdmsr_last;
			behind = i + 1 < n ? insn_behind_rdmsr : NULL;
			break;
		case INSN_WRMSR:
			handler = insn_wrmsr;
			break;
		case INSN_RDPMC:
			handler = insn_rdpmc;
			break;
		}
		if (handler) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, handler,
							       QEMU_PLUGIN_CB_RW_REGS_PC,
							       UDATA(offset, len));
		}
		if (handler || behind)
			always = true;
	}

	/* These handlers need the address of the block */
	if (always)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins,
						     QEMU_PLUGIN_CB_R_REGS, NULL);
	else
		qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, block_begins,
							  QEMU_PLUGIN_CB_R_REGS,
							  QEMU_PLUGIN_COND_NE,
							  on, 0, NULL);
}

/* The beginning and the end */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The TSC at a time, by the reading that was interrupted least */
static uint64_t tsc_at(uint64_t *ns)
{
	uint64_t best = ~0ULL, tsc = 0, before, between, after;
	int i;

	for (i = 0; i < 20; i++) {
		before = now_ns();
		between = __builtin_ia32_rdtsc();
		after = now_ns();
		if (after - before < best) {
			best = after - before;
			tsc = between;
			*ns = before + best / 2;
		}
	}
	return tsc;
}

static uint32_t tsc_measure(void)
{
	uint64_t tsc[2], ns[2];

	tsc[0] = tsc_at(&ns[0]);
	usleep(50000);
	tsc[1] = tsc_at(&ns[1]);
	return (tsc[1] - tsc[0]) * 1000000.0 / (ns[1] - ns[0]) + 0.5;
}

/* Choose the nearest ratio; Linux multiplies 1000000 by it in 32 bits */
static void tsc_set(uint32_t khz)
{
	double error, best = 1;
	uint32_t a, b;

	for (a = 1; a < 4000; a++) {
		b = (uint64_t)khz * a / (CRYSTAL / 1000.0) + 0.5;
		if (b > 4000)
			break;
		error = (double)b / a * (CRYSTAL / 1000) / khz - 1;
		if (error < 0)
			error = -error;
		if (b && error < best) {
			best = error;
			tsc_ratio[0] = a;
			tsc_ratio[1] = b;
		}
	}
	if (!tsc_ratio[0])
		die("that frequency of the TSC cannot be");
}

static void ram_find(void)
{
	unsigned long long start, end, offset;
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");

	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "/memfd:memory-backend-memfd") &&
		    sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && !offset) {
			ram = (uint8_t *)(uintptr_t)start;
			ram_size = end - start;
		}
	}
	if (maps)
		fclose(maps);
	if (!ram)
		die("QEMU's memory has to be a memory-backend-memfd");
	if (ram_size > RAM_MAX)
		die("QEMU's memory has to be 3 GB at most");
}

static void cpu_init(unsigned int vcpu, void *udata)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const struct qemu_plugin_reg_descriptor *desc;
	struct bts_cpu *cpu = &cpus[vcpu];
	struct garray *list;
	unsigned int i, j;

	if (vcpu >= MAX_CPUS)
		die("that many CPUs are not supported");
	pthread_mutex_lock(&lock);
	if (!ram)
		ram_find();
	list = qemu_plugin_get_registers();
	desc = (const void *)list->data;
	for (i = 0; i < ARRAY_SIZE(reg_names); i++) {
		for (j = 0; j < list->len; j++)
			if (!strcmp(desc[j].name, reg_names[i].name))
				*reg_names[i].handle = desc[j].handle;
		if (!*reg_names[i].handle)
			die("QEMU does not name the registers as expected");
	}
	cpu->reg = g_byte_array_new();
	cpu->mem = g_byte_array_new();
	cpu->hot = qemu_plugin_scoreboard_find(hot, vcpu);
	counters_arm(cpu);
	pthread_mutex_unlock(&lock);
}

static void at_exit(void *udata)
{
	struct bts_cpu *cpu;

	if (log_fd < 0)
		return;
	for (cpu = cpus; cpu < cpus + MAX_CPUS; cpu++)
		log_flush(cpu);
}

/* NAME=VALUE, if it is a switch */
static bool set_switch(const char *arg)
{
	static const struct {
		const char *name;
		unsigned int *value;
	} switches[] = {
		{ "once=", &unkind.once }, { "late=", &unkind.late },
		{ "counters=", &unkind.counters }, { "erratum=", &unkind.erratum },
		{ "mute=", &unkind.mute }, { "hybrid=", &unkind.hybrid },
	};
	unsigned int i;

	if (!strcmp(arg, "filter=from")) {
		unkind.from = 1;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(switches); i++) {
		if (!strncmp(arg, switches[i].name, strlen(switches[i].name))) {
			*switches[i].value = strtoul(strchr(arg, '=') + 1, NULL, 0);
			return true;
		}
	}
	return false;
}

/**
 * qemu_plugin_install() - Set up the plugin; QEMU calls this after loading it
 * @id: QEMU's number of this plugin
 * @info: QEMU, and the machine that it will emulate
 * @argc: number of arguments
 * @argv: the arguments, NAME=VALUE
 *
 * Return: 0, or another number when it cannot work.
 */
QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
					   int argc, char **argv);

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
					   int argc, char **argv)
{
	uint32_t khz = 0;
	int i;

	if (!qemu_fits("bts-cpu", info))
		return 1;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "tsc=", 4)) {
			khz = strtoul(argv[i] + 4, NULL, 10);
			continue;
		}
		if (set_switch(argv[i]))
			continue;
		if (strncmp(argv[i], "log=", 4)) {
			say("no such argument: %s", argv[i]);
			return 1;
		}
		log_fd = open(argv[i] + 4, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (log_fd < 0) {
			say("%s: %s", argv[i] + 4, strerror(errno));
			return 1;
		}
		log_write(BTS_LOG_MAGIC, BTS_LOG_MAGIC_SIZE);
	}

	tsc_set(khz ? khz : tsc_measure());
	hot = qemu_plugin_scoreboard_new(sizeof(struct bts_hot));
	qemu_plugin_register_vcpu_init_cb(id, cpu_init, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT |
						QEMU_PLUGIN_DISCON_EXCEPTION,
					    discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, at_exit, NULL);
	return 0;
}
