// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of signatures: their hash, their text and that of values
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "trace_arg_sigs.h"

#define TEST_TEXT	256

/* Four descriptions as gen_arg_sigs writes them; ids are arbitrary here */
static const char test_types_text[] =
	"AAAAAAAAejcolour;RED;GREEN;BLUE=10;\0"
	"AAAAAAABbjflags;F_READ=1;F_WRITE=2;F_EXEC=4;F_SYNC=80000000;\0"
	"AAAAAAACeilevel;LOW=-2;MID=0;HIGH;\0"
	"AAAAAAADs40;big;\0"
	"AAAAAAAEbj;NONE=0;ONE=1;TWO=2;FOUR=4;\0"
	"AAAAAAAFeha;SMALL=0;LAST=ff;";

static struct arg_types test_types;

noinline int arg_sigs_kunit_sample(long a, bool b);
noinline int arg_sigs_kunit_sample(long a, bool b)
{
	return b ? a : 0;
}

static const char *put_one(char *buf, const char *sig, unsigned long val)
{
	struct arg_longs longs = { .data = &val, .nr = 1 };
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_args(&out, sig, &test_types, &longs);
	*out.pos = '\0';
	return buf;
}

static const char *put_ret(char *buf, const char *sig, unsigned long val,
			   bool hex)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_ret(&out, sig, &test_types, val, hex);
	*out.pos = '\0';
	return buf;
}

static const char *put_proto(char *buf, const char *sig)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_proto(&out, sig, &test_types, "f");
	*out.pos = '\0';
	return buf;
}

struct value_case {
	const char	*type;
	unsigned long	val;
	const char	*text;
};

/* Upper bits of what is narrower than a long are not defined: set some */
static const struct value_case value_cases[] = {
	{ "a", 0xdeadbeefdeadbe80, "-128" },
	{ "a", 0x7f, "127" },
	{ "h", 0xdeadbeefdeadbeff, "0xff" },
	{ "h", 0x100, "0x0" },
	{ "s", 0xdeadbeefdead8000, "-32768" },
	{ "s", 0x7fff, "32767" },
	{ "t", 0xdeadbeefdeadffff, "0xffff" },
	{ "i", 0xdeadbeef80000000, "-2147483648" },
	{ "i", 0xdeadbeef7fffffff, "2147483647" },
	{ "i", 0xffffffff, "-1" },
	{ "i", 0, "0" },
	{ "j", 0xdeadbeefffffffff, "0xffffffff" },
	{ "j", 0, "0x0" },
	{ "l", LONG_MIN, "-9223372036854775808" },
	{ "l", LONG_MAX, "9223372036854775807" },
	{ "m", ULONG_MAX, "0xffffffffffffffff" },
	{ "x", -1, "-1" },
	{ "y", 0x10, "0x10" },
	{ "b", 0xdeadbeefdeadbe00, "false" },
	{ "b", 0xdeadbeefdeadbe01, "true" },
	{ "b", 2, "2" },
	{ "b", 0xff, "255" },
	{ "c", 'A', "'A'" },
	{ "c", ' ', "' '" },
	{ "c", '\'', "'\\''" },
	{ "c", '\\', "'\\\\'" },
	{ "c", '\n', "10" },
	{ "c", 0x80, "-128" },
	{ "c", 0, "0" },
	{ "Pv", 0, "NULL" },
	{ "Pv", 0xffff888003a8c000, "0xffff888003a8c000" },
	{ "PSfile;", -ENOENT, "ERR_PTR(-ENOENT)" },
	{ "PSfile;", -MAX_ERRNO, "ERR_PTR(-4095)" },
	{ "PSfile;", -MAX_ERRNO - 1, "0xfffffffffffff000" },
	{ "PKc", 0x1000, "0x1000" },
	{ "PFvPv_", 0x1000, "0x1000" },
	{ "KPKv", 0, "NULL" },
	{ "EjAAAAAAAA", 0xdeadbeef00000001, "GREEN" },
	{ "EjAAAAAAAA", 10, "0xa" },
	{ "EjAAAAAAAA", 0x10, "BLUE" },
	{ "EjAAAAAAAA", 2, "0x2" },
	{ "EjAAAAAAAB", 3, "F_READ|F_WRITE" },
	{ "EjAAAAAAAB", 0x80000004, "F_EXEC|F_SYNC" },
	{ "EjAAAAAAAB", 9, "F_READ|0x8" },
	{ "EjAAAAAAAB", 8, "0x8" },
	{ "EjAAAAAAAB", 0, "0x0" },
	{ "EiAAAAAAAC", 0xfffffffe, "LOW" },
	{ "EiAAAAAAAC", 0, "MID" },
	{ "EiAAAAAAAC", 1, "HIGH" },
	{ "EiAAAAAAAC", -1, "-1" },
	{ "EjAAAAAAAE", 0, "NONE" },
	{ "EjAAAAAAAE", 5, "ONE|FOUR" },
	{ "EhAAAAAAAF", 0xabff, "LAST" },
	{ "EjZZZZZZZZ", 7, "0x7" },
	{ "Tu32;j", 16, "0x10" },
	{ "Dsize_t;m", 4096, "4096" },
	{ "Dloff_t;x", -1, "-1" },
	{ "Dpid_t;i", 0xffffffff, "-1" },
	{ "Duid_t;j", 0xffffffff, "4294967295" },
	{ "Oumode_t;t", 0100644, "0100644" },
	{ "Oumode_t;t", 0, "0" },
	{ "Mdev_t;j", 8 << 20 | 1, "8:1" },
	{ "Gfp_t;j", 0, "none" },
	{ "Ggfp_t;j", (__force unsigned long)GFP_KERNEL, "GFP_KERNEL" },
	{ "RAAAAAAAD5;", 0, "?" },
	{ "d", 0, "?" },
	{ "n", 0, "?" },
	{ "Xcomplex;2;", 0, "?" },
};

