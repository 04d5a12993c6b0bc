/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_STRING_H
#define _COMPAT_LINUX_STRING_H

#include <stdbool.h>
#include <string.h>

static inline bool strstarts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

char *skip_spaces(const char *text);

#endif /* _COMPAT_LINUX_STRING_H */
