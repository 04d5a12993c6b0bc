// SPDX-License-Identifier: GPL-2.0
/*
 * The step tracer: decoding instructions of user space
 */
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include <kunit/visibility.h>

#include <asm/insn.h>
#include <asm/irq_vectors.h>
#include <asm/step_tracer.h>
#include <asm/trapnr.h>

/* What step_kind() tells of a branch besides STEP_JUMP. Only this file uses these kinds */
#define STEP_DIRECT	BIT(12)	/* the instruction contains the address of the target */
#define STEP_CALL	BIT(13)
#define STEP_RETURN	BIT(14)
#define STEP_BRANCH	(STEP_DIRECT | STEP_CALL | STEP_RETURN)

static bool step_has_prefix(const struct insn *in, u8 prefix)
{
	return memchr(in->prefixes.bytes, prefix, sizeof(in->prefixes.bytes));
}

static bool step_repeats(const struct insn *in)
{
	return step_has_prefix(in, 0xf2) || step_has_prefix(in, 0xf3);
}

/* The kind of INT, for the vectors that a program may use */
static u16 step_kind_int(u8 vector)
{
	switch (vector) {
	case X86_TRAP_BP:
		return STEP_INT3;
	case X86_TRAP_OF:
		return STEP_INT4;
	case IA32_SYSCALL_VECTOR:
		return STEP_INT80;
	}
	return 0;
}

/* An opcode of the map that 0x0f or REX2 selects */
#define STEP_MAP1(opcode)	(0x0f00 | (opcode))

/* The opcode of an instruction that has a prefix for other maps, such as VEX */
#define STEP_OTHER_MAP		0xffff

static unsigned int step_opcode(const struct insn *in)
{
	u8 op = in->opcode.bytes[0];

	if (in->vex_prefix.nbytes)
		return STEP_OTHER_MAP;
	/* REX2 has two bytes. If it selects the map, the opcode has no 0x0f */
	if (in->rex_prefix.nbytes == 2 && X86_REX2_M(in->rex_prefix.bytes[1]))
		return STEP_MAP1(op);
	return op == 0x0f ? STEP_MAP1(in->opcode.bytes[1]) : op;
}

static u16 step_kind(const struct insn *in, bool long_mode)
{
	switch (step_opcode(in)) {
	case 0x70 ... 0x7f:
	case STEP_MAP1(0x80) ... STEP_MAP1(0x8f):	/* Jcc */
	case 0xe0 ... 0xe3:	/* LOOP, JCXZ */
		return STEP_DIRECT;
	case 0xe9:
	case 0xeb:		/* JMP */
		return STEP_JUMP | STEP_DIRECT;
	case 0xea:		/* far JMP */
		return STEP_JUMP;
	case 0xe8:		/* CALL */
		return STEP_JUMP | STEP_DIRECT | STEP_CALL;
	case 0x9a:		/* far CALL */
		return STEP_JUMP | STEP_CALL;
	case 0xc2:
	case 0xc3:		/* RET */
	case 0xca:
	case 0xcb:		/* far RET */
		return STEP_JUMP | STEP_RETURN;
	case 0xcf:		/* IRET */
		return STEP_JUMP | STEP_POPF;
	case 0xff:
		switch (X86_MODRM_REG(in->modrm.value)) {
		case 2:
		case 3:
			return STEP_JUMP | STEP_CALL;
		case 4:
		case 5:
			return STEP_JUMP;
		}
		return 0;
	case 0x8e:		/* MOV SS; other segment registers are no kind */
		return X86_MODRM_REG(in->modrm.value) == 2 ? STEP_SHADOW : 0;
	case 0x17:		/* POP SS */
		return long_mode ? 0 : STEP_SHADOW;
	case 0xa1:		/* JMPABS with REX2, MOV without it */
		return in->rex_prefix.nbytes == 2 ? STEP_JUMP : 0;
	case 0x6c ... 0x6f: case 0xa4 ... 0xa7: case 0xaa ... 0xaf:
		return step_repeats(in) ? STEP_REPEAT : 0;
	case 0x9c:
		return STEP_PUSHF;
	case 0x9d:
		return STEP_POPF;
	case 0xcc:
		return STEP_INT3;
	case 0xcd:
		return step_kind_int(in->immediate.bytes[0]);
	case 0xf1:
		return STEP_INT1;
	case STEP_MAP1(0x05):	/* SYSCALL */
		return long_mode ? STEP_SYSCALL : STEP_SYSCALL32;
	case STEP_MAP1(0x34):	/* SYSENTER */
		return STEP_SYSENTER;
	}
	return 0;
}

