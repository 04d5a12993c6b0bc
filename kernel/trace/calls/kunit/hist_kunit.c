// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counts of calls
 */
#include <linux/bits.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include <kunit/test.h>

#include "../../trace.h"
#include "../../args/table.h"
#include "../hist.h"
#include "../lines.h"
#include "../../tracing_map.h"

/* A record with members of 1, 2 and 8 bytes; ids are arbitrary here */
static const char hist_types_text[] =
	"RECMIXEDs16;mixed;0ca;2sb;8Pvd;";

static struct arg_types hist_types;

/*
 * int f(int num, unsigned int flags, const char *name, struct mixed mixed, bool on,
 *       __be16 port)
 */
static const char hist_sig[] =
	"(ab*cdefA)iinum;jflags;PKcname;RRECMIXED2;mixed;bon;B__be16;tport;";

static const struct arg_sig_hold hist_hold = { .sig = hist_sig, .types = &hist_types };

static const struct {
	u32	num;
	s16	sign;
} hist_object = { .num = 4711, .sign = -300 };

static const unsigned long hist_longs[GRAPH_LONGS] = {
	0xdeadbeef00000000UL | (u32)-5, 0xffffffff00000006UL, (unsigned long)&hist_object,
	0xfff90041UL, 0x2000, 0xdeadbe01, 0xdeadbeefdead6712UL,
	[GRAPH_LONG_CPU] = 3, [GRAPH_LONG_PID] = 77, [GRAPH_LONG_TGID] = 70,
	[GRAPH_LONG_COMM] = 0x7461632f6e6962, 0,
};

#define HIST_RET	(0xdeadbeef00000000UL | (u32)-2)
#define HIST_DURATION	1500

static const struct {
	const char	*keys;
	u64		vals[GRAPH_COND_KEYS];
} hist_cases[] = {
	{ "num", { -5 } }, { "flags", { 6 } }, { "on", { 1 } },
	{ "num,flags , on", { -5, 6, 1 } },
	{ "mixed.a", { 65 } }, { "mixed.b", { -7 } }, { "mixed.d", { 0x2000 } },
	{ "ret", { -2 } }, { "error", { -2 } }, { "ret,error", { -2, -2 } },
	{ "duration", { 1500 } },
	/* A value above 2^2 up to 2^3, and a value above 2^10 up to 2^11 */
	{ "flags.log2", { 3 + 1 } }, { "duration.log2", { 11 + 1 } },
	{ "mixed.d.log2", { 13 + 1 } }, { "on.log2", { 0 + 1 } },
	{ "num.log2", { GRAPH_HIST_NEGATIVE } },
	/* The name of the task is "bin/cat", which begins with the bytes 0x2f6e6962 */
	{ "PID,TGID,CPU", { 77, 70, 3 } }, { "COMM,num,ret", { 0x2f6e6962, -5, -2 } },
	{ "PID.log2,CPU.hex,error", { 7 + 1, 3, -2 } },
	{ "num.hex,ret.hex", { -5, -2 } }, { "mixed.b,mixed.d,num", { -7, 0x2000, -5 } },
	/* A plain value keeps the order of its bytes until it is shown */
	{ "port,port.hex,port.log2", { 0x6712, 4711, 13 + 1 } },
	/* Expressions */
	{ "$arg1:s32,+4(name):s16", { -5, -300 } }, { "+0(name):u32.log2,ret", { 13 + 1, -2 } },
	{ "+0(name):u8.hex , num,+1(name):u8 size=128", { 0x67, -5, 0x12 } },
	{ "error,flags:b2@1/8,COMM", { -2, 3, 0x2f6e6962 } },
};

/* Find the row of a call in a table that has been made */
static void get_row(struct graph_hist_key *key, const struct graph_prog *prog,
		    u64 ret, u64 duration)
{
	unsigned long longs[GRAPH_LONGS];

	memcpy(longs, hist_longs, sizeof(longs));
	memset(key, 0xff, sizeof(*key));
	preempt_disable();
	if (!prog->exprs || graph_prog_read_keys(prog, longs))
		graph_hist_put_args(key, prog, 0x4711, longs);
	preempt_enable();
	graph_hist_put_ret(key, prog, ret, duration);
}

