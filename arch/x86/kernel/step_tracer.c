// SPDX-License-Identifier: GPL-2.0
/*
 * Step tasks in user space for a tracer
 *
 * EFLAGS.TF makes the CPU raise a debug exception after each instruction, or after each
 * taken branch if DEBUGCTL.BTF is set. The tracer sets TF last before a return to user
 * space, and clears TF first when the kernel is entered. So all other code of the kernel
 * sees the same registers as without the tracer: signals, ptrace, uprobes, fork, exec,
 * core dumps.
 *
 * If TF is set already, the program, ptrace or a uprobe steps the task. In this case the
 * tracer records the step, and does not change TF or handle the debug exception.
 *
 * A program could see TF in the flags that PUSHF stores, and in R11 after SYSCALL. The
 * tracer clears TF in both places. POPF and IRET load TF, and the new TF is the program's
 * own. For these reasons the tracer reads each instruction before user space executes the
 * instruction.
 */
#include <linux/kdebug.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/step_trace.h>
#include <linux/uaccess.h>

#include <asm/bts.h>
#include <asm/debugreg.h>
#include <asm/fred.h>
#include <asm/idtentry.h>
#include <asm/insn.h>
#include <asm/proto.h>
#include <asm/ptrace.h>
#include <asm/step_tracer.h>

DEFINE_PER_CPU(struct step_cpu, step_cpu);
DEFINE_STATIC_KEY_FALSE(step_tracer_key);

/*
 * Reading instructions
 */

/*
 * Read up to @size bytes at @ip without a fault. Returns the number of bytes that were
 * read. The bytes are of one page, because the next page may be a device, which a read may
 * change
 */
static unsigned int step_read(u8 *text, unsigned long ip, unsigned int size)
{
	size = min_t(unsigned long, size, PAGE_SIZE - offset_in_page(ip));
	return copy_from_user_nofault(text, (const void __user *)ip, size) ? 0 : size;
}

/* Whether the stack pointer is an address. Other segments may have another base */
static bool step_stack_is_flat(const struct step_insn *insn, struct pt_regs *regs)
{
	return user_64bit_mode(regs) || (regs->ss == __USER_DS && !insn->shadow);
}

/* Read the instruction at @ip; returns false if a read would fault */
static bool step_fetch_one(struct step_insn *insn, unsigned long ip, bool long_mode)
{
	u8 text[MAX_INSN_SIZE];
	unsigned int size = step_read(text, ip, sizeof(text)), rest;

	if (!size)
		return false;
	if (!step_decode(insn, text, size, long_mode))
		return true;
	/* The instruction goes on in the next page */
	rest = step_read(text + size, ip + size, sizeof(text) - size);
	return rest && !step_decode(insn, text, size + rest, long_mode);
}

/* Read the instructions of the step at @regs->ip; returns false if a read would fault */
static bool step_fetch(struct step_insn *insn, struct pt_regs *regs)
{
	bool long_mode = user_64bit_mode(regs);
	u8 shadow = 0;

	/* Other code segments may have another base */
	if (regs->cs != __USER_CS && regs->cs != __USER32_CS)
		return false;
	if (!step_fetch_one(insn, regs->ip, long_mode))
		return false;
	if (insn->kind & STEP_SHADOW) {
		shadow = insn->len;
		if (!step_fetch_one(insn, regs->ip + shadow, long_mode))
			return false;
	}
	insn->shadow = shadow;
	return !(insn->kind & STEP_PUSHF) || step_stack_is_flat(insn, regs);
}

/*
 * Blocks of instructions
 *
 * With DEBUGCTL.BTF, the CPU raises the exception only after a taken branch (Intel SDM
 * vol.  3B, "Single-Stepping on Branches"; AMD64 APM vol.  2, "Single Stepping").  The
 * CPU clears BTF when it raises the exception.
 */

/*
 * Whether BTF works. Some hypervisors accept BTF, but raise the exception after each
 * instruction
 */
static enum {
	STEP_BTF_UNTRIED,
	STEP_BTF_WORKS,
	STEP_BTF_IGNORED,
} step_btf;

