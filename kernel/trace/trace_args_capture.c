// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded of a call's arguments where its event's size is not known
 * before they are read: strings, the registers of a system call, words of the
 * stack that may not be there
 *
 * It runs in any context, at the entry of any function.  So it reads only what is
 * known to be memory, see <asm/trace_readable.h>, and calls nothing that can be
 * traced: kernel/trace is built without it, and of others' there are inline
 * functions only.
 */
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

#include <asm/trace_readable.h>
#include <asm/word-at-a-time.h>

#include "trace.h"
#include "trace_args_capture.h"

/* As deep as one call's capture can interrupt another's: softirq, irq, NMI */
#define CAPTURE_NESTING		4

/*
 * captured_tails holds what goes behind the fields of the events of those calls
 * that are being captured on a CPU, as many as call_args_nesting says: each
 * interrupted the one before.
 */
struct captured_tail {
	unsigned long	longs[DIV_ROUND_UP(FUNC_ARGS_MAX_TAIL, sizeof(long))];
};

static DEFINE_PER_CPU(struct captured_tail[CAPTURE_NESTING], captured_tails);
DEFINE_PER_CPU(unsigned int, call_args_nesting);

/*
 * Reading begins.  What is read has been found to be there, but may go in this
 * very moment.  Then there is a fault, whose functions are traced: of a context
 * that is being traced already they are recorded for its transition bit only.
 */
static __always_inline unsigned long begin_reading(unsigned long *flags)
{
	struct task_struct *task = current;
	unsigned long recursion;

	raw_local_irq_save(*flags);
	recursion = task->trace_recursion;
	task->trace_recursion = recursion | BIT(TRACE_FTRACE_TRANSITION_BIT);
	barrier();
	return recursion;
}

static __always_inline void end_reading(unsigned long recursion,
					unsigned long flags)
{
	barrier();
	current->trace_recursion = recursion;
	raw_local_irq_restore(flags);
}

/* Not inline: few registers are left in what calls it */
static noinline const void *find_readable(unsigned long addr)
{
	return trace_readable(addr);
}

static bool read_word(unsigned long *val, unsigned long addr)
{
	unsigned long good = 1;
	const void *from;

	if (!IS_ALIGNED(addr, sizeof(*val)))
		return false;
	from = find_readable(addr);
	if (!from)
		return false;
	trace_read_word(val, from, &good);
	return good;
}

/*
 * Word @n of the stack from the return address, which is on the same stack: that
 * is aligned to its size or does not end before the next boundary.
 */
static __always_inline bool read_stack(unsigned long *val, unsigned int n,
				       struct ftrace_regs *fregs)
{
	unsigned long stack = (unsigned long)trace_args_stack(fregs);
	unsigned long addr = stack + n * sizeof(long);

	if (likely(addr / PAGE_SIZE == stack / PAGE_SIZE)) {
		*val = READ_ONCE_NOCHECK(*(unsigned long *)addr);
		return true;
	}
	if (unlikely((addr + sizeof(long) - 1) / THREAD_SIZE !=
		     stack / THREAD_SIZE))
		return false;
	return read_word(val, addr);
}

/* What has_zero() says for certain, in fewer instructions if all bytes are ASCII */
static __always_inline bool may_have_zero(unsigned long word,
					  const struct word_at_a_time *constants)
{
	return (word - constants->one_bits) & constants->high_bits;
}

/*
 * Copy what is at @from, @size bytes of it, to the end of its page at most.  A
 * string ends before a zero byte as well.  Each byte is read once: whatever
 * happens to them meanwhile, what was copied is what is there.
 *
 * Returns how many bytes there are, -1 if they have gone.
 */
static __always_inline long copy_bytes(u8 *to, const u8 *from,
				       unsigned long size, const bool string)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word = 0, len = 0, zeros, good = 1;

	for (; len + sizeof(word) <= size; len += sizeof(word)) {
		trace_read_word(&word, from + len, &good);
		put_unaligned(word, (unsigned long *)(to + len));
		if (string && unlikely(may_have_zero(word, &constants)) &&
		    has_zero(word, &zeros, &constants)) {
			zeros = prep_zero_mask(word, zeros, &constants);
			len += find_zero(create_zero_mask(zeros));
			return good ? len : -1;
		}
	}
	for (; len < size; len++) {
		trace_read_byte(&word, from + len, &good);
		if (string && !word)
			break;
		to[len] = word;
	}
	return good ? len : -1;
}