/* The value of key @i, with the sign that the value has in a table */
static u64 row_val(const struct graph_hist_key *key, const struct graph_prog *prog,
		   unsigned int i)
{
	const u8 *sizes = prog->cond->key_sizes, *from = key->vals;
	unsigned int k;

	for (k = 0; k < i; k++)
		from += sizes[k];
	if (sizes[i] == sizeof(u64))
		return get_unaligned((const u64 *)from);
	return (s64)(s32)get_unaligned((const u32 *)from);
}

static struct graph_cond *make_line(struct kunit *test, const char *keys)
{
	struct graph_cond_error err = { };
	struct graph_cond *cond;
	char line[64];

	snprintf(line, sizeof(line), "f: %s", keys);
	cond = graph_line_parse(GRAPH_LINES_HIST, line, &err);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(cond), "%s: %u at %u", line, err.nr,
			       err.pos);
	return cond;
}

static struct graph_prog *make_hist_prog(struct kunit *test, struct graph_cond *cond)
{
	struct graph_cond_error err = { };
	struct graph_prog *prog;

	prog = graph_cond_prog(cond, 0, &hist_hold, &err);
	KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %u at %u", cond->line,
			       err.nr, err.pos);
	return prog;
}

static void test_keys(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(hist_cases); i++) {
		struct graph_cond *cond = make_line(test, hist_cases[i].keys);
		struct graph_prog *prog = make_hist_prog(test, cond);
		struct graph_hist_key key;

		if (!IS_ERR(prog)) {
			KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
			get_row(&key, prog, HIST_RET, HIST_DURATION);
			KUNIT_EXPECT_EQ(test, key.func, 0x4711);
			KUNIT_EXPECT_EQ(test, key.set, ARG_SIGS_IMAGE);
			for (k = 0; k < cond->nr_preds; k++)
				KUNIT_EXPECT_EQ_MSG(test, row_val(&key, prog, k),
						    hist_cases[i].vals[k],
						    "%s", cond->line);
		}
		graph_cond_free(cond);
	}
}

/* The value of an expression is not known if one of the line's expressions cannot be read */
static void test_unread(struct kunit *test)
{
	struct graph_cond *cond = make_line(test, "+0(name):u32,+0(flags):u32");
	struct graph_prog *prog = make_hist_prog(test, cond);
	unsigned long longs[GRAPH_LONGS];

	memcpy(longs, hist_longs, sizeof(longs));
	preempt_disable();
	if (!IS_ERR(prog)) {
		KUNIT_EXPECT_EQ(test, prog->nr_regs, 0);
		KUNIT_EXPECT_FALSE(test, graph_prog_read_keys(prog, longs));
	}
	preempt_enable();
	graph_cond_free(cond);
}

