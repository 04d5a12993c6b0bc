// SPDX-License-Identifier: GPL-2.0
/*
 * Read the function, the depth and the words of a call from the events of the
 * function_graph and function tracers. The formats in the recording have the places of
 * fields.
 */
#include <stdio.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/unaligned.h>
#include <traceevent/event-parse.h>

#include "graph_args.h"

/* No event has fields beyond this offset, except in the format of a damaged file */
#define FIELDS_MAX_SIZE	4096

/* Flags of a whole call: see kernel/trace/calls/single.h */
#define SINGLE_OPEN	1
#define SINGLE_SECOND	2
#define SINGLE_RESULTS	4
#define SINGLE_TIMES	8
#define SINGLE_NUMBER	16

/* Find a field that is one number. Returns NULL if there is no such field. */
static const struct tep_format_field *find_number_field(struct tep_event *event,
							const char *name)
{
	const struct tep_format_field *field = tep_find_field(event, name);

	return field && !(field->flags & TEP_FIELD_IS_ARRAY) ? field : NULL;
}

static bool find_layout(struct formats *formats, struct layout *layout,
			const char *name)
{
	const struct tep_format_field *field;
	struct tep_event *event;
	int end;

	event = tep_find_event_by_name(formats->tep, "ftrace", name);
	if (!event)
		return false;
	layout->id = event->id;
	for (field = event->format.fields; field; field = field->next) {
		if (field->offset < 0 || field->offset > FIELDS_MAX_SIZE ||
		    field->size < 0 || field->size > FIELDS_MAX_SIZE) {
			formats->damaged = true;
			return false;
		}
		if (field->flags & TEP_FIELD_IS_ARRAY) {
			if (!strcmp(field->name, "args"))
				layout->args = field;
			if (!strcmp(field->name, "retval2"))
				layout->second = field;
			continue;
		}
		end = field->offset + field->size;
		layout->end = max(layout->end, end);
	}
	layout->func = find_number_field(event, "func") ?: find_number_field(event, "ip");
	layout->parent = find_number_field(event, "parent_ip") ?:
			 find_number_field(event, "retaddr");
	layout->depth = find_number_field(event, "depth");
	layout->calltime = find_number_field(event, "calltime");
	layout->rettime = find_number_field(event, "rettime");
	layout->length = find_number_field(event, "length");
	layout->retval = find_number_field(event, "retval");
	layout->flags = find_number_field(event, "flags");
	layout->number = find_number_field(event, "number");
	return layout->func;
}

/**
 * decode_has_graph - whether a recording's calls can be shown
 * @formats: the places of fields in its events
 *
 * Return: true if so, false otherwise.
 */
bool decode_has_graph(const struct formats *formats)
{
	return formats->entry.func && formats->entry.depth && formats->exit.func &&
	       formats->exit.depth && formats->exit.calltime && formats->exit.rettime;
}

/* Whether the function tracer's events can be shown */
static bool has_function(const struct formats *formats)
{
	return formats->function.func && formats->function.parent;
}

/*
 * Whether this machine has the word size and the byte order of the recorded machine,
 * x86-64
 */
static bool same_values(const struct formats *formats)
{
	return formats->native && tep_get_long_size(formats->tep) == sizeof(u64) &&
	       sizeof(long) == sizeof(u64);
}

static u64 read_field(const struct formats *formats, const struct tep_record *record,
		      const struct tep_format_field *field)
{
	const void *at = record->data + field->offset;

	if (formats->native && field->size == sizeof(u64))
		return get_unaligned((const u64 *)at);
	if (formats->native && field->size == sizeof(u32))
		return get_unaligned((const u32 *)at);
	return tep_read_number(formats->tep, at, field->size);
}

/* Read the fields of an event.  Returns false if the event is too short. */
static bool read_call(const struct formats *formats, struct tep_record *record,
		      const struct layout *layout, struct call *call)
{
	if (record->size < layout->end)
		return false;
	memset(call, 0, sizeof(*call));
	call->func = read_field(formats, record, layout->func);
	if (layout->parent)
		call->parent = read_field(formats, record, layout->parent);
	if (layout->depth)
		call->depth = read_field(formats, record, layout->depth);
	if (layout->number)
		call->number = read_field(formats, record, layout->number);
	call->pid = tep_data_pid(formats->tep, record);
	call->tail = record->data + layout->end;
	call->tail_size = record->size - layout->end;
	if (!formats->registers)
		return true;
	/* The registers are the only data after the fields */
	call->tail_size = 0;
	if (layout->args && layout->args->offset <= record->size) {
		call->tail = record->data + layout->args->offset;
		call->tail_size = (record->size - layout->args->offset) & -sizeof(u64);
	}
	return true;
}

