/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bts and step tracers: the branch that an instruction is
 */
#ifndef _TRACE_BTS_INSN_H
#define _TRACE_BTS_INSN_H

#include "trace_bts_tree.h"

struct insn;

enum bts_kind bts_insn_kind(const struct insn *insn);

#endif /* _TRACE_BTS_INSN_H */
