// SPDX-License-Identifier: GPL-2.0
/*
 * The text of digests, which tell the objects of a type apart, and of the values of the
 * user's expressions
 */
#include <linux/err.h>
#include <linux/unaligned.h>

#ifdef __KERNEL__
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#endif

#include <kunit/visibility.h>

#include "text.h"

#ifdef __KERNEL__
#include "table.h"
#endif

/* Maximum characters of the name that a sink gets for a part */
#define PART_NAME_LEN	256

static bool same_tag(const char *a, const char *b)
{
	while (*a == *b && *a && *a != ';') {
		a++;
		b++;
	}
	return *a == ';' && *b == ';';
}

/**
 * arg_digest_of - find the digest of the object that a pointer points to
 * @types: the descriptions
 * @type: the type that the pointer points to
 *
 * Return: the digest's description, beginning with the tag; NULL if there is none.
 */
const char *arg_digest_of(const struct arg_types *types, const char *type)
{
	unsigned int i;
	char how;

	if (!types->digests)
		return NULL;
	type = arg_type_resolve(type, &how);
	for (i = 0; *type == 'S' && i < ARG_DIGESTS; i++) {
		const char *tag = types->digests->tags[i];

		if (tag && same_tag(tag, type + 1))
			return tag;
	}
	return NULL;
}

/* Find the type of long @index of a valid signature; NULL if no parameter has the long */
static const char *type_of_long(const char *sig, unsigned int index)
{
	struct arg_slots slots;
	const char *p = arg_sig_parse_slots(sig, &slots);
	unsigned int next = 0;
	char how;

	p = arg_type_skip(arg_return_type(p, &how));
	while (*p) {
		if (*p == 'z' || *p == '|') {
			next = *p++ == '|' ? slots.nr_args : next;
			continue;
		}
		if (next == index)
			return p;
		next += arg_type_longs(p);
		p = skip_name(arg_type_skip(p));
	}
	return NULL;
}

/* Whether letter @code stands for the digest of the type that pointer @type points to */
static bool is_digest_of(const struct arg_digests *digests, char code, const char *type)
{
	const char *tag = digests->tags[code - ARG_DIGEST_FIRST];
	char how;

	type = type ? arg_type_resolve(type, &how) : "";
	if (!tag || *type != 'P')
		return false;
	type = arg_type_resolve(type + 1, &how);
	return *type == 'S' && same_tag(tag, type + 1);
}

/**
 * arg_digests_fitting - find the digests of the image that fit a module
 * @fitting: set to the digests that fit
 * @digests: the digests of the image
 * @types: the module's descriptions, which are valid
 *
 * A module may have a different type with the same tag, and may have been built with a
 * different list of digests.
 */
void arg_digests_fitting(struct arg_digests *fitting, const struct arg_digests *digests,
			 const struct arg_types *types)
{
	const char *p = types->text;
	const char **tag;

	*fitting = *digests;
	for (; (p = arg_digest_next(types, p)); p += strlen(p) + 1) {
		tag = arg_digest_tag(fitting, p);
		if (*tag && strcmp(*tag, p + ARG_DIGEST_HEADER))
			*tag = NULL;
	}
}
EXPORT_SYMBOL_IF_KUNIT(arg_digests_fitting);

/**
 * arg_sig_check_digests - remove the digests that do not fit from a module's signature
 * @sig: the signature, which is valid and not in use yet
 * @fitting: the digests that fit the module, from arg_digests_fitting()
 */
void arg_sig_check_digests(char *sig, const struct arg_digests *fitting)
{
	char *p, how;

	if (*sig != '(')
		return;
	for (p = strchr(sig, ')') + 1; *p == '*'; p += 3)
		if (arg_read_is_digest(p[2]) &&
		    !is_digest_of(fitting, p[2], type_of_long(sig, arg_read_long(p[1]))))
			p[2] = ARG_DIGEST_NONE;
	if (*p == '$' && !is_digest_of(fitting, p[1], arg_sig_return_type(sig, &how)))
		p[1] = ARG_DIGEST_NONE;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_check_digests);

/*
 * Whether text has only letters, digits, and marks that occur in names but not in lists. A text
 * that looks like a NULL pointer, or like a text that was cut, is no word.
 */
static bool is_word(const u8 *text, unsigned int len)
{
	unsigned int i;

	if ((len == 4 && !memcmp(text, "NULL", 4)) ||
	    (len >= 3 && !memcmp(text + len - 3, "...", 3)))
		return false;
	for (i = 0; i < len; i++) {
		switch (text[i]) {
		case '0' ... ':':
		case '@' ... 'Z':
		case 'a' ... 'z':
		case '-' ... '/':
		case '_':
		case '+':
		case '#':
			break;
		default:
			return false;
		}
	}
	return len;
}

