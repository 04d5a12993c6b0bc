/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of gen_arg_sigs
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

/* Maximum depth of nested types; deeper ones are not from a compiler */
#define MAX_DEPTH	64

/* Registers that arguments are passed in */
#define NR_ARG_REGS	6

/* General registers, in the instruction set and in DWARF */
#define NR_GP_REGS	16

/* Words of the stack that slots have letters for */
#define NR_WORDS	26

/* Maximum length of a signature or a description */
#define MAX_TEXT	(1024 * 1024)

/* The reason why a site has no signature, or why a parameter has no place */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,	/* the object has none */
	REASON_NO_FUNCTION,	/* no function in the DWARF has the site */
	REASON_MALFORMED,	/* the DWARF cannot be read */
	REASON_CLONE,		/* IPA clone, or not the ABI's calling convention */
	REASON_LOCATION,	/* the DWARF location contradicts the ABI */
	REASON_FLOAT,		/* in a vector or floating-point register */
	REASON_STACK,		/* on the stack, at an unknown word or too far up */
	REASON_TYPE,		/* a type whose place is not known */
	REASON_LIMIT,		/* more longs than are captured of one call */
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
	bool has_sigs;		/* it has a table already */
	bool has_dwarf;
	bool all_funcs;		/* wanted: all functions of the DWARF, traceable or not */
	size_t nr_sorted;	/* sites in order, before others are added */
};

/* How a value is passed by the psABI, 3.2.3 */
enum abi_class {
	ABI_NO_CLASS,
	ABI_INTEGER,
	ABI_SSE,
	ABI_SSEUP,
	ABI_X87,
	ABI_X87UP,
	ABI_MEMORY,
	ABI_UNKNOWN,
};

/* How a value is returned */
enum abi_return {
	ABI_RETURN_RAX,
	ABI_RETURN_RAX_RDX,
	ABI_RETURN_MEMORY,	/* its address in RAX */
	ABI_RETURN_UNKNOWN,
};

/*
 * The members of a clang record that are as wide as their type. clang's DWARF does not
 * say whether such a member is a bit-field. If it is not aligned, a record with the
 * bit-field is in registers, and a record with the plain member is in memory.
 */
enum abi_wide { WIDE_UNKNOWN, WIDE_MEMBERS, WIDE_BITS };

/* The registers and words that the parameters before have used up */
struct abi_state {
	unsigned int ints;
	unsigned int sses;
	unsigned int words;
	unsigned int clang;	/* its version, 0 if it was gcc */
	enum abi_wide wide;	/* how wide members are taken */
	bool has_wide;		/* @wide makes a difference */
	bool split;		/* an __int128 has used up the last register */
	bool stack_lost;	/* the words are no longer known */
	bool lost;		/* neither words nor registers are known */
};

/* Where one parameter is */
struct abi_place {
	unsigned int longs;	/* eightbytes of it, one at least */
	bool aggregate;
	bool wide;		/* it has a member that enum abi_wide is about */
	bool memory;		/* on the stack, from @word on */
	unsigned int word;
	unsigned int ints;	/* argument registers that it has */
	char slots[2];		/* the slots of its longs if not in memory; '.' is removed */
	enum reason reason;	/* why some of its longs are not known */
};

/* Code of one function */
struct func {
	Dwarf_Addr low;
	Dwarf_Addr high;
	Dwarf_Die die;
	bool entry;		/* the function begins here, and is not only continued */
};

/* How a clone of gcc's differs from the function */
enum clone {
	CLONE_CONSTPROP	= 1,	/* parameters became constants */
	CLONE_PART	= 2,	/* a part of the function */
	CLONE_OTHER	= 4,	/* it may be passed values that were no parameters */
	CLONE_CONVENTION = 8,	/* it has another calling convention */
};

/* A part that is passed instead of a parameter */
struct piece {
	char slot;
	Dwarf_Die type;
	char *name;
};

/* One call of a function; @callee is 0 if the callee is not known */
struct call_site {
	Dwarf_Off callee;
	Dwarf_Addr return_pc;
	Dwarf_Die die;
	struct func caller;
	bool returns;		/* the caller's return value is its own */
};

