// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that decide a condition on a call, or count calls
 *
 * For each type of function that a condition covers, the condition's names are looked up
 * in the signature.  Each comparison has a field, which describes the place of the value
 * among the captured longs, and the number to compare with.
 *
 * A comparison tells whether a number is in a range, and which comparison follows, so that
 * none is made that cannot change the result.  If the condition is decided at the return, all
 * comparisons that are known at the entry are made there, and their results are kept as bits,
 * so the data that was captured at the entry is not needed at the return.
 *
 * The fields of a line of keys are the keys.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "../args/table.h"
#include "../args/text.h"
#include "../tracing_map.h"
#include "lines.h"

static_assert(GRAPH_MAP_BITS == TRACING_MAP_BITS_DEFAULT);
static_assert(GRAPH_MAP_BITS_MIN == TRACING_MAP_BITS_MIN);
static_assert(GRAPH_MAP_BITS_MAX == TRACING_MAP_BITS_MAX);

/**
 * struct named_type - a type whose numbers have names
 * @found: the field of the type
 * @types: the descriptions that the field's type refers to
 */
struct named_type {
	const struct arg_field	*found;
	const struct arg_types	*types;
};

static bool find_name(void *data, const char *name, unsigned int len, u64 *val)
{
	const struct named_type *named = data;

	return arg_type_enumerator(named->types, named->found->type, name, len, val) ||
	       (named->found->how == 'G' && arg_gfp_named(name, len, val));
}

/* Find the number that a field is compared with; returns the error, or 0 */
static unsigned int find_number_field(struct graph_field *field,
				      const struct graph_pred *pred,
				      const struct arg_field *found,
				      const struct arg_types *types)
{
	struct named_type named = { found, types };

	return pred->value == GRAPH_VALUE_NONE ? 0 :
		graph_pred_number(&field->val, pred, found, find_name, &named);
}

/* The error of a name that no parameter has: the name may have been meant for the task */
static unsigned int no_field(const struct graph_pred *pred)
{
	static const char * const words[] = { "comm", "pid", "tgid", "cpu" };
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (pred->name_len == strlen(words[i]) &&
		    !strncasecmp(pred->name, words[i], pred->name_len))
			return GRAPH_COND_ERR_TASK;
	return GRAPH_COND_ERR_NO_FIELD;
}

/* The place of the text of an object; expressions precede the texts */
static struct call_expr *text_of(const struct graph_prog *prog, const struct graph_pred *pred)
{
	return &prog->exprs->exprs[prog->cond->nr_exprs + pred->expr];
}

/* Find the first text of the digest of the object that a parameter points to */
static bool find_digest(struct call_expr *to, const struct arg_field *found,
			const struct arg_types *types)
{
	const char *p = *found->type == 'P' ? arg_digest_of(types, found->type + 1) : NULL;
	struct arg_part part;
	unsigned int size;

	if (!p || found->offset % sizeof(long))
		return false;
	for (p = strchr(p, ';') + 1; *p;) {
		p = arg_digest_part(&part, p);
		if (!p)
			return false;
		if (!arg_part_is_text(part.type) || !object_part_compile(&to->part, &part))
			continue;
		/* The text of an event is shorter */
		size = arg_part_array(part.type);
		to->part.size = size && size < FUNC_ARGS_MAX_STRING_SIZE ?
				size - 1 : FUNC_ARGS_MAX_STRING_SIZE;
		to->index = found->offset / sizeof(long);
		to->deref = true;
		return true;
	}
	return false;
}

/* Find the longs of the parameters that have 64 bits */
static u64 find_longs(const struct arg_sig_hold *hold)
{
	unsigned int nr, len;
	u64 longs = 0;

	for (nr = 1; nr <= ARG_SIGS_MAX_LONGS; nr++) {
		const char *name = arg_sig_param_name(hold->sig, nr, &len);
		struct arg_field found;

		if (name && !arg_sig_find(&found, hold->sig, hold->types, name, len) &&
		    found.size == sizeof(u64))
			longs |= BIT_ULL(found.index);
	}
	return longs;
}