static void test_values(struct kunit *test)
{
	char buf[TEST_TEXT], sig[64], want[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(value_cases); i++) {
		const struct value_case *each = &value_cases[i];

		snprintf(sig, sizeof(sig), "1v%sx;", each->type);
		snprintf(want, sizeof(want), "(x=%s)", each->text);
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(sig), "%s", sig);
		KUNIT_EXPECT_STREQ_MSG(test, put_one(buf, sig, each->val), want,
				       "%s 0x%lx", sig, each->val);
	}
}

static void test_symbols(struct kunit *test)
{
	char buf[TEST_TEXT];

	KUNIT_EXPECT_STREQ(test, put_one(buf, "1vPFv_fn;",
					 (unsigned long)filp_open),
			   "(fn=filp_open)");
	KUNIT_EXPECT_STREQ(test, put_one(buf, "1vTinit_fn;PFv_fn;",
					 (unsigned long)arg_sigs_kunit_sample),
			   "(fn=arg_sigs_kunit_sample [trace_arg_sigs_kunit])");
	/* In the middle of a function there is no symbol to name */
	KUNIT_EXPECT_PTR_EQ(test, strchr(put_one(buf, "1vPFv_fn;",
						 (unsigned long)filp_open + 1),
					 'o'), NULL);
}

static void test_args(struct kunit *test)
{
	unsigned long vals[3] = { 1, 2, 3 };
	struct arg_longs longs = { .data = vals, .nr = 3 };
	char buf[TEST_TEXT];
	struct arg_out out;

	static const struct {
		const char	*sig;
		int		nr;
		const char	*text;
	} cases[] = {
		{ "0v", 0, "()" },
		{ "0vz", 0, "()" },
		{ "3iia;ib;ic;", 3, "(a=1, b=2, c=3)" },
		{ "3iia;ib;ic;", 1, "(a=1, b=?, c=?)" },
		{ "3iia;ib;ic;", 0, "(a=?, b=?, c=?)" },
		{ "2ii;ib;", 2, "(1, b=2)" },
		{ "2iPKcfmt;ib;z", 2, "(fmt=0x1, b=2)" },
		/* A struct of two longs in memory, then what follows it */
		{ "(--a)iRAAAAAAAD2;s;ib;", 3, "(s=?, b=3)" },
		{ "(a-c)iia;ib;ic;", 3, "(a=1, b=?, c=3)" },
		/* Longs above the cap are not there */
		{ "(a)iia;RAAAAAAAD40;s;ib;", 1, "(a=1, s=?, b=?)" },
		{ "(---)?iia;ib;ic;", 3, "(a=?, b=?, c=?)" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(cases[i].sig), "%s",
				      cases[i].sig);
		longs.nr = cases[i].nr;
		out = (struct arg_out){ .pos = buf, .end = buf + TEST_TEXT - 1 };
		arg_sig_put_args(&out, cases[i].sig, &test_types, &longs);
		*out.pos = '\0';
		KUNIT_EXPECT_STREQ(test, buf, cases[i].text);
	}

	/* What does not fit is counted, not written */
	memset(buf, '#', sizeof(buf));
	longs.nr = 3;
	out = (struct arg_out){ .pos = buf, .end = buf + 4 };
	arg_sig_put_args(&out, "3iia;ib;ic;", &test_types, &longs);
	KUNIT_EXPECT_EQ(test, out.pos - buf, strlen("(a=1, b=2, c=3)"));
	KUNIT_EXPECT_EQ(test, memcmp(buf, "(a=1####", 8), 0);
}

