// SPDX-License-Identifier: GPL-2.0
/* Functions with the same code, which gcc merges */
struct one { long x; char *name; };
struct two { long *p; int q; };
enum first { FIRST_A = 1, FIRST_B };
enum second { SECOND_A = 1, SECOND_B };

long twins_other(long a);
long twins_tail(char *a, int b);
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

/* gcc makes the second function a jump to the first, and calls the first instead */
long twins_wrapped(char *a, int b)
{
	twins_sink = (long)a;
	while (twins_other(b) > 4)
		twins_other(twins_sink + twins_other(15));
	if (twins_other((long)a) > 5)
		twins_other(twins_other(b + 4));
	return twins_other((long)a + b) + 15;
}

long twins_wrapped_too(struct two *a, int b)
{
	twins_sink = (long)a;
	while (twins_other(b) > 4)
		twins_other(twins_sink + twins_other(15));
	if (twins_other((long)a) > 5)
		twins_other(twins_other(b + 4));
	return twins_other((long)a + b) + 15;
}

/* The bytes of its jump are those of the jump to the first function above */
long twins_forward(char *a, int b)
{
	return twins_tail(a, b);
}

/* The same, but the code of the first function is inlined into the second */
long twins_within(char *a, int b)
{
	twins_sink += (long)a;
	twins_sink *= b;
	return twins_other((long)a + b) + 16;
}

long twins_within_too(struct two *a, int b)
{
	twins_sink += (long)a;
	twins_sink *= b;
	return twins_other((long)a + b) + 16;
}

/* Only a clone of the first function is left, and nothing of the second */
static noinline long twins_passed(char *a, int b)
{
	twins_sink = (long)a;
	return twins_other((long)a + b) + 17;
}

static noinline long twins_passed_too(struct two *a, int b)
{
	twins_sink = (long)a;
	return twins_other((long)a + b) + 17;
}

/* Nothing calls these directly, so the first function is called by its name only */
long twins_apart(char *a, int b)
{
	twins_sink -= (long)a;
	return twins_other((long)a + b) + 18;
}

long twins_apart_too(struct two *a, int b)
{
	twins_sink -= (long)a;
	return twins_other((long)a + b) + 18;
}

__cold long twins_first(struct one *one, enum first value)
{
	return twins_pointer(one, 3 + value) + twins_enum(value) + 1 +
	       twins_wrapped(one->name, value) + twins_within(one->name, value) +
	       twins_passed(one->name, 7);
}

__cold long twins_second(struct two *two, enum second value)
{
	return twins_pointer_too(two, 4 + value) + twins_enum_too(value) + 2 +
	       twins_wrapped_too(two, value) + twins_within_too(two, value) +
	       twins_passed_too(two, 7);
}
