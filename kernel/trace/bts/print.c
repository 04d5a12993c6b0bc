// SPDX-License-Identifier: GPL-2.0
/*
 * The bts tracer: reading the trace, and printing a line for each branch of a block
 */
#include <linux/buildid.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "../trace.h"
#include "bts.h"
#include "codec.h"
#include "../trace_output.h"

/**
 * struct bts_reader - the state of a file of the trace that is being read
 * @dec: the position after the branch that was read last
 * @cpu: the CPU of the branch that was read last
 * @lines: number of branches of the block that have been read
 * @first: the number of the block's first branch
 * @next: for each CPU, the number of the expected next branch
 */
struct bts_reader {
	struct bts_decoder	dec;
	int			cpu;
	unsigned int		lines;
	u64			first;
	u64 __percpu		*next;
};

/**
 * struct bts_found - a branch that is to be printed
 * @from: the branch's instruction
 * @to: the branch's target
 * @left: number of branches that follow in the block
 * @note: text after the branch
 */
struct bts_found {
	u64			from;
	u64			to;
	unsigned int		left;
	const char		*note;
};

/*
 * The reader of ftrace_dump(), which cannot allocate a reader. There is one dump at a
 * time, with interrupts off. NULL until an instance has the bts or step tracer, or
 * funcgraph-lbr. It stays, because a dump may be using it.
 */
static struct bts_reader *bts_dump_reader;

static struct bts_reader *bts_alloc_reader(void)
{
	struct bts_reader *reader = kvzalloc(sizeof(*reader), GFP_KERNEL);

	if (!reader)
		return NULL;
	reader->next = alloc_percpu(u64);
	if (!reader->next) {
		kvfree(reader);
		return NULL;
	}
	reader->first = -1;
	return reader;
}

/* No branch has been read */
static void bts_reset_reader(struct bts_reader *reader)
{
	u64 *next;
	int cpu;

	for_each_possible_cpu(cpu) {
		next = per_cpu_ptr(reader->next, cpu);
		*next = 0;
	}
	reader->first = -1;
}

static void bts_free_reader(struct bts_reader *reader)
{
	if (!reader)
		return;
	free_percpu(reader->next);
	kvfree(reader);
}

/**
 * bts_alloc_dump - allocate the reader of ftrace_dump() unless there is one
 *
 * Return: 0 or -ENOMEM.
 */
int bts_alloc_dump(void)
{
	if (!bts_dump_reader)
		WRITE_ONCE(bts_dump_reader, bts_alloc_reader());
	return bts_dump_reader ? 0 : -ENOMEM;
}

/**
 * bts_open - write the branches in the CPUs' buffers, and begin to read the trace
 * @iter: the reader
 *
 * ftrace_dump() calls this function as well, with interrupts off. The branches in the
 * buffers have been written before the dump.
 */
void bts_open(struct trace_iterator *iter)
{
	struct bts_reader *reader;

	if (!irqs_disabled()) {
		bts_flush(iter->tr, false);
		iter->private = bts_alloc_reader();
		return;
	}
	bts_write_last();
	reader = READ_ONCE(bts_dump_reader);
	if (reader)
		bts_reset_reader(reader);
	iter->private = reader;
}

/**
 * bts_close - end reading the trace
 * @iter: the reader
 */
void bts_close(struct trace_iterator *iter)
{
	struct bts_reader *reader = iter->private;

	iter->private = NULL;
	if (reader != READ_ONCE(bts_dump_reader))
		bts_free_reader(reader);
}

/*
 * Find the state of the reader. NULL if it has none, or if another tracer prints the rest
 * of the trace
 */
static struct bts_reader *bts_get_reader(struct trace_iterator *iter)
{
	return iter->trace->open == bts_open ? iter->private : NULL;
}

static struct bts_decoder *bts_dump_decoder(void)
{
	struct bts_reader *reader = READ_ONCE(bts_dump_reader);

