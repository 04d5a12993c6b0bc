// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of set_graph_hist: making them, and showing them in graph_hist
 */
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <asm/sections.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "../args/table.h"
#include "../args/text.h"
#include "hist.h"
#include "lines.h"
#include "../tracing_map.h"

static const struct graph_key *find_key(const struct graph_prog *prog,
					unsigned int nr)
{
	const struct graph_key *key = prog->keys;

	while (key->pred != nr)
		key++;
	return key;
}

/**
 * graph_hist_make_map - make the table of a line of keys
 * @cond: the line, with its programs
 *
 * May sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int graph_hist_make_map(struct graph_cond *cond)
{
	unsigned int size = offsetof(struct graph_hist_key, vals);
	struct graph_prog *prog;
	struct tracing_map *map;
	unsigned int i;
	int ret;

	/* Each key gets the number of bytes that the largest value of all functions needs */
	for (i = 0; i < cond->nr_preds; i++) {
		unsigned int most = sizeof(u32);

		list_for_each_entry(prog, &cond->progs, list)
			most = max(most, graph_key_size(find_key(prog, i)));
		cond->key_sizes[i] = most;
		size += most;
	}
	list_for_each_entry(prog, &cond->progs, list)
		graph_prog_place_keys(prog);
	map = tracing_map_create(cond->map_bits, size, NULL, NULL);
	if (IS_ERR(map))
		return PTR_ERR(map);
	cond->map = map;
	ret = tracing_map_add_sum_field(map);
	if (ret >= 0)
		ret = tracing_map_add_key_field(map, 0,
						tracing_map_cmp_num(sizeof(u32), 0));
	/* The functions that add a field return its index */
	if (ret >= 0)
		ret = tracing_map_init(map);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(graph_hist_make_map);

/* Find the program of a line for a function, NULL if the function is gone */
static const struct graph_prog *find_prog(const struct graph_filter *filter,
					  const struct graph_cond *cond, unsigned long func)
{
	const struct graph_rule *rule = graph_rule_find(filter, func);
	unsigned int i;

	for (i = 0; rule && i < rule->nr; i++)
		if (rule->progs[i]->cond == cond)
			return rule->progs[i];
	return NULL;
}

/*
 * Show a value in the same form as in a trace. @prog is NULL if the function is gone, whose
 * expressions then have no known type
 */
static void show_typed(struct seq_file *m, const struct graph_pred *key,
		       const struct graph_prog *prog, const struct arg_sig_hold *hold,
		       u64 val)
{
	struct arg_field field = { };
	struct arg_out out;

	arg_out_seq_begin(&out, m);
	if (key->what == GRAPH_PRED_EXPR && prog) {
		const struct graph_field *expr = &prog->fields[key - prog->cond->preds];

		field.type = expr->type;
		field.how = expr->how;
		field.size = expr->size;
	}
	if (key->what == GRAPH_PRED_RET)
		arg_sig_put_retval(&out, hold->sig, hold->types, &val, 1, false);
	else if (field.type || (key->what != GRAPH_PRED_EXPR &&
				!arg_sig_find(&field, hold->sig, hold->types, key->name,
					      key->name_len)))
		arg_field_put(&out, &field, hold->types, key->name,
			      key->name_len, val);
	else
		arg_out_hex(&out, val);
	arg_out_seq_end(&out, m);
}

static void show_text(struct seq_file *m, const u8 *text, unsigned int size, bool cut)
{
	struct arg_out out;

	arg_out_seq_begin(&out, m);
	arg_out_text(&out, text, strnlen((const char *)text, size), "\"");
	arg_out_seq_end(&out, m);
	if (cut)
		seq_puts(m, "...");
}

/*
 * Show the name of a row's function, as in a trace. Without a set, the function that is at the
 * address now has to be the row's function, which @same tells
 */
static void show_func(struct seq_file *m, unsigned long func, u32 set, bool same)
{
	struct arg_out out;

	arg_out_seq_begin(&out, m);
	if (set == ARG_SIGS_IMAGE && !arg_sig_in_image(func) && !same)
		arg_out_hex(&out, func);
	else
		arg_sig_put_func(&out, func, set);
	arg_out_seq_end(&out, m);
}

