// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures of modules' functions, including modules that are gone
 *
 * A module's set of signatures is made when the module is loaded.  The set of a module
 * that is gone is kept while events may refer to the module, but all sets of such modules
 * take no more than ARG_SIGS_GONE_MAX.
 *
 * arg_sigs_modules is a hash of all modules' functions by address.  The hash is replaced
 * as a whole, so that a slot never gets another function while it is read.  Function
 * entry reads the hash and the text of the sets with preemption disabled, and may run
 * where RCU is not watching: see arg_sig_retire().
 *
 * sets_by_id is a hash of the sets that events may refer to, by the number in the event.
 * A reader looks up a set with preemption disabled, and may run where RCU is not
 * watching.  The set counts its readers, and is freed after its last reader is done.
 */
#include <linux/atomic.h>
#include <linux/bsearch.h>
#include <linux/ftrace.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "table.h"
#include "text.h"

#undef pr_fmt
#define pr_fmt(fmt) "arg_sigs: " fmt

/*
 * arg_sig_sets holds a set for each module that is loaded and has signatures.
 * gone_sets holds the sets of modules that were unloaded while a buffer had events,
 * the oldest first.  arg_sigs_mutex protects these lists, sets_by_id and changes of
 * arg_sigs_modules.
 */
static DEFINE_MUTEX(arg_sigs_mutex);
static LIST_HEAD(arg_sig_sets);
static LIST_HEAD(gone_sets);
static DEFINE_HASHTABLE(sets_by_id, 7);

struct arg_sigs_modules __rcu *arg_sigs_modules;
EXPORT_SYMBOL_IF_KUNIT(arg_sigs_modules);

static u32 last_set;

/* Maximum memory of the sets of unloaded modules; the oldest sets are freed first */
#define ARG_SIGS_GONE_MAX	SZ_8M
static size_t gone_sets_size;

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

/* Compare two functions of a set by their addresses, which have the order of the entries */
static int compare_entries(const void *a, const void *b)
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
		       compare_entries);
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

	if (id == ARG_SIGS_CURRENT_SET) {
		guard(preempt_notrace)();
		id = arg_sig_called_set(ip);
	}
	set = hold_set(id);
	if (!set)
		return;
	hold->set = set;
	entry = find_entry(set, ip);
	if (entry && entry->ref) {
		hold->sig = arg_sig_ref_text(set->text, entry->ref);
		hold->types = &set->types;
	}
}

