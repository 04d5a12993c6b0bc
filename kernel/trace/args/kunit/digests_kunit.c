// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of digests, as text and as descriptions
 */
#include <linux/errno.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "kunit.h"

/* Long 0 points to a struct file */
#define FILE_SIG	"(a)*avvPSfile;f;"
/* The same signature as it is in a recording */
#define FILE_RECORDED	"(*a)vPKSfile;f;"
#define INODE_SIG	"(a)*aFvPKSinode;i;"
#define KINDS_SIG	"(a)*aevPSkinds;k;"
#define SOCK_SIG	"(a)*agvPSsockaddr;s;"
#define IN6_SIG		"(a)*ahvPSin6_addr;a;"
#define NONE_SIG	"(a)*a5vPSnone;n;"

static const struct string_case digest_cases[] = {
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0name"),
	  "(f=0x1000{name})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0name\0\0\0\0\0"),
	  "(f=0x1000{name})" },
	{ FILE_RECORDED, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0name"),
	  "(f=0x1000{name})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\200name"),
	  "(f=0x1000{name...})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\5\0\3\0a b"),
	  "(f=0x1000{\"a b\"})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0a\"}\n"),
	  "(f=0x1000{\"a\\\"}\\n\"})" },
	/* Texts that look like a NULL pointer, and like a text that was cut */
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0NULL"),
	  "(f=0x1000{\"NULL\"})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\7\0\5\0NULL5"),
	  "(f=0x1000{NULL5})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\5\0\3\0NUL"),
	  "(f=0x1000{NUL})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\200NULL"),
	  "(f=0x1000{\"NULL\"...})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\0a..."),
	  "(f=0x1000{\"a...\"})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\5\0\3\0..."),
	  "(f=0x1000{\"...\"})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\4\0\2\0.."), "(f=0x1000{..})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\7\0\5\0...ab"),
	  "(f=0x1000{...ab})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\6\0\4\200a..."),
	  "(f=0x1000{\"a...\"...})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\2\0\0\0"), "(f=0x1000{\"\"})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\2\0\376\177"),
	  "(f=0x1000{NULL})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\2\0\377\177"),
	  "(f=0x1000{?})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\5"), "(f=0x1000{?})" },
	/* A pointer that is NULL or an error has no digest, even if a digest is recorded */
	{ FILE_SIG, 1, { 0 }, TAIL("\377\177\6\6\0\4\0name"), "(f=NULL)" },
	{ FILE_SIG, 1, { -EIO }, TAIL("\377\177\6\6\0\4\0name"),
	  "(f=ERR_PTR(-EIO))" },
	{ INODE_SIG, 1, { 0x1000 },
	  TAIL("\377\177\6\17\0\4\377\377\377\377\0\0\0\0\4\0sda1"),
	  "(i=0x1000{ino=4294967295, sda1})" },
	{ INODE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\3\0\7\376\177"),
	  "(i=0x1000{ino=NULL, NULL})" },
	{ INODE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\3\0\5\377\177"),
	  "(i=0x1000{ino=?, ?})" },
	{ KINDS_SIG, 1, { 0x1000 },
	  TAIL("\377\177\6\26\0\3\5\0\0\0\2\1\200\4\0\20\0\0\0\0\0\0\3\1\0\0\0"),
	  "(k=0x1000{low=5, flags=0x8001, 0x1000, c=GREEN})" },
	/* Network addresses */
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\002\000\000\120\012\000\002\002\004\000"
	       "\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\000"),
	  "(s=0x1000{10.0.2.2:80})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\013\000\004\002\000\000\120\012\000\002\002\005\005"),
	  "(s=0x1000{10.0.2.2:80})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\376"
	       "\200\000\000\000\000\000\000\004\000\000\000\000\000\000\000\001"),
	  "(s=0x1000{[fe80::1]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\040"
	       "\001\015\270\000\000\000\001\004\000\000\000\000\000\000\000\377"),
	  "(s=0x1000{[2001:db8:0:1::ff]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\000"
	       "\001\000\000\000\000\000\004\004\000\005\000\000\000\000\000\010"),
	  "(s=0x1000{[1::4:5:0:0:8]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\000"
	       "\001\000\002\000\003\000\004\004\000\005\000\006\000\007\000\000"),
	  "(s=0x1000{[1:2:3:4:5:6:7:0]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\000"
	       "\000\000\000\000\000\000\000\004\000\000\377\377\012\000\002\002"),
	  "(s=0x1000{[::ffff:10.0.2.2]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\012\000\001\273\356\356\356\356\004\000"
	       "\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\000"),
	  "(s=0x1000{[::]:443})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\023\000\004\012\000\001\273\356\356\356\356\004\000"
	       "\001\000\000\000\000\000\000\005"),
	  "(s=0x1000{?})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\020\000\356\356\000\000\000\000\004\000"
	       "\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\000"),
	  "(s=0x1000{family=16})" },
	/* Only the caller's length tells where the path of a UNIX socket ends */
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\001\000/run/s\004ystemd/j\004ournal/s"),
	  "(s=0x1000{family=1})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\033\000\004\000\000\000\000\000\000\000\000\004\000"
	       "\000\000\000\000\000\000\000\004\000\000\000\000\000\000\000\000"),
	  "(s=0x1000{family=0})" },
	{ SOCK_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\003\000\005\005\005"),
	  "(s=0x1000{?})" },
	{ IN6_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\022\000\004\000\000\000\000\000\000\000\000\004\000"
	       "\000\000\000\000\000\000\001"),
	  "(a=0x1000{::1})" },
	{ IN6_SIG, 1, { 0x1000 },
	  TAIL("\377\177\006\012\000\004\000\000\000\000\000\000\000\000\005"),
	  "(a=0x1000{?})" },
	/* A digest after a number and before another digest */
	{ "(abc)*ac*bv*cFvPix;PSfile;f;PSinode;i;", 3, { 0x1000, 0x2000, 0x3000 },
	  TAIL("\377\177\3\5\0\0\0\16\3\0\1\0a\26\3\0\7\376\177"),
	  "(x=&5, f=0x2000{a}, i=0x3000{ino=NULL, NULL})" },
	{ "(*ab)*bvvPcs;PSfile;f;", 2, { 0x1000, 0x2000 },
	  TAIL("\2\0ab\16\3\0\1\0a"), "(s=\"ab\", f=0x2000{a})" },
	/* A system call's own parameter */
	{ "(a|on)*cvlPKSpt_regs;regs;|idfd;PSfile;f;", 3, { 0x1000, 3, 0x2000 },
	  TAIL("\377\177\26\3\0\1\0a"), "(dfd=3, f=0x2000{a})" },
	/*
	 * Fewer bytes than a part, more bytes than the parts, another long, a type
	 * without a digest
	 */
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\5\0\4\0nam"),
	  "(f=0x1000{?})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\1\0\4"), "(f=0x1000{?})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\0\0"), "(f=0x1000{?})" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\7\0\4\0nam"), "(f=0x1000)" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\6"), "(f=0x1000)" },
	{ FILE_SIG, 1, { 0x1000 }, TAIL("\377\177\16\3\0\1\0a"), "(f=0x1000)" },
	{ "(a)*avvPSother;o;", 1, { 0x1000 }, TAIL("\377\177\6\3\0\1\0a"),
	  "(o=0x1000)" },
	{ INODE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\11\0\4\7\0\0\0\0\0\0\0"),
	  "(i=0x1000{ino=7, ?})" },
	{ INODE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\5\0\3\7\0\0\0"),
	  "(i=0x1000{ino=?})" },
	{ INODE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\1\0\6"), "(i=0x1000{ino=?})" },
	/* No digest is recorded of a type that has none of the members */
	{ NONE_SIG, 1, { 0x1000 }, TAIL("\377\177"), "(n=0x1000)" },
	{ NONE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\0\0"), "(n=0x1000{})" },
	{ NONE_SIG, 1, { 0x1000 }, TAIL("\377\177\6\3\0\1\0a"), "(n=0x1000{})" },
};

static void test_digests(struct kunit *test)
{
	check_events(test, digest_cases, ARRAY_SIZE(digest_cases));
	put_any_header(FILE_SIG, 8, 0);
	put_any_header(FILE_SIG, 10, 0xff);
	put_any_header(INODE_SIG, 10, 0x10);
	put_any_header(KINDS_SIG, 13, 3);
	put_any_header(SOCK_SIG, 27, 4);
}

static void test_digest_descriptions(struct kunit *test)
{
	static const char * const malformed[] = {
		"DIGFILEAd", "DIGFILEAdafile;0Pcn;", "DIGFILEAdv", "DIGFILEAdvfile",
		"DIGFILEAdvfile;0", "DIGFILEAdvfile;Pcn;", "DIGFILEAdvfile;0Pcn",
		"DIGFILEAdvfile;0>Pcn;", "DIGFILEAdvfile;>0Pcn;",
		"DIGFILEAdvfile;0:0jn;", "DIGFILEAdvfile;1:64mn;",
		"DIGFILEAdvfile;-Pcn;", "DIGFILEAdvfile;--1Pcn;", "DIGFILEAdvfile;-1:3jn;",
		"DIGFILEAdvfile;0>0>0>0>0>0>0Pcn;", "DIGFILEAd*file;0Pcn;",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(malformed); i++)
		KUNIT_EXPECT_EQ_MSG(test, arg_types_count(malformed[i], strlen(malformed[i]) + 1),
				    -EINVAL, "%s", malformed[i]);
}

/* A type with two layouts has no digest */
static void test_layouts(struct kunit *test)
{
	static const char text[] =
		"AAAAAAAAdvfile;8Pcname;\0"
		"BBBBBBBBdFinode;8mino;\0"
		"CCCCCCCCdvfile;16Pcname;\0"
		"DDDDDDDDdvfile;24Pcname;\0"
		"EEEEEEEEd5none;\0"
		"FFFFFFFFd.work_struct;\0"
		"GGGGGGGGd.work_struct;0PFv_func;";
	struct arg_types types = { .text = text, .size = sizeof(text) };
	struct arg_digests digests;

	KUNIT_EXPECT_EQ(test, arg_digests_find(&digests, &types), 2);
	KUNIT_EXPECT_NULL(test, digests.tags['v' - ARG_DIGEST_FIRST]);
	KUNIT_EXPECT_STREQ(test, digests.tags['F' - ARG_DIGEST_FIRST], "inode;8mino;");
	KUNIT_EXPECT_STREQ(test, digests.tags['5' - ARG_DIGEST_FIRST], "none;");
	KUNIT_EXPECT_NULL(test, digests.tags['.' - ARG_DIGEST_FIRST]);
}

/* The signatures of a module */
static void test_modules(struct kunit *test)
{
	static const char same[] = "DIGFILEAdvfile;72>40Pcd->name;";
	static const char other[] = "DIGFILEBdvfile;80>40Pcd->name;";
	static const char none[] = "DIGFILECdvfile;";
	static const struct {
		const char	*sig;
		const char	*types;
		const char	*checked;
	} cases[] = {
		{ FILE_SIG, "", FILE_SIG },
		{ FILE_SIG, same, FILE_SIG },
		{ FILE_SIG, other, "(a)*a&vPSfile;f;" },
		{ FILE_SIG, none, "(a)*a&vPSfile;f;" },
		{ INODE_SIG, other, INODE_SIG },
		/*
		 * Another list of digests: the letter belongs to another type, or to no
		 * type
		 */
		{ "(a)*aFvPSfile;f;", "", "(a)*a&vPSfile;f;" },
		{ "(a)*azvPSfile;f;", "", "(a)*a&vPSfile;f;" },
		{ "(ab)*aa*bFvPbb;PSfile;f;", "", "(ab)*aa*b&vPbb;PSfile;f;" },
		/* A type of the image that has none of the members */
		{ NONE_SIG, "", NONE_SIG },
		{ NONE_SIG, "DIGNONEBd5none;0Pcn;", "(a)*a&vPSnone;n;" },
		/* The long of a system call's own parameter */
		{ "(a|on)*cvlPSpt_regs;r;|idfd;PSfile;f;", "",
		  "(a|on)*cvlPSpt_regs;r;|idfd;PSfile;f;" },
		{ "(a|on)*bvlPSpt_regs;r;|idfd;PSfile;f;", "",
		  "(a|on)*b&lPSpt_regs;r;|idfd;PSfile;f;" },
		/* The digest of the returned object */
		{ "()$vPSfile;", "", "()$vPSfile;" },
		{ "(a)*av$vPSfile;PSfile;f;", other, "(a)*a&$&PSfile;PSfile;f;" },
		{ "(ab)$F#a2PSfile;Pcs;Dsize_t;mn;", "", "(ab)$&#a2PSfile;Pcs;Dsize_t;mn;" },
		{ "(a)$vlPSfile;f;", "", "(a)$&lPSfile;f;" },
		{ "(ab)vPSfile;f;", "", "(ab)vPSfile;f;" },
		{ "1vPSfile;f;", "", "1vPSfile;f;" },
	};
	struct arg_types types = { };
	struct arg_digests fitting;
	char sig[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		types.text = cases[i].types;
		types.size = strlen(cases[i].types) + 1;
		strscpy(sig, cases[i].sig, sizeof(sig));
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(sig), "%s", sig);
		arg_digests_fitting(&fitting, arg_sigs_kunit_types.digests, &types);
		arg_sig_check_digests(sig, &fitting);
		KUNIT_EXPECT_STREQ(test, sig, cases[i].checked);
		KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(sig), "%s", sig);
	}
}

static struct kunit_case arg_sigs_digests_cases[] = {
	KUNIT_CASE(test_digests),
	KUNIT_CASE(test_digest_descriptions),
	KUNIT_CASE(test_layouts),
	KUNIT_CASE(test_modules),
	{}
};

static struct kunit_suite arg_sigs_digests_suite = {
	.name = "arg_sigs_digests",
	.suite_init = arg_sigs_kunit_init,
	.suite_exit = arg_sigs_kunit_exit,
	.test_cases = arg_sigs_digests_cases,
};

kunit_test_suite(arg_sigs_digests_suite);
