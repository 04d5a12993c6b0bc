/* SPDX-License-Identifier: GPL-2.0 */
/* The events of the bts tracer, see bts.c */
#ifndef _TRACEEVENT_BTS_H
#define _TRACEEVENT_BTS_H

struct tep_handle;

void bts_load(struct tep_handle *tep);
void bts_unload(struct tep_handle *tep);

#endif /* _TRACEEVENT_BTS_H */
