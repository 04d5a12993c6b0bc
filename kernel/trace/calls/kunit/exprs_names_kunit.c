// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the names of members in the user's expressions: BTF has the layouts of
 * this file's structures, and the compiler has the offsets to compare
 */
#include <linux/err.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../../trace.h"
#include "../../args/capture.h"
#include "../../args/table.h"
#include "../lines.h"

/* No expression has a type with a description */
static struct arg_types kunit_types;

/**
 * struct expr_inner - an object that another object points to
 * @name: a text in the object
 * @number: a number
 * @self: the object's own address
 */
struct expr_inner {
	char			name[16];
	s32			number;
	struct expr_inner	*self;
};

struct bad_line {
	const char	*line;
	unsigned int	nr;
	unsigned int	pos;
};

enum expr_colour { EXPR_RED, EXPR_GREEN };

/* The structure has a member of each kind that a member can have */
struct expr_named {
	short			small;
	union {
		int			num;
		struct {
			u8			low;
			bool			on;
		};
	};
	struct expr_inner	inner;
	struct expr_inner	*ptr;
	const char		*text;
	enum expr_colour	colour;
	unsigned int		one : 1, five : 5, : 3, nine : 9;
	void			*data;
	const u8		*bytes;
	int			(*func)(int nr);
	struct expr_inner	two[2];
	u8			raw[6];
	s64			wide;
	short			grid[2][3];
	struct expr_inner	*links[3];
	unsigned int		rest[];
};

static struct expr_named named = { .num = 1 };

#define NAMED_SIG	"(abcdef)vPKSexpr_named;obj;PSexpr_inner;in;Pvdata;inr;PKcbuf;Psptr;"
#define N(member)	((int)offsetof(struct expr_named, member))
#define I(member)	((int)offsetof(struct expr_inner, member))

/* An expression with names, and the same expression with %d for each offset */
struct name_case {
	const char	*names;
	const char	*numbers;
	int		offsets[3];
};

