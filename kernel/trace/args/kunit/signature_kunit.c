// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of signatures, including malformed signatures, and of descriptions of types
 */
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../text.h"
#include "kunit.h"

static void test_info(struct kunit *test)
{
	static const struct {
		const char	*sig;
		struct {
			unsigned int	longs;
			bool		strings, reads, results, fields, two_regs;
		} info;
	} cases[] = {
		{ "0v", { } },
		{ "6llalblcldlelf;", { .longs = 6 } },
		{ "(a)2RRECMIXED2;", { .longs = 1, .two_regs = true } },
		{ "2RRECMIXED2;", { .longs = 2 } },
		{ "0&RRECNESTA3;", { } },
		{ "(a.C*b-)v", { .longs = 5, .strings = true } },
		{ "(&a++&B+)v", { .longs = 5 } },
		{ "(a|)v", { .longs = 1, .fields = true } },
		{ "(a|o*n)v", { .longs = 3, .strings = true, .fields = true } },
		{ "(ab)*bcv", { .longs = 2, .reads = true, .results = true } },
		{ "(ab)*bCv", { .longs = 2, .reads = true } },
		{ "(ab)*bvv", { .longs = 2, .reads = true } },
		{ "(ab)*bc*avv", { .longs = 2, .reads = true, .results = true } },
		{ "()$ePSdentry;", { .reads = true, .results = true } },
		{ "(ab)*bC*ae$f#av", { .longs = 2, .reads = true, .results = true } },
		{ "(*ab)*bdv", { .longs = 2, .strings = true, .reads = true,
				 .results = true } },
		{ "(a|on)*ba*cb2v", { .longs = 3, .reads = true, .results = true,
				      .fields = true, .two_regs = true } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *sig = cases[i].sig, *type;
		struct arg_slots slots;
		char how;

		type = arg_sig_parse_slots(sig, &slots);
		KUNIT_ASSERT_NOT_NULL(test, type);
		arg_return_type(type, &how);
		KUNIT_EXPECT_EQ_MSG(test, slots.nr, cases[i].info.longs, "%s", sig);
		KUNIT_EXPECT_EQ_MSG(test, !!slots.strings, cases[i].info.strings, "%s", sig);
		KUNIT_EXPECT_EQ_MSG(test, slots.reads || slots.results, cases[i].info.reads,
				    "%s", sig);
		KUNIT_EXPECT_EQ_MSG(test, slots.results, cases[i].info.results, "%s", sig);
		KUNIT_EXPECT_EQ_MSG(test, slots.fields, cases[i].info.fields, "%s", sig);
		KUNIT_EXPECT_EQ_MSG(test, how == '2', cases[i].info.two_regs, "%s", sig);
	}
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
		{ "1vKVPcp;", "void f(char *volatile const p)" },
		{ "1vKVPFv_p;", "void f(void (*volatile const p)(void))" },
		{ "1vPKVPcp;", "void f(char *volatile const *p)" },
		{ "1vKVip;", "void f(const volatile int p)" },
		{ "1vPFiPvz_cb;", "void f(int (*cb)(void *, ...))" },
		{ "1vPFv_cb;", "void f(void (*cb)(void))" },
		{ "1vPA4_ip;", "void f(int (*p)[4])" },
		{ "1vPPFii_p;", "void f(int (**p)(int))" },
		{ "0PFvi_", "void (*f(void))(int)" },
		{ "1vTu32;j;", "void f(u32)" },
		{ "1vPNu8;p;", "void f(u8 *p)" },
		{ "(a)*aavPTu8;hp;", "void f(u8 *p)" },
		{ "(ab)*ad*bcPDloff_t;xPKDloff_t;xp;PEjAAAAAAAAq;",
		  "loff_t *f(const loff_t *p, enum colour *q)" },
		{ "1vPUsem;p;", "void f(union sem *p)" },
		{ "1EjAAAAAAAAEjAAAAAAABx;",
		  "enum colour f(enum flags x)" },
		{ "(-----)vRAAAAAAAD5;s;", "void f(struct big s)" },
		{ "(--)vX_Complex double;2;z;", "void f(_Complex double z)" },
		{ "1vPVip;", "void f(volatile int *p)" },
		{ "0&RAAAAAAAD5;", "struct big f(void)" },
		{ "02RRECMIXED2;", "struct mixed f(void)" },
		{ "(..)?iPSp;p;ic=-3;z",
		  "int f(struct p *p, int c, ...)" },
		{ "(.)vi=5;", "void f(int)" },
		{ "(a|o*n)lPKSpt_regs;regs;|idfd;PKcname;",
		  "long f(const struct pt_regs *regs)" },
		{ "(a|)lPKSpt_regs;;|", "long f(const struct pt_regs *)" },
	};
	char buf[TEST_TEXT];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check_text(test, cases[i][0], put_proto(buf, cases[i][0]), cases[i][1]);
}

