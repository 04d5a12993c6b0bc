// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the text of single values
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp_types.h>
#include <linux/limits.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "kunit.h"

struct value_case {
	const char	*type;
	unsigned long	val;
	const char	*text;
};

/* Some cases set the undefined upper bits of a value that is narrower than a long */
static const struct value_case value_cases[] = {
	{ "a", 0xdeadbeefdeadbe80, "-128" },
	{ "a", 0x7f, "127" },
	{ "h", 0xdeadbeefdeadbeff, "0xff" },
	{ "h", 0x100, "0" },
	{ "s", 0xdeadbeefdead8000, "-32768" },
	{ "s", 0x7fff, "32767" },
	{ "t", 0xdeadbeefdeadffff, "0xffff" },
	{ "i", 0xdeadbeef80000000, "-2147483648" },
	{ "i", 0xdeadbeef7fffffff, "2147483647" },
	{ "i", 0xffffffff, "-1" },
	{ "i", 0, "0" },
	{ "j", 0xdeadbeefffffffff, "0xffffffff" },
	{ "j", 0, "0" },
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
	{ "c", 0x80, "128" },
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
	{ "EjAAAAAAAA", 2, "2" },
	{ "EjAAAAAAAB", 3, "F_READ|F_WRITE" },
	{ "EjAAAAAAAB", 0x80000004, "F_EXEC|F_SYNC" },
	{ "EjAAAAAAAB", 9, "F_READ|8" },
	{ "EjAAAAAAAB", 8, "8" },
	{ "EjAAAAAAAB", 0, "0" },
	{ "EiAAAAAAAC", 0xfffffffe, "LOW" },
	/* An enumerator below zero is compared in the bits of an unsigned type */
	{ "EjAAAAAAAC", 0xfffffffe, "LOW" },
	{ "EiAAAAAAAC", 0, "MID" },
	{ "EiAAAAAAAC", 1, "HIGH" },
	{ "EiAAAAAAAC", -1, "-1" },
	{ "EjAAAAAAAE", 0, "NONE" },
	{ "EjAAAAAAAE", 5, "ONE|FOUR" },
	{ "EhAAAAAAAF", 0xabff, "LAST" },
	{ "EjZZZZZZZZ", 7, "7" },
	{ "EmAAAAAAAG", 1, "LO" },
	{ "EmAAAAAAAG", 0x8000000000000000, "HI" },
	{ "EmAAAAAAAG", ULONG_MAX, "TOP" },
	{ "EmAAAAAAAG", 0x8000000000000001, "0x8000000000000001" },
	{ "ElAAAAAAAH", LONG_MIN, "MIN" },
	{ "ElAAAAAAAH", -1, "M1" },
	{ "ElAAAAAAAH", 0xffffffff, "4294967295" },
	{ "EmAAAAAAAI", 0x8000000000000001, "B0|B63" },
	/* A signed type of bits */
	{ "EiAAAAAAAJ", 0xdeadbeef80000003, "S_ONE|S_TWO|S_TOP" },
	{ "EiAAAAAAAJ", -1, "S_ONE|S_TWO|S_TOP|0x7ffffffc" },
	{ "EiAAAAAAAJ", 0x40000000, "0x40000000" },
	{ "EsAAAAAAAK", 0x8004, "S_FOUR|0x8000" },
	{ "EsAAAAAAAK", -1, "S_FOUR|0xfffb" },
	{ "EsAAAAAAAK", 0x8000, "0x8000" },
	{ "EjRECPOINT", 7, "7" },
	{ "RRECPOINT1;", 0x80000000fffffff6, "{.x=-10, .y=0x80000000}" },
	{ "Tpoint_t;RRECPOINT1;", 0, "{.x=0, .y=0}" },
	{ "KRRECPOINT1;", 0, "{.x=0, .y=0}" },
	{ "RRECBITSA1;", 0x12345678ffffff8d,
	  "{.low=5, .sign=-15, .flag=true, .rest=0x7fffff, .high=0x12345678}" },
	{ "RRECUNION1;", ULONG_MAX,
	  "{.i=-1, .l=-1, .bytes={0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}" },
	{ "RRECEMPTY0;", 0, "{}" },
	{ "RRECFLEXA1;", 0x200000001, "{.nr=1, .len=2, .tail={}}" },
	{ "RRECSELFA1;", 0, "{.s={.s={.s={.s={.s={.s={.s={.s=?}}}}}}}}" },
	{ "RRECEBITS1;", 0xbd,
	  "{.colour=GREEN, .level=-1, .c=2, .behind=?, .none=?, .wide=?}" },
	{ "RRECUNKNO1;", 0x100000000, "{.r=?, .f=?, .x=?, .a={1}}" },
	{ "RZZZZZZZZ1;", 0, "?" },
	{ "RAAAAAAAA1;", 0, "?" },
	{ "Tu32;j", 16, "0x10" },
	{ "Dsize_t;m", 4096, "4096" },
	{ "Dloff_t;x", -1, "-1" },
	{ "Dpid_t;i", 0xffffffff, "-1" },
	{ "Duid_t;j", 0xffffffff, "4294967295" },
	{ "Oumode_t;t", 0100644, "0100644" },
	{ "Oumode_t;t", 0, "0" },
	{ "Mdev_t;j", 8 << 20 | 1, "8:1" },
	{ "B__be16;t", 0xdead6712, "4711" },
	{ "B__be32;j", 0x100007f, "0x7f000001" },
	{ "B__be64;y", 9ULL << 56, "9" },
	{ "Gfp_t;j", 0, "none" },
	{ "Ggfp_t;j", (__force unsigned long)GFP_KERNEL, "GFP_KERNEL" },
	{ "RAAAAAAAD5;", 0, "?" },
	{ "d", 0, "?" },
	{ "n", 0, "?" },
	{ "Xcomplex;2;", 0, "?" },
	{ "h", 9, "9" },
	{ "h", 10, "0xa" },
	{ "y", 9, "9" },
	{ "Pv", 9, "0x9" },
};