/* Whether the CPU raises the exception only after taken branches */
static bool step_is_exact(void)
{
	/* A hypervisor may raise the exception after an instruction that it has emulated */
	return READ_ONCE(step_btf) == STEP_BTF_WORKS &&
	       !cpu_feature_enabled(X86_FEATURE_HYPERVISOR);
}

/*
 * A block is decoded when its first instruction has been stepped STEP_VISITS_MIN times,
 * because decoding takes longer than a few steps, and most instructions of a program are
 * executed only a few times.
 */
#define STEP_VISITS		0xffULL
#define STEP_VISITS_MIN		4
#define STEP_VISITS_NONE	0xff	/* no block begins here */

/* Count a visit of @ip; returns whether a block may begin there */
static bool step_visit(u64 *seen, unsigned long ip)
{
	if (*seen >> 8 != ip) {
		*seen = (u64)ip << 8;
		return false;
	}
	if ((*seen & STEP_VISITS) < STEP_VISITS_MIN) {
		++*seen;
		return false;
	}
	return (*seen & STEP_VISITS) != STEP_VISITS_NONE;
}

/* Find or decode the block at @ip; NULL if no block begins there */
static const struct step_block *step_read_block(struct step_blocks *blocks, unsigned long ip)
{
	u64 *seen = &blocks->seen[(ip ^ ip >> 9) % STEP_NR_SEEN];
	struct step_block *block;
	u8 text[STEP_BLOCK_SIZE];
	unsigned int size;

	if (!step_visit(seen, ip))
		return NULL;
	size = step_read(text, ip, sizeof(text));
	if (!size)
		return NULL;
	block = &blocks->block[(ip ^ ip >> 6) % STEP_NR_BLOCKS];
	/* Compare the text: a program may change its code, and programs share addresses */
	if (block->ip == ip && block->size <= size && !memcmp(block->text, text, block->size))
		return block;
	memcpy(block->text, text, size);
	step_block_decode(block, size);
	if (block->nr && !(block->exact && cpu_feature_enabled(X86_FEATURE_HYPERVISOR))) {
		block->ip = ip;
		return block;
	}
	block->ip = 0;
	*seen |= STEP_VISITS_NONE;
	return NULL;
}

/*
 * Find the block at @regs->ip; NULL if there is none, or if each instruction is to be
 * stepped
 */
static const struct step_block *step_find_block(struct step_cpu *cpu, struct pt_regs *regs)
{
	const struct step_block *block;

	if (!cpu->branches || READ_ONCE(step_btf) == STEP_BTF_IGNORED ||
	    regs->flags & X86_EFLAGS_TF || regs->cs != __USER_CS)
		return NULL;
	block = step_read_block(cpu->blocks, regs->ip);
	if (!block)
		return NULL;
	/* This block cannot tell whether BTF works; another block has to */
	if (READ_ONCE(step_btf) == STEP_BTF_UNTRIED && block->exact)
		return NULL;
	return block;
}

/*
 * DEBUGCTL is not changed while these bits are set: an NMI may clear them between read
 * and write
 */
#define STEP_DEBUGCTL_NMI	(DEBUGCTLMSR_LBR | DEBUGCTLMSR_TR | DEBUGCTLMSR_BTS | \
				 DEBUGCTLMSR_BTINT)

static bool step_set_btf(void)
{
	u64 debugctl = __rdmsr(MSR_IA32_DEBUGCTLMSR);

	if (debugctl & STEP_DEBUGCTL_NMI)
		return false;
	debugctl |= DEBUGCTLMSR_BTF;
	if (!wrmsr_safe(MSR_IA32_DEBUGCTLMSR, (u32)debugctl, debugctl >> 32))
		return true;
	WRITE_ONCE(step_btf, STEP_BTF_IGNORED);
	return false;
}

