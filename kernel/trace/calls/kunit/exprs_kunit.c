// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the user's expressions: the lines, their programs, the capture and the
 * text.  calls/kunit/exprs_names_kunit.c tests the names of members.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

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

/**
 * struct expr_object - the object that a parameter points to
 * @inner: another object
 * @null: NULL
 * @text: a text
 * @bits: a word of bit-fields
 * @hole: an address that is not mapped
 * @last: a word
 */
struct expr_object {
	struct expr_inner	*inner;
	void			*null;
	const char		*text;
	u32			bits;
	void			*hole;
	u64			last;
};

static struct expr_inner inner = {
	.name = "inner", .number = -7, .self = &inner,
};

static struct expr_object object = {
	.inner = &inner, .text = "a\"b", .bits = 0xa5c3, .hole = (void *)~0xffffUL,
	.last = 0x1122334455667788,
};

/* void f(struct object *obj, int num, unsigned char c, bool gone, u64 big) */
#define EXPR_SIG	"(abc.d)vPSobject;obj;inum;hc;bgone;ybig;"
/* The bits of a long above a parameter do not belong to the parameter */
#define EXPR_NUM	(0xdeadbeef00000000UL | (u32)-5)

struct expr_case {
	const char	*exprs;
	const char	*text;
};

static const struct expr_case expr_cases[] = {
	/* Offsets of struct expr_object are 0, 8, 16, 24, 32, 40 */
	{ "+24(obj):x32", "+24(obj)=0xa5c3" },
	{ "+0x18(obj):u32", "+0x18(obj)=42435" },
	{ "+030(obj):s16", "+030(obj)=-23101" },
	{ "n=+16(+0(obj)):s32", "n=-7" },
	{ "+16(+0(obj)):u32", "+16(+0(obj))=4294967289" },
	{ "+16(+24(+24(+0(obj)))):s32", "+16(+24(+24(+0(obj))))=-7" },
	{ "+0(+0(obj)):string", "+0(+0(obj))=\"inner\"" },
	{ "t=+0(+16(obj)):string, u=+2(+16(obj)):string", "t=\"a\\\"b\", u=\"b\"" },
	{ "+40(obj)", "+40(obj)=0x1122334455667788" },
	{ "+41(obj):x16,+43(obj):x8", "+41(obj)=0x6677, +43(obj)=0x55" },
	{ "-8($arg1):u8, -0x8(+24(+0(obj))):u8", NULL },
	{ "+0(+0(obj)):char, +5(+0(obj)):char", "+0(+0(obj))='i', +5(+0(obj))=0" },
	{ "+24(obj):b4@0/32, +24(obj):b8@4/32,x=+24(obj):b1@15/16",
	  "+24(obj)=3, +24(obj)=92, x=1" },
	{ "+24(obj):b32@0/32, +40(obj):b60@4/64", "+24(obj)=42435, +40(obj)=77162851027281784" },
	/* A pointer on the way is NULL or cannot be read */
	{ "+0(+8(obj)), +0(+8(obj)):string, +8(obj)",
	  "+0(+8(obj))=NULL, +0(+8(obj))=NULL, +8(obj)=0" },
	{ "+0(+32(obj)), +0(+32(obj)):string", "+0(+32(obj))=?, +0(+32(obj))=?" },
	{ "+u0(obj), +0(+u0(obj)), +0(obj):ustring", "+u0(obj)=?, +0(+u0(obj))=?, +0(obj)=?" },
	/* The page of the kernel that was read before must not be used for user space */
	{ "a=+u16(+24(+0(obj))):s32, b=+0(+u24(+24(+0(obj)))), c=+u0(+24(+0(obj))):string",
	  "a=?, b=?, c=?" },
	/* Parameters */
	{ "num:s32, num:u32, num, n=num:s64, num:u8",
	  "num=-5, num=4294967291, num=0xfffffffffffffffb, n=-5, num=251" },
	{ "$arg2:s32, $arg3:u8, big:u64, big:b4@60/64",
	  "$arg2=-5, $arg3=200, big=18446744073709551614, big=15" },
	{ "+0(num), +0(c)", "+0(num)=?, +0(c)=?" },
	{ "s=+16(+0(obj)):symbol", NULL },
	/* Arrays */
	{ "+40(obj):x8[8], +24(obj):u16[2]",
	  "+40(obj)={0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, +24(obj)={42435, 0}" },
	{ "n=+16(+0(obj)):s32[1], +0(+0(obj)):char[6]", "n={-7}, +0(+0(obj))=\"inner\\x00\"" },
	{ "+0(+8(obj)):x8[4], +0(+32(obj)):x64[2], num:s32",
	  "+0(+8(obj))=NULL, +0(+32(obj))=?, num=-5" },
};

static const unsigned long expr_longs[] = {
	(unsigned long)&object, EXPR_NUM, 0xffffffffffffffc8UL, 0, -2UL,
};

static struct graph_prog *make_exprs(struct kunit *test, const char *exprs,
				     const char *sig, struct graph_cond **cond)
{
	struct arg_sig_hold hold = { .sig = sig, .types = &kunit_types };
	struct graph_cond_error err = { };
	struct graph_prog *prog;
	char line[256];

	snprintf(line, sizeof(line), "f: %s", exprs);
	*cond = graph_line_parse(GRAPH_LINES_EXPRS, line, &err);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(*cond), "%s: %u at %u", line, err.nr, err.pos);
	prog = graph_cond_prog(*cond, 0, &hold, &err);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(prog), "%s: %u at %u", line, err.nr, err.pos);
	prog->exprs->id = arg_exprs_add(prog->exprs->text, true);
	return prog;
}

/* An event with the values of expressions, which follow the longs of EXPR_SIG */
struct expr_event {
	u64	longs[ARRAY_SIZE(expr_longs)];
	u8	tail[600];
};

