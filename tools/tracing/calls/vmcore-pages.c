// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffers of a crash dump
 *
 * A reader of the kernel takes the reader page first, then the pages from the head page to the
 * commit page.  The pages of a CPU are a ring, and the lowest bits of a pointer to the next page
 * mark the head page.  See Documentation/trace/ring-buffer-design.rst.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

/* Say that a part of a dump cannot be read, and why */
void vmcore_damaged(struct vmcore *core, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	complain("%s: %s", core->dump.name, text);
	core->damaged = true;
}

/* The marks of a pointer to the head page */
#define RB_FLAG_MASK		3ULL

/* The part of a page's size that is the size */
#define RB_WRITE_MASK		0xfffffULL

/* No kernel has more CPUs */
#define MAX_CPUS		0x10000

static bool take_page(struct vmcore *core, u64 page, const char *name, u64 *val)
{
	return dump_take(&core->dump, page, "buffer_page", name, val);
}

/* Read the number of bytes of events in a page, and whether events were lost before it */
static bool page_events(struct vmcore *core, u64 page, u64 *addr, u64 *size, bool *missed)
{
	u64 end;

	if (!take_page(core, page, "page", addr) ||
	    !dump_take(&core->dump, *addr, "buffer_data_page", "commit", size))
		return false;
	*missed = *size & PAGE_MISSED;
	*size &= RB_WRITE_MASK;
	if (*size > core->page_size - core->data)
		return dump_fail(&core->dump, "the page at 0x%llx is larger than a page",
				 (unsigned long long)*addr);
	/* The rest of a page that the writer has left has no events */
	if (take_page(core, page, "real_end", &end) && end && end < *size)
		*size = end;
	return true;
}

/*
 * Add a page if it has events.  @lost is the number of events that were lost before the page, and
 * is set to those before the next page.
 *
 * At boot, the kernel removes the events of a damaged page of a persistent buffer, and marks the
 * page.  If a part of a page was read, the reader knows of the loss before the page.
 */
static bool add_page(struct vmcore *core, struct vmcore_cpu *cpu, u64 page, u64 from, u64 time,
		     u64 *lost)
{
	struct vmcore_page *new;
	u64 addr, to;
	bool missed;

	if (!page_events(core, page, &addr, &to, &missed))
		return false;
	if (missed && !from)
		*lost = VMCORE_LOST_UNKNOWN;
	if (from >= to)
		return true;
	new = array_add(&cpu->pages, &cpu->nr, sizeof(*new));
	*new = (struct vmcore_page){
		.addr = addr, .time = time, .from = from, .to = to, .lost = from ? 0 : *lost,
	};
	*lost = 0;
	return true;
}

/* Go to the next page of the ring */
static bool next_page(struct vmcore *core, u64 *page, bool *head)
{
	struct dump_member list;
	u64 next, prev, node;

	if (!dump_member(&core->dump, "buffer_page", "list", &list))
		return false;
	node = *page + list.offset;
	if (!dump_take(&core->dump, node, "list_head", "next", &next))
		return false;
	*head = next & RB_FLAG_MASK;
	next &= ~RB_FLAG_MASK;
	if (!dump_take(&core->dump, next, "list_head", "prev", &prev))
		return false;
	if (prev != node)
		return dump_fail(&core->dump, "the pages are not a ring after the page at 0x%llx",
				 (unsigned long long)*page);
	*page = next - list.offset;
	return true;
}

/* Find the head page, first where it was last */
static bool find_head(struct vmcore *core, u64 *page, u64 nr_pages)
{
	struct dump_member list;
	u64 from = *page, prev, i;
	bool head;

	if (!dump_member(&core->dump, "buffer_page", "list", &list) ||
	    !dump_take(&core->dump, *page + list.offset, "list_head", "prev", &prev))
		return false;
	*page = prev - list.offset;
	for (i = 0; i <= nr_pages; i++) {
		if (!next_page(core, page, &head))
			return false;
		if (head)
			return true;
	}
	return dump_fail(&core->dump, "no head page from the page at 0x%llx",
			 (unsigned long long)from);
}

