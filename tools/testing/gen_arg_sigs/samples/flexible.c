// SPDX-License-Identifier: GPL-2.0
/* Arrays without a length, which are not the last member of the outer record */
struct tailed { long a; int tail[]; };
struct middle { struct tailed t; unsigned short m : 14; };
union either { struct tailed t; unsigned long u; };
struct array { struct tailed t[1]; void *b; };

long flexible_middle(struct middle x, long y)
{
	return y;
}

long flexible_union(union either x, long y)
{
	return y;
}

long flexible_array(struct array x, long y)
{
	return y;
}

struct middle flexible_return(long y)
{
	struct middle m = { .m = y };

	return m;
}
