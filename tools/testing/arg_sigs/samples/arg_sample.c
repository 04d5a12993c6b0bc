// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with known arguments
 *
 * When the module is loaded, it calls each function. The comment after a call is the line
 * that the graph tracer has to show with funcgraph-args and funcgraph-retval.  The text
 * is written by hand, from the C source and the rendering rules, not from a trace.
 */
#include <linux/blk_types.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/kdev_t.h>
#include <linux/limits.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

enum sample_colour { RED, GREEN, BLUE = 16 };
enum sample_level { LOW = -2, MID, HIGH };
enum sample_flags { F_READ = 1, F_WRITE = 2, F_EXEC = 4, F_SYNC = 1U << 31 };
enum sample_tiny { TINY_A, TINY_B, TINY_Z = 255 } __packed;
enum sample_wide { WIDE_LOW = 1, WIDE_HIGH = 1ULL << 40 };
enum { ANON_ONE = 1, ANON_TWO = 7 };

typedef enum sample_colour sample_colour_t;
typedef unsigned int sample_uint_t;
typedef size_t sample_size_t;
typedef int (*sample_fn_t)(int);
typedef char *sample_text_t;

struct sample_pair { int x; int y; };
struct sample_big { long v[5]; };
struct sample_two { long a; long b; };
struct sample_empty { };
struct sample_bits { u32 a:3; s32 b:5; bool c:1; u64 d:40; };
struct sample_outer {
	struct sample_pair p;
	union {
		u32 u;
		s16 s;
	};
};
union sample_union { s32 i; u32 u; s64 l; };

/*
 * A function that returns @value.  It uses its parameters, because an unused parameter need not be
 * passed.  No inlining, no clones, and no static functions, which clang may change without a mark
 * in the DWARF: the functions keep their declared interface.
 */
#define USE(x)		"g" (x)
#define USE_MEMORY(x)	"m" (x)
#define SAMPLE(type, name, params, value, uses...)	\
	noinline __noclone type name params		\
	{						\
		asm volatile("" : : uses);		\
		return value;				\
	}

noinline __noclone void sample_none(void)
{
	barrier();
}

SAMPLE(s8, sample_s8, (s8 a, s8 b), a, USE(a), USE(b))
SAMPLE(u8, sample_u8, (u8 a, u8 b), b, USE(a), USE(b))
SAMPLE(s16, sample_s16, (s16 a, s16 b), a, USE(a), USE(b))
SAMPLE(u16, sample_u16, (u16 a, u16 b), b, USE(a), USE(b))
SAMPLE(int, sample_int, (int a, int b, int c), b, USE(a), USE(b), USE(c))
SAMPLE(unsigned int, sample_uint, (unsigned int a, unsigned int b), b, USE(a), USE(b))
SAMPLE(long, sample_long, (long a, long b, long c), a, USE(a), USE(b), USE(c))
SAMPLE(unsigned long, sample_ulong, (unsigned long a, unsigned long b), b, USE(a), USE(b))
SAMPLE(long long, sample_ll, (long long a, unsigned long long b), a, USE(a), USE(b))
SAMPLE(bool, sample_bool, (bool a, bool b), a, USE(a), USE(b))
SAMPLE(char, sample_char, (char a, char b, char c), b, USE(a), USE(b), USE(c))
SAMPLE(signed char, sample_schar, (signed char a, unsigned char b), a, USE(a), USE(b))
SAMPLE(enum sample_colour, sample_enum, (enum sample_colour a, enum sample_colour b), b,
       USE(a), USE(b))
SAMPLE(enum sample_level, sample_level, (enum sample_level a, enum sample_level b), a,
       USE(a), USE(b))
SAMPLE(int, sample_named, (int flags, long cpu_mask, s16 bits, int bit), bit,
       USE(flags), USE(cpu_mask), USE(bits))
SAMPLE(enum sample_flags, sample_flags, (enum sample_flags a, enum sample_flags b), b,
       USE(a), USE(b))
SAMPLE(enum sample_tiny, sample_tiny, (enum sample_tiny a, sample_colour_t b), a, USE(a), USE(b))
SAMPLE(void *, sample_ptr, (void *a, const struct file *b, int **c, const char *d), (void *)b,
       USE(a), USE(b), USE(c), USE(d))
