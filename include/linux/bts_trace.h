/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bts tracer: the numbers of branches in events, and the calls from the rest of the
 * kernel to the tracer
 *
 * User space includes this file, too.
 */
#ifndef _LINUX_BTS_TRACE_H
#define _LINUX_BTS_TRACE_H

/*
 * The number in an event of the function_graph tracer: the number of the next branch among
 * all records of a CPU, the CPU, whether the entry was written after events of its callees may
 * have been written, and whether the CPU did not record branches at that time
 */
#define BTS_NUMBER_BITS		48
#define BTS_NUMBER_LATE		0x4000000000000000ULL
#define BTS_NUMBER_IDLE		0x8000000000000000ULL

#ifdef __KERNEL__
#include <linux/types.h>

#ifdef CONFIG_BTS_TRACER
void bts_trace_suspend(void);
void bts_trace_resume(void);
bool bts_graph_numbered(void);
u64 bts_graph_number(void);
#else
static inline void bts_trace_suspend(void)
{
}

static inline void bts_trace_resume(void)
{
}
#endif
#endif /* __KERNEL__ */

#endif /* _LINUX_BTS_TRACE_H */
