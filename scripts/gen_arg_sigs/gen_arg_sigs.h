/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations shared by the files of gen_arg_sigs
 *
 * Each file has a section with its structures and functions.
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

/* Maximum depth of nested types. Compilers do not emit deeper types. */
#define MAX_DEPTH	64

/* Number of stack words that slots have letters for */
#define NR_WORDS	26

struct sigs;
struct prototype;
struct param;

/*
 * util.c
 */

/* Maximum length of a signature or a description */
#define MAX_TEXT	(1024 * 1024)

/* The reason why a site has no signature, or why a parameter has no place */
enum reason {
	REASON_NONE,
	REASON_NO_DWARF,	/* the object has no DWARF */
	REASON_NO_FUNCTION,	/* no function in the DWARF contains the site */
	REASON_MALFORMED,	/* the DWARF cannot be read */
	REASON_SPLIT,		/* the DWARF is in another file */
	REASON_LANGUAGE,	/* the function is not written in C */
	REASON_NO_TYPES,	/* the DWARF has no types and parameters (-g1) */
	REASON_CLONE,		/* IPA clone, or not the ABI's calling convention */
	REASON_LOCATION,	/* the DWARF location contradicts the ABI */
	REASON_FLOAT,		/* in a vector or floating-point register */
	REASON_STACK,		/* on the stack, at an unknown word or beyond NR_WORDS */
	REASON_TYPE,		/* the ABI's place of the type is not known */
	REASON_LIMIT,		/* the capture of one call has no room for the longs */
	NR_REASONS,
};

extern const char * const reason_names[NR_REASONS];

/* A growing text; @failed is set if the text is too long, and stays set */
struct text {
	char *buf;
	size_t len;
	size_t size;
	bool failed;
};

/* A set of strings: the content of a string section, and a tree of its strings */
struct pool {
	struct text text;
	void *tree;
};

/*
 * An error, with the function of gen_arg_sigs that found it.  Errors travel up to main(),
 * because an object that cannot be read has to stay as it is.
 */
#define ERROR(error)	error_in(__func__, error)

const char *error_in(const char *func, const char *error);
void *xcalloc(size_t nr, size_t size);
void *xrealloc(void *p, size_t nr, size_t size);
void *xgrow(void *p, size_t nr, size_t size);
char *xstrdup(const char *s);
void *tree_add(void **tree, const void *key, size_t size,
	       int (*compare)(const void *a, const void *b));
size_t lower_bound(const void *key, const void *base, size_t nr, size_t size,
		   int (*compare)(const void *key, const void *element));
void text_add(struct text *text, const char *s);
void text_addf(struct text *text, const char *fmt, ...);
void text_add_name(struct text *text, const char *name);
void text_reset(struct text *text);
__u32 pool_add(struct pool *pool, const char *s);

/* Note that the DWARF is malformed, and the function of gen_arg_sigs that found this */
#define SET_MALFORMED(sigs)	sigs_set_malformed(sigs, __func__)

void sigs_set_malformed(struct sigs *sigs, const char *func);

/*
 * machine.c
 */

/* Maximum registers that pass arguments */
#define MAX_ARG_REGS	8

/* What a relocation writes */
enum reloc {
	RELOC_OTHER,
	RELOC_ADDRESS,		/* the address in all of its bytes */
	RELOC_RELATIVE,		/* the distance of the address from the relocation */
	RELOC_PART,		/* a part of the address, into an instruction */
	RELOC_CALL,		/* the distance, into a call or a jump */
};

/* A system call's stub: the function of its parameters, and their words in struct pt_regs */
struct stub {
	const char *prefix;
	const char *call;
	const char *words;
	bool defines;		/* the stub of a call without parameters is its definition */
};

struct abi_state;
struct abi_place;
struct effects;
struct object;

/*
 * What the other files need to know about an object's machine.  Registers have their number
 * in the instruction set, except for those of DWARF.
 */