/* Find the range of the numbers that a comparison is true for, or false */
static void set_range(struct graph_field *field, enum graph_pred_op op)
{
	u64 val;

	field->mask = ~0ULL;
	if (op == GRAPH_OP_AND) {
		field->mask = field->val;
		field->outside = true;
		return;
	}
	field->flip = field->sign ? BIT_ULL(63) : 0;
	val = field->val ^ field->flip;
	field->outside = op == GRAPH_OP_NE || op == GRAPH_OP_LT || op == GRAPH_OP_GT;
	if (op == GRAPH_OP_LE || op == GRAPH_OP_GT) {
		field->span = val;
		return;
	}
	field->low = val;
	if (op == GRAPH_OP_LT || op == GRAPH_OP_GE)
		field->span = ~val;
}

/* Find the field of a comparison or of a key; returns the error, or 0 */
static unsigned int find_field(struct graph_field *field,
			       struct graph_prog *prog,
			       const struct graph_pred *pred,
			       const struct arg_sig_hold *hold)
{
	const struct arg_types *types = hold->types;
	const char *sig = hold->sig;
	struct arg_field found;
	int ret;

	switch (pred->what) {
	case GRAPH_PRED_COMM:
		prog->task = true;
		return 0;
	case GRAPH_PRED_CPU:
	case GRAPH_PRED_PID:
	case GRAPH_PRED_TGID:
		prog->task = true;
		found = (struct arg_field){ .type = "i", .size = sizeof(u32), .sign = true };
		field->size = found.size;
		field->sign = found.sign;
		return find_number_field(field, pred, &found, types);
	case GRAPH_PRED_DURATION:
		field->size = sizeof(u64);
		field->val = pred->number;
		return 0;
	default:
		break;
	}
	if (!sig)
		return GRAPH_COND_ERR_NO_SIG;
	if (pred->what == GRAPH_PRED_ANY) {
		field->val = pred->negative ? -pred->number : pred->number;
		field->strings = find_longs(hold);
		prog->args = true;
		return field->strings ? 0 : GRAPH_COND_ERR_NO_FIELD;
	}
	if (pred->what != GRAPH_PRED_PARAM) {
		if (!IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL) ||
		    arg_sig_find_ret(&found, sig, types))
			return GRAPH_COND_ERR_NO_RET;
		prog->ret_size = found.size;
		prog->ret_sign = found.sign;
		prog->last_error = arg_sig_last_error(sig, &found);
		if (pred->what == GRAPH_PRED_ERROR)
			return prog->last_error ? 0 : GRAPH_COND_ERR_NO_ERROR;
		field->size = found.size;
		field->sign = found.sign;
		field->how = found.how;
		if (pred->value == GRAPH_VALUE_STRING)
			return GRAPH_COND_ERR_BAD_TYPE;
		return found.size > sizeof(u64) ? GRAPH_COND_ERR_NO_VALUE :
						  find_number_field(field, pred, &found, types);
	}

	ret = arg_sig_find(&found, sig, types, pred->name, pred->name_len);
	if (ret)
		return ret == -ENOENT ? no_field(pred) : GRAPH_COND_ERR_NO_VALUE;
	if (pred->value == GRAPH_VALUE_NONE && found.string)
		return GRAPH_COND_ERR_BAD_KEY;
	if (found.size > sizeof(u64))
		return GRAPH_COND_ERR_NO_VALUE;
	prog->args = true;
	if (pred->value == GRAPH_VALUE_NONE && pred->form == GRAPH_KEY_PLAIN &&
	    find_digest(text_of(prog, pred), &found, types)) {
		prog->record = true;
		field->string = true;
		field->object = true;
		return 0;
	}
	field->offset = found.offset;
	field->size = found.size;
	field->sign = found.sign;
	field->how = found.how;
	if (pred->value != GRAPH_VALUE_STRING)
		return find_number_field(field, pred, &found, types);
	prog->record = true;
	field->string = true;
	field->object = !found.string;
	if (field->object)
		return find_digest(text_of(prog, pred), &found, types) ?
			0 : GRAPH_COND_ERR_BAD_TYPE;
	prog->strings = true;
	field->index = found.index;
	field->strings = found.strings;
	return 0;
}

/* Find the field of a comparison or of a key with an expression; returns the error, or 0 */
static unsigned int find_expr(struct graph_field *field, const struct graph_pred *pred,
			      const struct expr_type *type, const struct arg_sig_hold *hold)
{
	struct arg_field found = { .size = type->size, .string = !type->size };
	bool text;

	found.type = arg_type_resolve(type->type, &found.how);
	found.sign = arg_type_is_signed(found.type);
	*field = (struct graph_field){
		.size	= found.size,
		.sign	= found.sign,
		.string	= found.string,
		.type	= found.type,
		.how	= found.how,
	};
	if (pred->value == GRAPH_VALUE_NONE)
		return found.string && pred->form != GRAPH_KEY_PLAIN ?
			GRAPH_COND_ERR_BAD_FORM : 0;
	text = pred->value == GRAPH_VALUE_STRING;
	if (text != found.string)
		return GRAPH_COND_ERR_BAD_TYPE;
	return found.string ? 0 : find_number_field(field, pred, &found, hold->types);
}

