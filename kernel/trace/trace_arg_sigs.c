// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of the functions that can be traced
 *
 * scripts/gen_arg_sigs leaves them in the image and in each module, see
 * include/linux/arg_sigs.h.  Here they get found by the traced address.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "trace_arg_sigs.h"

#undef pr_fmt
#define pr_fmt(fmt) "arg_sigs: " fmt

/* Text of one image is addressed by what a reference has left */
#define ARG_SIGS_MAX_TEXT	BIT(32 - ARG_SIG_REF_SHIFT)

/*
 * arg_sigs_image holds the image's functions; it is written once at boot.
 *
 * arg_sigs_modules is a hash of all modules' functions by address.  It is
 * replaced as a whole, so that a slot never gets another function while it is
 * read, and freed after a grace period, as the sets of signatures that it
 * refers to: readers have preemption disabled or hold rcu_read_lock().
 */
static struct arg_sig_slot no_slots[1];
struct arg_sigs_image arg_sigs_image __ro_after_init = { .slots = no_slots };
static struct arg_types image_types __ro_after_init;
struct arg_sigs_modules __rcu *arg_sigs_modules;
EXPORT_SYMBOL_IF_KUNIT(arg_sigs_modules);

/**
 * struct arg_sig_entry - a module's function
 * @ip: its traced address
 * @ref: its signature, from the set's text
 */
struct arg_sig_entry {
	unsigned long	ip;
	u32		ref;
};

/**
 * struct arg_sig_set - the signatures of one module
 * @list: in arg_sig_sets
 * @rcu: readers may hold on to it
 * @mod: whose it is
 * @id: its number, never given twice
 * @nr: how many @entries there are
 * @reused: its addresses were another module's once
 * @text: the signatures, a copy
 * @types: the descriptions, a copy
 * @entries: the functions
 */
struct arg_sig_set {
	struct list_head	list;
	struct rcu_head		rcu;
	struct module		*mod;
	u32			id;
	u32			nr;
	bool			reused;
	char			*text;
	struct arg_types	types;
	struct arg_sig_entry	entries[] __counted_by(nr);
};

/**
 * arg_sig_text - find a function's signature
 * @ip: the address that ftrace knows the function by
 * @set: number of the set that an event was recorded with; where it carries
 *	none, ARG_SIGS_UNKNOWN_SET: then only an address that never had another
 *	module's function is known.  ARG_SIGS_CURRENT_SET for what is there now
 * @types: the descriptions that it refers to
 *
 * Any context; the caller has preemption disabled or holds rcu_read_lock() for
 * as long as it uses what it gets.
 *
 * Return: the signature, NULL if there is none, or if the address has another
 * module's function now than it had for @set.
 */
const char *arg_sig_text(unsigned long ip, u32 set,
			 const struct arg_types **types)
{
	const struct arg_sig_module_slot *slot;
	u32 ref;

	if (arg_sig_in_image(ip)) {
		ref = arg_sig_find_image(ip);
		*types = &image_types;
		return ref ? __start_arg_sigs_str + (ref >> ARG_SIG_REF_SHIFT) :
			     NULL;
	}

	slot = arg_sig_find_module(ip);
	if (!slot)
		return NULL;
	if (set == ARG_SIGS_UNKNOWN_SET ? slot->set->reused :
	    set != ARG_SIGS_CURRENT_SET && set != slot->id)
		return NULL;
	*types = &slot->set->types;
	return slot->text + (slot->ref >> ARG_SIG_REF_SHIFT);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_text);

/**
 * arg_sigs_seq_show - show a function's prototype, after its name
 * @m: where to
 * @ip: the address that ftrace knows the function by
 *
 * Writes a tab and the prototype as C, or "?" where there is no signature.
 */
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip)
{
	const struct arg_types *types;
	char name[KSYM_NAME_LEN];
	struct arg_out out;
	const char *sig;
	size_t left;
	char *buf;

	guard(rcu)();
	sig = arg_sig_text(ip, ARG_SIGS_CURRENT_SET, &types);
	if (!sig || lookup_symbol_name(ip, name)) {
		seq_puts(m, "\t?");
		return;
	}
	seq_putc(m, '\t');
	left = seq_get_buf(m, &buf);
	out = (struct arg_out){ .pos = buf, .end = buf + left };
	arg_sig_put_proto(&out, sig, types, name);
	seq_commit(m, out.pos <= out.end ? out.pos - buf : -1);
}