/**
 * arg_out_recorded_text - write a text that was recorded with its header
 * @out: the output
 * @data: the header
 * @size: maximum bytes of the header and the text
 * @words: whether a text that is a word has no quotes
 * @value: set to the text, for a sink
 *
 * Return: the number of recorded bytes, 0 if they are malformed.
 */
unsigned int arg_out_recorded_text(struct arg_out *out, const u8 *data, unsigned int size,
				   bool words, struct arg_value *value)
{
	unsigned int header, len;

	if (size < sizeof(u16))
		return 0;
	header = get_unaligned((const u16 *)data);
	if (header == ARG_STRING_UNREAD || header == ARG_STRING_NULL) {
		arg_out_puts(out, header == ARG_STRING_NULL ? "NULL" : "?");
		return sizeof(u16);
	}
	len = header & ~ARG_STRING_CUT;
	if (len > size - sizeof(u16))
		return 0;
	data += sizeof(u16);
	arg_out_text(out, data, len, words && is_word(data, len) ? "" : "\"");
	if (header & ARG_STRING_CUT)
		arg_out_puts(out, "...");
	value->kind = ARG_STRING;
	value->data = data;
	value->size = len;
	value->cut = header & ARG_STRING_CUT;
	return sizeof(u16) + len;
}

/* Write a number. Returns the number of its recorded bytes, 0 if they are malformed */
static unsigned int put_part_number(struct arg_out *out, const struct arg_types *types,
				    const struct arg_part *part, unsigned int hints,
				    const u8 *data, unsigned int size,
				    struct arg_value *value)
{
	unsigned int kind = size ? *data : 0, len;
	const char *type;
	char how;

	if (kind == ARG_READ_NULL || kind == ARG_READ_FAILED) {
		arg_out_puts(out, kind == ARG_READ_NULL ? "NULL" : "?");
		return 1;
	}
	if (!kind || kind > ARG_READ_MAX_KIND)
		return 0;
	len = 1 << (kind - 1);
	type = arg_type_resolve(part->type, &how);
	if (size < 1 + len || arg_scalar_size(type) != len)
		return 0;
	memcpy(&value->val, data + 1, len);
	how = arg_how_named(type, how, hints);
	if (!arg_out_scalar(out, type, how, types, value->val))
		return 0;
	value->type = part->type;
	return 1 + len;
}

/* Write the text or the number of a part, or "?" if its recorded bytes are malformed */
static unsigned int put_recorded(struct arg_out *out, const struct arg_types *types,
				 const struct arg_part *part, unsigned int hints, bool words,
				 const u8 *data, unsigned int size, struct arg_value *value)
{
	unsigned int len;

	if (arg_part_is_text(part->type))
		len = arg_out_recorded_text(out, data, size, words, value);
	else
		len = put_part_number(out, types, part, hints, data, size, value);
	if (!len)
		put_char(out, '?');
	return len;
}

/* Pass a part to the sink. Its name is the parameter's name and then the expression */
static noinline void tell_part(struct arg_out *out, const char *text,
			       const struct arg_digest *digest, const char *expr,
			       unsigned int hints, struct arg_value *value)
{
	const char *name = digest->name, *arrow = "->";
	char buf[PART_NAME_LEN];
	unsigned int len = 0;

	while (name < digest->name_end && len < sizeof(buf))
		buf[len++] = *name++;
	while (*arrow && len < sizeof(buf))
		buf[len++] = *arrow++;
	while (*expr && *expr != ';' && len < sizeof(buf))
		buf[len++] = *expr++;
	tell_name(out, buf, buf + len);
	if (value->type)
		arg_tell_scalar(out, text, value->type, hints, value->val, 0);
	else
		arg_tell_value(out, value, text);
}

/* Write a part. Returns the number of its recorded bytes, 0 if they are malformed */
static unsigned int put_part(struct arg_out *out, const struct arg_types *types,
			     const struct arg_digest *digest,
			     const struct arg_part *part, unsigned int pos)
{
	struct arg_value value = { .kind = ARG_UNKNOWN };
	const u8 *data = digest->data + pos;
	unsigned int len, hints;
	const char *expr, *text;

	/*
	 * A label ends with "=". The name of the label or of the expression may say how a
	 * number is written
	 */
	for (expr = part->name; *expr != ';' && *expr != '='; expr++)
		;
	hints = arg_name_hints(part->name, expr);
	if (*expr == '=') {
		arg_out_bare_name(out, part->name);
		put_char(out, '=');
		expr++;
		hints |= arg_name_hints(expr, skip_name(expr) - 1);
	} else {
		expr = part->name;
	}
	text = out->pos;
	len = put_recorded(out, types, part, hints, true, data, digest->size - pos, &value);
	if (unlikely(out->sink))
		tell_part(out, text, digest, expr, hints, &value);
	return len;
}

