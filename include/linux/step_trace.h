/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the step tracer that the architecture calls, see
 * kernel/trace/bts/step.c
 */
#ifndef _LINUX_STEP_TRACE_H
#define _LINUX_STEP_TRACE_H

#include <linux/types.h>

bool step_wanted(void);

#endif /* _LINUX_STEP_TRACE_H */