	return reader ? &reader->dec : NULL;
}

/*
 * Find the branch of the line iter->line of the entry. Sets @found to the branch and the
 * number of branches that are left. Returns false if the block is malformed, or if there is no
 * memory; then the note says why.
 */
static bool bts_find_branch(struct trace_iterator *iter,
			    struct bts_found *found)
{
	struct bts_reader *reader = bts_get_reader(iter);
	bool allocated = !reader && !irqs_disabled();
	unsigned int lines = 0, size;
	struct bts_decoder *dec;
	struct bts_entry *entry;
	int ret = 1;

	*found = (struct bts_found){ .note = "no memory" };
	/* ftrace_dump() may print another tracer's events, and must not allocate */
	if (allocated)
		dec = kmalloc(sizeof(*dec), GFP_NOWAIT);
	else
		dec = reader ? &reader->dec : bts_dump_decoder();
	if (!dec)
		return false;
	found->note = "not a block of branches";
	trace_assign_type(entry, iter->ent);
	size = iter->ent_size - sizeof(*entry);
	/* Continue from the reader's position if it is in this block */
	if (reader && iter->line && reader->first == entry->first && reader->cpu == iter->cpu &&
	    reader->lines <= iter->line + 1 &&
	    reader->dec.end == entry->data + size)
		lines = reader->lines;
	else
		bts_decode_start(dec, entry->data, size, entry->nr, entry->version);
	for (; ret == 1 && lines <= iter->line; lines++)
		ret = bts_decode(dec);
	if (reader) {
		reader->cpu = iter->cpu;
		reader->lines = ret == 1 ? lines : UINT_MAX;
		reader->first = entry->first;
	}
	found->from = dec->from;
	found->to = dec->to;
	found->left = ret == 1 ? dec->left : 0;
	if (ret == 1)
		found->note = dec->predicted ? "" : " (mispredicted)";
	if (allocated)
		kfree(dec);
	return ret == 1;
}

/* Print a line for each reason why branches are missing before a block */
static void bts_print_before(struct trace_iterator *iter, struct bts_reader *reader)
{
	struct trace_seq *s = &iter->seq;
	struct bts_entry *entry;
	u64 next;

	trace_assign_type(entry, iter->ent);
	next = reader ? *per_cpu_ptr(reader->next, iter->cpu) : entry->first;
	if (entry->first > next)
		trace_seq_printf(s, next ? "CPU:%d [LOST %llu BRANCHES]\n" :
				 "CPU:%d [%llu BRANCHES BEFORE THIS]\n", iter->cpu,
				 entry->first - next);
	if (entry->marks & BTS_MARK_DROPPED)
		trace_seq_printf(s, "CPU:%d [BRANCHES DROPPED BY THE CPU]\n", iter->cpu);
	if (entry->marks & BTS_MARK_PAUSED)
		trace_seq_printf(s, "CPU:%d [PAUSED BY THE BUDGET]\n", iter->cpu);
	if (entry->marks & BTS_MARK_GAP)
		trace_seq_printf(s, "CPU:%d [GAP]\n", iter->cpu);
}

/* Print the task, the CPU and the time */
static void bts_print_context(struct trace_iterator *iter)
{
	struct trace_seq *s = &iter->seq;
	char comm[TASK_COMM_LEN];

	/*
	 * Print no flags, because the flags at the time of the drain are not the
	 * branches' flags
	 */
	trace_find_cmdline(iter->ent->pid, comm);
	trace_seq_printf(s, "%16s-%-7d ", comm, iter->ent->pid);
	trace_seq_printf(s, "[%03d] ", iter->cpu);
	if (iter->iter_flags & TRACE_FILE_TIME_IN_NS) {
		u64 usecs = ns2usecs(iter->ts);
		u32 rem = do_div(usecs, USEC_PER_SEC);

		trace_seq_printf(s, "%5llu.%06u: ", usecs, rem);
	} else {
		trace_seq_printf(s, "%12llu: ", iter->ts);
	}
}

