/* SPDX-License-Identifier: GPL-2.0 */
/* The signatures of a vmlinux or a module, see sigfile.c */
#ifndef _TRACE_CALLS_SIGFILE_H
#define _TRACE_CALLS_SIGFILE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "../traceevent/hash.h"

/**
 * struct sig_text - a growing text of signatures, descriptions or functions
 * @buf: the text; "~" ends each signature and each description
 * @len: its characters
 * @room: capacity of @buf
 * @known: the signatures in the text, by their hash
 */
struct sig_text {
	char		*buf;
	size_t		len;
	size_t		room;
	struct hash	known;
};

/**
 * struct sig_maker - the signatures of one file
 * @name: "vmlinux", or the name of the module
 * @build_id: the build ID as hexadecimal digits, "" if there is none
 * @release: the kernel's release, "" if the file does not have it
 * @types: the descriptions
 * @sigs: the signatures
 * @funcs: the functions
 * @nr: number of functions
 */
struct sig_maker {
	char		name[64];
	char		build_id[2 * 64 + 1];
	char		release[65];
	struct sig_text	types;
	struct sig_text	sigs;
	struct sig_text	funcs;
	unsigned int	nr;
};

/* main() of scripts/gen_arg_sigs/main.c */
int gen_arg_sigs_main(int argc, char **argv);

bool sigfile_read(struct sig_maker *maker, const char *path);
void sigfile_free(struct sig_maker *maker);

#endif /* _TRACE_CALLS_SIGFILE_H */
