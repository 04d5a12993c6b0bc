/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_ERRNAME_H
#define _COMPAT_LINUX_ERRNAME_H

const char *errname(int err);

#endif /* _COMPAT_LINUX_ERRNAME_H */
