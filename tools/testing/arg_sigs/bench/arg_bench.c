// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a traced call
 *
 * When the module is loaded, it calls small functions many times each, and prints the
 * duration of one call in hundredths of nanoseconds.  With QEMU's -icount shift=0 a
 * nanosecond is an instruction.  Some functions are in the image, and have no to six
 * arguments.  The module's own functions have arguments on the stack, a structure
 * between other arguments, a parameter that the compiler removed, the parameters of a
 * system call, a string of 16 bytes in different memory, or pointers to numbers and to
 * objects.  One function returns two registers.
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#ifdef CONFIG_X86_64
#include <asm/msr.h>
#endif

#define CALLS	10000

struct bench_pair {
	long	a;
	long	b;
};

struct bench_large {
	long	a;
	long	b;
	long	c;
};

/* A function with the parameters that follow its returned value */
#define BENCH_FUNCTION(name, ret, ...)					\
	noinline __noclone int bench_##name(__VA_ARGS__)		\
	{								\
		barrier();						\
		return ret;						\
	}

BENCH_FUNCTION(module, a + b, long a, long b)
BENCH_FUNCTION(stack, g + h, long a, long b, long c, long d, long e, long f, long g, long h)
BENCH_FUNCTION(struct, a + b.c + c, long a, struct bench_large b, long c)

/* The compiler makes a clone without @unused of this function */
static noinline int bench_clone(long a, long unused, long b)
{
	barrier();
	return a + b;
}

#ifdef CONFIG_X86_64
#define sys_bench		__x64_sys_bench
#define FIRST_ARGUMENT(ptregs)	((ptregs)->di)
#else
#define sys_bench		__arm64_sys_bench
#define FIRST_ARGUMENT(ptregs)	((ptregs)->regs[0])
#endif

/* The function has the parameters of close() */
__visible noinline long sys_bench(const struct pt_regs *regs);
static long __se_sys_bench(unsigned long fd);
static inline long __do_sys_bench(unsigned int fd);
noinline __noclone long sys_bench(const struct pt_regs *regs)
{
	return __se_sys_bench(FIRST_ARGUMENT(regs));
}

static long __se_sys_bench(unsigned long fd)
{
	return __do_sys_bench((unsigned int)fd);
}

static inline long __do_sys_bench(unsigned int fd)
{
	barrier();
	return fd;
}

BENCH_FUNCTION(text_module, !text, const char *text)
BENCH_FUNCTION(text_slab, !text, const char *text)
BENCH_FUNCTION(text_user, !text, const char *text)
BENCH_FUNCTION(number_module, !number, const long *number)
BENCH_FUNCTION(number_stack, !number, const long *number)
BENCH_FUNCTION(number_slab, !number, const long *number)
BENCH_FUNCTION(number_user, !number, const long *number)
BENCH_FUNCTION(numbers_stack, !a, const long *a, const long *b)
BENCH_FUNCTION(numbers_slab, !a, const long *a, const long *b)
/* One member distinguishes the objects: a number, and a text after two pointers */
BENCH_FUNCTION(object_slab, !iter, const struct iov_iter *iter)
BENCH_FUNCTION(objects_slab, !a, const struct iov_iter *a, const struct iov_iter *b)
BENCH_FUNCTION(object_text_slab, !file, const struct file *file)

/*
 * Functions with results: an object that one number distinguishes, and a buffer of 16
 * bytes
 */
noinline __noclone struct iov_iter *bench_found(void *iter)
{
	barrier();
	return iter;
}

noinline __noclone ssize_t bench_fill(char *buf, size_t size)
{
	barrier();
	return 16;
}

noinline __noclone struct bench_pair bench_pair(long a)
{
	barrier();
	return (struct bench_pair){ a, a };
}

static char *only = "";
module_param(only, charp, 0);
MODULE_PARM_DESC(only, "the one function to call");

/* An emulated CPU begins and ends a count at this instruction, which does nothing */
static __always_inline void mark(void)
{
#ifdef CONFIG_X86_64
	asm volatile("xchg %%bx, %%bx" : : : "memory");
#endif
}

/* The TSC has a frequency of 1 GHz.  arm64's counter is 16 times slower. */
static __always_inline u64 bench_clock(void)
{
#ifdef CONFIG_X86_64
	return rdtsc_ordered();
#else
	return ktime_get_raw_fast_ns();
#endif
}

static bool is_wanted(const char *name)
{
	return !*only || !strcmp(only, name);
}

