/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The step tracer, for the architecture, see kernel/trace/trace_step.c
 */
#ifndef _LINUX_STEP_TRACE_H
#define _LINUX_STEP_TRACE_H

#include <linux/types.h>

bool step_wanted(void);

#endif /* _LINUX_STEP_TRACE_H */
