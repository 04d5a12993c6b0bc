// SPDX-License-Identifier: GPL-2.0
/*
 * The events of the bts tracer: blocks of branches, a line for each branch
 *
 *	bts:   3 branches
 *	  FROM -> TO
 *	  ...
 *
 * Addresses of the kernel's image are symbol and offset, those of user space are
 * as they are. Of a module a recording does not say which one was there when a
 * branch was taken, so these are addresses as well, unless the option bts:modules
 * says that none went. What the kernel tells before a block is told before its
 * branches: a gap, branches that the CPU dropped, and how many are lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "../../../kernel/trace/trace_bts_codec.h"
#include "bts.h"
#include "host.h"

/* bts_entry::marks, see kernel/trace/trace_bts.c */
#define MARK_GAP	1
#define MARK_DROPPED	4

/*
 * The image is in the 512 MB from where it is linked to, with KASLR somewhere in
 * the first GB; modules come behind that
 */
#define IMAGE_LINKED	0xffffffff81000000ULL
#define IMAGE_FIRST	0xffffffff80000000ULL
#define IMAGE_END	0xffffffffa0000000ULL
#define IMAGE_KASLR_END	0xffffffffc0000000ULL
#define IMAGE_ALIGN	0x200000ULL

static struct tep_plugin_option options[] = {
	{
		.name = "modules",
		.plugin_alias = "bts",
		.description = "Take symbols of modules for branches, too",
	}, {
		.name = NULL,
	}
};

/**
 * struct bts_cpu - a CPU of a recording
 * @next: another one
 * @input: the buffer
 * @cpu: the CPU
 * @first: the number of the branch that is to come next
 */
struct bts_cpu {
	struct bts_cpu	*next;
	const void	*input;
	int		cpu;
	u64		first;
};

/**
 * struct bts_recording - one that events are printed of
 * @next: another one
 * @tep: who knows its events
 * @image_end: behind the addresses of the image, 0: it was not looked for
 * @cpus: its CPUs
 */
struct bts_recording {
	struct bts_recording	*next;
	struct tep_handle	*tep;
	u64			image_end;
	struct bts_cpu		*cpus;
};

static struct bts_recording *recordings;

/* An image that was not moved may have modules right behind its 512 MB */
static u64 find_image_end(struct tep_handle *tep)
{
	const char *name;
	u64 base;

	for (base = IMAGE_FIRST; base < IMAGE_KASLR_END; base += IMAGE_ALIGN) {
		if (tep_find_function_address(tep, base) != base)
			continue;
		name = tep_find_function(tep, base);
		if (name && (!strcmp(name, "_text") || !strcmp(name, "_stext") ||
			     !strcmp(name, "startup_64")))
			return base == IMAGE_LINKED ? IMAGE_END : IMAGE_KASLR_END;
	}
	return IMAGE_END;
}

static void print_address(struct bts_recording *rec, struct trace_seq *s,
			  u64 addr)
{
	const char *name = NULL;
	u64 start = 0;

	if (!rec->image_end)
		rec->image_end = find_image_end(rec->tep);
	if (addr >= IMAGE_FIRST &&
	    (addr < rec->image_end || options[0].set))
		start = tep_find_function_address(rec->tep, addr);
	if (start >= IMAGE_FIRST) {
		/* The name that the kernel takes, see find_symbol() in sigs.c */
		if (addr == start &&
		    tep_find_function_address(rec->tep, start + 1) == start)
			name = tep_find_function(rec->tep, start + 1);
		else
			name = tep_find_function(rec->tep, addr);
	}
	if (name)
		trace_seq_printf(s, "%s+0x%llx", name,
				 (unsigned long long)(addr - start));
	else
		trace_seq_printf(s, "0x%llx", (unsigned long long)addr);
}

static struct bts_cpu *find_cpu(struct bts_recording *rec, int nr)
{
	const void *input = host_input();
	struct bts_cpu *cpu;