static __always_inline void step_clear_btf(void)
{
	u64 debugctl = __rdmsr(MSR_IA32_DEBUGCTLMSR);

	if (!(debugctl & DEBUGCTLMSR_BTF))
		return;
	debugctl &= ~DEBUGCTLMSR_BTF;
	native_wrmsr(MSR_IA32_DEBUGCTLMSR, (u32)debugctl, debugctl >> 32);
}

/*
 * Recording steps
 */

/* Append a record. step_wanted() has made room for the records of the step */
static __always_inline void step_append(struct step_cpu *cpu, unsigned long from,
					unsigned long to, u64 flags)
{
	struct bts_record *rec = &cpu->rec[cpu->nr++];

	rec->from = from;
	rec->to = to;
	/* Steps do not tell what the CPU had predicted */
	rec->flags = flags | BTS_RECORD_PREDICTED;
}

/* The address at which an instruction of user space enters the kernel, or 0 */
static __always_inline unsigned long step_gate(u16 kind)
{
	if (!(kind & STEP_GATES))
		return 0;
#ifdef CONFIG_X86_FRED
	if (cpu_feature_enabled(X86_FEATURE_FRED))
		return (unsigned long)asm_fred_entrypoint_user;
#endif
	if (kind & STEP_SYSCALL)
		return (unsigned long)entry_SYSCALL_64;
	if (kind & STEP_INT1)
		return (unsigned long)asm_exc_debug;
	if (kind & STEP_INT3)
		return (unsigned long)asm_exc_int3;
	if (kind & STEP_INT4)
		return (unsigned long)asm_exc_overflow;
#ifdef CONFIG_IA32_EMULATION
	if (kind & STEP_SYSENTER)
		return (unsigned long)entry_SYSENTER_compat;
	if (kind & STEP_SYSCALL32)
		return (unsigned long)entry_SYSCALL_compat;
	if (kind & STEP_INT80)
		return (unsigned long)asm_int80_emulation;
#endif
	return 0;
}

/**
 * __step_tracer_enter - restore the registers that the kernel sees without the tracer
 * @regs: user space's registers at the entry to the kernel
 *
 * The caller has interrupts off. RCU may not be watching.
 */
noinstr void __step_tracer_enter(struct pt_regs *regs)
{
	struct step_cpu *cpu = raw_cpu_ptr(&step_cpu);
	unsigned long from = cpu->from + cpu->insn.shadow;
	u16 kind = cpu->insn.kind;

	if (cpu->state == STEP_BLIND) {
		cpu->missed |= regs->ip != cpu->from;
		cpu->state = STEP_KERNEL;
	}
	if (cpu->state != STEP_USER)
		return;
	cpu->state = STEP_ENTERED;
	/* Clear BTF before a kernel debugger steps the kernel */
	if (cpu->block)
		step_clear_btf();
	/* The instruction after a MOV SS may enter the kernel without a debug exception */
	if (cpu->insn.shadow && regs->ip != cpu->from)
		step_append(cpu, cpu->from, from, BTS_RECORD_PLAIN);
	/* An instruction that has faulted or has not begun has no effect */
	if (regs->ip == cpu->from || regs->ip == from)
		kind = 0;
	if (!cpu->theirs && !(kind & STEP_POPF))
		regs->flags &= ~X86_EFLAGS_TF;
	/* With FRED, SYSCALL does not change R11 */
	if (!cpu->theirs && kind & (STEP_SYSCALL | STEP_SYSCALL32) &&
	    !cpu_feature_enabled(X86_FEATURE_FRED))
		regs->r11 &= ~X86_EFLAGS_TF;
	if (step_gate(kind))
		step_append(cpu, from, step_gate(kind), 0);
}

/*
 * Clear the TF that PUSHF has stored in the second byte at the stack pointer. Returns false
 * if the page was removed after PUSHF
 */
static bool step_clear_tf(const struct pt_regs *regs)
{
	u8 __user *addr = (u8 __user *)regs->sp + 1;
	u8 byte;

	if (copy_from_user_nofault(&byte, addr, 1))
		return false;
	byte &= ~(X86_EFLAGS_TF >> 8);
	return !copy_to_user_nofault(addr, &byte, 1);
}

