// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of signatures: their hash, their text and that of values
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "trace_args_table.h"
#include "trace_graph_args.h"

#define TEST_TEXT	256

/* Descriptions as gen_arg_sigs writes them; ids are arbitrary here */
static const char test_types_text[] =
	"AAAAAAAAejcolour;RED;GREEN;BLUE=10;\0"
	"AAAAAAABbjflags;F_READ=1;F_WRITE=2;F_EXEC=4;F_SYNC=80000000;\0"
	"AAAAAAACeilevel;LOW=-2;MID=0;HIGH;\0"
	"AAAAAAADs40;big;\0"
	"AAAAAAAEbj;NONE=0;ONE=1;TWO=2;FOUR=4;\0"
	"AAAAAAAFeha;SMALL=0;LAST=ff;\0"
	"AAAAAAAGemwide;LO=1;HI=8000000000000000;TOP=ffffffffffffffff;\0"
	"AAAAAAAHelwide;MIN=-8000000000000000;M1=-1;\0"
	"AAAAAAAIbmwide;B0=1;B63=8000000000000000;\0"
	"RECPOINTs8;point;0ix;4jy;\0"
	"RECMIXEDs16;mixed;0ca;2sb;4ic;8Pvd;\0"
	"RECBITSAs8;bits;0:3jlow;3:5isign;8:1bflag;9:23jrest;32:32jhigh;\0"
	"RECSTRADs16;packed;60:10jx;1iy;6jz;\0"
	"RECNESTAs24;outer;0RRECPOINT1;p;8A2_RRECPOINT1;ps;\0"
	"RECUNIONu8;val;0ii;0ll;0A8_hbytes;\0"
	"RECHUGEAs4096;huge;0A512_mbuf;\0"
	"RECEMPTYs0;none;\0"
	"RECFLEXAs8;flex;0inr;4jlen;8A_ctail;\0"
	"RECFLOATs16;fl;0df;8in;\0"
	"RECSELFAs8;self;0RRECSELFA1;s;\0"
	"RECKINDSs40;kinds;0bb;1hu8;2EtENUMSHRTe;4Dpid_t;ipid;8Pcs;"
	"16Oumode_t;tmode;18A2_A2_ha;24nbig;\0"
	"ENUMSHRTettiny;NIL;ONE;\0"
	"RECEBITSs8;eb;0:2EjAAAAAAAAcolour;2:4EiAAAAAAAClevel;6:2cc;"
	"64:1jbehind;8:0jnone;8:40jwide;\0"
	"RECUNKNOs8;unknown;0A2_RZZZZZZZZ1;r;0A2_ff;0A2_Xx;1;x;4A1_ia;\0"
	"RECMANYAs32;many;0A2_RRECMANYBB4;a;\0"
	"RECMANYBs0;many;0A99999_RRECMANYBB4;a;\0"
	"RECFLAGSs8;flagged;0:4ilo_bits;4:4in;8:24imask;4A2_sbits;";

static struct arg_types test_types;

noinline int arg_sigs_kunit_sample(long a, bool b);
noinline int arg_sigs_kunit_sample(long a, bool b)
{
	return b ? a : 0;
}

/* Which of these can be captured by their reference alone, test_text_refs() says */
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

noinline struct list_head arg_sigs_kunit_two(struct list_head *list);
noinline struct list_head arg_sigs_kunit_two(struct list_head *list)
{
	return *list;
}

/* The event ends where its memory does, and nothing in it is aligned */
static const char *put_event(char *buf, const char *sig, const void *data,
			     unsigned int size)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	char *event = kmalloc(size + 1, GFP_KERNEL);
	struct arg_longs longs = { .data = event + 1, .size = size };

	if (!event)
		return NULL;
	memcpy(event + 1, data, size);
	arg_sig_put_args(&out, sig, &test_types, &longs);
	kfree(event);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static const char *put_one(char *buf, const char *sig, unsigned long val)
{
	return put_event(buf, sig, &val, sizeof(val));
}

