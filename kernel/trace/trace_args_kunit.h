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

#include "trace_args.h"

struct kunit_suite;

/* Bytes of the buffer that a test writes text into */
#define TEST_TEXT	256

/* trace_args_kunit_types.c */
extern struct arg_types arg_sigs_kunit_types;

int arg_sigs_kunit_init(struct kunit_suite *suite);
void arg_sigs_kunit_exit(struct kunit_suite *suite);

/* trace_args_table_kunit.c: functions of the module that have a signature */
noinline int arg_sigs_kunit_sample(long a, bool b);
noinline struct list_head arg_sigs_kunit_two(struct list_head *list);

/* The address that ftrace calls from: behind the ENDBR of IBT */
static inline unsigned long traced(void *func)
{
	unsigned long ip = (unsigned long)func;

	/* objtool warns of a relocation to an address without ENDBR */
	OPTIMIZER_HIDE_VAR(ip);
	return ip + (IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 4 : 0);
}

/* The event ends where its memory does, and nothing in it is aligned */
static inline const char *put_event(char *buf, const char *sig,
				    const void *data, unsigned int size)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	char *event = kmalloc(size + 1, GFP_KERNEL);
	struct arg_longs longs = { .data = event + 1, .size = size };

	if (!event)
		return NULL;
	memcpy(event + 1, data, size);
	arg_sig_put_args(&out, sig, &arg_sigs_kunit_types, &longs);
	kfree(event);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static inline const char *put_one(char *buf, const char *sig, unsigned long val)
{
	return put_event(buf, sig, &val, sizeof(val));
}

static inline const char *put_regs(char *buf, const char *sig, u64 rax,
				   u64 rdx, unsigned int nr)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	u64 regs[2] = { rax, rdx };

	arg_sig_put_ret(&out, sig, &arg_sigs_kunit_types, regs, nr, false);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static inline const char *put_ret(char *buf, const char *sig, u64 val, bool hex)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };

	arg_sig_put_ret(&out, sig, &arg_sigs_kunit_types, &val, 1, hex);
	*min(out.pos, out.end) = '\0';
	return buf;
}

static inline const char *put_numbers(char *buf, const char *sig,
				      const void *data, unsigned int size)
{
	struct arg_out out = { .pos = buf, .end = buf + TEST_TEXT - 1 };
	char *event = kmalloc(size + 1, GFP_KERNEL);
	struct arg_longs numbers = { .data = event + 1, .size = size };

	if (!event)
		return NULL;
	memcpy(event + 1, data, size);
	arg_sig_put_numbers(&out, sig, &arg_sigs_kunit_types, &numbers, "/");
	kfree(event);
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

#endif /* _TRACE_ARGS_KUNIT_H */
