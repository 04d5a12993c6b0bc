/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data that is recorded of a call's arguments
 *
 * The event of a function's entry that was recorded with arguments has the following data
 * after its fields:
 *
 *   unsigned long args[]   all longs that the function's signature lists, or no
 *                          longs
 *   strings                for each long that the signature marks as a string or
 *                          a buffer: 16 bits of length and flags, see
 *                          ARG_STRING_CUT, then the bytes;
 *                          no strings if the instance's string_size is 0
 *   values                 with funcgraph-deref, the values that pointers point
 *                          to, see ARG_READ_SHIFT
 *   zeros                  padding to a multiple of 8 bytes
 *   u32 set                for a function of a module: the number of the
 *                          module's set of signatures
 *
 * The data need not be aligned.  The size modulo 8 tells whether the number of a set is
 * present.
 */
#ifndef _TRACE_ARGS_CAPTURE_H
#define _TRACE_ARGS_CAPTURE_H

#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/trace_recursion.h>
#include <linux/unaligned.h>

#include "args.h"

#ifdef CONFIG_FUNCTION_ARG_SIGS
#include <asm/trace_args.h>
#include <asm/trace_readable.h>

#include "table.h"
#endif

/*
 * Bytes recorded of a string: the default, the maximum, and the maximum of a call's
 * strings
 */
#define FUNC_ARGS_STRING_SIZE		64
#define FUNC_ARGS_MAX_STRING_SIZE	512
#define FUNC_ARGS_MAX_STRINGS		1024

/* Maximum bytes recorded of the values that a call's longs point to: numbers and digests */
#define FUNC_ARGS_MAX_READS		(ARG_SIGS_MAX_LONGS * (sizeof(u8) + sizeof(u64)) + 256)

/* Maximum bytes of a text in a digest, and of a digest with its header */
#define DIGEST_TEXT_SIZE	48U
#define DIGEST_SIZE		(sizeof(u8) + sizeof(u16) + \
				 ARG_DIGEST_PARTS * (sizeof(u16) + DIGEST_TEXT_SIZE))

/*
 * Maximums at a call's return: numbers that are read again, bytes recorded of a buffer,
 * and bytes of all recorded data
 */
#define CALL_NUMBERS_MAX	4
#define CALL_BUFFER_SIZE	64U
#define CALL_RESULTS_SIZE	(CALL_NUMBERS_MAX * (sizeof(u8) + sizeof(u64)) + \
				 sizeof(u8) + sizeof(u16) + CALL_BUFFER_SIZE + \
				 DIGEST_SIZE + sizeof(u64))

/**
 * struct call_results - the data of a call that its return reads besides the registers
 * @addrs: the addresses of the numbers that the call may change
 * @vals: the numbers at the entry; only the low bytes are the number's. The kind of a
 *	number that could not be read, see ARG_READ_KIND
 * @headers: the headers of the numbers in the entry's event, see ARG_READ_SHIFT
 * @nr: the number of @addrs
 * @known: the call's arguments were captured, so the other members are valid
 * @digest: the letter of the digest of the returned object's type; 0 if the type has no
 *	digest
 * @index: the long that points to the buffer that the call fills
 * @max: maximum bytes of a string
 * @buffer: the address of the buffer that the call fills, 0 if there is none
 * @size: the size of the buffer in bytes
 */
struct call_results {
	unsigned long	addrs[CALL_NUMBERS_MAX];
	unsigned long	vals[CALL_NUMBERS_MAX];
	u8		headers[CALL_NUMBERS_MAX];
	u8		nr;
	bool		known;
	char		digest;
	u8		index;
	u16		max;
	unsigned long	buffer;
	unsigned long	size;
};

#ifdef CONFIG_FUNCTION_ARG_SIGS
/*
 * Strings have headers even if there is no room left for their bytes. A value that a long
 * points to has a header of one byte.
 */
#define FUNC_ARGS_MAX_TAIL	(ARG_SIGS_MAX_LONGS * \
				 (sizeof(long) + sizeof(u16)) + \
				 FUNC_ARGS_MAX_STRINGS + \
				 FUNC_ARGS_MAX_READS + sizeof(u32))
#else
#define FUNC_ARGS_MAX_TAIL	0
#endif

struct arg_part;
struct dentry;
struct func_map;
struct trace_array;

