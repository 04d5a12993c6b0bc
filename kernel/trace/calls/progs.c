// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that decide a condition on a call, or count calls
 *
 * For each type of function that a condition covers, the condition's names are looked up
 * in the signature, and the condition is translated for the event filters of
 * trace_events_filter.c.  In the translation each comparison has its own field, as in "f3
 * > 4096".  The field describes the place of the value among the captured longs.
 *
 * The value of an expression is read into the record before the filter is evaluated.
 *
 * If the whole condition can be decided at the entry, there is one filter.  Otherwise
 * each comparison that can be decided at the entry has its own filter.  The result of the
 * filter is a bit in the filter of the return, as in "(bits & 8) && ret < 0".  So the
 * data that was captured at the entry is not needed at the return.
 *
 * The program of a line of keys has no filters.  Its fields are the keys.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include <kunit/visibility.h>

#include "trace.h"
#include "trace_args_fields.h"
#include "trace_args_table.h"
#include "trace_graph_progs.h"

/* Convert a number to a field's type; returns false if the number does not fit */
static bool fit_number(struct graph_field *field, u64 number, bool negative)
{
	unsigned int bits = field->size * 8;

	field->val = negative ? -number : number;
	if (field->sign) {
		if (negative ? number > BIT_ULL(63) : number >= BIT_ULL(63))
			return false;
		return sign_extend64(field->val, bits - 1) == field->val;
	}
	if (negative && number)
		return false;
	return bits == 64 || field->val < BIT_ULL(bits);
}

static unsigned int find_number_field(struct graph_field *field,
				      const struct graph_pred *pred,
				      const struct arg_field *found,
				      const struct arg_types *types)
{
	bool pointer = *found->type == 'P';
	u64 val;

	if (pred->value == GRAPH_VALUE_NONE)
		return 0;
	if (pred->value == GRAPH_VALUE_NUMBER) {
		/* For a pointer, the name of an error means ERR_PTR() */
		if (pointer && pred->errno_name && pred->negative) {
			field->val = -pred->number;
			return 0;
		}
		return fit_number(field, pred->number, pred->negative) ?
			0 : GRAPH_COND_ERR_RANGE;
	}
	if (graph_cond_is_word(pred->text, pred->text_len,
			       pointer ? "NULL" : "false")) {
		field->val = 0;
		return pointer || *found->type == 'b' ? 0 : GRAPH_COND_ERR_NO_NAME;
	}
	if (*found->type == 'b' &&
	    graph_cond_is_word(pred->text, pred->text_len, "true")) {
		field->val = 1;
		return 0;
	}
	if (!arg_field_enumerator(found, types, pred->text, pred->text_len, &val))
		return GRAPH_COND_ERR_NO_NAME;
	field->val = val;
	return 0;
}

/* Find the field of a comparison; returns the error, or 0 */
static unsigned int find_field(struct graph_field *field,
			       struct graph_prog *prog,
			       const struct graph_pred *pred,
			       const struct arg_sig_hold *hold)
{
	const struct arg_types *types = hold->types;
	const char *sig = hold->sig;
	struct arg_field found;
	int ret;

	field->used = true;
	switch (pred->what) {
	case GRAPH_PRED_COMM:
		return 0;
	case GRAPH_PRED_CPU:
		*field = (struct graph_field){ .size = 4, .sign = true, .used = true };
		return fit_number(field, pred->number, pred->negative) ?
			0 : GRAPH_COND_ERR_RANGE;
	case GRAPH_PRED_DURATION:
		field->val = pred->number;
		return 0;
	default:
		break;
	}
	if (!sig)
		return GRAPH_COND_ERR_NO_SIG;
	if (pred->what != GRAPH_PRED_PARAM) {
		if (!IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL) ||
		    arg_sig_find_ret(&found, sig, types))
			return GRAPH_COND_ERR_NO_RET;
		prog->ret_size = found.size;
		prog->ret_sign = found.sign;
		prog->ret_fails = arg_field_may_fail(&found);
		if (pred->what == GRAPH_PRED_ERROR)
			return prog->ret_fails ? 0 : GRAPH_COND_ERR_NO_ERROR;
		field->size = found.size;
		field->sign = found.sign;
		return find_number_field(field, pred, &found, types);
	}

	ret = arg_sig_find(&found, sig, types, pred->name, pred->name_len);
	if (ret)
		return ret == -ENOENT ? GRAPH_COND_ERR_NO_FIELD :
					GRAPH_COND_ERR_NO_VALUE;
	if (pred->value == GRAPH_VALUE_NONE) {
		if (found.string)
			return GRAPH_COND_ERR_BAD_KEY;
		if (found.size > sizeof(u64))
			return GRAPH_COND_ERR_NO_VALUE;
	}
	prog->args = true;
	field->offset = found.offset;
	field->size = found.size;
	field->sign = found.sign;
	if (pred->value != GRAPH_VALUE_STRING)
		return find_number_field(field, pred, &found, types);
	if (!found.string)
		return GRAPH_COND_ERR_BAD_TYPE;
	prog->strings = true;
	prog->record = true;
	field->string = true;
	field->index = found.index;
	field->strings = found.strings;
	return 0;
}

