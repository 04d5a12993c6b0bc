/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of functions' signatures: the layout in memory, and the lookup of a function.
 * args/table.c has the functions of the image. args/modules.c has the functions of modules,
 * in sets. args/lookup.c finds the signature of any function.
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

#include "args.h"

/* Stands for the set of the function that is at an address now */
#define ARG_SIGS_CURRENT_SET	(U32_MAX - 1)

/*
 * A reference has the position of a signature and the data that most captures need: the
 * number of longs, the kind of their places, whether two registers are returned, and
 * whether longs point to values that can be recorded. A reference depends only on the
 * signature, and does not change while it is in a table. A reference is never 0, because
 * positions are counted from 1.
 */
#define ARG_SIG_REF_NR		0x1fU
#define ARG_SIG_REF_KIND	0xe0U
#define ARG_SIG_REF_TWO_REGS	BIT(8)
/* Longs point to numbers or objects that can be recorded, or ARG_SIG_REF_RESULTS is set */
#define ARG_SIG_REF_READS	BIT(9)
/* The return of the call can read values besides the registers */
#define ARG_SIG_REF_RESULTS	BIT(10)
#define ARG_SIG_REF_SHIFT	11

/* Kind: the argument registers in order; ARG_SIG_REF_NR is the number of longs */
#define ARG_SIG_REF_REGS	0x00U
/* Kind: all argument registers, then words of the stack in order; number of longs - 1 */
#define ARG_SIG_REF_STACK	0x20U
/* Kind: a list of registers and words of the stack; number of longs - 1 */
#define ARG_SIG_REF_LIST	0x40U
/* Kind: the first register, then fields of the struct pt_regs there; number of fields */
#define ARG_SIG_REF_FIELDS	0x60U
/* All kinds that call_args_capture() always captures have this bit */
#define ARG_SIG_REF_CAPTURED	0x80U
/* Kind: any list, usually with strings; number of longs - 1 */
#define ARG_SIG_REF_ANY		0x80U
/*
 * Kind: the argument registers in order; ARG_SIG_REF_TEXT_NR is the number of longs - 1.
 * Only the register with the number ARG_SIG_REF_TEXT_ARG points to a string.
 */
#define ARG_SIG_REF_TEXT	0xa0U
#define ARG_SIG_REF_TEXT_NR	0x07U
#define ARG_SIG_REF_TEXT_ARG	0x18U

/**
 * struct arg_sig_slot - a function of the image in the hash
 * @key: the function's address, counted from _text; 0 in an empty slot
 * @ref: the reference to the signature, in the text at __start_arg_sigs_str
 */
struct arg_sig_slot {
	u32	key;
	u32	ref;
};

/**
 * struct arg_sigs_image - the signatures of the image's functions
 * @types: the descriptions that the signatures refer to
 * @digests: the digests, which modules use as well
 * @all: number of @slots
 * @nr: number of slots that the lookup of a key may begin with
 * @slots: the hash: open addressing, linear probing; the last slot is empty
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
 * @ip: the function's traced address
 * @ref: the reference to the signature, in the set's text
 * @name: the offset of the function's name in the set's names; 0 if it is not known
 */
struct arg_sig_entry {
	unsigned long	ip;
	u32		ref;
	u32		name;
};

/**
 * struct arg_sig_set - the signatures of one module
 * @list: in arg_sig_sets, or in gone_sets
 * @node: in sets_by_id
 * @retired: used after the set was removed from @list and @node
 * @readers: number of readers that use the set and may sleep, see arg_sig_hold()
 * @mod: the module; NULL if the module is gone
 * @mod_name: the module's name
 * @id: the number of the set; no other set ever has the number
 * @nr: the number of @entries
 * @btf: a number for the module's types in BTF, 0 if the kernel has no BTF of modules
 * @gone: the first entry of the module's init text if that was freed
 * @nr_gone: the number of entries of the init text that was freed
 * @text_size: bytes of @text
 * @text: a copy of the signatures
 * @types: a copy of the descriptions
 * @names_size: bytes of @names
 * @names: an empty name, then the names of the functions
 * @entries: the functions, sorted by address
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
	u32				btf;
	u32				gone;
	u32				nr_gone;
	u32				text_size;
	char				*text;
	struct arg_types		types;
	u32				names_size;
	char				*names;
	struct arg_sig_entry		entries[] __counted_by(nr);
};

/**
 * struct arg_sig_module_slot - a function of a module in the hash
 * @ip: the function's traced address; 0 in an empty slot
 * @ref: the reference to the signature, in @text
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
 * @retired: used after the hash was replaced
 * @nr: number of @slots that the lookup of an address may begin with
 * @slots: the hash: open addressing, linear probing; the last slot is empty
 */
