// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the text of a call's arguments and of its return value
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "kunit.h"

static void test_args(struct kunit *test)
{
	static const u64 vals[] = { 1, 2, 3, 4, 5, 6 };
	struct arg_longs longs = { .data = vals, .size = 3 * sizeof(u64) };
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
		/* Longs are used only if their number matches the signature */
		{ "3iia;ib;ic;", 2, "(a=?, b=?, c=?)" },
		{ "3iia;ib;ic;", 4, "(a=?, b=?, c=?)" },
		{ "3iia;ib;ic;", 0, "(a=?, b=?, c=?)" },
		{ "2ii;ib;", 2, "(1, b=2)" },
		{ "2iPKcfmt;ib;z", 2, "(fmt=0x1, b=2, ...)" },
		/* Parameters in registers and on the stack, with a gap on the stack */
		{ "(abcdAC)iia;ib;ic;id;je;lf;", 6,
		  "(a=1, b=2, c=3, d=4, e=5, f=6)" },
		/* A struct of two longs in memory, then the parameter that follows */
		{ "(--a)iRAAAAAAAD2;s;ib;", 3, "(s=?, b=3)" },
		{ "(ABa)iRRECMIXED2;s;ib;", 3,
		  "(s={.a=1, .b=0, .c=0, .d=0x2}, b=3)" },
		{ "(A-a)iRRECMIXED2;s;ib;", 3,
		  "(s={.a=1, .b=0, .c=0, .d=?}, b=3)" },
		{ "(--a)iRRECMIXED2;s;ib;", 3, "(s=?, b=3)" },
		{ "(a-c)iia;ib;ic;", 3, "(a=1, b=?, c=3)" },
		{ "(-ab)idx;ib;ic;", 3, "(x=?, b=2, c=3)" },
		{ "(abc)ina;ib;", 3, "(a=0x20000000000000001, b=3)" },
		{ "(a-c)ioa;ib;", 3, "(a=?, b=3)" },
		{ "(ABCa)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps={{.x=2, .y=0}, {.x=3, .y=0}}}, b=4)" },
		{ "(AB-a)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps={{.x=2, .y=0}, ?}}, b=4)" },
		{ "(A--a)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps=?}, b=4)" },
		/* A record that is passed by its address */
		{ "(&a++b)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps={{.x=2, .y=0}, {.x=3, .y=0}}}, b=4)" },
		{ "(&A+-b)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps={{.x=2, .y=0}, ?}}, b=4)" },
		{ "(-ab)iRRECEMPTY0;e;ib;ic;", 3, "(e={}, b=2, c=3)" },
		{ "(-Aa)iRRECFLOAT2;s;ib;", 3, "(s={.f=?, .n=2}, b=3)" },
		/* Longs above the cap are not recorded */
		{ "(a)iia;RAAAAAAAD40;s;ib;", 1, "(a=1, s=?, b=?)" },
		{ "(aAB)iia;RRECHUGEA512;s;ib;", 3,
		  "(a=1, s={.buf={2, 3, ?...}}, b=?)" },
		{ "(---)?iia;ib;ic;", 3, "(a=?, b=?, c=?)" },
		/* Removed, constant and split parameters */
		{ "(.a.)via=-5;ib;jc;", 3, "(a=-5, b=2, c=<optimized out>)" },
		{ "(...)vPva=0;EjAAAAAAAAb=1;Dsize_t;mc=1000;", 3,
		  "(a=NULL, b=GREEN, c=4096)" },
		{ "(..)vna=-2;", 2, "(a=0xfffffffffffffffffffffffffffffffe)" },
		{ "(..)voa=ff;", 2, "(a=0xff)" },
		{ "(..)voa=123456789abcdef0123456789abcdef;", 2,
		  "(a=0x123456789abcdef0123456789abcdef)" },
		{ "(..)vna=-10000000000000000;", 2,
		  "(a=0xffffffffffffffff0000000000000000)" },
		{ "(.)vRRECPOINT1;a=200000001;", 1, "(a={.x=1, .y=2})" },
		{ "(a)via=5;", 1, "(a=1)" },
		{ "(.)vi=5;", 1, "(5)" },
		{ "(.)vi;", 1, "(<optimized out>)" },
		/* Parts of a value that are not passed */
		{ "(a.)vRRECMIXED2;m;", 2,
		  "(m={.a=1, .b=0, .c=0, .d=<optimized out>})" },
		{ "(.a)vRRECMIXED2;m;", 2,
		  "(m={.a=<optimized out>, .b=<optimized out>, .c=<optimized out>, .d=0x2})" },
		{ "(-a)vRRECMIXED2;m;", 2, "(m={.a=?, .b=?, .c=?, .d=0x2})" },
		{ "(a.b)vna;ib;", 3, "(a=<optimized out>, b=3)" },
		{ "(A.Ba)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps={<optimized out>, {.x=3, .y=0}}}, b=4)" },
		{ "(A.-a)iRRECNESTA3;s;ib;", 4,
		  "(s={.p={.x=1, .y=0}, .ps=?}, b=4)" },
		{ "(a.)via;ib;ic=7;", 2, "(a=1, b=<optimized out>, c=?)" },
		/* System calls */
		{ "(a|)lPKSpt_regs;regs;|", 1, "()" },
		{ "(a|onM)lPKSpt_regs;regs;|idfd;jflags;lx;", 4,
		  "(dfd=2, flags=3, x=4)" },
		{ "(a|o-M)lPKSpt_regs;regs;|idfd;jflags;lx;", 4,
		  "(dfd=2, flags=?, x=4)" },
		{ "(a|onM)lPKSpt_regs;regs;|idfd;jflags;lx;", 0,
		  "(dfd=?, flags=?, x=?)" },
		{ "(a|o)lPKSpt_regs;regs;|idfd;jflags;", 2, "(dfd=2, flags=?)" },
		{ "(ab|o)lPKSpt_regs;regs;RRECPOINT1;p;z|idfd;", 3, "(dfd=3)" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check_text(test, cases[i].sig,
			   put_event(buf, cases[i].sig, vals, cases[i].nr * sizeof(u64)),
			   cases[i].text);

	/* Characters that do not fit are counted but not written */
	memset(buf, '#', sizeof(buf));
	out = (struct arg_out){ .pos = buf, .end = buf + 4 };
	arg_sig_put_args(&out, "3iia;ib;ic;", &arg_sigs_kunit_types, &longs);
	KUNIT_EXPECT_EQ(test, out.pos - buf, strlen("(a=1, b=2, c=3)"));
	KUNIT_EXPECT_EQ(test, memcmp(buf, "(a=1####", 8), 0);
}

/* Records that are not aligned, and records in two longs */
static void test_records(struct kunit *test)
{
	static const u64 packed[] = { 0xa000001122334455, 0xffc000000000002b };
	static const u64 kinds[] = {
		0xfffffffe0001ff01, 0, 0x0000040302018180 | 0644, 7, 1,
	};
	char buf[TEST_TEXT];

	KUNIT_EXPECT_STREQ(test, put_event(buf, "(ab)vRRECSTRAD2;s;", packed, 16),
			   "(s={.x=0x2ba, .y=287454020, .z=0x2ba000})");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(a-)vRRECSTRAD2;s;", packed, 16),
			   "(s={.x=?, .y=287454020, .z=?})");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(-b)vRRECSTRAD2;s;", packed, 16),
			   "(s={.x=?, .y=?, .z=?})");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(ABCDE)vRRECKINDS5;s;", kinds, 40),
			   "(s={.b=true, .u8=0xff, .e=ONE, .pid=-2, .s=NULL, .mode=0100644, .a={{1, 2}, {3, 4}}, .big=0x10000000000000007})");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(ABCD-)vRRECKINDS5;s;", kinds, 40),
			   "(s={.b=true, .u8=0xff, .e=ONE, .pid=-2, .s=NULL, .mode=0100644, .a={{1, 2}, {3, 4}}, .big=?})");

	/* Endless descriptions end with the line */
	put_event(buf, "(ABCD)vRRECMANYA4;s;", kinds, 32);
	KUNIT_EXPECT_EQ(test, strlen(buf), TEST_TEXT - 1);
}

