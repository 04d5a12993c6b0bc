// SPDX-License-Identifier: GPL-2.0
/*
 * Find a call's arguments, its return value and its names
 *
 * The walk over a signature writes the same text as the kernel, and passes the
 * values to a sink, see struct arg_sink.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"

/*
 * Maximum bytes of a call's text. An event has at most a page, and names are added.
 */
#define TEXT_SIZE	0x40000

/* Maximum bytes of the names of a call's values */
#define NAMES_SIZE	0x10000

/* Maximum bytes of a name before its number, see make_names() */
#define NAME_SIZE	512

static struct values *to_values(struct arg_sink *sink)
{
	return container_of(sink, struct values, sink);
}

static struct item *add_item(struct values *values, enum item_kind kind)
{
	struct item *item;

	values->items = array_grow(values->items, &values->room, values->nr + 1, sizeof(*item));
	item = &values->items[values->nr++];
	item->kind = kind;
	item->name = values->name;
	item->len = values->len;
	values->len = 0;
	return item;
}

static void take_name(struct arg_sink *sink, const char *name, unsigned int len)
{
	struct values *values = to_values(sink);

	if (len > values->text + TEXT_SIZE + NAMES_SIZE - values->names)
		out_of_memory();
	/*
	 * Copy the name, because the walk may have made it only for this function
	 * call
	 */
	memcpy(values->names, name, len);
	values->name = values->names;
	values->len = len;
	values->names += len;
}

static void take_begin(struct arg_sink *sink, bool array)
{
	add_item(to_values(sink), array ? ITEM_ARRAY : ITEM_RECORD);
}

static void take_end(struct arg_sink *sink)
{
	add_item(to_values(sink), ITEM_END);
}

static void take_value(struct arg_sink *sink, const struct arg_value *value)
{
	add_item(to_values(sink), ITEM_VALUE)->value = *value;
}

static const struct arg_sink_ops ops = {
	.name	= take_name,
	.begin	= take_begin,
	.end	= take_end,
	.value	= take_value,
};

/* Allocate memory for the values of a call */
void values_init(struct values *values)
{
	memset(values, 0, sizeof(*values));
	values->sink.ops = &ops;
	values->text = xmalloc(TEXT_SIZE + NAMES_SIZE);
}

void values_free(struct values *values)
{
	free(values->text);
	free(values->items);
}

static const struct values *begin_values(struct values *values, struct sigs_out *out,
					 struct sigs *sigs)
{
	values->nr = 0;
	values->len = 0;
	values->names = values->text + TEXT_SIZE;
	*out = (struct sigs_out){
		.out.pos = values->text,
		.out.end = values->text + TEXT_SIZE,
		.out.sink = &values->sink,
		.sigs = sigs,
	};
	return values;
}

/* Skip a value and its parts. Returns the item after the value. */
unsigned int values_skip(const struct values *values, unsigned int i)
{
	unsigned int depth = 0;

	for (; i < values->nr; i++) {
		enum item_kind kind = values->items[i].kind;

		if (kind == ITEM_END)
			depth--;
		else if (kind != ITEM_VALUE)
			depth++;
		if (!depth)
			return i + 1;
	}
	return i;
}

static void set_name(struct values *values, struct item *item, const char *name, unsigned int len)
{
	take_name(&values->sink, name, len);
	item->name = values->name;
	item->len = values->len;
	values->len = 0;
}

/* Whether a value has the name, or has got a number after it */
static bool has_name(const struct item *item, const struct item *named)
{
	return item->len >= named->len && !memcmp(item->name, named->name, named->len) &&
	       (item->len == named->len || item->name[named->len] == '#');
}

static bool same_value(const struct arg_value *one, const struct arg_value *other)
{
	/* The name of an object may be written without quotes */
	if (one->kind == ARG_STRING && other->kind == ARG_STRING)
		return one->size == other->size && one->cut == other->cut &&
		       !memcmp(one->data, other->data, one->size);
	return one->kind != ARG_STRING && other->kind != ARG_STRING && one->text && other->text &&
	       one->len == other->len && !memcmp(one->text, other->text, one->len);
}

/* Whether two values have the same text, with the texts and the names of their parts */
static bool same_text(const struct values *values, unsigned int i, unsigned int j)
{
	const struct item *one = &values->items[i], *other = &values->items[j];
	unsigned int nr = values_skip(values, i) - i, k;

	if (nr != values_skip(values, j) - j)
		return false;
	for (k = 0; k < nr; k++) {
		if (one[k].kind != other[k].kind ||
		    (one[k].kind == ITEM_VALUE && !same_value(&one[k].value, &other[k].value)))
			return false;
		if (k && (one[k].len != other[k].len ||
			  (one[k].len && memcmp(one[k].name, other[k].name, one[k].len))))
			return false;
	}
	return true;
}

/*
 * Find how many values before value @i have its name.  Returns false if one of them has its text,
 * too.
 */
static bool count_names(const struct values *values, unsigned int i, unsigned int *nr)
{
	unsigned int j;

	*nr = 0;
	for (j = 0; j < i; j = values_skip(values, j)) {
		if (!has_name(&values->items[j], &values->items[i]))
			continue;
		if (same_text(values, j, i))
			return false;
		++*nr;
	}
	return true;
}

