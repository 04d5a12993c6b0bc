// SPDX-License-Identifier: GPL-2.0
/*
 * Read the events of an instance while they are recorded
 *
 * Each CPU's buffer is read page by page, without waiting.  The streams are merged up to
 * the time when the round began.  All events before this time can be read, so no older
 * event comes later.
 */
#include <stdlib.h>
#include <string.h>

#include <kbuffer.h>

#include "arrays.h"
#include "live.h"

/**
 * struct live_cpu - a CPU's buffer
 * @tcpu: libtracefs's reader of the buffer
 * @kbuf: finds the events of @page
 * @page: a page of the buffer
 * @loaded: @kbuf has a page loaded
 * @dry: the buffer had no more events when it was read in this round
 * @record: the next event
 */
struct live_cpu {
	struct tracefs_cpu	*tcpu;
	struct kbuffer		*kbuf;
	void			*page;
	bool			loaded;
	bool			dry;
	struct tep_record	record;
};

static void live_read_next(struct live *live, int nr)
{
	struct stream *stream = &live->calls.streams[nr];
	struct live_cpu *cpu = &live->cpus[nr];
	unsigned long long ts;
	long long lost = 0;
	void *data;

	stream_next(stream, NULL);
	data = cpu->loaded ? kbuffer_next_event(cpu->kbuf, &ts) : NULL;
	while (!data) {
		cpu->loaded = false;
		if (cpu->dry || !cpu->tcpu ||
		    tracefs_cpu_read(cpu->tcpu, cpu->page, true) <= 0) {
			cpu->dry = true;
			return;
		}
		kbuffer_load_subbuffer(cpu->kbuf, cpu->page);
		cpu->loaded = true;
		lost = kbuffer_missed_events(cpu->kbuf) ?: lost;
		data = kbuffer_read_event(cpu->kbuf, &ts);
	}
	cpu->record = (struct tep_record){
		.ts		= ts,
		.data		= data,
		.size		= kbuffer_event_size(cpu->kbuf),
		.cpu		= nr,
		.missed_events	= lost,
	};
	stream_next(stream, &cpu->record);
}

/* Read the buffer's clock. If the clock is not known, all events are read. */
static u64 read_clock(struct live *live)
{
	unsigned long long seconds, micros;
	char *stats, *now;
	u64 time = -1ULL;

	stats = tracefs_instance_file_read(live->instance, "per_cpu/cpu0/stats", NULL);
	now = stats ? strstr(stats, "now ts: ") : NULL;
	if (now && sscanf(now, "now ts: %llu.%llu", &seconds, &micros) == 2)
		time = seconds * 1000000000ULL + micros * 1000;
	free(stats);
	return time;
}

/* Read the names of tasks. A name changes when the task executes another program. */
static void read_names(struct live *live)
{
	char *text = tracefs_instance_file_read(NULL, "saved_cmdlines", NULL);
	char *rest = text, *line, *comm;

	while (rest && (line = strsep(&rest, "\n"))) {
		comm = strchr(line, ' ');
		if (comm)
			tep_override_comm(live->calls.tep, comm + 1, atoi(line));
	}
	free(text);
}

/*
 * Read a whole text file. The caller frees the text, which is empty if there is no file.
 */
static char *read_file(const char *name)
{
	FILE *file = fopen(name, "r");
	char *text = NULL;
	size_t room = 0;

	if (!file || getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = xstrdup("");
	}
	if (file)
		fclose(file);
	return text;
}

/* Read the kernel's present functions. Returns false after a message on failure. */
static bool read_functions(struct live *live)
{
	static const char * const systems[] = { "ftrace", NULL };
	struct tep_handle *tep = tracefs_local_events_system(NULL, systems);
	char *symbols = read_file("/proc/kallsyms");
	struct calls *calls = &live->calls;

	if (!tep) {
		complain("the kernel's events and symbols cannot be read");
		free(symbols);
		return false;
	}
	/*
	 * Parse the symbols first, because decode_formats() finds signatures by their
	 * addresses
	 */
	tep_parse_kallsyms(tep, symbols);
	free(symbols);
	sigs_free(calls->sigs);
	if (calls->tep)
		tep_free(calls->tep);
	calls->tep = tep;
	calls->sigs = decode_formats(&calls->formats, tep);
	if (calls->sigs && decode_has_graph(&calls->formats))
		return true;
	complain(tep_find_event_by_name(tep, "ftrace", "arg_sigs") ?
		 "the kernel's signatures cannot be read" :
		 "this kernel has no signatures of its own, and no file of signatures fits: see \"trace-calls help signatures\"");
	return false;
}