/**
 * graph_key_size - find the number of bytes that a key's values need in a table
 * @key: the key
 *
 * Return: 4, 8, GRAPH_KEY_COMM_SIZE or GRAPH_KEY_TEXT_SIZE.
 */
unsigned int graph_key_size(const struct graph_key *key)
{
	if (key->longs > 1)
		return key->longs * sizeof(long);
	if (key->form == GRAPH_KEY_LOG2 || key->what == GRAPH_PRED_ERROR)
		return sizeof(u32);
	return key->right >= 32 ? sizeof(u32) : sizeof(u64);
}

/* The first of the longs with the value of key @i, which is an expression or a text */
static unsigned int long_of_key(unsigned int i)
{
	return GRAPH_LONG_KEYS + i * (GRAPH_KEY_TEXT_SIZE / sizeof(long));
}

/* Describe how the values of a key are found; returns the error, or 0 */
static unsigned int make_key(struct graph_prog *prog, struct graph_key **next,
			     unsigned int i)
{
	const struct graph_pred *pred = &prog->cond->preds[i];
	const struct graph_field *field = &prog->fields[i];
	unsigned int offset = field->offset % sizeof(u64);
	unsigned int index = field->offset / sizeof(u64);
	unsigned int size = field->size, longs = 1;
	struct graph_key *key = *next;
	bool sign = field->sign;

	BUILD_BUG_ON(TASK_COMM_LEN != GRAPH_KEY_COMM_SIZE);
	switch (pred->what) {
	case GRAPH_PRED_DURATION:
		size = sizeof(u64);
		break;
	case GRAPH_PRED_ERROR:
		size = prog->ret_size;
		sign = prog->ret_sign;
		break;
	case GRAPH_PRED_CPU:
	case GRAPH_PRED_PID:
	case GRAPH_PRED_TGID:
		index = GRAPH_LONG_CPU + pred->what - GRAPH_PRED_CPU;
		offset = 0;
		break;
	case GRAPH_PRED_COMM:
		index = GRAPH_LONG_COMM;
		longs = GRAPH_KEY_COMM_SIZE / sizeof(long);
		break;
	default:
		if (pred->what == GRAPH_PRED_EXPR || field->string)
			index = long_of_key(i);
		if (field->string)
			longs = GRAPH_KEY_TEXT_SIZE / sizeof(long);
		break;
	}
	if (longs > 1)
		size = sizeof(u64);
	/* A member of a packed record may be in two longs */
	if (offset + size > sizeof(u64))
		return GRAPH_COND_ERR_NO_VALUE;
	*key = (struct graph_key){
		.what	= pred->what,
		.form	= pred->form,
		.index	= index,
		.left	= 64 - (offset + size) * 8,
		.right	= 64 - size * 8,
		.sign	= sign,
		.longs	= longs,
		/* A plain key is shown in the order of its bytes */
		.swap	= field->how == 'B' && pred->form != GRAPH_KEY_PLAIN,
		.pred	= i,
	};
	/* The table exists already, and its rows have less room than the key needs */
	if (graph_key_size(key) > prog->cond->key_sizes[i])
		return GRAPH_COND_ERR_NO_VALUE;
	while (++(*next) < key + longs) {
		**next = (*next)[-1];
		(*next)->index++;
		(*next)->nth++;
	}
	return 0;
}

