// SPDX-License-Identifier: GPL-2.0
/*
 * Capture of arguments for events whose size is known only after the arguments are read:
 * strings, values that pointers point to, the registers of a system call, and words of
 * the stack that may not be present
 *
 * The capture runs in any context, at the entry of any function.  So the capture must not
 * call a function that can be traced: kernel/trace is built without tracing, and all
 * other code is inline.  args/memory.c reads memory.  args/objects.c reads
 * digests of objects and the values of the user's expressions.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include <kunit/visibility.h>

#include "../trace.h"
#include "capture.h"
#include "func_map.h"
#include "numbers.h"
#include "text.h"

#undef pr_fmt
#define pr_fmt(fmt) "arg_sigs: " fmt

/* Maximum nesting of captures: one each of a task, a softirq, an irq and an NMI */
#define CAPTURE_NESTING		4

struct call_scratch_cpu {
	struct call_scratch	scratches[CAPTURE_NESTING];
};

/*
 * call_scratches has the memory of the calls that are being captured on a CPU, and
 * call_scratch_nesting is the number of these calls: each call interrupted the previous
 * call.  The memory is allocated when it is first needed, and is never freed, because a
 * tracer that stops may still be capturing calls.  call_scratch_max is 0 before, so that
 * one test is enough.  trace_types_lock protects the allocation.
 */
static struct call_scratch_cpu __percpu *call_scratches __read_mostly;
static unsigned int call_scratch_max __read_mostly;
DEFINE_PER_CPU(unsigned int, call_scratch_nesting);

/**
 * call_scratch_alloc - allocate the memory that captures need
 *
 * Called before calls are captured. May sleep. The caller holds trace_types_lock.
 *
 * Return: 0 or -ENOMEM.
 */
int call_scratch_alloc(void)
{
	size_t size = sizeof(*call_scratches);

	lockdep_assert_held(&trace_types_lock);
	if (call_scratch_max)
		return 0;
	call_scratches = alloc_percpu(struct call_scratch_cpu);
	if (!call_scratches)
		return -ENOMEM;
	/* Pairs with smp_load_acquire() in next_scratch() */
	smp_store_release(&call_scratch_max, CAPTURE_NESTING);
	pr_info("%zu bytes of memory to capture calls on %u CPUs\n",
		size * num_possible_cpus(), num_possible_cpus());
	return 0;
}

static __always_inline struct call_scratch *next_scratch(void)
{
	unsigned int nesting = this_cpu_inc_return(call_scratch_nesting) - 1;

	/* Pairs with smp_store_release() in call_scratch_alloc() */
	if (unlikely(nesting >= smp_load_acquire(&call_scratch_max)))
		return NULL;
	return &this_cpu_ptr(call_scratches)->scratches[nesting];
}

/**
 * call_scratch_get - get the memory that a call may use until call_args_release()
 *
 * Any context, including NMI, with preemption disabled until call_args_release(), which
 * the caller always has to call.
 *
 * Return: the memory, or NULL.
 */
struct call_scratch *call_scratch_get(void)
{
	return next_scratch();
}

/*
 * Read word @n of the stack, counted from the return address.  The stack is aligned to
 * its size, or ends at the next multiple of THREAD_SIZE or later.  So a word below that
 * multiple is on the same stack.
 */
static __always_inline bool read_stack(unsigned long *val, unsigned int n,
				       struct ftrace_regs *fregs)
{
	unsigned long stack = (unsigned long)trace_args_stack(fregs);
	unsigned long addr = stack + n * sizeof(long);
	struct captured_page known = { .page = 1 };

	if (likely(addr / PAGE_SIZE == stack / PAGE_SIZE)) {
		*val = READ_ONCE_NOCHECK(*(unsigned long *)addr);
		return true;
	}
	if (unlikely((addr + sizeof(long) - 1) / THREAD_SIZE !=
		     stack / THREAD_SIZE))
		return false;
	return capture_word(val, addr, sizeof(*val), false, &known);
}

