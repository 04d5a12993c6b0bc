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

/**
 * struct capture - a call while its arguments are captured
 * @fregs: the registers at its entry
 * @nr: how many of @longs are captured
 * @strings: a bit for each of @longs that points to a string or a buffer
 * @buffers: a bit for each of @longs that points to a buffer: the next one is
 *	its size
 * @longs: what goes behind the event's fields
 * @tail: strings, padding and set, right behind the longs that there are
 */
struct capture {
	struct ftrace_regs	*fregs;
	unsigned int		nr;
	u32			strings;
	u32			buffers;
	union {
		unsigned long	longs[ARG_SIGS_MAX_LONGS];
		u8		tail[ALIGN(FUNC_ARGS_MAX_TAIL, sizeof(long))];
	};
};

/*
 * captures holds the calls that are being captured on a CPU, as many as
 * call_args_nesting says: each interrupted the one before.
 */
static DEFINE_PER_CPU(struct capture[CAPTURE_NESTING], captures);
DEFINE_PER_CPU(unsigned int, call_args_nesting);

/*
 * Reading begins.  What is read has been found to be there, but may go in this
 * very moment.  Then there is a fault, whose functions are traced: of a context
 * that is being traced already they are recorded for its transition bit only.
 */
static __always_inline unsigned long begin_reading(unsigned long *flags)
{
	unsigned long recursion;

	raw_local_irq_save(*flags);
	recursion = current->trace_recursion;
	current->trace_recursion = recursion | BIT(TRACE_FTRACE_TRANSITION_BIT);
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

static bool read_word(unsigned long *val, unsigned long addr)
{
	unsigned long good = 1;
	const void *from;

	if (!IS_ALIGNED(addr, sizeof(*val)))
		return false;
	from = trace_readable(addr);
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
				       const struct pt_regs *regs)
{
	unsigned long addr = regs->sp + n * sizeof(long);

	if (likely(addr / PAGE_SIZE == regs->sp / PAGE_SIZE)) {
		*val = READ_ONCE_NOCHECK(*(unsigned long *)addr);
		return true;
	}
	if (unlikely((addr + sizeof(long) - 1) / THREAD_SIZE !=
		     regs->sp / THREAD_SIZE))
		return false;
	return read_word(val, addr);
}

/*
 * Capture the longs that a list of slots says; see include/linux/arg_sigs.h.
 * Returns where the list ends, NULL if a long cannot be read.
 */
static const char *capture_slots(struct capture *cap, const char *slot)
{
	const struct pt_regs *regs = &arch_ftrace_regs(cap->fregs)->regs;
	unsigned int nr;

	for (nr = 0; nr < ARG_SIGS_MAX_LONGS; slot++) {
		int place = capture_places[(unsigned char)*slot];

		if (*slot == '|' || *slot == ')')
			break;
		if (*slot == '*' || *slot == '#') {
			cap->strings |= BIT(nr);
			if (*slot == '#')
				cap->buffers |= BIT(nr);
		} else if (place >= 0) {
			cap->longs[nr++] = capture_slot(*slot, cap->fregs);
		} else if (!read_stack(&cap->longs[nr++], place - S8_MIN, regs)) {
			return NULL;
		}
	}
	cap->nr = nr;
	return slot;
}

/* The long that a field asks for, a word of the struct pt_regs at @base */
static __always_inline bool read_field(unsigned long *val, char field,
				       unsigned long base)
{
	unsigned int word = (field | 0x20) - 'a';

	if (field == '-') {
		*val = 0;
		return true;
	}
	if (word >= sizeof(struct pt_regs) / sizeof(long))
		return false;
	if (likely(base == (unsigned long)task_pt_regs(current)))
		*val = READ_ONCE_NOCHECK(((unsigned long *)base)[word]);
	else if (!read_word(val, base + word * sizeof(long)))
		return false;
	if (field < 'a')
		*val = (u32)*val;
	return true;
}

/* Capture the longs that a list of fields says, as capture_slots() does */
static bool capture_fields(struct capture *cap, const char *field)
{
	unsigned long base = capture_slot('a', cap->fregs);
	unsigned int nr = cap->nr;

	/* They are the kernel's */
	if (base < TASK_SIZE_MAX)
		return false;

	for (; *field != ')'; field++) {
		if (*field == '*' || *field == '#') {
			cap->strings |= BIT(nr);
			if (*field == '#')
				cap->buffers |= BIT(nr);
			continue;
		}
		if (nr == ARG_SIGS_MAX_LONGS ||
		    !read_field(&cap->longs[nr], *field, base))
			return false;
		nr++;
	}
	cap->nr = nr;
	return true;
}

/*
 * Copy what is at @from, @size bytes of it, to the end of its page at most.  A
 * string ends before a zero byte as well.  Each byte is read once: whatever
 * happens to them meanwhile, what was copied is what is there.
 *
 * Returns how many bytes there are, -1 if they have gone.
 */
static __always_inline int copy_bytes(u8 *to, const u8 *from,
				      unsigned int size, const bool string)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word = 0, zeros, good = 1;
	unsigned int len = 0;

	for (; len + sizeof(word) <= size; len += sizeof(word)) {
		trace_read_word(&word, from + len, &good);
		put_unaligned(word, (unsigned long *)(to + len));
		if (string && has_zero(word, &zeros, &constants)) {
			zeros = prep_zero_mask(word, zeros, &constants);
			len += find_zero(create_zero_mask(zeros));
			return good ? len : -1;
		}
	}
	for (; len < size; len++) {
		trace_read_byte(&word, from + len, &good);
		if (string && !(u8)word)
			break;
		to[len] = word;
	}
	return good ? len : -1;
}

