/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that are kept from their entry until their return
 *
 * A tracer that decides at a call's return whether the call is written keeps
 * what was captured at the entry.  Each task has a stack of kept calls, in
 * chunks that come from the pool of a store.  The tracer has one word for each
 * task, and the store uses its upper half.
 */
#ifndef _TRACE_ARGS_KEPT_H
#define _TRACE_ARGS_KEPT_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* The part of a task's word that belongs to the store */
#define KEPT_SHIFT		32

/**
 * struct kept_call - a call that is kept
 * @tip: the chunk's tip before this call, for the store
 * @depth: the call's depth plus 1; 0 while the call is not complete
 * @level: the context that it was made in, from interrupt_context_level()
 * @written: its entry has been written
 * @known: @bits are known
 * @ent: the graph entry
 * @trace_ctx: context flags of the entry
 * @size: bytes of @args
 * @bits: what the tracer has found out at the entry
 * @owner: for the tracer
 * @above: for the tracer, while it goes from a call to its parents and back
 * @args: what goes behind the fields of its entry event
 */
struct kept_call {
	u32			tip;
	u16			depth;
	u8			level;
	bool			written;
	bool			known;
	struct ftrace_graph_ent	ent;
	u32			trace_ctx;
	u32			size;
	u32			bits;
	const void		*owner;
	struct kept_call	*above;
	unsigned long		args[];
};

struct kept_store;

struct kept_store *kept_store_alloc(unsigned int chunks);
void kept_store_free(struct kept_store *store);
struct kept_call *kept_push(struct kept_store *store, unsigned long *word,
			    unsigned int depth, unsigned int size);
struct kept_call *kept_top(struct kept_store *store, unsigned long *word,
			   unsigned int depth);
struct kept_call *kept_below(struct kept_store *store, unsigned long word,
			     const struct kept_call *call, u32 *chunk);
void kept_pop(struct kept_store *store, unsigned long *word);
void kept_drop(struct kept_store *store, unsigned long *word);

/**
 * kept_publish - let a call be found that has been filled in
 * @call: from kept_push()
 * @depth: the call's depth
 */
static inline void kept_publish(struct kept_call *call, unsigned int depth)
{
	/* An interrupt sees all of the call or none */
	barrier();
	WRITE_ONCE(call->depth, depth + 1);
}

#endif /* _TRACE_ARGS_KEPT_H */
