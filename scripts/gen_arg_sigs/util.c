// SPDX-License-Identifier: GPL-2.0
/*
 * Errors, memory, searches, growing texts, and pools of strings
 *
 * scripts/include/xalloc.h is not used.  Its functions exit without a message, so a
 * build would not say what failed.  Its xrealloc() takes a number of bytes, so each
 * caller would have to check its multiplication for an overflow.  Tests also compile
 * gen_arg_sigs outside of a kernel tree.
 */
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_arg_sigs.h"

/* The names of the counts in an object's line of the report */
const char * const reason_names[NR_REASONS] = {
	[REASON_NONE]		= "none",
	[REASON_NO_DWARF]	= "no-dwarf",
	[REASON_NO_FUNCTION]	= "no-function",
	[REASON_MALFORMED]	= "malformed",
	[REASON_SPLIT]		= "split-dwarf",
	[REASON_LANGUAGE]	= "language",
	[REASON_NO_TYPES]	= "no-types",
	[REASON_CLONE]		= "clone",
	[REASON_LOCATION]	= "location",
	[REASON_FLOAT]		= "float",
	[REASON_STACK]		= "stack",
	[REASON_TYPE]		= "unsupported-type",
	[REASON_LIMIT]		= "limit",
};

/*
 * Make an error that names the function that found the error. Returns the text. The next call
 * overwrites the text.
 */
const char *error_in(const char *func, const char *error)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s (%s)", error, func);
	return text;
}

static void out_of_memory(void)
{
	fprintf(stderr, "gen_arg_sigs: out of memory\n");
	exit(2);
}

/*
 * Allocate zeroed memory or end the program. Most memory is never freed, because the program
 * ends after one object.
 */
void *xcalloc(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p)
		out_of_memory();
	return p;
}

/* Resize an array or end the program. @p: the array, or NULL. */
void *xrealloc(void *p, size_t nr, size_t size)
{
	p = reallocarray(p, nr, size);
	if (!p)
		out_of_memory();
	return p;
}

/* Make room for one more element after @nr elements, or end the program */
void *xgrow(void *p, size_t nr, size_t size)
{
	return nr & (nr - 1) ? p : xrealloc(p, 2 * nr + 1, size);
}

/* Copy a string or end the program */
char *xstrdup(const char *s)
{
	char *p = strdup(s);

	if (!p)
		out_of_memory();
	return p;
}

/*
 * Find an element of a tree (tsearch()) that equals a key. If there is none, add a copy of the
 * key, or end the program.
 */
void *tree_add(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b))
{
	void **node = tsearch(key, tree, compare);

	if (!node)
		out_of_memory();
	if (*node == key) {
		*node = xcalloc(1, size);
		memcpy(*node, key, size);
	}
	return *node;
}

/*
 * Count the elements of a sorted array that are below a key. @compare: as for bsearch(). Returns
 * the index of the first element that is not below the key, which may be @nr.
 */
size_t lower_bound(const void *key, const void *base, size_t nr, size_t size,
		   int (*compare)(const void *key, const void *element))
{
	size_t low = 0, mid;

	while (low < nr) {
		mid = (low + nr) / 2;
		if (compare(key, (const char *)base + mid * size) > 0)
			low = mid + 1;
		else
			nr = mid;
	}
	return low;
}

static void text_add_mem(struct text *text, const char *s, size_t len)
{
	if (text->failed)
		return;

	if (text->len + len + 1 > text->size) {
		text->size = 2 * (text->len + len + 1);
		text->buf = xrealloc(text->buf, text->size, 1);
	}
	memcpy(text->buf + text->len, s, len);
	text->len += len;
	text->buf[text->len] = '\0';
}

/* Append a string to a text */
void text_add(struct text *text, const char *s)
{
	size_t len = strlen(s);

	if (text->len + len > MAX_TEXT)
		text->failed = true;
	text_add_mem(text, s, len);
}

/* Append formatted characters to a text */
void text_addf(struct text *text, const char *fmt, ...)
{
	char buf[64], *all = buf;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	/* Most output is short */
	if (len >= (int)sizeof(buf)) {
		all = xcalloc(len + 1, 1);
		va_start(ap, fmt);
		vsnprintf(all, len + 1, fmt, ap);
		va_end(ap);
	}
	text_add(text, all);
	if (all != buf)
		free(all);
}

/*
 * Append a name and the ';' that ends it. @name: an identifier or the spelling of a type, or
 * NULL. Characters that are not allowed in a signature are replaced by '_'.
 */
void text_add_name(struct text *text, const char *name)
{
	char c[2] = "";

	for (; name && *name; name++) {
		c[0] = *name;
		if (c[0] < ' ' || c[0] > '~' || strchr("\"'\\%;=~", c[0]))
			c[0] = '_';
		text_add(text, c);
	}
	text_add(text, ";");
}

/* Empty a text */
void text_reset(struct text *text)
{
	text->len = 0;
	text->failed = false;
	text_add(text, "");
}

/* A string of a pool, and its offset in the pool's text */
struct pool_string {
	const char *string;
	__u32 offset;
};

static int compare_strings(const void *a, const void *b)
{
	const struct pool_string *x = a, *y = b;

	return strcmp(x->string, y->string);
}

/* Find a string in a pool, or add it. Returns the string's offset in the pool's text. */
__u32 pool_add(struct pool *pool, const char *s)
{
	struct pool_string key = { .string = s, .offset = pool->text.len };
	struct pool_string *new = tree_add(&pool->tree, &key, sizeof(key), compare_strings);

	if (new->string == s) {
		new->string = xstrdup(s);
		text_add_mem(&pool->text, s, strlen(s) + 1);
	}
	return new->offset;
}

/* Note that the DWARF of a function is malformed */
void sigs_set_malformed(struct sigs *sigs, const char *func)
{
	if (!sigs->malformed)
		sigs->malformed = func;
}