/* Capture the values into @room bytes of @event. Returns the size of the event */
static unsigned int capture_room(struct expr_event *event, const struct call_exprs *exprs,
				 const unsigned long *longs, unsigned int max, unsigned int room)
{
	u8 *pos = event->tail + sizeof(u16);
	unsigned long flags;
	u8 *end;

	memset(event, 0, sizeof(*event));
	memcpy(event->longs, expr_longs, sizeof(event->longs));
	put_unaligned((u16)ARG_STRING_UNREAD, (u16 *)event->tail);
	local_irq_save(flags);
	end = capture_exprs(pos, pos + room, exprs, longs, max);
	local_irq_restore(flags);
	put_unaligned(0UL, (unsigned long *)end);
	return ALIGN(end - (u8 *)event, sizeof(u64));
}

static unsigned int capture_event(struct expr_event *event, const struct call_exprs *exprs,
				  const unsigned long *longs, unsigned int max)
{
	return capture_room(event, exprs, longs, max,
			    sizeof(event->tail) - sizeof(u16) - sizeof(u64));
}

static const char *event_text(char *buf, const struct expr_event *event, unsigned int size)
{
	const struct arg_longs data = { .data = event, .size = size };
	struct arg_out out = { .pos = buf, .end = buf + 511 };

	arg_sig_put_args(&out, EXPR_SIG, &kunit_types, &data);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static void test_expr_values(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	char *expected = kunit_kzalloc(test, 512, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, event && text && expected);
	for (i = 0; i < ARRAY_SIZE(expr_cases); i++) {
		const struct expr_case *each = &expr_cases[i];
		struct graph_prog *prog;
		struct graph_cond *cond;
		unsigned int size;

		prog = make_exprs(test, each->exprs, EXPR_SIG, &cond);
		size = capture_event(event, prog->exprs, expr_longs, 64);
		event_text(text, event, size);
		snprintf(expected, 512,
			 "(obj=0x%lx, num=-5, c=0xc8, gone=<optimized out>, big=0x%lx, %s)",
			 expr_longs[0], expr_longs[4], each->text);
		if (each->text)
			KUNIT_EXPECT_STREQ_MSG(test, text, expected, "%s", each->exprs);
		graph_cond_free(cond);
	}
}

/* Values of the task follow the task, whatever the parameters are */
static void test_task(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	char *expected = kunit_kzalloc(test, 512, GFP_KERNEL);
	struct graph_prog *prog;
	struct graph_cond *cond;
	unsigned int size, cpu;

	KUNIT_ASSERT_TRUE(test, event && text && expected);
	prog = make_exprs(test, "COMM, p=PID, TGID:x32, CPU, PID:b4@0/32, q=PID:u64", EXPR_SIG,
			  &cond);
	cpu = get_cpu();
	size = capture_event(event, prog->exprs, expr_longs, 64);
	put_cpu();
	snprintf(expected, 512, ", COMM=\"%s\", p=%d, TGID=0x%x, CPU=%u, PID=%u, q=%d)",
		 current->comm, current->pid, current->tgid, cpu, current->pid & 0xf, current->pid);
	event_text(text, event, size);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, expected), "%s, not %s", text, expected);
	graph_cond_free(cond);
}

/*
 * Texts are cut, and values without room are not read. No value is at another value's
 * place
 */
static void test_room(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	struct graph_prog *prog;
	struct graph_cond *cond;
	unsigned long flags;
	unsigned int size;
	u16 id;
	u8 *end;

	KUNIT_ASSERT_TRUE(test, event && text);
	prog = make_exprs(test, "a=+0(+0(obj)):string, b=+24(obj):x32", EXPR_SIG, &cond);
	size = capture_event(event, prog->exprs, expr_longs, 3);
	KUNIT_EXPECT_NOT_NULL(test, strstr(event_text(text, event, size),
					   ", a=\"inn\"..., b=0xa5c3)"));
	size = capture_event(event, prog->exprs, expr_longs, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(event_text(text, event, size),
					   ", a=\"\"..., b=0xa5c3)"));
	/* A line without room for its values, and a line whose description has no number */
	size = capture_room(event, prog->exprs, expr_longs, 64, CALL_EXPRS_HEADER);
	KUNIT_EXPECT_NOT_NULL(test, strstr(event_text(text, event, size), ", a=?, b=?)"));
	id = prog->exprs->id;
	prog->exprs->id = CALL_EXPRS_NONE;
	size = capture_event(event, prog->exprs, expr_longs, 64);
	KUNIT_EXPECT_NOT_NULL(test, strstr(event_text(text, event, size), "big=0x"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, ", ?)"));
	prog->exprs->id = id;
	/* Less room than all values need */
	for (size = 0; size < 64; size++) {
		memset(event, 0xa5, sizeof(*event));
		local_irq_save(flags);
		end = capture_exprs(event->tail, event->tail + size, prog->exprs,
				    expr_longs, 64);
		local_irq_restore(flags);
		KUNIT_EXPECT_LE(test, end - event->tail, size);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(event->tail + size + 8, 0xa5,
						    sizeof(event->tail) - size - 8));
	}
	graph_cond_free(cond);
}

