// SPDX-License-Identifier: GPL-2.0
/*
 * kshark FILE		prints the text of KernelShark's Info column for each event,
 *			the last event first
 * kshark FILE FILE...	shows one recording after the other: rows on the screen, in
 *			any order, while threads search. A row has to be the same each
 *			time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kernelshark/libkshark.h>

struct rows {
	struct kshark_entry	**entries;
	char			**texts;
	ssize_t			nr;
	int			wrong;
};

static void compare(struct rows *rows, ssize_t n)
{
	char *info = kshark_get_info(rows->entries[n]);

	if (strcmp(info, rows->texts[n])) {
		if (!__atomic_fetch_add(&rows->wrong, 1, __ATOMIC_RELAXED))
			printf("row %zd:\n-%s\n+%s\n", n, rows->texts[n], info);
	}
	free(info);
}

static void *search(void *data)
{
	struct rows *rows = data;
	unsigned int seed = 1;
	ssize_t n;

	for (n = 0; n < rows->nr; n++)
		compare(rows, rand_r(&seed) % rows->nr);
	return NULL;
}

static int show(const char *name, bool print)
{
	struct kshark_context *context = NULL;
	struct rows rows = { NULL };
	pthread_t threads[2];
	int stream, i;
	ssize_t n;

	if (!kshark_instance(&context))
		return 1;
	stream = kshark_open(context, name);
	if (stream < 0)
		return 1;
	rows.nr = kshark_load_entries(context, stream, &rows.entries);
	if (rows.nr <= 0)
		return 1;
	rows.texts = calloc(rows.nr, sizeof(*rows.texts));
	for (n = rows.nr - 1; n >= 0; n--) {
		rows.texts[n] = kshark_get_info(rows.entries[n]);
		if (print)
			puts(rows.texts[n]);
	}
	for (i = 0; !print && i < 2; i++)
		pthread_create(&threads[i], NULL, search, &rows);
	for (n = 0; !print && n < rows.nr; n++)
		compare(&rows, n);
	for (i = 0; !print && i < 2; i++)
		pthread_join(threads[i], NULL);
	for (n = 0; n < rows.nr; n++) {
		free(rows.texts[n]);
		free(rows.entries[n]);
	}
	free(rows.texts);
	free(rows.entries);
	kshark_close(context, stream);
	if (!print)
		printf("%s: %zd rows, %d others\n", name, rows.nr, rows.wrong);
	return rows.wrong > 0;
}

int main(int argc, char **argv)
{
	struct kshark_context *context = NULL;
	int status = 0, i;

	for (i = 1; i < argc; i++)
		status |= show(argv[i], argc == 2);
	if (kshark_instance(&context))
		kshark_free(context);
	return status || argc < 2;
}
