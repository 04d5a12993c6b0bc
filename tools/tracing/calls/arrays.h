/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays that grow, and heaps of pointers
 */
#ifndef _TRACE_CALLS_ARRAYS_H
#define _TRACE_CALLS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <linux/kernel.h>

/* Elements that an array has room for at first */
#define ARRAY_ROOM	8

/**
 * array_grow - make room in an array
 * @array: the array, NULL at first
 * @room: how many elements there is room for, 0 at first
 * @nr: how many elements there has to be room for
 * @size: bytes of an element
 *
 * The room doubles, so that adding elements one by one is cheap.
 *
 * Return: the array, which may have moved. NULL without memory; the old array is kept.
 */
static inline void *array_grow(void *array, size_t *room, size_t nr, size_t size)
{
	if (unlikely(!array || nr > *room)) {
		size_t more = *room ?: ARRAY_ROOM;

		while (more < nr)
			more *= 2;
		array = reallocarray(array, more, size);
		if (array)
			*room = more;
	}
	return array;
}

/**
 * heap_down - move an element of a heap down to its place
 * @heap: pointers to the elements, the first one in the order at index 0
 * @nr: how many there are
 * @i: the index of the element
 * @before: tells whether an element is before another one
 */
static inline void heap_down(void **heap, unsigned int nr, unsigned int i,
			     bool (*before)(const void *a, const void *b))
{
	void *element = heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && before(heap[child + 1], heap[child]))
			child++;
		if (!before(heap[child], element))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = element;
}

/**
 * heap_build - make an array of pointers a heap
 * @heap: the pointers
 * @nr: how many there are
 * @before: tells whether an element is before another one
 */
static inline void heap_build(void **heap, unsigned int nr,
			      bool (*before)(const void *a, const void *b))
{
	unsigned int i;

	for (i = nr / 2; i-- > 0;)
		heap_down(heap, nr, i, before);
}

#endif /* _TRACE_CALLS_ARRAYS_H */