static const char *put_regs(char *buf, const char *sig, u64 rax, u64 rdx,
			    unsigned int nr)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	u64 regs[2] = { rax, rdx };

	arg_sig_put_ret(&out, sig, &test_types, regs, nr, false);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static const char *put_ret(char *buf, const char *sig, u64 val, bool hex)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_ret(&out, sig, &test_types, &val, 1, hex);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static const char *put_proto(char *buf, const char *sig)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_proto(&out, sig, &test_types, "f");
	*min(out.pos, out.end) = '\0';
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
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(sig), "%s", sig);
		KUNIT_EXPECT_STREQ_MSG(test, put_one(buf, sig, each->val), want,
				       "%s 0x%lx", sig, each->val);
	}
}

/* Signed integers by whose name they hold bits */
static void test_names_of_bits(struct kunit *test)
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
		/* Not what ends otherwise, or has a way of its own to be written */
		{ "1viflag;", 16, "(flag=16)" },
		{ "1viflags2;", 16, "(flags2=16)" },
		{ "1vimask_len;", 16, "(mask_len=16)" },
		{ "1viags;", 16, "(ags=16)" },
		{ "1viclass;", 16, "(class=16)" },
		{ "1vDpid_t;iflags;", 16, "(flags=16)" },
		{ "1vEiAAAAAAACflags;", -1, "(flags=-1)" },
		{ "1vjflags;", 16, "(flags=0x10)" },
		{ "1vbflags;", 1, "(flags=true)" },
		/* Constants, pieces, elements, members, bit-fields */
		{ "(.)viflags=-1;", 0, "(flags=0xffffffff)" },
		{ "(a)vPSp;p;@ip->flags;", 16, "(p=0x10)" },
		{ "(.a)vPSp;p;@ip->flags;", 16, "(p->flags=?)" },
		{ "(a)vRRECFLAGS1;s;", 0x2fffffff5,
		  "(s={.lo_bits=5, .n=-1, .mask=0xffffff, .bits={2, 0}})" },
	};
	static const u64 two[] = { 0, 16 };
	char buf[TEST_TEXT];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(cases[i].sig), "%s",
				      cases[i].sig);
		KUNIT_EXPECT_STREQ_MSG(test, put_one(buf, cases[i].sig, cases[i].val),
				       cases[i].text, "%s", cases[i].sig);
	}
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(.a)vPSp;p;@ip->flags;", two, 16),
			   "(p->flags=0x10)");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(.a)vPSp;p;@ip->mask[1][2];", two, 16),
			   "(p->mask[1][2]=0x10)");
	KUNIT_EXPECT_STREQ(test, put_event(buf, "(.a)vPSp;p;@ip->mask[1].x;", two, 16),
			   "(p->mask[1].x=16)");
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
	/* In the middle of a function there is no symbol to name */
	KUNIT_EXPECT_PTR_EQ(test, strchr(put_one(buf, "1vPFv_fn;",
						 (unsigned long)filp_open + 1),
					 'o'), NULL);
}

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
		/* A call's longs are there or not, those of another call too */
		{ "3iia;ib;ic;", 2, "(a=?, b=?, c=?)" },
		{ "3iia;ib;ic;", 4, "(a=?, b=?, c=?)" },
		{ "3iia;ib;ic;", 0, "(a=?, b=?, c=?)" },
		{ "2ii;ib;", 2, "(1, b=2)" },
		{ "2iPKcfmt;ib;z", 2, "(fmt=0x1, b=2)" },
		/* On the stack, behind six registers and with a gap in it */
		{ "(abcdAC)iia;ib;ic;id;je;lf;", 6,
		  "(a=1, b=2, c=3, d=4, e=5, f=6)" },
		/* A struct of two longs in memory, then what follows it */
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
		{ "(-ab)iRRECEMPTY0;e;ib;ic;", 3, "(e={}, b=2, c=3)" },
		{ "(-Aa)iRRECFLOAT2;s;ib;", 3, "(s={.f=?, .n=2}, b=3)" },
		/* Longs above the cap are not there */
		{ "(a)iia;RAAAAAAAD40;s;ib;", 1, "(a=1, s=?, b=?)" },
		{ "(aAB)iia;RRECHUGEA512;s;ib;", 3,
		  "(a=1, s={.buf={2, 3, ?...}}, b=?)" },
		{ "(---)?iia;ib;ic;", 3, "(a=?, b=?, c=?)" },
		/* Removed, constant, split */
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
		{ "(.ab.)vPSp;p;@ip->x;@hp->y;ic;", 4,
		  "(p->x=2, p->y=3, c=<optimized out>)" },
		{ "(.a-.)vPSp;p;@ip->x;@hp->y;ic;", 4,
		  "(p->x=2, p->y=?, c=<optimized out>)" },
		{ "(.ab.)vPSp;p;@ip->x;@hp->y;ic;", 0,
		  "(p->x=?, p->y=?, c=<optimized out>)" },
		{ "(..ab)vRRECMIXED2;v;@iv.c;@Pvv.d;", 4, "(v.c=3, v.d=0x4)" },
		{ "(.abc)vPSp;p;@RRECMIXED2;p->m;ib;", 4,
		  "(p->m={.a=2, .b=0, .c=0, .d=0x3}, b=4)" },
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
		{ "(abc)via;@ia.x;ib;", 3, "(a=1, b=3)" },
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

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(cases[i].sig), "%s",
				      cases[i].sig);
		KUNIT_EXPECT_STREQ_MSG(test,
				       put_event(buf, cases[i].sig, vals,
						 cases[i].nr * sizeof(u64)),
				       cases[i].text, "%s", cases[i].sig);
	}

	/* What does not fit is counted, not written */
	memset(buf, '#', sizeof(buf));
	out = (struct arg_out){ .pos = buf, .end = buf + 4 };
	arg_sig_put_args(&out, "3iia;ib;ic;", &test_types, &longs);
	KUNIT_EXPECT_EQ(test, out.pos - buf, strlen("(a=1, b=2, c=3)"));
	KUNIT_EXPECT_EQ(test, memcmp(buf, "(a=1####", 8), 0);
}

