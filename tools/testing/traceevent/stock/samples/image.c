// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of a kernel without signatures, see ../run.sh
 */
typedef unsigned long size_t;
typedef long ssize_t;
typedef long long loff_t;

#define noinline __attribute__((__noinline__))

enum mode { MODE_NONE, MODE_ONE, MODE_THREE = 3 };

struct file;

struct pt_regs {
	unsigned long regs[21];
};

struct pair {
	int one;
	short two;
};

struct wide {
	long low;
	unsigned char high;
};

struct large {
	long words[3];
};

volatile long sink;

ssize_t image_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	return count + sink;
}

int image_narrow(signed char a, unsigned short b, _Bool c, enum mode mode)
{
	return a + b + c + mode;
}

void image_records(struct pair pair, struct wide wide, struct large large, int last)
{
	sink = pair.one + wide.low + large.words[0] + last;
}

struct file *image_many(int a, long b, int c, int d, int e, int f, int g, int h,
			int i)
{
	sink = a + b + c + d + e + f + g + h + i;
	return (struct file *)sink;
}

struct wide image_returns_wide(int nr)
{
	return (struct wide){ sink, nr };
}

static noinline int image_clone(int removed, struct pair *pair, int second)
{
	sink += second;
	return pair->one;
}

int image_calls(struct pair *pair, int second)
{
	return image_clone(1, pair, second) + image_clone(2, pair, second + 1);
}

static inline long __do_sys_image(int fd, const char *name)
{
	return fd + sink + *name;
}

long __x64_sys_image(const struct pt_regs *regs)
{
	return __do_sys_image(regs->regs[14], (const char *)regs->regs[13]);
}

int image_other_name(int value) __attribute__((__alias__("image_alias")));

int image_alias(int value)
{
	return value + sink;
}
