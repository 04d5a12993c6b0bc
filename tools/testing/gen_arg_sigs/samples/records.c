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

int records_packed(struct packed p, struct hole h)
{
	return p.b + p.c + h.a + h.b;
}
