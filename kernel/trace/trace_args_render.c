// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures and values as text
 *
 * Documentation/trace/arg-sigs-format.rst has the format.  A signature is read from
 * left to right, once; nothing is allocated, nothing is looked up but the
 * descriptions of enums and records and the symbol of a pointer to a function.
 * Text that does not end where the format says it must ends at its NUL: each
 * step looks at the character before it goes on.  Values come from bytes whose
 * end is known, and what lies behind it is unknown.
 *
 * A reader that wants values instead of text gives struct arg_out a sink: the
 * same walk tells the sink each name and each value that it writes.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/hex.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "trace_arg_sigs.h"

/* Functions that are parameters of functions, arrays of arrays: no deeper */
#define ARG_TYPE_DEPTH		16

/* Records and arrays in records: each level takes stack of whoever prints */
#define ARG_VALUE_DEPTH		8

/*
 * Characters of a call's arguments, and of what it returned.  With the longest
 * name of a function twice and what stands before it, a line fits into a struct
 * trace_seq: one that does not fit is never printed.
 */
#define ARG_TEXT_ARGS		5500
#define ARG_TEXT_RET		800

static const struct {
	const char	*name;
	u8		size;
	bool		sign;
} basic_types[26] = {
	['a' - 'a'] = { "signed char", 1, true },
	['b' - 'a'] = { "bool", 1 },
	['c' - 'a'] = { "char", 1 },	/* the kernel has -funsigned-char */
	['d' - 'a'] = { "double", 8 },
	['e' - 'a'] = { "long double", 16 },
	['f' - 'a'] = { "float", 4 },
	['h' - 'a'] = { "unsigned char", 1 },
	['i' - 'a'] = { "int", 4, true },
	['j' - 'a'] = { "unsigned int", 4 },
	['l' - 'a'] = { "long", 8, true },
	['m' - 'a'] = { "unsigned long", 8 },
	['n' - 'a'] = { "__int128", 16, true },
	['o' - 'a'] = { "unsigned __int128", 16 },
	['s' - 'a'] = { "short", 2, true },
	['t' - 'a'] = { "unsigned short", 2 },
	['v' - 'a'] = { "void", 0 },
	['x' - 'a'] = { "long long", 8, true },
	['y' - 'a'] = { "unsigned long long", 8 },
};

static bool is_basic(char c)
{
	return c >= 'a' && c <= 'z' && basic_types[c - 'a'].name;
}

static void put_char(struct arg_out *out, char c)
{
	if (out->pos < out->end)
		*out->pos = c;
	out->pos++;
	out->last = c;
}

/**
 * arg_out_puts - write text
 * @out: where to
 * @text: what to write
 */
void arg_out_puts(struct arg_out *out, const char *text)
{
	while (*text)
		put_char(out, *text++);
}

/* Nothing more can be written; what goes on for long looks at this */
static bool out_full(const struct arg_out *out)
{
	return out->pos > out->end;
}

/**
 * struct arg_cut - text of which no more than so many characters are shown
 * @begin: where it begins
 * @end: the end of all that may be written
 * @max: so many
 */
struct arg_cut {
	char		*begin;
	char		*end;
	unsigned int	max;
};

/* Lines have a limit, values that a sink is told have none */
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

/* The name of the value that comes next */
static void tell_name(struct arg_out *out, const char *name, const char *end)
{
	if (unlikely(out->sink))
		out->sink->ops->name(out->sink, name, end - name);
}

/* The values that come next, up to tell_end(), are members or elements */
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

/* A value, and its text: all that was written from @text on, if it fitted */
static noinline void tell_value(struct arg_out *out, struct arg_value *value,
				const char *text)
{
	if (out->pos <= out->end) {
		value->text = text;
		value->len = out->pos - text;
	}
	out->sink->ops->value(out->sink, value);
}

/* "?", or what stands for a value that is not known */
static void put_unknown(struct arg_out *out, enum arg_kind kind, const char *text)
{
	struct arg_value value = { .kind = kind };
	char *pos = out->pos;

	arg_out_puts(out, text);
	if (unlikely(out->sink))
		tell_value(out, &value, pos);
}

/* What follows the next ';', or the text's end */
static const char *skip_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : p;
}