/* Run the code that writes text; the text itself is not checked */
static void put_all(char *buf, const char *sig)
{
	static const u64 longs[ARG_SIGS_MAX_LONGS + 1] = { 1, 2 }, one = 1;
	struct arg_slots slots;
	unsigned int nr;

	arg_sig_valid(sig);
	arg_sig_is_void(sig);
	arg_sig_parse_slots(sig, &slots);
	put_ret(buf, sig, &one, 1, false);
	put_ret(buf, sig, longs, 2, false);
	put_proto(buf, sig);
	for (nr = 0; nr <= 8; nr++)
		put_event(buf, sig, longs, nr * sizeof(u64));
	put_event(buf, sig, longs, sizeof(longs));
}

static void test_malformed(struct kunit *test)
{
	static const char * const cases[] = {
		"", "7v", "x", "0", "(", "(a", "(i)v", "(?)v", "0w", "0P",
		"0K", "0PS", "0PSfile", "0T", "0Tname;", "0E", "0EjAAA",
		"0EwAAAAAAAA", "0RAAAA", "0RAAAAAAAA4", "0A", "0PA4i", "0PF",
		"0PFi", "0PFz", "1vi", "1vix", "1vix;j", "0vzz", "0X", "0Xa;",
		"0vz;", "1v;x;",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)v", "0?", "0&", "02",
		"0??i", "(*)v", "(*-)v", "(*.)v", "(**a)v", "(a*)v",
		"(#a)vPKcs;", "(#-a)v", "(#a.)v", "(#a-)v", "(#a|o)v|", "(#*ab)v",
		"(a|#o)v|", "(##ab)v", "(a#)v",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#a)v",
		"(&)v", "(&-)v", "(&.)v", "(&*a)v", "(*&a)v", "(&&a)v", "(&+)v", "(+)v",
		"(a+)v", "(&aa+)v", "(&a-+)v", "(#a&b)v", "(a|&o)v|", "(&a|+)v|",
		"(&a++++++++++++++++++++++++++++++++)v",
		"(a)*", "(a)*a", "(a)*a%v", "(a)*a~v", "(a)*a\\v",
		"(a)*a;v", "(a)*a*v", "(ab)*ae*bav", "(ab)*be*aev", "(a)*aa*aev",
		"(a)*bav", "(a)*Gav", "(a)*!av",
		"(a)*aa*aav", "(ab)*ba*aav", "(-)*aavPii;", "(.)*aavPii;", "(*a)*aavPcs;",
		"1*aavPii;", "(a)**aav",
		"(a)$", "(a)$v", "(a)$a", "(a)$~v", "(ab)$e$ev", "(ab)#a$ev",
		"(ab)$e*aav", "1$ev", "(a)#", "(a)#av", "(ab)#bv", "(ab)#~v",
		"(ab)#a#av", "(-b)#av", "(a-)#av", "(*ab)#av", "(#ab)#av",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#aa)v", "(|v",
		"(a|v)v|", "(a||o)v|", "(|)v|", "(|o)v|ia;", "(a|o)v", "(a)v|",
		"0v|", "(|.)v|", "(|V)v|", "(a|o)vz", "(a|o)v|i", "(a|o)v|z", "(a|o)v|ia;|",
		"(aaaaaaaaaaaaaaaa|uuuuuuuuuuuuuuuuu)v|", "(.)via=;",
		"(.)via=-;", "(.)via=g;", "(.)via=1", "(.)via=5-;",
		"(.)vna=111111111111111111111111111111111;", "(.a)via;@ix;",
		"0PFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFPFv_________________",
	};
	char buf[TEST_TEXT];
	unsigned int cut;
	char *copy;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_FALSE_MSG(test, arg_sig_valid(cases[i]), "%s",
				       cases[i]);
		put_all(buf, cases[i]);
	}

	/* A text may end anywhere and must be read only up to its NUL, which KASAN checks */
	for (cut = 1; cut < 40; cut++) {
		copy = kstrndup("3iEjAAAAAAAAa;RAAAAAAAD5;b;PFiPvz_c;TxX;Sz;",
				cut, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		put_all(buf, copy);
		kfree(copy);
	}
	for (cut = 1; cut < 60; cut++) {
		copy = kstrndup("(..*ba|#on)2RRECMIXED2;ia=-5;PSp;p;A4_Ex;z|idfd;A_@",
				cut, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		put_all(buf, copy);
		kfree(copy);
	}
}

static void test_descriptions(struct kunit *test)
{
	static const char twice[] =
		"AAAAAAAAej;ONE=1;\0AAAAAAAAej;TWO=1;\0BBBBBBBBej;X;";
	static const char * const malformed[] = {
		"AAAAAAAAewx;", "AAAAAAAAejx;A", "AAAAAAAAejx;A=;",
		"AAAAAAAAejx;A=1", "AAAAAAAAejx;A=11111111111111111;",
		"AAAAAAAAs;x;", "AAAAAAAAs8x;", "AAAAAAAAs8;x",
		"AAAAAAAAs8;x;i", "AAAAAAAAs8;x;0", "AAAAAAAAs8;x;0i",
		"AAAAAAAAs8;x;0ia", "AAAAAAAAs8;x;0wa;", "AAAAAAAAs8;x;0:ia;",
		"AAAAAAAAu8;x;0:3", "AAAAAAAAs8;x;0A4ia;", "AAAAAAAAs8;x;ia;",
	};
	u32 index[8] = { };
	struct arg_types types = {
		.text = twice, .size = sizeof(twice), .index = index, .mask = 7,
	};
	int i;

	KUNIT_EXPECT_EQ(test, arg_types_count(arg_sigs_kunit_types.text,
					      arg_sigs_kunit_types.size), 35);
	KUNIT_EXPECT_EQ(test, arg_types_count("", 0), 0);
	KUNIT_EXPECT_EQ(test, arg_types_count("\0\0", 3), 0);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAejx;", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAA", 5), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAejx", 12), -EINVAL);
	KUNIT_EXPECT_EQ(test, arg_types_count("AAAAAAAAqjx;", 13), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(malformed); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    arg_types_count(malformed[i],
						    strlen(malformed[i]) + 1),
				    -EINVAL, "%s", malformed[i]);

	/* If an id has two descriptions, neither description must be found */
	KUNIT_EXPECT_EQ(test, arg_types_index(&types), 1);
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "AAAAAAAA"));
	KUNIT_EXPECT_NOT_NULL(test, arg_types_find(&types, "BBBBBBBB"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "CCCCCCCC"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "BBBB"));
}

