// SPDX-License-Identifier: GPL-2.0
/*
 * What a recording has beside events, from a crash dump: the formats of events, the symbols, the
 * names of tasks, the formats of trace_printk(), the clock and the kernel's release
 *
 * The texts are those of the files in tracefs and of /proc/kallsyms.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

/* More symbols of a module are a damaged dump */
#define MAX_SYMBOLS	1000000

/* The value of an unused element of map_cmdline_to_pid */
#define NO_PID		0xffffffffU

/* The event whose format has the signatures */
#define CARRIER		"arg_sigs"

static char *take_string(struct vmcore *core, u64 addr, const char *type, const char *name)
{
	u64 text;

	return dump_take(&core->dump, addr, type, name, &text) ? dump_string(&core->dump, text) :
	       NULL;
}

/* Write a field as f_show() in kernel/trace/trace_events.c */
static bool put_field(struct vmcore *core, u64 field, FILE *to)
{
	static const char type[] = "ftrace_event_field";
	char *text = take_string(core, field, type, "type");
	char *name = take_string(core, field, type, "name");
	struct dump *dump = &core->dump;
	u64 offset, size, sign, len;
	const char *array;
	bool good;

	good = text && name && dump_take(dump, field, type, "offset", &offset) &&
	       dump_take(dump, field, type, "size", &size) &&
	       dump_take(dump, field, type, "len", &len) &&
	       dump_take(dump, field, type, "is_signed", &sign);
	if (good) {
		array = strncmp(text, "__data_loc", 10) ? strchr(text, '[') : NULL;
		fprintf(to, "\tfield:%.*s %s", (int)(array ? array - text : strlen(text)), text,
			name);
		if (array && len)
			fprintf(to, "[%llu]", (unsigned long long)len);
		else if (array)
			fputs("[]", to);
		fprintf(to, ";\toffset:%llu;\tsize:%llu;\tsigned:%d;\n",
			(unsigned long long)offset, (unsigned long long)size, !!sign);
	}
	free(text);
	free(name);
	return good;
}

/* Write the fields of a list, whose last element is the first field */
static bool put_fields(struct vmcore *core, u64 head, FILE *to)
{
	struct dump *dump = &core->dump;
	struct dump_list fields = { .head = head, .back = true };
	struct dump_member link;
	u64 field;

	if (!dump_member(dump, "ftrace_event_field", "link", &link))
		return false;
	fields.offset = link.offset;
	while ((field = dump_next(dump, &fields)))
		if (!put_field(core, field, to))
			return false;
	return !fields.damaged;
}

/* Find the list of an event's fields, which a function tells for some kinds of events */
static bool find_fields(struct vmcore *core, u64 call, u64 class, u64 *head)
{
	struct dump *dump = &core->dump;
	const struct dump_symbol *symbol;
	struct dump_member member;
	u64 get, data;

	if (!dump_take(dump, class, "trace_event_class", "get_fields", &get) ||
	    !dump_member(dump, "trace_event_class", "fields", &member))
		return false;
	*head = class + member.offset;
	if (!get)
		return true;
	symbol = dump_find_symbol(dump, get);
	if (!symbol || strcmp(symbol->name, "syscall_get_enter_fields"))
		return dump_fail(dump, "unknown fields of an event: %s",
				 symbol ? symbol->name : "no function");
	if (!dump_take(dump, call, "trace_event_call", "data", &data) ||
	    !dump_member(dump, "syscall_metadata", "enter_fields", &member))
		return false;
	*head = data + member.offset;
	return true;
}

/* As trace_event_name() of the kernel */
static char *event_name(struct vmcore *core, u64 call)
{
	struct dump *dump = &core->dump;
	u64 flags, custom, tracepoint, tp;

	if (!dump_take(dump, call, "trace_event_call", "flags", &flags) ||
	    !dump_constant(dump, "TRACE_EVENT_FL_TRACEPOINT", &tracepoint))
		return NULL;
	if (!dump_constant(dump, "TRACE_EVENT_FL_CUSTOM", &custom))
		custom = 0;
	if (!(flags & tracepoint) || flags & custom)
		return take_string(core, call, "trace_event_call", "name");
	if (!dump_take(dump, call, "trace_event_call", "tp", &tp))
		return NULL;
	return take_string(core, tp, "tracepoint", "name");
}