/* Copies a name and returns where it ends */
static const char *put_bare_name(struct arg_out *out, const char *p)
{
	char *pos = out->pos, *end = out->end;
	const char *name = p;

	for (;; p++, pos++) {
		/* Most characters of a name are above all that end it */
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

/* The same, but returns what follows the name and its value, if it has one */
static const char *put_name(struct arg_out *out, const char *p)
{
	return skip_name(put_bare_name(out, p));
}

/* The same, but NULL where the name has no end */
static const char *skip_whole_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : NULL;
}

/* Not by strnlen(): that is traced, which costs while a trace is read */
static bool whole_id(const char *p)
{
	int i;

	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		if (!p[i])
			return false;
	return true;
}

/* The eight digits of a number, the first one in the highest byte */
static u64 hex_digits_of(u32 num)
{
	u64 val = num, letters;

	/* A nibble in each byte, the lowest one first */
	val = (val | val << 16) & 0x0000ffff0000ffff;
	val = (val | val << 8) & 0x00ff00ff00ff00ff;
	val = (val | val << 4) & 0x0f0f0f0f0f0f0f0f;
	/* 1 in those that are above 9 */
	letters = (val + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return val + 0x3030303030303030 + letters * ('a' - '0' - 10);
}

/* The last @nr digits of @val, 1 to 16 */
static void put_hex_digits(struct arg_out *out, u64 val, int nr)
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

static void put_hex(struct arg_out *out, u64 val)
{
	put_char(out, '0');
	put_char(out, 'x');
	put_hex_digits(out, val, hex_digits(val));
}

/* An unsigned number: up to 9 it is the same in hex, so that needs no sign */
static void put_uint(struct arg_out *out, u64 val)
{
	if (val < 10)
		put_char(out, '0' + val);
	else
		put_hex(out, val);
}

static void put_hex128(struct arg_out *out, u64 low, u64 high)
{
	if (!high) {
		put_hex(out, low);
		return;
	}
	put_hex(out, high);
	put_hex_digits(out, low, 16);
}

static void put_udec(struct arg_out *out, u64 val)
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

static void put_dec(struct arg_out *out, s64 val)
{
	if (val < 0)
		put_char(out, '-');
	put_udec(out, val < 0 ? -(u64)val : val);
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

/* What only the kernel knows: symbols, flags that change with its config */
static void put_symbol(struct arg_out *out, unsigned long addr)
{
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];
	char *module = NULL;

	if (!kallsyms_lookup(addr, &size, &offset, &module, name) || offset) {
		put_hex(out, addr);
		return;
	}
	arg_out_puts(out, name);
	if (module) {
		arg_out_puts(out, " [");
		arg_out_puts(out, module);
		put_char(out, ']');
	}
}

static void put_gfp_flags(struct arg_out *out, u32 val)
{
	size_t left = out->pos < out->end ? out->end - out->pos : 0;
	gfp_t gfp = (__force gfp_t)val;

	out->pos += snprintf(left ? out->pos : NULL, left, "%pGg", &gfp);
}

#endif /* __KERNEL__ */

static void put_char_value(struct arg_out *out, char c)
{
	if (c < ' ' || c > '~') {
		put_udec(out, (u8)c);
		return;
	}
	put_char(out, '\'');
	if (c == '\'' || c == '\\')
		put_char(out, '\\');
	put_char(out, c);
	put_char(out, '\'');
}

/* In place of a typedef's letter: a signed integer that holds bits */
#define HOW_BITS	'H'

/* Whether what has this name, up to @end, holds bits if it is a number */
static bool names_bits(const char *name, const char *end)
{
	static const char * const last[] = { "flags", "mask", "bits" };
	int i;

	/* A piece may be an element of an array */
	while (end > name && end[-1] == ']')
		while (end > name && *--end != '[')
			;
	/* Most names end otherwise */
	if (end == name || (end[-1] != 's' && end[-1] != 'k'))
		return false;
	for (i = 0; i < ARRAY_SIZE(last); i++) {
		size_t len = strlen(last[i]);

		if (end - name >= len && !memcmp(end - len, last[i], len))
			return true;
	}
	return false;
}

/* The type behind typedefs and qualifiers; @how is the typedef's letter */
static const char *type_behind(const char *type, char *how)
{
	*how = 'T';
	for (;;) {
		switch (*type) {
		case 'D':
		case 'G':
		case 'O':
		case 'M':
			*how = *type;
			fallthrough;
		case 'T':
			type = skip_name(type + 1);
			break;
		case 'K':
		case 'V':
			type++;
			break;
		default:
			return type;
		}
	}
}

static void put_pointer(struct arg_out *out, const char *type, u64 val)
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
			put_dec(out, (long)val);
		put_char(out, ')');
		return;
	}
	if (*type_behind(type, &how) == 'F')
		put_symbol(out, val);
	else
		put_hex(out, val);
}

/* A value at its type's own width */
static u64 truncate_value(char basic, u64 val)
{
	switch (basic_types[basic - 'a'].size) {
	case 1:
		return basic_types[basic - 'a'].sign ? (s64)(s8)val : (u8)val;
	case 2:
		return basic_types[basic - 'a'].sign ? (s64)(s16)val : (u16)val;
	case 4:
		return basic_types[basic - 'a'].sign ? (s64)(s32)val : (u32)val;
	default:
		return val;
	}
}

static void put_int(struct arg_out *out, char basic, u64 val)
{
	val = truncate_value(basic, val);
	if (basic_types[basic - 'a'].sign)
		put_dec(out, val);
	else
		put_uint(out, val);
}

static void put_bool(struct arg_out *out, u8 val)
{
	if (val > 1)
		put_udec(out, val);
	else
		arg_out_puts(out, val ? "true" : "false");
}

/*
 * ["-"] hex, of at most @max digits, as 128 bits; what follows it, NULL if
 * there is no digit or are too many
 */
static const char *parse_hex(const char *p, u64 val[2], int max)
{
	bool negative = *p == '-';
	const char *digits;
	int digit;

	if (negative)
		p++;
	val[0] = 0;
	val[1] = 0;
	for (digits = p; (digit = hex_to_bin(*p)) >= 0; p++) {
		val[1] = val[1] << 4 | val[0] >> 60;
		val[0] = val[0] << 4 | digit;
	}
	if (p == digits || p - digits > max)
		return NULL;
	if (negative) {
		val[0] = -val[0];
		val[1] = ~val[1] + !val[0];
	}
	return p;
}

/* One enumerator's value, unless it has none; returns what follows it */
static const char *enumerator_value(const char *p, u64 *val)
{
	u64 num[2];

	while (*p && *p != ';' && *p != '=')
		p++;
	if (*p == '=') {
		p = parse_hex(p + 1, num, 16);
		*val = num[0];
	}
	return p && *p == ';' ? p + 1 : NULL;
}

static void put_enum_bits(struct arg_out *out, const char *p, u64 val)
{
	bool first = true;
	u64 bit = 0;

	while (p && *p && !out_full(out)) {
		const char *name = p;

		p = enumerator_value(p, &bit);
		if (bit ? (val & bit) == bit : !val && first) {
			if (!first)
				put_char(out, '|');
			put_name(out, name);
			first = false;
			/* The name of zero, or of the last bit, ends it */
			val &= ~bit;
			if (!val)
				return;
		}
		bit++;
	}
	if (val || first) {
		if (!first)
			put_char(out, '|');
		put_uint(out, val);
	}
}

static void put_enum(struct arg_out *out, char basic, const char *id,
		     const struct arg_types *types, u64 val)
{
	const char *desc = arg_types_find(types, id);
	char kind = desc ? desc[ARG_SIGS_ID_LEN] : '\0';
	u64 each = 0;
	const char *p;

	val = truncate_value(basic, val);
	if (kind != 'e' && kind != 'b') {
		put_int(out, basic, val);
		return;
	}
	p = skip_name(desc + ARG_SIGS_ID_LEN + 2);
	if (kind == 'b') {
		put_enum_bits(out, p, val);
		return;
	}
	while (p && *p) {
		const char *name = p;

		p = enumerator_value(p, &each);
		if (truncate_value(basic, each) == val) {
			put_name(out, name);
			return;
		}
		each++;
	}
	put_int(out, basic, val);
}

/* How a value is shown that its type alone would not say; see type_behind() */
static char how_named(const char *type, char how, bool bits)
{
	return bits && how == 'T' && is_basic(*type) &&
	       basic_types[*type - 'a'].sign ? HOW_BITS : how;
}

/*
 * A value of up to 64 bits, of what type_behind() left of its type; false if
 * that is not one that is shown.
 */
