// SPDX-License-Identifier: GPL-2.0
/*
 * Objects with known contents for func_args_expr: a write to the parameter "run" calls
 * functions with these objects. lab/tests/long/expr-btf has the expressions and values.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "twins.h"

/* The compiler merges functions that have the same code */
#define USE(name, value)	asm volatile("# " name : : "r" (value) : "memory")

enum expr_state { EXPR_NEW, EXPR_OLD = 5 };

struct expr_inner {
	char			name[12];
	long			number;
	struct expr_inner	*next;
};

struct expr_object {
	u8			small;
	union {
		struct {
			u16			low;
			s16			high;
		};
		u32			both;
	};
	struct expr_inner	inner;
	const char		*text;
	enum expr_state		state;
	unsigned int		one : 1, five : 5, nine : 9;
	struct expr_object	*next;
};

typedef struct {
	long	x;
	int	y;
} expr_pair_t;

typedef struct expr_object *expr_handle_t;

/* twins.c has another struct expr_twin */
struct expr_twin {
	int	number;
	char	tail[60];
};

/* mm/shmem.c has another struct shmem_inode_info */
struct shmem_inode_info {
	int	number;
};

static noinline __noclone void expr_take(struct expr_object *obj)
{
	USE("expr_take", obj);
}

static noinline __noclone void expr_take_inner(const struct expr_inner *inner)
{
	USE("expr_take_inner", inner);
}

static noinline __noclone void expr_take_pair(expr_pair_t *pair)
{
	USE("expr_take_pair", pair);
}

static noinline __noclone void expr_take_handle(expr_handle_t handle)
{
	USE("expr_take_handle", handle);
}

static noinline __noclone void expr_take_data(void *data, int nr)
{
	USE("expr_take_data", data);
	USE("expr_take_data", nr);
}

static noinline __noclone void expr_take_shadow(struct shmem_inode_info *shadow)
{
	USE("expr_take_shadow", shadow);
}

noinline __noclone void expr_first_twin(struct expr_twin *twin)
{
	USE("expr_first_twin", twin);
}

static int expr_run(const char *val, const struct kernel_param *kp)
{
	struct shmem_inode_info shadow = { .number = 4 };
	expr_pair_t pair = { .x = 11, .y = -12 };
	struct expr_object *first, *second;

	first = kvzalloc(sizeof(*first), GFP_KERNEL);
	second = kvzalloc(sizeof(*second), GFP_KERNEL);
	if (first && second) {
		*first = (struct expr_object){
			.small = 200, .low = 0x1234, .high = -2,
			.inner = { .name = "inner", .number = -77, .next = &second->inner },
			.text = "a text", .state = EXPR_OLD, .one = 1, .five = 21, .nine = 300,
			.next = second,
		};
		*second = *first;
		second->inner = (struct expr_inner){ .name = "second", .number = 78 };
		second->next = NULL;
		expr_take(first);
		expr_take_inner(&first->inner);
		expr_take_pair(&pair);
		expr_take_handle(first);
		expr_take_data(first, 3);
		expr_take_shadow(&shadow);
		expr_call_twins();
	}
	kvfree(second);
	kvfree(first);
	return 0;
}

static const struct kernel_param_ops expr_ops = {
	.set = expr_run,
};

module_param_cb(run, &expr_ops, NULL, 0200);

static int __init expr_init(void)
{
	return 0;
}

static void __exit expr_exit(void)
{
}

module_init(expr_init);
module_exit(expr_exit);
MODULE_DESCRIPTION("Objects of known contents");
MODULE_LICENSE("GPL");
