// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of digests, which tell the objects of a type apart, and of the values of the
 * user's expressions
 *
 * The descriptions of digests are compiled at boot.  Expressions are compiled when they
 * are written to their file.  At a function's entry each pointer on the way to a part is
 * read in the same way as strings: only known memory is read, so a bad pointer does no
 * harm.  If an object is freed or changed meanwhile, the digest has the bytes at the time
 * of the read.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/unaligned.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "capture.h"
#include "numbers.h"
#include "text.h"

/**
 * struct object_digest - a compiled digest
 * @nr: number of parts, 0 if there is no digest
 * @room: the maximum number of bytes that are written
 * @parts: the parts
 */
struct object_digest {
	u16			nr;
	u16			room;
	struct object_part	parts[ARG_DIGEST_PARTS];
} __aligned(SZ_256);	/* an index is multiplied by a shift */

static struct object_digest object_digests[ARG_DIGESTS] __ro_after_init;

/* Write the placeholder of a part that could not be read, or that a NULL pointer leads to */
static u8 *put_missing_part(u8 *pos, const struct object_part *part, bool null)
{
	if (part->kind) {
		*pos = null ? ARG_READ_NULL : ARG_READ_FAILED;
		return pos + 1;
	}
	put_unaligned((u16)(null ? ARG_STRING_NULL : ARG_STRING_UNREAD), (u16 *)pos);
	return pos + sizeof(u16);
}

/* Write a number. The lowest bit of the number is bit @part->shift of @val */
static __always_inline u8 *put_part_number(u8 *pos, const struct object_part *part,
					   unsigned long val)
{
	*pos = part->kind;
	put_unaligned(val >> part->shift << part->unused >> part->unused,
		      (unsigned long *)(pos + 1));
	return pos + 1 + (1 << (part->kind - 1));
}

/*
 * Capture a part. @user: bit n: the n-th offset leads to an address of user space. @arrays:
 * whether the part may be an array
 */
static __always_inline u8 *capture_part(u8 *pos, unsigned long addr,
					const struct object_part *part,
					unsigned long max, unsigned int user,
					struct captured_page *known, const bool arrays)
{
	unsigned long val = 0;
	unsigned int i;

	for (i = 0; i < part->nr; i++) {
		addr += part->offsets[i];
		if (!capture_word(&val, addr, sizeof(val), user & BIT(i), known))
			return put_missing_part(pos, part, false);
		if (!val)
			return put_missing_part(pos, part, true);
		/* Any member may be followed in an expression, but a digest has no such member */
		if (arrays && capture_is_per_cpu(val))
			return put_missing_part(pos, part, false);
		addr = val;
	}
	addr += part->last;
	if (!part->kind) {
		if (!capture_is_on_side(addr, user & BIT(i)) || IS_ERR_VALUE(addr))
			return put_missing_part(pos, part, false);
		if (arrays && part->array)
			return capture_buffer(pos, addr, max, part->size);
		return capture_string(pos, addr, min_t(unsigned long, max, part->size));
	}
	if (!capture_word(&val, addr, part->bytes, user & BIT(i), known))
		return put_missing_part(pos, part, false);
	return put_part_number(pos, part, val);
}

/*
 * Capture the digest of an object, see capture_digest(). @known is the page that was read last.
 */
static __always_inline u8 *
put_digest(u8 *pos, const u8 *end, unsigned long addr, unsigned int index, char code,
	   unsigned long max, struct captured_page *known)
{
	const struct object_digest *digest = &object_digests[code - ARG_DIGEST_FIRST];
	const struct object_part *part = digest->parts;
	/* Pairs with compile_digests(), which runs while the kernel boots */
	unsigned int nr = smp_load_acquire(&digest->nr);
	u8 *to = pos + 1 + sizeof(u16);

	if (!nr)
		return pos;
	/* An address in the direct map is kernel memory, and neither an error nor per-CPU */
	if (likely(trace_readable_always(addr))) {
		known->page = addr & PAGE_MASK;
		known->place = (const void *)known->page;
	} else if (trace_untagged(addr) < TASK_SIZE_MAX || IS_ERR_VALUE(addr) ||
		   capture_is_per_cpu(addr)) {
		return pos;
	}
	if (end - pos < digest->room) {
		*pos = index << ARG_READ_SHIFT | ARG_READ_FAILED;
		return pos + 1;
	}
	for (; part < digest->parts + nr; part++)
		to = capture_part(to, addr, part, max, 0, known, false);
	*pos = index << ARG_READ_SHIFT | ARG_READ_DIGEST;
	put_unaligned((u16)(to - pos - 1 - sizeof(u16)), (u16 *)(pos + 1));
	return to;
}

