// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of calls that were under way when a kernel crashed
 *
 * A kernel with CONFIG_FUNCTION_ARG_SIGS keeps a call on its task's shadow stack if an instance has
 * funcgraph-single, or lines that are decided at the return: struct kept_call in
 * kernel/trace/calls/keep.h.  The arguments are what an entry event has after its fields.
 */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "calls.h"
#include "vmcore.h"

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

/**
 * vmcore_read_sigs - read the signatures of a kernel that keeps calls
 * @core: the dump
 *
 * Without signatures, no arguments are shown.
 */
void vmcore_read_sigs(struct vmcore *core)
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

/**
 * vmcore_put_args - write the arguments of a call if they are in some data on the shadow stack
 * @core: the dump
 * @addr: the traced address of the call's function
 * @data: the data
 * @size: bytes of the data
 *
 * Return: false if the data has no arguments of the call.
 */
bool vmcore_put_args(struct vmcore *core, u64 addr, const void *data, size_t size)
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

/**
 * vmcore_free_sigs - free the memory of vmcore_read_sigs()
 * @core: the dump
 */
void vmcore_free_sigs(struct vmcore *core)
{
	sigs_free(core->sigs);
	if (core->tep)
		tep_free(core->tep);
}
