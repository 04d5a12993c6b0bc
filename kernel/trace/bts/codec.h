/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format in which the bts tracer stores branches
 *
 * A record of the CPU has 24 bytes: from, to and flags (Intel SDM volume 3B,
 * "Branch Trace Store", 64-bit mode). Code often takes the same path again. So a
 * branch is predicted from the target of the previous branch: the branch that last
 * followed that target is expected. Encoder and decoder keep a table of the
 * expected branches (struct bts_expected). A run of up to 32 branches that were taken
 * as expected is one byte:
 *
 *	u8	bits 0-4: number of branches - 1
 *		bits 5-7: 7
 *
 * Most other branches have a near target, and most are a few bytes after the target of
 * the previous branch. So such a branch is stored as two distances, modulo 2^64:
 *
 *	skip = from - the "to" of the previous branch (for the first branch: from)
 *	jump = to - from
 *
 * The distances are stored in 2 to 17 bytes, little endian:
 *
 *	u8	bits 0-4: skip, if it is below 30
 *			  30: a u8 follows, skip is the u8 plus 30
 *			  31: a u64 follows, which is skip
 *		bits 5-7: jump is signed and has (0) 1, (1) 2, (2) 3, (3) 4,
 *			  (4) 6 or (5) 8 bytes
 *	skip	0, 1 or 8 bytes
 *	jump	1 to 8 bytes
 *
 * If records of the CPU are left out between two branches of a block, because an instance
 * does not want them, their number is stored in 1 or 3 bytes:
 *
 *	u8	bits 0-4: number of records, from 1 to 30
 *			  0: a u16 follows, which is the number
 *		bits 5-7: 6
 *
 * The CPU tells of each branch whether it had predicted the branch. Most branches are
 * predicted, and some CPUs may never say so. So not the flag of each branch is stored, but each
 * change of the flag. The first branch of a block is predicted, unless a change is before it.
 * A branch that is stored as distances follows a change. A change is one byte:
 *
 *	u8	bits 0-4: 31
 *		bits 5-7: 6
 *
 * A block is a sequence of runs, branches, changes and records left out. Each block begins
 * with an empty table, so each block can be decoded without other blocks. The number of the
 * block's branches is in the event.
 *
 * The kernel and user space both include this file.
 */
#ifndef _TRACE_BTS_CODEC_H
#define _TRACE_BTS_CODEC_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

/*
 * The version of the format. Version 0 had no records that are left out. Version 1 had no
 * changes of the flag: the byte of a change was the number of 31 records
 */
#define BTS_BLOCK_VERSION	2
#define BTS_VERSION_PREDICTED	2	/* the first version with the flag */

/* The flag of the CPU's record (Intel SDM) */
#define BTS_PREDICTED		0x10

/*
 * Maximum bytes of a branch, with a change of the flag; and bytes after the branch that may be
 * overwritten
 */
#define BTS_BRANCH_MAX		18
#define BTS_BRANCH_SLACK	8

#define BTS_SKIP_U8		30
#define BTS_SKIP_U64		31
#define BTS_SKIP_MASK		0x1f
#define BTS_JUMP_SHIFT		5
#define BTS_HEAD_LEFT_OUT	(6 << BTS_JUMP_SHIFT)
#define BTS_HEAD_CHANGE		(BTS_HEAD_LEFT_OUT + BTS_SKIP_MASK)
#define BTS_HEAD_RUN		(7 << BTS_JUMP_SHIFT)
#define BTS_RUN_MAX		32

#define BTS_EXPECTED_BITS	10

/**
 * struct bts_expected - the expected branches
 * @slots: pairs of "from" and "to", by the target of the previous branch
 * @block: for the encoder: a value that is XORed with "from". Each block has another
 *	value, so that the table need not be cleared for each block. The value's bits are
 *	bits that are all equal in canonical addresses.
 */
struct bts_expected {
	__u64		slots[2 << BTS_EXPECTED_BITS];
	__u64		block;
};

#define BTS_EXPECTED_BLOCK	0x0200000000000000ULL