/**
 * struct capture - a call while its arguments are captured
 * @fregs: the registers at the function's entry
 * @base: the struct pt_regs that fields are read from
 * @longs: where the captured longs go
 * @nr: number of longs captured so far
 * @all: number of longs that the signature lists
 * @fields: number of longs before the longs of a system call's own parameters
 * @pos: where the next string or buffer goes; the first string or buffer follows all
 *	longs
 * @end: beginning with this byte, only headers of strings are written
 * @max: maximum bytes of each string; 0 if no string is captured
 */
struct capture {
	struct ftrace_regs	*fregs;
	unsigned long		base;
	unsigned long		*longs;
	unsigned int		nr;
	unsigned int		all;
	unsigned int		fields;
	u8			*pos;
	u8			*end;
	unsigned long		max;
};

static __always_inline struct capture capture_of(unsigned long *longs, u32 ref,
						 unsigned long max, struct ftrace_regs *fregs)
{
	return (struct capture){
		.fregs	= fregs,
		.base	= trace_args_slot('a', fregs),
		.longs	= longs,
		.all	= arg_sig_ref_longs(ref),
		.max	= max,
	};
}

/* Read the long of a slot */
static bool read_slot(unsigned long *val, char slot, const struct capture *cap)
{
	unsigned int word = trace_args_stack_word(slot);

	if (word)
		return read_stack(val, word, cap->fregs);
	*val = trace_args_slot(slot, cap->fregs);
	return true;
}

/* Read the long of a field, which is a word of the struct pt_regs at @cap->base */
static bool read_field(unsigned long *val, char field, const struct capture *cap)
{
	struct captured_page known = { .page = 1 };
	unsigned int word = (field | 0x20) - 'a';

	if (field == '-') {
		*val = 0;
		return true;
	}
	if (word >= sizeof(struct pt_regs) / sizeof(long))
		return false;
	if (likely(cap->base == (unsigned long)task_pt_regs(current)))
		*val = READ_ONCE_NOCHECK(((unsigned long *)cap->base)[word]);
	else if (!capture_word(val, cap->base + word * sizeof(long), sizeof(*val),
			       false, &known))
		return false;
	if (field < 'a')
		*val = (u32)*val;
	return true;
}

/* Read the next word of a record whose address is passed, from @addr */
static bool read_record(unsigned long *val, unsigned long *addr, struct captured_page *known)
{
	*addr += sizeof(*val);
	return capture_word(val, *addr - sizeof(*val), sizeof(*val), false, known);
}

/*
 * Capture the longs of a list of slots or fields, and the strings and buffers that marked
 * longs point to; see arg-sigs-format.rst. With @headers, strings that are not captured
 * have headers, too. Returns the end of the list, or NULL if a long cannot be read.
 */
static __always_inline const char *
capture_places_of(struct capture *cap, const char *slot,
		  bool (*read)(unsigned long *val, char slot,
			       const struct capture *cap),
		  const bool headers)
{
	struct captured_page known = { .page = 1 };
	unsigned long record = 0;

	for (; *slot != ')' && *slot != '|'; slot++) {
		bool reference = TRACE_ARGS_REFERENCES && *slot == '&';
		bool next = TRACE_ARGS_REFERENCES && *slot == '+';
		bool string = *slot == '*', buffer = *slot == '#';
		unsigned long val, size, max;

		slot += string || buffer || reference;
		if (cap->nr == cap->all || (!next && !read(&val, *slot, cap)))
			return NULL;
		if (reference)
			record = val;
		if ((reference || next) && !read_record(&val, &record, &known))
			return NULL;
		cap->longs[cap->nr++] = val;
		if (!cap->max) {
			if (headers && (string || buffer)) {
				put_unaligned((u16)ARG_STRING_UNREAD,
					      (u16 *)cap->pos);
				cap->pos += sizeof(u16);
			}
			continue;
		}
		max = clamp(cap->end - cap->pos, 0L, (long)cap->max);
		if (string)
			cap->pos = capture_string(cap->pos, val, max);
		else if (buffer && read(&size, slot[1], cap))
			cap->pos = capture_buffer(cap->pos, val, max, size);
	}
	return slot;
}

/*
 * Capture the longs and strings of a signature that has a list. Returns the end of the
 * list, or NULL if a long cannot be read.
 */
