// SPDX-License-Identifier: GPL-2.0
/*
 * The text of values of up to 64 bits: numbers, pointers, enums, flags
 */
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/unaligned.h>

#include "text.h"

/**
 * arg_out_puts - write text
 * @out: the output
 * @text: what to write
 */
void arg_out_puts(struct arg_out *out, const char *text)
{
	while (*text)
		put_char(out, *text++);
}

/**
 * arg_tell_value - pass a value to the sink
 * @out: the output that the text of the value was written to
 * @value: the value, without its text
 * @text: where the text begins; if the text did not fit, the sink gets no text
 */
void arg_tell_value(struct arg_out *out, struct arg_value *value,
		    const char *text)
{
	if (out->pos <= out->end) {
		value->text = text;
		value->len = out->pos - text;
	}
	out->sink->ops->value(out->sink, value);
}

/**
 * arg_out_unknown - write the placeholder of a value that is not known
 * @out: the output
 * @kind: ARG_UNKNOWN or ARG_REMOVED, for the sink
 * @text: the text, for example "?"
 */
void arg_out_unknown(struct arg_out *out, enum arg_kind kind, const char *text)
{
	struct arg_value value = { .kind = kind };
	char *pos = out->pos;

	arg_out_puts(out, text);
	if (unlikely(out->sink))
		arg_tell_value(out, &value, pos);
}

/**
 * arg_out_bare_name - write a name of a signature
 * @out: the output
 * @p: the name, which ends at ';', '=' or NUL
 *
 * Return: where the name ends.
 */
const char *arg_out_bare_name(struct arg_out *out, const char *p)
{
	char *pos = out->pos, *end = out->end;
	const char *name = p;

	for (;; p++, pos++) {
		/*
		 * Most characters of a name are larger than the characters that end a
		 * name
		 */
		if (*p <= '=' && (!*p || *p == ';' || *p == '='))
			break;
		if (pos < end)
			*pos = *p;
	}
	out->pos = pos;
	if (p != name)
		out->last = p[-1];
	return p;
}

