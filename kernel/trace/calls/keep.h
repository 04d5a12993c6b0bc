/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that the function_graph tracer keeps from their entry until their return
 *
 * Calls are kept for conditions that are decided at the return, for funcgraph-single, and
 * for counts by values of the return.  A call is kept in its frame on the task's shadow
 * stack.  So the call is gone when it has returned, or when its task is freed.  If the
 * shadow stack has no room, the call is not kept.
 */
#ifndef _TRACE_GRAPH_KEEP_H
#define _TRACE_GRAPH_KEEP_H

#include <linux/ftrace.h>
#include <linux/preempt.h>

#include "../trace.h"
#include "../args/capture.h"

struct task_struct;

/**
 * enum kept_written - the state of a call that is one event, written at the call's return
 * @KEPT_NOT_WRITTEN: it is not known whether the call is written, or it is not written
 * @KEPT_WRITTEN: the call is written at its return
 * @KEPT_DRAINED: the call has been written before its return
 */
enum kept_written {
	KEPT_NOT_WRITTEN,
	KEPT_WRITTEN,
	KEPT_DRAINED,
};

/**
 * struct kept_state - the state of a kept call, which an entry sets at once
 * @level: the context level of the call, from interrupt_context_level()
 * @written: whether the call's entry has been written; for calls that are one event, see
 *	enum kept_written
 * @known: whether @bits are known
 * @returning: whether the tracer is writing the call because the call returns
 * @bits: the results of the conditions at the entry
 */
struct kept_state {
	u8			level;
	u8			written;
	bool			known;
	bool			returning;
	u32			bits;
};

/**
 * struct kept_call - a kept call
 * @calltime: when the call began
 * @sleeptime: how long the task had slept when the call began
 * @id: the tracer's number of the instance, see trace_graph_kept_start()
 * @owner: the rule of the function's lines, or NULL
 * @number: the number of the CPU's next branch at the entry, see graph_put_number()
 * @results: the data for the return, or NULL
 * @above: the next inner call, while the calls of a task are written
 * @ent: the graph entry
 * @state: what changes until the return
 * @trace_ctx: the context flags of the entry
 * @size: bytes of @args
 * @args: the words that follow the fields of the call's entry event
 *
 * The callbacks of function_graph find the times of any call at the same place.
 */
struct kept_call {
	u64			calltime;
	u64			sleeptime;
	u64			id;
	const void		*owner;
	u64			number;
	struct call_results	*results;
	struct kept_call	*above;
	struct ftrace_graph_ent	ent;
	struct kept_state	state;
	u32			trace_ctx;
	u32			size;
	unsigned long		args[];
};

/**
 * struct kept_results - the data for the return of a call
 * @calltime: when the call began
 * @sleeptime: how long the task had slept when the call began
 * @id: ~kept_id of the instance, so that nothing else of a frame is taken for the data
 * @results: the data
 *
 * If the call is kept as well, &struct kept_call comes later on the shadow stack.
 */
struct kept_results {
	u64			calltime;
	u64			sleeptime;
	u64			id;
	struct call_results	results;
};

static_assert(offsetof(struct kept_call, sleeptime) == offsetof(struct kept_results, sleeptime) &&
	      offsetof(struct kept_call, id) == offsetof(struct kept_results, id));

#ifdef CONFIG_FUNCTION_ARG_SIGS

void trace_graph_kept_start(struct trace_array *tr);
void trace_graph_kept_stop(struct trace_array *tr);

/**
 * kept_check - find out whether data of the shadow stack is a call of the instance
 * @tr: the trace instance
 * @data: the data, may be NULL
 * @size: bytes of the data
 *
 * Return: the call, NULL if the data is no call.
 */
static __always_inline struct kept_call *
kept_check(struct trace_array *tr, void *data, int size)
{
	struct kept_call *call = data;

	if (likely(call && size >= (int)sizeof(*call) && call->id == READ_ONCE(tr->kept_id)))
		return call;
	return NULL;
}