/* Make the keys, first what is known at the entry; returns the error of key @bad, or 0 */
static unsigned int make_keys(struct graph_prog *prog, unsigned int *bad)
{
	const struct graph_cond *cond = prog->cond;
	struct graph_key *key = prog->keys;
	unsigned int i, err;
	int others;

	for (others = 0; others < 2; others++) {
		for (i = 0; i < cond->nr_preds; i++) {
			bool other = cond->preds[i].what >= GRAPH_PRED_RET;

			if (other != others)
				continue;
			*bad = i;
			err = make_key(prog, &key, i);
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
		key->to = key->nth * sizeof(u64);
		key->size = min(sizes[key->pred], sizeof(u64));
		for (i = 0; i < key->pred; i++)
			key->to += sizes[i];
		key->pad = key->longs == 1 && sizes[key->pred] == GRAPH_KEY_TEXT_SIZE;
		key->copy = !key->pad && key->form != GRAPH_KEY_LOG2 && !key->swap &&
			    key->left == key->right &&
			    key->right == 64 - key->size * 8;
	}
}

/*
 * Find the number of argument registers that the keys or the comparisons need; 0 unless the
 * longs are the argument registers in the order of the ABI, and nothing else is needed
 */
static unsigned int count_regs(const struct graph_prog *prog, const char *sig)
{
	u32 kind = arg_sig_make_ref(sig, sig) & ARG_SIG_REF_KIND;
	const struct graph_cond *cond = prog->cond;
	const struct graph_key *key;
	unsigned int i, nr = 0;

	if (prog->exprs || prog->only || (kind != ARG_SIG_REF_REGS && kind != ARG_SIG_REF_TEXT))
		return 0;
	if (cond->map_bits) {
		for (key = prog->keys; key < prog->args_end; key++)
			if (key->what == GRAPH_PRED_PARAM)
				nr = max(nr, key->index + 1U);
		return nr;
	}
	if (prog->record)
		return 0;
	for (i = 0; i < cond->nr_preds; i++) {
		const struct graph_field *field = &prog->fields[i];

		if (field->plain)
			nr = max_t(unsigned int, nr,
				   (field->offset + field->size - 1) / sizeof(long) + 1);
		else if (cond->preds[i].what == GRAPH_PRED_ANY)
			nr = max_t(unsigned int, nr, fls64(field->strings));
	}
	return nr;
}

static bool same_exprs(const struct call_exprs *a, const struct call_exprs *b)
{
	if (!a || !b)
		return a == b;
	return a->nr == b->nr &&
	       !memcmp(a->exprs, b->exprs, a->nr * sizeof(a->exprs[0])) &&
	       (!a->text || !strcmp(a->text, b->text));
}

/* Whether two programs of the same line are the same */
static bool same_prog(const struct graph_prog *a, const struct graph_prog *b)
{
	return a->only == b->only && same_exprs(a->exprs, b->exprs) &&
	       !memcmp(a->fields, b->fields, sizeof(a->fields)) &&
	       a->nr_regs == b->nr_regs && a->ret_size == b->ret_size &&
	       a->ret_sign == b->ret_sign &&
	       a->last_error == b->last_error;
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
	if (prog->exprs && prog->exprs->id != CALL_EXPRS_NONE)
		arg_exprs_drop(prog->exprs->id);
	if (prog->exprs)
		kfree(prog->exprs->text);
	kfree(prog->exprs);
	kfree(prog);
}

/**
 * graph_cond_free - free a line with its programs and its table
 * @cond: the line, NULL for none
 */
void graph_cond_free(struct graph_cond *cond)
{
	struct graph_prog *prog, *tmp;

	if (!cond)
		return;
	graph_cond_free(cond->only);
	list_for_each_entry_safe(prog, tmp, &cond->progs, list)
		graph_prog_free(prog);
	if (cond->map)
		tracing_map_destroy(cond->map);
	free_percpu(cond->counts);
	kfree(cond->exprs);
	kfree(cond->strings);
	kfree(cond->line);
	kfree(cond);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_free);

static struct graph_cond *alloc_cond(enum graph_lines kind, const char *line)
{
	struct graph_cond *cond = kzalloc(sizeof(*cond), GFP_KERNEL);

	if (!cond)
		return NULL;
	INIT_LIST_HEAD(&cond->progs);
	INIT_LIST_HEAD(&cond->list);
	cond->line = kstrdup(line, GFP_KERNEL);
	cond->strings = kstrdup(line, GFP_KERNEL);
	cond->exprs = kcalloc(GRAPH_EXPRS_MAX, sizeof(*cond->exprs), GFP_KERNEL);
	cond->counts = alloc_percpu(struct graph_cond_counts);
	if (kind == GRAPH_LINES_HIST)
		cond->only = alloc_cond(GRAPH_LINES_FILTER, line);
	if (cond->line && cond->strings && cond->exprs && cond->counts &&
	    (cond->only || kind != GRAPH_LINES_HIST))
		return cond;
	graph_cond_free(cond);
	return NULL;
}

/* Free what a line does not have */
static void trim_cond(struct graph_cond *cond)
{
	if (!cond->nr_exprs) {
		kfree(cond->exprs);
		cond->exprs = NULL;
	}
	if (cond->only && !cond->only->nr_preds) {
		graph_cond_free(cond->only);
		cond->only = NULL;
	}
	if (cond->only)
		trim_cond(cond->only);
}

/**
 * graph_line_parse - make a line of its text
 * @kind: the file of the line
 * @line: "GLOB: CONDITION", "GLOB: KEYS" or "GLOB: EXPRESSION, ...", without blanks around it
 * @err: the error if this fails
 *
 * May sleep.
 *
 * Return: the line, without programs and without a table, or an error.
 */
struct graph_cond *graph_line_parse(enum graph_lines kind, const char *line,
				    struct graph_cond_error *err)
{
	struct graph_cond *cond;
	int ret;

	*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_MEM };
	cond = alloc_cond(kind, line);
	if (!cond)
		return ERR_PTR(-ENOMEM);
	ret = graph_parse(cond, kind, err);
	if (ret) {
		graph_cond_free(cond);
		return ERR_PTR(ret);
	}
	trim_cond(cond);
	return cond;
}
EXPORT_SYMBOL_IF_KUNIT(graph_line_parse);