/* Whether a part is the first of the numbers that are a network address */
static bool is_address(const struct arg_part *part)
{
	return !strncmp(part->type, "Tsockaddr;", strlen("Tsockaddr;")) ||
	       !strncmp(part->type, "Tin6_addr;", strlen("Tin6_addr;"));
}

/* Write a digest that is a network address, in numbers of 64 bits */
static void put_address(struct arg_out *out, const struct arg_digest *digest,
			const struct arg_part *part)
{
	const u8 *data = digest->data, *end = data + digest->size;
	struct arg_value value = { .kind = ARG_STRING };
	u64 words[ARG_ADDRESS_WORDS] = { };
	const char *text = out->pos;
	unsigned int nr;

	/* The first part has all bits of a u64 */
	for (nr = 0; nr < ARG_ADDRESS_WORDS && end - data > sizeof(u64) &&
	     *data == ARG_READ_MAX_KIND; nr++, data += 1 + sizeof(u64))
		memcpy(&words[nr], data + 1, sizeof(u64));
	arg_out_address(out, part->type, words, nr);
	if (!out->sink)
		return;
	if (nr && out->pos <= out->end) {
		value.data = (const u8 *)text;
		value.size = out->pos - text;
	} else {
		value.kind = ARG_UNKNOWN;
	}
	tell_part(out, text, digest, part->name, 0, &value);
}

/**
 * arg_out_digest - write a digest, "{passwd}"
 * @out: the output
 * @types: the descriptions, of the image or of a module
 * @digest: the digest
 */
void arg_out_digest(struct arg_out *out, const struct arg_types *types,
		    const struct arg_digest *digest)
{
	const char *p = skip_name(digest->tag);
	struct arg_part part;
	unsigned int pos = 0, len = 1;

	put_char(out, '{');
	while (*p && len) {
		p = arg_digest_part(&part, p);
		if (!p)
			break;
		if (is_address(&part)) {
			put_address(out, digest, &part);
			break;
		}
		if (pos)
			arg_out_puts(out, ", ");
		len = put_part(out, types->digests->types, digest, &part, pos);
		pos += len;
	}
	put_char(out, '}');
}

/* Whether a value that was recorded like a text has bytes, even if some are missing */
static bool has_bytes(const u8 *data, unsigned int size)
{
	unsigned int header = size < sizeof(u16) ? ARG_STRING_UNREAD :
						   get_unaligned((const u16 *)data);

	return header != ARG_STRING_UNREAD && header != ARG_STRING_NULL;
}

/*
 * Write an array, whose bytes were recorded like a text, and pass it to the sink. Returns the
 * number of the recorded bytes, 0 if they are malformed
 */
static unsigned int put_part_array(struct arg_out *out, const struct arg_types *types,
				   const struct arg_part *part, const u8 *data,
				   unsigned int size)
{
	unsigned int header = get_unaligned((const u16 *)data);
	unsigned int len = header & ~ARG_STRING_CUT;
	u64 longs[ARG_ARRAY_SIZE / sizeof(u64)] = { };
	struct arg_view view = { .data = longs, .known = ~0ULL };
	bool cut = header & ARG_STRING_CUT;
	const char *element;
	unsigned int whole;
	char how;

	element = arg_type_resolve(skip_digits(part->type + 1) + strlen("_"), &how);
	whole = parse_number(part->type + 1) * arg_scalar_size(element);
	if (whole > sizeof(longs) || len > size - sizeof(u16) ||
	    (cut ? len > whole : len != whole)) {
		arg_out_unknown(out, ARG_UNKNOWN, "?");
		return 0;
	}
	memcpy(longs, data + sizeof(u16), len);
	/* Bytes beyond the view are not known */
	view.size = cut ? len : len + sizeof(u64) - 1;
	view.size -= view.size % sizeof(u64);
	arg_out_value(out, part->type, false, types, &view, 0, ARG_VALUE_DEPTH);
	return sizeof(u16) + len;
}

/*
 * Write an expression's "name=value". Returns the number of its recorded bytes, 0 if they
 * are malformed
 */
