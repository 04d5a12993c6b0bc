// SPDX-License-Identifier: GPL-2.0
/*
 * The text of the arguments and the return value of a call
 */
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "text.h"

/*
 * Maximum characters of a call's arguments, and of its return value.  A line with texts
 * of this size, with the longest name of a function twice and with the columns before the
 * name fits into a struct trace_seq.  A line that does not fit is never printed.
 */
#define ARG_TEXT_ARGS		5500
#define ARG_TEXT_RET		800

/**
 * struct arg_cut - a text that is cut if it is too long
 * @begin: where the text begins
 * @end: the end of the whole output
 * @max: maximum characters of the text
 */
struct arg_cut {
	char		*begin;
	char		*end;
	unsigned int	max;
};

/* Begin a text that may be cut; with a sink the text has no limit */
static void begin_cut(struct arg_out *out, struct arg_cut *cut, unsigned int max)
{
	if (out->sink)
		max = INT_MAX;
	*cut = (struct arg_cut){ out->pos, out->end, max };
	if (out->end - out->pos > max)
		out->end = out->pos + max;
}

static void end_cut(struct arg_out *out, const struct arg_cut *cut)
{
	out->end = cut->end;
	if (out->pos - cut->begin > cut->max) {
		out->pos = cut->begin + cut->max;
		arg_out_puts(out, "...");
	}
}

/**
 * struct arg_call - a call whose arguments are being written
 * @slots: the longs that the call's signature lists
 * @strings: bit n: the header of a string is recorded for long n
 * @types: the descriptions
 * @data: the recorded bytes; NULL if nothing was recorded
 * @size: bytes of @data
 * @reads: the part of @data with the values that pointers point to, usually empty
 * @next: the long that the next parameter begins with
 * @end: the first long that does not belong to the parameters that are shown
 */
struct arg_call {
	struct arg_slots		slots;
	u64				strings;
	const struct arg_types		*types;
	const void			*data;
	unsigned int			size;
	struct arg_longs		reads;
	unsigned int			next;
	unsigned int			end;
};

static bool is_removed(const struct arg_call *call, unsigned int first,
		       unsigned int nr)
{
	u64 mask;

	if (!call->slots.removed || nr > ARG_SIGS_MAX_LONGS ||
	    first + nr > call->end)
		return false;
	mask = (BIT_ULL(nr) - 1) << first;
	return (call->slots.removed & mask) == mask;
}

/* Use the longs of an event only if their number matches the signature */
static void set_call_data(struct arg_call *call, const struct arg_longs *longs)
{
	unsigned int size = call->slots.nr * sizeof(u64);

	if (longs->size < size)
		return;
	/* In most events nothing follows the longs */
	if (longs->size != size && !call->strings) {
		if (!arg_longs_have_exprs(longs, call->slots.nr))
			return;
		call->reads.data = longs->data + size + sizeof(u16);
		call->reads.size = longs->size - size - sizeof(u16);
	}
	call->data = longs->data;
	call->size = longs->size;
	if (longs->size != size && call->strings)
		call->reads = arg_longs_reads(longs, call->slots.nr, call->strings);
}

static const u8 *find_string(const struct arg_call *call, unsigned int index,
			     unsigned int *header)
{
	const struct arg_longs longs = { .data = call->data, .size = call->size };

	return arg_longs_string(&longs, call->slots.nr, call->strings, index,
				header);
}

/* Write a number as "&6", or as "&?"; @addr is the number's address, 0 if it is not known */
static void put_number(struct arg_out *out, const struct arg_number *number,
		       const struct arg_types *types, unsigned int hints, u64 addr)
{
	struct arg_value value = { .kind = ARG_UNKNOWN, .addr = addr };
	const char *text, *type;
	char how;

	put_char(out, '&');
	text = out->pos;
	if (number->failed) {
		put_char(out, '?');
		if (unlikely(out->sink))
			arg_tell_value(out, &value, text);
		return;
	}
	type = arg_type_resolve(number->type, &how);
	arg_out_scalar(out, type, arg_how_named(type, how, hints), types,
		       number->val);
	if (unlikely(out->sink))
		arg_tell_scalar(out, text, number->type, hints, number->val, addr);
}

/*
 * Write the number that long @index, a pointer of @type, points to. Returns false if the
 * number was not recorded
 */
static bool put_read(struct arg_out *out, const struct arg_call *call,
		     const char *type, unsigned int hints, unsigned int index)
{
	u64 addr = get_unaligned((const u64 *)call->data + index);
	struct arg_number number;

	if (!addr || IS_ERR_VALUE((unsigned long)addr) ||
	    !arg_number_find(&number, &call->reads, type, index))
		return false;
	put_number(out, &number, call->types, hints, addr);
	return true;
}

