// SPDX-License-Identifier: GPL-2.0
/*
 * A program that looks for signs of the step tracer. It prints its flags, signals, children
 * and its own steps. The output has to be the same with the tracer.
 *
 * step-path [TEST]...
 */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TF	0x100UL

static char *self;

static const char *tf(unsigned long flags)
{
	return flags & TF ? "TF" : "no TF";
}

/* This function does not use the red zone, so PUSHF may use the stack */
static unsigned long flags(void)
{
	unsigned long val;

	asm volatile("pushfq\n\tpop %0" : "=r" (val) : : "memory");
	return val;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction act = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(sig, &act, NULL);
}

/* PUSHF in all sizes, also at the end of a page, and after MOV SS */
static void test_pushf(void)
{
	unsigned long val = 0, sp;
	uint16_t small;
	char *page;

	printf("pushfq: %s\n", tf(flags()));
	asm volatile("pushfw\n\tpopw %0" : "=r" (small) : : "memory");
	printf("pushfw: %s\n", tf(small));
	asm volatile("mov %%ss, %%eax\n\tmov %%eax, %%ss\n\tpushfq\n\tpop %0"
		     : "=r" (val) : : "rax", "memory");
	printf("mov ss, pushfq: %s\n", tf(val));
	/* A page that the instruction itself faults in */
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sp = (unsigned long)page + 4096;
	asm volatile("mov %%rsp, %%r12\n\tmov %1, %%rsp\n\tpushfq\n\tpop %0\n\tmov %%r12, %%rsp"
		     : "=r" (val) : "r" (sp) : "r12", "memory");
	printf("pushfq to a new page: %s\n", tf(val));
	asm volatile("mov %%rsp, %%r12\n\tlea 4(%1), %%rsp\n\tpushfq\n\tpop %0\n\tmov %%r12, %%rsp"
		     : "=r" (val) : "r" (sp + 4096 - 8) : "r12", "memory");
	printf("pushfq: %s\n", tf(val));
}

/* POPF and IRET with the present flags */
static void test_popf(void)
{
	unsigned long val;

	asm volatile("pushfq\n\tpopfq\n\tpushfq\n\tpop %0" : "=r" (val) : : "memory");
	printf("popfq: %s\n", tf(val));
	asm volatile("mov %%rsp, %%r12\n\tmov %%ss, %%eax\n\tpush %%rax\n\tpush %%r12\n\tpushfq\n\t"
		     "mov %%cs, %%eax\n\tpush %%rax\n\tlea 1f(%%rip), %%rax\n\tpush %%rax\n\t"
		     "iretq\n\tud2\n1:\tpushfq\n\tpop %0"
		     : "=r" (val) : : "rax", "r12", "memory");
	printf("iretq: %s\n", tf(val));
}

static void test_syscall(void)
{
	unsigned long r11, ax = SYS_getppid;
	char *page;

	asm volatile("syscall\n\tmov %%r11, %1" : "+a" (ax), "=r" (r11) : : "rcx", "r11", "memory");
	printf("R11 behind syscall: %s\n", tf(r11));
	ax = SYS_getppid;
	asm volatile("mov %%ss, %%ecx\n\tmov %%ecx, %%ss\n\tsyscall\n\tmov %%r11, %1"
		     : "+a" (ax), "=r" (r11) : : "rcx", "r11", "memory");
	printf("mov ss, syscall: %s\n", tf(r11));
	/* A read of a new page faults, and is executed again without the MOV SS */
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	asm volatile("mov %%ss, %%ecx\n\tmov %%ecx, %%ss\n\tmovzbl (%1), %k0"
		     : "=a" (ax) : "r" (page) : "rcx", "memory");
	printf("mov ss, page fault: %lu\n", ax);
	/* A branch to the MOV SS itself */
	asm volatile("mov %%ss, %%edx\n\tmov $3, %%ecx\n1:\tmov %%edx, %%ss\n\tloop 1b"
		     : : : "rcx", "rdx");
}