/**
 * kept_find - find the call that is returning
 * @gops: the instance's callbacks
 *
 * Only for callbacks of returns.
 *
 * Return: the call, NULL if it is not kept.
 */
static __always_inline struct kept_call *kept_find(struct fgraph_ops *gops)
{
	int size = 0;
	void *data = fgraph_find(gops->idx, &size, current->curr_ret_stack - 1);

	return kept_check(gops->private, data, size);
}

/**
 * kept_find_last - find the call that is returning if it is easy
 * @gops: the instance's callbacks
 *
 * Only for callbacks of returns.
 *
 * Return: the call, NULL if it is not kept, or if another tracer has kept data after it.
 */
static __always_inline struct kept_call *kept_find_last(struct fgraph_ops *gops)
{
	int size = 0;
	void *data = fgraph_find_last(gops->idx, &size);

	return kept_check(gops->private, data, size);
}

/**
 * kept_prev - find the open calls of a task, from the last call to the first call
 * @tr: the trace instance
 * @task: the current task, or a task that does not run meanwhile
 * @pos: state of this function; the caller sets @pos to @task->curr_ret_stack first
 *
 * A call whose entry is under way is left out.
 *
 * Return: the next call towards the root, NULL if there is no such call.
 */
static inline struct kept_call *kept_prev(struct trace_array *tr,
					  struct task_struct *task, int *pos)
{
	struct kept_call *call;
	void *data;
	int size;

	while ((data = fgraph_prev_data(task, tr->gops->idx, pos, &size))) {
		call = kept_check(tr, data, size);
		if (call)
			return call;
	}
	return NULL;
}

/**
 * kept_results - find the data for the return of a call
 * @tr: the trace instance
 *
 * Only for callbacks of returns.
 *
 * Return: the data, NULL if there is none.
 */
static __always_inline struct call_results *kept_results(struct trace_array *tr)
{
	int size = 0;
	struct kept_results *data = fgraph_find(tr->gops->idx, &size,
						current->curr_ret_stack - 1);
	struct kept_call *call = kept_check(tr, data, size);

	if (call)
		return call->results;
	if (data && size >= (int)sizeof(*data) && data->id == ~READ_ONCE(tr->kept_id))
		return &data->results;
	return NULL;
}

/**
 * kept_reserve - take room for a call on the shadow stack
 * @gops: the instance's callbacks
 * @nr: the number of longs of the call's arguments
 *
 * Only for callbacks of entries. Nobody finds the call before the callbacks have
 * returned, so the caller fills in all other members in any order.
 *
 * Return: the call, NULL if there is no room.
 */
static __always_inline struct kept_call *
kept_reserve(struct fgraph_ops *gops, unsigned int nr)
{
	const struct trace_array *tr = gops->private;
	struct kept_call *call;

	call = fgraph_reserve(gops->idx, sizeof(*call) / sizeof(long) + nr);
	if (likely(call))
		call->id = tr->kept_id;
	return call;
}

/* Let a kept call begin now, after all that its entry does */
static __always_inline void kept_begin(struct kept_call *call)
{
	graph_call_begin(&call->calltime, &call->sleeptime);
}

/**
 * kept_reserve_results - take room for the data for the return of a call
 * @tr: the trace instance
 *
 * Only for callbacks of entries.
 *
 * Return: the room, NULL if there is none.
 */
static __always_inline struct kept_results *
kept_reserve_results(struct trace_array *tr)
{
	struct kept_results *data;

	data = fgraph_reserve(tr->gops->idx, sizeof(*data) / sizeof(long));
	if (data) {
		data->id = ~tr->kept_id;
		data->results.known = false;
	}
	return data;
}

