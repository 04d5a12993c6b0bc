/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory and growing arrays
 *
 * As with scripts/include/xalloc.h of the kernel, the program ends if there is no memory.
 */
#ifndef _TRACE_CALLS_ARRAYS_H
#define _TRACE_CALLS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

/* memory.c */
void __noreturn out_of_memory(void);

/* Return memory that was allocated */
static inline void *allocated(void *memory)
{
	if (unlikely(!memory))
		out_of_memory();
	return memory;
}

static inline void *xmalloc(size_t size)
{
	return allocated(malloc(size ?: 1));
}

static inline void *xcalloc(size_t nr, size_t size)
{
	return allocated(calloc(nr ?: 1, size));
}

static inline char *xstrndup(const char *text, size_t len)
{
	return allocated(strndup(text, len));
}

static inline char *xstrdup(const char *text)
{
	return allocated(strdup(text));
}

/* Initial capacity of an array in elements */
#define ARRAY_ROOM	8

/**
 * array_grow - make room in an array
 * @array: the array, NULL at first
 * @room: the capacity in elements, 0 at first
 * @nr: the required capacity in elements
 * @size: bytes of an element
 *
 * The capacity doubles, so that adding elements one by one is cheap.
 *
 * Return: the array, which may have moved.
 */
static inline void *array_grow(void *array, size_t *room, size_t nr, size_t size)
{
	if (unlikely(!array || nr > *room)) {
		size_t more = *room ?: ARRAY_ROOM;

		while (more < nr)
			more *= 2;
		array = allocated(reallocarray(array, more, size));
		*room = more;
	}
	return array;
}

/**
 * array_add - add an element to an array that only this function makes larger
 * @array: pointer to the array, which is NULL at first
 * @nr: number of elements of the array
 * @size: bytes of an element
 *
 * Return: the new element, which is not initialized.
 */
static inline void *array_add(void *array, unsigned int *nr, size_t size)
{
	void **at = array;

	/* If the number is a power of two, the array is full */
	if (!(*nr & (*nr - 1)))
		*at = allocated(reallocarray(*at, 2 * (size_t)*nr ?: 1, size));
	return *at + size * (*nr)++;
}

/**
 * array_add_new - allocate a struct, and add its address to an array of pointers
 * @array: pointer to the array, which is NULL at first
 * @nr: number of elements of the array
 * @size: bytes of the struct
 *
 * Return: the struct, which is zeroed.
 */
static inline void *array_add_new(void *array, unsigned int *nr, size_t size)
{
	void **slot = array_add(array, nr, sizeof(*slot));

	*slot = xcalloc(1, size);
	return *slot;
}

#endif /* _TRACE_CALLS_ARRAYS_H */
