// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of modules' functions in the sets of signatures
 *
 * arg_sigs_modules is a hash of all modules' functions by address.  The hash is replaced
 * as a whole, so that a slot never gets another function while it is read.  Function
 * entry reads the hash and the text of the sets with preemption disabled, and may run
 * where RCU is not watching: see arg_sig_retire().
 *
 * sets_by_id is a hash of the sets that events may refer to, by the number in the event.
 * A reader looks up a set with preemption disabled, and may run where RCU is not
 * watching.  The set counts its readers.  args/modules.c adds and removes sets
 * under arg_sigs_mutex, and frees a set after its last reader is done.
 */
#include <linux/atomic.h>
#include <linux/bsearch.h>
#include <linux/hashtable.h>
#include <linux/kallsyms.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include <kunit/visibility.h>

#include "table.h"
#include "text.h"

static DEFINE_HASHTABLE(sets_by_id, 7);

struct arg_sigs_modules __rcu *arg_sigs_modules;
EXPORT_SYMBOL_IF_KUNIT(arg_sigs_modules);

/**
 * arg_sig_add_set - add a set to the hash that readers use
 * @set: the complete set, with a number that no set had before
 *
 * The caller holds arg_sigs_mutex of args/modules.c.
 */
void arg_sig_add_set(struct arg_sig_set *set)
{
	hash_add_rcu(sets_by_id, &set->node, set->id);
}

/**
 * arg_sig_remove_set - remove a set from the hash that readers use
 * @set: the set, from arg_sig_add_set()
 *
 * The caller holds arg_sigs_mutex of args/modules.c. New readers do not find the
 * set. The caller frees the set by arg_sig_retire(), which waits for the readers that already
 * found it.
 */
void arg_sig_remove_set(struct arg_sig_set *set)
{
	hash_del_rcu(&set->node);
}

static struct arg_sig_set *set_by_id(u32 id)
{
	struct arg_sig_set *set;

	hash_for_each_possible_rcu_notrace(sets_by_id, set, node, id)
		if (set->id == id)
			return set;
	return NULL;
}

/* Find a set, or NULL. The caller may use the set until arg_sig_release_set() */
static struct arg_sig_set *hold_set(u32 id)
{
	struct arg_sig_set *set;

	/* Used in place of rcu_read_lock(), because that function is traced */
	guard(preempt_notrace)();
	set = set_by_id(id);
	if (set)
		atomic_inc(&set->readers);
	return set;
}

/**
 * arg_sig_release_set - end the use of a set
 * @set: the set, or NULL
 *
 * Any context.
 */
void arg_sig_release_set(struct arg_sig_set *set)
{
	/* Pairs with free_retired_set() */
	if (set)
		atomic_dec_return_release(&set->readers);
}

/**
 * arg_sig_compare_entries - compare two functions of a set by their addresses
 * @a: a struct arg_sig_entry
 * @b: another struct arg_sig_entry
 *
 * The entries of a set are in the order of this function. Any context.
 *
 * Return: a number below, equal to or above 0, as the address of @a is below,
 * equal to or above the address of @b.
 */
int arg_sig_compare_entries(const void *a, const void *b)
{
	const struct arg_sig_entry *left = a, *right = b;

	return left->ip < right->ip ? -1 : left->ip > right->ip;
}

/* Find the entry of a function in a set, whether or not the function is gone */
static const struct arg_sig_entry *find_entry(const struct arg_sig_set *set,
					      unsigned long ip)
{
	const struct arg_sig_entry key = { .ip = ip };

	return bsearch(&key, set->entries, set->nr, sizeof(key),
		       arg_sig_compare_entries);
}

/* Find the set of the function that is at an address now, and the function's reference */
static u32 current_set(unsigned long ip, u32 *ref)
{
	const struct arg_sig_module_slot *slot;

	guard(preempt_notrace)();
	slot = arg_sig_find_module(ip);
	if (!slot)
		return ARG_SIGS_IMAGE;
	*ref = slot->ref;
	return slot->id;
}

/**
 * arg_sig_hold_module - find the signature of a module's function
 * @hold: gets the signature and its descriptions; the caller has cleared @hold
 * @ip: the address that ftrace knows the function by
 * @id: number of the set, see arg_sig_hold()
 *
 * Any context.
 */
void arg_sig_hold_module(struct arg_sig_hold *hold, unsigned long ip, u32 id)
{
	const struct arg_sig_entry *entry;
	struct arg_sig_set *set;
	u32 now, ref = 0;

	now = current_set(ip, &ref);
	set = hold_set(id == ARG_SIGS_CURRENT_SET ? now : id);
	if (!set)
		return;
	hold->set = set;
	if (set->id != now) {
		entry = find_entry(set, ip);
		ref = entry ? entry->ref : 0;
	}
	if (ref) {
		hold->sig = arg_sig_ref_text(set->text, ref);
		hold->types = &set->types;
	}
}

/**
 * arg_out_symbol_at - write what %ps writes
 * @out: the output
 * @ip: the address
 *
 * Any context.
 */
void arg_out_symbol_at(struct arg_out *out, unsigned long ip)
{
	char text[KSYM_SYMBOL_LEN];

	sprint_symbol_no_offset(text, ip);
	arg_out_puts(out, text);
}

/* Write the name of a function that is gone; the names of its set have the name */
static void put_gone_name(struct arg_out *out, const struct arg_sig_set *set,
			  const struct arg_sig_entry *entry, u32 name)
{
	const struct arg_sig_names *names;

	if (name == GONE_NAMELESS) {
		arg_out_hex(out, entry->ip);
	} else {
		/* The names are replaced when further functions of the set go */
		guard(preempt_notrace)();
		names = rcu_dereference_sched(set->names);
		arg_out_puts(out, names->text + name);
	}
	arg_out_puts(out, " [");
	arg_out_puts(out, set->mod_name);
	arg_out_puts(out, "]");
}

static void put_set_func(struct arg_out *out, const struct arg_sig_set *set,
			 const struct arg_sig_entry *entry)
{
	const struct arg_out before = *out;
	u32 name;

	/* Pairs with retire_entries(), which writes the name's text before @entry->name */
	name = smp_load_acquire(&entry->name);
	if (!name) {
		arg_out_symbol_at(out, entry->ip);
		/*
		 * If the function went meanwhile, the symbol may belong to another
		 * module. In that case @entry->name is set now.
		 */
		smp_rmb();
		/* Pairs with retire_entries(), as above */
		name = smp_load_acquire(&entry->name);
		if (!name)
			return;
		*out = before;
	}
	put_gone_name(out, set, entry, name);
}

/**
 * arg_sig_put_module_func - write the name of a module's function
 * @out: the output
 * @ip: the address that ftrace knows the function by
 * @id: number of the function's set
 *
 * Any context.
 *
 * Return: false if the set is not known any more.
 */
bool arg_sig_put_module_func(struct arg_out *out, unsigned long ip, u32 id)
{
	struct arg_sig_set *set = hold_set(id);
	const struct arg_sig_entry *entry;

	entry = set ? find_entry(set, ip) : NULL;
	if (entry)
		put_set_func(out, set, entry);
	arg_sig_release_set(set);
	return entry;
}