/*
 * Find the text that an address of a block belongs to, and set @ip to the text's address
 * now. Returns false if the address is no address of the kernel, or belongs to other code
 * now.
 */
static bool bts_find_text(struct trace_iterator *iter, u64 addr, unsigned long *ip)
{
	struct bts_entry *entry;

	*ip = trace_adjust_address(iter->tr, addr);
	/* Modules of an earlier boot are not known */
	if (trace_array_last_boot(iter->tr))
		return __is_kernel_text(*ip);
	trace_assign_type(entry, iter->ent);
	return bts_address_valid(*ip, entry->modules);
}

static void bts_print_kernel(struct trace_iterator *iter, unsigned long addr,
			     unsigned long flags)
{
	unsigned long ip, size, offset;
	struct trace_seq *s = &iter->seq;
	char symbol[KSYM_NAME_LEN];
	const char *name = NULL;
	char *module = NULL;

	/*
	 * The module may be unloaded meanwhile, but its name stays until the end of the
	 * RCU read section
	 */
	guard(rcu)();
	if (bts_find_text(iter, addr, &ip))
		name = kallsyms_lookup(ip, &size, &offset, &module, symbol);
	if (!name) {
		trace_seq_printf(s, "0x%lx", addr);
		return;
	}
	trace_seq_printf(s, "%s+0x%lx", name, offset);
	if (module)
		trace_seq_printf(s, " [%s]", module);
	if (flags & TRACE_ITER(SYM_ADDR))
		trace_seq_printf(s, " <%lx>", addr);
}

static struct mm_struct *bts_get_mm(struct trace_iterator *iter)
{
	struct mm_struct *mm = NULL;
	struct task_struct *task;

	if (!(iter->tr->trace_flags & TRACE_ITER(SYM_USEROBJ)))
		return NULL;
	rcu_read_lock();
	task = find_task_by_pid_ns(iter->ent->pid, &init_pid_ns);
	if (task)
		mm = get_task_mm(task);
	rcu_read_unlock();
	return mm;
}

/* Do the same as seq_print_user_ip(), but only if the address is in the mapping */
static bool bts_print_file(struct trace_seq *s, struct mm_struct *mm,
			   unsigned long addr)
{
	struct vm_area_struct *vma;
	bool found = false;

	mmap_read_lock(mm);
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file) {
		trace_seq_path(s, file_user_path(vma->vm_file));
		trace_seq_printf(s, "[+0x%lx]", addr - vma->vm_start);
		found = true;
	}
	mmap_read_unlock(mm);
	return found;
}

static void bts_print_user(struct trace_iterator *iter, unsigned long addr,
			   unsigned long flags)
{
	struct mm_struct *mm = bts_get_mm(iter);
	bool found = false;

	if (mm) {
		found = bts_print_file(&iter->seq, mm, addr);
		mmput(mm);
	}
	if (!found)
		trace_seq_printf(&iter->seq, "0x%lx", addr);
	else if (flags & TRACE_ITER(SYM_ADDR))
		trace_seq_printf(&iter->seq, " <%lx>", addr);
}

static void bts_print_address(struct trace_iterator *iter, u64 addr, unsigned long flags)
{
	if ((s64)addr < 0)
		bts_print_kernel(iter, addr, flags);
	else
		bts_print_user(iter, addr, flags);
}

static enum print_line_t bts_print_end(struct trace_iterator *iter,
				       const struct bts_found *found)
{
	struct bts_reader *reader = bts_get_reader(iter);
	struct bts_entry *entry;

	trace_assign_type(entry, iter->ent);
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;
	if (found->left)
		return TRACE_TYPE_MORE_LINES;
	if (reader)
		*per_cpu_ptr(reader->next, iter->cpu) = entry->first + entry->nr;
	return TRACE_TYPE_HANDLED;
}

