/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACEEVENT_FUZZ_H
#define _TRACEEVENT_FUZZ_H

#include <stddef.h>

#include <traceevent/event-parse.h>

/* The plugin's */
int TEP_PLUGIN_LOADER(struct tep_handle *tep);
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);

/* What the plugin looks for in the program that has loaded it */
struct tep_record *tracecmd_peek_data(void *input, int cpu);
struct tep_record *tracecmd_read_data(void *input, int cpu);
void tracecmd_free_record(struct tep_record *record);

/* What libFuzzer looks for */
int fuzz_one(const unsigned char *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif /* _TRACEEVENT_FUZZ_H */
