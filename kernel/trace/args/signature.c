// SPDX-License-Identifier: GPL-2.0
/*
 * Parse signatures, and check that they are valid
 */
#include <linux/hex.h>

#include <kunit/visibility.h>

#include "text.h"

const struct arg_basic_type arg_basic_types[26] = {
	['a' - 'a'] = { "signed char", 1, true },
	['b' - 'a'] = { "bool", 1 },
	['c' - 'a'] = { "char", 1 },	/* unsigned: the kernel has -funsigned-char */
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

/**
 * arg_type_skip_names - skip typedefs and qualifiers
 * @type: the type
 * @how: the letter of the last typedef that changes how a value is written, else 'T'
 *
 * Return: the type after the typedefs and qualifiers.
 */
const char *arg_type_skip_names(const char *type, char *how)
{
	*how = 'T';
	for (;;) {
		switch (*type) {
		case 'D':
		case 'G':
		case 'O':
		case 'M':
		case 'B':
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

/**
 * arg_parse_hex - parse a hexadecimal number, which may follow "-"
 * @p: the text
 * @val: set to the number of 128 bits, the lower half first
 * @max: maximum number of digits
 *
 * Return: the text after the number, NULL if the number has no digits or too many digits.
 */
const char *arg_parse_hex(const char *p, u64 val[2], int max)
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

/**
 * arg_enumerator_value - skip an enumerator, and find its value
 * @p: the enumerator
 * @val: set to the enumerator's value if the enumerator has a value
 *
 * Return: the text after the enumerator, NULL if the enumerator is malformed.
 */
const char *arg_enumerator_value(const char *p, u64 *val)
{
	u64 num[2];

	while (*p && *p != ';' && *p != '=')
		p++;
	if (*p == '=') {
		p = arg_parse_hex(p + 1, num, 16);
		*val = num[0];
	}
	return p && *p == ';' ? p + 1 : NULL;
}

/**
 * arg_type_end - find the end of a type
 * @p: the type
 * @depth: maximum nesting of functions in functions, ARG_TYPE_DEPTH
 *
 * Return: the text after the type, NULL if the type is malformed.
 */
const char *arg_type_end(const char *p, int depth)
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
		case 'B':
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
			p = arg_type_end(p + 1, depth - 1);
			while (p && *p && *p != '_' && *p != 'z')
				p = arg_type_end(p, depth - 1);
			if (p && *p == 'z')
				p++;
			return p && *p == '_' ? p + 1 : NULL;
		default:
			return NULL;
		}
	}
	return NULL;
}

/**
 * arg_type_skip - skip a type
 * @p: the type
 *
 * Return: the text after the type. If the type is malformed, the end of the text, where
 * nothing more is found.
 */
const char *arg_type_skip(const char *p)
{
	const char *end = arg_type_end(p, ARG_TYPE_DEPTH);

	return end ?: p + strlen(p);
}

/**
 * arg_type_longs - find the number of longs that a parameter of a type takes
 * @type: the type
 *
 * Return: the number of longs, at least 1.
 */
unsigned int arg_type_longs(const char *type)
{
	char how;

	/* Most parameters are pointers */
	if (*type == 'P')
		return 1;
	type = arg_type_resolve(type, &how);
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

static bool is_place_letter(char c, bool field)
{
	if (field)
		return (c >= 'a' && c <= 'u') || (c >= 'A' && c <= 'U');
	return (c >= 'a' && c <= 'h') || (c >= 'A' && c <= 'Z');
}

/*
 * Parse one slot or field. Returns the text after the slot or field, NULL if it is
 * malformed. The slot or field that follows the pointer to a buffer is the buffer's size.
 * "&" precedes the place of a record's address, and "+" is the next word of the record.
 */
static const char *parse_slot(const char *p, struct arg_slots *slots)
{
	bool buffer = *p == '#', string = *p == '*' || buffer;
	u64 bit;

	if (slots->nr == ARG_SIGS_MAX_LONGS)
		return NULL;
	bit = BIT_ULL(slots->nr++);
	if (*p == '+') {
		slots->known |= bit;
		return bit > 1 && (p[-1] == '+' || p[-2] == '&') ? p + 1 : NULL;
	}
	if (*p == '&') {
		slots->known |= bit;
		return is_place_letter(*++p, false) && !slots->fields ? p + 1 : NULL;
	}
	if (string) {
		slots->strings |= bit;
		p++;
	}
	if (is_place_letter(*p, slots->fields))
		slots->known |= bit;
	else if (*p == '.' && !string && !slots->fields)
		slots->removed |= bit;
	else if (*p != '-' || string)
		return NULL;
	p++;
	if (buffer && (slots->nr == ARG_SIGS_MAX_LONGS ||
		       !is_place_letter(p[*p == '*' || *p == '#'], slots->fields)))
		return NULL;
	return p;
}

/*
 * Parse the reads that follow a list of longs: numbers, then digests, both in the order
 * of the longs. Returns the text after the reads, NULL if they are malformed.
 */
static const char *parse_reads(const char *p, struct arg_slots *slots)
{
	u64 digests = 0;

	while (*p == '*') {
		char c = *++p;
		u64 bit;

		if (!arg_is_read_long(c))
			return NULL;
		bit = BIT_ULL(arg_read_long(c));
		if (!(slots->known & bit) || slots->strings & bit ||
		    slots->reads & bit || digests >= bit)
			return NULL;
		if (arg_read_is_digest(p[1])) {
			digests |= bit;
		} else {
			if (!arg_read_kind(p[1]) || digests || slots->reads >= bit)
				return NULL;
			slots->reads |= bit;
			slots->results |= !arg_read_is_const(p[1]);
		}
		p += 2;
	}
	slots->reads |= digests;
	return p;
}

/*
 * Parse the results that follow the reads: the digest of the returned object, and the
 * buffer that the call fills. The size of the buffer is the next long. Returns the text
 * after the results, NULL if they are malformed.
 */
static const char *parse_results(const char *p, struct arg_slots *slots)
{
	unsigned int index;

	if (*p == '$') {
		if (!arg_read_is_digest(p[1]))
			return NULL;
		slots->results = true;
		p += 2;
	}
	if (*p == '#') {
		if (!arg_is_read_long(*++p))
			return NULL;
		index = arg_read_long(*p++);
		if (index + 1 >= slots->nr || ~slots->known >> index & 3 ||
		    slots->strings >> index & 1)
			return NULL;
		slots->results = true;
	}
	return p;
}

/**
 * arg_sig_parse_slots - parse a signature's list of longs
 * @p: the signature
 * @slots: set to the contents of the list
 *
 * Return: the text after the list, NULL if the list is malformed.
 */
const char *arg_sig_parse_slots(const char *p, struct arg_slots *slots)
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
		if (*p == '|' && !slots->fields && slots->nr) {
			slots->fields = true;
			slots->nr_args = slots->nr;
			p++;
		} else {
			p = parse_slot(p, slots);
		}
	}
	if (!slots->fields)
		slots->nr_args = slots->nr;
	p = p ? parse_reads(p + 1, slots) : NULL;
	return p ? parse_results(p, slots) : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_parse_slots);