/* Texts are keys, as expressions and as the texts of objects; a long text is cut */
static void test_texts(struct kunit *test)
{
	static const struct {
		const char	*key;
		const char	*text;
		u8		last;
		const char	*hex;
	} cases[] = {
		{ "obj", "a name", GRAPH_KEY_WHOLE },
		{ "obj", "", GRAPH_KEY_WHOLE },
		{ "obj", "123456789012345678901234567890123456789012345678", GRAPH_KEY_CUT },
		{ "obj", "12345678901234567890123456789012345678901234567", GRAPH_KEY_WHOLE },
		{ "+8(obj):string", "a name", GRAPH_KEY_WHOLE },
		{ "+8($arg1):string", "123456789012345678901234567890123456789012345678",
		  GRAPH_KEY_CUT },
	};
	struct arg_digests digests = { .tags = { "object;0jx;8A64_cname;" } };
	struct arg_types types = { .digests = &digests };
	struct arg_sig_hold hold = { .sig = "(ab)iPSobject;obj;inum;", .types = &types };
	struct arg_sig_hold other = { .sig = "(ab)ilobj;inum;", .types = &types };
	struct {
		u64	x;
		char	name[64];
	} object = { };
	unsigned long longs[GRAPH_LONGS] = { (unsigned long)&object, 7 };
	struct graph_cond_error err = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_prog *prog, *number;
		struct graph_hist_key row;
		struct graph_cond *cond;
		char line[64];

		strscpy(object.name, cases[i].text);
		snprintf(line, sizeof(line), "num,%s", cases[i].key);
		cond = make_line(test, line);
		prog = graph_cond_prog(cond, 0, &hold, &err);
		number = graph_cond_prog(cond, 0, &other, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog) || IS_ERR(number), "%u at %u", err.nr,
				       err.pos);
		KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
		KUNIT_EXPECT_EQ(test, cond->map->key_size, 8 + 4 + GRAPH_KEY_TEXT_SIZE);
		memset(&row, 0xff, sizeof(row));
		preempt_disable();
		KUNIT_EXPECT_TRUE(test, graph_prog_read_keys(prog, longs));
		graph_hist_put_args(&row, prog, 0x4711, longs);
		preempt_enable();
		row.vals[4 + GRAPH_KEY_TEXT_SIZE] = 0;
		KUNIT_EXPECT_EQ_MSG(test, row.vals[4 + GRAPH_KEY_TEXT_SIZE - 1], cases[i].last,
				    "%s %s", line, cases[i].text);
		row.vals[4 + GRAPH_KEY_TEXT_SIZE - 1] = 0;
		KUNIT_EXPECT_EQ(test, strncmp(row.vals + 4, cases[i].text,
					      GRAPH_KEY_TEXT_SIZE - 1), 0);
		KUNIT_EXPECT_EQ(test, strlen(row.vals + 4),
				min(strlen(cases[i].text), GRAPH_KEY_TEXT_SIZE - 1UL));
		/* A number of another function has no rest of a text after it */
		if (cases[i].key[0] == 'o') {
			memset(&row, 0xff, sizeof(row));
			graph_hist_put_args(&row, number, 0x4711, longs);
			KUNIT_EXPECT_EQ(test, get_unaligned((u64 *)(row.vals + 4)), longs[0]);
			KUNIT_EXPECT_NULL(test, memchr_inv(row.vals + 12, 0,
							   GRAPH_KEY_TEXT_SIZE - 8));
		}
		graph_cond_free(cond);
	}
	/* With a modifier, the key is the address; an object that is NULL has no text */
	{
		struct graph_cond *cond = make_line(test, "obj.hex,obj");
		struct graph_prog *prog = graph_cond_prog(cond, 0, &hold, &err);

		KUNIT_EXPECT_FALSE(test, IS_ERR(prog));
		KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
		KUNIT_EXPECT_EQ(test, cond->key_sizes[0], 8);
		longs[0] = 0;
		preempt_disable();
		KUNIT_EXPECT_FALSE(test, graph_prog_read_keys(prog, longs));
		preempt_enable();
		graph_cond_free(cond);
	}
}