/* What is not aligned, and what is in two longs */
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

	/* Descriptions that would go on for ever end with the line */
	put_event(buf, "(ABCD)vRRECMANYA4;s;", kinds, 32);
	KUNIT_EXPECT_EQ(test, strlen(buf), TEST_TEXT - 1);
}

/* A line has to fit into a struct trace_seq, whatever the types are */
static void test_cut(struct kunit *test)
{
	static const u64 kinds[4];
	struct arg_longs longs = { .data = kinds, .size = sizeof(kinds) };
	size_t size = 4 * PAGE_SIZE;
	char *buf = kunit_kzalloc(test, size, GFP_KERNEL);
	struct arg_out out;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_args(&out, "(ABCDa)vRRECMANYA4;s;ib;", &test_types, &longs);
	KUNIT_EXPECT_STREQ(test, buf, "(s=?, b=?)");

	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_args(&out, "(ABCD)vRRECMANYA4;s;", &test_types, &longs);
	KUNIT_EXPECT_LT(test, strlen(buf), 6000);
	KUNIT_EXPECT_STREQ(test, buf + strlen(buf) - 4, "...)");
	memset(buf, 0, size);

	/* Where there is no room for that, the reader tries again with more */
	out = (struct arg_out){ .pos = buf, .end = buf + 1000 };
	arg_sig_put_args(&out, "(ABCD)vRRECMANYA4;s;", &test_types, &longs);
	KUNIT_EXPECT_TRUE(test, out.pos > out.end);

	out = (struct arg_out){ .pos = buf, .end = buf + size - 1 };
	arg_sig_put_ret(&out, "02RRECMANYA2;", &test_types, kinds, 2, false);
	*out.pos = '\0';
	KUNIT_EXPECT_LT(test, strlen(buf), 1000);
	KUNIT_EXPECT_STREQ(test, buf + strlen(buf) - 3, "...");
}

