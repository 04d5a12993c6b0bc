/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_LOG2_H
#define _COMPAT_LINUX_LOG2_H

#include <linux/bitops.h>

static inline bool is_power_of_2(unsigned long val)
{
	return val && !(val & (val - 1));
}

static inline int ilog2(u64 val)
{
	return fls64(val) - 1;
}

static inline unsigned long roundup_pow_of_two(unsigned long val)
{
	return val > 1 ? 1UL << fls64(val - 1) : 1;
}

#endif /* _COMPAT_LINUX_LOG2_H */
