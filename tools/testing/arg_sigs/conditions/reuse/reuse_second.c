// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose function is never called, at the address of reuse_called()
 */
#include <linux/gfp.h>
#include <linux/kstrtox.h>
#include <linux/module.h>

static noinline __noclone int reuse_uncalled(gfp_t x)
{
	asm volatile("" : "+r" (x));
	return x != 0;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	int x, ret = kstrtoint(val, 0, &x);

	return ret ?: reuse_uncalled((__force gfp_t)x);
}

static const struct kernel_param_ops call_ops = { .set = call_set };
module_param_cb(call, &call_ops, NULL, 0200);

MODULE_DESCRIPTION("A function at the address of another function");
MODULE_LICENSE("GPL");
