/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hashes that grow with the number of their elements
 */
#ifndef _TRACEEVENT_HASH_H
#define _TRACEEVENT_HASH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

/**
 * struct hash_node - the member that makes a struct an element of a hash
 * @next: the next element in the same slot
 * @key: the key; elements with different keys may be in the same slot
 */
struct hash_node {
	struct hash_node	*next;
	u64			key;
};

/**
 * struct hash - a hash
 * @slots: the elements; the last added element of a slot is the first
 * @bits: the hash has 2 to the power of @bits slots
 * @nr: number of elements
 */
struct hash {
	struct hash_node	**slots;
	unsigned int		bits;
	u32			nr;
};

/**
 * hash_init - allocate the slots of a hash
 * @hash: the hash
 * @bits: the hash has 2 to the power of @bits slots at first
 *
 * Return: false if there is no memory.
 */
static inline bool hash_init(struct hash *hash, unsigned int bits)
{
	*hash = (struct hash){ .bits = bits };
	hash->slots = calloc(1U << bits, sizeof(*hash->slots));
	return hash->slots;
}

/**
 * hash_size - the number of slots
 * @hash: the hash
 *
 * Return: the number, 0 for a zeroed hash before hash_init().
 */
static inline unsigned int hash_size(const struct hash *hash)
{
	return hash->slots ? 1U << hash->bits : 0;
}

/**
 * hash_slot - find the slot of a key
 * @hash: the hash
 * @key: the key
 *
 * Return: the slot, which has the first element.
 */
static inline struct hash_node **hash_slot(const struct hash *hash, u64 key)
{
	return &hash->slots[key * 0x9e3779b97f4a7c15ULL >> (64 - hash->bits)];
}

/**
 * hash_find - find the element with a key
 * @hash: the hash, whose keys are different
 * @key: the key
 *
 * Return: the element, NULL if there is none.
 */
static inline struct hash_node *hash_find(const struct hash *hash, u64 key)
{
	struct hash_node *node;

	for (node = *hash_slot(hash, key); node && node->key != key; node = node->next)
		;
	return node;
}

/**
 * hash_grow - double the number of slots, so that a slot has about one element
 * @hash: the hash; not changed if there is no memory
 */
static inline void hash_grow(struct hash *hash)
{
	struct hash_node **old = hash->slots, **slot, *node;
	unsigned int nr = hash_size(hash), i;

	hash->slots = calloc(2 * (size_t)nr, sizeof(*old));
	if (!hash->slots) {
		hash->slots = old;
		return;
	}
	hash->bits++;
	for (i = 0; i < nr; i++) {
		while ((node = old[i])) {
			old[i] = node->next;
			slot = hash_slot(hash, node->key);
			node->next = *slot;
			*slot = node;
		}
	}
	free(old);
}

/**
 * hash_add - add an element
 * @hash: the hash
 * @node: the element
 * @key: the key of the element
 */
static inline void hash_add(struct hash *hash, struct hash_node *node, u64 key)
{
	struct hash_node **slot;

	if (hash->nr >= hash_size(hash))
		hash_grow(hash);
	slot = hash_slot(hash, key);
	node->key = key;
	node->next = *slot;
	*slot = node;
	hash->nr++;
}

/**
 * hash_empty - free all elements
 * @hash: the hash
 * @free_node: frees an element, NULL if the node is the first member of allocated memory and
 *	       nothing else is to be freed
 */
static inline void hash_empty(struct hash *hash, void (*free_node)(struct hash_node *node))
{
	struct hash_node *node;
	unsigned int i;

	for (i = 0; hash->nr; i++) {
		while ((node = hash->slots[i])) {
			hash->slots[i] = node->next;
			hash->nr--;
			if (free_node)
				free_node(node);
			else
				free(node);
		}
	}
}

/**
 * hash_free - free a hash and all elements
 * @hash: the hash
 * @free_node: see hash_empty()
 */
static inline void hash_free(struct hash *hash, void (*free_node)(struct hash_node *node))
{
	hash_empty(hash, free_node);
	free(hash->slots);
	hash->slots = NULL;
}

/* The hash of an empty text, for hash_text() and hash_bytes() */
#define HASH_TEXT	14695981039346656037ULL

/**
 * hash_bytes - add bytes to a hash (FNV-1a)
 * @hash: HASH_TEXT, or the hash of the bytes before
 * @bytes: the bytes
 * @nr: number of bytes
 *
 * Return: the hash.
 */
static inline u64 hash_bytes(u64 hash, const char *bytes, size_t nr)
{
	while (nr--)
		hash = (hash ^ (u8)*bytes++) * 1099511628211ULL;
	return hash;
}

/**
 * hash_text - compute the hash of a text, FNV-1a
 * @hash: HASH_TEXT, or the hash of the text before
 * @text: the text
 *
 * Return: the hash of both texts.
 */
static inline u64 hash_text(u64 hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text));
}

#endif /* _TRACEEVENT_HASH_H */
