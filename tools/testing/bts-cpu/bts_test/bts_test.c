// SPDX-License-Identifier: GPL-2.0
/*
 * A client of Branch Trace Store that records everything, kernel and user
 *
 * The module is not part of any tracer. It writes the MSRs itself, so perf must not use
 * BTS meanwhile. The CPU writes to the buffer, and raises no interrupt. The folder
 * bts_test of debugfs has:
 *
 *	ctl		"on BITS" starts all CPUs with empty buffers; BITS are the bits of
 *			IA32_DEBUGCTL except TR and BTS, in hexadecimal; "off" stops the
 *			CPUs
 *	records<CPU>	the records of a CPU so far, 24 bytes each
 *	text		the memory from the parameter start to the parameter end
 */

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <asm/msr.h>

#define MAX_CPUS	8
#define RECORD_SIZE	24
#define RECORDS		3000000
#define DEBUGCTL_ON	(DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS)

static unsigned long start;
module_param(start, ulong, 0444);
MODULE_PARM_DESC(start, "address of the kernel's first instruction");

static unsigned long end;
module_param(end, ulong, 0444);
MODULE_PARM_DESC(end, "address behind its last one");

/* The beginning of the debug store management area, 64-bit format */
struct bts_area {
	u64 base;
	u64 index;
	u64 max;
	u64 threshold;
	u64 others[16];
};

static struct {
	struct bts_area *area;
	struct debugfs_blob_wrapper records;	/* the used part of the buffer */
	u64 old_area;
} cpus[MAX_CPUS];

static struct debugfs_blob_wrapper text;
static struct dentry *dir;
static bool on;

/* These functions use only interfaces that all kernels have */
static u64 read_msr(u32 msr)
{
	u32 low, high;

	rdmsr(msr, low, high);
	return (u64)high << 32 | low;
}

static void write_msr(u32 msr, u64 val)
{
	wrmsr(msr, (u32)val, (u32)(val >> 32));
}

static void bts_start(void *bits)
{
	unsigned int cpu = smp_processor_id();
	u64 debugctl;

	cpus[cpu].old_area = read_msr(MSR_IA32_DS_AREA);
	write_msr(MSR_IA32_DS_AREA, (unsigned long)cpus[cpu].area);
	debugctl = read_msr(MSR_IA32_DEBUGCTLMSR);
	write_msr(MSR_IA32_DEBUGCTLMSR, debugctl | DEBUGCTL_ON | *(unsigned long *)bits);
}

static void bts_stop(void *unused)
{
	int cpu = smp_processor_id();
	u64 debugctl;

	debugctl = read_msr(MSR_IA32_DEBUGCTLMSR);
	debugctl &= ~(DEBUGCTL_ON | DEBUGCTLMSR_BTS_OFF_OS | DEBUGCTLMSR_BTS_OFF_USR);
	write_msr(MSR_IA32_DEBUGCTLMSR, debugctl);
	cpus[cpu].records.size = cpus[cpu].area->index - cpus[cpu].area->base;
	write_msr(MSR_IA32_DS_AREA, cpus[cpu].old_area);
}

static ssize_t ctl_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	unsigned long bits;
	struct bts_area *a;
	char text[32];
	int cpu;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, from, count))
		return -EFAULT;
	text[count] = '\0';
	if (on) {
		on = false;
		on_each_cpu(bts_stop, NULL, 1);
	}
	if (sscanf(text, "on %lx", &bits) == 1) {
		for_each_online_cpu(cpu) {
			a = cpus[cpu].area;
			a->index = a->base;
			cpus[cpu].records.size = 0;
		}
		on = true;
		on_each_cpu(bts_start, &bits, 1);
	}
	return count;
}

static const struct file_operations ctl_fops = {
	.open	= simple_open,
	.write	= ctl_write,
};

static void bts_free(void)
{
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		vfree(cpus[cpu].records.data);
		vfree(cpus[cpu].area);
	}
}

static int bts_alloc(int cpu)
{
	struct bts_area *a;

	a = vzalloc(PAGE_SIZE);
	cpus[cpu].area = a;
	cpus[cpu].records.data = vzalloc(RECORDS * RECORD_SIZE);
	if (!a || !cpus[cpu].records.data)
		return -ENOMEM;
	a->base = (unsigned long)cpus[cpu].records.data;
	a->index = a->base;
	a->max = a->base + RECORDS * RECORD_SIZE;
	/* The CPU never reaches the threshold */
	a->threshold = a->max + RECORD_SIZE;
	return 0;
}

static int __init bts_test_init(void)
{
	char name[16];
	int ret = 0;
	long cpu;

	if (nr_cpu_ids > MAX_CPUS)
		return -EINVAL;
	for_each_online_cpu(cpu)
		ret = ret ?: bts_alloc(cpu);
	if (ret) {
		bts_free();
		return ret;
	}

	dir = debugfs_create_dir("bts_test", NULL);
	for_each_online_cpu(cpu) {
		scnprintf(name, sizeof(name), "records%ld", cpu);
		debugfs_create_blob(name, 0400, dir, &cpus[cpu].records);
	}
	debugfs_create_file("ctl", 0200, dir, NULL, &ctl_fops);
	text.data = (void *)start;
	text.size = end - start;
	debugfs_create_blob("text", 0400, dir, &text);
	return 0;
}
module_init(bts_test_init);

static void __exit bts_test_exit(void)
{
	debugfs_remove(dir);
	if (on)
		on_each_cpu(bts_stop, NULL, 1);
	bts_free();
}
module_exit(bts_test_exit);

MODULE_DESCRIPTION("A client of Branch Trace Store that records everything");
MODULE_LICENSE("GPL");