static unsigned int put_expr(struct arg_out *out, const struct arg_types *types,
			     const struct arg_part *part, const u8 *data,
			     unsigned int size)
{
	struct arg_value value = { .kind = ARG_UNKNOWN };
	unsigned int len, hints;
	const char *text;

	text = arg_out_bare_name(out, part->name);
	tell_name(out, part->name, text);
	/* The user's type of a signed number says how it is written */
	hints = arg_name_hints(part->name, text) & ARG_NAME_ADDRESS;
	put_char(out, '=');
	text = out->pos;
	if (arg_part_is_array(part->type) && has_bytes(data, size))
		return put_part_array(out, types, part, data, size);
	len = put_recorded(out, types, part, hints, false, data, size, &value);
	if (!out->sink)
		return len;
	if (value.type)
		arg_tell_scalar(out, text, value.type, hints, value.val, 0);
	else
		arg_tell_value(out, &value, text);
	return len;
}

/* Write the values of a line's expressions, which are the @size bytes at @data */
static void put_exprs(struct arg_out *out, const struct arg_types *types,
		      const u8 *data, unsigned int size, bool first)
{
	const char *text = arg_exprs_text(out, get_unaligned((const u16 *)data));
	unsigned int pos = sizeof(u16), len = 1;
	const char *p = text ?: "";
	struct arg_part part = { };

	if (!*p)
		arg_out_puts(out, first ? "?" : ", ?");
	while (*p && !out_full(out)) {
		part.type = p;
		part.name = arg_type_end(p, ARG_TYPE_DEPTH);
		p = part.name ? skip_whole_name(part.name) : NULL;
		if (!p)
			break;
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		/* No value after a malformed value is known */
		len = len ? put_expr(out, types, &part, data + pos, size - pos) :
			    put_expr(out, types, &part, data, 0);
		pos += len;
	}
	arg_exprs_release(text);
}

/**
 * arg_out_exprs - write the values of expressions, ", name=value"
 * @out: the output
 * @types: the descriptions, of the image or of a module
 * @reads: the data that was recorded after the strings of a call's entry
 * @first: the values are the first text in the parentheses
 */
void arg_out_exprs(struct arg_out *out, const struct arg_types *types,
		   const struct arg_longs *reads, bool first)
{
	struct arg_longs rest = *reads;
	struct arg_read read;

	while (arg_read_find(&read, &rest, 0, BIT(ARG_READ_TEXT))) {
		if (read.size >= 2 * sizeof(u16))
			put_exprs(out, types, read.data + sizeof(u16),
				  read.size - sizeof(u16), first);
		first = false;
		rest.size -= (const void *)read.data + read.size - rest.data;
		rest.data = read.data + read.size;
	}
}

#ifdef __KERNEL__

/**
 * struct arg_exprs_desc - a description of expressions
 * @retired: used after the description was removed from arg_exprs_descs
 * @readers: number of readers that use @text
 * @users: number of programs that record values with the description
 * @nr: the description's number
 * @text: "type name;" for each expression
 */
struct arg_exprs_desc {
	struct arg_sig_retired	retired;
	atomic_t		readers;
	unsigned int		users;
	unsigned int		nr;
	char			text[];
};

/*
 * The descriptions, by the lowest bits of their numbers. A description without users is
 * kept while a buffer may have events that refer to it, until newer descriptions need the
 * room. No other description gets its number before. arg_exprs_mutex protects changes.
 */
DEFINE_MUTEX(arg_exprs_mutex);
static struct arg_exprs_desc *arg_exprs_descs[ARG_EXPRS_MAX];
static unsigned int arg_exprs_next;
static size_t arg_exprs_size;

/**
 * arg_exprs_text - find the description of expressions
 * @out: the output that the values are written to
 * @nr: the description's number
 *
 * The description stays valid until arg_exprs_release().
 *
 * Return: the description, NULL if there is none.
 */
const char *arg_exprs_text(struct arg_out *out, unsigned int nr)
{
	struct arg_exprs_desc *desc;

	guard(preempt_notrace)();
	/* Pairs with arg_exprs_add() */
	desc = smp_load_acquire(&arg_exprs_descs[nr % ARG_EXPRS_MAX]);
	if (!desc || desc->nr != nr)
		return NULL;
	atomic_inc(&desc->readers);
	return desc->text;
}
EXPORT_SYMBOL_IF_KUNIT(arg_exprs_text);

/**
 * arg_exprs_release - end the use of a description
 * @text: from arg_exprs_text(), or NULL
 */
void arg_exprs_release(const char *text)
{
	/* Pairs with free_retired_desc() */
	if (text)
		atomic_dec_return_release(&container_of(text, struct arg_exprs_desc,
							text[0])->readers);
}
EXPORT_SYMBOL_IF_KUNIT(arg_exprs_release);