struct param {
	Dwarf_Die die;		/* with its name and type */
	Dwarf_Die type;
	unsigned int size;	/* of the type, 0 if it is not known */
	Dwarf_Die concrete;	/* with its location */
	bool has_concrete;
	bool behind;		/* it is behind the parameters that the code has */
	bool sure;		/* the code has it for sure */
	bool removed;
	bool has_constant;	/* removed, and all calls have the same value for it */
	__s64 constant;
	struct piece pieces[NR_ARG_REGS];
	unsigned int nr_pieces;
	struct abi_place place;
};

/* One function in the making */
struct prototype {
	struct func *func;
	Dwarf_Addr begin;	/* the instruction behind the call of the tracer */
	struct param *params;
	size_t nr_params;
	bool varargs;
	unsigned int clang;	/* its version, 0 if it was gcc */
	bool external;
	bool taken;		/* its address is taken: anyone may call it */
	bool tracked;		/* gcc tracked the function's variables */
	bool untracked;		/* gcc was told not to track variables, for all of the object */
	bool optimized;		/* clang says that the code is optimized */
	enum abi_wide wide;
	bool has_wide;		/* @wide makes a difference */
	unsigned int clone;	/* enum clone, or 0 */
	bool changed;		/* clang says that it has removed something */
	bool has_ret;		/* it is not void */
	bool ret_kept;		/* its return value is known to be its own */
	Dwarf_Die ret_type;
	enum abi_return ret;
};

/* How an instruction ends: with the next instruction, or with a branch */
enum insn_end {
	INSN_NEXT,
	INSN_CALL,
	INSN_JUMP,
	INSN_RETURN,
	INSN_UNKNOWN,
};

/* The effects of one instruction; registers by their number in the instruction set */
struct insn {
	enum insn_end end;
	__u32 reads;		/* a bit for each register */
	__u32 writes;
	bool move;		/* @dest gets the value of @source or of memory */
	unsigned int dest;
	unsigned int source;	/* -1u: the value is in memory */
	unsigned int size;	/* of the value, in bytes */
	bool address;		/* @dest becomes @base plus @disp */
	bool branches;		/* to @disp behind it, if @disp is not 0 */
	bool memory;		/* it refers to memory */
	bool loads;		/* it reads the memory */
	bool stores;		/* it writes the memory */
	bool indexed;		/* by more than @base and @disp */
	unsigned int base;
	__s64 disp;
};

/* A sorted set of addresses */
struct addresses {
	__u64 *addrs;
	size_t nr;
};