static bool put_print(struct vmcore *core, u64 call, const char *name, FILE *to)
{
	char *text;

	if (!strcmp(name, CARRIER))
		return vmcore_put_sigs(core, to);
	text = take_string(core, call, "trace_event_call", "print_fmt");
	if (text)
		fprintf(to, "\nprint fmt: %s\n", text);
	free(text);
	return text;
}

static bool put_event(struct vmcore *core, u64 call, u64 class, const char *name, FILE *to)
{
	struct dump *dump = &core->dump;
	struct dump_member event;
	u64 common, head, id;

	if (!dump_member(dump, "trace_event_call", "event", &event) ||
	    !dump_take(dump, call + event.offset, "trace_event", "type", &id) ||
	    !dump_variable(dump, "ftrace_common_fields", &common) ||
	    !find_fields(core, call, class, &head))
		return false;
	fprintf(to, "name: %s\nID: %llu\nformat:\n", name, (unsigned long long)id);
	if (!put_fields(core, common, to))
		return false;
	fputc('\n', to);
	return put_fields(core, head, to) && put_print(core, call, name, to);
}

/* Read an event.  Events that cannot be read are left out. */
static void read_event(struct vmcore *core, u64 call)
{
	struct vmcore_event new = { };
	char *name = event_name(core, call);
	bool good;
	u64 class;
	FILE *to;

	good = name && dump_take(&core->dump, call, "trace_event_call", "class", &class);
	if (good)
		new.system = take_string(core, class, "trace_event_class", "system");
	to = allocated(open_memstream(&new.text, &new.size));
	good = new.system && put_event(core, call, class, name, to);
	if (fclose(to))
		out_of_memory();
	if (!good)
		vmcore_damaged(core, "the event %s at 0x%llx: %s", name ?: "",
			       (unsigned long long)call, core->dump.why);
	free(name);
	if (good) {
		*(struct vmcore_event *)array_add(&core->events, &core->nr_events,
						  sizeof(new)) = new;
		return;
	}
	free(new.system);
	free(new.text);
}

static int compare_events(const void *a, const void *b)
{
	const struct vmcore_event *x = a, *y = b;

	return strcmp(x->system, y->system);
}

/* Read the formats of all events */
void vmcore_events(struct vmcore *core)
{
	struct dump *dump = &core->dump;
	struct dump_list events = { };
	struct dump_member list;
	u64 event;

	if (!dump_variable(dump, "ftrace_events", &events.head) ||
	    !dump_member(dump, "trace_event_call", "list", &list)) {
		vmcore_damaged(core, "%s", dump->why);
		return;
	}
	events.offset = list.offset;
	while ((event = dump_next(dump, &events)))
		read_event(core, event);
	if (events.damaged)
		vmcore_damaged(core, "the list of events: %s", dump->why);
	if (core->nr_events)
		qsort(core->events, core->nr_events, sizeof(*core->events), compare_events);
}

/* Whether the kernel does not have the symbols of a module yet, which /proc/kallsyms leaves out */
static bool is_unformed(struct dump *dump, u64 module)
{
	u64 state, unformed;

	return dump_take(dump, module, "module", "state", &state) &&
	       dump_constant(dump, "MODULE_STATE_UNFORMED", &unformed) && state == unformed;
}

/* Add the symbols of a module, whose table the kernel keeps */
static bool read_module(struct vmcore *core, u64 module)
{
	u64 kallsyms, symtab, strtab, nr, i;
	struct dump *dump = &core->dump;
	struct dump_member member;
	char *name;
	Elf64_Sym sym;
	bool code;

	if (is_unformed(dump, module))
		return true;
	if (!dump_member(dump, "module", "name", &member))
		return false;
	name = dump_string(dump, module + member.offset);
	*(char **)array_add(&core->modules, &core->nr_modules, sizeof(name)) = name;
	if (!name || !dump_take(dump, module, "module", "kallsyms", &kallsyms) ||
	    !dump_take(dump, kallsyms, "mod_kallsyms", "symtab", &symtab) ||
	    !dump_take(dump, kallsyms, "mod_kallsyms", "strtab", &strtab) ||
	    !dump_take(dump, kallsyms, "mod_kallsyms", "num_symtab", &nr))
		return false;
	for (i = 1; i < nr && i < MAX_SYMBOLS; i++) {
		if (!dump_read(dump, symtab + i * sizeof(sym), &sym, sizeof(sym)))
			return false;
		if (sym.st_shndx == SHN_UNDEF)
			continue;
		name = dump_string(dump, strtab + sym.st_name);
		if (!name)
			return false;
		code = ELF64_ST_TYPE(sym.st_info) == STT_FUNC;
		if (*name)
			dump_add_symbol(dump, sym.st_value, code ? 't' : 'd', name,
					core->modules[core->nr_modules - 1]);
		free(name);
	}
	return true;
}