/**
 * struct object_part - a compiled part of a digest, or a compiled expression: the way to
 *	a value, by pointers
 * @offsets: the offset of each pointer on the way: of the first pointer in the object, of
 *	each further pointer in the object that the previous pointer points to
 * @last: the offset of the value in the object that the last pointer points to
 * @size: maximum bytes of a text, or the bytes of an array
 * @array: the value is an array of an expression, which is captured like a buffer
 * @nr: number of pointers
 * @kind: the kind of a number, see ARG_READ_KIND; 0 for text and for an array
 * @bytes: the number of bytes of memory that contain the number
 * @shift: the number's lowest bit in these bytes
 * @unused: how many high bits of 64 do not belong to the number after the shift by @shift
 */
struct object_part {
	s32	offsets[ARG_DIGEST_OFFSETS];
	s32	last;
	u16	size;
	bool	array;
	u8	nr;
	u8	kind;
	u8	bytes;
	u8	shift;
	u8	unused;
};

/* What an expression begins with instead of a parameter: the task's address, and numbers */
enum call_expr_begin {
	CALL_EXPR_TASK = ARG_SIGS_MAX_LONGS,
	CALL_EXPR_CPU,
	CALL_EXPR_PID,
	CALL_EXPR_TGID,
};

/**
 * struct call_expr - a compiled expression on a call's parameter
 * @index: the long that has the parameter, or one of &enum call_expr_begin
 * @unused: how many high bits of the long do not belong to the parameter
 * @sign: the parameter is signed
 * @deref: the value is in memory; otherwise the value is in the parameter
 * @user: bit n: the n-th offset leads to an address of user space
 * @part: the way from the parameter to the value
 */
struct call_expr {
	u8			index;
	u8			unused;
	bool			sign;
	bool			deref;
	u8			user;
	struct object_part	part;
};

/* The description has no number. No description has this number */
#define CALL_EXPRS_NONE		U16_MAX

/* Bytes before the values of a line's expressions: see ARG_EXPRS_MAX */
#define CALL_EXPRS_HEADER	(sizeof(u8) + 2 * sizeof(u16))

/**
 * struct call_exprs - the expressions of a line, compiled for functions with the same
 * signature
 * @text: the description of the expressions, see arg_exprs_add()
 * @id: the description's number, CALL_EXPRS_NONE if the description has no number
 * @nr: the number of expressions
 * @exprs: the expressions
 */
struct call_exprs {
	char			*text;
	u16			id;
	u16			nr;
	struct call_expr	exprs[] __counted_by(nr);
};

/**
 * struct call_lines - the lines of expressions that an instance has for a function
 * @nr: the number of lines
 * @exprs: the expressions of each line
 */
struct call_lines {
	unsigned int			nr;
	const struct call_exprs		**exprs;
};

#ifdef CONFIG_FUNCTION_ARG_SIGS

/* What an instance records until its options are changed */
#define FUNC_ARGS_WANT							\
	{ .not_regs = ARG_SIG_REF_KIND, .not_direct = ARG_SIG_REF_CAPTURED, \
	  .string_size = FUNC_ARGS_STRING_SIZE }

/**
 * struct call_record - the data that decides a condition at the entry
 * @longs: the captured longs
 * @text: room for the header and the text of the string that is compared, with a NUL
 */
struct call_record {
	unsigned long	longs[ARG_SIGS_MAX_LONGS];
	char		text[sizeof(u16) + FUNC_ARGS_MAX_STRING_SIZE + 1];
};

/**
 * struct call_scratch - memory that a call uses while its arguments are captured
 * @longs: the data that follows the fields of the call's event
 * @record: the data that decides conditions
 */
struct call_scratch {
	unsigned long		longs[DIV_ROUND_UP(FUNC_ARGS_MAX_TAIL, sizeof(long))];
	struct call_record	record;
};

/**
 * struct call_args - the recorded data of a call's arguments
 * @ip: the address that ftrace knows the function by
 * @ref: the reference to the function's signature if @data is NULL
 * @slot: the function's slot if the function is in a module
 * @data: the data that follows the event's fields; NULL if capture_direct() writes the
 *	data
 * @size: the number of bytes that follow the event's fields
 * @set: the number of the set; @data points to @set if nothing else is recorded
 */
struct call_args {
	unsigned long	ip;
	u32		ref;
	const struct arg_sig_module_slot *slot;
	const void	*data;
	unsigned int	size;
	u32		set;
};

DECLARE_PER_CPU(unsigned int, call_scratch_nesting);

