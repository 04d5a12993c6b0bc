/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capture of what most calls have besides longs: one string, or numbers that pointers
 * point to
 *
 * All of it is inline, because most calls that are not only longs are such calls.
 */
#ifndef _TRACE_ARGS_NUMBERS_H
#define _TRACE_ARGS_NUMBERS_H

#include "capture.h"
#include "text.h"

#ifdef CONFIG_FUNCTION_ARG_SIGS

/* Maximum bytes of a string or of values after the longs, with zeros that may follow */
#define CAPTURE_TAIL_SIZE	(sizeof(u16) + sizeof(u64) + \
				 MAX(FUNC_ARGS_MAX_STRING_SIZE + 1, FUNC_ARGS_MAX_READS))

/* Find where a page can be read that stays readable; returns NULL for other pages */
static __always_inline const void *capture_staying(unsigned long addr)
{
	/* The stack of the current task stays mapped */
	if (likely(trace_readable_always(addr)) ||
	    addr - (unsigned long)current->stack < THREAD_SIZE)
		return (const void *)addr;
	/* Interrupts are off, so each page stays. x86 has few such reads: capture_any_word() */
	if (TRACE_READABLE_ALWAYS || !capture_is_on_side(addr, false))
		return NULL;
	return capture_readable(addr);
}

/**
 * capture_word - read a number in the kernel or in user space
 * @val: set to the number; the bytes above @size are undefined
 * @addr: any address
 * @size: the size of the number in bytes, at most 8
 * @user: whether the number is expected in user space
 * @known: the page that was read last
 *
 * Any context, between capture_begin() and capture_end().
 *
 * Return: whether the number could be read.
 */
static __always_inline bool
capture_word(unsigned long *val, unsigned long addr, unsigned int size, bool user,
	     struct captured_page *known)
{
	unsigned long any, bad = 0;
	const void *from;

	if (unlikely(user || offset_in_page(addr) > PAGE_SIZE - sizeof(*val)))
		goto any;
	if ((addr & PAGE_MASK) != known->page) {
		from = capture_staying(addr);
		if (unlikely(!from))
			goto any;
		known->page = addr & PAGE_MASK;
		known->place = from - offset_in_page(addr);
	}
	trace_read_word(val, known->place + offset_in_page(addr), &bad);
	return !bad;
any:
	bad = !capture_any_word(&any, addr, size, user);
	*val = any;
	return !bad;
}

/*
 * Read a number. An address in the direct map is neither an error nor a per-CPU pointer
 */
static __always_inline bool capture_number_plain(unsigned long *val, unsigned long addr)
{
	unsigned long bad = 0;

	if (!trace_readable_always(addr) || offset_in_page(addr) > PAGE_SIZE - sizeof(*val))
		return false;
	trace_read_word(val, (const void *)addr, &bad);
	return likely(!bad);
}

/*
 * Capture the value of kind @kind that @from, the long @index, points to; see
 * ARG_READ_SHIFT. @stack is the task's stack, and @lowest is the lowest address that may
 * be read. Returns the end of the captured bytes, after which eight more bytes may be
 * written.
 */
static __always_inline u8 *capture_value(u8 *pos, unsigned long from,
					 unsigned int index, unsigned int kind,
					 unsigned long stack,
					 unsigned long lowest)
{
	unsigned long word = 0, any, size = 1UL << (kind - 1);

	from = trace_untagged(from);
	/*
	 * Most pointers to numbers point to variables of the caller. The stack of the
	 * current task is memory and stays mapped.
	 */
	if (likely(from - stack <= THREAD_SIZE - sizeof(word))) {
		word = READ_ONCE_NOCHECK(*(unsigned long *)from);
	} else if (unlikely(!capture_number_plain(&word, from))) {
		if (from < lowest || IS_ERR_VALUE(from) || capture_is_per_cpu(from))
			return pos;
		if (!capture_any_word(&any, from, size, from < TASK_SIZE_MAX)) {
			*pos = index << ARG_READ_SHIFT | ARG_READ_FAILED;
			return pos + 1;
		}
		word = any;
	}
	put_unaligned(word, (unsigned long *)(pos + 1));
	*pos = index << ARG_READ_SHIFT | kind;
	return pos + 1 + size;
}