/* Write the recorded digest of the object of @type that a pointer points to */
static void put_read_digest(struct arg_out *out, const struct arg_types *types,
			    const char *type, const struct arg_read *read,
			    const char *name, const char *name_end)
{
	struct arg_digest digest = {
		.tag		= arg_digest_of(types, type + 1),
		.data		= read->data,
		.size		= read->size,
		.name		= name,
		.name_end	= name_end,
	};

	if (!digest.tag)
		return;
	if (read->kind == ARG_READ_DIGEST)
		arg_out_digest(out, types, &digest);
	else
		arg_out_puts(out, "{?}");
}

/*
 * Write the digest of the object that long @index, a pointer of @type, points to, if the
 * digest was recorded. @name is the parameter's name.
 */
static void put_digest(struct arg_out *out, const struct arg_call *call,
		       const char *type, unsigned int index, const char *name,
		       const char *name_end)
{
	struct arg_read read;
	char how;
	u64 addr;

	type = arg_type_resolve(type, &how);
	if (*type != 'P' || index >= call->end)
		return;
	addr = get_unaligned((const u64 *)call->data + index);
	if (!addr || IS_ERR_VALUE((unsigned long)addr) ||
	    !arg_read_find(&read, &call->reads, index,
		       BIT(ARG_READ_FAILED) | BIT(ARG_READ_DIGEST)))
		return;
	put_read_digest(out, call->types, type, &read, name, name_end);
}

/* Pass a string to the sink, or its address if there is no text */
static noinline void tell_string(struct arg_out *out, const char *begin, const char *type,
				 u64 addr, const u8 *text, unsigned int header)
{
	struct arg_value value = { .kind = ARG_POINTER, .type = type, .val = addr };

	if (text) {
		value.kind = ARG_STRING;
		value.data = text;
		value.size = header & ~ARG_STRING_CUT;
		value.cut = header & ARG_STRING_CUT;
	}
	arg_tell_value(out, &value, begin);
}

/* Write the bytes of a string, or its address if the bytes could not be read */
static void put_string(struct arg_out *out, const struct arg_call *call,
		       const char *type, unsigned int index)
{
	u64 addr = get_unaligned((const u64 *)call->data + index);
	const char *begin = out->pos;
	unsigned int header = 0;
	const u8 *text = NULL;

	if (addr && !IS_ERR_VALUE((unsigned long)addr))
		text = find_string(call, index, &header);
	if (text) {
		arg_out_text(out, text, header & ~ARG_STRING_CUT, "\"");
		if (header & ARG_STRING_CUT)
			arg_out_puts(out, "...");
	} else {
		arg_out_pointer(out, "v", addr);
	}
	if (unlikely(out->sink))
		tell_string(out, begin, type, addr, text, header);
}

/* Write a value of up to 64 bits, as most parameters are; returns false for other values */
static bool put_long(struct arg_out *out, const struct arg_call *call,
		     const char *type, unsigned int hints, unsigned int index)
{
	u64 val = get_unaligned((const u64 *)call->data + index);
	unsigned int size;
	char how;

	if (*type == 'P') {
		arg_out_pointer(out, type + 1, val);
		return true;
	}
	type = arg_type_resolve(type, &how);
	size = arg_scalar_size(type);
	if (!size)
		return false;
	if (size < sizeof(val))
		val &= BIT_ULL(size * 8) - 1;
	return arg_out_scalar(out, type, arg_how_named(type, how, hints), call->types, val);
}

/* Make a view of the @nr longs at @first, without longs of other parameters */
static struct arg_view longs_view(const struct arg_call *call, unsigned int first,
				  unsigned int nr)
{
	struct arg_view view = { };

	if (first < call->end) {
		view.data = call->data + first * sizeof(u64);
		view.size = min(nr, call->end - first) * sizeof(u64);
		view.known = call->slots.known >> first;
		view.removed = call->slots.removed >> first;
	}
	return view;
}

/* Write the value of @type in the @nr longs at @first; @hints is that of arg_out_value() */
static void put_longs(struct arg_out *out, const struct arg_call *call,
		      const char *type, unsigned int hints, unsigned int first,
		      unsigned int nr)
{
	struct arg_view view;

	if (!call->data) {
		arg_out_unknown(out, ARG_UNKNOWN, "?");
		return;
	}
	if (first < call->end) {
		/* Most events have no reads */
		if (call->reads.size && put_read(out, call, type, hints, first))
			return;
		if (call->slots.strings & BIT_ULL(first)) {
			put_string(out, call, type, first);
			return;
		}
		if (!out->sink && call->slots.known & BIT_ULL(first) &&
		    put_long(out, call, type, hints, first))
			return;
	}
	view = longs_view(call, first, nr);
	arg_out_value(out, type, hints, call->types, &view, 0, ARG_VALUE_DEPTH);
}

