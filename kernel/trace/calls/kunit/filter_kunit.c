// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of lines about calls
 */
#include <linux/gfp_types.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/test.h>

#include "../../trace.h"
#include "../../args/table.h"
#include "../lines.h"

/* Descriptions as gen_arg_sigs writes them; ids are arbitrary here */
static const char cond_types_text[] =
	"AAAAAAAAejcolour;RED;GREEN;BLUE=10;\0"
	"AAAAAAACeilevel;LOW=-2;MID=0;HIGH;\0"
	"RECMIXEDs16;mixed;0ca;2sb;4:3ibits;8Pvd;";

static struct arg_types cond_types;

/*
 * long f(int num, unsigned int flags, const char *name, enum colour colour,
 *        enum level level, struct mixed mixed, bool on, void *ptr, u8 gone,
 *        gfp_t gfp, unsigned long ulong, __be16 port,
 *        dev_t dev, __be32 saddr)
 */
static const char cond_sig[] =
	"(ab*cdefABC.DEFGH)linum;jflags;PKcname;EjAAAAAAAAcolour;EiAAAAAAAClevel;"
	"RRECMIXED2;mixed;bon;Pvptr;hgone;Ggfp_t;jgfp;mulong;B__be16;tport;Mdev_t;jdev;"
	"B__be32;jsaddr;";

static const struct arg_sig_hold cond_hold = { .sig = cond_sig, .types = &cond_types };

/* The longs of a call of f() */
static const unsigned long cond_longs[] = {
	0xdeadbeef00000000UL | (u32)-5, 0xffffffff00000006UL, 0x1000, 0x10,
	(u32)-2, 0xfff90041UL, 0x2000, 0xdeadbe01, (unsigned long)-2, 0,
	0xdeadbeef00000000UL | (__force u32)GFP_KERNEL, (unsigned long)-EINVAL,
	0xdeadbeefdead6712UL, 0xdeadbeef00000000UL | 8 << 20 | 1,
	0xdeadbeef0102000aUL,
};

struct cond_case {
	const char	*cond;
	bool		met;
	unsigned long	ret;
};

