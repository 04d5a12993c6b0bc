// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the step tracer's decoding of instructions
 */
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/test.h>

#include <asm/step_tracer.h>

struct step_case {
	const char	*text;
	unsigned int	size;
	u8		len;
	u16		kind;
};

#define STEP_CASE(str, ...)	{ str, sizeof(str) - 1, __VA_ARGS__ }

static const struct step_case step_long[] = {
	STEP_CASE("\x90", 1, 0),				/* nop */
	STEP_CASE("\x9c", 1, STEP_PUSHF),
	STEP_CASE("\x66\x9c", 2, STEP_PUSHF),
	STEP_CASE("\x48\x9d", 2, STEP_POPF),
	STEP_CASE("\x48\xcf", 2, STEP_POPF | STEP_JUMP),	/* iretq */
	STEP_CASE("\x0f\x05", 2, STEP_SYSCALL),
	STEP_CASE("\x0f\x34", 2, STEP_SYSENTER),
	STEP_CASE("\xcc", 1, STEP_INT3),
	STEP_CASE("\xf1", 1, STEP_INT1),
	STEP_CASE("\xcd\x03", 2, STEP_INT3),
	STEP_CASE("\xcd\x04", 2, STEP_INT4),
	STEP_CASE("\xcd\x80", 2, STEP_INT80),
	STEP_CASE("\xcd\x81", 2, 0),
	STEP_CASE("\xc3", 1, STEP_JUMP),			/* ret */
	STEP_CASE("\xf2\xc3", 2, STEP_JUMP),			/* bnd ret */
	STEP_CASE("\xc2\x08\x00", 3, STEP_JUMP),		/* ret $8 */
	STEP_CASE("\xe8\x00\x00\x00\x00", 5, STEP_JUMP),	/* call */
	STEP_CASE("\xe9\x00\x00\x00\x00", 5, STEP_JUMP),	/* jmp */
	STEP_CASE("\xeb\x00", 2, STEP_JUMP),			/* jmp */
	STEP_CASE("\xff\xe0", 2, STEP_JUMP),			/* jmp *%rax */
	STEP_CASE("\x41\xff\x14\x24", 4, STEP_JUMP),		/* call *(%r12) */
	STEP_CASE("\xff\x19", 2, STEP_JUMP),			/* lcall *(%rcx) */
	STEP_CASE("\xff\xc0", 2, 0),				/* inc %eax */
	STEP_CASE("\xff\x30", 2, 0),				/* push (%rax) */
	STEP_CASE("\x74\x00", 2, 0),				/* je */
	STEP_CASE("\x0f\x84\x00\x00\x00\x00", 6, 0),		/* je */
	STEP_CASE("\xe2\xfe", 2, 0),				/* loop */
	STEP_CASE("\xf3\xa4", 2, STEP_REPEAT),			/* rep movsb */
	STEP_CASE("\xf3\x48\xab", 3, STEP_REPEAT),		/* rep stosq */
	STEP_CASE("\x67\xf2\xae", 3, STEP_REPEAT),		/* repne scasb */
	STEP_CASE("\xa4", 1, 0),				/* movsb */
	STEP_CASE("\xf3\x90", 2, 0),				/* pause */
	STEP_CASE("\x8e\xd0", 2, STEP_SHADOW),			/* mov %eax, %ss */
	STEP_CASE("\x8e\xd8", 2, 0),				/* mov %eax, %ds */
	STEP_CASE("\xc5\xf8\x77", 3, 0),			/* vzeroupper */
	STEP_CASE("\xc5\xf9\xe8\xc1", 4, 0),			/* vpsubsb, with the byte of CALL */
	STEP_CASE("\xc5\xf8\x05\xc0", 0, 0),			/* unknown to the decoder */
	/* REX2 with the opcodes of one byte */
	STEP_CASE("\xd5\x00\x9c", 3, STEP_PUSHF),
	STEP_CASE("\xd5\x08\x9d", 3, STEP_POPF),
	STEP_CASE("\xd5\x00\xcc", 3, STEP_INT3),
	STEP_CASE("\xd5\x00\xc3", 3, STEP_JUMP),		/* ret */
	STEP_CASE("\xd5\x10\xff\xe0", 4, STEP_JUMP),		/* jmp *%r16 */
	STEP_CASE("\xd5\x00\x8e\xd0", 4, STEP_SHADOW),		/* mov %eax, %ss */
	STEP_CASE("\xd5\x00\xa1\x00\x00\x00\x00\x00\x00\x00\x00", 11, STEP_JUMP),	/* jmpabs */
	STEP_CASE("\xa1\x00\x00\x00\x00\x00\x00\x00\x00", 9, 0),	/* mov to %eax */
	/* REX2 with the opcodes of two bytes: those of other instructions without 0x0f */
	STEP_CASE("\xd5\x80\x05", 3, STEP_SYSCALL),
	STEP_CASE("\xd5\x90\x9c\xc0", 4, 0),			/* setl %r16b, pushf */
	STEP_CASE("\xd5\x90\x9d\xc0", 4, 0),			/* setge %r16b, popf */
	STEP_CASE("\xd5\x90\xcc", 3, 0),			/* bswap %r20d, int3 */
	STEP_CASE("\xd5\x90\xcf", 3, 0),			/* bswap %r23d, iret */
	STEP_CASE("\xd5\x90\xe9\xc0", 4, 0),			/* psubsw, jmp */
	STEP_CASE("\xd5\x80\xc3\x00", 4, 0),			/* movnti, ret */
	/* XOP has the first byte of POP. Its length is not known on Linux 6.12 */
	STEP_CASE("\x8f\xc0", 2, 0),				/* pop %rax */
	STEP_CASE("\x8f\xe8\x78\xa2\xc0\x00", 0, 0),		/* vpcmov */
	STEP_CASE("\x8f\xe8\x78\xcc\xc0\x00", 0, 0),		/* vpcomltb: byte of INT3 */
};

