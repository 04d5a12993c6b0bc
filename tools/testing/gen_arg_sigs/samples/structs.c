// SPDX-License-Identifier: GPL-2.0
/* Records by value: the places of later parameters depend on how records are passed */
struct one { int a; };
struct two { long a, b; };
struct three { long a, b, c; };
struct bits { unsigned int a:3; unsigned long b:40; unsigned int c:20; };
struct __packed unaligned { char a; void *b; };
struct nested { struct one a[2]; union { char c; void *p; } b; };
struct empty { };
struct mixed { double a; void *b; };
struct floats { float a, b; };
union choice { int a; char b[12]; };
typedef struct { unsigned long val; } kval_t;
struct large { char data[400]; };

int structs_registers(struct one o, int a, struct two t, int b)
{
	return o.a + a + t.a + b;
}

/* Only one register is left for two longs, so the next parameter gets the register */
int structs_all_or_nothing(long a, long b, long c, long d, long e, struct two t, int f)
{
	return a + b + c + d + e + t.a + f;
}

int structs_memory(int a, struct three t, int b, struct unaligned u, int c)
{
	return a + t.a + b + (long)u.b + c;
}

int structs_inside(struct bits b, int a, struct nested n, int c)
{
	return b.a + a + n.a[1].a + c;
}

int structs_floats(struct mixed m, int a, struct floats f, int b, union choice c, int d)
{
	return (long)m.b + a + f.a + b + c.a + d;
}

int structs_empty(struct empty e, int a, kval_t k, int b)
{
	return a + k.val + b;
}

struct two structs_return_two(int a)
{
	return (struct two){ a, a };
}

/* The address for the return value takes the first register */
struct three structs_return_three(int a, void *p)
{
	return (struct three){ a, a, (long)p };
}

kval_t structs_return_typedef(kval_t k)
{
	return k;
}

/* More longs than the tracer captures of one call */
int structs_large(int a, struct large l, int b)
{
	return a + l.data[0] + b;
}

typedef union {
	struct one **ones;
	struct two **twos;
} __attribute__((transparent_union)) pointers_t;

/* gcc's DWARF of the union has no members */
int structs_transparent(pointers_t p, int a)
{
	return !p.ones + a;
}

/* gcc passes bit-fields without a name as integers, and the DWARF does not have them */
struct hidden { float a; int : 32; float b; };
union unnamed { double a; int : 8; };

long structs_hidden(struct hidden h, long a, long b)
{
	return a;
}

long structs_unnamed(union unnamed u, long a, long b)
{
	return a + 1;
}