/* The index of "from" for a branch that follows a branch to @last. The index is even. */
static inline unsigned long bts_expected_slot(__u64 last)
{
	return (__u32)last * 0x9e3779b1U >> (31 - BTS_EXPECTED_BITS) &
	       ((2 << BTS_EXPECTED_BITS) - 2);
}

/**
 * struct bts_decoder - the reading position in a block
 * @pos: the next byte
 * @end: the end of the block
 * @from: the instruction of the branch that was read last
 * @to: the target of that branch
 * @left: number of branches that are still to be read
 * @at: number of records from the block's first branch to that branch
 * @run: number of expected branches that are returned before the byte at @pos is read
 * @changes: whether the format has changes of the flag
 * @predicted: whether the CPU had predicted that branch; true if @changes is false
 * @exp: the expected branches
 */
struct bts_decoder {
	const __u8		*pos;
	const __u8		*end;
	__u64			from;
	__u64			to;
	unsigned int		left;
	__u64			at;
	unsigned int		run;
	bool			changes;
	bool			predicted;
	struct bts_expected	exp;
};

/**
 * bts_decode_start - begin to read a block
 * @dec: the reading position
 * @data: the bytes of the block
 * @size: number of bytes
 * @nr: number of branches
 * @version: the version of the block; a later version than BTS_BLOCK_VERSION makes the block
 *	malformed
 */
static inline void bts_decode_start(struct bts_decoder *dec, const void *data,
				    unsigned int size, unsigned int nr, unsigned int version)
{
	dec->pos = data;
	dec->end = dec->pos + (version <= BTS_BLOCK_VERSION ? size : 0);
	dec->changes = version >= BTS_VERSION_PREDICTED;
	dec->predicted = true;
	dec->from = 0;
	dec->to = 0;
	dec->left = nr;
	dec->at = -1ULL;
	dec->run = 0;
	memset(&dec->exp, 0, sizeof(dec->exp));
}

/* Read a signed number of @size bytes */
static inline __u64 bts_decode_number(struct bts_decoder *dec,
				      unsigned int size)
{
	__u64 val = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		val |= (__u64)*dec->pos++ << (8 * i);
	if (size < 8 && val >> (8 * size - 1))
		val |= ~0ULL << (8 * size);
	return val;
}

/*
 * Read changes of the flag, and numbers of records that are left out. Returns false if the block
 * is malformed.
 */
static inline bool bts_decode_between(struct bts_decoder *dec)
{
	unsigned int nr;

	while (dec->pos < dec->end && *dec->pos >> BTS_JUMP_SHIFT == 6) {
		if (dec->changes && *dec->pos == BTS_HEAD_CHANGE) {
			dec->predicted = !dec->predicted;
			dec->pos++;
			continue;
		}
		nr = *dec->pos & BTS_SKIP_MASK;
		if (!nr && dec->end - dec->pos < 3)
			return false;
		dec->pos++;
		dec->at += nr ?: bts_decode_number(dec, 2) & 0xffff;
	}
	return true;
}

/**
 * bts_decode - read the next branch of a block
 * @dec: the reading position; @dec->from, @dec->to, @dec->at and @dec->predicted are set to the
 *	branch
 *
 * Return: 1 if a branch was read, 0 at the end of the block, -1 if the block is
 * malformed, so that no more of the block can be read.
 */
