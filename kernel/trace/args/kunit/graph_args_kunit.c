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
	return trace_graph_returns_two(traced(func));
}

/* A function that only shares the bit of another function does not return two registers */
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

static struct kunit_case arg_sigs_graph_cases[] = {
	KUNIT_CASE(test_second),
	{}
};

static struct kunit_suite arg_sigs_graph_suite = {
	.name = "arg_sigs_graph",
	.test_cases = arg_sigs_graph_cases,
};

kunit_test_suite(arg_sigs_graph_suite);
