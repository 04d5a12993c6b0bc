// SPDX-License-Identifier: GPL-2.0
/* Functions whose variables gcc does not track, although the unit's options ask for it */
#ifdef __clang__
#define UNTRACKED
#else
#define UNTRACKED	__attribute__((optimize("no-var-tracking")))
#endif

struct flow {
	long words[7];
};

void untracked_build(struct flow *flow, const void *sk, const char *skb, int proto);
void untracked_update(const void *dst, struct flow *flow, unsigned int mtu);

/* The third parameter moves to the register of the second one */
UNTRACKED void untracked_moved(const void *dst, const void *sk, const char *skb,
			       unsigned int mtu, _Bool confirm)
{
	struct flow flow = { };

	if (skb)
		untracked_build(&flow, sk, skb, skb[9]);
	if (confirm)
		flow.words[0] = 0;
	untracked_update(dst, &flow, mtu);
}

UNTRACKED int untracked_kept(int a, const char *p, long b)
{
	untracked_update(p, 0, a);
	return a + p[b];
}

/* A parameter moves to a register that passes another parameter */
UNTRACKED unsigned long untracked_shift(const unsigned short *pc, unsigned long a,
					unsigned long b, long n)
{
	while (n--) {
		switch (*pc++) {
		case 0:
			a <<= b & 63;
			break;
		case 1:
			b += n ^ a;
			break;
		default:
			a = a * 7 + n;
		}
	}
	return a;
}

/* Not every call of a function with a constant is in the DWARF */
extern int untracked_sink;

static noinline int untracked_constant(int always, int b)
{
	__asm__ volatile("" : "+m" (untracked_sink));
	return untracked_sink * b;
}

int untracked_known(int a)
{
	return untracked_constant(5, a) + 1;
}

UNTRACKED int untracked_unknown(int a)
{
	return untracked_constant(6, a) + 1;
}
