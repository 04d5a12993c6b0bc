/* SPDX-License-Identifier: GPL-2.0 */
/* Definitions that code shared with the kernel takes from the kernel's headers */
#ifndef _COMPAT_LINUX_KERNEL_H
#define _COMPAT_LINUX_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define INT_MAX			__INT_MAX__
#define noinline		__attribute__((__noinline__))
#define __noreturn		__attribute__((__noreturn__))
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

#endif /* _COMPAT_LINUX_KERNEL_H */