static const struct step_case step_compat[] = {
	STEP_CASE("\x41", 1, 0),				/* inc %ecx */
	STEP_CASE("\xd5\x0a", 2, 0),				/* aad */
	STEP_CASE("\x9c", 1, STEP_PUSHF),
	STEP_CASE("\x0f\x05", 2, STEP_SYSCALL32),
	STEP_CASE("\xcf", 1, STEP_POPF | STEP_JUMP),		/* iret */
	STEP_CASE("\x17", 1, STEP_SHADOW),			/* pop %ss */
	STEP_CASE("\x9a\x00\x00\x00\x00\x23\x00", 7, STEP_JUMP),	/* lcall */
	STEP_CASE("\xea\x00\x00\x00\x00\x23\x00", 7, STEP_JUMP),	/* ljmp */
};

static void step_check(struct kunit *test, const struct step_case *c, bool long_mode)
{
	struct step_insn insn;
	unsigned int size;
	u8 text[15] = { };

	memcpy(text, c->text, c->size);
	KUNIT_ASSERT_EQ(test, step_decode(&insn, text, sizeof(text), long_mode), 0);
	/* A decoder that knows the instruction tells the length of the whole text */
	KUNIT_EXPECT_EQ_MSG(test, insn.len, c->len ?: insn.len ? c->size : 0, "%*ph",
			    c->size, c->text);
	KUNIT_EXPECT_EQ_MSG(test, insn.kind, c->kind, "%*ph", c->size, c->text);
	/* A part of an instruction must be refused, and all of its bytes must be enough */
	for (size = 0; size < c->len; size++)
		KUNIT_EXPECT_EQ_MSG(test, step_decode(&insn, text, size, long_mode),
				    -ENODATA, "%u of %*ph", size, c->size, c->text);
	if (c->len)
		KUNIT_EXPECT_EQ(test, step_decode(&insn, text, size, long_mode), 0);
}

static void step_long_test(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(step_long); i++)
		step_check(test, &step_long[i], true);
}

static void step_compat_test(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(step_compat); i++)
		step_check(test, &step_compat[i], false);
}

struct step_block_case {
	const char	*text;
	unsigned int	size;
	u8		length;
	u8		nr;
	u8		offset[2];
	s64		target[2];
	bool		indirect;
	bool		exact;
};