/* Add the symbols of modules. Returns false after a message if not all could be read. */
bool vmcore_symbols(struct vmcore *core)
{
	struct dump *dump = &core->dump;
	struct dump_list modules = { };
	struct dump_member list;
	bool good = true;
	u64 module;

	/* A kernel without modules has no list */
	if (dump_variable(dump, "modules", &modules.head) &&
	    dump_member(dump, "module", "list", &list)) {
		modules.offset = list.offset;
		while (good && (module = dump_next(dump, &modules)))
			good = read_module(core, module);
		good &= !modules.damaged;
		if (!good)
			vmcore_damaged(core, "the modules: %s", dump->why);
	}
	dump_sort_symbols(dump);
	return good;
}

/* Write the lines of /proc/kallsyms */
void vmcore_put_symbols(struct vmcore *core, FILE *to)
{
	const struct dump_symbol *symbol = core->dump.symbols;
	unsigned int i;

	for (i = 0; i < core->dump.nr_symbols; i++, symbol++) {
		if (symbol->addr < DUMP_CODE)
			continue;
		fprintf(to, "%016llx %c %s", (unsigned long long)symbol->addr, symbol->letter,
			symbol->name);
		if (symbol->module)
			fprintf(to, "\t[%s]", symbol->module);
		fputc('\n', to);
	}
}

/* Write a name of a task on one line */
static void put_comm(u64 pid, const char *comm, size_t size, FILE *to)
{
	size_t i;

	if (!*comm)
		return;
	fprintf(to, "%llu ", (unsigned long long)pid);
	for (i = 0; i < size && comm[i]; i++)
		fputc(comm[i] == '\n' ? ' ' : comm[i], to);
	fputc('\n', to);
}

/* The names that the kernel has saved when the tasks ran */
static bool put_saved(struct vmcore *core, FILE *to)
{
	struct dump_member pids, names, comm;
	u64 var, saved, by_index, nr, text, i, size;
	static const char type[] = "saved_cmdlines_buffer";
	struct dump *dump = &core->dump;
	char name[256];
	u32 pid, index;

	if (!dump_variable(dump, "savedcmd", &var) || !dump_read(dump, var, &saved, sizeof(saved)))
		return false;
	if (!saved)
		return true;
	if (!dump_member(dump, type, "map_pid_to_cmdline", &pids) ||
	    !dump_member(dump, type, "saved_cmdlines", &names) ||
	    !dump_member(dump, "task_struct", "comm", &comm) ||
	    !dump_take(dump, saved, type, "map_cmdline_to_pid", &by_index) ||
	    !dump_take(dump, saved, type, "cmdline_num", &nr))
		return false;
	if (comm.size >= sizeof(name) || pids.size <= sizeof(pid))
		return dump_fail(dump, "no saved names of tasks");
	/* Kernels before 6.9 have a pointer to the names */
	text = saved + names.offset;
	if (names.size == sizeof(text) && !dump_read(dump, text, &text, sizeof(text)))
		return false;
	/* The last element is for the largest number */
	size = pids.size / sizeof(pid) - 1;
	for (i = 0; i < nr && i < DUMP_LIST_MAX; i++) {
		if (!dump_read(dump, by_index + i * sizeof(pid), &pid, sizeof(pid)))
			return false;
		if (pid == NO_PID)
			continue;
		if (!dump_read(dump, saved + pids.offset + pid % size * sizeof(index), &index,
			       sizeof(index)) ||
		    !dump_read(dump, text + i * comm.size, name, comm.size))
			return false;
		if (index == i)
			put_comm(pid, name, comm.size, to);
	}
	return true;
}

/* Write the names of tasks */
void vmcore_put_comms(struct vmcore *core, FILE *to)
{
	if (!put_saved(core, to))
		vmcore_damaged(core, "the names of tasks: %s", core->dump.why);
}