/* Write the constant that the compiler put in a parameter's place */
static void put_constant(struct arg_out *out, const struct arg_types *types,
			 const char *type, unsigned int hints, const char *text)
{
	u64 longs[2];
	struct arg_view view = { .data = longs, .size = 16, .known = 3 };

	if (!arg_parse_hex(text, longs, 32)) {
		arg_out_unknown(out, ARG_UNKNOWN, "?");
		return;
	}
	arg_out_value(out, type, hints, types, &view, 0, ARG_VALUE_DEPTH);
}

/* Skip longs, to the longs of the next parameter; longs above the cap do not exist */
static void skip_longs(struct arg_call *call, unsigned int nr)
{
	call->next = min_t(unsigned int, call->next + nr, ARG_SIGS_MAX_LONGS);
}

/* Write "name=value"; returns the text after the parameter */
static const char *put_param(struct arg_out *out, struct arg_call *call,
			     const char *type)
{
	const char *name = arg_type_skip(type);
	unsigned int first = call->next;
	unsigned int nr = arg_type_longs(type);
	bool removed = is_removed(call, first, nr);
	const char *p;
	unsigned int hints;

	skip_longs(call, nr);
	p = arg_out_bare_name(out, name);
	tell_name(out, name, p);
	hints = arg_name_hints(name, p);
	if (p != name)
		put_char(out, '=');
	if (!removed) {
		put_longs(out, call, type, hints, first, nr);
		if (call->reads.size)
			put_digest(out, call, type, first, name, p);
	} else if (*p == '=') {
		put_constant(out, call->types, type, hints, p + 1);
	} else {
		arg_out_unknown(out, ARG_REMOVED, "<optimized out>");
	}
	return skip_name(p);
}

/* Find the first parameter that is shown; NULL if the signature is malformed */
static const char *start_args(struct arg_call *call, const char *sig)
{
	const char *p = arg_sig_parse_slots(sig, &call->slots);
	char how;

	if (!p)
		return NULL;
	call->strings = arg_slots_strings(&call->slots);
	call->end = call->slots.nr_args;
	p = arg_type_skip(arg_return_type(p, &how));
	if (!call->slots.fields)
		return p;
	call->next = call->slots.nr_args;
	call->end = call->slots.nr;
	return arg_params_of_call(p);
}

/**
 * arg_sig_put_args - write a call's arguments, "(fd=3, buf=0x7ffc...)"
 * @out: the output
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @longs: the captured data; missing values are shown as "?"
 *
 * The variable arguments of a variadic function are not recorded. "..." stands for them.
 */
void arg_sig_put_args(struct arg_out *out, const char *sig,
		      const struct arg_types *types,
		      const struct arg_longs *longs)
{
	struct arg_call call = { .types = types };
	struct arg_cut cut;
	bool first = true;
	const char *p;

	p = start_args(&call, sig);
	if (!p) {
		arg_out_puts(out, "(?)");
		return;
	}
	set_call_data(&call, longs);
	begin_cut(out, &cut, ARG_TEXT_ARGS);
	put_char(out, '(');
	while (*p && *p != 'z' && *p != '|') {
		if (!first) {
			put_char(out, ',');
			put_char(out, ' ');
		}
		first = false;
		p = put_param(out, &call, p);
	}
	if (*p == 'z' && !first)
		arg_out_puts(out, ", ...");
	if (call.reads.size)
		arg_out_exprs(out, types, &call.reads, first);
	end_cut(out, &cut);
	put_char(out, ')');
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_args);

/* Write a buffer that a call has filled, or "?" if it could not be read */
static void put_filled(struct arg_out *out, const struct arg_read *read)
{
	struct arg_value value = { .kind = ARG_UNKNOWN };
	const char *text = out->pos;

	arg_out_recorded_text(out, read->data, read->size, false, &value);
	if (unlikely(out->sink))
		arg_tell_value(out, &value, text);
}

/* Write the digest of the object that a function returned, if it was recorded */
static void put_ret_digest(struct arg_out *out, const char *sig,
			   const struct arg_types *types,
			   const struct arg_longs *results)
{
	static const char name[] = "ret";
	struct arg_read read;
	const char *type;
	char how;

	if (!arg_read_find(&read, results, 0, BIT(ARG_READ_DIGEST)))
		return;
	type = arg_type_resolve(arg_sig_return_type(sig, &how), &how);
	if (*type == 'P')
		put_read_digest(out, types, type, &read, name, name + strlen(name));
}

