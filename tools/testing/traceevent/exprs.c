// SPDX-License-Identifier: GPL-2.0
/*
 * The structures whose members exprs.sh names. The program prints for each expression the
 * expected output of trace-calls expr. The offsets come from the compiler.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct late;
enum colour { RED, GREEN };

struct inner {
	char		name[12];
	unsigned long	number;
	struct inner	*next;
};

struct object {
	short		small;
	union {
		int		num;
		struct {
			unsigned char	low;
			bool		on;
		};
	};
	struct inner	inner;
	struct inner	*ptr;
	const char	*text;
	enum colour	colour;
	unsigned int	one : 1, five : 5, : 3, nine : 9;
	struct late	*late;
	void		*data;
	double		real;
	signed char	raw[4];
	char		space[80];
	short		behind;
	unsigned int	bit : 1;
	char		more[100];
	short		far;
};

struct late {
	long		before;
	long long	value;
};

int probe(int nr, const struct object *obj, struct inner *in, void *data)
{
	return nr + obj->num + !in->next + !data;
}

long __do_sys_probe(int fd, struct late *how)
{
	return fd + how->value;
}

long __do_compat_sys_probe(int fd, struct inner *in)
{
	return fd + !in->next;
}

#define O(member)	offsetof(struct object, member)
#define I(member)	offsetof(struct inner, member)
#define L(member)	offsetof(struct late, member)

int main(int argc, char **argv)
{
	struct inner in = { .number = argc };
	struct late how = { };
	struct object obj = { .num = argc };

	printf("probe: small=+0x%zx(obj):s16\n", O(small));
	printf("probe: num=+0x%zx(obj):s32, low=+0x%zx(obj):u8, on=+0x%zx(obj):u8\n",
	       O(num), O(low), O(on));
	printf("probe: number=+0x%zx(obj):u64\n", O(inner.number));
	printf("probe: number=+0x%zx(+0x%zx(obj)):u64, number_2=+0x%zx(+0x%zx(+0x%zx(obj))):u64\n",
	       I(number), O(ptr), I(number), I(next), O(inner.next));
	printf("probe: name=+0x%zx(obj):string, text=+0(+0x%zx(obj)):string\n",
	       O(inner.name), O(text));
	printf("probe: name=+0x%zx(obj):string\n", O(inner.name));
	printf("probe: a=+0(+0x%zx(obj)):ustring\n", O(text));
	printf("probe: ptr=+0x%zx(obj):x64, colour=+0x%zx(obj):s32\n", O(ptr), O(colour));
	printf("probe: one=+0x%zx(obj):b1@0/8, five=+0x%zx(obj):b5@1/8, nine=+0x%zx(obj):b9@1/16\n",
	       O(colour) + 4, O(colour) + 4, O(colour) + 5);
	printf("probe: behind=+0x%zx(obj):s16, bit=+0x%zx(obj):b1@0/8, far=+0x%zx(obj):s16\n",
	       O(behind), O(behind) + 2, O(far));
	printf("probe: value=+0x%zx(+0x%zx(obj)):s64\n", L(value), O(late));
	printf("probe: num=-0x%zx(in):s32\n", O(inner) - O(num));
	printf("probe: number=+0x%zx(data):u64, next=+0x%zx($arg4):x64\n", I(number), I(next));
	printf("probe: nr, nr:x16, +0x8(data), +u0x10(+0x8(obj)):u8, -0x4(data):u8\n");
	printf("probe: number=+0x%zx(+0x8(data)):u64\n", I(number));
	printf("__x64_sys_probe: value=+0x%zx(how):s64\n", L(value));
	printf("__arm64_sys_probe: value=+0x%zx(how):s64\n", L(value));
	printf("__ia32_compat_sys_probe: next=+0x%zx(in):x64\n", I(next));
	printf("__arm64_compat_sys_probe: next=+0x%zx(in):x64\n", I(next));
	printf("probe: COMM, pid=PID, CPU:u8\n");
	printf("probe: nr=+0x%zx(obj):s32, small_2=+0x%zx(obj):s16, small=nr\n", O(num), O(small));
	return probe(0, &obj, &in, NULL) + __do_sys_probe(0, &how) +
		__do_compat_sys_probe(0, &in) < 0 && argv;
}
