/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_LIST_H
#define _COMPAT_LINUX_LIST_H

struct list_head {
	struct list_head *next, *prev;
};

#endif /* _COMPAT_LINUX_LIST_H */