/* A line has to fit into a struct trace_seq for any types */
static void test_cut(struct kunit *test)
{
	static const u64 kinds[4];
	struct arg_longs longs = { .data = kinds, .size = sizeof(kinds) };
	size_t size = 4 * PAGE_SIZE;
	char *buf = kunit_kzalloc(test, size, GFP_KERNEL);
	struct arg_out out;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_args(&out, "(ABCDa)vRRECMANYA4;s;ib;", &arg_sigs_kunit_types, &longs);
	KUNIT_EXPECT_STREQ(test, buf, "(s=?, b=?)");

	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_args(&out, "(ABCD)vRRECMANYA4;s;", &arg_sigs_kunit_types, &longs);
	KUNIT_EXPECT_LT(test, strlen(buf), 6000);
	KUNIT_EXPECT_STREQ(test, buf + strlen(buf) - 4, "...)");
	memset(buf, 0, size);

	/* If the cut text does not fit either, the reader tries again with more room */
	out = (struct arg_out){ .pos = buf, .end = buf + 1000 };
	arg_sig_put_args(&out, "(ABCD)vRRECMANYA4;s;", &arg_sigs_kunit_types, &longs);
	KUNIT_EXPECT_TRUE(test, out.pos > out.end);

	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_retval(&out, "02RRECMANYA2;", &arg_sigs_kunit_types, kinds, 2, false);
	*out.pos = '\0';
	KUNIT_EXPECT_LT(test, strlen(buf), 1000);
	KUNIT_EXPECT_STREQ(test, buf + strlen(buf) - 3, "...");
}

