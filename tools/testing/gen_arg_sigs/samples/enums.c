// SPDX-License-Identifier: GPL-2.0
/* Enums: plain, with gaps, negative, packed, of bits, without a tag or a body */
enum plain { PLAIN_A, PLAIN_B, PLAIN_C };
enum gaps { GAPS_A = 3, GAPS_B, GAPS_C = 0x100, GAPS_D = 7 };
enum negative { NEGATIVE_A = -22, NEGATIVE_B, NEGATIVE_C = 0 };
enum bits { BITS_A = 1, BITS_B = 2, BITS_C = 4, BITS_D = 0x80000000 };
enum bits_zero { BITS_ZERO_NONE, BITS_ZERO_A = 8 };
enum count { COUNT_ZERO, COUNT_ONE, COUNT_TWO };
enum __packed small { SMALL_A, SMALL_B = 200 };
enum wide { WIDE_A = 0x123456789aULL };
enum hidden;
typedef enum { UNTAGGED_A = 1, UNTAGGED_B } untagged_t;

int enums_values(enum plain p, enum gaps g, enum negative n, enum bits b,
		 enum bits_zero z, enum count c)
{
	return p + g + n + b + z + c;
}

enum negative enums_more(enum small s, enum wide w, untagged_t u, const enum plain *p,
			 enum hidden *h)
{
	return s + w + u + (p == 0) + (h == 0);
}