static void test_values(struct kunit *test)
{
	char buf[TEST_TEXT], sig[64], want[96];
	int i;

	for (i = 0; i < ARRAY_SIZE(value_cases); i++) {
		const struct value_case *each = &value_cases[i];

		snprintf(sig, sizeof(sig), "1v%sx;", each->type);
		snprintf(want, sizeof(want), "(x=%s)", each->text);
		check_text(test, sig, put_one(buf, sig, each->val), want);
	}
}

/* Numbers whose names say how they are written: signed integers that hold bits, addresses */
static void test_names(struct kunit *test)
{
	static const struct {
		const char	*sig;
		unsigned long	val;
		const char	*text;
	} cases[] = {
		{ "1viflags;", 0x80000, "(flags=0x80000)" },
		{ "1viflags;", -1, "(flags=0xffffffff)" },
		{ "1viflags;", 9, "(flags=9)" },
		{ "1viflags;", 0, "(flags=0)" },
		{ "1vlsa_flags;", -2, "(sa_flags=0xfffffffffffffffe)" },
		{ "1vscpumask;", -1, "(cpumask=0xffff)" },
		{ "1vahibits;", -1, "(hibits=0xff)" },
		{ "1vTs32;imask;", 16, "(mask=0x10)" },
		{ "1vKibits;", 16, "(bits=0x10)" },
		/* No bits: the name has another end, or the type has its own text */
		{ "1viflag;", 16, "(flag=16)" },
		{ "1viflags2;", 16, "(flags2=16)" },
		{ "1vimask_len;", 16, "(mask_len=16)" },
		{ "1viags;", 16, "(ags=16)" },
		{ "1viclass;", 16, "(class=16)" },
		{ "1vDpid_t;iflags;", 16, "(flags=16)" },
		{ "1vEiAAAAAAACflags;", -1, "(flags=-1)" },
		{ "1vjflags;", 16, "(flags=0x10)" },
		{ "1vbflags;", 1, "(flags=true)" },
		/* Addresses */
		{ "1vB__be32;jsaddr;", 0x0100a8c0, "(saddr=192.168.0.1)" },
		{ "1vTaddr_t;B__be32;jdest_ip;", ~0UL, "(dest_ip=255.255.255.255)" },
		{ "1vB__be32;jsrc;", 0, "(src=0.0.0.0)" },
		{ "1vKB__be32;jdst;", 0x100007f, "(dst=127.0.0.1)" },
		/* No addresses: another size, another type, another name */
		{ "1vB__be16;tsaddr;", 0x6712, "(saddr=4711)" },
		{ "1vB__be64;ysaddr;", 9ULL << 56, "(saddr=9)" },
		{ "1vjsaddr;", 16, "(saddr=0x10)" },
		{ "1viip;", 16, "(ip=16)" },
		{ "1vB__be32;jseq;", 0x100007f, "(seq=0x7f000001)" },
		{ "1vB__be32;jaddr2;", 0x100007f, "(addr2=0x7f000001)" },
		{ "(.)vB__be32;jaddr=100007f;", 0, "(addr=127.0.0.1)" },
		/* Constants, members, bit-fields */
		{ "(.)viflags=-1;", 0, "(flags=0xffffffff)" },
		{ "(a)vRRECFLAGS1;s;", 0x2fffffff5,
		  "(s={.lo_bits=5, .n=-1, .mask=0xffffff, .bits={2, 0}})" },
	};
	char buf[TEST_TEXT];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check_text(test, cases[i].sig, put_one(buf, cases[i].sig, cases[i].val),
			   cases[i].text);
}

static void test_symbols(struct kunit *test)
{
	char buf[TEST_TEXT];

	KUNIT_EXPECT_STREQ(test, put_one(buf, "1vPFv_fn;",
					 (unsigned long)filp_open),
			   "(fn=filp_open)");
	KUNIT_EXPECT_STREQ(test, put_one(buf, "1vTinit_fn;PFv_fn;",
					 (unsigned long)arg_sigs_kunit_sample),
			   "(fn=arg_sigs_kunit_sample [trace_args_kunit])");
	/* An address in the middle of a function is not shown as a symbol */
	KUNIT_EXPECT_PTR_EQ(test, strchr(put_one(buf, "1vPFv_fn;",
						 (unsigned long)filp_open + 1),
					 'o'), NULL);
}

static struct kunit_case arg_sigs_scalars_cases[] = {
	KUNIT_CASE(test_values),
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_symbols),
	{}
};

static struct kunit_suite arg_sigs_scalars_suite = {
	.name = "arg_sigs_scalars",
	.suite_init = arg_sigs_kunit_init,
	.suite_exit = arg_sigs_kunit_exit,
	.test_cases = arg_sigs_scalars_cases,
};

kunit_test_suite(arg_sigs_scalars_suite);