/**
 * struct test_sink - a sink that notes its calls
 * @sink: the sink
 * @told: the calls, as text
 * @len: characters of @told
 */
struct test_sink {
	struct arg_sink	sink;
	char		told[TEST_TEXT];
	unsigned int	len;
};

#define tell(_sink, ...)						\
do {									\
	struct test_sink *__test = container_of(_sink, struct test_sink, sink); \
									\
	__test->len += scnprintf(__test->told + __test->len,		\
				 TEST_TEXT - __test->len, __VA_ARGS__);	\
} while (0)

static void told_name(struct arg_sink *sink, const char *name, unsigned int len)
{
	tell(sink, "%.*s=", len, name);
}

static void told_begin(struct arg_sink *sink, bool array)
{
	tell(sink, array ? "[ " : "{ ");
}

static void told_end(struct arg_sink *sink)
{
	tell(sink, "} ");
}

/* Note a value's kind and number, the first letter of its type, and its text */
static void told_value(struct arg_sink *sink, const struct arg_value *value)
{
	static const char kinds[] = {
		[ARG_UNKNOWN] = '?', [ARG_REMOVED] = '.', [ARG_SIGNED] = 'i',
		[ARG_UNSIGNED] = 'u', [ARG_WIDE] = 'w', [ARG_BOOL] = 'b',
		[ARG_NAMED] = 'n', [ARG_POINTER] = 'p', [ARG_STRING] = 's',
	};

	tell(sink, "%c", kinds[value->kind]);
	switch (value->kind) {
	case ARG_UNKNOWN:
	case ARG_REMOVED:
		break;
	case ARG_SIGNED:
		tell(sink, "%lld", (s64)value->val);
		break;
	case ARG_STRING:
		tell(sink, "%u%s:%.*s", value->size, value->cut ? "+" : "",
		     value->size, (const char *)value->data);
		break;
	case ARG_WIDE:
		tell(sink, "%llx:", value->high);
		fallthrough;
	default:
		tell(sink, "%llx", value->val);
	}
	if (value->addr)
		tell(sink, "@%llx", value->addr);
	tell(sink, "%c'%.*s' ", value->type ? *value->type : '-', value->len,
	     value->text);
}

static const struct arg_sink_ops test_sink_ops = {
	.name	= told_name,
	.begin	= told_begin,
	.end	= told_end,
	.value	= told_value,
};