static int traps;
static unsigned long trap_flags;

static void at_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	traps++;
	trap_flags |= uc->uc_mcontext.gregs[REG_EFL] & TF;
	trap_flags |= (unsigned long)info->si_code << 32;
}

/* The program's own TF: a SIGTRAP after each instruction */
static void test_own(void)
{
	unsigned long val;

	handle(SIGTRAP, at_trap);
	traps = 0;
	trap_flags = 0;
	asm volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
		     "nop\n\tnop\n\tpushfq\n\tmov (%%rsp), %0\n\t"
		     "andq $~0x100, (%%rsp)\n\tpopfq\n\tnop"
		     : "=r" (val) : : "memory");
	printf("own TF: %d traps, flags %lx, seen: %s, left: %s\n", traps, trap_flags, tf(val),
	       tf(flags()));
	/* The trap after a system call comes after the next instruction */
	traps = 0;
	asm volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
		     "mov $110, %%eax\n\tsyscall\n\tmov %%r11, %0\n\tpushfq\n\t"
		     "andq $~0x100, (%%rsp)\n\tpopfq\n\tnop"
		     : "=r" (val) : : "rax", "rcx", "r11", "memory");
	printf("own TF, syscall: %d traps, R11: %s\n", traps, tf(val));
	/* A handler is not stepped, and returns to a stepped program */
	signal(SIGTRAP, SIG_DFL);
}

static void at_int3(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	printf("int3: code %d, flags: %s, handler: %s\n", info->si_code,
	       tf(uc->uc_mcontext.gregs[REG_EFL]), tf(flags()));
}

static void at_int4(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	printf("int 4: code %d, flags: %s, handler: %s\n", info->si_code,
	       tf(uc->uc_mcontext.gregs[REG_EFL]), tf(flags()));
}

/* Exceptions by instructions: INT3 in both forms, INT1, INT 4 */
static void test_int3(void)
{
	handle(SIGTRAP, at_int3);
	asm volatile("int3");
	asm volatile(".byte 0xcd, 3");
	asm volatile(".byte 0xf1");
	signal(SIGTRAP, SIG_DFL);
	handle(SIGSEGV, at_int4);
	asm volatile("int $4");
	signal(SIGSEGV, SIG_DFL);
}

static void at_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	printf("signal %d: code %d, flags: %s, handler: %s\n", sig, info->si_code,
	       tf(uc->uc_mcontext.gregs[REG_EFL]), tf(flags()));
	if (sig == SIGSEGV || sig == SIGILL)
		uc->uc_mcontext.gregs[REG_RIP] += 2;
}

/* A system call of 32-bit programs, or SIGSEGV if the kernel does not support these */
static void test_int80(void)
{
	long ax = 64;

	handle(SIGSEGV, at_fault);
	asm volatile("int $0x80" : "+a" (ax) : : "r8", "r9", "r10", "r11", "memory");
	printf("int 0x80: %s, %s\n", ax == getppid() ? "getppid" : "nothing", tf(flags()));
	signal(SIGSEGV, SIG_DFL);
}

static sigjmp_buf env;

static void at_jump(int sig, siginfo_t *info, void *context)
{
	siglongjmp(env, 1);
}

static void test_signals(void)
{
	struct itimerval timer = { .it_value.tv_usec = 1000 };
	unsigned long turns = 0;

	handle(SIGUSR1, at_fault);
	raise(SIGUSR1);
	handle(SIGSEGV, at_fault);
	/* mov (%rax), %eax has two bytes */
	asm volatile("xor %%eax, %%eax\n\tmov (%%rax), %%eax" : : : "rax", "memory");
	handle(SIGILL, at_fault);
	asm volatile("ud2");
	handle(SIGALRM, at_jump);
	if (!sigsetjmp(env, 1)) {
		setitimer(ITIMER_REAL, &timer, NULL);
		for (;;)
			asm volatile("incq %0" : "+m" (turns));
	}
	printf("jumped, %s\n", tf(flags()));
}

