/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_BITOPS_H
#define _COMPAT_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define BITS_PER_BYTE		8

static inline int fls64(u64 val)
{
	return val ? 64 - __builtin_clzll(val) : 0;
}

static inline int fls(u32 val)
{
	return fls64(val);
}

static inline s64 sign_extend64(u64 val, int sign_bit)
{
	int shift = 63 - sign_bit;

	return (s64)(val << shift) >> shift;
}

#endif /* _COMPAT_LINUX_BITOPS_H */