/* Write the format that the pointer at @pos leads to, as t_show() in kernel/trace/trace_printk.c */
static bool put_format(struct vmcore *core, u64 pos, FILE *to)
{
	struct dump *dump = &core->dump;
	char *text, *p;
	u64 addr;

	if (!dump_read(dump, pos, &addr, sizeof(addr)))
		return false;
	/* There was no memory for the format of a module */
	if (!addr)
		return true;
	text = dump_string(dump, addr);
	if (!text)
		return false;
	fprintf(to, "0x%llx : \"", (unsigned long long)addr);
	for (p = text; *p; p++) {
		if (*p == '\n')
			fputs("\\n", to);
		else if (*p == '\t')
			fputs("\\t", to);
		else if (*p == '"')
			fputs("\\\"", to);
		else
			fputc(*p, to);
	}
	fputs("\"\n", to);
	free(text);
	return true;
}

/* Write the formats of a section of the image.  Not all kernels have the section. */
static bool put_section(struct vmcore *core, const char *start, const char *stop, FILE *to)
{
	struct dump *dump = &core->dump;
	u64 pos, end;

	if (!dump_variable(dump, start, &pos) || !dump_variable(dump, stop, &end))
		return true;
	for (; pos < end; pos += sizeof(pos))
		if (!put_format(core, pos, to))
			return false;
	return true;
}

/* Write the formats of modules.  A kernel without modules has no list of them. */
static bool put_modules(struct vmcore *core, FILE *to)
{
	static const char type[] = "trace_bprintk_fmt";
	struct dump *dump = &core->dump;
	struct dump_list formats = { };
	struct dump_member list, fmt;
	u64 format;

	if (!dump_variable(dump, "trace_bprintk_fmt_list", &formats.head))
		return true;
	if (!dump_member(dump, type, "list", &list) || !dump_member(dump, type, "fmt", &fmt))
		return false;
	formats.offset = list.offset;
	while ((format = dump_next(dump, &formats)))
		if (!put_format(core, format + fmt.offset, to))
			return false;
	return !formats.damaged;
}

/*
 * Write the formats of trace_printk() and the strings of tracepoints, as printk_formats in tracefs
 */
void vmcore_put_printk(struct vmcore *core, FILE *to)
{
	if (!put_section(core, "__start___trace_bprintk_fmt", "__stop___trace_bprintk_fmt", to) ||
	    !put_section(core, "__start___tracepoint_str", "__stop___tracepoint_str", to) ||
	    !put_modules(core, to))
		vmcore_damaged(core, "the formats of trace_printk(): %s", core->dump.why);
}

/* Write the name of the top instance's trace clock */
void vmcore_put_clock(struct vmcore *core, FILE *to)
{
	struct dump *dump = &core->dump;
	u64 clocks, size, id;
	char *name = NULL;

	if (dump_variable(dump, "trace_clocks", &clocks) &&
	    dump_size(dump, "*trace_clocks", &size) &&
	    dump_take(dump, core->buffers[0].array, "trace_array", "clock_id", &id) && id < 256)
		name = take_string(core, clocks + id * size, "*trace_clocks", "name");
	if (name)
		fprintf(to, "[%s]", name);
	else
		vmcore_damaged(core, "the trace clock: %s", dump->why);
	fputc('\0', to);
	free(name);
}

/* Write the name and the release of the kernel */
void vmcore_put_uname(struct vmcore *core, FILE *to)
{
	static const char * const names[] = { "sysname", "nodename", "release", "machine" };
	struct dump *dump = &core->dump;
	struct dump_member name, member;
	unsigned int i;
	u64 addr;
	char *text;

	if (!dump_variable(dump, "init_uts_ns", &addr) ||
	    !dump_member(dump, "uts_namespace", "name", &name)) {
		vmcore_damaged(core, "the release of the kernel: %s", dump->why);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		text = dump_member(dump, "new_utsname", names[i], &member) ?
		       dump_string(dump, addr + name.offset + member.offset) : NULL;
		fprintf(to, "%s%s", i ? " " : "", text && *text ? text : "?");
		free(text);
	}
	fputc('\0', to);
}

/* Free the memory of vmcore_events() and vmcore_symbols() */
void vmcore_free_events(struct vmcore *core)
{
	while (core->nr_events) {
		free(core->events[--core->nr_events].text);
		free(core->events[core->nr_events].system);
	}
	free(core->events);
	while (core->nr_modules)
		free(core->modules[--core->nr_modules]);
	free(core->modules);
}
