// SPDX-License-Identifier: GPL-2.0
/*
 * The table of functions' signatures
 *
 * scripts/gen_arg_sigs writes signatures into the image and into each module, see
 * Documentation/trace/arg-sigs-format.rst.  This file finds signatures of the image's
 * functions by the traced address.  args/modules.c has the signatures of modules'
 * functions.  args/lookup.c finds both.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "table.h"
#include "text.h"

#undef pr_fmt
#define pr_fmt(fmt) "arg_sigs: " fmt

/*
 * arg_sigs_image points to the hash of the image's functions.  The hash is filled once at
 * boot, before it is published, because tracers may run already.
 */
static const struct arg_sigs_image no_functions = { .slots = { { } } };
const struct arg_sigs_image *arg_sigs_image __ro_after_init = &no_functions;

/*
 * arg_sigs_two_regs has a set bit for each function that returns two registers, including
 * functions of modules that are gone.  Functions share bits, so if a bit is set, the
 * signature decides.
 */
unsigned long arg_sigs_two_regs[BITS_TO_LONGS(ARG_SIGS_TWO_REGS_BITS)];
EXPORT_SYMBOL_IF_KUNIT(arg_sigs_two_regs);

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

/*
 * Find the kind of a signature with strings and the number of longs, as low bits of a
 * reference
 */
static u32 ref_text(const char *sig, const struct arg_slots *slots)
{
	size_t before = strcspn(sig + 1, "*#");
	const char *after = sig + 1 + before + strlen("*");
	u32 any = ARG_SIG_REF_ANY | (slots->nr - 1);

	if (slots->nr > 6 || before > 3 || sig[1 + before] != '*' ||
	    strncmp(sig + 1, "abcdef", before) ||
	    strncmp(after, "abcdef" + before, slots->nr - before) ||
	    after[slots->nr - before] != ')')
		return any;
	return ARG_SIG_REF_TEXT | (slots->nr - 1) |
	       before * (ARG_SIG_REF_TEXT_NR + 1);
}

/* Whether a list begins with all argument registers, and words of the stack in order */
static bool is_in_order(const char *list, unsigned int longs)
{
	unsigned int i;

	BUILD_BUG_ON(TRACE_ARGS_REGISTERS + TRACE_ARGS_STACK_WORDS < ARG_SIGS_MAX_LONGS);
	for (i = 0; i < longs && i < TRACE_ARGS_REGISTERS; i++)
		if (list[i] != 'a' + i)
			return false;
	for (; i < longs; i++)
		if (list[i] != 'A' + i - TRACE_ARGS_REGISTERS)
			return false;
	return true;
}

/* Find the kind of a signature and the number of longs; see ARG_SIG_REF_KIND */
static u32 ref_kind(const char *sig, const struct arg_slots *slots)
{
	bool in_order = *sig == '(' && is_in_order(sig + 1, slots->nr);
	u32 kind = ARG_SIG_REF_LIST;

	if (*sig != '(')
		return ARG_SIG_REF_REGS | slots->nr;
	if (slots->strings)
		return ref_text(sig, slots);
	/* A signature with reads lists the registers even if they are in order */
	if (slots->nr <= TRACE_ARGS_REGISTERS && in_order && sig[1 + slots->nr] == ')')
		return ARG_SIG_REF_REGS | slots->nr;
	/* The wrapper of the system call has one parameter, and all fields are known */
	if (slots->fields && !strncmp(sig, "(a|", 3) &&
	    sig[strcspn(sig, "-)")] == ')')
		kind = ARG_SIG_REF_FIELDS;
	else if (slots->fields || sig[strcspn(sig, "&)")] == '&')
		kind = ARG_SIG_REF_ANY;
	else if (slots->nr > TRACE_ARGS_REGISTERS && in_order)
		kind = ARG_SIG_REF_STACK;
	return kind | (slots->nr - 1);
}

/**
 * arg_sig_make_ref - make a reference to a signature
 * @text: the text that the signature is in
 * @sig: the signature
 *
 * Return: the reference; 0 if the position is too large for a reference.
 */
u32 arg_sig_make_ref(const char *text, const char *sig)
{
	struct arg_slots slots;
	const char *p;
	char how;
	u32 ref;

	BUILD_BUG_ON(ARG_SIGS_MAX_LONGS - 1 > ARG_SIG_REF_NR);
	if (sig - text >= ARG_SIGS_MAX_TEXT)
		return 0;
	p = arg_sig_parse_slots(sig, &slots);
	arg_return_type(p ?: "", &how);
	ref = ref_kind(sig, &slots);
	if (how == '2')
		ref |= ARG_SIG_REF_TWO_REGS;
	if (slots.reads || slots.results)
		ref |= ARG_SIG_REF_READS;
	if (slots.results)
		ref |= ARG_SIG_REF_RESULTS;
	return ref | (sig - text + 1) << ARG_SIG_REF_SHIFT;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_make_ref);

static void free_retired(struct work_struct *work);

static LLIST_HEAD(retired_list);
static DECLARE_DELAYED_WORK(retired_work, free_retired);

/* Memory is collected for this time before a worker frees it */
#define RETIRED_DELAY		(HZ / 10)

