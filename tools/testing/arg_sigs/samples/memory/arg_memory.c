// SPDX-License-Identifier: GPL-2.0
/*
 * Strings, numbers and objects in all kinds of memory
 *
 * The module calls memory_text(), memory_number(), memory_object() and memory_struct() with
 * addresses of memory and of other things. The comment after a call is the text that the
 * graph tracer has to show; ADDRESS is any address. A comment with "x86:" or "arm64:" is
 * only for this architecture. The module needs an e1000 without a driver, whose register ICR
 * is cleared by reading it.
 */
#include <linux/cpumask.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/pci.h>
#include <linux/percpu.h>
#include <linux/pgtable.h>
#include <linux/poison.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/set_memory.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include <asm/trace_readable.h>
#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/pgtable_types.h>
#include <asm/vsyscall.h>

/* Registers of a device, and a page of user space that is not the task's */
#define DEVICE		fix_to_virt(FIX_APIC_BASE)
#define NOBODYS		VSYSCALL_ADDR
#else
/* Nothing is mapped there */
#define DEVICE		fix_to_virt(FIX_EARLYCON_MEM_BASE)
#define NOBODYS		(VMALLOC_START - PAGE_SIZE)
#endif

/*
 * A bit of the kernel's addresses that no mapping has clear.  With tags in the memory's
 * addresses, the CPU ignores the bits of the top byte.
 */
#define WRONG_BIT	(IS_ENABLED(CONFIG_KASAN_HW_TAGS) || IS_ENABLED(CONFIG_KASAN_SW_TAGS) ? \
			 BIT(54) : BIT(62))

#define E1000_ICR	0xc0	/* causes of interrupts, cleared by reading it */
#define E1000_ICS	0xc8	/* sets the causes */
#define E1000_IMC	0xd8	/* masks all causes */

#define RACES		2000

noinline __noclone void memory_text(const char *a, const char *b)
{
	asm volatile("" : : "r" (a), "r" (b) : "memory");
}

noinline __noclone void memory_number(const u64 *a, int *b)
{
	asm volatile("" : : "r" (a), "r" (b) : "memory");
}

noinline __noclone void memory_object(const struct inode *a, struct file *b)
{
	asm volatile("" : : "r" (a), "r" (b) : "memory");
}

struct memory_struct { long v[3]; };

noinline __noclone void memory_struct(struct memory_struct a, long b)
{
	asm volatile("" : : "r" (b) : "memory");
}

noinline __noclone void memory_kinds(const bool *a, u8 *b, volatile short *c,
				     enum pid_type *d, gfp_t *e, char *f)
{
	asm volatile("" : : "r" (a), "r" (c), "r" (f) : "memory");
}

noinline __noclone ssize_t memory_fill(char *out, size_t size, ssize_t ret, char first)
{
	if (first)
		*out = first;
	barrier();
	return ret;
}

noinline __noclone struct inode *memory_found(void *found)
{
	barrier();
	return found;
}

noinline __noclone void memory_race(const char *a)
{
	asm volatile("" : : "r" (a) : "memory");
}

/* The pointers are on the stack after numbers, and are recorded in addition to the numbers */
noinline __noclone void memory_far(long a, long b, long c, long d, long e,
				   long f, int *g, loff_t *h)
{
	asm volatile("" : : "r" (a), "r" (g), "r" (h) : "memory");
}

/* The arguments on the stack follow a string, and are recorded in addition to the string */
noinline __noclone void memory_stack(const char *a, long b, long c, long d,
				     long e, long f, long g, long h)
{
	asm volatile("" : : "r" (a), "r" (g), "r" (h) : "memory");
}

/* A string in the module's code, which is never run: nopl (%rax) */
extern const char memory_code[];
asm(".pushsection .text\n\t"
    ".balign 8\n\t"
    ".globl memory_code\n"
    "memory_code:\n\t"
    ".byte 0x0f, 0x1f, 0\n\t"
    ".balign 8\n\t"
    ".popsection");

static DEFINE_PER_CPU(char, percpu_text[16]) = "per CPU";
static DEFINE_PER_CPU(int, percpu_number) = -3;
static DEFINE_PER_CPU(struct inode, percpu_inode);
static const u64 const_number = 4;
static struct super_block *object_sb;
static struct dentry *object_dentry;
static struct inode *object_inode;
static struct file *object_file;
static int number = -2;

