// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the contents of the function_graph tracer's events
 */
#include <linux/fs.h>
#include <linux/preempt.h>

#include <kunit/test.h>

#include "kunit.h"
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

static struct kunit_case arg_sigs_graph_cases[] = {
	KUNIT_CASE(test_second),
	KUNIT_CASE(test_tail),
	{}
};

static struct kunit_suite arg_sigs_graph_suite = {
	.name = "arg_sigs_graph",
	.test_cases = arg_sigs_graph_cases,
};

kunit_test_suite(arg_sigs_graph_suite);
