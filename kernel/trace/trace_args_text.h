/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files that read signatures and write values as text
 *
 *   trace_args_signature.c	parses and validates signatures
 *   trace_args_types.c		finds descriptions of enums and records
 *   trace_args_scalars.c	writes values of up to 64 bits
 *   trace_args_records.c	writes values of any type out of captured bytes
 *   trace_args_reads.c		finds strings, and what pointers point to, in captured bytes
 *   trace_args_values.c	writes the arguments of a call, and what it returned
 *   trace_args_digests.c	writes what tells objects apart, which pointers point to, and
 *				the values of expressions
 *   trace_args_protos.c	writes prototypes
 *
 * Documentation/trace/arg-sigs-format.rst has the format.  A signature is read from
 * left to right, once.  Nothing is allocated.  Only the descriptions of enums and
 * records, and the symbol of a pointer to a function, are looked up.  Malformed text
 * is read up to its NUL at most: each step looks at the character before it goes on.
 * Values come from bytes whose end is known; values behind the end are unknown.
 *
 * A reader that wants values instead of text gives struct arg_out a sink: the
 * same walk tells the sink each name and each value that it writes.
 *
 * The plugin of libtraceevent is built of the same files.
 */
#ifndef _TRACE_ARGS_TEXT_H
#define _TRACE_ARGS_TEXT_H

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "trace_args.h"

/* Maximum depth of functions that are parameters of functions, and of arrays of arrays */
#define ARG_TYPE_DEPTH		16

/**
 * struct arg_basic_type - a type of one letter
 * @name: its name in C, NULL if the letter is none
 * @size: its bytes
 * @sign: it is signed
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

/* Nothing more can be written; long loops end then */
static inline bool out_full(const struct arg_out *out)
{
	return out->pos > out->end;
}

/* The name of the value that comes next */
static inline void tell_name(struct arg_out *out, const char *name, const char *end)
{
	if (unlikely(out->sink))
		out->sink->ops->name(out->sink, name, end - name);
}

/* The text behind the next ';', or the text's end */
static inline const char *skip_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : p;
}

/* The same, but NULL if the name has no end */
static inline const char *skip_whole_name(const char *p)
{
	while (*p && *p != ';')
		p++;
	return *p ? p + 1 : NULL;
}

/* Not by strnlen(): strnlen() is traced, which costs time while a trace is read */
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

/* A number that is too large for a call's bytes need not be exact */
static inline unsigned int parse_number(const char *p)
{
	unsigned int num = 0;

	for (; isdigit(*p) && num < 100000; p++)
		num = num * 10 + *p - '0';
	return num;
}

/**
 * struct arg_member - a member of a record, as its description has it
 * @bit: where it begins, in bits from the record's begin
 * @width: bits of a bit-field
 * @bit_field: it is one
 * @type: its type; its name follows
 */
struct arg_member {
	u64		bit;
	unsigned int	width;
	bool		bit_field;
	const char	*type;
};

/* Read a member's description up to its type */
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

/* The type that a function returns; @how is the place of the value, see "return" */
static inline const char *arg_return_type(const char *p, char *how)
{
	*how = '\0';
	if (*p == '?' || *p == '&' || *p == '2')
		*how = *p++;
	return p;
}

/* A value at its type's own width */
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
 * @nr_args: number of longs of the function's parameters; a system call's own follow
 * @known: bit n: long n is captured
 * @removed: bit n: the compiler removed the value of long n
 * @strings: bit n: long n points to a string or a buffer
 * @reads: bit n: long n points to a number, or to a type that has a digest, which may be
 *	recorded
 * @results: something is read at the return: a number that is not const, the object that
 *	is returned, a buffer that the call fills
 * @fields: there is a list of a system call's own parameters, maybe empty
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

/* The long that a letter of a list of reads stands for: "a" to "z", then "A" to "F" */
static __always_inline unsigned int arg_read_long(char c)
{
	return c >= 'a' ? c - 'a' : c - 'A' + 26;
}

static __always_inline bool arg_is_read_long(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'F');
}

/*
 * The kind of a number, see ARG_READ_SHIFT, by its letter in a list of reads; 0 if there is
 * no such letter. An upper-case letter stands for a number that is const.
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
 * struct arg_part - a part of a digest, as its description has it
 * @offsets: from the object, and then from where each pointer points; an object that is a
 *	member of a larger one has negative ones
 * @nr: number of offsets
 * @bit: of a bit-field, its lowest bit, counted from where the last pointer points
 * @width: the bits of a bit-field, 0 for others
 * @type: its type
 * @name: its name: the label that is shown and "=", if there is one, then the expression
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
 * struct arg_digest - a digest that was recorded
 * @tag: its description, from the tag on
 * @data: the recorded bytes of its parts
 * @size: how many
 * @name: for a sink: the name of the parameter
 * @name_end: where the name ends
 */
struct arg_digest {
	const char	*tag;
	const u8	*data;
	unsigned int	size;
	const char	*name;
	const char	*name_end;
};

const char *arg_digest_part(struct arg_part *part, const char *p);
const char *arg_digest_of(const struct arg_types *types, const char *type);
void arg_out_digest(struct arg_out *out, const struct arg_types *types,
		    const struct arg_digest *digest);