/* A parameter that is NULL, an error, or no pointer; an object at the end of a page */
static void test_addresses(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	static const unsigned long bad[] = {
		-2UL, -4095UL, 1, 0x7fffffffe000, 0x8000000000000000, ~0xfffUL, 0xdead000000000100,
	};
	unsigned long longs[ARRAY_SIZE(expr_longs)] = { };
	struct graph_prog *prog;
	struct graph_cond *cond;
	unsigned int i, size;
	u8 *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_TRUE(test, event && text && page);
	prog = make_exprs(test, "a=+0(obj):x8, b=+0(obj):x64, c=+0(obj):string", EXPR_SIG, &cond);
	size = capture_event(event, prog->exprs, longs, 64);
	KUNIT_EXPECT_NOT_NULL(test, strstr(event_text(text, event, size),
					   ", a=NULL, b=NULL, c=NULL)"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		longs[0] = bad[i];
		size = capture_event(event, prog->exprs, longs, 64);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(event_text(text, event, size),
						       ", a=?, b=?, c=?)"),
					  "%lx: %s", bad[i], text);
	}
	/* A hole follows memory of vmalloc() */
	memset(page, 'x', PAGE_SIZE);
	longs[0] = (unsigned long)page + PAGE_SIZE - 4;
	size = capture_event(event, prog->exprs, longs, 64);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(event_text(text, event, size),
					       ", a=0x78, b=?, c=\"xxxx\"...)"), "%s", text);
	graph_cond_free(cond);
	vfree(page);
}

/* A pointer to a per-CPU variable is not the address of a variable, also in an object */
static void test_per_cpu(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	u64 __percpu *counter = alloc_percpu(u64);
	struct expr_object other = { .hole = (__force void *)counter };
	unsigned long longs[ARRAY_SIZE(expr_longs)] = { (unsigned long)&other };
	struct graph_prog *prog;
	struct graph_cond *cond;
	unsigned int size;

	KUNIT_ASSERT_TRUE(test, event && text && counter);
	prog = make_exprs(test, "a=+0(+32(obj)):x64", EXPR_SIG, &cond);
	size = capture_event(event, prog->exprs, longs, 64);
	event_text(text, event, size);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, ", a=?)"), "%s", text);
	graph_cond_free(cond);
	free_percpu(counter);
}

/* Functions with the same parameters share a program */
static void test_programs(struct kunit *test)
{
	struct arg_sig_hold hold = { .sig = "(ab)vPSother;o;PSobject;obj;", .types = &kunit_types };
	struct graph_cond_error err = { };
	struct graph_prog *prog, *other;
	struct graph_cond *cond;

	prog = make_exprs(test, "+8(obj):u8", EXPR_SIG, &cond);
	KUNIT_EXPECT_EQ(test, prog->exprs->exprs[0].index, 0);
	other = graph_cond_prog(cond, 0, &hold, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_PTR_NE(test, other, prog);
	KUNIT_EXPECT_EQ(test, other->exprs->exprs[0].index, 1);
	other->exprs->id = arg_exprs_add(other->exprs->text, true);
	KUNIT_EXPECT_EQ(test, other->exprs->id, prog->exprs->id);
	hold.sig = EXPR_SIG;
	KUNIT_EXPECT_PTR_EQ(test, graph_cond_prog(cond, 0, &hold, &err), prog);
	/* A system call's own parameter, and a list without registers */
	hold.sig = "(a|on)lPKSpt_regs;regs;|idfd;PSobject;obj;";
	other = graph_cond_prog(cond, 0, &hold, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	KUNIT_EXPECT_EQ(test, other->exprs->exprs[0].index, 2);
	hold.sig = NULL;
	KUNIT_EXPECT_TRUE(test, IS_ERR(graph_cond_prog(cond, 0, &hold, &err)));
	KUNIT_EXPECT_EQ(test, err.nr, GRAPH_COND_ERR_NO_SIG);
	graph_cond_free(cond);
}

/* The elements of an array that a parameter points to, in an expression and in a condition */
static void test_elements(struct kunit *test)
{
	static const char sig[] = "(abcd)vPjnums;PPcargs;PKctext;PKinull;";
	static const struct {
		const char	*element;
		const char	*offset;
		const char	*condition;
	} cases[] = {
		{ "nums[3]", "+12(nums):u32", "nums[3] != 5" },
		{ "args[1]", "+8(args):x64", "args[1]" },
		{ "+8(text)", "+8(text):x64", "+8(text) != 5" },
		{ "+2(args[1]):string", "+2(+8(args)):string", "+2(args[1]):string ~ \"x\"" },
		{ "text[0]:char", "+0(text):char", "!text[0]:char" },
		{ "$arg4[1]", "+4(null):s32", "($arg4[1] == -1)" },
		{ "nums[1..3]", "+4(nums):u32[3]" }, { "text[2..9]", "+2(text):x8[8]" },
		{ "args[1..2]", "+8(args):x64[2]" }, { "$arg4[7..7]:x32", "+28(null):x32[1]" },
	};
	struct arg_sig_hold hold = { .sig = sig, .types = &kunit_types };
	struct graph_prog *element, *offset, *met;
	struct graph_cond_error err = { };
	struct graph_cond *conds[3];
	char line[64];
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(line, sizeof(line), "n=%s", cases[i].element);
		element = make_exprs(test, line, sig, &conds[0]);
		snprintf(line, sizeof(line), "n=%s", cases[i].offset);
		offset = make_exprs(test, line, sig, &conds[1]);
		KUNIT_EXPECT_STREQ(test, element->exprs->text, offset->exprs->text);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(element->exprs->exprs, offset->exprs->exprs,
						    sizeof(offset->exprs->exprs[0])), "%s", line);
		graph_cond_free(conds[0]);
		if (!cases[i].condition) {
			graph_cond_free(conds[1]);
			continue;
		}
		snprintf(line, sizeof(line), "f: %s", cases[i].condition);
		conds[2] = graph_line_parse(GRAPH_LINES_FILTER, line, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(conds[2]), "%s: %u", line, err.nr);
		met = graph_cond_prog(conds[2], 0, &hold, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(met), "%s: %u", line, err.nr);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(met->exprs->exprs, offset->exprs->exprs,
						    sizeof(offset->exprs->exprs[0])), "%s", line);
		graph_cond_free(conds[1]);
		graph_cond_free(conds[2]);
	}
}

struct bad_line {
	const char	*line;
	unsigned int	nr;
	unsigned int	pos;
};

