// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are kept from their entry until their return
 *
 * A task pushes and pops its own calls only.  An interrupt, an NMI too, that
 * comes meanwhile pushes above them, and pops what it pushed before it
 * returns.  So there is no lock: a push first moves the tip of the stack in
 * one store, and then fills in what it has taken.  A call that is not filled
 * in, and one that was popped, has no depth.
 *
 * Calls that never return leave their calls behind.  They are as deep as, or
 * deeper than, the next call that is pushed or popped, and go then.  Those of
 * a task that exits go by kept_drop().
 */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include <kunit/visibility.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_args_kept.h"

#define KEPT_CHUNK_SIZE		2048
#define KEPT_TIP_SHIFT		16

/* A tip without a call: whoever put the chunk there is about to use it */
#define KEPT_TIP_HELD		(0xffffU << KEPT_TIP_SHIFT)

/**
 * struct kept_chunk - a part of a task's stack
 * @tip: where its last call begins, shifted, and where that ends, both from
 *	@data
 * @below: the chunk below it, plus 1; 0 if this is the lowest one
 * @data: calls
 */
struct kept_chunk {
	u32	tip;
	u32	below;
	u8	data[KEPT_CHUNK_SIZE - 2 * sizeof(u32)];
};

/**
 * struct kept_store - the chunks that a tracer's tasks may have
 * @nr: how many there are
 * @next: where a CPU looks for a free chunk first
 * @used: bit n: chunk n is a task's
 * @chunks: the chunks
 */
struct kept_store {
	unsigned int		nr;
	unsigned int __percpu	*next;
	unsigned long		*used;
	struct kept_chunk	*chunks;
};

/**
 * kept_store_alloc - make a store
 * @chunks: how many chunks of 2 KB its tasks may have
 *
 * Return: the store, NULL if there is no memory.
 */
struct kept_store *kept_store_alloc(unsigned int chunks)
{
	struct kept_store *store;
	int cpu;

	BUILD_BUG_ON(sizeof(struct kept_call) + FUNC_ARGS_MAX_TAIL +
		     sizeof(long) > sizeof_field(struct kept_chunk, data));

	store = kzalloc(sizeof(*store), GFP_KERNEL);
	if (!store)
		return NULL;
	store->nr = round_up(chunks, BITS_PER_LONG);
	store->next = alloc_percpu(unsigned int);
	store->used = bitmap_zalloc(store->nr, GFP_KERNEL);
	store->chunks = kvcalloc(store->nr, sizeof(*store->chunks), GFP_KERNEL);
	if (!store->next || !store->used || !store->chunks) {
		kept_store_free(store);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		unsigned int *next = per_cpu_ptr(store->next, cpu);

		*next = store->nr / num_possible_cpus() * cpu;
	}
	return store;
}
EXPORT_SYMBOL_IF_KUNIT(kept_store_alloc);

/**
 * kept_store_free - free a store
 * @store: the store; no task uses it any more
 */
void kept_store_free(struct kept_store *store)
{
	if (!store)
		return;
	free_percpu(store->next);
	bitmap_free(store->used);
	kvfree(store->chunks);
	kfree(store);
}
EXPORT_SYMBOL_IF_KUNIT(kept_store_free);

static struct kept_chunk *chunk_at(const struct kept_store *store, u32 nr)
{
	return &store->chunks[nr - 1];
}

static u32 top_chunk(unsigned long word)
{
	return word >> KEPT_SHIFT;
}

static void set_top_chunk(unsigned long *word, u32 nr)
{
	WRITE_ONCE(*word, (u32)*word | (unsigned long)nr << KEPT_SHIFT);
}

static struct kept_call *call_at(struct kept_chunk *chunk, u32 tip)
{
	return (struct kept_call *)(chunk->data + (tip >> KEPT_TIP_SHIFT));
}

/* A chunk that is nobody's, plus 1; 0 if there is none */
static u32 get_chunk(struct kept_store *store)
{
	unsigned int i, first = raw_cpu_read(*store->next);

	for (i = 0; i < store->nr; i++) {
		unsigned int nr = first + i;

		if (nr >= store->nr)
			nr -= store->nr;
		if (!(nr % BITS_PER_LONG) &&
		    READ_ONCE(store->used[nr / BITS_PER_LONG]) == ~0UL) {
			i += BITS_PER_LONG - 1;
			continue;
		}
		if (!test_bit(nr, store->used) &&
		    !test_and_set_bit(nr, store->used)) {
			raw_cpu_write(*store->next, nr);
			return nr + 1;
		}
	}
	return 0;
}

static void put_chunk(struct kept_store *store, u32 nr)
{
	/* The next one that is wanted may as well be this one */
	raw_cpu_write(*store->next, nr - 1);
	/* Whoever takes it writes after all that was read here */
	smp_mb__before_atomic();
	clear_bit(nr - 1, store->used);
}

