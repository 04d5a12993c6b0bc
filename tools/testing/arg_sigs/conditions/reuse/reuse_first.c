// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose function is called and counted. reuse_second.c gets its address.
 */
#include <linux/kstrtox.h>
#include <linux/module.h>

static noinline __noclone int reuse_called(int x)
{
	asm volatile("" : "+r" (x));
	return x;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	int x, ret = kstrtoint(val, 0, &x);

	if (ret)
		return ret;
	reuse_called(x);
	reuse_called(x);
	return 0;
}

static const struct kernel_param_ops call_ops = { .set = call_set };
module_param_cb(call, &call_ops, NULL, 0200);

MODULE_DESCRIPTION("A function that is counted");
MODULE_LICENSE("GPL");
