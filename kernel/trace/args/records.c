// SPDX-License-Identifier: GPL-2.0
/*
 * The text of values of any type, including structures and arrays, from captured bytes
 */
#include <linux/unaligned.h>

#include "text.h"

/* Tell the sink that the next values, up to tell_end(), are members or elements */
static void tell_begin(struct arg_out *out, bool array)
{
	if (unlikely(out->sink))
		out->sink->ops->begin(out->sink, array);
}

static void tell_end(struct arg_out *out)
{
	if (unlikely(out->sink))
		out->sink->ops->end(out->sink);
}

static u64 view_long(const struct arg_view *view, unsigned int i)
{
	return get_unaligned((const u64 *)view->data + i);
}

static bool view_knows(const struct arg_view *view, u64 i)
{
	return i < view->size / sizeof(u64) && view->known & BIT_ULL(i);
}

/* Whether any of these bits is known */
static bool view_knows_any(const struct arg_view *view, u64 bit, u64 nr)
{
	u64 i;

	for (i = bit / 64; i < view->size / sizeof(u64) && i * 64 < bit + nr; i++)
		if (view_knows(view, i))
			return true;
	return false;
}

/* Write the placeholder of @nr bits of which some are not known */
static void put_missing(struct arg_out *out, const struct arg_view *view, u64 bit,
			u64 nr)
{
	bool removed = nr && view->removed;
	u64 i;

	for (i = bit / 64; removed && i * 64 < bit + nr; i++)
		removed = view_knows(view, i) || (i < 64 && view->removed & BIT_ULL(i));
	if (removed)
		arg_out_unknown(out, ARG_REMOVED, "<optimized out>");
	else
		arg_out_unknown(out, ARG_UNKNOWN, "?");
}

/* Read @nr bits, 1 to 64, beginning with bit @bit; returns false if any bit is not known */
static bool view_bits(const struct arg_view *view, u64 bit, unsigned int nr,
		      u64 *val)
{
	u64 first = bit / 64, last = (bit + nr - 1) / 64;
	unsigned int shift = bit % 64;

	if (!view_knows(view, first) || !view_knows(view, last))
		return false;
	*val = view_long(view, first) >> shift;
	if (last != first)
		*val |= view_long(view, last) << (64 - shift);
	if (nr < 64)
		*val &= BIT_ULL(nr) - 1;
	return true;
}

/* The size of a type in bytes, -1 if the size is not known */
static s64 type_size(const char *type, const struct arg_types *types, int depth)
{
	const char *record, *element;
	char how;
	s64 size;

	type = arg_type_resolve(type, &how);
	switch (*type) {
	case 'A':
		element = skip_digits(type + 1);
		if (!depth || *element != '_')
			return -1;
		size = type_size(element + 1, types, depth - 1);
		if (size < 0)
			return -1;
		return min_t(s64, size * parse_number(type + 1), INT_MAX);
	case 'R':
		record = arg_types_record(types, type + 1);
		if (!record)
			return -1;
		return parse_number(record);
	case 'n':
	case 'o':
		return 16;
	default:
		size = arg_scalar_size(type);
		return size ?: -1;
	}
}

static void put_bit_field(struct arg_out *out, const char *type, unsigned int hints,
			  const struct arg_types *types,
			  const struct arg_view *view, u64 bit,
			  unsigned int width)
{
	const char *whole = type, *basic;
	char *text = out->pos;
	char how;
	u64 val;

	type = arg_type_resolve(type, &how);
	basic = *type == 'E' ? type + 1 : type;
	if (!is_basic(*basic) || !width || width > arg_scalar_size(basic) * 8 ||
	    !view_bits(view, bit, width, &val)) {
		put_missing(out, view, bit, width);
		return;
	}
	/* A part of a number has no byte order */
	if (how == 'B') {
		whole = type;
		how = 'T';
	}
	how = arg_how_named(type, how, hints);
	if (arg_basic_types[*basic - 'a'].sign && how != ARG_HOW_BITS)
		val = sign_extend64(val, width - 1);
	if (!arg_out_scalar(out, type, how, types, val))
		arg_out_unknown(out, ARG_UNKNOWN, "?");
	else if (unlikely(out->sink))
		arg_tell_scalar(out, text, whole, hints, val, 0);
}