static const struct step_block_case step_blocks[] = {
	/* nop; jmp +0x10 */
	STEP_CASE("\x90\xeb\x10", 3, 1, { 1 }, { 0x13 }),
	/* nop; ret, and push; ret */
	STEP_CASE("\x90\xc3", 2, 1, { 1 }, { S64_MAX }, true),
	STEP_CASE("\x50\xc3", 2, 1, { 1 }, { S64_MAX }, true, true),
	/* nop; jmp *%rax */
	STEP_CASE("\x90\xff\xe0", 3, 1, { 1 }, { S64_MAX }, true, true),
	/* loop: nop; jne loop; jmp -0x100 */
	STEP_CASE("\x90\x75\xfd\xe9\x00\xff\xff\xff", 8, 2, { 1, 3 }, { 0, -0xf8 }),
	/* nop; rep movsb; call +0x7f000000 */
	STEP_CASE("\x90\xf3\xa4\xe8\x00\x00\x00\x7f", 8, 1, { 3 }, { 0x7f000008 }),
	/* A repetition at the begin: rep movsb; call +0x7f000000, and rep movsb; ret */
	STEP_CASE("\xf3\xa4\xe8\x00\x00\x00\x7f", 7, 1, { 2 }, { 0x7f000007 }, .exact = true),
	STEP_CASE("\xf3\xa4\xc3", 3, 1, { 2 }, { S64_MAX }, true, true),
	/* nop; call to the next instruction */
	STEP_CASE("\x90\xe8\x00\x00\x00\x00", 6, 1, { 1 }, { 6 }),
	/* nop; loop +0x20; jmp to itself */
	STEP_CASE("\x90\xe2\x20\xeb\xfe", 5, 2, { 1, 3 }, { 0x23, 3 }, .exact = true),
	/* A branch at the begin */
	STEP_CASE("\xeb\x10", 0, 0),
	STEP_CASE("\xc3", 0, 0),
	/* nop; je +0x10; ret, and nop; je +0x10; pop; ret */
	STEP_CASE("\x90\x74\x10\xc3", 4, 2, { 1, 3 }, { 0x13, S64_MAX }, true),
	STEP_CASE("\x90\x74\x10\x5b\xc3", 5, 2, { 1, 4 }, { 0x13, S64_MAX }, true, true),
	/* and $15, %eax; je +0x10; call *%rax */
	STEP_CASE("\x83\xe0\x0f\x74\x10\xff\xd0", 7, 2, { 3, 5 }, { 0x15, S64_MAX }, true),
	/* loop: dec %ecx; jne loop; ret */
	STEP_CASE("\xff\xc9\x75\xfc\xc3", 5, 2, { 2, 4 }, { 0, S64_MAX }, true),
	/* push; jmp: the stack does not matter */
	STEP_CASE("\x50\x74\x10\xeb\x20", 5, 2, { 1, 3 }, { 0x13, 0x25 }),
	/* je, another instruction that may change the stack pointer, and ret */
	STEP_CASE("\x50\x74\x10\xc3", 0, 0),			/* push %rax before */
	STEP_CASE("\x58\x74\x10\xc3", 0, 0),			/* pop %rax before */
	STEP_CASE("\x90\x74\x10\x50\xc3", 0, 0),		/* push %rax: a jump by ret */
	STEP_CASE("\x90\x74\x10\x6a\x10\xc3", 0, 0),		/* push $0x10 */
	STEP_CASE("\x90\x74\x10\xff\x30\xc3", 0, 0),		/* push (%rax) */
	STEP_CASE("\x90\x74\x10\x48\xff\xc4\xc3", 0, 0),	/* inc %rsp */
	STEP_CASE("\x90\x74\x10\x5c\xc3", 0, 0),		/* pop %rsp */
	STEP_CASE("\x90\x74\x10\xc9\xc3", 0, 0),		/* leave */
	STEP_CASE("\x90\x74\x10\x48\x83\xec\x08\xc3", 0, 0),	/* sub $8, %rsp */
	STEP_CASE("\x90\x74\x10\x48\x8d\x64\x24\xf8\xc3", 0, 0),	/* lea -8(%rsp), %rsp */
	STEP_CASE("\x90\x74\x10\x48\x89\xc4\xc3", 0, 0),	/* mov %rax, %rsp */
	STEP_CASE("\x90\x74\x10\x48\x94\xc3", 0, 0),		/* xchg %rax, %rsp */
	STEP_CASE("\x90\x74\x10\x48\x0f\xb1\xc4\xc3", 0, 0),	/* cmpxchg %rax, %rsp */
	STEP_CASE("\x90\x74\x10\xc4\xe2\xd8\xf3\xc8\xc3", 0, 0),	/* blsr %rax, %rsp */
	/* nop; je +0x10; pop %r16; ret, and the same with bswap, whose opcode is that of RET */
	STEP_CASE("\x90\x74\x10\xd5\x10\x58\xc3", 7, 2, { 1, 6 }, { 0x13, S64_MAX }, true, true),
	STEP_CASE("\x90\xd5\x90\xcb\xeb\x10", 6, 1, { 4 }, { 0x16 }),
	/* nop; jmpabs */
	STEP_CASE("\x90\xd5\x00\xa1\x00\x00\x00\x00\x00\x00\x00\x00", 12, 1, { 1 }, { S64_MAX },
		  true, true),
	/* je; pop; call *%rax, and jmp *%rax */
	STEP_CASE("\x90\x74\x10\x58\xff\xd0", 0, 0),
	STEP_CASE("\x90\x74\x10\xff\xe0", 0, 0),
	/* Two branches with one target: je, jne to 0x20; jmp */
	STEP_CASE("\x90\x74\x1d\x75\x1b\xeb\x40", 0, 0),
	/* je over a nop */
	STEP_CASE("\x90\x74\x01\x90\xeb\x10", 6, 2, { 1, 4 }, { 4, 0x16 }, .exact = true),
	/* je into an instruction */
	STEP_CASE("\x90\x74\x01\xe9\x00\x00\x00\x00", 8, 2, { 1, 3 }, { 4, 8 }),
	/*
	 * Instructions that a hypervisor may emulate: cpuid, rdtsc, rdtscp, xgetbv,
	 * pause, in, rdrand
	 */
	STEP_CASE("\x90\x0f\xa2\xeb\x10", 0, 0),
	STEP_CASE("\x90\x0f\x31\xeb\x10", 0, 0),
	STEP_CASE("\x90\x0f\x01\xf9\xeb\x10", 0, 0),
	STEP_CASE("\x90\x0f\x01\xd0\xeb\x10", 0, 0),
	STEP_CASE("\x90\xf3\x90\xeb\x10", 0, 0),
	STEP_CASE("\x90\xec\xeb\x10", 0, 0),
	STEP_CASE("\x90\x0f\xc7\xf0\xeb\x10", 0, 0),
	/* je to the next instruction, which is no taken branch for some CPUs */
	STEP_CASE("\x90\x74\x00\xeb\x10", 0, 0),
	/* Instructions that show TF, and instructions that enter the kernel */
	STEP_CASE("\x90\x9c\xeb\x10", 0, 0),
	STEP_CASE("\x90\x9d\xeb\x10", 0, 0),
	STEP_CASE("\x90\x0f\x05\xeb\x10", 0, 0),
	STEP_CASE("\x90\xd5\x00\x9c\xeb\x10", 0, 0),
	STEP_CASE("\x90\xd5\x80\x05\xeb\x10", 0, 0),
	STEP_CASE("\x90\xcc\xeb\x10", 0, 0),
	STEP_CASE("\x90\x48\xcf", 0, 0),
	/* mov %eax, %ss */
	STEP_CASE("\x90\x8e\xd0\xeb\x10", 0, 0),
	/* xbegin */
	STEP_CASE("\x90\xc7\xf8\x00\x00\x00\x00\xeb\x10", 0, 0),
	/* Some CPUs jump to a short address: data16 jmp */
	STEP_CASE("\x90\x66\xeb\x10", 0, 0),
	/* No branch, and a branch that is cut */
	STEP_CASE("\x90\x90", 0, 0),
	STEP_CASE("\x90\xe9\x00\x00", 0, 0),
	/* Nine branches */
	STEP_CASE("\x90\x74\x70\x74\x71\x74\x72\x74\x73\x74\x74\x74\x75\x74\x76\x74\x77\xeb\x70",
		  0, 0),
};

