// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the blocks that the bts tracer stores branches in
 */
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include <kunit/test.h>

#include "../codec.h"
#include "../range.h"

#define TEST_BRANCHES	2000
#define TEST_SIZE	(TEST_BRANCHES * BTS_BRANCH_MAX + 1 + BTS_BRANCH_SLACK)

struct test_branch {
	u64		from;
	u64		to;
	unsigned int	size;	/* encoded; 0: any size */
	bool		wrong;	/* mispredicted */
};

/* Encode, decode and compare branches; returns the size of the block */
static unsigned int test_block(struct kunit *test,
			       const struct test_branch *branch,
			       unsigned int nr)
{
	struct bts_expected *exp;
	struct bts_decoder *dec;
	struct bts_encoder enc;
	u8 *block, *pos;
	unsigned int i;
	u32 flags;

	block = kunit_kzalloc(test, TEST_SIZE, GFP_KERNEL);
	exp = kunit_kzalloc(test, sizeof(*exp), GFP_KERNEL);
	dec = kunit_kzalloc(test, sizeof(*dec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_NOT_NULL(test, exp);
	KUNIT_ASSERT_NOT_NULL(test, dec);
	bts_encode_start(&enc, block, exp);
	pos = block;
	for (i = 0; i < nr; i++) {
		flags = branch[i].wrong ? 0 : BTS_PREDICTED;
		if (!bts_encode_run(&enc, branch[i].from, branch[i].to, flags))
			bts_encode(&enc, branch[i].from, branch[i].to, flags);
		/* The end of a run may precede the branch */
		KUNIT_ASSERT_LE(test, enc.pos - pos, 1 + BTS_BRANCH_MAX);
		if (branch[i].size)
			KUNIT_EXPECT_EQ_MSG(test, enc.pos - pos, branch[i].size,
					    "branch %u", i);
		pos = enc.pos;
	}
	bts_encode_end(&enc);
	KUNIT_ASSERT_LE(test, enc.pos - pos, 1);
	pos = enc.pos;

	bts_decode_start(dec, block, pos - block, nr, BTS_BLOCK_VERSION);
	for (i = 0; i < nr; i++) {
		KUNIT_ASSERT_EQ(test, bts_decode(dec), 1);
		KUNIT_ASSERT_EQ_MSG(test, dec->from, branch[i].from,
				    "branch %u", i);
		KUNIT_ASSERT_EQ_MSG(test, dec->to, branch[i].to, "branch %u", i);
		KUNIT_ASSERT_EQ_MSG(test, dec->predicted, !branch[i].wrong, "branch %u", i);
	}
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 0);
	KUNIT_EXPECT_PTR_EQ(test, dec->pos, (const u8 *)pos);
	kunit_kfree(test, dec);
	kunit_kfree(test, exp);
	kunit_kfree(test, block);
	return enc.pos - block;
}

/* Test each size of the skip, from 0 and from another branch */
static void bts_skip_test(struct kunit *test)
{
	static const struct test_branch branch[] = {
		{ 0, 1, 2 },			/* skip 0 */
		{ 1, 2, 2 },
		{ 2 + 29, 31, 2 },		/* the largest skip in the head */
		{ 31 + 30, 61, 3 },		/* the smallest skip with a byte */
		{ 61 + 285, 346, 3 },		/* the largest skip with a byte */
		{ 346 + 286, 632, 10 },		/* the smallest skip with 8 bytes */
		{ 631, 632, 10 },		/* backward by one */
		{ 632 + (1ULL << 63), 632 + (1ULL << 63), 10 },
		{ 0, 0, 10 },
	};

	test_block(test, branch, ARRAY_SIZE(branch));
}

/* Test each size of the jump, with the smallest and the largest distance */
static void bts_jump_test(struct kunit *test)
{
	static const struct {
		unsigned int	bits;
		unsigned int	size;
	} jumps[] = {
		{ 8, 1 }, { 16, 2 }, { 24, 3 }, { 32, 4 }, { 48, 6 }, { 64, 8 },
	};
	const u64 from = 0xffffffff81234567;
	struct test_branch branch[4];
	unsigned int i;
	u64 most;

	for (i = 0; i < ARRAY_SIZE(jumps); i++) {
		most = (1ULL << (jumps[i].bits - 1)) - 1;
		branch[0] = (struct test_branch){ from, from + most,
						  9 + jumps[i].size };
		branch[1] = (struct test_branch){ from + most, from,
						  1 + jumps[i].size };
		branch[2] = (struct test_branch){ from, from + ~most,
						  1 + jumps[i].size };
		/* One more than the largest distance */
		branch[3] = (struct test_branch){ from + ~most,
						  from + ~most + most + 1,
						  jumps[i].bits == 64 ? 9 :
						  1 + jumps[i + 1].size };
		test_block(test, branch, ARRAY_SIZE(branch));
	}
}

/* Test branches between the halves of the address space, with 48 and with 57 bits */
static void bts_sides_test(struct kunit *test)
{
	static const struct test_branch branch[] = {
		{ 0x401000, 0xffffffff82000080, 0 },
		{ 0xffffffff82000123, 0x401002, 0 },
		{ 0x7ffffffff000, 0xffffffff82000080, 0 },
		{ 0xffffffff82000123, 0x7ffffffff002, 0 },
		{ 0x00fffffffffff000, 0xff00000000000000, 0 },
		{ 0xffa0000000000123, 0x00a0000000000000, 0 },
		{ 0x8000000000000000, 0x7fffffffffffffff, 0 },
		{ 0, U64_MAX, 0 },
		{ U64_MAX, 0, 0 },
		/* vsyscall page */
		{ 0x7fff00001000, 0xffffffffff600000, 0 },
	};
	unsigned int i;

	test_block(test, branch, ARRAY_SIZE(branch));
	/* Test each branch as the first branch of a block */
	for (i = 0; i < ARRAY_SIZE(branch); i++)
		test_block(test, branch + i, 1);
	test_block(test, branch, 0);
}

/* Test a branch of the maximum size */
static void bts_longest_test(struct kunit *test)
{
	static const struct test_branch branch[] = {
		{ 0x8000000000000000, 0, BTS_BRANCH_MAX, true },
		{ 0x4000000000000000, 0xc000000000000001, BTS_BRANCH_MAX },
	};

	test_block(test, branch, ARRAY_SIZE(branch));
}

/* Test a loop: after the first turn, 32 branches take one byte */
static void bts_loop_test(struct kunit *test)
{
	struct test_branch *branch;
	unsigned int i, size;

	branch = kunit_kcalloc(test, TEST_BRANCHES, sizeof(*branch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, branch);
	for (i = 0; i < TEST_BRANCHES; i++) {
		branch[i].from = 0xffffffff81000010;
		branch[i].to = 0xffffffff81000000;
	}
	size = test_block(test, branch, TEST_BRANCHES);
	KUNIT_EXPECT_EQ(test, size, 10 + 2 + DIV_ROUND_UP(TEST_BRANCHES - 2, 32));
	/* A change of the flag takes a byte, and the branch after the change is in no run */
	for (i = 2; i < TEST_BRANCHES; i++)
		branch[i].wrong = true;
	size = test_block(test, branch, TEST_BRANCHES);
	KUNIT_EXPECT_EQ(test, size, 10 + 2 + 1 + 2 + DIV_ROUND_UP(TEST_BRANCHES - 3, 32));
	for (i = 2; i < TEST_BRANCHES; i++)
		branch[i].wrong = !(i & 1);
	size = test_block(test, branch, TEST_BRANCHES);
	KUNIT_EXPECT_EQ(test, size, 10 + 2 + 3 * (TEST_BRANCHES - 2));
}

static void bts_random_test(struct kunit *test)
{
	struct test_branch *branch;
	struct rnd_state rnd;
	unsigned int i, seed;
	u64 last;

	branch = kunit_kcalloc(test, TEST_BRANCHES, sizeof(*branch), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, branch);
	for (seed = 1; seed <= 20; seed++) {
		prandom_seed_state(&rnd, seed);
		last = 0;
		/* Distances of all lengths and both signs */
		for (i = 0; i < TEST_BRANCHES; i++) {
			u64 a, b;

			prandom_bytes_state(&rnd, &a, sizeof(a));
			prandom_bytes_state(&rnd, &b, sizeof(b));
			branch[i].from = last + ((s64)a >> (a & 63));
			branch[i].to = branch[i].from + ((s64)b >> (b & 63));
			branch[i].wrong = a % (1 + seed) == 0;
			last = branch[i].to;
		}
		test_block(test, branch, TEST_BRANCHES);
		/* The same path many times, and sometimes another path */
		for (i = seed; i < TEST_BRANCHES; i++) {
			if (i % (seed * 7))
				branch[i] = branch[i - seed];
		}
		test_block(test, branch, TEST_BRANCHES);
	}
}

/*
 * Test that a block that is cut anywhere ends with an error, and is not read beyond its
 * end
 */
static void bts_cut_test(struct kunit *test)
{
	u8 block[BTS_BRANCH_MAX + BTS_BRANCH_SLACK], *copy;
	struct bts_decoder *dec;
	unsigned int size, i;

	dec = kunit_kzalloc(test, sizeof(*dec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dec);
	size = bts_encode_distances(block, 0, 0x8000000000000000, 0) - block;
	for (i = 0; i < size; i++) {
		/* A copy of exactly this size lets KASAN find reads beyond the end */
		copy = kmemdup(block, i, GFP_KERNEL);
		bts_decode_start(dec, copy, i, 1, BTS_BLOCK_VERSION);
		KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
		KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
		kfree(copy);
	}
	/* A change of the flag, and no branch */
	block[0] = BTS_HEAD_CHANGE;
	bts_decode_start(dec, block, 1, 1, BTS_BLOCK_VERSION);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
	/* Records that are left out, and no branch */
	block[0] = BTS_HEAD_LEFT_OUT;
	for (i = 1; i <= 3; i++) {
		copy = kmemdup(block, i, GFP_KERNEL);
		bts_decode_start(dec, copy, i, 1, BTS_BLOCK_VERSION);
		KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
		kfree(copy);
	}
	/* A run of more branches than the block has, and a run of fewer branches */
	block[0] = BTS_HEAD_RUN + 2;
	bts_decode_start(dec, block, 1, 1, BTS_BLOCK_VERSION);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 1);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 0);
	bts_decode_start(dec, block, 1, 4, BTS_BLOCK_VERSION);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, bts_decode(dec), 1);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
}

