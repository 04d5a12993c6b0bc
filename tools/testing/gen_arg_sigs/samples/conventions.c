// SPDX-License-Identifier: GPL-2.0
/* Other calling conventions, of which gcc's DWARF says nothing */
#define conventions_ms __attribute__((ms_abi))

struct triple { long a, b, c; };

long conventions_other(long a, long b);

noinline long conventions_ms conventions_used(long a, int b)
{
	return conventions_other(a, b);
}

/* By its address */
noinline long conventions_ms conventions_record(struct triple t)
{
	return conventions_other(t.a, t.c);
}

/* Bit-fields without a name are not in the DWARF, and gcc passes what has them */
struct hidden { long a; long :40; } __attribute__((aligned(16)));

long conventions_hidden(struct hidden h, long a, long b)
{
	return conventions_other(a, b) + h.a;
}