/**
 * struct test_sink - a sink that writes down what it is told
 * @sink: the sink
 * @told: what was told
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

/* Its kind, the value, its type's first letter and its text */
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
	tell(sink, "%c'%.*s' ", value->type ? *value->type : '-', value->len,
	     value->text);
}

static const struct arg_sink_ops test_sink_ops = {
	.name	= told_name,
	.begin	= told_begin,
	.end	= told_end,
	.value	= told_value,
};

/* A sink is told each value of the text, with the text of it */
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
		{ "(.a)vPSfile;p;@Dloff_t;xp->pos;", { 0, 6 }, 16,
		  "p->pos=i6D'6' " },
		{ "(*a*b)vPKcs;PKct;",
		  { 8, 9, 0x8001 | 'a' << 16 | (u64)ARG_STRING_UNREAD << 24 }, 21,
		  "s=s1+:aP'\"a\"...' t=p9P'0x9' " },
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

		arg_sig_put_args(&out, cases[i].sig, &test_types, &longs);
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

		arg_sig_put_ret(&out, "0Dssize_t;l", &test_types, regs, 1, false);
		KUNIT_EXPECT_STREQ(test, sink.told, i ?
				   "i-2401053088317177861D'' " :
				   "i-2401053088317177861D'-2401053088317177861' ");
	}
}

/* So many longs that their number would overflow: the last one is not known */
static void test_too_many_longs(struct kunit *test)
{
	static const char piece[] = "@RAAAAAAAD999999;;";
	/* 4294 of these and one of 971590 are 2^32, less the first one */
	size_t nr = 4294, size = nr * strlen(piece) + 64;
	char *sig = kunit_kzalloc(test, size, GFP_KERNEL);
	char buf[TEST_TEXT], *pos;

	KUNIT_ASSERT_NOT_NULL(test, sig);
	pos = sig + strscpy(sig, "1via;", size);
	while (nr--) {
		memcpy(pos, piece, strlen(piece));
		pos += strlen(piece);
	}
	strscpy(pos, "@RAAAAAAAD971589;;ib;", sig + size - pos);
	KUNIT_ASSERT_TRUE(test, arg_sig_valid(sig));
	KUNIT_EXPECT_STREQ(test, put_one(buf, sig, 7), "(a=7, b=?)");
}

/**
 * struct string_case - what was recorded of a call with strings
 * @sig: its signature
 * @nr: longs
 * @longs: the longs
 * @tail: what is behind the longs, and how many bytes that is
 * @text: what is shown
 */
struct string_case {
	const char	*sig;
	unsigned int	nr;
	u64		longs[4];
	struct {
		unsigned int	size;
		const char	*data;
	} tail;
	const char	*text;
};

#define TAIL(text)	{ sizeof(text) - 1, (text) }