const char *arg_exprs_text(struct arg_out *out, unsigned int nr);
void arg_out_exprs(struct arg_out *out, const struct arg_types *types,
		   const struct arg_longs *reads, bool first);

/* The bytes that a digest's text, an array of char, has in the object; 0 for others */
static inline unsigned int arg_part_array(const char *type)
{
	return *type == 'A' ? parse_number(type + 1) : 0;
}

static inline bool arg_part_is_text(const char *type)
{
	return *type == 'A' || (type[0] == 'P' && type[1] == 'c');
}

/**
 * arg_slots_strings - the longs that a recorded string, or its header, belongs to
 * @slots: the contents of a signature's list of longs
 *
 * Readers that do not know reads expect nothing behind the longs if a signature has no
 * strings. So the first read of such a signature has the header of a string that could
 * not be read, and the signature of a recording has "*" there.
 *
 * Return: bit n: the header of long n is recorded.
 */
static inline u64 arg_slots_strings(const struct arg_slots *slots)
{
	return slots->strings ?: slots->reads & -slots->reads;
}

/**
 * struct arg_read - what a long points to, as it was recorded
 * @kind: see ARG_READ_KIND
 * @data: the bytes behind its headers; a text's are with its own header
 * @size: how many
 */
struct arg_read {
	unsigned int	kind;
	const u8	*data;
	unsigned int	size;
};

/**
 * struct arg_number - a number that a pointer points to
 * @type: its type
 * @val: the number
 * @failed: it could not be read
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

/* In place of a typedef's letter: a signed integer that holds bits */
#define ARG_HOW_BITS	'H'

const char *arg_type_end(const char *p, int depth);
const char *arg_type_skip(const char *p);
const char *arg_type_behind_names(const char *type, char *how);
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

void arg_out_unknown(struct arg_out *out, enum arg_kind kind, const char *text);
void arg_out_hex_digits(struct arg_out *out, u64 val, int nr);
void arg_out_hex(struct arg_out *out, u64 val);
void arg_out_hex128(struct arg_out *out, u64 low, u64 high);
void arg_out_udec(struct arg_out *out, u64 val);
void arg_out_dec(struct arg_out *out, s64 val);
void arg_out_symbol(struct arg_out *out, unsigned long addr);
void arg_out_text(struct arg_out *out, const u8 *text, unsigned int len,
		  const char *quote);
void arg_out_gfp_flags(struct arg_out *out, u32 val);
bool arg_name_has_bits(const char *name, const char *end);
bool arg_out_scalar(struct arg_out *out, const char *type, char how,
		    const struct arg_types *types, u64 val);
void arg_out_pointer(struct arg_out *out, const char *type, u64 val);
void arg_tell_value(struct arg_out *out, struct arg_value *value,
		    const char *text);
void arg_tell_scalar(struct arg_out *out, const char *text,
		     const char *type, bool bits, u64 val, u64 addr);
const char *arg_out_bare_name(struct arg_out *out, const char *p);

/* The same as arg_out_bare_name(), but returns what follows the name and its value */
static inline const char *arg_out_name(struct arg_out *out, const char *p)
{
	return skip_name(arg_out_bare_name(out, p));
}

/**
 * arg_type_behind - find the type behind typedefs and qualifiers
 * @type: the type
 * @how: the letter of the last typedef that changes how a value is written, else 'T'
 *
 * Any context.
 *
 * Return: the type behind them, mostly @type.
 */
static inline const char *arg_type_behind(const char *type, char *how)
{
	*how = 'T';
	/* Basic types are small letters, no typedef or qualifier is */
	return *type >= 'a' || *type == 'P' || *type == 'E' || *type == 'R' ?
		type : arg_type_behind_names(type, how);
}

/**
 * arg_scalar_size - the size of a value that arg_out_scalar() writes
 * @type: the type, from arg_type_behind()
 *
 * Any context.
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
 * arg_how_named - how a value is written, by its type and its name
 * @type: the type, from arg_type_behind()
 * @how: the typedef's letter, from arg_type_behind()
 * @bits: the value's name says that it holds bits
 *
 * Any context.
 *
 * Return: the letter, or ARG_HOW_BITS.
 */
static inline char arg_how_named(const char *type, char how, bool bits)
{
	return bits && how == 'T' && is_basic(*type) &&
	       arg_basic_types[*type - 'a'].sign ? ARG_HOW_BITS : how;
}

/**
 * arg_names_bits - whether a name says that a number holds bits
 * @name: the name
 * @end: where it ends
 *
 * Any context.
 */
static inline bool arg_names_bits(const char *name, const char *end)
{
	/* Most names do not end as "flags", "bits", "mask" and elements of arrays do */
	return end != name && (end[-1] == 's' || end[-1] == 'k' || end[-1] == ']') &&
	       arg_name_has_bits(name, end);
}

/* Maximum depth of records and arrays in records: each level takes stack */
#define ARG_VALUE_DEPTH		8

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

void arg_out_value(struct arg_out *out, const char *type, bool bits,
		   const struct arg_types *types, const struct arg_view *view,
		   u64 bit, int depth);

#endif /* _TRACE_ARGS_TEXT_H */