/* Test the numbers of branches if records are left out between them */
static void bts_left_out_test(struct kunit *test)
{
	static const unsigned int left_out[] = { 0, 1, 30, 31, 32, 0, 65535, 0, 0, 2, 0 };
	u8 block[ARRAY_SIZE(left_out) * (BTS_LEFT_OUT_MAX + BTS_BRANCH_MAX) + BTS_BRANCH_SLACK];
	struct bts_expected *exp;
	struct bts_decoder *dec;
	struct bts_encoder enc;
	unsigned int i;
	u64 at = 0;
	u8 *pos;

	exp = kunit_kzalloc(test, sizeof(*exp), GFP_KERNEL);
	dec = kunit_kzalloc(test, sizeof(*dec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, exp);
	KUNIT_ASSERT_NOT_NULL(test, dec);
	bts_encode_start(&enc, block, exp);
	/* A loop, so that records are left out before, in and after runs */
	for (i = 0; i < ARRAY_SIZE(left_out); i++) {
		pos = enc.pos;
		if (left_out[i])
			bts_encode_left_out(&enc, left_out[i]);
		KUNIT_EXPECT_LE(test, enc.pos - pos, BTS_LEFT_OUT_MAX);
		if (!bts_encode_run(&enc, 0x401010, 0x401000, BTS_PREDICTED))
			bts_encode(&enc, 0x401010, 0x401000, BTS_PREDICTED);
	}
	bts_encode_end(&enc);
	bts_decode_start(dec, block, enc.pos - block, ARRAY_SIZE(left_out), BTS_BLOCK_VERSION);
	for (i = 0; i < ARRAY_SIZE(left_out); i++) {
		at += left_out[i];
		KUNIT_ASSERT_EQ(test, bts_decode(dec), 1);
		KUNIT_EXPECT_EQ_MSG(test, dec->at, at++, "branch %u", i);
		KUNIT_EXPECT_EQ(test, dec->to, 0x401000);
	}
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 0);
	KUNIT_EXPECT_PTR_EQ(test, dec->pos, (const u8 *)enc.pos);
}

