// SPDX-License-Identifier: GPL-2.0
/*
 * trace-calls perfetto: write Perfetto's protobuf, for ui.perfetto.dev and trace_processor
 *
 * Writes a track for each task, a slice for each call with its arguments and its return
 * value as typed annotations, scheduling as ftrace's own events, and all other events as
 * instants with their fields.  A slice is written at the exit of its call, because Perfetto
 * sorts by time.  No two begins and ends of a task's calls have the same time, see struct
 * span.  perfetto.proto defines the messages.
 *
 * The calls in the bts tracer's branches are slices of a track below the task's track.
 * Each stack of calls has a track, see branches.c.  Most tasks have one stack.  A branch
 * has the time of its block.  These tracks do not have two events with the same time,
 * either.
 */
#include <obstack.h>
#include <stdlib.h>
#include <string.h>

#include "../traceevent/bts_lines.h"
#include "arrays.h"
#include "branches.h"
#include "graph.h"
#include "perfetto.pb-c.h"

/* The number of the only writer */
#define SEQUENCE	1

/* Numbers of tracks: the kind, plus a number that is unique in the kind */
#define TRACK_THREAD	BIT_ULL(40)
#define TRACK_TASK	(2ULL << 40)
#define TRACK_LOST	(3ULL << 40)
#define TRACK_BRANCHES	(4ULL << 40)

/* For obstack_begin() */
#define obstack_chunk_alloc	xmalloc
#define obstack_chunk_free	free

static const struct choice choices[] = {
	{ 'r', "sysroot", "DIR", "look in DIR for the files that the recorded tasks ran; needs\n"
	  "the maps of trace-cmd record --proc-map", .text = &branches_choice.sysroot },
	{ }
};

static struct options options = {
	.usage = "perfetto [OPTIONS] [FILE]\n\n"
		 "Write slices with typed arguments and all other events, in Perfetto's protobuf\n",
	.choices = choices,
};

/**
 * struct branch_track - the slices of a stack of calls
 * @open: number of open slices
 * @time: the time of the last event, 0 if there is none yet
 * @written: the track has a descriptor
 */
struct branch_track {
	unsigned int	open;
	u64		time;
	bool		written;
};

/* Indexed by the number of the stack */
static struct branch_track *branch_tracks;
static size_t branch_tracks_room;
static u32 nr_branch_tracks;

/* Whether slices_view gets the branches */
static enum { BRANCHES_NOT_YET, BRANCHES_OPEN, BRANCHES_FAILED } branches;

/* The strings and annotations of a packet, and the first of them */
static struct obstack arena;
static void *arena_first;

/* Copy a text as UTF-8, as strings of protobuf have to be */
static char *arena_text(const char *text, size_t len)
{
	char *copy = obstack_copy0(&arena, text, len);
	size_t i;

	if (!is_utf8(copy, len))
		for (i = 0; i < len; i++)
			if (copy[i] & 0x80)
				copy[i] = '?';
	return copy;
}

static char *arena_name(const char *name)
{
	return arena_text(name, strlen(name));
}

/* Write a packet. The file is one message, and each packet is a field of it. */
static void put_packet(Perfetto__Protos__TracePacket *packet)
{
	Perfetto__Protos__Trace trace = PERFETTO__PROTOS__TRACE__INIT;
	size_t size;
	u8 *packed;

	packet->trusted_packet_sequence_id = SEQUENCE;
	trace.n_packet = 1;
	trace.packet = &packet;
	size = perfetto__protos__trace__get_packed_size(&trace);
	packed = obstack_alloc(&arena, size);
	perfetto__protos__trace__pack(&trace, packed);
	out_write((char *)packed, size);
	obstack_free(&arena, arena_first);
}

static Perfetto__Protos__DebugAnnotation *
add_annotation(Perfetto__Protos__DebugAnnotation ***list, size_t *nr, char *name)
{
	Perfetto__Protos__DebugAnnotation *each = obstack_alloc(&arena, sizeof(*each)), **more;

	/* If the number is a power of two, the array is full */
	if (!(*nr & (*nr - 1))) {
		more = obstack_alloc(&arena, max(2 * *nr, (size_t)1) * sizeof(*more));
		*list = *nr ? memcpy(more, *list, *nr * sizeof(*more)) : more;
	}
	perfetto__protos__debug_annotation__init(each);
	each->name = name;
	(*list)[(*nr)++] = each;
	return each;
}