static const struct string_case string_cases[] = {
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\3\0abc\0\0\0"), "(s=\"abc\")" },
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\3\200abc\0\0\0"), "(s=\"abc\"...)" },
	{ "(*a)vPKcs;", 1, { 0x1000 }, TAIL("\6\0abcdef"), "(s=\"abcdef\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\0\0\0\0\0\0\0\0"), "(s=\"\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\0\200\0\0\0\0\0\0"), "(s=\"\"...)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\377\177\0\0\0\0\0\0"), "(s=0x1000)" },
	/* With a string size of 0 there are none */
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL(""), "(s=0x1000)" },
	{ "(*a)vPcs;", 1, { 0 }, TAIL("\377\177\0\0\0\0\0\0"), "(s=NULL)" },
	{ "(*a)vPcs;", 1, { 0 }, TAIL(""), "(s=NULL)" },
	{ "(*a)vPcs;", 1, { -EFAULT }, TAIL("\377\177\0\0\0\0\0\0"),
	  "(s=ERR_PTR(-EFAULT))" },
	/* Nothing is read of a pointer that is none, whatever is recorded */
	{ "(*a)vPcs;", 1, { 0 }, TAIL("\3\0abc\0\0\0"), "(s=NULL)" },
	{ "(*a)vPcs;", 0, { }, TAIL(""), "(s=?)" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0\"\\\n\t'%"),
	  "(s=\"\\\"\\\\\\n\\t'%\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0\1\177\200\377 ~"),
	  "(s=\"\\x01\\x7f\\x80\\xff ~\")" },
	{ "(*a)vPcs;", 1, { 0x1000 }, TAIL("\6\0a\0b[]!"), "(s=\"a\\x00b[]!\")" },
	/* More than one, and others between them */
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
	/* Lengths that lead out of the event */
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

static void test_strings(struct kunit *test)
{
	char buf[TEST_TEXT], event[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(string_cases); i++) {
		const struct string_case *each = &string_cases[i];
		unsigned int size = each->nr * sizeof(u64);

		memcpy(event, each->longs, size);
		memcpy(event + size, each->tail.data, each->tail.size);
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(each->sig), "%s",
				      each->sig);
		KUNIT_EXPECT_STREQ_MSG(test, put_event(buf, each->sig, event,
						       size + each->tail.size),
				       each->text, "case %d: %s", i, each->sig);
	}

	/* Any header in an event that ends anywhere (KASAN looks) */
	memset(event, 0xff, sizeof(event));
	for (i = 0; i < 64 * 64; i++) {
		event[16] = i / 64;
		event[17] = 0;
		put_event(buf, "(*a*b)vPcs;Pct;", event, i % 64);
	}
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

	/* Structs in a register, in two, in memory */
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0RRECPOINT1;", 0x2fffffff6, false),
			   "ret={.x=-10, .y=2}");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "02RRECMIXED2;",
					  0x7ffffffffffeee41, 0x1000, 2),
			   "ret={.a='A', .b=-2, .c=2147483647, .d=0x1000}");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "02RRECMIXED2;",
					  0x7ffffffffffeee41, 0x1000, 1),
			   "ret={.a='A', .b=-2, .c=2147483647, .d=?}");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "02n", 1, 2, 2),
			   "ret=0x20000000000000001");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "02n", 1, 2, 1), "ret=?");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "02o", -5, -1, 2),
			   "ret=0xfffffffffffffffffffffffffffffffb");
	KUNIT_EXPECT_STREQ(test, put_regs(buf, "0n", 1, 2, 2), "ret=?");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0&RRECNESTA3;", 0xffffc90000012000,
					 false), "ret=0xffffc90000012000");
	KUNIT_EXPECT_STREQ(test, put_ret(buf, "0d", 1, false), "ret=?");
}

