// SPDX-License-Identifier: GPL-2.0
/* Functions whose parameters an optimizing compiler changes */
struct pair { int a, b; };
struct two { long a, b; };

int clones_sink;
int clones_other(int a, int b);

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

/* gcc's DWARF has only later places of a wide integer, but gcc passes it */
static noinline long clones_wide(int always, __int128 wide, struct two s)
{
	clones_other(always, s.a);
	return wide + (wide >> 64) + s.b;
}

/* gcc has no location for the last parameter, of which the function uses one register */
static noinline int clones_half(int a, int always, __int128 wide)
{
	return clones_other(a + always, (int)wide);
}

/* The last argument is always the same object, function or text; no argument follows */
static int clones_objects[4];

static noinline int clones_object(int a, int *always)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + a + always[1];
}

static noinline int clones_element(int a, int *always)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink - a + always[1];
}

static noinline int clones_function(int a, int (*always)(int a, int unused))
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + always(a, 1);
}

static noinline int clones_text(int a, const char *always)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + always[a];
}

/* A parameter is assigned to at once. It is neither a constant nor the assigned value. */
static noinline int clones_assigned(int a, unsigned int flags)
{
	for (flags = 0; a; a >>= 1)
		flags |= clones_other(a, flags);
	return flags;
}

/* A constant parameter is assigned to. The signature has the passed value, not the assigned. */
static noinline int clones_assigned_constant(int a, int flags)
{
	for (flags = 0; a; a >>= 1)
		flags |= clones_other(flags, a);
	return flags;
}

/* A clone that has variable arguments passes the constant, too */
static noinline int clones_varargs(int always, int a, ...)
{
	__builtin_va_list list;
	int sum;

	__builtin_va_start(list, a);
	sum = clones_other(a, always) + __builtin_va_arg(list, int);
	__builtin_va_end(list);
	return sum;
}

/* gcc keeps the parameters of such a function, and the DWARF has the constant one twice */
static noinline __attribute__((alloc_size(1))) int *clones_kept(unsigned long a, int always)
{
	always |= 0x100;
	return clones_objects + clones_other(a, always);
}

/* The last call is a jump, and the last instruction */
static noinline void clones_jumped(int a, int always)
{
	clones_sink = a * always;
	clones_other(a, always);
}

void clones_jumps(int a)
{
	clones_jumped(a, 3);
}

void clones_jumps_too(int a)
{
	clones_jumped(a + 1, 3);
}

/* The function keeps its parameters, but clang's callers leave unused parameters unset */
int noinline clones_called(int a, int unused)
{
	__asm__ volatile("" : "+m" (clones_sink));
	return clones_sink + a;
}

int clones_caller(int a, struct pair *p)
{
	clones_sink = clones_called(a, clones_sink) + clones_called(a, a + 1);
	clones_sink += clones_object(a, clones_objects) + clones_object(a + 1, clones_objects) +
		       clones_element(a, clones_objects + 2) + clones_element(a + 1, clones_objects + 2) +
		       clones_function(a, clones_other) + clones_function(a + 1, clones_other) +
		       clones_text(a, "always") + clones_text(a + 1, "always");
	clones_sink += clones_assigned(a, 5) + clones_assigned(a + 1, p->a) +
		       clones_assigned_constant(a, -7) + clones_assigned_constant(a + 2, -7);
	clones_sink += clones_wide(3, *(__int128 *)p, *(struct two *)p) +
		       clones_wide(3, *(__int128 *)(p + 2), *(struct two *)(p + 2));
	clones_sink += clones_half(a, 5, *(__int128 *)p) + clones_half(a + 1, 5, *(__int128 *)(p + 2));
	clones_sink += *clones_kept(a, 5) + *clones_kept(a + 1, 5);
	clones_sink += clones_varargs(5, a, 1) + clones_varargs(5, a + 1, 2);
	return clones_constant(a, 5, 3) + clones_constant(a + 1, 5, 4) +
	       clones_scalar(p, a, 1) + clones_scalar(p + 1, a, 2);
}

/* gcc makes SIMD clones, whose parameters and results are in vector registers */
#ifndef __clang__
__attribute__((simd("notinbranch")))
#endif
int clones_simd(int a, int unused)
{
	return a * 3;
}