#ifdef CONFIG_X86_64
static bool armed;

static int in_nmi_text(unsigned int cmd, struct pt_regs *regs)
{
	char text[] = "on the stack of NMIs";
	u64 local = 9;

	if (!READ_ONCE(armed))
		return NMI_DONE;
	WRITE_ONCE(armed, false);
	memory_text(text, (char *)current->mm->arg_start);
	memory_number(&local, (int *)current->mm->arg_start);
	memory_object(object_inode, object_file);
	return NMI_HANDLED;
}

static int call_in_nmi(void)
{
	int i, ret;

	ret = register_nmi_handler(NMI_LOCAL, in_nmi_text, 0, "arg_memory");
	if (ret)
		return ret;
	preempt_disable();
	WRITE_ONCE(armed, true);
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	for (i = 0; i < 1000000 && READ_ONCE(armed); i++)
		cpu_relax();
	preempt_enable();
	unregister_nmi_handler(NMI_LOCAL, "arg_memory");
	return armed ? -ETIMEDOUT : 0;
}

/*
 * A page is unmapped after the tracer has found it, and before the tracer reads it. The
 * probe unmaps the page when capture_readable() returns its address. The tracer looks at no
 * mapping of a page of the direct map, so call_without_mapping() has this case
 */
static unsigned long going;
static bool gone;

static int unmap_found(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long addr = READ_ONCE(going);
	unsigned int level;
	pte_t *pte;

	if (!addr || regs_return_value(regs) != addr)
		return 0;
	pte = lookup_address(addr, &level);
	if (!pte || level != PG_LEVEL_4K)
		return 0;
	set_pte(pte, __pte(pte_val(*pte) & ~_PAGE_PRESENT));
	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
	WRITE_ONCE(gone, true);
	return 0;
}

enum going { GOING_TEXT, GOING_NUMBER, GOING_OBJECT };

static int call_with_going(char *text, enum going what)
{
	struct inode *inode = (struct inode *)text;
	struct kretprobe probe = {
		.kp.symbol_name	= "capture_readable",
		.handler	= unmap_found,
	};
	unsigned int level;
	pte_t *pte;
	int ret;

	ret = register_kretprobe(&probe);
	if (ret)
		return ret;
	WRITE_ONCE(gone, false);
	WRITE_ONCE(going, what == GOING_OBJECT ? (unsigned long)&inode->i_ino :
						 (unsigned long)text);
	if (what == GOING_OBJECT)
		memory_object(inode, object_file);
	else if (what == GOING_NUMBER)
		memory_number((u64 *)text, &number);
	else
		memory_text(text, "still there");
	WRITE_ONCE(going, 0);
	unregister_kretprobe(&probe);
	if (!READ_ONCE(gone))
		return -ENXIO;
	pte = lookup_address((unsigned long)text, &level);
	set_pte(pte, __pte(pte_val(*pte) | _PAGE_PRESENT));
	return 0;
}

/* A page of RAM that is not in the direct map, such as a page of secretmem */
static int call_without_mapping(char *text)
{
	unsigned int level;
	pte_t *pte = lookup_address((unsigned long)text, &level);

	if (!pte || level != PG_LEVEL_4K)
		return -ENXIO;
	strscpy(text, "secret", PAGE_SIZE);
	set_pte(pte, __pte(pte_val(*pte) & ~_PAGE_PRESENT));
	asm volatile("invlpg (%0)" : : "r" (text) : "memory");
	memory_text(text, text + 3);
	memory_number((u64 *)text, (int *)(text - 2));
	memory_object((struct inode *)text, (struct file *)text);
	set_pte(pte, __pte(pte_val(*pte) | _PAGE_PRESENT));
	memory_text(text, text + 3);
	return 0;
}