static void test_info(struct kunit *test)
{
	static const struct {
		const char		*sig;
		struct arg_sig_info	info;
	} cases[] = {
		{ "0v", { } },
		{ "6llalblcldlelf;", { .longs = 6 } },
		{ "(a)2RRECMIXED2;", { .longs = 1, .two_regs = true } },
		{ "2RRECMIXED2;", { .longs = 2 } },
		{ "0&RRECNESTA3;", { } },
		{ "(a.C*b-)v", { .longs = 5, .strings = true } },
		{ "(a|)v", { .longs = 1, .fields = true } },
		{ "(a|o*n)v", { .longs = 3, .strings = true, .fields = true } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct arg_sig_info *want = &cases[i].info;
		struct arg_sig_info info;

		arg_sig_get_info(cases[i].sig, &info);
		KUNIT_EXPECT_EQ_MSG(test, info.longs, want->longs, "%s", cases[i].sig);
		KUNIT_EXPECT_EQ_MSG(test, info.strings, want->strings, "%s", cases[i].sig);
		KUNIT_EXPECT_EQ_MSG(test, info.fields, want->fields, "%s", cases[i].sig);
		KUNIT_EXPECT_EQ_MSG(test, info.two_regs, want->two_regs, "%s", cases[i].sig);
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
		{ "0&RAAAAAAAD5;", "struct big f(void)" },
		{ "02RRECMIXED2;", "struct mixed f(void)" },
		{ "(.ab.)?iPSp;p;@ip->x;@hp->y;ic=-3;z",
		  "int f(struct p *p, int c, ...)" },
		{ "(.)vi=5;", "void f(int)" },
		{ "(a|o*n)lPKSpt_regs;regs;|idfd;PKcname;",
		  "long f(const struct pt_regs *regs)" },
		{ "(a|)lPKSpt_regs;;|", "long f(const struct pt_regs *)" },
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

/* For what happens on the way, not for what is written */
static void put_all(char *buf, const char *sig)
{
	static const u64 longs[ARG_SIGS_MAX_LONGS + 1] = { 1 };
	struct arg_sig_info info;
	unsigned int nr;

	arg_sig_valid(sig);
	arg_sig_is_void(sig);
	arg_sig_get_info(sig, &info);
	put_ret(buf, sig, 1, false);
	put_regs(buf, sig, 1, 2, 2);
	put_proto(buf, sig);
	for (nr = 0; nr <= 8; nr++)
		put_event(buf, sig, longs, nr * sizeof(u64));
	put_event(buf, sig, longs, sizeof(longs));
}

static void test_malformed(struct kunit *test)
{
	static const char * const cases[] = {
		"", "7v", "x", "0", "(", "(a", "(g)v", "(?)v", "0w", "0P",
		"0K", "0PS", "0PSfile", "0T", "0Tname;", "0E", "0EjAAA",
		"0EwAAAAAAAA", "0RAAAA", "0RAAAAAAAA4", "0A", "0PA4i", "0PF",
		"0PFi", "0PFz", "1vi", "1vix", "1vix;j", "0vzz", "0X", "0Xa;",
		"0vz;", "1v;x;",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)v", "0?", "0&", "02",
		"0??i", "(*)v", "(*-)v", "(*.)v", "(**a)v", "(a*)v",
		"(#a)vPKcs;", "(#-a)v", "(#a.)v", "(#a-)v", "(#a|o)v|", "(#*ab)v",
		"(a|#o)v|", "(##ab)v", "(a#)v",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#a)v",
		"(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa#aa)v", "(|v",
		"(a|v)v|", "(a||o)v|", "(a|o)v", "(a)v|", "0v|", "(|.)v|",
		"(|V)v|", "(a|o)vz", "(a|o)v|i", "(a|o)v|z", "(a|o)v|ia;|",
		"(aaaaaaaaaaaaaaaa|uuuuuuuuuuuuuuuuu)v|", "(.)via=;",
		"(.)via=-;", "(.)via=g;", "(.)via=1", "(.)via=5-;",
		"(.)vna=111111111111111111111111111111111;", "(.a)via;@", "(.a)via;@i",
		"(.a)via;@ix", "(.a)v@ix;", "(.a)via;@wx;",
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

	/* Text that ends anywhere: read up to its NUL (KASAN looks) */
	for (cut = 1; cut < 40; cut++) {
		copy = kstrndup("3iEjAAAAAAAAa;RAAAAAAAD5;b;PFiPvz_c;TxX;Sz;",
				cut, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, copy);
		put_all(buf, copy);
		kfree(copy);
	}
	for (cut = 1; cut < 60; cut++) {
		copy = kstrndup("(..*ba|#on)2RRECMIXED2;ia=-5;PSp;p;@A4_Ep->x;z|idfd;A_@",
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

	KUNIT_EXPECT_EQ(test, arg_types_count(test_types_text,
					      sizeof(test_types_text)), 27);
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

	/* Two descriptions of one id: neither is to be trusted */
	KUNIT_EXPECT_EQ(test, arg_types_index(&types), 1);
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "AAAAAAAA"));
	KUNIT_EXPECT_NOT_NULL(test, arg_types_find(&types, "BBBBBBBB"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "CCCCCCCC"));
	KUNIT_EXPECT_NULL(test, arg_types_find(&types, "BBBB"));
}

/* Ids that collide, as those that somebody made would */
static void test_collisions(struct kunit *test)
{
	/* Each pair of characters has the same sum of 31 times one and the other */
	static const char pairs[4][2] = { "d@", "c_", "b~", "e!" };
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
	/* Some are found. All would be looked for in all the slots of the others */
	KUNIT_EXPECT_GT(test, found, 0);
	KUNIT_EXPECT_LE(test, found, 64);
	KUNIT_EXPECT_EQ(test, found + dropped, 256);
}

static void test_hash(struct kunit *test)
{
	struct arg_sigs_image *image;
	u32 keys[3], nr = 0, key;

	image = kunit_kzalloc(test, struct_size(image, slots, 7), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image);
	image->nr = 5;

	/* Three keys that belong into the last one of those: one is behind it */
	for (key = 1; nr < 3; key++)
		if (arg_sig_first_slot(key, image->nr) == 4)
			keys[nr++] = key;
	image->slots[4] = (struct arg_sig_slot){ keys[0], 10 };
	image->slots[5] = (struct arg_sig_slot){ keys[1], 11 };
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[0]), 10);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[1]), 11);
	KUNIT_EXPECT_EQ(test, arg_sig_ref(image, keys[2]), 0);
}

