/* SPDX-License-Identifier: GPL-2.0 */
/* What code that is shared with the kernel takes from its headers */
#ifndef _COMPAT_LINUX_KERNEL_H
#define _COMPAT_LINUX_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define S32_MAX			INT32_MAX
#define U32_MAX			UINT32_MAX
#define INT_MAX			__INT_MAX__
#define noinline		__attribute__((__noinline__))
#define __printf(string, first)	__attribute__((__format__(__printf__, string, first)))
#define unlikely(condition)	__builtin_expect(!!(condition), 0)
#define fallthrough		__attribute__((__fallthrough__))
#define BUILD_BUG_ON(condition)	_Static_assert(!(condition), #condition)

#define min(a, b)							\
({									\
	__auto_type __a = (a);						\
	__auto_type __b = (b);						\
									\
	__a < __b ? __a : __b;						\
})

#define max(a, b)							\
({									\
	__auto_type __max_a = (a);					\
	__auto_type __max_b = (b);					\
									\
	__max_a > __max_b ? __max_a : __max_b;				\
})

#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))

#define container_of(ptr, type, member)				\
	((type *)((char *)(ptr) - offsetof(type, member)))

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

static inline unsigned long roundup_pow_of_two(unsigned long val)
{
	return val > 1 ? 1UL << fls64(val - 1) : 1;
}

#endif /* _COMPAT_LINUX_KERNEL_H */