/* Signatures of one object in the making */
struct sigs {
	struct pool strs;
	struct pool types;
	unsigned long sites[NR_REASONS];
	unsigned long params[NR_REASONS];
	unsigned long removed;		/* parameters, without those that are constants */
	unsigned long constants;
	unsigned long pieces;
	unsigned long returns;		/* return values that are not known */
	struct addresses taken;		/* addresses whose users are not known */
	struct addresses called;	/* functions that relocations show to be called */
	struct addresses called_near;	/* functions that code bytes may call */
	bool has_called;		/* these two are complete */
	struct object *obj;
	Dwarf *dwarf;
	struct call_site *calls;	/* NULL until they are needed */
	size_t nr_calls;
	struct addresses returns_to;	/* the addresses behind the calls */
	bool has_calls;
	const Elf_Data *loclists;	/* .debug_loclists or NULL */
	const Elf_Data *loc;		/* .debug_loc or NULL */
	Dwarf_Die *digests;	/* the types that signatures refer to, or NULL */
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
void object_close(struct object *obj);
const char *object_symbol(const struct object *obj, __u32 shndx,
			  __u64 offset, __u64 *symbol_offset);

/* sites.c */
const char *object_find_sites(struct object *obj);
void object_add_site(struct object *obj, __u64 low, __u64 high);
void object_sort_sites(struct object *obj);

/* relocate.c */
const char *object_relocate_dwarf(struct object *obj);

/* write.c */
const char *object_write(struct object *obj, const struct sigs *sigs, bool strip);

/* dump.c */
const char *object_dump(struct object *obj, bool addresses);
void object_dump_site(const struct object *obj, __u32 shndx, __u64 offset,
		      const char *sig, bool address);

/* signature.c */
void sigs_read(struct sigs *sigs, struct object *obj);

/* prototype.c */
unsigned int clang_version(Dwarf_Die *func);

/* evidence.c */
bool attr_is_list(Dwarf_Attribute *attr);
bool op_constant(const Dwarf_Op *op, __s64 *value);

/* clone.c */
void proto_place(struct sigs *sigs, struct prototype *proto);

/* refs.c */
void sigs_find_refs(struct sigs *sigs, struct object *obj);
bool sigs_is_called(struct sigs *sigs, __u64 addr, bool external);
void address_add(struct addresses *set, __u64 addr);
void address_sort(struct addresses *set);
bool address_in(const struct addresses *set, __u64 addr);
__u64 address_behind(const struct addresses *set, __u64 addr);

/* insn.c */
/* RAX, RCX, RDX, RSI, RDI and R8 to R11 do not survive a call */
#define INSN_CALL_WRITES	0x0fc7
extern const unsigned int insn_arg_regs[NR_ARG_REGS];
int insn_reg_of_dwarf(unsigned int nr);
unsigned int insn_decode(struct insn *insn, const unsigned char *p,
			 const unsigned char *end);

/* calls.c */
bool proto_is_used(struct sigs *sigs, const struct prototype *proto);
const unsigned char *code_at(const struct object *obj, Dwarf_Addr from, Dwarf_Addr to);
Dwarf_Addr call_behind(struct sigs *sigs, Dwarf_Addr pc);
struct call_site *call_first(struct sigs *sigs, const struct prototype *proto);
struct call_site *call_next(struct sigs *sigs, struct call_site *site);
bool call_param(const struct call_site *site, const struct param *param, Dwarf_Die *die);
bool call_value(Dwarf_Die *die, Dwarf_Attribute *attr, Dwarf_Op **ops, size_t *nr_ops);
bool proto_constant(struct sigs *sigs, const struct prototype *proto,
		    const struct param *param, __s64 *constant);

/* pieces.c */
bool may_have_pieces(const struct param *param);
void proto_find_pieces(struct sigs *sigs, struct prototype *proto);

/* types.c */
void sigs_add_type(struct sigs *sigs, struct text *out, Dwarf_Die *die);
void sigs_add_description(struct sigs *sigs, struct text *out,
			  const struct text *description);
unsigned int sigs_read_size(const Dwarf_Die *pointer, bool *is_const);
char basic_type_letter(Dwarf_Die *die);

/* digest.c */
char sigs_read_digest(struct sigs *sigs, const Dwarf_Die *pointer);
void sigs_add_digests(struct sigs *sigs);

/* die.c */
int die_type(Dwarf_Die *die, Dwarf_Die *type);
int die_peel(Dwarf_Die *die);
bool die_skip_qualifiers(Dwarf_Die *die);
bool die_is_const(const Dwarf_Die *type);
bool die_is_record(Dwarf_Die *die);
bool die_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *value);
bool die_constant(Dwarf_Die *die, __s64 *value);
bool die_count(Dwarf_Die *subrange, Dwarf_Word *count);
bool die_size(const Dwarf_Die *die, Dwarf_Word *size);
bool die_is_bit_int(Dwarf_Die *die);
bool die_bits(Dwarf_Die *member, Dwarf_Word location, Dwarf_Word *first,
	      Dwarf_Word *bits);

/* abi_class.c */
void abi_classify(struct abi_state *state, Dwarf_Die *die, Dwarf_Word *size,
		  bool *aggregate, enum abi_class class[2]);

/* abi.c */
enum abi_return abi_begin(struct abi_state *state, Dwarf_Die *ret,
			  unsigned int clang, enum abi_wide wide);
void abi_next(struct abi_state *state, Dwarf_Die *type, int word,
	      struct abi_place *place);
char abi_slot(const struct abi_place *place, unsigned int nr);
unsigned int abi_longs(Dwarf_Die *type);
int abi_arg_reg(unsigned int reg);

#endif /* _GEN_ARG_SIGS_H */
