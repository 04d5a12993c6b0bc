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

/**
 * skip_spaces - skip blanks
 * @text: the text
 *
 * Return: the text after the blanks.
 */
char *skip_spaces(const char *text)
{
	while (isspace(*text))
		text++;
	return (char *)text;
}

/**
 * line_parse - parse a line
 * @cond: the line, whose @line the caller has allocated
 * @kind: the kernel's file of the line
 * @err: the error if this fails
 *
 * The caller frees the line, also if this fails.
 *
 * Return: 0 or -EINVAL.
 */
int line_parse(struct graph_cond *cond, enum graph_lines kind, struct graph_cond_error *err)
{
	cond->strings = xstrdup(cond->line);
	cond->exprs = xcalloc(GRAPH_EXPRS_MAX, sizeof(*cond->exprs));
	return graph_parse(cond, kind, err);
}

/**
 * line_free - free what line_parse() has allocated, and the text of the line
 * @cond: the line
 */
void line_free(struct graph_cond *cond)
{
	free(cond->exprs);
	free(cond->strings);
	free(cond->line);
}

/**
 * line_complain - show the place of an error in a line
 * @err: the error
 * @text: the user's part of the line
 * @before: characters of the line before @text
 */
void line_complain(const struct graph_cond_error *err, const char *text, unsigned int before)
{
	unsigned int pos = err->pos > before ? err->pos - before : 0;

	complain("%s", graph_cond_errors[err->nr]);
	fprintf(stderr, "  %s\n  %*s^\n", text, min_t(int, pos, strlen(text)), "");
}