/* Find the field of a comparison with an expression; returns the error, or 0 */
static int find_expr(struct graph_field *field, struct graph_prog *prog, unsigned int i,
		     unsigned long ip, const struct arg_sig_hold *hold,
		     struct graph_cond_error *err)
{
	const struct graph_pred *pred = &prog->cond->preds[i];
	struct arg_field found;
	unsigned int nr = 0;
	int ret;

	ret = graph_expr_compile(&prog->exprs->exprs[pred->expr], &found, prog->cond,
				 pred->expr, ip, hold, err);
	if (ret)
		return ret;
	prog->args = true;
	prog->record = true;
	*field = (struct graph_field){
		.offset	= offsetof(struct graph_record, values[i]),
		.size	= found.size,
		.sign	= found.sign,
		.string	= found.string,
		.used	= true,
	};
	if (pred->value != GRAPH_VALUE_STRING && !found.string)
		nr = find_number_field(field, pred, &found, hold->types);
	else if (pred->value != GRAPH_VALUE_STRING || !found.string)
		nr = GRAPH_COND_ERR_BAD_TYPE;
	if (!nr)
		return 0;
	*err = (struct graph_cond_error){ nr, pred->text - prog->cond->line };
	return -EINVAL;
}

/* Write a string. The first digit of a glob is put in brackets, or it would be an index */
static void put_pred_string(struct seq_buf *s, const struct graph_pred *pred)
{
	const char *text = pred->text;
	int len = pred->text_len;

	if (!strcmp(pred->op, "~") && isdigit(text[1]))
		seq_buf_printf(s, "%c[%c]%.*s", text[0], text[1], len - 2,
			       text + 2);
	else
		seq_buf_printf(s, "%.*s", len, text);
}

static void put_pred(struct seq_buf *s, const struct graph_prog *prog,
		     unsigned int i)
{
	const struct graph_pred *pred = &prog->cond->preds[i];
	const struct graph_field *field = &prog->fields[i];
	bool missing = field->string || pred->what == GRAPH_PRED_EXPR;

	if (pred->what == GRAPH_PRED_ERROR) {
		seq_buf_puts(s, "error == 1");
		return;
	}
	if (missing)
		seq_buf_printf(s, "(have & %lu && ", BIT(i));
	if (pred->what == GRAPH_PRED_COMM)
		seq_buf_puts(s, "COMM");
	else if (pred->what == GRAPH_PRED_CPU)
		seq_buf_puts(s, "CPU");
	else
		seq_buf_printf(s, "f%u", i);
	seq_buf_printf(s, " %s ", pred->op);
	if (pred->value == GRAPH_VALUE_STRING)
		put_pred_string(s, pred);
	else if (field->sign)
		seq_buf_printf(s, "%lld", (s64)field->val);
	else
		seq_buf_printf(s, "%llu", field->val);
	if (missing)
		seq_buf_putc(s, ')');
}

static bool pred_at_return(const struct graph_prog *prog, unsigned int i)
{
	return prog->cond->preds[i].what >= GRAPH_PRED_RET;
}

