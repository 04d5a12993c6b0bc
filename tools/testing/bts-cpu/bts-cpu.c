// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin for QEMU's TCG that adds Branch Trace Store to the emulated x86-64 CPUs
 *
 *	-plugin bts-cpu.so[,log=FILE][,tsc=KHZ][,SWITCH=VALUE]...
 *
 * The guest's Intel PMU driver finds and uses an architectural PMU of version 2. See the
 * Intel SDM vol. 3B, "Branch Trace Store (BTS)" and "Debug Store (DS) Mechanism". The CPU
 * has:
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
 * A branch across the privilege level belongs to the side of its target. The address
 * determines the side. Each branch is predicted. A conditional jump to the next
 * instruction is not recorded. Each record at or past the threshold raises the interrupt,
 * unless LVTPC is masked or an interrupt is pending. The interrupt is delivered one branch
 * later.
 *
 * The SDM, the errata and the PMU driver allow less convenient behaviour. Each switch
 * selects such a behaviour:
 *
 *   once=1	Only the record that reaches the threshold raises the interrupt.
 *		If LVTPC is masked at this record, the interrupt is lost.
 *   late=N	The interrupt comes up to N records after it was raised, or when
 *		BTS is switched off.
 *   counters=1	The counters count. Each event counts executed
 *		instructions. An overflow sets its bit in IA32_PERF_GLOBAL_STATUS and
 *		raises the interrupt of LVTPC.
 *   filter=from	BTS_OFF_OS and BTS_OFF_USR apply to a branch's source.
 *   erratum=1	With BTS_OFF_OS or BTS_OFF_USR set, From is wrong in the record of
 *		a branch across the privilege level (AR62, W125).
 *   mute=MASK	The CPUs in MASK have all of these features, but record nothing.
 *   hybrid=1	CPUID reports the CPUs of a hybrid.
 *   mispredict=1	The CPU mispredicts some branches, see predict.c, and clears the
 *		flag of their records.
 *
 * Two switches add features:
 *
 *   lbr=1	The CPU has the last branch records of Skylake. Linux finds these
 *		records with model=94. LBR and BTS are independent: either may be on, or
 *		both. The switches of BTS have no effect on LBR. lbr.c lists what is not
 *		emulated.
 *   btf=1	IA32_DEBUGCTL.BTF: single-stepping on branches, see btf.c.
 *
 * The model determines when the driver unmasks LVTPC: with model=94 (Skylake) at the end of
 * its handler, with model=190 (Gracemont) in the middle. bts-mark can make a CPU lose
 * IA32_DEBUGCTL, as a machine check and a suspend do.
 *
 * translate.c chooses the functions that the code of a block calls, store.c writes the
 * records, predict.c predicts branches, lbr.c has the last branch records, btf.c has
 * single-stepping on branches, msrs.c and counters.c have the CPU's other registers, and
 * log.c writes the log.
 *
 * Branches are found at the borders of translation blocks. An instruction that branches is
 * always the last instruction of its block. When the instruction begins, its kind is stored
 * inline (bts_hot.last). The beginning of the next block, or an interrupt or exception
 * before the block, shows the target of the branch. All virtual addresses of a page share a
 * block, so only offsets into the block are known when it is translated; each block's
 * address is read as it begins.
 *
 * QEMU has to have its memory from a memfd, and no more than 3 GB:
 *
 *	-object memory-backend-memfd,id=ram,size=1G -machine memory-backend=ram
 *
 * because records are written to this mapping. With more than one CPU, QEMU needs -accel
 * tcg,thread=multi, because otherwise it passes the wrong CPU to plugins. There is no
 * x2APIC.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cpu.h"

struct bts_cpu cpus[MAX_CPUS];
struct qemu_plugin_scoreboard *hot;
struct bts_regs regs;
struct bts_switches unkind;
uint64_t nmi_entry;
uint8_t *ram;
uint64_t ram_size;
uint32_t tsc_ratio[2];

static const struct {
	const char *name;
	struct qemu_plugin_register **handle;
} reg_names[] = {
	{ "rip", &regs.rip }, { "rax", &regs.rax }, { "rbx", &regs.rbx },
	{ "rcx", &regs.rcx }, { "rdx", &regs.rdx }, { "rsp", &regs.rsp },
	{ "cs", &regs.cs }, { "ss", &regs.ss }, { "eflags", &regs.eflags },
};

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/**
 * die() - end QEMU, because the emulated CPU cannot go on
 * @why: the reason
 */
void die(const char *why)
{
	say("%s", why);
	/* Do not use exit(), because its handlers wait for this CPU */
	_exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Read the TSC and the time together. Of several readings, use the fastest. */
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

	for (cpu = cpus; cpu < cpus + MAX_CPUS; cpu++)
		log_flush(cpu);
}

/* Set a switch NAME=VALUE. Returns false if there is no such switch. */
static bool set_switch(const char *arg)
{
	static const struct {
		const char *name;
		unsigned int *value;
	} switches[] = {
		{ "once=", &unkind.once }, { "late=", &unkind.late },
		{ "counters=", &unkind.counters }, { "erratum=", &unkind.erratum },
		{ "mute=", &unkind.mute }, { "hybrid=", &unkind.hybrid },
		{ "lbr=", &unkind.lbr }, { "btf=", &unkind.btf },
		{ "mispredict=", &unkind.mispredict },
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
		if (!log_open(argv[i] + 4))
			return 1;
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