static bool put_value(struct arg_out *out, const char *type, char how,
		      const struct arg_types *types, u64 val)
{
	switch (*type) {
	case 'P':
		put_pointer(out, type + 1, val);
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
	case HOW_BITS:
		if (basic_types[*type - 'a'].size < sizeof(val))
			val &= BIT_ULL(basic_types[*type - 'a'].size * 8) - 1;
		put_uint(out, val);
		break;
	case 'D':
		val = truncate_value(*type, val);
		if (basic_types[*type - 'a'].sign)
			put_dec(out, val);
		else
			put_udec(out, val);
		break;
	case 'G':
		if ((u32)val)
			put_gfp_flags(out, val);
		else
			arg_out_puts(out, "none");
		break;
	case 'O':
		put_octal(out, truncate_value(*type, val));
		break;
	case 'M':
		/* The kernel's dev_t: 12 bits of major, 20 of minor */
		put_udec(out, (u32)val >> 20);
		put_char(out, ':');
		put_udec(out, val & 0xfffff);
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
		return ARG_NAMED;
	case HOW_BITS:
		return ARG_UNSIGNED;
	default:
		return basic_types[*type - 'a'].sign ? ARG_SIGNED : ARG_UNSIGNED;
	}
}

/* What was written of @type from @text on: up to 64 bits */
static noinline void tell_scalar(struct arg_out *out, const char *text,
				 const char *type, bool bits, u64 val)
{
	struct arg_value value = { .type = type };
	const char *basic;
	char how;

	type = type_behind(type, &how);
	how = how_named(type, how, bits);
	basic = *type == 'E' ? type + 1 : type;
	if (*type != 'P')
		val = truncate_value(*basic, val);
	if (how == HOW_BITS && basic_types[*basic - 'a'].size < sizeof(val))
		val &= BIT_ULL(basic_types[*basic - 'a'].size * 8) - 1;
	value.kind = scalar_kind(type, how);
	value.val = val;
	tell_value(out, &value, text);
}

static const char *skip_digits(const char *p)
{
	while (isdigit(*p))
		p++;
	return p;
}

/* What follows a type, NULL if it is malformed */
static const char *__skip_type(const char *p, int depth)
{
	while (p) {
		char c = *p;

		if (is_basic(c))
			return p + 1;
		switch (c) {
		case 'P':
		case 'K':
		case 'V':
			p++;
			break;
		case 'T':
		case 'D':
		case 'G':
		case 'O':
		case 'M':
			p = skip_whole_name(p + 1);
			break;
		case 'S':
		case 'U':
		case 'N':
			return skip_whole_name(p + 1);
		case 'E':
			if (!is_basic(p[1]))
				return NULL;
			return whole_id(p + 2) ? p + 2 + ARG_SIGS_ID_LEN : NULL;
		case 'R':
			return whole_id(p + 1) ?
				skip_whole_name(p + 1 + ARG_SIGS_ID_LEN) : NULL;
		case 'X':
			p = skip_whole_name(p + 1);
			return p ? skip_whole_name(p) : NULL;
		case 'A':
			p = skip_digits(p + 1);
			if (*p++ != '_')
				return NULL;
			break;
		case 'F':
			if (!depth)
				return NULL;
			p = __skip_type(p + 1, depth - 1);
			while (p && *p && *p != '_' && *p != 'z')
				p = __skip_type(p, depth - 1);
			if (p && *p == 'z')
				p++;
			return p && *p == '_' ? p + 1 : NULL;
		default:
			return NULL;
		}
	}
	return NULL;
}

/* The same, but the text's end if it is malformed: nothing is found there */
static const char *skip_type(const char *p)
{
	const char *end = __skip_type(p, ARG_TYPE_DEPTH);

	return end ?: p + strlen(p);
}

/* What is too large for a call's bytes need not be exact */
static unsigned int parse_number(const char *p)
{
	unsigned int num = 0;

	for (; isdigit(*p) && num < 100000; p++)
		num = num * 10 + *p - '0';
	return num;
}

/* Longs that a parameter of this type takes */
static unsigned int type_longs(const char *type)
{
	char how;

	type = type_behind(type, &how);
	switch (*type) {
	case 'R':
		if (!whole_id(type + 1))
			return 1;
		return max(1U, parse_number(type + 1 + ARG_SIGS_ID_LEN));
	case 'X':
		return max(1U, parse_number(skip_name(type + 1)));
	case 'e':
	case 'n':
	case 'o':
		return 2;
	default:
		return 1;
	}
}

/**
 * struct arg_slots - what a signature's list of longs says
 * @nr: how many longs there are
 * @nr_args: of these belong to parameters; the rest, to a system call's own
 * @known: bit n: long n is captured
 * @removed: bit n: the compiler removed what long n would hold
 * @strings: bit n: long n points to a string or a buffer
 * @fields: there is a list of a system call's own parameters, maybe empty
 */
struct arg_slots {
	unsigned int	nr;
	unsigned int	nr_args;
	u64		known;
	u64		removed;
	u64		strings;
	bool		fields;
};

static bool is_place(char c, bool field)
{
	if (field)
		return (c >= 'a' && c <= 'u') || (c >= 'A' && c <= 'U');
	return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'Z');
}

/*
 * One slot or field; what follows it, NULL if it is malformed. Behind that of a
 * buffer its size is captured.
 */
static const char *parse_slot(const char *p, struct arg_slots *slots)
{
	bool buffer = *p == '#', string = *p == '*' || buffer;
	u64 bit;

	if (slots->nr == ARG_SIGS_MAX_LONGS)
		return NULL;
	bit = BIT_ULL(slots->nr++);
	if (string) {
		slots->strings |= bit;
		p++;
	}
	if (is_place(*p, slots->fields))
		slots->known |= bit;
	else if (*p == '.' && !string && !slots->fields)
		slots->removed |= bit;
	else if (*p != '-' || string)
		return NULL;
	p++;
	if (buffer && (slots->nr == ARG_SIGS_MAX_LONGS ||
		       !is_place(p[*p == '*' || *p == '#'], slots->fields)))
		return NULL;
	return p;
}

/* What follows the list of longs, NULL if it is malformed */
static const char *parse_slots(const char *p, struct arg_slots *slots)
{
	*slots = (struct arg_slots){ };
	if (*p >= '0' && *p <= '6') {
		slots->nr = *p - '0';
		slots->nr_args = slots->nr;
		slots->known = BIT_ULL(slots->nr) - 1;
		return p + 1;
	}
	if (*p++ != '(')
		return NULL;
	while (p && *p != ')') {
		if (*p == '|' && !slots->fields) {
			slots->fields = true;
			slots->nr_args = slots->nr;
			p++;
		} else {
			p = parse_slot(p, slots);
		}
	}
	if (!slots->fields)
		slots->nr_args = slots->nr;
	return p ? p + 1 : NULL;
}