/* The eight digits of a number, the first digit in the highest byte */
static u64 hex_digits_of(u32 num)
{
	u64 val = num, letters;

	/* Put one nibble into each byte, the lowest nibble into the lowest byte */
	val = (val | val << 16) & 0x0000ffff0000ffff;
	val = (val | val << 8) & 0x00ff00ff00ff00ff;
	val = (val | val << 4) & 0x0f0f0f0f0f0f0f0f;
	/* Set 1 for each byte that is above 9 */
	letters = (val + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return val + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

/**
 * arg_out_hex_digits - write hex digits
 * @out: the output
 * @val: the number
 * @nr: the number of digits, 1 to 16; higher digits are left out
 */
void arg_out_hex_digits(struct arg_out *out, u64 val, int nr)
{
	char *pos = out->pos, digits[16];
	bool room = out->end - pos >= 16;
	char *to = room ? pos : digits;

	val <<= 64 - nr * 4;
	put_unaligned_be64(hex_digits_of(val >> 32), to);
	put_unaligned_be64(hex_digits_of(val), to + 8);
	if (room) {
		out->pos = pos + nr;
		out->last = pos[nr - 1];
		return;
	}
	while (nr--)
		put_char(out, *to++);
}

static int hex_digits(u64 val)
{
	return val ? (fls64(val) + 3) / 4 : 1;
}

/**
 * arg_out_hex - write a number in hex, with 0x
 * @out: the output
 * @val: the number
 */
void arg_out_hex(struct arg_out *out, u64 val)
{
	put_char(out, '0');
	put_char(out, 'x');
	arg_out_hex_digits(out, val, hex_digits(val));
}

/* Write an unsigned number; 0 to 9 are the same in hex, so they have no "0x" */
static void put_uint(struct arg_out *out, u64 val)
{
	if (val < 10)
		put_char(out, '0' + val);
	else
		arg_out_hex(out, val);
}

/**
 * arg_out_hex128 - write a number of 128 bits in hex, with 0x
 * @out: the output
 * @low: the lower half of the number
 * @high: the upper half of the number
 */
void arg_out_hex128(struct arg_out *out, u64 low, u64 high)
{
	if (!high) {
		arg_out_hex(out, low);
		return;
	}
	arg_out_hex(out, high);
	arg_out_hex_digits(out, low, 16);
}

/**
 * arg_out_udec - write an unsigned number in decimal
 * @out: the output
 * @val: the number
 */
void arg_out_udec(struct arg_out *out, u64 val)
{
	char digits[20];
	int nr = 0;

	do {
		digits[nr++] = '0' + val % 10;
		val /= 10;
	} while (val);
	while (nr)
		put_char(out, digits[--nr]);
}

/**
 * arg_out_dec - write a signed number in decimal
 * @out: the output
 * @val: the number
 */
void arg_out_dec(struct arg_out *out, s64 val)
{
	if (val < 0)
		put_char(out, '-');
	arg_out_udec(out, val < 0 ? -(u64)val : val);
}

static void put_octal(struct arg_out *out, u32 val)
{
	int shift = val ? (fls(val) - 1) / 3 * 3 : 0;

	if (val)
		put_char(out, '0');
	for (; shift >= 0; shift -= 3)
		put_char(out, '0' + ((val >> shift) & 7));
}

#ifdef __KERNEL__

/**
 * arg_out_symbol - write the symbol at an address, or the address
 * @out: the output
 * @addr: the address
 */
void arg_out_symbol(struct arg_out *out, unsigned long addr)
{
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];
	char *module = NULL;

	if (!kallsyms_lookup(addr, &size, &offset, &module, name) || offset) {
		arg_out_hex(out, addr);
		return;
	}
	arg_out_puts(out, name);
	if (module) {
		arg_out_puts(out, " [");
		arg_out_puts(out, module);
		put_char(out, ']');
	}
}

/**
 * arg_out_gfp_flags - write flags of gfp_t by name
 * @out: the output
 * @val: the flags
 */
void arg_out_gfp_flags(struct arg_out *out, u32 val)
{
	size_t left = out->pos < out->end ? out->end - out->pos : 0;
	gfp_t gfp = (__force gfp_t)val;

	out->pos += snprintf(left ? out->pos : NULL, left, "%pGg", &gfp);
}

#endif /* __KERNEL__ */

static void put_char_value(struct arg_out *out, char c)
{
	if (c < ' ' || c > '~') {
		arg_out_udec(out, (u8)c);
		return;
	}
	put_char(out, '\'');
	if (c == '\'' || c == '\\')
		put_char(out, '\\');
	put_char(out, c);
	put_char(out, '\'');
}

/**
 * arg_name_hints_of - find what a name says about how a number is written
 * @name: the name
 * @end: the end of the name
 *
 * Return: ARG_NAME_BITS, ARG_NAME_ADDRESS, or 0.
 */
unsigned int arg_name_hints_of(const char *name, const char *end)
{
	static const struct {
		const char	*text;
		unsigned int	hints;
	} last[] = {
		{ "flags",	ARG_NAME_BITS },
		{ "mask",	ARG_NAME_BITS },
		{ "bits",	ARG_NAME_BITS },
		{ "addr",	ARG_NAME_ADDRESS },
		{ "ip",		ARG_NAME_ADDRESS },
		{ "src",	ARG_NAME_ADDRESS },
		{ "dst",	ARG_NAME_ADDRESS },
	};
	int i;

	/* A part of a digest may be an element of an array */
	while (end > name && end[-1] == ']')
		while (end > name && *--end != '[')
			;
	for (i = 0; i < ARRAY_SIZE(last); i++) {
		size_t len = strlen(last[i].text);

		if (end - name >= len && !memcmp(end - len, last[i].text, len))
			return last[i].hints;
	}
	return 0;
}

/**
 * arg_out_pointer - write a pointer
 * @out: the output
 * @type: the type that the pointer points to
 * @val: the pointer
 */
void arg_out_pointer(struct arg_out *out, const char *type, u64 val)
{
	const char *name;
	char how;

	if (!val) {
		arg_out_puts(out, "NULL");
		return;
	}
	if (IS_ERR_VALUE((unsigned long)val)) {
		arg_out_puts(out, "ERR_PTR(");
		name = errname((long)val);
		if (name)
			arg_out_puts(out, name);
		else
			arg_out_dec(out, (long)val);
		put_char(out, ')');
		return;
	}
	if (*arg_type_resolve(type, &how) == 'F')
		arg_out_symbol(out, val);
	else
		arg_out_hex(out, val);
}

static void put_int(struct arg_out *out, char basic, u64 val)
{
	val = arg_truncate(basic, val);
	if (arg_basic_types[basic - 'a'].sign)
		arg_out_dec(out, val);
	else
		put_uint(out, val);
}

static void put_bool(struct arg_out *out, u8 val)
{
	if (val > 1)
		arg_out_udec(out, val);
	else
		arg_out_puts(out, val ? "true" : "false");
}

static void put_enum_bits(struct arg_out *out, const char *p, u64 val, unsigned int size)
{
	bool first = true;
	u64 bit = 0;

	while (p && *p && !out_full(out)) {
		const char *name = p;

		p = arg_enumerator_value(p, &bit);
		if (bit ? (val & bit) == bit : !val && first) {
			if (!first)
				put_char(out, '|');
			arg_out_name(out, name);
			first = false;
			/* The name of zero or of the last set bit ends the list */
			val &= ~bit;
			if (!val)
				return;
		}
		bit++;
	}
	/* The enumerators of a signed type may be below zero, but not what is left over */
	if (size < sizeof(val))
		val &= BIT_ULL(size * 8) - 1;
	if (val || first) {
		if (!first)
			put_char(out, '|');
		put_uint(out, val);
	}
}

static void put_enum(struct arg_out *out, char basic, const char *id,
		     const struct arg_types *types, u64 val)
{
	const char *p;
	u64 each = 0;
	char kind;

	val = arg_truncate(basic, val);
	p = arg_types_enumerators(types, id, &kind);
	if (p && kind == 'b') {
		put_enum_bits(out, p, val, arg_basic_types[basic - 'a'].size);
		return;
	}
	while (p && *p) {
		const char *name = p;

		p = arg_enumerator_value(p, &each);
		if (arg_truncate(basic, each) == val) {
			arg_out_name(out, name);
			return;
		}
		each++;
	}
	put_int(out, basic, val);
}

/**
 * arg_out_ipv4 - write the address of an IPv4 host, "10.0.2.2"
 * @out: the output
 * @addr: the address, whose first number is in the highest byte
 */
void arg_out_ipv4(struct arg_out *out, u32 addr)
{
	int shift;

	for (shift = 24; shift >= 0; shift -= 8) {
		arg_out_udec(out, addr >> shift & 0xff);
		if (shift)
			put_char(out, '.');
	}
}

/**
 * arg_out_scalar - write a value of up to 64 bits
 * @out: the output
 * @type: the type, from arg_type_resolve()
 * @how: how the value is written, from arg_how_named()
 * @types: the descriptions
 * @val: the value
 *
 * Return: false if values of this type are not shown.
 */
bool arg_out_scalar(struct arg_out *out, const char *type, char how,
		    const struct arg_types *types, u64 val)
{
	switch (*type) {
	case 'P':
		arg_out_pointer(out, type + 1, val);
		return true;
	case 'E':
		if (!is_basic(type[1]))
			return false;
		put_enum(out, type[1], type + 2, types, val);
		return true;
	case 'b':
		put_bool(out, val);
		return true;
	case 'c':
		put_char_value(out, val);
		return true;
	case 'a':
	case 'h'...'j':
	case 'l':
	case 'm':
	case 's':
	case 't':
	case 'x':
	case 'y':
		break;
	default:
		return false;
	}
	switch (how) {
	case ARG_HOW_BITS:
		if (arg_basic_types[*type - 'a'].size < sizeof(val))
			val &= BIT_ULL(arg_basic_types[*type - 'a'].size * 8) - 1;
		put_uint(out, val);
		break;
	case 'D':
		val = arg_truncate(*type, val);
		if (arg_basic_types[*type - 'a'].sign)
			arg_out_dec(out, val);
		else
			arg_out_udec(out, val);
		break;
	case 'G':
		if ((u32)val)
			arg_out_gfp_flags(out, val);
		else
			arg_out_puts(out, "none");
		break;
	case 'O':
		put_octal(out, arg_truncate(*type, val));
		break;
	case ARG_HOW_ADDRESS:
		arg_out_ipv4(out, arg_swap_bytes(val, sizeof(u32)));
		break;
	case 'B':
		/* A number of 16 bits is mostly a port, and a longer number holds bits */
		val = arg_swap_bytes(val, arg_scalar_size(type));
		if (arg_scalar_size(type) == sizeof(u16))
			arg_out_udec(out, val);
		else
			put_uint(out, val);
		break;
	case 'M':
		/* The kernel's dev_t has 12 bits of major and 20 bits of minor */
		arg_out_udec(out, (u32)val >> 20);
		put_char(out, ':');
		arg_out_udec(out, val & 0xfffff);
		break;
	default:
		put_int(out, *type, val);
	}
	return true;
}

static enum arg_kind scalar_kind(const char *type, char how)
{
	switch (*type) {
	case 'P':
		return ARG_POINTER;
	case 'E':
		return ARG_NAMED;
	case 'b':
		return ARG_BOOL;
	}
	switch (how) {
	case 'G':
	case 'O':
	case 'M':
	case ARG_HOW_ADDRESS:
		return ARG_NAMED;
	case ARG_HOW_BITS:
		return ARG_UNSIGNED;
	default:
		return arg_basic_types[*type - 'a'].sign ? ARG_SIGNED : ARG_UNSIGNED;
	}
}

static void put_escaped(struct arg_out *out, u8 c)
{
	switch (c) {
	case '\n':
		arg_out_puts(out, "\\n");
		break;
	case '\t':
		arg_out_puts(out, "\\t");
		break;
	case '"':
	case '\\':
		put_char(out, '\\');
		fallthrough;
	case ' ' ... '!':
	case '#' ... '[':
	case ']' ... '~':
		put_char(out, c);
		break;
	default:
		arg_out_puts(out, "\\x");
		arg_out_hex_digits(out, c, 2);
	}
}

/**
 * arg_out_text - write text, with escapes as in C
 * @out: the output
 * @text: the text
 * @len: the number of bytes
 * @quote: what to write before and after the text
 */
void arg_out_text(struct arg_out *out, const u8 *text, unsigned int len,
		  const char *quote)
{
	unsigned int i;

	arg_out_puts(out, quote);
	for (i = 0; i < len; i++)
		put_escaped(out, text[i]);
	arg_out_puts(out, quote);
}

/**
 * arg_tell_scalar - pass a value of up to 64 bits to the sink
 * @out: the output that the text of the value was written to
 * @text: where the text of the value begins
 * @type: the type of the value
 * @hints: what the value's name says, from arg_name_hints()
 * @val: the value
 * @addr: the address that the value was read from, 0 if no pointer points to the value
 */
void arg_tell_scalar(struct arg_out *out, const char *text,
		     const char *type, unsigned int hints, u64 val, u64 addr)
{
	struct arg_value value = { .type = type, .addr = addr };
	const char *basic;
	char how;

	type = arg_type_resolve(type, &how);
	how = arg_how_named(type, how, hints);
	basic = *type == 'E' ? type + 1 : type;
	if (*type != 'P')
		val = arg_truncate(*basic, val);
	if (how == ARG_HOW_BITS && arg_basic_types[*basic - 'a'].size < sizeof(val))
		val &= BIT_ULL(arg_basic_types[*basic - 'a'].size * 8) - 1;
	if (how == 'B' || how == ARG_HOW_ADDRESS)
		val = arg_swap_bytes(val, arg_scalar_size(type));
	value.kind = scalar_kind(type, how);
	value.val = val;
	arg_tell_value(out, &value, text);
}