struct arg_sigs_modules {
	struct arg_sig_retired		retired;
	u32				nr;
	struct arg_sig_module_slot	slots[];
};

/* Number of bits in arg_sigs_two_regs, and number of bytes of code for each bit */
#define ARG_SIGS_TWO_REGS_BITS	4096U
#define ARG_SIGS_TWO_REGS_STEP	16U

extern unsigned long arg_sigs_two_regs[BITS_TO_LONGS(ARG_SIGS_TWO_REGS_BITS)];
extern const struct arg_sigs_image *arg_sigs_image;
extern struct arg_sigs_modules __rcu *arg_sigs_modules;

/* The linker's bounds of the image's sections; the section arg_sigs is init data */
extern const struct arg_sig_site __start_arg_sigs[], __stop_arg_sigs[];
extern const char __start_arg_sigs_str[], __stop_arg_sigs_str[];
extern const char __start_arg_sigs_types[], __stop_arg_sigs_types[];

typedef void (*arg_sig_set_fn)(const struct arg_sig_set *set, void *data);

/**
 * struct arg_sig_hold - a function's signature while a reader uses it
 * @sig: the signature; NULL if there is none or the set is not known
 * @types: the descriptions that @sig refers to
 * @set: the set that @sig belongs to; NULL for a signature of the image
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
void arg_sig_release_set(struct arg_sig_set *set);
bool arg_sig_put_module_func(struct arg_out *out, unsigned long ip, u32 id);
#else
static inline void arg_sigs_walk_sets(arg_sig_set_fn show, void *data) { }
static inline void arg_sig_hold_module(struct arg_sig_hold *hold, unsigned long ip, u32 id) { }
static inline void arg_sig_release_set(struct arg_sig_set *set) { }
static inline bool arg_sig_put_module_func(struct arg_out *out, unsigned long ip, u32 id)
{
	return false;
}
#endif

/* Maximum size of a text: the remaining bits of a reference are the position in the text */
#define ARG_SIGS_MAX_TEXT	(BIT(32 - ARG_SIG_REF_SHIFT) - 1)

/*
 * A lookup begins with one of the first slots.  More first slots cost memory, fewer first
 * slots cost probes.  The spare slots follow.  They are for functions that find no room
 * in the first slots, so that probing need not wrap around.  The last slot stays empty.
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

void arg_sig_retire(struct arg_sig_retired *old,
		    bool (*free)(struct arg_sig_retired *old));
bool arg_sigs_any_events(void);
bool arg_sig_returns_two(unsigned long ip);
u32 arg_sig_make_ref(const char *text, const char *sig);
bool arg_gfp_named(const char *name, unsigned int len, u64 *val);
void arg_out_symbol_at(struct arg_out *out, unsigned long ip);
void arg_out_seq_begin(struct arg_out *out, struct seq_file *m);
void arg_out_seq_end(const struct arg_out *out, struct seq_file *m);

/* Find the slot, one of @nr, that the lookup of a key begins with; the next slots follow */
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

/* Find the signature that a reference refers to; @text is the text that it was made for */
static __always_inline const char *arg_sig_ref_text(const char *text, u32 ref)
{
	return text + (ref >> ARG_SIG_REF_SHIFT) - 1;
}

/* The number of longs if the kind is ARG_SIG_REF_TEXT; all are in registers */
static __always_inline unsigned int arg_sig_ref_text_longs(u32 ref)
{
	return (ref & ARG_SIG_REF_TEXT_NR) + 1;
}

