/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_HEX_H
#define _COMPAT_LINUX_HEX_H

static inline int hex_to_bin(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif /* _COMPAT_LINUX_HEX_H */
