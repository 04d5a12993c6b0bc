/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_UNALIGNED_H
#define _COMPAT_LINUX_UNALIGNED_H

#include <linux/types.h>
#include <endian.h>
#include <string.h>

/* Read little-endian data. The plugin refuses recordings of other machines. */
static inline u64 unaligned_value(const void *ptr, size_t size)
{
	u64 val = 0;

	memcpy(&val, ptr, size);
	return val;
}

#define get_unaligned(ptr)						\
({									\
	__auto_type __ptr = (ptr);					\
									\
	unaligned_value(__ptr, sizeof(*__ptr));				\
})

static inline void put_unaligned_be64(u64 val, void *ptr)
{
	val = htobe64(val);
	memcpy(ptr, &val, sizeof(val));
}

#endif /* _COMPAT_LINUX_UNALIGNED_H */
