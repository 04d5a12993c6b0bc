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
 *   signature  = longs return *parameter ["z"]       z: variable arguments
 *   longs      = digit                0 to 6: so many argument registers, in
 *                                     the order of the ABI (psABI, 3.2.3)
 *              / "(" *slot ")"        otherwise, one slot for each long
 *   slot       = "a".."f"             argument register 0 to 5
 *              / "-"                  not known
 *   return     = ["?"] type           ?: not known what the function returns
 *   parameter  = type name ";"        the name may be missing
 *
 * The longs belong to the parameters in the order of their declaration, one
 * for each eight bytes of a parameter, one at least.
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
 *              / "N" name ";"         typedef name, only behind a pointer
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
 *              / id "s" number ";" tag ";"            struct of so many bytes
 *              / id "u" number ";" tag ";"            union
 *   enumerator = name ["=" ["-"] hex] ";"     without a value: the previous
 *                                     one's plus 1, the first one's is 0
 *
 * Tags are empty where the type has none; numbers are decimal.  An enum is one
 * of bits if each enumerator is zero or a single bit and zero is either
 * missing or there is a bit above 2 (0, 1, 2 would be a plain count).
 */
#ifndef _LINUX_ARG_SIGS_H
#define _LINUX_ARG_SIGS_H

#include <linux/types.h>

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