static inline int bts_decode(struct bts_decoder *dec)
{
	static const __u8 sizes[8] = { 1, 2, 3, 4, 6, 8, 0, 0 };
	unsigned long slot = bts_expected_slot(dec->to);
	unsigned int head, skip, size, more;
	__u64 last = dec->to;

	if (!dec->left)
		return 0;
	if (!dec->run && !bts_decode_between(dec))
		return -1;
	if (!dec->run && dec->pos < dec->end && *dec->pos >= BTS_HEAD_RUN)
		dec->run = *dec->pos++ - BTS_HEAD_RUN + 1;
	if (dec->run) {
		dec->run--;
		dec->left--;
		dec->at++;
		dec->from = dec->exp.slots[slot];
		dec->to = dec->exp.slots[slot + 1];
		return 1;
	}
	if (dec->pos >= dec->end)
		return -1;
	head = *dec->pos;
	skip = head & BTS_SKIP_MASK;
	size = sizes[head >> BTS_JUMP_SHIFT];
	more = skip == BTS_SKIP_U64 ? 8 : skip == BTS_SKIP_U8 ? 1 : 0;
	if (!size || (unsigned long)(dec->end - dec->pos) < 1 + more + size)
		return -1;
	dec->pos++;
	dec->left--;
	dec->at++;
	if (more == 8)
		dec->from = last + bts_decode_number(dec, 8);
	else if (more)
		dec->from = last + BTS_SKIP_U8 + *dec->pos++;
	else
		dec->from = last + skip;
	dec->to = dec->from + bts_decode_number(dec, size);
	dec->exp.slots[slot] = dec->from;
	dec->exp.slots[slot + 1] = dec->to;
	return 1;
}

#ifdef __KERNEL__
#define bts_put_le16(val, pos)	put_unaligned_le16(val, pos)
#define bts_put_le32(val, pos)	put_unaligned_le32(val, pos)
#define bts_put_le64(val, pos)	put_unaligned_le64(val, pos)
#define bts_likely(x)		likely(x)
#else
static inline void bts_put_le64(__u64 val, __u8 *pos)
{
	int i;

	for (i = 0; i < 8; i++)
		pos[i] = val >> (8 * i);
}

static inline void bts_put_le32(__u32 val, __u8 *pos)
{
	int i;

	for (i = 0; i < 4; i++)
		pos[i] = val >> (8 * i);
}

static inline void bts_put_le16(__u16 val, __u8 *pos)
{
	pos[0] = val;
	pos[1] = val >> 8;
}

#define bts_likely(x)		__builtin_expect(!!(x), 1)
#endif

static inline bool bts_fits(__s64 val, unsigned int bits)
{
	return (__u64)val + (1ULL << (bits - 1)) < 1ULL << bits;
}

/* The value of @run in struct bts_encoder while the run is empty */
#define BTS_RUN_EMPTY		(-BTS_RUN_MAX)

/**
 * struct bts_encoder - the writing position in a block
 * @pos: the end of the encoded bytes
 * @last: target of the last branch, 0 before the first branch
 * @run: BTS_RUN_EMPTY plus the number of expected branches that are not written yet
 * @flags: flags of the last record; the block has BTS_PREDICTED of them
 * @exp: the expected branches
 * @block: the value of @exp->block
 */
struct bts_encoder {
	__u8			*pos;
	__u64			last;
	int			run;
	__u32			flags;
	struct bts_expected	*exp;
	__u64			block;
};

static inline void bts_encode_start(struct bts_encoder *enc, void *block,
				    struct bts_expected *exp)
{
	enc->pos = block;
	enc->last = 0;
	enc->run = BTS_RUN_EMPTY;
	enc->flags = BTS_PREDICTED;
	enc->exp = exp;
	exp->block += BTS_EXPECTED_BLOCK;
	if (!exp->block) {
		memset(exp, 0, sizeof(*exp));
		exp->block = BTS_EXPECTED_BLOCK;
	}
	enc->block = exp->block;
}