/* interrupt_context_level() of the context that @trace_ctx is of */
static __always_inline u8 kept_level(unsigned int trace_ctx)
{
	unsigned int flags = trace_ctx >> 16;

	/* The level does not know softirqs that run in threads */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return interrupt_context_level();
	if (likely(!(flags & (TRACE_FLAG_NMI | TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ))))
		return 0;
	return flags & TRACE_FLAG_NMI ? 3 : flags & TRACE_FLAG_HARDIRQ ? 2 : 1;
}

/* Set the members of a kept call that the call and the context determine */
static __always_inline void kept_set(struct kept_call *call, const struct ftrace_graph_ent *trace,
				     struct call_results *results)
{
	call->results = results;
	/* A copy of the struct takes more registers */
	call->ent.func = trace->func;
	call->ent.depth = trace->depth;
}

/*
 * Keep a call with its first @nr argument registers, and with the number of a set of signatures;
 * returns NULL without room
 */
static __always_inline struct kept_call *
kept_registers(struct fgraph_ops *gops, const struct ftrace_graph_ent *trace,
	       struct ftrace_regs *fregs, struct call_results *results, unsigned int nr,
	       u32 set)
{
	struct kept_call *call;

	call = kept_reserve(gops, nr + (set != ARG_SIGS_IMAGE));
	if (likely(call)) {
		kept_set(call, trace, results);
		call->size = nr * sizeof(long);
		capture_regs(call->args, nr, fregs);
		if (set != ARG_SIGS_IMAGE) {
			*(u32 *)(call->args + nr) = set;
			call->size += sizeof(set);
		}
	}
	return call;
}

/*
 * Keep a call of a function that is in the image and has its arguments in registers, as nearly
 * all functions have; returns NULL for other functions, and without room
 */
static __always_inline struct kept_call *
kept_image(struct fgraph_ops *gops, const struct ftrace_graph_ent *trace,
	   struct ftrace_regs *fregs, struct call_results *results)
{
	const struct trace_array *tr = gops->private;
	u32 ref;

	if (unlikely(!arg_sig_called_in_image(trace->func)))
		return NULL;
	ref = arg_sig_find_image(trace->func);
	if (unlikely(ref & READ_ONCE(tr->func_args.not_regs)))
		return NULL;
	return kept_registers(gops, trace, fregs, results, ref & ARG_SIG_REF_NR,
			      ARG_SIGS_IMAGE);
}

struct kept_call *trace_graph_keep_any(struct trace_array *tr,
				       const struct ftrace_graph_ent *trace,
				       struct ftrace_regs *fregs,
				       struct call_results *results);

/**
 * trace_graph_keep - keep a call with its arguments
 * @tr: the trace instance
 * @trace: the call
 * @fregs: the registers at the function's entry, or NULL; then no arguments are kept
 * @results: the same as in call_args_get()
 *
 * The arguments are kept if funcgraph-args is set.  The caller sets the times, the state,
 * and the members that the parameters do not determine.  Any context, including NMI, with
 * preemption disabled.
 *
 * Return: the call, NULL if there is no room.
 */
static __always_inline struct kept_call *
trace_graph_keep(struct trace_array *tr, const struct ftrace_graph_ent *trace,
		 struct ftrace_regs *fregs, struct call_results *results)
{
	struct kept_call *call;

	if (likely(tr->current_trace_flags->val & TRACE_GRAPH_ARGS && fregs)) {
		call = kept_image(tr->gops, trace, fregs, results);
		if (likely(call))
			return call;
	}
	return trace_graph_keep_any(tr, trace, fregs, results);
}

#else

/* Not called without CONFIG_FUNCTION_ARG_SIGS */
struct kept_call *kept_check(struct trace_array *tr, void *data, int size);
struct kept_call *kept_find(struct fgraph_ops *gops);
struct call_results *kept_results(struct trace_array *tr);
struct kept_results *kept_reserve_results(struct trace_array *tr);

static inline void trace_graph_kept_start(struct trace_array *tr)
{
}

static inline void trace_graph_kept_stop(struct trace_array *tr)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_GRAPH_KEEP_H */
