// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose function fails behind a call of a function that ftrace cannot trace
 *
 * The instruction behind the last traced callee's return is a jump, so ftrace returns to
 * the origin of a branch. This branch is the function's own.
 */
#include <linux/errno.h>
#include <linux/module.h>

#include <asm/asm.h>

/* The code in assembler calls this function by its name */
static noinline __used int lbr_jump_callee(void)
{
	barrier();
	return -ENOENT;
}

static noinline notrace int lbr_jump_between(void)
{
	int ret;

	asm volatile("call lbr_jump_callee\n\t"
		     "jmp 1f\n\t"
		     "int3\n"
		     "1:"
		     : "=a" (ret), ASM_CALL_CONSTRAINT : : "rcx", "rdx", "rsi", "rdi", "r8",
		       "r9", "r10", "r11", "memory");
	return ret;
}

static noinline int lbr_jump_fails(void)
{
	int ret = lbr_jump_between();

	barrier();
	return ret;
}

static int lbr_jump_set(const char *val, const struct kernel_param *kp)
{
	return lbr_jump_fails();
}

module_param_call(fail, lbr_jump_set, NULL, NULL, 0200);
MODULE_DESCRIPTION("Fails behind a jump to which a traced function returns");
MODULE_LICENSE("GPL");
