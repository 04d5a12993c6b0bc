// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls vmcore: write the ring buffers of a crash dump as a recording
 *
 * The recording has the form of trace-cmd's version 6: the formats of events, the symbols, the
 * names of tasks, a table of the pages of each buffer, and the pages.  libtracecmd cannot write a
 * recording.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

/* The structures, enumerators and (after "*") variables whose debug info is used */
static const char * const types[] = {
	"list_head", "trace_array", "array_buffer", "trace_buffer", "ring_buffer_per_cpu",
	"buffer_page", "buffer_data_page", "trace_event_call", "trace_event", "trace_event_class",
	"ftrace_event_field", "syscall_metadata", "tracepoint", "TRACE_EVENT_FL_TRACEPOINT",
	"TRACE_EVENT_FL_CUSTOM", "TRACE_ARRAY_FL_LAST_BOOT", "module", "mod_kallsyms",
	"saved_cmdlines_buffer", "task_struct", "signal_struct", "ftrace_ret_stack",
	"uts_namespace", "new_utsname", "*trace_clocks", "trace_print_flags", "arg_sigs_image",
	"arg_sig_slot", "arg_sig_set", "arg_sig_entry", "arg_types", "arg_exprs_desc",
	"*arg_exprs_descs", "kept_call", "ftrace_graph_ent", "trace_bprintk_fmt",
	"MODULE_STATE_UNFORMED",
	"cpumask", NULL
};

static bool under_way;

static const struct choice choices[] = {
	{ 'u', "under-way", NULL, "show the traced calls that were under way in each task",
	  &under_way },
	{ }
};

static struct options options = {
	.usage = "vmcore [OPTIONS] VMLINUX VMCORE\n\n"
		 "Write the ring buffers of a crash dump as a recording, for trace-cmd and for the\n"
		 "other commands. VMLINUX is the dumped kernel with debug info.\n",
	.choices = choices,
	.unfiltered = "the events of a dump",
	.examples = "trace-calls vmcore -o trace.dat vmlinux /var/crash/202611261200/vmcore\n"
		    "trace-calls graph trace.dat\n"
		    "trace-calls vmcore --under-way vmlinux /var/crash/202611261200/vmcore\n",
};

static void put(FILE *to, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, to);
}

static void put_number(FILE *to, u64 val, unsigned int size)
{
	put(to, &val, size);
}

/* Write the text that @write writes, after its size of @width bytes */
static void put_sized(struct vmcore *core, FILE *to, unsigned int width,
		      void (*write)(struct vmcore *core, FILE *to))
{
	char *text = NULL;
	size_t size = 0;
	FILE *part = allocated(open_memstream(&text, &size));

	write(core, part);
	fclose(part);
	put_number(to, size, width);
	put(to, text, size);
	free(text);
}

static void put_page_header(struct vmcore *core, FILE *to)
{
	fprintf(to, "\tfield: u64 timestamp;\toffset:%llu;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:%llu;\tsize:%llu;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:%llu;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:%llu;\tsize:%llu;\tsigned:0;\n",
		(unsigned long long)core->time, (unsigned long long)core->commit,
		(unsigned long long)core->commit_size, (unsigned long long)core->commit,
		(unsigned long long)core->data, (unsigned long long)(core->page_size - core->data));
}

static void put_event_header(struct vmcore *core, FILE *to)
{
	fputs("# compressed entry header\n"
	      "\ttype_len    :    5 bits\n"
	      "\ttime_delta  :   27 bits\n"
	      "\tarray       :   32 bits\n\n"
	      "\tpadding     : type == 29\n"
	      "\ttime_extend : type == 30\n"
	      "\ttime_stamp : type == 31\n"
	      "\tdata max type_len  == 28\n", to);
}

/* Write the events of a system, whose events follow each other.  Returns their number. */
static unsigned int put_system(struct vmcore *core, unsigned int first, FILE *to)
{
	const char *system = core->events[first].system;
	unsigned int nr = 0, i;

	while (first + nr < core->nr_events && !strcmp(core->events[first + nr].system, system))
		nr++;
	put_number(to, nr, sizeof(u32));
	for (i = first; i < first + nr; i++) {
		put_number(to, core->events[i].size, sizeof(u64));
		put(to, core->events[i].text, core->events[i].size);
	}
	return nr;
}

static void put_events(struct vmcore *core, FILE *to)
{
	unsigned int i, nr = 0, ftrace = core->nr_events;
	const char *before = "";

	for (i = 0; i < core->nr_events; i++) {
		if (!strcmp(core->events[i].system, before))
			continue;
		before = core->events[i].system;
		if (strcmp(before, "ftrace"))
			nr++;
		else
			ftrace = i;
	}
	/* The events of the tracers come first */
	if (ftrace < core->nr_events)
		put_system(core, ftrace, to);
	else
		put_number(to, 0, sizeof(u32));
	put_number(to, nr, sizeof(u32));
	for (i = 0; i < core->nr_events; i += nr) {
		nr = 1;
		if (!strcmp(core->events[i].system, "ftrace"))
			continue;
		put(to, core->events[i].system, strlen(core->events[i].system) + 1);
		nr = put_system(core, i, to);
	}
}