/**
 * arg_sig_retire - free memory that new readers do not find, after the old readers are done
 * @old: the memory
 * @free: frees the memory, see struct arg_sig_retired; NULL if kvfree() of @old does
 *
 * Function entry reads with preemption disabled, and may run where RCU is not watching. So
 * the memory is freed after an RCU-tasks-rude grace period, and after a grace period of
 * RCU, which other readers use. A worker waits, so that neither the load of a module nor a
 * write to a file of lines waits.
 *
 * Any lock may be held.
 */
void arg_sig_retire(struct arg_sig_retired *old,
		    bool (*free)(struct arg_sig_retired *old))
{
	old->free = free;
	llist_add(&old->node, &retired_list);
	schedule_delayed_work(&retired_work, RETIRED_DELAY);
}

static void free_retired(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&retired_list);
	struct arg_sig_retired *old, *next;

	synchronize_rcu_tasks_rude();
	synchronize_rcu();
	llist_for_each_entry_safe(old, next, list, node)
		if (!old->free)
			kvfree(old);
		else if (!old->free(old))
			arg_sig_retire(old, old->free);
}

/**
 * arg_sigs_any_events - whether an event or a count can refer to signatures that are gone
 *
 * Any buffer may have an event of a function of a module that is gone, or with a
 * description of expressions that no line has. Any table of set_graph_hist may have a
 * count of such a function. While a tracer runs, a recorder may also have taken such an
 * event from a buffer, and the recorder reads the signatures when it ends.
 *
 * The caller holds trace_types_lock.
 *
 * Return: false if no event and no count can refer to such signatures.
 */
bool arg_sigs_any_events(void)
{
	struct trace_array *tr;

	lockdep_assert_held(&trace_types_lock);

	list_for_each_entry(tr, &ftrace_trace_arrays, list)
		if (tr->current_trace != &nop_trace || !trace_array_empty(tr) ||
		    tr->graph_hist)
			return true;
	return false;
}

/**
 * arg_types_alloc - make the index of descriptions
 * @types: the descriptions, without an index
 *
 * May sleep.
 *
 * Return: the number of descriptions that were dropped, see arg_types_index(); -EINVAL if
 * the descriptions are malformed, or -ENOMEM.
 */
int arg_types_alloc(struct arg_types *types)
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
EXPORT_SYMBOL_IF_KUNIT(arg_types_alloc);

/*
 * Add a function. Returns false if there is no room for it or for a function that it
 * moves
 */
static bool __init add_image_site(struct arg_sigs_image *image,
				  const struct arg_sig_site *site)
{
	const char *sig = (const char *)&site->sig + site->sig;
	u32 key = (char *)&site->func + site->func - _text;
	u32 ref = arg_sig_make_ref(__start_arg_sigs_str, sig);
	struct arg_sig_slot new = { key, ref };
	u32 first = arg_sig_first_slot(key, image->nr);
	struct arg_sig_slot *slot;

	if (!ref)
		return false;
	/*
	 * Functions are kept in the order of the slots that their lookups begin with. So
	 * no lookup takes many more probes than other lookups.
	 */
	for (slot = &image->slots[first]; slot->key; slot++) {
		if (slot->key == key)
			return true;
		if (arg_sig_first_slot(slot->key, image->nr) > first) {
			swap(*slot, new);
			first = arg_sig_first_slot(new.key, image->nr);
		}
	}
	if (slot == &image->slots[image->all - 1])
		return false;
	*slot = new;
	if (ref & ARG_SIG_REF_TWO_REGS)
		set_bit(arg_sig_two_regs_bit((unsigned long)_text + key), arg_sigs_two_regs);
	return true;
}

static size_t __init image_size(const struct arg_sigs_image *image)
{
	size_t size = struct_size(image, slots, image->all);

	if (image->types.index)
		size += (image->types.mask + 1) * sizeof(*image->types.index);
	return size + (__stop_arg_sigs_str - __start_arg_sigs_str) +
	       image->types.size;
}

static int __init arg_sigs_init(void)
{
	size_t sites = __stop_arg_sigs - __start_arg_sigs;
	const struct arg_sig_site *site;
	struct arg_sigs_image *image;
	u64 begin = sched_clock();
	unsigned int left = 0;
	int dropped, several;

	image = kvzalloc(struct_size(image, slots, arg_sig_hash_all_slots(sites)),
			 GFP_KERNEL);
	if (!image)
		return -ENOMEM;
	image->nr = arg_sig_hash_slots(sites);
	image->all = arg_sig_hash_all_slots(sites);
	for (site = __start_arg_sigs; site < __stop_arg_sigs; site++)
		left += !add_image_site(image, site);
	if (left)
		pr_warn("no room for %u functions\n", left);

	image->types.text = __start_arg_sigs_types;
	image->types.size = __stop_arg_sigs_types - __start_arg_sigs_types;
	dropped = arg_types_alloc(&image->types);
	if (dropped)
		pr_warn("descriptions of types: %d\n", dropped);

	if (dropped >= 0) {
		several = arg_digests_find(&image->digests, &image->types);
		if (several)
			pr_warn("no digests of %d types that are laid out in several ways\n",
				several);
		image->types.digests = &image->digests;
	}

	/* Pairs with the address dependency of readers */
	smp_store_release(&arg_sigs_image, image);
	pr_info("%zu functions, %zu bytes of tables, filled in %llu us\n",
		sites, image_size(image),
		div_u64(sched_clock() - begin, NSEC_PER_USEC));
	return 0;
}

/* The tracer of the command line begins with the core_initcalls */
early_initcall(arg_sigs_init);
