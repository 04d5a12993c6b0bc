/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_SLAB_H
#define _COMPAT_LINUX_SLAB_H

#include <stdlib.h>
#include <string.h>

#define GFP_KERNEL		0xcc0
#define kmalloc(size, gfp)	malloc(size)
#define kvcalloc(nr, size, gfp)	calloc(nr, size)
#define kstrndup(text, len, gfp)	strndup(text, len)
#define kfree(ptr)		free(ptr)
#define kvfree(ptr)		free(ptr)

#endif /* _COMPAT_LINUX_SLAB_H */