/* A signature's reference, 0 if the text is longer than a reference reaches */
static u32 make_ref(const char *text, const char *sig)
{
	u32 ref = ARG_SIG_REF_KNOWN | arg_sig_longs(sig);

	BUILD_BUG_ON(ARG_SIGS_MAX_LONGS > ARG_SIG_REF_LONGS);
	if (sig - text >= ARG_SIGS_MAX_TEXT)
		return 0;
	if (*sig == '(')
		ref |= ARG_SIG_REF_SLOTS;
	return ref | (sig - text) << ARG_SIG_REF_SHIFT;
}

static int alloc_types(struct arg_types *types)
{
	int nr = arg_types_count(types->text, types->size);
	u32 slots;

	if (nr < 0)
		return nr;
	slots = arg_types_slots(nr);
	types->index = kvcalloc(slots, sizeof(*types->index), GFP_KERNEL);
	if (!types->index)
		return -ENOMEM;
	types->mask = slots - 1;
	return arg_types_index(types);
}

static void __init add_image_site(const struct arg_sig_site *site)
{
	const char *sig = (const char *)&site->sig + site->sig;
	u32 key = (char *)&site->func + site->func - _text;
	u32 i = key * GOLDEN_RATIO_32 >> arg_sigs_image.shift;
	struct arg_sig_slot *slot;

	for (;; i++) {
		slot = &arg_sigs_image.slots[i & arg_sigs_image.mask];
		if (slot->key == key)
			return;
		if (!slot->key)
			break;
	}
	slot->ref = make_ref(__start_arg_sigs_str, sig);
	if (slot->ref)
		slot->key = key;
}

static int __init arg_sigs_init(void)
{
	const struct arg_sig_site *site;
	u64 begin = sched_clock();
	unsigned int bits;
	int dropped;

	/* A quarter to half full: most are found where they are looked for */
	bits = ilog2(max(__stop_arg_sigs - __start_arg_sigs, 1L)) + 2;
	arg_sigs_image.slots = kvcalloc(BIT(bits), sizeof(*arg_sigs_image.slots),
					GFP_KERNEL);
	if (!arg_sigs_image.slots) {
		arg_sigs_image.slots = no_slots;
		pr_warn("no memory for %td functions\n",
			__stop_arg_sigs - __start_arg_sigs);
		return -ENOMEM;
	}
	arg_sigs_image.mask = BIT(bits) - 1;
	arg_sigs_image.shift = 32 - bits;
	for (site = __start_arg_sigs; site < __stop_arg_sigs; site++)
		add_image_site(site);

	image_types.text = __start_arg_sigs_types;
	image_types.size = __stop_arg_sigs_types - __start_arg_sigs_types;
	dropped = alloc_types(&image_types);
	if (dropped)
		pr_warn("descriptions of types: %d\n", dropped);
	pr_info("%td functions, %lu KiB of hash, filled in %llu us\n",
		__stop_arg_sigs - __start_arg_sigs,
		(BIT(bits) * sizeof(*arg_sigs_image.slots)) >> 10,
		div_u64(sched_clock() - begin, NSEC_PER_USEC));
	return 0;
}
core_initcall(arg_sigs_init);

#ifdef CONFIG_MODULES

/*
 * arg_sig_sets holds a set for each module that is loaded and has signatures,
 * gone_ranges the addresses that modules had and left.  These and
 * arg_sigs_modules change under arg_sigs_mutex.
 */
static DEFINE_MUTEX(arg_sigs_mutex);
static LIST_HEAD(arg_sig_sets);
static LIST_HEAD(gone_ranges);
static bool gone_ranges_lost;
static u32 last_set = ARG_SIGS_IMAGE;