static void put_set_func(struct arg_out *out, const struct arg_sig_set *set,
			 const struct arg_sig_entry *entry)
{
	if (entry->name)
		arg_out_puts(out, set->names + entry->name);
	else
		arg_out_hex(out, entry->ip);
	arg_out_puts(out, " [");
	arg_out_puts(out, set->mod_name);
	arg_out_puts(out, "]");
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

static void free_set(struct arg_sig_set *set)
{
	kvfree(set->names);
	kvfree(set->text);
	kvfree(set->types.text);
	kvfree(set->types.index);
	kvfree(set);
}

static bool free_retired_set(struct arg_sig_retired *old)
{
	struct arg_sig_set *set = container_of(old, struct arg_sig_set, retired);

	/* Pairs with arg_sig_release_set() */
	if (atomic_read_acquire(&set->readers))
		return false;
	free_set(set);
	return true;
}

static void add_module_entry(struct arg_sigs_modules *modules,
			     const struct arg_sig_module_slot *last,
			     struct arg_sig_set *set,
			     const struct arg_sig_entry *entry)
{
	struct arg_sig_module_slot *slot;

	slot = (struct arg_sig_module_slot *)arg_sig_slot_of(modules, entry->ip);
	if (slot == last)
		return;
	slot->ip = entry->ip;
	slot->ref = entry->ref;
	if (entry->ref & ARG_SIG_REF_TWO_REGS)
		set_bit(arg_sig_two_regs_bit(entry->ip), arg_sigs_two_regs);
	slot->id = set->id;
	slot->text = set->text;
}

/*
 * Make a hash of all sets' functions.  If there is no memory for the hash, no module's
 * function has a signature until the next update, because no signature is better than the
 * signature of a module that is gone.
 */
static void update_modules(void)
{
	struct arg_sigs_modules *old, *new = NULL;
	struct arg_sig_set *set;
	size_t nr = 0, all = 0;
	u32 i;

	lockdep_assert_held(&arg_sigs_mutex);

	list_for_each_entry(set, &arg_sig_sets, list)
		nr += set->nr - set->nr_gone;
	if (nr) {
		all = arg_sig_hash_all_slots(nr);
		new = kvzalloc(struct_size(new, slots, all), GFP_KERNEL);
		if (!new)
			pr_warn("no memory for %zu functions of modules\n", nr);
	}
	if (new) {
		new->nr = arg_sig_hash_slots(nr);
		list_for_each_entry(set, &arg_sig_sets, list)
			for (i = 0; i < set->nr; i++)
				if (i - set->gone >= set->nr_gone)
					add_module_entry(new, &new->slots[all - 1],
							 set, &set->entries[i]);
	}
	old = rcu_replace_pointer(arg_sigs_modules, new,
				  lockdep_is_held(&arg_sigs_mutex));
	if (old)
		arg_sig_retire(&old->retired, NULL);
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

/**
 * struct symbol - a module's symbol
 * @addr: the symbol's address
 * @name: the symbol's name, in the module's memory
 */
struct symbol {
	unsigned long	addr;
	const char	*name;
};

/**
 * struct symbol_search - the search for the names of a set's functions
 * @set: the set
 * @symbols: the symbol of the function of each entry of @set
 */
struct symbol_search {
	const struct arg_sig_set	*set;
	struct symbol			*symbols;
};

/* Note a symbol. Of several symbols at an address the first is taken, as kallsyms does */
static int note_symbol(void *data, const char *name, unsigned long addr)
{
	struct symbol_search *search = data;
	const struct arg_sig_set *set = search->set;
	u32 low = 0, high = set->nr;

	if (!*name || is_mapping_symbol(name))
		return 0;
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (set->entries[middle].ip < addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < set->nr && addr > search->symbols[low].addr &&
	    set->entries[low].ip - addr <= TRACE_ARGS_MAX_OFFSET) {
		search->symbols[low].addr = addr;
		search->symbols[low].name = name;
	}
	return 0;
}

/* Copy the names of a set's functions, because the module's symbols go with the module */
static int copy_names(struct arg_sig_set *set, const struct module *mod)
{
	struct symbol_search search = { .set = set };
	u32 i, pos = 1;

	search.symbols = kvcalloc(set->nr, sizeof(*search.symbols), GFP_KERNEL);
	if (!search.symbols)
		return -ENOMEM;
	module_kallsyms_on_each_symbol(mod->name, note_symbol, &search);
	set->names_size = pos;
	for (i = 0; i < set->nr; i++)
		if (search.symbols[i].name)
			set->names_size += strlen(search.symbols[i].name) + 1;
	set->names = kvzalloc(set->names_size, GFP_KERNEL);
	for (i = 0; set->names && i < set->nr; i++) {
		if (!search.symbols[i].name)
			continue;
		set->entries[i].name = pos;
		pos += strscpy(set->names + pos, search.symbols[i].name,
			       set->names_size - pos) + 1;
	}
	kvfree(search.symbols);
	return set->names ? 0 : -ENOMEM;
}

/* The content of a module's sections is checked, because it comes from a file */
static int fill_set(struct arg_sig_set *set, const struct module *mod)
{
	const char *text = mod->arg_sigs_str;
	struct arg_digests fitting;
	int dropped;
	u32 i;

	if (!mod->arg_sigs_str_size || text[mod->arg_sigs_str_size - 1]) {
		pr_warn("%s: the text in " ARG_SIGS_STR_SECTION " has no end\n",
			mod->name);
		return -EINVAL;
	}
	if (mod->arg_sigs_str_size > ARG_SIGS_MAX_TEXT) {
		pr_warn("%s: the text in " ARG_SIGS_STR_SECTION " is longer than %lu bytes\n",
			mod->name, ARG_SIGS_MAX_TEXT);
		return -E2BIG;
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
		set->entries[i].ref = arg_sig_make_ref(text, sig);
	}
	sort(set->entries, set->nr, sizeof(set->entries[0]),
	     compare_entries, NULL);

	set->text_size = mod->arg_sigs_str_size;
	set->text = kvmemdup(text, mod->arg_sigs_str_size, GFP_KERNEL);
	if (!set->text)
		return -ENOMEM;
	if (mod->arg_sigs_types_size) {
		set->types.size = mod->arg_sigs_types_size;
		set->types.text = kvmemdup(mod->arg_sigs_types,
					   set->types.size, GFP_KERNEL);
		if (!set->types.text)
			return -ENOMEM;
		dropped = arg_types_alloc(&set->types);
		if (dropped == -EINVAL)
			pr_warn("%s: " ARG_SIGS_TYPES_SECTION " is malformed\n",
				mod->name);
		if (dropped < 0)
			return dropped;
		if (dropped)
			pr_warn("%s: descriptions of types that are not used: %d\n",
				mod->name, dropped);
	}
	set->types.digests = &READ_ONCE(arg_sigs_image)->digests;
	arg_digests_fitting(&fitting, set->types.digests, &set->types);
	for (i = 0; i < set->nr; i++) {
		u32 *ref = &set->entries[i].ref;
		char *sig = (char *)arg_sig_ref_text(set->text, *ref);

		arg_sig_check_digests(sig, &fitting);
		*ref = arg_sig_make_ref(set->text, sig);
	}
	return copy_names(set, mod);
}

/* arg_sigs_any_events() before arg_sigs_mutex is taken, which comes after trace_types_lock */
static bool any_events(void)
{
	guard(mutex)(&trace_types_lock);
	return arg_sigs_any_events();
}

static size_t set_size(const struct arg_sig_set *set)
{
	size_t size;

	size = struct_size(set, entries, set->nr) + set->text_size;
	size += set->types.size;
	if (set->types.index)
		size += (set->types.mask + 1) * sizeof(*set->types.index);
	return size + set->names_size;
}

static void forget_set(struct arg_sig_set *set)
{
	hash_del_rcu(&set->node);
	arg_sig_retire(&set->retired, free_retired_set);
}

/* Free sets of unloaded modules until they take no more than @max bytes */
static void trim_gone_sets(size_t max)
{
	struct arg_sig_set *set, *tmp;

	lockdep_assert_held(&arg_sigs_mutex);

	list_for_each_entry_safe(set, tmp, &gone_sets, list) {
		if (gone_sets_size <= max)
			break;
		gone_sets_size -= set_size(set);
		list_del(&set->list);
		forget_set(set);
	}
}

/* The module does not have its types any more when its init has returned */
static u32 hash_btf(const struct module *mod)
{
#ifdef CONFIG_DEBUG_INFO_BTF_MODULES
	u32 base = jhash(mod->btf_base_data, mod->btf_base_data_size, 0);

	return jhash(mod->btf_data, mod->btf_data_size, base);
#else
	return 0;
#endif
}

static void add_module_set(struct module *mod)
{
	struct arg_sig_set *set;
	int ret = -ENOMEM;
	bool keep;

	if (!mod->num_arg_sigs)
		return;

	set = kvzalloc(struct_size(set, entries, mod->num_arg_sigs), GFP_KERNEL);
	if (set) {
		set->mod = mod;
		strscpy(set->mod_name, mod->name);
		set->nr = mod->num_arg_sigs;
		set->btf = hash_btf(mod);
		ret = fill_set(set, mod);
	}
	if (ret) {
		pr_warn("%s: its functions have no signatures (%d)\n",
			mod->name, ret);
		if (set)
			free_set(set);
		return;
	}

	keep = any_events();
	guard(mutex)(&arg_sigs_mutex);
	trim_gone_sets(keep ? ARG_SIGS_GONE_MAX : 0);
	/* No other set ever has the number */
	set->id = ++last_set;
	list_add(&set->list, &arg_sig_sets);
	hash_add_rcu(sets_by_id, &set->node, set->id);
	update_modules();
}

/* A module's init text is freed, and another module may get the same address */
static void drop_module_init(struct module *mod)
{
	struct arg_sig_set *set;
	u32 i;

	guard(mutex)(&arg_sigs_mutex);
	set = find_set(mod);
	if (!set)
		return;
	for (i = 0; i < set->nr; i++)
		if (within_module_init(set->entries[i].ip, mod) && !set->nr_gone++)
			set->gone = i;
	if (set->nr_gone)
		update_modules();
}

static void drop_module(struct module *mod)
{
	bool keep = any_events();
	struct arg_sig_set *set;

	guard(mutex)(&arg_sigs_mutex);
	set = find_set(mod);
	if (!set)
		return;
	list_del(&set->list);
	set->mod = NULL;
	update_modules();
	if (keep) {
		list_add_tail(&set->list, &gone_sets);
		gone_sets_size += set_size(set);
	} else {
		forget_set(set);
	}
	trim_gone_sets(keep ? ARG_SIGS_GONE_MAX : 0);
}

/**
 * arg_sigs_walk_sets - call a function for the signatures of all modules
 * @show: called for each set, the oldest first; the sets of gone modules come before the
 *	sets of loaded modules
 * @data: passed to @show
 *
 * May sleep. No module is loaded or unloaded meanwhile.
 */
void arg_sigs_walk_sets(arg_sig_set_fn show, void *data)
{
	const struct arg_sig_set *set;

	guard(mutex)(&arg_sigs_mutex);
	list_for_each_entry(set, &gone_sets, list)
		show(set, data);
	list_for_each_entry_reverse(set, &arg_sig_sets, list)
		show(set, data);
}

static int arg_sigs_module_notify(struct notifier_block *nb,
				  unsigned long state, void *data)
{
	switch (state) {
	case MODULE_STATE_COMING:
		add_module_set(data);
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
	.priority = 3	/* Before kprobe events on the module ask for its signatures */
};

static int __init arg_sigs_modules_init(void)
{
	/*
	 * A random begin makes it unlikely that a number is in a buffer of an earlier
	 * boot
	 */
	last_set = get_random_u32() / 2;
	return register_module_notifier(&arg_sigs_module_nb);
}
core_initcall(arg_sigs_modules_init);