/* A sink gets each value of the text, with the value's text */
static void test_sink(struct kunit *test)
{
	static const struct {
		const char	*sig;
		u64		longs[5];
		unsigned int	size;
		const char	*told;
	} cases[] = {
		{ "4iia;Tbool_t;bb;PSfile;c;jd;",
		  { 0xdeadbeef80000000, 1, -ENOENT, 0xdeadbeef80000000 }, 32,
		  "a=i-2147483648i'-2147483648' b=b1T'true' c=pfffffffffffffffeP'ERR_PTR(-ENOENT)' d=u80000000j'0x80000000' "
		},
		{ "4viflags;Ggfp_t;jgfp;Oumode_t;tmode;c;",
		  { -1UL, 0, 0644, 'x' }, 32,
		  "flags=uffffffffi'0xffffffff' gfp=n0G'none' mode=n1a4O'0644' =u78c''x'' " },
		{ "(..a)via=-5;jo;ic;", { 0, 0, 7 }, 24,
		  "a=i-5i'-5' o=.-'<optimized out>' c=i7i'7' " },
		{ "1via;", { }, 0, "a=?-'?' " },
		{ "(ab)vno;", { 0x22, 0x11 }, 16,
		  "o=w11:22n'0x110000000000000022' " },
		{ "(*a*b)vPKcs;PKct;",
		  { 8, 9, 0x8001 | 'a' << 16 | (u64)ARG_STRING_UNREAD << 24 }, 21,
		  "s=s1+:aP'\"a\"...' t=p9P'0x9' " },
		{ "(ab)*ac*bdvPierr;PKEjAAAAAAAAc;",
		  { 0x1000, 0x2000, 0x0dfffffffb037fff }, 24,
		  "err=i-5@1000i'-5' c=?@2000-'?' " },
		{ "(ab)*ac*bdvPierr;PKEjAAAAAAAAc;",
		  { 0, 0x2000, 0x000000010b7fff }, 24,
		  "err=p0P'NULL' c=n1@2000K'GREEN' " },
		{ "(ABCDE)vRRECKINDS5;s;",
		  { 0xfffffffe0001ff01, 0, 0x0000040302018180 | 0644, 7, 1 }, 40,
		  "s={ b=b1b'true' u8=uffh'0xff' e=n1E'ONE' pid=i-2D'-2' s=p0P'NULL' mode=n81a4O'0100644' a=[ [ u1h'1' u2h'2' } [ u3h'3' u4h'4' } } big=w1:7n'0x10000000000000007' } "
		},
		{ "(AB-)vRRECNESTA3;s;ib;", { 1, 2, 3 }, 24,
		  "s={ p={ x=i1i'1' y=u0j'0' } ps=[ { x=i2i'2' y=u0j'0' } ?-'?' } } b=?-'?' " },
	};
	u64 regs[] = { 0xdeadbeeffffffffb };
	char buf[TEST_TEXT];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_longs longs = {
			.data = cases[i].longs,
			.size = cases[i].size,
		};
		struct test_sink sink = { .sink.ops = &test_sink_ops };
		struct arg_out out = {
			.pos = buf,
			.end = buf + TEST_TEXT - 1,
			.sink = &sink.sink,
		};

		arg_sig_put_args(&out, cases[i].sig, &arg_sigs_kunit_types, &longs);
		KUNIT_EXPECT_STREQ_MSG(test, sink.told, cases[i].told, "%s",
				       cases[i].sig);
	}

	for (i = 0; i < 2; i++) {
		struct test_sink sink = { .sink.ops = &test_sink_ops };
		struct arg_out out = {
			.pos = buf,
			/* The second time there is no room for the text */
			.end = buf + (i ? 2 : TEST_TEXT - 1),
			.sink = &sink.sink,
		};

		arg_sig_put_retval(&out, "0Dssize_t;l", &arg_sigs_kunit_types, regs, 1, false);
		KUNIT_EXPECT_STREQ(test, sink.told, i ?
				   "i-2401053088317177861D'' " :
				   "i-2401053088317177861D'-2401053088317177861' ");
	}
}

/* If a parameter has more longs than can be recorded, the next parameter is not known */
static void test_too_many_longs(struct kunit *test)
{
	static const char sig[] = "1via;RAAAAAAAD999999;s;ib;";
	char buf[TEST_TEXT];

	KUNIT_ASSERT_TRUE(test, arg_sig_valid(sig));
	KUNIT_EXPECT_STREQ(test, put_one(buf, sig, 7), "(a=7, s=?, b=?)");
}

