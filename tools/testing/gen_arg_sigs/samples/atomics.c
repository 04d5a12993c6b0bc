// SPDX-License-Identifier: GPL-2.0
/* _Atomic records and complex numbers are aligned differently than their DWARF says */
struct couple { long a, b; };
struct triple { int a[3]; };

struct aligned { void *x; _Atomic struct couple y; };
struct padded { void *x; _Atomic struct triple y; };
struct complex { void *x; _Atomic _Complex double y; };
struct complex_long { void *x; _Complex long y; };

#define EIGHT	double s, double t, double u, double v, double w, double x, double y, double z
#define SEVEN	long a, long b, long c, long d, long e, long f, long g

void atomics_other(long a);

/* gcc has no locations for a function with the same code as another function */
#define TWINS(name, params, value)				\
long name(params, long last)					\
{								\
	atomics_other(a);					\
	atomics_other(g);					\
	atomics_other(value);					\
	return last;						\
}								\
long name##_too(params, long last)				\
{								\
	atomics_other(a);					\
	atomics_other(g);					\
	atomics_other(value);					\
	return last;						\
}

#define ALIGNED		SEVEN, struct aligned r
#define PADDED		SEVEN, struct padded r
#define COMPLEX		SEVEN, struct complex r
#define COMPLEX_LONG	SEVEN, struct complex_long r
#define DOUBLES		EIGHT, SEVEN, _Complex double r
TWINS(atomics_aligned, ALIGNED, 1)
TWINS(atomics_padded, PADDED, 2)
TWINS(atomics_complex, COMPLEX, 3)
TWINS(atomics_complex_long, COMPLEX_LONG, 4)
TWINS(atomics_doubles, DOUBLES, 5)

/* clang passes and returns these records in memory */
struct single { _Atomic long x; };

struct single atomics_returned(long b)
{
	struct single r = { b };

	atomics_other(b);
	return r;
}

long atomics_single(long b, struct single unused, long c, long unused_too)
{
	atomics_other(b);
	return c;
}

/* So do they pass a parameter that is _Atomic itself */
struct half { int a, b; };

long atomics_half(long b, _Atomic struct half unused, long c, long unused_too)
{
	atomics_other(b);
	return c;
}

_Atomic struct half atomics_half_returned(long b, _Atomic struct half *from)
{
	atomics_other(b);
	return *from;
}

/* A scalar is in a register */
long atomics_scalar(long b, _Atomic long c)
{
	atomics_other(b);
	return c;
}
