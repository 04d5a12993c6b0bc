// SPDX-License-Identifier: GPL-2.0
/*
 * What is recorded of a call's arguments where its event's size is not known
 * before they are read: strings, the registers of a system call, words of the
 * stack that may not be there
 *
 * It runs in any context, at the entry of any function.  So it must not fault,
 * and must not call what can be traced: kernel/trace is built without it, and
 * of others' there are inline functions only, also where that means to have the
 * test of a function of mm/ here again.
 */
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/uaccess.h>

#include <asm/tlbflush.h>
#include <asm/vsyscall.h>
#include <asm/word-at-a-time.h>

#include "trace.h"
#include "trace_args_capture.h"

/* As deep as one call's capture can interrupt another's: softirq, irq, NMI */
#define CAPTURE_NESTING		4

/**
 * struct capture - a call while its arguments are captured
 * @fregs: the registers at its entry
 * @nr: how many of @longs are captured
 * @strings: a bit for each of @longs that points to a string
 * @longs: what goes behind the event's fields
 * @tail: strings, padding and set, right behind the longs that there are
 */
struct capture {
	struct ftrace_regs	*fregs;
	unsigned int		nr;
	u32			strings;
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

/* Kernel addresses that may be read if a fault is handled, @size bytes */
static __always_inline bool kernel_range(unsigned long addr, unsigned int size)
{
	/* copy_from_kernel_nofault_allowed() */
	return addr >= TASK_SIZE_MAX + PAGE_SIZE &&
	       !is_vsyscall_vaddr(addr) && !is_vsyscall_vaddr(addr + size) &&
	       __is_canonical_address(addr, boot_cpu_data.x86_virt_bits);
}

/* Whether user addresses are those of the current task */
static __always_inline bool user_loaded(void)
{
	/* nmi_uaccess_okay(); kernel threads have others' loaded */
	return this_cpu_read(cpu_tlbstate.loaded_mm) == current->mm;
}

static __always_inline bool read_word(unsigned long *val, unsigned long addr)
{
	__get_kernel_nofault(val, (unsigned long *)addr, unsigned long, failed);
	return true;
failed:
	return false;
}

/*
 * Word @n of the stack from the return address, which is on the same stack: that
 * is aligned to its size or does not end before the next boundary.
 */
static __always_inline bool read_stack(unsigned long *val, unsigned int n,
				       const struct pt_regs *regs)
{
	unsigned long addr = regs->sp + n * sizeof(long);

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
		if (*slot == '*')
			cap->strings |= BIT(nr);
		else if (place >= 0)
			cap->longs[nr++] = capture_slot(*slot, cap->fregs);
		else if (!read_stack(&cap->longs[nr++], place - S8_MIN, regs))
			return NULL;
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
	if (word >= sizeof(struct pt_regs) / sizeof(long) ||
	    !read_word(val, base + word * sizeof(long)))
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

	if (!kernel_range(base, sizeof(struct pt_regs)))
		return false;

	for (; *field != ')'; field++) {
		if (*field == '*') {
			cap->strings |= BIT(nr);
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
 * Copy a string, and no more than @max bytes of it.  Each byte is read once:
 * whatever happens to the string meanwhile, what was copied is what is there.
 * What follows can be read or faults; the caller has seen to that.
 *
 * Returns the header of what was copied.
 */
static __always_inline unsigned int
copy_string(u8 *to, const char *from, unsigned int max)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, zeros;
	unsigned int len = 0;
	char c;

	for (; len + sizeof(word) <= max; len += sizeof(word)) {
		__get_kernel_nofault(&word, (unsigned long *)(from + len),
				     unsigned long, bytes);
		put_unaligned(word, (unsigned long *)(to + len));
		if (has_zero(word, &zeros, &constants)) {
			zeros = prep_zero_mask(word, zeros, &constants);
			return len + find_zero(create_zero_mask(zeros));
		}
	}
bytes:
	for (;; len++) {
		__get_kernel_nofault(&c, from + len, char, failed);
		if (!c)
			return len;
		if (len == max)
			return len | ARG_STRING_CUT;
		to[len] = c;
	}
failed:
	return len ? len | ARG_STRING_CUT : ARG_STRING_UNREAD;
}

static unsigned int copy_user_string(u8 *to, unsigned long from,
				     unsigned int max)
{
	unsigned int header = ARG_STRING_UNREAD;
	const char __user *str = (const char __user *)from;

	if (!user_loaded())
		return header;
	pagefault_disable();
	if (user_access_begin(str, 1)) {
		header = copy_string(to, (__force const char *)str, max);
		user_access_end();
	}
	pagefault_enable();
	return header;
}

static unsigned int capture_string(u8 *to, unsigned long from, unsigned int max)
{
	if (IS_ERR_OR_NULL((void *)from))
		return ARG_STRING_UNREAD;
	if ((long)from >= 0)
		return copy_user_string(to, from, max);
	if (!kernel_range(from, max))
		return ARG_STRING_UNREAD;
	return copy_string(to, (const char *)from, max);
}

/* Capture the strings to @pos, each of @max bytes at most; returns their end */
static u8 *capture_strings(struct capture *cap, u8 *pos, unsigned int max)
{
	u8 *end = pos + FUNC_ARGS_MAX_STRINGS;
	unsigned long strings = cap->strings;
	unsigned int i;

	/* There is room for the headers of those that have none for more */
	end -= hweight32(cap->strings) * sizeof(u16);
	for_each_set_bit(i, &strings, ARG_SIGS_MAX_LONGS) {
		unsigned int header;

		end += sizeof(u16);
		header = capture_string(pos + sizeof(u16), cap->longs[i],
					min_t(unsigned int, max,
					      end - pos - sizeof(u16)));
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
	/* Behind the "(": what has no list is not captured here */
	end = capture_slots(cap, sig + 1);
	if (!end || (*end == '|' && !capture_fields(cap, end + 1)))
		return 0;

	pos = (u8 *)(cap->longs + cap->nr);
	if (!cap->strings || !string_size)
		return pos - cap->tail;
	pos = capture_strings(cap, pos, string_size);
	while ((pos - cap->tail) % sizeof(long))
		*pos++ = 0;
	return pos - cap->tail;
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
	struct capture *cap;

	args->slot = slot;
	args->size = 0;
	if (slot)
		args->set = slot->id;
	args->data = &args->set;
	if (likely(fregs && ref && nesting < CAPTURE_NESTING)) {
		cap = &(*this_cpu_ptr(&captures))[nesting];
		cap->fregs = fregs;
		args->size = capture_call(cap, arg_sig_ref_text(text, ref),
					  READ_ONCE(tr->func_args_string_size));
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
