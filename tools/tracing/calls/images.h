/* SPDX-License-Identifier: GPL-2.0 */
/* vmlinux, modules and the files of user space, see images.c */
#ifndef _TRACE_CALLS_IMAGES_H
#define _TRACE_CALLS_IMAGES_H

#include <stdbool.h>

#include <elfutils/libdwfl.h>

#include <linux/types.h>

#include "../traceevent/hash.h"

/**
 * struct code - a section of an image that has code
 * @index: number of the section in the file
 * @place: its place in a loaded module's code, IMAGE_FREED if it has none
 * @start: address when the branches were recorded, 0 if the section was not
 *	loaded, or is of a file of user space
 * @size: size in bytes
 * @inside: address according to libdwfl
 * @offset: offset in the file
 * @text: the code in the file
 */
struct code {
	size_t		index;
	u64		place;
	u64		start;
	u64		size;
	u64		inside;
	u64		offset;
	const u8	*text;
};

/* The place of a section that is no code, or that the kernel frees after the module's start */
#define IMAGE_FREED	(-1ULL)

/* The NOP of one byte */
#define NOP	0x90

/**
 * struct alternative - a site whose instructions the kernel replaces
 * @inside: the address according to libdwfl
 * @size: size in bytes
 * @insns: number of instructions, 0 if it is not known
 */
struct alternative {
	u64		inside;
	unsigned int	size;
	unsigned int	insns;
};

/**
 * struct image - vmlinux, a module, or a program or library
 * @next: the next image
 * @name: the name of the file
 * @dwfl: libdwfl's handle, which has only this image
 * @mod: libdwfl's module of the image
 * @is_module: the image is a module, whose code has to be relocated
 * @bias: libdwfl's offset to the addresses in the file
 * @codes: the sections with code
 * @nr: number of sections
 * @root: the folder at the start of source names, NULL if not known yet
 * @read_sites: @sites was read
 * @known_sites: @sites has all sites
 * @sites: the sites of alternatives in the order of their addresses
 * @nr_sites: number of sites
 * @ranges: the instructions between two branches, of struct pair
 * @taken: the branches of instructions, of struct pair
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
	bool		read_sites;
	bool		known_sites;
	struct alternative *sites;
	u32		nr_sites;
	struct hash	ranges;
	struct hash	taken;
};

/**
 * struct area - a file that is mapped in a task of user space
 * @next: the next area of the task
 * @file: the file
 * @image: its image, NULL if its code is not known
 * @moved: the code's addresses minus the addresses according to libdwfl
 * @entry: the address at which the kernel starts the file, if it is a program or its interpreter
 * @right: when a branch last led to the target of the instruction at its origin
 * @wrong: when a branch was last not one of the instruction at its origin
 */
struct area {
	struct area	*next;
	struct file	*file;
	struct image	*image;
	u64		moved;
	u64		entry;
	__uint128_t	right;
	__uint128_t	wrong;
};

extern const Dwfl_Callbacks image_callbacks;

/* images.c */
struct image *image_open(const char *name, int fd);
void image_close(struct image *image);
u64 *image_places(Elf *elf, bool unload, size_t *nr);
void images_add(struct image *image);
const struct code *image_code(const struct image *image, u64 inside);
unsigned int image_text(const struct image *image, u64 inside, const u8 **text);
void image_functions(struct image *image,
		     void (*func)(struct image *image, const char *name, u64 inside, u64 size));

/* maps.c */
const char *area_path(const struct area *area);

/* alternatives.c */
bool alternatives_known(struct image *image);
const struct alternative *alternative_find(const struct image *image, u64 inside);

#endif /* _TRACE_CALLS_IMAGES_H */
