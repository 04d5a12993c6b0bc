// SPDX-License-Identifier: GPL-2.0
/*
 * The signatures as text, for readers on another machine
 *
 * Recorders copy events/ftrace/<event>/format of each event.  The event arg_sigs is never
 * emitted.  Its print format has the signatures; see
 * Documentation/trace/arg-sigs-format.rst.
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../../../mm/internal.h"	/* For the names of flags */

#include "../trace.h"
#include "table.h"
#include "text.h"

/* Two readings within this time may come from one recorder */
#define ARG_SIGS_FORMAT_WINDOW	(5 * HZ)

/* Spare room for modules that are loaded later, so that the size need not change */
#define ARG_SIGS_FORMAT_SPARE	SZ_16K

/* Both are protected by event_mutex, which all readers of formats hold */
static size_t format_size;
static unsigned long format_read;

/* The time when a module first found no room in format_size; 0 if all modules find room */
static unsigned long format_full;

static void show_section(struct seq_file *m, const char *text, size_t size)
{
	size_t left, i;
	char *buf;

	seq_printf(m, "%zu;", size);
	left = seq_get_buf(m, &buf);
	if (left < size) {
		seq_commit(m, -1);
		return;
	}
	for (i = 0; i < size; i++)
		buf[i] = text[i] ?: '~';
	seq_commit(m, size);
}

static char digit(unsigned int val)
{
	if (val < 26)
		return 'A' + val;
	if (val < 52)
		return 'a' + val - 26;
	if (val < 62)
		return '0' + val - 52;
	return val == 62 ? '+' : '/';
}

static void show_varint(struct seq_file *m, u64 val)
{
	for (; val >= 32; val >>= 5)
		seq_putc(m, digit(val % 32 + 32));
	seq_putc(m, digit(val));
}

/* Write a function's address minus @before, and the offset of its signature */
static void show_function(struct seq_file *m, unsigned long ip,
			  unsigned long before, size_t sig)
{
	s64 delta = ip - before;

	show_varint(m, (u64)delta << 1 ^ delta >> 63);
	show_varint(m, sig);
}

/**
 * arg_gfp_named - find the value of a name of gfp_t's flags
 * @name: the name, as arg_out_gfp_flags() writes it
 * @len: characters of @name
 * @val: set to the value
 *
 * Return: whether there is such a name.
 */
bool arg_gfp_named(const char *name, unsigned int len, u64 *val)
{
	const struct trace_print_flags *flag;

	for (flag = gfpflag_names; flag->name; flag++) {
		if (strlen(flag->name) == len && !memcmp(flag->name, name, len)) {
			*val = flag->mask;
			return true;
		}
	}
	return false;
}

/* The names and the values of gfp_t's flags differ with version and config */
static void show_gfp_flags(struct seq_file *m)
{
	const struct trace_print_flags *flag;
	unsigned int nr = 0;

	for (flag = gfpflag_names; flag->name; flag++)
		nr++;
	seq_printf(m, "g%u;", nr);
	for (flag = gfpflag_names; flag->name; flag++)
		seq_printf(m, "%s=%lx;", flag->name, flag->mask);
}

static int compare_slots(const void *a, const void *b)
{
	const struct arg_sig_slot *left = a, *right = b;

	return left->key < right->key ? -1 : left->key > right->key;
}

static void show_functions(struct seq_file *m, const struct arg_sig_slot *slots,
			   u32 nr)
{
	const char *text = __start_arg_sigs_str;
	u32 i, functions = 0, before = 0;

	for (i = 0; i < nr; i++)
		functions += !!slots[i].key;
	seq_printf(m, "%u;", functions);
	for (i = 0; i < nr && !seq_has_overflowed(m); i++) {
		if (!slots[i].key)
			continue;
		show_function(m, slots[i].key, before,
			      arg_sig_ref_text(text, slots[i].ref) - text);
		before = slots[i].key;
	}
}

static void show_image(struct seq_file *m)
{
	const struct arg_sigs_image *image = READ_ONCE(arg_sigs_image);
	struct arg_sig_slot *sorted;

	show_section(m, __start_arg_sigs_types,
		     __stop_arg_sigs_types - __start_arg_sigs_types);
	show_section(m, __start_arg_sigs_str,
		     __stop_arg_sigs_str - __start_arg_sigs_str);
	if (seq_has_overflowed(m))
		return;

	/* Any order is correct, but ordering by address halves the text */
	sorted = kvmemdup(image->slots, image->all * sizeof(*sorted), GFP_KERNEL);
	if (sorted)
		sort(sorted, image->all, sizeof(*sorted), compare_slots, NULL);
	show_functions(m, sorted ?: image->slots, image->all);
	kvfree(sorted);
}

/*
 * Write the descriptions of expressions to @m, at most @max bytes. A number without a
 * description has an empty text. If @m is NULL, the bytes are only counted. Returns the
 * number of bytes.
 */
