/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that are kept from their entry until their return
 *
 * A tracer that decides at a call's return whether the call is written keeps
 * the arguments that were captured at the entry.  Each task has a stack of kept
 * calls, in chunks that come from the pool of a store.  The tracer has one word
 * for each task, and the store uses the upper half of the word.
 */
#ifndef _TRACE_ARGS_KEPT_H
#define _TRACE_ARGS_KEPT_H

#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

struct task_struct;
struct trace_array;

/* The part of a task's word that belongs to the store */
#define KEPT_SHIFT		32

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
 * struct kept_call - a kept call
 * @tip: the chunk's tip before this call, for the store
 * @depth: the call's depth plus 1; 0 while the call is not complete
 * @level: the context level of the call, from interrupt_context_level()
 * @written: whether the call's entry has been written; for calls that are one event, see
 *	enum kept_written
 * @ent: the graph entry
 * @size: bytes of @args
 * @trace_ctx: for the tracer: the context flags of the entry
 * @bits: the results of the tracer's conditions at the entry
 * @known: whether @bits are known
 * @returning: whether the tracer is writing the call because the call returns
 * @owner: for the use of the tracer
 * @above: for the tracer: the next inner call, while the tracer goes from a call to its
 *	callers and back
 * @calltime: for the tracer: when the call began
 * @sleeptime: for the tracer: how long the task had slept when the call began
 * @number: for the tracer: see graph_put_number()
 * @args: the words that follow the fields of the call's entry event
 */
struct kept_call {
	u32			tip;
	u16			depth;
	u8			level;
	u8			written;
	struct ftrace_graph_ent	ent;
	u32			size;
	u32			trace_ctx;
	u32			bits;
	bool			known;
	bool			returning;
	const void		*owner;
	struct kept_call	*above;
	u64			calltime;
	u64			sleeptime;
	u64			number;
	unsigned long		args[];
};

/* Bytes of a chunk. The upper half of a tip is the begin of the last call */
#define KEPT_CHUNK_SIZE		2048
#define KEPT_TIP_SHIFT		16

/* The tip of a chunk without a call. The owner that added the chunk is about to use it */
#define KEPT_TIP_HELD		(0xffffU << KEPT_TIP_SHIFT)

/**
 * struct kept_chunk - a part of a task's stack
 * @tip: the offset of the last call in @data, shifted by KEPT_TIP_SHIFT, and the offset
 *	of the end of the last call
 * @below: the number of the chunk below, plus 1; 0 in the lowest chunk
 * @data: the calls
 */
struct kept_chunk {
	u32	tip;
	u32	below;
	u8	data[KEPT_CHUNK_SIZE - 2 * sizeof(u32)];
};

/**
 * typedef kept_lost_fn - called for a call that never returns, before it is dropped
 * @tr: the trace instance of the store
 * @call: the call
 * @task: the task, which does not run any more; NULL for the current task
 */
typedef void (*kept_lost_fn)(struct trace_array *tr, struct kept_call *call,
			     const struct task_struct *task);

/**
 * struct kept_store - the chunks that a tracer's tasks may have
 * @nr: the number of chunks
 * @next: the chunk at which a CPU begins to look for a free chunk
 * @spare: the number of the chunk that a CPU gave back last, plus 1; 0 if the CPU has no
 *	spare chunk
 * @used: bit n: chunk n belongs to a task, or is a CPU's spare chunk
 * @chunks: the chunks
 * @lost: called for calls that never return, or NULL
 * @tr: the trace instance, for @lost
 */
struct kept_store {
	unsigned int		nr;
	unsigned int __percpu	*next;
	u32 __percpu		*spare;
	unsigned long		*used;
	struct kept_chunk	*chunks;
	kept_lost_fn		lost;
	struct trace_array	*tr;
};

#ifdef CONFIG_FUNCTION_ARG_SIGS

struct kept_store *kept_store_alloc(unsigned int chunks);
void kept_store_free(struct kept_store *store);
u32 kept_find_chunk(struct kept_store *store);
void kept_put_chunk(struct kept_store *store, u32 nr);
struct kept_call *kept_below(struct kept_store *store, unsigned long word,
			     const struct kept_call *call, u32 *chunk);
struct kept_call *kept_first(struct kept_store *store, unsigned long *word);
void kept_lose(struct kept_store *store, unsigned long *word,
	       struct kept_call *call);
void kept_drop(struct kept_store *store, unsigned long *word,
	       const struct task_struct *task);
unsigned int kept_count(const struct kept_store *store);

static inline struct kept_chunk *
kept_chunk_at(const struct kept_store *store, u32 nr)
{
	return &store->chunks[nr - 1];
}

/* Find the chunk of a call: chunks are aligned to their size */
static inline struct kept_chunk *kept_chunk_of(struct kept_call *call)
{
	return PTR_ALIGN_DOWN((struct kept_chunk *)call, KEPT_CHUNK_SIZE);
}

static inline u32 kept_top_chunk(unsigned long word)
{
	return word >> KEPT_SHIFT;
}

static inline struct kept_call *
kept_call_at(struct kept_chunk *chunk, u32 tip)
{
	return (struct kept_call *)(chunk->data + (tip >> KEPT_TIP_SHIFT));
}

/*
 * Find the current task's last call; return false if there is none or it is being filled
 * in
 */
static __always_inline bool kept_last(struct kept_store *store,
				      unsigned long *word,
				      struct kept_call **call)
{
	u32 nr = kept_top_chunk(READ_ONCE(*word));
	struct kept_chunk *chunk;
	u32 tip;

	if (!nr)
		return false;
	chunk = kept_chunk_at(store, nr);
	tip = READ_ONCE(chunk->tip);
	if (unlikely(tip == KEPT_TIP_HELD))
		return false;
	*call = kept_call_at(chunk, tip);
	return true;
}

