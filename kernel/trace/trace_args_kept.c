// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are kept from their entry until their return
 *
 * A task pushes and pops its own calls only.  An interrupt or an NMI that comes
 * meanwhile pushes its calls above them, and pops its calls before it returns.
 * So the stack needs no lock: a push first moves the tip of the stack in one
 * store, and then fills in the call.  A call that is not filled in has no depth,
 * and neither has a call that was popped.
 *
 * A call that never returns leaves its kept call behind.  The next call that is
 * pushed or popped at the same depth, or at a smaller one, removes the kept call.
 * kept_drop() removes the kept calls of a task that exits.
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

/**
 * kept_store_alloc - make a store
 * @chunks: the number of chunks of 2 KB that its tasks may have
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
	store->spare = alloc_percpu(u32);
	store->used = bitmap_zalloc(store->nr, GFP_KERNEL);
	store->chunks = kvcalloc(store->nr, sizeof(*store->chunks), GFP_KERNEL);
	if (!store->next || !store->spare || !store->used || !store->chunks) {
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
	free_percpu(store->spare);
	bitmap_free(store->used);
	kvfree(store->chunks);
	kfree(store);
}
EXPORT_SYMBOL_IF_KUNIT(kept_store_free);

static void set_top_chunk(unsigned long *word, u32 nr)
{
	WRITE_ONCE(*word, (u32)*word | (unsigned long)nr << KEPT_SHIFT);
}

/* Take a free chunk: return its number plus 1, 0 if there is none */
static u32 find_chunk(struct kept_store *store)
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

/* As find_chunk(), but take the chunk that this CPU gave back last first */
static u32 get_chunk(struct kept_store *store)
{
	u32 nr = this_cpu_xchg(*store->spare, 0);

	return likely(nr) ? nr : find_chunk(store);
}

static void put_chunk(struct kept_store *store, u32 nr)
{
	if (likely(!this_cpu_cmpxchg(*store->spare, 0, nr)))
		return;
	raw_cpu_write(*store->next, nr - 1);
	/* The next owner writes the chunk after all reads of this owner */
	smp_mb__before_atomic();
	clear_bit(nr - 1, store->used);
}

/**
 * kept_add_chunk - put an empty chunk on the current task's stack
 * @store: the store
 * @word: the task's word
 *
 * For kept_push().
 *
 * Return: the chunk; NULL if there is none.
 */
struct kept_chunk *kept_add_chunk(struct kept_store *store, unsigned long *word)
{
	struct kept_chunk *chunk;
	u32 nr = get_chunk(store);

	if (!nr)
		return NULL;
	chunk = kept_chunk_at(store, nr);
	WRITE_ONCE(chunk->tip, KEPT_TIP_HELD);
	chunk->below = kept_top_chunk(READ_ONCE(*word));
	barrier();
	set_top_chunk(word, nr);
	return chunk;
}
EXPORT_SYMBOL_IF_KUNIT(kept_add_chunk);

/**
 * kept_below - find the call below another call
 * @store: the store
 * @word: the task's word
 * @call: the call, from kept_top() or from here
 * @chunk: state of this function; the caller sets it to 0 for the first call
 *
 * Return: the next call towards the root; NULL if there is none, or if it is
 * being filled in.
 */
struct kept_call *kept_below(struct kept_store *store, unsigned long word,
			     const struct kept_call *call, u32 *chunk)
{
	u32 tip = call->tip;

	if (!*chunk)
		*chunk = kept_top_chunk(word);
	if (!tip || tip == KEPT_TIP_HELD) {
		*chunk = kept_chunk_at(store, *chunk)->below;
		if (!*chunk)
			return NULL;
		tip = READ_ONCE(kept_chunk_at(store, *chunk)->tip);
		if (tip == KEPT_TIP_HELD)
			return NULL;
	}
	call = kept_call_at(kept_chunk_at(store, *chunk), tip);
	return READ_ONCE(call->depth) ? (struct kept_call *)call : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(kept_below);

/**
 * kept_pop_chunk - take the last chunk from the current task's stack
 * @store: the store
 * @word: the task's word
 *
 * For kept_pop(): the chunk has no call any more.
 */
void kept_pop_chunk(struct kept_store *store, unsigned long *word)
{
	u32 nr = kept_top_chunk(*word);

	set_top_chunk(word, kept_chunk_at(store, nr)->below);
	barrier();
	put_chunk(store, nr);
}
EXPORT_SYMBOL_IF_KUNIT(kept_pop_chunk);

/**
 * kept_drop - give back all chunks of a task
 * @store: the store
 * @word: the word of a task that does not run any more
 */
void kept_drop(struct kept_store *store, unsigned long *word)
{
	u32 nr = kept_top_chunk(*word), below;

	set_top_chunk(word, 0);
	for (; nr; nr = below) {
		below = kept_chunk_at(store, nr)->below;
		put_chunk(store, nr);
	}
}
EXPORT_SYMBOL_IF_KUNIT(kept_drop);
