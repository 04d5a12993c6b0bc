/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stepping tasks in user space for the step tracer, see arch/x86/kernel/step_tracer.c
 */
#ifndef _ASM_X86_STEP_TRACER_H
#define _ASM_X86_STEP_TRACER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct bts_record;
struct pt_regs;

/* The kind of an instruction that does more than lead to the next instruction */
#define STEP_JUMP	BIT(0)	/* always branches */
#define STEP_REPEAT	BIT(1)	/* may be executed again from its own address */
#define STEP_PUSHF	BIT(2)	/* stores the flags on the stack */
#define STEP_POPF	BIT(3)	/* loads the flags: POPF, IRET */
#define STEP_SYSCALL	BIT(4)	/* SYSCALL: stores the flags in R11 */
#define STEP_SYSENTER	BIT(5)	/* SYSENTER */
#define STEP_INT1	BIT(6)	/* INT1 */
#define STEP_INT3	BIT(7)	/* INT3 */
#define STEP_INT4	BIT(8)	/* INT 4 */
#define STEP_INT80	BIT(9)	/* INT 0x80 */
#define STEP_SYSCALL32	BIT(10)	/* SYSCALL in 32-bit mode, on AMD's CPUs */
#define STEP_SHADOW	BIT(11)	/* MOV SS, POP SS: the CPU raises no debug exception after it */

/* Instructions that enter the kernel */
#define STEP_GATES	(STEP_SYSCALL | STEP_SYSENTER | STEP_INT1 | STEP_INT3 | \
			 STEP_INT4 | STEP_INT80 | STEP_SYSCALL32)

/**
 * struct step_insn - an instruction of user space
 * @len: the length in bytes, 0 if it is not known
 * @shadow: the length of a MOV SS before the instruction, which is executed in the same
 *	step; 0 if there is none
 * @kind: the kind of the instruction, STEP_*
 */
struct step_insn {
	u8			len;
	u8			shadow;
	u16			kind;
};

/* Maximum bytes and branches of a block */
#define STEP_BLOCK_SIZE		96
#define STEP_BLOCK_BRANCHES	8

/**
 * struct step_block - instructions up to an instruction that always branches
 * @ip: the address of the first instruction
 * @size: number of bytes of @text that the other members depend on
 * @nr: number of branches; 0 if the first instruction is stepped alone
 * @indirect: whether the last branch may lead anywhere
 * @exact: whether the branches can be told apart only if the CPU raises the exception
 *	only after branches
 * @offset: the offset of each branch
 * @target: the target of each branch, counted from @ip
 * @starts: the bytes of @text where an instruction begins
 * @text: the instructions
 *
 * The CPU raises the exception after the first taken branch, and tells only the target of
 * the branch.  So no two branches of a block may lead to the same address.  A last branch
 * that may lead anywhere is told from the other branches by the stack pointer: only the
 * last branch changes the stack pointer, or POPs after the other branches change it.
 */
struct step_block {
	unsigned long		ip;
	u8			size;
	u8			nr;
	bool			indirect;
	bool			exact;
	u8			offset[STEP_BLOCK_BRANCHES];
	s64			target[STEP_BLOCK_BRANCHES];
	DECLARE_BITMAP(starts, STEP_BLOCK_SIZE);
	u8			text[STEP_BLOCK_SIZE];
};

/* Number of addresses and of blocks that a CPU remembers */
#define STEP_NR_SEEN		512
#define STEP_NR_BLOCKS		64

/**
 * struct step_blocks - the addresses and the blocks that a CPU has stepped
 * @seen: by address: the address, and in the low byte how often the instruction was
 *	stepped
 * @block: by address: decoded blocks
 */
struct step_blocks {
	u64			seen[STEP_NR_SEEN];
	struct step_block	block[STEP_NR_BLOCKS];
};

/* The state of a CPU */
enum step_state {
	STEP_KERNEL,		/* in the kernel, or in user space without a step */
	STEP_USER,		/* in user space, until the step ends */
	STEP_BLIND,		/* in user space, but the instruction cannot be read */
	STEP_ENTERED,		/* in the kernel again, after STEP_USER */
	STEP_DONE,		/* in the kernel, and the step has been recorded */
};

/**
 * struct step_cpu - the instruction that a CPU executes in user space
 * @state: the state of the CPU
 * @theirs: whether the program, ptrace or a uprobe has set TF
 * @missed: whether instructions of user space were executed that are not in @rec
 * @branches: whether only branches are wanted, so that the CPU may execute a block at
 *	once
 * @insn: the instruction
 * @block: the block that is executed at once, or NULL if one instruction is executed
 * @from: the address of the instruction or the block
 * @sp: the stack pointer before the step
 * @to: in STEP_DONE, the address that the step led to
 * @dr6: the DR6 that ptrace sees without the tracer
 * @rec: the records of steps that have not been written yet
 * @nr: number of @rec
 * @blocks: the blocks that have been decoded
 *
 * Only the CPU itself uses the data, with interrupts off.
 */
struct step_cpu {
	enum step_state		state;
	bool			theirs;
	bool			missed;
	bool			branches;
	struct step_insn	insn;
	const struct step_block	*block;
	unsigned long		from;
	unsigned long		sp;
	unsigned long		to;
	unsigned long		dr6;
	struct bts_record	*rec;
	unsigned int		nr;
	struct step_blocks	*blocks;
};

DECLARE_PER_CPU(struct step_cpu, step_cpu);
DECLARE_STATIC_KEY_FALSE(step_tracer_key);

/* The instruction that returns to user space with TF; with FRED, an instruction before it */
extern unsigned char native_irq_return_iret[];
extern unsigned char asm_fred_exit_user[];

void __step_tracer_enter(struct pt_regs *regs);
void __step_tracer_exit(struct pt_regs *regs);
int step_tracer_get(void);
void step_tracer_put(void);

/* arch/x86/kernel/step_insn.c */
int step_decode(struct step_insn *insn, const u8 *text, unsigned int size,
		bool long_mode);
void step_block_decode(struct step_block *block, unsigned int size);

/*
 * Called when the kernel is entered from user space. Makes @regs the registers without
 * the tracer
 */
static __always_inline void step_tracer_enter(struct pt_regs *regs)
{
	if (IS_ENABLED(CONFIG_STEP_TRACER) && static_branch_unlikely(&step_tracer_key))
		__step_tracer_enter(regs);
}

/* Called last before the kernel returns to user space with @regs */
static __always_inline void step_tracer_exit(struct pt_regs *regs)
{
	if (IS_ENABLED(CONFIG_STEP_TRACER) && static_branch_unlikely(&step_tracer_key))
		__step_tracer_exit(regs);
}

#endif /* _ASM_X86_STEP_TRACER_H */