static const struct bad_line bad_lines[] = {
	{ "f", GRAPH_COND_ERR_NO_COLON, 1 },
	{ ": num", GRAPH_COND_ERR_NO_GLOB, 0 },
	{ "f:", GRAPH_COND_ERR_NO_EXPR, 2 },
	{ "f: num,", GRAPH_COND_ERR_NO_EXPR, 7 },
	{ "f: num, , c", GRAPH_COND_ERR_NO_EXPR, 8 },
	{ "f: num c", GRAPH_COND_ERR_BAD_EXPR, 7 },
	{ "f: 8(num)", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: %di", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: @0x1000", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: $retval", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: $arg", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: $arg0", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: $arg1x", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: num->", GRAPH_COND_ERR_BAD_EXPR, 8 },
	{ "f: obj->1", GRAPH_COND_ERR_BAD_EXPR, 8 },
	{ "f: num-x", GRAPH_COND_ERR_BAD_EXPR, 6 },
	{ "f: obj->inner.", GRAPH_COND_ERR_BAD_EXPR, 14 },
	{ "f: obj->inner.2", GRAPH_COND_ERR_BAD_EXPR, 14 },
	{ "f: obj->a[]", GRAPH_COND_ERR_BAD_EXPR, 10 },
	{ "f: obj->a[-1]", GRAPH_COND_ERR_BAD_EXPR, 10 },
	{ "f: obj->a[0x80000000]", GRAPH_COND_ERR_BAD_EXPR, 20 },
	{ "f: obj->a[1", GRAPH_COND_ERR_BAD_EXPR, 11 },
	{ "f: obj->a[1.2]", GRAPH_COND_ERR_BAD_EXPR, 11 },
	{ "f: obj->a[1..]", GRAPH_COND_ERR_BAD_EXPR, 13 },
	{ "f: obj->a[1..2", GRAPH_COND_ERR_BAD_EXPR, 14 },
	{ "f: obj->a[1..2..3]", GRAPH_COND_ERR_BAD_EXPR, 14 },
	{ "f: obj->a[2..1]", GRAPH_COND_ERR_BAD_ARRAY, 9 },
	{ "f: obj->a[0..64]", GRAPH_COND_ERR_BAD_ARRAY, 9 },
	{ "f: obj->a[1][2]", GRAPH_COND_ERR_BAD_EXPR, 12 },
	{ "f: obj->a[0..1].b", GRAPH_COND_ERR_BAD_EXPR, 16 },
	{ "f: obj->a[0..1]->b", GRAPH_COND_ERR_BAD_EXPR, 17 },
	{ "f: +8(obj->a[0..1])", GRAPH_COND_ERR_BAD_EXPR, 3 },
	{ "f: *obj->a[0..1]", GRAPH_COND_ERR_BAD_EXPR, 15 },
	{ "f: obj->a[0..1]:x8[2]", GRAPH_COND_ERR_BAD_ARRAY, 18 },
	{ "f: ()obj->inner", GRAPH_COND_ERR_BAD_EXPR, 4 },
	{ "f: (object,)obj->inner", GRAPH_COND_ERR_BAD_EXPR, 11 },
	{ "f: (object,inner.)obj->inner", GRAPH_COND_ERR_BAD_EXPR, 17 },
	{ "f: (object *)obj->inner", GRAPH_COND_ERR_NO_CLOSE, 10 },
	{ "f: (object.x)obj->inner", GRAPH_COND_ERR_NO_CLOSE, 10 },
	{ "f: (object", GRAPH_COND_ERR_NO_CLOSE, 10 },
	{ "f: (object)", GRAPH_COND_ERR_NO_EXPR, 11 },
	{ "f: (object)(object)obj->inner", GRAPH_COND_ERR_BAD_EXPR, 11 },
	{ "f: (object)obj", GRAPH_COND_ERR_NO_ARROW, 14 },
	{ "f: (object)obj.inner", GRAPH_COND_ERR_NO_ARROW, 14 },
	{ "f: (object)+8(obj)", GRAPH_COND_ERR_NO_ARROW, 18 },
	{ "f: +8(obj)->inner", GRAPH_COND_ERR_BAD_EXPR, 10 },
	{ "f: =num", GRAPH_COND_ERR_BAD_LABEL, 3 },
	{ "f: 1a=num", GRAPH_COND_ERR_BAD_LABEL, 3 },
	{ "f: a=num,a=c", GRAPH_COND_ERR_BAD_LABEL, 9 },
	{ "f: a=", GRAPH_COND_ERR_NO_EXPR, 5 },
	{ "f: +0(obj):x64[9]", GRAPH_COND_ERR_BAD_ARRAY, 14 },
	{ "f: +0(obj):x8[0]", GRAPH_COND_ERR_BAD_ARRAY, 13 },
	{ "f: COMM:x8[17]", GRAPH_COND_ERR_BAD_ARRAY, 8 },
	{ "f: PID:u32[2]", GRAPH_COND_ERR_BAD_ARRAY, 7 },
	{ "f: +0(obj):x8[2", GRAPH_COND_ERR_BAD_ARRAY, 13 },
	{ "f: +0(obj):string[2]", GRAPH_COND_ERR_BAD_ARRAY, 17 },
	{ "f: *obj, a", GRAPH_COND_ERR_NOT_LAST, 7 },
	{ "f: *obj:u8", GRAPH_COND_ERR_NOT_LAST, 7 },
	{ "f: *obj[0..1]", GRAPH_COND_ERR_BAD_EXPR, 12 },
	{ "f: num[0]", GRAPH_COND_ERR_NO_ELEMENT, 6 },
	{ "f: obj[0]", GRAPH_COND_ERR_NO_ELEMENT, 6 },
	{ "f: num[", GRAPH_COND_ERR_BAD_EXPR, 7 },
	{ "f: COMM[0]", GRAPH_COND_ERR_NO_BASE, 3 },
	{ "f: (object)obj[0]->inner", GRAPH_COND_ERR_NO_ARROW, 14 },
	{ "f: n=*obj", GRAPH_COND_ERR_BAD_EXPR, 5 },
	{ "f: **obj", GRAPH_COND_ERR_BAD_EXPR, 4 },
	{ "f: *", GRAPH_COND_ERR_NO_EXPR, 4 },
	{ "f: +0(obj):b4@0/8[2]", GRAPH_COND_ERR_BAD_ARRAY, 17 },
	{ "f: +0(obj)[2]", GRAPH_COND_ERR_BAD_EXPR, 10 },
	{ "f: +(num)", GRAPH_COND_ERR_BAD_OFFSET, 4 },
	{ "f: +x(num)", GRAPH_COND_ERR_BAD_OFFSET, 4 },
	{ "f: +0xg(num)", GRAPH_COND_ERR_BAD_OFFSET, 7 },
	{ "f: +0x80000000(num)", GRAPH_COND_ERR_BAD_OFFSET, 14 },
	{ "f: +99999999999999999999(num)", GRAPH_COND_ERR_BAD_OFFSET, 4 },
	{ "f: +8num", GRAPH_COND_ERR_BAD_OFFSET, 8 },
	{ "f: +8", GRAPH_COND_ERR_NO_OPEN, 5 },
	{ "f: +8 (num)", GRAPH_COND_ERR_NO_OPEN, 5 },
	{ "f: +8()", GRAPH_COND_ERR_BAD_EXPR, 6 },
	{ "f: +8(num", GRAPH_COND_ERR_NO_CLOSE, 9 },
	{ "f: +8(+8(num):u8", GRAPH_COND_ERR_NO_CLOSE, 13 },
	{ "f: +8(num))", GRAPH_COND_ERR_BAD_EXPR, 10 },
	{ "f: num:", GRAPH_COND_ERR_NO_TYPE, 7 },
	{ "f: num:u9", GRAPH_COND_ERR_NO_TYPE, 7 },
	{ "f: num:u", GRAPH_COND_ERR_NO_TYPE, 7 },
	{ "f: num:u88", GRAPH_COND_ERR_NO_TYPE, 7 },
	{ "f: num:u8[4]", GRAPH_COND_ERR_BAD_ARRAY, 7 },
	{ "f: num:b", GRAPH_COND_ERR_NO_TYPE, 7 },
	{ "f: num:b0@0/8", GRAPH_COND_ERR_BAD_BITS, 7 },
	{ "f: num:b4@0", GRAPH_COND_ERR_BAD_BITS, 7 },
	{ "f: num:b4@5/8", GRAPH_COND_ERR_BAD_BITS, 7 },
	{ "f: num:b4@0/9", GRAPH_COND_ERR_BAD_BITS, 7 },
	{ "f: num:b4@0/0", GRAPH_COND_ERR_BAD_BITS, 7 },
	{ "f: num:b64@0/32", GRAPH_COND_ERR_BAD_BITS, 7 },
	/* These errors depend on the function */
	{ "f: x", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: num, c,nums", GRAPH_COND_ERR_NO_FIELD, 10 },
	{ "f: +8(nu):u8", GRAPH_COND_ERR_NO_FIELD, 6 },
	{ "f: $arg6", GRAPH_COND_ERR_NO_FIELD, 3 },
	{ "f: a=gone", GRAPH_COND_ERR_NO_BASE, 5 },
	{ "f: obj.inner", GRAPH_COND_ERR_NOT_RECORD, 6 },
	{ "f: obj:string", GRAPH_COND_ERR_NO_TEXT, 7 },
	{ "f: num, a=obj:ustring", GRAPH_COND_ERR_NO_TEXT, 14 },
	{ "f: +1(+2(+3(+4(+5(+6(+7(obj)))))))", GRAPH_COND_ERR_TOO_DEEP, 3 },
	{ "f: +1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(+1(obj)))))))))))))))))",
	  GRAPH_COND_ERR_TOO_DEEP, 51 },
	{ "f: a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a",
	  GRAPH_COND_ERR_TOO_MANY, 67 },
};

static void test_expr_bad_lines(struct kunit *test)
{
	struct arg_sig_hold hold = { .sig = EXPR_SIG, .types = &kunit_types };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_lines); i++) {
		const struct bad_line *each = &bad_lines[i];
		struct graph_cond_error err = { };
		struct graph_cond *cond;

		cond = graph_line_parse(GRAPH_LINES_EXPRS, each->line, &err);
		if (!IS_ERR(cond)) {
			KUNIT_EXPECT_TRUE_MSG(test,
					      IS_ERR(graph_cond_prog(cond, 0, &hold, &err)),
					      "%s", each->line);
			graph_cond_free(cond);
		}
		KUNIT_EXPECT_EQ_MSG(test, err.nr, each->nr, "%s", each->line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, each->pos, "%s", each->line);
	}
}