static void put_option(struct vmcore *core, FILE *to, unsigned int option,
		       void (*write)(struct vmcore *core, FILE *to))
{
	put_number(to, option, sizeof(u16));
	put_sized(core, to, sizeof(u32), write);
}

static u64 table_size(const struct vmcore *core)
{
	return sizeof(TABLE_BEGIN) + (u64)core->nr_cpus * 2 * sizeof(u64);
}

/* Write the options.  That of an instance has the place of its table. */
static void put_options(struct vmcore *core, FILE *to)
{
	u64 table, size = 0;
	unsigned int i;

	put(to, "options  ", sizeof("options  "));
	put_option(core, to, OPTION_TRACECLOCK, vmcore_put_clock);
	put_option(core, to, OPTION_UNAME, vmcore_put_uname);
	for (i = 1; i < core->nr_buffers; i++)
		size += sizeof(u16) + sizeof(u32) + sizeof(u64) +
			strlen(core->buffers[i].name) + 1;
	/* The tables follow the options and their end */
	table = ftell(to) + size + sizeof(u16);
	for (i = 1; i < core->nr_buffers; i++) {
		put_number(to, OPTION_BUFFER, sizeof(u16));
		put_number(to, sizeof(u64) + strlen(core->buffers[i].name) + 1, sizeof(u32));
		put_number(to, table + i * table_size(core), sizeof(u64));
		put(to, core->buffers[i].name, strlen(core->buffers[i].name) + 1);
	}
	put_number(to, 0, sizeof(u16));
}

/* Write the tables of all buffers, and empty bytes up to the first page */
static void put_tables(struct vmcore *core, FILE *to)
{
	u64 end = ftell(to) + core->nr_buffers * table_size(core), place, size;
	unsigned int i, cpu;

	place = (end + core->page_size - 1) & -(u64)core->page_size;
	end = place - end;
	for (i = 0; i < core->nr_buffers; i++) {
		put(to, TABLE_BEGIN, sizeof(TABLE_BEGIN));
		for (cpu = 0; cpu < core->nr_cpus; cpu++) {
			size = (u64)core->buffers[i].cpus[cpu].nr * core->page_size;
			put_number(to, place, sizeof(u64));
			put_number(to, size, sizeof(u64));
			place += size;
		}
	}
	while (end--)
		fputc(0, to);
}

static void put_head(struct vmcore *core, FILE *to)
{
	static const char magic[] = "\x17\x08\x44tracing6";

	put(to, magic, sizeof(magic));
	put_number(to, 0, 1);
	put_number(to, sizeof(u64), 1);
	put_number(to, core->page_size, sizeof(u32));
	put(to, "header_page", sizeof("header_page"));
	put_sized(core, to, sizeof(u64), put_page_header);
	put(to, "header_event", sizeof("header_event"));
	put_sized(core, to, sizeof(u64), put_event_header);
	put_events(core, to);
	put_sized(core, to, sizeof(u32), vmcore_put_symbols);
	put_sized(core, to, sizeof(u32), vmcore_put_printk);
	put_sized(core, to, sizeof(u64), vmcore_put_comms);
	put_number(to, core->nr_cpus, sizeof(u32));
	put_options(core, to);
	put_tables(core, to);
}

static void put_recording(struct vmcore *core)
{
	unsigned int i, cpu, page;
	char *head = NULL;
	size_t size = 0;
	FILE *to = allocated(open_memstream(&head, &size));

	vmcore_drop_last_boot(core);
	vmcore_events(core);
	put_head(core, to);
	if (fclose(to))
		out_of_memory();
	out_data();
	out_write(head, size);
	free(head);
	for (i = 0; i < core->nr_buffers; i++)
		for (cpu = 0; cpu < core->nr_cpus; cpu++)
			for (page = 0; page < core->buffers[i].cpus[cpu].nr; page++)
				vmcore_put_page(core, &core->buffers[i].cpus[cpu].pages[page]);
}

int cmd_vmcore(int argc, char **argv)
{
	int i = options_parse(&options, argc, argv, 2);
	struct vmcore core = { };
	bool good;

	if (i < 0)
		return ~i;
	good = dump_open(&core.dump, argv[i], argv[i + 1], types);
	if (good) {
		vmcore_symbols(&core);
		good = vmcore_buffers(&core);
	}
	if (good && under_way)
		vmcore_under_way(&core);
	else if (good)
		put_recording(&core);
	vmcore_free_buffers(&core);
	vmcore_free_events(&core);
	dump_close(&core.dump);
	return out_close(!good ? STATUS_FAILED : core.damaged ? STATUS_PART : STATUS_GOOD);
}