/* Instructions that are executed again, and branches of all kinds */
static void test_branches(void)
{
	char from[64], to[64];
	unsigned long count = sizeof(from), out = 0;
	void *src = from, *dst = to;

	memset(from, 7, sizeof(from));
	asm volatile("rep movsb" : "+S" (src), "+D" (dst), "+c" (count) : : "memory");
	asm volatile("xor %%ecx, %%ecx\n\trep stosb" : : "D" (to), "a" (0) : "rcx", "memory");
	asm volatile("mov $5, %%ecx\n1:\tinc %0\n\tloop 1b\n\tjrcxz 2f\n\tud2\n2:"
		     : "+r" (out) : : "rcx");
	/*
	 * A call of the next instruction, a jump to the next instruction, and returns
	 * without calls
	 */
	asm volatile("call 1f\n1:\tpop %%rax\n\tjmp 2f\n2:\tlea 3f(%%rip), %%rax\n\tpush %%rax\n\t"
		     "lea 4f(%%rip), %%rax\n\tpush %%rax\n\tret\n\tud2\n4:\tret\n\tud2\n3:"
		     : : : "rax", "memory");
	/* A loop at one address */
	asm volatile("mov $20, %%ecx\n1:\tloop 1b" : : : "rcx");
	printf("branches: %lu, %d\n", out, to[63]);
}

/* A program that changes the target of its own jump: a return, or a breakpoint and a return */
static unsigned int changed_jumps(void)
{
	static const uint8_t text[] = { 0x90, 0xeb, 0x01, 0xcc, 0xc3, 0x90, 0xc3 };
	unsigned int i, sum = 0, out;
	uint8_t *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, text, sizeof(text));
	for (i = 0; i < 40; i++) {
		page[2] = i % 3 ? 1 : 2;
		asm volatile("xor %0, %0\n\tcall *%1\n\tinc %0"
			     : "=&r" (out) : "r" (page) : "memory");
		sum += out;
	}
	return sum;
}

/*
 * Turns in which the target of a branch does not determine its source, so the tracer's
 * choice of the block has to be right
 */
static void test_again(void)
{
	char from[8] = "abcdefg", to[8];

	/*
	 * Two branches with one target, branches over an instruction, and branches into it
	 */
	asm volatile("mov $40, %%ecx\n1:\tnop\n\ttest $1, %%cl\n\tjz 2f\n\ttest $2, %%cl\n\t"
		     "jz 2f\n\tnop\n2:\ttest $4, %%cl\n\tjz 3f\n\tnop\n3:\ttest $8, %%cl\n\tjz 4f+1\n"
		     "4:\t.byte 0x3c, 0x90\n\tdec %%ecx\n\tjnz 1b" : : : "rax", "rcx");
	/* A return to the target of a conditional branch before it */
	asm volatile("mov $40, %%ecx\n1:\tlea 2f(%%rip), %%rax\n\tpush %%rax\n\tpush %%rax\n\t"
		     "nop\n\ttest $3, %%cl\n\tjz 2f\n\tpop %%rax\n\tret\n\tud2\n"
		     "2:\ttest $3, %%cl\n\tjnz 3f\n\tadd $16, %%rsp\n3:\tdec %%ecx\n\tjnz 1b"
		     : : : "rax", "rcx", "memory");
	/* The same with a push in the block, which leaves the stack pointer unchanged */
	asm volatile("mov $40, %%ecx\n1:\tlea 2f(%%rip), %%rax\n\tnop\n\ttest $3, %%cl\n\t"
		     "jz 2f\n\tpush %%rax\n\tret\n\tud2\n2:\tdec %%ecx\n\tjnz 1b"
		     : : : "rax", "rcx", "memory");
	/* A jump into its own block, and out of it */
	asm volatile("mov $40, %%ecx\n\tlea 1f(%%rip), %%rax\n\tlea 2f(%%rip), %%rbx\n\t"
		     "lea 3f(%%rip), %%rdx\n1:\tnop\n2:\txchg %%rax, %%rbx\n\tdec %%ecx\n\t"
		     "cmovz %%rdx, %%rax\n\tjmp *%%rax\n\tud2\n3:"
		     : : : "rax", "rbx", "rcx", "rdx");
	/*
	 * Calls through a register after a branch, recursion, and a return that drops words
	 */
	asm volatile("mov $40, %%ecx\n\tlea 4f(%%rip), %%rax\n\tjmp 1f\n"
		     "4:\tnop\n\tjecxz 5f\n\tdec %%ecx\n\tcall 4b\n5:\tret\n\tud2\n"
		     "6:\tnop\n\tret $8\n\tud2\n"
		     "1:\tnop\n\ttest %%ecx, %%ecx\n\tjz 2f\n\tcall *%%rax\n2:\tmov $40, %%ecx\n"
		     "3:\tpush %%rax\n\tcall 6b\n\tloop 3b" : : : "rax", "rcx", "memory");
	/*
	 * Instructions that show TF, that are executed again, and that a virtual machine
	 * emulates
	 */
	asm volatile("mov $40, %%r8d\n1:\tnop\n\tpushfq\n\tpop %%rax\n\tnop\n\tmov $8, %%ecx\n\t"
		     "mov %0, %%rsi\n\tmov %1, %%rdi\n\trep movsb\n\txor %%eax, %%eax\n\tcpuid\n\t"
		     "nop\n\tdec %%r8d\n\tjnz 1b"
		     : : "r" (from), "r" (to)
		     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "memory");
	printf("again: %s, %u\n", to, changed_jumps());
}