/**
 * struct gone_range - addresses that a module's text had
 * @list: in gone_ranges
 * @start: the first
 * @end: the first behind them
 */
struct gone_range {
	struct list_head	list;
	unsigned long		start;
	unsigned long		end;
};

static void free_set(struct arg_sig_set *set)
{
	kvfree(set->text);
	kvfree(set->types.text);
	kvfree(set->types.index);
	kvfree(set);
}

static void free_set_rcu(struct rcu_head *rcu)
{
	free_set(container_of(rcu, struct arg_sig_set, rcu));
}

static void add_module_entry(struct arg_sigs_modules *modules,
			     struct arg_sig_set *set,
			     const struct arg_sig_entry *entry)
{
	struct arg_sig_module_slot *slot;

	slot = (struct arg_sig_module_slot *)arg_sig_slot_of(modules, entry->ip);
	slot->ip = entry->ip;
	slot->ref = entry->ref;
	slot->id = set->id;
	slot->text = set->text;
	slot->set = set;
}

/*
 * Make a hash of all sets' functions.  Without memory for it no module's
 * function has a signature until the next time: none is better than one that
 * belongs to a module that is gone.
 */
static void update_modules(void)
{
	struct arg_sigs_modules *old, *new = NULL;
	struct arg_sig_set *set;
	unsigned int bits;
	unsigned long nr = 0;
	u32 i;

	lockdep_assert_held(&arg_sigs_mutex);

	list_for_each_entry(set, &arg_sig_sets, list)
		nr += set->nr;
	if (nr) {
		bits = ilog2(nr * 2) + 1;
		new = kvzalloc(struct_size(new, slots, BIT(bits)), GFP_KERNEL);
		if (!new)
			pr_warn("no memory for %lu functions of modules\n", nr);
	}
	if (new) {
		new->mask = BIT(bits) - 1;
		new->shift = 32 - bits;
		list_for_each_entry(set, &arg_sig_sets, list)
			for (i = 0; i < set->nr; i++)
				add_module_entry(new, set, &set->entries[i]);
	}
	old = rcu_replace_pointer(arg_sigs_modules, new,
				  lockdep_is_held(&arg_sigs_mutex));
	if (old)
		kvfree_rcu(old, rcu);
}

static struct arg_sig_set *find_set(const struct module *mod)
{
	struct arg_sig_set *set;

	lockdep_assert_held(&arg_sigs_mutex);

	list_for_each_entry(set, &arg_sig_sets, list)
		if (set->mod == mod)
			return set;
	return NULL;
}

/* Sections of a module come from a file: nothing in them is relied on */
static int fill_set(struct arg_sig_set *set, const struct module *mod)
{
	const char *text = mod->arg_sigs_str;
	u32 i;

	if (!mod->arg_sigs_str_size || text[mod->arg_sigs_str_size - 1] ||
	    mod->arg_sigs_str_size > ARG_SIGS_MAX_TEXT) {
		pr_warn("%s: the text in " ARG_SIGS_STR_SECTION " has no end\n",
			mod->name);
		return -EINVAL;
	}

	for (i = 0; i < mod->num_arg_sigs; i++) {
		const struct arg_sig_site *site = &mod->arg_sigs[i];
		const char *sig = (const char *)&site->sig + site->sig;
		unsigned long ip = (unsigned long)&site->func + site->func;

		if (!within_module(ip, mod) || sig < text ||
		    sig >= text + mod->arg_sigs_str_size ||
		    !arg_sig_valid(sig)) {
			pr_warn("%s: entry %u of " ARG_SIGS_SITES_SECTION " is malformed\n",
				mod->name, i);
			return -EINVAL;
		}
		set->entries[i].ip = ip;
		set->entries[i].ref = make_ref(text, sig);
	}

	set->text = kvmemdup(text, mod->arg_sigs_str_size, GFP_KERNEL);
	if (!set->text)
		return -ENOMEM;
	if (mod->arg_sigs_types_size) {
		set->types.size = mod->arg_sigs_types_size;
		set->types.text = kvmemdup(mod->arg_sigs_types,
					   set->types.size, GFP_KERNEL);
		if (!set->types.text)
			return -ENOMEM;
		if (alloc_types(&set->types)) {
			pr_warn("%s: " ARG_SIGS_TYPES_SECTION " is malformed\n",
				mod->name);
			return -EINVAL;
		}
	}
	return 0;
}

