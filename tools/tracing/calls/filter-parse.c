// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's parser of lines, and its search for what a line names
 */
#include <linux/types.h>

#include "arrays.h"
#include "calls.h"
#include "filter.h"

#include "../../../kernel/trace/args/fields.c"
#include "../../../kernel/trace/calls/parse.c"

char *skip_spaces(const char *text)
{
	while (isspace(*text))
		text++;
	return (char *)text;
}

/*
 * Parse a line, whose @line the caller has allocated. Returns 0 or -EINVAL. The caller frees the
 * line, also if this fails.
 */
int line_parse(struct graph_cond *cond, enum graph_lines kind, struct graph_cond_error *err)
{
	cond->strings = xstrdup(cond->line);
	cond->exprs = xcalloc(GRAPH_EXPRS_MAX, sizeof(*cond->exprs));
	return graph_parse(cond, kind, err);
}

/* Free what line_parse() has allocated, and the text of the line */
void line_free(struct graph_cond *cond)
{
	free(cond->exprs);
	free(cond->strings);
	free(cond->line);
}

/*
 * Show the place of an error in a line. @before is the number of characters before the user's part
 * of the line.
 */
void line_complain(const struct graph_cond_error *err, const char *text, unsigned int before)
{
	unsigned int pos = err->pos > before ? err->pos - before : 0;

	complain("%s", graph_cond_errors[err->nr]);
	fprintf(stderr, "  %s\n  %*s^\n", text, min_t(int, pos, strlen(text)), "");
}