static const struct string_case string_cases[] = {
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\3\0abc\0\0\0"), "(s=\"abc\")" },
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\3\200abc\0\0\0"), "(s=\"abc\"...)" },
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\6\0abcdef"), "(s=\"abcdef\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\0\0\0\0\0\0\0\0"), "(s=\"\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\0\200\0\0\0\0\0\0"), "(s=\"\"...)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\377\177\0\0\0\0\0\0"), "(s=0x1000)" },
	/* With a string size of 0 there are no strings */
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL(""), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0 }, TAIL("\377\177\0\0\0\0\0\0"), "(s=NULL)" },
	{ "(*a)vPcs;", 1, { 0 }, TAIL(""), "(s=NULL)" },
	{ "(*a)vPcs;", 1, { -EFAULT }, TAIL("\377\177\0\0\0\0\0\0"),
	  "(s=ERR_PTR(-EFAULT))" },
	/* A pointer that is NULL or an error has no string, even if a string is recorded */
	{ "(*a)vPcs;", 1, { 0 }, TAIL("\3\0abc\0\0\0"), "(s=NULL)" },
	{ "(*a)vPcs;", 0, { }, TAIL(""), "(s=?)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0\"\\\n\t'%"),
	  "(s=\"\\\"\\\\\\n\\t'%\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0\1\177\200\377 ~"),
	  "(s=\"\\x01\\x7f\\x80\\xff ~\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0a\0b[]!"), "(s=\"a\\x00b[]!\")" },
	/* More than one string, and other parameters between them */
	{ "(*ab*c)vPcs;in;PKct;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\2\0ab\1\0c\0"), "(s=\"ab\", n=7, t=\"c\")" },
	{ "(*ab*c)vPcs;in;PKct;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\377\177\1\0c\0\0\0"), "(s=0x1000, n=7, t=\"c\")" },
	{ "(*ab*c)vPcs;in;PKct;", 3, { 0x1000, 7, 0 },
	  TAIL("\2\0ab\377\177\0\0"), "(s=\"ab\", n=7, t=NULL)" },
	{ "(a|o*n)lPKSpt_regs;regs;|idfd;PKcname;", 3, { 0x1000, -100, 0x2000 },
	  TAIL("\6\200/etc/p"), "(dfd=-100, name=\"/etc/p\"...)" },
	{ "(*a|*o)lPcx;|PKcname;", 2, { 0x1000, 0x2000 },
	  TAIL("\1\0a\1\0b\0\0"), "(name=\"b\")" },
	/* A buffer: a zero byte is one of its bytes */
	{ "(#ab)vPKcs;Dsize_t;mn;", 2, { 0x1000, 3 }, TAIL("\3\0abc\0\0\0"),
	  "(s=\"abc\", n=3)" },
	{ "(#ab)vPKcs;Dsize_t;mn;", 2, { 0x1000, 3 }, TAIL("\3\0a\0c\0\0\0"),
	  "(s=\"a\\x00c\", n=3)" },
	{ "(#ab)vPKcs;Dsize_t;mn;", 2, { 0x1000, 9 }, TAIL("\2\200ab\0\0\0\0"),
	  "(s=\"ab\"..., n=9)" },
	{ "(#ab)vPKcs;Dsize_t;mn;", 2, { 0x1000, 0 }, TAIL("\0\0\0\0\0\0\0\0"),
	  "(s=\"\", n=0)" },
	{ "(#ab)vPKcs;Dsize_t;mn;", 2, { 0x1000, 3 },
	  TAIL("\377\177\0\0\0\0\0\0"), "(s=0x1000, n=3)" },
	{ "(*a#bc)vPcs;PKct;Dsize_t;mn;", 3, { 0x1000, 0x2000, 1 },
	  TAIL("\2\0ab\1\0c\0"), "(s=\"ab\", t=\"c\", n=1)" },
	{ "(a|o#nm)lPKSpt_regs;regs;|jfd;PKcbuf;Dsize_t;mcount;", 4,
	  { 0x1000, 1, 0x2000, 2 }, TAIL("\2\0hi\0\0\0\0"),
	  "(fd=1, buf=\"hi\", count=2)" },
	/* Lengths that reach beyond the event */
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\7\0abcdef"), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\376\177abcdef"), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\377\377abcdef"), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\1"), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\1\0"), "(s=0x1000)" },
	{ "(*ab*c)vPcs;in;PKct;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\5\0ab\1\0c\0"), "(s=\"ab\\x01\\x00c\", n=7, t=0x2000)" },
	{ "(*ab*c)vPcs;in;PKct;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\7\0ab\1\0c\0"), "(s=0x1000, n=7, t=0x2000)" },
};