/*
 * Capture to @pos what is at @from, @max bytes of it at most: a string, or a
 * buffer of @size bytes. There is room for a header and for one byte more. Returns
 * the end of what was captured.
 */
static __always_inline u8 *capture_text(u8 *pos, unsigned long from,
					unsigned long max, unsigned long size,
					const bool string)
{
	/* The byte behind tells whether a string is longer */
	unsigned long end = string ? max + 1 : min(size, max), len = 0;
	u8 *to = pos + sizeof(u16);

	if (IS_ERR_OR_NULL((void *)from))
		goto unread;
	while (len < end) {
		unsigned long left = PAGE_SIZE - offset_in_page(from + len);
		const u8 *page = find_readable(from + len);
		long copied = -1;

		if (left > end - len)
			left = end - len;
		if (likely(page))
			copied = copy_bytes(to + len, page, left, string);
		if (unlikely(copied < 0)) {
			if (!len)
				goto unread;
			goto cut;
		}
		len += copied;
		if (string && likely(copied < left))
			goto whole;
	}
	if (!string && len == size)
		goto whole;
cut:
	len = min(len, max);
	put_unaligned((u16)(len | ARG_STRING_CUT), (u16 *)pos);
	return to + len;
whole:
	put_unaligned((u16)len, (u16 *)pos);
	return to + len;
unread:
	put_unaligned((u16)ARG_STRING_UNREAD, (u16 *)pos);
	return to;
}

static noinline u8 *capture_string(u8 *pos, unsigned long from,
				   unsigned long max)
{
	return capture_text(pos, from, max, 0, true);
}

static noinline u8 *capture_buffer(u8 *pos, unsigned long from,
				   unsigned long max, unsigned long size)
{
	return capture_text(pos, from, max, size, false);
}

/**
 * struct capture - a call while its arguments are captured
 * @fregs: the registers at its entry
 * @base: where they are that fields are of
 * @longs: where its longs go
 * @nr: how many are captured
 * @all: how many there will be
 * @pos: where the next string or buffer goes; the first one behind all longs
 * @end: where no more of strings goes but their headers
 * @max: bytes of each at most; 0 if there are none
 */
struct capture {
	struct ftrace_regs	*fregs;
	unsigned long		base;
	unsigned long		*longs;
	unsigned int		nr;
	unsigned int		all;
	u8			*pos;
	u8			*end;
	unsigned long		max;
};

/* The long that a slot says */
static bool read_slot(unsigned long *val, char slot, const struct capture *cap)
{
	unsigned int word = trace_args_stack_word(slot);

	if (word)
		return read_stack(val, word, cap->fregs);
	*val = trace_args_slot(slot, cap->fregs);
	return true;
}

/* The long that a field says, a word of the struct pt_regs at @cap->base */
static bool read_field(unsigned long *val, char field, const struct capture *cap)
{
	unsigned int word = (field | 0x20) - 'a';

	if (field == '-') {
		*val = 0;
		return true;
	}
	if (word >= sizeof(struct pt_regs) / sizeof(long))
		return false;
	if (likely(cap->base == (unsigned long)task_pt_regs(current)))
		*val = READ_ONCE_NOCHECK(((unsigned long *)cap->base)[word]);
	else if (!read_word(val, cap->base + word * sizeof(long)))
		return false;
	if (field < 'a')
		*val = (u32)*val;
	return true;
}

/*
 * Capture the longs that a list of slots or of fields says, and what those that
 * are marked point to; see arg-sigs-format.rst. Returns where the list ends, NULL
 * if a long cannot be read.
 */
static __always_inline const char *
capture_places_of(struct capture *cap, const char *slot,
		  bool (*read)(unsigned long *val, char slot,
			       const struct capture *cap))
{
	for (; *slot != ')' && *slot != '|'; slot++) {
		bool string = *slot == '*', buffer = *slot == '#';
		unsigned long val, size, max;

		slot += string || buffer;
		if (cap->nr == cap->all || !read(&val, *slot, cap))
			return NULL;
		cap->longs[cap->nr++] = val;
		if (!cap->max)
			continue;
		max = clamp(cap->end - cap->pos, 0L, (long)cap->max);
		if (string)
			cap->pos = capture_string(cap->pos, val, max);
		else if (buffer && read(&size, slot[1], cap))
			cap->pos = capture_buffer(cap->pos, val, max, size);
	}
	return slot;
}

