/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_STRING_H
#define _COMPAT_LINUX_STRING_H

#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>

/* The text has to fit, or the test is wrong */
static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t len = strlen(from);

	if (len >= size)
		__builtin_trap();
	memcpy(to, from, len + 1);
	return len;
}

#define scnprintf(to, size, ...)					\
({									\
	size_t __size = (size);						\
									\
	min_t(size_t, snprintf(to, __size, __VA_ARGS__), __size - 1);	\
})

#endif /* _COMPAT_LINUX_STRING_H */