/*
 * Make the registers those before PUSHF. The task executes PUSHF again, which faults if the
 * page is still missing. A MOV SS before the PUSHF is not executed again
 */
static void step_undo_pushf(struct step_cpu *cpu, struct pt_regs *regs)
{
	regs->ip = cpu->from + cpu->insn.shadow;
	regs->sp = cpu->sp;
}

/* Whether the step from the instruction at @from to @to is a branch */
static bool step_is_branch(const struct step_insn *insn, unsigned long from,
			   unsigned long to)
{
	if (insn->kind & STEP_JUMP)
		return true;
	/* A PUSHF that was undone leads to itself */
	if (insn->kind & (STEP_REPEAT | STEP_PUSHF) && to == from)
		return false;
	if (!insn->len)
		return to - from - 1 >= MAX_INSN_SIZE;
	return to != from + insn->len;
}

/*
 * Find the branch of a block that has led to @to; -1 if there is none. @moved: whether
 * the stack pointer has changed
 */
static int step_block_branch(const struct step_block *block, unsigned long to, bool moved)
{
	int i;

	if (block->indirect && (moved || block->nr == 1))
		return block->nr - 1;
	for (i = 0; i < block->nr; i++) {
		if (block->target[i] == (s64)(to - block->ip))
			return i;
	}
	return -1;
}

/* Record the branch that has ended a block */
static void step_record_block(struct step_cpu *cpu, unsigned long to, unsigned long sp)
{
	const struct step_block *block = cpu->block;
	unsigned long offset = to - block->ip;
	bool inside = offset && offset < block->size && test_bit(offset, block->starts);
	bool moved = sp != cpu->sp;
	int i = step_block_branch(block, to, moved);

	if (inside && (i < 0 || (!step_is_exact() && !(block->indirect && moved)))) {
		/* The step ended without a taken branch */
		if (READ_ONCE(step_btf) == STEP_BTF_UNTRIED)
			WRITE_ONCE(step_btf, STEP_BTF_IGNORED);
		return;
	}
	/* No branch leads to @to, so the program has changed the block meanwhile */
	if (i < 0) {
		cpu->missed = true;
		return;
	}
	step_append(cpu, block->ip + block->offset[i], to, 0);
	if (READ_ONCE(step_btf) == STEP_BTF_UNTRIED)
		WRITE_ONCE(step_btf, STEP_BTF_WORKS);
}

/* Record the instructions of the step that has ended with @regs */
static void step_record(struct step_cpu *cpu, const struct pt_regs *regs)
{
	unsigned long from = cpu->from, to = regs->ip;

	cpu->state = STEP_DONE;
	cpu->to = to;
	if (cpu->block) {
		step_record_block(cpu, to, regs->sp);
		return;
	}
	if (cpu->insn.shadow) {
		from += cpu->insn.shadow;
		/* __step_tracer_enter() has recorded the MOV SS, except for a branch to it */
		if (to == cpu->from)
			step_append(cpu, to, from, BTS_RECORD_PLAIN);
		if (to == from)
			return;
	}
	if (step_is_branch(&cpu->insn, from, to))
		step_append(cpu, from, to, 0);
	else if (to != from)
		step_append(cpu, from, to, BTS_RECORD_PLAIN);
}

