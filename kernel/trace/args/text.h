/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that read signatures and write values as text
 *
 *   args/signature.c	parses and validates signatures
 *   args/types.c		finds descriptions of enums and records
 *   args/scalars.c	writes values of up to 64 bits
 *   args/records.c	writes values of any type from captured bytes
 *   args/reads.c		finds strings and values that pointers point to
 *   args/values.c	writes the arguments of a call, and the values it returned
 *   args/addresses.c	writes network addresses
 *   args/digests.c	writes digests of objects, and the values of expressions
 *   args/fields.c	finds values among the captured data of a call, by name
 *   args/protos.c	writes prototypes
 *
 * Documentation/trace/arg-sigs-format.rst has the format.  A signature is read once, from
 * left to right.  No memory is allocated.  Only the descriptions of enums and records and
 * the symbols of pointers to functions are looked up.  Malformed text is read at most up
 * to its NUL, because each step looks at a character before it goes on.  The values are
 * in bytes whose end is known.  Values after the end are unknown.  The functions take no lock,
 * and may be called in any context, including NMI.
 *
 * A reader that wants values instead of text gives a sink to struct arg_out.  The
 * functions that write the text then pass each name and each value to the sink.
 *
 * The plugin of libtraceevent is built from the same files.
 */
#ifndef _TRACE_ARGS_TEXT_H
#define _TRACE_ARGS_TEXT_H

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "args.h"

/* Maximum depth of functions that are parameters of functions, and of arrays of arrays */
#define ARG_TYPE_DEPTH		16

/**
 * struct arg_basic_type - a type of one letter
 * @name: the type's name in C, NULL if no type has the letter
 * @size: the type's size in bytes
 * @sign: whether the type is signed
 */
struct arg_basic_type {
	const char	*name;
	u8		size;
	bool		sign;
};

extern const struct arg_basic_type arg_basic_types[26];

static inline bool is_basic(char c)
{
	return c >= 'a' && c <= 'z' && arg_basic_types[c - 'a'].name;
}

static inline void put_char(struct arg_out *out, char c)
{
	if (out->pos < out->end)
		*out->pos = c;
	out->pos++;
	out->last = c;
}

/* Whether no more text can be written; long loops end then */
static inline bool out_full(const struct arg_out *out)
{
	return out->pos > out->end;
}

/* Pass the name of the next value to the sink */
static inline void tell_name(struct arg_out *out, const char *name, const char *end)
{
	if (unlikely(out->sink))
		out->sink->ops->name(out->sink, name, end - name);
}

/* Find the next ';', or the text's end. Most characters of a name are larger than ';' */
static inline const char *find_name_end(const char *p)
{
	while (*p > ';' || (*p && *p != ';'))
		p++;
	return p;
}

/* Find the text after the next ';', or the text's end */
static inline const char *skip_name(const char *p)
{
	p = find_name_end(p);
	return *p ? p + 1 : p;
}

/* Do the same as skip_name(), but return NULL if the name has no end */
static inline const char *skip_whole_name(const char *p)
{
	p = find_name_end(p);
	return *p ? p + 1 : NULL;
}

/* strnlen() is not used: it is traced, which costs time while a trace is read */
static inline bool whole_id(const char *p)
{
	int i;

	for (i = 0; i < ARG_SIGS_ID_LEN; i++)
		if (!p[i])
			return false;
	return true;
}

static inline const char *skip_digits(const char *p)
{
	while (isdigit(*p))
		p++;
	return p;
}

/* Parse a number. A number that is too large for a call's bytes need not be exact */
static inline unsigned int parse_number(const char *p)
{
	unsigned int num = 0;

	for (; isdigit(*p) && num < 100000; p++)
		num = num * 10 + *p - '0';
	return num;
}

/**
 * struct arg_member - a member of a record in the record's description
 * @bit: where the member begins, in bits from the record's begin
 * @width: number of bits of a bit-field
 * @bit_field: whether the member is a bit-field
 * @type: the member's type; the member's name follows in the text
 */