/* Whether a program has expressions or reads the texts of objects */
static bool reads_memory(const struct graph_prog *prog)
{
	unsigned int i;

	for (i = 0; i < prog->cond->nr_preds; i++)
		if (prog->fields[i].object)
			return true;
	return prog->cond->nr_exprs;
}

static struct graph_prog *alloc_prog(struct graph_cond *cond)
{
	struct graph_prog *prog = kzalloc(sizeof(*prog), GFP_KERNEL);
	bool whole = cond->nr_exprs && cond->exprs[cond->nr_exprs - 1].whole;
	unsigned int nr = whole ? GRAPH_EXPRS_MAX : cond->nr_exprs + cond->nr_texts;
	struct call_exprs *exprs;

	if (!prog)
		return NULL;
	prog->cond = cond;
	if (!nr)
		return prog;
	exprs = kzalloc(struct_size(exprs, exprs, nr), GFP_KERNEL);
	if (!exprs) {
		kfree(prog);
		return NULL;
	}
	exprs->nr = nr;
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
	const struct expr_type *types[GRAPH_EXPRS_MAX];
	struct graph_prog *prog, *old;
	unsigned int i, nr = 0;
	int ret = -EINVAL;

	prog = alloc_prog(cond);
	if (!prog)
		return ERR_PTR(-ENOMEM);
	if (cond->nr_exprs) {
		*err = (struct graph_cond_error){ GRAPH_COND_ERR_NO_SIG };
		if (hold->sig)
			ret = graph_exprs_compile(prog->exprs, types, cond, ip, hold, err);
		if (ret)
			goto free;
		prog->args = true;
		prog->record = true;
	}
	for (i = 0; i < cond->nr_preds; i++) {
		const struct graph_pred *pred = &cond->preds[i];

		nr = pred->what == GRAPH_PRED_EXPR ?
		     find_expr(&prog->fields[i], pred, types[pred->expr], hold) :
		     find_field(&prog->fields[i], prog, pred, hold);
		if (nr)
			break;
		if (cond->map_bits)
			continue;
		set_range(&prog->fields[i], pred->op);
		prog->fields[i].plain = pred->what == GRAPH_PRED_PARAM &&
					!prog->fields[i].string;
		memcpy(prog->fields[i].next, pred->next, sizeof(pred->next));
	}
	if (!nr && cond->map_bits)
		nr = make_keys(prog, &i);
	if (!nr && !reads_memory(prog)) {
		kfree(prog->exprs);
		prog->exprs = NULL;
	}
	if (nr) {
		const struct graph_pred *pred = &cond->preds[i];
		const char *pos = nr > GRAPH_COND_ERR_NO_VALUE ? pred->text :
								 pred->name;

		ret = -EINVAL;
		*err = (struct graph_cond_error){ nr, pos - cond->line };
		goto free;
	}
	if (cond->only) {
		prog->only = graph_cond_prog(cond->only, ip, hold, err);
		if (IS_ERR(prog->only)) {
			ret = PTR_ERR(prog->only);
			goto free;
		}
		prog->args |= prog->only->args;
		prog->strings |= prog->only->strings;
		prog->record = true;
		cond->reads |= cond->only->reads;
	}
	if (prog->args)
		prog->nr_regs = count_regs(prog, hold->sig);
	for (i = 0; prog->nr_regs && i < cond->nr_preds; i++) {
		struct graph_field *field = &prog->fields[i];

		if (field->plain)
			field->place = trace_args_register(field->offset / sizeof(long)) +
				       field->offset % sizeof(long);
	}
	list_for_each_entry(old, &cond->progs, list) {
		if (same_prog(old, prog)) {
			graph_prog_free(prog);
			return old;
		}
	}
	for (i = 0; !cond->map_bits && i < cond->nr_preds; i++)
		if (cond->preds[i].what < GRAPH_PRED_RET)
			prog->nr_entry = i + 1;
	cond->reads |= prog->exprs || prog->strings;
	list_add_tail(&prog->list, &cond->progs);
	return prog;
free:
	graph_prog_free(prog);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL_IF_KUNIT(graph_cond_prog);

/* Whether a text with this header can be compared */
static bool is_known(const struct graph_pred *pred, unsigned int header)
{
	unsigned int len = header & ~ARG_STRING_CUT;

	return !(header & ARG_STRING_CUT) || graph_pred_decides(pred, len);
}

static bool compare_text(const struct graph_pred *pred, const char *text)
{
	if (pred->op == GRAPH_OP_GLOB)
		return glob_match(pred->string, text);
	return !strcmp(pred->string, text) == (pred->op == GRAPH_OP_EQ);
}

/* Compare the text of the record, which may be the begin of a string, or missing */
static bool compare_record(const struct graph_pred *pred, struct call_record *record)
{
	unsigned int header = get_unaligned((u16 *)record->text);
	char *text = record->text + sizeof(u16);

	if (header == ARG_STRING_UNREAD || header == ARG_STRING_NULL ||
	    !is_known(pred, header))
		return false;
	text[header & ~ARG_STRING_CUT] = '\0';
	return compare_text(pred, text);
}

/* Compare a string among the captured data of a call */
static bool compare_string(const struct graph_pred *pred, const struct graph_field *field,
			   struct call_record *record, const struct arg_longs *longs,
			   unsigned int nr_longs)
{
	unsigned int header = 0, len;
	const u8 *text;

	text = arg_longs_string(longs, nr_longs, field->strings, field->index, &header);
	len = header & ~ARG_STRING_CUT;
	if (!text || len > FUNC_ARGS_MAX_STRING_SIZE)
		return false;
	put_unaligned((u16)header, (u16 *)record->text);
	memcpy(record->text + sizeof(u16), text, len);
	return compare_record(pred, record);
}

/* Read the value of an expression that is a number; returns false if it cannot be read */
static bool read_expr(u64 *val, const struct call_expr *expr, const unsigned long *longs,
		      struct captured_page *known)
{
	u8 value[sizeof(u8) + sizeof(u64)];

