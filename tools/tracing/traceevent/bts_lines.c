// SPDX-License-Identifier: GPL-2.0
/*
 * Branches as lines of a tree, from the kernel's own source
 */
#include "../../../kernel/trace/bts/lines.c"
#include "../../../kernel/trace/bts/tree.c"