/* Print one branch in the form that the tracer and print_fmt have */
static enum print_line_t bts_print_branch(struct trace_iterator *iter,
					  unsigned long flags)
{
	struct trace_seq *s = &iter->seq;
	struct bts_found found;

	if (!bts_find_branch(iter, &found)) {
		trace_seq_printf(s, "[%s]\n", found.note);
		return bts_print_end(iter, &found);
	}
	bts_print_address(iter, found.from, flags);
	trace_seq_puts(s, " -> ");
	bts_print_address(iter, found.to, flags);
	trace_seq_printf(s, "%s\n", found.note);
	return bts_print_end(iter, &found);
}

/**
 * bts_print_line - print a line of a block, and the notes before the first line
 * @iter: the reader, which has the number of the line
 *
 * Return: TRACE_TYPE_MORE_LINES unless the line is the last line of the block.
 */
enum print_line_t bts_print_line(struct trace_iterator *iter)
{
	struct bts_reader *reader = bts_get_reader(iter);
	unsigned long flags = iter->tr->trace_flags;

	/* A reader of the file "trace" that seeks begins again. Other readers never have index 0 */
	if (reader && !iter->idx && !iter->line)
		bts_reset_reader(reader);
	if (iter->ent->type != TRACE_BTS)
		return TRACE_TYPE_UNHANDLED;
	if (flags & (TRACE_ITER(BIN) | TRACE_ITER(HEX) | TRACE_ITER(RAW) |
		     TRACE_ITER(FIELDS)))
		return TRACE_TYPE_UNHANDLED;
	if (!iter->line)
		bts_print_before(iter, reader);
	if (flags & TRACE_ITER(CONTEXT_INFO))
		bts_print_context(iter);
	return bts_print_branch(iter, flags & TRACE_ITER_SYM_MASK);
}

/**
 * bts_print_header - print the header of the columns
 * @m: the file
 */
void bts_print_header(struct seq_file *m)
{
	seq_puts(m, "# Timestamps: when the block of a branch was drained\n#\n");
	seq_puts(m, "#           TASK-PID     CPU#    TIMESTAMP  FROM -> TO\n");
	seq_puts(m, "#              | |         |         |         |\n");
}

static enum print_line_t bts_event_trace(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	return bts_print_branch(iter, flags);
}

static enum print_line_t bts_event_raw(struct trace_iterator *iter, int flags,
				       struct trace_event *event)
{
	struct bts_found found;

	if (bts_find_branch(iter, &found))
		trace_seq_printf(&iter->seq, "%llx %llx%s\n", found.from, found.to, found.note);
	return bts_print_end(iter, &found);
}

static struct trace_event_functions bts_event_funcs = {
	.trace		= bts_event_trace,
	.raw		= bts_event_raw,
};

static struct trace_event bts_event = {
	.type		= TRACE_BTS,
	.funcs		= &bts_event_funcs,
};

/*
 * Add the kernel's build ID to the format of the event, as an argument that is not
 * printed.  Recorders save the format.  So a reader can tell whether a vmlinux belongs to
 * the branches.
 */
static void __init bts_add_build_id(void)
{
	unsigned char id[BUILD_ID_SIZE_MAX] = { };
	struct trace_event_call *call;
	char *format;

	if (build_id_parse_buf(__start_notes, id, __stop_notes - __start_notes))
		return;
	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (call->event.type != TRACE_BTS)
			continue;
		format = kasprintf(GFP_KERNEL, "%s, \"build-id:%*phN\"",
				   call->print_fmt, BUILD_ID_SIZE_MAX, id);
		if (format)
			call->print_fmt = format;
		return;
	}
}

/**
 * bts_register_event - register the event for a block of branches
 *
 * Return: the type of the event, or 0.
 */
int __init bts_register_event(void)
{
	bts_add_build_id();
	return register_trace_event(&bts_event);
}
