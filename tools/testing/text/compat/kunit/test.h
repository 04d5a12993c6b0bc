/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit for user space: what the tests of text use of it
 *
 * A failed expectation is printed, and the test goes on. A failed assertion ends its
 * test. run_suite() prints a line for each test in the form of KUnit's own output.
 */
#ifndef _COMPAT_KUNIT_TEST_H
#define _COMPAT_KUNIT_TEST_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/slab.h>

struct kunit {
	unsigned int	failed;
	void		*allocated[16];
	unsigned int	nr_allocated;
};

struct kunit_case {
	void		(*run)(struct kunit *test);
	const char	*name;
};

struct kunit_suite {
	const char		*name;
	int			(*suite_init)(struct kunit_suite *suite);
	void			(*suite_exit)(struct kunit_suite *suite);
	struct kunit_case	*test_cases;
};

extern struct kunit_suite *suites[];
extern unsigned int nr_suites;

void *kunit_zalloc(struct kunit *test, size_t size);

#define KUNIT_CASE(function)	{ .run = function, .name = #function }

#define kunit_test_suite(suite)						\
static void __attribute__((constructor)) add_##suite(void)		\
{									\
	suites[nr_suites++] = &suite;					\
}									\
struct suite##_has_a_semicolon

#define kunit_kzalloc(test, size, gfp)		kunit_zalloc(test, size)
#define kunit_kcalloc(test, nr, size, gfp)	kunit_zalloc(test, (nr) * (size))

#define KUNIT_FAILED(test, text, ...)					\
({									\
	(test)->failed++;						\
	printf("# %s:%d: " text, __FILE__, __LINE__, ##__VA_ARGS__);	\
	printf("\n");							\
})

#define KUNIT_EXPECT_TRUE_MSG(test, condition, ...)			\
({									\
	bool __ok = !!(condition);					\
									\
	if (!__ok) {							\
		KUNIT_FAILED(test, "not true: %s ", #condition);	\
		printf("# " __VA_ARGS__);				\
		printf("\n");						\
	}								\
	__ok;								\
})

#define KUNIT_EXPECT_STREQ_MSG(test, is, wanted, ...)			\
({									\
	const char *__is = (is), *__wanted = (wanted);			\
	bool __ok = __is && __wanted && !strcmp(__is, __wanted);	\
									\
	if (!__ok) {							\
		KUNIT_FAILED(test, "%s, not %s ", __is, __wanted);	\
		printf("# " __VA_ARGS__);				\
		printf("\n");						\
	}								\
	__ok;								\
})

#define KUNIT_EXPECT_OP(test, left, op, right)				\
({									\
	__auto_type __left = (left);					\
	typeof(right) __right = (right);				\
	bool __ok = __left op __right;					\
									\
	if (!__ok)							\
		KUNIT_FAILED(test, "%s " #op " %s: %lld, %lld", #left, #right, \
			     (long long)__left, (long long)__right);	\
	__ok;								\
})

#define KUNIT_EXPECT_TRUE(test, condition)				\
	KUNIT_EXPECT_TRUE_MSG(test, condition, " ")
#define KUNIT_EXPECT_FALSE(test, condition)				\
	KUNIT_EXPECT_TRUE_MSG(test, !(condition), " ")
#define KUNIT_EXPECT_FALSE_MSG(test, condition, ...)			\
	KUNIT_EXPECT_TRUE_MSG(test, !(condition), __VA_ARGS__)
#define KUNIT_EXPECT_NULL(test, ptr)					\
	KUNIT_EXPECT_TRUE_MSG(test, !(ptr), " ")
#define KUNIT_EXPECT_NOT_NULL(test, ptr)				\
	KUNIT_EXPECT_TRUE_MSG(test, ptr, " ")
#define KUNIT_EXPECT_PTR_EQ(test, left, right)				\
	KUNIT_EXPECT_TRUE_MSG(test, (left) == (right), " ")
#define KUNIT_EXPECT_STREQ(test, is, wanted)				\
	KUNIT_EXPECT_STREQ_MSG(test, is, wanted, " ")
#define KUNIT_EXPECT_EQ(test, left, right)	KUNIT_EXPECT_OP(test, left, ==, right)
#define KUNIT_EXPECT_EQ_MSG(test, left, right, ...)			\
({									\
	if (!KUNIT_EXPECT_OP(test, left, ==, right)) {			\
		printf("# " __VA_ARGS__);				\
		printf("\n");						\
	}								\
})
#define KUNIT_EXPECT_LT(test, left, right)	KUNIT_EXPECT_OP(test, left, <, right)
#define KUNIT_EXPECT_LE(test, left, right)	KUNIT_EXPECT_OP(test, left, <=, right)
#define KUNIT_EXPECT_GT(test, left, right)	KUNIT_EXPECT_OP(test, left, >, right)
#define KUNIT_ASSERT(ok)						\
do {									\
	if (!(ok))							\
		return;							\
} while (0)
#define KUNIT_ASSERT_NOT_NULL(test, ptr)	KUNIT_ASSERT(KUNIT_EXPECT_NOT_NULL(test, ptr))
#define KUNIT_ASSERT_TRUE(test, condition)	KUNIT_ASSERT(KUNIT_EXPECT_TRUE(test, condition))
#define KUNIT_ASSERT_EQ(test, left, right)	KUNIT_ASSERT(KUNIT_EXPECT_EQ(test, left, right))

#endif /* _COMPAT_KUNIT_TEST_H */
