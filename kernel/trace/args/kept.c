// SPDX-License-Identifier: GPL-2.0
/*
 * Calls that are kept from their entry until their return
 *
 * A task pushes and pops only its own calls.  An interrupt or an NMI pushes its calls
 * above the calls of the task, and pops its calls before it returns.  So the stack needs
 * no lock: a push first moves the tip of the stack in one store, and then fills in the
 * call.  A call that is not filled in has no depth.  A call that was popped has no depth
 * either.
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

#include "../trace.h"
#include "capture.h"
#include "kept.h"

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

	/*
	 * For kept_chunk_of(): kvcalloc() aligns memory that is larger than a page to a
	 * page
	 */
	BUILD_BUG_ON(sizeof(struct kept_chunk) != KEPT_CHUNK_SIZE ||
		     PAGE_SIZE % KEPT_CHUNK_SIZE);
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

/**
 * kept_find_chunk - take a free chunk
 * @store: the store
 *
 * kept_push() calls this function if the CPU has no spare chunk.
 *
 * Return: the chunk's number plus 1, 0 if there is none.
 */
u32 kept_find_chunk(struct kept_store *store)
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
EXPORT_SYMBOL_IF_KUNIT(kept_find_chunk);

/**
 * kept_put_chunk - give a chunk back to all CPUs
 * @store: the store
 * @nr: the chunk's number plus 1
 *
 * kept_pop() calls this function if the CPU has a spare chunk already.
 */
void kept_put_chunk(struct kept_store *store, u32 nr)
{
	raw_cpu_write(*store->next, nr - 1);
	/* The next owner writes the chunk after all reads of this owner */
	smp_mb__before_atomic();
	clear_bit(nr - 1, store->used);
}
EXPORT_SYMBOL_IF_KUNIT(kept_put_chunk);

/*
 * Find the last call of a chunk. A chunk that was just added has no call, so go on with the
 * chunk below.
 */
static struct kept_call *last_call(struct kept_store *store, u32 *chunk)
{
	u32 tip;

	for (; *chunk; *chunk = kept_chunk_at(store, *chunk)->below) {
		tip = READ_ONCE(kept_chunk_at(store, *chunk)->tip);
		if (tip != KEPT_TIP_HELD)
			return kept_call_at(kept_chunk_at(store, *chunk), tip);
	}
	return NULL;
}

/* Find the call below another call of a chunk, which may be a call that is being filled in */
static struct kept_call *next_call(struct kept_store *store, const struct kept_call *call,
				   u32 *chunk)
{
	if (call->tip && call->tip != KEPT_TIP_HELD)
		return kept_call_at(kept_chunk_at(store, *chunk), call->tip);
	*chunk = kept_chunk_at(store, *chunk)->below;
	return last_call(store, chunk);
}

/**
 * kept_below - find the call below another call
 * @store: the store
 * @word: the task's word
 * @call: the call, from kept_top() or from kept_below()
 * @chunk: state of this function; the caller sets @chunk to 0 for the first call
 *
 * Return: the next call towards the root; NULL if there is no such call, or if the call
 * is being filled in.
 */
struct kept_call *kept_below(struct kept_store *store, unsigned long word,
			     const struct kept_call *call, u32 *chunk)
{
	struct kept_call *below;

	if (!*chunk)
		*chunk = kept_top_chunk(word);
	below = next_call(store, call, chunk);
	return below && READ_ONCE(below->depth) ? below : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(kept_below);

/**
 * kept_first - find the outermost call of a task
 * @store: the store
 * @word: the task's word
 *
 * Calls that are being filled in or given back are left out, because an interrupt may come
 * at any instruction of kept_push() and kept_pop().
 *
 * Return: the outermost call; NULL if there is none. The member @above of each call points
 * to the next inner call.
 */
struct kept_call *kept_first(struct kept_store *store, unsigned long *word)
{
	u32 chunk = kept_top_chunk(READ_ONCE(*word));
	struct kept_call *call, *above = NULL;

	for (call = last_call(store, &chunk); call; call = next_call(store, call, &chunk)) {
		if (!READ_ONCE(call->depth))
			continue;
		call->above = above;
		above = call;
	}
	return above;
}
EXPORT_SYMBOL_IF_KUNIT(kept_first);

/**
 * kept_lose - drop the last call of the current task, which never returns
 * @store: the store
 * @word: the task's word
 * @call: the call
 */
void kept_lose(struct kept_store *store, unsigned long *word,
	       struct kept_call *call)
{
	if (store->lost)
		store->lost(store->tr, call, NULL);
	kept_pop(store, word, call);
}
EXPORT_SYMBOL_IF_KUNIT(kept_lose);

/**
 * kept_drop - drop the calls of a task, and give back all its chunks
 * @store: the store
 * @word: the task's word
 * @task: the task, which does not run any more
 */
void kept_drop(struct kept_store *store, unsigned long *word,
	       const struct task_struct *task)
{
	u32 nr = kept_top_chunk(*word), below;
	struct kept_call *call;

	call = store->lost ? kept_first(store, word) : NULL;
	for (; call; call = call->above)
		store->lost(store->tr, call, task);

	kept_set_top(word, 0);
	for (; nr; nr = below) {
		below = kept_chunk_at(store, nr)->below;
		/* So kept_count() finds no calls in the chunk */
		WRITE_ONCE(kept_chunk_at(store, nr)->tip, 0);
		kept_put_chunk(store, nr);
	}
}
EXPORT_SYMBOL_IF_KUNIT(kept_drop);

/* Count the calls of a chunk, which its task may change at any time */
static unsigned int count_calls(const struct kept_chunk *chunk)
{
	u32 tip = READ_ONCE(chunk->tip), start, last = sizeof(chunk->data);
	const struct kept_call *call;
	unsigned int nr = 0;

	while (tip && tip != KEPT_TIP_HELD) {
		start = tip >> KEPT_TIP_SHIFT;
		/* The task has overwritten the call meanwhile */
		if (start >= last || start % sizeof(long) ||
		    start + sizeof(*call) > sizeof(chunk->data))
			break;
		call = (const struct kept_call *)(chunk->data + start);
		nr += READ_ONCE(call->depth) &&
		      READ_ONCE(call->written) == KEPT_WRITTEN;
		tip = READ_ONCE(call->tip);
		last = start;
	}
	return nr;
}

/**
 * kept_count - count the calls that will be written at their return
 * @store: the store
 *
 * The count is approximate while tasks run. Any context.
 *
 * Return: the number of calls.
 */
unsigned int kept_count(const struct kept_store *store)
{
	unsigned int i, nr = 0;

	for_each_set_bit(i, store->used, store->nr)
		nr += count_calls(&store->chunks[i]);
	return nr;
}