/**
 * capture_digest - capture the digest of an object
 * @pos: where the data goes
 * @end: where the digest has to end; after @end there is room for a header
 * @addr: the object, or any address
 * @index: the long that points to the object
 * @code: the digest's letter in the list of reads
 * @max: maximum bytes of a text
 *
 * Any context, between capture_begin() and capture_end().
 *
 * Return: the end of the captured bytes; @pos if @addr cannot be the address of an
 * object.
 */
u8 *capture_digest(u8 *pos, const u8 *end, unsigned long addr, unsigned int index,
		   char code, unsigned long max)
{
	struct captured_page known = { .page = 1 };

	return put_digest(pos, end, addr, index, code, max, &known);
}

/**
 * capture_digests - capture the digests of the objects that longs point to
 * @pos: where the data goes
 * @begin: the begin of the captured values
 * @longs: the longs
 * @nr: number of @longs
 * @reads: the list of reads, beginning with the first digest
 * @max: maximum bytes of a text
 *
 * Any context, between capture_begin() and capture_end().
 *
 * Return: the end of the captured bytes.
 */
u8 *capture_digests(u8 *pos, const u8 *begin, const unsigned long *longs, unsigned int nr,
		    const char *reads, unsigned long max)
{
	/* A digest that there is no room for has a header of one byte */
	const u8 *end = begin + FUNC_ARGS_MAX_READS - ARG_SIGS_MAX_LONGS;
	struct captured_page known = { .page = 1 };

	for (; *reads == '*'; reads += 3) {
		unsigned int index = arg_read_long(reads[1]);

		if (likely(index < nr))
			pos = put_digest(pos, end, longs[index], index, reads[2], max, &known);
	}
	return pos;
}

/* Find the value that an expression begins with */
static __always_inline unsigned long expr_base(const struct call_expr *expr,
					       const unsigned long *longs)
{
	unsigned long val;

	switch (expr->index) {
	case CALL_EXPR_TASK:
		return (unsigned long)current;
	case CALL_EXPR_CPU:
		return raw_smp_processor_id();
	case CALL_EXPR_PID:
		return current->pid;
	case CALL_EXPR_TGID:
		return current->tgid;
	}
	val = longs[expr->index] << expr->unused;
	return expr->sign ? (long)val >> expr->unused : val >> expr->unused;
}

/**
 * capture_expr - capture the value of an expression
 * @pos: where the value goes: the kind of a number and the number, or a text with its
 *	header
 * @expr: the expression
 * @longs: the longs of the call
 * @max: maximum bytes of a text
 * @known: the page that was read last
 *
 * Any context, between capture_begin() and capture_end(). There has to be room for a
 * header and a long, or for a header and @max + 1 bytes.
 *
 * Return: the end of the captured bytes.
 */
u8 *capture_expr(u8 *pos, const struct call_expr *expr, const unsigned long *longs,
		 unsigned long max, struct captured_page *known)
{
	unsigned long val = expr_base(expr, longs);

	if (!expr->deref)
		return put_part_number(pos, &expr->part, val);
	if (!val)
		return put_missing_part(pos, &expr->part, true);
	if (capture_is_per_cpu(val))
		return put_missing_part(pos, &expr->part, false);
	return capture_part(pos, val, &expr->part, max, expr->user, known, true);
}

/**
 * capture_exprs - capture the values of expressions
 * @pos: where the data goes
 * @end: where the values have to end; after @end there is room for a long
 * @exprs: the expressions
 * @longs: the longs of the call
 * @max: maximum bytes of a text
 *
 * If the values have no room, or if their description has no number, then only the header
 * is written. Any context, between capture_begin() and capture_end().
 *
 * Return: the end of the captured bytes, @pos if there is no room for a header.
 */
