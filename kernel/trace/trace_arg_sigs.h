/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of functions: their table (trace_arg_sigs.c), their text and that
 * of values (trace_args_render.c), and what the graph tracer records of a
 * call (trace_graph_args.c).
 */
#ifndef _TRACE_ARG_SIGS_H
#define _TRACE_ARG_SIGS_H

#include <linux/arg_sigs.h>
#include <linux/types.h>

/**
 * struct arg_types - the descriptions of enums and records of one image
 * @text: descriptions, each ends with NUL
 * @size: bytes of @text
 * @index: hash by id of offsets in @text plus 1, 0 where empty
 * @mask: slots of @index less 1
 */
struct arg_types {
	const char	*text;
	u32		size;
	u32		*index;
	u32		mask;
};

/**
 * enum arg_kind - what a value is
 * @ARG_UNKNOWN: not captured, or of a type that is not shown
 * @ARG_REMOVED: the compiler removed the parameter
 * @ARG_SIGNED: a signed number
 * @ARG_UNSIGNED: an unsigned number, or a number that holds bits
 * @ARG_WIDE: a number of 128 bits
 * @ARG_BOOL: a bool
 * @ARG_NAMED: a number whose text is not a number: enum, gfp_t, umode_t, dev_t
 * @ARG_POINTER: a pointer, or a string that could not be read
 * @ARG_STRING: a string, or the bytes of a buffer
 */
enum arg_kind {
	ARG_UNKNOWN,
	ARG_REMOVED,
	ARG_SIGNED,
	ARG_UNSIGNED,
	ARG_WIDE,
	ARG_BOOL,
	ARG_NAMED,
	ARG_POINTER,
	ARG_STRING,
};

/**
 * struct arg_value - a value that is no record and no array
 * @kind: what it is
 * @type: its type in the signature, NULL if the value is not known
 * @val: the number, sign-extended if it is signed; the address
 * @high: the upper 64 bits of ARG_WIDE
 * @data: the bytes of ARG_STRING
 * @size: how many bytes there are at @data
 * @cut: the string or the buffer was longer
 * @text: the value as text, NULL if there was no room for it
 * @len: characters of @text
 */
struct arg_value {
	enum arg_kind	kind;
	const char	*type;
	u64		val;
	u64		high;
	const void	*data;
	unsigned int	size;
	bool		cut;
	const char	*text;
	unsigned int	len;
};

struct arg_sink;

/**
 * struct arg_sink_ops - what a sink is told while text is written
 * @name: the name, of @len characters, of the parameter or member that follows;
 *	elements of arrays and what is returned have none
 * @begin: a record or an array begins
 * @end: it ends
 * @value: any other value
 */
struct arg_sink_ops {
	void	(*name)(struct arg_sink *sink, const char *name, unsigned int len);
	void	(*begin)(struct arg_sink *sink, bool array);
	void	(*end)(struct arg_sink *sink);
	void	(*value)(struct arg_sink *sink, const struct arg_value *value);
};

/**
 * struct arg_sink - who wants values besides the text
 * @ops: what to call
 */
struct arg_sink {
	const struct arg_sink_ops	*ops;
};

/**
 * struct arg_out - where text is written to
 * @pos: where the next character goes; beyond @end it is only counted
 * @end: the first byte that must not be written
 * @last: the last character written or counted
 * @sink: who is told the values, mostly NULL
 */
struct arg_out {
	char		*pos;
	char		*end;
	char		last;
	struct arg_sink	*sink;
};

/*
 * Where a signature has strings ("*") or buffers ("#"), an event may have them
 * behind the longs, in the order of their slots: for each a header of 16 bits,
 * its length, and that many bytes. The header has ARG_STRING_CUT where the
 * string or the buffer was longer. It is ARG_STRING_UNREAD, without bytes, where
 * it could not be read or where there was none: NULL or an error pointer.
 */
#define ARG_STRING_CUT		0x8000U
#define ARG_STRING_UNREAD	0x7fffU

/**
 * struct arg_longs - what was recorded of a call's arguments
 * @data: the longs, then the strings, then zeros up to 8 bytes; in the event,
 *	so maybe not aligned
 * @size: bytes of @data, without the number of a set of signatures. Unless it
 *	is what the signature asks for, nothing was recorded
 */
struct arg_longs {
	const void	*data;
	unsigned int	size;
};

int arg_types_count(const char *text, u32 size);
u32 arg_types_slots(u32 nr);
int arg_types_index(struct arg_types *types);
const char *arg_types_find(const struct arg_types *types, const char *id);

/**
 * struct arg_sig_info - what of a signature matters when a call is recorded
 * @longs: how many longs are captured
 * @strings: whether some of them point to strings
 * @fields: whether there is a list of a system call's own parameters
 * @two_regs: whether two registers are returned
 */
struct arg_sig_info {
	unsigned int	longs;
	bool		strings;
	bool		fields;
	bool		two_regs;
};