static bool read_exit(const struct formats *formats, struct tep_record *record, struct call *call)
{
	const struct layout *layout = &formats->exit;
	const void *second;
	unsigned int size;

	if (!read_call(formats, record, layout, call))
		return false;
	call->calltime = read_field(formats, record, layout->calltime);
	call->duration = read_field(formats, record, layout->rettime) - call->calltime;
	if (!layout->retval)
		return true;
	call->regs[call->nr_regs++] = read_field(formats, record, layout->retval);
	/* Without this field, 16 bytes without a value may follow the fields in 6.12 */
	if (!layout->second || layout->second->offset > record->size)
		return true;
	/* The number of a set may follow, see decode_set() */
	size = (record->size - layout->second->offset) & -sizeof(u64);
	if (size < sizeof(u64))
		return true;
	second = record->data + layout->second->offset;
	call->regs[call->nr_regs++] = get_unaligned((const u64 *)second);
	/*
	 * Up to version 1 of the signatures, zeros and the second register again follow the
	 * results. The zeros end the results
	 */
	call->results.data = second + sizeof(u64);
	call->results.size = size - sizeof(u64);
	return true;
}

/* Whether an event is a whole call */
static bool is_single(const struct formats *formats, int type)
{
	const struct layout *layout = &formats->single;

	return layout->func && type == layout->id && layout->depth &&
	       layout->length && layout->retval && layout->flags;
}

/* Remove the results from the tail. The last 8 bytes are the size of all results. */
static void take_results(struct call *call)
{
	u64 all;

	if (call->tail_size < sizeof(all))
		return;
	all = get_unaligned((u64 *)(call->tail + call->tail_size) - 1);
	if (all < sizeof(all) || all > call->tail_size)
		return;
	call->tail_size -= all;
	call->results.data = call->tail + call->tail_size;
	call->results.size = all - sizeof(all);
}

/* Take the next 8 bytes of the tail if the event has them; returns false if it is too short */
static bool take_long(struct call *call, bool has, u64 *val)
{
	if (!has)
		return true;
	if (call->tail_size < sizeof(*val))
		return false;
	*val = get_unaligned((u64 *)call->tail);
	call->tail += sizeof(*val);
	call->tail_size -= sizeof(*val);
	return true;
}

static bool read_single(const struct formats *formats, struct tep_record *record, struct call *call)
{
	const struct layout *layout = &formats->single;
	u64 flags, rettime = record->ts;

	if (!read_call(formats, record, layout, call))
		return false;
	flags = read_field(formats, record, layout->flags);
	call->open = flags & SINGLE_OPEN;
	call->nr_regs = call->open ? 0 : flags & SINGLE_SECOND ? 2 : 1;
	call->regs[0] = read_field(formats, record, layout->retval);
	call->calltime = rettime - read_field(formats, record, layout->length);
	if (!take_long(call, flags & SINGLE_TIMES, &call->calltime) ||
	    !take_long(call, flags & SINGLE_TIMES, &rettime) ||
	    !take_long(call, flags & SINGLE_NUMBER, &call->number) ||
	    !take_long(call, flags & SINGLE_SECOND, &call->regs[1]))
		return false;
	call->duration = rettime - call->calltime;
	if (flags & SINGLE_RESULTS)
		take_results(call);
	return true;
}

/**
 * decode_set - find the set of signatures of a call's function
 * @call: the entry or the exit
 *
 * An event of a module's function ends with the number of its set. The number has 4
 * bytes, and all other data after the fields has multiples of 8 bytes.
 *
 * Return: the number, SIGS_NO_SET if the event has none.
 */
u32 decode_set(const struct call *call)
{
	if (call->tail_size % sizeof(u64) != sizeof(u32))
		return SIGS_NO_SET;
	return get_unaligned((u32 *)(call->tail + call->tail_size -
				     sizeof(u32)));
}

/**
 * decode_longs - find the recorded data of a call's arguments
 * @call: the entry
 *
 * Return: the longs, followed by the strings.
 */
struct arg_longs decode_longs(const struct call *call)
{
	struct arg_longs longs = {
		.data = call->tail,
		.size = call->tail_size,
	};

