// SPDX-License-Identifier: GPL-2.0
/*
 * Branches as lines of a tree, from the kernel's own source
 */
#include "../../../kernel/trace/trace_bts_lines.c"
#include "../../../kernel/trace/trace_bts_tree.c"
