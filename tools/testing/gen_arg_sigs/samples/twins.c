// SPDX-License-Identifier: GPL-2.0
/* Functions with the same code, which gcc gives one address */
struct one { long x; char *name; };
struct two { long *p; int q; };
enum first { FIRST_A = 1, FIRST_B };
enum second { SECOND_A = 1, SECOND_B };

long twins_other(long a);
extern long twins_sink;

static noinline long twins_pointer(struct one *a, int b)
{
	twins_sink = (long)a;
	return twins_other((long)a + b) + 13;
}

static noinline long twins_pointer_too(struct two *a, int b)
{
	twins_sink = (long)a;
	return twins_other((long)a + b) + 13;
}

static noinline enum first twins_enum(enum first value)
{
	twins_sink = value;
	return twins_other(value) + 14;
}

static noinline enum second twins_enum_too(enum second value)
{
	twins_sink = value;
	return twins_other(value) + 14;
}

long twins_first(struct one *one, enum first value)
{
	return twins_pointer(one, 3 + value) + twins_enum(value) + 1;
}

long twins_second(struct two *two, enum second value)
{
	return twins_pointer_too(two, 4 + value) + twins_enum_too(value) + 2;
}