struct machine {
	unsigned int elf;		/* e_machine */

	/* Relocations, and code */
	unsigned int rel32;		/* a distance of 32 bits */
	enum reloc (*reloc)(unsigned int type, unsigned int *size);
	unsigned int call_bias;		/* a call's distance is from its end: the operand's size */
	unsigned int code_align;	/* of instructions */
	unsigned int (*jump_target)(const unsigned char *p, size_t left, __u64 addr,
				    __u64 *target);
	/* May be NULL: nothing is known about the code */
	unsigned int (*effects)(struct effects *effects, const unsigned char *p,
				const unsigned char *end);
	bool (*saves)(const unsigned char *code, size_t size, unsigned int reg);

	/* The sites */
	const char *fentry;		/* the symbol that the tracer's calls refer to, or NULL */
	bool patchable;			/* __patchable_function_entries has the sites */
	/* The address of the tracer's call, from a record; the address after the call */
	__u64 (*site)(const struct object *obj, __u32 shndx, __u64 offset);
	__u64 (*begin)(const struct object *obj, __u64 addr);
	/* Whether code pushes the static chain of a nested function; may be NULL */
	bool (*pushes_chain)(const unsigned char *code, size_t size);
	/* The address of a function, from the address that DWARF has for it */
	__u64 (*entry)(const struct object *obj, __u64 low);
	bool late;			/* gcc's DWARF begins after the tracer's call */

	/* Registers */
	unsigned int nr_arg_regs;
	unsigned int arg_regs[MAX_ARG_REGS];	/* in the ABI's order */
	unsigned int dwarf_arg_regs[MAX_ARG_REGS];
	unsigned int nr_dwarf_regs;	/* general registers in DWARF */
	unsigned int dwarf_sp, dwarf_fp;
	unsigned int sp, fp;
	__u32 scratch;			/* read for other reasons than a parameter */
	__u32 saved;			/* a function saves these before it uses them */
	__u32 saved_args;		/* saved registers that may have a parameter elsewhere */
	__u32 call_writes;		/* do not survive a call */

	/* The calling convention */
	enum abi_return (*abi_return)(struct abi_state *state, Dwarf_Die *type);
	void (*abi_next)(struct abi_state *state, Dwarf_Die *type, int word,
			 struct abi_place *place);
	bool references;		/* large records are passed by their address */
	bool ms_abi;			/* gcc has ms_abi */
	unsigned int gcc_none;		/* the first gcc that has preserve_none */
	const struct stub *stubs;	/* ends with an empty one */
};

/* The machine of the object */
extern const struct machine *machine;

int arg_reg_of_dwarf(unsigned int reg);
unsigned int effects_read(struct effects *effects, const unsigned char *p,
			  const unsigned char *end);
unsigned int size_longs(Dwarf_Word size);
unsigned int abi_longs(Dwarf_Die *type);
char abi_slot(const struct abi_place *place, unsigned int nr);

/*
 * x86.c, arm64.c
 */

extern const struct machine machine_x86;
extern const struct machine machine_arm64;

/*
 * object.c
 */

struct func_sym;

/*
 * An ELF file. gen_arg_sigs gives the sections of a relocatable file their addresses.
 */
struct object {
	const char *name;
	int fd;
	struct stat st;
	Elf *elf;
	GElf_Ehdr ehdr;
	size_t nr_sections;
	size_t shstrndx;
	__u64 *base;		/* address of each section */
	__u32 *by_addr;		/* the allocated sections, by their addresses */
	size_t nr_by_addr;
	size_t symtab;		/* index of the symbol table, or 0 */
	const Elf64_Sym *syms;
	size_t nr_syms;
	struct func_sym *funcs;	/* symbols of functions by address */
	size_t nr_funcs;
	struct site *sites;
	size_t nr_sites;
	size_t nr_sorted;	/* number of sorted sites at the start of @sites */
	bool has_sigs;		/* the file already has a table of signatures */
	bool has_dwarf;
	bool all_funcs;		/* every function of the DWARF becomes a site */
};