static void step_block_test(struct kunit *test)
{
	const struct step_block_case *c;
	struct step_block block;
	unsigned int i;

	for (c = step_blocks; c < step_blocks + ARRAY_SIZE(step_blocks); c++) {
		memset(&block, 0xff, sizeof(block));
		memcpy(block.text, c->text, c->size);
		step_block_decode(&block, c->size);
		KUNIT_EXPECT_EQ_MSG(test, block.nr, c->nr, "%*ph", c->size, c->text);
		KUNIT_EXPECT_EQ_MSG(test, block.size, c->nr ? c->length : c->size,
				    "%*ph", c->size, c->text);
		if (!c->nr)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, block.indirect, c->indirect, "%*ph", c->size,
				    c->text);
		KUNIT_EXPECT_EQ_MSG(test, block.exact, c->exact, "%*ph", c->size,
				    c->text);
		for (i = 0; i < c->nr; i++) {
			KUNIT_EXPECT_EQ(test, block.offset[i], c->offset[i]);
			KUNIT_EXPECT_EQ(test, block.target[i], c->target[i]);
		}
	}
}

static struct kunit_case step_test_cases[] = {
	KUNIT_CASE(step_long_test),
	KUNIT_CASE(step_compat_test),
	KUNIT_CASE(step_block_test),
	{}
};

static struct kunit_suite step_test_suite = {
	.name = "trace_step",
	.test_cases = step_test_cases,
};

kunit_test_suite(step_test_suite);

MODULE_DESCRIPTION("KUnit tests of the step tracer's instructions");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a string since v6.13, and took a name before v6.13 */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