static void set_string(Perfetto__Protos__DebugAnnotation *to,
		       const struct arg_value *value)
{
	if (!is_utf8(value->data, value->size) && value->text)
		to->string_value = arena_text(value->text, value->len);
	else
		to->string_value = arena_text(value->data, value->size);
}

static void set_value(Perfetto__Protos__DebugAnnotation *to,
		      const struct arg_value *value)
{
	/* An address is a number, but NULL, an error or a symbol is text */
	bool address = value->text && value->len > 2 && !memcmp(value->text, "0x", 2);

	if (value->kind == ARG_SIGNED) {
		to->has_int_value = true;
		to->int_value = value->val;
	} else if (value->kind == ARG_UNSIGNED) {
		to->has_uint_value = true;
		to->uint_value = value->val;
	} else if (value->kind == ARG_BOOL && value->val <= 1) {
		to->has_bool_value = true;
		to->bool_value = value->val;
	} else if (value->kind == ARG_POINTER && address) {
		to->has_pointer_value = true;
		to->pointer_value = value->val;
	} else if (value->kind == ARG_STRING) {
		set_string(to, value);
	} else {
		to->string_value = arena_text(value->text ?: "?", value->text ? value->len : 1);
	}
}

/* Add the items from @i to the end of their record or array */
static unsigned int add_values(Perfetto__Protos__DebugAnnotation ***list, size_t *nr,
			       const struct values *values, unsigned int i, bool array)
{
	Perfetto__Protos__DebugAnnotation *to;
	unsigned int number = 0;
	char buf[16];

	for (; i < values->nr && values->items[i].kind != ITEM_END; number++) {
		const struct item *item = &values->items[i++];
		char *name = NULL;

		if (item->len) {
			name = arena_text(item->name, item->len);
		} else if (!array) {
			snprintf(buf, sizeof(buf), "arg%u", number);
			name = arena_name(buf);
		}
		to = add_annotation(list, nr, name);
		if (item->kind == ITEM_VALUE)
			set_value(to, &item->value);
		else if (item->kind == ITEM_ARRAY)
			i = add_values(&to->array_values, &to->n_array_values,
				       values, i, true);
		else
			i = add_values(&to->dict_entries, &to->n_dict_entries,
				       values, i, false);
	}
	return i + 1;
}

static Perfetto__Protos__DebugAnnotation *annotate(Perfetto__Protos__TrackEvent *event,
						   const char *name)
{
	return add_annotation(&event->debug_annotations, &event->n_debug_annotations,
			      arena_name(name));
}

static void annotate_text(Perfetto__Protos__TrackEvent *event, const char *name,
			  const char *text)
{
	annotate(event, name)->string_value = arena_name(text);
}

static void annotate_number(Perfetto__Protos__TrackEvent *event, const char *name, s64 val)
{
	Perfetto__Protos__DebugAnnotation *to = annotate(event, name);

	to->has_int_value = true;
	to->int_value = val;
}

static void put_track(u64 uuid, u64 parent, const char *name, int tid)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__TrackDescriptor track = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
	Perfetto__Protos__ThreadDescriptor thread = PERFETTO__PROTOS__THREAD_DESCRIPTOR__INIT;

	packet.track_descriptor = &track;
	track.uuid = uuid;
	track.has_parent_uuid = parent;
	track.parent_uuid = parent;
	if (tid) {
		/* The recording does not have the thread's process */
		track.thread = &thread;
		thread.pid = tid;
		thread.tid = tid;
		thread.thread_name = arena_name(name);
	} else {
		track.name = arena_name(name);
	}
	put_packet(&packet);
}

/* The track of a task; the tracks of instances are below the task's track */
static u64 track(const struct calls *calls, struct task *task)
{
	const char *instance = task->buffer->name;
	const char *comm = task_comm(calls, task);
	u64 uuid = TRACK_TASK | task->id;
	char name[320];

	if (task->pid && !instance)
		uuid = TRACK_THREAD | (u32)task->pid;
	if (task->data)
		return uuid;
	task->data = 1;
	if (task->pid) {
		put_track(TRACK_THREAD | (u32)task->pid, 0, comm, task->pid);
		if (instance)
			put_track(uuid, TRACK_THREAD | (u32)task->pid, instance, 0);
	} else {
		snprintf(name, sizeof(name), "%s on CPU %d%s%s", comm, task->cpu,
			 instance ? " in " : "", instance ?: "");
		put_track(uuid, 0, name, 0);
	}
	return uuid;
}