/* Write ".name=value"; returns the text after the member */
static const char *put_member(struct arg_out *out, const char *p,
			      const struct arg_types *types,
			      const struct arg_view *view, u64 bit, int depth)
{
	struct arg_member member = parse_member(p);
	const char *name = arg_type_skip(member.type);
	unsigned int hints;

	put_char(out, '.');
	p = arg_out_bare_name(out, name);
	tell_name(out, name, p);
	hints = arg_name_hints(name, p);
	put_char(out, '=');
	if (member.bit_field)
		put_bit_field(out, member.type, hints, types, view,
			      bit + member.bit, member.width);
	else
		arg_out_value(out, member.type, hints, types, view,
			      bit + member.bit, depth);
	return skip_name(p);
}

/* Write a record; write only "?" if no member or no byte of the record is known */
static void put_record(struct arg_out *out, const char *id,
		       const struct arg_types *types,
		       const struct arg_view *view, u64 bit, int depth)
{
	const char *p = arg_types_record(types, id);
	unsigned int size = p ? parse_number(p) : 0;
	bool first = true;

	if (p)
		p = skip_name(skip_name(p));
	if (!depth || !p ||
	    (size && (!*p || !view_knows_any(view, bit, size * 8ULL)))) {
		put_missing(out, view, bit, size * 8ULL);
		return;
	}
	put_char(out, '{');
	tell_begin(out, false);
	while (*p && !out_full(out)) {
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		p = put_member(out, p, types, view, bit, depth - 1);
	}
	put_char(out, '}');
	tell_end(out);
}

/* Write an array; write one "?..." for the elements after the captured bytes */
static void put_array(struct arg_out *out, const char *type, unsigned int hints,
		      const struct arg_types *types,
		      const struct arg_view *view, u64 bit, int depth)
{
	unsigned int i, nr = parse_number(type + 1);
	const char *element = skip_digits(type + 1) + 1;
	s64 size = type_size(type, types, ARG_TYPE_DEPTH);
	u64 step;

	if (!depth || size < 0 ||
	    (size && !view_knows_any(view, bit, size * 8))) {
		put_missing(out, view, bit, size < 0 ? 0 : size * 8);
		return;
	}
	step = type_size(element, types, ARG_TYPE_DEPTH) * 8;
	put_char(out, '{');
	tell_begin(out, true);
	for (i = 0; i < nr && !out_full(out); i++) {
		if (i)
			arg_out_puts(out, ", ");
		if (step && bit + i * step >= view->size * 8ULL) {
			arg_out_unknown(out, ARG_UNKNOWN, i + 1 < nr ? "?..." : "?");
			break;
		}
		arg_out_value(out, element, hints, types, view, bit + i * step,
			      depth - 1);
	}
	put_char(out, '}');
	tell_end(out);
}

/* Pass a number of 128 bits to the sink */
static noinline void tell_wide(struct arg_out *out, const char *text, const char *type,
			       u64 low, u64 high)
{
	struct arg_value value = { .kind = ARG_WIDE, .type = type, .val = low, .high = high };

	arg_tell_value(out, &value, text);
}

/**
 * arg_out_value - write a value of any type
 * @out: the output
 * @type: the type
 * @hints: what the value's name says, from arg_name_hints()
 * @types: the descriptions
 * @view: the captured bytes
 * @bit: the bit of @view that the value begins at
 * @depth: the maximum nesting of records and arrays, ARG_VALUE_DEPTH
 *
 * The members of records and the elements of arrays are passed to the sink one by one.
 */
void arg_out_value(struct arg_out *out, const char *type, unsigned int hints,
		   const struct arg_types *types, const struct arg_view *view,
		   u64 bit, int depth)
{
	const char *whole = type, *text = out->pos;
	unsigned int size;
	u64 val, high;
	char how;

	type = arg_type_resolve(type, &how);
	switch (*type) {
	case 'R':
		put_record(out, type + 1, types, view, bit, depth);
		return;
	case 'A':
		put_array(out, type, hints, types, view, bit, depth);
		return;
	case 'n':
	case 'o':
		size = 16;
		if (!view_bits(view, bit, 64, &val) ||
		    !view_bits(view, bit + 64, 64, &high))
			break;
		arg_out_hex128(out, val, high);
		if (unlikely(out->sink))
			tell_wide(out, text, whole, val, high);
		return;
	default:
		size = arg_scalar_size(type);
		how = arg_how_named(type, how, hints);
		if (!size || !view_bits(view, bit, size * 8, &val) ||
		    !arg_out_scalar(out, type, how, types, val))
			break;
		if (unlikely(out->sink))
			arg_tell_scalar(out, text, whole, hints, val, 0);
		return;
	}
	put_missing(out, view, bit, size * 8);
}
