/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The format of trace-cmd's files of version 6, for dat-read.c and dat-write.c
 *
 * See trace-cmd.dat.v6(5).  The head ends with the table of the first buffer, which has
 * the place of each CPU's pages.  An option has the place of an instance's table.
 */
#ifndef _TRACE_CALLS_DAT_H
#define _TRACE_CALLS_DAT_H

#include "unfold.h"

/* The text before a table */
#define TABLE_BEGIN		"flyrecord"
#define TABLE_BEGIN_SIZE	10

/*
 * The head of a page: the time, then the size of the events with the mark of lost events
 */
#define PAGE_COMMIT		8
#define PAGE_MISSED		0x80000000U
#define PAGE_MISSED_STORED	0x40000000U
#define PAGE_SIZE_MASK		0x07ffffffU
#define PAGE_MAX_SIZE		0x100000

/* The first word of an event: a type or a length, and nanoseconds since the last event */
#define TYPE_LENGTH_BEHIND	0
#define TYPE_MAX_WORDS		28
#define TYPE_PADDING		29
#define TYPE_TIME_EXTEND	30
#define TYPE_TIME		31
#define TYPE_BITS		5
#define TIME_BITS		27

/* Maximum nanoseconds in the first word and a time extend */
#define MAX_DELTA		((1ULL << (32 + TIME_BITS)) - 1)

/**
 * whole_words - round a size up to whole words of the ring buffer
 * @size: number of bytes
 *
 * Return: number of bytes, a multiple of 4.
 */
static inline u32 whole_words(u32 size)
{
	return (size + sizeof(u32) - 1) & -sizeof(u32);
}

/* dat-read.c */
bool dat_fail(const struct dat_in *in, u64 at, const char *why);
bool dat_read(const struct dat_in *in, void *bytes, u64 size, u64 at);

#endif /* _TRACE_CALLS_DAT_H */