static void put_track_event(Perfetto__Protos__TrackEvent *event, u64 time)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	packet.has_timestamp = true;
	packet.timestamp = time;
	packet.track_event = event;
	put_packet(&packet);
}

static void set_event(Perfetto__Protos__TrackEvent *event, u64 track,
		      Perfetto__Protos__TrackEvent__Type type)
{
	perfetto__protos__track_event__init(event);
	event->type = type;
	event->track_uuid = track;
}

static void set_category(Perfetto__Protos__TrackEvent *event, const char *name)
{
	event->categories = obstack_alloc(&arena, sizeof(*event->categories));
	event->n_categories = 1;
	event->categories[0] = arena_name(name);
}

static void perfetto_put_call(struct calls *calls, struct span *span, struct open *open)
{
	const struct values *args = span_args(span), *ret = span_ret(span);
	const struct values *changed = span_changed(span);
	Perfetto__Protos__DebugAnnotation *to;
	u64 uuid = track(calls, span->task);
	Perfetto__Protos__TrackEvent event;

	set_event(&event, uuid, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN);
	set_category(&event, span->func->module ?: "function");
	event.name = arena_name(func_name(span->func));
	if (args)
		add_values(&event.debug_annotations, &event.n_debug_annotations,
			   args, 0, false);
	put_track_event(&event, span->from);

	/* Because of the space, no argument can have one of these names */
	set_event(&event, uuid, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END);
	if (ret) {
		Perfetto__Protos__DebugAnnotation **list = NULL;
		size_t nr = 0;

		add_values(&list, &nr, ret, 0, false);
		if (nr) {
			list[0]->name = arena_name("return value");
			event.debug_annotations = list;
			event.n_debug_annotations = nr;
		}
	}
	if (changed) {
		to = annotate(&event, "changed values");
		add_values(&to->dict_entries, &to->n_dict_entries, changed, 0, false);
	}
	if (span->error && errname(span->error))
		annotate_text(&event, "returned error", errname(span->error) + 1);
	if (span->lost)
		annotate_text(&event, "lost part", span->lost == SPAN_NO_BEGIN ? "begin" : "end");
	put_track_event(&event, span->to);
}

static bool is_sched_event(const struct tep_event *event, const char *name)
{
	return !strcmp(event->system, "sched") && !strcmp(event->name, name);
}

/* Read a number field of an event. Returns 0 if the event has no such field. */
static u64 field_number(struct tep_event *event, struct tep_record *record, const char *name)
{
	u64 val = 0;

	bts_read_number(record, event, name, &val);
	return val;
}

/* Find a field's bytes. Returns NULL if the record does not have all of them. */
static const char *field_bytes(const struct tep_format_field *field,
			       const struct tep_record *record, unsigned int *len)
{
	u64 offset = field->offset, size = field->size, where;

	if (field->offset < 0 || field->size < 0 || offset + size > record->size)
		return NULL;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		where = tep_read_number(field->event->tep, record->data + offset, size);
		offset = where & 0xffff;
		if (field->flags & TEP_FIELD_IS_RELATIVE)
			offset += field->offset + size;
		size = where >> 16 & 0xffff;
		if (offset + size > record->size)
			return NULL;
	}
	*len = size;
	return (char *)record->data + offset;
}

static char *field_text(struct tep_event *event, const struct tep_record *record,
			const char *name)
{
	struct tep_format_field *field = tep_find_any_field(event, name);
	const char *bytes;
	unsigned int len;

	bytes = field ? field_bytes(field, record, &len) : NULL;
	return bytes ? arena_text(bytes, strnlen(bytes, len)) : NULL;
}

static void put_ftrace(Perfetto__Protos__FtraceEvent *event, int cpu, u64 time, int pid)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__FtraceEventBundle bundle = PERFETTO__PROTOS__FTRACE_EVENT_BUNDLE__INIT;

	event->timestamp = time;
	event->pid = pid;
	bundle.cpu = cpu;
	bundle.n_event = 1;
	bundle.event = &event;
	packet.ftrace_events = &bundle;
	put_packet(&packet);
}

static void put_switch(struct tep_event *event, struct tep_record *record, int pid)
{
	Perfetto__Protos__FtraceEvent ftrace = PERFETTO__PROTOS__FTRACE_EVENT__INIT;
	Perfetto__Protos__SchedSwitchFtraceEvent to;

	perfetto__protos__sched_switch_ftrace_event__init(&to);
	to.prev_comm = field_text(event, record, "prev_comm");
	to.next_comm = field_text(event, record, "next_comm");
	to.prev_pid = field_number(event, record, "prev_pid");
	to.prev_prio = field_number(event, record, "prev_prio");
	to.prev_state = field_number(event, record, "prev_state");
	to.next_pid = field_number(event, record, "next_pid");
	to.next_prio = field_number(event, record, "next_prio");
	ftrace.sched_switch = &to;
	put_ftrace(&ftrace, record->cpu, record->ts, pid);
}