/* Numbers are sorted as signed numbers, also where other functions have a text; texts by bytes */
static void test_order(struct kunit *test)
{
	static const u64 numbers[] = { (u64)-300, (u64)-1, 0, 1, 2, 255, 256, 65536 };
	static const char * const texts[] = { "", "a", "a name", "b" };
	static const u8 sizes[] = { sizeof(u32), sizeof(u64), GRAPH_KEY_TEXT_SIZE };
	struct graph_hist_key left = { .func = 1 }, right = { .func = 1 };
	struct graph_cond *cond = make_line(test, "num");
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		cond->key_sizes[0] = sizes[k];
		for (i = 1; i < ARRAY_SIZE(numbers); i++) {
			put_unaligned(numbers[i - 1], (u64 *)left.vals);
			put_unaligned(numbers[i], (u64 *)right.vals);
			KUNIT_EXPECT_LT_MSG(test, graph_hist_compare(cond, &left, &right), 0,
					    "%u bytes: %lld", sizes[k], numbers[i]);
			KUNIT_EXPECT_GT(test, graph_hist_compare(cond, &right, &left), 0);
			KUNIT_EXPECT_EQ(test, graph_hist_compare(cond, &left, &left), 0);
		}
	}
	left.vals[GRAPH_KEY_TEXT_SIZE - 1] = GRAPH_KEY_WHOLE;
	right.vals[GRAPH_KEY_TEXT_SIZE - 1] = GRAPH_KEY_WHOLE;
	for (i = 1; i < ARRAY_SIZE(texts); i++) {
		strscpy_pad(left.vals, texts[i - 1], GRAPH_KEY_TEXT_SIZE - 1);
		strscpy_pad(right.vals, texts[i], GRAPH_KEY_TEXT_SIZE - 1);
		KUNIT_EXPECT_LT_MSG(test, graph_hist_compare(cond, &left, &right), 0, "%s",
				    texts[i]);
		KUNIT_EXPECT_GT(test, graph_hist_compare(cond, &right, &left), 0);
	}
	graph_cond_free(cond);

	/* The number that stands for < 0 is before 0 */
	cond = make_line(test, "num.log2");
	cond->key_sizes[0] = sizeof(u32);
	put_unaligned((u32)GRAPH_HIST_NEGATIVE, (u32 *)left.vals);
	put_unaligned(0U, (u32 *)right.vals);
	KUNIT_EXPECT_LT(test, graph_hist_compare(cond, &left, &right), 0);
	graph_cond_free(cond);
}

/* The bounds of .log2 */
static void test_log2(struct kunit *test)
{
	static const struct {
		u64	val;
		u64	log2;
	} cases[] = {
		{ 0, 0 }, { 1, 0 + 1 }, { 2, 1 + 1 }, { 3, 2 + 1 }, { 4, 2 + 1 },
		{ 5, 3 + 1 }, { BIT_ULL(31), 31 + 1 }, { BIT_ULL(31) + 1, 32 + 1 },
		{ BIT_ULL(63), 63 + 1 }, { BIT_ULL(63) + 1, 64 + 1 },
		{ U64_MAX, 64 + 1 },
	};
	struct graph_cond *cond = make_line(test, "duration.log2");
	struct graph_prog *prog = make_hist_prog(test, cond);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
	for (i = 0; !IS_ERR(prog) && i < ARRAY_SIZE(cases); i++) {
		struct graph_hist_key key;

		get_row(&key, prog, 0, cases[i].val);
		KUNIT_EXPECT_EQ_MSG(test, row_val(&key, prog, 0), cases[i].log2,
				    "%llx", cases[i].val);
	}
	graph_cond_free(cond);
}

/* The function's return type determines whether a value is an error */
static void test_error(struct kunit *test)
{
	static const struct {
		u64	ret;
		u64	error;
	} cases[] = {
		{ 0, 0 }, { 12, 0 }, { (u32)-1, -1 }, { (u32)-4095, -4095 },
		{ (u32)-4096, 0 }, { 0xffffffff00000000UL, 0 },
	};
	struct graph_cond *cond = make_line(test, "error");
	struct graph_prog *prog = make_hist_prog(test, cond);
	unsigned int i;

	KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
	for (i = 0; !IS_ERR(prog) && i < ARRAY_SIZE(cases); i++) {
		struct graph_hist_key key;

		get_row(&key, prog, cases[i].ret, 0);
		KUNIT_EXPECT_EQ_MSG(test, row_val(&key, prog, 0), cases[i].error,
				    "%llx", cases[i].ret);
	}
	graph_cond_free(cond);
}

