// SPDX-License-Identifier: GPL-2.0
/* clang for arm64: records of floating-point numbers that are in no vector registers */
struct zero { float a; float z[0]; };
struct flexible { float a; float z[]; };
struct inside { struct zero a; float b; };
struct rows { float z[2][0]; float a; };
struct empty { struct { float z[0]; } z; float a; };
union unnamed { float a; int : 8; };
struct atomic { _Atomic float a, b; };
struct whole { float a, b; };
struct couple { long a, b; };

void vectors_other(long a);

#define VECTORS(name, type)			\
long vectors_##name(long a, type v, long last)	\
{						\
	vectors_other(a);			\
	return last;				\
}

VECTORS(zero, struct zero)
VECTORS(flexible, struct flexible)
VECTORS(inside, struct inside)
VECTORS(rows, struct rows)
VECTORS(empty, struct empty)
VECTORS(unnamed, union unnamed)
VECTORS(atomic, struct atomic)
VECTORS(whole, struct whole)
VECTORS(atomic_whole, _Atomic struct whole)
VECTORS(complex, _Atomic _Complex float)
VECTORS(float, _Atomic float)
VECTORS(couple, _Atomic struct couple)