/* Handle a debug exception. Interrupts have been off since the exception */
static int step_debug(struct notifier_block *nb, unsigned long event, void *data)
{
	struct step_cpu *cpu = this_cpu_ptr(&step_cpu);
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;
	unsigned long *dr6;

	if (event != DIE_DEBUG)
		return NOTIFY_DONE;
	/*
	 * Set BTF again: a breakpoint in an NMI that interrupted user space has cleared
	 * BTF
	 */
	if (cpu->state == STEP_USER && cpu->block)
		step_set_btf();
	if (!user_mode(regs) || cpu->state != STEP_ENTERED)
		return NOTIFY_DONE;
	dr6 = (unsigned long *)ERR_PTR(args->err);
	if (!(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	if (!cpu->theirs && cpu->insn.kind & STEP_PUSHF &&
	    regs->ip != cpu->from + cpu->insn.shadow && !step_clear_tf(regs))
		step_undo_pushf(cpu, regs);
	step_record(cpu, regs);
	if (cpu->theirs)
		return NOTIFY_DONE;
	/*
	 * hw_breakpoint_handler() comes first. It has moved the bits of ptrace's breakpoints to
	 * virtual_dr6. The bits that are left are for breakpoints that are not enabled, or for
	 * a breakpoint on the next instruction, which comes again.
	 */
	*dr6 &= ~(DR_STEP | DR_TRAP_BITS);
	current->thread.virtual_dr6 &= ~DR_STEP;
	if (*dr6 || current->thread.virtual_dr6 & DR_TRAP_BITS)
		return NOTIFY_DONE;
	current->thread.virtual_dr6 = cpu->dr6;
	return NOTIFY_STOP;
}

/*
 * Called before uprobes, so that the step of an out-of-line instruction is recorded as
 * well
 */
static struct notifier_block step_debug_nb = {
	.notifier_call	= step_debug,
	.priority	= INT_MAX,
};

/* The address from which the kernel returns to user space */
static unsigned long step_return(void)
{
#ifdef CONFIG_X86_FRED
	if (cpu_feature_enabled(X86_FEATURE_FRED))
		return (unsigned long)asm_fred_exit_user;
#endif
	return (unsigned long)native_irq_return_iret;
}

/**
 * __step_tracer_exit - step the task in user space if the tracer wants its steps
 * @regs: user space's registers, which no other code changes before the return
 *
 * The caller has interrupts off.
 */
void __step_tracer_exit(struct pt_regs *regs)
{
	struct step_cpu *cpu = this_cpu_ptr(&step_cpu);
	enum step_state state = cpu->state;

	cpu->state = STEP_KERNEL;
	if (!step_wanted())
		return;
	/* The return from the tracer's own debug exception is not recorded */
	if (state != STEP_DONE || regs->ip != cpu->to)
		step_append(cpu, step_return(), regs->ip, 0);
	cpu->from = regs->ip;
	cpu->sp = regs->sp;
	/* ptrace single-steps by branches, so a step may have several instructions */
	if (test_thread_flag(TIF_BLOCKSTEP)) {
		cpu->state = STEP_BLIND;
		return;
	}
	cpu->block = step_find_block(cpu, regs);
	if (cpu->block && !step_set_btf())
		cpu->block = NULL;
	if (cpu->block) {
		cpu->insn = (struct step_insn){ };
	} else if (!step_fetch(&cpu->insn, regs)) {
		/* The instruction cannot be read, for example because its page will fault */
		cpu->state = STEP_BLIND;
		return;
	}
	cpu->theirs = regs->flags & X86_EFLAGS_TF;
	cpu->dr6 = current->thread.virtual_dr6;
	regs->flags |= X86_EFLAGS_TF;
#ifdef CONFIG_X86_FRED
	/* Otherwise the exception after a system call would come before the instruction */
	if (!cpu->theirs && cpu_feature_enabled(X86_FEATURE_FRED))
		regs->fred_ss.swevent = 0;
#endif
	cpu->state = STEP_USER;
}

/**
 * step_tracer_get - begin to step tasks
 *
 * Return: 0, or an error.
 */
int step_tracer_get(void)
{
	int ret;

	ret = register_die_notifier(&step_debug_nb);
	if (ret)
		return ret;
	WRITE_ONCE(step_btf, STEP_BTF_UNTRIED);
	static_branch_enable(&step_tracer_key);
	return 0;
}

/**
 * step_tracer_put - stop stepping tasks
 *
 * When this function is called, step_wanted() returns false.
 */
void step_tracer_put(void)
{
	/* Interrupt the CPUs that are in user space, so that TF is cleared */
	kick_all_cpus_sync();
	static_branch_disable(&step_tracer_key);
	unregister_die_notifier(&step_debug_nb);
}