	capture_expr(value, expr, longs, 0, known);
	*val = get_unaligned((u64 *)(value + 1));
	/* The kind is different if the value could not be read */
	return value[0] == expr->part.kind;
}

/* Read the text of a key; returns false if the text cannot be read */
static bool read_text(u8 *to, const struct call_expr *expr, const unsigned long *longs,
		      struct captured_page *known)
{
	u8 text[sizeof(u16) + GRAPH_KEY_TEXT_SIZE + sizeof(long)] __uninitialized;
	unsigned int header;

	capture_expr(text, expr, longs, GRAPH_KEY_TEXT_SIZE - 1, known);
	header = get_unaligned((u16 *)text);
	if (header == ARG_STRING_UNREAD || header == ARG_STRING_NULL)
		return false;
	memset(to, 0, GRAPH_KEY_TEXT_SIZE);
	memcpy(to, text + sizeof(u16), header & ~ARG_STRING_CUT);
	to[GRAPH_KEY_TEXT_SIZE - 1] = header & ARG_STRING_CUT ? GRAPH_KEY_CUT : GRAPH_KEY_WHOLE;
	return true;
}

/* Read the value of key @i if it is an expression or a text; returns false if that fails */
static bool read_key(const struct graph_prog *prog, unsigned int i, unsigned long *longs,
		     struct captured_page *known)
{
	const struct graph_pred *pred = &prog->cond->preds[i];
	unsigned long *to = longs + long_of_key(i);
	const struct call_expr *expr;