	for (cpu = rec->cpus; cpu; cpu = cpu->next)
		if (cpu->cpu == nr && cpu->input == input)
			return cpu;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return NULL;
	cpu->cpu = nr;
	cpu->input = input;
	cpu->next = rec->cpus;
	rec->cpus = cpu;
	return cpu;
}

/* Where no events were lost, those in between were not asked for */
static const char *gap_format(const struct bts_cpu *cpu,
			      const struct tep_record *record)
{
	if (!cpu->first)
		return "\n  [%llu BRANCHES BEFORE THIS]";
	if (record->missed_events)
		return "\n  [LOST %llu BRANCHES]";
	return "\n  [%llu BRANCHES NOT SHOWN]";
}

static void print_marks(struct bts_recording *rec, struct trace_seq *s,
			const struct tep_record *record, u64 first,
			unsigned int branches, unsigned int marks)
{
	struct bts_cpu *cpu = find_cpu(rec, record->cpu);

	if (cpu && first > cpu->first)
		trace_seq_printf(s, gap_format(cpu, record),
				 (unsigned long long)(first - cpu->first));
	if (cpu)
		cpu->first = first + branches;
	if (marks & MARK_DROPPED)
		trace_seq_puts(s, "\n  [BRANCHES DROPPED BY THE CPU]");
	if (marks & MARK_GAP)
		trace_seq_puts(s, "\n  [GAP]");
}

/* A field that is a number; false if the record has none of that name */
static bool read_number(struct tep_record *record, struct tep_event *event,
			const char *name, u64 *val)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	if (!field || field->offset < 0 || field->size < 0 ||
	    (u64)field->offset + field->size > record->size)
		return false;
	*val = tep_read_number(event->tep, record->data + field->offset,
			       field->size);
	return true;
}

static int bts_handler(struct trace_seq *s, struct tep_record *record,
		       struct tep_event *event, void *context)
{
	const struct tep_format_field *data = tep_find_field(event, "data");
	struct bts_recording *rec = context;
	struct bts_decoder dec;
	u64 first, nr, marks;
	int ret;

	if (!data || data->offset < 0 || record->size < data->offset ||
	    !read_number(record, event, "first", &first) ||
	    !read_number(record, event, "nr", &nr) ||
	    !read_number(record, event, "marks", &marks))
		return host_damaged(s);

	trace_seq_printf(s, "%llu branches", (unsigned long long)nr);
	print_marks(rec, s, record, first, nr, marks);
	bts_decode_start(&dec, record->data + data->offset,
			 record->size - data->offset, nr);
	while ((ret = bts_decode(&dec)) == 1) {
		trace_seq_puts(s, "\n  ");
		print_address(rec, s, dec.from);
		trace_seq_puts(s, " -> ");
		print_address(rec, s, dec.to);
	}
	if (ret)
		trace_seq_puts(s, "\n  [not a block of branches]");
	return 0;
}

/**
 * bts_load - print the bts tracer's events
 * @tep: where it is registered
 */
void bts_load(struct tep_handle *tep)
{
	struct bts_recording *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return;
	rec->tep = tep;
	if (!recordings)
		tep_plugin_add_options("bts", options);
	rec->next = recordings;
	recordings = rec;
	tep_register_event_handler(tep, -1, "ftrace", "bts", bts_handler, rec);
}

/**
 * bts_unload - print them no more
 * @tep: where it was registered
 */
void bts_unload(struct tep_handle *tep)
{
	struct bts_recording **link, *rec;
	struct bts_cpu *cpu;

	for (link = &recordings; (rec = *link); link = &rec->next)
		if (rec->tep == tep)
			break;
	if (!rec)
		return;
	tep_unregister_event_handler(tep, -1, "ftrace", "bts", bts_handler, rec);
	*link = rec->next;
	while ((cpu = rec->cpus)) {
		rec->cpus = cpu->next;
		free(cpu);
	}
	free(rec);
	if (!recordings)
		tep_plugin_remove_options(options);
}