/**
 * kept_top - find the current task's last call if the call is deep enough
 * @store: the store
 * @word: the task's word
 * @depth: the minimum depth of the call
 *
 * Return: the call; NULL if there is none, if its depth is smaller, or if it is being
 * filled in.
 */
static __always_inline struct kept_call *
kept_top(struct kept_store *store, unsigned long *word, unsigned int depth)
{
	struct kept_call *call;

	if (!kept_last(store, word, &call))
		return NULL;
	return READ_ONCE(call->depth) > depth ? call : NULL;
}

static __always_inline void kept_set_top(unsigned long *word, u32 nr)
{
	WRITE_ONCE(*word, (u32)*word | (unsigned long)nr << KEPT_SHIFT);
}

/* Put an empty chunk on the current task's stack; NULL if there is none */
static __always_inline struct kept_chunk *
kept_add_chunk(struct kept_store *store, unsigned long *word)
{
	struct kept_chunk *chunk;
	u32 nr;

	/* The chunk that this CPU gave back last is probably in its cache */
	nr = this_cpu_xchg(*store->spare, 0);
	if (unlikely(!nr)) {
		nr = kept_find_chunk(store);
		if (!nr)
			return NULL;
	}
	chunk = kept_chunk_at(store, nr);
	WRITE_ONCE(chunk->tip, KEPT_TIP_HELD);
	chunk->below = kept_top_chunk(READ_ONCE(*word));
	barrier();
	kept_set_top(word, nr);
	return chunk;
}

/**
 * kept_pop - give back the room of the current task's last call
 * @store: the store
 * @word: the task's word
 * @call: the call, from kept_top() or kept_find()
 */
static __always_inline void kept_pop(struct kept_store *store,
				     unsigned long *word,
				     struct kept_call *call)
{
	struct kept_chunk *chunk = kept_chunk_of(call);
	u32 nr;

	WRITE_ONCE(call->depth, 0);
	barrier();
	if (likely(call->tip)) {
		WRITE_ONCE(chunk->tip, call->tip);
		return;
	}
	nr = kept_top_chunk(*word);
	kept_set_top(word, chunk->below);
	barrier();
	if (unlikely(this_cpu_cmpxchg(*store->spare, 0, nr)))
		kept_put_chunk(store, nr);
}

/**
 * kept_find - find the current task's call that is returning
 * @store: the store
 * @word: the task's word
 * @depth: the call's depth
 * @func: the function of the call
 * @call: set to the call
 *
 * Deeper calls never return, so they are dropped.
 *
 * Return: whether the call is kept.
 */
static __always_inline bool kept_find(struct kept_store *store,
				      unsigned long *word, unsigned int depth,
				      unsigned long func,
				      struct kept_call **call)
{
	while (kept_last(store, word, call)) {
		unsigned int last = READ_ONCE((*call)->depth);

		if (likely(last == depth + 1 && (*call)->ent.func == func))
			return true;
		if (last <= depth)
			break;
		kept_lose(store, word, *call);
	}
	return false;
}

/**
 * kept_push - take room for a call on the current task's stack
 * @store: the store
 * @word: the task's word
 * @depth: the call's depth
 * @size: bytes of its arguments
 * @level: the context level of the call, from interrupt_context_level(); 0 if the tracer
 *	does not use the level
 *
 * The caller fills in all members except the store's members, and then calls
 * kept_publish(). Any context, including NMI, with preemption disabled.
 *
 * Return: the call; NULL if there is no room, or if the call is larger than a chunk.
 */
static __always_inline struct kept_call *
kept_push(struct kept_store *store, unsigned long *word, unsigned int depth,
	  unsigned int size, u8 level)
{
	struct kept_chunk *chunk = NULL;
	struct kept_call *call;
	u32 nr, tip = 0, end, start;

	while (likely((nr = kept_top_chunk(READ_ONCE(*word))))) {
		chunk = kept_chunk_at(store, nr);
		tip = READ_ONCE(chunk->tip);
		if (unlikely(tip == KEPT_TIP_HELD))
			break;
		/*
		 * A call of the same depth or a deeper call has not returned, and never
		 * will
		 */
		call = kept_call_at(chunk, tip);
		if (likely(READ_ONCE(call->depth) <= depth))
			break;
		kept_lose(store, word, call);
		chunk = NULL;
	}

	size = ALIGN(sizeof(*call) + size, sizeof(long));
	if (unlikely(!chunk ||
		     (u16)tip + size > sizeof(chunk->data))) {
		if (unlikely(size > sizeof(chunk->data)))
			return NULL;
		chunk = kept_add_chunk(store, word);
		if (!chunk)
			return NULL;
		tip = 0;
	}

	start = (u16)tip;
	end = start + size;
	call = (struct kept_call *)(chunk->data + start);
	/*
	 * If an interrupt comes before the next store, its calls are at the same place. The
	 * depth is still 0 after it, and the tip is the same, or KEPT_TIP_HELD in a chunk
	 * that was just added.
	 */
	WRITE_ONCE(call->depth, 0);
	WRITE_ONCE(call->tip, tip);
	barrier();
	WRITE_ONCE(chunk->tip, start << KEPT_TIP_SHIFT | end);
	barrier();
	WRITE_ONCE(call->tip, tip);
	call->level = level;
	call->returning = false;
	return call;
}

/**
 * kept_publish - make a filled-in call visible
 * @call: from kept_push()
 * @depth: the call's depth
 */
static inline void kept_publish(struct kept_call *call, unsigned int depth)
{
	/* An interrupt sees either all of the call or no call */
	barrier();
	WRITE_ONCE(call->depth, depth + 1);
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_ARGS_KEPT_H */
