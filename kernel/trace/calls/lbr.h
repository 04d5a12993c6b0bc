/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The branches that led to the return of a call, by the CPU's last branch records
 */
#ifndef _TRACE_GRAPH_LBR_H
#define _TRACE_GRAPH_LBR_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "../trace.h"
#include "lines.h"

#if defined(CONFIG_FUNCTION_ARG_SIGS) && defined(CONFIG_BTS_TRACER)

/* The maximum number of last branch records that a CPU has */
#define GRAPH_LBR_RECORDS	32

/**
 * struct graph_lbr_last - the CPU's last branches
 * @taken: whether the branches were copied for the call that returns
 * @nr: the number of branches
 * @entry: the branches, the last branch first
 */
struct graph_lbr_last {
	bool				taken;
	unsigned int			nr;
	struct perf_branch_entry	entry[GRAPH_LBR_RECORDS];
};

#define GRAPH_LBR_CONTEXTS	4	/* a task, a softirq, an interrupt and an NMI */

/* Lets the CPU keep its last branches. NULL if no instance wants the branches */
DECLARE_PER_CPU(struct perf_event *, graph_lbr_event);

/* The last branches of each context. NULL if no instance wants the branches */
extern struct graph_lbr_last __percpu *graph_lbr_lasts;

static __always_inline struct graph_lbr_last *graph_lbr_last(void)
{
	return this_cpu_ptr(graph_lbr_lasts) + interrupt_context_level();
}

/* Whether the CPU keeps its last branches. Otherwise perf has those of another event or time */
static __always_inline bool graph_lbr_active(void)
{
	const struct perf_event *event = this_cpu_read(graph_lbr_event);

	return likely(event) && likely(event->state == PERF_EVENT_STATE_ACTIVE);
}

/**
 * graph_lbr_take - copy the CPU's last branches before the CPU overwrites them
 * @tr: the trace instance, which wants the branches
 * @ret: the call's return value
 *
 * Nothing is copied for a call that cannot meet the conditions.  Nothing is copied while
 * interrupts are off, because perf may be changing the PMU.
 *
 * The caller has preemption disabled, and calls graph_lbr_drop() at the end of the return.
 */
static __always_inline void graph_lbr_take(const struct trace_array *tr, unsigned long ret)
{
	struct graph_lbr_last *last;

	last = graph_lbr_last();
	last->taken = false;
	if (irqs_disabled())
		return;
	/* An error is a negative number of 32 or 64 bits, or an error pointer */
	if (tr->graph_filter->wants_errors && -(u32)ret - 1 >= MAX_ERRNO)
		return;
	last->nr = 0;
	if (likely(graph_lbr_active())) {
		/* Functions that perf calls must not appear in the trace */
		pause_graph_tracing();
		last->nr = static_call(perf_snapshot_branch_stack)(last->entry, GRAPH_LBR_RECORDS);
		unpause_graph_tracing();
	}
	last->taken = true;
}

/**
 * graph_lbr_drop - forget the branches at the end of the return that they were copied for
 *
 * The caller has preemption disabled.
 */
static __always_inline void graph_lbr_drop(void)
{
	graph_lbr_last()->taken = false;
}

int graph_lbr_set(struct trace_array *tr, bool set);
void graph_lbr_write(struct trace_array *tr, unsigned long func);

#else

static inline void graph_lbr_take(const struct trace_array *tr, unsigned long ret)
{
}

static inline void graph_lbr_drop(void)
{
}

static inline int graph_lbr_set(struct trace_array *tr, bool set)
{
	return set ? -EOPNOTSUPP : 0;
}

static inline void graph_lbr_write(struct trace_array *tr, unsigned long func)
{
}

#endif

#endif /* _TRACE_GRAPH_LBR_H */
