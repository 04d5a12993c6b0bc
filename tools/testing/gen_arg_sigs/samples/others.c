// SPDX-License-Identifier: GPL-2.0
/* Floating point, wide integers, vectors, variable and missing prototypes */
typedef int vector_t __attribute__((vector_size(16)));

double others_floats(double d, int a, float f, long double e, int b)
{
	return d + a + f + e + b;
}

__int128 others_wide(int a, __int128 n, unsigned __int128 o, int b)
{
	return a + n + o + b;
}

int others_wide_stack(long a, long b, long c, long d, long e, __int128 n, int f)
{
	return a + b + c + d + e + n + f;
}

int others_vector(vector_t v, int a)
{
	return v[0] + a;
}

int others_complex(_Complex double c, int a, _Complex float f, int b)
{
	return __real__ c + a + __real__ f + b;
}

int others_variable(const char *format, ...)
{
	return *format;
}

int others_empty()
{
	return 0;
}

int others_old(a, p)
	int a;
	char *p;
{
	return a + *p;
}
