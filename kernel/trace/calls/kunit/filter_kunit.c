// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of conditions on calls, and of kept calls
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/test.h>

#include "trace.h"
#include "trace_args_kept.h"
#include "trace_args_table.h"
#include "trace_graph_conds.h"
#include "trace_graph_progs.h"

/* Descriptions as gen_arg_sigs writes them; ids are arbitrary here */
static const char cond_types_text[] =
	"AAAAAAAAejcolour;RED;GREEN;BLUE=10;\0"
	"AAAAAAACeilevel;LOW=-2;MID=0;HIGH;\0"
	"RECMIXEDs16;mixed;0ca;2sb;4:3ibits;8Pvd;";

static struct arg_types cond_types;

/*
 * long f(int num, unsigned int flags, const char *name, enum colour colour,
 *        enum level level, struct mixed mixed, bool on, void *ptr, u8 gone)
 */
static const char cond_sig[] =
	"(ab*cdefABC.)linum;jflags;PKcname;EjAAAAAAAAcolour;EiAAAAAAAClevel;"
	"RRECMIXED2;mixed;bon;Pvptr;hgone;";

static const struct arg_sig_hold cond_hold = { .sig = cond_sig, .types = &cond_types };

/* The longs of a call of f() */
static const unsigned long cond_longs[] = {
	0xdeadbeef00000000UL | (u32)-5, 0xffffffff00000006UL, 0x1000, 0x10,
	(u32)-2, 0xfff90041UL, 0x2000, 0xdeadbe01, (unsigned long)-2, 0,
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
	{ "duration < 1s", true },
	{ "num == -5 && error", true, -1 }, { "num == -4 && error", false, -1 },
	{ "num == -4 || error", true, -1 }, { "num == -5 || error", true, 1 },
	{ "error && duration > 2ms", false, -1 }, { "!(error && num == -5)", true, 1 },
	{ "error && (name ~ \"hell*\" || flags == 1)", true, -1 },
	{ "!(num == -5) && ret == 0", false, 0 }, { "!(num == 5 && error) && on == 1", true, -1 },
};

static void fill_record(struct graph_record *record, const struct graph_prog *prog)
{
	struct {
		unsigned long	longs[ARRAY_SIZE(cond_longs)];
		u8		text[16];
	} data;

	memcpy(data.longs, cond_longs, sizeof(cond_longs));
	memcpy(record->longs, cond_longs, sizeof(cond_longs));
	put_unaligned((u16)5, (u16 *)data.text);
	memcpy(data.text + sizeof(u16), "hello", 5);
	graph_record_fill(record, prog, &data, sizeof(data), ARRAY_SIZE(cond_longs));
}

static bool is_met(const struct graph_prog *prog, struct graph_record *record,
		   unsigned long ret)
{
	struct graph_ret_record at_return = {
		.ret = ret,
		.duration = 1500000,
	};
	unsigned int i;

	if (!prog->ret)
		return filter_match_preds(prog->entry[0], record);
	for (i = 0; i < prog->nr_entry; i++)
		if (prog->entry[i] && filter_match_preds(prog->entry[i], record))
			at_return.bits |= BIT(i);
	return graph_ret_is_met(prog, &at_return);
}

static struct graph_cond *parse_cond(struct kunit *test, const char *condition)
{
	struct graph_cond_error err = { };
	struct graph_cond *cond;
	char line[256];

	snprintf(line, sizeof(line), "f: %s", condition);
	cond = graph_cond_parse(line, &err);
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
	prog = (*cond)->make_prog(*cond, 0, &cond_hold, &err);
	KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %ld, %u at %u",
			       (*cond)->line, PTR_ERR(prog), err.nr, err.pos);
	return prog;
}