/**
 * struct captured_page - the page that the last read was from
 * @page: the page's address; 1, which is no page's address, if there is no page
 * @place: where the page can be read
 *
 * The page stays readable while interrupts are off.
 */
struct captured_page {
	unsigned long	page;
	const void	*place;
};

/*
 * Begin to read memory.  The memory was found to be mapped, but may be unmapped at any
 * moment.  Then the read faults, and the functions that handle the fault are traced.  In
 * a context that is being traced already, these functions are recorded only if the
 * transition bit is clear, so set the bit.  Interrupts are off meanwhile: ftrace needs the
 * bit for what an interrupt calls before it is known as an interrupt, and most memory can
 * be read only while interrupts are off, see trace_readable().
 */
static __always_inline unsigned long capture_begin(unsigned long *flags)
{
	struct task_struct *task = current;
	unsigned long recursion;

	raw_local_irq_save(*flags);
	recursion = task->trace_recursion;
	task->trace_recursion = recursion | BIT(TRACE_FTRACE_TRANSITION_BIT);
	barrier();
	return recursion;
}

static __always_inline void capture_end(unsigned long recursion, unsigned long flags)
{
	barrier();
	current->trace_recursion = recursion;
	raw_local_irq_restore(flags);
}

const void *capture_readable(unsigned long addr);
u8 *capture_string(u8 *pos, unsigned long from, unsigned long max);
u8 *capture_buffer(u8 *pos, unsigned long from, unsigned long max,
		   unsigned long size);
bool capture_bytes(u8 *to, unsigned long from, unsigned long size);
bool capture_any_word(unsigned long *val, unsigned long addr, unsigned int size, bool user);
void note_results(struct call_results *results, const unsigned long *longs, unsigned int nr,
		  const char *reads, unsigned long max);
u8 *capture_digests(u8 *pos, const u8 *begin, const unsigned long *longs, unsigned int nr,
		    const char *reads, unsigned long max);
u8 *capture_digest(u8 *pos, const u8 *end, unsigned long addr, unsigned int index,
		   char code, unsigned long max);
u8 *capture_expr(u8 *pos, const struct call_expr *expr, const unsigned long *longs,
		 unsigned long max, struct captured_page *known);
u8 *capture_exprs(u8 *pos, const u8 *end, const struct call_exprs *exprs,
		  const unsigned long *longs, unsigned long max);
bool object_part_compile(struct object_part *to, const struct arg_part *part);

/*
 * Whether an address is on the expected side. A value that is no pointer may lead
 * anywhere
 */
static __always_inline bool capture_is_on_side(unsigned long addr, bool user)
{
	addr = trace_untagged(addr);
	return user ? addr < TASK_SIZE_MAX : addr >= TASK_SIZE_MAX;
}

/*
 * Whether an address may be a per-CPU pointer, to which the offset of a CPU is added. If
 * per-CPU pointers are kernel addresses, they begin at the section with the variables'
 * first values. Otherwise per-CPU pointers are in the range of user space.
 */
static inline bool capture_is_per_cpu(unsigned long addr)
{
	unsigned long size = __per_cpu_end - __per_cpu_start + PAGE_SIZE +
			     PERCPU_MODULE_RESERVE + PERCPU_DYNAMIC_RESERVE;

	return IS_ENABLED(CONFIG_SMP) && addr - (unsigned long)__per_cpu_start < size;
}

void call_args_capture(struct call_args *args, const struct func_args_want *want,
		       u32 ref, const struct arg_sig_module_slot *slot,
		       struct ftrace_regs *fregs, struct call_results *results);
bool call_longs_capture(unsigned long *longs, u32 ref,
			const struct arg_sig_module_slot *slot,
			struct ftrace_regs *fregs);
unsigned int call_results_put(u8 *to, const struct call_results *results,
			      unsigned long retval);
int call_scratch_alloc(void);
struct call_scratch *call_scratch_get(void);
void call_args_init(struct trace_array *tr, bool deref);
int call_args_set(struct trace_array *tr);
int call_args_set_deref(struct trace_array *tr, bool set);
void call_args_set_exprs(struct trace_array *tr, struct func_map __rcu **exprs);
void call_args_init_tracefs(struct trace_array *tr, struct dentry *parent);