static const struct name_case name_cases[] = {
	{ "obj->small", "+%d(obj):s16", { N(small) } },
	{ "obj->num", "+%d(obj):s32", { N(num) } },
	{ "obj->low", "+%d(obj):u8", { N(low) } },
	{ "obj->on", "+%d(obj):u8", { N(on) } },
	{ "obj->wide", "+%d(obj):s64", { N(wide) } },
	{ "obj->colour", "+%d(obj):s32", { N(colour) } },
	{ "obj->ptr", "+%d(obj):x64", { N(ptr) } },
	{ "obj->func", "+%d(obj):x64", { N(func) } },
	{ "obj->func:symbol", "+%d(obj):symbol", { N(func) } },
	{ "obj->inner.number", "+%d(obj):s32", { N(inner.number) } },
	{ "obj->ptr->number", "+%d(+%d(obj)):s32", { I(number), N(ptr) } },
	{ "obj->inner.self->self->number", "+%d(+%d(+%d(obj))):s32",
	  { I(number), I(self), N(inner.self) } },
	{ "$arg1->ptr->number:x8", "+%d(+%d(obj)):x8", { I(number), N(ptr) } },
	/* Bit-fields */
	{ "obj->one", "+%d(obj):b1@0/8", { N(colour) + 4 } },
	{ "obj->five", "+%d(obj):b5@1/8", { N(colour) + 4 } },
	{ "obj->nine", "+%d(obj):b9@1/16", { N(colour) + 5 } },
	{ "obj->five:u32", "+%d(obj):u32", { N(colour) + 4 } },
	/* Text */
	{ "obj->inner.name", "+%d(obj):string", { N(inner.name) } },
	{ "obj->inner.name:string", "+%d(obj):string", { N(inner.name) } },
	{ "obj->text:string", "+0(+%d(obj)):string", { N(text) } },
	{ "obj->text:ustring", "+0(+%d(obj)):ustring", { N(text) } },
	{ "obj->bytes:string", "+0(+%d(obj)):string", { N(bytes) } },
	{ "obj->raw:string", "+%d(obj):string", { N(raw) } },
	{ "buf:string", "+0(buf):string", { } },
	/* Casts */
	{ "(expr_inner)data->number", "+%d(data):s32", { I(number) } },
	{ "(expr_inner)$arg3->self->name", "+%d(+%d(data)):string", { I(name), I(self) } },
	{ "(expr_inner)obj->number", "+%d(obj):s32", { I(number) } },
	{ "(expr_inner)nr->number", "+%d(nr):s32", { I(number) } },
	{ "(expr_named,inner)in->num", "-%d(in):s32", { N(inner) - N(num) } },
	{ "(expr_named,inner.number)in->wide", "+%d(in):s64", { N(wide) - N(inner.number) } },
	{ "(expr_named,ptr)data->ptr->number", "+%d(+0(data)):s32", { I(number) } },
	/* Casts around offsets and within offsets */
	{ "(expr_inner)+8(data)->number", "+%d(+8(data)):s32", { I(number) } },
	{ "(expr_inner)+u8(obj->data)->number", "+%d(+u8(+%d(obj))):s32",
	  { I(number), N(data) } },
	{ "+8(obj->ptr):u8", "+8(+%d(obj)):u8", { N(ptr) } },
	{ "-8(obj->ptr->self)", "-8(+%d(+%d(obj))):x64", { I(self), N(ptr) } },
	{ "(expr_named)+0((expr_inner)data->self)->num", "+%d(+0(+%d(data))):s32",
	  { N(num), I(self) } },
	/* Elements of arrays */
	{ "obj->raw[5]", "+%d(obj):u8", { N(raw) + 5 } },
	{ "obj->inner.name[0xf]:char", "+%d(obj):char", { N(inner.name) + 15 } },
	{ "obj->grid[5]", "+%d(obj):s16", { N(grid[1][2]) } },
	{ "obj->rest[1000]", "+%d(obj):u32", { N(rest) + 4000 } },
	{ "obj->two[1].number", "+%d(obj):s32", { N(two[1].number) } },
	{ "obj->two[1].self->name[2]", "+%d(+%d(obj)):u8", { I(name) + 2, N(two[1].self) } },
	{ "obj->links[2]", "+%d(obj):x64", { N(links[2]) } },
	{ "obj->links[0]->number", "+%d(+%d(obj)):s32", { I(number), N(links[0]) } },
	{ "+8(obj->links[1]):u8", "+8(+%d(obj)):u8", { N(links[1]) } },
	{ "obj->raw[2]:x8[3]", "+%d(obj):x8[3]", { N(raw) + 2 } },
	{ "obj->bytes[3]", "+3(+%d(obj)):u8", { N(bytes) } },
	{ "buf[4]", "+4(buf):u8", { } },
	{ "ptr[2]", "+4(ptr):s16", { } },
	{ "ptr[2]:x16", "+4(ptr):x16", { } },
	{ "+8(ptr[1]):u8", "+8(+2(ptr)):u8", { } },
	{ "buf[2]:string", "+2(buf):string", { } },
	/* Slices */
	{ "obj->raw[0..5]", "+%d(obj):x8[6]", { N(raw) } },
	{ "obj->inner.name[3..3]", "+%d(obj):x8[1]", { N(inner.name) + 3 } },
	{ "obj->two[1].name[0..15]:char", "+%d(obj):char[16]", { N(two[1].name) } },
	{ "obj->grid[2..3]", "+%d(obj):s16[2]", { N(grid[0][2]) } },
	{ "obj->grid[2..3]:u16", "+%d(obj):u16[2]", { N(grid[0][2]) } },
	{ "obj->links[1..2]", "+%d(obj):x64[2]", { N(links[1]) } },
	{ "obj->rest[1..16]", "+%d(obj):u32[16]", { N(rest) + 4 } },
	{ "obj->text[2..3]", "+2(+%d(obj)):x8[2]", { N(text) } },
	{ "ptr[1..3]", "+2(ptr):s16[3]", { } },
	{ "buf[0..63]", "+0(buf):x8[64]", { } },
	{ "obj->two[1].self->name[1..2]", "+%d(+%d(obj)):x8[2]",
	  { I(name) + 1, N(two[1].self) } },
};

