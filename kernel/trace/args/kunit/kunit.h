/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the KUnit tests of signatures
 */
#ifndef _TRACE_ARGS_KUNIT_H
#define _TRACE_ARGS_KUNIT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

#include <kunit/test.h>

#include "../args.h"

/* Bytes of the buffer that a test writes text into */
#define TEST_TEXT	256

/* args/kunit/types.c */
extern struct arg_types arg_sigs_kunit_types;

int arg_sigs_kunit_init(struct kunit_suite *suite);
void arg_sigs_kunit_exit(struct kunit_suite *suite);

/* args/kunit/table_kunit.c: functions of the module that have a signature */
noinline int arg_sigs_kunit_sample(long a, bool b);
noinline struct list_head arg_sigs_kunit_two(struct list_head *list);
unsigned long arg_sigs_kunit_traced(void *func);

/*
 * The text of the arguments, or with @results of what a call returned besides the registers. The
 * event ends at the end of its memory, and nothing in the event is aligned.
 */
static inline const char *put_data(char *buf, const char *sig, const void *data,
				   unsigned int size, bool results)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	char *event = kmalloc(size + 1, GFP_KERNEL);
	struct arg_longs longs = { .data = event + 1, .size = size };

	if (!event)
		return NULL;
	memcpy(event + 1, data, size);
	if (results)
		arg_sig_put_results(&out, sig, &arg_sigs_kunit_types, &longs, "/");
	else
		arg_sig_put_args(&out, sig, &arg_sigs_kunit_types, &longs);
	kfree(event);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static inline const char *put_event(char *buf, const char *sig, const void *data,
				    unsigned int size)
{
	return put_data(buf, sig, data, size, false);
}

static inline const char *put_one(char *buf, const char *sig, unsigned long val)
{
	return put_event(buf, sig, &val, sizeof(val));
}

static inline const char *put_ret(char *buf, const char *sig, const u64 *regs, unsigned int nr,
				  bool hex)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_retval(&out, sig, &arg_sigs_kunit_types, regs, nr, hex);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static inline const char *put_proto(char *buf, const char *sig)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_proto(&out, sig, &arg_sigs_kunit_types, "f");
	*min(out.pos, out.end) = '\0';
	return buf;
}

/* Check that a signature is valid, and what was written for it */
static inline void check_text(struct kunit *test, const char *sig, const char *shown,
			      const char *text)
{
	KUNIT_EXPECT_TRUE_MSG(test, arg_sig_valid(sig), "%s", sig);
	KUNIT_EXPECT_STREQ_MSG(test, shown, text, "%s", sig);
}

/**
 * struct string_case - the recorded data of a call with longs and further data
 * @sig: the function's signature
 * @nr: the number of longs
 * @longs: the longs
 * @tail: the bytes after the longs, and the number of these bytes
 * @text: the expected text
 */
struct string_case {
	const char	*sig;
	unsigned int	nr;
	u64		longs[4];
	struct {
		unsigned int	size;
		const char	*data;
	} tail;
	const char	*text;
};

#define TAIL(text)	{ sizeof(text) - 1, (text) }

static inline void check_data(struct kunit *test, const struct string_case *cases,
			      unsigned int nr, bool results)
{
	char buf[TEST_TEXT], event[64];
	int i;

	for (i = 0; i < nr; i++) {
		const struct string_case *each = &cases[i];
		unsigned int size = each->nr * sizeof(u64);

		memcpy(event, each->longs, size);
		memcpy(event + size, each->tail.data, each->tail.size);
		check_text(test, each->sig, put_data(buf, each->sig, event, size + each->tail.size,
						     results), each->text);
	}
}

static inline void check_events(struct kunit *test, const struct string_case *cases,
				unsigned int nr)
{
	check_data(test, cases, nr, false);
}

/* Put any header into an event of any length, to let KASAN check the reads */
static inline void put_any_header(const char *sig, unsigned int pos, unsigned int high)
{
	char buf[TEST_TEXT], event[64];
	int i;

	memset(event, 0xff, sizeof(event));
	event[pos + 1] = high;
	for (i = 0; i < 64 * 64; i++) {
		event[pos] = i / 64;
		put_event(buf, sig, event, i % 64);
	}
}

#endif /* _TRACE_ARGS_KUNIT_H */