/* The calls are listed where this function is called */
static int call_with_mappings(char *area, struct page *page)
{
	int ret;

	ret = call_in_nmi();
	if (ret)
		return ret;

	strscpy(area, "going", PAGE_SIZE);
	ret = call_with_going(area, GOING_TEXT);
	if (!ret)
		ret = call_with_going(area, GOING_NUMBER);
	if (!ret)
		ret = call_with_going(area, GOING_OBJECT);
	if (ret)
		return ret;
	/* Split the large mapping, so that the page has a mapping of its own */
	set_memory_uc((unsigned long)page_address(page), 1);
	set_memory_wb((unsigned long)page_address(page), 1);
	return call_without_mapping(page_address(page));
}
#else
/* arm64 reads pages through the linear map, whatever becomes of another mapping */
static int call_with_mappings(char *area, struct page *page)
{
	return 0;
}
#endif

/* Another CPU maps and unmaps the page that memory_race() is called with */
static struct page *race_page;
static char *race_text;
static unsigned int race_turns;

static int race_thread(void *data)
{
	while (!kthread_should_stop()) {
		char *text = vmap(&race_page, 1, VM_MAP, PAGE_KERNEL);

		if (!text)
			continue;
		WRITE_ONCE(race_text, text);
		WRITE_ONCE(race_turns, race_turns + 1);
		cpu_relax();
		vunmap(text);
		cond_resched();
	}
	return 0;
}

static int call_in_race(void)
{
	struct task_struct *thread;
	int i;

	race_page = alloc_page(GFP_KERNEL);
	if (!race_page)
		return -ENOMEM;
	strscpy(page_address(race_page), "mapped", PAGE_SIZE);
	thread = kthread_run(race_thread, NULL, "arg_memory");
	if (IS_ERR(thread)) {
		__free_page(race_page);
		return PTR_ERR(thread);
	}
	while (!READ_ONCE(race_text))
		cond_resched();
	for (i = 0; i < RACES; i++) {
		unsigned int turn = READ_ONCE(race_turns);

		/* Let the tasks take turns, independent of the emulation's turns of the CPUs */
		while (i % 8 == 0 && READ_ONCE(race_turns) == turn)
			cond_resched();
		memory_race(READ_ONCE(race_text));
	}
	kthread_stop(thread);
	__free_page(race_page);
	return 0;
}

/* Some members of objects are const */
static void set_pointer(const void *member, const void *pointer)
{
	*(const void **)member = pointer;
}

static void call_with_registers(struct pci_dev *pdev)
{
	resource_size_t size = pci_resource_len(pdev, 0);
	char __iomem *regs = pci_ioremap_bar(pdev, 0);
	u32 first, second;
	char *cached;

	if (!regs)
		return;
	writel(~0, regs + E1000_IMC);
	readl(regs + E1000_ICR);
	writel(4, regs + E1000_ICS);
	memory_text((__force char *)regs + E1000_ICR,
		    (__force char *)regs);	/* memory_text(a=ADDRESS, b=ADDRESS); */
	memory_number((__force u64 *)(regs + E1000_ICR),
		      (__force int *)(regs + E1000_ICR));	/* memory_number(a=&?, b=&?); */
	/* An object in the registers, and an object in memory that points to the registers */
	set_pointer(&object_file->f_path.dentry,
		    (__force char *)regs + E1000_ICR - offsetof(struct dentry, d_name.name));
	memory_object((__force void *)(regs + E1000_ICR - offsetof(struct inode, i_ino)),
		      object_file);	/* memory_object(a=ADDRESS{ino=?, ?}, b=ADDRESS{?}); */
	set_pointer(&object_file->f_path.dentry, object_dentry);
	first = readl(regs + E1000_ICR);
	second = readl(regs + E1000_ICR);
	writel(4, regs + E1000_ICS);
	iounmap(regs);
	pr_info("arg_memory: register %#x, then %#x\n", first, second);

	/* The registers are mapped like memory, but are not memory */
	cached = (__force char *)ioremap_cache(pci_resource_start(pdev, 0), size);
	if (!cached)
		return;
	memory_text(cached + E1000_ICR, cached);	/* memory_text(a=ADDRESS, b=ADDRESS); */
	memory_number((u64 *)(cached + E1000_ICR), (int *)(cached + E1000_ICR));	/* memory_number(a=&?, b=&?); */
	memory_fill(cached + E1000_ICR, 16, 4, 0);	/* memory_fill(out=ADDRESS, size=16, ret=4, first=0); -> ret=4 out=?; */
	iounmap((__force void __iomem *)cached);

	regs = pci_ioremap_bar(pdev, 0);
	if (!regs)
		return;
	first = readl(regs + E1000_ICR);
	pr_info("arg_memory: register %#x, mapped as memory\n", first);
	iounmap(regs);
}

