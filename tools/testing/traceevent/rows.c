// SPDX-License-Identifier: GPL-2.0
/*
 * rows FILE [OTHER]
 *
 * Prints the rows of a recording's buffers downwards, upwards, in random order and in
 * one thread for each buffer.  The file is opened again each time, and a row has to be
 * the same each time.  A row also has to be the same if it is printed while the file
 * is read in order, as trace-cmd does, and if its buffer is opened after another
 * buffer was closed, because both may be at the same address.  With OTHER, this file
 * is read and closed between reading and printing a row.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>
#include <trace-cmd/trace-cmd.h>

#define MAX_BUFFERS	8
#define MAX_CPUS	8

enum order { DOWN, UP, RANDOM };

struct buffer {
	struct tracecmd_input	*in;
	enum order		order;
	unsigned long long	*offsets;
	char			**texts;
	int			nr;
};

struct file {
	struct tracecmd_input	*in;
	struct buffer		buffers[MAX_BUFFERS];
	int			nr;
};

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/*
 * Events are found one after the other, because tep_find_event() reads the last found
 * event twice, and another thread may find another event between the two reads.
 */
static pthread_mutex_t find_lock = PTHREAD_MUTEX_INITIALIZER;

static char *row(struct tracecmd_input *in, struct tep_record *record)
{
	struct tep_handle *tep = tracecmd_get_tep(in);
	struct tep_event *event;
	struct trace_seq s;
	char *text;

	trace_seq_init(&s);
	pthread_mutex_lock(&find_lock);
	event = tep_find_event_by_record(tep, record);
	if (!event || !event->handler)
		tep_print_event(tep, &s, record, "%s", TEP_PRINT_INFO);
	pthread_mutex_unlock(&find_lock);
	/* Get the plugin's text as tep_print_event() does */
	if (event && event->handler)
		event->handler(&s, record, event, event->context);
	trace_seq_terminate(&s);
	text = strdup(s.buffer);
	trace_seq_destroy(&s);
	return text;
}

static void add_offsets(struct buffer *buffer, int cpu)
{
	struct tep_record *record;

	for (record = tracecmd_read_cpu_first(buffer->in, cpu); record;
	     record = tracecmd_read_data(buffer->in, cpu)) {
		buffer->offsets = realloc(buffer->offsets, (buffer->nr + 1) *
					  sizeof(*buffer->offsets));
		buffer->offsets[buffer->nr++] = record->offset;
		tracecmd_free_record(record);
	}
}

static struct file *open_file(const char *name)
{
	struct file *file = calloc(1, sizeof(*file));
	int i, cpu;

	file->in = tracecmd_open(name, 0);
	if (!file->in)
		fail("the file cannot be opened");
	file->nr = tracecmd_buffer_instances(file->in) + 1;
	for (i = 0; i < file->nr; i++) {
		struct buffer *buffer = &file->buffers[i];

		buffer->in = i ? tracecmd_buffer_instance_handle(file->in, i - 1) :
				 file->in;
		for (cpu = 0; cpu < MAX_CPUS; cpu++)
			add_offsets(buffer, cpu);
		buffer->texts = calloc(buffer->nr, sizeof(*buffer->texts));
	}
	return file;
}

static void close_file(struct file *file)
{
	int i, n;

	for (i = 0; i < file->nr; i++) {
		for (n = 0; n < file->buffers[i].nr; n++)
			free(file->buffers[i].texts[n]);
		free(file->buffers[i].texts);
		free(file->buffers[i].offsets);
		if (i && file->buffers[i].in)
			tracecmd_close(file->buffers[i].in);
	}
	tracecmd_close(file->in);
	free(file);
}

/* Print rows that are read by their offsets, as in KernelShark */
static void *print_rows(void *data)
{
	struct buffer *buffer = data;
	struct tep_record *record;
	unsigned int seed = 1;
	int i, n;

	for (i = 0; i < buffer->nr; i++) {
		n = buffer->order == UP ? buffer->nr - 1 - i : i;
		if (buffer->order == RANDOM)
			n = rand_r(&seed) % buffer->nr;
		record = tracecmd_read_at(buffer->in, buffer->offsets[n], NULL);
		if (!record)
			fail("a record cannot be read");
		free(buffer->texts[n]);
		buffer->texts[n] = row(buffer->in, record);
		tracecmd_free_record(record);
	}
	return NULL;
}