/* Number of added sections: three, and the relocations of the first */
#define NR_NEW_SECTIONS	4

bool object_is_relocatable(const struct object *obj);
Elf64_Shdr *section_header(Elf *elf, size_t index);
__u64 section_address(const struct object *obj, size_t index);
const char *section_name(const struct object *obj, const Elf64_Shdr *shdr);
Elf_Data *section_data(Elf *elf, size_t index);
size_t section_find(const struct object *obj, const char *name);
bool section_is_table(const Elf64_Shdr *shdr);
const Elf64_Rela *section_relas(const struct object *obj, size_t index, size_t *nr);
size_t object_find_symbol(const struct object *obj, const char *name, bool defined);
__u64 object_symbol_value(const struct object *obj, const char *name);
const char *object_open(struct object *obj, const char *name);
void object_close(struct object *obj);
size_t object_section(const struct object *obj, __u64 addr);
const char *object_symbol(const struct object *obj, __u32 shndx,
			  __u64 offset, __u64 *symbol_offset);
const char *object_relocate_dwarf(struct object *obj);
const char *object_twin(const struct object *obj, __u32 shndx, __u64 value, size_t nr);
const char *object_site_name(const struct object *obj, const struct site *site, size_t nr);
bool symbol_is_of(const char *symbol, const char *name);
bool object_has_function(const struct object *obj, const char *name);

/*
 * sites.c
 */

/* One address that ftrace may patch */
struct site {
	__u32 shndx;		/* the site's section; 0 in a linked file */
	__u64 offset;		/* from the start of the section */
	const char *symbol;	/* function that contains the site, or NULL */
	__u64 symbol_offset;
	enum reason reason;	/* why there is no signature */
	__u32 sig;		/* offset of the signature in the pool */
};

const char *object_find_sites(struct object *obj);
void object_add_site(struct object *obj, __u64 low, __u64 high);
void object_sort_sites(struct object *obj);

/*
 * write.c
 */

const char *object_write(struct object *obj, const struct sigs *sigs, bool strip);

/*
 * die.c
 */

/* The first clang whose DWARF marks a bit-field that is as wide as its type */
#define CLANG_MARKS_WIDE	19

unsigned int clang_version(Dwarf_Die *func);
const char *producer_of(Dwarf_Die *func);
int die_type(Dwarf_Die *die, Dwarf_Die *type);
int die_next(Dwarf_Die *die, int tag);
int die_child(Dwarf_Die *die, int tag, Dwarf_Die *child);
bool die_origin(Dwarf_Die *die, Dwarf_Die *origin);
bool die_find_type(const Dwarf_Die *other, int tag, const char *name, Dwarf_Die *type);
int die_peel(Dwarf_Die *die);
bool die_skip_qualifiers(Dwarf_Die *die);
bool die_is_const(const Dwarf_Die *type);
bool die_is_atomic(const Dwarf_Die *type);
bool die_is_complex(Dwarf_Die *type);
bool die_is_typedef(const Dwarf_Die *type, const char *name);
bool die_is_record(Dwarf_Die *die);
bool die_udata(Dwarf_Die *die, unsigned int name, Dwarf_Word *value);
bool die_constant(Dwarf_Die *die, __s64 *value);
bool die_count(Dwarf_Die *subrange, Dwarf_Word *count);
bool die_size(const Dwarf_Die *die, Dwarf_Word *size);
bool die_is_bit_int(Dwarf_Die *die);
bool die_bits(Dwarf_Die *member, Dwarf_Word location, Dwarf_Word *first,
	      Dwarf_Word *bits);
bool die_may_be_bits(Dwarf_Die *member);
bool die_is_placed(Dwarf_Die *record, Dwarf_Die *member);
bool attr_is_list(Dwarf_Attribute *attr);
bool op_constant(const Dwarf_Op *op, __s64 *value);

