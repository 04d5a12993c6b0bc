// SPDX-License-Identifier: GPL-2.0
/*
 * A module that crashes when it is loaded, as the parameter what says: null, a
 * NULL pointer is written to; bug, a BUG(); warn, a WARN()
 */
#include <linux/bug.h>
#include <linux/module.h>
#include <linux/string.h>

static char *what;
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "null, bug or warn");

static noinline void bts_crash_null(int *p)
{
	WRITE_ONCE(*p, 1);
}

static noinline void bts_crash_bug(void)
{
	BUG();
}

static noinline void bts_crash_warn(int nr)
{
	WARN(nr, "crash %d\n", nr);
}

static int __init bts_crash_init(void)
{
	int *nothing = NULL;

	if (!what)
		return -EINVAL;
	OPTIMIZER_HIDE_VAR(nothing);
	if (!strcmp(what, "null"))
		bts_crash_null(nothing);
	else if (!strcmp(what, "bug"))
		bts_crash_bug();
	else if (!strcmp(what, "warn"))
		bts_crash_warn(1);
	return -EINVAL;
}
module_init(bts_crash_init);

MODULE_DESCRIPTION("A module that crashes when it is loaded");
MODULE_LICENSE("GPL");
