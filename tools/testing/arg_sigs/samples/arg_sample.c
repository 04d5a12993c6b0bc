// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with known arguments
 *
 * Loading the module calls each function below with the values that stand in
 * the comment behind the call, which is the line that the graph tracer has to
 * show with funcgraph-args and funcgraph-retval.  The text is written by hand,
 * from the C source and rendering rules, not from a trace.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kdev_t.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/types.h>

enum sample_colour { RED, GREEN, BLUE = 16 };
enum sample_level { LOW = -2, MID, HIGH };
enum sample_flags { F_READ = 1, F_WRITE = 2, F_EXEC = 4, F_SYNC = 1U << 31 };
enum sample_tiny { TINY_A, TINY_B, TINY_Z = 255 } __packed;
enum { ANON_ONE = 1, ANON_TWO = 7 };

typedef enum sample_colour sample_colour_t;
typedef unsigned int sample_uint_t;
typedef size_t sample_size_t;
typedef int (*sample_fn_t)(int);

struct sample_pair { int x; int y; };
struct sample_big { long v[5]; };
struct sample_two { long a; long b; };

/* What is not used need not be passed */
#define USE(x)		asm volatile("" : : "g" (x))
#define USE_MEMORY(x)	asm volatile("" : : "m" (x))

/* No inlining and no clones: the interface is the declared one */
static noinline __noclone __used void
sample_none(void)
{
	barrier();
}

