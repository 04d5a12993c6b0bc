// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of memory: strings, buffers, bytes
 *
 * Only known memory is read, in any context; see <asm/trace_readable.h>. Bytes that
 * cannot be read are left out, and the header in the event says so.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>

#include <asm/trace_readable.h>
#include <asm/word-at-a-time.h>

#include "../trace.h"
#include "args.h"
#include "capture.h"

/**
 * capture_readable - find where a byte and the bytes after it on its page can be read
 * @addr: any address
 *
 * Does the same as trace_readable(), but is not inline, because the callers have few
 * registers left.
 *
 * Return: the address to read at, NULL if the byte cannot be read.
 */
noinline const void *capture_readable(unsigned long addr)
{
	return trace_readable(addr);
}

/* Whether has_zero() may be true. Takes fewer instructions than has_zero() for ASCII */
static __always_inline bool may_have_zero(unsigned long word,
					  const struct word_at_a_time *constants)
{
	return (word - constants->one_bits) & constants->high_bits;
}

/*
 * Copy @size bytes from @from.  The bytes lie on one page.  A string also ends before a
 * zero byte.  Each byte is read once, so the bytes and the length fit together even if
 * the bytes change meanwhile.
 *
 * Returns the number of copied bytes, or -1 if the page cannot be read any more.
 */
static __always_inline long copy_bytes(u8 *to, const u8 *from,
				       unsigned long size, const bool string)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word = 0, len = 0, zeros, bad = 0;

	for (; len + sizeof(word) <= size; len += sizeof(word)) {
		trace_read_word(&word, from + len, &bad);
		put_unaligned(word, (unsigned long *)(to + len));
		if (string && unlikely(may_have_zero(word, &constants)) &&
		    has_zero(word, &zeros, &constants)) {
			zeros = prep_zero_mask(word, zeros, &constants);
			len += find_zero(create_zero_mask(zeros));
			return bad ? -1 : len;
		}
	}
	for (; len < size; len++) {
		trace_read_byte(&word, from + len, &bad);
		if (string && !word)
			break;
		to[len] = word;
	}
	return bad ? -1 : len;
}

/*
 * Capture a string, or a buffer of @size bytes, from @from to @pos. At most @max bytes
 * are captured. There is room for a header and @max + 1 bytes. Returns the end of the
 * captured bytes.
 */
static __always_inline u8 *capture_text(u8 *pos, unsigned long from,
					unsigned long max, unsigned long size,
					const bool string)
{
	/* The byte after @max tells whether a string is longer */
	unsigned long end = string ? max + 1 : min(size, max), len = 0;
	u8 *to = pos + sizeof(u16);

	if (IS_ERR_OR_NULL((void *)from))
		goto unread;
	while (len < end) {
		unsigned long left = PAGE_SIZE - offset_in_page(from + len);
		const bool always = trace_readable_always(from + len);
		const u8 *page = (const u8 *)from + len;
		long copied = -1;

		if (left > end - len)
			left = end - len;
		if (unlikely(!always))
			page = capture_readable(from + len);
		if (likely(page))
			copied = copy_bytes(to + len, page, left, string);
		if (unlikely(copied < 0)) {
			if (!len)
				goto unread;
			goto cut;
		}
		len += copied;
		if (string && likely(copied < left))
			goto whole;
	}
	if (!string && len == size)
		goto whole;
cut:
	len = min(len, max);
	put_unaligned((u16)(len | ARG_STRING_CUT), (u16 *)pos);
	return to + len;
whole:
	put_unaligned((u16)len, (u16 *)pos);
	return to + len;
unread:
	put_unaligned((u16)ARG_STRING_UNREAD, (u16 *)pos);
	return to;
}

/**
 * capture_string - capture a string
 * @pos: where the data goes; there is room for a header and @max + 1 bytes
 * @from: the string
 * @max: maximum bytes
 *
 * Called between capture_begin() and capture_end().
 *
 * Return: the end of the captured bytes.
 */
noinline u8 *capture_string(u8 *pos, unsigned long from, unsigned long max)
{
	return capture_text(pos, from, max, 0, true);
}

/**
 * capture_buffer - capture a buffer
 * @pos: where the data goes; there is room for a header and @max + 1 bytes
 * @from: the buffer
 * @max: maximum bytes
 * @size: the size of the buffer in bytes
 *
 * Called between capture_begin() and capture_end().
 *
 * Return: the end of the captured bytes.
 */
noinline u8 *capture_buffer(u8 *pos, unsigned long from, unsigned long max,
			    unsigned long size)
{
	return capture_text(pos, from, max, size, false);
}

/**
 * capture_bytes - capture bytes of one page, or of two adjacent pages
 * @to: where the data goes
 * @from: the bytes
 * @size: the number of bytes
 *
 * Called between capture_begin() and capture_end().
 *
 * Return: whether all bytes could be read.
 */
noinline bool capture_bytes(u8 *to, unsigned long from, unsigned long size)
{
	unsigned long left = PAGE_SIZE - offset_in_page(from);
	const u8 *page = capture_readable(from);

	if (!page)
		return false;
	if (copy_bytes(to, page, min(left, size), false) < 0)
		return false;
	if (left >= size)
		return true;
	page = capture_readable(from + left);
	return page && copy_bytes(to + left, page, size - left, false) >= 0;
}

/**
 * capture_any_word - read a number that capture_word() does not read itself
 * @val: see capture_word()
 * @addr: see capture_word()
 * @size: see capture_word()
 * @user: see capture_word()
 *
 * As capture_word().
 *
 * Return: whether the number could be read.
 */
noinline bool capture_any_word(unsigned long *val, unsigned long addr, unsigned int size,
			       bool user)
{
	unsigned long bad = 0;
	const void *from;

	if (!capture_is_on_side(addr, user))
		return false;
	if (unlikely(offset_in_page(addr) > PAGE_SIZE - sizeof(*val))) {
		bad = !capture_bytes((u8 *)val, addr, size);
	} else {
		from = capture_readable(addr);
		if (likely(from))
			trace_read_word(val, from, &bad);
		else
			bad = 1;
	}
	return !bad;
}
