// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with known arguments, while options, lines and modules change
 *
 * Writing "FIRST COUNT" to the module's parameter "run" makes COUNT calls with the numbers
 * from FIRST on. check.c has the expected text of each call.
 */
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/sched.h>

/* The text of a call is its number */
noinline __noclone long toggle_call(long nr, const char *text, u64 *twice,
				    struct task_struct *task)
{
	*twice += nr;
	barrier_data(twice);
	return nr + 1;
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	long first, count, i;
	char text[16];
	u64 twice;

	if (sscanf(val, "%ld %ld", &first, &count) != 2)
		return -EINVAL;
	for (i = first; i < first + count; i++) {
		snprintf(text, sizeof(text), "call %ld", i);
		twice = i;
		if (toggle_call(i, text, &twice, current) != i + 1 || twice != 2 * i)
			return -EIO;
		/* A function of the image, which is called less often to save time */
		if (i % 10 == 0 && int_pow(i, 1) != i)
			return -EIO;
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Calls with known arguments");
MODULE_LICENSE("GPL");
