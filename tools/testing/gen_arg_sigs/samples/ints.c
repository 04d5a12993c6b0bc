// SPDX-License-Identifier: GPL-2.0
/* Integers of every width, and the typedefs that have their own format */
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;
typedef int __kernel_pid_t;
typedef __kernel_pid_t pid_t;
typedef unsigned int gfp_t;
typedef unsigned short umode_t;
typedef unsigned int u32;
typedef u32 __kernel_dev_t;
typedef __kernel_dev_t dev_t;
typedef unsigned char u8;
typedef _Bool bool;
typedef pid_t my_pid_t;
typedef unsigned short __u16;
typedef __u16 __be16;
typedef unsigned int __be32;
typedef __be16 my_port_t;

void ints_none(void)
{
}

int ints_narrow(char c, signed char s, unsigned char u, short h, unsigned short t, int i)
{
	return c + s + u + h + t + i;
}

unsigned long ints_wide(unsigned int j, long l, unsigned long m, long long x,
			unsigned long long y)
{
	return j + l + m + x + y;
}

bool ints_typedefs(size_t size, ssize_t ssize, loff_t pos, pid_t pid, gfp_t gfp,
		   umode_t mode)
{
	return size + ssize + pos + pid + gfp + mode;
}

my_pid_t ints_more_typedefs(dev_t dev, u8 byte, u32 word, bool flag, my_pid_t own,
			    const int fixed)
{
	return dev + byte + word + flag + own + fixed;
}

__be32 ints_big_endian(__be16 port, my_port_t own, __be32 *addr)
{
	return port + own + *addr;
}

long ints_eight(int a, int b, int c, int d, int e, int f, int g, long h)
{
	return a + b + c + d + e + f + g + h;
}

static noinline int ints_static(int a, long b)
{
	__asm__ volatile("" : "+r" (a), "+r" (b));
	return a + b;
}

int (*ints_pointer)(int, long) = ints_static;

int __weak ints_weak(int a)
{
	return a;
}

int __section(".init.text") ints_init(int a, char *options)
{
	return a + *options;
}