/* The line sets the number of rows of the table, and calls without a row are counted */
static void test_table(struct kunit *test)
{
	struct graph_cond *cond = make_line(test, "duration size=128");
	struct graph_prog *prog = make_hist_prog(test, cond);
	struct graph_hist_key key;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, cond->map_bits, 7);
	KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
	for (i = 0; cond->map && !IS_ERR(prog) && i < 3 * 200; i++) {
		get_row(&key, prog, 0, i % 200);
		graph_hist_count(prog, &key);
	}
	if (cond->map) {
		KUNIT_EXPECT_EQ(test, atomic64_read(&cond->map->hits), 3 * 128);
		KUNIT_EXPECT_EQ(test, atomic64_read(&cond->map->drops), 3 * 72);
	}
	graph_cond_free(cond);
}

/* Whether the table of the only line has a row of a function with this name */
static bool is_named(struct kunit *test, struct graph_filter *filter, const char *name)
{
	struct trace_array *tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	struct seq_file m = { .size = PAGE_SIZE, .private = tr };
	char row[128];

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, tr && m.buf);
	tr->graph_hist = filter;
	KUNIT_EXPECT_EQ(test, graph_hist_show(&m, NULL), 0);
	m.buf[min(m.count, m.size - 1)] = '\0';
	snprintf(row, sizeof(row), "{ func: %s", name);
	return strstr(m.buf, row);
}

/*
 * A function of a module without signatures has its name only while it is known to be there. The
 * functions of this module have no signatures
 */
static void test_module_names(struct kunit *test)
{
	unsigned long func = (unsigned long)test_keys;
	struct graph_cond *cond;
	struct graph_filter filter = { };
	struct graph_prog *prog;
	struct graph_hist_key key;
	struct func_map *table;
	struct graph_rule *rule;
	char hex[32];
	int i;

	if (!THIS_MODULE)
		kunit_skip(test, "not a module");
	cond = make_line(test, "flags");
	prog = make_hist_prog(test, cond);
	table = kunit_kzalloc(test, struct_size(table, slots, 2), GFP_KERNEL);
	rule = kunit_kzalloc(test, struct_size(rule, progs, 1), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, !IS_ERR(prog) && table && rule);
	KUNIT_ASSERT_EQ(test, graph_hist_make_map(cond), 0);
	rule->nr = 1;
	rule->progs[0] = prog;
	table->mask = 1;
	table->shift = BITS_PER_LONG - 1;
	i = func_map_hash(table, func);
	table->slots[i] = (struct func_map_slot){ func, rule };
	INIT_LIST_HEAD(&filter.conds);
	list_add(&cond->list, &filter.conds);
	RCU_INIT_POINTER(filter.table, table);
	get_row(&key, prog, 0, 0);
	key.func = func;
	graph_hist_count(prog, &key);
	snprintf(hex, sizeof(hex), "0x%lx,", func);

	KUNIT_EXPECT_TRUE(test, is_named(test, &filter, "test_keys ["));
	KUNIT_EXPECT_FALSE(test, is_named(test, &filter, hex));
	/* A module was loaded since, perhaps in the place of another module */
	cond->late_funcs = true;
	KUNIT_EXPECT_TRUE(test, is_named(test, &filter, hex));
	/* The module is gone, and a module for which the line has no rule may be there */
	cond->late_funcs = false;
	table->slots[i].val = NULL;
	KUNIT_EXPECT_TRUE(test, is_named(test, &filter, hex));
	graph_cond_free(cond);
}

