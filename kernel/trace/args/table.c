// SPDX-License-Identifier: GPL-2.0
/*
 * The table of functions' signatures
 *
 * scripts/gen_arg_sigs writes signatures into the image and into each module, see
 * Documentation/trace/arg-sigs-format.rst.  This file finds signatures of the image's
 * functions by the traced address.  args/modules.c has the signatures of modules'
 * functions.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

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
 * arg_sig_hold - find a function's signature, for a reader that may sleep
 * @hold: set to the signature and its descriptions
 * @ip: the address that ftrace knows the function by
 * @set: the number of the set that an event was recorded with.  If it is ARG_SIGS_IMAGE, a
 *	function of a module has no signature, because another module may have the address
 *	now.  ARG_SIGS_CURRENT_SET finds the signature of the function that is at the
 *	address now
 *
 * The signature stays valid until arg_sig_release(), which the caller always has to call.
 *
 * Any context.
 */
void arg_sig_hold(struct arg_sig_hold *hold, unsigned long ip, u32 set)
{
	const struct arg_sigs_image *image = READ_ONCE(arg_sigs_image);
	u32 ref;

	*hold = (struct arg_sig_hold){ };
	if (!arg_sig_in_image(ip)) {
		arg_sig_hold_module(hold, ip, set);
		return;
	}
	ref = arg_sig_ref(image, ip - (unsigned long)_text);
	if (ref) {
		hold->sig = arg_sig_ref_text(__start_arg_sigs_str, ref);
		hold->types = &image->types;
	}
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_hold);

/**
 * arg_sig_release - end the use of a signature
 * @hold: from arg_sig_hold()
 *
 * Any context.
 */
void arg_sig_release(const struct arg_sig_hold *hold)
{
	arg_sig_release_set(hold->set);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_release);

/**
 * arg_sig_put_func - write a function's name, "name" or "name [module]"
 * @out: the output
 * @ip: the address that ftrace knows the function by
 * @set: the number of the set that an event was recorded with.  If it is ARG_SIGS_IMAGE or
 *	ARG_SIGS_CURRENT_SET, the function is the one that is at the address now
 *
 * Writes the address if @set is not known any more.  Any context.
 */
void arg_sig_put_func(struct arg_out *out, unsigned long ip, u32 set)
{
	if (arg_sig_in_image(ip) || set == ARG_SIGS_IMAGE || set == ARG_SIGS_CURRENT_SET)
		arg_out_symbol_at(out, ip);
	else if (!arg_sig_put_module_func(out, ip, set))
		arg_out_hex(out, ip);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_func);

/**
 * arg_sig_returns_two - whether a function returns two registers
 * @ip: the address that ftrace knows the function by
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: true if so, false otherwise.
 */
bool arg_sig_returns_two(unsigned long ip)
{
	const struct arg_sig_module_slot *slot;

	return arg_sig_find_called(ip, &slot) & ARG_SIG_REF_TWO_REGS;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_returns_two);

static void seq_put_proto(struct seq_file *m, const struct arg_sig_hold *hold,
			  const char *name)
{
	struct arg_out out;
	size_t left;
	char *buf;

	left = seq_get_buf(m, &buf);
	out = (struct arg_out){ .pos = buf, .end = buf + left };
	arg_sig_put_proto(&out, hold->sig, hold->types, name);
	seq_commit(m, out.pos <= out.end ? out.pos - buf : -1);
}

/**
 * arg_sigs_seq_show - show a function's prototype, which follows the function's name
 * @m: the seq_file
 * @ip: the address that ftrace knows the function by
 *
 * Writes a tab and the prototype as C. Writes "?" if the function has no signature.
 */
void arg_sigs_seq_show(struct seq_file *m, unsigned long ip)
{
	char name[KSYM_NAME_LEN];
	struct arg_sig_hold hold;

	seq_putc(m, '\t');
	arg_sig_hold(&hold, ip, ARG_SIGS_CURRENT_SET);
	if (!hold.sig || lookup_symbol_name(ip, name))
		seq_putc(m, '?');
	else
		seq_put_proto(m, &hold, name);
	arg_sig_release(&hold);
}

/*
 * Find the kind of a signature with strings and the number of longs, as low bits of a
 * reference
 */
static u32 ref_text(const char *sig, const struct arg_sig_info *info)
{
	size_t before = strcspn(sig + 1, "*#");
	const char *behind = sig + 1 + before + strlen("*");
	u32 any = ARG_SIG_REF_ANY | (info->longs - 1);

	if (info->longs > 6 || before > 3 || sig[1 + before] != '*' ||
	    strncmp(sig + 1, "abcdef", before) ||
	    strncmp(behind, "abcdef" + before, info->longs - before) ||
	    behind[info->longs - before] != ')')
		return any;
	return ARG_SIG_REF_TEXT | (info->longs - 1) |
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
static u32 ref_kind(const char *sig, const struct arg_sig_info *info)
{
	bool in_order = *sig == '(' && is_in_order(sig + 1, info->longs);
	u32 kind = ARG_SIG_REF_LIST;

	if (*sig != '(')
		return ARG_SIG_REF_REGS | info->longs;
	if (info->strings)
		return ref_text(sig, info);
	/* A signature with reads lists the registers even if they are in order */
	if (info->longs <= TRACE_ARGS_REGISTERS && in_order && sig[1 + info->longs] == ')')
		return ARG_SIG_REF_REGS | info->longs;
	/* The wrapper of the system call has one parameter, and all fields are known */
	if (info->fields && !strncmp(sig, "(a|", 3) &&
	    sig[strcspn(sig, "-)")] == ')')
		kind = ARG_SIG_REF_FIELDS;
	else if (info->fields || sig[strcspn(sig, "&)")] == '&')
		kind = ARG_SIG_REF_ANY;
	else if (info->longs > TRACE_ARGS_REGISTERS && in_order)
		kind = ARG_SIG_REF_STACK;
	return kind | (info->longs - 1);
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
	struct arg_sig_info info;
	u32 ref;

	BUILD_BUG_ON(ARG_SIGS_MAX_LONGS - 1 > ARG_SIG_REF_NR);
	if (sig - text >= ARG_SIGS_MAX_TEXT)
		return 0;
	arg_sig_get_info(sig, &info);
	ref = ref_kind(sig, &info);
	if (info.two_regs)
		ref |= ARG_SIG_REF_TWO_REGS;
	if (info.reads)
		ref |= ARG_SIG_REF_READS;
	if (info.results)
		ref |= ARG_SIG_REF_RESULTS;
	return ref | (sig - text + 1) << ARG_SIG_REF_SHIFT;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_make_ref);

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