struct arg_member {
	u64		bit;
	unsigned int	width;
	bool		bit_field;
	const char	*type;
};

/* Parse the description of a member up to the member's type */
static inline struct arg_member parse_member(const char *p)
{
	struct arg_member member = { .bit = parse_number(p) };

	p = skip_digits(p);
	member.bit_field = *p == ':';
	if (member.bit_field) {
		member.width = parse_number(p + 1);
		p = skip_digits(p + 1);
	} else {
		member.bit *= 8;
	}
	member.type = p;
	return member;
}

/* Find the type that a function returns; @how is set to the value's place, see "return" */
static inline const char *arg_return_type(const char *p, char *how)
{
	*how = '\0';
	if (*p == '?' || *p == '&' || *p == '2')
		*how = *p++;
	return p;
}

/* Truncate a value to the width of its type */
static inline u64 arg_truncate(char basic, u64 val)
{
	switch (arg_basic_types[basic - 'a'].size) {
	case 1:
		return arg_basic_types[basic - 'a'].sign ? (s64)(s8)val : (u8)val;
	case 2:
		return arg_basic_types[basic - 'a'].sign ? (s64)(s16)val : (u16)val;
	case 4:
		return arg_basic_types[basic - 'a'].sign ? (s64)(s32)val : (u32)val;
	default:
		return val;
	}
}

/**
 * struct arg_slots - the contents of a signature's list of longs
 * @nr: number of longs
 * @nr_args: number of longs of the function's parameters; the longs of a system call's
 *	own parameters follow
 * @known: bit n: long n is captured
 * @removed: bit n: the compiler removed the value of long n
 * @strings: bit n: long n points to a string or a buffer
 * @reads: bit n: long n points to a number or to an object with a digest, which may be
 *	recorded
 * @results: whether the call's return reads a number that is not const, the returned
 *	object, or a buffer that the call fills
 * @fields: whether there is a list of a system call's own parameters, which may be empty
 */
struct arg_slots {
	unsigned int	nr;
	unsigned int	nr_args;
	u64		known;
	u64		removed;
	u64		strings;
	u64		reads;
	bool		results;
	bool		fields;
};

/* The number of the long for a letter in a list of reads: "a" to "z", then "A" to "F" */
static __always_inline unsigned int arg_read_long(char c)
{
	return c >= 'a' ? c - 'a' : c - 'A' + 26;
}

static __always_inline bool arg_is_read_long(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'F');
}

/*
 * The kind of a number, see ARG_READ_SHIFT, for a letter in a list of reads; 0 if the
 * letter does not stand for a number. An upper-case letter stands for a const number.
 */
static __always_inline unsigned int arg_read_kind(char c)
{
	unsigned int kind = (c | 0x20) - 'a' + 1;

	return kind <= ARG_READ_MAX_KIND ? kind : 0;
}

static __always_inline bool arg_read_is_const(char c)
{
	return c < 'a';
}

/* Whether a letter in a list of reads stands for a digest */
static __always_inline bool arg_read_is_digest(char c)
{
	return c >= ARG_DIGEST_FIRST && c <= ARG_DIGEST_LAST && c != '*' &&
	       c != ';' && c != '\\' && !arg_read_kind(c);
}

/**
 * struct arg_part - a part of a digest in the digest's description
 * @offsets: the first offset is from the object, each further offset is from the address
 *	that the previous pointer points to; an object that is a member of a larger object
 *	may have negative offsets
 * @nr: number of offsets
 * @bit: the lowest bit of a bit-field, counted from the address that the last pointer
 *	points to
 * @width: the number of bits of a bit-field, 0 for other parts
 * @type: the part's type
 * @name: the part's name: the label that is shown and "=", if there is a label, then the
 *	expression
 */
struct arg_part {
	int		offsets[ARG_DIGEST_OFFSETS];
	unsigned int	nr;
	unsigned int	bit;
	unsigned int	width;
	const char	*type;
	const char	*name;
};

/**
 * struct arg_digest - a recorded digest
 * @tag: the digest's description, beginning with the tag
 * @data: the recorded bytes of the digest's parts
 * @size: the number of bytes at @data
 * @name: for the sink: the name of the parameter
 * @name_end: the end of the name
 */