/*
 * Keep the name, the size, the state, the address and the taints of each module of /proc/modules.
 * The number of users and their names change more often than the functions.
 */
static void keep_places(char *modules)
{
	char *rest = modules, *to = modules, *line;
	int name, state;
	size_t len;

	while ((line = strsep(&rest, "\n"))) {
		state = 0;
		if (sscanf(line, "%*s %*s%n %*s %*s%n", &name, &state) < 0 || !state)
			continue;
		len = strlen(line + state);
		memmove(to, line, name);
		memmove(to + name, line + state, len);
		to += name + len;
		*to++ = '\n';
	}
	*to = '\0';
}

/* Read the functions again if modules were loaded or unloaded since the last time */
static bool read_modules(struct live *live)
{
	char *modules = read_file("/proc/modules");
	bool same;

	keep_places(modules);
	same = live->modules && !strcmp(live->modules, modules);
	free(live->modules);
	live->modules = modules;
	return same || read_functions(live);
}

static struct stream *first_stream(struct live *live)
{
	struct stream *first = NULL, *stream;
	int i;

	for (i = 0; i < live->nr; i++) {
		stream = &live->calls.streams[i];
		if (!stream->record && !live->cpus[i].dry)
			live_read_next(live, i);
		if (stream->record && (!first || stream->record->ts < first->record->ts))
			first = stream;
	}
	return first;
}

/*
 * Read the new events, or all events if the instance has stopped recording. Returns the time up to
 * which events were read, 0 after a message if reading has to end.
 */
u64 live_read(struct live *live, bool all)
{
	u64 now = all ? -1ULL : read_clock(live);
	struct stream *stream;
	int i;

	if (!read_modules(live))
		return 0;
	for (i = 0; i < live->nr; i++)
		live->cpus[i].dry = false;
	read_names(live);
	while ((stream = first_stream(live)) && stream->record->ts <= now) {
		spans_event(&live->calls, stream);
		sigs_trim(live->calls.sigs);
		live_read_next(live, stream - live->calls.streams);
	}
	if (all)
		spans_end(&live->calls);
	return now;
}

static void open_cpu(struct live *live, int nr)
{
	struct live_cpu *cpu = &live->cpus[nr];
	int size;

	cpu->tcpu = tracefs_cpu_open(live->instance, nr, true);
	/* A CPU without a buffer records nothing */
	if (!cpu->tcpu)
		return;
	size = tracefs_cpu_read_size(cpu->tcpu);
	cpu->page = xmalloc(max(size, 0));
	cpu->kbuf = allocated(kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
					    KBUFFER_ENDIAN_SAME_AS_HOST));
}

static void open_buffer(struct live *live)
{
	struct calls *calls = &live->calls;
	int i;

	live->cpus = xcalloc(live->nr, sizeof(*live->cpus));
	calls->buffers = xcalloc(1, sizeof(*calls->buffers));
	calls->nr_buffers = 1;
	calls->streams = xcalloc(live->nr, sizeof(*calls->streams));
	calls->nr_streams = live->nr;
	for (i = 0; i < live->nr; i++) {
		calls->streams[i].buffer = calls->buffers;
		open_cpu(live, i);
	}
}

/*
 * Begin to read an instance's events. Returns false after a message if they cannot be read.
 * live_close() frees the memory, also then.
 */
bool live_open(struct live *live, struct tracefs_instance *instance,
	       const struct calls_ops *ops, void *data)
{
	struct calls *calls = &live->calls;

	memset(live, 0, sizeof(*live));
	live->instance = instance;
	live->nr = sysconf(_SC_NPROCESSORS_CONF);
	calls->file = tracefs_instance_get_name(instance);
	calls->ops = ops;
	calls->data = data;
	if (!read_modules(live))
		return false;
	spans_init(calls);
	open_buffer(live);
	return true;
}

void live_close(struct live *live)
{
	int i;

	for (i = 0; live->cpus && i < live->nr; i++) {
		if (live->cpus[i].tcpu)
			tracefs_cpu_close(live->cpus[i].tcpu);
		if (live->cpus[i].kbuf)
			kbuffer_free(live->cpus[i].kbuf);
		free(live->cpus[i].page);
	}
	free(live->cpus);
	free(live->modules);
	calls_free(&live->calls);
	if (live->calls.tep)
		tep_free(live->calls.tep);
}