static __always_inline const char *capture_places(struct capture *cap,
						  const char *sig,
						  const bool headers)
{
	const char *end;

	cap->pos = (u8 *)(cap->longs + cap->all);
	cap->end = cap->pos + FUNC_ARGS_MAX_STRINGS - sizeof(u16);
	/* The caller passes only signatures that have a list */
	end = capture_places_of(cap, sig + strlen("("), read_slot, headers);
	cap->fields = cap->nr;
	if (end && *end == '|') {
		/* The struct pt_regs is in the kernel */
		if (cap->base < TASK_SIZE_MAX)
			return NULL;
		end = capture_places_of(cap, end + 1, read_field, headers);
	}
	return cap->nr == cap->all ? end : NULL;
}

/*
 * Capture the longs and strings of a signature that has a list. Returns the end of the
 * captured bytes, or NULL if a long cannot be read.
 */
static noinline u8 *capture_any(unsigned long *longs, const char *sig, u32 ref,
				unsigned long max, struct ftrace_regs *fregs)
{
	struct capture cap = capture_of(longs, ref, max, fregs);

	return capture_places(&cap, sig, false) ? cap.pos : NULL;
}

/*
 * Note what the call's return has to record, by the list of results that follows the
 * reads
 */
noinline void note_results(struct call_results *results, const unsigned long *longs,
			   unsigned int nr, const char *reads, unsigned long max)
{
	unsigned int index;

	while (*reads == '*')
		reads += 3;
	results->nr = 0;
	results->known = true;
	results->max = max;
	results->digest = 0;
	results->buffer = 0;
	if (*reads == '$') {
		results->digest = reads[1];
		reads += 2;
	}
	if (*reads != '#' || !max)
		return;
	index = arg_read_long(reads[1]);
	if (likely(index + 1 < nr)) {
		results->index = index;
		results->buffer = longs[index];
		results->size = longs[index + 1];
	}
}

/*
 * Write the numbers that a call has changed, and the numbers that could not be read at the
 * call's entry
 */
static __always_inline u8 *put_changed(u8 *pos, const struct call_results *results)
{
	unsigned long stack = (unsigned long)current->stack, unused;
	unsigned int i, kind;
	bool failed;
	u8 *end;

	for (i = 0; i < results->nr; i++) {
		kind = results->headers[i] & ARG_READ_KIND;
		failed = kind == ARG_READ_FAILED;
		if (failed)
			kind = results->vals[i];
		end = capture_value(pos, results->addrs[i],
				    results->headers[i] >> ARG_READ_SHIFT, kind,
				    stack, 1);
		unused = BITS_PER_LONG - (BITS_PER_BYTE << (kind - 1));
		if (*pos != results->headers[i] ||
		    (!failed && (get_unaligned((unsigned long *)(pos + 1)) ^
				 results->vals[i]) << unused))
			pos = end;
	}
	return pos;
}

/**
 * call_results_put - write what a call returns besides the registers
 * @to: where the data goes; there is room for CALL_RESULTS_SIZE bytes
 * @results: from call_results_get(), with @known set
 * @retval: what the function returned
 *
 * Writes the numbers that have changed or could not be read at the entry, the digest of
 * the returned object, and the buffer that the call has filled. Called at the call's
 * return, in the task and the context of the call's entry, with preemption disabled.
 *
 * Return: the number of bytes, 0 if there is nothing to record.
 */
unsigned int call_results_put(u8 *to, const struct call_results *results,
			      unsigned long retval)
{
	unsigned long flags, recursion;
	u8 *pos;

	recursion = capture_begin(&flags);
	pos = put_changed(to, results);
	if (results->digest)
		pos = capture_digest(pos, pos + DIGEST_SIZE + sizeof(u64), retval, 0,
				     results->digest, results->max);
	/* The caller may give a size that is as large as an error */
	if (results->buffer && retval && retval <= results->size && !IS_ERR_VALUE(retval)) {
		*pos = results->index << ARG_READ_SHIFT | ARG_READ_TEXT;
		pos = capture_buffer(pos + 1, results->buffer,
				     min(results->max, CALL_BUFFER_SIZE), retval);
	}
	capture_end(recursion, flags);
	return pos - to;
}
EXPORT_SYMBOL_IF_KUNIT(call_results_put);