	if (decode_set(call) != SIGS_NO_SET)
		longs.size -= sizeof(u32);
	return longs;
}

/**
 * decode_placed - find the recorded data of a call's arguments in the signature's order
 * @call: the entry
 * @func: the function, with a signature
 * @placed: room for the longs
 *
 * A kernel without signatures records the argument registers of each call.
 *
 * Return: the longs, followed by the strings.
 */
struct arg_longs decode_placed(const struct call *call, const struct sig_func *func,
			       u64 placed[ARG_SIGS_MAX_LONGS])
{
	struct arg_longs longs = decode_longs(call);
	unsigned int regs = longs.size / sizeof(u64), nr = 0, reg;
	const char *p = func->sig;

	if (!func->registers || !regs)
		return longs;
	if (*p != '(') {
		for (; nr < func->nr_longs; nr++)
			placed[nr] = nr < regs ? get_unaligned((u64 *)longs.data + nr) : 0;
	} else {
		for (p++; *p != ')' && nr < ARG_SIGS_MAX_LONGS; p++) {
			if (*p == '|')
				continue;
			reg = *p - 'a';
			placed[nr++] = reg < regs ? get_unaligned((u64 *)longs.data + reg) : 0;
		}
	}
	return (struct arg_longs){ .data = placed, .size = nr * sizeof(u64) };
}

/* Find the places of fields in an entry event.  Returns NULL if the event is not an entry. */
static const struct layout *entry_layout(const struct formats *formats, int type)
{
	if (formats->retaddr_entry.func && type == formats->retaddr_entry.id)
		return &formats->retaddr_entry;
	return formats->entry.func && type == formats->entry.id ? &formats->entry : NULL;
}

/**
 * decode_event - find out what an event says about a call, and read its fields
 * @formats: the places of fields in events
 * @record: the event, which has the fields that all events have
 * @call: set to the fields; points into @record
 *
 * Return: the kind of the event; CALL_OTHER also for a kind whose format lacks fields.
 */
enum call_kind decode_event(const struct formats *formats, struct tep_record *record,
			    struct call *call)
{
	int type = tep_data_type(formats->tep, record);
	const struct layout *entry = entry_layout(formats, type);
	bool function = formats->function.func && type == formats->function.id;
	enum call_kind kind;
	bool whole;

	if (!(function ? has_function(formats) : decode_has_graph(formats)))
		return CALL_OTHER;
	if (function) {
		kind = CALL_FUNCTION;
		whole = read_call(formats, record, &formats->function, call);
	} else if (entry) {
		kind = CALL_ENTRY;
		whole = entry->depth && read_call(formats, record, entry, call);
	} else if (type == formats->exit.id) {
		kind = CALL_EXIT;
		whole = read_exit(formats, record, call);
	} else if (is_single(formats, type)) {
		kind = CALL_SINGLE;
		whole = read_single(formats, record, call);
	} else {
		return CALL_OTHER;
	}
	return whole ? kind : CALL_DAMAGED;
}

/**
 * decode_formats - find the places of fields in a recording's events
 * @formats: set to the places
 * @tep: the handle that knows the events
 *
 * Return: the recording's signatures, NULL if it has no usable signatures.
 */
struct sigs *decode_formats(struct formats *formats, struct tep_handle *tep)
{
	struct tep_event *event;
	struct sigs *sigs;
	const char *text;

	memset(formats, 0, sizeof(*formats));
	formats->tep = tep;
	formats->native = tep_is_file_bigendian(tep) == tep_is_local_bigendian(tep);
	find_layout(formats, &formats->entry, "funcgraph_entry");
	find_layout(formats, &formats->retaddr_entry, "fgraph_retaddr_entry");
	find_layout(formats, &formats->exit, "funcgraph_exit");
	find_layout(formats, &formats->single, "funcgraph_call");
	find_layout(formats, &formats->function, "function");
	event = tep_find_event_by_name(tep, "ftrace", "arg_sigs");
	text = event ? event->print_fmt.format : NULL;
	if (!same_values(formats) || !decode_has_graph(formats) || !has_function(formats))
		return NULL;
	if (!text) {
		/* A kernel with signatures, whose recording does not have them */
		bool series = formats->exit.second;

		sigs = sigs_find_file(tep, !series);
		formats->registers = sigs && !series;
		return sigs;
	}
	sigs = sigs_read(tep, text);
	if (!sigs)
		fprintf(stderr, "plugin_graph_args: malformed signatures, none is used\n");
	return sigs;
}