/* What pointers point to */
static const struct string_case read_cases[] = {
	{ "(a)*advPDloff_t;xpos;", 1, { 0x1000 },
	  TAIL("\377\177\4\6\0\0\0\0\0\0\0\0\0\0\0\0"), "(pos=&6)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\3\373\377\377\377\0"),
	  "(err=&-5)" },
	{ "(a)*acvPKiflags;", 1, { 0x1000 },
	  TAIL("\377\177\3\373\377\377\377\0"), "(flags=&0xfffffffb)" },
	{ "(a)*acvPjval;", 1, { 0x1000 }, TAIL("\377\177\3\373\377\377\377\0"),
	  "(val=&0xfffffffb)" },
	{ "(a)*abvPTu16;tval;", 1, { 0x1000 }, TAIL("\377\177\2\1\2\0\0\0"),
	  "(val=&0x201)" },
	{ "(a)*aavPbsame;", 1, { 0x1000 }, TAIL("\377\177\1\1\0\0\0\0"),
	  "(same=&true)" },
	{ "(a)*aavPVhbyte;", 1, { 0x1000 }, TAIL("\377\177\1\377\0\0\0\0"),
	  "(byte=&0xff)" },
	{ "(a)*acvKPKTcolour_t;EjAAAAAAAAc;", 1, { 0x1000 },
	  TAIL("\377\177\3\1\0\0\0\0"), "(c=&GREEN)" },
	{ "(a)*acvPGgfp_t;jgfp;", 1, { 0x1000 },
	  TAIL("\377\177\3\0\0\0\0\0"), "(gfp=&none)" },
	{ "(a)*abvPOumode_t;tmode;", 1, { 0x1000 },
	  TAIL("\377\177\2\244\1\0\0\0"), "(mode=&0644)" },
	/* A number that was not read or not recorded; a pointer that is NULL or an error */
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\5\0\0\0\0\0"), "(err=&?)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL(""), "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\0\0\0\0\0\0"),
	  "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0 }, TAIL("\377\177\0\0\0\0\0\0"), "(err=NULL)" },
	{ "(a)*acvPierr;", 1, { 0 }, TAIL("\377\177\3\1\0\0\0\0"), "(err=NULL)" },
	{ "(a)*acvPierr;", 1, { -EFAULT }, TAIL("\377\177\3\1\0\0\0\0"),
	  "(err=ERR_PTR(-EFAULT))" },
	{ "(a)*acvPierr;", 0, { }, TAIL(""), "(err=?)" },
	/* The same signature as it is in a recording */
	{ "(*a)vPierr;", 1, { 0x1000 }, TAIL("\377\177\3\373\377\377\377\0"),
	  "(err=&-5)" },
	{ "(*a)vPierr;", 1, { 0x1000 }, TAIL("\377\177\5\0\0\0\0\0"), "(err=&?)" },
	{ "(*a)vPierr;", 1, { 0x1000 }, TAIL(""), "(err=0x1000)" },
	{ "(*a)vPierr;", 1, { 0 }, TAIL("\377\177\0\0\0\0\0\0"), "(err=NULL)" },
	{ "(a*b)vin;Pierr;", 2, { 7, 0x1000 },
	  TAIL("\377\177\13\1\0\0\0\0"), "(n=7, err=&1)" },
	/* More than one number, and strings before them */
	{ "(abc)*ac*cdvPix;jn;PKTu64;my;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\377\177\3\1\0\0\0\24\2\0\0\0\0\0\0\0"),
	  "(x=&1, n=7, y=&2)" },
	{ "(abc)*ac*cdvPix;jn;PKTu64;my;", 3, { 0x1000, 7, 0x2000 },
	  TAIL("\377\177\3\1\0\0\0\25"), "(x=&1, n=7, y=&?)" },
	{ "(abc)*ac*cdvPix;jn;PKTu64;my;", 3, { 0, 7, 0x2000 },
	  TAIL("\377\177\24\2\0\0\0\0\0\0\0\0\0\0\0\0"),
	  "(x=NULL, n=7, y=&2)" },
	{ "(*ab)*bcvPcs;Pix;", 2, { 0x1000, 0x2000 },
	  TAIL("\2\0ab\13\5\0\0\0\0\0\0\0\0\0\0"), "(s=\"ab\", x=&5)" },
	{ "(*ab)*bcvPcs;Pix;", 2, { 0x1000, 0x2000 },
	  TAIL("\377\177\13\5\0\0\0\0"), "(s=0x1000, x=&5)" },
	{ "(*ab)*bcvPcs;Pix;", 2, { 0x1000, 0x2000 }, TAIL("\2\0ab\0\0\0\0"),
	  "(s=\"ab\", x=0x2000)" },
	{ "(a*b)*acvPix;Pcs;", 2, { 0x1000, 0x2000 },
	  TAIL("\2\0ab\3\5\0\0\0\0\0\0\0\0\0\0"), "(x=&5, s=\"ab\")" },
	{ "(a|on)*cclPKSpt_regs;regs;|idfd;Piaddr;", 3, { 0x1000, 3, 0x2000 },
	  TAIL("\377\177\23\5\0\0\0\0"), "(dfd=3, addr=&5)" },
	/* Another size, an unknown kind, another long, and fewer bytes than a value */
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\2\1\0\0\0\0"),
	  "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\6\1\0\0\0\0"),
	  "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\13\1\0\0\0\0"),
	  "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177\3\1\0\0"),
	  "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377\177"), "(err=0x1000)" },
	{ "(a)*acvPierr;", 1, { 0x1000 }, TAIL("\377"), "(err=0x1000)" },
	{ "(*ab)*bcvPcs;Pix;", 2, { 0x1000, 0x2000 },
	  TAIL("\20\0ab\13\5\0\0"), "(s=0x1000, x=0x2000)" },
};

