// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz the blocks in which the bts tracer stores branches
 *
 * With clang -fsanitize=fuzzer this is a target of libFuzzer. With WITH_MAIN defined, the
 * program makes blocks by itself: codec-fuzz [NUMBER].
 *
 * Two bytes of the input are the number of branches, the rest is the block. With any
 * input the decoder has to end, and must not read outside of the block. The decoded
 * branches are encoded and decoded again, and have to be the same, with the same flags and the
 * same records left out between them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bts/codec.h"

#define CHECK(x)							\
	do {								\
		if (!(x)) {						\
			fprintf(stderr, "codec-fuzz: %d: %s\n",		\
				__LINE__, #x);				\
			abort();					\
		}							\
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copy a block to memory of its size, so that a sanitizer finds reads after its end */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	CHECK(copy);
	if (size)
		memcpy(copy, data, size);
	return copy;
}

/* Encode the branches that @dec finds. Returns their number. */
static unsigned int again(struct bts_decoder *dec, uint8_t *block, size_t *size)
{
	static struct bts_expected exp;
	struct bts_encoder enc;
	unsigned int nr = 0, more, flags;
	uint8_t *pos = block;
	uint64_t left;

	bts_encode_start(&enc, block, &exp);
	for (left = dec->at; bts_decode(dec) == 1; left = dec->at) {
		CHECK(dec->pos <= dec->end);
		for (left = dec->at - left - 1; left; left -= more) {
			more = left > 0xffff ? 0xffff : left;
			bts_encode_left_out(&enc, more);
			CHECK(enc.pos - pos <= BTS_LEFT_OUT_MAX);
			pos = enc.pos;
		}
		flags = dec->predicted ? BTS_PREDICTED : 0;
		if (!bts_encode_run(&enc, dec->from, dec->to, flags))
			bts_encode(&enc, dec->from, dec->to, flags);
		CHECK(enc.pos - pos <= 1 + BTS_BRANCH_MAX);
		pos = enc.pos;
		nr++;
	}
	bts_encode_end(&enc);
	CHECK(enc.pos - pos <= 1);
	*size = enc.pos - block;
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bts_decoder one, two;
	uint8_t *copy, *block, *exact;
	unsigned int nr, found, i;
	size_t length;

	if (size < 2)
		return 0;
	nr = data[0] | data[1] << 8;
	data += 2;
	size -= 2;
	copy = copy_of(data, size);
	block = malloc((size_t)nr * BTS_BRANCH_MAX + size + 1 + BTS_BRANCH_SLACK);
	CHECK(block);

	bts_decode_start(&one, copy, size, nr, BTS_BLOCK_VERSION);
	found = again(&one, block, &length);
	CHECK(found <= nr);
	CHECK(found == nr || bts_decode(&one) == -1);
	CHECK(length <= size + found * (BTS_BRANCH_MAX - 2));

	exact = copy_of(block, length);
	bts_decode_start(&one, copy, size, nr, BTS_BLOCK_VERSION);
	bts_decode_start(&two, exact, length, found, BTS_BLOCK_VERSION);
	for (i = 0; i < found; i++) {
		CHECK(bts_decode(&one) == 1);
		CHECK(bts_decode(&two) == 1);
		CHECK(one.from == two.from && one.to == two.to && one.at == two.at);
		CHECK(one.predicted == two.predicted);
	}
	CHECK(!bts_decode(&two) && two.pos == two.end);
	free(exact);
	free(block);
	free(copy);
	return 0;
}

#ifdef WITH_MAIN
static uint64_t state = 88172645463325252ULL;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

int main(int argc, char **argv)
{
	unsigned long i, number = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	uint8_t data[600];
	size_t size, j;

	for (i = 0; i < number; i++) {
		size = next_random() % sizeof(data);
		for (j = 0; j < size; j++)
			data[j] = next_random() >> 32;
		/* Most blocks have few records that are left out */
		for (j = 2; i % 4 && j < size; j++)
			if (data[j] >> BTS_JUMP_SHIFT == 6)
				data[j] |= BTS_HEAD_RUN;
		if (size > 1)
			data[1] %= 2;
		LLVMFuzzerTestOneInput(data, size);
	}
	printf("%lu blocks\n", number);
	return 0;
}
#endif
