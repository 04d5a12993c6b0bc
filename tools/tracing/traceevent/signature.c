// SPDX-License-Identifier: GPL-2.0
/*
 * Parse signatures and the descriptions of types, by the kernel's source
 */
#include <linux/kernel.h>

#include "sigs.h"

#include "../../../kernel/trace/args/signature.c"
#include "../../../kernel/trace/args/types.c"
