// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose branches make a known tree: loops, calls in loops, recursion, a tail
 * call, an indirect call, inlined functions; and alternatives of instructions
 */
#include <linux/module.h>

#include <asm/alternative.h>
#include <asm/cpufeatures.h>

static unsigned int turns = 10;
module_param(turns, uint, 0400);

static noinline __used unsigned int tree_leaf(unsigned int a)
{
	return a * 3 + turns;
}

static noinline __used unsigned int tree_loop(unsigned int nr)
{
	unsigned int i, sum = 0;

	for (i = 0; i < nr; i++) {
		sum += i;
		barrier();
	}
	return sum;
}

static noinline __used unsigned int tree_calls(unsigned int nr)
{
	unsigned int i, sum = 0;

	for (i = 0; i < nr; i++)
		sum += tree_leaf(i);
	return sum;
}

static noinline __used unsigned int tree_recursion(unsigned int nr)
{
	if (!nr)
		return turns;
	return tree_recursion(nr - 1) + tree_leaf(nr);
}

static noinline __used unsigned int tree_tail(unsigned int nr)
{
	if (nr & 1)
		return tree_leaf(nr);
	return tree_loop(nr);
}

static __always_inline unsigned int tree_inner(unsigned int nr)
{
	if (nr > turns)
		return tree_leaf(nr) + 1;
	return tree_loop(3);
}

static __always_inline unsigned int tree_outer(unsigned int nr)
{
	unsigned int sum = 2;

	if (nr != turns)
		sum += tree_inner(nr);
	return sum + tree_leaf(sum);
}

static noinline __used unsigned int tree_inlined(unsigned int nr)
{
	return tree_outer(nr) + tree_outer(nr + 2) + tree_leaf(1);
}

static noinline __used unsigned int tree_all(unsigned int nr,
					     unsigned int (*func)(unsigned int nr))
{
	unsigned int sum = tree_loop(nr) + tree_calls(nr);

	sum += tree_recursion(4);
	sum += tree_tail(nr) + tree_tail(nr + 1);
	sum += tree_inlined(nr - 1);
	return sum + func(nr);
}

/* The kernel replaces one instruction by one */
static noinline __used void tree_same(void)
{
	asm volatile(ALTERNATIVE("xorl %%eax, %%eax", "movl %%eax, %%eax", X86_FEATURE_ALWAYS) : : :
		     "eax");
}

/* The kernel replaces two instructions by one */
static noinline __used void tree_fewer(void)
{
	asm volatile(ALTERNATIVE("xorl %%eax, %%eax; xorl %%eax, %%eax", "movl $0, %%eax",
				 X86_FEATURE_ALWAYS) : : : "eax");
}

static int __init tree_init(void)
{
	unsigned int (*func)(unsigned int nr) = tree_leaf;

	OPTIMIZER_HIDE_VAR(func);
	pr_info("bts_tree: %u\n", tree_all(turns, func));
	tree_same();
	tree_fewer();
	return 0;
}

static void __exit tree_exit(void)
{
}

module_init(tree_init);
module_exit(tree_exit);
MODULE_DESCRIPTION("Branches that make a known tree");
MODULE_LICENSE("GPL");
