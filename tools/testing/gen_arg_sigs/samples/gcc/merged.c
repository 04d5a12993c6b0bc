// SPDX-License-Identifier: GPL-2.0
/* What gcc makes of functions with the same code besides aliases and wrappers, see twins.c */
struct two { long *p; int q; };
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
};

long merged_other(long a);
long merged_both(long a, long b);
extern long merged_sink;

#define TAIL(a, b, n) \
	merged_other(7); \
	merged_other(n); \
	while (merged_other(b) > 5) \
		merged_other(merged_other(9)); \
	merged_sink += (long)a; \
	if (merged_other(10)) \
		merged_other(merged_other(merged_other(11))); \
	while (merged_other(b) > 5) \
		merged_other(merged_other(n)); \
	merged_both((long)a + b, 3 + n)

/* The parts behind the conditions are merged, and have a clone without the constant */
static void merged_clone(char *a, int b, int c)
{
	if (b < 100)
		return;
	TAIL(a, b, c);
}

static void merged_clone_too(struct two *a, int b, int c)
{
	if (!a)
		return;
	TAIL(a, b, c);
}

/* The merged parts pass the first parameter, and the second one */
void merged_part(char *name, struct two *two, int n)
{
	if (!two)
		return;
	TAIL(name, n, 8);
}

void merged_part_too(char *name, struct two *two, int n)
{
	if (!name)
		return;
	TAIL(two, n, 8);
}

#define CALL(a, b) \
	merged_sink += (long)a; \
	while (merged_both(b, 3) > 4) \
		merged_both(merged_sink, merged_both(1, b)); \
	if (merged_both((long)a, 3) > 5) \
		merged_both(merged_both(b + 4, 3), 8); \
	return merged_both((long)a + b, 3) + 15

/* The second function is a jump that gcc inlines, and has no code */
static long merged_call(char *a, int b)
{
	CALL(a, b);
}

static long merged_call_too(struct two *a, int b)
{
	CALL(a, b);
}

static long merged_each(long (*fn)(char *, int), char *x, int n)
{
	long ret = 0;
	int i;

	for (i = 0; i < n; i++) {
		if (merged_other(i) > 5)
			ret |= fn(x, i);
		else
			merged_other(ret + 5);
		while (merged_other(3))
			merged_other(merged_other(6));
	}
	return ret;
}

static long merged_each_too(long (*fn)(struct two *, int), struct two *x, int n)
{
	long ret = 0;
	int i;

	for (i = 0; i < n; i++) {
		if (merged_other(i) > 5)
			ret |= fn(x, i + 7);
		else
			merged_other(ret + 55);
		while (merged_other(3))
			merged_other(merged_other(66));
	}
	return ret;
}

/* The symbols are not the names of the functions, or one of several */
long merged_asm(char *a, int b) asm("merged_in_asm");
long merged_asm_too(struct two *a, int b) asm("merged_too_in_asm");

#define BODY(n) \
	merged_sink = (long)a; \
	while (merged_other(b) > n) \
		merged_other(merged_sink + merged_other(15)); \
	if (merged_other((long)a) > 5) \
		merged_other(merged_other(b + 4)); \
	return merged_other((long)a + b) + n

long merged_asm(char *a, int b)
{
	BODY(21);
}

long merged_asm_too(struct two *a, int b)
{
	BODY(21);
}

long merged_named(char *a, int b)
{
	BODY(22);
}

long merged_named_too(struct two *a, int b)
{
	BODY(22);
}

long merged_alias(struct two *a, int b) __attribute__((alias("merged_named_too")));

/* The stubs of two system calls */
#define SYSCALL(ptr, len) \
	while (merged_other(len) > 5) \
		merged_other(merged_other(7)); \
	if (merged_other(8)) \
		merged_other(merged_other(9)); \
	return merged_both((long)ptr, len)

static inline __attribute__((always_inline))
long __do_sys_merged(const char *name, unsigned long flags)
{
	SYSCALL(name, flags);
}

static inline __attribute__((always_inline))
long __do_sys_merged_too(struct two *addr, unsigned long len)
{
	SYSCALL(addr, len);
}

long __x64_sys_merged(const struct pt_regs *regs)
{
	return __do_sys_merged((const char *)regs->di, regs->si);
}

long __x64_sys_merged_too(const struct pt_regs *regs)
{
	return __do_sys_merged_too((struct two *)regs->di, regs->si);
}

long merged_first(char *p, struct two *two, int n)
{
	merged_other(1);
	merged_clone(p, n, 4);
	merged_other(2);
	merged_other(3);
	merged_clone(p, n + 4, 4);
	merged_part(p, two, n);
	merged_other(4);
	merged_part(p, two, n + 4);
	return merged_each(merged_call, p, 10) + merged_asm(p, n) + merged_named(p, n);
}

long merged_second(char *p, struct two *two, int n)
{
	merged_other(5);
	merged_clone_too(two, n, 4);
	merged_other(3);
	merged_clone_too(two, n + 1, 4);
	merged_part_too(p, two, n);
	merged_other(6);
	merged_part_too(p, two, n + 4);
	return merged_each_too(merged_call_too, two, 20) + merged_asm_too(two, n) +
	       merged_named_too(two, n);
}

long merged_third(struct two *two, int n)
{
	merged_other(9);
	merged_clone_too(two, n, 4);
	merged_other(8);
	merged_clone_too(two, n + 1, 4);
	merged_clone_too(two, n + 6, 4);
	return 1;
}