/* Numbers at the end of a page, which another page or no page follows */
static void call_with_ends(char *area)
{
	u64 big = 0x1122334455667788;

	memcpy(area + PAGE_SIZE - 4, &big, sizeof(big));
	memory_number((u64 *)(area + PAGE_SIZE - 4),
		      (int *)(area + PAGE_SIZE - 2));	/* memory_number(a=&0x1122334455667788, b=&860116326); */
	memcpy(area + 2 * PAGE_SIZE - 8, &big, sizeof(big));
	memory_number((u64 *)(area + 2 * PAGE_SIZE - 8),
		      (int *)(area + 2 * PAGE_SIZE - 4));	/* memory_number(a=&0x1122334455667788, b=&287454020); */
	memory_number((u64 *)(area + 2 * PAGE_SIZE - 4),
		      (int *)(area + 2 * PAGE_SIZE - 3));	/* memory_number(a=&?, b=&?); */
	memory_number((u64 *)(area + 2 * PAGE_SIZE),
		      (int *)(area + 2 * PAGE_SIZE));	/* memory_number(a=&?, b=&?); */
}

static void call_with_numbers(char *slab, struct page *page)
{
	int local[3] = { 1, 2, 3 }, *shared;
	enum pid_type pids[] = { PIDTYPE_PGID };
	short half[] = { -300 };
	gfp_t gfp = GFP_KERNEL;
	u8 byte[] = { 0xfe };
	void *absent = (void *)NOBODYS;
	loff_t pos = 1LL << 40;
	bool yes = true;
	u64 seven = 7;

	memory_number(&const_number, &number);	/* memory_number(a=&4, b=&-2); */
	memory_number(&seven, &local[2]);	/* memory_number(a=&7, b=&3); */
	memory_number((u64 *)local, per_cpu_ptr(&percpu_number, 0));	/* memory_number(a=&0x200000001, b=&-3); */
	memcpy(slab, "\x05\0\0\0\0\0\0\0\x06", 9);
	memory_number((u64 *)slab, (int *)(slab + 5));	/* memory_number(a=&5, b=&100663296); */
	memory_number(NULL, ERR_PTR(-ENOENT));	/* memory_number(a=NULL, b=ERR_PTR(-ENOENT)); */
	/* Offsets to variables of each CPU look like addresses of user space */
	memory_number((u64 *)current->mm->arg_start,
		      (int *)TASK_SIZE_MAX);	/* memory_number(a=ADDRESS, b=&?); */
	memory_number((u64 *)(unsigned long)&percpu_number,
		      (int *)(unsigned long)&percpu_inode);	/* memory_number(a=ADDRESS, b=ADDRESS); */
	memory_number((u64 *)((unsigned long)slab & ~WRONG_BIT),
		      (int *)(current->mm->arg_start | BIT(60)));	/* x86: memory_number(a=&?, b=&?); */
	/* The bit is in the tag of an address of user space */
	/* arm64: memory_number(a=&?, b=ADDRESS); */
	memory_number((u64 *)DEVICE, (int *)NOBODYS);	/* memory_number(a=&?, b=&?); */
	memory_number(__va(0xf0000), (int *)1);	/* memory_number(a=&?, b=0x1); */
	memory_kinds(&yes, byte, half, pids, &gfp, slab);	/* memory_kinds(a=&true, b=&0xfe, c=&-300, d=&PIDTYPE_PGID, e=&GFP_KERNEL, f="\x05"); */
	memory_far(1, 2, 3, 4, 5, 6, &local[1], &pos);	/* memory_far(a=1, b=2, c=3, d=4, e=5, f=6, g=&2, h=&1099511627776); */

	/* Without an area of struct pages, a frame that is not there has no address */
	if (IS_ENABLED(CONFIG_SPARSEMEM_VMEMMAP))
		absent = pfn_to_page(BIT(32));
	set_page_private(page, 77);
	memory_number((u64 *)&page->private, absent);	/* memory_number(a=&0x4d, b=&?); */
	set_page_private(page, 0);

	*(int *)page_address(page) = 8;
	shared = vmap(&page, 1, VM_MAP, pgprot_writecombine(PAGE_KERNEL));
	if (!shared)
		return;
	memory_number((u64 *)shared, page_address(page));	/* memory_number(a=&?, b=&8); */
	vunmap(shared);
	memory_number((u64 *)shared, shared);	/* memory_number(a=&?, b=&?); */
}