/*
 * Capture what is at @from, @max bytes of it at most: a string, with room for
 * one byte more, or a buffer of @size bytes.  Returns its header.
 */
static __always_inline unsigned int
capture_bytes(u8 *to, unsigned long from, unsigned int max, unsigned long size,
	      const bool string)
{
	/* The byte behind tells whether a string is longer */
	unsigned int end = string ? max + 1 : min_t(unsigned long, size, max);
	unsigned int len = 0;

	if (IS_ERR_OR_NULL((void *)from))
		return ARG_STRING_UNREAD;
	while (len < end) {
		unsigned int left = PAGE_SIZE - offset_in_page(from + len);
		const u8 *page = trace_readable(from + len);
		int copied = -1;

		left = min(left, end - len);
		if (page)
			copied = copy_bytes(to + len, page, left, string);
		if (copied < 0)
			return len ? min(len, max) | ARG_STRING_CUT :
				     ARG_STRING_UNREAD;
		len += copied;
		if (string && copied < left)
			return len;
	}
	if (string)
		return max | ARG_STRING_CUT;
	return len < size ? len | ARG_STRING_CUT : len;
}

/* Capture the strings to @pos, each of @max bytes at most; returns their end */
static u8 *capture_strings(struct capture *cap, u8 *pos, unsigned int max)
{
	/* There is room for the headers of those that have none for more */
	u8 *end = pos + FUNC_ARGS_MAX_STRINGS -
		  hweight32(cap->strings) * sizeof(u16);
	u32 strings;

	for (strings = cap->strings; strings; strings &= strings - 1) {
		unsigned int i = __ffs(strings), left = end - pos, header;

		end += sizeof(u16);
		left = min(left, max);
		if (cap->buffers & BIT(i))
			header = capture_bytes(pos + sizeof(u16), cap->longs[i],
					       left, cap->longs[i + 1], false);
		else
			header = capture_bytes(pos + sizeof(u16), cap->longs[i],
					       left, 0, true);
		put_unaligned((u16)header, (u16 *)pos);
		pos += sizeof(u16);
		if (header != ARG_STRING_UNREAD)
			pos += header & ~ARG_STRING_CUT;
	}
	return pos;
}

/* Capture longs and strings; returns their bytes, a multiple of a long's */
static unsigned int capture_call(struct capture *cap, const char *sig,
				 unsigned int string_size)
{
	const char *end;
	u8 *pos;

	cap->strings = 0;
	cap->buffers = 0;
	/* Behind the "(": what has no list is not captured here */
	end = capture_slots(cap, sig + 1);
	if (!end || (*end == '|' && !capture_fields(cap, end + 1)))
		return 0;

	pos = (u8 *)(cap->longs + cap->nr);
	if (!cap->strings || !string_size)
		return pos - cap->tail;
	pos = capture_strings(cap, pos, string_size);
	put_unaligned(0UL, (unsigned long *)pos);
	return ALIGN(pos - cap->tail, sizeof(long));
}

/**
 * call_args_capture - read what is to be recorded of a call's arguments
 * @args: what was read
 * @tr: the trace instance
 * @ref: the reference to the function's signature
 * @slot: its slot if it is a module's, NULL if it is the image's
 * @fregs: the registers at the function's entry; without them, no arguments
 *
 * For what can_capture_direct() refuses. Any context, NMI too, with preemption
 * disabled until call_args_release(), which always has to follow.
 */
void call_args_capture(struct call_args *args, struct trace_array *tr, u32 ref,
		       const struct arg_sig_module_slot *slot,
		       struct ftrace_regs *fregs)
{
	unsigned int nesting = this_cpu_inc_return(call_args_nesting) - 1;
	const char *text = slot ? slot->text : __start_arg_sigs_str;
	unsigned long flags, recursion;
	struct capture *cap;

	args->slot = slot;
	args->size = 0;
	if (slot)
		args->set = slot->id;
	args->data = &args->set;
	if (likely(fregs && ref && nesting < CAPTURE_NESTING)) {
		cap = &(*this_cpu_ptr(&captures))[nesting];
		cap->fregs = fregs;
		recursion = begin_reading(&flags);
		args->size = capture_call(cap, arg_sig_ref_text(text, ref),
					  READ_ONCE(tr->func_args_string_size));
		end_reading(recursion, flags);
		args->data = cap->tail;
		if (slot)
			*(u32 *)(cap->tail + args->size) = slot->id;
	}
	if (slot)
		args->size += sizeof(slot->id);
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
