// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the hash and the lookups of the table of signatures
 */
#include <linux/fs.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "kunit.h"
#include "../table.h"

noinline int arg_sigs_kunit_sample(long a, bool b)
{
	return b ? a : 0;
}

/* test_text_refs() knows which of these functions can be captured by the reference alone */
noinline int arg_sigs_kunit_text(long a, const char *b, long c);
noinline int arg_sigs_kunit_text(long a, const char *b, long c)
{
	return *b ? a : c;
}

noinline int arg_sigs_kunit_texts(const char *a, const char *b);
noinline int arg_sigs_kunit_texts(const char *a, const char *b)
{
	return *b ? *a : 0;
}

noinline int arg_sigs_kunit_fifth(long a, long b, long c, long d, const char *e);
noinline int arg_sigs_kunit_fifth(long a, long b, long c, long d, const char *e)
{
	return *e ? a + b : c + d;
}

noinline int arg_sigs_kunit_stack(long a, long b, const char *c, long d, long e,
				  long f, long g);
noinline int arg_sigs_kunit_stack(long a, long b, const char *c, long d, long e,
				  long f, long g)
{
	return *c ? a + b + d : e + f + g;
}

noinline int arg_sigs_kunit_buffer(const char *a, size_t b);
noinline int arg_sigs_kunit_buffer(const char *a, size_t b)
{
	return b ? *a : 0;
}

noinline int arg_sigs_kunit_read(int *a, long b);
noinline int arg_sigs_kunit_read(int *a, long b)
{
	return *a + b;
}

noinline int arg_sigs_kunit_read_text(const u8 *a, const char *b);
noinline int arg_sigs_kunit_read_text(const u8 *a, const char *b)
{
	return *a + *b;
}

noinline struct list_head arg_sigs_kunit_two(struct list_head *list)
{
	return *list;
}

static void test_hash(struct kunit *test)
{
	struct arg_sigs_image *image;
	u32 keys[3], nr = 0, key;

	image = kunit_kzalloc(test, struct_size(image, slots, 7), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image);
	image->nr = 5;

	/* Three keys whose lookups begin with the last slot need the slots after it */
	for (key = 1; nr < 3; key++)
		if (arg_sig_first_slot(key, image->nr) == 4)
			keys[nr++] = key;
	image->slots[4] = (struct arg_sig_slot){ keys[0], 10 };
	image->slots[5] = (struct arg_sig_slot){ keys[1], 11 };
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[0]), 10);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[1]), 11);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[2]), 0);
}

static bool has_sig(unsigned long ip, u32 set)
{
	struct arg_sig_hold hold;

	arg_sig_hold(&hold, ip, set);
	arg_sig_release(&hold);
	return hold.sig;
}

/**
 * arg_sigs_kunit_traced - find the address that ftrace knows a function by
 * @func: a function with a signature
 *
 * Instructions such as an ENDBR may come before the address.
 *
 * Return: the address.
 */
unsigned long arg_sigs_kunit_traced(void *func)
{
	unsigned long ip = (unsigned long)func, last = ip + TRACE_ARGS_MAX_OFFSET;

	/* objtool warns of a relocation to an address without ENDBR */
	OPTIMIZER_HIDE_VAR(ip);
	while (ip < last && !has_sig(ip, ARG_SIGS_CURRENT_SET))
		ip += sizeof(u32);
	return ip;
}

static bool copy_slot(unsigned long ip, struct arg_sig_module_slot *copy)
{
	const struct arg_sig_module_slot *slot;

	guard(rcu)();
	slot = arg_sig_find_module(ip);
	if (slot)
		*copy = *slot;
	return slot;
}

static void test_lookup(struct kunit *test)
{
	unsigned long ip = arg_sigs_kunit_traced(filp_open);
	struct arg_sig_module_slot copy = { };
	char buf[TEST_TEXT];
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	struct arg_sig_hold hold;

	arg_sig_hold(&hold, ip, ARG_SIGS_IMAGE);
	KUNIT_ASSERT_NOT_NULL(test, hold.sig);
	arg_sig_put_proto(&out, hold.sig, hold.types, "filp_open");
	*out.pos = '\0';
	arg_sig_release(&hold);
	KUNIT_EXPECT_STREQ(test, buf,
			   "struct file *filp_open(const char *filename, int flags, umode_t mode)");
	KUNIT_EXPECT_FALSE(test, has_sig(ip + 1, ARG_SIGS_CURRENT_SET));

	/* A module's function belongs to the module's set and to no other */
	ip = arg_sigs_kunit_traced(arg_sigs_kunit_sample);
	KUNIT_ASSERT_TRUE(test, copy_slot(ip, &copy));
	KUNIT_EXPECT_EQ(test, copy.ref & (ARG_SIG_REF_KIND | ARG_SIG_REF_NR),
			ARG_SIG_REF_REGS | 2);
	KUNIT_EXPECT_NE(test, copy.id, ARG_SIGS_IMAGE);
	KUNIT_EXPECT_TRUE(test, has_sig(ip, copy.id));
	KUNIT_EXPECT_TRUE(test, has_sig(ip, ARG_SIGS_CURRENT_SET));
	/*
	 * The next number is not known. The previous number may be known, for an init
	 * function
	 */
	KUNIT_EXPECT_FALSE(test, has_sig(ip, copy.id + 1));
	KUNIT_EXPECT_FALSE(test, has_sig(ip, ARG_SIGS_IMAGE));
	KUNIT_EXPECT_FALSE(test, copy_slot(ip + 1, &copy));
}