	if (pred->what == GRAPH_PRED_EXPR)
		expr = &prog->exprs->exprs[pred->expr];
	else if (prog->fields[i].object)
		expr = text_of(prog, pred);
	else
		return true;
	return prog->fields[i].string ? read_text((u8 *)to, expr, longs, known) :
					read_expr((u64 *)to, expr, longs, known);
}

/**
 * graph_prog_read_keys - read the keys of a line that are expressions or texts
 * @prog: the program, which has expressions
 * @longs: the captured longs; the values are added after them
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether all values could be read.
 */
bool graph_prog_read_keys(const struct graph_prog *prog, unsigned long *longs)
{
	struct captured_page known = { .page = 1 };
	unsigned long flags, recursion;
	bool read = true;
	unsigned int i;

	recursion = capture_begin(&flags);
	for (i = 0; read && i < prog->cond->nr_preds; i++)
		read = read_key(prog, i, longs, &known);
	capture_end(recursion, flags);
	return read;
}
EXPORT_SYMBOL_IF_KUNIT(graph_prog_read_keys);

static bool compare_expr(const struct graph_pred *pred, const struct graph_field *field,
			 const struct call_expr *expr, struct call_record *record,
			 struct captured_page *known)
{
	u64 val;

	if (field->string) {
		capture_expr((u8 *)record->text, expr, record->longs,
			     FUNC_ARGS_MAX_STRING_SIZE, known);
		return compare_record(pred, record);
	}
	return read_expr(&val, expr, record->longs, known) &&
	       graph_compare_number(field, val);
}

/* Load a parameter or a member among the captured longs, and the bytes after it */
static u64 load(const struct call_record *record, const struct graph_field *field)
{
	return get_unaligned((const u64 *)((const u8 *)record->longs + field->offset));
}

/* Make a comparison with something else than a number in the captured longs */
static noinline bool compare_other(const struct graph_prog *prog, unsigned int i,
				   const struct graph_entry *entry,
				   struct captured_page *known)
{
	const struct arg_longs longs = { .data = entry->data, .size = entry->size };
	const struct graph_pred *pred = &prog->cond->preds[i];
	const struct graph_field *field = &prog->fields[i];
	bool met = false;
	unsigned int nr;

	switch (pred->what) {
	case GRAPH_PRED_PARAM:
		if (field->object)
			return compare_expr(pred, field, text_of(prog, pred), entry->record,
					    known);
		return compare_string(pred, field, entry->record, &longs, entry->nr_longs);
	case GRAPH_PRED_EXPR:
		return compare_expr(pred, field, &prog->exprs->exprs[pred->expr],
				    entry->record, known);
	case GRAPH_PRED_ANY:
		for_each_set_bit(nr, (unsigned long *)&field->strings, ARG_SIGS_MAX_LONGS)
			met |= entry->record->longs[nr] == field->val;
		return met;
	case GRAPH_PRED_COMM:
		return compare_text(pred, current->comm);
	case GRAPH_PRED_CPU:
		return graph_compare_number(field, raw_smp_processor_id());
	case GRAPH_PRED_PID:
		return graph_compare_number(field, current->pid);
	case GRAPH_PRED_TGID:
		return graph_compare_number(field, current->tgid);
	default:
		return false;
	}
}

/* Make a comparison that is known at the entry */
static __always_inline bool compare(const struct graph_prog *prog, unsigned int i,
				    const struct graph_entry *entry,
				    struct captured_page *known)
{
	const struct graph_field *field = &prog->fields[i];