/**
 * arg_sig_longs - the longs that a signature's list of them has
 * @sig: a valid signature
 *
 * Return: their number, which is what is captured at each call.
 */
unsigned int arg_sig_longs(const char *sig)
{
	struct arg_slots slots;

	parse_slots(sig, &slots);
	return slots.nr;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_longs);

/* The type that a function returns; @how says where it is, see "return" */
static const char *return_type(const char *p, char *how)
{
	*how = '\0';
	if (*p == '?' || *p == '&' || *p == '2')
		*how = *p++;
	return p;
}

static const char *sig_return_type(const char *sig, char *how)
{
	struct arg_slots slots;
	const char *p = parse_slots(sig, &slots);

	return return_type(p ?: "", how);
}

/**
 * arg_sig_get_info - find out what matters when a function's calls are recorded
 * @sig: a valid signature
 * @info: what is found out
 */
void arg_sig_get_info(const char *sig, struct arg_sig_info *info)
{
	struct arg_slots slots;
	const char *p = parse_slots(sig, &slots);
	char how;

	return_type(p ?: "", &how);
	*info = (struct arg_sig_info){
		.longs = slots.nr,
		.strings = slots.strings,
		.fields = slots.fields,
		.two_regs = how == '2',
	};
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_get_info);

/* The pieces of a parameter; NULL if one is malformed */
static const char *skip_valid_pieces(const char *p)
{
	while (p && *p == '@') {
		p = __skip_type(p + 1, ARG_TYPE_DEPTH);
		if (p)
			p = skip_whole_name(p);
	}
	return p;
}

/* What follows a list of parameters, NULL if it is malformed */
static const char *skip_valid_params(const char *p)
{
	u64 val[2];

	while (p && *p && *p != 'z' && *p != '|') {
		p = __skip_type(p, ARG_TYPE_DEPTH);
		while (p && *p && *p != ';' && *p != '=')
			p++;
		if (p && *p == '=')
			p = parse_hex(p + 1, val, 32);
		p = p && *p == ';' ? skip_valid_pieces(p + 1) : NULL;
	}
	return p;
}

/**
 * arg_sig_valid - whether a text is a signature
 * @sig: text that ends with NUL
 *
 * Modules are linked by anyone; this keeps a malformed signature from being
 * captured by.  What names say is not looked at.
 *
 * Return: true if the decoding functions here can rely on it.
 */
bool arg_sig_valid(const char *sig)
{
	struct arg_slots slots;
	const char *p;
	char how;

	p = parse_slots(sig, &slots);
	if (!p)
		return false;
	p = skip_valid_params(__skip_type(return_type(p, &how), ARG_TYPE_DEPTH));
	if (p && *p == 'z')
		p++;
	if (slots.fields)
		p = p && *p == '|' ? skip_valid_params(p + 1) : NULL;
	return p && !*p;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_valid);

/**
 * struct arg_view - the bytes that a value is in
 * @data: the bytes, maybe not aligned
 * @size: how many, a multiple of 8
 * @known: bit n: the eight bytes n are known
 * @removed: bit n: the compiler does not pass them
 */
struct arg_view {
	const void	*data;
	unsigned int	size;
	u64		known;
	u64		removed;
};

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

/* What stands for @nr bits of which some are not known */
static void put_missing(struct arg_out *out, const struct arg_view *view, u64 bit,
			u64 nr)
{
	bool removed = nr && view->removed;
	u64 i;

	for (i = bit / 64; removed && i * 64 < bit + nr; i++)
		removed = view_knows(view, i) || (i < 64 && view->removed & BIT_ULL(i));
	if (removed)
		put_unknown(out, ARG_REMOVED, "<optimized out>");
	else
		put_unknown(out, ARG_UNKNOWN, "?");
}

/* 1 to 64 bits from bit @bit on; false if one of them is not known */
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

/* Bytes of what put_value() shows, 0 for other types */
static unsigned int scalar_size(const char *type)
{
	switch (*type) {
	case 'P':
		return 8;
	case 'E':
		type++;
		fallthrough;
	case 'a'...'c':
	case 'h'...'m':
	case 's'...'y':
		return is_basic(*type) ? basic_types[*type - 'a'].size : 0;
	default:
		return 0;
	}
}

static const char *find_record(const struct arg_types *types, const char *id)
{
	const char *desc = arg_types_find(types, id);

	if (!desc)
		return NULL;
	desc += ARG_SIGS_ID_LEN;
	return *desc == 's' || *desc == 'u' ? desc + 1 : NULL;
}

/* Bytes of a type, -1 if that is not known */
static s64 type_size(const char *type, const struct arg_types *types, int depth)
{
	const char *record, *element;
	char how;
	s64 size;

	type = type_behind(type, &how);
	switch (*type) {
	case 'A':
		element = skip_digits(type + 1);
		if (!depth || *element != '_')
			return -1;
		size = type_size(element + 1, types, depth - 1);
		if (size < 0)
			return -1;
		return min(size * parse_number(type + 1), (s64)S32_MAX);
	case 'R':
		record = find_record(types, type + 1);
		if (!record)
			return -1;
		return parse_number(record);
	case 'n':
	case 'o':
		return 16;
	default:
		size = scalar_size(type);
		return size ?: -1;
	}
}

static void put_at(struct arg_out *out, const char *type, bool bits,
		   const struct arg_types *types, const struct arg_view *view,
		   u64 bit, int depth);

static void put_bit_field(struct arg_out *out, const char *type, bool bits,
			  const struct arg_types *types,
			  const struct arg_view *view, u64 bit,
			  unsigned int width)
{
	const char *whole = type, *basic;
	char *text = out->pos;
	char how;
	u64 val;

	type = type_behind(type, &how);
	basic = *type == 'E' ? type + 1 : type;
	if (!is_basic(*basic) || !width || width > scalar_size(basic) * 8 ||
	    !view_bits(view, bit, width, &val)) {
		put_missing(out, view, bit, width);
		return;
	}
	how = how_named(type, how, bits);
	if (basic_types[*basic - 'a'].sign && how != HOW_BITS)
		val = sign_extend64(val, width - 1);
	if (!put_value(out, type, how, types, val))
		put_unknown(out, ARG_UNKNOWN, "?");
	else if (unlikely(out->sink))
		tell_scalar(out, text, whole, bits, val);
}