/* The first @nr argument registers */
static __always_inline void
capture_regs(unsigned long *args, unsigned int nr, struct ftrace_regs *fregs)
{
	if (!nr)
		return;
	put_unaligned(trace_args_slot('a', fregs), args);
	if (nr == 1)
		return;
	put_unaligned(trace_args_slot('b', fregs), args + 1);
	if (nr == 2)
		return;
	put_unaligned(trace_args_slot('c', fregs), args + 2);
	if (nr == 3)
		return;
	put_unaligned(trace_args_slot('d', fregs), args + 3);
	if (nr == 4)
		return;
	put_unaligned(trace_args_slot('e', fregs), args + 4);
	if (nr == 5)
		return;
	put_unaligned(trace_args_slot('f', fregs), args + 5);
	if (TRACE_ARGS_REGISTERS == 6 || nr == 6)
		return;
	put_unaligned(trace_args_slot('g', fregs), args + 6);
	if (nr == 7)
		return;
	put_unaligned(trace_args_slot('h', fregs), args + 7);
}

/* All argument registers, and words of the stack: @nr longs in all */
static __always_inline void
capture_regs_and_stack(unsigned long *args, unsigned int nr,
		       struct ftrace_regs *fregs)
{
	const unsigned long *stack = trace_args_stack(fregs);
	unsigned long i;

	capture_regs(args, TRACE_ARGS_REGISTERS, fregs);
	for (i = TRACE_ARGS_REGISTERS; i < nr; i++)
		put_unaligned(READ_ONCE_NOCHECK(stack[i + 1 - TRACE_ARGS_REGISTERS]), args + i);
}

/* The @nr longs of a list of slots */
static __always_inline void
capture_list(unsigned long *args, unsigned int nr, const char *slots,
	     struct ftrace_regs *fregs)
{
	unsigned long i = 0;

	do {
		put_unaligned(trace_args_slot(slots[i], fregs), args + i);
	} while (++i < nr);
}

/* The pointer to the struct pt_regs of a system call, and @nr - 1 fields of the struct */
static __always_inline void
capture_call_fields(unsigned long *args, unsigned int nr, const char *fields,
		    struct ftrace_regs *fregs)
{
	unsigned long base = trace_args_slot('a', fregs);
	const struct pt_regs *regs = (const struct pt_regs *)base;
	unsigned long i;

	put_unaligned(base, args);
	for (i = 1; i < nr; i++)
		put_unaligned(trace_args_field(regs, fields[i - 1]), args + i);
}

/* Whether all words of the stack that arguments can be in are on one page */
static __always_inline bool capture_stack_is_near(struct ftrace_regs *fregs)
{
	return offset_in_page(trace_args_stack(fregs)) <=
	       PAGE_SIZE - (TRACE_ARGS_STACK_WORDS + 1) * sizeof(long);
}

/* Whether the fields belong to the registers that the task entered the kernel with */
static __always_inline bool capture_fields_are_task(struct ftrace_regs *fregs)
{
	return trace_args_slot('a', fregs) == (unsigned long)task_pt_regs(current);
}

/*
 * Whether capture_direct() can be used. The reference must not have a bit of @not_direct,
 * and the number of longs has to be known.
 */
static __always_inline bool
can_capture_direct(u32 ref, u32 not_direct, struct ftrace_regs *fregs)
{
	if (unlikely(!fregs || ref & not_direct))
		return false;
	switch (ref & ARG_SIG_REF_KIND) {
	case ARG_SIG_REF_REGS:
		return true;
	case ARG_SIG_REF_STACK:
	case ARG_SIG_REF_LIST:
		return capture_stack_is_near(fregs);
	default:
		return capture_fields_are_task(fregs);
	}
}

/*
 * Capture the longs that a signature lists. The signature is in @text, and @args has
 * room for arg_sig_ref_longs() longs.
 */
static __always_inline void
capture_direct(unsigned long *args, u32 ref, const char *text,
	       struct ftrace_regs *fregs)
{
	const char *sig = arg_sig_ref_text(text, ref);
	unsigned int nr = arg_sig_ref_longs(ref);

	if (likely((ref & ARG_SIG_REF_KIND) == ARG_SIG_REF_REGS)) {
		capture_regs(args, nr, fregs);
		return;
	}
	switch (ref & ARG_SIG_REF_KIND) {
	case ARG_SIG_REF_STACK:
		capture_regs_and_stack(args, nr, fregs);
		break;
	case ARG_SIG_REF_LIST:
		capture_list(args, nr, sig + strlen("("), fregs);
		break;
	default:
		capture_call_fields(args, nr, sig + strlen("(a|"), fregs);
	}
}

