// SPDX-License-Identifier: GPL-2.0
/*
 * The registers and the memory that an x86-64 instruction reads and writes
 *
 * Strategy: decode only the instructions that compilers put between a call and the use of
 * its result, or between loading an argument and its call.  effects_x86() refuses other
 * instructions, and the code after such an instruction is not decoded.
 *
 * The kernel's decoder in tools/arch/x86/lib is not used.  It finds the length and the
 * fields of an instruction: prefixes, opcode, ModRM, displacement and immediate.  It does
 * not tell which registers and which memory the instruction reads and writes.
 */
#include <string.h>

#include "gen_arg_sigs.h"

#define REX_W	8
#define REX_R	4
#define REX_X	2
#define REX_B	1

/* The state of decoding one instruction */
struct decoder {
	const unsigned char *p;
	const unsigned char *end;
	unsigned int rex;	/* the prefix, including its 0x40, or 0 */
	bool word;		/* the operands have 16 bits */
	bool byte;		/* the operands have 8 bits */
	unsigned int reg;	/* of the ModRM byte */
	unsigned int rm;	/* the other register of the ModRM byte, or -1u */
	struct effects *effects;
};

static bool get(struct decoder *d, unsigned int size, __s64 *value)
{
	__u64 bits = 0;
	unsigned int i;

	if ((size_t)(d->end - d->p) < size)
		return false;
	for (i = 0; i < size; i++)
		bits |= (__u64)d->p[i] << (8 * i);
	d->p += size;
	*value = bits;
	if (size == 1)
		*value = (signed char)bits;
	else if (size == 4)
		*value = (__s32)bits;
	return true;
}

static bool skip(struct decoder *d, unsigned int size)
{
	__s64 value;

	return get(d, size, &value);
}

/* The target of a branch.  The operand of a branch to another function has a relocation. */
static bool branch(struct decoder *d, unsigned int size)
{
	d->effects->branches = true;
	return get(d, size, &d->effects->disp);
}

/* The register of a number. Without a REX prefix, the numbers 4 to 7 mean AH to BH. */
static unsigned int gp_reg(const struct decoder *d, unsigned int nr)
{
	return d->byte && !d->rex && nr >= 4 && nr < 8 ? nr - 4 : nr;
}

static bool get_modrm(struct decoder *d)
{
	struct effects *effects = d->effects;
	unsigned int mod, rm, sib;
	__s64 value;

	if (!get(d, 1, &value))
		return false;
	mod = value >> 6 & 3;
	rm = value & 7;
	d->reg = (value >> 3 & 7) | (d->rex & REX_R ? 8 : 0);
	d->rm = -1u;
	if (mod == 3) {
		d->rm = rm | (d->rex & REX_B ? 8 : 0);
		return true;
	}

	effects->memory = true;
	if (rm == 4) {
		if (!get(d, 1, &value))
			return false;
		sib = value;
		rm = sib & 7;
		if ((sib >> 3 & 7) != 4 || d->rex & REX_X) {
			effects->reads |= 1u << ((sib >> 3 & 7) | (d->rex & REX_X ? 8 : 0));
			effects->indexed = true;
		}
	} else if (rm == 5 && !mod) {
		/* The address is relative to the next instruction */
		effects->indexed = true;
		return skip(d, 4);
	}
	if (rm == 5 && !mod) {
		effects->indexed = true;
		return skip(d, 4);
	}
	effects->base = rm | (d->rex & REX_B ? 8 : 0);
	effects->reads |= 1u << effects->base;
	effects->disp = 0;
	if (mod == 1)
		return get(d, 1, &effects->disp);
	if (mod == 2)
		return get(d, 4, &effects->disp);
	return true;
}

static __u32 rm_bit(const struct decoder *d)
{
	return d->rm == -1u ? 0 : 1u << gp_reg(d, d->rm);
}

static __u32 reg_bit(const struct decoder *d)
{
	return 1u << gp_reg(d, d->reg);
}

/* Operands of an instruction with a ModRM byte */
#define READS_RM	1
#define READS_REG	2
#define WRITES_RM	4
#define WRITES_REG	8

