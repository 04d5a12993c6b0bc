// SPDX-License-Identifier: GPL-2.0
/*
 * A function and a tracepoint whose parameters are in another order in another build, and a
 * function whose parameter points to a structure with members in another order
 *
 * Both builds pass first=1 and second=2 when the parameter run is written.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>

/* Before Linux 6.16, DECLARE_TRACE() leaves the name as it is */
#ifndef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT DECLARE_TRACE
#endif

struct swap_pair {
#ifdef BUILD_one
	long	first;
	long	second;
#else
	long	second;
	long	first;
#endif
};

static noinline __noclone long swap_members(const struct swap_pair *pair)
{
	barrier();
	return pair->first * 10 + pair->second;
}

#ifdef BUILD_one
DECLARE_TRACE_EVENT(swap, TP_PROTO(int first, long second), TP_ARGS(first, second));
DEFINE_TRACE(swap, TP_PROTO(int first, long second), TP_ARGS(first, second));

static noinline __noclone int swap_call(int first, long second)
{
	barrier();
	return first * 10 + second;
}

static int run(void)
{
	trace_swap(1, 2);
	return swap_call(1, 2);
}
#else
DECLARE_TRACE_EVENT(swap, TP_PROTO(long second, int first), TP_ARGS(second, first));
DEFINE_TRACE(swap, TP_PROTO(long second, int first), TP_ARGS(second, first));

static noinline __noclone int swap_call(long second, int first)
{
	barrier();
	return first * 10 + second;
}

static int run(void)
{
	trace_swap(2, 1);
	return swap_call(2, 1);
}
#endif

static int run_set(const char *val, const struct kernel_param *kp)
{
	const struct swap_pair pair = { .first = 1, .second = 2 };

	return run() == 12 && swap_members(&pair) == 12 ? 0 : -EINVAL;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Parameters in another order in another build");
MODULE_LICENSE("GPL");