/**
 * call_args_copy - copy captured data into the event
 * @tail: where the data goes
 * @args: the captured data
 */
static __always_inline void call_args_copy(unsigned long *tail,
					   const struct call_args *args)
{
	unsigned int nr = args->size / sizeof(long);
	const unsigned long *data = args->data;
	unsigned int i = nr % 2;

	/* Most calls have few longs, so a call of memcpy() does not pay */
	if (i)
		put_unaligned(data[0], tail);
	for (; i < nr; i += 2) {
		put_unaligned(data[i], tail + i);
		put_unaligned(data[i + 1], tail + i + 1);
	}
	if (args->size % sizeof(long))
		put_unaligned(*(const u32 *)(data + nr), (u32 *)(tail + nr));
}

/**
 * call_args_release - give back the memory that call_args_capture() took
 *
 * Called on the CPU of call_args_capture() or call_scratch_get(), whether there was memory
 * or not.
 */
static __always_inline void call_args_release(void)
{
	this_cpu_dec(call_scratch_nesting);
}

/**
 * call_longs_get - read the longs of a call, without its strings
 * @longs: room for arg_sig_ref_longs() longs
 * @ref: the reference to the function's signature
 * @slot: the function's slot if the function is in a module, else NULL
 * @fregs: the registers at the function's entry
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the longs could be read.
 */
static __always_inline bool
call_longs_get(unsigned long *longs, u32 ref,
	       const struct arg_sig_module_slot *slot,
	       struct ftrace_regs *fregs)
{
	if (unlikely(!(fregs && !(ref & ARG_SIG_REF_KIND)) &&
		     !can_capture_direct(ref, ARG_SIG_REF_CAPTURED, fregs)))
		return call_longs_capture(longs, ref, slot, fregs);
	capture_direct(longs, ref, slot ? slot->text : __start_arg_sigs_str,
		       fregs);
	return true;
}

/**
 * call_args_get - get the data that is recorded of a call's arguments
 * @args: the data
 * @tr: the trace instance
 * @ip: the address that ftrace knows the function by
 * @fregs: the registers at the function's entry
 * @results: gets the data that the call's return needs if the arguments were captured;
 *	NULL if the return needs no data
 *
 * Any context, including NMI, with preemption disabled until call_args_done().
 */
static __always_inline void call_args_get(struct call_args *args,
					  struct trace_array *tr,
					  unsigned long ip,
					  struct ftrace_regs *fregs,
					  struct call_results *results)
{
	u32 ref = arg_sig_find_called(ip, &args->slot);
	const struct func_args_want *want = &tr->func_args;

	if (unlikely(!(fregs && !(ref & READ_ONCE(want->not_regs))) &&
		     !can_capture_direct(ref, READ_ONCE(want->not_direct), fregs))) {
		args->ip = ip;
		call_args_capture(args, want, ref, args->slot, fregs, results);
		return;
	}
	args->data = NULL;
	args->ref = ref;
	args->size = arg_sig_ref_longs(ref) * sizeof(long);
	if (args->slot)
		args->size += sizeof(args->slot->id);
}

/**
 * call_args_put - write the data into the event
 * @args: from call_args_get()
 * @tail: where the data goes
 * @fregs: the registers at the function's entry
 */
static __always_inline void call_args_put(const struct call_args *args,
					  unsigned long *tail,
					  struct ftrace_regs *fregs)
{
	if (args->data) {
		call_args_copy(tail, args);
		return;
	}
	capture_direct(tail, args->ref,
		       args->slot ? args->slot->text : __start_arg_sigs_str,
		       fregs);
	if (args->slot)
		put_unaligned(args->slot->id,
			      (u32 *)(tail + arg_sig_ref_longs(args->ref)));
}

/**
 * call_args_done - give the data back
 * @args: from call_args_get()
 */
static __always_inline void call_args_done(const struct call_args *args)
{
	if (args->data)
		call_args_release();
}

#else

#define FUNC_ARGS_WANT	{ }

static inline void call_args_init(struct trace_array *tr, bool deref)
{
}

static inline int call_args_set(struct trace_array *tr)
{
	return 0;
}

static inline int call_args_set_deref(struct trace_array *tr, bool set)
{
	return 0;
}

static inline void call_args_init_tracefs(struct trace_array *tr,
					  struct dentry *parent)
{
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_ARGS_CAPTURE_H */