	if (likely(field->plain))
		return graph_compare_number(field, load(entry->record, field));
	return compare_other(prog, i, entry, known);
}

/**
 * graph_entry_capture - capture what decides conditions with strings or expressions
 * @entry: set to what was captured; the caller has cleared @record and @data
 * @args: whether arguments are needed
 * @strings: whether strings of any length are needed as well
 * @ip: the address that ftrace knows the function by
 * @fregs: the registers at the function's entry, or NULL; then no arguments are captured
 *
 * Any context, including NMI, with preemption disabled until call_args_release(), which
 * the caller always has to call.
 */
void graph_entry_capture(struct graph_entry *entry, bool args, bool strings,
			 unsigned long ip, struct ftrace_regs *fregs)
{
	static const struct func_args_want long_strings = {
		.not_regs	= ARG_SIG_REF_KIND,
		.string_size	= FUNC_ARGS_MAX_STRING_SIZE,
	};
	struct call_args captured __uninitialized;
	const struct arg_sig_module_slot *slot;
	u32 ref = arg_sig_find_called(ip, &slot);
	struct call_scratch *scratch;

	if (!strings) {
		scratch = call_scratch_get();
		if (!scratch)
			return;
		entry->record = &scratch->record;
		if (args && call_longs_get(entry->record->longs, ref, slot, fregs))
			entry->data = entry->record->longs;
		return;
	}
	call_args_capture(&captured, &long_strings, ref, slot, fregs, NULL);
	entry->nr_longs = arg_sig_ref_longs(ref);
	entry->size = round_down(captured.size, sizeof(long));
	if (captured.data == &captured.set || entry->size < entry->nr_longs * sizeof(long))
		return;
	scratch = container_of(captured.data, struct call_scratch, longs[0]);
	entry->record = &scratch->record;
	entry->data = captured.data;
	memcpy(entry->record->longs, captured.data, entry->nr_longs * sizeof(long));
}

/**
 * graph_prog_compare - make the comparisons of a condition that are known at the entry
 * @prog: the program, usually of a condition that is decided at the return
 * @entry: what was captured of the call
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: bit n is set if comparison n is true.
 */
u32 graph_prog_compare(const struct graph_prog *prog, const struct graph_entry *entry)
{
	struct captured_page known = { .page = 1 };
	unsigned long flags = 0, recursion = 0;
	unsigned int i;
	u32 bits = 0;

	if (prog->exprs)
		recursion = capture_begin(&flags);
	for (i = 0; i < prog->nr_entry; i++)
		bits |= (u32)compare(prog, i, entry, &known) << i;
	if (prog->exprs)
		capture_end(recursion, flags);
	return bits;
}
EXPORT_SYMBOL_IF_KUNIT(graph_prog_compare);

/**
 * graph_prog_is_met - decide a condition at the entry
 * @prog: the program, of a condition that is decided at the entry
 * @entry: what was captured of the call
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the condition is met.
 */
bool graph_prog_is_met(const struct graph_prog *prog, const struct graph_entry *entry)
{
	struct captured_page known = { .page = 1 };
	unsigned long flags = 0, recursion = 0;
	unsigned int i = 0;

	if (prog->exprs)
		recursion = capture_begin(&flags);
	do {
		i = prog->fields[i].next[compare(prog, i, entry, &known)];
	} while (i < GRAPH_COND_MET);
	if (prog->exprs)
		capture_end(recursion, flags);
	return i == GRAPH_COND_MET;
}
EXPORT_SYMBOL_IF_KUNIT(graph_prog_is_met);

/**
 * graph_prog_decide - decide a condition at the return
 * @prog: the program
 * @ret: the return register
 * @error: whether the call failed
 * @duration: the call's duration in ns
 * @bits: the results of graph_prog_compare(); higher bits belong to other programs
 *
 * Any context, including NMI.
 *
 * Return: whether the condition is met.
 */
bool graph_prog_decide(const struct graph_prog *prog, u64 ret, bool error, u64 duration,
		       u32 bits)
{
	unsigned int i = 0;
	bool met;

	do {
		switch (prog->cond->preds[i].what) {
		case GRAPH_PRED_ERROR:
			met = error;
			break;
		case GRAPH_PRED_RET:
			met = graph_compare_number(&prog->fields[i], ret);
			break;
		case GRAPH_PRED_DURATION:
			met = graph_compare_number(&prog->fields[i], duration);
			break;
		default:
			met = bits >> i & 1;
			break;
		}
		i = prog->fields[i].next[met];
	} while (i < GRAPH_COND_MET);
	return i == GRAPH_COND_MET;
}
EXPORT_SYMBOL_IF_KUNIT(graph_prog_decide);

/**
 * graph_ret_is_error - whether a function returned an error
 * @prog: a program for the function
 * @ret: the return register
 *
 * Return: true for an error pointer, and for a number that can be the number of an error.
 */
bool graph_ret_is_error(const struct graph_prog *prog, u64 ret)
{
	if (!prog->last_error)
		return false;
	if (prog->ret_sign)
		ret = sign_extend64(ret, prog->ret_size * 8 - 1);
	return IS_ERR_VALUE((unsigned long)ret) && (s64)ret <= prog->last_error;
}
EXPORT_SYMBOL_IF_KUNIT(graph_ret_is_error);
