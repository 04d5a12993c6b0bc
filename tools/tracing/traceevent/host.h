/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program that loaded the plugin has for it: trace-cmd and libtracecmd,
 * which KernelShark uses, can look at the record that follows, and have handlers
 * of their own for the graph tracer's events.
 */
#ifndef _TRACEEVENT_HOST_H
#define _TRACEEVENT_HOST_H

/* What trace-cmd keeps of its handlers; up to 3.4 that has 24 bytes */
#define HOST_ROOM	1024

struct tep_handle;
struct tep_record;

void host_init(void);
int host_damaged(struct trace_seq *s);
void host_load_last(struct tep_handle *tep);
const void *host_input(void);
struct tep_record *host_peek(const struct tep_record *record, int *index);
struct tep_record *host_read(int index);
void host_free(struct tep_record *record);
void host_take_back(struct tep_handle *tep, void *room);

#endif /* _TRACEEVENT_HOST_H */
