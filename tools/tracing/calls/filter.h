/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's functions for lines, which filter-parse.c builds for filters and expressions */
#ifndef _TRACE_CALLS_FILTER_H
#define _TRACE_CALLS_FILTER_H

#include "../../../kernel/trace/calls/parse.h"

/* The functions of a line that names none */
#define EVERY	"*: "

int line_parse(struct graph_cond *cond, enum graph_lines kind, struct graph_cond_error *err);
void line_free(struct graph_cond *cond);
void line_complain(const struct graph_cond_error *err, const char *text, unsigned int before);

#endif /* _TRACE_CALLS_FILTER_H */