/* Write the condition for a filter: the whole condition, or the filter of the return */
static void put_cond(struct seq_buf *s, const struct graph_prog *prog)
{
	const unsigned char *p;

	for (p = prog->cond->shape; *p; p++) {
		unsigned int i = *p - GRAPH_COND_SHAPE_PRED;

		if (*p == '&' || *p == '|')
			seq_buf_printf(s, " %c%c ", *p, *p);
		else if (*p < GRAPH_COND_SHAPE_PRED)
			seq_buf_putc(s, *p);
		else if (prog->cond->at_return && !pred_at_return(prog, i))
			seq_buf_printf(s, "bits & %lu", BIT(i));
		else
			put_pred(s, prog, i);
	}
}

/* The fields that a program's filters may have */
struct prog_fields {
	struct trace_event_class	class;
	struct trace_event_call		call;
	struct ftrace_event_field	fields[GRAPH_COND_PREDS + 3];
	char				names[GRAPH_COND_PREDS][4];
	char				text[2 * PAGE_SIZE];
};

static void add_field(struct prog_fields *f, unsigned int i, const char *name,
		      int offset, int size, bool sign, int type)
{
	f->fields[i] = (struct ftrace_event_field){
		.name		= name,
		.type		= "",
		.filter_type	= type,
		.offset		= offset,
		.size		= size,
		.is_signed	= sign,
	};
	list_add(&f->fields[i].link, &f->class.fields);
}

static void add_fields(struct prog_fields *f, const struct graph_prog *prog)
{
	unsigned int i;

	INIT_LIST_HEAD(&f->class.fields);
	f->call.class = &f->class;
	for (i = 0; i < prog->cond->nr_preds; i++) {
		const struct graph_field *field = &prog->fields[i];
		int offset = field->offset, size = field->size;

		snprintf(f->names[i], sizeof(f->names[i]), "f%u", i);
		if (prog->cond->preds[i].what == GRAPH_PRED_RET)
			offset = offsetof(struct graph_ret_record, ret);
		if (prog->cond->preds[i].what == GRAPH_PRED_DURATION) {
			offset = offsetof(struct graph_ret_record, duration);
			size = sizeof(u64);
		}
		if (field->string)
			add_field(f, i, f->names[i],
				  offsetof(struct graph_record, locs[i]),
				  sizeof(u32), false, FILTER_DYN_STRING);
		else
			add_field(f, i, f->names[i], offset, size, field->sign,
				  FILTER_OTHER);
	}
	add_field(f, i++, "have", offsetof(struct graph_record, have),
		  sizeof(u32), false, FILTER_OTHER);
	add_field(f, i++, "bits", offsetof(struct graph_ret_record, bits),
		  sizeof(u32), false, FILTER_OTHER);
	add_field(f, i, "error", offsetof(struct graph_ret_record, error),
		  sizeof(u32), false, FILTER_OTHER);
}

static int make_filter(struct prog_fields *f, struct seq_buf *s,
		       struct event_filter **filter)
{
	int ret;

	if (seq_buf_has_overflowed(s))
		return -ENOSPC;
	seq_buf_str(s);
	*filter = NULL;
	ret = create_event_filter(NULL, &f->call, f->text, false, filter);
	if (!ret)
		return 0;
	free_event_filter(*filter);
	*filter = NULL;
	return ret;
}

static int make_filters(struct graph_prog *prog)
{
	struct graph_cond *cond = prog->cond;
	struct prog_fields *f;
	struct seq_buf s;
	unsigned int i;
	int ret;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	add_fields(f, prog);
	seq_buf_init(&s, f->text, sizeof(f->text));
	put_cond(&s, prog);
	ret = make_filter(f, &s, cond->at_return ? &prog->ret : &prog->entry[0]);
	if (!cond->at_return)
		prog->nr_entry = 1;
	for (i = 0; !ret && cond->at_return && i < cond->nr_preds; i++) {
		prog->nr_entry = i + 1;
		if (pred_at_return(prog, i))
			continue;
		seq_buf_clear(&s);
		put_pred(&s, prog, i);
		ret = make_filter(f, &s, &prog->entry[i]);
	}
	kfree(f);
	/* Drop the empty entries after the last comparison that is decided at the entry */
	while (!ret && prog->nr_entry && !prog->entry[prog->nr_entry - 1])
		prog->nr_entry--;
	return ret;
}

/**
 * graph_key_size - find the number of bytes that a key's values need in a table
 * @key: the key
 *
 * Return: 4 or 8.
 */
