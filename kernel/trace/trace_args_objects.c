// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of digests: what tells the objects of a type apart
 *
 * The descriptions of digests are compiled at boot.  At a function's entry each
 * pointer on the way to a part is read as strings are, so only memory is read, and
 * nothing faults.  An object may be freed or changed meanwhile: then the digest has what
 * was there at the moment of reading.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>

#include <asm/trace_readable.h>

#include "trace.h"
#include "trace_args_capture.h"
#include "trace_args_text.h"

/**
 * struct object_part - a part of a digest, compiled
 * @offsets: of each pointer on the way: from the object, then from where the pointer
 *	before points
 * @last: of the part, from where the last pointer points
 * @size: maximum bytes of a text
 * @nr: number of pointers
 * @kind: of a number, see ARG_READ_KIND; 0 for text
 * @bytes: bytes of memory that the number is in
 * @shift: its lowest bit there
 * @unused: high bits of 64 that are not the number's behind @shift
 */
struct object_part {
	s32	offsets[ARG_DIGEST_OFFSETS];
	s32	last;
	u16	size;
	u8	nr;
	u8	kind;
	u8	bytes;
	u8	shift;
	u8	unused;
};

/**
 * struct object_digest - a digest, compiled
 * @nr: number of parts, 0 if there is no digest
 * @room: maximum bytes that are captured
 * @parts: the parts
 */
struct object_digest {
	u16			nr;
	u16			room;
	struct object_part	parts[ARG_DIGEST_PARTS];
};

static struct object_digest object_digests[ARG_DIGESTS] __ro_after_init;

/* Read a number of @size bytes. Bytes above the number are not its own */
static __always_inline bool read_number(unsigned long *val, unsigned long addr,
					unsigned int size, struct captured_page *known)
{
	unsigned long good = 1;
	const void *from;

	if (unlikely(offset_in_page(addr) > PAGE_SIZE - sizeof(*val)))
		return addr >= TASK_SIZE_MAX && capture_bytes((u8 *)val, addr, size);
	if ((addr & PAGE_MASK) != known->page) {
		/* Pointers that are no pointers may lead anywhere */
		if (addr < TASK_SIZE_MAX)
			return false;
		from = capture_readable(addr);
		if (unlikely(!from))
			return false;
		known->page = addr & PAGE_MASK;
		known->place = from - offset_in_page(addr);
	}
	trace_read_word(val, known->place + offset_in_page(addr), &good);
	return good;
}

/* Write what stands for a part: it could not be read, or a pointer on the way is NULL */
static u8 *put_missing(u8 *pos, const struct object_part *part, bool null)
{
	if (part->kind) {
		*pos = null ? ARG_READ_NULL : ARG_READ_FAILED;
		return pos + 1;
	}
	put_unaligned((u16)(null ? ARG_STRING_NULL : ARG_STRING_UNREAD), (u16 *)pos);
	return pos + sizeof(u16);
}

static __always_inline u8 *capture_part(u8 *pos, unsigned long addr,
					const struct object_part *part,
					unsigned long max,
					struct captured_page *known)
{
	unsigned long val = 0;
	unsigned int i;

	for (i = 0; i < part->nr; i++) {
		if (!read_number(&val, addr + part->offsets[i], sizeof(val),
				 known))
			return put_missing(pos, part, false);
		if (!val)
			return put_missing(pos, part, true);
		addr = val;
	}
	addr += part->last;
	if (!part->kind) {
		if (addr < TASK_SIZE_MAX || IS_ERR_VALUE(addr))
			return put_missing(pos, part, false);
		return capture_string(pos, addr, min_t(unsigned long, max, part->size));
	}
	if (!read_number(&val, addr, part->bytes, known))
		return put_missing(pos, part, false);
	*pos = part->kind;
	put_unaligned(val >> part->shift << part->unused >> part->unused,
		      (unsigned long *)(pos + 1));
	return pos + 1 + (1 << (part->kind - 1));
}

/**
 * capture_digest - capture the digest of an object
 * @pos: where to
 * @end: where the digest has to end; behind it there is room for a header
 * @addr: the object, or any address
 * @index: the long that is the pointer to it
 * @code: the digest's letter in the list of reads
 * @max: maximum bytes of a text
 * @known: the page that was read last
 *
 * Any context, within the reading of a call's arguments.
 *
 * Return: the end of the captured bytes, @pos if the address is no object's.
 */
u8 *capture_digest(u8 *pos, const u8 *end, unsigned long addr, unsigned int index,
		   char code, unsigned long max, struct captured_page *known)
{
	const struct object_digest *digest = &object_digests[code - ARG_DIGEST_FIRST];
	const struct object_part *part = digest->parts;
	/* Pairs with compile_digests(), while the kernel boots */
	unsigned int nr = smp_load_acquire(&digest->nr);
	u8 *to = pos + 1 + sizeof(u16);

	if (!nr || addr < TASK_SIZE_MAX || IS_ERR_VALUE(addr) ||
	    capture_is_per_cpu(addr))
		return pos;
	if (end - pos < digest->room) {
		*pos = index << ARG_READ_SHIFT | ARG_READ_FAILED;
		return pos + 1;
	}
	for (; part < digest->parts + nr; part++)
		to = capture_part(to, addr, part, max, known);
	*pos = index << ARG_READ_SHIFT | ARG_READ_DIGEST;
	put_unaligned((u16)(to - pos - 1 - sizeof(u16)), (u16 *)(pos + 1));
	return to;
}

/* Compile a part; false if it is none that can be captured */
static bool __init compile_part(struct object_part *to, const struct arg_part *part)
{
	unsigned int i, size, width;
	const char *type;
	char how;

	*to = (struct object_part){ .nr = part->nr - 1, .size = DIGEST_TEXT_SIZE };
	for (i = 0; i < part->nr; i++) {
		if (abs(part->offsets[i]) > U16_MAX)
			return false;
		to->offsets[i] = part->offsets[i];
	}
	to->last = part->offsets[to->nr];
	if (arg_part_is_text(part->type)) {
		size = arg_part_array(part->type);
		if (size) {
			/* The byte behind the longest text is the array's as well */
			to->size = min(size - 1, DIGEST_TEXT_SIZE);
		} else {
			/* A char * is one more pointer */
			to->nr++;
			to->last = 0;
		}
		return true;
	}
	type = arg_type_behind(part->type, &how);
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

		/* The header, and the bytes that are written behind a text or a number */
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
		/* A tracer may run already. It sees the parts if it sees their number */
		smp_store_release(&digest->nr, p ? nr : 0);
	}
	return 0;
}
postcore_initcall(compile_digests);
