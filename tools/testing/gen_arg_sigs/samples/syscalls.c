// SPDX-License-Identifier: GPL-2.0
/* System calls, as arch/x86/include/asm/syscall_wrapper.h defines them */
typedef unsigned short umode_t;
typedef long off_t;
typedef long ssize_t;
typedef unsigned long size_t;
typedef long long loff_t;
typedef unsigned int compat_ulong_t;
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di,
		      orig_ax, ip, cs, flags, sp, ss;
};

int syscalls_last;

/* The stubs have only the casts that depend on the parameters' types */
#define STUB3(stub, call, t1, r1, t2, r2, t3, r3)				\
long stub(const struct pt_regs *regs)						\
{										\
	return call((t1)regs->r1, (t2)regs->r2, (t3)regs->r3);			\
}

static inline __attribute__((always_inline))
long __do_sys_openat(int dfd, const char *filename, umode_t mode)
{
	return syscalls_last += dfd + *filename + mode;
}
STUB3(__x64_sys_openat, __do_sys_openat, int, di, const char *, si, umode_t, dx)
STUB3(__ia32_sys_openat, __do_sys_openat, int, bx, const char *, cx, umode_t, dx)

/* A long of 32 bits is extended with its sign */
static inline __attribute__((always_inline))
long __do_sys_lseek(unsigned int fd, off_t offset, long plain)
{
	return syscalls_last += fd + offset + plain;
}
STUB3(__x64_sys_lseek, __do_sys_lseek, unsigned int, di, off_t, si, long, dx)
STUB3(__ia32_sys_lseek, __do_sys_lseek, unsigned int, bx, int, cx, int, dx)

/* The text of a type whose values have names ends with any letter, here with that of a long */
static inline __attribute__((always_inline))
long __do_sys_kill(int pid, int sig)
{
	return syscalls_last += pid + sig;
}
long __x64_sys_kill(const struct pt_regs *regs)
{
	return __do_sys_kill(regs->di, regs->si);
}
long __ia32_sys_kill(const struct pt_regs *regs)
{
	return __do_sys_kill(regs->bx, regs->cx);
}

static inline __attribute__((always_inline))
long __do_sys_rt_sigaction(int sig, const void *act, void *oact)
{
	return syscalls_last += sig + !act + !oact;
}
STUB3(__ia32_sys_rt_sigaction, __do_sys_rt_sigaction, int, bx, const void *, cx, void *, dx)

/* A long of this kind is not narrowed, because its names are for all of its bits */
static inline __attribute__((always_inline))
long __do_sys_tgkill(int tgid, long pid, off_t sig)
{
	return syscalls_last += tgid + pid + sig;
}
STUB3(__ia32_sys_tgkill, __do_sys_tgkill, int, bx, int, cx, int, dx)

static inline __attribute__((always_inline))
long __do_compat_sys_read(int fd, void *buf, compat_ulong_t count)
{
	return syscalls_last += fd + !buf + count;
}
STUB3(__x64_compat_sys_read, __do_compat_sys_read, int, di, void *, si, compat_ulong_t, dx)
STUB3(__ia32_compat_sys_read, __do_compat_sys_read, int, bx, void *, cx, compat_ulong_t, dx)

/* A buffer to write has its content at the entry. A buffer to read does not. */
static inline __attribute__((always_inline))
long __do_sys_write(unsigned int fd, const char *buf, size_t count)
{
	return syscalls_last += fd + !buf + count;
}
STUB3(__x64_sys_write, __do_sys_write, unsigned int, di, const char *, si, size_t, dx)
STUB3(__ia32_sys_write, __do_sys_write, unsigned int, bx, const char *, cx, size_t, dx)

static inline __attribute__((always_inline))
long __do_sys_read(unsigned int fd, char *buf, size_t count)
{
	return syscalls_last += fd + !buf + count;
}
STUB3(__x64_sys_read, __do_sys_read, unsigned int, di, char *, si, size_t, dx)

/* The targets of these pointers can be recorded */
static inline __attribute__((always_inline))
long __do_sys_sendfile(int fd, loff_t *offset, long *sent)
{
	return syscalls_last += fd + *offset + *sent;
}
STUB3(__x64_sys_sendfile, __do_sys_sendfile, int, di, loff_t *, si, long *, dx)
STUB3(__ia32_sys_sendfile, __do_sys_sendfile, int, bx, loff_t *, cx, long *, dx)

static inline __attribute__((always_inline))
long __do_sys_six(int a, long b, size_t c, ssize_t d, char e, void *f)
{
	return syscalls_last += a + b + c + d + e + !f;
}
long __x64_sys_six(const struct pt_regs *regs)
{
	return __do_sys_six(regs->di, regs->si, regs->dx, regs->r10, regs->r8,
			    (void *)regs->r9);
}
long __ia32_sys_six(const struct pt_regs *regs)
{
	return __do_sys_six(regs->bx, (int)regs->cx, (unsigned int)regs->dx,
			    (int)regs->si, regs->di, (void *)(regs->bp & 0xffffffff));
}

/* Without parameters, the stubs are names of the function itself */
static long __do_sys_getpid(const struct pt_regs *__unused);
long __x64_sys_getpid(const struct pt_regs *regs)
	__attribute__((alias("__do_sys_getpid")));
static long __do_sys_getpid(const struct pt_regs *__unused)
{
	return syscalls_last;
}

/* This kernel does not have the call, so its parameters are not known */
long __weak __x64_sys_missing(const struct pt_regs *__unused)
{
	return -38;
}

/* This function is not a system call */
long __x64_sys_other(int regs)
{
	return regs;
}
