// SPDX-License-Identifier: GPL-2.0
/* Members of records: bit-fields, nested, anonymous, arrays, padding, typedefs */
typedef unsigned long size_t;
typedef unsigned int gfp_t;
typedef _Bool bool;
typedef struct { int counter; } atomic_t;
enum color { RED, GREEN, BLUE };
struct file;

struct fields {
	unsigned int a : 3;
	int b : 7;
	unsigned int : 4;
	bool c : 1;
	enum color d : 2;
	int : 0;
	unsigned long e : 40;
	unsigned long f : 24;
};

struct anonymous {
	int a;
	union {
		int b;
		struct {
			short c;
			unsigned short d : 5;
			unsigned short e : 11;
		};
	};
};

struct nested {
	atomic_t count;
	struct { char x, y[3]; } at;
};

struct various {
	size_t size;
	gfp_t gfp;
	const char *name;
	int (*call)(struct file *f);
	struct file *files[2];
	char grid[2][3];
	struct nested inner[2];
	double d;
	unsigned __int128 wide;
	int tail[];
};

union either {
	unsigned char bytes[16];
	struct { unsigned long low, high; };
};

struct __packed packed {
	char a;
	int b : 12;
	int c : 20;
	long d;
};

struct hole {
	int a : 4;
	long : 60;
	int b;
};

int records_fields(struct fields f, struct anonymous a)
{
	return f.a + f.b + f.c + f.d + f.e + f.f + a.a + a.d;
}

int records_nested(struct nested n, int a)
{
	return n.count.counter + n.at.x + a;
}

unsigned long records_various(struct various v, int a)
{
	return v.size + v.gfp + v.grid[1][2] + a;
}

union either records_either(union either e)
{
	return e;
}

/* clang's DWARF has b at the start, and does not mark it as a bit-field */
struct __packed wide_field {
	int a : 2;
	unsigned char b : 8;
	int c : 22;
};

int records_wide_field(struct wide_field w)
{
	return w.a + w.b + w.c;
}

/*
 * Before clang 19, the DWARF has b of both records at the start and does not mark it, so it
 * may be anywhere before the next member. Only b of the third is certain.
 */
struct __packed after_hidden {
	int : 3;
	unsigned char b : 8;
	unsigned short c;
};

struct not_packed {
	unsigned char b;
	unsigned short c;
};

struct __packed before_pointer {
	unsigned char b : 8;
	int *c;
};

int records_wide(struct after_hidden w, struct not_packed n, struct before_pointer g)
{
	return w.b + n.b + g.b;
}

/*
 * Before clang 19, an unaligned member may be a bit-field, and the record is in registers
 * then. An unaligned pointer puts the record on the stack.
 */
struct __packed maybe_bits {
	char a;
	long b;
};

struct __packed no_bits {
	char a;
	void *b;
};

int records_unaligned(int first, struct maybe_bits m, int last)
{
	return first + m.b + last;
}

int records_pointer(int first, struct no_bits n, int last)
{
	return first + !n.b + last;
}

int records_packed(struct packed p, struct hole h)
{
	return p.b + p.c + h.a + h.b;
}
