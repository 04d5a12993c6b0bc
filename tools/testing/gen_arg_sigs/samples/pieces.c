// SPDX-License-Identifier: GPL-2.0
/* Pointers whose objects IPA-SRA passes in parts, and unused results */
struct inner { int x; short y[2]; };
struct outer { long a; const char *name; struct inner in; union { int i; float f; } u; };
struct grid { struct { int z; } at[2][3]; };

int pieces_sink(int x);

static noinline int pieces_member(int first, struct outer *o, int last)
{
	return pieces_sink(o->in.y[1]) + first + pieces_sink(last);
}

static noinline int pieces_two(struct outer *o, int last)
{
	return pieces_sink(o->a) + pieces_sink(*o->name) + pieces_sink(last);
}

static noinline long pieces_number(long *p, int last)
{
	return pieces_sink(*p) + pieces_sink(last);
}

static noinline int pieces_grid(struct grid *g, int last)
{
	return pieces_sink(g->at[1][2].z) + pieces_sink(last);
}

/* The caller passes the value of another member, which then changes */
static noinline int pieces_forwarded(struct outer *o, int last)
{
	return pieces_sink(o->a) + pieces_sink(last);
}

static noinline int pieces_unwanted(int a)
{
	return pieces_sink(a) + pieces_sink(a + 1);
}

int pieces_caller(struct outer *o, long *p, struct grid *g, int a)
{
	int ret;

	ret = pieces_member(a, o, 3 + a) + pieces_member(a + 1, o + 1, a);
	ret += pieces_two(o, 3 + a) + pieces_two(o + 1, a);
	ret += pieces_number(p, 3 + a) + pieces_number(p + 1, a);
	ret += pieces_grid(g, 3 + a) + pieces_grid(g + 1, a);
	o->a = (long)o->name;
	o->name = 0;
	ret += pieces_forwarded(o, a);
	p[0] = p[1];
	p[1] = 0;
	ret += pieces_forwarded((struct outer *)p, a + 3);
	pieces_unwanted(a);
	pieces_unwanted(a + 1);
	return ret;
}