static void test_ret(struct kunit *test)
{
	char buf[TEST_TEXT];

	KUNIT_EXPECT_TRUE(test, arg_sig_is_void("0v"));
	KUNIT_EXPECT_FALSE(test, arg_sig_is_void("0Pv"));
	KUNIT_EXPECT_FALSE(test, arg_sig_is_void("1iPvx;"));

	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0i", 0, false), "ret=0");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0i", 0xfffffffb, false),
			   "ret=-5 (-EIO)");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0i", -MAX_ERRNO, false),
			   "ret=-4095");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0j", 0xfffffffb, false),
			   "ret=0xfffffffb");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0l", 0xfffffffb, false),
			   "ret=4294967291");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0Dssize_t;l", -EINTR, false),
			   "ret=-4 (-EINTR)");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0Dsize_t;m", -EINTR, false),
			   "ret=18446744073709551612");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0c", 'x', false), "ret='x'");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0b", 0xdead01, false),
			   "ret=true");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0PSfile;", -ENOENT, false),
			   "ret=ERR_PTR(-ENOENT)");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0EjAAAAAAAA", 1, false),
			   "ret=GREEN");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0RAAAAAAAD5;", 1, false),
			   "ret=?");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0?i", 1, false), "ret=?");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, NULL, 1, false), "ret=?");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0i", -5, true),
			   "ret=0xfffffffffffffffb");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, NULL, 1, true), "ret=0x1");
}

static void test_proto(struct kunit *test)
{
	static const char * const cases[][2] = {
		{ "0v", "void f(void)" },
		{ "0vz", "void f()" },
		{ "1iPKcfmt;z", "int f(const char *fmt, ...)" },
		{ "2PSfile;PKcname;Oumode_t;tmode;",
		  "struct file *f(const char *name, umode_t mode)" },
		{ "1vPPvp;", "void f(void **p)" },
		{ "1vPKPKcp;", "void f(const char *const *p)" },
		{ "1vKPcp;", "void f(char *const p)" },
		{ "1vPFiPvz_cb;", "void f(int (*cb)(void *, ...))" },
		{ "1vPFv_cb;", "void f(void (*cb)(void))" },
		{ "1vPA4_ip;", "void f(int (*p)[4])" },
		{ "1vPPFii_p;", "void f(int (**p)(int))" },
		{ "0PFvi_", "void (*f(void))(int)" },
		{ "1vTu32;j;", "void f(u32)" },
		{ "1vPNu8;p;", "void f(u8 *p)" },
		{ "1vPUsem;p;", "void f(union sem *p)" },
		{ "1EjAAAAAAAAEjAAAAAAABx;",
		  "enum colour f(enum flags x)" },
		{ "(-----)vRAAAAAAAD5;s;", "void f(struct big s)" },
		{ "(--)vX_Complex double;2;z;", "void f(_Complex double z)" },
		{ "1vPVip;", "void f(volatile int *p)" },
	};
	char buf[TEST_TEXT];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(cases[i][0]), "%s",
				      cases[i][0]);
		KUNIT_EXPECT_STREQ(test, put_proto(buf, cases[i][0]),
				   cases[i][1]);
	}
}

static void test_malformed(struct kunit *test)
{
	static const char * const cases[] = {
		"", "7v", "x", "0", "(", "(a", "(g)v", "(A)v", "0w", "0P",
		"0K", "0PS", "0PSfile", "0T", "0Tname;", "0E", "0EjAAA",
		"0EwAAAAAAAA", "0RAAAA", "0RAAAAAAAA4", "0A", "0PA4i", "0PF",
		"0PFi", "0PFz", "1vi", "1vix", "1vix;j", "0vzz", "0X", "0Xa;",
		"0vz;", "1v;x;",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)v",
		"0PFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFv_________________",
	};
	char buf[TEST_TEXT];
	unsigned int cut;
	char *copy;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_FALSE_MSG(test, arg_sig_valid(cases[i]), "%s",
				       cases[i]);

	/* Text that ends anywhere: read up to its NUL (KASAN looks) */
	for (cut = 1; cut < 40; cut++) {
		copy = kstrndup("3iEjAAAAAAAAa;RAAAAAAAD5;b;PFiPvz_c;TxX;Sz;",
				cut, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		put_one(buf, copy, 1);
		put_ret(buf, copy, 1, false);
		put_proto(buf, copy);
		arg_sig_valid(copy);
		kfree(copy);
	}
}