/*
 * Capture the longs and strings of a signature with reads, and the values that the longs
 * point to. @max is the maximum number of bytes of a string. Returns what capture_any()
 * returns.
 */
static noinline u8 *capture_reads(unsigned long *longs, const char *sig, u32 ref,
				  unsigned long max, struct ftrace_regs *fregs,
				  struct call_results *results)
{
	struct capture cap = capture_of(longs, ref, max, fregs);
	const char *reads;

	if ((ref & ARG_SIG_REF_KIND) == ARG_SIG_REF_REGS) {
		capture_regs(longs, cap.all, fregs);
		return capture_values_of_regs((u8 *)(longs + cap.all), longs, cap.all, sig, max,
					      false, fregs, results);
	}
	reads = capture_places(&cap, sig, true);
	if (!reads)
		return NULL;
	reads += strlen(")");
	if (cap.pos == (u8 *)(longs + cap.all) && *reads == '*')
		cap.pos = put_values_header(cap.pos);
	if (results)
		note_results(results, longs, cap.all, reads, max);
	if (*reads != '*')
		return cap.pos;
	return capture_values(cap.pos, longs, cap.all, cap.fields, reads, max, false, fregs,
			      results);
}

/* Capture the expressions that an instance has for a function */
static u8 *capture_lines(u8 *pos, unsigned long *longs, const struct call_lines *lines,
			 unsigned long max)
{
	/* Leave room for the number of a module's set, which may follow */
	const u8 *end = (u8 *)longs + FUNC_ARGS_MAX_TAIL - sizeof(u32) - sizeof(long);
	unsigned int i;

	/* Leave room for the headers of the next lines, by which readers show "?" */
	for (i = 0; i < lines->nr; i++)
		pos = capture_exprs(pos, end - (lines->nr - i - 1) * CALL_EXPRS_HEADER,
				    lines->exprs[i], longs, max);
	return pos;
}

/*
 * Capture a call of an instance with expressions, which may be expressions for other
 * functions. A signature without a list has all longs in registers. Returns what
 * capture_any() returns.
 */
static noinline u8 *capture_user(unsigned long *longs, const char *sig, u32 ref,
				 const struct func_args_want *want,
				 const struct call_lines *lines,
				 struct ftrace_regs *fregs, struct call_results *results)
{
	bool reads = ref & ARG_SIG_REF_READS && READ_ONCE(want->deref);
	unsigned long max = READ_ONCE(want->string_size);
	struct capture cap = capture_of(longs, ref, max, fregs);
	u8 *pos = (u8 *)(longs + cap.all);

	if (!lines && !reads && *sig == '(')
		return capture_any(longs, sig, ref, max, fregs);
	if (reads)
		pos = capture_reads(longs, sig, ref, max, fregs, results);
	else if (*sig != '(')
		capture_regs(longs, cap.all, fregs);
	else
		pos = capture_places(&cap, sig, true) ? cap.pos : NULL;
	if (!lines || !pos)
		return pos;
	if (pos == (u8 *)(longs + cap.all))
		pos = put_values_header(pos);
	return capture_lines(pos, longs, lines, max);
}

/*
 * Capture a call of an instance that may record more than the longs and strings of the
 * call: what pointers point to, or the values of expressions
 */
static __always_inline u8 *capture_more(unsigned long *longs, const char *sig, u32 ref,
					const struct func_args_want *want,
					unsigned long ip, struct ftrace_regs *fregs,
					struct call_results *results)
{
	/* The lines are freed after arg_sig_retire() has waited for this capture */
	struct func_map __rcu **map = READ_ONCE(want->exprs);

	if (likely(!map && ref & ARG_SIG_REF_READS && READ_ONCE(want->deref)))
		return capture_reads(longs, sig, ref, READ_ONCE(want->string_size),
				     fregs, results);
	return capture_user(longs, sig, ref, want,
			    map ? func_map_find(rcu_dereference_raw(*map), ip) : NULL,
			    fregs, results);
}