/* ".name=value"; returns what follows the member's text */
static const char *put_member(struct arg_out *out, const char *p,
			      const struct arg_types *types,
			      const struct arg_view *view, u64 bit, int depth)
{
	unsigned int offset = parse_number(p), width = 0;
	const char *type, *name;
	bool bit_field, bits;

	p = skip_digits(p);
	bit_field = *p == ':';
	if (bit_field) {
		width = parse_number(p + 1);
		p = skip_digits(p + 1);
	}
	type = p;
	name = skip_type(type);
	put_char(out, '.');
	p = put_bare_name(out, name);
	tell_name(out, name, p);
	bits = names_bits(name, p);
	put_char(out, '=');
	if (bit_field)
		put_bit_field(out, type, bits, types, view, bit + offset, width);
	else
		put_at(out, type, bits, types, view, bit + offset * 8ULL, depth);
	return skip_name(p);
}

/* One of which nothing is known, no member or no byte, is no more than "?" */
static void put_record(struct arg_out *out, const char *id,
		       const struct arg_types *types,
		       const struct arg_view *view, u64 bit, int depth)
{
	const char *p = find_record(types, id);
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

/* Elements that are not in the captured bytes are "?..." together */
static void put_array(struct arg_out *out, const char *type, bool bits,
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
			put_unknown(out, ARG_UNKNOWN, i + 1 < nr ? "?..." : "?");
			break;
		}
		put_at(out, element, bits, types, view, bit + i * step,
		       depth - 1);
	}
	put_char(out, '}');
	tell_end(out);
}

static void __put_at(struct arg_out *out, const char *type, bool bits,
		     const struct arg_types *types, const struct arg_view *view,
		     u64 bit, int depth)
{
	unsigned int size;
	u64 val, high;
	char how;

	type = type_behind(type, &how);
	switch (*type) {
	case 'R':
		put_record(out, type + 1, types, view, bit, depth);
		return;
	case 'A':
		put_array(out, type, bits, types, view, bit, depth);
		return;
	case 'n':
	case 'o':
		size = 16;
		if (!view_bits(view, bit, 64, &val) ||
		    !view_bits(view, bit + 64, 64, &high))
			break;
		put_hex128(out, val, high);
		return;
	default:
		size = scalar_size(type);
		how = how_named(type, how, bits);
		if (!size || !view_bits(view, bit, size * 8, &val) ||
		    !put_value(out, type, how, types, val))
			break;
		return;
	}
	put_missing(out, view, bit, size * 8);
}

/*
 * The same, and the sink is told; records and arrays tell their own, put_missing()
 * tells what is missing
 */
static noinline void tell_at(struct arg_out *out, const char *type, bool bits,
			     const struct arg_types *types,
			     const struct arg_view *view, u64 bit, int depth)
{
	struct arg_value value = { .kind = ARG_WIDE, .type = type };
	const char *behind, *text = out->pos;
	unsigned int size;
	char how;

	__put_at(out, type, bits, types, view, bit, depth);
	behind = type_behind(type, &how);
	switch (*behind) {
	case 'R':
	case 'A':
		break;
	case 'n':
	case 'o':
		if (view_bits(view, bit, 64, &value.val) &&
		    view_bits(view, bit + 64, 64, &value.high))
			tell_value(out, &value, text);
		break;
	default:
		size = scalar_size(behind);
		if (size && view_bits(view, bit, size * 8, &value.val))
			tell_scalar(out, text, type, bits, value.val);
	}
}

/*
 * A value of any type, from bit @bit of what was captured on; @bits: its name
 * says that it holds bits
 */
static void put_at(struct arg_out *out, const char *type, bool bits,
		   const struct arg_types *types, const struct arg_view *view,
		   u64 bit, int depth)
{
	if (unlikely(out->sink))
		tell_at(out, type, bits, types, view, bit, depth);
	else
		__put_at(out, type, bits, types, view, bit, depth);
}

/**
 * struct arg_call - a call whose arguments are written
 * @slots: the longs that its signature lists
 * @types: the descriptions
 * @data: what was recorded; NULL if nothing was
 * @size: bytes of @data
 * @next: the long that the next parameter begins with
 * @end: the first long that does not belong to these parameters
 */
struct arg_call {
	struct arg_slots		slots;
	const struct arg_types		*types;
	const void			*data;
	unsigned int			size;
	unsigned int			next;
	unsigned int			end;
};

/* The longs of an event are those of its signature, or there are none */
static void set_call_data(struct arg_call *call, const struct arg_longs *longs)
{
	unsigned int size = call->slots.nr * sizeof(u64);

	if (call->slots.strings ? longs->size < size : longs->size != size)
		return;
	call->data = longs->data;
	call->size = longs->size;
}

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

/* The bytes of the string that a long points to; NULL if there are none */
static const u8 *find_string(const struct arg_call *call, unsigned int index,
			     unsigned int *header)
{
	unsigned int pos = call->slots.nr * sizeof(u64);
	const u8 *data = call->data;
	unsigned int i, len;

	for (i = 0; i <= index; i++) {
		if (!(call->slots.strings & BIT_ULL(i)))
			continue;
		if (call->size - pos < sizeof(u16))
			return NULL;
		*header = get_unaligned((const u16 *)(data + pos));
		pos += sizeof(u16);
		if (*header == ARG_STRING_UNREAD) {
			if (i == index)
				return NULL;
			continue;
		}
		len = *header & ~ARG_STRING_CUT;
		if (len > call->size - pos)
			return NULL;
		if (i == index)
			return data + pos;
		pos += len;
	}
	return NULL;
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
		put_hex_digits(out, c, 2);
	}
}

static void put_string(struct arg_out *out, const struct arg_call *call,
		       unsigned int index)
{
	u64 addr = get_unaligned((const u64 *)call->data + index);
	unsigned int header = 0, i;
	const u8 *text = NULL;

	if (addr && !IS_ERR_VALUE((unsigned long)addr))
		text = find_string(call, index, &header);
	if (!text) {
		put_pointer(out, "v", addr);
		return;
	}
	put_char(out, '"');
	for (i = 0; i < (header & ~ARG_STRING_CUT); i++)
		put_escaped(out, text[i]);
	put_char(out, '"');
	if (header & ARG_STRING_CUT)
		arg_out_puts(out, "...");
}

/* What most parameters are: a value of up to 64 bits; false if it is not */
static bool put_long(struct arg_out *out, const struct arg_call *call,
		     const char *type, bool bits, unsigned int index)
{
	u64 val = get_unaligned((const u64 *)call->data + index);
	unsigned int size;
	char how;

	if (*type == 'P') {
		put_pointer(out, type + 1, val);
		return true;
	}
	type = type_behind(type, &how);
	size = scalar_size(type);
	if (!size)
		return false;
	if (size < sizeof(val))
		val &= BIT_ULL(size * 8) - 1;
	return put_value(out, type, how_named(type, how, bits), call->types, val);
}

