/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that libFuzzer, the target and gen_arg_sigs share
 */
#ifndef _FUZZ_H
#define _FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Functions that libFuzzer calls. The last function belongs to libFuzzer. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* main() of gen_arg_sigs and its allocation functions, as renamed by run.sh */
int gen_arg_sigs_main(int argc, char **argv);
void *fuzz_calloc(size_t nr, size_t size);
void *fuzz_reallocarray(void *p, size_t nr, size_t size);
char *fuzz_strdup(const char *s);
void fuzz_free(void *p);

#endif /* _FUZZ_H */
