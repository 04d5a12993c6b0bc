// SPDX-License-Identifier: GPL-2.0
/*
 * The traced calls that were under way when a kernel crashed, from the shadow stacks of tasks
 *
 * The function_graph tracer keeps the return address of each traced call on a stack of its own.
 * Since Linux 6.11 the last word of a call tells how many words below it the frame is.  Data of
 * tracers is between the frame and this word.  A word after the data has the size of the data.
 *
 * A kernel with CONFIG_FUNCTION_ARG_SIGS keeps a call there if an instance has funcgraph-single, or
 * lines that are decided at the return: struct kept_call in kernel/trace/calls/keep.h.  Its
 * arguments are what an entry event has after its fields.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

/* FGRAPH_TYPE_BITMAP in kernel/trace/fgraph.c: the first word after a frame */
#define TYPE_BITMAP	1
#define TYPE_MASK	3

/* FGRAPH_TYPE_DATA and the word after data, whose width of the field is 13 */
#define TYPE_DATA	2
#define DATA_BITS	13
#define DATA_SHIFT	15
#define DATA_MASK	0xff

/* No stack has more words */
#define MAX_WORDS	0x2000

/**
 * struct stack - the shadow stack of a task
 * @words: the words
 * @nr: number of words in use
 * @bits: width of the field that leads to the frame
 * @frame: number of words of a frame
 */
struct stack {
	u64		*words;
	u64		nr;
	unsigned int	bits;
	u64		frame;
};

/*
 * Find the width of the field, which is 10 or 13, from the word after the first frame. Returns 0 if
 * the word fits neither.
 */