/* Decode an instruction. Returns as insn_decode() does */
static int step_insn_decode(struct insn *in, const u8 *text, unsigned int size,
			    enum insn_mode mode)
{
	int ret = insn_decode(in, text, size, mode);

	/* Linux 6.12 takes XOP, which has another length, for POP */
	if (!ret && step_opcode(in) == 0x8f && X86_MODRM_REG(in->modrm.bytes[0]))
		return -EINVAL;
	return ret;
}

/**
 * step_decode - decode an instruction
 * @insn: set to the length and the kind of the instruction
 * @text: the bytes of the instruction
 * @size: number of bytes that can be read at @text, at most MAX_INSN_SIZE
 * @long_mode: whether the CPU is in 64-bit mode; otherwise it is in 32-bit mode
 *
 * Return: 0, or -ENODATA if the instruction has more than @size bytes.
 */
int step_decode(struct step_insn *insn, const u8 *text, unsigned int size,
		bool long_mode)
{
	enum insn_mode mode = long_mode ? INSN_MODE_64 : INSN_MODE_32;
	struct insn in;
	int ret;

	*insn = (struct step_insn){ };
	ret = step_insn_decode(&in, text, size, mode);
	if (ret == -ENODATA && size < MAX_INSN_SIZE)
		return ret;
	/* An instruction that the decoder does not know has length 0 */
	if (ret)
		return 0;
	insn->len = in.length;
	insn->kind = step_kind(&in, long_mode) & ~STEP_BRANCH;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(step_decode);

/*
 * Whether an instruction is XBEGIN. When its transaction aborts, it leads to another
 * address
 */
static bool step_is_xbegin(const struct insn *in)
{
	return step_opcode(in) == 0xc7 && in->modrm.bytes[0] == 0xf8;
}

/*
 * Whether a hypervisor may emulate the instruction. Some then raise the exception after
 * it
 */
static bool step_may_exit(const struct insn *in)
{
	switch (step_opcode(in)) {
	case 0x90:	/* PAUSE */
		return step_repeats(in);
	case 0x6c ... 0x6f: case 0xe4 ... 0xe7: case 0xec ... 0xef:	/* IN, OUT */
	case STEP_MAP1(0x01):	/* XGETBV, RDTSCP */
	case STEP_MAP1(0x31):	/* RDTSC */
	case STEP_MAP1(0x33):	/* RDPMC */
	case STEP_MAP1(0xa2):	/* CPUID */
	case STEP_MAP1(0xc7):	/* RDRAND, RDSEED */
		return true;
	}
	return false;
}

static bool step_add_branch(struct step_block *block, unsigned int offset, s64 target)
{
	unsigned int i;

	for (i = 0; i < block->nr; i++) {
		if (block->target[i] == target)
			return false;
	}
	if (i == STEP_BLOCK_BRANCHES)
		return false;
	block->offset[i] = offset;
	block->target[i] = target;
	block->nr++;
	return true;
}

/* The changes that the instructions of a block before its end make to the stack pointer */
enum step_stack {
	STEP_STACK_SAME,
	STEP_STACK_POPPED,	/* only POPs after the last conditional branch */
	STEP_STACK_CHANGED,	/* other changes, or unknown changes */
};

/* Whether the field for a register in the ModRM byte is a part of the opcode */
static bool step_has_group(const struct insn *in)
{
	switch (step_opcode(in)) {
	case 0x80 ... 0x83: case 0xc0: case 0xc1: case 0xc6: case 0xc7:
	case 0xd0 ... 0xd3: case 0xf6: case 0xf7: case 0xfe: case 0xff:
		return true;
	}
	return false;
}

/* Whether an instruction may change the stack pointer, because RSP may be an operand */
static bool step_names_stack(const struct insn *in)
{
	unsigned int op = step_opcode(in);
	u8 modrm = in->modrm.bytes[0];

	/* VEX instructions may have the destination in another field */
	if (op == STEP_OTHER_MAP)
		return true;
	if (!in->modrm.nbytes)
		return op == 0xc8 || op == 0xc9 || (op >= 0x50 && op <= 0x57) ||
		       op == 0x68 || op == 0x6a || op >= STEP_MAP1(0) || (op & 7) == 4;
	/* POP to memory, and PUSH from memory */
	if (op == 0x8f || (op == 0xff && X86_MODRM_REG(modrm) == 6))
		return true;
	return (X86_MODRM_REG(modrm) == 4 && !step_has_group(in)) ||
	       (X86_MODRM_MOD(modrm) == 3 && X86_MODRM_RM(modrm) == 4);
}

static enum step_stack step_stack(const struct insn *in, enum step_stack stack)
{
	unsigned int op = step_opcode(in);

	/* POP of a register other than RSP */
	if (op >= 0x58 && op <= 0x5f && op != 0x5c)
		return max(stack, STEP_STACK_POPPED);
	return step_names_stack(in) ? STEP_STACK_CHANGED : stack;
}

/* Whether the stack pointer distinguishes the last branch from the branches before it */
static bool step_stack_tells(u16 kind, enum step_stack stack)
{
	if (kind & STEP_RETURN)
		return stack != STEP_STACK_CHANGED;
	return kind & STEP_CALL && stack == STEP_STACK_SAME;
}

/*
 * Add the instruction at @offset.  Returns its length, or 0 if a block must not have the
 * instruction.  *@last is set to whether the instruction always branches
 */
static unsigned int step_add_insn(struct step_block *block, unsigned int offset,
				  unsigned int size, enum step_stack *stack, bool *last)
{
	struct insn in;
	u16 kind;

	if (step_insn_decode(&in, block->text + offset, size - offset, INSN_MODE_64))
		return 0;
	kind = step_kind(&in, true);
	if (kind & ~(STEP_JUMP | STEP_BRANCH | STEP_REPEAT) ||
	    step_is_xbegin(&in) || step_may_exit(&in))
		return 0;
	*last = kind & STEP_JUMP;
	__set_bit(offset, block->starts);
	/*
	 * A CPU without BTF stops after each repetition, which is at the begin of the
	 * block
	 */
	if (!offset && kind & STEP_REPEAT)
		block->exact = true;
	if (kind & STEP_DIRECT) {
		/*
		 * The prefix makes the address shorter on some CPUs. CPUs may differ in
		 * whether a conditional jump to the next instruction is a taken branch
		 */
		if (step_has_prefix(&in, 0x66) || (!*last && !in.immediate.value) ||
		    !step_add_branch(block, offset, offset + in.length +
						    (s64)in.immediate.value))
			return 0;
		/* At this branch the stack pointer may differ from its first value */
		if (*stack != STEP_STACK_SAME)
			*stack = STEP_STACK_CHANGED;
	} else if (*last) {
		if (block->nr && !step_stack_tells(kind, *stack))
			return 0;
		block->indirect = true;
		/* exact is not needed if only this branch changes the stack pointer */
		block->exact |= *stack != STEP_STACK_SAME || !step_stack_tells(kind, *stack);
		if (!step_add_branch(block, offset, S64_MAX))
			return 0;
	} else {
		*stack = step_stack(&in, *stack);
	}
	return in.length;
}

/* Whether a branch leads to an instruction of the block that is not the first instruction */
static bool step_leads_inside(const struct step_block *block)
{
	unsigned int i;

	for (i = 0; i < block->nr; i++) {
		if (block->target[i] > 0 && block->target[i] < block->size &&
		    test_bit(block->target[i], block->starts))
			return true;
	}
	return false;
}

/**
 * step_block_decode - find the branches of a block in 64-bit mode
 * @block: the block; @block->text is valid, and all other members except @ip are set
 * @size: the number of bytes at @block->text
 */
void step_block_decode(struct step_block *block, unsigned int size)
{
	enum step_stack stack = STEP_STACK_SAME;
	unsigned int offset = 0, len;
	bool last = false;

	bitmap_zero(block->starts, STEP_BLOCK_SIZE);
	block->nr = 0;
	block->indirect = false;
	block->exact = false;
	block->size = size;
	while (!last) {
		len = step_add_insn(block, offset, size, &stack, &last);
		if (!len)
			goto none;
		offset += len;
	}
	/* If the first instruction is a branch, it needs no block */
	if (!block->offset[block->nr - 1])
		goto none;
	block->size = offset;
	block->exact |= step_leads_inside(block);
	return;
none:
	block->nr = 0;
}
EXPORT_SYMBOL_IF_KUNIT(step_block_decode);
