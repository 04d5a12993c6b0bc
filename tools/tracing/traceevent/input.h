/* SPDX-License-Identifier: GPL-2.0 */
/* Access to the input of a record, see input.c */
#ifndef _TRACEEVENT_INPUT_H
#define _TRACEEVENT_INPUT_H

#include <stdbool.h>

#include <linux/types.h>

struct tep_handle;
struct tep_record;
struct tracecmd_input;

/**
 * struct row - a value of one record of a CPU
 * @offset: the record's place in the file
 * @value: the value, with a meaning of the plugin
 */
struct row {
	u64	offset;
	u64	value;
};

/**
 * struct rows - values of some records of a CPU, in the order of the file
 * @rows: the values
 * @nr: number of values
 * @failed: there was no memory for a value
 */
struct rows {
	struct row	*rows;
	size_t		nr;
	bool		failed;
};

/* Longs of libtracecmd's struct tracecmd_ftrace, of which 3 are used by version 1.3 */
#define INPUT_ROOM	32

/**
 * struct input_place - the place of a walk over the records of a CPU
 * @begun: the walk has visited a record
 * @ended: the walk has visited all records
 * @paused: set by the function that visits records to end the walk for now
 * @offset: the place of the last visited record
 * @time: the time of this record
 * @nr: number of records that were visited
 */
struct input_place {
	bool	begun;
	bool	ended;
	bool	paused;
	u64	offset;
	u64	time;
	u64	nr;
};

typedef void input_visit_func(struct tep_record *record, void *data);

bool record_fits(struct tep_handle *tep, const struct tep_record *record);
void input_init(void);
void input_forget(struct tep_handle *tep);
struct tracecmd_input *input_find(struct tep_handle *tep);
struct tep_record *input_peek(struct tracecmd_input *in,
			      const struct tep_record *record, int *index);
void input_skip(struct tracecmd_input *in, int index);
bool input_restore(struct tep_handle *tep, struct tracecmd_input *in, u64 *room);
bool input_walk(struct tracecmd_input *in, const struct tep_record *record,
		struct input_place *place, input_visit_func *visit, void *data);

void rows_add(struct rows *rows, u64 offset, u64 value);
bool rows_find(const struct rows *rows, u64 offset, u64 *value);
void pages_add(struct rows *pages, const struct tep_record *record);
bool pages_have(const struct rows *pages, const struct tep_record *record);
void rows_free(struct rows *rows);

#endif /* _TRACEEVENT_INPUT_H */
