// SPDX-License-Identifier: GPL-2.0
/* Pointers to everything */
typedef long long loff_t;
typedef _Bool bool;
typedef int (*compare_t)(const void *a, const void *b);
typedef int function_t(int a);
typedef struct file *file_t;
typedef char *text_t;
typedef struct { int counter; } atomic_t;
enum kind { KIND_A };
struct file;
union data;

void *pointers_plain(void *v, const char *s, struct file *f, union data *d, loff_t *pos,
		     bool *flag)
{
	return v ? v : (void *)((long)s + (long)f + (long)d + (long)pos + (long)flag);
}

const char *pointers_qualified(const volatile void *cv, char *const *argv,
			       const struct file *const f, volatile int *restrict p)
{
	return cv == f && p ? 0 : *argv;
}

int pointers_functions(int (*one)(struct file *, enum kind, loff_t, ...),
		       void (*none)(void), compare_t compare, function_t *f,
		       void (*nested)(void (*)(int), struct file **))
{
	return !one + !none + !compare + !f + !nested;
}

file_t pointers_typedefs(file_t f, text_t t, atomic_t *counter, file_t *list)
{
	return counter->counter ? f : t ? *list : 0;
}

int pointers_arrays(int a[3], int (*two)[4], const char *names[], struct { int x; } *anon)
{
	return a[0] + (*two)[1] + !names + anon->x;
}