/* Ids that collide, as an attacker could make them */
static void test_collisions(struct kunit *test)
{
	/*
	 * For each pair of characters, 31 times the first plus the second is the same
	 * number
	 */
	static const char *const pairs[] = { "d@", "c_", "b~", "e!" };
	static const char rest[] = "ejx;A;";
	size_t each = ARG_SIGS_ID_LEN + sizeof(rest);
	struct arg_types types = { .size = 256 * each, .mask = 511 };
	u32 i, found = 0, dropped;
	char *text, *pos;

	text = kunit_kzalloc(test, types.size, GFP_KERNEL);
	types.index = kunit_kcalloc(test, 512, sizeof(*types.index), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, types.index);
	types.text = text;
	for (i = 0, pos = text; i < 256; i++, pos += each) {
		memcpy(pos, pairs[i & 3], 2);
		memcpy(pos + 2, pairs[i >> 2 & 3], 2);
		memcpy(pos + 4, pairs[i >> 4 & 3], 2);
		memcpy(pos + 6, pairs[i >> 6], 2);
		memcpy(pos + ARG_SIGS_ID_LEN, rest, sizeof(rest));
	}
	KUNIT_ASSERT_EQ(test, arg_types_count(text, types.size), 256);
	dropped = arg_types_index(&types);
	for (i = 0, pos = text; i < 256; i++, pos += each)
		found += arg_types_find(&types, pos) == pos;
	/*
	 * Some ids are found. To find all ids, each lookup would have to probe the
	 * others' slots
	 */
	KUNIT_EXPECT_GT(test, found, 0);
	KUNIT_EXPECT_LE(test, found, 64);
	KUNIT_EXPECT_EQ(test, found + dropped, 256);
}

static struct kunit_case arg_sigs_signature_cases[] = {
	KUNIT_CASE(test_info),
	KUNIT_CASE(test_proto),
	KUNIT_CASE(test_malformed),
	KUNIT_CASE(test_descriptions),
	KUNIT_CASE(test_collisions),
	{}
};

static struct kunit_suite arg_sigs_signature_suite = {
	.name = "arg_sigs_signature",
	.suite_init = arg_sigs_kunit_init,
	.suite_exit = arg_sigs_kunit_exit,
	.test_cases = arg_sigs_signature_cases,
};

kunit_test_suite(arg_sigs_signature_suite);
