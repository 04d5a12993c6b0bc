// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is loaded and unloaded while the calls of toggle_calls.c are traced
 */
#include <linux/kernel.h>
#include <linux/module.h>

noinline __noclone int toggle_other(int x, const char *text);
noinline __noclone int toggle_other(int x, const char *text)
{
	barrier();
	return x;
}

static int __init toggle_init(void)
{
	return toggle_other(1, "other") == 1 ? 0 : -EIO;
}

static void __exit toggle_exit(void)
{
}

module_init(toggle_init);
module_exit(toggle_exit);
MODULE_DESCRIPTION("A module that comes and goes");
MODULE_LICENSE("GPL");