SAMPLE(const char *, sample_str, (const void *a), a, USE(a))
SAMPLE(sample_fn_t, sample_fn, (sample_fn_t fn, int (*raw)(int)), raw, USE(fn), USE(raw))
SAMPLE(size_t, sample_size, (size_t a, ssize_t b, loff_t c, sample_size_t d), a,
       USE(a), USE(b), USE(c), USE(d))
SAMPLE(pid_t, sample_pid, (pid_t a, uid_t b, gid_t c, sample_uint_t d), a,
       USE(a), USE(b), USE(c), USE(d))
SAMPLE(__be16, sample_net, (__be16 port, __be32 addr, __be64 id), port,
       USE(port), USE(addr), USE(id))
SAMPLE(umode_t, sample_mode, (umode_t a, dev_t b, gfp_t c), a, USE(a), USE(b), USE(c))
SAMPLE(int, sample_numbered, (blk_opf_t a, slab_flags_t b), 0, USE(a), USE(b))
SAMPLE(int, sample_six, (char a, short b, int c, long d, bool e, void *f), c,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE(f))
SAMPLE(int, sample_seven, (int a, int b, int c, int d, int e, int f, int g), g,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE(f), USE(g))
SAMPLE(int, sample_struct, (struct sample_pair a, int b), b, USE_MEMORY(a), USE(b))
SAMPLE(int, sample_big, (struct sample_big a, int b), b, USE_MEMORY(a), USE(b))
SAMPLE(int, sample_two, (int a, struct sample_two b, int c), c, USE(a), USE_MEMORY(b), USE(c))
SAMPLE(struct sample_two, sample_ret_two, (int a), ((struct sample_two){ a, a }), USE(a))
SAMPLE(struct sample_pair, sample_ret_pair, (int a), ((struct sample_pair){ a, -a }), USE(a))
SAMPLE(struct sample_big, sample_ret_big, (int a, int b), ((struct sample_big){ { a, b } }),
       USE(a), USE(b))
SAMPLE(unsigned __int128, sample_ret_int128, (unsigned long a, unsigned long b),
       (unsigned __int128)a << 64 | b, USE(a), USE(b))
SAMPLE(int, sample_empty, (int a, struct sample_empty b, int c), c, USE(a), USE(c))
SAMPLE(int, sample_bits, (struct sample_bits a, int b), b, USE_MEMORY(a), USE(b))
SAMPLE(struct sample_outer, sample_outer, (struct sample_outer a, union sample_union b), a,
       USE_MEMORY(a), USE_MEMORY(b))
SAMPLE(enum sample_wide, sample_wide, (enum sample_wide a, enum sample_wide b), a, USE(a), USE(b))
SAMPLE(int, sample_int128, (int a, unsigned __int128 b, int c), c, USE(a), USE_MEMORY(b), USE(c))

/* The structure needs two registers, and one is left. The last int gets this register. */
SAMPLE(int, sample_late, (int a, int b, int c, int d, int e, struct sample_two f, int g), g,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE_MEMORY(f), USE(g))
SAMPLE(int, sample_mixed, (char a, struct sample_pair b, struct sample_big c, short d,
			   struct sample_two e, int f, unsigned int g, bool h), f,
       USE(a), USE_MEMORY(b), USE_MEMORY(c), USE(d), USE_MEMORY(e), USE(f), USE(g), USE(h))

/* A hole on the stack, because the last parameter is aligned to 16 bytes */
SAMPLE(int, sample_hole, (int a, int b, int c, int d, int e, int f, int g, unsigned __int128 h,
			  int i), i,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE(f), USE(g), USE_MEMORY(h), USE(i))
SAMPLE(const char *, sample_text, (const char *a, char *b, sample_text_t c), NULL,
       USE(a), USE(b), USE(c))
SAMPLE(int, sample_buffer, (const char *a, size_t b, char *c, sample_size_t d), 0,
       USE(a), USE(b), USE(c), USE(d))

/* The size is on the stack. No size follows the last two parameters. */
SAMPLE(int, sample_buffer_stack, (int a, int b, int c, int d, int e, const char *f, size_t g,
				  const char *h, int i, const char *j, ssize_t k), 0,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE(f), USE(g), USE(h), USE(i), USE(j), USE(k))