#define BENCH(name, call)						\
({									\
	const char *_name = (name);					\
	unsigned long flags;						\
	u64 begin, end;							\
	int i;								\
									\
	if (is_wanted(_name)) {						\
		/* An event costs more while a reschedule is pending */	\
		schedule();						\
		local_irq_save(flags);					\
		mark();							\
		begin = bench_clock();					\
		for (i = 0; i < CALLS; i++)				\
			call;						\
		end = bench_clock();					\
		mark();							\
		local_irq_restore(flags);				\
		pr_info("arg_bench %s %llu\n", _name,			\
			div_u64((end - begin) * 100, CALLS));		\
	}								\
})

static const char bench_string[] = "a text, 16 bytes";
static long bench_number = 1;

/* What the arguments point to in the direct map */
struct bench_slab {
	char		text[32];
	struct file	file;
	struct dentry	dentry;
	struct iov_iter	iter;
	void		*last;	/* allocated before, and not mapped by a huge page */
};

/* Whether the memory is in small pages of the direct map, as far as this can be chosen */
static bool bench_is_small(const void *slab)
{
#ifdef CONFIG_X86_64
	unsigned int level;

	lookup_address((unsigned long)slab, &level);
	return level == PG_LEVEL_4K;
#else
	return false;
#endif
}

/*
 * Allocate memory that a huge page of the direct map maps.  The tracer takes more
 * instructions to find a small page, and the kernel splits huge pages as it likes.
 */
static struct bench_slab *bench_alloc_slab(void)
{
	struct bench_slab *slab, *last = NULL;

	do {
		slab = kzalloc(PMD_SIZE, GFP_KERNEL | __GFP_NOWARN);
		if (!slab)
			break;
		slab->last = last;
		last = slab;
	} while (bench_is_small(slab));
	return last;
}

static void bench_free_slab(struct bench_slab *slab)
{
	struct bench_slab *last;

	for (; slab; slab = last) {
		last = slab->last;
		kfree(slab);
	}
}

static int __init arg_bench_init(void)
{
	unsigned long zero = 0, user;
	long number = bench_number;
	struct bench_slab *memory;
	struct timespec64 ts;
	struct iov_iter *iter;
	struct file *file;
	char *slab;

	memory = bench_alloc_slab();
	user = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_ANONYMOUS | MAP_PRIVATE, 0);
	if (!memory || IS_ERR_VALUE(user) ||
	    copy_to_user((void __user *)user, bench_string, sizeof(bench_string)))
		goto out;
	slab = memory->text;
	file = &memory->file;
	iter = &memory->iter;
	strscpy(slab, bench_string, sizeof(memory->text));
	/* Some of these are const */
	*(const void **)&memory->dentry.d_name.name = slab;
	*(const void **)&file->f_path.dentry = &memory->dentry;

	OPTIMIZER_HIDE_VAR(zero);
	BENCH("ktime_get_seconds/0", ktime_get_seconds());
	BENCH("int_sqrt/1", int_sqrt(zero));
	BENCH("int_pow/2", int_pow(zero, zero));
	BENCH("set_normalized_timespec64/3",
	      set_normalized_timespec64(&ts, zero, zero));
	BENCH("mktime64/6", mktime64(zero, zero, zero, zero, zero, zero));
	BENCH("bench_module/2", bench_module(zero, zero));
	BENCH("bench_stack/8",
	      bench_stack(zero, zero, zero, zero, zero, zero, zero, zero));
	BENCH("bench_struct/5",
	      bench_struct(zero, (struct bench_large){ zero }, zero));
	BENCH("bench_clone/3", bench_clone(zero, zero, zero));
	BENCH(__stringify(sys_bench) "/1", sys_bench(task_pt_regs(current)));
	BENCH("bench_text_module/1", bench_text_module(bench_string));
	BENCH("bench_text_slab/1", bench_text_slab(slab));
	BENCH("bench_text_user/1", bench_text_user((const char *)user));
	BENCH("bench_number_module/1", bench_number_module(&bench_number));
	BENCH("bench_number_stack/1", bench_number_stack(&number));
	BENCH("bench_number_slab/1", bench_number_slab((const long *)slab));
	BENCH("bench_number_user/1", bench_number_user((const long *)user));
	BENCH("bench_numbers_stack/2", bench_numbers_stack(&number, &number));
	BENCH("bench_numbers_slab/2",
	      bench_numbers_slab((const long *)slab, (const long *)slab));
	BENCH("bench_object_slab/1", bench_object_slab(iter));
	BENCH("bench_objects_slab/2", bench_objects_slab(iter, iter));
	BENCH("bench_object_text_slab/1", bench_object_text_slab(file));
	BENCH("bench_found/1", bench_found(iter));
	BENCH("bench_fill/2", bench_fill(slab, 32));
	BENCH("bench_pair/1", bench_pair(zero));
out:
	bench_free_slab(memory);
	return -EAGAIN;		/* nothing is left to unload */
}
module_init(arg_bench_init);

MODULE_DESCRIPTION("Cost of a traced call");
MODULE_LICENSE("GPL");