static void test_conditions(struct kunit *test)
{
	struct graph_record *record;
	unsigned int i;

	record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, record);
	for (i = 0; i < ARRAY_SIZE(cond_cases); i++) {
		const struct cond_case *each = &cond_cases[i];
		struct graph_cond *cond;
		struct graph_prog *prog;

		prog = make_prog(test, each->cond, &cond);
		if (!IS_ERR(prog)) {
			fill_record(record, prog);
			KUNIT_EXPECT_EQ_MSG(test, is_met(prog, record, each->ret),
					    each->met, "%s", each->cond);
		}
		graph_cond_free(cond);
	}
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
		{ "!(num == 5 && error)", false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *cond = parse_cond(test, cases[i].cond);

		KUNIT_EXPECT_EQ_MSG(test, cond->wants_error,
				    cases[i].wants_error, "%s", cases[i].cond);
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
	{ "f g: num == 1", GRAPH_COND_ERR_NO_GLOB, 0 },
	{ "f:", GRAPH_COND_ERR_NO_PRED, 2 },
	{ "f: num", GRAPH_COND_ERR_BAD_OP, 6 },
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
	{ "f: ret ~ \"x\"", GRAPH_COND_ERR_BAD_TYPE, 9 },
	{ "f: none == 1", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: mixed.none == 1", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: mixed == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: mixed.bits == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: gone == 1", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: num == \"x\"", GRAPH_COND_ERR_BAD_TYPE, 10 },
	{ "f: num == 2147483648", GRAPH_COND_ERR_RANGE, 10 },
	{ "f: flags == -1", GRAPH_COND_ERR_RANGE, 12 },
	{ "f: colour == PINK", GRAPH_COND_ERR_NO_NAME, 13 },
	{ "f: num == RED", GRAPH_COND_ERR_NO_NAME, 10 },
};

static void test_bad_lines(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		struct graph_cond_error err = { };
		struct graph_prog *prog;
		struct graph_cond *cond;

		cond = graph_cond_parse(bad_lines[i].line, &err);
		if (!IS_ERR(cond)) {
			prog = cond->make_prog(cond, 0, &cond_hold, &err);
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

/* If a string is longer than its known part, the known part may be enough */
static void test_cut_strings(struct kunit *test)
{
	static const struct {
		const char	*cond;
		bool		known;
	} cases[] = {
		{ "name ~ \"ab*\"", true }, { "name ~ \"aba*\"", true },
		{ "name ~ \"*b\"", false }, { "name ~ \"*b*\"", false },
		{ "name ~ \"a?a*\"", false }, { "name == \"ab\"", true },
		{ "name != \"ab\"", true },
	};
	struct graph_record *record;
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
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *cond;
		struct graph_prog *prog;

		prog = make_prog(test, cases[i].cond, &cond);
		if (!IS_ERR(prog)) {
			graph_record_fill(record, prog, data, sizeof(cond_longs) + 302,
					  ARRAY_SIZE(cond_longs));
			KUNIT_EXPECT_EQ_MSG(test, record->have, cases[i].known,
					    "%s", cases[i].cond);
		}
		graph_cond_free(cond);
	}
}

#define WORD_FLAGS	0x1234UL

static struct kept_call *push(struct kunit *test, struct kept_store *store,
			      unsigned long *word, unsigned int depth,
			      unsigned int size)
{
	struct kept_call *call;

	preempt_disable();
	call = kept_push(store, word, depth, size, interrupt_context_level());
	if (call) {
		memset(call->args, depth, size);
		call->size = size;
		kept_publish(call, depth);
	}
	preempt_enable();
	return call;
}

static void pop(struct kept_store *store, unsigned long *word)
{
	preempt_disable();
	kept_pop(store, word, kept_top(store, word, 0));
	preempt_enable();
}

/* Calls of many sizes, up to the depth of real tasks, keep their data */
static void test_kept(struct kunit *test)
{
	struct kept_store *store = kept_store_alloc(64);
	unsigned long word = WORD_FLAGS;
	unsigned int depth, i, round;
	struct kept_call *call;
	u32 chunk;

	KUNIT_ASSERT_NOT_NULL(test, store);
	for (round = 0; round < 3; round++) {
		for (depth = 0; depth < 60; depth++) {
			call = push(test, store, &word, depth,
				    depth * 37 % 600 * (round + 1));
			KUNIT_ASSERT_NOT_NULL(test, call);
		}
		/* Walk from the last call to the root */
		chunk = 0;
		call = kept_top(store, &word, 59);
		for (depth = 60; depth-- && call;) {
			KUNIT_EXPECT_EQ(test, (unsigned int)call->depth, depth + 1);
			call = kept_below(store, word, call, &chunk);
		}
		KUNIT_EXPECT_NULL(test, call);
		for (depth = 60; depth--;) {
			KUNIT_EXPECT_NULL(test, kept_top(store, &word, depth + 1));
			call = kept_top(store, &word, depth);
			KUNIT_ASSERT_NOT_NULL(test, call);
			for (i = 0; i < call->size; i++)
				if (((u8 *)call->args)[i] != depth)
					break;
			KUNIT_EXPECT_EQ(test, i, call->size);
			pop(store, &word);
		}
		KUNIT_EXPECT_EQ(test, word, WORD_FLAGS);
	}
	kept_store_free(store);
}

/* A push drops calls of the same depth and deeper calls, which have never returned */
static void test_kept_stale(struct kunit *test)
{
	struct kept_store *store = kept_store_alloc(64);
	unsigned long word = WORD_FLAGS;
	unsigned int depth;

	KUNIT_ASSERT_NOT_NULL(test, store);
	for (depth = 0; depth < 40; depth++)
		push(test, store, &word, depth, 100);
	push(test, store, &word, 3, 8);
	KUNIT_EXPECT_EQ(test, (int)kept_top(store, &word, 0)->depth, 4);
	pop(store, &word);
	KUNIT_EXPECT_EQ(test, (int)kept_top(store, &word, 0)->depth, 3);
	kept_drop(store, &word, NULL);
	KUNIT_EXPECT_EQ(test, word, WORD_FLAGS);
	kept_store_free(store);
}

/* A task gets no more chunks than exist, and can use chunks that another task gave back */
static void test_kept_full(struct kunit *test)
{
	struct kept_store *store = kept_store_alloc(64);
	unsigned long word = WORD_FLAGS, other = WORD_FLAGS;
	struct kept_call *call;
	unsigned int depth = 0;

	KUNIT_ASSERT_NOT_NULL(test, store);
	while (push(test, store, &word, depth, 1200))
		depth++;
	KUNIT_EXPECT_EQ(test, depth, 64);
	KUNIT_EXPECT_NULL(test, push(test, store, &other, 0, 1200));
	KUNIT_EXPECT_EQ(test, other, WORD_FLAGS);
	/* A CPU first uses the chunk that it gave back last */
	preempt_disable();
	pop(store, &word);
	call = push(test, store, &other, 0, 1200);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, call);
	KUNIT_EXPECT_NULL(test, push(test, store, &word, depth, 1200));
	kept_drop(store, &word, NULL);
	kept_drop(store, &other, NULL);
	kept_store_free(store);
}