/* 100000 turns of two instructions, and of three instructions with one branch */
static void test_loops(void)
{
	asm volatile("mov $100000, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\t"
		     "mov $100000, %%ecx\n2:\tnop\n\tdec %%ecx\n\tjnz 2b" : : : "rcx");
}

static void *thread(void *arg)
{
	*(int *)arg += 1;
	return NULL;
}

static void test_children(void)
{
	pthread_t id;
	int status, sum = 0;
	pid_t pid;

	pid = fork();
	if (!pid)
		_exit(flags() & TF ? 1 : 42);
	waitpid(pid, &status, 0);
	printf("fork: %d\n", WEXITSTATUS(status));
	pid = vfork();
	if (!pid) {
		execl(self, self, "syscall", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	printf("vfork and exec: %d\n", WEXITSTATUS(status));
	pthread_create(&id, NULL, thread, &sum);
	pthread_join(id, NULL);
	printf("thread: %d\n", sum);
}

/* A child that ptrace steps, and that reads its flags */
static void test_ptrace(void)
{
	unsigned long steps = 0, seen = 0, path = 0;
	struct user_regs_struct regs;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		asm volatile("pushfq\n\tpopfq\n\tmov $39, %%eax\n\tsyscall\n\tpushfq\n\tpop %%rax"
			     : : : "rax", "rcx", "r11", "memory");
		_exit(9);
	}
	waitpid(pid, &status, 0);
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		seen |= regs.eflags & TF;
		path = path * 31 + (regs.rip & 0xfff);
		/* Step the child, and let it run at times */
		if (steps++ == 200)
			ptrace(PTRACE_CONT, pid, NULL, NULL);
		else
			ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid)
			break;
		if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP)
			printf("ptrace: signal %d\n", WSTOPSIG(status));
	}
	printf("ptrace: %lu stops, %s, path %lx, exit %d\n", steps, tf(seen), path,
	       WEXITSTATUS(status));
}

/* 32-bit code on two pages, to which a 64-bit program may jump */
struct compat {
	uint8_t		*page;
	unsigned long	eax;
	unsigned long	ebx;
};

#define USER32_CS	0x23
#define LDT(nr)		((nr) << 3 | 7)

static void load_compat(struct compat *c, const uint8_t *code, size_t size)
{
	c->page = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	memcpy(c->page, code, size);
}