static bool operands(struct decoder *d, unsigned int use, unsigned int immediate)
{
	if (!get_modrm(d))
		return false;
	d->effects->loads = d->effects->memory && use & READS_RM;
	d->effects->stores = d->effects->memory && use & WRITES_RM;
	if (use & READS_RM)
		d->effects->reads |= rm_bit(d);
	if (use & READS_REG)
		d->effects->reads |= reg_bit(d);
	if (use & WRITES_RM)
		d->effects->writes |= rm_bit(d);
	if (use & WRITES_REG)
		d->effects->writes |= reg_bit(d);
	return skip(d, immediate);
}

static unsigned int immediate_size(const struct decoder *d)
{
	return d->byte ? 1 : d->word ? 2 : 4;
}

/* A wider register gets a byte, or bytes, of memory or of another register */
static bool extends(struct decoder *d, bool byte)
{
	d->byte = byte;
	if (!operands(d, READS_RM, 0))
		return false;
	d->byte = false;
	d->effects->writes |= reg_bit(d);
	return true;
}

/* add, or, adc, sbb, and, sub, xor, cmp */
static bool arithmetic(struct decoder *d, unsigned int op)
{
	unsigned int write = (op & 0x38) == 0x38 ? 0 : op & 2 ? WRITES_REG : WRITES_RM;

	d->byte = !(op & 1);
	if ((op & 7) >= 4) {
		d->effects->reads |= 1;
		d->effects->writes |= !!write;
		return skip(d, immediate_size(d));
	}
	if (!operands(d, READS_RM | READS_REG | write, 0))
		return false;
	/*
	 * xor and sub of a register with itself only clear the register. sbb uses only the
	 * carry.
	 */
	if (d->rm == d->reg && ((op & 0x38) == 0x30 || (op & 0x38) == 0x28 ||
				(op & 0x38) == 0x18))
		d->effects->reads = 0;
	return true;
}

static bool two_bytes(struct decoder *d)
{
	unsigned int op;
	__s64 value;

	if (!get(d, 1, &value))
		return false;
	op = value & 0xff;
	switch (op) {
	case 0x0b:
		/* ud2: code after a warning is not followed */
		d->effects->flow = FLOW_JUMP;
		return true;
	case 0x1f:
		/* The operand of a nop looks like memory, but the nop accesses no memory */
		if (!get_modrm(d))
			return false;
		d->effects->reads = 0;
		d->effects->memory = false;
		return true;
	case 0x40 ... 0x4f:
	case 0xaf:
		return operands(d, READS_RM | READS_REG | WRITES_REG, 0);
	case 0x80 ... 0x8f:
		return branch(d, 4);
	case 0x90 ... 0x9f:
		d->byte = true;
		return operands(d, WRITES_RM, 0);
	case 0xa3:
		return operands(d, READS_RM | READS_REG, 0);
	case 0xab:
	case 0xb3:
	case 0xbb:
		return operands(d, READS_RM | READS_REG | WRITES_RM, 0);
	case 0xb6:
	case 0xbe:
		return extends(d, true);
	case 0xb7:
	case 0xbf:
		return extends(d, false);
	case 0xba:
		return operands(d, READS_RM | WRITES_RM, 1);
	}
	return false;
}