/* An interrupt between any two steps of a push sees only complete calls */
static void test_kept_interrupted(struct kunit *test)
{
	struct kept_store *store = kept_store_alloc(64);
	unsigned long word = WORD_FLAGS;
	struct kept_call *call;

	KUNIT_ASSERT_NOT_NULL(test, store);
	push(test, store, &word, 0, 100);
	preempt_disable();
	call = kept_push(store, &word, 1, 100, 0);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, call);
	/* The call is not complete, and the interrupt has deeper calls */
	KUNIT_EXPECT_NULL(test, kept_top(store, &word, 0));
	push(test, store, &word, 2, 1300);
	push(test, store, &word, 3, 1300);
	pop(store, &word);
	pop(store, &word);
	kept_publish(call, 1);
	KUNIT_EXPECT_PTR_EQ(test, kept_top(store, &word, 1), call);
	pop(store, &word);
	pop(store, &word);
	KUNIT_EXPECT_EQ(test, word, WORD_FLAGS);
	kept_store_free(store);
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
	KUNIT_CASE(test_wants_error),
	KUNIT_CASE(test_bad_lines),
	KUNIT_CASE(test_cut_strings),
	KUNIT_CASE(test_kept),
	KUNIT_CASE(test_kept_stale),
	KUNIT_CASE(test_kept_full),
	KUNIT_CASE(test_kept_interrupted),
	{}
};

static struct kunit_suite graph_filter_suite = {
	.name = "graph_filter",
	.suite_init = graph_filter_suite_init,
	.suite_exit = graph_filter_suite_exit,
	.test_cases = graph_filter_cases,
};

kunit_test_suite(graph_filter_suite);

MODULE_DESCRIPTION("KUnit tests of conditions on calls");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a string since v6.13, and took a name before v6.13 */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
