/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_ERR_H
#define _COMPAT_LINUX_ERR_H

#define MAX_ERRNO	4095
#define IS_ERR_VALUE(val)	((unsigned long)(val) >= (unsigned long)-MAX_ERRNO)

#endif /* _COMPAT_LINUX_ERR_H */