/* The number of longs that the signature of a reference lists */
static __always_inline unsigned int arg_sig_ref_longs(u32 ref)
{
	u32 kind = ref & ARG_SIG_REF_KIND;

	if (kind == ARG_SIG_REF_TEXT)
		return arg_sig_ref_text_longs(ref);
	return (ref & ARG_SIG_REF_NR) + (kind != ARG_SIG_REF_REGS);
}

/* The long that points to a string if the kind is ARG_SIG_REF_TEXT */
static __always_inline unsigned int arg_sig_ref_text_arg(u32 ref)
{
	return (ref & ARG_SIG_REF_TEXT_ARG) / (ARG_SIG_REF_TEXT_NR + 1);
}

static __always_inline bool arg_sig_in_image(unsigned long ip)
{
	return ip - (unsigned long)_text < (unsigned long)(_end - _text);
}

/**
 * arg_sig_called_in_image - whether a called function is in the image
 * @ip: the address that ftrace knows the function by
 *
 * Faster than arg_sig_in_image(), but valid only for the address of a called function.
 *
 * Return: true if so, false otherwise.
 */
static __always_inline bool arg_sig_called_in_image(unsigned long ip)
{
	return trace_args_in_image(ip);
}

/**
 * arg_sig_find_image - find the places to capture of a function of the image
 * @ip: the address that ftrace knows the function by, see arg_sig_in_image()
 *
 * Called at each function entry, in any context, including NMI.
 *
 * Return: the reference to the function's signature, 0 if the function has no signature.
 */
static __always_inline u32 arg_sig_find_image(unsigned long ip)
{
	return arg_sig_ref(READ_ONCE(arg_sigs_image), ip - (unsigned long)_text);
}

/* The bit of arg_sigs_two_regs that a function shares with other functions */
static __always_inline unsigned int arg_sig_two_regs_bit(unsigned long ip)
{
	return ip / ARG_SIGS_TWO_REGS_STEP % ARG_SIGS_TWO_REGS_BITS;
}

/**
 * arg_sig_may_return_two - whether a function may return two registers
 * @ip: the address that ftrace knows the function by
 *
 * Called in the same contexts as arg_sig_find_image().
 *
 * Return: false if the function does not return two registers. If true, the signature
 * decides.
 */
static __always_inline bool arg_sig_may_return_two(unsigned long ip)
{
	return test_bit(arg_sig_two_regs_bit(ip), arg_sigs_two_regs);
}

#ifdef CONFIG_MODULES

/**
 * arg_sig_slot_of - find the slot that a module's function has or would get
 * @modules: the hash
 * @ip: the address that ftrace knows the function by
 *
 * Return: the slot with the address @ip, or an empty slot.
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
 * arg_sig_find_module - find the places to capture of a module's function
 * @ip: the address that ftrace knows the function by
 *
 * Called at function entry, in the same contexts as arg_sig_find_image(). The caller has
 * preemption disabled, or holds rcu_read_lock().
 *
 * Return: the function's slot, NULL if the function has no signature.
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
 * arg_sig_find_called - find the places to capture of any function
 * @ip: the address that ftrace knows the function by
 * @slot: set to the function's slot if the function is in a module, else to NULL
 *
 * Called in the same contexts as arg_sig_find_module().
 *
 * Return: the reference to the function's signature, 0 if the function has no signature.
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

/**
 * arg_sig_called_set - find the set of signatures of a function that is called or returns
 * @ip: the address that ftrace knows the function by
 *
 * At its return, a function of a module is still there: whoever removes the module waits
 * until the callers of its functions know that these have returned.  Called in the same
 * contexts as arg_sig_find_module().
 *
 * Return: the set's number, ARG_SIGS_IMAGE for a function without a set.
 */
static __always_inline u32 arg_sig_called_set(unsigned long ip)
{
	const struct arg_sig_module_slot *slot;

	if (likely(arg_sig_called_in_image(ip)))
		return ARG_SIGS_IMAGE;
	slot = arg_sig_find_module(ip);
	return slot ? slot->id : ARG_SIGS_IMAGE;
}

#endif /* _TRACE_ARGS_TABLE_H */
