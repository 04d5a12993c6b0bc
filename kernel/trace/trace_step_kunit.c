// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the instructions that the step tracer knows
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
	u8		shadow;
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
	STEP_CASE("\x8e\xd0\x9c", 1, STEP_PUSHF, 2),		/* mov %eax, %ss; pushf */
	STEP_CASE("\x8e\xd8\x9c", 2, 0),			/* mov %eax, %ds */
	STEP_CASE("\xc5\xf8\x77", 3, 0),			/* vzeroupper */
	STEP_CASE("\xc5\xf9\xe8\xc1", 4, 0),			/* vpsubsb, with the byte of CALL */
	STEP_CASE("\xc5\xf8\x05\xc0", 0, 0),			/* unknown to the decoder */
};

static const struct step_case step_compat[] = {
	STEP_CASE("\x41", 1, 0),				/* inc %ecx */
	STEP_CASE("\x9c", 1, STEP_PUSHF),
	STEP_CASE("\x0f\x05", 2, STEP_SYSCALL32),
	STEP_CASE("\xcf", 1, STEP_POPF | STEP_JUMP),		/* iret */
	STEP_CASE("\x17\x9d", 1, STEP_POPF, 1),			/* pop %ss; popf */
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
	if (c->len)
		KUNIT_EXPECT_EQ_MSG(test, insn.len, c->len, "%*ph", c->size, c->text);
	KUNIT_EXPECT_EQ_MSG(test, insn.kind, c->kind, "%*ph", c->size, c->text);
	KUNIT_EXPECT_EQ_MSG(test, insn.shadow, c->shadow, "%*ph", c->size, c->text);
	/* A part of an instruction is not enough, and its bytes are */
	for (size = 0; c->len && size < c->len + c->shadow; size++)
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

static struct kunit_case step_test_cases[] = {
	KUNIT_CASE(step_long_test),
	KUNIT_CASE(step_compat_test),
	{}
};

static struct kunit_suite step_test_suite = {
	.name = "trace_step",
	.test_cases = step_test_cases,
};

kunit_test_suite(step_test_suite);

MODULE_DESCRIPTION("KUnit tests of the step tracer's instructions");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a string since v6.13, and a name before */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
