/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of functions' signatures: its memory, and how a function is looked up.
 * trace_args_table.c has the image's functions, trace_args_modules.c the modules',
 * in sets, and trace_args_sets.c looks functions up in the sets.
 */
#ifndef _TRACE_ARGS_TABLE_H
#define _TRACE_ARGS_TABLE_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>

#include <asm/sections.h>
#include <asm/trace_args.h>

#include "trace_args.h"

/* The set of the image's own signatures, which no event carries */
#define ARG_SIGS_IMAGE		0
/* The set that is at an address now */
#define ARG_SIGS_CURRENT_SET	(U32_MAX - 1)

/*
 * A reference has the position of a signature, and everything that most captures
 * need: the number of longs, the kind of their places, and whether two registers
 * are returned. It is never 0, because positions are counted from 1.
 */
#define ARG_SIG_REF_NR		0x1fU
#define ARG_SIG_REF_KIND	0xe0U
#define ARG_SIG_REF_TWO_REGS	BIT(8)
#define ARG_SIG_REF_SHIFT	9

/* Kinds: the argument registers in their order; ARG_SIG_REF_NR is their number */
#define ARG_SIG_REF_REGS	0x00U
/* All argument registers, then words of the stack in their order; longs less one */
#define ARG_SIG_REF_STACK	0x20U
/* A list of registers and words of the stack; longs less one */
#define ARG_SIG_REF_LIST	0x40U
/* The first register, and fields of the struct pt_regs there; number of fields */
#define ARG_SIG_REF_FIELDS	0x60U
/* The kinds that call_args_capture() captures have this bit */
#define ARG_SIG_REF_CAPTURED	0x80U
/* Any list, mostly with strings; longs less one */
#define ARG_SIG_REF_ANY		0x80U
/*
 * Any list with reads or results, while an instance wants to have what pointers point to;
 * longs less one, but 0 also without longs. Something is read at the call's return. At
 * other times such a signature has another kind. Any signature has one of these kinds, even
 * if it has no list, while an instance has expressions for the function.
 */
#define ARG_SIG_REF_READS	0xc0U
/* The same, but nothing is read at the return */
#define ARG_SIG_REF_CONST_READS	0xe0U
/*
 * The argument registers in their order; ARG_SIG_REF_TEXT_NR is their number less
 * one. Only the register with the number ARG_SIG_REF_TEXT_ARG points to a string.
 */
#define ARG_SIG_REF_TEXT	0xa0U
#define ARG_SIG_REF_TEXT_NR	0x07U
#define ARG_SIG_REF_TEXT_ARG	0x18U

/**
 * struct arg_sig_slot - a function of the image in the hash
 * @key: its address, from _text; 0 where the slot is empty
 * @ref: its signature, from __start_arg_sigs_str
 */
struct arg_sig_slot {
	u32	key;
	u32	ref;
};

/**
 * struct arg_sigs_image - the signatures of the image's functions
 * @types: the descriptions that they refer to
 * @digests: the digests, also for modules
 * @all: number of @slots
 * @nr: number of slots that the lookup of a key may begin with
 * @slots: open addressing, linear probing; the last one is empty
 */
struct arg_sigs_image {
	struct arg_types	types;
	struct arg_digests	digests;
	u32			all;
	u32			nr;
	struct arg_sig_slot	slots[];
};

/**
 * struct arg_sig_entry - a module's function
 * @ip: its traced address
 * @ref: its signature, from the set's text
 * @name: once it is gone, its name, from the set's names; until then 0
 */
struct arg_sig_entry {
	unsigned long	ip;
	u32		ref;
	u32		name;
};

/**
 * struct arg_sig_retired - memory that is freed once it has no reader
 * @node: in retired_list
 * @free: frees it, and returns true; or returns false if it has a reader
 */
struct arg_sig_retired {
	struct llist_node	node;
	bool			(*free)(struct arg_sig_retired *old);
};

