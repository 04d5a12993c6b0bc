// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is loaded and unloaded while the calls of toggle_calls.c are traced
 *
 * Writing a number to the module's parameter "run" makes a call with this number.
 * toggle_second.c is the same module with another function at the same address.
 */
#include <linux/kernel.h>
#include <linux/module.h>

#ifdef TOGGLE_SECOND
noinline __noclone long toggle_other(const char *text, long nr)
{
	barrier();
	return nr;
}
#else
noinline __noclone long toggle_other(long nr, const char *text)
{
	barrier();
	return nr;
}
#endif

static int run_set(const char *val, const struct kernel_param *kp)
{
	long nr;
	int ret;

	ret = kstrtol(val, 0, &nr);
	if (ret)
		return ret;
#ifdef TOGGLE_SECOND
	return toggle_other("second", nr) == nr ? 0 : -EIO;
#else
	return toggle_other(nr, "first") == nr ? 0 : -EIO;
#endif
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("A module that comes and goes");
MODULE_LICENSE("GPL");