/* Where ftrace calls from: behind the instruction that IBT wants there */
static unsigned long traced(void *func)
{
	unsigned long ip = (unsigned long)func;

	/* objtool warns of a relocation to what is no ENDBR */
	OPTIMIZER_HIDE_VAR(ip);
	return ip + (IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 4 : 0);
}

static bool has_sig(unsigned long ip, u32 set)
{
	struct arg_sig_hold hold;

	arg_sig_hold(&hold, ip, set);
	arg_sig_release(&hold);
	return hold.sig;
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
	unsigned long ip = traced(filp_open);
	struct arg_sig_module_slot copy = { };
	char buf[TEST_TEXT];
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	struct arg_sig_hold hold;

	arg_sig_hold(&hold, ip, ARG_SIGS_UNKNOWN_SET);
	KUNIT_ASSERT_NOT_NULL(test, hold.sig);
	arg_sig_put_proto(&out, hold.sig, hold.types, "filp_open");
	*out.pos = '\0';
	arg_sig_release(&hold);
	KUNIT_EXPECT_STREQ(test, buf,
			   "struct file *filp_open(const char *filename, int flags, umode_t mode)");
	KUNIT_EXPECT_FALSE(test, has_sig(ip + 1, ARG_SIGS_CURRENT_SET));

	/* A module's function belongs to the module's set and to no other */
	ip = traced(arg_sigs_kunit_sample);
	KUNIT_ASSERT_TRUE(test, copy_slot(ip, &copy));
	KUNIT_EXPECT_EQ(test, copy.ref & (ARG_SIG_REF_KIND | ARG_SIG_REF_NR),
			ARG_SIG_REF_REGS | 2);
	KUNIT_EXPECT_NE(test, copy.id, ARG_SIGS_IMAGE);
	KUNIT_EXPECT_TRUE(test, has_sig(ip, copy.id));
	KUNIT_EXPECT_TRUE(test, has_sig(ip, ARG_SIGS_CURRENT_SET));
	/* Not the number before: an init function may have been there */
	KUNIT_EXPECT_FALSE(test, has_sig(ip, copy.id + 1));
	KUNIT_EXPECT_FALSE(test, has_sig(ip, ARG_SIGS_IMAGE));
	KUNIT_EXPECT_FALSE(test, copy_slot(ip + 1, &copy));
}

