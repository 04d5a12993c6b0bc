/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACEEVENT_FUZZ_H
#define _TRACEEVENT_FUZZ_H

#include <stddef.h>

#include <traceevent/event-parse.h>

/* plugin_graph_args.so */
int TEP_PLUGIN_LOADER(struct tep_handle *tep);
void TEP_PLUGIN_UNLOADER(struct tep_handle *tep);
extern struct tep_plugin_option graph_args_options[];

/* plugin_bts.so, with functions that objcopy has renamed */
int bts_loader(struct tep_handle *tep);
void bts_unloader(struct tep_handle *tep);

/* Symbols that the plugins look up in the loading program */
struct tracecmd_input;
struct tep_handle *tracecmd_get_tep(struct tracecmd_input *in);
struct tep_record *tracecmd_peek_data(struct tracecmd_input *in, int cpu);
struct tep_record *tracecmd_read_data(struct tracecmd_input *in, int cpu);
struct tep_record *tracecmd_read_at(struct tracecmd_input *in,
				    unsigned long long offset, int *cpu);
struct tep_record *tracecmd_read_cpu_first(struct tracecmd_input *in, int cpu);
void tracecmd_free_record(struct tep_record *record);

/* Functions that libFuzzer calls */
int fuzz_one(const unsigned char *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

#endif /* _TRACEEVENT_FUZZ_H */
