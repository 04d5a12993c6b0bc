// SPDX-License-Identifier: GPL-2.0
/* Other calling conventions, which gcc's DWARF does not show */
#define conventions_ms __attribute__((ms_abi))

struct triple { long a, b, c; };

long conventions_other(long a, long b);

noinline long conventions_ms conventions_used(long a, int b)
{
	return conventions_other(a, b);
}

/* gcc need not track the variables of a function that assigns none and calls nothing */
noinline int conventions_ms conventions_nothing(long a, long b)
{
	return 0;
}

/* The function is called through its address */
noinline long conventions_ms conventions_record(struct triple t)
{
	return conventions_other(t.a, t.c);
}

/* Bit-fields without a name are not in the DWARF, but gcc passes their eightbytes */
struct hidden { void *a; long :40; } __attribute__((aligned(16)));

long conventions_hidden(struct hidden h, long a, long b)
{
	return conventions_other(a, b) + (long)h.a;
}

/* A local variable is in a register that the function saves, but does not set */
long conventions_unset(long a, long b)
{
	register long local __asm__("r15");

	__asm__ volatile("" : "=r" (local));
	return conventions_other(a, local) + b;
}

/* RCX has the address of the return value. The usual convention returns it in RAX:RDX. */
struct pair { long a, b; };

struct pair conventions_ms conventions_pair(long a)
{
	struct pair p = { conventions_other(a, 1), a };

	return p;
}

/* Without a parameter, only the code can show that RCX has no address */
extern int conventions_number;

struct pair conventions_ms conventions_alone(void)
{
	struct pair p = { 5, 0 };

	__asm__ volatile("rdtsc" : : : "rax", "rdx");
	p.b = conventions_number;
	return p;
}

struct pair conventions_alone_too(void)
{
	struct pair p = { conventions_other(1, 2), 5 };

	return p;
}

/* gcc has no location for an unused value whose address is passed */
int conventions_ms conventions_unused(__int128 wide, long b)
{
	return conventions_other(b, 1);
}

int conventions_wide(__int128 wide, long b)
{
	return conventions_other(b, 1);
}

/* The DWARF of a clone does not show its convention, either, and free registers do not help */
static noinline long conventions_ms conventions_clone(struct pair p, int b, char *c, long d)
{
	return conventions_other(p.b + b, *c + d);
}

long conventions_calls(long a, char *c)
{
	struct pair p = { conventions_other(a, 2), a };

	return conventions_clone(p, a, c, 5) + conventions_clone(p, 2, c + 1, 5);
}

/* Nor does it show that the clone returns a record, or a wide value, in memory */
static noinline struct pair conventions_ms conventions_clone_pair(int always)
{
	struct pair p = { conventions_other(always, 1), always };

	return p;
}

static noinline __int128 conventions_ms conventions_clone_wide(int always, long b)
{
	return (__int128)conventions_other(always, b) << 3;
}

/* The usual convention returns a packed record in memory, and ms_abi returns this one in RAX */
struct packed { char a; short b; char c; int d; } __packed;

static noinline struct packed conventions_ms conventions_clone_packed(int always, long b)
{
	struct packed p = { conventions_other(always, b) };

	return p;
}

long conventions_calls_packed(long a)
{
	return conventions_clone_packed(5, a).a + conventions_clone_packed(5, a + 1).a;
}

long conventions_calls_pair(long a)
{
	struct pair p = conventions_clone_pair(5), q = conventions_clone_pair(5);

	return conventions_other(p.a + q.a, p.b + q.b) + conventions_clone_wide(5, a) +
	       conventions_clone_wide(5, a + 1);
}

union word {
	long number;
	char text[8];
};

/* gcc has a place on the stack for an unused union, with any convention */
int conventions_ms conventions_ignored(union word w)
{
	return 7;
}

int conventions_ignored_but_one(union word w, long b)
{
	return conventions_other(b, 1);
}