/**
 * struct arg_sig_names - the names of a module's functions that are gone
 * @retired: for the time after it was replaced
 * @size: bytes of @text
 * @text: an empty name at GONE_NAMELESS, then those that are known
 */
struct arg_sig_names {
	struct arg_sig_retired	retired;
	u32			size;
	char			text[] __counted_by(size);
};

#define GONE_NAMELESS	1

/**
 * struct arg_sig_set - the signatures of one module
 * @list: in arg_sig_sets, or in gone_sets
 * @node: in sets_by_id
 * @retired: for the time after it was removed from both
 * @readers: number of readers that use it and may sleep, see arg_sig_hold()
 * @mod: the module; NULL once it is gone
 * @mod_name: the module's name
 * @id: its number, never given twice
 * @nr: how many @entries there are
 * @reused: another module had its addresses before
 * @text_size: bytes of @text
 * @text: the signatures, a copy
 * @types: the descriptions, a copy
 * @names: of the functions that are gone; NULL if none are
 * @entries: the functions, by address
 */
struct arg_sig_set {
	struct list_head		list;
	struct hlist_node		node;
	struct arg_sig_retired		retired;
	atomic_t			readers;
	struct module			*mod;
	char				mod_name[MODULE_NAME_LEN];
	u32				id;
	u32				nr;
	bool				reused;
	u32				text_size;
	char				*text;
	struct arg_types		types;
	struct arg_sig_names __rcu	*names;
	struct arg_sig_entry		entries[] __counted_by(nr);
};

/**
 * struct arg_sig_module_slot - a function of a module in the hash
 * @ip: its address; 0 where the slot is empty
 * @ref: its signature, from @text
 * @id: number of the module's set of signatures
 * @text: the set's signatures
 */
struct arg_sig_module_slot {
	unsigned long	ip;
	u32		ref;
	u32		id;
	const char	*text;
};

/**
 * struct arg_sigs_modules - the hash of all modules' functions
 * @retired: for the time after it was replaced
 * @nr: number of @slots that the lookup of an address may begin with
 * @slots: open addressing, linear probing; the last one is empty
 */
struct arg_sigs_modules {
	struct arg_sig_retired		retired;
	u32				nr;
	struct arg_sig_module_slot	slots[];
};

/* Number of bits in arg_sigs_two_regs, and bytes of code that a bit stands for */
#define ARG_SIGS_TWO_REGS_BITS	4096U
#define ARG_SIGS_TWO_REGS_STEP	16U

extern bool arg_sigs_reads_wanted;
extern unsigned long arg_sigs_two_regs[BITS_TO_LONGS(ARG_SIGS_TWO_REGS_BITS)];
extern const struct arg_sigs_image *arg_sigs_image;
extern struct arg_sigs_modules __rcu *arg_sigs_modules;

/* The linker's bounds of the image's sections; the first one is init data */
extern const struct arg_sig_site __start_arg_sigs[], __stop_arg_sigs[];
extern const char __start_arg_sigs_str[], __stop_arg_sigs_str[];
extern const char __start_arg_sigs_types[], __stop_arg_sigs_types[];

typedef void (*arg_sig_set_fn)(const struct arg_sig_set *set, void *data);

/**
 * struct arg_sig_hold - a function's signature while a reader uses it
 * @sig: the signature; NULL if there is none or the set is not known
 * @types: the descriptions that it refers to
 * @set: the set that the signature is from; NULL for the image's
 */
struct arg_sig_hold {
	const char		*sig;
	const struct arg_types	*types;
	struct arg_sig_set	*set;
};

void arg_sig_hold(struct arg_sig_hold *hold, unsigned long ip, u32 set);
void arg_sig_release(const struct arg_sig_hold *hold);
void arg_sig_put_func(struct arg_out *out, unsigned long ip, u32 set);

