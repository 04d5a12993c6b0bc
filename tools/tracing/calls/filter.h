/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's functions for lines, which filter-parse.c builds for filter.c */
#ifndef _TRACE_CALLS_FILTER_H
#define _TRACE_CALLS_FILTER_H

/* In the kernel, the mark of memory that each CPU has */
#define __percpu

#include "../../../kernel/trace/calls/parse.h"

#endif /* _TRACE_CALLS_FILTER_H */