#define READS_AND_RESULTS	(ARG_SIG_REF_READS | ARG_SIG_REF_RESULTS)

static void test_text_refs(struct kunit *test)
{
	static const struct {
		void	*func;
		u32	kind;
		u32	longs;
		u32	reads;
	} funcs[] = {
		{ arg_sigs_kunit_sample, ARG_SIG_REF_REGS, 2, 0 },
		{ arg_sigs_kunit_texts, ARG_SIG_REF_ANY, 2, 0 },
		{ arg_sigs_kunit_fifth, ARG_SIG_REF_ANY, 5, 0 },
		{ arg_sigs_kunit_stack, ARG_SIG_REF_ANY, 7, 0 },
		{ arg_sigs_kunit_buffer, ARG_SIG_REF_ANY, 2, 0 },
		/* Pointers to numbers do not change the kind of the longs */
		{ arg_sigs_kunit_read, ARG_SIG_REF_REGS, 2, READS_AND_RESULTS },
		{ arg_sigs_kunit_read_text, ARG_SIG_REF_TEXT, 2, ARG_SIG_REF_READS },
		{ arg_sigs_kunit_text, ARG_SIG_REF_TEXT, 3, 0 },
	};
	struct arg_sig_module_slot copy = { };
	int i;

	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		KUNIT_ASSERT_TRUE(test, copy_slot(arg_sigs_kunit_traced(funcs[i].func), &copy));
		KUNIT_EXPECT_EQ(test, copy.ref & ARG_SIG_REF_KIND, funcs[i].kind);
		KUNIT_EXPECT_EQ_MSG(test, copy.ref & READS_AND_RESULTS, funcs[i].reads,
				    "%ps", funcs[i].func);
		KUNIT_EXPECT_EQ(test, arg_sig_ref_longs(copy.ref), funcs[i].longs);
	}
	KUNIT_EXPECT_EQ(test, arg_sig_ref_text_arg(copy.ref), 1);
}

/* Only call_args_capture() reads a record that is passed by its address */
static void test_record_refs(struct kunit *test)
{
	static const char * const sigs[] = {
		"(&a++)vRRECNESTA3;s;", "(abcdefgh&A++)v", "(a&b++)*aaPii;", "(*a&b++)v",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(sigs); i++)
		KUNIT_EXPECT_EQ_MSG(test, arg_sig_make_ref(sigs[i], sigs[i]) & ARG_SIG_REF_KIND,
				    ARG_SIG_REF_ANY, "%s", sigs[i]);
}

static const char *put_func(char *buf, unsigned long ip, u32 set)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_func(&out, ip, set);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static void test_names(struct kunit *test)
{
	unsigned long image = arg_sigs_kunit_traced(filp_open);
	unsigned long module = arg_sigs_kunit_traced(arg_sigs_kunit_sample);
	struct arg_sig_module_slot slot;
	char buf[TEST_TEXT], want[32];
	u32 id;

	KUNIT_ASSERT_TRUE(test, copy_slot(module, &slot));
	id = slot.id;

	KUNIT_EXPECT_STREQ(test, put_func(buf, image, ARG_SIGS_IMAGE),
			   "filp_open");
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, id),
			   "arg_sigs_kunit_sample [trace_args_kunit]");
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, ARG_SIGS_IMAGE),
			   "arg_sigs_kunit_sample [trace_args_kunit]");

	/* An address of an unknown module, and an address of no function */
	snprintf(want, sizeof(want), "0x%lx", module);
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, id + 1), want);
	snprintf(want, sizeof(want), "0x%lx", module + 1);
	KUNIT_EXPECT_STREQ(test, put_func(buf, module + 1, id), want);
}

static struct kunit_case arg_sigs_table_cases[] = {
	KUNIT_CASE(test_hash),
	KUNIT_CASE(test_lookup),
	KUNIT_CASE(test_text_refs),
	KUNIT_CASE(test_record_refs),
	KUNIT_CASE(test_names),
	{}
};

static struct kunit_suite arg_sigs_table_suite = {
	.name = "arg_sigs_table",
	.test_cases = arg_sigs_table_cases,
};

kunit_test_suite(arg_sigs_table_suite);