static void show_value(struct seq_file *m, const struct graph_pred *key,
		       const struct graph_prog *prog, const struct arg_sig_hold *hold,
		       u64 val)
{
	const char *name;

	if (key->form == GRAPH_KEY_LOG2) {
		if (val == GRAPH_HIST_NEGATIVE)
			seq_puts(m, "< 0");
		else if (val)
			seq_printf(m, "~ 2^%llu", val - 1);
		else
			seq_puts(m, "0");
	} else if (key->form == GRAPH_KEY_HEX) {
		seq_printf(m, "0x%llx", val);
	} else if (key->what == GRAPH_PRED_CPU || key->what == GRAPH_PRED_PID ||
		   key->what == GRAPH_PRED_TGID) {
		seq_printf(m, "%d", (int)val);
	} else if (key->what == GRAPH_PRED_DURATION) {
		seq_printf(m, "%llu", val);
	} else if (key->what == GRAPH_PRED_ERROR) {
		name = val ? errname((int)val) : "0";
		if (name)
			seq_puts(m, name);
		else
			seq_printf(m, "%d", (int)val);
	} else if (hold->sig) {
		show_typed(m, key, prog, hold, val);
	} else {
		/* The set of the function's module is gone */
		seq_printf(m, "0x%llx", val);
	}
}

static void show_row(struct seq_file *m, const struct graph_filter *filter,
		     const struct graph_cond *cond, const struct tracing_map_sort_entry *row)
{
	const struct graph_hist_key *key = row->key;
	unsigned long text = (unsigned long)_text;
	unsigned long func = text + (int)(key->func - (u32)text);
	const struct graph_prog *prog = find_prog(filter, cond, func);
	const u8 *from = key->vals;
	struct arg_sig_hold hold;
	unsigned int i, size;
	u8 last;

	/* Another module's function may be at the address by now */
	scoped_guard(preempt)
		if (key->set != arg_sig_called_set(func))
			prog = NULL;
	arg_sig_hold(&hold, func, key->set);
	seq_puts(m, "{ func: ");
	show_func(m, func, key->set, prog && !cond->late_funcs);
	for (i = 0; i < cond->nr_preds; i++, from += size) {
		const struct graph_pred *pred = &cond->preds[i];
		u64 val;

		size = cond->key_sizes[i];
		val = size == sizeof(u32) ? get_unaligned((const u32 *)from) :
					    get_unaligned((const u64 *)from);
		last = from[size - 1];
		seq_printf(m, ", %.*s: ", pred->name_len, pred->name);
		if (pred->what == GRAPH_PRED_COMM)
			show_text(m, from, size, false);
		else if (size == GRAPH_KEY_TEXT_SIZE && last != GRAPH_KEY_NUMBER)
			show_text(m, from, size - 1, last == GRAPH_KEY_CUT);
		else
			show_value(m, pred, prog, &hold, val);
	}
	seq_printf(m, " } hitcount: %10llu\n", tracing_map_read_sum(row->elt, 0));
	arg_sig_release(&hold);
}

static s64 row_value(const struct graph_cond *cond, const u8 *from, unsigned int i)
{
	s64 val = cond->key_sizes[i] == sizeof(u32) ? (s32)get_unaligned((const u32 *)from) :
						      get_unaligned((const s64 *)from);

	if (cond->preds[i].form == GRAPH_KEY_LOG2 && val == GRAPH_HIST_NEGATIVE)
		return -1;
	return val;
}

/* Whether a key of a row is text. Else it is a number, in a key with room for a text, too */
static bool is_text(const struct graph_cond *cond, const u8 *from, unsigned int i)
{
	unsigned int size = cond->key_sizes[i];

	return cond->preds[i].what == GRAPH_PRED_COMM ||
	       (size == GRAPH_KEY_TEXT_SIZE && from[size - 1] != GRAPH_KEY_NUMBER);
}