/* Test that blocks of earlier versions are read as they were written, and no later ones */
static void bts_version_test(struct kunit *test)
{
	/* 31 records that are left out, then a branch from 2 to 5 */
	static const u8 block[] = { BTS_HEAD_LEFT_OUT + 31, 2, 3 };
	struct bts_decoder *dec;

	dec = kunit_kzalloc(test, sizeof(*dec), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dec);
	bts_decode_start(dec, block, sizeof(block), 1, 1);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 1);
	KUNIT_EXPECT_EQ(test, dec->at, 31);
	KUNIT_EXPECT_TRUE(test, dec->predicted);
	bts_decode_start(dec, block, sizeof(block), 1, BTS_VERSION_PREDICTED);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), 1);
	KUNIT_EXPECT_EQ(test, dec->at, 0);
	KUNIT_EXPECT_FALSE(test, dec->predicted);
	bts_decode_start(dec, block, sizeof(block), 1, BTS_BLOCK_VERSION + 1);
	KUNIT_EXPECT_EQ(test, bts_decode(dec), -1);
}

/* Find addresses in no range, in one and in several */
static void bts_ranges_test(struct kunit *test)
{
	DEFINE_RAW_FLEX(struct bts_ranges, ranges, range, 3);

	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, 0));
	ranges->nr = 3;
	ranges->range[0] = (struct bts_range){ 0, 2 };
	ranges->range[1] = (struct bts_range){ 16, 17 };
	ranges->range[2] = (struct bts_range){ ~0xfUL, ~0UL };
	KUNIT_EXPECT_TRUE(test, bts_in_ranges(ranges, 0));
	KUNIT_EXPECT_TRUE(test, bts_in_ranges(ranges, 1));
	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, 2));
	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, 15));
	KUNIT_EXPECT_TRUE(test, bts_in_ranges(ranges, 16));
	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, 17));
	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, ~0xfUL - 1));
	KUNIT_EXPECT_TRUE(test, bts_in_ranges(ranges, ~0xfUL));
	KUNIT_EXPECT_FALSE(test, bts_in_ranges(ranges, ~0UL));
}

static struct kunit_case bts_test_cases[] = {
	KUNIT_CASE(bts_left_out_test),
	KUNIT_CASE(bts_version_test),
	KUNIT_CASE(bts_skip_test),
	KUNIT_CASE(bts_jump_test),
	KUNIT_CASE(bts_sides_test),
	KUNIT_CASE(bts_longest_test),
	KUNIT_CASE(bts_loop_test),
	KUNIT_CASE(bts_random_test),
	KUNIT_CASE(bts_cut_test),
	KUNIT_CASE(bts_ranges_test),
	{}
};

static struct kunit_suite bts_test_suite = {
	.name = "trace_bts",
	.test_cases = bts_test_cases,
};

kunit_test_suite(bts_test_suite);

MODULE_DESCRIPTION("KUnit tests of the bts tracer's blocks");
MODULE_LICENSE("GPL");