struct arg_digest {
	const char	*tag;
	const u8	*data;
	unsigned int	size;
	const char	*name;
	const char	*name_end;
};

/* Numbers of 64 bits that contain the longest network address */
#define ARG_ADDRESS_WORDS	3

void arg_out_address(struct arg_out *out, const char *type, const u64 *words, unsigned int nr);

const char *arg_digest_part(struct arg_part *part, const char *p);
const char *arg_digest_of(const struct arg_types *types, const char *type);
void arg_out_digest(struct arg_out *out, const struct arg_types *types,
		    const struct arg_digest *digest);
unsigned int arg_out_recorded_text(struct arg_out *out, const u8 *data, unsigned int size,
				   bool words, struct arg_value *value);
const char *arg_exprs_text(struct arg_out *out, unsigned int nr);
void arg_exprs_release(const char *text);
void arg_out_exprs(struct arg_out *out, const struct arg_types *types,
		   const struct arg_longs *reads, bool first);

/* Whether a name in a signature or in a description is @name */
static inline bool arg_is_name(const char *p, const char *name, unsigned int len)
{
	return strcspn(p, ";=") == len && !memcmp(p, name, len);
}

/* The size of a digest's text that is an array of char in the object; 0 for other texts */
static inline unsigned int arg_part_array(const char *type)
{
	return *type == 'A' ? parse_number(type + 1) : 0;
}

/* Whether an expression's value is an array of something else than chars */
static inline bool arg_part_is_array(const char *type)
{
	return *type == 'A' && strncmp(skip_digits(type + 1), "_c", 2);
}

static inline bool arg_part_is_text(const char *type)
{
	return *type == 'A' || (type[0] == 'P' && type[1] == 'c');
}

/**
 * arg_slots_strings - find the longs that have a recorded string or its header
 * @slots: the contents of a signature's list of longs
 *
 * If a signature has no strings, readers that do not know reads expect no data after the
 * longs. So the long of the first read of such a signature has the header of a string
 * that could not be read, and the signature in a recording marks this long with "*".
 *
 * Return: bit n: the header of long n is recorded.
 */
static inline u64 arg_slots_strings(const struct arg_slots *slots)
{
	return slots->strings ?: slots->reads & -slots->reads;
}

/**
 * struct arg_read - the recorded value that a long points to
 * @kind: the kind of the value, see ARG_READ_KIND
 * @data: the bytes after the value's headers; a text includes its own header
 * @size: the number of bytes
 */
struct arg_read {
	unsigned int	kind;
	const u8	*data;
	unsigned int	size;
};

/**
 * struct arg_number - a number that a pointer points to
 * @type: the number's type
 * @val: the number
 * @failed: whether the number could not be read
 */
struct arg_number {
	const char	*type;
	u64		val;
	bool		failed;
};

struct arg_longs arg_longs_reads(const struct arg_longs *longs, unsigned int nr,
				 u64 strings);
bool arg_longs_have_exprs(const struct arg_longs *longs, unsigned int nr);
bool arg_read_find(struct arg_read *read, const struct arg_longs *reads,
		   unsigned int index, unsigned int kinds);
bool arg_number_find(struct arg_number *number, const struct arg_longs *numbers,
		     const char *type, unsigned int index);

/* Stand in place of a typedef's letter if the number's name says how the number is written */
#define ARG_HOW_BITS	'H'	/* a signed integer that holds bits */
#define ARG_HOW_ADDRESS	'I'	/* a __be32 that is the address of an IPv4 host */

/* What a name says about a number */
#define ARG_NAME_BITS		BIT(0)	/* a signed integer holds bits */
#define ARG_NAME_ADDRESS	BIT(1)	/* a __be32 is an address */

