// SPDX-License-Identifier: GPL-2.0
/*
 * A function that is diverted to another function, as a live patch does it
 *
 * Writing 1 or 0 to the module's parameter "divert" begins or ends this. Writing to "run"
 * calls the function.
 */
#include <linux/ftrace.h>
#include <linux/kstrtox.h>
#include <linux/module.h>

noinline __noclone int lines_target(int x, const char *name)
{
	barrier();
	return x + 1;
}

noinline __noclone int lines_other(int x, const char *name)
{
	barrier();
	return x + 100;
}

static void notrace lines_divert(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)lines_other);
}

static struct ftrace_ops lines_ops = {
	.func	= lines_divert,
	.flags	= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static bool diverted;

static int divert_set(const char *val, const struct kernel_param *kp)
{
	char name[] = "lines_target";
	bool set;
	int ret;

	ret = kstrtobool(val, &set);
	if (ret || set == diverted)
		return ret;
	ret = ftrace_set_filter(&lines_ops, name, strlen(name), 1);
	if (!ret)
		ret = set ? register_ftrace_function(&lines_ops) :
			    unregister_ftrace_function(&lines_ops);
	if (!ret)
		diverted = set;
	return ret;
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	return lines_target(5, "hello") == (diverted ? 105 : 6) ? 0 : -EIO;
}

static const struct kernel_param_ops divert_ops = { .set = divert_set };
static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(divert, &divert_ops, NULL, 0200);
module_param_cb(run, &run_ops, NULL, 0200);

static int __init lines_init(void)
{
	return lines_other(0, "") == 100 ? 0 : -EIO;
}

static void __exit lines_exit(void)
{
	if (diverted)
		unregister_ftrace_function(&lines_ops);
}

module_init(lines_init);
module_exit(lines_exit);
MODULE_DESCRIPTION("A function that is diverted to another");
MODULE_LICENSE("GPL");