static const struct cond_case cond_cases[] = {
	{ "num == -5", true }, { "num < 0", true }, { "num > 0", false },
	{ "num >= -0x5 && num <= -05", true }, { "num != -5", false },
	{ "num & 2", true }, { "num & 4", false },
	{ "flags == 6", true }, { "flags & 2", true }, { "flags & 1", false },
	{ "flags<7", true }, { "flags <6||num==-5", true },
	{ "!(flags == 6)", false }, { "!flags == 7", true },
	{ "name == \"hello\"", true }, { "name != \"hello\"", false },
	{ "name != \"hell\"", true }, { "name == \"hello1\"", false },
	{ "name ~ \"hel*\"", true }, { "name ~ \"*llo\"", true },
	{ "name ~ \"*ell*\"", true }, { "name ~ \"h?l[kl]o\"", true },
	{ "name ~ 'x*'", false }, { "!(name ~ 'x*')", true },
	{ "name ~ '!x*'", false }, { "name ~ '!hello'", false }, { "name ~ '1*'", false },
	{ "gfp == GFP_KERNEL", true }, { "gfp & __GFP_IO|__GFP_ZERO", true },
	{ "gfp == __GFP_IO|__GFP_FS|__GFP_RECLAIM", true }, { "gfp & __GFP_ZERO", false },
	{ "colour == RED|BLUE", true }, { "colour == GREEN|BLUE", false },
	{ "colour & RED|BLUE||num == -5", true },
	{ "colour == BLUE|0x10", true }, { "colour == RED|0x10", true },
	{ "colour == GREEN|0x10", false }, { "colour & RED|0x20", false },
	{ "gfp & __GFP_ZERO|0x1000000", false },
	{ "gfp != none", true }, { "gfp == none", false }, { "gfp == none|GFP_KERNEL", true },
	/* Bit 31 of a signed type is its sign, also in a number that is joined with a name */
	{ "level == MID|0xfffffffe", true }, { "level != MID|0xfffffffe", false },
	/* A number alone is true if it is not 0 */
	{ "num", true }, { "!num", false }, { "mixed.d && on", true }, { "(port)||!num", true },
	/* Any parameter of 64 bits, which does not include the members of a record */
	{ "any == 0x1000", true }, { "any == 4096 && num == -5", true },
	{ "any == 0xfffffffffffffffe", true }, { "any == -2", true }, { "any == 0x10", false },
	{ "any == 0x2000", false }, { "any == 0xdeadbe01", false }, { "!any == 0x2000", true },
	{ "any == 0x1000 && error", true, -1 },
	{ "port == 4711", true }, { "port == 0x6712", false },
	{ "dev == 8:1", true }, { "dev == 8:2||dev == 9:1", false }, { "dev == 0x800001", true },
	{ "port > 4710 && port < 4712", true },
	{ "saddr == 10.0.2.1", true }, { "saddr == 10.0.2.2", false },
	{ "saddr == 0xa000201", true },
	{ "saddr >= 10.0.2.0 && saddr < 10.0.3.0", true }, { "saddr & 0.0.0.2", false },
	{ "port & 0x1000", true }, { "port & 0x2000", false }, { "port >= 1024 || error", true, 0 },
	{ "ulong == -EINVAL", true }, { "ulong == -EIO", false },
	{ "colour == BLUE", true }, { "colour != GREEN", true },
	{ "colour == 16", true }, { "level == LOW", true }, { "level < MID", true },
	{ "mixed.a == 65", true }, { "mixed.b == -7", true },
	{ "mixed.d == 0x2000", true }, { "mixed.d == NULL", false },
	{ "on == true", true }, { "on == 0", false },
	{ "ptr == -ENOENT", true }, { "ptr > 4096", true },
	{ "num == -5 && flags == 6 && name == \"hello\" && on == 1", true },
	{ "num == 1 || (flags == 7 || (colour == BLUE && level != LOW))", false },
	/* Conditions that are decided at the return */
	{ "ret == -12", true, -12 }, { "ret == -ENOMEM", true, -12 },
	{ "ret < 0", true, -12 }, { "ret < 0", false, 12 },
	{ "error", true, -4095 }, { "error", false, -4096 }, { "error", false, 1 },
	{ "!error", true, 1 }, { "duration > 1ms", true }, { "duration > 2ms", false },
	{ "duration==1500us", true }, { "duration < 1500001 && duration > 1499999ns", true },
	{ "duration < 1s", true }, { "duration == 1.5ms", true }, { "duration > 1.4999ms", true },
	{ "duration == 0.0015s", true }, { "duration < 1500.001us", true },
	{ "duration > 010us", true }, { "duration > 0x5dbus", true },
	{ "duration > 0x5dcus", false },
	/* The task */
	{ "PID > 0", true }, { "TGID < 0", false }, { "num == -5 && PID != 0", true },
	{ "PID > 0 && error", true, -1 }, { "TGID <= 0 && error", false, -1 },
	{ "num == -5 && error", true, -1 }, { "num == -4 && error", false, -1 },
	{ "num == -4 || error", true, -1 }, { "num == -5 || error", true, 1 },
	{ "error && duration > 2ms", false, -1 }, { "!(error && num == -5)", true, 1 },
	{ "error && (name ~ \"hell*\" || flags == 1)", true, -1 },
	{ "!(num == -5) && ret == 0", false, 0 }, { "!(num == 5 && error) && on == 1", true, -1 },
};