/* arm64 passes the address of a record of more than 16 bytes */
static void call_with_records(char *area)
{
	void (*by_address)(const void *a, long b) = (void *)memory_struct;
	struct memory_struct *last = (void *)(area + 2 * PAGE_SIZE - sizeof(*last));

	memory_struct((struct memory_struct){ { 1, 2, 3 } }, 4);
	/* memory_struct(a={.v={1, 2, 3}}, b=4); */
	if (!IS_ENABLED(CONFIG_ARM64))
		return;
	memset(area, 0, 2 * PAGE_SIZE);
	last->v[2] = 7;
	by_address(last, 5);	/* arm64: memory_struct(a={.v={0, 0, 7}}, b=5); */
	by_address(area + PAGE_SIZE - 12, 6);	/* arm64: memory_struct(a={.v={0, 0, 0}}, b=6); */
	by_address(&last->v[1], 7);	/* arm64: memory_struct(a=?, b=?); */
	by_address(NULL, 8);	/* arm64: memory_struct(a=?, b=?); */
	by_address((void *)current->mm->arg_start, 9);	/* arm64: memory_struct(a=?, b=?); */
	by_address((void *)DEVICE, 10);	/* arm64: memory_struct(a=?, b=?); */
}

static void call_with_objects(char *area, char *unaligned)
{
	struct inode *inode;
	struct file *freed;
	void *gone;

	memory_object(object_inode, object_file);	/* memory_object(a=ADDRESS{ino=4711, sda1}, b=ADDRESS{object}); */
	memory_object(NULL, ERR_PTR(-ENOENT));	/* memory_object(a=NULL, b=ERR_PTR(-ENOENT)); */
	memory_object((struct inode *)current->mm->arg_start,
		      (struct file *)1);	/* memory_object(a=ADDRESS, b=0x1); */
	memory_object((struct inode *)(unsigned long)&percpu_inode,
		      (struct file *)((unsigned long)object_file & ~WRONG_BIT));	/* memory_object(a=ADDRESS, b=ADDRESS{?}); */
	memory_object(per_cpu_ptr(&percpu_inode, 0), __va(0xf0000));	/* memory_object(a=ADDRESS{ino=0, NULL}, b=ADDRESS{?}); */
	memcpy(unaligned + 3, object_inode, sizeof(*inode));
	memory_object((struct inode *)(unaligned + 3), (void *)NOBODYS);	/* memory_object(a=ADDRESS{ino=4711, sda1}, b=ADDRESS{?}); */

	/* The page ends within the number, after the number, and within the name */
	inode = (struct inode *)(area + 2 * PAGE_SIZE - offsetof(struct inode, i_ino) - 4);
	inode->i_sb = object_sb;
	memory_object(inode, object_file);	/* memory_object(a=ADDRESS{ino=?, sda1}, b=ADDRESS{object}); */
	inode = (struct inode *)(area + 2 * PAGE_SIZE - offsetof(struct inode, i_ino) - 8);
	inode->i_sb = object_sb;
	inode->i_ino = 9;
	set_pointer(&object_dentry->d_name.name, memcpy(area + PAGE_SIZE - 3, "two pages", 10));
	memory_object(inode, object_file);	/* memory_object(a=ADDRESS{ino=9, sda1}, b=ADDRESS{"two pages"}); */
	set_pointer(&object_dentry->d_name.name, memcpy(area + 2 * PAGE_SIZE - 3, "end", 3));
	memory_object(inode, object_file);	/* memory_object(a=ADDRESS{ino=7236832701905371145, sda1}, b=ADDRESS{end...}); */

	/* Invalid pointers */
	set_pointer(&object_dentry->d_name.name, (void *)current->mm->arg_start);
	set_pointer(&object_inode->i_sb, (char *)object_sb - WRONG_BIT);
	memory_object(object_inode, object_file);	/* memory_object(a=ADDRESS{ino=4711, ?}, b=ADDRESS{?}); */
	set_pointer(&object_dentry->d_name.name, NULL);
	set_pointer(&object_inode->i_sb, ERR_PTR(-EIO));
	memory_object(object_inode, object_file);	/* memory_object(a=ADDRESS{ino=4711, ?}, b=ADDRESS{NULL}); */
	set_pointer(&object_file->f_path.dentry, NULL);
	set_pointer(&object_inode->i_sb, (void *)(0UL - 100 * PAGE_SIZE));
	memory_object(object_inode, object_file);	/* memory_object(a=ADDRESS{ino=4711, ?}, b=ADDRESS{NULL}); */
	gone = vmalloc(PAGE_SIZE);
	vfree(gone);
	set_pointer(&object_file->f_path.dentry, gone);
	set_pointer(&object_inode->i_sb, NULL);
	memory_object(object_inode, object_file);	/* memory_object(a=ADDRESS{ino=4711, NULL}, b=ADDRESS{?}); */
	memory_object(gone, gone);	/* memory_object(a=ADDRESS{ino=?, ?}, b=ADDRESS{?}); */
	/* The object is freed and poisoned, so its pointers are invalid */
	freed = kmalloc(sizeof(*freed), GFP_KERNEL);
	if (freed) {
		memset(freed, POISON_FREE, sizeof(*freed));
		kfree(freed);
		memory_object(object_inode, freed);	/* memory_object(a=ADDRESS{ino=4711, NULL}, b=ADDRESS{?}); */
	}

	set_pointer(&object_dentry->d_name.name, "object");
	set_pointer(&object_file->f_path.dentry, object_dentry);
	object_inode->i_sb = object_sb;
}