unsigned int graph_key_size(const struct graph_key *key)
{
	if (key->form == GRAPH_KEY_LOG2 || key->what == GRAPH_PRED_ERROR)
		return sizeof(u32);
	return key->right >= 32 ? sizeof(u32) : sizeof(u64);
}

/* Describe how the values of a key are found; returns the error, or 0 */
static unsigned int make_key(struct graph_prog *prog, struct graph_key *key,
			     unsigned int i)
{
	const struct graph_pred *pred = &prog->cond->preds[i];
	const struct graph_field *field = &prog->fields[i];
	unsigned int offset = field->offset % sizeof(u64);
	unsigned int size = field->size;
	bool sign = field->sign;

	if (pred->what == GRAPH_PRED_DURATION) {
		size = sizeof(u64);
	} else if (pred->what == GRAPH_PRED_ERROR) {
		size = prog->ret_size;
		sign = prog->ret_sign;
	}
	/* A member of a packed record may be in two longs */
	if (offset + size > sizeof(u64))
		return GRAPH_COND_ERR_NO_VALUE;
	*key = (struct graph_key){
		.what	= pred->what,
		.form	= pred->form,
		.index	= field->offset / sizeof(u64),
		.left	= 64 - (offset + size) * 8,
		.right	= 64 - size * 8,
		.sign	= sign,
		.pred	= i,
	};
	/* The table exists already, and its rows have less room than the key needs */
	if (graph_key_size(key) > prog->cond->key_sizes[i])
		return GRAPH_COND_ERR_NO_VALUE;
	return 0;
}

/* Make the keys, parameters first; returns the error of key @bad, or 0 */
static unsigned int make_keys(struct graph_prog *prog, unsigned int *bad)
{
	const struct graph_cond *cond = prog->cond;
	struct graph_key *key = prog->keys;
	unsigned int i, err;
	int others;

	for (others = 0; others < 2; others++) {
		for (i = 0; i < cond->nr_preds; i++) {
			bool other = cond->preds[i].what != GRAPH_PRED_PARAM;

			if (other != others)
				continue;
			*bad = i;
			err = make_key(prog, key++, i);
			if (err)
				return err;
		}
		if (!others)
			prog->args_end = key;
	}
	prog->keys_end = key;
	graph_prog_place_keys(prog);
	return 0;
}

/**
 * graph_prog_place_keys - set the places of the keys' values in the key of a row
 * @prog: the program of a line of keys; the line has the number of bytes of each key
 */
void graph_prog_place_keys(struct graph_prog *prog)
{
	const u8 *sizes = prog->cond->key_sizes;
	struct graph_key *key;
	unsigned int i;

	for (key = prog->keys; key < prog->keys_end; key++) {
		key->to = 0;
		key->size = sizes[key->pred];
		for (i = 0; i < key->pred; i++)
			key->to += sizes[i];
		key->copy = key->form != GRAPH_KEY_LOG2 &&
			    key->left == key->right &&
			    key->right == 64 - key->size * 8;
	}
}

/*
 * Find the number of argument registers that the keys need; 0 unless the longs are the
 * argument registers in the order of the ABI
 */
static unsigned int count_regs(const struct graph_prog *prog, const char *sig)
{
	u32 kind = arg_sig_make_ref(sig, sig) & ARG_SIG_REF_KIND;
	const struct graph_key *key;
	unsigned int nr = 0;

	if (kind != ARG_SIG_REF_REGS && kind != ARG_SIG_REF_TEXT)
		return 0;
	for (key = prog->keys; key < prog->args_end; key++)
		nr = max(nr, key->index + 1U);
	return nr;
}

static bool reads_same_exprs(const struct call_exprs *a, const struct call_exprs *b)
{
	return !a || !memcmp(a->exprs, b->exprs, a->nr * sizeof(a->exprs[0]));
}

/* Whether two programs of the same line are the same */
static bool same_prog(const struct graph_prog *a, const struct graph_prog *b)
{
	return reads_same_exprs(a->exprs, b->exprs) &&
	       !memcmp(a->fields, b->fields, sizeof(a->fields)) &&
	       a->nr_regs == b->nr_regs && a->ret_size == b->ret_size &&
	       a->ret_sign == b->ret_sign &&
	       a->ret_fails == b->ret_fails;
}