/* Call the code at offset @ip of the code segment @cs */
static void call_compat(struct compat *c, uint32_t ip, uint32_t cs)
{
	uint32_t *far = (uint32_t *)(c->page + 1024);
	unsigned long sp = (unsigned long)c->page + 8192;
	unsigned long eax = 0, ebx = 0;

	far[0] = ip;
	far[1] = cs;
	/* LCALL pushes CS and RIP of 4 bytes, so the code that returns is below 4 GB */
	memcpy(c->page + 512, "\xff\x19\xc3", 3);	/* lcall *(%rcx); ret */
	asm volatile("mov %%rsp, %%r12\n\tmov %2, %%rsp\n\tmov %3, %%rcx\n\tcall *%4\n\t"
		     "mov %%r12, %%rsp"
		     : "=a" (eax), "=b" (ebx)
		     : "r" (sp), "r" (far), "r" (c->page + 512)
		     : "rcx", "rdx", "rsi", "r12", "memory");
	c->eax = eax;
	c->ebx = ebx;
}

static const uint8_t compat_code[] = {
	0x9c,				/* pushf */
	0x58,				/* pop %eax */
	0x50,				/* push %eax */
	0x9d,				/* popf */
	0xb9, 3, 0, 0, 0,		/* mov $3, %ecx */
	0x41,				/* 1: inc %ecx */
	0x49,				/* dec %ecx */
	0xe2, 0xfc,			/* loop 1b */
	0x66, 0x9c,			/* pushfw */
	0x66, 0x5b,			/* pop %bx */
	0xcb,				/* lret */
};

static void test_compat(void)
{
	struct compat c;

	load_compat(&c, compat_code, sizeof(compat_code));
	call_compat(&c, (unsigned long)c.page, USER32_CS);
	printf("32-bit pushf: %s, %s\n", tf(c.eax), tf(c.ebx));
}