/* The @nr longs from long @first on, without those of others */
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

/* The bytes of a string, or the address where they could not be read */
static void tell_string(struct arg_out *out, const struct arg_call *call,
			const char *type, unsigned int index)
{
	struct arg_value value = { .kind = ARG_POINTER, .type = type };
	const char *text = out->pos;
	unsigned int header = 0;

	put_string(out, call, index);
	value.val = get_unaligned((const u64 *)call->data + index);
	if (value.val && !IS_ERR_VALUE((unsigned long)value.val))
		value.data = find_string(call, index, &header);
	if (value.data) {
		value.kind = ARG_STRING;
		value.size = header & ~ARG_STRING_CUT;
		value.cut = header & ARG_STRING_CUT;
	}
	tell_value(out, &value, text);
}

/* put_longs() for a sink */
static noinline void tell_longs(struct arg_out *out, const struct arg_call *call,
				const char *type, bool bits, unsigned int first,
				unsigned int nr)
{
	struct arg_view view = { };

	if (!call->data) {
		put_unknown(out, ARG_UNKNOWN, "?");
	} else if (first < call->end && call->slots.strings & BIT_ULL(first)) {
		tell_string(out, call, type, first);
	} else {
		view = longs_view(call, first, nr);
		tell_at(out, type, bits, call->types, &view, 0, ARG_VALUE_DEPTH);
	}
}

/* The value of @type in the @nr longs from long @first on; @bits as in put_at() */
static void put_longs(struct arg_out *out, const struct arg_call *call,
		      const char *type, bool bits, unsigned int first,
		      unsigned int nr)
{
	struct arg_view view;

	if (unlikely(out->sink)) {
		tell_longs(out, call, type, bits, first, nr);
		return;
	}
	if (!call->data) {
		put_char(out, '?');
		return;
	}
	if (first < call->end) {
		if (call->slots.strings & BIT_ULL(first)) {
			put_string(out, call, first);
			return;
		}
		if (call->slots.known & BIT_ULL(first) &&
		    put_long(out, call, type, bits, first))
			return;
	}
	view = longs_view(call, first, nr);
	__put_at(out, type, bits, call->types, &view, 0, ARG_VALUE_DEPTH);
}

/* The value that the compiler put in a parameter's place */
static void put_constant(struct arg_out *out, const struct arg_types *types,
			 const char *type, bool bits, const char *text)
{
	u64 longs[2];
	struct arg_view view = { .data = longs, .size = 16, .known = 3 };

	if (!parse_hex(text, longs, 32)) {
		put_unknown(out, ARG_UNKNOWN, "?");
		return;
	}
	put_at(out, type, bits, types, &view, 0, ARG_VALUE_DEPTH);
}

/* The next parameter's longs begin behind these: nothing is above the cap */
static void skip_longs(struct arg_call *call, unsigned int nr)
{
	call->next = min(call->next + nr, ARG_SIGS_MAX_LONGS);
}

/* "p->x=3, p->y=4"; or only the longs that these have are gone over */
static const char *put_pieces(struct arg_out *out, struct arg_call *call,
			      const char *p)
{
	const char *type, *name;
	unsigned int nr;

	while (*p == '@') {
		type = p + 1;
		name = skip_type(type);
		nr = type_longs(type);
		if (out) {
			p = put_bare_name(out, name);
			tell_name(out, name, p);
			put_char(out, '=');
			put_longs(out, call, type, names_bits(name, p),
				  call->next, nr);
			p = skip_name(p);
			if (*p == '@')
				arg_out_puts(out, ", ");
		} else {
			p = skip_name(name);
		}
		skip_longs(call, nr);
	}
	return p;
}

/* Whether a removed parameter is shown by its pieces: the first, or NULL */
static const char *instead_of(const char *name)
{
	const char *end = name + strcspn(name, ";=");

	return end[0] == ';' && end[1] == '@' ? end + 1 : NULL;
}

/* "name=value"; returns what follows the parameter and its pieces */
static const char *put_param(struct arg_out *out, struct arg_call *call,
			     const char *type)
{
	const char *name = skip_type(type);
	unsigned int first = call->next;
	unsigned int nr = type_longs(type);
	bool removed = is_removed(call, first, nr);
	const char *p;
	bool bits;

	skip_longs(call, nr);
	if (removed) {
		p = instead_of(name);
		if (p)
			return put_pieces(out, call, p);
	}

	p = put_bare_name(out, name);
	tell_name(out, name, p);
	bits = names_bits(name, p);
	if (p != name)
		put_char(out, '=');
	if (!removed)
		put_longs(out, call, type, bits, first, nr);
	else if (*p == '=')
		put_constant(out, call->types, type, bits, p + 1);
	else
		put_unknown(out, ARG_REMOVED, "<optimized out>");
	return put_pieces(NULL, call, skip_name(p));
}

/* What follows a parameter and its pieces */
static const char *skip_param(const char *p)
{
	do {
		p = skip_name(skip_type(p));
	} while (*p++ == '@');
	return p - 1;
}

/* What stands behind '|', or the text's end */
static const char *skip_to_fields(const char *p)
{
	while (*p && *p != '|')
		p = *p == 'z' ? p + 1 : skip_param(p);
	return *p ? p + 1 : p;
}

/**
 * arg_sig_put_args - write a call's arguments, "(fd=3, buf=0x7ffc...)"
 * @out: where to
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @longs: what was captured; what is missing there shows as "?"
 *
 * Any context.
 */
void arg_sig_put_args(struct arg_out *out, const char *sig,
		      const struct arg_types *types,
		      const struct arg_longs *longs)
{
	struct arg_call call = { .types = types };
	struct arg_cut cut;
	bool first = true;
	const char *p;
	char how;

	p = parse_slots(sig, &call.slots);
	if (!p) {
		arg_out_puts(out, "(?)");
		return;
	}
	set_call_data(&call, longs);
	call.end = call.slots.nr_args;
	p = skip_type(return_type(p, &how));
	if (call.slots.fields) {
		p = skip_to_fields(p);
		call.next = call.slots.nr_args;
		call.end = call.slots.nr;
	}

	begin_cut(out, &cut, ARG_TEXT_ARGS);
	put_char(out, '(');
	while (*p && *p != 'z' && *p != '|') {
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		p = put_param(out, &call, p);
	}
	end_cut(out, &cut);
	put_char(out, ')');
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_args);