static void test_text_refs(struct kunit *test)
{
	static const struct {
		void	*func;
		u32	kind;
		u32	longs;
	} funcs[] = {
		{ arg_sigs_kunit_texts, ARG_SIG_REF_ANY, 2 },
		{ arg_sigs_kunit_fifth, ARG_SIG_REF_ANY, 5 },
		{ arg_sigs_kunit_stack, ARG_SIG_REF_ANY, 7 },
		{ arg_sigs_kunit_buffer, ARG_SIG_REF_ANY, 2 },
		{ arg_sigs_kunit_text, ARG_SIG_REF_TEXT, 3 },
	};
	struct arg_sig_module_slot copy = { };
	int i;

	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		KUNIT_ASSERT_TRUE(test, copy_slot(traced(funcs[i].func), &copy));
		KUNIT_EXPECT_EQ(test, copy.ref & ARG_SIG_REF_KIND, funcs[i].kind);
		KUNIT_EXPECT_EQ(test, arg_sig_ref_longs(copy.ref), funcs[i].longs);
	}
	KUNIT_EXPECT_EQ(test, arg_sig_ref_text_arg(copy.ref), 1);
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
	unsigned long image = traced(filp_open);
	unsigned long module = traced(arg_sigs_kunit_sample);
	struct arg_sig_module_slot slot;
	char buf[TEST_TEXT], want[32];
	u32 id;

	KUNIT_ASSERT_TRUE(test, copy_slot(module, &slot));
	id = slot.id;

	KUNIT_EXPECT_STREQ(test, put_func(buf, image, ARG_SIGS_UNKNOWN_SET),
			   "filp_open");
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, id),
			   "arg_sigs_kunit_sample [trace_args_kunit]");
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, ARG_SIGS_UNKNOWN_SET),
			   "arg_sigs_kunit_sample [trace_args_kunit]");

	/* Another module's, which nothing is known of, and no function's */
	snprintf(want, sizeof(want), "0x%lx", module);
	KUNIT_EXPECT_STREQ(test, put_func(buf, module, id + 1), want);
	snprintf(want, sizeof(want), "0x%lx", module + 1);
	KUNIT_EXPECT_STREQ(test, put_func(buf, module + 1, id), want);
}

static bool returns_two(void *func)
{
	guard(preempt)();
	return trace_graph_returns_two(traced(func));
}

/* A function that shares the bit of another one does not return two registers */
static void test_second(struct kunit *test)
{
	unsigned long bit = arg_sig_two_regs_bit(traced(arg_sigs_kunit_sample));
	bool other = test_and_set_bit(bit, arg_sigs_two_regs);

	KUNIT_EXPECT_FALSE(test, returns_two(arg_sigs_kunit_sample));
	KUNIT_EXPECT_FALSE(test, returns_two(filp_open));
	KUNIT_EXPECT_TRUE(test, returns_two(arg_sigs_kunit_two));
	if (!other)
		clear_bit(bit, arg_sigs_two_regs);
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
	KUNIT_CASE(test_names_of_bits),
	KUNIT_CASE(test_symbols),
	KUNIT_CASE(test_args),
	KUNIT_CASE(test_records),
	KUNIT_CASE(test_cut),
	KUNIT_CASE(test_sink),
	KUNIT_CASE(test_too_many_longs),
	KUNIT_CASE(test_strings),
	KUNIT_CASE(test_ret),
	KUNIT_CASE(test_info),
	KUNIT_CASE(test_proto),
	KUNIT_CASE(test_malformed),
	KUNIT_CASE(test_descriptions),
	KUNIT_CASE(test_collisions),
	KUNIT_CASE(test_hash),
	KUNIT_CASE(test_lookup),
	KUNIT_CASE(test_text_refs),
	KUNIT_CASE(test_names),
	KUNIT_CASE(test_second),
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
/* MODULE_IMPORT_NS() takes a string since v6.13, and a name before */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