/*
 * types.c
 */

void sigs_add_type(struct sigs *sigs, struct text *out, Dwarf_Die *die);
void sigs_add_description(struct sigs *sigs, struct text *out,
			  const struct text *description);
unsigned int sigs_read_size(const Dwarf_Die *pointer, bool *is_const);
char basic_type_letter(Dwarf_Die *die);
void text_add_enumerator(struct text *out, const char *name, __s64 value, __s64 *next);

/*
 * flags.c
 */

struct flag_set;

const struct flag_set *flags_find_member(Dwarf_Die *type, const char *name);
const struct flag_set *flags_find(Dwarf_Die *func, Dwarf_Die *param);
bool sigs_add_named_type(struct sigs *sigs, struct text *out, const struct flag_set *set,
			 Dwarf_Die *die);

/*
 * digest.c
 */

char sigs_read_digest(struct sigs *sigs, const Dwarf_Die *pointer);
void sigs_add_digests(struct sigs *sigs);

/*
 * align.c
 */

/* How a parameter's type is aligned, as far as DWARF tells */
struct alignment {
	bool clang;
	bool sure;
};

Dwarf_Word members_align(Dwarf_Die *die, struct alignment *how, unsigned int depth);
Dwarf_Word type_align(Dwarf_Die *die, struct alignment *how, unsigned int depth);

/*
 * abi.c, abi_arm64.c
 */

/* The registers and stack words that the preceding parameters use */
struct abi_state {
	unsigned int ints;
	unsigned int sses;
	unsigned int words;
	unsigned int clang;	/* version of clang, 0 for gcc */
	bool split;		/* x86-64: an __int128 uses the last register */
	bool stack_lost;	/* the next free word is not known */
	bool lost;		/* neither the next free word nor register is known */
};

/* How a value is returned */
enum abi_return {
	ABI_RETURN_ONE,
	ABI_RETURN_TWO,
	ABI_RETURN_MEMORY,	/* the first register has the address of the value */
	ABI_RETURN_UNKNOWN,
};

/* The place of one parameter */
struct abi_place {
	unsigned int longs;	/* number of eightbytes, at least 1 */
	bool aggregate;
	bool memory;		/* on the stack, starting at @word */
	bool reference;		/* the only long or word has the address of the value */
	unsigned int word;
	unsigned int ints;	/* number of argument registers */
	bool even;		/* the first register has an even number */
	char slots[2];		/* slots of the longs if not in memory; '.': removed */
	enum reason reason;	/* why some of the longs are not known */
	const char *why;	/* the evidence for the place, for --debug; may be NULL */
};

enum abi_return abi_begin(struct abi_state *state, Dwarf_Die *ret, unsigned int clang);
enum abi_return abi_return_x86(struct abi_state *state, Dwarf_Die *type);
void abi_next_x86(struct abi_state *state, Dwarf_Die *type, int word, struct abi_place *place);
enum abi_return abi_return_arm64(struct abi_state *state, Dwarf_Die *type);
void abi_next_arm64(struct abi_state *state, Dwarf_Die *type, int word,
		    struct abi_place *place);

/*
 * insn.c
 */

/* Where the code goes on after an instruction */
enum flow {
	FLOW_NEXT,
	FLOW_CALL,
	FLOW_JUMP,
	FLOW_RETURN,
	FLOW_UNKNOWN,
};

/*
 * The effects of one instruction. Registers have their number in the instruction set.
 */
struct effects {
	enum flow flow;
	__u32 reads;		/* a bit for each register */
	__u32 writes;
	bool branches;		/* to @disp after the instruction, if @disp is not 0 */
	bool memory;		/* the instruction refers to memory */
	bool loads;		/* the instruction reads the memory */
	bool stores;		/* the instruction writes the memory */
	bool indexed;		/* the address is not just @base plus @disp */
	unsigned int base;
	__s64 disp;
};