/**
 * call_args_capture - read the data that is recorded of a call's arguments
 * @args: gets the data; @ip is set if @want has lines
 * @want: what is recorded
 * @ref: the reference to the function's signature, 0 if the function has none
 * @slot: the function's slot if the function is in a module; NULL if it is in the image
 * @fregs: the registers at the function's entry, or NULL; then no arguments are captured
 * @results: gets the data that the call's return needs if the call is captured with the
 *	values that pointers point to; NULL if the return needs no data. The caller has
 *	cleared @known
 *
 * For calls that can_capture_direct() refuses. Any context, including NMI, with
 * preemption disabled until call_args_release(), which the caller always has to call.
 */
void call_args_capture(struct call_args *args, const struct func_args_want *want,
		       u32 ref, const struct arg_sig_module_slot *slot,
		       struct ftrace_regs *fregs, struct call_results *results)
{
	struct call_scratch *scratch = next_scratch();
	unsigned long *longs, flags, recursion;
	unsigned int size = 0;
	const char *text;
	u32 kind;
	u8 *end;

	if (unlikely(!scratch || !fregs))
		goto none;

	longs = scratch->longs;
	/* Have the compiler keep the address instead of computing it again for each long */
	OPTIMIZER_HIDE_VAR(longs);
	args->data = longs;
	/* If more than longs and strings may be captured, further bits than a kind are set */
	kind = ref & READ_ONCE(want->not_regs);
	if (likely(kind == ARG_SIG_REF_TEXT)) {
		capture_regs(longs, arg_sig_ref_text_longs(ref), fregs);
		end = capture_text_of_regs((u8 *)(longs + arg_sig_ref_text_longs(ref)),
					   longs[arg_sig_ref_text_arg(ref)],
					   READ_ONCE(want->string_size));
	} else if (likely(kind)) {
		text = slot ? slot->text : __start_arg_sigs_str;
		text = arg_sig_ref_text(text, ref);
		recursion = capture_begin(&flags);
		if (kind & ~ARG_SIG_REF_KIND)
			end = capture_more(longs, text, ref, want, args->ip, fregs,
					   results);
		else
			end = capture_any(longs, text, ref,
					  READ_ONCE(want->string_size), fregs);
		capture_end(recursion, flags);
	} else {
		/* The instance wanted more when the caller looked */
		capture_regs(longs, arg_sig_ref_longs(ref), fregs);
		end = (u8 *)(longs + arg_sig_ref_longs(ref));
	}
	if (likely(end)) {
		put_unaligned(0UL, (unsigned long *)end);
		size = ALIGN(end - (u8 *)longs, sizeof(long));
	}
	if (slot) {
		*(u32 *)(longs + size / sizeof(long)) = slot->id;
		size += sizeof(slot->id);
	}
	args->size = size;
	return;
none:
	args->data = &args->set;
	args->size = slot ? sizeof(slot->id) : 0;
	args->set = slot ? slot->id : 0;
}

/**
 * call_longs_capture - read the longs of a call for call_longs_get()
 * @longs: room for arg_sig_ref_longs() longs
 * @ref: the reference to the function's signature
 * @slot: the function's slot if the function is in a module, else NULL
 * @fregs: the registers at the function's entry, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: whether the longs could be read.
 */
bool call_longs_capture(unsigned long *longs, u32 ref,
			const struct arg_sig_module_slot *slot,
			struct ftrace_regs *fregs)
{
	static const struct func_args_want no_strings = {
		.not_regs	= ARG_SIG_REF_KIND,
	};
	unsigned int size = arg_sig_ref_longs(ref) * sizeof(long);
	struct call_args args __uninitialized;
	bool captured;

	if (fregs && (ref & ARG_SIG_REF_KIND) == ARG_SIG_REF_TEXT) {
		capture_regs(longs, arg_sig_ref_longs(ref), fregs);
		return true;
	}
	call_args_capture(&args, &no_strings, ref, slot, fregs, NULL);
	captured = round_down(args.size, sizeof(long)) >= size;
	if (captured)
		memcpy(longs, args.data, size);
	call_args_release();
	return captured;
}

