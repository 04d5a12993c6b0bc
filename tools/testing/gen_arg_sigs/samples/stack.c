// SPDX-License-Identifier: GPL-2.0
/*
 * Words of the stack: with a frame pointer, clang counts the words from the place that the
 * frame pointer will have. At the function's entry, the stack pointer is in another place.
 */
struct pair { long a, b; };
struct triple { long a, b, c; };
struct aligned { void *a; } __attribute__((aligned(16)));
struct wide { __int128 n; };
struct row { long words[24]; };

/* A parameter does not fit into registers, and a later parameter does */
long stack_pair(int a, int b, int c, int d, int e, struct pair p, int f, int g)
{
	return a + b + c + d + e + p.a + p.b + f + g;
}

long stack_mixed(struct triple t, char a, struct triple u, short b)
{
	return t.a + t.c + a + u.b + b;
}

/* A word is left free so that the next parameter is aligned */
long stack_aligned(struct triple t, struct wide w, struct aligned a, long b, long c, long d,
		   struct aligned e, struct pair p, int f)
{
	return t.a + w.n + (long)a.a + b + c + d + (long)e.a + p.a + f;
}

/* Words without a slot letter, and too many longs */
long stack_far(struct row r, struct pair p, struct pair q, struct pair s, struct triple t,
	       long last)
{
	return r.words[0] + p.a + q.a + s.a + t.a + last;
}

long stack_many(int a, int b, int c, int d, int e, int f, char g, short h, int i, long j,
		_Bool k, void *l, const char *m)
{
	return a + b + c + d + e + f + g + h + i + j + k + !l + *m;
}

/* The address for the return value is the first argument */
struct triple stack_return(int a, struct triple t, int b, int c, int d, int e, int f)
{
	t.a += a + b + c + d + e + f;
	return t;
}