unsigned int effects_x86(struct effects *effects, const unsigned char *p,
			 const unsigned char *end);

/*
 * calls.c
 */

/* One range of the code of a function */
struct func {
	Dwarf_Addr low;
	Dwarf_Addr high;
	Dwarf_Die die;
	bool entry;		/* the first range, which has the function's entry */
	bool usual;		/* each function of the unit has the usual calling convention */
	enum reason reason;	/* why the function has no signature */
};

/* A sorted set of addresses */
struct addresses {
	__u64 *addrs;
	size_t nr;
};

/* A call or a jump, or bytes that look like one */
struct jump {
	__u64 target;
	__u64 next;		/* the address after the instruction */
	bool near;		/* it has no relocation */
};

/* The references to the functions of an object */
struct refs {
	struct addresses taken;		/* addresses whose users are not known */
	struct addresses entries;	/* the entries of all functions in the DWARF */
	struct jump *jumps;		/* by the target, if @complete */
	size_t nr_jumps;
	bool complete;			/* @jumps includes the jumps without relocations */
};

void sigs_find_refs(struct sigs *sigs, struct object *obj);
bool sigs_is_called(struct sigs *sigs, __u64 addr, bool external);
bool sigs_is_called_from(struct sigs *sigs, __u64 addr, __u64 low, __u64 high);
void address_add(struct addresses *set, __u64 addr);
void address_sort(struct addresses *set);
bool address_in(const struct addresses *set, __u64 addr);

/* One call of a function; @callee is 0 if the callee is not known */
struct call_site {
	Dwarf_Off callee;
	Dwarf_Addr return_pc;
	Dwarf_Die die;
	struct func caller;
	Dwarf_Die scope;	/* the function, maybe an inlined one, whose body has the call */
	bool returns;		/* the compiler did not remove the caller's return value */
};

/* The calls in an object */
struct calls {
	struct call_site *sites;	/* by the callee */
	size_t nr;
	struct addresses returns;	/* the return addresses of the calls */
	struct addresses wrappers;	/* the DIEs of inlined functions that are not marked */
	bool complete;			/* the calls have been read, because they are needed */
};

const char *symbol_at(const struct object *obj, Dwarf_Addr addr);
const unsigned char *code_at(const struct object *obj, Dwarf_Addr from, Dwarf_Addr to);
Dwarf_Addr call_behind(struct sigs *sigs, Dwarf_Addr pc);
bool die_is_inlined_wrapper(struct sigs *sigs, Dwarf_Die *die);
struct call_site *call_first(struct sigs *sigs, const struct prototype *proto);
struct call_site *call_next(struct sigs *sigs, struct call_site *site);
bool call_param(const struct call_site *site, const struct param *param, Dwarf_Die *die);
bool proto_is_used(struct sigs *sigs, const struct prototype *proto);
bool proto_constant(struct sigs *sigs, const struct prototype *proto,
		    const struct param *param, __s64 *constant);

/*
 * prototype.c
 */

/* Prefixes of the function that takes a system call's parameters, native and 32-bit */
#define DO_SYS		"__do_sys_"
#define DO_COMPAT_SYS	"__do_compat_sys_"

/* How gcc has replaced a function by a function with the same code */
enum twin_kind {
	TWIN_ALIAS,		/* a symbol with the address of the code */
	TWIN_WRAPPER,		/* code that jumps to the kept function, or that includes it */
	TWIN_LOST,		/* no symbol: all calls go to clones, or there is no call */
};

/* A function that gcc has replaced */
struct twin {
	enum twin_kind kind;
	bool clone;		/* only a clone of the function, such as a part */
	Dwarf_Die die;
	Dwarf_Off kept;		/* the DIE of the function whose code gcc has kept, or 0 */
	Dwarf_Addr begin;	/* a wrapper's instruction after the call of the tracer */
	const struct site *site;	/* of the code that has an alias */
};