/* Any line of these characters is parsed, or is refused with a place in the line */
static void test_any_line(struct kunit *test)
{
	static const char * const words[] = {
		"f: ", "+", "-", "u", "8", "0x", "(", ")", "obj", "num", "$arg", "1", "->", ".",
		":", "u8", "string", "b4@0/8", ",", " ", "=", "a", "[", "%", "(x)", "99999999999",
		"(file)", "(file,f_pos)", "f_inode", "[1]", "[0..3]",
	};
	struct arg_sig_hold hold = { .sig = EXPR_SIG, .types = &kunit_types };
	u32 seed = 1, i, made = 0;
	char line[256];

	for (i = 0; i < 20000; i++) {
		struct graph_cond_error err = { };
		struct graph_prog *prog;
		struct graph_cond *cond;
		unsigned int len = 0, left;

		/* Half of the lines have a valid begin */
		if (seed & BIT(30))
			len = scnprintf(line, sizeof(line), "f: ");
		for (left = 1 + i % 12; left; left--) {
			seed = seed * 1664525 + 1013904223;
			len += scnprintf(line + len, sizeof(line) - len, "%s",
					 words[(seed >> 16) % ARRAY_SIZE(words)]);
		}
		cond = graph_line_parse(GRAPH_LINES_EXPRS, line, &err);
		if (!IS_ERR(cond)) {
			prog = graph_cond_prog(cond, 0, &hold, &err);
			made += !IS_ERR(prog);
			if (!IS_ERR(prog))
				err.nr = GRAPH_COND_ERR_NO_EXPR;
			graph_cond_free(cond);
		}
		KUNIT_EXPECT_NE_MSG(test, err.nr, 0, "%s", line);
		KUNIT_EXPECT_LE_MSG(test, err.pos, len, "%s", line);
	}
	KUNIT_EXPECT_GT(test, made, 20);
}

