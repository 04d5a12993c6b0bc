// SPDX-License-Identifier: GPL-2.0
/*
 * The functions whose parameters exprs.sh names. The program prints lines "FUNCTION|NAMES|NUMBERS"
 * with the expected output of trace-calls expr, and decimal offsets. The offsets come from the
 * compiler. exprs.sh writes names.h: the structures and the names of the kernel's KUnit tests.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef unsigned char u8;
typedef int s32;
typedef long long s64;

#include "names.h"

struct late;

struct holder {
	struct late	*late;
	double		real;
};

struct late {
	char		before[300];
	long long	value;
	unsigned int	bit : 1;
};

struct object {
	int		inner;
};

/* The last of ten structures in each other is one too many for "*obj" */
struct deep9 { int j; };
struct deep8 { int i; struct deep9 in; };
struct deep7 { int h; struct deep8 in; };
struct deep6 { int g; struct deep7 in; };
struct deep5 { int f; struct deep6 in; };
struct deep4 { int e; struct deep5 in; };
struct deep3 { int d; struct deep4 in; };
struct deep2 { int c; struct deep3 in; };
struct deep1 { int b; struct deep2 in; };
struct deep { int a; struct deep1 in; };

int whole(struct deep *obj)
{
	return obj->a;
}

int names(const struct expr_named *obj, struct expr_inner *in, void *data, int nr,
	  const char *buf, short *ptr)
{
	return obj->num + !in->self + !data + nr + *buf + *ptr;
}

int lines(struct object *obj, int num, unsigned char c, bool gone, unsigned long long big)
{
	return obj->inner + num + c + gone + big;
}

long __do_sys_probe(struct holder *obj, struct late *how)
{
	return !obj->late + how->value;
}

long __do_compat_sys_probe(int fd, struct expr_inner *in)
{
	return fd + !in->self;
}

#define L(member)	((int)offsetof(struct late, member))

int main(int argc, char **argv)
{
	struct expr_inner in = { .number = argc };
	struct expr_named obj = { .num = argc };
	struct late how = { };
	struct holder holder = { &how };
	struct object object = { };
	struct deep deep = { };
	const struct name_case *each;
	short ptr = 0;

	for (each = name_cases; each < name_cases + sizeof(name_cases) / sizeof(*each); each++) {
		printf("names|n=%s|n=", each->names);
		printf(each->numbers, each->offsets[0], each->offsets[1], each->offsets[2]);
		puts("");
	}
	printf("names|obj->num,obj->low , obj->on|num=+%d(obj):s32, low=+%d(obj):u8, ", N(num),
	       N(low));
	printf("on=+%d(obj):u8\n", N(on));
	printf("names|obj->ptr->number, obj->inner.self->self->number|");
	printf("number=+%d(+%d(obj)):s32, number_2=+%d(+%d(+%d(obj))):s32\n",
	       I(number), N(ptr), I(number), I(self), N(inner.self));
	printf("names|obj->inner.name, obj->text:string|name=+%d(obj):string, ", N(inner.name));
	printf("text=+0(+%d(obj)):string\n", N(text));
	printf("names|obj->raw[1], obj->raw[2..3], obj->raw[4..5]:s8|raw=+%d(obj):u8, ",
	       N(raw) + 1);
	printf("raw_2=+%d(obj):x8[2], raw_3=+%d(obj):s8[2]\n", N(raw) + 2, N(raw) + 4);
	printf("names|(expr_inner)+8(data)->number|number=+%d(+8(data)):s32\n", I(number));
	printf("names|nr=obj->num, obj->small, small=nr|nr=+%d(obj):s32, ", N(num));
	printf("small_2=+%d(obj):s16, small=nr\n", N(small));
	printf("names|nr, nr:x16, +8(data), +u0x10(+8(obj)):u8, -4(data):u8|");
	puts("nr, nr:x16, +8(data), +u16(+8(obj)):u8, -4(data):u8");
	puts("names|+8(buf), -2(ptr), buf[1]|+8(buf), -2(ptr), +1(buf):u8");
	puts("names|COMM, pid=PID, CPU:u8|COMM, pid=PID, CPU:u8");
	printf("__x64_sys_probe|obj->late->value|value=+%d(+0(obj)):s64\n", L(value));
	printf("__x64_sys_probe|how->value, how->bit|value=+%d(how):s64, bit=+%d(how):b1@0/8\n",
	       L(value), L(value) + 8);
	printf("__arm64_sys_probe|how->value|value=+%d(how):s64\n", L(value));
	printf("__ia32_compat_sys_probe|in->self|self=+%d(in):x64\n", I(self));
	printf("__arm64_compat_sys_probe|in->self|self=+%d(in):x64\n", I(self));
	return names(&obj, &in, NULL, 0, "", &ptr) + lines(&object, 0, 0, false, 0) + whole(&deep) +
		__do_sys_probe(&holder, &how) + __do_compat_sys_probe(0, &in) < 0 && argv;
}