/*
 * Capture longs and strings as any signature says. Returns the end of what was
 * captured, NULL if a long cannot be read.
 */
static noinline u8 *capture_any(unsigned long *longs, const char *sig, u32 ref,
				unsigned long max, struct ftrace_regs *fregs)
{
	struct capture cap = {
		.fregs	= fregs,
		.base	= trace_args_slot('a', fregs),
		.longs	= longs,
		.all	= arg_sig_ref_longs(ref),
		.max	= max,
	};
	const char *end;

	cap.pos = (u8 *)(longs + cap.all);
	cap.end = cap.pos + FUNC_ARGS_MAX_STRINGS - sizeof(u16);
	/* What has no list is not captured here */
	end = capture_places_of(&cap, sig + strlen("("), read_slot);
	if (end && *end == '|') {
		/* Fields are the kernel's */
		if (cap.base < TASK_SIZE_MAX)
			return NULL;
		end = capture_places_of(&cap, end + 1, read_field);
	}
	return end && cap.nr == cap.all ? cap.pos : NULL;
}

/*
 * Capture the first argument registers and the string that one of them points to,
 * by the reference alone. Returns the end of what was captured.
 */
static __always_inline u8 *capture_regs_and_text(unsigned long *longs, u32 ref,
						 unsigned long max,
						 struct ftrace_regs *fregs)
{
	unsigned int nr = arg_sig_ref_longs(ref);
	u8 *pos = (u8 *)(longs + nr);

	capture_regs(longs, nr, fregs);
	return max ? capture_string(pos, longs[arg_sig_ref_text_arg(ref)], max) :
		     pos;
}

/**
 * call_args_capture - read what is to be recorded of a call's arguments
 * @args: what was read
 * @max: bytes of each string at most
 * @ref: the reference to the function's signature
 * @slot: its slot if it is a module's, NULL if it is the image's
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * For what can_capture_direct() refuses. Any context, NMI too, with preemption
 * disabled until call_args_release(), which always has to follow.
 */
void call_args_capture(struct call_args *args, unsigned long max, u32 ref,
		       const struct arg_sig_module_slot *slot,
		       struct ftrace_regs *fregs)
{
	unsigned int nesting = this_cpu_inc_return(call_args_nesting) - 1;
	const char *text = slot ? slot->text : __start_arg_sigs_str;
	unsigned long *longs, flags, recursion;
	u8 *end;

	args->size = 0;
	if (unlikely(!fregs || nesting >= CAPTURE_NESTING)) {
		args->data = &args->set;
		if (slot) {
			args->size = sizeof(slot->id);
			args->set = slot->id;
		}
		return;
	}

	longs = (*this_cpu_ptr(&captured_tails))[nesting].longs;
	/* Its address is kept, not made anew for each of them */
	OPTIMIZER_HIDE_VAR(longs);
	args->data = longs;
	recursion = begin_reading(&flags);
	if (likely((ref & ARG_SIG_REF_KIND) == ARG_SIG_REF_TEXT))
		end = capture_regs_and_text(longs, ref, max, fregs);
	else
		end = capture_any(longs, arg_sig_ref_text(text, ref), ref, max,
				  fregs);
	end_reading(recursion, flags);
	if (likely(end)) {
		put_unaligned(0UL, (unsigned long *)end);
		args->size = ALIGN(end - (u8 *)longs, sizeof(long));
	}
	if (slot) {
		*(u32 *)(longs + args->size / sizeof(long)) = slot->id;
		args->size += sizeof(slot->id);
	}
}

static ssize_t string_size_read(struct file *filp, char __user *ubuf,
				size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	char buf[16];
	int len;

	len = scnprintf(buf, sizeof(buf), "%u\n",
			READ_ONCE(tr->func_args_string_size));
	return simple_read_from_buffer(ubuf, cnt, ppos, buf, len);
}

static ssize_t string_size_write(struct file *filp, const char __user *ubuf,
				 size_t cnt, loff_t *ppos)
{
	struct trace_array *tr = filp->private_data;
	unsigned int size;
	int ret;

	ret = kstrtouint_from_user(ubuf, cnt, 10, &size);
	if (ret)
		return ret;
	if (size > FUNC_ARGS_MAX_STRING_SIZE)
		return -EINVAL;

	WRITE_ONCE(tr->func_args_string_size, size);
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