/* Find the pages of a CPU.  The pages before a damaged page are kept. */
static bool read_cpu(struct vmcore *core, u64 addr, struct vmcore_cpu *cpu)
{
	u64 reader, commit, page, nr, from, time, lost, overrun, last, i;
	struct dump *dump = &core->dump;
	static const char type[] = "ring_buffer_per_cpu";
	bool head;

	if (!dump_take(dump, addr, type, "reader_page", &reader) ||
	    !dump_take(dump, addr, type, "commit_page", &commit) ||
	    !dump_take(dump, addr, type, "head_page", &page) ||
	    !dump_take(dump, addr, type, "nr_pages", &nr) ||
	    !dump_take(dump, addr, type, "read_stamp", &time) ||
	    !dump_take(dump, addr, type, "lost_events", &lost) ||
	    !dump_take(dump, addr, type, "overrun", &overrun) ||
	    !dump_take(dump, addr, type, "last_overrun", &last) ||
	    !take_page(core, reader, "read", &from) ||
	    !add_page(core, cpu, reader, from, time, &lost))
		return false;
	if (reader == commit)
		return true;
	if (lost != VMCORE_LOST_UNKNOWN)
		lost += overrun - last;
	if (!find_head(core, &page, nr))
		return false;
	for (i = 0; i <= nr; i++) {
		if (!add_page(core, cpu, page, 0, 0, &lost))
			return false;
		if (page == commit)
			return true;
		if (!next_page(core, &page, &head))
			return false;
	}
	return dump_fail(dump, "no commit page among %llu pages up to the page at 0x%llx",
			 (unsigned long long)nr, (unsigned long long)page);
}

/* Find out the layout of pages. The pages of all instances have one size in a recording. */
static bool find_layout(struct vmcore *core, u64 trace_buffer, u32 *page_size)
{
	struct dump *dump = &core->dump;
	struct dump_member member;
	u64 order;

	if (!dump_member(dump, "buffer_data_page", "time_stamp", &member))
		return false;
	core->time = member.offset;
	if (!dump_member(dump, "buffer_data_page", "commit", &member))
		return false;
	core->commit = member.offset;
	core->commit_size = member.size;
	if (!dump_member(dump, "buffer_data_page", "data", &member))
		return false;
	core->data = member.offset;
	/* Kernels before 6.8 do not have pages of several sizes */
	if (!dump_take(dump, trace_buffer, "trace_buffer", "subbuf_order", &order))
		order = 0;
	if (order > 8)
		return dump_fail(dump, "pages of order %llu", (unsigned long long)order);
	*page_size = 4096U << order;
	if (core->data >= 512 || core->time >= core->data || core->commit >= core->data ||
	    core->data - core->time < sizeof(u64) || core->commit_size > sizeof(u64) ||
	    !core->commit_size || core->data - core->commit < core->commit_size)
		return dump_fail(dump, "unknown members of a page");
	return true;
}

static bool read_buffer(struct vmcore *core, struct vmcore_buffer *buffer)
{
	struct dump *dump = &core->dump;
	u64 trace_buffer, cpus, addr, i;
	struct dump_member member;
	u32 page_size = 0;

	if (!dump_member(dump, "trace_array", "array_buffer", &member) ||
	    !dump_take(dump, buffer->array + member.offset, "array_buffer", "buffer",
		       &trace_buffer) ||
	    !find_layout(core, trace_buffer, &page_size) ||
	    !dump_take(dump, trace_buffer, "trace_buffer", "buffers", &cpus))
		return false;
	if (!core->page_size)
		core->page_size = page_size;
	if (page_size != core->page_size)
		return dump_fail(dump, "pages of another size than the top instance's");
	for (i = 0; i < core->nr_cpus; i++) {
		if (!dump_read(dump, cpus + i * sizeof(addr), &addr, sizeof(addr)))
			return false;
		/* A CPU that was never online has no buffer */
		if (addr && !read_cpu(core, addr, &buffer->cpus[i]))
			vmcore_damaged(core, "instance \"%s\", CPU %llu: %s", buffer->name,
				       (unsigned long long)i, dump->why);
	}
	return true;
}

static struct vmcore_buffer *add_buffer(struct vmcore *core, u64 array)
{
	struct vmcore_buffer *buffer = array_add(&core->buffers, &core->nr_buffers,
						 sizeof(*buffer));

	*buffer = (struct vmcore_buffer){
		.array = array, .cpus = xcalloc(core->nr_cpus, sizeof(*buffer->cpus)),
	};
	return buffer;
}

/*
 * Whether an instance's buffer still has the events of an earlier boot.  From 6.15 on a flag says
 * so, and in 6.12 with signatures a member.  Other kernels know it only if the image was moved.
 */
static bool has_last_boot(struct vmcore *core, u64 array)
{
	struct dump *dump = &core->dump;
	u64 flag, val;

	if (dump_constant(dump, "TRACE_ARRAY_FL_LAST_BOOT", &flag))
		return dump_take(dump, array, "trace_array", "flags", &val) && val & flag;
	if (dump_take(dump, array, "trace_array", "last_boot", &val))
		return val;
	return dump_take(dump, array, "trace_array", "text_delta", &val) && val;
}

/*
 * Leave out the events of earlier boots. The dump has the functions of the boot that crashed. An
 * earlier boot may have had other functions at their addresses.
 */