/**
 * graph_prog_free - free a program
 * @prog: the program. It is not in the list of its condition, unless the condition is
 *	freed as well.
 *
 * The caller makes sure that @prog does not decide any call. May sleep.
 */
void graph_prog_free(struct graph_prog *prog)
{
	unsigned int i;

	for (i = 0; i < prog->nr_entry; i++)
		free_event_filter(prog->entry[i]);
	free_event_filter(prog->ret);
	if (prog->exprs)
		kfree(prog->exprs->text);
	kfree(prog->exprs);
	kfree(prog);
}

static struct graph_prog *alloc_prog(struct graph_cond *cond)
{
	struct graph_prog *prog = kzalloc(sizeof(*prog), GFP_KERNEL);
	struct call_exprs *exprs;

	if (!prog)
		return NULL;
	prog->cond = cond;
	if (!cond->nr_exprs)
		return prog;
	exprs = kzalloc(struct_size(exprs, exprs, cond->nr_exprs), GFP_KERNEL);
	if (!exprs) {
		kfree(prog);
		return NULL;
	}
	exprs->nr = cond->nr_exprs;
	exprs->id = CALL_EXPRS_NONE;
	prog->exprs = exprs;
	return prog;
}

/**
 * graph_cond_prog - find the program of a line for a function
 * @cond: the line
 * @ip: the address that ftrace knows the function by
 * @hold: the function's signature, which may be missing
 * @err: the reason why the line does not apply to the function
 *
 * Return: the program; -EINVAL if the line does not apply to the function,
 * or another error.
 */
struct graph_prog *graph_cond_prog(struct graph_cond *cond, unsigned long ip,
				   const struct arg_sig_hold *hold,
				   struct graph_cond_error *err)
{
	struct graph_prog *prog, *old;
	unsigned int i, nr = 0;
	int ret = -EINVAL;

	prog = alloc_prog(cond);
	if (!prog)
		return ERR_PTR(-ENOMEM);
	if (cond->nr_exprs && !hold->sig) {
		*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_SIG };
		goto free;
	}
	for (i = 0; i < cond->nr_preds; i++) {
		if (cond->preds[i].what == GRAPH_PRED_EXPR) {
			ret = find_expr(&prog->fields[i], prog, i, ip, hold, err);
			if (ret)
				goto free;
			continue;
		}
		nr = find_field(&prog->fields[i], prog, &cond->preds[i], hold);
		if (nr)
			break;
	}
	if (!nr && cond->map_bits)
		nr = make_keys(prog, &i);
	if (nr) {
		const struct graph_pred *pred = &cond->preds[i];
		const char *pos = nr > GRAPH_COND_ERR_NO_VALUE ? pred->text :
								 pred->name;

		ret = -EINVAL;
		*err = (struct graph_cond_error){ nr, pos - cond->line };
		goto free;
	}
	if (cond->map_bits && prog->args)
		prog->nr_regs = count_regs(prog, hold->sig);
	list_for_each_entry(old, &cond->progs, list) {
		if (same_prog(old, prog)) {
			graph_prog_free(prog);
			return old;
		}
	}
	ret = cond->map_bits ? 0 : make_filters(prog);
	if (ret)
		goto free;
	list_add_tail(&prog->list, &cond->progs);
	return prog;
free:
	graph_prog_free(prog);
	return ERR_PTR(ret);
}

/*
 * Whether the first @len bytes of a longer string are enough to decide a comparison. No
 * value in a condition is longer than MAX_FILTER_STR_VAL.
 */
static bool decides(const struct graph_pred *pred, unsigned int len)
{
	const char *text = pred->text + 1;
	unsigned int stop = strcspn(text, "*?[\\");

	if (strcmp(pred->op, "~"))
		return len >= MAX_FILTER_STR_VAL;
	/* "text*" needs only the bytes of "text" */
	return *text != '!' && text[stop] == '*' && stop &&
	       text + stop + 2 == pred->text + pred->text_len && stop <= len;
}

/* Complete the text of @len bytes at @text in the record */
static void add_text(struct graph_record *record, unsigned int i, char *text,
		     unsigned int len)
{
	text[len] = '\0';
	record->locs[i] = (len + 1) << 16 | (text - (char *)record);
	record->used = text + len + 1 - record->text;
	record->have |= BIT(i);
}