/* A line with a condition counts the calls that meet the condition */
static void test_if(struct kunit *test)
{
	static const struct {
		const char	*line;
		bool		at_return;
		bool		kept;
		bool		met;
	} cases[] = {
		{ "flags if num == -5", false, false, true },
		{ "flags if num != -5 || flags > 6", false, false, false },
		{ "flags size=128 if(flags == 6&&mixed.a == 65)", false, false, true },
		{ "flags if +4(name):s16 == -300", false, false, true },
		{ "flags if ret == -2", true, true, true },
		{ "ret if error && num == -5", true, true, true },
		{ "ret if error && num == 5", true, true, false },
		{ "ret if !error", true, false, false },
		{ "duration.log2 if duration > 1us && ret < 0", true, false, true },
		{ "duration if flags & 2 && flags & 4 && duration < 1us", true, true, false },
	};
	struct call_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	struct graph_entry entry = { .record = record, .data = record };
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, record);
	memcpy(record->longs, hist_longs, sizeof(record->longs));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *cond = make_line(test, cases[i].line);
		struct graph_prog *prog = make_hist_prog(test, cond);
		bool met;

		if (!IS_ERR(prog)) {
			KUNIT_EXPECT_EQ_MSG(test, cond->at_return, cases[i].at_return, "%s",
					    cond->line);
			KUNIT_EXPECT_EQ_MSG(test, graph_prog_is_kept(prog), cases[i].kept, "%s",
					    cond->line);
			KUNIT_EXPECT_EQ_MSG(test, prog->nr_regs, 0, "%s", cond->line);
			KUNIT_EXPECT_PTR_EQ(test, make_hist_prog(test, cond), prog);
			preempt_disable();
			if (cond->at_return)
				met = graph_prog_is_met_at_return(prog->only, HIST_RET,
								  HIST_DURATION,
								  graph_prog_compare(prog->only,
										     &entry));
			else
				met = graph_prog_is_met(prog->only, &entry);
			preempt_enable();
			KUNIT_EXPECT_EQ_MSG(test, met, cases[i].met, "%s", cond->line);
		}
		graph_cond_free(cond);
	}
}

/* An existing table gets no values that its rows have no room for */
static void test_wider(struct kunit *test)
{
	static const struct arg_sig_hold wide_hold = {
		.sig = "(ab)ilnum;jflags;", .types = &hist_types,
	};
	struct graph_cond *cond = make_line(test, "num");
	struct graph_cond_error err = { };
	struct graph_prog *prog = make_hist_prog(test, cond);

	KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
	KUNIT_EXPECT_EQ(test, cond->key_sizes[0], 4);
	KUNIT_EXPECT_PTR_EQ(test, make_hist_prog(test, cond), prog);
	prog = graph_cond_prog(cond, 0, &wide_hold, &err);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(prog), -EINVAL);
	KUNIT_EXPECT_EQ(test, err.nr, GRAPH_COND_ERR_NO_VALUE);
	graph_cond_free(cond);

	/* A table that is made for both types has room for the values of both types */
	cond = make_line(test, "num");
	make_hist_prog(test, cond);
	prog = graph_cond_prog(cond, 0, &wide_hold, &err);
	KUNIT_EXPECT_FALSE(test, IS_ERR(prog));
	KUNIT_EXPECT_EQ(test, graph_hist_make_map(cond), 0);
	KUNIT_EXPECT_EQ(test, cond->key_sizes[0], 8);
	graph_cond_free(cond);
}