static void test_descriptions(struct kunit *test)
{
	static const char twice[] =
		"AAAAAAAAej;ONE=1;\0AAAAAAAAej;TWO=1;\0BBBBBBBBej;X;";
	u32 index[8] = { };
	struct arg_types types = {
		.text = twice, .size = sizeof(twice), .index = index, .mask = 7,
	};

	KUNIT_EXPECT_EQ(test, arg_types_count(test_types_text,
					      sizeof(test_types_text)), 6);
	KUNIT_EXPECT_EQ(test, arg_types_count("", 0), 0);
	KUNIT_EXPECT_EQ(test, arg_types_count("\0\0", 3), 0);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAejx;", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAA", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAejx", 12), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAqjx;", 13), -EINVAL);

	/* Two descriptions of one id: neither is to be trusted */
	KUNIT_EXPECT_EQ(test, arg_types_index(&types), 1);
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "AAAAAAAA"));
	KUNIT_EXPECT_NOT_NULL(test, arg_types_find(&types, "BBBBBBBB"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "CCCCCCCC"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "BBBB"));
}

static void test_hash(struct kunit *test)
{
	struct arg_sig_slot slots[4] = { };
	struct arg_sigs_image image = {
		.slots = slots, .mask = 3, .shift = 30,
	};
	u32 keys[3], nr = 0, key;

	/* Three keys that belong into the last slot: two wrap around */
	for (key = 1; nr < 3; key++)
		if (key * GOLDEN_RATIO_32 >> image.shift == 3)
			keys[nr++] = key;
	slots[3] = (struct arg_sig_slot){ keys[0], 10 };
	slots[0] = (struct arg_sig_slot){ keys[1], 11 };
	KUNIT_EXPECT_EQ(test, arg_sig_ref(&image, keys[0]), 10);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(&image, keys[1]), 11);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(&image, keys[2]), 0);
}

/* Where ftrace calls from: behind the instruction that IBT wants there */
static unsigned long traced(void *func)
{
	return (unsigned long)func +
		(IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 4 : 0);
}

static void test_lookup(struct kunit *test)
{
	unsigned long ip = traced(filp_open);
	const struct arg_sig_module_slot *slot;
	const struct arg_types *types;
	char buf[TEST_TEXT];
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	const char *sig;

	guard(rcu)();
	sig = arg_sig_text(ip, ARG_SIGS_UNKNOWN_SET, &types);
	KUNIT_ASSERT_NOT_NULL(test, sig);
	arg_sig_put_proto(&out, sig, types, "filp_open");
	*out.pos = '\0';
	KUNIT_EXPECT_STREQ(test, buf,
			   "struct file *filp_open(const char *filename, int flags, umode_t mode)");

	KUNIT_EXPECT_NULL(test, arg_sig_text(ip + 1, ARG_SIGS_CURRENT_SET,
					     &types));

	/* A module's function belongs to the module's set and to no other */
	ip = traced(arg_sigs_kunit_sample);
	slot = arg_sig_find_module(ip);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_EQ(test, slot->ref & (ARG_SIG_REF_SLOTS | ARG_SIG_REF_LONGS),
			2);
	KUNIT_EXPECT_NE(test, slot->id, ARG_SIGS_IMAGE);
	KUNIT_EXPECT_NOT_NULL(test, arg_sig_text(ip, slot->id, &types));
	KUNIT_EXPECT_NOT_NULL(test, arg_sig_text(ip, ARG_SIGS_CURRENT_SET,
						 &types));
	KUNIT_EXPECT_NULL(test, arg_sig_text(ip, slot->id + 1, &types));
	KUNIT_EXPECT_NULL(test, arg_sig_text(ip, slot->id - 1, &types));
	KUNIT_EXPECT_NULL(test, arg_sig_find_module(ip + 1));
}

static int arg_sigs_suite_init(struct kunit_suite *suite)
{
	int nr = arg_types_count(test_types_text, sizeof(test_types_text));

	if (nr < 0)
		return nr;
	test_types.text = test_types_text;
	test_types.size = sizeof(test_types_text);
	test_types.mask = arg_types_slots(nr) - 1;
	test_types.index = kcalloc(arg_types_slots(nr),
				   sizeof(*test_types.index), GFP_KERNEL);
	if (!test_types.index)
		return -ENOMEM;
	return arg_types_index(&test_types);
}

static void arg_sigs_suite_exit(struct kunit_suite *suite)
{
	kfree(test_types.index);
}

static struct kunit_case arg_sigs_cases[] = {
	KUNIT_CASE(test_values),
	KUNIT_CASE(test_symbols),
	KUNIT_CASE(test_args),
	KUNIT_CASE(test_ret),
	KUNIT_CASE(test_proto),
	KUNIT_CASE(test_malformed),
	KUNIT_CASE(test_descriptions),
	KUNIT_CASE(test_hash),
	KUNIT_CASE(test_lookup),
	{}
};

static struct kunit_suite arg_sigs_suite = {
	.name = "arg_sigs",
	.suite_init = arg_sigs_suite_init,
	.suite_exit = arg_sigs_suite_exit,
	.test_cases = arg_sigs_cases,
};

kunit_test_suite(arg_sigs_suite);

MODULE_DESCRIPTION("KUnit tests of signatures of functions");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