static noinline __noclone __used s8
sample_s8(s8 a, s8 b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used u8
sample_u8(u8 a, u8 b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used s16
sample_s16(s16 a, s16 b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used u16
sample_u16(u16 a, u16 b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used int
sample_int(int a, int b, int c)
{
	USE(a);
	USE(b);
	USE(c);
	return b;
}

static noinline __noclone __used unsigned int
sample_uint(unsigned int a, unsigned int b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used long
sample_long(long a, long b, long c)
{
	USE(a);
	USE(b);
	USE(c);
	return a;
}

static noinline __noclone __used unsigned long
sample_ulong(unsigned long a, unsigned long b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used long long
sample_ll(long long a, unsigned long long b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used bool
sample_bool(bool a, bool b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used char
sample_char(char a, char b, char c)
{
	USE(a);
	USE(b);
	USE(c);
	return b;
}

static noinline __noclone __used signed char
sample_schar(signed char a, unsigned char b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used enum sample_colour
sample_enum(enum sample_colour a, enum sample_colour b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used enum sample_level
sample_level(enum sample_level a, enum sample_level b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used enum sample_flags
sample_flags(enum sample_flags a, enum sample_flags b)
{
	USE(a);
	USE(b);
	return b;
}

static noinline __noclone __used enum sample_tiny
sample_tiny(enum sample_tiny a, sample_colour_t b)
{
	USE(a);
	USE(b);
	return a;
}

static noinline __noclone __used void *
sample_ptr(void *a, const struct file *b, int **c, const char *d)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	return (void *)b;
}

static noinline __noclone __used const char *
sample_str(const void *a)
{
	USE(a);
	return a;
}

static noinline __noclone __used sample_fn_t
sample_fn(sample_fn_t fn, int (*raw)(int))
{
	USE(fn);
	USE(raw);
	return raw;
}

static noinline __noclone __used size_t
sample_size(size_t a, ssize_t b, loff_t c, sample_size_t d)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	return a;
}

static noinline __noclone __used pid_t
sample_pid(pid_t a, uid_t b, gid_t c, sample_uint_t d)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	return a;
}

static noinline __noclone __used umode_t
sample_mode(umode_t a, dev_t b, gfp_t c)
{
	USE(a);
	USE(b);
	USE(c);
	return a;
}

static noinline __noclone __used int
sample_six(char a, short b, int c, long d, bool e, void *f)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	USE(e);
	USE(f);
	return c;
}

static noinline __noclone __used int
sample_seven(int a, int b, int c, int d, int e, int f, int g)
{
	USE(a);
	USE(b);
	USE(c);
	USE(d);
	USE(e);
	USE(f);
	USE(g);
	return g;
}

static noinline __noclone __used int
sample_struct(struct sample_pair a, int b)
{
	USE_MEMORY(a);
	USE(b);
	return b;
}

static noinline __noclone __used int
sample_big(struct sample_big a, int b)
{
	USE_MEMORY(a);
	USE(b);
	return b;
}

static noinline __noclone __used int
sample_two(int a, struct sample_two b, int c)
{
	USE(a);
	USE_MEMORY(b);
	USE(c);
	return c;
}

static noinline __noclone __used struct sample_two
sample_ret_two(int a)
{
	USE(a);
	return (struct sample_two){ a, a };
}

static noinline __noclone __used int
sample_variadic(const void *fmt, ...)
{
	USE(fmt);
	return 1;
}

static noinline __noclone __used int
sample_errno(int a)
{
	USE(a);
	return a;
}

static noinline __noclone __used long
sample_nested(int a)
{
	USE(a);
	return sample_errno(a) - 1L;
}

/* What a caller may leave above an argument that is narrower than a register */
#define DIRTY(val)	(0xdeadbeefcafe0000UL | (u16)(val))

static long call_dirty(void *fn, long a, long b)
{
	long (*call)(long, long) = fn;

	OPTIMIZER_HIDE_VAR(call);
	return call(a, b);
}

static int __init arg_sample_init(void)
{
	struct sample_pair pair = { 1, 2 };
	struct sample_big big = { { 1, 2, 3, 4, 5 } };
	struct sample_two two = { 8, 9 };

	sample_none();				/* sample_none(); */
	sample_s8(S8_MIN, S8_MAX);		/* sample_s8(a=-128, b=127); ret=-128 (-EKEYREVOKED) */
	sample_u8(0, U8_MAX);			/* sample_u8(a=0x0, b=0xff); ret=0xff */
	sample_s16(S16_MIN, S16_MAX);		/* sample_s16(a=-32768, b=32767); ret=-32768 */
	sample_u16(0, U16_MAX);			/* sample_u16(a=0x0, b=0xffff); ret=0xffff */
	sample_int(S32_MIN, S32_MAX, -1);	/* sample_int(a=-2147483648, b=2147483647, c=-1); ret=2147483647 */
	sample_uint(0, U32_MAX);		/* sample_uint(a=0x0, b=0xffffffff); ret=0xffffffff */
	sample_long(S64_MIN, S64_MAX, -1);	/* sample_long(a=-9223372036854775808, b=9223372036854775807, c=-1); ret=-9223372036854775808 */
	sample_ulong(0, U64_MAX);		/* sample_ulong(a=0x0, b=0xffffffffffffffff); ret=0xffffffffffffffff */
	sample_ll(-5, 1ULL << 63);		/* sample_ll(a=-5, b=0x8000000000000000); ret=-5 (-EIO) */
	sample_bool(true, false);		/* sample_bool(a=true, b=false); ret=true */
	sample_char('A', '\'', '\n');		/* sample_char(a='A', b='\'', c=10); ret='\'' */
	sample_char('~', ' ', -128);		/* sample_char(a='~', b=' ', c=-128); ret=' ' */
	sample_schar('A', 'A');			/* sample_schar(a=65, b=0x41); ret=65 */
	sample_enum(GREEN, BLUE);		/* sample_enum(a=GREEN, b=BLUE); ret=BLUE */
	sample_enum(RED, 7);			/* sample_enum(a=RED, b=GREEN|0x6); ret=GREEN|0x6 */
	sample_level(LOW, HIGH);		/* sample_level(a=LOW, b=HIGH); ret=LOW */
	sample_level(-3, MID);			/* sample_level(a=-3, b=MID); ret=-3 */
	sample_flags(F_READ | F_EXEC, F_SYNC | 8);	/* sample_flags(a=F_READ|F_EXEC, b=F_SYNC|0x8); ret=F_SYNC|0x8 */
	sample_flags(0, F_WRITE);		/* sample_flags(a=0x0, b=F_WRITE); ret=F_WRITE */
	sample_tiny(TINY_Z, BLUE);		/* sample_tiny(a=TINY_Z, b=BLUE); ret=TINY_Z */
	sample_ptr(NULL, ERR_PTR(-ENOENT), (void *)0x1234, NULL);	/* sample_ptr(a=NULL, b=ERR_PTR(-ENOENT), c=0x1234, d=NULL); ret=ERR_PTR(-ENOENT) */
	sample_str((void *)-4096L);		/* sample_str(a=0xfffffffffffff000); ret=0xfffffffffffff000 */
	sample_str(ERR_PTR(-4095));		/* sample_str(a=ERR_PTR(-4095)); ret=ERR_PTR(-4095) */
	sample_fn(sample_errno, (sample_fn_t)0x10);	/* sample_fn(fn=sample_errno [arg_sample], raw=0x10); ret=0x10 */
	sample_fn(NULL, sample_errno);		/* sample_fn(fn=NULL, raw=sample_errno [arg_sample]); ret=sample_errno [arg_sample] */
	sample_size(4096, -2, S64_MIN, 10);	/* sample_size(a=4096, b=-2, c=-9223372036854775808, d=10); ret=4096 */
	sample_pid(-1, U32_MAX, 1000, 1000);	/* sample_pid(a=-1, b=4294967295, c=1000, d=0x3e8); ret=-1 (-EPERM) */
	sample_mode(S_IFREG | 0644, MKDEV(8, 1), GFP_KERNEL);	/* sample_mode(a=0100644, b=8:1, c=GFP_KERNEL); ret=0100644 */
	sample_six('x', -1, -2, -3, true, NULL);	/* sample_six(a='x', b=-1, c=-2, d=-3, e=true, f=NULL); ret=-2 (-ENOENT) */
	sample_seven(1, 2, 3, 4, 5, 6, 7);	/* sample_seven(a=1, b=2, c=3, d=4, e=5, f=6, g=?); ret=7 */
	sample_struct(pair, 3);			/* sample_struct(a=?, b=3); ret=3 */
	sample_big(big, 6);			/* sample_big(a=?, b=6); ret=6 */
	sample_two(7, two, 10);			/* sample_two(a=7, b=?, c=10); ret=10 */
	sample_ret_two(11);			/* sample_ret_two(a=11); ret=? */
	sample_variadic((void *)0x42, 1, 2);	/* sample_variadic(fmt=0x42); ret=1 */
	sample_errno(-EIO);			/* sample_errno(a=-5); ret=-5 (-EIO) */
	sample_errno(-4095);			/* sample_errno(a=-4095); ret=-4095 */
	sample_errno(-4096);			/* sample_errno(a=-4096); ret=-4096 */
	sample_nested(5);			/* sample_nested(a=5) { */
						/* sample_errno(a=5); ret=5 */
						/* } sample_nested ret=4 */
	call_dirty(sample_s8, DIRTY(0x80), DIRTY(0x7f));	/* sample_s8(a=-128, b=127); ret=-128 (-EKEYREVOKED) */
	call_dirty(sample_u8, DIRTY(0x100), DIRTY(0x1ff));	/* sample_u8(a=0x0, b=0xff); ret=0xff */
	call_dirty(sample_s16, DIRTY(0x8000), DIRTY(1));	/* sample_s16(a=-32768, b=1); ret=-32768 */
	call_dirty(sample_u16, DIRTY(0), DIRTY(0xffff));	/* sample_u16(a=0x0, b=0xffff); ret=0xffff */
	call_dirty(sample_uint, 0xdeadbeef00000000, 0x7ffffffff);	/* sample_uint(a=0x0, b=0xffffffff); ret=0xffffffff */
	call_dirty(sample_bool, DIRTY(0x100), DIRTY(1));	/* sample_bool(a=false, b=true); ret=false */
	call_dirty(sample_enum, 0xdeadbeef00000001, 0xdeadbeef00000010);	/* sample_enum(a=GREEN, b=BLUE); ret=BLUE */
	call_dirty(sample_tiny, DIRTY(1), 0xdeadbeef00000000);	/* sample_tiny(a=TINY_B, b=RED); ret=TINY_B */
	return 0;
}

static void __exit arg_sample_exit(void)
{
}

module_init(arg_sample_init);
module_exit(arg_sample_exit);
MODULE_DESCRIPTION("Calls with known arguments");
MODULE_LICENSE("GPL");