const char *arg_type_end(const char *p, int depth);
const char *arg_type_skip(const char *p);
const char *arg_type_skip_names(const char *type, char *how);
unsigned int arg_type_longs(const char *type);
const char *arg_sig_parse_slots(const char *p, struct arg_slots *slots);
const char *arg_sig_return_type(const char *sig, char *how);
const char *arg_parse_hex(const char *p, u64 val[2], int max);
const char *arg_enumerator_value(const char *p, u64 *val);
const char *arg_param_skip(const char *p);
const char *arg_params_of_call(const char *p);
const char *arg_types_record(const struct arg_types *types, const char *id);
const char *arg_types_enumerators(const struct arg_types *types, const char *id,
				  char *kind);
bool arg_type_enumerator(const struct arg_types *types, const char *type, const char *name,
			 unsigned int len, u64 *val);

void arg_out_unknown(struct arg_out *out, enum arg_kind kind, const char *text);
void arg_out_hex_digits(struct arg_out *out, u64 val, int nr);
void arg_out_hex(struct arg_out *out, u64 val);
void arg_out_hex128(struct arg_out *out, u64 low, u64 high);
void arg_out_udec(struct arg_out *out, u64 val);
void arg_out_dec(struct arg_out *out, s64 val);
void arg_out_ipv4(struct arg_out *out, u32 addr);
void arg_out_symbol(struct arg_out *out, unsigned long addr);
void arg_out_text(struct arg_out *out, const u8 *text, unsigned int len,
		  const char *quote);
void arg_out_gfp_flags(struct arg_out *out, u32 val);
unsigned int arg_name_hints_of(const char *name, const char *end);
bool arg_out_scalar(struct arg_out *out, const char *type, char how,
		    const struct arg_types *types, u64 val);
void arg_out_pointer(struct arg_out *out, const char *type, u64 val);
void arg_tell_value(struct arg_out *out, struct arg_value *value,
		    const char *text);
void arg_tell_scalar(struct arg_out *out, const char *text,
		     const char *type, unsigned int hints, u64 val, u64 addr);
const char *arg_out_bare_name(struct arg_out *out, const char *p);

/* Does the same as arg_out_bare_name(), but returns the text after the name and its value */
static inline const char *arg_out_name(struct arg_out *out, const char *p)
{
	return skip_name(arg_out_bare_name(out, p));
}

/* A bit for each capital letter; another character may have the bit of a letter */
#define ARG_LETTER(c)		BIT((c) & 31)

/**
 * arg_type_resolve - skip the typedefs and qualifiers of a type
 * @type: the type
 * @how: the letter of the last typedef that changes how a value is written, else 'T'
 *
 * Return: the type after the typedefs and qualifiers, usually @type.
 */
static inline const char *arg_type_resolve(const char *type, char *how)
{
	const u32 names = ARG_LETTER('B') | ARG_LETTER('D') | ARG_LETTER('G') |
			  ARG_LETTER('K') | ARG_LETTER('M') | ARG_LETTER('O') |
			  ARG_LETTER('T') | ARG_LETTER('V');

	*how = 'T';
	/* Basic types are lower-case letters, typedefs and qualifiers are not */
	return *type >= 'a' || !(names & ARG_LETTER(*type)) ?
		type : arg_type_skip_names(type, how);
}

/* Reverse the bytes of a number of @size bytes: the number of a big-endian type */
static inline u64 arg_swap_bytes(u64 val, unsigned int size)
{
	u64 swapped = 0;

	for (; size; size--, val >>= 8)
		swapped = swapped << 8 | (val & 0xff);
	return swapped;
}

/* Whether a type is unsigned long itself; a typedef of unsigned long has its own meaning */
static inline bool arg_type_is_ulong(const char *type)
{
	while (*type == 'K' || *type == 'V')
		type++;
	return *type == 'm';
}

/**
 * arg_scalar_size - the size of a value that arg_out_scalar() writes
 * @type: the type, from arg_type_resolve()
 *
 * Return: 1 to 8, or 16; 0 for other types.
 */
static inline unsigned int arg_scalar_size(const char *type)
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
		return is_basic(*type) ? arg_basic_types[*type - 'a'].size : 0;
	default:
		return 0;
	}
}