/* Lines that are refused by the parser, or for the function */
static const struct {
	const char	*line;
	unsigned int	nr;
	unsigned int	pos;
} bad_lines[] = {
	{ "f", GRAPH_COND_ERR_NO_COLON, 1 },
	{ ": num", GRAPH_COND_ERR_NO_GLOB, 0 },
	{ "f:", GRAPH_COND_ERR_NO_KEY, 2 },
	{ "f: num,", GRAPH_COND_ERR_NO_KEY, 7 },
	{ "f: ,num", GRAPH_COND_ERR_NO_KEY, 3 },
	{ "f: 7", GRAPH_COND_ERR_NO_KEY, 3 },
	{ "f: num flags", GRAPH_COND_ERR_EXPECT_COMMA, 7 },
	{ "f: num == 1", GRAPH_COND_ERR_EXPECT_COMMA, 7 },
	{ "f: num,flags,on,ret", GRAPH_COND_ERR_TOO_MANY, 16 },
	{ "f: COMM.hex", GRAPH_COND_ERR_BAD_FORM, 3 },
	{ "f: error.log2", GRAPH_COND_ERR_BAD_FORM, 3 },
	{ "f: num size=", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=0", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=131073", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=64", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=100", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=200", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num size=128 x", GRAPH_COND_ERR_EXPECT_COMMA, 16 },
	{ "f: num size=1281281281281", GRAPH_COND_ERR_BAD_SIZE, 12 },
	{ "f: num if", GRAPH_COND_ERR_NO_PRED, 9 },
	{ "f: num if COMM", GRAPH_COND_ERR_BAD_OP, 14 },
	{ "f: num if num == 1 size=128", GRAPH_COND_ERR_EXPECT_AND, 19 },
	{ "f: num ifnum == 1", GRAPH_COND_ERR_EXPECT_COMMA, 7 },
	{ "f: if num == 1", GRAPH_COND_ERR_EXPECT_COMMA, 6 },
	{ "f: num if (num == 1", GRAPH_COND_ERR_PAREN, 19 },
	{ "f: num if num == \"a\"", GRAPH_COND_ERR_BAD_TYPE, 17 },
	{ "f: num if nothing == 1", GRAPH_COND_ERR_NO_FIELD, 10 },
	/* Lines that are refused for the function */
	{ "f: name", GRAPH_COND_ERR_BAD_KEY, 3 },
	{ "f: num,nothing", GRAPH_COND_ERR_NO_FIELD, 7 },
	{ "f: mixed", GRAPH_COND_ERR_NO_VALUE, 3 },
	{ "f: num.sym", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: any", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: num,+0(name", GRAPH_COND_ERR_NO_CLOSE, 14 },
	{ "f: num,+0(name):s33", GRAPH_COND_ERR_NO_TYPE, 16 },
	{ "f: num,+0(name):u8.log3", GRAPH_COND_ERR_EXPECT_COMMA, 18 },
	{ "f: num,+0(name):string.hex", GRAPH_COND_ERR_BAD_FORM, 7 },
	{ "f: num,+0(none):u8", GRAPH_COND_ERR_NO_FIELD, 10 },
	{ "f: a=+0(name):u8", GRAPH_COND_ERR_EXPECT_COMMA, 4 },
};

static void test_hist_bad_lines(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		struct graph_cond_error err = { };
		struct graph_cond *cond;

		cond = graph_line_parse(GRAPH_LINES_HIST, bad_lines[i].line, &err);
		if (!IS_ERR(cond)) {
			KUNIT_EXPECT_TRUE_MSG(test,
					      IS_ERR(graph_cond_prog(cond, 0, &hist_hold,
								     &err)),
					      "%s", bad_lines[i].line);
			graph_cond_free(cond);
		}
		KUNIT_EXPECT_EQ_MSG(test, err.nr, bad_lines[i].nr, "%s",
				    bad_lines[i].line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, bad_lines[i].pos, "%s",
				    bad_lines[i].line);
	}
}

static int graph_hist_suite_init(struct kunit_suite *suite)
{
	hist_types.text = hist_types_text;
	hist_types.size = sizeof(hist_types_text);
	return arg_types_alloc(&hist_types);
}

static void graph_hist_suite_exit(struct kunit_suite *suite)
{
	kvfree(hist_types.index);
}

static struct kunit_case graph_hist_cases[] = {
	KUNIT_CASE(test_keys),
	KUNIT_CASE(test_unread),
	KUNIT_CASE(test_module_names),
	KUNIT_CASE(test_if),
	KUNIT_CASE(test_texts),
	KUNIT_CASE(test_order),
	KUNIT_CASE(test_log2),
	KUNIT_CASE(test_error),
	KUNIT_CASE(test_table),
	KUNIT_CASE(test_wider),
	KUNIT_CASE(test_hist_bad_lines),
	{}
};

static struct kunit_suite graph_hist_suite = {
	.name = "graph_hist",
	.suite_init = graph_hist_suite_init,
	.suite_exit = graph_hist_suite_exit,
	.test_cases = graph_hist_cases,
};

kunit_test_suite(graph_hist_suite);
