// SPDX-License-Identifier: GPL-2.0
/* Pointers to all kinds of types */
typedef long long loff_t;
typedef _Bool bool;
typedef int (*compare_t)(const void *a, const void *b);
typedef int function_t(int a);
typedef struct file *file_t;
typedef char *text_t;
typedef unsigned long size_t;
typedef size_t count_t;
typedef long ssize_t;
typedef ssize_t result_t;
typedef const char constant_t;
typedef unsigned int u32;
typedef char letter_t;
typedef int *number_t;
typedef const volatile u32 fixed_t;
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

/* Pointers to numbers of all sizes, and similar pointers */
loff_t *pointers_numbers(const u32 *word, letter_t *letter, signed char *byte,
			 volatile unsigned short *restrict half, enum kind *kind,
			 number_t hidden, loff_t **twice, float *fraction,
			 unsigned __int128 *wide, enum later *later, size_t *last)
{
	return *word + *byte + *half + !letter + !fraction + !wide + !later + *kind +
	       *hidden + *last ? *twice : 0;
}

/* The function cannot change the targets of these pointers */
u32 pointers_const(fixed_t *fixed, const u32 *more, u32 *number)
{
	return *fixed + *more + *number;
}

/* Buffers: the parameter after a pointer to char is the size of the buffer */
int pointers_buffers(const char *in, size_t in_size, char *out, size_t out_size,
		     constant_t *typedefs, count_t size)
{
	return !in + in_size + !out + out_size + !typedefs + size;
}

int pointers_no_buffers(const char *in, unsigned long in_size, char *out, int out_size,
			const char *last)
{
	return !in + in_size + !out + out_size + !last;
}

/* The calls fill the buffer, and return the number of bytes */
result_t pointers_filled(int a, char *out, count_t size, int *number)
{
	return a + !out + size + *number;
}

ssize_t pointers_filled_far(int a, int b, int c, int d, int e, text_t f, size_t g,
			    volatile char *h, const size_t i)
{
	return a + b + c + d + e + !f + g + !h + i;
}

ssize_t pointers_filled_stack(int a, int b, int c, int d, int e, int f, volatile char *h, size_t i)
{
	return a + b + c + d + e + f + !h + i;
}

/* The number of bytes that the call has not filled, as of fault_in_writeable() */
size_t pointers_left(char *out, size_t size)
{
	return !out + size;
}

/* A count that is not of bytes, a buffer that the caller fills, and a buffer of unknown size */
ssize_t pointers_unfilled(const char *in, size_t in_size, unsigned char *out, size_t out_size,
			  char *last)
{
	return !in + in_size + !out + out_size + !last;
}

/* The size is on the stack, and so is the last buffer */
int pointers_far(int a, int b, int c, int d, int e, const char *f, size_t g,
		 const char *h, const size_t i)
{
	return a + b + c + d + e + !f + g + !h + i;
}

/* More longs and reads than most signatures have */
int pointers_many(int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6, int *a7, int *a8,
		  int *a9, int *a10, int *a11, int *a12, int *a13, int *a14, int *a15, int *a16,
		  int *a17, int *a18, int *a19, int *a20, int *a21, int *a22, int *a23, int *a24,
		  int *a25, int *a26, int *a27, int *a28, int *a29);
int pointers_many(int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6, int *a7, int *a8,
		  int *a9, int *a10, int *a11, int *a12, int *a13, int *a14, int *a15, int *a16,
		  int *a17, int *a18, int *a19, int *a20, int *a21, int *a22, int *a23, int *a24,
		  int *a25, int *a26, int *a27, int *a28, int *a29)
{
	return 0;
}
