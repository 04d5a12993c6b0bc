/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of gen_arg_sigs share
 */
#ifndef _GEN_ARG_SIGS_H
#define _GEN_ARG_SIGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <libelf.h>

#include "../../include/linux/arg_sigs.h"

#define ARRAY_SIZE(arr) (sizeof(arr) / sizeof((arr)[0]))
#define fallthrough __attribute__((__fallthrough__))

/* Types nest so deep at most; what is deeper is not from a compiler */
#define MAX_DEPTH	64

/* One signature or description is so long at most */
#define MAX_TEXT	(1024 * 1024)

/* Why a site has no signature, or a parameter no place */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,	/* the object has none */
	REASON_NO_FUNCTION,	/* no function in the DWARF has the site */
	REASON_MALFORMED,	/* the DWARF cannot be read */
	REASON_CLONE,		/* IPA clone, or not the ABI's calling convention */
	REASON_LOCATION,	/* the DWARF location contradicts the ABI */
	REASON_STRUCT,		/* struct or union by value */
	REASON_FLOAT,		/* in a vector or floating-point register */
	REASON_STACK,		/* on the stack */
	REASON_TYPE,		/* a type whose place is not known */
	NR_REASONS,
};

/* Text that grows; @failed stays set once it is too long */
struct text {
	char *buf;
	size_t len;
	size_t size;
	bool failed;
};

/* Strings, each one once: the content of a string section */
struct pool {
	struct text text;
	__u32 *slots;
	size_t nslots;
	size_t count;
};

/* One address that ftrace may patch */
struct site {
	__u32 shndx;		/* section that it is in; 0 in a linked file */
	__u64 offset;	/* from the section's begin */
	const char *symbol;	/* function that it is in, or NULL */
	__u64 symbol_offset;
	enum reason reason;	/* why there is no signature */
	__u32 sig;		/* offset of the signature in the pool */
};

struct func_sym;

/* An ELF file; its sections have addresses of our own if it is relocatable */
struct object {
	const char *name;
	int fd;
	struct stat st;
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t nr_sections;
	size_t shstrndx;
	__u64 *base;		/* address of each section */
	size_t symtab;		/* index of the symbol table, or 0 */
	const Elf64_Sym *syms;
	size_t nr_syms;
	struct func_sym *funcs;	/* symbols of functions by address */
	size_t nr_funcs;
	struct site *sites;
	size_t nr_sites;
	bool has_sigs;		/* there is a table in it already */
	bool has_dwarf;
};

/* How a value is passed by the psABI, 3.2.3 */
enum abi_class {
	ABI_NO_CLASS,
	ABI_INTEGER,
	ABI_SSE,
	ABI_MEMORY,
	ABI_UNKNOWN,
};

/* What the parameters before have used up */
struct abi_state {
	unsigned int ints;
	unsigned int sses;
	bool clang;		/* compiled by it */
	bool lost;		/* no longer known */
};

/* Where one parameter is */
struct abi_place {
	unsigned int longs;	/* eightbytes of it, one at least */
	unsigned int ints;	/* argument registers that it has */
	unsigned int first;	/* the first of them */
	bool aggregate;
	enum reason reason;	/* why its longs are not known */
};

/* Signatures of one object in the making */
struct sigs {
	struct pool strs;
	struct pool types;
	unsigned long sites[NR_REASONS];
	unsigned long params[NR_REASONS];
	struct memo *memo;
	size_t nr_memo;
	size_t size_memo;
	bool malformed;
};

/* util.c */
extern const char * const reason_names[NR_REASONS];
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *p, size_t nr, size_t size);
char *xstrdup(const char *s);
void text_add(struct text *text, const char *s);
void text_addf(struct text *text, const char *fmt, ...);
void text_add_name(struct text *text, const char *name);
void text_reset(struct text *text);
__u32 pool_add(struct pool *pool, const char *s);

/* object.c */
const char *object_open(struct object *obj, const char *name);
const char *object_find_sites(struct object *obj);
const char *object_relocate_dwarf(struct object *obj);
const char *object_write(struct object *obj, const struct sigs *sigs);
const char *object_dump(struct object *obj);
const char *object_symbol(const struct object *obj, __u32 shndx,
			  __u64 offset, __u64 *symbol_offset);

/* signature.c */
void sigs_read(struct sigs *sigs, struct object *obj);

/* abi.c */
int die_peel(Dwarf_Die *die);
int die_type(Dwarf_Die *die, Dwarf_Die *type);
bool die_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *value);
void abi_begin(struct abi_state *state, Dwarf_Die *ret, bool clang);
void abi_next(struct abi_state *state, Dwarf_Die *type, struct abi_place *place);
unsigned int abi_longs(Dwarf_Die *type);
int abi_dwarf_reg(unsigned int nr);

#endif /* _GEN_ARG_SIGS_H */