static unsigned int put_exprs(struct seq_file *m, unsigned int max)
{
	unsigned int nr, len, size = 0, end = arg_exprs_end();

	for (nr = 0; nr < end; nr++, size += len) {
		const char *text = arg_exprs_text(NULL, nr);

		len = text ? strlen(text) + 1 : 1;
		if (m && size + len <= max)
			seq_printf(m, "%s~", text ?: "");
		arg_exprs_release(text);
		if (size + len > max)
			break;
	}
	return size;
}

/* Maximum bytes of the number that precedes the descriptions of expressions */
#define EXPRS_NUMBER	16

/*
 * Write the descriptions of expressions, at most @max bytes. Descriptions that find no room
 * are written when the file gets another size. Returns whether all descriptions found room.
 */
static bool show_exprs(struct seq_file *m, unsigned int max)
{
	unsigned int size;

	guard(mutex)(&arg_exprs_mutex);
	size = put_exprs(NULL, max);
	if (size) {
		seq_printf(m, "e%u;", size);
		put_exprs(m, max);
	}
	return size == put_exprs(NULL, S32_MAX);
}

/**
 * struct modules_shown - the part of the modules while it is written
 * @m: the seq_file
 * @max: maximum bytes of the whole text, without the end of the text
 * @full: a module did not find room
 */
struct modules_shown {
	struct seq_file	*m;
	size_t		max;
	bool		full;
};

static void show_module(const struct arg_sig_set *set, void *data)
{
	struct modules_shown *shown = data;
	struct seq_file *m = shown->m;
	unsigned long before = 0;
	size_t begin = m->count;
	u32 i;

	if (shown->full || seq_has_overflowed(m))
		return;

	seq_printf(m, "%c%u;%s;", set->mod ? 'm' : 'g', set->id, set->mod_name);
	show_section(m, set->types.text, set->types.size);
	show_section(m, set->text, set->text_size);
	seq_printf(m, "%u;", set->nr);
	for (i = 0; i < set->nr; i++) {
		show_function(m, set->entries[i].ip, before,
			      arg_sig_ref_text(set->text, set->entries[i].ref) -
			      set->text);
		seq_printf(m, "%s;", set->names + set->entries[i].name);
		before = set->entries[i].ip;
	}
	if (!seq_has_overflowed(m) && m->count > shown->max) {
		m->count = begin;
		shown->full = true;
	}
}

static void fill_up(struct seq_file *m, size_t size)
{
	size_t left, used = m->count;
	char *buf;

	if (seq_has_overflowed(m) || used >= size)
		return;
	left = seq_get_buf(m, &buf);
	if (left < size - used) {
		seq_commit(m, -1);
		return;
	}
	memset(buf, '.', size - used);
	seq_commit(m, size - used);
}

/*
 * Whether the size of the last reading is kept. If a module finds no room, the size is
 * kept while the last reading may have been the first of a recorder's two readings. But
 * the size is kept no longer than ARG_SIGS_FORMAT_WINDOW after a module first found no
 * room, even if the file is read more often.
 */
static bool keep_size(void)
{
	return format_size &&
	       time_before(jiffies, format_read + ARG_SIGS_FORMAT_WINDOW) &&
	       (!format_full ||
		time_before(jiffies, format_full + ARG_SIGS_FORMAT_WINDOW));
}

/**
 * arg_sigs_show_format - write the print format of the event arg_sigs
 * @m: the seq_file
 *
 * A recorder reads the file twice, first to find its size.  A module that is loaded
 * between the readings is written if the padding of the file has room for the module.
 * Otherwise the module is left out.
 *
 * The caller holds event_mutex.  Takes arg_sigs_mutex.
 */
void arg_sigs_show_format(struct seq_file *m)
{
	struct modules_shown shown = { .m = m, .max = SIZE_MAX };
	size_t begin = m->count, left = S32_MAX;

	lockdep_assert_held(&event_mutex);

	seq_puts(m, "\nprint fmt: \"arg_sigs 2;");
	show_gfp_flags(m);
	show_image(m);
	if (keep_size())
		shown.max = begin + format_size - 1;
	arg_sigs_walk_sets(show_module, &shown);
	seq_putc(m, '.');
	if (shown.max != SIZE_MAX)
		left = max(begin + format_size, m->count + EXPRS_NUMBER) - m->count -
		       EXPRS_NUMBER;
	if (!show_exprs(m, left))
		shown.full = true;
	if (seq_has_overflowed(m))
		return;

	format_read = jiffies;
	if (shown.max == SIZE_MAX) {
		format_size = round_up(m->count - begin + ARG_SIGS_FORMAT_SPARE,
				       SZ_64K);
		format_full = 0;
	} else if (!shown.full) {
		format_full = 0;
	} else if (!format_full) {
		format_full = jiffies ?: 1;
	}
	fill_up(m, begin + format_size);
	seq_puts(m, "\"\n");
}
