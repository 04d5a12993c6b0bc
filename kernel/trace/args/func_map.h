/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map from functions to what an instance has for them, which callbacks of tracers read without
 * a lock
 */
#ifndef _TRACE_ARGS_FUNC_MAP_H
#define _TRACE_ARGS_FUNC_MAP_H

#include <linux/compiler.h>
#include <linux/hash.h>

#include "args.h"

/**
 * struct func_map_slot - a function
 * @ip: the address that ftrace knows the function by; 0 in an empty slot
 * @val: what the function has; NULL if the function has gone
 */
struct func_map_slot {
	unsigned long	ip;
	void		*val;
};

/**
 * struct func_map - a hash: open addressing, linear probing; at most half of the slots are used
 * @retired: used after the map was replaced
 * @mask: the number of slots, which is a power of two, minus 1
 * @shift: the number of bits by which a hash is shifted to become the number of a slot
 * @nr: the number of slots that are used
 * @slots: the functions
 */
struct func_map {
	struct arg_sig_retired	retired;
	unsigned int		mask;
	unsigned int		shift;
	unsigned int		nr;
	struct func_map_slot	slots[];
};

/* hash_long() with a precomputed shift */
static inline unsigned long func_map_hash(const struct func_map *map, unsigned long ip)
{
	return ip * GOLDEN_RATIO_PRIME >> map->shift;
}

/* Find what a function has, NULL for nothing. Called in a callback of a tracer */
static inline void *func_map_find(const struct func_map *map, unsigned long ip)
{
	unsigned long i = func_map_hash(map, ip);

	for (;; i = (i + 1) & map->mask) {
		const struct func_map_slot *slot = &map->slots[i];
		unsigned long found;

		/* Have the compiler keep the address instead of computing it twice */
		OPTIMIZER_HIDE_VAR(slot);
		found = READ_ONCE(slot->ip);
		if (likely(found == ip))
			return READ_ONCE(slot->val);
		/* The slot may be getting another function */
		if (!found)
			return NULL;
	}
}

#endif /* _TRACE_ARGS_FUNC_MAP_H */
