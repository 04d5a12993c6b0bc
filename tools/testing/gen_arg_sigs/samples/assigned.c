// SPDX-License-Identifier: GPL-2.0
/* Parameters that a function assigns from each other before it does anything else */
struct node { struct node *next; long v; };

long assigned_two(long a, long b);
long assigned_three(long a, long b, long c);

static noinline long assigned_shifted(long a, long b, long c)
{
	a = b;
	b = c;
	assigned_three(a, b, c);
	return assigned_two(a, b);
}

static noinline long assigned_zero(long x, int len, int size)
{
	len = size;
	size = 0;
	assigned_two(x, len);
	return assigned_two(x, size);
}

/* If the pointer's only member is passed, the location is the place of the member */
static noinline long assigned_next(struct node *cur, long v)
{
	cur = cur->next;
	return assigned_two((long)cur, v) + 1;
}

/* clang loses the assigned value, and so the location, of a parameter that it passes */
static noinline long assigned_lost(char *a, int b, long c, long unused)
{
	if (b > 3)
		a = 0;
	if (b == 3)
		return 5;
	c = assigned_two((long)a, c);
	return assigned_two(c, b);
}

/* clang does not pass b, whose location is the register of the narrower a */
static noinline long assigned_wider(short a, int b)
{
	b = a;
	return assigned_two((short)b, 0);
}

/* clang does not pass b, whose location is the register of a. a itself has no location. */
static noinline long assigned_hidden(int a, int b, int *c)
{
	b = a;
	a = *c;
	return assigned_two(b, (long)c);
}

/* The interface remains, and the location of a is the place of b */
long assigned_kept(long a, long b)
{
	assigned_two(a, b);
	a = b;
	return assigned_two(b, a);
}

long assigned_caller(long a, long b, long c)
{
	struct node n = { 0, a };

	n.next = &n;
	return assigned_shifted(a, b, c) + assigned_zero(a, b, c) + assigned_next(&n, b) +
	       assigned_wider(a, b) + assigned_wider(b, a) + assigned_hidden(a, b, (int *)c) +
	       assigned_hidden(b, a, (int *)c) + assigned_lost((char *)a, b, c, 1) + assigned_lost((char *)b, c, a, 2) + 1;
}
