/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_CTYPE_H
#define _COMPAT_LINUX_CTYPE_H

/* As in the kernel, only ASCII characters are digits, in any locale */
static inline int isdigit(int c)
{
	return c >= '0' && c <= '9';
}

static inline int isalpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline int isalnum(int c)
{
	return isalpha(c) || isdigit(c);
}

static inline int isxdigit(int c)
{
	return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline int isspace(int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif /* _COMPAT_LINUX_CTYPE_H */
