/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of functions: the format that scripts/gen_arg_sigs writes into
 * each object and that the tracers read (kernel/trace/trace_arg_sigs.c).
 *
 * An object has three sections more:
 *
 *   __arg_sigs        struct arg_sig_site[], one for each address that ftrace
 *                     may patch; 8 bytes each, aligned to 4
 *   __arg_sigs_str    signatures, text that ends with NUL; SHF_MERGE and
 *                     SHF_STRINGS, so that the final link keeps one of each
 *   __arg_sigs_types  descriptions of the enums and records that signatures
 *                     refer to; text that ends with NUL, merged as well
 *
 * All text is printable ASCII without quotes, backslashes and percent signs.
 *
 *   signature  = longs return *parameter ["z"] ["|" *parameter]
 *                                     z: variable arguments; behind "|" are
 *                                     a system call's own parameters
 *   longs      = digit                0 to 6: so many argument registers, in
 *                                     the order of the ABI (psABI, 3.2.3)
 *              / "(" *slot ["|" *field] ")"
 *                                     otherwise, one for each long
 *   slot       = "-"                  not known
 *              / "."                  removed by the compiler
 *              / [text] place
 *   text       = "*"                  it points to a string, which is captured
 *                                     behind the longs
 *              / "#"                  to a buffer with as many bytes as the next
 *                                     long says, which are captured there; the
 *                                     next slot or field has a long
 *   place      = "a".."f"             argument register 0 to 5
 *              / "A".."Z"             word 0 to 25 of the stack, from the one
 *                                     behind the return address on
 *   field      = "-"
 *              / [text] word          of the struct pt_regs that the first
 *                                     argument register points to
 *   word       = "a".."u"             word 0 to 20 of it
 *              / "A".."U"             the low 32 bits of that word
 *   return     = type                 in RAX
 *              / "?" type             not known what the function returns
 *              / "&" type             in memory, its address in RAX
 *              / "2" type             of 9 to 16 bytes, in RAX and RDX
 *   parameter  = type name ["=" ["-"] hex] ";" *piece
 *                                     the name may be missing; =: a constant
 *                                     that the compiler put in its place
 *   piece      = "@" type name ";"    the compiler passes this part of the
 *                                     parameter instead of the whole; the name
 *                                     is an expression in C, "p->x"
 *
 * The longs belong to the parameters in the order of their declaration, one
 * for each eight bytes of a parameter, one at least; those of pieces follow
 * their parameter's. A parameter whose longs are all "." is shown as its
 * constant or its pieces, and as removed if it has neither. The longs of
 * fields belong to the system call's parameters in the same way.
 *
 *   type       = basic                a letter of the Itanium C++ ABI
 *                                     (5.1.5.2): v void, b bool, c char,
 *                                     a signed char, h unsigned char,
 *                                     s short, t unsigned short, i int,
 *                                     j unsigned int, l long, m unsigned long,
 *                                     x long long, y unsigned long long,
 *                                     n __int128, o unsigned __int128,
 *                                     f float, d double, e long double
 *              / "P" type             pointer to
 *              / "K" type             const
 *              / "V" type             volatile
 *              / "S" tag ";"          struct tag, only behind a pointer
 *              / "U" tag ";"          union tag, only behind a pointer
 *              / "N" name ";"         typedef name, only behind a pointer, and
 *                                     not of a function
 *              / "F" type *type ["z"] "_"
 *                                     function: its return and parameters
 *              / "A" [number] "_" type
 *                                     array of so many
 *              / "E" basic id         enum, stored as that basic type
 *              / "R" id number ";"    struct or union by value, so many longs
 *              / "X" spelling ";" number ";"
 *                                     any other type, so many longs
 *              / "T" name ";" type    typedef, written as the type behind it
 *              / "D" name ";" type    typedef of an integer, written decimal
 *              / "G" name ";" type    typedef of gfp_t
 *              / "O" name ";" type    typedef of umode_t, written octal
 *              / "M" name ";" type    typedef of dev_t
 *
 * Behind a typedef only what rendering needs is kept: a pointer is "Pv", a
 * pointer to a function "PFv_".
 *
 *   id         = 8 of A-Z a-z 0-9 + / : 48 bits of a hash over the rest of
 *                the description, so that equal types of many objects are one
 *   description = id "e" basic tag ";" *enumerator    enum
 *              / id "b" basic tag ";" *enumerator     enum of bits
 *              / id "s" number ";" tag ";" *member    struct of so many bytes
 *              / id "u" number ";" tag ";" *member    union
 *   enumerator = name ["=" ["-"] hex] ";"     without a value: the previous
 *                                     one's plus 1, the first one's is 0
 *   member     = number type name ";"         at so many bytes from the begin
 *              / number ":" number type name ";"
 *                                     bit-field: at so many bits from the
 *                                     begin, so many bits wide, the lowest
 *                                     bit of the lowest byte is bit 0
 *
 * Members of a struct or union without a name are members of what it is in.
 * Tags are empty where the type has none; numbers are decimal.  An enum is one
 * of bits if each enumerator is zero or a single bit and zero is either
 * missing or there is a bit above 2 (0, 1, 2 would be a plain count).
 *
 * Readers on another machine find all of it in the print format of the event
 * ftrace:arg_sigs, which is never emitted: recorders copy the formats of all
 * events of that system.  It is one quoted string,
 *
 *   print_fmt  = "arg_sigs 1;" gfp table *module *"."
 *   gfp        = "g" number ";" *flag
 *                                     so many names of gfp_t's flags, in the
 *                                     order that they are looked for
 *   flag       = name "=" hex ";"
 *   module     = state number ";" name ";" table
 *                                     a module's: the number of its set
 *   state      = "m"                  it is there
 *              / "r"                  it is there, where another one was before:
 *                                     an event that has no number may be of that
 *              / "g"                  it is gone
 *   table      = number ";" text number ";" text number ";" *function
 *                                     so many bytes of descriptions, so many
 *                                     of signatures, so many functions; NUL
 *                                     is "~" in both texts
 *   function   = varint ref [name ";"]
 *                                     its traced address, less that of the one
 *                                     before it, the first one's less the
 *                                     image's _text or, for a module, less 0;
 *                                     where its signature begins in the text;
 *                                     the name only for a module
 *   varint     = *digit               5 bits each, the lowest first, 32 is
 *                                     added to all but the last; digits are
 *                                     A-Z a-z 0-9 + /.  The address has its
 *                                     sign in the lowest bit
 *   ref        = varint
 *
 * and is filled up with "." to a multiple of 64 KiB, as trace-cmd reads each
 * format twice and gives up where its size has changed.
 */
#ifndef _LINUX_ARG_SIGS_H
#define _LINUX_ARG_SIGS_H

#include <linux/types.h>

/* The names of the others begin with that of the first one */
#define ARG_SIGS_SITES_SECTION	"__arg_sigs"
#define ARG_SIGS_STR_SECTION	"__arg_sigs_str"
#define ARG_SIGS_TYPES_SECTION	"__arg_sigs_types"

/* Characters of a type's id */
#define ARG_SIGS_ID_LEN		8

/* Longs that are captured of one call at most; what lies above is unknown */
#define ARG_SIGS_MAX_LONGS	32

/**
 * struct arg_sig_site - the signature of one traceable function
 * @func: the address that ftrace knows the function by, from this field
 * @sig: the signature's text, from this field
 */
struct arg_sig_site {
	__s32	func;
	__s32	sig;
};

#endif /* _LINUX_ARG_SIGS_H */