/* Functions of an object: functions by their code, and definitions without code */
struct funcs {
	struct func *funcs;
	size_t nr;
	size_t size;
	Dwarf_Die *codeless;
	const char **names;	/* of @codeless, read at the first lookup */
	size_t nr_codeless;
	size_t nr_units;	/* number of C units, more than one in a linked file */
	bool split;		/* some unit is in another file */
	Dwarf_Die *calls;	/* functions that take a system call's parameters */
	size_t nr_calls;
	struct twin *twins;
	size_t nr_twins;
};

bool funcs_read(struct funcs *funcs, const struct object *obj, Dwarf *dwarf);
void funcs_free(struct funcs *funcs);
struct func *funcs_find(struct funcs *funcs, Dwarf_Addr addr);
bool funcs_find_codeless(const struct object *obj, struct funcs *funcs, struct site *site,
			 Dwarf_Addr addr, struct func *func);
bool funcs_find_twin(struct funcs *funcs, const struct func *func, const char *symbol,
		     Dwarf_Die *die);
Dwarf_Die *funcs_find_call(struct funcs *funcs, Dwarf_Die *func, const char *prefix,
			   const char *name);

/* Maximum parameters of a function. DWARF with more parameters is malformed. */
#define MAX_PARAMS	255

/* How a clone by gcc differs from the original function */
enum clone {
	CLONE_CONSTPROP	= 1,	/* parameters became constants */
	CLONE_PART	= 2,	/* a part of the function */
	CLONE_OTHER	= 4,	/* callers may pass values that are not original parameters */
	CLONE_CONVENTION = 8,	/* the clone has another calling convention */
};

/* A parameter of a function */
struct param {
	Dwarf_Die die;		/* DIE with the name and the type */
	Dwarf_Die type;
	unsigned int size;	/* size of the type, 0 if unknown */
	Dwarf_Die concrete;	/* DIE with the location */
	bool has_concrete;
	bool behind;		/* the DWARF lists it after the remaining parameters */
	bool sure;		/* the code certainly has the parameter */
	bool raw;		/* functions with the same code have different types for it */
	const struct flag_set *flags;	/* the macros of its values, NULL for none */
	bool removed;
	bool has_constant;	/* removed, and all calls have the same value, @constant */
	__s64 constant;
	struct abi_place place;
	char *evidence;		/* with --debug: what the ABI and the location say */
};

/* A function whose prototype is being read */
struct prototype {
	struct func *func;
	Dwarf_Die declared;	/* DIE with the declaration */
	Dwarf_Addr begin;	/* the instruction after the call of the tracer */
	bool pushed;		/* a push is before the call of the tracer */
	struct param *params;
	size_t nr_params;
	bool varargs;
	bool merged;		/* calls of other functions may arrive */

	/* The compiler, and the options that decide what the DWARF tells */
	struct {
		unsigned int clang;	/* version of clang, 0 for gcc */
		bool optimized;		/* clang says that the code may be optimized */
		bool tracked;		/* gcc certainly tracked the function's variables */
		bool none;		/* it knows preserve_none, as gcc 15 and later do */
		bool stored;		/* without -O, gcc stores each parameter in memory first */
	} compiler;

	/* The calling convention, and who has to know it */
	struct {
		bool external;		/* the function has a global name */
		bool taken;		/* its address is taken, so any code may call it */
		bool changed;		/* the DWARF says that clang changed the interface */
		unsigned int clone;	/* enum clone, or 0 */
	} cc;

	/* The return value */
	struct {
		bool exists;		/* the function is not void */
		bool raw;		/* functions with the same code return different types */
		bool kept;		/* the compiler certainly did not remove it */
		Dwarf_Die type;
		enum abi_return place;
	} ret;
};