static const struct bad_line bad_names[] = {
	{ "f: obj->nothing", GRAPH_COND_ERR_NO_MEMBER, 8 },
	{ "f: obj->inner.nothing", GRAPH_COND_ERR_NO_MEMBER, 14 },
	{ "f: obj->smal", GRAPH_COND_ERR_NO_MEMBER, 8 },
	{ "f: obj->num.x", GRAPH_COND_ERR_NOT_RECORD, 11 },
	{ "f: obj->ptr.number", GRAPH_COND_ERR_NOT_RECORD, 11 },
	{ "f: obj->num->x", GRAPH_COND_ERR_NO_POINTER, 11 },
	{ "f: obj->inner->number", GRAPH_COND_ERR_NO_POINTER, 13 },
	{ "f: obj->data->x", GRAPH_COND_ERR_NO_POINTER, 12 },
	{ "f: obj->two->number", GRAPH_COND_ERR_NO_POINTER, 11 },
	{ "f: data->number", GRAPH_COND_ERR_NO_POINTER, 7 },
	{ "f: nr->number", GRAPH_COND_ERR_NO_POINTER, 5 },
	{ "f: buf->number", GRAPH_COND_ERR_NO_POINTER, 6 },
	{ "f: ptr->number", GRAPH_COND_ERR_NO_POINTER, 6 },
	{ "f: nobody->num", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: obj->inner", GRAPH_COND_ERR_NO_NUMBER, 8 },
	{ "f: obj->raw", GRAPH_COND_ERR_NO_NUMBER, 8 },
	{ "f: obj->num:string", GRAPH_COND_ERR_NOT_TEXT, 12 },
	{ "f: obj->ptr:string", GRAPH_COND_ERR_NOT_TEXT, 12 },
	{ "f: nr:string", GRAPH_COND_ERR_NO_TEXT, 6 },
	{ "f: data:string", GRAPH_COND_ERR_NO_TEXT, 8 },
	{ "f: *nr", GRAPH_COND_ERR_NO_POINTER, 4 },
	{ "f: *data", GRAPH_COND_ERR_NO_POINTER, 4 },
	{ "f: *obj->num", GRAPH_COND_ERR_NO_POINTER, 4 },
	{ "f: *obj->inner", GRAPH_COND_ERR_NO_POINTER, 4 },
	{ "f: *obj[1]", GRAPH_COND_ERR_NO_ELEMENT, 7 },
	{ "f: nr, *nobody", GRAPH_COND_ERR_NO_FIELD, 8 },
	{ "f: obj->raw[6]", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->raw[0x7fffffff]", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->rest[0x7fffffff]", GRAPH_COND_ERR_NO_ELEMENT, 12 },
	{ "f: obj->num[0]", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->data[0]", GRAPH_COND_ERR_NO_ELEMENT, 12 },
	{ "f: obj->func[0]", GRAPH_COND_ERR_NO_ELEMENT, 12 },
	{ "f: obj->ptr[0].number", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: data[0]", GRAPH_COND_ERR_NO_ELEMENT, 7 },
	{ "f: in[0].number", GRAPH_COND_ERR_NOT_RECORD, 8 },
	{ "f: in[0]", GRAPH_COND_ERR_NO_ELEMENT, 5 },
	{ "f: ptr[0..32]", GRAPH_COND_ERR_BAD_ARRAY, 6 },
	{ "f: ptr[0..1]:u8", GRAPH_COND_ERR_NO_ELEMENT, 13 },
	{ "f: ptr[0x7fffffff]", GRAPH_COND_ERR_BAD_OFFSET, 6 },
	{ "f: ptr[1]->x", GRAPH_COND_ERR_NO_POINTER, 9 },
	{ "f: obj->inner[0].number", GRAPH_COND_ERR_NO_ELEMENT, 13 },
	{ "f: obj->two[2].number", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->two[1]", GRAPH_COND_ERR_NO_NUMBER, 11 },
	{ "f: obj->two[1].nothing", GRAPH_COND_ERR_NO_MEMBER, 15 },
	{ "f: obj->raw[1].x", GRAPH_COND_ERR_NOT_RECORD, 14 },
	{ "f: obj->raw[1]->x", GRAPH_COND_ERR_NO_POINTER, 14 },
	{ "f: obj->raw[5..6]", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->raw[6..6]", GRAPH_COND_ERR_NO_ELEMENT, 11 },
	{ "f: obj->two[0..1]", GRAPH_COND_ERR_NO_NUMBER, 11 },
	{ "f: obj->raw[0..1]:x16", GRAPH_COND_ERR_NO_ELEMENT, 18 },
	{ "f: obj->raw[0..1]:string", GRAPH_COND_ERR_NO_ELEMENT, 18 },
	{ "f: obj->raw[0..1]:b4@0/8", GRAPH_COND_ERR_NO_ELEMENT, 18 },
	{ "f: obj->rest[0..16]", GRAPH_COND_ERR_BAD_ARRAY, 12 },
	{ "f: (expr_nothing)data->number", GRAPH_COND_ERR_NO_RECORD, 4 },
	{ "f: (expr_name)data->number", GRAPH_COND_ERR_NO_RECORD, 4 },
	{ "f: (expr_named,nothing)in->num", GRAPH_COND_ERR_NO_MEMBER, 15 },
	{ "f: (expr_named,num.x)in->num", GRAPH_COND_ERR_NOT_RECORD, 18 },
	{ "f: (expr_named,five)in->num", GRAPH_COND_ERR_BAD_BITS, 15 },
	{ "f: (expr_named,inner)in->nothing", GRAPH_COND_ERR_NO_MEMBER, 25 },
	{ "f: a=+8(obj->inner.x):u8", GRAPH_COND_ERR_NO_MEMBER, 19 },
	{ "f: obj->ptr->self->self->self->self->self->self", GRAPH_COND_ERR_TOO_DEEP, 43 },
};

/* Find the error of a line for a function of this module, 0 if there is no error */
static struct graph_cond_error error_of(const char *line, const char *sig)
{
	struct arg_sig_hold hold = { .sig = sig, .types = &kunit_types };
	struct graph_cond_error err = { };
	struct graph_prog *prog;
	struct graph_cond *cond;

	cond = graph_line_parse(GRAPH_LINES_EXPRS, line, &err);
	if (IS_ERR(cond))
		return err;
	prog = graph_cond_prog(cond, (unsigned long)error_of, &hold, &err);
	if (!IS_ERR(prog))
		err = (struct graph_cond_error){ };
	graph_cond_free(cond);
	return err;
}

/* Whether the kernel knows the layouts of this file's structures */
static bool have_layouts(void)
{
	if (IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		expr_layouts_prepare("->");
	return error_of("f: (expr_named)obj->num", NAMED_SIG).nr != GRAPH_COND_ERR_NO_LAYOUT;
}

/* Names of members lead to the offsets of the compiler */
static void test_expr_names(struct kunit *test)
{
	struct arg_sig_hold hold = { .sig = NAMED_SIG, .types = &kunit_types };
	char *text = kunit_kzalloc(test, 256, GFP_KERNEL);
	unsigned int i;

	if (!have_layouts())
		kunit_skip(test, "the kernel has no BTF of this module");
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_EQ(test, named.num, 1);
	for (i = 0; i < ARRAY_SIZE(name_cases); i++) {
		const struct name_case *each = &name_cases[i];
		struct graph_cond *names, *numbers;
		struct graph_cond_error err = { };
		struct graph_prog *prog, *other;
		int len;

		snprintf(text, 256, "f: n=%s", each->names);
		names = graph_line_parse(GRAPH_LINES_EXPRS, text, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(names), "%s: %u", text, err.nr);
		prog = graph_cond_prog(names, (unsigned long)error_of, &hold, &err);
		len = snprintf(text, 256, "f: n=");
		snprintf(text + len, 256 - len, each->numbers, each->offsets[0],
			 each->offsets[1], each->offsets[2]);
		numbers = graph_line_parse(GRAPH_LINES_EXPRS, text, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(numbers), "%s: %u", text, err.nr);
		other = graph_cond_prog(numbers, 0, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(other), "%s: %u", text, err.nr);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %u at %u", each->names, err.nr,
				       err.pos);
		if (!IS_ERR(prog)) {
			KUNIT_EXPECT_STREQ_MSG(test, prog->exprs->text, other->exprs->text,
					       "%s", each->names);
			KUNIT_EXPECT_TRUE_MSG(test, !memcmp(prog->exprs->exprs,
							    other->exprs->exprs,
							    sizeof(other->exprs->exprs[0])),
					      "%s is not %s", each->names, text);
		}
		graph_cond_free(names);
		graph_cond_free(numbers);
	}
}

/* A key of a line of keys, and a comparison, lead to the same places. A slice is neither */
static void test_key_names(struct kunit *test)
{
	struct arg_sig_hold hold = { .sig = NAMED_SIG, .types = &kunit_types };
	char *text = kunit_kzalloc(test, 256, GFP_KERNEL);
	struct graph_cond_error err = { };
	struct graph_cond *expr, *key;
	struct graph_prog *prog, *other;
	unsigned int i;

	if (!have_layouts())
		kunit_skip(test, "the kernel has no BTF of this module");
	KUNIT_ASSERT_NOT_NULL(test, text);
	for (i = 0; i < ARRAY_SIZE(name_cases); i++) {
		if (strchr(name_cases[i].numbers, '['))
			continue;
		snprintf(text, 256, "f: %s", name_cases[i].names);
		expr = graph_line_parse(GRAPH_LINES_EXPRS, text, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(expr), "%s: %u", text, err.nr);
		prog = graph_cond_prog(expr, (unsigned long)error_of, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%s: %u", text, err.nr);
		strlcat(text, prog->exprs->exprs[0].part.kind ? ".hex if " : " if ", 256);
		snprintf(text + strlen(text), 256 - strlen(text), "%s %s", name_cases[i].names,
			 prog->exprs->exprs[0].part.kind ? "!= 1" : "!= \"x\"");
		key = graph_line_parse(GRAPH_LINES_HIST, text, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(key), "%s: %u at %u", text, err.nr, err.pos);
		other = graph_cond_prog(key, (unsigned long)error_of, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(other), "%s: %u at %u", text, err.nr, err.pos);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(prog->exprs->exprs, other->exprs->exprs,
						    sizeof(prog->exprs->exprs[0])), "%s", text);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(prog->exprs->exprs, other->only->exprs->exprs,
						    sizeof(prog->exprs->exprs[0])), "%s", text);
		graph_cond_free(expr);
		graph_cond_free(key);
	}
}

#define ALL_OF_OBJ							\
	"f: obj->small, obj->num, obj->low, obj->on, "			\
	"obj->inner.name, obj->inner.number, obj->inner.self, "		\
	"obj->ptr, obj->text, obj->colour, obj->one, obj->five, "	\
	"obj->nine, obj->data, obj->bytes, obj->func, obj->wide"
#define TEN	"nr,nr,nr,nr,nr,nr,nr,nr,nr,nr"
#define THIRTY	TEN "," TEN "," TEN

/* A structure stands for its members */
static void test_whole(struct kunit *test)
{
	static const struct {
		const char	*whole;
		const char	*members;
		const char	*rest;
	} cases[] = {
		{ "f: *in", "f: in->name, in->number, in->self", "" },
		{ "f: nr, n=$arg4:u8, *in",
		  "f: nr, n=$arg4:u8, in->name, in->number, in->self", "" },
		{ "f: *obj->ptr", "f: obj->ptr->name, obj->ptr->number, obj->ptr->self", "" },
		{ "f: *obj", ALL_OF_OBJ, "vobj->...;" },
		/* The line has room for two of three members */
		{ "f: " THIRTY ", *in", "f: " THIRTY ", in->name, in->number", "vin->...;" },
	};
	struct arg_sig_hold hold = { .sig = NAMED_SIG, .types = &kunit_types };
	struct graph_cond_error err = { };
	unsigned int i;

	if (!have_layouts())
		kunit_skip(test, "the kernel has no BTF of this module");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct graph_cond *whole, *members;
		struct call_exprs *got, *want;
		struct graph_prog *prog;
		size_t len;

		whole = graph_line_parse(GRAPH_LINES_EXPRS, cases[i].whole, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(whole), "%u", err.nr);
		prog = graph_cond_prog(whole, (unsigned long)error_of, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%u", err.nr);
		got = prog->exprs;
		members = graph_line_parse(GRAPH_LINES_EXPRS, cases[i].members, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(members), "%u", err.nr);
		prog = graph_cond_prog(members, (unsigned long)error_of, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%u", err.nr);
		want = prog->exprs;
		len = strlen(want->text);
		KUNIT_EXPECT_EQ(test, got->nr, want->nr);
		KUNIT_EXPECT_TRUE_MSG(test, !strncmp(got->text, want->text, len), "%s, not %s",
				      got->text, want->text);
		KUNIT_EXPECT_STREQ(test, got->text + min(len, strlen(got->text)), cases[i].rest);
		KUNIT_EXPECT_TRUE(test, !memcmp(got->exprs, want->exprs,
						min(got->nr, want->nr) * sizeof(want->exprs[0])));
		graph_cond_free(whole);
		graph_cond_free(members);
	}
}

static void test_bad_names(struct kunit *test)
{
	struct graph_cond_error err;
	unsigned int i;

	if (!have_layouts())
		kunit_skip(test, "the kernel has no BTF of this module");
	for (i = 0; i < ARRAY_SIZE(bad_names); i++) {
		err = error_of(bad_names[i].line, NAMED_SIG);
		KUNIT_EXPECT_EQ_MSG(test, err.nr, bad_names[i].nr, "%s", bad_names[i].line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, bad_names[i].pos, "%s", bad_names[i].line);
	}
}

/* Without layouts each name is refused, with its place in the line */
static void test_no_layouts(struct kunit *test)
{
	static const struct bad_line lines[] = {
		{ "f: obj->inner", GRAPH_COND_ERR_NO_LAYOUT, 8 },
		{ "f: nr, a=+8(obj->inner.x):u8", GRAPH_COND_ERR_NO_LAYOUT, 17 },
		{ "f: *obj", GRAPH_COND_ERR_NO_LAYOUT, 4 },
		{ "f: (object)obj->inner", GRAPH_COND_ERR_NO_LAYOUT, 4 },
		{ "f: (object,inner)obj->inner", GRAPH_COND_ERR_NO_LAYOUT, 4 },
	};
	struct graph_cond_error err;
	unsigned int i;

	if (have_layouts())
		kunit_skip(test, "the kernel has BTF");
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		err = error_of(lines[i].line, NAMED_SIG);
		KUNIT_EXPECT_EQ_MSG(test, err.nr, lines[i].nr, "%s", lines[i].line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, lines[i].pos, "%s", lines[i].line);
	}
}

static struct kunit_case graph_exprs_names_cases[] = {
	KUNIT_CASE(test_expr_names),
	KUNIT_CASE(test_key_names),
	KUNIT_CASE(test_whole),
	KUNIT_CASE(test_bad_names),
	KUNIT_CASE(test_no_layouts),
	{}
};

static struct kunit_suite graph_exprs_names_suite = {
	.name = "graph_exprs_names",
	.test_cases = graph_exprs_names_cases,
};

kunit_test_suite(graph_exprs_names_suite);
