// SPDX-License-Identifier: GPL-2.0
/* Parameters on the stack of a function that lost a parameter; clang has only .eh_frame */
struct big { long a[3]; };

long frames_use(long a);

static noinline long frames_record(long a, long b, long c, long d, long e, long unused,
				   long f, struct big x, long g)
{
	frames_use(a + b + c);
	frames_use(d + e + f);
	return frames_use(x.a[1] + g) + 1;
}

long frames_caller(long a, struct big *x)
{
	return frames_record(a, 1 + a, 2 + a, 3 + a, 4 + a, 5 + a, 6 + a, *x, a * 3) +
	       frames_record(a, 1, 2, 3, 4, 5, 6, *x, 8);
}
