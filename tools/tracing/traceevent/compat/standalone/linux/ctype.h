/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_CTYPE_H
#define _COMPAT_LINUX_CTYPE_H

/* As in the kernel, only ASCII characters are digits, in any locale */
static inline int isdigit(int c)
{
	return c >= '0' && c <= '9';
}

#endif /* _COMPAT_LINUX_CTYPE_H */