SAMPLE(int, sample_bytes, (const unsigned char *a, const signed char *b, char **c), 0,
       USE(a), USE(b), USE(c))
SAMPLE(int, sample_text_stack, (const char *a, int b, int c, int d, int e, int f, const char *g,
				int h, const char *i), h,
       USE(a), USE(b), USE(c), USE(d), USE(e), USE(f), USE(g), USE(h), USE(i))
SAMPLE(int, sample_variadic, (const void *fmt, ...), 1, USE(fmt))
SAMPLE(int, sample_errno, (int a), a, USE(a))
SAMPLE(long, sample_nested, (int a), sample_errno(a) - 1L, USE(a))

/* Junk bits that a caller may leave above an argument that is narrower than a register */
#define DIRTY(val)	(0xdeadbeefcafe0000UL | (u16)(val))

/* A call through another type than the function's own, which kCFI would not allow */
static noinline __nocfi long call_dirty(void *fn, long a, long b)
{
	long (*call)(long, long) = fn;

	OPTIMIZER_HIDE_VAR(call);
	return call(a, b);
}

/* Put text in the last bytes of a page that is followed by an unmapped page */
static char *at_end(char *page, const char *text, size_t len)
{
	char *at = memcpy(page + PAGE_SIZE - len, text, len);

	/* Keep the text, although the compiler sees no reader */
	barrier();
	return at;
}

#define TEXT_16		"0123456789abcdef"
#define TEXT_64		TEXT_16 TEXT_16 TEXT_16 TEXT_16

