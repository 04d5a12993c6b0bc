// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of the last branch records (LBR) of Skylake
 *
 * The module writes the MSRs itself, so perf must not use LBR meanwhile. The folder
 * lbr_test of debugfs has these files. ctl applies to the CPU of the writer:
 *
 *	ctl		"reset SELECT" writes SELECT to MSR_LBR_SELECT, and values to the
 *			other registers that no branch has, see lbr_reset(); "on SELECT"
 *			does the same, and sets LBR; "off" clears LBR, and reads the records;
 *			"loop SELECT TURNS" does all of this around lbr_test_loop(), and
 *			"idle TURNS" calls this function with LBR clear. SELECT is in
 *			hexadecimal
 *	ring		the last read records: the value of MSR_LBR_SELECT, and of
 *			MSR_LBR_TOS, then a line for each record: its number, MSR_LBR_FROM,
 *			MSR_LBR_TO, MSR_LBR_INFO, all but the number in hexadecimal
 *	text		the module's code
 *	start		the code's address, in decimal
 */

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/msr.h>

#define LBR_RECORDS	32

asmlinkage void lbr_test_loop(unsigned long turns);

/* The last read registers */
static struct {
	u64 select;
	u64 tos;
	u64 from[LBR_RECORDS];
	u64 to[LBR_RECORDS];
	u64 info[LBR_RECORDS];
} lbr;

static struct debugfs_blob_wrapper text;
static unsigned long start;
static struct dentry *dir;

/* These functions use only interfaces that all kernels have */
static __always_inline u64 read_msr(u32 msr)
{
	u32 low, high;

	rdmsr(msr, low, high);
	return (u64)high << 32 | low;
}

static __always_inline void write_msr(u32 msr, u64 val)
{
	wrmsr(msr, (u32)val, (u32)(val >> 32));
}

static void lbr_reset(u64 select)
{
	unsigned int i;

	write_msr(MSR_LBR_SELECT, select);
	write_msr(MSR_LBR_TOS, 5);
	for (i = 0; i < LBR_RECORDS; i++) {
		write_msr(MSR_LBR_NHM_FROM + i, 0x1000 + i);
		write_msr(MSR_LBR_NHM_TO + i, 0x2000 + i);
		write_msr(MSR_LBR_INFO_0 + i, 0x3000 + i);
	}
}

static __always_inline void lbr_on(void)
{
	write_msr(MSR_IA32_DEBUGCTLMSR, read_msr(MSR_IA32_DEBUGCTLMSR) | DEBUGCTLMSR_LBR);
}

static __always_inline void lbr_off(void)
{
	write_msr(MSR_IA32_DEBUGCTLMSR, read_msr(MSR_IA32_DEBUGCTLMSR) & ~DEBUGCTLMSR_LBR);
}

static void lbr_read(void)
{
	unsigned int i;

	lbr.select = read_msr(MSR_LBR_SELECT);
	lbr.tos = read_msr(MSR_LBR_TOS);
	for (i = 0; i < LBR_RECORDS; i++) {
		lbr.from[i] = read_msr(MSR_LBR_NHM_FROM + i);
		lbr.to[i] = read_msr(MSR_LBR_NHM_TO + i);
		lbr.info[i] = read_msr(MSR_LBR_INFO_0 + i);
	}
}

static ssize_t ctl_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	unsigned long flags, turns;
	ssize_t ret = count;
	char line[64];
	u64 select;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, count))
		return -EFAULT;
	line[count] = '\0';

	local_irq_save(flags);
	if (sscanf(line, "reset %llx", &select) == 1) {
		lbr_reset(select);
	} else if (sscanf(line, "on %llx", &select) == 1) {
		lbr_reset(select);
		lbr_on();
	} else if (!strcmp(strim(line), "off")) {
		lbr_off();
		lbr_read();
	} else if (sscanf(line, "loop %llx %lu", &select, &turns) == 2 && turns) {
		lbr_reset(select);
		lbr_on();
		lbr_test_loop(turns);
		lbr_off();
		lbr_read();
	} else if (sscanf(line, "idle %lu", &turns) == 1 && turns) {
		lbr_test_loop(turns);
		lbr_read();
	} else {
		ret = -EINVAL;
	}
	local_irq_restore(flags);
	return ret;
}

static const struct file_operations ctl_fops = {
	.open	= simple_open,
	.write	= ctl_write,
};

static int ring_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	seq_printf(m, "select %llx\n", lbr.select);
	seq_printf(m, "tos %llx\n", lbr.tos);
	for (i = 0; i < LBR_RECORDS; i++)
		seq_printf(m, "%u %llx %llx %llx\n", i, lbr.from[i], lbr.to[i], lbr.info[i]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ring);

static int __init lbr_test_init(void)
{
	text.data = THIS_MODULE->mem[MOD_TEXT].base;
	start = (unsigned long)text.data;
	text.size = THIS_MODULE->mem[MOD_TEXT].size;

	dir = debugfs_create_dir("lbr_test", NULL);
	debugfs_create_file("ctl", 0200, dir, NULL, &ctl_fops);
	debugfs_create_file("ring", 0400, dir, NULL, &ring_fops);
	debugfs_create_blob("text", 0400, dir, &text);
	debugfs_create_ulong("start", 0400, dir, &start);
	return 0;
}
module_init(lbr_test_init);

static void __exit lbr_test_exit(void)
{
	debugfs_remove(dir);
}
module_exit(lbr_test_exit);

MODULE_DESCRIPTION("A reader of the last branch records");
MODULE_LICENSE("GPL");