static ssize_t string_size_read(struct file *filp, char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	char buf[16];
	int len;

	len = scnprintf(buf, sizeof(buf), "%u\n",
			READ_ONCE(tr->func_args.string_size));
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static ssize_t string_size_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	unsigned int size;
	char buf[16];
	int ret;

	if (cnt >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, cnt))
		return -EFAULT;
	buf[cnt] = '\0';
	/* kstrtouint_from_user() ignores what follows a NUL byte */
	ret = strlen(buf) == cnt ? kstrtouint(buf, 10, &size) : -EINVAL;
	if (ret)
		return ret;
	if (size > FUNC_ARGS_MAX_STRING_SIZE)
		return -EINVAL;

	/*
	 * Checked at each write, because the file may have been opened before the kernel was
	 * locked down
	 */
	ret = size ? security_locked_down(LOCKDOWN_KPROBES) : 0;
	if (ret)
		return ret;
	guard(mutex)(&trace_types_lock);
	WRITE_ONCE(tr->func_args.string_size, size);
	*ppos += cnt;
	return cnt;
}

static const struct file_operations string_size_fops = {
	.open		= tracing_open_generic_tr,
	.read		= string_size_read,
	.write		= string_size_write,
	.release	= tracing_release_generic_tr,
	.llseek		= default_llseek,
};

/* Choose the capture of calls after @deref or @exprs has changed */
static void choose_capture(struct func_args_want *want)
{
	u32 more = 0;

	if (want->deref)
		more = ARG_SIG_REF_READS;
	if (want->exprs)
		more = U32_MAX;
	WRITE_ONCE(want->not_regs, more | ARG_SIG_REF_KIND);
	WRITE_ONCE(want->not_direct, more | ARG_SIG_REF_CAPTURED);
}

/**
 * call_args_init - set what a new trace instance records
 * @tr: the trace instance
 * @deref: whether it records what pointers point to
 */
void call_args_init(struct trace_array *tr, bool deref)
{
	tr->func_args = (struct func_args_want)FUNC_ARGS_WANT;
	tr->func_args.deref = deref;
	choose_capture(&tr->func_args);
}

/**
 * call_args_set - begin to record arguments
 * @tr: the trace instance
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0, -ENOMEM, or -EPERM if the kernel is locked down and strings would be read.
 */
int call_args_set(struct trace_array *tr)
{
	int ret = READ_ONCE(tr->func_args.string_size) ?
		  security_locked_down(LOCKDOWN_KPROBES) : 0;

	return ret ?: call_scratch_alloc();
}

/**
 * call_args_set_deref - begin or stop recording what pointers point to
 * @tr: the trace instance
 * @set: whether to record it
 *
 * The caller holds trace_types_lock.
 *
 * Return: 0, or -EPERM if the kernel is locked down, as for a kprobe event.
 */
int call_args_set_deref(struct trace_array *tr, bool set)
{
	int ret = set ? security_locked_down(LOCKDOWN_KPROBES) : 0;

	if (ret)
		return ret;
	WRITE_ONCE(tr->func_args.deref, set);
	choose_capture(&tr->func_args);
	return 0;
}

/**
 * call_args_set_exprs - set the functions with expressions of an instance
 * @tr: the trace instance
 * @exprs: the functions, see struct call_lines; the descriptions of the expressions have
 *	numbers; NULL for none
 *
 * Calls that are being captured may still use the previous lines. The caller holds
 * trace_types_lock.
 */
void call_args_set_exprs(struct trace_array *tr, struct func_map __rcu **exprs)
{
	/* Pairs with the address dependency in capture_more() */
	smp_store_release(&tr->func_args.exprs, exprs);
	choose_capture(&tr->func_args);
}

/**
 * call_args_init_tracefs - create the files of a trace instance
 * @tr: the trace instance
 * @parent: its directory
 */
void call_args_init_tracefs(struct trace_array *tr, struct dentry *parent)
{
	trace_create_file("func_args_string_size", TRACE_MODE_WRITE, parent, tr,
			  &string_size_fops);
}