/**
 * arg_sig_return_type - find the type that a function returns
 * @sig: the function's signature
 * @how: set to the place of the value, see "return" in arg-sigs-format.rst
 *
 * Return: the type; an empty text if the signature is malformed.
 */
const char *arg_sig_return_type(const char *sig, char *how)
{
	struct arg_slots slots;
	const char *p = arg_sig_parse_slots(sig, &slots);

	return arg_return_type(p ?: "", how);
}

/* Skip a list of parameters; returns NULL if the list is malformed */
static const char *skip_valid_params(const char *p)
{
	u64 val[2];

	while (p && *p && *p != 'z' && *p != '|') {
		p = arg_type_end(p, ARG_TYPE_DEPTH);
		while (p && *p && *p != ';' && *p != '=')
			p++;
		if (p && *p == '=')
			p = arg_parse_hex(p + 1, val, 32);
		p = p && *p == ';' ? p + 1 : NULL;
	}
	return p;
}

/**
 * arg_sig_valid - whether a text is a signature
 * @sig: a text that ends with NUL
 *
 * A module can be linked by anybody, so its signatures have to be checked before calls
 * are captured by them.  The contents of names are not checked.
 *
 * Return: true if all functions that decode signatures can rely on @sig.
 */
bool arg_sig_valid(const char *sig)
{
	struct arg_slots slots;
	const char *p;
	char how;

	p = arg_sig_parse_slots(sig, &slots);
	if (!p)
		return false;
	p = skip_valid_params(arg_type_end(arg_return_type(p, &how), ARG_TYPE_DEPTH));
	if (p && *p == 'z')
		p++;
	if (slots.fields)
		p = p && *p == '|' ? skip_valid_params(p + 1) : NULL;
	return p && !*p;
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_valid);

/**
 * arg_param_skip - skip a parameter
 * @p: the parameter
 *
 * Return: the text after the parameter.
 */
const char *arg_param_skip(const char *p)
{
	return skip_name(arg_type_skip(p));
}

/**
 * arg_params_of_call - find a system call's own parameters
 * @p: the parameters of the called function
 *
 * Return: the text after '|', or the end of the text if there is no '|'.
 */
const char *arg_params_of_call(const char *p)
{
	while (*p && *p != '|')
		p = *p == 'z' ? p + 1 : arg_param_skip(p);
	return *p ? p + 1 : p;
}

/**
 * arg_digest_part - parse a part of a digest
 * @part: the part
 * @p: the text of the part
 *
 * Return: the text after the part, NULL if the part is malformed.
 */
const char *arg_digest_part(struct arg_part *part, const char *p)
{
	bool negative;
	int offset;

	*part = (struct arg_part){ };
	for (;;) {
		negative = *p == '-';
		p += negative;
		if (!isdigit(*p) || part->nr == ARG_DIGEST_OFFSETS)
			return NULL;
		offset = parse_number(p);
		part->offsets[part->nr++] = negative ? -offset : offset;
		p = skip_digits(p);
		if (*p != '>')
			break;
		p++;
	}
	if (*p == ':') {
		if (negative)
			return NULL;
		part->bit = part->offsets[part->nr - 1];
		part->offsets[part->nr - 1] = part->bit / 8;
		part->width = parse_number(p + 1);
		if (!part->width || part->bit % 8 + part->width > 64)
			return NULL;
		p = skip_digits(p + 1);
	}
	part->type = p;
	part->name = arg_type_end(p, ARG_TYPE_DEPTH);
	return part->name ? skip_whole_name(part->name) : NULL;
}

/**
 * arg_sig_is_void - whether a function returns nothing
 * @sig: the function's signature
 *
 * Return: true if so, false otherwise.
 */
bool arg_sig_is_void(const char *sig)
{
	char how;

	return *arg_type_resolve(arg_sig_return_type(sig, &how), &how) == 'v';
}
EXPORT_SYMBOL_IF_KUNIT(arg_sig_is_void);