u8 *capture_exprs(u8 *pos, const u8 *end, const struct call_exprs *exprs,
		  const unsigned long *longs, unsigned long max)
{
	struct captured_page known = { .page = 1 };
	unsigned int i, nr = exprs->nr;
	u16 id = READ_ONCE(exprs->id);
	u8 *to = pos + CALL_EXPRS_HEADER;

	if (unlikely(end < to))
		return pos;
	/*
	 * The placeholder of a missing value has at most two bytes, and a number has at
	 * most nine
	 */
	if (id == CALL_EXPRS_NONE || end - to < (long)((nr + 1) * (1 + sizeof(long))))
		nr = 0;
	for (i = 0; i < nr; i++) {
		long left = end - to - (nr - i) * (1 + sizeof(long));

		to = capture_expr(to, &exprs->exprs[i], longs,
				  clamp(left, 0L, (long)max), &known);
	}
	*pos = ARG_READ_TEXT;
	put_unaligned((u16)(to - pos - 1 - sizeof(u16)), (u16 *)(pos + 1));
	put_unaligned(id, (u16 *)(pos + 1 + sizeof(u16)));
	return to;
}
EXPORT_SYMBOL_IF_KUNIT(capture_exprs);

/**
 * object_part_compile - compile a part of a digest, or an expression
 * @to: set to the compiled part
 * @part: the part
 *
 * Return: false if the part cannot be captured.
 */
bool object_part_compile(struct object_part *to, const struct arg_part *part)
{
	unsigned int i, size, width;
	const char *type;
	char how;

	*to = (struct object_part){ .nr = part->nr - 1, .size = DIGEST_TEXT_SIZE };
	for (i = 0; i < part->nr; i++)
		to->offsets[i] = part->offsets[i];
	to->last = part->offsets[to->nr];
	if (arg_part_is_text(part->type)) {
		size = arg_part_array(part->type);
		if (size) {
			/* The byte after the longest text belongs to the array as well */
			to->size = min(size - 1, DIGEST_TEXT_SIZE);
		} else {
			/* A char * is one more pointer */
			to->nr++;
			to->last = 0;
		}
		return true;
	}
	type = arg_type_resolve(part->type, &how);
	size = arg_scalar_size(type);
	if (!size || size > sizeof(long))
		return false;
	to->kind = ilog2(size) + 1;
	width = part->width ?: size * BITS_PER_BYTE;
	to->shift = part->width ? part->bit % BITS_PER_BYTE : 0;
	to->bytes = DIV_ROUND_UP(to->shift + width, BITS_PER_BYTE);
	to->unused = BITS_PER_LONG - width;
	return true;
}

/* Compile a part of a digest; returns false if the part cannot be captured */
static bool __init compile_part(struct object_part *to, const struct arg_part *part)
{
	unsigned int i;

	for (i = 0; i < part->nr; i++)
		if (abs(part->offsets[i]) > U16_MAX)
			return false;
	return object_part_compile(to, part);
}

/*
 * Compile the digests of the image. A digest with a part that cannot be captured is left
 * out, because readers expect all parts.
 */
static int __init compile_digests(void)
{
	const struct arg_digests *digests = &READ_ONCE(arg_sigs_image)->digests;
	unsigned int i, nr, room;

	for (i = 0; i < ARG_DIGESTS; i++) {
		struct object_digest *digest = &object_digests[i];
		const char *p = digests->tags[i];
		struct arg_part part;

		/*
		 * Room for the header, and for the bytes that are written after a text or
		 * a number
		 */
		room = 1 + sizeof(u16) + sizeof(long);
		p = p ? strchr(p, ';') + 1 : "";
		for (nr = 0; p && *p; nr++) {
			p = arg_digest_part(&part, p);
			if (!p || nr == ARG_DIGEST_PARTS ||
			    !compile_part(&digest->parts[nr], &part)) {
				p = NULL;
				break;
			}
			room += arg_part_is_text(part.type) ?
				sizeof(u16) + DIGEST_TEXT_SIZE : 1 + sizeof(long);
		}
		digest->room = room;
		/*
		 * A tracer may run already. A tracer that sees the number of parts sees
		 * the parts
		 */
		smp_store_release(&digest->nr, p ? nr : 0);
	}
	return 0;
}
postcore_initcall(compile_digests);