/**
 * arg_sig_put_results - write what a call returned besides the return value
 * @out: the output
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @results: the data that was recorded at the return
 * @before: text to write before the first number or buffer
 *
 * Writes the digest of the returned object, "{passwd}", then the numbers that the call
 * has changed and the buffer that the call has filled, "pos=&6 buf="text"".
 */
void arg_sig_put_results(struct arg_out *out, const char *sig,
			 const struct arg_types *types,
			 const struct arg_longs *results, const char *before)
{
	struct arg_call call = { .types = types };
	struct arg_number number;
	struct arg_read text;
	struct arg_cut cut;
	const char *p, *name, *end;
	unsigned int first;
	bool is_text;

	p = start_args(&call, sig);
	if (!p)
		return;
	begin_cut(out, &cut, ARG_TEXT_RET);
	put_ret_digest(out, sig, types, results);
	while (*p && *p != 'z' && *p != '|') {
		name = arg_type_skip(p);
		first = call.next;
		skip_longs(&call, arg_type_longs(p));
		is_text = arg_read_find(&text, results, first, BIT(ARG_READ_TEXT));
		if (first < call.end &&
		    (is_text || arg_number_find(&number, results, p, first))) {
			arg_out_puts(out, before);
			before = " ";
			end = arg_out_bare_name(out, name);
			tell_name(out, name, end);
			put_char(out, '=');
			if (is_text)
				put_filled(out, &text);
			else
				put_number(out, &number, types,
					   arg_name_hints(name, end), 0);
		}
		p = skip_name(name);
	}
	end_cut(out, &cut);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_results);

/*
 * Whether an unsigned long is an error, as functions that return an address may return.
 * ULONG_MAX is no error, because ULONG_MAX often stands for no limit.
 */
static bool is_ulong_error(const char *type, u64 val)
{
	return arg_type_is_ulong(type) && IS_ERR_VALUE((unsigned long)val) && ~val;
}

/* Write " (-EIO)" after a signed integer that is the number of an error */
static void put_ret_error(struct arg_out *out, const char *type, u64 val)
{
	const char *name = NULL;
	char how;

	type = arg_type_resolve(type, &how);
	if (!is_basic(*type) || *type == 'c' || (how != 'T' && how != 'D') ||
	    !arg_basic_types[*type - 'a'].sign || arg_basic_types[*type - 'a'].size > 8)
		return;
	val = arg_truncate(*type, val);
	if (IS_ERR_VALUE((unsigned long)val))
		name = errname(val);
	if (name) {
		arg_out_puts(out, " (");
		arg_out_puts(out, name);
		put_char(out, ')');
	}
}

/**
 * arg_sig_put_retval - write the return value of a call, "-5 (-EIO)"
 * @out: the output
 * @sig: the function's signature, NULL if it is not known
 * @types: the descriptions that @sig refers to
 * @regs: the return registers, RAX and RDX
 * @nr_regs: the number of return registers, 1 or 2; see struct arg_sig_info
 * @hex: whether to write the first register as a plain hexadecimal number
 *
 * Only for functions that return a value, see arg_sig_is_void().
 */
void arg_sig_put_retval(struct arg_out *out, const char *sig,
			const struct arg_types *types, const u64 *regs,
			unsigned int nr_regs, bool hex)
{
	struct arg_view view = { .data = regs, .size = sizeof(*regs), .known = 3 };
	const char *type = NULL;
	struct arg_cut cut;
	char *text = out->pos;
	char how = '?';

	if (hex) {
		arg_out_hex(out, regs[0]);
		return;
	}
	if (sig)
		type = arg_sig_return_type(sig, &how);
	switch (how) {
	case '?':
		arg_out_unknown(out, ARG_UNKNOWN, "?");
		return;
	case '&':
		arg_out_pointer(out, "v", regs[0]);
		if (unlikely(out->sink))
			arg_tell_scalar(out, text, "Pv", false, regs[0], 0);
		return;
	case '2':
		view.size = nr_regs * sizeof(*regs);
		break;
	}
	if (!how && is_ulong_error(type, regs[0]))
		type = "l";
	begin_cut(out, &cut, ARG_TEXT_RET);
	arg_out_value(out, type, false, types, &view, 0, ARG_VALUE_DEPTH);
	end_cut(out, &cut);
	put_ret_error(out, type, regs[0]);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_retval);