#ifdef CONFIG_MODULES
void arg_sigs_walk_sets(arg_sig_set_fn show, void *data);
void arg_sig_hold_module(struct arg_sig_hold *hold, unsigned long ip, u32 id);
void arg_sigs_want_module_reads(bool want);
void arg_sig_set_module_captured(unsigned long ip, bool captured);
void arg_sig_release_set(struct arg_sig_set *set);
bool arg_sig_put_module_func(struct arg_out *out, unsigned long ip, u32 id);
void arg_sig_add_set(struct arg_sig_set *set);
void arg_sig_remove_set(struct arg_sig_set *set);
int arg_sig_compare_entries(const void *a, const void *b);
#else
static inline void arg_sigs_walk_sets(arg_sig_set_fn show, void *data) { }
static inline void arg_sig_hold_module(struct arg_sig_hold *hold, unsigned long ip, u32 id) { }
static inline void arg_sigs_want_module_reads(bool want)
{
	WRITE_ONCE(arg_sigs_reads_wanted, want);
}

static inline void arg_sig_set_module_captured(unsigned long ip, bool captured) { }
static inline void arg_sig_release_set(struct arg_sig_set *set) { }
static inline bool arg_sig_put_module_func(struct arg_out *out, unsigned long ip, u32 id)
{
	return false;
}
#endif

/* A reference has so many bits left for a position in the text */
#define ARG_SIGS_MAX_TEXT	(BIT(32 - ARG_SIG_REF_SHIFT) - 1)

/*
 * A lookup begins with one of the first slots: more of them cost memory, fewer cost
 * probes.  The spare slots behind are for functions that find no room there, so that
 * probing need not wrap around.  The last slot stays empty.
 */
#define HASH_SPARE		128U

static inline size_t arg_sig_hash_slots(size_t functions)
{
	return functions + functions * 2 / 3 + 1;
}

static inline size_t arg_sig_hash_all_slots(size_t functions)
{
	return arg_sig_hash_slots(functions) + min(functions, HASH_SPARE) + 1;
}

bool arg_sig_returns_two(unsigned long ip);
u32 arg_sig_make_ref(const char *text, const char *sig);
u32 arg_sig_update_ref(const char *text, u32 ref);
u32 arg_sig_captured_ref(const char *text, u32 ref, bool captured);
void arg_sig_set_captured(unsigned long ip, bool captured);
void arg_sigs_want_reads(bool want);
int arg_types_alloc(struct arg_types *types);
void arg_out_symbol_at(struct arg_out *out, unsigned long ip);

/* The slot that the lookup of a key begins with, one of @nr; the next ones follow */
static __always_inline u32 arg_sig_first_slot(u32 key, u32 nr)
{
	return (u64)(key * GOLDEN_RATIO_32) * nr >> 32;
}

static __always_inline u32 arg_sig_ref(const struct arg_sigs_image *image,
				       u32 key)
{
	const struct arg_sig_slot *slot;

	slot = &image->slots[arg_sig_first_slot(key, image->nr)];
	for (; slot->key != key; slot++)
		if (!slot->key)
			return 0;
	return slot->ref;
}

/* The signature that a reference is to, in the text that it is from */
static __always_inline const char *arg_sig_ref_text(const char *text, u32 ref)
{
	return text + (ref >> ARG_SIG_REF_SHIFT) - 1;
}

/* How many longs a signature asks for */
static __always_inline unsigned int arg_sig_ref_longs(u32 ref)
{
	u32 kind = ref & ARG_SIG_REF_KIND;

	if (kind == ARG_SIG_REF_TEXT)
		return (ref & ARG_SIG_REF_TEXT_NR) + 1;
	return (ref & ARG_SIG_REF_NR) + (kind != ARG_SIG_REF_REGS);
}

/* Which of the longs points to a string, if the kind is ARG_SIG_REF_TEXT */
static __always_inline unsigned int arg_sig_ref_text_arg(u32 ref)
{
	return (ref & ARG_SIG_REF_TEXT_ARG) / (ARG_SIG_REF_TEXT_NR + 1);
}

