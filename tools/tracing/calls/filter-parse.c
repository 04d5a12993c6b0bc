// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's parser of lines, and its search for what a line names
 */
#include <linux/types.h>

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
