/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls from the rest of the kernel to the bts tracer
 */
#ifndef _LINUX_BTS_TRACE_H
#define _LINUX_BTS_TRACE_H

#ifdef CONFIG_BTS_TRACER
void bts_trace_suspend(void);
void bts_trace_resume(void);
#else
static inline void bts_trace_suspend(void)
{
}

static inline void bts_trace_resume(void)
{
}
#endif

#endif /* _LINUX_BTS_TRACE_H */
