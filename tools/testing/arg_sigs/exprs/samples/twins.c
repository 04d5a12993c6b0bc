// SPDX-License-Identifier: GPL-2.0
/*
 * A structure with the tag of another structure in this module. The two have different
 * layouts.
 */
#include <linux/compiler.h>

#include "twins.h"

struct expr_twin {
	long	before;
	int	number;
};

noinline __noclone void expr_second_twin(struct expr_twin *twin)
{
	barrier_data(twin);
}

void expr_call_twins(void)
{
	struct expr_twin twin = { .before = 1, .number = 2 };

	barrier_data(&twin);
	expr_first_twin((void *)&twin.number);
	expr_second_twin(&twin);
}