/* Whether a text with this header can be compared */
static bool is_known(const struct graph_pred *pred, unsigned int header)
{
	unsigned int len = header & ~ARG_STRING_CUT;

	return !(header & ARG_STRING_CUT) || decides(pred, len);
}

static void add_strings(struct graph_record *record, const struct graph_prog *prog,
			const struct arg_longs *longs, unsigned int nr_longs)
{
	unsigned int i;

	for (i = 0; i < prog->cond->nr_preds; i++) {
		const struct graph_field *field = &prog->fields[i];
		const struct graph_pred *pred = &prog->cond->preds[i];
		char *to = record->text + record->used;
		unsigned int header = 0, len;
		const u8 *text;

		if (!field->string || pred->what == GRAPH_PRED_EXPR)
			continue;
		text = arg_longs_string(longs, nr_longs, field->strings,
					field->index, &header);
		len = header & ~ARG_STRING_CUT;
		if (!text || record->used + len + 1 > sizeof(record->text) ||
		    !is_known(pred, header))
			continue;
		memcpy(to, text, len);
		add_text(record, i, to, len);
	}
}

/* Read the text of an expression into the record, after room for its header */
static void add_expr_text(struct graph_record *record, unsigned int i,
			  const struct graph_pred *pred, const struct call_expr *expr,
			  struct captured_page *known)
{
	long room = sizeof(record->text) - record->used - sizeof(u16) - 1;
	char *to = record->text + record->used;
	unsigned int header;

	if (room <= 0)
		return;
	capture_expr((u8 *)to, expr, record->longs,
		     min_t(long, room, FUNC_ARGS_MAX_STRING_SIZE), known);
	header = get_unaligned((u16 *)to);
	if (header != ARG_STRING_UNREAD && header != ARG_STRING_NULL &&
	    is_known(pred, header))
		add_text(record, i, to + sizeof(u16), header & ~ARG_STRING_CUT);
}

static void add_exprs(struct graph_record *record, const struct graph_prog *prog)
{
	struct captured_page known = { .page = 1 };
	unsigned long flags, recursion;
	u8 value[1 + sizeof(long)];
	unsigned int i;

	recursion = capture_begin(&flags);
	for (i = 0; i < prog->cond->nr_preds; i++) {
		const struct graph_pred *pred = &prog->cond->preds[i];
		const struct call_expr *expr;

		if (pred->what != GRAPH_PRED_EXPR)
			continue;
		expr = &prog->exprs->exprs[pred->expr];
		if (prog->fields[i].string) {
			add_expr_text(record, i, pred, expr, &known);
			continue;
		}
		capture_expr(value, expr, record->longs, 0, &known);
		/* The kind is different if the value could not be read */
		if (value[0] != expr->part.kind)
			continue;
		record->values[i] = get_unaligned((u64 *)(value + 1));
		record->have |= BIT(i);
	}
	capture_end(recursion, flags);
}

/**
 * graph_record_fill - add the strings and the values of expressions to a record
 * @record: the record, with its longs
 * @prog: the program, which needs strings or expressions
 * @data: the captured data, see struct arg_longs
 * @size: bytes of @data
 * @nr_longs: the number of captured longs
 *
 * Any context, including NMI, with preemption disabled.
 */
void graph_record_fill(struct graph_record *record, const struct graph_prog *prog,
		       const void *data, unsigned int size, unsigned int nr_longs)
{
	const struct arg_longs longs = { .data = data, .size = size };

	record->have = 0;
	record->used = 0;
	if (prog->strings)
		add_strings(record, prog, &longs, nr_longs);
	if (prog->exprs)
		add_exprs(record, prog);
}
EXPORT_SYMBOL_IF_KUNIT(graph_record_fill);

/**
 * graph_ret_is_error - whether a function returned an error
 * @prog: a program for the function
 * @ret: the return register
 *
 * Return: true for an error pointer, and for a negative number that can be the number of
 * an error.
 */
bool graph_ret_is_error(const struct graph_prog *prog, u64 ret)
{
	if (!prog->ret_fails)
		return false;
	if (prog->ret_sign)
		ret = sign_extend64(ret, prog->ret_size * 8 - 1);
	return IS_ERR_VALUE((unsigned long)ret);
}
EXPORT_SYMBOL_IF_KUNIT(graph_ret_is_error);