/**
 * arg_exprs_end - find the end of the numbers of descriptions
 *
 * The caller holds arg_exprs_mutex.
 *
 * Return: the largest number of a description plus 1, 0 if there is no description.
 */
unsigned int arg_exprs_end(void)
{
	unsigned int i, end = 0;

	lockdep_assert_held(&arg_exprs_mutex);

	for (i = 0; i < ARG_EXPRS_MAX; i++)
		if (arg_exprs_descs[i])
			end = max(end, arg_exprs_descs[i]->nr + 1);
	return end;
}

static bool free_retired_desc(struct arg_sig_retired *old)
{
	struct arg_exprs_desc *desc = container_of(old, struct arg_exprs_desc, retired);

	/* Pairs with arg_exprs_release() */
	if (atomic_read_acquire(&desc->readers))
		return false;
	kfree(desc);
	return true;
}

static void forget_desc(struct arg_exprs_desc *desc)
{
	WRITE_ONCE(arg_exprs_descs[desc->nr % ARG_EXPRS_MAX], NULL);
	arg_exprs_size -= strlen(desc->text) + 1;
	arg_sig_retire(&desc->retired, free_retired_desc);
}

/* Find the description with the lowest number that no program uses */
static struct arg_exprs_desc *oldest_unused(void)
{
	struct arg_exprs_desc *oldest = NULL;
	unsigned int i;

	for (i = 0; i < ARG_EXPRS_MAX; i++) {
		struct arg_exprs_desc *desc = arg_exprs_descs[i];

		if (desc && !desc->users && (!oldest || desc->nr < oldest->nr))
			oldest = desc;
	}
	return oldest;
}

/* Forget descriptions that no program uses until the others have at most @max bytes */
static void trim_descs(size_t max)
{
	struct arg_exprs_desc *desc;

	while (arg_exprs_size > max && (desc = oldest_unused()))
		forget_desc(desc);
}

static struct arg_exprs_desc *find_desc(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARG_EXPRS_MAX; i++)
		if (arg_exprs_descs[i] && !strcmp(arg_exprs_descs[i]->text, text))
			return arg_exprs_descs[i];
	return NULL;
}

/**
 * arg_exprs_add - get the number of a description of expressions for a program
 * @text: the description, which is added if it is new
 * @events: whether a buffer may have events that refer to descriptions
 *
 * The program gives the number back by arg_exprs_drop(). May sleep.
 *
 * Return: the number; -ENOSPC if there are too many descriptions, or -ENOMEM.
 */
int arg_exprs_add(const char *text, bool events)
{
	size_t size = strlen(text) + 1;
	struct arg_exprs_desc *desc, *old;

	guard(mutex)(&arg_exprs_mutex);
	desc = find_desc(text);
	if (desc) {
		desc->users++;
		return desc->nr;
	}
	if (!events) {
		trim_descs(0);
		arg_exprs_next = 0;
	}
	if (size > ARG_EXPRS_TEXT)
		return -ENOSPC;
	trim_descs(ARG_EXPRS_TEXT - size);
	if (arg_exprs_size > ARG_EXPRS_TEXT - size)
		return -ENOSPC;
	/* Numbers of descriptions that programs use are left out */
	for (;; arg_exprs_next++) {
		if (arg_exprs_next == ARG_EXPRS_NUMBERS)
			return -ENOSPC;
		old = arg_exprs_descs[arg_exprs_next % ARG_EXPRS_MAX];
		if (!old || !old->users)
			break;
	}
	desc = kzalloc(struct_size(desc, text, size), GFP_KERNEL);
	if (!desc)
		return -ENOMEM;
	if (old)
		forget_desc(old);
	desc->nr = arg_exprs_next++;
	desc->users = 1;
	memcpy(desc->text, text, size);
	arg_exprs_size += size;
	/* Pairs with arg_exprs_text() */
	smp_store_release(&arg_exprs_descs[desc->nr % ARG_EXPRS_MAX], desc);
	return desc->nr;
}
EXPORT_SYMBOL_IF_KUNIT(arg_exprs_add);

/**
 * arg_exprs_drop - give the number of a description back
 * @nr: from arg_exprs_add(); no call records values with it any more
 *
 * May sleep.
 */
void arg_exprs_drop(unsigned int nr)
{
	guard(mutex)(&arg_exprs_mutex);
	arg_exprs_descs[nr % ARG_EXPRS_MAX]->users--;
}
EXPORT_SYMBOL_IF_KUNIT(arg_exprs_drop);

#endif /* __KERNEL__ */