/**
 * arg_sig_is_void - whether a function returns nothing
 * @sig: the function's signature
 */
bool arg_sig_is_void(const char *sig)
{
	char how;

	return *type_behind(sig_return_type(sig, &how), &how) == 'v';
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_is_void);

/* " (-EIO)" behind a signed integer that is an error's number */
static void put_ret_error(struct arg_out *out, const char *type, u64 val)
{
	const char *name = NULL;
	char how;

	type = type_behind(type, &how);
	if (!is_basic(*type) || *type == 'c' || (how != 'T' && how != 'D') ||
	    !basic_types[*type - 'a'].sign || basic_types[*type - 'a'].size > 8)
		return;
	val = truncate_value(*type, val);
	if (IS_ERR_VALUE((unsigned long)val))
		name = errname(val);
	if (name) {
		arg_out_puts(out, " (");
		arg_out_puts(out, name);
		put_char(out, ')');
	}
}

/**
 * arg_sig_put_ret - write what a call returned, "ret=-5 (-EIO)"
 * @out: where to
 * @sig: the function's signature, NULL if it is not known
 * @types: the descriptions that @sig refers to
 * @regs: the return registers, RAX and RDX
 * @nr_regs: how many of them there are, 1 or 2; see struct arg_sig_info
 * @hex: write the first register as it is
 *
 * Any context. For functions that return something, see arg_sig_is_void().
 */
void arg_sig_put_ret(struct arg_out *out, const char *sig,
		     const struct arg_types *types, const u64 *regs,
		     unsigned int nr_regs, bool hex)
{
	struct arg_view view = { .data = regs, .size = sizeof(*regs), .known = 3 };
	const char *type = NULL;
	struct arg_cut cut;
	char how = '?';
	char *text;

	arg_out_puts(out, "ret=");
	text = out->pos;
	if (hex) {
		put_hex(out, regs[0]);
		return;
	}
	if (sig)
		type = sig_return_type(sig, &how);
	switch (how) {
	case '?':
		put_unknown(out, ARG_UNKNOWN, "?");
		return;
	case '&':
		put_pointer(out, "v", regs[0]);
		if (unlikely(out->sink))
			tell_scalar(out, text, "Pv", false, regs[0]);
		return;
	case '2':
		view.size = nr_regs * sizeof(*regs);
		break;
	}
	begin_cut(out, &cut, ARG_TEXT_RET);
	put_at(out, type, false, types, &view, 0, ARG_VALUE_DEPTH);
	end_cut(out, &cut);
	put_ret_error(out, type, regs[0]);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_ret);

static const char *put_type_left(struct arg_out *out, const char *p,
				 const struct arg_types *types, int depth);
static void put_type_right(struct arg_out *out, const char *p,
			   const struct arg_types *types, int depth);

/* A declaration is written around its name, from the inside to the outside */
static const char *put_decl(struct arg_out *out, const char *type,
			    const struct arg_types *types, const char *name,
			    int depth)
{
	const char *end = put_type_left(out, type, types, depth);

	if (*name && *name != ';' && *name != '=') {
		if (out->last != '*' && out->last != '(')
			put_char(out, ' ');
		put_name(out, name);
	}
	put_type_right(out, type, types, depth);
	return end;
}

static void put_tag(struct arg_out *out, const char *id,
		    const struct arg_types *types)
{
	const char *desc = arg_types_find(types, id);
	const char *tag;

	if (!desc) {
		arg_out_puts(out, "struct ?");
		return;
	}
	tag = desc + ARG_SIGS_ID_LEN;
	switch (*tag++) {
	case 'e':
	case 'b':
		arg_out_puts(out, "enum ");
		tag++;
		break;
	case 's':
		arg_out_puts(out, "struct ");
		tag = skip_name(tag);
		break;
	default:
		arg_out_puts(out, "union ");
		tag = skip_name(tag);
	}
	if (*tag == ';')
		arg_out_puts(out, "{...}");
	else
		put_name(out, tag);
}

/* What stands left of the name; returns what follows the type */
static const char *put_type_left(struct arg_out *out, const char *p,
				 const struct arg_types *types, int depth)
{
	const char *end, *target;
	char c = *p;

	if (!depth)
		return p + strlen(p);
	if (is_basic(c)) {
		arg_out_puts(out, basic_types[c - 'a'].name);
		return p + 1;
	}
	switch (c) {
	case 'P':
		end = put_type_left(out, p + 1, types, depth - 1);
		target = p + 1;
		while (*target == 'K' || *target == 'V')
			target++;
		if (*target == 'F' || *target == 'A')
			arg_out_puts(out, " (*");
		else
			arg_out_puts(out, out->last == '*' ? "*" : " *");
		return end;
	case 'K':
	case 'V':
		/* The qualifier of a pointer stands behind its asterisk */
		if (p[1] == 'P') {
			end = put_type_left(out, p + 1, types, depth - 1);
			arg_out_puts(out, c == 'K' ? "const" : "volatile");
			return end;
		}
		arg_out_puts(out, c == 'K' ? "const " : "volatile ");
		return put_type_left(out, p + 1, types, depth - 1);
	case 'S':
		arg_out_puts(out, "struct ");
		return put_name(out, p + 1);
	case 'U':
		arg_out_puts(out, "union ");
		return put_name(out, p + 1);
	case 'N':
		return put_name(out, p + 1);
	case 'T':
	case 'D':
	case 'G':
	case 'O':
	case 'M':
		return skip_type(put_name(out, p + 1));
	case 'E':
		if (is_basic(p[1]))
			put_tag(out, p + 2, types);
		break;
	case 'R':
		put_tag(out, p + 1, types);
		break;
	case 'X':
		put_name(out, p + 1);
		break;
	case 'A':
		p = skip_digits(p + 1);
		return *p == '_' ?
			put_type_left(out, p + 1, types, depth - 1) : p;
	case 'F':
		put_type_left(out, p + 1, types, depth - 1);
		break;
	}
	return skip_type(p);
}