noinline __noclone void memory_change(int *a, u64 *b, const int *c)
{
	put_unaligned(get_unaligned(a) + 1, a);
	put_unaligned(get_unaligned(b) + *c, b);
}

noinline __noclone void memory_freed(int *a, int *b)
{
	vfree(a);
	*b = *b;
	barrier();
}

/* Numbers that the call changes, and a number whose memory is freed */
static void call_with_changes(char *slab, char *area)
{
	int local = 1, same = 3, *gone = vmalloc(PAGE_SIZE);

	put_unaligned(5ULL, (u64 *)slab);
	memory_change(&local, (u64 *)slab, &same);	/* memory_change(a=&1, b=&5, c=&3); -> a=&2 b=&8; */
	put_unaligned(-1, (int *)(area + PAGE_SIZE - 2));
	put_unaligned(0ULL, (u64 *)(area + 2 * PAGE_SIZE - 8));
	memory_change((int *)(area + PAGE_SIZE - 2),
		      (u64 *)(area + 2 * PAGE_SIZE - 8), &same);	/* memory_change(a=&-1, b=&0, c=&3); -> a=&0 b=&3; */
	number = 7;
	same = 0;
	memory_change(&number, (u64 *)slab, &same);	/* memory_change(a=&7, b=&8, c=&0); -> a=&8; */
	number = -2;
	if (gone) {
		*gone = 9;
		memory_freed(gone, &local);	/* memory_freed(a=&9, b=&2); -> a=&?; */
	}
}