/* What a call returned besides the registers */
static const struct string_case results_cases[] = {
	{ "(abcd)*ddlPSfile;file;Pcbuf;Dsize_t;mcount;PDloff_t;xpos;", 0, { },
	  TAIL("\34\6\0\0\0\0\0\0\0\0"), "/pos=&6" },
	/* The same signature as it is in a recording */
	{ "(abc*d)lPSfile;file;Pcbuf;Dsize_t;mcount;PDloff_t;xpos;", 0, { },
	  TAIL("\34\6\0\0\0\0\0\0\0\0"), "/pos=&6" },
	{ "(abc)*ac*cdvPix;jn;PTu64;my;", 0, { },
	  TAIL("\3\373\377\377\377\24\2\0\0\0\0\0\0\0\0"),
	  "/x=&-5 y=&2" },
	{ "(abc)*ac*cdvPix;jn;PTu64;my;", 0, { }, TAIL("\25\3\1\0\0\0\0"),
	  "/x=&1 y=&?" },
	{ "(abc)*ac*cdvPix;jn;PTu64;my;", 0, { }, TAIL("\25"), "/y=&?" },
	{ "(ABa)*cavRRECMIXED2;s;Pbsame;", 0, { }, TAIL("\21\1\0"), "/same=&true" },
	{ "(a|on)*cclPKSpt_regs;regs;|idfd;Piaddr;", 0, { },
	  TAIL("\23\5\0\0\0\0"), "/addr=&5" },
	{ "(abcd)*dd#bDssize_t;lPSfile;file;Pcbuf;Dsize_t;mcount;PDloff_t;xpos;", 0, { },
	  TAIL("\34\6\0\0\0\0\0\0\0\17\4\0abc\n"), "/buf=\"abc\\n\" pos=&6" },
	{ "(abc)#aDssize_t;lPcbuf;Dsize_t;mcount;ix;", 0, { },
	  TAIL("\7\2\200hi\0\0"), "/buf=\"hi\"..." },
	{ "(abc)#aDssize_t;lPcbuf;Dsize_t;mcount;ix;", 0, { },
	  TAIL("\7\377\177"), "/buf=?" },
	{ "(a|onm)#clPKSpt_regs;regs;|jfd;Pcbuf;Dsize_t;mcount;", 0, { },
	  TAIL("\27\2\0hi"), "/buf=\"hi\"" },
	/* The same signature as it is in a recording */
	{ "3Dssize_t;lPcbuf;Dsize_t;mcount;ix;", 0, { }, TAIL("\7\2\0hi"),
	  "/buf=\"hi\"" },
	{ "(ab)*bc$vPSfile;PSdentry;dentry;Pix;", 0, { },
	  TAIL("\13\5\0\0\0\6\6\0\4\0name\0\0"), "{name}/x=&5" },
	{ "(a)$vPKSfile;PSdentry;dentry;", 0, { }, TAIL("\6\6\0\4\0name"),
	  "{name}" },
	{ "0PSfile;", 0, { }, TAIL("\6\6\0\4\0name"), "{name}" },
	{ "()$vPSfile;", 0, { }, TAIL("\6\0\0"), "{?}" },
	/* No digest, fewer bytes than a digest or a text */
	{ "()$vPSother;", 0, { }, TAIL("\6\6\0\4\0name"), "" },
	{ "()$vPSfile;", 0, { }, TAIL("\6\7\0\4\0nam"), "" },
	{ "()$vPSfile;", 0, { }, TAIL("\6\7"), "" },
	{ "2lPcbuf;Dsize_t;mcount;", 0, { }, TAIL("\7\3\0hi"), "" },
	{ "2lPcbuf;Dsize_t;mcount;", 0, { }, TAIL("\7\3"), "" },
	/* No data, another size, another long, and fewer bytes than a number */
	{ "(a)*acvPierr;", 0, { }, TAIL(""), "" },
	{ "(a)*acvPierr;", 0, { }, TAIL("\0\0\0\0"), "" },
	{ "(a)*acvPierr;", 0, { }, TAIL("\2\1\0\0"), "" },
	{ "(a)*acvPierr;", 0, { }, TAIL("\13\1\0\0\0"), "" },
	{ "(a)*acvPierr;", 0, { }, TAIL("\3\1\0\0"), "" },
	{ "1vierr;", 0, { }, TAIL("\3\1\0\0\0"), "" },
};

static void test_strings(struct kunit *test)
{
	check_events(test, string_cases, ARRAY_SIZE(string_cases));
	put_any_header("(*a*b)vPcs;Pct;", 16, 0);
}