/* Malformed values are "?", and nothing after the end of an event is read */
static void test_damage(struct kunit *test)
{
	struct expr_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	char *text = kunit_kzalloc(test, 512, GFP_KERNEL);
	unsigned int i, size, all;
	struct graph_prog *prog;
	struct graph_cond *cond;

	KUNIT_ASSERT_TRUE(test, event && text);
	prog = make_exprs(test, "a=+24(obj):x32, b=+0(+0(obj)):string, c=num:s32", EXPR_SIG, &cond);
	all = capture_event(event, prog->exprs, expr_longs, 64);
	for (size = sizeof(event->longs) + 8; size < all; size += 8) {
		event_text(text, event, size);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(text, "big=0xfffffffffffffffe"), "%s", text);
	}
	for (i = 2; i < all - sizeof(event->longs); i++) {
		capture_event(event, prog->exprs, expr_longs, 64);
		event->tail[i] ^= 0xff;
		event_text(text, event, all);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strchr(text, ')'), "%s", text);
	}
	/* A description that does not exist */
	capture_event(event, prog->exprs, expr_longs, 64);
	put_unaligned((u16)(prog->exprs->id + ARG_EXPRS_MAX), (u16 *)(event->tail + 5));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(event_text(text, event, all),
					       "big=0xfffffffffffffffe, ?)"), "%s", text);
	/* Without the header of a string, nothing follows the longs of this signature */
	capture_event(event, prog->exprs, expr_longs, 64);
	event->tail[0] = 0;
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(event_text(text, event, all),
					       "big=?)"), "%s", text);
	graph_cond_free(cond);
}

/* Conditions on the same object and parameters */
static const struct {
	const char	*cond;
	bool		met;
} cond_cases[] = {
	{ "+16(+0(obj)):s32 == -7", true }, { "+16(+0(obj)):s32 < -7", false },
	{ "+16(+0(obj)):u32 > 0xfffffff0", true }, { "+16(+0(obj)):u32 != 4294967289", false },
	{ "+16(+24(+24(+0(obj)))):s32 != -7", false }, { "+40(obj)==0x1122334455667788", true },
	{ "+41(obj):x16 == 0x6677 && +43(obj):x8 == 0x55", true },
	{ "+24(obj):x32 & 0x80", true }, { "+24(obj):x32 & 0x100", true },
	{ "+24(obj):x32 & 0x200", false },
	{ "+24(obj):b4@0/32 == 3 && +24(obj):b8@4/32 == 92 && +24(obj):b1@15/16 == 1", true },
	{ "+24(obj):b4@0/32 == 4 || +24(obj):b8@4/32 == 93", false },
	{ "$arg2:s32 == -5", true }, { "num:u8 == 251", true }, { "num:u8 == 5", false },
	{ "num == -5 && +0(+0(obj)):char == 105", true }, { "big:b4@60/64 == 15", true },
	{ "!(+16(+0(obj)):s32 == -7) || num > 0", false },
	{ "+0(+0(obj)):string == \"inner\"", true }, { "+0(+0(obj)):string != \"inner\"", false },
	{ "+0(+0(obj)):string ~ \"in*\" && +2(+16(obj)):string == \"b\"", true },
	{ "+0(+0(obj)):string ~ 'x*'", false }, { "+5(+0(obj)):string == \"\"", true },
	/* A comparison of a value that could not be read is false */
	{ "+0(+8(obj)) == 0", false }, { "+0(+8(obj)) != 0", false },
	{ "!(+0(+8(obj)) != 0)", true }, { "+8(obj) == 0", true },
	{ "+0(+32(obj)):string == \"x\" || +0(+32(obj)):string != \"x\"", false },
	{ "+0(+8(obj)):string == \"\" || +0(+32(obj)) < 5 || +u0(obj) >= 0", false },
	{ "num == -5 || +0(+32(obj)) == 1", true },
	/* Conditions that are decided at the return, which is an error */
	{ "+16(+0(obj)):s32 == -7 && error", true }, { "+16(+0(obj)):s32 == 7 && error", false },
	{ "+16(+0(obj)):s32 == 7 || ret == -2", true },
	{ "+0(+0(obj)):string ~ \"inn?r\" && ret == -2", true },
	{ "+0(+8(obj)) != 5 && error", false },
};

/* int f() with the parameters of EXPR_SIG */
#define COND_SIG	"(abc.d)iPSobject;obj;inum;hc;bgone;ybig;"

static const struct arg_sig_hold cond_hold = { .sig = COND_SIG, .types = &kunit_types };

static bool is_expr_met(const struct graph_prog *prog, struct call_record *record)
{
	const struct graph_entry entry = {
		record, record->longs, sizeof(record->longs), ARRAY_SIZE(expr_longs),
	};
	u32 bits;

	if (!prog->cond->at_return)
		return graph_prog_is_met(prog, &entry);
	bits = graph_prog_compare(prog, &entry);
	return graph_prog_is_met_at_return(prog, -2, 0, bits);
}

