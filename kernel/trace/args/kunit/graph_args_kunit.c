// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the contents of the function_graph tracer's events
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/preempt.h>

#include <kunit/test.h>

#include "kunit.h"
#include "../../trace.h"
#include "../capture.h"
#include "../table.h"
#include "../../trace_graph_args.h"

static bool returns_two(void *func)
{
	guard(preempt)();
	return trace_graph_returns_two(arg_sigs_kunit_traced(func));
}

/* A function that only shares the bit of another function does not return two registers */
static void test_second(struct kunit *test)
{
	unsigned long bit = arg_sig_two_regs_bit(arg_sigs_kunit_traced(arg_sigs_kunit_sample));
	bool other = test_and_set_bit(bit, arg_sigs_two_regs);

	KUNIT_EXPECT_FALSE(test, returns_two(arg_sigs_kunit_sample));
	KUNIT_EXPECT_FALSE(test, returns_two(filp_open));
	KUNIT_EXPECT_TRUE(test, returns_two(arg_sigs_kunit_two));
	if (!other)
		clear_bit(bit, arg_sigs_two_regs);
}

/*
 * Each combination of a second register, results and a set is found in an exit of the
 * combination's size
 */
static void test_tail(struct kunit *test)
{
	static const u64 second = 0x1122334455667788, results[2] = { 0x99, 0xaa };
	static const u32 set = 0x12345678;
	struct {
		struct ftrace_graph_ret_entry	ent;
		u8	tail[sizeof(second) + sizeof(results) + sizeof(set)];
	} *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct graph_ret_copy *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);
	int regs, size, sets;

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	event->ent.ent.type = TRACE_GRAPH_RET;
	for (regs = 1; regs <= 2; regs++) {
		for (size = 0; size <= (regs == 2 ? sizeof(results) : 0); size += 8) {
			for (sets = 0; sets <= 1; sets++) {
				u8 *pos = event->tail;

				if (regs == 2) {
					memcpy(pos, &second, sizeof(second));
					pos += sizeof(second);
				}
				pos = memcpy(pos, results, size) + size;
				if (sets)
					pos = memcpy(pos, &set, sizeof(set)) + sizeof(set);
				graph_ret_copy(copy, &event->ent.ent, pos - (u8 *)&event->ent);
				KUNIT_EXPECT_EQ(test, copy->two_regs, regs == 2);
				KUNIT_EXPECT_EQ(test, copy->second, regs == 2 ? second : 0);
				KUNIT_EXPECT_EQ(test, copy->size, size);
				KUNIT_EXPECT_MEMEQ(test, copy->results, results, size);
				KUNIT_EXPECT_EQ(test, copy->set, sets ? set : ARG_SIGS_IMAGE);
			}
		}
	}

	/* An event that is shorter than its fields has no more */
	graph_ret_copy(copy, &event->ent.ent, sizeof(event->ent) - 4);
	KUNIT_EXPECT_FALSE(test, copy->two_regs);
	KUNIT_EXPECT_EQ(test, copy->size, 0);
	KUNIT_EXPECT_EQ(test, copy->set, ARG_SIGS_IMAGE);
}

/* A call that fails has filled nothing, whatever size the caller gave */
static void test_filled(struct kunit *test)
{
	static const struct {
		unsigned long	size, retval;
		unsigned int	put;
	} cases[] = {
		{ 4, 3, 1 + sizeof(u16) + 3 },
		{ 4, 4, 1 + sizeof(u16) + 4 },
		{ 4, 0, 0 },
		{ 4, 5, 0 },
		{ 4, -EBADF, 0 },
		{ ULONG_MAX, 3, 1 + sizeof(u16) + 3 },
		{ ULONG_MAX, -EBADF, 0 },
	};
	struct call_results results = { .known = true, .index = 1, .max = CALL_BUFFER_SIZE };
	u8 *data = kunit_kzalloc(test, CALL_RESULTS_SIZE, GFP_KERNEL);
	unsigned int i, put;

	KUNIT_ASSERT_NOT_NULL(test, data);
	results.buffer = (unsigned long)kunit_kzalloc(test, CALL_BUFFER_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NE(test, results.buffer, 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		results.size = cases[i].size;
		preempt_disable();
		put = call_results_put(data, &results, cases[i].retval);
		preempt_enable();
		KUNIT_EXPECT_EQ_MSG(test, put, cases[i].put, "size %lx, ret %lx", cases[i].size,
				    cases[i].retval);
	}
}

static struct kunit_case arg_sigs_graph_cases[] = {
	KUNIT_CASE(test_second),
	KUNIT_CASE(test_tail),
	KUNIT_CASE(test_filled),
	{}
};

static struct kunit_suite arg_sigs_graph_suite = {
	.name = "arg_sigs_graph",
	.test_cases = arg_sigs_graph_cases,
};

kunit_test_suite(arg_sigs_graph_suite);