void vmcore_drop_last_boot(struct vmcore *core)
{
	struct vmcore_buffer *buffer;
	unsigned int i, cpu;
	bool any;

	for (i = 0; i < core->nr_buffers; i++) {
		buffer = &core->buffers[i];
		if (!buffer->last_boot)
			continue;
		any = false;
		for (cpu = 0; cpu < core->nr_cpus; cpu++) {
			any |= buffer->cpus[cpu].nr;
			buffer->cpus[cpu].nr = 0;
		}
		if (any)
			vmcore_damaged(core, "instance \"%s\": events of an earlier boot, left out",
				       buffer->name);
	}
}

/* The first buffer is that of the top instance, whose name is not shown */
static void read_instance(struct vmcore *core, u64 array)
{
	struct vmcore_buffer *buffer = add_buffer(core, array);
	struct dump *dump = &core->dump;
	u64 name;

	if (core->nr_buffers == 1)
		buffer->name = xstrdup("");
	else if (dump_take(dump, array, "trace_array", "name", &name))
		buffer->name = dump_string(dump, name);
	if (!buffer->name) {
		vmcore_damaged(core, "an instance has no name: %s", dump->why);
		buffer->name = xstrdup("?");
	}
	buffer->last_boot = has_last_boot(core, array);
	if (!read_buffer(core, buffer))
		vmcore_damaged(core, "instance \"%s\": %s", buffer->name, dump->why);
}

/*
 * Find the number of CPUs.  A kernel for a fixed number of CPUs has no variable nr_cpu_ids.  The
 * others set nr_cpu_ids to the number of the last possible CPU plus 1.
 */
static bool find_cpus(struct vmcore *core)
{
	struct dump *dump = &core->dump;
	u64 addr, size, i;
	u8 bits;

	if (dump_variable(dump, "nr_cpu_ids", &addr)) {
		if (!dump_read(dump, addr, &core->nr_cpus, sizeof(core->nr_cpus)))
			return false;
	} else {
		if (!dump_variable(dump, "__cpu_possible_mask", &addr) ||
		    !dump_size(dump, "cpumask", &size))
			return false;
		for (i = 0; i < min_t(u64, size, MAX_CPUS / 8); i++) {
			if (!dump_read(dump, addr + i, &bits, sizeof(bits)))
				return false;
			if (bits)
				core->nr_cpus = 8 * i + fls64(bits);
		}
	}
	return (core->nr_cpus && core->nr_cpus <= MAX_CPUS) || dump_fail(dump, "no number of CPUs");
}

/* Find the events of all instances. Returns false after a message if there is no buffer. */
bool vmcore_buffers(struct vmcore *core)
{
	struct dump *dump = &core->dump;
	struct dump_list arrays = { };
	u64 top, array;
	struct dump_member list;

	if (!dump_variable(dump, "ftrace_trace_arrays", &arrays.head) ||
	    !dump_variable(dump, "global_trace", &top) ||
	    !dump_member(dump, "trace_array", "list", &list) ||
	    !find_cpus(core)) {
		vmcore_damaged(core, "%s", dump->why);
		return false;
	}
	read_instance(core, top);
	arrays.offset = list.offset;
	while ((array = dump_next(dump, &arrays)))
		if (array != top)
			read_instance(core, array);
	if (arrays.damaged)
		vmcore_damaged(core, "the list of instances: %s", dump->why);
	return core->page_size;
}

/* Write a page as a recorder has it */
void vmcore_put_page(struct vmcore *core, const struct vmcore_page *page)
{
	u64 commit = page->to - page->from;
	u8 *bytes = xcalloc(1, core->page_size);

	if (!dump_read(&core->dump, page->addr, bytes, core->data) ||
	    !dump_read(&core->dump, page->addr + core->data + page->from, bytes + core->data,
		       commit)) {
		vmcore_damaged(core, "a page: %s", core->dump.why);
		commit = 0;
	}
	if (page->from)
		memcpy(bytes + core->time, &page->time, sizeof(page->time));
	if (page->lost) {
		if (page->lost != VMCORE_LOST_UNKNOWN &&
		    core->data + commit + sizeof(page->lost) <= core->page_size) {
			memcpy(bytes + core->data + commit, &page->lost, sizeof(page->lost));
			commit |= PAGE_MISSED_STORED;
		}
		commit |= PAGE_MISSED;
	}
	memcpy(bytes + core->commit, &commit, core->commit_size);
	out_write((char *)bytes, core->page_size);
	free(bytes);
}

void vmcore_free_buffers(struct vmcore *core)
{
	struct vmcore_buffer *buffer;
	unsigned int i, cpu;

	for (i = 0; i < core->nr_buffers; i++) {
		buffer = &core->buffers[i];
		for (cpu = 0; buffer->cpus && cpu < core->nr_cpus; cpu++)
			free(buffer->cpus[cpu].pages);
		free(buffer->cpus);
		free(buffer->name);
	}
	free(core->buffers);
}
