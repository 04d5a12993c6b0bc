/* SPDX-License-Identifier: GPL-2.0 */
/* vmlinux and modules, see images.c */
#ifndef _TRACE_CALLS_IMAGES_H
#define _TRACE_CALLS_IMAGES_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

#include <linux/types.h>

/**
 * struct code - a section of an image that has code
 * @index: its number in the file
 * @start: where it was when the branches were recorded, 0 if it was not there
 * @size: its bytes
 * @inside: its address by libdwfl
 * @text: the code in the file
 */
struct code {
	size_t		index;
	u64		start;
	u64		size;
	u64		inside;
	const u8	*text;
};

/**
 * struct image - vmlinux or a module
 * @next: another one
 * @name: its file
 * @dwfl: libdwfl's handle, which has this image alone
 * @mod: the image for libdwfl
 * @is_module: it is a module, whose code has to be relocated
 * @bias: what libdwfl adds to the addresses in the file
 * @codes: its sections
 * @nr: number of sections
 * @root: the folder that names of sources begin with, NULL if not known yet
 */
struct image {
	struct image	*next;
	const char	*name;
	Dwfl		*dwfl;
	Dwfl_Module	*mod;
	bool		is_module;
	GElf_Addr	bias;
	struct code	*codes;
	unsigned int	nr;
	char		*root;
};

#endif /* _TRACE_CALLS_IMAGES_H */
