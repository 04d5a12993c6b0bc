/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_COMPILER_H
#define _COMPAT_LINUX_COMPILER_H

#include <linux/kernel.h>

#define __force
#define OPTIMIZER_HIDE_VAR(var)		__asm__ ("" : "+r" (var))
#define IS_ENABLED(option)		0

#endif /* _COMPAT_LINUX_COMPILER_H */