/**
 * arg_how_named - find how a value is written, by the value's type and name
 * @type: the type, from arg_type_resolve()
 * @how: the typedef's letter, from arg_type_resolve()
 * @hints: what the value's name says, from arg_name_hints()
 *
 * Return: the letter, ARG_HOW_BITS or ARG_HOW_ADDRESS.
 */
static inline char arg_how_named(const char *type, char how, unsigned int hints)
{
	if (hints & ARG_NAME_BITS && how == 'T' && is_basic(*type) &&
	    arg_basic_types[*type - 'a'].sign)
		return ARG_HOW_BITS;
	if (hints & ARG_NAME_ADDRESS && how == 'B' && arg_scalar_size(type) == sizeof(u32))
		return ARG_HOW_ADDRESS;
	return how;
}

/**
 * arg_name_hints - find what a name says about how a number is written
 * @name: the name
 * @end: the end of the name
 *
 * Return: ARG_NAME_BITS, ARG_NAME_ADDRESS, or 0.
 */
static inline unsigned int arg_name_hints(const char *name, const char *end)
{
	/* The last characters of such names, and ']' of an element of an array */
	const u32 last = ARG_LETTER('s') | ARG_LETTER('k') | ARG_LETTER('r') | ARG_LETTER('p') |
			 ARG_LETTER('c') | ARG_LETTER('t') | ARG_LETTER(']');

	return end != name && last & ARG_LETTER(end[-1]) ? arg_name_hints_of(name, end) : 0;
}

/* Maximum nesting of records and arrays in records; each level takes stack */
#define ARG_VALUE_DEPTH		8

/**
 * struct arg_view - the bytes that contain a value
 * @data: the bytes, which need not be aligned
 * @size: the number of bytes, a multiple of 8
 * @known: bit n: eightbyte n is known
 * @removed: bit n: the compiler does not pass eightbyte n
 */
struct arg_view {
	const void	*data;
	unsigned int	size;
	u64		known;
	u64		removed;
};

void arg_out_value(struct arg_out *out, const char *type, unsigned int hints,
		   const struct arg_types *types, const struct arg_view *view,
		   u64 bit, int depth);

/**
 * struct arg_field - a number, a pointer or a string among the captured data
 * @type: the type in the signature, without typedefs and qualifiers
 * @how: how the value is written, see arg_type_resolve()
 * @offset: where the field begins, in bytes from the first long
 * @size: the size of the field in bytes
 * @index: the first long of the field's parameter
 * @sign: the field is a signed number
 * @string: the field is a string or a buffer that is captured
 * @strings: bit n: long n points to a string or a buffer that is captured
 */
struct arg_field {
	const char	*type;
	char		how;
	unsigned int	offset;
	unsigned int	size;
	unsigned int	index;
	bool		sign;
	bool		string;
	u64		strings;
};

bool arg_type_is_signed(const char *type);
const char *arg_sig_param_name(const char *sig, unsigned int nr, unsigned int *len);
const char *arg_sig_param_type(const char *sig, const char *name, unsigned int len);
int arg_sig_find(struct arg_field *field, const char *sig,
		 const struct arg_types *types, const char *path,
		 unsigned int len);
int arg_sig_find_ret(struct arg_field *field, const char *sig,
		     const struct arg_types *types);
int arg_sig_last_error(const char *sig, const struct arg_field *field);
void arg_field_put(struct arg_out *out, const struct arg_field *field,
		   const struct arg_types *types, const char *name,
		   unsigned int len, u64 val);

/* Find the first description of a digest at or after @p; NULL if there are no more */
static inline const char *arg_digest_next(const struct arg_types *types, const char *p)
{
	for (; p < types->text + types->size; p += strlen(p) + 1)
		if (*p && p[ARG_SIGS_ID_LEN] == 'd')
			return p;
	return NULL;
}

/* Find the place in @digests for a digest's description */
static inline const char **arg_digest_tag(struct arg_digests *digests, const char *p)
{
	return &digests->tags[p[ARG_SIGS_ID_LEN + 1] - ARG_DIGEST_FIRST];
}

#endif /* _TRACE_ARGS_TEXT_H */