/* Put an empty chunk on a task's stack */
static struct kept_chunk *add_chunk(struct kept_store *store,
				    unsigned long *word)
{
	struct kept_chunk *chunk;
	u32 nr = get_chunk(store);

	if (!nr)
		return NULL;
	chunk = chunk_at(store, nr);
	WRITE_ONCE(chunk->tip, KEPT_TIP_HELD);
	chunk->below = top_chunk(READ_ONCE(*word));
	barrier();
	set_top_chunk(word, nr);
	return chunk;
}

/**
 * kept_push - take room for a call on the current task's stack
 * @store: the store
 * @word: the task's word
 * @depth: the call's depth
 * @size: bytes of its arguments
 *
 * The caller fills in all but what is said to be for the store, and then calls
 * kept_publish(). Any context, NMI too, with preemption disabled.
 *
 * Return: the call; NULL if there is no room.
 */
struct kept_call *kept_push(struct kept_store *store, unsigned long *word,
			    unsigned int depth, unsigned int size)
{
	u8 level = interrupt_context_level();
	struct kept_chunk *chunk = NULL;
	struct kept_call *call;
	u32 nr, tip, end, start;

	while (likely((nr = top_chunk(READ_ONCE(*word))))) {
		chunk = chunk_at(store, nr);
		tip = READ_ONCE(chunk->tip);
		/* What is as deep as this call has not returned, and never will */
		if (likely(tip == KEPT_TIP_HELD ||
			   READ_ONCE(call_at(chunk, tip)->depth) <= depth))
			break;
		kept_pop(store, word);
		chunk = NULL;
	}

	size = ALIGN(sizeof(*call) + size, sizeof(long));
	if (unlikely(!chunk ||
		     (u16)tip + size > sizeof(chunk->data))) {
		chunk = add_chunk(store, word);
		if (!chunk)
			return NULL;
		tip = 0;
	}

	start = (u16)tip;
	end = start + size;
	call = (struct kept_call *)(chunk->data + start);
	/* Whoever interrupts before the next store leaves it like this */
	WRITE_ONCE(call->depth, 0);
	barrier();
	WRITE_ONCE(chunk->tip, start << KEPT_TIP_SHIFT | end);
	barrier();
	call->tip = tip;
	call->level = level;
	return call;
}
EXPORT_SYMBOL_IF_KUNIT(kept_push);

/**
 * kept_top - the last call of the current task that is at least so deep
 * @store: the store
 * @word: the task's word
 * @depth: that deep
 *
 * Return: the call; NULL if there is none, or if it is being filled in.
 */
struct kept_call *kept_top(struct kept_store *store, unsigned long *word,
			   unsigned int depth)
{
	u32 nr = top_chunk(READ_ONCE(*word));
	struct kept_chunk *chunk;
	struct kept_call *call;
	u32 tip;

	if (!nr)
		return NULL;
	chunk = chunk_at(store, nr);
	tip = READ_ONCE(chunk->tip);
	if (unlikely(tip == KEPT_TIP_HELD))
		return NULL;
	call = call_at(chunk, tip);
	return READ_ONCE(call->depth) > depth ? call : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(kept_top);

/**
 * kept_below - the call below another one
 * @store: the store
 * @word: the task's word
 * @call: the call, from kept_top() or from here
 * @chunk: for this function; 0 with the first call
 *
 * Return: the next call towards the root; NULL if there is none, or if it is
 * being filled in.
 */
struct kept_call *kept_below(struct kept_store *store, unsigned long word,
			     const struct kept_call *call, u32 *chunk)
{
	u32 tip = call->tip;

	if (!*chunk)
		*chunk = top_chunk(word);
	if (!tip || tip == KEPT_TIP_HELD) {
		*chunk = chunk_at(store, *chunk)->below;
		if (!*chunk)
			return NULL;
		tip = READ_ONCE(chunk_at(store, *chunk)->tip);
		if (tip == KEPT_TIP_HELD)
			return NULL;
	}
	call = call_at(chunk_at(store, *chunk), tip);
	return READ_ONCE(call->depth) ? (struct kept_call *)call : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(kept_below);

/**
 * kept_pop - give back the room of the current task's last call
 * @store: the store
 * @word: the task's word
 *
 * After kept_top() has found the call.
 */
void kept_pop(struct kept_store *store, unsigned long *word)
{
	u32 nr = top_chunk(*word);
	struct kept_chunk *chunk = chunk_at(store, nr);
	struct kept_call *call = call_at(chunk, chunk->tip);

	WRITE_ONCE(call->depth, 0);
	barrier();
	if (call->tip) {
		WRITE_ONCE(chunk->tip, call->tip);
		return;
	}
	set_top_chunk(word, chunk->below);
	barrier();
	put_chunk(store, nr);
}
EXPORT_SYMBOL_IF_KUNIT(kept_pop);

/**
 * kept_drop - give back all that a task has
 * @store: the store
 * @word: the word of a task that does not run any more
 */
void kept_drop(struct kept_store *store, unsigned long *word)
{
	u32 nr = top_chunk(*word), below;

	set_top_chunk(word, 0);
	for (; nr; nr = below) {
		below = chunk_at(store, nr)->below;
		put_chunk(store, nr);
	}
}
EXPORT_SYMBOL_IF_KUNIT(kept_drop);
