// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures and values as text
 *
 * Decodes what include/linux/arg_sigs.h describes.  A signature is read from
 * left to right, once; nothing is allocated, nothing is looked up but the
 * description of an enum and the symbol of a pointer to a function.  Text that
 * does not end where the format says it must ends at its NUL: each step looks
 * at the character before it goes on.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errname.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "trace_arg_sigs.h"

/* Functions that are parameters of functions, arrays of arrays: no deeper */
#define ARG_TYPE_DEPTH		16

static const struct {
	const char	*name;
	u8		size;
	bool		sign;
} basic_types[26] = {
	['a' - 'a'] = { "signed char", 1, true },
	['b' - 'a'] = { "bool", 1 },
	['c' - 'a'] = { "char", 1, true },
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

/* Copies up to ';' and returns what follows that, or the text's end */
static const char *put_name(struct arg_out *out, const char *p)
{
	while (*p && *p != ';')
		put_char(out, *p++);
	return *p ? p + 1 : p;
}

static const char *skip_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : p;
}

/* The same, but NULL where the name has no end */
static const char *skip_whole_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : NULL;
}

static bool whole_id(const char *p)
{
	return strnlen(p, ARG_SIGS_ID_LEN) == ARG_SIGS_ID_LEN;
}

static void put_hex(struct arg_out *out, u64 val)
{
	int shift = val ? (fls64(val) - 1) & ~3 : 0;

	put_char(out, '0');
	put_char(out, 'x');
	for (; shift >= 0; shift -= 4)
		put_char(out, "0123456789abcdef"[(val >> shift) & 15]);
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

/* What only printk's formats can write */
#define put_format(out, ...)						\
({									\
	struct arg_out *__out = (out);					\
	size_t __left = __out->pos < __out->end ?			\
			__out->end - __out->pos : 0;			\
									\
	__out->pos += snprintf(__left ? __out->pos : NULL, __left,	\
			       __VA_ARGS__);				\
})

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

static void put_char_value(struct arg_out *out, char c)
{
	if (c < ' ' || c > '~') {
		put_dec(out, (signed char)c);
		return;
	}
	put_char(out, '\'');
	if (c == '\'' || c == '\\')
		put_char(out, '\\');
	put_char(out, c);
	put_char(out, '\'');
}

static void put_pointer(struct arg_out *out, const char *type, u64 val)
{
	const char *name;

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
	while (*type == 'K' || *type == 'V')
		type++;
	if (*type == 'F')
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
		put_hex(out, val);
}

static void put_bool(struct arg_out *out, u8 val)
{
	if (val > 1)
		put_udec(out, val);
	else
		arg_out_puts(out, val ? "true" : "false");
}

/* One enumerator's value; returns what follows it */
static const char *enumerator_value(const char *p, u64 *val)
{
	bool negative = false;
	u64 num = 0;
	int digit;

	while (*p && *p != ';' && *p != '=')
		p++;
	if (*p == '=') {
		p++;
		negative = *p == '-';
		if (negative)
			p++;
		while ((digit = hex_to_bin(*p)) >= 0) {
			num = num << 4 | digit;
			p++;
		}
		*val = negative ? -num : num;
	}
	return *p == ';' ? p + 1 : NULL;
}

static void put_enumerator(struct arg_out *out, const char *p)
{
	while (*p && *p != ';' && *p != '=')
		put_char(out, *p++);
}

static void put_enum_bits(struct arg_out *out, const char *p, u64 val)
{
	bool first = true;
	u64 bit = 0;

	while (p && *p) {
		const char *name = p;

		p = enumerator_value(p, &bit);
		if (bit ? (val & bit) == bit : !val && first) {
			if (!first)
				put_char(out, '|');
			put_enumerator(out, name);
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
		put_hex(out, val);
	}
}

static void put_enum(struct arg_out *out, char basic, const char *id,
		     const struct arg_types *types, u64 val)
{
	const char *desc = arg_types_find(types, id);
	u64 each = 0;
	const char *p;
	char kind;

	val = truncate_value(basic, val);
	if (!desc) {
		put_int(out, basic, val);
		return;
	}
	kind = desc[ARG_SIGS_ID_LEN];
	p = skip_name(desc + ARG_SIGS_ID_LEN + 2);
	if (kind == 'b') {
		put_enum_bits(out, p, val);
		return;
	}
	while (p && *p) {
		const char *name = p;

		p = enumerator_value(p, &each);
		if (truncate_value(basic, each) == val) {
			put_enumerator(out, name);
			return;
		}
		each++;
	}
	put_int(out, basic, val);
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

/* What a type's long shows; false if this type cannot be shown from it */
static bool put_value(struct arg_out *out, const char *type,
		      const struct arg_types *types, u64 val)
{
	gfp_t gfp;
	char how;

	type = type_behind(type, &how);
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
	case 'D':
		val = truncate_value(*type, val);
		if (basic_types[*type - 'a'].sign)
			put_dec(out, val);
		else
			put_udec(out, val);
		break;
	case 'G':
		gfp = (__force gfp_t)(u32)val;
		if (gfp)
			put_format(out, "%pGg", &gfp);
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
			p++;
			while (isdigit(*p))
				p++;
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

/* What follows the list of slots; @slots is NULL for registers in order */
static const char *skip_longs(const char *sig, const char **slots)
{
	*slots = NULL;
	if (*sig != '(')
		return *sig ? sig + 1 : sig;
	*slots = ++sig;
	while (*sig && *sig != ')')
		sig++;
	return *sig ? sig + 1 : sig;
}

/**
 * arg_sig_longs - the longs that a signature's list of slots has
 * @sig: a valid signature
 *
 * Return: their number, which is what is captured at each call.
 */
int arg_sig_longs(const char *sig)
{
	return *sig == '(' ? strcspn(sig + 1, ")") : *sig - '0';
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_longs);

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
	const char *slots, *p;

	if (!(*sig >= '0' && *sig <= '6') && *sig != '(')
		return false;
	p = skip_longs(sig, &slots);
	if (slots) {
		if (p[-1] != ')' || p - 1 - slots > ARG_SIGS_MAX_LONGS)
			return false;
		for (; *slots != ')'; slots++)
			if (*slots != '-' && !(*slots >= 'a' && *slots <= 'f'))
				return false;
	}
	if (*p == '?')
		p++;
	p = __skip_type(p, ARG_TYPE_DEPTH);
	while (p && *p && *p != 'z') {
		p = __skip_type(p, ARG_TYPE_DEPTH);
		if (p)
			p = skip_whole_name(p);
	}
	return p && (!*p || !p[1]);
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_valid);

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
	unsigned int nr_slots = arg_sig_longs(sig);
	unsigned int nr = min(longs->nr, nr_slots);
	const char *slots, *type, *p;
	unsigned int i = 0;

	p = skip_longs(sig, &slots);
	if (*p == '?')
		p++;
	p = skip_type(p);

	put_char(out, '(');
	while (*p && *p != 'z') {
		if (i)
			arg_out_puts(out, ", ");
		type = p;
		p = skip_type(p);
		if (*p != ';') {
			p = put_name(out, p);
			put_char(out, '=');
		} else {
			p++;
		}
		if (i >= nr || (slots && slots[i] == '-') ||
		    !put_value(out, type, types,
			       get_unaligned((const unsigned long *)longs->data + i)))
			put_char(out, '?');
		i += type_longs(type);
	}
	put_char(out, ')');
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_put_args);

/* The type that a function returns, and whether it is known what is returned */
static const char *return_type(const char *sig, bool *known)
{
	const char *slots, *type = skip_longs(sig, &slots);

	*known = *type != '?';
	return *known ? type : type + 1;
}

/**
 * arg_sig_is_void - whether a function returns nothing
 * @sig: the function's signature
 */
bool arg_sig_is_void(const char *sig)
{
	bool known;

	return *return_type(sig, &known) == 'v';
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_is_void);

/**
 * arg_sig_put_ret - write what a call returned, "ret=-5 (-EIO)"
 * @out: where to
 * @sig: the function's signature, NULL if it is not known
 * @types: the descriptions that @sig refers to
 * @retval: the return register
 * @hex: write the register as it is
 *
 * Any context. For functions that return something, see arg_sig_is_void().
 */
void arg_sig_put_ret(struct arg_out *out, const char *sig,
		     const struct arg_types *types, unsigned long retval,
		     bool hex)
{
	const char *type = NULL, *name = NULL;
	bool known = false;
	char how;

	if (sig)
		type = return_type(sig, &known);

	arg_out_puts(out, "ret=");
	if (hex) {
		put_hex(out, retval);
		return;
	}
	if (!known || !put_value(out, type, types, retval)) {
		put_char(out, '?');
		return;
	}

	type = type_behind(type, &how);
	if (is_basic(*type) && *type != 'c' && basic_types[*type - 'a'].sign &&
	    (how == 'T' || how == 'D')) {
		s64 val = truncate_value(*type, retval);

		if (val < 0 && val >= -MAX_ERRNO)
			name = errname(val);
		if (name) {
			arg_out_puts(out, " (");
			arg_out_puts(out, name);
			put_char(out, ')');
		}
	}
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

	if (*name && *name != ';') {
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
		put_tag(out, p + 2, types);
		break;
	case 'R':
		put_tag(out, p + 1, types);
		break;
	case 'X':
		put_name(out, p + 1);
		break;
	case 'A':
		p++;
		while (isdigit(*p))
			p++;
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
	const char *slots, *ret, *p, *param;
	bool first = true;

	ret = skip_longs(sig, &slots);
	if (*ret == '?')
		ret++;
	p = put_type_left(out, ret, types, ARG_TYPE_DEPTH);
	if (out->last != '*')
		put_char(out, ' ');
	arg_out_puts(out, name);
	put_char(out, '(');
	while (*p && *p != 'z') {
		if (!first)
			arg_out_puts(out, ", ");
		first = false;
		param = p;
		p = skip_type(p);
		put_decl(out, param, types, p, ARG_TYPE_DEPTH);
		p = skip_name(p);
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

static u32 id_hash(const char *id)
{
	u32 hash = 0;
	int i;

	/* The id is a hash itself; its first characters are enough */
	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		hash = hash * 31 + (u8)id[i];
	return hash;
}

static bool description_valid(const char *desc)
{
	const char *p = desc + ARG_SIGS_ID_LEN;

	if (!whole_id(desc))
		return false;
	switch (*p) {
	case 'e':
	case 'b':
		return is_basic(p[1]) && skip_whole_name(p + 2);
	case 's':
	case 'u':
		p = skip_whole_name(p + 1);
		return p && skip_whole_name(p);
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

/**
 * arg_types_index - fill an index of descriptions
 * @types: its text, and an empty index of arg_types_slots() slots
 *
 * Two descriptions of one id that differ would be two types that cannot be
 * told apart: neither is found then.
 *
 * Return: how many ids were dropped for that.
 */
int arg_types_index(struct arg_types *types)
{
	const char *p = types->text;
	const char *end = p + types->size;
	int dropped = 0;

	for (; p < end; p += strlen(p) + 1) {
		u32 slot;

		if (!*p)
			continue;
		slot = id_hash(p) & types->mask;
		while (types->index[slot]) {
			const char *other = indexed(types, slot);

			if (!strncmp(other, p, ARG_SIGS_ID_LEN)) {
				if (strcmp(other, p)) {
					types->index[slot] |= ARG_TYPE_AMBIGUOUS;
					dropped++;
				}
				break;
			}
			slot = (slot + 1) & types->mask;
		}
		if (!types->index[slot])
			types->index[slot] = p - types->text + 1;
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
	u32 slot;

	if (!types->index || !whole_id(id))
		return NULL;
	slot = id_hash(id) & types->mask;
	while (types->index[slot]) {
		const char *desc = indexed(types, slot);

		if (!strncmp(desc, id, ARG_SIGS_ID_LEN))
			return types->index[slot] & ARG_TYPE_AMBIGUOUS ?
				NULL : desc;
		slot = (slot + 1) & types->mask;
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(arg_types_find);