/*
 * Give each value a name of its own.  An expression may have the name of a parameter, of another
 * expression or of a member of an object.  It is left out if it has the text of that value as well,
 * and else gets a number, as in "count#2".
 */
static void make_names(struct values *values)
{
	unsigned int i, next, nr, number;
	char buf[NAME_SIZE + 16];

	for (i = 0, number = 0; i < values->nr; number++) {
		struct item *item = &values->items[i];

		next = values_skip(values, i);
		if (!item->len)
			set_name(values, item, buf, snprintf(buf, sizeof(buf), "arg%u", number));
		if (!count_names(values, i, &nr)) {
			memmove(item, &values->items[next],
				(values->nr - next) * sizeof(*item));
			values->nr -= next - i;
			continue;
		}
		if (nr)
			set_name(values, item, buf, snprintf(buf, sizeof(buf), "%.*s#%u",
							     min_t(int, item->len, NAME_SIZE),
							     item->name, nr + 1));
		i = next;
	}
}

/* Whether @name begins with the name of an item; the name of a member may follow */
static const char *match_name(const struct item *item, unsigned int number,
			      const char *name)
{
	char buf[16];

	if (item->len)
		return strncmp(name, item->name, item->len) ? NULL :
		       name + item->len;
	snprintf(buf, sizeof(buf), "arg%u", number);
	return strncmp(name, buf, strlen(buf)) ? NULL : name + strlen(buf);
}

/* Match the index "[3]" of an array */
static const char *match_index(unsigned int number, const char *name)
{
	char *end;

	if (*name != '[' || strtoul(name + 1, &end, 10) != number || *end != ']')
		return NULL;
	return end + 1;
}

/*
 * Find a value by its name: "count", "attr.mode", "p->x", "a[1]", or "argN" for an item without a
 * name. Returns the value, or the start of the record or array; NULL if there is none.
 */
const struct item *values_find(const struct values *values, const char *name)
{
	unsigned int i = 0, number = 0;
	bool array = false;

	while (i < values->nr && values->items[i].kind != ITEM_END) {
		const struct item *item = &values->items[i];
		const char *rest;

		rest = array ? match_index(number, name) :
			       match_name(item, number, name);
		if (rest && !*rest)
			return item;
		if (rest && ((item->kind == ITEM_RECORD && *rest == '.') ||
			     (item->kind == ITEM_ARRAY && *rest == '['))) {
			array = item->kind == ITEM_ARRAY;
			name = rest + !array;
			number = 0;
			i++;
			continue;
		}
		i = values_skip(values, i);
		number++;
	}
	return NULL;
}

/* Whether a value is shown as a number */
bool value_is_number(const struct arg_value *value)
{
	return value->kind == ARG_SIGNED || value->kind == ARG_UNSIGNED;
}

const char *task_comm(const struct calls *calls, const struct task *task)
{
	const char *comm = tep_data_comm_from_pid(calls->tep, task->pid);

	return comm ?: "<...>";
}

/*
 * The name of a function, without its module; or the address in a buffer that the next call uses
 * again
 */
const char *func_name(const struct sig_func *func)
{
	static char buf[32];

	if (func->name)
		return func->name;
	snprintf(buf, sizeof(buf), "0x%llx", (unsigned long long)func->ip);
	return buf;
}

/* Find the arguments of a call, valid until the next call; NULL if they were not recorded */
const struct values *span_args(struct span *span)
{
	struct calls *calls = span->calls;
	u64 placed[ARG_SIGS_MAX_LONGS];
	struct arg_longs longs;
	struct sigs_out out;

	if (span->has_args && !span->args) {
		span->args = begin_values(&calls->args, &out, calls->sigs);
		longs = decode_placed(&span->call, span->func, placed);
		arg_sig_put_args(&out.out, span->func->sig, span->func->types, &longs);
		make_names(&calls->args);
	}
	return span->args;
}

/*
 * Find the return value of a call, valid until the next call; NULL if there is none or if it was
 * not recorded
 */
const struct values *span_ret(struct span *span)
{
	struct calls *calls = span->calls;
	struct sigs_out out;

	if (span->has_ret && !span->ret) {
		span->ret = begin_values(&calls->ret, &out, calls->sigs);
		arg_sig_put_retval(&out.out, span->func->sig, span->func->types, span->call.regs,
				   span->call.nr_regs, false);
	}
	return span->ret;
}

/*
 * Find a call's results through pointers: numbers, a buffer, a returned object. They are valid
 * until the next call; NULL if there are none.
 */
const struct values *span_changed(struct span *span)
{
	struct calls *calls = span->calls;
	struct sigs_out out;

	if (span->has_changed && !span->changed) {
		span->changed = begin_values(&calls->changed, &out, calls->sigs);
		arg_sig_put_results(&out.out, span->func->sig, span->func->types,
				    &span->call.results, "");
		make_names(&calls->changed);
	}
	return span->changed && span->changed->nr ? span->changed : NULL;
}