/**
 * graph_hist_compare - compare two rows by their functions, then by their keys
 * @cond: the line, whose order the keys have
 * @a: the key of a row
 * @b: the key of another row
 *
 * Return: less than 0 if @a is before @b, more than 0 if @a is after @b, 0 if they are equal.
 */
int graph_hist_compare(const struct graph_cond *cond, const struct graph_hist_key *a,
		       const struct graph_hist_key *b)
{
	const u8 *left = a->vals, *right = b->vals;
	unsigned int i;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->func != b->func)
		return a->func < b->func ? -1 : 1;
	for (i = 0; i < cond->nr_preds; i++) {
		s64 lval = row_value(cond, left, i), rval = row_value(cond, right, i);
		int ret = lval < rval ? -1 : lval > rval;

		if (is_text(cond, left, i) || is_text(cond, right, i))
			ret = memcmp(left, right, cond->key_sizes[i]);
		if (ret)
			return ret;
		left += cond->key_sizes[i];
		right += cond->key_sizes[i];
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(graph_hist_compare);

static bool has_log2(const struct graph_cond *cond)
{
	unsigned int i;

	for (i = 0; i < cond->nr_preds; i++)
		if (cond->preds[i].form == GRAPH_KEY_LOG2)
			return true;
	return false;
}

/*
 * Compare two rows.  The rows of a line with a .log2 key are in the order of the keys, other
 * rows are in the order of their counts.
 */
static int compare_rows(const void *a, const void *b, const void *priv)
{
	const struct tracing_map_sort_entry *left = *(void **)a, *right = *(void **)b;
	u64 lcount = tracing_map_read_sum(left->elt, 0);
	u64 rcount = tracing_map_read_sum(right->elt, 0);

	if (lcount != rcount && !has_log2(priv))
		return lcount < rcount ? -1 : 1;
	return graph_hist_compare(priv, left->key, right->key);
}

static u64 sum_missed(const struct graph_cond *cond)
{
	u64 missed = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		missed += per_cpu_ptr(cond->counts, cpu)->missed;
	return missed;
}

static int show_table(struct seq_file *m, const struct graph_filter *filter,
		      const struct graph_cond *cond)
{
	struct tracing_map_sort_key by_count = { .field_idx = 0 };
	struct tracing_map_sort_entry **rows = NULL;
	int i, nr;

	nr = tracing_map_sort_entries(cond->map, &by_count, 1, &rows);
	if (nr < 0)
		return nr;
	sort_r(rows, nr, sizeof(*rows), compare_rows, NULL, cond);
	seq_printf(m, "# %s\n\n", cond->line);
	for (i = 0; i < nr; i++)
		show_row(m, filter, cond, rows[i]);
	if (nr)
		tracing_map_destroy_sort_entries(rows, nr);
	seq_printf(m, "\nTotals:\n    Hits: %llu\n    Entries: %d\n    Dropped: %llu\n    Missed: %llu\n    Functions: %u\n    Left out: %u\n\n",
		   (u64)atomic64_read(&cond->map->hits), nr,
		   (u64)atomic64_read(&cond->map->drops), sum_missed(cond),
		   cond->nr_funcs, cond->nr_left_out);
	return 0;
}

/**
 * graph_hist_show - show the tables of an instance
 * @m: the file; its private data is the trace instance
 * @v: not used
 *
 * Return: 0, or an error.
 */
int graph_hist_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = m->private;
	struct graph_cond *cond;
	int ret = 0;

	guard(mutex)(&trace_types_lock);
	if (!tr->graph_hist)
		return 0;
	list_for_each_entry(cond, &tr->graph_hist->conds, list)
		ret = ret ?: show_table(m, tr->graph_hist, cond);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(graph_hist_show);

/**
 * graph_hist_clear - clear the tables of lines
 * @data: the lines. The tracer does not run or has been stopped, so no call is counted
 */
void graph_hist_clear(void *data)
{
	struct graph_filter *filter = data;
	struct graph_cond *cond;
	int cpu;

	list_for_each_entry(cond, &filter->conds, list) {
		tracing_map_clear(cond->map);
		cond->late_funcs = false;
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(cond->counts, cpu), 0,
			       sizeof(*cond->counts));
	}
}
