// SPDX-License-Identifier: GPL-2.0
/* Functions whose parameters an optimizing compiler changes */
struct pair { int a, b; };

int clones_sink;

static noinline int clones_constant(int a, int always, int c)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + a * always + c;
}

static noinline int clones_scalar(struct pair *p, int unused, int c)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + p->a + c;
}

/* It keeps its parameters; clang's callers leave anything in what is not used */
int noinline clones_called(int a, int unused)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + a;
}

int clones_caller(int a, struct pair *p)
{
	clones_sink = clones_called(a, clones_sink) + clones_called(a, a + 1);
	return clones_constant(a, 5, 3) + clones_constant(a + 1, 5, 4) +
	       clones_scalar(p, a, 1) + clones_scalar(p + 1, a, 2);
}
