/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_COMPILER_H
#define _COMPAT_LINUX_COMPILER_H

#define __printf(a, b)	__attribute__((__format__(__printf__, a, b)))
#define __weak		__attribute__((__weak__))

#endif /* _COMPAT_LINUX_COMPILER_H */
