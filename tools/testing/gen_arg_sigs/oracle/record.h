/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generated callers use these functions to print the values that they pass and
 * get
 */
#include <stddef.h>

unsigned long random_long(void);
void mask_bits(void *mask, unsigned int bits);
void expect_call(const char *name);
void expect_value(const char *what, const void *value, const void *mask, size_t size);
void expect_member(const char *name, unsigned long value);
void run(void);
void record_return(void);

/* Start and end of static variables, defined by the linker */
extern char __data_start[], _end[];

/* arm64: the addresses of the nops, and what patched nops call */
extern unsigned int *__start___patchable_function_entries[];
extern unsigned int *__stop___patchable_function_entries[];
void record_call(void);
