// SPDX-License-Identifier: GPL-2.0
/*
 * Count the instructions between two branches
 *
 * From the target of a branch to the origin of the next branch of the CPU, each instruction
 * ran once.  The number is known if the file's text is what ran: both addresses have to be begins
 * of instructions, and no instruction in between may always branch.  The kernel patches its text,
 * so the kernel's text is decoded from the function's symbol on.  The kernel replaces instructions
 * by alternatives, so the number of the instructions there comes from alternatives.c.  In any other
 * case the number is not known.
 */
#include <string.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

/* Maximum bytes to decode for a range */
#define MAX_BYTES	0x100000

/* The size of ENDBR64, which may be before the call of __fentry__ */
#define ENDBR_SIZE	4

/* Whether a symbol names the bytes before a function, which the kernel may replace */
static bool is_prefix(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

/* Whether there are bytes that the kernel may replace: single-byte NOPs that follow each other */
static bool is_padding(const struct image *image, u64 inside)
{
	const u8 *text = NULL;

	return image_text(image, inside, &text) > 1 && text[0] == NOP && text[1] == NOP;
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
 * call of __fentry__ in its functions by a NOP of the same size.
 */
static bool is_counted(const struct image *image, bool user, u64 func, u64 inside,
		       unsigned int len, enum bts_kind kind)
{
	switch (kind) {
	case BTS_KIND_NONE:
		return user || len > 1 || !is_padding(image, inside);
	case BTS_KIND_CONDITIONAL:
		return true;
	case BTS_KIND_CALL:
		return !user && (inside == func || inside == func + ENDBR_SIZE);
	default:
		return false;
	}
}

/* The number of instructions of a range, without the last one */
static u32 decode_range(const struct range *range, const struct place *first)
{
	bool user = first->area;
	u64 func = range->first - (user ? 0 : first->addr - first->func), inside, target;
	const struct alternative *site;
	enum bts_kind kind;
	unsigned int len;
	bool begun = false;
	u32 nr = 0;

	if ((!user && (!first->name || is_prefix(first->name))) || range->last - func > MAX_BYTES)
		return INSNS_UNKNOWN;
	for (inside = func; inside != range->last; inside += len) {
		begun |= inside == range->first;
		if (inside > range->last || (!begun && inside > range->first))
			return INSNS_UNKNOWN;
		site = alternative_find(range->image, inside);
		if (site) {
			len = site->inside + site->size - inside;
			if (begun && (!site->insns || len != site->size))
				return INSNS_UNKNOWN;
			nr += begun ? site->insns : 0;
			continue;
		}
		len = image_decode(range->image, inside, &kind, &target);
		if (!len || (begun && !is_counted(range->image, user, func, inside, len, kind)))
			return INSNS_UNKNOWN;
		nr += begun;
	}
	return begun || range->last == range->first ? nr : INSNS_UNKNOWN;
}

/*
 * Count the instructions that ran before a branch, after bts_tree_next(). The instruction that
 * branched counts, too, but an interrupt or an exception comes before the instruction at its
 * origin. @first is the target of the CPU's last branch, NULL if branches may be missing after it.
 * Returns INSNS_UNKNOWN if the number is not known.
 */
u32 insns_count(const struct place *first, const struct branch *branch)
{
	const struct range range = range_find(first, branch->from);
	bool sure, event = is_event(branch, &sure);
	struct pair *pair;
	u32 nr;

	if (!range.known || !sure || !alternatives_known(range.image))
		return INSNS_UNKNOWN;
	/* Branches repeat the same ranges. The number of a range is its number plus 1. */
	pair = pair_find(&range.image->ranges, range.first, range.last);
	if (!pair->nr)
		pair->nr = 1ULL + decode_range(&range, first);
	nr = pair->nr - 1;
	return nr == INSNS_UNKNOWN || event ? nr : nr + 1;
}
