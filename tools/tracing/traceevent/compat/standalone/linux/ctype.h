/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_CTYPE_H
#define _COMPAT_LINUX_CTYPE_H

/* As the kernel has it: of ASCII, and of nothing else in any locale */
static inline int isdigit(int c)
{
	return c >= '0' && c <= '9';
}

#endif /* _COMPAT_LINUX_CTYPE_H */