static void test_expr_conditions(struct kunit *test)
{
	struct call_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, record);
	for (i = 0; i < ARRAY_SIZE(cond_cases); i++) {
		struct graph_cond_error err = { };
		struct graph_prog *prog;
		struct graph_cond *cond;
		char line[256];

		snprintf(line, sizeof(line), "f: %s", cond_cases[i].cond);
		cond = graph_line_parse(GRAPH_LINES_FILTER, line, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(cond), "%s: %u at %u", line, err.nr, err.pos);
		prog = graph_cond_prog(cond, 0, &cond_hold, &err);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %u at %u", line, err.nr, err.pos);
		if (!IS_ERR(prog)) {
			memset(record, 0xa5, sizeof(*record));
			memcpy(record->longs, expr_longs, sizeof(expr_longs));
			KUNIT_EXPECT_EQ_MSG(test, is_expr_met(prog, record), cond_cases[i].met,
					    "%s", line);
			KUNIT_EXPECT_PTR_EQ(test, graph_cond_prog(cond, 0, &cond_hold, &err), prog);
		}
		graph_cond_free(cond);
	}
}

/* A pointer to an object is compared by the first text of its digest */
static void test_object_conditions(struct kunit *test)
{
	static const struct {
		const char	*digest;
		const char	*cond;
		bool		met;
		bool		null;
	} cases[] = {
		{ "object;24jbits;16Pctext;", "obj == 'a\"b'", true },
		{ "object;24jbits;16Pctext;", "obj ~ \"a*\" && num == -5 && error", true },
		{ "object;24jbits;16Pctext;", "obj == \"a\" || obj ~ \"?\"", false },
		{ "object;24jbits;16Pctext;", "obj != \"a\"", true },
		{ "object;24jbits;16Pctext;", "obj != \"a\" || obj == \"a\"", false, true },
		{ "object;0>0A16_cname;16Pctext;", "obj == \"inner\"", true },
		{ "object;0>0A16_cname;16Pctext;", "obj ~ \"*b\"", false },
		{ "object;0>0A16_cname;", "num < 0 && obj == \"inner\" && +40(obj):u8 == 0x88",
		  true },
		/* The text is at an address that cannot be read */
		{ "object;32>0Pctext;", "obj == \"x\" || obj != \"x\"", false },
	};
	struct call_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, record);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arg_digests digests = { .tags = { "other;0jx;", cases[i].digest } };
		struct arg_types types = kunit_types;
		struct arg_sig_hold hold = { .sig = COND_SIG, .types = &types };
		struct graph_cond_error err = { };
		struct graph_prog *prog;
		struct graph_cond *cond;
		char line[256];

		types.digests = &digests;
		snprintf(line, sizeof(line), "f: %s", cases[i].cond);
		cond = graph_line_parse(GRAPH_LINES_FILTER, line, &err);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(cond), "%s: %u at %u", line, err.nr, err.pos);
		prog = graph_cond_prog(cond, 0, &hold, &err);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(prog), "%s: %u at %u", line, err.nr, err.pos);
		if (!IS_ERR(prog)) {
			memset(record, 0xa5, sizeof(*record));
			memcpy(record->longs, expr_longs, sizeof(expr_longs));
			if (cases[i].null)
				record->longs[0] = 0;
			KUNIT_EXPECT_EQ_MSG(test, is_expr_met(prog, record), cases[i].met,
					    "%s", line);
			KUNIT_EXPECT_TRUE(test, cond->reads);
			KUNIT_EXPECT_PTR_EQ(test, graph_cond_prog(cond, 0, &hold, &err), prog);
		}
		/* Without a digest, the object has no text */
		types.digests = NULL;
		err.nr = 0;
		KUNIT_EXPECT_TRUE(test, IS_ERR(graph_cond_prog(cond, 0, &hold, &err)));
		KUNIT_EXPECT_EQ(test, err.nr, GRAPH_COND_ERR_BAD_TYPE);
		graph_cond_free(cond);
	}
}

/* A text that is longer than the room of a record is not known, and nothing else is written */
static void test_condition_room(struct kunit *test)
{
	struct call_record *record = kunit_kzalloc(test, sizeof(*record) + 64, GFP_KERNEL);
	static const char text[] = "+0(obj):string == \"x\"";
	unsigned long longs[ARRAY_SIZE(expr_longs)] = { };
	char *line = kunit_kzalloc(test, 512, GFP_KERNEL);
	struct graph_cond_error err = { };
	char *page = vmalloc(PAGE_SIZE);
	struct graph_entry entry;
	struct graph_prog *prog;
	struct graph_cond *cond;
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, record && line && page);
	strscpy(line, "f: ", 512);
	for (i = 0; i < 4; i++)
		snprintf(line + strlen(line), 512 - strlen(line), "%s%s", i ? " || " : "", text);
	cond = graph_line_parse(GRAPH_LINES_FILTER, line, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(cond));
	prog = graph_cond_prog(cond, 0, &cond_hold, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(prog));
	memset(page, 'x', PAGE_SIZE - 1);
	page[PAGE_SIZE - 1] = '\0';
	longs[0] = (unsigned long)page;
	memset(record, 0xa5, sizeof(*record) + 64);
	memcpy(record->longs, longs, sizeof(longs));
	KUNIT_EXPECT_FALSE(test, is_expr_met(prog, record));
	KUNIT_EXPECT_TRUE(test, !memchr_inv(record + 1, 0xa5, 64));
	/* Each comparison reads the text */
	strscpy(page, "x", 2);
	KUNIT_EXPECT_TRUE(test, is_expr_met(prog, record));
	entry = (struct graph_entry){ record, longs, sizeof(longs), ARRAY_SIZE(longs) };
	KUNIT_EXPECT_EQ(test, graph_prog_compare(prog, &entry), 15);
	graph_cond_free(cond);
	vfree(page);
}