static void put_type_right(struct arg_out *out, const char *p,
			   const struct arg_types *types, int depth)
{
	const char *target;
	bool first = true;

	if (!depth)
		return;
	switch (*p) {
	case 'K':
	case 'V':
		put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'P':
		target = p + 1;
		while (*target == 'K' || *target == 'V')
			target++;
		if (*target == 'F' || *target == 'A')
			put_char(out, ')');
		put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'A':
		put_char(out, '[');
		for (p++; isdigit(*p); p++)
			put_char(out, *p);
		put_char(out, ']');
		if (*p == '_')
			put_type_right(out, p + 1, types, depth - 1);
		break;
	case 'F':
		put_char(out, '(');
		target = p + 1;
		p = skip_type(target);
		while (*p && *p != '_' && *p != 'z') {
			if (!first)
				arg_out_puts(out, ", ");
			first = false;
			p = put_decl(out, p, types, "", depth - 1);
		}
		if (*p == 'z')
			arg_out_puts(out, first ? "" : ", ...");
		else if (first)
			arg_out_puts(out, "void");
		put_char(out, ')');
		put_type_right(out, target, types, depth - 1);
		break;
	}
}

/**
 * arg_sig_put_proto - write a function's prototype as C
 * @out: where to
 * @sig: the function's signature
 * @types: the descriptions that @sig refers to
 * @name: the function's name
 *
 * Any context.
 */
void arg_sig_put_proto(struct arg_out *out, const char *sig,
		       const struct arg_types *types, const char *name)
{
	const char *ret, *p;
	bool first = true;
	char how;

	ret = sig_return_type(sig, &how);
	p = put_type_left(out, ret, types, ARG_TYPE_DEPTH);
	if (out->last != '*')
		put_char(out, ' ');
	arg_out_puts(out, name);
	put_char(out, '(');
	while (*p && *p != 'z' && *p != '|') {
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		put_decl(out, p, types, skip_type(p), ARG_TYPE_DEPTH);
		p = skip_param(p);
	}
	if (*p == 'z')
		arg_out_puts(out, first ? "" : ", ...");
	else if (first)
		arg_out_puts(out, "void");
	put_char(out, ')');
	put_type_right(out, ret, types, ARG_TYPE_DEPTH);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_proto);

/* Set in an index: the id has two descriptions */
#define ARG_TYPE_AMBIGUOUS	BIT(31)

/*
 * Slots of an index where a description may be.  An index is half empty: more
 * are taken only where ids were made to collide.
 */
#define ARG_TYPE_PROBES		64

static bool same_id(const char *a, const char *b)
{
	BUILD_BUG_ON(sizeof(u64) != ARG_SIGS_ID_LEN);
	return get_unaligned((const u64 *)a) == get_unaligned((const u64 *)b);
}

static u32 id_hash(const char *id)
{
	u32 hash = 0;
	int i;

	/* The id is a hash itself; its first characters are enough */
	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		hash = hash * 31 + (u8)id[i];
	return hash;
}

static bool enumerators_valid(const char *p)
{
	u64 val;

	while (p && *p)
		p = enumerator_value(p, &val);
	return p;
}

static bool members_valid(const char *p)
{
	while (p && *p) {
		if (!isdigit(*p))
			return false;
		p = skip_digits(p);
		if (*p == ':') {
			if (!isdigit(p[1]))
				return false;
			p = skip_digits(p + 1);
		}
		p = __skip_type(p, ARG_TYPE_DEPTH);
		if (p)
			p = skip_whole_name(p);
	}
	return p;
}

static bool description_valid(const char *desc)
{
	const char *p = desc + ARG_SIGS_ID_LEN;

	if (!whole_id(desc))
		return false;
	switch (*p) {
	case 'e':
	case 'b':
		return is_basic(p[1]) &&
			enumerators_valid(skip_whole_name(p + 2));
	case 's':
	case 'u':
		p = skip_digits(p + 1);
		if (*p != ';' || !isdigit(p[-1]))
			return false;
		p = skip_whole_name(p + 1);
		return p && members_valid(p);
	default:
		return false;
	}
}

/**
 * arg_types_count - the descriptions that a section of them has
 * @text: the section
 * @size: its bytes
 *
 * Return: their number; -EINVAL if the last one has no end, or one of them is
 * malformed.
 */
int arg_types_count(const char *text, u32 size)
{
	const char *end = text + size;
	int nr = 0;

	if (size && end[-1])
		return -EINVAL;
	while (text < end) {
		/* The linker may fill up with NULs */
		if (*text) {
			if (!description_valid(text))
				return -EINVAL;
			nr++;
		}
		text += strlen(text) + 1;
	}
	return nr;
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_count);

/**
 * arg_types_slots - the slots that an index of descriptions has
 * @nr: how many descriptions there are
 *
 * Return: a power of two, at least twice @nr.
 */
u32 arg_types_slots(u32 nr)
{
	return roundup_pow_of_two(max(2 * nr, 2U));
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_slots);

static const char *indexed(const struct arg_types *types, u32 slot)
{
	return types->text + (types->index[slot] & ~ARG_TYPE_AMBIGUOUS) - 1;
}

/*
 * The slot that an id has in an index, or would get: an empty one; NULL if it
 * can have none.
 */
static u32 *find_slot(const struct arg_types *types, const char *id)
{
	u32 hash = id_hash(id), i;

	for (i = 0; i < ARG_TYPE_PROBES; i++) {
		u32 slot = (hash + i) & types->mask;

		if (!types->index[slot] || same_id(indexed(types, slot), id))
			return &types->index[slot];
	}
	return NULL;
}

/**
 * arg_types_index - fill an index of descriptions
 * @types: its text, and an empty index of arg_types_slots() slots
 *
 * Two descriptions of one id that differ would be two types that cannot be
 * told apart: neither is found then.
 *
 * Return: how many descriptions were dropped: for that, or for want of a slot.
 */
int arg_types_index(struct arg_types *types)
{
	const char *p = types->text;
	const char *end = p + types->size;
	int dropped = 0;

	for (; p < end; p += strlen(p) + 1) {
		u32 *slot;

		if (!*p)
			continue;
		slot = find_slot(types, p);
		if (slot && !*slot) {
			*slot = p - types->text + 1;
		} else if (!slot) {
			dropped++;
		} else if (strcmp(indexed(types, slot - types->index), p)) {
			*slot |= ARG_TYPE_AMBIGUOUS;
			dropped++;
		}
	}
	return dropped;
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_index);

/**
 * arg_types_find - find a description
 * @types: where to
 * @id: ARG_SIGS_ID_LEN characters, or fewer where the text ends
 *
 * Return: the description from its id on, NULL if there is none.
 */
const char *arg_types_find(const struct arg_types *types, const char *id)
{
	u32 *slot;

	if (!types->index || !whole_id(id))
		return NULL;
	slot = find_slot(types, id);
	if (!slot || !*slot || *slot & ARG_TYPE_AMBIGUOUS)
		return NULL;
	return indexed(types, slot - types->index);
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_find);