bool arg_sig_valid(const char *sig);
unsigned int arg_sig_longs(const char *sig);
void arg_sig_get_info(const char *sig, struct arg_sig_info *info);
void arg_out_puts(struct arg_out *out, const char *text);
void arg_sig_put_args(struct arg_out *out, const char *sig,
		      const struct arg_types *types,
		      const struct arg_longs *longs);
bool arg_sig_is_void(const char *sig);
void arg_sig_put_ret(struct arg_out *out, const char *sig,
		     const struct arg_types *types, const u64 *regs,
		     unsigned int nr_regs, bool hex);
void arg_sig_put_proto(struct arg_out *out, const char *sig,
		       const struct arg_types *types, const char *name);

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/rcupdate.h>

#include <asm/sections.h>

/* The set of the image's own signatures, which no event carries */
#define ARG_SIGS_IMAGE		0
/* The set that is at an address now */
#define ARG_SIGS_CURRENT_SET	(U32_MAX - 1)
/* Not known which set an event's function is of */
#define ARG_SIGS_UNKNOWN_SET	U32_MAX

/*
 * A reference says where a signature is, and all that is needed of most: how
 * many longs there are, of which kind their places are, and whether two
 * registers are returned. It is never 0: the text is counted from 1.
 */
#define ARG_SIG_REF_NR		0x1fU
#define ARG_SIG_REF_KIND	0xe0U
#define ARG_SIG_REF_TWO_REGS	BIT(8)
#define ARG_SIG_REF_SHIFT	9

/* Kinds: the argument registers in their order, ARG_SIG_REF_NR of them */
#define ARG_SIG_REF_REGS	0x00U
/* all of these and the words of the stack, in their order, one more in all */
#define ARG_SIG_REF_STACK	0x20U
/* a list of registers and words of the stack, one more than ARG_SIG_REF_NR */
#define ARG_SIG_REF_LIST	0x40U
/* the first register, and fields of the struct pt_regs there, as many */
#define ARG_SIG_REF_FIELDS	0x60U
/* any list, with strings mostly */
#define ARG_SIG_REF_ANY		0x80U
/*
 * the argument registers in their order, one more than ARG_SIG_REF_TEXT_NR, of
 * which the one that ARG_SIG_REF_TEXT_ARG counts points to a string, no other
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
 * @all: number of @slots
 * @nr: how many of them a key may be looked for in first
 * @slots: open addressing, linear probing; the last one is empty
 */
struct arg_sigs_image {
	struct arg_types	types;
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
 * @readers: how many readers use it that may sleep, see arg_sig_hold()
 * @mod: whose it is; NULL once it is gone
 * @mod_name: the module's name
 * @id: its number, never given twice
 * @nr: how many @entries there are
 * @reused: its addresses were another module's once
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
 * @nr: how many of @slots an address may be looked for in first
 * @slots: open addressing, linear probing; the last one is empty
 */
struct arg_sigs_modules {
	struct arg_sig_retired		retired;
	u32				nr;
	struct arg_sig_module_slot	slots[];
};

extern const struct arg_sigs_image *arg_sigs_image;
extern struct arg_sigs_modules __rcu *arg_sigs_modules;

/* The linker's bounds of the image's sections; the first one is init data */
extern const struct arg_sig_site __start_arg_sigs[], __stop_arg_sigs[];
extern const char __start_arg_sigs_str[], __stop_arg_sigs_str[];
extern const char __start_arg_sigs_types[], __stop_arg_sigs_types[];

typedef void (*arg_sig_set_fn)(const struct arg_sig_set *set, void *data);
void arg_sigs_walk_sets(arg_sig_set_fn show, void *data);

/**
 * struct arg_sig_hold - a function's signature while a reader uses it
 * @sig: the signature; NULL if there is none or the set is not known
 * @types: the descriptions that it refers to
 * @set: the set that it is from, if it is a module's
 */
struct arg_sig_hold {
	const char		*sig;
	const struct arg_types	*types;
	struct arg_sig_set	*set;
};

void arg_sig_hold(struct arg_sig_hold *hold, unsigned long ip, u32 set);
void arg_sig_release(const struct arg_sig_hold *hold);
void arg_sig_put_func(struct arg_out *out, unsigned long ip, u32 set);

/* The slot that a key is looked for in first, one of @nr; then in the next ones */
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
#ifdef CONFIG_X86_64
	/* Below the modules there is nothing else that is traced */
	return ip < MODULES_VADDR;
#else
	return arg_sig_in_image(ip);
#endif
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

struct seq_file;

#ifdef CONFIG_FUNCTION_ARG_SIGS
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip);
void arg_sigs_show_format(struct seq_file *m);
#else
static inline void arg_sigs_seq_show(struct seq_file *m, unsigned long ip) { }
static inline void arg_sigs_show_format(struct seq_file *m) { }
#endif

#endif /* __KERNEL__ */
#endif /* _TRACE_ARG_SIGS_H */
