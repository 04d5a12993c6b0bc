// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without a C library that looks for signs of the step tracer: it makes
 * system calls with INT 0x80 and with the vDSO (SYSENTER or SYSCALL), and prints whether
 * its flags have TF
 */
#define NR_EXIT		1
#define NR_WRITE	4
#define NR_GETPPID	64
#define AT_SYSINFO	32
#define TF		0x100UL

static unsigned long sysinfo;

static long call_int80(long nr, long a, const void *b, long c)
{
	asm volatile("int $0x80" : "+a" (nr) : "b" (a), "c" (b), "d" (c) : "memory");
	return nr;
}

static long call_vdso(long nr, long a, const void *b, long c)
{
	asm volatile("call *%4"
		     : "+a" (nr) : "b" (a), "c" (b), "d" (c), "S" (sysinfo) : "memory");
	return nr;
}

static unsigned long flags(void)
{
	unsigned long val;

	asm volatile("pushfl\n\tpop %0" : "=r" (val) : : "memory");
	return val;
}

/* Print @len characters of @what, and whether @seen has TF */
static void tell(const char *what, int len, unsigned long seen)
{
	const char *tf = seen & TF ? " TF\n" : " no TF\n";

	call_int80(NR_WRITE, 1, what, len);
	call_vdso(NR_WRITE, 1, tf, seen & TF ? 4 : 7);
}

void begin(unsigned long *sp);

/* _start calls this */
void begin(unsigned long *sp)
{
	unsigned long seen = flags(), *aux = sp + 1 + *sp + 1;
	int i;

	while (*aux++)
		;
	for (; *aux; aux += 2) {
		if (*aux == AT_SYSINFO)
			sysinfo = aux[1];
	}
	tell("pushf:", 6, seen);
	for (i = 0; i < 10; i++) {
		call_int80(NR_GETPPID, 0, 0, 0);
		seen |= flags();
	}
	tell("int 0x80:", 9, seen);
	for (i = 0; i < 10; i++) {
		call_vdso(NR_GETPPID, 0, 0, 0);
		seen |= flags();
	}
	tell("vdso:", 5, seen);
	call_vdso(NR_EXIT, call_int80(NR_GETPPID, 0, 0, 0) == call_vdso(NR_GETPPID, 0, 0, 0) ?
		  0 : 1, 0, 0);
}

asm(".globl _start\n_start:\n\tmov %esp, %eax\n\tpush %eax\n\tcall begin\n\thlt");