static void put_wakeup(struct tep_event *event, struct tep_record *record, int pid, bool waking)
{
	Perfetto__Protos__FtraceEvent ftrace = PERFETTO__PROTOS__FTRACE_EVENT__INIT;
	Perfetto__Protos__SchedWakeupFtraceEvent to;

	perfetto__protos__sched_wakeup_ftrace_event__init(&to);
	to.comm = field_text(event, record, "comm");
	to.pid = field_number(event, record, "pid");
	to.prio = field_number(event, record, "prio");
	to.success = 1;
	to.target_cpu = field_number(event, record, "target_cpu");
	if (waking)
		ftrace.sched_waking = &to;
	else
		ftrace.sched_wakeup = &to;
	put_ftrace(&ftrace, record->cpu, record->ts, pid);
}

static void add_field(Perfetto__Protos__TrackEvent *to,
		      const struct tep_format_field *field,
		      const struct tep_record *record)
{
	Perfetto__Protos__DebugAnnotation *each;
	unsigned int len;
	const char *bytes = field_bytes(field, record, &len);
	u64 val;

	if (!bytes || (field->flags & TEP_FIELD_IS_ARRAY &&
		       !(field->flags & TEP_FIELD_IS_STRING)))
		return;
	each = annotate(to, field->name);
	if (field->flags & TEP_FIELD_IS_STRING) {
		each->string_value = arena_text(bytes, strnlen(bytes, len));
		return;
	}
	val = tep_read_number(field->event->tep, bytes, len);
	if (field->flags & TEP_FIELD_IS_SIGNED) {
		each->has_int_value = true;
		each->int_value = len && len < sizeof(val) ?
				  sign_extend64(val, len * 8 - 1) : val;
	} else if (field->flags & TEP_FIELD_IS_POINTER) {
		each->has_pointer_value = true;
		each->pointer_value = val;
	} else {
		each->has_uint_value = true;
		each->uint_value = val;
	}
}

/* Find the slices of a flow's stack */
static struct branch_track *find_branches(struct calls *calls, struct flow *flow)
{
	u32 id = flow->stack->nr;

	branch_tracks = array_grow(branch_tracks, &branch_tracks_room, id + 1,
				   sizeof(*branch_tracks));
	while (nr_branch_tracks <= id)
		branch_tracks[nr_branch_tracks++] = (struct branch_track){ };
	if (!branch_tracks[id].written) {
		put_track(TRACK_BRANCHES | id, track(calls, flow->task), "branches", 0);
		branch_tracks[id].written = true;
	}
	return &branch_tracks[id];
}

static void put_slice(struct branch_track *to, u32 id, u64 time,
		      const struct branch *begin)
{
	Perfetto__Protos__TrackEvent event;
	char text[512], kind[BTS_KIND_SIZE];
	const char *source;

	set_event(&event, TRACK_BRANCHES | id, begin ?
		  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN :
		  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END);
	to->time = max(time, to->time + 1);
	if (begin) {
		to->open++;
		set_category(&event, "branches");
		event.name = arena_name(place_text(begin->to, true, text, sizeof(text)));
		annotate_text(&event, "from",
			      place_text(begin->from, false, text, sizeof(text)));
		annotate_text(&event, "kind", bts_kind_text(&begin->move, kind));
		source = place_source(begin->from);
		if (source)
			annotate_text(&event, "source", source);
	} else {
		to->open--;
	}
	put_track_event(&event, to->time);
}

/* End the slices of calls that are no longer open */
static void end_slices(struct branch_track *to, u32 id, u64 time, unsigned int open)
{
	while (to->open > open)
		put_slice(to, id, time, NULL);
}

/* At a switch of tasks, the previous task's slices stay open if its calls are stored */
static void note_branches(struct calls *calls, struct flow *flow, const char *text)
{
	u32 id = flow->stack->nr;

	if (id < nr_branch_tracks)
		end_slices(&branch_tracks[id], id, flow->time, flow->stack->tree.nr);
}

