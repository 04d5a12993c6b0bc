// SPDX-License-Identifier: GPL-2.0
/*
 * A call whose last argument is as far up the stack as 32 longs allow
 *
 * On arm64 the struct does not fit into the last register, so all that follows is on the stack:
 * 25 words.
 */
#include <linux/module.h>

struct words_pair {
	long x, y;
};

noinline __noclone long words_last(long a, long b, long c, long d, long e, long f, long g,
				   struct words_pair pair, long h, long i, long j, long k, long l,
				   long m, long n, long o, long p, long q, long r, long s, long t,
				   long u, long v, long w, long x, long y, long z, long aa, long bb,
				   long cc, long dd)
{
	barrier();
	return dd;
}

static int __init words_init(void)
{
	words_last(1, 2, 3, 4, 5, 6, 7, (struct words_pair){ 8, 9 }, 10, 11, 12, 13, 14, 15, 16, 17,
		   18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32);
	return 0;
}
module_init(words_init);

static void __exit words_exit(void)
{
}
module_exit(words_exit);

MODULE_DESCRIPTION("An argument in the last word of the stack");
MODULE_LICENSE("GPL");