static bool is_met(const struct graph_prog *prog, struct call_record *record,
		   unsigned long ret)
{
	struct {
		unsigned long	longs[ARRAY_SIZE(cond_longs)];
		u8		text[16];
	} data;
	const struct graph_entry entry = { record, &data, sizeof(data), ARRAY_SIZE(cond_longs) };
	u32 bits;

	memcpy(data.longs, cond_longs, sizeof(cond_longs));
	memcpy(record->longs, cond_longs, sizeof(cond_longs));
	put_unaligned((u16)5, (u16 *)data.text);
	memcpy(data.text + sizeof(u16), "hello", 5);
	if (!prog->cond->at_return)
		return graph_prog_is_met(prog, &entry);
	bits = graph_prog_compare(prog, &entry);
	/* The bits of other programs follow */
	bits |= ~(u32)(BIT_ULL(prog->nr_entry) - 1);
	return graph_prog_is_met_at_return(prog, ret, 1500000, bits);
}

static struct graph_cond *parse_cond(struct kunit *test, const char *condition)
{
	struct graph_cond_error err = { };
	struct graph_cond *cond;
	char line[512];

	snprintf(line, sizeof(line), "f: %s", condition);
	cond = graph_line_parse(GRAPH_LINES_FILTER, line, &err);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(cond), "%s: %u at %u", line, err.nr,
			       err.pos);
	return cond;
}

static struct graph_prog *make_prog(struct kunit *test, const char *condition,
				    struct graph_cond **cond)
{
	struct graph_cond_error err = { };
	struct graph_prog *prog;

	*cond = parse_cond(test, condition);
	prog = graph_cond_prog(*cond, 0, &cond_hold, &err);
	KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %ld, %u at %u",
			       (*cond)->line, PTR_ERR(prog), err.nr, err.pos);
	return prog;
}

static void test_conditions(struct kunit *test)
{
	struct call_record *record;
	unsigned int i;

	record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, record);
	for (i = 0; i < ARRAY_SIZE(cond_cases); i++) {
		const struct cond_case *each = &cond_cases[i];
		struct graph_cond *cond;
		struct graph_prog *prog;

		prog = make_prog(test, each->cond, &cond);
		if (!IS_ERR(prog)) {
			KUNIT_EXPECT_EQ_MSG(test, is_met(prog, record, each->ret),
					    each->met, "%s", each->cond);
		}
		graph_cond_free(cond);
	}
}

/* Add a condition of at most @nr comparisons to @text, and return whether it is met */
static bool add_random(char *text, size_t size, unsigned int nr, u32 *seed)
{
	unsigned int left, op;
	bool met;

	*seed = *seed * 1664525 + 1013904223;
	op = *seed >> 16;
	if (op % 4 == 0) {
		strlcat(text, "!(", size);
		met = !add_random(text, size, nr, seed);
		strlcat(text, ")", size);
		return met;
	}
	if (nr == 1) {
		/* Among the comparisons are some that are known at the return only */
		static const char * const preds[] = {
			"num == -4", "num == -5", "ret == 7", "ret == 8",
		};

		strlcat(text, preds[op / 4 % 4], size);
		return op / 4 % 2;
	}
	left = 1 + op / 8 % (nr - 1);
	strlcat(text, "(", size);
	met = add_random(text, size, left, seed);
	strlcat(text, op / 4 % 2 ? ") && (" : ") || (", size);
	if (op / 4 % 2)
		met &= add_random(text, size, nr - left, seed);
	else
		met |= add_random(text, size, nr - left, seed);
	strlcat(text, ")", size);
	return met;
}

/* The operators are those of C, in conditions of up to 12 comparisons */
static void test_operators(struct kunit *test)
{
	struct call_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	const size_t size = 480;
	char *text = kunit_kzalloc(test, size, GFP_KERNEL);
	unsigned int i, met = 0;
	u32 seed = 1;

	KUNIT_ASSERT_TRUE(test, record && text);
	for (i = 0; i < 400; i++) {
		struct graph_cond *cond;
		struct graph_prog *prog;
		bool expected;

		*text = '\0';
		expected = add_random(text, size, 1 + i % 12, &seed);
		/* Half of the programs are decided at the return in any case */
		strlcat(text, i % 2 ? " && ret == 8" : "", size);
		prog = make_prog(test, text, &cond);
		if (!IS_ERR(prog))
			KUNIT_EXPECT_EQ_MSG(test, is_met(prog, record, 8), expected, "%s",
					    text);
		met += expected;
		graph_cond_free(cond);
	}
	KUNIT_EXPECT_TRUE(test, met > 100 && met < 300);
}