/* Functions that have the parameter in another place have other programs */
static void test_condition_programs(struct kunit *test)
{
	static const struct arg_sig_hold other_hold = {
		.sig = "(ab)iPSother;o;PSobject;obj;", .types = &kunit_types,
	};
	struct graph_cond_error err = { };
	struct graph_prog *prog, *other;
	struct graph_cond *cond;

	cond = graph_line_parse(GRAPH_LINES_FILTER, "f: +40(obj):u8 == 0x88", &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(cond));
	prog = graph_cond_prog(cond, 0, &cond_hold, &err);
	other = graph_cond_prog(cond, 0, &other_hold, &err);
	KUNIT_ASSERT_FALSE(test, IS_ERR(prog) || IS_ERR(other));
	KUNIT_EXPECT_PTR_NE(test, other, prog);
	KUNIT_EXPECT_EQ(test, prog->exprs->exprs[0].index, 0);
	KUNIT_EXPECT_EQ(test, other->exprs->exprs[0].index, 1);
	KUNIT_EXPECT_PTR_EQ(test, graph_cond_prog(cond, 0, &other_hold, &err), other);
	graph_cond_free(cond);
}

static const struct bad_line bad_conditions[] = {
	{ "f: +0(obj):string", GRAPH_COND_ERR_BAD_TYPE, 17 },
	{ "f: +0(obj):error", GRAPH_COND_ERR_NO_TYPE, 11 },
	{ "f: +0(obj == 5", GRAPH_COND_ERR_NO_CLOSE, 9 },
	{ "f: +0(obj) ==", GRAPH_COND_ERR_BAD_VALUE, 13 },
	{ "f: (+0(obj) == 5", GRAPH_COND_ERR_PAREN, 16 },
	{ "f: num == 1 && +x(obj) == 5", GRAPH_COND_ERR_BAD_OFFSET, 16 },
	{ "f: a=+0(obj) == 5", GRAPH_COND_ERR_BAD_OP, 4 },
	{ "f: +0(obj):string < \"x\"", GRAPH_COND_ERR_BAD_OP, 20 },
	{ "f: +0(obj):string == x", GRAPH_COND_ERR_BAD_TYPE, 21 },
	{ "f: +0(obj):string == 5", GRAPH_COND_ERR_BAD_TYPE, 21 },
	{ "f: +0(obj):u8 == \"x\"", GRAPH_COND_ERR_BAD_TYPE, 17 },
	{ "f: +0(obj):u8 == 256", GRAPH_COND_ERR_RANGE, 17 },
	{ "f: +0(obj):u8 == -1", GRAPH_COND_ERR_RANGE, 17 },
	{ "f: +0(obj):s8 == 128", GRAPH_COND_ERR_RANGE, 17 },
	{ "f: +0(obj):u8 == RED", GRAPH_COND_ERR_NO_NAME, 17 },
	{ "f: +0(none):u8 == 1", GRAPH_COND_ERR_NO_FIELD, 6 },
	{ "f: num == 5 && $arg9 == 1", GRAPH_COND_ERR_NO_FIELD, 15 },
	{ "f: obj:string == \"x\"", GRAPH_COND_ERR_NO_TEXT, 7 },
	{ "f: gone:u8 == 1", GRAPH_COND_ERR_NO_BASE, 3 },
	{ "f: num == 1 && (num == 1", GRAPH_COND_ERR_PAREN, 24 },
	{ "f: (obj) == 1", GRAPH_COND_ERR_EXPECT_AND, 9 },
	{ "f: (obj,)obj->inner == 1", GRAPH_COND_ERR_BAD_EXPR, 8 },
	{ "f: (obj)obj == 1", GRAPH_COND_ERR_NO_ARROW, 11 },
	{ "f: obj.inner->x == 1", GRAPH_COND_ERR_NOT_RECORD, 6 },
	{ "f: obj->a[0..1] == 1", GRAPH_COND_ERR_BAD_EXPR, 14 },
	{ "f: obj[1] == 1", GRAPH_COND_ERR_NO_ELEMENT, 6 },
	{ "f: obj[1", GRAPH_COND_ERR_BAD_EXPR, 8 },
};

static void test_bad_conditions(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad_conditions); i++) {
		const struct bad_line *each = &bad_conditions[i];
		struct graph_cond_error err = { };
		struct graph_cond *cond;

		cond = graph_line_parse(GRAPH_LINES_FILTER, each->line, &err);
		if (!IS_ERR(cond)) {
			KUNIT_EXPECT_TRUE_MSG(test,
					      IS_ERR(graph_cond_prog(cond, 0, &cond_hold, &err)),
					      "%s", each->line);
			graph_cond_free(cond);
		}
		KUNIT_EXPECT_EQ_MSG(test, err.nr, each->nr, "%s", each->line);
		KUNIT_EXPECT_EQ_MSG(test, err.pos, each->pos, "%s", each->line);
	}
}

static struct kunit_case graph_exprs_cases[] = {
	KUNIT_CASE(test_expr_values),
	KUNIT_CASE(test_task),
	KUNIT_CASE(test_room),
	KUNIT_CASE(test_addresses),
	KUNIT_CASE(test_per_cpu),
	KUNIT_CASE(test_programs),
	KUNIT_CASE(test_elements),
	KUNIT_CASE(test_expr_bad_lines),
	KUNIT_CASE(test_any_line),
	KUNIT_CASE(test_damage),
	KUNIT_CASE(test_expr_conditions),
	KUNIT_CASE(test_object_conditions),
	KUNIT_CASE(test_condition_room),
	KUNIT_CASE(test_condition_programs),
	KUNIT_CASE(test_bad_conditions),
	{}
};

static struct kunit_suite graph_exprs_suite = {
	.name = "graph_exprs",
	.test_cases = graph_exprs_cases,
};

kunit_test_suite(graph_exprs_suite);
