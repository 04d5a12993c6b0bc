// SPDX-License-Identifier: GPL-2.0
/*
 * Run the KUnit tests of signatures, values, types and digests in user space
 *
 * The sources of the kernel and its tests are compiled as they are, with the headers that the
 * plugin of libtraceevent uses, and the small KUnit of compat/kunit/test.h.
 */
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/slab.h>

#include <kunit/test.h>

#include "../../../kernel/trace/args/kunit/kunit.h"

#include "../../../kernel/trace/args/signature.c"
#include "../../../kernel/trace/args/types.c"
#include "../../../kernel/trace/args/addresses.c"
#include "../../../kernel/trace/args/scalars.c"
#include "../../../kernel/trace/args/records.c"
#include "../../../kernel/trace/args/reads.c"
#include "../../../kernel/trace/args/values.c"
#include "../../../kernel/trace/args/digests.c"
#include "../../../kernel/trace/args/protos.c"

struct kunit_suite *suites[16];
unsigned int nr_suites;

/* The functions whose names the tests expect */
void filp_open(void)
{
}

int arg_sigs_kunit_sample(long a, bool b)
{
	return a + b;
}

/* As the kernel's functions of these names, for what the tests write */
void arg_out_symbol(struct arg_out *out, unsigned long addr)
{
	if (addr == (unsigned long)filp_open)
		arg_out_puts(out, "filp_open");
	else if (addr == (unsigned long)arg_sigs_kunit_sample)
		arg_out_puts(out, "arg_sigs_kunit_sample [trace_args_kunit]");
	else
		arg_out_hex(out, addr);
}

void arg_out_gfp_flags(struct arg_out *out, u32 val)
{
	if (val == GFP_KERNEL)
		arg_out_puts(out, "GFP_KERNEL");
	else
		arg_out_hex(out, val);
}

const char *arg_exprs_text(struct arg_out *out, unsigned int nr)
{
	return NULL;
}

void arg_exprs_release(const char *text)
{
}

int arg_types_alloc(struct arg_types *types)
{
	int nr = arg_types_count(types->text, types->size);

	if (nr < 0)
		return nr;
	types->mask = arg_types_slots(nr) - 1;
	types->index = calloc(types->mask + 1, sizeof(*types->index));
	return types->index ? arg_types_index(types) : -ENOMEM;
}

void *kunit_zalloc(struct kunit *test, size_t size)
{
	void *ptr = NULL;

	if (test->nr_allocated < ARRAY_SIZE(test->allocated))
		ptr = calloc(1, size);
	if (ptr)
		test->allocated[test->nr_allocated++] = ptr;
	return ptr;
}

/* Run the tests of a suite; returns the number of failed tests */
static unsigned int run_suite(struct kunit_suite *suite)
{
	unsigned int failed = 0;
	struct kunit_case *each;

	if (suite->suite_init(suite) < 0) {
		printf("not ok %s: suite_init\n", suite->name);
		return 1;
	}
	for (each = suite->test_cases; each->run; each++) {
		struct kunit test = { };

		each->run(&test);
		while (test.nr_allocated)
			free(test.allocated[--test.nr_allocated]);
		printf("%s %s.%s\n", test.failed ? "not ok" : "ok", suite->name, each->name);
		failed += !!test.failed;
	}
	suite->suite_exit(suite);
	return failed;
}

int main(void)
{
	unsigned int n, failed = 0;

	for (n = 0; n < nr_suites; n++)
		failed += run_suite(suites[n]);
	return !nr_suites || failed;
}