static int __init arg_sample_init(void)
{
	struct sample_pair pair = { 1, 2 };
	struct sample_big big = { { 1, 2, 3, 4, 5 } };
	struct sample_two two = { 8, 9 };
	struct sample_bits bits = { 5, -3, true, 0x123456789a };
	struct sample_outer outer = { { -1, 2 }, { .u = 0x1ffff } };
	union sample_union all = { .l = -1 };
	struct sample_empty empty = { };
	char text[] = "on the stack";
	char *page = vmalloc(PAGE_SIZE);

	if (!page)
		return -ENOMEM;

	sample_none();				/* sample_none(); */
	sample_s8(S8_MIN, S8_MAX);		/* sample_s8(a=-128, b=127); ret=-128 (-EKEYREVOKED) */
	sample_u8(0, U8_MAX);			/* sample_u8(a=0, b=0xff); ret=0xff */
	sample_s16(S16_MIN, S16_MAX);		/* sample_s16(a=-32768, b=32767); ret=-32768 */
	sample_u16(0, U16_MAX);			/* sample_u16(a=0, b=0xffff); ret=0xffff */
	sample_int(S32_MIN, S32_MAX, -1);	/* sample_int(a=-2147483648, b=2147483647, c=-1); ret=2147483647 */
	sample_uint(0, U32_MAX);		/* sample_uint(a=0, b=0xffffffff); ret=0xffffffff */
	sample_long(S64_MIN, S64_MAX, -1);	/* sample_long(a=-9223372036854775808, b=9223372036854775807, c=-1); ret=-9223372036854775808 */
	sample_ulong(0, U64_MAX);		/* sample_ulong(a=0, b=0xffffffffffffffff); ret=0xffffffffffffffff */
	sample_ulong(1, -EOPNOTSUPP);		/* sample_ulong(a=1, b=0xffffffffffffffa1); ret=-95 (-EOPNOTSUPP) */
	sample_ulong(2, -4096);			/* sample_ulong(a=2, b=0xfffffffffffff000); ret=0xfffffffffffff000 */
	sample_ll(-5, 1ULL << 63);		/* sample_ll(a=-5, b=0x8000000000000000); ret=-5 (-EIO) */
	sample_net(cpu_to_be16(4711), cpu_to_be32(0x7f000001), cpu_to_be64(5)); /* sample_net(port=4711, addr=127.0.0.1, id=5); ret=4711 */
	sample_bool(true, false);		/* sample_bool(a=true, b=false); ret=true */
	sample_char('A', '\'', '\n');		/* sample_char(a='A', b='\'', c=10); ret='\'' */
	sample_char('~', ' ', 128);		/* sample_char(a='~', b=' ', c=128); ret=' ' */
	sample_schar('A', 'A');			/* sample_schar(a=65, b=0x41); ret=65 */
	sample_enum(GREEN, BLUE);		/* sample_enum(a=GREEN, b=BLUE); ret=BLUE */
	sample_enum(RED, 7);			/* sample_enum(a=RED, b=GREEN|6); ret=GREEN|6 */
	sample_level(LOW, HIGH);		/* sample_level(a=LOW, b=HIGH); ret=LOW */
	sample_level(-3, MID);			/* sample_level(a=-3, b=MID); ret=-3 */
	sample_flags(F_READ | F_EXEC, F_SYNC | 8);	/* sample_flags(a=F_READ|F_EXEC, b=F_SYNC|8); ret=F_SYNC|8 */
	sample_flags(0, F_WRITE);		/* sample_flags(a=0, b=F_WRITE); ret=F_WRITE */
	sample_named(0x80000, -1, 9, 16);	/* sample_named(flags=0x80000, cpu_mask=0xffffffffffffffff, bits=9, bit=16); ret=16 */
	sample_tiny(TINY_Z, BLUE);		/* sample_tiny(a=TINY_Z, b=BLUE); ret=TINY_Z */
	sample_ptr(NULL, ERR_PTR(-ENOENT), (void *)0x1234, NULL);	/* sample_ptr(a=NULL, b=ERR_PTR(-ENOENT), c=0x1234, d=NULL); ret=ERR_PTR(-ENOENT) */
	sample_str((void *)-4096L);		/* sample_str(a=0xfffffffffffff000); ret=0xfffffffffffff000 */
	sample_str(ERR_PTR(-4095));		/* sample_str(a=ERR_PTR(-4095)); ret=ERR_PTR(-4095) */
	sample_fn(sample_errno, (sample_fn_t)0x10);	/* sample_fn(fn=sample_errno [arg_sample], raw=0x10); ret=0x10 */
	sample_fn(NULL, sample_errno);		/* sample_fn(fn=NULL, raw=sample_errno [arg_sample]); ret=sample_errno [arg_sample] */
	sample_size(4096, -2, S64_MIN, 10);	/* sample_size(a=4096, b=-2, c=-9223372036854775808, d=10); ret=4096 */
	sample_pid(-1, U32_MAX, 1000, 1000);	/* sample_pid(a=-1, b=4294967295, c=1000, d=0x3e8); ret=-1 (-EPERM) */
	sample_mode(S_IFREG | 0644, MKDEV(8, 1), GFP_KERNEL);	/* sample_mode(a=0100644, b=8:1, c=GFP_KERNEL); ret=0100644 */
	sample_numbered(REQ_OP_WRITE | REQ_META | REQ_SYNC, SLAB_PANIC | SLAB_HWCACHE_ALIGN);	/* sample_numbered(a=REQ_OP_WRITE|REQ_SYNC|REQ_META, b=SLAB_HWCACHE_ALIGN|SLAB_PANIC); ret=0 */
	sample_numbered(REQ_OP_READ, 0);		/* sample_numbered(a=REQ_OP_READ, b=0); ret=0 */
	sample_numbered(REQ_OP_ZONE_FINISH, SLAB_RED_ZONE);	/* sample_numbered(a=REQ_OP_ZONE_FINISH, b=SLAB_RED_ZONE); ret=0 */
	sample_numbered(REQ_OP_DRV_OUT | (__force blk_opf_t)(1U << 31), SLAB_POISON);	/* sample_numbered(a=REQ_OP_DRV_OUT|0x80000000, b=SLAB_POISON); ret=0 */
	sample_six('x', -1, -2, -3, true, NULL);	/* sample_six(a='x', b=-1, c=-2, d=-3, e=true, f=NULL); ret=-2 (-ENOENT) */
	sample_seven(1, 2, 3, 4, 5, 6, 7);	/* sample_seven(a=1, b=2, c=3, d=4, e=5, f=6, g=7); ret=7 */
	sample_struct(pair, 3);			/* sample_struct(a={.x=1, .y=2}, b=3); ret=3 */
	sample_big(big, 6);			/* sample_big(a={.v={1, 2, 3, 4, 5}}, b=6); ret=6 */
	sample_two(7, two, 10);			/* sample_two(a=7, b={.a=8, .b=9}, c=10); ret=10 */
	sample_ret_two(11);			/* sample_ret_two(a=11); ret={.a=11, .b=11} */
	sample_ret_pair(12);			/* sample_ret_pair(a=12); ret={.x=12, .y=-12} */
	sample_ret_big(13, 14);			/* sample_ret_big(a=13, b=14); ret=ADDRESS */
	sample_ret_int128(1, 2);		/* sample_ret_int128(a=1, b=2); ret=0x10000000000000002 */
	sample_empty(15, empty, 16);		/* sample_empty(a=15, b={}, c=16); ret=16 */
	sample_bits(bits, 17);			/* sample_bits(a={.a=5, .b=-3, .c=true, .d=0x123456789a}, b=17); ret=17 */
	sample_outer(outer, all);		/* sample_outer(a={.p={.x=-1, .y=2}, .u=0x1ffff, .s=-1}, b={.i=-1, .u=0xffffffff, .l=-1}); ret={.p={.x=-1, .y=2}, .u=0x1ffff, .s=-1} */
	sample_wide(WIDE_HIGH, WIDE_LOW | WIDE_HIGH);	/* sample_wide(a=WIDE_HIGH, b=WIDE_LOW|WIDE_HIGH); ret=WIDE_HIGH */
	sample_int128(18, -1, 19);		/* sample_int128(a=18, b=0xffffffffffffffffffffffffffffffff, c=19); ret=19 */
	sample_late(1, 2, 3, 4, 5, two, 20);	/* sample_late(a=1, b=2, c=3, d=4, e=5, f={.a=8, .b=9}, g=20); ret=20 */
	sample_mixed('m', pair, big, -21, two, 22, 23, true);	/* sample_mixed(a='m', b={.x=1, .y=2}, c={.v={1, 2, 3, 4, 5}}, d=-21, e={.a=8, .b=9}, f=22, g=0x17, h=true); ret=22 */
	sample_hole(1, 2, 3, 4, 5, 6, 7, 24, 25);	/* sample_hole(a=1, b=2, c=3, d=4, e=5, f=6, g=7, h=0x18, i=25); ret=25 */
	sample_text("text", text, "");		/* sample_text(a="text", b="on the stack", c=""); ret=NULL */
	sample_text("tab\t \"quoted\" \\", "\n\x01\x80", "12345678");	/* sample_text(a="tab\t \"quoted\" \\", b="\n\x01\x80", c="12345678"); ret=NULL */
	sample_text(TEXT_64, TEXT_64 "5", TEXT_64 TEXT_64);	/* sample_text(a="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", b="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"..., c="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"...); ret=NULL */
	sample_text(NULL, ERR_PTR(-EFAULT), (char *)1);	/* sample_text(a=NULL, b=ERR_PTR(-EFAULT), c=0x1); ret=NULL */
	sample_text((char *)0x8000000000000000, (char *)0xffff7fffffffffff, (char *)0xffffffffff600000);	/* sample_text(a=0x8000000000000000, b=0xffff7fffffffffff, c=0xffffffffff600000); ret=NULL */
	sample_text((char *)0x7ffffffffffffff8, (char *)0xffffffffff5ffff8, (char *)0xffffffffffffeff8);	/* sample_text(a=0x7ffffffffffffff8, b=0xffffffffff5ffff8, c=0xffffffffffffeff8); ret=NULL */
	sample_text((char *)current->mm->arg_start, at_end(page, "long edge", 10), NULL);	/* sample_text(a="insmod", b="long edge", c=NULL); ret=NULL */
	sample_text(at_end(page, "\\edge\"", 6), page + PAGE_SIZE - 1, NULL);	/* sample_text(a="\\edge\""..., b="\""..., c=NULL); ret=NULL */
	sample_text(page + PAGE_SIZE, page + PAGE_SIZE, NULL);	/* sample_text(a=ADDRESS, b=ADDRESS, c=NULL); ret=NULL */
	sample_buffer("some text\nand more", 10, text, sizeof(text));	/* sample_buffer(a="some text\n", b=10, c=ADDRESS, d=13); ret=0 */
	sample_buffer("a\0b", 3, NULL, 0);	/* sample_buffer(a="a\x00b", b=3, c=NULL, d=0); ret=0 */
	sample_buffer("none", 0, NULL, 0);	/* sample_buffer(a="", b=0, c=NULL, d=0); ret=0 */
	sample_buffer(NULL, 5, ERR_PTR(-EFAULT), 1);	/* sample_buffer(a=NULL, b=5, c=ERR_PTR(-EFAULT), d=1); ret=0 */
	sample_buffer(TEXT_64 "5", 64, NULL, 2);	/* sample_buffer(a="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", b=64, c=NULL, d=2); ret=0 */
	sample_buffer(TEXT_64 "5", 65, NULL, 2);	/* sample_buffer(a="0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"..., b=65, c=NULL, d=2); ret=0 */
	sample_buffer(at_end(page, "edge", 4), 4, NULL, 3);	/* sample_buffer(a="edge", b=4, c=NULL, d=3); ret=0 */
	sample_buffer(at_end(page, "edge", 4), 5, NULL, 3);	/* sample_buffer(a="edge"..., b=5, c=NULL, d=3); ret=0 */
	sample_buffer_stack(1, 2, 3, 4, 5, "sixth and more", 5, "eighth", 6, "tenth", 2);	/* sample_buffer_stack(a=1, b=2, c=3, d=4, e=5, f="sixth", g=5, h="eighth", i=6, j="tenth", k=2); ret=0 */
	sample_bytes((u8 *)0x42, (s8 *)0x1234, (char **)0x5678);	/* sample_bytes(a=0x42, b=0x1234, c=0x5678); ret=0 */
	sample_text_stack("a", 1, 2, 3, 4, 5, "seventh", 6, text);	/* sample_text_stack(a="a", b=1, c=2, d=3, e=4, f=5, g="seventh", h=6, i="on the stack"); ret=6 */
	sample_variadic((void *)0x42, 1, 2);	/* sample_variadic(fmt=0x42, ...); ret=1 */
	sample_errno(-EIO);			/* sample_errno(a=-5); ret=-5 (-EIO) */
	sample_errno(-4095);			/* sample_errno(a=-4095); ret=-4095 */
	sample_errno(-4096);			/* sample_errno(a=-4096); ret=-4096 */
	sample_nested(5);			/* sample_nested(a=5) { */
						/* sample_errno(a=5); ret=5 */
						/* } sample_nested ret=4 */
	call_dirty(sample_s8, DIRTY(0x80), DIRTY(0x7f));	/* sample_s8(a=-128, b=127); ret=-128 (-EKEYREVOKED) */
	call_dirty(sample_u8, DIRTY(0x100), DIRTY(0x1ff));	/* sample_u8(a=0, b=0xff); ret=0xff */
	call_dirty(sample_s16, DIRTY(0x8000), DIRTY(1));	/* sample_s16(a=-32768, b=1); ret=-32768 */
	call_dirty(sample_u16, DIRTY(0), DIRTY(0xffff));	/* sample_u16(a=0, b=0xffff); ret=0xffff */
	call_dirty(sample_uint, 0xdeadbeef00000000, 0x7ffffffff);	/* sample_uint(a=0, b=0xffffffff); ret=0xffffffff */
	call_dirty(sample_bool, DIRTY(0x100), DIRTY(1));	/* sample_bool(a=false, b=true); ret=false */
	call_dirty(sample_enum, 0xdeadbeef00000001, 0xdeadbeef00000010);	/* sample_enum(a=GREEN, b=BLUE); ret=BLUE */
	call_dirty(sample_tiny, DIRTY(1), 0xdeadbeef00000000);	/* sample_tiny(a=TINY_B, b=RED); ret=TINY_B */
	vfree(page);
	return 0;
}

static void __exit arg_sample_exit(void)
{
}

module_init(arg_sample_init);
module_exit(arg_sample_exit);
MODULE_DESCRIPTION("Calls with known arguments");
MODULE_LICENSE("GPL");