static bool within_gone(unsigned long start, unsigned long end)
{
	struct gone_range *range;

	list_for_each_entry(range, &gone_ranges, list)
		if (start < range->end && range->start < end)
			return true;
	return gone_ranges_lost;
}

static void add_gone(const struct module *mod, enum mod_mem_type type)
{
	unsigned long start = (unsigned long)mod->mem[type].base;
	unsigned long end = start + mod->mem[type].size;
	struct gone_range *range, *tmp, *new;

	lockdep_assert_held(&arg_sigs_mutex);

	if (start == end)
		return;
	new = kmalloc(sizeof(*new), GFP_KERNEL);
	if (!new) {
		/* From now on any address may have been another module's */
		gone_ranges_lost = true;
		return;
	}
	list_for_each_entry_safe(range, tmp, &gone_ranges, list) {
		if (start > range->end || range->start > end)
			continue;
		start = min(start, range->start);
		end = max(end, range->end);
		list_del(&range->list);
		kfree(range);
	}
	new->start = start;
	new->end = end;
	list_add(&new->list, &gone_ranges);
}

static bool is_reused(const struct module *mod, enum mod_mem_type type)
{
	unsigned long start = (unsigned long)mod->mem[type].base;

	return within_gone(start, start + mod->mem[type].size);
}

static void add_module(struct module *mod)
{
	struct arg_sig_set *set;
	int ret = -ENOMEM;

	if (!mod->num_arg_sigs)
		return;

	set = kvzalloc(struct_size(set, entries, mod->num_arg_sigs), GFP_KERNEL);
	if (set) {
		set->mod = mod;
		set->nr = mod->num_arg_sigs;
		ret = fill_set(set, mod);
	}
	if (ret) {
		pr_warn("%s: its functions have no signatures (%d)\n",
			mod->name, ret);
		if (set)
			free_set(set);
		return;
	}

	guard(mutex)(&arg_sigs_mutex);
	set->id = ++last_set;
	set->reused = is_reused(mod, MOD_TEXT) || is_reused(mod, MOD_INIT_TEXT);
	list_add(&set->list, &arg_sig_sets);
	update_modules();
}

/* Its init text goes, another module's may come to the same address */
static void drop_module_init(struct module *mod)
{
	struct arg_sig_set *set;
	u32 i, kept = 0;

	guard(mutex)(&arg_sigs_mutex);
	add_gone(mod, MOD_INIT_TEXT);
	set = find_set(mod);
	if (!set)
		return;
	for (i = 0; i < set->nr; i++)
		if (!within_module_init(set->entries[i].ip, mod))
			set->entries[kept++] = set->entries[i];
	if (kept == set->nr)
		return;
	set->nr = kept;
	update_modules();
}

static void drop_module(struct module *mod)
{
	struct arg_sig_set *set;

	guard(mutex)(&arg_sigs_mutex);
	add_gone(mod, MOD_TEXT);
	add_gone(mod, MOD_INIT_TEXT);
	set = find_set(mod);
	if (!set)
		return;
	list_del(&set->list);
	update_modules();
	call_rcu(&set->rcu, free_set_rcu);
}

static int arg_sigs_module_notify(struct notifier_block *nb,
				  unsigned long state, void *data)
{
	switch (state) {
	case MODULE_STATE_COMING:
		add_module(data);
		break;
	case MODULE_STATE_LIVE:
		drop_module_init(data);
		break;
	case MODULE_STATE_GOING:
		drop_module(data);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block arg_sigs_module_nb = {
	.notifier_call = arg_sigs_module_notify,
};

static int __init arg_sigs_modules_init(void)
{
	return register_module_notifier(&arg_sigs_module_nb);
}
core_initcall(arg_sigs_modules_init);

#endif /* CONFIG_MODULES */