static bool one_byte(struct decoder *d, unsigned int op)
{
	unsigned int low = (op & 7) | (d->rex & REX_B ? 8 : 0);
	struct effects *effects = d->effects;

	/* If the opcode has a width bit, a clear bit 0 means operands of one byte */
	d->byte = !(op & 1);
	switch (op) {
	case 0x50 ... 0x57:
		/* A push often only moves the stack pointer */
		effects->flow = FLOW_UNKNOWN;
		return true;
	case 0x58 ... 0x5f:
		effects->writes = 1u << low;
		return true;
	case 0x63:
		return extends(d, false);
	case 0x69:
		return operands(d, READS_RM | WRITES_REG, immediate_size(d));
	case 0x6b:
		return operands(d, READS_RM | WRITES_REG, 1);
	case 0x70 ... 0x7f:
		return branch(d, 1);
	case 0x80:
	case 0x81:
	case 0x83:
		if (!operands(d, READS_RM, op == 0x81 ? immediate_size(d) : 1))
			return false;
		if ((d->reg & 7) != 7)
			effects->writes |= rm_bit(d);
		/* or with -1 only sets the register */
		if (op == 0x83 && (d->reg & 7) == 1 && d->rm != -1u && d->p[-1] == 0xff)
			effects->reads &= ~rm_bit(d);
		return true;
	case 0x84 ... 0x85:
		return operands(d, READS_RM | READS_REG, 0);
	case 0x88 ... 0x89:
		return operands(d, READS_REG | WRITES_RM, 0);
	case 0x8a ... 0x8b:
		return operands(d, READS_RM | WRITES_REG, 0);
	case 0x8d:
		if (!operands(d, WRITES_REG, 0))
			return false;
		effects->memory = false;
		return true;
	case 0x90:
		return !(d->rex & REX_B);
	case 0x98:
		effects->reads = 1;
		effects->writes = 1;
		return true;
	case 0x99:
		effects->reads = 1;
		effects->writes = 1u << 2;
		return true;
	case 0xa8 ... 0xa9:
		effects->reads = 1;
		return skip(d, immediate_size(d));
	case 0xb0 ... 0xb7:
		d->byte = true;
		effects->writes = 1u << gp_reg(d, low);
		return skip(d, 1);
	case 0xb8 ... 0xbf:
		effects->writes = 1u << low;
		return skip(d, d->rex & REX_W ? 8 : d->word ? 2 : 4);
	case 0xc0 ... 0xc1:
		return operands(d, READS_RM | WRITES_RM, 1);
	case 0xd0 ... 0xd1:
		return operands(d, READS_RM | WRITES_RM, 0);
	case 0xd2 ... 0xd3:
		effects->reads = 1u << 1;
		return operands(d, READS_RM | WRITES_RM, 0);
	case 0xc3:
		effects->flow = FLOW_RETURN;
		return true;
	case 0xc6 ... 0xc7:
		return operands(d, WRITES_RM, immediate_size(d)) && !(d->reg & 7);
	case 0xc9:
		effects->reads = 1u << 5;
		effects->writes = 1u << 4 | 1u << 5;
		return true;
	case 0xcc:
		/* Only the kernel's patching makes the code reach an int3 */
		effects->flow = FLOW_JUMP;
		return true;
	case 0xe8:
		effects->flow = FLOW_CALL;
		return skip(d, 4);
	case 0xe9:
		effects->flow = FLOW_JUMP;
		return branch(d, 4);
	case 0xeb:
		effects->flow = FLOW_JUMP;
		return branch(d, 1);
	case 0xf6 ... 0xf7:
		if (!operands(d, READS_RM, 0))
			return false;
		switch (d->reg & 7) {
		case 0:
			return skip(d, immediate_size(d));
		case 2:
		case 3:
			effects->writes |= rm_bit(d);
			return true;
		}
		return false;
	case 0xfe ... 0xff:
		return operands(d, READS_RM | WRITES_RM, 0) && (d->reg & 7) < 2;
	}
	return false;
}

/*
 * Find out what an instruction reads and writes. Returns the instruction's length, 0 if the
 * instruction is not known.
 */
unsigned int effects_x86(struct effects *effects, const unsigned char *p,
			 const unsigned char *end)
{
	struct decoder d = { .p = p, .end = end, .effects = effects };
	unsigned int op;
	bool good;

	memset(effects, 0, sizeof(*effects));
	/* Prefixes of a segment: the memory of %gs is never the stack */
	while (d.p < end && (*d.p == 0x66 || *d.p == 0x65 || *d.p == 0x2e))
		d.word |= *d.p++ == 0x66;
	if (d.p < end && (*d.p & 0xf0) == 0x40)
		d.rex = *d.p++;
	if (d.p >= end)
		return 0;

	op = *d.p++;
	if (op == 0x0f)
		good = two_bytes(&d);
	else if (op < 0x40 && (op & 7) < 6)
		good = arithmetic(&d, op);
	else
		good = one_byte(&d, op);
	return good ? d.p - p : 0;
}