/* Results of calls: buffers with the returned number of bytes, and objects */
static void call_with_results(char *slab, char *area)
{
	void *gone = vmalloc(PAGE_SIZE);

	memcpy(slab, "text\0of a buffer", 16);
	memory_fill(slab, 16, 4, 'T');	/* memory_fill(out=ADDRESS, size=16, ret=4, first='T'); -> ret=4 out="Text"; */
	memory_fill(slab, 16, 16, 0);	/* memory_fill(out=ADDRESS, size=16, ret=16, first=0); -> ret=16 out="Text\x00of a buffer"; */
	memory_fill(slab, 16, 17, 0);	/* memory_fill(out=ADDRESS, size=16, ret=17, first=0); -> ret=17; */
	memory_fill(slab, 16, 0, 0);	/* memory_fill(out=ADDRESS, size=16, ret=0, first=0); -> ret=0; */
	memory_fill(slab, 16, -EIO, 0);	/* memory_fill(out=ADDRESS, size=16, ret=-5, first=0); -> ret=-5 (-EIO); */
	memory_fill(NULL, 16, 4, 0);	/* memory_fill(out=NULL, size=16, ret=4, first=0); -> ret=4; */
	memory_fill(ERR_PTR(-EIO), 16, 4, 0);	/* memory_fill(out=ERR_PTR(-EIO), size=16, ret=4, first=0); -> ret=4 out=?; */
	memset(slab, 'a', 100);
	memory_fill(slab, 200, 64, 0);	/* memory_fill(out=ADDRESS, size=200, ret=64, first=0); -> ret=64 out="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; */
	memory_fill(slab, 200, 65, 0);	/* memory_fill(out=ADDRESS, size=200, ret=65, first=0); -> ret=65 out="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"...; */
	memcpy(area + 2 * PAGE_SIZE - 4, "end!", 4);
	memory_fill(area + 2 * PAGE_SIZE - 4, 16, 8, 0);	/* memory_fill(out=ADDRESS, size=16, ret=8, first=0); -> ret=8 out="end!"...; */
	memory_fill(area + 2 * PAGE_SIZE, 16, 8, 0);	/* memory_fill(out=ADDRESS, size=16, ret=8, first=0); -> ret=8 out=?; */
	memory_fill((char *)current->mm->arg_start, 16, 6, 0);	/* memory_fill(out=ADDRESS, size=16, ret=6, first=0); -> ret=6 out="insmod"; */

	memory_found(object_inode);	/* memory_found(found=ADDRESS); -> ret=ADDRESS{ino=4711, sda1}; */
	memory_found(NULL);	/* memory_found(found=NULL); -> ret=NULL; */
	memory_found(ERR_PTR(-ENOENT));	/* memory_found(found=ERR_PTR(-ENOENT)); -> ret=ERR_PTR(-ENOENT); */
	memory_found((void *)current->mm->arg_start);	/* memory_found(found=ADDRESS); -> ret=ADDRESS; */
	vfree(gone);
	memory_found(gone);	/* memory_found(found=ADDRESS); -> ret=ADDRESS{ino=?, ?}; */
}

static bool make_objects(void)
{
	object_sb = kzalloc(sizeof(*object_sb), GFP_KERNEL);
	object_dentry = kzalloc(sizeof(*object_dentry), GFP_KERNEL);
	object_inode = kzalloc(sizeof(*object_inode), GFP_KERNEL);
	object_file = kzalloc(sizeof(*object_file), GFP_KERNEL);
	if (!object_sb || !object_dentry || !object_inode || !object_file)
		return false;
	strscpy(object_sb->s_id, "sda1", sizeof(object_sb->s_id));
	set_pointer(&object_dentry->d_name.name, "object");
	set_pointer(&object_file->f_path.dentry, object_dentry);
	object_inode->i_sb = object_sb;
	object_inode->i_ino = 4711;
	return true;
}

