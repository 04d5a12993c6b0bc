// SPDX-License-Identifier: GPL-2.0
/*
 * What the program that loaded the plugin has for it
 *
 * All of it is looked for at run time: a program that only knows libtraceevent
 * has nothing of it, and the plugin does without.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "host.h"

struct tracecmd_input;

static struct {
	struct tep_record *(*peek)(struct tracecmd_input *input, int index);
	struct tep_record *(*read)(struct tracecmd_input *input, int index);
	void (*free)(struct tep_record *record);
	int (*overrides)(struct tracecmd_input *input, void *room);
} host;

/* Each thread has its own: the input that it took the last record from */
static __thread struct tracecmd_input **current_input;
static __thread bool looked_for_input;

/**
 * host_init - look for what there is
 */
void host_init(void)
{
	host.peek = dlsym(RTLD_DEFAULT, "tracecmd_peek_data");
	host.read = dlsym(RTLD_DEFAULT, "tracecmd_read_data");
	host.free = dlsym(RTLD_DEFAULT, "tracecmd_free_record");
	host.overrides = dlsym(RTLD_DEFAULT, "tracecmd_ftrace_overrides");
}

static struct tracecmd_input *input(void)
{
	if (!looked_for_input)
		current_input = dlsym(RTLD_DEFAULT, "tracecmd_curr_thread_handle");
	looked_for_input = true;
	return current_input ? *current_input : NULL;
}

/**
 * host_input - where the last record was taken from
 *
 * Return: the file or the buffer of it, NULL if that is not known.
 */
const void *host_input(void)
{
	return input();
}

/**
 * host_peek - look at the record that follows one on its CPU
 * @record: the one that was taken last
 * @index: where the CPU's index is left, for host_read()
 *
 * Return: the record, NULL if there is none or that cannot be told. It is not
 * to be freed.
 */
struct tep_record *host_peek(const struct tep_record *record, int *index)
{
	struct tracecmd_input *in = input();
	struct tep_record *next;

	if (!in || !host.peek || !host.read || !host.free)
		return NULL;
	/* Files have no place for a CPU that nothing was recorded of */
	for (*index = record->cpu; *index >= 0; --*index) {
		next = host.peek(in, *index);
		if (next && next->cpu == record->cpu)
			return next;
	}
	return NULL;
}

/**
 * host_read - take the record that host_peek() has shown
 * @index: the CPU's index
 *
 * Return: the record, which host_free() frees.
 */
struct tep_record *host_read(int index)
{
	return host.read(input(), index);
}

/**
 * host_free - free a record
 * @record: what host_read() returned
 */
void host_free(struct tep_record *record)
{
	host.free(record);
}

/**
 * host_damaged - print an event that is not as its format says
 * @s: where to
 *
 * Return: 0, what a handler returns that has printed its event; else libtraceevent
 * prints it, and reads fields wherever the format has them.
 */
int host_damaged(struct trace_seq *s)
{
	trace_seq_putc(s, '!');
	return 0;
}

/**
 * host_load_last - have libtraceevent load this plugin once more
 * @tep: who loads plugins
 *
 * The plugin that is loaded last has an event, and those of one folder come in
 * any order. Folders that are added come last: "last" beside this plugin has it
 * as well.
 */
void host_load_last(struct tep_handle *tep)
{
	const char *end;
	char *path;
	Dl_info info;

	if (!dladdr(host_load_last, &info))
		return;
	end = strrchr(info.dli_fname, '/');
	if (!end || asprintf(&path, "%.*s/last", (int)(end - info.dli_fname),
			     info.dli_fname) < 0)
		return;
	tep_add_plugin_path(tep, path, TEP_PLUGIN_LAST);
	free(path);
}

/* libtraceevent's plugin for the function tracer, if it is loaded */
static int find_function_plugin(struct dl_phdr_info *info, size_t size,
				void *data)
{
	const char *name = strrchr(info->dlpi_name, '/');
	void *plugin;

	if (!name || strcmp(name, "/plugin_function.so"))
		return 0;
	plugin = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!plugin)
		return 0;
	*(tep_plugin_load_func *)data = dlsym(plugin, TEP_PLUGIN_LOADER_NAME);
	dlclose(plugin);
	return 1;
}

/**
 * host_take_back - let others handle the tracers' events again
 * @tep: who has the events
 * @room: HOST_ROOM zeroed bytes for the program's handlers, of this @tep alone
 *
 * The program, and libtraceevent's plugin for the function tracer.
 */
void host_take_back(struct tep_handle *tep, void *room)
{
	tep_plugin_load_func function_plugin = NULL;
	struct tracecmd_input *in = input();
	int i;

	dl_iterate_phdr(find_function_plugin, &function_plugin);
	/* Options that were given without a value are toggled by each */
	for (i = 0; i < 2; i++) {
		if (in && host.overrides)
			host.overrides(in, room);
		if (function_plugin)
			function_plugin(tep);
	}
}
