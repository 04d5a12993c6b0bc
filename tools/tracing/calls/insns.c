// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions between two branches
 *
 * From the target of a branch to the origin of the next branch of the CPU, each instruction
 * ran once.  The number is known if the file's text is what ran: the text is decoded from the
 * function's symbol on, and both addresses have to be begins of instructions.  No instruction
 * in between may always branch.  The kernel replaces instructions by alternatives, so the
 * number of the instructions there comes from alternatives.c.  In any other case the number is
 * not known.
 */
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

#define RANGES_BITS	12

/* Maximum bytes from a symbol to the end of a range */
#define MAX_BYTES	0x100000

/* The size of ENDBR64, which may be before the call of __fentry__ */
#define ENDBR_SIZE	4

/**
 * struct range - the instructions from a branch's target to the next branch
 * @node: the element of the hash
 * @first: the target
 * @end: the origin of the next branch
 * @nr: number of instructions from @first up to @end, without the instruction at @end;
 *	INSNS_UNKNOWN if it is not known
 */
struct range {
	struct hash_node	node;
	u64			first;
	u64			end;
	u32			nr;
};

/* The ranges that were counted, because branches repeat the same ranges */
static struct hash ranges;

/* Whether a symbol names the bytes before a function, which the kernel may replace */
static bool is_prefix(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

/* Whether there are bytes that the kernel may replace: single-byte NOPs that follow each other */
static bool is_padding(u64 addr)
{
	const u8 *text = NULL;

	return images_text(addr, &text, NULL) > 1 && text[0] == NOP && text[1] == NOP;
}

/*
 * Whether the branch is an interrupt or an exception.  Those are before the instruction at
 * their origin. Sets @sure to false if that is not certain.
 */
static bool is_event(const struct branch *branch, bool *sure)
{
	const char *name = branch->to->name ?: "";
	bool event = branch->move.kind == BTS_KIND_INTERRUPT ||
		     branch->move.kind == BTS_KIND_EXCEPTION;

	/* Traps are after the instruction. FRED has the same entry for all events. */
	if (event)
		*sure = strcmp(name, "asm_exc_int3") && strcmp(name, "asm_exc_debug") &&
			strcmp(name, "asm_exc_overflow");
	else
		*sure = strncmp(name, "asm_fred_", 9) &&
			(branch->move.sure || strncmp(name, "asm_", 4));
	return event;
}

/*
 * Whether an instruction that was not a branch is one instruction.  The kernel replaces the
 * call of __fentry__ by a NOP of the same size.
 */
static bool is_counted(const struct place *func, u64 addr, unsigned int len, enum bts_kind kind)
{
	switch (kind) {
	case BTS_KIND_NONE:
		return len > 1 || !is_padding(addr);
	case BTS_KIND_CONDITIONAL:
		return true;
	case BTS_KIND_CALL:
		return addr == func->func || addr == func->func + ENDBR_SIZE;
	default:
		return false;
	}
}

/*
 * The number of instructions from @first up to @end, both in one image. The image is read
 * from the symbol on. libdwfl's addresses are the addresses plus @distance.
 */
static u32 decode_range(struct image *image, const struct place *first, u64 distance, u64 end)
{
	const struct alternative *site;
	enum bts_kind kind;
	unsigned int len;
	bool begun = false;
	u64 addr, target;
	u32 nr = 0;

	if (!first->name || is_prefix(first->name) || end - first->func > MAX_BYTES)
		return INSNS_UNKNOWN;
	for (addr = first->func; addr != end; addr += len) {
		begun |= addr == first->addr;
		if (addr > end || (!begun && addr > first->addr))
			return INSNS_UNKNOWN;
		site = alternative_find(image, addr + distance);
		if (site) {
			len = site->inside + site->size - (addr + distance);
			if (begun && (!site->insns || len != site->size))
				return INSNS_UNKNOWN;
			nr += begun ? site->insns : 0;
			continue;
		}
		len = text_decode(addr, &kind, &target);
		if (!len || (begun && !is_counted(first, addr, len, kind)))
			return INSNS_UNKNOWN;
		nr += begun;
	}
	return begun || end == first->addr ? nr : INSNS_UNKNOWN;
}

static u32 count_range(struct image *image, u64 first, u64 distance, u64 end)
{
	u64 key = first ^ (end << 32 | end >> 32);
	struct hash_node *node;
	struct range *range;

	if (!ranges.slots && !hash_init(&ranges, RANGES_BITS))
		out_of_memory();
	for (node = *hash_slot(&ranges, key); node; node = node->next) {
		range = container_of(node, struct range, node);
		if (range->first == first && range->end == end)
			return range->nr;
	}
	range = xmalloc(sizeof(*range));
	range->first = first;
	range->end = end;
	range->nr = decode_range(image, place_find(first), distance, end);
	hash_add(&ranges, &range->node, key);
	return range->nr;
}

/**
 * insns_count - count the instructions that ran before a branch
 * @first: the target of the CPU's last branch, 0 if branches may be missing after it
 * @branch: the branch, after bts_tree_next()
 *
 * Return: the number, with the instruction that branched; INSNS_UNKNOWN if it is not known. An
 * interrupt or an exception comes before the instruction at its origin.
 */
u32 insns_count(u64 first, const struct branch *branch)
{
	bool sure, event = is_event(branch, &sure);
	u64 end = branch->from->addr, inside[2];
	struct image *image = image_find(end, &inside[1]);
	u32 nr;

	if (!image || !first || first > end || !sure ||
	    image_find(first, &inside[0]) != image || inside[1] - inside[0] != end - first ||
	    !alternatives_known(image))
		return INSNS_UNKNOWN;
	nr = count_range(image, first, inside[0] - first, end);
	return nr == INSNS_UNKNOWN || event ? nr : nr + 1;
}

static void free_range(struct hash_node *node)
{
	free(container_of(node, struct range, node));
}

/**
 * insns_free - free the ranges that were counted
 */
void insns_free(void)
{
	if (ranges.slots)
		hash_free(&ranges, free_range);
}