static void test_wants_error(struct kunit *test)
{
	static const struct {
		const char	*cond;
		bool		wants_error;
	} cases[] = {
		{ "error", true }, { "num == -5 && error", true },
		{ "error && duration > 1ms && num < 0", true },
		{ "num == -5 && ret < 0", false }, { "num == -5", false },
		{ "error || num == -5", false }, { "!error", false },
		{ "!(num == 5 && error)", false }, { "!(num == 5 || !error)", true },
		{ "error && (num == 1 || flags == 6)", true },
		{ "(error || num == 1) && (error || num == 2)", false },
		{ "num == 1 && error || num == 2 && error", true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *cond = parse_cond(test, cases[i].cond);

		KUNIT_EXPECT_EQ_MSG(test, cond->wants_error,
				    cases[i].wants_error, "%s", cases[i].cond);
		graph_cond_free(cond);
	}
}

/* An unsigned long can be an error, but ULONG_MAX is a number */
static void test_ulong_errors(struct kunit *test)
{
	static const struct {
		const char	*sig;
		unsigned long	ret;
		bool		error;
	} cases[] = {
		{ "(a)minum;", -EINVAL, true }, { "(a)minum;", -MAX_ERRNO, true },
		{ "(a)minum;", -MAX_ERRNO - 1, false }, { "(a)minum;", -1UL, false },
		{ "(a)minum;", 4096, false }, { "(a)linum;", -1UL, true },
		{ "(a)Pvinum;", -1UL, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_sig_hold hold = { .sig = cases[i].sig, .types = &cond_types };
		struct graph_cond *cond = parse_cond(test, "error");
		struct graph_cond_error err = { };
		struct graph_prog *prog;

		prog = graph_cond_prog(cond, 0, &hold, &err);
		KUNIT_EXPECT_FALSE(test, IS_ERR(prog));
		if (!IS_ERR(prog))
			KUNIT_EXPECT_EQ_MSG(test, graph_prog_is_met_at_return(prog, cases[i].ret,
									      0, 0),
					    cases[i].error, "%s %lx", cases[i].sig, cases[i].ret);
		graph_cond_free(cond);
	}
}

/* Lines that are refused by the parser, or for the function */
static const struct {
	const char	*line;
	unsigned int	nr;
	unsigned int	pos;
} bad_lines[] = {
	{ "f", GRAPH_COND_ERR_NO_COLON, 1 },
	{ ": num == 1", GRAPH_COND_ERR_NO_GLOB, 0 },
	{ "f g: num == 1", GRAPH_COND_ERR_GLOBS, 2 },
	{ "f, : num == 1", GRAPH_COND_ERR_NO_GLOB, 3 },
	{ ",f: num == 1", GRAPH_COND_ERR_NO_GLOB, 0 },
	{ "f, g ,h: none == 1", GRAPH_COND_ERR_NO_FIELD, 9 },
	{ "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q: num == 1", GRAPH_COND_ERR_TOO_MANY, 32 },
	{ "f:mod:ext4", GRAPH_COND_ERR_NO_COLON, 10 },
	{ "f:mod:: num == 1", GRAPH_COND_ERR_NO_COLON, 6 },
	{ "f:mod:ext4 : none == 1", GRAPH_COND_ERR_NO_FIELD, 13 },
	{ "f:", GRAPH_COND_ERR_NO_PRED, 2 },
	{ "f: COMM", GRAPH_COND_ERR_BAD_OP, 7 },
	{ "f: num,", GRAPH_COND_ERR_BAD_OP, 6 },
	{ "f: nun", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: num[0] == 1", GRAPH_COND_ERR_NO_ELEMENT, 6 },
	{ "f: colour == RED|0x100000000", GRAPH_COND_ERR_NO_NAME, 13 },
	{ "f: colour == RED|1x", GRAPH_COND_ERR_NO_NAME, 13 },
	{ "f: colour == 1|RED", GRAPH_COND_ERR_BAD_VALUE, 13 },
	{ "f: num = 1", GRAPH_COND_ERR_BAD_OP, 7 },
	{ "f: num == ", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: num == 1x", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: num == 99999999999999999999", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: name == \"x", GRAPH_COND_ERR_NO_QUOTE, 11 },
	{ "f: name < \"x\"", GRAPH_COND_ERR_BAD_OP, 10 },
	{ "f: (num == 1", GRAPH_COND_ERR_PAREN, 12 },
	{ "f: num == 1)", GRAPH_COND_ERR_PAREN, 11 },
	{ "f: num == 1 num == 2", GRAPH_COND_ERR_EXPECT_AND, 12 },
	{ "f: num == 1 &&", GRAPH_COND_ERR_NO_PRED, 14 },
	{ "f: duration > 1h", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > -1", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 1.", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 0.5", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 1.0001us", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 1.0000000001s", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 010.5ms", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 00.5ms", GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: duration > 0x10.5ms", GRAPH_COND_ERR_BAD_VALUE, 14 },
	/* 10 to the power of 64 is 0 in 64 bits */
	{ "f: duration > 0.0000000000000000000000000000000000000000000000000000000000000000s",
	  GRAPH_COND_ERR_BAD_VALUE, 14 },
	{ "f: dev == 8:", GRAPH_COND_ERR_EXPECT_AND, 11 },
	{ "f: dev == 8:1048576", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: dev == 4096:1", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: dev == 8:1:1", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: num == 8:1", GRAPH_COND_ERR_BAD_TYPE, 10 },
	{ "f: num == 8.0.0.1", GRAPH_COND_ERR_BAD_TYPE, 10 },
	{ "f: port == 8.0.0.1", GRAPH_COND_ERR_BAD_TYPE, 11 },
	{ "f: saddr == 10.0.2", GRAPH_COND_ERR_BAD_VALUE, 12 },
	{ "f: saddr == 10.0.2.256", GRAPH_COND_ERR_BAD_VALUE, 12 },
	{ "f: saddr == 10.0.2.1.1", GRAPH_COND_ERR_BAD_VALUE, 12 },
	{ "f: saddr == 10.0.2.0x1", GRAPH_COND_ERR_BAD_VALUE, 12 },
	{ "f: saddr == 0xa.0.2.1", GRAPH_COND_ERR_BAD_VALUE, 12 },
	{ "f: saddr == -10.0.2.1", GRAPH_COND_ERR_EXPECT_AND, 15 },
	{ "f: PID == 10.0.2.1", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: PID == 8:1", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: any == 8:1", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: any != 1", GRAPH_COND_ERR_BAD_OP, 7 },
	{ "f: any == x", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: any == \"x\"", GRAPH_COND_ERR_BAD_TYPE, 10 },
	{ "f: any", GRAPH_COND_ERR_BAD_OP, 6 },
	{ "f: PID == x", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: num == 1.5", GRAPH_COND_ERR_BAD_VALUE, 10 },
	{ "f: gfp & __GFP_IO|NONE", GRAPH_COND_ERR_NO_NAME, 9 },
	{ "f: num == __GFP_IO", GRAPH_COND_ERR_NO_NAME, 10 },
	{ "f: num == none", GRAPH_COND_ERR_NO_NAME, 10 },
	{ "f: ret ~ \"x\"", GRAPH_COND_ERR_BAD_TYPE, 9 },
	{ "f: none == 1", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: pid == 1", GRAPH_COND_ERR_TASK, 3 },
	{ "f: num == 1 || comm == \"sh\"", GRAPH_COND_ERR_TASK, 15 },
	{ "f: mixed.none == 1", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: mixed == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: mixed.bits == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: gone == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: num == \"x\"", GRAPH_COND_ERR_BAD_TYPE, 10 },
	{ "f: num == 2147483648", GRAPH_COND_ERR_RANGE, 10 },
	{ "f: flags == -1", GRAPH_COND_ERR_RANGE, 12 },
	{ "f: colour == PINK", GRAPH_COND_ERR_NO_NAME, 13 },
	{ "f: num == RED", GRAPH_COND_ERR_NO_NAME, 10 },
	{ "f: num == EINVAL", GRAPH_COND_ERR_NO_SIGN, 10 },
	{ "f: ret == ENOENT", GRAPH_COND_ERR_NO_SIGN, 10 },
	{ "f: flags == -EINVAL", GRAPH_COND_ERR_RANGE, 12 },
};

static void test_bad_lines(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		struct graph_cond_error err = { };
		struct graph_prog *prog;
		struct graph_cond *cond;

		cond = graph_line_parse(GRAPH_LINES_FILTER, bad_lines[i].line, &err);
		if (!IS_ERR(cond)) {
			prog = graph_cond_prog(cond, 0, &cond_hold, &err);
			KUNIT_EXPECT_TRUE_MSG(test, IS_ERR(prog), "%s",
					      bad_lines[i].line);
			graph_cond_free(cond);
		}
		KUNIT_EXPECT_EQ_MSG(test, err.nr, bad_lines[i].nr, "%s",
				    bad_lines[i].line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, bad_lines[i].pos, "%s",
				    bad_lines[i].line);
	}
}

/*
 * If a string is longer than its known part, the known part may be enough.  Otherwise the
 * comparison is false.
 */
static void test_cut_strings(struct kunit *test)
{
	static const struct {
		const char	*cond;
		bool		met;
	} cases[] = {
		{ "name ~ \"ab*\"", true }, { "name ~ \"aba*\"", true },
		{ "name ~ \"ba*\"", false }, { "name ~ \"*a*\"", false },
		{ "name ~ \"*b\"", false }, { "name ~ \"*b*\"", false },
		{ "name ~ \"a?a*\"", false }, { "name == \"ab\"", false },
		{ "name != \"ab\"", true },
	};
	struct call_record *record;
	struct graph_entry entry;
	u8 *data;
	unsigned int i;

	record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	data = kunit_kzalloc(test, sizeof(cond_longs) + 2 + 300, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_NOT_NULL(test, data);
	put_unaligned((u16)(300 | ARG_STRING_CUT),
		      (u16 *)(data + sizeof(cond_longs)));
	for (i = 0; i < 300; i++)
		data[sizeof(cond_longs) + 2 + i] = "ab"[i % 2];
	entry = (struct graph_entry){ record, data, sizeof(cond_longs) + 302,
				      ARRAY_SIZE(cond_longs) };
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *cond;
		struct graph_prog *prog;

		prog = make_prog(test, cases[i].cond, &cond);
		if (!IS_ERR(prog)) {
			KUNIT_EXPECT_EQ_MSG(test, graph_prog_is_met(prog, &entry),
					    cases[i].met, "%s", cases[i].cond);
		}
		graph_cond_free(cond);
	}
}

static int graph_filter_suite_init(struct kunit_suite *suite)
{
	cond_types.text = cond_types_text;
	cond_types.size = sizeof(cond_types_text);
	return arg_types_alloc(&cond_types);
}

static void graph_filter_suite_exit(struct kunit_suite *suite)
{
	kvfree(cond_types.index);
}

static struct kunit_case graph_filter_cases[] = {
	KUNIT_CASE(test_conditions),
	KUNIT_CASE(test_operators),
	KUNIT_CASE(test_wants_error),
	KUNIT_CASE(test_ulong_errors),
	KUNIT_CASE(test_bad_lines),
	KUNIT_CASE(test_cut_strings),
	{}
};

static struct kunit_suite graph_filter_suite = {
	.name = "graph_filter",
	.suite_init = graph_filter_suite_init,
	.suite_exit = graph_filter_suite_exit,
	.test_cases = graph_filter_cases,
};

kunit_test_suite(graph_filter_suite);

MODULE_DESCRIPTION("KUnit tests of lines about calls");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a string since v6.13, and took a name before v6.13 */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
