/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_LOG2_H
#define _COMPAT_LINUX_LOG2_H

#include <linux/bitops.h>

static inline unsigned long roundup_pow_of_two(unsigned long val)
{
	return val > 1 ? 1UL << fls64(val - 1) : 1;
}

#endif /* _COMPAT_LINUX_LOG2_H */
