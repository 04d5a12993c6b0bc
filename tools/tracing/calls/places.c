// SPDX-License-Identifier: GPL-2.0
/*
 * Find and cache the symbol and the instruction of an address
 *
 * The results for an address are cached, because branches repeat the same addresses.
 * Capstone decodes the instruction.  The kernel's own decoder is not used, because
 * trace-calls is also built outside of a kernel tree.
 */
#include <capstone/capstone.h>

#include "arrays.h"
#include "branches.h"
#include "calls.h"
#include "images.h"

static struct places places;
/* The places of the task in user space, NULL if its code is not known */
static struct places *user_places;
static csh decoder;
static bool has_decoder;

static bool has_text(u64 addr)
{
	return image_find(addr, NULL);
}

/*
 * Initialize the cache of addresses; @modules: use symbols of modules, too. Returns false if
 * Capstone cannot be used.
 */
bool places_init(struct tep_handle *tep, bool modules)
{
	places.tep = tep;
	places.end = modules ? ~0ULL : bts_image_end(tep);
	places.known = has_text;
	has_decoder = cs_open(CS_ARCH_X86, CS_MODE_64, &decoder) == CS_ERR_OK &&
		      cs_option(decoder, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK;
	return has_decoder;
}

void places_close(void)
{
	places_free(&places);
	if (has_decoder)
		cs_close(&decoder);
	has_decoder = false;
}

/* Set the places of addresses in user space, NULL for places without symbols and instructions */
void places_use(struct places *user)
{
	user_places = user;
}

struct place *place_find(u64 addr)
{
	bool user = user_places && !bts_is_kernel(addr);

	return allocated(places_find(user ? user_places : &places, addr));
}

static enum bts_kind insn_kind(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
		return BTS_KIND_JUMP;
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
		return BTS_KIND_SYSCALL;
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
#if CS_API_MAJOR >= 5
	/* Older versions have one number for both widths of the operand */
	case X86_INS_SYSRETQ:
	case X86_INS_SYSEXITQ:
#endif
		return BTS_KIND_SYSRET;
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
		return BTS_KIND_IRET;
	}
	if (cs_insn_group(decoder, insn, CS_GRP_CALL))
		return BTS_KIND_CALL;
	if (cs_insn_group(decoder, insn, CS_GRP_RET))
		return BTS_KIND_RETURN;
	if (cs_insn_group(decoder, insn, CS_GRP_JUMP))
		return BTS_KIND_CONDITIONAL;
	return BTS_KIND_NONE;
}

/**
 * code_decode - decode an instruction
 * @text: the instruction
 * @size: bytes of @text
 * @addr: its address
 * @kind: set to the kind, BTS_KIND_NONE if the instruction is not a branch
 * @target: set to the target, 0 if the instruction does not contain it
 *
 * Return: bytes of the instruction, 0 if it is not known.
 */
unsigned int code_decode(const u8 *text, unsigned int size, u64 addr, enum bts_kind *kind,
			 u64 *target)
{
	const cs_x86_op *op;
	unsigned int len;
	cs_insn *insn;

	*kind = BTS_KIND_NONE;
	*target = 0;
	size = has_decoder ? min_t(unsigned int, size, BTS_INSN_MAX) : 0;
	if (!size || !cs_disasm(decoder, text, size, addr, 1, &insn))
		return 0;
	len = insn->size;
	op = &insn->detail->x86.operands[0];
	*kind = insn_kind(insn);
	if (*kind != BTS_KIND_NONE && *kind != BTS_KIND_RETURN &&
	    insn->detail->x86.op_count == 1 && op->type == X86_OP_IMM)
		*target = op->imm;
	cs_free(insn, 1);
	return len;
}

/**
 * image_decode - decode an instruction of an image
 * @image: the image
 * @inside: its address according to libdwfl
 * @kind: set to the kind, BTS_KIND_NONE if the instruction is not a branch
 * @target: set to the target according to libdwfl, 0 if the instruction does not contain it
 *
 * Return: bytes of the instruction, 0 if the code is not known.
 */
unsigned int image_decode(const struct image *image, u64 inside, enum bts_kind *kind,
			  u64 *target)
{
	const u8 *text = NULL;
	unsigned int len = image_text(image, inside, &text);

	len = code_decode(text, len, inside, kind, target);
	/*
	 * In a module's file, the distance to a target is 0 if it is set when the
	 * module is loaded
	 */
	if (image->is_module && *target == inside + len)
		*target = 0;
	return len;
}

/*
 * Find the image of an address, and its address according to libdwfl. Returns NULL if the code is
 * not known.
 */
struct image *place_image(const struct place *place, u64 *inside)
{
	if (!place->area)
		return image_find(place->addr, inside);
	*inside = place->addr - place->area->moved;
	return place->area->image;
}

/*
 * Find the code between the target of the CPU's last branch, NULL if branches may be missing after
 * it, and the origin of the next branch. If only branches of the kernel or of user space are
 * recorded, the CPU may have been on the other side.
 */
struct range range_find(const struct place *first, const struct place *last)
{
	struct range range = { .image = place_image(last, &range.last) };

	range.known = range.image && first && first->addr <= last->addr &&
		      place_image(first, &range.first) == range.image &&
		      range.last - range.first == last->addr - first->addr;
	return range;
}

/* Find the instruction at an address */
void place_decode(struct place *place)
{
	enum bts_kind kind;
	struct image *image;
	u64 inside, target;
	unsigned int len;

	if (place->decoded)
		return;
	place->decoded = true;
	image = place_image(place, &inside);
	len = image ? image_decode(image, inside, &kind, &target) : 0;
	if (!len)
		return;
	place->insn = kind;
	place->after = place->addr + len;
	if (target)
		place->target = target + place->addr - inside;
}

/* Find the line of source of an address by source_find(), NULL if it is not known */
const char *place_source(struct place *place)
{
	struct image *image;
	u64 inside;

	if (!place->sourced) {
		place->sourced = true;
		image = place_image(place, &inside);
		if (image)
			place->source = source_find(image, inside);
	}
	return place->source;
}

/*
 * Write an address as text, which is cut if it is too long. With @func, an offset of 0 is omitted.
 * Returns @text.
 */
const char *place_text(const struct place *place, bool func, char *text, size_t size)
{
	if (!place->name)
		snprintf(text, size, "0x%llx", (unsigned long long)place->addr);
	else if (func && place->addr == place->func)
		snprintf(text, size, "%s", place->name);
	else
		snprintf(text, size, "%s+0x%llx", place->name,
			 (unsigned long long)(place->addr - place->func));
	return text;
}