static struct file *print_file(const char *name, enum order order, bool threads)
{
	struct file *file = open_file(name);
	pthread_t ids[MAX_BUFFERS];
	int i;

	for (i = 0; i < file->nr; i++) {
		file->buffers[i].order = order;
		if (!threads)
			print_rows(&file->buffers[i]);
		else if (pthread_create(&ids[i], NULL, print_rows, &file->buffers[i]))
			fail("no thread");
	}
	for (i = 0; threads && i < file->nr; i++)
		pthread_join(ids[i], NULL);
	return file;
}

static int find(const struct buffer *buffer, unsigned long long offset)
{
	int i;

	for (i = 0; i < buffer->nr; i++)
		if (buffer->offsets[i] == offset)
			return i;
	fail("a record that was not there");
	return 0;
}

/* Print rows while they are read */
static struct file *read_file(const char *name, const struct buffer *known)
{
	struct file *file = open_file(name);
	struct tep_record *record;
	int i, cpu, n;

	for (i = 0; i < file->nr; i++) {
		struct buffer *buffer = &file->buffers[i];

		for (cpu = 0; cpu < MAX_CPUS; cpu++) {
			for (record = tracecmd_read_cpu_first(buffer->in, cpu); record;
			     record = tracecmd_read_data(buffer->in, cpu)) {
				n = find(&known[i], record->offset);
				free(buffer->texts[n]);
				buffer->texts[n] = row(buffer->in, record);
				tracecmd_free_record(record);
			}
		}
	}
	return file;
}

/* Open an instance after the previous instance was closed */
static struct file *print_in_turn(const char *name)
{
	struct file *file = open_file(name);
	int i;

	for (i = 1; i < file->nr; i++) {
		tracecmd_close(file->buffers[i].in);
		file->buffers[i].in = NULL;
	}
	for (i = 1; i < file->nr; i++) {
		struct buffer *buffer = &file->buffers[i];

		buffer->in = tracecmd_buffer_instance_handle(file->in, i - 1);
		print_rows(buffer);
		tracecmd_close(buffer->in);
		buffer->in = NULL;
	}
	return file;
}

static void compare(const char *what, const struct file *expected, struct file *file)
{
	int rows = 0, wrong = 0, i, n;

	for (i = 0; i < file->nr; i++) {
		for (n = 0; n < file->buffers[i].nr; n++) {
			const char *one = expected->buffers[i].texts[n];
			const char *other = file->buffers[i].texts[n];

			if (!other)
				continue;
			rows++;
			if (strcmp(one, other) && wrong++ < 3)
				printf("buffer %d, row %d:\n-%s\n+%s\n", i, n, one, other);
		}
	}
	printf("%s: %d rows, %d others\n", what, rows, wrong);
	close_file(file);
	if (!rows || wrong)
		exit(1);
}

/* Read a row, read and close another file, and print the row */
static void print_behind(const char *name, const char *other, bool close_first)
{
	struct tracecmd_input *in = tracecmd_open(name, 0), *others;
	struct tep_record *record, *behind = NULL;

	others = tracecmd_open(other, 0);
	if (!in || !others)
		fail("the file cannot be opened");
	record = tracecmd_read_cpu_first(in, 0);
	if (close_first)
		behind = tracecmd_read_cpu_first(others, 0);
	else
		free(row(in, record));
	tracecmd_free_record(behind ?: tracecmd_read_cpu_first(others, 0));
	tracecmd_close(others);
	free(row(in, record));
	tracecmd_free_record(record);
	tracecmd_close(in);
}

int main(int argc, char **argv)
{
	struct file *down;

	if (argc > 2) {
		print_behind(argv[1], argv[2], true);
		print_behind(argv[1], argv[2], false);
		return 0;
	}
	if (argc != 2)
		return 1;
	down = print_file(argv[1], DOWN, false);
	compare("upwards", down, print_file(argv[1], UP, false));
	compare("randomly", down, print_file(argv[1], RANDOM, false));
	compare("upwards, in threads", down, print_file(argv[1], UP, true));
	compare("randomly, in threads", down, print_file(argv[1], RANDOM, true));
	if (down->nr > 2)
		compare("a buffer after another", down, print_in_turn(argv[1]));
	compare("while it is read", down, read_file(argv[1], down->buffers));
	close_file(down);
	return 0;
}
