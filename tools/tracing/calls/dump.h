/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a crashed kernel, see dump.c */
#ifndef _TRACE_CALLS_DUMP_H
#define _TRACE_CALLS_DUMP_H

#include <stdbool.h>

#include <elfutils/libdw.h>
#include <libkdumpfile/kdumpfile.h>

#include <linux/types.h>

/* The kernel's code; symbols below are offsets in per-CPU memory */
#define DUMP_CODE	0xffffffff80000000ULL

/* The most elements of a list that are followed */
#define DUMP_LIST_MAX	1000000

/**
 * struct dump_symbol - a symbol of the kernel or of a module
 * @addr: its address in the dump
 * @name: the name
 * @module: the module, NULL for a symbol of vmlinux
 * @order: the place in the symbol table, for symbols of one address
 * @letter: the letter that /proc/kallsyms has for it
 */
struct dump_symbol {
	u64		addr;
	char		*name;
	const char	*module;
	u32		order;
	char		letter;
};

/**
 * struct dump_type - a structure, a variable or an enumerator of the debug info
 * @name: the name
 * @die: its entry
 */
struct dump_type {
	const char	*name;
	Dwarf_Die	die;
};

/**
 * struct dump_member - a place in a structure
 * @offset: bytes from the begin of the structure
 * @size: bytes of the member, 0 if they are not known
 * @bit: the lowest bit of a bit field in these bytes
 * @bits: number of bits of a bit field, else 0
 */
struct dump_member {
	u64	offset;
	u64	size;
	u64	bit;
	u64	bits;
};

/**
 * struct dump - a dump with the vmlinux of its kernel
 * @name: the name of the dump
 * @image: the name of the vmlinux
 * @fd: the dump
 * @image_fd: the vmlinux
 * @kdump: libkdumpfile's handle
 * @elf: the vmlinux
 * @dwarf: the debug info of @elf
 * @slide: bytes by which the kernel was moved (KASLR)
 * @types: the types that were found
 * @nr_types: number of elements of @types
 * @symbols: the symbols by their addresses
 * @nr_symbols: number of elements of @symbols
 * @names: the symbols of vmlinux by their names
 * @nr_names: number of elements of @names
 * @why: the reason of the last failure
 */
struct dump {
	const char		*name;
	const char		*image;
	int			fd;
	int			image_fd;
	kdump_ctx_t		*kdump;
	Elf			*elf;
	Dwarf			*dwarf;
	u64			slide;
	struct dump_type	*types;
	unsigned int		nr_types;
	struct dump_symbol	*symbols;
	unsigned int		nr_symbols;
	struct dump_symbol	*names;
	unsigned int		nr_names;
	char			why[256];
};

/**
 * struct dump_list - a walk over a list
 * @head: the address of the list's struct list_head
 * @offset: the place of the struct list_head in each element
 * @back: from the last element to the first
 * @node: the struct list_head of the last element that was found; 0 before the first
 * @nr: the number of elements that were found
 * @damaged: the list is damaged, see @why of struct dump
 */
struct dump_list {
	u64		head;
	u64		offset;
	bool		back;
	u64		node;
	unsigned int	nr;
	bool		damaged;
};

bool dump_open(struct dump *dump, const char *image, const char *name,
	       const char * const *types);
void dump_close(struct dump *dump);
bool dump_fail(struct dump *dump, const char *format, ...) __printf(2, 3);
bool dump_read(struct dump *dump, u64 addr, void *bytes, size_t size);
char *dump_string(struct dump *dump, u64 addr);
bool dump_variable(struct dump *dump, const char *name, u64 *addr);
bool dump_member(struct dump *dump, const char *type, const char *name,
		 struct dump_member *member);
bool dump_take(struct dump *dump, u64 addr, const char *type, const char *name, u64 *val);
bool dump_size(struct dump *dump, const char *type, u64 *size);
bool dump_extent(struct dump *dump, const char *name, u64 *size);
bool dump_constant(struct dump *dump, const char *name, u64 *val);
u64 dump_next(struct dump *dump, struct dump_list *list);
void dump_add_symbol(struct dump *dump, u64 addr, char letter, const char *name,
		     const char *module);
void dump_sort_symbols(struct dump *dump);
const struct dump_symbol *dump_find_symbol(const struct dump *dump, u64 addr);

#endif /* _TRACE_CALLS_DUMP_H */
