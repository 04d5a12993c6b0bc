// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's steps of expressions, with layouts from DWARF
 */
#include "layouts.h"

#include "../../../kernel/trace/calls/exprs_steps.c"