static void test_reads(struct kunit *test)
{
	check_events(test, read_cases, ARRAY_SIZE(read_cases));
	put_any_header("(ab)*ac*bdvPix;Pxy;", 16, 0);
	put_any_header("(ab)*ac*bdvPix;Pxy;", 18, 0xff);
}

static void test_results(struct kunit *test)
{
	check_data(test, results_cases, ARRAY_SIZE(results_cases), true);
}

static void test_ret(struct kunit *test)
{
	static const struct {
		const char	*sig;
		u64		regs[2];
		unsigned int	nr;
		const char	*text;
		bool		hex;
	} cases[] = {
		{ "0i", { 0 }, 1, "0" },
		{ "0i", { 0xfffffffb }, 1, "-5 (-EIO)" },
		{ "0i", { -MAX_ERRNO }, 1, "-4095" },
		{ "0j", { 0xfffffffb }, 1, "0xfffffffb" },
		{ "0l", { 0xfffffffb }, 1, "4294967291" },
		{ "0Dssize_t;l", { -EINTR }, 1, "-4 (-EINTR)" },
		{ "0m", { -EOPNOTSUPP }, 1, "-95 (-EOPNOTSUPP)" },
		{ "0m", { -1 }, 1, "0xffffffffffffffff" },
		{ "0m", { -MAX_ERRNO - 1 }, 1, "0xfffffffffffff000" },
		{ "0Tpteval_t;m", { -EINTR }, 1, "0xfffffffffffffffc" },
		{ "0Dsize_t;m", { -EINTR }, 1, "18446744073709551612" },
		{ "0c", { 'x' }, 1, "'x'" },
		{ "0b", { 0xdead01 }, 1, "true" },
		{ "0PSfile;", { -ENOENT }, 1, "ERR_PTR(-ENOENT)" },
		{ "0EjAAAAAAAA", { 1 }, 1, "GREEN" },
		{ "0RAAAAAAAD5;", { 1 }, 1, "?" },
		{ "0?i", { 1 }, 1, "?" },
		{ NULL, { 1 }, 1, "?" },
		{ "0i", { -5 }, 1, "0xfffffffffffffffb", true },
		{ NULL, { 1 }, 1, "0x1", true },
		/* Structs in a register, in two registers, and in memory */
		{ "0RRECPOINT1;", { 0x2fffffff6 }, 1, "{.x=-10, .y=2}" },
		{ "02RRECMIXED2;", { 0x7ffffffffffeee41, 0x1000 }, 2,
		  "{.a='A', .b=-2, .c=2147483647, .d=0x1000}" },
		{ "02RRECMIXED2;", { 0x7ffffffffffeee41, 0x1000 }, 1,
		  "{.a='A', .b=-2, .c=2147483647, .d=?}" },
		{ "02n", { 1, 2 }, 2, "0x20000000000000001" },
		{ "02n", { 1, 2 }, 1, "?" },
		{ "02o", { -5, -1 }, 2, "0xfffffffffffffffffffffffffffffffb" },
		{ "0n", { 1, 2 }, 2, "?" },
		{ "0&RRECNESTA3;", { 0xffffc90000012000 }, 1, "0xffffc90000012000" },
		{ "0d", { 1 }, 1, "?" },
	};
	char buf[TEST_TEXT];
	int i;

	KUNIT_EXPECT_TRUE(test, arg_sig_is_void("0v"));
	KUNIT_EXPECT_FALSE(test, arg_sig_is_void("0Pv"));
	KUNIT_EXPECT_FALSE(test, arg_sig_is_void("1iPvx;"));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		/* KASAN checks that a second register is not read if there is none */
		const u64 *regs = cases[i].regs;
		u64 one = regs[0];

		if (cases[i].nr == 1)
			regs = &one;
		put_ret(buf, cases[i].sig, regs, cases[i].nr, cases[i].hex);
		KUNIT_EXPECT_STREQ_MSG(test, buf, cases[i].text, "%s", cases[i].sig);
	}
}

static struct kunit_case arg_sigs_values_cases[] = {
	KUNIT_CASE(test_args),
	KUNIT_CASE(test_records),
	KUNIT_CASE(test_cut),
	KUNIT_CASE(test_sink),
	KUNIT_CASE(test_too_many_longs),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_reads),
	KUNIT_CASE(test_results),
	KUNIT_CASE(test_ret),
	{}
};

static struct kunit_suite arg_sigs_values_suite = {
	.name = "arg_sigs_values",
	.suite_init = arg_sigs_kunit_init,
	.suite_exit = arg_sigs_kunit_exit,
	.test_cases = arg_sigs_values_cases,
};

kunit_test_suite(arg_sigs_values_suite);
