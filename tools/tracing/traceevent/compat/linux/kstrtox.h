/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_KSTRTOX_H
#define _COMPAT_LINUX_KSTRTOX_H

#include <errno.h>
#include <stdlib.h>

#include <linux/types.h>

/* The text begins with a digit */
static inline int kstrtou64(const char *text, unsigned int base, u64 *val)
{
	char *end;

	errno = 0;
	*val = strtoull(text, &end, base);
	return errno || end == text || *end ? -EINVAL : 0;
}

#endif /* _COMPAT_LINUX_KSTRTOX_H */
