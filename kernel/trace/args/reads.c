// SPDX-License-Identifier: GPL-2.0
/*
 * The values that the longs of a call point to, as an event has recorded them
 *
 * The strings of a call follow its longs.  The values that other longs point to follow
 * the strings.  args/capture.h has the layout.  An event may be damaged, so nothing
 * after its end is read.
 */
#include <linux/unaligned.h>

#include "text.h"

/* The number of bytes of a text and its header, 0 if the text is not complete */
static unsigned int text_size(const u8 *data, unsigned int left)
{
	unsigned int len;

	if (left < sizeof(u16))
		return 0;
	len = get_unaligned((const u16 *)data);
	len = len == ARG_STRING_UNREAD ? 0 : len & ~ARG_STRING_CUT;
	return sizeof(u16) + len <= left ? sizeof(u16) + len : 0;
}

/* Skip the strings of the longs below long @end; returns false if the strings are damaged */
static bool skip_strings(const struct arg_longs *longs, u64 strings,
			 unsigned int end, unsigned int *pos)
{
	unsigned int i, len;

	for (i = 0; i < end; i++) {
		if (!(strings & BIT_ULL(i)))
			continue;
		len = text_size(longs->data + *pos, longs->size - *pos);
		if (!len)
			return false;
		*pos += len;
	}
	return true;
}

/**
 * arg_longs_string - find the bytes of a string or a buffer that was recorded
 * @longs: the recorded data, with all longs of the signature at least
 * @nr: the number of longs that the signature lists
 * @strings: bit n: long n points to a string or a buffer
 * @index: the long that points to this string or buffer
 * @header: set to the header of the string or buffer, see ARG_STRING_CUT
 *
 * Return: the bytes; NULL if no bytes were recorded.
 */
const u8 *arg_longs_string(const struct arg_longs *longs, unsigned int nr,
			   u64 strings, unsigned int index,
			   unsigned int *header)
{
	unsigned int pos = nr * sizeof(u64);
	const u8 *text;

	if (!skip_strings(longs, strings, index, &pos))
		return NULL;
	text = longs->data + pos;
	if (!text_size(text, longs->size - pos))
		return NULL;
	*header = get_unaligned((const u16 *)text);
	return *header == ARG_STRING_UNREAD ? NULL : text + sizeof(u16);
}

/**
 * arg_longs_have_exprs - whether expressions follow the longs of a signature without strings
 * @longs: the recorded data, with all longs of the signature at least
 * @nr: the number of longs that the signature lists
 *
 * Only expressions may follow the longs of a signature that has no strings and no reads.
 * The header of a string that could not be read precedes the expressions.
 *
 * Return: true if so, false otherwise.
 */
bool arg_longs_have_exprs(const struct arg_longs *longs, unsigned int nr)
{
	const u8 *data = longs->data + nr * sizeof(u64);

	return longs->size >= (nr + 1) * sizeof(u64) &&
	       get_unaligned((const u16 *)data) == ARG_STRING_UNREAD &&
	       data[sizeof(u16)] == ARG_READ_TEXT;
}

/**
 * arg_longs_reads - find the data that was recorded after the strings
 * @longs: the recorded data, with all longs of the signature at least
 * @nr: the number of longs that the signature lists
 * @strings: bit n: long n points to a string or a buffer
 *
 * Return: the values that longs point to, see arg_read_find(); no values if the strings
 * are damaged.
 */
struct arg_longs arg_longs_reads(const struct arg_longs *longs, unsigned int nr,
				 u64 strings)
{
	unsigned int pos = nr * sizeof(u64);

	if (!skip_strings(longs, strings, nr, &pos))
		return (struct arg_longs){ };
	return (struct arg_longs){ longs->data + pos, longs->size - pos };
}

/**
 * arg_read_find - find the recorded value that a long points to
 * @read: set to the value
 * @reads: the data that was recorded after the strings, from arg_longs_reads(), or at the
 *	return
 * @index: the long
 * @kinds: bit n: find values of kind n, see ARG_READ_KIND
 *
 * Return: false if no value of these kinds was recorded.
 */
bool arg_read_find(struct arg_read *read, const struct arg_longs *reads,
		   unsigned int index, unsigned int kinds)
{
	const u8 *data = reads->data;
	unsigned int pos, left;

	for (pos = 0; pos < reads->size; pos = read->data + read->size - data) {
		read->kind = data[pos] & ARG_READ_KIND;
		read->data = data + pos + 1;
		left = reads->size - pos - 1;
		switch (read->kind) {
		case 1 ... ARG_READ_MAX_KIND:
			read->size = 1 << (read->kind - 1);
			break;
		case ARG_READ_FAILED:
			read->size = 0;
			break;
		case ARG_READ_DIGEST:
			if (left < sizeof(u16))
				return false;
			read->size = get_unaligned((const u16 *)read->data);
			read->data += sizeof(u16);
			left -= sizeof(u16);
			break;
		case ARG_READ_TEXT:
			read->size = text_size(read->data, left);
			if (!read->size)
				return false;
			break;
		default:
			return false;
		}
		if (read->size > left)
			return false;
		if (data[pos] >> ARG_READ_SHIFT == index && BIT(read->kind) & kinds)
			return true;
	}
	return false;
}

/*
 * Find the recorded number of @size bytes that long @index points to. Returns the kind of
 * the number, see ARG_READ_KIND; 0 if no such number was recorded.
 */
static unsigned int find_number(const struct arg_longs *numbers,
				unsigned int index, unsigned int size, u64 *val)
{
	struct arg_read read;

	if (!arg_read_find(&read, numbers, index, BIT(ARG_READ_FAILED + 1) - 1) ||
	    (read.kind != ARG_READ_FAILED && read.size != size))
		return 0;
	*val = 0;
	memcpy(val, read.data, read.size);
	return read.kind;
}

/* Whether numbers of a type from arg_type_resolve() are read. A char is not: it is text */
static bool is_read(const char *type)
{
	return *type != 'P' && *type != 'c' && arg_scalar_size(type);
}

/**
 * arg_number_find - find the recorded number that a long points to
 * @number: set to the number
 * @numbers: the same as @reads of arg_read_find()
 * @type: the type of the long's parameter
 * @index: the long
 *
 * Return: false if no number of the type was recorded.
 */
bool arg_number_find(struct arg_number *number, const struct arg_longs *numbers,
		     const char *type, unsigned int index)
{
	unsigned int kind = 0;
	char how;

	type = arg_type_resolve(type, &how);
	if (*type != 'P')
		return false;
	number->type = type + 1;
	type = arg_type_resolve(number->type, &how);
	if (is_read(type))
		kind = find_number(numbers, index, arg_scalar_size(type),
				   &number->val);
	number->failed = kind == ARG_READ_FAILED;
	return kind;
}