static void perfetto_put_branch(struct calls *calls, struct flow *flow, const struct branch *branch)
{
	struct branch_track *to = find_branches(calls, flow);
	u32 id = flow->stack->nr;

	/* The task may have started with an empty stack of calls */
	end_slices(to, id, flow->time, branch->move.depth - branch->move.leave);
	if (branch->move.lost)
		end_slices(to, id, flow->time, 0);
	if (branch->move.enter)
		put_slice(to, id, flow->time, branch);
}

static void end_branches(struct calls *calls)
{
	u32 id;

	for (id = 0; id < nr_branch_tracks; id++)
		end_slices(&branch_tracks[id], id, 0, 0);
	free(branch_tracks);
}

static const struct view slices_view = {
	.name	= "perfetto",
	.note	= note_branches,
	.branch	= perfetto_put_branch,
	.end	= end_branches,
};

static void put_branches(struct calls *calls, struct task *task, struct tep_record *record,
			 u64 shown)
{
	if (branches == BRANCHES_NOT_YET) {
		branches = BRANCHES_OPEN;
		if (!branches_open(calls, &slices_view)) {
			branches = BRANCHES_FAILED;
			calls->damaged = true;
		}
	}
	if (branches == BRANCHES_OPEN)
		branches_put(calls, task, record, shown);
}

static void perfetto_put_other(struct calls *calls, struct task *task,
			       struct tep_record *record, u64 shown)
{
	struct tep_event *event = tep_find_event_by_record(calls->tep, record);
	const struct tep_format_field *field;
	Perfetto__Protos__TrackEvent to;
	u64 uuid;

	if (!event)
		return;
	if (graph_is_branches(event)) {
		put_branches(calls, task, record, shown);
		return;
	}
	if (is_sched_event(event, "sched_switch")) {
		put_switch(event, record, task->pid);
		return;
	}
	if (is_sched_event(event, "sched_wakeup") || is_sched_event(event, "sched_wakeup_new") ||
	    is_sched_event(event, "sched_waking")) {
		put_wakeup(event, record, task->pid, is_sched_event(event, "sched_waking"));
		return;
	}
	uuid = track(calls, task);
	set_event(&to, uuid, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT);
	set_category(&to, event->system);
	to.name = arena_name(event->name);
	for (field = event->format.fields; field; field = field->next)
		add_field(&to, field, record);
	put_track_event(&to, shown);
}

static void perfetto_put_lost(struct calls *calls, struct buffer *buffer, int cpu, u64 time,
			      long long nr)
{
	u64 uuid = TRACK_LOST | (u64)(buffer - calls->buffers) << 20 | cpu;
	Perfetto__Protos__TrackEvent event;
	char name[320];

	snprintf(name, sizeof(name), "lost events of CPU %d%s%s", cpu,
		 buffer->name ? " in " : "", buffer->name ?: "");
	put_track(uuid, 0, name, 0);
	set_event(&event, uuid, PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT);
	set_category(&event, "lost");
	event.name = arena_name("lost events");
	if (nr > 0)
		annotate_number(&event, "events", nr);
	put_track_event(&event, time);
}

/*
 * Write the release of the kernel. The bits of a task's state have other meanings in other
 * releases, so Perfetto needs the release to show the states.
 */
static bool put_system(struct calls *calls)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	Perfetto__Protos__SystemInfo system = PERFETTO__PROTOS__SYSTEM_INFO__INIT;
	Perfetto__Protos__Utsname name = PERFETTO__PROTOS__UTSNAME__INIT;

	if (!*calls->dat.release)
		return true;
	packet.system_info = &system;
	system.utsname = &name;
	name.sysname = arena_name("Linux");
	name.release = arena_name(calls->dat.release);
	name.machine = arena_name(calls->dat.machine);
	put_packet(&packet);
	return true;
}

static const struct calls_ops ops = {
	.open	= put_system,
	.slices	= true,
	.end	= perfetto_put_call,
	.event	= perfetto_put_other,
	.lost	= perfetto_put_lost,
};

int cmd_perfetto(int argc, char **argv)
{
	int first = options_parse(&options, argc, argv, 1), status;
	struct calls calls;

	if (first < 0)
		return ~first;
	out_data();
	obstack_begin(&arena, 0);
	arena_first = obstack_alloc(&arena, 0);
	calls_read(&calls, argv[first], options.filters, &ops, NULL);
	if (branches == BRANCHES_OPEN)
		branches_end(&calls);
	status = finish(&calls, &options);
	if (branches != BRANCHES_NOT_YET)
		branches_free();
	obstack_free(&arena, NULL);
	return status;
}