static __always_inline bool arg_sig_in_image(unsigned long ip)
{
	return ip - (unsigned long)_text < (unsigned long)(_end - _text);
}

/**
 * arg_sig_called_in_image - whether a function that is called is the image's
 * @ip: the address that ftrace knows the function by
 *
 * Quicker than arg_sig_in_image(), but not for any address.
 */
static __always_inline bool arg_sig_called_in_image(unsigned long ip)
{
	return ip < TRACE_ARGS_IMAGE_END;
}

/**
 * arg_sig_find_image - find what to capture of a function of the image
 * @ip: the address that ftrace knows the function by, see arg_sig_in_image()
 *
 * Called at each function entry, in any context, NMI too.
 *
 * Return: the reference to its signature, 0 if it has none.
 */
static __always_inline u32 arg_sig_find_image(unsigned long ip)
{
	return arg_sig_ref(READ_ONCE(arg_sigs_image), ip - (unsigned long)_text);
}

/* The bit of arg_sigs_two_regs that a function shares with others */
static __always_inline unsigned int arg_sig_two_regs_bit(unsigned long ip)
{
	return ip / ARG_SIGS_TWO_REGS_STEP % ARG_SIGS_TWO_REGS_BITS;
}

/**
 * arg_sig_may_return_two - whether a function may return two registers
 * @ip: the address that ftrace knows the function by
 *
 * Called as arg_sig_find_image() is.
 *
 * Return: false if it does not. True if it may; the signature decides.
 */
static __always_inline bool arg_sig_may_return_two(unsigned long ip)
{
	return test_bit(arg_sig_two_regs_bit(ip), arg_sigs_two_regs);
}

#ifdef CONFIG_MODULES

/**
 * arg_sig_slot_of - the slot that a module's function has, or would get
 * @modules: the hash
 * @ip: the address that ftrace knows the function by
 *
 * Return: a slot with that address, or an empty one.
 */
static __always_inline const struct arg_sig_module_slot *
arg_sig_slot_of(const struct arg_sigs_modules *modules, unsigned long ip)
{
	const struct arg_sig_module_slot *slot;

	slot = &modules->slots[arg_sig_first_slot(ip, modules->nr)];
	while (slot->ip && slot->ip != ip)
		slot++;
	return slot;
}

/**
 * arg_sig_find_module - find what to capture of a module's function
 * @ip: the address that ftrace knows the function by
 *
 * Called at function entry as arg_sig_find_image() is. The caller has preemption
 * disabled, or holds rcu_read_lock().
 *
 * Return: its slot, NULL if it has no signature.
 */
static __always_inline const struct arg_sig_module_slot *
arg_sig_find_module(unsigned long ip)
{
	const struct arg_sigs_modules *modules;
	const struct arg_sig_module_slot *slot;

	modules = rcu_dereference_raw(arg_sigs_modules);
	if (unlikely(!modules))
		return NULL;
	slot = arg_sig_slot_of(modules, ip);
	return slot->ip == ip ? slot : NULL;
}

#else

static inline const struct arg_sig_module_slot *arg_sig_find_module(unsigned long ip)
{
	return NULL;
}

#endif /* CONFIG_MODULES */

/**
 * arg_sig_find_called - find what to capture of any function
 * @ip: the address that ftrace knows the function by
 * @slot: its slot if it is a module's, else NULL
 *
 * Called as arg_sig_find_module() is.
 *
 * Return: the reference to its signature, 0 if it has none.
 */
static __always_inline u32
arg_sig_find_called(unsigned long ip, const struct arg_sig_module_slot **slot)
{
	*slot = NULL;
	if (likely(arg_sig_called_in_image(ip)))
		return arg_sig_find_image(ip);
	*slot = arg_sig_find_module(ip);
	return *slot ? (*slot)->ref : 0;
}

#endif /* _TRACE_ARGS_TABLE_H */