static unsigned int field_bits(u64 word, u64 frame)
{
	static const unsigned int widths[] = { 10, 13 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if ((word & ((1ULL << widths[i]) - 1)) == frame &&
		    (word >> widths[i] & TYPE_MASK) == TYPE_BITMAP)
			return widths[i];
	return 0;
}

static void put_address(struct vmcore *core, u64 addr)
{
	const struct dump_symbol *symbol = dump_find_symbol(&core->dump, addr);

	if (symbol)
		out_puts(symbol->name);
	if (!symbol || addr != symbol->addr)
		out_printf("%s0x%llx", symbol ? "+" : "",
			   (unsigned long long)(symbol ? addr - symbol->addr : addr));
	if (symbol && symbol->module)
		out_printf(" [%s]", symbol->module);
}

/* Write a function.  The traced address follows an ENDBR64 of 4 bytes. */
static void put_function(struct vmcore *core, u64 addr)
{
	const struct dump_symbol *symbol = dump_find_symbol(&core->dump, addr);

	put_address(core, symbol && addr - symbol->addr == 4 ? symbol->addr : addr);
}

/* struct kept_call as it is in the dumped kernel */
static struct {
	struct dump_member	id;
	struct dump_member	ent;
	struct dump_member	func;
	struct dump_member	size;
	struct dump_member	args;
} kept;

static bool find_members(struct dump *dump)
{
	return dump_member(dump, "kept_call", "id", &kept.id) &&
	       dump_member(dump, "kept_call", "ent", &kept.ent) &&
	       dump_member(dump, "ftrace_graph_ent", "func", &kept.func) &&
	       dump_member(dump, "kept_call", "size", &kept.size) &&
	       dump_member(dump, "kept_call", "args", &kept.args);
}

/* Read the signatures of a kernel that keeps calls.  Without them, no arguments are shown. */
static void read_sigs(struct vmcore *core)
{
	char *text = NULL;
	size_t size = 0;
	unsigned int i;
	FILE *to;

	if (!find_members(&core->dump))
		return;
	core->tep = allocated(tep_alloc());
	to = allocated(open_memstream(&text, &size));
	tep_set_long_size(core->tep, sizeof(u64));
	tep_set_file_bigendian(core->tep, TEP_LITTLE_ENDIAN);
	vmcore_put_symbols(core, to);
	fclose(to);
	tep_parse_kallsyms(core->tep, text);
	free(text);
	vmcore_events(core);
	for (i = 0; i < core->nr_events; i++)
		if (!strcmp(core->events[i].system, "ftrace"))
			tep_parse_event(core->tep, core->events[i].text, core->events[i].size,
					core->events[i].system);
	core->sigs = decode_formats(&core->formats, core->tep);
}

/* Whether an instance has kept a call */
static bool is_kept(struct vmcore *core, const void *data, size_t size)
{
	struct vmcore_buffer *buffer;
	u64 id, mine;

	if (size < kept.args.offset)
		return false;
	memcpy(&id, data + kept.id.offset, sizeof(id));
	for (buffer = core->buffers; id && buffer < core->buffers + core->nr_buffers; buffer++)
		if (dump_take(&core->dump, buffer->array, "trace_array", "kept_id", &mine) &&
		    mine == id)
			return true;
	return false;
}

/*
 * Write the arguments of a call of the function at @addr if they are in some data on the shadow
 * stack.  Returns false if the data has none.
 */
static bool put_kept_args(struct vmcore *core, u64 addr, const void *data, size_t size)
{
	struct call call = { .tail = data + kept.args.offset };
	struct sigs_out out = { .sigs = core->sigs };
	const struct sig_func *func;
	char text[16384];

	if (!core->sigs || !is_kept(core, data, size))
		return false;
	memcpy(&call.func, data + kept.ent.offset + kept.func.offset, sizeof(call.func));
	memcpy(&call.tail_size, data + kept.size.offset, sizeof(call.tail_size));
	if (call.func != addr || call.tail_size > size - kept.args.offset)
		return false;
	func = sigs_find(core->sigs, call.func, decode_set(&call));
	if (!func || !func->sig || (!call.tail_size && func->nr_longs))
		return false;
	out.out.pos = text;
	out.out.end = text + sizeof(text) - 1;
	line_put_args(&out.out, func, &call);
	*min(out.out.pos, out.out.end) = '\0';
	out_puts(text);
	return true;
}

/* Write the arguments of a call, if they are in the data between its frame and its last word */
static void put_args(struct vmcore *core, const struct stack *stack, u64 func, u64 frame, u64 last)
{
	u64 first = frame + stack->frame + 1, words;

	if (stack->bits != DATA_BITS)
		return;
	while (last > first && (stack->words[last] >> DATA_BITS & TYPE_MASK) == TYPE_DATA) {
		words = (stack->words[last] >> DATA_SHIFT & DATA_MASK) + 1;
		if (words > last - first)
			return;
		last -= words;
		if (put_kept_args(core, func, &stack->words[last], words * sizeof(u64)))
			return;
		last--;
	}
}

static bool put_calls(struct vmcore *core, const struct stack *stack)
{
	struct dump *dump = &core->dump;
	struct dump_member func, ret;
	u64 at = stack->nr, last, words;

	if (!dump_member(dump, "ftrace_ret_stack", "func", &func) ||
	    !dump_member(dump, "ftrace_ret_stack", "ret", &ret))
		return false;
	while (at) {
		last = --at;
		words = stack->words[at] & ((1ULL << stack->bits) - 1);
		if (words < stack->frame || words > at)
			return dump_fail(dump, "the shadow stack is damaged at word %llu",
					 (unsigned long long)at);
		at -= words;
		out_puts("  ");
		put_function(core, stack->words[at + func.offset / sizeof(u64)]);
		put_args(core, stack, stack->words[at + func.offset / sizeof(u64)], at, last);
		out_puts(" <- ");
		put_address(core, stack->words[at + ret.offset / sizeof(u64)]);
		out_puts("\n");
	}
	return true;
}

/* Write the head of a task's calls, "NAME-PID:" */
static bool put_task(struct vmcore *core, u64 task)
{
	struct dump *dump = &core->dump;
	struct dump_member comm;
	char *name;
	u64 pid;

	if (!dump_take(dump, task, "task_struct", "pid", &pid) ||
	    !dump_member(dump, "task_struct", "comm", &comm))
		return false;
	name = dump_string(dump, task + comm.offset);
	if (!name)
		return false;
	out_printf("%s-%llu:\n", name, (unsigned long long)pid);
	free(name);
	return true;
}

static bool show_task(struct vmcore *core, u64 task)
{
	static const char type[] = "task_struct";
	struct dump *dump = &core->dump;
	struct stack stack = { };
	u64 addr, size;
	bool good;

	if (!dump_take(dump, task, type, "ret_stack", &addr) ||
	    !dump_take(dump, task, type, "curr_ret_stack", &stack.nr) ||
	    !dump_size(dump, "ftrace_ret_stack", &size))
		return false;
	if (!addr || !stack.nr)
		return true;
	stack.frame = size / sizeof(u64);
	if (stack.nr > MAX_WORDS || stack.nr <= stack.frame)
		return dump_fail(dump, "a shadow stack of %llu words",
				 (unsigned long long)stack.nr);
	stack.words = xcalloc(stack.nr, sizeof(u64));
	good = dump_read(dump, addr, stack.words, stack.nr * sizeof(u64));
	if (good) {
		stack.bits = field_bits(stack.words[stack.frame], stack.frame);
		good = stack.bits ? put_task(core, task) && put_calls(core, &stack) :
		       dump_fail(dump, "a shadow stack as before Linux 6.11, or a damaged one");
	}
	free(stack.words);
	return good;
}

/* Show a task.  The others are shown if the task is damaged. */
static void one_task(struct vmcore *core, u64 task)
{
	if (!show_task(core, task))
		vmcore_damaged(core, "the task at 0x%llx: %s", (unsigned long long)task,
			       core->dump.why);
}

/* Show the idle tasks, which are in no list */
static void idle_tasks(struct vmcore *core, u64 first)
{
	struct dump *dump = &core->dump;
	u64 offsets, threads, offset, task;
	u32 i;

	if (!dump_variable(dump, "__per_cpu_offset", &offsets) ||
	    !dump_variable(dump, "idle_threads", &threads))
		return;
	for (i = 0; i < core->nr_cpus; i++)
		if (dump_read(dump, offsets + i * sizeof(offset), &offset, sizeof(offset)) &&
		    dump_read(dump, threads + offset, &task, sizeof(task)) && task && task != first)
			one_task(core, task);
}

/* Show the threads of a process */
static bool process(struct vmcore *core, u64 task)
{
	struct dump *dump = &core->dump;
	struct dump_member head, link;
	struct dump_list threads = { };
	u64 signal, thread;

	if (!dump_take(dump, task, "task_struct", "signal", &signal) ||
	    !dump_member(dump, "signal_struct", "thread_head", &head) ||
	    !dump_member(dump, "task_struct", "thread_node", &link))
		return false;
	threads.head = signal + head.offset;
	threads.offset = link.offset;
	while ((thread = dump_next(dump, &threads)))
		one_task(core, thread);
	return !threads.damaged;
}

/* Show all tasks of the dump */
static void all_tasks(struct vmcore *core)
{
	struct dump *dump = &core->dump;
	struct dump_list processes = { };
	struct dump_member tasks;
	u64 first, task;

	if (!dump_variable(dump, "init_task", &first) ||
	    !dump_member(dump, "task_struct", "tasks", &tasks)) {
		vmcore_damaged(core, "%s", dump->why);
		return;
	}
	one_task(core, first);
	idle_tasks(core, first);
	processes.head = first + tasks.offset;
	processes.offset = tasks.offset;
	while ((task = dump_next(dump, &processes)))
		if (!process(core, task))
			vmcore_damaged(core, "the threads of the task at 0x%llx: %s",
				       (unsigned long long)task, dump->why);
	if (processes.damaged)
		vmcore_damaged(core, "the tasks: %s", dump->why);
}

/* Write the traced calls that were under way */
void vmcore_under_way(struct vmcore *core)
{
	read_sigs(core);
	all_tasks(core);
	sigs_free(core->sigs);
	if (core->tep)
		tep_free(core->tep);
}