/* Write a branch that was not expected */
static inline __u8 *bts_encode_distances(__u8 *pos, __u64 last, __u64 from,
					 __u64 to)
{
	__u64 skip = from - last;
	__s64 jump = to - from;
	__u8 *start = pos++;
	unsigned int head;

	if (bts_likely(skip < BTS_SKIP_U8)) {
		head = skip & BTS_SKIP_MASK;
	} else if (skip < BTS_SKIP_U8 + 256) {
		head = BTS_SKIP_U8;
		*pos++ = (skip - BTS_SKIP_U8) & 0xff;
	} else {
		head = BTS_SKIP_U64;
		bts_put_le64(skip, pos);
		pos += 8;
	}

	if (bts_fits(jump, 8)) {
		*pos++ = jump & 0xff;
	} else if (bts_fits(jump, 16)) {
		head |= 1 << BTS_JUMP_SHIFT;
		bts_put_le16(jump & 0xffff, pos);
		pos += 2;
	} else if (bts_fits(jump, 24)) {
		head |= 2 << BTS_JUMP_SHIFT;
		bts_put_le32(jump & 0xffffffff, pos);
		pos += 3;
	} else if (bts_fits(jump, 32)) {
		head |= 3 << BTS_JUMP_SHIFT;
		bts_put_le32(jump & 0xffffffff, pos);
		pos += 4;
	} else if (bts_fits(jump, 48)) {
		head |= 4 << BTS_JUMP_SHIFT;
		bts_put_le64(jump, pos);
		pos += 6;
	} else {
		head |= 5 << BTS_JUMP_SHIFT;
		bts_put_le64(jump, pos);
		pos += 8;
	}
	*start = head;
	return pos;
}

/**
 * bts_encode_run - append an expected branch to a block without writing a byte
 * @enc: the writing position
 * @from: the address of the branch's instruction
 * @to: the target of the branch
 * @flags: the flags of the record
 *
 * All flags are compared, because this takes fewer instructions than to compare one of them.
 *
 * Return: true if the branch was appended. Otherwise the caller calls bts_encode().
 */
static __always_inline bool bts_encode_run(struct bts_encoder *enc, __u64 from, __u64 to,
					   __u32 flags)
{
	unsigned long slot = bts_expected_slot(enc->last);

	if ((enc->exp->slots[slot] ^ from) != enc->block ||
	    enc->exp->slots[slot + 1] != to || enc->flags != flags)
		return false;
	enc->last = to;
	return ++enc->run;
}

/**
 * bts_encode_end - write the last run at the end of a block
 * @enc: the writing position, with room for one byte
 */
static inline void bts_encode_end(struct bts_encoder *enc)
{
	if (enc->run == BTS_RUN_EMPTY)
		return;
	*enc->pos++ = BTS_HEAD_RUN + BTS_RUN_MAX - 1 + enc->run;
	enc->run = BTS_RUN_EMPTY;
}

/**
 * bts_encode - append a branch to a block, after bts_encode_run() has returned false
 * @enc: the writing position, with room for 1 + BTS_BRANCH_MAX + BTS_BRANCH_SLACK
 * @from: the address of the branch's instruction
 * @to: the target of the branch
 * @flags: the flags of the record
 */
static __always_inline void bts_encode(struct bts_encoder *enc, __u64 from, __u64 to,
				       __u32 flags)
{
	unsigned long slot;
	/*
	 * If the run is full now, bts_encode_run() has appended the branch as the run's
	 * last branch
	 */
	bool full = !enc->run;

	bts_encode_end(enc);
	if (full)
		return;
	if ((enc->flags ^ flags) & BTS_PREDICTED)
		*enc->pos++ = BTS_HEAD_CHANGE;
	enc->flags = flags;
	slot = bts_expected_slot(enc->last);
	enc->exp->slots[slot] = from ^ enc->block;
	enc->exp->slots[slot + 1] = to;
	enc->pos = bts_encode_distances(enc->pos, enc->last, from, to);
	enc->last = to;
}

/* Maximum bytes of records that are left out, with the end of the run before them */
#define BTS_LEFT_OUT_MAX	4

/**
 * bts_encode_left_out - tell that records are left out before the next branch of a block
 * @enc: the writing position, with room for BTS_LEFT_OUT_MAX
 * @nr: number of records, from 1 to 65535
 */
static inline void bts_encode_left_out(struct bts_encoder *enc, unsigned int nr)
{
	bts_encode_end(enc);
	if (nr < BTS_SKIP_MASK) {
		*enc->pos++ = BTS_HEAD_LEFT_OUT + nr;
		return;
	}
	*enc->pos++ = BTS_HEAD_LEFT_OUT;
	bts_put_le16(nr & 0xffff, enc->pos);
	enc->pos += 2;
}

#endif /* _TRACE_BTS_CODEC_H */