bool proto_read(struct sigs *sigs, struct prototype *proto,
		struct site *site, Dwarf_Addr addr, struct func *func);

/*
 * evidence.c
 */

/* What a parameter's location says about the entry */
enum evidence_kind {
	EVIDENCE_NOWHERE,	/* no location in any part of the function */
	EVIDENCE_LATER,		/* a location, but not at the entry */
	EVIDENCE_VALUE,		/* a value that is not passed: it is constant, or assigned */
	EVIDENCE_ELSEWHERE,	/* a place that passes no parameter */
	EVIDENCE_FOREIGN,	/* a place of another calling convention */
	EVIDENCE_PLACE,
};

struct evidence {
	enum evidence_kind kind;
	char slots[2];		/* slots of the eightbytes, '-' for an eightbyte without a slot */
	char names[2];		/* the slot that the location of each eightbyte names, or 0 */
	int word;		/* word of the stack, or -1 */
};

void evidence_read(struct sigs *sigs, struct prototype *proto, size_t nr,
		   struct evidence *ev);
bool evidence_fits(const struct abi_place *place, const struct evidence *ev);
__u32 slot_register(char slot);
bool clang_is_extended(const struct param *param);
bool func_saves(struct sigs *sigs, const struct func *func, unsigned int reg);
__u32 proto_reads(struct sigs *sigs, const struct prototype *proto);
bool proto_reads_usual(struct sigs *sigs, const struct prototype *proto);
bool proto_ignores(struct sigs *sigs, const struct prototype *proto, __u32 reg);
__u32 proto_args_read(struct sigs *sigs, const struct prototype *proto);
__u32 proto_words_read(struct sigs *sigs, const struct prototype *proto);

/*
 * clone.c
 */

void proto_place(struct sigs *sigs, struct prototype *proto);
bool proto_is_usual(struct sigs *sigs, struct prototype *proto);

/*
 * twins.c
 */

void twins_find(struct sigs *sigs, struct funcs *funcs);
void twins_merge(struct sigs *sigs, const struct funcs *funcs, const struct site *site,
		 struct prototype *proto);

/*
 * signature.c
 */

/* The counts of the report. @sites and @params are by the reason of a gap. */
struct counts {
	unsigned long sites[NR_REASONS];
	unsigned long params[NR_REASONS];
	unsigned long removed;		/* removed parameters, except for constants */
	unsigned long constants;
	unsigned long returns;		/* number of unknown return values */
};

/* The signatures of one object while they are collected */
struct sigs {
	/* The object and its DWARF */
	struct object *obj;
	Dwarf *dwarf;
	Dwarf_CFI *cfi;			/* the call frame information, NULL if there is none */
	Dwarf_CFI *eh_cfi;		/* @cfi if it is from .eh_frame */
	const Elf_Data *loclists;	/* .debug_loclists or NULL */
	const Elf_Data *loc;		/* .debug_loc or NULL */

	/* What has been found out about the functions of the object */
	struct refs refs;
	struct calls calls;

	/* The signatures, and the descriptions of the types that they refer to */
	struct pool strs;
	struct pool types;
	void *memos;			/* a tree of the texts of types */
	Dwarf_Die *digests;		/* the types with digests, or NULL */

	struct counts nr;
	const char *malformed;		/* who found malformed DWARF, or NULL */
	bool debug;			/* print what decided the places of parameters */
	bool unpromoted;		/* clang did not run ArgumentPromotion */
};

void sigs_read(struct sigs *sigs, struct object *obj);

/*
 * dump.c
 */

const char *object_dump(struct object *obj, bool addresses);
void object_dump_site(const struct object *obj, __u32 shndx, __u64 offset,
		      const char *sig, bool address);
void debug_evidence(struct prototype *proto, const struct evidence *evs);
void debug_function(const struct sigs *sigs, const struct site *site,
		    const struct prototype *proto);

#endif /* _GEN_ARG_SIGS_H */