static int __init arg_memory_init(void)
{
	char text[] = "on the stack", *slab, *area, *shared;
	struct pci_dev *pdev;
	unsigned long bad = 0, word = 0;
	struct page *page;
	int ret = -ENOMEM;

	pdev = pci_get_device(PCI_VENDOR_ID_INTEL, 0x100e, NULL);
	if (!pdev || pci_enable_device(pdev))
		return -ENODEV;
	slab = kzalloc(PAGE_SIZE, GFP_KERNEL);
	area = vmalloc(2 * PAGE_SIZE);
	page = alloc_page(GFP_KERNEL);
	if (!slab || !area || !page || !make_objects())
		goto out;

	call_with_registers(pdev);
	call_with_ends(area);
	call_with_numbers(slab, page);
	call_with_records(area);
	call_with_objects(area, slab + 16);
	call_with_changes(slab, area);
	call_with_results(slab, area);
	strscpy(slab, "in a slab", 16);
	memory_text("in the module", text);	/* memory_text(a="in the module", b="on the stack"); */
	memory_text(slab, per_cpu_ptr(percpu_text, 0));	/* memory_text(a="in a slab", b="per CPU"); */
	memory_text(init_task.comm, current->comm);	/* memory_text(a="swapper/0", b="insmod"); */
	memory_text(memory_code, (char *)current->mm->arg_start);	/* memory_text(a="\x0f\x1f", b="insmod"); */
	memory_stack(text, 1, 2, 3, 4, 5, 6, 7);	/* memory_stack(a="on the stack", b=1, c=2, d=3, e=4, f=5, g=6, h=7); */

	strscpy(area + PAGE_SIZE - 4, "across two pages", 32);
	memory_text(area + PAGE_SIZE - 4, area + PAGE_SIZE);	/* memory_text(a="across two pages", b="ss two pages"); */
	memcpy(area + 2 * PAGE_SIZE - 8, "the end", 8);
	memory_text(area + 2 * PAGE_SIZE - 8, area + 2 * PAGE_SIZE);	/* memory_text(a="the end", b=ADDRESS); */
	memcpy(area + 2 * PAGE_SIZE - 8, "no end!!", 8);
	memory_text(area + 2 * PAGE_SIZE - 8, area + 2 * PAGE_SIZE - 1);	/* memory_text(a="no end!!"..., b="!"...); */

	/* RAM that is not mapped write-back, and a page of the BIOS that is mapped write-back */
	strscpy(page_address(page), "in a page", PAGE_SIZE);
	shared = vmap(&page, 1, VM_MAP, pgprot_writecombine(PAGE_KERNEL));
	if (!shared)
		goto out;
	memory_text(shared, page_address(page));	/* memory_text(a=ADDRESS, b="in a page"); */
	vunmap(shared);
	memory_text(shared, __va(0xf0000));	/* memory_text(a=ADDRESS, b=ADDRESS); */
	/* Addresses of the direct map and of user space that one wrong bit makes not canonical */
	memory_text((char *)((unsigned long)slab & ~WRONG_BIT),
		    (char *)(current->mm->arg_start | BIT(60)));	/* x86: memory_text(a=ADDRESS, b=ADDRESS); */
	/* arm64: memory_text(a=ADDRESS, b="insmod"); */
	memory_text((char *)DEVICE, (char *)NOBODYS);	/* memory_text(a=ADDRESS, b=ADDRESS); */

	/* x86: memory_text(a="on the stack of NMIs", b="insmod"); */
	/* x86: memory_number(a=&9, b=ADDRESS); */
	/* x86: memory_object(a=ADDRESS{ino=4711, sda1}, b=ADDRESS{object}); */
	/* x86: memory_text(a=ADDRESS, b="still there"); */
	/* x86: memory_number(a=&?, b=&-2); */
	/* x86: memory_object(a=ADDRESS{ino=?, ?}, b=ADDRESS{object}); */
	/* x86: memory_text(a=ADDRESS, b=ADDRESS); */
	/* x86: memory_number(a=&?, b=&?); */
	/* x86: memory_object(a=ADDRESS{ino=?, ?}, b=ADDRESS{?}); */
	/* x86: memory_text(a="secret", b="ret"); */
	ret = call_with_mappings(area, page);
	if (ret)
		goto out;

	/* Read unmapped memory, because nothing is mapped below vmalloc's first address */
	trace_read_word(&word, (void *)(VMALLOC_START - sizeof(word)), &bad);
	pr_info("arg_memory: a word that is not there is read: %d\n", !bad);
	ret = call_in_race();
	if (!ret)
		ret = -EAGAIN;	/* nothing is left to unload */
out:
	if (page)
		__free_page(page);
	vfree(area);
	kfree(slab);
	kfree(object_file);
	kfree(object_inode);
	kfree(object_dentry);
	kfree(object_sb);
	pci_disable_device(pdev);
	pci_dev_put(pdev);
	return ret;
}
module_init(arg_memory_init);

MODULE_DESCRIPTION("Strings and numbers in all kinds of memory");
MODULE_LICENSE("GPL");