/* Note a number of kind @kind that was captured at @pos and that the call may change */
static __always_inline void note_number(struct call_results *results, unsigned long addr,
					unsigned int kind, const u8 *pos)
{
	unsigned int nr = results->nr;

	if (unlikely(nr == CALL_NUMBERS_MAX))
		return;
	results->addrs[nr] = addr;
	results->vals[nr] = (*pos & ARG_READ_KIND) == ARG_READ_FAILED ?
			    kind : get_unaligned((const unsigned long *)(pos + 1));
	results->headers[nr] = *pos;
	results->nr = nr + 1;
}

/* Write the header that values follow if no string precedes them: see arg_slots_strings() */
static __always_inline u8 *put_values_header(u8 *pos)
{
	put_unaligned((u16)ARG_STRING_UNREAD, (u16 *)pos);
	return pos + sizeof(u16);
}

/*
 * Capture the values that longs point to, by the list of reads @reads, which is not empty: first
 * numbers, then objects. The longs beginning with long @fields are a system call's own
 * parameters, which are addresses of user space. Another parameter with an address of user space
 * is not read, because the parameter may be a per-CPU pointer. If @in_regs is true, the longs
 * are the argument registers of @fregs, and are not in @longs yet. If @results is not NULL, it
 * gets the numbers that the call may change. @max is the maximum number of bytes of a string.
 * Returns the end of the captured bytes.
 */
static __always_inline u8 *capture_values(u8 *pos, unsigned long *longs,
					  unsigned int nr, unsigned int fields,
					  const char *reads, unsigned long max,
					  const bool in_regs, struct ftrace_regs *fregs,
					  struct call_results *results)
{
	unsigned long stack = (unsigned long)current->stack;
	u8 *all = pos;

	do {
		/* The letter of a register is that of the long */
		unsigned int index = in_regs ? (u8)(reads[1] - 'a') : arg_read_long(reads[1]);
		unsigned int kind = arg_read_kind(reads[2]);
		u8 *begin = pos;
		unsigned long from;

		if (!kind) {
			if (in_regs)
				capture_regs(longs, nr, fregs);
			return capture_digests(pos, all, longs, nr, reads, max);
		}
		if (unlikely(index >= nr))
			continue;
		from = in_regs ? trace_args_value(index, fregs) : longs[index];
		pos = capture_value(pos, from, index, kind, stack,
				    index < fields ? TASK_SIZE_MAX : 1);
		if (results && pos > begin && !arg_read_is_const(reads[2]))
			note_number(results, from, kind, begin);
	} while (reads += 3, *reads == '*');
	return pos;
}

/**
 * capture_values_of_regs - capture the values that argument registers point to
 * @pos: where the data goes; there is room for CAPTURE_TAIL_SIZE bytes
 * @longs: the registers, or room for them if @in_regs is true
 * @nr: number of @longs
 * @sig: the signature; it has no list, because all longs are in registers
 * @max: maximum bytes of a string
 * @in_regs: whether the registers are not in @longs yet; @results is NULL then
 * @fregs: the registers at the function's entry
 * @results: gets the data that the call's return needs, or NULL
 *
 * Any context, including NMI, with preemption disabled.
 *
 * Return: the end of the captured bytes.
 */
static __always_inline u8 *
capture_values_of_regs(u8 *pos, unsigned long *longs, unsigned int nr, const char *sig,
		       unsigned long max, const bool in_regs, struct ftrace_regs *fregs,
		       struct call_results *results)
{
	const char *reads = sig + nr + strlen("()");
	unsigned long recursion, flags;

	if (results)
		note_results(results, longs, nr, reads, max);
	if (unlikely(*reads != '*'))
		return pos;
	recursion = capture_begin(&flags);
	pos = capture_values(put_values_header(pos), longs, nr, nr, reads, max, in_regs, fregs,
			     results);
	capture_end(recursion, flags);
	return pos;
}

/* Capture the string at @from */
static __always_inline u8 *capture_text_of_regs(u8 *pos, unsigned long from, unsigned long max)
{
	unsigned long recursion, flags;

	if (!max)
		return pos;
	recursion = capture_begin(&flags);
	pos = capture_string(pos, from, max);
	capture_end(recursion, flags);
	return pos;
}

#endif /* CONFIG_FUNCTION_ARG_SIGS */
#endif /* _TRACE_ARGS_NUMBERS_H */
