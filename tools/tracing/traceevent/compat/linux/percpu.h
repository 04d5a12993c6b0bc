/* SPDX-License-Identifier: GPL-2.0 */
/* In the kernel, the mark of memory that each CPU has */
#define __percpu