/* Whether the page, which is the last of its mapping, was accessed since the last call */
static int was_accessed(const char *page)
{
	int fd = open("/proc/self/smaps", O_RDONLY);
	static char text[1 << 16];
	char begin[32], *line;
	size_t size = 0;
	ssize_t nr;

	while ((nr = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += nr;
	text[size] = '\0';
	close(fd);
	fd = open("/proc/self/clear_refs", O_WRONLY);
	if (write(fd, "1", 1) != 1)
		perror("clear_refs");
	close(fd);
	snprintf(begin, sizeof(begin), "%lx-", (unsigned long)page);
	line = strstr(text, begin);
	line = line ? strstr(line, "Referenced:") : NULL;
	return line ? strtoul(line + strlen("Referenced:"), NULL, 10) != 0 : -1;
}

/* Code at the end of a page: no access to the next page, except for an instruction's rest */
static void test_page(void)
{
	static const uint8_t inside[] = { 0x90, 0xc3 };			/* nop; ret */
	static const uint8_t across[] = { 0x48, 0x9c, 0x58, 0xc3 };	/* pushfq; pop %rax; ret */
	char *page, *next;
	unsigned long val;
	int i;

	/* The third page keeps the second page apart from other mappings */
	page = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	next = page + 4096;
	mprotect(page, 2 * 4096, PROT_READ | PROT_WRITE);
	memcpy(next - sizeof(inside), inside, sizeof(inside));
	*next = 0;
	mprotect(page, 4096, PROT_READ | PROT_EXEC);
	was_accessed(next);
	for (i = 0; i < 20; i++)
		asm volatile("call *%0" : : "r" (next - sizeof(inside)) : "memory");
	printf("next page: %d\n", was_accessed(next));
	mprotect(page, 2 * 4096, PROT_READ | PROT_WRITE);
	memcpy(next - 1, across, sizeof(across));
	mprotect(page, 2 * 4096, PROT_READ | PROT_EXEC);
	asm volatile("call *%1" : "=a" (val) : "r" (next - 1) : "memory");
	printf("across pages: %s\n", tf(val));
}

/* A page that may only be executed, if the CPU has protection keys */
static void test_xonly(void)
{
	static const uint8_t code[] = { 0x9c, 0x58, 0xc3 };	/* pushfq; pop %rax; ret */
	unsigned long val;
	char *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(page, code, sizeof(code));
	mprotect(page, 4096, PROT_EXEC);
	asm volatile("call *%1" : "=a" (val) : "r" (page) : "memory");
	printf("execute-only: %s\n", tf(val));
}

static void set_ldt(unsigned int nr, void *base, unsigned int contents)
{
	struct user_desc desc = {
		.entry_number = nr, .base_addr = (unsigned long)base, .limit = 4095,
		.seg_32bit = 1, .contents = contents,
	};

	if (syscall(SYS_modify_ldt, 0x11, &desc, sizeof(desc)))
		perror("modify_ldt");
}

/* Code and stack segments with a base */
static void test_ldt(void)
{
	static const uint8_t code[] = {
		0x8c, 0xd2,			/* mov %ss, %edx */
		0x89, 0xe6,			/* mov %esp, %esi */
		0xb8, LDT(1), 0, 0, 0,		/* mov $LDT(1), %eax */
		0x8e, 0xd0,			/* mov %eax, %ss */
		0xbc, 0, 8, 0, 0,		/* mov $0x800, %esp */
		0x9c,				/* pushf */
		0x58,				/* pop %eax */
		0x8e, 0xd2,			/* mov %edx, %ss */
		0x89, 0xf4,			/* mov %esi, %esp */
		0x8e, 0xd2,			/* mov %edx, %ss */
		0x9c,				/* pushf */
		0x5b,				/* pop %ebx */
		0xcb,				/* lret */
	};
	struct compat c;

	load_compat(&c, compat_code, sizeof(compat_code));
	set_ldt(0, c.page, 2);
	call_compat(&c, 0, LDT(0));
	printf("LDT, code: %s, %s\n", tf(c.eax), tf(c.ebx));
	load_compat(&c, code, sizeof(code));
	set_ldt(1, c.page + 4096, 0);
	call_compat(&c, (unsigned long)c.page, USER32_CS);
	printf("LDT, stack: %s, %s\n", tf(c.eax), tf(c.ebx));
}

/* A child that ptrace steps over blocks of instructions */
static void test_blocks(void)
{
	unsigned long steps = 0, path = 0;
	struct user_regs_struct regs;
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(flags() & TF ? 1 : 42);
	}
	waitpid(pid, &status, 0);
	while (WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		path = path * 31 + (regs.rip & 0xfff);
		ptrace(steps++ == 50 ? PTRACE_CONT : PTRACE_SINGLEBLOCK, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid)
			break;
	}
	printf("blocks: %lu stops, path %lx, exit %d\n", steps, path, WEXITSTATUS(status));
}

static const struct {
	const char *name;
	void (*test)(void);
} tests[] = {
	{ "pushf", test_pushf }, { "popf", test_popf }, { "syscall", test_syscall },
	{ "own", test_own }, { "int3", test_int3 }, { "signals", test_signals },
	{ "int80", test_int80 },
	{ "branches", test_branches }, { "again", test_again }, { "loops", test_loops },
	{ "children", test_children },
	{ "ptrace", test_ptrace }, { "compat", test_compat },
	{ "page", test_page },
	{ "xonly", test_xonly }, { "ldt", test_ldt }, { "blocks", test_blocks },
	{ }
};

int main(int argc, char **argv)
{
	unsigned int i;
	int j, known = 0;

	self = argv[0];
	setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; tests[i].name; i++) {
		for (j = 1; j < argc && strcmp(argv[j], tests[i].name); j++)
			;
		if (j < argc || argc == 1) {
			tests[i].test();
			known++;
		}
	}
	/* Exit like a shell that does not find a command */
	return argc > 1 && known < argc - 1 ? 127 : 0;
}
